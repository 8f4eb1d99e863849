//! What can stand among the parameters of a tool: arguments, which the client sends, and extractors, which come from
//! the call itself.
//!
//! Which of the two a type is, its traits decide, never its name: an alias of [`Context`] is a context.

use std::fmt;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::is_optional;
use super::context::Context;
use super::result::ToolError;
use super::tool::{Call, ToolBuilder};

/// A type that a parameter of a tool can have.
///
/// It is implemented for every type that serde can read and schemars can describe, and for every [`FromContext`]. `M`
/// is for the compiler alone: it keeps the two apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a tool",
    label = "not a parameter of a tool",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1) for it, and own what it holds: `String`, not `&str`"
)]
pub trait Parameter<M>: Sized {
    /// Describes it in the schema of the arguments, if it is one of them.
    #[doc(hidden)]
    fn describe(tool: &mut ToolBuilder, described: Described<Self>) -> Param<Self>;
}

/// The marker of arguments.
#[doc(hidden)]
#[derive(Debug)]
pub enum Argument {}

/// The marker of extractors.
#[doc(hidden)]
#[derive(Debug)]
pub enum Extractor {}

/// What comes from the call and not from its arguments, such as [`Context`].
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::FromContext;
///
/// /// Who calls, in one word.
/// struct Caller(String);
///
/// impl FromContext for Caller {
///     fn from_context(context: &Context) -> Result<Self, ToolError> {
///         Ok(Self(context.client_info().map_or("somebody".into(), |client| client.name)))
///     }
/// }
///
/// /// Greet whoever calls.
/// #[tool]
/// async fn greet(caller: Caller) -> String {
///     format!("Hello, {}", caller.0)
/// }
/// ```
pub trait FromContext: Sized {
    /// # Errors
    ///
    /// What the model is told instead of running the tool.
    fn from_context(context: &Context) -> Result<Self, ToolError>;
}

/// What the author wrote about a parameter.
#[doc(hidden)]
#[derive(Debug)]
pub struct Described<T> {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) default: Option<fn() -> T>,
    /// The default as JSON, where it can be shown.
    pub(crate) default_json: Option<&'static str>,
}

/// How a call gets the value of one parameter: what [`ToolBuilder::parameter`] gives.
pub struct Param<T> {
    index: usize,
    default: Option<fn() -> T>,
    take: Take<T>,
}

type Take<T> = fn(&mut Call<'_>, usize, Option<fn() -> T>) -> Option<T>;

impl<T> Param<T> {
    /// The value; without one, what is wrong stands in the call.
    pub fn take(self, call: &mut Call<'_>) -> Option<T> {
        (self.take)(call, self.index, self.default)
    }
}

impl<T> Clone for Param<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Param<T> {}

impl<T> fmt::Debug for Param<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Param").field("index", &self.index).finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Parameter<Argument> for T {
    fn describe(tool: &mut ToolBuilder, described: Described<Self>) -> Param<Self> {
        let Described { name, description, default, default_json } = described;
        let optional = default.is_some() || is_optional::<T>();
        let index = tool.argument::<T>(name, description, optional, default_json);
        Param { index, default, take: |call, index, default| call.arguments.take(index, default) }
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> Parameter<Extractor> for T {
    fn describe(_: &mut ToolBuilder, _: Described<Self>) -> Param<Self> {
        Param { index: 0, default: None, take: |call, _, _| call.extract() }
    }
}
