//! One request on its way: sent when it is first polled, given up when it is dropped.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, Sleep};

use super::CallError;
use super::connection::Connection;
use super::pending::{Answer, Event};
use crate::protocol::Progress;

/// How long an answer may take.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// For the whole request, or with `reset` for each stretch without a report.
    pub(crate) timeout: Option<Duration>,
    pub(crate) reset: bool,
    pub(crate) max: Option<Duration>,
}

/// What makes one request differ from another, beside its method and params.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub(crate) limits: Limits,
    /// Whether reports are to be kept for the caller.
    pub(crate) listens: bool,
    /// Whether the server is told when the request is given up.
    pub(crate) cancels: bool,
}

/// A request and what comes for it. Dropping it before its outcome is giving it up.
#[derive(Debug)]
pub(crate) struct Request<'c> {
    connection: &'c Connection,
    options: Options,
    id: u64,
    /// The bytes, as long as they wait for room in the queue.
    message: Option<Vec<u8>>,
    started: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    /// How it ended, when that was found while the caller was busy with a report.
    timed_out: Option<CallError>,
    ended: bool,
}

/// What came for a request.
#[derive(Debug)]
pub(crate) enum Step {
    Report(Progress),
    Outcome(Result<Box<RawValue>, CallError>),
}

impl<'c> Request<'c> {
    /// `params` writes the params of the request, given its id.
    pub(crate) fn new(
        connection: &'c Connection,
        method: &str,
        params: impl FnOnce(&mut Vec<u8>, u64),
        options: Options,
    ) -> Self {
        // Before anything is sent, so that no answer can come too early.
        let id = connection.pending.register(options.listens);
        let mut message = br#"{"jsonrpc":"2.0","id":"#.to_vec();
        message.extend_from_slice(itoa::Buffer::new().format(id).as_bytes());
        message.extend_from_slice(br#","method":""#);
        message.extend_from_slice(method.as_bytes());
        message.extend_from_slice(br#"","params":"#);
        params(&mut message, id);
        message.push(b'}');
        Self {
            connection,
            options,
            id,
            message: Some(message),
            started: Instant::now(),
            timer: None,
            timed_out: None,
            ended: false,
        }
    }

    /// The next thing that comes: reports, in order, then the outcome, once.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Step> {
        if let Some(error) = self.timed_out.take() {
            return Poll::Ready(Step::Outcome(Err(error)));
        }
        self.send(cx);
        match self.connection.pending.poll(self.id, cx) {
            // Reports without end must not outlive the time either.
            Poll::Ready(Event::Report(report)) => match self.poll_time(cx) {
                Poll::Ready(error) => Poll::Ready(Step::Outcome(Err(error))),
                Poll::Pending => Poll::Ready(Step::Report(report)),
            },
            Poll::Ready(Event::Answer(answer)) => {
                self.ended = true;
                Poll::Ready(Step::Outcome(match answer {
                    Answer::Result(result) => Ok(result),
                    Answer::Error(error) => Err(CallError::Server(error)),
                    Answer::Malformed(reason) => Err(CallError::InvalidResult { path: String::new(), reason }),
                    Answer::Closed(reason) => Err(CallError::Closed { reason }),
                }))
            }
            Poll::Pending => self.poll_time(cx).map(|error| Step::Outcome(Err(error))),
        }
    }

    fn send(&mut self, cx: &mut Context<'_>) {
        if let Some(message) = &self.message {
            // On a closed connection the outcome comes from the one who closed it.
            if self.connection.outbox.poll_push(cx, |out| out.extend_from_slice(message)).is_ready() {
                self.message = None;
            }
        }
    }

    /// Keeps the time while the caller is busy with a report: the server is told in time, the caller afterwards.
    pub(crate) fn watch(&mut self, cx: &mut Context<'_>) {
        if !self.ended
            && let Poll::Ready(error) = self.poll_time(cx)
        {
            self.timed_out = Some(error);
        }
    }

    /// Ready when the time is over and there is no answer.
    fn poll_time(&mut self, cx: &mut Context<'_>) -> Poll<CallError> {
        let Some((deadline, error)) = self.deadline() else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        ready!(timer.as_mut().poll(cx));
        if !self.connection.pending.expire(self.id) {
            // The answer has come just now, and has woken us.
            return Poll::Pending;
        }
        self.ended = true;
        self.cancel(Some(&error.to_string()));
        Poll::Ready(error)
    }

    /// When the time is over, and what is to be said then.
    fn deadline(&self) -> Option<(Instant, CallError)> {
        let Limits { timeout, reset, max } = self.options.limits;
        let last_report = if reset { self.connection.pending.last_report(self.id) } else { None };
        let soft =
            timeout.and_then(|after| Some((last_report.unwrap_or(self.started).checked_add(after)?, after, reset)));
        let hard = max.and_then(|after| Some((self.started.checked_add(after)?, after, false)));
        let (deadline, after, silent) = [soft, hard].into_iter().flatten().min_by_key(|(deadline, ..)| *deadline)?;
        Some((deadline, CallError::Timeout { after, silent }))
    }

    fn cancel(&self, reason: Option<&str>) {
        // What has not been sent need not be cancelled.
        if self.options.cancels && self.message.is_none() {
            self.connection.cancel(self.id, reason);
        }
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        if !self.ended && self.connection.pending.forget(self.id) {
            self.cancel(None);
        }
    }
}

/// Waits for the outcome of a request, whatever is reported meanwhile.
pub(crate) async fn outcome(mut request: Request<'_>) -> Result<Box<RawValue>, CallError> {
    loop {
        if let Step::Outcome(outcome) = poll_fn(|cx| request.poll(cx)).await {
            return outcome;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::*;
    use crate::client::ClientBuilder;
    use crate::protocol::ErrorObject;

    fn connection() -> Connection {
        Connection::new(&ClientBuilder::default().0)
    }

    fn request<'c>(connection: &'c Connection, limits: Limits) -> Request<'c> {
        let options = Options { limits, listens: false, cancels: true };
        Request::new(connection, "tools/call", |out, _| out.extend_from_slice(b"{}"), options)
    }

    fn poll(request: &mut Request<'_>) -> Poll<Step> {
        request.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn sent(connection: &Connection) -> Vec<String> {
        let sent = String::from_utf8(connection.outbox.drain()).unwrap();
        sent.lines().map(str::to_owned).collect()
    }

    #[tokio::test]
    async fn what_is_dropped_is_cancelled_once_and_leaves_nothing_behind() {
        let connection = connection();
        let mut request = request(&connection, Limits::default());
        assert!(poll(&mut request).is_pending());
        assert_eq!(connection.pending.len(), 1);
        drop(request);
        assert_eq!(connection.pending.len(), 0);
        assert_eq!(
            sent(&connection),
            [
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#,
                r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            ]
        );
        assert!(!connection.pending.answer(1, Answer::Error(ErrorObject::internal("late"))));
    }

    #[tokio::test]
    async fn what_is_answered_is_not_cancelled() {
        let connection = connection();
        let mut taken = request(&connection, Limits::default());
        let mut untaken = request(&connection, Limits::default());
        assert!(poll(&mut taken).is_pending() && poll(&mut untaken).is_pending());
        for id in [1, 2] {
            assert!(connection.pending.answer(id, Answer::Error(ErrorObject::internal("no"))));
            assert!(!connection.pending.answer(id, Answer::Error(ErrorObject::internal("again"))));
        }
        assert!(matches!(poll(&mut taken), Poll::Ready(Step::Outcome(Err(CallError::Server(_))))));
        drop(taken);
        drop(untaken);
        assert_eq!(connection.pending.len(), 0);
        assert_eq!(sent(&connection).len(), 2);
    }

    #[tokio::test]
    async fn what_was_never_sent_is_not_cancelled() {
        let connection = connection();
        connection.outbox.push_now(|out| out.resize(1024 * 1024, b' ')).unwrap();
        let mut request = request(&connection, Limits::default());
        assert!(poll(&mut request).is_pending());
        drop(request);
        assert_eq!(connection.pending.len(), 0);
        assert_eq!(sent(&connection).len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_is_kept_while_the_caller_is_busy() {
        let connection = connection();
        let limits = Limits { timeout: Some(Duration::from_millis(100)), ..Limits::default() };
        let mut request = request(&connection, limits);
        assert!(poll(&mut request).is_pending());
        tokio::time::advance(Duration::from_millis(101)).await;
        request.watch(&mut Context::from_waker(Waker::noop()));
        assert_eq!(
            sent(&connection)[1],
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"no answer within 100ms"}}"#
        );
        assert!(matches!(poll(&mut request), Poll::Ready(Step::Outcome(Err(CallError::Timeout { .. })))));
        drop(request);
        assert_eq!(connection.pending.len(), 0);
        assert!(sent(&connection).is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_time_that_never_comes_is_no_limit() {
        let connection = connection();
        let limits = Limits { timeout: Some(Duration::MAX), ..Limits::default() };
        assert!(poll(&mut request(&connection, limits)).is_pending());
    }
}
