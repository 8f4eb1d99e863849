//! Resources and prompts in all the ways in which they can be written.

#![allow(deprecated, reason = "no model chooses among these tools, so they need no description")]
#![deny(warnings)]

use std::time::Duration;

use mcp_server::protocol::{Completion, Icon, PromptMessage};
use mcp_server::{Completing, FromContext, RequestError, State, prelude::*};

struct Stock(u32);

struct Caller(String);

impl FromContext for Caller {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        Ok(Self(context.client_info().map_or(String::new(), |client| client.name)))
    }
}

/// A resource without a variable.
#[resource("shop://catalog", title = "Catalog", mime_type = "text/plain", size = 11, audience = "user", priority = 0.5)]
async fn catalog(ctx: Context) -> &'static str {
    drop(ctx);
    "tea, coffee"
}

#[resource("shop://hours", ttl = 3600, scope = "public", priority = 1)]
fn hours() -> Option<Vec<u8>> {
    None
}

#[resource("shop://meta", ttl = Duration::from_secs(1), icon = icon(), meta = json!({ "a": 1 }))]
fn with_data() -> Json<Vec<u32>> {
    Json(vec![1])
}

/// Names that the macros use, too.
#[resource("shop://{resource}/{call}/{result}/{this}/{type}{?other}")]
async fn names(
    resource: String,
    call: u8,
    result: u8,
    this: u8,
    r#type: u8,
    #[serde(default)] other: u8,
    stock: State<Stock>,
    caller: Caller,
) -> String {
    format!("{resource}{}", call + result + this + r#type + other + stock.0 as u8) + &caller.0
}

#[resource("file:///{+path}")]
fn file(#[resource(raw, complete = |_: String| vec!["a"])] path: String) -> Result<String, std::io::Error> {
    std::fs::read_to_string(path)
}

fn icon() -> Icon {
    Icon { src: "https://shop.example/icon.png".into(), mime_type: None, sizes: Vec::new(), theme: None }
}

#[prompt(name = "say.hello", title = "Hello", icon = icon(), meta = json!({}))]
async fn hello(
    /// Whom.
    #[prompt(title = "Name", complete = whom)]
    prompt: String,
    #[prompt(default = 3)] times: u8,
    #[prompt(default)] call: Option<bool>,
    caller: Caller,
) -> Result<Vec<PromptMessage>, RequestError> {
    let _ = (prompt, times, call, caller.0);
    Ok(Vec::new())
}

#[prompt]
fn plain(#[prompt(complete = whom_else)] name: String) -> String {
    name
}

async fn whom(completing: Completing) -> Result<Completion, RequestError> {
    Ok(Completion::new([completing.value]))
}

fn whom_else(typed: String) -> Vec<String> {
    vec![typed]
}

#[tool(icon = icon(), meta = json!({ "a": 1 }))]
async fn tool_with_data() {}

struct Shop;

#[server]
impl Shop {
    #[tool]
    async fn both(&self) {}

    #[resource("shop://both")]
    async fn both_too(&self) -> String {
        String::new()
    }

    #[resource("shop://orders/{id}/{sku}")]
    fn order(
        &self,
        #[resource(complete = Self::ids)] id: u32,
        #[resource(complete = Self::skus)] sku: String,
        ctx: Context,
    ) -> Option<String> {
        drop(ctx);
        Some(format!("{id}{sku}"))
    }

    #[prompt]
    async fn review(
        &self,
        #[prompt(complete = Self::later)] sku: String,
        #[prompt(complete = Self::known)] tone: String,
        #[prompt(complete = whom)] whom: String,
    ) -> String {
        sku + &tone + &whom
    }

    async fn ids(&self, typed: String) -> Vec<String> {
        vec![typed]
    }

    fn skus(&self, completing: Completing) -> Completion {
        Completion::new([completing.value])
    }

    async fn later(&self, completing: Completing) -> Result<Vec<String>, RequestError> {
        Ok(vec![completing.value])
    }

    fn known(&self, typed: String) -> Vec<String> {
        vec![typed]
    }
}

fn main() {
    let _ = Server::new("shop")
        .state(Stock(3))
        .tool(tool_with_data)
        .resource(catalog)
        .resource(hours {})
        .resource(with_data {})
        .resource(names)
        .resource(file {})
        .prompt(hello)
        .prompt(plain {})
        .with(Shop);
}
