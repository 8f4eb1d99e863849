//! Results that are kept for as long as their server allows.
//!
//! Specification: [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::builder::Settings;
use super::call::Call;
use super::output::OutputSchemas;
use super::{Client, ClientBuilder};
use crate::server::Change;

/// A server that says more than this does not know what it says, and so nothing is kept.
const MAX_TTL: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// What an entry takes beside its texts, roughly.
const OVERHEAD: usize = 256;

/// What a client has kept: results, and what it knows of the results of tools. The same changes make both void.
#[derive(Debug)]
pub(crate) struct Cache {
    /// `None`: results are not kept.
    kept: Option<Mutex<Kept>>,
    pub(crate) outputs: OutputSchemas,
    /// How many changes have been heard of. A result that was asked for before the last one may be an old one.
    changes: AtomicU64,
}

#[derive(Debug)]
struct Kept {
    max_bytes: usize,
    bytes: usize,
    /// Counts what is used, so that the entry with the lowest number was not used for the longest time.
    uses: u64,
    entries: HashMap<Arc<str>, Entry>,
    by_use: BTreeMap<u64, Arc<str>>,
}

#[derive(Debug)]
struct Entry {
    method: Method,
    /// The resource that was read.
    uri: Option<String>,
    result: Box<RawValue>,
    until: Instant,
    used: u64,
    bytes: usize,
}

/// The methods whose results can be kept. `server/discover` is asked once a connection, and is not among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    ListTools,
    ListPrompts,
    ListResources,
    ListResourceTemplates,
    ReadResource,
}

impl Method {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "tools/list" => Self::ListTools,
            "prompts/list" => Self::ListPrompts,
            "resources/list" => Self::ListResources,
            "resources/templates/list" => Self::ListResourceTemplates,
            "resources/read" => Self::ReadResource,
            _ => return None,
        })
    }
}

impl Cache {
    pub(crate) fn new(settings: &Settings) -> Self {
        let kept = settings.cache.map(|max_bytes| {
            Mutex::new(Kept { max_bytes, bytes: 0, uses: 0, entries: HashMap::new(), by_use: BTreeMap::new() })
        });
        Self { kept, outputs: OutputSchemas::default(), changes: AtomicU64::new(0) }
    }

    fn kept(&self) -> Option<MutexGuard<'_, Kept>> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.kept.as_ref().map(|kept| kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How many changes have been heard of, for [`put`](Cache::put).
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// The result of the same request, if it may still be used.
    ///
    /// "Clients MUST NOT use a cached response for a request with different parameters" (Caching, Cache Key): the key is
    /// the method and all params but for `_meta`, as they are sent.
    pub(crate) fn get(&self, method: &str, members: &str) -> Option<Box<RawValue>> {
        Method::of(method)?;
        self.kept()?.get(&key(method, members), Instant::now())
    }

    /// Keeps a result for as long as it says itself. `since` is how many changes had been heard of when it was asked
    /// for.
    pub(crate) fn put(&self, method: &str, members: &str, result: &RawValue, since: u64) {
        let (Some(method_of), true) = (Method::of(method), self.kept.is_some()) else { return };
        let Some(ttl) = time_to_live(result) else { return };
        let Some(until) = Instant::now().checked_add(ttl) else { return };
        let (key, uri) = (key(method, members), uri_of(members));
        let bytes = 2 * key.len() + uri.as_ref().map_or(0, String::len) + result.get().len() + OVERHEAD;
        let entry = Entry { method: method_of, uri, result: result.to_owned(), until, used: 0, bytes };
        let Some(mut kept) = self.kept() else { return };
        // Under the lock, so that no change comes between this look and the entry.
        if self.changes() == since {
            kept.put(key.into(), entry);
        }
    }

    /// "invalidates the cached entries at once" (Caching, Notifications).
    ///
    /// Other resources may mean that one that was read is gone, and so what was read goes with their lists.
    pub(crate) fn changed(&self, change: &Change) {
        if *change == Change::Tools {
            self.outputs.forget();
        }
        let kept = self.kept();
        self.changes.fetch_add(1, Ordering::SeqCst);
        let Some(mut kept) = kept else { return };
        kept.retain(|entry| match change {
            Change::Tools => entry.method != Method::ListTools,
            Change::Prompts => entry.method != Method::ListPrompts,
            Change::Resources => matches!(entry.method, Method::ListTools | Method::ListPrompts),
            Change::Resource(uri) => entry.method != Method::ReadResource || entry.uri.as_ref() != Some(uri),
        });
    }

    /// Forgets the result of one request.
    pub(crate) fn remove(&self, method: &str, members: &str) {
        if let Some(mut kept) = self.kept() {
            kept.remove(&key(method, members));
        }
    }

    /// Forgets the pages of one list.
    pub(crate) fn forget_list(&self, method: &str) {
        if let (Some(mut kept), Some(method)) = (self.kept(), Method::of(method)) {
            kept.retain(|entry| entry.method != method);
        }
    }

    /// Forgets everything: also for when another user takes the client over, as "`private`" results "MUST NOT" be shared.
    pub(crate) fn forget(&self) {
        self.outputs.forget();
        if let Some(mut kept) = self.kept() {
            self.changes.fetch_add(1, Ordering::SeqCst);
            kept.retain(|_| false);
        }
    }
}

impl Kept {
    fn get(&mut self, key: &str, now: Instant) -> Option<Box<RawValue>> {
        // "fresh while now < t_received + ttlMs" (Caching, Freshness).
        if self.entries.get(key)?.until <= now {
            self.remove(key);
            return None;
        }
        self.uses += 1;
        let entry = self.entries.get_mut(key)?;
        let key = self.by_use.remove(&entry.used)?;
        entry.used = self.uses;
        self.by_use.insert(self.uses, key);
        Some(entry.result.clone())
    }

    fn put(&mut self, key: Arc<str>, mut entry: Entry) {
        self.remove(&key);
        if entry.bytes > self.max_bytes {
            return;
        }
        while self.bytes + entry.bytes > self.max_bytes {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            self.remove(&oldest);
        }
        self.uses += 1;
        entry.used = self.uses;
        self.bytes += entry.bytes;
        self.by_use.insert(entry.used, Arc::clone(&key));
        self.entries.insert(key, entry);
    }

    fn remove(&mut self, key: &str) {
        if let Some(entry) = self.entries.remove(key) {
            self.by_use.remove(&entry.used);
            self.bytes -= entry.bytes;
        }
    }

    fn retain(&mut self, keep: impl Fn(&Entry) -> bool) {
        self.entries.retain(|_, entry| keep(entry));
        let entries = &self.entries;
        self.by_use.retain(|_, key| entries.contains_key(key));
        self.bytes = self.entries.values().map(|entry| entry.bytes).sum();
    }
}

fn key(method: &str, members: &str) -> String {
    format!("{method} {members}")
}

/// The resource that the params are about.
fn uri_of(members: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Params {
        uri: Option<String>,
    }
    serde_json::from_str::<Params>(&format!("{{{members}}}")).ok()?.uri
}

/// For how long a result may be kept. "0, absent or negative: immediately stale" (Caching, `ttlMs`); so is what makes no
/// sense, and what is not a whole result.
fn time_to_live(result: &RawValue) -> Option<Duration> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Members {
        #[serde(default)]
        result_type: Option<Value>,
        #[serde(default)]
        ttl_ms: Option<Value>,
    }
    let Members { result_type, ttl_ms } = serde_json::from_str(result.get()).ok()?;
    if result_type.is_some_and(|result_type| result_type != "complete") {
        return None;
    }
    let ms = ttl_ms?.as_f64()?;
    let ttl = Duration::try_from_secs_f64(ms / 1000.0).ok()?;
    (ms >= 1.0 && ms.fract() == 0.0 && ttl <= MAX_TTL).then_some(ttl)
}

impl ClientBuilder {
    /// Keeps results for as long as their server allows, in at most so many bytes; nothing is kept unless this is set.
    ///
    /// It goes for the pages of lists and for resources that were read: the same request is then answered without the
    /// server. When there is no more room, what was not used for the longest time goes first. When the server tells of a
    /// change, what it makes void is forgotten at once. Results of rounds in which the server asked for something are
    /// not kept, nor those of older servers, which do not say for how long.
    ///
    /// A client keeps its results to itself, so that those that are `private` reach nobody else. Users with different
    /// rights need clients of their own. [`fresh`](Call::fresh) asks the server in any case, and
    /// [`Client::forget_cached`] forgets all.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::CacheScope;
    ///
    /// /// All that is sold.
    /// #[resource("shop://catalog")]
    /// async fn catalog() -> &'static str {
    ///     "tea, coffee"
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::new("shop").resource(catalog).cache(Duration::from_secs(60), CacheScope::Public);
    /// let client = Client::builder().cache(8 * 1024 * 1024).connect(server).await?;
    /// client.read_resource("shop://catalog").await?;
    /// // This one does not leave the program.
    /// assert_eq!(client.read_resource("shop://catalog").await?.text(), "tea, coffee");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
    pub fn cache(mut self, max_bytes: usize) -> Self {
        self.0.cache = Some(max_bytes);
        self
    }
}

impl Client {
    /// Forgets all results that were [kept](ClientBuilder::cache).
    ///
    /// ```
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::builder().cache(1024 * 1024).connect(Server::new("shop")).await?;
    /// client.forget_cached();
    /// # Ok::<(), mcp_server::client::ConnectError>(())
    /// # }).unwrap();
    /// ```
    pub fn forget_cached(&self) {
        self.link.connection.cache.forget();
    }
}

impl<T, D> Call<'_, T, D> {
    /// Asks the server, whatever is [kept](ClientBuilder::cache). What it answers is kept in the place of that.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// All that is sold.
    /// # #[resource("shop://catalog")]
    /// # async fn catalog() -> &'static str {
    /// #     "tea, coffee"
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::builder().cache(1024 * 1024).connect(Server::new("shop").resource(catalog)).await?;
    /// let result = client.read_resource("shop://catalog").fresh().await?;
    /// assert_eq!(result.text(), "tea, coffee");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn fresh(mut self) -> Self {
        self.spec_mut().fresh = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(json: &str) -> Box<RawValue> {
        RawValue::from_string(json.to_owned()).unwrap()
    }

    fn cache(max_bytes: usize) -> Cache {
        Cache::new(&ClientBuilder::default().cache(max_bytes).0)
    }

    fn reads(cache: &Cache, uri: &str) -> bool {
        cache.get("resources/read", &format!(r#""uri":"{uri}""#)).is_some()
    }

    fn keep(cache: &Cache, uri: &str, length: usize) {
        let result = format!(r#"{{"ttlMs":60000,"contents":"{}"}}"#, "a".repeat(length));
        cache.put("resources/read", &format!(r#""uri":"{uri}""#), &raw(&result), cache.changes());
    }

    fn bytes(cache: &Cache) -> (usize, usize, usize) {
        let kept = cache.kept().unwrap();
        (kept.bytes, kept.entries.len(), kept.by_use.len())
    }

    // rows: CACHE-7
    #[test]
    fn only_a_time_that_makes_sense_is_one() {
        for (json, ms) in [
            (r#"{"ttlMs":1}"#, Some(1)),
            (r#"{"ttlMs":300000.0,"resultType":"complete"}"#, Some(300_000)),
            (r#"{"ttlMs":0}"#, None),
            ("{}", None),
            (r#"{"ttlMs":null}"#, None),
            (r#"{"ttlMs":-5}"#, None),
            (r#"{"ttlMs":1.5}"#, None),
            (r#"{"ttlMs":"60000"}"#, None),
            (r#"{"ttlMs":1e300}"#, None),
            (r#"{"ttlMs":18446744073709551615}"#, None),
            (r#"{"ttlMs":60000,"resultType":"input_required"}"#, None),
            (r#"{"ttlMs":60000,"resultType":7}"#, None),
            ("[]", None),
        ] {
            assert_eq!(time_to_live(&raw(json)), ms.map(Duration::from_millis), "{json}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_not_used_for_the_longest_time_makes_room() {
        let cache = cache(4 * 1024);
        for uri in ["a:1", "a:2", "a:3"] {
            keep(&cache, uri, 1000);
        }
        assert!(reads(&cache, "a:1"));
        keep(&cache, "a:4", 1000);
        assert_eq!(["a:1", "a:2", "a:3", "a:4"].map(|uri| reads(&cache, uri)), [true, false, true, true]);
        // What is too large for all of it pushes nothing out.
        keep(&cache, "a:5", 5000);
        assert!(reads(&cache, "a:1") && !reads(&cache, "a:5"));
        let (total, entries, by_use) = bytes(&cache);
        assert!(total <= 4 * 1024 && entries == 3 && by_use == 3, "{total} {entries} {by_use}");
        cache.forget();
        assert_eq!(bytes(&cache), (0, 0, 0));
    }

    // rows: CACHE-8
    #[tokio::test(start_paused = true)]
    async fn a_change_makes_void_what_it_is_about_and_what_was_asked_for_before() {
        let cache = cache(1024 * 1024);
        let list = raw(r#"{"ttlMs":60000}"#);
        let lists = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];
        let fill = || {
            for method in lists {
                cache.put(method, "", &list, cache.changes());
                cache.put(method, r#""cursor":"2""#, &list, cache.changes());
            }
            keep(&cache, "a:1", 10);
            keep(&cache, "a:2", 10);
        };
        let there = || {
            let listed = lists.map(|method| {
                let pages = ["", r#""cursor":"2""#].map(|members| cache.get(method, members).is_some());
                assert_eq!(pages[0], pages[1], "{method}");
                pages[0]
            });
            (listed, reads(&cache, "a:1"), reads(&cache, "a:2"))
        };
        for (change, left) in [
            (Change::Tools, ([false, true, true, true], true, true)),
            (Change::Prompts, ([true, false, true, true], true, true)),
            (Change::Resources, ([true, true, false, false], false, false)),
            (Change::Resource("a:1".into()), ([true, true, true, true], false, true)),
        ] {
            fill();
            assert_eq!(there(), ([true; 4], true, true));
            cache.changed(&change);
            assert_eq!(there(), left, "{change:?}");
        }
        // What was on its way when the change came may be the old state.
        let since = cache.changes();
        cache.changed(&Change::Tools);
        cache.put("tools/list", "", &list, since);
        assert!(cache.get("tools/list", "").is_none());
    }

    // rows: CACHE-4
    #[tokio::test(start_paused = true)]
    async fn another_request_gets_nothing() {
        let cache = cache(1024 * 1024);
        keep(&cache, "a:1", 10);
        assert!(reads(&cache, "a:1") && !reads(&cache, "a:1/") && !reads(&cache, ""));
        assert!(cache.get("resources/list", r#""uri":"a:1""#).is_none());
        cache.put("tools/call", r#""name":"x""#, &raw(r#"{"ttlMs":60000}"#), 0);
        cache.put("prompts/get", r#""name":"x""#, &raw(r#"{"ttlMs":60000}"#), 0);
        assert!(
            cache.get("tools/call", r#""name":"x""#).is_none() && cache.get("prompts/get", r#""name":"x""#).is_none()
        );
        tokio::time::advance(Duration::from_secs(60)).await;
        assert!(!reads(&cache, "a:1"));
        assert_eq!(bytes(&cache), (0, 0, 0));
    }
}
