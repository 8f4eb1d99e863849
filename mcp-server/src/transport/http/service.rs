//! The way of an HTTP request: who asks whom, what it carries, and which era it is of.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::ops::ControlFlow;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::request::Parts;
use http::{HeaderMap, Method, Response, StatusCode};
use http_body::Body;
use tokio::sync::watch;

use super::auth::Authorization;
use super::body::HttpBody;
use super::cors;
use super::guard::Guard;
use super::headers::{Accepts, check_content_type, for_handlers};
use super::in_flight::{InFlight, Permit};
use super::refusal::{Refusal, empty, json};
use super::serve::Keeper;
use super::sessions::Sessions;
use super::taken::Taken;
use super::{legacy, modern};
use crate::protocol::{ErrorObject, Incoming, ProtocolVersion, is_batch, read_message};
use crate::server::dispatch::Request;
use crate::server::link::{self, Detour, Link};
use crate::server::mirrored::HeaderText;
use crate::server::output::Outbox;
use crate::server::{Core, Principal};

/// A server as a [`tower::Service`](https://docs.rs/tower/latest/tower/trait.Service.html) for HTTP requests, to mount in
/// axum or any other stack over hyper. Clones are the same server.
///
/// Every request that it is given is taken as one for the protocol, whatever its path, but for those of the well-known
/// addresses of [`auth`](crate::auth).
///
/// It ends with its last clone; [`shutdown`](HttpService::shutdown) ends it in good order.
#[derive(Clone, Debug)]
pub struct HttpService {
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) keeper: Option<Arc<Keeper>>,
}

impl<B> tower_service::Service<http::Request<B>> for HttpService
where
    B: Body + Send + 'static,
    B::Data: Send,
    B::Error: fmt::Display,
{
    type Response = Response<HttpBody>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<HttpBody>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move {
            let client = service.endpoint.unknown_client.clone();
            Ok(service.endpoint.serve(request, client).await)
        })
    }
}

/// One address at which a server is reached.
pub(super) struct Endpoint {
    pub(super) core: Arc<Core>,
    pub(super) settings: Settings,
    pub(super) in_flight: InFlight,
    pub(super) sessions: Arc<Sessions>,
    /// Turns `true` when nothing new is begun, and what has no end of its own ends.
    pub(super) closing: watch::Sender<bool>,
    /// Turns `true` when nothing is finished any more.
    pub(super) give_up: watch::Sender<bool>,
    pub(super) unknown_client: Arc<str>,
}

/// How requests are taken.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) guard: Guard,
    pub(super) cors: bool,
    pub(super) authorization: Option<Authorization>,
    pub(super) json_only: bool,
    pub(super) stateless: bool,
    pub(super) max_body_size: usize,
    pub(super) max_header_size: usize,
    pub(super) read_timeout: Duration,
    pub(super) keep_alive: Duration,
    pub(super) kept_events: usize,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("settings", &self.settings).finish_non_exhaustive()
    }
}

/// An HTTP request whose sender may ask, with its body still to be read.
pub(super) struct Asked {
    pub(super) headers: Arc<HeaderMap>,
    /// The session that an older client says that it belongs to.
    pub(super) session_id: Option<String>,
    pub(super) accepts: Accepts,
    pub(super) principal: Option<Arc<Principal>>,
    pub(super) client: Arc<str>,
    pub(super) permit: Permit,
}

impl Asked {
    /// Whose sessions these are.
    pub(super) fn owner(&self) -> Option<String> {
        self.principal.as_ref().map(|principal| principal.key())
    }

    /// What its calls know of where they came from.
    pub(super) fn link(&self, outbox: Outbox, closing: watch::Receiver<bool>, detour: Option<Arc<dyn Detour>>) -> Link {
        Link {
            outbox,
            closing,
            client: Arc::clone(&self.client),
            principal: self.principal.clone(),
            headers: Some(Arc::clone(&self.headers)),
            detour,
        }
    }
}

impl Endpoint {
    /// Serves one request. `client`: who is at the other end, for limits that count by client.
    pub(super) async fn serve<B>(&self, request: http::Request<B>, client: Arc<str>) -> Response<HttpBody>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: fmt::Display,
    {
        let (parts, body) = request.into_parts();
        let page = match self.settings.guard.check(&parts) {
            Ok(page) => page,
            Err(refusal) => return refusal.into_response(),
        };
        if self.settings.cors && parts.method == Method::OPTIONS {
            return match &page {
                Some(page) => cors::preflight(page, &parts.headers),
                None => Refusal::not_allowed(ALL_METHODS).into_response(),
            };
        }
        let mut response = self.answer(parts, body, client).await.unwrap_or_else(Refusal::into_response);
        if self.settings.cors
            && let Some(page) = page
        {
            cors::expose(&page, response.headers_mut());
        }
        response
    }

    async fn answer<B>(&self, parts: Parts, body: B, client: Arc<str>) -> Result<Response<HttpBody>, Refusal>
    where
        B: Body + Send,
        B::Data: Send,
        B::Error: fmt::Display,
    {
        self.check_size(&parts)?;
        let Parts { method, uri, headers, .. } = parts;
        let authorization = self.settings.authorization.as_ref();
        if method == Method::GET
            && let Some(metadata) = authorization.and_then(|authorization| authorization.metadata(uri.path()))
        {
            return Ok(json(StatusCode::OK, HttpBody::of(metadata)));
        }
        if *self.closing.borrow() {
            return Err(Refusal::busy("the server is shutting down"));
        }
        // To find out who asks takes time as well.
        let permit = self.in_flight.begin().map_err(|limit| {
            Refusal::busy(format!("{limit} requests are served, which is the limit: try again later"))
        })?;
        let principal = match authorization {
            // In a box, so that it takes no place where nobody is asked for.
            Some(authorization) => {
                Some(Box::pin(authorization.authorize(&headers, &uri)).await.map_err(Refusal::unauthorized)?)
            }
            None => None,
        };
        let client = match &principal {
            Some(principal) => principal.key().into(),
            None => client,
        };
        let session_id = legacy::session_id(&headers);
        let asked = Asked {
            accepts: Accepts::of(&headers),
            headers: Arc::new(for_handlers(headers)),
            session_id,
            principal: principal.map(Arc::new),
            client,
            permit,
        };
        match method {
            Method::POST => {
                check_content_type(&asked.headers)?;
                if !asked.accepts.json && !asked.accepts.events {
                    let text = "`Accept` must name `application/json` and `text/event-stream`";
                    return Err(Refusal::http(StatusCode::NOT_ACCEPTABLE, text));
                }
                let body = self.read(&asked.headers, body).await?;
                let taken = self.post(&body, asked)?;
                // Whatever was asked is known, and the result may be as long again.
                drop(body);
                match taken.now(self) {
                    ControlFlow::Break(response) => Ok(response),
                    // In a box, since most are answered by now.
                    ControlFlow::Continue(waiting) => Box::pin(waiting.response(self)).await,
                }
            }
            Method::GET if self.has_sessions() => legacy::get(self, asked),
            Method::DELETE if self.has_sessions() => legacy::delete(self, asked),
            _ if self.has_sessions() => Err(Refusal::not_allowed(ALL_METHODS)),
            _ => Err(Refusal::not_allowed("POST")),
        }
    }

    /// Whether a request is for what everybody may know of who gives tokens.
    pub(super) fn is_metadata<B>(&self, request: &http::Request<B>) -> bool {
        let is_reading = [Method::GET, Method::OPTIONS].contains(request.method());
        let authorization = self.settings.authorization.as_ref();
        is_reading && authorization.is_some_and(|auth| auth.metadata(request.uri().path()).is_some())
    }

    /// Whether older clients have sessions here.
    pub(super) fn has_sessions(&self) -> bool {
        !self.settings.stateless && self.core.legacy_versions().any(serves)
    }

    /// Whether a client gets what is said before a response.
    pub(super) fn sends_events(&self, asked: &Asked) -> bool {
        asked.accepts.events && !self.settings.json_only
    }

    /// Whether whoever asks may call the tool that the request is for, and, of a stateless request, whether its headers
    /// say of the tool's parameters what the body says.
    pub(super) fn check_tool(&self, request: &Request<'_>, asked: &Asked, is_modern: bool) -> Result<(), Refusal> {
        if request.method != "tools/call" {
            return Ok(());
        }
        let Ok(Some(name)) = request.params.optional_string("name") else { return Ok(()) };
        let tools = self.core.catalog.tools.shelf();
        let Some(tool) = tools.get(&name) else { return Ok(()) };
        if !asked.principal.as_ref().map_or(tool.0.scopes.is_empty(), |principal| tool.is_open_to(principal)) {
            return Err(match &self.settings.authorization {
                Some(authorization) => {
                    let scopes = tool.0.scopes.iter().map(|scope| &**scope);
                    Refusal::unauthorized(authorization.insufficient_scope(scopes))
                }
                // It was added when the server was served already.
                None => Refusal::http(StatusCode::FORBIDDEN, "the tool asks for scopes, and nobody can prove any here"),
            });
        }
        if !is_modern || tool.0.headers.is_empty() {
            return Ok(());
        }
        // What is wrong with them otherwise the tool says.
        let Ok(arguments) = request.params.optional_object("arguments") else { return Ok(()) };
        let checked = tool.check_headers(arguments, |name| {
            let mut values = asked.headers.get_all(name).iter();
            match (values.next(), values.next()) {
                (None, _) => HeaderText::Missing,
                (Some(value), None) => HeaderText::Once(value.as_bytes()),
                (Some(_), Some(_)) => HeaderText::Twice,
            }
        });
        checked.map_err(Refusal::bad_request)
    }

    fn check_size(&self, parts: &Parts) -> Result<(), Refusal> {
        let limit = self.settings.max_header_size;
        let of_headers = |(name, value): (&http::HeaderName, &http::HeaderValue)| name.as_str().len() + value.len() + 4;
        let address = parts.uri.path_and_query().map_or(0, |address| address.as_str().len());
        if address + parts.headers.iter().map(of_headers).sum::<usize>() > limit {
            let text = format!("the headers are longer than the limit of {limit} bytes");
            return Err(Refusal::http(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, text));
        }
        Ok(())
    }

    /// Reads a body as far as it may go, in its time.
    async fn read<B>(&self, headers: &HeaderMap, body: B) -> Result<Bytes, Refusal>
    where
        B: Body + Send,
        B::Error: fmt::Display,
    {
        let limit = self.settings.max_body_size;
        let too_large = || {
            let text = format!("the message is longer than the limit of {limit} bytes");
            Refusal::http(StatusCode::PAYLOAD_TOO_LARGE, text)
        };
        let announced = headers.get(http::header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if announced.is_some_and(|length: u64| length > limit as u64) {
            return Err(too_large());
        }
        let time = self.settings.read_timeout;
        let mut collecting = pin!(collect(body, limit));
        let read = match soon(collecting.as_mut()).await {
            Some(read) => Ok(read),
            None => {
                let mut closing = self.closing.subscribe();
                tokio::select! {
                    biased;
                    read = tokio::time::timeout(time, collecting) => read,
                    // Nothing of it has begun.
                    () = link::closed(&mut closing) => return Err(Refusal::busy("the server is shutting down")),
                }
            }
        };
        match read {
            Ok(Ok(Some(bytes))) => Ok(bytes),
            Ok(Ok(None)) => Err(too_large()),
            Ok(Err(error)) => {
                Err(Refusal::http(StatusCode::BAD_REQUEST, format!("the body could not be read: {error}")))
            }
            Err(_) => {
                let text = format!("the body took longer than the limit of {time:?}");
                Err(Refusal::http(StatusCode::REQUEST_TIMEOUT, text))
            }
        }
    }

    /// Takes what was sent, as far as that goes without waiting.
    fn post(&self, body: &[u8], asked: Asked) -> Result<Taken, Refusal> {
        let text = std::str::from_utf8(body).map_err(|error| {
            let text = format!("not UTF-8 from byte {} on", error.valid_up_to());
            Refusal::bad_request(ErrorObject::parse_error(text))
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if is_batch(text) {
            return legacy::batch(self, text, asked);
        }
        match read_message(text, self.core.settings.max_depth).map_err(Refusal::malformed)? {
            Incoming::Request { id, method, params } => {
                let refused = |refusal: Refusal| refusal.of(&id);
                let request = Request::read(&id, &method, params).map_err(Refusal::bad_request).map_err(refused)?;
                let taken = match modern::is_modern(&self.core, &asked.headers, &request) {
                    Ok(true) => modern::request(self, request, asked),
                    Ok(false) => legacy::request(self, request, asked),
                    Err(error) => Err(Refusal::bad_request(error)),
                };
                return taken.map_err(refused);
            }
            Incoming::Notification { method, params } => legacy::notification(self, &method, &params, &asked)?,
            Incoming::Response { id, outcome } => legacy::answer(self, id.as_ref(), outcome, &asked)?,
        }
        Ok(Taken::Answered(empty(StatusCode::ACCEPTED)))
    }
}

/// What the endpoint takes, in all eras.
pub(super) const ALL_METHODS: &str = "POST, GET, DELETE";

/// The oldest revision that has this transport: 2024-11-05 had another one.
pub(super) const OLDEST: ProtocolVersion = ProtocolVersion::V2025_03_26;

/// Whether a revision with a handshake has this transport.
pub(super) fn serves(version: ProtocolVersion) -> bool {
    version >= OLDEST
}

/// What a future comes to, if it does so before all else that is ready in its task has had its turn: most bodies come
/// with their headers, and then there is no need of a timer.
async fn soon<F: Future>(mut future: Pin<&mut F>) -> Option<F::Output> {
    let mut is_second = false;
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if std::mem::replace(&mut is_second, true) => Poll::Ready(None),
        Poll::Pending => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await
}

/// All of a body; `None`: it is longer than the limit.
///
/// # Errors
///
/// Why it could not be read.
async fn collect<B>(body: B, limit: usize) -> Result<Option<Bytes>, String>
where
    B: Body,
    B::Error: fmt::Display,
{
    use bytes::Buf;

    let mut body = pin!(body);
    let mut first = Bytes::new();
    let mut all = BytesMut::new();
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let frame = frame.map_err(|error| error.to_string())?;
        let Ok(mut data) = frame.into_data() else { continue };
        if first.len() + all.len() + data.remaining() > limit {
            return Ok(None);
        }
        let bytes = data.copy_to_bytes(data.remaining());
        if first.is_empty() && all.is_empty() {
            // Most bodies come in one piece.
            first = bytes;
        } else {
            let first = std::mem::take(&mut first);
            if all.capacity() - all.len() < first.len() + bytes.len() {
                // How long it will be is mostly said: it gets its place when a part of it has come.
                let rest =
                    usize::try_from(body.size_hint().lower()).unwrap_or(limit).min(16 * (all.len() + bytes.len()));
                all.reserve(first.len() + bytes.len() + rest);
            }
            all.extend_from_slice(&first);
            all.extend_from_slice(&bytes);
        }
    }
    Ok(Some(if all.is_empty() { first } else { all.freeze() }))
}
