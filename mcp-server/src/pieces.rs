//! The pieces of a call, each by itself, for the benchmarks in `benches`.
//!
//! Everything here hands over to what serves a call: where that changes, this follows.

#![expect(missing_debug_implementations, reason = "nobody prints what is measured")]

use std::pin::pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use tokio::sync::watch;

use crate::protocol::{Incoming, ProtocolVersion, RequestId, read_message};
use crate::server::chunk::Chunk;
use crate::server::context::CallState;
use crate::server::dispatch::{Reply, Request, serve};
use crate::server::legacy::Session;
use crate::server::link::Link;
#[cfg(feature = "http")]
use crate::server::output::Framing;
use crate::server::output::Outbox;
use crate::server::settings::MAX_DEPTH;
use crate::server::{Core, Server};
use crate::{Context, ServerResult, Tool};

/// A line that was found to be a message.
pub struct Message<'a>(Incoming<'a>);

impl<'a> Message<'a> {
    /// `None`: it is none.
    pub fn read(line: &'a str) -> Option<Self> {
        read_message(line, MAX_DEPTH).ok().map(Self)
    }

    /// Whether it is a request that can be looked at.
    pub fn is_request(&self) -> bool {
        matches!(&self.0, Incoming::Request { params, .. } if params.check().is_ok())
    }

    /// `None`: it is no request.
    pub fn request(&self) -> Option<Asked<'_>> {
        let Incoming::Request { id, method, params } = &self.0 else { return None };
        Request::read(id, method, params.clone()).ok().map(Asked)
    }
}

/// A request, before its method is looked at.
pub struct Asked<'a>(Request<'a>);

/// What became of a request: its result, or its call before it runs.
pub struct Begun(Reply);

/// A server with one connection.
pub struct Pieces {
    core: Arc<Core>,
    link: Link,
}

impl Pieces {
    /// What the server says goes into the output.
    pub fn new(server: Server, output: &Output) -> Self {
        let link = Link {
            outbox: output.outbox.clone(),
            closing: watch::channel(false).1,
            client: Arc::from("benchmark"),
            principal: None,
            #[cfg(feature = "http")]
            headers: None,
            #[cfg(feature = "http")]
            detour: None,
        };
        Self { core: server.build(), link }
    }

    /// Finds what the request is for and begins its call. `None`: it is refused.
    pub fn dispatch(&self, asked: Asked<'_>) -> Option<Begun> {
        serve(&self.core, &mut Session::default(), &self.link, asked.0).1.ok().map(Begun)
    }

    /// Appends a result as the response to a request.
    pub fn encode(&self, result: &ServerResult, id: &RequestId, output: &Output) {
        let _ = output.outbox.push_now(|out| result.write(out, &self.core, id, ProtocolVersion::LATEST));
    }

    /// Appends what has a result at once, such as a list. `false`: it is a call.
    pub fn answer(&self, begun: &Begun, id: &RequestId, output: &Output) -> bool {
        let Reply::Result(result) = &begun.0 else { return false };
        output.outbox.push_around_now(|out| result.write_around(out, &self.core, id, ProtocolVersion::LATEST)).is_ok()
    }

    /// The context of a request's call. `None`: it is refused.
    pub fn context(&self, asked: &Asked<'_>) -> Option<Context> {
        CallState::begin(&self.core, &self.link, &asked.0).ok().map(Context)
    }
}

/// Reads the arguments of a call into the types of its function, which does not run yet.
pub fn arguments(tool: &Tool, arguments: &str, context: &Context) -> impl Sized + use<> {
    tool.call(Some(arguments), context)
}

/// What goes out.
pub struct Output {
    outbox: Outbox,
    chunk: Chunk,
}

impl Output {
    /// Messages as lines.
    pub fn lines() -> Self {
        Self { outbox: Outbox::new(64 * 1024, Duration::ZERO), chunk: Chunk::default() }
    }

    /// Messages as events.
    #[cfg(feature = "http")]
    pub fn events() -> Self {
        Self { outbox: Outbox::of_events(64 * 1024, Framing::Event), chunk: Chunk::default() }
    }

    /// Takes all that waits, as a transport does that writes it. How many bytes these are.
    pub fn take(&mut self) -> usize {
        self.chunk.clear(usize::MAX);
        if let Poll::Ready(Some(_)) =
            self.outbox.poll_take(&mut TaskContext::from_waker(Waker::noop()), &mut self.chunk)
        {
            self.outbox.wrote(self.chunk.len());
        }
        self.chunk.len()
    }

    /// Makes a report of the call, and takes what waits when there is no more room. `false`: it was refused.
    pub fn report(&mut self, context: &Context, done: u64, total: u64) -> bool {
        let mut reporting = pin!(context.report_progress(done, total, None));
        loop {
            match reporting.as_mut().poll(&mut TaskContext::from_waker(Waker::noop())) {
                Poll::Ready(reported) => return reported.is_ok(),
                Poll::Pending => drop(self.take()),
            }
        }
    }
}
