//! The body of a response: ready bytes, or events as they come.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::activity::Active;
use super::events::{Pump, Reader};
use super::exchange::{Exchange, Said};
use super::in_flight::Permit;
use super::sessions::Visit;
use crate::server::chunk::Chunk;

/// The body of a response of a [`HttpService`](super::HttpService).
#[derive(Debug)]
pub struct HttpBody {
    kind: Kind,
    /// The request on its connection, which is over with this.
    active: Option<Active>,
}

#[derive(Debug)]
enum Kind {
    Bytes(Option<Bytes>),
    Pieces(VecDeque<Bytes>),
    Events(Box<EventStream>),
}

impl HttpBody {
    pub(super) fn empty() -> Self {
        Self::new(Kind::Bytes(None))
    }

    pub(super) fn of(bytes: impl Into<Bytes>) -> Self {
        Self::new(Kind::Bytes(Some(bytes.into()).filter(|bytes| !bytes.is_empty())))
    }

    pub(super) fn of_chunk(chunk: Chunk) -> Self {
        match chunk.as_bytes() {
            Some(_) => Self::of(chunk.into_bytes()),
            None => Self::new(Kind::Pieces(chunk.into_pieces())),
        }
    }

    pub(super) fn events(stream: EventStream) -> Self {
        Self::new(Kind::Events(Box::new(stream)))
    }

    fn new(kind: Kind) -> Self {
        Self { kind, active: None }
    }

    /// Notes that the request is over with this.
    pub(super) fn hold(&mut self, active: Active) {
        self.active = Some(active);
    }
}

impl Body for HttpBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match &mut self.kind {
            Kind::Bytes(bytes) => Poll::Ready(bytes.take()),
            Kind::Pieces(pieces) => Poll::Ready(pieces.pop_front()),
            Kind::Events(stream) => stream.poll_next(cx),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.kind {
            Kind::Bytes(bytes) => bytes.is_none(),
            Kind::Pieces(pieces) => pieces.is_empty(),
            Kind::Events(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.kind {
            Kind::Bytes(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Kind::Pieces(pieces) => SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum()),
            Kind::Events(_) => SizeHint::default(),
        }
    }
}

/// A response that is a stream of events.
pub(super) struct EventStream {
    source: Source,
    /// What is known already.
    first: Option<Bytes>,
    keep_alive: KeepAlive,
    /// Both end with the response.
    _permit: Option<Permit>,
    _visit: Option<Visit>,
}

enum Source {
    /// The call itself, which ends with the connection.
    Call(Exchange),
    /// What a call says that goes on without its connection.
    Session {
        reader: Reader,
        /// Work that goes on with the connection alone.
        pump: Option<Pump>,
    },
    Nothing,
}

impl EventStream {
    /// Of a stateless call. `first`: what it has said so far; `None` for the call: that was all.
    pub(super) fn of_call(first: Vec<u8>, call: Option<Exchange>, every: Duration, permit: Permit) -> Self {
        let source = call.map_or(Source::Nothing, Source::Call);
        let first = Some(first.into());
        Self { source, first, keep_alive: KeepAlive::every(every), _permit: Some(permit), _visit: None }
    }

    /// Of an older session. A call of it has the permit itself.
    pub(super) fn of_session(
        reader: Reader,
        pump: Option<Pump>,
        every: Duration,
        permit: Option<Permit>,
        visit: Visit,
    ) -> Self {
        let source = Source::Session { reader, pump };
        Self { source, first: None, keep_alive: KeepAlive::every(every), _permit: permit, _visit: Some(visit) }
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let next = match self.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => self.source.poll_next(cx),
        };
        match next {
            Poll::Ready(next) => {
                self.keep_alive.said();
                Poll::Ready(next)
            }
            Poll::Pending => self.keep_alive.poll(cx).map(Some),
        }
    }
}

impl Source {
    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        match self {
            Self::Call(call) => match call.poll_said(cx) {
                Poll::Ready(Some(Said::Events(events))) => Poll::Ready(Some(events.into())),
                Poll::Ready(Some(Said::Response { before, response, .. })) => {
                    *self = Self::Nothing;
                    Poll::Ready(Some(response_event(before, &response).into()))
                }
                Poll::Ready(None) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            },
            Self::Session { reader, pump } => {
                if let Some(work) = pump
                    && work.poll(cx).is_ready()
                {
                    *pump = None;
                }
                reader.poll_next(cx)
            }
            Self::Nothing => Poll::Ready(None),
        }
    }
}

/// The response as the last event, behind those that stand in `events`.
pub(super) fn response_event(mut events: Vec<u8>, response: &[u8]) -> Vec<u8> {
    events.reserve(response.len() + 8);
    events.extend_from_slice(b"data: ");
    events.extend_from_slice(response);
    events.extend_from_slice(b"\n\n");
    events
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStream")
    }
}

/// A comment now and then, so that nobody in between takes the connection for dead.
struct KeepAlive {
    every: Duration,
    said_at: Instant,
    sleep: Option<Pin<Box<Sleep>>>,
}

/// "a comment line" that every client leaves out (Receiving Messages).
pub(super) const COMMENT: &[u8] = b": keep-alive\n\n";

impl KeepAlive {
    fn every(every: Duration) -> Self {
        Self { every, said_at: Instant::now(), sleep: None }
    }

    fn said(&mut self) {
        self.said_at = Instant::now();
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Bytes> {
        loop {
            let due = self.said_at + self.every;
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(due)));
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            let now = Instant::now();
            if now >= due {
                self.said_at = now;
                sleep.as_mut().reset(now + self.every);
                return Poll::Ready(Bytes::from_static(COMMENT));
            }
            // Something else was said meanwhile.
            sleep.as_mut().reset(due);
        }
    }
}
