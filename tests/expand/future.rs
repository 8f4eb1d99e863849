fn delayed(seconds: u64) -> impl ::mcp_server::ToolFuture<Output = String> {
    #[allow(clippy::needless_pass_by_value)]
    fn delayed(seconds: u64) -> impl Future<Output = String> + Send {
        async move { seconds.to_string() }
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("delayed");
            tool.without_description();
            let seconds = tool.parameter::<u64, _>("seconds", "");
            let result = tool.returns::<String>();
            tool.handler(move |call| {
                let seconds = seconds.take(call);
                let ::core::option::Option::Some(seconds) = seconds else {
                    return call.refuse()
                };
                call.run(delayed(seconds), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(delayed(seconds))
}
