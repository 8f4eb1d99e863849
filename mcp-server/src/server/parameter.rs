//! What can stand among the parameters of a tool, a resource or a prompt: arguments, which the client sends, and
//! extractors, which come from the call itself.
//!
//! Which of the two a type is, its traits decide, never its name: an alias of [`Context`] is a context.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::arguments::is_optional;
use super::context::Context;
use super::handler::{Call, Need};
use super::result::ToolError;
use super::texts::can_be_text;
use super::tool::ToolBuilder;

/// A type that a parameter of a tool can have.
///
/// It is implemented for every type that serde can read and schemars can describe, and for every [`FromContext`]. `M`
/// is for the compiler alone: it keeps the two apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a tool",
    label = "not a parameter of a tool",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1) for it, and own what it holds: `String`, not `&str`",
    note = "a value that calls share is taken as `State<…>`, and given to the server by `.state(…)`",
    note = "what comes from the call, such as `Context`, stands by itself: without `Option`, `Json` or `Arc` around it"
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
#[diagnostic::on_unimplemented(
    message = "this parameter is no variable of the address, and `{Self}` does not come from the call",
    label = "neither a variable of the address nor something that comes from the call",
    note = "a parameter of a resource has the name of a variable, such as `id` of `shop://orders/{{id}}`",
    note = "or it comes from the call: `Context`, `State<…>`, or a type of your own that is `FromContext`"
)]
pub trait FromContext: Sized {
    /// # Errors
    ///
    /// What the caller is told instead of running the handler.
    fn from_context(context: &Context) -> Result<Self, ToolError>;

    /// What it takes from the server, which must be there before the first call.
    #[doc(hidden)]
    fn need() -> Option<Need> {
        None
    }
}

/// A type of argument, of which a tool can say more: that it is [flattened](ToolBuilder::flatten),
/// [limited](ToolBuilder::limit) or repeated in a [header](ToolBuilder::header).
///
/// It is implemented for every type that serde can read and schemars can describe.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument of the tool",
    label = "no argument",
    note = "what the client sends as an argument is flattened, limited or repeated in a header, and not what comes from the call",
    note = "derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1) for a type of your own"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> ToolArgument for T {}

/// A type that two parameters of a tool can have: that of an argument.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a tool can't take `{Self}` twice",
    label = "taken before",
    note = "what comes from the call is the same each time: take it once",
    note = "for arguments derive `serde::Deserialize` and `schemars::JsonSchema` (schemars 1)"
)]
pub trait Repeatable: DeserializeOwned + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Repeatable for T {}

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

/// A type that a parameter of a prompt can have, or one for a variable of a resource's address.
///
/// It is implemented for every type that serde can read from a text, such as numbers, texts and enums without data, and
/// for every [`FromContext`]. `M` is for the compiler alone: it keeps the two apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be a parameter of a prompt or a resource",
    label = "not a parameter of a prompt or a resource",
    note = "derive `serde::Deserialize` for it, and own what it holds: `String`, not `&str`",
    note = "a value that calls share is taken as `State<…>`, and given to the server by `.state(…)`"
)]
pub trait TextParameter<M>: Sized {
    /// Describes it among the parameters, if its value comes as a text.
    #[doc(hidden)]
    fn describe(
        parameters: &mut TextParameters,
        name: &'static str,
        description: &'static str,
        default: Option<fn() -> Self>,
    ) -> Param<Self>;
}

/// The parameters of a prompt or a resource.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct TextParameters {
    pub(crate) variables: Vec<Variable>,
    /// What is wrong with one of them.
    pub(crate) fault: Option<String>,
    pub(crate) needs: Vec<Need>,
}

/// One parameter that is read from a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Variable {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) required: bool,
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned> TextParameter<Argument> for T {
    fn describe(
        parameters: &mut TextParameters,
        name: &'static str,
        description: &'static str,
        default: Option<fn() -> T>,
    ) -> Param<T> {
        let required = default.is_none() && !is_optional::<T>();
        if !can_be_text::<T>() {
            parameters.fault.get_or_insert_with(|| {
                format!("has a parameter `{name}` that can't be a text: take words, a number, a `bool` or an enum without data")
            });
        }
        parameters.variables.push(Variable { name, description, required });
        Param {
            place: Place::Name(name),
            default,
            take: |call, place, default| call.texts().take(place.name(), default),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> TextParameter<Extractor> for T {
    fn describe(parameters: &mut TextParameters, _: &'static str, _: &'static str, _: Option<fn() -> T>) -> Param<T> {
        parameters.needs.extend(T::need());
        Param { place: Place::Name(""), default: None, take: |call, _, _| call.extract() }
    }
}

/// How a call gets the value of one parameter: what [`ToolBuilder::parameter`], [`PromptBuilder::parameter`] and
/// [`ResourceBuilder::variable`] give.
///
/// [`PromptBuilder::parameter`]: crate::PromptBuilder::parameter
/// [`ResourceBuilder::variable`]: crate::ResourceBuilder::variable
pub struct Param<T> {
    place: Place,
    default: Option<fn() -> T>,
    take: Take<T>,
}

type Take<T> = fn(&mut Call<'_>, Place, Option<fn() -> T>) -> Option<T>;

/// Where the value of a parameter stands.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Among the properties of a schema.
    Index(usize),
    /// Several of them, which are the fields of one value.
    Fields { first: usize, count: usize },
    /// Among texts that have names.
    Name(&'static str),
}

impl Place {
    fn index(self) -> usize {
        match self {
            Self::Index(index) => index,
            Self::Fields { .. } | Self::Name(_) => 0,
        }
    }

    fn fields(self) -> Range<usize> {
        match self {
            Self::Fields { first, count } => first..first + count,
            Self::Index(_) | Self::Name(_) => 0..0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Name(name) => name,
            Self::Index(_) | Self::Fields { .. } => "",
        }
    }
}

impl<T> Param<T> {
    /// One whose value is read from these properties of a tool.
    pub(crate) fn of_fields(fields: Range<usize>) -> Self
    where
        T: DeserializeOwned,
    {
        Self {
            place: Place::Fields { first: fields.start, count: fields.len() },
            default: None,
            take: |call, place, _| call.arguments().take_fields(place.fields()),
        }
    }

    /// Where it stands among the properties of a tool, if it is one of them.
    pub(crate) fn index(&self) -> Option<usize> {
        match self.place {
            Place::Index(index) => Some(index),
            Place::Fields { .. } | Place::Name(_) => None,
        }
    }

    /// The value; without one, what is wrong stands in the call.
    pub fn take(self, call: &mut Call<'_>) -> Option<T> {
        (self.take)(call, self.place, self.default)
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
        f.debug_struct("Param").field("place", &self.place).finish_non_exhaustive()
    }
}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema> Parameter<Argument> for T {
    fn describe(tool: &mut ToolBuilder, described: Described<Self>) -> Param<Self> {
        let Described { name, description, default, default_json } = described;
        let optional = default.is_some() || is_optional::<T>();
        let index = tool.argument::<T>(name, description, optional, default_json);
        Param {
            place: Place::Index(index),
            default,
            take: |call, place, default| call.arguments().take(place.index(), default),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: FromContext> Parameter<Extractor> for T {
    fn describe(tool: &mut ToolBuilder, _: Described<Self>) -> Param<Self> {
        tool.needs(T::need());
        Param { place: Place::Index(0), default: None, take: |call, _, _| call.extract() }
    }
}
