impl<S> Graph<S>
where
    S: Store + Send + Sync + 'static,
{
    async fn nodes(&self) -> usize {
        self.store.len().await
    }
}
#[automatically_derived]
impl<S> ::mcp_server::__private::ToolSet for Graph<S>
where
    S: Store + Send + Sync + 'static,
    for<'a> Graph<S>: ::core::marker::Send + ::core::marker::Sync,
    Graph<S>: 'static,
{
    fn tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<::mcp_server::Tool> {
        let mut tools = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("nodes");
            let result = tool.returns::<usize>();
            let this = ::core::clone::Clone::clone(&self);
            tools
                .push(
                    tool
                        .handler(move |call| {
                            let this = ::core::clone::Clone::clone(&this);
                            call.run(async move { this.nodes().await }, result)
                        }),
                );
        }
        tools
    }
}
