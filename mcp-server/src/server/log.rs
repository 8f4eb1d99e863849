//! Log messages of a call, which its client has asked for.
//!
//! Specification: [Logging](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging).

use std::cell::RefCell;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde::Serialize;

use super::context::{CallState, Context};
use super::progress::ProgressError;
use crate::protocol::{LoggingLevel, write_string};

impl Context {
    /// Sends a log message to the client, if it asked for messages of that level.
    ///
    /// `data` is words or any other JSON. Messages and reports of a call arrive in the order in which they were sent,
    /// and before its result. The server has to be one with [`Server::logging`](crate::Server::logging).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::LoggingLevel;
    ///
    /// /// Import a file.
    /// #[tool]
    /// async fn import(path: String, ctx: Context) -> Result<String, ToolError> {
    ///     ctx.log(LoggingLevel::Info, format!("reading {path}")).await?;
    ///     ctx.log(LoggingLevel::Warning, json!({ "skipped": 2, "because": "no price" })).await?;
    ///     Ok("imported".into())
    /// }
    ///
    /// let server = Server::new("importer").logging().tool(import);
    /// ```
    ///
    /// # Errors
    ///
    /// When the call has ended. A client that did not ask gets nothing, which is no error.
    pub async fn log(&self, level: LoggingLevel, data: impl Serialize + Send) -> Result<(), ProgressError> {
        self.send_log(level, None, &data).await
    }

    /// As [`Context::log`], with the name of the part of the program that speaks.
    ///
    /// # Errors
    ///
    /// When the call has ended.
    pub async fn log_as(
        &self,
        logger: &str,
        level: LoggingLevel,
        data: impl Serialize + Send,
    ) -> Result<(), ProgressError> {
        self.send_log(level, Some(logger), &data).await
    }

    async fn send_log<T: Serialize>(
        &self,
        level: LoggingLevel,
        logger: Option<&str>,
        data: &T,
    ) -> Result<(), ProgressError> {
        if !self.0.logs(level) {
            return Ok(());
        }
        let message = message(level, logger, data);
        poll_fn(|cx| self.0.reporter.poll_send(cx, |out| out.extend_from_slice(&message))).await?;
        if self.0.tried.load(Ordering::Relaxed) {
            // The task that reads is the one that writes: it has to get its turn.
            tokio::task::yield_now().await;
        } else {
            tokio::task::consume_budget().await;
        }
        Ok(())
    }

    /// Whether the client has asked for messages of that level: a message that is costly to make can be spared.
    pub fn logs(&self, level: LoggingLevel) -> bool {
        self.0.logs(level)
    }
}

impl CallState {
    pub(crate) fn logs(&self, level: LoggingLevel) -> bool {
        // A mounted server and the one around it each say for themselves whether they log.
        let may_log = self.scope.get().map_or(self.core.logs_itself, |scope| scope.logging);
        may_log && self.log_level.is_some_and(|least| level >= least)
    }

    /// As [`Context::log`], for code that can't wait: without room the message is dropped. `false`: it was.
    #[cfg(feature = "tracing-layer")]
    pub(crate) fn log_now<T: Serialize>(&self, level: LoggingLevel, logger: Option<&str>, data: &T) -> bool {
        let message = message(level, logger, data);
        self.reporter.send_if_room(|out| out.extend_from_slice(&message))
    }
}

fn message<T: Serialize>(level: LoggingLevel, logger: Option<&str>, data: &T) -> Vec<u8> {
    let mut out =
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/message","params":{{"level":"{level}""#).into_bytes();
    if let Some(logger) = logger {
        out.extend_from_slice(br#","logger":"#);
        write_string(&mut out, logger);
    }
    out.extend_from_slice(br#","data":"#);
    let start = out.len();
    if let Err(error) = serde_json::to_writer(&mut out, data) {
        out.truncate(start);
        let text = format!("the message is no JSON: {error}");
        write_string(&mut out, &text);
    }
    out.extend_from_slice(b"}}");
    out
}

thread_local! {
    /// The call whose code runs on this thread, if its client wants to know what is logged.
    static CURRENT: RefCell<Option<Arc<CallState>>> = const { RefCell::new(None) };
}

/// The call whose code runs on this thread, if its client wants to know what is logged.
#[cfg(feature = "tracing-layer")]
pub(crate) fn current() -> Option<Arc<CallState>> {
    // A thread that ends may still log something, when this is gone already.
    CURRENT.try_with(|current| current.borrow().clone()).ok().flatten()
}

/// Makes a call the current one of its thread until it is dropped.
#[derive(Debug)]
pub(crate) struct Entered(Option<Arc<CallState>>);

impl Entered {
    /// `None`: nobody wants to know.
    pub(crate) fn new(call: &Arc<CallState>) -> Option<Self> {
        call.log_level.is_some().then(|| Self(CURRENT.replace(Some(Arc::clone(call)))))
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// The function, with its call and its span as the current ones of the thread that it will run on.
pub(crate) fn on_thread<R, F: FnOnce() -> R>(context: &Context, function: F) -> impl FnOnce() -> R + use<R, F> {
    let call = context.0.log_level.is_some().then(|| Arc::clone(&context.0));
    let span = tracing::Span::current();
    move || {
        let _span = span.enter();
        let _entered = call.as_ref().and_then(Entered::new);
        function()
    }
}
