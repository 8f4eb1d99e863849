//! Extensions: what goes beyond the protocol, declared by both sides before it is used.
//!
//! Specification: [Extensions](https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::Core;
use super::context::{Context, Peer};
use super::dispatch::{self, Reply, Request};
use super::handler::{Step, Target};
use super::link::Link;
use super::outcome::{OtherResult, Running, ServerResult, Subject};
use super::request_error::RequestError;
use crate::protocol::{ClientCapabilities, ErrorObject, Params, RawJson, fault_of_extension, read_object};

/// An extension that a server supports: its identifier, its settings, and the methods that come with it.
///
/// ```
/// use mcp_server::prelude::*;
/// use mcp_server::{Extension, RequestError};
///
/// #[derive(serde::Deserialize)]
/// struct Weigh {
///     parcel: String,
/// }
///
/// let scales = Extension::new("com.example/scales", json!({ "unit": "g" })).method(
///     "com.example/scales/weigh",
///     |weigh: Weigh, _ctx: Context| async move { Ok::<_, RequestError>(json!({ "grams": weigh.parcel.len() })) },
/// );
/// let server = Server::new("post office").extension(scales);
/// ```
pub struct Extension {
    pub(crate) id: Cow<'static, str>,
    pub(crate) settings: Value,
    methods: BTreeMap<Cow<'static, str>, Handler>,
    notifications: BTreeMap<Cow<'static, str>, Listener>,
    /// Whether clients of older revisions may use it, whose handshake has a place for it.
    pub(crate) before_2026: bool,
}

type Handler = Arc<dyn Fn(Option<&RawValue>, Context) -> Running + Send + Sync>;
type Listener = Arc<dyn Fn(Option<&RawValue>) + Send + Sync>;

impl Extension {
    /// An extension by its identifier, such as `com.example/scales`, with its settings; `{}` for none.
    ///
    /// # Panics
    ///
    /// When the identifier has no prefix or is otherwise none, or the settings are no object.
    #[track_caller]
    pub fn new(id: impl Into<Cow<'static, str>>, settings: Value) -> Self {
        let id = id.into();
        if let Some(fault) = fault_of_extension(&id) {
            panic!("`{id}` can't be the identifier of an extension: {fault}");
        }
        assert!(settings.is_object(), "the settings of the extension `{id}` must be a JSON object");
        Self { id, settings, methods: BTreeMap::new(), notifications: BTreeMap::new(), before_2026: false }
    }

    /// Lets clients of the revisions before 2026-07-28 use it too, as MCP Apps allows.
    #[must_use]
    pub fn before_2026(self) -> Self {
        Self { before_2026: true, ..self }
    }

    /// Adds a method, which only clients that declared the extension may call. The result is any value that becomes a
    /// JSON object, or an [`OtherResult`] with a `resultType` of its own.
    ///
    /// # Panics
    ///
    /// When the extension has that method already.
    #[must_use]
    #[track_caller]
    pub fn method<P, F, R, E>(
        mut self,
        name: impl Into<Cow<'static, str>>,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) -> Self
    where
        P: DeserializeOwned,
        F: Future<Output = Result<R, E>> + Send + 'static,
        R: IntoOtherResult,
        E: Into<RequestError>,
    {
        let name = name.into();
        let handler: Handler = Arc::new(move |params, context| {
            let params = match read::<P>(params) {
                Ok(params) => params,
                Err(error) => return Box::pin(std::future::ready(Err(error))),
            };
            let running = handler(params, context);
            Box::pin(async move {
                let result = running.await.map_err(Into::into).and_then(R::into_other_result);
                result.map(ServerResult::Other).map_err(|error: RequestError| error.into_object(&Target::Other))
            })
        });
        let earlier = self.methods.insert(name.clone(), handler);
        assert!(earlier.is_none(), "the extension `{}` has two methods `{name}`", self.id);
        self
    }

    /// Adds a notification of the client's. One that can't be read is ignored, as all such are.
    ///
    /// So is one from a client that did not declare the extension, as far as that is known. After a handshake it always
    /// is, and the extension must be one for clients [before 2026-07-28](Self::before_2026) as well. A client of
    /// stateless requests says it in the `_meta` of each request, but need not do so in that of a notification: without
    /// a word of its capabilities the notification is heard.
    ///
    /// # Panics
    ///
    /// When the extension has that notification already.
    #[must_use]
    #[track_caller]
    pub fn notification<P: DeserializeOwned>(
        mut self,
        name: impl Into<Cow<'static, str>>,
        listener: impl Fn(P) + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let noted = name.clone();
        let listener: Listener = Arc::new(move |params| match read::<P>(params) {
            Ok(params) => listener(params),
            Err(error) => tracing::debug!(%error, method = %noted, "a notification that can't be read was ignored"),
        });
        let earlier = self.notifications.insert(name.clone(), listener);
        assert!(earlier.is_none(), "the extension `{}` has two notifications `{name}`", self.id);
        self
    }
}

fn read<P: DeserializeOwned>(params: Option<&RawValue>) -> Result<P, ErrorObject> {
    let text = params.map_or("{}", RawValue::get);
    serde_json::from_str(text).map_err(|error| ErrorObject::invalid_params(format!("`params` can't be read: {error}")))
}

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Extension").field("id", &self.id).finish_non_exhaustive()
    }
}

/// What a method of an extension may return: an [`OtherResult`], or a value that serde writes as a JSON object.
pub trait IntoOtherResult {
    /// The result.
    ///
    /// # Errors
    ///
    /// When the value is no JSON object, or has a `_meta` that is no object or a `resultType` that is no text.
    fn into_other_result(self) -> Result<OtherResult, RequestError>;
}

impl IntoOtherResult for OtherResult {
    fn into_other_result(self) -> Result<OtherResult, RequestError> {
        Ok(self)
    }
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoOtherResult for T {
    fn into_other_result(self) -> Result<OtherResult, RequestError> {
        match serde_json::to_value(self)? {
            Value::Object(members) => OtherResult::read(members).map_err(RequestError::internal),
            other => {
                let got = crate::schema::describe(&other);
                Err(RequestError::internal(format!("the result of a method must be an object, and is {got}")))
            }
        }
    }
}

/// The extensions of a server.
#[derive(Debug, Default)]
pub(crate) struct Extensions(Vec<Arc<Extension>>);

/// A method of an extension.
pub(crate) struct Method {
    extension: Arc<Extension>,
    handler: Handler,
}

impl Extensions {
    /// # Panics
    ///
    /// When there is one of that identifier already, or with one of these methods or notifications.
    #[track_caller]
    pub(crate) fn add(&mut self, extension: Extension) {
        for other in &self.0 {
            assert!(other.id != extension.id, "the extension `{}` was added twice", extension.id);
        }
        self.check_names(&extension);
        self.0.push(Arc::new(extension));
    }

    /// Adds those of a mounted server. One that both have stays one, if it has no code of its own.
    ///
    /// # Panics
    ///
    /// When the two can't be told apart.
    #[track_caller]
    pub(crate) fn add_all(&mut self, extensions: Self) {
        for extension in extensions.0 {
            let has_code = !(extension.methods.is_empty() && extension.notifications.is_empty());
            match self.0.iter().find(|other| other.id == extension.id) {
                Some(other) if !has_code && other.settings == extension.settings => {}
                Some(_) => panic!("the extension `{}` was added twice", extension.id),
                None => {
                    self.check_names(&extension);
                    self.0.push(extension);
                }
            }
        }
    }

    #[track_caller]
    fn check_names(&self, extension: &Extension) {
        for other in &self.0 {
            if let Some(name) = extension.methods.keys().find(|name| other.methods.contains_key(*name)) {
                panic!("the extensions `{}` and `{}` both have a method `{name}`", other.id, extension.id);
            }
            if let Some(name) = extension.notifications.keys().find(|name| other.notifications.contains_key(*name)) {
                panic!("the extensions `{}` and `{}` both have a notification `{name}`", other.id, extension.id);
            }
        }
    }

    pub(crate) fn has(&self, id: &str) -> bool {
        self.0.iter().any(|extension| extension.id == id)
    }

    /// What the server declares: to older clients only what they may use.
    pub(crate) fn declared(&self, is_modern: bool) -> Map<String, Value> {
        let declared = self.0.iter().filter(|extension| is_modern || extension.before_2026);
        declared.map(|extension| (extension.id.to_string(), extension.settings.clone())).collect()
    }

    pub(crate) fn method(&self, name: &str) -> Option<Method> {
        self.0.iter().find_map(|extension| {
            let handler = Arc::clone(extension.methods.get(name)?);
            Some(Method { extension: Arc::clone(extension), handler })
        })
    }

    /// Hands a notification to the extension that knows it. `false`: none does.
    ///
    /// `peer`: what the client said in its handshake, where there was one.
    pub(crate) fn notify(&self, name: &str, params: &Params<'_>, peer: Option<&Peer>) -> bool {
        let known = self.0.iter().find_map(|extension| Some((extension, extension.notifications.get(name)?)));
        let Some((extension, listener)) = known else { return false };
        if !extension.hears(params, peer) {
            tracing::debug!(
                method = name,
                "a notification of an extension that the client did not declare was ignored"
            );
            return true;
        }
        // The author's code may panic like any other.
        if catch_unwind(AssertUnwindSafe(|| listener(params.raw().map(RawJson::raw)))).is_err() {
            tracing::warn!(method = name, "the listener of a notification has panicked");
        }
        true
    }
}

impl Extension {
    /// Whether these are the capabilities of a client that has declared it.
    fn is_declared(&self, capabilities: Option<RawJson<'_>>) -> bool {
        let capabilities = capabilities.and_then(|json| read_object::<ClientCapabilities>(json).ok());
        let declared = capabilities.and_then(|capabilities| capabilities.extensions);
        declared.is_some_and(|declared| declared.contains_key(&*self.id))
    }

    /// Whether a notification comes from a client that may use it, as far as that is known.
    fn hears(&self, params: &Params<'_>, peer: Option<&Peer>) -> bool {
        match (params.meta().client_capabilities, peer) {
            (Some(said), _) => self.is_declared(Some(said)),
            (None, Some(peer)) => self.before_2026 && self.is_declared(peer.capabilities.as_deref().map(RawJson::from)),
            // The `_meta` of a notification need not have capabilities: only that of a request must.
            (None, None) => true,
        }
    }
}

impl Method {
    /// Calls the method, if the client declared its extension.
    pub(crate) fn call(&self, core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
        let (id, method) = (&*self.extension.id, request.method);
        let is_modern = request.version.is_modern();
        if !is_modern && !self.extension.before_2026 {
            return Err(ErrorObject::method_not_found(method));
        }
        let capabilities = match &request.peer {
            Some(peer) => peer.capabilities.as_deref().map(RawJson::from),
            None => request.meta().client_capabilities,
        };
        if !self.extension.is_declared(capabilities) {
            let extensions = Some(Map::from_iter([(id.to_owned(), json!({}))]));
            let required = ClientCapabilities { extensions, ..Default::default() };
            let text = format!("the method `{method}` is part of the extension `{id}`: declare it to use it");
            return Err(if is_modern {
                ErrorObject::missing_client_capability(text, required)
            } else {
                ErrorObject::invalid_request(text)
            });
        }
        let subject = Subject::Other("method", method.into());
        let start =
            |context: &Context| Step::Run((self.handler)(request.params.raw().map(RawJson::raw), context.clone()));
        dispatch::begin(core, link, request, subject, None, start)
    }
}
