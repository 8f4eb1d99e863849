//! How a client presents itself, what it puts up with, and whom it tells.

use std::future::Ready;
#[cfg(unix)]
use std::path::Path;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::process::Command;
use tokio::sync::watch;

use super::connection::Hook;
use super::era::{self, Probed};
use super::handlers::Handlers;
#[cfg(feature = "client-http")]
use super::http::HttpSettings;
use super::link::Link;
use super::streams::Exit;
use super::{Client, ConnectError, LogMessage, child};
use crate::protocol::{ClientCapabilities, Implementation, LoggingLevel, ProtocolVersion};
use crate::server::{Change, Server};

/// Everything that is set before a connection is made.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) info: Implementation,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) versions: Vec<ProtocolVersion>,
    pub(crate) connect_timeout: Duration,
    pub(crate) probe_timeout: Duration,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) shutdown_timeout: Duration,
    pub(crate) max_message_size: usize,
    pub(crate) max_rounds: usize,
    pub(crate) on_stderr: Option<Hook<str>>,
    pub(crate) on_stray: Option<Hook<str>>,
    pub(crate) on_log: Option<Hook<LogMessage>>,
    pub(crate) on_change: Option<Hook<Change>>,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) handlers: Handlers,
    /// So many bytes of results are kept at most.
    pub(crate) cache: Option<usize>,
    #[cfg(feature = "client-http")]
    pub(crate) http: HttpSettings,
}

/// Sets up a [`Client`], then connects it.
///
/// ```
/// use std::time::Duration;
///
/// use mcp_server::protocol::ProtocolVersion;
/// use mcp_server::{Client, Server};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::builder()
///     .name("desk")
///     .version("0.4.0")
///     .request_timeout(Duration::from_secs(5))
///     .connect(Server::new("shop"))
///     .await?;
/// assert_eq!(client.protocol_version(), ProtocolVersion::LATEST);
/// # Ok::<(), mcp_server::client::ConnectError>(())
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
#[must_use = "a builder does nothing until it connects"]
pub struct ClientBuilder(pub(super) Settings);

impl Default for ClientBuilder {
    fn default() -> Self {
        Self(Settings {
            info: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            capabilities: ClientCapabilities::default(),
            versions: ProtocolVersion::ALL.to_vec(),
            connect_timeout: Duration::from_secs(60),
            probe_timeout: Duration::from_secs(5),
            request_timeout: Some(Duration::from_secs(60)),
            shutdown_timeout: Duration::from_secs(2),
            max_message_size: 32 * 1024 * 1024,
            max_rounds: 16,
            on_stderr: None,
            on_stray: None,
            on_log: None,
            on_change: None,
            log_level: None,
            handlers: Handlers::default(),
            cache: None,
            #[cfg(feature = "client-http")]
            http: HttpSettings::default(),
        })
    }
}

impl ClientBuilder {
    /// The name that the program goes by.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.0.info.name = name.into();
        self
    }

    /// The version of the program.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.0.info.version = version.into();
        self
    }

    /// What the program can do for a server; nothing unless set.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.0.capabilities = capabilities;
        self
    }

    /// The revisions of the protocol that may be used; all of them unless set.
    ///
    /// ```
    /// use mcp_server::protocol::ProtocolVersion;
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// // As a client of last year would do it.
    /// let old = Client::builder().protocol_versions([ProtocolVersion::V2025_06_18]);
    /// let client = old.connect(Server::new("shop")).await?;
    /// assert_eq!(client.protocol_version(), ProtocolVersion::V2025_06_18);
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Panics
    ///
    /// When there are none.
    #[track_caller]
    pub fn protocol_versions(mut self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.0.versions = versions.into_iter().collect();
        assert!(!self.0.versions.is_empty(), "a client must speak at least one revision of the protocol");
        self
    }

    /// How long it may take until the server is ready, a second start included; 60 s unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.0.connect_timeout = timeout;
        self
    }

    /// How long a server may take to answer the first request, `server/discover`, before it is taken for one that
    /// does not know it, and is asked for a handshake instead; 5 s unless set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.0.probe_timeout = timeout;
        self
    }

    /// How long a request may take unless the call itself says otherwise; 60 s unless set, and `None` is for ever.
    pub fn request_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.0.request_timeout = timeout.into();
        self
    }

    /// How long a server may take to end when the connection is closed; 2 s unless set.
    ///
    /// A child process that takes longer is asked once more, by `SIGTERM`, and a second later it is killed.
    pub fn shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.0.shutdown_timeout = timeout;
        self
    }

    /// How many bytes a message of the server may have; 32 MiB unless set. A longer one is skipped, and no more memory
    /// than this is spent on it.
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.0.max_message_size = bytes;
        self
    }

    /// Who gets the lines that a child process writes to its standard error: what they say is for people. They go to
    /// `tracing`, at debug level, unless set.
    ///
    /// The hook holds up the child's next line, and so it should be quick. Of a line that is longer than 8 KiB only
    /// the beginning is told.
    pub fn on_stderr(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.0.on_stderr = Some(Hook::new(hook));
        self
    }

    /// Who gets the lines among the server's messages that are no messages, such as a greeting; they go to `tracing`,
    /// at debug level, unless set. The connection goes on in any case.
    ///
    /// The hook holds up the connection, and so it should be quick.
    pub fn on_stray(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.0.on_stray = Some(Hook::new(hook));
        self
    }

    /// From which level on the server is asked to log for this client, and who gets what it logs; without it a server
    /// is not asked, and what it logs nevertheless goes to `tracing`, at debug level.
    ///
    /// Messages come in the order in which the server sent them. The hook holds up the connection, and so it should be
    /// quick.
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::LoggingLevel;
    ///
    /// /// Import a file.
    /// #[tool]
    /// async fn import(ctx: Context) -> Result<(), ToolError> {
    ///     ctx.log(LoggingLevel::Debug, "line 1").await?;
    ///     Ok(ctx.log(LoggingLevel::Warning, "no price in line 2").await?)
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let logged = Arc::new(Mutex::new(Vec::new()));
    /// let hook = Arc::clone(&logged);
    /// let client = Client::builder()
    ///     .on_log(LoggingLevel::Info, move |message| hook.lock().unwrap().push(message.to_string()))
    ///     .connect(Server::new("importer").logging().tool(import))
    ///     .await?;
    /// client.call_tool("import", json!({})).await?;
    /// assert_eq!(*logged.lock().unwrap(), ["warning: no price in line 2"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn on_log(mut self, level: LoggingLevel, hook: impl Fn(&LogMessage) + Send + Sync + 'static) -> Self {
        self.0.log_level = Some(level);
        self.0.on_log = Some(Hook::new(hook));
        self
    }

    /// Serves `server` in this program, and connects to it. It ends with the client.
    ///
    /// # Errors
    ///
    /// When both sides speak no common revision of the protocol, or when what the server needs for its
    /// [`lifespan`](Server::lifespan) can't be opened.
    pub async fn connect(self, server: Server) -> Result<Client, ConnectError> {
        let (serving, ours) = crate::transport::connect(server);
        let (reader, writer) = tokio::io::split(ours);
        let (exited, exit) = watch::channel(None);
        let server = async move {
            let reason = match serving.await {
                Ok(()) => "the server has closed it".to_owned(),
                Err(error) => {
                    let reason = told(&error);
                    tracing::warn!(error = reason, "the server in memory has failed");
                    reason
                }
            };
            exited.send_replace(Some(reason));
        };
        let link = Link::streams(&self.0, reader, writer, Some((server, Exit(exit))));
        self.agree(link).await
    }

    /// Connects to whoever is at the other end of a pair of streams, such as a Unix socket, one message a line.
    ///
    /// # Errors
    ///
    /// When the server does not answer in time, refuses, or speaks no common revision of the protocol.
    pub async fn streams<R, W>(self, reader: R, writer: W) -> Result<Client, ConnectError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let link = Link::streams(&self.0, reader, writer, None::<(Ready<()>, Exit)>);
        self.agree(link).await
    }

    /// Connects to a server that listens on a Unix socket, one message a line.
    ///
    /// ```no_run
    /// use mcp_server::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder().name("desk").unix("/run/shop.sock").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When nobody listens there, the server does not answer in time, refuses, or speaks no common revision of the
    /// protocol.
    #[cfg(unix)]
    pub async fn unix(self, path: impl AsRef<Path>) -> Result<Client, ConnectError> {
        let path = path.as_ref();
        let stream = in_time(&self.0, async {
            tokio::net::UnixStream::connect(path)
                .await
                .map_err(|error| ConnectError::Unreachable { reason: format!("{}: {error}", path.display()) })
        });
        let (reader, writer) = stream.await?.into_split();
        self.streams(reader, writer).await
    }

    async fn agree(self, link: Link) -> Result<Client, ConnectError> {
        let settings = self.0;
        let agreed = in_time(&settings, async {
            let agreed = match era::probe(&link.connection, &settings).await? {
                Probed::Modern(agreed) => *agreed,
                Probed::Legacy { .. } => era::initialize(&link.connection, &settings).await?,
                Probed::Ended { reason } => return Err(ConnectError::Closed { reason }),
            };
            era::ready(&link.connection, &settings, &agreed).await;
            Ok(agreed)
        });
        let agreed = agreed.await?;
        Ok(Client::new(link, agreed, &settings))
    }

    /// Starts a program, and connects to its standard input and output.
    ///
    /// The three standard streams of the command are the client's own. A program that ends when it is asked with
    /// `server/discover`, as some old servers do, is started a second time and asked for a handshake.
    ///
    /// # Errors
    ///
    /// When the program can't be started, ends too early, does not answer in time, refuses, or speaks no common
    /// revision of the protocol.
    pub async fn spawn(self, command: impl Into<Command>) -> Result<Client, ConnectError> {
        let settings = self.0;
        let mut command = command.into();
        let connected = in_time(&settings, async {
            let link = child::start(&mut command, &settings)?;
            let (link, agreed) = match era::probe(&link.connection, &settings).await? {
                Probed::Modern(agreed) => (link, *agreed),
                Probed::Legacy { .. } => {
                    let agreed = era::initialize(&link.connection, &settings).await?;
                    (link, agreed)
                }
                Probed::Ended { reason } if settings.versions.iter().all(|version| version.is_modern()) => {
                    return Err(ConnectError::Closed { reason });
                }
                Probed::Ended { reason } => {
                    tracing::debug!(reason, "the server has ended on the probe: starting it again for a handshake");
                    drop(link);
                    let link = child::start(&mut command, &settings)?;
                    let agreed = era::initialize(&link.connection, &settings).await?;
                    (link, agreed)
                }
            };
            era::ready(&link.connection, &settings, &agreed).await;
            Ok((link, agreed))
        });
        let (link, agreed) = connected.await?;
        Ok(Client::new(link, agreed, &settings))
    }
}

/// An error with all that caused it.
fn told(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

pub(crate) async fn in_time<T>(
    settings: &Settings,
    connecting: impl Future<Output = Result<T, ConnectError>>,
) -> Result<T, ConnectError> {
    let after = settings.connect_timeout;
    tokio::time::timeout(after, connecting).await.unwrap_or(Err(ConnectError::Timeout { after }))
}
