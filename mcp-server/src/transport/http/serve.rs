//! Listens, accepts connections, and ends in good order.

use std::convert::Infallible;
use std::fmt;
use std::io;
#[cfg(unix)]
use std::path::PathBuf;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use http::{Method, Response, StatusCode};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::TcpListener;
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::activity::Activity;
use super::body::HttpBody;
use super::in_flight::InFlight;
use super::refusal::Refusal;
use super::service::{Endpoint, HttpService, Settings};
use super::sessions::Sessions;
use super::stream::{Stream, Watched};
use super::{Http, Limits};
use crate::server::{Core, link};
use crate::transport::ServeError;
use crate::transport::seldom::Seldom;
use crate::transport::serving::{Told, serving, serving_until};
use crate::transport::signals::Signals;

/// Where connections come from.
#[derive(Debug)]
pub(super) enum Source {
    /// An address to listen at.
    Address(String),
    /// A path of a Unix socket.
    #[cfg(unix)]
    Path(PathBuf),
    /// Somebody listens already.
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

#[derive(Debug)]
enum Listener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix {
        listener: UnixListener,
        /// What is removed with it.
        _path: Option<Socket>,
    },
}

/// A Unix socket of our own, which leaves nothing behind.
#[cfg(unix)]
#[derive(Debug)]
struct Socket(PathBuf);

#[cfg(unix)]
impl Drop for Socket {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            tracing::debug!(path = %self.0.display(), %error, "the socket could not be removed");
        }
    }
}

#[cfg(unix)]
fn is_socket(path: &std::path::Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
}

impl Source {
    async fn listen(self) -> Result<Listener, ServeError> {
        let failed = |address: String| move |error| ServeError::Listen { address, error };
        match self {
            Self::Address(address) => {
                let listener = TcpListener::bind(&address).await.map_err(failed(address))?;
                if let Ok(address) = listener.local_addr() {
                    tracing::info!("listening on {address}");
                }
                Ok(Listener::Tcp(listener))
            }
            Self::Tcp(listener) => Ok(Listener::Tcp(listener)),
            #[cfg(unix)]
            Self::Path(path) => {
                let shown = path.display().to_string();
                // One that an earlier process has left behind; a live one answers, and so would nothing else than a socket.
                let is_left = is_socket(&path)
                    && std::os::unix::net::UnixStream::connect(&path)
                        .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused);
                if is_left {
                    let _ = std::fs::remove_file(&path);
                }
                let listener = UnixListener::bind(&path).map_err(failed(shown))?;
                tracing::info!("listening on {}", path.display());
                Ok(Listener::Unix { listener, _path: Some(Socket(path)) })
            }
            #[cfg(unix)]
            Self::Unix(listener) => Ok(Listener::Unix { listener, _path: None }),
        }
    }
}

impl Http {
    /// Serves until the process is told to end: by SIGTERM, or by an interrupt. Then nothing new is begun; what runs is
    /// finished, for at most the [`drain_timeout`](crate::Server::drain_timeout), and streams end with their result. Who
    /// is told to end twice does not wait for that.
    ///
    /// # Errors
    ///
    /// When an address can't be listened at, or what the server needs for its
    /// [`lifespan`](crate::Server::lifespan) can't be opened.
    ///
    /// # Panics
    ///
    /// When nothing was named to listen at, the authorization is not complete, or a tool asks for scopes and there is none.
    #[track_caller]
    pub fn serve(self) -> impl Future<Output = Result<(), ServeError>> + Send {
        let (count, _) = watch::channel(0);
        let told = Told::by(&count);
        let serving = self.serve_told(told);
        async move {
            let signals = Signals::listen().count(&count);
            tokio::select! {
                biased;
                served = serving => served,
                never = signals => match never {},
            }
        }
    }

    /// As [`serve`](Self::serve), until `stop` is ready: signals are left to the program.
    ///
    /// # Errors
    ///
    /// As with [`serve`](Self::serve).
    ///
    /// # Panics
    ///
    /// As with [`serve`](Self::serve).
    #[track_caller]
    pub fn serve_until(
        self,
        stop: impl Future<Output = ()> + Send,
    ) -> impl Future<Output = Result<(), ServeError>> + Send {
        let (count, _) = watch::channel(0);
        let serving = self.serve_told(Told::by(&count));
        async move {
            let stopping = async {
                stop.await;
                count.send_modify(|count| *count += 1);
                std::future::pending::<Infallible>().await
            };
            tokio::select! {
                biased;
                served = serving => served,
                never = stopping => match never {},
            }
        }
    }

    #[track_caller]
    fn serve_told(self, told: Told) -> impl Future<Output = Result<(), ServeError>> + Send {
        assert!(!self.sources.is_empty(), "nothing was named to listen at: `bind(\"127.0.0.1:8000\")`");
        self.check();
        let Self { server, sources, settings, limits, path, .. } = self;
        let path: Arc<str> = path.into();
        let until = told.clone();
        serving_until(server, told, move |core| async move {
            let mut listeners = Vec::new();
            for source in sources {
                listeners.push(source.listen().await?);
            }
            let drain_timeout = core.settings.drain_timeout;
            let endpoint = Endpoint::open(core, settings, &limits);
            let _sweeping = endpoint.sweep(&limits);
            let mut accepting = JoinSet::new();
            for listener in listeners {
                let routes = Routes { endpoint: Arc::clone(&endpoint), path: Arc::clone(&path) };
                accepting.spawn(accept(listener, routes, limits.clone()));
            }
            until.clone().times(1).await;
            endpoint.close();
            let ended = async {
                let all = async {
                    while accepting.join_next().await.is_some() {}
                    endpoint.sessions.finished().await;
                };
                let mut all = pin!(all);
                if tokio::time::timeout(drain_timeout, &mut all).await.is_err() {
                    endpoint.give_up();
                    // What was given up has still to be said.
                    if tokio::time::timeout(LAST_WORDS, all).await.is_err() {
                        tracing::warn!("some clients did not read to the end");
                    }
                }
            };
            tokio::select! {
                biased;
                () = ended => {}
                () = until.times(2) => tracing::warn!("the server was told to end at once"),
            }
            accepting.shutdown().await;
            endpoint.end().await;
            Ok(())
        })
    }

    /// Opens the server to be mounted in another one, which has the connections: axum, or anything else over hyper.
    ///
    /// With an [`authorization`](Self::authorization) the same service has to be mounted at
    /// `/.well-known/oauth-protected-resource` and the paths below it, where clients look for who gives tokens.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let service = Server::new("shop").http().start().await?;
    /// let app: axum::Router = axum::Router::new().route_service("/mcp", service.clone());
    /// service.shutdown().await;
    /// # Ok::<_, ServeError>(()) }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When what the server needs for its [`lifespan`](crate::Server::lifespan) can't be opened.
    ///
    /// # Panics
    ///
    /// When the authorization is not complete, or a tool asks for scopes and there is none.
    #[track_caller]
    pub fn start(self) -> impl Future<Output = Result<HttpService, ServeError>> + Send {
        self.check();
        let Self { server, settings, limits, .. } = self;
        let (opened, open) = tokio::sync::oneshot::channel();
        let stop = watch::Sender::new(false);
        let mut stopping = stop.subscribe();
        let kept = serving(server, move |core| async move {
            let drain_timeout = core.settings.drain_timeout;
            let endpoint = Endpoint::open(core, settings, &limits);
            let _sweeping = endpoint.sweep(&limits);
            if opened.send(Arc::clone(&endpoint)).is_err() {
                return Ok(());
            }
            link::closed(&mut stopping).await;
            endpoint.close();
            if tokio::time::timeout(drain_timeout, endpoint.idle()).await.is_err() {
                endpoint.give_up();
                let _ = tokio::time::timeout(LAST_WORDS, endpoint.idle()).await;
            }
            endpoint.end().await;
            Ok(())
        });
        async move {
            let mut kept = tokio::spawn(kept);
            tokio::select! {
                biased;
                Ok(endpoint) = open => {
                    let keeper = Some(Arc::new(Keeper { stop, task: tokio::sync::Mutex::new(Some(kept)) }));
                    Ok(HttpService { endpoint, keeper })
                }
                ended = &mut kept => match ended {
                    Ok(ended) => Err(ended.err().unwrap_or_else(|| ServeError::Read(io::Error::other("it has ended")))),
                    Err(error) => match error.try_into_panic() {
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(error) => Err(ServeError::Read(io::Error::other(error))),
                    },
                },
            }
        }
    }
}

impl HttpService {
    /// Ends in good order: nothing new is begun, what runs is finished, for at most the
    /// [`drain_timeout`](crate::Server::drain_timeout), streams end with their result, and what the server has opened is
    /// closed. Connections belong to whoever has them.
    pub async fn shutdown(&self) {
        let Some(keeper) = &self.keeper else { return };
        keeper.stop.send_replace(true);
        // Whoever else asks waits as well.
        let mut task = keeper.task.lock().await;
        if let Some(running) = &mut *task {
            if let Ok(Err(error)) = running.await {
                tracing::warn!(%error, "the server has not ended well");
            }
            *task = None;
        }
    }
}

/// Keeps a service open until it is told to end, or its last clone is gone.
pub(super) struct Keeper {
    stop: watch::Sender<bool>,
    task: tokio::sync::Mutex<Option<JoinHandle<Result<(), ServeError>>>>,
}

impl fmt::Debug for Keeper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keeper")
    }
}

/// For what was said last to be read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How often it is looked whether all has ended.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

impl Endpoint {
    fn open(core: Arc<Core>, settings: Settings, limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            core,
            settings,
            in_flight: InFlight::up_to(limits.max_requests),
            sessions: Arc::new(Sessions::new(limits.max_sessions, limits.session_idle)),
            closing: watch::Sender::new(false),
            give_up: watch::Sender::new(false),
            unknown_client: "an unknown address".into(),
        })
    }

    /// Forgets sessions that nobody uses, for as long as the set is there.
    fn sweep(&self, limits: &Limits) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let every = (limits.session_idle / 8).clamp(Duration::from_millis(10), Duration::from_secs(30));
        tasks.spawn(Sessions::sweep(Arc::downgrade(&self.sessions), every));
        tasks
    }

    /// Nothing new is begun.
    fn close(&self) {
        self.closing.send_replace(true);
        self.sessions.close_all();
    }

    /// Nothing is finished any more.
    fn give_up(&self) {
        self.give_up.send_replace(true);
    }

    /// Waits until no request is served, and no call runs.
    async fn idle(&self) {
        // A request that is still read may begin a call.
        while self.in_flight.now() > 0 {
            tokio::time::sleep(LOOK_AGAIN).await;
        }
        self.sessions.finished().await;
    }

    /// Stops what still runs.
    async fn end(&self) {
        self.give_up();
        self.sessions.end_all();
        if tokio::time::timeout(self.core.settings.drain_timeout, self.sessions.finished()).await.is_err() {
            tracing::warn!("a call holds its thread and could not be stopped");
        }
    }
}

/// What is served at which path.
#[derive(Clone)]
struct Routes {
    endpoint: Arc<Endpoint>,
    path: Arc<str>,
}

impl Routes {
    async fn serve(self, request: http::Request<Incoming>, client: Arc<str>) -> Response<HttpBody> {
        let path = request.uri().path();
        if path == &*self.path || self.endpoint.is_metadata(&request) {
            return self.endpoint.serve(request, client).await;
        }
        if path == "/healthz" {
            if request.method() != Method::GET && request.method() != Method::HEAD {
                return Refusal::not_allowed("GET").into_response();
            }
            let mut response = Response::new(HttpBody::of("ok\n"));
            if *self.endpoint.closing.borrow() {
                *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
                *response.body_mut() = HttpBody::of("shutting down\n");
            }
            return response;
        }
        let text = format!("there is nothing at this path; the server is at `{}`", self.path);
        Refusal::http(StatusCode::NOT_FOUND, text).into_response()
    }
}

/// Accepts connections until it is time to end, and waits for those that there are.
async fn accept(listener: Listener, routes: Routes, limits: Limits) {
    let mut connections = JoinSet::new();
    let mut closing = routes.endpoint.closing.subscribe();
    loop {
        tokio::select! {
            biased;
            () = link::closed(&mut closing) => break,
            Some(served) = connections.join_next() => {
                if let Err(error) = served {
                    tracing::error!(%error, "a connection has failed");
                }
            }
            // Those that come when there are too many wait in the system's queue.
            accepted = listener.accept(), if connections.len() < limits.max_connections => match accepted {
                Ok((stream, client)) => {
                    connections.spawn(connection(stream, client, routes.clone(), limits.max_concurrent_streams));
                }
                Err(error) if is_of_the_connection(&error) => {}
                Err(error) => {
                    // There are no descriptors left, or no memory: some will be free again.
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// A peer that was gone again before it was accepted.
fn is_of_the_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};

    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

impl Listener {
    async fn accept(&self) -> io::Result<(Stream, Arc<str>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // A report is small, and must not wait for the next one.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "the connection is gone already");
                }
                Ok((Stream::Tcp(stream), address.ip().to_string().into()))
            }
            #[cfg(unix)]
            Self::Unix { listener, .. } => {
                let (stream, _) = listener.accept().await?;
                Ok((Stream::Unix(stream), "a Unix socket".into()))
            }
        }
    }
}

/// Serves one connection, HTTP/1.1 or HTTP/2.
async fn connection(stream: Stream, client: Arc<str>, routes: Routes, max_concurrent_streams: u32) {
    let Settings { read_timeout, max_header_size, .. } = routes.endpoint.settings;
    let mut closing = routes.endpoint.closing.subscribe();
    let (tasks, activity) = (Tasks::default(), Activity::begin());
    let mut builder = auto::Builder::new(tasks.clone());
    builder
        .http1()
        // Who takes long to say what they want is given up below, like who says nothing.
        .header_read_timeout(None)
        // Beyond this there is not even an answer that says so.
        .max_buf_size(max_header_size.saturating_mul(2).max(16 * 1024));
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(max_concurrent_streams)
        .max_header_list_size(u32::try_from(max_header_size.saturating_mul(2)).unwrap_or(u32::MAX))
        .keep_alive_interval(read_timeout)
        .keep_alive_timeout(read_timeout);
    let used = Arc::clone(&activity);
    let service = service_fn(move |request| {
        let active = used.request();
        let serving = routes.clone().serve(request, Arc::clone(&client));
        async move {
            let mut response = serving.await;
            response.body_mut().hold(active);
            Ok::<_, Infallible>(response)
        }
    });
    let stream = Watched::new(stream, Arc::clone(&activity));
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let served = tokio::select! {
        biased;
        // The body of each request wakes its own connection.
        served = Seldom::new(connection.as_mut()) => served,
        () = Seldom::new(link::closed(&mut closing)) => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                biased;
                served = &mut connection => served,
                // What was begun to be sent now is no request any more. Whoever reads an answer may read it to the end.
                () = activity.rested(LAST_WORDS) => Ok(()),
            }
        }
        // Also one that has not said yet what it speaks, or what it wants.
        () = Seldom::new(activity.rested(read_timeout)) => {
            let before = activity.requests();
            connection.as_mut().graceful_shutdown();
            let enough = async {
                tokio::time::sleep(LAST_WORDS).await;
                // The head of a first request may have been on its way: it is answered like any other.
                if activity.requests() > before {
                    activity.rested(read_timeout).await;
                }
                tracing::debug!("a connection has rested, and was given up");
            };
            tokio::select! {
                biased;
                served = connection => served,
                () = enough => Ok(()),
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(error, "a connection has broken");
    }
    tasks.stop();
}

/// The requests of an HTTP/2 connection, which end with it.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<JoinSet<()>>>);

impl Tasks {
    fn stop(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).abort_all();
    }
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Tasks {
    fn execute(&self, request: F) {
        let mut tasks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn(request);
    }
}
