//! Framing: one message a line, in UTF-8.
//!
//! Read leniently, as peers differ: CRLF, a byte order mark, blank lines and a last line without an end are all fine.
//! A line that is too long is skipped in pieces, so that it costs no memory.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use std::future::poll_fn;
use std::io;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::output::Outbox;

/// Cuts what is read into lines.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    reader: R,
    /// What has been read: `..start` is done with, and there is no line end in `start..scanned`.
    buffer: Vec<u8>,
    start: usize,
    scanned: usize,
    max: usize,
    /// In the middle of a line that is too long.
    skipping: bool,
    ended: bool,
}

/// One line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Text(&'a [u8]),
    /// It was longer than a message may be, and is gone but for how it begins.
    TooLong(&'a [u8]),
}

/// How much is read at a time, at least.
const CHUNK: usize = 16 * 1024;
/// A line may be so much longer than its message: a byte order mark, and white space.
const SLACK: usize = 64;
/// So much of a line that is too long is told.
const BEGINNING: usize = 1024;
/// A buffer larger than this is given back when it is empty.
const KEPT: usize = 256 * 1024;

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(reader: R, max: usize) -> Self {
        Self { reader, buffer: Vec::new(), start: 0, scanned: 0, max, skipping: false, ended: false }
    }

    /// Reads more. `false`: there is no more; what is left may still hold a line.
    ///
    /// Nothing is lost when this is dropped half way: what was read stays in the buffer.
    pub(crate) async fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.make_room();
        self.ended = self.reader.read_buf(&mut self.buffer).await? == 0;
        Ok(!self.ended)
    }

    /// Gives the memory of a long line back, unless more was read than that.
    pub(crate) fn release(&mut self) {
        if self.start == self.buffer.len() && self.buffer.capacity() > KEPT {
            self.buffer = Vec::new();
            (self.start, self.scanned) = (0, 0);
        }
    }

    fn make_room(&mut self) {
        self.release();
        if self.start == self.buffer.len() {
            self.buffer.clear();
        } else {
            self.buffer.drain(..self.start);
        }
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.capacity() - self.buffer.len() < CHUNK / 2 {
            // Twice the size each time, but never far beyond what one message may take.
            let more = self.buffer.len().min(self.max.saturating_sub(self.buffer.len())).max(CHUNK);
            self.buffer.reserve_exact(more);
        }
    }

    /// The next line of what has been read.
    pub(crate) fn next(&mut self) -> Option<Line<'_>> {
        loop {
            let end = match memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
                Some(at) => self.scanned + at,
                None if self.ended && self.start < self.buffer.len() => self.buffer.len(),
                None => {
                    self.scanned = self.buffer.len();
                    let known = self.skipping;
                    // Some room for what is cut off at both ends of a line.
                    self.skipping |= self.scanned - self.start > self.max + SLACK;
                    let line = self.start..self.scanned;
                    if self.skipping {
                        self.start = self.scanned;
                    }
                    // It is said once, when it is known, however long the rest may be.
                    return (self.skipping && !known).then(|| too_long(&self.buffer[line]));
                }
            };
            let start = std::mem::replace(&mut self.start, (end + 1).min(self.buffer.len()));
            self.scanned = self.start;
            if std::mem::take(&mut self.skipping) {
                continue;
            }
            let line = &self.buffer[start..end];
            let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
            if line.len() > self.max {
                return Some(too_long(&self.buffer[start..end]));
            }
            if !line.is_empty() {
                // Found again by its place, because the borrow above ends here.
                let start = line.as_ptr().addr() - self.buffer.as_ptr().addr();
                let end = start + line.len();
                return Some(Line::Text(&self.buffer[start..end]));
            }
        }
    }
}

fn too_long(line: &[u8]) -> Line<'_> {
    Line::TooLong(&line[..line.len().min(BEGINNING)])
}

/// Writes what is queued until the queue is closed and empty.
pub(crate) async fn write_all(outbox: &Outbox, mut writer: impl AsyncWrite + Unpin) -> io::Result<()> {
    let mut buffer = Vec::new();
    while poll_fn(|cx| outbox.poll_take(cx, &mut buffer)).await.is_some() {
        writer.write_all(&buffer).await?;
        writer.flush().await?;
        outbox.wrote(buffer.len());
        if buffer.capacity() > KEPT {
            buffer = Vec::new();
        }
        buffer.clear();
    }
    writer.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(input: &[u8], max: usize) -> Vec<String> {
        let mut lines = Lines::new(input, max);
        let mut all = Vec::new();
        loop {
            while let Some(line) = lines.next() {
                all.push(match line {
                    Line::Text(text) => String::from_utf8_lossy(text).into_owned(),
                    Line::TooLong(beginning) => {
                        assert!(beginning.starts_with(b"aaaaaaaaaaa"));
                        "too long".into()
                    }
                });
            }
            if !lines.fill().await.unwrap() {
                if let Some(Line::Text(text)) = lines.next() {
                    all.push(String::from_utf8_lossy(text).into_owned());
                }
                return all;
            }
        }
    }

    #[tokio::test]
    async fn line_ends_of_any_kind_and_blank_lines_are_fine() {
        assert_eq!(read(b"\xEF\xBB\xBFa\r\n\n \r\n b\nc", 10).await, ["a", "b", "c"]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_skipped_and_the_next_one_is_read() {
        assert_eq!(read(b"aaaaaaaaaaaa\nb\n", 10).await, ["too long", "b"]);
        let long = [vec![b'a'; 100_000], b"\nb\n".to_vec()].concat();
        assert_eq!(read(&long, 10).await, ["too long", "b"]);
        assert_eq!(read(&long[..100_000], 10).await, ["too long"]);
    }

    #[tokio::test]
    async fn the_memory_of_a_long_line_is_given_back_unless_there_is_more_in_it() {
        for (more, is_given_back) in [("", true), ("b", false)] {
            let text = format!("{}\n{more}", "a".repeat(2 * KEPT));
            let mut lines = Lines::new(text.as_bytes(), 4 * KEPT);
            while lines.fill().await.unwrap() {
                if lines.next().is_some() {
                    break;
                }
            }
            assert!(lines.buffer.capacity() > KEPT);
            lines.release();
            assert_eq!(lines.buffer.capacity() == 0, is_given_back, "{more}");
            while lines.fill().await.unwrap() {}
            assert_eq!(lines.next(), (!more.is_empty()).then_some(Line::Text(more.as_bytes())));
        }
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_read() {
        assert_eq!(read(b"aaaaaaaaaa\nb\n", 10).await, ["aaaaaaaaaa", "b"]);
    }
}
