//! A crate that forbids itself all that it can.

#![allow(deprecated, reason = "no model chooses among these tools, so they need no description")]
#![deny(warnings, missing_docs, missing_debug_implementations, missing_copy_implementations, unreachable_pub)]
#![deny(rust_2018_idioms, unused, unused_qualifications, single_use_lifetimes, elided_lifetimes_in_paths)]
#![forbid(unsafe_code)]

use std::time::Duration;

use mcp_server::prelude::*;

/// Export orders.
///
///   * in any order
#[tool]
pub async fn export_orders(
    /// The orders, such as `A17`.
    order_ids: Vec<String>,
    ctx: Context,
    #[tool(default = 10)] mut limit: u32,
) -> Result<String, ToolError> {
    limit += 1;
    tokio::time::sleep(Duration::from_secs(u64::from(limit))).await;
    drop(ctx);
    Ok(order_ids.concat())
}

/// Add two numbers.
#[tool(read_only)]
pub fn add(a: f64, b: f64) -> f64 {
    a + b
}

/// Names that the macros use, too.
#[tool]
#[allow(clippy::too_many_arguments)]
async fn names(
    tool: u8,
    call: u8,
    args: u8,
    ctx: u8,
    request: u8,
    result: u8,
    this: u8,
    r#type: u8,
    names: u8,
    _unused: u8,
) -> u8 {
    tool + call + args + ctx + request + result + this + r#type + names
}

/// All options.
#[tool(
    name = "all.options",
    title = "All",
    description = concat!("All", " options"),
    read_only,
    destructive = false,
    idempotent = true,
    open_world = cfg!(unix),
    timeout = 1.5,
    crate = ::mcp_server
)]
async fn options() {}

fn ten() -> u8 {
    10
}

#[tool(timeout = Duration::from_millis(5))]
fn defaults(
    #[serde(default)] text: String,
    #[serde(default = "ten")] number: u8,
    #[tool(default = "x")] word: String,
    #[tool(default = -1)] negative: i32,
    #[tool(default)] list: Vec<u8>,
    #[tool(default = ten())] called: u8,
    #[tool(default = Some("y".to_owned()))] option: Option<String>,
) -> String {
    format!("{text}{number}{word}{negative}{list:?}{called}{option:?}")
}

/// A description from
#[doc = include_str!("included.md")]
#[tool]
async fn included(#[doc = concat!("a", "b")] text: String) -> String {
    text
}

/// Attributes of all kinds.
#[tool]
#[deprecated]
#[must_use]
#[inline]
#[expect(unused_variables)]
pub async fn attributes(text: String) -> usize {
    1
}

/// The same.
#[tool]
#[deprecated]
#[must_use]
pub fn plain_attributes(_text: String) -> usize {
    1
}

#[tool]
#[allow(clippy::manual_async_fn, reason = "it can be written so, too")]
fn future(text: String) -> impl Future<Output = usize> + Send {
    async move { text.len() }
}

#[tool]
#[expect(dead_code)]
async fn never_registered() {}

#[tool]
#[expect(dead_code)]
fn never_registered_plain() {}

#[tool]
async fn conditional(
    #[cfg(any())] gone: Unknown,
    #[cfg(not(any()))] here: u8,
    always: u8,
    #[expect(unused_variables)] unused: u8,
) -> u8 {
    here + always
}

struct Shop;

#[server]
impl Shop {
    /// Refund an order.
    #[tool(destructive = true)]
    async fn refund(&self, order_id: String, ctx: Context) -> Result<String, ToolError> {
        drop(ctx);
        tokio::task::yield_now().await;
        Ok(order_id)
    }

    #[tool]
    fn add(&self, a: f64, this: f64, #[cfg(any())] gone: u8, #[cfg(not(any()))] here: u8) -> f64 {
        a + this + f64::from(here)
    }

    #[cfg(any())]
    #[tool]
    fn gone(&self) -> Unknown {}

    #[allow(unused)]
    #[doc = "By its path."]
    #[mcp_server::tool]
    async fn by_path(&self, a: String, #[expect(unused_variables)] b: u8, add: u8) {}

    fn helper(number: u8) -> u8 {
        number + Self::NUMBER
    }

    const NUMBER: u8 = 1;
}

trait Store: Send {
    fn len(&self) -> usize;
}

impl Store for () {
    fn len(&self) -> usize {
        usize::from(Shop::helper(0))
    }
}

struct Graph<S> {
    store: S,
}

/// Nothing is said about threads and lifetimes here.
#[server]
impl<S> Graph<S>
where
    S: Store,
{
    #[tool]
    async fn nodes(&self) -> usize {
        tokio::task::yield_now().await;
        self.store.len()
    }
}

macro_rules! tools {
    ($(#[$meta:meta])* $name:ident, $wire:literal, $description:expr, $visibility:vis, ($($parameter:ident: $ty:ty),*) $body:block) => {
        $(#[$meta])*
        #[tool(name = $wire, description = $description)]
        $visibility async fn $name($(#[tool(default = $description)] $parameter: $ty),*) -> usize $body
    };
}

tools! {
    /// Made by a macro.
    made, "made.it", "text", pub(crate), (tool: String, call: String) { tool.len() + call.len() }
}

macro_rules! servers {
    ($server:ident $name:ident) => {
        struct $server;

        #[server]
        impl $server {
            #[tool]
            async fn $name(&self, number: u8) -> u8 {
                number
            }
        }
    };
}

servers!(Made echo);

fn main() {
    #[tool]
    async fn inside(number: u8) -> u8 {
        number
    }

    #[tool]
    fn inside_plain() {}

    struct Inside;

    #[server]
    impl Inside {
        #[tool]
        async fn inside_method(&self) {}
    }

    #[allow(deprecated)]
    let _ = Server::new("strict")
        .tool(export_orders)
        .tool(add {})
        .tool(names)
        .tool(options)
        .tool(defaults {})
        .tool(included)
        .tool(attributes)
        .tool(plain_attributes {})
        .tool(future)
        .tool(conditional)
        .tool(made)
        .tool(inside)
        .tool(inside_plain {});
    let _ = Server::new("methods").with(Shop);
    let _ = Server::new("graph").with(Graph { store: () });
    let _ = Server::new("made").with(Made).with(Inside);
    // They are still functions.
    let _ = (
        add(1.0, 2.0),
        defaults(String::new(), 1, String::new(), 2, Vec::new(), 3, None),
        inside(1),
        conditional(1, 2, 3),
    );
}
