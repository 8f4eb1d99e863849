/// Export orders to the accounting system, one at a time.
pub fn export_orders(
    order_ids: Vec<String>,
    ctx: Context,
) -> impl ::mcp_server::ToolFuture<Output = Result<String, ToolError>> {
    async fn export_orders(
        order_ids: Vec<String>,
        ctx: Context,
    ) -> Result<String, ToolError> {
        let total = order_ids.len();
        ctx.report_progress(total, total, "done").await?;
        Ok(format!("Exported {total} orders."))
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("export_orders");
            tool.description("Export orders to the accounting system, one at a time.");
            let order_ids = tool
                .parameter::<
                    Vec<String>,
                    _,
                >("order_ids", "The orders to export, such as `A17`.");
            let ctx = tool.parameter::<Context, _>("ctx", "");
            let result = tool.returns::<Result<String, ToolError>>();
            tool.handler(move |call| {
                let order_ids = order_ids.take(call);
                let ctx = ctx.take(call);
                let (
                    ::core::option::Option::Some(order_ids),
                    ::core::option::Option::Some(ctx),
                ) = (order_ids, ctx) else { return call.refuse() };
                call.run(export_orders(order_ids, ctx), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(export_orders(order_ids, ctx))
}
