//! A call with all that came of it, for tests: one line a look.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use serde::de::DeserializeOwned;

use super::call::Call;
use super::{CallError, LogMessage};
use crate::protocol::{CallToolResult, GetPromptResult, LOG_LEVEL, LoggingLevel, Progress, ReadResourceResult};

/// So many log messages are recorded at most; then the oldest makes room for the newest.
const MAX_LOGS: usize = 65_536;
/// And so many bytes of them.
const MAX_LOG_BYTES: usize = 16 * 1024 * 1024;

impl<T> Call<'_, T> {
    /// Makes the call, and records what came of it: the reports, what the server logged meanwhile, and the result. It is
    /// made for tests, in which each of them is then one line.
    ///
    /// A stateless server is asked to log from the lowest level on, unless the client or the call asks for a level
    /// itself. An older one logs for a client that has asked for it by [`on_log`](super::ClientBuilder::on_log). As log
    /// messages do not say which call they belong to, those of calls that run at the same time are recorded as well.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::LoggingLevel;
    ///
    /// /// Import orders.
    /// #[tool]
    /// async fn import(ids: Vec<String>, ctx: Context) -> Result<String, ToolError> {
    ///     let total = ids.len();
    ///     for (done, id) in (1..).zip(&ids) {
    ///         ctx.report_progress(done, total, format!("imported {id}")).await?;
    ///     }
    ///     ctx.log(LoggingLevel::Info, "the file can go").await?;
    ///     Ok(format!("Imported {total} orders."))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("importer").logging().tool(import)).await?;
    /// let call = client.call_tool("import", json!({ "ids": ["A17", "B42"] })).record().await;
    /// assert_eq!(call.reports(), ["1/2 imported A17", "2/2 imported B42"]);
    /// assert_eq!(call.logs(), ["info: the file can go"]);
    /// assert_eq!(call.text(), "Imported 2 orders.");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub async fn record(mut self) -> Recorded<T> {
        let spec = self.spec_mut();
        let client = spec.client;
        if client.protocol_version().is_modern() && client.log_level_of_requests().is_none() {
            spec.meta.entry(LOG_LEVEL).or_insert_with(|| LoggingLevel::Debug.to_string().into());
        }
        let recorder = client.link.connection.recorders.begin();
        let mut call = self.progress_stream();
        let mut progress = Vec::new();
        while let Some(report) = call.next().await {
            progress.push(report);
        }
        Recorded { outcome: call.result().await, progress, logs: recorder.end() }
    }
}

/// What came of a call, from [`Call::record`].
///
/// Its methods are meant for assertions: what is not there is a panic that says what was there instead.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Divide a by b.
/// #[tool]
/// async fn divide(a: i64, b: i64) -> Result<i64, ToolError> {
///     a.checked_div(b).ok_or(ToolError::new("b must not be 0"))
/// }
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::connect(Server::new("calculator").tool(divide)).await?;
/// assert_eq!(client.call_tool("divide", json!({ "a": 6, "b": 3 })).record().await.text(), "2");
/// assert_eq!(client.call_tool("divide", json!({ "a": 6, "b": 0 })).record().await.failure(), "b must not be 0");
///
/// let call = client.call_tool("divied", json!({})).record().await;
/// assert!(call.error().to_string().contains("did you mean `divide`?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Recorded<T> {
    outcome: Result<T, CallError>,
    progress: Vec<Progress>,
    logs: Vec<LogMessage>,
}

impl<T> Recorded<T> {
    /// The reports as texts, in their order, such as `1/3 exported A17`.
    pub fn reports(&self) -> Vec<String> {
        self.progress.iter().map(Progress::to_string).collect()
    }

    /// The reports themselves.
    pub fn progress(&self) -> &[Progress] {
        &self.progress
    }

    /// What the server logged while the call ran, as texts, such as `warning: no price in line 2`.
    pub fn logs(&self) -> Vec<String> {
        self.logs.iter().map(LogMessage::to_string).collect()
    }

    /// The log messages themselves.
    pub fn log_messages(&self) -> &[LogMessage] {
        &self.logs
    }

    /// The result.
    ///
    /// # Panics
    ///
    /// When there is none; the text says why.
    #[track_caller]
    pub fn result(&self) -> &T {
        match &self.outcome {
            Ok(result) => result,
            Err(error) => panic!("the call has no result: {error}"),
        }
    }

    /// Why there is no result.
    ///
    /// # Panics
    ///
    /// When there is one.
    #[track_caller]
    pub fn error(&self) -> &CallError {
        match &self.outcome {
            Ok(_) => panic!("the call has a result, and no error"),
            Err(error) => error,
        }
    }

    /// The result, or why there is none, as the call itself would have given it.
    ///
    /// # Errors
    ///
    /// As for the call that was recorded.
    pub fn outcome(self) -> Result<T, CallError> {
        self.outcome
    }
}

impl Recorded<CallToolResult> {
    /// All words of the result.
    ///
    /// # Panics
    ///
    /// When there is no result, or when the tool has failed.
    #[track_caller]
    pub fn text(&self) -> String {
        self.success().text()
    }

    /// The structured value, as a type of yours.
    ///
    /// # Panics
    ///
    /// When there is no result or no such value, when it does not fit the type, or when the tool has failed.
    #[track_caller]
    pub fn structured<V: DeserializeOwned>(&self) -> V {
        match self.success().structured() {
            Ok(value) => value,
            Err(error) => panic!("the structured result can't be read: {error}"),
        }
    }

    /// What the tool tells the model about its failure.
    ///
    /// # Panics
    ///
    /// When there is no result, or when the tool has not failed.
    #[track_caller]
    pub fn failure(&self) -> String {
        let result = self.result();
        assert!(result.is_error, "the tool has not failed, but says: {}", result.text());
        result.text()
    }

    #[track_caller]
    fn success(&self) -> &CallToolResult {
        let result = self.result();
        assert!(!result.is_error, "the tool has failed: {}", result.text());
        result
    }
}

impl Recorded<ReadResourceResult> {
    /// All words of the resource.
    ///
    /// # Panics
    ///
    /// When there is no result.
    #[track_caller]
    pub fn text(&self) -> String {
        self.result().text()
    }
}

impl Recorded<GetPromptResult> {
    /// All words of the prompt, message after message, each on lines of its own.
    ///
    /// # Panics
    ///
    /// When there is no result.
    #[track_caller]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.result().messages.iter().filter_map(|message| message.content.as_text()).collect();
        texts.join("\n")
    }
}

/// The calls of a connection that are being recorded.
#[derive(Debug, Default)]
pub(crate) struct Recorders(Mutex<Vec<Weak<Recorder>>>);

/// What the server logs while a call runs.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Logs>);

#[derive(Debug, Default)]
struct Logs {
    messages: VecDeque<(LogMessage, usize)>,
    bytes: usize,
}

impl Recorders {
    fn begin(&self) -> Arc<Recorder> {
        let recorder = Arc::new(Recorder::default());
        let mut recorders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recorders.retain(|recorder| recorder.strong_count() > 0);
        recorders.push(Arc::downgrade(&recorder));
        recorder
    }

    /// The server has logged something, in so many bytes.
    pub(crate) fn tell(&self, message: &LogMessage, bytes: usize) {
        let recorders: Vec<_> = {
            let mut recorders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            recorders.retain(|recorder| recorder.strong_count() > 0);
            recorders.iter().filter_map(Weak::upgrade).collect()
        };
        for recorder in recorders {
            recorder.push(message.clone(), bytes);
        }
    }
}

impl Recorder {
    fn push(&self, message: LogMessage, bytes: usize) {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        logs.bytes += bytes;
        logs.messages.push_back((message, bytes));
        while logs.messages.len() > MAX_LOGS || (logs.bytes > MAX_LOG_BYTES && logs.messages.len() > 1) {
            let oldest = logs.messages.pop_front();
            logs.bytes -= oldest.map_or(0, |(_, bytes)| bytes);
        }
    }

    fn end(&self) -> Vec<LogMessage> {
        let mut logs = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *logs).messages.into_iter().map(|(message, _)| message).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> LogMessage {
        serde_json::from_value(serde_json::json!({ "level": "info", "data": text })).unwrap()
    }

    #[test]
    fn what_is_recorded_is_bounded_and_the_newest_win() {
        let recorders = Recorders::default();
        recorders.tell(&message("nobody listens"), 20);
        let recorder = recorders.begin();
        for number in 0..MAX_LOGS + 10 {
            recorders.tell(&message(&number.to_string()), 1);
        }
        let logs = recorder.end();
        assert_eq!((logs.len(), logs[0].to_string()), (MAX_LOGS, "info: 10".to_owned()));
        for number in 0..20 {
            recorders.tell(&message(&number.to_string()), 1024 * 1024);
        }
        assert_eq!(recorder.end()[0].to_string(), "info: 4");
        drop(recorder);
        recorders.tell(&message("nobody listens"), 20);
        assert!(recorders.0.lock().unwrap().is_empty());
    }
}
