//! Streamable HTTP, from the client's side: each message is a POST, whose response is the answer or a stream of events
//! that ends with it.
//!
//! Specification: [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http)
//! and, for the revisions with sessions,
//! [Transports](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports).

mod body;
mod events;
mod exchange;
mod headers;
mod listening;
mod place;
mod session;
mod settings;
mod tasks;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use tokio::task::AbortHandle;

use self::place::Place;
use self::session::Sessions;
pub(crate) use self::settings::HttpSettings;
use self::tasks::Tasks;
use super::builder::Settings;
use super::connection::{Carrier, Connection};
use super::link::Link;
use super::request::Outgoing;
use crate::protocol::ProtocolVersion;

/// So many notifications wait to be sent, and so many answers are on their way.
const MAX_TOLD: usize = 1024;
const MAX_ANSWERS: usize = 64;
/// A server may take so long to take what it does not answer.
const TELLING: Duration = Duration::from_secs(30);
/// A server may take so long to say whether it can be listened to before the client goes on all the same.
const LISTENING: Duration = Duration::from_secs(1);
/// How long it is waited before a stream is asked for again, where the server does not say it.
const PAUSE: Duration = Duration::from_secs(1);
/// It is never shorter than this.
const LEAST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The way to a server at a URL.
#[derive(Debug)]
pub(crate) struct Http {
    place: Arc<Place>,
    settings: Settings,
    sessions: Sessions,
    tasks: Tasks,
    /// Notifications, in order: one is sent when the one before has been taken.
    told: mpsc::Sender<Told>,
    /// As many answers may still be on their way.
    answers: Arc<Semaphore>,
    listening: Mutex<Option<AbortHandle>>,
}

#[derive(Debug)]
enum Told {
    Notification {
        method: String,
        message: Vec<u8>,
    },
    /// Whoever waits for this knows that all before it is sent.
    Mark(oneshot::Sender<()>),
}

/// A request on its way. Dropping it gives the response up.
#[derive(Debug)]
pub(crate) struct Exchange {
    task: Option<AbortHandle>,
    answered: Option<oneshot::Sender<()>>,
}

impl Link {
    /// A way to a server at a URL, on which nothing has been sent.
    fn http(settings: &Settings, place: &Arc<Place>) -> Self {
        let (told, telling) = mpsc::channel(MAX_TOLD);
        let http = Http {
            place: Arc::clone(place),
            settings: settings.clone(),
            sessions: Sessions::default(),
            tasks: Tasks::new(),
            told,
            answers: Arc::new(Semaphore::new(MAX_ANSWERS)),
            listening: Mutex::new(None),
        };
        let connection = Arc::new(Connection::new(settings, Carrier::Http(Box::new(http))));
        if let Carrier::Http(http) = &connection.carrier {
            http.tasks.spawn(tell_all(Arc::clone(&connection), telling));
        }
        Self::over_http(settings, connection)
    }
}

impl Http {
    /// Sends a request; what comes back goes to the connection.
    pub(crate) fn start(&self, connection: &Arc<Connection>, id: u64, outgoing: Outgoing) -> Exchange {
        let (answered, is_answered) = oneshot::channel();
        let unanswered = exchange::Unanswered { connection: Arc::clone(connection), id };
        let task = self.tasks.spawn(exchange::run(unanswered, outgoing, is_answered));
        Exchange { task, answered: Some(answered) }
    }

    /// Gives a request up: on a stateless server by closing its response, on an older one by a notification.
    pub(crate) fn cancel(&self, connection: &Arc<Connection>, exchange: Exchange, id: u64, reason: Option<&str>) {
        // "Disconnection SHOULD NOT be interpreted as the client cancelling its request" (2025-11-25, Sending
        // Messages).
        if !connection.is_modern() {
            connection.cancel(id, reason);
        }
        drop(exchange);
    }

    /// Sends a notification, behind those before it.
    pub(crate) fn tell(&self, method: &str, message: Vec<u8>) {
        if self.told.try_send(Told::Notification { method: method.to_owned(), message }).is_err() {
            tracing::debug!(method, "the server takes nothing, so that it is not told");
        }
    }

    /// Sends an answer to a request of the server. It waits for no other, as a server may take one only when it has got
    /// another; of one that takes none only so many are on their way.
    pub(crate) fn answer(&self, connection: &Arc<Connection>, message: Vec<u8>) {
        match Arc::clone(&self.answers).try_acquire_owned() {
            Ok(permit) => self.send_answer(connection, message, permit),
            Err(_) => tracing::debug!("the server takes no answers, so that its request goes without one"),
        }
    }

    /// As [`answer`](Http::answer), for what somebody has thought about: waits until it may be on its way.
    pub(crate) async fn answer_in_turn(&self, connection: &Arc<Connection>, message: Vec<u8>) {
        if let Ok(permit) = Arc::clone(&self.answers).acquire_owned().await {
            self.send_answer(connection, message, permit);
        }
    }

    fn send_answer(&self, connection: &Arc<Connection>, message: Vec<u8>, permit: OwnedSemaphorePermit) {
        let connection = Arc::clone(connection);
        let asked_in = self.sessions.now().number;
        self.tasks.spawn(async move {
            let Carrier::Http(http) = &connection.carrier else { return };
            // In another session the same id is that of another question.
            if http.sessions.now().number == asked_in {
                http.deliver(None, message).await;
            }
            drop(permit);
        });
    }

    /// Ends the handshake: waits until the server has taken the message, then listens to what it says by itself. What it
    /// says while nobody listens yet would be lost.
    pub(crate) async fn initialized(&self, connection: &Arc<Connection>, message: Vec<u8>) {
        self.deliver(Some("notifications/initialized"), message).await;
        let begun = self.listen(connection);
        if tokio::time::timeout(LISTENING, begun).await.is_err() {
            tracing::debug!("the server has not said in time whether it can be listened to");
        }
    }

    /// Listens to what an older server says by itself, and no longer to what an earlier session said. What it gives is
    /// ready when the server has answered.
    fn listen(&self, connection: &Arc<Connection>) -> impl Future<Output = ()> + use<> {
        let (answered, begun) = oneshot::channel();
        let listening = self.tasks.spawn(listening::run(Arc::clone(connection), answered));
        let before = std::mem::replace(&mut *self.listening.lock().unwrap_or_else(PoisonError::into_inner), listening);
        if let Some(before) = before {
            before.abort();
        }
        async move { drop(begun.await) }
    }

    /// Both sides have agreed on a revision: it stands in a header from now on.
    pub(crate) fn agree(&self, version: ProtocolVersion) {
        self.sessions.agree(version);
    }

    async fn deliver(&self, method: Option<&str>, message: Vec<u8>) {
        match tokio::time::timeout(TELLING, exchange::tell(self, method, message)).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(method, %error, "the server did not take a message"),
            Err(_) => tracing::debug!(method, "the server did not take a message in time"),
        }
    }

    /// Nothing more is sent or read.
    pub(crate) fn close(&self) {
        drop(self.tasks.close());
    }

    /// Sends what is queued, then ends all tasks, and the session at the server too, within this time.
    pub(crate) async fn end(&self, patience: Duration) {
        let ended = tokio::time::timeout(patience, async {
            let (mark, reached) = oneshot::channel();
            // A server that takes nothing leaves time to end the session.
            let _ = tokio::time::timeout(patience / 2, async {
                if self.told.send(Told::Mark(mark)).await.is_ok() {
                    let _ = reached.await;
                }
            })
            .await;
            if let Some(mut tasks) = self.tasks.close() {
                tasks.shutdown().await;
            }
            // "Clients that no longer need a particular session SHOULD send an HTTP DELETE" (2025-11-25, Session
            // Management). A server need not take it.
            let session = self.sessions.now();
            if session.id.is_some() {
                match self.place.delete(session.headers()).await {
                    Ok(status) => tracing::debug!(status = status.as_u16(), "the session has ended"),
                    Err(error) => tracing::debug!(%error, "the server could not be told that the session has ended"),
                }
            }
        });
        if ended.await.is_err() {
            tracing::debug!("the server takes too long to end the session");
        }
    }
}

impl Exchange {
    /// The answer is there: what is left of the response is read to its end, so that the connection can be used again.
    pub(crate) fn finish(mut self) {
        self.task = None;
        if let Some(answered) = self.answered.take() {
            // The task may have ended by itself.
            let _ = answered.send(());
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

/// Sends notifications one after the other.
async fn tell_all(connection: Arc<Connection>, mut telling: mpsc::Receiver<Told>) {
    let Carrier::Http(http) = &connection.carrier else { return };
    while let Some(told) = telling.recv().await {
        match told {
            Told::Notification { method, message } => http.deliver(Some(&method), message).await,
            Told::Mark(mark) => {
                let _ = mark.send(());
            }
        }
    }
}

/// How long to wait before a stream is asked for once more: as long as the server says, and else longer with each try
/// that brought nothing, and not all clients at one time.
fn pause(retry: Option<Duration>, tries: u32) -> Duration {
    // Who asks to be asked at once, again and again, is asked a little later.
    let retry = retry.map(|retry| retry.max(LEAST_PAUSE));
    if let Some(retry) = retry
        && tries < 2
    {
        return retry;
    }
    let least = retry.unwrap_or(PAUSE);
    let longer = PAUSE.saturating_mul(1 << tries.min(5)).min(MAX_PAUSE).max(least);
    let mut byte = [0];
    // Without it all wait for the same time, which is no fault.
    let _ = getrandom::fill(&mut byte);
    // "The client MUST respect the `retry` field": it is never less than that.
    longer.saturating_add(longer.min(MAX_PAUSE).mul_f64(f64::from(byte[0]) / 1024.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LHTTP-17
    #[test]
    fn it_is_never_asked_earlier_than_the_server_wants_and_not_ever_more_often() {
        let retry = Duration::from_millis(500);
        assert_eq!(pause(Some(retry), 0), retry);
        assert_eq!(pause(Some(Duration::ZERO), 0), LEAST_PAUSE);
        let times = [0, 1, 2, 5, 31, u32::MAX].map(|tries| pause(None, tries));
        assert!(times[0] >= PAUSE && times[0] <= PAUSE * 5 / 4, "{times:?}");
        assert!(times.iter().all(|time| *time <= MAX_PAUSE * 5 / 4), "{times:?}");
        assert!(times[5] >= MAX_PAUSE);
        let long = Duration::from_millis(u64::MAX);
        assert!([0, 1, 9].iter().all(|tries| pause(Some(long), *tries) >= long));
    }
}
