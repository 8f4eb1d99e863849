//! Standard input and output: how a host talks to a server that it has started itself.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::descriptors::Descriptors;
use super::seldom::Seldom;
use super::serving::{Told, serving_until};
use super::signals::Signals;
use super::{ServeError, connection};
use crate::server::Server;
use crate::server::output::Settle;

impl Server {
    /// Serves the process that started this one, over standard input and output, until the input ends or the
    /// process is told to: by SIGTERM, or by an interrupt.
    ///
    /// Both eras of the protocol are served at once. At the end of the input, calls that run are finished and
    /// answered, for at most the [`drain_timeout`](Server::drain_timeout). Who is told to end twice does not wait for
    /// that. It needs a tokio runtime with time and I/O enabled, which is what `#[tokio::main]` gives.
    ///
    /// On Unix, standard input is empty meanwhile and standard output leads to standard error: a `println!`, or a
    /// program that a tool starts, can neither read nor spoil the messages.
    ///
    /// # Errors
    ///
    /// When standard input can't be read or standard output can't be written, or what the server needs for its
    /// [`lifespan`](Server::lifespan) can't be opened. A host that has gone away is no error.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        // A task of its own is woken on the thread that waits for input, where the future of `main` is not.
        // Boxed, since for a future of its own type the runtime would have all of its code once more.
        let serving: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(async move {
            let (descriptors, input, output, unread) = Descriptors::take().map_err(ServeError::Read)?;
            let settle = Settle { time: self.settle(), unread };
            let (count, _) = watch::channel(0);
            let (told, signals) = (Told::by(&count), Signals::listen().count(&count));
            let (once, twice) = (told_or_ended(told.clone(), &count), told.clone().times(2));
            let serve = |core| connection::serve_until(core, input, output, settle, once, twice);
            let served = tokio::select! {
                biased;
                served = serving_until(self, told, serve) => served,
                never = Seldom::new(signals) => match never {},
            };
            drop(descriptors);
            served
        });
        Serving(tokio::spawn(serving)).await
    }
}

/// Waits for the first time that the server is told to end. The end of its input is one as well: whoever ends the input
/// and then sends a signal, as hosts do, wants no more.
fn told_or_ended(told: Told, count: &watch::Sender<usize>) -> impl Future<Output = ()> + use<> {
    /// The input, as long as it is read and nothing was told.
    struct Input(Option<watch::Sender<usize>>);

    impl Input {
        /// Somebody else has counted.
        fn told(&mut self) {
            self.0 = None;
        }
    }

    impl Drop for Input {
        fn drop(&mut self) {
            if let Some(count) = self.0.take() {
                count.send_modify(|count| *count += 1);
            }
        }
    }

    let mut input = Input(Some(count.clone()));
    async move {
        told.times(1).await;
        input.told();
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
