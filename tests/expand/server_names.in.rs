/// Names that the macro uses itself.
#[server]
impl Names {
    #[tool]
    async fn call(&self, tool: u8, call: u8, result: u8, this: u8, mut args: u8, _unused: u8) -> u8 {
        tool + call + result + this + args
    }
}
