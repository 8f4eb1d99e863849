//! What a user types for an argument, completed.
//!
//! Specification: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::Core;
use super::context::Context;
use super::dispatch::{Reply, Request, begin};
use super::handler::{Step, Target, on_thread};
use super::link::Link;
use super::outcome::{Finished, ServerResult, Subject};
use super::request_error::RequestError;
use crate::protocol::{CompleteParams, Completion, ErrorObject, Reference, clip};

/// What a user has typed so far for one argument.
#[derive(Clone)]
#[non_exhaustive]
pub struct Completing {
    /// The beginning of the value, perhaps empty.
    pub value: String,
    /// What is chosen already for other arguments, as far as the client says so.
    pub arguments: HashMap<String, String>,
    /// The request: its client, and the state of the server.
    pub context: Context,
}

impl fmt::Debug for Completing {
    /// Nothing of what the user types: what is written for debugging ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completing").field("context", &self.context).finish_non_exhaustive()
    }
}

impl Completing {
    /// For a unit test that calls the function itself.
    pub fn new(value: impl Into<String>, context: Context) -> Self {
        Self { value: value.into(), arguments: HashMap::new(), context }
    }
}

/// Completes an argument: a function, `async` or not, from the beginning of a value, or from all that
/// [`Completing`] knows, to values. One without `async` runs on a thread that may be held. What the server shares is in the
/// request: `completing.context.state::<Shop>()?`.
///
/// ```
/// use mcp_server::{Completing, Prompt, Server};
///
/// async fn languages(typed: String) -> Vec<&'static str> {
///     ["Danish", "Dutch", "English"].into_iter().filter(|name| name.starts_with(&typed)).collect()
/// }
///
/// let mut translate = Prompt::builder("translate");
/// let language = translate.parameter::<String, _>("language", "Into which language.");
/// translate.complete("language", languages);
/// # let result = translate.returns::<String>();
/// # let translate = translate.handler(move |call| match language.take(call) {
/// #     Some(language) => call.run(async move { language }, result),
/// #     None => call.refuse(),
/// # });
/// # let server = Server::new("letters").prompt(translate);
/// ```
#[diagnostic::on_unimplemented(
    message = "this can't complete an argument",
    label = "not a function that completes",
    note = "a function that completes takes a `String` or a `Completing`, and returns a `Vec` of texts or a `Completion`",
    note = "or a `Result` of one of these; if it is `async`, its future is `Send`"
)]
pub trait Completer<M>: Send + Sync + 'static {
    /// The values that begin like this, the best first.
    #[doc(hidden)]
    fn complete(self: Arc<Self>, completing: Completing) -> Completed;
}

/// What a completer is on its way to.
pub(crate) type Completed = Pin<Box<dyn Future<Output = Result<Completion, RequestError>> + Send>>;

/// What a function that completes may return: texts, a [`Completion`], or a `Result` of these.
pub trait IntoCompletion {
    /// The values.
    ///
    /// # Errors
    ///
    /// What the client gets instead.
    fn into_completion(self) -> Result<Completion, RequestError>;
}

impl<S: Into<String>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, RequestError> {
        Ok(Completion::new(self))
    }
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, RequestError> {
        Ok(self)
    }
}

impl<T: IntoCompletion, E: Into<RequestError>> IntoCompletion for Result<T, E> {
    fn into_completion(self) -> Result<Completion, RequestError> {
        self.map_err(Into::into)?.into_completion()
    }
}

macro_rules! completers {
    ($($marker:ident $doc:literal ($completing:ident => $argument:expr, $type:ty) async $marker_async:ident;)*) => {$(
        #[doc = $doc]
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum $marker {}

        #[doc = concat!($doc, ", `async`.")]
        #[doc(hidden)]
        #[derive(Debug)]
        pub enum $marker_async {}

        #[diagnostic::do_not_recommend]
        impl<F, R> Completer<$marker> for F
        where
            F: Fn($type) -> R + Send + Sync + 'static,
            R: IntoCompletion,
        {
            fn complete(self: Arc<Self>, $completing: Completing) -> Completed {
                Box::pin(on_thread(move || self($argument).into_completion()))
            }
        }

        #[diagnostic::do_not_recommend]
        impl<F, S> Completer<$marker_async> for F
        where
            F: Fn($type) -> S + Send + Sync + 'static,
            S: Future<Output: IntoCompletion> + Send + 'static,
        {
            fn complete(self: Arc<Self>, $completing: Completing) -> Completed {
                let completed = self($argument);
                Box::pin(async move { completed.await.into_completion() })
            }
        }
    )*};
}

completers! {
    FromValue "The marker of functions of a text" (completing => completing.value, String) async FromValueLater;
    FromAll "The marker of functions of all that is known" (completing => completing, Completing) async FromAllLater;
}

type Erased = Arc<dyn Fn(Completing) -> Completed + Send + Sync>;

/// The completers of one prompt or template, by the argument.
#[derive(Clone, Default)]
pub(crate) struct Completers(Vec<(Cow<'static, str>, Erased)>);

impl Completers {
    pub(crate) fn add<M>(&mut self, argument: Cow<'static, str>, completer: impl Completer<M>) {
        let completer = Arc::new(completer);
        self.0.push((argument, Arc::new(move |completing| Arc::clone(&completer).complete(completing))));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    fn get(&self, argument: &str) -> Option<&Erased> {
        self.0.iter().find(|(name, _)| name == argument).map(|(_, completer)| completer)
    }
}

impl fmt::Debug for Completers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// Serves `completion/complete`.
pub(crate) fn complete(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let CompleteParams { reference, argument: name, value, context: arguments } =
        CompleteParams::read(&request.params)?;
    let no_argument = |of: &str| ErrorObject::invalid_params(format!("{of} has no argument `{}`", clip(&name)));
    let (completer, scope, subject) = match &reference {
        Reference::Prompt(prompt) => {
            let shelf = core.catalog.prompts.shelf();
            let found = shelf.prompt(prompt)?;
            if !found.has_argument(&name) {
                return Err(no_argument(&format!("the prompt `{}`", clip(prompt))));
            }
            (
                found.0.completers.get(&name).cloned(),
                found.0.scope.clone(),
                Subject::Other("prompt", (&**prompt).into()),
            )
        }
        Reference::Resource(uri) => {
            let shelf = core.catalog.templates.shelf();
            // "URI or template" (Completion, Reference Types)
            let found = shelf.get(uri).or_else(|| shelf.template_of(uri).map(|(template, _)| template));
            let Some(found) = found else {
                return match core.catalog.resources.shelf().get(uri) {
                    Some(_) => Err(no_argument(&format!("the resource `{}`", clip(uri)))),
                    None => Err(ErrorObject::resource_not_found(uri, request.version)),
                };
            };
            let parts = &found.0.0;
            if !parts.template.iter().flat_map(|template| template.variables()).any(|variable| variable == name) {
                return Err(no_argument(&format!("the template `{}`", clip(uri))));
            }
            (parts.completers.get(&name).cloned(), parts.scope.clone(), Subject::Other("resource", (&**uri).into()))
        }
    };
    let value = value.into_owned();
    begin(core, link, request, subject, scope, move |context| {
        let Some(completer) = completer else {
            return Step::Ready(Ok(ServerResult::Complete(Completion::default())));
        };
        let completed = completer(Completing { value, arguments, context: context.clone() });
        Step::Run(Box::pin(async move { finish(completed.await) }))
    })
}

fn finish(completed: Result<Completion, RequestError>) -> Finished {
    match completed {
        // "at most 100 items": of a `Completion` made by hand as well.
        Ok(completion) if completion.values.len() > 100 => {
            let Completion { values, total, .. } = completion;
            let cut = Completion::new(values);
            Ok(ServerResult::Complete(Completion { total: total.or(cut.total), ..cut }))
        }
        Ok(completion) => Ok(ServerResult::Complete(completion)),
        Err(error) => Err(error.into_object(&Target::Other)),
    }
}
