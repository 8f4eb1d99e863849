//! MCP Apps: views in HTML that a host shows beside a tool's result. Off unless the extension is added.
//!
//! A tool names its view in its `_meta`, and the view is a resource. The host reads it, shows it in a frame, and hands it
//! the results of the tool. Calls of the view arrive as ordinary requests.
//!
//! ```
//! use mcp_server::apps::{self, ToolUi};
//! use mcp_server::prelude::*;
//! use mcp_server::Tool;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct City {
//!     city: String,
//! }
//!
//! let mut tool = Tool::builder("forecast");
//! tool.meta(ToolUi::new("ui://weather/forecast").into_meta());
//! let forecast = tool.call(|city: City, ctx: Context| async move {
//!     // A host without views, and the model, read the text.
//!     if apps::is_supported(&ctx) { "sunny".to_owned() } else { format!("{}: sunny, 21 °C", city.city) }
//! });
//!
//! let server = Server::new("weather")
//!     .extension(apps::extension())
//!     .tool(forecast)
//!     .resource(apps::view("ui://weather/forecast", "<!doctype html><title>Forecast</title>"));
//! ```
//!
//! With the extension a server does not start when a tool's view is not there, or a `ui://` resource is of another kind
//! than [`MIME_TYPE`]. Without it there can be no `ui://` resources: "`ui://` is reserved for MCP Apps".
//!
//! Specification: [MCP Apps](https://modelcontextprotocol.io/extensions/apps/overview).

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::context::Context;
use super::extension::Extension;
use super::resource::Resource;
use super::tool::ToolParts;
use crate::protocol::ResourceContents;

/// The identifier of the extension.
pub const EXTENSION_ID: &str = "io.modelcontextprotocol/ui";

/// The kind of data of a view.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// How the address of a view begins.
const SCHEME: &str = "ui://";

/// The extension, for [`Server::extension`](crate::Server::extension). Clients of all revisions may use it.
pub fn extension() -> Extension {
    Extension::new(EXTENSION_ID, json!({})).before_2026()
}

/// Whether the client of a call shows views.
pub fn is_supported(context: &Context) -> bool {
    let extensions = context.client_capabilities().extensions.unwrap_or_default();
    let kinds = extensions.get(EXTENSION_ID).and_then(|settings| settings.get("mimeTypes")?.as_array());
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == MIME_TYPE))
}

/// What a tool says about its view, for [`ToolBuilder::meta`](crate::ToolBuilder::meta).
///
/// ```
/// use mcp_server::apps::{ToolUi, Visibility};
///
/// let meta = ToolUi { visibility: vec![Visibility::App], ..ToolUi::new("ui://shop/cart") }.into_meta();
/// assert_eq!(meta.to_string(), r#"{"ui":{"resourceUri":"ui://shop/cart","visibility":["app"]}}"#);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUi {
    /// The address of the view, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resource_uri: Option<String>,
    /// Who may call the tool; both when it is empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub visibility: Vec<Visibility>,
}

/// Who may call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// The model.
    Model,
    /// The views of the same server.
    App,
}

impl ToolUi {
    /// A tool with that view, which the model and views may call.
    pub fn new(resource_uri: impl Into<String>) -> Self {
        Self { resource_uri: Some(resource_uri.into()), visibility: Vec::new() }
    }

    /// As it stands in `_meta`.
    pub fn into_meta(self) -> Value {
        json!({ "ui": self })
    }
}

/// What a view asks of the host that shows it. Nothing is allowed that is not asked for.
///
/// ```
/// use mcp_server::apps::{self, Csp, ViewMeta};
///
/// let csp = Csp { connect_domains: vec!["https://api.example.com".into()], ..Csp::default() };
/// let meta = ViewMeta { csp, prefers_border: Some(true), ..ViewMeta::default() };
/// let map = apps::view_with("ui://weather/map", "<!doctype html><title>Map</title>", meta);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewMeta {
    /// What it may load, and from where.
    #[serde(skip_serializing_if = "is_default")]
    pub csp: Csp,
    /// What it may use of the device.
    #[serde(skip_serializing_if = "is_default")]
    pub permissions: Permissions,
    /// The origin that it is to be shown from; which are possible depends on the host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// Whether the host is to draw a border around it; the host decides unless set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefers_border: Option<bool>,
}

/// The origins that a view may reach, such as `https://api.example.com`; none unless set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Csp {
    /// For requests of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub connect_domains: Vec<String>,
    /// For pictures, scripts, styles and fonts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_domains: Vec<String>,
    /// For frames in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub frame_domains: Vec<String>,
    /// For the base of its addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub base_uri_domains: Vec<String>,
}

/// What a view may use of the device, if the user agrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Permissions {
    /// The camera.
    #[serde(skip_serializing_if = "is_default", serialize_with = "as_object")]
    pub camera: bool,
    /// The microphone.
    #[serde(skip_serializing_if = "is_default", serialize_with = "as_object")]
    pub microphone: bool,
    /// Where the device is.
    #[serde(skip_serializing_if = "is_default", serialize_with = "as_object")]
    pub geolocation: bool,
    /// Writing to the clipboard.
    #[serde(skip_serializing_if = "is_default", serialize_with = "as_object")]
    pub clipboard_write: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A permission is `{}`, and left out where it is not asked for.
fn as_object<S: serde::Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    Map::<String, Value>::new().serialize(serializer)
}

impl ViewMeta {
    /// The contents of a view, for a resource with code of its own; its kind of data is set.
    ///
    /// ```
    /// use mcp_server::Resource;
    /// use mcp_server::apps::{self, ViewMeta};
    /// use mcp_server::prelude::*;
    ///
    /// let mut clock = Resource::builder("ui://clock/now");
    /// clock.name("clock").mime_type(apps::MIME_TYPE);
    /// let clock = clock.read(|(), _ctx: Context| async {
    ///     ViewMeta::default().contents("ui://clock/now", "<!doctype html><title>Now</title>")
    /// });
    /// let server = Server::new("clock").extension(apps::extension()).resource(clock);
    /// ```
    pub fn contents(&self, uri: impl Into<String>, html: impl Into<String>) -> ResourceContents {
        let mut contents = ResourceContents::text(uri, html);
        contents.mime_type = Some(MIME_TYPE.to_owned());
        if !is_default(self) {
            contents.meta = Some(Map::from_iter([("ui".to_owned(), json!(self))]));
        }
        contents
    }
}

/// A view that is always the same, and asks for nothing. Its address begins with `ui://`; one that does not is told when
/// the view is added to its server.
#[track_caller]
pub fn view(uri: impl Into<String>, html: impl Into<Arc<str>>) -> Resource {
    view_with(uri, html, ViewMeta::default())
}

/// As [`view`], with what the view asks of the host.
#[track_caller]
pub fn view_with(uri: impl Into<String>, html: impl Into<Arc<str>>, meta: ViewMeta) -> Resource {
    let (uri, html) = (uri.into(), html.into());
    let mut view = Resource::builder(uri.clone());
    view.mime_type(MIME_TYPE);
    let fault =
        (!uri.starts_with(SCHEME)).then(|| format!("can't be the address of a view: it begins with `{SCHEME}`"));
    let contents = meta.contents(uri, &*html);
    let Resource(mut parts) = view.read(move |(), _: Context| std::future::ready(contents.clone()));
    if let Some(parts) = Arc::get_mut(&mut parts) {
        parts.fault = parts.fault.take().or(fault);
    }
    Resource(parts)
}

/// The view that a tool names.
pub(crate) fn view_of(tool: &ToolParts) -> Option<&str> {
    tool.meta.as_ref()?.get("ui")?.get("resourceUri")?.as_str()
}

/// Names another view.
pub(crate) fn set_view(tool: &mut ToolParts, uri: String) {
    if let Some(ui) = tool.meta.as_mut().and_then(|meta| meta.get_mut("ui")) {
        ui["resourceUri"] = uri.into();
    }
}

/// Why a tool can't have its view; `knows` tells which resources there are.
pub(crate) fn fault_of_tool(tool: &ToolParts, is_on: bool, knows: impl Fn(&str) -> bool) -> Option<String> {
    let uri = view_of(tool)?;
    if !is_on {
        return uri.starts_with(SCHEME).then(|| format!("has the view `{uri}`: {TURN_ON}"));
    }
    if !uri.starts_with(SCHEME) {
        return Some(format!("has the view `{uri}`, which is none: the address of a view begins with `{SCHEME}`"));
    }
    (!knows(uri))
        .then(|| format!("has the view `{uri}`, and there is no such resource: add `apps::view(\"{uri}\", …)`"))
}

/// Why a resource can't be offered.
pub(crate) fn fault_of_resource(resource: &Resource, is_on: bool) -> Option<String> {
    if !resource.uri().starts_with(SCHEME) {
        return None;
    }
    if !is_on {
        return Some(format!("is a view: {TURN_ON}"));
    }
    let kind = resource.0.listed.mime_type.as_deref();
    (kind != Some(MIME_TYPE)).then(|| match kind {
        Some(kind) => format!("is a view, and its kind of data is `{kind}`: it must be `{MIME_TYPE}`"),
        None => format!("is a view, and has no kind of data: it must be `{MIME_TYPE}`"),
    })
}

const TURN_ON: &str = "`ui://` is reserved for MCP Apps; add `.extension(apps::extension())`";
