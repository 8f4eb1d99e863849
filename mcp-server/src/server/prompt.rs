//! One prompt: what a client may know about it, and the code that writes its messages.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::attached::attached;
use super::completion::{Completer, Completers};
use super::context::Context;
use super::handler::{Call, Handler, Input, Need, Outcome, Returns, Step, Target};
use super::outcome::ServerResult;
use super::parameter::{Param, TextParameter, TextParameters};
use super::request_error::RequestError;
use super::state::Scope;
use super::texts::Texts;
use super::tool::{add_meta, described};
use crate::nearest::nearest;
use crate::protocol::{ContentBlock, GetPromptResult, Icon, Prompt as Listed, PromptArgument, PromptMessage, Role};

/// A prompt, ready to be given to a [`Server`](crate::Server).
///
/// Functions with `#[prompt]` become one by themselves. By hand it goes like this:
///
/// ```
/// use mcp_server::{Prompt, Server};
///
/// let mut greet = Prompt::builder("greet");
/// greet.description("Greet somebody.");
/// let name = greet.parameter::<String, _>("name", "Whom to greet.");
/// let result = greet.returns::<String>();
/// let greet = greet.handler(move |call| match name.take(call) {
///     Some(name) => call.run(async move { format!("Write a greeting for {name}.") }, result),
///     None => call.refuse(),
/// });
/// let server = Server::new("letters").prompt(greet);
/// ```
///
/// Specification: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
#[derive(Clone)]
pub struct Prompt(pub(crate) Arc<PromptParts>);

#[derive(Clone)]
pub(crate) struct PromptParts {
    pub(crate) name: Cow<'static, str>,
    /// What is listed, but for the name.
    pub(crate) listed: Listed,
    pub(crate) completers: Completers,
    /// Where the author wrote it.
    pub(crate) location: &'static Location<'static>,
    pub(crate) needs: Vec<Need>,
    /// What is wrong with its parameters.
    pub(crate) fault: Option<String>,
    pub(crate) scope: Option<Arc<Scope>>,
    description: Option<Arc<str>>,
    handler: Handler,
}

impl Prompt {
    /// Starts to describe a prompt; its name is 1 to 128 characters of `A-Z a-z 0-9 _ - .`.
    #[track_caller]
    pub fn builder(name: impl Into<Cow<'static, str>>) -> PromptBuilder {
        PromptBuilder {
            name: name.into(),
            listed: Listed::default(),
            parameters: TextParameters::default(),
            titles: Vec::new(),
            completers: Completers::default(),
            location: Location::caller(),
        }
    }

    /// The name that it is asked for by.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The same as an item of the server that it is mounted in.
    pub(crate) fn within(&self, scope: &Arc<Scope>) -> Self {
        let mut parts = (*self.0).clone();
        parts.name = format!("{}_{}", scope.prefix, parts.name).into();
        parts.scope = Some(parts.scope.map_or_else(|| Arc::clone(scope), |inner| inner.within(scope)));
        Self(Arc::new(parts))
    }

    pub(crate) fn completes(&self) -> bool {
        !self.0.completers.is_empty()
    }

    /// Reads the arguments and starts the call, or says what is wrong with them.
    pub(crate) fn call(&self, mut values: Texts<'_>, context: &Context) -> Step {
        let names = self.0.listed.arguments.iter().map(|argument| &*argument.name);
        for unknown in values.names_but(names.clone()) {
            values.fault(match nearest(&unknown, names.clone()) {
                Some(meant) => format!("{unknown}: no such argument; did you mean `{meant}`?"),
                None => format!("{unknown}: no such argument"),
            });
        }
        let target = Target::Prompt(self.0.description.clone());
        let mut call = Call::new(Input::Texts(values), context, target);
        (self.0.handler)(&mut call).0
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Describes a prompt; see [`Prompt`] for an example.
pub struct PromptBuilder {
    name: Cow<'static, str>,
    listed: Listed,
    parameters: TextParameters,
    /// The names that people read, by the argument.
    titles: Vec<(&'static str, String)>,
    completers: Completers,
    location: &'static Location<'static>,
}

impl PromptBuilder {
    /// The name that people read.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.listed.title = Some(title.into());
        self
    }

    /// What the prompt is for. An empty text is none.
    pub fn description(&mut self, description: impl Into<String>) -> &mut Self {
        self.listed.description = described(description.into().into()).map(Into::into);
        self
    }

    /// A picture of it.
    pub fn icon(&mut self, icon: Icon) -> &mut Self {
        self.listed.icons.push(icon);
        self
    }

    /// Data for programs: its `_meta` in the list, added to what is there.
    ///
    /// # Panics
    ///
    /// When `meta` is no JSON object.
    #[track_caller]
    pub fn meta(&mut self, meta: Value) -> &mut Self {
        add_meta(&mut self.listed.meta, meta);
        self
    }

    /// Adds a parameter. It is an argument that must be given, unless `T` is an `Option`, or no argument at all, such
    /// as a [`Context`]. An empty description is none.
    pub fn parameter<T: TextParameter<M>, M>(&mut self, name: &'static str, description: &'static str) -> Param<T> {
        T::describe(&mut self.parameters, name, description, None)
    }

    /// Adds an argument that may be left out.
    pub fn parameter_or<T: TextParameter<M>, M>(
        &mut self,
        name: &'static str,
        description: &'static str,
        default: fn() -> T,
    ) -> Param<T> {
        T::describe(&mut self.parameters, name, description, Some(default))
    }

    /// Adds an argument by what a client sees of it, for [`PromptBuilder::get`].
    pub fn argument(&mut self, argument: PromptArgument) -> &mut Self {
        self.listed.arguments.push(argument);
        self
    }

    /// The name of an argument that people read.
    pub fn argument_title(&mut self, argument: &'static str, title: impl Into<String>) -> &mut Self {
        self.titles.push((argument, title.into()));
        self
    }

    /// Completes what a user types for an argument.
    pub fn complete<M>(&mut self, argument: impl Into<Cow<'static, str>>, completer: impl Completer<M>) -> &mut Self {
        self.completers.add(argument.into(), completer);
        self
    }

    /// Says what the handler returns.
    pub fn returns<R: IntoGetPromptResult>(&mut self) -> Returns<R> {
        Returns(|value, target| {
            let mut result = value.into_get_prompt_result().map_err(|error| error.into_object(target))?;
            if let (None, Target::Prompt(Some(description))) = (&result.description, target) {
                result.description = Some((**description).into());
            }
            Ok(ServerResult::GetPrompt(result))
        })
    }

    /// Ends the description with a function of all arguments at once, for prompts that are known only when the program
    /// runs. The arguments are those that [`PromptBuilder::argument`] has named.
    ///
    /// `T` is a struct with a field for each argument, or a map of texts; without arguments it is `()`. Each field is
    /// read from the text, as a parameter of a `#[prompt]` function is.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use mcp_server::prelude::*;
    /// use mcp_server::Prompt;
    /// use mcp_server::protocol::PromptArgument;
    ///
    /// let mut prompt = Prompt::builder("translate");
    /// let required = |name: &str| PromptArgument { required: Some(true), ..PromptArgument::new(name) };
    /// prompt.argument(required("text")).argument(required("language"));
    /// let translate = prompt.get(|texts: HashMap<String, String>, _ctx: Context| async move {
    ///     format!("Translate into {}:\n\n{}", texts["language"], texts["text"])
    /// });
    /// let server = Server::new("letters").prompt(translate);
    /// ```
    pub fn get<T, F, R>(mut self, function: impl Fn(T, Context) -> F + Send + Sync + 'static) -> Prompt
    where
        T: DeserializeOwned,
        F: Future<Output = R> + Send + 'static,
        R: IntoGetPromptResult + 'static,
    {
        let result = self.returns::<R>();
        let arguments = self.listed.arguments.iter().filter(|argument| argument.required == Some(true));
        let required: Vec<String> = arguments.map(|argument| argument.name.clone()).collect();
        self.handler(move |call| {
            call.texts().require(required.iter().map(String::as_str));
            match call.texts().read::<T>() {
                Some(arguments) => {
                    let context = call.context().clone();
                    call.run(function(arguments, context), result)
                }
                None => call.refuse(),
            }
        })
    }

    /// Ends the description with the code that runs for each call.
    pub fn handler(self, handler: impl Fn(&mut Call<'_>) -> Outcome + Send + Sync + 'static) -> Prompt {
        self.finish(Arc::new(handler))
    }

    // Not generic: compiled once for all prompts.
    fn finish(self, handler: Handler) -> Prompt {
        let Self { name, mut listed, parameters, titles, completers, location } = self;
        let title = |name: &str| titles.iter().find(|(argument, _)| *argument == name).map(|(_, title)| title.clone());
        listed.arguments.extend(parameters.variables.iter().map(|variable| PromptArgument {
            title: title(variable.name),
            description: described(variable.description.into()).map(Into::into),
            required: Some(variable.required),
            ..PromptArgument::new(variable.name)
        }));
        Prompt(Arc::new(PromptParts {
            name,
            description: listed.description.as_deref().map(Into::into),
            listed,
            completers,
            location,
            needs: parameters.needs,
            fault: parameters.fault,
            scope: None,
            handler,
        }))
    }
}

impl fmt::Debug for PromptBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PromptBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// What a prompt may give: words, messages, content blocks, or a `Result` of these.
///
/// | the type | the client gets |
/// |---|---|
/// | `String`, `&'static str`, `Cow<'static, str>`, a [`ContentBlock`] | one message of the user |
/// | [`PromptMessage`], a `Vec` of them, [`GetPromptResult`] | these |
/// | `Err` | an error, see [`RequestError`] |
#[diagnostic::on_unimplemented(
    message = "a prompt can't give `{Self}`",
    label = "not the messages of a prompt",
    note = "return words, a `PromptMessage`, a `Vec<PromptMessage>` or a content block",
    note = "or a `Result` of one of these, whose error is `RequestError` or a `std::error::Error`"
)]
pub trait IntoGetPromptResult {
    /// The messages.
    ///
    /// # Errors
    ///
    /// What the client gets instead.
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError>;
}

macro_rules! blocks {
    ($($block:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoGetPromptResult for $block {
            fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError> {
                let content = ContentBlock::from(self);
                PromptMessage { role: Role::User, content }.into_get_prompt_result()
            }
        }
    )*};
}

blocks!(String, &'static str, Cow<'static, str>, ContentBlock);

#[diagnostic::do_not_recommend]
impl IntoGetPromptResult for PromptMessage {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError> {
        vec![self].into_get_prompt_result()
    }
}

#[diagnostic::do_not_recommend]
impl IntoGetPromptResult for Vec<PromptMessage> {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError> {
        Ok(GetPromptResult { messages: self, ..Default::default() })
    }
}

#[diagnostic::do_not_recommend]
impl IntoGetPromptResult for GetPromptResult {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoGetPromptResult, E: Into<RequestError>> IntoGetPromptResult for Result<T, E> {
    fn into_get_prompt_result(self) -> Result<GetPromptResult, RequestError> {
        self.map_err(Into::into)?.into_get_prompt_result()
    }
}

attached! {
    /// The future of a function with `#[prompt]`: an ordinary future that also knows the prompt it writes.
    PromptFuture, PromptHandler, prompt -> Prompt;
    /// What [`Server::prompt`](crate::Server::prompt) takes: the name of an `async fn` with `#[prompt]`, `name {}` for a
    /// plain `fn` with it, or a [`Prompt`] made by hand.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no prompt",
        label = "no prompt",
        note = "an `async fn` with `#[prompt]` is added as `.prompt(name)`, a plain `fn` with it as `.prompt(name {{}})`",
        note = "a value whose type has `#[server]` is added by `.with(…)`, a tool by `.tool(…)`, a resource by `.resource(…)`"
    )]
    IntoPrompt, into_prompt
}
