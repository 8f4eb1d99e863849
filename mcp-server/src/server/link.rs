//! The connection as the requests on it know it.

#[cfg(feature = "http")]
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "http")]
use std::time::Duration;

use tokio::sync::watch;

use super::output::Outbox;
use super::principal::Principal;

/// One connection to a client: where what is said to it goes, and when it ends.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) outbox: Outbox,
    /// Turns `true` when the connection is to end: what has no end of its own ends then.
    pub(crate) closing: watch::Receiver<bool>,
    /// Who the client is, for limits that count by client.
    pub(crate) client: Arc<str>,
    /// On whose behalf the client speaks, where that was proved.
    pub(crate) principal: Option<Arc<Principal>>,
    /// What came beside the message, without what is secret.
    #[cfg(feature = "http")]
    pub(crate) headers: Option<Arc<http::HeaderMap>>,
    /// Where the client can be sent away and told when to come back for the rest.
    #[cfg(feature = "http")]
    pub(crate) detour: Option<Arc<dyn Detour>>,
}

/// A response whose connection can end before it does.
#[cfg(feature = "http")]
pub(crate) trait Detour: fmt::Debug + Send + Sync {
    /// Ends the connection once all that was said so far is written; the client comes back after this time.
    fn reconnect_after(&self, time: Duration);
}

/// Waits until the connection is to end.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // A sender that is gone says the same. What it gives holds a lock, which ends here.
    drop(closing.wait_for(|closing| *closing).await);
}
