//! A limit to how many requests are served at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

use super::{Layer, Next, Request, Serving};
use crate::protocol::ErrorObject;

/// Serves at most so many requests at a time, over all connections.
///
/// More wait for their turn, in the order in which they came: a model that is told to come back only asks again at
/// once. Of those that wait there is a limit too; one more is refused with an internal error that names it. Streams of
/// changes have no end and are not counted.
///
/// ```
/// use mcp_server::layer::InFlight;
/// use mcp_server::prelude::*;
///
/// let server = Server::new("shop").layer(InFlight::new(64));
/// let strict = Server::new("shop").layer(InFlight::new(64).waiting(0));
/// ```
#[derive(Clone, Debug)]
pub struct InFlight {
    limit: usize,
    most_waiting: usize,
    room: Arc<Semaphore>,
    waiting: Arc<AtomicUsize>,
}

impl InFlight {
    /// So many requests may be served at a time, and 1024 may wait.
    ///
    /// # Panics
    ///
    /// When it is none.
    #[track_caller]
    pub fn new(limit: usize) -> Self {
        assert!(limit > 0, "a server must serve at least one request at a time");
        let limit = limit.min(Semaphore::MAX_PERMITS);
        Self { limit, most_waiting: 1024, room: Arc::new(Semaphore::new(limit)), waiting: Arc::default() }
    }

    /// So many may wait; with 0 each one too many is refused.
    #[must_use]
    pub fn waiting(self, most: usize) -> Self {
        Self { most_waiting: most, ..self }
    }
}

impl Layer for InFlight {
    fn serve(&self, request: Request, next: Next) -> Serving {
        let Self { limit, most_waiting, room, waiting } = self.clone();
        Box::pin(async move {
            if request.is_stream() {
                return next.run(request).await;
            }
            let _turn = match room.try_acquire() {
                Ok(turn) => Ok(turn),
                Err(_) => {
                    let Some(_waiting) = Waiting::new(&waiting, most_waiting) else {
                        return Err(ErrorObject::internal(format!(
                            "{} was refused: {limit} requests are served at a time, and {most_waiting} wait already",
                            request.described()
                        )));
                    };
                    room.acquire().await
                }
            };
            next.run(request).await
        })
    }
}

/// One that waits, as long as it is held.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    /// `None`: too many do.
    fn new(count: &'a AtomicUsize, most: usize) -> Option<Self> {
        let joined =
            count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| (count < most).then(|| count + 1));
        joined.is_ok().then_some(Self(count))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
