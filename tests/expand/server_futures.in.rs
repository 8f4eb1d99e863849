#[server]
impl Clock {
    #[tool]
    fn after(&self, hours: u8) -> impl Future<Output = Result<u8, ToolError>> + Send {
        std::future::ready(self.after(hours))
    }
}
