//! The revisions with a handshake: sessions that outlive their connections, streams that a client can come back to, and
//! answers to what it was asked.
//!
//! Specification: [Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http).

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};

use http::{HeaderMap, HeaderValue, Response, StatusCode};
use tokio::task::JoinSet;

use super::body::{EventStream, HttpBody};
use super::events::{EventId, Events, Pump};
use super::headers::{LAST_EVENT_ID, SESSION_ID, VersionHeader};
use super::refusal::{Refusal, empty, json};
use super::service::{Asked, Endpoint, OLDEST, serves};
use super::sessions::{HttpSession, Stream, Visit};
use super::taken::{Manner, Taken, answer as answer_with, events, response_of};
use crate::protocol::{
    CancelledParams, ErrorObject, Incoming, Params, ProtocolVersion, RawJson, RequestId, clip, read_batch,
    read_message, read_object,
};
use crate::server::call::StartedCall;
use crate::server::context::CallState;
use crate::server::dispatch::{self, Reply, Request};
use crate::server::legacy::{Batch, Handshakes, Session, is_stateless, may_be_batched};
use crate::server::link;
use crate::server::output::{Framing, Outbox};
use crate::server::respond;

/// The session that a request belongs to, by its own word. One that can't be read is that of nobody.
pub(super) fn session_id(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(&SESSION_ID).iter();
    let value = values.next()?;
    let is_single = values.next().is_none();
    Some(value.to_str().ok().filter(|_| is_single).unwrap_or_default().trim().to_owned())
}

/// Serves a request.
pub(super) fn request(endpoint: &Endpoint, request: Request<'_>, asked: Asked) -> Result<Taken, Refusal> {
    if !endpoint.core.legacy_versions().any(serves) {
        return Err(modern_only(endpoint, request, asked));
    }
    if request.method == "initialize" {
        check_version(endpoint, &asked.headers)?;
        let id = asked.session_id.as_deref();
        let known = id.and_then(|id| endpoint.sessions.get(id, asked.owner().as_deref()));
        if known.is_some() {
            let error = ErrorObject::invalid_request("the session is initialized already");
            return Err(Refusal::bad_request(error));
        }
        return initialize(endpoint, &request, asked);
    }
    endpoint.check_tool(&request, &asked, false)?;
    if endpoint.settings.stateless {
        let named = check_version(endpoint, &asked.headers)?;
        // "If the server does not receive the header, it SHOULD assume 2025-03-26".
        let version = named.unwrap_or(ProtocolVersion::V2025_03_26);
        if !endpoint.core.speaks(version) {
            return Err(unknown_version(endpoint));
        }
        return alone(endpoint, version, request, asked);
    }
    let visit = visit(endpoint, &asked)?;
    in_session(endpoint, request, visit, asked)
}

/// Who knows no handshake says which revisions it serves.
fn modern_only(endpoint: &Endpoint, request: Request<'_>, asked: Asked) -> Refusal {
    if request.method != "initialize" && VersionHeader::of(&asked.headers) == Ok(VersionHeader::Missing) {
        let text = format!("the `MCP-Protocol-Version` header is missing: `{}`", ProtocolVersion::LATEST);
        return Refusal::bad_request(ErrorObject::header_mismatch(text));
    }
    let link = asked.link(Outbox::of_events(1, Framing::Event), endpoint.closing.subscribe(), None);
    let (_, refused) = crate::server::legacy::serve(&endpoint.core, &mut Session::default(), &link, request);
    let error = refused.err().unwrap_or_else(|| ErrorObject::invalid_request("no handshake is served here"));
    Refusal::bad_request(error)
}

/// The revision that a request names by its header, if it does; a session knows it better.
fn check_version(endpoint: &Endpoint, headers: &HeaderMap) -> Result<Option<ProtocolVersion>, Refusal> {
    match VersionHeader::of(headers).map_err(Refusal::bad_request)? {
        VersionHeader::Missing => Ok(None),
        VersionHeader::Legacy(version) if serves(version) && endpoint.core.speaks(version) => Ok(Some(version)),
        VersionHeader::Legacy(_) | VersionHeader::Modern(_) => Err(unknown_version(endpoint)),
    }
}

fn unknown_version(endpoint: &Endpoint) -> Refusal {
    let versions = endpoint.core.legacy_versions().filter(|version| serves(*version));
    let versions: Vec<_> = versions.map(|version| format!("`{version}`")).collect();
    let text = format!("`MCP-Protocol-Version` must be one of {}", versions.join(", "));
    Refusal::http(StatusCode::BAD_REQUEST, text)
}

/// Serves the handshake, with which a session begins.
fn initialize(endpoint: &Endpoint, request: &Request<'_>, asked: Asked) -> Result<Taken, Refusal> {
    let core = &endpoint.core;
    let handshakes = Handshakes { since: OLDEST, is_remembered: !endpoint.settings.stateless };
    let (session, result) = match Session::begin(core, request, handshakes) {
        Ok(begun) => begun,
        Err(error) => {
            let mut response = Vec::new();
            respond::write_error(&mut response, Some(request.id), &error);
            return Ok(Taken::Answered(json(StatusCode::OK, HttpBody::of(response))));
        }
    };
    let version = session.version().unwrap_or(ProtocolVersion::LATEST_LEGACY);
    let mut response = Vec::with_capacity(512);
    result.write(&mut response, core, request.id, version);
    let id = if endpoint.settings.stateless {
        None
    } else {
        let begun = endpoint.sessions.begin(session, asked.owner()).map_err(|limit| {
            Refusal::busy(format!("there are {limit} sessions, which is the limit: try again later"))
        })?;
        HeaderValue::from_str(&begun.id).ok()
    };
    let mut response = answer_with(endpoint, Vec::new(), response.into(), StatusCode::OK, asked);
    if let Some(id) = id {
        response.headers_mut().insert(SESSION_ID, id);
    }
    Ok(Taken::Answered(response))
}

/// Serves a request that belongs to no session: of its client nothing is known but the revision.
fn alone(endpoint: &Endpoint, version: ProtocolVersion, request: Request<'_>, asked: Asked) -> Result<Taken, Refusal> {
    let outbox = Outbox::of_events(endpoint.core.settings.queue_size, Framing::Event);
    let link = asked.link(outbox.clone(), endpoint.closing.subscribe(), None);
    let id = request.id;
    let (version, reply) = dispatch::serve(&endpoint.core, &mut Session::unknown(version), &link, request);
    Ok(Taken::alone(endpoint, reply, outbox, id, version, manner(endpoint, asked)))
}

/// Errors have no status of their own: the client reads them in the body.
fn manner(endpoint: &Endpoint, asked: Asked) -> Manner {
    Manner { takes_events: endpoint.sends_events(&asked), asked, status_of: |_| StatusCode::OK }
}

/// The session that a request belongs to, which is used from now on.
fn visit(endpoint: &Endpoint, asked: &Asked) -> Result<Visit, Refusal> {
    check_version(endpoint, &asked.headers)?;
    let Some(id) = asked.session_id.as_deref() else {
        let text = "the `Mcp-Session-Id` header is missing: send `initialize` first, which gives one";
        return Err(Refusal::http(StatusCode::BAD_REQUEST, text));
    };
    let session = endpoint.sessions.get(id, asked.owner().as_deref()).ok_or_else(|| {
        Refusal::http(StatusCode::NOT_FOUND, "there is no such session any more: send `initialize` for a new one")
    })?;
    Ok(session.visit())
}

/// Serves a request of a session.
fn in_session(endpoint: &Endpoint, request: Request<'_>, visit: Visit, asked: Asked) -> Result<Taken, Refusal> {
    let session = Arc::clone(&visit.session);
    let id = request.id;
    check_room(endpoint, &session, 1)?;
    if session.in_flight.contains(id) {
        return Err(Refusal::bad_request(still_runs(id)));
    }
    let answers = Answers::begin(endpoint, &session, &asked);
    let (version, reply) = answers.serve(endpoint, &asked, request);
    match reply {
        Ok(Reply::Call(call)) => {
            // Another request may have come with that id meanwhile.
            if !session.in_flight.insert_new(&call.state, None) {
                call.state.reporter.finish_now();
                return Err(Refusal::bad_request(still_runs(id)));
            }
            Ok(answers.start(endpoint, Calls::One(call), visit, asked))
        }
        reply => Ok(Taken::alone(endpoint, reply, answers.outbox, id, version, manner(endpoint, asked))),
    }
}

fn still_runs(id: &RequestId) -> ErrorObject {
    ErrorObject::invalid_request(format!("the id {id} is that of a request that still runs"))
}

/// Whether so many more calls may run in a session.
fn check_room(endpoint: &Endpoint, session: &HttpSession, calls: usize) -> Result<(), Refusal> {
    let limit = endpoint.core.settings.max_in_flight;
    if session.in_flight.len() + calls > limit {
        return Err(Refusal::busy(format!(
            "{limit} calls of the session are running, which is the limit: try again later"
        )));
    }
    Ok(())
}

/// Where what a request of a session says goes.
struct Answers {
    session: Arc<HttpSession>,
    /// The session, as far as its client can be asked here.
    asking: Session,
    outbox: Outbox,
    events: Arc<Events>,
    takes_events: bool,
}

/// What runs, and ends with one message.
enum Calls {
    One(StartedCall),
    /// The calls of a batch, and their responses.
    Batch(Vec<StartedCall>, Arc<Batch>),
}

/// A call of a session, as long as it has something to say.
struct Over {
    session: Arc<HttpSession>,
    stream: u64,
}

impl Drop for Over {
    fn drop(&mut self) {
        self.session.is_over(self.stream);
    }
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

impl Answers {
    fn begin(endpoint: &Endpoint, session: &Arc<HttpSession>, asked: &Asked) -> Self {
        let (events, outbox) = session.new_stream(endpoint.core.settings.queue_size, endpoint.settings.kept_events);
        let takes_events = endpoint.sends_events(asked);
        let asking = if takes_events { session.session.clone() } else { session.session.without_questions() };
        Self { session: Arc::clone(session), asking, outbox, events, takes_events }
    }

    fn serve(
        &self,
        endpoint: &Endpoint,
        asked: &Asked,
        request: Request<'_>,
    ) -> (ProtocolVersion, Result<Reply, ErrorObject>) {
        let is_resumable = self.takes_events && self.session.is_resumable();
        let detour = is_resumable.then(|| Arc::clone(&self.events) as _);
        let link = asked.link(self.outbox.clone(), self.session.close.subscribe(), detour);
        dispatch::serve(&endpoint.core, &mut self.asking.clone(), &link, request)
    }

    /// Runs calls, which go on whatever becomes of the connection.
    fn start(self, endpoint: &Endpoint, calls: Calls, visit: Visit, asked: Asked) -> Taken {
        let in_flight = &self.session.in_flight;
        let mut give_up = endpoint.give_up.subscribe();
        let mut running: Option<Arc<CallState>> = None;
        let mut is_ready = false;
        let mut work: Work = match calls {
            Calls::One(mut call) => {
                let (id, state) = (call.state.id.clone(), Arc::clone(&call.state));
                // Most calls are ready by then, and need no task.
                state.tried.store(true, Ordering::Relaxed);
                is_ready = call.try_now();
                state.tried.store(false, Ordering::Relaxed);
                if is_ready
                    && (asked.accepts.json || !self.takes_events)
                    && let Some((response, _)) = call.response_now(|| in_flight.remove(&id))
                {
                    return Taken::Answered(json(StatusCode::OK, HttpBody::of(response)));
                }
                running = Some(Arc::clone(&state));
                let (run, outbox) = (call.run(in_flight.clone()), self.outbox.clone());
                Box::pin(async move {
                    tokio::select! {
                        biased;
                        () = run => {}
                        () = link::closed(&mut give_up) => {
                            if state.cancel() {
                                let _ = outbox.push_now(|out| write_given_up(out, &id));
                            }
                        }
                    }
                })
            }
            Calls::Batch(calls, batch) => {
                let (mut tasks, mut states) = (JoinSet::new(), Vec::new());
                // One may have been cancelled by a message behind it.
                for call in calls.into_iter().filter(|call| !call.state.is_over()) {
                    let id = call.state.id.clone();
                    states.push(Arc::clone(&call.state));
                    let task = tasks.spawn(call.run(in_flight.clone()));
                    in_flight.started(&id, task);
                }
                Box::pin(async move {
                    let all = async { while tasks.join_next().await.is_some() {} };
                    tokio::select! {
                        biased;
                        () = all => {}
                        () = link::closed(&mut give_up) => {
                            for state in states.iter().filter(|state| !state.is_over() && state.cancel()) {
                                let mut response = Vec::new();
                                write_given_up(&mut response, &state.id);
                                batch.settle_now(Some(response));
                            }
                        }
                    }
                })
            }
        };
        // A call that is ready is so with all that it had to say, if there was room for it.
        if is_ready && work.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return self.ready(endpoint, visit, asked);
        }
        if self.takes_events {
            self.events.prime();
            self.session.keep(Stream { events: Arc::clone(&self.events), changes: None });
        }
        let reader = self.events.reader(None);
        let pump = Pump::to_the_end(work, self.outbox.clone(), Arc::clone(&self.events));
        // However it ends, also when it is cancelled.
        let over = Over { session: Arc::clone(&self.session), stream: self.events.stream() };
        let permit = asked.permit;
        let task = endpoint.sessions.spawn(async move {
            let _until_the_end = (over, permit);
            pump.await;
        });
        if let Some(state) = &running {
            in_flight.started(&state.id, task);
        }
        if !self.takes_events {
            return Taken::Awaited { reader, visit };
        }
        let every = endpoint.settings.keep_alive;
        Taken::Answered(events(EventStream::of_session(reader, None, every, None, visit)))
    }

    /// Answers with what was said at once.
    fn ready(self, endpoint: &Endpoint, visit: Visit, asked: Asked) -> Taken {
        let said = self.outbox.drain();
        if !self.takes_events || self.outbox.messages() == 1 && asked.accepts.json {
            // One that was cancelled has no response.
            let response = response_of(&said);
            return Taken::Answered(
                response.map_or_else(|| empty(StatusCode::NO_CONTENT), |it| json(StatusCode::OK, HttpBody::of(it))),
            );
        }
        self.events.prime();
        self.events.append(said.into(), self.outbox.messages());
        self.events.end();
        self.session.keep(Stream { events: Arc::clone(&self.events), changes: None });
        self.session.is_over(self.events.stream());
        let every = endpoint.settings.keep_alive;
        let reader = self.events.reader(None);
        Taken::Answered(events(EventStream::of_session(reader, None, every, Some(asked.permit), visit)))
    }
}

/// Answers a call that takes longer than the server has left.
pub(super) fn write_given_up(out: &mut Vec<u8>, id: &RequestId) {
    tracing::warn!(%id, "the server is ending, and the call took too long to finish");
    respond::write_error(out, Some(id), &ErrorObject::internal("the server is shutting down"));
}

/// Serves several messages in one, which 2025-03-26 alone knows.
pub(super) fn batch(endpoint: &Endpoint, text: &str, asked: Asked) -> Result<Taken, Refusal> {
    let messages = read_batch(text, endpoint.core.settings.max_depth).map_err(Refusal::malformed)?;
    let refused = |text: String| Err(Refusal::bad_request(ErrorObject::invalid_request(text)));
    if messages.is_empty() {
        return refused("an empty array is no message".to_owned());
    }
    let no_batches = "several messages in one array are part of the revision 2025-03-26 alone";
    if asked.session_id.is_none() || !endpoint.has_sessions() {
        return refused(no_batches.to_owned());
    }
    let visit = visit(endpoint, &asked)?;
    let session = Arc::clone(&visit.session);
    if !session.session.takes_batches() {
        return refused(no_batches.to_owned());
    }
    check_room(endpoint, &session, messages.len())?;
    let answers = Answers::begin(endpoint, &session, &asked);
    // One more than there are messages, so that the array is complete only when all have been read.
    let batch = Batch::new(answers.outbox.clone(), messages.len() + 1);
    let mut calls: Vec<StartedCall> = Vec::new();
    let mut owes_answers = false;
    for message in messages {
        let refuse = |id: Option<&RequestId>, error: &ErrorObject| {
            let mut response = Vec::new();
            respond::write_error(&mut response, id, error);
            batch.settle_now(Some(response));
        };
        match read_message(message.get(), endpoint.core.settings.max_depth) {
            Ok(Incoming::Request { id, method, params }) => {
                owes_answers = true;
                let runs = calls.iter().any(|call| call.state.id == id) || session.in_flight.contains(&id);
                let request = if !may_be_batched(&method, &params) {
                    Err(ErrorObject::invalid_request(format!("`{method}` can't be part of a batch")))
                } else if runs {
                    Err(still_runs(&id))
                } else {
                    Request::read(&id, &method, params)
                };
                let reply = request.and_then(|request| {
                    endpoint.check_tool(&request, &asked, false).map_err(Refusal::into_error)?;
                    let (version, reply) = answers.serve(endpoint, &asked, request);
                    reply.map(|reply| (version, reply))
                });
                match reply {
                    Ok((_, Reply::Call(mut call))) => {
                        call.batch = Some(Arc::clone(&batch));
                        if session.in_flight.insert_new(&call.state, Some(Arc::clone(&batch))) {
                            calls.push(call);
                        } else {
                            call.state.reporter.finish_now();
                            refuse(Some(&id), &still_runs(&id));
                        }
                    }
                    Ok((version, Reply::Result(result))) => {
                        let mut response = Vec::new();
                        result.write(&mut response, &endpoint.core, &id, version);
                        batch.settle_now(Some(response));
                    }
                    Err(error) => refuse(Some(&id), &error),
                }
            }
            Ok(Incoming::Notification { method, params }) => {
                tell(endpoint, &session, &method, &params);
                batch.settle_now(None);
            }
            Ok(Incoming::Response { id, outcome }) => {
                take_answer(&session, id.as_ref(), outcome);
                batch.settle_now(None);
            }
            Err(malformed) => match malformed.error {
                Some(error) => {
                    owes_answers = true;
                    refuse(malformed.id.as_ref(), &error);
                }
                None => batch.settle_now(None),
            },
        }
    }
    batch.settle_now(None);
    if !owes_answers {
        return Ok(Taken::Answered(empty(StatusCode::ACCEPTED)));
    }
    if calls.is_empty() {
        return Ok(answers.ready(endpoint, visit, asked));
    }
    Ok(answers.start(endpoint, Calls::Batch(calls, batch), visit, asked))
}

/// Takes a notification of a session.
pub(super) fn notification(
    endpoint: &Endpoint,
    method: &str,
    params: &Params<'_>,
    asked: &Asked,
) -> Result<(), Refusal> {
    if asked.session_id.is_none() || !endpoint.has_sessions() || is_of_stateless(asked, params) {
        // "A POSTed `notifications/cancelled` is not expected": the others are for extensions.
        endpoint.core.extensions.notify(method, params, None);
        return Ok(());
    }
    let visit = visit(endpoint, asked)?;
    tell(endpoint, &visit.session, method, params);
    Ok(())
}

/// Whether a message is marked as one of the stateless revision, to which the session of an older client means nothing.
fn is_of_stateless(asked: &Asked, params: &Params<'_>) -> bool {
    let header = VersionHeader::of(&asked.headers);
    header == Ok(VersionHeader::Modern(ProtocolVersion::LATEST.as_str())) || is_stateless(params)
}

fn tell(endpoint: &Endpoint, session: &HttpSession, method: &str, params: &Params<'_>) {
    match method {
        "notifications/cancelled" => {
            match params.raw().and_then(|params| read_object::<CancelledParams>(params).ok()) {
                Some(CancelledParams { request_id, reason }) => {
                    let found = session.in_flight.cancel(&request_id);
                    tracing::debug!(id = %request_id, ?reason, found, "cancelled");
                }
                None => tracing::debug!("a cancellation without a request was ignored"),
            }
        }
        method if endpoint.core.extensions.notify(method, params, session.session.peer()) => {}
        method => tracing::trace!(method, "a notification was ignored"),
    }
}

/// Takes the answer to a question of a call.
pub(super) fn answer(
    endpoint: &Endpoint,
    id: Option<&RequestId>,
    outcome: Result<RawJson<'_>, ErrorObject>,
    asked: &Asked,
) -> Result<(), Refusal> {
    if asked.session_id.is_none() || !endpoint.has_sessions() || is_of_stateless(asked, &Params::default()) {
        let error = ErrorObject::invalid_request("nothing was asked here that this could be the answer to");
        return Err(Refusal::bad_request(error));
    }
    let visit = visit(endpoint, asked)?;
    take_answer(&visit.session, id, outcome);
    Ok(())
}

fn take_answer(session: &HttpSession, id: Option<&RequestId>, outcome: Result<RawJson<'_>, ErrorObject>) {
    // An answer may come just when nobody waits for it any more.
    if !id.is_some_and(|id| session.session.answer(id, outcome)) {
        tracing::debug!(?id, "a response to no request was ignored");
    }
}

/// Serves GET: a stream of what changes, or the rest of one that broke.
pub(super) fn get(endpoint: &Endpoint, asked: Asked) -> Result<Response<HttpBody>, Refusal> {
    if !asked.accepts.events {
        let text = "`Accept` must name `text/event-stream`";
        return Err(Refusal::http(StatusCode::NOT_ACCEPTABLE, text));
    }
    let visit = visit(endpoint, &asked)?;
    let session = Arc::clone(&visit.session);
    let last = asked.headers.get(LAST_EVENT_ID).map(|last| last.to_str().unwrap_or_default().trim());
    let (stream, after) = match last {
        // Before there were ids there was nothing to come back to.
        Some(last) if session.is_resumable() => {
            let found = EventId::read(last).and_then(|id| Some((session.stream(id.stream)?, Some(id.event))));
            found.ok_or_else(|| {
                let last = clip(last);
                Refusal::http(
                    StatusCode::BAD_REQUEST,
                    format!("`Last-Event-ID: {last}` is of no stream that is still kept: open a new one without it"),
                )
            })?
        }
        _ => {
            let (events, outbox) = session.new_stream(endpoint.core.settings.queue_size, endpoint.settings.kept_events);
            events.prime();
            let stream = Stream { events, changes: Some(outbox) };
            session.keep(stream.clone());
            (stream, None)
        }
    };
    let reader = stream.events.reader(after);
    let pump = stream.changes.map(|outbox| {
        let closing = session.close.subscribe();
        let telling = session.session.telling(outbox.clone(), closing.clone());
        let work = async move {
            match telling {
                Some(telling) => telling.await,
                None => link::closed(&mut { closing }).await,
            }
        };
        Pump::for_now(work, outbox, Arc::clone(&stream.events))
    });
    let every = endpoint.settings.keep_alive;
    Ok(events(EventStream::of_session(reader, pump, every, Some(asked.permit), visit)))
}

/// Serves DELETE: the client needs its session no longer.
pub(super) fn delete(endpoint: &Endpoint, asked: Asked) -> Result<Response<HttpBody>, Refusal> {
    let visit = visit(endpoint, &asked)?;
    endpoint.sessions.end(&visit.session);
    Ok(empty(StatusCode::OK))
}
