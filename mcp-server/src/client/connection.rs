//! One connection to a server: what goes out in order, what comes in sorted to those who wait for it.
//!
//! It never waits for a caller: what comes in goes into the queues of [`Pending`], to the handlers of what a server may
//! ask, and to the hooks.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Serialize;

use super::asked::Asked;
use super::builder::Settings;
use super::cache::Cache;
use super::changes::Changes;
#[cfg(feature = "client-http")]
use super::http::Http;
use super::known::KnownTools;
use super::log::LogMessage;
use super::pending::{Answer, Pending};
use super::recorded::Recorders;
use super::results;
use super::streams::QUEUE_SIZE;
use crate::protocol::{
    CancelledParams, ErrorObject, Incoming, LoggingLevel, Malformed, ProgressParams, ProtocolVersion, RawJson,
    RequestId, is_batch, read_batch, read_message,
};
use crate::server::output::Outbox;
use crate::server::respond;

/// What the tasks of a connection and the requests on it share.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) carrier: Carrier,
    pub(crate) pending: Pending,
    pub(crate) asked: Asked,
    pub(crate) changes: Changes,
    pub(crate) cache: Cache,
    pub(crate) tools: KnownTools,
    pub(crate) recorders: Recorders,
    /// Whether the server is known to be stateless: such a server never asks, and is never answered.
    modern: AtomicBool,
    pub(crate) max_message_size: usize,
    on_stray: Option<Hook<str>>,
    on_log: Option<Hook<LogMessage>>,
    log_level: Mutex<Option<LoggingLevel>>,
}

/// How messages get to the server.
#[derive(Debug)]
pub(crate) enum Carrier {
    /// One queue for all of them.
    Streams(Outbox),
    #[cfg(feature = "client-http")]
    Http(Box<Http>),
}

/// Who is told of something.
pub(crate) struct Hook<T: ?Sized>(Arc<dyn Fn(&T) + Send + Sync>);

impl<T: ?Sized> Hook<T> {
    pub(crate) fn new(hook: impl Fn(&T) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    /// A hook that panics costs what it was told, and not the connection.
    pub(crate) fn call(&self, told: &T) {
        if catch_unwind(AssertUnwindSafe(|| (self.0)(told))).is_err() {
            tracing::warn!("a hook of the client has panicked");
        }
    }
}

impl<T: ?Sized> Clone for Hook<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> fmt::Debug for Hook<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

impl Connection {
    /// One over a pair of streams, and the queue of what is to be written.
    pub(crate) fn over_streams(settings: &Settings) -> (Arc<Self>, Outbox) {
        let outbox = Outbox::new(QUEUE_SIZE, Duration::ZERO);
        (Arc::new(Self::new(settings, Carrier::Streams(outbox.clone()))), outbox)
    }

    pub(crate) fn new(settings: &Settings, carrier: Carrier) -> Self {
        Self {
            carrier,
            pending: Pending::default(),
            asked: Asked::new(settings),
            changes: Changes::new(settings),
            cache: Cache::new(settings),
            tools: KnownTools::default(),
            recorders: Recorders::default(),
            modern: AtomicBool::new(false),
            max_message_size: settings.max_message_size,
            on_stray: settings.on_stray.clone(),
            on_log: settings.on_log.clone(),
            log_level: Mutex::new(settings.log_level),
        }
    }

    /// Both sides have agreed on a revision.
    pub(crate) fn agree(&self, version: ProtocolVersion) {
        self.modern.store(version.is_modern(), Ordering::Relaxed);
        #[cfg(feature = "client-http")]
        if let Carrier::Http(http) = &self.carrier {
            http.agree(version);
        }
    }

    /// Whether arguments are repeated in headers on the way to the server.
    pub(crate) fn repeats_arguments(&self) -> bool {
        #[cfg(feature = "client-http")]
        if matches!(self.carrier, Carrier::Http(_)) {
            return self.is_modern();
        }
        false
    }

    /// From which level on the server is asked to log.
    pub(crate) fn log_level(&self) -> MutexGuard<'_, Option<LoggingLevel>> {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.modern.load(Ordering::Relaxed)
    }

    /// Takes what came as one text to those who wait for it: a message, or several of them, as 2025-03-26 has it.
    pub(crate) fn messages(self: &Arc<Self>, text: &str) {
        if !is_batch(text) {
            return self.message(text);
        }
        match read_batch(text, usize::MAX) {
            Ok(messages) => messages.into_iter().for_each(|message| self.message(message.get())),
            Err(_) => self.stray(text),
        }
    }

    /// Takes a message of the server to those who wait for it.
    pub(crate) fn message(self: &Arc<Self>, text: &str) {
        match read_message(text, usize::MAX) {
            Ok(Incoming::Response { id, outcome }) => self.response(id, outcome),
            Ok(Incoming::Notification { method, params }) => self.notification(&method, params.raw()),
            Ok(Incoming::Request { id, method, params }) => self.request(&id, &method, params.raw()),
            Err(Malformed { id, error: None }) => {
                let malformed = Answer::Malformed("it is no response of JSON-RPC".to_owned());
                if !id.and_then(|id| id.as_u64()).is_some_and(|id| self.pending.answer(id, malformed)) {
                    self.stray(text);
                }
            }
            Err(Malformed { error: Some(_), .. }) => self.stray(text),
        }
    }

    /// What is no message: many servers let other output slip in. Nothing is written back about it.
    pub(crate) fn stray(&self, text: &str) {
        match &self.on_stray {
            Some(hook) => hook.call(text),
            None => {
                let text = results::clip(text);
                tracing::debug!(text, "something that the server said and that is no message was skipped");
            }
        }
    }

    fn response(&self, id: Option<RequestId>, outcome: Result<RawJson<'_>, ErrorObject>) {
        let answer = match outcome {
            Ok(result) => Answer::Result(result.raw().to_owned()),
            Err(error) => Answer::Error { error, status: None },
        };
        if !id.as_ref().and_then(RequestId::as_u64).is_some_and(|id| self.pending.answer(id, answer)) {
            // It may have crossed a cancellation.
            tracing::debug!(?id, "an answer that nobody waits for was ignored");
        }
    }

    fn notification(self: &Arc<Self>, method: &str, params: Option<RawJson<'_>>) {
        match method {
            "notifications/progress" => match params.and_then(|params| params.read::<ProgressParams>().ok()) {
                Some(params) => {
                    let id = params.progress_token.as_u64();
                    if !id.is_some_and(|id| self.pending.report(id, params.progress())) {
                        tracing::debug!("a report that nobody waits for was ignored");
                    }
                }
                None => tracing::debug!("a report that can't be read was ignored"),
            },
            "notifications/message" => self.log(params),
            "notifications/cancelled" => match params.and_then(|params| params.read::<CancelledParams>().ok()) {
                Some(params) => self.cancelled(&params),
                None => tracing::debug!("a cancellation that can't be read was ignored"),
            },
            "notifications/elicitation/complete" => self.elicitation_complete(params),
            method if self.changes.is_about(method) => self.changed(method, params),
            method => tracing::trace!(method, "a notification was ignored"),
        }
    }

    fn log(&self, params: Option<RawJson<'_>>) {
        match params.and_then(|params| params.read::<LogMessage>().ok()) {
            Some(message) => {
                self.recorders.tell(&message, params.map_or(0, |params| params.get().len()));
                match &self.on_log {
                    Some(hook) => hook.call(&message),
                    None => tracing::debug!(%message, "the server has logged"),
                }
            }
            None => tracing::debug!("a log message that can't be read was ignored"),
        }
    }

    fn request(self: &Arc<Self>, id: &RequestId, method: &str, params: Option<RawJson<'_>>) {
        if self.is_modern() {
            // "the client MUST NOT send responses" (2026-07-28, stdio).
            tracing::debug!(method, "a request of a stateless server was ignored");
        } else if method == "ping" {
            self.answer_now(|out| {
                out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
                id.write(out);
                out.extend_from_slice(br#","result":{}}"#);
            });
        } else {
            self.ask(id, method, params);
        }
    }

    /// Answers a request of the server with an error.
    pub(crate) fn refuse(self: &Arc<Self>, id: &RequestId, error: &ErrorObject) {
        self.answer_now(|out| respond::write_error(out, Some(id), error));
    }

    /// Sends an answer to a request of the server. One that asks on and on without reading the answers gets no more of
    /// them; nobody here waits for it.
    pub(crate) fn answer_now(self: &Arc<Self>, write: impl FnOnce(&mut Vec<u8>)) {
        match &self.carrier {
            Carrier::Streams(outbox) => {
                if !outbox.push_unasked(write) {
                    tracing::debug!("the server does not read, so that its request goes without an answer");
                }
            }
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => {
                let mut message = Vec::new();
                write(&mut message);
                http.answer(self, message);
            }
        }
    }

    /// Sends a notification behind all that has been sent. On a closed connection nothing happens.
    pub(crate) fn notify(self: &Arc<Self>, method: &str, params: &impl Serialize) {
        let message = notification(method, params);
        match &self.carrier {
            // Bounded, as each follows something that has found room.
            Carrier::Streams(outbox) => {
                if outbox.push_now(|out| out.extend_from_slice(&message)).is_err() {
                    tracing::trace!(method, "nobody is told: the connection has ended");
                }
            }
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => http.tell(method, message),
        }
    }

    /// Ends the handshake: nothing else is sent before the server has been told. A closed connection shows at the first
    /// request.
    pub(crate) async fn initialized(self: &Arc<Self>) {
        let message = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
        match &self.carrier {
            Carrier::Streams(outbox) => drop(outbox.push_now(|out| out.extend_from_slice(message))),
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => http.initialized(self, message.to_vec()).await,
        }
    }

    /// Tells the server that nobody waits for a request any more.
    pub(crate) fn cancel(self: &Arc<Self>, id: u64, reason: Option<&str>) {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Params<'a> {
            request_id: u64,
            #[serde(skip_serializing_if = "Option::is_none")]
            reason: Option<&'a str>,
        }
        self.notify("notifications/cancelled", &Params { request_id: id, reason });
    }

    /// Nothing more comes: whatever waits for the server is told so.
    pub(crate) fn ended(&self, reason: &str) {
        self.asked.close();
        self.pending.close(reason);
    }

    /// Nothing more can be sent.
    pub(crate) fn close(&self) {
        self.asked.close();
        match &self.carrier {
            Carrier::Streams(outbox) => outbox.close(),
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => {
                http.close();
                self.pending.close("the client has closed it");
            }
        }
    }
}

/// A notification as it goes over the wire.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    #[derive(Serialize)]
    struct Message<'a, P> {
        jsonrpc: &'static str,
        method: &'a str,
        params: &'a P,
    }
    serde_json::to_vec(&Message { jsonrpc: "2.0", method, params }).expect("params are plain data")
}
