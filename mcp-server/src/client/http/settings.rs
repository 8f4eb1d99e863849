//! What is set before a server at a URL is reached, and reaching it.

use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use super::headers::is_own;
use super::place::Place;
use crate::client::builder::{Settings, in_time};
use crate::client::era::{self, Agreed, Probed};
use crate::client::link::Link;
use crate::client::{Client, ClientBuilder, ConnectError};

/// What is set before a server at a URL is reached.
#[derive(Clone, Default)]
pub(crate) struct HttpSettings {
    /// Names and values, as they were given: what is wrong with one is told when the client connects.
    headers: Vec<(String, String)>,
    eras: Eras,
}

impl fmt::Debug for HttpSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values are mostly secrets.
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("HttpSettings").field("headers", &names).finish_non_exhaustive()
    }
}

impl HttpSettings {
    /// The headers that each request has. Their values are kept out of logs, as they are mostly secrets.
    ///
    /// # Errors
    ///
    /// When one of them can't be sent.
    pub(super) fn headers(&self) -> Result<HeaderMap, ConnectError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.headers {
            let invalid = |reason: &str| ConnectError::InvalidHeader { name: name.clone(), reason: reason.to_owned() };
            let own = HeaderName::try_from(name).map_err(|_| invalid("it has characters that no name may have"))?;
            if is_own(&own) {
                tracing::warn!(name, "the header is left out, as the client sets it itself");
                continue;
            }
            // The text of the error must not have the value in it.
            let mut value = HeaderValue::try_from(value)
                .map_err(|_| invalid("its value has characters that no header may have, such as the end of a line"))?;
            value.set_sensitive(true);
            // One that is set once more replaces the first.
            headers.insert(own, value);
        }
        Ok(headers)
    }
}

/// The servers that are known to want a handshake, by origin.
///
/// "Clients SHOULD cache the negotiated era per server" (Versioning, Backward Compatibility): those that are made by
/// clones of one builder know what the others have found.
#[derive(Clone, Default)]
struct Eras(Arc<Mutex<HashSet<String>>>);

/// Of so many servers it is remembered.
const MAX_ERAS: usize = 1000;

impl Eras {
    fn legacy(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_legacy(&self, origin: &str) -> bool {
        self.legacy().contains(origin)
    }

    fn set(&self, origin: &str, is_legacy: bool) {
        let mut legacy = self.legacy();
        if !is_legacy {
            legacy.remove(origin);
        } else if legacy.len() < MAX_ERAS {
            legacy.insert(origin.to_owned());
        }
    }
}

impl Client {
    /// Connects to a server at a URL, over Streamable HTTP.
    ///
    /// Stateless servers are spoken to, and those of the revisions since 2025-03-26, which have sessions: their lost
    /// streams are resumed, and their lost sessions begun anew. [`ClientBuilder`] has what can be set before, such as
    /// a token.
    ///
    /// ```no_run
    /// use mcp_server::prelude::*;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::http("https://shop.example/mcp").await?;
    /// let result = client.call_tool("export_orders", json!({ "order_ids": ["A17"] })).await?;
    /// println!("{}", result.text());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Specification:
    /// [Streamable HTTP](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http).
    ///
    /// # Errors
    ///
    /// When the URL is none of HTTP, nobody is there, the server does not answer in time, refuses, or speaks no common
    /// revision of the protocol.
    pub async fn http(url: impl AsRef<str>) -> Result<Self, ConnectError> {
        Self::builder().http(url).await
    }
}

impl ClientBuilder {
    /// Adds a header to each request over HTTP, such as an API key; once more with the same name, it replaces it.
    ///
    /// Those that the protocol and the connection need are the client's own: `Accept`, `Content-Type`, `Mcp-…` and such
    /// are left out, with a warning.
    ///
    /// ```no_run
    /// use mcp_server::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder().header("X-Api-Key", "k-123").http("https://shop.example/mcp").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// What can't be sent is told by [`http`](ClientBuilder::http). The values are never shown.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.http.headers.push((name.into(), value.into()));
        self
    }

    /// Sends a token with each request over HTTP, as `Authorization: Bearer …`. It is never shown, and goes to the
    /// origin of the URL alone.
    ///
    /// ```no_run
    /// use mcp_server::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let token = std::env::var("SHOP_TOKEN")?;
    /// let client = Client::builder().bearer_token(token).http("https://shop.example/mcp").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Specification:
    /// [Token requirements](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-requirements).
    pub fn bearer_token(self, token: impl AsRef<str>) -> Self {
        self.header(header::AUTHORIZATION.as_str(), format!("Bearer {}", token.as_ref()))
    }

    /// Connects to a server at a URL, over Streamable HTTP.
    ///
    /// A server that only knows the handshake is remembered by its origin: the next client that a clone of this builder
    /// makes does not ask for the other way first.
    ///
    /// ```no_run
    /// use mcp_server::Client;
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = Client::builder().name("desk").http("http://localhost:8000/mcp").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// When the URL is none of HTTP, a header can't be sent, nobody is there, the server does not answer in time,
    /// refuses, or speaks no common revision of the protocol. One that answers in no way that is known here is told with what it
    /// said to both: servers of HTTP+SSE, the transport of 2024-11-05, are not spoken to.
    pub async fn http(self, url: impl AsRef<str>) -> Result<Client, ConnectError> {
        let settings = self.0;
        let place = Arc::new(Place::new(url.as_ref(), &settings.http)?);
        let reached = in_time(&settings, async {
            let (link, agreed) = reach(&place, &settings).await?;
            era::ready(&link.connection, &settings, &agreed).await;
            Ok((link, agreed))
        });
        let (link, agreed) = reached.await?;
        Ok(Client::new(link, agreed, &settings))
    }
}

async fn reach(place: &Arc<Place>, settings: &Settings) -> Result<(Link, Agreed), ConnectError> {
    let origin = place.origin();
    let eras = &settings.http.eras;
    if eras.is_legacy(&origin) {
        let link = Link::http(settings, place);
        match era::initialize(&link.connection, settings).await {
            Ok(agreed) => return Ok((link, agreed)),
            Err(error) => tracing::debug!(%error, "the server is not what it was: asking it anew"),
        }
    }
    let link = Link::http(settings, place);
    let (agreed, is_legacy) = match era::probe(&link.connection, settings).await? {
        Probed::Modern(agreed) => (*agreed, false),
        Probed::Ended { reason } => return Err(ConnectError::Closed { reason }),
        Probed::Legacy { found } => match era::initialize(&link.connection, settings).await {
            Ok(agreed) => (agreed, true),
            Err(error) => return Err(neither(found, error)),
        },
    };
    eras.set(&origin, is_legacy);
    Ok((link, agreed))
}

/// Why neither of both ways leads to a server.
fn neither(found: Option<era::Found>, error: ConnectError) -> ConnectError {
    let Some(found) = found else { return error };
    let status = match &error {
        // These say all that is to be said.
        ConnectError::Http { status: 401 | 403, .. }
        | ConnectError::Unreachable { .. }
        | ConnectError::NoCommonVersion { .. } => return error,
        ConnectError::Http { status, .. } => Some(*status),
        _ => None,
    };
    let is_none = |status: Option<u16>| matches!(status, Some(404 | 405));
    ConnectError::NeitherWay {
        discover: found.text,
        initialize: error.to_string(),
        may_be_http_sse: is_none(found.status) && is_none(status),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: HTTP-6, AUTH-13
    #[test]
    fn secrets_are_not_shown_and_own_headers_do_not_go_over_those_of_the_protocol() {
        let builder = Client::builder()
            .bearer_token("s3cret")
            .header("X-Key", "one")
            .header("x-key", "s3cret")
            .header("Accept", "s3cret")
            .header("Mcp-Session-Id", "s3cret")
            .header("connection", "s3cret");
        let headers = builder.0.http.headers().unwrap();
        assert_eq!(headers.len(), 2);
        assert_eq!(headers["x-key"], "s3cret");
        assert_eq!(headers["authorization"], "Bearer s3cret");
        let place = Place::new("http://localhost/", &builder.0.http).unwrap();
        let shown = format!("{builder:?} {headers:?} {place:?}");
        assert!(!shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn what_can_not_be_sent_is_told_without_its_value() {
        for (name, value, text) in [
            ("a b", "x", "the header `a b` can't be sent: it has characters that no name may have"),
            (
                "x-key",
                "s3cret\r\nx: y",
                "the header `x-key` can't be sent: its value has characters that no header may have, such as the end \
                 of a line",
            ),
        ] {
            let error = Client::builder().header(name, value).0.http.headers().unwrap_err();
            assert_eq!(error.to_string(), text);
        }
        for (url, text) in [
            ("shop", "the URL of the server can't be used: relative URL without a base"),
            (
                "ftp://shop/",
                "the URL of the server can't be used: it begins with `ftp:`, expected `http://` or `https://`",
            ),
            (
                "stdio:x",
                "the URL of the server can't be used: it begins with `stdio:`, expected `http://` or `https://`",
            ),
        ] {
            assert_eq!(Place::new(url, &HttpSettings::default()).unwrap_err().to_string(), text);
        }
    }

    // rows: ERA-13
    #[test]
    fn it_is_remembered_of_so_many_servers() {
        let eras = Eras::default();
        for number in 0..MAX_ERAS + 5 {
            eras.clone().set(&number.to_string(), true);
        }
        assert!(eras.is_legacy("0") && !eras.is_legacy(&MAX_ERAS.to_string()));
        eras.set("0", false);
        assert!(!eras.is_legacy("0"));
    }
}
