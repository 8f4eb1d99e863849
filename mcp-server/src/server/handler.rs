//! From a request to the author's function and back: what a handler is given, and what it makes of it.
//!
//! Tools, resources and prompts differ in what they take and in what they give; how a handler runs is the same.

use std::any::TypeId;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::arguments::{Arguments, Whole};
use super::context::Context;
use super::log;
use super::outcome::{Finished, Running, ServerResult};
use super::parameter::FromContext;
use super::texts::Texts;
use crate::protocol::{CacheScope, CallToolResult, ErrorObject, ProtocolVersion};

/// One call of a handler, before it runs: what it was called with, still to be read.
#[derive(Debug)]
pub struct Call<'a> {
    input: Input<'a>,
    context: &'a Context,
    refused: Option<String>,
    target: Target,
}

#[derive(Debug)]
pub(crate) enum Input<'a> {
    /// Of a tool.
    Arguments(Arguments<'a>),
    /// Of a tool whose schema was given as a whole.
    Whole(Whole<'a>),
    /// Of a resource template or a prompt.
    Texts(Texts<'a>),
}

/// What the value of a handler becomes the result of.
#[derive(Clone, Debug)]
pub(crate) enum Target {
    Tool,
    Resource(Arc<ReadTarget>),
    /// With its description.
    Prompt(Option<Arc<str>>),
    /// Of a method of an extension, or of a completer.
    Other,
}

/// The resource that is read.
#[derive(Debug)]
pub(crate) struct ReadTarget {
    /// Its address as its code knows it …
    pub(crate) uri: Box<str>,
    /// … and as the client does, where it is one of a mounted server.
    pub(crate) asked: Box<str>,
    pub(crate) mime_type: Option<Box<str>>,
    pub(crate) version: ProtocolVersion,
    /// How long it may be kept, and by whom, if the resource says so itself.
    pub(crate) cache: Option<(Duration, CacheScope)>,
}

/// Shared, since a mounted item is the same code under another name.
pub(crate) type Handler = Arc<dyn Fn(&mut Call<'_>) -> Outcome + Send + Sync>;

impl<'a> Call<'a> {
    pub(crate) fn new(input: Input<'a>, context: &'a Context, target: Target) -> Self {
        Self { input, context, refused: None, target }
    }

    pub(crate) fn arguments(&mut self) -> &mut Arguments<'a> {
        match &mut self.input {
            Input::Arguments(arguments) => arguments,
            Input::Whole(_) | Input::Texts(_) => unreachable!("parameters of a tool are declared by a tool"),
        }
    }

    /// All arguments of a tool, in one value.
    pub(crate) fn whole<T: DeserializeOwned>(&mut self) -> Option<T> {
        match &mut self.input {
            Input::Whole(whole) => whole.take(),
            Input::Arguments(_) | Input::Texts(_) => unreachable!("a tool that takes all at once has a whole schema"),
        }
    }

    pub(crate) fn texts(&mut self) -> &mut Texts<'a> {
        match &mut self.input {
            Input::Texts(texts) => texts,
            Input::Arguments(_) | Input::Whole(_) => {
                unreachable!("parameters of a resource are declared by a resource")
            }
        }
    }

    pub(crate) fn context(&self) -> &Context {
        self.context
    }

    pub(crate) fn extract<T: FromContext>(&mut self) -> Option<T> {
        match T::from_context(self.context) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused.get_or_insert(error.to_string());
                None
            }
        }
    }

    /// All faults of what the handler was called with, for the caller to do better. Unknown arguments are faults too,
    /// so that this is also what becomes of a call whose parameters are all there.
    #[must_use]
    pub fn refuse(&mut self) -> Outcome {
        let faults = match &self.input {
            Input::Arguments(arguments) => arguments.has_faults().then(|| arguments.fault_text()),
            Input::Whole(whole) => whole.has_faults().then(|| whole.fault_text()),
            Input::Texts(texts) => texts.has_faults().then(|| texts.fault_text()),
        };
        let text = faults.or_else(|| self.refused.clone()).unwrap_or_default();
        Outcome(Step::Ready(match self.target {
            // "input validation errors" are for the model (Tools, Error Handling).
            Target::Tool => Ok(ServerResult::CallTool(CallToolResult::from_error(text))),
            Target::Resource(_) | Target::Prompt(_) | Target::Other => Err(ErrorObject::invalid_params(text)),
        }))
    }

    fn is_faulty(&self) -> bool {
        let of_input = match &self.input {
            Input::Arguments(arguments) => arguments.has_faults(),
            Input::Whole(whole) => whole.has_faults(),
            Input::Texts(texts) => texts.has_faults(),
        };
        of_input || self.refused.is_some()
    }

    /// What becomes of the value of a handler that may run.
    fn begin(&self) -> Option<Target> {
        (!self.is_faulty()).then(|| self.target.clone())
    }

    /// Runs the handler. With faulty input it does not run, and the caller is told what is wrong.
    #[must_use]
    pub fn run<R: 'static, F: Future<Output = R> + Send + 'static>(
        &mut self,
        future: F,
        returns: Returns<R>,
    ) -> Outcome {
        let Some(target) = self.begin() else { return self.refuse() };
        Outcome(Step::Run(Box::pin(async move { returns.0(future.await, &target) })))
    }

    /// Runs the handler on a thread that may be held. With faulty input it does not run.
    #[must_use]
    pub fn run_blocking<R: Send + 'static>(
        &mut self,
        function: impl FnOnce() -> R + Send + 'static,
        returns: Returns<R>,
    ) -> Outcome {
        let Some(target) = self.begin() else { return self.refuse() };
        let function = log::on_thread(self.context, function);
        Outcome(Step::Run(Box::pin(async move {
            let task = AbortOnDrop(tokio::task::spawn_blocking(function));
            returns.0(task.await, &target)
        })))
    }
}

/// What a handler made of a call: a result, or a future that gives one.
#[derive(Debug)]
pub struct Outcome(pub(crate) Step);

pub(crate) enum Step {
    Ready(Finished),
    Run(Running),
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ready(_) => "Ready",
            Self::Run(_) => "Run",
        })
    }
}

/// How the value that a handler returns becomes the result of the call.
pub struct Returns<R>(pub(crate) fn(R, &Target) -> Finished);

impl<R> Clone for Returns<R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Returns<R> {}

impl<R> fmt::Debug for Returns<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Returns")
    }
}

/// A value that a handler takes from its server: one that is missing shows before the first call.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
}

/// Runs a function on a thread that may be held.
pub(crate) async fn on_thread<R: Send + 'static>(function: impl FnOnce() -> R + Send + 'static) -> R {
    AbortOnDrop(tokio::task::spawn_blocking(function)).await
}

/// A blocking task that is not begun any more once nobody waits for it; one that runs can't be stopped.
struct AbortOnDrop<R>(tokio::task::JoinHandle<R>);

impl<R> Future for AbortOnDrop<R> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<R> {
        Pin::new(&mut self.0).poll(cx).map(|joined| match joined {
            Ok(value) => value,
            // The panic goes on in the call's own task, which knows what to do with it.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => panic!("the runtime is shutting down: {error}"),
            },
        })
    }
}

impl<R> Drop for AbortOnDrop<R> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
