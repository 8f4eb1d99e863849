//! The tools of the neighbour, called by a client.

#![deny(missing_docs, warnings, clippy::all, clippy::pedantic)]

use std::collections::BTreeSet;

use facade::mcp::prelude::*;

/// Triple a number.
#[tool(crate = facade::mcp)]
async fn triple(number: u32) -> u32 {
    number * 3
}

struct Tester(&'static str);

#[server(crate = facade::mcp)]
impl Tester {
    /// Its name.
    #[tool]
    async fn name(&self) -> &'static str {
        self.0
    }
}

#[tokio::test]
async fn each_tool_is_called() {
    let client = Client::connect(neighbour::server().tool(triple).with(Tester("t"))).await.unwrap();
    let calls = [
        ("shout", json!({ "text": "a" }), "A"),
        ("length", json!({ "text": "abc" }), "3"),
        ("sort", json!({ "numbers": [2, 3, 1] }), "[1,2,3]"),
        ("sort", json!({ "numbers": [1, 2], "order": "down", "twice": true }), "[2,2,1,1]"),
        ("add", json!({ "a": 1 }), "3"),
        ("article", json!({ "article": { "sku": "A17" } }), r#"{"sku":"A17","priceInCents":null}"#),
        ("later", json!({ "text": "a" }), "a"),
        ("negate", json!({ "number": 1 }), "-1"),
        ("count", json!({ "by": 2 }), "2"),
        ("state", json!({}), "2"),
        ("stock", json!({ "sku": "A17", "pieces": 3, "labels": ["AA=="] }), "A17 5 1"),
        ("nothing", json!({ "words": ["a"] }), "1"),
        ("bare_repeat", json!({ "text": "a" }), "aa"),
        ("bare_not", json!({ "value": true }), "false"),
        ("bare_same", json!({ "number": 1 }), "1"),
        ("bare_same_plain", json!({ "number": 2 }), "2"),
        ("triple", json!({ "number": 2 }), "6"),
        ("name", json!({}), "t"),
    ];
    let listed: BTreeSet<String> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
    let called: BTreeSet<String> = calls.iter().map(|(name, ..)| (*name).to_owned()).collect();
    assert_eq!(listed, called);
    for (name, arguments, text) in calls {
        let result = client.call_tool(name, arguments).await.unwrap();
        assert_eq!((result.text().as_str(), result.is_error), (text, false), "{name}");
    }
}

#[tokio::test]
async fn resources_are_read_and_prompts_filled() {
    let client = Client::connect(neighbour::server()).await.unwrap();
    for (uri, text) in [
        ("book://1?mark=a", r#"1 Some("a")"#),
        ("book://title", "tea"),
        ("counter://cups", "0 cups"),
        ("bare://bare/a", "a"),
    ] {
        assert_eq!(client.read_resource(uri).await.unwrap().text(), text, "{uri}");
    }
    for (name, arguments, text) in [
        ("translate", json!({ "text": "tea" }), "tea into Danish"),
        ("ask", json!({ "word": "a" }), "a 0"),
        ("bare_write", json!({ "word": "a" }), "a"),
    ] {
        let result = client.get_prompt(name, arguments).await.unwrap();
        assert_eq!(result.messages[0].content.as_text(), Some(text), "{name}");
    }
}

#[tokio::test]
async fn a_function_stays_one() {
    assert_eq!(neighbour::add(1, 2), 3);
    assert_eq!(neighbour::shout("a".into()).await, "A");
    assert_eq!(neighbour::Counter::default().count(1).await, 1);
    assert_eq!(triple(2).await, 6);
}
