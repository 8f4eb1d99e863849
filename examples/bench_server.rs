//! The tools by which this framework is measured next to others: `bench_server stdio`, or `bench_server http ADDRESS`.
//!
//! Fifty-three tools: `echo`, `count` (reports), `export_orders` (a structured result), and fifty that only fill the
//! list.

use std::fmt::Write;

use mcp_server::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Echo a message
#[tool]
async fn echo(
    /// Text to send back
    message: String,
) -> String {
    message
}

/// Report progress n times
#[tool]
async fn count(
    /// How many progress reports to make
    n: u64,
    ctx: Context,
) -> Result<String, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n.to_string())
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Csv,
    Json,
}

#[derive(Serialize, JsonSchema)]
struct Export {
    format: Format,
    rows: u64,
    bytes: usize,
    data: String,
}

/// Export orders
#[tool]
async fn export_orders(
    /// Output format
    format: Format,
    /// Rows at most
    #[tool(default = 100)]
    limit: u64,
    /// Only this customer's orders
    customer: Option<String>,
    ctx: Context,
) -> Result<Json<Export>, ToolError> {
    let customer = customer.as_deref().unwrap_or("acme");
    let mut data = String::new();
    for tenth in 0..10 {
        for order in limit * tenth / 10..limit * (tenth + 1) / 10 {
            let cents = order * 7919 % 100_000;
            match format {
                Format::Csv => writeln!(data, "{order},{customer},{}.{:02},shipped", cents / 100, cents % 100)?,
                Format::Json => {
                    let comma = if order + 1 == limit { "" } else { "," };
                    write!(
                        data,
                        r#"{{"id":{order},"customer":"{customer}","cents":{cents},"status":"shipped"}}{comma}"#
                    )?;
                }
            }
        }
        ctx.report_progress(tenth + 1, 10, format!("{} rows", limit * (tenth + 1) / 10)).await?;
    }
    Ok(Json(Export { format, rows: limit, bytes: data.len(), data }))
}

/// The tools that only fill the list.
fn filler(at: usize) -> mcp_server::Tool {
    let mut tool = mcp_server::Tool::builder(format!("tool_{at:02}"));
    tool.description(format!(
        "Search files, variant {at:02}: looks under path and returns at most max_results matches"
    ));
    let path = tool.parameter::<String, _>("path", "Directory to search");
    let max_results = tool.parameter::<u64, _>("max_results", "Stop after this many");
    let recursive = tool.parameter::<Option<bool>, _>("recursive", "Descend into subdirectories");
    let result = tool.returns::<&'static str>();
    tool.handler(move |call| match (path.take(call), max_results.take(call), recursive.take(call)) {
        (Some(_), Some(_), Some(_)) => call.run(async { "ok" }, result),
        _ => call.refuse(),
    })
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let server = Server::new("bench").tool(echo).tool(count).tool(export_orders);
    let server = (0..50).fold(server, |server, at| server.tool(filler(at)));
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("http"), Some(address)) => server.serve_http(address).await,
        _ => server.serve_stdio().await,
    }
}
