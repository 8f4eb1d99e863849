//! Write MCP servers as plain functions.
