//! A limit to how long a request may take.

use std::time::Duration;

use super::{Layer, Next, Request, Serving};
use crate::protocol::{CallToolResult, ErrorObject};
use crate::server::outcome::ServerResult;

/// Gives a request up that takes longer than this: its handler is dropped at its next `.await`.
///
/// The model reads of it in the result of a tool; of any other request the client gets an internal error. A tool can
/// have a shorter time of its own: [`ToolBuilder::timeout`](crate::ToolBuilder::timeout). Streams of changes have no end
/// and are left alone.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::layer::Timeout;
/// use mcp_server::prelude::*;
///
/// let server = Server::new("shop").layer(Timeout::new(Duration::from_secs(30)));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Timeout {
    limit: Duration,
}

impl Timeout {
    /// Each request may take so long.
    pub fn new(limit: Duration) -> Self {
        Self { limit }
    }
}

impl Layer for Timeout {
    fn serve(&self, request: Request, next: Next) -> Serving {
        let limit = self.limit;
        Box::pin(async move {
            if request.is_stream() {
                return next.run(request).await;
            }
            let Ok(finished) = tokio::time::timeout(limit, next.run(request.clone())).await else {
                // What runs on a thread can't be stopped, but it can ask.
                request.context().0.give_up();
                let text = format!("{} took longer than the timeout of {limit:?} and was stopped", request.described());
                return match request.method() {
                    "tools/call" => Ok(ServerResult::CallTool(CallToolResult::from_error(text))),
                    _ => Err(ErrorObject::internal(text)),
                };
            };
            finished
        })
    }
}
