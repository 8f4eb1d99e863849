//! States that have done their work: what led to a result does not lead to a second one.
//!
//! Whoever repeats the last round of a refund would get it twice. So a state is good for one result in this process; a
//! round that ends with further questions, or is given up, leaves it as it was.

use std::collections::hash_map::RandomState;
use std::collections::{HashSet, VecDeque};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// The states that are in use or used up, for as long as they could still be opened.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    state: Mutex<State>,
    hasher: RandomState,
}

#[derive(Debug, Default)]
struct State {
    /// Those that are in use, of which there are no more than calls, and those that are used up.
    hashes: HashSet<u64>,
    /// Those that are used up, and when each can't be opened any more; the oldest first.
    used_up: VecDeque<(SystemTime, u64)>,
}

/// So many that are used up are remembered: then the oldest are forgotten.
const MOST: usize = 100_000;

impl Spent {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a state into use. `None`: it is used, or was used up.
    pub(crate) fn take(self: &Arc<Self>, sealed: &str, now: SystemTime, expires_at: SystemTime) -> Option<Ticket> {
        let hash = self.hasher.hash_one(sealed);
        let mut state = self.state();
        while state.used_up.front().is_some_and(|(expiry, _)| *expiry <= now) {
            state.forget_oldest();
        }
        if !state.hashes.insert(hash) {
            return None;
        }
        Some(Ticket { spent: Arc::clone(self), hash, expires_at, is_used_up: AtomicBool::new(false) })
    }
}

impl State {
    fn forget_oldest(&mut self) {
        if let Some((_, oldest)) = self.used_up.pop_front() {
            self.hashes.remove(&oldest);
        }
    }
}

/// A state that is in use. Unless it was used up, it can be taken again afterwards.
#[derive(Debug)]
pub(crate) struct Ticket {
    spent: Arc<Spent>,
    hash: u64,
    expires_at: SystemTime,
    is_used_up: AtomicBool,
}

impl Ticket {
    pub(crate) fn use_up(&self) {
        if self.is_used_up.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut state = self.spent.state();
        if state.used_up.len() >= MOST {
            state.forget_oldest();
        }
        state.used_up.push_back((self.expires_at, self.hash));
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !*self.is_used_up.get_mut() {
            self.spent.state().hashes.remove(&self.hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    // rows: MRTR-15
    #[test]
    fn a_state_is_used_up_once_and_forgotten_when_it_has_expired() {
        let (spent, now) = (Arc::<Spent>::default(), SystemTime::UNIX_EPOCH);
        let later = now + Duration::from_secs(60);
        let first = spent.take("a", now, later).unwrap();
        assert!(spent.take("a", now, later).is_none(), "it is in use");
        assert!(spent.take("b", now, later).is_some());
        drop(first);
        let again = spent.take("a", now, later).unwrap();
        again.use_up();
        drop(again);
        assert!(spent.take("a", now, later).is_none(), "it is used up");
        assert!(spent.take("c", later, later + Duration::from_secs(60)).is_some());
        assert!(spent.state().hashes.is_empty());
    }

    // rows: MRTR-15
    #[test]
    fn what_is_taken_and_given_back_makes_nobody_forget() {
        let (spent, now) = (Arc::<Spent>::default(), SystemTime::UNIX_EPOCH);
        let later = now + Duration::from_secs(60);
        spent.take("refund", now, later).unwrap().use_up();
        for _ in 0..MOST + 10 {
            drop(spent.take("again and again", now, later).unwrap());
        }
        assert!(spent.take("refund", now, later).is_none());
    }

    #[test]
    fn memory_is_bounded() {
        let (spent, now) = (Arc::<Spent>::default(), SystemTime::UNIX_EPOCH);
        for number in 0..MOST + 10 {
            let ticket = spent.take(&number.to_string(), now, now + Duration::from_secs(60)).unwrap();
            ticket.use_up();
        }
        assert!(spent.state().hashes.len() <= MOST && spent.state().used_up.len() <= MOST);
    }
}
