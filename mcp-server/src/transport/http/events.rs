//! The events of one stream of an older session: what was not read yet, and what is kept to be said once more to a
//! client whose connection broke.
//!
//! Specification: [Resumability](https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#resumability-and-redelivery).

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use memchr::memmem;

use crate::server::chunk::Chunk;
use crate::server::link::Detour;
use crate::server::output::{Outbox, Writing};

/// The id of an event: the number of its stream, and its own there. The first one of a stream is 0, and says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventId {
    pub(super) stream: u64,
    pub(super) event: u64,
}

impl EventId {
    /// `None` when it is none of ours.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (stream, event) = text.split_once('-')?;
        let id = Self { stream: stream.parse().ok()?, event: event.parse().ok()? };
        // `+7` and `07` are not what we wrote.
        (id.to_string() == text).then_some(id)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.stream, self.event)
    }
}

/// The events of one stream.
#[derive(Debug)]
pub(super) struct Events {
    stream: u64,
    /// Whether the events have ids, so that a client can ask for them once more.
    numbered: bool,
    /// So many bytes wait to be read at most, and so many are kept that were.
    room: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    parts: VecDeque<Part>,
    /// How many of the parts were read.
    read: usize,
    /// How many bytes the parts have that were read, and those that were not.
    read_bytes: usize,
    unread_bytes: usize,
    /// Counts the readers: only the last one reads.
    reader: u64,
    is_read: bool,
    ended: bool,
    /// The reader is to go, and to come back after this time.
    detour: Option<Duration>,
    waiting_reader: Option<Waker>,
    waiting_writer: Option<Waker>,
}

/// Some events in a row, as they are written.
#[derive(Debug)]
struct Part {
    /// The number of the last one.
    last: u64,
    bytes: Bytes,
}

impl Events {
    pub(super) fn new(stream: u64, numbered: bool, room: usize) -> Arc<Self> {
        Arc::new(Self { stream, numbered, room, state: Mutex::default() })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stream(&self) -> u64 {
        self.stream
    }

    /// "An SSE event consisting of an event ID and an empty data field in order to prime the client to reconnect."
    pub(super) fn prime(&self) {
        if self.numbered {
            self.append(format!("id: {}-0\ndata: \n\n", self.stream).into(), 0);
        }
    }

    /// Whether there is room for more. Where nobody reads there always is: then what is oldest goes.
    fn poll_room(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if !state.is_read || state.unread_bytes < self.room {
            return Poll::Ready(());
        }
        state.waiting_writer = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Adds events; `last` is the number of the last of them.
    pub(super) fn append(&self, bytes: Bytes, last: u64) {
        let mut state = self.state();
        state.unread_bytes += bytes.len();
        state.parts.push_back(Part { last, bytes });
        state.forget(self);
        let reader = state.waiting_reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    /// Nothing more will come.
    pub(super) fn end(&self) {
        let mut state = self.state();
        state.ended = true;
        let reader = state.waiting_reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    /// Reads on from the event after this one, or from where the last reader was. Whoever read before reads no more.
    pub(super) fn reader(self: &Arc<Self>, after: Option<u64>) -> Reader {
        let mut state = self.state();
        state.reader += 1;
        state.is_read = true;
        if let Some(after) = after {
            // Who comes back is not sent away for what was said before.
            state.detour = None;
            state.go_back(self.stream, after);
        }
        let number = state.reader;
        let before = state.waiting_reader.take();
        drop(state);
        before.into_iter().for_each(Waker::wake);
        Reader { events: Arc::clone(self), number, sent_away: false }
    }
}

impl Detour for Events {
    fn reconnect_after(&self, time: Duration) {
        let mut state = self.state();
        state.detour = Some(time);
        let reader = state.waiting_reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }
}

impl State {
    /// Keeps no more than there is room for: the oldest goes first, and what nobody has read stays while somebody reads.
    fn forget(&mut self, events: &Events) {
        let room = if events.numbered { events.room } else { 0 };
        while self.read > 0 && self.read_bytes > room {
            self.read_bytes -= self.forget_first();
            self.read -= 1;
        }
        // The last one stays: it has the response, in the end.
        while !self.is_read && self.read_bytes + self.unread_bytes > room && self.parts.len() > 1 {
            let bytes = self.forget_first();
            if self.read > 0 {
                self.read -= 1;
                self.read_bytes -= bytes;
            } else {
                self.unread_bytes -= bytes;
            }
        }
    }

    fn forget_first(&mut self) -> usize {
        self.parts.pop_front().map_or(0, |chunk| chunk.bytes.len())
    }

    /// What comes after this event was not read, whatever was thought of it.
    fn go_back(&mut self, stream: u64, after: u64) {
        self.read = self.parts.iter().take_while(|chunk| chunk.last <= after).count();
        if let Some(chunk) = self.parts.get(self.read) {
            // Some of its events may have been read.
            let next = format!("\n\nid: {}\n", EventId { stream, event: after + 1 });
            if let Some(at) = memmem::find(&chunk.bytes, next.as_bytes()) {
                let (seen, unseen) = (chunk.bytes.slice(..at + 2), chunk.bytes.slice(at + 2..));
                let last = chunk.last;
                self.parts[self.read] = Part { last: after, bytes: seen };
                self.read += 1;
                self.parts.insert(self.read, Part { last, bytes: unseen });
            }
        }
        let bytes = |chunk: &Part| chunk.bytes.len();
        self.read_bytes = self.parts.iter().take(self.read).map(bytes).sum();
        self.unread_bytes = self.parts.iter().skip(self.read).map(bytes).sum();
    }
}

/// Reads the events of a stream, until somebody else does.
#[derive(Debug)]
pub(super) struct Reader {
    events: Arc<Events>,
    number: u64,
    sent_away: bool,
}

impl Reader {
    /// The next bytes; `None`: this reader gets no more.
    pub(super) fn poll_next(&mut self, cx: &Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.events.state();
        if self.sent_away || state.reader != self.number {
            return Poll::Ready(None);
        }
        if let Some(chunk) = state.parts.get(state.read) {
            let bytes = chunk.bytes.clone();
            state.read += 1;
            state.read_bytes += bytes.len();
            state.unread_bytes -= bytes.len();
            state.forget(&self.events);
            let writer = state.waiting_writer.take();
            drop(state);
            writer.into_iter().for_each(Waker::wake);
            return Poll::Ready(Some(bytes));
        }
        if state.ended {
            return Poll::Ready(None);
        }
        if let Some(time) = state.detour.take() {
            self.sent_away = true;
            // "the server SHOULD send an SSE event with a standard `retry` field before closing the connection".
            return Poll::Ready(Some(format!("retry: {}\n\n", time.as_millis()).into()));
        }
        state.waiting_reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.events.state();
        if state.reader == self.number {
            state.is_read = false;
            state.forget(&self.events);
            let writer = state.waiting_writer.take();
            drop(state);
            writer.into_iter().for_each(Waker::wake);
        }
    }
}

/// Does the work that makes events, and brings what it says to where it is read.
pub(super) struct Pump {
    work: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    outbox: Outbox,
    events: Arc<Events>,
    chunk: Chunk,
    /// Whether the events end with this work; otherwise another one may go on.
    ends: bool,
}

impl Pump {
    /// For work with which the stream ends, however it ends.
    pub(super) fn to_the_end(
        work: impl Future<Output = ()> + Send + 'static,
        outbox: Outbox,
        events: Arc<Events>,
    ) -> Self {
        Self::new(work, outbox, events, true)
    }

    /// For work that can be taken up again.
    pub(super) fn for_now(
        work: impl Future<Output = ()> + Send + 'static,
        outbox: Outbox,
        events: Arc<Events>,
    ) -> Self {
        Self::new(work, outbox, events, false)
    }

    fn new(work: impl Future<Output = ()> + Send + 'static, outbox: Outbox, events: Arc<Events>, ends: bool) -> Self {
        Self { work: Some(Box::pin(work)), outbox, events, chunk: Chunk::default(), ends }
    }

    /// Ready when the work is done, and all that it said can be read.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.outbox.attended();
        let writing = Writing::here();
        let polled = self.work.as_mut().map(|work| work.as_mut().poll(cx));
        drop(writing);
        if polled.is_some_and(|polled| polled.is_ready()) {
            self.work = None;
            self.outbox.close();
        }
        loop {
            if self.events.poll_room(cx).is_pending() {
                return Poll::Pending;
            }
            match self.outbox.poll_take(cx, &mut self.chunk) {
                Poll::Ready(Some(last)) => {
                    self.events.append(std::mem::take(&mut self.chunk).into_bytes().into(), last);
                }
                Poll::Ready(None) => {
                    self.events.end();
                    return Poll::Ready(());
                }
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}

impl Future for Pump {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pump::poll(self.get_mut(), cx)
    }
}

impl Drop for Pump {
    fn drop(&mut self) {
        if self.ends {
            self.work = None;
            self.events.end();
        }
    }
}

impl fmt::Debug for Pump {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pump").field("events", &self.events).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;
    use crate::server::output::Framing;

    fn say(outbox: &Outbox, text: &str) {
        outbox.push_now(|out| out.extend_from_slice(text.as_bytes())).unwrap();
    }

    /// A stream with so many messages, all there.
    async fn stream(messages: u64, room: usize, numbered: bool) -> Arc<Events> {
        let outbox = Outbox::of_events(1 << 20, if numbered { Framing::Numbered(3) } else { Framing::Event });
        let events = Events::new(3, numbered, room);
        events.prime();
        let said = outbox.clone();
        let work = async move { (1..=messages).for_each(|at| say(&said, &format!("m{at}"))) };
        Pump::to_the_end(work, outbox, Arc::clone(&events)).await;
        events
    }

    async fn read(reader: &mut Reader) -> String {
        let mut all = String::new();
        while let Some(bytes) = poll_fn(|cx| reader.poll_next(cx)).await {
            all += std::str::from_utf8(&bytes).unwrap();
        }
        all
    }

    // rows: LHTTP-15, LHTTP-16
    #[tokio::test]
    async fn what_was_read_can_be_read_once_more_from_any_event_on() {
        let events = stream(3, 1024, true).await;
        let all = read(&mut events.reader(None)).await;
        assert_eq!(all, "id: 3-0\ndata: \n\nid: 3-1\ndata: m1\n\nid: 3-2\ndata: m2\n\nid: 3-3\ndata: m3\n\n");
        for after in [0, 1, 2, 3, 2, 0, 1] {
            let rest = read(&mut events.reader(Some(after))).await;
            let from = format!("id: 3-{}\n", after + 1);
            assert_eq!(rest, all.find(&from).map_or("", |at| &all[at..]), "after {after}");
        }
        // Whatever is asked for, nothing is said that was not said before.
        assert_eq!(read(&mut events.reader(Some(u64::MAX - 1))).await, "");
    }

    #[tokio::test]
    async fn events_without_ids_are_not_kept() {
        let events = stream(2, 1024, false).await;
        assert_eq!(read(&mut events.reader(None)).await, "data: m1\n\ndata: m2\n\n");
        assert_eq!(read(&mut events.reader(None)).await, "");
    }

    #[tokio::test]
    async fn where_nobody_reads_the_oldest_goes_and_the_last_stays() {
        let outbox = Outbox::of_events(1 << 20, Framing::Numbered(3));
        let events = Events::new(3, true, 40);
        let said = outbox.clone();
        let work = async move {
            for at in 0..100 {
                say(&said, &format!("message {at}"));
                tokio::task::yield_now().await;
            }
            say(&said, &"x".repeat(100));
        };
        Pump::to_the_end(work, outbox, Arc::clone(&events)).await;
        let left = read(&mut events.reader(Some(0))).await;
        assert_eq!(left, format!("id: 3-101\ndata: {}\n\n", "x".repeat(100)));
    }

    #[tokio::test]
    async fn a_reader_that_does_not_read_holds_up_the_work() {
        let outbox = Outbox::of_events(8, Framing::Event);
        let events = Events::new(3, false, 8);
        let mut reader = events.reader(None);
        let said = outbox.clone();
        let work = async move {
            for _ in 0..10 {
                poll_fn(|cx| said.poll_push(cx, |out| out.extend_from_slice(b"long message"))).await.unwrap();
            }
        };
        let mut pump = tokio::spawn(Pump::to_the_end(work, outbox, Arc::clone(&events)));
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(!pump.is_finished());
        assert!(events.state().unread_bytes < 50);
        assert_eq!(read(&mut reader).await.matches("long message").count(), 10);
        (&mut pump).await.unwrap();
        assert!(events.state().ended);
    }

    // rows: LHTTP-17
    #[tokio::test]
    async fn a_reader_is_sent_away_once_it_has_read_what_was_said() {
        let outbox = Outbox::of_events(1024, Framing::Numbered(3));
        let events = Events::new(3, true, 1024);
        let mut pump = Pump::to_the_end(std::future::pending(), outbox.clone(), Arc::clone(&events));
        say(&outbox, "m1");
        let mut reader = events.reader(None);
        events.reconnect_after(Duration::from_millis(500));
        assert!(poll_fn(|cx| Poll::Ready(pump.poll(cx).is_pending())).await);
        assert_eq!(read(&mut reader).await, "id: 3-1\ndata: m1\n\nretry: 500\n\n");
        drop(reader);
        say(&outbox, "m2");
        outbox.close();
        poll_fn(|cx| pump.poll(cx)).await;
        assert_eq!(read(&mut events.reader(Some(1))).await, "id: 3-2\ndata: m2\n\n");
    }

    #[test]
    fn an_event_id_is_read_as_it_was_written() {
        let id = EventId { stream: 7, event: 12 };
        assert_eq!(EventId::read(&id.to_string()), Some(id));
        for other in ["", "7", "7-", "-1", "07-1", "7-+1", "7-1-1", "a-b", "99999999999999999999-1"] {
            assert_eq!(EventId::read(other), None, "{other}");
        }
    }
}
