#[tool(readonly)]
async fn callable(a: String) -> usize {
    a.len()
}

#[tool]
async fn generic<T: ToString>(value: T) -> String {
    value.to_string()
}

#[tool]
fn plain((x, y): (f64, f64)) -> f64 {
    x * y
}

#[tool]
struct NoFunction;

#[server]
impl<'a> Shop<'a> {
    #[tool]
    async fn refund(&mut self, #[tool(default)] order_id: String) {}
}

#[resource("shop://orders/{id}")]
async fn order(oid: u32) -> String {
    oid.to_string()
}

#[prompt]
fn review(word: &str) -> String {
    word.to_owned()
}
