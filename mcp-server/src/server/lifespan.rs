//! What is opened before the first request of a server, and closed after its last answer.

use std::any::type_name;
use std::error::Error;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use super::Server;
use super::state::States;

type BoxError = Box<dyn Error + Send + Sync>;
type Opening = Pin<Box<dyn Future<Output = Result<Close, BoxError>> + Send>>;
type Open = Box<dyn FnOnce(Arc<States>) -> Opening + Send>;
type Close = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// How one value is opened, put among the states, and closed.
pub(crate) struct Lifespan {
    /// The type of the value.
    name: &'static str,
    open: Open,
}

impl fmt::Debug for Lifespan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lifespan").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens a value before the first request, and closes it after the last answer: at the end of the input, and when
    /// the process is told to end. Handlers take it as a [`State<T>`](crate::State) parameter.
    ///
    /// Several are opened in the order in which they were added, and closed in the reverse one. When one can't be
    /// opened, or the process is told to end meanwhile, those before it are closed. Each has the
    /// [`drain_timeout`](Server::drain_timeout) for its closing; one that takes longer, or panics, is left behind with a
    /// warning.
    ///
    /// ```no_run
    /// use std::io;
    ///
    /// use mcp_server::State;
    /// use mcp_server::prelude::*;
    ///
    /// struct Database;
    ///
    /// impl Database {
    ///     async fn open() -> io::Result<Self> {
    ///         Ok(Self)
    ///     }
    ///
    ///     async fn close(&self) {}
    /// }
    ///
    /// /// How many orders there are.
    /// #[tool]
    /// async fn orders(database: State<Database>) -> u64 {
    ///     3
    /// }
    ///
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), ServeError> {
    /// Server::new("shop")
    ///     .lifespan(Database::open, |database| async move { database.close().await })
    ///     .tool(orders)
    ///     .serve_stdio()
    ///     .await
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a state of that type already.
    #[must_use]
    #[track_caller]
    pub fn lifespan<T, E, O, C>(
        mut self,
        open: impl FnOnce() -> O + Send + 'static,
        close: impl FnOnce(Arc<T>) -> C + Send + 'static,
    ) -> Self
    where
        T: Send + Sync + 'static,
        E: Into<BoxError>,
        O: Future<Output = Result<T, E>> + Send + 'static,
        C: Future<Output = ()> + Send + 'static,
    {
        self.states.announce::<T>();
        let open: Open = Box::new(move |states| {
            Box::pin(async move {
                let value = Arc::new(open().await.map_err(Into::into)?);
                states.open(Arc::clone(&value));
                let close: Close = Box::new(move || Box::pin(async move { close(value).await }));
                Ok(close)
            })
        });
        self.lifespans.push(Lifespan { name: type_name::<T>(), open });
        self
    }

    /// Adds what a mounted server opens, for itself alone.
    pub(crate) fn add_lifespans_of(&mut self, other: &mut Self, states: &Arc<States>) {
        self.lifespans.extend(other.take_lifespans().into_iter().map(|Lifespan { name, open }| {
            let states = Arc::clone(states);
            Lifespan { name, open: Box::new(move |_| open(states)) }
        }));
    }

    /// Takes what is to be opened.
    pub(crate) fn take_lifespans(&mut self) -> Vec<Lifespan> {
        std::mem::take(&mut self.lifespans)
    }
}

/// What was opened, to be closed.
#[derive(Default)]
pub(crate) struct Opened(Vec<(&'static str, Close)>);

impl Opened {
    /// Opens all. What is open already when one fails, or when nobody waits any more, stays here to be closed.
    ///
    /// # Errors
    ///
    /// That of the first that fails.
    pub(crate) async fn open(&mut self, lifespans: Vec<Lifespan>, states: &Arc<States>) -> Result<(), BoxError> {
        for Lifespan { name, open } in lifespans {
            match Guarded(Some(open(Arc::clone(states)))).await {
                Ok(opened) => self.0.push((name, opened?)),
                Err(Panicked) => return Err(format!("opening `{name}` has panicked").into()),
            }
        }
        Ok(())
    }

    /// Closes all, the last one first, each for at most so long. One that fails to is no reason to leave the others open.
    pub(crate) async fn close(self, limit: Duration) {
        for (name, close) in self.0.into_iter().rev() {
            match tokio::time::timeout(limit, Guarded(Some(close()))).await {
                Ok(Ok(())) => {}
                Ok(Err(Panicked)) => tracing::warn!("closing `{name}` has panicked"),
                Err(_) => tracing::warn!("closing `{name}` took longer than {limit:?} and was given up"),
            }
        }
    }
}

/// The text of a panic never leaves the process.
struct Panicked;

/// Code of an author's whose panic ends nothing but itself, also when it is dropped before its end.
struct Guarded<T>(Option<Pin<Box<dyn Future<Output = T> + Send>>>);

impl<T> Future for Guarded<T> {
    type Output = Result<T, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        // What a panic leaves half done is the author's own, as in any task.
        let Some(running) = &mut self.0 else { return Poll::Ready(Err(Panicked)) };
        match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
            Ok(polled) => polled.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        let running = self.0.take();
        if catch_unwind(AssertUnwindSafe(|| drop(running))).is_err() {
            tracing::warn!("a value of a lifespan has panicked when it was dropped");
        }
    }
}
