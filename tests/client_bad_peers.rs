//! Servers that misbehave: nonsense, floods, stalls, lies and answers without end. Whoever calls is told what is wrong,
//! within a time, and what can go on goes on.

#[path = "support/fake.rs"]
mod fake;
mod support;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fake::{Fake, legacy, legacy_as, modern, modern_as, report, text_result};
use mcp_server::Change;
use mcp_server::client::{CallError, ClientBuilder, SubscriptionEvent};
use mcp_server::prelude::*;
use mcp_server::protocol::{ElicitResult, ProtocolVersion, Root, SubscriptionFilter};
use serde_json::Value;
use support::fake_http::{self, Part, Reply, Seen, discovered, events, json as json_reply, reply, shakes_hands};
use support::http::{LONG, run};

const MIB: usize = 1024 * 1024;
const JSON_TYPE: &str = "content-type: application/json\r\n";
/// The key of the stream that a notification belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What memory this process has, in MiB. Other tests of this file that need much of it wait for the guard.
struct Memory {
    before: usize,
    _alone: MutexGuard<'static, ()>,
}

impl Memory {
    fn watch() -> Self {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        Self { before: resident(), _alone: alone }
    }

    /// Not more than so much was added, which the peak is not to be mistaken for: what is kept counts.
    #[track_caller]
    fn check(&self, limit: usize) {
        let now = resident();
        assert!(now < self.before + limit, "{} MiB before, {now} MiB now", self.before);
    }
}

fn resident() -> usize {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return 0 };
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

// ---- One answer, in each way ---------------------------------------------------------------------------------------

/// A wrong answer, and what its caller is told: over streams, in a body of JSON, and in a stream of events.
struct Wrong {
    /// What it is written like, with `ID` for the id of the request.
    answer: &'static str,
    streams: &'static str,
    json: &'static str,
    events: &'static str,
}

const SILENCE: &str = "no answer within";
const NOTHING: &str = "there is no answer to the request in it";
const LOST: &str = "the stream has ended before it";

/// One that is told in the same words wherever it comes from.
const fn told(answer: &'static str, text: &'static str) -> Wrong {
    Wrong { answer, streams: text, json: text, events: text }
}

/// One that nobody can know to be the answer.
const fn unknown(answer: &'static str) -> Wrong {
    Wrong { answer, streams: SILENCE, json: NOTHING, events: LOST }
}

const WRONG: &[Wrong] = &[
    unknown("hello"),
    unknown("{"),
    unknown("7"),
    unknown("null"),
    unknown("\"text\""),
    unknown("NaN"),
    unknown("[]"),
    unknown("[[]]"),
    unknown(r#"[[[{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}]]]"#),
    unknown(r#"{"jsonrpc":"2.0","id":"ID","result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":ID.5,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":-ID,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":null,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":true,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":[ID],"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":{"id":ID},"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":1e400,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":18446744073709551617,"result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","result":{"content":[]}}"#),
    unknown(r#"{"jsonrpc":"2.0","id":9999,"result":{"content":[]}}"#),
    // It may as well be a request without a method.
    unknown(r#"{"jsonrpc":"2.0","id":ID}"#),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":null}"#, "expected an object, got `null`"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":7}"#, "can't be read"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":[]}"#, "can't be read"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":"text"}"#, "can't be read"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{}}"#, "content"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":null}}"#, "content"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text"}]}}"#, "content[0]"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":1,"message":"m"}}"#, "no response"),
    told(r#"{"jsonrpc":"2.0","id":ID,"error":{"message":"no code"}}"#, "no response"),
    told(r#"{"jsonrpc":"2.0","id":ID,"error":{"code":1.5,"message":"m"}}"#, "no response"),
    told(r#"{"jsonrpc":"2.0","id":ID,"error":[1,"m"]}"#, "no response"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":7,"content":[]}}"#, "resultType"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","inputRequests":[]}}"#, "inputRequests"),
    told(r#"{"jsonrpc":"2.0","id":ID,"result":{"resultType":"input_required","requestState":7}}"#, "requestState"),
];

fn with_id(answer: &str, id: &Value) -> String {
    answer.replace("ID", &id.to_string())
}

/// The error of a call that is answered by these bytes; the next call is well.
async fn error_over_streams(client: &Client, fake: &mut Fake, answer: impl AsyncFnOnce(&mut Fake, Value)) -> String {
    let call = client.call_tool("bad", json!({})).timeout(Duration::from_secs(5));
    let serve = async {
        let request = fake.expect("tools/call").await;
        answer(fake, request["id"].clone()).await;
    };
    let (outcome, ()) = tokio::join!(call.into_future(), serve);
    let error = outcome.unwrap_err();
    if matches!(error, CallError::Timeout { .. }) {
        fake.expect("notifications/cancelled").await;
    }
    fake.answers_a_call(client).await;
    error.to_string()
}

#[tokio::test(start_paused = true)]
async fn each_wrong_answer_is_told_over_streams() {
    for (client, mut fake) in [modern().await, legacy("2025-11-25").await] {
        for wrong in WRONG {
            let error = error_over_streams(&client, &mut fake, async |fake, id| {
                fake.write(&(with_id(wrong.answer, &id) + "\n")).await;
            });
            let error = error.await;
            assert!(error.contains(wrong.streams), "{}: {error}", wrong.answer);
        }
    }
}

fn well(seen: &Seen) -> Reply {
    json_reply(&seen.result(json!({ "content": [{ "type": "text", "text": "well" }] })))
}

type Answering = Box<dyn Fn(&Seen) -> Reply + Send + Sync>;

/// A server of that revision that does for the tool `bad` what a test wants, and for others what is right.
async fn http(version: ProtocolVersion, bad: Answering) -> fake_http::Fake {
    fake_http::Fake::open(move |seen| {
        if seen.json()["params"]["name"] == "bad" {
            return bad(seen);
        }
        match seen.method().as_str() {
            "server/discover" if version.is_modern() => discovered(seen),
            "tools/list" => json_reply(&seen.result(json!({ "tools": [] }))),
            _ => shakes_hands(seen, version.as_str(), "s-1").unwrap_or_else(|| well(seen)),
        }
    })
    .await
}

fn builder() -> ClientBuilder {
    Client::builder().probe_timeout(Duration::from_secs(30)).max_message_size(MIB)
}

const ERAS: [ProtocolVersion; 2] = [ProtocolVersion::V2025_11_25, ProtocolVersion::V2026_07_28];

/// The error of a call that is answered like this, in both eras; the next request is well.
async fn errors_over_http(bad: impl Fn(&Seen) -> Reply + Send + Sync + Clone + 'static) -> Vec<String> {
    let mut errors = Vec::new();
    for version in ERAS {
        let server = http(version, Box::new(bad.clone())).await;
        let client = builder().http(server.url()).await.unwrap();
        assert_eq!(client.protocol_version(), version);
        let error = client.call_tool("bad", json!({})).timeout(LONG).await.unwrap_err();
        // A list, which is asked for once more when the connection that is used again proves to be broken.
        assert!(client.list_tools().await.unwrap().is_empty());
        errors.push(error.to_string());
    }
    errors
}

#[test]
fn each_wrong_answer_is_told_over_http() {
    run(async {
        for version in ERAS {
            let server = http(
                version,
                Box::new(|seen| {
                    let arguments = &seen.json()["params"]["arguments"];
                    let at = usize::try_from(arguments["at"].as_u64().unwrap()).unwrap();
                    let answer = with_id(WRONG[at].answer, &seen.json()["id"]);
                    if arguments["events"] == true { events(&[answer]) } else { json_reply(&answer) }
                }),
            );
            let server = server.await;
            let client = builder().http(server.url()).await.unwrap();
            for (at, wrong) in WRONG.iter().enumerate() {
                for in_events in [false, true] {
                    let call = client.call_tool("bad", json!({ "at": at, "events": in_events })).timeout(LONG);
                    let error = call.await.unwrap_err().to_string();
                    let expected = if in_events { wrong.events } else { wrong.json };
                    assert!(error.contains(expected), "{version}: {}: {error}", wrong.answer);
                    assert_eq!(client.call_tool("good", json!({})).await.unwrap().text(), "well");
                }
            }
        }
    });
}

/// JSON that is nested that deep.
fn nested(levels: usize) -> String {
    format!("{}{}", "[".repeat(levels), "]".repeat(levels))
}

#[tokio::test(start_paused = true)]
async fn nesting_without_end_costs_its_call_alone() {
    let deep = nested(100_000);
    let cases = [
        (format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{{"content":[],"_meta":{{"a":{deep}}}}}}}"#), "can't be read"),
        (format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{deep}}}"#), "can't be read"),
        (format!(r#"{{"jsonrpc":"2.0","id":ID,"error":{{"code":1,"message":"m","data":{deep}}}}}"#), "no response"),
        (format!(r#"{{"jsonrpc":"2.0","id":{deep},"result":{{}}}}"#), SILENCE),
        (format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{deep}}}"#), SILENCE),
        (format!(r#"{{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{{"a":{deep}}}}}"#), SILENCE),
        (deep.clone(), SILENCE),
        ("[".repeat(100_000), SILENCE),
        ("{\"a\":".repeat(100_000), SILENCE),
    ];
    let (client, mut fake) = modern().await;
    for (answer, expected) in &cases {
        let error = error_over_streams(&client, &mut fake, async |fake, id| {
            fake.write(&(with_id(answer, &id) + "\n")).await;
        });
        let error = error.await;
        assert!(error.contains(expected), "{}: {error}", &answer[..60]);
    }
}

#[test]
fn nesting_without_end_costs_its_call_alone_over_http() {
    run(async {
        let answer = |seen: &Seen| seen.result(json!("DEEP")).replace("\"DEEP\"", &nested(100_000));
        for error in errors_over_http(move |seen| json_reply(&answer(seen))).await {
            assert!(error.contains("can't be read"), "{error}");
        }
        for error in errors_over_http(move |seen| events(&[nested(100_000), answer(seen)])).await {
            assert!(error.contains("can't be read"), "{error}");
        }
    });
}

#[tokio::test(start_paused = true)]
async fn the_last_of_two_members_counts_or_the_answer_is_none() {
    let (client, mut fake) = modern().await;
    let call = client.call_tool("x", json!({}));
    let serve = async {
        let id = fake.expect("tools/call").await["id"].clone();
        let result = |text: &str| format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#);
        let (first, second) = (result("first"), result("second"));
        fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{first},\"id\":{id},\"result\":{second}}}\n"))
            .await;
    };
    let (outcome, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(outcome.unwrap().text(), "second");
    let answer = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[],"content":[]}}"#;
    let error = error_over_streams(&client, &mut fake, async |fake, id| {
        fake.write(&(with_id(answer, &id) + "\n")).await;
    });
    assert!(error.await.contains("duplicate field `content`"));
}

#[tokio::test(start_paused = true)]
async fn bytes_that_are_no_text_are_no_message() {
    let (client, mut fake) = modern().await;
    for bytes in [&b"\xff\xfe"[..], b"\xc0\xaf", b"\xed\xa0\x80", b"\0"] {
        let error = error_over_streams(&client, &mut fake, async |fake, id| {
            let (head, tail) = (r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":""#, "\"}]}}\n");
            fake.write_bytes(&[with_id(head, &id).as_bytes(), bytes, tail.as_bytes()].concat()).await;
        });
        assert!(error.await.contains(SILENCE));
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stalls_or_dies_in_the_middle_of_a_line_ends_its_calls() {
    let (client, mut fake) = modern().await;
    let error = error_over_streams(&client, &mut fake, async |fake, id| {
        let whole = text_result(&id, "late");
        let (begun, rest) = whole.split_at(whole.len() / 2);
        fake.write(begun).await;
        // Time goes on as soon as nothing else does.
        tokio::time::sleep(Duration::from_secs(6)).await;
        fake.write(&format!("{rest}\n")).await;
    });
    assert!(error.await.contains(SILENCE));
    let call = client.call_tool("x", json!({}));
    let serve = async {
        let id = fake.expect("tools/call").await["id"].clone();
        let whole = text_result(&id, "never");
        fake.write(&whole[..whole.len() / 2]).await;
        drop(fake);
    };
    let (outcome, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(outcome.unwrap_err().to_string(), "the connection is closed: the server has closed it");
}

// ---- Reports -------------------------------------------------------------------------------------------------------

#[tokio::test(start_paused = true)]
async fn reports_that_make_no_sense_reach_nobody() {
    let (client, mut fake) = modern().await;
    let mut seen = Vec::new();
    let call = client.call_tool("x", json!({})).on_progress(async |report: Progress| seen.push(report.done));
    let serve = async {
        let id = fake.expect("tools/call").await["id"].clone();
        for value in ["1e400", "-1e400", "NaN", "Infinity", "\"1\"", "null", "true", "[1]", "{}", ""] {
            fake.write(&format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{id},\"progress\":{value}}}}}\n"
            ))
            .await;
        }
        for token in ["null", "1e400", "[]", "-1", "1.5", &format!("\"{id}\""), "18446744073709551617"] {
            fake.write(&format!(
                "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":7}}}}\n"
            ))
            .await;
        }
        let good = [report(&id, 1), text_result(&id, "ok"), report(&id, 2), text_result(&id, "again"), String::new()];
        fake.write(&good.join("\n")).await;
    };
    let (outcome, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(outcome.unwrap().text(), "ok");
    assert_eq!(seen, [1.0]);
    fake.answers_a_call(&client).await;
}

// ---- Floods --------------------------------------------------------------------------------------------------------

/// Something that the same is written of again and again, in pieces.
async fn flood(fake: &mut Fake, line: &str, times: usize) {
    let piece = format!("{line}\n").repeat(1000);
    for _ in 0..times / 1000 {
        fake.write(&piece).await;
    }
}

#[test]
fn a_flood_of_what_nobody_waits_for_is_passed_over() {
    let memory = Memory::watch();
    run(async {
        for (client, mut fake) in [modern().await, legacy("2025-11-25").await] {
            let call = client.call_tool("x", json!({})).on_progress(async |report| panic!("{report}"));
            let serve = async {
                let id = fake.expect("tools/call").await["id"].clone();
                for line in [
                    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#,
                    r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"!"}}"#,
                    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
                    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}"#,
                    r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":98765,"progress":1}}"#,
                    r#"{"jsonrpc":"2.0","id":98765,"result":{"content":[]}}"#,
                    "no message",
                ] {
                    flood(&mut fake, line, 20_000).await;
                }
                fake.write(&(text_result(&id, "ok") + "\n")).await;
            };
            let (outcome, ()) = tokio::join!(call.into_future(), serve);
            assert_eq!(outcome.unwrap().text(), "ok");
            fake.answers_a_call(&client).await;
        }
    });
    memory.check(100);
}

#[test]
fn a_line_of_hundreds_of_mebibytes_costs_no_memory() {
    let memory = Memory::watch();
    run(async {
        let (client, mut fake) = modern_as(Client::builder().max_message_size(MIB)).await;
        let letters = vec![b'a'; MIB];
        for is_answer in [true, false] {
            let call = client.call_tool("x", json!({})).timeout(LONG);
            let serve = async {
                let id = fake.expect("tools/call").await["id"].clone();
                if is_answer {
                    let head = r#"{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":""#;
                    fake.write(&with_id(head, &id)).await;
                }
                for _ in 0..200 {
                    fake.write_bytes(&letters).await;
                    memory.check(100);
                }
                fake.write("\n").await;
                fake.write(&(text_result(&id, "ok") + "\n")).await;
            };
            let (outcome, ()) = tokio::join!(call.into_future(), serve);
            match outcome {
                Err(error) if is_answer => assert!(error.to_string().contains("limit of 1048576 bytes"), "{error}"),
                outcome => assert_eq!(outcome.unwrap().text(), "ok"),
            }
            fake.answers_a_call(&client).await;
        }
    });
}

#[test]
fn changes_in_a_flood_are_told_once_or_as_missed() {
    let memory = Memory::watch();
    run(async {
        let (client, mut fake) = modern().await;
        let filter = SubscriptionFilter {
            tools_list_changed: true,
            resource_subscriptions: vec!["shop://a".into()],
            ..SubscriptionFilter::default()
        };
        let serve = async {
            let id = fake.expect("subscriptions/listen").await["id"].clone();
            let about = |method: &str, id: &Value, params: &str| {
                format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"_meta":{{"{SUBSCRIPTION}":{id}}}{params}}}}}"#
                )
            };
            // Acknowledgments for others, for nobody, and one that can't be read.
            for other in [json!(id.as_u64().unwrap() + 1), json!("other"), json!(null), json!(-1), json!(1.5)] {
                fake.write(&(about("subscriptions/acknowledged", &other, "") + "\n")).await;
                fake.write(&(about("tools/list_changed", &other, "") + "\n")).await;
            }
            fake.write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\"}\n").await;
            let filter = r#","notifications":{"toolsListChanged":true,"resourceSubscriptions":["shop://a"]}"#;
            fake.write(&(about("subscriptions/acknowledged", &id, filter) + "\n")).await;
            (about("tools/list_changed", &id, ""), id, about)
        };
        let (subscription, (tools, id, about)) = tokio::join!(client.listen(filter), serve);
        let mut subscription = subscription.unwrap();
        assert!(subscription.filter().tools_list_changed);
        flood(&mut fake, &tools, 100_000).await;
        fake.answers_a_call(&client).await;
        assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Change(Change::Tools));
        for at in 0..20_000 {
            let params = format!(r#","uri":"shop://a/{at}""#);
            fake.write(&(about("resources/updated", &id, &params) + "\n")).await;
        }
        fake.answers_a_call(&client).await;
        assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Reopened);
    });
    memory.check(100);
}

#[test]
fn an_older_server_that_asks_in_a_flood_and_reads_nothing_fills_no_memory() {
    let memory = Memory::watch();
    run(async {
        let builder = Client::builder()
            .on_elicit(|_| async { ElicitResult::accept(json!({ "name": "x".repeat(10_000) })) })
            .roots([Root { uri: "file:///a".into(), name: Some("x".repeat(10_000)), meta: None }]);
        let (client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
        let form = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
        let questions = [
            json!({ "method": "ping" }),
            json!({ "method": "roots/list" }),
            json!({ "method": "elicitation/create", "params": { "message": "Who?", "requestedSchema": form } }),
            json!({ "method": "no/such" }),
            json!({ "method": "sampling/createMessage", "params": [] }),
        ];
        for at in 0..50_000 {
            let mut question = questions[at % questions.len()].clone();
            question["jsonrpc"] = json!("2.0");
            question["id"] = json!(format!("q-{at}"));
            fake.say(question).await;
        }
        let call = client.call_tool("x", json!({})).timeout(LONG);
        let serve = async {
            loop {
                let message = fake.read().await.unwrap();
                if message["method"] == "tools/call" {
                    return fake.write(&(text_result(&message["id"], "ok") + "\n")).await;
                }
                assert!(message.get("result").is_some() || message.get("error").is_some(), "{message}");
            }
        };
        let (outcome, ()) = tokio::join!(call.into_future(), serve);
        assert_eq!(outcome.unwrap().text(), "ok");
    });
    memory.check(100);
}

// ---- Lists and rounds ----------------------------------------------------------------------------------------------

#[test]
fn a_list_of_a_million_tools_is_longer_than_a_message_may_be() {
    let memory = Memory::watch();
    run(async {
        let (client, mut fake) = modern_as(Client::builder().max_message_size(MIB)).await;
        let serve = async {
            let id = fake.expect("tools/list").await["id"].clone();
            fake.write(&with_id(r#"{"jsonrpc":"2.0","id":ID,"result":{"tools":["#, &id)).await;
            let piece = r#"{"name":"a","inputSchema":{"type":"object"}},"#.repeat(1000);
            for _ in 0..1000 {
                fake.write(&piece).await;
            }
            fake.write("]}}\n").await;
        };
        let (outcome, ()) = tokio::join!(client.list_tools(), serve);
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("limit of 1048576 bytes"), "{error}");
        fake.answers_a_call(&client).await;
    });
    memory.check(100);
}

#[test]
fn a_list_of_large_pages_without_end_fills_no_memory() {
    let memory = Memory::watch();
    run(async {
        let (client, mut fake) = modern_as(Client::builder()).await;
        let item =
            format!(r#"{{"name":"a","inputSchema":{{"type":"object"}},"description":"{}"}}"#, "x".repeat(100_000));
        let page = vec![item; 100].join(",");
        let mut pages = 0;
        let serve = async {
            loop {
                let id = fake.expect("tools/list").await["id"].clone();
                pages += 1;
                let head = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"nextCursor":"{pages}","tools":["#);
                fake.write(&format!("{head}{page}]}}}}\n")).await;
                memory.check(600);
            }
        };
        let outcome = tokio::select! {
            outcome = client.list_tools() => outcome,
            () = serve => unreachable!(),
        };
        let error = outcome.unwrap_err().to_string();
        assert!(error.contains("the list does not end"), "{error}");
        fake.answers_a_call(&client).await;
    });
    memory.check(600);
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_questions_are_refused_in_a_text_of_a_bearable_length() {
    let (client, mut fake) = modern().await;
    for method in ["no/such", "elicitation/create", "roots/list"] {
        let questions: serde_json::Map<_, _> =
            (0..10_000).map(|at| (format!("question-{at}"), json!({ "method": method }))).collect();
        let answer = json!({ "resultType": "input_required", "inputRequests": questions }).to_string();
        let error = error_over_streams(&client, &mut fake, async |fake, id| {
            fake.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{answer}}}\n")).await;
        });
        let error = error.await;
        assert!(
            error.starts_with("the server asks for input, which this client can't give: `question-0`"),
            "{}",
            &error[..200]
        );
        assert!(error.len() < 2000, "{} bytes: {}", error.len(), &error[..200]);
    }
}

#[tokio::test(start_paused = true)]
async fn ten_thousand_questions_are_answered_and_their_call_goes_on() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { ElicitResult::decline() }
    });
    let (client, mut fake) = modern_as(builder).await;
    let form = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let question = json!({ "method": "elicitation/create", "params": { "message": "?", "requestedSchema": form } });
    let serve = async {
        let call = fake.expect("tools/call").await;
        let questions: serde_json::Map<_, _> = (0..10_000).map(|at| (format!("q{at}"), question.clone())).collect();
        fake.asks(&call, questions.into(), None).await;
        let again = fake.expect("tools/call").await;
        assert_eq!(again["params"]["inputResponses"].as_object().unwrap().len(), 10_000);
        fake.write(&(text_result(&again["id"], "ok") + "\n")).await;
    };
    let (outcome, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), serve);
    assert_eq!(outcome.unwrap().text(), "ok");
    assert_eq!(asked.load(Ordering::Relaxed), 10_000);
}

// ---- HTTP ----------------------------------------------------------------------------------------------------------

/// What is said of a call that is answered by these bytes, after which the connection is closed or held.
async fn errors_of_bytes(bytes: &str, last: fn() -> Part) -> Vec<String> {
    let bytes = bytes.as_bytes().to_vec();
    errors_over_http(move |_| vec![Part::Write(bytes.clone()), last()]).await
}

#[test]
fn responses_that_break_off_or_lie_of_their_length_are_told() {
    run(async {
        for (bytes, expected) in [
            ("nonsense\r\n\r\n".to_owned(), "lost"),
            ("HTTP/1.1 200".to_owned(), "lost"),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: 99\r\n\r\n{{\"jsonrpc\""), "lost"),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: 2\r\n\r\n{{}}{{\"jsonrpc\":1}}"), NOTHING),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: 18446744073709551615\r\n\r\n{{}}"), "lost"),
            (
                format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: 999999999999\r\n\r\n{{}}"),
                "limit of 1048576 bytes",
            ),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: -1\r\n\r\n{{}}"), "lost"),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}content-length: 1\r\ncontent-length: 2\r\n\r\n{{}}"), "lost"),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}transfer-encoding: chunked\r\n\r\n20\r\n{{\"jsonrpc\""), "lost"),
            (format!("HTTP/1.1 200 OK\r\n{JSON_TYPE}transfer-encoding: chunked\r\n\r\nzz\r\n{{}}"), "lost"),
            ("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"jsonrpc\"".to_owned(), LOST),
            (format!("HTTP/1.1 200 OK\r\n{}\r\n", "x-more: 1\r\n".repeat(10_000)), "lost"),
            (format!("HTTP/1.1 200 OK\r\nx-long: {}\r\n\r\n", "x".repeat(MIB)), "lost"),
            ("HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n".to_owned(), "status 999"),
            ("HTTP/1.1 205 Odd\r\ncontent-length: 0\r\n\r\n".to_owned(), "it has no type"),
            ("HTTP/1.1 307 X\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n".to_owned(), "status 307"),
            ("HTTP/1.1 302 X\r\nlocation: /mcp\r\ncontent-length: 0\r\n\r\n".to_owned(), "status 302"),
        ] {
            let is_whole = bytes.contains("content-length: 0\r\n");
            let errors = if is_whole {
                // Its connection may be used again at once, and so it stays open.
                let bytes = bytes.clone().into_bytes();
                errors_over_http(move |_| vec![Part::Write(bytes.clone())]).await
            } else {
                errors_of_bytes(&bytes, || Part::Close).await
            };
            for error in errors {
                assert!(error.contains(expected), "{}: {error}", &bytes[..bytes.len().min(100)]);
                assert!(error.len() < 1000, "{} bytes", error.len());
            }
        }
    });
}

#[test]
fn a_server_that_stalls_costs_the_time_that_its_call_has() {
    run(async {
        for bytes in [
            "",
            "HTTP/1.1 2",
            "HTTP/1.1 200 OK\r\ncontent-ty",
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{\"json",
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: {\"json",
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 99\r\n\r\n<html>",
            "HTTP/1.1 500 No\r\ncontent-length: 99\r\n\r\n<html>",
            "HTTP/1.1 103 Early Hints\r\n\r\n",
        ] {
            for version in ERAS {
                let server = http(version, Box::new(|_| vec![Part::Write(bytes.into()), Part::Hold]));
                let server = server.await;
                let client = builder().http(server.url()).await.unwrap();
                let error = client.call_tool("bad", json!({})).timeout(Duration::from_millis(50)).await.unwrap_err();
                assert_eq!(error.to_string(), "no answer within 50ms", "{bytes}");
                assert_eq!(client.call_tool("good", json!({})).await.unwrap().text(), "well");
                // The notification of an older server comes on another connection.
                server.wait_for_gone(1).await;
            }
        }
    });
}

#[test]
fn a_body_of_hundreds_of_mebibytes_costs_no_memory() {
    let memory = Memory::watch();
    run(async {
        for head in ["application/json\r\n\r\n", "text/event-stream\r\n\r\ndata: ", "text/html\r\n\r\n"] {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {head}");
            let errors =
                errors_over_http(move |_| vec![Part::Write(head.clone().into()), Part::Flood(200 << 20), Part::Close]);
            for error in errors.await {
                assert!(error.contains("limit of 1048576 bytes") || error.contains("`text/html`"), "{error}");
                assert!(error.len() < 1000);
            }
        }
    });
    memory.check(100);
}

/// A stream with one event, of this id, in a single write, as the parts of a response would wait for each other.
fn closed_at_once(id: &str) -> Reply {
    let event = format!("retry: 0\nid: {id}\ndata:\n\n");
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ";
    vec![Part::Write(format!("{head}{}\r\n\r\n{event}", event.len()).into_bytes())]
}

#[test]
fn streams_that_end_at_once_are_not_asked_for_without_a_pause() {
    run(async {
        let server = fake_http::Fake::open(|seen| match seen.verb.as_str() {
            "GET" => closed_at_once(&seen.number.to_string()),
            _ => shakes_hands(seen, "2025-11-25", "s-1").unwrap_or_else(|| closed_at_once("first")),
        });
        let server = server.await;
        let client = builder().http(server.url()).await.unwrap();
        let began = Instant::now();
        let error = client.call_tool("bad", json!({})).timeout(Duration::from_secs(1)).await.unwrap_err();
        assert!(matches!(error, CallError::Timeout { .. }), "{error}");
        let (streams, seconds) = (server.of("GET").len(), began.elapsed().as_secs_f64() + 1.0);
        // That which listens, and that of the call.
        assert!((streams as f64) < 25.0 * seconds, "{streams} in {seconds} s");
    });
}

#[test]
fn a_session_that_is_never_found_again_is_an_error_however_often_it_changes() {
    run(async {
        let versions = ["2025-11-25", "2024-11-05", "2025-06-18", "2025-03-26", "2026-07-28", "1999-01-01"];
        let handshakes = AtomicUsize::new(0);
        let server = fake_http::Fake::open(move |seen| {
            if seen.method() == "initialize" {
                let count = handshakes.fetch_add(1, Ordering::Relaxed);
                return shakes_hands(seen, versions[count % versions.len()], &format!("s-{count}")).unwrap();
            }
            match shakes_hands(seen, "", "") {
                Some(reply) => reply,
                None if seen.json()["params"]["name"] == "good" => well(seen),
                None => reply(404, "", ""),
            }
        });
        let server = server.await;
        let client = builder().http(server.url()).await.unwrap();
        for expected in ["404", "404", "404", "no common protocol version", "no common protocol version"] {
            let error = client.call_tool("bad", json!({})).timeout(LONG).await.unwrap_err().to_string();
            assert!(error.contains(expected), "{expected}: {error}");
            assert_eq!(client.call_tool("good", json!({})).await.unwrap().text(), "well");
        }
    });
}
