//! A call that has been accepted: it runs, closes its reporter, and queues its response.

use std::collections::HashMap;
#[cfg(feature = "http")]
use std::collections::hash_map::Entry;
use std::fmt;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::context::CallState;
use super::handler::Step;
use super::legacy::Batch;
use super::log::Entered;
use super::outcome::{Finished, Running, ServerResult, Subject};
use super::respond;
use crate::protocol::{CallToolResult, ErrorCode, RequestId};

/// A call whose input was good, or whose fault is for the caller to read.
pub(crate) struct StartedCall {
    pub(crate) subject: Subject,
    pub(crate) state: Arc<CallState>,
    /// The batch that the response belongs to, if it came in one.
    pub(crate) batch: Option<Arc<Batch>>,
    work: Work,
    /// When the handler was polled first, if its time is limited.
    since: Option<Instant>,
}

/// How far the work of a call has come.
enum Work {
    /// The handler runs, or has not begun; it is taken by whoever runs it.
    Handler(Option<Running>),
    /// What the handler has come to.
    Done {
        result: Finished,
        /// Whether that was looked at.
        is_checked: bool,
    },
}

/// A result of more bytes than this is long.
const LONG: usize = 16 * 1024;

impl StartedCall {
    pub(crate) fn new(subject: Subject, state: Arc<CallState>, step: Step) -> Self {
        let work = match step {
            Step::Ready(result) => Work::Done { result, is_checked: false },
            Step::Run(running) => Work::Handler(Some(running)),
        };
        Self { subject, state, batch: None, work, since: None }
    }

    /// Polls the handler where its request was read: most are ready at once, and need no task. Whether it is.
    ///
    /// Otherwise whoever runs the call polls it again in any case, so that nobody has to be woken yet.
    pub(crate) fn try_now(&mut self) -> bool {
        let Work::Handler(running) = &mut self.work else { return true };
        if self.subject.timeout().is_some() {
            self.since = Some(Instant::now());
        }
        let mut cx = TaskContext::from_waker(Waker::noop());
        let Poll::Ready(handled) = poll_handler(running, &self.state, &mut cx) else { return false };
        drop_quietly(running.take());
        let result = handled.unwrap_or_else(|Panicked| Err(self.subject.failed()));
        self.work = Work::Done { result, is_checked: false };
        true
    }

    /// Queues the response of a call whose handler is done, if nothing has to be waited for. `false`: it is still to be
    /// [`run`](Self::run) to its end.
    pub(crate) fn respond_now(&mut self) -> bool {
        if self.batch.is_some() || matches!(self.subject, Subject::Stream) {
            return false;
        }
        self.check();
        let Self { work: Work::Done { result, .. }, state, .. } = self else { return false };
        state.finished();
        // What is long is written before others have to wait for it.
        let long = result.as_ref().is_ok_and(|result| result.length() > LONG).then(|| {
            let mut response = Vec::new();
            write_response(&mut response, result, state);
            response
        });
        state.reporter.respond_now(|out| match long {
            None => drop(write_response(out, result, state)),
            Some(long) if out.is_empty() => *out = long,
            Some(long) => out.extend_from_slice(&long),
        })
    }

    /// The response of a call whose handler is done, if it has said nothing else. `None`: it is still to be
    /// [`respond`](Self::respond)ed to.
    ///
    /// `done` is called when nothing can stop it any more.
    #[cfg(feature = "http")]
    pub(crate) fn response_now(&mut self, done: impl FnOnce()) -> Option<(Vec<u8>, Option<ErrorCode>)> {
        self.check();
        let Self { work: Work::Done { result, .. }, state, .. } = self else { return None };
        state.finished();
        if !state.reporter.close_in_silence(done) {
            return None;
        }
        let mut response = Vec::with_capacity(256);
        let error = write_response(&mut response, result, state);
        Some((response, error))
    }

    /// Runs the call to its end. The last thing that it does is to queue the response.
    pub(crate) async fn run(self, in_flight: InFlight) {
        let (state, batch) = (Arc::clone(&self.state), self.batch.clone());
        let is_stream = matches!(self.subject, Subject::Stream);
        let Responded { response, last_report, .. } = self.respond().await;
        if let Some(end) = last_report {
            state.reporter.settled(end).await;
        }
        let done = || in_flight.remove(&state.id);
        match batch {
            None => {
                let _held = state.reporter.holding(response.len());
                poll_fn(|cx| state.reporter.poll_respond(cx, &response, done)).await;
                if is_stream {
                    // One page has a stream end with its response, another with a cancellation: so both come, in this
                    // order (Subscriptions, Graceful Closure; Cancellation).
                    let _ = state.reporter.outbox().push_now(|out| write_cancelled(out, &state.id));
                }
            }
            Some(batch) => {
                if state.reporter.close(done) {
                    batch.add(response).await;
                }
            }
        }
    }

    /// Runs the call to its response, after which it has nothing more to say.
    pub(crate) async fn respond(self) -> Responded {
        let state = Arc::clone(&self.state);
        let result = self.finish().await;
        state.finished();
        // From here on a task that outlives the call can't report any more.
        let last_report = state.reporter.finish().await;
        let mut response = Vec::with_capacity(256);
        let error = write_response(&mut response, &result, &state);
        Responded { response, error, last_report }
    }

    /// Runs the call to its result.
    pub(crate) async fn finish(mut self) -> Finished {
        if let Work::Handler(running) = &mut self.work {
            let running = running.take();
            let result = run(running, &self.subject, &self.state, self.since).await;
            self.work = Work::Done { result, is_checked: false };
        }
        self.check();
        match self.work {
            Work::Done { result, .. } => result,
            Work::Handler(_) => unreachable!("the handler has run"),
        }
    }

    /// Looks at what the handler has come to, once.
    fn check(&mut self) {
        let Work::Done { result, is_checked: is_checked @ false } = &mut self.work else { return };
        *is_checked = true;
        self.state.round.finish(result);
        if let (Ok(ServerResult::CallTool(result)), Subject::Tool(tool)) = (result, &self.subject) {
            tool.0.check(result, self.state.version);
        }
    }
}

/// Writes the whole response. What kind of error it is, if it is one.
fn write_response(out: &mut Vec<u8>, result: &Finished, state: &CallState) -> Option<ErrorCode> {
    match result {
        Ok(result) => {
            result.write(out, &state.core, &state.id, state.version);
            None
        }
        Err(error) => {
            respond::write_error(out, Some(&state.id), error);
            Some(error.code)
        }
    }
}

/// What a call has come to.
pub(crate) struct Responded {
    /// The whole message.
    pub(crate) response: Vec<u8>,
    /// What kind of error it is, if it is one.
    #[cfg_attr(not(feature = "http"), expect(dead_code, reason = "a line has no status"))]
    pub(crate) error: Option<ErrorCode>,
    /// Where the last report of the call ends in the connection's output.
    last_report: Option<u64>,
}

/// Says that a request of the client's has ended.
fn write_cancelled(out: &mut Vec<u8>, id: &RequestId) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#);
    id.write(out);
    out.extend_from_slice(b"}}");
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.flights().keys()).finish()
    }
}

/// The calls of a connection that have a task of their own.
#[derive(Clone, Default)]
pub(crate) struct InFlight(Arc<Mutex<HashMap<RequestId, Flight>>>);

struct Flight {
    state: Arc<CallState>,
    batch: Option<Arc<Batch>>,
    task: Option<AbortHandle>,
}

impl InFlight {
    fn flights(&self) -> MutexGuard<'_, HashMap<RequestId, Flight>> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        let flights = self.flights();
        !flights.is_empty() && flights.contains_key(id)
    }

    pub(crate) fn len(&self) -> usize {
        self.flights().len()
    }

    /// To be called before the task starts, since it takes itself out at its end.
    pub(crate) fn insert(&self, id: RequestId, state: Arc<CallState>, batch: Option<Arc<Batch>>) {
        self.flights().insert(id, Flight { state, batch, task: None });
    }

    /// The same where others may do so at the same time. `false`: a call of that id runs.
    #[cfg(feature = "http")]
    pub(crate) fn insert_new(&self, state: &Arc<CallState>, batch: Option<Arc<Batch>>) -> bool {
        match self.flights().entry(state.id.clone()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(Flight { state: Arc::clone(state), batch, task: None });
                true
            }
        }
    }

    /// Tells by what a call can be stopped, if it still runs.
    pub(crate) fn started(&self, id: &RequestId, task: AbortHandle) {
        if let Some(flight) = self.flights().get_mut(id) {
            flight.task = Some(task);
        }
    }

    pub(crate) fn remove(&self, id: &RequestId) {
        let mut flights = self.flights();
        if !flights.is_empty() {
            flights.remove(id);
        }
    }

    /// Stops a call: nothing of it is sent any more, and its future is dropped. `false`: no such call runs.
    pub(crate) fn cancel(&self, id: &RequestId) -> bool {
        let flight = self.flights().remove(id);
        let Some(flight) = flight else { return false };
        let batch = flight.batch.clone();
        let stopped = flight.stop();
        if stopped && let Some(batch) = batch {
            batch.settle_now(None);
        }
        stopped
    }

    /// Stops all calls, and gives those that still owe a response.
    pub(crate) fn cancel_all(&self) -> Vec<(RequestId, Option<Arc<Batch>>)> {
        let flights = std::mem::take(&mut *self.flights());
        let owing = flights.into_iter().filter_map(|(id, flight)| {
            let batch = flight.batch.clone();
            flight.stop().then_some((id, batch))
        });
        owing.collect()
    }
}

impl Flight {
    /// `false`: the response was queued just before, and the task needs no more than to end.
    fn stop(self) -> bool {
        let in_time = self.state.cancel();
        if in_time && let Some(task) = self.task {
            task.abort();
        }
        in_time
    }
}

/// Runs a handler to its result: its time, its panics and its questions are looked after.
///
/// `since`: when it was polled first, if it was.
async fn run(running: Option<Running>, subject: &Subject, state: &Arc<CallState>, since: Option<Instant>) -> Finished {
    let running = Caught { running, state: Arc::clone(state) };
    let interval = state.core.settings.progress_interval;
    let run = async { if interval.is_zero() { running.await } else { run_with_interval(running, state).await } };
    let finished = match subject.timeout() {
        None => run.await,
        Some(timeout) => {
            let left = timeout.saturating_sub(since.map_or(Duration::ZERO, |since| since.elapsed()));
            match tokio::time::timeout(left, run).await {
                Ok(finished) => finished,
                Err(_) => {
                    // What runs on a thread can't be stopped, but it can ask.
                    state.give_up();
                    let text = format!("`{}` took longer than {timeout:?} and was stopped", subject.name());
                    return Ok(ServerResult::CallTool(CallToolResult::from_error(text)));
                }
            }
        }
    };
    finished.unwrap_or_else(|Panicked| Err(subject.failed()))
}

/// Sends the report that the interval holds back when its time has come, while the handler is busy elsewhere.
async fn run_with_interval(running: Caught, state: &CallState) -> Result<Finished, Panicked> {
    let mut running = pin!(running);
    loop {
        let mut sleep = pin!(None);
        let finished = poll_fn(|cx| {
            if let Poll::Ready(result) = running.as_mut().poll(cx) {
                return Poll::Ready(Some(result));
            }
            let Some(due) = state.reporter.poll_due(cx) else { return Poll::Pending };
            sleep.set(Some(tokio::time::sleep_until(due)));
            match sleep.as_mut().as_pin_mut() {
                Some(sleep) => sleep.poll(cx).map(|()| None),
                None => Poll::Pending,
            }
        })
        .await;
        match finished {
            Some(result) => return result,
            None => state.reporter.flush().await,
        }
    }
}

/// The text of a panic never leaves the process.
#[derive(Debug)]
struct Panicked;

/// A handler whose panic ends its own call only, and whose question ends its round.
struct Caught {
    running: Option<Running>,
    state: Arc<CallState>,
}

impl Future for Caught {
    type Output = Result<Finished, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let Self { running, state } = &mut *self;
        poll_handler(running, state, cx)
    }
}

/// Polls a handler: its panics and its questions are looked after.
fn poll_handler(
    running: &mut Option<Running>,
    state: &Arc<CallState>,
    cx: &mut TaskContext<'_>,
) -> Poll<Result<Finished, Panicked>> {
    // What a panic leaves half done belongs to the call alone, or to state of the author's, as in any task.
    let Some(handler) = running else { return Poll::Ready(Err(Panicked)) };
    let _entered = Entered::new(state);
    match catch_unwind(AssertUnwindSafe(|| handler.as_mut().poll(cx))) {
        Ok(Poll::Ready(result)) => Poll::Ready(Ok(result)),
        Ok(Poll::Pending) => match state.round.ended(&state.core, cx.waker()) {
            None => Poll::Pending,
            Some(end) => {
                drop_quietly(running.take());
                // Tasks that the handler has started elsewhere have nobody to work for.
                state.give_up();
                Poll::Ready(Ok(end))
            }
        },
        Err(_) => Poll::Ready(Err(Panicked)),
    }
}

impl Drop for Caught {
    fn drop(&mut self) {
        drop_quietly(self.running.take());
    }
}

/// What the author's values do when they are dropped is the author's code too.
fn drop_quietly(running: Option<Running>) {
    if catch_unwind(AssertUnwindSafe(|| drop(running))).is_err() {
        tracing::warn!("a value of a handler has panicked when it was dropped");
    }
}
