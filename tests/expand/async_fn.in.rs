/// Export orders to the accounting system, one at a time.
#[tool]
pub async fn export_orders(
    /// The orders to export, such as `A17`.
    order_ids: Vec<String>,
    ctx: Context,
) -> Result<String, ToolError> {
    let total = order_ids.len();
    ctx.report_progress(total, total, "done").await?;
    Ok(format!("Exported {total} orders."))
}
