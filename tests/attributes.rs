//! What `#[resource]` and `#[prompt]` make of functions and methods, as a client sees it.

mod support;

use mcp_server::protocol::{Completion, Icon};
use mcp_server::{Completing, State, prelude::*};
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
