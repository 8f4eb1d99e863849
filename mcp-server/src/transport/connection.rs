//! One connection to a client: reads messages, runs calls, and writes what they say, in order.
//!
//! A single task reads and writes. A call is tried at once where it was read, since most are ready by then; one that
//! is not goes on in a task of its own, and is dropped with it when the client gives it up.

use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::ServeError;
use super::lines::{Line, Lines, write_all};
use super::seldom::Seldom;
use super::serving::serving;
use crate::protocol::{
    CancelledParams, ErrorObject, Incoming, Malformed, Params, RequestId, is_batch, read_batch, read_message,
    read_object,
};
use crate::server::call::{InFlight, StartedCall};
use crate::server::chunk::{Chunk, Insert};
use crate::server::dispatch::{self, Reply, Request};
use crate::server::legacy::{self, Batch, Session};
use crate::server::link::Link;
use crate::server::output::{self, Outbox, Settle};
use crate::server::respond;
use crate::server::settings::MAX_MESSAGE_SIZE;
use crate::server::{Core, Server, random_id};

impl Server {
    /// Serves whoever is at the other end of a pair of streams, such as a Unix socket, one message a line.
    ///
    /// ```
    /// use mcp_server::Server;
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let (ours, mut theirs) = tokio::io::duplex(1024);
    /// let (reader, writer) = tokio::io::split(ours);
    /// let serving = tokio::spawn(Server::new("silent").serve(reader, writer));
    ///
    /// theirs.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    /// theirs.shutdown().await.unwrap();
    /// let mut answers = String::new();
    /// theirs.read_to_string(&mut answers).await.unwrap();
    /// assert_eq!(answers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// serving.await.unwrap().unwrap();
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// When the streams fail. A peer that has gone away is no error.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        let settle = self.settle();
        serving(self, |core| serve(core, reader, writer, settle, std::future::pending())).await
    }
}

/// Serves a client until it ends its input.
///
/// `settle`: how long a response keeps its distance from the last report of its own call. `stop`: as if the client had
/// ended its input then.
pub(crate) async fn serve<R, W>(
    core: Arc<Core>,
    reader: R,
    writer: W,
    settle: impl Into<Settle>,
    stop: impl Future<Output = ()>,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin,
{
    serve_until(core, reader, writer, settle, stop, std::future::pending()).await
}

/// As [`serve`], until `give_up`: then nothing is finished, and nothing more is said.
pub(crate) async fn serve_until<R, W>(
    core: Arc<Core>,
    reader: R,
    writer: W,
    settle: impl Into<Settle>,
    stop: impl Future<Output = ()>,
    give_up: impl Future<Output = ()>,
) -> Result<(), ServeError>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin,
{
    let outbox = Outbox::new(core.settings.queue_size, settle);
    let drain_timeout = core.settings.drain_timeout;
    let (close, closing) = watch::channel(false);
    // Nothing else is known of who is at the other end.
    let client = Arc::from(format!("connection {}", random_id()));
    let mut connection = Connection {
        core,
        outbox: outbox.clone(),
        link: Link {
            outbox: outbox.clone(),
            closing,
            client,
            principal: None,
            #[cfg(feature = "http")]
            headers: None,
            #[cfg(feature = "http")]
            detour: None,
        },
        close,
        session: Session::default(),
        in_flight: InFlight::default(),
        calls: JoinSet::new(),
    };
    let serving = async {
        let mut reading = pin!(connection.read(reader, stop));
        let mut writing = pin!(write_all(&outbox, writer));
        tokio::select! {
            // What one read brought is answered by one write.
            biased;
            read = &mut reading => {
                outbox.close();
                // A client that does not read on holds nobody for ever.
                let written = tokio::time::timeout(drain_timeout, writing).await.unwrap_or(Ok(()));
                ended(read, ServeError::Read).and(ended(written, ServeError::Write))
            }
            written = &mut writing => ended(written, ServeError::Write),
        }
    };
    let served = tokio::select! {
        biased;
        served = serving => served,
        () = Seldom::new(give_up) => Ok(()),
    };
    connection.end().await;
    served
}

/// A peer that has gone away without a word is the end, and no error.
fn ended(result: io::Result<()>, error: fn(io::Error) -> ServeError) -> Result<(), ServeError> {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};

    match result {
        Err(end) if matches!(end.kind(), BrokenPipe | ConnectionAborted | ConnectionReset) => Ok(()),
        result => result.map_err(error),
    }
}

struct Connection {
    core: Arc<Core>,
    outbox: Outbox,
    link: Link,
    close: watch::Sender<bool>,
    session: Session,
    in_flight: InFlight,
    calls: JoinSet<()>,
}

impl Drop for Connection {
    /// Nobody serves the calls any more: what can't be dropped, a function on a thread, is told so.
    fn drop(&mut self) {
        drop(self.in_flight.cancel_all());
        self.outbox.close();
    }
}

/// A try that takes longer than this is slow. A tool that is slow twice in a row is not tried again where others wait to
/// be read; resources, prompts and methods are tried each time.
const SLOW: Duration = Duration::from_millis(1);

impl Connection {
    async fn read(&mut self, reader: impl AsyncRead + Unpin, stop: impl Future<Output = ()>) -> io::Result<()> {
        self.read_until(reader, stop).await?;
        self.drain().await;
        Ok(())
    }

    /// Reads to the end of the input, or until it is to stop; which of the two it was, `stop` learns by being dropped.
    async fn read_until(&mut self, reader: impl AsyncRead + Unpin, stop: impl Future<Output = ()>) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.max_message_size());
        let mut stop = pin!(Seldom::new(stop));
        loop {
            let more = tokio::select! {
                biased;
                more = lines.fill() => more?,
                () = &mut stop => return Ok(()),
            };
            while let Some(line) = lines.next() {
                self.outbox.give_way().await;
                if let Some((id, call)) = self.line(line) {
                    // The call has all that it needs, and its result may be as long again.
                    lines.release();
                    self.start(id, call);
                }
            }
            while self.calls.try_join_next().is_some() {}
            if !more {
                return Ok(());
            }
        }
    }

    fn max_message_size(&self) -> usize {
        self.core.settings.max_message_size.unwrap_or(MAX_MESSAGE_SIZE)
    }

    /// Finishes what runs. What is not done in time is answered with an error.
    async fn drain(&mut self) {
        self.session.end();
        // Streams of changes have no end of their own.
        self.close.send_replace(true);
        let all = async { while self.calls.join_next().await.is_some() {} };
        if tokio::time::timeout(self.core.settings.drain_timeout, all).await.is_err() {
            for (id, batch) in self.in_flight.cancel_all() {
                tracing::warn!(%id, "the input has ended, and the call took too long to finish");
                self.refuse(Some(&id), &ErrorObject::internal("the server is shutting down"), batch.as_deref());
            }
        }
    }

    /// Stops what still runs, and waits until its handlers are dropped: after this, what they use may be closed.
    async fn end(&mut self) {
        drop(self.in_flight.cancel_all());
        self.outbox.close();
        // One that holds its thread can't be dropped before it lets go of it.
        if tokio::time::timeout(self.core.settings.drain_timeout, self.calls.shutdown()).await.is_err() {
            tracing::warn!("a call holds its thread and could not be stopped");
        }
    }

    /// Takes a message in. A call that it begins is still to be started.
    fn line(&mut self, line: Line<'_>) -> Option<(RequestId, StartedCall)> {
        let read = match line {
            Line::Text(text) => match std::str::from_utf8(text) {
                Ok(text) if is_batch(text) => {
                    self.batch(text);
                    return None;
                }
                Ok(text) => read_message(text, self.core.settings.max_depth),
                Err(error) => {
                    let text = format!("not UTF-8 from byte {} on", error.valid_up_to());
                    Err(Malformed::new(None, ErrorObject::parse_error(text)))
                }
            },
            Line::TooLong(_) => {
                let text = format!("the message is longer than the limit of {} bytes", self.max_message_size());
                Err(Malformed::new(None, ErrorObject::invalid_request(text)))
            }
        };
        match read {
            Ok(message) => self.message(message, None),
            Err(malformed) => {
                self.malformed(malformed, None);
                None
            }
        }
    }

    fn batch(&mut self, text: &str) {
        let messages = match read_batch(text, self.core.settings.max_depth) {
            Ok(messages) => messages,
            Err(malformed) => return self.malformed(malformed, None),
        };
        let limit = self.core.settings.max_in_flight;
        let refused = if messages.is_empty() {
            Some("an empty array is no message".to_owned())
        } else if !self.session.takes_batches() {
            Some("several messages in one array are part of the revision 2025-03-26 alone".to_owned())
        } else if messages.len() > limit {
            Some(format!("the array has more messages than the limit of {limit} calls at a time"))
        } else {
            None
        };
        if let Some(text) = refused {
            return self.refuse(None, &ErrorObject::invalid_request(text), None);
        }
        // One more than there are messages, so that the array is complete only when all have been read.
        let batch = Batch::new(self.outbox.clone(), messages.len() + 1);
        for message in messages {
            self.batched(message, &batch);
        }
        batch.settle_now(None);
    }

    fn batched(&mut self, message: &RawValue, batch: &Arc<Batch>) {
        match read_message(message.get(), self.core.settings.max_depth) {
            Ok(Incoming::Request { id, method, params }) if !legacy::may_be_batched(&method, &params) => {
                let error = ErrorObject::invalid_request(format!("`{method}` can't be part of a batch"));
                self.refuse(Some(&id), &error, Some(batch));
            }
            Ok(message) => {
                if let Some((id, call)) = self.message(message, Some(batch)) {
                    self.start(id, call);
                }
            }
            Err(malformed) => self.malformed(malformed, Some(batch)),
        }
    }

    fn malformed(&mut self, malformed: Malformed, batch: Option<&Arc<Batch>>) {
        let Malformed { id, error } = malformed;
        let batch = batch.map(|batch| &**batch);
        match error {
            // With the id of a call that runs it would be read as that call's answer.
            Some(error) => self.refuse(id.filter(|id| !self.in_flight.contains(id)).as_ref(), &error, batch),
            None => {
                // Whoever asked must not wait for ever.
                let unreadable = || ErrorObject::internal("the answer can't be read");
                if !id.is_some_and(|id| self.session.answer(&id, Err(unreadable()))) {
                    tracing::debug!("a response that can't be read was ignored");
                }
                if let Some(batch) = batch {
                    batch.settle_now(None);
                }
            }
        }
    }

    fn message(&mut self, message: Incoming<'_>, batch: Option<&Arc<Batch>>) -> Option<(RequestId, StartedCall)> {
        match message {
            Incoming::Request { id, method, params } => return self.request(id, &method, params, batch),
            Incoming::Notification { method, params } => self.notification(&method, &params),
            Incoming::Response { id, outcome } => {
                if !id.as_ref().is_some_and(|id| self.session.answer(id, outcome)) {
                    tracing::debug!(?id, "a response to no request was ignored");
                }
            }
        }
        if let Some(batch) = batch {
            batch.settle_now(None);
        }
        None
    }

    fn request(
        &mut self,
        id: RequestId,
        method: &str,
        params: Params<'_>,
        batch: Option<&Arc<Batch>>,
    ) -> Option<(RequestId, StartedCall)> {
        let of_batch = batch.map(|batch| &**batch);
        if self.in_flight.contains(&id) {
            // Without the id, for the answer with that id belongs to the call that runs.
            let error = ErrorObject::invalid_request(format!("the id {id} is that of a request that still runs"));
            self.refuse(None, &error, of_batch);
            return None;
        }
        let served = Request::read(&id, method, params)
            .map(|request| dispatch::serve(&self.core, &mut self.session, &self.link, request));
        match served {
            Ok((version, Ok(Reply::Result(result)))) => {
                self.answer(of_batch, |out| result.write_around(out, &self.core, &id, version));
            }
            Ok((_, Ok(Reply::Call(mut call)))) => {
                call.batch = batch.cloned();
                return Some((id, call));
            }
            Ok((_, Err(error))) | Err(error) => self.refuse(Some(&id), &error, of_batch),
        }
        None
    }

    /// Tries a call, and gives it a task of its own when it is not done at once.
    fn start(&mut self, id: RequestId, mut call: StartedCall) {
        let limit = self.core.settings.max_in_flight;
        if self.in_flight.len() >= limit {
            call.state.reporter.finish_now();
            let error =
                ErrorObject::internal(format!("{limit} calls are running, which is the limit: try again later"));
            return self.refuse(Some(&id), &error, call.batch.as_deref());
        }
        let mut is_ready = false;
        if !call.subject.is_slow() {
            call.state.tried.store(true, Ordering::Relaxed);
            let started = Instant::now();
            is_ready = call.try_now();
            call.state.tried.store(false, Ordering::Relaxed);
            call.subject.tried(started.elapsed() > SLOW);
            if is_ready && call.respond_now() {
                return;
            }
        }
        let (state, batch) = (Arc::clone(&call.state), call.batch.clone());
        let mut run = Box::pin(call.run(self.in_flight.clone()));
        // That of a batch, or one that has reported, may still be done at once.
        if is_ready && run.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready() {
            return;
        }
        self.in_flight.insert(id.clone(), state, batch);
        let task = self.calls.spawn(run);
        self.in_flight.started(&id, task);
    }

    fn notification(&mut self, method: &str, params: &Params<'_>) {
        match method {
            "notifications/cancelled" => {
                match params.raw().and_then(|params| read_object::<CancelledParams>(params).ok()) {
                    Some(CancelledParams { request_id, reason }) => {
                        // The client may give up just when we have answered: an unknown id is no error.
                        let found = self.in_flight.cancel(&request_id);
                        tracing::debug!(id = %request_id, ?reason, found, "cancelled");
                    }
                    None => tracing::debug!("a cancellation without a request was ignored"),
                }
            }
            "notifications/initialized" => {
                if let Some(telling) = self.session.begin_telling(&self.link) {
                    self.calls.spawn(telling);
                }
            }
            method if self.core.extensions.notify(method, params, self.session.peer()) => {}
            method => tracing::trace!(method, "a notification was ignored"),
        }
    }

    fn refuse(&self, id: Option<&RequestId>, error: &ErrorObject, batch: Option<&Batch>) {
        self.answer(batch, output::whole(|out| respond::write_error(out, id, error)));
    }

    /// Queues a response, or adds it to those of its batch.
    fn answer(&self, batch: Option<&Batch>, write: impl FnOnce(&mut Vec<u8>) -> Option<Insert>) {
        match batch {
            Some(batch) => {
                let mut response = Chunk::default();
                response.append(write);
                batch.settle_now(Some(response.into_bytes()));
            }
            // A closed queue has nobody left who waits for the response.
            None => drop(self.outbox.push_around_now(write)),
        }
    }
}
