//! A client over HTTP on one connection, which is kept. It knows no more of HTTP than these answers need.

use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::{SocketAddr, TcpStream};

use crate::message::{Answer, Ask, Faults};

/// The client's side of a connection.
#[derive(Debug)]
pub struct Socket {
    stream: BufReader<TcpStream>,
    /// Used again and again, so that the client costs little itself.
    body: String,
    request: String,
    line: String,
    read: Vec<u8>,
    last_id: u64,
}

impl Socket {
    /// Connects to a server.
    ///
    /// # Panics
    ///
    /// When that is not possible.
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("the server accepts connections");
        stream.set_nodelay(true).expect("a connection can be set up");
        Self {
            // Small, since there may be very many of these.
            stream: BufReader::with_capacity(2048, stream),
            body: String::new(),
            request: String::new(),
            line: String::new(),
            read: Vec::new(),
            last_id: 0,
        }
    }

    /// Asks once and checks all that comes back.
    pub fn ask(&mut self, ask: Ask<'_>) {
        self.follow(ask).refuse();
    }

    /// Asks once and checks the answer; what is wrong with the reports is told.
    pub fn follow(&mut self, ask: Ask<'_>) -> Faults {
        self.send(ask);
        self.answer(ask)
    }

    /// Sends a request.
    pub fn send(&mut self, ask: Ask<'_>) {
        self.last_id += 1;
        self.body.clear();
        ask.write(&mut self.body, self.last_id);
        let (method, tool) = ask.target();
        self.request.clear();
        self.request.push_str(concat!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n",
            "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n",
        ));
        self.request.push_str("Mcp-Method: ");
        self.request.push_str(method);
        if let Some(tool) = tool {
            self.request.push_str("\r\nMcp-Name: ");
            self.request.push_str(tool);
        }
        self.request.push_str("\r\nContent-Length: ");
        self.request.push_str(&self.body.len().to_string());
        self.request.push_str("\r\n\r\n");
        self.request.push_str(&self.body);
        self.stream.get_mut().write_all(self.request.as_bytes()).expect("the server can be written to");
    }

    /// Reads and checks the answer to what was sent last; what is wrong with the reports is told.
    ///
    /// # Panics
    ///
    /// When the answer is another one.
    pub fn answer(&mut self, ask: Ask<'_>) -> Faults {
        let is_stream = self.read_response();
        let text = std::str::from_utf8(&self.read).expect("answers are text");
        let mut answer = Answer::to(ask, self.last_id);
        if !is_stream {
            assert!(answer.take(text), "a body is a response");
            return answer.faults();
        }
        // A message is one line here, and the other fields of an event don't matter.
        let mut events =
            text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).filter(|data| !data.is_empty());
        assert!(events.by_ref().any(|data| answer.take(data)), "the response is missing");
        let faults = answer.faults();
        let mut late = 0;
        for data in events {
            assert!(!answer.take(data), "a second response");
            late += 1;
        }
        assert!(late <= faults.lost, "more comes after the response than was missing before it");
        faults
    }

    /// Reads the body of a response; whether it is a stream of events.
    fn read_response(&mut self) -> bool {
        let Self { stream, line, read, .. } = self;
        next_line(stream, line);
        assert_eq!(line, "HTTP/1.1 200 OK");
        let (mut length, mut is_stream) = (None, false);
        loop {
            next_line(stream, line);
            let Some((name, value)) = line.split_once(": ") else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().ok();
            } else if name.eq_ignore_ascii_case("content-type") {
                is_stream = value == "text/event-stream";
            }
        }
        read.clear();
        match length {
            Some(length) => append(stream, read, length),
            // Without a length it comes in chunks, the last of which is empty.
            None => loop {
                next_line(stream, line);
                let length = u64::from_str_radix(line, 16).expect("a chunk begins with its length");
                append(stream, read, length);
                next_line(stream, line);
                if length == 0 {
                    break;
                }
            },
        }
        is_stream
    }
}

/// Reads a line, without its end.
fn next_line(stream: &mut impl BufRead, line: &mut String) {
    line.clear();
    stream.read_line(line).expect("the server can be read from");
    assert!(line.ends_with("\r\n"), "the server has ended the connection after {line:?}");
    line.truncate(line.len() - 2);
}

fn append(stream: &mut impl Read, out: &mut Vec<u8>, length: u64) {
    let read = stream.take(length).read_to_end(out).expect("the server can be read from");
    assert_eq!(read as u64, length, "the server has ended the connection");
}
