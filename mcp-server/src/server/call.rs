//! A call that has been accepted: it runs, closes its reporter, and queues its response.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use tokio::task::AbortHandle;

use super::context::CallState;
use super::legacy::Batch;
use super::tool::{Running, Step, Tool};
use super::tools::has_structure;
use super::{Core, respond};
use crate::protocol::{CallToolResult, ErrorObject, RequestId, write_content};

/// A call of a tool whose arguments were good, or whose fault is for the model to read.
pub(crate) struct StartedCall {
    pub(crate) core: Arc<Core>,
    pub(crate) tool: Tool,
    pub(crate) state: Arc<CallState>,
    pub(crate) step: Step,
    /// The batch that the response belongs to, if it came in one.
    pub(crate) batch: Option<Arc<Batch>>,
}

impl StartedCall {
    /// Runs the call to its end. The last thing that it does is to queue the response.
    pub(crate) async fn run(self, in_flight: InFlight) {
        let Self { core, tool, state, step, batch } = self;
        let result = match step {
            Step::Ready(result) => Ok(result),
            Step::Run(running) => run(running, &tool, &state, core.settings.progress_interval).await,
        };
        let result = result.map(|result| tool.0.checked(result));
        // From here on a task that outlives the tool can't report any more.
        let last_report = state.reporter.finish().await;

        let mut response = Vec::with_capacity(256);
        match &result {
            Ok(result) => write_result(&mut response, &core, &tool, &state, result),
            Err(error) => respond::write_error(&mut response, Some(&state.id), error),
        }
        drop(result);
        if let Some(end) = last_report {
            state.reporter.settled(end).await;
        }
        let done = || in_flight.remove(&state.id);
        match batch {
            None => {
                let _held = state.reporter.holding(response.len());
                poll_fn(|cx| state.reporter.poll_respond(cx, &response, done)).await;
            }
            Some(batch) => {
                if state.reporter.close_for_batch(done) {
                    batch.add(response).await;
                }
            }
        }
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

    /// Tells by what a call can be stopped, if it still runs.
    pub(crate) fn started(&self, id: &RequestId, task: AbortHandle) {
        if let Some(flight) = self.flights().get_mut(id) {
            flight.task = Some(task);
        }
    }

    fn remove(&self, id: &RequestId) {
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

async fn run(
    running: Running,
    tool: &Tool,
    state: &CallState,
    interval: Duration,
) -> Result<CallToolResult, ErrorObject> {
    let running = Caught(Some(running));
    let name = &tool.0.name;
    let run = async { if interval.is_zero() { running.await } else { run_with_interval(running, state).await } };
    let finished = match tool.0.timeout {
        None => run.await,
        Some(timeout) => match tokio::time::timeout(timeout, run).await {
            Ok(finished) => finished,
            Err(_) => {
                // What runs on a thread can't be stopped, but it can ask.
                state.give_up();
                return Ok(CallToolResult::from_error(format!(
                    "`{name}` took longer than {timeout:?} and was stopped"
                )));
            }
        },
    };
    finished.map_err(|Panicked| ErrorObject::internal(format!("the tool `{name}` failed unexpectedly")))
}

/// Sends the report that the interval holds back when its time has come, while the tool is busy elsewhere.
async fn run_with_interval(running: Caught, state: &CallState) -> Result<CallToolResult, Panicked> {
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

/// A tool whose panic ends its own call only.
struct Caught(Option<Running>);

impl Future for Caught {
    type Output = Result<CallToolResult, Panicked>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        // What a panic leaves half done belongs to the call alone, or to state of the author's, as in any task.
        let Some(running) = &mut self.0 else { return Poll::Ready(Err(Panicked)) };
        match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
            Ok(poll) => poll.map(Ok),
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    }
}

impl Drop for Caught {
    /// What the author's values do when they are dropped is the author's code too.
    fn drop(&mut self) {
        let running = self.0.take();
        if catch_unwind(AssertUnwindSafe(|| drop(running))).is_err() {
            tracing::warn!("a value of a tool has panicked when it was dropped");
        }
    }
}

fn write_result(out: &mut Vec<u8>, core: &Core, tool: &Tool, state: &CallState, result: &CallToolResult) {
    let version = state.version;
    respond::write_result(out, core, &state.id, version, result.meta.as_ref(), |out| {
        out.extend_from_slice(br#""content":["#);
        for (at, block) in result.content.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_content(out, block, version);
        }
        out.push(b']');
        // A tool of which no schema is shown shows no structure either, so that the two agree.
        let schema_is_shown = tool.0.output_schema.is_none() || has_structure(version, tool.0.output_is_object);
        if let Some(value) = result.structured_content.as_deref()
            && schema_is_shown
            && has_structure(version, value.get().starts_with('{'))
        {
            out.extend_from_slice(br#","structuredContent":"#);
            out.extend_from_slice(value.get().as_bytes());
        }
        if result.is_error {
            out.extend_from_slice(br#","isError":true"#);
        }
    });
}
