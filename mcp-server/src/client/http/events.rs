//! The events of a stream, read piece by piece.
//!
//! Specification: [Server-sent events](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation)
//! of the HTML standard.

use std::time::Duration;

/// An id that is longer is of no use: no server takes a header like that.
const MAX_ID: usize = 8 * 1024;

/// Something that a stream says.
#[derive(Debug, PartialEq)]
pub(super) enum Event {
    /// The data of an event of the type `message`, which is what an event without a type is too.
    Message(String),
    /// An event that is longer than the limit is skipped.
    TooLong,
}

/// A reader of one stream, and of the streams that go on with it after a break.
#[derive(Debug)]
pub(super) struct Events {
    /// So many bytes of data an event may have.
    limit: usize,
    /// How much of a byte order mark has come; `None` behind the place where one may be.
    mark: Option<usize>,
    /// The last byte was a CR, whose LF may follow.
    after_cr: bool,
    line: Vec<u8>,
    /// What is not kept of a line: a comment, or what is too long.
    passes_over: bool,
    event: Partial,
    last_id: Vec<u8>,
    retry: Option<Duration>,
}

/// The event that is being read.
#[derive(Debug, Default)]
struct Partial {
    data: Vec<u8>,
    is_message: Option<bool>,
    /// Then there is no data, and that is told.
    is_too_long: bool,
    is_told: bool,
    id: Option<Vec<u8>>,
}

const MARK: &[u8] = b"\xef\xbb\xbf";

impl Events {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            mark: Some(0),
            after_cr: false,
            line: Vec::new(),
            passes_over: false,
            event: Partial::default(),
            last_id: Vec::new(),
            retry: None,
        }
    }

    /// The id of the last whole event that had one: where another stream can go on.
    pub(super) fn last_id(&self) -> Option<&[u8]> {
        Some(&*self.last_id).filter(|id| !id.is_empty())
    }

    /// How long the server wants to be left alone after the end of the stream.
    pub(super) fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Begins with another stream. What was not whole is forgotten: it will come again.
    pub(super) fn restart(&mut self) {
        let (last_id, retry) = (std::mem::take(&mut self.last_id), self.retry);
        *self = Self { last_id, retry, ..Self::new(self.limit) };
    }

    /// The next event of `bytes`, which are read up to its end; `None` when all of them are read.
    pub(super) fn next(&mut self, bytes: &mut &[u8]) -> Option<Event> {
        self.skip_mark(bytes);
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                *bytes = &bytes[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\r', b'\n', bytes) else {
                self.keep(bytes);
                *bytes = &[];
                return self.tell_too_long();
            };
            self.keep(&bytes[..end]);
            self.after_cr = bytes[end] == b'\r';
            *bytes = &bytes[end + 1..];
            let event = self.end_of_line().or_else(|| self.tell_too_long());
            if event.is_some() {
                return event;
            }
        }
        None
    }

    /// Once, and at once: such an event may well have no end.
    fn tell_too_long(&mut self) -> Option<Event> {
        let tell = self.event.is_too_long && !std::mem::replace(&mut self.event.is_told, true);
        (tell && self.event.is_message != Some(false)).then_some(Event::TooLong)
    }

    /// "One leading U+FEFF BYTE ORDER MARK character must be ignored if any are present."
    fn skip_mark(&mut self, bytes: &mut &[u8]) {
        while let (Some(seen), Some(&first)) = (self.mark, bytes.first()) {
            if first == MARK[seen] {
                *bytes = &bytes[1..];
                self.mark = Some(seen + 1).filter(|seen| *seen < MARK.len());
            } else {
                self.mark = None;
                self.keep(&MARK[..seen]);
            }
        }
    }

    fn keep(&mut self, part: &[u8]) {
        // Comments can be as long as they like.
        self.passes_over |= self.line.is_empty() && part.first() == Some(&b':');
        if self.passes_over {
            return;
        }
        if self.line.len() + part.len() <= self.limit.saturating_add("data: ".len()) {
            self.line.extend_from_slice(part);
            return;
        }
        self.line.extend_from_slice(&part[..part.len().min(5_usize.saturating_sub(self.line.len()))]);
        if self.line.starts_with(b"data:") {
            self.event.too_long();
        }
        self.passes_over = true;
        self.line = Vec::new();
    }

    fn end_of_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.passes_over) {
            return None;
        }
        if line.is_empty() {
            return self.dispatch();
        }
        let colon = memchr::memchr(b':', &line).unwrap_or(line.len());
        let (name, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match name {
            b"data" if self.event.is_too_long => {}
            b"data" if self.event.data.len() + value.len() > self.limit => self.event.too_long(),
            b"data" => {
                self.event.data.extend_from_slice(value);
                self.event.data.push(b'\n');
            }
            b"event" => self.event.is_message = Some(value.is_empty() || value == b"message"),
            b"id" if value.len() <= MAX_ID && !value.contains(&0) => self.event.id = Some(value.to_vec()),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                // Beyond 64 bits it is as good as never.
                let text = std::str::from_utf8(value).unwrap_or_default();
                self.retry = Some(Duration::from_millis(text.parse().unwrap_or(u64::MAX)));
            }
            _ => {}
        }
        None
    }

    fn dispatch(&mut self) -> Option<Event> {
        let Partial { mut data, is_message, id, .. } = std::mem::take(&mut self.event);
        if let Some(id) = id {
            self.last_id = id;
        }
        if is_message == Some(false) {
            return None;
        }
        data.pop();
        // "If the data buffer is an empty string", the event is none: many servers begin their streams with one.
        if data.is_empty() {
            return None;
        }
        let text = String::from_utf8(data);
        Some(Event::Message(text.unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())))
    }
}

impl Partial {
    fn too_long(&mut self) {
        self.is_too_long = true;
        self.data = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read when the stream comes in pieces that end at these places.
    fn read(events: &mut Events, pieces: &[&[u8]]) -> Vec<Event> {
        let mut found = Vec::new();
        for piece in pieces {
            let mut rest = *piece;
            while let Some(event) = events.next(&mut rest) {
                found.push(event);
            }
            assert!(rest.is_empty());
        }
        found
    }

    /// The same, whole and cut at every byte, and at every pair of bytes of short ones.
    #[track_caller]
    fn check(stream: &str, expected: &[&str]) -> Events {
        let stream = stream.as_bytes();
        let expected: Vec<_> = expected.iter().map(|text| Event::Message((*text).to_owned())).collect();
        let mut whole = Events::new(1000);
        assert_eq!(read(&mut whole, &[stream]), expected);
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let mut events = Events::new(1000);
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(read(&mut events, &pieces), expected, "cut at {first} and {second}");
                assert_eq!((events.last_id(), events.retry()), (whole.last_id(), whole.retry()));
            }
        }
        let single: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&mut Events::new(1000), &single), expected);
        whole
    }

    // rows: HTTP-12
    #[test]
    fn events_are_read_whatever_ends_their_lines_and_wherever_they_are_cut() {
        let stream = "\u{feff}: keep-alive\n\nid: 0\nretry: 500\ndata:\n\nevent: ping\ndata: {}\n\n\
                      event: message\ndata: {\"a\":1,\ndata: \"b\":[]}\n\n";
        for end in ["\n", "\r\n", "\r"] {
            let events = check(&stream.replace('\n', end), &["{\"a\":1,\n\"b\":[]}"]);
            assert_eq!(events.last_id(), Some(&b"0"[..]));
            assert_eq!(events.retry(), Some(Duration::from_millis(500)));
        }
    }

    #[test]
    fn what_the_standard_says_of_odd_lines_is_kept() {
        check("data:a\n\ndata:  b\n\n", &["a", " b"]);
        check("data\n\ndata\ndata\n\ndata:\n", &["\n"]);
        check("data: a", &[]);
        check("data: a\n", &[]);
        check("\n\n\ndata: a\n\n\n\n", &["a"]);
        check("DATA: x\n data: y\nfoo: z\nfoo\ndata: é\n\n", &["é"]);
        check("event: message\n\ndata: a\n\nevent: x\nevent:\ndata: b\n\n", &["a", "b"]);
        check("event: endpoint\ndata: /x\n\n", &[]);
        check(":\u{feff}\ndata: \u{feff}a\n\n", &["\u{feff}a"]);
        check("\u{feff}\u{feff}data: a\n\ndata: b\n\n", &["b"]);
        assert_eq!(read(&mut Events::new(9), &[b"\xef\xbb:\ndata: \xff\n\n"]), [Event::Message("\u{fffd}".into())]);
    }

    #[test]
    fn an_id_counts_from_the_end_of_its_event() {
        assert_eq!(check("id: 1\ndata: a\n\nid: 2\ndata: b\n", &["a"]).last_id(), Some(&b"1"[..]));
        assert_eq!(check("id: 1\n\nid\n\n", &[]).last_id(), None);
        assert_eq!(check("id: 1\n\nid: a\0b\n\n", &[]).last_id(), Some(&b"1"[..]));
        assert_eq!(check("id: 7\nevent: ping\ndata: x\n\n", &[]).last_id(), Some(&b"7"[..]));
        for retry in ["retry: -1", "retry: 1.5", "retry: ", "retry: x", "retry"] {
            assert_eq!(check(&format!("{retry}\n\n"), &[]).retry(), None, "{retry}");
        }
        assert_eq!(check("retry: 0\n", &[]).retry(), Some(Duration::ZERO));
        assert_eq!(check("retry: 99999999999999999999999\n", &[]).retry(), Some(Duration::from_millis(u64::MAX)));
    }

    #[test]
    fn another_stream_goes_on_where_the_first_one_broke() {
        let mut events = Events::new(100);
        assert!(read(&mut events, &[b"id: 1\nretry: 5\ndata: a\n\nid: 2\ndata: b\nda"]).len() == 1);
        events.restart();
        assert_eq!((events.last_id(), events.retry()), (Some(&b"1"[..]), Some(Duration::from_millis(5))));
        assert_eq!(read(&mut events, &[b"\xef\xbb\xbfdata: c\n\n"]), [Event::Message("c".into())]);
    }

    #[test]
    fn what_is_too_long_costs_no_memory_and_only_itself() {
        let mut events = Events::new(10);
        let megabyte = vec![b'x'; 1024 * 1024];
        for start in [&b"data: "[..], b"data:"] {
            let mut pieces = vec![start];
            pieces.extend(std::iter::repeat_n(&megabyte[..], 50));
            pieces.push(b"\ndata: a\n\ndata: 0123456789\n\n");
            assert_eq!(read(&mut events, &pieces), [Event::TooLong, Event::Message("0123456789".into())]);
        }
        // In many lines.
        assert_eq!(read(&mut events, &[&b"data: 123\n".repeat(1000), b"\n"]), [Event::TooLong]);
        // Comments and fields that nobody knows are no part of it.
        for start in [&b":"[..], b"foo: ", b"id: ", b"event", b"d"] {
            let pieces: [&[u8]; 5] = [b"data: a\n", start, &megabyte, &megabyte, b"\ndata: b\n\n"];
            assert_eq!(read(&mut events, &pieces), [Event::Message("a\nb".into())]);
        }
        assert!(events.line.capacity() <= 100 && events.event.data.capacity() <= 100);
    }
}
