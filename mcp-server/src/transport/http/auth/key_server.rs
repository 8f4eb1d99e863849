//! Where the keys of an issuer come from, and how long they are good.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::Client;
use reqwest::redirect::Policy;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::address::Address;
use super::keys::{Key, KeySet, Signed};
use super::verifier::TokenError;
use crate::server::ToolError;

/// The keys of an issuer, fetched when they are needed.
///
/// All requests share one fetch. It belongs to none of them: whoever waits for it carries it on, so that a client that
/// goes away neither ends it nor starts another one.
pub(super) struct KeyServer {
    source: Source,
    pub(super) times: Times,
    known: Mutex<Known>,
    fetching: tokio::sync::Mutex<Option<Fetching>>,
}

/// Where keys are.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// Where the metadata of the issuer says.
    Metadata { issuer: String, address: Address },
    /// At this address.
    Jwks { url: String, address: Address },
    /// Here, once and for all.
    Given,
}

#[derive(Clone, Debug)]
pub(super) struct Times {
    /// Keys so old are fetched again.
    pub(super) refresh: Duration,
    /// Keys so old are not used any more, where no others can be had.
    pub(super) stale: Duration,
    /// Between two fetches for keys that nobody knows, or after one that has failed.
    pub(super) interval: Duration,
    /// What a fetch may take in all.
    pub(super) timeout: Duration,
}

/// A fetch that somebody has started.
struct Fetching {
    started: Instant,
    keys: Pin<Box<dyn Future<Output = Result<KeySet, String>> + Send>>,
}

#[derive(Default)]
struct Known {
    keys: Option<KeySet>,
    fetched: Option<Instant>,
    /// When a fetch has ended last, whichever way.
    tried: Option<Instant>,
    failed: bool,
}

/// After a fetch that left the server without any key, another one may start so soon.
const RETRY: Duration = Duration::from_secs(5);

const MOST_BYTES: usize = 1024 * 1024;

impl KeyServer {
    pub(super) fn new(source: Source) -> Self {
        Self {
            source,
            times: Times {
                refresh: Duration::from_secs(10 * 60),
                stale: Duration::from_secs(24 * 60 * 60),
                interval: Duration::from_secs(30),
                timeout: Duration::from_secs(10),
            },
            known: Mutex::default(),
            fetching: tokio::sync::Mutex::default(),
        }
    }

    /// Fetches them from there from now on.
    pub(super) fn fetch_from(&mut self, source: Source) {
        self.source = source;
        self.known = Mutex::default();
    }

    /// Never fetches any.
    pub(super) fn give(&mut self, keys: KeySet) {
        self.source = Source::Given;
        self.known = Mutex::new(Known { keys: Some(keys), ..Known::default() });
    }

    pub(super) fn source(&self) -> &Source {
        &self.source
    }

    /// The key that a token was signed with.
    pub(super) async fn key(&self, signed: Signed<'_>) -> Result<Arc<Key>, TokenError> {
        let asked = Instant::now();
        let found = self.find(signed);
        if matches!(self.source, Source::Given) || found.is_ok() && !self.is_due(asked) {
            return found;
        }
        match found {
            // The key is as good as it was before the others wait: one looks for newer ones.
            Ok(key) => match self.fetching.try_lock() {
                Ok(mut fetching) => self.fetch(&mut fetching, asked).await,
                Err(_) => return Ok(key),
            },
            Err(_) => self.fetch(&mut *self.fetching.lock().await, asked).await,
        }
        self.find(signed)
    }

    fn find(&self, signed: Signed<'_>) -> Result<Arc<Key>, TokenError> {
        let known = self.known();
        let is_stale = known.fetched.is_some_and(|fetched| fetched.elapsed() >= self.times.stale);
        let Some(keys) = known.keys.as_ref().filter(|_| !is_stale) else { return Err(UNAVAILABLE) };
        // A key that is not there may be a new one that could not be fetched.
        let unknown = if known.failed { UNAVAILABLE } else { UNKNOWN };
        keys.find(signed).cloned().ok_or(unknown)
    }

    fn is_due(&self, now: Instant) -> bool {
        self.known().fetched.is_none_or(|fetched| now.duration_since(fetched) >= self.times.refresh)
    }

    /// Fetches the keys, for one who has asked at that time. Nothing is done when they, or the failure to get them, are
    /// too new: made-up names of keys must not become a flood of fetches.
    async fn fetch(&self, fetching: &mut Option<Fetching>, asked: Instant) {
        // One whose client has gone away is carried on, unless that was so long ago that it says nothing any more. It was
        // a try all the same.
        if fetching.take_if(|fetching| fetching.started.elapsed() >= self.times.timeout).is_some() {
            self.known().tried = Some(asked);
        }
        let is_new = {
            let known = self.known();
            let Times { interval, refresh, .. } = self.times;
            let wait = if known.keys.is_some() { interval.min(refresh) } else { interval.min(RETRY) };
            known.tried.is_some_and(|tried| tried >= asked || asked.duration_since(tried) < wait)
        };
        if is_new && fetching.is_none() {
            return;
        }
        let running = fetching.get_or_insert_with(|| Fetching {
            started: asked,
            keys: Box::pin(fetch(self.source.clone(), self.times.timeout)),
        });
        let fetched = running.keys.as_mut().await;
        *fetching = None;
        let now = Instant::now();
        let mut known = self.known();
        known.tried = Some(now);
        known.failed = fetched.is_err();
        match fetched {
            Ok(keys) => {
                known.keys = Some(keys);
                known.fetched = Some(now);
            }
            Err(fault) => {
                drop(known);
                tracing::warn!("the keys of {} can't be read: {fault}", self.source.name());
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // What is changed under this lock is whole at any time.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const UNAVAILABLE: TokenError = TokenError::unavailable("the keys of the issuer can't be read right now");
const UNKNOWN: TokenError = TokenError::invalid("the token is signed with no key of the issuer");

impl Source {
    fn name(&self) -> &str {
        match self {
            Self::Metadata { issuer, .. } => issuer,
            Self::Jwks { url, .. } => url,
            Self::Given => "nobody",
        }
    }
}

async fn fetch(source: Source, limit: Duration) -> Result<KeySet, String> {
    let fetched = timeout(limit, async {
        match source {
            Source::Metadata { issuer, address } => {
                let client = client(&address)?;
                let url = discover(&client, &issuer, &address).await?;
                keys_at(&client, &url).await
            }
            Source::Jwks { url, address } => keys_at(&client(&address)?, &url).await,
            Source::Given => Err("they are given".to_owned()),
        }
    });
    fetched.await.unwrap_or_else(|_| Err(format!("it took more than {limit:?}")))
}

/// A client for one fetch: there is none for minutes, and connections that are kept would die meanwhile.
fn client(address: &Address) -> Result<Client, String> {
    let client = Client::builder().redirect(Policy::none()).pool_max_idle_per_host(0);
    // What is on `http` stays on this machine.
    let client = if address.is_https { client.https_only(true) } else { client.no_proxy() };
    client.build().map_err(described)
}

fn described(error: reqwest::Error) -> String {
    ToolError::from(error.without_url()).to_string()
}

async fn keys_at(client: &Client, url: &str) -> Result<KeySet, String> {
    let body = get(client, url).await.map_err(|fault| format!("{url}: {fault}"))?;
    KeySet::parse(&body).map_err(|error| format!("{url}: {error}"))
}

/// Where an issuer has its keys, as its metadata says.
async fn discover(client: &Client, issuer: &str, address: &Address) -> Result<String, String> {
    #[derive(Deserialize)]
    struct Metadata {
        issuer: String,
        jwks_uri: String,
    }

    let mut faults = Vec::new();
    for place in places(address) {
        let metadata = match get(client, &place).await {
            Ok(body) => serde_json::from_slice::<Metadata>(&body).map_err(|error| error.to_string()),
            Err(fault) => Err(fault),
        };
        // "The `issuer` value in the document MUST be identical to the issuer identifier used to construct the well-known
        // URL. If they differ, the client MUST NOT use the metadata" (Authorization Server Discovery).
        let metadata = metadata.and_then(|metadata| match metadata.issuer == issuer {
            true => Ok(metadata),
            false => Err(format!("it is of another issuer, {}", shown(&metadata.issuer))),
        });
        match metadata {
            Ok(Metadata { jwks_uri, .. }) => {
                let fault = match Address::parse(&jwks_uri) {
                    // An issuer elsewhere does not know what runs on this machine.
                    Ok(found) if found.is_loopback && !address.is_loopback => "it is on this machine",
                    Ok(_) => return Ok(jwks_uri),
                    Err(fault) => fault,
                };
                return Err(format!("{place}: {} can't be the address of keys: {fault}", shown(&jwks_uri)));
            }
            Err(fault) => faults.push(format!("{place}: {fault}")),
        }
    }
    Err(faults.join("; "))
}

/// What somebody else has written, for a line of a log.
fn shown(text: &str) -> String {
    format!("{:?}", text.chars().take(200).collect::<String>())
}

/// Where the metadata of an issuer may be, in this order: RFC 8414, section 3.1, and OpenID Connect Discovery in its place
/// or behind the path.
fn places(issuer: &Address) -> Vec<String> {
    let (origin, path) = (&issuer.origin, issuer.path.trim_end_matches('/'));
    let mut places = vec![
        format!("{origin}/.well-known/oauth-authorization-server{path}"),
        format!("{origin}/.well-known/openid-configuration{path}"),
    ];
    if !path.is_empty() {
        places.push(format!("{origin}{path}/.well-known/openid-configuration"));
    }
    places
}

/// Reads what is there; nothing that is elsewhere, or endless.
async fn get(client: &Client, url: &str) -> Result<Vec<u8>, String> {
    let mut response = client.get(url).header("accept", "application/json").send().await.map_err(described)?;
    if response.status() != 200 {
        return Err(format!("the server answers {}", response.status()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(described)? {
        body.extend_from_slice(&chunk);
        if body.len() > MOST_BYTES {
            return Err(format!("it is larger than {MOST_BYTES} bytes"));
        }
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(issuer: &str) -> Vec<String> {
        places(&Address::parse(issuer).unwrap())
    }

    #[test]
    fn the_metadata_of_an_issuer_may_be_at_several_places() {
        let root = [
            "https://login.example/.well-known/oauth-authorization-server",
            "https://login.example/.well-known/openid-configuration",
        ];
        assert_eq!(of("https://login.example"), root);
        assert_eq!(of("https://login.example/"), root);
        let path = [
            "https://login.example/.well-known/oauth-authorization-server/t",
            "https://login.example/.well-known/openid-configuration/t",
            "https://login.example/t/.well-known/openid-configuration",
        ];
        assert_eq!(of("https://login.example/t"), path);
        assert_eq!(of("https://login.example/t/"), path);
    }
}
