/// Have a text translated.
#[prompt(title = "Translate", icon = flag(), meta = json!({ "shelf": 7 }))]
pub async fn translate(
    /// What to translate.
    text: String,
    /// Into which language.
    #[prompt(complete = languages)]
    language: Option<String>,
    #[prompt(default = 3, title = "How often")] tries: u8,
    #[serde(default)] tone: Tone,
    ctx: Context,
) -> Result<String, RequestError> {
    Ok(text)
}

#[prompt(name = "say.hello")]
fn hello() -> Vec<PromptMessage> {
    Vec::new()
}
