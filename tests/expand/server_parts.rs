impl<S: Store> Shop<S> {
    #[allow(clippy::unused_async, clippy::unused_self)]
    /// Buy.
    async fn buy(&self) -> u32 {
        1
    }
}
#[automatically_derived]
impl<S: Store> ::mcp_server::__private::ServerBlock for Shop<S>
where
    for<'a> Shop<S>: ::core::marker::Send + ::core::marker::Sync,
    Shop<S>: 'static,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("buy");
            tool.description("Buy.");
            let result = tool.returns::<u32>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(async move { Self::buy(&this).await }, result)
                            }),
                    ),
                );
        }
        offers.extend(Self::stock(::core::clone::Clone::clone(&self)));
        offers
    }
}
impl<S: Store> Shop<S> {
    #[allow(clippy::unused_async, clippy::unused_self)]
    /// How many are left.
    async fn left(&self) -> u32 {
        3
    }
}
impl<S: Store> Shop<S>
where
    for<'a> Shop<S>: ::core::marker::Send + ::core::marker::Sync,
    Shop<S>: 'static,
{
    pub(crate) fn stock(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("left");
            tool.description("How many are left.");
            let result = tool.returns::<u32>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(async move { Self::left(&this).await }, result)
                            }),
                    ),
                );
        }
        offers
    }
}
