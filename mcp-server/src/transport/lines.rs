//! Framing: one message a line, in UTF-8.
//!
//! Read leniently, as peers differ: CRLF, a byte order mark, blank lines and a last line without an end are all fine.
//! A line that is too long is skipped in pieces, so that it costs no memory.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use std::future::poll_fn;
use std::io::{self, IoSlice};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::server::chunk::Chunk;
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
    let mut chunk = Chunk::default();
    while poll_fn(|cx| outbox.poll_take(cx, &mut chunk)).await.is_some() {
        match chunk.as_bytes() {
            Some(bytes) => writer.write_all(bytes).await?,
            None if writer.is_write_vectored() => write_slices(&mut writer, &chunk).await?,
            None => {
                let bytes = std::mem::take(&mut chunk).into_bytes();
                writer.write_all(&bytes).await?;
                chunk = bytes.into();
            }
        }
        writer.flush().await?;
        outbox.wrote(chunk.len());
        chunk.clear(KEPT);
    }
    writer.shutdown().await
}

/// Writes all pieces of a chunk, as many at a time as the writer takes.
async fn write_slices(writer: &mut (impl AsyncWrite + Unpin), chunk: &Chunk) -> io::Result<()> {
    let mut slices = chunk.io_slices();
    let mut left = &mut slices[..];
    // Empty pieces at the front go first: a write of nothing but these gives 0, which is taken for an error.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match writer.write_vectored(left).await? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => IoSlice::advance_slices(&mut left, written),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;
    use std::task::{Context, Poll};
    use std::time::Duration;

    use super::*;
    use crate::server::chunk::Insert;

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

    /// Takes so many bytes at most of each write, and of several pieces if it can.
    #[derive(Default)]
    struct Sip {
        most: usize,
        is_vectored: bool,
        taken: Vec<u8>,
    }

    impl AsyncWrite for Sip {
        fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            let taken = bytes.len().min(self.most);
            self.taken.extend_from_slice(&bytes[..taken]);
            Poll::Ready(Ok(taken))
        }

        fn poll_write_vectored(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            assert!(self.is_vectored);
            self.poll_write(cx, &slices.iter().map(|slice| &**slice).collect::<Vec<_>>().concat())
        }

        fn is_write_vectored(&self) -> bool {
            self.is_vectored
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    /// Three messages, of which two have something shared in them, and what they are as lines.
    fn queued() -> (Outbox, Vec<u8>) {
        let shared: Arc<[u8]> = vec![b'x'; 3000].into();
        let outbox = Outbox::new(100, Duration::ZERO);
        outbox.push_now(|out| out.extend_from_slice(b"a")).unwrap();
        let around = |out: &mut Vec<u8>| {
            out.extend_from_slice(b"b");
            let insert = Insert::append(out, &shared);
            out.extend_from_slice(b"c");
            insert
        };
        outbox.push_around_now(around).unwrap();
        outbox.push_around_now(|out| Insert::append(out, &shared)).unwrap();
        outbox.close();
        let lines = [b"a\nb", &*shared, b"c\n", &*shared, b"\n"].concat();
        (outbox, lines)
    }

    #[tokio::test]
    async fn all_pieces_are_written_however_few_bytes_are_taken_at_a_time() {
        for is_vectored in [true, false] {
            for most in [1, 2, 3, 7, 2999, 3000, 3001, 3003, 3004, 10_000] {
                let (outbox, lines) = queued();
                let mut writer = Sip { most, is_vectored, ..Sip::default() };
                write_all(&outbox, &mut writer).await.unwrap();
                assert!(writer.taken == lines, "{most} bytes at a time, {is_vectored}");
            }
        }
    }

    #[tokio::test]
    async fn a_writer_that_takes_nothing_is_an_error() {
        for is_vectored in [true, false] {
            let mut writer = Sip { is_vectored, ..Sip::default() };
            let error = write_all(&queued().0, &mut writer).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::WriteZero);
        }
    }

    #[tokio::test]
    async fn a_line_of_exactly_the_limit_is_read() {
        assert_eq!(read(b"aaaaaaaaaa\nb\n", 10).await, ["aaaaaaaaaa", "b"]);
    }
}
