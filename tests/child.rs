//! The client and its child processes: small shell scripts that behave well, badly, or not at all.

#![cfg(unix)]

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_server::client::{CallError, ClientBuilder, ConnectError};
use mcp_server::prelude::*;
use mcp_server::protocol::ProtocolVersion;
use tokio::runtime::Runtime;

/// Reads requests, answers the probe, and leaves the rest to `$1`: a case by its method. `$2` follows the end of the
/// input.
const FAKE: &str = r#"
    echo "pid $$" >&2
    id() { id=${line#*\"id\":}; id=${id%%,*}; }
    result() { id; printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$1"; }
    while IFS= read -r line; do
        case "$line" in
            *'"method":"server/discover"'*) result '{"supportedVersions":["2026-07-28"],"capabilities":{}}' ;;
            *) eval "$1" ;;
        esac
    done
    eval "$2"
"#;

/// A fake that does `each` for a line, and `after` the end of its input.
fn fake(each: &str, after: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", FAKE, "fake", each, after]);
    command
}

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// What the children have written to standard error.
#[derive(Clone, Default)]
struct Stderr(Arc<Mutex<Vec<String>>>);

impl Stderr {
    fn builder(&self) -> ClientBuilder {
        let lines = Arc::clone(&self.0);
        Client::builder()
            .shutdown_timeout(Duration::from_millis(300))
            .on_stderr(move |line| lines.lock().unwrap().push(line.to_owned()))
    }

    fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The number of the latest child, once it has said it.
    fn pid(&self) -> u32 {
        let start = Instant::now();
        loop {
            let pid = self.lines().iter().rev().find_map(|line| line.strip_prefix("pid ")?.parse().ok());
            match pid {
                Some(pid) => return pid,
                None => assert!(start.elapsed() < Duration::from_secs(10), "it said nothing"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Whether the process is there, if only as a zombie.
fn exists(pid: u32) -> bool {
    if cfg!(target_os = "linux") {
        PathBuf::from(format!("/proc/{pid}")).exists()
    } else {
        shell(&format!("kill -0 {pid} 2>/dev/null")).status().unwrap().success()
    }
}

async fn gone_within(pid: u32, limit: Duration) {
    let start = Instant::now();
    while exists(pid) {
        assert!(start.elapsed() < limit, "{pid} is still there after {limit:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Such as a busy machine may take on top.
const SLACK: Duration = Duration::from_secs(5);

// ---- The end of a child --------------------------------------------------------------------------------------------

/// A file that a child writes.
fn file(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

/// Writes its file 200 ms after the end of its input.
fn finishes(name: &str) -> (Command, PathBuf) {
    let path = file(name);
    let mut command = fake("", "sleep 0.2; echo done > \"$FILE\"");
    command.env("FILE", &path);
    (command, path)
}

fn ends_on_term() -> Command {
    fake("", "trap 'exit 7' TERM; while :; do sleep 0.02; done")
}

fn ends_on_nothing() -> Command {
    fake("", "trap '' TERM; while :; do sleep 0.02; done")
}

/// Ends right after the probe.
fn has_ended() -> Command {
    shell(
        r#"echo "pid $$" >&2; read -r line
        echo '{"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{}}}'"#,
    )
}

// rows: STDIO-10
#[tokio::test]
async fn a_closed_child_is_asked_before_it_is_forced() {
    let stderr = Stderr::default();
    let (command, path) = finishes("closed");
    let client = stderr.builder().shutdown_timeout(SLACK).spawn(command).await.unwrap();
    let status = client.close().await.unwrap();
    assert!(status.success() && !exists(stderr.pid()));
    assert_eq!(std::fs::read_to_string(path).unwrap(), "done\n");

    let client = stderr.builder().spawn(ends_on_term()).await.unwrap();
    let start = Instant::now();
    assert_eq!(client.close().await.unwrap().code(), Some(7));
    assert!(start.elapsed() >= Duration::from_millis(300) && !exists(stderr.pid()));

    let client = stderr.builder().spawn(ends_on_nothing()).await.unwrap();
    let start = Instant::now();
    let status = client.close().await.unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert!(start.elapsed() >= Duration::from_millis(1300) && start.elapsed() < Duration::from_millis(1300) + SLACK);
    assert!(!exists(stderr.pid()));

    let client = stderr.builder().spawn(has_ended()).await.unwrap();
    gone_within(stderr.pid(), SLACK).await;
    let start = Instant::now();
    assert!(client.close().await.unwrap().success());
    assert!(start.elapsed() < SLACK);
}

// rows: STDIO-10
#[tokio::test]
async fn a_dropped_child_ends_in_the_background() {
    let stderr = Stderr::default();
    let (command, path) = finishes("dropped");
    drop(stderr.builder().shutdown_timeout(SLACK).spawn(command).await.unwrap());
    gone_within(stderr.pid(), SLACK).await;
    assert_eq!(std::fs::read_to_string(path).unwrap(), "done\n");

    for command in [ends_on_term(), ends_on_nothing(), has_ended()] {
        let start = Instant::now();
        drop(stderr.builder().spawn(command).await.unwrap());
        // The client does not hold up whoever drops it.
        assert!(start.elapsed() < SLACK);
        gone_within(stderr.pid(), Duration::from_millis(1300) + SLACK).await;
    }
}

#[tokio::test]
async fn a_close_that_is_given_up_goes_on_in_the_background() {
    let stderr = Stderr::default();
    let client = stderr.builder().spawn(ends_on_nothing()).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(1), client.close()).await.is_err());
    gone_within(stderr.pid(), Duration::from_millis(1300) + SLACK).await;
}

#[test]
fn no_child_outlives_the_runtime() {
    for client_first in [true, false] {
        let stderr = Stderr::default();
        let runtime = Runtime::new().unwrap();
        let client = runtime.block_on(stderr.builder().spawn(ends_on_nothing())).unwrap();
        let pid = stderr.pid();
        assert!(exists(pid));
        if client_first {
            drop(client);
            drop(runtime);
        } else {
            drop(runtime);
            drop(client);
        }
        assert!(!exists(pid));
    }
}

#[tokio::test]
async fn a_child_that_does_not_read_is_no_reason_to_wait() {
    let stderr = Stderr::default();
    let client = stderr.builder().spawn(fake("sleep 60", "")).await.unwrap();
    let call = client.call_tool("x", json!({ "text": "a".repeat(1_000_000) })).timeout(Duration::from_millis(50));
    assert!(matches!(call.await, Err(CallError::Timeout { .. })));
    let start = Instant::now();
    client.close().await.unwrap();
    assert!(start.elapsed() < Duration::from_millis(1300) + SLACK);
}

// ---- The death of a child ------------------------------------------------------------------------------------------

#[tokio::test]
async fn a_call_tells_how_its_server_died() {
    let ends = [
        ("exit 3", "the connection is closed: the server process has ended (exit status: 3)"),
        ("kill -9 $$", "the connection is closed: the server process has ended (signal: 9 (SIGKILL))"),
        // What it has started holds its output open.
        ("sleep 4 & exit 5", "the connection is closed: the server process has ended (exit status: 5)"),
    ];
    for (end, expected) in ends {
        let stderr = Stderr::default();
        let client = stderr.builder().spawn(fake(end, "")).await.unwrap();
        let start = Instant::now();
        let error = client.call_tool("x", json!({})).await.unwrap_err();
        assert_eq!(error.to_string(), expected);
        assert!(start.elapsed() < Duration::from_secs(3), "{end}");
        let again = client.call_tool("x", json!({})).await.unwrap_err();
        assert_eq!(again.to_string(), expected);
        assert!(!exists(stderr.pid()));
    }
}

#[tokio::test]
async fn what_a_server_said_before_it_died_counts() {
    let last = r#"id; printf '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}\n' "$id"
        result '{"content":[{"type":"text","text":"bye"}]}'; exit 3"#;
    let client = Client::spawn(fake(last, "")).await.unwrap();
    let mut seen = 0;
    let result = client.call_tool("x", json!({})).on_progress(async |_| seen += 1).await.unwrap();
    assert_eq!((result.text().as_str(), seen), ("bye", 1));
}

#[tokio::test]
async fn a_program_that_can_not_serve_is_an_error_that_says_why() {
    let error = Client::spawn(Command::new("/no/such/program")).await.unwrap_err();
    assert_eq!(error.to_string(), "could not start `/no/such/program`");
    assert!(std::error::Error::source(&error).is_some());

    let error = Client::spawn(shell("exit 4")).await.unwrap_err();
    assert_eq!(error.to_string(), "the connection was closed: the server process has ended (exit status: 4)");
}

// ---- Which era -----------------------------------------------------------------------------------------------------

/// Takes the handshake, in a process where nothing else came before it.
const OLD: &str = r#"
    echo "pid $$" >&2
    while IFS= read -r line; do
        id=${line#*\"id\":}; id=${id%%,*}
        case "$line" in
            *'"method":"server/discover"'*) eval "$1" ;;
            *'"method":"initialize"'*)
                printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}}\n' "$id" ;;
            *'"method":"tools/call"'*)
                printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"old"}]}}\n' "$id" ;;
        esac
    done
"#;

fn old(on_probe: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", OLD, "old", on_probe]);
    command
}

// rows: ERA-10
#[tokio::test]
async fn a_child_that_ends_on_the_probe_is_started_again_for_a_handshake() {
    for on_probe in ["exit 1", "exit 0", "exec <&-; exec >&-; sleep 0.05; exit 2", "kill -9 $$"] {
        let stderr = Stderr::default();
        let client = stderr.builder().spawn(old(on_probe)).await.unwrap();
        assert_eq!(client.protocol_version(), ProtocolVersion::V2025_06_18);
        assert_eq!(client.call_tool("x", json!({})).await.unwrap().text(), "old");
        let pids: Vec<u32> = stderr.lines().iter().map(|line| line["pid ".len()..].parse().unwrap()).collect();
        assert_eq!(pids.len(), 2, "{on_probe}");
        gone_within(pids[0], SLACK).await;
        assert!(exists(pids[1]));
        client.close().await;
        assert!(!exists(pids[1]));
    }
}

// rows: ERA-10
#[tokio::test]
async fn a_child_that_ignores_the_probe_is_shaken_hands_with() {
    let stderr = Stderr::default();
    let builder = stderr.builder().probe_timeout(Duration::from_millis(100));
    let client = builder.spawn(old(":")).await.unwrap();
    assert_eq!(client.protocol_version(), ProtocolVersion::V2025_06_18);
    assert_eq!(stderr.lines().len(), 1);
    assert_eq!(client.call_tool("x", json!({})).await.unwrap().text(), "old");
}

#[tokio::test]
async fn a_client_of_the_stateless_kind_alone_starts_a_child_once() {
    let stderr = Stderr::default();
    let builder = stderr.builder().protocol_versions([ProtocolVersion::V2026_07_28]);
    let error = builder.spawn(old("exit 1")).await.unwrap_err();
    assert_eq!(error.to_string(), "the connection was closed: the server process has ended (exit status: 1)");
    assert_eq!(stderr.lines().len(), 1);
}

// rows: ERA-10, CANC-8
#[tokio::test]
async fn a_child_that_never_answers_is_left_in_time() {
    let stderr = Stderr::default();
    let builder = stderr.builder().probe_timeout(Duration::from_millis(50)).connect_timeout(Duration::from_millis(200));
    let start = Instant::now();
    let error = builder.spawn(shell("echo \"pid $$\" >&2; cat > /dev/null")).await.unwrap_err();
    assert!(matches!(error, ConnectError::Timeout { .. }), "{error:?}");
    assert!(start.elapsed() < SLACK);
    gone_within(stderr.pid(), SLACK).await;
}

// ---- What a child writes -------------------------------------------------------------------------------------------

// rows: STDIO-4
#[tokio::test]
async fn standard_error_is_read_to_its_end_and_told_line_by_line() {
    let noise = r#"
        printf 'to the point\r\n\n' >&2
        printf '\377\n' >&2
        head -c 1000000 /dev/zero | tr '\0' 'e' >&2; echo >&2
        printf 'no end' >&2
        result '{"content":[]}'
    "#;
    let stderr = Stderr::default();
    let client = stderr.builder().spawn(fake(noise, "")).await.unwrap();
    client.call_tool("x", json!({})).await.unwrap();
    client.close().await;
    let lines = stderr.lines();
    assert_eq!(lines[1..4], ["to the point", "", "\u{fffd}"]);
    assert_eq!(lines[4], "e".repeat(8 * 1024));
    assert_eq!(lines[5..], ["no end"]);
}

#[tokio::test]
async fn a_hook_that_panics_does_not_stop_the_child() {
    let noise = "head -c 1000000 /dev/zero | tr '\\0' '\\n' >&2; result '{\"content\":[]}'";
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    let builder = Client::builder().on_stderr(move |_| {
        if count.fetch_add(1, Ordering::Relaxed) < 3 {
            panic!("in the hook");
        }
    });
    let client = builder.spawn(fake(noise, "")).await.unwrap();
    client.call_tool("x", json!({})).await.unwrap();
    client.close().await;
    assert_eq!(told.load(Ordering::Relaxed), 1_000_001);
}

// rows: STDIO-2
#[tokio::test]
async fn a_line_without_end_costs_no_memory() {
    let flood = "head -c 300000000 /dev/zero | tr '\\0' 'a'; echo; result '{\"content\":[]}'";
    let client = Client::builder().max_message_size(1024 * 1024).spawn(fake(flood, "")).await.unwrap();
    client.call_tool("x", json!({})).await.unwrap();
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kilobytes < 200_000, "{kilobytes} kB");
    }
}

/// Answers each call, or each two, with a report and the result, in one write.
fn one_write(calls: usize) -> Command {
    let report = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}\n"#;
    let result = r#"{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ok"}]}}\n"#;
    let both = format!("{report}{result}");
    fake(
        &match calls {
            1 => format!(r#"id; printf '{both}' "$id" "$id""#),
            _ => format!(r#"id; a=$id; IFS= read -r line; id; printf '{both}{both}' "$a" "$a" "$id" "$id""#),
        },
        "",
    )
}

// rows: PROG-1, PROG-2
#[test]
fn a_report_that_shares_a_read_with_its_response_is_not_lost() {
    let single = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let multi = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    for runtime in [single, multi] {
        for calls in [1, 2] {
            runtime.block_on(async {
                let client = Arc::new(Client::spawn(one_write(calls)).await.unwrap());
                let call = |client: Arc<Client>| async move {
                    let seen = Arc::new(AtomicUsize::new(0));
                    let hook = Arc::clone(&seen);
                    let call = client.call_tool("x", json!({})).on_progress(async move |_| {
                        tokio::task::yield_now().await;
                        hook.fetch_add(1, Ordering::Relaxed);
                    });
                    assert_eq!(call.await.unwrap().text(), "ok");
                    assert_eq!(seen.load(Ordering::Relaxed), 1);
                };
                for _ in 0..1000 {
                    let calls: Vec<_> = (0..calls).map(|_| tokio::spawn(call(Arc::clone(&client)))).collect();
                    for call in calls {
                        call.await.unwrap();
                    }
                }
                Arc::into_inner(client).unwrap().close().await;
            });
        }
    }
}
