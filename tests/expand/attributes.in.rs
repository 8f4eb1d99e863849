/// Attributes go where they belong.
#[tool]
#[deprecated]
#[must_use]
#[allow(clippy::too_many_lines)]
#[expect(unused_variables)]
#[tracing::instrument(skip_all)]
pub async fn old(a: String) -> String {
    #![allow(unused_mut)]
    String::new()
}

#[tool]
#[allow(dead_code)]
#[inline]
fn plain() {}
