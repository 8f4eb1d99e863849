#[server]
impl Shop {
    /// The orders that are there.
    pub const ORDERS: u32 = 3;

    /// Refund an order.
    #[tool(destructive = true)]
    async fn refund(&self, order_id: String, ctx: Context) -> Result<String, ToolError> {
        self.helper();
        Ok(order_id)
    }

    #[cfg(feature = "prices")]
    #[mcp_server::tool]
    pub fn price(&self, sku: String) -> u64 {
        1999
    }

    fn helper(&self) {}
}
