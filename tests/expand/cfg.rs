fn conditional(
    a: String,
    #[cfg(feature = "extra")]
    extra: u32,
    b: String,
) -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn conditional(a: String, #[cfg(feature = "extra")] extra: u32, b: String) {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("conditional");
            tool.without_description();
            let a = tool.parameter::<String, _>("a", "");
            #[cfg(feature = "extra")]
            let extra = tool.parameter::<u32, _>("extra", "");
            let b = tool.parameter::<String, _>("b", "");
            let result = tool.returns::<()>();
            tool.handler(move |call| {
                let a = a.take(call);
                #[cfg(feature = "extra")]
                let extra = extra.take(call);
                let b = b.take(call);
                let (::core::option::Option::Some(a), ::core::option::Option::Some(b)) = (
                    a,
                    b,
                ) else { return call.refuse() };
                #[cfg(feature = "extra")]
                let ::core::option::Option::Some(extra) = extra else {
                    return call.refuse()
                };
                call.run(conditional(a, #[cfg(feature = "extra")] extra, b), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(conditional(a, #[cfg(feature = "extra")] extra, b))
}
