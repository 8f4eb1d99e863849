//! The one ordered output channel of a connection.
//!
//! Reports and responses are encoded by the task that produced them, straight into the bytes that the transport will
//! write; what is made once for all clients is not even copied. What is queued first is written first. The queue is
//! bounded: when the peer does not read, whoever has something to say waits for room, and memory stays where it is.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::chunk::{Chunk, Insert};
#[cfg(feature = "http")]
use crate::protocol::write_integer;

/// The handle to the channel; all clones are one channel.
#[derive(Clone)]
pub(crate) struct Outbox(Arc<Shared>);

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outbox").field(&self.0.queue).finish()
    }
}

struct Shared {
    queue: Mutex<Queue>,
    /// Beyond so many bytes whoever wants to add something waits.
    capacity: usize,
    settle: Settle,
    framing: Framing,
}

/// What stands around a message.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Framing {
    /// A line end behind it.
    Line,
    /// It is the data of a server-sent event …
    #[cfg(feature = "http")]
    Event,
    /// … which has an id: the number of its stream, and its own there, from 1 on.
    #[cfg(feature = "http")]
    Numbered(u64),
}

/// How long a response keeps its distance from the last report of its call.
#[derive(Default)]
pub(crate) struct Settle {
    /// At least so long after the report was written; zero: not at all.
    pub(crate) time: Duration,
    /// And until the client has read the report, where that can be seen: how many of the written bytes wait to be
    /// read.
    pub(crate) unread: Option<Unread>,
}

/// Tells how many of the written bytes wait to be read at the other end; `None`: the system does not say.
pub(crate) type Unread = Box<dyn Fn() -> Option<u64> + Send + Sync>;

impl From<Duration> for Settle {
    fn from(time: Duration) -> Self {
        Self { time, unread: None }
    }
}

#[derive(Debug, Default)]
struct Queue {
    /// Whole messages, each with its line end, in the order in which they were accepted.
    chunk: Chunk,
    /// How many bytes of these nobody had to wait for, see [`Outbox::push_now`].
    unasked: usize,
    /// How many bytes were ever accepted, and how many of them the transport has written.
    accepted: u64,
    written: u64,
    /// Up to where each of the latest writes came that had reports in them, and when.
    writes: VecDeque<(u64, Instant)>,
    /// Where the last report ends.
    reported: u64,
    /// Since when the oldest message waits, from the first time on that somebody looked.
    waiting_since: Option<Instant>,
    closed: bool,
    transport: Option<Waker>,
    /// Those who wait for room, or for a write.
    waiting: Vec<Waker>,
    /// How many messages were ever accepted.
    messages: u64,
    /// How many bytes they have in their hands.
    held: usize,
}

/// The bytes of a response that waits for room: they count against what may wait in all.
pub(crate) struct Holding<'a> {
    outbox: &'a Outbox,
    bytes: usize,
}

impl Drop for Holding<'_> {
    fn drop(&mut self) {
        let mut queue = self.outbox.queue();
        queue.held -= self.bytes;
        let waiting = if queue.held < MAX_HELD { std::mem::take(&mut queue.waiting) } else { Vec::new() };
        drop(queue);
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// When the responses that wait for room have so many bytes, nothing more is read: more memory than that is not spent
/// on a client that does not read. Until then cancellations are still heard.
const MAX_HELD: usize = 128 * 1024 * 1024;

/// The transport no longer writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

/// A report that was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Accepted {
    /// Where it ends in the stream of all bytes.
    pub(crate) end: u64,
    /// Whether messages have been waiting long enough that the transport should get its turn.
    pub(crate) overdue: bool,
}

/// After so long a producer that never pauses lets the transport have its turn.
const OVERDUE: Duration = Duration::from_millis(1);

/// A client that does not read gets the response all the same after so long: it then waits in the same place.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often a client is looked after that has not read yet.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

thread_local! {
    /// Whether the task that this thread runs is the one that writes what its call says.
    static WRITES: Cell<bool> = const { Cell::new(false) };
}

/// Marks the thread that runs a call and writes what it says: code of the call must not hold it to wait for room.
#[derive(Debug)]
pub(crate) struct Writing(bool);

impl Writing {
    #[cfg(feature = "http")]
    pub(crate) fn here() -> Self {
        Self(WRITES.replace(true))
    }

    /// Whether it is this thread.
    pub(crate) fn is_here() -> bool {
        WRITES.get()
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        WRITES.set(self.0);
    }
}

impl Outbox {
    /// `settle`: how far [`Outbox::settled`] goes.
    pub(crate) fn new(capacity: usize, settle: impl Into<Settle>) -> Self {
        let settle = settle.into();
        Self(Arc::new(Shared { queue: Mutex::default(), capacity: capacity.max(1), settle, framing: Framing::Line }))
    }

    /// The messages are framed as events, and nothing is waited for once it is written.
    #[cfg(feature = "http")]
    pub(crate) fn of_events(capacity: usize, framing: Framing) -> Self {
        let settle = Settle::default();
        Self(Arc::new(Shared { queue: Mutex::default(), capacity: capacity.max(1), settle, framing }))
    }

    /// How many messages were ever accepted.
    #[cfg(feature = "http")]
    pub(crate) fn messages(&self) -> u64 {
        self.queue().messages
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends what `write` writes, as one message, when there is room.
    pub(crate) fn poll_push(&self, cx: &mut Context<'_>, write: impl FnOnce(&mut Vec<u8>)) -> Poll<Result<(), Closed>> {
        let mut queue = self.queue();
        if !queue.closed && queue.chunk.len() >= self.0.capacity {
            queue.wait(cx);
            return Poll::Pending;
        }
        Poll::Ready(queue.push(self.0.framing, whole(write)).map(drop))
    }

    /// The same for a report, from which the response of its call keeps its distance. `may_wait`: without it there is
    /// room where there is none.
    pub(crate) fn poll_push_report(
        &self,
        cx: &mut Context<'_>,
        may_wait: bool,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Poll<Result<Accepted, Closed>> {
        let mut queue = self.queue();
        if may_wait && !queue.closed && queue.chunk.len() >= self.0.capacity {
            queue.wait(cx);
            return Poll::Pending;
        }
        let before = queue.accepted;
        let end = queue.push(self.0.framing, whole(write))?;
        queue.reported = end;
        if !may_wait {
            queue.note_unasked(before);
        }
        Poll::Ready(Ok(Accepted { end, overdue: queue.is_overdue() }))
    }

    /// Appends a message without waiting: for what is small and comes at most once for each message read.
    pub(crate) fn push_now(&self, write: impl FnOnce(&mut Vec<u8>)) -> Result<(), Closed> {
        self.push_around_now(whole(write))
    }

    /// The same for a message with something in it that is shared, and may be long: who reads a connection
    /// [gives way](Self::give_way) before the next one.
    pub(crate) fn push_around_now(&self, write: impl FnOnce(&mut Vec<u8>) -> Option<Insert>) -> Result<(), Closed> {
        let mut queue = self.queue();
        let before = queue.accepted;
        queue.push(self.0.framing, write)?;
        queue.note_unasked(before);
        Ok(())
    }

    /// For the task that carries the exchange: it looks here by itself before it rests, so that nobody has to wake it.
    #[cfg(feature = "http")]
    pub(crate) fn attended(&self) {
        self.queue().transport = None;
    }

    /// Appends a message unless there is no room. `false`: it was not accepted.
    pub(crate) fn push_if_room(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut queue = self.queue();
        queue.chunk.len() < self.0.capacity && queue.push(self.0.framing, whole(write)).is_ok()
    }

    /// Queues what nobody can wait with, as long as there is not too much of its kind; whether it did. How much others
    /// have queued does not matter.
    #[cfg(feature = "client")]
    pub(crate) fn push_unasked(&self, write: impl FnOnce(&mut Vec<u8>)) -> bool {
        let mut queue = self.queue();
        let before = queue.accepted;
        let found = queue.unasked < self.0.capacity && queue.push(self.0.framing, whole(write)).is_ok();
        queue.note_unasked(before);
        found
    }

    /// For the task that reads the connection and writes to it, before each message that it takes: lets the transport
    /// have its turn when messages have waited long enough, and waits while far too many do of those that answer at
    /// once. What calls have to say waits for room itself: a client that does not read can still cancel.
    pub(crate) async fn give_way(&self) {
        let mut gave_way = false;
        poll_fn(|cx| {
            let mut queue = self.queue();
            // The task looks here by itself before it rests: nobody has to wake it.
            queue.transport = None;
            let full = queue.unasked >= self.0.capacity.saturating_mul(2) || queue.held >= MAX_HELD;
            if !queue.closed && full {
                queue.wait(cx);
                return Poll::Pending;
            }
            if queue.is_overdue() && !std::mem::replace(&mut gave_way, true) {
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
            Poll::Ready(())
        })
        .await;
    }

    /// Waits until the bytes up to `end` are written, the settling time has passed since, and the client has read them,
    /// as far as the system tells.
    pub(crate) async fn settled(&self, end: u64) {
        let Settle { time, unread } = &self.0.settle;
        if time.is_zero() {
            return;
        }
        let written_at = poll_fn(|cx| {
            let mut queue = self.queue();
            if queue.written >= end || queue.closed {
                // A write that is no longer remembered lies further back than the settling time.
                let covering = queue.writes.partition_point(|(up_to, _)| *up_to < end);
                return Poll::Ready(queue.writes.get(covering).map(|(_, at)| *at));
            }
            queue.wait(cx);
            Poll::Pending
        })
        .await;
        if let Some(at) = written_at {
            tokio::time::sleep_until(at + *time).await;
        }
        let Some(unread) = unread else { return };
        let patience = Instant::now() + PATIENCE;
        loop {
            // In this order, so that what is written in between makes nothing look as if it had been read.
            let (written, closed) = {
                let queue = self.queue();
                (queue.written, queue.closed)
            };
            // What cannot be told has been read.
            let was_read = unread().is_none_or(|unread| written.saturating_sub(unread) >= end);
            if was_read || closed || Instant::now() > patience {
                return;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    /// Wakes whoever waits, so that it looks again whether it still has something to say.
    pub(crate) fn wake_waiting(&self) {
        let waiting = std::mem::take(&mut self.queue().waiting);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Counts the bytes of a response that waits for room, until the guard is dropped.
    pub(crate) fn holding(&self, bytes: usize) -> Holding<'_> {
        self.queue().held += bytes;
        Holding { outbox: self, bytes }
    }

    /// For the transport: swaps all that waits into `chunk`, which is empty, and gives how many messages there were up
    /// to the last of these. `None`: closed, and nothing waits.
    pub(crate) fn poll_take(&self, cx: &mut Context<'_>, chunk: &mut Chunk) -> Poll<Option<u64>> {
        let mut queue = self.queue();
        if queue.chunk.is_empty() {
            if queue.closed {
                return Poll::Ready(None);
            }
            match &mut queue.transport {
                Some(waker) => waker.clone_from(cx.waker()),
                none => *none = Some(cx.waker().clone()),
            }
            return Poll::Pending;
        }
        queue.transport = None;
        queue.waiting_since = None;
        queue.unasked = 0;
        std::mem::swap(&mut queue.chunk, chunk);
        // Room again: what is being written is bounded by the capacity too.
        let waiting = std::mem::take(&mut queue.waiting);
        let messages = queue.messages;
        drop(queue);
        waiting.into_iter().for_each(Waker::wake);
        Poll::Ready(Some(messages))
    }

    /// For the transport: so many bytes have been written and flushed.
    pub(crate) fn wrote(&self, bytes: usize) {
        let mut queue = self.queue();
        let has_reports = queue.reported > queue.written;
        queue.written += bytes as u64;
        if has_reports && !self.0.settle.time.is_zero() {
            let now = Instant::now();
            while queue.writes.front().is_some_and(|(_, at)| now - *at > self.0.settle.time) {
                queue.writes.pop_front();
            }
            let up_to = queue.written;
            queue.writes.push_back((up_to, now));
        }
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Nothing is accepted any more; what waits can still be taken.
    pub(crate) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        let transport = queue.transport.take();
        let waiting = std::mem::take(&mut queue.waiting);
        drop(queue);
        waiting.into_iter().chain(transport).for_each(Waker::wake);
    }

    /// Takes out all that waits, whole messages.
    pub(crate) fn drain(&self) -> Vec<u8> {
        let chunk = std::mem::take(&mut self.queue().chunk);
        chunk.into_bytes()
    }
}

/// Writes a message in which nothing is shared.
pub(crate) fn whole(write: impl FnOnce(&mut Vec<u8>)) -> impl FnOnce(&mut Vec<u8>) -> Option<Insert> {
    |text| {
        write(text);
        None
    }
}

impl Framing {
    #[cfg(feature = "http")]
    fn open(self, out: &mut Vec<u8>, number: u64) {
        match self {
            Self::Line => {}
            Self::Event => out.extend_from_slice(b"data: "),
            Self::Numbered(stream) => {
                out.extend_from_slice(b"id: ");
                write_integer(out, stream.into());
                out.push(b'-');
                write_integer(out, number.into());
                out.extend_from_slice(b"\ndata: ");
            }
        }
    }

    fn close(self, out: &mut Vec<u8>) {
        match self {
            Self::Line => out.push(b'\n'),
            #[cfg(feature = "http")]
            Self::Event | Self::Numbered(_) => out.extend_from_slice(b"\n\n"),
        }
    }
}

impl Queue {
    /// Appends a message. Where it ends in the stream of all bytes.
    fn push(&mut self, framing: Framing, write: impl FnOnce(&mut Vec<u8>) -> Option<Insert>) -> Result<u64, Closed> {
        if self.closed {
            return Err(Closed);
        }
        self.messages += 1;
        let added = self.chunk.append(|text| {
            #[cfg(feature = "http")]
            framing.open(text, self.messages);
            let insert = write(text);
            framing.close(text);
            insert
        });
        self.accepted += added as u64;
        if let Some(transport) = self.transport.take() {
            transport.wake();
        }
        Ok(self.accepted)
    }

    /// What was accepted since then, nobody had to wait for.
    fn note_unasked(&mut self, since: u64) {
        self.unasked += (self.accepted - since) as usize;
    }

    /// Whether messages have been waiting long enough that the transport should get its turn.
    fn is_overdue(&mut self) -> bool {
        if self.chunk.is_empty() {
            return false;
        }
        let now = Instant::now();
        now - *self.waiting_since.get_or_insert(now) >= OVERDUE
    }

    fn wait(&mut self, cx: &Context<'_>) {
        if !self.waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.waiting.push(cx.waker().clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(outbox: &Outbox, text: &str) {
        outbox.push_now(|out| out.extend_from_slice(text.as_bytes())).unwrap();
    }

    #[tokio::test]
    async fn messages_leave_in_the_order_in_which_they_were_accepted() {
        let outbox = Outbox::new(100, Duration::ZERO);
        push(&outbox, "a");
        push(&outbox, "b");
        let mut chunk = Chunk::default();
        assert_eq!(poll_fn(|cx| outbox.poll_take(cx, &mut chunk)).await, Some(2));
        assert_eq!(chunk.into_bytes(), b"a\nb\n");
    }

    #[tokio::test]
    async fn a_full_queue_makes_its_producer_wait_until_the_transport_takes() {
        let outbox = Outbox::new(4, Duration::ZERO);
        push(&outbox, "abcd");
        let producer = outbox.clone();
        let waiting =
            tokio::spawn(async move { poll_fn(|cx| producer.poll_push(cx, |out| out.push(b'e'))).await.is_ok() });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        poll_fn(|cx| outbox.poll_take(cx, &mut Chunk::default())).await;
        assert!(waiting.await.unwrap());
        assert_eq!(outbox.drain(), b"e\n");
    }

    /// Polls once.
    async fn is_ready(future: impl Future) -> bool {
        let mut future = std::pin::pin!(future);
        poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx).is_ready())).await
    }

    #[tokio::test]
    async fn what_is_shared_counts_like_all_else() {
        let outbox = Outbox::new(2000, Duration::from_millis(5));
        let shared: Arc<[u8]> = vec![b'x'; 4000].into();
        outbox.push_around_now(|out| Insert::append(out, &shared)).unwrap();
        assert!(!outbox.push_if_room(|out| out.push(b'a')));
        assert!(!is_ready(poll_fn(|cx| outbox.poll_push(cx, |out| out.push(b'a')))).await);
        assert!(!is_ready(outbox.give_way()).await);
        let mut chunk = Chunk::default();
        poll_fn(|cx| outbox.poll_take(cx, &mut chunk)).await;
        assert_eq!(chunk.len(), 4001);
        assert!(is_ready(outbox.give_way()).await);
        let report = |out: &mut Vec<u8>| out.extend_from_slice(b"report");
        let accepted = poll_fn(|cx| outbox.poll_push_report(cx, true, report)).await.unwrap();
        assert_eq!(accepted.end, 4001 + 7);
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_gives_way_once_when_messages_have_waited() {
        let outbox = Outbox::new(100, Duration::ZERO);
        push(&outbox, "a");
        assert!(is_ready(outbox.give_way()).await);
        tokio::time::advance(OVERDUE).await;
        assert!(!is_ready(outbox.give_way()).await);
        outbox.give_way().await;
        poll_fn(|cx| outbox.poll_take(cx, &mut Chunk::default())).await;
        assert!(is_ready(outbox.give_way()).await);
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_written_long_ago_has_settled() {
        let outbox = Outbox::new(100, Duration::from_millis(5));
        let report = |out: &mut Vec<u8>| out.extend_from_slice(b"report");
        poll_fn(|cx| outbox.poll_push_report(cx, true, report)).await.unwrap();
        outbox.wrote(7);
        let start = Instant::now();
        outbox.settled(7).await;
        assert_eq!(start.elapsed(), Duration::from_millis(5));
        tokio::time::advance(Duration::from_millis(1)).await;
        let start = Instant::now();
        outbox.settled(7).await;
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
