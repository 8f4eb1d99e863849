//! The limits and times of a server, each with a default that holds unless it is set.

use std::time::Duration;

/// The limits and times of a server; [`Server`](crate::Server) has a method for each.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Unless it is set it depends on the transport.
    pub(crate) max_message_size: Option<usize>,
    pub(crate) max_depth: usize,
    pub(crate) max_in_flight: usize,
    pub(crate) queue_size: usize,
    pub(crate) page_size: usize,
    pub(crate) progress_settle: Duration,
    pub(crate) progress_interval: Duration,
    pub(crate) drain_timeout: Duration,
    pub(crate) state_ttl: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_message_size: None,
            max_depth: MAX_DEPTH,
            max_in_flight: 4096,
            queue_size: 64 * 1024,
            page_size: usize::MAX,
            progress_settle: Duration::from_millis(5),
            progress_interval: Duration::ZERO,
            drain_timeout: Duration::from_secs(30),
            state_ttl: Duration::from_secs(60 * 60),
        }
    }
}

/// The readers of JSON go no deeper than this, so that no setting does.
pub(crate) const MAX_DEPTH: usize = 127;

/// How many bytes a message may have on streams, unless it is set.
pub(crate) const MAX_MESSAGE_SIZE: usize = 32 * 1024 * 1024;
