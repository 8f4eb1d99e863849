/// Add two numbers.
#[tool(read_only)]
pub(crate) fn add(a: f64, mut b: f64) -> f64 {
    b += a;
    b
}
