/// What is in stock.
#[tool]
async fn stock(
    sku: String,
    /// Where to look.
    #[tool(header = "Region", default = "eu")]
    region: String,
    #[cfg(feature = "counts")]
    #[tool(header = "Count")]
    count: Option<u32>,
) -> u32 {
    17
}
