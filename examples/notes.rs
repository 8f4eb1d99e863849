//! Notes in a directory: each file is a resource, which clients can watch, and whose name is completed.
//!
//! `cargo run --example notes -- FOLDER` serves on standard input and output; without a folder the notes lie in a
//! temporary one, which is removed at the end.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use mcp_server::prelude::*;
use mcp_server::protocol::{PromptMessage, ResourceContents};
use mcp_server::{Resource, ServerHandle};

struct Notes {
    folder: PathBuf,
    server: ServerHandle,
}

impl Notes {
    /// Where a note lies. A name that could lead elsewhere is none.
    fn path(&self, name: &str) -> Result<PathBuf, ToolError> {
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' '));
        if is_name { Ok(self.folder.join(name).with_extension("md")) } else { Err(ToolError::new(NAMES)) }
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "md") {
                names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
            }
        }
        names.sort();
        Ok(names)
    }
}

const NOTE: &str = "notes://note/{name}";

const NAMES: &str = "the name of a note has letters, digits, spaces, `-` and `_`";

// What reads and writes files holds its thread, so that these are no `async fn`: they run where that is fine.
#[server]
impl Notes {
    /// Write a note, or write it anew.
    #[tool(destructive = false, idempotent)]
    fn write_note(
        &self,
        /// What the note is called.
        name: String,
        /// What it says, in Markdown.
        text: String,
    ) -> Result<String, ToolError> {
        let path = self.path(&name)?;
        let is_new = !path.exists();
        fs::write(path, text)?;
        if is_new {
            self.server.resource_updated("notes://all");
        }
        self.server.resource_updated(address(&name));
        Ok(format!("wrote `{name}`"))
    }

    /// Throw a note away.
    #[tool]
    fn delete_note(&self, name: String) -> Result<String, ToolError> {
        fs::remove_file(self.path(&name)?).map_err(|_| ToolError::new(format!("there is no note `{name}`")))?;
        self.server.resource_updated("notes://all");
        self.server.resource_updated(address(&name));
        Ok(format!("deleted `{name}`"))
    }

    /// The names of all notes, a line each.
    #[resource("notes://all", mime_type = "text/plain")]
    fn all(&self) -> Result<String, RequestError> {
        Ok(self.names()?.join("\n"))
    }

    /// One note.
    #[resource("notes://note/{name}", mime_type = "text/markdown")]
    fn note(&self, #[resource(complete = Self::complete_name)] name: String) -> Option<String> {
        fs::read_to_string(self.path(&name).ok()?).ok()
    }

    /// Have a note summed up.
    #[prompt]
    fn sum_up(
        &self,
        /// Which note.
        #[prompt(complete = Self::complete_name)]
        name: String,
    ) -> Result<Vec<PromptMessage>, RequestError> {
        let text = self
            .note(name.clone())
            .ok_or_else(|| RequestError::invalid_params(format!("there is no note `{name}`")))?;
        let note = ResourceContents::text(address(&name), text).with_mime_type("text/markdown");
        Ok(vec![
            PromptMessage::user("Sum this note up in one sentence."),
            PromptMessage::user(mcp_server::protocol::EmbeddedResource::new(note)),
        ])
    }

    /// The notes whose names begin like this.
    fn complete_name(&self, typed: String) -> Result<Vec<String>, RequestError> {
        Ok(self.names()?.into_iter().filter(|name| name.starts_with(&typed)).collect())
    }
}

/// The address of a note.
fn address(name: &str) -> String {
    Resource::expand(NOTE, [("name", name)])
}

/// A folder that is gone with its owner, if nobody named it.
struct Folder {
    path: PathBuf,
    is_temporary: bool,
}

impl Folder {
    fn open(named: Option<&Path>) -> io::Result<Self> {
        let path =
            named.map_or_else(|| std::env::temp_dir().join(format!("notes-{}", std::process::id())), Path::to_owned);
        match named {
            Some(path) => fs::create_dir_all(path)?,
            // One that is there already belongs to somebody else.
            None => fs::create_dir(&path)?,
        }
        Ok(Self { path, is_temporary: named.is_none() })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if self.is_temporary {
            // What can't be removed stays for the system to clean up.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Folder::open(std::env::args_os().nth(1).as_deref().map(Path::new))?;
    let server = Server::new("notes").version(env!("CARGO_PKG_VERSION"));
    let notes = Notes { folder: folder.path.clone(), server: server.handle() };
    server.with(notes).serve_stdio().await?;
    Ok(())
}
