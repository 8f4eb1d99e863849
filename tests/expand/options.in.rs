/// Not shown to the model.
#[tool(
    name = "shop.delete-order",
    title = "Delete an order",
    description = concat!("Delete", " it."),
    read_only = false,
    destructive,
    idempotent = true,
    open_world = false,
    timeout = 30
)]
async fn delete_order(order_id: String) {}

#[tool(timeout = 0.5)]
async fn half_a_second() {}

#[tool(timeout = Duration::from_millis(20))]
async fn some_time() {}

#[tool(scopes = ["orders:read", "orders:write"])]
async fn asks_for_scopes() {}
