/// List the orders of a customer.
#[tool]
async fn orders(customer: String, #[tool(flatten)] page: Page, from: Point, to: Point) -> String {
    customer
}
