//! Every method of the protocol on one screen.
//!
//! What arrives here is the same for both eras: the stateless revision says in each request what the older ones said
//! in their handshake, which [`legacy`](super::legacy) fills in.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::Core;
use super::call::StartedCall;
use super::context::{CallState, Context, Peer};
use super::handler::Step;
use super::layer;
use super::legacy::{self, Session};
use super::link::Link;
use super::outcome::{Caching, Finished, Keep, OtherResult, ServerResult, Subject};
use super::registry::{Item, Registry};
use super::state::Scope;
use super::tool::Tool;
use super::{completion, listen, prompts, resources};
use crate::protocol::{
    CLIENT_CAPABILITIES, CacheScope, ErrorObject, LoggingLevel, Meta, PROTOCOL_VERSION, Params, ProtocolVersion,
    RawJson, RequestId,
};

/// A request, as far as it is understood before its method is looked at.
pub(crate) struct Request<'a> {
    pub(crate) id: &'a RequestId,
    pub(crate) method: &'a str,
    pub(crate) params: Params<'a>,
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
    Call(StartedCall),
}

impl<'a> Request<'a> {
    /// # Errors
    ///
    /// When the params or their `_meta` are no objects.
    pub(crate) fn read(id: &'a RequestId, method: &'a str, params: Params<'a>) -> Result<Self, ErrorObject> {
        params.check()?;
        let version = ProtocolVersion::LATEST;
        Ok(Self { id, method, params, version, peer: None, log_level: None, state: None })
    }

    /// What it says about itself.
    pub(crate) fn meta(&self) -> &Meta<'a> {
        self.params.meta()
    }
}

/// Serves one request. The answer is written in the revision that comes with it.
pub(crate) fn serve(
    core: &Arc<Core>,
    session: &mut Session,
    link: &Link,
    request: Request<'_>,
) -> (ProtocolVersion, Result<Reply, ErrorObject>) {
    // "A message whose `_meta` has the protocol version is modern, whatever its method" (Versioning).
    if request.meta().protocol_version.is_none() || !core.speaks(ProtocolVersion::LATEST) {
        return legacy::serve(core, session, link, request);
    }
    (request.version, check_modern(core, request.meta()).and_then(|()| route(core, link, &request)))
}

/// What the stateless revision asks of every request (`_meta`).
fn check_modern(core: &Core, meta: &Meta<'_>) -> Result<(), ErrorObject> {
    check_version(core, &requested_version(meta)?)?;
    check_capabilities(meta)?;
    meta.log_level().map(drop)
}

/// The version that a stateless request names.
pub(crate) fn requested_version<'a>(meta: &Meta<'a>) -> Result<Cow<'a, str>, ErrorObject> {
    let fault = || ErrorObject::invalid_params(format!("`_meta` must have `{PROTOCOL_VERSION}`: a string"));
    meta.version().ok_or_else(fault)
}

/// Whether the version is one of stateless requests that is served.
pub(crate) fn check_version(core: &Core, requested: &str) -> Result<(), ErrorObject> {
    match requested.parse() {
        Ok(version) if ProtocolVersion::is_modern(version) && core.speaks(version) => Ok(()),
        _ => Err(ErrorObject::unsupported_version(requested, &core.modern_versions())),
    }
}

/// Whether a stateless request says what its client can do.
pub(crate) fn check_capabilities(meta: &Meta<'_>) -> Result<(), ErrorObject> {
    if meta.client_capabilities.is_some_and(RawJson::is_object) {
        return Ok(());
    }
    let message = format!("`_meta` must have `{CLIENT_CAPABILITIES}`: an object, `{{}}` for none");
    Err(ErrorObject::invalid_params(message))
}

/// Leads a request of either era through the layers of the server, if it has some, to its method.
pub(crate) fn route(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    if core.layers.is_empty() {
        return dispatch(core, link, request);
    }
    let state = CallState::begin(core, link, request)?;
    let (link, log_level) = (link.clone(), request.log_level);
    let seen = layer::Request::new(request.method, request.params.raw(), Context(Arc::clone(&state)));
    let running =
        core.layers.clone().around(seen, move |seen| Box::pin(async move { innermost(&link, log_level, &seen).await }));
    let subject = subject_of(core, request);
    Ok(Reply::Call(StartedCall::new(subject, state, Step::Run(Box::pin(running)))))
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
        let request = Request::read(&state.id, seen.method(), Params::of(seen.params().map(RawJson::from)))?;
        let (peer, version) = (state.peer.clone(), state.version);
        let request = Request { peer, version, log_level, state: Some(Arc::clone(state)), ..request };
        dispatch(&state.core, link, &request)?
    };
    match reply {
        Reply::Result(result) => Ok(result),
        Reply::Call(call) => call.finish().await,
    }
}

/// The methods that both eras have, and those that only the stateless one has.
fn dispatch(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let catalog = &*core.catalog;
    let is_modern = request.version.is_modern();
    match request.method {
        "server/discover" if is_modern => Ok(members(core.discover_members(), core.keep())),
        // "not advertised means -32601" (Tools, Capabilities)
        "tools/list" if catalog.has_tools() => list_tools(core, link, request),
        "tools/call" => call_tool(core, link, request),
        "resources/list" if catalog.has_resources() => list(core, &catalog.resources, request),
        "resources/templates/list" if catalog.has_resources() => list(core, &catalog.templates, request),
        "resources/read" if catalog.has_resources() => resources::read(core, link, request),
        "prompts/list" if catalog.has_prompts() => list(core, &catalog.prompts, request),
        "prompts/get" if catalog.has_prompts() => prompts::get(core, link, request),
        "completion/complete" if catalog.completes() => completion::complete(core, link, request),
        "subscriptions/listen" if is_modern && catalog.changes() => listen::listen(core, link, request),
        method => match core.extensions.method(method) {
            Some(method) => method.call(core, link, request),
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

/// Whoever has proved who they are see the tools that they may call.
fn list_tools(core: &Core, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let tools = core.catalog.tools.shelf();
    let Some(principal) = link.principal.as_deref().filter(|_| tools.asks_for_scopes()) else {
        return list(core, &core.catalog.tools, request);
    };
    let cursor = request.params.optional_string("cursor")?;
    let is_listed = |tool: &Tool| tool.is_open_to(principal);
    let page = tools.page_of(is_listed, cursor.as_deref(), core.settings.page_size, request.version)?;
    // Nobody else may see this list, whatever is said of others.
    let keep = Keep::For(Caching { scope: CacheScope::Private, ..core.caching });
    Ok(Reply::Result(ServerResult::Other(OtherResult::from_members(page, keep))))
}

fn call_tool(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let tools = core.catalog.tools.shelf();
    if !tools.is_announced() {
        return Err(ErrorObject::method_not_found(request.method));
    }
    let name = request.params.string("name")?;
    let arguments = request.params.optional_object("arguments")?;
    let tool = tools.tool(&name)?.clone();
    // The transport says what is missing; a layer may have led the call elsewhere since.
    if link.principal.as_ref().is_some_and(|principal| !tool.is_open_to(principal)) {
        return Err(ErrorObject::invalid_request(format!(
            "the tool `{}` takes scopes that the token lacks",
            tool.name()
        )));
    }
    let scope = tool.0.scope.clone();
    let start = |context: &Context| tool.call(arguments.map(RawJson::get), context);
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
        Some(scope) => scope.mounted(|| layer::Request::new(request.method, request.params.raw(), context), step),
        None => step,
    };
    Ok(Reply::Call(StartedCall::new(subject, state, step)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};
    use tokio::sync::watch;

    use super::super::output::Outbox;
    use super::super::{Principal, Server};
    use super::*;
    use crate::protocol::{CLIENT_CAPABILITIES, PROTOCOL_VERSION};

    fn tool(name: &'static str, scopes: &[&'static str]) -> Tool {
        let mut tool = Tool::builder(name);
        tool.scopes(scopes.iter().copied());
        tool.call(|_: serde_json::Map<String, Value>, _: Context| async {})
    }

    fn shop() -> Server {
        Server::new("shop")
            .tool(tool("stock", &[]))
            .tool(tool("order", &["orders:write"]))
            .tool(tool("orders", &["orders:read"]))
            .tool(tool("refund", &["orders:read", "orders:write"]))
            .tool(tool("hours", &[]))
    }

    /// The names on a page of the list of tools, the next cursor, and who may keep it.
    fn listed(
        core: &Arc<Core>,
        principal: Option<Principal>,
        cursor: Option<&str>,
    ) -> Result<(Vec<String>, Option<String>, CacheScope), ErrorObject> {
        let (_, closing) = watch::channel(false);
        let link = Link {
            outbox: Outbox::new(1024, Duration::ZERO),
            closing,
            client: Arc::from("test"),
            principal: principal.map(Arc::new),
            #[cfg(feature = "http")]
            headers: None,
            #[cfg(feature = "http")]
            detour: None,
        };
        let meta = json!({ PROTOCOL_VERSION: "2026-07-28", CLIENT_CAPABILITIES: {} });
        let params = serde_json::value::to_raw_value(&json!({ "cursor": cursor, "_meta": meta })).unwrap();
        let id = RequestId::from(1);
        let request = Request::read(&id, "tools/list", Params::of(Some(RawJson::from(&*params))))?;
        let (_, reply) = serve(core, &mut Session::default(), &link, request);
        let Reply::Result(ServerResult::Other(result)) = reply? else { panic!("no list") };
        let Keep::For(caching) = result.keep else { panic!("a list says for how long it may be kept") };
        let members: Value =
            serde_json::from_str(&format!("{{{}}}", str::from_utf8(&result.members).unwrap())).unwrap();
        let names = members["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        Ok((names.collect(), members["nextCursor"].as_str().map(str::to_owned), caching.scope))
    }

    fn anna(scopes: &[&str]) -> Option<Principal> {
        Some(Principal::new("https://login.example", "anna").scopes(scopes.iter().copied()))
    }

    // rows: TOOL-2, CACHE-3
    #[test]
    fn whoever_is_known_sees_the_tools_that_they_may_call() {
        let core = shop().cache(Duration::from_secs(60), CacheScope::Public).build();
        for (scopes, names) in [
            (&[][..], &["stock", "hours"][..]),
            (&["orders:read"], &["stock", "orders", "hours"]),
            (&["orders:write", "other"], &["stock", "order", "hours"]),
            (&["orders:write", "orders:read"], &["stock", "order", "orders", "refund", "hours"]),
        ] {
            let (listed, next, scope) = listed(&core, anna(scopes), None).unwrap();
            assert_eq!(listed, names);
            assert_eq!((next, scope), (None, CacheScope::Private));
        }
        let (all, _, scope) = listed(&core, None, None).unwrap();
        assert_eq!((all.len(), scope), (5, CacheScope::Public));
    }

    #[test]
    fn a_list_that_is_the_same_for_everybody_stays_public() {
        let core =
            Server::new("shop").tool(tool("stock", &[])).cache(Duration::from_secs(60), CacheScope::Public).build();
        assert!(!core.catalog.tools.shelf().asks_for_scopes());
        let (names, _, scope) = listed(&core, anna(&[]), None).unwrap();
        assert_eq!(names, ["stock"]);
        assert_eq!(scope, CacheScope::Public);
    }

    // rows: CACHE-2
    #[test]
    fn pages_are_those_of_the_list_that_is_seen() {
        let core = shop().page_size(2).build();
        let (names, next, scope) = listed(&core, anna(&["orders:read"]), None).unwrap();
        assert_eq!(names, ["stock", "orders"]);
        assert_eq!(scope, CacheScope::Private);
        let (names, last, scope) = listed(&core, anna(&["orders:read"]), next.as_deref()).unwrap();
        assert_eq!(names, ["hours"]);
        assert_eq!((last, scope), (None, CacheScope::Private));
        assert!(listed(&core, anna(&["orders:read"]), Some("tools-2")).is_err());
        assert!(listed(&core, anna(&[]), next.as_deref()).is_err());
        let (_, next, _) = listed(&core, None, Some("tools-1")).unwrap();
        assert_eq!(next.as_deref(), Some("tools-2"));
    }

    #[test]
    fn tools_of_a_mounted_server_keep_their_scopes() {
        let core = Server::new("market").mount("eu", shop()).build();
        assert!(core.catalog.tools.shelf().asks_for_scopes());
        let (names, _, scope) = listed(&core, anna(&[]), None).unwrap();
        assert_eq!(names, ["eu_stock", "eu_hours"]);
        assert_eq!(scope, CacheScope::Private);
    }
}
