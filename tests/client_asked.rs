//! What a client does when it is asked: by stateless servers, whose questions end a round, and by older ones.

#[path = "support/fake.rs"]
mod fake;

use std::collections::BTreeSet;
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake::{Fake, legacy_as, modern_as, text_result};
use mcp_server::client::{CallError, ClientBuilder, Refused};
use mcp_server::prelude::*;
use mcp_server::protocol::{
    CallToolResult, CreateMessageParams, CreateMessageResult, ElicitFormParams, ElicitResult, ElicitUrlParams,
    LoggingLevel, ModelHint, ModelPreferences, ProtocolVersion, Role, Root, SamplingMessage,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::{Notify, oneshot};

fn form(message: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    json!({ "method": "elicitation/create", "params": { "message": message, "requestedSchema": schema } })
}

fn page(url: &str) -> Value {
    json!({ "method": "elicitation/create", "params": { "mode": "url", "message": "Sign in", "url": url } })
}

fn sampling() -> Value {
    let messages = json!([{ "role": "user", "content": { "type": "text", "text": "Why?" } }]);
    json!({ "method": "sampling/createMessage", "params": { "messages": messages, "maxTokens": 10 } })
}

/// Answers every form with the text of its question.
fn echoes() -> ClientBuilder {
    Client::builder()
        .on_elicit(|form: ElicitFormParams| async move { ElicitResult::accept(json!({ "name": form.message })) })
}

fn shop() -> Root {
    Root { uri: "file:///home/ada/shop".into(), name: Some("Shop".into()), meta: None }
}

fn said(text: &str) -> CreateMessageResult {
    CreateMessageResult {
        role: Role::Assistant,
        content: vec![text.into()],
        model: "m".into(),
        stop_reason: Some("endTurn".into()),
        meta: None,
    }
}

/// What a call gives whose first round ends with these questions. It must not be sent again.
async fn call_asked(client: &Client, fake: &mut Fake, questions: Value) -> CallError {
    let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), async {
        let call = fake.expect("tools/call").await;
        fake.asks(&call, questions, Some("s")).await;
    });
    let error = result.unwrap_err();
    // The connection goes on, and this is what comes next.
    fake.answers_a_call(client).await;
    error
}

// ---- Rounds --------------------------------------------------------------------------------------------------------

// rows: MRTR-8, MRTR-9, MRTR-10, BASE-10, ELIC-4
#[tokio::test]
async fn a_call_is_sent_again_with_the_answers_and_nothing_else_is() {
    let (client, mut fake) = modern_as(echoes().roots([shop()])).await;
    let call = client.call_tool("x", json!({ "a": 1 })).meta("com.example/trace", "t");
    let serve = async {
        let first = fake.expect("tools/call").await;
        let state = "é \"1\" \\ \u{1F600}\n";
        fake.asks(&first, json!({ "who": form("Who?"), "where": { "method": "roots/list" } }), Some(state)).await;
        let second = fake.expect("tools/call").await;
        assert_ne!(second["id"], first["id"]);
        let mut params = second["params"].clone();
        let responses = params.as_object_mut().unwrap().remove("inputResponses").unwrap();
        assert_eq!(
            responses,
            json!({
                "who": { "action": "accept", "content": { "name": "Who?" } },
                "where": { "roots": [{ "uri": "file:///home/ada/shop", "name": "Shop" }] },
            })
        );
        assert_eq!(params.as_object_mut().unwrap().remove("requestState").unwrap(), state);
        assert_eq!(params, first["params"]);

        // Another call at the same time knows nothing of it.
        fake.asks(&second, json!({ "again": form("Again?") }), None).await;
        fake.answers_a_call(&client).await;
        let third = loop {
            let message = fake.seen.last().unwrap().clone();
            match message["params"]["arguments"] == json!({ "a": 1 }) && message["id"] != second["id"] {
                true => break message,
                false => drop(fake.expect("tools/call").await),
            }
        };
        assert_eq!(third["params"]["inputResponses"], json!({ "again": form_answer("Again?") }));
        assert!(third["params"].get("requestState").is_none(), "the last result had none: {third}");

        // Nothing to be answered: at once again, and empty.
        fake.asks(&third, Value::Null, None).await;
        let fourth = fake.expect("tools/call").await;
        assert_eq!(fourth["params"], first["params"]);
        fake.write(&(text_result(&fourth["id"], "done") + "\n")).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), serve);
    assert_eq!(result.unwrap().text(), "done");
    for message in &fake.seen {
        assert!(message.get("method").is_some(), "a client never answers: {message}");
        let is_ours = message["params"]["arguments"] == json!({ "a": 1 });
        assert!(is_ours || message["params"].get("inputResponses").is_none(), "{message}");
        assert!(is_ours || message["params"].get("requestState").is_none(), "{message}");
    }
}

fn form_answer(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

/// The scenario `sep-2322-client-request-state` of the conformance suite.
// rows: MRTR-8, MRTR-9, MRTR-10, RTYPE-3
#[tokio::test]
async fn a_state_is_echoed_by_its_own_call_alone() {
    let (client, mut fake) = modern_as(echoes()).await;
    let confirm = || json!({ "confirm": form("Sure?") });
    let serve = async {
        let first = fake.expect("tools/call").await;
        fake.asks(&first, confirm(), Some("opaque.state==")).await;
        let retry = fake.expect("tools/call").await;
        assert_eq!(retry["params"]["requestState"], "opaque.state==");
        assert_ne!(retry["id"], first["id"]);
        fake.write(&(text_result(&retry["id"], "1") + "\n")).await;

        let first = fake.expect("tools/call").await;
        fake.asks(&first, confirm(), None).await;
        let retry = fake.expect("tools/call").await;
        assert!(retry["params"].get("requestState").is_none());
        fake.write(&(text_result(&retry["id"], "2") + "\n")).await;

        let unrelated = fake.expect("tools/call").await;
        assert_eq!(unrelated["params"].as_object().unwrap().keys().collect::<Vec<_>>(), ["name", "arguments", "_meta"]);
        fake.reply(&unrelated, json!({ "content": [] })).await;
    };
    let calls = async {
        for tool in ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_no_result_type"] {
            client.call_tool(tool, json!({})).await.unwrap();
        }
    };
    tokio::join!(calls, serve);
}

// rows: MRTR-8
#[tokio::test]
async fn nobody_is_asked_twice_because_a_tool_has_changed_meanwhile() {
    let (client, mut fake) = modern_as(echoes()).await;
    let serve = async {
        let call = fake.expect("tools/call").await;
        fake.asks(&call, json!({ "who": form("Who?") }), Some("s")).await;
        let retry = fake.expect("tools/call").await;
        let error = json!({ "code": -32020, "message": "the headers do not fit" });
        fake.say(json!({ "jsonrpc": "2.0", "id": retry["id"], "error": error })).await;
        fake.answer("tools/list", r#"{"tools":[]}"#).await;
        let again = fake.expect("tools/call").await;
        assert_eq!(again["params"], retry["params"]);
        assert_eq!(again["params"]["inputResponses"], json!({ "who": form_answer("Who?") }));
        fake.write(&(text_result(&again["id"], "well") + "\n")).await;
    };
    tokio::join!(client.call_tool("x", json!({})).into_future(), serve).0.unwrap();
}

// rows: MRTR-11
#[tokio::test]
async fn a_server_that_never_has_enough_is_given_up() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let builder = Client::builder().max_rounds(3).on_elicit(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        async { ElicitResult::accept(json!({ "name": "Ada" })) }
    });
    let (client, mut fake) = modern_as(builder).await;
    let serve = async {
        for _ in 0..4 {
            let call = fake.expect("tools/call").await;
            fake.asks(&call, json!({ "who": form("Who?") }), Some("same")).await;
        }
    };
    let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), serve);
    let error = result.unwrap_err();
    assert!(matches!(error, CallError::TooManyRounds { limit: 3 }), "{error:?}");
    assert_eq!(error.to_string(), "the server has asked for input in more than 3 rounds");
    assert_eq!(asked.load(Ordering::Relaxed), 3);
    fake.answers_a_call(&client).await;
}

// rows: MRTR-11
#[tokio::test]
async fn a_server_that_sends_its_client_round_and_round_is_given_up() {
    let (client, mut fake) = modern_as(Client::builder()).await;
    let serve = async {
        for _ in 0..=16 {
            let call = fake.expect("tools/call").await;
            fake.asks(&call, Value::Null, Some("later")).await;
        }
    };
    let (result, ()) = tokio::join!(client.call_tool("x", json!({})).into_future(), serve);
    assert!(matches!(result, Err(CallError::TooManyRounds { limit: 16 })), "{result:?}");
    fake.answers_a_call(&client).await;
}

// rows: MRTR-12, SAMP-2, SAMP-8
#[tokio::test]
async fn a_question_without_an_answer_ends_its_call_here() {
    let builder = echoes().on_sample(|_| async { Err(Refused::new("the person said no")) });
    let (client, mut fake) = modern_as(builder).await;

    let error = call_asked(&client, &mut fake, json!({ "model": sampling() })).await;
    let expected = "the server asks for `model` (sampling/createMessage), which was refused: the person said no";
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, CallError::Refused { key, .. } if key == "model"));

    let questions = json!({ "who": form("Who?"), "where": { "method": "roots/list" } });
    let error = call_asked(&client, &mut fake, questions.clone()).await;
    let expected =
        "the server asks for input, which this client can't give: `who` (elicitation/create), `where` (roots/list)";
    assert_eq!(error.to_string(), expected);
    let CallError::InputRequired { request_state, input_requests } = error else { panic!("{error:?}") };
    assert_eq!((request_state.as_deref(), Value::Object(input_requests)), (Some("s"), questions));

    let mut with_tools = sampling();
    with_tools["params"]["tools"] = json!([{ "name": "add", "inputSchema": { "type": "object" } }]);
    let error = call_asked(&client, &mut fake, json!({ "model": with_tools })).await;
    assert!(matches!(error, CallError::InputRequired { .. }), "{error:?}");

    let error =
        call_asked(&client, &mut fake, json!({ "who": { "method": "elicitation/create", "params": {} } })).await;
    assert_eq!(error.to_string(), "the answer can't be read: inputRequests.who.params: missing field `message`");
    let error = call_asked(&client, &mut fake, json!({ "who": 7 })).await;
    assert!(matches!(error, CallError::InputRequired { .. }), "{error:?}");
}

// rows: ELIC-11, MRTR-12
#[tokio::test]
async fn an_answer_that_does_not_fit_is_never_sent() {
    let builder = Client::builder().on_elicit(|form: ElicitFormParams| async move {
        match &*form.message {
            "panic" => panic!("in the handler"),
            _ => ElicitResult::accept(json!({ "name": 7 })),
        }
    });
    let (client, mut fake) = modern_as(builder).await;
    let error = call_asked(&client, &mut fake, json!({ "who": form("Who?") })).await;
    let expected = "the server asks for `who` (elicitation/create), which has no answer: \
                    the answer does not fit the form: name: expected a string, got the number 7";
    assert_eq!(error.to_string(), expected);
    let error = call_asked(&client, &mut fake, json!({ "who": form("panic") })).await;
    assert!(
        matches!(&error, CallError::HandlerFailed { reason, .. } if reason == "its handler has panicked"),
        "{error}"
    );
}

// rows: ELIC-14, ELIC-19
#[tokio::test]
async fn only_a_page_that_is_safe_to_open_is_shown() {
    let shown = Arc::new(Mutex::new(Vec::new()));
    let pages = Arc::clone(&shown);
    let builder = Client::builder().on_elicit_url(move |page: ElicitUrlParams| {
        pages.lock().unwrap().push(page.url);
        async { ElicitResult::accept(json!({ "secret": "never sent" })) }
    });
    let (client, mut fake) = modern_as(builder).await;
    let good = ["https://bank.example/connect?to=42", "http://localhost:8080/x", "http://127.0.0.1/"];
    let bad =
        ["javascript:alert(1)", "http://bank.example/", "file:///etc/passwd", "data:text/html,x", "", "https://a b"];
    for url in good.into_iter().chain(bad) {
        let serve = async {
            let call = fake.expect("tools/call").await;
            fake.asks(&call, json!({ "open": page(url) }), None).await;
            let retry = fake.expect("tools/call").await;
            let action = if good.contains(&url) { "accept" } else { "decline" };
            assert_eq!(retry["params"]["inputResponses"], json!({ "open": { "action": action } }), "{url}");
            fake.write(&(text_result(&retry["id"], "well") + "\n")).await;
        };
        tokio::join!(client.call_tool("x", json!({})).into_future(), serve).0.unwrap();
    }
    assert_eq!(*shown.lock().unwrap(), good);
}

// rows: MRTR-8
#[tokio::test]
async fn the_questions_of_a_round_are_asked_at_once_and_each_once() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, highest) = (Arc::clone(&running), Arc::clone(&most));
    let builder = Client::builder().on_elicit(move |form: ElicitFormParams| {
        let (running, most) = (Arc::clone(&now), Arc::clone(&highest));
        async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::task::yield_now().await;
            running.fetch_sub(1, Ordering::SeqCst);
            ElicitResult::accept(json!({ "name": form.message }))
        }
    });
    let (client, mut fake) = modern_as(builder).await;
    let questions: serde_json::Map<_, _> = (0..100).map(|at| (format!("q{at}"), form(&format!("{at}?")))).collect();
    let serve = async {
        let call = fake.expect("tools/call").await;
        fake.asks(&call, Value::Object(questions), None).await;
        let retry = fake.expect("tools/call").await;
        for at in 0..100 {
            assert_eq!(retry["params"]["inputResponses"][format!("q{at}")], form_answer(&format!("{at}?")));
        }
        fake.write(&(text_result(&retry["id"], "well") + "\n")).await;
    };
    let call = client.call_tool("x", json!({}));
    tokio::join!(call.into_future(), serve).0.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 64);
}

/// A handler that never answers: it says when it has begun, and when it was dropped.
fn hangs() -> (ClientBuilder, Arc<Notify>, oneshot::Receiver<()>) {
    struct Guard(Option<oneshot::Sender<()>>);
    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.take().map(|sender| sender.send(()));
        }
    }
    let began = Arc::new(Notify::new());
    let (sender, dropped) = oneshot::channel();
    let (begins, sender) = (Arc::clone(&began), Mutex::new(Some(sender)));
    let builder = Client::builder().on_elicit(move |_| {
        let guard = Guard(sender.lock().unwrap().take());
        let begins = Arc::clone(&begins);
        async move {
            let _guard = guard;
            begins.notify_one();
            pending().await
        }
    });
    (builder, began, dropped)
}

// rows: CANC-5
#[tokio::test]
async fn a_call_that_is_dropped_takes_its_questions_along() {
    let (builder, began, dropped) = hangs();
    let (client, mut fake) = modern_as(builder).await;
    {
        let mut call = Box::pin(client.call_tool("x", json!({})).into_future());
        let serve = async {
            let request = fake.expect("tools/call").await;
            fake.asks(&request, json!({ "who": form("Who?") }), None).await;
            began.notified().await;
        };
        tokio::select! {
            result = &mut call => panic!("{result:?}"),
            () = serve => {}
        }
    }
    dropped.await.unwrap();
    // Its round was over, so that there is nothing to be cancelled.
    fake.answers_a_call(&client).await;
}

#[tokio::test(start_paused = true)]
async fn the_time_that_a_person_takes_is_not_counted() {
    let builder = Client::builder().on_elicit(|_| async {
        tokio::time::sleep(Duration::from_secs(600)).await;
        ElicitResult::accept(json!({ "name": "Ada" }))
    });
    let (client, mut fake) = modern_as(builder).await;
    let serve = async {
        let call = fake.expect("tools/call").await;
        fake.asks(&call, json!({ "who": form("Who?") }), None).await;
        let retry = fake.expect("tools/call").await;
        fake.write(&(text_result(&retry["id"], "well") + "\n")).await;
    };
    let second = Duration::from_secs(1);
    let call = client.call_tool("x", json!({})).timeout(second).max_timeout(second);
    assert_eq!(tokio::join!(call.into_future(), serve).0.unwrap().text(), "well");
}

// ---- Older servers -------------------------------------------------------------------------------------------------

/// Sends a question with that id, and reads what comes back.
async fn ask(fake: &mut Fake, id: Value, question: &Value) -> Value {
    put(fake, &id, question).await;
    let answer = fake.read().await.unwrap();
    assert_eq!(answer["id"], id);
    answer
}

async fn put(fake: &mut Fake, id: &Value, question: &Value) {
    let mut message = question.clone();
    message["jsonrpc"] = "2.0".into();
    message["id"] = id.clone();
    fake.say(message).await;
}

// rows: LEG-8, SAMP-5, SAMP-8, ELIC-11
#[tokio::test]
async fn a_question_of_an_older_server_that_can_not_be_answered_gets_an_error() {
    let builder = Client::builder()
        .on_elicit(|form: ElicitFormParams| async move {
            match &*form.message {
                "panic" => panic!("in the handler"),
                _ => ElicitResult::accept(json!({ "name": 7 })),
            }
        })
        .on_sample(|_| async { Err(Refused::new("the person said no")) });
    let (client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
    let mut mixed = sampling();
    mixed["params"]["messages"] = json!([
        { "role": "assistant", "content": { "type": "tool_use", "id": "t", "name": "add", "input": {} } },
        { "role": "user", "content": [
            { "type": "tool_result", "toolUseId": "t", "content": [] },
            { "type": "text", "text": "and" },
        ] },
    ]);
    let mut with_tools = sampling();
    with_tools["params"]["toolChoice"] = json!({ "mode": "auto" });
    for (question, code, text) in [
        (json!({ "method": "roots/list" }), -32601, "the method `roots/list` is not offered here"),
        (page("https://bank.example/"), -32602, "the mode `url` was not declared"),
        (sampling(), -1, "the person said no"),
        (
            mixed,
            -32602,
            "`params` can't be read: `messages[1]` has a tool result beside other blocks: put those into a message of their own",
        ),
        (with_tools, -32602, "`sampling.tools` was not declared"),
        (json!({ "method": "elicitation/create" }), -32602, "`params` can't be read: missing field `message`"),
        (
            json!({ "method": "sampling/createMessage", "params": { "messages": [{ "role": "user", "content": 7 }] } }),
            -32602,
            "`params.messages[0].content`: `type` is missing: a string",
        ),
        (form("Who?"), -32603, "the client has no answer that fits the question"),
        (form("panic"), -32603, "the client has no answer that fits the question"),
    ] {
        let answer = ask(&mut fake, json!("q"), &question).await;
        assert_eq!(answer["error"], json!({ "code": code, "message": text }), "{question}");
    }
    let (_bare, mut bare) = legacy_as(Client::builder(), "2025-06-18", json!({})).await;
    for question in [form("Who?"), page("https://a.example"), sampling()] {
        assert_eq!(ask(&mut bare, json!(1), &question).await["error"]["code"], -32601);
    }
    fake.answers_a_call(&client).await;
}

/// The scenario `elicitation-sep1034-client-defaults` of the conformance suite.
// rows: ELIC-11
#[tokio::test]
async fn fields_that_are_left_out_get_their_defaults() {
    let builder = Client::builder().on_elicit(|_| async { ElicitResult::accept(json!({})) });
    let (_client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "User name", "default": "John Doe" },
            "age": { "type": "integer", "description": "User age", "default": 30 },
            "score": { "type": "number", "description": "User score", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "description": "Verification status", "default": true },
        },
        "required": [],
    });
    let question =
        json!({ "method": "elicitation/create", "params": { "message": "Please", "requestedSchema": schema } });
    let answer = ask(&mut fake, json!(0), &question).await;
    let content = json!({ "name": "John Doe", "age": 30, "score": 95.5, "status": "active", "verified": true });
    assert_eq!(answer["result"], json!({ "action": "accept", "content": content }));
}

// rows: CANC-4, CANC-5, CANC-7
#[tokio::test]
async fn an_older_server_can_take_its_question_back() {
    let (builder, began, dropped) = hangs();
    let (client, mut fake) = legacy_as(builder.roots([]), "2025-11-25", json!({})).await;
    let cancel = |params: Value| json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
    put(&mut fake, &json!("q"), &form("Who?")).await;
    began.notified().await;
    // None of these is about it.
    for params in [json!({}), json!({ "requestId": 7 }), json!({ "requestId": {} }), json!([])] {
        fake.say(cancel(params)).await;
    }
    fake.say(cancel(json!({ "requestId": "q", "reason": "too late" }))).await;
    dropped.await.unwrap();
    // It has left nothing behind, not even an answer: its id can be used again.
    assert_eq!(ask(&mut fake, json!("q"), &json!({ "method": "roots/list" })).await["result"], json!({ "roots": [] }));
    // What is answered already can't be taken back, and that is no error.
    fake.say(cancel(json!({ "requestId": "q" }))).await;
    fake.answers_a_call(&client).await;
}

#[tokio::test]
async fn questions_are_asked_at_once_up_to_a_limit_and_an_id_is_asked_once() {
    let release = Arc::new(Notify::new());
    let (waits, asked) = (Arc::clone(&release), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |form: ElicitFormParams| {
        let waits = Arc::clone(&waits);
        count.fetch_add(1, Ordering::SeqCst);
        async move {
            waits.notified().await;
            ElicitResult::accept(json!({ "name": form.message }))
        }
    });
    let (client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
    for id in 0..64 {
        put(&mut fake, &json!(id), &form(&id.to_string())).await;
        // The same id once more is passed over: two answers to it could not be told apart.
        put(&mut fake, &json!(id), &form("twice")).await;
    }
    let refused = ask(&mut fake, json!(64), &form("64")).await;
    let text = "this client answers no more questions at a time than the limit of 64";
    assert_eq!(refused["error"], json!({ "code": -32603, "message": text }));
    fake.answers_a_call(&client).await;
    let mut answered = BTreeSet::new();
    while answered.len() < 64 {
        release.notify_one();
        let answer = fake.read().await.unwrap();
        assert_eq!(answer["result"], form_answer(&answer["id"].to_string()));
        assert!(answered.insert(answer["id"].as_u64().unwrap()));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 64);
}

#[tokio::test]
async fn no_question_outlives_its_connection() {
    for ends in ["the client is dropped", "the client is closed", "the server is gone"] {
        let (builder, began, dropped) = hangs();
        let (client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
        put(&mut fake, &json!(1), &form("Who?")).await;
        began.notified().await;
        let mut client = Some(client);
        match ends {
            "the client is dropped" => drop(client.take()),
            "the client is closed" => drop(client.take().unwrap().close().await),
            _ => drop(fake),
        }
        dropped.await.unwrap_or_else(|_| panic!("{ends}"));
    }
}

// rows: LEG-7, ROOT-1
#[tokio::test]
async fn an_older_server_is_told_of_other_roots_and_a_stateless_one_is_not() {
    let (client, mut fake) = legacy_as(Client::builder().roots([]), "2025-11-25", json!({})).await;
    let initialize = fake.seen.iter().find(|message| message["method"] == "initialize").unwrap();
    assert_eq!(initialize["params"]["capabilities"], json!({ "roots": { "listChanged": true } }));
    client.set_roots([shop()]).await;
    fake.expect("notifications/roots/list_changed").await;
    let answer = ask(&mut fake, json!(1), &json!({ "method": "roots/list", "params": {} })).await;
    assert_eq!(answer["result"]["roots"], json!([{ "uri": "file:///home/ada/shop", "name": "Shop" }]));

    let (client, mut fake) = legacy_as(Client::builder(), "2025-11-25", json!({})).await;
    client.set_roots([shop()]).await;
    fake.answers_a_call(&client).await;
    let (client, mut fake) = modern_as(Client::builder().roots([])).await;
    client.set_roots([shop()]).await;
    fake.answers_a_call(&client).await;
    let capabilities = &fake.seen[1]["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    assert_eq!(*capabilities, json!({ "roots": {} }));
}

// rows: LEG-10, ELIC-14
#[tokio::test]
async fn the_end_of_a_page_is_told_once_and_only_if_it_was_opened() {
    let (told, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let builder = Client::builder()
        .on_elicit_url(|page: ElicitUrlParams| async move {
            match page.url.contains("good") {
                true => ElicitResult::accept(()),
                false => ElicitResult::decline(),
            }
        })
        .on_elicit_complete(move |id| told.send(id.to_owned()).unwrap());
    let (client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
    for (id, url) in [("e1", "https://good.example"), ("e2", "https://other.example"), ("e3", "javascript:1")] {
        let mut question = page(url);
        question["params"]["elicitationId"] = id.into();
        let answer = ask(&mut fake, json!(id), &question).await;
        let action = if id == "e1" { "accept" } else { "decline" };
        assert_eq!(answer["result"], json!({ "action": action }));
    }
    for params in [
        json!({ "elicitationId": "never" }),
        json!({ "elicitationId": "e2" }),
        json!({ "elicitationId": "e3" }),
        json!({ "elicitationId": 7 }),
        json!({}),
        json!({ "elicitationId": "e1" }),
        json!({ "elicitationId": "e1" }),
    ] {
        fake.say(json!({ "jsonrpc": "2.0", "method": "notifications/elicitation/complete", "params": params })).await;
    }
    fake.answers_a_call(&client).await;
    drop(client);
    let mut all = Vec::new();
    while let Ok(id) = ends.try_recv() {
        all.push(id);
    }
    assert_eq!(all, ["e1"]);
}

// rows: LEG-1
#[tokio::test]
async fn an_older_server_is_answered_that_pings_while_a_person_thinks() {
    let (builder, began, _dropped) = hangs();
    let (_client, mut fake) = legacy_as(builder, "2025-11-25", json!({})).await;
    put(&mut fake, &json!(1), &form("Who?")).await;
    began.notified().await;
    assert_eq!(ask(&mut fake, json!("p"), &json!({ "method": "ping" })).await["result"], json!({}));
}

// ---- Our own server, in all revisions ------------------------------------------------------------------------------

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
    /// How often.
    #[serde(default = "twice")]
    times: u8,
}

fn twice() -> u8 {
    2
}

/// Greet whoever sits there.
#[tool]
async fn greet(ctx: Context) -> Result<String, ToolError> {
    Ok(match ctx.elicit::<Name>("What is your name?").await? {
        Elicited::Accept(Name { name, times }) => format!("Hello, {name}!").repeat(times.into()),
        Elicited::Decline => "no".into(),
        Elicited::Cancel => "never mind".into(),
    })
}

/// Ask the model.
#[tool]
async fn think(ctx: Context) -> Result<String, ToolError> {
    let hints = ["opus", "sonnet"].map(|name| ModelHint { name: Some(name.into()) }).to_vec();
    let question = CreateMessageParams {
        model_preferences: Some(ModelPreferences { hints, ..ModelPreferences::default() }),
        ..CreateMessageParams::new([SamplingMessage::user("Why?")], 7)
    };
    let answer = ctx.sample(question).await?;
    Ok(format!("{}: {} ({:?})", answer.model, answer.text(), answer.stop_reason))
}

/// Look at the folders.
#[tool]
async fn look(ctx: Context) -> Result<String, ToolError> {
    Ok(ctx.roots().await?.into_iter().map(|root| root.uri).collect())
}

/// Open a page.
#[tool]
async fn sign_in(ctx: Context) -> Result<String, ToolError> {
    Ok(format!("{:?}", ctx.elicit_url("Sign in", "https://bank.example/").await?))
}

fn asks() -> Server {
    Server::new("asks").tool(greet).tool(think).tool(look).tool(sign_in)
}

// rows: ELIC-1, ELIC-9, SAMP-1, SAMP-4, SAMP-6, SAMP-7, ROOT-1, ROOT-3, LIFE-6
#[tokio::test]
async fn our_own_server_gets_its_answers_in_every_revision() {
    for version in ProtocolVersion::ALL {
        let builder = Client::builder()
            .protocol_versions([version])
            .on_elicit(|_| async { ElicitResult::accept(json!({ "name": "Ada" })) })
            .on_elicit_url(|_| async { ElicitResult::accept(()) })
            .on_sample(|question: CreateMessageParams| async move {
                let preferences = question.model_preferences.unwrap_or_default();
                let model = preferences.hinted(["haiku-5", "sonnet-5"]).unwrap_or("haiku-5").to_owned();
                Ok(CreateMessageResult { model, ..said(&"because ".repeat(9)[..question.max_tokens as usize]) })
            })
            .roots([shop()]);
        let client = builder.connect(asks()).await.unwrap();
        let call = async |tool: &str| client.call_tool(tool, json!({})).await.unwrap();
        let greeted = call("greet").await;
        match version >= ProtocolVersion::V2025_06_18 {
            true => assert_eq!(greeted.text(), "Hello, Ada!Hello, Ada!"),
            false => assert!(greeted.is_error),
        }
        let signed_in = call("sign_in").await;
        match version >= ProtocolVersion::V2025_11_25 {
            true => assert_eq!(signed_in.text(), "Accept(())"),
            false => assert!(signed_in.is_error),
        }
        assert_eq!(call("think").await.text(), "sonnet-5: because (Some(\"endTurn\"))", "{version}");
        assert_eq!(call("look").await.text(), "file:///home/ada/shop", "{version}");
    }
}

// rows: LIFE-6
#[tokio::test]
async fn a_client_that_declares_nothing_is_asked_nothing() {
    for version in [ProtocolVersion::LATEST, ProtocolVersion::LATEST_LEGACY] {
        let client = Client::builder().protocol_versions([version]).connect(asks()).await.unwrap();
        for tool in ["greet", "think", "look", "sign_in"] {
            match client.call_tool(tool, json!({})).await {
                Ok(CallToolResult { is_error: true, .. }) if !version.is_modern() => {}
                Err(CallError::Server(error)) if version.is_modern() => assert_eq!(error.code.0, -32021),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn calls_that_are_asked_can_be_tasks_of_their_own() {
    let builder = Client::builder().on_elicit(|_| async {
        tokio::task::yield_now().await;
        ElicitResult::accept(json!({ "name": "Ada", "times": 1 }))
    });
    let client = Arc::new(builder.connect(asks()).await.unwrap());
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let client = Arc::clone(&client);
            tokio::spawn(async move { client.call_tool("greet", json!({})).await.unwrap().text() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), "Hello, Ada!");
    }
}

// ---- What is logged ------------------------------------------------------------------------------------------------

// rows: LOG-2
#[tokio::test]
async fn the_level_of_the_log_is_said_once_and_can_be_changed() {
    const LEVEL: &str = "io.modelcontextprotocol/logLevel";
    let (client, mut fake) = modern_as(Client::builder().on_log(LoggingLevel::Info, |_| {})).await;
    let answer = r#"{"content":[]}"#;
    let call = client.call_tool("x", json!({}));
    let request = tokio::join!(call.into_future(), fake.answer("tools/call", answer)).1;
    assert_eq!(request["params"]["_meta"][LEVEL], "info");
    let call = client.call_tool("x", json!({})).meta(LEVEL, "error");
    let lines = fake.lines.next_line();
    let line = tokio::select! {
        line = lines => line.unwrap().unwrap(),
        result = call.into_future() => panic!("{result:?}"),
    };
    assert!(line.contains(r#""io.modelcontextprotocol/logLevel":"error""#), "{line}");
    assert_eq!(line.matches("logLevel").count(), 1, "{line}");
    fake.expect("notifications/cancelled").await;
    client.set_log_level(LoggingLevel::Debug).await.unwrap();
    let call = client.call_tool("x", json!({}));
    let request = tokio::join!(call.into_future(), fake.answer("tools/call", answer)).1;
    assert_eq!(request["params"]["_meta"][LEVEL], "debug");

    let (client, mut fake) = legacy_as(Client::builder(), "2025-11-25", json!({ "logging": {} })).await;
    let set = client.set_log_level(LoggingLevel::Warning);
    let (set, request) = tokio::join!(set, fake.answer("logging/setLevel", "{}"));
    set.unwrap();
    assert_eq!(request["params"], json!({ "level": "warning" }));
    let (client, _fake) = legacy_as(Client::builder(), "2025-11-25", json!({})).await;
    let error = client.set_log_level(LoggingLevel::Warning).await.unwrap_err();
    let text = "the server does not offer this: it did not declare the capability `logging`";
    assert_eq!(error.to_string(), text);
}
