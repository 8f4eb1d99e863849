//! What Rust authors write, in all the shapes that it has: each is listed and called.

#![allow(deprecated, reason = "no model chooses among these tools, so they need no description")]
#![allow(dead_code, reason = "what is switched off is there to be left out")]
#![allow(clippy::manual_async_fn, clippy::too_many_arguments, reason = "these are shapes too")]
#![allow(clippy::new_ret_no_self, clippy::wrong_self_convention, reason = "any name is fine for a tool")]

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Display};
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use mcp_server::prelude::*;
use mcp_server::{IntoTool, TestContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Runs a session of a client with a server in memory.
fn session<T>(server: Server, session: impl AsyncFnOnce(&Client) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { session(&Client::connect(server).await.unwrap()).await })
}

fn raw(arguments: &str) -> Box<RawValue> {
    RawValue::from_string(arguments.to_owned()).unwrap()
}

/// Calls tools: the name, the arguments, and the text of the result. No other tool is in the list.
#[track_caller]
fn calls(server: Server, calls: &[(&str, &str, &str)]) {
    let (mut listed, answers) = session(server, async |client| {
        let listed: Vec<String> = client.list_tools().await.unwrap().into_iter().map(|tool| tool.name).collect();
        let mut answers = Vec::new();
        for (name, arguments, _) in calls {
            answers.push(client.call_tool(*name, raw(arguments)).await.unwrap().text());
        }
        (listed, answers)
    });
    for ((name, arguments, expected), answer) in calls.iter().zip(answers) {
        assert_eq!(answer, *expected, "{name} {arguments}");
    }
    let mut called: Vec<&str> = calls.iter().map(|(name, ..)| *name).collect();
    called.sort_unstable();
    called.dedup();
    listed.sort_unstable();
    assert_eq!(listed, called);
}

/// The tools as they are listed, by their names.
fn listed(server: Server) -> HashMap<String, Value> {
    let tools = session(server, async |client| client.list_tools().await.unwrap());
    tools.into_iter().map(|tool| (tool.name.clone(), serde_json::to_value(tool).unwrap())).collect()
}

/// The properties of a listed tool.
fn properties(tool: &Value) -> Vec<&str> {
    tool["inputSchema"]["properties"].as_object().unwrap().keys().map(String::as_str).collect()
}

// ---- Generic servers -----------------------------------------------------------------------------------------------

trait Store: Send + Sync + 'static {
    type Key: From<u8> + Display + Send;

    fn value(&self, key: &Self::Key) -> String;
}

struct Memory(&'static str);

impl Store for Memory {
    type Key = u64;

    fn value(&self, key: &u64) -> String {
        format!("{}{key}", self.0)
    }
}

struct Graph<S> {
    store: S,
}

#[server]
impl<S: Store> Graph<S> {
    #[tool]
    async fn node(&self, key: u8) -> String {
        tokio::task::yield_now().await;
        self.store.value(&key.into())
    }

    #[tool]
    fn node_sync(&self, key: u8) -> String {
        self.store.value(&key.into())
    }
}

struct Pair<A, B = Memory>
where
    A: Store,
{
    a: A,
    b: B,
}

#[server]
impl<A, B> Pair<A, B>
where
    A: Store,
    B: Store<Key = u64>,
    Option<A::Key>: Send,
{
    #[tool]
    async fn both(&self, key: u8) -> String {
        self.a.value(&key.into()) + &self.b.value(&u64::from(key))
    }
}

struct Ring<T, const N: usize>([T; N]);

#[server]
impl<T: Clone + Display + Send + Sync, const N: usize> Ring<T, N> {
    #[tool]
    async fn at(&self, index: usize) -> String {
        self.0[index % N].to_string()
    }
}

struct Sized8<const N: usize>;

#[server]
impl<const N: usize> Sized8<N> {
    #[tool]
    fn size(&self) -> usize {
        N
    }
}

struct Wrapped<T>(T);

/// Of one type alone.
#[server]
impl Wrapped<Vec<Arc<str>>> {
    #[tool]
    async fn joined(&self) -> String {
        self.0.concat()
    }
}

mod shared {
    use super::*;

    #[derive(Clone, Default)]
    pub(super) struct Counter(pub(super) Arc<AtomicU32>);

    #[server]
    impl self::Counter {
        #[tool]
        async fn add(&self, number: u32) -> u32 {
            self.0.fetch_add(number, Ordering::Relaxed) + number
        }
    }
}

#[test]
fn servers_are_generic() {
    let (a, b) = (Memory("a"), Memory("b"));
    calls(
        Server::new("g").with(Graph { store: Memory("m") }),
        &[("node", r#"{"key":1}"#, "m1"), ("node_sync", r#"{"key":2}"#, "m2")],
    );
    calls(Server::new("g").with(Pair { a, b }), &[("both", r#"{"key":1}"#, "a1b1")]);
    calls(Server::new("g").with(Ring(["x", "y"])), &[("at", r#"{"index":3}"#, "y")]);
    calls(Server::new("g").with(Sized8::<8>), &[("size", "{}", "8")]);
    calls(Server::new("g").with(Wrapped(vec!["a".into(), "b".into()])), &[("joined", "{}", "ab")]);
}

#[test]
fn the_author_keeps_a_share_of_a_server() {
    let counter = shared::Counter::default();
    calls(Server::new("g").with(counter.clone()), &[("add", r#"{"number":2}"#, "2"), ("add", r#"{"number":3}"#, "5")]);
    assert_eq!(counter.0.load(Ordering::Relaxed), 5);
}

// ---- Made by the author's macros -----------------------------------------------------------------------------------

macro_rules! made {
    (
        $(#[$meta:meta])*
        $vis:vis $name:ident, $wire:literal, $title:expr, $hint:literal, $timeout:literal,
        ($($parameter:ident: $ty:ty = $default:expr),*) -> $returns:ty, $body:block
    ) => {
        $(#[$meta])*
        #[tool(name = $wire, title = $title, read_only = $hint, timeout = $timeout)]
        $vis async fn $name($(#[tool(default = $default)] $parameter: $ty),*) -> $returns $body
    };
}

const TITLE: &str = "Made";

made! {
    /// Made by a macro.
    #[allow(clippy::unused_async)]
    pub(crate) repeat, "repeat.it", TITLE, true, 2.5,
    (word: String = "ho", times: usize = 2, offset: i8 = -1, list: Vec<u8> = vec![1, 2]) -> String,
    { format!("{} {offset} {list:?}", word.repeat(times)) }
}

macro_rules! answers {
    ($($name:ident: $ty:ty => $body:expr),* $(,)?) => {
        $(
            #[doc = concat!("Gives ", stringify!($name), ".")]
            #[tool]
            fn $name() -> $ty {
                $body
            }
        )*

        fn answers() -> Server {
            Server::new("answers")$(.tool($name {}))*
        }
    };
}

answers! {
    one: u8 => 1,
    nothing: () => {},
    words: Result<String, ToolError> => Ok("words".into()),
    value: Json<Vec<u8>> => Json(vec![1, 2]),
}

macro_rules! server_of {
    ($server:ident, $word:ident: $ty:ty, $($name:ident($($parameter:ident: $of:ty),*) $body:block)*) => {
        struct $server {
            $word: $ty,
        }

        #[server]
        impl $server {
            $(
                #[tool]
                async fn $name(&self, $($parameter: $of),*) -> String {
                    let Self { $word } = self;
                    let own = $body;
                    format!("{own}{}", $word)
                }
            )*
        }
    };
}

server_of! {
    Made, mark: char,
    ask(what: String) { what.to_uppercase() }
    tell(number: Option<u8>, this: bool) { format!("{number:?} {this}") }
}

macro_rules! with_self {
    ($server:ty, $self:ident, $name:ident, $body:expr) => {
        #[server]
        impl $server {
            #[tool]
            fn $name(&$self) -> String {
                $body
            }
        }
    };
}

struct Named(&'static str);

with_self!(Named, self, name_of, self.0.to_owned());

/// A parameter of the macro and one of its user.
macro_rules! with_tenant {
    ($name:ident($parameter:ident: $ty:ty) $body:block) => {
        #[tool]
        async fn $name(tenant: String, $parameter: $ty) -> String {
            let result: String = $body;
            tenant + &result
        }
    };
}

with_tenant!(order(sku: u8) { sku.to_string() });

macro_rules! resource_of {
    ($(#[$meta:meta])* $uri:literal, $mime:literal, $name:ident($($parameter:ident: $ty:ty),*) $body:block) => {
        $(#[$meta])*
        #[resource($uri, mime_type = $mime)]
        async fn $name($($parameter: $ty),*) -> String $body
    };
}

resource_of!(
    /// One page.
    "book://{page}{?mark}", "text/plain", page_of(page: u8, mark: Option<String>) { format!("{page} {mark:?}") }
);

macro_rules! prompt_of {
    ($name:ident, $title:expr, $($parameter:ident: $ty:ty = $default:expr),*) => {
        /// Of a macro.
        #[prompt(title = $title)]
        fn $name($(#[prompt(default = $default)] $parameter: $ty),*) -> String {
            [$($parameter.to_string()),*].join(" ")
        }
    };
}

prompt_of!(ask_for, "Ask", what: String = "tea", times: i8 = -2);

#[test]
fn macros_make_tools() {
    let server = || Server::new("made").tool(repeat).tool(order).with(Made { mark: '!' }).with(Named("n"));
    calls(
        server(),
        &[
            ("repeat.it", "{}", "hoho -1 [1, 2]"),
            ("repeat.it", r#"{"word":"a","times":1,"offset":2,"list":[]}"#, "a 2 []"),
            ("order", r#"{"tenant":"acme","sku":7}"#, "acme7"),
            ("ask", r#"{"what":"tea"}"#, "TEA!"),
            ("tell", r#"{"number":3,"this":true}"#, "Some(3) true!"),
            ("name_of", "{}", "n"),
        ],
    );
    let repeat = &listed(server())["repeat.it"];
    assert_eq!(repeat["title"], "Made");
    assert_eq!(repeat["description"], "Made by a macro.");
    assert_eq!(repeat["annotations"], json!({ "readOnlyHint": true }));
    assert_eq!(repeat["inputSchema"]["properties"]["word"]["default"], "ho");
    assert_eq!(repeat["inputSchema"]["properties"]["times"]["default"], 2);
    calls(answers(), &[("one", "{}", "1"), ("nothing", "{}", ""), ("words", "{}", "words"), ("value", "{}", "[1,2]")]);
    assert_eq!(listed(answers())["one"]["description"], "Gives one.");
}

#[test]
fn macros_make_resources_and_prompts() {
    let server = Server::new("made").resource(page_of).prompt(ask_for {});
    session(server, async |client| {
        assert_eq!(client.read_resource("book://7?mark=x").await.unwrap().text(), r#"7 Some("x")"#);
        let template = &client.list_resource_templates().await.unwrap()[0];
        assert_eq!(template.description.as_deref(), Some("One page."));
        assert_eq!(template.mime_type.as_deref(), Some("text/plain"));
        let prompt = &client.list_prompts().await.unwrap()[0];
        assert_eq!((prompt.name.as_str(), prompt.title.as_deref()), ("ask_for", Some("Ask")));
        let result = client.get_prompt("ask_for", json!({})).await.unwrap();
        assert_eq!(result.messages[0].content.as_text(), Some("tea -2"));
    });
}

// ---- Futures -------------------------------------------------------------------------------------------------------

#[tool]
fn soon(text: String) -> impl Future<Output = Result<String, ToolError>> + Send {
    let text = text + "!";
    async move { Ok(text) }
}

macro_rules! future_of {
    ($name:ident -> $future:ty, $body:expr) => {
        #[tool]
        fn $name() -> $future {
            std::future::ready($body)
        }
    };
}

future_of!(at_once -> impl Future<Output = u8> + Send, 9);

#[tool]
fn later(number: u8) -> impl std::future::Future<Output = Json<u8>> + Send + 'static {
    std::future::ready(Json(number))
}

struct Clock(u8);

#[server]
impl Clock {
    #[tool]
    fn after(&self, hours: u8) -> impl Future<Output = u8> + Send {
        async move { (self.0 + hours) % 24 }
    }

    #[tool]
    fn owned(&self, hours: u8) -> impl Future<Output = u8> + Send + use<> {
        std::future::ready(hours)
    }

    #[resource("clock://{hours}")]
    fn read(&self, hours: u8) -> impl Future<Output = String> + Send {
        std::future::ready((self.0 + hours).to_string())
    }
}

#[test]
fn functions_return_futures() {
    calls(
        Server::new("f").tool(soon).tool(at_once).tool(later).with(Clock(20)),
        &[
            ("at_once", "{}", "9"),
            ("soon", r#"{"text":"a"}"#, "a!"),
            ("later", r#"{"number":1}"#, "1"),
            ("after", r#"{"hours":5}"#, "1"),
            ("owned", r#"{"hours":5}"#, "5"),
        ],
    );
    let read = session(Server::new("f").with(Clock(1)), async |client| client.read_resource("clock://2").await);
    assert_eq!(read.unwrap().text(), "3");
}

// ---- Names ---------------------------------------------------------------------------------------------------------

#[tool]
async fn r#move(r#type: String, r#in: Option<u8>) -> String {
    format!("{type} {in:?}", r#in = r#in)
}

#[tool]
fn r#match(r#match: u8) -> u8 {
    r#match
}

#[resource("raw://{type}")]
async fn r#ref(r#type: String) -> String {
    r#type
}

#[prompt]
fn r#use(r#type: String, #[prompt(default = 1)] r#as: u8) -> String {
    format!("{type} {}", r#as)
}

struct Raw;

#[server]
impl Raw {
    #[tool]
    async fn r#loop(&self, r#type: u8) -> u8 {
        r#type
    }

    #[tool]
    fn r#while(&self, r#while: u8) -> u8 {
        r#while
    }
}

#[test]
fn raw_names_lose_their_mark_on_the_wire() {
    let server = || Server::new("r").tool(r#move).tool(r#match {}).resource(r#ref).prompt(r#use {}).with(Raw);
    calls(
        server(),
        &[
            ("move", r#"{"type":"a","in":1}"#, "a Some(1)"),
            ("match", r#"{"match":2}"#, "2"),
            ("loop", r#"{"type":3}"#, "3"),
            ("while", r#"{"while":4}"#, "4"),
        ],
    );
    session(server(), async |client| {
        assert_eq!(client.read_resource("raw://a").await.unwrap().text(), "a");
        assert_eq!(client.list_resource_templates().await.unwrap()[0].name, "ref");
        let result = client.get_prompt("use", json!({ "type": "a" })).await.unwrap();
        assert_eq!(result.messages[0].content.as_text(), Some("a 1"));
    });
}

/// Functions whose parameters have the names of what the macros or the library use, once alone and once in a block.
macro_rules! named {
    ($($name:ident($($parameter:ident),*);)*) => {
        mod free {
            use super::*;
            $(
                #[tool]
                pub(super) async fn $name($($parameter: u32),*) -> String {
                    let values: Vec<u32> = vec![$($parameter),*];
                    format!("{values:?}")
                }
            )*
        }

        mod plain {
            use super::*;
            $(
                #[tool]
                pub(super) fn $name($($parameter: u32),*) -> String {
                    let values: Vec<u32> = vec![$($parameter),*];
                    format!("{values:?}")
                }
            )*
        }

        struct Names;

        #[server]
        impl Names {
            $(
                #[tool]
                async fn $name(&self, $($parameter: u32),*) -> String {
                    free::$name($($parameter),*).await
                }
            )*
        }

        struct PlainNames;

        #[server]
        impl PlainNames {
            $(
                #[tool]
                fn $name(&self, $($parameter: u32),*) -> String {
                    plain::$name($($parameter),*)
                }
            )*
        }

        #[test]
        fn names_of_the_macros_are_free() {
            let servers = [
                Server::new("n")$(.tool(free::$name))*,
                Server::new("n")$(.tool(plain::$name {}))*,
                Server::new("n").with(Names),
                Server::new("n").with(PlainNames),
            ];
            for server in servers {
                let mut rows: Vec<(&str, String, String)> = Vec::new();
                $({
                    let parameters: &[&str] = &[$(stringify!($parameter)),*];
                    let values: Vec<usize> = (1..=parameters.len()).collect();
                    let members: Map<String, Value> =
                        parameters.iter().zip(&values).map(|(name, value)| (name.to_string(), json!(value))).collect();
                    rows.push((stringify!($name), Value::from(members).to_string(), format!("{values:?}")));
                })*
                let rows: Vec<_> = rows.iter().map(|(a, b, c)| (*a, b.as_str(), c.as_str())).collect();
                calls(server, &rows);
            }
        }
    };
}

named! {
    ordinary(args, ctx, self_, request, call, tool, result, this);
    more(builder, library, context, arguments, some, none, ok, err);
    unused(_unused, _call, _tool, _this);
    echo(echo, echo_more);
    call(call);
    tool(tool, call);
    result(result);
    new(new);
    offer(offer, this);
    offers(offers, this);
    names(names, names_, names__);
    main_(main);
    handler(handler, handle, run);
    this();
    description(name, description, title);
    string(string, str_, vec, option);
}

struct Repository;

/// Methods of the names that an `Arc` and the traits of every crate have.
#[server]
impl Repository {
    #[tool]
    async fn into_inner(&self, url: String) -> String {
        url
    }

    #[tool]
    #[allow(clippy::should_implement_trait, reason = "a repository is cloned otherwise than a value")]
    async fn clone(&self, url: String) -> String {
        url
    }

    #[tool]
    fn drop(&self, url: String) -> String {
        url
    }

    #[tool]
    fn into(&self, url: String) -> String {
        url
    }

    #[tool]
    #[allow(clippy::needless_arbitrary_self_type, reason = "it is the same, written out")]
    fn offers(self: &Self, url: String) -> String {
        url
    }

    #[tool]
    #[allow(clippy::inherent_to_string_shadow_display, reason = "it is there to be told from the other")]
    fn to_string(&self) -> String {
        "the tool".into()
    }

    #[tool]
    fn poll(&self, url: String) -> String {
        url
    }
}

impl std::fmt::Display for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the trait")
    }
}

/// Parameters whose names would be those of the macro without the `r#`.
#[tool]
async fn raw_locals(r#call: u8, r#tool: u8, r#result: u8) -> u8 {
    call + tool + result
}

#[tool]
async fn mutable(mut list: Vec<u8>, #[tool(default = 2)] mut number: u8) -> String {
    list.push(number);
    number += 1;
    format!("{list:?} {number}")
}

#[tool]
fn mutable_plain(mut list: Vec<u8>) -> usize {
    list.push(1);
    list.len()
}

struct Mutable;

#[server]
impl Mutable {
    #[tool]
    async fn mutable_method(&self, mut number: u8) -> u8 {
        number += 1;
        number
    }
}

#[test]
fn parameters_are_mutable() {
    calls(
        Server::new("m").tool(raw_locals).tool(mutable).tool(mutable_plain {}).with(Mutable).with(Repository),
        &[
            ("raw_locals", r#"{"call":1,"tool":2,"result":3}"#, "6"),
            ("mutable", r#"{"list":[1]}"#, "[1, 2] 3"),
            ("mutable_plain", r#"{"list":[1]}"#, "2"),
            ("mutable_method", r#"{"number":1}"#, "2"),
            ("into_inner", r#"{"url":"a"}"#, "a"),
            ("poll", r#"{"url":"a"}"#, "a"),
            ("clone", r#"{"url":"a"}"#, "a"),
            ("drop", r#"{"url":"a"}"#, "a"),
            ("into", r#"{"url":"a"}"#, "a"),
            ("offers", r#"{"url":"a"}"#, "a"),
            ("to_string", "{}", "the tool"),
        ],
    );
}

// ---- Defaults ------------------------------------------------------------------------------------------------------

const LIMIT: u32 = 10;

static WORD: &str = "static";

#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, JsonSchema)]
enum Sort {
    #[default]
    Newest,
    By(u8),
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Area {
    x: i32,
    y: Option<i32>,
}

fn twice(number: u32) -> u32 {
    number * 2
}

macro_rules! defaults {
    ($($name:ident: $ty:ty = $default:expr, $written:literal;)*) => {
        $(
            #[tool]
            async fn $name(#[tool(default = $default)] value: $ty) -> String {
                format!("{value:?}")
            }
        )*

        struct Defaults;

        mod of_methods {
            use super::*;

            #[server]
            impl Defaults {
                $(
                    #[tool]
                    fn $name(&self, #[tool(default = $default)] value: $ty) -> String {
                        format!("{value:?}")
                    }
                )*
            }
        }

        #[test]
        fn a_default_is_any_expression() {
            let rows = [$((stringify!($name), "{}", $written)),*];
            calls(Server::new("d")$(.tool($name))*, &rows);
            calls(Server::new("d").with(Defaults), &rows);
            for (name, tool) in listed(Server::new("d")$(.tool($name))*) {
                assert!(tool["inputSchema"].get("required").is_none(), "{name}: {tool}");
            }
        }
    };
}

defaults! {
    constant: u32 = LIMIT, "10";
    of_type: u8 = u8::MAX, "255";
    called: u32 = twice(21), "42";
    method: String = "a".repeat(2), r#""aa""#;
    of_static: String = WORD.to_owned(), r#""static""#;
    variant: Sort = Sort::By(2), "By(2)";
    other_variant: Sort = Sort::Newest, "Newest";
    literal_struct: Area = Area { x: -1, y: None }, "Area { x: -1, y: None }";
    block: i64 = { let a = 1; let b = 2; a - b }, "-1";
    negative: i8 = -128, "-128";
    negative_float: f64 = -0.5, "-0.5";
    list: Vec<u8> = vec![], "[]";
    long_list: Vec<String> = Vec::from(["a".into()]), r#"["a"]"#;
    absent: Option<u8> = None, "None";
    present: Option<u8> = Some(1), "Some(1)";
    sum: u32 = 1 + LIMIT * 2, "21";
    conditional: u8 = if LIMIT > 5 { 1 } else { 2 }, "1";
    cast: u64 = LIMIT as u64, "10";
    text: String = concat!("a", "b").to_string(), r#""ab""#;
    truth: bool = cfg!(test), "true";
    letter: char = 'x', "'x'";
    pair: (u8, String) = (1, String::new()), r#"(1, "")"#;
    array: [u8; 2] = [0; 2], "[0, 0]";
    map: BTreeMap<String, u8> = BTreeMap::from([("a".to_owned(), 1)]), r#"{"a": 1}"#;
}

#[tool]
async fn written_out(
    #[tool(default = LIMIT)] a: u32,
    #[tool(default = twice(2))] b: u32,
    #[tool(default = Sort::By(3))] c: Sort,
    #[tool(default = Area { x: 1, y: Some(2) })] d: Area,
    #[tool(default = { -1 })] e: i8,
    #[tool(default = -2)] f: i8,
    #[tool(default = vec![])] g: Vec<u8>,
    #[tool(default = None)] h: Option<bool>,
) -> String {
    format!("{a} {b} {c:?} {d:?} {e} {f} {g:?} {h:?}")
}

#[test]
fn a_default_that_is_written_out_is_one_too() {
    calls(
        Server::new("d").tool(written_out),
        &[("written_out", "{}", "10 4 By(3) Area { x: 1, y: Some(2) } -1 -2 [] None")],
    );
}

// ---- Aliases -------------------------------------------------------------------------------------------------------

mod exported {
    pub(super) use mcp_server::prelude::{Context as Ctx, Json as Reply, State as Shared, ToolError as Failure};

    pub(super) type Res<T> = Result<T, Failure>;
    pub(super) type Answer = Result<Reply<super::Price>, OwnError>;
    pub(super) type Reporter = Ctx;
    pub(super) type Of<T> = Reply<Vec<T>>;
    pub(super) type Stock = Shared<u32>;

    #[derive(Debug)]
    pub(super) struct OwnError;

    impl std::fmt::Display for OwnError {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("own")
        }
    }

    impl std::error::Error for OwnError {}
}

use exported::{Answer, Ctx, Failure, Of, OwnError, Reply, Reporter, Res, Stock};

#[derive(Serialize, JsonSchema)]
struct Price {
    cents: u64,
}

#[tool]
async fn priced(sku: u8, first: Ctx, second: Reporter, stock: Stock) -> Answer {
    assert_eq!(first.request_id(), second.request_id());
    if sku == 0 { Err(OwnError) } else { Ok(Reply(Price { cents: u64::from(*stock) * 100 })) }
}

#[tool]
fn many(ctx: exported::Reporter, stock: exported::Shared<u32>) -> Res<Of<u32>> {
    drop(ctx);
    if *stock == 0 { Err(Failure::new("none")) } else { Ok(Json(vec![*stock])) }
}

#[tool]
async fn with_std(text: std::string::String) -> std::result::Result<std::string::String, Failure> {
    text.parse::<u8>()?;
    Ok(text)
}

struct Aliased;

#[server]
impl Aliased {
    #[tool]
    async fn aliased(&self, ctx: Ctx, stock: Stock) -> Res<Reply<Price>> {
        drop(ctx);
        Ok(Reply(Price { cents: (*stock).into() }))
    }
}

#[test]
fn a_type_is_what_it_is_by_any_name() {
    let server = || Server::new("a").state(3_u32).tool(priced).tool(many {}).tool(with_std).with(Aliased);
    calls(
        server(),
        &[
            ("priced", r#"{"sku":1}"#, r#"{"cents":300}"#),
            ("priced", r#"{"sku":0}"#, "own"),
            ("many", "{}", "[3]"),
            ("with_std", r#"{"text":"1"}"#, "1"),
            ("with_std", r#"{"text":"x"}"#, "invalid digit found in string"),
            ("aliased", "{}", r#"{"cents":3}"#),
        ],
    );
    let tools = listed(server());
    assert_eq!(properties(&tools["priced"]), ["sku"]);
    assert_eq!(properties(&tools["many"]), [""; 0]);
    assert_eq!(properties(&tools["aliased"]), [""; 0]);
    assert_eq!(tools["priced"]["outputSchema"], tools["aliased"]["outputSchema"]);
    assert_eq!(tools["many"]["outputSchema"]["type"], "array");
}

// ---- Descriptions --------------------------------------------------------------------------------------------------

/// First.
#[tool]
/// Second.
#[allow(unused_mut)]
/// Third.
#[doc = "Fourth."]
#[inline]
#[doc = concat!("Fi", "fth.")]
async fn lines(
    /// A.
    #[tool(default = 1)]
    /// B.
    #[doc = "C."]
    #[doc = concat!("D", ".")]
    mut a: u8,
    /** A block. */
    b: Option<u8>,
    #[tool(default)]
    /**
     * One.
     * Two.
     */
    c: u8,
) -> u8 {
    a + b.unwrap_or(c)
}

#[cfg_attr(all(), doc = "Above.")]
#[tool]
#[cfg_attr(all(), doc = "Below.")]
#[cfg_attr(any(), doc = "Not at all.")]
async fn conditional_lines() {}

/** Block comment. */
#[must_use]
#[tool(title = "Block")]
fn block_comment() -> u8 {
    1
}

#[doc = include_str!("mistakes/fine/included.md")]
#[tool]
fn included(#[doc = include_str!("mistakes/fine/included.md")] text: String) -> String {
    text
}

#[prompt]
async fn included_too(#[doc = include_str!("mistakes/fine/included.md")] text: String) -> String {
    text
}

/// Not this.
#[tool(description = "But this.")]
async fn given() {}

struct Described;

#[server]
impl Described {
    #[tool(read_only)]
    #[inline]
    /// Under everything.
    fn under(&self) {}

    /** In a block. */
    #[cfg(test)]
    #[tool]
    #[doc = include_str!("mistakes/fine/included.md")]
    async fn in_a_block(
        &self,
        /// A.
        #[cfg(test)]
        /// B.
        a: Option<u8>,
    ) {
        let _ = a;
    }
}

#[test]
fn a_description_stands_among_other_attributes() {
    let file = include_str!("mistakes/fine/included.md").trim_end();
    let server = Server::new("d")
        .tool(lines)
        .tool(conditional_lines)
        .tool(block_comment {})
        .tool(included {})
        .tool(given)
        .with(Described);
    let tools = listed(server);
    for (name, description) in [
        ("lines", "First.\nSecond.\nThird.\nFourth.\nFifth."),
        ("conditional_lines", "Above.\nBelow."),
        ("block_comment", "Block comment."),
        ("included", file),
        ("given", "But this."),
        ("under", "Under everything."),
        ("in_a_block", &format!("In a block.\n{file}")),
    ] {
        assert_eq!(tools[name]["description"], description, "{name}");
    }
    let of = |tool: &str, parameter: &str| tools[tool]["inputSchema"]["properties"][parameter]["description"].clone();
    assert_eq!(of("lines", "a"), "A.\nB.\nC.\nD.");
    assert_eq!(of("lines", "b"), "A block.");
    assert_eq!(of("lines", "c"), "One.\nTwo.");
    assert_eq!(of("included", "text"), file);
    assert_eq!(of("in_a_block", "a"), "A.\nB.");
    let prompts = session(Server::new("d").prompt(included_too), async |client| client.list_prompts().await.unwrap());
    assert_eq!(prompts[0].arguments[0].description.as_deref(), Some(file));
}

// ---- Conditions ----------------------------------------------------------------------------------------------------

#[cfg(test)]
#[tool]
async fn there(#[cfg(test)] here: u8, #[cfg(any())] gone: Missing, #[cfg(not(any()))] too: u8) -> u8 {
    here + too
}

#[tool]
#[cfg(any())]
async fn not_there(value: Missing) {}

#[tool]
#[cfg(any())]
fn not_there(value: Missing) {}

#[tool]
#[cfg(test)]
fn not_there(#[cfg(any())] gone: Missing, here: u8, #[cfg(test)] too: u8) -> u8 {
    here + too
}

#[resource("cfg://{a}")]
fn read(#[cfg(test)] a: u8, #[cfg(any())] ctx: Missing, #[cfg(test)] ctx: Context) -> String {
    drop(ctx);
    a.to_string()
}

#[prompt]
async fn write(#[cfg(any())] a: Missing, #[cfg(test)] b: u8, #[cfg(test)] ctx: Context) -> String {
    drop(ctx);
    b.to_string()
}

struct Conditional;

#[server]
impl Conditional {
    #[cfg(any())]
    #[tool]
    async fn one(&self) -> Missing {}

    #[tool]
    #[cfg(test)]
    async fn one(&self, #[cfg(any())] a: Missing, #[cfg(test)] a: u8) -> u8 {
        a
    }

    #[tool]
    #[cfg(any())]
    fn two(&self, value: Missing) {}

    #[tool]
    fn three(&self, #[cfg(any())] gone: Missing, #[cfg(test)] here: u8, too: u8) -> u8 {
        here + too
    }

    #[cfg(any())]
    #[resource("cfg://gone")]
    fn gone(&self) -> Missing {}

    #[resource("cfg://block/{a}")]
    async fn block(&self, #[cfg(any())] b: Missing, #[cfg(test)] a: u8) -> String {
        a.to_string()
    }

    #[prompt]
    fn ask(&self, #[cfg(any())] a: Missing, #[cfg(test)] b: u8) -> String {
        b.to_string()
    }
}

#[test]
fn what_is_switched_off_is_not_there() {
    let server = || Server::new("c").tool(there).tool(not_there {}).resource(read {}).prompt(write).with(Conditional);
    calls(
        server(),
        &[
            ("there", r#"{"here":1,"too":2}"#, "3"),
            ("not_there", r#"{"here":1,"too":2}"#, "3"),
            ("one", r#"{"a":1}"#, "1"),
            ("three", r#"{"here":1,"too":2}"#, "3"),
        ],
    );
    let tools = listed(server());
    assert_eq!(properties(&tools["there"]), ["here", "too"]);
    assert_eq!(properties(&tools["not_there"]), ["here", "too"]);
    assert_eq!(properties(&tools["one"]), ["a"]);
    assert_eq!(properties(&tools["three"]), ["here", "too"]);
    session(server(), async |client| {
        let uris: Vec<String> =
            client.list_resource_templates().await.unwrap().into_iter().map(|template| template.uri_template).collect();
        assert_eq!(uris, ["cfg://{a}", "cfg://block/{a}"]);
        assert_eq!(client.read_resource("cfg://1").await.unwrap().text(), "1");
        assert_eq!(client.read_resource("cfg://block/2").await.unwrap().text(), "2");
        for prompt in client.list_prompts().await.unwrap() {
            let names: Vec<&str> = prompt.arguments.iter().map(|argument| argument.name.as_str()).collect();
            assert_eq!(names, ["b"], "{}", prompt.name);
            let result = client.get_prompt(prompt.name, json!({ "b": "3" })).await.unwrap();
            assert_eq!(result.messages[0].content.as_text(), Some("3"));
        }
    });
}

// ---- Two of one name -----------------------------------------------------------------------------------------------

mod north {
    use super::*;

    #[derive(Default)]
    pub(super) struct Shop;

    #[rustfmt::skip]
    pub(super) const LINE: u32 = line!() + 5;

    #[server]
    impl Shop {
        #[tool]
        async fn refund(&self) {}
    }
}

mod south {
    use super::*;

    pub(super) struct Shop;

    #[rustfmt::skip]
    pub(super) const LINE: u32 = line!() + 5;

    #[server]
    impl Shop {
        #[tool]
        fn refund(&self) {}
    }

    pub(super) const FREE_LINE: u32 = line!() + 3;

    #[tool]
    pub(super) async fn refund() {}
}

/// What is said when a server is made.
#[track_caller]
fn fault(server: impl FnOnce() -> Server) -> String {
    let fault = catch_unwind(AssertUnwindSafe(server)).expect_err("nothing is wrong with it");
    fault.downcast_ref::<String>().unwrap().replace('\\', "/")
}

#[test]
fn two_of_one_name_are_told_with_both_places() {
    let told = |first: u32, second: u32| {
        let at = |line| format!("tests/shapes.rs:{line}:");
        (at(first), at(second))
    };
    let both = |name: &str, fault: &str, (first, second): (String, String)| {
        let (_, places) = fault.split_once(&format!("two tools are named `{name}`: one at ")).expect(fault);
        let (one, other) = places.split_once(", one at ").expect(fault);
        assert!(one.contains(&first) && other.contains(&second), "{fault}");
    };
    both(
        "refund",
        &fault(|| Server::new("s").tool(south::refund).with(south::Shop)),
        told(south::FREE_LINE, south::LINE),
    );
    both("refund", &fault(|| Server::new("s").with(north::Shop).with(south::Shop)), told(north::LINE, south::LINE));
    both("refund", &fault(|| Server::new("s").with(north::Shop).with(north::Shop)), told(north::LINE, north::LINE));
    #[tool]
    async fn eu_refund() {}
    let line = line!() - 1;
    let mounted = fault(|| Server::new("s").tool(eu_refund).mount("eu", Server::new("eu").with(south::Shop)));
    both("eu_refund", &mounted, told(line, south::LINE));
}

#[test]
fn what_is_no_object_is_no_list_of_arguments() {
    fn tool<T: serde::de::DeserializeOwned + JsonSchema>() -> mcp_server::Tool {
        mcp_server::Tool::builder("t").call(|_: T, _: Context| async {})
    }
    let refused = |tool: mcp_server::Tool| fault(|| Server::new("s").tool(tool));
    for (fault, name) in [
        (refused(tool::<String>()), "string"),
        (refused(tool::<u8>()), "uint8"),
        (refused(tool::<Vec<Area>>()), "Array_of_Area"),
        (refused(tool::<Option<u8>>()), "Nullable_uint8"),
        (refused(tool::<(u8, u8)>()), "Tuple_of_uint8_and_uint8"),
        (refused(tool::<Sort>()), "Sort"),
        (refused(tool::<Untagged>()), "Untagged"),
        (refused(tool::<Value>()), "AnyValue"),
    ] {
        let expected =
            format!("takes `{name}`, which can't be the arguments: they are a struct, with a field for each");
        assert!(fault.starts_with("`t` at ") && fault.ends_with(&expected), "{fault}");
    }
    drop(Server::new("s").tool(tool::<Area>()));
}

// ---- Places --------------------------------------------------------------------------------------------------------

mod nested {
    use super::*;

    mod deeper {
        use super::*;

        #[derive(Deserialize, JsonSchema)]
        struct Private(u8);

        #[derive(Serialize, JsonSchema)]
        struct Secret(u8);

        /// It takes and gives what only this module knows.
        #[tool]
        async fn hidden(value: Private) -> Json<Secret> {
            Json(Secret(value.0))
        }

        pub(super) fn server() -> Server {
            Server::new("deep").tool(hidden)
        }
    }

    #[tool]
    pub(crate) async fn visible() -> u8 {
        1
    }

    #[tool]
    pub(in crate::nested) fn here() -> u8 {
        2
    }

    pub(super) fn server() -> Server {
        deeper::server().tool(here {})
    }
}

const _: () = {
    #[tool]
    async fn in_a_constant(number: u8) -> u8 {
        number
    }

    struct InAConstant;

    #[server]
    impl InAConstant {
        #[tool]
        fn method_in_a_constant(&self) -> u8 {
            4
        }
    }

    impl InConstant for () {
        fn server() -> Server {
            Server::new("c").tool(in_a_constant).with(InAConstant)
        }
    }
};

trait InConstant {
    fn server() -> Server;
}

#[test]
fn a_tool_stands_wherever_a_function_can() {
    #[derive(Deserialize, JsonSchema)]
    struct Local {
        x: u8,
    }

    #[tool]
    async fn in_a_test(local: Local) -> u8 {
        local.x
    }

    #[tool]
    fn plain_in_a_test() -> u8 {
        6
    }

    let closure = || {
        #[tool]
        async fn in_a_closure() -> u8 {
            7
        }
        in_a_closure.into_tool()
    };
    calls(
        nested::server().tool(nested::visible),
        &[("hidden", r#"{"value":5}"#, "5"), ("visible", "{}", "1"), ("here", "{}", "2")],
    );
    calls(<()>::server(), &[("in_a_constant", r#"{"number":3}"#, "3"), ("method_in_a_constant", "{}", "4")]);
    calls(
        Server::new("t").tool(in_a_test).tool(plain_in_a_test {}).tool(closure()),
        &[("in_a_test", r#"{"local":{"x":5}}"#, "5"), ("plain_in_a_test", "{}", "6"), ("in_a_closure", "{}", "7")],
    );
}

/// Export orders.
#[tool]
async fn export_orders(order_ids: Vec<String>, ctx: Context) -> Result<String, ToolError> {
    ctx.report_progress(1, 1, None).await?;
    Ok(order_ids.concat())
}

#[tokio::test]
async fn a_function_stays_one() {
    let test = TestContext::new();
    assert_eq!(export_orders(vec![], test.context()).await.unwrap(), "");
    assert_eq!(test.reports().len(), 1);
    let pointer: fn(u8) -> u8 = r#match;
    assert_eq!(pointer(3), 3);
    assert_eq!(soon("a".into()).await.unwrap(), "a!");
    assert_eq!(repeat("a".into(), 1, 0, vec![]).await, "a 0 []");
    assert_eq!(block_comment(), 1);
    assert_eq!(there(1, 2).await, 3);
    assert_eq!(Clock(1).after(2).await, 3);
    assert_eq!(page_of(1, None).await, "1 None");
    assert_eq!(ask_for("a".into(), 2), "a 2");
    let answer = tokio::spawn(export_orders(vec!["b".into()], TestContext::new().context())).await.unwrap();
    assert_eq!(answer.unwrap(), "b");
}

// ---- Types ---------------------------------------------------------------------------------------------------------

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Customer {
    first_name: String,
    #[serde(rename = "mail")]
    email: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    #[serde(skip)]
    secret: u8,
    #[serde(with = "as_text")]
    #[schemars(with = "String")]
    token: u64,
    #[serde(default = "ten")]
    limit: u8,
}

fn ten() -> u8 {
    10
}

mod as_text {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    rest: BTreeMap<String, bool>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Page {
    number: u8,
    size: Option<u8>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Aliases {
    #[serde(default, alias = "n")]
    number: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum Internal {
    Cash,
    BankTransfer { the_iban: String },
    Paged(Page),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Start,
    Move(i32),
    Both(u8, String),
    Say { text: String },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING-KEBAB-CASE")]
enum External {
    AllGone,
    Circle(f64),
    Line(u8, u8),
    Rectangle { width: u8 },
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Id(u32),
    Name(String),
    Both { id: u32, name: String },
    None,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tree {
    name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kids: Vec<Tree>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Box<Tree>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Expression {
    Number(i64),
    Sum(Box<Expression>, Box<Expression>),
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
struct Url(String);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Tuple(u8, String);

#[derive(Serialize, Deserialize, JsonSchema)]
struct Unit;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Generic<T> {
    value: T,
}

/// An address that is held against a rule when it is read.
#[derive(JsonSchema)]
#[schemars(with = "String")]
struct Checked(String);

impl Serialize for Checked {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Checked {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text.contains("://") { Ok(Self(text)) } else { Err(serde::de::Error::custom("no address")) }
    }
}

impl fmt::Debug for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Each takes a value of the type and gives it back as structured data: what goes in comes out, byte for byte. Behind
/// `refuses` stands what the type can't be.
macro_rules! types {
    ($($name:ident: $ty:ty = $($value:literal)* $(refuses $($wrong:literal)*)?;)*) => {
        mod given_back {
            use super::*;
            $(
                #[tool]
                pub(super) async fn $name(value: $ty) -> Json<$ty> {
                    Json(value)
                }
            )*
        }

        mod inside {
            use super::*;
            $(
                #[tool]
                pub(super) fn $name(value: Vec<$ty>, other: Option<Vec<$ty>>) -> Json<(Vec<$ty>, Option<Vec<$ty>>)> {
                    Json((value, other))
                }
            )*
        }

        #[test]
        fn a_value_goes_in_and_out_unchanged() {
            let server = Server::new("t")$(.tool(given_back::$name))*;
            let rows: &[(&str, &[&str], &[&str])] = &[$((stringify!($name), &[$($value),*], &[$($($wrong),*)?])),*];
            let faults = session(server, async |client| {
                let mut faults = Vec::new();
                for (name, values, wrong) in rows {
                    for value in *values {
                        let result = client.call_tool(*name, raw(&format!(r#"{{"value":{value}}}"#))).await;
                        let result = result.map_err(|error| error.to_string());
                        let given = result.as_ref().ok().and_then(|result| result.structured_content.as_deref());
                        let text = result.as_ref().map_or_else(Clone::clone, |result| result.text());
                        if given.map(RawValue::get) != Some(*value) || text != *value {
                            faults.push(format!("{name}: {value} came back as {text}"));
                        }
                    }
                    for value in *wrong {
                        let result = client.call_tool(*name, raw(&format!(r#"{{"value":{value}}}"#))).await;
                        if !result.as_ref().is_ok_and(|result| result.is_error && result.text().starts_with("value")) {
                            faults.push(format!("{name}: {value} was not refused: {result:?}"));
                        }
                    }
                }
                faults
            });
            assert!(faults.is_empty(), "{}", faults.join("\n"));
        }

        #[test]
        fn a_value_inside_of_others_goes_in_and_out_unchanged() {
            let server = Server::new("t")$(.tool(inside::$name {}))*;
            let faults = session(server, async |client| {
                let mut faults = Vec::new();
                for (name, values) in [$((stringify!($name), [$($value),*].join(","))),*] {
                    for (arguments, expected) in [
                        (format!(r#"{{"value":[{values}],"other":[{values}]}}"#), format!("[[{values}],[{values}]]")),
                        (format!(r#"{{"value":[]}}"#), "[[],null]".to_owned()),
                    ] {
                        let result = client.call_tool(name, raw(&arguments)).await;
                        let text = result.map_or_else(|error| error.to_string(), |result| result.text());
                        if text != expected {
                            faults.push(format!("{name}: {arguments} came back as {text}"));
                        }
                    }
                }
                faults
            });
            assert!(faults.is_empty(), "{}", faults.join("\n"));
        }
    };
}

types! {
    customer: Customer =
        r#"{"firstName":"Ada","mail":"a@b.c","token":"18446744073709551615","limit":3}"#
        r#"{"firstName":"Ada","mail":"a@b.c","phone":"1","tags":["x"],"token":"0","limit":0}"#
        refuses r#"{"firstName":"Ada","mail":"a","token":"0","limit":0,"secret":1}"#
            r#"{"first_name":"Ada","mail":"a","token":"0","limit":0}"# r#"{"firstName":"Ada","mail":"a","token":"x"}"#;
    flat: Flat = r#"{"id":1,"number":2,"size":3,"open":true,"paid":false}"# refuses r#"{"id":1}"#;
    aliases: Aliases = r#"{"number":1}"#;
    internal: Internal = r#"{"kind":"cash"}"# r#"{"kind":"bank_transfer","theIban":"DE1"}"#
        r#"{"kind":"paged","number":1,"size":2}"# refuses r#"{"kind":"Cash"}"# r#"{"kind":"bank_transfer"}"#;
    adjacent: Adjacent = r#"{"t":"Start"}"# r#"{"t":"Move","c":-1}"# r#"{"t":"Both","c":[1,"a"]}"#
        r#"{"t":"Say","c":{"text":"a"}}"# refuses r#"{"t":"Move"}"#;
    external: External = r#""ALL-GONE""# r#"{"CIRCLE":0.5}"# r#"{"LINE":[1,2]}"# r#"{"RECTANGLE":{"width":1}}"#
        refuses r#""CIRCLE""# r#"{"LINE":[1]}"#;
    untagged: Untagged = "4294967295" r#""a""# r#"{"id":1,"name":"a"}"# refuses "-1" "4294967296" "true";
    tree: Tree = r#"{"name":"a","kids":[{"name":"b","kids":[{"name":"c"}]}],"next":{"name":"d"}}"#
        refuses r#"{"name":"a","kids":[{}]}"#;
    expression: Expression = r#"{"Sum":[{"Number":1},{"Sum":[{"Number":-2},{"Number":3}]}]}"#
        refuses r#"{"Sum":[{"Number":1}]}"#;
    hash_map: HashMap<String, i64> = r#"{"a":-9223372036854775808}"# "{}" refuses r#"{"a":1.5}"#;
    map_of_maps: BTreeMap<String, BTreeMap<u8, Vec<bool>>> = r#"{"a":{"1":[true],"2":[]}}"# refuses r#"{"a":{"x":[]}}"#;
    optional: Option<Vec<Option<u8>>> = "[1,null]" "[]" refuses "[256]";
    tuple: (u8, String, bool) = r#"[1,"a",true]"# refuses "[1]" r#"[1,"a",true,1]"#;
    own_tuple: Tuple = r#"[1,"a"]"# refuses "[1]";
    unit_struct: Unit = "null";
    array: [u8; 3] = "[1,2,3]" refuses "[1,2]" "[1,2,3,4]";
    empty_array: [u8; 0] = "[]";
    boxed: Box<Generic<u8>> = r#"{"value":1}"#;
    generic: Generic<Generic<Option<String>>> = r#"{"value":{"value":"a"}}"#;
    shared: Arc<str> = r#""a""#;
    shared_list: Arc<[Arc<u8>]> = "[1,2]";
    copy_on_write: std::borrow::Cow<'static, str> = r#""a\u0001""# r#""\"\\\n""#;
    boxed_text: Box<str> = r#""é😀""#;
    moment: chrono::DateTime<chrono::Utc> = r#""2026-07-28T12:00:00.123456789Z""# refuses r#""2026-07-28""#;
    day: chrono::NaiveDate = r#""2024-02-29""# refuses r#""2023-02-29""# "1";
    id: uuid::Uuid = r#""67e55044-10b1-426f-9247-bb680e5fe0c8""# refuses r#""67e55044""#;
    u64_: u64 = "0" "9007199254740993" "18446744073709551615" refuses "-1" "18446744073709551616" "1.5";
    i64_: i64 = "-9223372036854775808" "9223372036854775807" "-9007199254740993" refuses "9223372036854775808";
    u128_: u128 = "0" "18446744073709551616" "340282366920938463463374607431768211455"
        refuses "340282366920938463463374607431768211456" "-1";
    i128_: i128 = "-170141183460469231731687303715884105728" "170141183460469231731687303715884105727";
    usize_: usize = "18446744073709551615";
    i8_: i8 = "-128" "127" refuses "128";
    f32_: f32 = "0.1" "16777216.0" "-3.4028235e+38" refuses r#""1""#;
    f64_: f64 = "0.1" "5e-324" "1.7976931348623157e+308" "-0.0" "9.007199254740994e+25" refuses "true";
    letter: char = r#""ß""# r#""😀""# refuses r#""ab""# r#""""#;
    non_zero: NonZeroU32 = "1" "4294967295" refuses "0";
    span: std::time::Duration = r#"{"secs":18446744073709551615,"nanos":999999999}"# refuses r#"{"secs":1}"#;
    url: Url = r#""https://shop.example/?a=b&c""#;
    checked: Checked = r#""https://shop.example""# refuses r#""shop""#;
    any: Value = "null" "true" "18446744073709551615" "-1" "1.0" r#""a""# r#"[1,{"b":null,"a":[]}]"#;
    object: Map<String, Value> = r#"{"b":1,"a":{"d":[],"c":null}}"# refuses "[]" "1";
    truth: bool = "true" "false" refuses "1" r#""true""#;
    outcome: Result<u8, String> = r#"{"Ok":1}"# r#"{"Err":"a"}"#;
    nothing: () = "null";
}

#[test]
fn the_options_of_serde_hold_for_arguments() {
    calls(
        Server::new("t").tool(given_back::customer).tool(given_back::aliases),
        &[
            (
                "customer",
                r#"{"value":{"firstName":"Ada","mail":"a","token":"1"}}"#,
                r#"{"firstName":"Ada","mail":"a","token":"1","limit":10}"#,
            ),
            (
                "customer",
                r#"{"value":{"firstName":"Ada","mial":"a","token":"1"}}"#,
                "value.mail: missing, expected a string\nvalue.mial: unknown member; did you mean `mail`? \
             the members are `firstName`, `mail`, `phone`, `tags`, `token`, `limit`",
            ),
            ("aliases", r#"{"value":{"n":1}}"#, r#"{"number":1}"#),
        ],
    );
}
