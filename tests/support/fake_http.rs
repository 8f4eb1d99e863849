//! A server of HTTP that does what a test tells it, and keeps what it was sent.

#![allow(dead_code, reason = "each file of tests uses a part of this")]

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

use super::http::{LONG, Task};

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Seen {
    pub verb: String,
    pub path: String,
    /// As they were written.
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// Which of the requests of this server it is, from 0 on.
    pub number: usize,
    /// On which of its connections it came.
    pub connection: usize,
    pub at: Instant,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| value.as_str());
        assert!(values.next().is_none(), "`{name}` is there twice: {:?}", self.headers);
        value
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or(Value::Null)
    }

    /// The method of the message, or else the verb.
    pub fn method(&self) -> String {
        self.json()["method"].as_str().unwrap_or(&self.verb).to_owned()
    }

    /// The response to it that has this result.
    pub fn result(&self, result: Value) -> String {
        json!({ "jsonrpc": "2.0", "id": self.json()["id"], "result": result }).to_string()
    }

    pub fn error(&self, code: i64, data: Value) -> String {
        let error = json!({ "code": code, "message": "no", "data": data });
        json!({ "jsonrpc": "2.0", "id": self.json()["id"], "error": error }).to_string()
    }

    /// A report of the call that it is.
    pub fn report(&self, done: u64) -> String {
        let token = &self.json()["params"]["_meta"]["progressToken"];
        let params = json!({ "progressToken": token, "progress": done });
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }).to_string()
    }
}

/// What is done for a request, one after the other. After the last of these the connection goes on.
pub enum Part {
    Write(Vec<u8>),
    /// Goes on when it is told so.
    Wait(Arc<Notify>),
    /// Nothing more, until the client is gone.
    Hold,
    /// The connection ends.
    Close,
    /// So many bytes of the same letter, or as many as the client takes.
    Flood(u64),
}

pub type Reply = Vec<Part>;

/// A whole response.
pub fn reply(status: u16, headers: &str, body: &str) -> Reply {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len());
    vec![Part::Write(head.into_bytes())]
}

pub fn json(body: &str) -> Reply {
    reply(200, "content-type: application/json\r\n", body)
}

pub fn accepted() -> Reply {
    reply(202, "", "")
}

/// The beginning of a stream.
pub fn stream(events: &str) -> Reply {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut reply = vec![Part::Write(head.as_bytes().to_vec())];
    if !events.is_empty() {
        reply.push(chunk(events));
    }
    reply
}

/// More of a stream.
pub fn chunk(events: &str) -> Part {
    Part::Write(format!("{:x}\r\n{events}\r\n", events.len()).into_bytes())
}

/// The end of a stream, as its server wants it.
pub fn end() -> Part {
    Part::Write(b"0\r\n\r\n".to_vec())
}

/// A stream from its beginning to its end.
pub fn events(messages: &[String]) -> Reply {
    let events: String = messages.iter().map(|message| format!("data: {message}\n\n")).collect();
    let mut reply = stream(&events);
    reply.push(end());
    reply
}

/// What a stateless server says of itself.
pub fn discovered(seen: &Seen) -> Reply {
    json(&seen.result(json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })))
}

/// What an older server does for its handshake, with a session of this id; `None` for everything else.
pub fn shakes_hands(seen: &Seen, version: &str, session: &str) -> Option<Reply> {
    match (seen.verb.as_str(), seen.method().as_str()) {
        (_, "server/discover") => Some(reply(400, "content-type: text/plain\r\n", "Bad Request: no session")),
        (_, "initialize") => {
            let info = json!({ "name": "old", "version": "1" });
            let result = json!({ "protocolVersion": version, "capabilities": { "tools": {} }, "serverInfo": info });
            let headers = format!("content-type: application/json\r\nmcp-session-id: {session}\r\n");
            Some(reply(200, &headers, &seen.result(result)))
        }
        (_, method) if method.starts_with("notifications/") => Some(accepted()),
        ("GET", _) => Some(reply(405, "", "")),
        ("DELETE", _) => Some(reply(200, "", "")),
        _ => None,
    }
}

/// The server.
pub struct Fake {
    pub address: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many requests have come, and how many of its clients were gone in the middle of one.
    counts: watch::Receiver<(usize, usize)>,
    _task: Task,
}

impl Fake {
    pub async fn open(handler: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (counting, counts) = watch::channel((0, 0));
        let shared = Arc::new(Shared { handler: Box::new(handler), seen: Arc::clone(&seen), counting });
        let accepting = tokio::spawn(async move {
            let mut connections = tokio::task::JoinSet::new();
            for connection in 0.. {
                let (stream, _) = listener.accept().await.unwrap();
                connections.spawn(serve(stream, connection, Arc::clone(&shared)));
            }
        });
        Self { address, seen, counts, _task: Task::from(accepting) }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    /// What has come so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The methods of what has come so far.
    pub fn methods(&self) -> Vec<String> {
        self.seen().iter().map(Seen::method).collect()
    }

    /// Those of one method.
    pub fn of(&self, method: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.method() == method).collect()
    }

    /// Waits until so many requests of a method have come.
    pub async fn wait_for(&self, method: &str, count: usize) {
        let mut counts = self.counts.clone();
        let arrived = counts.wait_for(|_| self.of(method).len() >= count);
        let arrived = tokio::time::timeout(LONG, arrived).await;
        assert!(arrived.is_ok(), "there were to be {count} of `{method}`, and there came {:?}", self.methods());
    }

    /// Waits until so many clients were gone in the middle of an answer.
    pub async fn wait_for_gone(&self, count: usize) {
        let mut counts = self.counts.clone();
        let gone = tokio::time::timeout(LONG, counts.wait_for(|(_, gone)| *gone >= count)).await;
        assert!(gone.is_ok(), "the clients are still there");
    }
}

struct Shared {
    handler: Box<dyn Fn(&Seen) -> Reply + Send + Sync>,
    seen: Arc<Mutex<Vec<Seen>>>,
    counting: watch::Sender<(usize, usize)>,
}

async fn serve(stream: TcpStream, connection: usize, shared: Arc<Shared>) {
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    while let Some(mut seen) = read(&mut reader, connection).await {
        {
            let mut all = shared.seen.lock().unwrap();
            seen.number = all.len();
            all.push(seen.clone());
        }
        let reply = (shared.handler)(&seen);
        shared.counting.send_modify(|(requests, _)| *requests += 1);
        for part in reply {
            let written = match part {
                Part::Write(bytes) => writer.write_all(&bytes).await,
                Part::Wait(notify) => {
                    notify.notified().await;
                    Ok(())
                }
                Part::Hold => {
                    let _ = reader.read_u8().await;
                    Err(std::io::ErrorKind::BrokenPipe.into())
                }
                Part::Close => return,
                Part::Flood(bytes) => {
                    let piece = vec![b'x'; 64 * 1024];
                    let mut left = bytes;
                    loop {
                        let length = piece.len().min(usize::try_from(left).unwrap());
                        match writer.write_all(&piece[..length]).await {
                            Ok(()) if length == 0 => break Ok(()),
                            Ok(()) => left -= length as u64,
                            Err(error) => break Err(error),
                        }
                    }
                }
            };
            if written.is_err() {
                shared.counting.send_modify(|(_, gone)| *gone += 1);
                return;
            }
        }
    }
}

async fn read(reader: &mut (impl AsyncBufReadExt + Unpin), connection: usize) -> Option<Seen> {
    let mut line = async || {
        let mut line = String::new();
        let length = reader.read_line(&mut line).await.ok()?;
        (length > 0).then(|| line.trim_end_matches(['\r', '\n']).to_owned())
    };
    let first = line().await?;
    let at = Instant::now();
    let mut headers = Vec::new();
    loop {
        let line = line().await?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_owned(), value.strip_prefix(' ').unwrap_or(value).to_owned()));
    }
    let mut words = first.split(' ').map(str::to_owned);
    let (verb, path) = (words.next()?, words.next()?);
    let mut seen = Seen { verb, path, headers, body: String::new(), number: 0, connection, at };
    let length = seen.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    seen.body = String::from_utf8(body).unwrap();
    Some(seen)
}
