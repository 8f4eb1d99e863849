//! How many requests are served at a time, over all connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the requests that are served, up to a limit.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    now: Arc<AtomicUsize>,
    limit: usize,
}

/// One request, as long as it is served.
#[derive(Debug)]
pub(super) struct Permit(Arc<AtomicUsize>);

impl InFlight {
    pub(super) fn up_to(limit: usize) -> Self {
        Self { now: Arc::default(), limit }
    }

    /// # Errors
    ///
    /// The limit, when it is reached.
    pub(super) fn begin(&self) -> Result<Permit, usize> {
        let permit = Permit(Arc::clone(&self.now));
        if self.now.fetch_add(1, Ordering::Relaxed) >= self.limit {
            return Err(self.limit);
        }
        Ok(permit)
    }

    /// How many are served now.
    pub(super) fn now(&self) -> usize {
        self.now.load(Ordering::Acquire)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_more_than_the_limit_is_refused_and_counts_no_longer() {
        let in_flight = InFlight::up_to(2);
        let first = in_flight.begin().unwrap();
        let _second = in_flight.begin().unwrap();
        assert_eq!(in_flight.begin().unwrap_err(), 2);
        assert_eq!(in_flight.now(), 2);
        drop(first);
        let _third = in_flight.begin().unwrap();
    }
}
