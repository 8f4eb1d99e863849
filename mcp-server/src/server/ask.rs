//! Asking the client: its user, its model, and the folders that it works in. Written once for both eras.
//!
//! On a stateless connection a question ends the round, and the handler is run again with the answer; on an older one
//! it is asked over the wire while the handler waits. What a handler must not do twice goes into [`Context::once`].

use std::cell::Cell;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::context::{CallState, Context};
use super::output::Outbox;
use crate::protocol::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitAction, ElicitResult, ErrorObject,
    ListRootsResult, ProtocolVersion, RawJson, RequestId, Root, check_sampling, read_object, sampling_params,
};
use crate::schema::form::{self, Form};
use crate::this_machine::is_this_machine;

/// What became of a form that a user was asked to fill in.
///
/// ```
/// use mcp_server::Elicited;
///
/// let elicited = Elicited::Accept(7);
/// assert_eq!(elicited.accepted(), Some(7));
/// assert_eq!(Elicited::<u8>::Cancel.accepted(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// The user filled it in.
    Accept(T),
    /// The user said no.
    Decline,
    /// The user closed it without an answer.
    Cancel,
}

impl<T> Elicited<T> {
    /// What was filled in, if it was.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accept(value) => Some(value),
            Self::Decline | Self::Cancel => None,
        }
    }
}

/// Why there is no answer to a question.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AskError {
    /// The client declared no capability to be asked this. On stateless connections the request has ended with an error
    /// that says so, and this is never seen.
    Unsupported {
        /// What it would have to declare, such as `elicitation`.
        capability: &'static str,
    },
    /// The question can't be asked like this; the text says why.
    Question(String),
    /// The client answered with an error.
    Refused(ErrorObject),
    /// The answer does not have the form that was asked for; a line a fault.
    Invalid(String),
    /// The client has not answered within the [`state_ttl`](crate::Server::state_ttl) of the server.
    TimedOut,
    /// The call has ended, or its client is gone.
    Ended,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported { capability } => {
                write!(f, "the client can't be asked: it did not declare the capability `{capability}`")
            }
            Self::Question(fault) => f.write_str(fault),
            Self::Refused(error) => write!(f, "the client did not answer: {error}"),
            Self::Invalid(faults) => write!(f, "the answer does not fit the question: {faults}"),
            Self::TimedOut => f.write_str("the client has not answered in time"),
            Self::Ended => f.write_str("the call has ended"),
        }
    }
}

impl std::error::Error for AskError {}

impl Context {
    /// Asks the user to fill in a form, whose fields are those of `T`: texts, numbers, `bool`, enums without data, and
    /// lists of such enums. Doc comments, `#[schemars(title = "…")]`, `#[serde(default)]` and ranges are shown in it.
    ///
    /// On a stateless connection the handler is run again from the start once the answer is there, so that the same
    /// question must be asked again in the same words; what must happen only once belongs into [`Context::once`].
    /// Questions that are asked together, by `tokio::join!`, travel together; other work beside them is dropped.
    ///
    /// Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ///
    /// ```
    /// use mcp_server::Elicited;
    /// use mcp_server::prelude::*;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Confirmation {
    ///     /// Why the money goes back.
    ///     reason: String,
    /// }
    ///
    /// /// Give the money for an order back.
    /// #[tool]
    /// async fn refund(order_id: String, ctx: Context) -> Result<String, ToolError> {
    ///     Ok(match ctx.elicit::<Confirmation>(format!("Refund order {order_id}?")).await? {
    ///         Elicited::Accept(Confirmation { reason }) => format!("refunded: {reason}"),
    ///         Elicited::Decline => "not refunded, the user declined".into(),
    ///         Elicited::Cancel => "not refunded".into(),
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// When `T` is no form, when the answer does not fit it, or the client can't be asked; see [`AskError`].
    pub async fn elicit<T: DeserializeOwned + JsonSchema>(
        &self,
        message: impl Into<String>,
    ) -> Result<Elicited<T>, AskError> {
        let form = form::form::<T>().map_err(AskError::Question)?;
        let question = Question::form(&self.0, &form, message.into())?;
        self.0.ask(question).await.and_then(|result| self.0.filled_in(&form, result))
    }

    /// As [`Context::elicit`], with a form that is known only when the program runs: a choice of what there is just now,
    /// for instance. The schema reaches the client as it stands, and the answer is held against it.
    ///
    /// Clients of 2025-06-18 have no choice of several, and are shown less of the rest.
    ///
    /// ```
    /// # use mcp_server::{Elicited, prelude::*};
    /// # async fn example(tables: Vec<String>, ctx: Context) -> Result<(), ToolError> {
    /// let schema = json!({
    ///     "type": "object",
    ///     "properties": { "table": { "type": "string", "enum": tables } },
    ///     "required": ["table"]
    /// });
    /// if let Elicited::Accept(answer) = ctx.elicit_with("Which table?", schema).await? {
    ///     println!("{}", answer["table"]);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the schema is no form, when the answer does not fit it, or the client can't be asked; see [`AskError`].
    pub async fn elicit_with(
        &self,
        message: impl Into<String>,
        schema: Value,
    ) -> Result<Elicited<Map<String, Value>>, AskError> {
        let form = form::given(schema).map_err(AskError::Question)?;
        let question = Question::form(&self.0, &form, message.into())?;
        self.0.ask(question).await.and_then(|result| self.0.filled_in(&form, result))
    }

    /// Ends the call at once unless the client can be asked by [`Context::elicit`]: before steps that would be in vain.
    ///
    /// # Errors
    ///
    /// When it can't be; on stateless connections the request ends there.
    pub async fn ensure_elicitation(&self) -> Result<(), AskError> {
        self.0.check(Capability::Form).await
    }

    /// Asks the user to open a page, for what must not pass through the client: passwords, payments, sign-in at a third
    /// party. [`Elicited::Accept`] says that the user agreed to open it, not that anything is done there.
    ///
    /// The page must make sure itself that whoever opens it is the user of this call.
    ///
    /// Specification: [URL mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode).
    ///
    /// ```
    /// # use mcp_server::{Elicited, prelude::*};
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// let opened = ctx.elicit_url("Sign in to the bank", "https://bank.example/connect?to=42").await?;
    /// assert_eq!(opened, Elicited::Accept(()));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the address is not `https:` (or `http:` of this machine), or the client can't be asked; see [`AskError`].
    pub async fn elicit_url(
        &self,
        message: impl Into<String>,
        url: impl Into<String>,
    ) -> Result<Elicited<()>, AskError> {
        let question = Question::url(&self.0, message.into(), url.into())?;
        let result: ElicitResult = self.0.ask(question).await?;
        Ok(match result.action {
            ElicitAction::Accept => Elicited::Accept(()),
            ElicitAction::Decline => Elicited::Decline,
            ElicitAction::Cancel => Elicited::Cancel,
        })
    }

    /// Asks the client's model.
    ///
    /// Specification: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// use mcp_server::protocol::{CreateMessageParams, SamplingMessage};
    ///
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// let question = CreateMessageParams::new(vec![SamplingMessage::user("Why is the sky blue?")], 100);
    /// let answer = ctx.sample(question).await?;
    /// println!("{}: {}", answer.model, answer.text());
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the messages break the rules of tool use, or the client can't be asked; see [`AskError`].
    pub async fn sample(&self, params: CreateMessageParams) -> Result<CreateMessageResult, AskError> {
        let question = Question::sample(&self.0, params)?;
        self.0.ask(question).await
    }

    /// Asks for the folders that the client works in. They are a hint, and no access control.
    ///
    /// Specification: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// for root in ctx.roots().await? {
    ///     println!("{}", root.uri);
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the client can't be asked; see [`AskError`].
    pub async fn roots(&self) -> Result<Vec<Root>, AskError> {
        let result: ListRootsResult = self.0.ask(Question::roots()).await?;
        Ok(result.roots)
    }

    /// Takes a step once, however often the handler is run for its answers: the value of the first time is kept, sealed,
    /// with the client, and is given at once in later rounds.
    ///
    /// The key names the step within the call. A round is not ended in the middle of a step, so that nothing can be asked
    /// within one.
    ///
    /// ```
    /// # use mcp_server::{Elicited, prelude::*};
    /// # #[derive(serde::Deserialize, schemars::JsonSchema)] struct Confirmation { sure: bool }
    /// # async fn reserve() -> u32 { 7 }
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// let reservation = ctx.once("reserve", async { reserve().await }).await;
    /// let answer = ctx.elicit::<Confirmation>(format!("Book reservation {reservation}?")).await?;
    /// # Ok(()) }
    /// ```
    pub async fn once<T, F>(&self, key: &str, step: F) -> T
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = T>,
    {
        match self.try_once(key, async { Ok::<T, std::convert::Infallible>(step.await) }).await {
            Ok(value) => value,
            Err(never) => match never {},
        }
    }

    /// As [`Context::once`], for a step that can fail: a failure is not kept.
    ///
    /// # Errors
    ///
    /// That of the step.
    pub async fn try_once<T, E, F>(&self, key: &str, step: F) -> Result<T, E>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, E>>,
    {
        let round = &self.0.round;
        if let Some(kept) = round.step(key) {
            match serde_json::from_str(kept.get()) {
                Ok(value) => return Ok(value),
                Err(error) => {
                    let text = format!("the kept value of the step `{key}` can't be read any more: {error}");
                    return self.0.never(ErrorObject::invalid_params(text)).await;
                }
            }
        }
        let running = round.begin_step();
        let mut step = pin!(step);
        let value = poll_fn(|cx| {
            let _within = Within::enter();
            step.as_mut().poll(cx)
        })
        .await?;
        match serde_json::value::to_raw_value(&value) {
            Ok(kept) => running.keep(key, kept),
            Err(error) => {
                drop(running);
                let text = format!("the value of the step `{key}` is no JSON: {error}");
                return self.0.never(ErrorObject::internal(text)).await;
            }
        }
        Ok(value)
    }
}

thread_local! {
    /// Whether the code that runs on this thread is that of a step that is taken once.
    static WITHIN_STEP: Cell<bool> = const { Cell::new(false) };
}

/// Marks the code of a step while it runs.
struct Within(bool);

impl Within {
    fn enter() -> Self {
        Self(WITHIN_STEP.replace(true))
    }
}

impl Drop for Within {
    fn drop(&mut self) {
        WITHIN_STEP.set(self.0);
    }
}

/// "HTTPS outside development" (Elicitation, Safe URL Handling).
pub(crate) fn check_url(url: &str) -> Result<(), String> {
    let rest = url.strip_prefix("http://");
    let is_here = |rest: &str| {
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = match host.rsplit_once(':') {
            Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        is_this_machine(host)
    };
    let is_good = url.len() > "https://".len() && url.starts_with("https://") || rest.is_some_and(is_here);
    if is_good && !url.contains(|c: char| c.is_control() || c.is_whitespace()) {
        return Ok(());
    }
    Err(format!("the address `{url}` can't be opened by a user: it must begin with https:// and have no spaces"))
}

/// What is asked, as the client of a call reads it.
#[derive(Debug)]
pub(super) struct Question {
    capability: Capability,
    pub(super) method: &'static str,
    /// Or why a client of its revision can't be asked this.
    params: Result<Value, String>,
}

impl Question {
    /// To fill in a form.
    pub(super) fn form(call: &CallState, form: &Form, message: String) -> Result<Self, AskError> {
        if let Some(field) = form.secret_field() {
            return Err(AskError::Question(format!(
                "the field `{field}` looks like a secret, which a form must not ask for: use `elicit_url`"
            )));
        }
        let params = form.schema(call.version).map(|schema| {
            let mut params = json!({ "message": message, "requestedSchema": schema });
            if call.version >= ProtocolVersion::V2025_11_25 {
                params["mode"] = "form".into();
            }
            params
        });
        Ok(Self { capability: Capability::Form, method: "elicitation/create", params })
    }

    /// To open a page.
    pub(super) fn url(call: &CallState, message: String, url: String) -> Result<Self, AskError> {
        check_url(&url).map_err(AskError::Question)?;
        let mut params = json!({ "mode": "url", "message": message, "url": url });
        if !call.version.is_modern() {
            params["elicitationId"] = super::seal::random_id().into();
        }
        Ok(Self { capability: Capability::Url, method: "elicitation/create", params: Ok(params) })
    }

    /// To the model.
    pub(super) fn sample(call: &CallState, mut params: CreateMessageParams) -> Result<Self, AskError> {
        check_sampling(&params).map_err(AskError::Question)?;
        let uses_tools = !params.tools.is_empty() || params.tool_choice.is_some();
        // A hint, which clients that did not declare it must not get (Sampling, Context Inclusion).
        if !Capability::SamplingContext.is_declared(&call.client_capabilities(), call.version) {
            params.include_context = None;
        }
        Ok(Self {
            capability: if uses_tools { Capability::SamplingTools } else { Capability::Sampling },
            method: "sampling/createMessage",
            params: sampling_params(params, call.version),
        })
    }

    /// For the folders.
    pub(super) fn roots() -> Self {
        Self { capability: Capability::Roots, method: "roots/list", params: Ok(json!({})) }
    }
}

/// What a client must have declared to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Capability {
    Form,
    Url,
    Sampling,
    SamplingTools,
    SamplingContext,
    Roots,
}

impl Capability {
    fn is_declared(self, declared: &ClientCapabilities, version: ProtocolVersion) -> bool {
        let has = |map: &Option<Map<String, Value>>, member: &str| {
            map.as_ref().is_some_and(|map| map.get(member).is_some_and(|value| !value.is_null()))
        };
        match self {
            // "An empty object is equivalent to declaring support for form mode only" (Elicitation, Capabilities).
            Self::Form => {
                version >= ProtocolVersion::V2025_06_18
                    && declared.elicitation.is_some()
                    && (has(&declared.elicitation, "form") || !has(&declared.elicitation, "url"))
            }
            Self::Url => version >= ProtocolVersion::V2025_11_25 && has(&declared.elicitation, "url"),
            Self::Sampling => declared.sampling.is_some(),
            Self::SamplingTools => version >= ProtocolVersion::V2025_11_25 && has(&declared.sampling, "tools"),
            // Before 2025-11-25 there was nothing to declare.
            Self::SamplingContext => version < ProtocolVersion::V2025_11_25 || has(&declared.sampling, "context"),
            Self::Roots => declared.roots.is_some(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Form => "elicitation",
            Self::Url => "elicitation.url",
            Self::Sampling => "sampling",
            Self::SamplingTools => "sampling.tools",
            Self::SamplingContext => "sampling.context",
            Self::Roots => "roots",
        }
    }

    /// What the client would have to declare.
    fn required(self) -> ClientCapabilities {
        let empty = || Some(Map::new());
        let with = |member: &str| Some(Map::from_iter([(member.to_owned(), json!({}))]));
        match self {
            Self::Form => ClientCapabilities { elicitation: empty(), ..Default::default() },
            Self::Url => ClientCapabilities { elicitation: with("url"), ..Default::default() },
            Self::Sampling => ClientCapabilities { sampling: empty(), ..Default::default() },
            Self::SamplingTools => ClientCapabilities { sampling: with("tools"), ..Default::default() },
            Self::SamplingContext => ClientCapabilities { sampling: with("context"), ..Default::default() },
            Self::Roots => ClientCapabilities { roots: empty(), ..Default::default() },
        }
    }
}

impl CallState {
    /// Whether the client can be asked this, here and now.
    async fn check(&self, capability: Capability) -> Result<(), AskError> {
        if WITHIN_STEP.get() {
            let text = "nothing can be asked within a step that is taken once: ask before it or after it";
            return Err(AskError::Question(text.to_owned()));
        }
        if capability.is_declared(&self.client_capabilities(), self.version) {
            return Ok(());
        }
        let unsupported = AskError::Unsupported { capability: capability.name() };
        if self.peer.is_some() {
            return Err(unsupported);
        }
        let error = ErrorObject::missing_client_capability(unsupported.to_string(), capability.required());
        self.end_round(error).await
    }

    /// The params of a question that may be asked.
    pub(super) async fn params(&self, question: Question) -> Result<Value, AskError> {
        self.check(question.capability).await?;
        let params = question.params.map_err(AskError::Question)?;
        if self.is_over() { Err(AskError::Ended) } else { Ok(params) }
    }

    async fn ask<T: DeserializeOwned>(&self, question: Question) -> Result<T, AskError> {
        let method = question.method;
        let params = self.params(question).await?;
        let answer = match &self.peer {
            Some(peer) => Some(peer.asked.ask(self, method, &params).await?),
            None => self.round.answer(method, &params),
        };
        match answer {
            Some(answer) => self.read(&answer, || format!("to `{method}`")).await,
            None => self.over_and_ended().await,
        }
    }

    /// Reads an answer of the client. One that is none ends a round: "malformed" ones are errors of the request
    /// (Multi round-trip requests, Error Handling).
    pub(super) async fn read<T: DeserializeOwned>(
        &self,
        answer: &RawValue,
        to: impl FnOnce() -> String,
    ) -> Result<T, AskError> {
        match read(answer) {
            Ok(answer) => Ok(answer),
            Err(fault) if self.peer.is_some() => Err(AskError::Invalid(fault)),
            Err(fault) => {
                let text = format!("`params.inputResponses` has no good answer {}: {fault}", to());
                self.end_round(ErrorObject::invalid_params(text)).await
            }
        }
    }

    /// Reads what the user has filled in.
    pub(super) fn filled_in<T: DeserializeOwned>(
        &self,
        form: &Form,
        result: ElicitResult,
    ) -> Result<Elicited<T>, AskError> {
        let content = match result.action {
            ElicitAction::Accept => result.content.unwrap_or_default(),
            ElicitAction::Decline => return Ok(Elicited::Decline),
            ElicitAction::Cancel => return Ok(Elicited::Cancel),
        };
        let checked = form
            .check(&content)
            .map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
            .and_then(|value| serde_json::from_value(value).map_err(|error| error.to_string()));
        checked.map(Elicited::Accept).map_err(|faults| {
            self.round.forgive();
            AskError::Invalid(faults)
        })
    }

    /// The round ends here. Whoever waits elsewhere, in a task of its own, learns it.
    pub(super) async fn over_and_ended<T>(&self) -> Result<T, AskError> {
        self.over().await;
        Err(AskError::Ended)
    }

    pub(super) async fn end_round<T>(&self, error: ErrorObject) -> Result<T, AskError> {
        self.round.fail(error);
        self.over_and_ended().await
    }

    /// Ends the round with an error; the handler goes no further.
    async fn never<T>(&self, error: ErrorObject) -> T {
        self.round.fail(error);
        std::future::pending().await
    }
}

/// Reads an answer; the error is for the client to read.
fn read<T: DeserializeOwned>(answer: &RawValue) -> Result<T, String> {
    read_object(answer).map_err(|error| {
        let error = error.to_string();
        // An answer is one line, so that "at line 1" says nothing.
        error.split(" at line ").next().unwrap_or_default().to_owned()
    })
}

/// The questions of an older connection that wait for their answers.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// Who answers in the place of a client, in tests.
    stand_in: Option<StandIn>,
    last: AtomicI64,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    answers: std::collections::HashMap<RequestId, oneshot::Sender<Answer>>,
    closed: bool,
}

type Answer = Result<Box<RawValue>, ErrorObject>;

/// Answers a question, by its method and its params.
struct StandIn(Box<Answers>);

type Answers = dyn Fn(&str, &Value) -> Option<Value> + Send + Sync;

impl fmt::Debug for StandIn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StandIn")
    }
}

impl Asked {
    /// Questions that are answered at once, without a client.
    pub(crate) fn answered_by(answer: impl Fn(&str, &Value) -> Option<Value> + Send + Sync + 'static) -> Self {
        Self { stand_in: Some(StandIn(Box::new(answer))), ..Self::default() }
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks over the wire, and waits for the answer.
    pub(super) async fn ask(&self, call: &CallState, method: &str, params: &Value) -> Result<Box<RawValue>, AskError> {
        if let Some(StandIn(answer)) = &self.stand_in {
            let refused = || AskError::Refused(ErrorObject::internal("the test gives no answer to this"));
            let answer = answer(method, params).ok_or_else(refused)?;
            return serde_json::value::to_raw_value(&answer).map_err(|error| AskError::Invalid(error.to_string()));
        }
        let id = RequestId::from(self.last.fetch_add(1, Ordering::Relaxed) + 1);
        let (sender, answer) = oneshot::channel();
        {
            let mut waiting = self.waiting();
            if waiting.closed {
                return Err(AskError::Ended);
            }
            waiting.answers.insert(id.clone(), sender);
        }
        let mut question = Waited { asked: self, id: &id, outbox: None };
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string();
        let sent = poll_fn(|cx| call.reporter.poll_send(cx, |out| out.extend_from_slice(message.as_bytes()))).await;
        sent.map_err(|_| AskError::Ended)?;
        question.outbox = Some(call.reporter.outbox());
        let answer = tokio::select! {
            biased;
            answer = answer => answer,
            // Nobody waits for the call any more, and so nobody for this; the question is taken back.
            () = call.over() => return Err(AskError::Ended),
            () = tokio::time::sleep(call.core.settings.state_ttl) => return Err(AskError::TimedOut),
        };
        question.outbox = None;
        match answer {
            Ok(answer) => answer.map_err(AskError::Refused),
            Err(_) => Err(AskError::Ended),
        }
    }

    /// Hands an answer to whoever waits for it. `false`: nobody does.
    pub(crate) fn answer(&self, id: &RequestId, outcome: Result<RawJson<'_>, ErrorObject>) -> bool {
        let sender = self.waiting().answers.remove(id);
        sender.is_some_and(|sender| sender.send(outcome.map(|answer| answer.raw().to_owned())).is_ok())
    }

    /// No more answers will come.
    pub(crate) fn close(&self) {
        let mut waiting = self.waiting();
        waiting.closed = true;
        waiting.answers.clear();
    }
}

/// A question that waits. One that nobody waits for any more is taken back.
struct Waited<'a> {
    asked: &'a Asked,
    id: &'a RequestId,
    outbox: Option<&'a Outbox>,
}

impl Drop for Waited<'_> {
    fn drop(&mut self) {
        let waited = self.asked.waiting().answers.remove(self.id).is_some();
        if let Some(outbox) = self.outbox
            && waited
        {
            let message = json!({
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": { "requestId": self.id, "reason": "the call that asked has ended" },
            });
            let _ = outbox.push_now(|out| out.extend_from_slice(message.to_string().as_bytes()));
        }
    }
}
