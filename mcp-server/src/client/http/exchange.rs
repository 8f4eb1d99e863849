//! One request: a POST, and what comes back for it, until the answer is there.
//!
//! Specification: [Sending messages](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages)
//! and, for streams that go on after a break,
//! [Resumability](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderMap, HeaderValue};
use reqwest::Response;
use tokio::sync::oneshot;

use super::body::{self, Form};
use super::events::{Event, Events};
use super::place::{chain, failed};
use super::session::Session;
use super::{Http, headers, pause};
use crate::client::CallError;
use crate::client::connection::{Carrier, Connection};
use crate::client::pending::Answer;
use crate::client::request::Outgoing;

/// When the answer is there, the rest of its response is read for so long.
const REST: Duration = Duration::from_secs(1);
/// A stream that broke is asked for so often, as long as nothing new comes.
const MAX_TRIES: u32 = 8;

/// Makes one exchange, and sees to it that the request has an outcome.
pub(super) async fn run(unanswered: Unanswered, outgoing: Outgoing, answered: oneshot::Receiver<()>) {
    let Unanswered { connection, id } = &unanswered;
    let (connection, id) = (connection, *id);
    let Carrier::Http(http) = &connection.carrier else { return };
    let exchange = async {
        let answer = match exchange(connection, http, id, outgoing).await {
            Ok(()) => Answer::Malformed("there is no answer to the request in it".to_owned()),
            Err(answer) => answer,
        };
        // An answer that was in it goes before whatever happened afterwards.
        connection.pending.answer(id, answer);
    };
    let rest = async {
        match answered.await {
            Ok(()) => tokio::time::sleep(REST).await,
            // The request was given up, and this task ends at once.
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        () = exchange => {}
        () = rest => {}
    }
}

/// Should an exchange end early, or never begin, nobody may wait for ever.
pub(super) struct Unanswered {
    pub(super) connection: Arc<Connection>,
    pub(super) id: u64,
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        let reason = "the exchange has ended without an answer".to_owned();
        self.connection.pending.answer(self.id, Answer::Failed(CallError::Lost { reason }));
    }
}

/// `Ok`: all that there was has been taken to those who wait for it.
async fn exchange(connection: &Arc<Connection>, http: &Http, id: u64, outgoing: Outgoing) -> Result<(), Answer> {
    let is_handshake = outgoing.method == "initialize";
    let (response, session) = send(connection, http, outgoing).await?;
    let status = response.status();
    if status == StatusCode::ACCEPTED || status == StatusCode::NO_CONTENT {
        let reason = "that is for notifications, and a request needs an answer".to_owned();
        return Err(Answer::Failed(CallError::Http { status: status.as_u16(), reason }));
    }
    if !status.is_success() {
        return Err(body::refusal(response).await);
    }
    if is_handshake {
        // Before the answer, as the next request may follow it at once.
        http.sessions.begin(response.headers().get(headers::SESSION_ID).cloned());
        // What an earlier session has asked nobody waits for any more, and its ids may come again.
        connection.asked.forget();
    }
    match Form::of(response.headers()) {
        Some(Form::Json) => json(connection, id, response).await,
        Some(Form::Events) => events(connection, http, id, response, session).await,
        None => Err(body::of_wrong_type(response).await),
    }
}

/// Sends the request, once more if the server has forgotten the session.
async fn send(connection: &Arc<Connection>, http: &Http, outgoing: Outgoing) -> Result<(Response, Session), Answer> {
    let Outgoing { method, subject, mirrored, version, opens_session, mut message } = outgoing;
    let is_modern = version.is_some_and(|version| version.is_modern());
    let mut is_second = false;
    loop {
        let session = match method.as_str() {
            _ if is_modern => Session::default(),
            // "without a session ID attached".
            "initialize" => Session::default(),
            _ => http.sessions.settled().await,
        };
        let mut headers = session.headers();
        if let Some(version) = version.filter(|_| is_modern) {
            headers.insert(headers::PROTOCOL_VERSION, HeaderValue::from_static(version.as_str()));
            headers.insert(headers::METHOD, headers::encode(&method));
            if let Some(subject) = &subject {
                headers.insert(headers::NAME, headers::encode(subject));
            }
            for (name, text) in &mirrored {
                headers::set(&mut headers, name, text);
            }
        }
        let may_repeat = session.id.is_some() && !is_second && !opens_session;
        let body = if may_repeat { message.clone() } else { std::mem::take(&mut message) };
        let response = http.place.post(headers, body).await.map_err(Answer::Failed)?;
        if response.status() != StatusCode::NOT_FOUND || !may_repeat {
            return Ok((response, session));
        }
        drop(response);
        http.renew(connection, session.number).await.map_err(Answer::Failed)?;
        is_second = true;
    }
}

async fn json(connection: &Arc<Connection>, id: u64, mut response: Response) -> Result<(), Answer> {
    let text = body::whole(&mut response, connection.max_message_size).await?;
    connection.messages(&text);
    if connection.pending.waits(id)
        && let Some(error) = body::error_in(&text)
    {
        // It has no id, or none of ours; but it is what came back for this request.
        return Err(Answer::Error { error, status: None });
    }
    Ok(())
}

/// How a stream came to its end.
enum End {
    /// As its server wanted.
    Closed,
    Broken(String),
    /// An event was too long, and nobody may pass over it.
    TooLong,
}

/// Reads one stream. `passes_over`: what is too long is only skipped.
async fn read(connection: &Arc<Connection>, response: &mut Response, events: &mut Events, passes_over: bool) -> End {
    loop {
        let chunk = match response.chunk().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return End::Closed,
            Err(error) => return End::Broken(chain(&error.without_url())),
        };
        let mut rest = &chunk[..];
        while let Some(event) = events.next(&mut rest) {
            match event {
                Event::Message(text) => connection.messages(&text),
                Event::TooLong if passes_over => {
                    let limit = connection.max_message_size;
                    tracing::warn!(limit, "a message of the server that is too long was skipped");
                }
                Event::TooLong => return End::TooLong,
            }
        }
    }
}

/// Reads a stream to its end for somebody who only listens.
pub(super) async fn listen(connection: &Arc<Connection>, response: &mut Response, events: &mut Events) {
    if let End::Broken(reason) = read(connection, response, events, true).await {
        tracing::debug!(reason, "the stream of the server has broken");
    }
}

/// Reads the stream of a response, and of those that go on with it.
async fn events(
    connection: &Arc<Connection>,
    http: &Http,
    id: u64,
    mut response: Response,
    session: Session,
) -> Result<(), Answer> {
    let limit = connection.max_message_size;
    let mut events = Events::new(limit);
    let (mut tries, mut reached) = (0, None);
    loop {
        let end = read(connection, &mut response, &mut events, false).await;
        if !connection.pending.waits(id) {
            return Ok(());
        }
        let reason = match end {
            End::TooLong => return Err(Answer::Malformed(format!("it is longer than the limit of {limit} bytes"))),
            End::Closed => "the stream has ended before it".to_owned(),
            End::Broken(reason) => reason,
        };
        drop(response);
        let last_id = events.last_id().map(<[u8]>::to_vec);
        if last_id != reached {
            (tries, reached) = (0, last_id);
        }
        response = resume(http, &session, &events, &mut tries, &reason).await?;
        events.restart();
    }
}

/// Asks for the rest of a stream that has ended too early.
async fn resume(
    http: &Http,
    session: &Session,
    events: &Events,
    tries: &mut u32,
    reason: &str,
) -> Result<Response, Answer> {
    let lost = |reason: String| Answer::Failed(CallError::Lost { reason });
    // Stateless servers keep nothing: "the client MUST re-issue it as a new request" (2026-07-28, changes).
    let Some(headers) = resuming(session, events) else { return Err(lost(reason.to_owned())) };
    loop {
        if *tries == MAX_TRIES {
            return Err(lost(format!("{reason}, and nothing more has come in {MAX_TRIES} further streams")));
        }
        tokio::time::sleep(pause(events.retry(), *tries)).await;
        *tries += 1;
        match http.place.get(headers.clone()).await {
            Ok(response) if response.status() == StatusCode::OK => {
                if Form::of(response.headers()) == Some(Form::Events) {
                    return Ok(response);
                }
                return Err(lost(format!("{reason}, and what was to go on with it is no stream of events")));
            }
            Ok(response) if response.status().is_server_error() => {}
            Ok(response) => {
                let status = response.status();
                return Err(lost(format!("{reason}, and the server does not go on with it: {status}")));
            }
            Err(error) => tracing::debug!(%error, "the server can't be reached to go on with a stream"),
        }
    }
}

/// The headers that ask for what comes after the last event; `None` when that can't be asked for.
pub(super) fn resuming(session: &Session, events: &Events) -> Option<HeaderMap> {
    session.version?;
    let last_id = HeaderValue::from_bytes(events.last_id()?).ok()?;
    let mut headers = session.headers();
    headers.insert(headers::LAST_EVENT_ID, last_id);
    Some(headers)
}

/// Sends what nobody answers.
///
/// # Errors
///
/// When the server does not take it.
pub(super) async fn tell(http: &Http, method: Option<&str>, message: Vec<u8>) -> Result<(), CallError> {
    let session = http.sessions.now();
    let mut headers = session.headers();
    if let (Some(method), Some(true)) = (method, session.version.map(|version| version.is_modern())) {
        headers.insert(headers::METHOD, headers::encode(method));
    }
    let mut response = http.place.post(headers, message).await?;
    if !response.status().is_success() {
        return match body::refusal(response).await {
            Answer::Error { error, .. } => Err(CallError::Server(error)),
            Answer::Failed(error) => Err(error),
            _ => Ok(()),
        };
    }
    // A stream may have no end.
    if Form::of(response.headers()) == Some(Form::Events) {
        return Ok(());
    }
    // Whatever is in it means nothing; read, its connection can be used again.
    while response.chunk().await.map_err(failed)?.is_some() {}
    Ok(())
}
