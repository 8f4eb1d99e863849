//! Who may call a server over HTTP, on a real socket.

mod support;

use mcp_server::Principal;
use mcp_server::auth::{Authorization, TokenError, TokenVerifier};
use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use support::http::{Answer, Ask, Site, run, text_of};

/// Takes a token for the name of whoever sends it, with its scopes: `anna+orders:read+orders:write`.
struct ByName;

impl TokenVerifier for ByName {
    async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
        let token = token.replace('~', ":");
        let mut parts = token.split('+');
        match parts.next() {
            Some("expired") => Err(TokenError::expired()),
            Some("other") => Err(TokenError::wrong_audience()),
            Some("down") => Err(TokenError::unavailable("the key server does not answer")),
            Some(name) if !name.is_empty() => Ok(Principal::new("https://login.example", name).scopes(parts)),
            _ => Err(TokenError::invalid("it names nobody")),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    /// Why
    reason: String,
}

fn shop() -> Server {
    /// Who calls, and what of the headers it sees.
    #[tool]
    async fn whoami(ctx: Context) -> String {
        let principal = ctx.principal().unwrap();
        let has_token = ctx.headers().unwrap().contains_key("authorization");
        format!("{} of {} {has_token}", principal.subject(), principal.issuer())
    }

    /// Cancel an order.
    #[tool(scopes = ["orders:write", "orders:cancel"])]
    async fn cancel(ctx: Context) -> Result<String, ToolError> {
        ctx.report_progress(1, None, None).await?;
        Ok("cancelled".into())
    }

    /// Ask before something is done.
    #[tool]
    async fn confirm(ctx: Context) -> Result<String, ToolError> {
        match ctx.elicit::<Confirmation>("Sure?").await? {
            Elicited::Accept(Confirmation { reason }) => Ok(reason),
            Elicited::Decline | Elicited::Cancel => Ok("no".into()),
        }
    }

    Server::new("shop").tool(whoami).tool(cancel).tool(confirm)
}

async fn site() -> Site {
    let authorization = Authorization::new("https://h.example/public/mcp", ByName)
        .authorization_server("https://login.example")
        .scopes(["orders:read"]);
    Site::of(shop().http().authorization(authorization)).await
}

fn bearer(ask: Ask, token: &str) -> Ask {
    // A token has no colons.
    ask.header("authorization", &format!("Bearer {}", token.replace(':', "~")))
}

const POINTER: &str = r#"resource_metadata="https://h.example/.well-known/oauth-protected-resource/public/mcp""#;

/// The status, and the challenge.
async fn refused(answer: Answer) -> (u16, String) {
    let challenge = answer.header("www-authenticate").unwrap_or_default().to_owned();
    let status = answer.status.as_u16();
    let body = answer.json().await;
    assert!(body["error"]["message"].is_string(), "{body}");
    (status, challenge)
}

// rows: AUTH-2, AUTH-3
#[test]
fn everybody_finds_where_tokens_are_given() {
    run(async {
        let site = site().await;
        for path in ["/.well-known/oauth-protected-resource/public/mcp", "/.well-known/oauth-protected-resource"] {
            let answer = site.send(Ask::new("GET").path(path)).await;
            assert_eq!(answer.status.as_u16(), 200, "{path}");
            let metadata = answer.json().await;
            assert_eq!(metadata["resource"], "https://h.example/public/mcp");
            assert_eq!(metadata["authorization_servers"], json!(["https://login.example"]));
            assert_eq!(metadata["bearer_methods_supported"], json!(["header"]));
        }
        site.close().await;
    });
}

// rows: AUTH-4, AUTH-5, AUTH-6, AUTH-10
#[test]
fn who_brings_no_good_token_is_told_where_to_get_one() {
    run(async {
        let site = site().await;
        let call = || Ask::call(1, "whoami", json!({}));
        let (status, challenge) = refused(site.send(call()).await).await;
        assert_eq!(status, 401);
        assert!(challenge.starts_with("Bearer ") && challenge.contains(POINTER), "{challenge}");
        assert!(challenge.contains(r#"scope="orders:read""#) && !challenge.contains("error"), "{challenge}");
        for token in ["expired", "other", ""] {
            let (status, challenge) = refused(site.send(bearer(call(), token)).await).await;
            assert!(
                status == 401 && challenge.contains(POINTER) || token.is_empty() && status == 400,
                "{token} {status}"
            );
            assert!(challenge.contains("error="), "{challenge}");
        }
        let (status, challenge) = refused(site.send(bearer(bearer(call(), "anna"), "bob")).await).await;
        assert_eq!(status, 400);
        assert!(challenge.contains(r#"error="invalid_request""#), "{challenge}");
        let (status, _) = refused(site.send(call().path("/mcp?access_token=anna+orders~read")).await).await;
        assert_eq!(status, 401);
        let answer = site.send(bearer(call(), "down")).await;
        assert_eq!((answer.status.as_u16(), answer.header("retry-after").is_some()), (503, true));
        // Whatever is sent, and in both eras.
        for ask in [Ask::text("{"), Ask::new("GET"), Ask::new("DELETE"), Ask::initialize("2025-11-25", json!({}))] {
            assert_eq!(refused(site.send(ask).await).await.0, 401);
        }
        // Each request has a token of its own.
        let answer = site.send(bearer(call(), "anna+orders:read")).await;
        assert_eq!(text_of(&answer.json().await), "anna of https://login.example false");
        assert_eq!(site.send(call()).await.status.as_u16(), 401);
        site.close().await;
    });
}

// rows: AUTH-7, AUTH-8, AUTH-10
#[test]
fn a_tool_takes_its_scopes_and_is_not_listed_without_them() {
    run(async {
        let site = site().await;
        let list = Ask::modern(1, "tools/list", json!({}));
        let names = async |token: &str| {
            let result = site.send(bearer(list.clone(), token)).await.json().await["result"].take();
            assert_eq!(result["cacheScope"], "private");
            result["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|tool| tool["name"].as_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(names("anna+orders:read").await, ["whoami", "confirm"]);
        assert_eq!(names("anna+orders:read+orders:write").await, ["whoami", "confirm"]);
        assert_eq!(names("anna+orders:read+orders:write+orders:cancel").await, ["whoami", "cancel", "confirm"]);
        let (status, challenge) = refused(site.send(bearer(Ask::call(1, "whoami", json!({})), "anna")).await).await;
        assert_eq!(status, 403);
        assert!(challenge.contains(r#"scope="orders:read""#), "{challenge}");
        let call = Ask::call(1, "cancel", json!({}));
        let answer = site.send(bearer(call.clone(), "anna+orders:read+orders:write")).await;
        let (status, challenge) = refused(answer).await;
        assert_eq!(status, 403);
        for part in [r#"error="insufficient_scope""#, r#"scope="orders:read orders:write orders:cancel""#, POINTER] {
            assert!(challenge.contains(part), "{challenge}");
        }
        let answer = site.send(bearer(call, "anna+orders:read+orders:write+orders:cancel")).await;
        assert_eq!(text_of(&answer.response().await), "cancelled");
        // In an older session too.
        let initialize = bearer(Ask::initialize("2025-11-25", json!({})), "anna+orders:read");
        let id = site.send(initialize).await.header("mcp-session-id").unwrap().to_owned();
        let call = Ask::legacy_call(&id, 2, "cancel", json!({}));
        assert_eq!(refused(site.send(bearer(call.clone(), "anna+orders:read")).await).await.0, 403);
        let answer = site.send(bearer(call, "anna+orders:read+orders:write+orders:cancel")).await;
        assert_eq!(text_of(&answer.response().await), "cancelled");
        site.close().await;
    });
}

// rows: AUTH-11, LHTTP-3, MRTR-5
#[test]
fn sessions_and_states_belong_to_whoever_they_were_given_to() {
    run(async {
        let site = site().await;
        let initialize = bearer(Ask::initialize("2025-11-25", json!({})), "anna+orders:read");
        let id = site.send(initialize).await.header("mcp-session-id").unwrap().to_owned();
        for (token, status) in [("anna+orders:read", 200), ("bob+orders:read", 404), ("anna+orders:read+more", 200)] {
            let answer = site.send(bearer(Ask::legacy(&id, 2, "ping", json!({})), token)).await;
            assert_eq!(answer.status.as_u16(), status, "{token}");
            if status == 404 {
                let delete = bearer(Ask::new("DELETE").session(&id), token);
                assert_eq!(site.send(delete).await.status.as_u16(), 404);
            }
        }
        let call = |more: Value| {
            let mut params = json!({ "name": "confirm", "arguments": {}, "_meta": {
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": {} }
            } });
            params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            Ask::modern(1, "tools/call", params)
        };
        let asked = site.send(bearer(call(json!({})), "anna+orders:read")).await.json().await;
        let result = &asked["result"];
        let key = result["inputRequests"].as_object().unwrap().keys().next().unwrap().clone();
        let answers = json!({ "requestState": result["requestState"], "inputResponses": {
            key: { "action": "accept", "content": { "reason": "broken" } }
        } });
        let stolen = site.send(bearer(call(answers.clone()), "bob+orders:read")).await.json().await;
        assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
        let own = site.send(bearer(call(answers), "anna+orders:read")).await.json().await;
        assert_eq!(text_of(&own), "broken");
        site.close().await;
    });
}

// rows: AUTH-1, AUTH-4
#[test]
fn a_page_reads_where_to_get_a_token() {
    run(async {
        let authorization =
            Authorization::new("http://localhost:8000/mcp", ByName).authorization_server("https://login.example");
        let site = Site::of(shop().http().authorization(authorization).cors()).await;
        let page = "http://localhost:6274";
        let preflight = Ask::new("OPTIONS").header("origin", page).header("access-control-request-method", "POST");
        assert!(site.send(preflight).await.status.is_success(), "a browser asks without a token");
        let answer = site.send(Ask::call(1, "whoami", json!({})).header("origin", page)).await;
        assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (401, Some(page)));
        assert!(answer.header("access-control-expose-headers").unwrap().contains("www-authenticate"));
        let metadata = Ask::new("GET").path("/.well-known/oauth-protected-resource").header("origin", page);
        let answer = site.send(metadata).await;
        assert_eq!((answer.status.as_u16(), answer.header("access-control-allow-origin")), (200, Some(page)));
        site.close().await;
    });
}

#[test]
fn who_is_found_out_counts_as_a_request() {
    /// Never comes to an end.
    struct Slow;

    impl TokenVerifier for Slow {
        async fn verify(&self, _token: &str) -> Result<Principal, TokenError> {
            std::future::pending().await
        }
    }

    run(async {
        let authorization =
            Authorization::new("http://localhost:8000/mcp", Slow).authorization_server("https://login.example");
        let site = Site::of(Server::new("shop").http().authorization(authorization).max_requests(1)).await;
        let ask = || bearer(Ask::modern(1, "tools/list", json!({})), "anna");
        let waiting = tokio::spawn(support::http::Connection::open(site.address).await.send(ask()));
        while site.send(Ask::modern(1, "tools/list", json!({}))).await.status.as_u16() != 503 {
            tokio::task::yield_now().await;
        }
        waiting.abort();
        site.close().await;
    });
}

#[test]
#[should_panic(expected = "a tool asks for scopes, and nobody is asked for a token")]
fn scopes_without_authorization_are_a_slip() {
    drop(shop().http().bind("127.0.0.1:0").serve());
}

#[test]
#[should_panic(expected = "nothing was named to listen at")]
fn nowhere_is_no_place_to_listen() {
    drop(Server::new("nowhere").http().serve());
}
