/// Names that the macro uses itself, a name that is a keyword, one that is not used, and the function's own.
#[tool]
async fn names(tool: String, call: u8, result: u8, r#type: String, _unused: bool, names: Vec<String>) {}
