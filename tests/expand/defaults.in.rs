#[tool]
async fn search(
    words: String,
    #[tool(default = 10)] limit: u32,
    #[tool(default = -1.5)] offset: f64,
    #[tool(default = "asc")] order: String,
    #[tool(default = Unit::Celsius)] unit: Unit,
    #[tool(default)] tags: Vec<String>,
    #[serde(default)] exact: bool,
    #[serde(default = "first_page")] page: u32,
) -> usize {
    words.len()
}
