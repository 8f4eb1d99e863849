#[allow(clippy::needless_pass_by_value)]
/// Add two numbers.
pub(crate) fn add(a: f64, mut b: f64) -> f64 {
    b += a;
    b
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
pub(crate) struct add {}
#[automatically_derived]
impl ::mcp_server::__private::ToolHandler for add {
    fn tool() -> ::mcp_server::Tool {
        let mut tool = ::mcp_server::Tool::builder("add");
        tool.description("Add two numbers.");
        tool.read_only(true);
        let a = tool.parameter::<f64, _>("a", "");
        let b = tool.parameter::<f64, _>("b", "");
        let result = tool.returns::<f64>();
        tool.handler(move |call| {
            let a = a.take(call);
            let b = b.take(call);
            let (::core::option::Option::Some(a), ::core::option::Option::Some(b)) = (
                a,
                b,
            ) else { return call.refuse() };
            call.run_blocking(move || add(a, b), result)
        })
    }
}
