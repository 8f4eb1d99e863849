//! What a program does when its server asks: set before it connects, and declared to the server thereby.
//!
//! Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation),
//! [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling) and
//! [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::json;

use super::builder::{ClientBuilder, Settings};
use super::connection::Hook;
use crate::protocol::{
    ClientCapabilities, CreateMessageParams, CreateMessageResult, ElicitFormParams, ElicitResult, ElicitUrlParams,
    ProtocolVersion, Root,
};

/// Why a question to the model has no answer: the person or the program does not want it.
///
/// ```
/// use mcp_server::client::Refused;
///
/// let refused = Refused::new("the person said no");
/// assert_eq!(refused.to_string(), "the person said no");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(String);

impl Refused {
    /// A refusal, and its reason. Servers before 2026-07-28 get to read it.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl From<&str> for Refused {
    fn from(reason: &str) -> Self {
        Self::new(reason)
    }
}

impl From<String> for Refused {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// The code of a handler on its way.
pub(crate) type Handling<R> = Pin<Box<dyn Future<Output = R> + Send>>;

/// What answers one kind of question.
pub(crate) struct Handler<P, R>(Arc<dyn Fn(P) -> Handling<R> + Send + Sync>);

impl<P, R> Handler<P, R> {
    fn new<F: Future<Output = R> + Send + 'static>(handler: impl Fn(P) -> F + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |params| Box::pin(handler(params))))
    }

    pub(crate) fn call(&self, params: P) -> Handling<R> {
        (self.0)(params)
    }
}

impl<P, R> Clone for Handler<P, R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<P, R> fmt::Debug for Handler<P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Handler")
    }
}

/// What a client does when it is asked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handlers {
    pub(crate) form: Option<Handler<ElicitFormParams, ElicitResult>>,
    pub(crate) url: Option<Handler<ElicitUrlParams, ElicitResult>>,
    pub(crate) on_elicit_complete: Option<Hook<str>>,
    pub(crate) sample: Option<Handler<CreateMessageParams, Result<CreateMessageResult, Refused>>>,
    pub(crate) sampling_tools: bool,
    pub(crate) roots: Option<Arc<[Root]>>,
}

impl Settings {
    /// What the client declares: what was set, and what its handlers can do, in the words of `version`.
    pub(crate) fn declared(&self, version: ProtocolVersion) -> ClientCapabilities {
        let mut declared = self.capabilities.clone();
        let handlers = &self.handlers;
        let has_modes = version >= ProtocolVersion::V2025_11_25;
        let (form, url) = (handlers.form.is_some(), handlers.url.is_some() && has_modes);
        if (form || url) && version >= ProtocolVersion::V2025_06_18 {
            // "An empty object is equivalent to declaring support for form mode only" (Elicitation, Capabilities).
            let form = form || declared.elicitation.as_ref().is_some_and(|modes| !modes.contains_key("url"));
            let modes = declared.elicitation.get_or_insert_default();
            for (mode, declares) in [("form", form && has_modes), ("url", url)] {
                if declares {
                    modes.entry(mode).or_insert_with(|| json!({}));
                }
            }
        }
        if handlers.sample.is_some() {
            let sampling = declared.sampling.get_or_insert_default();
            if handlers.sampling_tools && has_modes {
                sampling.entry("tools").or_insert_with(|| json!({}));
            }
        }
        if handlers.roots.is_some() {
            let roots = declared.roots.get_or_insert_default();
            if !version.is_modern() {
                roots.entry("listChanged").or_insert(true.into());
            }
        }
        declared
    }
}

impl ClientBuilder {
    /// Who fills in the forms of the server: shows the message and the fields to the person, and lets them answer,
    /// decline or cancel. It declares the capability `elicitation`.
    ///
    /// Fields that are left out of an answer get the defaults of the form, and the answer is held against its schema
    /// before it is sent: one that does not fit ends the call with [`CallError::HandlerFailed`]. A server before
    /// 2026-07-28 gets an error in its place.
    ///
    /// Several questions of one round are asked at once, and each is asked once. The time that an answer takes does not
    /// count to the [timeout](super::Call::timeout) of a call. With stateless servers the handler runs as part of the
    /// call that led to the question, and is dropped with it; with older ones it runs in a task of its own, which ends
    /// with the connection or when the server takes the question back. A handler that panics costs its own question.
    ///
    /// Specification: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::{ElicitFormParams, ElicitResult};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Name {
    ///     name: String,
    /// }
    ///
    /// /// Greet whoever sits there.
    /// #[tool]
    /// async fn greet(ctx: Context) -> Result<String, ToolError> {
    ///     Ok(match ctx.elicit::<Name>("What is your name?").await? {
    ///         Elicited::Accept(Name { name }) => format!("Hello, {name}!"),
    ///         _ => "Hello, stranger!".into(),
    ///     })
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::builder()
    ///     .on_elicit(|form: ElicitFormParams| async move {
    ///         println!("{}", form.message);
    ///         ElicitResult::accept(json!({ "name": "Ada" }))
    ///     })
    ///     .connect(Server::new("greeter").tool(greet))
    ///     .await?;
    /// assert_eq!(client.call_tool("greet", json!({})).await?.text(), "Hello, Ada!");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// [`CallError::HandlerFailed`]: super::CallError::HandlerFailed
    pub fn on_elicit<F>(mut self, handler: impl Fn(ElicitFormParams) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitResult> + Send + 'static,
    {
        self.0.handlers.form = Some(Handler::new(handler));
        self
    }

    /// Who opens the pages of the server: shows the whole address, its host above all, and opens it in a browser when
    /// the person agrees. Nothing is to be fetched before. It declares the capability `elicitation.url`.
    ///
    /// [`ElicitResult::accept(())`](ElicitResult::accept) says that the person has agreed, not that anything is done
    /// there. An address that is not `https:`, nor `http:` of this machine, never gets here: it is declined.
    ///
    /// Specification: [URL mode](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::protocol::{ElicitResult, ElicitUrlParams};
    ///
    /// # fn agrees(_: &str) -> bool { true }
    /// let client = Client::builder().on_elicit_url(|page: ElicitUrlParams| async move {
    ///     match agrees(&page.url) {
    ///         true => ElicitResult::accept(()),
    ///         false => ElicitResult::decline(),
    ///     }
    /// });
    /// ```
    pub fn on_elicit_url<F>(mut self, handler: impl Fn(ElicitUrlParams) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitResult> + Send + 'static,
    {
        self.0.handlers.url = Some(Handler::new(handler));
        self
    }

    /// Who is told when a page that the person has opened is done with, by its
    /// [`elicitation_id`](ElicitUrlParams::elicitation_id). Only servers of 2025-11-25 tell. Ids that were not asked
    /// for, or were told before, are passed over.
    ///
    /// The hook holds up the connection, and so it should be quick.
    ///
    /// Specification: [Elicitation](https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation), Completion
    /// Notifications for URL Mode.
    ///
    /// ```
    /// let client = mcp_server::Client::builder().on_elicit_complete(|id| println!("{id} is done"));
    /// ```
    pub fn on_elicit_complete(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.0.handlers.on_elicit_complete = Some(Hook::new(hook));
        self
    }

    /// Who asks the model for the server: a person should see the question and the answer, and can refuse both. It
    /// declares the capability `sampling`.
    ///
    /// A refusal ends the call with [`CallError::Refused`]; servers before 2026-07-28 get an error with the reason. The
    /// handler respects [`max_tokens`](CreateMessageParams::max_tokens); the
    /// [preferences](crate::protocol::ModelPreferences::hinted) and the rest are hints. A question whose messages break
    /// the rules of tool use never gets here, and neither does one with tools unless
    /// [`sampling_tools`](ClientBuilder::sampling_tools) is set.
    ///
    /// Specification: [Sampling](https://modelcontextprotocol.io/specification/2026-07-28/client/sampling).
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::client::Refused;
    /// use mcp_server::protocol::{CreateMessageParams, CreateMessageResult};
    ///
    /// # async fn ask_model(_: CreateMessageParams) -> CreateMessageResult {
    /// #     serde_json::from_value(json!({ "role": "assistant", "content": [], "model": "none" })).unwrap()
    /// # }
    /// let client = Client::builder().on_sample(|question: CreateMessageParams| async move {
    ///     match question.max_tokens {
    ///         0..=1000 => Ok(ask_model(question).await),
    ///         _ => Err(Refused::new("that is too long an answer")),
    ///     }
    /// });
    /// ```
    ///
    /// [`CallError::Refused`]: super::CallError::Refused
    pub fn on_sample<F>(mut self, handler: impl Fn(CreateMessageParams) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, Refused>> + Send + 'static,
    {
        self.0.handlers.sample = Some(Handler::new(handler));
        self
    }

    /// The model may be offered tools with a question. It declares the capability `sampling.tools`, beside
    /// [`on_sample`](ClientBuilder::on_sample).
    pub fn sampling_tools(mut self) -> Self {
        self.0.handlers.sampling_tools = true;
        self
    }

    /// The folders that the client works in, for the server to know what matters. It declares the capability `roots`;
    /// [`Client::set_roots`](super::Client::set_roots) changes them later.
    ///
    /// Specification: [Roots](https://modelcontextprotocol.io/specification/2026-07-28/client/roots).
    ///
    /// ```
    /// use mcp_server::Client;
    /// use mcp_server::protocol::Root;
    ///
    /// let shop = Root { uri: "file:///home/ada/shop".into(), name: Some("Shop".into()), meta: None };
    /// let client = Client::builder().roots([shop]);
    /// ```
    ///
    /// # Panics
    ///
    /// When one of them is no `file://` URI.
    #[track_caller]
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.0.handlers.roots = Some(checked_roots(roots));
        self
    }

    /// After how many rounds of questions a call is given up; 16 unless set.
    ///
    /// A stateless server ends each round with what it asks for, and the call is sent again with the answers. This keeps
    /// one that never has enough from asking for ever: the call ends with
    /// [`CallError::TooManyRounds`](super::CallError::TooManyRounds).
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.0.max_rounds = rounds;
        self
    }
}

/// # Panics
///
/// When one of them is no `file://` URI.
#[track_caller]
pub(crate) fn checked_roots(roots: impl IntoIterator<Item = Root>) -> Arc<[Root]> {
    let roots: Arc<[Root]> = roots.into_iter().collect();
    for Root { uri, .. } in &*roots {
        // "`uri` MUST be a `file://` URI" (Roots, Root).
        let is_file = uri.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("file://"));
        let is_clean = !uri.contains(|c: char| c.is_control() || c.is_whitespace());
        assert!(is_file && is_clean, "a root is a `file://` URI without spaces, and `{uri}` is none");
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(builder: ClientBuilder, version: ProtocolVersion) -> String {
        serde_json::to_string(&builder.0.declared(version)).unwrap()
    }

    // rows: ELIC-1, SAMP-1, ROOT-1, LIFE-7
    #[test]
    fn a_handler_is_declared_as_each_revision_knows_it() {
        let form = || ClientBuilder::default().on_elicit(|_| async { ElicitResult::decline() });
        let url = || ClientBuilder::default().on_elicit_url(|_| async { ElicitResult::decline() });
        let sample = || ClientBuilder::default().on_sample(|_| async { Err(Refused::new("no")) });
        let roots = || ClientBuilder::default().roots([]);
        let given = |elicitation| ClientCapabilities { elicitation: Some(elicitation), ..Default::default() };
        let plain = given(serde_json::Map::new());
        use ProtocolVersion as V;
        for (builder, version, expected) in [
            (form(), V::V2026_07_28, r#"{"elicitation":{"form":{}}}"#),
            (form(), V::V2025_11_25, r#"{"elicitation":{"form":{}}}"#),
            (form(), V::V2025_06_18, r#"{"elicitation":{}}"#),
            (form(), V::V2025_03_26, "{}"),
            (url(), V::V2026_07_28, r#"{"elicitation":{"url":{}}}"#),
            (url(), V::V2025_06_18, "{}"),
            (url().capabilities(plain.clone()), V::V2025_11_25, r#"{"elicitation":{"form":{},"url":{}}}"#),
            (ClientBuilder::default().capabilities(plain), V::V2026_07_28, r#"{"elicitation":{}}"#),
            (sample(), V::V2024_11_05, r#"{"sampling":{}}"#),
            (sample().sampling_tools(), V::V2025_06_18, r#"{"sampling":{}}"#),
            (sample().sampling_tools(), V::V2026_07_28, r#"{"sampling":{"tools":{}}}"#),
            (roots(), V::V2026_07_28, r#"{"roots":{}}"#),
            (roots(), V::V2024_11_05, r#"{"roots":{"listChanged":true}}"#),
            (ClientBuilder::default(), V::V2026_07_28, "{}"),
        ] {
            assert_eq!(declared(builder, version), expected, "{version}");
        }
    }

    // rows: ROOT-3
    #[test]
    #[should_panic(expected = "a root is a `file://` URI without spaces, and `https://example.com/a` is none")]
    fn a_root_of_another_scheme_is_refused() {
        let _ = ClientBuilder::default().roots([Root { uri: "https://example.com/a".into(), ..Root::default() }]);
    }
}
