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

/// The capabilities that the conformance suite declares.
fn of_the_suite() -> serde_json::Value {
    json!({ "sampling": {}, "elicitation": {}, "roots": { "listChanged": true } })
}

// rows: TOOL-6, CONT-1, RSC-3, PRMT-4, PROG-2
#[test]
fn the_fixtures_of_the_conformance_suite_give_what_it_reads() {
    let session = r#"
        → 1 tools/call test_simple_text
        ← 1 text This is a simple text response for testing.
        → 2 tools/call test_image_content {}
        ← 2 {"content":[{"type":"image","mimeType":"image/png"}]}
        → 4 tools/call test_embedded_resource {}
        ← 4 {"content":[{"type":"resource","resource":{"uri":"test://embedded-resource","mimeType":"text/plain","text":"This is an embedded resource content."}}]}
        → 5 tools/call test_multiple_content_types {}
        ← 5 {"content":[{"type":"text"},{"type":"image"},{"type":"resource","resource":{"uri":"test://mixed-content-resource","mimeType":"application/json","text":"{\"test\":\"data\",\"value\":123}"}}]}
        → 6 tools/call test_error_handling {}
        ← 6 failed This tool intentionally returns an error for testing
        → 7 tools/call test_tool_with_progress {} token "progress-test-1"
        ← progress "progress-test-1" 0/100 Completed step 0 of 100
        ← progress "progress-test-1" 50/100 Completed step 50 of 100
        ← progress "progress-test-1" 100/100 Completed step 100 of 100
        ← 7 text Tool with progress executed successfully
        → 8 tools/call test_x_mcp_header {"region":"us-west1"}
        ← 8 text Region: us-west1
        → 9 tools/call test_x_mcp_header {}
        ← 9 text Region: nowhere
        → 10 tools/call json_schema_2020_12_tool {"name":"Ada","contactMethod":"phone"}
        ← 10 failed …
        → 11 resources/list
        ← 11 {"resources":[{"uri":"test://static-text"},{"uri":"test://static-binary"},{"uri":"test://watched-resource"}]}
        → 12 resources/read {"uri":"test://static-text"}
        ← 12 {"contents":[{"uri":"test://static-text","mimeType":"text/plain","text":"This is the content of the static text resource."}]}
        → 13 resources/read {"uri":"test://static-binary"}
        ← 13 {"contents":[{"uri":"test://static-binary","mimeType":"image/png"}]}
        → 14 resources/read {"uri":"test://template/123/data"}
        ← 14 {"contents":[{"uri":"test://template/123/data","mimeType":"application/json","text":"{\"id\":\"123\",\"templateTest\":true,\"data\":\"Data for ID: 123\"}"}]}
        → 15 prompts/get {"name":"test_simple_prompt"}
        ← 15 {"messages":[{"role":"user","content":{"text":"This is a simple prompt for testing."}}]}
        → 16 prompts/get {"name":"test_prompt_with_arguments","arguments":{"arg1":"testValue1","arg2":"testValue2"}}
        ← 16 {"messages":[{"content":{"text":"Prompt with arguments: arg1='testValue1', arg2='testValue2'"}}]}
        → 17 prompts/get {"name":"test_prompt_with_embedded_resource","arguments":{"resourceUri":"test://example-resource"}}
        ← 17 {"messages":[{"role":"user","content":{"type":"resource","resource":{"uri":"test://example-resource","mimeType":"text/plain"}}},{"role":"user"}]}
        → 18 prompts/get {"name":"test_prompt_with_image"}
        ← 18 {"messages":[{"role":"user","content":{"type":"image","mimeType":"image/png"}},{"role":"user"}]}
        → 19 completion/complete {"ref":{"type":"ref/prompt","name":"test_prompt_with_arguments"},"argument":{"name":"arg1","value":"test"}}
        ← 19 {"completion":{"values":["testValue1","testValue2"]}}
    "#;
    on_example("conformance", &["stdio"]).check(session);
    for version in ["2025-06-18", "2025-11-25"] {
        on_example("conformance", &["stdio"]).check_legacy(version, session);
    }
    let audio = r#"
        → 1 tools/call test_audio_content {}
        ← 1 {"content":[{"type":"audio","mimeType":"audio/wav"}]}
    "#;
    on_example("conformance", &["stdio"]).check(audio);
    on_example("conformance", &["stdio"]).check_legacy("2025-11-25", audio);
}

// rows: LOG-4, LEG-6, ELIC-7, ELIC-8
#[test]
fn a_conformance_client_with_a_handshake_is_asked_over_the_wire() {
    on_example("conformance", &["stdio"]).with(json!({ "sampling": {}, "elicitation": {} })).check_legacy(
        "2025-11-25",
        r#"
        → 1 logging/setLevel {"level":"debug"}
        ← {"jsonrpc":"2.0","id":1,"result":{}}
        then
        → 2 tools/call test_tool_with_logging {}
        ← told notifications/message {"level":"info","data":"Tool execution started"}
        ← told notifications/message {"level":"info","data":"Tool processing data"}
        ← told notifications/message {"level":"info","data":"Tool execution completed"}
        ← 2 text Tool with logging executed successfully
        → 3 tools/call test_sampling {"prompt":"What is 2+2?"}
        ← ask 1 sampling/createMessage {"messages":[{"role":"user","content":{"type":"text","text":"What is 2+2?"}}],"maxTokens":100}
        → reply 1 {"role":"assistant","content":{"type":"text","text":"4"},"model":"test-model"}
        ← 3 text LLM response: 4
        → 4 tools/call test_elicitation {"message":"Who are you?"}
        ← ask 2 elicitation/create {"message":"Who are you?","requestedSchema":{"type":"object","properties":{"username":{"type":"string"},"email":{"type":"string"}},"required":["username","email"]}}
        → reply 2 {"action":"accept","content":{"username":"ada","email":"ada@example.com"}}
        ← 4 text User response: action=accept, content={"username":"ada","email":"ada@example.com"}
        → 5 tools/call test_elicitation_sep1034_defaults {}
        ← ask 3 elicitation/create {"requestedSchema":{"properties":{"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},"score":{"type":"number","default":95.5},"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},"verified":{"type":"boolean","default":true}}}}
        → reply 3 {"action":"decline"}
        ← 5 text Elicitation completed: action=decline, content={}
        → 6 tools/call test_elicitation_sep1330_enums {}
        ← ask 4 elicitation/create {"requestedSchema":{"properties":{"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]}}}}}
        → reply 4 {"action":"accept","content":{"untitledSingle":"option1","titledSingle":"value2","legacyEnum":"opt3","untitledMulti":["option1"],"titledMulti":["value1","value3"]}}
        ← 6 text Elicitation completed: action=accept, content={"untitledSingle":"option1","titledSingle":"value2","legacyEnum":"opt3","untitledMulti":["option1"],"titledMulti":["value1","value3"]}
        → 7 resources/subscribe {"uri":"test://watched-resource"}
        ← 7 {}
        → 8 resources/unsubscribe {"uri":"test://watched-resource"}
        ← 8 {}
        → 9 tools/call test_input_required_result_elicitation {}
        ← ask 5 elicitation/create {"message":"What is your name?"}
        → reply 5 {"action":"accept","content":{"name":"Alice"}}
        ← 9 text Hello, Alice!
        "#,
    );
}

// rows: MRTR-1, MRTR-2, MRTR-3, MRTR-4, MRTR-5, MRTR-6, MRTR-13, MRTR-16
#[test]
fn a_stateless_conformance_client_answers_under_the_keys_that_it_was_given() {
    let alice = r#"{"user_name":{"action":"accept","content":{"name":"Alice"}}}"#;
    let hi = r#"{"role":"assistant","content":{"type":"text","text":"Hi"},"model":"m"}"#;
    let asks = r#"{"resultType":"input_required","inputRequests":{"user_name":{"method":"elicitation/create","params":{"message":"What is your name?"}}}}"#;
    let tool = |name: &str| format!("tools/call test_input_required_result_{name} {{}}");
    let (elicitation, sampling, roots) = (tool("elicitation"), tool("sampling"), tool("list_roots"));
    let (state, tampered, rounds) = (tool("request_state"), tool("tampered_state"), tool("multi_round"));
    let (inputs, capabilities) = (tool("multiple_inputs"), tool("capabilities"));
    on_example("conformance", &["stdio"]).with(of_the_suite()).check(&format!(
        r#"
        → 1 {elicitation}
        ← 1 {asks}
        → 2 {elicitation} params {{"inputResponses":{alice}}}
        ← 2 text Hello, Alice!
        → 3 {elicitation} params {{"inputResponses":{{"wrong_key":{{"action":"accept"}}}}}}
        ← 3 {asks}
        → 4 {elicitation} params {{"inputResponses":{{"user_name":12345}}}}
        ← 4 error -32602 `params.inputResponses` has no good answer under the key `user_name`: expected an object
        → 5 {elicitation} params {{"inputResponses":null}}
        ← 5 error -32602 `params.inputResponses` must be an object
        → 6 {sampling}
        ← 6 {{"inputRequests":{{"capital_question":{{"method":"sampling/createMessage","params":{{"maxTokens":100}}}}}}}}
        → 7 {sampling} answers {{"sampling/createMessage":{hi}}}
        ← 7 text Hi
        → 8 {roots}
        ← 8 {{"inputRequests":{{"client_roots":{{"method":"roots/list"}}}}}}
        → 9 {roots} answers {{"roots/list":{{"roots":[{{"uri":"file:///a"}}]}}}}
        ← 9 text Roots: file:///a
        → 10 {state}
        ← 10 {{"inputRequests":{{"confirm":{{"method":"elicitation/create"}}}}}}
        → 11 {state} answers {{"elicitation/create":{{"action":"accept","content":{{"ok":true}}}}}}
        ← 11 text state-ok
        → 12 {tampered}
        ← 12 asks {{"elicitation/create":{{}}}}
        → 13 {tampered} answers {{"elicitation/create":{{"action":"accept","content":{{"ok":true}}}}}} params {{"requestState":"x-TAMPERED"}}
        ← 13 error -32602 `params.requestState` is none that was given for this request
        → 14 {inputs}
        ← 14 {{"inputRequests":{{"user_name":{{"method":"elicitation/create"}},"greeting":{{"method":"sampling/createMessage"}},"client_roots":{{"method":"roots/list"}}}}}}
        → 15 {inputs} answers {{"elicitation/create":{{"action":"accept","content":{{"name":"Alice"}}}},"sampling/createMessage":{hi},"roots/list":{{"roots":[]}}}}
        ← 15 text Hi, Alice! You have 0 roots.
        → 16 {rounds}
        ← 16 {{"inputRequests":{{"step1":{{"method":"elicitation/create"}}}}}}
        → 17 {rounds} answers {{"elicitation/create":{{"action":"accept","content":{{"name":"Alice"}}}}}}
        ← 17 {{"inputRequests":{{"step2":{{"method":"elicitation/create"}}}}}}
        → 18 {rounds} answers {{"elicitation/create":{{"action":"accept","content":{{"color":"blue"}}}}}}
        ← 18 text Alice likes blue
        → 19 prompts/get {{"name":"test_input_required_result_prompt"}}
        ← 19 {{"inputRequests":{{"user_context":{{"method":"elicitation/create"}}}}}}
        → 20 prompts/get {{"name":"test_input_required_result_prompt"}} answers {{"elicitation/create":{{"action":"accept","content":{{"context":"tea"}}}}}}
        ← 20 {{"messages":[{{"content":{{"text":"Use this context: tea"}}}}]}}
        → 21 tools/call test_streaming_elicitation {{}}
        ← 21 asks {{"elicitation/create":{{}}}}
        "#
    ));
    on_example("conformance", &["stdio"]).with(json!({ "sampling": {} })).check(&format!(
        r#"
        → 1 {capabilities}
        ← 1 asks {{"sampling/createMessage":{{}}}}
        → 2 {capabilities} answers {{"sampling/createMessage":{hi}}}
        ← 2 text Hi, stranger
        "#
    ));
}

// rows: ERR-7, LOG-4, SUB-3, SUB-9
#[test]
fn a_stateless_conformance_client_without_capabilities_gets_what_it_asked_for_and_no_more() {
    on_example("conformance", &["stdio"]).check(
        r#"
        → 1 tools/call test_missing_capability {}
        ← 1 error -32021 the client can't be asked: it did not declare the capability `sampling`
        → 2 tools/call test_logging_tool {}
        ← 2 text Logging tool executed
        → 3 resources/read {"uri":"test://nonexistent-resource-for-conformance-testing"}
        ← 3 error -32602 there is no resource `test://nonexistent-resource-for-conformance-testing`
        → 4 subscriptions/listen {"notifications":{"toolsListChanged":true}}
        ← told notifications/subscriptions/acknowledged {"notifications":{"toolsListChanged":true}}
        → 5 tools/call test_trigger_prompt_change {}
        ← 5 text added `test_dynamic_prompt`
        → 6 tools/call test_trigger_tool_change {}
        ← 6 text added `test_dynamic_tool`
        ← told notifications/tools/list_changed
        → 7 tools/call test_trigger_tool_change {}
        ← 7 text removed `test_dynamic_tool`
        ← told notifications/tools/list_changed
        → cancelled 4
        "#,
    );
}
