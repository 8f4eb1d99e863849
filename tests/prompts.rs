//! Prompts, and the completion of what users type for them and for templates.

mod support;

use mcp_server::prelude::*;
use mcp_server::protocol::{
    Completion, ContentBlock, EmbeddedResource, GetPromptResult, ImageContent, PromptMessage, ResourceContents,
    ResourceLink,
};
use mcp_server::{Completing, RequestError};
use serde_json::{Value, json};
use support::on;

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Have code looked through.
#[prompt(title = "Review")]
async fn review(
    /// The code.
    code: String,
    /// In which language.
    #[prompt(complete = languages)]
    language: Option<String>,
    #[prompt(default = 3)] strictness: u8,
) -> String {
    format!("Review ({strictness}) this {}:\n{code}", language.unwrap_or("code".into()))
}

fn languages(typed: String) -> Vec<&'static str> {
    ["python", "perl", "rust"].into_iter().filter(|name| name.starts_with(&typed)).collect()
}

/// A talk with pictures.
#[prompt]
fn talk() -> Vec<PromptMessage> {
    vec![
        PromptMessage::user("What is this?"),
        PromptMessage::user(ContentBlock::Image(ImageContent::new([1, 2, 3], "image/png"))),
        PromptMessage::assistant("A picture."),
        PromptMessage::user(EmbeddedResource::new(
            ResourceContents::text("shop://a", "x").with_mime_type("text/plain"),
        )),
        PromptMessage::user(ResourceLink::new("shop://b", "b")),
    ]
}

/// Described twice.
#[prompt]
async fn described() -> GetPromptResult {
    GetPromptResult {
        description: Some("for this call".into()),
        messages: vec![PromptMessage::user("x")],
        ..Default::default()
    }
}

/// A prompt that fails.
#[prompt]
async fn broken(reason: String) -> Result<String, RequestError> {
    match reason.as_str() {
        "io" => Err(std::io::Error::other("the disk is full"))?,
        "params" => Err(RequestError::invalid_params("not today")),
        _ => panic!("secret text"),
    }
}

/// Choose from many.
#[prompt]
async fn many(
    #[prompt(complete = numbers)] number: String,
    #[prompt(complete = by_number)] digit: String,
    #[prompt(complete = counted)] count: String,
    #[prompt(complete = failing)] fault: String,
    plain: String,
) -> String {
    format!("{number} {digit} {count} {fault} {plain}")
}

async fn numbers(typed: String) -> Vec<String> {
    (0..150).map(|number| number.to_string()).filter(|number| number.starts_with(&typed)).collect()
}

/// What fits depends on what is chosen already.
async fn by_number(completing: Completing) -> Vec<String> {
    let number = completing.arguments.get("number").cloned().unwrap_or_default();
    number.chars().map(String::from).filter(|digit| digit.starts_with(&completing.value)).collect()
}

fn counted(_: String) -> Completion {
    Completion { values: vec!["a".into()], total: Some(7), has_more: Some(true) }
}

fn failing(_: String) -> Result<Vec<String>, std::io::Error> {
    Err(std::io::Error::other("the disk is full"))
}

/// A folder of a user.
#[resource("shop://{user}/{folder}")]
async fn folder(#[resource(complete = users)] user: String, folder: String) -> String {
    format!("{user}/{folder}")
}

async fn users(typed: String) -> Vec<&'static str> {
    ["ada", "bob"].into_iter().filter(|name| name.starts_with(&typed)).collect()
}

fn server() -> Server {
    Server::new("scenario")
        .version("1.2.3")
        .prompt(review)
        .prompt(talk {})
        .prompt(described)
        .prompt(broken)
        .prompt(many)
        .resource(folder)
}

// rows: PRMT-1, PRMT-2, CMPL-1
#[test]
fn prompts_are_listed_with_their_arguments() {
    on(server()).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"prompts":{},"completions":{},"resources":{}}}
        → 2 prompts/list
        ← 2 {"prompts":[{"name":"review","title":"Review","description":"Have code looked through.","arguments":[{"name":"code","description":"The code.","required":true},{"name":"language","description":"In which language.","required":false},{"name":"strictness","required":false}]},{"name":"talk"},{"name":"described"},{"name":"broken"},{"name":"many"}],"ttlMs":0,"cacheScope":"private"}
        "#,
    );
    on(server()).check_legacy(
        "2024-11-05",
        r#"
        → 1 prompts/list
        ← 1 {"prompts":[{"name":"review","description":"Have code looked through."},{"name":"talk"},{"name":"described"},{"name":"broken"},{"name":"many"}]}
        "#,
    );
}

// rows: PRMT-3, PRMT-4, PRMT-6
#[test]
fn a_prompt_gives_messages_of_both_roles_and_all_kinds() {
    on(server()).check(
        r#"
        → 1 prompts/get {"name":"review","arguments":{"code":"x = 1","language":"python"}}
        ← {"jsonrpc":"2.0","id":1,"result":{"description":"Have code looked through.","messages":[{"role":"user","content":{"type":"text","text":"Review (3) this python:\nx = 1"}}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → 2 prompts/get {"name":"review","arguments":{"code":"x","strictness":"9"}}
        ← 2 {"messages":[{"role":"user","content":{"text":"Review (9) this code:\nx"}}]}
        → 3 prompts/get {"name":"talk"}
        ← 3 {"messages":[{"role":"user","content":{"type":"text","text":"What is this?"}},{"role":"user","content":{"type":"image","data":"AQID","mimeType":"image/png"}},{"role":"assistant","content":{"type":"text","text":"A picture."}},{"role":"user","content":{"type":"resource","resource":{"uri":"shop://a","mimeType":"text/plain","text":"x"}}},{"role":"user","content":{"type":"resource_link","uri":"shop://b","name":"b"}}]}
        → 4 prompts/get {"name":"described"}
        ← 4 {"description":"for this call"}
        "#,
    );
    // Before 2025-06-18 there are no links.
    for version in ["2024-11-05", "2025-03-26"] {
        on(server()).check_legacy(
            version,
            r#"
            → 1 prompts/get {"name":"talk"}
            ← 1 {"messages":[{"content":{"type":"text"}},{"content":{"type":"image"}},{"content":{"type":"text"}},{"content":{"type":"resource"}},{"content":{"type":"text","text":"b: shop://b"}}]}
            "#,
        );
    }
}

// rows: PRMT-3, PRMT-5, ERR-4, ERR-5
#[test]
fn what_is_wrong_with_a_request_for_a_prompt_is_said() {
    on(server()).check(
        r#"
        → 1 prompts/get {"name":"reviev"}
        ← 1 error -32602 no prompt is named `reviev`; did you mean `review`?
        → 2 prompts/get {"name":"review"}
        ← 2 error -32602 code: missing, expected a text
        → 3 prompts/get {"name":"review","arguments":{"code":7}}
        ← 3 error -32602 `params.arguments.code` must be a string
        → 4 prompts/get {"name":"review","arguments":[]}
        ← 4 error -32602 `params.arguments` must be an object
        → 5 prompts/get {"name":"review","arguments":{"code":"x","strictness":"very"}}
        ← 5 error -32602 "strictness: expected an integer from 0 to 255, got the string \"very\""
        → 6 prompts/get {"name":"review","arguments":{"code":"x","langauge":"rust"}}
        ← 6 error -32602 langauge: no such argument; did you mean `language`?
        → 7 prompts/get {}
        ← 7 error -32602 `params.name` is missing: a string
        → 8 prompts/get {"name":"broken","arguments":{"reason":"io"}}
        ← 8 error -32603 the disk is full
        → 9 prompts/get {"name":"broken","arguments":{"reason":"params"}}
        ← 9 error -32602 not today
        → 10 prompts/get {"name":"broken","arguments":{"reason":"x"}}
        ← 10 error -32603 the prompt `broken` failed unexpectedly
        "#,
    );
}

// rows: CMPL-2, CMPL-3, CMPL-4
#[test]
fn what_a_user_types_is_completed() {
    let hundred: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    on(server()).check(&format!(
        r#"
        → 1 completion/complete {{"ref":{{"type":"ref/prompt","name":"review"}},"argument":{{"name":"language","value":"p"}}}}
        ← {{"jsonrpc":"2.0","id":1,"result":{{"completion":{{"values":["python","perl"]}},"resultType":"complete","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"scenario","version":"1.2.3"}}}}}}}}
        → 2 completion/complete {{"ref":{{"type":"ref/prompt","name":"review"}},"argument":{{"name":"language","value":"x"}}}}
        ← 2 {{"completion":{{"values":[]}}}}
        → 3 completion/complete {{"ref":{{"type":"ref/prompt","name":"many"}},"argument":{{"name":"number","value":""}}}}
        ← 3 {{"completion":{{"values":{values},"total":150,"hasMore":true}}}}
        → 4 completion/complete {{"ref":{{"type":"ref/prompt","name":"many"}},"argument":{{"name":"digit","value":""}},"context":{{"arguments":{{"number":"42"}}}}}}
        ← 4 {{"completion":{{"values":["4","2"]}}}}
        → 5 completion/complete {{"ref":{{"type":"ref/prompt","name":"many"}},"argument":{{"name":"count","value":""}}}}
        ← 5 {{"completion":{{"values":["a"],"total":7,"hasMore":true}}}}
        → 6 completion/complete {{"ref":{{"type":"ref/resource","uri":"shop://{{user}}/{{folder}}"}},"argument":{{"name":"user","value":"a"}}}}
        ← 6 {{"completion":{{"values":["ada"]}}}}
        → 7 completion/complete {{"ref":{{"type":"ref/resource","uri":"shop://x/y"}},"argument":{{"name":"user","value":"b"}}}}
        ← 7 {{"completion":{{"values":["bob"]}}}}
        → 8 completion/complete {{"ref":{{"type":"ref/prompt","name":"many"}},"argument":{{"name":"plain","value":""}}}}
        ← 8 {{"completion":{{"values":[]}}}}
        "#,
        values = json!(hundred)
    ));
    // 2024-11-05 has the method, though no capability for it.
    for version in LEGACY {
        on(server()).check_legacy(
            version,
            r#"
            → 1 completion/complete {"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"r"}}
            ← {"jsonrpc":"2.0","id":1,"result":{"completion":{"values":["rust"]}}}
            "#,
        );
    }
}

// rows: CMPL-1, CMPL-4
#[test]
fn what_is_wrong_with_a_completion_is_said() {
    on(server()).check(
        r#"
        → 1 completion/complete {"ref":{"type":"ref/prompt","name":"reviev"},"argument":{"name":"language","value":"p"}}
        ← 1 error -32602 no prompt is named `reviev`; did you mean `review`?
        → 2 completion/complete {"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"lang","value":"p"}}
        ← 2 error -32602 the prompt `review` has no argument `lang`
        → 3 completion/complete {"ref":{"type":"ref/resource","uri":"shop://{user}/{folder}"},"argument":{"name":"x","value":"p"}}
        ← 3 error -32602 the template `shop://{user}/{folder}` has no argument `x`
        → 4 completion/complete {"ref":{"type":"ref/resource","uri":"nothing://"},"argument":{"name":"x","value":"p"}}
        ← 4 error -32602 …
        → 5 completion/complete {"ref":{"type":"ref/tool","name":"x"},"argument":{"name":"x","value":"p"}}
        ← 5 error -32602 `params.ref.type` must be "ref/prompt" or "ref/resource"
        → 6 completion/complete {"ref":{"type":"ref/prompt","name":"many"},"argument":{"name":"fault","value":"p"}}
        ← 6 error -32603 the disk is full
        → 7 completion/complete {"ref":{"type":"ref/prompt","name":"many"}}
        ← 7 error -32602 `params.argument` is missing: an object
        "#,
    );
    on(Server::new("scenario").prompt(talk {})).check(
        r#"
        → 1 completion/complete {"ref":{"type":"ref/prompt","name":"talk"},"argument":{"name":"x","value":""}}
        ← 1 error -32601 the method `completion/complete` is not offered here
        "#,
    );
}

/// Take a list, which no text is.
#[prompt]
async fn listing(words: Vec<String>) -> String {
    words.join(" ")
}

#[test]
#[should_panic(
    expected = "has a parameter `words` that can't be a text: take words, a number, a `bool` or an enum without data"
)]
fn a_parameter_that_no_text_can_be_shows_at_start_up() {
    let _ = Server::new("scenario").prompt(listing);
}

/// What a plain function waits for while it completes.
struct Gate(std::sync::Mutex<std::sync::mpsc::Receiver<()>>, std::sync::mpsc::Sender<()>);

fn waiting(completing: Completing) -> Result<Vec<String>, RequestError> {
    let gate = completing.context.state::<Gate>()?;
    let opened = gate.0.lock().unwrap().recv_timeout(std::time::Duration::from_secs(60));
    Ok(vec![if opened.is_ok() { "opened".into() } else { "left alone".into() }])
}

/// Choose when the gate is open.
#[prompt]
async fn gated(#[prompt(complete = waiting)] word: String) -> String {
    word
}

/// Open the gate.
#[tool]
async fn open(gate: State<Gate>) {
    gate.1.send(()).unwrap();
}

#[test]
fn a_plain_function_that_completes_holds_up_nobody() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let gate = Gate(std::sync::Mutex::new(receiver), sender);
    on(Server::new("scenario").state(gate).prompt(gated).tool(open)).check(
        r#"
        → 1 completion/complete {"ref":{"type":"ref/prompt","name":"gated"},"argument":{"name":"word","value":""}}
        → 2 tools/call open
        ← 2 {"content":[]}
        ← 1 {"completion":{"values":["opened"]}}
        "#,
    );
}

#[test]
fn a_function_that_completes_can_be_called_by_a_test() {
    let completing = Completing::new("4", mcp_server::TestContext::new().context());
    assert_eq!(support::block_on(by_number(completing)), [""; 0]);
}

#[test]
fn a_function_with_an_attribute_is_still_a_function() {
    let text = support::block_on(review("x".into(), None, 1));
    assert_eq!(text, "Review (1) this code:\nx");
    assert_eq!(talk().len(), 5);
    let _: Value = json!(languages("r".into()));
}
