//! Our client against foreign servers: every kind of request, over pipes and over HTTP, in each era that a server knows.
//!
//! `tests/foreign/servers/run` installs the servers, and runs this with `MCP_FOREIGN_SERVERS` set: a line a server, its
//! name and its command. Without that, all of it is left out.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_server::Change;
use mcp_server::client::{CallError, ClientBuilder, SubscriptionEvent};
use mcp_server::prelude::*;
use mcp_server::protocol::{
    CreateMessageResult, ElicitResult, LoggingLevel, ProtocolVersion, Root, SubscriptionFilter,
};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

/// However busy the machine is, what is to come has come by then.
const LONG: Duration = Duration::from_secs(60);
const MODERN: ProtocolVersion = ProtocolVersion::V2026_07_28;
const LEGACY: ProtocolVersion = ProtocolVersion::V2025_11_25;

struct Foreign {
    name: String,
    command: Vec<String>,
}

impl Foreign {
    /// Those that are there to be tested.
    fn all() -> Vec<Self> {
        let told = std::env::var("MCP_FOREIGN_SERVERS").unwrap_or_default();
        let lines = told.lines().filter(|line| !line.trim().is_empty());
        lines
            .map(|line| {
                let mut words = line.split('\t').map(str::to_owned);
                Self { name: words.next().unwrap(), command: words.collect() }
            })
            .collect()
    }

    fn eras(&self) -> &'static [ProtocolVersion] {
        if self.name == "typescript_sdk" { &[LEGACY] } else { &[MODERN, LEGACY] }
    }

    /// It has no way to subscribe, and tells its changes unasked.
    fn tells_unasked(&self) -> bool {
        self.name == "python_fastmcp"
    }

    fn command(&self, cancelled: &Path) -> Command {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).env("CANCEL_LOG", cancelled);
        command
    }
}

/// How many checks have passed, and which have not.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: Vec<String>,
}

impl Tally {
    /// Runs one check, and goes on whatever comes of it.
    async fn check(&mut self, label: String, check: impl Future<Output = ()> + Send + 'static) {
        match tokio::spawn(tokio::time::timeout(LONG, check)).await {
            Ok(Ok(())) => {
                self.passed += 1;
                println!("ok   {label}");
            }
            Ok(Err(_)) => self.fail(format!("{label}: not done within {LONG:?}")),
            Err(_) => self.fail(label),
        }
    }

    fn fail(&mut self, label: String) {
        println!("FAIL {label}");
        self.failed.push(label);
    }
}

/// What a client was told outside of its calls.
struct Told {
    logs: mpsc::UnboundedReceiver<String>,
    changes: mpsc::UnboundedReceiver<Change>,
    /// What its user answers when he is asked.
    answer: Arc<Mutex<ElicitResult>>,
}

/// A client that can do everything a server may ask for.
fn builder(era: Option<ProtocolVersion>) -> (ClientBuilder, Told) {
    let (log, logs) = mpsc::unbounded_channel();
    let (change, changes) = mpsc::unbounded_channel();
    let answer = Arc::new(Mutex::new(ElicitResult::cancel()));
    let given = Arc::clone(&answer);
    let mut builder = Client::builder()
        .on_log(LoggingLevel::Info, move |message| drop(log.send(message.data.to_string())))
        .on_change(move |told| drop(change.send(told.clone())))
        .on_elicit(move |form| {
            assert_eq!(form.message, "Who?");
            let answer = given.lock().unwrap().clone();
            async move { answer }
        })
        .on_sample(|params| async move {
            assert_eq!(params.max_tokens, 10);
            Ok(serde_json::from_value::<CreateMessageResult>(json!({
                "role": "assistant",
                "content": { "type": "text", "text": "tea" },
                "model": "a model",
            }))
            .unwrap())
        })
        .roots([Root { uri: "file:///home/ada".into(), name: Some("home".into()), meta: None }]);
    if let Some(era) = era {
        builder = builder.protocol_versions([era]);
    }
    (builder, Told { logs, changes, answer })
}

#[test]
fn every_kind_of_request_works_with_foreign_servers() {
    let servers = Foreign::all();
    if servers.is_empty() {
        println!("left out: tests/foreign/servers/run brings the servers that this is about");
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let mut tally = Tally::default();
    runtime.block_on(async {
        for server in &servers {
            over_pipes(server, &mut tally).await;
            over_http(server, &mut tally).await;
        }
    });
    println!("{} passed, {} failed", tally.passed, tally.failed.len());
    assert!(tally.failed.is_empty(), "{}", tally.failed.join("\n"));
}

fn cancel_log(server: &Foreign, way: &str, era: Option<ProtocolVersion>) -> PathBuf {
    let era = era.map_or("any".to_owned(), |era| era.to_string());
    std::env::temp_dir().join(format!("foreign-{}-{}-{way}-{era}", std::process::id(), server.name))
}

async fn over_pipes(server: &Foreign, tally: &mut Tally) {
    for &era in server.eras() {
        let cancelled = cancel_log(server, "pipes", Some(era));
        let (builder, told) = builder(Some(era));
        let label = format!("{} over pipes, {era}", server.name);
        match builder.spawn(server.command(&cancelled)).await {
            Ok(client) => session(server, &label, client, told, false, &cancelled, tally).await,
            Err(error) => tally.fail(format!("{label}: {error}")),
        }
        let _ = std::fs::remove_file(cancelled);
    }
    // Left to itself, the client finds the newest era.
    let cancelled = cancel_log(server, "pipes", None);
    let (builder, _told) = builder(None);
    let command = server.command(&cancelled);
    let newest = server.eras()[0];
    tally
        .check(format!("{} over pipes: the era is found", server.name), async move {
            let client = builder.spawn(command).await.unwrap();
            assert_eq!(client.protocol_version(), newest);
            let status = client.close().await;
            assert!(status.is_some_and(|status| status.success()), "{status:?}");
        })
        .await;
}

async fn over_http(server: &Foreign, tally: &mut Tally) {
    let cancelled = cancel_log(server, "http", None);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut command = server.command(&cancelled);
    command.args(["--http", &port.to_string()]).stderr(Stdio::piped()).kill_on_drop(true);
    let mut process = command.spawn().unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let ready = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("listening") {
                return true;
            }
        }
        false
    };
    if !tokio::time::timeout(LONG, ready).await.unwrap_or(false) {
        return tally.fail(format!("{} over HTTP does not listen", server.name));
    }
    // It goes on writing, and must not wait for a reader.
    tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
    let url = format!("http://127.0.0.1:{port}/mcp");
    for &era in server.eras() {
        let _ = std::fs::remove_file(&cancelled);
        let (builder, told) = builder(Some(era));
        let label = format!("{} over HTTP, {era}", server.name);
        match builder.http(&url).await {
            Ok(client) => session(server, &label, client, told, true, &cancelled, tally).await,
            Err(error) => tally.fail(format!("{label}: {error}")),
        }
    }
    let (builder, _told) = builder(None);
    let newest = server.eras()[0];
    tally
        .check(format!("{} over HTTP: the era is found", server.name), async move {
            let client = builder.http(&url).await.unwrap();
            assert_eq!(client.protocol_version(), newest);
            client.close().await;
        })
        .await;
    let _ = std::fs::remove_file(cancelled);
    let _ = process.kill().await;
}

/// Everything that is asked of one server by one client.
async fn session(
    server: &Foreign,
    label: &str,
    client: Client,
    told: Told,
    over_http: bool,
    cancelled: &Path,
    tally: &mut Tally,
) {
    let Told { mut logs, mut changes, answer } = told;
    let client = Arc::new(client);
    let unasked = server.tells_unasked();
    macro_rules! check {
        ($what:literal, |$client:ident| $body:expr) => {{
            let $client = Arc::clone(&client);
            tally.check(format!("{label}: {}", $what), async move { $body }).await
        }};
    }
    check!("tools are listed", |client| {
        let names: Vec<_> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        let known = "add count fail ask ask_model where log change touch sleep region";
        for name in known.split(' ') {
            assert!(names.iter().any(|other| other == name), "{name} is missing in {names:?}");
        }
    });
    check!("a structured result", |client| {
        #[derive(Deserialize)]
        struct Sum {
            sum: i64,
        }
        let result = client.call_tool("add", json!({ "a": 2, "b": 3 })).check_output().await.unwrap();
        assert!(result.text().contains('5'));
        assert_eq!(result.structured::<Sum>().unwrap().sum, 5);
    });
    check!("reports before the result", |client| {
        let call = client.call_tool("count", json!({ "n": 20 })).record().await;
        assert!(call.text().contains("counted to 20"));
        assert_eq!(call.reports(), (1..=20).map(|step| format!("{step}/20 step {step}")).collect::<Vec<_>>());
    });
    check!("twenty calls at once", |client| {
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let client = Arc::clone(&client);
            calls.spawn(async move {
                let mut stream = client.call_tool("count", json!({ "n": 10 })).progress_stream();
                let mut done = Vec::new();
                while let Some(report) = stream.next().await {
                    done.push(report.done);
                }
                stream.result().await.unwrap();
                done
            });
        }
        for done in calls.join_all().await {
            assert_eq!(done, (1..=10).map(f64::from).collect::<Vec<_>>());
        }
    });
    check!("a tool that fails", |client| {
        let result = client.call_tool("fail", json!({})).await.unwrap();
        assert!(result.is_error && result.text().contains("on purpose"), "{}", result.text());
    });
    check!("an unknown tool", |client| {
        match client.call_tool("nope", json!({})).await {
            Ok(result) => assert!(result.is_error),
            Err(error) => assert!(matches!(error, CallError::Server(_)), "{error}"),
        }
    });
    for (given, expected) in [
        (ElicitResult::accept(json!({ "name": "Ada" })), "hello Ada"),
        (ElicitResult::decline(), "declined"),
        (ElicitResult::cancel(), "cancelled"),
    ] {
        *answer.lock().unwrap() = given;
        check!("the user is asked", |client| {
            let result = client.call_tool("ask", json!({})).await.unwrap();
            assert!(result.text().contains(expected), "{}", result.text());
        });
    }
    check!("the model is asked", |client| {
        let result = client.call_tool("ask_model", json!({})).await.unwrap();
        assert!(result.text().contains("model said tea"), "{}", result.text());
    });
    check!("the folders are asked for", |client| {
        let result = client.call_tool("where", json!({})).await.unwrap();
        assert!(result.text().contains("file:///home/ada"), "{}", result.text());
    });
    check!("what is logged arrives", |client| {
        client.call_tool("log", json!({ "text": "poured" })).await.unwrap();
        assert!(logs.recv().await.unwrap().contains("poured"));
    });
    check!("an argument in a header", |client| {
        let result = client.call_tool("region", json!({ "region": " Zürich" })).await.unwrap();
        assert!(result.text().contains("Zürich"), "{}", result.text());
    });
    check!("resources", |client| {
        let listed = client.list_resources().await.unwrap();
        assert!(listed.iter().any(|resource| resource.uri == "test://text"), "{listed:?}");
        let templates = client.list_resource_templates().await.unwrap();
        assert_eq!(templates[0].uri_template, "test://item/{id}");
        assert_eq!(client.read_resource("test://text").await.unwrap().text(), "hello");
        assert_eq!(client.read_resource("test://bytes").await.unwrap().contents[0].bytes().unwrap(), [0, 1, 2]);
        assert_eq!(client.read_resource("test://item/7").await.unwrap().text(), "item 7");
        let error = client.read_resource("test://nope").await.unwrap_err();
        assert!(error.is_not_found(), "{error}");
    });
    check!("prompts", |client| {
        let listed = client.list_prompts().await.unwrap();
        assert_eq!((&*listed[0].name, &*listed[0].arguments[0].name), ("greet", "name"));
        let prompt = client.get_prompt("greet", json!({ "name": "Ada" })).await.unwrap();
        assert!(format!("{:?}", prompt.messages).contains("Greet Ada"), "{:?}", prompt.messages);
    });
    check!("completion", |client| {
        let names = client.complete_prompt("greet", "name", "Al").await.unwrap();
        assert_eq!(names.values, ["Alan", "Alice"]);
        let ids = client.complete_resource("test://item/{id}", "id", "3").await.unwrap();
        assert_eq!(ids.values, ["33"]);
    });
    if unasked {
        check!("there is no subscription", |client| {
            let filter = SubscriptionFilter {
                tools_list_changed: true,
                resource_subscriptions: vec!["test://text".into()],
                ..SubscriptionFilter::default()
            };
            assert!(client.listen(filter).await.is_err());
            client.call_tool("change", json!({})).await.unwrap();
            assert_eq!(changes.recv().await, Some(Change::Tools));
            client.call_tool("touch", json!({})).await.unwrap();
            assert_eq!(changes.recv().await, Some(Change::Resource("test://text".into())));
        });
    } else {
        check!("a subscription hears of changes", |client| {
            let filter = SubscriptionFilter {
                tools_list_changed: true,
                resource_subscriptions: vec!["test://text".into()],
                ..SubscriptionFilter::default()
            };
            let mut subscription = client.listen(filter).await.unwrap();
            client.call_tool("change", json!({})).await.unwrap();
            let heard = subscription.next().await.unwrap().unwrap();
            assert_eq!(heard, SubscriptionEvent::Change(Change::Tools));
            client.call_tool("touch", json!({})).await.unwrap();
            let heard = subscription.next().await.unwrap().unwrap();
            assert_eq!(heard, SubscriptionEvent::Change(Change::Resource("test://text".into())));
            assert_eq!(changes.recv().await, Some(Change::Tools));
        });
    }
    let log = cancelled.to_owned();
    check!("a call that is given up is cancelled", |client| {
        let sleeping = client.call_tool("sleep", json!({ "ms": 60_000 })).timeout(Duration::from_millis(500));
        let error = sleeping.await.unwrap_err();
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");
        // The file is the only thing that can tell.
        while !std::fs::read_to_string(&log).is_ok_and(|text| text.contains("cancelled")) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(client.call_tool("sleep", json!({ "ms": 1 })).await.unwrap().text(), "slept");
    });
    let Some(client) = Arc::into_inner(client) else {
        return tally.fail(format!("{label}: a check has left something running"));
    };
    let is_child = !over_http;
    tally
        .check(format!("{label}: the end"), async move {
            let status = client.close().await;
            assert!(!is_child || status.is_some_and(|status| status.success()), "{status:?}");
        })
        .await;
}
