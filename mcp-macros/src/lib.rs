//! The attributes of `mcp-server`, which is the crate to depend on: it shows them as `mcp_server::tool`,
//! `mcp_server::resource`, `mcp_server::prompt` and `mcp_server::server`.
//!
//! An attribute [reads](read) an item, [checks](check) it and [expands](expand) it. Mistakes are collected on the way,
//! each at the author's own tokens; an item that has some becomes a [stand-in](stand_in).

#![allow(rustdoc::private_intra_doc_links)]

use proc_macro::TokenStream;

mod attributes;
mod check;
mod docs;
mod errors;
mod expand;
mod macros;
mod model;
mod options;
mod read;
mod stand_in;
mod uri_template;

use model::Kind;

/// Makes a function a tool.
///
/// The parameters are the arguments that a client sends, the doc comments describe the tool and its parameters to the
/// model, and the return type says what the client gets. The function stays a function: tests and other tools call it.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Export orders to the accounting system, one at a time.
/// #[tool]
/// async fn export_orders(
///     /// The orders to export, such as `A17`.
///     order_ids: Vec<String>,
///     ctx: Context,
/// ) -> Result<String, ToolError> {
///     let total = order_ids.len();
///     for (done, order_id) in (1..).zip(&order_ids) {
///         ctx.report_progress(done, total, format!("exported {order_id}")).await?;
///     }
///     Ok(format!("Exported {total} orders."))
/// }
///
/// let server = Server::new("Shop support").tool(export_orders);
/// ```
///
/// The future of an `async fn` has to be `Send`: what is held across an `.await` must be too, so no `Rc` there.
///
/// What the errors mean, and what to write instead, is on [a page of its own](mistakes/index.html).
///
/// # Plain functions
///
/// A `fn` without `async` runs on a thread where it may block. It is added with braces, by a struct that has its name:
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Add two numbers.
/// #[tool]
/// fn add(a: f64, b: f64) -> f64 {
///     a + b
/// }
///
/// let server = Server::new("calculator").tool(add {});
/// assert_eq!(add(1.0, 2.0), 3.0);
/// ```
///
/// Where a type, a module or a crate has that name already, such as `uuid`, the function needs another one.
///
/// # Methods
///
/// In an `impl` block that is marked [`#[server]`](macro@server), methods with `&self` are tools that share a state.
///
/// # Parameters
///
/// A parameter is any type that is `serde::Deserialize` and `schemars::JsonSchema` and owns its data, or one that comes
/// from the call itself, such as `Context`. Its name on the wire is its own, without an `r#`. An `Option` may be left
/// out by the caller, and so may be a parameter that has a default:
///
/// | attribute | the default is |
/// |---|---|
/// | `#[tool(default = 10)]` | the value; a literal is shown to the model, of another say it in the doc comment |
/// | `#[tool(default)]`, `#[serde(default)]` | that of the type |
/// | `#[serde(default = "ten")]` | what the function returns |
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// #[serde(rename_all = "snake_case")]
/// enum Order {
///     Newest,
///     Cheapest,
/// }
///
/// /// Search the shop.
/// #[tool]
/// async fn search(
///     words: String,
///     shop: Option<String>,
///     /// How many at most.
///     #[tool(default = 10)]
///     limit: usize,
///     #[tool(default = Order::Newest)] order: Order,
///     #[serde(default)] sold_out_too: bool,
/// ) -> String {
///     format!("Nothing is called {words}.")
/// }
/// ```
///
/// What an argument may be is said beside it. The model sees it in the schema, and a call that does not keep it never
/// reaches the function. A limit that can't be, such as a length of a number, is a panic when the tool is added to its
/// server, so a test that makes the server finds it.
///
/// | attribute | for | the argument is |
/// |---|---|---|
/// | `#[tool(minimum = 1)]`, `#[tool(maximum = 10)]` | numbers | at least, at most this |
/// | `#[tool(exclusive_minimum = 0)]`, `#[tool(exclusive_maximum = 1)]` | numbers | more, less than this |
/// | `#[tool(multiple_of = 0.5)]` | numbers | a multiple of this |
/// | `#[tool(min_length = 1)]`, `#[tool(max_length = 80)]` | texts | so many characters at least, at most |
/// | `#[tool(pattern = "^[A-Z][0-9]+$")]` | texts | one in which the regular expression is found |
/// | `#[tool(min_items = 1)]`, `#[tool(max_items = 10)]` | lists | so many items at least, at most |
/// | `#[tool(unique_items)]` | lists | one without two equal items |
///
/// A value is a literal or any expression of that kind, such as a constant. In a struct the same is said to schemars,
/// such as `#[schemars(range(min = 1))]` on a field, and kept alike.
///
/// ```
/// use mcp_server::prelude::*;
///
/// const MOST: usize = 20;
///
/// /// Reserve seats.
/// #[tool]
/// async fn reserve(
///     /// Such as `C17`.
///     #[tool(min_items = 1, max_items = MOST, unique_items)]
///     seats: Vec<String>,
///     #[tool(pattern = "^[^@ ]+@[^@ ]+$", max_length = 80)] mail: String,
///     #[tool(minimum = 0, exclusive_maximum = 100, multiple_of = 0.5, default = 0.0)] discount: f64,
///     #[tool(exclusive_minimum = 0, maximum = 24)] hours: Option<u32>,
///     #[tool(min_length = 1)] name: Option<String>,
/// ) -> usize {
///     seats.len()
/// }
/// ```
///
/// With `#[tool(flatten)]` the fields of a struct are arguments beside the others, so that what several tools take alike
/// is written once. Each field is described by its own doc comment:
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Page {
///     /// How many to leave out.
///     #[serde(default)]
///     skip: usize,
///     /// How many at most.
///     #[schemars(range(min = 1, max = 100))]
///     limit: Option<usize>,
/// }
///
/// /// The orders of a customer.
/// #[tool]
/// async fn orders(customer: String, #[tool(flatten)] page: Page) -> String {
///     format!("{customer} has no orders after {}.", page.skip)
/// }
/// ```
///
/// What the schema does not show is refused, and schemars does not show the names that serde takes by an `alias`.
///
/// Bytes are a list of numbers as a `Vec<u8>`, and a text in Base64 as an [`mcp_server::Base64`](../mcp_server/struct.Base64.html).
///
/// With `#[tool(header = "Region")]` HTTP repeats an argument in the header `Mcp-Param-Region`, so that a proxy can
/// decide by it without reading the body. It is a string, an integer or a boolean, and nothing secret. The options of a
/// parameter stand side by side:
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// What is in stock.
/// #[tool]
/// async fn in_stock(
///     sku: String,
///     /// Where to look.
///     #[tool(header = "Region", default = "eu")]
///     region: String,
/// ) -> u32 {
///     17
/// }
/// ```
///
/// `#[cfg(…)]` on a parameter works as it does elsewhere.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | the name on the wire, instead of the function's: 1 to 128 of `A-Za-z0-9_-.` |
/// | `title = "…"` | the name that people read |
/// | `description = "…"` | what the model reads, instead of the doc comment |
/// | `read_only` | hints that the tool changes nothing |
/// | `destructive` | hints that it may destroy something |
/// | `idempotent` | hints that calling it again with the same arguments changes nothing more |
/// | `open_world` | hints that it reaches into a world that the server does not own |
/// | `timeout = 30` | gives a call up after so many seconds, or after a `Duration` |
/// | `scopes = ["…"]` | what a caller must be allowed, over HTTP with authorization; others don't see the tool either |
/// | `icon = …` | a picture: an expression of the type `mcp_server::protocol::Icon` |
/// | `meta = …` | data for programs, the `_meta` in the list: a JSON object, as a `serde_json::Value` |
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
///
/// A tool without any description gives a warning, as a model chooses by it: `description = ""` or
/// `#[allow(deprecated)]` says that it needs none.
///
/// A hint that stands alone is `true`; `destructive = false` says the opposite, which is not the same as nothing. Title
/// and description can be any expression that gives a text.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::prelude::*;
///
/// const REFUND: &str = "Give the money for an order back.";
///
/// #[tool(name = "shop.refund", title = "Refund an order", description = REFUND, destructive, open_world = false)]
/// async fn refund(order_id: String) {}
///
/// /// What is in stock.
/// #[tool(read_only, idempotent, timeout = 2.5)]
/// async fn stock() -> u32 {
///     17
/// }
///
/// /// Take everything off the shelves.
/// #[tool(scopes = ["stock:read", "stock:write"])]
/// async fn clear() {}
///
/// /// What is in stock, once more.
/// #[tool(timeout = Duration::from_millis(2500), meta = json!({ "example.com/shelf": 7 }), crate = mcp_server)]
/// async fn recount() -> u32 {
///     17
/// }
/// ```
///
/// # Other attributes
///
/// They stay. An `async fn` is put into a function that returns its future; doc comments, `#[deprecated]` and levels of
/// lints go to the outer one, and what changes how the code runs, such as `#[tracing::instrument]`, to the inner one.
#[proc_macro_attribute]
pub fn tool(attr: TokenStream, item: TokenStream) -> TokenStream {
    macros::function(Kind::Tool, attr.into(), item.into()).into()
}

/// Makes a function a resource, or a template of resources.
///
/// The address stands in the attribute, the doc comment describes the resource, and what the function returns is its
/// contents. As with [`#[tool]`](macro@tool), the function stays a function.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// All that is sold.
/// #[resource("shop://catalog", mime_type = "text/plain")]
/// async fn catalog() -> &'static str {
///     "tea, coffee"
/// }
///
/// let server = Server::new("shop").resource(catalog);
/// ```
///
/// A `fn` without `async` runs on a thread where it may block, and is added with braces: `.resource(catalog {})`. In an
/// `impl` block that is marked [`#[server]`](macro@server), methods with `&self` are resources that share a state.
///
/// # Templates
///
/// An address with variables, as RFC 6570 has them up to level 3, stands for many resources. A parameter that has the
/// name of a variable is its value, read from the text: a `String`, a number, an enum without data, or what else serde
/// can read from a text. `None` says that there is no such resource.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// One order.
/// #[resource("shop://orders/{id}")]
/// async fn order(id: u32) -> Option<String> {
///     (id == 17).then(|| "tea, 2 packets".into())
/// }
///
/// let server = Server::new("shop").resource(order);
/// ```
///
/// | in the address | takes |
/// |---|---|
/// | `{id}` | one part of a path: no `/` |
/// | `{+path}` | reserved characters too, `/` among them |
/// | `{?from,to}` | parameters of the query, in any order; each may be missing: an `Option`, or one with a default |
///
/// Each variable needs its parameter. Other parameters come from the call itself, such as `Context` and `State<…>`.
///
/// | attribute on a parameter | meaning |
/// |---|---|
/// | `#[resource(default = 10)]` | the value of a variable of the query that is missing |
/// | `#[resource(default)]`, `#[serde(default)]` | the same, that of the type |
/// | `#[serde(default = "ten")]` | the same, what the function returns |
/// | `#[resource(complete = function)]` | completes what a user types: a function from a `String` or a `Completing` |
/// | `#[resource(raw)]` | lets the variable have any value: also absolute paths, `..` and NUL, else refused |
///
/// ```
/// use mcp_server::RequestError;
/// use mcp_server::prelude::*;
///
/// /// A page of the handbook.
/// #[resource("handbook:///{+path}{?lines}")]
/// fn page(
///     #[resource(complete = pages)] path: String,
///     #[resource(default = 100)] lines: usize,
/// ) -> Result<String, RequestError> {
///     let text = std::fs::read_to_string(format!("handbook/{path}"))?;
///     Ok(text.lines().take(lines).collect())
/// }
///
/// async fn pages(typed: String) -> Vec<&'static str> {
///     ["opening.md", "closing.md"].into_iter().filter(|page| page.starts_with(&typed)).collect()
/// }
///
/// let server = Server::new("handbook").resource(page {});
/// ```
///
/// # Options
///
/// They stand behind the address.
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | the name that programs use, instead of the function's |
/// | `title = "…"` | the name that people read |
/// | `description = "…"` | what the model reads, instead of the doc comment |
/// | `mime_type = "…"` | the kind of data, such as `text/plain` |
/// | `size = 1024` | how many bytes it has; a template has no size |
/// | `audience = "user"` | whom it is for: `"user"` or `"assistant"`; both unless said |
/// | `priority = 0.5` | how much it matters, from 0 to 1 |
/// | `ttl = 60` | how long clients may keep what they read: seconds, or a `Duration`; else the server says it |
/// | `scope = "public"` | with `ttl`: anybody may get what was kept; `"private"`, the default: only whoever asked |
/// | `icon = …` | a picture: an expression of the type `mcp_server::protocol::Icon` |
/// | `meta = …` | data for programs, the `_meta` in the list: a JSON object, as a `serde_json::Value` |
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
///
/// Title, description and kind can be any expression that gives a text.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::prelude::*;
/// use mcp_server::protocol::Icon;
///
/// /// When the shop is open.
/// #[resource(
///     "shop://hours",
///     name = "opening-hours",
///     title = "Opening hours",
///     mime_type = "text/plain",
///     size = 14,
///     audience = "user",
///     priority = 0.5,
///     ttl = 3600,
///     scope = "public"
/// )]
/// async fn hours() -> &'static str {
///     "from 9 until 6"
/// }
///
/// #[resource(
///     "shop://till",
///     description = concat!("What is in the till", "."),
///     ttl = Duration::from_millis(500),
///     icon = Icon { src: "https://shop.example/till.png".into(), mime_type: None, sizes: Vec::new(), theme: None },
///     meta = json!({ "example.com/currency": "EUR" }),
///     crate = mcp_server
/// )]
/// fn till() -> Json<u64> {
///     Json(1999)
/// }
/// ```
///
/// Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).
#[proc_macro_attribute]
pub fn resource(attr: TokenStream, item: TokenStream) -> TokenStream {
    macros::function(Kind::Resource, attr.into(), item.into()).into()
}

/// Makes a function a prompt.
///
/// The parameters are what a user fills in, the doc comments describe the prompt and its parameters, and what the
/// function returns is what is said to the model. As with [`#[tool]`](macro@tool), the function stays a function.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Have a text translated.
/// #[prompt]
/// async fn translate(
///     /// What to translate.
///     text: String,
///     /// Into which language.
///     language: String,
/// ) -> String {
///     format!("Translate into {language}:\n\n{text}")
/// }
///
/// let server = Server::new("letters").prompt(translate);
/// ```
///
/// A `fn` without `async` runs on a thread where it may block, and is added with braces: `.prompt(translate {})`. In an
/// `impl` block that is marked [`#[server]`](macro@server), methods with `&self` are prompts that share a state.
///
/// # Parameters
///
/// Users fill in texts. A parameter is any type that serde can read from a text, such as a `String`, a number, or an
/// enum without data, or one that comes from the call itself, such as `Context`. An `Option` may be left out, and so
/// may be a parameter that has a default:
///
/// | attribute on a parameter | meaning |
/// |---|---|
/// | `#[prompt(default = 10)]` | the value when it is left out |
/// | `#[prompt(default)]`, `#[serde(default)]` | the same, that of the type |
/// | `#[serde(default = "ten")]` | the same, what the function returns |
/// | `#[prompt(title = "…")]` | the name that people read |
/// | `#[prompt(complete = function)]` | completes what a user types: a function from a `String` or a `Completing` |
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::protocol::{PromptMessage, Role};
///
/// #[derive(serde::Deserialize)]
/// #[serde(rename_all = "snake_case")]
/// enum Tone {
///     Friendly,
///     Formal,
/// }
///
/// /// Answer a customer.
/// #[prompt]
/// async fn answer(
///     #[prompt(title = "Customer", complete = customers)] name: String,
///     #[prompt(default = Tone::Friendly)] tone: Tone,
///     about: Option<String>,
/// ) -> Vec<PromptMessage> {
///     let tone = match tone {
///         Tone::Friendly => "friendly",
///         Tone::Formal => "formal",
///     };
///     let ask = format!("Write a {tone} answer to {name}.");
///     let about = about.map(|about| format!("It is about {about}."));
///     let texts = [Some(ask), about].into_iter().flatten();
///     texts.map(|text| PromptMessage { role: Role::User, content: text.into() }).collect()
/// }
///
/// fn customers(typed: String) -> Vec<&'static str> {
///     ["Ada", "Alan", "Grace"].into_iter().filter(|name| name.starts_with(&typed)).collect()
/// }
///
/// let server = Server::new("letters").prompt(answer);
/// ```
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | the name on the wire, instead of the function's: 1 to 128 of `A-Za-z0-9_-.` |
/// | `title = "…"` | the name that people read |
/// | `description = "…"` | what it is for, instead of the doc comment |
/// | `icon = …` | a picture: an expression of the type `mcp_server::protocol::Icon` |
/// | `meta = …` | data for programs, the `_meta` in the list: a JSON object, as a `serde_json::Value` |
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
///
/// Title and description can be any expression that gives a text.
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::protocol::Icon;
///
/// #[prompt(
///     name = "say.hello",
///     title = "Say hello",
///     description = concat!("Greet", " somebody."),
///     icon = Icon { src: "https://letters.example/hi.png".into(), mime_type: None, sizes: Vec::new(), theme: None },
///     meta = json!({ "example.com/shelf": 7 }),
///     crate = mcp_server
/// )]
/// fn hello(name: String) -> String {
///     format!("Write a greeting for {name}.")
/// }
/// ```
///
/// Specification: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts).
#[proc_macro_attribute]
pub fn prompt(attr: TokenStream, item: TokenStream) -> TokenStream {
    macros::function(Kind::Prompt, attr.into(), item.into()).into()
}

/// Makes the marked methods of an `impl` block tools, resources and prompts of one server.
///
/// The methods are marked with `#[tool]`, `#[resource("…")]` or `#[prompt]`; they take `&self`, and otherwise all that
/// [`#[tool]`](macro@tool), [`#[resource]`](macro@resource) and [`#[prompt]`](macro@prompt) say holds for them. The
/// rest of the block stays as it is.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::prelude::*;
///
/// struct Till {
///     cents: AtomicU64,
/// }
///
/// #[server]
/// impl Till {
///     /// Put money into the till.
///     #[tool(destructive = false)]
///     async fn pay_in(
///         &self,
///         /// How much, in cents.
///         cents: u64,
///     ) -> u64 {
///         self.cents.fetch_add(cents, Ordering::Relaxed) + cents
///     }
///
///     /// How much is in the till, in cents.
///     #[tool(read_only)]
///     fn balance(&self) -> u64 {
///         self.cents.load(Ordering::Relaxed)
///     }
/// }
///
/// let server = Server::new("till").with(Till { cents: AtomicU64::new(0) });
/// ```
///
/// A method of the block may also complete what users type: `complete = Self::name` calls it with the server. Any other
/// path is that of a function.
///
/// ```
/// use mcp_server::prelude::*;
///
/// struct Shop {
///     orders: Vec<(String, String)>,
/// }
///
/// #[server]
/// impl Shop {
///     /// One order.
///     #[resource("shop://orders/{id}")]
///     async fn order(&self, #[resource(complete = Self::ids)] id: String) -> Option<String> {
///         self.orders.iter().find(|order| order.0 == id).map(|order| order.1.clone())
///     }
///
///     /// Ask a customer how an order was.
///     #[prompt]
///     async fn review(&self, #[prompt(complete = Self::ids)] id: String) -> String {
///         format!("Write to whoever ordered {id}.")
///     }
///
///     fn ids(&self, typed: String) -> Vec<String> {
///         self.orders.iter().map(|order| order.0.clone()).filter(|id| id.starts_with(&typed)).collect()
///     }
/// }
///
/// let server = Server::new("shop").with(Shop { orders: Vec::new() });
/// ```
///
/// # Several blocks
///
/// A type has one such block that the server is made from. Each other block has a name, and the first lists them:
///
/// ```
/// use mcp_server::prelude::*;
///
/// struct Shop {
///     left: u32,
/// }
///
/// #[server(parts = [stock])]
/// impl Shop {
///     /// Order something.
///     #[tool]
///     async fn order(&self, sku: String) -> String {
///         format!("{sku} is on its way.")
///     }
/// }
///
/// #[server(part = stock)]
/// impl Shop {
///     /// How many are left.
///     #[tool(read_only)]
///     async fn left(&self) -> u32 {
///         self.left
///     }
/// }
///
/// let server = Server::new("shop").with(Shop { left: 3 });
/// ```
///
/// # State and generics
///
/// Calls run side by side, on several threads: what changes goes into a `Mutex` or an atomic, and what is shared into
/// an `Arc`, not an `Rc`. A block can have type parameters and a where-clause, and a method its own `#[cfg(…)]`:
///
/// ```
/// use mcp_server::prelude::*;
///
/// trait Store {
///     fn len(&self) -> usize;
/// }
///
/// struct Graph<S> {
///     store: S,
/// }
///
/// #[server]
/// impl<S> Graph<S>
/// where
///     S: Store,
/// {
///     /// How many nodes the graph has.
///     #[tool]
///     async fn nodes(&self) -> usize {
///         self.store.len()
///     }
///
///     /// Remove all nodes.
///     #[cfg(feature = "admin")]
///     #[tool(destructive)]
///     async fn clear(&self) {}
/// }
/// ```
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `part = name` | the name of this block, for the block that lists it; it becomes a method of the type |
/// | `parts = [a, b]` | the blocks of this type that are offered together with this one |
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
///
/// ```
/// use mcp_server::prelude::*;
///
/// struct Clock;
///
/// #[server(crate = mcp_server)]
/// impl Clock {
///     /// What time it is.
///     #[tool]
///     fn now(&self) -> &'static str {
///         "late"
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    macros::server(attr.into(), item.into()).into()
}
