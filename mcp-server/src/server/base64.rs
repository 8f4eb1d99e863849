//! Bytes as JSON has them: a text in Base64.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// Bytes that are sent as a text in Base64, as an argument, in a [`Json`](crate::Json) result, or as a field of either.
///
/// A plain `Vec<u8>` is a list of numbers to serde, and so to clients.
///
/// ```
/// use mcp_server::Base64;
/// use mcp_server::prelude::*;
///
/// /// The first kilobyte of a file.
/// #[tool]
/// async fn head(file: Base64) -> Json<Base64> {
///     Json(Base64(file.0.into_iter().take(1024).collect()))
/// }
/// ```
///
/// Text that is not Base64 of the [standard alphabet](https://www.rfc-editor.org/rfc/rfc4648#section-4) with its
/// padding is refused, and the model is told so.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Base64(
    /// The bytes.
    pub Vec<u8>,
);

impl From<Vec<u8>> for Base64 {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<Base64> for Vec<u8> {
    fn from(bytes: Base64) -> Self {
        bytes.0
    }
}

impl AsRef<[u8]> for Base64 {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Base64;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string in Base64")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Base64, E> {
                STANDARD.decode(text).map(Base64).map_err(|_| E::custom("expected a string in Base64"))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

impl JsonSchema for Base64 {
    fn schema_name() -> Cow<'static, str> {
        "Base64".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "contentEncoding": "base64" })
    }
}
