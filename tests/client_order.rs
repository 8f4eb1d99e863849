//! The promise of the client in one table: the reports of a call are handed on in the order of the wire, one at a time,
//! and all of them before its result. Each way to a server, each era, each runtime, each kind of listener, one call and
//! many: all of it is run, and a line is printed for each cell.
//!
//! `MCP_STRESS=1` makes each call report 5,000 times instead of 40.

mod support;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use mcp_server::client::{CallError, ClientBuilder};
use mcp_server::prelude::*;
use mcp_server::protocol::ProtocolVersion;
use support::http::Site;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::runtime::Runtime;

const ERAS: [ProtocolVersion; 2] = [ProtocolVersion::V2026_07_28, ProtocolVersion::V2025_11_25];
const CALLS: [usize; 2] = [1, 64];

fn reports() -> usize {
    if std::env::var_os("MCP_STRESS").is_some() { 5_000 } else { 40 }
}

/// What listens to a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Listener {
    /// A callback that is done at once.
    Quick,
    /// One that lets everybody else run first.
    Slow,
    /// One that asks the same server for something.
    CallsBack,
    /// The reports as a stream.
    Stream,
    /// A callback that panics at the third report.
    Panics,
    /// A caller that gives the call up after the third report.
    GivesUp,
}

const LISTENERS: [Listener; 6] =
    [Listener::Quick, Listener::Slow, Listener::CallsBack, Listener::Stream, Listener::Panics, Listener::GivesUp];

/// Count to n, with a report for each step.
#[tool]
async fn count(n: u32, ctx: Context) -> Result<u32, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, None::<&str>).await?;
    }
    Ok(n)
}

fn server() -> Server {
    Server::new("counter").tool(count)
}

fn runtimes() -> [(&'static str, Runtime); 2] {
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    [("one thread", single), ("four threads", multi)]
}

/// What a listener has seen of one call.
#[derive(Default)]
struct Seen {
    reports: Mutex<Vec<f64>>,
    is_busy: AtomicBool,
}

impl Seen {
    fn begin(&self, report: &Progress) -> usize {
        assert!(!self.is_busy.swap(true, Ordering::SeqCst), "two reports of a call are handed on at a time");
        let mut reports = self.reports.lock().unwrap();
        reports.push(report.done);
        reports.len()
    }

    fn end(&self) {
        self.is_busy.store(false, Ordering::SeqCst);
    }

    /// Holds what was seen against what was sent: from the first one on, with none left out.
    fn check(&self, at_least: usize) {
        let reports = self.reports.lock().unwrap();
        let expected: Vec<f64> = (1..=reports.len()).map(|at| at as f64).collect();
        assert_eq!(*reports, expected);
        assert!(reports.len() >= at_least, "{} of {at_least} reports came before the result", reports.len());
    }
}

/// Makes one call with a listener of that kind, and holds what came of it against what must.
async fn one_call(client: Arc<Client>, listener: Listener) {
    let n = reports();
    let seen = Arc::new(Seen::default());
    let call = client.call_tool("count", json!({ "n": n }));
    let result = match listener {
        Listener::Stream => {
            let mut stream = call.progress_stream();
            while let Some(report) = stream.next().await {
                seen.begin(&report);
                seen.end();
            }
            stream.result().await
        }
        Listener::GivesUp => {
            let mut stream = call.progress_stream();
            for _ in 0..3 {
                seen.begin(&stream.next().await.expect("there are more than three"));
                seen.end();
            }
            drop(stream);
            return seen.check(3);
        }
        Listener::Panics => {
            let (caller, hook) = (Arc::clone(&client), Arc::clone(&seen));
            let calling = tokio::spawn(async move {
                let call = caller.call_tool("count", json!({ "n": n }));
                call.on_progress(async move |report: Progress| {
                    if hook.begin(&report) == 3 {
                        // As a panic does it, but without its words in the log.
                        std::panic::resume_unwind(Box::new("the callback panics, as it should here"));
                    }
                    hook.end();
                })
                .await
            });
            assert!(calling.await.unwrap_err().is_panic());
            return seen.check(3);
        }
        Listener::Quick | Listener::Slow | Listener::CallsBack => {
            let (caller, hook) = (Arc::clone(&client), Arc::clone(&seen));
            call.on_progress(async move |report: Progress| {
                let count = hook.begin(&report);
                match listener {
                    Listener::Slow => {
                        for _ in 0..3 {
                            tokio::task::yield_now().await;
                        }
                    }
                    Listener::CallsBack if count % 10 == 1 => {
                        let text = caller.call_tool("count", json!({ "n": 1 })).await.unwrap().text();
                        assert_eq!(text, "1");
                    }
                    _ => {}
                }
                hook.end();
            })
            .await
        }
    };
    assert_eq!(result.unwrap().text(), n.to_string());
    seen.check(n);
}

/// Runs the table for one way to a server.
async fn cells(way: &str, era: ProtocolVersion, runtime: &str, client: Client) {
    assert_eq!(client.protocol_version(), era);
    let client = Arc::new(client);
    for listener in LISTENERS {
        for calls in CALLS {
            let calling: Vec<_> = (0..calls)
                .map(|at| {
                    // Those that misbehave are among others that do not, which must not notice.
                    let misbehaves = matches!(listener, Listener::Panics | Listener::GivesUp);
                    let listener = if misbehaves && at % 4 != 0 { Listener::Quick } else { listener };
                    tokio::spawn(one_call(Arc::clone(&client), listener))
                })
                .collect();
            for call in calling {
                call.await.unwrap_or_else(|error| {
                    panic!("{way}, {era}, {runtime}, {listener:?}, {calls} at once: {error}");
                });
            }
            println!("{way:<28} {era} {runtime:<12} {listener:<9?} {calls:>2} at once: in order, none lost");
        }
    }
    let result: Result<_, CallError> = client.call_tool("count", json!({ "n": 1 })).await;
    assert_eq!(result.unwrap().text(), "1", "the client works on");
    Arc::into_inner(client).expect("no call is left").close().await;
}

/// Runs the table for a way that `connect` opens.
fn table(way: &str, connect: impl AsyncFn(ClientBuilder) -> Client) {
    for (name, runtime) in runtimes() {
        for era in ERAS {
            runtime.block_on(async {
                let client = connect(Client::builder().protocol_versions([era])).await;
                cells(way, era, name, client).await;
            });
        }
    }
}

// rows: PROG-2, PROG-3, PROG-4, CANC-1, CANC-5
#[test]
fn in_memory() {
    table("in memory", async |builder| builder.connect(server()).await.unwrap());
}

// rows: PROG-2, PROG-3, PROG-4, CANC-1, CANC-5
#[test]
fn through_the_pipes_of_a_child() {
    table("the pipes of a child", async |builder| builder.spawn(support::example("test_tools", &[])).await.unwrap());
}

/// Passes on what the server writes, but only as far as the end of a response, so that its reports share a read with it.
async fn held_back(mut from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin) {
    let (mut held, mut chunk) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let length = from.read(&mut chunk).await.unwrap_or(0);
        if length == 0 {
            break;
        }
        held.extend_from_slice(&chunk[..length]);
        let (mut passed, mut end) = (0, 0);
        for line in held.split_inclusive(|byte| *byte == b'\n') {
            passed += line.len();
            let is_report = String::from_utf8_lossy(line).contains(r#""method":"notifications/progress""#);
            if line.ends_with(b"\n") && !is_report {
                end = passed;
            }
        }
        if end > 0 && to.write_all(&held[..end]).await.is_err() {
            break;
        }
        held.drain(..end);
    }
}

// rows: PROG-2, PROG-3, PROG-4
#[test]
fn with_reports_that_share_a_read_with_their_response() {
    table("one read for all of a call", async |builder| {
        let pipe = || tokio::io::duplex(1024 * 1024);
        let ((to_server, requests), (output, relayed), (passing, from_server)) = (pipe(), pipe(), pipe());
        tokio::spawn(server().serve(requests, output));
        tokio::spawn(held_back(relayed, passing));
        builder.streams(from_server, to_server).await.unwrap()
    });
}

// rows: PROG-2, PROG-3, PROG-4, CANC-1, CANC-5
#[cfg(unix)]
#[test]
fn through_a_unix_socket() {
    let folder = std::env::temp_dir().join(format!("client-order-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("socket");
    table("a Unix socket", async |builder| {
        let _ = std::fs::remove_file(&path);
        let listener = tokio::net::UnixListener::bind(&path).unwrap();
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let (reader, writer) = stream.into_split();
            server().serve(reader, writer).await.unwrap();
        });
        builder.unix(&path).await.unwrap()
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

// rows: PROG-2, PROG-3, PROG-4, CANC-1, CANC-5
#[test]
fn over_http() {
    table("HTTP", async |builder| {
        let site = Site::open(server()).await;
        let client = builder.http(&format!("http://{}/mcp", site.address)).await.unwrap();
        // It goes on for as long as the runtime does.
        std::mem::forget(site);
        client
    });
}
