#[tool(crate = crate::mcp)]
async fn wait(seconds: u64) {}

#[server(crate = "my_crate::mcp")]
impl Shop {
    #[tool]
    fn open(&self) {}
}
