//! Whether a connection or a session is used: one that rests too long is given up.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// When something was used last, and whether it is now.
#[derive(Debug)]
pub(super) struct Activity(Mutex<Used>);

#[derive(Debug)]
struct Used {
    /// How many requests it serves.
    now: usize,
    /// How many it has begun to serve.
    begun: u64,
    last: Instant,
}

/// A request, as long as its response is not over.
#[derive(Debug)]
pub(super) struct Active(Arc<Activity>);

impl Activity {
    pub(super) fn begin() -> Arc<Self> {
        Arc::new(Self(Mutex::new(Used { now: 0, begun: 0, last: Instant::now() })))
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a request.
    pub(super) fn request(self: &Arc<Self>) -> Active {
        let mut used = self.used();
        used.now += 1;
        used.begun += 1;
        drop(used);
        Active(Arc::clone(self))
    }

    /// How many requests there ever were.
    pub(super) fn requests(&self) -> u64 {
        self.used().begun
    }

    /// Whether there was no request for so long, and nothing was written.
    pub(super) fn is_rested(&self, now: Instant, time: Duration) -> bool {
        let used = self.used();
        used.now == 0 && now.duration_since(used.last) >= time
    }

    /// The other side reads on.
    pub(super) fn written(&self) {
        self.used().last = Instant::now();
    }

    /// Waits until it [is so](Self::is_rested).
    pub(super) async fn rested(&self, time: Duration) {
        loop {
            let until = {
                let used = self.used();
                let since = if used.now > 0 { Instant::now() } else { used.last };
                since + time
            };
            if until <= Instant::now() {
                return;
            }
            tokio::time::sleep_until(until).await;
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        let mut used = self.0.used();
        used.now -= 1;
        used.last = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_connection_rests_from_the_end_of_its_last_request_on() {
        const TIME: Duration = Duration::from_secs(30);
        let activity = Activity::begin();
        let began = Instant::now();
        let request = activity.request();
        let busy = tokio::spawn(async move {
            tokio::time::sleep(TIME * 3).await;
            drop(request);
        });
        activity.rested(TIME).await;
        let rested = began.elapsed();
        assert!(rested >= TIME * 4 && rested <= TIME * 5, "{rested:?}");
        busy.await.unwrap();
    }
}
