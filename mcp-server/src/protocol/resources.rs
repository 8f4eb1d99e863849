//! Resources: what a server lists, and what reading one gives.
//!
//! Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::message::null_is_default;
use super::older::{annotations, icons, meta, title, write};
use super::{Annotations, CacheScope, Icon, ProtocolVersion, ResourceContents, ResourceLink};

/// A resource as `resources/list` shows it.
///
/// ```
/// use mcp_server::protocol::{Resource, ResourceLink};
///
/// let catalog = Resource { size: Some(1024), ..Resource::new("shop://catalog", "catalog") };
/// // A tool may point to it in its result.
/// assert_eq!(ResourceLink::from(catalog).uri, "shop://catalog");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Where it is.
    pub uri: String,
    /// The name that programs use.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of data, such as `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How many bytes it has, before any Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures of it.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl Resource {
    /// A resource with a name and no more.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: name.into(), ..Self::default() }
    }

    fn older(self, version: ProtocolVersion) -> Self {
        Self {
            title: title(self.title, version),
            annotations: annotations(self.annotations, version),
            icons: icons(self.icons, version),
            meta: meta(self.meta, version),
            ..self
        }
    }
}

impl From<Resource> for ResourceLink {
    fn from(resource: Resource) -> Self {
        let Resource { uri, name, title, description, mime_type, size, annotations, icons, meta } = resource;
        Self { uri, name, title, description, mime_type, size, annotations, icons, meta }
    }
}

/// A family of resources whose URIs differ in some places, as `resources/templates/list` shows it.
///
/// ```
/// use mcp_server::protocol::ResourceTemplate;
///
/// let orders = ResourceTemplate::new("shop://orders/{id}", "order");
/// assert_eq!(orders.uri_template, "shop://orders/{id}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// Their URIs, as a template of [RFC 6570](https://www.rfc-editor.org/rfc/rfc6570).
    pub uri_template: String,
    /// The name that programs use.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What they are, for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of data, if it is the same for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Whom they are for and how much they matter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Pictures of them.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl ResourceTemplate {
    /// A family with a name and no more.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri_template: uri_template.into(), name: name.into(), ..Self::default() }
    }

    fn older(self, version: ProtocolVersion) -> Self {
        Self {
            title: title(self.title, version),
            annotations: annotations(self.annotations, version),
            icons: icons(self.icons, version),
            meta: meta(self.meta, version),
            ..self
        }
    }
}

/// What reading a resource gave: more than one part for a folder, for example.
///
/// ```
/// use mcp_server::protocol::{ReadResourceResult, ResourceContents};
///
/// let result = ReadResourceResult {
///     contents: vec![ResourceContents::text("shop://a", "one"), ResourceContents::text("shop://b", "two")],
///     ..ReadResourceResult::default()
/// };
/// assert_eq!(result.text(), "one\ntwo");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReadResourceResult {
    /// The parts, each with the URI that it has by itself.
    pub contents: Vec<ResourceContents>,
    /// For how many milliseconds it may be kept; `None`: as the server says for all it offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// By whom it may be kept; `None`: as the server says for all it offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_scope: Option<CacheScope>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl ReadResourceResult {
    /// All words of the result, part after part, each on lines of its own.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.contents.iter().filter_map(|part| part.text.as_deref()).collect();
        texts.join("\n")
    }
}

/// Writes a resource with what `version` knows.
pub(crate) fn write_resource(out: &mut Vec<u8>, resource: &Resource, version: ProtocolVersion) {
    write(out, resource, version, Resource::older);
}

/// Writes a template with what `version` knows.
pub(crate) fn write_resource_template(out: &mut Vec<u8>, template: &ResourceTemplate, version: ProtocolVersion) {
    write(out, template, version, ResourceTemplate::older);
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn full() -> Value {
        json!({
            "uri": "shop://catalog",
            "name": "catalog",
            "title": "Catalog",
            "description": "All articles.",
            "mimeType": "text/plain",
            "size": 1024,
            "annotations": { "audience": ["user"], "priority": 0.5, "lastModified": "2026-07-28T00:00:00Z" },
            "icons": [{ "src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark" }],
            "_meta": { "example.com/key": [1] },
        })
    }

    fn without(mut value: Value, names: &[&str]) -> Value {
        for name in names {
            match name.split_once('.') {
                Some((outer, inner)) => value[outer].as_object_mut().unwrap().remove(inner),
                None => value.as_object_mut().unwrap().remove(*name),
            };
        }
        value
    }

    fn template() -> Value {
        let mut template = without(full(), &["uri", "size"]);
        template["uriTemplate"] = json!("shop://orders/{id}");
        template
    }

    // rows: RSC-2, RSC-3, ICON-1, CONT-4
    #[test]
    fn all_members_come_back() {
        let resource: Resource = serde_json::from_value(full()).unwrap();
        assert_eq!(serde_json::to_value(&resource).unwrap(), full());
        let link = ResourceLink::from(resource);
        assert_eq!(serde_json::to_value(&link).unwrap(), full());
        let known: ResourceTemplate = serde_json::from_value(template()).unwrap();
        assert_eq!(serde_json::to_value(&known).unwrap(), template());
    }

    // rows: RSC-2, RSC-3
    #[test]
    fn what_is_not_set_is_not_written() {
        assert_eq!(serde_json::to_string(&Resource::new("shop://a", "a")).unwrap(), r#"{"uri":"shop://a","name":"a"}"#);
        assert_eq!(
            serde_json::to_string(&ResourceTemplate::new("shop://{a}", "a")).unwrap(),
            r#"{"uriTemplate":"shop://{a}","name":"a"}"#
        );
    }

    // rows: RSC-2, RSC-3, ICON-1
    #[test]
    fn a_revision_gets_the_members_that_it_knows() {
        let resource: Resource = serde_json::from_value(full()).unwrap();
        let known: ResourceTemplate = serde_json::from_value(template()).unwrap();
        for version in ProtocolVersion::ALL {
            let gone: &[&str] = match version {
                ProtocolVersion::V2024_11_05 | ProtocolVersion::V2025_03_26 => {
                    &["title", "icons", "_meta", "annotations.lastModified"]
                }
                ProtocolVersion::V2025_06_18 => &["icons"],
                _ => &[],
            };
            let mut out = Vec::new();
            write_resource(&mut out, &resource, version);
            assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), without(full(), gone), "{version}");
            out.clear();
            write_resource_template(&mut out, &known, version);
            assert_eq!(serde_json::from_slice::<Value>(&out).unwrap(), without(template(), gone), "{version}");
        }
    }

    // rows: RSC-5
    #[test]
    fn a_result_has_parts_of_text_and_of_bytes() {
        let wire = json!({ "contents": [
            { "uri": "shop://a", "mimeType": "text/plain", "text": "one" },
            { "uri": "shop://b", "blob": "AAE=" },
            { "uri": "shop://c", "text": "two" },
        ] });
        let result: ReadResourceResult = serde_json::from_value(wire.clone()).unwrap();
        assert_eq!(result.text(), "one\ntwo");
        assert_eq!(result.contents[1].bytes().unwrap(), [0, 1]);
        assert_eq!(serde_json::to_value(&result).unwrap(), wire);
    }
}
