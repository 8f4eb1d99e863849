//! The requests that wait for their answers, and what has come for each of them.
//!
//! The reader of the connection fills a queue for each request, in wire order, and never waits. Whoever made the
//! request takes from it. An entry is there from before the request is sent until its outcome has been taken.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use serde_json::value::RawValue;
use tokio::time::Instant;

use super::CallError;
use crate::protocol::{ErrorObject, Progress};

/// So many reports wait for their listener at most; then the oldest makes room for the newest.
pub(crate) const MAX_REPORTS: usize = 65_536;
/// And so many bytes of messages in them.
const MAX_REPORT_BYTES: usize = 16 * 1024 * 1024;

/// All requests of one connection.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    last_id: u64,
    entries: HashMap<u64, Entry>,
    /// Why there will be no more answers.
    closed: Option<String>,
}

#[derive(Debug, Default)]
struct Entry {
    /// Whether somebody will take the reports.
    listens: bool,
    reports: VecDeque<Progress>,
    report_bytes: usize,
    last_report: Option<Instant>,
    answer: Option<Answer>,
    caller: Option<Waker>,
}

/// How a request ended.
#[derive(Debug)]
pub(crate) enum Answer {
    Result(Box<RawValue>),
    Error {
        error: ErrorObject,
        /// The status of HTTP that it came with.
        status: Option<u16>,
    },
    /// It was an answer to this request, but none that can be read.
    Malformed(String),
    Closed(String),
    /// The way to the server failed.
    Failed(CallError),
}

/// What came for a request.
#[derive(Debug)]
pub(crate) enum Event {
    Report(Progress),
    Answer(Answer),
}

impl Pending {
    fn table(&self) -> MutexGuard<'_, Table> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for what will come for a new request; its id.
    pub(crate) fn register(&self, listens: bool) -> u64 {
        let mut table = self.table();
        // From 1 on, as some servers take 0 for none.
        table.last_id += 1;
        let id = table.last_id;
        let answer = table.closed.clone().map(Answer::Closed);
        table.entries.insert(id, Entry { listens, answer, ..Entry::default() });
        id
    }

    /// The next thing that came for a request: its reports, in order, then its answer.
    pub(crate) fn poll(&self, id: u64, cx: &Context<'_>) -> Poll<Event> {
        let mut table = self.table();
        let entry = table.entries.get_mut(&id).expect("the answer of a request is taken once");
        if let Some(report) = entry.reports.pop_front() {
            entry.report_bytes -= size(&report);
            return Poll::Ready(Event::Report(report));
        }
        if let Some(answer) = entry.answer.take() {
            table.entries.remove(&id);
            return Poll::Ready(Event::Answer(answer));
        }
        match &mut entry.caller {
            Some(waker) => waker.clone_from(cx.waker()),
            none => *none = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// When the last report of a request came.
    pub(crate) fn last_report(&self, id: u64) -> Option<Instant> {
        self.table().entries.get(&id)?.last_report
    }

    /// Nobody waits any more, unless the answer is there. `true`: it is not.
    pub(crate) fn expire(&self, id: u64) -> bool {
        let mut table = self.table();
        let waits = table.entries.get(&id).is_some_and(|entry| entry.answer.is_none());
        if waits {
            table.entries.remove(&id);
        }
        waits
    }

    /// Nobody waits any more. `true`: the answer had not come.
    pub(crate) fn forget(&self, id: u64) -> bool {
        self.table().entries.remove(&id).is_some_and(|entry| entry.answer.is_none())
    }

    /// A report has come. `false`: nobody waits for it, which is no error, as it may have crossed a cancellation.
    pub(crate) fn report(&self, id: u64, report: Progress) -> bool {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&id).filter(|entry| entry.answer.is_none()) else { return false };
        entry.last_report = Some(Instant::now());
        if !entry.listens {
            return true;
        }
        entry.report_bytes += size(&report);
        entry.reports.push_back(report);
        while entry.reports.len() > MAX_REPORTS || (entry.report_bytes > MAX_REPORT_BYTES && entry.reports.len() > 1) {
            let oldest = entry.reports.pop_front();
            entry.report_bytes -= oldest.as_ref().map_or(0, size);
        }
        let caller = entry.caller.take();
        drop(table);
        caller.into_iter().for_each(Waker::wake);
        true
    }

    /// An answer has come. `false`: nobody waits for it.
    pub(crate) fn answer(&self, id: u64, answer: Answer) -> bool {
        let mut table = self.table();
        let Some(entry) = table.entries.get_mut(&id).filter(|entry| entry.answer.is_none()) else { return false };
        entry.answer = Some(answer);
        let caller = entry.caller.take();
        drop(table);
        caller.into_iter().for_each(Waker::wake);
        true
    }

    /// Whether the answer to a request has not come, and somebody waits for it.
    #[cfg(feature = "client-http")]
    pub(crate) fn waits(&self, id: u64) -> bool {
        self.table().entries.get(&id).is_some_and(|entry| entry.answer.is_none())
    }

    /// There will be no more answers.
    pub(crate) fn close(&self, reason: &str) {
        let mut table = self.table();
        table.closed.get_or_insert_with(|| reason.to_owned());
        let mut callers = Vec::new();
        for entry in table.entries.values_mut() {
            entry.answer.get_or_insert_with(|| Answer::Closed(reason.to_owned()));
            callers.extend(entry.caller.take());
        }
        drop(table);
        callers.into_iter().for_each(Waker::wake);
    }

    /// How many requests have not ended.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.table().entries.len()
    }
}

fn size(report: &Progress) -> usize {
    report.message.as_ref().map_or(0, String::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(done: usize, message: &str) -> Progress {
        Progress { done: done as f64, total: None, message: Some(message.into()) }
    }

    fn next(pending: &Pending, id: u64) -> Option<f64> {
        match pending.poll(id, &Context::from_waker(Waker::noop())) {
            Poll::Ready(Event::Report(report)) => Some(report.done),
            _ => None,
        }
    }

    #[test]
    fn a_full_queue_drops_its_oldest_report() {
        let pending = Pending::default();
        let id = pending.register(true);
        for done in 0..MAX_REPORTS + 10 {
            assert!(pending.report(id, report(done, "")));
        }
        assert_eq!(next(&pending, id), Some(10.0));
    }

    #[test]
    fn large_messages_fill_a_queue_too() {
        let pending = Pending::default();
        let id = pending.register(true);
        let megabyte = "m".repeat(1024 * 1024);
        for done in 0..20 {
            pending.report(id, report(done, &megabyte));
        }
        assert_eq!(next(&pending, id), Some(4.0));
        pending.report(id, report(99, &"m".repeat(MAX_REPORT_BYTES + 1)));
        assert_eq!(next(&pending, id), Some(99.0));
        assert_eq!(pending.table().entries[&id].report_bytes, 0);
    }

    #[test]
    fn nothing_is_kept_for_who_does_not_listen() {
        let pending = Pending::default();
        let id = pending.register(false);
        assert!(pending.report(id, report(1, "x")));
        assert_eq!(next(&pending, id), None);
        assert!(pending.last_report(id).is_some());
    }
}
