//! The examples as their hosts meet them: child processes, each with a session in both eras.

mod support;

use serde_json::json;
use support::on_example;

const HANDSHAKES: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

// rows: TOOL-16, TOOL-17, PROG-2
#[test]
fn weather_forecasts_with_progress_and_a_structured_result() {
    let session = r#"
        → 1 tools/call forecast {"city":"Oslo","days":2} token "p"
        ← progress "p" 1/2 day 1
        ← progress "p" 2/2 day 2
        ← 1 {"structuredContent":{"city":"Oslo","days":[{"day":1},{"day":2}]}}
        → 2 tools/call forecast {"city":"Oslo","days":11}
        ← 2 failed a forecast is for 1 to 10 days, not 11
        → 3 tools/call forecast {"city":"Oslo","unit":"kelvin"}
        ← 3 failed unit: expected one of "celsius", "fahrenheit", got the string "kelvin"
        → 4 prompts/get {"name":"talk_about_weather","arguments":{"city":"Oslo"}}
        ← 4 {"messages":[{"role":"user","content":{"type":"text","text":"Ask for the forecast of Oslo, and tell in one friendly sentence what to wear."}}]}
        → 5 completion/complete {"ref":{"type":"ref/prompt","name":"talk_about_weather"},"argument":{"name":"city","value":"be"}}
        ← 5 {"completion":{"values":["Bergen","Berlin"]}}
    "#;
    on_example("weather", &[]).check(session);
    for version in ["2025-06-18", "2025-11-25"] {
        on_example("weather", &[]).check_legacy(version, session);
    }
}

#[test]
fn notes_are_written_read_completed_and_watched() {
    on_example("notes", &[]).check(
        r#"
        → 1 subscriptions/listen {"notifications":{"resourceSubscriptions":["notes://all","notes://note/tea%20time"]}}
        ← told notifications/subscriptions/acknowledged {"notifications":{"resourceSubscriptions":["notes://all","notes://note/tea%20time"]}}
        → 2 tools/call write_note {"name":"tea time","text":"at five"}
        ← 2 text wrote `tea time`
        ← told notifications/resources/updated {"uri":"notes://all"}
        ← told notifications/resources/updated {"uri":"notes://note/tea%20time"}
        → 3 resources/read {"uri":"notes://note/tea%20time"}
        ← 3 {"contents":[{"uri":"notes://note/tea%20time","mimeType":"text/markdown","text":"at five"}]}
        → 4 resources/read {"uri":"notes://all"}
        ← 4 {"contents":[{"text":"tea time"}]}
        → 5 completion/complete {"ref":{"type":"ref/resource","uri":"notes://note/{name}"},"argument":{"name":"name","value":"te"}}
        ← 5 {"completion":{"values":["tea time"]}}
        → 6 prompts/get {"name":"sum_up","arguments":{"name":"tea time"}}
        ← 6 {"messages":[{"role":"user"},{"role":"user","content":{"type":"resource","resource":{"uri":"notes://note/tea%20time","text":"at five"}}}]}
        → 7 resources/read {"uri":"notes://note/..%2f..%2fetc%2fpasswd"}
        ← 7 error -32602 the variable `name` of `params.uri` is refused: …
        → 8 tools/call write_note {"name":"../x","text":"y"}
        ← 8 failed the name of a note has letters, digits, spaces, `-` and `_`
        → 9 tools/call delete_note {"name":"tea time"}
        ← 9 text deleted `tea time`
        ← told notifications/resources/updated {"uri":"notes://all"}
        ← told notifications/resources/updated {"uri":"notes://note/tea%20time"}
        → 10 resources/read {"uri":"notes://note/tea%20time"}
        ← 10 error -32602 there is no resource `notes://note/tea%20time`
        → end
        ← 1 {"resultType":"complete"}
        ← told notifications/cancelled {"requestId":1}
        "#,
    );
    for version in HANDSHAKES {
        on_example("notes", &[]).check_legacy(
            version,
            r#"
            → 1 tools/call write_note {"name":"tea","text":"at five"}
            ← 1 text wrote `tea`
            → 2 resources/subscribe {"uri":"notes://note/tea"}
            ← 2 {}
            → 3 tools/call write_note {"name":"tea","text":"at six"}
            ← 3 text wrote `tea`
            ← told notifications/resources/updated {"uri":"notes://note/tea"}
            → 4 resources/read {"uri":"notes://note/tea"}
            ← 4 {"contents":[{"text":"at six"}]}
            → 5 resources/read {"uri":"notes://note/coffee"}
            ← 5 error -32002 there is no resource `notes://note/coffee`
            "#,
        );
    }
}

#[test]
fn a_refund_asks_its_user_and_reserves_the_money_once() {
    let can_be_asked = json!({ "elicitation": { "form": {} } });
    let (reserved, released) = (r#"["reserve A17 1999"]"#, r#"["reserve A17 1999","release T1"]"#);
    for (answer, says, done) in [
        (
            r#"{"action":"accept","content":{"reason":"broken","note":"sorry","notify":true}}"#,
            "text T1: paid 1999 cents back (Broken), a mail: sorry",
            reserved,
        ),
        (
            r#"{"action":"accept","content":{"reason":"late"}}"#,
            "text T1: paid 1999 cents back (Late), no mail",
            reserved,
        ),
        (r#"{"action":"decline"}"#, "text T1: not paid back, the user declined", released),
        (r#"{"action":"cancel"}"#, "failed T1: the user gave no answer", released),
    ] {
        on_example("refund", &[]).with(can_be_asked.clone()).check(&format!(
            r#"
            → 1 tools/call refund {{"order_id":"A17"}}
            ← 1 asks {{"elicitation/create":{{"message":"Pay 19.99 back for order A17?"}}}}
            → 2 tools/call refund {{"order_id":"A17"}} answers {{"elicitation/create":{answer}}}
            ← 2 {says}
            → 3 tools/call transactions
            ← 3 {{"structuredContent":{done}}}
            "#
        ));
        for version in ["2025-06-18", "2025-11-25"] {
            on_example("refund", &[]).with(can_be_asked.clone()).check_legacy(
                version,
                &format!(
                    r#"
                    → 1 tools/call refund {{"order_id":"A17"}}
                    ← ask 1 elicitation/create {{"message":"Pay 19.99 back for order A17?"}}
                    → reply 1 {answer}
                    ← 1 {says}
                    → 2 tools/call transactions
                    ← 2 text {done}
                    "#
                ),
            );
        }
    }
    on_example("refund", &[]).with(can_be_asked.clone()).check_legacy(
        "2025-11-25",
        r#"
        → 1 tools/call refund {"order_id":"A17"}
        ← ask 1 elicitation/create
        → 2 tools/call refund {"order_id":"A17"}
        ← ask 2 elicitation/create
        → 3 tools/call refund {"order_id":"A17"}
        ← ask 3 elicitation/create
        → reply 1 {"action":"accept","content":{"reason":"late"}}
        ← 1 text T1: paid 1999 cents back (Late), no mail
        → reply 2 {"action":"accept","content":{"reason":"late"}}
        ← 2 failed it was paid back meanwhile
        → {"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"no"}}
        ← 3 failed the client did not answer: no (code -1)
        → 4 tools/call transactions
        ← 4 text ["reserve A17 1999","reserve A17 1999","reserve A17 1999","release T2","release T3"]
        "#,
    );
    on_example("refund", &[]).check(
        r#"
        → 1 tools/call refund {"order_id":"A17"}
        ← 1 error -32021 the client can't be asked: it did not declare the capability `elicitation`
        → 2 tools/call refund {"order_id":"Z99"}
        ← 2 failed nothing was paid for `Z99`: try `A17` or `B42`
        → 3 tools/call transactions
        ← 3 {"structuredContent":[]}
        "#,
    );
}

// rows: TOOL-8
#[test]
fn what_is_built_at_run_time_serves_like_the_rest() {
    let session = r#"
        → 1 tools/call convert_length {"value":2,"from":"ft","to":"m"}
        ← 1 {"structuredContent":{"value":0.6096,"unit":"m"}}
        → 2 tools/call convert_length {"value":2,"from":"ft","to":"yd"}
        ← 2 failed to: expected one of "m", "ft", "in", got the string "yd"
        → 3 tools/call count {"to":3} token 7
        ← progress 7 1/3
        ← progress 7 2/3
        ← progress 7 3/3
        ← 3 text counted to 3
        → 4 resources/read {"uri":"convert://units/length"}
        ← 4 {"contents":[{"text":"m, ft, in"}]}
        → 5 completion/complete {"ref":{"type":"ref/resource","uri":"convert://units/{quantity}"},"argument":{"name":"quantity","value":"w"}}
        ← 5 {"completion":{"values":["weight"]}}
        → 6 prompts/get {"name":"quiz","arguments":{"quantity":"length","questions":"2"}}
        ← 6 {"messages":[{"content":{"text":"Ask me 2 questions about units of length."}}]}
        → 7 prompts/get {"name":"quiz"}
        ← 7 error -32602 quantity: missing, expected a text
    "#;
    on_example("without_macros", &[]).check(session);
    on_example("without_macros", &[]).check_legacy("2025-11-25", session);
}

// rows: TOOL-6
#[test]
fn two_servers_are_one_by_the_names_that_they_were_mounted_with() {
    let session = r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"shop_order"},{"name":"warehouse_count"},{"name":"warehouse_deliver"}]}
        → 2 tools/call shop_order {"article":"tea","pieces":5}
        ← 2 text ordered 5 × tea
        → 3 tools/call warehouse_count {"article":"tea"}
        ← 3 text 7
        → 4 tools/call shop_order {"article":"tea","pieces":100}
        ← 4 error -32602 orders are for fewer than a hundred pieces
        → 5 resources/list
        ← 5 {"resources":[{"uri":"stock://warehouse/articles","name":"articles"}]}
        → 6 resources/read {"uri":"stock://warehouse/articles"}
        ← 6 {"contents":[{"uri":"stock://warehouse/articles","text":"{\"coffee\":3,\"tea\":7}"}]}
        → 7 resources/templates/list
        ← 7 {"resourceTemplates":[{"uriTemplate":"stock://warehouse/articles/{article}"}]}
        → 8 resources/read {"uri":"stock://warehouse/articles/tea"}
        ← 8 {"contents":[{"uri":"stock://warehouse/articles/tea","text":"7 pieces"}]}
        → 9 prompts/get {"name":"shop_advise","arguments":{"article":"tea"}}
        ← 9 {"messages":[{"content":{"text":"Is it a good idea to order tea today?"}}]}
        → 10 tools/call order {"article":"tea"}
        ← 10 error -32602 no tool is named `order`…
    "#;
    on_example("mounted", &[]).check(&format!(
        r#"{session}
        → 11 subscriptions/listen {{"notifications":{{"resourceSubscriptions":["stock://warehouse/articles"]}}}}
        ← told notifications/subscriptions/acknowledged
        → 12 tools/call warehouse_deliver {{"article":"tea","pieces":100}}
        ← 12 text 107
        ← told notifications/resources/updated {{"uri":"stock://warehouse/articles"}}
        → cancelled 11
        "#
    ));
    on_example("mounted", &[]).check_legacy(
        "2025-11-25",
        &format!(
            r#"{session}
            → 11 resources/subscribe {{"uri":"stock://warehouse/articles"}}
            ← 11 {{}}
            → 12 tools/call warehouse_deliver {{"article":"tea","pieces":100}}
            ← 12 text 107
            ← told notifications/resources/updated {{"uri":"stock://warehouse/articles"}}
            "#
        ),
    );
}
