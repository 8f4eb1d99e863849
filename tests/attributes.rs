//! What `#[resource]`, `#[prompt]` and some options of `#[tool]` make of functions and methods, as a client sees it.

mod support;

use mcp_server::protocol::{Completion, Icon};
use mcp_server::{Completing, State, Tool, prelude::*};
use support::on;

struct Stock(u32);

/// All that is sold.
#[resource(
    "shop://catalog",
    title = "Catalog",
    mime_type = "text/plain",
    size = 11,
    audience = "user",
    priority = 1,
    ttl = 60,
    scope = "public",
    icon = icon(),
    meta = json!({ "example.com/shelf": 7 })
)]
async fn catalog() -> &'static str {
    "tea, coffee"
}

fn icon() -> Icon {
    Icon { src: "https://shop.example/icon.png".into(), mime_type: None, sizes: Vec::new(), theme: None }
}

/// One order.
#[resource("shop://orders/{id}{?currency}")]
fn order(
    #[resource(complete = order_ids)] id: u32,
    #[resource(default = "EUR")] currency: String,
    stock: State<Stock>,
) -> Option<String> {
    (id == 17).then(|| format!("order {id} in {currency}, {} left", stock.0))
}

async fn order_ids(typed: String) -> Vec<String> {
    ["17", "18", "20"].iter().filter(|id| id.starts_with(&typed)).map(ToString::to_string).collect()
}

#[resource("safe:///{+path}")]
async fn safe(path: String) -> String {
    path
}

#[resource("raw:///{+path}")]
async fn raw(#[resource(raw)] path: String) -> String {
    path
}

/// Have a text translated.
#[prompt(title = "Translate")]
async fn translate(
    /// What to translate.
    text: String,
    #[prompt(title = "Language", default = "Danish", complete = languages)] language: String,
    times: Option<u8>,
) -> String {
    format!("{text} into {language}, {times:?}")
}

fn languages(completing: Completing) -> Completion {
    Completion::new([format!("{} of {:?}", completing.value, completing.arguments.get("text"))])
}

fn server() -> Server {
    Server::new("shop")
        .state(Stock(3))
        .resource(catalog)
        .resource(order {})
        .resource(safe)
        .resource(raw)
        .prompt(translate)
}

#[test]
fn all_options_of_a_resource_are_shown() {
    on(server()).check(
        r#"
        → 1 resources/list
        ← 1 {"resources":[{"uri":"shop://catalog","name":"catalog","title":"Catalog","description":"All that is sold.","mimeType":"text/plain","annotations":{"audience":["user"],"priority":1.0},"size":11,"icons":[{"src":"https://shop.example/icon.png"}],"_meta":{"example.com/shelf":7}}]}
        → 2 resources/read {"uri":"shop://catalog"}
        ← 2 {"contents":[{"uri":"shop://catalog","mimeType":"text/plain","text":"tea, coffee"}],"ttlMs":60000,"cacheScope":"public"}
        "#,
    );
}

#[test]
fn the_variables_of_an_address_are_the_parameters_of_its_name() {
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"shop://orders/17"}
        ← 1 {"contents":[{"uri":"shop://orders/17","text":"order 17 in EUR, 3 left"}]}
        → 2 resources/read {"uri":"shop://orders/17?currency=DKK"}
        ← 2 {"contents":[{"uri":"shop://orders/17?currency=DKK","text":"order 17 in DKK, 3 left"}]}
        → 3 completion/complete {"ref":{"type":"ref/resource","uri":"shop://orders/{id}{?currency}"},"argument":{"name":"id","value":"1"}}
        ← 3 {"completion":{"values":["17","18"]}}
        "#,
    );
}

#[test]
fn a_raw_variable_takes_what_others_refuse() {
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"raw:///a/../b"}
        ← 1 {"contents":[{"uri":"raw:///a/../b","text":"a/../b"}]}
        → 2 resources/read {"uri":"safe:///a/../b"}
        ← 2 error -32602 …
        "#,
    );
}

#[test]
fn the_parameters_of_a_prompt_are_its_arguments() {
    on(server()).check(
        r#"
        → 1 prompts/list
        ← 1 {"prompts":[{"name":"translate","title":"Translate","description":"Have a text translated.","arguments":[{"name":"text","description":"What to translate.","required":true},{"name":"language","title":"Language","required":false},{"name":"times","required":false}]}]}
        → 2 prompts/get {"name":"translate","arguments":{"text":"tea","times":"2"}}
        ← 2 {"messages":[{"role":"user","content":{"type":"text","text":"tea into Danish, Some(2)"}}]}
        → 3 completion/complete {"ref":{"type":"ref/prompt","name":"translate"},"argument":{"name":"language","value":"D"},"context":{"arguments":{"text":"tea"}}}
        ← 3 {"completion":{"values":["D of Some(\"tea\")"]}}
        "#,
    );
}

struct Shop {
    orders: Vec<String>,
}

#[server]
impl Shop {
    /// Count the orders.
    #[tool]
    async fn count(&self) -> usize {
        self.orders.len()
    }

    #[resource("shop://orders/{id}")]
    fn order(&self, #[resource(complete = Self::ids)] id: String) -> Option<String> {
        self.orders.iter().find(|order| **order == id).cloned()
    }

    #[prompt]
    async fn review(
        &self,
        #[prompt(complete = Self::ids_later)] id: String,
        #[prompt(complete = languages)] language: String,
    ) -> String {
        format!("{id} in {language} of {}", self.orders.len())
    }

    fn ids(&self, typed: String) -> Vec<String> {
        self.orders.iter().filter(|order| order.starts_with(&typed)).cloned().collect()
    }

    async fn ids_later(&self, completing: Completing) -> Vec<String> {
        tokio::task::yield_now().await;
        self.ids(completing.value)
    }
}

#[test]
fn the_methods_of_a_block_share_its_value() {
    on(Server::new("shop").with(Shop { orders: vec!["A17".into(), "A18".into(), "B1".into()] })).check(
        r#"
        → 1 tools/call count {}
        ← 1 text 3
        → 2 resources/read {"uri":"shop://orders/A18"}
        ← 2 {"contents":[{"uri":"shop://orders/A18","text":"A18"}]}
        → 3 prompts/get {"name":"review","arguments":{"id":"A17","language":"Danish"}}
        ← 3 {"messages":[{"role":"user","content":{"type":"text","text":"A17 in Danish of 3"}}]}
        → 4 completion/complete {"ref":{"type":"ref/resource","uri":"shop://orders/{id}"},"argument":{"name":"id","value":"A"}}
        ← 4 {"completion":{"values":["A17","A18"]}}
        → 5 completion/complete {"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"id","value":"B"}}
        ← 5 {"completion":{"values":["B1"]}}
        → 6 completion/complete {"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"D"}}
        ← 6 {"completion":{"values":["D of None"]}}
        "#,
    );
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    #[schemars(extend("x-mcp-header" = "City"))]
    city: String,
    street: Option<String>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Speed {
    /// By train.
    Slow,
    /// By plane.
    Fast,
}

/// Send something.
#[tool]
async fn send(
    /// From where.
    #[tool(header = "Region", default = "eu")]
    region: String,
    #[tool(header = "Count")] count: Option<u8>,
    #[tool(header = "Speed")] speed: Option<Speed>,
    #[serde(default)]
    #[tool(header = "Dry-Run")]
    dry_run: bool,
    place: Option<Place>,
) -> String {
    let speed = match speed {
        Some(Speed::Slow) => "slow",
        Some(Speed::Fast) => "fast",
        None => "none",
    };
    let place = place.map(|place| (place.city, place.street));
    format!("{region} {count:?} {speed} {dry_run} {place:?}")
}

/// The properties of `send`, with what stands for the keyword of each header.
fn properties_of_send(header: impl Fn(&str) -> String) -> String {
    format!(
        r#"{{"region":{{"type":"string","description":"From where.","default":"eu"{}}},"count":{{"type":"integer","minimum":0,"maximum":255{}}},"speed":{{"type":"string","description":"- `slow`: By train.\n- `fast`: By plane.","enum":["slow","fast"]{}}},"dry_run":{{"type":"boolean"{}}},"place":{{"type":"object","properties":{{"city":{{"type":"string"{}}},"street":{{"type":"string"}}}},"required":["city"]}}}}"#,
        header("Region"),
        header("Count"),
        header("Speed"),
        header("Dry-Run"),
        header("City"),
    )
}

// rows: HDR-10
#[test]
fn a_parameter_with_a_header_says_so_in_the_schema() {
    let schema = properties_of_send(|name| format!(r#","x-mcp-header":"{name}""#));
    on(Server::new("shop").tool(send)).check(&format!(
        r#"
        → 1 tools/list
        ← 1 {{"tools":[{{"name":"send","description":"Send something.","inputSchema":{{"type":"object","properties":{schema},"additionalProperties":false}}}}]}}
        → 2 tools/call send {{"region":"us","count":2.0,"speed":"fast","dry_run":true,"place":{{"city":"Rome"}}}}
        ← 2 text us Some(2) fast true Some(("Rome", None))
        → 3 tools/call send {{}}
        ← 3 text eu None none false None
        "#
    ));
}

#[test]
fn the_older_revisions_see_nothing_of_headers() {
    let schema = properties_of_send(|_| String::new());
    on(Server::new("shop").mount("eu", Server::new("post").tool(send))).check_legacy(
        "2025-11-25",
        &format!(
            r#"
            → 1 tools/list
            ← 1 {{"tools":[{{"name":"eu_send","description":"Send something.","inputSchema":{{"type":"object","properties":{schema},"additionalProperties":false}}}}]}}
            "#
        ),
    );
}

struct Post;

#[server]
impl Post {
    /// A method has headers and scopes as well.
    #[tool(scopes = ["post:read"])]
    fn track(&self, #[tool(header = "Parcel")] parcel: u64) -> u64 {
        parcel
    }
}

// rows: HDR-10
#[test]
fn a_method_says_so_too_and_nobody_is_asked_for_scopes_without_authorization() {
    on(Server::new("post").with(Post)).check(
        r#"
        → 1 tools/list
        ← 1 {"tools":[{"name":"track","inputSchema":{"type":"object","properties":{"parcel":{"type":"integer","minimum":0,"x-mcp-header":"Parcel"}},"required":["parcel"],"additionalProperties":false}}]}
        → 2 tools/call track {"parcel":9007199254740993}
        ← 2 text 9007199254740993
        "#,
    );
}

/// What is wrong with a tool, after its name and its place.
#[track_caller]
fn fault(tool: Tool) -> String {
    let name = tool.name().to_owned();
    let text = Server::new("shop").handle().add_tool(tool).unwrap_err().to_string();
    let (place, fault) = text.split_once(" has ").or_else(|| text.split_once(" asks ")).expect(&text);
    assert!(place.starts_with(&format!("`{name}` at ")), "{place}");
    fault.to_owned()
}

fn with_schema(schema: serde_json::Value) -> Tool {
    let mut tool = Tool::builder("given");
    tool.input_schema(schema);
    tool.call(|_: serde_json::Map<String, serde_json::Value>, _: Context| async {})
}

// rows: HDR-11, HDR-12, HDR-13
#[test]
fn what_is_wrong_with_a_header_is_told_when_the_tool_is_added() {
    /// Weigh.
    #[tool]
    async fn weigh(#[tool(header = "Weight")] weight: f64) -> f64 {
        weight
    }
    let text = std::panic::catch_unwind(|| Server::new("shop").tool(weigh)).unwrap_err();
    let text = text.downcast_ref::<String>().unwrap();
    assert!(text.starts_with("`weigh` at "), "{text}");
    assert!(
        text.ends_with(
            "has an `x-mcp-header` that is no good: `/properties/weight/x-mcp-header`: only a string, an integer or a \
             boolean can be repeated in a header, and this property has the type \"number\""
        ),
        "{text}"
    );

    let of_list = with_schema(json!({
        "type": "object",
        "properties": { "places": { "type": "array", "items": { "type": "string", "x-mcp-header": "Place" } } }
    }));
    assert_eq!(
        fault(of_list),
        "an `x-mcp-header` that is no good: `/properties/places/items/x-mcp-header`: only a property that `properties` \
         alone lead to can be repeated in a header, and `items` stands in the way here"
    );

    let mut by_hand = Tool::builder("by_hand");
    let region = by_hand.parameter::<String, _>("region", "");
    by_hand.header(region, "a b");
    let by_hand = by_hand.handler(|call| call.refuse());
    assert!(fault(by_hand).contains("\"a b\" can't be in the name of a header"));

    let mut twice = Tool::builder("twice");
    let region = twice.parameter::<String, _>("region", "");
    twice.header(region, "A").header(region, "B");
    let twice = twice.handler(|call| call.refuse());
    assert_eq!(fault(twice), "the header `B` for a parameter that has one already, or is not its own");

    #[derive(serde::Deserialize, schemars::JsonSchema)]
    #[allow(dead_code, reason = "only the schema matters")]
    struct Way {
        from: Place,
        to: Place,
    }
    let two = Tool::builder("two").call(|_: Way, _: Context| async {});
    assert!(fault(two).contains("\"City\" is the name for `from.city` already"));
}

#[test]
fn a_scope_that_no_token_can_have_is_told_when_the_tool_is_added() {
    let refused = |scope: &'static str| {
        let mut tool = Tool::builder("f");
        tool.scopes(["orders:read", scope]);
        fault(tool.handler(|call| call.refuse()))
    };
    for scope in ["", "orders write", "é", "\"", "a\\b"] {
        let text = "it must be one word of visible ASCII characters without `\"` and `\\`";
        assert_eq!(refused(scope), format!("for the scope {}: {text}", json!(scope)));
    }
    // AUTH-9: it is for the client to ask for.
    let text = "refresh tokens are nothing that a server needs";
    assert_eq!(refused("offline_access"), format!("for the scope \"offline_access\": {text}"));
}
