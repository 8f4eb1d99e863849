//! Each row of `requirements.md` that this stage is about has a test, or a reason why not.
//!
//! A test names the rows that it is about in a comment of one line above it: `rows: BASE-5, ERR-2` after two slashes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const AREAS: [&str; 32] = [
    "BASE", "META", "RTYPE", "ERR", "VER", "ERA", "EXT", "STDIO", "LIFE", "LEG", "PROG", "CANC", "MRTR", "SUB", "TOOL",
    "CONT", "RSC", "PRMT", "CMPL", "LOG", "PAGE", "CACHE", "ELIC", "SAMP", "ROOT", "JSCH", "ICON", "APPS", "HTTP",
    "HDR", "LHTTP", "AUTH",
];

const NO_SIGN_IN: &str = "client: it sends the token that it is given, and gets none by itself yet";
const HOST: &str = "for hosts: what a person sees and confirms is outside of a library";
const AUTHOR: &str = "for authors: it depends on what a server does, which a library does not know";

/// Rows of these areas without a test, and why.
const NOT_TESTED: &[(&str, &str)] = &[
    ("STDIO-12", "client: a call tells its caller how the server died; who starts it again is up to the program yet"),
    ("PROG-8", "client: it reports nothing of what it is asked to do yet, and there are no tasks"),
    ("CANC-9", "client: there are no tasks yet"),
    ("TOOL-21", HOST),
    ("TOOL-22", "for authors: the handles of a tool are its own arguments and results"),
    ("CONT-6", AUTHOR),
    ("RSC-8", AUTHOR),
    ("CMPL-5", AUTHOR),
    ("LOG-6", AUTHOR),
    ("ELIC-17", "for authors: who opens a page is known to the page alone"),
    ("ELIC-18", AUTHOR),
    ("SAMP-9", AUTHOR),
    ("ROOT-4", AUTHOR),
    ("ICON-2", HOST),
    ("APPS-9", HOST),
    ("HTTP-4", "for authors: they name the address; every example and page names 127.0.0.1"),
    ("HDR-20", AUTHOR),
    ("AUTH-14", NO_SIGN_IN),
    ("AUTH-15", NO_SIGN_IN),
    ("AUTH-16", NO_SIGN_IN),
    ("AUTH-17", NO_SIGN_IN),
    ("AUTH-18", NO_SIGN_IN),
    ("AUTH-19", NO_SIGN_IN),
    ("AUTH-20", NO_SIGN_IN),
    ("AUTH-21", NO_SIGN_IN),
    ("AUTH-22", NO_SIGN_IN),
    ("AUTH-23", NO_SIGN_IN),
    ("AUTH-24", NO_SIGN_IN),
    ("AUTH-25", NO_SIGN_IN),
];

#[test]
fn every_row_of_this_stage_has_a_test_or_a_reason() {
    let rows = rows();
    let tested: BTreeSet<String> = comments().into_iter().flat_map(|comment| comment.rows).collect();
    let excused: BTreeMap<&str, &str> = NOT_TESTED.iter().copied().collect();
    let mut faults = Vec::new();
    for area in AREAS {
        let of_area: Vec<&String> = rows.keys().filter(|row| area_of(row) == area).collect();
        assert!(!of_area.is_empty(), "{area} has no rows");
        let missing: Vec<&str> = of_area.iter().map(|row| row.as_str()).filter(|row| !tested.contains(*row)).collect();
        println!("{area}: {} rows, {} tested, not tested: {missing:?}", of_area.len(), of_area.len() - missing.len());
        faults.extend(
            missing
                .iter()
                .filter(|row| !excused.contains_key(*row))
                .map(|row| format!("{row} ({}) has neither a test nor a reason in NOT_TESTED", rows[*row])),
        );
    }
    for (row, reason) in NOT_TESTED {
        if !rows.contains_key(*row) || reason.is_empty() {
            faults.push(format!("{row} in NOT_TESTED is no row, or has no reason"));
        } else if tested.contains(*row) {
            faults.push(format!("{row} is tested now: take it out of NOT_TESTED"));
        }
    }
    assert_eq!(excused.len(), NOT_TESTED.len(), "a row is twice in NOT_TESTED");
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_row_that_a_test_names_exists_and_a_test_follows() {
    let rows = rows();
    let comments = comments();
    assert!(comments.len() > 50, "only {} tests name rows", comments.len());
    let mut faults = Vec::new();
    for Comment { place, rows: named, followed_by } in comments {
        faults.extend(
            named.iter().filter(|row| !rows.contains_key(*row)).map(|row| format!("{place}: there is no {row}")),
        );
        if !(followed_by.starts_with("#[") || followed_by.contains("fn ") || followed_by.starts_with("//")) {
            faults.push(format!("{place}: no test follows, but {followed_by}"));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_list_has_as_many_rows_as_it_says() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows().keys() {
        *counts.entry(area_of(row).to_owned()).or_default() += 1;
    }
    let said: BTreeMap<String, usize> = text()
        .lines()
        .filter_map(|line| {
            let [area, _, count] = cells(line)?.try_into().ok()?;
            (area.bytes().all(|byte| byte.is_ascii_uppercase())).then_some((area, count.parse().ok()?))
        })
        .collect();
    assert!(said.len() > 30);
    assert_eq!(counts, said);
}

/// All rows: who it is about, by name.
fn rows() -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    for line in text().lines() {
        let Some(cells) = cells(line) else { continue };
        let is_row = |name: &str| name.split_once('-').is_some_and(|(_, number)| number.parse::<u32>().is_ok());
        if cells.len() == 7 && is_row(&cells[0]) {
            assert!(["S", "C", "B"].contains(&cells[1].as_str()), "{line}");
            let twice = rows.insert(cells[0].clone(), cells[1].clone());
            assert!(twice.is_none(), "{} is there twice", cells[0]);
        }
    }
    assert!(rows.len() > 300);
    rows
}

/// The cells of a line of a table. A bar that is part of a text is written `\|`.
fn cells(line: &str) -> Option<Vec<String>> {
    let line = line.strip_prefix("| ")?.strip_suffix(" |")?.replace("\\|", "\u{0}");
    Some(line.split(" | ").map(|cell| cell.replace('\u{0}', "|")).collect())
}

fn area_of(row: &str) -> &str {
    row.split('-').next().unwrap_or(row)
}

fn text() -> String {
    std::fs::read_to_string(root().join("tests/requirements.md")).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A comment that names rows.
struct Comment {
    place: String,
    rows: Vec<String>,
    followed_by: String,
}

fn comments() -> Vec<Comment> {
    let mut files = Vec::new();
    for folder in ["tests", "mcp-server/src", "mcp-macros/src", "examples"] {
        sources(&root().join(folder), &mut files);
    }
    let mut comments = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut lines = text.lines().map(str::trim).enumerate().peekable();
        while let Some((at, line)) = lines.next() {
            if let Some(rows) = line.strip_prefix("// rows: ") {
                comments.push(Comment {
                    place: format!("{}:{}", file.display(), at + 1),
                    rows: rows.split(", ").map(str::to_owned).collect(),
                    followed_by: lines.peek().map(|(_, line)| (*line).to_owned()).unwrap_or_default(),
                });
            }
        }
    }
    comments
}

fn sources(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            sources(&entry, files);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            files.push(entry);
        }
    }
}
