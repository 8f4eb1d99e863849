//! Bytes: how messages are framed, which tasks carry them, and how a call is cancelled. Only transports spawn.

mod connection;
mod descriptors;
#[cfg(feature = "http")]
pub(crate) mod http;
pub(crate) mod lines;
#[cfg(feature = "client")]
mod memory;
mod seldom;
mod serving;
mod signals;
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
    /// An address could not be listened at.
    #[cfg(feature = "http")]
    #[non_exhaustive]
    Listen {
        /// The address, or the path of the socket.
        address: String,
        /// What the system says.
        error: io::Error,
    },
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            #[cfg(feature = "http")]
            Self::Listen { address, .. } => return write!(f, "could not listen on {address}"),
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
            #[cfg(feature = "http")]
            Self::Listen { error, .. } => Some(error),
        }
    }
}
