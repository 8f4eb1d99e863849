//! Servers on a real socket, and what clients send them, header by header.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::{HeaderMap, Request, StatusCode};
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_server::{Http, ServeError, Server};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::META;

/// However busy the machine is, what is to come has come by then.
pub const LONG: Duration = Duration::from_secs(60);

/// A server on a port of its own.
pub struct Site {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    serving: JoinHandle<Result<(), ServeError>>,
}

impl Site {
    pub async fn open(server: Server) -> Self {
        Self::of(server.http()).await
    }

    pub async fn of(http: Http) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let serving = http.listener(listener).serve_until(async {
            let _ = stopped.await;
        });
        Self { address, stop: Some(stop), serving: tokio::spawn(serving) }
    }

    /// Tells it to end, and goes on.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until it has ended.
    pub async fn close(mut self) {
        self.stop();
        tokio::time::timeout(LONG, self.serving).await.expect("it ends").unwrap().unwrap();
    }

    pub async fn send(&self, ask: Ask) -> Answer {
        self.try_send(ask).await.expect("it answers")
    }

    pub async fn try_send(&self, ask: Ask) -> Result<Answer, hyper::Error> {
        let connection = Connection::open(self.address).await;
        connection.send(ask).await
    }

    /// Begins a session of that revision: its id.
    pub async fn session(&self, version: &str, capabilities: Value) -> String {
        let answer = self.send(Ask::initialize(version, capabilities)).await;
        assert_eq!(answer.status, StatusCode::OK);
        let id = answer.headers["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(answer.json().await["result"]["protocolVersion"], version);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.send(Ask::post(&initialized).session(&id)).await.status, StatusCode::ACCEPTED);
        id
    }
}

/// One connection of a client, HTTP/1.1 or HTTP/2.
pub struct Connection {
    sender: Sender,
    task: Task,
}

enum Sender {
    One(hyper::client::conn::http1::SendRequest<Full<Bytes>>),
    Two(hyper::client::conn::http2::SendRequest<Full<Bytes>>),
}

/// Ends with whoever holds it.
pub struct Task(JoinHandle<()>);

impl From<JoinHandle<()>> for Task {
    fn from(task: JoinHandle<()>) -> Self {
        Self(task)
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Connection {
    pub async fn open(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
        let task = Task(tokio::spawn(async {
            let _ = connection.await;
        }));
        Self { sender: Sender::One(sender), task }
    }

    pub async fn open_h2(address: SocketAddr) -> Self {
        let stream = TokioIo::new(TcpStream::connect(address).await.unwrap());
        let (sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), stream).await.unwrap();
        let task = Task(tokio::spawn(async {
            let _ = connection.await;
        }));
        Self { sender: Sender::Two(sender), task }
    }

    /// Sends a request and nothing more on this connection, which ends with the answer.
    pub async fn send(mut self, ask: Ask) -> Result<Answer, hyper::Error> {
        let response = self.request(ask).await?;
        Ok(Answer { task: Some(self.task), ..response })
    }

    /// Sends one of several requests on this connection.
    pub async fn request(&mut self, ask: Ask) -> Result<Answer, hyper::Error> {
        let request = ask.into_request();
        let response = match &mut self.sender {
            Sender::One(sender) => {
                sender.ready().await?;
                tokio::time::timeout(LONG, sender.send_request(request)).await.expect("it answers")?
            }
            Sender::Two(sender) => {
                let mut sender = sender.clone();
                sender.ready().await?;
                tokio::time::timeout(LONG, sender.send_request(request)).await.expect("it answers")?
            }
        };
        let (parts, body) = response.into_parts();
        Ok(Answer { status: parts.status, headers: parts.headers, body, rest: Vec::new(), task: None })
    }

    /// Another handle to a connection of HTTP/2.
    pub fn same(&self) -> Self {
        let Sender::Two(sender) = &self.sender else { panic!("HTTP/1.1 has one request at a time") };
        Self { sender: Sender::Two(sender.clone()), task: Task(tokio::spawn(async {})) }
    }
}

/// What a client sends.
#[derive(Clone, Debug)]
pub struct Ask {
    method: String,
    path: String,
    headers: Vec<(String, Vec<u8>)>,
    body: Vec<u8>,
}

impl Ask {
    pub fn new(method: &str) -> Self {
        Self { method: method.into(), path: "/mcp".into(), headers: Vec::new(), body: Vec::new() }
    }

    /// A message as an older client sends it.
    pub fn post(message: &Value) -> Self {
        Self::text(&message.to_string())
    }

    pub fn text(body: &str) -> Self {
        let ask = Self::new("POST").header("content-type", "application/json");
        let ask = ask.header("accept", "application/json, text/event-stream");
        Self { body: body.as_bytes().to_vec(), ..ask }
    }

    pub fn initialize(version: &str, capabilities: Value) -> Self {
        Self::post(&json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {
                "protocolVersion": version, "capabilities": capabilities,
                "clientInfo": { "name": "test", "version": "1" }
            }
        }))
    }

    /// A request of an older session.
    pub fn legacy(session: &str, id: impl Into<Value>, method: &str, params: Value) -> Self {
        let message = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params });
        Self::post(&message).session(session)
    }

    /// A stateless request, with all headers that it needs.
    pub fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Self {
        let mut meta: Value = serde_json::from_str(META).unwrap();
        if let Some(Value::Object(more)) = params.get_mut("_meta").map(Value::take) {
            meta.as_object_mut().unwrap().extend(more);
        }
        params["_meta"] = meta;
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str).map(str::to_owned);
        let message = json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params });
        let ask = Self::post(&message).header("mcp-protocol-version", "2026-07-28").header("mcp-method", method);
        match name {
            Some(name) => ask.header("mcp-name", &name),
            None => ask,
        }
    }

    /// A call of a tool, with a token that asks for reports.
    pub fn call(id: impl Into<Value>, name: &str, arguments: Value) -> Self {
        let id = id.into();
        let token = format!("token {id}");
        let params = json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": token } });
        Self::modern(id, "tools/call", params)
    }

    /// The same in an older session.
    pub fn legacy_call(session: &str, id: impl Into<Value>, name: &str, arguments: Value) -> Self {
        let id = id.into();
        let token = format!("token {id}");
        let params = json!({ "name": name, "arguments": arguments, "_meta": { "progressToken": token } });
        Self::legacy(session, id, "tools/call", params)
    }

    pub fn session(self, id: &str) -> Self {
        self.header("mcp-session-id", id)
    }

    /// Adds a header.
    pub fn header(self, name: &str, value: &str) -> Self {
        self.raw_header(name, value.as_bytes())
    }

    pub fn raw_header(mut self, name: &str, value: &[u8]) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Takes a header out.
    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    /// With another value of a header.
    pub fn with(self, name: &str, value: &str) -> Self {
        self.without(name).header(name, value)
    }

    pub fn path(self, path: &str) -> Self {
        Self { path: path.into(), ..self }
    }

    pub fn method(self, method: &str) -> Self {
        Self { method: method.into(), ..self }
    }

    fn into_request(self) -> Request<Full<Bytes>> {
        let mut request = Request::builder().method(self.method.as_str()).uri(&self.path);
        if !self.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            request = request.header("host", "localhost");
        }
        for (name, value) in &self.headers {
            request = request.header(name.as_str(), value.as_slice());
        }
        request.body(Full::new(self.body.into())).expect("the request can be written")
    }
}

/// What the server answers.
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: Incoming,
    /// What was read of the body, and not looked at.
    rest: Vec<u8>,
    task: Option<Task>,
}

/// One event of a stream.
#[derive(Debug, Default, PartialEq)]
pub struct Event {
    pub id: Option<String>,
    pub retry: Option<u64>,
    pub data: Option<String>,
    pub comment: bool,
}

impl Event {
    /// The message in it.
    pub fn message(&self) -> Value {
        serde_json::from_str(self.data.as_deref().expect("there is data")).expect("it is JSON")
    }
}

impl Answer {
    pub fn is_events(&self) -> bool {
        self.headers.get("content-type").is_some_and(|value| value == "text/event-stream")
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// All of the body.
    pub async fn text(mut self) -> String {
        while self.fill().await {}
        String::from_utf8(self.rest).unwrap()
    }

    /// The body, which is JSON.
    pub async fn json(self) -> Value {
        assert_eq!(self.header("content-type"), Some("application/json"));
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// The code and the text of an error.
    pub async fn error(self) -> (i64, String) {
        let json = self.json().await;
        let error = &json["error"];
        (error["code"].as_i64().unwrap_or_else(|| panic!("{json}")), error["message"].as_str().unwrap().to_owned())
    }

    async fn fill(&mut self) -> bool {
        match tokio::time::timeout(LONG, self.body.frame()).await.expect("the body goes on") {
            Some(Ok(frame)) => {
                self.rest.extend_from_slice(&frame.into_data().unwrap_or_default());
                true
            }
            Some(Err(error)) => panic!("the body has broken: {error}"),
            None => false,
        }
    }

    /// The next event, comments among them; `None` at the end.
    pub async fn event(&mut self) -> Option<Event> {
        assert!(self.is_events(), "{:?}", self.headers);
        loop {
            if let Some(end) = self.rest.windows(2).position(|pair| pair == b"\n\n") {
                let rest = self.rest.split_off(end + 2);
                let block = String::from_utf8(std::mem::replace(&mut self.rest, rest)).unwrap();
                let mut event = Event::default();
                for line in block.lines().filter(|line| !line.is_empty()) {
                    match line.split_once(": ").unwrap_or((line, "")) {
                        ("id", id) => event.id = Some(id.into()),
                        ("retry", time) => event.retry = Some(time.parse().unwrap()),
                        ("data" | "data:", data) => assert_eq!(event.data.replace(data.into()), None, "{block}"),
                        ("" | ":", _) => event.comment = true,
                        _ => panic!("an unknown field: {block}"),
                    }
                }
                return Some(event);
            }
            if !self.fill().await {
                assert!(self.rest.is_empty(), "the stream ends in the middle of an event");
                return None;
            }
        }
    }

    /// The next message.
    pub async fn message(&mut self) -> Option<Value> {
        loop {
            let event = self.event().await?;
            if event.data.as_ref().is_some_and(|data| !data.is_empty()) {
                return Some(event.message());
            }
        }
    }

    /// All messages to the end.
    pub async fn messages(mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        messages
    }

    /// The answer to a request, in whatever form it comes.
    pub async fn response(self) -> Value {
        if self.is_events() { self.messages().await.pop().expect("there is a response") } else { self.json().await }
    }
}

/// The text of a result of a tool.
pub fn text_of(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{response}"))
}

/// What a report says.
pub fn report_of(message: &Value) -> (Value, Value) {
    assert_eq!(message["method"], "notifications/progress", "{message}");
    (message["params"]["progressToken"].clone(), message["params"]["progress"].clone())
}

/// Runs a test on several threads, with a clock that goes on.
pub fn run<F: Future>(test: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(LONG * 2, test).await.expect("the test ends") })
}
