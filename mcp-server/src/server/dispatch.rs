//! Every method of the protocol on one screen.
//!
//! What arrives here is the same for both eras: the stateless revision says in each request what the older ones said
//! in their handshake, which [`legacy`](super::legacy) fills in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tokio::sync::Notify;

use super::Core;
use super::call::StartedCall;
use super::context::{CallState, Context, Peer};
use super::legacy::{self, Session};
use super::output::Outbox;
use super::progress::Reporter;
use crate::protocol::{ErrorObject, Meta, Params, ProgressToken, ProtocolVersion, RequestId};

/// A request, as far as it is understood before its method is looked at.
pub(crate) struct Request<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Params<'a>,
    pub(crate) meta: Meta<'a>,
    /// The revision that the answer is written in.
    pub(crate) version: ProtocolVersion,
    /// What the handshake said, where there was one.
    pub(crate) peer: Option<Arc<Peer>>,
}

/// What becomes of a request that is no error.
pub(crate) enum Reply<'a> {
    /// The members of the result, and whether it tells how long it may be kept.
    Members(std::borrow::Cow<'a, [u8]>, Keep),
    /// The members come when the call has run.
    Call(Box<StartedCall>),
}

/// Whether a result tells how long it may be kept (Caching).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    Cacheable,
    No,
}

/// Serves one request. The answer is written in the revision that comes with it.
pub(crate) fn serve<'a>(
    core: &'a Arc<Core>,
    session: &mut Session,
    outbox: &Outbox,
    id: &RequestId,
    method: &str,
    params: Option<&serde_json::value::RawValue>,
) -> (ProtocolVersion, Result<Reply<'a>, ErrorObject>) {
    let read = Params::read(params).and_then(|params| {
        let meta = match params.get("_meta") {
            None => Meta::default(),
            Some(raw) => {
                Meta::read(raw).ok_or_else(|| ErrorObject::invalid_params("`params._meta` must be an object"))?
            }
        };
        Ok((params, meta))
    });
    let (params, meta) = match read {
        Ok(read) => read,
        Err(error) => return (ProtocolVersion::LATEST, Err(error)),
    };
    // "A message whose `_meta` has the protocol version is modern, whatever its method" (Versioning).
    if meta.protocol_version.is_none() || !core.speaks(ProtocolVersion::LATEST) {
        return legacy::serve(
            core,
            session,
            outbox,
            Request { id, method, params, meta, version: ProtocolVersion::LATEST_LEGACY, peer: None },
        );
    }
    let version = ProtocolVersion::LATEST;
    let request = Request { id, method, params, meta, version, peer: None };
    (version, check_modern(core, &request.meta).and_then(|()| dispatch(core, outbox, request)))
}

/// What the stateless revision asks of every request (`_meta`).
fn check_modern(core: &Core, meta: &Meta<'_>) -> Result<(), ErrorObject> {
    use crate::protocol::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};

    let Some(requested) = meta.version() else {
        return Err(ErrorObject::invalid_params(format!("`_meta` must have `{PROTOCOL_VERSION}`: a string")));
    };
    if !requested.parse().is_ok_and(|version: ProtocolVersion| version.is_modern()) {
        return Err(ErrorObject::unsupported_version(&requested, &core.modern_versions()));
    }
    if meta.client_capabilities.is_none_or(|raw| !raw.get().starts_with('{')) {
        let message = format!("`_meta` must have `{CLIENT_CAPABILITIES}`: an object, `{{}}` for none");
        return Err(ErrorObject::invalid_params(message));
    }
    Ok(())
}

/// The methods that both eras have, and the one that only the stateless one has.
pub(crate) fn dispatch<'a>(
    core: &'a Arc<Core>,
    outbox: &Outbox,
    request: Request<'_>,
) -> Result<Reply<'a>, ErrorObject> {
    match request.method {
        "server/discover" if request.version.is_modern() => {
            Ok(Reply::Members(core.discover_members().into(), Keep::Cacheable))
        }
        // "not advertised means -32601" (Tools, Capabilities)
        "tools/list" if !core.tools.is_empty() => {
            let cursor = request.params.optional_string("cursor")?;
            let page = core.tools.page(cursor.as_deref(), core.settings.page_size, request.version)?;
            Ok(Reply::Members(page.into(), Keep::Cacheable))
        }
        "tools/call" if !core.tools.is_empty() => call_tool(core, outbox, request),
        method => Err(ErrorObject::method_not_found(method)),
    }
}

fn call_tool<'a>(core: &Arc<Core>, outbox: &Outbox, request: Request<'_>) -> Result<Reply<'a>, ErrorObject> {
    let name = request.params.string("name")?;
    let arguments = request.params.optional_object("arguments")?;
    let tool = core.tools.get(&name)?.clone();
    let token = match request.meta.progress_token.filter(|raw| raw.get() != "null") {
        None => None,
        Some(raw) => Some(
            ProgressToken::read(raw)
                .ok_or_else(|| ErrorObject::invalid_params("`_meta.progressToken` must be a string or an integer"))?,
        ),
    };
    let state = Arc::new(CallState {
        id: request.id.clone(),
        version: request.version,
        meta: request.meta.raw.map(ToOwned::to_owned),
        peer: request.peer,
        reporter: Reporter::new(token.as_ref(), outbox.clone(), core.settings.progress_interval, request.version),
        given_up: AtomicBool::new(false),
        cancelled: Notify::new(),
        tried: AtomicBool::new(false),
    });
    let context = Context(Arc::clone(&state));
    // The author's types are read here, by code that may panic like any other.
    let step =
        catch_unwind(AssertUnwindSafe(|| tool.call(arguments.map(|raw| raw.get()), &context).0)).map_err(|_| {
            state.reporter.finish_now();
            ErrorObject::internal(format!("the tool `{}` failed unexpectedly", tool.name()))
        })?;
    Ok(Reply::Call(Box::new(StartedCall { core: Arc::clone(core), tool, state, step, batch: None })))
}

impl Keep {
    /// The safe answer where nothing is known: not at all, and for nobody else.
    pub(crate) fn write(self, out: &mut Vec<u8>, version: ProtocolVersion) {
        if self == Self::Cacheable && version.is_modern() {
            out.extend_from_slice(br#","ttlMs":0,"cacheScope":"private""#);
        }
    }
}
