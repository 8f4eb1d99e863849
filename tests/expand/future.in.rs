#[tool]
fn delayed(seconds: u64) -> impl Future<Output = String> + Send {
    async move { seconds.to_string() }
}
