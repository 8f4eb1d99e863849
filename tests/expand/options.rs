/// Not shown to the model.
fn delete_order(order_id: String) -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn delete_order(order_id: String) {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("shop.delete-order");
            tool.title("Delete an order");
            tool.description(concat!("Delete", " it."));
            tool.read_only(false);
            tool.destructive(true);
            tool.idempotent(true);
            tool.open_world(false);
            tool.timeout(::core::time::Duration::from_secs(30u64));
            let order_id = tool.parameter::<String, _>("order_id", "");
            let result = tool.returns::<()>();
            tool.handler(move |call| {
                let order_id = order_id.take(call);
                let ::core::option::Option::Some(order_id) = order_id else {
                    return call.refuse()
                };
                call.run(delete_order(order_id), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(delete_order(order_id))
}
fn half_a_second() -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn half_a_second() {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("half_a_second");
            tool.without_description();
            tool.timeout(::core::time::Duration::from_secs_f64(0.5));
            let result = tool.returns::<()>();
            tool.handler(move |call| { call.run(half_a_second(), result) })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(half_a_second())
}
fn some_time() -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn some_time() {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("some_time");
            tool.without_description();
            tool.timeout(Duration::from_millis(20));
            let result = tool.returns::<()>();
            tool.handler(move |call| { call.run(some_time(), result) })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(some_time())
}
fn asks_for_scopes() -> impl ::mcp_server::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn asks_for_scopes() {}
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("asks_for_scopes");
            tool.without_description();
            tool.scopes(["orders:read", "orders:write"]);
            let result = tool.returns::<()>();
            tool.handler(move |call| { call.run(asks_for_scopes(), result) })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(asks_for_scopes())
}
