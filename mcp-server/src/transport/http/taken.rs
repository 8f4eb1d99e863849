//! A request that was taken, on its way to its response: JSON, or events as soon as something is said before the end.

use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::pin;

use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use super::body::{COMMENT, EventStream, HttpBody, response_event};
use super::events::Reader;
use super::exchange::{Exchange, Said};
use super::refusal::{Refusal, empty, json};
use super::service::{Asked, Endpoint};
use super::sessions::Visit;
use crate::protocol::{ErrorCode, ErrorObject, ProtocolVersion, RequestId};
use crate::server::call::StartedCall;
use crate::server::chunk::Chunk;
use crate::server::dispatch::Reply;
use crate::server::output::{Outbox, Writing};
use crate::server::respond;

/// What has become of a request so far.
pub(super) enum Taken {
    /// It is answered.
    Answered(Response<HttpBody>),
    /// A call that ends with its exchange.
    Call { call: StartedCall, outbox: Outbox, manner: Manner },
    /// A call of a session, whose client takes nothing but its response.
    Awaited { reader: Reader, visit: Visit },
}

/// How a request is answered.
pub(super) struct Manner {
    pub(super) asked: Asked,
    /// Whether the client gets what is said before the response.
    pub(super) takes_events: bool,
    /// The status of the response, by the kind of error that it is.
    pub(super) status_of: fn(Option<ErrorCode>) -> StatusCode,
}

impl Taken {
    /// Of a request that has its own exchange and nothing else.
    pub(super) fn alone(
        endpoint: &Endpoint,
        reply: Result<Reply, ErrorObject>,
        outbox: Outbox,
        id: &RequestId,
        version: ProtocolVersion,
        manner: Manner,
    ) -> Self {
        let mut response = Vec::new();
        let (insert, error) = match reply {
            Ok(Reply::Call(call)) => return Self::Call { call, outbox, manner },
            Ok(Reply::Result(result)) => (result.write_around(&mut response, &endpoint.core, id, version), None),
            Err(error) => {
                respond::write_error(&mut response, Some(id), &error);
                (None, Some(error.code))
            }
        };
        let response = Chunk::new(response, insert);
        let Manner { asked, status_of, .. } = manner;
        Self::Answered(answer(endpoint, Vec::new(), response, status_of(error), asked))
    }

    /// Breaks off with the response, if there is nothing to wait for.
    pub(super) fn now(self, endpoint: &Endpoint) -> ControlFlow<Response<HttpBody>, Waiting> {
        match self {
            Self::Answered(response) => ControlFlow::Break(response),
            Self::Call { mut call, outbox, manner } => match tried(&mut call) {
                Some((response, error)) => {
                    let Manner { asked, status_of, .. } = manner;
                    ControlFlow::Break(answer(endpoint, Vec::new(), response.into(), status_of(error), asked))
                }
                None => ControlFlow::Continue(Waiting::Call { call, outbox, manner }),
            },
            Self::Awaited { reader, visit } => ControlFlow::Continue(Waiting::Session { reader, visit }),
        }
    }
}

/// A request whose response is still to come.
#[expect(clippy::large_enum_variant, reason = "it goes into the box of its future at once")]
pub(super) enum Waiting {
    /// Of a call that was tried already.
    Call { call: StartedCall, outbox: Outbox, manner: Manner },
    /// Of a session, whose client takes nothing else.
    Session { reader: Reader, visit: Visit },
}

impl Waiting {
    /// Waits until it is known how the response begins.
    pub(super) async fn response(self, endpoint: &Endpoint) -> Result<Response<HttpBody>, Refusal> {
        match self {
            Self::Call { call, outbox, manner: Manner { asked, takes_events, status_of } } => {
                let mut call = Exchange::new(call, outbox, endpoint.give_up.subscribe());
                let every = endpoint.settings.keep_alive;
                // After a long silence it is no error of the request any more, and proxies would take it for dead.
                let mut patience = pin!(async {
                    match takes_events {
                        true => tokio::time::sleep(every).await,
                        false => std::future::pending().await,
                    }
                });
                loop {
                    let said = tokio::select! {
                        biased;
                        said = poll_fn(|cx| call.poll_said(cx)) => said,
                        () = &mut patience => Some(Said::Events(COMMENT.to_vec())),
                    };
                    match said {
                        Some(Said::Events(first)) if takes_events => {
                            let stream = EventStream::of_call(first, Some(call), every, asked.permit);
                            return Ok(events(stream));
                        }
                        // A client that takes no events gets no reports.
                        Some(Said::Events(_)) => {}
                        Some(Said::Response { before, response, error }) => {
                            return Ok(answer(endpoint, before, response.into(), status_of(error), asked));
                        }
                        None => unreachable!("a call ends with its response"),
                    }
                }
            }
            Self::Session { mut reader, visit } => {
                let mut last = None;
                while let Some(bytes) = poll_fn(|cx| reader.poll_next(cx)).await {
                    last = Some(bytes);
                }
                drop(visit);
                let response = last.as_deref().and_then(response_of);
                // One that was cancelled has no response.
                Ok(response.map_or_else(
                    || empty(StatusCode::NO_CONTENT),
                    |response| json(StatusCode::OK, HttpBody::of(response)),
                ))
            }
        }
    }
}

/// Polls a call where its request was read. Its response, if it has come to that and to nothing else.
fn tried(call: &mut StartedCall) -> Option<(Vec<u8>, Option<ErrorCode>)> {
    let is_ready = {
        let _writing = Writing::here();
        call.try_now()
    };
    if is_ready { call.response_now(|| {}) } else { None }
}

/// The response among some events: the last of them, unless that is a notification.
pub(super) fn response_of(events: &[u8]) -> Option<Vec<u8>> {
    let data = |at: usize| events.get(at..)?.strip_prefix(b"data: ")?.strip_suffix(b"\n\n");
    // No message has a line end in it.
    let last = memchr::memmem::rfind_iter(events, b"data: ").find(|at| *at == 0 || events[at - 1] == b'\n')?;
    data(last)
        .filter(|message| !message.is_empty() && !message.starts_with(br#"{"jsonrpc":"2.0","method""#))
        .map(<[u8]>::to_vec)
}

/// Answers with all that there is to say.
pub(super) fn answer(
    endpoint: &Endpoint,
    before: Vec<u8>,
    response: Chunk,
    status: StatusCode,
    asked: Asked,
) -> Response<HttpBody> {
    let is_short = before.is_empty() && asked.accepts.json;
    if status != StatusCode::OK || is_short || !endpoint.sends_events(&asked) {
        return json(status, HttpBody::of_chunk(response));
    }
    let every = endpoint.settings.keep_alive;
    events(EventStream::of_call(response_event(before, &response.into_bytes()), None, every, asked.permit))
}

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// A response that is a stream of events.
pub(super) fn events(stream: EventStream) -> Response<HttpBody> {
    let mut response = Response::new(HttpBody::events(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-transform"));
    // Proxies such as nginx would hold events back until they have many.
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    response
}
