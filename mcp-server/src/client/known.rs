//! What is known of the tools of a server, from the lists that were read last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

use crate::protocol::{Tool, integral};
use crate::schema::{MirroredParam, mirrored};

/// So many bytes of names and schemas are remembered at most. A tool for which there is no room takes that of all before
/// it, which are then called like those that are not known.
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The tools that a call needs to know more of than their names.
#[derive(Debug, Default)]
pub(crate) struct KnownTools(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    tools: HashMap<String, Known>,
    bytes: usize,
}

#[derive(Debug)]
struct Known {
    mirrored: Arc<[MirroredParam]>,
    is_idempotent: bool,
    bytes: usize,
}

impl Table {
    fn insert(&mut self, name: &str, known: Known) {
        self.remove(name);
        if self.bytes + known.bytes > MAX_BYTES {
            // Most of them may be long gone, and what is needed again is read again.
            *self = Self::default();
        }
        self.bytes += known.bytes;
        self.tools.insert(name.to_owned(), known);
    }

    fn remove(&mut self, name: &str) {
        if let Some(known) = self.tools.remove(name) {
            self.bytes -= known.bytes;
        }
    }
}

impl KnownTools {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a list says; the tools that can be called. Over HTTP a tool whose annotations of headers are
    /// wrong is left out, with a warning.
    ///
    /// "Clients using the Streamable HTTP transport MUST reject tool definitions" with such annotations, "SHOULD log a
    /// warning", and keep the others (Tools, `x-mcp-header`).
    pub(crate) fn learn(&self, tools: Vec<Tool>, over_http: bool) -> Vec<Tool> {
        let known = |tool: &Tool| {
            let schema = tool.input_schema.to_string();
            let mirrored: Arc<[MirroredParam]> = match mirrored(&schema) {
                Ok(mirrored) => mirrored.into(),
                Err(reason) if over_http => return Err(reason),
                Err(_) => Arc::default(),
            };
            let mut bytes = size_of::<Known>() + 2 * tool.name.len();
            if !mirrored.is_empty() {
                bytes += schema.len();
            }
            let is_idempotent = tool.annotations.as_ref().is_some_and(|annotations| annotations.idempotent());
            Ok(Known { mirrored, is_idempotent, bytes })
        };
        let good = tools.into_iter().filter(|tool| {
            let known = known(tool);
            let mut table = self.table();
            match known {
                Ok(known) => {
                    table.insert(&tool.name, known);
                    true
                }
                Err(reason) => {
                    table.remove(&tool.name);
                    drop(table);
                    tracing::warn!(tool = tool.name, reason, "a tool is left out: its headers are declared wrongly");
                    false
                }
            }
        });
        good.collect()
    }

    /// The arguments of a call that HTTP repeats in headers: the names of the headers, and the values as text. Of an
    /// unknown tool there are none.
    ///
    /// "Clients MUST include" those "whose value is present and not `null`" (Streamable HTTP, Custom Headers).
    pub(crate) fn mirrored(&self, tool: &str, arguments: &str) -> Vec<(String, String)> {
        let params = match self.table().tools.get(tool) {
            Some(known) if !known.mirrored.is_empty() => Arc::clone(&known.mirrored),
            _ => return Vec::new(),
        };
        let arguments: Option<&RawValue> = serde_json::from_str(arguments).ok();
        let found = params.iter().filter_map(|param| {
            let text = text_of(at(arguments?, param.path())?)?;
            Some((param.header().to_owned(), text))
        });
        found.collect()
    }

    /// Whether a tool says of itself that it can be called twice as well as once.
    pub(crate) fn is_idempotent(&self, tool: &str) -> bool {
        self.table().tools.get(tool).is_some_and(|known| known.is_idempotent)
    }
}

/// The value that these properties lead to.
fn at<'a>(value: &'a RawValue, path: &[Box<str>]) -> Option<&'a RawValue> {
    let Some((name, inner)) = path.split_first() else { return Some(value) };
    // Of two members of one name the last one counts, as it does for the server.
    let mut members: HashMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
    at(members.remove(&**name)?, inner)
}

/// A plain value as text; `None` for `null`, and for what can't stand in a header.
fn text_of(value: &RawValue) -> Option<String> {
    let json = value.get();
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str(json).ok(),
        b't' | b'f' => Some(json.to_owned()),
        // "Integers: decimal": `7.0` is one too.
        b'-' | b'0'..=b'9' => Some(integral(json).map_or_else(|| json.to_owned(), |integer| integer.to_string())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn tool(name: &str, properties: Value) -> Tool {
        let tool = json!({ "name": name, "inputSchema": { "type": "object", "properties": properties } });
        serde_json::from_value(tool).unwrap()
    }

    // rows: HDR-15
    #[test]
    fn plain_values_are_repeated_at_their_exact_path() {
        let known = KnownTools::default();
        known.learn(
            vec![tool(
                "f",
                json!({
                    "region": { "type": "string", "x-mcp-header": "Region" },
                    "n": { "type": "integer", "x-mcp-header": "N" },
                    "dry": { "type": "boolean", "x-mcp-header": "Dry" },
                    "other": { "type": "string" },
                    "place": { "type": "object", "properties": { "id": { "type": "string", "x-mcp-header": "Id" } } }
                }),
            )],
            true,
        );
        for (arguments, headers) in [
            (json!({}), vec![]),
            (json!({ "region": null, "n": null, "place": null, "other": "x" }), vec![]),
            (json!({ "region": "" }), vec![("Mcp-Param-Region", "")]),
            (json!({ "region": "a\n\"é" }), vec![("Mcp-Param-Region", "a\n\"é")]),
            (json!({ "n": -42, "dry": false }), vec![("Mcp-Param-N", "-42"), ("Mcp-Param-Dry", "false")]),
            (json!({ "n": 42.0, "dry": true }), vec![("Mcp-Param-N", "42"), ("Mcp-Param-Dry", "true")]),
            (json!({ "n": 9_007_199_254_740_993_u64 }), vec![("Mcp-Param-N", "9007199254740993")]),
            (json!({ "n": [1], "region": {} }), vec![]),
            (json!({ "place": { "id": "x" }, "id": "y" }), vec![("Mcp-Param-Id", "x")]),
            (json!({ "place": { "place": { "id": "x" } } }), vec![]),
        ] {
            let headers: Vec<_> = headers.into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
            assert_eq!(known.mirrored("f", &arguments.to_string()), headers, "{arguments}");
        }
        assert_eq!(known.mirrored("f", r#"{"n":1,"n":2}"#), [("Mcp-Param-N".to_owned(), "2".to_owned())]);
        assert!(known.mirrored("g", r#"{"n":1}"#).is_empty());
    }

    // rows: HDR-14, HDR-16
    #[test]
    fn a_tool_with_wrong_annotations_is_left_out_over_http_alone() {
        let bad = |header: Value, kind: &str| tool("bad", json!({ "a": { "type": kind, "x-mcp-header": header } }));
        let twice = json!({
            "a": { "type": "string", "x-mcp-header": "Id" },
            "b": { "type": "string", "x-mcp-header": "ID" }
        });
        for bad in [
            bad(json!(""), "string"),
            bad(json!("a b"), "string"),
            bad(json!("a:b"), "string"),
            bad(json!("é"), "string"),
            bad(json!("a\u{1}"), "string"),
            bad(json!("A"), "object"),
            bad(json!("A"), "array"),
            bad(json!("A"), "null"),
            bad(json!("A"), "number"),
            bad(json!(7), "string"),
            tool("bad", twice),
        ] {
            let known = KnownTools::default();
            let names = |tools: Vec<Tool>| tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>();
            let good = tool("good", json!({ "a": { "type": "string", "x-mcp-header": "A" } }));
            let before = tool("bad", json!({ "a": { "type": "string", "x-mcp-header": "A" } }));
            assert_eq!(names(known.learn(vec![before], true)), ["bad"]);
            assert_eq!(known.mirrored("bad", r#"{"a":"x"}"#).len(), 1);
            assert_eq!(names(known.learn(vec![bad.clone(), good.clone()], true)), ["good"]);
            assert!(known.mirrored("bad", r#"{"a":"x"}"#).is_empty());
            assert_eq!(names(known.learn(vec![bad, good], false)), ["bad", "good"]);
        }
    }

    #[test]
    fn what_is_remembered_has_an_end() {
        let known = KnownTools::default();
        let with = |name: &str, length| {
            let property = json!({ "type": "string", "x-mcp-header": "A", "description": "x".repeat(length) });
            tool(name, json!({ "a": property }))
        };
        let is_known = |name: &str| !known.mirrored(name, r#"{"a":"x"}"#).is_empty();
        known.learn(vec![with("a", MAX_BYTES / 2)], true);
        assert!(is_known("a"));
        // There is no room for both.
        known.learn(vec![with("b", MAX_BYTES / 2)], true);
        assert!(!is_known("a") && is_known("b"));
        known.learn(vec![with("a", 10)], true);
        assert!(is_known("a") && is_known("b"));
    }
}
