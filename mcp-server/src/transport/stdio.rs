//! Standard input and output: how a host talks to a server that it has started itself.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::task::JoinHandle;

use super::descriptors::Descriptors;
use super::{ServeError, connection};
use crate::server::Server;
use crate::server::output::Settle;

impl Server {
    /// Serves the process that started this one, over standard input and output, until the input ends.
    ///
    /// Both eras of the protocol are served at once. At the end of the input, calls that run are finished and
    /// answered, for at most the [`drain_timeout`](Server::drain_timeout). It needs a tokio runtime with time and I/O
    /// enabled, which is what `#[tokio::main]` gives.
    ///
    /// On Unix, standard input is empty meanwhile and standard output leads to standard error: a `println!`, or a
    /// program that a tool starts, can neither read nor spoil the messages.
    ///
    /// # Errors
    ///
    /// When standard input can't be read or standard output can't be written. A host that has gone away is no error.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        // A task of its own is woken on the thread that waits for input, where the future of `main` is not.
        Serving(tokio::spawn(async move {
            let (descriptors, input, output, unread) = Descriptors::take().map_err(ServeError::Read)?;
            let settle = Settle { time: self.settle(), unread };
            let served = connection::serve(self.build(), input, output, settle).await;
            drop(descriptors);
            served
        }))
        .await
    }
}

/// A task that ends with whoever waits for it.
struct Serving(JoinHandle<Result<(), ServeError>>);

impl Future for Serving {
    type Output = Result<(), ServeError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match ready!(Pin::new(&mut self.0).poll(cx)) {
            Ok(result) => Poll::Ready(result),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Poll::Ready(Err(ServeError::Read(io::Error::other(error)))),
            },
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}
