//! Small tools that misbehave, wait, fail or return odd things: what a client or a transport can be tried against.
//!
//! `cargo run --example test_tools` serves them on standard input and output.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use mcp_server::ProgressError;
use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

/// Tell the time, in seconds since 1970.
#[tool(read_only)]
async fn now() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Tell the time, with a context that is no argument.
#[tool(read_only)]
async fn now2(ctx: Context) -> String {
    format!("{} asked", ctx.request_id())
}

/// Echo a text.
#[tool(read_only)]
async fn echo(text: String) -> String {
    text
}

/// Add two numbers.
#[tool(read_only)]
async fn add(a: i64, b: i64) -> Result<i64, ToolError> {
    a.checked_add(b).ok_or_else(|| ToolError::new("the sum does not fit 64 bits"))
}

/// Wait.
#[tool]
async fn sleep_ms(ms: u64) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    format!("slept {ms} ms")
}

/// Wait, then echo a text.
#[tool]
async fn sleep_echo(ms: u64, text: String) -> String {
    tokio::time::sleep(Duration::from_millis(ms)).await;
    text
}

/// Report every number up to one.
#[tool]
async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n)
}

/// Report every number up to one, with a pause before each.
#[tool]
async fn slow_count(n: u32, ms: u64, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        tokio::time::sleep(Duration::from_millis(ms)).await;
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n)
}

/// Report every number up to one, from a thread that is held.
#[tool]
fn count_sync(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        ctx.report_progress_blocking(i, n, None)?;
    }
    Ok(n)
}

/// Report every number up to one, by several tasks that share a counter.
#[tool]
async fn count_together(n: u32, tasks: u32, ctx: Context) -> Result<u32, ToolError> {
    let (bar, tasks) = (ctx.progress(n), tasks.max(1));
    let mut counting = JoinSet::new();
    for task in 0..tasks {
        let (bar, share) = (bar.clone(), n / tasks + u32::from(task < n % tasks));
        counting.spawn(async move {
            for _ in 0..share {
                bar.advance(1, None).await?;
            }
            Ok::<_, ProgressError>(())
        });
    }
    while let Some(counted) = counting.join_next().await {
        counted??;
    }
    Ok(n)
}

/// Says on standard error that nobody waits for a call any more.
struct Told(String);

impl Drop for Told {
    fn drop(&mut self) {
        eprintln!("{} was given up", self.0);
    }
}

/// Wait until the call is given up.
#[tool]
async fn hold(name: String) {
    let _told = Told(name);
    std::future::pending().await
}

/// Wait until the call is given up, on a thread that is held.
#[tool]
fn hold_sync(name: String, ctx: Context) {
    let _told = Told(name);
    while !ctx.is_cancelled() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Return many bytes.
#[tool]
async fn big(bytes: usize) -> String {
    "x".repeat(bytes)
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

/// Report once, and once more when it is too late.
#[tool]
async fn early(ctx: Context) -> Result<String, ToolError> {
    let late = ctx.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(50)).await;
        if let Err(error) = late.report_progress(2, None, None).await {
            eprintln!("too late: {error}");
        }
    });
    ctx.report_progress(1, None, None).await?;
    Ok("done".into())
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

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// Add at the end
    Append,
    /// Put first
    PrependTo,
}

/// Edit in one of two ways.
#[tool]
async fn edit(mode: Mode, or: Option<Mode>) -> String {
    format!("{mode:?} {or:?}")
}

#[derive(Serialize, JsonSchema)]
struct Stats {
    numbers: f64,
    when: chrono::DateTime<chrono::Utc>,
    bytes: usize,
    tags: i64,
}

/// Take numbers of all kinds.
#[tool]
async fn nums(
    a: u8,
    b: u64,
    c: usize,
    d: i32,
    e: f32,
    when: chrono::DateTime<chrono::Utc>,
    raw: Vec<u8>,
    tags: HashMap<String, i64>,
) -> Json<Stats> {
    let numbers = f64::from(a) + b as f64 + c as f64 + f64::from(d) + f64::from(e);
    Json(Stats { numbers, when, bytes: raw.len(), tags: tags.values().sum() })
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Inner {
    x: i32,
}

/// Take a list of structs, and perhaps one more.
#[tool]
async fn a(items: Vec<Inner>, one: Option<Inner>) -> i32 {
    items.iter().chain(&one).map(|inner| inner.x).sum()
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    kids: Vec<Tree>,
}

/// Take a tree.
#[tool]
async fn b(t: Tree) -> String {
    fn names(tree: &Tree) -> String {
        tree.kids.iter().fold(tree.name.clone(), |all, kid| all + " " + &names(kid))
    }
    names(&t)
}

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

/// Tools with something to remember.
#[derive(Default)]
struct Flag {
    written: AtomicBool,
}

#[server]
impl Flag {
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
}

/// The server with something that never opens, for the argument `open`, or never closes, for `close`.
fn hanging(server: Server) -> Server {
    async fn hang<T>(what: &str) -> T {
        eprintln!("{what} hangs");
        std::future::pending().await
    }

    let hangs = std::env::args().nth(1).unwrap_or_default();
    if hangs.is_empty() {
        return server;
    }
    let server =
        server.lifespan(async || Ok::<_, std::io::Error>(7_u8), async move |_: std::sync::Arc<u8>| eprintln!("closed"));
    match &*hangs {
        "open" => server.lifespan(|| hang::<Result<u16, std::io::Error>>("open"), async |_| {}),
        _ => server.lifespan(async || Ok::<_, std::io::Error>(7_u16), |_| hang("close")),
    }
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let server = Server::new("test tools");
    // Nothing changes here; but streams of changes can be opened.
    let _handle = server.handle();
    hanging(server)
        .tool(now)
        .tool(now2)
        .tool(echo)
        .tool(add)
        .tool(sleep_ms)
        .tool(sleep_echo)
        .tool(count)
        .tool(slow_count)
        .tool(count_sync {})
        .tool(count_together)
        .tool(hold)
        .tool(hold_sync {})
        .tool(big)
        .tool(boom)
        .tool(boom_sync {})
        .tool(early)
        .tool(find)
        .tool(save)
        .tool(edit)
        .tool(nums)
        .tool(a)
        .tool(b)
        .tool(price)
        .tool(users)
        .tool(total)
        .with(Flag::default())
        .serve_stdio()
        .await
}
