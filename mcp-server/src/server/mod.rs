//! What an author builds, and what becomes of a request in it: request and outbox in, response out, as one future.
//! Nothing here knows bytes that are read or sockets.

mod arguments;
pub(crate) mod call;
pub(crate) mod context;
pub(crate) mod dispatch;
pub(crate) mod legacy;
pub(crate) mod output;
mod parameter;
mod progress;
pub(crate) mod respond;
mod result;
mod settings;
mod tool;
mod tools;

use std::sync::Arc;
use std::time::Duration;

pub use context::{Context, ProgressBar, TestContext};
pub use parameter::{FromContext, Param, Parameter};
pub use progress::{ProgressError, ProgressMessage, ProgressNumber, ProgressTotal};
pub use result::{IntoCallToolResult, Json, ToolError};
pub use tool::{Call, IntoTool, Outcome, Returns, Tool, ToolBuilder, ToolFuture, ToolHandler, ToolSet, tagged};

use crate::protocol::{Icon, Implementation, ProtocolVersion, SERVER_INFO};
use settings::{MAX_DEPTH, Settings};
use tools::Tools;

/// A server: its name, its tools, and how it behaves.
///
/// Build it once, then serve it: [`serve_stdio`](Server::serve_stdio) for a host that starts it as a child process,
/// [`serve`](Server::serve) for any pair of streams.
///
/// ```no_run
/// use mcp_server::prelude::*;
///
/// /// Add two numbers.
/// #[tool(read_only)]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), ServeError> {
///     Server::new("calculator").tool(add).serve_stdio().await
/// }
/// ```
#[derive(Debug)]
pub struct Server {
    info: Implementation,
    instructions: Option<String>,
    tools: Tools,
    versions: Vec<ProtocolVersion>,
    settings: Settings,
}

impl Server {
    /// A server of that name, without tools, which speaks all revisions of the protocol.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, "0.0.0"),
            instructions: None,
            tools: Tools::default(),
            versions: ProtocolVersion::ALL.to_vec(),
            settings: Settings::default(),
        }
    }

    /// Adds a tool: an `async fn` with `#[tool]` by its name, a plain `fn` with `#[tool]` as `name {}`.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Add two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// /// Find the smallest prime factor, on a thread of its own.
    /// #[tool]
    /// fn factor(n: u64) -> Option<u64> {
    ///     (2..=n).find(|d| n % d == 0)
    /// }
    ///
    /// let server = Server::new("calculator").tool(add).tool(factor {});
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a tool of that name already; the text names the places of both.
    #[must_use]
    #[track_caller]
    pub fn tool<M>(mut self, tool: impl IntoTool<M>) -> Self {
        self.tools.add(tool.into_tool());
        self
    }

    /// Adds all tools of a `#[server]` block, which share the value.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// struct Shop {
    ///     name: String,
    /// }
    ///
    /// #[server]
    /// impl Shop {
    ///     /// The name over the door.
    ///     #[tool]
    ///     async fn sign(&self) -> String {
    ///         self.name.clone()
    ///     }
    /// }
    ///
    /// let server = Server::new("shop").with(Shop { name: "Ada's".into() });
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a tool of one of these names already; the text names the places of both.
    #[must_use]
    #[track_caller]
    pub fn with(mut self, tools: impl ToolSet) -> Self {
        for tool in Arc::new(tools).tools() {
            self.tools.add(tool);
        }
        self
    }

    /// The version of the server itself, such as `env!("CARGO_PKG_VERSION")`; `0.0.0` unless set.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// The name that people read.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// What the server is, for people.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Where the server's web site is.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// A picture of the server.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.push(icon);
        self
    }

    /// How to make good use of the server as a whole, for a model.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The revisions of the protocol that are served; all of them unless set.
    ///
    /// # Panics
    ///
    /// When there are none.
    #[must_use]
    #[track_caller]
    pub fn protocol_versions(mut self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.versions = versions.into_iter().collect();
        assert!(!self.versions.is_empty(), "a server must speak at least one revision of the protocol");
        self
    }

    /// How many tools a page of `tools/list` has; all of them unless set.
    #[must_use]
    pub fn page_size(mut self, tools: usize) -> Self {
        self.settings.page_size = tools.max(1);
        self
    }

    /// How many bytes a message may have; 32 MiB unless set. A longer one is skipped and answered with an error, and
    /// no more memory than this is spent on it.
    #[must_use]
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.settings.max_message_size = bytes;
        self
    }

    /// How deep arrays and objects of a message may be nested; 127 unless set, which is also the most.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.max_depth = depth.min(MAX_DEPTH);
        self
    }

    /// How many calls of one connection may run at a time; 4096 unless set. One more is refused with an error.
    #[must_use]
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.settings.max_in_flight = calls;
        self
    }

    /// How many bytes may wait to be written before whoever has something to say must wait; 64 KiB unless set. Responses
    /// that wait for room count too: when they have 128 MiB in all, nothing more is read.
    #[must_use]
    pub fn queue_size(mut self, bytes: usize) -> Self {
        self.settings.queue_size = bytes;
        self
    }

    /// For how long a response is held back after the last report of its own call was written; 5 ms unless set, and
    /// zero switches it off.
    ///
    /// Many clients in use lose a report that they read together with its response. For their sake a server on standard
    /// output also waits, for up to a second, until the client has read the report, where the system tells (pipes and
    /// sockets on Linux). Other messages are not held up, and neither is a call whose last report was read long ago.
    /// Servers in memory never wait.
    #[must_use]
    pub fn progress_settle(mut self, settle: Duration) -> Self {
        self.settings.progress_settle = settle.min(LONG);
        self
    }

    /// The least time between two reports of a call; zero unless set, which sends each. Of the reports in between the
    /// newest wins, and the last one before the response always goes out.
    #[must_use]
    pub fn progress_interval(mut self, interval: Duration) -> Self {
        self.settings.progress_interval = interval;
        self
    }

    /// For how long calls may go on when the client has ended its input; 30 s unless set, a day at most. What is then
    /// still to be written has the same time once more.
    ///
    /// A plain `fn` that never asks [`Context::is_cancelled`] can't be stopped: the process waits for it when its
    /// runtime ends.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.settings.drain_timeout = timeout.min(LONG);
        self
    }

    pub(crate) fn settle(&self) -> Duration {
        self.settings.progress_settle
    }

    /// Everything that is made once and shared by all connections.
    pub(crate) fn build(self) -> Arc<Core> {
        let info = serde_json::to_string(&self.info).expect("an implementation is plain data");
        let server_meta = format!(r#""_meta":{{"{SERVER_INFO}":{info}}}"#).into_bytes();
        Arc::new(Core {
            info: self.info,
            instructions: self.instructions,
            tools: self.tools,
            versions: self.versions,
            settings: self.settings,
            server_meta,
        })
    }
}

/// No clock of the system shows times that are much further away.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// A server as it is served: nothing in it changes any more.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) tools: Tools,
    versions: Vec<ProtocolVersion>,
    pub(crate) settings: Settings,
    /// The `_meta` member of every stateless result.
    pub(crate) server_meta: Vec<u8>,
}

impl Core {
    pub(crate) fn speaks(&self, version: ProtocolVersion) -> bool {
        self.versions.contains(&version)
    }

    pub(crate) fn modern_versions(&self) -> Vec<ProtocolVersion> {
        self.versions.iter().copied().filter(|version| version.is_modern()).collect()
    }

    /// The revisions that begin with a handshake.
    pub(crate) fn legacy_versions(&self) -> impl Iterator<Item = ProtocolVersion> {
        self.versions.iter().copied().filter(|version| !version.is_modern())
    }

    /// What is offered, as JSON: "advertised capabilities match what is served".
    pub(crate) fn capabilities(&self) -> &'static str {
        if self.tools.is_empty() { "{}" } else { r#"{"tools":{}}"# }
    }

    /// The members of the answer to `server/discover`.
    pub(crate) fn discover_members(&self) -> Vec<u8> {
        let versions = serde_json::to_string(&self.modern_versions()).expect("versions are plain data");
        let mut members = format!(r#""supportedVersions":{versions},"capabilities":{}"#, self.capabilities());
        if let Some(instructions) = &self.instructions {
            members += &format!(r#","instructions":{}"#, serde_json::Value::from(instructions.as_str()));
        }
        members.into_bytes()
    }
}
