#[server]
impl Shop {
    /// Refund an order.
    #[tool]
    async fn refund(&self, order_id: String) {}

    /// One order.
    #[resource("shop://orders/{id}", ttl = 60)]
    async fn order(&self, #[resource(complete = Self::order_ids)] id: u32) -> Option<String> {
        self.orders.get(&id).cloned()
    }

    /// Ask for a review.
    #[prompt]
    fn review(&self, #[prompt(complete = Self::skus)] sku: String, #[prompt(complete = tones)] tone: String) -> String {
        format!("Review {sku}, {tone}.")
    }

    async fn order_ids(&self, typed: String) -> Vec<String> {
        self.ids(typed).await
    }

    fn skus(&self, completing: Completing) -> Completion {
        self.found(completing)
    }
}
