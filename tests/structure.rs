//! How the library is laid out: no arrow between its rooms points back.

use std::fs;
use std::path::{Path, PathBuf};

/// From the bottom up: each room may use those before it.
const ROOMS: [&str; 5] = ["protocol", "schema", "server", "transport", "client"];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

#[test]
fn no_room_uses_one_that_stands_above_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mcp-server/src");
    let mut back = Vec::new();
    let mut arrows = 0;
    for (level, room) in ROOMS.iter().enumerate() {
        for file in sources(&root.join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            // Examples in doc comments speak of the whole library.
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for used in line.split("crate::").skip(1) {
                    let name = used.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                    if let Some(other) = ROOMS.iter().position(|room| *room == name) {
                        arrows += 1;
                        if other > level {
                            back.push(format!("{}: {}", file.display(), line.trim()));
                        }
                    }
                }
            }
        }
    }
    assert!(arrows > 20, "the test has lost sight of the code: {arrows} arrows");
    assert!(back.is_empty(), "these arrows point back:\n{}", back.join("\n"));
}
