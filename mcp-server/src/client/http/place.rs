//! Where a server is, and how requests of HTTP get there.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, StatusCode};
use reqwest::redirect::{Attempt, Policy};
use reqwest::{Response, Url};

use super::settings::HttpSettings;
use crate::client::{CallError, ConnectError};
use crate::this_machine::is_this_machine;

/// A server answers somewhere else at most so many times.
const MAX_REDIRECTS: usize = 5;
/// Beyond this number connections that nobody uses are closed.
const MAX_IDLE: usize = 100;

/// A connection that says nothing for so long is asked whether it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const JSON_OR_EVENTS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const USER_AGENT: HeaderValue = HeaderValue::from_static(concat!("mcp-server/", env!("CARGO_PKG_VERSION")));

/// An address, and the connections to it.
pub(super) struct Place {
    client: reqwest::Client,
    url: Url,
    /// Those that each request has, the user's own.
    headers: HeaderMap,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A URL may have a password in it, and the headers mostly have.
        f.debug_tuple("Place").field(&self.origin()).finish()
    }
}

impl Place {
    /// # Errors
    ///
    /// When the address is none of HTTP, or a header of the user can't be sent.
    pub(super) fn new(url: &str, settings: &HttpSettings) -> Result<Self, ConnectError> {
        let invalid = |reason: String| ConnectError::InvalidUrl { reason };
        let mut url: Url = url.trim().parse().map_err(|error| invalid(format!("{error}")))?;
        if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
            return Err(invalid(format!("it begins with `{}:`, expected `http://` or `https://`", url.scheme())));
        }
        url.set_fragment(None);
        let mut headers = settings.headers()?;
        headers.entry(header::USER_AGENT).or_insert(USER_AGENT);
        let client = || {
            let client = reqwest::Client::builder()
                .redirect(Policy::custom(within_origin))
                .referer(false)
                .pool_max_idle_per_host(MAX_IDLE)
                .tcp_keepalive(KEEP_ALIVE)
                .http2_keep_alive_interval(KEEP_ALIVE)
                .http2_keep_alive_timeout(KEEP_ALIVE)
                .http2_keep_alive_while_idle(true);
            // What other machines are reached through does not reach this one.
            if url.host_str().is_some_and(is_this_machine) { client.no_proxy() } else { client }
        };
        let client = client().build().or_else(|error| match url.scheme() {
            // A machine without certificates, as many containers are, can do without them here.
            "http" => client().tls_certs_only([]).build(),
            _ => Err(error),
        });
        let client = client.map_err(|error| invalid(chain(&error.without_url())))?;
        Ok(Self { client, url, headers })
    }

    /// Scheme, host and port: servers are told apart by that.
    pub(super) fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Sends a message; `headers` are those that it has beside the ones that each has.
    pub(super) async fn post(&self, headers: HeaderMap, message: Vec<u8>) -> Result<Response, CallError> {
        let headers = with(headers, [(header::ACCEPT, JSON_OR_EVENTS), (header::CONTENT_TYPE, JSON)]);
        let request = self.client.post(self.url.clone()).headers(self.headers.clone()).headers(headers).body(message);
        request.send().await.map_err(failed)
    }

    /// Asks for a stream of events.
    pub(super) async fn get(&self, headers: HeaderMap) -> Result<Response, CallError> {
        let headers = with(headers, [(header::ACCEPT, EVENTS)]);
        let request = self.client.get(self.url.clone()).headers(self.headers.clone()).headers(headers);
        request.send().await.map_err(failed)
    }

    pub(super) async fn delete(&self, headers: HeaderMap) -> Result<StatusCode, CallError> {
        let request = self.client.request(Method::DELETE, self.url.clone());
        let request = request.headers(self.headers.clone()).headers(headers);
        request.send().await.map_err(failed).map(|response| response.status())
    }
}

fn with<const N: usize>(mut headers: HeaderMap, more: [(HeaderName, HeaderValue); N]) -> HeaderMap {
    headers.extend(more);
    headers
}

/// Follows a server that answers at another path. What is sent, and the token with it, is for this origin alone; and a
/// redirection that would make a GET of a POST leads nowhere.
fn within_origin(attempt: Attempt<'_>) -> reqwest::redirect::Action {
    let keeps_method = [StatusCode::TEMPORARY_REDIRECT, StatusCode::PERMANENT_REDIRECT].contains(&attempt.status());
    let is_same = attempt.previous().first().is_some_and(|first| first.origin() == attempt.url().origin());
    if keeps_method && is_same && attempt.previous().len() <= MAX_REDIRECTS { attempt.follow() } else { attempt.stop() }
}

/// What it means for a call that nothing or not all came back.
pub(super) fn failed(error: reqwest::Error) -> CallError {
    let never_sent = error.is_connect() || error.is_builder();
    let reason = chain(&error.without_url());
    if never_sent { CallError::Unreachable { reason } } else { CallError::Lost { reason } }
}

/// An error with all its causes.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text += ": ";
            text += &cause_text;
        }
        source = cause.source();
    }
    text
}
