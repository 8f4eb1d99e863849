//! The handshake of the revisions before 2026-07-28.
//!
//! Specification: [Lifecycle](https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).

use serde::{Deserialize, Serialize};

use super::{ClientCapabilities, Implementation, ServerCapabilities};

/// The params of `initialize`, as a client sends them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeParams<'a> {
    pub(crate) protocol_version: &'a str,
    pub(crate) capabilities: &'a ClientCapabilities,
    pub(crate) client_info: &'a Implementation,
}

/// The answer to `initialize`, as a client reads it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct InitializeResult {
    pub(crate) protocol_version: String,
    #[serde(default)]
    pub(crate) capabilities: ServerCapabilities,
    #[serde(default)]
    pub(crate) server_info: Option<Implementation>,
    #[serde(default)]
    pub(crate) instructions: Option<String>,
}
