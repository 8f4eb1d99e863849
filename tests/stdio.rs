//! The real thing: the examples as child processes, and the bytes that go over their pipes.
//!
//! Nothing of the library is used on this side, but for a server that hangs, which is no example to anybody.

#![cfg(unix)]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

// ---- How a server ends ---------------------------------------------------------------------------------------------

#[test]
fn what_is_told_to_end_answers_first_and_closes_what_it_opened() {
    // Each call takes 200 ms, so that it runs when the signal comes.
    let mut server = Server::start("weather");
    server.send(reporting(1, call(1, "forecast", json!({ "city": "Oslo", "days": 10 }))));
    assert_eq!(server.next()["params"]["progress"], 1);
    let ended = server.finish_at("TERM");
    assert_eq!(of_token(&ended.lines, &json!(1)), (2..=10).collect::<Vec<_>>());
    assert_eq!(answers(&ended.lines).len(), 1);

    for signal in ["TERM", "INT"] {
        let mut server = Server::start("refund");
        server.send(call(1, "transactions", json!({})));
        server.next();
        assert_eq!(server.finish_at(signal).stderr, "the ledger is closed\n", "{signal}");
    }
    let mut server = Server::start("refund");
    assert_eq!(server.finish().stderr, "the ledger is closed\n", "at the end of the input");

    // A host ends the input, waits a little, and then sends a signal (Stdio, Shutdown): that is twice.
    let mut server = Server::start("test_tools");
    server.send(call(1, "hold", json!({ "name": "x" })));
    let params = json!({ "notifications": { "toolsListChanged": true }, "_meta": modern_meta() });
    server.send(json!({ "jsonrpc": "2.0", "id": 2, "method": "subscriptions/listen", "params": params }));
    assert_eq!(server.next()["method"], "notifications/subscriptions/acknowledged");
    drop(server.input.take());
    // The stream ends when the server has seen the end of its input.
    assert_eq!(server.next()["id"], 2);
    assert_eq!(server.next()["method"], "notifications/cancelled");
    assert_eq!(server.finish_at("TERM").lines, [] as [Value; 0]);
}

#[test]
fn what_hangs_at_its_start_or_end_hears_a_signal() {
    // The first ends the opening, and what is open is closed; only the second leaves a closing behind.
    for (hangs, once_is_too_little, said) in [("open", false, "open hangs\nclosed\n"), ("close", true, "close hangs\n")]
    {
        for signal in ["TERM", "INT"] {
            let mut child = with_argument("test_tools", hangs)
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let mut stderr = BufReader::new(child.stderr.take().unwrap());
            let mut lines = String::new();
            while !lines.ends_with("hangs\n") {
                assert_ne!(stderr.read_line(&mut lines).unwrap(), 0, "{lines}");
            }
            let pid = child.id().to_string();
            let until = Instant::now() + PATIENCE;
            let tell = || assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
            tell();
            // Two signals that are there at once are one, and nothing shows that the first was heard.
            while once_is_too_little && Instant::now() < until && child.try_wait().unwrap().is_none() {
                tell();
            }
            assert_eq!(wait(&mut child).code(), Some(0), "{hangs} {signal}");
            stderr.read_to_string(&mut lines).unwrap();
            assert_eq!(lines, said, "{hangs} {signal}");
        }
    }
}

// ---- How a server is fed -------------------------------------------------------------------------------------------

// rows: STDIO-1, STDIO-2, STDIO-11, PROG-2
#[test]
fn a_call_from_echo_is_answered_with_its_reports() {
    let line = reporting("t", call(1, "slow_count", json!({ "n": 3, "ms": 10 }))).to_string();
    for end in ["\n", "\r\n", ""] {
        let mut server = Server::start("test_tools");
        server.write(line.clone() + end);
        let ended = server.finish();
        assert_eq!(ended.lines[..3], [report("t", 1, 3), report("t", 2, 3), report("t", 3, 3)]);
        assert_eq!(answers(&ended.lines[3..]), [(json!(1), "3".into())]);
    }
}

// rows: STDIO-1, STDIO-11, LIFE-2, PROG-2
#[test]
fn the_lesson_answers_in_both_eras_before_it_ends() {
    for era in ERAS {
        let arguments = json!({ "order_ids": ["A17", "B42", "C03"] });
        let mut server = Server::begin(Command::new(example("export_orders")).arg("serve"), era);
        server.send(era.call(reporting(7, call(1, "export_orders", arguments.clone()))));
        server.send(era.call(call("last", "export_orders", arguments)));
        let ended = server.finish();
        let reports = of_token(&ended.lines, &json!(7));
        assert_eq!(reports, [1, 2, 3]);
        let mut answers = answers(&ended.lines);
        answers.sort_by_key(|(id, _)| id.to_string());
        let text = || "Exported 3 orders.".to_owned();
        assert_eq!(answers, [(json!("last"), text()), (json!(1), text())]);
        assert_eq!(ended.lines.len(), 5);
    }
}

// rows: STDIO-11
#[test]
fn an_empty_input_ends_the_server_at_once() {
    let commands: [&dyn Fn() -> Command; 2] =
        [&|| Command::new(example("test_tools")), &|| with_argument("export_orders", "serve")];
    for command in commands {
        // The best of three: how long a busy machine takes to start a process is not what is asked.
        let fastest = (0..3).map(|_| {
            let started = Instant::now();
            let output = command().stdin(Stdio::null()).output().unwrap();
            assert_eq!(output.status.code(), Some(0));
            assert_eq!((output.stdout.len(), output.stderr.len()), (0, 0));
            started.elapsed()
        });
        assert!(fastest.min().unwrap() < Duration::from_secs(1));
    }
}

// rows: STDIO-1, STDIO-11
#[test]
fn a_file_is_read_to_its_end_and_a_file_is_written() {
    let scratch = Scratch::new("files");
    let calls = (1..=5).map(|id| reporting(id, call(id, "slow_count", json!({ "n": 4, "ms": 20 }))));
    let long = call(6, "echo", json!({ "text": "x".repeat(1_000_000) }));
    fs::write(scratch.path("in"), lines(calls.chain([long]))).unwrap();
    let mut child = Command::new(example("test_tools"))
        .stdin(File::open(scratch.path("in")).unwrap())
        .stdout(File::create(scratch.path("out")).unwrap())
        .spawn()
        .unwrap();
    assert_eq!(wait(&mut child).code(), Some(0));

    let output: Vec<Value> = fs::read(scratch.path("out")).unwrap().lines().map(|line| parse(&line.unwrap())).collect();
    for id in 1..=5 {
        assert_eq!(of_token(&output, &json!(id)), [1, 2, 3, 4]);
    }
    let mut answers = answers(&output);
    answers.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(answers.iter().map(|(id, _)| id.as_u64().unwrap()).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
    assert_eq!(answers[5].1.len(), 1_000_000);
    assert_eq!(output.len(), 5 * 4 + 6);
}

// rows: STDIO-1, STDIO-14
#[test]
fn sockets_serve_as_standard_input_and_output() {
    // Node gives its children sockets instead of pipes.
    let mut server = Server::on_sockets(Command::new(example("test_tools")));
    server.listen();
    server.send(reporting(0, call(1, "count", json!({ "n": 2000 }))));
    server.send(call(2, "echo", json!({ "text": "x".repeat(300_000) })));
    let ended = server.finish();
    assert_eq!(of_token(&ended.lines, &json!(0)), (1..=2000).collect::<Vec<_>>());
    let answers = answers(&ended.lines);
    assert_eq!(answers.iter().map(|(_, text)| text.len()).sum::<usize>(), 4 + 300_000);
}

// rows: STDIO-6, STDIO-11
#[test]
fn calls_that_run_at_the_end_of_the_input_are_answered() {
    for era in ERAS {
        let mut server = Server::begin(&mut Command::new(example("test_tools")), era);
        for id in 1..=5 {
            server.send(era.call(call(id, "sleep_ms", json!({ "ms": 200 }))));
        }
        let ended = server.finish();
        let mut ids: Vec<u64> = answers(&ended.lines).iter().map(|(id, _)| id.as_u64().unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [1, 2, 3, 4, 5]);
        assert_eq!(ended.lines.len(), 5);
    }
}

// rows: STDIO-2, STDIO-7, BASE-7, ERR-1
#[test]
fn a_bad_line_is_answered_at_most_once_and_the_next_one_is_read() {
    let mut server = Server::start("test_tools");
    server.write("not json\n");
    server.write("\u{FEFF}".to_owned() + &initialize().to_string() + "\n");
    server.write("\n   \n\r\n");
    server.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n");
    server.write("{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"} {\"x\":1}\n");
    server.write(b"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"\xFF\"}\n");
    server.write("{\"jsonrpc\":\"2.0\",\"result\":1,\"error\":2}\n");
    server.write("{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}\n");
    let ended = server.finish();
    let said: Vec<(&Value, &Value)> = ended.lines.iter().map(|line| (&line["id"], &line["error"]["code"])).collect();
    let (none, parse_error) = (&Value::Null, &json!(-32700));
    assert_eq!(
        said,
        [
            (none, parse_error),
            (&json!(0), none),
            (&json!(1), none),
            (none, parse_error),
            (none, parse_error),
            (&json!(3), none),
        ]
    );
    assert!(ended.lines.iter().all(|line| line.get("id").is_none_or(|id| !id.is_null())));
}

// ---- How a server is read ------------------------------------------------------------------------------------------

// rows: STDIO-11
#[test]
fn a_server_ends_when_nobody_reads_its_pipe_any_more() {
    ends_when_nobody_reads(|| Server::spawn(&mut Command::new(example("test_tools"))));
}

// rows: STDIO-11, STDIO-14
#[test]
fn a_server_ends_when_nobody_reads_its_socket_any_more() {
    ends_when_nobody_reads(|| Server::on_sockets(Command::new(example("test_tools"))));
}

/// The input stays open, and calls of all kinds run.
#[track_caller]
fn ends_when_nobody_reads(spawn: impl Fn() -> Server) {
    let calls = [
        call(1, "now", json!({})),
        reporting(1, call(1, "count", json!({ "n": 4_000_000 }))),
        reporting(1, call(1, "count_sync", json!({ "n": 4_000_000 }))),
        call(1, "hold", json!({ "name": "it" })),
        call(1, "hold_sync", json!({ "name": "it" })),
    ];
    for call in calls {
        let mut server = spawn();
        server.send(self::call(0, "now", json!({})));
        let mut output = server.output.take().unwrap();
        assert!(output.read(&mut [0; 4096]).unwrap() > 0);
        server.send(call.clone());
        if call["params"]["_meta"].get("progressToken").is_some() {
            assert!(output.read(&mut [0; 4096]).unwrap() > 0);
        }
        drop(output);
        // There may be nobody who takes these any more.
        let _ = server.try_write(&lines([self::call(2, "now", json!({})), self::call(3, "now", json!({}))]));
        let status = wait_for(&mut server.child, Duration::from_secs(10));
        let status = status.unwrap_or_else(|| panic!("the server still runs: {}", call["params"]["name"]));
        assert_eq!(status.code(), Some(0), "{}: {}", call["params"]["name"], server.stderr());
    }
}

// rows: STDIO-1, STDIO-2, PROG-4
#[test]
fn a_slow_reader_gets_everything() {
    let mut server = Server::spawn(&mut Command::new(example("test_tools")));
    server.send(reporting("slow", call(1, "count", json!({ "n": 5000 }))));
    for id in 2..=8 {
        server.send(call(id, "big", json!({ "bytes": 100_000 })));
    }
    drop(server.input.take());
    let mut output = server.output.take().unwrap();
    let mut read = Vec::new();
    loop {
        let mut piece = [0; 997];
        match output.read(&mut piece).unwrap() {
            0 => break,
            length => read.extend_from_slice(&piece[..length]),
        }
        // This is what makes the reader a slow one.
        thread::sleep(Duration::from_micros(200));
    }
    assert_eq!(wait(&mut server.child).code(), Some(0));
    let lines: Vec<Value> = read.lines().map(|line| parse(&line.unwrap())).collect();
    assert_eq!(of_token(&lines, &json!("slow")), (1..=5000).collect::<Vec<_>>());
    let answers = answers(&lines);
    assert_eq!(answers.len(), 8);
    assert!(answers.iter().all(|(id, text)| text.len() == if id == 1 { 4 } else { 100_000 }));
}

// rows: STDIO-6, CANC-3
#[test]
fn a_cancellation_is_read_while_large_answers_wait_for_their_reader() {
    let mut server = Server::spawn(&mut Command::new(example("test_tools")));
    server.send(call("held", "hold", json!({ "name": "held" })));
    for id in 1..=50 {
        server.send(call(id, "big", json!({ "bytes": 1 << 20 })));
    }
    // Time for the answers to be made, of which none can be written to its end.
    thread::sleep(Duration::from_secs(1));
    server.send(call(0, "now", json!({})));
    server.send(cancel("held"));
    server.expect_on_stderr("held was given up");

    server.listen();
    let mut answers = answers(&server.finish().lines);
    answers.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(answers.remove(0).0, 0);
    assert_eq!(answers.len(), 50);
    assert!(answers.iter().zip(1..).all(|((id, text), at)| *id == at && text.len() == 1 << 20));
}

// rows: STDIO-1, STDIO-6, CANC-3, PROG-4, PROG-5
#[test]
fn a_client_that_does_not_read_for_a_while_can_still_cancel() {
    let mut server = Server::spawn(&mut Command::new(example("test_tools")));
    server.send(call("held", "hold", json!({ "name": "held" })));
    server.send(call("thread", "hold_sync", json!({ "name": "thread" })));
    server.send(reporting("t", call("count", "count", json!({ "n": 100_000 }))));
    server.send(reporting("sync", call("count_sync", "count_sync", json!({ "n": 100_000 }))));
    for id in 1..=50 {
        server.send(call(id, "big", json!({ "bytes": 1 << 20 })));
    }
    // This is the while.
    thread::sleep(Duration::from_secs(2));
    for id in ["held", "thread", "count_sync"] {
        server.send(cancel(id));
    }
    server.send(call("after", "now", json!({})));
    server.expect_on_stderr("held was given up");
    server.expect_on_stderr("thread was given up");

    server.listen();
    let ended = server.finish();
    assert_eq!(of_token(&ended.lines, &json!("t")), (1..=100_000).collect::<Vec<_>>());
    let mut answers = answers(&ended.lines);
    for id in ["count", "after"] {
        let at = answers.iter().position(|(answered, _)| answered == id).unwrap_or_else(|| panic!("no answer to {id}"));
        answers.remove(at);
    }
    answers.sort_by_key(|(id, _)| id.as_u64());
    assert_eq!(answers.len(), 50);
    assert!(answers.iter().zip(1..).all(|((id, text), at)| *id == at && text.len() == 1 << 20));
    // The reports of the count stand before its answer, and nothing of it behind.
    let answer = ended.lines.iter().position(|line| line["id"] == "count").unwrap();
    assert_eq!(of_token(&ended.lines[..answer], &json!("t")).len(), 100_000);
}

// rows: STDIO-1, STDIO-6, PROG-4, PROG-7
#[test]
fn a_client_that_reads_nothing_costs_no_memory() {
    let mut server = Server::spawn(&mut Command::new(example("test_tools")));
    for id in 1..=4 {
        server.send(reporting(id, call(id, "count", json!({ "n": 40_000 }))));
        server.send(reporting(id + 4, call(id + 4, "count_sync", json!({ "n": 40_000 }))));
    }
    // It has all the time to fill its memory, if it would: all reports are some 30 MB.
    thread::sleep(Duration::from_secs(2));
    let peak = server.peak_memory();
    assert!(peak < 20 << 20, "{peak} bytes");

    server.listen();
    drop(server.input.take());
    let mut next = [1; 9];
    while let Some(line) = server.next_or_end() {
        if let Some(token) = line["params"]["progressToken"].as_u64() {
            assert_eq!(line["params"]["progress"], next[token as usize]);
            next[token as usize] += 1;
        }
    }
    assert_eq!(next[1..], [40_001; 8]);
}

// ---- What comes in between -----------------------------------------------------------------------------------------

// rows: ERR-5, STDIO-3, TOOL-18
#[test]
fn a_panic_ends_its_own_call_only() {
    for era in ERAS {
        // Nobody asks for a trace, which a busy machine takes its time to write.
        let mut server = Server::begin(Command::new(example("test_tools")).env("RUST_BACKTRACE", "0"), era);
        server.send(era.call(call(1, "sleep_ms", json!({ "ms": 1000 }))));
        server.send(era.call(call(2, "boom", json!({}))));
        server.send(era.call(call(3, "boom_sync", json!({}))));
        server.send(era.call(call(4, "now", json!({}))));
        let ended = server.finish();
        let ids: Vec<&Value> = ended.lines.iter().map(|line| &line["id"]).collect();
        assert_eq!(ids.len(), 4);
        assert_eq!(ids[3], 1, "the others did not wait for the one that sleeps");
        for line in &ended.lines {
            let expected = if [2, 3].iter().any(|id| line["id"] == *id) { json!(-32603) } else { Value::Null };
            assert_eq!(line["error"]["code"], expected);
            assert!(!line.to_string().contains("secret"));
        }
        assert_eq!(ended.stderr.matches("panicked at").count(), 2, "{}", ended.stderr);
        assert!(ended.stderr.contains("secret path"));
    }
}

// rows: BASE-3, BASE-7, STDIO-6
#[test]
fn an_id_that_is_still_in_use_is_refused_and_the_first_call_is_answered() {
    let mut server = Server::start("test_tools");
    server.write(lines([
        call(1, "sleep_echo", json!({ "ms": 300, "text": "A" })),
        call(1, "sleep_echo", json!({ "ms": 100, "text": "B" })),
        call(1, "now", json!({})),
    ]));
    for _ in 0..2 {
        let refusal = server.next();
        assert_eq!(refusal["error"]["code"], -32600);
        assert_eq!(refusal.get("id"), None, "it would be read as the first call's answer");
    }
    assert_eq!(answers(&[server.next()]), [(json!(1), "A".into())]);
    // Once it is answered the id is free.
    server.send(call(1, "echo", json!({ "text": "C" })));
    assert_eq!(answers(&server.finish().lines), [(json!(1), "C".into())]);
}

// rows: BASE-2, BASE-5, ERR-2
#[test]
fn an_id_of_any_type_comes_back_as_it_was() {
    let ids = [
        r#""1""#,
        "1",
        "0",
        "-5",
        r#""""#,
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
        r#""a\u00e9\n""#,
        r#""\ud83e\udd80 \"quoted\"""#,
    ];
    let mut server = Server::begin(&mut Command::new(example("test_tools")), Era::Legacy);
    for (method, code) in [("ping", Value::Null), ("x", json!(-32601))] {
        for id in ids {
            server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}\n"));
            let answer = server.next();
            assert_eq!(answer["id"], parse(id));
            assert_eq!(answer["error"]["code"], code);
            assert_eq!(answer.get("result").is_some(), code.is_null());
        }
    }
    for id in ["null", "1.5", "true", "[1]", "{}"] {
        server.write(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n"));
        let answer = server.next();
        assert_eq!((answer.get("id"), &answer["error"]["code"]), (None, &json!(-32600)));
    }
    assert_eq!(server.finish().lines, [Value::Null; 0]);
}

// rows: BASE-8, CANC-4
#[test]
fn notifications_are_never_answered_and_run_nothing() {
    for era in ERAS {
        let mut server = Server::begin(&mut Command::new(example("test_tools")), era);
        server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}\n");
        server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/made_up\",\"params\":{\"x\":1}}\n");
        server.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":\"bad\"}\n");
        let mut write = era.call(call(0, "write", json!({})));
        write.as_object_mut().unwrap().remove("id");
        server.send(write);
        server.send(era.call(call(1, "written", json!({}))));
        assert_eq!(answers(&server.finish().lines), [(json!(1), "false".into())]);
    }
}

// rows: STDIO-6, STDIO-9, PROG-2, CANC-3
#[test]
fn a_slow_call_holds_up_nobody() {
    let mut server = Server::start("test_tools");
    server.send(reporting("a", call(1, "slow_count", json!({ "n": 20, "ms": 100 }))));
    assert_eq!(server.next(), report("a", 1, 20));
    let began = Instant::now();
    server.send(call(2, "now", json!({})));
    let mut answered = false;
    for at in 2..=10 {
        let mut line = server.next();
        if line["id"] == 2 {
            assert!(at < 7, "the answer waited for the reports");
            answered = true;
            line = server.next();
        }
        assert_eq!(line, report("a", at, 20));
    }
    assert!(answered);
    // They came one by one, as they were made, and not all at the end.
    assert!(began.elapsed() > Duration::from_millis(700));
    server.send(cancel(1));
    server.send(call(3, "now", json!({})));
    let ended = server.finish();
    let answer = ended.lines.iter().position(|line| line["id"] == 3).unwrap();
    // A report may have been on its way when the cancellation was written, and none came after it was read.
    assert!(answer <= 1);
    assert_eq!(ended.lines.len(), answer + 1);
}

// rows: STDIO-9, CANC-2, CANC-3, CANC-4, PROG-5
#[test]
fn a_call_that_is_cancelled_in_the_same_write_is_never_answered() {
    for era in ERAS {
        let mut server = Server::begin(&mut Command::new(example("test_tools")), era);
        server.write(lines([
            era.call(reporting("p", call(7, "slow_count", json!({ "n": 4, "ms": 100 })))),
            era.call(call("held", "hold", json!({ "name": "held" }))),
            cancel(7),
            cancel("held"),
            cancel(12345),
            cancel(7),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {} }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled" }),
            era.call(call(8, "sleep_ms", json!({ "ms": 600 }))),
        ]));
        server.expect_on_stderr("held was given up");
        assert_eq!(answers(&server.finish().lines), [(json!(8), "slept 600 ms".into())]);
    }
}

// rows: STDIO-9, CANC-3, CANC-5
#[test]
fn a_cancel_at_any_moment_leaves_one_answer_or_none() {
    let mut server = Server::start("test_tools");
    let mut answered = 0;
    for at in 0..1000_u64 {
        let tool = if at % 2 == 0 { "sleep_ms" } else { "slow_count" };
        let arguments = if at % 2 == 0 { json!({ "ms": 1 }) } else { json!({ "n": 1, "ms": 1 }) };
        let line = reporting(at, call(at, tool, arguments));
        let mut seen = 0;
        if at % 100 < 2 {
            // Cancelled for certain: the tool can't have finished.
            server.write(lines([line, cancel(at)]));
        } else if at % 100 > 97 {
            // Answered for certain.
            server.send(line);
            while server.next()["id"] != at {}
            seen = 1;
            server.send(cancel(at));
        } else {
            // About when the tool finishes, sometimes before it and sometimes after.
            let moment = Instant::now() + Duration::from_micros(at % 100 * 40);
            server.send(line);
            while Instant::now() < moment {
                std::hint::spin_loop();
            }
            server.send(cancel(at));
        }
        server.send(call(format!("after {at}"), "now", json!({})));
        loop {
            let line = server.next();
            if line["id"] == format!("after {at}") {
                break;
            }
            // Whatever is said of the call is of this one: nothing is left of those before.
            assert!(line["id"] == at || line["params"]["progressToken"] == at, "{line}");
            assert_eq!(seen, 0, "nothing follows the answer: {line}");
            seen += u64::from(line["id"] == at);
        }
        answered += seen;
    }
    assert!((20..=980).contains(&answered), "{answered} of 1000 were answered");
    assert_eq!(server.finish().lines, [Value::Null; 0]);
}

// rows: PROG-5
#[test]
fn a_task_that_outlives_its_call_reports_nothing_any_more() {
    let mut server = Server::start("test_tools");
    server.send(reporting("t", call(1, "early", json!({}))));
    assert_eq!(
        server.next(),
        json!({
            "jsonrpc": "2.0", "method": "notifications/progress", "params": { "progressToken": "t", "progress": 1 },
        })
    );
    assert_eq!(answers(&[server.next()]), [(json!(1), "done".into())]);
    server.expect_on_stderr("too late: the call has been answered already");
    assert_eq!(server.finish().lines, [Value::Null; 0]);
}

// ---- How much it takes ---------------------------------------------------------------------------------------------

// rows: STDIO-1, STDIO-6
#[test]
fn requests_in_small_pieces_arrive_whole_while_answers_flow_out() {
    for _ in 0..if stress() { 50 } else { 1 } {
        let mut server = Server::start("test_tools");
        let mut input = server.input.take().unwrap();
        let text = |id: u32| format!("{id:08}").repeat(8 * 1024);
        let writing = thread::spawn(move || {
            for id in 0..200 {
                for piece in lines([call(id, "echo", json!({ "text": text(id) }))]).chunks(50) {
                    input.write_all(piece).unwrap();
                }
            }
        });
        let mut missing: Vec<u32> = (0..200).collect();
        while !missing.is_empty() {
            for (id, answer) in answers(&[server.next()]) {
                let id = id.as_u64().unwrap() as u32;
                let at = missing.iter().position(|missing| *missing == id).expect("each id once");
                missing.swap_remove(at);
                assert!(answer == text(id));
            }
        }
        writing.join().unwrap();
        assert_eq!(server.finish().lines, [Value::Null; 0]);
    }
}

// rows: STDIO-2, STDIO-7
#[test]
fn a_line_without_end_takes_no_more_memory_than_a_message_may() {
    let mut server = Server::begin(&mut Command::new(example("test_tools")), Era::Legacy);
    let megabyte = vec![b'a'; 1_000_000];
    for _ in 0..300 {
        server.write(&megabyte);
    }
    server.write("\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}\n");
    let refusal = server.next();
    assert_eq!((refusal.get("id"), &refusal["error"]["code"]), (None, &json!(-32600)));
    assert_eq!(server.next()["id"], 9);
    let peak = server.peak_memory();
    assert!(peak < 80 << 20, "{peak} bytes for a limit of 32 MiB");
    // And it was given back.
    server.write("{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"ping\"}\n");
    assert_eq!(server.next()["id"], 10);
    let now = server.memory("VmRSS");
    assert!(now < 24 << 20, "{now} bytes");
    assert_eq!(server.finish().lines, [Value::Null; 0]);
}

// rows: STDIO-2
#[test]
fn a_message_of_thirty_megabytes_is_served() {
    let mut server = Server::start("test_tools");
    let text = "0123456789".repeat(3_000_000);
    server.send(call(1, "echo", json!({ "text": text })));
    assert!(answers(&[server.next()]) == [(json!(1), text)]);
    assert_eq!(server.finish().lines, [Value::Null; 0]);
}

// rows: STDIO-3, STDIO-5, BASE-9, CANC-6
#[test]
fn nothing_but_messages_is_on_standard_output_however_much_is_logged() {
    let commands: [fn() -> Command; 3] = [
        || Command::new(example("test_tools")),
        || with_argument("export_orders", "serve"),
        || with_argument("bench_server", "stdio"),
    ];
    for command in commands {
        for era in ERAS {
            let mut server = Server::begin(command().env("RUST_LOG", "trace"), era);
            server.write("not json\n");
            server.send(era.call(json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {} })));
            server.send(era.call(reporting(2, call(2, "count", json!({ "n": 2 })))));
            server.send(era.call(reporting(3, call(3, "export_orders", json!({ "order_ids": ["A17"] })))));
            server.send(era.call(call(4, "boom", json!({}))));
            server.send(cancel(4));
            for line in server.finish().lines {
                assert_eq!(line["jsonrpc"], "2.0");
                match line.get("method") {
                    Some(method) => assert_eq!(*method, "notifications/progress"),
                    None => assert!(line.get("result").is_some() != line.get("error").is_some()),
                }
            }
        }
    }
}

// ---- The messages --------------------------------------------------------------------------------------------------

const ERAS: [Era; 2] = [Era::Modern, Era::Legacy];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Modern,
    Legacy,
}

impl Era {
    /// The request as this era has it.
    fn call(self, mut request: Value) -> Value {
        let params = request["params"].as_object_mut().unwrap();
        let meta = params.entry("_meta").or_insert_with(|| json!({})).as_object_mut().unwrap();
        match self {
            Self::Modern => meta.extend(modern_meta()),
            Self::Legacy => meta.retain(|key, _| key == "progressToken"),
        }
        request
    }
}

fn modern_meta() -> serde_json::Map<String, Value> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    meta.as_object().unwrap().clone()
}

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": modern_meta() });
    json!({ "jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params })
}

fn reporting(token: impl Into<Value>, mut call: Value) -> Value {
    call["params"]["_meta"]["progressToken"] = token.into();
    call
}

fn report(token: impl Into<Value>, progress: u32, total: u32) -> Value {
    let params = json!({ "progressToken": token.into(), "progress": progress, "total": total });
    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
}

fn cancel(id: impl Into<Value>) -> Value {
    let params = json!({ "requestId": id.into(), "reason": "user" });
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params })
}

fn initialize() -> Value {
    let params = json!({
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn lines(messages: impl IntoIterator<Item = Value>) -> Vec<u8> {
    messages.into_iter().flat_map(|message| (message.to_string() + "\n").into_bytes()).collect()
}

#[track_caller]
fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("no JSON: {error}: {line:.200}"))
}

/// The ids and texts of all results among the lines, in their order.
fn answers(lines: &[Value]) -> Vec<(Value, String)> {
    let results = lines.iter().filter(|line| line.get("result").is_some());
    let text = |line: &Value| line["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
    results.map(|line| (line["id"].clone(), text(line))).collect()
}

/// How far the reports with that token say that the call has come.
fn of_token(lines: &[Value], token: &Value) -> Vec<u64> {
    let params = lines.iter().map(|line| &line["params"]);
    params
        .filter(|params| params["progressToken"] == *token)
        .map(|params| params["progress"].as_u64().unwrap())
        .collect()
}

// ---- The processes -------------------------------------------------------------------------------------------------

/// What bounds a hang. Where all is well nothing takes this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Whether there is time for everything.
fn stress() -> bool {
    std::env::var_os("MCP_STRESS").is_some_and(|value| value == "1")
}

/// The program of an example, which is built when it is not there yet.
fn example(name: &str) -> PathBuf {
    static BUILDING: Mutex<()> = Mutex::new(());

    let test = std::env::current_exe().unwrap();
    // The tests lie in `deps` below the directory of the profile.
    let profile = test.parent().and_then(Path::parent).unwrap();
    let program = profile.join("examples").join(name);
    let _building = BUILDING.lock().unwrap();
    if !program.exists() {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--package", "examples", "--example", name, "--target-dir"]);
        cargo.arg(profile.parent().unwrap());
        if profile.ends_with("release") {
            cargo.arg("--release");
        }
        assert!(cargo.status().unwrap().success(), "the example {name} can't be built");
    }
    program
}

fn with_argument(name: &str, argument: &str) -> Command {
    let mut command = Command::new(example(name));
    command.arg(argument);
    command
}

/// A child process that serves. It does not outlive this.
struct Server {
    child: Child,
    input: Option<Box<dyn Write + Send>>,
    output: Option<Box<dyn Read + Send>>,
    lines: Option<Receiver<String>>,
    errors: Receiver<String>,
    last_line: Option<Instant>,
}

/// What a server has said until its end.
struct Ended {
    lines: Vec<Value>,
    stderr: String,
}

impl Server {
    /// Starts an example whose output is read.
    fn start(name: &str) -> Self {
        let mut server = Self::spawn(&mut Command::new(example(name)));
        server.listen();
        server
    }

    /// Starts a server whose output is read, with the handshake where there is one.
    fn begin(command: &mut Command, era: Era) -> Self {
        let mut server = Self::spawn(command);
        server.listen();
        if era == Era::Legacy {
            server.send(initialize());
            server.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
            assert_eq!(server.next()["result"]["protocolVersion"], "2025-11-25");
        }
        server
    }

    /// Starts a server on pipes, whose output nobody reads yet.
    fn spawn(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        Self::new(child, Box::new(input), Box::new(output))
    }

    /// Starts a server on two pairs of sockets, whose output nobody reads yet.
    fn on_sockets(mut command: Command) -> Self {
        let (input, its_input) = UnixStream::pair().unwrap();
        let (output, its_output) = UnixStream::pair().unwrap();
        command.stdin(OwnedFd::from(its_input)).stdout(OwnedFd::from(its_output)).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        Self::new(child, Box::new(input), Box::new(output))
    }

    fn new(mut child: Child, input: Box<dyn Write + Send>, output: Box<dyn Read + Send>) -> Self {
        let errors = in_lines(child.stderr.take().unwrap());
        Self { child, input: Some(input), output: Some(output), lines: None, errors, last_line: None }
    }

    /// Begins to read what the server says.
    fn listen(&mut self) {
        self.lines = Some(in_lines(self.output.take().unwrap()));
    }

    fn send(&mut self, message: Value) {
        self.write(lines([message]));
    }

    #[track_caller]
    fn write(&mut self, bytes: impl AsRef<[u8]>) {
        self.try_write(bytes.as_ref()).expect("the server reads on");
    }

    fn try_write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.input.as_mut().unwrap().write_all(bytes)
    }

    /// The next message.
    #[track_caller]
    fn next(&mut self) -> Value {
        match self.next_or_end() {
            Some(line) => line,
            None => panic!("the server has ended: {}", self.stderr()),
        }
    }

    #[track_caller]
    fn next_or_end(&mut self) -> Option<Value> {
        match self.lines.as_ref().unwrap().recv_timeout(PATIENCE) {
            Ok(line) => {
                self.last_line = Some(Instant::now());
                Some(parse(&line))
            }
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server says nothing for {PATIENCE:?}"),
        }
    }

    #[track_caller]
    fn expect_on_stderr(&mut self, expected: &str) {
        loop {
            match self.errors.recv_timeout(PATIENCE) {
                Ok(line) if line == expected => return,
                Ok(_) => {}
                Err(error) => panic!("standard error never says `{expected}`: {error}"),
            }
        }
    }

    /// Ends the input, and gives what the server still says until it has ended, as it must within a second.
    #[track_caller]
    fn finish(&mut self) -> Ended {
        drop(self.input.take());
        self.rest()
    }

    /// The same for a server that is told to end while its input goes on.
    #[track_caller]
    fn finish_at(&mut self, signal: &str) -> Ended {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &pid]).status().unwrap().success());
        self.rest()
    }

    #[track_caller]
    fn rest(&mut self) -> Ended {
        self.last_line = Some(Instant::now());
        let mut lines = Vec::new();
        while let Some(line) = self.next_or_end() {
            lines.push(line);
        }
        let status = wait(&mut self.child);
        let stderr = self.stderr();
        assert_eq!(status.code(), Some(0), "{stderr}");
        assert!(self.last_line.unwrap().elapsed() < Duration::from_secs(1), "it went on after its last answer");
        Ended { lines, stderr }
    }

    /// What has been said on standard error until its end.
    fn stderr(&mut self) -> String {
        let mut all = String::new();
        while let Ok(line) = self.errors.recv_timeout(PATIENCE) {
            all += &line;
            all.push('\n');
        }
        all
    }

    /// The most memory that it has had, in bytes.
    fn peak_memory(&self) -> usize {
        self.memory("VmHWM")
    }

    /// A figure of the process, in bytes. Where the system tells none there is nothing to compare.
    fn memory(&self, figure: &str) -> usize {
        if !cfg!(target_os = "linux") {
            return 0;
        }
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(figure)).unwrap();
        let kilobytes: usize = line.trim_matches(|c: char| !c.is_ascii_digit()).parse().unwrap();
        kilobytes * 1024
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has ended already, unless the test has failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All lines of a stream, read on a thread of their own until it ends.
fn in_lines(stream: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::with_capacity(1 << 16, stream).lines() {
            // Nobody waits for more, or there is no more.
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[track_caller]
fn wait(child: &mut Child) -> ExitStatus {
    wait_for(child, PATIENCE).unwrap_or_else(|| panic!("the server does not end"))
}

/// `None`, and its end, when it takes longer than `limit`.
fn wait_for(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    None
}

/// A directory that is gone after the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
