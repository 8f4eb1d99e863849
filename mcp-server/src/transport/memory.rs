//! Server and client in one program: the same bytes as over a pipe, without the pipe.

use std::time::Duration;

use tokio::io::DuplexStream;

use crate::server::Server;
use crate::transport::serving::serving;
use crate::transport::{ServeError, connection};

/// How many bytes lie between the two sides at most, in each direction.
const BETWEEN: usize = 64 * 1024;

/// Serves one connection in memory: the future to run, and the client's end.
pub(crate) fn connect(server: Server) -> (impl Future<Output = Result<(), ServeError>> + Send, DuplexStream) {
    let (ours, theirs) = tokio::io::duplex(BETWEEN);
    let (reader, writer) = tokio::io::split(ours);
    // The client at the other end is ours, which loses no report.
    let serve = |core| connection::serve(core, reader, writer, Duration::ZERO, std::future::pending());
    (serving(server, serve), theirs)
}
