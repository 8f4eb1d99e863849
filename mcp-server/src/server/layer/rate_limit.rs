//! A limit to how often a client may ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use super::{Layer, Next, Request, Serving};
use crate::protocol::ErrorObject;

/// Lets each client make so many requests in that time.
///
/// It is a bucket that fills evenly: after a pause a client may make all of them at once, and then one more whenever the
/// next has come in. What is too much is refused with an internal error that says when to try again, in words and as
/// `data.retryAfterMs`.
///
/// Of 10000 clients at a time each has a bucket of its own; all beyond them share one.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::layer::RateLimit;
/// use mcp_server::prelude::*;
///
/// let server = Server::new("shop").layer(RateLimit::new(100, Duration::from_secs(60)));
/// ```
#[derive(Clone, Debug)]
pub struct RateLimit {
    requests: u32,
    per: Duration,
    buckets: Arc<Mutex<Buckets>>,
}

impl RateLimit {
    /// So many requests in that time, for each client; a year at most.
    ///
    /// # Panics
    ///
    /// When there are no requests, or no time to count them in.
    #[track_caller]
    pub fn new(requests: u32, per: Duration) -> Self {
        assert!(requests > 0, "a client must be allowed at least one request");
        assert!(
            !(per / requests).is_zero(),
            "a limit of {requests} requests needs a time to count them in, not {per:?}"
        );
        Self { requests, per: per.min(YEAR), buckets: Arc::default() }
    }
}

impl Layer for RateLimit {
    fn serve(&self, request: Request, next: Next) -> Serving {
        let taken = {
            // No code of an author runs under this lock, so that a poisoned one is as good as any.
            let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
            buckets.take(&request.context().0.client, Instant::now(), self.per / self.requests, self.per)
        };
        let Err(wait) = taken else { return Box::pin(next.run(request)) };
        let millis = u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX);
        let text = format!(
            "{} was refused: a client may make {} requests in {:?}; try again in {:?}",
            request.described(),
            self.requests,
            self.per,
            Duration::from_millis(millis)
        );
        Box::pin(std::future::ready(Err(ErrorObject::internal(text).with_data(json!({ "retryAfterMs": millis })))))
    }
}

/// For each client when its bucket will be full again. One that is full needs no place here.
#[derive(Debug, Default)]
struct Buckets {
    full_at: HashMap<Arc<str>, Instant>,
    /// The bucket of all clients that have found no place.
    of_the_rest: Option<Instant>,
    swept: Option<Instant>,
}

const MOST_CLIENTS: usize = 10_000;

/// No clock of the system shows times that are much further away.
const YEAR: Duration = Duration::from_secs(365 * 24 * 60 * 60);

impl Buckets {
    /// Takes one out of the bucket of a client; `Err`: after so long there is one again.
    fn take(&mut self, client: &Arc<str>, now: Instant, one: Duration, all: Duration) -> Result<(), Duration> {
        if self.full_at.len() >= MOST_CLIENTS && !self.full_at.contains_key(client) {
            // Each bucket that could be there at the last time is full again when all of it has come in once.
            if self.swept.is_none_or(|swept| now.duration_since(swept) >= all) {
                self.full_at.retain(|_, full_at| *full_at > now);
                self.swept = Some(now);
            }
            if self.full_at.len() >= MOST_CLIENTS {
                let full_at = later(self.of_the_rest, now, one, all)?;
                self.of_the_rest = Some(full_at);
                return Ok(());
            }
        }
        let full_at = later(self.full_at.get(client).copied(), now, one, all)?;
        self.full_at.insert(Arc::clone(client), full_at);
        Ok(())
    }
}

fn later(full_at: Option<Instant>, now: Instant, one: Duration, all: Duration) -> Result<Instant, Duration> {
    let full_at = full_at.map_or(now, |full_at| full_at.max(now)) + one;
    match (full_at - now).checked_sub(all) {
        None | Some(Duration::ZERO) => Ok(full_at),
        Some(wait) => Err(wait),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills_evenly() {
        let (mut buckets, client, start) = (Buckets::default(), Arc::from("a"), Instant::now());
        let mut take = |at: u64| {
            let now = start + Duration::from_millis(at);
            buckets.take(&client, now, Duration::from_millis(10), Duration::from_millis(30)).map_err(|e| e.as_millis())
        };
        assert_eq!([0, 0, 0, 0].map(&mut take), [Ok(()), Ok(()), Ok(()), Err(10)]);
        assert_eq!([9, 10, 10, 15].map(&mut take), [Err(1), Ok(()), Err(10), Err(5)]);
        assert_eq!([99, 99, 99, 99].map(&mut take), [Ok(()), Ok(()), Ok(()), Err(10)]);
    }

    #[test]
    fn a_time_that_no_clock_shows_is_a_year() {
        let limit = RateLimit::new(1, Duration::MAX);
        let (mut buckets, client, now) = (Buckets::default(), Arc::from("a"), Instant::now());
        assert!(buckets.take(&client, now, limit.per, limit.per).is_ok());
        assert_eq!(buckets.take(&client, now, limit.per, limit.per), Err(YEAR));
    }

    #[test]
    fn many_clients_take_no_more_room_than_there_is() {
        let (mut buckets, start) = (Buckets::default(), Instant::now());
        let second = Duration::from_secs(1);
        let mut take = |client: &str, now| buckets.take(&Arc::from(client), now, second, second).is_ok();
        for client in 0..MOST_CLIENTS {
            assert!(take(&client.to_string(), start));
        }
        // The rest shares one bucket, and those who have their own keep it.
        assert!(take("x", start));
        assert!(!take("y", start));
        assert!(!take("7", start));
        // Later there is room for everybody.
        assert!(take("x", start + second) && take("y", start + second) && take("7", start + second));
        assert!(buckets.full_at.len() <= 3, "{}", buckets.full_at.len());
    }
}
