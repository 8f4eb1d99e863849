//! What changes while a server is served, and who wants to know.
//!
//! A change is told to every subscriber that asked for it. One that does not read holds up nobody: what it has not been
//! told yet is a set, in which the same change stands once.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::handle::ServerHandle;
use crate::protocol::{RequestId, SUBSCRIPTION_ID, SubscriptionFilter, write_string};

/// Something that has changed at a server.
///
/// Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Change {
    /// There are other tools than before.
    Tools,
    /// There are other prompts than before.
    Prompts,
    /// There are other resources or templates than before.
    Resources,
    /// The resource of that address has other contents than before.
    Resource(String),
}

/// Carries the changes of a server to all that tell them to clients.
///
/// Without one they reach the clients of this process. A bus between machines sends them on in
/// [`publish`](Fanout::publish), and calls [`ServerHandle::deliver`] at each machine where they arrive, this one
/// included.
///
/// ```
/// use mcp_server::{Change, Fanout, Server, ServerHandle};
///
/// /// A bus with this machine alone at it.
/// struct Loopback;
///
/// impl Fanout for Loopback {
///     fn publish(&self, change: &Change, server: &ServerHandle) {
///         server.deliver(change);
///     }
/// }
///
/// let server = Server::new("shop").fanout(Loopback);
/// ```
pub trait Fanout: Send + Sync + 'static {
    /// Sends a change on its way. It must not block.
    fn publish(&self, change: &Change, server: &ServerHandle);
}

/// Those of this process who want to know what changes.
#[derive(Default)]
pub(crate) struct Changes {
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
    fanout: OnceLock<Box<dyn Fanout>>,
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}

impl Changes {
    /// `false`: there is one already.
    pub(crate) fn set_fanout(&self, fanout: impl Fanout) -> bool {
        self.fanout.set(Box::new(fanout)).is_ok()
    }

    /// What carries changes to other machines as well.
    pub(crate) fn fanout(&self) -> Option<&dyn Fanout> {
        self.fanout.get().map(|fanout| &**fanout)
    }

    /// Tells a change to all subscribers of this process that asked for it.
    pub(crate) fn deliver(&self, change: &Change) {
        let subscribers: Vec<_> = {
            let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
            subscribers.retain(|subscriber| subscriber.strong_count() > 0);
            subscribers.iter().filter_map(Weak::upgrade).collect()
        };
        for subscriber in subscribers {
            subscriber.tell(change);
        }
    }

    /// From now on a new subscriber is told what the filter asks for, as long as it is held.
    ///
    /// # Errors
    ///
    /// When it asks for too many resources; the text names the limit.
    pub(crate) fn subscribe(&self, filter: &SubscriptionFilter) -> Result<Arc<Subscriber>, String> {
        let mut state = State::default();
        for (wanted, change) in [
            (filter.tools_list_changed, Change::Tools),
            (filter.prompts_list_changed, Change::Prompts),
            (filter.resources_list_changed, Change::Resources),
        ] {
            if wanted {
                state.wanted.insert(change);
            }
        }
        for uri in &filter.resource_subscriptions {
            state.watch(uri)?;
        }
        let subscriber = Arc::new(Subscriber { state: Mutex::new(state), told: Notify::new() });
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        // Where nothing ever changes, those who are gone would stay for ever.
        if subscribers.len() == subscribers.capacity() {
            subscribers.retain(|subscriber| subscriber.strong_count() > 0);
        }
        subscribers.push(Arc::downgrade(&subscriber));
        Ok(subscriber)
    }
}

/// One who wants to know: a stream of `subscriptions/listen`, or an older connection.
#[derive(Debug)]
pub(crate) struct Subscriber {
    state: Mutex<State>,
    told: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The lists whose changes are wanted.
    wanted: BTreeSet<Change>,
    /// The resources whose changes are wanted.
    uris: BTreeSet<String>,
    /// How long their addresses are together.
    bytes: usize,
    /// What has changed, and was not sent yet.
    changed: BTreeSet<Change>,
}

/// So many changes of parts of a resource are told one by one; of more, the whole has changed.
const MOST_PARTS: usize = 1024;

/// So many resources a stream, or an older connection, may watch …
const MOST_URIS: usize = 10_000;
/// … with addresses of so many bytes each …
const LONGEST_URI: usize = 8 * 1024;
/// … and so many in all.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// # Errors
///
/// When the address is too long to be watched; the text names the limit.
pub(crate) fn check_uri(uri: &str) -> Result<(), String> {
    if uri.len() > LONGEST_URI {
        return Err(format!("a resource can't be watched whose URI is longer than the limit of {LONGEST_URI} bytes"));
    }
    Ok(())
}

impl State {
    /// # Errors
    ///
    /// When there are too many already, or the address is too long; the text names the limit.
    fn watch(&mut self, uri: &str) -> Result<(), String> {
        if self.uris.contains(uri) {
            return Ok(());
        }
        check_uri(uri)?;
        if self.uris.len() >= MOST_URIS {
            return Err(format!("no more resources can be watched at a time than the limit of {MOST_URIS}"));
        }
        if self.bytes + uri.len() > MOST_BYTES {
            return Err(format!(
                "the URIs that are watched can't be longer in all than the limit of {MOST_BYTES} bytes"
            ));
        }
        self.bytes += uri.len();
        self.uris.insert(uri.to_owned());
        Ok(())
    }
}

impl Subscriber {
    fn state(&self) -> MutexGuard<'_, State> {
        // No code of an author runs under this lock, so that a poisoned one is as good as any.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a resource.
    ///
    /// # Errors
    ///
    /// When there are too many already; the text names the limit.
    pub(crate) fn add(&self, uri: &str) -> Result<(), String> {
        self.state().watch(uri)
    }

    pub(crate) fn remove(&self, uri: &str) {
        let mut state = self.state();
        if state.uris.remove(uri) {
            state.bytes -= uri.len();
        }
    }

    fn tell(&self, change: &Change) {
        let mut state = self.state();
        let change = match change {
            Change::Resource(uri) => match subscription(&state.uris, uri) {
                // "the URI may be that of a sub-resource of the one subscribed to" (Resources, Subscriptions).
                Some(whole) if state.changed.len() >= MOST_PARTS => Change::Resource(whole.clone()),
                Some(_) => change.clone(),
                None => return,
            },
            list if state.wanted.contains(list) => list.clone(),
            _ => return,
        };
        state.changed.insert(change);
        drop(state);
        self.told.notify_one();
    }

    /// Waits for the next changes, in a fixed order.
    pub(crate) async fn changed(&self) -> BTreeSet<Change> {
        loop {
            let changed = std::mem::take(&mut self.state().changed);
            if !changed.is_empty() {
                return changed;
            }
            self.told.notified().await;
        }
    }
}

/// The subscription that a resource belongs to: to itself, or to one that it is a part of.
fn subscription<'a>(uris: &'a BTreeSet<String>, uri: &str) -> Option<&'a String> {
    uris.get(uri).or_else(|| {
        let ends = uri.match_indices('/').map(|(at, _)| at);
        ends.rev().find_map(|at| uris.get(&uri[..at]).or_else(|| uris.get(&uri[..=at])))
    })
}

/// Writes the notification of a change; with the id of its stream, where it belongs to one.
pub(crate) fn write_change(out: &mut Vec<u8>, change: &Change, stream: Option<&RequestId>) {
    let method = match change {
        Change::Tools => "notifications/tools/list_changed",
        Change::Prompts => "notifications/prompts/list_changed",
        Change::Resources => "notifications/resources/list_changed",
        Change::Resource(_) => "notifications/resources/updated",
    };
    out.extend_from_slice(format!(r#"{{"jsonrpc":"2.0","method":"{method}""#).as_bytes());
    let uri = match change {
        Change::Resource(uri) => Some(uri),
        _ => None,
    };
    if stream.is_some() || uri.is_some() {
        out.extend_from_slice(br#","params":{"#);
        if let Some(stream) = stream {
            write_subscription_meta(out, stream);
        }
        if let Some(uri) = uri {
            out.extend_from_slice(if stream.is_some() { br#","uri":"# } else { br#""uri":"# });
            write_string(out, uri);
        }
        out.push(b'}');
    }
    out.push(b'}');
}

/// Writes the `_meta` member of what belongs to a stream.
pub(crate) fn write_subscription_meta(out: &mut Vec<u8>, stream: &RequestId) {
    out.extend_from_slice(format!(r#""_meta":{{"{SUBSCRIPTION_ID}":"#).as_bytes());
    stream.write(out);
    out.push(b'}');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_are_gone_take_no_room_where_nothing_changes() {
        let changes = Changes::default();
        let filter = SubscriptionFilter { tools_list_changed: true, ..SubscriptionFilter::default() };
        let stays = changes.subscribe(&filter).unwrap();
        for _ in 0..10_000 {
            drop(changes.subscribe(&filter).unwrap());
        }
        let kept = changes.subscribers.lock().unwrap().len();
        assert!(kept < 16, "{kept}");
        changes.deliver(&Change::Tools);
        assert_eq!(stays.state().changed, BTreeSet::from([Change::Tools]));
    }

    #[test]
    fn what_is_watched_has_a_limit_of_each_kind() {
        let mut state = State::default();
        let fault = "a resource can't be watched whose URI is longer than the limit of 8192 bytes";
        assert_eq!(state.watch(&"x".repeat(8193)).unwrap_err(), fault);
        for at in 0..512 {
            state.watch(&format!("{at:08192}")).unwrap();
        }
        let fault = "the URIs that are watched can't be longer in all than the limit of 4194304 bytes";
        assert_eq!(state.watch("x://").unwrap_err(), fault);
        // What is watched already takes nothing more.
        state.watch(&format!("{:08192}", 7)).unwrap();

        let subscriber = Subscriber { state: Mutex::default(), told: Notify::new() };
        for at in 0..10_000 {
            subscriber.add(&at.to_string()).unwrap();
        }
        let fault = "no more resources can be watched at a time than the limit of 10000";
        assert_eq!(subscriber.add("x://").unwrap_err(), fault);
        subscriber.remove("7");
        subscriber.add("x://").unwrap();
    }
}
