//! The attributes of `mcp-server`.
