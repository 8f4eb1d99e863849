//! The tools that the scenarios call.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::protocol::{
    Annotations, AudioContent, CallToolResult, EmbeddedResource, Icon, ImageContent, ResourceContents, ResourceLink,
    Role, TextContent,
};
use mcp_server::{ProgressError, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A server with all tools of this file.
pub fn server() -> Server {
    Server::new("scenario")
        .version("1.2.3")
        .tool(echo)
        .tool(add)
        .tool(now)
        .tool(whoami)
        .tool(sleep)
        .tool(count)
        .tool(count_sync {})
        .tool(backwards)
        .tool(fractions)
        .tool(bar)
        .tool(boom)
        .tool(boom_sync {})
        .tool(boom_reading)
        .tool(boom_late)
        .tool(boom_dropped)
        .tool(pairs)
        .tool(nan)
        .tool(fail)
        .tool(find)
        .tool(save)
        .tool(nothing)
        .tool(price)
        .tool(users)
        .tool(total)
        .tool(nobody)
        .tool(blocks)
        .tool(patient)
        .with(Notes::default())
}

/// Echo a text.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Add two numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Tell the time of a stopped clock.
#[tool]
async fn now() -> &'static str {
    "noon"
}

/// Tell what is known of the caller.
#[tool]
async fn whoami(ctx: Context) -> String {
    let client = ctx.client_info().map(|client| client.name).unwrap_or("nobody".into());
    let elicitation = ctx.client_capabilities().elicitation.is_some();
    let meta = ctx.meta().get("com.example/x").cloned().unwrap_or_default();
    let trace = ctx.meta().get("traceparent").cloned().unwrap_or_default();
    format!("{} {client} {} elicitation={elicitation} {meta} {trace}", ctx.request_id(), ctx.protocol_version())
}

/// Wait.
#[tool]
async fn sleep(#[tool(default = 1000)] ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Report every number up to one, with a pause before each.
#[tool]
async fn count(n: u32, #[tool(default = 0)] ms: u64, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        if ms > 0 {
            tokio::time::sleep(Duration::from_millis(ms)).await;
        }
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n)
}

/// Report every number up to one, from a thread that is held.
#[tool]
fn count_sync(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        ctx.report_progress_blocking(i, n, format!("{i} of {n}"))?;
    }
    Ok(n)
}

/// Report what goes backwards, and tell what became of it.
#[tool]
async fn backwards(ctx: Context) -> String {
    let mut told = Vec::new();
    for done in [5.0, 5.0, 3.0, f64::NAN, f64::INFINITY, 6.0] {
        told.push(match ctx.report_progress(done, None, None).await {
            Ok(()) => "ok".into(),
            Err(error) => error.to_string(),
        });
    }
    told.join("; ")
}

/// Report zero first, then fractions.
#[tool]
async fn fractions(ctx: Context) -> Result<(), ToolError> {
    ctx.report_progress(0, 1, None).await?;
    ctx.report_progress(0.25, 1.0, "a quarter").await?;
    Ok(ctx.report_progress(0.5, None, "line\nbreak \"quoted\"").await?)
}

/// Count with a bar.
#[tool]
async fn bar(ctx: Context) -> Result<(), ToolError> {
    let bar = ctx.progress(3);
    bar.advance(1, "one").await?;
    Ok(bar.advance(2, "all").await?)
}

/// Panic.
#[tool]
async fn boom() -> String {
    panic!("secret path /x/y")
}

/// Panic on a thread that is held.
#[tool]
fn boom_sync() -> String {
    panic!("secret path /x/y")
}

/// Report, then panic.
#[tool]
async fn boom_late(ctx: Context) -> Result<String, ToolError> {
    ctx.report_progress(1, None, None).await?;
    panic!("secret path /x/y")
}

/// Panic when the call is dropped.
#[tool]
async fn boom_dropped(ctx: Context) -> Result<(), ToolError> {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("secret path /x/y")
        }
    }
    ctx.report_progress(1, None, None).await?;
    let _bomb = Bomb;
    std::future::pending().await
}

/// Give a map whose keys JSON can't have.
#[tool]
async fn pairs() -> Json<BTreeMap<Vec<u8>, u8>> {
    Json(BTreeMap::from([(vec![1], 2)]))
}

/// Give a number that JSON does not know.
#[tool]
async fn nan() -> Json<f64> {
    Json(f64::NAN)
}

/// A type whose reader panics.
#[derive(JsonSchema)]
#[schemars(transparent)]
struct Fragile(#[allow(dead_code, reason = "for the schema alone")] String);

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        assert_ne!(text, "crack", "secret path /x/y");
        Ok(Self(text))
    }
}

/// Panic while the arguments are read.
#[tool]
async fn boom_reading(text: Fragile) -> String {
    text.0
}

#[derive(Debug)]
struct Outer(std::num::ParseIntError);

impl std::fmt::Display for Outer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("could not read the order")
    }
}

impl std::error::Error for Outer {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.0)
    }
}

/// Fail with an error that has another behind it.
#[tool]
async fn fail(order: String) -> Result<u32, ToolError> {
    Ok(order.parse().map_err(Outer)?)
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Point {
    x: i32,
    y: i32,
}

/// Find a text.
#[tool]
async fn find(text: String, page: Option<u32>, tag: Option<String>, near: Option<Point>) -> String {
    format!("{text} {page:?} {tag:?} {:?}", near.map(|near| (near.x, near.y)))
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Item {
    x: i32,
}

/// Save an item.
#[tool]
async fn save(item: Item) -> String {
    format!("saved {}", item.x)
}

/// Give nothing.
#[tool]
async fn nothing() {}

#[derive(Serialize, JsonSchema)]
struct Price {
    cents: u64,
}

/// What an article costs.
#[tool]
async fn price(sku: String) -> Result<Json<Price>, ToolError> {
    if sku == "A17" { Ok(Json(Price { cents: 1999 })) } else { Err(ToolError::new("no such sku")) }
}

#[derive(Serialize, JsonSchema)]
struct User {
    name: &'static str,
}

/// All users.
#[tool]
async fn users() -> Json<Vec<User>> {
    Json(vec![User { name: "Ada" }, User { name: "Grace" }])
}

/// How many users there are.
#[tool]
async fn total() -> Json<i64> {
    Json(2)
}

/// Nobody, as a value.
#[tool]
async fn nobody() -> Json<Option<String>> {
    Json(None)
}

fn meta() -> Option<serde_json::Map<String, serde_json::Value>> {
    Some(serde_json::Map::from_iter([("com.example/k".to_owned(), 1.into())]))
}

/// One block of each kind, with all that it can have.
#[tool]
async fn blocks() -> CallToolResult {
    let annotations = Some(Annotations {
        audience: vec![Role::User, Role::Assistant],
        priority: Some(0.5),
        last_modified: Some("2026-07-28T12:00:00Z".into()),
    });
    let icon = Icon {
        src: "https://shop.example/icon.png".into(),
        mime_type: Some("image/png".into()),
        sizes: vec!["48x48".into()],
        theme: Some("dark".into()),
    };
    let resource = ResourceContents {
        mime_type: Some("text/plain".into()),
        meta: meta(),
        ..ResourceContents::text("shop://orders/A17", "two lines\nof text")
    };
    let mut text = TextContent::new("words");
    (text.annotations, text.meta) = (annotations.clone(), meta());
    let mut image = ImageContent::base64("aW1hZ2U=", "image/png");
    image.annotations = annotations.clone();
    let mut audio = AudioContent::base64("c291bmQ=", "audio/wav");
    audio.meta = meta();
    let mut link = ResourceLink::new("shop://orders/A17", "A17");
    link.title = Some("Order".into());
    link.description = Some("an order".into());
    link.mime_type = Some("text/plain".into());
    link.size = Some(17);
    link.icons = vec![icon];
    (link.annotations, link.meta) = (annotations.clone(), meta());
    let mut embedded = EmbeddedResource::new(resource);
    (embedded.annotations, embedded.meta) = (annotations, meta());
    let bytes = EmbeddedResource::new(ResourceContents::base64("shop://orders/A17.pdf", "cGRm"));
    CallToolResult {
        content: vec![text.into(), image.into(), audio.into(), link.into(), embedded.into(), bytes.into()],
        meta: meta(),
        ..CallToolResult::default()
    }
}

/// Never end by itself, but not for ever either.
#[tool(timeout = Duration::from_millis(20))]
async fn patient() -> String {
    std::future::pending().await
}

/// A tool whose every detail is set.
pub fn detailed() -> Tool {
    let mut tool = Tool::builder("detailed");
    tool.title("A title").description("A description.");
    tool.read_only(true).destructive(false).idempotent(true).open_world(false);
    tool.icon(Icon {
        src: "https://shop.example/icon.png".into(),
        mime_type: Some("image/png".into()),
        sizes: vec!["48x48".into(), "any".into()],
        theme: Some("light".into()),
    });
    let result = tool.returns::<Json<Vec<u8>>>();
    tool.handler(move |call| call.run(async { Json(vec![1, 2, 3]) }, result))
}

/// Tools with something to remember.
#[derive(Default)]
pub struct Notes {
    written: AtomicBool,
    dropped: Arc<AtomicU32>,
    late: Arc<Mutex<Option<Result<(), ProgressError>>>>,
}

/// Counts how often it was dropped.
struct Guard(Arc<AtomicU32>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[server]
impl Notes {
    /// Set a flag.
    #[tool]
    async fn write(&self) {
        self.written.store(true, Ordering::Relaxed);
    }

    /// Whether the flag was set.
    #[tool(read_only)]
    async fn written(&self) -> bool {
        self.written.load(Ordering::Relaxed)
    }

    /// Never end, but hold something and report once.
    #[tool]
    async fn hang(&self, ctx: Context) -> Result<(), ToolError> {
        let _guard = Guard(self.dropped.clone());
        ctx.report_progress(1, None, None).await?;
        let (context, guard) = (ctx.clone(), Guard(self.dropped.clone()));
        tokio::spawn(async move {
            context.cancelled().await;
            let refused = context.report_progress(2, None, None).await;
            if context.is_cancelled() && refused == Err(ProgressError::Cancelled) {
                drop(guard);
            } else {
                std::mem::forget(guard);
            }
        });
        std::future::pending().await
    }

    /// Hold a thread until the call is cancelled.
    #[tool]
    fn hold(&self, ctx: Context) -> Result<(), ToolError> {
        ctx.report_progress_blocking(1, None, None)?;
        while !ctx.is_cancelled() {
            std::thread::yield_now();
        }
        assert_eq!(ctx.report_progress_blocking(2, None, None), Err(ProgressError::Cancelled));
        drop(Guard(self.dropped.clone()));
        Ok(())
    }

    /// How many guards were dropped: two for each call of `hang`, one in the tool and one in a task that it started, and
    /// one for each call of `hold`.
    #[tool]
    async fn dropped(&self) -> u32 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Report once, and once more when it is too late.
    #[tool]
    async fn early(&self, ctx: Context) -> Result<String, ToolError> {
        let (context, late) = (ctx.clone(), self.late.clone());
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(50)).await;
            *late.lock().unwrap() = Some(context.report_progress(2, None, None).await);
        });
        ctx.report_progress(1, None, None).await?;
        Ok("done".into())
    }

    /// What became of the late report of `early`.
    #[tool]
    async fn late(&self) -> String {
        format!("{:?}", *self.late.lock().unwrap())
    }
}
