//! One resource, or a template of many: what a client may know about it, and the code that reads it.

use std::borrow::Cow;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::attached::attached;
use super::completion::{Completer, Completers};
use super::context::Context;
use super::handler::{Call, Handler, Input, Need, Outcome, ReadTarget, Returns, Step, Target};
use super::outcome::{Caching, ServerResult};
use super::parameter::{Extractor, FromContext, Param, TextParameter, TextParameters};
use super::request_error::RequestError;
use super::result::Json;
use super::state::Scope;
use super::texts::Texts;
use super::tool::{add_meta, described};
use super::uri_template::{self, UriTemplate};
use crate::protocol::{
    Annotations, CacheScope, Icon, ReadResourceResult, Resource as Listed, ResourceContents,
    ResourceTemplate as ListedTemplate,
};

/// A resource, or a template of resources, ready to be given to a [`Server`](crate::Server).
///
/// Functions with `#[resource("…")]` become one by themselves. By hand it goes like this:
///
/// ```
/// use mcp_server::{Resource, Server};
///
/// let mut order = Resource::builder("shop://orders/{id}");
/// order.name("order").description("One order.").mime_type("text/plain");
/// let id = order.variable::<u32, _>("id");
/// let result = order.returns::<String>();
/// let order = order.handler(move |call| match id.take(call) {
///     Some(id) => call.run(async move { format!("order {id}") }, result),
///     None => call.refuse(),
/// });
/// let server = Server::new("shop").resource(order);
/// ```
///
/// Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources).
#[derive(Clone)]
pub struct Resource(pub(crate) Arc<ResourceParts>);

#[derive(Clone)]
pub(crate) struct ResourceParts {
    /// Its address, or the template of addresses.
    pub(crate) uri: Cow<'static, str>,
    pub(crate) template: Option<UriTemplate>,
    /// What is listed, but for the address.
    pub(crate) listed: Listed,
    pub(crate) cache: Option<(Duration, CacheScope)>,
    pub(crate) completers: Completers,
    /// Variables that may have any value.
    pub(crate) raw: Vec<Cow<'static, str>>,
    /// Where the author wrote it.
    pub(crate) location: &'static Location<'static>,
    pub(crate) needs: Vec<Need>,
    pub(crate) scope: Option<Arc<Scope>>,
    pub(crate) fault: Option<String>,
    handler: Handler,
}

/// A resource with an address of its own, in its list.
#[derive(Clone, Debug)]
pub(crate) struct Fixed(pub(crate) Resource);

/// A template, in its list.
#[derive(Clone, Debug)]
pub(crate) struct Template(pub(crate) Resource);

impl Resource {
    /// Starts to describe a resource by its address, such as `shop://catalog`, or a template of addresses, such as
    /// `shop://orders/{id}` (RFC 6570 up to level 3).
    #[track_caller]
    pub fn builder(uri: impl Into<Cow<'static, str>>) -> ResourceBuilder {
        let uri = uri.into();
        ResourceBuilder {
            listed: Listed::new("", uri.clone()),
            uri,
            cache: None,
            parameters: TextParameters::default(),
            completers: Completers::default(),
            raw: Vec::new(),
            location: Location::caller(),
        }
    }

    /// The address, or the template of addresses.
    pub fn uri(&self) -> &str {
        &self.0.uri
    }

    /// The address that a template gives for these values, each encoded as its place needs it. A variable without a
    /// value is left out.
    ///
    /// ```
    /// use mcp_server::Resource;
    ///
    /// let uri = Resource::expand("notes://note/{name}{?page}", [("name", "tea & more")]);
    /// assert_eq!(uri, "notes://note/tea%20%26%20more");
    /// ```
    ///
    /// # Panics
    ///
    /// When the text is no template; it says why.
    #[track_caller]
    pub fn expand<'a>(template: &str, values: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
        let values: Vec<_> = values.into_iter().collect();
        match UriTemplate::parse(template) {
            Ok(template) => {
                template.expand(|name| values.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
            }
            Err(fault) => panic!("`{template}` can't be the template of an address: {fault}"),
        }
    }

    pub(crate) fn is_template(&self) -> bool {
        self.0.template.is_some()
    }

    /// Reads the variables and starts the call, or says what is wrong with them.
    pub(crate) fn call(&self, uri: &str, values: Texts<'_>, context: &Context) -> Step {
        let target = Target::Resource(Arc::new(ReadTarget {
            uri: self.0.scope.as_ref().map_or_else(|| uri.into(), |scope| scope.inner_uri(uri).into()),
            asked: uri.into(),
            mime_type: self.0.listed.mime_type.as_deref().map(Into::into),
            version: context.protocol_version(),
            cache: self.0.cache,
        }));
        let mut call = Call::new(Input::Texts(values), context, target);
        (self.0.handler)(&mut call).0
    }

    /// The same as an item of the server that it is mounted in.
    pub(crate) fn within(&self, scope: &Arc<Scope>) -> Self {
        let mut parts = (*self.0).clone();
        let uri = uri_template::prefixed(&parts.uri, &scope.prefix);
        if parts.listed.name == parts.uri {
            parts.listed.name.clone_from(&uri);
        }
        parts.uri = uri.into();
        parts.template = parts.template.map(|template| template.prefixed(&scope.prefix));
        let caching = scope.caching;
        let said = (caching != Caching::default()).then_some((caching.ttl, caching.scope));
        parts.cache = parts.cache.or(said);
        parts.scope = Some(parts.scope.map_or_else(|| Arc::clone(scope), |inner| inner.within(scope)));
        Self(Arc::new(parts))
    }

    /// The template as `resources/templates/list` shows it.
    pub(crate) fn listed_template(&self) -> ListedTemplate {
        let Listed { name, title, description, mime_type, annotations, icons, meta, .. } = self.0.listed.clone();
        ListedTemplate {
            uri_template: self.0.uri.to_string(),
            name,
            title,
            description,
            mime_type,
            annotations,
            icons,
            meta,
        }
    }
}

impl Template {
    pub(crate) fn completes(&self) -> bool {
        !self.0.0.completers.is_empty()
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").field("uri", &self.0.uri).finish_non_exhaustive()
    }
}

/// Describes a resource; see [`Resource`] for an example.
pub struct ResourceBuilder {
    uri: Cow<'static, str>,
    listed: Listed,
    cache: Option<(Duration, CacheScope)>,
    parameters: TextParameters,
    completers: Completers,
    raw: Vec<Cow<'static, str>>,
    location: &'static Location<'static>,
}

impl ResourceBuilder {
    /// The name that programs use; the address unless set.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.listed.name = name.into();
        self
    }

    /// The name that people read.
    pub fn title(&mut self, title: impl Into<String>) -> &mut Self {
        self.listed.title = Some(title.into());
        self
    }

    /// What the resource is, for the model. An empty text is none.
    pub fn description(&mut self, description: impl Into<String>) -> &mut Self {
        self.listed.description = described(description.into().into()).map(Into::into);
        self
    }

    /// The kind of data, such as `text/plain`. Of a template only if all its resources have it.
    pub fn mime_type(&mut self, mime_type: impl Into<String>) -> &mut Self {
        self.listed.mime_type = Some(mime_type.into());
        self
    }

    /// How many bytes it has. A template has no size.
    pub fn size(&mut self, bytes: u64) -> &mut Self {
        self.listed.size = Some(bytes);
        self
    }

    /// Whom it is for, how much it matters, and when it was last changed.
    pub fn annotations(&mut self, annotations: Annotations) -> &mut Self {
        self.listed.annotations = Some(annotations);
        self
    }

    /// A picture of it.
    pub fn icon(&mut self, icon: Icon) -> &mut Self {
        self.listed.icons.push(icon);
        self
    }

    /// Data for programs: its `_meta` in the list, added to what is there.
    ///
    /// # Panics
    ///
    /// When `meta` is no JSON object.
    #[track_caller]
    pub fn meta(&mut self, meta: Value) -> &mut Self {
        add_meta(&mut self.listed.meta, meta);
        self
    }

    /// For how long what was read may be kept, and by whom, instead of what the server says.
    pub fn cache(&mut self, ttl: Duration, scope: CacheScope) -> &mut Self {
        self.cache = Some((ttl, scope));
        self
    }

    /// Adds a parameter whose value is that variable of the template.
    pub fn variable<T: TextParameter<M>, M>(&mut self, name: &'static str) -> Param<T> {
        T::describe(&mut self.parameters, name, "", None)
    }

    /// As [`ResourceBuilder::variable`], with a default for a variable of the query that is missing.
    pub fn variable_or<T: TextParameter<M>, M>(&mut self, name: &'static str, default: fn() -> T) -> Param<T> {
        T::describe(&mut self.parameters, name, "", Some(default))
    }

    /// Adds a parameter that is no variable, and comes from the call.
    #[doc(hidden)]
    pub fn extract<T: FromContext>(&mut self) -> Param<T> {
        <T as TextParameter<Extractor>>::describe(&mut self.parameters, "", "", None)
    }

    /// Lets a variable have any value: also absolute paths, `..` and NUL, which are refused otherwise.
    pub fn raw(&mut self, variable: impl Into<Cow<'static, str>>) -> &mut Self {
        self.raw.push(variable.into());
        self
    }

    /// Completes what a user types for a variable.
    pub fn complete<M>(&mut self, variable: impl Into<Cow<'static, str>>, completer: impl Completer<M>) -> &mut Self {
        self.completers.add(variable.into(), completer);
        self
    }

    /// Says what the handler returns.
    pub fn returns<R: IntoReadResourceResult>(&mut self) -> Returns<R> {
        Returns(|value, target| {
            let Target::Resource(read) = target else { unreachable!("a resource is read as one") };
            let result = value.into_read_resource_result(&read.uri, read.mime_type.as_deref());
            let mut result = result.map_err(|error| error.into_object(target))?;
            if let Some((ttl, scope)) = read.cache {
                result.ttl_ms.get_or_insert(u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX));
                result.cache_scope.get_or_insert(scope);
            }
            Ok(ServerResult::ReadResource(result))
        })
    }

    /// Ends the description with a function of all variables at once, for resources that are known only when the
    /// program runs.
    ///
    /// `T` is a struct with a field for each variable of the template, or a map of texts; of an address without
    /// variables it is `()`. Each field is read from the text, as a parameter of a `#[resource]` function is.
    ///
    /// ```
    /// use std::collections::HashMap;
    ///
    /// use mcp_server::prelude::*;
    /// use mcp_server::Resource;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Order {
    ///     id: u32,
    /// }
    ///
    /// let order = Resource::builder("shop://orders/{id}")
    ///     .read(|order: Order, _ctx: Context| async move { format!("order {}", order.id) });
    /// let any = Resource::builder("shop://shelves/{shelf}{?row}")
    ///     .read(|variables: HashMap<String, String>, _ctx: Context| async move { Json(variables) });
    /// let about = Resource::builder("shop://about").read(|(), _ctx: Context| async { "a shop" });
    /// let server = Server::new("shop").resource(order).resource(any).resource(about);
    /// ```
    pub fn read<T, F, R>(mut self, function: impl Fn(T, Context) -> F + Send + Sync + 'static) -> Resource
    where
        T: DeserializeOwned,
        F: Future<Output = R> + Send + 'static,
        R: IntoReadResourceResult + 'static,
    {
        let result = self.returns::<R>();
        self.handler(move |call| match call.texts().read::<T>() {
            Some(variables) => {
                let context = call.context().clone();
                call.run(function(variables, context), result)
            }
            None => call.refuse(),
        })
    }

    /// Ends the description with the code that runs for each reading.
    pub fn handler(self, handler: impl Fn(&mut Call<'_>) -> Outcome + Send + Sync + 'static) -> Resource {
        self.finish(Arc::new(handler))
    }

    // Not generic: compiled once for all resources.
    fn finish(self, handler: Handler) -> Resource {
        let Self { uri, listed, cache, parameters, completers, raw, location } = self;
        let is_template = uri.contains(['{', '}']);
        let (template, fault) = match is_template.then(|| UriTemplate::parse(&uri)) {
            None => (None, fault_of_uri(&uri)),
            Some(Ok(template)) => {
                let fault = fault_of_variables(&template, &parameters, &completers, &raw);
                (Some(template), fault)
            }
            Some(Err(fault)) => (None, Some(format!("can't be the template of an address: {fault}"))),
        };
        let fault = fault.or(parameters.fault);
        let needs = parameters.needs;
        let parts = ResourceParts {
            uri,
            template,
            listed,
            cache,
            completers,
            raw,
            location,
            needs,
            scope: None,
            fault,
            handler,
        };
        Resource(Arc::new(parts))
    }
}

fn fault_of_uri(uri: &str) -> Option<String> {
    UriTemplate::parse(uri).err().map(|fault| format!("can't be the address of a resource: {fault}"))
}

fn fault_of_variables(
    template: &UriTemplate,
    parameters: &TextParameters,
    completers: &Completers,
    raw: &[Cow<'static, str>],
) -> Option<String> {
    let is_variable = |name: &str| template.variables().any(|variable| variable == name);
    let names = parameters.variables.iter().map(|variable| variable.name);
    let wrong =
        names.chain(completers.names()).chain(raw.iter().map(|name| &**name)).find(|name| !is_variable(name))?;
    Some(format!("has no variable `{wrong}`: it has `{}`", template.variables().collect::<Vec<_>>().join("`, `")))
}

impl fmt::Debug for ResourceBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResourceBuilder").field("uri", &self.uri).finish_non_exhaustive()
    }
}

/// What a resource may give: words, bytes, [`Json`], contents, or a `Result` or `Option` of these.
///
/// | the type | the client gets |
/// |---|---|
/// | `String`, `&'static str`, `Cow<'static, str>` | the text |
/// | `Vec<u8>`, `&'static [u8]` | the bytes |
/// | [`Json<T>`](Json) | the value as JSON, of the kind `application/json` unless the resource says otherwise |
/// | [`ResourceContents`], a `Vec` of them, [`ReadResourceResult`] | these |
/// | `None` | that there is no such resource |
/// | `Err` | an error, see [`RequestError`] |
#[diagnostic::on_unimplemented(
    message = "a resource can't give `{Self}`",
    label = "not the contents of a resource",
    note = "return words, bytes (`Vec<u8>`), `Json<…>` around a type that derives `Serialize`, or `ResourceContents`",
    note = "or an `Option` of one of these, or a `Result` whose error is `RequestError` or a `std::error::Error`"
)]
pub trait IntoReadResourceResult {
    /// The contents, for the address that was read and the kind of data that the resource has in the list.
    ///
    /// # Errors
    ///
    /// What the client gets instead.
    fn into_read_resource_result(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, RequestError>;
}

fn contents(contents: ResourceContents, mime_type: Option<&str>) -> Result<ReadResourceResult, RequestError> {
    let mime_type = contents.mime_type.clone().or_else(|| mime_type.map(ToOwned::to_owned));
    Ok(ReadResourceResult { contents: vec![ResourceContents { mime_type, ..contents }], ..Default::default() })
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoReadResourceResult for $text {
            fn into_read_resource_result(self, uri: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
                contents(ResourceContents::text(uri, self), kind)
            }
        }
    )*};
}

texts!(String, &'static str, Box<str>, Cow<'static, str>);

macro_rules! bytes {
    ($($bytes:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoReadResourceResult for $bytes {
            fn into_read_resource_result(self, uri: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
                contents(ResourceContents::blob(uri, self), kind)
            }
        }
    )*};
}

bytes!(Vec<u8>, &'static [u8], Box<[u8]>);

#[diagnostic::do_not_recommend]
impl<T: Serialize> IntoReadResourceResult for Json<T> {
    fn into_read_resource_result(self, uri: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        let text = serde_json::to_string(&self.0)?;
        contents(ResourceContents::text(uri, text), kind.or(Some("application/json")))
    }
}

#[diagnostic::do_not_recommend]
impl IntoReadResourceResult for ResourceContents {
    fn into_read_resource_result(self, _: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        contents(self, kind)
    }
}

#[diagnostic::do_not_recommend]
impl IntoReadResourceResult for Vec<ResourceContents> {
    fn into_read_resource_result(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        Ok(ReadResourceResult { contents: self, ..Default::default() })
    }
}

#[diagnostic::do_not_recommend]
impl IntoReadResourceResult for ReadResourceResult {
    fn into_read_resource_result(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        Ok(self)
    }
}

/// `None`: there is no such resource.
#[diagnostic::do_not_recommend]
impl<T: IntoReadResourceResult> IntoReadResourceResult for Option<T> {
    fn into_read_resource_result(self, uri: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        self.ok_or_else(RequestError::not_found)?.into_read_resource_result(uri, kind)
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoReadResourceResult, E: Into<RequestError>> IntoReadResourceResult for Result<T, E> {
    fn into_read_resource_result(self, uri: &str, kind: Option<&str>) -> Result<ReadResourceResult, RequestError> {
        self.map_err(Into::into)?.into_read_resource_result(uri, kind)
    }
}

attached! {
    /// The future of a function with `#[resource]`: an ordinary future that also knows the resource it reads.
    ResourceFuture, ResourceHandler, resource -> Resource;
    /// What [`Server::resource`](crate::Server::resource) takes: the name of an `async fn` with `#[resource("…")]`,
    /// `name {}` for a plain `fn` with it, or a [`Resource`] made by hand.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no resource",
        label = "no resource",
        note = "an `async fn` with `#[resource(\"…\")]` is added as `.resource(name)`, a plain `fn` as `.resource(name {{}})`",
        note = "a value whose type has `#[server]` is added by `.with(…)`, a tool by `.tool(…)`, a prompt by `.prompt(…)`"
    )]
    IntoResource, into_resource
}
