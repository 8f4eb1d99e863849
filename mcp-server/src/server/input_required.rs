//! Rounds by hand: a handler that chooses the keys of its questions, judges the answers itself, and says what is to
//! come back with them.
//!
//! [`Context::elicit`] and its like do all of this by themselves, and take for an answer only what was asked for. What
//! stands here is for those who need the keys, or no state at all.
//!
//! Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::ask::{AskError, Elicited, Question};
use super::context::Context;
use crate::protocol::{CreateMessageParams, ElicitResult, ErrorObject};
use crate::schema::form;

impl Context {
    /// Starts a round by hand: questions under keys of your own, and a state that comes back with their answers.
    ///
    /// On a stateless connection [`ask`](InputRequired::ask) ends the round, and the handler is run again from the start
    /// when the client comes back with answers. On an older one it asks over the wire, and returns when all is answered.
    /// So a loop serves both: it looks for the answers first, and asks for what is missing.
    ///
    /// A client can send answers to what it was never asked, and leave some out. What was really asked is known only by a
    /// [`state`](InputRequired::state), which nobody can forge. Where that matters, [`Context::elicit`] is the simpler way.
    ///
    /// Specification: [Multi round-trip requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// /// Greet whoever sits there.
    /// #[tool]
    /// async fn greet(ctx: Context) -> Result<String, ToolError> {
    ///     loop {
    ///         match ctx.elicit_response::<Name>("user_name").await? {
    ///             Some(Elicited::Accept(Name { name })) => return Ok(format!("Hello, {name}!")),
    ///             Some(_) => return Ok("Hello, stranger!".into()),
    ///             None => ctx.input_required().elicit::<Name>("user_name", "What is your name?").ask().await?,
    ///         }
    ///     }
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
    /// let test = mcp_server::TestContext::answering(|_, _| Some(json!({ "action": "accept", "content": { "name": "Ada" } })));
    /// assert_eq!(greet(test.context()).await.unwrap(), "Hello, Ada!");
    /// # });
    /// ```
    pub fn input_required(&self) -> InputRequired<'_> {
        InputRequired { context: self, questions: Vec::new(), state: None, fault: None }
    }

    /// The answer under that key: a [`CreateMessageResult`](crate::protocol::CreateMessageResult) or a
    /// [`ListRootsResult`](crate::protocol::ListRootsResult), for instance. `None`: the request came without one.
    ///
    /// Answers are there in the round that follows their question, and not in later ones: what those need goes into the
    /// [`state`](InputRequired::state). Nothing but this tells whether there was such a question at all.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// use mcp_server::protocol::ListRootsResult;
    ///
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// if let Some(result) = ctx.input_response::<ListRootsResult>("client_roots").await? {
    ///     println!("{} folders", result.roots.len());
    /// }
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the answer has another form, on older connections: on stateless ones the request ends with an error that
    /// says so.
    pub async fn input_response<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, AskError> {
        match self.0.round.response(key) {
            Some(answer) => self.0.read(&answer, || format!("under the key `{key}`")).await.map(Some),
            None => Ok(None),
        }
    }

    /// The answer of the user under that key, for a form that asks for a `T`; see [`Context::input_response`], and
    /// [`Context::input_required`] for how it is used.
    ///
    /// # Errors
    ///
    /// When `T` is no form, or what the user has filled in does not fit it, which is [`AskError::Invalid`]: the handler may
    /// ask once more.
    pub async fn elicit_response<T: DeserializeOwned + JsonSchema>(
        &self,
        key: &str,
    ) -> Result<Option<Elicited<T>>, AskError> {
        let form = form::form::<T>().map_err(AskError::Question)?;
        let Some(result) = self.input_response::<ElicitResult>(key).await? else { return Ok(None) };
        self.0.filled_in(&form, result).map(Some)
    }

    /// The [`state`](InputRequired::state) of the round before: exactly what this server gave, for a request with the
    /// same method, name and arguments, and for the same principal. `None`: the request came without one.
    ///
    /// A state that was changed on the way, has expired or belongs to another request never gets here: the request has
    /// been refused by then.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # async fn example(ctx: Context) -> Result<(), ToolError> {
    /// let step: u32 = ctx.request_state().await?.unwrap_or_default();
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When it is of another form, as after an update of the server, on older connections: on stateless ones the request
    /// ends with an error that says so.
    pub async fn request_state<T: DeserializeOwned>(&self) -> Result<Option<T>, AskError> {
        let Some(state) = self.0.round.returned() else { return Ok(None) };
        match serde_json::from_str(state.get()) {
            Ok(state) => Ok(Some(state)),
            Err(error) if self.0.peer.is_some() => Err(AskError::Question(format!("the state can't be read: {error}"))),
            Err(error) => {
                let text = format!("`params.requestState` can't be read any more: {error}");
                self.0.end_round(ErrorObject::invalid_params(text)).await
            }
        }
    }
}

/// A round by hand, before it is asked; see [`Context::input_required`].
///
/// What is wrong with a question is told by [`ask`](Self::ask).
#[derive(Debug)]
#[must_use = "nothing is asked before `ask`"]
pub struct InputRequired<'a> {
    context: &'a Context,
    questions: Vec<(String, Question)>,
    state: Option<Box<RawValue>>,
    /// The first that was found.
    fault: Option<AskError>,
}

impl InputRequired<'_> {
    /// Asks the user to fill in a form for a `T`; see [`Context::elicit`].
    pub fn elicit<T: JsonSchema>(self, key: impl Into<String>, message: impl Into<String>) -> Self {
        let question = form::form::<T>().map_err(AskError::Question);
        let question = question.and_then(|form| Question::form(&self.context.0, &form, message.into()));
        self.question(key.into(), question)
    }

    /// Asks the user to fill in a form of that schema; see [`Context::elicit_with`].
    pub fn elicit_with(self, key: impl Into<String>, message: impl Into<String>, schema: Value) -> Self {
        let question = form::given(schema).map_err(AskError::Question);
        let question = question.and_then(|form| Question::form(&self.context.0, &form, message.into()));
        self.question(key.into(), question)
    }

    /// Asks the user to open a page; see [`Context::elicit_url`].
    pub fn elicit_url(self, key: impl Into<String>, message: impl Into<String>, url: impl Into<String>) -> Self {
        let question = Question::url(&self.context.0, message.into(), url.into());
        self.question(key.into(), question)
    }

    /// Asks the client's model; see [`Context::sample`].
    pub fn sample(self, key: impl Into<String>, params: CreateMessageParams) -> Self {
        let question = Question::sample(&self.context.0, params);
        self.question(key.into(), question)
    }

    /// Asks for the folders that the client works in; see [`Context::roots`].
    pub fn roots(self, key: impl Into<String>) -> Self {
        self.question(key.into(), Ok(Question::roots()))
    }

    /// What is to come back with the answers, for [`Context::request_state`]: sealed, so that the client can neither read
    /// nor change it, nor use it for another request, nor for two results.
    pub fn state(mut self, state: &impl Serialize) -> Self {
        match serde_json::value::to_raw_value(state) {
            Ok(state) => self.state = Some(state),
            Err(error) => {
                self.fault.get_or_insert(AskError::Question(format!("the state is no JSON: {error}")));
            }
        }
        self
    }

    fn question(mut self, key: String, question: Result<Question, AskError>) -> Self {
        match question {
            Ok(_) if self.questions.iter().any(|(other, _)| *other == key) => {
                self.fault.get_or_insert(taken(&key));
            }
            Ok(question) => self.questions.push((key, question)),
            Err(fault) => {
                self.fault.get_or_insert(fault);
            }
        }
        self
    }

    /// Asks. On a stateless connection this never returns when all is well: the round has ended with the questions, and
    /// the handler is run again. On an older one the questions are asked one after the other, and this returns with all
    /// answers there to be looked up.
    ///
    /// # Errors
    ///
    /// When nothing is asked, a question can't be asked like this, or the client can't be asked; see [`AskError`]. On
    /// stateless connections a request whose client did not declare what is needed ends with an error that says so.
    pub async fn ask(self) -> Result<(), AskError> {
        let Self { context, questions, state, fault } = self;
        if let Some(fault) = fault {
            return Err(fault);
        }
        if questions.is_empty() {
            return Err(AskError::Question("a round without a question asks nothing".to_owned()));
        }
        let call = &context.0;
        let mut asked = Vec::with_capacity(questions.len());
        for (key, question) in questions {
            let method = question.method;
            asked.push((key, method, call.params(question).await?));
        }
        if let Some(peer) = &call.peer {
            let mut answers = BTreeMap::new();
            for (key, method, params) in asked {
                answers.insert(key, peer.asked.ask(call, method, &params).await?);
            }
            call.round.answered(answers, state);
            return Ok(());
        }
        let questions: Map<String, Value> = asked
            .into_iter()
            .map(|(key, method, params)| (key, json!({ "method": method, "params": params })))
            .collect();
        call.round.ask(questions, state).map_err(|key| taken(&key))?;
        call.over_and_ended().await
    }
}

fn taken(key: &str) -> AskError {
    AskError::Question(format!("two questions have the key `{key}`"))
}
