//! Servers that ask their client: by rounds in stateless requests, and over the wire in older ones.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::protocol::{
    CreateMessageParams, CreateMessageResult, ListRootsResult, SamplingContent, SamplingMessage,
};
use mcp_server::{AskError, Completing, StateKey, TestContext};
use serde_json::{Value, json};
use support::{META, Wire, block_on, exchange, on};

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// How often something was done that must be done once.
#[derive(Clone, Default)]
struct Done(Arc<AtomicU32>);

impl Done {
    fn again(&self) -> u32 {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn times(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Confirmation {
    /// Why the money goes back.
    reason: String,
    #[serde(default)]
    notify: bool,
}

/// Give the money for an order back.
#[tool]
async fn refund(order_id: String, done: State<Done>, ctx: Context) -> Result<String, ToolError> {
    let quote = ctx.once("quote", async { done.again() }).await;
    ctx.report_progress(1, 2, "quoted").await?;
    Ok(match ctx.elicit::<Confirmation>(format!("Refund {order_id}?")).await? {
        Elicited::Accept(Confirmation { reason, notify }) => format!("quote {quote}: {reason}, notify {notify}"),
        Elicited::Decline => "declined".into(),
        Elicited::Cancel => "cancelled".into(),
    })
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    #[schemars(length(min = 2))]
    name: String,
}

/// Ask for two names, one after the other.
#[tool]
async fn names(ctx: Context) -> Result<String, ToolError> {
    let mut names = Vec::new();
    for _ in 0..2 {
        match ctx.elicit::<Name>("Your name?").await? {
            Elicited::Accept(Name { name }) => names.push(name),
            _ => names.push("nobody".into()),
        }
    }
    Ok(names.join(" and "))
}

/// Ask the user and for the folders at once.
#[tool]
async fn both(ctx: Context) -> Result<String, ToolError> {
    let (name, roots) = tokio::join!(ctx.elicit::<Name>("Your name?"), ctx.roots());
    let roots: Vec<String> = roots?.into_iter().map(|root| root.uri).collect();
    Ok(format!("{} in {}", name?.accepted().map_or("nobody".into(), |name| name.name), roots.join(", ")))
}

/// Ask the model.
#[tool]
async fn ask_model(prompt: String, ctx: Context) -> Result<String, ToolError> {
    let answer = ctx.sample(CreateMessageParams::new(vec![SamplingMessage::user(prompt)], 100)).await?;
    Ok(format!("{}: {}", answer.model, answer.text()))
}

/// Ask the model, and let it use a tool.
#[tool]
async fn ask_with_tools(ctx: Context) -> Result<String, ToolError> {
    let weather: mcp_server::protocol::Tool =
        serde_json::from_value(json!({ "name": "weather", "inputSchema": { "type": "object" } }))?;
    let params = CreateMessageParams {
        tools: vec![weather],
        ..CreateMessageParams::new([SamplingMessage::user("What to wear?")], 100)
    };
    let answer = ctx.sample(params).await?;
    Ok(match answer.content.as_slice() {
        [SamplingContent::ToolUse(tool_use)] => format!("{} wants {}", tool_use.id, tool_use.name),
        _ => answer.text(),
    })
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
enum Topping {
    #[schemars(title = "Lots of cheese")]
    Cheese,
    #[schemars(title = "A few olives")]
    Olives,
    #[schemars(title = "Onions")]
    Onions,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Pizza {
    #[schemars(length(min = 1, max = 2))]
    toppings: Vec<Topping>,
    size: f64,
}

/// Ask for one of several, and for several.
#[tool]
async fn pick(ctx: Context) -> Result<String, ToolError> {
    let pizza = ctx.elicit::<Pizza>("Which pizza?").await?.accepted();
    Ok(pizza.map_or("none".into(), |pizza| format!("{:?} of {}", pizza.toppings, pizza.size)))
}

/// Have a page opened.
#[tool]
async fn sign_in(
    #[tool(default = "https://bank.example/connect")] url: String,
    ctx: Context,
) -> Result<String, ToolError> {
    Ok(format!("{:?}", ctx.elicit_url("Sign in to the bank", url).await?))
}

/// Ask in a task of its own, and wait for it.
#[tool]
async fn elsewhere(ctx: Context) -> Result<String, ToolError> {
    let asking = tokio::spawn(async move { ctx.elicit::<Name>("Your name?").await.map(Elicited::accepted) });
    let name = asking.await?;
    Ok(name?.map_or("nobody".into(), |name| name.name))
}

/// Take a step of some time beside a question.
#[tool]
async fn step(done: State<Done>, ctx: Context) -> Result<String, ToolError> {
    let step = ctx.once("step", async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        done.again()
    });
    let (times, name) = tokio::join!(step, ctx.elicit::<Name>("Your name?"));
    Ok(format!("{times} {}", name?.accepted().map_or("nobody".into(), |name| name.name)))
}

/// Have a page opened until something is done there.
#[tool]
async fn connect(done: State<Done>, ctx: Context) -> Result<String, ToolError> {
    while done.times() == 0 {
        if ctx.elicit_url("Connect your bank", "https://bank.example/connect").await? != Elicited::Accept(()) {
            return Ok("not connected".into());
        }
    }
    Ok("connected".into())
}

/// Words with an argument that is completed by asking, which can't be.
#[prompt]
async fn greet(#[prompt(complete = asking)] name: String, ctx: Context) -> Result<String, RequestError> {
    let more = ctx.elicit::<Name>("Your name?").await?;
    Ok(format!("{name} {}", more.accepted().map_or("nobody".into(), |name| name.name)))
}

async fn asking(completing: Completing) -> Result<Vec<String>, RequestError> {
    let name = completing.context.elicit::<Name>("Your name?").await?;
    Ok(name.accepted().into_iter().map(|name| name.name).collect())
}

/// A resource that asks who reads it.
#[resource("shop://for/{whom}")]
async fn asks(whom: String, ctx: Context) -> Result<String, RequestError> {
    let name = ctx.elicit::<Name>("Your name?").await?;
    Ok(format!("{whom} for {}", name.accepted().map_or("nobody".into(), |name| name.name)))
}

/// Do something whatever the answer is.
#[tool]
async fn whatever(done: State<Done>, ctx: Context) -> String {
    let name = ctx.elicit::<Name>("Your name?").await.ok();
    format!("{}, {}", done.again(), name.is_some())
}

/// Ask within a step that is taken once.
#[tool]
async fn within(ctx: Context) -> Result<String, ToolError> {
    let name = ctx.try_once("name", async {
        let name = ctx.elicit::<Name>("Your name?").await?;
        Ok::<_, ToolError>(name.accepted().map(|name| name.name))
    });
    Ok(name.await?.unwrap_or_default())
}

/// Pay, with all digits.
#[tool]
async fn pay(n: u128, ctx: Context) -> Result<String, ToolError> {
    let quoted = ctx.once("quote", async { n.to_string() }).await;
    ctx.elicit::<Name>("Sure?").await?;
    Ok(format!("quoted {quoted}, paid {n}"))
}

/// Leave a question behind in a task that nobody waits for.
#[tool]
async fn leave_behind(log: State<Notes>, ctx: Context) -> String {
    tokio::spawn(async move {
        // The call has ended by the time that this is asked, or while it waits.
        let asked = ctx.elicit::<Name>("Your name?").await;
        log.0.send(asked.map(drop)).unwrap();
    });
    "left".into()
}

struct Notes(tokio::sync::mpsc::UnboundedSender<Result<(), AskError>>);

/// What a form can't be.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Nested {
    #[expect(dead_code, reason = "only its schema matters")]
    inner: Name,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Secret {
    #[expect(dead_code, reason = "only its schema matters")]
    password: String,
}

/// Ask what can't be asked.
#[tool]
async fn wrongly(secret: bool, ctx: Context) -> Result<(), ToolError> {
    if secret {
        ctx.elicit::<Secret>("Your password?").await?;
    } else {
        ctx.elicit::<Nested>("Everything?").await?;
    }
    Ok(())
}

/// Ask for a table of those that are free just now.
#[tool]
async fn book(tables: Vec<String>, ctx: Context) -> Result<String, ToolError> {
    let schema = json!({
        "type": "object",
        "properties": {
            "table": { "type": "string", "enum": tables, "enumNames": ["By the door", "By the window"] },
            "guests": { "type": "integer", "minimum": 1, "default": 2 },
        },
        "required": ["table"],
    });
    Ok(match ctx.elicit_with("Which table?", schema).await? {
        Elicited::Accept(answer) => format!("{} for {}", answer["table"], answer["guests"]),
        _ => "none".into(),
    })
}

/// Greet by a name that is judged by its key alone.
#[tool]
async fn by_hand(ctx: Context) -> Result<String, ToolError> {
    loop {
        match ctx.elicit_response::<Name>("user_name").await {
            Ok(Some(Elicited::Accept(Name { name }))) => return Ok(format!("Hello, {name}")),
            Ok(Some(_)) => return Ok("Hello, stranger".into()),
            Ok(None) | Err(AskError::Invalid(_)) => {
                ctx.input_required().elicit::<Name>("user_name", "Your name?").ask().await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ask for everything at once, twice, with a state of its own.
#[tool]
async fn steps(ctx: Context) -> Result<String, ToolError> {
    loop {
        let heard: Vec<String> = ctx.request_state().await?.unwrap_or_default();
        let round = ctx.input_required();
        let round = match heard.as_slice() {
            [] => match ctx.input_response::<ListRootsResult>("folders").await? {
                None => round.roots("folders").state(&Vec::<String>::new()),
                Some(folders) => round
                    .elicit::<Name>("user_name", "Your name?")
                    .sample("greeting", CreateMessageParams::new([SamplingMessage::user("Hello?")], 10))
                    .elicit_url("page", "See this", "https://shop.example/")
                    .state(&[format!("{} folders", folders.roots.len())]),
            },
            [folders, ..] => {
                let name = ctx.elicit_response::<Name>("user_name").await?.and_then(Elicited::accepted);
                let greeting = ctx.input_response::<CreateMessageResult>("greeting").await?;
                let (Some(Name { name }), Some(greeting)) = (name, greeting) else {
                    return Err(ToolError::new("something was not answered"));
                };
                return Ok(format!("{folders}, {name}, {}", greeting.text()));
            }
        };
        round.ask().await?;
    }
}

/// Take a step once and ask by hand; then ask in the usual way.
#[tool]
async fn mixed(done: State<Done>, ctx: Context) -> Result<String, ToolError> {
    let step = ctx.once("step", async { done.again() }).await;
    let state: Option<u8> = loop {
        if let Some(state) = ctx.request_state().await? {
            break Some(state);
        }
        ctx.input_required().roots("folders").state(&7).ask().await?;
    };
    let name = ctx.elicit::<Name>("Your name?").await?;
    Ok(format!("{step} {state:?} {}", name.accepted().map_or("nobody".into(), |name| name.name)))
}

/// Ask with a state that is read in another form than it was given, as after an update.
#[tool]
async fn updated(ctx: Context) -> Result<(), ToolError> {
    let _: Option<String> = ctx.request_state().await?;
    Ok(ctx.input_required().roots("folders").state(&7).ask().await?)
}

/// Ask by hand what can't be asked.
#[tool]
async fn wrongly_by_hand(what: String, ctx: Context) -> Result<(), ToolError> {
    let round = ctx.input_required();
    let round = match &*what {
        "nothing" => round.state(&1),
        "twice" => round.roots("a").roots("a"),
        "together" => {
            let (one, _) = tokio::join!(ctx.input_required().roots("a").ask(), ctx.input_required().roots("a").ask());
            return Ok(one?);
        }
        "secret" => round.elicit::<Secret>("a", "Your password?"),
        "list" => {
            round.elicit_with("a", "All?", json!({ "type": "object", "properties": { "a": { "type": "array" } } }))
        }
        _ => round.elicit_url("a", "Look!", "ftp://x"),
    };
    Ok(round.ask().await?)
}

/// A prompt that asks by hand.
#[prompt]
async fn context(ctx: Context) -> Result<String, RequestError> {
    match ctx.elicit_response::<Name>("user_context").await?.and_then(Elicited::accepted) {
        Some(Name { name }) => Ok(format!("about {name}")),
        None => {
            ctx.input_required().elicit::<Name>("user_context", "About what?").ask().await?;
            Err(RequestError::invalid_params("nothing was said"))
        }
    }
}

/// A resource that asks by hand.
#[resource("shop://folders")]
async fn folders(ctx: Context) -> Result<String, RequestError> {
    match ctx.input_response::<ListRootsResult>("folders").await? {
        Some(folders) => Ok(format!("{} folders", folders.roots.len())),
        None => {
            ctx.input_required().roots("folders").ask().await?;
            Err(RequestError::invalid_params("nothing was said"))
        }
    }
}

fn server(done: &Done) -> Server {
    Server::new("scenario")
        .version("1.2.3")
        .state(done.clone())
        .state_keys([StateKey::from([7; 32])])
        .tool(refund)
        .tool(names)
        .tool(both)
        .tool(ask_model)
        .tool(sign_in)
        .tool(ask_with_tools)
        .tool(pick)
        .tool(elsewhere)
        .tool(step)
        .tool(wrongly)
        .tool(connect)
        .tool(within)
        .tool(whatever)
        .tool(pay)
        .tool(book)
        .tool(by_hand)
        .tool(steps)
        .tool(mixed)
        .tool(updated)
        .tool(wrongly_by_hand)
        .prompt(greet)
        .prompt(context)
        .resource(asks)
        .resource(folders)
}

fn everything() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": { "tools": {} }, "roots": {} })
}

// rows: MRTR-1, MRTR-2, MRTR-4, MRTR-7, ELIC-3, ELIC-4, ELIC-5, ELIC-9, ELIC-10
#[test]
fn a_question_ends_the_round_and_its_answer_begins_the_next() {
    for (answer, text, calls) in [
        (r#"{"action":"accept","content":{"reason":"broken"}}"#, "quote 1: broken, notify false", 1),
        (r#"{"action":"decline"}"#, "declined", 1),
        (r#"{"action":"cancel"}"#, "cancelled", 1),
    ] {
        let done = Done::default();
        on(server(&done)).with(everything()).check(&format!(
            r#"
            → 1 tools/call refund {{"order_id":"A17"}} token "p"
            ← progress "p" 1/2 quoted
            ← 1 asks {{"elicitation/create":{{"mode":"form","message":"Refund A17?","requestedSchema":{{"type":"object","properties":{{"reason":{{"type":"string","description":"Why the money goes back."}},"notify":{{"type":"boolean","default":false}}}},"required":["reason"]}}}}}}
            → 2 tools/call refund {{"order_id":"A17"}} answers {{"elicitation/create":{answer}}}
            ← 2 text {text}
            "#
        ));
        assert_eq!(done.times(), calls, "the step is taken once");
    }
}

// rows: LEG-6, LEG-11, RTYPE-5
#[test]
fn older_clients_are_asked_over_the_wire() {
    for (answer, text) in [
        (r#"{"action":"accept","content":{"reason":"broken","notify":true}}"#, "quote 1: broken, notify true"),
        (r#"{"action":"decline"}"#, "declined"),
        (r#"{"action":"cancel"}"#, "cancelled"),
    ] {
        for version in ["2025-06-18", "2025-11-25"] {
            let done = Done::default();
            on(server(&done)).with(json!({ "elicitation": {} })).check_legacy(
                version,
                &format!(
                    r#"
                    → 1 tools/call refund {{"order_id":"A17"}} token "p"
                    ← progress "p" 1/2 quoted
                    ← ask 1 elicitation/create {{"message":"Refund A17?"}}
                    → reply 1 {answer}
                    ← 1 text {text}
                    "#
                ),
            );
            assert_eq!(done.times(), 1);
        }
    }
}

// rows: LEG-6
#[test]
fn a_question_waits_while_other_calls_run_and_may_be_refused() {
    let done = Done::default();
    on(server(&done)).with(json!({ "elicitation": {}, "roots": {} })).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call refund {"order_id":"A17"}
        ← ask 1 elicitation/create
        → 2 tools/call both
        ← ask 2 elicitation/create
        ← ask 3 roots/list {}
        → {"jsonrpc":"2.0","id":3,"result":{"roots":[{"uri":"file:///home"}]}}
        → reply 2 {"action":"accept","content":{"name":"Ada"}}
        ← 2 text Ada in file:///home
        → {"jsonrpc":"2.0","id":7,"result":{}}
        → {"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"not now"}}
        ← 1 failed the client did not answer: not now (code -1)
        "#,
    );
}

// rows: CANC-8
#[test]
fn whatever_comes_back_settles_an_older_question() {
    for (answer, says) in [
        (r#""result":{"action":"decline"},"error":null"#, "text declined"),
        (r#""result":null,"error":{"code":-1,"message":"m"}"#, "failed the client did not answer: m (code -1)"),
        (r#""error":{"code":-1,"message":null}"#, "failed the client did not answer: …"),
        (r#""error":"denied""#, "failed the client did not answer: the answer can't be read…"),
        (r#""error":{"code":"x"}"#, "failed the client did not answer: the answer can't be read…"),
        (r#""error":[-5,"x"]"#, "failed the client did not answer: the answer can't be read…"),
        (r#""result":["accept",{"reason":"x"}]"#, "failed the answer does not fit the question: expected an object"),
        (r#""result":7"#, "failed the answer does not fit the question: expected an object"),
    ] {
        on(server(&Done::default())).with(json!({ "elicitation": {} })).check_legacy(
            "2025-11-25",
            &format!(
                r#"
                → 1 tools/call refund {{"order_id":"A17"}}
                ← ask 1 elicitation/create
                → {{"jsonrpc":"2.0","id":1,{answer}}}
                ← 1 {says}
                "#
            ),
        );
    }
    on(server(&Done::default()).state_ttl(Duration::from_secs(60))).with(json!({ "elicitation": {} })).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call refund {"order_id":"A17"}
        ← ask 1 elicitation/create
        silence 59000 ms
        ← told notifications/cancelled {"requestId":1}
        ← 1 failed the client has not answered in time
        "#,
    );
}

// rows: CANC-7
#[test]
fn a_question_is_taken_back_when_its_call_is_given_up_or_can_not_be_answered_any_more() {
    let done = Done::default();
    on(server(&done)).with(json!({ "elicitation": {} })).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call refund {"order_id":"A17"}
        ← ask 1 elicitation/create
        → cancelled 1
        ← told notifications/cancelled {"requestId":1}
        → 2 tools/call refund {"order_id":"A17"}
        ← ask 2 elicitation/create
        → end
        ← 2 failed the call has ended
        "#,
    );
}

// rows: MRTR-6
#[test]
fn the_same_question_twice_is_two_questions() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call names
        ← 1 asks {"elicitation/create":{"message":"Your name?"}}
        → 2 tools/call names answers {"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}
        ← 2 asks {"elicitation/create":{"message":"Your name?"}}
        → 3 tools/call names answers {"elicitation/create":{"action":"accept","content":{"name":"Bob"}}}
        ← 3 text Ada and Bob
        "#,
    );
}

// rows: MRTR-6, ROOT-2
#[test]
fn questions_that_are_asked_together_travel_together() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call both
        ← 1 asks {"elicitation/create":{"message":"Your name?"},"roots/list":{}}
        → 2 tools/call both answers {"elicitation/create":{"action":"cancel"},"roots/list":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}
        ← 2 text nobody in file:///a, file:///b
        "#,
    );
}

// rows: MRTR-3
#[test]
fn prompts_and_resources_ask_too_and_nothing_else_does() {
    let answer = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 prompts/get {{"name":"greet","arguments":{{"name":"Hello"}}}}
        ← 1 asks {{"elicitation/create":{{"message":"Your name?"}}}}
        → 2 prompts/get {{"name":"greet","arguments":{{"name":"Hello"}}}} answers {{"elicitation/create":{answer}}}
        ← 2 {{"messages":[{{"content":{{"text":"Hello Ada"}}}}]}}
        → 3 resources/read {{"uri":"shop://for/you"}}
        ← 3 asks {{"elicitation/create":{{"message":"Your name?"}}}}
        → 4 resources/read {{"uri":"shop://for/you"}} answers {{"elicitation/create":{answer}}}
        ← 4 {{"contents":[{{"text":"you for Ada"}}]}}
        → 5 completion/complete {{"ref":{{"type":"ref/prompt","name":"greet"}},"argument":{{"name":"name","value":""}}}}
        ← 5 error -32603 only tools, prompts and resources can ask the client
        "#
    ));
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-11-25",
        &format!(
            r#"
            → 1 prompts/get {{"name":"greet","arguments":{{"name":"Hello"}}}}
            ← ask 1 elicitation/create
            → reply 1 {answer}
            ← 1 {{"messages":[{{"content":{{"text":"Hello Ada"}}}}]}}
            → 2 resources/read {{"uri":"shop://for/you"}}
            ← ask 2 elicitation/create
            → reply 2 {answer}
            ← 2 {{"contents":[{{"text":"you for Ada"}}]}}
            "#
        ),
    );
}

#[test]
fn nothing_is_asked_within_a_step_in_either_era() {
    let says = "← 1 failed nothing can be asked within a step that is taken once: ask before it or after it";
    let scenario = format!("→ 1 tools/call within\n{says}");
    on(server(&Done::default())).with(everything()).check(&scenario);
    on(server(&Done::default())).with(everything()).check_legacy("2025-11-25", &scenario);
}

#[test]
fn a_unit_test_answers_in_the_place_of_a_client() {
    let test = TestContext::answering(|method, params| match method {
        "elicitation/create" => {
            assert_eq!(params["message"], "Your name?");
            Some(json!({ "action": "accept", "content": { "name": "Ada" } }))
        }
        "roots/list" => Some(json!({ "roots": [{ "uri": "file:///a" }] })),
        _ => None,
    });
    assert_eq!(block_on(both(test.context())).unwrap(), "Ada in file:///a");
    let refused = block_on(ask_model("x".into(), test.context())).unwrap_err().to_string();
    assert!(refused.starts_with("the client did not answer: the test gives no answer to this"), "{refused}");
}

#[test]
fn a_unit_test_is_told_that_nobody_answers() {
    let asked = block_on(async { TestContext::new().context().elicit::<Name>("Your name?").await.map(drop) });
    assert_eq!(asked, Err(AskError::Unsupported { capability: "elicitation" }));
}

#[test]
fn a_task_that_outlives_its_call_learns_that_nobody_is_asked() {
    for version in ["2025-11-25", "2026-07-28"] {
        let (sender, mut asked) = tokio::sync::mpsc::unbounded_channel();
        let server = Server::new("scenario").state(Notes(sender)).tool(leave_behind);
        block_on(async {
            let mut wire = Wire::serve(server);
            let mut params = json!({ "name": "leave_behind" });
            if version == "2026-07-28" {
                params["_meta"] = serde_json::from_str(META).unwrap();
                params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = everything();
            } else {
                let client = json!({ "name": "t", "version": "1" });
                let hello = json!({ "protocolVersion": version, "capabilities": everything(), "clientInfo": client });
                let request = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello });
                wire.send(format!("{request}\n").as_bytes()).await;
                wire.line().await.unwrap();
            }
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            wire.send(format!("{request}\n").as_bytes()).await;
            let mut line = wire.line().await.unwrap();
            if line.contains("elicitation/create") {
                line = wire.line().await.unwrap();
            }
            assert!(line.contains("left"), "{line}");
            // The connection goes on meanwhile.
            assert_eq!(asked.recv().await, Some(Err(AskError::Ended)), "{version}");
        });
    }
}

// rows: MRTR-14
#[test]
fn a_state_is_bound_to_every_digit_of_the_arguments() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call pay {"n":3}
        ← 1 asks {"elicitation/create":{"message":"Sure?"}}
        → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"pay","arguments":{"n":1e999},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}}
        ← 2 failed n: can't be read: a number in it is too large
        "#,
    );
    let n = |n: &str, more: &Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": everything(),
        });
        let more = more.to_string();
        let more = more.trim_matches(['{', '}']);
        let comma = if more.is_empty() { "" } else { "," };
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"pay","arguments":{{"n":{n}}},"_meta":{meta}{comma}{more}}}}}"#
        );
        let lines = exchange(server(&Done::default()), &(line + "\n"));
        serde_json::from_str::<Value>(&lines[0]).unwrap()
    };
    let first = n("36893488147419103233", &json!({}));
    let state = json!({ "requestState": first["result"]["requestState"] });
    assert_eq!(n("36893488147419103233", &state)["result"]["resultType"], "input_required");
    assert_eq!(n("36893488147419103999", &state)["error"]["code"], -32602);
}

// rows: ELIC-14, ELIC-15
#[test]
fn what_is_not_done_yet_on_a_page_is_asked_for_again() {
    let done = Done::default();
    on(server(&done)).with(everything()).check(
        r#"
        → 1 tools/call connect
        ← 1 asks {"elicitation/create":{"mode":"url"}}
        → 2 tools/call connect answers {"elicitation/create":{"action":"accept"}}
        ← 2 asks {"elicitation/create":{"mode":"url"}}
        → 3 tools/call connect answers {"elicitation/create":{"action":"accept"}}
        ← 3 asks {"elicitation/create":{"mode":"url"}}
        → 4 tools/call refund {"order_id":"A17"}
        ← 4 asks {"elicitation/create":{"mode":"form"}}
        → 5 tools/call connect
        ← 5 text connected
        "#,
    );
}

// rows: MRTR-15
#[test]
fn an_answer_that_does_not_fit_leads_to_one_result_too() {
    let done = Done::default();
    on(server(&done)).with(everything()).check(
        r#"
        → 1 tools/call whatever
        ← 1 asks {"elicitation/create":{}}
        → 2 tools/call whatever answers {"elicitation/create":{"action":"accept","content":{"name":"A"}}}
        ← 2 text 1, false
        → 3 tools/call whatever answers {"elicitation/create":{"action":"accept","content":{"name":"A"}}}
        ← 3 error -32602 `params.requestState` was used already: send the request without it
        "#,
    );
}

// rows: MRTR-15
#[test]
fn a_state_leads_to_one_result() {
    let done = Done::default();
    block_on(async {
        let mut wire = Wire::serve(server(&done));
        let mut exchange = async |params: &Value| -> Value {
            let mut params = params.clone();
            params["_meta"] = serde_json::from_str(META).unwrap();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = everything();
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
            wire.send(format!("{request}\n").as_bytes()).await;
            serde_json::from_str(&wire.line().await.unwrap()).unwrap()
        };
        let mut params = json!({ "name": "names" });
        let first = exchange(&params).await["result"].clone();
        let answer = |asked: &Value| -> Value {
            let keys = asked["inputRequests"].as_object().unwrap().keys();
            keys.map(|key| (key.clone(), json!({ "action": "accept", "content": { "name": "Ada" } }))).collect()
        };
        params["requestState"] = first["requestState"].clone();
        params["inputResponses"] = answer(&first);
        // A round that asks further leaves its state as it was: whoever lost the answer may send it again.
        let second = exchange(&params).await["result"].clone();
        assert_eq!(exchange(&params).await["result"]["resultType"], second["resultType"]);
        params["requestState"] = second["requestState"].clone();
        params["inputResponses"] = answer(&second);
        assert_eq!(exchange(&params).await["result"]["content"][0]["text"], "Ada and Ada");
        let again = exchange(&params).await;
        assert_eq!(again["error"]["code"], -32602, "{again}");
        assert_eq!(again["error"]["message"], "`params.requestState` was used already: send the request without it");
    });
}

// rows: MRTR-16
#[test]
fn a_missing_answer_is_asked_for_again_and_an_unknown_one_ignored() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call both
        ← 1 asks {"elicitation/create":{},"roots/list":{}}
        → 2 tools/call both answers {"roots/list":{"roots":[]}}
        ← 2 asks {"elicitation/create":{}}
        → 3 tools/call both answers {"elicitation/create":{"action":"cancel"}}
        ← 3 text "nobody in "
        → 4 tools/call both params {"inputResponses":{"x":{"action":"accept"}}}
        ← 4 asks {"elicitation/create":{},"roots/list":{}}
        // Without the state that says so, nobody was asked.
        → 5 tools/call both answers {"elicitation/create":{"action":"cancel"},"roots/list":{"roots":[]}} params {"requestState":null}
        ← 5 asks {"elicitation/create":{},"roots/list":{}}
        "#,
    );
}

// rows: MRTR-16
#[test]
fn answers_of_the_wrong_form_are_errors() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call names params {"inputResponses":7}
        ← 1 error -32602 `params.inputResponses` must be an object
        → 2 tools/call names params {"inputResponses":null}
        ← 2 error -32602 `params.inputResponses` must be an object
        → 3 tools/call names params {"requestState":7}
        ← 3 error -32602 `params.requestState` must be a string
        → 4 tools/call names
        ← 4 asks {"elicitation/create":{}}
        → 5 tools/call names answers {"elicitation/create":7}
        ← 5 error -32602 `params.inputResponses` has no good answer to `elicitation/create`: …
        → 8 tools/call names answers {"elicitation/create":["accept",{"name":"Ada"}]}
        ← 8 error -32602 `params.inputResponses` has no good answer to `elicitation/create`: expected an object
        → 6 tools/call names answers {"elicitation/create":{"action":"perhaps"}}
        ← 6 error -32602 `params.inputResponses` has no good answer to `elicitation/create`: …
        → 7 tools/call names answers {"elicitation/create":{"action":"accept","content":{"name":"A"}}}
        ← 7 failed the answer does not fit the question: name: …
        // It may be mended.
        → 9 tools/call names answers {"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}
        ← 9 asks {"elicitation/create":{}}
        "#,
    );
}

// rows: MRTR-5, ERR-7, ELIC-1, ELIC-2, SAMP-1, SAMP-2, ROOT-1
#[test]
fn what_the_client_did_not_declare_is_not_asked() {
    for (declared, call, code) in [
        (json!({}), "names", json!({ "elicitation": {} })),
        (json!({ "sampling": {} }), "names", json!({ "elicitation": {} })),
        (json!({ "elicitation": { "url": {} } }), "names", json!({ "elicitation": {} })),
        (json!({ "elicitation": {} }), "sign_in", json!({ "elicitation": { "url": {} } })),
        (json!({ "elicitation": { "form": {} } }), "sign_in", json!({ "elicitation": { "url": {} } })),
        (json!({ "elicitation": {} }), "ask_model {\"prompt\":\"x\"}", json!({ "sampling": {} })),
        (json!({ "sampling": {} }), "ask_with_tools", json!({ "sampling": { "tools": {} } })),
        (json!({ "elicitation": {} }), "both", json!({ "roots": {} })),
    ] {
        let (name, arguments) = call.split_once(' ').unwrap_or((call, "{}"));
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {
                "name": name,
                "arguments": serde_json::from_str::<Value>(arguments).unwrap(),
                "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": declared,
                },
            },
        });
        let lines = exchange(server(&Done::default()), &format!("{request}\n"));
        let response: Value = serde_json::from_str(&lines[0]).unwrap();
        assert_eq!(response["error"]["code"], -32021, "{response}");
        assert_eq!(response["error"]["data"], json!({ "requiredCapabilities": code }), "{declared} {call}");
        assert_eq!(lines.len(), 1);
    }
}

// rows: LEG-6
#[test]
fn an_older_client_that_can_not_be_asked_makes_the_tool_fail_with_words() {
    for version in ["2025-06-18", "2025-11-25"] {
        on(server(&Done::default())).check_legacy(
            version,
            r#"
            → 1 tools/call names
            ← 1 failed the client can't be asked: it did not declare the capability `elicitation`
            "#,
        );
    }
    for version in ["2024-11-05", "2025-03-26"] {
        // Such a revision has no forms, whatever a client declares.
        on(server(&Done::default())).with(everything()).check_legacy(
            version,
            r#"
            → 1 tools/call names
            ← 1 failed the client can't be asked: it did not declare the capability `elicitation`
            "#,
        );
    }
}

// rows: SAMP-3, SAMP-4, SAMP-6
#[test]
fn the_model_of_the_client_is_asked_in_both_eras() {
    let answer = r#"{"role":"assistant","content":{"type":"text","text":"blue"},"model":"m-1","stopReason":"endTurn"}"#;
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 tools/call ask_model {{"prompt":"Which colour?"}}
        ← 1 asks {{"sampling/createMessage":{{"messages":[{{"role":"user","content":{{"type":"text","text":"Which colour?"}}}}],"maxTokens":100}}}}
        → 2 tools/call ask_model {{"prompt":"Which colour?"}} answers {{"sampling/createMessage":{answer}}}
        ← 2 text m-1: blue
        "#
    ));
    for version in LEGACY {
        on(server(&Done::default())).with(json!({ "sampling": {} })).check_legacy(
            version,
            &format!(
                r#"
                → 1 tools/call ask_model {{"prompt":"Which colour?"}}
                ← ask 1 sampling/createMessage {{"messages":[{{"role":"user","content":{{"type":"text","text":"Which colour?"}}}}],"maxTokens":100}}
                → reply 1 {answer}
                ← 1 text m-1: blue
                "#
            ),
        );
    }
}

// rows: SAMP-2, SAMP-4
#[test]
fn the_model_may_be_given_tools_where_the_client_says_so() {
    let answer = r#"{"role":"assistant","content":{"type":"tool_use","id":"t1","name":"weather","input":{}},"model":"m","stopReason":"toolUse"}"#;
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 tools/call ask_with_tools
        ← 1 asks {{"sampling/createMessage":{{"tools":[{{"name":"weather"}}],"maxTokens":100}}}}
        → 2 tools/call ask_with_tools answers {{"sampling/createMessage":{answer}}}
        ← 2 text t1 wants weather
        "#
    ));
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-11-25",
        &format!(
            r#"
            → 1 tools/call ask_with_tools
            ← ask 1 sampling/createMessage {{"tools":[{{"name":"weather"}}]}}
            → reply 1 {answer}
            ← 1 text t1 wants weather
            "#
        ),
    );
    on(server(&Done::default())).with(json!({ "sampling": {} })).check_legacy(
        "2025-06-18",
        r#"
        → 1 tools/call ask_with_tools
        ← 1 failed the client can't be asked: it did not declare the capability `sampling.tools`
        "#,
    );
}

// rows: ELIC-7, ELIC-8, ELIC-9, ELIC-11
#[test]
fn several_choices_are_asked_for_by_their_titles_and_checked() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call pick
        ← 1 asks {"elicitation/create":{"requestedSchema":{"type":"object","properties":{"toppings":{"type":"array","items":{"anyOf":[{"const":"Cheese","title":"Lots of cheese"},{"const":"Olives","title":"A few olives"},{"const":"Onions","title":"Onions"}]},"minItems":1,"maxItems":2},"size":{"type":"number"}},"required":["toppings","size"]}}}
        → 2 tools/call pick answers {"elicitation/create":{"action":"accept","content":{"toppings":["Cheese","Olives","Onions"],"size":1}}}
        ← 2 failed the answer does not fit the question: toppings: expected at most 2 items, got 3
        → 3 tools/call pick answers {"elicitation/create":{"action":"accept","content":{"toppings":["Cheese","Onions"],"size":31.5}}}
        ← 3 text [Cheese, Onions] of 31.5
        "#,
    );
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-06-18",
        r#"
        → 1 tools/call pick
        ← 1 failed …
        "#,
    );
}

// rows: ELIC-13, ELIC-14, LEG-9
#[test]
fn a_page_is_opened_by_consent_in_both_eras() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call sign_in
        ← 1 asks {"elicitation/create":{"mode":"url","message":"Sign in to the bank","url":"https://bank.example/connect"}}
        → 2 tools/call sign_in answers {"elicitation/create":{"action":"accept"}}
        ← 2 text Accept(())
        "#,
    );
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call sign_in
        ← ask 1 elicitation/create {"mode":"url","message":"Sign in to the bank","url":"https://bank.example/connect"}
        → reply 1 {"action":"decline"}
        ← 1 text Decline
        "#,
    );
    // An id comes with it, which that revision asks for, and which nobody can guess.
    let mut ids = Vec::new();
    for _ in 0..2 {
        let handshake = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}},"clientInfo":{"name":"t","version":"1"}}}"#;
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sign_in"}}"#;
        let lines = exchange(server(&Done::default()), &format!("{handshake}\n{call}\n"));
        let question: Value = serde_json::from_str(&lines[1]).unwrap();
        ids.push(question["params"]["elicitationId"].as_str().unwrap().to_owned());
    }
    assert!(ids[0] != ids[1] && ids[0].len() >= 20, "{ids:?}");
}

// rows: ELIC-16
#[test]
fn addresses_that_no_user_should_open_are_refused() {
    for url in [
        "http://bank.example/",
        "javascript:alert(1)",
        "https://",
        "bank.example",
        "https://a b",
        "ftp://x/y",
        "http://localhost.evil.example/",
    ] {
        on(server(&Done::default())).with(everything()).check(&format!(
            r#"
            → 1 tools/call sign_in {{"url":"{url}"}}
            ← 1 failed the address `{url}` can't be opened by a user: it must begin with https:// and have no spaces
            "#
        ));
    }
    for url in ["http://localhost:8080/x", "http://127.0.0.1/", "http://[::1]:80/", "https://x"] {
        on(server(&Done::default())).with(everything()).check(&format!(
            r#"
            → 1 tools/call sign_in {{"url":"{url}"}}
            ← 1 asks {{"elicitation/create":{{"url":"{url}"}}}}
            "#
        ));
    }
}

// rows: ELIC-5, ELIC-12
#[test]
fn what_no_form_can_ask_is_said() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call wrongly {"secret":false}
        ← 1 failed the field `inner` is an object: …
        → 2 tools/call wrongly {"secret":true}
        ← 2 failed the field `password` looks like a secret, which a form must not ask for: use `elicit_url`
        "#,
    );
}

#[test]
fn a_task_of_the_tool_may_ask_too_in_both_eras() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call elsewhere
        ← 1 asks {"elicitation/create":{}}
        → 2 tools/call elsewhere answers {"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}
        ← 2 text Ada
        "#,
    );
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call elsewhere
        ← ask 1 elicitation/create
        → reply 1 {"action":"cancel"}
        ← 1 text nobody
        "#,
    );
}

#[test]
fn a_round_does_not_end_in_the_middle_of_a_step() {
    let done = Done::default();
    on(server(&done)).with(everything()).check(
        r#"
        → 1 tools/call step
        silence 49 ms
        ← 1 asks {"elicitation/create":{}}
        at 50 ms
        → 2 tools/call step answers {"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}
        ← 2 text 1 Ada
        "#,
    );
    assert_eq!(done.times(), 1);
}

/// The last result, and the params that answer its question.
fn asked(server: Server, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = serde_json::from_str(META).unwrap();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = everything();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let lines = exchange(server, &format!("{request}\n"));
    serde_json::from_str(lines.last().unwrap()).unwrap()
}

// rows: MRTR-13, MRTR-14, MRTR-17, ERR-4
#[test]
fn a_state_opens_for_its_own_request_and_no_other_on_any_machine_with_the_key() {
    let done = Done::default();
    let first = asked(server(&done), &json!({ "name": "refund", "arguments": { "order_id": "A17" } }));
    let state = first["result"]["requestState"].as_str().unwrap().to_owned();
    let key = first["result"]["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
    let answers = json!({ key: { "action": "accept", "content": { "reason": "broken" } } });
    let retry = |state: &str, order: &str| json!({ "name": "refund", "arguments": { "order_id": order }, "inputResponses": answers, "requestState": state });
    // Another process with the same key serves the next round, and nothing is done twice.
    let second = asked(server(&done), &retry(&state, "A17"));
    assert_eq!(second["result"]["content"][0]["text"], "quote 1: broken, notify false");
    assert_eq!(done.times(), 1);

    let refused = |response: Value| {
        assert_eq!(response["error"]["code"], -32602, "{response}");
        assert_eq!(
            response["error"]["message"], "`params.requestState` is none that was given for this request",
            "{response}"
        );
    };
    refused(asked(server(&done), &retry(&state, "A18")));
    let mut tampered = state.clone();
    let last = tampered.pop().unwrap();
    tampered.push(if last == 'A' { 'B' } else { 'A' });
    refused(asked(server(&done), &retry(&tampered, "A17")));
    refused(asked(server(&done), &retry("", "A17")));
    refused(asked(server(&done), &retry("x", "A17")));
    // A key that is not shared.
    refused(asked(server(&done).state_keys([StateKey::random()]), &retry(&state, "A17")));
    assert_eq!(done.times(), 1);

    // A key that has been replaced still opens.
    let rotated = server(&done).state_keys([StateKey::random(), StateKey::from([7; 32])]);
    assert_eq!(asked(rotated, &retry(&state, "A17"))["result"]["isError"], Value::Null);

    let expired = server(&done).state_ttl(Duration::ZERO);
    let first = asked(expired, &json!({ "name": "refund", "arguments": { "order_id": "A17" } }));
    let late = asked(server(&done), &retry(first["result"]["requestState"].as_str().unwrap(), "A17"));
    assert_eq!(late["error"]["code"], -32602);
    assert_eq!(
        late["error"]["message"],
        "`params.requestState` has expired: send the request without it, from the start"
    );
}

// rows: ELIC-5, ELIC-7, ELIC-9
#[test]
fn a_form_that_is_known_only_at_run_time_reaches_the_client_as_it_stands_and_is_checked() {
    let call = r#"tools/call book {"tables":["T1","T2"]}"#;
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 {call}
        ← 1 asks {{"elicitation/create":{{"mode":"form","requestedSchema":{{"type":"object","properties":{{"table":{{"type":"string","enum":["T1","T2"],"enumNames":["By the door","By the window"]}},"guests":{{"type":"integer","minimum":1,"default":2}}}},"required":["table"]}}}}}}
        → 2 {call} answers {{"elicitation/create":{{"action":"accept","content":{{"table":"T3","guests":0}}}}}}
        ← 2 failed "the answer does not fit the question: table: expected one of \"T1\", \"T2\", got the string \"T3\"\nguests: expected at least 1, got 0"
        → 3 {call} answers {{"elicitation/create":{{"action":"accept","content":{{"table":"T2"}}}}}}
        ← 3 text "\"T2\" for 2"
        "#
    ));
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-06-18",
        &format!(
            r#"
            → 1 {call}
            ← ask 1 elicitation/create {{"requestedSchema":{{"properties":{{"table":{{"enum":["T1","T2"],"enumNames":["By the door","By the window"]}},"guests":{{"type":"integer","minimum":1}}}}}}}}
            → reply 1 {{"action":"decline"}}
            ← 1 text none
            "#
        ),
    );
}

// rows: MRTR-1, MRTR-2, MRTR-4, MRTR-16
#[test]
fn a_round_by_hand_has_keys_of_its_own_and_may_do_without_a_state() {
    let asks = r#"{"resultType":"input_required","inputRequests":{"user_name":{"method":"elicitation/create","params":{"message":"Your name?"}}}}"#;
    let answered = |answer: &str| format!(r#"params {{"inputResponses":{{"user_name":{answer}}}}}"#);
    let ada = answered(r#"{"action":"accept","content":{"name":"Ada"}},"other":{"action":"cancel"},"third":7"#);
    let short = answered(r#"{"action":"accept","content":{"name":"A"}}"#);
    let (number, null, cancel) = (answered("12345"), answered("null"), answered(r#"{"action":"cancel"}"#));
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 tools/call by_hand
        ← 1 {asks}
        // By the key alone, beside what nobody knows.
        → 2 tools/call by_hand {{}} {ada}
        ← 2 text Hello, Ada
        → 3 tools/call by_hand {{}} {cancel}
        ← 3 text Hello, stranger
        → 4 tools/call by_hand {{}} params {{"inputResponses":{{"wrong_key":{{"action":"accept"}}}}}}
        ← 4 {asks}
        → 5 tools/call by_hand {{}} {short}
        ← 5 {asks}
        → 6 tools/call by_hand {{}} {number}
        ← 6 error -32602 `params.inputResponses` has no good answer under the key `user_name`: expected an object
        → 7 tools/call by_hand {{}} {null}
        ← 7 error -32602 `params.inputResponses` has no good answer under the key `user_name`: expected an object
        → 8 tools/call by_hand {{}} params {{"inputResponses":null}}
        ← 8 error -32602 `params.inputResponses` must be an object
        "#
    ));
    let asked = asked(server(&Done::default()), &json!({ "name": "by_hand" }));
    assert_eq!(asked["result"].get("requestState"), None, "{asked}");
}

// rows: MRTR-3
#[test]
fn prompts_and_resources_ask_by_hand_too() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 prompts/get {"name":"context"}
        ← 1 {"resultType":"input_required","inputRequests":{"user_context":{"method":"elicitation/create"}}}
        → 2 prompts/get {"name":"context"} params {"inputResponses":{"user_context":{"action":"accept","content":{"name":"tea"}}}}
        ← 2 {"messages":[{"content":{"text":"about tea"}}]}
        → 3 resources/read {"uri":"shop://folders"}
        ← 3 {"resultType":"input_required","inputRequests":{"folders":{"method":"roots/list","params":{}}}}
        → 4 resources/read {"uri":"shop://folders"} params {"inputResponses":{"folders":{"roots":[]}}}
        ← 4 {"contents":[{"text":"0 folders"}]}
        "#,
    );
}

// rows: MRTR-6, MRTR-13, MRTR-15
#[test]
fn a_state_by_hand_comes_back_as_it_was_given_or_not_at_all() {
    let roots = r#"{"roots/list":{"roots":[{"uri":"file:///a"},{"uri":"file:///b"}]}}"#;
    let rest = r#"{"elicitation/create":{"action":"accept","content":{"name":"Ada"}},"sampling/createMessage":{"role":"assistant","content":{"type":"text","text":"hi"},"model":"m"}}"#;
    on(server(&Done::default())).with(everything()).check(&format!(
        r#"
        → 1 tools/call steps {{}}
        ← 1 {{"resultType":"input_required","inputRequests":{{"folders":{{"method":"roots/list"}}}}}}
        → 2 tools/call steps {{}} answers {roots}
        ← 2 {{"resultType":"input_required","inputRequests":{{"user_name":{{"method":"elicitation/create"}},"greeting":{{"method":"sampling/createMessage","params":{{"maxTokens":10}}}},"page":{{"params":{{"mode":"url"}}}}}}}}
        → 3 tools/call steps {{}} answers {rest}
        ← 3 text 2 folders, Ada, hi
        → 4 tools/call steps {{}} answers {rest}
        ← 4 error -32602 `params.requestState` was used already: send the request without it
        → 5 tools/call steps {{}} answers {rest} params {{"requestState":"x"}}
        ← 5 error -32602 `params.requestState` is none that was given for this request
        → 6 tools/call by_hand {{}} answers {rest}
        ← 6 error -32602 `params.requestState` is none that was given for this request
        → 7 tools/call updated {{}}
        ← 7 asks {{"roots/list":{{}}}}
        → 8 tools/call updated {{}} answers {roots}
        ← 8 error -32602 `params.requestState` can't be read any more: …
        "#
    ));
    let first = asked(server(&Done::default()), &json!({ "name": "steps" }));
    let state = first["result"]["requestState"].as_str().unwrap();
    let tampered = json!({ "name": "steps", "requestState": format!("{state}-TAMPERED"), "inputResponses": {} });
    assert_eq!(asked(server(&Done::default()), &tampered)["error"]["code"], -32602);
    // The state of another tool is none of this one.
    let old = asked(server(&Done::default()), &json!({ "name": "mixed" }));
    let state = &old["result"]["requestState"];
    let foreign = json!({ "name": "steps", "requestState": state, "inputResponses": {} });
    assert_eq!(asked(server(&Done::default()), &foreign)["error"]["code"], -32602);
}

// rows: MRTR-6
#[test]
fn both_ways_of_asking_go_together() {
    let done = Done::default();
    on(server(&done)).with(everything()).check(
        r#"
        → 1 tools/call mixed {}
        ← 1 asks {"roots/list":{}}
        → 2 tools/call mixed {} answers {"roots/list":{"roots":[]}}
        ← 2 asks {"elicitation/create":{"message":"Your name?"}}
        → 3 tools/call mixed {} answers {"elicitation/create":{"action":"accept","content":{"name":"Ada"}}}
        ← 3 text 1 Some(7) Ada
        "#,
    );
    assert_eq!(done.times(), 1);
}

// rows: LEG-6, LEG-11
#[test]
fn a_round_by_hand_is_asked_over_the_wire_of_an_older_connection() {
    let ada = r#"{"action":"accept","content":{"name":"Ada"}}"#;
    on(server(&Done::default())).with(everything()).check_legacy(
        "2025-11-25",
        &format!(
            r#"
            → 1 tools/call steps
            ← ask 1 roots/list {{}}
            → reply 1 {{"roots":[{{"uri":"file:///a"}}]}}
            ← ask 2 elicitation/create {{"message":"Your name?"}}
            → reply 2 {ada}
            ← ask 3 sampling/createMessage {{"maxTokens":10}}
            → reply 3 {{"role":"assistant","content":{{"type":"text","text":"hi"}},"model":"m"}}
            ← ask 4 elicitation/create {{"mode":"url"}}
            → reply 4 {{"action":"accept"}}
            ← 1 text 1 folders, Ada, hi
            → 2 tools/call by_hand
            ← ask 5 elicitation/create {{"message":"Your name?"}}
            → reply 5 {{"action":"accept","content":{{"name":"A"}}}}
            ← ask 6 elicitation/create {{"message":"Your name?"}}
            → reply 6 {ada}
            ← 2 text Hello, Ada
            → 3 tools/call by_hand
            ← ask 7 elicitation/create
            → reply 7 {{"action":"accept","content":7}}
            ← ask 8 elicitation/create
            → {{"jsonrpc":"2.0","id":8,"error":{{"code":-1,"message":"no"}}}}
            ← 3 failed the client did not answer: no (code -1)
            "#
        ),
    );
    on(server(&Done::default())).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call by_hand
        ← 1 failed the client can't be asked: it did not declare the capability `elicitation`
        "#,
    );
    let test = TestContext::answering(|_, _| Some(json!({ "action": "accept", "content": { "name": "Ada" } })));
    assert_eq!(block_on(by_hand(test.context())).unwrap(), "Hello, Ada");
}

// rows: MRTR-2, MRTR-4, MRTR-5, ELIC-12, ELIC-16
#[test]
fn what_can_not_be_asked_by_hand_is_said() {
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call wrongly_by_hand {"what":"nothing"}
        ← 1 failed a round without a question asks nothing
        → 2 tools/call wrongly_by_hand {"what":"twice"}
        ← 2 failed two questions have the key `a`
        → 3 tools/call wrongly_by_hand {"what":"secret"}
        ← 3 failed the field `password` looks like a secret, which a form must not ask for: use `elicit_url`
        → 4 tools/call wrongly_by_hand {"what":"list"}
        ← 4 failed the field `a` is a list: …
        → 5 tools/call wrongly_by_hand {"what":"page"}
        ← 5 failed the address `ftp://x` can't be opened by a user: …
        "#,
    );
    on(server(&Done::default())).with(json!({ "sampling": {} })).check(
        r#"
        → 1 tools/call by_hand
        ← 1 error -32021 the client can't be asked: it did not declare the capability `elicitation`
        → 2 tools/call steps
        ← 2 error -32021 the client can't be asked: it did not declare the capability `roots`
        "#,
    );
    // It is for the author to read, and not to be asked either.
    on(server(&Done::default())).with(everything()).check(
        r#"
        → 1 tools/call wrongly_by_hand {"what":"together"}
        ← 1 asks {"roots/list":{}}
        "#,
    );
}
