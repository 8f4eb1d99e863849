//! What a server tells of its changes, and who hears of it.
//!
//! A change reaches the results that are kept, then the hook of the client, then the subscriptions that it belongs to.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::builder::{ClientBuilder, Settings};
use super::connection::{Connection, Hook};
use super::listener::Listener;
use super::pending::Answer;
use crate::protocol::{RawJson, RequestId, SUBSCRIPTION_ID, SubscriptionFilter};
use crate::server::Change;

/// Those who want to hear of changes.
#[derive(Debug)]
pub(crate) struct Changes {
    on_change: Option<Hook<Change>>,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    /// By the id of the request that opened it; with an older server, by an id that stands for it alone.
    listeners: HashMap<u64, Arc<Listener>>,
    /// The resources that an older server was asked to watch, and for how many listeners.
    watched: BTreeMap<String, usize>,
}

/// The params of all notifications that are about changes.
#[derive(Default, Deserialize)]
struct Params {
    #[serde(default, rename = "_meta")]
    meta: Option<Map<String, Value>>,
    uri: Option<String>,
    notifications: Option<SubscriptionFilter>,
}

impl Params {
    /// "string or integer = the id of the `subscriptions/listen` request" (Subscriptions): ours are integers, and a server
    /// may have made texts of them.
    fn subscription(&self) -> Option<u64> {
        match self.meta.as_ref()?.get(SUBSCRIPTION_ID)? {
            Value::String(id) => id.parse().ok(),
            id => id.as_u64(),
        }
    }
}

impl Changes {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self { on_change: settings.on_change.clone(), table: Mutex::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a notification is about a change, or about hearing of changes.
    pub(crate) fn is_about(&self, method: &str) -> bool {
        matches!(
            method,
            "notifications/tools/list_changed"
                | "notifications/prompts/list_changed"
                | "notifications/resources/list_changed"
                | "notifications/resources/updated"
                | "notifications/subscriptions/acknowledged"
        )
    }

    pub(crate) fn add(&self, id: u64, listener: Arc<Listener>) {
        self.table().listeners.insert(id, listener);
    }

    /// `None`: there is none of that id any more.
    pub(crate) fn remove(&self, id: u64) -> Option<Arc<Listener>> {
        self.table().listeners.remove(&id)
    }

    /// Counts one more listener of a resource of an older server.
    pub(crate) fn watch(&self, uri: &str) {
        *self.table().watched.entry(uri.to_owned()).or_insert(0) += 1;
    }

    /// One listener of a resource less. `last` is told of the last one before anybody can begin anew.
    pub(crate) fn unwatch(&self, uri: &str, last: impl FnOnce()) {
        let mut table = self.table();
        match table.watched.get_mut(uri) {
            Some(listeners) if *listeners > 1 => *listeners -= 1,
            Some(_) => {
                table.watched.remove(uri);
                last();
            }
            None => {}
        }
    }

    /// The resources that are watched.
    #[cfg(feature = "client-http")]
    pub(crate) fn watched(&self) -> Vec<String> {
        self.table().watched.keys().cloned().collect()
    }

    /// Tells all that something may have been missed.
    #[cfg(feature = "client-http")]
    pub(crate) fn missed(&self) {
        let listeners: Vec<_> = self.table().listeners.values().cloned().collect();
        listeners.iter().for_each(|listener| listener.reopened());
    }

    /// How many subscriptions there are, and how many resources that are watched.
    #[cfg(test)]
    pub(crate) fn len(&self) -> (usize, usize) {
        let table = self.table();
        (table.listeners.len(), table.watched.len())
    }
}

impl Connection {
    /// Takes in a notification that is about changes.
    pub(crate) fn changed(self: &Arc<Self>, method: &str, params: Option<RawJson<'_>>) {
        // Some servers send an empty array where there is nothing to say.
        let params: Params = params.and_then(|params| params.read().ok()).unwrap_or_default();
        let id = params.subscription();
        let change = match method {
            "notifications/tools/list_changed" => Change::Tools,
            "notifications/prompts/list_changed" => Change::Prompts,
            "notifications/resources/list_changed" => Change::Resources,
            "notifications/resources/updated" => match params.uri {
                Some(uri) => Change::Resource(uri),
                None => return tracing::debug!("a change of a resource without its address was ignored"),
            },
            _ => {
                let listener = id.and_then(|id| self.changes.table().listeners.get(&id).cloned());
                return match listener {
                    Some(listener) => listener.acknowledge(params.notifications.unwrap_or_default()),
                    None => tracing::debug!("an acknowledgment that nobody waits for was ignored"),
                };
            }
        };
        self.cache.changed(&change);
        if let Some(hook) = &self.changes.on_change {
            hook.call(&change);
        }
        let listeners: Vec<_> = {
            let table = self.changes.table();
            match self.is_modern() {
                true => id.and_then(|id| table.listeners.get(&id).cloned()).into_iter().collect(),
                false => table.listeners.values().filter(|listener| listener.wants(&change)).cloned().collect(),
            }
        };
        listeners.iter().for_each(|listener| listener.tell(&change));
    }

    /// A stateless server ends a stream of changes without an answer to its request.
    pub(crate) fn listening_ended(&self, id: &RequestId) {
        let id = id.as_u64().filter(|id| self.changes.table().listeners.contains_key(id));
        let empty = || RawValue::from_string("{}".to_owned()).expect("it is JSON");
        // "a client ignores the second as already finished" where both come.
        if !id.is_some_and(|id| self.pending.answer(id, Answer::Result(empty()))) {
            tracing::debug!("a cancellation of what does not run was ignored");
        }
    }
}

impl ClientBuilder {
    /// Who is told whenever the server says that something has changed: its lists, or a resource that is watched.
    ///
    /// A stateless server tells nothing unless somebody [listens](super::Client::listen); an older one tells of its lists
    /// by itself. A change that belongs to several subscriptions is told for each of them.
    ///
    /// The hook holds up the connection, and so it should be quick. It must not wait for a call of the same client: let a
    /// task do that, or a subscription.
    ///
    /// Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    ///
    /// ```
    /// use mcp_server::{Change, Client};
    ///
    /// let client = Client::builder().on_change(|change: &Change| println!("changed: {change:?}"));
    /// ```
    pub fn on_change(mut self, hook: impl Fn(&Change) + Send + Sync + 'static) -> Self {
        self.0.on_change = Some(Hook::new(hook));
        self
    }
}
