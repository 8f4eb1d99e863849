//! A server in the hands of a test, which answers one message after the other with results that are written as values.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

use std::borrow::Borrow;

use mcp_server::Client;
use mcp_server::client::ClientBuilder;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

/// The server's end of a connection, in the hands of a test.
pub struct Fake {
    pub lines: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    pub output: WriteHalf<DuplexStream>,
    /// The message that came last, as it came.
    pub line: String,
}

/// Connects to a fake of that revision.
pub async fn connect(builder: ClientBuilder, version: &str) -> (Client, Fake) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(ours);
    let (input, output) = tokio::io::split(theirs);
    let mut fake = Fake { lines: BufReader::new(input).lines(), output, line: String::new() };
    let serve = async {
        if version == "2026-07-28" {
            let discovered = json!({ "supportedVersions": [version], "capabilities": {} });
            fake.answer("server/discover", &discovered).await;
            return;
        }
        fake.refuse("server/discover", -32601).await;
        let initialized = json!({ "protocolVersion": version, "capabilities": {}, "serverInfo": { "name": "old" } });
        fake.answer("initialize", &initialized).await;
        fake.expect("notifications/initialized").await;
    };
    let (client, ()) = tokio::join!(builder.streams(reader, writer), serve);
    (client.unwrap(), fake)
}

impl Fake {
    pub async fn read(&mut self) -> Option<Value> {
        self.line = self.lines.next_line().await.unwrap()?;
        Some(serde_json::from_str(&self.line).unwrap())
    }

    /// The next message, which must be of that method.
    pub async fn expect(&mut self, method: &str) -> Value {
        let message = self.read().await;
        assert!(message.as_ref().is_some_and(|message| message["method"] == method), "{method}: {message:?}");
        message.unwrap()
    }

    pub async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        self.output.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    /// Answers the next message, which must be of that method; its params.
    pub async fn answer(&mut self, method: &str, result: impl Borrow<Value>) -> Value {
        let mut request = self.expect(method).await;
        self.send(json!({ "id": request["id"], "result": result.borrow() })).await;
        request["params"].take()
    }

    pub async fn refuse(&mut self, method: &str, code: i64) -> Value {
        let mut request = self.expect(method).await;
        self.send(json!({ "id": request["id"], "error": { "code": code, "message": "no" } })).await;
        request["params"].take()
    }
}
