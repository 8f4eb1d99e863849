//! Streamable HTTP: one address that takes POST, and streams what comes before a result.
//!
//! A stateless call runs within its exchange: nothing is spawned for it, and it ends with its connection. A call of an
//! older session has a task of its own, since it goes on when its connection breaks.
//!
//! Specification: [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).

mod activity;
pub mod auth;
mod body;
mod cors;
mod events;
mod exchange;
mod guard;
mod headers;
mod in_flight;
mod legacy;
mod modern;
mod refusal;
mod serve;
mod service;
mod sessions;
mod stream;
mod taken;

use std::fmt;
#[cfg(unix)]
use std::path::PathBuf;
use std::time::Duration;

use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;

use auth::Authorization;
pub use body::HttpBody;
use guard::{Guard, is_host, is_origin};
use serve::Source;
pub use service::HttpService;
use service::Settings;

use super::ServeError;
use crate::server::Server;

/// A server on HTTP: where it listens, who may call it, and its limits. [`Server::http`] begins one.
///
/// ```no_run
/// # use mcp_server::prelude::*;
/// # #[tokio::main]
/// # async fn main() -> Result<(), ServeError> {
/// Server::new("shop")
///     .http()
///     .bind("127.0.0.1:8000")
///     .allowed_hosts(["mcp.example.com"])
///     .serve()
///     .await
/// # }
/// ```
///
/// Both eras of the protocol are served at `/mcp`, and `/healthz` says, under any name, whether the server is well. HTTP/1.1 and HTTP/2 are
/// spoken in clear text: encryption is for the proxy in front.
///
/// Specification: [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).
#[derive(Debug)]
pub struct Http {
    server: Server,
    sources: Vec<Source>,
    settings: Settings,
    limits: Limits,
    path: String,
}

/// What connections and sessions may take.
#[derive(Clone, Debug)]
struct Limits {
    max_connections: usize,
    max_concurrent_streams: u32,
    max_requests: usize,
    max_sessions: usize,
    session_idle: Duration,
}

impl Server {
    /// Begins to say how the server is reached over HTTP.
    pub fn http(self) -> Http {
        let max_body_size = self.max_body_size();
        Http {
            server: self,
            sources: Vec::new(),
            settings: Settings {
                guard: Guard::default(),
                cors: false,
                authorization: None,
                json_only: false,
                stateless: false,
                max_body_size,
                max_header_size: 16 * 1024,
                read_timeout: Duration::from_secs(30),
                keep_alive: Duration::from_secs(15),
                kept_events: 64 * 1024,
            },
            limits: Limits {
                max_connections: 10_000,
                max_concurrent_streams: 128,
                max_requests: 10_000,
                max_sessions: 10_000,
                session_idle: Duration::from_secs(30 * 60),
            },
            path: "/mcp".to_owned(),
        }
    }

    /// Serves over HTTP at an address such as `127.0.0.1:8000`, under the path `/mcp`, until the process is told to end.
    ///
    /// Short for `self.http().bind(address).serve()`; [`http`](Self::http) has all that can be set. Only requests that name
    /// this machine are answered unless hosts are named there, which keeps web pages out. It is the address that keeps
    /// other machines out: their programs can name what they like.
    ///
    /// ```no_run
    /// # use mcp_server::prelude::*;
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), ServeError> {
    /// Server::new("shop").serve_http("127.0.0.1:8000").await
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As with [`Http::serve`].
    ///
    /// # Panics
    ///
    /// When a tool asks for scopes: then somebody has to ask for tokens, by [`Http::authorization`].
    #[track_caller]
    pub fn serve_http(self, address: impl fmt::Display) -> impl Future<Output = Result<(), ServeError>> + Send {
        self.http().bind(address).serve()
    }
}

impl Http {
    /// Listens at an address, such as `127.0.0.1:8000`, `[::1]:8000` or `localhost:8000`. There can be several.
    #[must_use]
    pub fn bind(mut self, address: impl fmt::Display) -> Self {
        self.sources.push(Source::Address(address.to_string()));
        self
    }

    /// Listens at a Unix socket, which is removed at the end. Whoever may open it may call: the headers `Host` and
    /// `Origin` are looked at there too, so a proxy has to pass on a name that the server answers to.
    #[cfg(unix)]
    #[must_use]
    pub fn bind_unix(mut self, path: impl Into<PathBuf>) -> Self {
        self.sources.push(Source::Path(path.into()));
        self
    }

    /// Takes connections from a listener that there is already.
    #[must_use]
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.sources.push(Source::Tcp(listener));
        self
    }

    /// Takes connections from a listener on a Unix socket that there is already.
    #[cfg(unix)]
    #[must_use]
    pub fn unix_listener(mut self, listener: UnixListener) -> Self {
        self.sources.push(Source::Unix(listener));
        self
    }

    /// The path of the endpoint; `/mcp` unless set. Behind a proxy that leaves a prefix on, the prefix is part of it.
    ///
    /// # Panics
    ///
    /// When it does not begin with a slash.
    #[must_use]
    #[track_caller]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        assert!(self.path.starts_with('/'), "the path `{}` must begin with a slash", self.path);
        self
    }

    /// The names by which the server is reached, such as `mcp.example.com`; those of this machine alone unless set
    /// (`localhost`, `127.0.0.1`, `[::1]`). One with a port is that port alone.
    ///
    /// A request for another name gets 403. This keeps web pages from reaching a server by a name of their own that leads
    /// to it. Pages of the named hosts may call the server.
    ///
    /// # Panics
    ///
    /// When one is no host, such as a whole URL.
    #[must_use]
    #[track_caller]
    pub fn allowed_hosts<S: Into<String>>(mut self, hosts: impl IntoIterator<Item = S>) -> Self {
        for host in hosts.into_iter().map(Into::into) {
            assert!(is_host(&host), "`{host}` is no host: name it as in `mcp.example.com` or `mcp.example.com:8443`");
            self.settings.guard.hosts.push(host);
        }
        self
    }

    /// Answers to any name: for a server that only a proxy can reach, which has looked at it already. Pages have to be
    /// named then, by [`allowed_origins`](Self::allowed_origins).
    #[must_use]
    pub fn allow_any_host(mut self) -> Self {
        self.settings.guard.any_host = true;
        self
    }

    /// Web pages that may call the server beside those of its own hosts, by their origin: `https://app.example.com`.
    /// Requests of other pages get 403; those of programs, which name none, are served.
    ///
    /// # Panics
    ///
    /// When one is no origin: `http://` or `https://` and a host, with nothing behind.
    #[must_use]
    #[track_caller]
    pub fn allowed_origins<S: Into<String>>(mut self, origins: impl IntoIterator<Item = S>) -> Self {
        for origin in origins.into_iter().map(Into::into) {
            assert!(is_origin(&origin), "`{origin}` is no origin: name it as in `https://app.example.com`");
            self.settings.guard.origins.push(origin);
        }
        self
    }

    /// Lets the pages that may call the server also read its answers, as browsers ask for (CORS); off unless set.
    #[must_use]
    pub fn cors(mut self) -> Self {
        self.settings.cors = true;
        self
    }

    /// Asks everybody who calls for a token; see [`auth`].
    #[must_use]
    pub fn authorization(mut self, authorization: Authorization) -> Self {
        self.settings.authorization = Some(authorization);
        self
    }

    /// Answers every request with one JSON text. Reports and log messages go nowhere then, and older clients can't be
    /// asked. Streams of changes are streams all the same.
    #[must_use]
    pub fn json_only(mut self) -> Self {
        self.settings.json_only = true;
        self
    }

    /// Gives older clients no sessions: each of their requests stands alone, and any machine can serve it. They can't be
    /// asked then, and are not told of changes.
    #[must_use]
    pub fn stateless(mut self) -> Self {
        self.settings.stateless = true;
        self
    }

    /// How many bytes a request may have; as many as a message ([`Server::max_message_size`]) where that is set, and
    /// 4 MiB otherwise. A longer one gets 413.
    #[must_use]
    pub fn max_body_size(mut self, bytes: usize) -> Self {
        self.settings.max_body_size = bytes;
        self
    }

    /// How many bytes the headers of a request may have, its address among them; 16 KiB unless set. Longer ones get 431.
    #[must_use]
    pub fn max_header_size(mut self, bytes: usize) -> Self {
        self.settings.max_header_size = bytes;
        self
    }

    /// How long a connection may go without the whole head of a request, from its beginning or from the last answer on,
    /// and how long the body may take then; 30 s unless set. A body that takes longer gets 408; who is late with a head is
    /// cut off.
    #[must_use]
    pub fn read_timeout(mut self, time: Duration) -> Self {
        self.settings.read_timeout = time.min(LONG);
        self
    }

    /// After how long a stream on which nothing was said gets a comment, so that no proxy ends it; 15 s unless set. A
    /// response that has not begun by then becomes a stream.
    ///
    /// # Panics
    ///
    /// When it is zero.
    #[must_use]
    #[track_caller]
    pub fn keep_alive(mut self, every: Duration) -> Self {
        assert!(!every.is_zero(), "comments without a pause would leave no room for anything else");
        self.settings.keep_alive = every.min(LONG);
        self
    }

    /// How many requests are served at a time, over all connections, open streams among them; 10,000 unless set. One more
    /// gets 503.
    #[must_use]
    pub fn max_requests(mut self, requests: usize) -> Self {
        self.limits.max_requests = requests;
        self
    }

    /// How many connections there may be at each place that is listened at; 10,000 unless set. More have to wait.
    #[must_use]
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.limits.max_connections = connections.max(1);
        self
    }

    /// How many requests there may be at a time on one connection of HTTP/2; 128 unless set. On HTTP/1.1 it is one.
    #[must_use]
    pub fn max_concurrent_streams(mut self, streams: u32) -> Self {
        self.limits.max_concurrent_streams = streams.max(1);
        self
    }

    /// How many sessions older clients may have in all; 10,000 unless set. One more gets 503.
    #[must_use]
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.limits.max_sessions = sessions;
        self
    }

    /// After how long a session is forgotten that nobody uses; 30 min unless set. What still runs in it is cancelled.
    #[must_use]
    pub fn session_idle(mut self, time: Duration) -> Self {
        self.limits.session_idle = time.min(LONG);
        self
    }

    /// How many bytes are kept of each stream of a session, for a client whose connection broke; 64 KiB unless set. So
    /// much also waits for a client that does not read. Of what nobody reads the oldest goes first, and the last never.
    #[must_use]
    pub fn kept_events(mut self, bytes: usize) -> Self {
        self.settings.kept_events = bytes.max(1);
        self
    }

    /// # Panics
    ///
    /// When what was set does not go together.
    #[track_caller]
    fn check(&self) {
        match &self.settings.authorization {
            Some(authorization) => authorization.check(),
            None => assert!(
                !self.server.asks_for_scopes(),
                "a tool asks for scopes, and nobody is asked for a token: set `authorization(…)`"
            ),
        }
    }
}

/// No clock of the system shows times that are much further away.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);
