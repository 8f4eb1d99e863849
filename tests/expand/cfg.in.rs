#[tool]
async fn conditional(
    a: String,
    #[cfg(feature = "extra")] extra: u32,
    b: String,
) {
}
