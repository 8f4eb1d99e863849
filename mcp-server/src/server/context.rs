//! What a handler knows about the call that it serves, and how it speaks to the client meanwhile.

use std::fmt;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::Notify;

use super::ask::Asked;
use super::dispatch::Request;
#[cfg(feature = "http")]
use super::link::Detour;
use super::link::Link;
use super::output::{Outbox, Writing};
use super::parameter::FromContext;
use super::principal::Principal;
use super::progress::{
    ProgressError, ProgressMessage, ProgressNumber, ProgressTotal, Report, Reported, Reporter, Step,
};
use super::result::ToolError;
use super::round::Round;
use super::state::Scope;
use super::{Core, Server};
use crate::protocol::{
    CLIENT_CAPABILITIES, CLIENT_INFO, ClientCapabilities, ErrorObject, Implementation, LoggingLevel, Number, Progress,
    ProgressToken, ProtocolVersion, RequestId,
};

/// The call that a handler serves: its reports, its cancellation, and what its client said about itself.
///
/// A parameter of this type is no argument of the tool. It can stand anywhere, or be left out, and its clones speak
/// for the same call.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Count to a number.
/// #[tool]
/// async fn count(n: u32, ctx: Context) -> Result<String, ToolError> {
///     for i in 1..=n {
///         ctx.report_progress(i, n, format!("counted {i}")).await?;
///     }
///     Ok(format!("counted to {n}"))
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Context(pub(crate) Arc<CallState>);

impl Context {
    /// Tells the client how far the call has come.
    ///
    /// `done` must be greater than in every earlier report of the call. `done` and `total` are any integers or
    /// floats; `total` is `None` when nobody knows. The message is anything like a string, or `None`.
    ///
    /// The report reaches the client before every later one and before the result. When the client does not read, the
    /// call waits here. A client that asked for no reports gets none, and all checks are the same.
    ///
    /// Specification: [Progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # async fn example(ctx: Context, copied: u64) -> Result<(), ToolError> {
    /// ctx.report_progress(1, 3, "exported A17").await?;
    /// ctx.report_progress(1.5, 3, None).await?;
    /// ctx.report_progress(copied, None, format!("{copied} bytes")).await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// A report that is refused sends nothing and leaves the call as it was; see [`ProgressError`].
    pub async fn report_progress(
        &self,
        done: impl ProgressNumber,
        total: impl ProgressTotal,
        message: impl ProgressMessage,
    ) -> Result<(), ProgressError> {
        let message = message.as_text();
        let report = Report { done: Step::To(done.number()), total: total.total(), message: message.as_deref() };
        self.0.report(report).await
    }

    /// As [`Context::report_progress`], for a tool that is a plain `fn`: holds the thread until there is room.
    ///
    /// Plain functions run on threads that may be held. In an `async fn` it would stop other calls.
    ///
    /// # Errors
    ///
    /// A report that is refused sends nothing and leaves the call as it was; see [`ProgressError`].
    pub fn report_progress_blocking(
        &self,
        done: impl ProgressNumber,
        total: impl ProgressTotal,
        message: impl ProgressMessage,
    ) -> Result<(), ProgressError> {
        let message = message.as_text();
        let report = Report { done: Step::To(done.number()), total: total.total(), message: message.as_deref() };
        self.0.report_blocking(report)
    }

    /// A counter that reports by itself, from many tasks at once if need be.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// let bar = ctx.progress(3);
    /// bar.advance(1, "exported A17").await?;
    /// bar.advance(2, "exported the rest").await?;
    /// # Ok(()) }
    /// ```
    pub fn progress(&self, total: impl ProgressTotal) -> ProgressBar {
        ProgressBar { call: Arc::clone(&self.0), total: total.total() }
    }

    /// Whether the call is to end: the client has given it up or is gone, or its time is over.
    ///
    /// An `async` tool is dropped at its next `.await` then; a plain `fn` asks here.
    pub fn is_cancelled(&self) -> bool {
        self.0.given_up.load(Ordering::Acquire)
    }

    /// Waits until the call is to end before it is done: for tasks that the tool has started elsewhere.
    pub async fn cancelled(&self) {
        self.0.ended().await;
    }

    /// The id of the request.
    pub fn request_id(&self) -> &RequestId {
        &self.0.id
    }

    /// The `_meta` of the request, whole.
    pub fn meta(&self) -> Map<String, Value> {
        self.0.meta.as_deref().and_then(|meta| serde_json::from_str(meta).ok()).unwrap_or_default()
    }

    /// The revision of the protocol that the request is written in.
    pub fn protocol_version(&self) -> ProtocolVersion {
        self.0.version
    }

    /// Who the client says that it is: for logs and for show, never to decide by.
    pub fn client_info(&self) -> Option<Implementation> {
        self.0.of_client(CLIENT_INFO, |peer| peer.info.as_deref())
    }

    /// Who the request speaks for, as its token has proved: only over HTTP, and where the server asks for tokens.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// /// Who calls.
    /// #[tool]
    /// async fn whoami(ctx: Context) -> String {
    ///     ctx.principal().map_or("nobody", |principal| principal.subject()).to_owned()
    /// }
    /// # let test = mcp_server::TestContext::new();
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # assert_eq!(runtime.block_on(whoami(test.context())), "nobody");
    /// ```
    ///
    /// Specification: [Authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).
    pub fn principal(&self) -> Option<&Principal> {
        self.0.principal.as_deref()
    }

    /// The headers of the HTTP request; `None` on other transports. Those that prove who asks are not among them:
    /// `Authorization`, `Proxy-Authorization`, `Cookie` and `Mcp-Session-Id`.
    ///
    /// ```
    /// # use mcp_server::Context;
    /// fn language(ctx: &Context) -> Option<&str> {
    ///     ctx.headers()?.get("accept-language")?.to_str().ok()
    /// }
    /// # assert_eq!(language(&mcp_server::TestContext::new().context()), None);
    /// ```
    #[cfg(feature = "http")]
    pub fn headers(&self) -> Option<&http::HeaderMap> {
        self.0.headers.as_deref()
    }

    /// Sends the client away while the call goes on: the HTTP response ends, and the client comes back for the rest after
    /// this time. For calls that take so long that no connection should be held for them. What is said meanwhile waits for
    /// it.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use mcp_server::prelude::*;
    /// # async fn train() {}
    /// /// Train for an hour.
    /// #[tool]
    /// async fn begin(ctx: Context) -> &'static str {
    ///     ctx.reconnect_after(Duration::from_secs(60)).await;
    ///     train().await;
    ///     "trained"
    /// }
    /// # let test = mcp_server::TestContext::new();
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    /// # assert_eq!(runtime.block_on(begin(test.context())), "trained");
    /// ```
    ///
    /// It takes a client of the revision 2025-11-25 with a session; `false`: this one can't be sent away, and nothing
    /// happens.
    ///
    /// Specification: [Streamable HTTP](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server).
    #[cfg(feature = "http")]
    pub async fn reconnect_after(&self, time: Duration) -> bool {
        let Some(detour) = &self.0.detour else { return false };
        detour.reconnect_after(time);
        // What was said so far goes out first.
        tokio::task::yield_now().await;
        true
    }

    /// What the client can do, as far as the request, or its handshake, says so.
    pub fn client_capabilities(&self) -> ClientCapabilities {
        self.0.client_capabilities()
    }
}

impl FromContext for Context {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        Ok(context.clone())
    }
}

/// A counter whose every step is a report; see [`Context::progress`].
#[derive(Clone, Debug)]
pub struct ProgressBar {
    call: Arc<CallState>,
    total: Option<Number>,
}

impl ProgressBar {
    /// Counts on and reports where that leads. Never fails for order, however many tasks share the counter.
    ///
    /// # Errors
    ///
    /// When the call has ended, or the step is not finite; see [`ProgressError`].
    pub async fn advance(&self, step: impl ProgressNumber, message: impl ProgressMessage) -> Result<(), ProgressError> {
        let message = message.as_text();
        let report = Report { done: Step::By(step.number()), total: self.total, message: message.as_deref() };
        self.call.report(report).await
    }

    /// As [`ProgressBar::advance`], for a tool that is a plain `fn`.
    ///
    /// # Errors
    ///
    /// When the call has ended, or the step is not finite; see [`ProgressError`].
    pub fn advance_blocking(
        &self,
        step: impl ProgressNumber,
        message: impl ProgressMessage,
    ) -> Result<(), ProgressError> {
        let message = message.as_text();
        let report = Report { done: Step::By(step.number()), total: self.total, message: message.as_deref() };
        self.call.report_blocking(report)
    }
}

/// One call, shared by its context's clones and by the connection that serves it.
pub(crate) struct CallState {
    pub(crate) core: Arc<Core>,
    pub(crate) id: RequestId,
    pub(crate) version: ProtocolVersion,
    /// The `_meta` of the request, a JSON object.
    pub(crate) meta: Option<Box<str>>,
    /// What the handshake said, where there was one.
    pub(crate) peer: Option<Arc<Peer>>,
    pub(crate) reporter: Reporter,
    /// The work is to end before it is done.
    pub(crate) given_up: AtomicBool,
    /// The handler has come to its end.
    pub(crate) done: AtomicBool,
    /// Told of both.
    pub(crate) cancelled: Notify,
    /// The call is being tried by the task that reads the connection: it must give way after a report, or nobody
    /// would write it.
    pub(crate) tried: AtomicBool,
    /// From which level on the client wants log messages.
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) round: Round,
    /// Who the client is, for limits that count by client.
    pub(crate) client: Arc<str>,
    pub(crate) principal: Option<Arc<Principal>>,
    #[cfg(feature = "http")]
    pub(crate) headers: Option<Arc<http::HeaderMap>>,
    #[cfg(feature = "http")]
    detour: Option<Arc<dyn Detour>>,
    /// What belongs to the mounted server that the call is for.
    pub(crate) scope: OnceLock<Arc<Scope>>,
}

/// What a client said about itself in its handshake.
#[derive(Debug, Default)]
pub(crate) struct Peer {
    pub(crate) info: Option<Box<RawValue>>,
    pub(crate) capabilities: Option<Box<RawValue>>,
    /// The questions that wait for its answer.
    pub(crate) asked: Asked,
}

impl CallState {
    /// Begins a call, unless a layer has done so already.
    ///
    /// # Errors
    ///
    /// When what the request says about itself makes no sense.
    pub(crate) fn begin(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Arc<Self>, ErrorObject> {
        if let Some(state) = &request.state {
            return Ok(Arc::clone(state));
        }
        let meta = request.meta();
        let token =
            match meta.progress_token.filter(|json| !json.is_null()) {
                None => None,
                Some(json) => Some(ProgressToken::read(json).ok_or_else(|| {
                    ErrorObject::invalid_params("`_meta.progressToken` must be a string or an integer")
                })?),
            };
        let log_level = if request.version.is_modern() { meta.log_level()? } else { request.log_level };
        let is_asking = matches!(request.method, "tools/call" | "prompts/get" | "resources/read");
        let round = if is_asking && request.version.is_modern() {
            let can_be_asked = meta.client_capabilities.is_some_and(|json| json.get().contains('"'));
            Round::begin(
                core,
                request.method,
                &request.params,
                link.principal.as_ref().map(|principal| principal.key()),
                can_be_asked,
            )?
        } else {
            Round::default()
        };
        Ok(Arc::new(Self {
            core: Arc::clone(core),
            id: request.id.clone(),
            version: request.version,
            meta: meta.raw.map(|json| json.get().into()),
            peer: request.peer.clone(),
            reporter: Reporter::new(
                token.as_ref(),
                link.outbox.clone(),
                core.settings.progress_interval,
                request.version,
            ),
            given_up: AtomicBool::new(false),
            done: AtomicBool::new(false),
            cancelled: Notify::new(),
            tried: AtomicBool::new(false),
            log_level: log_level.filter(|_| core.logging),
            round,
            client: Arc::clone(&link.client),
            principal: link.principal.clone(),
            #[cfg(feature = "http")]
            headers: link.headers.clone(),
            #[cfg(feature = "http")]
            detour: link.detour.clone(),
            scope: OnceLock::new(),
        }))
    }

    async fn report(&self, report: Report<'_>) -> Result<(), ProgressError> {
        match poll_fn(|cx| self.reporter.poll_report(cx, report)).await? {
            Reported::Queued { overdue } if overdue || self.tried.load(Ordering::Relaxed) => {
                tokio::task::yield_now().await;
            }
            _ => tokio::task::consume_budget().await,
        }
        Ok(())
    }

    fn report_blocking(&self, report: Report<'_>) -> Result<(), ProgressError> {
        // The task that must write is this very one: it can't be waited for.
        self.reporter.report_blocking(report, !self.tried.load(Ordering::Relaxed) && !Writing::is_here())
    }

    /// Nobody waits for the call any more: nothing of it is sent. `false`: its response is queued already.
    pub(crate) fn cancel(&self) -> bool {
        let in_time = self.reporter.cancel();
        self.give_up();
        in_time
    }

    /// The work is to end, whoever does it.
    pub(crate) fn give_up(&self) {
        self.given_up.store(true, Ordering::Release);
        self.cancelled.notify_waiters();
    }

    /// Waits until the work is to end before it is done.
    async fn ended(&self) {
        self.wait_until(|| self.given_up.load(Ordering::Acquire)).await;
    }

    /// Whether the call has its result, or will have none.
    pub(crate) fn is_over(&self) -> bool {
        self.given_up.load(Ordering::Acquire) || self.done.load(Ordering::Acquire)
    }

    /// Waits until the call has its result, or will have none: for what goes on elsewhere.
    pub(crate) async fn over(&self) {
        self.wait_until(|| self.is_over()).await;
    }

    async fn wait_until(&self, is_so: impl Fn() -> bool) {
        loop {
            let notified = self.cancelled.notified();
            tokio::pin!(notified);
            // Listening begins before the question, so that an end in between is not missed.
            notified.as_mut().enable();
            if is_so() {
                return;
            }
            notified.await;
        }
    }

    /// The handler has come to its end.
    pub(crate) fn finished(&self) {
        self.done.store(true, Ordering::Release);
        self.cancelled.notify_waiters();
    }

    /// The value of that type which the server shares, or the mounted server that the call is for.
    pub(crate) fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.scope.get().and_then(|scope| scope.state()).or_else(|| self.core.states.get())
    }

    pub(crate) fn client_capabilities(&self) -> ClientCapabilities {
        self.of_client(CLIENT_CAPABILITIES, |peer| peer.capabilities.as_deref()).unwrap_or_default()
    }

    fn of_client<T: for<'de> Deserialize<'de>>(
        &self,
        key: &str,
        of_peer: impl FnOnce(&Peer) -> Option<&RawValue>,
    ) -> Option<T> {
        match &self.peer {
            Some(peer) => serde_json::from_str(of_peer(peer)?.get()).ok(),
            None => {
                let mut meta: Map<String, Value> = serde_json::from_str(self.meta.as_deref()?).ok()?;
                serde_json::from_value(meta.remove(key)?).ok()
            }
        }
    }
}

impl fmt::Debug for CallState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallState").field("id", &self.id).field("version", &self.version).finish_non_exhaustive()
    }
}

/// A context for a unit test, and what was reported through it.
///
/// ```
/// use mcp_server::TestContext;
/// use mcp_server::prelude::*;
///
/// /// Count to a number.
/// #[tool]
/// async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
///     for i in 1..=n {
///         ctx.report_progress(i, n, None).await?;
///     }
///     Ok(n)
/// }
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let test = TestContext::new();
/// assert_eq!(count(2, test.context()).await.unwrap(), 2);
/// let reports: Vec<String> = test.reports().iter().map(ToString::to_string).collect();
/// assert_eq!(reports, ["1/2", "2/2"]);
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct TestContext {
    context: Context,
    outbox: Outbox,
    reports: Arc<std::sync::Mutex<Vec<Progress>>>,
}

impl TestContext {
    /// A call whose client listens to reports, of the newest revision and without capabilities.
    pub fn new() -> Self {
        Self::of(Peer::default())
    }

    fn of(peer: Peer) -> Self {
        let outbox = Outbox::new(usize::MAX, Duration::ZERO);
        let token = ProgressToken::from(1);
        let call = CallState {
            core: Server::new("test").build(),
            id: RequestId::from(1),
            version: ProtocolVersion::LATEST,
            meta: None,
            // Questions are asked at once: there is nobody who would call again with the answers.
            peer: Some(Arc::new(peer)),
            reporter: Reporter::new(Some(&token), outbox.clone(), Duration::ZERO, ProtocolVersion::LATEST),
            given_up: AtomicBool::new(false),
            done: AtomicBool::new(false),
            cancelled: Notify::new(),
            tried: AtomicBool::new(false),
            log_level: None,
            round: Round::default(),
            principal: None,
            #[cfg(feature = "http")]
            headers: None,
            #[cfg(feature = "http")]
            detour: None,
            client: Arc::from("test"),
            scope: OnceLock::new(),
        };
        Self { context: Context(Arc::new(call)), outbox, reports: Arc::default() }
    }

    /// The context to hand to the tool.
    pub fn context(&self) -> Context {
        self.context.clone()
    }

    /// All that has been reported, as a client would read it.
    pub fn reports(&self) -> Vec<Progress> {
        /// The message of a report, as far as a test asks for it.
        #[derive(Deserialize)]
        struct Message {
            params: crate::protocol::ProgressParams,
        }
        let mut reports = self.reports.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for line in self.outbox.drain().split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let message: Message = serde_json::from_slice(line).expect("only reports are queued here");
            reports.push(message.params.progress());
        }
        reports.clone()
    }

    /// A call whose client can be asked everything, and answers like this: with the method and the params of a question, it
    /// gives the result, or `None` when it refuses.
    ///
    /// ```
    /// use mcp_server::TestContext;
    /// use mcp_server::prelude::*;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Confirmation {
    ///     sure: bool,
    /// }
    ///
    /// /// Ask first.
    /// #[tool]
    /// async fn careful(ctx: Context) -> Result<&'static str, ToolError> {
    ///     match ctx.elicit::<Confirmation>("Sure?").await? {
    ///         Elicited::Accept(Confirmation { sure: true }) => Ok("done"),
    ///         _ => Ok("left alone"),
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let test = TestContext::answering(|method, _params| {
    ///     (method == "elicitation/create").then(|| json!({ "action": "accept", "content": { "sure": true } }))
    /// });
    /// assert_eq!(careful(test.context()).await.unwrap(), "done");
    /// # });
    /// ```
    pub fn answering(answer: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        let everything = r#"{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{},"context":{}},"roots":{}}"#;
        let capabilities = RawValue::from_string(everything.to_owned()).ok();
        Self::of(Peer { capabilities, asked: Asked::answered_by(answer), ..Peer::default() })
    }

    /// Gives up the call, as a client would.
    pub fn cancel(&self) {
        self.context.0.cancel();
    }
}

impl Default for TestContext {
    fn default() -> Self {
        Self::new()
    }
}
