//! JSON Web Tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::address::Address;
use super::key_server::{KeyServer, Source};
use super::keys::{self, KeySet, Signed};
use super::verifier::{TokenError, TokenVerifier};
use crate::server::Principal;

/// Accepts JSON Web Tokens of one issuer for one audience, signed with a key that the issuer publishes.
///
/// What it holds of a token:
///
/// - The signature, by `RS256`, `RS384`, `RS512`, `PS256`, `PS384`, `PS512`, `ES256`, `ES384` or `EdDSA`; never by a
///   shared secret. The header names the key by its `kid`; without one there must be only one key that fits.
/// - `typ` of the header is `at+jwt`, `JWT` or missing, and there is no `crit`.
/// - `iss` is the issuer and `aud`, one or several, has the audience, both to the letter.
/// - `exp` is there and not past, and `nbf` is past if it is there, both with a [leeway](Self::leeway).
/// - `sub` is there: it and the issuer are the [`Principal`]. Its scopes are those of `scope` and `scp`, its client is
///   `client_id` or `azp`, and all claims are kept.
/// - It is no ID token and no refresh token, as `at_hash`, `c_hash`, `token_use` or a claim `typ` tell. It is not bound
///   to a key of the client (`cnf`), for which a bearer would have to prove more.
///
/// The keys are fetched at the first token. They are found by the metadata of the issuer, unless an
/// [address](Self::jwks_url) or the [keys](Self::jwks) themselves are given. They are fetched again
/// [after a time](Self::refresh_after), and when a token names a key that is not among them, though
/// [not too often](Self::refetch_interval). One fetch serves all requests, follows no redirect, and reads 1 MiB at most.
///
/// ```
/// use mcp_server::auth::{Authorization, JwtVerifier};
///
/// let verifier = JwtVerifier::new("https://login.example", "https://shop.example/mcp")
///     .implies("orders:write", ["orders:read"]);
/// let authorization =
///     Authorization::new("https://shop.example/mcp", verifier).authorization_server("https://login.example");
/// ```
///
/// Specification:
/// [Token Handling](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#token-handling) and
/// [Access Token Privilege Restriction](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#access-token-privilege-restriction).
pub struct JwtVerifier {
    issuer: String,
    audiences: Vec<String>,
    leeway: Duration,
    implied: BTreeMap<String, BTreeSet<String>>,
    keys: KeyServer,
}

impl JwtVerifier {
    /// For tokens whose `iss` is the issuer and whose `aud` has the audience: as a rule the address of the server, as
    /// clients name it to the authorization server.
    ///
    /// # Panics
    ///
    /// When the issuer is no URL on `https` (or `http` within this machine), or has a query or a fragment. When the
    /// audience is empty.
    #[track_caller]
    pub fn new(issuer: impl Into<String>, audience: impl Into<String>) -> Self {
        let issuer = issuer.into();
        let address = Address::without_query(&issuer)
            .unwrap_or_else(|fault| panic!("`{issuer}` can't be an issuer of tokens: {fault}"));
        let keys = KeyServer::new(Source::Metadata { issuer: issuer.clone(), address });
        let verifier =
            Self { issuer, audiences: Vec::new(), leeway: Duration::from_secs(60), implied: BTreeMap::new(), keys };
        verifier.audience(audience)
    }

    /// Accepts tokens for this audience too, such as the address with a slash at its end.
    ///
    /// # Panics
    ///
    /// When it is empty.
    #[must_use]
    #[track_caller]
    pub fn audience(mut self, audience: impl Into<String>) -> Self {
        let audience = audience.into();
        assert!(!audience.is_empty(), "the audience of tokens can't be empty");
        // What is published as the address of a server is the canonical form.
        let canonical = Address::without_query(&audience).map(|Address { origin, path, .. }| origin + &path);
        self.audiences.extend(canonical.ok().filter(|canonical| *canonical != audience));
        self.audiences.push(audience);
        self
    }

    /// Fetches the keys from this address, a JSON Web Key Set, and does not ask the issuer where they are.
    ///
    /// # Panics
    ///
    /// When it is no URL on `https` (or `http` within this machine), or has a fragment.
    #[must_use]
    #[track_caller]
    pub fn jwks_url(mut self, url: impl Into<String>) -> Self {
        let url = url.into();
        let address =
            Address::parse(&url).unwrap_or_else(|fault| panic!("`{url}` can't be the address of keys: {fault}"));
        self.keys.fetch_from(Source::Jwks { url, address });
        self
    }

    /// Takes these keys, a JSON Web Key Set, and never fetches any. Keys that can't check a signature are left out.
    ///
    /// # Panics
    ///
    /// When it is no key set, or there is no key in it that can check a signature.
    #[must_use]
    #[track_caller]
    pub fn jwks(mut self, json: impl AsRef<str>) -> Self {
        let keys = KeySet::parse(json.as_ref().as_bytes()).unwrap_or_else(|error| panic!("no key set: {error}"));
        assert!(!keys.is_empty(), "the key set of `{}` has no key that can check a signature", self.issuer);
        self.keys.give(keys);
        self
    }

    /// Gives those who have the first scope the others too, and what these imply in turn.
    #[must_use]
    pub fn implies<S: Into<String>>(mut self, scope: impl Into<String>, implied: impl IntoIterator<Item = S>) -> Self {
        self.implied.entry(scope.into()).or_default().extend(implied.into_iter().map(Into::into));
        self
    }

    /// How far the clocks of issuer and server may differ: a minute by default.
    #[must_use]
    pub fn leeway(mut self, leeway: Duration) -> Self {
        self.leeway = leeway;
        self
    }

    /// Fetches the keys again when they are so old: ten minutes by default.
    #[must_use]
    pub fn refresh_after(mut self, age: Duration) -> Self {
        self.keys.times.refresh = age;
        self
    }

    /// Goes on with the keys that it has until they are so old, as long as no newer ones can be fetched: a day by
    /// default. From then on tokens are refused with 503.
    #[must_use]
    pub fn stale_for(mut self, age: Duration) -> Self {
        self.keys.times.stale = age;
        self
    }

    /// Waits so long, half a minute by default, between two fetches for tokens that name unknown keys, and after a
    /// fetch that has failed; as long as there is no key at all, five seconds at most.
    #[must_use]
    pub fn refetch_interval(mut self, interval: Duration) -> Self {
        self.keys.times.interval = interval;
        self
    }

    /// Ends a fetch that takes longer, metadata and keys together: ten seconds by default.
    #[must_use]
    pub fn fetch_timeout(mut self, timeout: Duration) -> Self {
        self.keys.times.timeout = timeout;
        self
    }

    fn principal(&self, claims: Map<String, Value>, now: f64) -> Result<Principal, TokenError> {
        self.check(&claims, now)?;
        let subject = text(&claims, "sub").filter(|subject| !subject.is_empty());
        let subject = subject.ok_or(TokenError::invalid("the token names no subject"))?;
        let mut scopes = BTreeSet::new();
        let mut found: Vec<&str> = words(claims.get("scope")).chain(words(claims.get("scp"))).collect();
        while let Some(scope) = found.pop() {
            if scopes.insert(scope) {
                found.extend(self.implied.get(scope).into_iter().flatten().map(String::as_str));
            }
        }
        let mut principal = Principal::new(&self.issuer, subject).scopes(scopes);
        if let Some(client) = text(&claims, "client_id").or_else(|| text(&claims, "azp")) {
            principal = principal.client_id(client);
        }
        Ok(principal.claims(claims))
    }

    fn check(&self, claims: &Map<String, Value>, now: f64) -> Result<(), TokenError> {
        if text(claims, "iss") != Some(&self.issuer) {
            return Err(TokenError::wrong_issuer());
        }
        let is_ours = |audience: &Value| self.audiences.iter().any(|ours| audience == ours);
        let is_for_us = match claims.get("aud") {
            Some(Value::Array(audiences)) => audiences.iter().any(is_ours),
            Some(audience) => is_ours(audience),
            None => false,
        };
        if !is_for_us {
            return Err(TokenError::wrong_audience());
        }
        let leeway = self.leeway.as_secs_f64();
        match claims.get("exp").map(Value::as_f64) {
            Some(Some(expiry)) if now < expiry + leeway => {}
            Some(Some(_)) => return Err(TokenError::expired()),
            _ => return Err(TokenError::invalid("the token does not say when it expires")),
        }
        match claims.get("nbf").map(Value::as_f64) {
            None => {}
            Some(Some(start)) if start <= now + leeway => {}
            _ => return Err(TokenError::invalid("the token is not valid yet")),
        }
        // An ID token tells a client who its user is, and a refresh token is for the authorization server alone.
        let is = |claim, kinds: &[&str]| {
            text(claims, claim).is_some_and(|found| kinds.iter().any(|kind| found.eq_ignore_ascii_case(kind)))
        };
        if claims.contains_key("at_hash")
            || claims.contains_key("c_hash")
            || is("token_use", &["id"])
            || is("typ", &["ID", "Refresh", "Offline"])
        {
            return Err(TokenError::invalid("the token is no access token"));
        }
        if claims.contains_key("cnf") {
            return Err(TokenError::invalid("the token is bound to a key, and no bearer token"));
        }
        Ok(())
    }
}

impl TokenVerifier for JwtVerifier {
    async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
        let (message, signature) = token.rsplit_once('.').ok_or(NO_JWT)?;
        let (header, claims) = message.split_once('.').filter(|(_, claims)| !claims.contains('.')).ok_or(NO_JWT)?;
        let header: Header = part(header)?;
        let algorithm = header.check()?;
        let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| NO_JWT)?;
        let key = self.keys.key(Signed { algorithm, kid: header.kid.as_deref() }).await?;
        if !key.verifies(algorithm, message.as_bytes(), signature) {
            return Err(TokenError::invalid("the token is not signed by its issuer"));
        }
        self.principal(part(claims)?, since_1970())
    }
}

impl fmt::Debug for JwtVerifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JwtVerifier")
            .field("issuer", &self.issuer)
            .field("audiences", &self.audiences)
            .field("keys", self.keys.source())
            .finish_non_exhaustive()
    }
}

const NO_JWT: TokenError = TokenError::invalid("the token is no JSON Web Token");

/// RFC 7515, section 4.1. What else is there, such as keys, is not to be trusted.
#[derive(Deserialize)]
struct Header {
    alg: String,
    typ: Option<String>,
    kid: Option<String>,
    crit: Option<Value>,
}

impl Header {
    fn check(&self) -> Result<jsonwebtoken::Algorithm, TokenError> {
        // RFC 9068, section 4, and RFC 8725, section 3.11: tokens of other types are for other uses.
        let is_access_token = self.typ.as_deref().is_none_or(|typ| {
            let typ = typ.to_ascii_lowercase();
            matches!(typ.strip_prefix("application/").unwrap_or(&typ), "at+jwt" | "jwt")
        });
        if !is_access_token {
            return Err(TokenError::invalid("the token is no access token"));
        }
        // RFC 7515, section 4.1.11: whoever does not know what must be understood has to refuse it.
        if self.crit.is_some() {
            return Err(TokenError::invalid("the token demands what this server does not know"));
        }
        keys::algorithm(&self.alg)
            .ok_or(TokenError::invalid("the token is signed by an algorithm that is not accepted"))
    }
}

fn part<T: DeserializeOwned>(part: &str) -> Result<T, TokenError> {
    let json = URL_SAFE_NO_PAD.decode(part).map_err(|_| NO_JWT)?;
    serde_json::from_slice(&json).map_err(|_| NO_JWT)
}

fn text<'a>(claims: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    claims.get(name)?.as_str()
}

/// Scopes are a text with spaces between them, or a list.
fn words(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let texts = match claim {
        Some(Value::Array(texts)) => texts.as_slice(),
        Some(text) => std::slice::from_ref(text),
        None => &[],
    };
    texts.iter().filter_map(Value::as_str).flat_map(str::split_ascii_whitespace)
}

fn since_1970() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verifier() -> JwtVerifier {
        JwtVerifier::new("https://login.example", "https://h.example/mcp").leeway(Duration::from_secs(10))
    }

    /// The claims of a good token at the time 1000, with these changes; `null` takes one away.
    fn claims(changes: Value) -> Map<String, Value> {
        let claims = json!({
            "iss": "https://login.example",
            "aud": "https://h.example/mcp",
            "sub": "anna",
            "exp": 2000,
        });
        let (Value::Object(mut claims), Value::Object(changes)) = (claims, changes) else { unreachable!() };
        for (name, value) in changes {
            match value {
                Value::Null => claims.remove(&name),
                value => claims.insert(name, value),
            };
        }
        claims
    }

    #[track_caller]
    fn refused(changes: Value, why: &str) {
        let error = verifier().principal(claims(changes.clone()), 1000.0).unwrap_err();
        assert_eq!(error.to_string(), why, "{changes}");
    }

    #[track_caller]
    fn accepted(changes: Value) -> Principal {
        verifier().principal(claims(changes.clone()), 1000.0).unwrap_or_else(|error| panic!("{changes}: {error}"))
    }

    // rows: AUTH-5
    #[test]
    fn a_token_is_of_the_issuer_for_this_server() {
        let issuer = "the token is from another issuer";
        for other in [json!("https://login.example/"), json!(["https://login.example"]), json!(null), json!(1)] {
            refused(json!({ "iss": other }), issuer);
        }
        let audience = "the token is for another audience";
        for other in [
            json!("https://h.example/mcp/"),
            json!("https://h.example"),
            json!([]),
            json!([["https://h.example/mcp"]]),
            json!(null),
            json!({}),
        ] {
            refused(json!({ "aud": other }), audience);
        }
        accepted(json!({ "aud": ["https://other.example", "https://h.example/mcp"] }));
        let both = verifier().audience("https://h.example/mcp/");
        assert!(both.principal(claims(json!({ "aud": "https://h.example/mcp/" })), 1000.0).is_ok());
        assert!(both.principal(claims(json!({})), 1000.0).is_ok());
    }

    // rows: AUTH-5
    #[test]
    fn a_token_is_in_force() {
        for (exp, nbf) in [(json!(991), json!(1010)), (json!(990.5), json!(1009.5)), (json!(1e300), json!(null))] {
            accepted(json!({ "exp": exp, "nbf": nbf }));
        }
        for exp in [json!(990), json!(0), json!(-1), json!(-1e300)] {
            refused(json!({ "exp": exp }), "the token has expired");
        }
        for exp in [json!(null), json!("2000"), json!([2000])] {
            refused(json!({ "exp": exp }), "the token does not say when it expires");
        }
        for nbf in [json!(1011), json!(1e300), json!("1")] {
            refused(json!({ "nbf": nbf }), "the token is not valid yet");
        }
        let far = verifier().leeway(Duration::MAX);
        assert!(far.principal(claims(json!({ "exp": 0, "nbf": 1e9 })), 1000.0).is_ok());
    }

    // rows: AUTH-5, AUTH-6
    #[test]
    fn only_an_access_token_is_accepted() {
        for claim in [
            json!({ "at_hash": "x" }),
            json!({ "c_hash": "x" }),
            json!({ "token_use": "id" }),
            json!({ "typ": "ID" }),
            json!({ "typ": "Refresh" }),
        ] {
            refused(claim, "the token is no access token");
        }
        accepted(json!({ "token_use": "access", "nonce": "x" }));
        accepted(json!({ "typ": "Bearer" }));
        refused(json!({ "cnf": { "jkt": "x" } }), "the token is bound to a key, and no bearer token");
    }

    // rows: AUTH-11
    #[test]
    fn the_principal_is_what_the_token_says() {
        let anna =
            accepted(json!({ "client_id": "app", "azp": "other", "scope": "a b", "scp": ["c", "d e", 1], "x": 1 }));
        assert_eq!((anna.issuer(), anna.subject(), anna.client()), ("https://login.example", "anna", Some("app")));
        assert_eq!(anna.all_scopes().collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
        assert_eq!(anna.claim("x"), Some(&json!(1)));
        assert_eq!(accepted(json!({ "azp": "other" })).client(), Some("other"));
        assert_eq!(accepted(json!({ "scp": "a  b" })).all_scopes().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(accepted(json!({ "scope": 1 })).all_scopes().count(), 0);
        for sub in [json!(null), json!(""), json!(1)] {
            refused(json!({ "sub": sub }), "the token names no subject");
        }
    }

    // rows: AUTH-8
    #[test]
    fn a_broad_scope_implies_narrower_ones() {
        let verifier = verifier()
            .implies("admin", ["orders:write"])
            .implies("admin", ["users"])
            .implies("orders:write", ["orders:read"])
            .implies("orders:read", ["orders:write"]);
        let scopes = |scope: &str| {
            let principal = verifier.principal(claims(json!({ "scope": scope })), 1000.0).unwrap();
            principal.all_scopes().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(scopes("admin"), "admin orders:read orders:write users");
        assert_eq!(scopes("orders:read x"), "orders:read orders:write x");
        assert_eq!(scopes("users"), "users");
    }

    #[test]
    #[should_panic = "`http://login.example` can't be an issuer of tokens: tokens are safe only on `https`"]
    fn an_issuer_is_on_https() {
        let _ = JwtVerifier::new("http://login.example", "a");
    }

    #[test]
    #[should_panic = "`login.example/keys` can't be the address of keys: it has no scheme"]
    fn keys_have_an_address() {
        let _ = verifier().jwks_url("login.example/keys");
    }

    #[test]
    #[should_panic = "the key set of `https://login.example` has no key that can check a signature"]
    fn a_secret_is_no_key() {
        let _ = verifier().jwks(r#"{"keys":[{"kty":"oct","k":"AAAA"}]}"#);
    }
}
