impl Shop {
    /// The orders that are there.
    pub const ORDERS: u32 = 3;
    #[allow(clippy::unused_async)]
    /// Refund an order.
    async fn refund(&self, order_id: String, ctx: Context) -> Result<String, ToolError> {
        self.helper();
        Ok(order_id)
    }
    #[allow(clippy::needless_pass_by_value, clippy::unused_self)]
    #[cfg(feature = "prices")]
    pub fn price(&self, sku: String) -> u64 {
        1999
    }
    fn helper(&self) {}
}
#[automatically_derived]
impl ::mcp_server::__private::ServerBlock for Shop
where
    for<'a> Shop: ::core::marker::Send + ::core::marker::Sync,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("refund");
            tool.description("Refund an order.");
            tool.destructive(true);
            let order_id = tool.parameter::<String, _>("order_id", "");
            let ctx = tool.parameter::<Context, _>("ctx", "");
            let result = tool.returns::<Result<String, ToolError>>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let order_id = order_id.take(call);
                                let ctx = ctx.take(call);
                                let (
                                    ::core::option::Option::Some(order_id),
                                    ::core::option::Option::Some(ctx),
                                ) = (order_id, ctx) else { return call.refuse() };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(
                                    async move { Self::refund(&this, order_id, ctx).await },
                                    result,
                                )
                            }),
                    ),
                );
        }
        #[cfg(feature = "prices")]
        {
            let mut tool = ::mcp_server::Tool::builder("price");
            tool.without_description();
            let sku = tool.parameter::<String, _>("sku", "");
            let result = tool.returns::<u64>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let sku = sku.take(call);
                                let ::core::option::Option::Some(sku) = sku else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run_blocking(move || Self::price(&this, sku), result)
                            }),
                    ),
                );
        }
        offers
    }
}
