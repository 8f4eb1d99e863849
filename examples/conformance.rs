//! Everything that the official conformance suite asks a server for, under the names that it knows.
//!
//! `cargo run --example conformance` serves at `http://127.0.0.1:8000/mcp`, or at another address that is given; with
//! `-- stdio` it serves on standard input and output.
//!
//! The suite is `@modelcontextprotocol/conformance` on npm. Each fixture is a function of a few lines; the comments say
//! what the suite holds against it where that is not plain to see.

use std::time::Duration;

use mcp_server::prelude::*;
use mcp_server::protocol::{
    AudioContent, CreateMessageParams, CreateMessageResult, EmbeddedResource, ImageContent, ListRootsResult,
    LoggingLevel, PromptArgument, PromptMessage, ResourceContents, SamplingMessage, TextContent,
};
use mcp_server::{AskError, Prompt, ServerHandle, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A red pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/// A sound without a sample.
const WAV: &str = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=";

fn image() -> ImageContent {
    ImageContent::base64(PNG, "image/png")
}

async fn pause() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

// --- Tools: what they return ---

/// Return a text.
#[tool(read_only)]
async fn test_simple_text() -> &'static str {
    "This is a simple text response for testing."
}

/// Return a picture.
#[tool(read_only)]
async fn test_image_content() -> ImageContent {
    image()
}

/// Return a sound.
#[tool(read_only)]
async fn test_audio_content() -> AudioContent {
    AudioContent::base64(WAV, "audio/wav")
}

/// Return a resource.
#[tool(read_only)]
async fn test_embedded_resource() -> EmbeddedResource {
    let contents = ResourceContents::text("test://embedded-resource", "This is an embedded resource content.");
    EmbeddedResource::new(contents.with_mime_type("text/plain"))
}

/// Return a text, a picture and a resource.
#[tool(read_only)]
async fn test_multiple_content_types() -> Vec<ContentBlock> {
    let contents = ResourceContents::text("test://mixed-content-resource", r#"{"test":"data","value":123}"#);
    vec![
        TextContent::new("Multiple content types test:").into(),
        image().into(),
        EmbeddedResource::new(contents.with_mime_type("application/json")).into(),
    ]
}

/// Fail.
#[tool]
async fn test_error_handling() -> Result<(), ToolError> {
    Err(ToolError::new("This tool intentionally returns an error for testing"))
}

// --- Tools: what they tell meanwhile ---

/// Log three messages.
#[tool]
async fn test_tool_with_logging(ctx: Context) -> Result<&'static str, ToolError> {
    for message in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        ctx.log(LoggingLevel::Info, message).await?;
        pause().await;
    }
    Ok("Tool with logging executed successfully")
}

/// Log a message, which only a client that asked for it gets.
#[tool]
async fn test_logging_tool(ctx: Context) -> Result<&'static str, ToolError> {
    ctx.log(LoggingLevel::Info, "This is for whoever wants it").await?;
    Ok("Logging tool executed")
}

/// Report three times.
#[tool]
async fn test_tool_with_progress(ctx: Context) -> Result<&'static str, ToolError> {
    for done in [0, 50, 100] {
        ctx.report_progress(done, 100, format!("Completed step {done} of 100")).await?;
        pause().await;
    }
    Ok("Tool with progress executed successfully")
}

/// Send the client away, and have it come back for the result.
#[tool]
async fn test_reconnection(ctx: Context) -> &'static str {
    ctx.reconnect_after(Duration::from_millis(500)).await;
    pause().await;
    "Reconnection test completed successfully"
}

// --- Tools: what they ask, in the usual way ---

fn question(prompt: impl Into<String>) -> CreateMessageParams {
    CreateMessageParams::new([SamplingMessage::user(prompt.into())], 100)
}

/// Ask the model of the client.
#[tool]
async fn test_sampling(
    /// What the model is asked.
    prompt: String,
    ctx: Context,
) -> Result<String, ToolError> {
    Ok(format!("LLM response: {}", ctx.sample(question(prompt)).await?.text()))
}

/// Ask the model of a client that did not say that it has one: such a request ends with an error, not with a result.
#[tool]
async fn test_missing_capability(ctx: Context) -> Result<String, ToolError> {
    Ok(ctx.sample(question("Are you there?")).await?.text())
}

/// What became of a form, in words.
fn outcome<T: Serialize>(elicited: &Elicited<T>) -> String {
    let (action, content) = match elicited {
        Elicited::Accept(content) => ("accept", json!(content)),
        Elicited::Decline => ("decline", json!({})),
        Elicited::Cancel => ("cancel", json!({})),
    };
    format!("action={action}, content={content}")
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct User {
    /// User's response
    username: String,
    /// User's email address
    email: String,
}

/// Ask the user for a name and an address.
#[tool]
async fn test_elicitation(
    /// What the user is told.
    message: String,
    ctx: Context,
) -> Result<String, ToolError> {
    let user = ctx.elicit::<User>(message).await?;
    Ok(format!("User response: {}", outcome(&user)))
}

/// Ask the user, on a stream that carries nothing but this request.
#[tool]
async fn test_streaming_elicitation(ctx: Context) -> Result<String, ToolError> {
    Ok(outcome(&ctx.elicit::<Name>("What is your name?").await?))
}

/// The defaults of each kind of field, which are compared one by one.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
struct Profile {
    name: String,
    age: i64,
    score: f64,
    status: Status,
    verified: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

impl Default for Profile {
    fn default() -> Self {
        Self { name: "John Doe".into(), age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

/// Ask the user with a form that is filled in already.
#[tool]
async fn test_elicitation_sep1034_defaults(ctx: Context) -> Result<String, ToolError> {
    let profile = ctx.elicit::<Profile>("Please review and update the form fields with defaults").await?;
    Ok(format!("Elicitation completed: {}", outcome(&profile)))
}

/// Ask the user to choose, in every form that a choice has or had. A type makes the newest one, so that this is written
/// by hand.
#[tool]
async fn test_elicitation_sep1330_enums(ctx: Context) -> Result<String, ToolError> {
    let options = ["option1", "option2", "option3"];
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" }
    ]);
    let schema = json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"]
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } }
        }
    });
    let choice = ctx.elicit_with("Please select options from the enum fields", schema).await?;
    Ok(format!("Elicitation completed: {}", outcome(&choice)))
}

// --- Tools: what they ask by hand, under the keys that the suite looks for ---

#[derive(Serialize, Deserialize, JsonSchema)]
struct Name {
    /// The name
    name: String,
}

/// Ask for a name. Whoever sends it along without having been asked is greeted too; what is no name is asked for again.
#[tool]
async fn test_input_required_result_elicitation(ctx: Context) -> Result<String, ToolError> {
    loop {
        match ctx.elicit_response::<Name>("user_name").await {
            Ok(Some(Elicited::Accept(Name { name }))) => return Ok(format!("Hello, {name}!")),
            Ok(Some(_)) => return Ok("Hello, stranger!".into()),
            Ok(None) | Err(AskError::Invalid(_)) => {
                ctx.input_required().elicit::<Name>("user_name", "What is your name?").ask().await?;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Ask the model.
#[tool]
async fn test_input_required_result_sampling(ctx: Context) -> Result<String, ToolError> {
    loop {
        if let Some(answer) = ctx.input_response::<CreateMessageResult>("capital_question").await? {
            return Ok(answer.text());
        }
        let question = question("What is the capital of France?");
        ctx.input_required().sample("capital_question", question).ask().await?;
    }
}

/// Ask for the folders.
#[tool]
async fn test_input_required_result_list_roots(ctx: Context) -> Result<String, ToolError> {
    loop {
        if let Some(answer) = ctx.input_response::<ListRootsResult>("client_roots").await? {
            let folders: Vec<String> = answer.roots.into_iter().map(|root| root.uri).collect();
            return Ok(format!("Roots: {}", folders.join(", ")));
        }
        ctx.input_required().roots("client_roots").ask().await?;
    }
}

#[derive(Deserialize, JsonSchema)]
struct Confirmation {
    ok: bool,
}

/// Ask for a confirmation that counts only for whoever was asked.
async fn confirmed(ctx: &Context) -> Result<&'static str, ToolError> {
    loop {
        let was_asked = ctx.request_state::<bool>().await? == Some(true);
        match ctx.elicit_response::<Confirmation>("confirm").await? {
            Some(Elicited::Accept(Confirmation { ok: true })) if was_asked => return Ok("state-ok"),
            Some(_) if was_asked => return Ok("not confirmed"),
            _ => ctx.input_required().elicit::<Confirmation>("confirm", "Please confirm").state(&true).ask().await?,
        }
    }
}

/// Ask with a state, which has to come back.
#[tool]
async fn test_input_required_result_request_state(ctx: Context) -> Result<&'static str, ToolError> {
    confirmed(&ctx).await
}

/// Ask with a state, which can't be changed on the way.
#[tool]
async fn test_input_required_result_tampered_state(ctx: Context) -> Result<&'static str, ToolError> {
    confirmed(&ctx).await
}

/// Ask the user, the model and for the folders at once.
#[tool]
async fn test_input_required_result_multiple_inputs(ctx: Context) -> Result<String, ToolError> {
    loop {
        let name = ctx.elicit_response::<Name>("user_name").await?;
        let greeting = ctx.input_response::<CreateMessageResult>("greeting").await?;
        let folders = ctx.input_response::<ListRootsResult>("client_roots").await?;
        if let (Some(name), Some(greeting), Some(folders)) = (name, greeting, folders) {
            let name = name.accepted().map_or("stranger".into(), |Name { name }| name);
            return Ok(format!("{}, {name}! You have {} roots.", greeting.text(), folders.roots.len()));
        }
        ctx.input_required()
            .elicit::<Name>("user_name", "What is your name?")
            .sample("greeting", question("Generate a greeting"))
            .roots("client_roots")
            .state(&"multiple inputs")
            .ask()
            .await?;
    }
}

/// How far two rounds have come.
#[derive(Serialize, Deserialize)]
enum Step {
    Name,
    Colour { name: String },
}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    color: String,
}

/// Ask twice: the second state holds the first answer.
#[tool]
async fn test_input_required_result_multi_round(ctx: Context) -> Result<String, ToolError> {
    loop {
        match ctx.request_state().await? {
            None => {
                let round = ctx.input_required().elicit::<Name>("step1", "Step 1: What is your name?");
                round.state(&Step::Name).ask().await?;
            }
            Some(Step::Name) => {
                let name = ctx.elicit_response::<Name>("step1").await?.and_then(Elicited::accepted);
                let name = name.map_or("stranger".into(), |Name { name }| name);
                let round = ctx.input_required().elicit::<Colour>("step2", "Step 2: What is your favorite color?");
                round.state(&Step::Colour { name }).ask().await?;
            }
            Some(Step::Colour { name }) => {
                let colour = ctx.elicit_response::<Colour>("step2").await?.and_then(Elicited::accepted);
                return Ok(match colour {
                    Some(Colour { color }) => format!("{name} likes {color}"),
                    None => format!("{name} likes no color"),
                });
            }
        }
    }
}

/// Ask whatever the client can be asked, and nothing else.
#[tool]
async fn test_input_required_result_capabilities(ctx: Context) -> Result<String, ToolError> {
    loop {
        let name = ctx.elicit_response::<Name>("user_name").await?;
        let greeting = ctx.input_response::<CreateMessageResult>("greeting").await?;
        if name.is_some() || greeting.is_some() {
            let name = name.and_then(Elicited::accepted).map_or("stranger".into(), |Name { name }| name);
            return Ok(format!("{}, {name}", greeting.map_or("Hello".into(), |greeting| greeting.text())));
        }
        let can = ctx.client_capabilities();
        let mut round = ctx.input_required();
        if can.elicitation.is_some() {
            round = round.elicit::<Name>("user_name", "What is your name?");
        }
        if can.sampling.is_some() {
            round = round.sample("greeting", question("Generate a greeting"));
        }
        round.ask().await?;
    }
}

// --- Tools with schemas of their own ---

/// The keywords of JSON Schema 2020-12 that are easily lost on the way.
fn json_schema_2020_12_tool() -> Tool {
    let mut tool = Tool::builder("json_schema_2020_12_tool");
    tool.description("Take arguments by a schema with the keywords of JSON Schema 2020-12.");
    tool.input_schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
            }
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" }
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    }));
    tool.call(
        |arguments: Map<String, Value>, _ctx: Context| async move { format!("Contact: {}", Value::Object(arguments)) },
    )
}

/// Take an argument that an HTTP client repeats in a header: `Mcp-Param-Region`.
#[tool(read_only)]
async fn test_x_mcp_header(#[tool(header = "Region")] region: Option<String>) -> String {
    format!("Region: {}", region.as_deref().unwrap_or("nowhere"))
}

// --- What comes and goes while the server is served ---

/// Come and go.
#[tool(read_only)]
async fn test_dynamic_tool() -> &'static str {
    "This tool is there at the moment"
}

/// Come and go.
#[prompt]
async fn test_dynamic_prompt() -> &'static str {
    "This prompt is there at the moment."
}

struct Changes {
    server: ServerHandle,
}

#[server]
impl Changes {
    /// Add a tool, or take it out again.
    #[tool]
    async fn test_trigger_tool_change(&self) -> Result<&'static str, ToolError> {
        if self.server.remove_tool("test_dynamic_tool") {
            return Ok("removed `test_dynamic_tool`");
        }
        self.server.add_tool(test_dynamic_tool)?;
        Ok("added `test_dynamic_tool`")
    }

    /// Add a prompt, or take it out again.
    #[tool]
    async fn test_trigger_prompt_change(&self) -> Result<&'static str, ToolError> {
        if self.server.remove_prompt("test_dynamic_prompt") {
            return Ok("removed `test_dynamic_prompt`");
        }
        self.server.add_prompt(test_dynamic_prompt)?;
        Ok("added `test_dynamic_prompt`")
    }
}

// --- Resources ---

/// A text that never changes.
#[resource("test://static-text", mime_type = "text/plain")]
async fn static_text() -> &'static str {
    "This is the content of the static text resource."
}

/// A picture that never changes.
#[resource("test://static-binary", mime_type = "image/png")]
async fn static_binary() -> ResourceContents {
    ResourceContents::base64("test://static-binary", PNG)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    id: String,
    template_test: bool,
    data: String,
}

/// The data of an id.
#[resource("test://template/{id}/data", mime_type = "application/json")]
async fn template(id: String) -> Json<Data> {
    Json(Data { data: format!("Data for ID: {id}"), template_test: true, id })
}

/// A text that clients may watch.
#[resource("test://watched-resource", mime_type = "text/plain")]
async fn watched_resource() -> &'static str {
    "Watched resource content"
}

// --- Prompts ---

/// Say a sentence.
#[prompt]
async fn test_simple_prompt() -> &'static str {
    "This is a simple prompt for testing."
}

/// Say a sentence with two arguments in it.
#[prompt]
async fn test_prompt_with_arguments(
    /// The first test argument.
    #[prompt(complete = values)]
    arg1: String,
    /// The second test argument.
    arg2: String,
) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

fn values(typed: String) -> Vec<&'static str> {
    ["testValue1", "testValue2"].into_iter().filter(|value| value.starts_with(&typed)).collect()
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Embedded {
    resource_uri: String,
}

/// By hand, since the name of its argument is none in Rust.
fn test_prompt_with_embedded_resource() -> Prompt {
    let mut prompt = Prompt::builder("test_prompt_with_embedded_resource");
    prompt.description("Show a resource.");
    prompt.argument(PromptArgument { required: Some(true), ..PromptArgument::new("resourceUri") });
    prompt.get(|Embedded { resource_uri }: Embedded, _ctx: Context| async move {
        let contents = ResourceContents::text(resource_uri, "Embedded resource content for testing.");
        vec![
            PromptMessage::user(EmbeddedResource::new(contents.with_mime_type("text/plain"))),
            PromptMessage::user("Please process the embedded resource above."),
        ]
    })
}

/// Show a picture.
#[prompt]
async fn test_prompt_with_image() -> Vec<PromptMessage> {
    vec![PromptMessage::user(image()), PromptMessage::user("Please analyze the image above.")]
}

#[derive(Deserialize, JsonSchema)]
struct About {
    context: String,
}

/// Say what the user wants to talk about.
#[prompt]
async fn test_input_required_result_prompt(ctx: Context) -> Result<String, RequestError> {
    loop {
        match ctx.elicit_response::<About>("user_context").await? {
            Some(Elicited::Accept(About { context })) => return Ok(format!("Use this context: {context}")),
            Some(_) => return Ok("There is no context.".into()),
            None => {
                let round = ctx.input_required();
                round.elicit::<About>("user_context", "What context should the prompt use?").ask().await?;
            }
        }
    }
}

// --- The server ---

fn server() -> Server {
    let server = Server::new("conformance").version(env!("CARGO_PKG_VERSION")).logging();
    let changes = Changes { server: server.handle() };
    server
        // The suite tries headers with the tool and reads with the resource that come first in their lists.
        .tool(test_simple_text)
        .tool(test_image_content)
        .tool(test_audio_content)
        .tool(test_embedded_resource)
        .tool(test_multiple_content_types)
        .tool(test_error_handling)
        .tool(test_tool_with_logging)
        .tool(test_logging_tool)
        .tool(test_tool_with_progress)
        .tool(test_reconnection)
        .tool(test_sampling)
        .tool(test_missing_capability)
        .tool(test_elicitation)
        .tool(test_streaming_elicitation)
        .tool(test_elicitation_sep1034_defaults)
        .tool(test_elicitation_sep1330_enums)
        .tool(test_input_required_result_elicitation)
        .tool(test_input_required_result_sampling)
        .tool(test_input_required_result_list_roots)
        .tool(test_input_required_result_request_state)
        .tool(test_input_required_result_tampered_state)
        .tool(test_input_required_result_multiple_inputs)
        .tool(test_input_required_result_multi_round)
        .tool(test_input_required_result_capabilities)
        .tool(json_schema_2020_12_tool())
        .tool(test_x_mcp_header)
        .with(changes)
        .resource(static_text)
        .resource(static_binary)
        .resource(template)
        .resource(watched_resource)
        .prompt(test_simple_prompt)
        .prompt(test_prompt_with_arguments)
        .prompt(test_prompt_with_embedded_resource())
        .prompt(test_prompt_with_image)
        .prompt(test_input_required_result_prompt)
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => server().serve_stdio().await,
        address => server().serve_http(address.unwrap_or("127.0.0.1:8000")).await,
    }
}
