//! One connection to a server: what goes out in order, what comes in sorted to the requests that wait for it.
//!
//! A single task reads and writes. It never waits for a caller: what it reads goes into the queues of [`Pending`].

use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::Instant;

use super::builder::Settings;
use super::pending::{Answer, Pending};
use crate::protocol::{
    ErrorObject, Incoming, Malformed, ProgressParams, RequestId, Text, is_batch, read_batch, read_message,
};
use crate::server::output::Outbox;
use crate::server::respond;
use crate::transport::lines::{Line, Lines, write_all};

/// Beyond so many bytes that wait to be written a new request waits.
const QUEUE_SIZE: usize = 64 * 1024;
/// For how long the rest is read when it is known that the server is gone.
const GRACE: Duration = Duration::from_millis(500);

/// What the task of a connection and the requests on it share.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) outbox: Outbox,
    pub(crate) pending: Pending,
    /// Whether the server is known to be stateless: such a server never asks, and is never answered.
    modern: AtomicBool,
    max_message_size: usize,
    on_stray: Option<Hook>,
}

/// How a process has ended, once it has.
#[derive(Clone, Debug)]
pub(crate) struct Exit(pub(crate) watch::Receiver<Option<String>>);

impl Exit {
    async fn told(mut self) -> String {
        let text = self.0.wait_for(Option::is_some).await.ok().and_then(|text| text.clone());
        match text {
            Some(text) => text,
            None => std::future::pending().await,
        }
    }
}

/// What is told of a line.
#[derive(Clone)]
pub(crate) struct Hook(Arc<dyn Fn(&str) + Send + Sync>);

impl Hook {
    pub(crate) fn new(hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hook))
    }

    /// A hook that panics costs its line, and not the connection.
    pub(crate) fn call(&self, line: &str) {
        if catch_unwind(AssertUnwindSafe(|| (self.0)(line))).is_err() {
            tracing::warn!("a hook for lines of the server has panicked");
        }
    }
}

impl fmt::Debug for Hook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hook")
    }
}

impl Connection {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            outbox: Outbox::new(QUEUE_SIZE, Duration::ZERO),
            pending: Pending::default(),
            modern: AtomicBool::new(false),
            max_message_size: settings.max_message_size,
            on_stray: settings.on_stray.clone(),
        }
    }

    pub(crate) fn set_modern(&self) {
        self.modern.store(true, Ordering::Relaxed);
    }

    /// Reads and writes until one of the sides has had enough.
    pub(crate) async fn run<R, W>(self: Arc<Self>, reader: R, writer: W, process: Option<Exit>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let is_process = process.is_some();
        let mut exit = pin!(async {
            match process {
                Some(exit) => exit.told().await,
                None => std::future::pending().await,
            }
        });
        let mut reading = pin!(self.read(reader));
        let mut writing = pin!(write_all(&self.outbox, writer));
        let mut grace = pin!(tokio::time::sleep(GRACE));
        let (mut writes, mut exited, mut failed) = (true, None, None);
        let ended = loop {
            // Not biased: neither side may keep the other from its turn.
            tokio::select! {
                read = &mut reading => break match read {
                    Ok(()) => "the server has closed it".to_owned(),
                    Err(error) => format!("could not read from the server: {error}"),
                },
                written = &mut writing, if writes => {
                    writes = false;
                    if let Err(error) = written {
                        // Answers may still lie in the other direction.
                        failed = Some(format!("could not write to the server: {error}"));
                        self.outbox.close();
                        grace.as_mut().reset(Instant::now() + GRACE);
                    }
                }
                reason = &mut exit, if exited.is_none() => {
                    // Something that it has started may keep its output open for ever.
                    exited = Some(reason);
                    grace.as_mut().reset(Instant::now() + GRACE);
                }
                () = &mut grace, if exited.is_some() || failed.is_some() => break String::new(),
            }
        };
        self.outbox.close();
        if is_process && exited.is_none() {
            // A process that ends closes its output a little earlier.
            exited = tokio::time::timeout(GRACE, exit).await.ok();
        }
        let reason = exited.or(failed).unwrap_or(ended);
        tracing::debug!(reason, "the connection to the server has ended");
        self.pending.close(&reason);
    }

    async fn read(&self, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.max_message_size);
        loop {
            let more = lines.fill().await?;
            while let Some(line) = lines.next() {
                self.line(line);
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn line(&self, line: Line<'_>) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong(beginning) => return self.too_long(beginning),
        };
        let Ok(text) = std::str::from_utf8(text) else {
            return self.stray(&String::from_utf8_lossy(text));
        };
        if !is_batch(text) {
            return self.message(text);
        }
        match read_batch(text) {
            Ok(messages) => messages.into_iter().for_each(|message| self.message(message.get())),
            Err(_) => self.stray(text),
        }
    }

    fn too_long(&self, beginning: &[u8]) {
        let limit = self.max_message_size;
        tracing::warn!(limit, "a message of the server that is too long was skipped");
        if let Some(id) = id_of_response(beginning) {
            let reason = format!("it is longer than the limit of {limit} bytes");
            self.pending.answer(id, Answer::Malformed(reason));
        }
    }

    fn message(&self, text: &str) {
        match read_message(text) {
            Ok(Incoming::Response { id, outcome }) => self.response(id, outcome),
            Ok(Incoming::Notification { method, params }) => self.notification(&method, params),
            Ok(Incoming::Request { id, method, .. }) => self.request(&id, &method),
            Err(Malformed { id, error: None }) => {
                let malformed = Answer::Malformed("it is no response of JSON-RPC".to_owned());
                if !id.and_then(|id| id.as_u64()).is_some_and(|id| self.pending.answer(id, malformed)) {
                    self.stray(text);
                }
            }
            Err(Malformed { error: Some(_), .. }) => self.stray(text),
        }
    }

    /// A line that is no message: many servers let other output slip in. Nothing is written back about it.
    fn stray(&self, line: &str) {
        match &self.on_stray {
            Some(hook) => hook.call(line),
            None => tracing::debug!(line, "a line of the server that is no message was skipped"),
        }
    }

    fn response(&self, id: Option<RequestId>, outcome: Result<&RawValue, ErrorObject>) {
        let answer = match outcome {
            Ok(result) => Answer::Result(result.to_owned()),
            Err(error) => Answer::Error(error),
        };
        if !id.as_ref().and_then(RequestId::as_u64).is_some_and(|id| self.pending.answer(id, answer)) {
            // It may have crossed a cancellation.
            tracing::debug!(?id, "an answer that nobody waits for was ignored");
        }
    }

    fn notification(&self, method: &str, params: Option<&RawValue>) {
        match method {
            "notifications/progress" => {
                match params.and_then(|params| serde_json::from_str::<ProgressParams>(params.get()).ok()) {
                    Some(params) => {
                        let id = params.progress_token.as_u64();
                        if !id.is_some_and(|id| self.pending.report(id, params.progress())) {
                            tracing::debug!("a report that nobody waits for was ignored");
                        }
                    }
                    None => tracing::debug!("a report that can't be read was ignored"),
                }
            }
            method => tracing::trace!(method, "a notification was ignored"),
        }
    }

    fn request(&self, id: &RequestId, method: &str) {
        if self.modern.load(Ordering::Relaxed) {
            // "the client MUST NOT send responses" (2026-07-28, stdio).
            tracing::debug!(method, "a request of a stateless server was ignored");
            return;
        }
        // A server that asks on and on without reading the answers gets no more of them; nobody waits for it.
        let queued = self.outbox.push_if_room(|out| match method {
            "ping" => {
                out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
                id.write(out);
                out.extend_from_slice(br#","result":{}}"#);
            }
            method => respond::write_error(out, Some(id), &ErrorObject::method_not_found(method)),
        });
        if !queued {
            tracing::debug!(method, "the server does not read, so that its request goes without an answer");
        }
    }

    /// Tells the server that nobody waits for a request any more.
    pub(crate) fn cancel(&self, id: u64, reason: Option<&str>) {
        // Bounded, as each follows a request that has found room.
        let queued = self.outbox.push_now(|out| {
            out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#);
            out.extend_from_slice(itoa::Buffer::new().format(id).as_bytes());
            if let Some(reason) = reason {
                out.extend_from_slice(br#","reason":"#);
                serde_json::to_writer(&mut *out, reason).expect("a Vec takes every byte");
            }
            out.extend_from_slice(b"}}");
        });
        if queued.is_err() {
            tracing::trace!(id, "no need to cancel: the connection has ended");
        }
    }
}

/// The id of a response of which only the beginning is there, if that has it.
fn id_of_response(beginning: &[u8]) -> Option<u64> {
    struct Members<'a>(&'a mut Option<u64>);
    impl<'de> Visitor<'de> for Members<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Text<'de>>()? {
                match &*key.0 {
                    "id" => *self.0 = RequestId::read(map.next_value()?).and_then(|id| id.as_u64()),
                    "method" => {
                        *self.0 = None;
                        return Err(de::Error::custom("a request"));
                    }
                    _ => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(())
        }
    }
    let mut id = None;
    let text = String::from_utf8_lossy(beginning);
    // It ends in the middle, and so this fails in any case.
    let _ = serde_json::Deserializer::from_str(&text).deserialize_map(Members(&mut id));
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_response_has_its_id_or_not() {
        assert_eq!(id_of_response(br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"ty"#), Some(7));
        assert_eq!(id_of_response(br#"{"id":7,"method":"x","params":{"#), None);
        assert_eq!(id_of_response(br#"{"result":{"content":[{"ty"#), None);
        assert_eq!(id_of_response(b"aaaaaa"), None);
    }
}
