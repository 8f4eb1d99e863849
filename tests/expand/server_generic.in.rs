#[server]
impl<S> Graph<S>
where
    S: Store + Send + Sync + 'static,
{
    #[tool]
    async fn nodes(&self) -> usize {
        self.store.len().await
    }
}
