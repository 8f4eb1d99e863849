//! All tools of a server: found by name, and listed from bytes that are made once for each revision.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use serde::Serialize;
use serde_json::value::RawValue;

use super::Tool;
use crate::nearest::nearest;
use crate::protocol::{ErrorObject, Icon, ProtocolVersion, ToolAnnotations};

/// The tools, in the order in which they were added.
#[derive(Debug, Default)]
pub(crate) struct Tools {
    all: Vec<Tool>,
    by_name: HashMap<Cow<'static, str>, usize>,
    /// The pages of `tools/list`, for each revision: the members of the result.
    pages: [OnceLock<Vec<Vec<u8>>>; ProtocolVersion::ALL.len()],
}

impl Tools {
    /// # Panics
    ///
    /// When there is a tool of that name already, or the name is none.
    #[track_caller]
    pub(crate) fn add(&mut self, tool: Tool) {
        let name = &tool.0.name;
        let at = tool.0.location;
        assert!(
            is_name(name),
            "`{name}` at {at} can't be the name of a tool: names are 1 to 128 characters of A-Z a-z 0-9 _ - ."
        );
        if let Some(first) = self.by_name.get(name) {
            let first = self.all[*first].0.location;
            panic!("two tools are named `{name}`: one at {first}, one at {at}");
        }
        self.by_name.insert(name.clone(), self.all.len());
        self.all.push(tool);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// # Errors
    ///
    /// When there is no such tool.
    pub(crate) fn get(&self, name: &str) -> Result<&Tool, ErrorObject> {
        match self.by_name.get(name) {
            Some(index) => Ok(&self.all[*index]),
            None => {
                let names = self.all.iter().map(Tool::name);
                Err(ErrorObject::unknown_tool(name, nearest(name, names)))
            }
        }
    }

    /// The members of one page of `tools/list`.
    ///
    /// # Errors
    ///
    /// When the cursor is none that a page of ours has ended with.
    pub(crate) fn page(
        &self,
        cursor: Option<&str>,
        size: usize,
        version: ProtocolVersion,
    ) -> Result<&[u8], ErrorObject> {
        let pages = self.pages[version.index()].get_or_init(|| {
            let chunks = self.all.chunks(size.max(1));
            let last = chunks.len().max(1) - 1;
            // A server without tools has one page, an empty one.
            let first: &[Tool] = &[];
            let chunks = chunks.chain(std::iter::repeat_n(first, usize::from(self.all.is_empty())));
            chunks.enumerate().map(|(at, tools)| write_page(tools, (at < last).then_some(at + 1), version)).collect()
        });
        let at = match cursor {
            None => Some(0),
            // Nothing is kept for a cursor: it says which page is next. `tools-+1` is not what we wrote.
            Some(cursor) => cursor
                .strip_prefix(CURSOR)
                .and_then(|at| at.parse().ok())
                .filter(|at| *at > 0 && cursor == format!("{CURSOR}{at}")),
        };
        let page = at.and_then(|at: usize| pages.get(at));
        page.map(Vec::as_slice)
            .ok_or_else(|| ErrorObject::invalid_params("`params.cursor` is none that this list gave out"))
    }
}

const CURSOR: &str = "tools-";

/// Whether it is 1 to 128 characters of `A-Z a-z 0-9 _ - .` (Tools, Tool Names).
fn is_name(name: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=128).contains(&name.len()) && name.bytes().all(good)
}

/// A tool with the members that a revision knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'a str>,
    input_schema: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a ToolAnnotations>,
    #[serde(skip_serializing_if = "<[Icon]>::is_empty")]
    icons: &'a [Icon],
}

fn write_page(tools: &[Tool], next: Option<usize>, version: ProtocolVersion) -> Vec<u8> {
    let listed: Vec<Listed<'_>> = tools.iter().map(|tool| listed(tool, version)).collect();
    let mut page = br#""tools":"#.to_vec();
    serde_json::to_writer(&mut page, &listed).expect("a list of tools is plain data");
    if let Some(next) = next {
        page.extend_from_slice(format!(r#","nextCursor":"{CURSOR}{next}""#).as_bytes());
    }
    page
}

fn listed(tool: &Tool, version: ProtocolVersion) -> Listed<'_> {
    let tool = &*tool.0;
    let raw = |text| serde_json::from_str::<&RawValue>(text).expect("a schema is JSON");
    let output = tool.output_schema.as_deref().filter(|_| has_structure(version, tool.output_is_object));
    let annotations = (tool.annotations != ToolAnnotations::default()).then_some(&tool.annotations);
    Listed {
        name: &tool.name,
        title: tool.title.as_deref().filter(|_| version >= ProtocolVersion::V2025_06_18),
        description: tool.description.as_deref(),
        input_schema: raw(tool.input_schema.text()),
        output_schema: output.map(raw),
        annotations: annotations.filter(|_| version >= ProtocolVersion::V2025_03_26),
        icons: if version >= ProtocolVersion::V2025_11_25 { &tool.icons } else { &[] },
    }
}

/// Whether a revision has structured results: from 2025-06-18 on objects, from 2026-07-28 on any JSON.
pub(crate) fn has_structure(version: ProtocolVersion, is_object: bool) -> bool {
    version.is_modern() || (version >= ProtocolVersion::V2025_06_18 && is_object)
}
