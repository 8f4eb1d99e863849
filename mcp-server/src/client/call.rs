//! A request: built step by step, sent when it is awaited, and given up when it is dropped.

use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::request::Limits;
use super::rounds::{Event, Rounds};
use super::{CallError, Client};
use crate::protocol::{CallToolResult, Progress};

/// A call of a tool.
pub type CallTool<'c, D = Quiet> = Call<'c, CallToolResult, D>;

/// A request: await it, or set it up first. A `T` comes back.
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
#[must_use = "a request is sent when it is awaited"]
pub struct Call<'c, T, D = Quiet> {
    prepared: Prepared<'c, T>,
    drive: D,
}

/// How a result is read, by the method that was asked for.
pub(crate) type Read<T> = fn(&RawValue) -> Result<T, CallError>;

/// How the events of a call reach the caller. The methods of [`Call`] choose one; nothing else implements it.
pub trait Drive<'c, T>: sealed::Sealed {
    /// What is awaited.
    type Future: Future<Output = Result<T, CallError>>;

    /// Makes the call.
    fn drive(self, call: Prepared<'c, T>) -> Self::Future;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Quiet {}
    impl<M> Sealed for super::DriveFn<M> {}
}

/// Nobody listens to the reports of the call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quiet;

impl<'c, T> Drive<'c, T> for Quiet {
    type Future = Calling<'c, T>;

    fn drive(self, call: Prepared<'c, T>) -> Calling<'c, T> {
        Calling(call.run(false))
    }
}

/// What makes a future of a call: that of [`Call::on_progress`] has a type without a name.
struct DriveFn<M>(M);

impl<'c, T, M, F> Drive<'c, T> for DriveFn<M>
where
    M: FnOnce(Prepared<'c, T>) -> F,
    F: Future<Output = Result<T, CallError>>,
{
    type Future = F;

    fn drive(self, call: Prepared<'c, T>) -> F {
        (self.0)(call)
    }
}

/// A request with all that has been set.
pub struct Prepared<'c, T> {
    pub(crate) spec: Spec<'c>,
    read: Read<T>,
}

/// What is asked for, and how.
pub(crate) struct Spec<'c> {
    pub(crate) client: &'c Client,
    pub(crate) method: Cow<'static, str>,
    /// The tool, prompt or resource that it is about.
    pub(crate) subject: Option<String>,
    /// The members of the params but for `_meta`, as JSON; or why nothing can be sent.
    pub(crate) members: Result<String, CallError>,
    /// The arguments of a tool, as JSON.
    pub(crate) arguments: Option<String>,
    pub(crate) meta: Map<String, Value>,
    pub(crate) limits: Limits,
    /// Whether the structured result of a tool is held against its schema.
    pub(crate) checks_output: bool,
    /// Whether the server is asked although its answer of another time may still be good.
    pub(crate) fresh: bool,
}

impl<'c, T> Call<'c, T> {
    /// `members`: the params but for `_meta`, as the members of an object.
    pub(crate) fn new(
        client: &'c Client,
        method: impl Into<Cow<'static, str>>,
        members: Result<String, CallError>,
        read: Read<T>,
    ) -> Self {
        let spec = Spec {
            client,
            method: method.into(),
            subject: None,
            members,
            arguments: None,
            meta: Map::new(),
            limits: Limits { timeout: client.request_timeout, ..Limits::default() },
            checks_output: false,
            fresh: false,
        };
        Self { prepared: Prepared { spec, read }, drive: Quiet }
    }

    /// Names the tool, prompt or resource that it is about.
    pub(crate) fn about(mut self, subject: String) -> Self {
        self.prepared.spec.subject = Some(subject);
        self
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
    /// (`async move |report| …`), or take the [stream](Call::progress_stream): today's compiler can't tell that the
    /// future of an async closure that borrows is `Send`, and says that an implementation "is not general enough".
    pub fn on_progress<F>(
        self,
        callback: F,
    ) -> Call<'c, T, impl Drive<'c, T, Future = impl Future<Output = Result<T, CallError>>>>
    where
        F: AsyncFnMut(Progress),
    {
        Call { prepared: self.prepared, drive: DriveFn(|call: Prepared<'c, T>| with_callback(call, callback)) }
    }

    /// The reports as a stream, for those who would rather ask for them: they come as from
    /// [`on_progress`](Call::on_progress). The call is sent when the first one is asked for.
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
    pub fn progress_stream(self) -> ProgressStream<'c, T> {
        ProgressStream { running: self.prepared.run(true), outcome: None }
    }
}

impl<'c, T, D> Call<'c, T, D> {
    pub(crate) fn spec_mut(&mut self) -> &mut Spec<'c> {
        &mut self.prepared.spec
    }

    /// How long the answer may take; unless set, that of
    /// [`request_timeout`](super::ClientBuilder::request_timeout). `None` is for ever.
    ///
    /// When the time is over the server is told that nobody waits any more. While a callback is busy the call goes on
    /// until it has returned. A server that asks something back has the whole time again for the round that follows, and
    /// the time that the answers take is not counted.
    pub fn timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.prepared.spec.limits.timeout = timeout.into();
        self
    }

    /// Starts the time anew with each report, so that a call that makes progress may take longer: up to the
    /// [`max_timeout`](Call::max_timeout), which is an hour unless set. It asks the server for reports even if
    /// nobody listens to them.
    pub fn reset_timeout_on_progress(mut self) -> Self {
        self.prepared.spec.limits.reset = true;
        self
    }

    /// How long the call may take at most, whatever is reported. As for [`timeout`](Call::timeout), a server that asks
    /// something back has the whole time again for the round that follows.
    pub fn max_timeout(mut self, timeout: Duration) -> Self {
        self.prepared.spec.limits.max = Some(timeout);
        self
    }

    /// Sets a member of the request's `_meta`. The key of a program of yours has a prefix, such as `com.example/trace`;
    /// those of the protocol itself are not to be set, but for `io.modelcontextprotocol/logLevel`, which is left out
    /// when the server is one that does not know it.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.prepared.spec.meta.insert(key.into(), value.into());
        self
    }
}

impl<'c, T, D: Drive<'c, T>> IntoFuture for Call<'c, T, D> {
    type Output = Result<T, CallError>;
    type IntoFuture = D::Future;

    fn into_future(self) -> D::Future {
        self.drive.drive(self.prepared)
    }
}

impl<T, D> fmt::Debug for Call<'_, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("prepared", &self.prepared).finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Prepared<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl fmt::Debug for Spec<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, subject, limits, .. } = self;
        // The arguments may be secret.
        let mut debug = f.debug_struct("Spec");
        debug.field("method", method).field("subject", subject).field("limits", limits).finish_non_exhaustive()
    }
}

impl<'c, T> Prepared<'c, T> {
    fn run(self, listens: bool) -> Running<'c, T> {
        Running { rounds: Rounds::new(self.spec, listens), read: self.read }
    }
}

/// A call that is sent when it is first polled.
struct Running<'c, T> {
    rounds: Rounds<'c>,
    read: Read<T>,
}

impl<T> fmt::Debug for Running<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.rounds.fmt(f)
    }
}

/// What came for a call.
enum Came<T> {
    Report(Progress),
    Outcome(Result<T, CallError>),
}

impl<T> Running<'_, T> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Came<T>> {
        Poll::Ready(match ready!(self.rounds.poll(cx)) {
            Event::Report(report) => Came::Report(report),
            Event::Outcome(outcome) => Came::Outcome(outcome.and_then(|result| {
                // What can't be read would only be kept to fail again.
                (self.read)(&result).inspect_err(|_| self.rounds.forget())
            })),
        })
    }
}

async fn with_callback<T>(call: Prepared<'_, T>, mut callback: impl AsyncFnMut(Progress)) -> Result<T, CallError> {
    let mut running = call.run(true);
    loop {
        match poll_fn(|cx| running.poll(cx)).await {
            Came::Outcome(outcome) => return outcome,
            Came::Report(report) => {
                let mut called = pin!(callback(report));
                poll_fn(|cx| {
                    let called = called.as_mut().poll(cx);
                    if called.is_pending() {
                        running.rounds.watch(cx);
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
pub struct Calling<'c, T>(Running<'c, T>);

impl<T> Future for Calling<'_, T> {
    type Output = Result<T, CallError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        loop {
            if let Came::Outcome(outcome) = ready!(self.0.poll(cx)) {
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
pub struct ProgressStream<'c, T = CallToolResult> {
    running: Running<'c, T>,
    outcome: Option<Result<T, CallError>>,
}

impl<T> Unpin for ProgressStream<'_, T> {}

impl<T> ProgressStream<'_, T> {
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
    pub async fn result(mut self) -> Result<T, CallError> {
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
            Came::Report(report) => Some(report),
            Came::Outcome(outcome) => {
                self.outcome = Some(outcome);
                None
            }
        })
    }
}

impl<T> Stream for ProgressStream<'_, T> {
    type Item = Progress;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Progress>> {
        self.poll_report(cx)
    }
}
