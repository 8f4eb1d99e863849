//! One round of a request that asks its client: what is known from the rounds before, and what this one asks.
//!
//! The stateless revision has no answers that come while a request runs. A handler that asks ends its round with its
//! questions, and is run again from the start when the client sends the request again with the answers. What is to be
//! remembered in between travels through the client, sealed.
//!
//! Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::Core;
use super::canonical::canonical;
use super::outcome::{Finished, InputRequiredResult, ServerResult};
use super::seal::{Binding, MOST, Refused};
use super::spent::Ticket;
use crate::protocol::{ErrorObject, Params};

/// What a call knows and asks.
#[derive(Debug, Default)]
pub(crate) struct Round(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Most calls ask nothing, and need none.
    state: Option<Box<State>>,
    /// Who runs the handler.
    runner: Option<Waker>,
}

#[derive(Debug, Default)]
struct State {
    /// What the seal is bound to; `None` where nothing can be asked.
    bound: Option<Bound>,
    /// What travels from round to round.
    kept: Kept,
    /// The answers that came with this request.
    responses: BTreeMap<String, Box<RawValue>>,
    /// What the handler gave along with its own questions of the round before.
    returned: Option<Box<RawValue>>,
    /// How often each question has been asked in this round.
    asked: HashMap<u64, usize>,
    questions: Map<String, Value>,
    /// Those whose keys the handler has chosen itself, and so knows by.
    own_questions: Map<String, Value>,
    /// How many steps run whose value is to be kept: the round does not end in the middle of one.
    running_steps: usize,
    fault: Option<ErrorObject>,
    /// The state that came back, while it is in use.
    ticket: Option<Ticket>,
    /// An answer did not fit.
    is_forgiven: bool,
}

/// The method and the params that a state belongs to.
#[derive(Debug)]
struct Bound {
    method: Box<str>,
    /// The params that tell one request from another, as they came: most calls ask nothing, and need no more.
    params: Box<str>,
    principal: Option<String>,
}

/// What is known of the rounds so far.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// The keys of the questions that the client has been asked.
    #[serde(default)]
    asked: BTreeSet<String>,
    /// Answers, by the key of their question.
    #[serde(default)]
    answers: BTreeMap<String, Box<RawValue>>,
    /// The values of steps, by their key.
    #[serde(default)]
    steps: BTreeMap<String, Box<RawValue>>,
    /// What the handler gave along with its own questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    own: Option<Box<RawValue>>,
}

impl Kept {
    fn is_empty(&self) -> bool {
        let Self { asked, answers, steps, own } = self;
        asked.is_empty() && answers.is_empty() && steps.is_empty() && own.is_none()
    }
}

impl Round {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a round of a stateless request: opens what came back.
    ///
    /// # Errors
    ///
    /// When the answers have the wrong form, or the state is not one that was sealed for this request.
    pub(crate) fn begin(
        core: &Core,
        method: &str,
        params: &Params<'_>,
        principal: Option<String>,
        can_be_asked: bool,
    ) -> Result<Self, ErrorObject> {
        if params.is_null("inputResponses") {
            return Err(ErrorObject::invalid_params("`params.inputResponses` must be an object"));
        }
        let responses = params.optional_object("inputResponses")?;
        let sealed = params.optional_string("requestState")?;
        if !can_be_asked && responses.is_none() && sealed.is_none() {
            return Ok(Self::default());
        }
        let responses = match responses {
            Some(raw) => serde_json::from_str(raw.get()).map_err(|error| {
                ErrorObject::invalid_params(format!("`params.inputResponses` can't be read: {error}"))
            })?,
            None => BTreeMap::new(),
        };
        let bound = Bound { method: method.into(), params: salient(params).into(), principal };
        let (mut kept, ticket) = match sealed {
            Some(sealed) => {
                let now = SystemTime::now();
                let state = core.seal.open(&sealed, &bound.binding(&bound.canonical()), now).map_err(refused)?;
                let kept: Kept = serde_json::from_slice(&state).map_err(|_| refused(Refused::Malformed))?;
                let ticket = core.spent.take(&sealed, now, now + core.settings.state_ttl).ok_or_else(|| {
                    ErrorObject::invalid_params("`params.requestState` was used already: send the request without it")
                })?;
                (kept, Some(ticket))
            }
            None => (Kept::default(), None),
        };
        let returned = kept.own.take();
        let state = State { bound: Some(bound), kept, responses, returned, ticket, ..State::default() };
        Ok(Self(Mutex::new(Inner { state: Some(Box::new(state)), runner: None })))
    }

    /// The answer to a question, if there is one; otherwise the question is noted.
    pub(crate) fn answer(&self, method: &str, params: &Value) -> Option<Box<RawValue>> {
        let mut inner = self.inner();
        let state = inner.state();
        let question = serde_json::json!({ "method": method, "params": params });
        let hash = hash(&question);
        let times = state.asked.entry(hash).or_default();
        // The key says what was asked: the answer to another question, for instance about another sum, is none to this.
        let key = format!("{}-{hash:016x}-{times}", method.replace('/', "-"));
        *times += 1;
        if let Some(answer) = state.kept.answers.get(&key) {
            return Some(answer.clone());
        }
        // Nobody was asked what no state of ours knows of.
        if let Some(answer) = state.responses.remove(&key).filter(|_| state.kept.asked.remove(&key)) {
            state.kept.answers.insert(key, answer.clone());
            return Some(answer);
        }
        state.questions.insert(key, question);
        inner.wake();
        None
    }

    /// The answer that came under a key of the handler's own choice, whether or not it was asked for.
    pub(crate) fn response(&self, key: &str) -> Option<Box<RawValue>> {
        self.inner().state.as_ref()?.responses.get(key).cloned()
    }

    /// What the handler gave along with its own questions of the round before.
    pub(crate) fn returned(&self) -> Option<Box<RawValue>> {
        self.inner().state.as_ref()?.returned.clone()
    }

    /// Ends the round with questions whose keys the handler has chosen, and with what it wants back.
    ///
    /// # Errors
    ///
    /// The key that another question has already.
    pub(crate) fn ask(&self, questions: Map<String, Value>, own: Option<Box<RawValue>>) -> Result<(), String> {
        let mut inner = self.inner();
        let state = inner.state();
        if let Some(key) = questions.keys().find(|key| state.own_questions.contains_key(*key)) {
            return Err(key.clone());
        }
        state.own_questions.extend(questions);
        if own.is_some() {
            state.kept.own = own;
        }
        inner.wake();
        Ok(())
    }

    /// On a connection where the handler waits for its answers: they have come.
    pub(crate) fn answered(&self, responses: BTreeMap<String, Box<RawValue>>, own: Option<Box<RawValue>>) {
        let mut inner = self.inner();
        let state = inner.state();
        state.responses = responses;
        state.returned = own;
    }

    /// Ends the round with an error, wherever the handler is.
    pub(crate) fn fail(&self, error: ErrorObject) {
        let mut inner = self.inner();
        inner.state().fault.get_or_insert(error);
        inner.wake();
    }

    /// The value of a step that an earlier round has taken, or this one.
    pub(crate) fn step(&self, key: &str) -> Option<Box<RawValue>> {
        self.inner().state.as_ref()?.kept.steps.get(key).cloned()
    }

    /// Notes that a step begins; the round does not end before the guard is dropped.
    pub(crate) fn begin_step(&self) -> Step<'_> {
        self.inner().state().running_steps += 1;
        Step(self)
    }

    /// The client's answer does not fit. Unless the handler makes something of it all the same, the client may mend it and
    /// come back with the same state.
    pub(crate) fn forgive(&self) {
        self.inner().state().is_forgiven = true;
    }

    /// The call has come to its result: the state that led there does not lead to another one.
    pub(crate) fn finish(&self, result: &Finished) {
        let failed = match result {
            Ok(ServerResult::InputRequired(_)) => return,
            Ok(ServerResult::CallTool(result)) => result.is_error,
            result => result.is_err(),
        };
        if let Some(state) = &self.inner().state
            && let Some(ticket) = &state.ticket
            && !(failed && state.is_forgiven)
        {
            ticket.use_up();
        }
    }

    /// Whether the round is over, and with what. Otherwise whoever asks is woken when it may be.
    pub(crate) fn ended(&self, core: &Core, runner: &Waker) -> Option<Finished> {
        let mut inner = self.inner();
        let state = match &mut inner.state {
            Some(state) if state.fault.is_some() => {
                // The client may mend it and come back with the same state.
                state.is_forgiven = true;
                return state.fault.take().map(Err);
            }
            Some(state) if state.running_steps == 0 && state.asks() => state,
            _ => {
                match &mut inner.runner {
                    Some(waker) => waker.clone_from(runner),
                    none => *none = Some(runner.clone()),
                }
                return None;
            }
        };
        let Some(bound) = &state.bound else {
            return Some(Err(ErrorObject::internal("only tools, prompts and resources can ask the client")));
        };
        if state.responses.keys().any(|key| state.kept.asked.contains(key)) {
            // It would go round and round.
            tracing::warn!(
                "a question has been answered and was asked in other words now: ask in the same words each time"
            );
        }
        state.kept.asked = state.questions.keys().cloned().collect();
        if state.own_questions.is_empty() {
            state.kept.own = state.returned.take();
        }
        let mut input_requests = std::mem::take(&mut state.own_questions);
        input_requests.extend(std::mem::take(&mut state.questions));
        if state.kept.is_empty() {
            return Some(Ok(ServerResult::InputRequired(InputRequiredResult { input_requests, request_state: None })));
        }
        let kept = serde_json::to_vec(&state.kept).expect("raw JSON is JSON");
        if kept.len() > MOST {
            let text = format!("what is to be kept for the next round has {} bytes; the limit is {MOST}", kept.len());
            return Some(Err(ErrorObject::internal(text)));
        }
        let expires_at = SystemTime::now() + core.settings.state_ttl;
        let request_state = Some(core.seal.seal(&kept, &bound.binding(&bound.canonical()), expires_at));
        Some(Ok(ServerResult::InputRequired(InputRequiredResult { input_requests, request_state })))
    }
}

impl Inner {
    fn state(&mut self) -> &mut State {
        self.state.get_or_insert_default()
    }

    fn wake(&mut self) {
        if let Some(runner) = self.runner.take() {
            runner.wake();
        }
    }
}

impl State {
    fn asks(&self) -> bool {
        !self.questions.is_empty() || !self.own_questions.is_empty()
    }
}

impl Bound {
    fn canonical(&self) -> String {
        canonical(&self.params)
    }

    fn binding<'a>(&'a self, params: &'a str) -> Binding<'a> {
        Binding { method: &self.method, params, principal: self.principal.as_deref() }
    }
}

/// The params that tell one request of its method from another, as JSON.
fn salient(params: &Params<'_>) -> String {
    let mut text = String::from("{");
    for name in ["name", "uri", "arguments"] {
        if let Some(raw) = params.get(name) {
            let comma = if text.len() > 1 { "," } else { "" };
            text.extend([comma, "\"", name, "\":", raw.get()]);
        }
    }
    text.push('}');
    text
}

/// A step whose value is to be kept, while it runs.
#[derive(Debug)]
pub(crate) struct Step<'a>(&'a Round);

impl Step<'_> {
    /// Keeps the value.
    pub(crate) fn keep(self, key: &str, value: Box<RawValue>) {
        self.0.inner().state().kept.steps.insert(key.to_owned(), value);
    }
}

impl Drop for Step<'_> {
    fn drop(&mut self) {
        let mut inner = self.0.inner();
        inner.state().running_steps -= 1;
        inner.wake();
    }
}

/// "servers MUST reject state that fails verification" (Multi round-trip requests, Server Requirements).
fn refused(refused: Refused) -> ErrorObject {
    ErrorObject::invalid_params(match refused {
        Refused::Expired => "`params.requestState` has expired: send the request without it, from the start",
        _ => "`params.requestState` is none that was given for this request",
    })
}

/// FNV-1a, which is the same in every build: another machine may serve the next round. Whoever could forge it answers
/// the questions anyway.
fn hash(question: &Value) -> u64 {
    let text = canonical(&question.to_string());
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
