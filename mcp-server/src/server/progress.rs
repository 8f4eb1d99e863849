//! How far a call has come: checked, and put into the connection's queue in one step.
//!
//! A [`Context`](super::Context) reports through the [`Reporter`] of its call. Without a token the reporter checks
//! all the same and stays silent, so that a test without a listener finds the same faults.

use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context as TaskContext, Poll, Wake, Waker, ready};
use std::time::Duration;

use tokio::time::Instant;

use super::output::{Holding, Outbox};
use crate::protocol::{Number, ProgressToken, ProtocolVersion, write_progress_head, write_string};

/// Why a report was not sent. The call goes on all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ProgressError {
    /// Progress must grow with each report of a call.
    NotIncreasing {
        /// What was reported last.
        last: f64,
        /// What should have been reported now.
        reported: f64,
    },
    /// JSON knows no infinities, and nobody knows how far a NaN is.
    NotFinite,
    /// The call has been answered already.
    Finished,
    /// The client no longer waits for the call.
    Cancelled,
}

impl fmt::Display for ProgressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotIncreasing { last, reported } => {
                write!(f, "progress must grow: {reported} was reported after {last}")
            }
            Self::NotFinite => f.write_str("progress must be a finite number"),
            Self::Finished => f.write_str("the call has been answered already"),
            Self::Cancelled => f.write_str("the call was cancelled"),
        }
    }
}

impl std::error::Error for ProgressError {}

/// A number to report: any integer or float.
pub trait ProgressNumber: sealed::Sealed {
    #[doc(hidden)]
    fn number(self) -> Number;
}

/// How much there is to do: any integer or float, or `None` when that is not known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no total",
    label = "not a total",
    note = "a total is any integer or float, or `None`; of an `Option` it is `total.map(|total| total as f64)`"
)]
pub trait ProgressTotal: sealed::Sealed {
    #[doc(hidden)]
    fn total(self) -> Option<Number>;
}

/// What has just been done: anything like a string, or `None`.
pub trait ProgressMessage: sealed::Sealed {
    #[doc(hidden)]
    fn as_text(&self) -> Option<Cow<'_, str>>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! numbers {
    ($variant:ident $wide:ty: $($number:ty)*) => {$(
        impl sealed::Sealed for $number {}

        impl ProgressNumber for $number {
            fn number(self) -> Number {
                Number::$variant(self as $wide)
            }
        }

        impl ProgressTotal for $number {
            fn total(self) -> Option<Number> {
                Some(self.number())
            }
        }
    )*};
}

numbers!(Integer i128: i8 i16 i32 i64 i128 isize u8 u16 u32 u64 usize);
numbers!(Float f64: f32 f64);

// The only implementation for an option, so that a bare `None` says all that the compiler must know.
impl sealed::Sealed for Option<f64> {}

impl ProgressTotal for Option<f64> {
    fn total(self) -> Option<Number> {
        self.map(Number::Float)
    }
}

macro_rules! messages {
    ($($text:ty),*) => {$(
        impl sealed::Sealed for $text {}

        impl ProgressMessage for $text {
            fn as_text(&self) -> Option<Cow<'_, str>> {
                Some(Cow::Borrowed(self))
            }
        }
    )*};
}

messages!(&str, String, &String, Cow<'_, str>, Box<str>, Arc<str>);

impl sealed::Sealed for Option<&str> {}

impl ProgressMessage for Option<&str> {
    fn as_text(&self) -> Option<Cow<'_, str>> {
        self.map(Cow::Borrowed)
    }
}

impl sealed::Sealed for fmt::Arguments<'_> {}

impl ProgressMessage for fmt::Arguments<'_> {
    fn as_text(&self) -> Option<Cow<'_, str>> {
        Some(self.as_str().map_or_else(|| Cow::Owned(self.to_string()), Cow::Borrowed))
    }
}

/// One report on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report<'a> {
    pub(crate) done: Step,
    pub(crate) total: Option<Number>,
    pub(crate) message: Option<&'a str>,
}

/// What became of a report that was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reported {
    /// Nobody listens, or the interval holds it back.
    Silently,
    /// It waits to be written. `overdue`: the transport should get its turn.
    Queued { overdue: bool },
}

/// Where a report puts its call.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// At this number.
    To(Number),
    /// So much further than the counter of a [`ProgressBar`](super::ProgressBar) was.
    By(Number),
}

/// The reports of one call.
#[derive(Debug)]
pub(crate) struct Reporter {
    state: Mutex<State>,
    outbox: Outbox,
    /// Reports closer together than this are merged; zero sends each.
    interval: Duration,
    /// 2024-11-05 knows no messages.
    has_messages: bool,
    /// How many log messages found no room since the last one that did.
    #[cfg(feature = "tracing-layer")]
    pub(crate) dropped: std::sync::atomic::AtomicU64,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// The whole message up to the number; `None`: nobody listens.
    head: Option<Box<[u8]>>,
    last: Option<f64>,
    /// What [`Step::By`] counts.
    count: Number,
    /// Where the last report of the call ends in the connection's output.
    end: Option<u64>,
    sent_at: Option<Instant>,
    /// The newest report that the interval held back: the message from the number on.
    held: Option<Vec<u8>>,
    /// Who sends what is held back when it is due.
    call: Option<Waker>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// The tool has returned, or was stopped: nothing more is reported.
    Finished,
    /// The response is queued.
    Responded,
    /// Nobody waits any more: nothing more is sent.
    Cancelled,
}

impl Phase {
    /// Whether the call may still say something.
    fn check(self) -> Result<(), ProgressError> {
        match self {
            Self::Open => Ok(()),
            Self::Finished | Self::Responded => Err(ProgressError::Finished),
            Self::Cancelled => Err(ProgressError::Cancelled),
        }
    }
}

impl Reporter {
    pub(crate) fn new(
        token: Option<&ProgressToken>,
        outbox: Outbox,
        interval: Duration,
        version: ProtocolVersion,
    ) -> Self {
        let head = token.map(|token| {
            let mut head = Vec::with_capacity(128);
            write_progress_head(&mut head, token);
            head.into_boxed_slice()
        });
        let state = State {
            phase: Phase::Open,
            head,
            last: None,
            count: Number::Integer(0),
            end: None,
            sent_at: None,
            held: None,
            call: None,
        };
        let has_messages = version > ProtocolVersion::V2024_11_05;
        Self {
            state: Mutex::new(state),
            outbox,
            interval,
            has_messages,
            #[cfg(feature = "tracing-layer")]
            dropped: std::sync::atomic::AtomicU64::new(0),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks a report and queues it, as one step: two tasks that share a call cannot send it backwards.
    ///
    /// `Ready(Ok(…))`: accepted.
    pub(crate) fn poll_report(
        &self,
        cx: &mut TaskContext<'_>,
        report: Report<'_>,
    ) -> Poll<Result<Reported, ProgressError>> {
        self.poll_report_within(cx, report, true)
    }

    fn poll_report_within(
        &self,
        cx: &mut TaskContext<'_>,
        report: Report<'_>,
        may_wait: bool,
    ) -> Poll<Result<Reported, ProgressError>> {
        let mut state = self.state();
        state.phase.check()?;
        let report = Report { message: report.message.filter(|_| self.has_messages), ..report };
        let done = match report.done {
            Step::To(done) => done,
            Step::By(step) => add(state.count, step),
        };
        let reported = done.as_f64();
        if !reported.is_finite() || report.total.is_some_and(|total| !total.as_f64().is_finite()) {
            return Poll::Ready(Err(ProgressError::NotFinite));
        }
        match (report.done, state.last) {
            (Step::To(_), Some(last)) if reported <= last => {
                return Poll::Ready(Err(ProgressError::NotIncreasing { last, reported }));
            }
            // A counter that was overtaken by hand counts on in silence.
            (Step::By(_), Some(last)) if reported <= last => {
                state.count = done;
                return Poll::Ready(Ok(Reported::Silently));
            }
            _ => {}
        }

        let mut reported_as = Reported::Silently;
        if state.head.is_some() {
            let now = (!self.interval.is_zero()).then(Instant::now);
            let too_soon = now.zip(state.sent_at).is_some_and(|(now, sent_at)| now - sent_at < self.interval);
            if too_soon {
                let held = state.held.get_or_insert_default();
                held.clear();
                write_tail(held, done, report);
                if let Some(call) = state.call.take() {
                    call.wake();
                }
            } else {
                let head = state.head.as_deref().unwrap_or_default();
                let write = |out: &mut Vec<u8>| {
                    out.extend_from_slice(head);
                    write_tail(out, done, report);
                };
                match self.outbox.poll_push_report(cx, may_wait, write) {
                    Poll::Pending => return Poll::Pending,
                    // The connection is gone, and so is whoever waited.
                    Poll::Ready(Err(_)) => return Poll::Ready(Err(ProgressError::Cancelled)),
                    Poll::Ready(Ok(accepted)) => {
                        reported_as = Reported::Queued { overdue: accepted.overdue };
                        state.end = Some(accepted.end);
                        state.sent_at = now;
                        state.held = None;
                    }
                }
            }
        }
        state.last = Some(reported);
        if let Step::By(_) = report.done {
            state.count = done;
        }
        Poll::Ready(Ok(reported_as))
    }

    /// Queues another message of the call, in order with its reports.
    pub(crate) fn poll_send(
        &self,
        cx: &mut TaskContext<'_>,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Poll<Result<(), ProgressError>> {
        let state = self.state();
        state.phase.check()?;
        match ready!(self.outbox.poll_push(cx, write)) {
            Ok(_) => Poll::Ready(Ok(())),
            // The connection is gone, and so is whoever waited.
            Err(_) => Poll::Ready(Err(ProgressError::Cancelled)),
        }
    }

    /// Where the call's messages go.
    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// As [`Reporter::poll_send`], without waiting. `false`: there was no room, or the call has ended.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn send_if_room(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let state = self.state();
        state.phase.check().is_ok() && self.outbox.push_if_room(write)
    }

    /// As [`Reporter::poll_report`], holding the thread instead of the task.
    ///
    /// `may_wait`: without it a report finds room where there is none.
    pub(crate) fn report_blocking(&self, report: Report<'_>, may_wait: bool) -> Result<(), ProgressError> {
        let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
        let mut cx = TaskContext::from_waker(&waker);
        loop {
            match self.poll_report_within(&mut cx, report, may_wait) {
                Poll::Ready(result) => return result.map(|_| ()),
                Poll::Pending => std::thread::park(),
            }
        }
    }

    /// When the report that the interval holds back is due. Without one, the call is woken when there is.
    pub(crate) fn poll_due(&self, cx: &TaskContext<'_>) -> Option<Instant> {
        let mut state = self.state();
        state.call = Some(cx.waker().clone());
        // So far away that no clock shows it: it goes out with the end of the call.
        state.held.as_ref().and(state.sent_at).and_then(|at| at.checked_add(self.interval))
    }

    /// Sends the report that the interval holds back.
    pub(crate) async fn flush(&self) {
        poll_fn(|cx| self.poll_held(&mut self.state(), cx)).await;
    }

    fn poll_held(&self, state: &mut State, cx: &mut TaskContext<'_>) -> Poll<()> {
        let (Phase::Open, Some(head), Some(held)) = (state.phase, &state.head, &state.held) else {
            return Poll::Ready(());
        };
        let pushed = self.outbox.poll_push_report(cx, true, |out| {
            out.extend_from_slice(head);
            out.extend_from_slice(held);
        });
        match pushed {
            Poll::Pending => return Poll::Pending,
            Poll::Ready(Ok(accepted)) => {
                state.end = Some(accepted.end);
                state.sent_at = Some(Instant::now());
            }
            Poll::Ready(Err(_)) => {}
        }
        state.held = None;
        Poll::Ready(())
    }

    /// Sends what the interval holds back and closes, as one step: what a task that outlives its call still reports
    /// is refused.
    ///
    /// Gives where the last report ends in the connection's output, if there was one.
    pub(crate) async fn finish(&self) -> Option<u64> {
        poll_fn(|cx| {
            let mut state = self.state();
            ready!(self.poll_held(&mut state, cx));
            if state.phase == Phase::Open {
                state.phase = Phase::Finished;
            }
            Poll::Ready(state.end)
        })
        .await
    }

    /// Closes a call that never ran.
    pub(crate) fn finish_now(&self) {
        let mut state = self.state();
        if state.phase == Phase::Open {
            state.phase = Phase::Finished;
        }
    }

    /// Waits until the last report has been written, and a little longer for the sake of the clients that need it.
    pub(crate) async fn settled(&self, end: u64) {
        self.outbox.settled(end).await;
    }

    /// Closes for good: the response is not sent any more either. `false`: it is queued already.
    pub(crate) fn cancel(&self) -> bool {
        let mut state = self.state();
        let in_time = state.phase != Phase::Responded;
        if in_time {
            state.phase = Phase::Cancelled;
        }
        drop(state);
        // A thread that waits for room waits for nothing now.
        self.outbox.wake_waiting();
        in_time
    }

    /// Counts the bytes of the response as long as it waits for room.
    pub(crate) fn holding(&self, bytes: usize) -> Holding<'_> {
        self.outbox.holding(bytes)
    }

    /// Queues the response of the call, unless the call was cancelled: then it is dropped.
    ///
    /// Check, queueing and `done` are one step, so that nothing of a call follows its cancellation, and its id is free
    /// before the client can see the response.
    pub(crate) fn poll_respond(&self, cx: &mut TaskContext<'_>, response: &[u8], done: impl FnOnce()) -> Poll<()> {
        let mut state = self.state();
        if state.phase == Phase::Cancelled {
            return Poll::Ready(());
        }
        // A closed connection has nobody left who waits for the response.
        let _: Result<_, _> = ready!(self.outbox.poll_push(cx, |out| {
            out.extend_from_slice(response);
            done();
        }));
        state.phase = Phase::Responded;
        Poll::Ready(())
    }

    /// As [`Reporter::poll_respond`], without waiting, of a call that has reported nothing: a response keeps its distance
    /// from reports. `false`: it has, or there is no room.
    pub(crate) fn respond_now(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut state = self.state();
        if state.phase == Phase::Cancelled {
            return true;
        }
        if state.end.is_some() || state.held.is_some() || !self.outbox.push_if_room(write) {
            return false;
        }
        state.phase = Phase::Responded;
        true
    }

    /// As [`Reporter::close`], of a call that has said nothing at all on an output of its own. `false`: it has.
    #[cfg(feature = "http")]
    pub(crate) fn close_in_silence(&self, done: impl FnOnce()) -> bool {
        let mut state = self.state();
        if state.phase != Phase::Open || state.held.is_some() || self.outbox.messages() > 0 {
            return false;
        }
        state.phase = Phase::Responded;
        done();
        true
    }

    /// As [`Reporter::poll_respond`] for a response that goes out by another way. `false`: the call was cancelled.
    pub(crate) fn close(&self, done: impl FnOnce()) -> bool {
        let mut state = self.state();
        let open = state.phase != Phase::Cancelled;
        if open {
            state.phase = Phase::Responded;
            done();
        }
        open
    }
}

fn add(count: Number, step: Number) -> Number {
    match (count, step) {
        (Number::Integer(count), Number::Integer(step)) => Number::Integer(count.saturating_add(step)),
        (count, step) => Number::Float(count.as_f64() + step.as_f64()),
    }
}

/// The message from the number on.
fn write_tail(out: &mut Vec<u8>, done: Number, report: Report<'_>) {
    done.write(out);
    if let Some(total) = report.total {
        out.extend_from_slice(br#","total":"#);
        total.write(out);
    }
    if let Some(message) = report.message {
        out.extend_from_slice(br#","message":"#);
        write_string(out, message);
    }
    out.extend_from_slice(b"}}");
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_was_cancelled_stays_so() {
        let outbox = Outbox::new(1024, Duration::ZERO);
        let reporter = Reporter::new(None, outbox, Duration::ZERO, ProtocolVersion::LATEST);
        assert!(reporter.cancel());
        reporter.finish_now();
        let report = Report { done: Step::To(Number::Integer(1)), total: None, message: None };
        assert_eq!(reporter.report_blocking(report, false), Err(ProgressError::Cancelled));
        assert!(!reporter.close(|| unreachable!("nobody waits for the response")));
    }
}
