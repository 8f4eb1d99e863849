fn refresh() -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn refresh() {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("refresh");
            tool.without_description();
            let result = tool.returns::<()>();
            tool.handler(move |call| { call.run(refresh(), result) })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(refresh())
}
