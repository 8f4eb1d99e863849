//! Resources and templates: how they are listed, found and read.

mod support;

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::protocol::{Annotations, CacheScope, Icon, ReadResourceResult, ResourceContents, Role};
use mcp_server::{RequestError, Resource};
use support::on;

const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// All that is sold.
#[resource("shop://catalog", mime_type = "text/plain")]
async fn catalog() -> &'static str {
    "tea, coffee"
}

/// The sign over the door.
#[resource("shop://sign.png", name = "sign", title = "The sign", mime_type = "image/png", size = 4)]
fn sign() -> Vec<u8> {
    vec![0, 1, 2, 255]
}

#[derive(serde::Serialize)]
struct Order {
    id: u32,
}

/// One order.
#[resource("shop://orders/{id}")]
async fn order(id: u32) -> Option<Json<Order>> {
    (id < 100).then_some(Json(Order { id }))
}

/// The notes to an order, if there are any.
#[resource("shop://orders/{id}/notes{?page,lang}")]
async fn notes(id: u32, page: Option<u32>, #[resource(default = "en")] lang: String) -> String {
    format!("{id} {page:?} {lang}")
}

/// A file.
#[resource("file:///srv/{+path}")]
async fn file(path: String, ctx: Context) -> Result<Vec<ResourceContents>, RequestError> {
    if path == "secret" {
        return Err(RequestError::invalid_params("`secret` is not for you"));
    }
    ctx.report_progress(1, 1, None).await?;
    Ok(vec![
        ResourceContents::text(format!("file:///srv/{path}/a"), "one"),
        ResourceContents::blob(format!("file:///srv/{path}/b"), [1, 2, 3]).with_mime_type("application/x"),
    ])
}

/// Whatever is asked for.
#[resource("raw://{+anything}")]
async fn raw(#[resource(raw)] anything: String) -> String {
    format!("{anything:?}")
}

/// A resource that fails.
#[resource("shop://broken")]
async fn broken() -> Result<String, std::io::Error> {
    Err(std::io::Error::other("the disk is full"))
}

/// A resource that panics.
#[resource("shop://boom")]
async fn boom() -> String {
    panic!("secret text")
}

fn server() -> Server {
    Server::new("scenario")
        .version("1.2.3")
        .resource(catalog)
        .resource(sign {})
        .resource(order)
        .resource(notes)
        .resource(file)
        .resource(raw)
        .resource(broken)
        .resource(boom)
}

// rows: RSC-1, RSC-2, RSC-3, CACHE-1
#[test]
fn resources_and_templates_have_lists_of_their_own() {
    on(server()).check(
        r#"
        → 1 server/discover
        ← 1 {"capabilities":{"resources":{}}}
        → 2 resources/list
        ← 2 {"resources":[{"uri":"shop://catalog","name":"catalog","description":"All that is sold.","mimeType":"text/plain"},{"uri":"shop://sign.png","name":"sign","title":"The sign","description":"The sign over the door.","mimeType":"image/png","size":4},{"uri":"shop://broken"},{"uri":"shop://boom"}],"ttlMs":0,"cacheScope":"private"}
        → 3 resources/templates/list
        ← 3 {"resourceTemplates":[{"uriTemplate":"shop://orders/{id}","name":"order","description":"One order."},{"uriTemplate":"shop://orders/{id}/notes{?page,lang}"},{"uriTemplate":"file:///srv/{+path}"},{"uriTemplate":"raw://{+anything}"}],"ttlMs":0,"cacheScope":"private"}
        → 4 tools/list
        ← 4 error -32601 the method `tools/list` is not offered here
        "#,
    );
    on(Server::new("scenario").resource(catalog)).check(
        r#"
        → 1 resources/templates/list
        ← 1 {"resourceTemplates":[]}
        "#,
    );
}

// rows: RSC-4, RSC-5, CACHE-1
#[test]
fn a_resource_is_read_as_text_bytes_or_json() {
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"shop://catalog"}
        ← {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"shop://catalog","mimeType":"text/plain","text":"tea, coffee"}],"ttlMs":0,"cacheScope":"private","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"scenario","version":"1.2.3"}}}}
        → 2 resources/read {"uri":"shop://sign.png"}
        ← 2 {"contents":[{"uri":"shop://sign.png","mimeType":"image/png","blob":"AAEC/w=="}]}
        → 3 resources/read {"uri":"shop://orders/7"}
        ← 3 {"contents":[{"uri":"shop://orders/7","mimeType":"application/json","text":"{\"id\":7}"}]}
        → 4 resources/read {"uri":"shop://orders/7/notes"}
        ← 4 {"contents":[{"text":"7 None en"}]}
        → 5 resources/read {"uri":"shop://orders/7/notes?lang=no&page=2"}
        ← 5 {"contents":[{"text":"7 Some(2) no"}]}
        → 6 resources/read {"uri":"file:///srv/a%20b/c"} token "p"
        ← progress "p" 1/1
        ← 6 {"contents":[{"uri":"file:///srv/a b/c/a","text":"one"},{"uri":"file:///srv/a b/c/b","mimeType":"application/x","blob":"AQID"}]}
        "#,
    );
    for version in LEGACY {
        on(server()).check_legacy(
            version,
            r#"
            → 1 resources/read {"uri":"shop://catalog"}
            ← {"jsonrpc":"2.0","id":1,"result":{"contents":[{"uri":"shop://catalog","mimeType":"text/plain","text":"tea, coffee"}]}}
            "#,
        );
    }
}

// rows: RSC-6, ERR-4, ERR-5, ERR-11
#[test]
fn what_is_not_there_is_told_in_the_words_of_each_era() {
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"shop://nothing"}
        ← {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"there is no resource `shop://nothing`","data":{"uri":"shop://nothing"}}}
        → 2 resources/read {"uri":"shop://orders/100"}
        ← {"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"there is no resource `shop://orders/100`","data":{"uri":"shop://orders/100"}}}
        → 3 resources/read {"uri":"shop://orders/x"}
        ← 3 error -32602 "id: expected an integer of 32 bits that is not negative, got the string \"x\""
        → 4 resources/read {}
        ← 4 error -32602 `params.uri` is missing: a string
        → 5 resources/read {"uri":7}
        ← 5 error -32602 `params.uri` must be a string
        → 6 resources/read {"uri":"shop://broken"}
        ← 6 error -32603 the disk is full
        → 7 resources/read {"uri":"shop://boom"}
        ← 7 error -32603 the resource `shop://boom` failed unexpectedly
        → 8 resources/read {"uri":"file:///srv/secret"}
        ← 8 error -32602 `secret` is not for you
        "#,
    );
    for version in LEGACY {
        on(server()).check_legacy(
            version,
            r#"
            → 1 resources/read {"uri":"shop://nothing"}
            ← {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"there is no resource `shop://nothing`","data":{"uri":"shop://nothing"}}}
            → 2 resources/read {"uri":"shop://orders/100"}
            ← 2 error -32002 …
            "#,
        );
    }
}

// rows: RSC-7
#[test]
fn values_that_lead_elsewhere_are_refused_unless_they_are_asked_for() {
    for path in [
        "file:///srv/../etc/passwd",
        "file:///srv/a/%2e%2e/%2e%2e/etc/passwd",
        "file:///srv/a/..%2f..%2fetc/passwd",
        "file:///srv//etc/passwd",
        "file:///srv/%2fetc/passwd",
        "file:///srv/a%00b",
        "file:///srv/C:%5Cwindows",
        "file:///srv/a%5C..%5Cb",
    ] {
        on(server()).check(&format!(
            r#"
            → 1 resources/read {{"uri":"{path}"}}
            ← 1 error -32602 the variable `path` of `params.uri` is refused: …
            "#
        ));
    }
    on(server()).check(
        r#"
        → 1 resources/read {"uri":"raw://../%2fa%00b"}
        ← 1 {"contents":[{"text":"\"..//a\\0b\""}]}
        "#,
    );
}

// rows: RSC-2, RSC-3, ICON-1, CONT-4, LEG-13, LEG-14
#[test]
fn each_revision_gets_the_members_that_it_knows() {
    let rich = || {
        let mut rich = Resource::builder("shop://rich");
        rich.name("rich").title("Rich").icon(Icon {
            src: "https://shop.example/i.png".into(),
            mime_type: Some("image/png".into()),
            sizes: vec!["48x48".into()],
            theme: None,
        });
        rich.meta(json!({ "com.example/a": 1 })).annotations(Annotations {
            audience: vec![Role::User],
            priority: Some(0.5),
            last_modified: Some("2026-01-02T03:04:05Z".into()),
        });
        let result = rich.returns::<ReadResourceResult>();
        let rich = rich.handler(move |call| {
            call.run(
                async {
                    ReadResourceResult {
                        contents: vec![ResourceContents {
                            meta: json!({ "com.example/b": 2 }).as_object().cloned(),
                            ..ResourceContents::text("shop://rich", "x")
                        }],
                        ..ReadResourceResult::default()
                    }
                },
                result,
            )
        });
        Server::new("scenario").resource(rich)
    };
    on(rich()).check(
        r#"
        → 1 resources/list
        ← 1 {"resources":[{"uri":"shop://rich","name":"rich","title":"Rich","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"icons":[{"src":"https://shop.example/i.png","mimeType":"image/png","sizes":["48x48"]}],"_meta":{"com.example/a":1}}]}
        → 2 resources/read {"uri":"shop://rich"}
        ← 2 {"contents":[{"uri":"shop://rich","text":"x","_meta":{"com.example/b":2}}]}
        "#,
    );
    on(rich()).check_legacy(
        "2025-06-18",
        r#"
        → 1 resources/list
        ← {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"shop://rich","name":"rich","title":"Rich","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"com.example/a":1}}]}}
        "#,
    );
    for version in ["2024-11-05", "2025-03-26"] {
        on(rich()).check_legacy(
            version,
            r#"
            → 1 resources/list
            ← {"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"shop://rich","name":"rich","annotations":{"audience":["user"],"priority":0.5}}]}}
            → 2 resources/read {"uri":"shop://rich"}
            ← {"jsonrpc":"2.0","id":2,"result":{"contents":[{"uri":"shop://rich","text":"x"}]}}
            "#,
        );
    }
}

// rows: CACHE-1, CACHE-3
#[test]
fn how_long_results_may_be_kept_is_said_by_the_server_and_by_a_resource_for_itself() {
    let mut fresh = Resource::builder("shop://fresh");
    fresh.cache(Duration::from_secs(1), CacheScope::Private);
    let result = fresh.returns::<&str>();
    let fresh = fresh.handler(move |call| call.run(async { "x" }, result));
    on(server().resource(fresh).cache(Duration::from_secs(60), CacheScope::Public)).check(
        r#"
        → 1 server/discover
        ← 1 {"ttlMs":60000,"cacheScope":"public"}
        → 2 resources/list
        ← 2 {"ttlMs":60000,"cacheScope":"public"}
        → 3 resources/templates/list
        ← 3 {"ttlMs":60000,"cacheScope":"public"}
        → 4 resources/read {"uri":"shop://catalog"}
        ← 4 {"ttlMs":60000,"cacheScope":"public"}
        → 5 resources/read {"uri":"shop://fresh"}
        ← 5 {"ttlMs":1000,"cacheScope":"private"}
        "#,
    );
}

#[test]
fn an_exact_address_goes_before_a_template() {
    let mut exact = Resource::builder("shop://orders/1");
    let result = exact.returns::<&str>();
    let exact = exact.handler(move |call| call.run(async { "exact" }, result));
    on(server().resource(exact)).check(
        r#"
        → 1 resources/read {"uri":"shop://orders/1"}
        ← 1 {"contents":[{"text":"exact"}]}
        → 2 resources/read {"uri":"shop://orders/2"}
        ← 2 {"contents":[{"text":"{\"id\":2}"}]}
        "#,
    );
}

#[test]
#[should_panic(expected = "two resources are named `shop://catalog`: one at ")]
fn two_resources_of_one_address_show_at_start_up() {
    let _ = Server::new("scenario").resource(catalog).resource(catalog);
}
