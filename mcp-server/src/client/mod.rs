//! A client for tests and programs.

/// A connection to a server.
#[derive(Debug)]
pub struct Client(());
