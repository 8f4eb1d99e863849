#[tool]
async fn refresh() {}
