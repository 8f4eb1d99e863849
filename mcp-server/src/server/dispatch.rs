//! Every method of the protocol on one screen.
//!
//! What arrives here is the same for both eras: the stateless revision says in each request what the older ones said
//! in their handshake, which [`legacy`](super::legacy) fills in.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::Core;
use super::call::StartedCall;
use super::context::{CallState, Context, Peer};
use super::handler::Step;
use super::layer;
use super::legacy::{self, Session};
use super::link::Link;
use super::outcome::{Finished, Keep, OtherResult, ServerResult, Subject};
use super::registry::{Item, Registry};
use super::state::Scope;
use super::{completion, listen, prompts, resources};
use crate::protocol::{ErrorObject, LoggingLevel, Meta, Params, ProtocolVersion, RequestId};

/// A request, as far as it is understood before its method is looked at.
pub(crate) struct Request<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    /// The params as they came …
    pub(crate) raw: Option<&'a RawValue>,
    /// … and their members.
    pub(crate) params: Params<'a>,
    pub(crate) meta: Meta<'a>,
    /// The revision that the answer is written in.
    pub(crate) version: ProtocolVersion,
    /// What the handshake said, where there was one.
    pub(crate) peer: Option<Arc<Peer>>,
    /// From which level on an older connection wants log messages.
    pub(crate) log_level: Option<LoggingLevel>,
    /// The call, where a layer has seen it already.
    pub(crate) state: Option<Arc<CallState>>,
}

/// What becomes of a request that is no error.
pub(crate) enum Reply {
    Result(ServerResult),
    /// The result comes when the call has run.
    Call(Box<StartedCall>),
}

impl<'a> Request<'a> {
    /// # Errors
    ///
    /// When the params or their `_meta` are no objects.
    pub(crate) fn read(id: &'a RequestId, method: &'a str, raw: Option<&'a RawValue>) -> Result<Self, ErrorObject> {
        let params = Params::read(raw)?;
        let meta = match params.get("_meta") {
            None => Meta::default(),
            Some(raw) => {
                Meta::read(raw).ok_or_else(|| ErrorObject::invalid_params("`params._meta` must be an object"))?
            }
        };
        let version = ProtocolVersion::LATEST;
        Ok(Self { id, method, raw, params, meta, version, peer: None, log_level: None, state: None })
    }
}

/// Serves one request. The answer is written in the revision that comes with it.
pub(crate) fn serve(
    core: &Arc<Core>,
    session: &mut Session,
    link: &Link,
    id: &RequestId,
    method: &str,
    params: Option<&RawValue>,
) -> (ProtocolVersion, Result<Reply, ErrorObject>) {
    let request = match Request::read(id, method, params) {
        Ok(request) => request,
        Err(error) => return (ProtocolVersion::LATEST, Err(error)),
    };
    // "A message whose `_meta` has the protocol version is modern, whatever its method" (Versioning).
    if request.meta.protocol_version.is_none() || !core.speaks(ProtocolVersion::LATEST) {
        return legacy::serve(core, session, link, request);
    }
    (request.version, check_modern(core, &request.meta).and_then(|()| route(core, link, request)))
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
    meta.log_level().map(drop)
}

/// Leads a request of either era through the layers of the server, if it has some, to its method.
pub(crate) fn route(core: &Arc<Core>, link: &Link, request: Request<'_>) -> Result<Reply, ErrorObject> {
    if core.layers.is_empty() {
        return dispatch(core, link, request);
    }
    let state = CallState::begin(core, link, &request)?;
    let (link, log_level) = (link.clone(), request.log_level);
    let seen = layer::Request::new(request.method, request.raw, Context(Arc::clone(&state)));
    let running =
        core.layers.clone().around(seen, move |seen| Box::pin(async move { innermost(&link, log_level, &seen).await }));
    let subject = subject_of(core, &request);
    Ok(Reply::Call(Box::new(StartedCall::new(subject, state, Step::Run(Box::pin(running))))))
}

/// What a request is about, before its method has looked at it.
fn subject_of(core: &Core, request: &Request<'_>) -> Subject {
    if request.method == "subscriptions/listen" {
        return Subject::Stream;
    }
    let name = (request.method == "tools/call").then(|| request.params.string("name").ok()).flatten();
    match name.and_then(|name| core.catalog.tools.shelf().get(&name).cloned()) {
        Some(tool) => Subject::Layered(tool),
        None => Subject::Other("method", request.method.into()),
    }
}

/// Serves a request that has come through all layers.
async fn innermost(link: &Link, log_level: Option<LoggingLevel>, seen: &layer::Request) -> Finished {
    let state = &seen.context().0;
    let reply = {
        let request = Request::read(&state.id, seen.method(), seen.params())?;
        let (peer, version) = (state.peer.clone(), state.version);
        let request = Request { peer, version, log_level, state: Some(Arc::clone(state)), ..request };
        dispatch(&state.core, link, request)?
    };
    match reply {
        Reply::Result(result) => Ok(result),
        Reply::Call(call) => call.finish().await,
    }
}

/// The methods that both eras have, and those that only the stateless one has.
fn dispatch(core: &Arc<Core>, link: &Link, request: Request<'_>) -> Result<Reply, ErrorObject> {
    let catalog = &*core.catalog;
    let is_modern = request.version.is_modern();
    match request.method {
        "server/discover" if is_modern => Ok(members(core.discover_members(), core.keep())),
        // "not advertised means -32601" (Tools, Capabilities)
        "tools/list" if catalog.has_tools() => list(core, &catalog.tools, &request),
        "tools/call" => call_tool(core, link, &request),
        "resources/list" if catalog.has_resources() => list(core, &catalog.resources, &request),
        "resources/templates/list" if catalog.has_resources() => list(core, &catalog.templates, &request),
        "resources/read" if catalog.has_resources() => resources::read(core, link, &request),
        "prompts/list" if catalog.has_prompts() => list(core, &catalog.prompts, &request),
        "prompts/get" if catalog.has_prompts() => prompts::get(core, link, &request),
        "completion/complete" if catalog.completes() => completion::complete(core, link, &request),
        "subscriptions/listen" if is_modern && catalog.changes() => listen::listen(core, link, &request),
        method => match core.extensions.method(method) {
            Some(method) => method.call(core, link, &request),
            None => Err(ErrorObject::method_not_found(method)),
        },
    }
}

fn members(members: Vec<u8>, keep: Keep) -> Reply {
    Reply::Result(ServerResult::Other(OtherResult::from_members(members.into(), keep)))
}

fn list<I: Item>(core: &Core, registry: &Registry<I>, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let cursor = request.params.optional_string("cursor")?;
    let page = registry.shelf().page(cursor.as_deref(), core.settings.page_size, request.version)?;
    Ok(Reply::Result(ServerResult::Other(OtherResult::from_members(page, core.keep()))))
}

fn call_tool(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let tools = core.catalog.tools.shelf();
    if !tools.is_announced() {
        return Err(ErrorObject::method_not_found(request.method));
    }
    let name = request.params.string("name")?;
    let arguments = request.params.optional_object("arguments")?;
    let tool = tools.tool(&name)?.clone();
    let scope = tool.0.scope.clone();
    let start = |context: &Context| tool.call(arguments.map(|raw| raw.get()), context);
    begin(core, link, request, Subject::Tool(tool.clone()), scope, start)
}

/// Begins a call: `start` reads what it was called with by the author's types, which may panic like any other code.
pub(crate) fn begin(
    core: &Arc<Core>,
    link: &Link,
    request: &Request<'_>,
    subject: Subject,
    scope: Option<Arc<Scope>>,
    start: impl FnOnce(&Context) -> Step,
) -> Result<Reply, ErrorObject> {
    let state = CallState::begin(core, link, request)?;
    if let Some(scope) = &scope {
        let _ = state.scope.set(Arc::clone(scope));
    }
    let context = Context(Arc::clone(&state));
    let step = catch_unwind(AssertUnwindSafe(|| start(&context))).map_err(|_| {
        state.reporter.finish_now();
        subject.failed()
    })?;
    // What runs inside of layers is looked after there, so that they see how it ended.
    let (subject, step) = match &scope {
        Some(scope) if scope.has_layers() => {
            let inner = StartedCall::new(subject.clone(), Arc::clone(&state), step);
            (subject.layered(), Step::Run(Box::pin(inner.finish())))
        }
        _ => (subject, step),
    };
    let step = match scope {
        Some(scope) => scope.mounted(|| layer::Request::new(request.method, request.raw, context), step),
        None => step,
    };
    Ok(Reply::Call(Box::new(StartedCall::new(subject, state, step))))
}
