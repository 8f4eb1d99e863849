//! What handlers share: values that the server owns, one of a type.

use std::any::{Any, TypeId, type_name};
use std::collections::HashMap;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock, Weak};

use super::catalog::Catalog;
use super::context::Context;
use super::handler::{Need, Step};
use super::layer::{Layers, Request};
use super::outcome::{Caching, Finished, ServerResult};
use super::parameter::FromContext;
use super::result::ToolError;
use super::uri_template;
use crate::protocol::ContentBlock;

/// A value that all calls of a server share: given once by [`Server::state`](crate::Server::state), or opened by
/// [`Server::lifespan`](crate::Server::lifespan), and taken as a parameter.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use mcp_server::State;
/// use mcp_server::prelude::*;
///
/// #[derive(Default)]
/// struct Counter(AtomicU64);
///
/// /// Count how often this was called.
/// #[tool]
/// async fn count(counter: State<Counter>) -> u64 {
///     counter.0.fetch_add(1, Ordering::Relaxed) + 1
/// }
///
/// let server = Server::new("counter").state(Counter::default()).tool(count);
/// ```
pub struct State<T>(Arc<T>);

impl<T> State<T> {
    /// For a unit test that calls the function itself.
    pub fn new(value: impl Into<Arc<T>>) -> Self {
        Self(value.into())
    }
}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: fmt::Debug> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("State").field(&self.0).finish()
    }
}

impl<T> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> From<State<T>> for Arc<T> {
    fn from(state: State<T>) -> Self {
        state.0
    }
}

impl Context {
    /// The value of that type which the server shares, for functions that have no parameter for it.
    ///
    /// # Errors
    ///
    /// When the server has none; a parameter of the type [`State<T>`](State) shows that before the first call.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<State<T>, ToolError> {
        self.0
            .state()
            .map(State)
            .ok_or_else(|| ToolError::new(format!("the server has no state of the type `{}`", type_name::<T>())))
    }
}

impl<T: Send + Sync + 'static> FromContext for State<T> {
    fn from_context(context: &Context) -> Result<Self, ToolError> {
        context.state()
    }

    fn need() -> Option<Need> {
        Some(Need { id: TypeId::of::<T>(), name: type_name::<T>() })
    }
}

/// The values of a server, by their types.
#[derive(Default)]
pub(crate) struct States {
    values: HashMap<TypeId, Value>,
}

/// A value, or the place where the lifespan will put it.
#[derive(Default)]
struct Value(OnceLock<Arc<dyn Any + Send + Sync>>);

impl States {
    /// # Panics
    ///
    /// When there is a value of that type already.
    #[track_caller]
    pub(crate) fn insert<T: Send + Sync + 'static>(&mut self, value: T) {
        self.announce::<T>();
        self.open(Arc::new(value));
    }

    /// Makes a place for a value that is still to be opened.
    #[track_caller]
    pub(crate) fn announce<T: Send + Sync + 'static>(&mut self) {
        let earlier = self.values.insert(TypeId::of::<T>(), Value::default());
        assert!(earlier.is_none(), "the server has two states of the type `{}`", type_name::<T>());
    }

    /// Puts a value into its place.
    pub(crate) fn open<T: Send + Sync + 'static>(&self, value: Arc<T>) {
        if let Some(place) = self.values.get(&TypeId::of::<T>()) {
            let _ = place.0.set(value);
        }
    }

    pub(crate) fn has(&self, need: Need) -> bool {
        self.values.contains_key(&need.id)
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        let value = self.values.get(&TypeId::of::<T>())?.0.get()?;
        Arc::clone(value).downcast().ok()
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("States").field("count", &self.values.len()).finish()
    }
}

/// What the items of a mounted server bring with them. What is not found here is looked for in the server around it.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    /// What the names of the items begin with in the server around it.
    pub(crate) prefix: Arc<str>,
    /// The mounted server's own.
    pub(crate) catalog: Weak<Catalog>,
    pub(crate) states: Arc<States>,
    pub(crate) layers: Layers,
    /// Whether its tools may send log messages.
    pub(crate) logging: bool,
    /// For how long may be kept what does not say so itself.
    pub(crate) caching: Caching,
    pub(crate) parent: Option<Arc<Scope>>,
}

impl Scope {
    /// The scope of an item that had this one already when its server was mounted.
    pub(crate) fn within(&self, outer: &Arc<Self>) -> Arc<Self> {
        let parent = match &self.parent {
            Some(parent) => parent.within(outer),
            None => Arc::clone(outer),
        };
        Arc::new(Self { parent: Some(parent), ..self.clone() })
    }

    /// The address as the code of the item knows it.
    pub(crate) fn inner_uri(&self, uri: &str) -> String {
        let uri = self.parent.as_ref().map_or_else(|| uri.to_owned(), |parent| parent.inner_uri(uri));
        uri_template::strip_prefix(&uri, &self.prefix).unwrap_or(uri)
    }

    /// The address as the server around the mounted one knows it, if it is one of the mounted server's, switched on or
    /// off.
    pub(crate) fn outer_uri_of(&self, uri: &str) -> Option<String> {
        self.catalog.upgrade()?.has_resource(uri).then(|| uri_template::prefixed(uri, &self.prefix))
    }

    /// The address as the client knows it.
    fn outer_uri(&self, uri: &mut String) {
        if let Some(outer) = self.outer_uri_of(uri) {
            *uri = outer;
        }
        if let Some(parent) = &self.parent {
            parent.outer_uri(uri);
        }
    }

    /// Tells the addresses in a result as the client knows them.
    fn tell_outer_uris(&self, mut finished: Finished) -> Finished {
        let tell = |block: &mut ContentBlock| match block {
            ContentBlock::ResourceLink(link) => self.outer_uri(&mut link.uri),
            ContentBlock::Resource(embedded) => self.outer_uri(&mut embedded.resource.uri),
            _ => {}
        };
        match &mut finished {
            Ok(ServerResult::ReadResource(result)) => {
                result.contents.iter_mut().for_each(|contents| self.outer_uri(&mut contents.uri));
            }
            Ok(ServerResult::CallTool(result)) => result.content.iter_mut().for_each(tell),
            Ok(ServerResult::GetPrompt(result)) => {
                result.messages.iter_mut().for_each(|message| tell(&mut message.content));
            }
            _ => {}
        }
        finished
    }

    /// The step as the server around it sees it: with the layers of the mounted servers, and its own addresses.
    pub(crate) fn mounted(self: Arc<Self>, request: impl FnOnce() -> Request, step: Step) -> Step {
        let step = if self.has_layers() { self.around(request(), step) } else { step };
        match step {
            Step::Ready(finished) => Step::Ready(self.tell_outer_uris(finished)),
            Step::Run(running) => Step::Run(Box::pin(async move { self.tell_outer_uris(running.await) })),
        }
    }

    pub(crate) fn state<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.states.get().or_else(|| self.parent.as_ref()?.state())
    }

    pub(crate) fn has_layers(&self) -> bool {
        !self.layers.is_empty() || self.parent.as_ref().is_some_and(|parent| parent.has_layers())
    }

    /// The step with the layers of the mounted servers around it, those of the outermost first.
    fn around(&self, request: Request, step: Step) -> Step {
        let (layers, seen) = (self.layers.clone(), request.clone());
        let around = Step::Run(Box::pin(layers.around(seen, move |_| match step {
            Step::Ready(result) => Box::pin(std::future::ready(result)),
            Step::Run(running) => running,
        })));
        match &self.parent {
            Some(parent) => parent.around(request, around),
            None => around,
        }
    }

    pub(crate) fn has(&self, need: Need) -> bool {
        self.states.has(need) || self.parent.as_ref().is_some_and(|parent| parent.has(need))
    }
}
