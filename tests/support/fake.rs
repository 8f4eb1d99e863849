//! The server's end of a connection, in the hands of a test: it says what no good server would.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

use mcp_server::client::{CallError, ClientBuilder, ConnectError};
use mcp_server::prelude::*;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

pub const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}"#;

/// The server's end of a connection, in the hands of a test.
pub struct Fake {
    pub lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub output: WriteHalf<DuplexStream>,
    /// Every message that came.
    pub seen: Vec<Value>,
}

/// Connects to a fake that does its part.
pub async fn connect(
    builder: ClientBuilder,
    serve: impl AsyncFnOnce(&mut Fake),
) -> (Result<Client, ConnectError>, Fake) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(ours);
    let (input, output) = tokio::io::split(theirs);
    let mut fake = Fake { lines: BufReader::new(input).lines(), output, seen: Vec::new() };
    let (client, ()) = tokio::join!(builder.streams(reader, writer), serve(&mut fake));
    (client, fake)
}

pub async fn modern() -> (Client, Fake) {
    modern_as(Client::builder()).await
}

/// The same for a client that was set up.
pub async fn modern_as(builder: ClientBuilder) -> (Client, Fake) {
    let (client, fake) = connect(builder, async |fake| fake.discover().await).await;
    (client.unwrap(), fake)
}

pub async fn legacy(version: &str) -> (Client, Fake) {
    legacy_as(Client::builder(), version, json!({})).await
}

/// The same for a client that was set up, and a server with capabilities.
pub async fn legacy_as(builder: ClientBuilder, version: &str, capabilities: Value) -> (Client, Fake) {
    let (client, fake) = connect(builder, async |fake| {
        fake.refuse_probe().await;
        let initialize = fake.expect("initialize").await;
        let mut answer: Value = serde_json::from_str(&initialized(&initialize["id"], version)).unwrap();
        answer["result"]["capabilities"] = capabilities;
        fake.write(&format!("{answer}\n")).await;
        fake.expect("notifications/initialized").await;
    })
    .await;
    (client.unwrap(), fake)
}

impl Fake {
    pub async fn read(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.unwrap()?;
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0");
        self.seen.push(message.clone());
        Some(message)
    }

    /// The next message, which must be of that method.
    #[track_caller]
    pub fn expect(&mut self, method: &'static str) -> impl Future<Output = Value> {
        let place = std::panic::Location::caller();
        async move {
            let message = self.read().await;
            assert!(message.as_ref().is_some_and(|message| message["method"] == method), "{place}: {message:?}");
            message.unwrap()
        }
    }

    /// Writes in one piece.
    pub async fn write(&mut self, text: &str) {
        self.write_bytes(text.as_bytes()).await;
    }

    pub async fn write_bytes(&mut self, bytes: &[u8]) {
        self.output.write_all(bytes).await.unwrap();
    }

    /// Answers the next message, which must be of that method; what it was.
    pub async fn answer(&mut self, method: &'static str, result: &str) -> Value {
        let request = self.expect(method).await;
        self.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request["id"])).await;
        request
    }

    /// Writes a message.
    pub async fn say(&mut self, message: Value) {
        self.write(&format!("{message}\n")).await;
    }

    /// Answers a request.
    pub async fn reply(&mut self, request: &Value, result: Value) {
        self.say(json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    /// Ends the round of a call with questions.
    pub async fn asks(&mut self, call: &Value, questions: Value, state: Option<&str>) {
        let mut result = json!({ "resultType": "input_required" });
        if !questions.is_null() {
            result["inputRequests"] = questions;
        }
        if let Some(state) = state {
            result["requestState"] = state.into();
        }
        self.reply(call, result).await;
    }

    pub async fn discover(&mut self) {
        self.answer("server/discover", DISCOVERED).await;
    }

    pub async fn refuse_probe(&mut self) {
        let probe = self.expect("server/discover").await;
        let error = r#"{"code":-32601,"message":"no"}"#;
        self.write(&format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n", probe["id"])).await;
    }

    pub async fn handshake(&mut self, version: &str) {
        let initialize = self.expect("initialize").await;
        self.write(&initialized(&initialize["id"], version)).await;
        self.expect("notifications/initialized").await;
    }

    /// What a call gives that is answered thus.
    pub async fn result(
        &mut self,
        client: &Client,
        result: &str,
    ) -> Result<mcp_server::protocol::CallToolResult, CallError> {
        let call = client.call_tool("x", json!({}));
        tokio::join!(call.into_future(), self.answer("tools/call", result)).0
    }

    /// All is well: the next message is a call, and its answer arrives.
    pub async fn answers_a_call(&mut self, client: &Client) {
        let result = self.result(client, r#"{"content":[{"type":"text","text":"well"}]}"#).await;
        assert_eq!(result.unwrap().text(), "well");
    }
}

pub fn report(token: &Value, done: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{done}}}}}"#
    )
}

pub fn text_result(id: &Value, text: &str) -> String {
    let result = json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] });
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub fn initialized(id: &Value, version: &str) -> String {
    let result = json!({
        "protocolVersion": version,
        "capabilities": {},
        "serverInfo": { "name": "old", "version": "1" },
        "instructions": "be kind",
    });
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n")
}
