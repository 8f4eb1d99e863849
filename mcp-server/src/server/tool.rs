//! One tool: what a client may know about it, and the code that runs.
//!
//! `#[tool]` writes down what [`ToolBuilder`] is told here; all that it does can be done by hand as well.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::apps;
use super::arguments::{Arguments, Whole, is_optional};
use super::attached::attached;
use super::context::Context;
use super::handler::{Call, Handler, Input, Need, Outcome, Returns, Step, Target};
use super::outcome::ServerResult;
use super::parameter::{Described, Param, Parameter, Repeatable, ToolArgument};
use super::principal::Principal;
use super::result::IntoCallToolResult;
use super::state::Scope;
use super::tools::has_structure;
use crate::protocol::{CallToolResult, Icon, ProtocolVersion, ToolAnnotations};
use crate::schema::{
    Fault, GivenSchema, InputSchema, InputSchemaBuilder, MirroredParam, arguments_schema, faults_of_output, mirrored,
};

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
///
/// A tool that is known only when the program runs takes all arguments at once: [`ToolBuilder::call`].
#[derive(Clone)]
pub struct Tool(pub(crate) Arc<ToolParts>);

#[derive(Clone)]
pub(crate) struct ToolParts {
    pub(crate) name: Cow<'static, str>,
    pub(crate) title: Option<Cow<'static, str>>,
    pub(crate) description: Option<Cow<'static, str>>,
    pub(crate) annotations: ToolAnnotations,
    pub(crate) icons: Vec<Icon>,
    pub(crate) input: Arc<Accepts>,
    pub(crate) output_schema: Option<Arc<str>>,
    /// The same, if it was given as JSON: then every result is held against it.
    output_given: Option<Arc<GivenSchema>>,
    /// Revisions before 2026-07-28 know no other structured results than objects.
    pub(crate) output_is_object: bool,
    /// The arguments that HTTP repeats in headers.
    pub(crate) headers: Arc<[MirroredParam]>,
    /// What a caller must be allowed, where callers are known.
    pub(crate) scopes: Arc<[Cow<'static, str>]>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) meta: Option<Map<String, Value>>,
    /// Where the author wrote it.
    pub(crate) location: &'static Location<'static>,
    pub(crate) pace: Arc<Pace>,
    /// What its handler takes from the server.
    pub(crate) needs: Vec<Need>,
    /// The server that it was mounted with.
    pub(crate) scope: Option<Arc<Scope>>,
    /// Why it can't be offered.
    pub(crate) fault: Option<String>,
    handler: Handler,
}

/// What a tool takes.
#[derive(Debug)]
pub(crate) enum Accepts {
    /// Parameters, each read into its own type.
    Parameters(InputSchema),
    /// An object that a schema describes as a whole.
    Whole(GivenSchema),
}

impl Accepts {
    /// The schema, as it stands in the list.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Parameters(schema) => schema.text(),
            Self::Whole(schema) => schema.text(),
        }
    }
}

/// How quick the first poll of a tool is.
#[derive(Debug, Default)]
pub(crate) struct Pace(
    /// How many tries in a row have taken long.
    AtomicU8,
);

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
            given: None,
            output_schema: None,
            output_given: None,
            fault: None,
            scopes: Vec::new(),
            timeout: None,
            meta: None,
            needs: Vec::new(),
            location: Location::caller(),
        }
    }

    /// The name that it is called by.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether somebody has all scopes that it asks for.
    pub(crate) fn is_open_to(&self, principal: &Principal) -> bool {
        self.0.scopes.iter().all(|scope| principal.has_scope(scope))
    }

    /// The same as an item of the server that it is mounted in.
    pub(crate) fn within(&self, scope: &Arc<Scope>) -> Self {
        let mut parts = (*self.0).clone();
        parts.name = format!("{}_{}", scope.prefix, parts.name).into();
        if let Some(view) = apps::view_of(&parts).and_then(|uri| scope.outer_uri_of(uri)) {
            apps::set_view(&mut parts, view);
        }
        parts.scope = Some(parts.scope.map_or_else(|| Arc::clone(scope), |inner| inner.within(scope)));
        Self(Arc::new(parts))
    }

    /// Reads the arguments and starts the call, or says what is wrong with them.
    pub(crate) fn call(&self, arguments: Option<&str>, context: &Context) -> Step {
        let input = match &*self.0.input {
            Accepts::Parameters(schema) => Input::Arguments(Arguments::read(arguments, schema)),
            Accepts::Whole(schema) => Input::Whole(Whole::read(arguments, schema)),
        };
        let mut call = Call::new(input, context, Target::Tool);
        (self.0.handler)(&mut call).0
    }
}

impl Pace {
    /// Whether it takes so long at its first poll that it is not to be tried where the connection is read. Once may be
    /// an accident of the machine.
    pub(crate) fn is_slow(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 2
    }

    /// Notes how a try went.
    pub(crate) fn tried(&self, slow: bool) {
        if slow {
            self.0.fetch_add(1, Ordering::Relaxed);
        } else if self.0.load(Ordering::Relaxed) > 0 {
            self.0.store(0, Ordering::Relaxed);
        }
    }
}

impl ToolParts {
    /// "Servers MUST provide structured results that conform to this schema" (Tools, Output Schema).
    ///
    /// Where a type has made both they agree, but for one case: a float that is no number is written as `null`. A schema
    /// that was given as JSON is held against every result.
    pub(crate) fn check(&self, result: &mut CallToolResult, version: ProtocolVersion) {
        // A tool of which no schema is shown shows no structure either, so that the two agree.
        if self.output_schema.is_some() && !has_structure(version, self.output_is_object) {
            result.structured_content = None;
        }
        let Some(value) = result.structured_content.as_deref() else {
            let owes = self.output_given.is_some() && !result.is_error;
            if owes && has_structure(version, self.output_is_object) {
                let text = "the result is not structured, as the tool's output schema promises";
                *result = CallToolResult::from_error(text);
            }
            return;
        };
        let faults = if let Some(schema) = self.output_given.as_deref().filter(|_| !result.is_error) {
            let mut value: Value = serde_json::from_str(value.get()).unwrap_or_default();
            schema.check(&mut value, "result").iter().map(Fault::to_string).collect::<Vec<_>>().join("\n")
        } else if let Some(schema) = self.output_schema.as_deref()
            && memchr::memmem::find(value.get().as_bytes(), b"null").is_some()
        {
            faults_of_output(schema, value.get())
        } else {
            return;
        };
        if !faults.is_empty() {
            *result =
                CallToolResult::from_error(format!("the result does not keep the tool's output schema:\n{faults}"));
        }
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
    /// The schema of all arguments at once, where there is one.
    given: Option<GivenSchema>,
    output_schema: Option<Box<str>>,
    output_given: Option<GivenSchema>,
    fault: Option<String>,
    scopes: Vec<Cow<'static, str>>,
    timeout: Option<Duration>,
    meta: Option<Map<String, Value>>,
    needs: Vec<Need>,
    location: &'static Location<'static>,
}

impl ToolBuilder {
    /// The name that people read.
    pub fn title(&mut self, title: impl Into<Cow<'static, str>>) -> &mut Self {
        self.title = Some(title.into());
        self
    }

    /// What the tool does, for the model. An empty text is none.
    pub fn description(&mut self, description: impl Into<Cow<'static, str>>) -> &mut Self {
        self.description = described(description.into());
        self
    }

    /// Where `#[tool]` finds no description: the compiler warns of what is deprecated.
    #[doc(hidden)]
    #[deprecated(
        note = "a model chooses a tool by its description: write `/// …` above it, or `description = \"\"` if it needs none"
    )]
    pub fn without_description(&mut self) {}

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

    /// After so long the call is given up and the model is told so. Without it a call may take as long as it likes. What
    /// the user of an older client takes to answer a question counts; a stateless call ends with its question.
    pub fn timeout(&mut self, timeout: Duration) -> &mut Self {
        self.timeout = Some(timeout);
        self
    }

    /// What a caller must be allowed to call the tool, beside what was named before: it needs all of these scopes.
    ///
    /// They are asked for where it is known for whom a request speaks: over HTTP with authorization. There a call
    /// without them is refused, and lists leave the tool out for whoever can't call it. A client in memory or on
    /// standard input and output is whoever has started the server, so there nothing is asked.
    ///
    /// ```
    /// use mcp_server::Tool;
    ///
    /// let mut tool = Tool::builder("refund");
    /// tool.scopes(["orders:read", "orders:write"]);
    /// ```
    ///
    /// Specification: [Scopes](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization).
    pub fn scopes<S: Into<Cow<'static, str>>>(&mut self, scopes: impl IntoIterator<Item = S>) -> &mut Self {
        for scope in scopes.into_iter().map(Into::into) {
            if let Some(fault) = Principal::fault_of_scope(&scope) {
                let scope = crate::schema::describe(&(*scope).into());
                self.bad(format!("asks for the scope {}: {fault}", scope.trim_start_matches("the string ")));
            }
            if !self.scopes.contains(&scope) {
                self.scopes.push(scope);
            }
        }
        self
    }

    /// Data for programs: the `_meta` of the tool in the list, added to what is there.
    ///
    /// # Panics
    ///
    /// When `meta` is no JSON object.
    #[track_caller]
    pub fn meta(&mut self, meta: Value) -> &mut Self {
        add_meta(&mut self.meta, meta);
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

    /// Adds a parameter of a type that another parameter has, too.
    #[doc(hidden)]
    pub fn another<T: Parameter<M> + Repeatable, M>(
        &mut self,
        name: &'static str,
        description: &'static str,
    ) -> Param<T> {
        self.parameter::<T, M>(name, description)
    }

    /// Adds the fields of a struct, each as an argument of its own: what several tools take alike is written once.
    ///
    /// The doc comments of the fields are the descriptions, and a field that serde may miss can be left out. A type that
    /// is no struct, or takes fields of any name, is told when the tool is added to its server.
    ///
    /// ```
    /// use mcp_server::{Server, Tool};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Page {
    ///     /// How many to leave out.
    ///     #[serde(default)]
    ///     skip: usize,
    ///     /// How many at most.
    ///     limit: Option<usize>,
    /// }
    ///
    /// let mut tool = Tool::builder("orders");
    /// let customer = tool.parameter::<String, _>("customer", "Whose orders.");
    /// let page = tool.flatten::<Page>();
    /// let result = tool.returns::<String>();
    /// let orders = tool.handler(move |call| {
    ///     let (customer, page) = (customer.take(call), page.take(call));
    ///     let (Some(customer), Some(page)) = (customer, page) else { return call.refuse() };
    ///     call.run(async move { format!("{customer} has no orders after {}", page.skip) }, result)
    /// });
    /// let server = Server::new("shop").tool(orders);
    /// ```
    pub fn flatten<T: ToolArgument>(&mut self) -> Param<T> {
        let fields = match is_optional::<T>() {
            true => Err("flattens an `Option`: take the struct itself, and make its fields optional".to_owned()),
            false => self.schema.fields::<T>(),
        };
        let fields = fields.unwrap_or_else(|fault| {
            self.bad(fault);
            0..0
        });
        self.arguments += fields.len();
        Param::of_fields(fields)
    }

    /// Limits an argument by a keyword of JSON Schema: `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and
    /// `multipleOf` for numbers, `minLength`, `maxLength` and `pattern` for texts, `minItems`, `maxItems` and
    /// `uniqueItems` for lists. Clients see it in the schema, and what does not keep it never reaches the code.
    ///
    /// A limit that is no good for its argument is told when the tool is added to its server.
    ///
    /// ```
    /// use mcp_server::{Server, Tool};
    ///
    /// let mut tool = Tool::builder("roll");
    /// let dice = tool.parameter::<u32, _>("dice", "How many dice.");
    /// tool.limit(dice, "minimum", 1).limit(dice, "maximum", 10);
    /// let result = tool.returns::<u32>();
    /// let roll = tool.handler(move |call| match dice.take(call) {
    ///     Some(dice) => call.run(async move { dice * 4 }, result),
    ///     None => call.refuse(),
    /// });
    /// let server = Server::new("table").tool(roll);
    /// ```
    ///
    /// In a struct the limits are schemars' own, such as `#[schemars(range(min = 1))]` on a field; they are kept alike.
    pub fn limit<T: ToolArgument>(&mut self, parameter: Param<T>, keyword: &str, value: impl Into<Value>) -> &mut Self {
        self.limit_at(parameter.index(), keyword, value.into())
    }

    // Not generic: compiled once for all types.
    fn limit_at(&mut self, index: Option<usize>, keyword: &str, value: Value) -> &mut Self {
        let limited = match index {
            Some(index) => self.schema.limit(index, keyword, value),
            None => Err(format!("has the limit `{keyword}` for a parameter that is not one argument")),
        };
        if let Err(fault) = limited {
            self.bad(fault);
        }
        self
    }

    /// Lets HTTP repeat an argument in the header `Mcp-Param-` with this name, so that a proxy can decide by it without
    /// reading the body. A request whose header does not say what its argument says is refused.
    ///
    /// The argument is a string, an integer or a boolean, and `name` 1 or more of `A-Z a-z 0-9` and
    /// ``! # $ % & ' * + - . ^ _ ` | ~``; two arguments of a tool have names that differ in more than capitals. What is
    /// wrong is told when the tool is added to its server. Headers are seen and logged by many, so nothing secret
    /// belongs there; and what a client says in one gives it no right to anything.
    ///
    /// ```
    /// use mcp_server::{Server, Tool};
    ///
    /// let mut tool = Tool::builder("stock");
    /// let region = tool.parameter::<String, _>("region", "Where to look.");
    /// tool.header(region, "Region");
    /// let result = tool.returns::<String>();
    /// let stock = tool.handler(move |call| match region.take(call) {
    ///     Some(region) => call.run(async move { format!("none in {region}") }, result),
    ///     None => call.refuse(),
    /// });
    /// let server = Server::new("shop").tool(stock);
    /// ```
    ///
    /// A schema that is given as JSON says it itself, with `"x-mcp-header": "Region"` in a property, and so does a field
    /// of a struct with `#[schemars(extend("x-mcp-header" = "Region"))]`.
    ///
    /// Specification: [`x-mcp-header`](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header).
    pub fn header<T: ToolArgument>(&mut self, parameter: Param<T>, name: &str) -> &mut Self {
        if !parameter.index().is_some_and(|index| self.schema.mirror(index, name)) {
            self.bad(format!("has the header `{name}` for a parameter that has one already, or is not its own"));
        }
        self
    }

    /// Notes what the handler takes from the server.
    pub(crate) fn needs(&mut self, need: Option<Need>) {
        self.needs.extend(need);
    }

    /// Adds an argument to the schema, and gives its place there.
    pub(crate) fn argument<T: JsonSchema>(
        &mut self,
        name: &str,
        description: &str,
        optional: bool,
        default: Option<&str>,
    ) -> usize {
        let added = self.schema.property::<T>(name, description, optional, default);
        self.arguments += 1;
        added.unwrap_or_else(|fault| {
            self.bad(fault);
            0
        })
    }

    /// Says what the tool returns.
    pub fn returns<R: IntoCallToolResult>(&mut self) -> Returns<R> {
        self.output_schema = R::output_schema();
        Returns(|value, _| Ok(ServerResult::CallTool(value.into_call_tool_result())))
    }

    /// The schema of the arguments as JSON, for [`ToolBuilder::call`]: in the dialect 2020-12, or in draft-07 where its
    /// `$schema` says so. Clients see it unaltered, and arguments that do not keep it never reach the code.
    ///
    /// One that is no good, is not of an object, or leads out of its own document is told when the tool is added to its
    /// server: [`Server::tool`](crate::Server::tool) panics, [`ServerHandle::add_tool`](crate::ServerHandle::add_tool)
    /// gives an error.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::Tool;
    /// use serde_json::{Map, Value};
    ///
    /// let mut tool = Tool::builder("greet");
    /// tool.input_schema(json!({
    ///     "type": "object",
    ///     "properties": { "name": { "type": "string", "minLength": 1 } },
    ///     "required": ["name"]
    /// }));
    /// let greet = tool.call(|arguments: Map<String, Value>, _ctx: Context| async move {
    ///     format!("Hello, {}", arguments["name"])
    /// });
    /// let server = Server::new("hall").tool(greet);
    /// ```
    ///
    /// Specification: [JSON Schema usage](https://modelcontextprotocol.io/specification/2026-07-28/basic#json-schema-usage).
    pub fn input_schema(&mut self, schema: Value) -> &mut Self {
        match GivenSchema::input(schema) {
            Ok(schema) => self.given = Some(schema),
            Err(fault) => self.bad(format!("has an input schema that is no good: {fault}")),
        }
        self
    }

    /// The schema of the structured result as JSON, instead of the one of its type. Clients see it unaltered, and a
    /// result that does not keep it reaches them as a failure of the tool.
    ///
    /// One that is no good is told when the tool is added to its server, as for [`ToolBuilder::input_schema`].
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::Tool;
    /// use serde_json::{Map, Value};
    ///
    /// let mut tool = Tool::builder("dice");
    /// tool.output_schema(json!({ "type": "integer", "minimum": 1, "maximum": 6 }));
    /// let dice = tool.call(|_: Map<String, Value>, _ctx: Context| async { Json(json!(4)) });
    /// let server = Server::new("table").tool(dice);
    /// ```
    ///
    /// Specification: [Output schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).
    pub fn output_schema(&mut self, schema: Value) -> &mut Self {
        match GivenSchema::new(schema) {
            Ok(schema) => self.output_given = Some(schema),
            Err(fault) => self.bad(format!("has an output schema that is no good: {fault}")),
        }
        self
    }

    /// The first fault is the one that is told.
    fn bad(&mut self, fault: String) {
        self.fault.get_or_insert(fault);
    }

    /// Ends the description with a function of all arguments at once, for tools that are known only when the program
    /// runs.
    ///
    /// `T` is a struct whose fields are the arguments. Its schema is shown to clients, the doc comments of the fields
    /// as descriptions, unless there is an [`input_schema`](ToolBuilder::input_schema). With one, `T` may as well be a
    /// `serde_json::Map<String, Value>`. What is wrong with the arguments is told to the model, and the function is not
    /// called.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::Tool;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Order {
    ///     /// What is ordered.
    ///     sku: String,
    ///     /// How many; one unless given.
    ///     count: Option<u32>,
    /// }
    ///
    /// let shops = ["tea", "coffee"].map(|shop| {
    ///     let mut tool = Tool::builder(format!("order_{shop}"));
    ///     tool.description(format!("Order {shop}."));
    ///     tool.call(move |order: Order, _ctx: Context| async move {
    ///         format!("{} × {shop} {}", order.count.unwrap_or(1), order.sku)
    ///     })
    /// });
    /// let server = shops.into_iter().fold(Server::new("market"), Server::tool);
    /// ```
    pub fn call<T, F, R>(mut self, function: impl Fn(T, Context) -> F + Send + Sync + 'static) -> Tool
    where
        T: DeserializeOwned + JsonSchema,
        F: Future<Output = R> + Send + 'static,
        R: IntoCallToolResult + 'static,
    {
        if self.given.is_none() {
            match arguments_schema::<T>() {
                Ok(schema) => self.given = Some(schema),
                Err(fault) => self.bad(fault),
            }
        }
        let result = self.returns::<R>();
        self.handler(move |call| match call.whole::<T>() {
            Some(arguments) => {
                let context = call.context().clone();
                call.run(function(arguments, context), result)
            }
            None => call.refuse(),
        })
    }

    /// Ends the description with the code that runs for each call.
    pub fn handler(self, handler: impl Fn(&mut Call<'_>) -> Outcome + Send + Sync + 'static) -> Tool {
        self.finish(Arc::new(handler))
    }

    // Not generic: compiled once for all tools.
    fn finish(mut self, handler: Handler) -> Tool {
        let input = match self.given {
            Some(_) if self.arguments > 0 => {
                self.fault.get_or_insert("has parameters and an input schema: one of the two is enough".to_owned());
                Accepts::Parameters(self.schema.finish())
            }
            Some(schema) => Accepts::Whole(schema),
            None => Accepts::Parameters(self.schema.finish()),
        };
        let headers = mirrored(input.text()).unwrap_or_else(|wrong| {
            self.fault.get_or_insert_with(|| format!("has an `x-mcp-header` that is no good: {wrong}"));
            Vec::new()
        });
        let output_given = self.output_given.map(Arc::new);
        let output_schema = match &output_given {
            Some(given) => Some(given.text().into()),
            None => self.output_schema.map(Arc::from),
        };
        Tool(Arc::new(ToolParts {
            name: self.name,
            title: self.title,
            description: self.description,
            annotations: self.annotations,
            icons: self.icons,
            input: Arc::new(input),
            output_is_object: output_schema.as_deref().is_some_and(is_object),
            output_schema,
            output_given,
            headers: headers.into(),
            scopes: self.scopes.into(),
            timeout: self.timeout,
            location: self.location,
            pace: Arc::default(),
            meta: self.meta,
            needs: self.needs,
            scope: None,
            fault: self.fault,
            handler,
        }))
    }
}

impl fmt::Debug for ToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolBuilder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A description as it is listed: an empty one is none, and a text from a file ends with a line end.
pub(crate) fn described(text: Cow<'static, str>) -> Option<Cow<'static, str>> {
    match text.trim_end() {
        "" => None,
        trimmed if trimmed.len() == text.len() => Some(text),
        trimmed => Some(Cow::Owned(trimmed.to_owned())),
    }
}

/// Adds the members of `meta` to those that are there.
#[track_caller]
pub(crate) fn add_meta(to: &mut Option<Map<String, Value>>, meta: Value) {
    match meta {
        Value::Object(meta) => to.get_or_insert_default().extend(meta),
        other => panic!("`_meta` is a JSON object, not {}", crate::schema::describe(&other)),
    }
}

/// Whether a schema is one of objects.
fn is_object(schema: &str) -> bool {
    serde_json::from_str::<serde_json::Value>(schema).is_ok_and(|schema| schema["type"] == "object")
}

attached! {
    /// The future of a function with `#[tool]`: an ordinary future that also knows the tool it belongs to.
    ToolFuture, ToolHandler, tool -> Tool;
    /// What [`Server::tool`](crate::Server::tool) takes: the name of an `async fn` with `#[tool]`, `name {}` for a plain
    /// `fn` with it, or a [`Tool`] made by hand.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no tool",
        label = "no tool",
        note = "an `async fn` with `#[tool]` is added as `.tool(name)`, without calling it, a plain `fn` with `#[tool]` as `.tool(name {{}})`",
        note = "a value whose type has `#[server]` is added by `.with(…)`, a resource by `.resource(…)`, a prompt by `.prompt(…)`"
    )]
    IntoTool, into_tool
}
