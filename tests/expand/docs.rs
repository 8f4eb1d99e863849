/// The first line.
///
///   - an indented line
///
#[doc = include_str!("details.md")]
/// The last line.
#[doc(alias = "other")]
fn described(
    a: String,
    b: String,
    c: String,
) -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn described(a: String, b: String, c: String) {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("described");
            tool.description(
                ::core::concat!(
                    "The first line.\n\n  - an indented line\n\n",
                    include_str!("details.md"), "\nThe last line."
                ),
            );
            let a = tool.parameter::<String, _>("a", "A parameter\non two lines.");
            let b = tool.parameter::<String, _>("b", concat!("from", " an expression"));
            let c = tool.parameter::<String, _>("c", "A block\ncomment.");
            let result = tool.returns::<()>();
            tool.handler(move |call| {
                let a = a.take(call);
                let b = b.take(call);
                let c = c.take(call);
                let (
                    ::core::option::Option::Some(a),
                    ::core::option::Option::Some(b),
                    ::core::option::Option::Some(c),
                ) = (a, b, c) else { return call.refuse() };
                call.run(described(a, b, c), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(described(a, b, c))
}
