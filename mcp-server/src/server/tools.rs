//! Tools in the lists of a server: their names, and how each revision sees them.

use std::borrow::Cow;
use std::hash::BuildHasherDefault;
use std::panic::Location;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Tool;
use super::registry::{Item, NameHasher, Shelf};
use super::tool::ToolParts;
use crate::nearest::nearest;
use crate::protocol::{ErrorObject, Icon, ProtocolVersion, ToolAnnotations};
use crate::schema::without_mirrored;

impl Item for Tool {
    const NOUN: &'static str = "tool";
    const LIST: &'static str = "tools";

    type Hash = BuildHasherDefault<NameHasher>;

    fn key(&self) -> &Cow<'static, str> {
        &self.0.name
    }

    fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    fn fault(&self) -> Option<String> {
        fault_of_name(&self.0.name, Self::NOUN).or_else(|| self.0.fault.clone())
    }

    fn write(&self, out: &mut Vec<u8>, version: ProtocolVersion) {
        serde_json::to_writer(out, &listed(self, version)).expect("a tool is plain data");
    }
}

impl Shelf<Tool> {
    /// # Errors
    ///
    /// When there is no such tool, or it is switched off.
    pub(crate) fn tool(&self, name: &str) -> Result<&Tool, ErrorObject> {
        self.get(name).ok_or_else(|| ErrorObject::unknown_tool(name, nearest(name, self.items().map(Tool::name))))
    }

    /// Whether any tool, switched on or off, is not for everybody.
    pub(crate) fn asks_for_scopes(&self) -> bool {
        self.entries().any(|(tool, _)| !tool.0.scopes.is_empty())
    }
}

/// Names are 1 to 128 characters of `A-Z a-z 0-9 _ - .` (Tools, Tool Names).
pub(crate) fn fault_of_name(name: &str, noun: &str) -> Option<String> {
    let good = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_name = (1..=128).contains(&name.len()) && name.bytes().all(good);
    (!is_name).then(|| format!("can't be the name of a {noun}: names are 1 to 128 characters of A-Z a-z 0-9 _ - ."))
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
    input_schema: Cow<'a, RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_schema: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<&'a ToolAnnotations>,
    #[serde(skip_serializing_if = "<[Icon]>::is_empty")]
    icons: &'a [Icon],
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a Map<String, Value>>,
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
        input_schema: input_schema(tool, version),
        output_schema: output.map(raw),
        annotations: annotations.filter(|_| version >= ProtocolVersion::V2025_03_26),
        icons: if version >= ProtocolVersion::V2025_11_25 { &tool.icons } else { &[] },
        meta: tool.meta.as_ref().filter(|_| version >= ProtocolVersion::V2025_06_18),
    }
}

/// The older revisions know no headers of arguments, and hosts may refuse what they don't know.
fn input_schema(tool: &ToolParts, version: ProtocolVersion) -> Cow<'_, RawValue> {
    let text = tool.input.text();
    if tool.headers.is_empty() || version.is_modern() {
        return Cow::Borrowed(serde_json::from_str(text).expect("a schema is JSON"));
    }
    let text = without_mirrored(text, &tool.headers);
    Cow::Owned(RawValue::from_string(text).expect("a schema is JSON"))
}

/// Whether a revision has structured results: from 2025-06-18 on objects, from 2026-07-28 on any JSON.
pub(crate) fn has_structure(version: ProtocolVersion, is_object: bool) -> bool {
    version.is_modern() || (version >= ProtocolVersion::V2025_06_18 && is_object)
}
