/// Attributes go where they belong.
#[deprecated]
#[allow(clippy::too_many_lines)]
#[allow(unused_variables)]
pub fn old(a: String) -> impl ::mcp_server::ToolFuture<Output = String> {
    #[allow(clippy::unused_async)]
    #[must_use]
    #[allow(clippy::too_many_lines)]
    #[expect(unused_variables)]
    #[tracing::instrument(skip_all)]
    async fn old(a: String) -> String {
        #![allow(unused_mut)]
        String::new()
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("old");
            tool.description("Attributes go where they belong.");
            let a = tool.parameter::<String, _>("a", "");
            let result = tool.returns::<String>();
            tool.handler(move |call| {
                let a = a.take(call);
                let ::core::option::Option::Some(a) = a else { return call.refuse() };
                call.run(old(a), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(old(a))
}
#[allow(dead_code)]
#[inline]
fn plain() {}
#[allow(dead_code)]
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct plain {}
#[allow(dead_code)]
#[automatically_derived]
impl ::mcp_server::__private::ToolHandler for plain {
    fn tool() -> ::mcp_server::Tool {
        let mut tool = ::mcp_server::Tool::builder("plain");
        tool.without_description();
        let result = tool.returns::<()>();
        tool.handler(move |call| { call.run_blocking(move || plain(), result) })
    }
}
