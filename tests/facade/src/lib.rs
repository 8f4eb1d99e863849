//! A crate through which others have `mcp-server`, by another name.

pub use mcp_server as mcp;
