//! One request on its way: sent when it is first polled, given up when it is dropped.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::time::{Instant, Sleep};

use super::CallError;
use super::connection::{Carrier, Connection};
#[cfg(feature = "client-http")]
use super::http::Exchange;
use super::pending::{Answer, Event};
use crate::protocol::{Progress, ProtocolVersion};

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

/// What a request is about. HTTP repeats it in headers, so that what stands in front of a server can read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head<'a> {
    pub(crate) method: &'a str,
    /// The tool, prompt or resource: `Mcp-Name`.
    pub(crate) subject: Option<&'a str>,
    /// Arguments: `Mcp-Param-…`, and the value as text.
    pub(crate) mirrored: Vec<(String, String)>,
    /// The revision that the request is written in; none for a handshake.
    pub(crate) version: Option<ProtocolVersion>,
    /// It belongs to the beginning of a session, and begins no other one when that is not there.
    pub(crate) opens_session: bool,
}

/// A request that waits to be sent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) method: String,
    pub(crate) subject: Option<String>,
    pub(crate) mirrored: Vec<(String, String)>,
    pub(crate) version: Option<ProtocolVersion>,
    pub(crate) opens_session: bool,
    pub(crate) message: Vec<u8>,
}

/// A request and what comes for it. Dropping it before its outcome is giving it up.
#[derive(Debug)]
pub(crate) struct Request<'c> {
    connection: &'c Arc<Connection>,
    options: Options,
    id: u64,
    /// As long as it waits to be sent.
    outgoing: Option<Outgoing>,
    #[cfg(feature = "client-http")]
    exchange: Option<Exchange>,
    /// The status of HTTP that an error came with.
    status: Option<u16>,
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
        connection: &'c Arc<Connection>,
        head: Head<'_>,
        params: impl FnOnce(&mut Vec<u8>, u64),
        options: Options,
    ) -> Self {
        let Head { method, subject, mirrored, version, opens_session } = head;
        // Before anything is sent, so that no answer can come too early.
        let id = connection.pending.register(options.listens);
        let mut message = br#"{"jsonrpc":"2.0","id":"#.to_vec();
        message.extend_from_slice(itoa::Buffer::new().format(id).as_bytes());
        message.extend_from_slice(br#","method":"#);
        serde_json::to_writer(&mut message, method).expect("a Vec takes every byte");
        message.extend_from_slice(br#","params":"#);
        params(&mut message, id);
        message.push(b'}');
        Self {
            connection,
            options,
            id,
            outgoing: Some(Outgoing {
                method: method.to_owned(),
                subject: subject.map(str::to_owned),
                mirrored,
                version,
                opens_session,
                message,
            }),
            #[cfg(feature = "client-http")]
            exchange: None,
            status: None,
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
                #[cfg(feature = "client-http")]
                if let Some(exchange) = self.exchange.take() {
                    exchange.finish();
                }
                Poll::Ready(Step::Outcome(match answer {
                    Answer::Result(result) => Ok(result),
                    Answer::Error { error, status } => {
                        self.status = status;
                        Err(CallError::Server(error))
                    }
                    Answer::Failed(error) => Err(error),
                    Answer::Malformed(reason) => Err(CallError::InvalidResult { path: String::new(), reason }),
                    Answer::Closed(reason) => Err(CallError::Closed { reason }),
                }))
            }
            Poll::Pending => self.poll_time(cx).map(|error| Step::Outcome(Err(error))),
        }
    }

    fn send(&mut self, cx: &mut Context<'_>) {
        let Some(outgoing) = self.outgoing.take() else { return };
        match &self.connection.carrier {
            Carrier::Streams(outbox) => {
                // On a closed connection the outcome comes from the one who closed it.
                if outbox.poll_push(cx, |out| out.extend_from_slice(&outgoing.message)).is_pending() {
                    self.outgoing = Some(outgoing);
                }
            }
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => self.exchange = Some(http.start(self.connection, self.id, outgoing)),
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

    fn cancel(&mut self, reason: Option<&str>) {
        // What has not been sent need not be cancelled.
        if !self.options.cancels || self.outgoing.is_some() {
            return;
        }
        match &self.connection.carrier {
            Carrier::Streams(_) => self.connection.cancel(self.id, reason),
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => {
                if let Some(exchange) = self.exchange.take() {
                    http.cancel(self.connection, exchange, self.id, reason);
                }
            }
        }
    }

    /// The id that it is sent with.
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The status of HTTP that its error came with.
    pub(crate) fn status(&self) -> Option<u16> {
        self.status
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
pub(crate) async fn outcome(request: &mut Request<'_>) -> Result<Box<RawValue>, CallError> {
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
    use crate::server::output::Outbox;

    fn connection() -> Arc<Connection> {
        Connection::over_streams(&ClientBuilder::default().0).0
    }

    fn request<'c>(connection: &'c Arc<Connection>, limits: Limits) -> Request<'c> {
        let options = Options { limits, listens: false, cancels: true };
        let head = Head { method: "tools/call", ..Head::default() };
        Request::new(connection, head, |out, _| out.extend_from_slice(b"{}"), options)
    }

    fn poll(request: &mut Request<'_>) -> Poll<Step> {
        request.poll(&mut Context::from_waker(Waker::noop()))
    }

    fn outbox(connection: &Connection) -> &Outbox {
        match &connection.carrier {
            Carrier::Streams(outbox) => outbox,
            #[cfg(feature = "client-http")]
            Carrier::Http(_) => unreachable!("it is one over streams"),
        }
    }

    fn sent(connection: &Connection) -> Vec<String> {
        let sent = String::from_utf8(outbox(connection).drain()).unwrap();
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
        assert!(!connection.pending.answer(1, Answer::Error { error: ErrorObject::internal("late"), status: None }));
    }

    #[tokio::test]
    async fn what_is_answered_is_not_cancelled() {
        let connection = connection();
        let mut taken = request(&connection, Limits::default());
        let mut untaken = request(&connection, Limits::default());
        assert!(poll(&mut taken).is_pending() && poll(&mut untaken).is_pending());
        let no = |text: &str| Answer::Error { error: ErrorObject::internal(text), status: None };
        for id in [1, 2] {
            assert!(connection.pending.answer(id, no("no")));
            assert!(!connection.pending.answer(id, no("again")));
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
        outbox(&connection).push_now(|out| out.resize(1024 * 1024, b' ')).unwrap();
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
