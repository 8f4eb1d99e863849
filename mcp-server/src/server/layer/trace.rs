//! A span for each request, as OpenTelemetry names it.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::trace_parent::TraceParent;
use super::{Layer, Next, Request, Serving};
use crate::protocol::ErrorCode;
use crate::server::outcome::{Finished, ServerResult};

/// Puts a `tracing` span around each request, with the fields that OpenTelemetry has for MCP.
///
/// The span is of the level `INFO` and the target `mcp_server`. `tracing-opentelemetry` shows it as a server's span that
/// is named after the method and its tool or prompt:
///
/// | field | of which requests |
/// |---|---|
/// | `mcp.method.name`, `mcp.protocol.version`, `jsonrpc.request.id` | all |
/// | `gen_ai.operation.name` = `execute_tool`, `gen_ai.tool.name` | `tools/call` |
/// | `gen_ai.prompt.name` | `prompts/get` |
/// | `mcp.resource.uri` | `resources/read` |
/// | `trace_id`, `parent_span_id` | those with a `traceparent` in their `_meta` |
/// | `rpc.response.status_code`, `error.type` | those that end with an error |
/// | `error.type` = `tool_error` | tools that fail |
///
/// This library knows nothing of OpenTelemetry. To continue the client's trace there, set the parent of the span:
///
/// ```
/// use mcp_server::layer::Trace;
/// use mcp_server::prelude::*;
///
/// let trace = Trace::new().on_span(|span, parent| {
///     // With the crates `opentelemetry` and `tracing-opentelemetry`:
///     // let trace_id = TraceId::from_hex(parent.trace_id()).unwrap();
///     // let span_id = SpanId::from_hex(parent.span_id()).unwrap();
///     // let flags = TraceFlags::new(parent.flags());
///     // let remote = SpanContext::new(trace_id, span_id, flags, true, TraceState::default());
///     // span.set_parent(Context::new().with_remote_span_context(remote));
///     # let _ = (span, parent);
/// });
/// let server = Server::new("shop").layer(trace);
/// ```
///
/// Specification: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta), and the
/// [semantic conventions for MCP](https://opentelemetry.io/docs/specs/semconv/gen-ai/mcp/).
#[derive(Clone, Default)]
pub struct Trace {
    on_span: Option<Arc<OnSpan>>,
}

type OnSpan = dyn Fn(&Span, &TraceParent) + Send + Sync;

impl Trace {
    /// A span for each request.
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls this with the span of each request that belongs to a trace of its client's, before it is entered.
    #[must_use]
    pub fn on_span(self, on_span: impl Fn(&Span, &TraceParent) + Send + Sync + 'static) -> Self {
        Self { on_span: Some(Arc::new(on_span)) }
    }
}

impl fmt::Debug for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trace").finish_non_exhaustive()
    }
}

impl Layer for Trace {
    fn serve(&self, request: Request, next: Next) -> Serving {
        let span = span(&request);
        if span.is_disabled() {
            return Box::pin(next.run(request));
        }
        if let Some(parent) = parent(&request) {
            span.record("trace_id", parent.trace_id());
            span.record("parent_span_id", parent.span_id());
            if let Some(on_span) = &self.on_span {
                on_span(&span, &parent);
            }
        }
        let inside = span.clone();
        let served = async move {
            let finished = next.run(request).await;
            record(&span, &finished);
            finished
        };
        Box::pin(served.instrument(inside))
    }
}

fn span(request: &Request) -> Span {
    let method = request.method();
    let span = tracing::info_span!(
        target: "mcp_server",
        "request",
        "otel.name" = Empty,
        "otel.kind" = "server",
        "otel.status_code" = Empty,
        "otel.status_description" = Empty,
        "mcp.method.name" = method,
        "mcp.protocol.version" = request.context().protocol_version().as_str(),
        "mcp.resource.uri" = Empty,
        "gen_ai.operation.name" = Empty,
        "gen_ai.tool.name" = Empty,
        "gen_ai.prompt.name" = Empty,
        "jsonrpc.request.id" = Empty,
        "rpc.response.status_code" = Empty,
        "error.type" = Empty,
        "trace_id" = Empty,
        "parent_span_id" = Empty,
    );
    if span.is_disabled() {
        return span;
    }
    match serde_json::to_value(request.context().request_id()) {
        Ok(Value::String(id)) => span.record("jsonrpc.request.id", id),
        id => span.record("jsonrpc.request.id", id.unwrap_or_default().to_string()),
    };
    let target = request.target();
    let catalog = &request.context().0.core.catalog;
    // "The span name … low-cardinality": names that a client has made up, and addresses, stay out of it.
    let mut named = None;
    if let Some(target) = &target {
        match method {
            "tools/call" => {
                span.record("gen_ai.operation.name", "execute_tool");
                span.record("gen_ai.tool.name", target);
                named = catalog.tools.shelf().get(target).is_some().then_some(target);
            }
            "prompts/get" => {
                span.record("gen_ai.prompt.name", target);
                named = catalog.prompts.shelf().get(target).is_some().then_some(target);
            }
            "resources/read" => {
                span.record("mcp.resource.uri", target);
            }
            _ => {}
        }
    }
    match named {
        Some(named) => span.record("otel.name", format!("{method} {named}")),
        None => span.record("otel.name", method),
    };
    span
}

/// The span that the client has sent the request from.
fn parent(request: &Request) -> Option<TraceParent> {
    /// The keys that belong to traces, whatever stands there.
    #[derive(serde::Deserialize)]
    struct Keys {
        traceparent: Value,
        tracestate: Option<Value>,
    }
    let meta = request.context().0.meta.as_deref()?;
    let keys: Keys = serde_json::from_str(meta).ok()?;
    let parent = TraceParent::parse(keys.traceparent.as_str()?).ok()?;
    Some(match keys.tracestate.as_ref().and_then(Value::as_str) {
        Some(state) => parent.with_trace_state(state),
        None => parent,
    })
}

fn record(span: &Span, finished: &Finished) {
    match finished {
        Ok(ServerResult::CallTool(result)) if result.is_error => {
            span.record("error.type", "tool_error");
            span.record("otel.status_code", "ERROR");
        }
        Ok(_) => {}
        Err(error) => {
            let code = error.code.0.to_string();
            span.record("rpc.response.status_code", &*code);
            span.record("error.type", &*code);
            // What the client did wrong is no error of the server's span.
            let of_client = [
                ErrorCode::RESOURCE_NOT_FOUND,
                ErrorCode::MISSING_CLIENT_CAPABILITY,
                ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
            ];
            let of_server = error.code == ErrorCode::INTERNAL_ERROR || (-32099..=-32000).contains(&error.code.0);
            if of_server && !of_client.contains(&error.code) {
                span.record("otel.status_code", "ERROR");
                span.record("otel.status_description", &*error.message);
            }
        }
    }
}
