//! A stateless call while its HTTP exchange lasts: nothing is spawned for it, and to drop it is to cancel it.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::sync::watch;

use super::legacy::write_given_up;
use crate::protocol::ErrorCode;
use crate::server::call::{Responded, StartedCall};
use crate::server::chunk::Chunk;
use crate::server::context::CallState;
use crate::server::link;
use crate::server::output::{Outbox, Writing};

/// A call, and what it says before its response.
pub(super) struct Exchange {
    call: Pin<Box<dyn Future<Output = Responded> + Send>>,
    state: Arc<CallState>,
    outbox: Outbox,
    /// Ready when nothing is finished any more.
    given_up: GivenUp,
    chunk: Chunk,
    done: bool,
}

/// When to stop calls that still run.
enum GivenUp {
    Watched(watch::Receiver<bool>),
    Waiting(Pin<Box<dyn Future<Output = ()> + Send>>),
}

/// What a call has said since the last time.
pub(super) enum Said {
    /// Events.
    Events(Vec<u8>),
    /// Events, perhaps none, and then the response.
    Response { before: Vec<u8>, response: Vec<u8>, error: Option<ErrorCode> },
}

impl Exchange {
    /// `outbox`: where what the call says goes. `give_up`: turns `true` when calls that still run are to be stopped.
    pub(super) fn new(call: StartedCall, outbox: Outbox, give_up: watch::Receiver<bool>) -> Self {
        let state = Arc::clone(&call.state);
        let given_up = GivenUp::Watched(give_up);
        Self { call: Box::pin(call.respond()), state, outbox, given_up, chunk: Chunk::default(), done: false }
    }

    /// Carries the call on; `None`: all was said.
    pub(super) fn poll_said(&mut self, cx: &mut Context<'_>) -> Poll<Option<Said>> {
        if self.done {
            return Poll::Ready(None);
        }
        // Whoever polls this looks into the queue by itself.
        self.outbox.attended();
        let polled = {
            let _writing = Writing::here();
            self.call.as_mut().poll(cx)
        };
        if let Poll::Ready(Responded { response, error, .. }) = polled {
            self.done = true;
            self.outbox.close();
            return Poll::Ready(Some(Said::Response { before: self.outbox.drain(), response, error }));
        }
        if self.given_up.poll(cx).is_ready() {
            self.state.cancel();
            self.done = true;
            self.outbox.close();
            let mut response = Vec::new();
            write_given_up(&mut response, &self.state.id);
            let error = Some(ErrorCode::INTERNAL_ERROR);
            return Poll::Ready(Some(Said::Response { before: self.outbox.drain(), response, error }));
        }
        match self.outbox.poll_take(cx, &mut self.chunk) {
            Poll::Ready(Some(_)) => Poll::Ready(Some(Said::Events(std::mem::take(&mut self.chunk).into_bytes()))),
            // Nobody but this closes the queue.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

impl GivenUp {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        // Most calls never wait.
        if let Self::Watched(watched) = self {
            let mut watched = watched.clone();
            *self = Self::Waiting(Box::pin(async move { link::closed(&mut watched).await }));
        }
        match self {
            Self::Waiting(waiting) => waiting.as_mut().poll(cx),
            Self::Watched(_) => Poll::Pending,
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if !self.done {
            tracing::debug!(id = %self.state.id, "the client has closed its request");
            // What can't be dropped, a function on a thread, is told so.
            self.state.cancel();
        }
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("call", &self.state).finish_non_exhaustive()
    }
}
