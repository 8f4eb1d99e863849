//! What stands around every request that is not about the connection itself: each layer sees the request before all that
//! it wraps, and the result after it.
//!
//! Ready to use are [`Timeout`], [`InFlight`], [`RateLimit`] and [`Trace`]. A request that its client cancels is dropped
//! with all its layers.

mod in_flight;
mod rate_limit;
mod timeout;
mod trace;
mod trace_parent;

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::value::RawValue;

pub use in_flight::InFlight;
pub use rate_limit::RateLimit;
pub use timeout::Timeout;
pub use trace::Trace;
pub use trace_parent::{InvalidTraceParent, TraceParent};

use super::context::Context;
use super::outcome::{Finished, ServerResult};
use crate::protocol::{ErrorObject, RawJson, clip};

/// Something that stands around every request of a server, as an `async fn(Request, Next)` does.
///
/// What is about the connection itself never comes to it, as it belongs to the connection: `initialize`, `ping`,
/// `logging/setLevel`, `resources/subscribe` and `resources/unsubscribe`, all of revisions before 2026-07-28. The same
/// goes for notifications, and for requests that are no good in themselves.
///
/// ```
/// use mcp_server::layer::{Next, Request};
/// use mcp_server::prelude::*;
/// use mcp_server::protocol::ErrorObject;
/// use mcp_server::ServerResult;
///
/// async fn closed_on_sundays(request: Request, next: Next) -> Result<ServerResult, ErrorObject> {
///     # let today = "Sunday";
///     if request.method() == "tools/call" && today == "Sunday" {
///         return Err(ErrorObject::internal("the shop is closed on Sundays"));
///     }
///     next.run(request).await
/// }
///
/// let server = Server::new("shop").layer(closed_on_sundays);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no layer",
    label = "not a layer",
    note = "a layer is an `async fn(Request, Next) -> Result<ServerResult, ErrorObject>` whose future is `Send`, or a type that implements `Layer`"
)]
pub trait Layer: Send + Sync + 'static {
    /// Serves a request, with [`Next::run`] or without it.
    fn serve(&self, request: Request, next: Next) -> Serving;
}

/// The future of a [`Layer`].
pub type Serving = Pin<Box<dyn Future<Output = Result<ServerResult, ErrorObject>> + Send>>;

#[diagnostic::do_not_recommend]
impl<F, S> Layer for F
where
    F: Fn(Request, Next) -> S + Send + Sync + 'static,
    S: Future<Output = Result<ServerResult, ErrorObject>> + Send + 'static,
{
    fn serve(&self, request: Request, next: Next) -> Serving {
        Box::pin(self(request, next))
    }
}

/// A request as a [`Layer`] sees it.
#[derive(Clone)]
pub struct Request(Arc<Parts>);

struct Parts {
    method: Box<str>,
    params: Option<Box<RawValue>>,
    context: Context,
}

impl Request {
    pub(crate) fn new(method: &str, params: Option<RawJson<'_>>, context: Context) -> Self {
        let params = params.map(|json| json.raw().to_owned());
        Self(Arc::new(Parts { method: method.into(), params, context }))
    }

    /// The method, such as `tools/call`.
    pub fn method(&self) -> &str {
        &self.0.method
    }

    /// The params as they came, `_meta` included.
    pub fn params(&self) -> Option<&RawValue> {
        self.0.params.as_deref()
    }

    /// What the request is about: the name of its tool or prompt, or the address of its resource.
    pub fn target(&self) -> Option<String> {
        /// The members that name something.
        #[derive(serde::Deserialize)]
        struct Named {
            name: Option<String>,
            uri: Option<String>,
        }
        let named: Named = serde_json::from_str(self.params()?.get()).ok()?;
        named.name.or(named.uri)
    }

    /// Whether it has no end of its own: limits of time and number are not for it.
    fn is_stream(&self) -> bool {
        self.method() == "subscriptions/listen"
    }

    /// What it is called in a message: `tools/call` of `export`.
    fn described(&self) -> String {
        let method = clip(self.method());
        match self.target() {
            Some(target) => format!("`{method}` of `{}`", clip(&target)),
            None => format!("`{method}`"),
        }
    }

    /// The call: its client, its cancellation, and how to speak to the client meanwhile.
    pub fn context(&self) -> &Context {
        &self.0.context
    }
}

impl fmt::Debug for Request {
    /// Nothing of the params: what is written for debugging ends up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { method, context, .. } = &*self.0;
        f.debug_struct("Request").field("method", method).field("context", context).finish_non_exhaustive()
    }
}

/// What a [`Layer`] stands around.
pub struct Next {
    layers: Layers,
    at: usize,
    inner: Inner,
}

type Inner = Box<dyn FnOnce(Request) -> Serving + Send>;

impl Next {
    /// Serves the request.
    ///
    /// # Errors
    ///
    /// What the client gets as an error, and not as a result.
    pub async fn run(self, request: Request) -> Result<ServerResult, ErrorObject> {
        let Self { layers, at, inner } = self;
        match layers.0.get(at).cloned() {
            Some(layer) => layer.serve(request, Self { layers, at: at + 1, inner }).await,
            None => inner(request).await,
        }
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").field("layers", &(self.layers.0.len() - self.at)).finish_non_exhaustive()
    }
}

/// The layers of a server, the outermost first.
#[derive(Clone, Default)]
pub(crate) struct Layers(Arc<Vec<Arc<dyn Layer>>>);

impl Layers {
    pub(crate) fn push(&mut self, layer: impl Layer) {
        Arc::make_mut(&mut self.0).push(Arc::new(layer));
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Serves a request through all layers.
    pub(crate) async fn around(
        self,
        request: Request,
        inner: impl FnOnce(Request) -> Serving + Send + 'static,
    ) -> Finished {
        Next { layers: self, at: 0, inner: Box::new(inner) }.run(request).await
    }
}

impl fmt::Debug for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Layers").field(&self.0.len()).finish()
    }
}
