//! What is on the wire, as plain data: one file a page of the specification, no I/O and no tasks.
//!
//! A message is decoded in two stages. `message` reads the envelope and leaves `params` and `result` as raw JSON;
//! then only the type that the method names is read. No untagged enum decides what a message is.

mod cancellation;
mod content;
mod discover;
mod error;
#[cfg(feature = "client")]
mod lifecycle;
mod message;
mod meta;
mod progress;
mod tools;
mod version;

pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceContents, ResourceLink, Role,
    TextContent,
};
pub use discover::{ClientCapabilities, DiscoverResult, Icon, Implementation, ServerCapabilities};
pub use error::{ErrorCode, ErrorObject};
pub use message::RequestId;
pub use progress::{Progress, ProgressToken};
pub use tools::{CallToolResult, Tool, ToolAnnotations};
pub use version::ProtocolVersion;

pub(crate) use cancellation::CancelledParams;
pub(crate) use content::write_content;
pub(crate) use discover::write_implementation;
#[cfg(feature = "client")]
pub(crate) use lifecycle::{InitializeParams, InitializeResult};
#[cfg(feature = "client")]
pub(crate) use message::Text;
pub(crate) use message::{Incoming, Malformed, Params, depth_exceeds, is_batch, read_batch, read_message};
pub(crate) use meta::{CLIENT_CAPABILITIES, CLIENT_INFO, Meta, PROTOCOL_VERSION, SERVER_INFO};
#[cfg(feature = "client")]
pub(crate) use meta::{PROGRESS_TOKEN, RESERVED_PREFIX, fault_of_key};
pub(crate) use progress::{Number, ProgressParams, write_progress_head};
#[cfg(feature = "client")]
pub(crate) use tools::present;
