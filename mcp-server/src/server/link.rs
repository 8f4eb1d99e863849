//! The connection as the requests on it know it.

use std::sync::Arc;

use tokio::sync::watch;

use super::output::Outbox;

/// One connection to a client: where what is said to it goes, and when it ends.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    pub(crate) outbox: Outbox,
    /// Turns `true` when the connection is to end: what has no end of its own ends then.
    pub(crate) closing: watch::Receiver<bool>,
    /// Who the client is, for limits that count by client.
    pub(crate) client: Arc<str>,
    /// On whose behalf the client speaks, where that was proved.
    pub(crate) principal: Option<Arc<str>>,
}

/// Waits until the connection is to end.
pub(crate) async fn closed(closing: &mut watch::Receiver<bool>) {
    // A sender that is gone says the same. What it gives holds a lock, which ends here.
    drop(closing.wait_for(|closing| *closing).await);
}
