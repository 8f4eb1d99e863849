//! What both sides know beyond the protocol.
//!
//! Specification: [Extensions](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation).

use serde_json::{Map, Value, json};

use super::{Client, ClientBuilder};
use crate::protocol::fault_of_extension;
use crate::server::apps;

impl ClientBuilder {
    /// Declares an extension that the program supports, with its settings; `{}` for none. None are declared unless set.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::Extension;
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::new("post office").extension(Extension::new("com.example/scales", json!({ "unit": "g" })));
    /// let client = Client::builder().extension("com.example/scales", json!({})).connect(server).await?;
    /// assert_eq!(client.server_extension("com.example/scales").unwrap()["unit"], "g");
    /// assert!(client.server_extension("com.example/trucks").is_none());
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Panics
    ///
    /// When the identifier has no prefix or is otherwise none, or the settings are no object.
    ///
    /// Specification: [Extensions](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation).
    #[track_caller]
    pub fn extension(mut self, id: impl Into<String>, settings: Value) -> Self {
        let id = id.into();
        if let Some(fault) = fault_of_extension(&id) {
            panic!("`{id}` can't be the identifier of an extension: {fault}");
        }
        assert!(settings.is_object(), "the settings of the extension `{id}` must be a JSON object");
        self.0.capabilities.extensions.get_or_insert_with(Map::new).insert(id, settings);
        self
    }

    /// Declares that the program shows views of MCP Apps: HTML that a server has for the results of its tools.
    ///
    /// ```
    /// use mcp_server::{Client, Server, apps};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::new("weather").extension(apps::extension());
    /// let client = Client::builder().views().connect(server).await?;
    /// assert!(client.server_extension(apps::EXTENSION_ID).is_some());
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [MCP Apps](https://modelcontextprotocol.io/extensions/apps/overview).
    pub fn views(self) -> Self {
        self.extension(apps::EXTENSION_ID, json!({ "mimeTypes": [apps::MIME_TYPE] }))
    }
}

impl Client {
    /// The settings of an extension that the server has declared; `None`: it does not support it.
    ///
    /// ```
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop")).await?;
    /// assert!(client.server_extension("com.example/scales").is_none());
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    pub fn server_extension(&self, id: &str) -> Option<&Value> {
        self.server_capabilities().extensions.as_ref()?.get(id)
    }
}
