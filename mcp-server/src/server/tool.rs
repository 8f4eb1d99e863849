//! One tool: what a client may know about it, and the code that runs.
//!
//! `#[tool]` writes down what [`ToolBuilder`] is told here; all that it does can be done by hand as well.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use schemars::JsonSchema;

use super::arguments::Arguments;
use super::context::Context;
use super::parameter::{Described, FromContext, Param, Parameter};
use super::result::IntoCallToolResult;
use crate::protocol::{CallToolResult, Icon, ToolAnnotations};
use crate::schema::{InputSchema, InputSchemaBuilder, faults_of_output};

/// A tool, ready to be given to a [`Server`](crate::Server).
///
/// Functions with `#[tool]` become one by themselves. By hand it goes like this:
///
/// ```
/// use mcp_server::{Server, Tool};
///
/// let mut tool = Tool::builder("shout");
/// tool.description("Say it in capitals.").read_only(true);
/// let text = tool.parameter::<String, _>("text", "What to say.");
/// let result = tool.returns::<String>();
/// let shout = tool.handler(move |call| match text.take(call) {
///     Some(text) => call.run(async move { text.to_uppercase() }, result),
///     None => call.refuse(),
/// });
/// let server = Server::new("megaphone").tool(shout);
/// ```
#[derive(Clone)]
pub struct Tool(pub(crate) Arc<ToolParts>);

pub(crate) struct ToolParts {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) description: Option<Cow<'static, str>>,
    pub(crate) annotations: ToolAnnotations,
    pub(crate) icons: Vec<Icon>,
    pub(crate) input_schema: InputSchema,
    pub(crate) output_schema: Option<Box<str>>,
    /// Revisions before 2026-07-28 know no other structured results than objects.
    pub(crate) output_is_object: bool,
    pub(crate) timeout: Option<Duration>,
    /// Where the author wrote it.
    pub(crate) location: &'static Location<'static>,
    /// How many tries in a row have taken long, see [`ToolParts::is_slow`].
    slow: AtomicU8,
    handler: Handler,
}

type Handler = Box<dyn Fn(&mut Call<'_>) -> Outcome + Send + Sync>;

/// A call that runs: gives its result, or is dropped when nobody waits for it any more.
pub(crate) type Running = Pin<Box<dyn Future<Output = CallToolResult> + Send>>;

impl Tool {
    /// Starts to describe a tool; its name is 1 to 128 characters of `A-Z a-z 0-9 _ - .`.
    #[track_caller]
    pub fn builder(name: impl Into<Cow<'static, str>>) -> ToolBuilder {
        ToolBuilder {
            name: name.into(),
            title: None,
            description: None,
            annotations: ToolAnnotations::default(),
            icons: Vec::new(),
            schema: InputSchema::builder(),
            arguments: 0,
            output_schema: None,
            timeout: None,
            location: Location::caller(),
        }
    }

    /// The name that it is called by.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Reads the arguments and starts the call, or says what is wrong with them.
    pub(crate) fn call(&self, arguments: Option<&str>, context: &Context) -> Outcome {
        let arguments = Arguments::read(arguments, &self.0.input_schema);
        let mut call = Call { arguments, context, refused: None };
        (self.0.handler)(&mut call)
    }
}

impl ToolParts {
    /// Whether it takes so long at its first poll that it is not to be tried where the connection is read. Once may be
    /// an accident of the machine.
    pub(crate) fn is_slow(&self) -> bool {
        self.slow.load(Ordering::Relaxed) >= 2
    }

    /// Notes how a try went.
    pub(crate) fn tried(&self, slow: bool) {
        if slow {
            self.slow.fetch_add(1, Ordering::Relaxed);
        } else if self.slow.load(Ordering::Relaxed) > 0 {
            self.slow.store(0, Ordering::Relaxed);
        }
    }

    /// "Servers MUST provide structured results that conform to this schema" (Tools, Output Schema).
    ///
    /// The type has made both, so that they agree, but for one case: a float that is no number is written as `null`.
    pub(crate) fn checked(&self, result: CallToolResult) -> CallToolResult {
        let Some((value, schema)) = result.structured_content.as_deref().zip(self.output_schema.as_deref()) else {
            return result;
        };
        if memchr::memmem::find(value.get().as_bytes(), b"null").is_none() {
            return result;
        }
        let faults = faults_of_output(schema, value.get());
        if faults.is_empty() {
            return result;
        }
        CallToolResult::from_error(format!("the result does not keep the tool's output schema:\n{faults}"))
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool").field("name", &self.0.name).finish_non_exhaustive()
    }
}

/// Describes a tool; see [`Tool`] for an example.
pub struct ToolBuilder {
    name: Cow<'static, str>,
    title: Option<Cow<'static, str>>,
    description: Option<Cow<'static, str>>,
    annotations: ToolAnnotations,
    icons: Vec<Icon>,
    schema: InputSchemaBuilder,
    arguments: usize,
    output_schema: Option<Box<str>>,
    timeout: Option<Duration>,
    location: &'static Location<'static>,
}

impl ToolBuilder {
    /// The name that people read.
    pub fn title(&mut self, title: impl Into<Cow<'static, str>>) -> &mut Self {
        self.title = Some(title.into());
        self
    }

    /// What the tool does, for the model.
    pub fn description(&mut self, description: impl Into<Cow<'static, str>>) -> &mut Self {
        let description = description.into();
        // A text from a file ends with a line end.
        self.description = Some(match description.trim_end() {
            trimmed if trimmed.len() == description.len() => description,
            trimmed => Cow::Owned(trimmed.to_owned()),
        });
        self
    }

    /// Hints that the tool changes nothing.
    pub fn read_only(&mut self, hint: bool) -> &mut Self {
        self.annotations.read_only_hint = Some(hint);
        self
    }

    /// Hints that the tool may destroy something.
    pub fn destructive(&mut self, hint: bool) -> &mut Self {
        self.annotations.destructive_hint = Some(hint);
        self
    }

    /// Hints that calling the tool again with the same arguments changes nothing more.
    pub fn idempotent(&mut self, hint: bool) -> &mut Self {
        self.annotations.idempotent_hint = Some(hint);
        self
    }

    /// Hints that the tool reaches into a world that the server does not own.
    pub fn open_world(&mut self, hint: bool) -> &mut Self {
        self.annotations.open_world_hint = Some(hint);
        self
    }

    /// A picture of the tool.
    pub fn icon(&mut self, icon: Icon) -> &mut Self {
        self.icons.push(icon);
        self
    }

    /// After so long the call is given up and the model is told so. Without it a call may take as long as it likes.
    pub fn timeout(&mut self, timeout: Duration) -> &mut Self {
        self.timeout = Some(timeout);
        self
    }

    /// Adds a parameter. It is an argument that must be given, unless `T` is an `Option`, or no argument at all, such
    /// as a [`Context`]. An empty description is none.
    pub fn parameter<T: Parameter<M>, M>(&mut self, name: &'static str, description: &'static str) -> Param<T> {
        T::describe(self, Described { name, description, default: None, default_json: None })
    }

    /// Adds an argument that may be left out. `json` is the default as the schema shows it.
    pub fn parameter_or<T: Parameter<M>, M>(
        &mut self,
        name: &'static str,
        description: &'static str,
        default: fn() -> T,
        json: Option<&'static str>,
    ) -> Param<T> {
        T::describe(self, Described { name, description, default: Some(default), default_json: json })
    }

    /// Adds an argument to the schema, and gives its place there.
    pub(crate) fn argument<T: JsonSchema>(
        &mut self,
        name: &str,
        description: &str,
        optional: bool,
        default: Option<&str>,
    ) -> usize {
        self.schema.property::<T>(name, description, optional, default);
        self.arguments += 1;
        self.arguments - 1
    }

    /// Says what the tool returns.
    pub fn returns<R: IntoCallToolResult>(&mut self) -> Returns<R> {
        self.output_schema = R::output_schema();
        Returns(R::into_call_tool_result)
    }

    /// Ends the description with the code that runs for each call.
    pub fn handler(self, handler: impl Fn(&mut Call<'_>) -> Outcome + Send + Sync + 'static) -> Tool {
        Tool(Arc::new(ToolParts {
            name: self.name,
            title: self.title,
            description: self.description,
            annotations: self.annotations,
            icons: self.icons,
            input_schema: self.schema.finish(),
            output_is_object: self.output_schema.as_deref().is_some_and(is_object),
            output_schema: self.output_schema,
            timeout: self.timeout,
            location: self.location,
            slow: AtomicU8::new(0),
            handler: Box::new(handler),
        }))
    }
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whether a schema is one of objects.
fn is_object(schema: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(schema).is_ok_and(|schema| schema["type"] == "object")
}

/// How the value that a tool returns becomes the result of the call.
pub struct Returns<R>(fn(R) -> CallToolResult);

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

/// One call of a tool, before it runs: its arguments, still to be read.
#[derive(Debug)]
pub struct Call<'a> {
    pub(crate) arguments: Arguments<'a>,
    context: &'a Context,
    refused: Option<String>,
}

impl Call<'_> {
    pub(crate) fn extract<T: FromContext>(&mut self) -> Option<T> {
        match T::from_context(self.context) {
            Ok(value) => Some(value),
            Err(error) => {
                self.refused.get_or_insert(error.to_string());
                None
            }
        }
    }

    /// All faults of the arguments, for the model to do better. Unknown arguments are faults too, so that this is
    /// also what becomes of a call whose parameters are all there.
    #[must_use]
    pub fn refuse(&mut self) -> Outcome {
        let text = match &self.refused {
            Some(text) if !self.arguments.has_faults() => text.clone(),
            _ => self.arguments.fault_text(),
        };
        Outcome(Step::Ready(CallToolResult::from_error(text)))
    }

    fn is_faulty(&self) -> bool {
        self.arguments.has_faults() || self.refused.is_some()
    }

    /// Runs the tool. With faulty arguments it does not run, and the model is told what is wrong.
    #[must_use]
    pub fn run<R: 'static, F: Future<Output = R> + Send + 'static>(
        &mut self,
        future: F,
        returns: Returns<R>,
    ) -> Outcome {
        if self.is_faulty() {
            return self.refuse();
        }
        Outcome(Step::Run(Box::pin(async move { returns.0(future.await) })))
    }

    /// Runs the tool on a thread that may be held. With faulty arguments it does not run.
    #[must_use]
    pub fn run_blocking<R: Send + 'static>(
        &mut self,
        function: impl FnOnce() -> R + Send + 'static,
        returns: Returns<R>,
    ) -> Outcome {
        if self.is_faulty() {
            return self.refuse();
        }
        Outcome(Step::Run(Box::pin(async move {
            let task = AbortOnDrop(tokio::task::spawn_blocking(function));
            returns.0(task.await)
        })))
    }
}

/// What a handler made of a call: a result, or a future that gives one.
#[derive(Debug)]
pub struct Outcome(pub(crate) Step);

pub(crate) enum Step {
    Ready(CallToolResult),
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

/// The future of a function with `#[tool]`: an ordinary future that also knows the tool it belongs to.
#[must_use = "futures do nothing unless you `.await` or poll them"]
pub trait ToolFuture: Future {
    /// The tool that the function is.
    #[doc(hidden)]
    type Handler: ToolHandler;
}

/// Describes the tool that a function is: written by `#[tool]`.
#[doc(hidden)]
pub trait ToolHandler {
    /// The tool.
    fn tool() -> Tool;
}

/// A type with tools, as [`Server::with`](crate::Server::with) takes it: `#[server]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tools",
    label = "not a type with `#[server]`",
    note = "put `#[server]` on an `impl` block of the type, and `#[tool]` on its methods",
    note = "a function with `#[tool]` is added by `.tool(…)`, and a value as it is: `.with(shop)`, without an `Arc`"
)]
pub trait ToolSet: Send + Sync + Sized + 'static {
    /// The tools, in the order of the methods.
    #[doc(hidden)]
    fn tools(self: Arc<Self>) -> Vec<Tool>;
}

pin_project_lite::pin_project! {
    /// A future with the tool that it belongs to.
    #[doc(hidden)]
    #[derive(Debug)]
    pub struct Tagged<H, F> {
        #[pin]
        future: F,
        handler: PhantomData<fn() -> H>,
    }
}

/// Adds its tool to the future of a function.
#[doc(hidden)]
pub fn tagged<H: ToolHandler, F: Future>(future: F) -> Tagged<H, F> {
    Tagged { future, handler: PhantomData }
}

impl<H, F: Future> Future for Tagged<H, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

impl<H: ToolHandler, F: Future> ToolFuture for Tagged<H, F> {
    type Handler = H;
}

/// What [`Server::tool`](crate::Server::tool) takes: the name of an `async fn` with `#[tool]`, `name {}` for a plain
/// `fn` with it, or a [`Tool`] made by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    label = "no tool",
    note = "an `async fn` with `#[tool]` is added as `.tool(name)`, a plain `fn` with `#[tool]` as `.tool(name {{}})`",
    note = "a value whose type has `#[server]` is added by `.with(…)`"
)]
pub trait IntoTool<M> {
    /// The tool.
    fn into_tool(self) -> Tool;
}

impl IntoTool<()> for Tool {
    fn into_tool(self) -> Tool {
        self
    }
}

/// The marker of plain functions.
#[doc(hidden)]
#[derive(Debug)]
pub enum Plain {}

#[diagnostic::do_not_recommend]
impl<H: ToolHandler> IntoTool<Plain> for H {
    fn into_tool(self) -> Tool {
        H::tool()
    }
}

macro_rules! functions {
    ($($parameter:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<F, R, $($parameter),*> IntoTool<fn($($parameter),*)> for F
        where
            F: Fn($($parameter),*) -> R,
            R: ToolFuture,
        {
            fn into_tool(self) -> Tool {
                R::Handler::tool()
            }
        }
    };
}

functions!();
functions!(A);
functions!(A B);
functions!(A B C);
functions!(A B C D);
functions!(A B C D E);
functions!(A B C D E G);
functions!(A B C D E G H);
functions!(A B C D E G H I);
functions!(A B C D E G H I J);
functions!(A B C D E G H I J K);
functions!(A B C D E G H I J K L);
functions!(A B C D E G H I J K L M);
functions!(A B C D E G H I J K L M N);
functions!(A B C D E G H I J K L M N O);
functions!(A B C D E G H I J K L M N O P);
functions!(A B C D E G H I J K L M N O P Q);
