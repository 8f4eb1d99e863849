/// Reserve seats.
#[tool]
async fn reserve(
    #[tool(min_items = 1, max_items = MOST, unique_items)] seats: Vec<String>,
    #[tool(minimum = -1, exclusive_maximum = 0.5, default = 0.0)] discount: f64,
    #[cfg(feature = "mail")]
    #[tool(pattern = "@", max_length = 80)]
    mail: String,
) -> usize {
    seats.len()
}
