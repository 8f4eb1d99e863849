//! The session with an older server: its id, and a new one when the server has forgotten it.
//!
//! Specification: [Session management](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{HeaderMap, HeaderValue};
use tokio::sync::watch;

use super::{Http, headers};
use crate::client::connection::{Carrier, Connection};
use crate::client::era;
use crate::client::{CallError, ConnectError};
use crate::protocol::ProtocolVersion;

/// The session that is, and the one that is about to be.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    now: Session,
    /// How beginning a new one has ended, for all who wait for it.
    renewing: Option<Renewing>,
}

type Renewing = watch::Receiver<Option<Result<(), CallError>>>;

/// A session as a request sees it.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    /// Servers need not have any.
    pub(super) id: Option<HeaderValue>,
    /// None before both sides have agreed.
    pub(super) version: Option<ProtocolVersion>,
    /// Counts the handshakes.
    pub(super) number: u64,
}

impl Session {
    /// The headers of each request in it.
    pub(super) fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        if let Some(id) = &self.id {
            headers.insert(headers::SESSION_ID, id.clone());
        }
        // Earlier revisions don't know the header.
        if let Some(version) = self.version.filter(|version| *version >= ProtocolVersion::V2025_06_18) {
            headers.insert(headers::PROTOCOL_VERSION, HeaderValue::from_static(version.as_str()));
        }
        headers
    }
}

impl Sessions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn now(&self) -> Session {
        self.state().now.clone()
    }

    /// The answer to a handshake has come, with the id of a session or without.
    pub(super) fn begin(&self, id: Option<HeaderValue>) {
        let mut state = self.state();
        let id = id.map(|mut id| {
            // Who knows it can take the session over.
            id.set_sensitive(true);
            id
        });
        state.now = Session { id, version: None, number: state.now.number + 1 };
    }

    /// The new session did not come about: whoever tries finds this one forgotten once more.
    fn give_up(&self, earlier: Session) {
        let mut state = self.state();
        state.now = Session { number: state.now.number + 1, ..earlier };
    }

    pub(super) fn agree(&self, version: ProtocolVersion) {
        self.state().now.version = Some(version);
    }

    /// The session, once the handshake that may be under way is over: nothing may come before the end of that.
    pub(super) async fn settled(&self) -> Session {
        loop {
            let renewing = self.state().renewing.clone();
            match renewing {
                None => return self.now(),
                // Whoever has waited for it gets to know how it ended; a request that comes later just tries.
                Some(mut renewing) => {
                    if renewing.wait_for(Option::is_some).await.is_err() {
                        return self.now();
                    }
                }
            }
        }
    }
}

impl Http {
    /// Begins a new session in the place of that with this number, which the server has forgotten. All that find it
    /// forgotten share one handshake.
    ///
    /// "When a client receives HTTP 404 in response to a request containing an `MCP-Session-Id`, it MUST start a new
    /// session by sending a new `InitializeRequest` without a session ID attached" (2025-11-25, Session Management).
    ///
    /// # Errors
    ///
    /// When there is no new session.
    pub(super) async fn renew(&self, connection: &Arc<Connection>, number: u64) -> Result<(), CallError> {
        let Some(mut renewing) = self.renewing(connection, number) else { return Ok(()) };
        let outcome = renewing.wait_for(Option::is_some).await.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or_else(|| Err(CallError::Closed { reason: "the client has closed it".to_owned() }))
    }
}

impl Http {
    /// The handshake that is under way, or else a new one; `None` when it is over.
    fn renewing(&self, connection: &Arc<Connection>, number: u64) -> Option<Renewing> {
        let mut state = self.sessions.state();
        if state.renewing.is_some() || state.now.number != number {
            return state.renewing.clone();
        }
        let (told, renewing) = watch::channel(None);
        state.renewing = Some(renewing.clone());
        drop(state);
        tracing::debug!("the server has forgotten the session: beginning a new one");
        // A task of its own, as it must not end with the one call that was the first to find out.
        self.tasks.spawn(renewal(Arc::clone(connection), told));
        Some(renewing)
    }
}

/// Marks the end of a renewal, also when it comes early.
struct Over<'a>(&'a Sessions);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.state().renewing = None;
    }
}

async fn renewal(connection: Arc<Connection>, told: watch::Sender<Option<Result<(), CallError>>>) {
    let Carrier::Http(http) = &connection.carrier else { return };
    let over = Over(&http.sessions);
    let settings = &http.settings;
    let earlier = http.sessions.now();
    let timeout = settings.connect_timeout;
    let handshake = tokio::time::timeout(timeout, era::initialize(&connection, settings));
    let agreed = handshake.await.unwrap_or(Err(ConnectError::Timeout { after: timeout }));
    if agreed.is_err() {
        http.sessions.give_up(earlier);
    }
    drop(over);
    let agreed = agreed.map_err(|error| match error {
        ConnectError::Http { status, reason } => CallError::Http { status, reason },
        ConnectError::Unreachable { reason } => CallError::Unreachable { reason },
        ConnectError::Closed { reason } => CallError::Closed { reason },
        error => CallError::Closed { reason: format!("the session has ended, and there is no new one: {error}") },
    });
    let outcome = agreed.as_ref().map(drop).map_err(CallError::clone);
    told.send_replace(Some(outcome));
    if let Ok(agreed) = agreed {
        // What the old session knew of this client, the new one does not.
        let level = *connection.log_level();
        if let Some(level) = level.filter(|_| agreed.capabilities.logging.is_some()) {
            era::set_level(&connection, level).await;
        }
        connection.subscribe_again(agreed.version, settings.request_timeout).await;
    }
}
