//! Write MCP servers as plain functions.

mod nearest;
pub mod protocol;
mod schema;
mod server;
mod transport;

#[cfg(feature = "client")]
pub mod client;

#[cfg(feature = "macros")]
pub use mcp_macros::{server, tool};

#[cfg(feature = "client")]
pub use client::Client;
pub use server::{
    Call, Context, FromContext, IntoCallToolResult, IntoTool, Json, Outcome, Param, Parameter, ProgressBar,
    ProgressError, ProgressMessage, ProgressNumber, ProgressTotal, Returns, Server, TestContext, Tool, ToolBuilder,
    ToolError, ToolFuture,
};
pub use transport::ServeError;

/// What most servers need: `use mcp_server::prelude::*;`.
pub mod prelude {
    #[cfg(feature = "client")]
    pub use crate::client::Client;
    pub use crate::protocol::{ContentBlock, Progress};
    pub use crate::{Context, Json, ServeError, Server, ToolError};
    #[cfg(feature = "macros")]
    pub use crate::{server, tool};
    #[cfg(feature = "client")]
    pub use serde_json::json;
}

/// What the attributes write down. Nothing here is for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::server::{ToolHandler, ToolSet, tagged};
}
