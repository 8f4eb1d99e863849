//! What `report_progress` promises, one test for each promise, and that it holds under load.

mod support;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mcp_server::prelude::*;
use mcp_server::{ProgressError, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{META, Wire, block_on};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf,
};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinSet;

// ---- Under load ----------------------------------------------------------------------------------------------------

/// How many reports are made in all: a million when there is time for everything.
fn load() -> u64 {
    if std::env::var_os("MCP_STRESS").is_some_and(|value| value == "1") { 1_000_000 } else { 100_000 }
}

/// How many calls are in flight at a time, and how many tasks share the context of one.
const IN_FLIGHT: u64 = 64;
const TASKS: u64 = 8;

/// Report every number up to one.
#[tool]
async fn count(n: u64, ctx: Context) -> Result<u64, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n)
}

/// Report every number up to one, by several tasks that share a counter.
#[tool]
async fn count_together(n: u64, tasks: u64, ctx: Context) -> Result<u64, ToolError> {
    let bar = ctx.progress(n);
    let mut counting = JoinSet::new();
    for task in 0..tasks {
        let (bar, share) = (bar.clone(), n / tasks + u64::from(task < n % tasks));
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

fn counting() -> Server {
    Server::new("order").tool(count).tool(count_together)
}

// rows: PROG-2, PROG-3, PROG-4, PROG-5, STDIO-6
#[test]
fn many_calls_in_flight_lose_no_report_in_memory_on_many_threads() {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(8).enable_all().build().unwrap();
    runtime.block_on(async {
        let (input, output, serving) = in_memory(counting());
        under_load("in memory, many threads", input, output).await;
        serving.await.unwrap().unwrap();
    });
}

// rows: PROG-2, PROG-3, PROG-4, PROG-5, STDIO-6
#[test]
fn many_calls_in_flight_lose_no_report_in_memory_on_one_thread() {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let (input, output, serving) = in_memory(counting());
        under_load("in memory, one thread", input, output).await;
        serving.await.unwrap().unwrap();
    });
}

// rows: PROG-2, PROG-3, PROG-4, PROG-5, STDIO-6
#[test]
fn many_calls_in_flight_lose_no_report_over_standard_output() {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
        let mut command = tokio::process::Command::new(example("test_tools"));
        command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        under_load("over standard output", input, output).await;
        assert!(child.wait().await.unwrap().success());
    });
}

type Serving = tokio::task::JoinHandle<Result<(), ServeError>>;

fn in_memory(server: Server) -> (WriteHalf<DuplexStream>, BufReader<ReadHalf<DuplexStream>>, Serving) {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let serving = tokio::spawn(server.serve(reader, writer));
    let (reader, writer) = tokio::io::split(ours);
    (writer, BufReader::new(reader), serving)
}

/// What can go wrong with a report.
#[derive(Debug, Default, PartialEq, Eq)]
struct Faults {
    lost: u64,
    reordered: u64,
    late: u64,
    misrouted: u64,
}

/// Keeps calls in flight until all reports are made, and counts what is wrong with them.
async fn under_load(place: &str, mut input: impl AsyncWrite + Unpin, mut output: impl AsyncBufRead + Unpin) {
    let started = Instant::now();
    let (mut begun, mut ended, mut reports) = (0, 0, 0);
    let mut to_make = load();
    let mut faults = Faults::default();
    // For each call in flight how many reports it makes, and the last one that was seen. No two of these make the same
    // number of reports, so that one that came with another's token is found out by its total.
    let mut in_flight: HashMap<u64, (u64, u64)> = HashMap::new();
    let mut line = Vec::new();
    loop {
        while in_flight.len() < IN_FLIGHT as usize && to_make > 0 {
            let (id, n) = (begun, 200 + begun % (2 * IN_FLIGHT));
            let (tool, arguments) = match id % 2 {
                0 => ("count", json!({ "n": n })),
                _ => ("count_together", json!({ "n": n, "tasks": TASKS })),
            };
            input.write_all(call(id, tool, &arguments, Some(&id.to_string())).as_bytes()).await.unwrap();
            in_flight.insert(id, (n, 0));
            begun += 1;
            to_make = to_make.saturating_sub(n);
        }
        if in_flight.is_empty() {
            break;
        }
        line.clear();
        let read = tokio::time::timeout(PATIENCE, output.read_until(b'\n', &mut line)).await;
        assert!(read.expect("something comes").unwrap() > 0, "the server has ended");
        let message: Message<'_> = serde_json::from_slice(&line).unwrap();
        if let Some(Report { progress_token, progress, total }) = message.params {
            reports += 1;
            match in_flight.get_mut(&progress_token) {
                None => faults.late += 1,
                Some((n, _)) if *n != total => faults.misrouted += 1,
                Some((_, last)) => {
                    faults.reordered += u64::from(progress <= *last);
                    faults.lost += progress.saturating_sub(*last + 1);
                    *last = progress;
                }
            }
        } else {
            let (n, last) = in_flight.remove(&message.id.unwrap()).expect("one answer for each call");
            let text = json!([{ "type": "text", "text": n.to_string() }]);
            assert_eq!(serde_json::from_str::<Value>(message.result.unwrap().content.get()).unwrap(), text);
            faults.lost += n - last;
            ended += 1;
        }
    }
    input.shutdown().await.unwrap();
    drop(input);
    line.clear();
    assert_eq!(output.read_until(b'\n', &mut line).await.unwrap(), 0, "nothing comes after the last answer");
    println!("{place}: {reports} reports of {ended} calls in {:?}: {faults:?}", started.elapsed());
    assert!(reports >= load());
    assert_eq!((ended, faults), (begun, Faults::default()));
}

#[derive(Deserialize)]
struct Message<'a> {
    id: Option<u64>,
    params: Option<Report>,
    #[serde(borrow)]
    result: Option<CallResult<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    progress_token: u64,
    progress: u64,
    total: u64,
}

#[derive(Deserialize)]
struct CallResult<'a> {
    #[serde(borrow)]
    content: &'a RawValue,
}

// ---- First: one ordered queue --------------------------------------------------------------------------------------

// rows: PROG-2, PROG-4
#[test]
fn reports_go_out_in_the_order_in_which_they_were_accepted() {
    // Two calls take turns, so that the order is known.
    let turn = Arc::new(AtomicU32::new(0));
    let taking_turns = tool("take_turns", move |ctx| {
        let turn = Arc::clone(&turn);
        async move {
            let own = if ctx.request_id().to_string() == "1" { 0 } else { 1 };
            for i in 1..=50 {
                while turn.load(Ordering::Relaxed) % 2 != own {
                    tokio::task::yield_now().await;
                }
                ctx.report_progress(i, None, None).await.unwrap();
                turn.fetch_add(1, Ordering::Relaxed);
            }
            "done".into()
        }
    });
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(taking_turns));
        wire.send(
            (call(1, "take_turns", &json!({}), Some("0")) + &call(2, "take_turns", &json!({}), Some("1"))).as_bytes(),
        )
        .await;
        for i in 1..=50 {
            for token in ["0", "1"] {
                assert_eq!(line(&mut wire).await, report(token, i));
            }
        }
        let mut answers = [line(&mut wire).await, line(&mut wire).await].map(|answer| answer["id"].as_u64().unwrap());
        answers.sort_unstable();
        assert_eq!(answers, [1, 2]);
    });
}

// ---- Second: only what grows is sent -------------------------------------------------------------------------------

/// Makes good and bad reports, and tells what became of each.
fn backwards() -> Tool {
    tool("backwards", |ctx| async move {
        let mut told = Vec::new();
        for done in [5.0, 5.0, 3.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 5.5] {
            told.push(format!("{:?}", ctx.report_progress(done, None, None).await));
        }
        told.push(format!("{:?}", ctx.report_progress(7, f64::NAN, None).await));
        told.push(format!("{:?}", ctx.report_progress(6, 9, None).await));
        told.join("\n")
    })
}

const TOLD: &str = "Ok(())
Err(NotIncreasing { last: 5.0, reported: 5.0 })
Err(NotIncreasing { last: 5.0, reported: 3.0 })
Err(NotFinite)
Err(NotFinite)
Err(NotFinite)
Ok(())
Err(NotFinite)
Ok(())";

// rows: PROG-4
#[test]
fn a_report_that_does_not_grow_or_is_not_finite_is_refused_and_the_call_goes_on() {
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(backwards()));
        wire.send(call(1, "backwards", &json!({}), Some("\"t\"")).as_bytes()).await;
        assert_eq!(line(&mut wire).await["params"], json!({ "progressToken": "t", "progress": 5.0 }));
        assert_eq!(line(&mut wire).await["params"], json!({ "progressToken": "t", "progress": 5.5 }));
        assert_eq!(line(&mut wire).await["params"], json!({ "progressToken": "t", "progress": 6, "total": 9 }));
        assert_eq!(text(&line(&mut wire).await), TOLD);
    });
}

// rows: PROG-4
#[test]
fn two_tasks_that_share_a_context_never_send_it_backwards() {
    let racing = tool("race", |ctx| async move {
        let mut tasks = JoinSet::new();
        for _ in 0..4 {
            let ctx = ctx.clone();
            tasks.spawn(async move {
                let mut refused = 0;
                for i in 1..=2000 {
                    match ctx.report_progress(i, 2000, None).await {
                        Ok(()) => {}
                        Err(ProgressError::NotIncreasing { last, reported }) if last >= reported => refused += 1,
                        Err(error) => panic!("{error}"),
                    }
                }
                refused
            });
        }
        tasks.join_all().await.iter().sum::<u32>().to_string()
    });
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(racing));
        wire.send(call(1, "race", &json!({}), Some("1")).as_bytes()).await;
        let (mut last, mut sent) = (0, 0);
        let refused: u32 = loop {
            let message = line(&mut wire).await;
            match message["params"]["progress"].as_u64() {
                Some(progress) => {
                    assert!(progress > last, "{progress} after {last}");
                    (last, sent) = (progress, sent + 1);
                }
                None => break text(&message).parse().unwrap(),
            }
        };
        // What was accepted was sent, what was refused was not.
        assert_eq!((last, sent + refused), (2000, 4 * 2000));
    });
}

// ---- Third: without a token ----------------------------------------------------------------------------------------

// rows: PROG-3
#[test]
fn without_a_token_nothing_is_sent_and_the_checks_are_the_same() {
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(backwards()));
        for token in [None, Some("null")] {
            wire.send(call(1, "backwards", &json!({}), token).as_bytes()).await;
            let answer = line(&mut wire).await;
            assert_eq!((&answer["id"], text(&answer)), (&json!(1), TOLD));
        }
    });
}

// ---- Fourth: nothing after the end ---------------------------------------------------------------------------------

/// Reports once, hands its context out, and does as it is told then.
fn handing_out(contexts: mpsc::UnboundedSender<Context>, go_on: Arc<Notify>) -> Tool {
    tool("hand_out", move |ctx| {
        let (contexts, go_on) = (contexts.clone(), Arc::clone(&go_on));
        async move {
            ctx.report_progress(1, None, None).await.unwrap();
            contexts.send(ctx).unwrap();
            go_on.notified().await;
            "done".into()
        }
    })
}

// rows: PROG-5
#[test]
fn a_report_after_the_response_is_refused_as_finished() {
    block_on(async {
        let (sender, mut contexts) = mpsc::unbounded_channel();
        let go_on = Arc::new(Notify::new());
        let mut wire = Wire::serve(Server::new("order").tool(handing_out(sender, Arc::clone(&go_on))));
        wire.send(call(1, "hand_out", &json!({}), Some("7")).as_bytes()).await;
        let context = contexts.recv().await.unwrap();
        let bar = context.progress(None);
        assert_eq!(line(&mut wire).await, report("7", 1));
        go_on.notify_one();
        assert_eq!(line(&mut wire).await["id"], 1);
        assert_eq!(context.report_progress(2, None, None).await, Err(ProgressError::Finished));
        assert_eq!(context.report_progress_blocking(2, None, None), Err(ProgressError::Finished));
        assert_eq!(bar.advance(2, None).await, Err(ProgressError::Finished));
        assert!(!context.is_cancelled());
        says_nothing_more(wire).await;
    });
}

// rows: PROG-5
#[test]
fn a_report_while_the_response_is_held_back_is_refused_too() {
    block_on(async {
        let (sender, mut contexts) = mpsc::unbounded_channel();
        let go_on = Arc::new(Notify::new());
        go_on.notify_one();
        let server = Server::new("order").tool(handing_out(sender, go_on)).progress_settle(Duration::from_secs(1));
        let mut wire = Wire::serve(server);
        wire.send(call(1, "hand_out", &json!({}), Some("7")).as_bytes()).await;
        let context = contexts.recv().await.unwrap();
        assert_eq!(line(&mut wire).await, report("7", 1));
        assert_eq!(wire.line_within(Duration::from_millis(500)).await, Err(()));
        assert_eq!(context.report_progress(2, None, None).await, Err(ProgressError::Finished));
        assert_eq!(line(&mut wire).await["id"], 1);
        says_nothing_more(wire).await;
    });
}

// rows: PROG-5, CANC-3, STDIO-9
#[test]
fn a_report_after_a_cancellation_is_refused_as_cancelled() {
    block_on(async {
        let (sender, mut contexts) = mpsc::unbounded_channel();
        let mut wire = Wire::serve(Server::new("order").tool(handing_out(sender, Arc::new(Notify::new()))));
        wire.send(call(1, "hand_out", &json!({}), Some("7")).as_bytes()).await;
        let context = contexts.recv().await.unwrap();
        let bar = context.progress(None);
        assert_eq!(line(&mut wire).await, report("7", 1));
        assert!(!context.is_cancelled());
        wire.send(CANCEL).await;
        context.cancelled().await;
        assert!(context.is_cancelled());
        assert_eq!(context.report_progress(2, None, None).await, Err(ProgressError::Cancelled));
        assert_eq!(context.report_progress_blocking(2, None, None), Err(ProgressError::Cancelled));
        assert_eq!(bar.advance(2, None).await, Err(ProgressError::Cancelled));
        says_nothing_more(wire).await;
    });
}

// rows: PROG-5, CANC-3, CANC-5, STDIO-9
#[test]
fn a_cancellation_while_the_response_is_held_back_takes_it_away() {
    block_on(async {
        let (sender, mut contexts) = mpsc::unbounded_channel();
        let go_on = Arc::new(Notify::new());
        go_on.notify_one();
        let server = Server::new("order").tool(handing_out(sender, go_on)).progress_settle(Duration::from_secs(1));
        let mut wire = Wire::serve(server);
        wire.send(call(1, "hand_out", &json!({}), Some("7")).as_bytes()).await;
        let context = contexts.recv().await.unwrap();
        assert_eq!(line(&mut wire).await, report("7", 1));
        assert_eq!(wire.line_within(Duration::from_millis(500)).await, Err(()));
        wire.send(CANCEL).await;
        context.cancelled().await;
        says_nothing_more(wire).await;
    });
}

const CANCEL: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}\n";

// ---- Fifth: the token as it came -----------------------------------------------------------------------------------

// rows: PROG-3
#[test]
fn a_token_goes_back_exactly_as_it_came() {
    block_on(async {
        let mut wire = Wire::serve(counting());
        let tokens = [
            "7",
            "\"7\"",
            "0",
            "\"\"",
            "-3",
            "9007199254740993",
            "18446744073709551615",
            "\"a\\u00e9\\n\"",
            "\"null\"",
        ];
        for token in tokens {
            wire.send(call(1, "count", &json!({ "n": 2 }), Some(token)).as_bytes()).await;
            for done in 1..=2 {
                let expected = format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{done},"total":2}}}}"#
                );
                assert_eq!(wire.line().await, Some(expected));
            }
            assert_eq!(text(&line(&mut wire).await), "2");
        }
    });
}

// rows: PROG-4
#[test]
fn zero_may_be_the_first_report_and_less_than_zero_too() {
    let from_below = tool("from_below", |ctx| async move {
        for done in [-1, 0] {
            ctx.report_progress(done, None, None).await.unwrap();
        }
        ctx.report_progress(u64::MAX, i128::MAX as f64, None).await.unwrap();
        "done".into()
    });
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(from_below));
        wire.send(call(1, "from_below", &json!({}), Some("0")).as_bytes()).await;
        for done in ["-1", "0", "18446744073709551615"] {
            let report = wire.line().await.unwrap();
            assert!(report.contains(&format!(r#""progress":{done}"#)), "{report}");
        }
    });
}

// ---- Sixth: a client that does not read ----------------------------------------------------------------------------

// rows: PROG-7
#[test]
fn a_client_that_does_not_read_holds_up_its_own_tool_and_nobody_else() {
    const REPORTS: u32 = 50_000;
    let accepted = Arc::new(AtomicU32::new(0));
    let server = |accepted: Arc<AtomicU32>| {
        let reporting = tool("report", move |ctx| {
            let accepted = Arc::clone(&accepted);
            async move {
                for i in 1..=REPORTS {
                    ctx.report_progress(i, None, None).await.unwrap();
                    accepted.store(i, Ordering::Relaxed);
                }
                "done".into()
            }
        });
        Server::new("order").tool(reporting).queue_size(4096)
    };
    block_on(async {
        let request = call(1, "report", &json!({}), Some("1"));
        let (mut input, mut unread, serving) = in_memory(server(Arc::clone(&accepted)));
        input.write_all(request.as_bytes()).await.unwrap();
        // The clock is stopped while anybody has something to do.
        tokio::time::sleep(Duration::from_secs(3600)).await;
        let held_at = accepted.load(Ordering::Relaxed);
        assert!((1..5000).contains(&held_at), "{held_at} reports were accepted");

        let mut other = Wire::serve(server(Arc::default()));
        other.send(request.as_bytes()).await;
        for i in 1..=REPORTS {
            assert_eq!(line(&mut other).await, report("1", i));
        }
        assert_eq!(text(&line(&mut other).await), "done");
        assert_eq!(accepted.load(Ordering::Relaxed), held_at);

        // And when it reads at last, nothing is missing.
        let mut read = String::new();
        for i in 1..=REPORTS {
            read.clear();
            unread.read_line(&mut read).await.unwrap();
            assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), report("1", i));
        }
        read.clear();
        unread.read_line(&mut read).await.unwrap();
        assert_eq!(text(&serde_json::from_str(&read).unwrap()), "done");
        input.shutdown().await.unwrap();
        serving.await.unwrap().unwrap();
    });
}

// rows: CANC-3, PROG-5
#[test]
fn a_call_that_waits_for_its_client_to_read_can_be_cancelled() {
    let (sender, mut contexts) = mpsc::unbounded_channel();
    let dropped = Arc::new(AtomicBool::new(false));
    let guard = Arc::clone(&dropped);
    let reporting = tool("report", move |ctx| {
        let (sender, guard) = (sender.clone(), SetOnDrop(Arc::clone(&guard)));
        async move {
            let _guard = guard;
            sender.send(ctx.clone()).unwrap();
            for i in 1.. {
                ctx.report_progress(i, None, None).await.unwrap();
            }
            unreachable!()
        }
    });
    block_on(async {
        let (mut input, mut output, serving) = in_memory(Server::new("order").tool(reporting));
        input.write_all(call(1, "report", &json!({}), Some("1")).as_bytes()).await.unwrap();
        let context = contexts.recv().await.unwrap();
        tokio::time::sleep(Duration::from_secs(3600)).await;
        input.write_all(CANCEL).await.unwrap();
        context.cancelled().await;
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(dropped.load(Ordering::Relaxed));
        // What had been accepted before still comes, whole and in order, and then nothing.
        input.shutdown().await.unwrap();
        let (mut read, mut last) = (String::new(), 0);
        while output.read_line(&mut read).await.unwrap() > 0 {
            last += 1;
            assert_eq!(serde_json::from_str::<Value>(&read).unwrap(), report("1", last));
            read.clear();
        }
        assert!(last > 0);
        serving.await.unwrap().unwrap();
    });
}

// rows: CANC-3, PROG-5
#[test]
fn a_thread_that_waits_for_its_client_to_read_is_let_go_by_a_cancellation() {
    let told = thread_that_is_held(async |mut input, output, serving, context| {
        input.write_all(CANCEL).await.unwrap();
        context.cancelled().await;
        (input, output, serving)
    });
    assert_eq!(told, Ok(ProgressError::Cancelled));
}

// rows: PROG-5
#[test]
fn a_thread_that_waits_for_its_client_to_read_is_let_go_when_nobody_serves_it_any_more() {
    let told = thread_that_is_held(async |input, output, serving, _| {
        serving.abort();
        (input, output, serving)
    });
    assert_eq!(told, Ok(ProgressError::Cancelled));
}

// rows: PROG-5
#[test]
fn a_thread_that_waits_for_its_client_to_read_is_let_go_when_the_client_goes_away() {
    let told = thread_that_is_held(async |input, output, serving, _| {
        // Each half keeps the stream open.
        drop((input, output));
        serving.await.unwrap().unwrap();
    });
    assert_eq!(told, Ok(ProgressError::Cancelled));
}

/// Holds a thread that reports to a client that does not read, and gives what its report was told after `end`.
fn thread_that_is_held<E>(
    end: impl AsyncFnOnce(WriteHalf<DuplexStream>, BufReader<ReadHalf<DuplexStream>>, Serving, Context) -> E,
) -> Result<ProgressError, std::sync::mpsc::RecvTimeoutError> {
    let (sender, refused) = std::sync::mpsc::channel();
    let (contexts, mut context) = mpsc::unbounded_channel();
    let server = Server::new("order").with(Held { sender, contexts }).queue_size(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let told = runtime.block_on(async {
        let (mut input, output, serving) = in_memory(server);
        input.write_all(call(1, "report_until_refused", &json!({}), Some("1")).as_bytes()).await.unwrap();
        let context = context.recv().await.unwrap();
        // Gives the thread the time to be held. Were it not held yet, it would be refused all the same.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let kept = end(input, output, serving, context).await;
        let told = refused.recv_timeout(Duration::from_secs(10));
        drop(kept);
        told
    });
    // A thread that is still held must not hold this one too.
    runtime.shutdown_background();
    told
}

/// A tool on a thread that reports until that is refused, and tells why it was.
struct Held {
    sender: std::sync::mpsc::Sender<ProgressError>,
    contexts: mpsc::UnboundedSender<Context>,
}

#[server]
impl Held {
    /// Report until it is refused.
    #[tool]
    fn report_until_refused(&self, ctx: Context) {
        // Longer than what the client's side takes: the first is being written, the second waits, the third must not.
        let long = "x".repeat(100_000);
        for i in 1.. {
            if i == 3 {
                self.contexts.send(ctx.clone()).unwrap();
            }
            if let Err(refused) = ctx.report_progress_blocking(i, None, &long) {
                self.sender.send(refused).unwrap();
                return;
            }
        }
    }
}

struct SetOnDrop(Arc<AtomicBool>);

impl Drop for SetOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// ---- Seventh: a counter --------------------------------------------------------------------------------------------

// rows: PROG-2, PROG-4
#[test]
fn a_counter_counts_by_itself_from_many_tasks_at_once() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    runtime.block_on(async {
        let mut wire = Wire::serve(counting());
        wire.send(call(1, "count_together", &json!({ "n": 1000, "tasks": 20 }), Some("1")).as_bytes()).await;
        for i in 1..=1000 {
            let expected = json!({ "progressToken": 1, "progress": i, "total": 1000 });
            assert_eq!(line(&mut wire).await["params"], expected);
        }
        assert_eq!(text(&line(&mut wire).await), "1000");
    });
}

// rows: PROG-2, PROG-4
#[test]
fn a_counter_never_fails_for_order() {
    let counter = tool("counter", |ctx| async move {
        let bar = ctx.progress(3.5);
        bar.advance(1, "one").await.unwrap();
        bar.advance(0.5, None).await.unwrap();
        // Nothing has been done, so that there is nothing to say.
        bar.advance(0, "nothing").await.unwrap();
        // By hand it is overtaken, and counts on in silence until it is ahead again.
        ctx.report_progress(3, 3.5, "by hand").await.unwrap();
        bar.advance(1, "behind").await.unwrap();
        bar.clone().advance(1, "ahead").await.unwrap();
        let refused = [bar.advance(f64::NAN, None).await, bar.advance(f32::INFINITY, None).await];
        assert_eq!(refused, [Err(ProgressError::NotFinite); 2]);
        bar.advance(1, "over").await.unwrap();
        "done".into()
    });
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(counter));
        wire.send(call(1, "counter", &json!({}), Some("1")).as_bytes()).await;
        let expected = [(1.0, "one"), (1.5, ""), (3.0, "by hand"), (3.5, "ahead"), (4.5, "over")];
        for (progress, message) in expected {
            let params = &line(&mut wire).await["params"];
            assert_eq!(params["progress"].as_f64(), Some(progress));
            assert_eq!(params["total"], 3.5);
            assert_eq!(params["message"].as_str().unwrap_or_default(), message);
        }
        assert_eq!(text(&line(&mut wire).await), "done");
    });
}

// ---- Eighth: threads, and an interval ------------------------------------------------------------------------------

/// Report every number up to one, from a thread.
#[tool]
fn count_on_a_thread(n: u32, ctx: Context) -> Result<u32, ToolError> {
    let bar = ctx.progress(None);
    for i in 1..=n {
        if i % 2 == 0 {
            bar.advance_blocking(2, None)?;
        } else {
            ctx.report_progress_blocking(i, None, None)?;
        }
    }
    Ok(n)
}

// rows: PROG-2, PROG-4
#[test]
fn a_plain_function_reports_from_its_thread() {
    let runtimes = [
        tokio::runtime::Builder::new_current_thread().enable_all().build(),
        tokio::runtime::Builder::new_multi_thread().enable_all().build(),
    ];
    for runtime in runtimes {
        runtime.unwrap().block_on(async {
            // A queue of few bytes, so that the thread has to wait now and then.
            let mut wire = Wire::serve(Server::new("order").tool(count_on_a_thread {}).queue_size(500));
            wire.send(call(1, "count_on_a_thread", &json!({ "n": 2000 }), Some("1")).as_bytes()).await;
            for i in 1..=2000 {
                assert_eq!(line(&mut wire).await, report("1", i));
            }
            assert_eq!(text(&line(&mut wire).await), "2000");
        });
    }
}

const INTERVAL: Duration = Duration::from_millis(50);

// rows: PROG-7
#[test]
fn of_the_reports_within_an_interval_the_newest_wins_and_the_last_goes_out() {
    let steady = tool("steady", |ctx| async move {
        for i in 1..=22 {
            ctx.report_progress(i, 22, None).await.unwrap();
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        ctx.report_progress(100, None, "last").await.unwrap();
        "done".into()
    });
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(steady).progress_interval(INTERVAL));
        wire.send(call(1, "steady", &json!({}), Some("1")).as_bytes()).await;
        let mut sent = Vec::new();
        loop {
            let message = line(&mut wire).await;
            let Some(progress) = message["params"]["progress"].as_u64() else { break };
            sent.push((progress, tokio::time::Instant::now()));
        }
        let (last, times) = sent.split_last().unwrap();
        assert_eq!((last.0, times[0].0), (100, 1));
        assert!((5..=6).contains(&times.len()), "{sent:?}");
        for pair in times.windows(2) {
            assert!(pair[1].1 - pair[0].1 >= INTERVAL, "{sent:?}");
            // The newest of five: none that is older than one step.
            assert!(pair[1].0 >= pair[0].0 + 4, "{sent:?}");
        }
    });
}

// rows: PROG-7
#[test]
fn a_report_held_back_goes_out_when_its_interval_is_over_while_the_tool_waits() {
    let waiting = tool("wait", |ctx| async move {
        for i in 1..=3 {
            ctx.report_progress(i, None, None).await.unwrap();
        }
        tokio::time::sleep(Duration::from_secs(3600)).await;
        "done".into()
    });
    goes_out_in_time(waiting);
}

// rows: PROG-7
#[test]
fn a_report_held_back_goes_out_when_its_interval_is_over_though_another_task_made_it() {
    let delegating = tool("delegate", |ctx| async move {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(1)).await;
            for i in 1..=3 {
                ctx.report_progress(i, None, None).await.unwrap();
            }
            std::future::pending::<()>().await;
        });
        tokio::time::sleep(Duration::from_secs(3600)).await;
        "done".into()
    });
    goes_out_in_time(delegating);
}

/// The tool reports three times at once, and then nothing for an hour.
#[track_caller]
fn goes_out_in_time(tool: Tool) {
    let name = tool.name().to_owned();
    let (third, answered) = block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(tool).progress_interval(INTERVAL));
        wire.send(call(1, &name, &json!({}), Some("1")).as_bytes()).await;
        assert_eq!(line(&mut wire).await, report("1", 1));
        let first = tokio::time::Instant::now();
        assert_eq!(line(&mut wire).await, report("1", 3));
        let third = first.elapsed();
        assert_eq!(text(&line(&mut wire).await), "done");
        (third, first.elapsed())
    });
    assert!(answered > Duration::from_secs(3000));
    assert!((INTERVAL..INTERVAL * 2).contains(&third), "the third report came after {third:?}");
}

// rows: PROG-7
#[test]
fn a_report_held_back_goes_out_when_its_interval_is_over_while_a_thread_is_held() {
    let (seen, held) = std::sync::mpsc::channel();
    let server = Server::new("order").with(Watched(Mutex::new(held))).progress_interval(INTERVAL);
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let mut wire = Wire::serve(server);
        wire.send(call(1, "report_and_wait", &json!({}), Some("1")).as_bytes()).await;
        assert_eq!(line(&mut wire).await, report("1", 1));
        assert_eq!(line(&mut wire).await, report("1", 3));
        // It may have given up.
        let _ = seen.send(());
        assert_eq!(text(&line(&mut wire).await), "true", "whether the report came while the thread was held");
    });
}

struct Watched(Mutex<std::sync::mpsc::Receiver<()>>);

#[server]
impl Watched {
    /// Report and wait.
    #[tool]
    fn report_and_wait(&self, ctx: Context) -> bool {
        for i in 1..=3 {
            ctx.report_progress_blocking(i, None, None).unwrap();
        }
        self.0.lock().unwrap().recv_timeout(Duration::from_secs(10)).is_ok()
    }
}

// rows: PROG-4, PROG-5, PROG-7
#[test]
fn what_was_accepted_last_goes_out_though_the_tool_ends_at_that_moment() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap();
    let (sender, mut accepted) = mpsc::unbounded_channel();
    let racing = tool("race", move |ctx| {
        let sender = sender.clone();
        async move {
            let bar = ctx.progress(None);
            let (started, mut running) = mpsc::channel(1);
            let mut counting = JoinSet::new();
            for _ in 0..3 {
                let (bar, started) = (bar.clone(), started.clone());
                counting.spawn(async move {
                    let mut accepted = 0;
                    while bar.advance(1, None).await.is_ok() {
                        accepted += 1;
                        let _ = started.try_send(());
                    }
                    accepted
                });
            }
            tokio::spawn(async move { sender.send(counting.join_all().await.iter().sum::<u64>()) });
            running.recv().await.unwrap();
            "done".into()
        }
    });
    runtime.block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(racing).progress_interval(Duration::from_secs(3600)));
        for id in 0..500 {
            wire.send(call(id, "race", &json!({}), Some("1")).as_bytes()).await;
            let mut sent = 0;
            loop {
                let message = line(&mut wire).await;
                let Some(progress) = message["params"]["progress"].as_u64() else { break };
                sent = progress;
            }
            assert_eq!(Some(sent), accepted.recv().await, "what was sent last, and what was accepted last");
        }
    });
}

/// Reports until the client has seen one, with no other pause than `report_progress`.
fn never_pausing(seen: Arc<AtomicBool>) -> Tool {
    tool("never_pause", move |ctx| {
        let seen = Arc::clone(&seen);
        async move {
            let started = Instant::now();
            for i in 1.. {
                ctx.report_progress(i, None, None).await.unwrap();
                if seen.load(Ordering::Relaxed) {
                    break;
                }
                if started.elapsed() > Duration::from_secs(20) {
                    return "nobody has seen anything".into();
                }
            }
            "seen".into()
        }
    })
}

// rows: PROG-2, STDIO-6
#[test]
fn a_tool_that_never_pauses_gets_its_reports_out_and_holds_up_nobody() {
    let runtimes = [
        tokio::runtime::Builder::new_current_thread().enable_all().build(),
        tokio::runtime::Builder::new_multi_thread().enable_all().build(),
    ];
    // Room for all that such a tool can say, so that it is not the full queue that makes it pause.
    for (runtime, queue_size) in runtimes.into_iter().zip([1 << 30, 1 << 30]) {
        runtime.unwrap().block_on(async {
            let seen = Arc::new(AtomicBool::new(false));
            let server = Server::new("order").tool(never_pausing(Arc::clone(&seen))).tool(count);
            let mut wire = Wire::serve(server.queue_size(queue_size));
            wire.send(call(1, "never_pause", &json!({}), Some("1")).as_bytes()).await;
            wire.send(call(2, "count", &json!({ "n": 3 }), None).as_bytes()).await;
            let (mut reports, mut other) = (0, false);
            loop {
                let message = line(&mut wire).await;
                match message["id"].as_u64() {
                    None => reports += 1,
                    Some(2) => {
                        assert!(!seen.load(Ordering::Relaxed), "the other call did not wait for this one");
                        other = true;
                    }
                    Some(_) => {
                        assert_eq!(text(&message), "seen");
                        break;
                    }
                }
                seen.store(reports > 0 && other, Ordering::Relaxed);
            }
        });
    }
}

// ---- Ninth: the response settles -----------------------------------------------------------------------------------

/// Reports as often as it is told, waits, and ends.
#[tool]
async fn report_and_wait(reports: u32, wait_ms: u64, ctx: Context) -> Result<(), ToolError> {
    for i in 1..=reports {
        ctx.report_progress(i, reports, None).await?;
    }
    tokio::time::sleep(Duration::from_millis(wait_ms)).await;
    Ok(())
}

/// How long after its last report the response of a call came.
async fn settling(wire: &mut Wire, reports: u32, wait_ms: u64) -> Duration {
    let arguments = json!({ "reports": reports, "wait_ms": wait_ms });
    wire.send(call(1, "report_and_wait", &arguments, Some("1")).as_bytes()).await;
    let mut last = tokio::time::Instant::now();
    for _ in 0..reports {
        assert!(line(wire).await.get("method").is_some());
        last = tokio::time::Instant::now();
    }
    assert_eq!(line(wire).await["id"], 1);
    last.elapsed()
}

const MS: Duration = Duration::from_millis(1);

// rows: PROG-2
#[test]
fn a_response_waits_until_its_last_report_has_settled() {
    block_on(async {
        let server = || Server::new("order").tool(report_and_wait);
        let mut wire = Wire::serve(server());
        assert_eq!(settling(&mut wire, 3, 0).await, 5 * MS);
        let mut wire = Wire::serve(server().progress_settle(250 * MS));
        assert_eq!(settling(&mut wire, 1, 0).await, 250 * MS);
        let mut wire = Wire::serve(server().progress_settle(Duration::ZERO));
        assert_eq!(settling(&mut wire, 1, 0).await, Duration::ZERO);
    });
}

// rows: PROG-2
#[test]
fn a_call_that_reported_long_ago_or_not_at_all_is_not_delayed() {
    block_on(async {
        let mut wire = Wire::serve(Server::new("order").tool(report_and_wait));
        for (reports, wait_ms, passed) in
            [(0, 0, 0), (0, 20, 20), (1, 3, 5), (1, 4, 5), (1, 5, 5), (1, 6, 6), (3, 20, 20)]
        {
            let settled = settling(&mut wire, reports, wait_ms).await.as_millis();
            // A sleep by the paused clock may take one of its ticks longer.
            assert!((passed..=passed + 1).contains(&settled), "{reports} reports, {wait_ms} ms: {settled} ms");
        }
    });
}

// rows: PROG-2, STDIO-6
#[test]
fn other_messages_are_not_held_up_by_a_response_that_settles() {
    block_on(async {
        let server = Server::new("order").tool(report_and_wait).tool(count).progress_settle(1000 * MS);
        let mut wire = Wire::serve(server);
        let settling = call(1, "report_and_wait", &json!({ "reports": 1, "wait_ms": 0 }), Some("\"a\""));
        wire.send(settling.as_bytes()).await;
        assert_eq!(line(&mut wire).await["params"]["progressToken"], "a");
        let started = tokio::time::Instant::now();
        // A call without reports, the reports of another call, and a refusal.
        let others = call(2, "count", &json!({ "n": 3 }), None)
            + &call(3, "report_and_wait", &json!({ "reports": 2, "wait_ms": 5000 }), Some("\"b\""))
            + "no message\n";
        wire.send(others.as_bytes()).await;
        let mut came = Vec::new();
        for _ in 0..4 {
            came.push(line(&mut wire).await);
        }
        let of_the_other: Vec<&Value> = came.iter().filter(|line| line["params"]["progressToken"] == "b").collect();
        assert!(of_the_other.iter().map(|line| line["params"]["progress"].as_u64()).eq([Some(1), Some(2)]));
        assert!(came.iter().any(|line| line["id"] == 2) && came.iter().any(|line| line["error"]["code"] == -32700));
        assert!(started.elapsed() < 10 * MS);
        assert_eq!(line(&mut wire).await["id"], 1);
        assert!((1000 * MS..1010 * MS).contains(&started.elapsed()));
        assert_eq!(line(&mut wire).await["id"], 3);
        // Its reports lie more than the settling time back.
        assert!((5000 * MS..5010 * MS).contains(&started.elapsed()));
    });
}

// rows: PROG-2
#[test]
fn the_settling_time_begins_when_the_report_is_written_not_when_it_is_made() {
    block_on(async {
        let server = Server::new("order").tool(report_and_wait);
        // The other side takes only so many bytes, and the report is longer.
        let (ours, theirs) = tokio::io::duplex(32);
        let (reader, writer) = tokio::io::split(theirs);
        let serving = tokio::spawn(server.serve(reader, writer));
        let (reader, mut writer) = tokio::io::split(ours);
        let request = call(1, "report_and_wait", &json!({ "reports": 1, "wait_ms": 0 }), Some("1"));
        writer.write_all(request.as_bytes()).await.unwrap();
        tokio::time::sleep(1000 * MS).await;
        let mut reader = BufReader::new(reader);
        let (mut first, mut second) = (String::new(), String::new());
        reader.read_line(&mut first).await.unwrap();
        let read = tokio::time::Instant::now();
        reader.read_line(&mut second).await.unwrap();
        assert!(first.contains("progressToken") && second.contains("result"));
        assert!((5 * MS..=6 * MS).contains(&read.elapsed()), "{:?}", read.elapsed());
        writer.shutdown().await.unwrap();
        serving.await.unwrap().unwrap();
    });
}

// ---- Shared --------------------------------------------------------------------------------------------------------

/// What bounds a hang.
const PATIENCE: Duration = Duration::from_secs(60);

/// A tool that takes nothing but its context.
fn tool<F>(name: &'static str, run: impl Fn(Context) -> F + Send + Sync + 'static) -> Tool
where
    F: Future<Output = String> + Send + 'static,
{
    let mut tool = Tool::builder(name);
    let ctx = tool.parameter::<Context, _>("ctx", "");
    let result = tool.returns::<String>();
    tool.handler(move |call| match ctx.take(call) {
        Some(ctx) => call.run(run(ctx), result),
        None => call.refuse(),
    })
}

/// A request as a line; the token is JSON.
fn call(id: u64, tool: &str, arguments: &Value, token: Option<&str>) -> String {
    let token = token.map(|token| format!(r#""progressToken":{token},"#)).unwrap_or_default();
    let meta = META.replacen('{', &format!("{{{token}"), 1);
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{{\"name\":\"{tool}\",\"arguments\":{arguments},\"_meta\":{meta}}}}}\n"
    )
}

/// A report without a total and a message; the token is JSON.
fn report(token: &str, progress: u32) -> Value {
    let token: Value = serde_json::from_str(token).unwrap();
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": { "progressToken": token, "progress": progress },
    })
}

async fn line(wire: &mut Wire) -> Value {
    let line = wire.line().await.expect("the output goes on");
    serde_json::from_str(&line).expect("a line is a message")
}

#[track_caller]
fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {answer}"))
}

async fn says_nothing_more(mut wire: Wire) {
    assert_eq!(wire.line_within(Duration::from_secs(3600)).await, Err(()));
    wire.end().await;
    assert_eq!(wire.line().await, None);
    wire.ended().await.unwrap();
}

/// The program of an example, which is built when it is not there yet.
fn example(name: &str) -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    // The tests lie in `deps` below the directory of the profile.
    let profile = test.ancestors().nth(2).unwrap();
    let program = profile.join("examples").join(name);
    if !program.exists() {
        let mut cargo = std::process::Command::new(env!("CARGO"));
        cargo.args(["build", "--package", "examples", "--example", name, "--target-dir"]);
        cargo.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success(), "the example {name} can't be built");
    }
    program
}
