/// Names that the macro uses itself, a name that is a keyword, one that is not used, and the function's own.
fn names(
    tool: String,
    call: u8,
    result: u8,
    r#type: String,
    _unused: bool,
    names_: Vec<String>,
) -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn names(
        tool: String,
        call: u8,
        result: u8,
        r#type: String,
        _unused: bool,
        names: Vec<String>,
    ) {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool_ = ::mcp_server::Tool::builder("names");
            tool_
                .description(
                    "Names that the macro uses itself, a name that is a keyword, one that is not used, and the function's own.",
                );
            let tool = tool_.parameter::<String, _>("tool", "");
            let call = tool_.parameter::<u8, _>("call", "");
            let result = tool_.parameter::<u8, _>("result", "");
            let r#type = tool_.parameter::<String, _>("type", "");
            let _unused = tool_.parameter::<bool, _>("_unused", "");
            let names = tool_.parameter::<Vec<String>, _>("names", "");
            let result_ = tool_.returns::<()>();
            tool_
                .handler(move |call_| {
                    let tool = tool.take(call_);
                    let call = call.take(call_);
                    let result = result.take(call_);
                    let r#type = r#type.take(call_);
                    let _unused = _unused.take(call_);
                    let names = names.take(call_);
                    let (
                        ::core::option::Option::Some(tool),
                        ::core::option::Option::Some(call),
                        ::core::option::Option::Some(result),
                        ::core::option::Option::Some(r#type),
                        ::core::option::Option::Some(_unused),
                        ::core::option::Option::Some(names),
                    ) = (tool, call, result, r#type, _unused, names) else {
                        return call_.refuse()
                    };
                    call_.run(names(tool, call, result, r#type, _unused, names), result_)
                })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(names(tool, call, result, r#type, _unused, names_))
}
