#[tool]
async fn find(
    #[tool(default = LIMIT)] limit: u32,
    #[tool(default = std::env::consts::OS.to_owned())] system: String,
    #[tool(default = Area { x: -1, y: None })] area: Area,
    #[tool(default = { 1 - 2 })] block: i8,
    #[tool(default = -128)] least: i8,
    #[tool(default = vec![])] list: Vec<u8>,
    #[tool(default = None)] word: Option<String>,
) -> u32 {
    limit
}
