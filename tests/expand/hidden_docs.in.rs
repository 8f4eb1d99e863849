#[server]
impl Shop {
    /// Refund an order.
    #[cfg_attr(feature = "eu", doc = "Within two weeks.")]
    #[tool]
    async fn refund(&self) {}

    #[cfg_attr(docsrs, doc(cfg(feature = "eu")))]
    #[cfg_attr(feature = "eu", doc = "In euros.")]
    #[tool(description = "What an article costs.")]
    async fn price(&self) -> u32 {
        1999
    }
}
