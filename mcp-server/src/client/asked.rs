//! What a server asks its client: for its user, its model, and the folders that it works in.
//!
//! A stateless server ends a round with its questions, which are answered as part of the call. An older one asks over
//! the wire whenever it likes: each of its questions has a task, which ends with the connection.
//!
//! Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::oneshot;

use super::answering::{Question, Unanswered, Unfit};
use super::builder::Settings;
use super::connection::{Carrier, Connection};
use super::handlers::{Handlers, checked_roots};
use super::{CallError, Client};
use crate::protocol::{CancelledParams, ErrorCode, ErrorObject, ProtocolVersion, RawJson, RequestId, Root, clip};
use crate::server::respond;

/// So many questions are asked at once, of an older server and of one round; of a round the others wait.
const MAX_AT_ONCE: usize = 64;
/// So many pages that were opened are remembered.
const MAX_OPENED: usize = 1024;
/// "User rejected sampling request" (2025-11-25, Sampling, Error Handling).
const REJECTED: ErrorCode = ErrorCode(-1);

/// The handlers of a client, and the questions that they are busy with.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(super) handlers: Handlers,
    pub(super) sampling_tools: bool,
    roots: Mutex<Arc<[Root]>>,
    pub(super) opened: Opened,
    running: Mutex<Running>,
}

/// The questions of an older server, until they are answered.
#[derive(Debug, Default)]
struct Running {
    questions: HashMap<RequestId, Asking>,
    closed: bool,
}

/// One of them. Dropped, it ends its task.
#[derive(Debug)]
struct Asking {
    _ends: oneshot::Sender<Infallible>,
    /// Whether the answer is on its way, so that it is too late to take the question back.
    is_answered: bool,
}

impl Asked {
    pub(crate) fn new(settings: &Settings) -> Self {
        let handlers = settings.handlers.clone();
        let declared = settings.declared(ProtocolVersion::LATEST);
        Self {
            sampling_tools: declared
                .sampling
                .is_some_and(|sampling| sampling.get("tools").is_some_and(Value::is_object)),
            roots: Mutex::new(handlers.roots.clone().unwrap_or_default()),
            opened: Opened::default(),
            running: Mutex::default(),
            handlers,
        }
    }

    pub(super) fn roots(&self) -> Arc<[Root]> {
        Arc::clone(&self.roots.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nobody waits for answers any more: what runs ends.
    pub(crate) fn close(&self) {
        let mut running = self.running();
        running.closed = true;
        let questions = std::mem::take(&mut running.questions);
        drop(running);
        drop(questions);
    }

    /// Nobody waits for the answers to what was asked so far: it ends.
    #[cfg(feature = "client-http")]
    pub(super) fn forget(&self) {
        let questions = std::mem::take(&mut self.running().questions);
        drop(questions);
    }

    /// Takes in a question. `None`: it runs already, or nobody would wait for it.
    fn begin(&self, id: &RequestId) -> Option<Result<oneshot::Receiver<Infallible>, ErrorObject>> {
        let mut running = self.running();
        // Two answers with one id could not be told apart: the first question keeps it.
        if running.closed || running.questions.contains_key(id) {
            return None;
        }
        if running.questions.len() == MAX_AT_ONCE {
            let text = format!("this client answers no more questions at a time than the limit of {MAX_AT_ONCE}");
            return Some(Err(ErrorObject::internal(text)));
        }
        let (ends, ended) = oneshot::channel();
        running.questions.insert(id.clone(), Asking { _ends: ends, is_answered: false });
        Some(Ok(ended))
    }

    /// Whether the answer may go out: from here on the question can't be taken back.
    fn may_answer(&self, id: &RequestId) -> bool {
        self.running().questions.get_mut(id).is_some_and(|question| !std::mem::replace(&mut question.is_answered, true))
    }

    fn end(&self, id: &RequestId) {
        let ended = self.running().questions.remove(id);
        drop(ended);
    }

    /// The server takes a question back. What it never asked, or is answered already, is no error.
    fn cancel(&self, params: &CancelledParams) {
        let mut running = self.running();
        let runs = running.questions.get(&params.request_id).is_some_and(|question| !question.is_answered);
        let cancelled = if runs { running.questions.remove(&params.request_id) } else { None };
        drop(running);
        let (id, reason) = (&params.request_id, &params.reason);
        match cancelled {
            Some(_) => tracing::debug!(%id, reason, "the server has taken its question back"),
            None => tracing::debug!(%id, reason, "a cancellation of what does not run was ignored"),
        }
    }
}

impl Connection {
    /// A server with a handshake asks; the handler runs beside everything else.
    pub(crate) fn ask(self: &Arc<Self>, id: &RequestId, method: &str, params: Option<RawJson<'_>>) {
        let params = params.and_then(|params| params.read().ok());
        let params = params.filter(|params: &Value| !params.is_null()).unwrap_or_else(|| Map::new().into());
        let question = match self.asked.question(method, params) {
            Ok(question) => question,
            Err(unfit) => return self.refuse(id, &unfit.for_server(method)),
        };
        let ended = match self.asked.begin(id) {
            Some(Ok(ended)) => ended,
            Some(Err(error)) => return self.refuse(id, &error),
            None => {
                return tracing::warn!(%id, method, "a question was ignored: its id is that of another one, or the connection has ended");
            }
        };
        let (connection, id) = (Arc::clone(self), id.clone());
        tokio::spawn(async move {
            tokio::select! {
                biased;
                // The sender is dropped when nobody waits for the answer any more.
                _ = ended => {}
                () = connection.answer(&id, question) => connection.asked.end(&id),
            }
        });
    }

    async fn answer(self: &Arc<Self>, id: &RequestId, question: Question) {
        let answer = self.asked.answer(question).await;
        if !self.asked.may_answer(id) {
            return;
        }
        let mut message = Vec::new();
        match answer {
            Ok(result) => {
                message.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
                id.write(&mut message);
                message.extend_from_slice(br#","result":"#);
                message.extend_from_slice(result.get().as_bytes());
                message.push(b'}');
            }
            Err(unanswered) => respond::write_error(&mut message, Some(id), &unanswered.for_server()),
        }
        self.send(message).await;
    }

    /// Sends a message, once there is room for it. On a closed connection nothing happens.
    pub(crate) async fn send(self: &Arc<Self>, message: Vec<u8>) {
        match &self.carrier {
            Carrier::Streams(outbox) => {
                let sent = poll_fn(|cx| outbox.poll_push(cx, |out| out.extend_from_slice(&message))).await;
                if sent.is_err() {
                    tracing::trace!("a message was not sent: the connection has ended");
                }
            }
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => http.answer_in_turn(self, message).await,
        }
    }

    /// A server takes a question back, or ends a stream of changes.
    pub(crate) fn cancelled(&self, params: &CancelledParams) {
        match self.is_modern() {
            true => self.listening_ended(&params.request_id),
            false => self.asked.cancel(params),
        }
    }

    /// A page that was opened is done with.
    pub(crate) fn elicitation_complete(&self, params: Option<RawJson<'_>>) {
        #[derive(serde::Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Params {
            elicitation_id: String,
        }
        let params: Option<Params> = params.and_then(|params| params.read().ok());
        // "Clients MUST ignore notifications with unknown or already-completed IDs" (2025-11-25, Elicitation).
        match params.filter(|params| self.asked.opened.take(&params.elicitation_id)) {
            Some(Params { elicitation_id }) => {
                if let Some(hook) = &self.asked.handlers.on_elicit_complete {
                    hook.call(&elicitation_id);
                }
            }
            None => tracing::debug!("the end of a page that nobody has opened was ignored"),
        }
    }
}

impl Unfit {
    /// "-32601 if roots are not supported", "-32602 for a mode that was not declared" (2025-11-25).
    fn for_server(self, method: &str) -> ErrorObject {
        match self {
            Self::NoHandler => ErrorObject::method_not_found(method),
            Self::Undeclared(reason) => ErrorObject::invalid_params(reason),
            Self::Invalid { path, reason } if path.is_empty() => {
                ErrorObject::invalid_params(format!("`params` can't be read: {reason}"))
            }
            Self::Invalid { path, reason } => ErrorObject::invalid_params(format!("`params.{path}`: {reason}")),
        }
    }
}

impl Unanswered {
    /// What a person has typed, and how a handler fails, is not for the server.
    fn for_server(self) -> ErrorObject {
        match self {
            Self::Refused(reason) => ErrorObject::new(REJECTED, reason),
            Self::Failed(reason) => {
                tracing::warn!(reason, "a question of the server has no answer");
                ErrorObject::internal("the client has no answer that fits the question")
            }
        }
    }
}

/// Answers the questions of a round: the members that go back, as JSON.
///
/// # Errors
///
/// When one of them can't be answered: the call then ends here, as "no error message to the server exists".
pub(crate) async fn answers(
    connection: Arc<Connection>,
    request_state: Option<String>,
    input_requests: Map<String, Value>,
) -> Result<String, CallError> {
    let asked = &connection.asked;
    let mut questions = Vec::with_capacity(input_requests.len());
    let mut nobody = false;
    // All of them first, so that nobody is bothered with a part of what can't be answered as a whole.
    for (key, request) in &input_requests {
        let method = request.get("method").and_then(Value::as_str).unwrap_or_default().to_owned();
        let params = request.get("params").cloned().unwrap_or_else(|| Map::new().into());
        match asked.question(&method, params) {
            Ok(question) => questions.push((key.clone(), method, question)),
            Err(Unfit::NoHandler | Unfit::Undeclared(_)) => nobody = true,
            Err(Unfit::Invalid { path, reason }) => {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("inputRequests.{}.params{dot}{path}", clip(key));
                return Err(CallError::InvalidResult { path, reason });
            }
        }
    }
    if nobody {
        return Err(CallError::InputRequired { request_state, input_requests });
    }
    if questions.is_empty() {
        // "the client MAY retry immediately", but one that is sent from round to round must not keep others from theirs.
        tokio::task::yield_now().await;
    }
    let runs = questions.into_iter().map(|(key, method, question)| async move {
        match asked.answer(question).await {
            Ok(answer) => Ok((key, answer)),
            Err(Unanswered::Refused(reason)) => Err(CallError::Refused { key, method, reason }),
            Err(Unanswered::Failed(reason)) => Err(CallError::HandlerFailed { key, method, reason }),
        }
    });
    let responses: BTreeMap<String, Box<RawValue>> = all(runs).await?.into_iter().collect();
    let mut members = String::new();
    if !responses.is_empty() {
        members = format!(r#""inputResponses":{}"#, serde_json::to_string(&responses).expect("answers are JSON"));
    }
    // "MUST echo back the exact value"; one that is absent must not be there either (Multi round-trip requests).
    if let Some(state) = request_state {
        let comma = if members.is_empty() { "" } else { "," };
        members += &format!(r#"{comma}"requestState":{}"#, super::json(&state));
    }
    Ok(members)
}

/// Runs all of them, so many at a time; the first that fails ends the others.
async fn all<T, E, F: Future<Output = Result<T, E>>>(runs: impl Iterator<Item = F>) -> Result<Vec<T>, E> {
    let mut waiting = runs.fuse();
    let mut running: Vec<Pin<Box<F>>> = Vec::new();
    let mut done = Vec::new();
    loop {
        running.extend(waiting.by_ref().take(MAX_AT_ONCE - running.len()).map(Box::pin));
        if running.is_empty() {
            return Ok(done);
        }
        // Until there is room for another one.
        poll_fn(|cx| {
            let before = done.len();
            let mut at = 0;
            while let Some(run) = running.get_mut(at) {
                match run.as_mut().poll(cx) {
                    Poll::Ready(Ok(value)) => {
                        done.push(value);
                        drop(running.swap_remove(at));
                    }
                    Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                    Poll::Pending => at += 1,
                }
            }
            if done.len() > before { Poll::Ready(Ok(())) } else { Poll::Pending }
        })
        .await?;
    }
}

/// The pages that were opened and are not done with, by the names that their server has for them.
#[derive(Debug, Default)]
pub(crate) struct Opened(Mutex<VecDeque<String>>);

impl Opened {
    fn ids(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A page is about to be opened.
    pub(super) fn expect(&self, id: Option<&str>) -> Opening<'_> {
        // A name that is longer than any good one is not worth its memory.
        let id = id.filter(|id| id.len() <= 256).map(str::to_owned);
        if let Some(id) = &id {
            let mut ids = self.ids();
            ids.push_back(id.clone());
            if ids.len() > MAX_OPENED {
                ids.pop_front();
            }
        }
        Opening { opened: self, id }
    }

    /// `false`: there is none of that name.
    fn take(&self, id: &str) -> bool {
        let mut ids = self.ids();
        let at = ids.iter().position(|other| other == id);
        at.and_then(|at| ids.remove(at)).is_some()
    }
}

/// A page that the person has not agreed to yet. Dropped, it is forgotten.
#[derive(Debug)]
pub(crate) struct Opening<'a> {
    opened: &'a Opened,
    id: Option<String>,
}

impl Opening<'_> {
    pub(super) fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for Opening<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.opened.take(id);
        }
    }
}

impl Client {
    /// Changes the folders that the client works in. Servers before 2026-07-28 are told that there are others; a stateless
    /// one learns of them when it asks next.
    ///
    /// It is for a client that was built with [`roots`](super::ClientBuilder::roots): no server asks another one for its
    /// folders.
    ///
    /// Specification: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    ///
    /// ```
    /// use mcp_server::protocol::Root;
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::builder().roots([]).connect(Server::new("editor")).await?;
    /// client.set_roots([Root { uri: "file:///home/ada/shop".into(), ..Root::default() }]).await;
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Panics
    ///
    /// When one of them is no `file://` URI.
    pub async fn set_roots(&self, roots: impl IntoIterator<Item = Root>) {
        let roots = checked_roots(roots);
        let connection = &self.link.connection;
        *connection.asked.roots.lock().unwrap_or_else(PoisonError::into_inner) = roots;
        // "Clients that support `listChanged` MUST send a notification" (2025-11-25, Roots); stateless servers get none.
        if !self.protocol_version().is_modern() && connection.asked.handlers.roots.is_some() {
            connection.send(br#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#.to_vec()).await;
        }
    }
}
