//! Who is at each end and what it can do.
//!
//! Specification: [Discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ProtocolVersion;
use super::message::null_is_default;

/// Names a program, for people and logs: nothing may be decided by it.
///
/// ```
/// use mcp_server::protocol::Implementation;
///
/// let shop = Implementation { title: Some("Shop".into()), ..Implementation::new("shop-support", "1.2.0") };
/// assert_eq!(shop.version, "1.2.0");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Implementation {
    /// The name that programs use.
    pub name: String,
    /// The version of the program.
    #[serde(default)]
    pub version: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the program is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where its web site is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_url: Option<String>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
}

impl Implementation {
    /// A program with a name and a version.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), ..Self::default() }
    }
}

/// A picture that stands for something.
///
/// Specification: [Icons](https://modelcontextprotocol.io/specification/2026-07-28/basic#icons).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Icon {
    /// An `https:` or `data:` URL.
    pub src: String,
    /// The kind of picture, such as `image/png`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Sizes such as `48x48`, or `any`.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<String>,
    /// The background that it is made for: `light` or `dark`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
}

impl Icon {
    /// A picture at an address, without further words.
    pub fn new(src: impl Into<String>) -> Self {
        Self { src: src.into(), mime_type: None, sizes: Vec::new(), theme: None }
    }
}

/// What a client can do beyond the basics. Members that are not known here are kept in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCapabilities {
    /// It can ask its user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<Map<String, Value>>,
    /// It can ask its model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampling: Option<Map<String, Value>>,
    /// It knows the folders that it works in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Map<String, Value>>,
    /// Extensions, by identifier, with their settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// All the rest.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server offers. Members that are not known here are kept in `other`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ServerCapabilities {
    /// It has tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Map<String, Value>>,
    /// It has prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompts: Option<Map<String, Value>>,
    /// It has resources.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resources: Option<Map<String, Value>>,
    /// It completes arguments of prompts and resource templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completions: Option<Map<String, Value>>,
    /// It sends log messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logging: Option<Map<String, Value>>,
    /// Extensions, by identifier, with their settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// All the rest.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The answer to `server/discover`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DiscoverResult {
    /// The stateless revisions that the server speaks.
    pub supported_versions: Vec<String>,
    /// What it offers.
    #[serde(default)]
    pub capabilities: ServerCapabilities,
    /// How to make good use of the server, for a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
}

/// Writes `implementation` with the members that `version` knows.
pub(crate) fn write_implementation(out: &mut Vec<u8>, implementation: &Implementation, version: ProtocolVersion) {
    let Implementation { name, version: own, .. } = implementation;
    let known = if version >= ProtocolVersion::V2025_11_25 {
        implementation.clone()
    } else if version >= ProtocolVersion::V2025_06_18 {
        Implementation { title: implementation.title.clone(), ..Implementation::new(name, own) }
    } else {
        Implementation::new(name, own)
    };
    serde_json::to_writer(out, &known).expect("an implementation is plain data");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_not_known_is_kept_beside_the_capabilities() {
        let wire = json!({
            "tools": {},
            "prompts": { "listChanged": true },
            "resources": { "subscribe": true },
            "completions": {},
            "logging": {},
            "extensions": { "io.modelcontextprotocol/ui": {} },
            "experimental": { "x": {} },
        });
        let capabilities: ServerCapabilities = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(capabilities.other.keys().collect::<Vec<_>>(), ["experimental"]);
        assert_eq!(serde_json::to_value(&capabilities).unwrap(), wire);
    }
}
