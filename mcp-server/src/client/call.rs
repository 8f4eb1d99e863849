//! A call of a tool: built step by step, sent when it is awaited, and given up when it is dropped.

use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use serde_json::{Map, Value};

use super::request::{Limits, Options, Request, Step};
use super::{CallError, Client, results};
use crate::protocol::{CallToolResult, Progress, RESERVED_PREFIX, fault_of_key};

/// A limit for a call whose time starts anew with each report, unless one is set.
const MAX_TIMEOUT: Duration = Duration::from_secs(60 * 60);

/// A call of a tool: await it, or set it up first.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::prelude::*;
///
/// /// Count to n.
/// #[tool]
/// async fn count(n: u32, ctx: Context) -> Result<String, ToolError> {
///     for i in 1..=n {
///         ctx.report_progress(i, n, format!("said {i}")).await?;
///     }
///     Ok(format!("counted to {n}"))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::connect(Server::new("counter").tool(count)).await?;
/// let mut seen = Vec::new();
/// let result = client
///     .call_tool("count", json!({ "n": 3 }))
///     .on_progress(async |report: Progress| seen.push(report.to_string()))
///     .timeout(Duration::from_secs(5))
///     .await?;
/// assert_eq!(seen, ["1/3 said 1", "2/3 said 2", "3/3 said 3"]);
/// assert_eq!(result.text(), "counted to 3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// Dropping the future of a call gives the call up, and tells the server so.
#[must_use = "a call is sent when it is awaited"]
pub struct CallTool<'c, D = Quiet> {
    prepared: Prepared<'c>,
    drive: D,
}

/// How the events of a call reach the caller. The methods of [`CallTool`] choose one; nothing else implements it.
pub trait Drive<'c>: sealed::Sealed {
    /// What is awaited.
    type Future: Future<Output = Result<CallToolResult, CallError>>;

    /// Makes the call.
    fn drive(self, call: Prepared<'c>) -> Self::Future;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Quiet {}
    impl<M> Sealed for super::DriveFn<M> {}
}

/// Nobody listens to the reports of the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl<'c> Drive<'c> for Quiet {
    type Future = Calling<'c>;

    fn drive(self, call: Prepared<'c>) -> Calling<'c> {
        Calling(call.run(false))
    }
}

/// What makes a future of a call: that of [`CallTool::on_progress`] has a type without a name.
struct DriveFn<M>(M);

impl<'c, M, F> Drive<'c> for DriveFn<M>
where
    M: FnOnce(Prepared<'c>) -> F,
    F: Future<Output = Result<CallToolResult, CallError>>,
{
    type Future = F;

    fn drive(self, call: Prepared<'c>) -> F {
        (self.0)(call)
    }
}

/// A call with all that has been set.
pub struct Prepared<'c> {
    client: &'c Client,
    name: String,
    /// As JSON; an error says what they are instead.
    arguments: Result<String, String>,
    meta: Map<String, Value>,
    limits: Limits,
}

impl<'c> CallTool<'c> {
    pub(crate) fn new(client: &'c Client, name: String, arguments: Result<String, String>) -> Self {
        let limits = Limits { timeout: client.request_timeout, ..Limits::default() };
        Self { prepared: Prepared { client, name, arguments, meta: Map::new(), limits }, drive: Quiet }
    }

    /// Hands each report to `callback`: one at a time, in the order in which the server sent them, and all of them
    /// before the call is done.
    ///
    /// The callback runs as part of the call's own future, so that it may borrow from its surroundings, and one that
    /// is slow or panics is of no harm to other calls. While it is busy, up to 65,536 reports wait; beyond that the
    /// oldest of them make room for the newest.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// Count to n.
    /// # #[tool]
    /// # async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    /// #     for i in 1..=n {
    /// #         ctx.report_progress(i, n, None::<&str>).await?;
    /// #     }
    /// #     Ok(n)
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("counter").tool(count)).await?;
    /// client
    ///     .call_tool("count", json!({ "n": 3 }))
    ///     .on_progress(async |report: Progress| println!("{report}"))
    ///     .await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// In a task of its own, or wherever else the future must be `Send`, let the callback own what it uses
    /// (`async move |report| …`), or take the [stream](CallTool::progress_stream): today's compiler can't tell that the
    /// future of an async closure that borrows is `Send`, and says that an implementation "is not general enough".
    pub fn on_progress<F>(
        self,
        callback: F,
    ) -> CallTool<'c, impl Drive<'c, Future = impl Future<Output = Result<CallToolResult, CallError>>>>
    where
        F: AsyncFnMut(Progress),
    {
        CallTool { prepared: self.prepared, drive: DriveFn(|call: Prepared<'c>| with_callback(call, callback)) }
    }

    /// The reports as a stream, for those who would rather ask for them: they come as from
    /// [`on_progress`](CallTool::on_progress). The call is sent when the first one is asked for.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// Count to n.
    /// # #[tool]
    /// # async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    /// #     for i in 1..=n {
    /// #         ctx.report_progress(i, n, None::<&str>).await?;
    /// #     }
    /// #     Ok(n)
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("counter").tool(count)).await?;
    /// let mut call = client.call_tool("count", json!({ "n": 3 })).progress_stream();
    /// let mut done = Vec::new();
    /// while let Some(report) = call.next().await {
    ///     done.push(report.done);
    /// }
    /// assert_eq!(done, [1.0, 2.0, 3.0]);
    /// assert_eq!(call.result().await?.text(), "3");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn progress_stream(self) -> ProgressStream<'c> {
        ProgressStream { running: self.prepared.run(true), outcome: None }
    }
}

impl<'c, D> CallTool<'c, D> {
    /// How long the answer may take; unless set, that of
    /// [`request_timeout`](super::ClientBuilder::request_timeout). `None` is for ever.
    ///
    /// When the time is over the server is told that nobody waits any more. While a callback is busy the call goes on
    /// until it has returned.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.prepared.limits.timeout = timeout.into();
        self
    }

    /// Starts the time anew with each report, so that a call that makes progress may take longer: up to the
    /// [`max_timeout`](CallTool::max_timeout), which is an hour unless set. It asks the server for reports even if
    /// nobody listens to them.
    pub fn reset_timeout_on_progress(mut self) -> Self {
        self.prepared.limits.reset = true;
        self
    }

    /// How long the call may take at most, whatever is reported.
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.prepared.limits.max = Some(timeout);
        self
    }

    /// Sets a member of the request's `_meta`. The key of a program of yours has a prefix, such as `com.example/trace`;
    /// those of the protocol itself are not to be set, but for `io.modelcontextprotocol/logLevel`, which is left out
    /// when the server is one that does not know it.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.prepared.meta.insert(key.into(), value.into());
        self
    }
}

impl<'c, D: Drive<'c>> IntoFuture for CallTool<'c, D> {
    type Output = Result<CallToolResult, CallError>;
    type IntoFuture = D::Future;

    fn into_future(self) -> D::Future {
        self.drive.drive(self.prepared)
    }
}

impl<D> fmt::Debug for CallTool<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallTool").field("prepared", &self.prepared).finish_non_exhaustive()
    }
}

impl fmt::Debug for Prepared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The arguments may be secret.
        f.debug_struct("Prepared").field("name", &self.name).field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'c> Prepared<'c> {
    fn run(self, listens: bool) -> Running<'c> {
        Running { prepared: Some(self), listens, request: None }
    }

    fn send(self, listens: bool) -> Result<Request<'c>, CallError> {
        let Self { client, name, arguments, mut meta, mut limits } = self;
        let arguments = arguments.map_err(|reason| CallError::InvalidArguments { reason })?;
        for key in meta.keys() {
            if let Some(reason) = fault_of_key(key) {
                return Err(CallError::InvalidMeta { key: key.clone(), reason });
            }
        }
        if !client.protocol_version().is_modern() {
            meta.retain(|key, _| !key.starts_with(RESERVED_PREFIX));
        }
        if limits.reset {
            limits.max.get_or_insert(MAX_TIMEOUT);
        }
        let reports = listens || limits.reset;
        let params = |out: &mut Vec<u8>, id| {
            out.extend_from_slice(br#"{"name":"#);
            serde_json::to_writer(&mut *out, &name).expect("a Vec takes every byte");
            out.extend_from_slice(br#","arguments":"#);
            out.extend_from_slice(arguments.as_bytes());
            client.write_meta(out, reports.then_some(id), &meta);
            out.push(b'}');
        };
        Ok(Request::new(&client.link.connection, "tools/call", params, Options { limits, listens, cancels: true }))
    }
}

/// A call that is sent when it is first polled.
#[derive(Debug)]
struct Running<'c> {
    prepared: Option<Prepared<'c>>,
    listens: bool,
    request: Option<Request<'c>>,
}

/// What came for a call.
enum Event {
    Report(Progress),
    Outcome(Result<CallToolResult, CallError>),
}

impl Running<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Event> {
        if let Some(prepared) = self.prepared.take() {
            match prepared.send(self.listens) {
                Ok(request) => self.request = Some(request),
                Err(error) => return Poll::Ready(Event::Outcome(Err(error))),
            }
        }
        let request = self.request.as_mut().expect("a call is not polled after its outcome");
        Poll::Ready(match ready!(request.poll(cx)) {
            Step::Report(report) => Event::Report(report),
            Step::Outcome(outcome) => {
                self.request = None;
                Event::Outcome(outcome.and_then(|result| results::call_tool(&result)))
            }
        })
    }

    fn watch(&mut self, cx: &mut Context<'_>) {
        if let Some(request) = &mut self.request {
            request.watch(cx);
        }
    }
}

async fn with_callback(
    call: Prepared<'_>,
    mut callback: impl AsyncFnMut(Progress),
) -> Result<CallToolResult, CallError> {
    let mut running = call.run(true);
    loop {
        match poll_fn(|cx| running.poll(cx)).await {
            Event::Outcome(outcome) => return outcome,
            Event::Report(report) => {
                let mut called = pin!(callback(report));
                poll_fn(|cx| {
                    let called = called.as_mut().poll(cx);
                    if called.is_pending() {
                        running.watch(cx);
                    }
                    called
                })
                .await;
            }
        }
    }
}

/// A call to whose reports nobody listens.
#[derive(Debug)]
#[must_use = "futures do nothing unless they are awaited"]
pub struct Calling<'c>(Running<'c>);

impl Future for Calling<'_> {
    type Output = Result<CallToolResult, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            if let Event::Outcome(outcome) = ready!(self.0.poll(cx)) {
                return Poll::Ready(outcome);
            }
        }
    }
}

/// The reports of a call, one after the other, and then its result.
///
/// Dropping it before the result gives the call up.
#[derive(Debug)]
#[must_use = "a call is sent when its first report is asked for"]
pub struct ProgressStream<'c> {
    running: Running<'c>,
    outcome: Option<Result<CallToolResult, CallError>>,
}

impl ProgressStream<'_> {
    /// The next report; `None` when the call is done.
    ///
    /// Dropping this future loses no report.
    pub async fn next(&mut self) -> Option<Progress> {
        poll_fn(|cx| self.poll_report(cx)).await
    }

    /// The result, once it is there; reports that nobody has asked for are passed over.
    ///
    /// # Errors
    ///
    /// As for the call without a stream.
    pub async fn result(mut self) -> Result<CallToolResult, CallError> {
        loop {
            match self.outcome.take() {
                Some(outcome) => return outcome,
                None => drop(self.next().await),
            }
        }
    }

    fn poll_report(&mut self, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        if self.outcome.is_some() {
            return Poll::Ready(None);
        }
        Poll::Ready(match ready!(self.running.poll(cx)) {
            Event::Report(report) => Some(report),
            Event::Outcome(outcome) => {
                self.outcome = Some(outcome);
                None
            }
        })
    }
}

impl Stream for ProgressStream<'_> {
    type Item = Progress;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        self.poll_report(cx)
    }
}
