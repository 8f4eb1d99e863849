//! Bytes: how messages are framed, which tasks carry them, and how a call is cancelled. Only transports spawn.

mod connection;
mod descriptors;
pub(crate) mod lines;
#[cfg(feature = "client")]
mod memory;
mod serving;
mod stdio;
#[cfg(target_os = "linux")]
mod unread;

use std::fmt;
use std::io;

#[cfg(feature = "client")]
pub(crate) use memory::connect;

/// Why serving ended before its time. The end of the input is no error.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The input could not be read.
    Read(io::Error),
    /// The output could not be written.
    Write(io::Error),
    /// What the server needs for its [`lifespan`](crate::Server::lifespan) could not be opened. Of a panic it says no
    /// more than where it was.
    Lifespan(Box<dyn std::error::Error + Send + Sync>),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read(_) => "could not read from the client",
            Self::Write(_) => "could not write to the client",
            Self::Lifespan(_) => "could not open what the server needs",
        })
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Write(error) => Some(error),
            Self::Lifespan(error) => Some(&**error),
        }
    }
}
