impl<S> Graph<S>
where
    S: Store + Send + Sync + 'static,
{
    async fn nodes(&self) -> usize {
        self.store.len().await
    }
}
#[automatically_derived]
impl<S> ::mcp_server::__private::ServerBlock for Graph<S>
where
    S: Store + Send + Sync + 'static,
    for<'a> Graph<S>: ::core::marker::Send + ::core::marker::Sync,
    Graph<S>: 'static,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("nodes");
            tool.without_description();
            let result = tool.returns::<usize>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(async move { Self::nodes(&this).await }, result)
                            }),
                    ),
                );
        }
        offers
    }
}
