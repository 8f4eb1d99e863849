//! One mistake a file, beside the one error that it gives.
//!
//! `TRYBUILD=overwrite cargo test -p tests --test ui` writes the `.stderr` files anew.

#[test]
fn each_mistake_gives_its_error() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
