//! Plays scenarios against a server: what a client sends, and what must come back.
//!
//! ```text
//! → 1 tools/call sleep {"ms":5}                 a request: id, method, and for a call the tool and its arguments
//! → "a" tools/list {"cursor":"x"}               of another method: its params
//! → 2 tools/call count {"n":2} token "p"        with a progress token; `meta {…}` adds to `_meta`, `params {…}` to the params
//! → cancelled 1                                 `notifications/cancelled`
//! → notify notifications/initialized {}         any other notification
//! → 2 tools/call refund {} answers {"elicitation/create":{"action":"decline"}}
//!                                               the same once more with the answers to what was asked last, by method
//! → reply 1 {"action":"accept"}                 the answer to a question of an older server
//! → {"jsonrpc":"2.0", …}                        a line as it stands; `META` is the `_meta` that modern requests have
//! → line not json                               the same for what is no JSON
//! → bytes "\xEF\xBB\xBF{}\r\n"                  bytes as they stand, without a line end of their own
//! → end                                         the end of the input
//!
//! ← 1 {"tools":[]}                              a result that has at least these members
//! ← 1 text slept 5 ms                           the result of a call: one block of text
//! ← 1 failed no such sku                        the same with `isError`
//! ← 1 error -32602 no tool is named …           an error; a text that ends with … is a beginning
//! ← error -32700 not JSON: …                    an error without an id
//! ← progress "p" 1/3 exported A17               a report
//! ← 1 asks {"elicitation/create":{"message":"Sure?"}}
//!                                               a round that ends with these questions, by method
//! ← ask 1 elicitation/create {"message":"Sure?"}
//!                                               a question of an older server
//! ← told notifications/message {"level":"info"} any other notification, whose params have at least these members
//! ← {"jsonrpc":"2.0", …}                        a line, byte for byte
//!
//! then                                          what follows comes later than what stands above
//! wait 5 ms                                     the client waits, while the server may go on
//! silence 5 ms                                  nothing may come in that time
//! at 5 ms                                       so long after the start of the scenario, as the paused clock tells
//! ```
//!
//! Lines that are sent one after another go out in one write. Messages of one request must come in the order in which
//! they stand here; those of different requests may come in any order, as the protocol has it, unless there is a `then`.
//! At the end of a scenario the input ends, and nothing may come any more. Time is paused: it passes at once when
//! everybody waits.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

pub mod fake_http;
pub mod hosts;
pub mod http;
pub mod scripted;
pub mod tools;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use mcp_server::{ServeError, Server};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::process::Child;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The `_meta` that each request of a modern scenario has.
pub const META: &str =
    r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Plays a scenario of stateless requests against the server with all test tools.
#[track_caller]
pub fn check(scenario: &str) {
    on(tools::server()).check(scenario);
}

/// Plays a scenario that begins with a handshake of that version.
#[track_caller]
pub fn check_legacy(version: &str, scenario: &str) {
    on(tools::server()).check_legacy(version, scenario);
}

/// Plays a scenario to which nothing is added: no `_meta`, no handshake.
#[track_caller]
pub fn check_bare(scenario: &str) {
    on(tools::server()).check_bare(scenario);
}

/// Plays a scenario against another server.
pub fn on(server: Server) -> Play {
    Play { server: Subject::Server(Box::new(server)), capabilities: json!({}) }
}

/// Plays a scenario against a process: one of the examples, with its arguments. Time is not paused there.
pub fn on_example(name: &str, arguments: &[&str]) -> Play {
    Play { server: Subject::Child(Box::new(example(name, arguments))), capabilities: json!({}) }
}

/// The command that starts one of the examples.
pub fn example(name: &str, arguments: &[&str]) -> Command {
    // `…/target/debug/deps/examples-0123` → `…/target/debug/examples/NAME`
    let deps = std::env::current_exe().expect("a test knows where it is");
    let folder = deps.parent().and_then(Path::parent).expect("tests lie in a folder of the build");
    let path = folder.join("examples").join(name);
    assert!(path.exists(), "there is no {}: `cargo build -p examples --examples` makes it", path.display());
    let mut command = Command::new(path);
    command.args(arguments);
    command
}

/// Runs a test against processes, on one thread and with a clock that goes on.
pub fn block_on_child<F: Future>(future: F) -> F::Output {
    run(false, future)
}

/// See [`on`].
pub struct Play {
    server: Subject,
    capabilities: Value,
}

enum Subject {
    Server(Box<Server>),
    Child(Box<Command>),
}

impl Play {
    /// The client declares these capabilities.
    pub fn with(self, capabilities: Value) -> Self {
        Self { capabilities, ..self }
    }

    #[track_caller]
    pub fn check(self, scenario: &str) {
        self.play(Opening::Modern, scenario);
    }

    #[track_caller]
    pub fn check_legacy(self, version: &str, scenario: &str) {
        self.play(Opening::Legacy(version), scenario);
    }

    #[track_caller]
    pub fn check_bare(self, scenario: &str) {
        self.play(Opening::Bare, scenario);
    }

    #[track_caller]
    fn play(self, opening: Opening<'_>, scenario: &str) {
        let is_paused = matches!(self.server, Subject::Server(_));
        let played = run(is_paused, async {
            let mut player = Player {
                wire: match self.server {
                    Subject::Server(server) => Wire::serve(*server),
                    Subject::Child(command) => Wire::spawn(*command),
                },
                capabilities: self.capabilities,
                asked: Value::Null,
                modern: matches!(opening, Opening::Modern),
                transcript: String::new(),
                unsent: Vec::new(),
                expected: Vec::new(),
                owners: HashMap::new(),
                modern_ids: HashMap::new(),
                started: Instant::now(),
            };
            let played = player.play(opening, scenario).await;
            played.map_err(|deviation| (player.transcript, deviation))
        });
        if let Err((transcript, deviation)) = played {
            panic!("\n{transcript}✗ {deviation}\n\nthe whole scenario:\n{scenario}\n");
        }
    }
}

#[derive(Clone, Copy)]
enum Opening<'a> {
    Modern,
    Legacy(&'a str),
    Bare,
}

/// Runs a test on one thread, with the clock stopped whenever there is something to do.
pub fn block_on<F: Future>(future: F) -> F::Output {
    run(true, future)
}

fn run<F: Future>(is_paused: bool, future: F) -> F::Output {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    runtime.enable_all().start_paused(is_paused).build().unwrap().block_on(future)
}

/// A connection to a server, line by line.
pub struct Wire {
    reader: BufReader<Box<dyn AsyncRead + Unpin>>,
    writer: Option<Box<dyn AsyncWrite + Unpin>>,
    serving: Serving,
    /// When nothing has come for so long, nothing will.
    patience: Duration,
}

enum Serving {
    Task(JoinHandle<Result<(), ServeError>>),
    Child(Box<Child>),
}

/// By the paused clock: no timer of a server is set for later.
const FOREVER: Duration = Duration::from_secs(24 * 60 * 60);

/// By a real clock: however busy the machine is, a process has said by then what it has to say.
const LONG: Duration = Duration::from_secs(60);

impl Wire {
    pub fn serve(server: Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        let serving = tokio::spawn(server.serve(reader, writer));
        let (reader, writer) = tokio::io::split(ours);
        Self {
            reader: BufReader::new(Box::new(reader)),
            writer: Some(Box::new(writer)),
            serving: Serving::Task(serving),
            patience: FOREVER,
        }
    }

    pub fn spawn(command: Command) -> Self {
        let mut command = tokio::process::Command::from(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn().expect("the example starts");
        let (reader, writer) = child.stdout.take().zip(child.stdin.take()).expect("both are piped");
        Self {
            reader: BufReader::new(Box::new(reader)),
            writer: Some(Box::new(writer)),
            serving: Serving::Child(Box::new(child)),
            patience: LONG,
        }
    }

    pub async fn send(&mut self, bytes: &[u8]) {
        let writer = self.writer.as_mut().expect("the input has not ended");
        writer.write_all(bytes).await.expect("the server reads on");
    }

    pub async fn end(&mut self) {
        if let Some(mut writer) = self.writer.take() {
            writer.shutdown().await.expect("the input can end");
        }
    }

    /// The next line, or `None` at the end of the output. `Err`: nothing came in that time.
    pub async fn line_within(&mut self, time: Duration) -> Result<Option<String>, ()> {
        let mut line = Vec::new();
        let read = tokio::time::timeout(time, self.reader.read_until(b'\n', &mut line)).await.map_err(drop)?;
        match read.expect("the output can be read") {
            0 => Ok(None),
            _ => {
                assert_eq!(line.pop(), Some(b'\n'), "the output ends in the middle of a line");
                Ok(Some(String::from_utf8(line).expect("what is written is UTF-8")))
            }
        }
    }

    pub async fn line(&mut self) -> Option<String> {
        self.line_within(self.patience).await.expect("something comes")
    }

    /// How serving ended, after the end of the output.
    pub async fn ended(&mut self) -> Result<(), String> {
        match &mut self.serving {
            Serving::Task(serving) => match serving.await {
                Ok(Ok(())) => Ok(()),
                Ok(Err(error)) => Err(format!("serving failed: {error}")),
                Err(error) => Err(format!("serving panicked: {error}")),
            },
            Serving::Child(child) => match child.wait().await {
                Ok(status) if status.success() => Ok(()),
                Ok(status) => Err(format!("the process ended with {status}")),
                Err(error) => Err(format!("the process can't be waited for: {error}")),
            },
        }
    }
}

/// Sends all of `input` in one write, ends the input, and gives all lines that come back.
pub fn exchange(server: Server, input: &str) -> Vec<String> {
    block_on(async {
        let mut wire = Wire::serve(server);
        wire.send(input.as_bytes()).await;
        wire.end().await;
        let mut lines = Vec::new();
        while let Some(line) = wire.line().await {
            lines.push(line);
        }
        wire.ended().await.unwrap();
        lines
    })
}

/// The result of one modern request.
pub fn result(server: Server, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = serde_json::from_str(META).unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let lines = exchange(server, &format!("{request}\n"));
    let response: Value = serde_json::from_str(&lines[0]).unwrap();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    assert!(response.get("error").is_none(), "{response}");
    response["result"].clone()
}

struct Player {
    wire: Wire,
    modern: bool,
    /// What the client can do.
    capabilities: Value,
    /// The last result that asks.
    asked: Value,
    /// What has been sent and received, beside the lines of the scenario.
    transcript: String,
    unsent: Vec<u8>,
    expected: Vec<Expected>,
    /// The request that each progress token belongs to.
    owners: HashMap<String, String>,
    /// Whether the requests in the short form are stateless ones, by their ids.
    modern_ids: HashMap<String, bool>,
    started: Instant,
}

/// One line that is expected.
struct Expected {
    line: String,
    /// The request that it is about; see [`key`].
    key: String,
    what: What,
}

enum What {
    Exact(String),
    Result(Value),
    Text {
        text: String,
        is_error: bool,
    },
    Error {
        code: i64,
        message: String,
    },
    Progress(Value),
    /// A round that ends with questions: the params of each, by method.
    Asks(Value),
    /// A question of an older server.
    Ask {
        id: String,
        method: String,
        params: Value,
    },
    /// Any other notification.
    Told {
        method: String,
        params: Value,
    },
}

impl Player {
    async fn play(&mut self, opening: Opening<'_>, scenario: &str) -> Result<(), String> {
        if let Opening::Legacy(version) = opening {
            self.shake_hands(version).await?;
        }
        self.started = Instant::now();
        for line in scenario.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")) {
            if let Some(sent) = line.strip_prefix("→ ") {
                self.receive().await?;
                let _ = writeln!(self.transcript, "  {line}");
                if sent == "end" {
                    self.send().await;
                    self.wire.end().await;
                    continue;
                }
                let bytes = self.sent_line(sent).map_err(|why| format!("the scenario: {why}"))?;
                let _ = writeln!(self.transcript, "      sent {}", clipped(String::from_utf8_lossy(&bytes).trim_end()));
                self.unsent.extend(bytes);
            } else if let Some(expected) = line.strip_prefix("← ") {
                self.send().await;
                let expected = self.to_expect(expected).map_err(|why| format!("the scenario: {line}: {why}"))?;
                self.expected.push(expected);
            } else {
                self.send().await;
                self.receive().await?;
                let _ = writeln!(self.transcript, "  {line}");
                self.pass_time(line).await?;
            }
        }
        self.send().await;
        self.receive().await?;
        self.wire.end().await;
        match self.wire.line_within(self.wire.patience).await {
            Ok(None) => self.wire.ended().await,
            Ok(Some(line)) => Err(format!("nothing more was expected, but there came {line}")),
            Err(()) => Err("the server goes on after the end of its input".into()),
        }
    }

    async fn shake_hands(&mut self, version: &str) -> Result<(), String> {
        let initialize = json!({
            "jsonrpc": "2.0", "id": "hello", "method": "initialize",
            "params": { "protocolVersion": version, "capabilities": self.capabilities, "clientInfo": { "name": "test", "version": "1" } }
        });
        self.wire.send(format!("{initialize}\n").as_bytes()).await;
        let line = self.wire.line_within(self.wire.patience).await.ok().flatten().unwrap_or_default();
        let answer: Value = serde_json::from_str(&line).unwrap_or_default();
        if answer["result"]["protocolVersion"] != version {
            return Err(format!("the handshake of {version} was answered by {line}"));
        }
        self.wire.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n").await;
        Ok(())
    }

    async fn send(&mut self) {
        if !self.unsent.is_empty() {
            self.wire.send(&std::mem::take(&mut self.unsent)).await;
        }
    }

    async fn pass_time(&mut self, line: &str) -> Result<(), String> {
        if line == "then" {
            return Ok(());
        }
        let (what, time) = line.split_once(' ').ok_or_else(|| format!("the scenario: {line}"))?;
        let time = time.strip_suffix(" ms").and_then(|time| time.parse().ok());
        let time = time.map(Duration::from_millis).ok_or_else(|| format!("the scenario: {line}: a time in ms"))?;
        match what {
            "wait" => tokio::time::sleep(time).await,
            "silence" => match self.wire.line_within(time).await {
                Err(()) => {}
                Ok(None) => return Err("the output has ended".into()),
                Ok(Some(came)) => return Err(format!("nothing was expected, but there came {came}")),
            },
            "at" => {
                // The clock counts whole milliseconds, each rounded up.
                let passed = self.started.elapsed();
                if passed < time || passed > time + Duration::from_millis(2) {
                    return Err(format!("{passed:?} have passed"));
                }
            }
            _ => return Err(format!("the scenario: {line}")),
        }
        Ok(())
    }

    /// Reads until all that is expected has come.
    async fn receive(&mut self) -> Result<(), String> {
        while !self.expected.is_empty() {
            let waiting = || self.expected.iter().map(|line| format!("\n    ← {}", line.line)).collect::<String>();
            let line = match self.wire.line_within(self.wire.patience).await {
                Ok(Some(line)) => line,
                Ok(None) => return Err(format!("the output has ended; expected were{}", waiting())),
                Err(()) => return Err(format!("nothing came; expected were{}", waiting())),
            };
            let message = self.well_formed(&line).map_err(|why| format!("came {line}\n    {why}"))?;
            if message["result"]["resultType"] == "input_required" {
                self.asked = message["result"].clone();
            }
            let key = key(&message, &self.owners);
            let mut found = None;
            for (at, expected) in self.expected.iter().enumerate() {
                match expected.matches(&line, &message) {
                    Ok(()) => {
                        found = Some(at);
                        break;
                    }
                    Err(why) if expected.key == key => {
                        let came = clipped(&line);
                        return Err(format!("← {}\n    came {came}\n    {why}", expected.line));
                    }
                    Err(_) => {}
                }
            }
            let Some(at) = found else {
                return Err(format!("came {}\n    expected were{}", clipped(&line), waiting()));
            };
            let expected = self.expected.remove(at);
            let _ = writeln!(self.transcript, "  ← {}\n      came {}", expected.line, clipped(&line));
        }
        Ok(())
    }

    fn sent_line(&mut self, line: &str) -> Result<Vec<u8>, String> {
        if line.starts_with(['{', '[']) {
            return Ok(format!("{}\n", line.replace("META", META)).into_bytes());
        }
        let (word, rest) = line.split_once(' ').ok_or("too short")?;
        match word {
            "line" => return Ok(format!("{rest}\n").into_bytes()),
            "bytes" => return bytes(rest),
            "cancelled" => {
                return Ok(notification("notifications/cancelled", &format!(r#"{{"requestId":{rest}}}"#)));
            }
            "reply" => {
                let (id, result) = rest.split_once(' ').ok_or("`reply` takes an id and a result")?;
                return Ok(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}\n").into_bytes());
            }
            "notify" => {
                let (method, params) = rest.split_once(' ').ok_or("`notify` takes a method and params")?;
                return Ok(notification(method, params));
            }
            _ => {}
        }
        let (id, rest) = take_json(line)?;
        let (method, mut rest) = rest.split_once(' ').unwrap_or((rest, ""));
        self.modern_ids.insert(id.clone(), self.modern);
        let mut params = json!({});
        if method == "tools/call" {
            let (name, after) = rest.split_once(' ').unwrap_or((rest, ""));
            params["name"] = name.into();
            rest = after;
        }
        if rest.starts_with(['{', '[', '"']) {
            let (value, after) = take_json(rest)?;
            let value = serde_json::from_str(&value).map_err(|error| error.to_string())?;
            if method == "tools/call" {
                params["arguments"] = value
            } else {
                params = value
            }
            rest = after;
        }
        if self.modern && params.is_object() {
            params["_meta"] = serde_json::from_str(META).expect("it is JSON");
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = self.capabilities.clone();
        }
        while !rest.is_empty() {
            let (word, after) = rest.split_once(' ').ok_or_else(|| format!("unclear: {rest}"))?;
            let (json, after) = take_json(after)?;
            let value: Value = serde_json::from_str(&json).map_err(|error| error.to_string())?;
            match word {
                "token" => {
                    params["_meta"]["progressToken"] = value.clone();
                    self.owners.insert(value.to_string(), id.clone());
                }
                "meta" => merge(&mut params["_meta"], value),
                "params" => merge(&mut params, value),
                "answers" => merge(&mut params, self.answers(&value)?),
                _ => return Err(format!("unclear: {word}")),
            }
            rest = after;
        }
        let params = if params == json!({}) { String::new() } else { format!(r#","params":{params}"#) };
        Ok(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":{}{params}}}\n", Value::from(method)).into_bytes())
    }

    fn to_expect(&self, line: &str) -> Result<Expected, String> {
        let expected = |key: String, what: What| Expected { line: line.to_owned(), key, what };
        if line.starts_with(['{', '[']) {
            let message = serde_json::from_str(line).map_err(|error| error.to_string())?;
            return Ok(expected(key(&message, &self.owners), What::Exact(line.to_owned())));
        }
        if let Some(rest) = line.strip_prefix("error ") {
            return Ok(expected(NO_ID.to_owned(), error(rest)?));
        }
        if let Some(rest) = line.strip_prefix("progress ") {
            let (token, rest) = take_json(rest)?;
            let token: Value = serde_json::from_str(&token).map_err(|error| error.to_string())?;
            let (numbers, message) = rest.split_once(' ').unwrap_or((rest, ""));
            let (done, total) = numbers.split_once('/').unwrap_or((numbers, ""));
            let number = |text: &str| serde_json::from_str::<Value>(text).map_err(|error| error.to_string());
            let mut params = json!({ "progressToken": token, "progress": number(done)? });
            if !total.is_empty() {
                params["total"] = number(total)?;
            }
            if !message.is_empty() {
                params["message"] = message.into();
            }
            let message = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params });
            return Ok(expected(key(&message, &self.owners), What::Progress(message)));
        }
        if let Some(rest) = line.strip_prefix("told ") {
            let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
            let params = serde_json::from_str(params).map_err(|error| error.to_string())?;
            let message = json!({ "method": method, "params": params });
            return Ok(expected(key(&message, &self.owners), What::Told { method: method.to_owned(), params }));
        }
        if let Some(rest) = line.strip_prefix("ask ") {
            let (id, rest) = take_json(rest)?;
            let (method, params) = rest.split_once(' ').unwrap_or((rest, "{}"));
            let params = serde_json::from_str(params).map_err(|error| error.to_string())?;
            return Ok(expected(format!("ask {id}"), What::Ask { id, method: method.to_owned(), params }));
        }
        let (id, rest) = take_json(line)?;
        if rest.starts_with('{') {
            let value = serde_json::from_str(rest).map_err(|error| error.to_string())?;
            return Ok(expected(id, What::Result(value)));
        }
        let (word, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        Ok(expected(
            id,
            match word {
                "text" => What::Text { text: text(rest), is_error: false },
                "failed" => What::Text { text: text(rest), is_error: true },
                "error" => error(rest)?,
                "asks" => What::Asks(serde_json::from_str(rest).map_err(|error| error.to_string())?),
                _ => return Err("unclear".into()),
            },
        ))
    }

    /// The params that answer what was asked last.
    fn answers(&self, by_method: &Value) -> Result<Value, String> {
        let questions = self.asked["inputRequests"].as_object().ok_or("nothing was asked")?;
        let mut responses = json!({});
        for (key, question) in questions {
            let method = question["method"].as_str().unwrap_or_default();
            if let Some(answer) = by_method.get(method) {
                responses[key] = answer.clone();
            }
        }
        let mut params = json!({ "inputResponses": responses });
        if let Some(state) = self.asked.get("requestState") {
            params["requestState"] = state.clone();
        }
        Ok(params)
    }

    // What holds for every message that a server sends, in every scenario:
    // rows: BASE-1, BASE-6, BASE-9, ERR-9, ERR-10, ERR-11, STDIO-1, STDIO-5, STDIO-13, CANC-6, META-5, META-7, RTYPE-1, RTYPE-5
    fn well_formed(&self, line: &str) -> Result<Value, String> {
        let message: Value = serde_json::from_str(line).map_err(|error| format!("is no JSON: {error}"))?;
        if let Value::Array(messages) = &message {
            return messages.iter().try_for_each(|message| self.well_formed_one(message)).map(|()| message.clone());
        }
        self.well_formed_one(&message)?;
        Ok(message)
    }

    fn well_formed_one(&self, message: &Value) -> Result<(), String> {
        let object = message.as_object().ok_or("is no object")?;
        if message["jsonrpc"] != "2.0" {
            return Err("`jsonrpc` must be \"2.0\"".into());
        }
        if let Some(method) = object.get("method") {
            let known = ["jsonrpc", "method", "params"];
            let method = method.as_str().ok_or("a method is a string")?;
            if let Some(id) = object.get("id") {
                if self.modern {
                    return Err("a server asks nothing by itself".into());
                }
                if !["elicitation/create", "sampling/createMessage", "roots/list"].contains(&method) || !id.is_i64() {
                    return Err("no question that a server has".into());
                }
                return only(object, &["jsonrpc", "id", "method", "params"]);
            }
            only(object, &known)?;
            let empty = serde_json::Map::new();
            let params = match object.get("params") {
                None if method.ends_with("/list_changed") => &empty,
                params => params.and_then(Value::as_object).ok_or("`params` must be an object")?,
            };
            only(
                params,
                match method {
                    "notifications/progress" => &["progressToken", "progress", "total", "message"],
                    "notifications/message" => &["level", "logger", "data"],
                    "notifications/resources/updated" => &["_meta", "uri"],
                    "notifications/subscriptions/acknowledged" => &["_meta", "notifications"],
                    "notifications/cancelled" => &["requestId", "reason"],
                    "notifications/tools/list_changed"
                    | "notifications/prompts/list_changed"
                    | "notifications/resources/list_changed" => &["_meta"],
                    _ => return Err("no notification that a server has".into()),
                },
            )?;
            if let Some(meta) = params.get("_meta") {
                let meta = meta.as_object().ok_or("`_meta` must be an object")?;
                return only(meta, &[SUBSCRIPTION]);
            }
            return Ok(());
        }
        if object.get("id").is_some_and(|id| !id.is_string() && !id.is_i64() && !id.is_u64()) {
            return Err("an id is a string or an integer".into());
        }
        match (object.get("result"), object.get("error")) {
            (Some(Value::Object(result)), None) => {
                only(object, &["jsonrpc", "id", "result"])?;
                let id = object.get("id").ok_or("a result must have an id")?;
                let modern = result.contains_key("resultType");
                if self.modern_ids.get(&id.to_string()).is_some_and(|expected| *expected != modern) {
                    return Err("a result of the other era".into());
                }
                let stateless = ["resultType", "ttlMs", "cacheScope"].iter().any(|name| result.contains_key(*name));
                let server = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
                let subscription = result.get("_meta").and_then(|meta| meta.get(SUBSCRIPTION));
                if subscription.is_some_and(|subscription| subscription != id) {
                    return Err("a subscription is named outside of one".into());
                }
                let is_known = ["complete", "input_required"]
                    .iter()
                    .any(|known| result.get("resultType").is_some_and(|kind| kind == known));
                if modern && (!is_known || server.is_none_or(|server| !server.is_object())) {
                    return Err("a stateless result has `resultType` and the server's name".into());
                }
                if !modern && (stateless || server.is_some()) {
                    return Err("a result has a part of the marks of stateless ones".into());
                }
                Ok(())
            }
            (None, Some(Value::Object(error))) => {
                only(object, &["jsonrpc", "id", "error"])?;
                only(error, &["code", "message", "data"])?;
                let known = [-32700, -32600, -32601, -32602, -32603, -32021, -32022];
                let code = error.get("code").and_then(Value::as_i64).ok_or("a code is an integer")?;
                let message = error.get("message").and_then(Value::as_str).ok_or("a message is a string")?;
                if code == -32002 && !self.modern {
                    return Ok(());
                }
                if message.is_empty() || message.contains('\n') || message.ends_with('.') {
                    return Err("a message is one sentence".into());
                }
                if (-32768..=-32000).contains(&code) && !known.contains(&code) {
                    return Err("a code that is not defined".into());
                }
                Ok(())
            }
            _ => Err("a response has a result or an error, which are objects".into()),
        }
    }
}

fn only(object: &serde_json::Map<String, Value>, known: &[&str]) -> Result<(), String> {
    match object.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => Err(format!("`{key}` does not belong here")),
        None => Ok(()),
    }
}

impl Expected {
    fn matches(&self, line: &str, message: &Value) -> Result<(), String> {
        let id = message.get("id").map_or(NO_ID.to_owned(), Value::to_string);
        let of_request = |id: &str| if self.key == id { Ok(()) } else { Err(format!("the id is {id}")) };
        match &self.what {
            What::Exact(exact) => (exact == line).then_some(()).ok_or("differs from it".into()),
            What::Asks(questions) => {
                of_request(&id)?;
                let result = message.get("result").ok_or("is no result")?;
                if result["resultType"] != "input_required"
                    || result.get("requestState").is_some_and(|state| !state.is_string())
                {
                    return Err("asks nothing".into());
                }
                only(
                    result.as_object().ok_or("no object")?,
                    &["resultType", "inputRequests", "requestState", "_meta"],
                )?;
                let asked = result["inputRequests"].as_object().ok_or("`inputRequests` is missing")?;
                let mut by_method = json!({});
                for question in asked.values() {
                    only(question.as_object().ok_or("a question is an object")?, &["method", "params"])?;
                    by_method[question["method"].as_str().unwrap_or_default()] = question["params"].clone();
                }
                if asked.len() != questions.as_object().map_or(0, serde_json::Map::len) {
                    return Err(format!("{} questions", asked.len()));
                }
                contains(&by_method, questions, "inputRequests")
            }
            What::Ask { id: expected, method, params } => {
                if id != *expected || message["method"] != **method {
                    return Err(format!("expected the question {expected}"));
                }
                contains(message.get("params").unwrap_or(&Value::Null), params, "params")
            }
            What::Told { method, params } => {
                if message["method"] != **method {
                    return Err(format!("expected {method}"));
                }
                contains(message.get("params").unwrap_or(&json!({})), params, "params")
            }
            What::Progress(report) => (report == message).then_some(()).ok_or_else(|| format!("expected {report}")),
            What::Result(result) => {
                of_request(&id)?;
                contains(message.get("result").ok_or("is no result")?, result, "result")
            }
            What::Text { text, is_error } => {
                of_request(&id)?;
                let result = message.get("result").ok_or("is no result")?;
                if result["content"].as_array().is_none_or(|content| content.len() != 1) {
                    return Err("expected one block".into());
                }
                if (result.get("isError") == Some(&Value::Bool(true))) != *is_error {
                    return Err(format!("`isError` should be {is_error}"));
                }
                if result["content"][0]["type"] != "text" {
                    return Err("expected a text".into());
                }
                reads(result["content"][0]["text"].as_str().unwrap_or_default(), text)
            }
            What::Error { code, message: text } => {
                of_request(&id)?;
                let error = message.get("error").ok_or("is no error")?;
                if error["code"] != *code {
                    return Err(format!("the code is {}", error["code"]));
                }
                reads(error["message"].as_str().unwrap_or_default(), text)
            }
        }
    }
}

/// A line that is short enough to be read.
fn clipped(line: &str) -> String {
    match line.char_indices().nth(1000) {
        Some((end, _)) => format!("{}… ({} bytes)", &line[..end], line.len()),
        None => line.to_owned(),
    }
}

/// The key of the stream that a notification belongs to.
const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

/// What stands for the id of an error that has none.
const NO_ID: &str = "none";

/// The request that a message is about.
fn key(message: &Value, owners: &HashMap<String, String>) -> String {
    if let Some(token) = message.get("params").and_then(|params| params.get("progressToken")) {
        return owners.get(&token.to_string()).cloned().unwrap_or_default();
    }
    if let Some(stream) = message.get("params").and_then(|params| params.get("_meta")?.get(SUBSCRIPTION)) {
        return stream.to_string();
    }
    // Streams end in any order.
    if let Some(ended) = message.get("params").and_then(|params| params.get("requestId")) {
        return format!("cancelled {ended}");
    }
    match (message.get("id"), message.get("method")) {
        // The ids of questions are a server's own.
        (Some(id), Some(_)) => format!("ask {id}"),
        (Some(id), None) => id.to_string(),
        (None, Some(_)) => "told".to_owned(),
        (None, None) => NO_ID.to_owned(),
    }
}

fn error(rest: &str) -> Result<What, String> {
    let (code, message) = rest.split_once(' ').unwrap_or((rest, "…"));
    let code = code.parse().map_err(|_| "a code is a number")?;
    Ok(What::Error { code, message: text(message) })
}

/// A text as it stands, or as a JSON string.
fn text(text: &str) -> String {
    serde_json::from_str(text).ok().filter(|_| text.starts_with('"')).unwrap_or_else(|| text.to_owned())
}

fn reads(came: &str, expected: &str) -> Result<(), String> {
    let fits = match expected.strip_suffix('…') {
        Some(beginning) => came.starts_with(beginning),
        None => came == expected,
    };
    if fits { Ok(()) } else { Err(format!("the text is {came:?}")) }
}

/// Whether `value` has at least what `part` has.
fn contains(value: &Value, part: &Value, path: &str) -> Result<(), String> {
    match (value, part) {
        (Value::Object(members), Value::Object(parts)) => parts.iter().try_for_each(|(name, part)| {
            let member = members.get(name).ok_or_else(|| format!("`{path}.{name}` is missing"))?;
            contains(member, part, &format!("{path}.{name}"))
        }),
        (Value::Array(items), Value::Array(parts)) if items.len() == parts.len() => {
            let mut pairs = items.iter().zip(parts).enumerate();
            pairs.try_for_each(|(at, (item, part))| contains(item, part, &format!("{path}[{at}]")))
        }
        _ if value == part => Ok(()),
        _ => Err(format!("`{path}` is {value}")),
    }
}

fn merge(into: &mut Value, more: Value) {
    let (Some(into), Value::Object(more)) = (into.as_object_mut(), more.clone()) else { return *into = more };
    for (name, value) in more {
        into.insert(name, value);
    }
}

fn notification(method: &str, params: &str) -> Vec<u8> {
    format!("{{\"jsonrpc\":\"2.0\",\"method\":{},\"params\":{params}}}\n", Value::from(method)).into_bytes()
}

/// The JSON at the beginning of a text, and what comes after it.
fn take_json(text: &str) -> Result<(String, &str), String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Box<RawValue>>();
    match values.next() {
        Some(Ok(value)) => Ok((value.get().to_owned(), text[values.byte_offset()..].trim_start())),
        Some(Err(error)) => Err(format!("{text}: {error}")),
        None => Err("JSON is missing".into()),
    }
}

/// A literal such as `"\xEF\r\n"`.
fn bytes(literal: &str) -> Result<Vec<u8>, String> {
    let inner = literal.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or("quotes are missing")?;
    let mut bytes = Vec::new();
    let mut rest = inner.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let (&escape, after) = rest.split_first().ok_or("an escape is missing")?;
        rest = after;
        bytes.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'\\' | b'"' => escape,
            b'x' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()).ok_or("two digits")?;
                rest = &rest[2..];
                u8::from_str_radix(digits, 16).map_err(|error| error.to_string())?
            }
            _ => return Err(format!("unknown escape {}", escape as char)),
        });
    }
    Ok(bytes)
}
