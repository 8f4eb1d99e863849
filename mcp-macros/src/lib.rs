//! The attributes of `mcp-server`, which is the crate to depend on: it shows them as `mcp_server::tool` and
//! `mcp_server::server`.
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
/// | `#[tool(default = 10)]` | the value; a literal is shown to the model |
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
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
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
/// /// What is in stock, once more.
/// #[tool(timeout = Duration::from_millis(2500), crate = mcp_server)]
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
    macros::tool(attr.into(), item.into()).into()
}

/// Makes the marked methods of an `impl` block tools of one server.
///
/// Methods with `#[tool]` are tools; they take `&self`, and otherwise all that [`#[tool]`](macro@tool) says holds for
/// them. The rest of the block stays as it is.
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
/// | `crate = path` | where `mcp_server` is found, for a crate that re-exports it |
#[proc_macro_attribute]
pub fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    macros::server(attr.into(), item.into()).into()
}
