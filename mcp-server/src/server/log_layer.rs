//! From what a program logs to what the client of the call reads.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::Ordering;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

use super::log;
use crate::protocol::LoggingLevel;

/// Sends what is logged with `tracing` while the code of a call runs to the client of that call, if it asked for it.
///
/// It is a layer for a `tracing` subscriber; the server has to be one with
/// [`Server::logging`](crate::Server::logging). The message is the target as `logger`, and as `data` an object of the
/// `message` and the fields. `ERROR` is an `error`, `WARN` a `warning`, `INFO` an `info`, and the rest `debug`.
///
/// Nothing waits for a client: without room a message is dropped, and the next one that is sent says in
/// `data.dropped` how many were. What tasks log that the code has started elsewhere has no client, nor has what this
/// library logs about itself.
///
/// What a client may read must hold no secrets: give the layer a filter where some parts of the program log such.
///
/// ```
/// use mcp_server::LogLayer;
/// use mcp_server::prelude::*;
/// use tracing_subscriber::prelude::*;
///
/// /// Import a file.
/// #[tool]
/// async fn import(path: String) -> String {
///     tracing::warn!(skipped = 2, "two lines have no price");
///     format!("imported {path}")
/// }
///
/// tracing_subscriber::registry().with(LogLayer::new()).init();
/// let server = Server::new("importer").logging().tool(import);
/// ```
///
/// Specification: [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).
#[derive(Clone, Copy, Debug, Default)]
pub struct LogLayer {}

impl LogLayer {
    /// The layer.
    pub fn new() -> Self {
        Self::default()
    }
}

thread_local! {
    /// A message is being written: what logs meanwhile would be written into itself.
    static WRITING: Cell<bool> = const { Cell::new(false) };
}

/// As long as it is held, a message is being written on this thread.
struct Writing;

impl Writing {
    /// `None`: one is already.
    fn begin() -> Option<Self> {
        WRITING.try_with(|writing| !writing.replace(true)).ok()?.then_some(Self)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let _ = WRITING.try_with(|writing| writing.set(false));
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        let target = metadata.target();
        if target.strip_prefix("mcp_server").is_some_and(|rest| rest.is_empty() || rest.starts_with("::")) {
            return;
        }
        let Some(call) = log::current() else { return };
        let level = level(*metadata.level());
        if !call.logs(level) {
            return;
        }
        let Some(_writing) = Writing::begin() else { return };
        let mut data = Data(Map::new());
        event.record(&mut data);
        let dropped = call.reporter.dropped.swap(0, Ordering::Relaxed);
        if dropped > 0 {
            data.0.insert("dropped".to_owned(), dropped.into());
        }
        if !call.log_now(level, Some(target), &data.0) {
            call.reporter.dropped.fetch_add(dropped + 1, Ordering::Relaxed);
        }
    }
}

fn level(level: Level) -> LoggingLevel {
    match level {
        Level::ERROR => LoggingLevel::Error,
        Level::WARN => LoggingLevel::Warning,
        Level::INFO => LoggingLevel::Info,
        _ => LoggingLevel::Debug,
    }
}

/// The fields of an event as JSON.
struct Data(Map<String, Value>);

impl Data {
    fn put(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.insert(field.name().to_owned(), value.into());
    }
}

impl Visit for Data {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value);
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value);
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.put(field, value.to_string());
    }
}
