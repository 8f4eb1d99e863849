#[allow(clippy::too_many_arguments)]
fn search(
    words: String,
    limit: u32,
    offset: f64,
    order: String,
    unit: Unit,
    tags: Vec<String>,
    exact: bool,
    page: u32,
) -> impl ::mcp_server::ToolFuture<Output = usize> {
    #[allow(clippy::unused_async)]
    async fn search(
        words: String,
        limit: u32,
        offset: f64,
        order: String,
        unit: Unit,
        tags: Vec<String>,
        exact: bool,
        page: u32,
    ) -> usize {
        words.len()
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("search");
            tool.without_description();
            let words = tool.parameter::<String, _>("words", "");
            let limit = tool
                .parameter_or::<
                    u32,
                    _,
                >("limit", "", || 10, ::core::option::Option::Some("10"));
            let offset = tool
                .parameter_or::<
                    f64,
                    _,
                >("offset", "", || -1.5, ::core::option::Option::Some("-1.5"));
            let order = tool
                .parameter_or::<
                    String,
                    _,
                >(
                    "order",
                    "",
                    || ::core::convert::Into::into("asc"),
                    ::core::option::Option::Some("\"asc\""),
                );
            let unit = tool
                .parameter_or::<
                    Unit,
                    _,
                >("unit", "", || Unit::Celsius, ::core::option::Option::None);
            let tags = tool
                .parameter_or::<
                    Vec<String>,
                    _,
                >(
                    "tags",
                    "",
                    ::core::default::Default::default,
                    ::core::option::Option::None,
                );
            let exact = tool
                .parameter_or::<
                    bool,
                    _,
                >(
                    "exact",
                    "",
                    ::core::default::Default::default,
                    ::core::option::Option::None,
                );
            let page = tool
                .parameter_or::<
                    u32,
                    _,
                >("page", "", first_page, ::core::option::Option::None);
            let result = tool.returns::<usize>();
            tool.handler(move |call| {
                let words = words.take(call);
                let limit = limit.take(call);
                let offset = offset.take(call);
                let order = order.take(call);
                let unit = unit.take(call);
                let tags = tags.take(call);
                let exact = exact.take(call);
                let page = page.take(call);
                let (
                    ::core::option::Option::Some(words),
                    ::core::option::Option::Some(limit),
                    ::core::option::Option::Some(offset),
                    ::core::option::Option::Some(order),
                    ::core::option::Option::Some(unit),
                    ::core::option::Option::Some(tags),
                    ::core::option::Option::Some(exact),
                    ::core::option::Option::Some(page),
                ) = (words, limit, offset, order, unit, tags, exact, page) else {
                    return call.refuse()
                };
                call.run(
                    search(words, limit, offset, order, unit, tags, exact, page),
                    result,
                )
            })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(search(words, limit, offset, order, unit, tags, exact, page))
}
