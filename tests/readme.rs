//! What the README says can be done, done. Its Rust snippets run as documentation tests besides.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn readme() -> String {
    fs::read_to_string(root().join("README.md")).unwrap()
}

/// The code blocks of a language, in order.
fn blocks(language: &str) -> Vec<String> {
    let readme = readme();
    let parts: Vec<&str> = readme.split("```").collect();
    let inside = parts.iter().skip(1).step_by(2);
    let of_language = inside.filter_map(|block| {
        let (first, rest) = block.split_once('\n')?;
        (first.split(',').next() == Some(language)).then(|| rest.to_owned())
    });
    of_language.collect()
}

fn cargo(folder: &Path) -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).stderr(Stdio::inherit());
    // What cargo has set for this test is not meant for other packages.
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR")
    {
        cargo.env_remove(name);
    }
    cargo
}

/// A command of a `console` block, without the prompt, and what it prints.
fn session(about: &str) -> (String, String) {
    let block = blocks("console").into_iter().find(|block| block.contains(about)).expect(about);
    let (command, output) = block.split_once('\n').unwrap();
    (command.strip_prefix("$ ").unwrap().to_owned(), output.to_owned())
}

#[test]
fn the_command_that_shows_the_lesson_prints_what_the_readme_says() {
    let (command, expected) = session("export_orders");
    let mut words = command.split(' ');
    assert_eq!(words.next(), Some("cargo"));
    let output = cargo(&root()).args(words).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
    assert!(output.status.success());
}

#[test]
fn the_command_that_runs_the_tests_is_the_one_that_ci_runs() {
    let (command, _) = session("cargo test");
    assert_eq!(command, "cargo test");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.contains("test_command=$(grep -m1 -oE '^\\$ cargo test.*' README.md"));
}

#[test]
fn what_a_call_takes_is_what_was_measured() {
    let readme = readme();
    let section = readme.split("\n## What a call takes\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let measured = fs::read_to_string(root().join("mcp-server/benches/compare.md")).unwrap();
    let rows: Vec<&str> = section.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 10, "{section}");
    for row in rows {
        assert!(measured.lines().any(|line| line == row), "{row}");
    }
    let (command, _) = session("cargo bench");
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    assert!(ci.lines().any(|line| line == command), "{command}");
}

#[test]
fn the_server_to_copy_compiles_on_its_own_and_answers() {
    let folder = root().join("target/readme");
    fs::create_dir_all(folder.join("src")).unwrap();
    let library = root().join("mcp-server");
    let manifest = &blocks("toml")[0];
    let manifest = manifest.replace("../mcp-server/mcp-server", library.to_str().unwrap());
    fs::write(folder.join("Cargo.toml"), manifest + "\n[workspace]\n").unwrap();
    // The versions that are here already, so that nothing has to be fetched.
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).unwrap();
    let server = blocks("rust").into_iter().find(|block| block.contains("serve_stdio")).unwrap();
    let lines = server.lines().count();
    assert!(lines <= 22, "the lesson's server has {lines} lines");
    let tests = blocks("rust").into_iter().find(|block| block.contains("#[tokio::test]")).unwrap();
    fs::write(folder.join("src/main.rs"), server + &tests).unwrap();

    let (command, _) = session("| cargo run");
    let request = command.strip_prefix("echo '").unwrap().split_once('\'').unwrap().0;
    let mut child = cargo(&folder)
        .args(["run", "--quiet", "--offline", "--target-dir"])
        .arg(root().join("target/readme/target"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    writeln!(child.stdin.take().unwrap(), "{request}").unwrap();
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), 2, "{output}");
    assert!(lines[0].contains("notifications/progress") && lines[0].contains("exported A17"), "{output}");
    assert!(lines[1].starts_with(r#"{"jsonrpc":"2.0","id":1,"result":"#), "{output}");
    assert!(lines[1].contains("Exported 1 orders."), "{output}");

    let tested = cargo(&folder)
        .args(["test", "--quiet", "--offline", "--target-dir"])
        .arg(root().join("target/readme/target"))
        .output()
        .unwrap();
    let tested = String::from_utf8(tested.stdout).unwrap();
    assert!(tested.contains("2 passed; 0 failed"), "{tested}");
}

#[test]
fn the_call_by_hand_over_http_shows_its_reports() {
    let (command, printed) = session("--example http");
    assert_eq!(command, "cargo run --example http");
    let mut server = support::example("http", &["127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap().strip_suffix("/mcp").unwrap();
    assert_eq!(line.replace(address, "127.0.0.1:8000"), printed);

    let (command, _) = session("curl");
    let quoted: Vec<&str> = command.split('\'').skip(1).step_by(2).collect();
    let (body, headers) = quoted.split_last().unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let mut request = format!("POST /mcp HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\naccept: */*\r\n");
    for header in headers {
        request += &format!("{header}\r\n");
    }
    write!(stream, "{request}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    server.kill().unwrap();
    server.wait().unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    assert!(answer.find("exported A17").unwrap() < answer.find("Exported 1 orders.").unwrap(), "{answer}");
}

#[test]
fn the_smallest_server_has_twelve_lines() {
    let page = fs::read_to_string(root().join("mcp-server/src/lib.rs")).unwrap();
    let (_, rest) = page.split_once("//! ```no_run\n").unwrap();
    let (server, _) = rest.split_once("//! ```").unwrap();
    assert!(server.contains("serve_stdio"));
    assert!(server.lines().count() <= 12, "{server}");
}
