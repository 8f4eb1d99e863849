//! A tool is a function: it is called as one in unit tests, with a context made for them.

mod support;

use mcp_server::prelude::*;
use mcp_server::protocol::{Progress, ProtocolVersion, RequestId};
use mcp_server::{FromContext, ProgressError, TestContext};
use serde_json::{Value, json};

/// Extracted by its trait, whatever its name.
type C = Context;

/// Greet somebody.
#[tool]
async fn greet(name: String, whoever: C, #[tool(default = 1)] times: u32) -> Result<String, ToolError> {
    for i in 1..=times {
        whoever.report_progress(i, times, format!("greeting {i}")).await?;
    }
    Ok(format!("{} greets {name}", whoever.request_id()))
}

/// Add two numbers.
#[tool]
async fn add(a: i64, b: i64) -> i64 {
    a + b
}

/// Multiply two numbers, on a thread.
#[tool]
fn multiply(a: i64, b: i64, ctx: Context) -> Result<i64, ToolError> {
    ctx.report_progress_blocking(1, 1, None)?;
    Ok(a * b)
}

/// What an author takes from a context by a type of their own.
#[derive(Debug, PartialEq)]
struct Tenant(String);

impl FromContext for Tenant {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        match context.meta().get("com.example/tenant") {
            Some(Value::String(tenant)) => Ok(Self(tenant.clone())),
            _ => Err(ToolError::new("no tenant is named")),
        }
    }
}

/// Tell the tenant.
#[tool]
async fn whose(tenant: Tenant) -> String {
    tenant.0
}

struct Shop {
    name: &'static str,
}

#[server]
impl Shop {
    /// The name over the door.
    #[tool]
    async fn sign(&self, ctx: C) -> Result<String, ToolError> {
        ctx.progress(None).advance(1, self.name).await?;
        Ok(self.name.into())
    }
}

#[tokio::test]
async fn a_tool_is_called_as_the_function_that_it_is() {
    let test = TestContext::new();
    assert_eq!(add(2, 3).await, 5);
    assert_eq!(greet("Ada".into(), test.context(), 2).await.unwrap(), "1 greets Ada");
    assert_eq!(multiply(2, 3, TestContext::new().context()).unwrap(), 6);
    assert_eq!(whose(Tenant("acme".into())).await, "acme");
    assert_eq!(Shop { name: "Ada's" }.sign(TestContext::default().context()).await.unwrap(), "Ada's");
}

// rows: PROG-2
#[tokio::test]
async fn what_was_reported_can_be_read_back() {
    let test = TestContext::new();
    assert_eq!(test.reports(), []);
    greet("Ada".into(), test.context(), 2).await.unwrap();
    let report = |done, message: &str| Progress { done, total: Some(2.0), message: Some(message.into()) };
    assert_eq!(test.reports(), [report(1.0, "greeting 1"), report(2.0, "greeting 2")]);
    // They stay, and more come behind them.
    test.context().report_progress(2.5, None, None).await.unwrap();
    assert_eq!(test.reports().len(), 3);
    assert_eq!(test.reports()[2], Progress { done: 2.5, total: None, message: None });
}

// rows: PROG-4
#[tokio::test]
async fn faults_of_reports_are_found_without_a_client() {
    let test = TestContext::new();
    let ctx = test.context();
    ctx.report_progress(5, None, None).await.unwrap();
    let refused = ProgressError::NotIncreasing { last: 5.0, reported: 4.0 };
    assert_eq!(ctx.report_progress(4, None, None).await, Err(refused));
    assert_eq!(refused.to_string(), "progress must grow: 4 was reported after 5");
    assert_eq!(ctx.report_progress(f64::NAN, None, None).await, Err(ProgressError::NotFinite));
    assert_eq!(ctx.report_progress_blocking(f32::INFINITY, None, None), Err(ProgressError::NotFinite));
    assert_eq!(test.reports().len(), 1);
}

// rows: PROG-2
#[tokio::test]
async fn numbers_and_texts_of_every_kind_are_reported_without_casts() {
    let test = TestContext::new();
    let ctx = test.context();
    ctx.report_progress(1_u8, 10_i64, "a &str").await.unwrap();
    ctx.report_progress(2_usize, 10.0_f32, String::from("a String")).await.unwrap();
    ctx.report_progress(3_i64, Some(10.0), format_args!("{} arguments", "format")).await.unwrap();
    ctx.report_progress(3.5_f32, None, &String::from("a &String")).await.unwrap();
    ctx.report_progress(4_i16, 10_u64, std::borrow::Cow::Borrowed("a Cow")).await.unwrap();
    ctx.report_progress(5_isize, 10_u32, Some("an option")).await.unwrap();
    let texts: Vec<String> = test.reports().iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        ["1/10 a &str", "2/10 a String", "3/10 format arguments", "3.5 a &String", "4/10 a Cow", "5/10 an option",]
    );
}

// rows: CANC-3, PROG-5
#[tokio::test]
async fn a_test_can_give_up_the_call() {
    let test = TestContext::new();
    let ctx = test.context();
    assert!(!ctx.is_cancelled());
    let waiting = tokio::spawn({
        let ctx = ctx.clone();
        async move { ctx.cancelled().await }
    });
    test.cancel();
    waiting.await.unwrap();
    ctx.cancelled().await;
    assert!(ctx.is_cancelled());
    assert_eq!(ctx.report_progress(1, None, None).await, Err(ProgressError::Cancelled));
    assert_eq!(test.reports(), []);
}

#[tokio::test]
async fn a_context_for_tests_is_that_of_a_client_that_says_nothing_about_itself() {
    let ctx = TestContext::new().context();
    assert_eq!(*ctx.request_id(), RequestId::from(1));
    assert_eq!(ctx.protocol_version(), ProtocolVersion::LATEST);
    assert!(ctx.client_info().is_none());
    assert!(ctx.client_capabilities().elicitation.is_none());
    assert!(ctx.meta().is_empty());
    assert_eq!(Tenant::from_context(&ctx).unwrap_err().to_string(), "no tenant is named");
}

// rows: TOOL-7, TOOL-19
#[test]
fn what_is_extracted_is_no_argument() {
    let server = || Server::new("context").tool(greet).tool(whose).with(Shop { name: "Ada's" });
    let list = support::result(server(), "tools/list", &json!({}));
    let tool = |name: &str| list["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone();
    let properties = |name: &str| tool(name)["inputSchema"]["properties"].as_object().unwrap().len();
    assert_eq!(properties("greet"), 2);
    assert_eq!(tool("greet")["inputSchema"]["required"], json!(["name"]));
    assert_eq!((properties("whose"), properties("sign")), (0, 0));

    let call = |name: &str, arguments: Value| {
        support::result(server(), "tools/call", &json!({ "name": name, "arguments": arguments }))
    };
    assert_eq!(call("greet", json!({ "name": "Ada" }))["content"][0]["text"], "1 greets Ada");
    assert_eq!(call("sign", json!({}))["content"][0]["text"], "Ada's");
    let refused = call("whose", json!({}));
    assert_eq!((&refused["isError"], &refused["content"][0]["text"]), (&json!(true), &json!("no tenant is named")));
    // It can't be given as an argument either.
    assert_eq!(call("greet", json!({ "name": "Ada", "whoever": {} }))["isError"], true);
}
