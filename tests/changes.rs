//! Servers that change while they are served: who is told, and what.

mod support;

use std::sync::{Arc, Mutex};

use mcp_server::prelude::*;
use mcp_server::{Change, Fanout, Prompt, Resource, ServerHandle, State};
use support::on;

/// Change what the server offers.
#[tool]
async fn change(what: String, server: State<ServerHandle>) -> Result<bool, ToolError> {
    let (word, rest) = what.split_once(' ').unwrap_or((&what, ""));
    Ok(match word {
        "add_tool" => server.add_tool(tool_named(rest)).map(|()| true)?,
        "remove_tool" => server.remove_tool(rest),
        "on" => server.enable_tool(rest, true),
        "off" => server.enable_tool(rest, false),
        "add_resource" => server.add_resource(resource(rest)).map(|()| true)?,
        "remove_resource" => server.remove_resource(rest),
        "hide_resource" => server.enable_resource(rest, false),
        "add_prompt" => server.add_prompt(prompt_named(rest)).map(|()| true)?,
        "remove_prompt" => server.remove_prompt(rest),
        "update" => {
            server.resource_updated(rest);
            true
        }
        _ => return Err(ToolError::new("no such change")),
    })
}

fn tool_named(name: &str) -> mcp_server::Tool {
    let mut tool = mcp_server::Tool::builder(name.to_owned());
    let result = tool.returns::<&str>();
    tool.handler(move |call| call.run(async { "done" }, result))
}

fn resource(uri: &str) -> Resource {
    let mut resource = Resource::builder(uri.to_owned());
    let result = resource.returns::<&str>();
    resource.handler(move |call| call.run(async { "contents" }, result))
}

fn prompt_named(name: &str) -> Prompt {
    let mut prompt = Prompt::builder(name.to_owned());
    let result = prompt.returns::<&str>();
    prompt.handler(move |call| call.run(async { "words" }, result))
}

/// A server with tools and resources, but no prompts.
fn server() -> Server {
    let server = Server::new("scenario").version("1.2.3");
    let handle = server.handle();
    server.state(handle).tool(change).resource(resource("shop://catalog")).resource(resource("shop://orders"))
}

// rows: SUB-1, SUB-2, SUB-3, SUB-5, SUB-8, META-7, RSC-9
#[test]
fn a_stream_tells_what_was_asked_for_after_its_acknowledgment() {
    for id in ["\"L1\"", "7", "\"\"", "0"] {
        on(server()).check(&format!(
            r#"
            → {{"jsonrpc":"2.0","id":{id},"method":"subscriptions/listen","params":{{"notifications":{{"toolsListChanged":true}},"_meta":META}}}}
            ← {{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}},"notifications":{{"toolsListChanged":true}}}}}}
            then
            → 1 tools/call change {{"what":"add_resource shop://new"}}
            ← 1 text true
            → 2 tools/call change {{"what":"update shop://catalog"}}
            ← 2 text true
            → 3 tools/call change {{"what":"add_tool x"}}
            ← 3 text true
            ← {{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}
            then
            → 4 tools/call x
            ← 4 text done
            → end
            ← {id} {{"resultType":"complete","_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}
            ← told notifications/cancelled {{"requestId":{id}}}
            "#
        ));
    }
}

// rows: SUB-1, SUB-4, SUB-14
#[test]
fn what_can_not_be_told_is_left_out_of_the_acknowledgment() {
    on(server()).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["shop://a"],"toolsListChanged":false}}
        ← {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"notifications":{"resourcesListChanged":true,"resourceSubscriptions":["shop://a"]}}}
        → 2 subscriptions/listen {"notifications":{}}
        ← {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"notifications":{}}}
        → 3 subscriptions/listen {}
        ← 3 error -32602 `params.notifications` is missing: …
        → 4 subscriptions/listen {"notifications":7}
        ← 4 error -32602 `params.notifications` must be an object
        → 5 subscriptions/listen {"notifications":{"toolsListChanged":"yes"}}
        ← 5 error -32602 `params.notifications` can't be read: …
        → end
        ← 1 {"resultType":"complete"}
        ← 2 {"resultType":"complete"}
        ← told notifications/cancelled {"requestId":1}
        ← told notifications/cancelled {"requestId":2}
        "#,
    );
    // A server that never changes has nothing to tell.
    on(Server::new("scenario").tool(tool_named("x"))).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"toolsListChanged":true}}
        ← 1 error -32601 the method `subscriptions/listen` is not offered here
        "#,
    );
}

// rows: SUB-7, SUB-9, SUB-10
#[test]
fn several_streams_are_told_by_themselves_until_each_is_cancelled() {
    on(server()).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"resourceSubscriptions":["shop://orders"]}}
        ← told notifications/subscriptions/acknowledged {"_meta":{"io.modelcontextprotocol/subscriptionId":1}}
        → 2 subscriptions/listen {"notifications":{"resourceSubscriptions":["shop://orders","shop://catalog"]}}
        ← told notifications/subscriptions/acknowledged {"_meta":{"io.modelcontextprotocol/subscriptionId":2}}
        then
        → 3 tools/call change {"what":"update shop://orders"}
        ← 3 text true
        ← {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"shop://orders"}}
        ← {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"shop://orders"}}
        then
        → 4 tools/call change {"what":"update shop://orders/7"}
        ← 4 text true
        ← told notifications/resources/updated {"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"shop://orders/7"}
        ← told notifications/resources/updated {"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"shop://orders/7"}
        → 5 tools/call change {"what":"update shop://ordersandmore"}
        ← 5 text true
        → cancelled 1
        → 6 tools/call change {"what":"update shop://orders"}
        ← 6 text true
        ← told notifications/resources/updated {"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"shop://orders"}
        then
        → 7 tools/call change {"what":"update shop://catalog"}
        ← 7 text true
        ← told notifications/resources/updated {"_meta":{"io.modelcontextprotocol/subscriptionId":2},"uri":"shop://catalog"}
        → cancelled 2
        → 8 tools/call change {"what":"update shop://catalog"}
        ← 8 text true
        silence 100 ms
        "#,
    );
}

// rows: SUB-11
#[test]
fn layers_leave_a_stream_what_it_is() {
    async fn through(
        request: mcp_server::layer::Request,
        next: mcp_server::layer::Next,
    ) -> Result<mcp_server::ServerResult, mcp_server::protocol::ErrorObject> {
        next.run(request).await
    }
    on(server().layer(through)).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"toolsListChanged":true}}
        ← told notifications/subscriptions/acknowledged
        then
        → 2 tools/call change {"what":"add_tool x"}
        ← 2 text true
        ← told notifications/tools/list_changed
        → end
        ← 1 {"resultType":"complete"}
        then
        ← told notifications/cancelled {"requestId":1}
        "#,
    );
}

// rows: BASE-11
#[test]
fn no_stateless_request_is_part_of_a_batch() {
    on(server()).check_legacy(
        "2025-03-26",
        r#"
        → [{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":META}},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        ← [{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`subscriptions/listen` can't be part of a batch"}},{"jsonrpc":"2.0","id":2,"result":{}}]
        "#,
    );
}

// rows: LEG-4, LEG-5
#[test]
fn older_clients_are_told_of_lists_unasked_and_of_the_resources_that_they_watch() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        on(server()).check_legacy(
            version,
            r#"
            → 1 tools/call change {"what":"add_tool x"}
            ← 1 text true
            ← {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}
            then
            // The handshake has declared no prompts, so that nothing is told of them.
            → 2 tools/call change {"what":"add_prompt p"}
            ← 2 text true
            silence 100 ms
            → 20 tools/call change {"what":"add_resource shop://new"}
            ← 20 text true
            ← {"jsonrpc":"2.0","method":"notifications/resources/list_changed"}
            then
            → 3 tools/call change {"what":"update shop://catalog"}
            ← 3 text true
            → 4 resources/subscribe {"uri":"shop://catalog"}
            ← {"jsonrpc":"2.0","id":4,"result":{}}
            → 5 tools/call change {"what":"update shop://catalog"}
            ← 5 text true
            ← {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"shop://catalog"}}
            then
            → 6 resources/unsubscribe {"uri":"shop://catalog"}
            ← {"jsonrpc":"2.0","id":6,"result":{}}
            → 7 tools/call change {"what":"update shop://catalog"}
            ← 7 text true
            → 8 resources/subscribe {"uri":"shop://nothing"}
            ← 8 error -32002 …
            → 9 resources/subscribe {}
            ← 9 error -32602 `params.uri` is missing: a string
            → 10 subscriptions/listen {"notifications":{"toolsListChanged":true}}
            ← 10 error -32601 the method `subscriptions/listen` is not offered here
            silence 100 ms
            "#,
        );
    }
}

// rows: ERR-3
#[test]
fn the_ways_of_one_era_are_unknown_in_the_other() {
    on(server()).check(
        r#"
        → 1 resources/subscribe {"uri":"shop://catalog"}
        ← 1 error -32601 the method `resources/subscribe` is not offered here
        → 2 resources/unsubscribe {"uri":"shop://catalog"}
        ← 2 error -32601 the method `resources/unsubscribe` is not offered here
        → 3 logging/setLevel {"level":"info"}
        ← 3 error -32601 the method `logging/setLevel` is not offered here
        "#,
    );
    // Without a handle nothing changes, and nothing can be watched.
    on(Server::new("scenario").resource(resource("shop://catalog"))).check_legacy(
        "2025-11-25",
        r#"
        → 1 resources/subscribe {"uri":"shop://catalog"}
        ← 1 error -32601 the method `resources/subscribe` is not offered here
        "#,
    );
}

// rows: RSC-1, PRMT-1, TOOL-1, SUB-8
#[test]
fn what_is_offered_is_what_is_declared() {
    on(server()).check(
        r#"
        → 1 server/discover
        ← 1 {"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}},"ttlMs":0,"cacheScope":"private"}
        → 2 prompts/list
        ← 2 error -32601 the method `prompts/list` is not offered here
        → 3 tools/call change {"what":"add_prompt p"}
        ← 3 text true
        → 4 prompts/list
        ← 4 {"prompts":[{"name":"p"}]}
        → 5 server/discover
        ← 5 {"capabilities":{"prompts":{"listChanged":true}}}
        → 6 tools/call change {"what":"remove_prompt p"}
        ← 6 text true
        → 7 prompts/list
        ← {"jsonrpc":"2.0","id":7,"result":{"prompts":[],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        "#,
    );
}

// rows: TOOL-2, TOOL-3
#[test]
fn what_is_switched_off_is_neither_listed_nor_called() {
    on(server()).check(
        r#"
        → 1 tools/call change {"what":"add_tool x"}
        ← 1 text true
        → 2 tools/call change {"what":"add_tool y"}
        ← 2 text true
        → 3 tools/call change {"what":"off x"}
        ← 3 text true
        → 4 tools/list
        ← 4 {"tools":[{"name":"change"},{"name":"y"}]}
        → 5 tools/call x
        ← 5 error -32602 no tool is named `x`
        → 6 tools/call change {"what":"on x"}
        ← 6 text true
        → 7 tools/list
        ← 7 {"tools":[{"name":"change"},{"name":"x"},{"name":"y"}]}
        → 8 tools/call change {"what":"remove_tool x"}
        ← 8 text true
        → 9 tools/call y
        ← 9 text done
        → 10 tools/call change {"what":"remove_tool x"}
        ← 10 text false
        → 11 tools/call change {"what":"off x"}
        ← 11 text false
        → 12 tools/call change {"what":"add_tool y"}
        ← 12 failed two tools are named `y`: one at tests/changes.rs:…
        → 13 tools/call change {"what":"add_tool a b"}
        ← 13 failed `a b` at tests/changes.rs:…
        → 14 tools/call change {"what":"hide_resource shop://orders"}
        ← 14 text true
        → 15 resources/read {"uri":"shop://orders"}
        ← 15 error -32602 …
        "#,
    );
}

// rows: SUB-8
#[test]
fn many_changes_to_one_that_does_not_read_are_told_once() {
    on(server()).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"toolsListChanged":true}}
        ← told notifications/subscriptions/acknowledged
        then
        → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"change","arguments":{"what":"add_tool a"},"_meta":META}}
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"change","arguments":{"what":"add_tool b"},"_meta":META}}
        → {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"change","arguments":{"what":"add_tool c"},"_meta":META}}
        ← 2 text true
        ← 3 text true
        ← 4 text true
        ← told notifications/tools/list_changed
        silence 100 ms
        → cancelled 1
        "#,
    );
}

/// A bus that keeps what it is given until somebody delivers it.
#[derive(Clone, Default)]
struct Bus(Arc<Mutex<Vec<Change>>>);

impl Fanout for Bus {
    fn publish(&self, change: &Change, server: &ServerHandle) {
        let mut kept = self.0.lock().unwrap();
        kept.push(change.clone());
        // As if it had come back from another machine as bytes.
        if kept.len() == 2 {
            for change in kept.drain(..) {
                let bytes = serde_json::to_vec(&change).unwrap();
                server.deliver(&serde_json::from_slice(&bytes).unwrap());
            }
        }
    }
}

#[test]
fn a_bus_carries_changes_in_the_place_of_the_process() {
    let bus = Bus::default();
    on(server().fanout(bus.clone())).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"toolsListChanged":true,"resourceSubscriptions":["shop://catalog"]}}
        ← told notifications/subscriptions/acknowledged
        then
        → 2 tools/call change {"what":"update shop://catalog"}
        ← 2 text true
        silence 100 ms
        → 3 tools/call change {"what":"add_tool a"}
        ← 3 text true
        ← told notifications/tools/list_changed
        ← told notifications/resources/updated {"uri":"shop://catalog"}
        → cancelled 1
        "#,
    );
    assert!(bus.0.lock().unwrap().is_empty());
}

// rows: SUB-1, LEG-4
#[test]
fn what_a_client_may_watch_has_one_limit_in_both_eras() {
    let long = "x".repeat(8193);
    let text = "a resource can't be watched whose URI is longer than the limit of 8192 bytes";
    on(server()).check(&format!(
        r#"
        → 1 subscriptions/listen {{"notifications":{{"resourceSubscriptions":["shop://{long}"]}}}}
        ← 1 error -32602 `params.notifications.resourceSubscriptions` is too long: {text}
        → 2 subscriptions/listen {{"notifications":{{"resourceSubscriptions":{many}}}}}
        ← 2 error -32602 `params.notifications.resourceSubscriptions` is too long: no more resources can be watched at a time than the limit of 10000
        "#,
        many = serde_json::to_string(&(0..10_001).map(|at| format!("x://{at}")).collect::<Vec<_>>()).unwrap(),
    ));
    let any = Resource::builder("any://{+path}".to_owned()).read(|_: serde_json::Value, _ctx: Context| async { "any" });
    on(server().resource(any)).check_legacy(
        "2025-11-25",
        &format!(
            r#"
            → 1 resources/subscribe {{"uri":"any://{long}"}}
            ← 1 error -32602 {text}
            "#
        ),
    );
}
