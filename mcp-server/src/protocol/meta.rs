//! `_meta`: what a request says about itself.
//!
//! Specification: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta).

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::message::Text;

/// How the keys begin that the protocol keeps for itself.
pub(crate) const RESERVED_PREFIX: &str = "io.modelcontextprotocol/";
/// The key of the version that a request is written in.
pub(crate) const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of what the client of a request can do.
pub(crate) const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The key of who sent a request.
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The key of who answered.
pub(crate) const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The key of the token that asks for reports.
pub(crate) const PROGRESS_TOKEN: &str = "progressToken";

/// The `_meta` of a request: its known members, each still raw JSON.
#[derive(Debug, Default)]
pub(crate) struct Meta<'a> {
    /// The whole object.
    pub(crate) raw: Option<&'a RawValue>,
    pub(crate) protocol_version: Option<&'a RawValue>,
    pub(crate) client_capabilities: Option<&'a RawValue>,
    pub(crate) client_info: Option<&'a RawValue>,
    pub(crate) progress_token: Option<&'a RawValue>,
}

impl<'a> Meta<'a> {
    /// `None` when it is no object.
    pub(crate) fn read(raw: &'a RawValue) -> Option<Self> {
        let meta: Self = serde_json::from_str(raw.get()).ok()?;
        Some(Self { raw: Some(raw), ..meta })
    }

    /// The version that makes the request a modern one, if it is a string.
    pub(crate) fn version(&self) -> Option<Cow<'a, str>> {
        self.protocol_version.and_then(|raw| serde_json::from_str::<Text<'_>>(raw.get()).ok()).map(|text| text.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Meta<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Meta<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Meta<'de>, A::Error> {
                let mut meta = Meta::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match &*key.0 {
                        PROTOCOL_VERSION => meta.protocol_version = Some(map.next_value()?),
                        CLIENT_CAPABILITIES => meta.client_capabilities = Some(map.next_value()?),
                        CLIENT_INFO => meta.client_info = Some(map.next_value()?),
                        PROGRESS_TOKEN => meta.progress_token = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(meta)
            }
        }
        deserializer.deserialize_map(Members)
    }
}
