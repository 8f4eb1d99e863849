#[tool]
async fn r#move(r#type: String, r#move: u8) -> String {
    r#type
}

#[resource("raw://{type}")]
fn r#ref(r#type: String) -> String {
    r#type
}

#[server]
impl Raw {
    #[tool]
    async fn r#loop(&self, r#type: u8) -> u8 {
        r#type
    }
}
