/// List the orders of a customer.
fn orders(
    customer: String,
    page: Page,
    from: Point,
    to: Point,
) -> impl ::mcp_server::ToolFuture<Output = String> {
    #[allow(clippy::unused_async)]
    async fn orders(customer: String, page: Page, from: Point, to: Point) -> String {
        customer
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("orders");
            tool.description("List the orders of a customer.");
            let customer = tool.parameter::<String, _>("customer", "");
            let page = tool.flatten::<Page>();
            let from = tool.parameter::<Point, _>("from", "");
            let to = tool.parameter::<Point, _>("to", "");
            let result = tool.returns::<String>();
            tool.handler(move |call| {
                let customer = customer.take(call);
                let page = page.take(call);
                let from = from.take(call);
                let to = to.take(call);
                let (
                    ::core::option::Option::Some(customer),
                    ::core::option::Option::Some(page),
                    ::core::option::Option::Some(from),
                    ::core::option::Option::Some(to),
                ) = (customer, page, from, to) else { return call.refuse() };
                call.run(orders(customer, page, from, to), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(orders(customer, page, from, to))
}
