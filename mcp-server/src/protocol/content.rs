//! Blocks of content: what a tool hands to the model.
//!
//! Specification: [Content](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool-result).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::json::write_string;
use super::message::null_is_default;
use super::older::{annotations, meta, write};
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

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

impl From<std::borrow::Cow<'_, str>> for ContentBlock {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self::text(text)
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
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
    /// A picture of bytes as they are in its file.
    ///
    /// ```
    /// use mcp_server::protocol::ImageContent;
    ///
    /// let picture = ImageContent::new(b"\x89PNG", "image/png");
    /// assert_eq!(picture.bytes().unwrap(), b"\x89PNG");
    /// ```
    pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::base64(STANDARD.encode(bytes), mime_type)
    }

    /// A picture whose bytes are in standard Base64 already.
    pub fn base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None }
    }

    /// The bytes; `None` when `data` is no standard Base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.data).ok()
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
    /// A sound of bytes as they are in its file.
    ///
    /// ```
    /// use mcp_server::protocol::AudioContent;
    ///
    /// let sound = AudioContent::new(b"RIFF", "audio/wav");
    /// assert_eq!(sound.bytes().unwrap(), b"RIFF");
    /// ```
    pub fn new(bytes: impl AsRef<[u8]>, mime_type: impl Into<String>) -> Self {
        Self::base64(STANDARD.encode(bytes), mime_type)
    }

    /// A sound whose bytes are in standard Base64 already.
    pub fn base64(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self { data: data.into(), mime_type: mime_type.into(), annotations: None, meta: None }
    }

    /// The bytes; `None` when `data` is no standard Base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(&self.data).ok()
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
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
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

    /// A resource of bytes that are no text.
    ///
    /// ```
    /// use mcp_server::protocol::ResourceContents;
    ///
    /// let photo = ResourceContents::blob("shop://photos/A17", b"\x89PNG").with_mime_type("image/png");
    /// assert_eq!(photo.bytes().unwrap(), b"\x89PNG");
    /// ```
    pub fn blob(uri: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self::base64(uri, STANDARD.encode(bytes))
    }

    /// Says which kind of data it is, such as `text/plain`.
    #[must_use]
    pub fn with_mime_type(self, mime_type: impl Into<String>) -> Self {
        Self { mime_type: Some(mime_type.into()), ..self }
    }

    /// The bytes, of a text too; `None` when there are none, or `blob` is no standard Base64.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        match (&self.text, &self.blob) {
            (Some(text), _) => Some(text.clone().into_bytes()),
            (None, Some(blob)) => STANDARD.decode(blob).ok(),
            (None, None) => None,
        }
    }
}

/// Hints about whom a block is for and how much it matters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Annotations {
    /// Who should see it; empty: anybody.
    #[serde(default, deserialize_with = "null_is_default", skip_serializing_if = "Vec::is_empty")]
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

impl ContentBlock {
    /// About how long it is, as far as it can be long.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Text(block) => block.text.len(),
            Self::Image(block) => block.data.len(),
            Self::Audio(block) => block.data.len(),
            Self::Resource(block) => block.resource.length(),
            Self::ResourceLink(_) | Self::Unknown(_) => 0,
        }
    }
}

impl ResourceContents {
    /// About how long they are, as far as they can be long.
    pub(crate) fn length(&self) -> usize {
        self.text.as_ref().map_or(0, String::len) + self.blob.as_ref().map_or(0, String::len)
    }
}

/// Writes a block with what `version` knows: older revisions get the nearest thing that they can show.
pub(crate) fn write_content(out: &mut Vec<u8>, block: &ContentBlock, version: ProtocolVersion) {
    match block {
        // Most blocks are nothing but their text or their bytes, of which there may be many.
        ContentBlock::Text(TextContent { text, annotations: None, meta: None }) => {
            out.extend_from_slice(br#"{"type":"text","text":"#);
            write_string(out, text);
            out.push(b'}');
        }
        ContentBlock::Image(ImageContent { data, mime_type, annotations: None, meta: None }) => {
            write_bytes(out, "image", data, mime_type);
        }
        ContentBlock::Audio(AudioContent { data, mime_type, annotations: None, meta: None })
            if version >= ProtocolVersion::V2025_03_26 =>
        {
            write_bytes(out, "audio", data, mime_type);
        }
        _ => write(out, block, version, older),
    }
}

/// Writes a block of bytes that says nothing else.
fn write_bytes(out: &mut Vec<u8>, kind: &str, data: &str, mime_type: &str) {
    for (name, text) in [(r#"{"type":"#, kind), (r#","data":"#, data), (r#","mimeType":"#, mime_type)] {
        out.extend_from_slice(name.as_bytes());
        write_string(out, text);
    }
    out.push(b'}');
}

/// Writes what a resource holds, with what `version` knows.
pub(crate) fn write_resource_contents(out: &mut Vec<u8>, contents: &ResourceContents, version: ProtocolVersion) {
    write(out, contents, version, ResourceContents::older);
}

impl TextContent {
    pub(super) fn older(self, version: ProtocolVersion) -> Self {
        Self { annotations: annotations(self.annotations, version), meta: meta(self.meta, version), ..self }
    }
}

impl ImageContent {
    pub(super) fn older(self, version: ProtocolVersion) -> Self {
        Self { annotations: annotations(self.annotations, version), meta: meta(self.meta, version), ..self }
    }
}

impl AudioContent {
    pub(super) fn older(self, version: ProtocolVersion) -> Self {
        Self { annotations: annotations(self.annotations, version), meta: meta(self.meta, version), ..self }
    }
}

impl ResourceContents {
    fn older(self, version: ProtocolVersion) -> Self {
        Self { meta: meta(self.meta, version), ..self }
    }
}

/// A block as a revision before 2025-11-25 knows it.
pub(super) fn older(block: ContentBlock, version: ProtocolVersion) -> ContentBlock {
    match block {
        ContentBlock::Text(block) => ContentBlock::Text(block.older(version)),
        ContentBlock::Image(block) => ContentBlock::Image(block.older(version)),
        // 2024-11-05 knows no sounds: the bytes travel as a resource.
        ContentBlock::Audio(block) if version < ProtocolVersion::V2025_03_26 => {
            ContentBlock::Resource(EmbeddedResource {
                annotations: annotations(block.annotations, version),
                ..EmbeddedResource::new(
                    ResourceContents::base64("content:audio", block.data).with_mime_type(block.mime_type),
                )
            })
        }
        ContentBlock::Audio(block) => ContentBlock::Audio(block.older(version)),
        // Before 2025-06-18 there are no links: the model gets the name and the place as words.
        ContentBlock::ResourceLink(link) if version < ProtocolVersion::V2025_06_18 => {
            let text = match &link.description {
                Some(description) => format!("{}: {} ({description})", link.name, link.uri),
                None => format!("{}: {}", link.name, link.uri),
            };
            let annotations = annotations(link.annotations, version);
            ContentBlock::Text(TextContent { annotations, ..TextContent::new(text) })
        }
        ContentBlock::ResourceLink(link) => ContentBlock::ResourceLink(ResourceLink { icons: Vec::new(), ..link }),
        ContentBlock::Resource(block) => ContentBlock::Resource(EmbeddedResource {
            annotations: annotations(block.annotations, version),
            meta: meta(block.meta, version),
            resource: block.resource.older(version),
        }),
        ContentBlock::Unknown(_) => block,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_blocks_are_written_as_serde_writes_them() {
        for block in [
            ContentBlock::from("a \"b\"\n"),
            ContentBlock::Image(ImageContent::new([0xfb, 0xff], "image/png")),
            ContentBlock::Audio(AudioContent::new([0xfb, 0xff], "audio/wav")),
        ] {
            for version in ProtocolVersion::ALL {
                let mut out = Vec::new();
                write_content(&mut out, &block, version);
                let expected = serde_json::to_string(&older(block.clone(), version)).unwrap();
                assert_eq!(String::from_utf8(out).unwrap(), expected, "{version}");
            }
        }
    }

    // rows: CONT-2
    #[test]
    fn bytes_travel_as_standard_base64() {
        let bytes = [0xfb, 0xff, 0xfe, 0x00];
        let image = ImageContent::new(bytes, "image/png");
        assert_eq!(serde_json::to_value(&image).unwrap(), json!({ "data": "+//+AA==", "mimeType": "image/png" }));
        assert_eq!(image.bytes().unwrap(), bytes);
        assert_eq!(AudioContent::new(bytes, "audio/wav").bytes().unwrap(), bytes);
        let blob = ResourceContents::blob("shop://photo", bytes).with_mime_type("image/png");
        assert_eq!(
            serde_json::to_value(&blob).unwrap(),
            json!({ "uri": "shop://photo", "mimeType": "image/png", "blob": "+//+AA==" })
        );
        assert_eq!(blob.bytes().unwrap(), bytes);
    }

    #[test]
    fn a_text_has_bytes_and_what_is_no_base64_has_none() {
        assert_eq!(ResourceContents::text("shop://a", "é").bytes().unwrap(), "é".as_bytes());
        assert_eq!(ResourceContents::default().bytes(), None);
        assert_eq!(ResourceContents::base64("shop://a", "no base64!").bytes(), None);
        // The alphabet of URLs is another one.
        assert_eq!(ImageContent::base64("-__-AA==", "image/png").bytes(), None);
    }

    // rows: CONT-1
    #[test]
    fn words_are_a_block() {
        assert_eq!(ContentBlock::from("hello"), ContentBlock::text("hello"));
        assert_eq!(ContentBlock::from("hello".to_owned()), ContentBlock::text("hello"));
    }

    #[test]
    fn contents_of_a_resource_have_data_for_programs_from_2025_06_18_on() {
        let contents = ResourceContents {
            meta: json!({ "key": 1 }).as_object().cloned(),
            ..ResourceContents::text("shop://a", "words")
        };
        for version in ProtocolVersion::ALL {
            let mut out = Vec::new();
            write_resource_contents(&mut out, &contents, version);
            let expected = if version >= ProtocolVersion::V2025_06_18 {
                r#"{"uri":"shop://a","text":"words","_meta":{"key":1}}"#
            } else {
                r#"{"uri":"shop://a","text":"words"}"#
            };
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{version}");
        }
    }
}
