//! A crate that forbids itself what it can, and has `mcp-server` only through another crate: its tools compile without
//! a warning and without a dependency of their own.

#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]
#![deny(missing_debug_implementations, rust_2018_idioms, unreachable_pub, unused_qualifications)]
#![forbid(unsafe_code)]

pub mod bare;

use std::future::{self, Future};
use std::sync::atomic::{AtomicU32, Ordering};

use facade::mcp::prelude::*;
use facade::mcp::{Base64, Completing, RequestError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is sold.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Article {
    /// Its number.
    pub sku: String,
    /// What it costs.
    pub price_in_cents: Option<u32>,
}

/// In which order.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sort {
    /// Small ones first.
    #[default]
    Up,
    /// Large ones first.
    Down,
}

/// Sort numbers.
#[tool(crate = facade::mcp, read_only, title = "Sort", meta = json!({ "example.com/a": 1 }))]
pub async fn sort(
    /// The numbers.
    numbers: Vec<u32>,
    #[tool(default = Sort::Up)] order: Sort,
    #[serde(default)] twice: bool,
    ctx: Context,
) -> Result<Json<Vec<u32>>, ToolError> {
    let mut numbers = if twice { numbers.repeat(2) } else { numbers };
    ctx.report_progress(1, 2, "half").await?;
    numbers.sort_unstable();
    if let Sort::Down = order {
        numbers.reverse();
    }
    Ok(Json(numbers))
}

/// Add two numbers.
#[tool(crate = "facade::mcp")]
#[must_use]
pub fn add(a: u32, #[tool(default = 2)] b: u32) -> u32 {
    a + b
}

/// Give an article back.
#[tool(crate = ::facade::mcp, timeout = 5)]
pub async fn article(article: Article) -> Json<Article> {
    Json(article)
}

/// Say what was said.
#[tool(crate = facade::mcp)]
pub fn later(text: String) -> impl Future<Output = String> + Send {
    future::ready(text)
}

/// One page.
///
/// # Errors
///
/// When there is no such page.
#[resource("book://{page}{?mark}", crate = facade::mcp, mime_type = "text/plain", ttl = 60, audience = "user")]
pub async fn page(#[resource(complete = pages)] page: u32, mark: Option<String>) -> Result<String, RequestError> {
    Ok(format!("{page} {mark:?}"))
}

/// The title of the book.
#[resource("book://title", crate = facade::mcp, size = 3, priority = 1)]
#[must_use]
pub fn title() -> &'static str {
    "tea"
}

/// Have a text translated.
#[prompt(crate = facade::mcp)]
pub async fn translate(
    /// What to translate.
    text: String,
    #[prompt(default = "Danish", complete = languages)] language: String,
) -> String {
    format!("{text} into {language}")
}

fn pages(typed: String) -> Vec<String> {
    vec![typed + "1"]
}

async fn languages(completing: Completing) -> Vec<String> {
    future::ready(vec![completing.value]).await
}

/// A server with a state.
#[derive(Debug, Default)]
pub struct Counter {
    count: AtomicU32,
}

#[server(crate = facade::mcp, parts = [to_others])]
impl Counter {
    /// Count.
    #[tool]
    pub async fn count(&self, by: u32) -> u32 {
        self.count.fetch_add(by, Ordering::Relaxed) + by
    }

    /// Say the state.
    #[tool(read_only)]
    pub fn state(&self) -> u32 {
        self.count.load(Ordering::Relaxed)
    }

    /// It needs nothing of the server.
    #[tool]
    pub fn nothing(&self, words: Vec<String>) -> usize {
        words.len()
    }

    /// The state to be read.
    #[resource("counter://{unit}")]
    pub async fn read(&self, #[resource(complete = Self::units)] unit: String) -> String {
        format!("{} {unit}", self.state())
    }

    /// Ask.
    #[prompt]
    pub fn ask(&self, word: String) -> String {
        format!("{word} {}", self.state())
    }

    fn units(&self, typed: String) -> Vec<String> {
        vec![format!("{typed}{}", self.state())]
    }
}

#[server(crate = facade::mcp, part = to_others)]
impl Counter {
    /// Count an article.
    #[tool]
    pub async fn stock(
        &self,
        #[tool(flatten)] article: Article,
        #[tool(minimum = 1, maximum = 9)] pieces: u32,
        #[tool(max_items = 1, unique_items, default)] labels: Vec<Base64>,
    ) -> String {
        let count = self.count.fetch_add(pieces, Ordering::Relaxed) + pieces;
        format!("{} {count} {}", article.sku, labels.len())
    }
}

macro_rules! tools {
    ($library:path; $($(#[$meta:meta])* $name:ident($($parameter:ident: $ty:ty),*) -> $returns:ty $body:block)*) => {
        $(
            $(#[$meta])*
            #[facade::mcp::tool(crate = facade::mcp)]
            pub async fn $name($($parameter: $ty),*) -> $returns $body
        )*

        /// A server with those tools.
        #[must_use]
        pub fn made() -> $library {
            Server::new("made")$(.tool($name))*
        }
    };
}

tools! {
    Server;
    /// Made by a macro.
    shout(text: String) -> String { text.to_uppercase() }
    /// So is this.
    length(text: String) -> usize { text.len() }
}

/// A server with all of it, and one tool more, which stands in this function.
#[must_use]
pub fn server() -> Server {
    /// Negate a number.
    #[tool(crate = facade::mcp)]
    async fn negate(number: i32) -> i32 {
        -number
    }

    made()
        .tool(sort)
        .tool(add {})
        .tool(article)
        .tool(later)
        .tool(negate)
        .resource(page)
        .resource(title {})
        .prompt(translate)
        .with(Counter::default())
        .mount("bare", bare::server())
}
