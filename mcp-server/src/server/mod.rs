//! What an author builds, and what becomes of a request in it: request and outbox in, response out, as one future.
//! Nothing here knows bytes that are read or sockets.

pub mod apps;
mod arguments;
mod ask;
mod attached;
mod base64;
pub(crate) mod call;
mod canonical;
mod catalog;
mod changes;
pub(crate) mod chunk;
mod completion;
pub(crate) mod context;
pub(crate) mod dispatch;
mod extension;
mod handle;
mod handler;
mod input_required;
pub mod layer;
pub(crate) mod legacy;
pub(crate) mod lifespan;
pub(crate) mod link;
mod listen;
mod log;
#[cfg(feature = "tracing-layer")]
mod log_layer;
#[cfg(feature = "http")]
pub(crate) mod mirrored;
mod mount;
mod outcome;
pub(crate) mod output;
mod parameter;
mod principal;
mod progress;
mod prompt;
mod prompts;
mod registry;
mod request_error;
mod resource;
mod resources;
pub(crate) mod respond;
mod result;
mod round;
mod seal;
pub(crate) mod settings;
mod spent;
mod state;
mod texts;
mod tool;
mod tools;
mod uri_template;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};

#[cfg(feature = "client")]
pub(crate) use ask::check_url;
pub use ask::{AskError, Elicited};
pub use attached::{Offer, ServerBlock, tagged};
pub use base64::Base64;
pub use changes::{Change, Fanout};
pub use completion::{Completer, Completing, IntoCompletion};
pub use context::{Context, ProgressBar, TestContext};
pub use extension::{Extension, IntoOtherResult};
pub use handle::{AddError, ServerHandle};
pub use handler::{Call, Outcome, Returns};
pub use input_required::InputRequired;
#[cfg(feature = "tracing-layer")]
pub use log_layer::LogLayer;
pub use outcome::{InputRequiredResult, OtherResult, ServerResult};
pub use parameter::{FromContext, Param, Parameter, Repeatable, TextParameter, ToolArgument};
pub use principal::Principal;
pub use progress::{ProgressError, ProgressMessage, ProgressNumber, ProgressTotal};
pub use prompt::{IntoGetPromptResult, IntoPrompt, Prompt, PromptBuilder, PromptFuture, PromptHandler};
pub use request_error::RequestError;
pub use resource::{IntoReadResourceResult, IntoResource, Resource, ResourceBuilder, ResourceFuture, ResourceHandler};
pub use result::{IntoCallToolResult, Json, ToolError};
pub(crate) use seal::random_id;
pub use seal::{InvalidStateKey, StateKey};
pub use state::State;
pub use tool::{IntoTool, Tool, ToolBuilder, ToolFuture, ToolHandler};

use crate::protocol::{CacheScope, Icon, Implementation, ProtocolVersion, SERVER_INFO};
use catalog::Catalog;
use extension::Extensions;
use layer::{Layer, Layers};
use lifespan::Lifespan;
use outcome::{Caching, Keep};
use seal::Seal;
use settings::{MAX_DEPTH, Settings};
use spent::Spent;
use state::States;

/// A server: its name, what it offers, and how it behaves.
///
/// Build it once, then serve it: [`serve_stdio`](Server::serve_stdio) for a host that starts it as a child process,
/// [`serve`](Server::serve) for any pair of streams.
///
/// ```no_run
/// use mcp_server::prelude::*;
///
/// /// Add two numbers.
/// #[tool(read_only)]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), ServeError> {
///     Server::new("calculator").tool(add).serve_stdio().await
/// }
/// ```
pub struct Server {
    info: Implementation,
    instructions: Option<String>,
    catalog: Arc<Catalog>,
    versions: Vec<ProtocolVersion>,
    settings: Settings,
    caching: Caching,
    logging: bool,
    /// Whether a mounted server has log messages.
    mounted_logging: bool,
    layers: Layers,
    states: States,
    lifespans: Vec<Lifespan>,
    extensions: Extensions,
    state_keys: Vec<StateKey>,
}

impl Server {
    /// A server of that name, which offers nothing yet and speaks all revisions of the protocol.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            info: Implementation::new(name, "0.0.0"),
            instructions: None,
            catalog: Arc::default(),
            versions: ProtocolVersion::ALL.to_vec(),
            settings: Settings::default(),
            caching: Caching::default(),
            logging: false,
            mounted_logging: false,
            layers: Layers::default(),
            states: States::default(),
            lifespans: Vec::new(),
            extensions: Extensions::default(),
            state_keys: Vec::new(),
        }
    }

    /// Adds a tool: an `async fn` with `#[tool]` by its name, a plain `fn` with `#[tool]` as `name {}`.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Add two numbers.
    /// #[tool]
    /// async fn add(a: i64, b: i64) -> i64 {
    ///     a + b
    /// }
    ///
    /// /// Find the smallest prime factor, on a thread of its own.
    /// #[tool]
    /// fn factor(n: u64) -> Option<u64> {
    ///     (2..=n).find(|d| n % d == 0)
    /// }
    ///
    /// let server = Server::new("calculator").tool(add).tool(factor {});
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a tool of that name already, or a schema that the tool was given is no good; the text names
    /// the places.
    #[must_use]
    #[track_caller]
    pub fn tool<M>(self, tool: impl IntoTool<M>) -> Self {
        self.added(Offer::Tool(tool.into_tool()))
    }

    /// Adds a resource or a template of resources: an `async fn` with `#[resource("…")]` by its name, a plain `fn` with
    /// it as `name {}`, or a [`Resource`] made by hand.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// All that is sold.
    /// #[resource("shop://catalog")]
    /// async fn catalog() -> &'static str {
    ///     "tea, coffee"
    /// }
    ///
    /// let server = Server::new("shop").resource(catalog);
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a resource of that address already; the text names the places of both.
    #[must_use]
    #[track_caller]
    pub fn resource<M>(self, resource: impl IntoResource<M>) -> Self {
        self.added(Offer::Resource(resource.into_resource()))
    }

    /// Adds a prompt: an `async fn` with `#[prompt]` by its name, a plain `fn` with it as `name {}`, or a [`Prompt`]
    /// made by hand.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Have a text translated.
    /// #[prompt]
    /// async fn translate(text: String, language: String) -> String {
    ///     format!("Translate into {language}:\n\n{text}")
    /// }
    ///
    /// let server = Server::new("letters").prompt(translate);
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has a prompt of that name already; the text names the places of both.
    #[must_use]
    #[track_caller]
    pub fn prompt<M>(self, prompt: impl IntoPrompt<M>) -> Self {
        self.added(Offer::Prompt(prompt.into_prompt()))
    }

    #[track_caller]
    fn added(self, offer: Offer) -> Self {
        let added = match offer {
            Offer::Tool(tool) => self.catalog.add_tool(tool),
            Offer::Resource(resource) => self.catalog.add_resource(resource),
            Offer::Prompt(prompt) => self.catalog.add_prompt(prompt),
        };
        match added {
            Ok(()) => self,
            Err(fault) => panic!("{fault}"),
        }
    }

    /// Adds all tools, resources and prompts of a `#[server]` block, which share the value.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// struct Shop {
    ///     name: String,
    /// }
    ///
    /// #[server]
    /// impl Shop {
    ///     /// The name over the door.
    ///     #[tool]
    ///     async fn sign(&self) -> String {
    ///         self.name.clone()
    ///     }
    /// }
    ///
    /// let server = Server::new("shop").with(Shop { name: "Ada's".into() });
    /// ```
    ///
    /// # Panics
    ///
    /// When the server has something of one of these names already; the text names the places of both.
    #[must_use]
    #[track_caller]
    pub fn with(self, offers: impl ServerBlock) -> Self {
        Arc::new(offers).offers().into_iter().fold(self, Self::added)
    }

    /// Adds a value that handlers share, as a parameter [`State<T>`](State).
    ///
    /// # Panics
    ///
    /// When the server has a value of that type already.
    #[must_use]
    #[track_caller]
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.states.insert(value);
        self
    }

    /// Changes what the server offers while it is served. A server with a handle tells its clients that it may change.
    pub fn handle(&self) -> ServerHandle {
        self.catalog.announce_changes();
        ServerHandle { catalog: Arc::clone(&self.catalog) }
    }

    /// Carries changes to other machines as well; without it they reach the clients of this process.
    ///
    /// # Panics
    ///
    /// When there is one already.
    #[must_use]
    #[track_caller]
    pub fn fanout(self, fanout: impl Fanout) -> Self {
        assert!(self.catalog.changes.set_fanout(fanout), "the server has a fan-out already");
        self
    }

    /// Puts a layer around every request. The first that is added is the outermost.
    ///
    /// What belongs to the connection never comes to a layer, such as `initialize` and `ping`: see [`Layer`].
    #[must_use]
    pub fn layer(mut self, layer: impl Layer) -> Self {
        self.layers.push(layer);
        self
    }

    /// Adds an extension of the protocol, which is declared to clients.
    ///
    /// # Panics
    ///
    /// When the server has it already.
    #[must_use]
    #[track_caller]
    pub fn extension(mut self, extension: Extension) -> Self {
        self.extensions.add(extension);
        self
    }

    /// Lets handlers send log messages to clients that ask for them: [`Context::log`]. Without it they go nowhere.
    ///
    /// The protocol keeps this for older hosts; new servers rather write to standard error, or use OpenTelemetry.
    #[must_use]
    pub fn logging(mut self) -> Self {
        self.logging = true;
        self
    }

    /// For how long clients may keep lists and what they have read, and whether only for whoever asked; not at all
    /// unless set. A resource can say it for itself.
    ///
    /// `CacheScope::Public` is for what is the same for everybody.
    #[must_use]
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.caching = Caching { ttl, scope };
        self
    }

    /// The keys that seal what travels through clients while they answer questions: the first seals, all are accepted,
    /// so that a key can be replaced. Machines that serve one another's clients need the same ones. Without them there
    /// is a random key for this server alone.
    #[must_use]
    pub fn state_keys(mut self, keys: impl IntoIterator<Item = StateKey>) -> Self {
        self.state_keys = keys.into_iter().collect();
        self
    }

    /// For how long a client may take to come back with the answers to questions; an hour unless set, a day at most.
    #[must_use]
    pub fn state_ttl(mut self, ttl: Duration) -> Self {
        self.settings.state_ttl = ttl.min(LONG);
        self
    }

    /// The version of the server itself, such as `env!("CARGO_PKG_VERSION")`; `0.0.0` unless set.
    #[must_use]
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.info.version = version.into();
        self
    }

    /// The name that people read.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.info.title = Some(title.into());
        self
    }

    /// What the server is, for people.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.info.description = Some(description.into());
        self
    }

    /// Where the server's web site is.
    #[must_use]
    pub fn website_url(mut self, url: impl Into<String>) -> Self {
        self.info.website_url = Some(url.into());
        self
    }

    /// A picture of the server.
    #[must_use]
    pub fn icon(mut self, icon: Icon) -> Self {
        self.info.icons.push(icon);
        self
    }

    /// How to make good use of the server as a whole, for a model.
    #[must_use]
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// The revisions of the protocol that are served; all of them unless set.
    ///
    /// # Panics
    ///
    /// When there are none.
    #[must_use]
    #[track_caller]
    pub fn protocol_versions(mut self, versions: impl IntoIterator<Item = ProtocolVersion>) -> Self {
        self.versions = versions.into_iter().collect();
        assert!(!self.versions.is_empty(), "a server must speak at least one revision of the protocol");
        self
    }

    /// How many items a page of a list has; all of them unless set.
    #[must_use]
    pub fn page_size(mut self, items: usize) -> Self {
        self.settings.page_size = items.max(1);
        self
    }

    /// How many bytes a message may have; 32 MiB unless set, and 4 MiB over HTTP. A longer one is skipped and answered
    /// with an error, and no more memory than this is spent on it.
    #[must_use]
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.settings.max_message_size = Some(bytes);
        self
    }

    /// How deep arrays and objects of a message may be nested; 127 unless set, which is also the most.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.settings.max_depth = depth.min(MAX_DEPTH);
        self
    }

    /// How many calls of one connection may run at a time, or of one session over HTTP; 4096 unless set. One more is
    /// refused with an error. Stateless requests over HTTP are counted by `Http::max_requests`.
    #[must_use]
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.settings.max_in_flight = calls;
        self
    }

    /// How many bytes may wait to be written before whoever has something to say must wait; 64 KiB unless set. Responses
    /// that wait for room count too: when they have 128 MiB in all, nothing more is read.
    #[must_use]
    pub fn queue_size(mut self, bytes: usize) -> Self {
        self.settings.queue_size = bytes;
        self
    }

    /// For how long a response is held back after the last report of its own call was written; 5 ms unless set, and
    /// zero switches it off.
    ///
    /// Many clients in use lose a report that they read together with its response. For their sake a server on standard
    /// output also waits, for up to half a second, until the client has read the report, where the system tells (pipes and
    /// sockets on Linux). Other messages are not held up, and neither is a call whose last report was read long ago.
    /// Servers in memory never wait.
    #[must_use]
    pub fn progress_settle(mut self, settle: Duration) -> Self {
        self.settings.progress_settle = settle.min(LONG);
        self
    }

    /// The least time between two reports of a call; zero unless set, which sends each. Of the reports in between the
    /// newest wins, and the last one before the response always goes out.
    #[must_use]
    pub fn progress_interval(mut self, interval: Duration) -> Self {
        self.settings.progress_interval = interval;
        self
    }

    /// For how long calls may go on when the client has ended its input; 30 s unless set, a day at most. What is then
    /// still to be written has the same time once more, and so has each [`lifespan`](Self::lifespan) for its closing.
    ///
    /// A plain `fn` that never asks [`Context::is_cancelled`] can't be stopped: the process waits for it when its
    /// runtime ends.
    #[must_use]
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.settings.drain_timeout = timeout.min(LONG);
        self
    }

    /// Whether a tool asks for scopes of whoever calls it.
    #[cfg(feature = "http")]
    pub(crate) fn asks_for_scopes(&self) -> bool {
        self.catalog.asks_for_scopes()
    }

    /// How many bytes a message may have over HTTP, where many clients can send one at a time.
    #[cfg(feature = "http")]
    pub(crate) fn max_body_size(&self) -> usize {
        self.settings.max_message_size.unwrap_or(4 * 1024 * 1024)
    }

    pub(crate) fn settle(&self) -> Duration {
        self.settings.progress_settle
    }

    /// Everything that is made once and shared by all connections.
    ///
    /// # Panics
    ///
    /// When a handler takes a state that the server does not have, or the view of a tool is not there.
    pub(crate) fn build(self) -> Arc<Core> {
        let info = serde_json::to_string(&self.info).expect("an implementation is plain data");
        let server_meta = format!(r#""_meta":{{"{SERVER_INFO}":{info}}}"#).into_bytes();
        let states = Arc::new(self.states);
        if let Err(fault) = self.catalog.serve(Arc::clone(&states), self.extensions.has(apps::EXTENSION_ID)) {
            panic!("{fault}");
        }
        Arc::new(Core {
            info: self.info,
            instructions: self.instructions,
            catalog: self.catalog,
            versions: self.versions,
            settings: self.settings,
            caching: self.caching,
            logging: self.logging || self.mounted_logging,
            logs_itself: self.logging,
            layers: self.layers,
            states,
            extensions: self.extensions,
            seal: Seal::new(self.state_keys),
            spent: Arc::default(),
            server_meta,
        })
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("info", &self.info).field("catalog", &self.catalog).finish_non_exhaustive()
    }
}

/// No clock of the system shows times that are much further away.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// A server as it is served: but for its catalog, nothing in it changes any more.
#[derive(Debug)]
pub(crate) struct Core {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    pub(crate) catalog: Arc<Catalog>,
    versions: Vec<ProtocolVersion>,
    pub(crate) settings: Settings,
    pub(crate) caching: Caching,
    /// Whether anything may send log messages …
    pub(crate) logging: bool,
    /// … and whether what is not mounted may.
    pub(crate) logs_itself: bool,
    pub(crate) layers: Layers,
    pub(crate) states: Arc<States>,
    pub(crate) extensions: Extensions,
    /// Seals what travels through clients.
    pub(crate) seal: Seal,
    /// What of it is used up.
    pub(crate) spent: Arc<Spent>,
    /// The `_meta` member of every stateless result.
    pub(crate) server_meta: Vec<u8>,
}

impl Core {
    pub(crate) fn speaks(&self, version: ProtocolVersion) -> bool {
        self.versions.contains(&version)
    }

    pub(crate) fn modern_versions(&self) -> Vec<ProtocolVersion> {
        self.versions.iter().copied().filter(|version| version.is_modern()).collect()
    }

    /// The revisions that begin with a handshake.
    pub(crate) fn legacy_versions(&self) -> impl Iterator<Item = ProtocolVersion> {
        self.versions.iter().copied().filter(|version| !version.is_modern())
    }

    /// For how long what is not said for itself may be kept.
    pub(crate) fn keep(&self) -> Keep {
        Keep::For(self.caching)
    }

    /// What is offered, as far as a revision knows it.
    pub(crate) fn capabilities(&self, version: ProtocolVersion) -> Value {
        let mut capabilities = self.catalog.capabilities(version);
        if self.logging {
            capabilities.insert("logging".to_owned(), Value::Object(Map::new()));
        }
        let extensions = self.extensions.declared(version.is_modern());
        if !extensions.is_empty() {
            capabilities.insert("extensions".to_owned(), Value::Object(extensions));
        }
        Value::Object(capabilities)
    }

    /// The members of the answer to `server/discover`.
    pub(crate) fn discover_members(&self) -> Vec<u8> {
        let versions = serde_json::to_string(&self.modern_versions()).expect("versions are plain data");
        let capabilities = self.capabilities(ProtocolVersion::LATEST);
        let mut members = format!(r#""supportedVersions":{versions},"capabilities":{capabilities}"#);
        if let Some(instructions) = &self.instructions {
            members += &format!(r#","instructions":{}"#, Value::from(instructions.as_str()));
        }
        members.into_bytes()
    }
}
