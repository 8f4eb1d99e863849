//! A server under load: a process of its own, and clients by the hundred. With `MCP_STRESS=1` there are thousands.
//!
//! Nothing here is measured against a clock: what has to be open at a time waits at a gate that the test opens, and a time
//! bounds no more than a hang. The figures are printed: `cargo test --test load -- --nocapture`.

#![cfg(unix)]

mod support;

use std::net::SocketAddr;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::StatusCode;
use serde_json::{Value, json};
use support::http::{Answer, Ask, Connection, LONG, text_of};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;

/// How much of something there is: what a machine can always do, unless there is time for everything.
fn size(always: usize, in_full: usize) -> usize {
    if std::env::var_os("MCP_STRESS").is_some_and(|value| value == "1") { in_full } else { always }
}

/// So many at a time: more would wait for each other in the queue of connections to be accepted.
const AT_A_TIME: usize = 64;

/// So many clients ask one thing after another.
const CLIENTS: usize = 16;

/// One after another: each has the machine to itself, and its memory and descriptors.
static ALONE: Mutex<()> = Mutex::new(());

fn alone<F: Future>(test: F) -> F::Output {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG * 15, test).await.expect("the test ends") })
}

/// The server, as a process.
struct Process {
    child: Child,
    input: ChildStdin,
    address: SocketAddr,
}

impl Process {
    async fn start(arguments: &[&str]) -> Self {
        let mut command = tokio::process::Command::from(support::example("under_load", arguments));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
        let (output, input) = child.stdout.take().zip(child.stdin.take()).unwrap();
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).await.unwrap();
        let address = line.trim().strip_prefix("listening on http://").and_then(|rest| rest.strip_suffix("/mcp"));
        Self { child, input, address: address.unwrap().parse().unwrap() }
    }

    /// Lets all calls of `pass` go on.
    async fn open_the_gate(&mut self) {
        self.input.write_all(b"open\n").await.unwrap();
    }

    /// A figure of its memory, in bytes; `None` where the system tells none.
    fn memory(&self, figure: &str) -> Option<usize> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix(figure)).expect("there is such a figure");
        let kilobytes: usize = line.trim_matches(|c: char| !c.is_ascii_digit()).parse().expect("it is a number");
        Some(kilobytes * 1024)
    }

    async fn send(&self, ask: Ask) -> Answer {
        Connection::open(self.address).await.send(ask).await.expect("it answers")
    }

    /// Begins a session of an older client.
    async fn session(&self) -> String {
        let mut connection = Connection::open(self.address).await;
        begin(&mut connection).await.expect("it has only begun")
    }

    fn tell_to_end(&self) {
        let pid = self.child.id().expect("it still runs").to_string();
        assert!(Command::new("kill").args(["-s", "TERM", &pid]).status().unwrap().success());
    }

    async fn ended(&mut self) -> ExitStatus {
        tokio::time::timeout(LONG, self.child.wait()).await.expect("it ends").unwrap()
    }
}

/// Shakes hands on a connection: the id of the session, unless it was forgotten in between.
async fn begin(connection: &mut Connection) -> Option<String> {
    let answer = connection.request(Ask::initialize("2025-11-25", json!({}))).await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    let id = answer.header("mcp-session-id").expect("it has a session").to_owned();
    answer.text().await;
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let answer = connection.request(Ask::post(&initialized).session(&id)).await.unwrap();
    let status = answer.status;
    answer.text().await;
    if status == StatusCode::NOT_FOUND {
        return None;
    }
    assert_eq!(status, StatusCode::ACCEPTED);
    Some(id)
}

/// The `at`th call, of a stateless client or of one with a session.
fn call(session: Option<&String>, at: usize, tool: &str, arguments: Value) -> Ask {
    match session {
        None => Ask::call(at, tool, arguments),
        Some(session) => Ask::legacy_call(session, at, tool, arguments),
    }
}

/// Sessions for every other one of some calls, of five each: messages for one call could also go to another.
async fn sessions(server: &Process, calls: usize) -> Vec<Option<String>> {
    let mut sessions = Vec::new();
    for _ in 0..calls.div_ceil(10) {
        sessions.push(server.session().await);
    }
    (0..calls).map(|at| (at % 2 == 1).then(|| sessions[at / 10].clone())).collect()
}

fn kilobytes(bytes: usize) -> f64 {
    bytes as f64 / 1024.0
}

// ---- Many streams --------------------------------------------------------------------------------------------------

/// What a call of `pass` says: as many reports.
const REPORTS: u64 = 20;

/// What came otherwise than it should.
#[derive(Debug, Default, PartialEq)]
struct Faults {
    lost: u64,
    reordered: u64,
    late: u64,
    misrouted: u64,
    unanswered: u64,
}

/// Reads all that comes for the `at`th call, and tells once the first report is there.
async fn listen(mut stream: Answer, at: usize, is_there: mpsc::UnboundedSender<()>) -> Faults {
    assert!(stream.status == StatusCode::OK && stream.is_events(), "{at}: {}", stream.status);
    let (mut faults, mut last, mut reports, mut answered) = (Faults::default(), 0, 0, false);
    while let Some(message) = stream.message().await {
        if message.get("method").is_some() {
            let params = &message["params"];
            let progress = params["progress"].as_u64().unwrap_or_else(|| panic!("{message}"));
            let is_ours = params["progressToken"] == format!("token {at}");
            faults.misrouted += u64::from(!is_ours);
            faults.late += u64::from(is_ours && answered);
            faults.reordered += u64::from(is_ours && progress <= last);
            reports += u64::from(is_ours);
            last = progress;
            if reports == 1 {
                is_there.send(()).expect("the test waits for it");
            }
        } else if message["id"] == at {
            assert!(!answered, "{at} is answered twice");
            assert_eq!(text_of(&message), REPORTS.to_string());
            answered = true;
        } else {
            faults.misrouted += 1;
        }
    }
    faults.lost = REPORTS.saturating_sub(reports);
    faults.unanswered = u64::from(!answered);
    faults
}

/// How many files this process may have open, and each that it starts.
fn descriptors() -> usize {
    let told = Command::new("sh").args(["-c", "ulimit -n"]).output().unwrap().stdout;
    String::from_utf8(told).unwrap().trim().parse().unwrap_or(usize::MAX)
}

// rows: PROG-2, PROG-4, PROG-5, HTTP-11
#[test]
fn each_of_many_streams_gets_its_own_reports_all_of_them_and_in_order() {
    let wanted = size(200, 5000);
    let streams = wanted.min(descriptors().saturating_sub(100));
    if streams < wanted {
        println!("{streams} streams, not {wanted}: more files can't be open here; `ulimit -n` raises that");
    }
    alone(async {
        let mut server = Process::start(&[]).await;
        let sessions = sessions(&server, streams).await;
        for session in &sessions[..2] {
            let ask = call(session.as_ref(), streams, "echo", json!({ "text": "hi" }));
            assert_eq!(text_of(&server.send(ask).await.response().await), "hi");
        }
        let idle = server.memory("VmRSS");

        let (is_there, mut there) = mpsc::unbounded_channel();
        let (opening, mut listening) = (Arc::new(Semaphore::new(AT_A_TIME)), JoinSet::new());
        for (at, session) in sessions.into_iter().enumerate() {
            let (address, is_there, opening) = (server.address, is_there.clone(), Arc::clone(&opening));
            listening.spawn(async move {
                let stream = {
                    let _turn = opening.acquire().await.unwrap();
                    let ask = call(session.as_ref(), at, "pass", json!({ "n": REPORTS }));
                    Connection::open(address).await.send(ask).await.expect("it answers")
                };
                listen(stream, at, is_there).await
            });
        }
        drop(is_there);
        for _ in 0..streams {
            // `None` when one has failed, which the tasks tell below.
            if there.recv().await.is_none() {
                break;
            }
        }
        let open = server.memory("VmRSS");
        server.open_the_gate().await;
        let mut all = Faults::default();
        while let Some(faults) = listening.join_next().await {
            let Faults { lost, reordered, late, misrouted, unanswered } = faults.unwrap();
            all.lost += lost;
            all.reordered += reordered;
            all.late += late;
            all.misrouted += misrouted;
            all.unanswered += unanswered;
        }
        println!("{streams} streams at a time, {} reports: {all:?}", streams as u64 * REPORTS);
        if let (Some(idle), Some(open), Some(peak)) = (idle, open, server.memory("VmHWM")) {
            let of_each = |figure: usize| kilobytes(figure.saturating_sub(idle)) / streams as f64;
            println!(
                "memory: {:.0} KiB idle, {:.1} KiB for each open stream, {:.1} KiB at the most",
                kilobytes(idle),
                of_each(open),
                of_each(peak)
            );
        }
        assert_eq!(all, Faults::default());
        server.tell_to_end();
        assert!(server.ended().await.success());
    });
}

// ---- Many sessions -------------------------------------------------------------------------------------------------

/// Begins sessions that nobody ends: their ids. One in ten leaves a call that runs, and one in ten a stream of changes.
async fn abandon(server: &Process, sessions: usize) -> Vec<String> {
    let mut opening = JoinSet::new();
    let address = server.address;
    for worker in 0..CLIENTS {
        opening.spawn(async move {
            let mut connection = Connection::open(address).await;
            let mut ids = Vec::new();
            for at in (worker..sessions).step_by(CLIENTS) {
                // One that was forgotten in between is as gone as any.
                let Some(id) = begin(&mut connection).await else { continue };
                let left = match at % 10 {
                    0 => Some(Ask::legacy_call(&id, at, "hold", json!({}))),
                    5 => Some(Ask::new("GET").header("accept", "text/event-stream").session(&id)),
                    _ => None,
                };
                if let Some(ask) = left {
                    let mut stream = Connection::open(address).await.send(ask).await.unwrap();
                    if stream.status != StatusCode::NOT_FOUND {
                        assert_eq!(stream.status, StatusCode::OK);
                        stream.event().await.expect("it has begun");
                    }
                }
                ids.push(id);
            }
            ids
        });
    }
    opening.join_all().await.concat()
}

/// Waits until all sessions are gone. To ask for one is to use it, so that each is asked for when its time is over.
async fn gone(server: &Process, mut ids: Vec<String>, idle: Duration) {
    let deadline = Instant::now() + LONG + idle;
    let mut connection = Connection::open(server.address).await;
    while !ids.is_empty() {
        assert!(Instant::now() < deadline, "{} sessions are not forgotten", ids.len());
        // It is looked for them every eighth of their time.
        tokio::time::sleep(idle + idle / 4).await;
        let mut left = Vec::new();
        for id in ids {
            let answer = connection.request(Ask::legacy(&id, 1, "ping", json!({}))).await.unwrap();
            if answer.status != StatusCode::NOT_FOUND {
                assert_eq!(answer.status, StatusCode::OK);
                left.push(id);
            }
            answer.text().await;
        }
        ids = left;
    }
}

/// So many rounds come before those that are compared.
const WARM_UP: usize = 2;

// rows: LHTTP-5
#[test]
fn sessions_that_nobody_ends_are_forgotten_and_leave_no_memory_behind() {
    let sessions = size(300, 10_000);
    let (idle, rounds) = (size(1, 20), WARM_UP + size(1, 4));
    alone(async {
        let mut server = Process::start(&["--session-idle", &idle.to_string()]).await;
        let mut left = Vec::new();
        for round in 0..rounds {
            let begun = abandon(&server, sessions).await;
            let (count, open) = (begun.len(), server.memory("VmRSS"));
            gone(&server, begun, Duration::from_secs(idle as u64)).await;
            if let (Some(open), Some(after)) = (open, server.memory("VmRSS")) {
                let (open, shown) = (kilobytes(open), kilobytes(after));
                println!("round {round}: {count} sessions, {open:.0} KiB with them, {shown:.0} KiB without");
                left.push(after);
            }
        }
        // In the first rounds tables grow to their size, and the heap gets the holes that later sessions fill.
        if let Some((warm, others)) = left.get(WARM_UP - 1..).and_then(<[_]>::split_first) {
            assert!(others.iter().all(|after| *after <= warm + warm / 10), "memory in bytes: {left:?}");
        }
        server.tell_to_end();
        assert!(server.ended().await.success());
    });
}

// ---- The end under load --------------------------------------------------------------------------------------------

/// How the clients of a server that was told to end have fared.
#[derive(Debug, Default)]
struct Fates {
    results: usize,
    errors: usize,
    /// Requests that were not begun any more.
    refused: usize,
    /// Connections that were closed before an answer.
    closed: usize,
}

impl Fates {
    fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.errors += other.errors;
        self.refused += other.refused;
        self.closed += other.closed;
    }
}

/// Reads on to the end of a call that has reported already.
async fn to_the_end(stream: Answer, at: usize) -> Fates {
    let messages = stream.messages().await;
    let response = messages.last().unwrap_or_else(|| panic!("{at} is not answered"));
    assert_eq!(response["id"], at, "{response}");
    if let Some(error) = response.get("error") {
        assert_eq!(error["message"], "the server is shutting down");
        return Fates { errors: 1, ..Fates::default() };
    }
    Fates { results: 1, ..Fates::default() }
}

/// Calls one after another on the same connection until the server will have no more of them, and tells of the first.
async fn busy(mut connection: Connection, called: mpsc::UnboundedSender<()>) -> Fates {
    let mut fates = Fates::default();
    for at in 0.. {
        let ask = Ask::call(at, "echo", json!({ "text": "hi" }));
        match connection.request(ask).await {
            Ok(answer) if answer.status == StatusCode::OK => {
                let response = answer.json().await;
                assert_eq!((&response["id"], text_of(&response)), (&json!(at), "hi"));
                fates.results += 1;
                if at == 0 {
                    called.send(()).unwrap();
                }
            }
            Ok(answer) => {
                assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
                answer.text().await;
                fates.refused += 1;
            }
            Err(_) => {
                fates.closed += 1;
                break;
            }
        }
    }
    fates
}

/// A connection that rests, after a request or before the first one.
async fn resting(address: SocketAddr, after_a_request: bool) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    if after_a_request {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\nok\n") {
            assert!(stream.read_buf(&mut answer).await.unwrap() > 0);
        }
    }
    stream
}

/// Waits until the server closes a connection: what it has still said.
async fn rest_of(mut stream: TcpStream) -> String {
    let mut rest = Vec::new();
    // A connection that was reset is closed too.
    let _ = tokio::time::timeout(LONG, stream.read_to_end(&mut rest)).await.expect("it is closed");
    String::from_utf8(rest).unwrap()
}

/// A request whose body goes on.
const BEGINNING: &str = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
    accept: application/json, text/event-stream\r\ncontent-length: 100\r\n\r\n{";

/// Tells a server to end while it serves calls, some of which never end by themselves.
async fn end_under_load(drain: u64, held: impl Fn(usize) -> bool) {
    let calls = size(50, 1000).min(descriptors().saturating_sub(200) / 2);
    let mut server = Process::start(&["--drain", &drain.to_string()]).await;
    let address = server.address;

    // Calls that run: of each hundred ten share a connection, and the others have their own.
    let (mut running, mut shared) = (JoinSet::new(), Vec::new());
    let mut held_calls = 0;
    for (at, session) in sessions(&server, calls).await.into_iter().enumerate() {
        let tool = if held(at) { "hold" } else { "pass" };
        held_calls += usize::from(held(at));
        let arguments = if held(at) { json!({}) } else { json!({ "n": 3 }) };
        let ask = call(session.as_ref(), at, tool, arguments);
        let mut stream = if at % 100 < 10 {
            if at % 100 == 0 {
                shared.push(Connection::open_h2(address).await);
            }
            let connection: &Connection = shared.last().expect("it was opened by the first of them");
            connection.same().request(ask).await.unwrap()
        } else {
            server.send(ask).await
        };
        assert_eq!(stream.status, StatusCode::OK);
        assert_eq!(stream.message().await.unwrap()["params"]["progress"], 1);
        running.spawn(to_the_end(stream, at));
    }

    // Streams without an end of their own.
    let (others, session) = (calls / 10, server.session().await);
    let mut streams = JoinSet::new();
    for at in 0..others {
        let filter = json!({ "notifications": { "toolsListChanged": true } });
        let mut stream = server.send(Ask::modern(at, "subscriptions/listen", filter)).await;
        let acknowledged = stream.message().await.unwrap();
        assert_eq!(acknowledged["method"], "notifications/subscriptions/acknowledged");
        streams.spawn(async move {
            let messages = stream.messages().await;
            assert_eq!(messages.len(), 1, "{messages:?}");
            assert_eq!((&messages[0]["id"], &messages[0]["result"]["resultType"]), (&json!(at), &json!("complete")));
        });
        let mut stream = server.send(Ask::new("GET").header("accept", "text/event-stream").session(&session)).await;
        assert_eq!(stream.status, StatusCode::OK);
        stream.event().await.expect("it has begun");
        streams.spawn(async move { assert_eq!(stream.messages().await.len(), 0) });
    }

    let mut idle = JoinSet::new();
    for at in 0..others * 2 {
        idle.spawn(rest_of(resting(address, at % 2 == 0).await));
    }
    // Requests that were begun and never ended: nothing of them has to be finished.
    let mut broken_off = JoinSet::new();
    for sent in ["POST /mcp HTTP/1.1\r\nhost: loc", BEGINNING] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(sent.as_bytes()).await.unwrap();
        broken_off.spawn(rest_of(stream));
    }

    // Clients that go on.
    let mut calling = JoinSet::new();
    let (called, mut first_calls) = mpsc::unbounded_channel();
    for at in 0..CLIENTS {
        let connection = if at % 4 == 0 { Connection::open_h2(address).await } else { Connection::open(address).await };
        calling.spawn(busy(connection, called.clone()));
    }
    for _ in 0..CLIENTS {
        first_calls.recv().await.expect("they call");
    }

    server.tell_to_end();
    let told = Instant::now();
    streams.join_all().await;
    assert!(idle.join_all().await.iter().all(String::is_empty));
    let mut of_busy = Fates::default();
    calling.join_all().await.iter().for_each(|fates| of_busy.add(fates));
    // It listens no more, and still finishes what runs.
    assert!(TcpStream::connect(address).await.is_err(), "nobody is accepted any more");
    server.open_the_gate().await;
    let mut of_calls = Fates::default();
    running.join_all().await.iter().for_each(|fates| of_calls.add(fates));
    for rest in broken_off.join_all().await {
        assert!(rest.is_empty() || rest.starts_with("HTTP/1.1 "), "{rest}");
    }
    let status = server.ended().await;
    println!("{calls} calls: {of_calls:?}; {others} streams of changes of each era, {} idle connections", others * 2);
    println!("clients that go on: {of_busy:?}; {status} after {:?}", told.elapsed());
    assert_eq!((of_calls.results, of_calls.errors), (calls - held_calls, held_calls));
    assert_eq!(status.code(), Some(0));
    if held_calls == 0 {
        assert!(told.elapsed() < Duration::from_secs(drain), "nothing was left to wait for");
    }
}

#[test]
fn a_server_that_is_told_to_end_finishes_what_runs_and_leaves_nobody_waiting() {
    alone(end_under_load(50, |_| false));
}

#[test]
fn what_does_not_finish_in_time_is_answered_with_an_error() {
    alone(end_under_load(3, |at| at % 4 > 1));
}
