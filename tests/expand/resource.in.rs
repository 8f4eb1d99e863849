/// All that is sold.
#[resource("shop://catalog", title = "Catalog", mime_type = "text/plain", size = 11, audience = "user", priority = 1)]
pub async fn catalog() -> &'static str {
    "tea, coffee"
}

#[resource("shop://hours", name = "opening-hours", ttl = 3600, scope = "public", icon = clock(), meta = json!({ "shelf": 7 }))]
fn hours(ctx: Context) -> String {
    ctx.request_id().to_string()
}
