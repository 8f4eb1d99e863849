/// One order.
#[resource("shop://orders/{id}{?format}", ttl = 0.5)]
async fn order(
    #[resource(complete = order_ids)] id: u32,
    #[resource(default = "short")] format: String,
    stock: State<Stock>,
) -> Result<Json<Order>, RequestError> {
    stock.order(id).await
}

#[resource("file:///{+path}", crate = my_crate::mcp)]
fn file(#[resource(raw)] path: String, #[cfg(unix)] ctx: Context) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}
