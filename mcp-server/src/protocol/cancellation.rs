//! Giving up a request that is still running.
//!
//! Specification: [Cancellation](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation).

use serde::Deserialize;

use super::RequestId;

/// The params of `notifications/cancelled`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CancelledParams {
    /// The request that its sender no longer waits for.
    pub(crate) request_id: RequestId,
    /// For logs alone.
    #[serde(default)]
    pub(crate) reason: Option<String>,
}
