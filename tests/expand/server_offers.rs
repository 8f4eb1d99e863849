impl Shop {
    #[allow(clippy::unused_async, clippy::unused_self)]
    /// Refund an order.
    async fn refund(&self, order_id: String) {}
    #[allow(clippy::unused_async)]
    /// One order.
    async fn order(&self, id: u32) -> Option<String> {
        self.orders.get(&id).cloned()
    }
    #[allow(clippy::needless_pass_by_value, clippy::unused_self)]
    /// Ask for a review.
    fn review(&self, sku: String, tone: String) -> String {
        format!("Review {sku}, {tone}.")
    }
    async fn order_ids(&self, typed: String) -> Vec<String> {
        self.ids(typed).await
    }
    #[allow(clippy::needless_pass_by_value)]
    fn skus(&self, completing: Completing) -> Completion {
        self.found(completing)
    }
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
            let order_id = tool.parameter::<String, _>("order_id", "");
            let result = tool.returns::<()>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let order_id = order_id.take(call);
                                let ::core::option::Option::Some(order_id) = order_id else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(
                                    async move { Self::refund(&this, order_id).await },
                                    result,
                                )
                            }),
                    ),
                );
        }
        {
            let mut resource = ::mcp_server::Resource::builder("shop://orders/{id}");
            resource.name("order");
            resource.description("One order.");
            resource
                .cache(
                    ::core::time::Duration::from_secs(60u64),
                    ::mcp_server::protocol::CacheScope::Private,
                );
            let id = resource.variable::<u32, _>("id");
            resource
                .complete(
                    "id",
                    {
                        let this = ::core::clone::Clone::clone(&self);
                        move |call: String| {
                            let this = ::core::clone::Clone::clone(&this);
                            async move { Self::order_ids(&this, call).await }
                        }
                    },
                );
            let result = resource.returns::<Option<String>>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Resource(
                        resource
                            .handler(move |call| {
                                let id = id.take(call);
                                let ::core::option::Option::Some(id) = id else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(
                                    async move { Self::order(&this, id).await },
                                    result,
                                )
                            }),
                    ),
                );
        }
        {
            let mut prompt = ::mcp_server::Prompt::builder("review");
            prompt.description("Ask for a review.");
            let sku = prompt.parameter::<String, _>("sku", "");
            prompt
                .complete(
                    "sku",
                    {
                        let this = ::core::clone::Clone::clone(&self);
                        move |call: Completing| Self::skus(&this, call)
                    },
                );
            let tone = prompt.parameter::<String, _>("tone", "");
            prompt.complete("tone", tones);
            let result = prompt.returns::<String>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Prompt(
                        prompt
                            .handler(move |call| {
                                let sku = sku.take(call);
                                let tone = tone.take(call);
                                let (
                                    ::core::option::Option::Some(sku),
                                    ::core::option::Option::Some(tone),
                                ) = (sku, tone) else { return call.refuse() };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run_blocking(
                                    move || Self::review(&this, sku, tone),
                                    result,
                                )
                            }),
                    ),
                );
        }
        offers
    }
}
