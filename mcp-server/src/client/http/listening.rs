//! What an older server says by itself: a stream for as long as the session lasts.
//!
//! Specification: [Listening for messages](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#listening-for-messages-from-the-server).

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::body::Form;
use super::events::Events;
use super::{exchange, pause};
use crate::client::connection::{Carrier, Connection};

/// A stream that lasted so long has worked: the next one need not wait longer than it had to.
const LASTING: Duration = Duration::from_secs(10);

/// Listens until the session or the client ends, or the server has nothing to say in this way. `answered` is dropped
/// when the server has answered for the first time.
pub(super) async fn run(connection: Arc<Connection>, answered: oneshot::Sender<()>) {
    let mut answered = Some(answered);
    let Carrier::Http(http) = &connection.carrier else { return };
    let session = http.sessions.now();
    let mut events = Events::new(connection.max_message_size);
    let (mut tries, mut was_open) = (0, false);
    while http.sessions.now().number == session.number {
        let began = Instant::now();
        let headers = exchange::resuming(&session, &events).unwrap_or_else(|| session.headers());
        let response = http.place.get(headers).await;
        drop(answered.take());
        match response {
            Ok(mut response) if response.status() == StatusCode::OK => {
                if Form::of(response.headers()) != Some(Form::Events) {
                    tracing::debug!("what is to be a stream of the server is something else");
                    return;
                }
                was_open = true;
                let last_id = events.last_id().map(<[u8]>::to_vec);
                exchange::listen(&connection, &mut response, &mut events).await;
                if events.last_id() != last_id.as_deref() || began.elapsed() >= LASTING {
                    tries = 0;
                }
                events.restart();
            }
            // It has worked before, so that it is the session that is not there any more.
            Ok(response) if response.status() == StatusCode::NOT_FOUND && was_open && session.id.is_some() => {
                if let Err(error) = http.renew(&connection, session.number).await {
                    tracing::debug!(%error, "there is no new session to listen to");
                }
                return;
            }
            Ok(response) if response.status().is_server_error() => {}
            // "The server MUST either return `Content-Type: text/event-stream` … or else return HTTP 405".
            Ok(response) => {
                let status = response.status().as_u16();
                tracing::debug!(status, "the server says nothing by itself");
                return;
            }
            Err(error) => tracing::debug!(%error, "the server can't be reached to listen to it"),
        }
        tokio::time::sleep(pause(events.retry(), tries)).await;
        tries = tries.saturating_add(1);
    }
}
