//! The adapter for the revisions that begin with a handshake: 2024-11-05 to 2025-11-25.
//!
//! It is the only place that knows `initialize`. What a client said there it fills into each later request, so that
//! the rest of the server sees no difference. One process serves both eras at once.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::watch;

use super::Core;
use super::changes::{Subscriber, check_uri, write_change};
use super::context::Peer;
use super::dispatch::{Reply, Request, route};
use super::link::{self, Link};
use super::outcome::{Keep, OtherResult, ServerResult};
use super::output::Outbox;
use crate::protocol::{
    ErrorObject, LoggingLevel, Params, ProtocolVersion, RawJson, RequestId, SubscriptionFilter, write_implementation,
    write_string,
};

/// What is known of a connection's client since its handshake. A connection of stateless requests has none.
///
/// Clones are the same session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Session(Option<Arc<Handshake>>);

#[derive(Debug)]
struct Handshake {
    version: ProtocolVersion,
    peer: Arc<Peer>,
    /// From which level on it wants log messages: none before it has said so.
    log_level: Arc<Mutex<Option<LoggingLevel>>>,
    /// Tells it what changes, where anything can.
    subscriber: Option<Arc<Subscriber>>,
    /// Whether that has begun.
    is_told: AtomicBool,
}

impl Handshake {
    fn log_level(&self) -> MutexGuard<'_, Option<LoggingLevel>> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Whether several messages may come in one, as an array. "Removed in 2025-06-18."
    pub(crate) fn takes_batches(&self) -> bool {
        self.version() == Some(ProtocolVersion::V2025_03_26)
    }

    /// The revision that the handshake agreed on.
    pub(crate) fn version(&self) -> Option<ProtocolVersion> {
        self.0.as_ref().map(|handshake| handshake.version)
    }

    /// What the client said in its handshake.
    pub(crate) fn peer(&self) -> Option<&Peer> {
        self.0.as_ref().map(|handshake| &*handshake.peer)
    }

    /// Takes the answer to a question of ours. `false`: there was no such question.
    pub(crate) fn answer(&self, id: &RequestId, outcome: Result<RawJson<'_>, ErrorObject>) -> bool {
        self.0.as_ref().is_some_and(|handshake| handshake.peer.asked.answer(id, outcome))
    }

    /// The input has ended: no question is answered any more.
    pub(crate) fn end(&self) {
        if let Some(handshake) = &self.0 {
            handshake.peer.asked.close();
        }
    }

    /// Once the client says that it is ready: tells it what changes, until the connection ends.
    pub(crate) fn begin_telling(&self, link: &Link) -> Option<impl Future<Output = ()> + Send + use<>> {
        let handshake = self.0.as_ref()?;
        if handshake.is_told.swap(true, Ordering::Relaxed) {
            return None;
        }
        self.telling(link.outbox.clone(), link.closing.clone())
    }

    /// Tells what changes, until the connection ends. Of several that do so at once each change is told by one.
    pub(crate) fn telling(
        &self,
        outbox: Outbox,
        mut closing: watch::Receiver<bool>,
    ) -> Option<impl Future<Output = ()> + Send + use<>> {
        let subscriber = Arc::clone(self.0.as_ref()?.subscriber.as_ref()?);
        Some(async move {
            loop {
                let changes = tokio::select! {
                    biased;
                    changes = subscriber.changed() => changes,
                    () = link::closed(&mut closing) => return,
                };
                for change in changes {
                    if poll_fn(|cx| outbox.poll_push(cx, |out| write_change(out, &change, None))).await.is_err() {
                        return;
                    }
                }
            }
        })
    }
}

/// Serves a request without the marks of the stateless revision.
pub(crate) fn serve(
    core: &Arc<Core>,
    session: &mut Session,
    link: &Link,
    request: Request<'_>,
) -> (ProtocolVersion, Result<Reply, ErrorObject>) {
    let version = session.version().unwrap_or(ProtocolVersion::LATEST_LEGACY);
    if core.legacy_versions().next().is_none() {
        return (version, Err(modern_only(core, &request)));
    }
    let reply = match (request.method, &session.0) {
        // A second handshake would change the rules under calls that still run.
        ("initialize", Some(_)) => Err(ErrorObject::invalid_request("the connection is initialized already")),
        ("initialize", None) => {
            return match Session::begin(core, &request, Handshakes::ALL) {
                Ok((begun, result)) => {
                    let version = begun.version().unwrap_or(version);
                    *session = begun;
                    (version, Ok(Reply::Result(result)))
                }
                Err(error) => (version, Err(error)),
            };
        }
        ("ping", _) => Ok(members_of(Vec::new())),
        ("logging/setLevel", Some(handshake)) if core.logging => set_level(handshake, &request),
        ("resources/subscribe" | "resources/unsubscribe", Some(handshake)) if core.catalog.has_resources() => {
            match handshake.subscriber.clone() {
                Some(subscriber) => subscribe(core, &subscriber, &request, version),
                None => Err(ErrorObject::method_not_found(request.method)),
            }
        }
        ("server/discover" | "subscriptions/listen", Some(_)) => Err(ErrorObject::method_not_found(request.method)),
        (_, Some(handshake)) => {
            let (peer, log_level) = (Some(Arc::clone(&handshake.peer)), *handshake.log_level());
            route(core, link, &Request { version, peer, log_level, ..request })
        }
        ("server/discover", None) if request.meta().protocol_version.is_some() => {
            Err(ErrorObject::method_not_found(request.method))
        }
        (_, None) => Err(ErrorObject::invalid_params(
            "send `initialize` first, or name the protocol version of the request in `params._meta`",
        )),
    };
    (version, reply)
}

fn members_of(members: Vec<u8>) -> Reply {
    Reply::Result(result_of(members))
}

fn result_of(members: Vec<u8>) -> ServerResult {
    ServerResult::Other(OtherResult::from_members(members.into(), Keep::No))
}

/// Serves `logging/setLevel` (Logging, Setting Log Level).
fn set_level(handshake: &Handshake, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let level = request.params.string("level")?;
    let level = level
        .parse()
        .map_err(|_| ErrorObject::invalid_params(format!("`params.level` must be one of {}", LoggingLevel::names())))?;
    *handshake.log_level() = Some(level);
    Ok(members_of(Vec::new()))
}

/// Serves `resources/subscribe` and `resources/unsubscribe` (Resources, Subscriptions).
fn subscribe(
    core: &Core,
    subscriber: &Subscriber,
    request: &Request<'_>,
    version: ProtocolVersion,
) -> Result<Reply, ErrorObject> {
    let uri = request.params.string("uri")?;
    if request.method == "resources/unsubscribe" {
        subscriber.remove(&uri);
        return Ok(members_of(Vec::new()));
    }
    check_uri(&uri).map_err(ErrorObject::invalid_params)?;
    if !core.catalog.knows_resource(&uri) {
        return Err(ErrorObject::resource_not_found(&uri, version));
    }
    subscriber.add(&uri).map_err(ErrorObject::invalid_params)?;
    Ok(members_of(Vec::new()))
}

/// A server of stateless requests alone says which versions it serves (Versioning, Backward Compatibility).
fn modern_only(core: &Core, request: &Request<'_>) -> ErrorObject {
    let requested = request.params.optional_string("protocolVersion").ok().flatten();
    match (request.method, requested) {
        ("initialize", Some(requested)) => ErrorObject::unsupported_version(&requested, &core.modern_versions()),
        _ => ErrorObject::invalid_params(format!(
            "`params._meta` must name the protocol version of the request: {}",
            ProtocolVersion::LATEST
        )),
    }
}

impl Session {
    /// Serves `initialize`: the session that it begins, and the result.
    ///
    /// # Errors
    ///
    /// When the params make no sense.
    pub(crate) fn begin(
        core: &Core,
        request: &Request<'_>,
        handshakes: Handshakes,
    ) -> Result<(Self, ServerResult), ErrorObject> {
        let (handshake, members) = initialize(core, request, handshakes)?;
        Ok((Self(Some(Arc::new(handshake))), result_of(members)))
    }

    /// A client of that revision of which nothing is known, for requests that stand alone.
    #[cfg(feature = "http")]
    pub(crate) fn unknown(version: ProtocolVersion) -> Self {
        let (peer, log_level, is_told) = (Arc::default(), Arc::default(), AtomicBool::new(true));
        Self(Some(Arc::new(Handshake { version, peer, log_level, subscriber: None, is_told })))
    }

    /// The same client where it can't be asked anything.
    #[cfg(feature = "http")]
    pub(crate) fn without_questions(&self) -> Self {
        Self(self.0.as_ref().map(|handshake| {
            Arc::new(Handshake {
                version: handshake.version,
                peer: Arc::new(Peer { info: handshake.peer.info.clone(), ..Peer::default() }),
                log_level: Arc::clone(&handshake.log_level),
                subscriber: handshake.subscriber.clone(),
                is_told: AtomicBool::new(true),
            })
        }))
    }
}

/// What a transport makes of handshakes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshakes {
    /// The oldest revision that has the transport.
    pub(crate) since: ProtocolVersion,
    /// Whether anything is known of the client later, so that it can be told of changes.
    pub(crate) is_remembered: bool,
}

impl Handshakes {
    pub(crate) const ALL: Self = Self { since: ProtocolVersion::V2024_11_05, is_remembered: true };
}

/// What a client says about itself is kept as long as its session, and there can be many.
const MOST_OF_CLIENT: usize = 64 * 1024;

/// "Requested version supported: the same string back; else another supported one" (Lifecycle, Version Negotiation).
fn initialize(core: &Core, request: &Request<'_>, handshakes: Handshakes) -> Result<(Handshake, Vec<u8>), ErrorObject> {
    let served: Vec<_> = core.legacy_versions().filter(|version| *version >= handshakes.since).collect();
    let requested = request.params.string("protocolVersion")?;
    let version = requested.parse().ok().filter(|version| served.contains(version));
    let Some(version) = version.or_else(|| served.iter().copied().max()) else {
        return Err(modern_only(core, request));
    };
    let raw = |name: &str| request.params.optional_object(name).map(|json| json.map(|json| json.raw().to_owned()));
    let peer = Peer { info: raw("clientInfo")?, capabilities: raw("capabilities")?, ..Peer::default() };
    let bytes = |raw: &Option<Box<RawValue>>| raw.as_ref().map_or(0, |raw| raw.get().len());
    if bytes(&peer.info) + bytes(&peer.capabilities) > MOST_OF_CLIENT {
        let text = "`params.clientInfo` and `params.capabilities` are longer than the limit of";
        return Err(ErrorObject::invalid_params(format!("{text} {MOST_OF_CLIENT} bytes")));
    }
    let mut capabilities = core.capabilities(version);
    if !handshakes.is_remembered {
        let kinds = capabilities.as_object_mut().into_iter().flat_map(Map::values_mut);
        for kind in kinds.filter_map(Value::as_object_mut) {
            kind.retain(|name, _| name != "listChanged" && name != "subscribe");
        }
    }
    // Of a kind that comes later the client knows nothing: it was not declared to it.
    let tells = |kind: &str| capabilities[kind]["listChanged"] == true;
    let filter = SubscriptionFilter {
        tools_list_changed: tells("tools"),
        prompts_list_changed: tells("prompts"),
        resources_list_changed: tells("resources"),
        ..SubscriptionFilter::default()
    };
    let tells = handshakes.is_remembered && core.catalog.changes();
    let subscriber = tells.then(|| core.catalog.changes.subscribe(&filter)).transpose();
    let subscriber = subscriber.map_err(ErrorObject::internal)?;

    let mut members = format!(r#""protocolVersion":"{version}","capabilities":{capabilities}"#).into_bytes();
    members.extend_from_slice(br#","serverInfo":"#);
    write_implementation(&mut members, &core.info, version);
    if let Some(instructions) = &core.instructions {
        members.extend_from_slice(br#","instructions":"#);
        write_string(&mut members, instructions);
    }
    let (log_level, is_told) = (Arc::default(), AtomicBool::new(false));
    Ok((Handshake { version, peer: Arc::new(peer), log_level, subscriber, is_told }, members))
}

/// The responses of a batch, until the last of them is known.
pub(crate) struct Batch {
    outbox: Outbox,
    state: Mutex<Collected>,
}

struct Collected {
    responses: Vec<Vec<u8>>,
    missing: usize,
}

impl Batch {
    /// Collects `expected` responses, and sends them as one array.
    pub(crate) fn new(outbox: Outbox, expected: usize) -> Arc<Self> {
        let state = Collected { responses: Vec::with_capacity(expected), missing: expected };
        Arc::new(Self { outbox, state: Mutex::new(state) })
    }

    /// Adds the response of a call. The last one sends them all.
    pub(crate) async fn add(&self, response: Vec<u8>) {
        let Some(array) = self.count(Some(response)) else { return };
        poll_fn(|cx| self.outbox.poll_push(cx, |out| out.extend_from_slice(&array)).map(drop)).await;
    }

    /// Adds a response, or notes that one will never come, without waiting for room.
    pub(crate) fn settle_now(&self, response: Option<Vec<u8>>) {
        if let Some(array) = self.count(response) {
            let _ = self.outbox.push_now(|out| out.extend_from_slice(&array));
        }
    }

    /// The array, when it is complete and there is anything in it.
    fn count(&self, response: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.responses.extend(response);
        state.missing = state.missing.saturating_sub(1);
        if state.missing > 0 || state.responses.is_empty() {
            return None;
        }
        let mut array = vec![b'['];
        array.extend_from_slice(&std::mem::take(&mut state.responses).join(&b','));
        array.push(b']');
        Some(array)
    }
}

/// Whether a request may be part of a batch: the handshake never is (Lifecycle, 2025-03-26), and neither is a stateless
/// request, whose revision knows no batches.
pub(crate) fn may_be_batched(method: &str, params: &Params<'_>) -> bool {
    method != "initialize" && !is_stateless(params)
}

/// Whether the params of a message say that it is a stateless one.
pub(crate) fn is_stateless(params: &Params<'_>) -> bool {
    params.meta().protocol_version.is_some()
}
