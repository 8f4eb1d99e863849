//! The same without macros: what is offered is known only when the program runs.
//!
//! `cargo run --example without_macros` serves on standard input and output. The tools come from a text here, with
//! schemas as JSON, as they might from a file or another service; the rest is built from closures.

use std::collections::HashMap;

use mcp_server::prelude::*;
use mcp_server::{Prompt, Resource, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What another service might say that it can do.
const OPERATIONS: &str = r#"[
    {
        "name": "convert_length",
        "description": "Convert a length.",
        "factor": { "m": 1.0, "ft": 0.3048, "in": 0.0254 },
        "input": {
            "type": "object",
            "properties": {
                "value": { "type": "number", "minimum": 0 },
                "from": { "type": "string", "enum": ["m", "ft", "in"] },
                "to": { "type": "string", "enum": ["m", "ft", "in"] }
            },
            "required": ["value", "from", "to"],
            "additionalProperties": false
        }
    },
    {
        "name": "convert_weight",
        "description": "Convert a weight.",
        "factor": { "kg": 1.0, "lb": 0.45359237 },
        "input": {
            "type": "object",
            "properties": {
                "value": { "type": "number", "minimum": 0 },
                "from": { "type": "string", "enum": ["kg", "lb"] },
                "to": { "type": "string", "enum": ["kg", "lb"] }
            },
            "required": ["value", "from", "to"],
            "additionalProperties": false
        }
    }
]"#;

#[derive(Deserialize)]
struct Operation {
    name: String,
    description: String,
    factor: HashMap<String, f64>,
    input: Value,
}

/// A tool with the schema that came with its operation.
fn converter(operation: Operation) -> Tool {
    let Operation { name, description, factor, input } = operation;
    let mut tool = Tool::builder(name);
    tool.description(description).read_only(true).input_schema(input);
    tool.output_schema(json!({
        "type": "object",
        "properties": { "value": { "type": "number" }, "unit": { "type": "string" } },
        "required": ["value", "unit"]
    }));
    tool.call(move |arguments: Map<String, Value>, _ctx: Context| {
        // The arguments keep the schema, or this would not run.
        let unit = |name: &str| arguments[name].as_str().unwrap_or_default();
        let (from, to) = (factor[unit("from")], factor[unit("to")]);
        let value = arguments["value"].as_f64().unwrap_or_default() * from / to;
        let converted = json!({ "value": value, "unit": unit("to") });
        async move { Json(converted) }
    })
}

/// The arguments of a tool as a struct.
#[derive(Deserialize, JsonSchema)]
struct Count {
    /// How far.
    to: u32,
    /// In which steps; 1 unless given.
    step: Option<u32>,
}

fn counter() -> Tool {
    let mut tool = Tool::builder("count");
    tool.description("Count, and report each number.");
    tool.call(|Count { to, step }: Count, ctx: Context| async move {
        let step = step.unwrap_or(1).max(1);
        for number in (step..=to).step_by(step as usize) {
            ctx.report_progress(number, to, None).await?;
        }
        Ok::<_, ToolError>(format!("counted to {to}"))
    })
}

fn units() -> Resource {
    let mut units = Resource::builder("convert://units/{quantity}");
    units.name("units").description("The units of a quantity.");
    units.complete("quantity", |typed: String| {
        ["length", "weight"].into_iter().filter(|name| name.starts_with(&typed)).collect::<Vec<_>>()
    });
    units.read(|variables: HashMap<String, String>, _ctx: Context| async move {
        match variables["quantity"].as_str() {
            "length" => Ok("m, ft, in"),
            "weight" => Ok("kg, lb"),
            _ => Err(RequestError::not_found()),
        }
    })
}

fn about() -> Resource {
    let mut about = Resource::builder("convert://about");
    about.name("about").mime_type("text/markdown");
    about.read(|(), _ctx: Context| async { "# Conversions\n\nLengths and weights." })
}

/// The arguments of a prompt as a struct.
#[derive(Deserialize)]
struct Quiz {
    quantity: String,
    questions: Option<u8>,
}

fn quiz() -> Prompt {
    let mut quiz = Prompt::builder("quiz");
    quiz.description("Have questions asked about units.");
    let argument = mcp_server::protocol::PromptArgument::new;
    quiz.argument(mcp_server::protocol::PromptArgument { required: Some(true), ..argument("quantity") });
    quiz.argument(argument("questions"));
    quiz.get(|Quiz { quantity, questions }: Quiz, _ctx: Context| async move {
        format!("Ask me {} questions about units of {quantity}.", questions.unwrap_or(3))
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let operations: Vec<Operation> = serde_json::from_str(OPERATIONS)?;
    let server = Server::new("converter").version(env!("CARGO_PKG_VERSION"));
    let server = operations.into_iter().map(converter).fold(server, Server::tool);
    server.tool(counter()).resource(about()).resource(units()).prompt(quiz()).serve_stdio().await?;
    Ok(())
}
