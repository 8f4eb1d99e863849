//! Tokens: which are accepted, and how often their issuer is asked for its keys.
//!
//! The keys in `keys` are for these tests alone. The issuer is a little server on this machine.

use std::collections::HashMap;
use std::fmt::{Debug, Write};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::jwk::Jwk;
use jsonwebtoken::{Algorithm, EncodingKey, crypto};
use mcp_server::Principal;
use mcp_server::auth::{JwtVerifier, TokenError, TokenVerifier};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{advance, pause, resume};
use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, SubscriberExt};

const AUDIENCE: &str = "https://shop.example/mcp";
const METADATA: &str = "/.well-known/oauth-authorization-server";

/// A key that tokens are signed with.
#[derive(Clone)]
struct Key {
    kid: &'static str,
    algorithm: Algorithm,
    encoding: EncodingKey,
}

impl Key {
    fn ed(kid: &'static str) -> Self {
        let encoding = EncodingKey::from_ed_der(include_bytes!("keys/ed25519.der"));
        Self { kid, algorithm: Algorithm::EdDSA, encoding }
    }

    fn other_ed(kid: &'static str) -> Self {
        let encoding = EncodingKey::from_ed_der(include_bytes!("keys/other_ed25519.der"));
        Self { kid, algorithm: Algorithm::EdDSA, encoding }
    }

    fn p256(kid: &'static str) -> Self {
        let encoding = EncodingKey::from_ec_der(include_bytes!("keys/p256.der"));
        Self { kid, algorithm: Algorithm::ES256, encoding }
    }

    fn rsa(kid: &'static str, algorithm: Algorithm) -> Self {
        Self { kid, algorithm, encoding: EncodingKey::from_rsa_der(include_bytes!("keys/rsa.der")) }
    }

    /// What its issuer publishes of it.
    fn public(&self) -> Value {
        let mut jwk = serde_json::to_value(Jwk::from_encoding_key(&self.encoding, self.algorithm).unwrap()).unwrap();
        jwk["kid"] = json!(self.kid);
        jwk.as_object_mut().unwrap().remove("alg");
        jwk
    }

    fn signs(&self, header: &Value, claims: &Value) -> String {
        let message = format!("{}.{}", encoded(header), encoded(claims));
        let signature = crypto::sign(message.as_bytes(), &self.encoding, self.algorithm).unwrap();
        format!("{message}.{signature}")
    }

    /// A good token of this issuer.
    fn token(&self, issuer: &str) -> String {
        self.signs(&self.header(), &claims(issuer))
    }

    fn header(&self) -> Value {
        json!({ "alg": self.algorithm, "typ": "at+jwt", "kid": self.kid })
    }
}

fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

fn claims(issuer: &str) -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    json!({ "iss": issuer, "aud": AUDIENCE, "sub": "anna", "exp": now + 3600, "scope": "orders:read" })
}

fn key_set(keys: &[&Key]) -> String {
    json!({ "keys": keys.iter().map(|key| key.public()).collect::<Vec<_>>() }).to_string()
}

/// An issuer on this machine, which knows what it was asked.
#[derive(Clone)]
struct Issuer {
    url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The answer for each path, head and body; another path gets 404, and one without an answer waits forever.
    pages: HashMap<String, Option<String>>,
    asked: Vec<String>,
}

impl Issuer {
    /// With its metadata at the first place, and with these keys.
    async fn start(keys: &[&Key]) -> Self {
        let issuer = Self::bare().await;
        issuer.page(METADATA, &issuer.metadata());
        issuer.publishes(keys);
        issuer
    }

    async fn bare() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<State>>::default();
        tokio::spawn({
            let state = Arc::clone(&state);
            async move {
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(answer(stream, Arc::clone(&state)));
                }
            }
        });
        Self { url, state }
    }

    fn metadata(&self) -> String {
        json!({ "issuer": self.url, "jwks_uri": format!("{}/keys", self.url) }).to_string()
    }

    fn publishes(&self, keys: &[&Key]) {
        self.page("/keys", &key_set(keys));
    }

    fn page(&self, path: &str, body: &str) {
        self.answers(path, Some(format!("200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())));
    }

    fn answers(&self, path: &str, answer: Option<String>) {
        self.state.lock().unwrap().pages.insert(path.to_owned(), answer);
    }

    /// Answers nothing any more but errors.
    fn fails(&self) {
        for answer in self.state.lock().unwrap().pages.values_mut() {
            *answer = Some("500 Internal Server Error\r\nContent-Length: 0\r\n\r\n".to_owned());
        }
    }

    /// What it was asked since the last time.
    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.state.lock().unwrap().asked)
    }

    fn verifier(&self) -> JwtVerifier {
        JwtVerifier::new(&self.url, AUDIENCE)
    }
}

async fn answer(mut stream: TcpStream, state: Arc<Mutex<State>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.strip_prefix("GET ").unwrap().split(' ').next().unwrap().to_owned();
    let answer = {
        let mut state = state.lock().unwrap();
        let answer = state.pages.get(&path).cloned();
        state.asked.push(path);
        answer.unwrap_or_else(|| Some("404 Not Found\r\nContent-Length: 0\r\n\r\n".to_owned()))
    };
    match answer {
        Some(answer) => drop(stream.write_all(format!("HTTP/1.1 {answer}").as_bytes()).await),
        None => std::future::pending().await,
    }
}

/// Lets the time pass without waiting for it.
async fn later(duration: Duration) {
    pause();
    advance(duration).await;
    resume();
}

const MINUTE: Duration = Duration::from_secs(60);

#[track_caller]
fn refused(answer: Result<Principal, TokenError>, text: &'static str) {
    assert_eq!(answer.unwrap_err(), TokenError::invalid(text));
}

#[track_caller]
fn unavailable(answer: Result<Principal, TokenError>) {
    let error = answer.unwrap_err();
    assert!(error.is_unavailable(), "{error}");
    assert_eq!(error.to_string(), "the keys of the issuer can't be read right now");
}

const NO_KEY: &str = "the token is signed with no key of the issuer";
const NOT_SIGNED: &str = "the token is not signed by its issuer";
const NO_JWT: &str = "the token is no JSON Web Token";
const NO_ACCESS_TOKEN: &str = "the token is no access token";
const NO_ALGORITHM: &str = "the token is signed by an algorithm that is not accepted";

// rows: AUTH-5, AUTH-11
#[tokio::test]
async fn a_token_is_accepted_by_each_algorithm() {
    let rsa = Key::rsa("rsa", Algorithm::RS256);
    let keys = [
        Key::ed("ed"),
        Key::p256("p256"),
        rsa.clone(),
        Key::rsa("rsa", Algorithm::RS512),
        Key::rsa("rsa", Algorithm::PS256),
        Key::rsa("rsa", Algorithm::PS384),
    ];
    let issuer = "https://login.example";
    let verifier = JwtVerifier::new(issuer, AUDIENCE).jwks(key_set(&[&keys[0], &keys[1], &rsa]));
    for key in &keys {
        let anna = verifier.verify(&key.token(issuer)).await.unwrap();
        assert_eq!((anna.issuer(), anna.subject()), (issuer, "anna"), "{:?}", key.algorithm);
        assert!(anna.has_scope("orders:read"));
        let without_kid = key.signs(&json!({ "alg": key.algorithm }), &claims(issuer));
        assert!(verifier.verify(&without_kid).await.is_ok(), "{:?}", key.algorithm);
    }
}

// rows: AUTH-5
#[tokio::test]
async fn a_token_that_its_issuer_has_not_signed_is_refused() {
    let (key, issuer) = (Key::rsa("a", Algorithm::RS256), "https://login.example");
    let verifier = JwtVerifier::new(issuer, AUDIENCE).jwks(key_set(&[&key, &Key::ed("ed")]));
    let token = key.token(issuer);
    let [header, body, signature] = token.split('.').collect::<Vec<_>>().try_into().unwrap();
    let mut changed = claims(issuer);
    changed["sub"] = json!("bob");
    let public = key.public()["n"].as_str().unwrap().to_owned();
    let with_secret =
        Key { kid: "a", algorithm: Algorithm::HS256, encoding: EncodingKey::from_secret(public.as_bytes()).unwrap() };
    let none = encoded(&json!({ "alg": "none" }));
    for (token, why) in [
        (format!("{header}.{}.{signature}", encoded(&changed)), NOT_SIGNED),
        (format!("{header}.{body}."), NOT_SIGNED),
        (Key::other_ed("ed").token(issuer), NOT_SIGNED),
        (Key::ed("other").token(issuer), NO_KEY),
        (Key::ed("a").token(issuer), NO_KEY),
        (with_secret.token(issuer), NO_ALGORITHM),
        (format!("{none}.{body}."), NO_ALGORITHM),
        (format!("{none}.{body}.{signature}"), NO_ALGORITHM),
        (format!("{header}.{body}"), NO_JWT),
        (format!("{token}.{signature}"), NO_JWT),
        (format!("{header}.{body}.{signature}="), NO_JWT),
        (format!("{}.{body}.{signature}", encoded(&json!("x"))), NO_JWT),
        (key.signs(&key.header(), &json!([])), NO_JWT),
        ("a.b.c".to_owned(), NO_JWT),
        ("..".to_owned(), NO_JWT),
        ("opaque".to_owned(), NO_JWT),
    ] {
        refused(verifier.verify(&token).await, why);
    }
}

// rows: AUTH-5
#[tokio::test]
async fn a_header_says_that_it_is_an_access_token_and_demands_nothing() {
    let (key, issuer) = (Key::ed("a"), "https://login.example");
    let verifier = JwtVerifier::new(issuer, AUDIENCE).jwks(key_set(&[&key]));
    let with = |name: &str, value: Value| {
        let mut header = key.header();
        header[name] = value;
        key.signs(&header, &claims(issuer))
    };
    for typ in ["at+jwt", "JWT", "jwt", "application/at+jwt"] {
        assert!(verifier.verify(&with("typ", json!(typ))).await.is_ok(), "{typ}");
    }
    assert!(verifier.verify(&with("jku", json!("https://evil.example"))).await.is_ok());
    for typ in ["logout+jwt", "dpop+jwt", "id_token", ""] {
        refused(verifier.verify(&with("typ", json!(typ))).await, NO_ACCESS_TOKEN);
    }
    let demands = "the token demands what this server does not know";
    refused(verifier.verify(&with("crit", json!(["b64"]))).await, demands);
}

#[tokio::test]
async fn without_a_name_only_one_key_may_fit() {
    let (one, other, issuer) = (Key::ed("a"), Key::other_ed("b"), "https://login.example");
    let verifier = JwtVerifier::new(issuer, AUDIENCE).jwks(key_set(&[&one, &other]));
    assert!(verifier.verify(&one.token(issuer)).await.is_ok());
    assert!(verifier.verify(&other.token(issuer)).await.is_ok());
    refused(verifier.verify(&one.signs(&json!({ "alg": "EdDSA" }), &claims(issuer))).await, NO_KEY);
}

// rows: AUTH-5
#[tokio::test]
async fn all_requests_share_one_fetch() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let (verifier, token) = (Arc::new(issuer.verifier()), key.token(&issuer.url));
    let mut requests = JoinSet::new();
    for _ in 0..50 {
        let (verifier, token) = (Arc::clone(&verifier), token.clone());
        requests.spawn(async move { verifier.verify(&token).await.map(|anna| anna.subject().to_owned()) });
    }
    for answer in requests.join_all().await {
        assert_eq!(answer.unwrap(), "anna");
    }
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);
}

#[tokio::test]
async fn the_address_of_the_keys_may_be_given() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let verifier = JwtVerifier::new("https://login.example", AUDIENCE).jwks_url(format!("{}/keys", issuer.url));
    assert!(verifier.verify(&key.token("https://login.example")).await.is_ok());
    assert_eq!(issuer.asked(), ["/keys"]);
}

#[tokio::test]
async fn the_metadata_of_an_issuer_is_looked_for_in_order_and_must_be_its_own() {
    let key = Key::ed("a");
    let issuer = Issuer::bare().await;
    issuer.publishes(&[&key]);
    let tenant = format!("{}/tenant", issuer.url);
    let metadata = |of: &str| json!({ "issuer": of, "jwks_uri": format!("{}/keys", issuer.url) }).to_string();
    let places = [
        "/.well-known/oauth-authorization-server/tenant",
        "/.well-known/openid-configuration/tenant",
        "/tenant/.well-known/openid-configuration",
    ];
    issuer.page(places[0], &metadata(&issuer.url));
    issuer.page(places[1], "no JSON");
    issuer.page(places[2], &metadata(&tenant));
    let verifier = JwtVerifier::new(&tenant, AUDIENCE);
    assert!(verifier.verify(&key.token(&tenant)).await.is_ok());
    assert_eq!(issuer.asked(), [places[0], places[1], places[2], "/keys"]);

    issuer.page(places[2], &metadata("https://honest.example"));
    unavailable(JwtVerifier::new(&tenant, AUDIENCE).verify(&key.token(&tenant)).await);
    assert_eq!(issuer.asked(), places);
}

#[tokio::test]
async fn a_key_that_is_not_known_is_looked_for_once_in_a_while() {
    let (old, new) = (Key::ed("old"), Key::other_ed("new"));
    let issuer = Issuer::start(&[&old]).await;
    let verifier = issuer.verifier();
    assert!(verifier.verify(&old.token(&issuer.url)).await.is_ok());
    issuer.asked();

    issuer.publishes(&[&new]);
    // Too soon after the last fetch.
    refused(verifier.verify(&new.token(&issuer.url)).await, NO_KEY);
    assert!(issuer.asked().is_empty());
    later(Duration::from_secs(31)).await;
    assert!(verifier.verify(&new.token(&issuer.url)).await.is_ok());
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);
    refused(verifier.verify(&old.token(&issuer.url)).await, NO_KEY);

    // Made-up names of keys do not flood the issuer.
    later(Duration::from_secs(31)).await;
    for n in 0..100 {
        let header = json!({ "alg": "EdDSA", "kid": n.to_string() });
        refused(verifier.verify(&new.signs(&header, &claims(&issuer.url))).await, NO_KEY);
    }
    assert!(verifier.verify(&new.token(&issuer.url)).await.is_ok());
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);
}

#[tokio::test]
async fn keys_are_fetched_again_and_old_ones_serve_while_that_fails() {
    let (old, new) = (Key::ed("old"), Key::other_ed("new"));
    let issuer = Issuer::start(&[&old]).await;
    let verifier = issuer.verifier();
    let [old_token, new_token] = [&old, &new].map(|key| key.token(&issuer.url));
    assert!(verifier.verify(&old_token).await.is_ok());
    later(9 * MINUTE).await;
    assert!(verifier.verify(&old_token).await.is_ok());
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);

    // Withdrawn.
    issuer.publishes(&[&new]);
    later(MINUTE).await;
    refused(verifier.verify(&old_token).await, NO_KEY);
    assert!(verifier.verify(&new_token).await.is_ok());
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);

    issuer.fails();
    for _ in 0..23 {
        later(60 * MINUTE).await;
        assert!(verifier.verify(&new_token).await.is_ok());
        assert!(verifier.verify(&new_token).await.is_ok());
        assert_eq!(issuer.asked().len(), 2);
        // It may be a new one.
        unavailable(verifier.verify(&old_token).await);
    }
    later(60 * MINUTE).await;
    unavailable(verifier.verify(&new_token).await);
    issuer.page(METADATA, &issuer.metadata());
    issuer.publishes(&[&new]);
    later(MINUTE).await;
    assert!(verifier.verify(&new_token).await.is_ok());
}

// rows: AUTH-5
#[tokio::test]
async fn without_keys_nothing_is_said_about_a_token() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    issuer.fails();
    let (verifier, token) = (issuer.verifier(), key.token(&issuer.url));
    for _ in 0..10 {
        unavailable(verifier.verify(&token).await);
    }
    assert_eq!(issuer.asked().len(), 2);
    issuer.page(METADATA, &issuer.metadata());
    issuer.publishes(&[&key]);
    later(Duration::from_secs(5)).await;
    assert!(verifier.verify(&token).await.is_ok());

    // What is no token needs no keys.
    refused(Issuer::bare().await.verifier().verify("opaque").await, NO_JWT);
}

#[tokio::test]
async fn an_issuer_that_answers_oddly_gives_no_keys() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let keys = key_set(&[&key]);
    issuer.page("/moved", &keys);
    let large = format!("{keys}{}", " ".repeat(1024 * 1024));
    let endless = format!("Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n", large.len());
    for answer in [
        format!("302 Found\r\nLocation: {}/moved\r\nContent-Length: 0\r\n\r\n", issuer.url),
        format!("200 OK\r\nContent-Length: {}\r\n\r\n{large}", large.len()),
        format!("200 OK\r\n{endless}"),
        format!("200 OK\r\nContent-Length: {}\r\n\r\n{keys}", keys.len() + 1),
        "200 OK\r\nContent-Length: 2\r\n\r\n{}".to_owned(),
        "204 No Content\r\n\r\n".to_owned(),
        "nonsense".to_owned(),
    ] {
        issuer.answers("/keys", Some(answer.clone()));
        unavailable(issuer.verifier().verify(&key.token(&issuer.url)).await);
        assert_eq!(issuer.asked(), [METADATA, "/keys"], "{}", &answer[..30.min(answer.len())]);
    }
    issuer.answers("/keys", Some(format!("200 OK\r\nContent-Length: {}\r\n\r\n{keys}", keys.len())));
    assert!(issuer.verifier().verify(&key.token(&issuer.url)).await.is_ok());
    for elsewhere in ["http://login.example/keys", "file:///etc/passwd", "/keys", ""] {
        issuer.page(METADATA, &json!({ "issuer": issuer.url, "jwks_uri": elsewhere }).to_string());
        unavailable(issuer.verifier().verify(&key.token(&issuer.url)).await);
    }
}

#[tokio::test]
async fn an_issuer_that_does_not_answer_is_given_up() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    issuer.answers("/keys", None);
    let verifier = issuer.verifier().fetch_timeout(Duration::from_millis(100));
    unavailable(verifier.verify(&key.token(&issuer.url)).await);
}

#[tokio::test]
async fn nobody_waits_for_newer_keys_but_one() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let (verifier, token) = (Arc::new(issuer.verifier()), key.token(&issuer.url));
    assert!(verifier.verify(&token).await.is_ok());
    issuer.asked();
    issuer.answers(METADATA, None);
    later(10 * MINUTE).await;
    let one = tokio::spawn({
        let (verifier, token) = (Arc::clone(&verifier), token.clone());
        async move { verifier.verify(&token).await.is_ok() }
    });
    while issuer.asked().is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for _ in 0..10 {
        assert!(verifier.verify(&token).await.is_ok());
    }
    assert!(!one.is_finished());
    one.abort();
}

#[tokio::test]
async fn a_client_that_goes_away_neither_ends_a_fetch_nor_starts_another() {
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let (verifier, token) = (issuer.verifier(), key.token(&issuer.url));
    for _ in 0..20 {
        // Gone at the first wait, and at later ones.
        let _ = tokio::time::timeout(Duration::from_micros(300), verifier.verify(&token)).await;
    }
    assert!(verifier.verify(&token).await.is_ok());
    assert_eq!(issuer.asked(), [METADATA, "/keys"]);
}

/// All that is logged by all tests, as text.
#[derive(Clone, Default)]
struct Logged(Arc<Mutex<String>>);

impl Logged {
    /// Of the whole process: what is logged at a place for the first time is otherwise lost, if that is on the thread of
    /// another test.
    fn everything() -> &'static Self {
        static LOGGED: LazyLock<Logged> = LazyLock::new(|| {
            let logged = Logged::default();
            tracing::subscriber::set_global_default(tracing_subscriber::registry().with(logged.clone())).unwrap();
            logged
        });
        &LOGGED
    }
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Logged {
    fn on_new_span(&self, attributes: &tracing::span::Attributes<'_>, _: &tracing::Id, _: Context<'_, S>) {
        attributes.record(&mut self.clone());
    }

    fn on_record(&self, _: &tracing::Id, values: &tracing::span::Record<'_>, _: Context<'_, S>) {
        values.record(&mut self.clone());
    }

    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        event.record(&mut self.clone());
    }
}

impl Visit for Logged {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        writeln!(self.0.lock().unwrap(), "{field}={value:?}").unwrap();
    }
}

// rows: AUTH-6
#[tokio::test]
async fn no_part_of_a_token_is_logged_or_told() {
    let logged = Logged::everything();
    let key = Key::ed("a");
    let issuer = Issuer::start(&[&key]).await;
    let verifier = issuer.verifier();
    let mut expired = claims(&issuer.url);
    expired["exp"] = json!(1);
    let tokens = [
        key.token(&issuer.url),
        key.token("https://other.example"),
        key.signs(&key.header(), &expired),
        Key::other_ed("a").token(&issuer.url),
        Key::other_ed("made-up-name-of-a-key").token(&issuer.url),
        Key::rsa("a", Algorithm::RS256).token(&issuer.url),
        "an-opaque-token-of-another-kind".to_owned(),
    ];
    let mut told = String::new();
    for round in ["good", "bad"] {
        for token in &tokens {
            writeln!(told, "{round} {:?}", verifier.verify(token).await).unwrap();
        }
        issuer.fails();
        later(60 * MINUTE).await;
    }
    writeln!(told, "{verifier:?}").unwrap();
    let logged = logged.0.lock().unwrap();
    assert!(logged.contains("can't be read: "), "the test has lost sight of the log: {logged}");
    for token in &tokens {
        for part in token.as_bytes().windows(8).map(|part| std::str::from_utf8(part).unwrap()) {
            assert!(!logged.contains(part), "{part} of {token} was logged: {logged}");
            assert!(!told.contains(part), "{part} of {token} was told: {told}");
        }
    }
    assert!(!logged.contains("made-up-name-of-a-key"));
}
