//! Any bytes, in any pieces: each good request is answered once, each bad line at most once, and nothing else is said.

mod support;

use std::collections::HashMap;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use mcp_server::prelude::*;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::Value;
use support::META;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Echo a text.
#[tool]
async fn echo(text: String) -> String {
    text
}

/// Small enough that messages of a few bytes more are easily made.
const LIMIT: usize = 1000;

fn server() -> Server {
    Server::new("framing").tool(echo).max_message_size(LIMIT).max_depth(20).queue_size(300)
}

proptest! {
    #![proptest_config(Config { cases: 200, failure_persistence: None, ..Config::default() })]

    // rows: STDIO-1, STDIO-2, STDIO-7, STDIO-14, BASE-1, BASE-6, BASE-7, ERR-1
    #[test]
    fn every_good_request_is_answered_once_whatever_stands_between(
        lines in prop::collection::vec(line(), 0..40),
        read in pieces(),
        written in pieces(),
        ends_with_a_line_end in any::<bool>(),
    ) {
        let mut bytes = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            line.write(at, &mut bytes);
        }
        if !ends_with_a_line_end && bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        let mut said = serve(server(), &bytes, read, written);
        for (at, line) in lines.iter().enumerate() {
            line.check(at, &mut said)?;
        }
        prop_assert!(said.by_id.is_empty(), "answers to nothing: {:?}", said.by_id);
        let certain = lines.iter().filter_map(Line::refusal).collect::<Vec<_>>();
        let perhaps = lines.iter().filter(|line| matches!(line, Line::Noise(_))).count();
        for code in [-32700, -32600] {
            let least = certain.iter().filter(|certain| **certain == code).count();
            let count = said.refusals.iter().filter(|refusal| **refusal == code).count();
            prop_assert!((least..=least + perhaps).contains(&count), "{count} times {code}, expected {least}");
        }
        prop_assert!(said.refusals.len() <= certain.len() + perhaps);
    }

    // rows: STDIO-2, STDIO-7
    #[test]
    fn noise_alone_neither_ends_nor_confuses_a_connection(
        noise in prop::collection::vec(any::<u8>(), 0..5000),
        read in pieces(),
        written in pieces(),
    ) {
        let lines = noise.split(|byte| *byte == b'\n').count();
        let mut bytes = noise;
        bytes.push(b'\n');
        Line::Echo { text: "still here".into(), id: Id::Number, dress: Dress::Plain }.write(1, &mut bytes);
        let mut said = serve(server(), &bytes, read, written);
        prop_assert_eq!(said.by_id.remove("1"), Some(vec!["still here".to_owned()]));
        prop_assert!(said.by_id.is_empty());
        prop_assert!(said.refusals.len() <= lines);
    }
}

/// A conversation with all that makes framing hard.
fn conversation() -> Vec<u8> {
    let lines = [
        Line::Echo { text: "süß 🦀 \"quoted\"\n\\".into(), id: Id::Number, dress: Dress::Mark },
        Line::Blank("\r"),
        Line::Echo { text: "two".into(), id: Id::Text, dress: Dress::CarriageReturn },
        Line::Broken,
        Line::NotUtf8,
        Line::TooLong(1),
        Line::Echo { text: "three".into(), id: Id::Number, dress: Dress::Spaces },
        Line::Notification,
        Line::Deep(20),
    ];
    let mut bytes = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        line.write(at, &mut bytes);
    }
    bytes
}

// rows: STDIO-1, STDIO-2, STDIO-14
#[test]
fn a_conversation_may_be_cut_in_two_at_any_byte() {
    let bytes = conversation();
    let expected = serve(server(), &bytes, vec![usize::MAX], vec![usize::MAX]);
    assert_eq!(expected.by_id.len(), 4);
    assert_eq!(expected.refusals, [-32700, -32700, -32600]);
    for cut in 1..bytes.len() {
        assert_eq!(serve(server(), &bytes, vec![cut, 0, usize::MAX], vec![usize::MAX]), expected, "cut at {cut}");
    }
}

// rows: STDIO-1, STDIO-2, STDIO-14
#[test]
fn a_conversation_may_come_and_go_byte_by_byte() {
    let bytes = conversation();
    let expected = serve(server(), &bytes, vec![usize::MAX], vec![usize::MAX]);
    for pieces in [vec![1], vec![0, 1], vec![1, 2, 3, 0, 5, 7, 11]] {
        assert_eq!(serve(server(), &bytes, pieces.clone(), pieces), expected);
    }
}

// rows: STDIO-2
#[test]
fn a_message_of_exactly_the_limit_is_served_and_one_more_byte_is_not() {
    for (more, answered) in [(0, true), (1, false)] {
        let text = "x".repeat(LIMIT + more - echo_line(1, "").len());
        let line = echo_line(1, &text);
        assert_eq!(line.len(), LIMIT + more);
        let said = serve(server(), line.as_bytes(), vec![usize::MAX], vec![usize::MAX]);
        assert_eq!(said.by_id.contains_key("1"), answered);
        assert_eq!(said.refusals.is_empty(), answered);
    }
}

// rows: STDIO-2, STDIO-7, ERR-1
#[test]
fn messages_may_be_nested_as_deep_as_the_limit_and_no_deeper() {
    let server = || Server::new("framing").tool(echo);
    for (depth, answered) in [(3, true), (126, true), (127, true), (128, false), (129, false), (1_000_000, false)] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            // Two levels are the message and its params.
            let nested = open.repeat(depth - 3) + "[]" + &close.repeat(depth - 3);
            let nested = nested_line(1, &nested) + "\n" + &echo_line(2, "after");
            let said = serve(server(), nested.as_bytes(), vec![usize::MAX], vec![usize::MAX]);
            assert_eq!(said.by_id.contains_key("1"), answered, "{depth} of {open}");
            assert_eq!(said.refusals, if answered { vec![] } else { vec![-32600] });
            assert!(said.by_id.contains_key("2"));
        }
    }
    // Brackets in a string nest nothing.
    let text = "[{".repeat(1000) + "\\\"" + &"[".repeat(1000);
    let said = serve(server(), echo_line(1, &text).as_bytes(), vec![usize::MAX], vec![usize::MAX]);
    assert!(said.by_id.contains_key("1"));
}

// rows: STDIO-7
#[test]
fn an_over_long_line_may_be_far_longer_than_the_limit_and_hold_what_looks_like_a_message() {
    let request = echo_line(9, "hidden");
    let long = "x".repeat(3 * LIMIT) + &request + &"y".repeat(3 * LIMIT) + &request + "\n" + &echo_line(1, "seen");
    for pieces in [vec![usize::MAX], vec![1], vec![LIMIT], vec![LIMIT + 1], vec![3 * LIMIT]] {
        let said = serve(server(), long.as_bytes(), pieces, vec![usize::MAX]);
        assert_eq!(said.by_id.into_iter().collect::<Vec<_>>(), [("1".to_owned(), vec!["seen".to_owned()])]);
        assert_eq!(said.refusals, [-32600]);
    }
}

/// One line of the input, and what must become of it.
#[derive(Clone, Debug)]
enum Line {
    /// Answered.
    Echo {
        text: String,
        id: Id,
        dress: Dress,
    },
    /// Answered: nested that deep.
    Deep(usize),
    /// Not answered.
    Notification,
    /// Not answered: it is an answer itself, a bad one at times.
    Response(&'static str),
    Blank(&'static str),
    /// Refused, without an id: the rest of these.
    Broken,
    Trailing,
    NotUtf8,
    /// So much longer than the limit.
    TooLong(usize),
    /// So much deeper than the limit.
    TooDeep(usize),
    /// Refused at most once.
    Noise(Vec<u8>),
}

#[derive(Clone, Copy, Debug)]
enum Id {
    Number,
    Text,
}

/// What stands around a message that changes nothing.
#[derive(Clone, Copy, Debug)]
enum Dress {
    Plain,
    CarriageReturn,
    Mark,
    Spaces,
}

fn line() -> impl Strategy<Value = Line> {
    let id = || prop_oneof![Just(Id::Number), Just(Id::Text)];
    let dress = prop_oneof![
        3 => Just(Dress::Plain),
        1 => Just(Dress::CarriageReturn),
        1 => Just(Dress::Mark),
        1 => Just(Dress::Spaces),
    ];
    let noise = prop::collection::vec(any::<u8>().prop_filter("a line end", |byte| *byte != b'\n'), 0..200);
    prop_oneof![
        8 => ("\\PC{0,60}", id(), dress).prop_map(|(text, id, dress)| Line::Echo { text, id, dress }),
        1 => (3_usize..=20).prop_map(Line::Deep),
        1 => Just(Line::Notification),
        1 => prop_oneof![
            Just(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#),
            Just(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"no"}}"#),
            Just(r#"{"jsonrpc":"2.0","id":null,"error":"no"}"#),
            Just(r#"{"result":1,"error":2}"#),
        ].prop_map(Line::Response),
        1 => prop_oneof![Just(""), Just("\r"), Just(" \t "), Just("\u{FEFF}"), Just("\u{FEFF}\r")].prop_map(Line::Blank),
        1 => Just(Line::Broken),
        1 => Just(Line::Trailing),
        1 => Just(Line::NotUtf8),
        1 => prop_oneof![1_usize..20, 500_usize..5000].prop_map(Line::TooLong),
        1 => (1_usize..200).prop_map(Line::TooDeep),
        2 => noise.prop_map(Line::Noise),
    ]
}

/// How many bytes are read or written at a time, over and over; at a zero there are none just now.
fn pieces() -> impl Strategy<Value = Vec<usize>> {
    let piece = prop_oneof![1 => Just(0_usize), 3 => 1_usize..10, 2 => 10_usize..500, 1 => Just(usize::MAX)];
    // Without anything but zeros nothing would ever move.
    (prop::collection::vec(piece, 0..12), 1_usize..300).prop_map(|(mut pieces, last)| {
        pieces.push(last);
        pieces
    })
}

fn echo_line(id: usize, text: &str) -> String {
    let text = Value::from(text);
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":{text}}},"_meta":{META}}}}}"#
    )
}

fn nested_line(id: usize, nested: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"echo","arguments":{{"text":"deep"}},"x":{nested},"_meta":{META}}}}}"#
    )
}

impl Line {
    fn write(&self, at: usize, out: &mut Vec<u8>) {
        let nested = |levels: usize| nested_line(at, &("[".repeat(levels) + &"]".repeat(levels)));
        match self {
            Self::Echo { text, id, dress } => {
                let mut line = echo_line(at, text);
                if let Id::Text = id {
                    line = line.replacen(&format!("\"id\":{at},"), &format!("\"id\":\"{at}\","), 1);
                }
                let (before, after) = match dress {
                    Dress::Plain => ("", ""),
                    Dress::CarriageReturn => ("", "\r"),
                    Dress::Mark => ("\u{FEFF}", ""),
                    Dress::Spaces => ("\t ", "  \r"),
                };
                out.extend([before, &line, after].concat().into_bytes());
            }
            Self::Deep(depth) => out.extend(nested(depth - 2).into_bytes()),
            Self::Notification => out.extend(br#"{"jsonrpc":"2.0","method":"notifications/made_up","params":{"x":1}}"#),
            Self::Response(line) | Self::Blank(line) => out.extend(line.bytes()),
            Self::Broken => out.extend(&echo_line(at, "broken").as_bytes()[..50]),
            Self::Trailing => out.extend((echo_line(at, "two") + " {\"x\":1}").into_bytes()),
            Self::NotUtf8 => {
                let line = echo_line(at, "@");
                let cut = line.find('@').unwrap();
                out.extend([&line.as_bytes()[..cut], b"\xC3(\xFF", &line.as_bytes()[cut + 1..]].concat());
            }
            Self::TooLong(more) => {
                let empty = echo_line(at, "").len();
                out.extend(echo_line(at, &"x".repeat(LIMIT + more - empty)).into_bytes());
            }
            Self::TooDeep(more) => out.extend(nested(18 + more).into_bytes()),
            Self::Noise(noise) => out.extend(noise),
        }
        out.push(b'\n');
    }

    /// Takes the answer that this line must have from what was said.
    fn check(&self, at: usize, said: &mut Said) -> Result<(), TestCaseError> {
        let expected = match self {
            Self::Echo { text, id: Id::Number, .. } => (at.to_string(), text.as_str()),
            Self::Echo { text, id: Id::Text, .. } => (format!("\"{at}\""), text.as_str()),
            Self::Deep(_) => (at.to_string(), "deep"),
            _ => return Ok(()),
        };
        prop_assert_eq!(said.by_id.remove(&expected.0), Some(vec![expected.1.to_owned()]), "the answer to {}", at);
        Ok(())
    }

    /// The code of the refusal that this line must have.
    fn refusal(&self) -> Option<i64> {
        match self {
            Self::Broken | Self::Trailing | Self::NotUtf8 => Some(-32700),
            Self::TooLong(_) | Self::TooDeep(_) => Some(-32600),
            _ => None,
        }
    }
}

/// What a server has said, all in all.
#[derive(Debug, PartialEq)]
struct Said {
    /// The texts of the results, by their ids.
    by_id: HashMap<String, Vec<String>>,
    /// The codes of the errors without an id, in their order.
    refusals: Vec<i64>,
}

/// Serves bytes that are read, and answers that are written, in such pieces.
fn serve(server: Server, bytes: &[u8], read: Vec<usize>, written: Vec<usize>) -> Said {
    let mut reader = Pieces { pieces: read.into_iter().cycle(), bytes };
    let mut writer = Pieces { pieces: written.into_iter().cycle(), bytes: Vec::new() };
    support::block_on(async { server.serve(&mut reader, &mut writer).await.expect("no stream fails") });

    let mut said = Said { by_id: HashMap::new(), refusals: Vec::new() };
    let output = String::from_utf8(writer.bytes).expect("what is written is UTF-8");
    assert!(output.is_empty() || output.ends_with('\n'), "the last line has an end");
    for line in output.lines() {
        let message: Value = serde_json::from_str(line).expect("a line is a message");
        assert_eq!(message["jsonrpc"], "2.0");
        match (message.get("id"), message.get("result"), message.get("error")) {
            (Some(id), Some(result), None) => {
                let text = result["content"][0]["text"].as_str().unwrap().to_owned();
                said.by_id.entry(id.to_string()).or_default().push(text);
            }
            (None, None, Some(error)) => said.refusals.push(error["code"].as_i64().unwrap()),
            _ => panic!("unexpected: {line}"),
        }
    }
    said
}

/// A stream that moves so many bytes at a time.
struct Pieces<I, B> {
    pieces: I,
    bytes: B,
}

impl<I: Iterator<Item = usize>, B> Pieces<I, B> {
    fn next(&mut self, cx: &mut Context<'_>) -> Poll<usize> {
        match self.pieces.next() {
            Some(0) | None => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(length) => Poll::Ready(length),
        }
    }
}

impl<I: Iterator<Item = usize> + Unpin> AsyncRead for Pieces<I, &[u8]> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let length = std::task::ready!(self.next(cx)).min(buffer.remaining()).min(self.bytes.len());
        let (piece, rest) = self.bytes.split_at(length);
        buffer.put_slice(piece);
        self.bytes = rest;
        Poll::Ready(Ok(()))
    }
}

impl<I: Iterator<Item = usize> + Unpin> AsyncWrite for Pieces<I, Vec<u8>> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let length = std::task::ready!(self.next(cx)).min(bytes.len());
        self.bytes.extend_from_slice(&bytes[..length]);
        Poll::Ready(Ok(length))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
