//! Scenarios: what a client sends to a server, and what must come back. Each test names the rows of `requirements.md`
//! that it is about.

mod support;

use mcp_server::Server;
use mcp_server::protocol::{ErrorCode, ErrorObject, ProtocolVersion};
use serde_json::{Value, json};
use support::{check, check_bare, check_legacy, exchange, on, tools};

/// The versions that begin with a handshake.
const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

// Base messages

// rows: BASE-1, BASE-5, RTYPE-1, META-5, TOOL-13
#[test]
fn a_call_and_its_answer_byte_for_byte() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"é \"x\"\n"},"_meta":META}}
        ← {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"é \"x\"\n"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        "#,
    );
}

// rows: BASE-5
#[test]
fn an_id_comes_back_as_it_was_sent() {
    for method in ["ping", "x"] {
        let ids = ["\"1\"", "1", "0", "-5", "\"\"", "9007199254740993", "18446744073709551615", "\"a\\u00e9\\n\""];
        let input: String =
            ids.map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}\n")).concat();
        let handshake = r#"{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
        let lines = exchange(tools::server(), &format!("{handshake}\n{input}"));
        let what = if method == "ping" { "\"result\":{}" } else { "\"error\":{\"code\":-32601," };
        assert_eq!(lines.len(), 9);
        for (line, id) in lines[1..].iter().zip(ids) {
            let id = id.replace("\\u00e9", "é");
            let start = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},{what}");
            assert!(line.starts_with(&start), "{line} should start with {start}");
        }
    }
}

// rows: BASE-5
#[test]
fn a_number_and_a_text_of_the_same_digits_are_two_ids_at_once() {
    check(
        r#"
        → 7 tools/call sleep {"ms":20}
        → "7" tools/call sleep {"ms":10}
        ← "7" text slept 10 ms
        then
        ← 7 text slept 20 ms
        "#,
    );
}

// rows: BASE-2, BASE-7, ERR-1
#[test]
fn what_is_no_request_is_told_so_with_the_id_where_there_is_one() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":null,"method":"tools/list","params":{"_meta":META}}
        ← error -32600 `id` must be a string or an integer …
        → {"jsonrpc":"2.0","id":1.5,"method":"tools/list","params":{"_meta":META}}
        ← error -32600 `id` must be a string or an integer …
        → {"jsonrpc":"2.0","id":true,"method":"tools/list","params":{"_meta":META}}
        ← error -32600 `id` must be a string or an integer …
        → {"jsonrpc":"2.0","id":[1],"method":"tools/list","params":{"_meta":META}}
        ← error -32600 `id` must be a string or an integer …
        → {"jsonrpc":"2.0","id":{},"method":"tools/list","params":{"_meta":META}}
        ← error -32600 `id` must be a string or an integer …
        → {"jsonrpc":"2.0","id":1}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"`method` is missing"}}
        → {"jsonrpc":"2.0","id":2,"method":7}
        ← {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"`method` must be a string"}}
        → {"jsonrpc":"1.0","id":"3","method":"tools/list"}
        ← {"jsonrpc":"2.0","id":"3","error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
        → {"id":4,"method":"tools/list"}
        ← {"jsonrpc":"2.0","id":4,"error":{"code":-32600,"message":"`jsonrpc` must be \"2.0\""}}
        → {"jsonrpc":2.0,"id":5,"method":"tools/list"}
        ← 5 error -32600 `jsonrpc` must be "2.0"
        → {}
        ← error -32600 `jsonrpc` must be "2.0"
        → 6 tools/call now
        ← 6 text noon
        "#,
    );
}

// rows: BASE-2, ERR-4
#[test]
fn params_are_an_object_or_left_out() {
    check_legacy(
        "2025-11-25",
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`params` must be an object"}}
        → {"jsonrpc":"2.0","id":2,"method":"tools/list","params":"x"}
        ← 2 error -32602 `params` must be an object
        → {"jsonrpc":"2.0","id":3,"method":"tools/list","params":7}
        ← 3 error -32602 `params` must be an object
        → {"jsonrpc":"2.0","id":4,"method":"tools/list","params":{"_meta":7}}
        ← 4 error -32602 `params._meta` must be an object
        → {"jsonrpc":"2.0","id":5,"method":"ping","params":{}}
        ← {"jsonrpc":"2.0","id":5,"result":{}}
        → {"jsonrpc":"2.0","id":6,"method":"ping"}
        ← {"jsonrpc":"2.0","id":6,"result":{}}
        "#,
    );
}

// rows: BASE-7, ERR-1, STDIO-7
#[test]
fn what_is_no_json_is_told_so_once_and_without_an_id() {
    check(
        r#"
        → line {
        ← error -32700 not JSON: EOF while parsing an object at column 1
        → line not json
        ← error -32700 not JSON: …
        → line {"jsonrpc":"2.0","id":1,"method":"tools/list"
        ← error -32700 not JSON: …
        → {"jsonrpc":"2.0","id":2,"method":"ping"} {"x":1}
        ← error -32700 not JSON: trailing characters …
        → bytes "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"\xff\"}\n"
        ← error -32700 not UTF-8 from byte 34 on
        → 4 tools/call now
        ← 4 text noon
        "#,
    );
}

// rows: BASE-3, BASE-5
#[test]
fn an_id_that_is_still_in_use_is_refused_without_naming_it_as_an_answer() {
    check(
        r#"
        → 1 tools/call sleep {"ms":50}
        → 1 tools/call now
        → 1 tools/list
        → {"jsonrpc":"2.0","id":1,"method":7}
        ← error -32600 the id 1 is that of a request that still runs
        ← error -32600 the id 1 is that of a request that still runs
        ← error -32600 `method` must be a string
        then
        ← 1 text slept 50 ms
        → 1 tools/call now
        ← 1 text noon
        "#,
    );
}

// rows: BASE-8, ERR-2
#[test]
fn a_notification_is_never_answered_and_runs_nothing() {
    check(
        r#"
        → {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        → {"jsonrpc":"2.0","method":"notifications/made_up","params":{"x":1}}
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":"bad"}
        → {"jsonrpc":"2.0","method":"notifications/initialized"}
        → {"jsonrpc":"2.0","method":"tools/call","params":{"name":"write","arguments":{},"_meta":META}}
        → {"jsonrpc":"2.0","method":"initialize","params":{}}
        → {"jsonrpc":"2.0","method":"no/such/method","params":[]}
        silence 1000 ms
        → 1 tools/call written
        ← 1 text false
        "#,
    );
}

// rows: BASE-8, CANC-5
#[test]
fn an_answer_is_never_answered() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":1,"result":{}}
        → {"jsonrpc":"2.0","id":2,"error":{"code":-1,"message":"no"}}
        → {"jsonrpc":"2.0","id":3,"error":"unreadable"}
        → {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}
        → {"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error"}}
        → {"result":1,"error":2}
        silence 1000 ms
        → 4 tools/call now
        ← 4 text noon
        "#,
    );
}

// rows: BASE-11, ERR-1
#[test]
fn an_array_is_no_message() {
    let scenario = r#"
        → [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        ← {"jsonrpc":"2.0","error":{"code":-32600,"message":"several messages in one array are part of the revision 2025-03-26 alone"}}
        → []
        ← error -32600 an empty array is no message
        → [1
        ← error -32700 not JSON: …
        → line 5
        ← error -32600 a message is a JSON object
        → line "ping"
        ← error -32600 a message is a JSON object
        → line null
        ← error -32600 a message is a JSON object
        → 3 tools/call now
        ← 3 text noon
    "#;
    check(scenario);
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        check_legacy(version, scenario);
    }
}

// rows: BASE-12
#[test]
fn members_that_nobody_knows_are_ignored_everywhere() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"zzz":{"y":1},"elicitation":{"zzz":true}},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1","zzz":1},"com.example/x":{"y":1},"io.modelcontextprotocol/zzz":[]},"task":{"ttl":1},"future":true},"extra":1,"also":{"id":5}}
        ← 1 text a
        → 2 tools/list params {"zzz":1}
        ← 2 {"resultType":"complete"}
        → 3 server/discover params {"zzz":1}
        ← 3 {"resultType":"complete"}
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9,"zzz":1},"zzz":2}
        → 4 tools/call now
        ← 4 text noon
        "#,
    );
    check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"zzz":{},"roots":{"zzz":1},"extensions":{"com.example/x":{}}},"clientInfo":{"name":"t","version":"1","zzz":[]},"zzz":{}},"zzz":0}
        ← 0 {"protocolVersion":"2025-11-25"}
        → {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","zzz":1,"_meta":{"zzz":1}}}
        ← 1 text noon
        "#,
    );
}

// rows: BASE-13, META-6
#[test]
fn nothing_is_remembered_of_an_earlier_request() {
    check(
        r#"
        → 1 tools/call whoami meta {"io.modelcontextprotocol/clientInfo":{"name":"desk","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}
        ← 1 text 1 desk 2026-07-28 elicitation=true null null
        → 2 tools/call whoami
        ← 2 text 2 nobody 2026-07-28 elicitation=false null null
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"whoami"}}
        ← 3 error -32602 …
        "#,
    );
}

// rows: BASE-14, BASE-15, PAGE-5
#[test]
fn a_walk_through_pages_can_go_on_over_another_connection() {
    let server = || tools::server().page_size(20);
    on(server()).check(
        r#"
        → 1 tools/list
        ← 1 {"nextCursor":"tools-1"}
        "#,
    );
    on(server()).check(
        r#"
        → 1 tools/list {"cursor":"tools-1"}
        ← 1 {"resultType":"complete"}
        "#,
    );
}

// rows: BASE-15, STDIO-6
#[test]
fn two_conversations_on_one_pipe_do_not_disturb_each_other() {
    check(
        r#"
        → "a1" tools/call sleep {"ms":30} meta {"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}
        → "b1" tools/call whoami meta {"io.modelcontextprotocol/clientInfo":{"name":"b","version":"1"}}
        → "a2" tools/call whoami meta {"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"}}
        ← "b1" text "\"b1\" b 2026-07-28 elicitation=false null null"
        ← "a2" text "\"a2\" a 2026-07-28 elicitation=false null null"
        then
        ← "a1" text slept 30 ms
        "#,
    );
}

// `_meta`

// rows: META-2, ERR-4
#[test]
fn a_modern_request_must_have_both_keys_of_the_right_type() {
    const VERSION: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#;
    let missing = r#"`_meta` must have `io.modelcontextprotocol/clientCapabilities`: an object, `{}` for none"#;
    for method in ["server/discover", "tools/list", "tools/call"] {
        let request = |meta: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"name":"now","_meta":{{{meta}}}}}}}"#)
        };
        for capabilities in [
            "",
            r#","io.modelcontextprotocol/clientCapabilities":null"#,
            r#","io.modelcontextprotocol/clientCapabilities":[]"#,
            r#","io.modelcontextprotocol/clientCapabilities":"x""#,
        ] {
            check(&format!("→ {}\n← 1 error -32602 {missing}", request(&format!("{VERSION}{capabilities}"))));
        }
        for version in ["null", "7", "{}", "[\"2026-07-28\"]"] {
            let meta = format!(
                r#""io.modelcontextprotocol/protocolVersion":{version},"io.modelcontextprotocol/clientCapabilities":{{}}"#
            );
            let wrong = "`_meta` must have `io.modelcontextprotocol/protocolVersion`: a string";
            check(&format!("→ {}\n← 1 error -32602 {wrong}", request(&meta)));
        }
        check(&format!("→ {}\n← 1 error -32602 …", request("")));
        check(&format!(
            "→ {}\n← 1 error -32602 …",
            request(
                r#""io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}"#
            )
        ));
    }
}

// rows: META-3, META-6
#[test]
fn who_the_client_is_need_not_be_told_and_decides_nothing() {
    check(
        r#"
        → 1 tools/call now
        ← 1 text noon
        → 2 tools/call now meta {"io.modelcontextprotocol/clientInfo":7}
        ← 2 text noon
        → 3 tools/call now meta {"io.modelcontextprotocol/clientInfo":{}}
        ← 3 text noon
        "#,
    );
}

// rows: META-10, BASE-12
#[test]
fn what_else_is_in_the_meta_reaches_the_handler_unchanged() {
    check(
        r#"
        → 1 tools/call whoami meta {"com.example/x":{"y":[1,null]},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
        ← 1 text 1 nobody 2026-07-28 elicitation=false {"y":[1,null]} "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        "#,
    );
}

// rows: META-5
#[test]
fn every_modern_result_names_the_server_and_keeps_the_meta_of_the_tool() {
    check(
        r#"
        → 1 tools/call blocks
        ← 1 {"_meta":{"com.example/k":1,"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}
        → 2 tools/list
        ← 2 {"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}
        → 3 server/discover
        ← 3 {"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}
        → 4 tools/call add {}
        ← 4 {"isError":true,"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}
        "#,
    );
}

// `resultType` and what differs between the eras

// rows: RTYPE-1, CACHE-1, CACHE-2, TOOL-13
#[test]
fn what_a_modern_result_must_have_and_only_that() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":META}}
        ← {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"nothing","arguments":{},"_meta":META}}
        ← {"jsonrpc":"2.0","id":2,"result":{"content":[],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"price","arguments":{"sku":"?"},"_meta":META}}
        ← {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"no such sku"}],"isError":true,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → 4 tools/list
        ← 4 {"resultType":"complete","ttlMs":0,"cacheScope":"private"}
        "#,
    );
    on(tools::server().page_size(20)).check(
        r#"
        → 1 tools/list
        ← 1 {"resultType":"complete","ttlMs":0,"cacheScope":"private","nextCursor":"tools-1"}
        → 2 tools/list {"cursor":"tools-1"}
        ← 2 {"resultType":"complete","ttlMs":0,"cacheScope":"private"}
        "#,
    );
}

// rows: RTYPE-5, TOOL-13, LEG-1
#[test]
fn a_legacy_result_has_nothing_of_the_modern_era() {
    for version in LEGACY {
        check_legacy(
            version,
            r#"
            → {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"now","arguments":{}}}
            ← {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"noon"}]}}
            → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"price","arguments":{"sku":"?"}}}
            ← {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"no such sku"}],"isError":true}}
            → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"nothing"}}
            ← {"jsonrpc":"2.0","id":3,"result":{"content":[]}}
            → {"jsonrpc":"2.0","id":4,"method":"ping"}
            ← {"jsonrpc":"2.0","id":4,"result":{}}
            "#,
        );
    }
    for version in LEGACY {
        let lines = legacy(version, tools::server(), &[json!({ "method": "tools/list" })]);
        let list = &lines[0]["result"];
        assert_eq!(list.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"], "{version}");
    }
}

/// The answers to requests after a handshake.
#[track_caller]
fn legacy(version: &str, server: Server, requests: &[Value]) -> Vec<Value> {
    let mut input = format!(
        "{}\n{}\n",
        json!({ "jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "t", "version": "1" }
        } }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })
    );
    for (id, request) in requests.iter().enumerate() {
        let mut request = request.clone();
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.into();
        input += &format!("{request}\n");
    }
    let lines = exchange(server, &input);
    let mut answers: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.remove(0)["result"]["protocolVersion"], version);
    assert_eq!(answers.len(), requests.len());
    answers.sort_by_key(|answer| answer["id"].as_u64());
    answers
}

// Errors

// rows: ERR-2, VER-6
#[test]
fn an_unknown_method_is_told_so() {
    let scenario = r#"
        → 1 x/y
        ← 1 error -32601 the method `x/y` is not offered here
        → 2 prompts/list
        ← 2 error -32601 the method `prompts/list` is not offered here
        → 3 resources/read {"uri":"x:y"}
        ← 3 error -32601 …
        → 4 completion/complete
        ← 4 error -32601 …
        → "5" Tools/List
        ← "5" error -32601 …
        → "" rpc.discover
        ← "" error -32601 …
    "#;
    check(scenario);
    for version in LEGACY {
        check_legacy(version, scenario);
    }
    let long = "m".repeat(100_000);
    let short = "m".repeat(128);
    check(&format!("→ 1 {long}\n← 1 error -32601 the method `{short}…` is not offered here"));
}

// rows: ERR-3, ERA-2
#[test]
fn methods_that_the_modern_era_has_dropped_are_unknown_in_it() {
    let scenario = r#"
        → 1 initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}
        ← 1 error -32601 the method `initialize` is not offered here
        → 2 ping
        ← 2 error -32601 the method `ping` is not offered here
        → 3 logging/setLevel {"level":"info"}
        ← 3 error -32601 …
        → 4 resources/subscribe {"uri":"x:y"}
        ← 4 error -32601 …
        → 5 resources/unsubscribe {"uri":"x:y"}
        ← 5 error -32601 …
        → 6 tasks/list
        ← 6 error -32601 …
        → 7 tasks/result {"taskId":"x"}
        ← 7 error -32601 …
        → 8 notifications/initialized
        ← 8 error -32601 …
    "#;
    check(scenario);
}

// rows: ERR-4, TOOL-18
#[test]
fn params_of_the_wrong_shape_are_an_error_for_the_client() {
    let scenario = r#"
        → 1 tools/call nope {}
        ← 1 error -32602 no tool is named `nope`
        → 2 tools/call ecko {"text":"x"}
        ← 2 error -32602 no tool is named `ecko`; did you mean `echo`?
        → 3 tools/call echo "x"
        ← 3 error -32602 `params.arguments` must be an object
        → 4 tools/call echo ["x"]
        ← 4 error -32602 `params.arguments` must be an object
        → 5 tools/call echo {"text":"x"} params {"name":7}
        ← 5 error -32602 `params.name` must be a string
        → 6 tools/call echo {"text":"x"} params {"name":null}
        ← 6 error -32602 `params.name` is missing: a string
        → 7 tools/list {"cursor":7}
        ← 7 error -32602 `params.cursor` must be a string
        → 8 tools/call Echo {"text":"x"}
        ← 8 error -32602 no tool is named `Echo`; did you mean `echo`?
        → 9 tools/call now {} meta {"progressToken":1.5}
        ← 9 error -32602 `_meta.progressToken` must be a string or an integer
        → 10 tools/call now {} meta {"progressToken":{}}
        ← 10 error -32602 `_meta.progressToken` must be a string or an integer
    "#;
    check(scenario);
    check_legacy("2025-11-25", scenario);
    check_legacy("2024-11-05", scenario);
}

// rows: ERR-5, TOOL-18
#[test]
fn a_panic_ends_its_own_call_only_and_its_text_stays_inside() {
    check(
        r#"
        → 1 tools/call sleep {"ms":500}
        → 2 tools/call boom
        → 3 tools/call boom_sync
        → 4 tools/call now
        → 5 tools/call boom_reading {"text":"crack"}
        ← 2 error -32603 the tool `boom` failed unexpectedly
        ← 3 error -32603 the tool `boom_sync` failed unexpectedly
        ← 4 text noon
        ← 5 error -32603 the tool `boom_reading` failed unexpectedly
        then
        ← 1 text slept 500 ms
        → 2 tools/call boom_reading {"text":"whole"}
        ← 2 text whole
        "#,
    );
}

// rows: ERR-5, PROG-5, STDIO-6
#[test]
fn a_panic_after_a_report_or_while_a_call_is_dropped_harms_nobody_else() {
    check(
        r#"
        → 1 tools/call boom_late {} token 1
        ← progress 1 1
        ← 1 error -32603 the tool `boom_late` failed unexpectedly
        → 2 tools/call boom_dropped {} token 2
        ← progress 2 1
        → cancelled 2
        → 3 tools/call now
        ← 3 text noon
        silence 100 ms
        → 2 tools/call now
        ← 2 text noon
        "#,
    );
}

// rows: TOOL-14
#[test]
fn a_value_that_is_no_json_is_a_failure_of_the_tool() {
    check(
        r#"
        → 1 tools/call pairs
        ← 1 failed the result is no JSON: key must be a string
        "#,
    );
}

// rows: TOOL-14
#[test]
fn a_number_that_json_does_not_know_is_a_failure_of_the_tool() {
    check(
        r#"
        → 1 tools/call nan
        ← 1 failed …
        "#,
    );
}

// rows: ERR-8, VER-1, VER-3, VER-7
#[test]
fn a_version_that_is_not_served_is_told_with_those_that_are() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01","io.modelcontextprotocol/clientCapabilities":{}}}}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"the protocol version `1900-01-01` is not served here","data":{"supported":["2026-07-28"],"requested":"1900-01-01"}}}
        → 2 tools/call now
        ← 2 text noon
        → 3 server/discover meta {"io.modelcontextprotocol/protocolVersion":"2030-01-01"}
        ← 3 error -32022 the protocol version `2030-01-01` is not served here
        → 4 x/y meta {"io.modelcontextprotocol/protocolVersion":""}
        ← 4 error -32022 …
        → 5 tools/list meta {"io.modelcontextprotocol/protocolVersion":"2026-07-29"}
        ← 5 error -32022 …
        → 6 tools/list meta {"io.modelcontextprotocol/protocolVersion":"2026-07-28 "}
        ← 6 error -32022 …
        → 7 tools/list meta {"io.modelcontextprotocol/protocolVersion":"2025-11-25"}
        ← 7 error -32022 the protocol version `2025-11-25` is not served here
        → 8 initialize {"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}} meta {"io.modelcontextprotocol/protocolVersion":"1900-01-01"}
        ← 8 error -32022 …
        → 9 server/discover
        ← 9 {"supportedVersions":["2026-07-28"]}
        "#,
    );
}

// rows: ERR-9, ERR-10
#[test]
fn the_codes_of_the_library_are_those_of_the_specification() {
    let codes = [
        (ErrorCode::PARSE_ERROR, -32700),
        (ErrorCode::INVALID_REQUEST, -32600),
        (ErrorCode::METHOD_NOT_FOUND, -32601),
        (ErrorCode::INVALID_PARAMS, -32602),
        (ErrorCode::INTERNAL_ERROR, -32603),
        (ErrorCode::MISSING_CLIENT_CAPABILITY, -32021),
        (ErrorCode::UNSUPPORTED_PROTOCOL_VERSION, -32022),
    ];
    for (code, number) in codes {
        assert_eq!(serde_json::to_string(&code).unwrap(), number.to_string());
    }
    let error = ErrorObject::new(ErrorCode(7), "the shop is closed");
    assert_eq!(serde_json::to_string(&error).unwrap(), r#"{"code":7,"message":"the shop is closed"}"#);
}

// Versions and eras

// rows: VER-5, VER-6, ERA-1
#[test]
fn any_request_may_be_the_first() {
    check("→ 1 server/discover\n← 1 {\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}");
    check("→ 1 tools/call now\n← 1 text noon");
    check("→ 1 tools/list\n← 1 {\"resultType\":\"complete\"}");
}

// rows: VER-5
#[test]
fn discovery_hands_on_the_instructions() {
    on(tools::server().instructions("Ask for \"A17\" first.")).check(
        r#"
        → 1 server/discover
        ← 1 {"instructions":"Ask for \"A17\" first."}
        "#,
    );
    on(tools::server().instructions("Ask.")).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"scenario","version":"1.2.3"},"instructions":"Ask."}}
        "#,
    );
}

// rows: VER-6, TOOL-1, ERR-2
#[test]
fn a_server_without_tools_offers_none() {
    on(Server::new("silent")).check(
        r#"
        → 1 server/discover
        ← {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{},"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"silent","version":"0.0.0"}}}}
        → 2 tools/list
        ← 2 error -32601 the method `tools/list` is not offered here
        → 3 tools/call now
        ← 3 error -32601 the method `tools/call` is not offered here
        "#,
    );
    on(Server::new("silent")).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/list
        ← 1 error -32601 …
        → 2 ping
        ← 2 {}
        "#,
    );
}

// rows: VER-4, VER-1
#[test]
fn a_modern_only_server_says_so() {
    let server = || tools::server().protocol_versions([ProtocolVersion::LATEST]);
    on(server()).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":0,"error":{"code":-32022,"message":"the protocol version `2025-11-25` is not served here","data":{"supported":["2026-07-28"],"requested":"2025-11-25"}}}
        → {"jsonrpc":"2.0","id":1,"method":"initialize"}
        ← 1 error -32602 `params._meta` must name the protocol version of the request: 2026-07-28
        → {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        ← 2 error -32602 `params._meta` must name the protocol version of the request: 2026-07-28
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"now","_meta":META}}
        ← 3 text noon
        "#,
    );
}

// rows: VER-1, ERA-2
#[test]
fn a_legacy_only_server_answers_a_probe_with_an_error_and_goes_on() {
    let legacy = [ProtocolVersion::V2025_06_18, ProtocolVersion::V2025_11_25];
    on(tools::server().protocol_versions(legacy)).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":META}}
        ← 1 error -32601 the method `server/discover` is not offered here
        → {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← 2 {"protocolVersion":"2025-11-25"}
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"now"}}
        ← {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"noon"}]}}
        "#,
    );
    on(tools::server().protocol_versions(legacy)).check_bare(
        r#"
        → {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← 2 {"protocolVersion":"2025-11-25"}
        "#,
    );
}

// rows: ERA-1, ERA-3, ERA-8
#[test]
fn both_eras_are_served_on_one_pipe_at_once() {
    check_bare(
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":META}}
        ← 1 {"supportedVersions":["2026-07-28"],"resultType":"complete"}
        → {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"old","version":"1"}}}
        ← {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"scenario","version":"1.2.3"}}}
        → {"jsonrpc":"2.0","method":"notifications/initialized"}
        → {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"whoami"}}
        ← {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"3 old 2025-06-18 elicitation=true null null"}]}}
        → {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"whoami","_meta":META}}
        ← {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"4 nobody 2026-07-28 elicitation=false null null"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → {"jsonrpc":"2.0","id":5,"method":"server/discover","params":{"_meta":META}}
        ← 5 {"supportedVersions":["2026-07-28"],"resultType":"complete"}
        → {"jsonrpc":"2.0","id":6,"method":"server/discover"}
        ← 6 error -32601 …
        → {"jsonrpc":"2.0","id":7,"method":"ping"}
        ← {"jsonrpc":"2.0","id":7,"result":{}}
        → {"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":META}}
        ← 8 error -32601 …
        "#,
    );
}

// rows: ERA-7, LIFE-5
#[test]
fn before_a_handshake_a_request_without_a_version_is_refused_and_runs_nothing() {
    check_bare(
        r#"
        → 1 tools/list
        ← 1 error -32602 send `initialize` first, or name the protocol version of the request in `params._meta`
        → 2 tools/call write
        ← 2 error -32602 …
        → 3 x/y
        ← 3 error -32602 …
        → 4 server/discover
        ← 4 error -32602 …
        → {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"written","_meta":META}}
        ← 5 text false
        "#,
    );
}

// rows: LIFE-4, LIFE-5, LEG-1
#[test]
fn ping_may_be_the_first_line_and_odd_orders_are_forgiven() {
    check_bare(
        r#"
        → {"jsonrpc":"2.0","method":"notifications/initialized"}
        → {"jsonrpc":"2.0","id":1,"method":"ping"}
        ← {"jsonrpc":"2.0","id":1,"result":{}}
        → {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← 2 {"protocolVersion":"2025-11-25"}
        → {"jsonrpc":"2.0","id":3,"method":"ping"}
        ← {"jsonrpc":"2.0","id":3,"result":{}}
        → {"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":"info"}}
        ← 5 error -32601 …
        → {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"now"}}
        ← 6 text noon
        → {"jsonrpc":"2.0","method":"notifications/initialized"}
        → {"jsonrpc":"2.0","method":"notifications/initialized"}
        → {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"now"}}
        ← 7 text noon
        "#,
    );
}

// rows: LIFE-2, ERA-9, VER-3
#[test]
fn the_handshake_agrees_on_the_version_asked_for_or_the_newest_with_a_handshake() {
    let asked = LEGACY.map(|version| (version, version));
    let others = ["2099-01-01", "2026-07-28", "", "DRAFT-2026-v1", "2025-11-25 "].map(|asked| (asked, "2025-11-25"));
    for (asked, agreed) in asked.into_iter().chain(others) {
        check_bare(&format!(
            r#"
            → {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{asked}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}
            ← {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{agreed}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"scenario","version":"1.2.3"}}}}}}
            "#
        ));
    }
}

// rows: LIFE-2, ERR-4
#[test]
fn a_handshake_that_makes_no_sense_is_refused_and_can_be_tried_again() {
    check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"`params.protocolVersion` is missing: a string"}}
        → {"jsonrpc":"2.0","id":1,"method":"initialize"}
        ← 1 error -32602 `params.protocolVersion` is missing: a string
        → {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":20251125,"capabilities":{}}}
        ← 2 error -32602 `params.protocolVersion` must be a string
        → {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":[]}}
        ← 3 error -32602 `params.capabilities` must be an object
        → {"jsonrpc":"2.0","id":4,"method":"tools/list"}
        ← 4 error -32602 …
        → {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← 5 {"protocolVersion":"2025-11-25"}
        "#,
    );
}

// rows: LIFE-6, LIFE-7
#[test]
fn what_the_handshake_said_holds_for_the_whole_session() {
    check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{"form":{},"url":{}},"tasks":{},"experimental":{"x":{}}},"clientInfo":{"name":"old","title":"Old","version":"1"}}}
        ← 0 {"protocolVersion":"2025-03-26","capabilities":{"tools":{}}}
        → {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}
        ← 1 text 1 old 2025-03-26 elicitation=true null null
        → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami","_meta":{"com.example/x":"y"}}}
        ← 2 text 2 old 2025-03-26 elicitation=true "y" null
        "#,
    );
}

// rows: LIFE-8
#[test]
fn a_second_handshake_is_refused_and_changes_nothing() {
    check_legacy(
        "2025-06-18",
        r#"
        → {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the connection is initialized already"}}
        → {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"whoami"}}
        ← 2 text 2 test 2025-06-18 elicitation=false null null
        "#,
    );
}

// rows: EXT-4, EXT-5, LIFE-7
#[test]
fn extensions_are_off_and_those_of_the_client_do_no_harm() {
    check(
        r#"
        → 1 server/discover meta {"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}
        ← {"jsonrpc":"2.0","id":1,"result":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        "#,
    );
    check_bare(
        r#"
        → {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":[]}}},"clientInfo":{"name":"t","version":"1"}}}
        ← {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"scenario","version":"1.2.3"}}}
        "#,
    );
}

// Lines

// rows: STDIO-2, STDIO-7, STDIO-14
#[test]
fn line_ends_marks_and_blank_lines_of_all_kinds_are_read() {
    check_bare(
        r#"
        → line not json
        → bytes "\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}\n"
        → bytes "\n\r\n   \n\t\r\n"
        → bytes "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r\n"
        → {"jsonrpc":"2.0","id":2,"method":"ping"} {"x":1}
        → {"jsonrpc":"2.0","id":3,"method":"ping"}
        → bytes "  {\"jsonrpc\" : \"2.0\" ,\t\"id\" : 4 , \"method\" : \"ping\" }  \n"
        → bytes "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"
        → end
        ← error -32700 not JSON: …
        ← 0 {"protocolVersion":"2025-11-25"}
        ← {"jsonrpc":"2.0","id":1,"result":{}}
        ← error -32700 not JSON: trailing characters …
        ← {"jsonrpc":"2.0","id":3,"result":{}}
        ← {"jsonrpc":"2.0","id":4,"result":{}}
        ← {"jsonrpc":"2.0","id":5,"result":{}}
        "#,
    );
}

// rows: STDIO-1, BASE-1
#[test]
fn line_ends_inside_of_texts_stay_inside_of_their_line() {
    check(
        r#"
        → {"jsonrpc":"2.0","id":"a\nb","method":"tools/call","params":{"name":"echo","arguments":{"text":"1\r\n2\u2028\u0085\u0000 \ud83d\ude00"},"_meta":META}}
        ← "a\nb" text "1\r\n2\u2028\u0085\u0000 😀"
        "#,
    );
}

// rows: STDIO-2, STDIO-7
#[test]
fn a_message_that_is_too_long_or_too_deep_is_refused_with_its_limit() {
    let long = format!(r#"→ 1 tools/call echo {{"text":"{}"}}"#, "x".repeat(2000));
    on(tools::server().max_message_size(1000)).check(&format!(
        r#"
        {long}
        ← error -32600 the message is longer than the limit of 1000 bytes
        → 2 tools/call now
        ← 2 text noon
        "#
    ));
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    check(&format!(
        r#"
        → line {}
        ← error -32600 the message is nested deeper than the limit of 127
        → line {}
        ← error -32600 …
        → {{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"now","_meta":META,"zzz":{}}}}}
        ← 1 text noon
        → 2 tools/call echo {{"text":"[[[[[[[[[[{{{{{{{{"}}
        ← 2 text [[[[[[[[[[{{{{{{{{
        "#,
        deep(200),
        deep(100_000),
        deep(120),
    ));
    on(tools::server().max_depth(6)).check(
        r#"
        → 1 tools/call now params {"zzz":[[[[[[]]]]]]}
        ← error -32600 the message is nested deeper than the limit of 6
        → 2 tools/call now
        ← 2 text noon
        "#,
    );
}

// rows: STDIO-6
#[test]
fn a_slow_call_holds_nobody_up() {
    check(
        r#"
        → 1 tools/call sleep {"ms":100}
        → 2 tools/call sleep {"ms":50}
        → 3 tools/call now
        → 4 tools/list
        ← 3 text noon
        ← 4 {"resultType":"complete"}
        then
        at 0 ms
        ← 2 text slept 50 ms
        then
        at 50 ms
        ← 1 text slept 100 ms
        then
        at 100 ms
        "#,
    );
}

// rows: STDIO-11
#[test]
fn what_was_read_before_the_end_of_the_input_is_answered() {
    check(
        r#"
        → 1 tools/call sleep {"ms":200}
        → 2 tools/call count {"n":2,"ms":100} token 7
        → 3 tools/call now
        → end
        ← 3 text noon
        ← progress 7 1/2
        ← progress 7 2/2
        ← 2 text 2
        ← 1 text slept 200 ms
        then
        at 205 ms
        "#,
    );
    check_bare("→ end");
}

// rows: STDIO-11
#[test]
fn a_call_that_never_ends_holds_the_end_up_for_the_drain_time_only() {
    on(tools::server().drain_timeout(std::time::Duration::from_millis(300))).check(
        r#"
        → 1 tools/call hang token 1
        → 2 tools/call now
        ← progress 1 1
        ← 2 text noon
        → end
        ← 1 error -32603 the server is shutting down
        then
        at 300 ms
        "#,
    );
}

// rows: TOOL-20
#[test]
fn a_call_beyond_the_limit_of_running_ones_is_refused() {
    on(tools::server().max_in_flight(2)).check(
        r#"
        → 1 tools/call sleep {"ms":100}
        → 2 tools/call sleep {"ms":200}
        wait 1 ms
        → 3 tools/call sleep {"ms":5}
        ← 3 error -32603 2 calls are running, which is the limit: try again later
        then
        → 4 tools/list
        ← 4 {"resultType":"complete"}
        then
        ← 1 text slept 100 ms
        then
        → 5 tools/call now
        ← 5 text noon
        then
        ← 2 text slept 200 ms
        "#,
    );
}

// Revisions with a handshake

// rows: LEG-2
#[test]
fn batches_are_part_of_one_revision() {
    check_legacy(
        "2025-03-26",
        r#"
        → [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9}},{"jsonrpc":"2.0","id":2,"method":"ping"}]
        ← [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]
        → []
        ← {"jsonrpc":"2.0","error":{"code":-32600,"message":"an empty array is no message"}}
        → line 5
        ← error -32600 a message is a JSON object
        → [{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":9,"result":{}}]
        silence 100 ms
        → [1,{"jsonrpc":"2.0","id":3},{"jsonrpc":"2.0","id":4,"method":"x/y"}]
        ← [{"jsonrpc":"2.0","error":{"code":-32600,"message":"a message is a JSON object"}},{"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"`method` is missing"}},{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"the method `x/y` is not offered here"}}]
        → [{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}]
        ← [{"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"`initialize` can't be part of a batch"}}]
        → [{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":30}}},{"jsonrpc":"2.0","id":7,"method":"ping"}]
        → {"jsonrpc":"2.0","id":8,"method":"ping"}
        ← {"jsonrpc":"2.0","id":8,"result":{}}
        then
        ← [{"jsonrpc":"2.0","id":7,"result":{}},{"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"slept 30 ms"}]}}]
        "#,
    );
}

// rows: LEG-2, CANC-3, PROG-3
#[test]
fn calls_of_a_batch_report_and_can_be_cancelled() {
    check_legacy(
        "2025-03-26",
        r#"
        → [{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hang"}},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"count","arguments":{"n":1,"ms":10},"_meta":{"progressToken":"p"}}}]
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":1}}
        silence 100 ms
        → cancelled 1
        ← [{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"1"}]}}]
        → [{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hang"}}]
        wait 1 ms
        → cancelled 3
        silence 100 ms
        → 4 tools/call dropped
        ← 4 text 4
        "#,
    );
}

// rows: LEG-2, TOOL-20
#[test]
fn a_call_of_a_batch_that_is_ready_at_once_takes_no_place_among_those_that_run() {
    on(tools::server().max_in_flight(2)).check_legacy(
        "2025-03-26",
        r#"
        → 1 tools/call hang
        wait 1 ms
        → [{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"now"}},{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"now"}}]
        ← [{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"noon"}]}},{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"noon"}]}}]
        → cancelled 1
        "#,
    );
}

// rows: LEG-12, LEG-13, LEG-14, CONT-1, CONT-2, CONT-3, CONT-4
#[test]
fn each_revision_gets_the_content_that_it_knows() {
    let full = r#"{"audience":["user","assistant"],"priority":0.5,"lastModified":"2026-07-28T12:00:00Z"}"#;
    let plain = r#"{"audience":["user","assistant"],"priority":0.5}"#;
    let meta = r#","_meta":{"com.example/k":1}"#;
    let content = |annotations: &str, meta: &str, audio: &str, link: &str| {
        format!(
            r#"[{{"type":"text","text":"words","annotations":{annotations}{meta}}},{{"type":"image","data":"aW1hZ2U=","mimeType":"image/png","annotations":{annotations}}},{audio},{link},{{"type":"resource","resource":{{"uri":"shop://orders/A17","mimeType":"text/plain","text":"two lines\nof text"{meta}}},"annotations":{annotations}{meta}}},{{"type":"resource","resource":{{"uri":"shop://orders/A17.pdf","blob":"cGRm"}}}}]"#
        )
    };
    let audio = |meta: &str| format!(r#"{{"type":"audio","data":"c291bmQ=","mimeType":"audio/wav"{meta}}}"#);
    let link = |icons: &str| {
        format!(
            r#"{{"type":"resource_link","uri":"shop://orders/A17","name":"A17","title":"Order","description":"an order","mimeType":"text/plain","size":17{icons},"annotations":{full}{meta}}}"#
        )
    };
    let icons =
        r#","icons":[{"src":"https://shop.example/icon.png","mimeType":"image/png","sizes":["48x48"],"theme":"dark"}]"#;
    let words = format!(r#"{{"type":"text","text":"A17: shop://orders/A17 (an order)","annotations":{plain}}}"#);
    let sound = r#"{"type":"resource","resource":{"uri":"content:audio","mimeType":"audio/wav","blob":"c291bmQ="}}"#;
    let known = [
        ("2024-11-05", content(plain, "", sound, &words), ""),
        ("2025-03-26", content(plain, "", &audio(""), &words), ""),
        ("2025-06-18", content(full, meta, &audio(meta), &link("")), meta),
        ("2025-11-25", content(full, meta, &audio(meta), &link(icons)), meta),
    ];
    for (version, content, meta) in known {
        check_legacy(
            version,
            &format!(
                r#"
                → 1 tools/call blocks
                ← {{"jsonrpc":"2.0","id":1,"result":{{"content":{content}{meta}}}}}
                "#
            ),
        );
    }
    check(&format!("→ 1 tools/call blocks\n← 1 {{\"content\":{}}}", content(full, meta, &audio(meta), &link(icons))));
}

// rows: LEG-12, LEG-13, LEG-14, LEG-15, TOOL-4, TOOL-7, TOOL-9, ICON-1
#[test]
fn each_revision_gets_the_tools_that_it_knows() {
    let input = r#""inputSchema":{"type":"object","properties":{},"additionalProperties":false}"#;
    let output = r#","outputSchema":{"type":"array","items":{"type":"integer","minimum":0,"maximum":255}}"#;
    let hints =
        r#","annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#;
    let icons = r#","icons":[{"src":"https://shop.example/icon.png","mimeType":"image/png","sizes":["48x48","any"],"theme":"light"}]"#;
    let title = r#""title":"A title","#;
    let known = [
        ("2024-11-05", "", "", ""),
        ("2025-03-26", "", hints, ""),
        ("2025-06-18", title, hints, ""),
        ("2025-11-25", title, hints, icons),
    ];
    for (version, title, hints, icons) in known {
        on(Server::new("s").tool(tools::detailed())).check_legacy(
            version,
            &format!(
                r#"
                → 1 tools/list
                ← {{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"detailed",{title}"description":"A description.",{input}{hints}{icons}}}]}}}}
                → 2 tools/call detailed
                ← {{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":"[1,2,3]"}}]}}}}
                "#
            ),
        );
    }
    on(Server::new("s").tool(tools::detailed())).check(&format!(
        r#"
        → 1 tools/list
        ← {{"jsonrpc":"2.0","id":1,"result":{{"tools":[{{"name":"detailed",{title}"description":"A description.",{input}{output}{hints}{icons}}}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"s","version":"0.0.0"}}}}}}}}
        "#
    ));
}

// rows: LEG-13, LEG-14, LIFE-2, ICON-1
#[test]
fn each_revision_gets_what_it_knows_of_the_server_itself() {
    let server = || {
        Server::new("shop").version("2").title("Shop").description("Sells.").website_url("https://shop.example").icon(
            mcp_server::protocol::Icon {
                src: "https://shop.example/icon.png".into(),
                mime_type: None,
                sizes: vec![],
                theme: None,
            },
        )
    };
    let all = r#"{"name":"shop","version":"2","title":"Shop","description":"Sells.","websiteUrl":"https://shop.example","icons":[{"src":"https://shop.example/icon.png"}]}"#;
    let known = [
        ("2024-11-05", r#"{"name":"shop","version":"2"}"#),
        ("2025-03-26", r#"{"name":"shop","version":"2"}"#),
        ("2025-06-18", r#"{"name":"shop","version":"2","title":"Shop"}"#),
        ("2025-11-25", all),
    ];
    for (version, info) in known {
        on(server()).check_bare(&format!(
            r#"
            → {{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{}},"clientInfo":{{"name":"t","version":"1"}}}}}}
            ← {{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":"{version}","capabilities":{{}},"serverInfo":{info}}}}}
            "#
        ));
    }
    on(server())
        .check(&format!("→ 1 server/discover\n← 1 {{\"_meta\":{{\"io.modelcontextprotocol/serverInfo\":{all}}}}}"));
}

// rows: LEG-13, LEG-15, TOOL-9, TOOL-14, TOOL-16, TOOL-17
#[test]
fn structured_results_in_each_revision() {
    let structured = |version: &str| match version {
        "2025-06-18" | "2025-11-25" => r#","structuredContent":{"cents":1999}"#,
        _ => "",
    };
    for version in LEGACY {
        let price = structured(version);
        check_legacy(
            version,
            &format!(
                r#"
                → 1 tools/call price {{"sku":"A17"}}
                ← {{"jsonrpc":"2.0","id":1,"result":{{"content":[{{"type":"text","text":"{{\"cents\":1999}}"}}]{price}}}}}
                → 2 tools/call users
                ← {{"jsonrpc":"2.0","id":2,"result":{{"content":[{{"type":"text","text":"[{{\"name\":\"Ada\"}},{{\"name\":\"Grace\"}}]"}}]}}}}
                → 3 tools/call total
                ← {{"jsonrpc":"2.0","id":3,"result":{{"content":[{{"type":"text","text":"2"}}]}}}}
                → 4 tools/call nobody
                ← {{"jsonrpc":"2.0","id":4,"result":{{"content":[{{"type":"text","text":"null"}}]}}}}
                "#
            ),
        );
        let list = legacy(version, tools::server(), &[json!({ "method": "tools/list" })]);
        let with_output: Vec<&str> = list[0]["result"]["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| tool.get("outputSchema").is_some())
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(with_output, if price.is_empty() { vec![] } else { vec!["pairs", "price"] }, "{version}");
    }
    check(
        r#"
        → 1 tools/call price {"sku":"A17"}
        ← 1 {"content":[{"type":"text","text":"{\"cents\":1999}"}],"structuredContent":{"cents":1999}}
        → 2 tools/call users
        ← 2 {"content":[{"type":"text","text":"[{\"name\":\"Ada\"},{\"name\":\"Grace\"}]"}],"structuredContent":[{"name":"Ada"},{"name":"Grace"}]}
        → 3 tools/call total
        ← 3 {"content":[{"type":"text","text":"2"}],"structuredContent":2}
        → 4 tools/call nobody
        ← 4 {"content":[{"type":"text","text":"null"}],"structuredContent":null}
        "#,
    );
    let tools = support::result(tools::server(), "tools/list", &json!({}))["tools"].clone();
    let output = |name: &str| {
        tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap()["outputSchema"].clone()
    };
    assert_eq!(output("users")["type"], "array");
    assert_eq!(output("total"), json!({ "type": "integer" }));
    assert_eq!(output("price")["type"], "object");
    assert_eq!(output("now"), Value::Null);
}

// rows: TOOL-14, TOOL-19
#[test]
fn a_failure_of_a_tool_with_an_output_schema_has_its_own_text_and_no_structure() {
    let scenario = r#"
        → 1 tools/call price {"sku":"?"}
        ← 1 failed no such sku
    "#;
    check(scenario);
    for version in LEGACY {
        check_legacy(
            version,
            r#"
            → 1 tools/call price {"sku":"?"}
            ← {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"no such sku"}],"isError":true}}
            "#,
        );
    }
}

// rows: LEG-16, TOOL-19, TOOL-20, BASE-12
#[test]
fn wrong_arguments_are_told_to_the_model_in_every_revision() {
    let scenario = r#"
        → 1 tools/call add {"a":"2","b":3}
        ← 1 failed a: expected an integer, got the string "2"
        → 2 tools/call add {"a":2}
        ← 2 failed b: missing, expected an integer
        → 3 tools/call save {"item":"{\"x\":1}"}
        ← 3 failed item: expected an object, got the string "{\"x\":1}"
        → 4 tools/call add {"a":3.0,"b":3}
        ← 4 text 6
        → 5 tools/call find {"text":"a","pgae":2}
        ← 5 failed pgae: unknown argument; did you mean `page`? the arguments are `text`, `page`, `tag`, `near`
        → 6 tools/call find {"text":7,"page":-1,"near":{"x":1,"y":"2"},"tga":"x"}
        ← 6 failed "text: expected a string, got the number 7\npage: expected at least 0, got -1\nnear.y: expected an integer, got the string \"2\"\ntga: unknown argument; did you mean `tag`? the arguments are `text`, `page`, `tag`, `near`"
        → 7 tools/call find {"text":"a"} meta {"progressToken":1,"com.example/x":{"y":1}} params {"task":{"ttl":1},"future":true}
        ← 7 text a None None None
        → 8 tools/call find {"text":"a","page":2,"tag":"t","near":{"x":1,"y":-2}}
        ← 8 text a Some(2) Some("t") Some((1, -2))
    "#;
    check(scenario);
    for version in LEGACY {
        check_legacy(version, scenario);
    }
}

// Progress

// rows: PROG-2, PROG-3, PROG-4, STDIO-5
#[test]
fn reports_come_in_order_before_their_response() {
    check(
        r#"
        → 1 tools/call count {"n":3} token "p"
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"total":3}}
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"total":3}}
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":3,"total":3}}
        ← 1 text 3
        → 2 tools/call count_sync {"n":2} token 2
        ← progress 2 1/2 1 of 2
        ← progress 2 2/2 2 of 2
        ← 2 text 2
        → 3 tools/call bar {} token 3
        ← progress 3 1/3 one
        ← progress 3 3/3 all
        ← 3 {"content":[]}
        "#,
    );
}

// rows: PROG-2, PROG-4
#[test]
fn a_queue_without_room_loses_and_reorders_nothing() {
    let reports: String = (1..=200).map(|at| format!("← progress 1 {at}/200\n")).collect();
    on(tools::server().queue_size(1)).check(&format!(
        r#"
        → 1 tools/call count {{"n":200}} token 1
        → 2 tools/call now
        → 3 tools/list
        {reports}
        ← 1 text 200
        ← 2 text noon
        ← 3 {{"resultType":"complete"}}
        "#
    ));
}

// rows: PROG-3
#[test]
fn without_a_token_there_are_no_reports() {
    check(
        r#"
        → 1 tools/call count {"n":3}
        ← 1 text 3
        → 2 tools/call count {"n":3} meta {"progressToken":null}
        ← 2 text 3
        → 3 tools/list token "p"
        ← 3 {"resultType":"complete"}
        "#,
    );
}

// rows: PROG-3
#[test]
fn a_token_comes_back_as_it_was_sent() {
    for token in ["0", "\"\"", "-3", "7", "\"7\"", "9007199254740993", "18446744073709551615", "\"a\\nb\\\"\""] {
        let token_as_sent = |at: u32| {
            format!(
                "← {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{at},\"total\":2}}}}"
            )
        };
        check(&format!(
            "→ 0 tools/call count {{\"n\":2}} token {token}\n{}\n{}\n← 0 text 2",
            token_as_sent(1),
            token_as_sent(2)
        ));
    }
}

// rows: PROG-3
#[test]
fn reports_of_two_calls_never_mix() {
    check(
        r#"
        → 1 tools/call count {"n":3,"ms":20} token 7
        → 2 tools/call count {"n":3,"ms":30} token "7"
        ← progress 7 1/3
        ← progress 7 2/3
        ← progress 7 3/3
        ← 1 text 3
        ← progress "7" 1/3
        ← progress "7" 2/3
        ← progress "7" 3/3
        ← 2 text 3
        "#,
    );
}

// rows: PROG-4
#[test]
fn reports_that_do_not_grow_never_leave_and_the_tool_is_told() {
    check(
        r#"
        → 1 tools/call backwards {} token 1
        ← progress 1 5.0
        ← progress 1 6.0
        ← 1 text ok; progress must grow: 5 was reported after 5; progress must grow: 3 was reported after 5; progress must be a finite number; progress must be a finite number; ok
        → 2 tools/call backwards
        ← 2 text ok; progress must grow: 5 was reported after 5; progress must grow: 3 was reported after 5; progress must be a finite number; progress must be a finite number; ok
        "#,
    );
}

// rows: PROG-2, PROG-4, PROG-7
#[test]
fn a_report_of_zero_goes_out_and_fractions_and_texts_are_kept() {
    check(
        r#"
        → 1 tools/call fractions {} token 1
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0,"total":1}}
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.25,"total":1.0,"message":"a quarter"}}
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":0.5,"message":"line\nbreak \"quoted\""}}
        ← 1 {"content":[]}
        "#,
    );
}

// rows: PROG-5
#[test]
fn a_report_after_the_response_is_never_written() {
    check(
        r#"
        → 1 tools/call early {} token "p"
        ← progress "p" 1
        ← 1 text done
        silence 200 ms
        → 2 tools/call late
        ← 2 text Some(Err(Finished))
        "#,
    );
}

// rows: PROG-5, CANC-3
#[test]
fn a_report_after_a_cancellation_is_never_written() {
    check(
        r#"
        → 1 tools/call count {"n":100,"ms":10} token "p"
        ← progress "p" 1/100
        ← progress "p" 2/100
        → cancelled 1
        silence 2000 ms
        "#,
    );
}

// rows: PROG-7
#[test]
fn reports_can_be_thinned_and_the_last_one_always_goes_out() {
    let server = || tools::server().progress_interval(std::time::Duration::from_millis(100));
    on(server()).check(
        r#"
        → 1 tools/call count {"n":1000,"ms":1} token 1
        ← progress 1 1/1000
        → 2 tools/call count {"n":10000} token 2
        ← progress 2 1/10000
        ← progress 2 10000/10000
        ← 2 text 10000
        silence 1 ms
        → cancelled 1
        "#,
    );
}

// rows: PROG-2
#[test]
fn a_response_waits_a_little_after_the_last_report_of_its_own_call_only() {
    check(
        r#"
        → 1 tools/call count {"n":1} token 1
        → 2 tools/call now
        ← progress 1 1/1
        ← 2 text noon
        then
        at 0 ms
        ← 1 text 1
        then
        at 5 ms
        "#,
    );
    on(tools::server().progress_settle(std::time::Duration::ZERO)).check(
        r#"
        → 1 tools/call count {"n":1} token 1
        ← progress 1 1/1
        ← 1 text 1
        then
        at 0 ms
        "#,
    );
}

// rows: LEG-12
#[test]
fn the_oldest_revision_gets_reports_without_a_message() {
    check_legacy(
        "2024-11-05",
        r#"
        → 1 tools/call bar {} token 1
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"total":3}}
        ← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":3,"total":3}}
        ← 1 {"content":[]}
        "#,
    );
}

// Cancellation

// rows: CANC-3, STDIO-9
#[test]
fn a_cancelled_request_is_never_answered() {
    check(
        "
        → 1 tools/call sleep {}
        → cancelled 1
        → 2 tools/call nope {}
        ← 2 error -32602 no tool is named `nope`
        ",
    );
}

// rows: CANC-3, CANC-4, CANC-5, PROG-5
#[test]
fn odd_cancellations_are_ignored() {
    check(
        r#"
        → 7 tools/call sleep {"ms":400} token "p"
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"user"}}
        → cancelled 12345
        → cancelled 7
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
        → {"jsonrpc":"2.0","method":"notifications/cancelled"}
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":[7]}
        → cancelled {}
        → cancelled null
        → 8 tools/call now
        ← 8 text noon
        silence 1000 ms
        → cancelled 8
        → 8 tools/call now
        ← 8 text noon
        "#,
    );
}

// rows: CANC-3
#[test]
fn a_cancelled_tool_is_dropped_and_what_it_started_hears_of_it() {
    check(
        r#"
        → 1 tools/call hang token 1
        ← progress 1 1
        → 2 tools/call dropped
        ← 2 text 0
        → cancelled 1
        wait 1 ms
        → 3 tools/call dropped
        ← 3 text 2
        "#,
    );
}

// rows: CANC-3, PROG-5
#[test]
fn a_cancelled_tool_on_a_thread_can_ask_and_is_not_answered() {
    check(
        r#"
        → 1 tools/call hold token 1
        ← progress 1 1
        → 2 tools/call dropped
        ← 2 text 0
        → cancelled 1
        wait 1 ms
        → 3 tools/call dropped
        ← 3 text 1
        "#,
    );
}

// rows: CANC-3, CANC-5
#[test]
fn a_cancellation_names_its_request_by_type_too() {
    check(
        r#"
        → 1 tools/call sleep {"ms":10}
        → "2" tools/call sleep {"ms":20}
        → cancelled "1"
        → cancelled 2
        → {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":7}}
        ← 1 text slept 10 ms
        then
        ← "2" text slept 20 ms
        "#,
    );
}

// rows: CANC-5
#[test]
fn a_cancellation_at_any_moment_leaves_one_answer_or_none() {
    // The third report comes after 6 ms, and the response 5 ms later.
    for ms in (0..=9).chain([13, 14]) {
        let lines = support::block_on(async {
            let mut wire = support::Wire::serve(tools::server());
            let call = |id: u32| {
                json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
                    "name": "count", "arguments": { "n": 3, "ms": 2 },
                    "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                        "io.modelcontextprotocol/clientCapabilities": {}, "progressToken": id }
                } })
            };
            wire.send(format!("{}\n", call(1)).as_bytes()).await;
            tokio::time::sleep(std::time::Duration::from_millis(ms)).await;
            let cancelled =
                json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
            wire.send(format!("{cancelled}\n{}\n", call(2)).as_bytes()).await;
            wire.end().await;
            let mut lines: Vec<Value> = Vec::new();
            while let Some(line) = wire.line().await {
                lines.push(serde_json::from_str(&line).unwrap());
            }
            wire.ended().await.unwrap();
            lines
        });
        let answers = |id: u32| lines.iter().filter(|line| line["id"] == id).count();
        let reports = |id: u32| lines.iter().filter(|line| line["params"]["progressToken"] == id).count();
        assert_eq!((answers(2), reports(2)), (1, 3), "after {ms} ms: {lines:#?}");
        assert!(answers(1) == 0 || reports(1) == 3, "after {ms} ms: {lines:#?}");
        assert_eq!(answers(1), usize::from(ms > 9), "after {ms} ms: {lines:#?}");
    }
}

// rows: TOOL-19
#[test]
fn a_tool_that_takes_too_long_is_stopped_and_the_model_is_told() {
    check(
        r#"
        → 1 tools/call patient
        ← 1 failed `patient` took longer than 20ms and was stopped
        then
        at 20 ms
        "#,
    );
}

// Tools

// rows: TOOL-2, TOOL-3, TOOL-5
#[test]
fn the_list_is_the_same_in_every_connection_and_keeps_the_order() {
    let list = || {
        exchange(
            tools::server(),
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}\n",
        )
    };
    let first = list();
    assert_eq!(first.len(), 1);
    for _ in 0..5 {
        assert_eq!(list(), first);
    }
    let list: Value = serde_json::from_str(&first[0]).unwrap();
    let tools = list["result"]["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names[..5], ["echo", "add", "now", "whoami", "sleep"]);
    let different: std::collections::BTreeSet<&&str> = names.iter().collect();
    assert_eq!(different.len(), names.len());
    for name in names {
        assert!((1..=128).contains(&name.len()));
        assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)), "{name}");
    }
}

// rows: TOOL-5
#[test]
fn a_name_that_is_none_or_is_taken_shows_at_start_up() {
    fn named(name: &'static str) -> mcp_server::Tool {
        let mut tool = mcp_server::Tool::builder(name);
        let result = tool.returns::<()>();
        tool.handler(move |call| call.run(async {}, result))
    }
    let panic = |build: fn() -> Server| {
        let panic = std::panic::catch_unwind(|| drop(build())).expect_err("it should be refused");
        panic.downcast_ref::<String>().cloned().unwrap_or_default()
    };
    let twice = panic(|| Server::new("s").tool(named("x")).tool(named("x")));
    assert!(twice.starts_with("two tools are named `x`: one at "), "{twice}");
    assert_eq!(twice.matches("protocol.rs:").count(), 2, "{twice}");
    for wrong in [
        panic(|| Server::new("s").tool(named(""))),
        panic(|| Server::new("s").tool(named("a b"))),
        panic(|| Server::new("s").tool(named("é"))),
        panic(|| Server::new("s").tool(named(Box::leak("x".repeat(129).into_boxed_str())))),
    ] {
        assert!(wrong.contains("names are 1 to 128 characters"), "{wrong}");
    }
    let _ = Server::new("s").tool(named("A-z_0.9")).tool(named(Box::leak("x".repeat(128).into_boxed_str())));
}

// rows: TOOL-7, TOOL-12, TOOL-18
#[test]
fn a_tool_without_parameters_takes_no_arguments_in_any_form() {
    let scenario = r#"
        → 1 tools/call now
        ← 1 text noon
        → 2 tools/call now {}
        ← 2 text noon
        → 3 tools/call now params {"arguments":null}
        ← 3 text noon
        → 4 tools/call now {"x":1}
        ← 4 failed x: unknown argument; no arguments are allowed here
        → 5 tools/call echo
        ← 5 failed text: missing, expected a string
        → 6 tools/call echo params {"arguments":null}
        ← 6 failed text: missing, expected a string
    "#;
    check(scenario);
    check_legacy("2024-11-05", scenario);
    let tools = support::result(tools::server(), "tools/list", &json!({}))["tools"].clone();
    let empty = r#"{"type":"object","properties":{},"additionalProperties":false}"#;
    for name in ["now", "whoami", "write"] {
        let tool = tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["inputSchema"].to_string(), *json_text(empty), "{name}");
    }
}

/// A JSON text as this library's values print it, whatever order their members have.
fn json_text(text: &str) -> String {
    serde_json::from_str::<Value>(text).unwrap().to_string()
}

// rows: TOOL-4
#[test]
fn only_hints_that_the_author_gave_are_listed() {
    let tools = support::result(tools::server(), "tools/list", &json!({}))["tools"].clone();
    let hints = |name: &str| {
        tools.as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().get("annotations").cloned()
    };
    assert_eq!(hints("add"), Some(json!({ "readOnlyHint": true })));
    assert_eq!(hints("echo"), None);
}

// rows: TOOL-19
#[test]
fn a_failure_tells_what_is_behind_it() {
    check(
        r#"
        → 1 tools/call fail {"order":"x"}
        ← 1 failed could not read the order: invalid digit found in string
        → 2 tools/call fail {"order":"17"}
        ← 2 text 17
        "#,
    );
}

// Pages

// rows: PAGE-1, PAGE-2
#[test]
fn a_walk_through_the_pages_shows_each_tool_once() {
    let server = || {
        (0..250).fold(Server::new("many").page_size(100), |server, at| {
            let mut tool = mcp_server::Tool::builder(format!("tool{at}"));
            let result = tool.returns::<()>();
            server.tool(tool.handler(move |call| call.run(async {}, result)))
        })
    };
    let mut names = Vec::new();
    let mut cursor = json!({});
    for page in 0..3 {
        let list = support::result(server(), "tools/list", &cursor);
        let tools = list["tools"].as_array().unwrap();
        names.extend(tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()));
        assert_eq!(list.get("nextCursor").is_some(), page < 2);
        cursor = json!({ "cursor": list["nextCursor"] });
    }
    assert_eq!(names, (0..250).map(|at| format!("tool{at}")).collect::<Vec<_>>());
    on(server()).check_legacy(
        "2025-11-25",
        r#"
        → 4 tools/list {"cursor":"garbage"}
        ← 4 error -32602 `params.cursor` is none that this list gave out
        → 5 tools/list {"cursor":null}
        ← 5 {"nextCursor":"tools-1"}
        → 6 tools/list
        ← 6 {"nextCursor":"tools-1"}
        → 7 tools/list {"cursor":""}
        ← 7 error -32602 …
        → 8 tools/list {"cursor":"tools-3"}
        ← 8 error -32602 …
        → 9 tools/list {"cursor":"tools-99999999999999999999999"}
        ← 9 error -32602 …
        → 10 tools/list {"cursor":"tools-+1"}
        ← 10 error -32602 …
        → 11 tools/list {"cursor":"tools-01"}
        ← 11 error -32602 …
        "#,
    );
}

// The player of the scenarios

/// What `check` says of a scenario that does not go as it is written.
#[track_caller]
fn deviation(scenario: &'static str) -> String {
    let panic = std::panic::catch_unwind(|| check(scenario)).expect_err("the scenario should fail");
    let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
    text.lines().skip_while(|line| !line.starts_with('✗')).take_while(|line| !line.is_empty()).collect()
}

#[test]
fn a_scenario_fails_at_the_first_line_that_deviates() {
    let said = deviation("→ 1 tools/call now\n← 1 text midnight");
    assert!(said.starts_with("✗ ← 1 text midnight") && said.ends_with("the text is \"noon\""), "{said}");
    let said = deviation("→ 1 tools/call now\n← 1 failed noon");
    assert!(said.ends_with("`isError` should be true"), "{said}");
    let said = deviation("→ 1 tools/call nope\n← 1 error -32601 …");
    assert!(said.ends_with("the code is -32602"), "{said}");
    let said = deviation("→ 1 tools/list\n← 1 {\"tools\":[]}");
    assert!(said.contains("`result.tools` is "), "{said}");
    let said = deviation("→ 1 tools/call count {\"n\":2} token 1\n← progress 1 2/2\n← progress 1 1/2\n← 1 text 2");
    assert!(said.starts_with("✗ ← progress 1 2/2"), "{said}");
    let said = deviation("→ 1 tools/call count {\"n\":1} token 1\n← 1 text 1\n← progress 1 1/1");
    assert!(said.starts_with("✗ ← 1 text 1"), "{said}");
    let said = deviation("→ 1 tools/call now\n← {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    assert!(said.ends_with("differs from it"), "{said}");
}

#[test]
fn a_scenario_fails_when_too_much_or_too_little_comes() {
    let said = deviation("→ 1 tools/call now");
    assert!(said.starts_with("✗ nothing more was expected, but there came {"), "{said}");
    let said = deviation("→ 1 tools/call now\nsilence 5 ms");
    assert!(said.starts_with("✗ nothing was expected, but there came {"), "{said}");
    let said = deviation("→ 1 tools/call now\n← 1 text noon\n← 2 text noon");
    assert!(said.starts_with("✗ nothing came; expected were    ← 2 text noon"), "{said}");
    let said = deviation("→ 1 tools/call now\n→ end\n← 1 text noon\n← 2 text noon");
    assert!(said.starts_with("✗ the output has ended; expected were    ← 2 text noon"), "{said}");
    let said = deviation("→ 1 tools/call now\n← 2 text noon");
    assert!(said.starts_with("✗ came {") && said.ends_with("expected were    ← 2 text noon"), "{said}");
    let said = deviation("→ 1 tools/call sleep {\"ms\":20}\n← 1 text slept 20 ms\nthen\nat 5 ms");
    assert!(said.ends_with("have passed"), "{said}");
    let said =
        deviation("→ 1 tools/call sleep {\"ms\":20}\n→ 2 tools/call now\n← 1 text slept 20 ms\nthen\n← 2 text noon");
    assert!(said.starts_with("✗ came {"), "{said}");
}
