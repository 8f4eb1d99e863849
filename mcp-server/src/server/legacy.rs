//! The adapter for the revisions that begin with a handshake: 2024-11-05 to 2025-11-25.
//!
//! It is the only place that knows `initialize`. What a client said there it fills into each later request, so that
//! the rest of the server sees no difference. One process serves both eras at once.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};

use super::Core;
use super::context::Peer;
use super::dispatch::{Keep, Reply, Request, dispatch};
use super::output::Outbox;
use crate::protocol::{ErrorObject, ProtocolVersion, write_implementation};

/// What is known of a connection's client since its handshake. A connection of stateless requests has none.
#[derive(Debug, Default)]
pub(crate) struct Session(Option<Handshake>);

#[derive(Debug)]
struct Handshake {
    version: ProtocolVersion,
    peer: Arc<Peer>,
}

impl Session {
    /// Whether several messages may come in one, as an array. "Removed in 2025-06-18."
    pub(crate) fn takes_batches(&self) -> bool {
        self.0.as_ref().is_some_and(|handshake| handshake.version == ProtocolVersion::V2025_03_26)
    }
}

/// Serves a request without the marks of the stateless revision.
pub(crate) fn serve<'a>(
    core: &'a Arc<Core>,
    session: &mut Session,
    outbox: &Outbox,
    request: Request<'_>,
) -> (ProtocolVersion, Result<Reply<'a>, ErrorObject>) {
    let version = session.0.as_ref().map_or(ProtocolVersion::LATEST_LEGACY, |handshake| handshake.version);
    if core.legacy_versions().next().is_none() {
        return (version, Err(modern_only(core, &request)));
    }
    let reply = match (request.method, &session.0) {
        // A second handshake would change the rules under calls that still run.
        ("initialize", Some(_)) => Err(ErrorObject::invalid_request("the connection is initialized already")),
        ("initialize", None) => {
            return match initialize(core, &request) {
                Ok((handshake, members)) => {
                    let version = handshake.version;
                    session.0 = Some(handshake);
                    (version, Ok(Reply::Members(members.into(), Keep::No)))
                }
                Err(error) => (version, Err(error)),
            };
        }
        ("ping", _) => Ok(Reply::Members([].as_slice().into(), Keep::No)),
        (_, Some(handshake)) => {
            let peer = Some(Arc::clone(&handshake.peer));
            dispatch(core, outbox, Request { version, peer, ..request })
        }
        ("server/discover", None) if request.meta.protocol_version.is_some() => {
            Err(ErrorObject::method_not_found(request.method))
        }
        (_, None) => Err(ErrorObject::invalid_params(
            "send `initialize` first, or name the protocol version of the request in `params._meta`",
        )),
    };
    (version, reply)
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

/// "Requested version supported: the same string back; else another supported one" (Lifecycle, Version Negotiation).
fn initialize(core: &Core, request: &Request<'_>) -> Result<(Handshake, Vec<u8>), ErrorObject> {
    let requested = request.params.string("protocolVersion")?;
    let version = requested.parse().ok().filter(|version| core.legacy_versions().any(|served| served == *version));
    let version = version.or_else(|| core.legacy_versions().max()).expect("there is a version with a handshake");
    let raw = |name: &str| request.params.optional_object(name).map(|raw| raw.map(ToOwned::to_owned));
    let peer: Peer = Peer { info: raw("clientInfo")?, capabilities: raw("capabilities")? };

    let mut members = format!(r#""protocolVersion":"{version}","capabilities":{}"#, core.capabilities()).into_bytes();
    members.extend_from_slice(br#","serverInfo":"#);
    write_implementation(&mut members, &core.info, version);
    if let Some(instructions) = &core.instructions {
        members.extend_from_slice(br#","instructions":"#);
        serde_json::to_writer(&mut members, instructions).expect("a Vec takes every byte");
    }
    Ok((Handshake { version, peer: Arc::new(peer) }, members))
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

/// Whether a request may be part of a batch: the handshake never is (Lifecycle, 2025-03-26).
pub(crate) fn may_be_batched(method: &str) -> bool {
    method != "initialize"
}
