//! A client for the client scenarios of the official conformance suite, which starts it with the URL of a server that
//! watches what it does. `tests/conformance/run` runs them all; by hand:
//!
//! ```sh
//! MCP_CONFORMANCE_SCENARIO=tools_call cargo run --example conformance_client http://127.0.0.1:8000/mcp
//! ```

use std::error::Error;

use mcp_server::prelude::*;
use mcp_server::protocol::{ElicitResult, Tool};
use serde::Deserialize;
use serde_json::Map;

/// What the suite says beside the URL.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

#[derive(Deserialize)]
struct ToolCall {
    name: String,
    arguments: Map<String, serde_json::Value>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().next_back().filter(|url| url.starts_with("http")).ok_or("the last argument is a URL")?;
    let scenario = std::env::var("MCP_CONFORMANCE_SCENARIO")?;
    let client = Client::builder()
        .name("conformance-client")
        // What the form has a default for need not be said.
        .on_elicit(|form| async move {
            let asks_to_confirm = form.requested_schema["properties"].get("confirm").is_some();
            ElicitResult::accept(if asks_to_confirm { json!({ "confirm": true }) } else { json!({}) })
        })
        .http(&url)
        .await?;
    let tools = client.list_tools().await?;
    match scenario.as_str() {
        "initialize" | "request-metadata" | "json-schema-ref-no-deref" => {}
        "tools_call" => {
            client.call_tool("add_numbers", json!({ "a": 5, "b": 3 })).await?;
        }
        "elicitation-sep1034-client-defaults" => {
            client.call_tool("test_client_elicitation_defaults", json!({})).await?;
        }
        "sse-retry" => {
            client.call_tool("test_reconnection", json!({})).await?;
        }
        "sep-2322-client-request-state" => {
            let echo = client.call_tool("test_mrtr_echo_state", json!({}));
            let unrelated = client.call_tool("test_mrtr_unrelated", json!({}));
            tokio::try_join!(echo.into_future(), unrelated.into_future())?;
            client.call_tool("test_mrtr_no_state", json!({})).await?;
            client.call_tool("test_mrtr_no_result_type", json!({})).await?;
        }
        "http-standard-headers" => every_kind(&client, &tools).await?,
        "http-custom-headers" => {
            let told: Told = serde_json::from_str(&std::env::var("MCP_CONFORMANCE_CONTEXT")?)?;
            for ToolCall { name, arguments } in told.tool_calls {
                client.call_tool(name, arguments).await?;
            }
        }
        "http-invalid-tool-headers" => {
            // Only those that can be called are in the list.
            for tool in tools {
                client.call_tool(tool.name, json!({ "region": "eu" })).await?;
            }
        }
        "json-schema-2020-12-preservation" => {
            let known =
                tools.iter().find(|tool| tool.name == "json_schema_2020_12_tool").ok_or("the tool is missing")?;
            client.call_tool("json_schema_echo", json!({ "schema": known.input_schema })).await?;
        }
        other => return Err(format!("there is no scenario `{other}` here").into()),
    }
    client.close().await;
    Ok(())
}

async fn every_kind(client: &Client, tools: &[Tool]) -> Result<(), Box<dyn Error>> {
    for tool in tools {
        client.call_tool(&*tool.name, json!({})).await?;
    }
    for resource in client.list_resources().await? {
        client.read_resource(resource.uri).await?;
    }
    for prompt in client.list_prompts().await? {
        client.get_prompt(prompt.name, json!({})).await?;
    }
    Ok(())
}
