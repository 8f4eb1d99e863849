/// The first line.
///
///   - an indented line
///
#[doc = include_str!("details.md")]
/// The last line.
#[doc(alias = "other")]
#[tool]
async fn described(
    /// A parameter
    /// on two lines.
    a: String,
    #[doc = concat!("from", " an expression")] b: String,
    /** A block
     * comment. */
    c: String,
) {
}
