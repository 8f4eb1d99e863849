//! Hearing of changes for as long as somebody listens.
//!
//! At a stateless server this is a request that stays open, and one that is cut off is sent anew. An older server tells
//! of its lists by itself, and is asked for each resource.
//!
//! Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

use std::fmt;
use std::future::poll_fn;
use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use serde::de::IgnoredAny;
use serde_json::Map;
use tokio::time::Instant;

use super::call::Call;
use super::connection::{Carrier, Connection};
use super::listener::Listener;
use super::pending::{Answer, Event};
use super::request::{Head, Options, Request, Step};
#[cfg(feature = "client-http")]
use super::request::{Limits, outcome};
use super::{CallError, Client, json, results};
#[cfg(feature = "client-http")]
use crate::protocol::ProtocolVersion;
use crate::protocol::SubscriptionFilter;
use crate::server::Change;

/// How long a subscription waits before it is opened anew; twice as long with each try in a row that fails …
const PAUSE: Duration = Duration::from_millis(500);
/// … up to this.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// After so many tries in a row that failed it ends.
const MAX_TRIES: u32 = 10;

/// What a [`Subscription`] tells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SubscriptionEvent {
    /// Something has changed.
    Change(Change),
    /// The subscription was cut off and has been opened anew, or more has changed than is kept for a slow reader: changes
    /// may have been missed, so that everything that matters should be read again.
    Reopened,
}

/// The changes of a server, one after the other; see [`Client::listen`].
///
/// It ends with `None` when the server has ended it, and with an error when it was lost. Dropping it ends it, and the
/// server is told.
#[must_use = "a subscription ends when it is dropped"]
pub struct Subscription<'c> {
    client: &'c Client,
    /// What was asked for.
    asked: SubscriptionFilter,
    /// What was agreed to.
    filter: SubscriptionFilter,
    listener: Arc<Listener>,
    now: Now<'c>,
    /// How many tries in a row have failed.
    tries: u32,
    /// Since when it is open.
    opened: Instant,
}

type Opening<'c> = Pin<Box<dyn Future<Output = Result<Option<Open<'c>>, CallError>> + Send + 'c>>;

enum Now<'c> {
    /// A stateless server tells.
    Open(Box<Open<'c>>),
    /// It is about to be asked anew.
    Opening(Opening<'c>),
    /// An older server tells.
    Told(Told<'c>),
    Failed(CallError),
    Ended,
}

/// A request that stays open.
struct Open<'c> {
    // Dropped first, so that what still comes for it finds its listener.
    request: Request<'c>,
    _entry: Entry<'c>,
}

/// An older server tells by itself of its lists, and of the resources that it was asked to watch.
struct Told<'c> {
    watched: Watched<'c>,
    entry: Entry<'c>,
}

impl Drop for Told<'_> {
    fn drop(&mut self) {
        self.entry.connection.pending.forget(self.entry.id);
    }
}

/// The place of a listener among those of its connection.
struct Entry<'c> {
    connection: &'c Arc<Connection>,
    id: u64,
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        drop(self.connection.changes.remove(self.id));
    }
}

/// Resources that an older server was asked to watch for one subscription.
struct Watched<'c> {
    connection: &'c Arc<Connection>,
    uris: Vec<String>,
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        for uri in &self.uris {
            self.connection.changes.unwatch(uri, || {
                self.connection.request_unheard("resources/unsubscribe", &format!(r#"{{"uri":{}}}"#, json(uri)));
            });
        }
    }
}

impl Client {
    /// Listens to changes of the lists and resources of the server.
    ///
    /// It is there once the server has agreed; [`filter`](Subscription::filter) says to what. Any number of subscriptions
    /// can be open at once. With an older server the same is done by its own means: changes of lists come by themselves,
    /// and for each resource there is a `resources/subscribe`, and a `resources/unsubscribe` when nobody listens any more.
    ///
    /// Over HTTP a subscription that is cut off is opened anew, after a pause, and says so by
    /// [`SubscriptionEvent::Reopened`]. A reader that is slow finds each change once, however often it has come.
    ///
    /// Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    ///
    /// ```
    /// use mcp_server::Change;
    /// use mcp_server::client::SubscriptionEvent;
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::SubscriptionFilter;
    ///
    /// /// What is on offer.
    /// #[resource("shop://offers")]
    /// async fn offers() -> String {
    ///     "tea".into()
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let server = Server::new("shop").resource(offers);
    /// let handle = server.handle();
    /// let client = Client::connect(server).await?;
    ///
    /// let filter = SubscriptionFilter {
    ///     resource_subscriptions: vec!["shop://offers".into()],
    ///     ..SubscriptionFilter::default()
    /// };
    /// let mut changes = client.listen(filter).await?;
    /// handle.resource_updated("shop://offers");
    /// let event = changes.next().await.unwrap()?;
    /// assert_eq!(event, SubscriptionEvent::Change(Change::Resource("shop://offers".into())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When the server refuses, has gone, or does not agree within the
    /// [`request_timeout`](super::ClientBuilder::request_timeout); or an older server can't watch resources, which is
    /// [`CallError::Unsupported`].
    pub async fn listen(&self, filter: SubscriptionFilter) -> Result<Subscription<'_>, CallError> {
        let listener = Arc::new(Listener::new(filter.clone()));
        let now = match self.protocol_version().is_modern() {
            true => match open(self, filter.clone(), Arc::clone(&listener)).await? {
                Some(open) => Now::Open(Box::new(open)),
                None => Now::Ended,
            },
            false => Now::Told(self.be_told(&filter, &listener).await?),
        };
        let acknowledged = listener.filter();
        Ok(Subscription {
            client: self,
            asked: filter,
            filter: acknowledged,
            listener,
            now,
            tries: 0,
            opened: Instant::now(),
        })
    }

    /// Has an older server tell what it can.
    async fn be_told<'c>(
        &'c self,
        filter: &SubscriptionFilter,
        listener: &Arc<Listener>,
    ) -> Result<Told<'c>, CallError> {
        let capabilities = self.server_capabilities();
        let declares =
            |kind: &Option<Map<_, _>>, what| kind.as_ref().is_some_and(|kind| kind.get(what) == Some(&true.into()));
        if !filter.resource_subscriptions.is_empty() && !declares(&capabilities.resources, "subscribe") {
            return Err(CallError::Unsupported { capability: "resources.subscribe" });
        }
        let connection = &self.link.connection;
        // It is never sent: what is known of it is when the connection ends.
        let entry = Entry { connection, id: connection.pending.register(false) };
        let mut told = Told { watched: Watched { connection, uris: Vec::new() }, entry };
        listener.acknowledge(SubscriptionFilter {
            tools_list_changed: filter.tools_list_changed && declares(&capabilities.tools, "listChanged"),
            prompts_list_changed: filter.prompts_list_changed && declares(&capabilities.prompts, "listChanged"),
            resources_list_changed: filter.resources_list_changed && declares(&capabilities.resources, "listChanged"),
            resource_subscriptions: filter.resource_subscriptions.clone(),
        });
        connection.changes.add(told.entry.id, Arc::clone(listener));
        for uri in &filter.resource_subscriptions {
            connection.changes.watch(uri);
            told.watched.uris.push(uri.clone());
            // Asked even if it is watched already, so that a refusal reaches whoever asks.
            let members = format!(r#""uri":{}"#, json(uri));
            Call::new(self, "resources/subscribe", Ok(members), results::complete::<IgnoredAny>).await?;
        }
        Ok(told)
    }
}

/// Sends `subscriptions/listen`, and waits until the server agrees. `None`: it has ended it at once.
async fn open<'c>(
    client: &'c Client,
    filter: SubscriptionFilter,
    listener: Arc<Listener>,
) -> Result<Option<Open<'c>>, CallError> {
    let connection = &client.link.connection;
    let params = |out: &mut Vec<u8>, _| {
        out.extend_from_slice(br#"{"notifications":"#);
        serde_json::to_writer(&mut *out, &filter).expect("a filter is plain data");
        client.write_meta(out, None, &Map::new());
        out.push(b'}');
    };
    let head = Head { method: "subscriptions/listen", version: Some(client.protocol_version()), ..Head::default() };
    let mut request = Request::new(connection, head, params, Options { cancels: true, ..Options::default() });
    listener.reset();
    let entry = Entry { connection, id: request.id() };
    connection.changes.add(entry.id, Arc::clone(&listener));
    let agreed = poll_fn(|cx| {
        // The outcome last: what the server has said before it counts first.
        let outcome = request.poll(cx);
        if listener.poll_acknowledged(cx).is_ready() {
            return Poll::Ready(Ok(Some(match outcome {
                Poll::Ready(Step::Outcome(outcome)) => Some(outcome),
                _ => None,
            })));
        }
        match outcome {
            Poll::Ready(Step::Outcome(Ok(_))) => Poll::Ready(Ok(None)),
            Poll::Ready(Step::Outcome(Err(error))) => Poll::Ready(Err(error)),
            Poll::Ready(Step::Report(_)) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Pending => Poll::Pending,
        }
    });
    let agreed = match client.request_timeout {
        Some(after) => match tokio::time::timeout(after, agreed).await {
            Ok(agreed) => agreed,
            Err(_) => return Err(CallError::Timeout { after, silent: false }),
        },
        None => agreed.await,
    };
    match agreed? {
        Some(None) => Ok(Some(Open { request, _entry: entry })),
        // Acknowledged and ended in one go.
        Some(Some(Ok(_))) | None => Ok(None),
        Some(Some(Err(error))) => Err(error),
    }
}

impl<'c> Subscription<'c> {
    /// What the server has agreed to tell, which may be less than what was asked for: of the rest nothing will be heard,
    /// and it has to be read anew from time to time.
    pub fn filter(&self) -> &SubscriptionFilter {
        &self.filter
    }

    /// What comes next. `None`: the server has ended the subscription, or an error has.
    ///
    /// Dropping this future loses nothing.
    ///
    /// # Errors
    ///
    /// When the subscription is lost: the connection has ended, or could not be made anew.
    pub async fn next(&mut self) -> Option<Result<SubscriptionEvent, CallError>> {
        poll_fn(|cx| self.poll_event(cx)).await
    }

    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<SubscriptionEvent, CallError>>> {
        loop {
            // What has come before an end is told before it.
            if let Poll::Ready(event) = self.listener.poll_next(cx) {
                if matches!(event, SubscriptionEvent::Change(_)) {
                    self.tries = 0;
                }
                return Poll::Ready(Some(Ok(event)));
            }
            self.now = match &mut self.now {
                Now::Open(open) => match ready!(open.request.poll(cx)) {
                    Step::Report(_) => continue,
                    Step::Outcome(Ok(_)) => Now::Ended,
                    Step::Outcome(Err(error)) => self.after(error),
                },
                Now::Opening(opening) => match ready!(opening.as_mut().poll(cx)) {
                    Ok(open) => {
                        self.opened = Instant::now();
                        self.filter = self.listener.filter();
                        self.listener.reopened();
                        open.map_or(Now::Ended, |open| Now::Open(Box::new(open)))
                    }
                    Err(error) => self.after(error),
                },
                Now::Told(told) => match ready!(told.entry.connection.pending.poll(told.entry.id, cx)) {
                    Event::Answer(Answer::Closed(reason)) => Now::Failed(CallError::Closed { reason }),
                    Event::Answer(_) => Now::Ended,
                    Event::Report(_) => continue,
                },
                Now::Failed(_) => match std::mem::replace(&mut self.now, Now::Ended) {
                    Now::Failed(error) => return Poll::Ready(Some(Err(error))),
                    _ => continue,
                },
                Now::Ended => return Poll::Ready(None),
            };
        }
    }

    /// What is next when it was cut off: another try, as long as there is hope.
    fn after(&mut self, error: CallError) -> Now<'c> {
        // One that is cut off as soon as it is open has not worked.
        if self.opened.elapsed() >= LONGEST_PAUSE {
            self.tries = 0;
        }
        if !is_cut(&self.client.link.connection.carrier, &error) || self.tries == MAX_TRIES {
            return Now::Failed(error);
        }
        tracing::debug!(%error, "a subscription was cut off, and is opened anew");
        let pause = pause(self.tries);
        self.tries += 1;
        let (client, asked, listener) = (self.client, self.asked.clone(), Arc::clone(&self.listener));
        Now::Opening(Box::pin(async move {
            tokio::time::sleep(pause).await;
            open(client, asked, listener).await
        }))
    }
}

/// Whether a new request may find the server where this one has lost it.
fn is_cut(carrier: &Carrier, error: &CallError) -> bool {
    match carrier {
        _ if matches!(error, CallError::Lost { .. }) => true,
        Carrier::Streams(_) => false,
        #[cfg(feature = "client-http")]
        Carrier::Http(_) => !matches!(error, CallError::Server(_) | CallError::Closed { .. }),
    }
}

/// Between a half and the whole of what is due, so that those who were cut off at once do not come back at once.
fn pause(tries: u32) -> Duration {
    let whole = PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(LONGEST_PAUSE);
    let random = RandomState::new().hash_one(tries) as u32;
    whole / 2 + (whole / 2).mul_f64(f64::from(random) / f64::from(u32::MAX))
}

impl Connection {
    /// Sends a request whose answer nobody waits for. On a closed connection nothing happens.
    fn request_unheard(self: &Arc<Self>, method: &str, params: &str) {
        let id = self.pending.register(false);
        self.pending.forget(id);
        let message = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#).into_bytes();
        match &self.carrier {
            Carrier::Streams(outbox) => {
                if !outbox.push_unasked(|out| out.extend_from_slice(&message)) {
                    tracing::trace!(method, "nobody is asked: the server does not read, or the connection has ended");
                }
            }
            #[cfg(feature = "client-http")]
            Carrier::Http(http) => http.tell(method, message),
        }
    }

    /// An older server has forgotten its client, and there is a new session: asks anew for what is watched, and tells all
    /// subscriptions that they may have missed something.
    #[cfg(feature = "client-http")]
    pub(crate) async fn subscribe_again(self: &Arc<Self>, version: ProtocolVersion, timeout: Option<Duration>) {
        for uri in self.changes.watched() {
            let params =
                |out: &mut Vec<u8>, _| out.extend_from_slice(format!(r#"{{"uri":{}}}"#, json(&uri)).as_bytes());
            let head =
                Head { method: "resources/subscribe", version: Some(version), opens_session: true, ..Head::default() };
            let limits = Limits { timeout, ..Limits::default() };
            let mut request = Request::new(self, head, params, Options { limits, cancels: true, listens: false });
            if let Err(error) = outcome(&mut request).await {
                tracing::warn!(%error, uri, "a resource is not watched any more");
            }
        }
        self.changes.missed();
    }
}

impl Unpin for Subscription<'_> {}

impl Stream for Subscription<'_> {
    type Item = Result<SubscriptionEvent, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_event(cx)
    }
}

impl fmt::Debug for Subscription<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscription").field("filter", &self.filter).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::ClientBuilder;
    use crate::server::{Server, Tool};

    fn tools() -> SubscriptionFilter {
        SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() }
    }

    fn server() -> Server {
        let mut tool = Tool::builder("x");
        let result = tool.returns::<&str>();
        Server::new("shop").tool(tool.handler(move |call| call.run(async { "done" }, result)))
    }

    /// Loses the request of a subscription on its way.
    fn cut(client: &Client, subscription: &Subscription<'_>) -> u64 {
        let Now::Open(open) = &subscription.now else { panic!("it is not open") };
        let id = open.request.id();
        let lost = CallError::Lost { reason: "cut".to_owned() };
        assert!(client.link.connection.pending.answer(id, Answer::Failed(lost)));
        id
    }

    // rows: SUB-12
    #[tokio::test(start_paused = true)]
    async fn a_subscription_that_is_cut_off_is_opened_anew_and_says_so() {
        let server = server();
        let handle = server.handle();
        let client = ClientBuilder::default().connect(server).await.unwrap();
        let mut subscription = client.listen(tools()).await.unwrap();
        for _ in 0..3 {
            // It is read in the place of what waits.
            subscription.listener.tell(&Change::Tools);
            let before = cut(&client, &subscription);
            assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Change(Change::Tools));
            assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Reopened);
            let Now::Open(open) = &subscription.now else { panic!("it is not open") };
            assert_ne!(open.request.id(), before);
            assert!(handle.enable_tool("x", false) && handle.enable_tool("x", true));
            assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Change(Change::Tools));
        }
        assert_eq!(client.link.connection.changes.len(), (1, 0));
        drop(subscription);
        assert_eq!(client.link.connection.changes.len(), (0, 0));
        assert_eq!(client.link.connection.pending.len(), 0);
    }

    // rows: SUB-12
    #[tokio::test(start_paused = true)]
    async fn a_server_that_stays_away_is_given_up_after_some_tries() {
        let server = server();
        let _handle = server.handle();
        let client = ClientBuilder::default().connect(server).await.unwrap();
        let mut subscription = client.listen(tools()).await.unwrap();
        subscription.tries = MAX_TRIES;
        cut(&client, &subscription);
        assert!(matches!(subscription.next().await, Some(Err(CallError::Lost { .. }))));
        assert!(subscription.next().await.is_none());
    }

    #[test]
    fn pauses_grow_up_to_a_limit_and_differ() {
        for tries in 0..100 {
            let whole = PAUSE.saturating_mul(2_u32.saturating_pow(tries)).min(LONGEST_PAUSE);
            assert!((whole / 2..=whole).contains(&pause(tries)), "{tries}");
        }
        let pauses: std::collections::BTreeSet<_> = (0..20).map(|_| pause(3)).collect();
        assert!(pauses.len() > 1);
    }

    #[cfg(feature = "client-http")]
    #[tokio::test]
    async fn after_a_new_session_the_same_resources_are_watched_and_everybody_knows() {
        let builder = ClientBuilder::default().protocol_versions([ProtocolVersion::V2025_11_25]);
        let mut resource = crate::server::Resource::builder("shop://a");
        let result = resource.returns::<&str>();
        let server = Server::new("shop").resource(resource.handler(move |call| call.run(async { "tea" }, result)));
        let handle = server.handle();
        let client = builder.connect(server).await.unwrap();
        let filter =
            SubscriptionFilter { resource_subscriptions: vec!["shop://a".into()], ..SubscriptionFilter::default() };
        let mut subscription = client.listen(filter).await.unwrap();
        client.link.connection.subscribe_again(ProtocolVersion::V2025_11_25, None).await;
        assert_eq!(subscription.next().await.unwrap().unwrap(), SubscriptionEvent::Reopened);
        handle.resource_updated("shop://a");
        let change = SubscriptionEvent::Change(Change::Resource("shop://a".into()));
        assert_eq!(subscription.next().await.unwrap().unwrap(), change);
        assert_eq!(client.link.connection.changes.len(), (1, 1));
        drop(subscription);
        assert_eq!(client.link.connection.changes.len(), (0, 0));
        assert_eq!(client.link.connection.pending.len(), 0);
    }
}
