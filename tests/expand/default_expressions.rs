fn find(
    limit: u32,
    system: String,
    area: Area,
    block: i8,
    least: i8,
    list: Vec<u8>,
    word: Option<String>,
) -> impl ::mcp_server::ToolFuture<Output = u32> {
    #[allow(clippy::unused_async)]
    async fn find(
        limit: u32,
        system: String,
        area: Area,
        block: i8,
        least: i8,
        list: Vec<u8>,
        word: Option<String>,
    ) -> u32 {
        limit
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("find");
            tool.without_description();
            let limit = tool
                .parameter_or::<
                    u32,
                    _,
                >("limit", "", || LIMIT, ::core::option::Option::None);
            let system = tool
                .parameter_or::<
                    String,
                    _,
                >(
                    "system",
                    "",
                    || std::env::consts::OS.to_owned(),
                    ::core::option::Option::None,
                );
            let area = tool
                .parameter_or::<
                    Area,
                    _,
                >("area", "", || Area { x: -1, y: None }, ::core::option::Option::None);
            let block = tool
                .parameter_or::<
                    i8,
                    _,
                >("block", "", || { 1 - 2 }, ::core::option::Option::None);
            let least = tool
                .parameter_or::<
                    i8,
                    _,
                >("least", "", || -128, ::core::option::Option::Some("-128"));
            let list = tool
                .parameter_or::<
                    Vec<u8>,
                    _,
                >("list", "", || vec![], ::core::option::Option::None);
            let word = tool
                .parameter_or::<
                    Option<String>,
                    _,
                >("word", "", || None, ::core::option::Option::None);
            let result = tool.returns::<u32>();
            tool.handler(move |call| {
                let limit = limit.take(call);
                let system = system.take(call);
                let area = area.take(call);
                let block = block.take(call);
                let least = least.take(call);
                let list = list.take(call);
                let word = word.take(call);
                let (
                    ::core::option::Option::Some(limit),
                    ::core::option::Option::Some(system),
                    ::core::option::Option::Some(area),
                    ::core::option::Option::Some(block),
                    ::core::option::Option::Some(least),
                    ::core::option::Option::Some(list),
                    ::core::option::Option::Some(word),
                ) = (limit, system, area, block, least, list, word) else {
                    return call.refuse()
                };
                call.run(find(limit, system, area, block, least, list, word), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(find(limit, system, area, block, least, list, word))
}
