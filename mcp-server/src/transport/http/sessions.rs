//! The sessions of older clients: what is known of each since its handshake, until it ends or is forgotten.
//!
//! Specification: [Session management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::Instant;

use super::activity::{Active, Activity};
use super::events::Events;
use crate::protocol::ProtocolVersion;
use crate::server::call::InFlight;
use crate::server::legacy::Session;
use crate::server::output::{Framing, Outbox};
use crate::server::random_id;

/// All sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    all: Mutex<HashMap<Arc<str>, Arc<HttpSession>>>,
    limit: usize,
    idle: Duration,
    /// The calls of all of them: they go on when their connection breaks.
    tasks: Mutex<JoinSet<()>>,
}

/// One session.
#[derive(Debug)]
pub(super) struct HttpSession {
    pub(super) id: Arc<str>,
    /// Whose it is: nobody else can use it.
    owner: Option<String>,
    pub(super) session: Session,
    pub(super) in_flight: InFlight,
    /// What is told to be over when the session is.
    pub(super) close: watch::Sender<bool>,
    activity: Arc<Activity>,
    streams: Mutex<Streams>,
}

#[derive(Debug, Default)]
struct Streams {
    last: u64,
    open: HashMap<u64, Stream>,
    /// Those that have ended, the oldest first: a client may come back for the end of one.
    over: VecDeque<u64>,
}

/// A stream that a client can come back to.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    pub(super) events: Arc<Events>,
    /// Of one that tells changes: where what is told goes.
    pub(super) changes: Option<Outbox>,
}

/// So many streams that have ended are kept.
const OVER: usize = 16;

/// So many streams that tell changes are kept: a client has one, or a few.
const TELLING: usize = 8;

impl Sessions {
    pub(super) fn new(limit: usize, idle: Duration) -> Self {
        Self { all: Mutex::default(), limit, idle, tasks: Mutex::default() }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<HttpSession>>> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// # Errors
    ///
    /// The limit, when there are too many.
    pub(super) fn begin(&self, session: Session, owner: Option<String>) -> Result<Arc<HttpSession>, usize> {
        let id: Arc<str> = random_id().into();
        let begun = Arc::new(HttpSession {
            id: Arc::clone(&id),
            owner,
            session,
            in_flight: InFlight::default(),
            close: watch::Sender::new(false),
            activity: Activity::begin(),
            streams: Mutex::default(),
        });
        let mut all = self.all();
        if all.len() >= self.limit {
            return Err(self.limit);
        }
        all.insert(id, Arc::clone(&begun));
        Ok(begun)
    }

    /// The session of that id, if it is whoever asks' own.
    pub(super) fn get(&self, id: &str, owner: Option<&str>) -> Option<Arc<HttpSession>> {
        let found = self.all().get(id).cloned();
        found.filter(|session| session.owner.as_deref() == owner)
    }

    /// Ends a session, and with it what runs in it.
    pub(super) fn end(&self, session: &HttpSession) {
        self.all().remove(&session.id);
        session.end();
    }

    /// Ends all of them.
    pub(super) fn end_all(&self) {
        let all = std::mem::take(&mut *self.all());
        all.into_values().for_each(|session| session.end());
    }

    /// Tells streams without an end of their own that it has come.
    pub(super) fn close_all(&self) {
        for session in self.all().values() {
            session.session.end();
            session.close.send_replace(true);
        }
    }

    /// Ends those that nobody has used for too long.
    fn forget(&self, now: Instant) {
        let idle = self.idle;
        let over: Vec<_> = {
            let mut all = self.all();
            let over = all.extract_if(|_, session| session.activity.is_rested(now, idle)).collect();
            // Many that came and went leave nothing behind.
            if all.capacity() > 64 && all.len() < all.capacity() / 4 {
                all.shrink_to_fit();
            }
            over
        };
        for (_, session) in over {
            tracing::debug!("a session that nobody has used for {idle:?} has ended");
            session.end();
        }
    }

    /// Forgets those that nobody uses, as long as there is somebody who has sessions.
    pub(super) async fn sweep(sessions: Weak<Self>, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let Some(sessions) = sessions.upgrade() else { return };
            sessions.forget(Instant::now());
        }
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with a call, whatever becomes of its connection.
    pub(super) fn spawn(&self, call: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(call)
    }

    /// Waits until all calls have ended.
    pub(super) async fn finished(&self) {
        // They stay where they are: whoever waits here no longer does not end them.
        while poll_fn(|cx| self.tasks().poll_join_next(cx)).await.is_some() {}
    }
}

impl HttpSession {
    pub(super) fn version(&self) -> ProtocolVersion {
        self.session.version().unwrap_or(ProtocolVersion::LATEST_LEGACY)
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self) {
        self.session.end();
        self.close.send_replace(true);
        drop(self.in_flight.cancel_all());
        let streams = std::mem::take(&mut *self.streams());
        streams.open.into_values().for_each(|stream| stream.events.end());
    }

    /// Notes that it is used, for as long as the guard is there.
    pub(super) fn visit(self: &Arc<Self>) -> Visit {
        Visit { session: Arc::clone(self), _active: self.activity.request() }
    }

    /// A new stream, and where what goes there is said. Before 2025-11-25 some clients fail on what makes it one that can
    /// be resumed.
    pub(super) fn new_stream(&self, queue_size: usize, kept: usize) -> (Arc<Events>, Outbox) {
        let number = {
            let mut streams = self.streams();
            streams.last += 1;
            streams.last
        };
        let is_resumable = self.is_resumable();
        let framing = if is_resumable { Framing::Numbered(number) } else { Framing::Event };
        (Events::new(number, is_resumable, kept), Outbox::of_events(queue_size, framing))
    }

    /// Whether its client knows what a stream is that can be resumed.
    pub(super) fn is_resumable(&self) -> bool {
        self.version() >= ProtocolVersion::V2025_11_25
    }

    /// Keeps a stream, so that a client can come back to it.
    pub(super) fn keep(&self, stream: Stream) {
        if !self.is_resumable() {
            return;
        }
        let mut streams = self.streams();
        if stream.changes.is_some() {
            let telling = streams.open.iter().filter(|(_, stream)| stream.changes.is_some()).map(|(number, _)| *number);
            let oldest = telling.clone().min();
            if telling.count() >= TELLING
                && let Some(oldest) = oldest
            {
                streams.open.remove(&oldest);
            }
        }
        streams.open.insert(stream.events.stream(), stream);
    }

    /// A stream has ended: it is kept for a while.
    pub(super) fn is_over(&self, stream: u64) {
        let mut streams = self.streams();
        if streams.open.contains_key(&stream) {
            streams.over.push_back(stream);
        }
        while streams.over.len() > OVER {
            if let Some(oldest) = streams.over.pop_front() {
                streams.open.remove(&oldest);
            }
        }
    }

    /// The stream of that number, if it is still known.
    pub(super) fn stream(&self, number: u64) -> Option<Stream> {
        self.streams().open.get(&number).cloned()
    }
}

/// An exchange of a session, while it lasts.
#[derive(Debug)]
pub(super) struct Visit {
    pub(super) session: Arc<HttpSession>,
    _active: Active,
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDLE: Duration = Duration::from_secs(60);

    // rows: LHTTP-3
    #[test]
    fn ids_are_of_visible_letters_and_never_the_same() {
        let sessions = Sessions::new(100, IDLE);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let ids: std::collections::HashSet<_> =
                (0..100).map(|_| sessions.begin(Session::default(), None).unwrap().id.clone()).collect();
            assert_eq!(ids.len(), 100);
            // 128 random bits.
            assert!(ids.iter().all(|id| id.len() >= 22 && id.bytes().all(|byte| (0x21..=0x7e).contains(&byte))));
            assert_eq!(sessions.begin(Session::default(), None).unwrap_err(), 100);
        });
    }

    // rows: LHTTP-3, AUTH-11
    #[tokio::test]
    async fn a_session_is_its_owners_alone() {
        let sessions = Sessions::new(9, IDLE);
        let of_anna = sessions.begin(Session::default(), Some("anna".to_owned())).unwrap();
        assert!(sessions.get(&of_anna.id, Some("anna")).is_some());
        assert!(sessions.get(&of_anna.id, Some("bob")).is_none());
        assert!(sessions.get(&of_anna.id, None).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_uses_is_forgotten_after_its_time() {
        let sessions = Arc::new(Sessions::new(9, IDLE));
        let sweeping = tokio::spawn(Sessions::sweep(Arc::downgrade(&sessions), IDLE / 10));
        let left = sessions.begin(Session::default(), None).unwrap();
        let used = sessions.begin(Session::default(), None).unwrap();
        let visit = used.visit();
        tokio::time::sleep(IDLE * 2).await;
        assert!(sessions.get(&left.id, None).is_none());
        assert!(sessions.get(&used.id, None).is_some());
        drop(visit);
        tokio::time::sleep(IDLE / 2).await;
        assert!(sessions.get(&used.id, None).is_some());
        tokio::time::sleep(IDLE).await;
        assert!(sessions.get(&used.id, None).is_none());
        drop(sessions);
        sweeping.await.unwrap();
    }
}
