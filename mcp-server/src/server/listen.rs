//! `subscriptions/listen`: a request whose response ends a stream of changes.
//!
//! Specification: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::sync::watch;

use super::Core;
use super::call::StartedCall;
use super::changes::{Change, Subscriber, write_change, write_subscription_meta};
use super::context::CallState;
use super::dispatch::{Reply, Request};
use super::handler::Step;
use super::link::{self, Link};
use super::outcome::{Finished, OtherResult, ServerResult, Subject};
use super::progress::ProgressError;
use crate::protocol::{ErrorObject, SUBSCRIPTION_ID, SubscriptionFilter};

/// Opens a stream: what was asked for and can be told is told until either side ends it.
pub(crate) fn listen(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let Some(filter) = request.params.optional_object("notifications")? else {
        return Err(ErrorObject::invalid_params(
            "`params.notifications` is missing: an object with what is to be told",
        ));
    };
    let asked: SubscriptionFilter = serde_json::from_str(filter.get())
        .map_err(|error| ErrorObject::invalid_params(format!("`params.notifications` can't be read: {error}")))?;
    let catalog = &core.catalog;
    // What is not offered is left out, which the client sees (Subscriptions, Acknowledgment).
    let honoured = SubscriptionFilter {
        tools_list_changed: asked.tools_list_changed && catalog.has_tools(),
        prompts_list_changed: asked.prompts_list_changed && catalog.has_prompts(),
        resources_list_changed: asked.resources_list_changed && catalog.has_resources(),
        resource_subscriptions: if catalog.has_resources() { asked.resource_subscriptions } else { Vec::new() },
    };
    // From here on nothing is missed, though nothing is told before the acknowledgment.
    let subscriber = catalog.changes.subscribe(&honoured).map_err(|fault| {
        ErrorObject::invalid_params(format!("`params.notifications.resourceSubscriptions` is too long: {fault}"))
    })?;
    let state = CallState::begin(core, link, request)?;
    let stream = stream(Arc::clone(&state), subscriber, honoured, link.closing.clone());
    Ok(Reply::Call(StartedCall::new(Subject::Stream, state, Step::Run(Box::pin(stream)))))
}

async fn stream(
    call: Arc<CallState>,
    subscriber: Arc<Subscriber>,
    honoured: SubscriptionFilter,
    mut closing: watch::Receiver<bool>,
) -> Finished {
    let id = call.id.clone();
    let acknowledged = move |out: &mut Vec<u8>| {
        out.extend_from_slice(br#"{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"#);
        write_subscription_meta(out, &id);
        out.extend_from_slice(br#","notifications":"#);
        serde_json::to_writer(&mut *out, &honoured).expect("a filter is plain data");
        out.extend_from_slice(b"}}");
    };
    let told: Result<(), ProgressError> = async {
        poll_fn(|cx| call.reporter.poll_send(cx, &acknowledged)).await?;
        // What it asked for, the subscriber has.
        drop(acknowledged);
        loop {
            tokio::select! {
                // What has changed before the end is told before the end.
                biased;
                changes = subscriber.changed() => tell(&call, changes).await?,
                () = link::closed(&mut closing) => return Ok(()),
            }
        }
    }
    .await;
    if told.is_err() {
        tracing::debug!(id = %call.id, "the client of a stream of changes is gone");
    }
    let meta = Map::from_iter([(SUBSCRIPTION_ID.to_owned(), serde_json::to_value(&call.id).unwrap_or(Value::Null))]);
    Ok(ServerResult::Other(OtherResult::new(Map::from_iter([("_meta".to_owned(), Value::Object(meta))]))))
}

async fn tell(call: &CallState, changes: BTreeSet<Change>) -> Result<(), ProgressError> {
    for change in changes {
        poll_fn(|cx| call.reporter.poll_send(cx, |out| write_change(out, &change, Some(&call.id)))).await?;
    }
    Ok(())
}
