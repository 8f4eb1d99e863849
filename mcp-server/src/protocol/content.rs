//! Blocks of content: what a tool hands to the model.
//!
//! Specification: [Content](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result).

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{Icon, ProtocolVersion};

/// One block of a result. A kind that is not known here is kept as it came.
///
/// ```
/// use mcp_server::protocol::ContentBlock;
///
/// assert_eq!(ContentBlock::text("hello").as_text(), Some("hello"));
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContentBlock {
    /// Words.
    Text(TextContent),
    /// A picture.
    Image(ImageContent),
    /// A sound.
    Audio(AudioContent),
    /// Where a resource can be read.
    ResourceLink(ResourceLink),
    /// A resource itself.
    Resource(EmbeddedResource),
    /// A kind of block that is not known here.
    #[serde(untagged)]
    Unknown(Value),
}

impl ContentBlock {
    /// A block of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The words, if it is a block of words.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(block) => Some(&block.text),
            _ => None,
        }
    }
}

// The tag decides what is read, so that an error names the member that is wrong.
impl<'de> Deserialize<'de> for ContentBlock {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let read = |error: serde_json::Error| serde::de::Error::custom(error);
        Ok(match value.get("type").and_then(Value::as_str) {
            Some("text") => Self::Text(serde_json::from_value(value).map_err(read)?),
            Some("image") => Self::Image(serde_json::from_value(value).map_err(read)?),
            Some("audio") => Self::Audio(serde_json::from_value(value).map_err(read)?),
            Some("resource_link") => Self::ResourceLink(serde_json::from_value(value).map_err(read)?),
            Some("resource") => Self::Resource(serde_json::from_value(value).map_err(read)?),
            Some(_) => Self::Unknown(value),
            None => return Err(serde::de::Error::custom("`type` is missing: a string")),
        })
    }
}

/// Words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TextContent {
    /// The words.
    pub text: String,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl TextContent {
    /// Words without annotations.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: None }
    }
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImageContent {
    /// The bytes, in standard Base64.
    pub data: String,
    /// The kind of picture, such as `image/png`.
    pub mime_type: String,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl ImageContent {
    /// A picture whose bytes are in standard Base64 already.
    pub fn base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None }
    }
}

/// A sound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AudioContent {
    /// The bytes, in standard Base64.
    pub data: String,
    /// The kind of sound, such as `audio/wav`.
    pub mime_type: String,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl AudioContent {
    /// A sound whose bytes are in standard Base64 already.
    pub fn base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None }
    }
}

/// Where a resource can be read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceLink {
    /// Where it is.
    pub uri: String,
    /// The name that programs use.
    pub name: String,
    /// The name that people read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kind of data, such as `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// How many bytes it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Pictures of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl ResourceLink {
    /// A link with a name and no more.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            title: None,
            description: None,
            mime_type: None,
            size: None,
            icons: Vec::new(),
            annotations: None,
            meta: None,
        }
    }
}

/// A resource in the result itself. Its annotations stand beside the resource, not in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedResource {
    /// What the resource holds.
    pub resource: ResourceContents,
    /// Whom it is for and how much it matters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl EmbeddedResource {
    /// A resource without annotations.
    pub fn new(resource: ResourceContents) -> Self {
        Self { resource, annotations: None, meta: None }
    }
}

/// What a resource holds: `text` for real text, `blob` for anything else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceContents {
    /// Where it is.
    pub uri: String,
    /// The kind of data, such as `text/plain`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// The words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The bytes, in standard Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
    /// Data for programs.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl ResourceContents {
    /// A resource of words.
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), text: Some(text.into()), ..Self::default() }
    }

    /// A resource whose bytes are in standard Base64 already.
    pub fn base64(uri: impl Into<String>, blob: impl Into<String>) -> Self {
        Self { uri: uri.into(), blob: Some(blob.into()), ..Self::default() }
    }
}

/// Hints about whom a block is for and how much it matters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Who should see it; empty: anybody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audience: Vec<Role>,
    /// From 0, which can be left out, to 1, which is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<f64>,
    /// When it was last changed, in ISO 8601.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_modified: Option<String>,
}

/// A side of a conversation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A side that is not known here.
    #[serde(untagged)]
    Other(String),
}

/// Writes a block with what `version` knows: older revisions get the nearest thing that they can show.
pub(crate) fn write_content(out: &mut Vec<u8>, block: &ContentBlock, version: ProtocolVersion) {
    let written = if version >= ProtocolVersion::V2025_11_25 {
        serde_json::to_writer(out, block)
    } else {
        serde_json::to_writer(out, &older(block.clone(), version))
    };
    written.expect("content is plain data");
}

/// A block as a revision before 2025-11-25 knows it.
fn older(block: ContentBlock, version: ProtocolVersion) -> ContentBlock {
    let before_links = version < ProtocolVersion::V2025_06_18;
    let annotations = |annotations: Option<Annotations>| {
        annotations.map(|known| Annotations { last_modified: known.last_modified.filter(|_| !before_links), ..known })
    };
    let meta = |meta: Option<Map<String, Value>>| meta.filter(|_| !before_links);
    match block {
        ContentBlock::Text(block) => ContentBlock::Text(TextContent {
            annotations: annotations(block.annotations),
            meta: meta(block.meta),
            ..block
        }),
        ContentBlock::Image(block) => ContentBlock::Image(ImageContent {
            annotations: annotations(block.annotations),
            meta: meta(block.meta),
            ..block
        }),
        // 2024-11-05 knows no sounds: the bytes travel as a resource.
        ContentBlock::Audio(block) if version < ProtocolVersion::V2025_03_26 => {
            ContentBlock::Resource(EmbeddedResource {
                annotations: annotations(block.annotations),
                ..EmbeddedResource::new(ResourceContents {
                    mime_type: Some(block.mime_type),
                    ..ResourceContents::base64("content:audio", block.data)
                })
            })
        }
        ContentBlock::Audio(block) => ContentBlock::Audio(AudioContent {
            annotations: annotations(block.annotations),
            meta: meta(block.meta),
            ..block
        }),
        // Before 2025-06-18 there are no links: the model gets the name and the place as words.
        ContentBlock::ResourceLink(link) if before_links => {
            let text = match &link.description {
                Some(description) => format!("{}: {} ({description})", link.name, link.uri),
                None => format!("{}: {}", link.name, link.uri),
            };
            ContentBlock::Text(TextContent { annotations: annotations(link.annotations), ..TextContent::new(text) })
        }
        ContentBlock::ResourceLink(link) => ContentBlock::ResourceLink(ResourceLink { icons: Vec::new(), ..link }),
        ContentBlock::Resource(block) => ContentBlock::Resource(EmbeddedResource {
            annotations: annotations(block.annotations),
            meta: meta(block.meta),
            resource: ResourceContents { meta: meta(block.resource.meta), ..block.resource },
        }),
        ContentBlock::Unknown(_) => block,
    }
}
