#[server(parts = [stock])]
impl<S: Store> Shop<S> {
    /// Buy.
    #[tool]
    async fn buy(&self) -> u32 {
        1
    }
}

#[server(part = stock)]
impl<S: Store> Shop<S> {
    /// How many are left.
    #[tool]
    async fn left(&self) -> u32 {
        3
    }
}
