//! Programs for the compiler: one mistake a file in `ui/`, beside the one error that it gives, and in `ui/pass` what
//! has to compile.
//!
//! `TRYBUILD=overwrite cargo test -p tests --test ui` writes the errors anew.

use std::path::{Path, PathBuf};
use std::{env, fs};

#[test]
fn each_mistake_gives_its_error() {
    let tests = trybuild::TestCases::new();
    tests.compile_fail("ui/*.rs");
    tests.pass("ui/pass/*.rs");
}

#[test]
fn one_mistake_is_one_error() {
    let mut errors = 0;
    let fixtures = fixtures();
    for fixture in &fixtures {
        let told = told(fixture).lines().filter(|line| line.starts_with("error")).count();
        assert!(told > 0, "{} lacks its `.stderr`", fixture.display());
        errors += told;
    }
    let average = errors as f64 / fixtures.len() as f64;
    println!("{} mistakes, {errors} errors: {average:.2} each", fixtures.len());
    assert!(average <= 1.1, "{errors} errors for {} mistakes", fixtures.len());
}

#[test]
fn no_error_speaks_of_what_the_macros_wrote() {
    for fixture in fixtures() {
        let told = told(&fixture);
        for generated in ["__Handler", "ToolHandler", "ResourceHandler", "PromptHandler", "Tagged", "tagged"] {
            assert!(!told.contains(generated), "{} mentions `{generated}`", fixture.display());
        }
    }
}

/// The programs with a mistake.
fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect()
}

/// The errors of one.
fn told(fixture: &Path) -> String {
    fs::read_to_string(fixture.with_extension("stderr")).unwrap_or_default()
}
