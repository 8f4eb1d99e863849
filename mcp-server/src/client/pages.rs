//! Lists, page by page.
//!
//! Specification: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::future::poll_fn;
use std::hash::BuildHasher;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::vec;

use futures_core::Stream;

use super::call::{Call, Calling};
use super::connection::Carrier;
use super::results::{self, Page};
use super::{CallError, Client, json};
use crate::protocol::{ErrorCode, Prompt, Resource, ResourceTemplate, Tool};

/// So many pages of a list are read at most.
const MAX_PAGES: usize = 10_000;
/// A list that is kept as a whole may be so many times as long as the longest message.
const MAX_MESSAGES: usize = 4;

/// What a server has a list of. Nothing else implements it.
pub trait Listed: sealed::Sealed {}

impl Listed for Tool {}
impl Listed for Resource {}
impl Listed for ResourceTemplate {}
impl Listed for Prompt {}

pub(crate) mod sealed {
    use super::Client;

    pub trait Sealed: serde::de::DeserializeOwned {
        /// The method that lists them.
        const METHOD: &'static str;
        /// The member of its result in which they are.
        const MEMBER: &'static str;

        /// What tells one from the others.
        fn key(&self) -> &str;

        /// What the client remembers of them; those that can be used. `since`: how many changes of the server had been
        /// heard of when they were asked for.
        fn learn(_client: &Client, items: Vec<Self>, _since: u64) -> Vec<Self> {
            items
        }
    }
}

impl sealed::Sealed for Tool {
    const METHOD: &'static str = "tools/list";
    const MEMBER: &'static str = "tools";

    fn key(&self) -> &str {
        &self.name
    }

    fn learn(client: &Client, tools: Vec<Self>, since: u64) -> Vec<Self> {
        let connection = &client.link.connection;
        // They may have changed while they were under way.
        if connection.cache.changes() == since {
            connection.cache.outputs.learn(&tools);
        }
        let over_http = match &connection.carrier {
            Carrier::Streams(_) => false,
            #[cfg(feature = "client-http")]
            Carrier::Http(_) => true,
        };
        connection.tools.learn(tools, over_http)
    }
}

impl sealed::Sealed for Resource {
    const METHOD: &'static str = "resources/list";
    const MEMBER: &'static str = "resources";

    fn key(&self) -> &str {
        &self.uri
    }
}

impl sealed::Sealed for ResourceTemplate {
    const METHOD: &'static str = "resources/templates/list";
    const MEMBER: &'static str = "resourceTemplates";

    fn key(&self) -> &str {
        &self.uri_template
    }
}

impl sealed::Sealed for Prompt {
    const METHOD: &'static str = "prompts/list";
    const MEMBER: &'static str = "prompts";

    fn key(&self) -> &str {
        &self.name
    }
}

/// The list of a server, page after page: a page is asked for when the items before it have been taken.
///
/// It is a [`Stream`] of the ecosystem, has a [`next`](Pages::next) of its own, and [`all`](Pages::all) for those who
/// want the whole list. After an error it has no more items.
///
/// A server may find that a cursor has become too old. Then the list is begun anew, once, and what was given already is
/// not given again. A list whose cursor comes twice, or that has more than 10,000 pages, ends with
/// [`CallError::EndlessList`]; so does, where [`all`](Pages::all) of it is to be kept, one that is more than four times as
/// long as the longest [message](super::ClientBuilder::max_message_size) may be.
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
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// let client = Client::connect(Server::new("calculator").tool(add).page_size(50)).await?;
/// let mut tools = client.tools();
/// while let Some(tool) = tools.next().await {
///     println!("{}", tool?.name);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
///
/// Specification: [Pagination](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination).
#[must_use = "a list is read when its items are asked for"]
pub struct Pages<'c, T> {
    client: &'c Client,
    fresh: bool,
    /// What is left of the page that was read last.
    items: vec::IntoIter<T>,
    next: Next<'c, T>,
    hasher: RandomState,
    /// The cursors that have come. Their hashes will do, and they are short whatever was sent.
    cursors: HashSet<u64>,
    /// The keys of the items that were given, as hashes.
    given: HashSet<u64>,
    started_over: bool,
    /// How many changes of the server had been heard of when the page was asked for.
    since: u64,
    /// How long the pages were that have come.
    bytes: usize,
}

enum Next<'c, T> {
    /// The page after that cursor has to be asked for, or the first one.
    Ask(Option<String>),
    /// It was asked for, with a cursor or without one.
    Reading {
        call: Box<Calling<'c, Page<T>>>,
        by_cursor: bool,
    },
    Over,
}

/// What came of a list.
enum Came<T> {
    Item(Result<T, CallError>),
    /// All that came before is void.
    StartedOver,
    End,
}

impl<'c, T: Listed> Pages<'c, T> {
    pub(super) fn new(client: &'c Client) -> Self {
        Self {
            client,
            fresh: false,
            items: Vec::new().into_iter(),
            next: Next::Ask(None),
            hasher: RandomState::new(),
            cursors: HashSet::new(),
            given: HashSet::new(),
            started_over: false,
            since: 0,
            bytes: 0,
        }
    }

    /// Asks the server, whatever is [kept](super::ClientBuilder::cache).
    pub fn fresh(mut self) -> Self {
        self.fresh = true;
        self
    }

    /// The next item; `None` when there are no more. Dropping this future loses nothing.
    ///
    /// # Errors
    ///
    /// When the server refuses, does not answer in time or not well, or has no last page.
    pub async fn next(&mut self) -> Option<Result<T, CallError>> {
        poll_fn(|cx| self.poll_item(cx)).await
    }

    /// All items that were not taken yet.
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
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").resource(catalog)).await?;
    /// let resources = client.resources().all().await?;
    /// assert_eq!(resources[0].uri, "shop://catalog");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`next`](Pages::next).
    pub async fn all(mut self) -> Result<Vec<T>, CallError> {
        let mut items = Vec::new();
        let limit = self.client.link.connection.max_message_size.saturating_mul(MAX_MESSAGES);
        loop {
            match poll_fn(|cx| self.poll_came(cx)).await {
                Came::Item(Ok(_)) if self.bytes > limit => {
                    let reason = format!("it is longer than the limit of {limit} bytes");
                    return Err(CallError::EndlessList { reason });
                }
                Came::Item(item) => items.push(item?),
                Came::StartedOver => items.clear(),
                Came::End => return Ok(items),
            }
        }
    }

    fn poll_item(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<T, CallError>>> {
        loop {
            return Poll::Ready(match ready!(self.poll_came(cx)) {
                Came::Item(Ok(item)) => {
                    self.given.insert(self.hasher.hash_one(item.key()));
                    Some(Ok(item))
                }
                Came::Item(Err(error)) => Some(Err(error)),
                Came::StartedOver => continue,
                Came::End => None,
            });
        }
    }

    fn poll_came(&mut self, cx: &mut Context<'_>) -> Poll<Came<T>> {
        loop {
            if let Some(item) = self.items.next() {
                if self.started_over && self.given.contains(&self.hasher.hash_one(item.key())) {
                    continue;
                }
                return Poll::Ready(Came::Item(Ok(item)));
            }
            match &mut self.next {
                Next::Ask(cursor) => {
                    let cursor = cursor.take();
                    self.next = self.ask(cursor.as_deref());
                }
                Next::Reading { call, by_cursor } => {
                    let by_cursor = *by_cursor;
                    match ready!(Pin::new(&mut **call).poll(cx)) {
                        Ok(page) => {
                            if let Err(error) = self.turn(page) {
                                self.items = Vec::new().into_iter();
                                self.next = Next::Over;
                                return Poll::Ready(Came::Item(Err(error)));
                            }
                        }
                        Err(error) if by_cursor && !self.started_over && is_invalid_cursor(&error) => {
                            self.start_over();
                            return Poll::Ready(Came::StartedOver);
                        }
                        Err(error) => {
                            self.next = Next::Over;
                            return Poll::Ready(Came::Item(Err(error)));
                        }
                    }
                }
                Next::Over => return Poll::Ready(Came::End),
            }
        }
    }

    fn ask(&mut self, cursor: Option<&str>) -> Next<'c, T> {
        let members = cursor.map(|cursor| format!(r#""cursor":{}"#, json(cursor))).unwrap_or_default();
        self.since = self.client.link.connection.cache.changes();
        let mut call = Call::new(self.client, T::METHOD, Ok(members), results::page::<T>);
        call.spec_mut().fresh = self.fresh;
        Next::Reading { call: Box::new(call.into_future()), by_cursor: cursor.is_some() }
    }

    /// Takes a page, and sees where the next one is.
    fn turn(&mut self, Page { items, next_cursor, bytes }: Page<T>) -> Result<(), CallError> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.items = T::learn(self.client, items, self.since).into_iter();
        // "an empty string is a valid cursor and MUST NOT be treated as the end of results" (Pagination).
        self.next = match next_cursor {
            None => Next::Over,
            Some(_) if self.cursors.len() >= MAX_PAGES => {
                return Err(CallError::EndlessList { reason: format!("there are more than {MAX_PAGES} pages") });
            }
            Some(cursor) if !self.cursors.insert(self.hasher.hash_one(&cursor)) => {
                let cursor = results::clip(&cursor);
                return Err(CallError::EndlessList { reason: format!("the cursor {cursor:?} has come twice") });
            }
            cursor => Next::Ask(cursor),
        };
        Ok(())
    }

    /// "invalid cursor: drop all pages and start over" (Caching, Pagination).
    fn start_over(&mut self) {
        tracing::debug!(method = T::METHOD, "the server no longer knows a cursor of its own: reading the list anew");
        self.client.link.connection.cache.forget_list(T::METHOD);
        self.started_over = true;
        self.cursors.clear();
        self.bytes = 0;
        self.next = Next::Ask(None);
    }
}

/// "Invalid cursors SHOULD result in an error with code -32602 (Invalid params)" (Pagination, Error Handling).
fn is_invalid_cursor(error: &CallError) -> bool {
    matches!(error, CallError::Server(error) if error.code == ErrorCode::INVALID_PARAMS)
}

impl<T> Unpin for Pages<'_, T> {}

impl<T: Listed> Stream for Pages<'_, T> {
    type Item = Result<T, CallError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_item(cx)
    }
}

impl<T> fmt::Debug for Pages<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("pages", &self.cursors.len()).finish_non_exhaustive()
    }
}

impl Client {
    /// The tools of the server, page after page. [`list_tools`](Client::list_tools) is all of them at once.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// Add two numbers.
    /// # #[tool]
    /// # async fn add(a: i64, b: i64) -> i64 {
    /// #     a + b
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("calculator").tool(add)).await?;
    /// let first = client.tools().next().await.expect("there is one")?;
    /// assert_eq!(first.name, "add");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Tools](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#listing-tools).
    pub fn tools(&self) -> Pages<'_, Tool> {
        Pages::new(self)
    }

    /// The resources of the server, page after page.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// All that is sold.
    /// # #[resource("shop://catalog")]
    /// # async fn catalog() -> &'static str {
    /// #     "tea, coffee"
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").resource(catalog)).await?;
    /// let first = client.resources().next().await.expect("there is one")?;
    /// assert_eq!(first.uri, "shop://catalog");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#listing-resources).
    pub fn resources(&self) -> Pages<'_, Resource> {
        Pages::new(self)
    }

    /// The families of resources of the server, page after page.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// One order.
    /// # #[resource("shop://orders/{id}")]
    /// # async fn order(id: u32) -> String {
    /// #     format!("order {id}")
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").resource(order)).await?;
    /// let first = client.resource_templates().next().await.expect("there is one")?;
    /// assert_eq!(first.uri_template, "shop://orders/{id}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Resource templates](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates).
    pub fn resource_templates(&self) -> Pages<'_, ResourceTemplate> {
        Pages::new(self)
    }

    /// The prompts of the server, page after page.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// Have a text translated.
    /// # #[prompt]
    /// # async fn translate(text: String) -> String {
    /// #     format!("Translate:\n\n{text}")
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").prompt(translate)).await?;
    /// let first = client.prompts().next().await.expect("there is one")?;
    /// assert_eq!(first.arguments[0].name, "text");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// Specification: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#listing-prompts).
    pub fn prompts(&self) -> Pages<'_, Prompt> {
        Pages::new(self)
    }

    /// All tools that the server has, from all pages.
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
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("calculator").tool(add)).await?;
    /// let tools = client.list_tools().await?;
    /// assert_eq!(tools[0].description.as_deref(), Some("Add two numbers."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// When the server refuses, does not answer in time or not well, or has no last page.
    pub async fn list_tools(&self) -> Result<Vec<Tool>, CallError> {
        self.tools().all().await
    }

    /// All resources that the server has, from all pages. Families of them are in
    /// [`list_resource_templates`](Client::list_resource_templates).
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// All that is sold.
    /// # #[resource("shop://catalog")]
    /// # async fn catalog() -> &'static str {
    /// #     "tea, coffee"
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").resource(catalog)).await?;
    /// let resources = client.list_resources().await?;
    /// assert_eq!(resources[0].uri, "shop://catalog");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](Client::list_tools).
    pub async fn list_resources(&self) -> Result<Vec<Resource>, CallError> {
        self.resources().all().await
    }

    /// All families of resources that the server has, from all pages.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// One order.
    /// # #[resource("shop://orders/{id}")]
    /// # async fn order(id: u32) -> String {
    /// #     format!("order {id}")
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").resource(order)).await?;
    /// let templates = client.list_resource_templates().await?;
    /// assert_eq!(templates[0].uri_template, "shop://orders/{id}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](Client::list_tools).
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, CallError> {
        self.resource_templates().all().await
    }

    /// All prompts that the server has, from all pages.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # /// Have a text translated.
    /// # #[prompt]
    /// # async fn translate(text: String) -> String {
    /// #     format!("Translate:\n\n{text}")
    /// # }
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = Client::connect(Server::new("shop").prompt(translate)).await?;
    /// let prompts = client.list_prompts().await?;
    /// assert_eq!(prompts[0].description.as_deref(), Some("Have a text translated."));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`list_tools`](Client::list_tools).
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, CallError> {
        self.prompts().all().await
    }

    /// Reads the list of tools anew, so that calls know what they look like now.
    pub(super) async fn refresh_tools(&self) -> Result<(), CallError> {
        self.tools().fresh().all().await.map(drop)
    }
}
