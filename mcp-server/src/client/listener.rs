//! What one subscription has not read yet: a set, in which the same change stands once, and of bounded size.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use super::listen::SubscriptionEvent;
use crate::protocol::SubscriptionFilter;
use crate::server::Change;

/// So many changes wait to be read …
const MAX_CHANGES: usize = 1024;
/// … with addresses of so many bytes in all. Of more it is told that something was missed.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// One who wants to hear of changes.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    asked: SubscriptionFilter,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// What the server has agreed to tell.
    filter: SubscriptionFilter,
    acknowledged: bool,
    /// Whether changes may have been missed, since before all that waits.
    reopened: bool,
    /// In the order in which they came first.
    changes: VecDeque<Change>,
    bytes: usize,
    reader: Option<Waker>,
}

impl Listener {
    /// One who has asked for that.
    pub(crate) fn new(asked: SubscriptionFilter) -> Self {
        Self { asked, ..Self::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, update: impl FnOnce(&mut State)) {
        let mut state = self.state();
        update(&mut state);
        let reader = state.reader.take();
        drop(state);
        reader.into_iter().for_each(Waker::wake);
    }

    /// The server says what it will tell.
    pub(crate) fn acknowledge(&self, filter: SubscriptionFilter) {
        self.update(|state| {
            state.filter = filter;
            state.acknowledged = true;
        });
    }

    /// Ready once the server has agreed.
    pub(crate) fn poll_acknowledged(&self, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.acknowledged {
            return Poll::Ready(());
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }

    /// What the server has agreed to tell so far.
    pub(crate) fn filter(&self) -> SubscriptionFilter {
        self.state().filter.clone()
    }

    /// It is asked for anew.
    pub(crate) fn reset(&self) {
        self.state().acknowledged = false;
    }

    /// Whether a change that is told to everybody belongs here. Some servers tell what they did not promise.
    pub(crate) fn wants(&self, change: &Change) -> bool {
        let asked = &self.asked;
        match change {
            Change::Tools => asked.tools_list_changed,
            Change::Prompts => asked.prompts_list_changed,
            Change::Resources => asked.resources_list_changed,
            Change::Resource(uri) => asked.resource_subscriptions.iter().any(|watched| belongs(uri, watched)),
        }
    }

    pub(crate) fn tell(&self, change: &Change) {
        self.update(|state| {
            if state.changes.contains(change) {
                return;
            }
            let size = size(change);
            if state.changes.len() == MAX_CHANGES || state.bytes + size > MAX_BYTES {
                state.forget();
                return;
            }
            state.bytes += size;
            state.changes.push_back(change.clone());
        });
    }

    /// Changes may have been missed: whoever reads anew has seen all that waits, too.
    pub(crate) fn reopened(&self) {
        self.update(State::forget);
    }

    /// The next thing to be read; whoever finds nothing is woken by the next.
    pub(crate) fn poll_next(&self, cx: &Context<'_>) -> Poll<SubscriptionEvent> {
        let mut state = self.state();
        if std::mem::take(&mut state.reopened) {
            return Poll::Ready(SubscriptionEvent::Reopened);
        }
        if let Some(change) = state.changes.pop_front() {
            state.bytes -= size(&change);
            return Poll::Ready(SubscriptionEvent::Change(change));
        }
        state.reader = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl State {
    fn forget(&mut self) {
        self.changes.clear();
        self.bytes = 0;
        self.reopened = true;
    }
}

fn size(change: &Change) -> usize {
    match change {
        Change::Resource(uri) => uri.len(),
        _ => 0,
    }
}

/// "the URI may be that of a sub-resource of the one subscribed to" (Resources, Subscriptions).
fn belongs(uri: &str, watched: &str) -> bool {
    match uri.strip_prefix(watched) {
        Some(rest) => rest.is_empty() || rest.starts_with('/') || watched.ends_with('/'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(listener: &Listener) -> Option<SubscriptionEvent> {
        match listener.poll_next(&Context::from_waker(Waker::noop())) {
            Poll::Ready(event) => Some(event),
            Poll::Pending => None,
        }
    }

    fn resource(uri: &str) -> Change {
        Change::Resource(uri.to_owned())
    }

    #[test]
    fn the_same_change_waits_once_and_in_the_order_of_its_first_coming() {
        let listener = Listener::default();
        for change in [resource("shop://b"), Change::Tools, resource("shop://a"), resource("shop://b"), Change::Tools] {
            listener.tell(&change);
        }
        for change in [resource("shop://b"), Change::Tools, resource("shop://a")] {
            assert_eq!(next(&listener), Some(SubscriptionEvent::Change(change)));
        }
        assert_eq!(next(&listener), None);
        listener.tell(&Change::Tools);
        assert_eq!(next(&listener), Some(SubscriptionEvent::Change(Change::Tools)));
    }

    #[test]
    fn of_too_many_it_is_told_that_something_was_missed() {
        let listener = Listener::default();
        for at in 0..=MAX_CHANGES {
            listener.tell(&resource(&at.to_string()));
        }
        listener.tell(&Change::Tools);
        assert_eq!(next(&listener), Some(SubscriptionEvent::Reopened));
        assert_eq!(next(&listener), Some(SubscriptionEvent::Change(Change::Tools)));
        assert_eq!(next(&listener), None);
        listener.tell(&resource(&"x".repeat(MAX_BYTES + 1)));
        assert_eq!(next(&listener), Some(SubscriptionEvent::Reopened));
        assert_eq!(listener.state().bytes, 0);
    }

    #[test]
    fn a_part_of_a_resource_belongs_to_it() {
        for (uri, watched, expected) in [
            ("shop://orders", "shop://orders", true),
            ("shop://orders/7", "shop://orders", true),
            ("shop://orders/7", "shop://orders/", true),
            ("shop://orders2", "shop://orders", false),
            ("shop://order", "shop://orders", false),
        ] {
            assert_eq!(belongs(uri, watched), expected, "{uri} of {watched}");
        }
    }
}
