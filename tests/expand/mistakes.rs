::core::compile_error! {
    "`#[tool]` has no option `readonly`; did you mean `read_only`?"
}
#[allow(unused)]
fn callable(a: String) -> impl ::mcp_server::ToolFuture<Output = usize> {
    async fn callable(a: String) -> usize {
        a.len()
    }
    struct __Handler;
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            ::core::unreachable!()
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(::core::future::pending())
}
::core::compile_error! {
    "a tool can't be generic: its parameters are described to clients; name their types"
}
#[allow(unused)]
fn generic() -> impl ::mcp_server::ToolFuture<Output = ()> {
    async fn generic<T: ToString>(value: T) -> String {
        value.to_string()
    }
    struct __Handler;
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            ::core::unreachable!()
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(::core::future::pending())
}
::core::compile_error! {
    "a parameter of a tool is a plain name: take the whole value and take it apart in the body"
}
#[allow(unused)]
fn plain((x, y): (f64, f64)) -> f64 {
    x * y
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct plain {}
impl ::mcp_server::__private::ToolHandler for plain {
    fn tool() -> ::mcp_server::Tool {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "`#[tool]` belongs to a function; a type offers methods: put `#[server]` on an `impl` block of it"
}
struct NoFunction;
::core::compile_error! {
    "a tool takes `&self`, as calls run side by side: keep what changes in a `Mutex` or an atomic"
}
::core::compile_error! {
    "a server can't borrow, as calls outlive the place where it was made: let it own its data"
}
#[allow(dead_code)]
impl<'a> Shop<'a> {
    #[allow(clippy::unused_async, clippy::unused_self)]
    async fn refund(&mut self, order_id: String) {}
}
#[allow(dead_code)]
impl ::mcp_server::__private::ServerBlock for Shop<'static> {
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        ::core::unreachable!()
    }
}
::core::compile_error! {
    "`oid` is no variable of the address; did you mean `id`?"
}
#[allow(unused)]
fn order(oid: u32) -> impl ::mcp_server::ResourceFuture<Output = String> {
    async fn order(oid: u32) -> String {
        oid.to_string()
    }
    struct __Handler;
    impl ::mcp_server::__private::ResourceHandler for __Handler {
        fn resource() -> ::mcp_server::Resource {
            ::core::unreachable!()
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(::core::future::pending())
}
::core::compile_error! {
    "a parameter of a prompt can't borrow: use `String`"
}
#[allow(unused)]
fn review(word: &str) -> String {
    word.to_owned()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct review {}
impl ::mcp_server::__private::PromptHandler for review {
    fn prompt() -> ::mcp_server::Prompt {
        ::core::unreachable!()
    }
}
