//! What a server says of how to be let in, and who is.

use std::fmt;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use serde::Serialize;

use super::Refused;
use super::address::Address;
use super::bearer::Bearer;
use super::verifier::{AnyVerifier, TokenError, TokenVerifier};
use crate::server::Principal;

/// Lets only those in whose token a [`TokenVerifier`] accepts, and tells all others where they get one.
///
/// It needs the address under which clients know the server, for that is what their tokens are issued for, and at least
/// one [authorization server](Self::authorization_server). Each request has to bring its own token; nothing is
/// remembered of it, and handlers see only the [`Principal`].
///
/// The server then tells of itself at `/.well-known/oauth-protected-resource`, with and without the path of its address
/// behind it, to everybody. Who has no token, or one that is no good, gets 401; one that may not do enough 403, with all
/// scopes that it takes; two tokens or half a one 400; and where the verifier can't tell, 503.
///
/// ```
/// use mcp_server::Principal;
/// use mcp_server::auth::{Authorization, TokenError, TokenVerifier};
///
/// struct OnlyAnna;
///
/// impl TokenVerifier for OnlyAnna {
///     async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
///         match token {
///             "secret" => Ok(Principal::new("https://login.example", "anna").scopes(["orders:read"])),
///             _ => Err(TokenError::invalid("the token is not known")),
///         }
///     }
/// }
///
/// let authorization = Authorization::new("https://shop.example/mcp", OnlyAnna)
///     .authorization_server("https://login.example")
///     .scopes(["orders:read"]);
/// ```
///
/// Specification: [Authorization](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization) and
/// [Authorization Server Discovery](https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/authorization-server-discovery).
pub struct Authorization {
    resource: Address,
    authorization_servers: Vec<String>,
    scopes: Vec<String>,
    scopes_supported: Option<Vec<String>>,
    resource_name: Option<String>,
    resource_documentation: Option<String>,
    verifier: Box<dyn AnyVerifier>,
}

impl Authorization {
    /// For the server that clients know by this address, such as `https://shop.example/mcp`: in front of all proxies, with
    /// the path of its endpoint.
    ///
    /// Scheme and host may be in upper case and the usual port may be named; what is published is the canonical form. A
    /// slash at the end of a path stays, one that is all the path goes.
    ///
    /// # Panics
    ///
    /// When the address is no absolute URL, names a user, or has a query or a fragment. When it is on `http` and not
    /// within this machine (`localhost` and names in it, 127.0.0.0/8, `[::1]`): everybody on the way could take the tokens.
    #[track_caller]
    pub fn new(resource: impl AsRef<str>, verifier: impl TokenVerifier) -> Self {
        let resource = resource.as_ref();
        Self {
            resource: Address::without_query(resource)
                .unwrap_or_else(|fault| panic!("`{resource}` can't be the address of a server: {fault}")),
            authorization_servers: Vec::new(),
            scopes: Vec::new(),
            scopes_supported: None,
            resource_name: None,
            resource_documentation: None,
            verifier: Box::new(verifier),
        }
    }

    /// Names one who issues tokens for this server, by its issuer identifier, which is published as it is written here.
    /// With several, the client chooses.
    ///
    /// # Panics
    ///
    /// When it is no URL on `https` (or `http` within this machine), has a query or a fragment, or is there already.
    #[must_use]
    #[track_caller]
    pub fn authorization_server(mut self, issuer: impl Into<String>) -> Self {
        let issuer = issuer.into();
        if let Err(fault) = Address::without_query(&issuer) {
            panic!("`{issuer}` can't be an authorization server: {fault}");
        }
        assert!(!self.authorization_servers.contains(&issuer), "the authorization server `{issuer}` is there twice");
        self.authorization_servers.push(issuer);
        self
    }

    /// Requires these scopes of every request, beside those that it requires so far. None are, by default.
    ///
    /// # Panics
    ///
    /// When one is empty, or has characters that are not visible ASCII, a `"` or a `\`. When it is `offline_access`: "refresh
    /// tokens are not a resource requirement".
    #[must_use]
    #[track_caller]
    pub fn scopes<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        for scope in scopes {
            add(&mut self.scopes, scope.into());
        }
        self
    }

    /// Publishes these scopes: what a client should ask for first, "the minimal set of scopes necessary for basic
    /// functionality". Those that every request takes, by default.
    ///
    /// # Panics
    ///
    /// As [`scopes`](Self::scopes) does.
    #[must_use]
    #[track_caller]
    pub fn scopes_supported<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        let supported = self.scopes_supported.get_or_insert_default();
        for scope in scopes {
            add(supported, scope.into());
        }
        self
    }

    /// Publishes a name of the server that is shown to those who are asked to let a client in.
    #[must_use]
    pub fn resource_name(mut self, name: impl Into<String>) -> Self {
        self.resource_name = Some(name.into());
        self
    }

    /// Publishes the address of a page for developers.
    #[must_use]
    pub fn resource_documentation(mut self, url: impl Into<String>) -> Self {
        self.resource_documentation = Some(url.into());
        self
    }

    /// Looks whether all is there that can't be missing, when the server starts.
    ///
    /// # Panics
    ///
    /// When there is no authorization server: "The Protected Resource Metadata document … MUST include the
    /// `authorization_servers` field containing at least one authorization server".
    #[track_caller]
    pub(crate) fn check(&self) {
        assert!(
            !self.authorization_servers.is_empty(),
            "the authorization of `{}` names no authorization server",
            self.resource()
        );
    }

    /// What is published under this path, if anything.
    pub(crate) fn metadata(&self, path: &str) -> Option<Bytes> {
        let path = path.strip_prefix(WELL_KNOWN)?;
        let without_slash = |path| str::strip_suffix(path, "/").unwrap_or(path);
        let path = without_slash(path);
        if !path.is_empty() && path != without_slash(&self.resource.path) {
            return None;
        }
        let supported = self.scopes_supported.as_ref().unwrap_or(&self.scopes);
        let metadata = Metadata {
            resource: &self.resource(),
            authorization_servers: &self.authorization_servers,
            scopes_supported: supported,
            bearer_methods_supported: ["header"],
            resource_name: self.resource_name.as_deref(),
            resource_documentation: self.resource_documentation.as_deref(),
        };
        // Texts and lists of texts always are JSON.
        serde_json::to_vec(&metadata).ok().map(Bytes::from)
    }

    /// Whom a request speaks for, or how it is refused.
    ///
    /// "MCP servers MUST validate access tokens before processing the request": this comes first.
    pub(crate) async fn authorize(&self, headers: &HeaderMap, uri: &Uri) -> Result<Principal, Refused> {
        let token = match Bearer::read(headers, uri) {
            Bearer::Token(token) => token,
            Bearer::Nothing => {
                // RFC 6750, section 3.1: who has sent no token has made no error either.
                let challenge = self.challenge(None, &self.scopes);
                let text = "the request has no bearer token in its Authorization header";
                return Err(Refused::new(StatusCode::UNAUTHORIZED, challenge, text));
            }
            Bearer::Malformed(why) => {
                let challenge = self.challenge(Some(("invalid_request", why)), &self.scopes);
                return Err(Refused::new(StatusCode::BAD_REQUEST, challenge, why));
            }
        };
        let principal = self.verifier.verify_boxed(token).await.map_err(|error| self.refuse(&error))?;
        if self.scopes.iter().all(|scope| principal.has_scope(scope)) {
            Ok(principal)
        } else {
            Err(self.insufficient_scope([]))
        }
    }

    /// For one who may not do what it asks for, such as to call a tool: that takes these scopes, beside those that every
    /// request takes.
    ///
    /// "Servers SHOULD include all scopes required for the current operation in a single challenge": also those that the
    /// token has.
    pub(crate) fn insufficient_scope<'a>(&'a self, needed: impl IntoIterator<Item = &'a str>) -> Refused {
        let mut scopes: Vec<&str> = self.scopes.iter().map(String::as_str).collect();
        for scope in needed {
            if !scopes.contains(&scope) {
                scopes.push(scope);
            }
        }
        let text = format!("the token does not have all scopes that this takes: {}", scopes.join(" "));
        let challenge = self.challenge(Some(("insufficient_scope", &text)), &scopes);
        Refused::new(StatusCode::FORBIDDEN, challenge, text)
    }

    fn refuse(&self, error: &TokenError) -> Refused {
        if error.is_unavailable() {
            let refused = Refused::new(StatusCode::SERVICE_UNAVAILABLE, None, error.text());
            return Refused { retry_after: Some(HeaderValue::from(RETRY_AFTER)), ..refused };
        }
        let challenge = self.challenge(Some(("invalid_token", error.text())), &self.scopes);
        Refused::new(StatusCode::UNAUTHORIZED, challenge, error.text())
    }

    /// The value of `WWW-Authenticate`, with an error and its description where there is one.
    fn challenge<S: AsRef<str>>(&self, error: Option<(&str, &str)>, scopes: &[S]) -> Option<HeaderValue> {
        let scopes: Vec<&str> = scopes.iter().map(AsRef::as_ref).collect();
        let scopes = (!scopes.is_empty()).then(|| scopes.join(" "));
        let metadata = format!("{}{WELL_KNOWN}{}", self.resource.origin, self.resource.path);
        let mut text = String::from("Bearer");
        for (name, value) in [
            ("error", error.map(|(code, _)| code)),
            ("error_description", error.map(|(_, description)| description)),
            ("scope", scopes.as_deref()),
            ("resource_metadata", Some(&metadata)),
        ] {
            let Some(value) = value else { continue };
            text += if text.ends_with("Bearer") { " " } else { ", " };
            text += name;
            text += "=\"";
            // RFC 6750, section 3: no value has a `"`, a `\` or what is not visible ASCII or a space.
            text.extend(value.chars().map(|c| if c == ' ' || Principal::is_of_scope(c) { c } else { '\'' }));
            text += "\"";
        }
        HeaderValue::try_from(text).ok()
    }

    /// Its canonical address.
    fn resource(&self) -> String {
        format!("{}{}", self.resource.origin, self.resource.path)
    }
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authorization")
            .field("resource", &self.resource())
            .field("authorization_servers", &self.authorization_servers)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}

const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Seconds after which one whose token could not be checked may try again.
const RETRY_AFTER: u64 = 5;

/// RFC 9728, section 2.
#[derive(Serialize)]
struct Metadata<'a> {
    resource: &'a str,
    authorization_servers: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    scopes_supported: &'a [String],
    bearer_methods_supported: [&'static str; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_documentation: Option<&'a str>,
}

#[track_caller]
fn add(scopes: &mut Vec<String>, scope: String) {
    if let Some(fault) = Principal::fault_of_scope(&scope) {
        panic!("`{scope}` can't be a scope: {fault}");
    }
    if !scopes.contains(&scope) {
        scopes.push(scope);
    }
}

#[cfg(test)]
mod tests {
    use http::header::AUTHORIZATION;
    use serde_json::{Value, json};

    use super::*;

    struct Verifier;

    impl TokenVerifier for Verifier {
        async fn verify(&self, token: &str) -> Result<Principal, TokenError> {
            let anna = Principal::new("https://login.example", "anna");
            match token {
                "reads" => Ok(anna.scopes(["orders:read"])),
                "writes" => Ok(anna.scopes(["orders:read", "orders:write"])),
                "nothing" => Ok(anna),
                "old" => Err(TokenError::expired()),
                "other" => Err(TokenError::wrong_audience()),
                "odd" => Err(TokenError::invalid("it is \"odd\" \\ ü\n")),
                "down" => Err(TokenError::unavailable("the token can't be checked right now")),
                _ => Err(TokenError::invalid("the token is not known")),
            }
        }
    }

    fn authorization() -> Authorization {
        Authorization::new("HTTPS://H.example:443/public/mcp", Verifier).authorization_server("https://login.example")
    }

    /// What a request with these values of the header gets: whom it speaks for, or status, `WWW-Authenticate`.
    fn answer(authorization: &Authorization, values: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        match runtime.block_on(authorization.authorize(&headers, &Uri::from_static("/mcp"))) {
            Ok(principal) => principal.subject().to_owned(),
            Err(refused) => shown(&refused),
        }
    }

    fn shown(refused: &Refused) -> String {
        let header = refused.www_authenticate.as_ref().map(|value| value.to_str().unwrap());
        let retry = refused.retry_after.as_ref().map(|value| format!("retry after {}", value.to_str().unwrap()));
        format!("{} {}", refused.status.as_u16(), header.or(retry.as_deref()).unwrap_or("nothing"))
    }

    const METADATA: &str = r#"resource_metadata="https://h.example/.well-known/oauth-protected-resource/public/mcp""#;

    // rows: AUTH-3, AUTH-4, AUTH-5
    #[test]
    fn who_has_no_good_token_is_told_where_to_get_one() {
        let authorization = authorization();
        for (values, status, error) in [
            (&[][..], 401, ""),
            (&["Basic YTpi"], 401, ""),
            (&["Bearer x"], 401, r#"error="invalid_token", error_description="the token is not known", "#),
            (&["Bearer old"], 401, r#"error="invalid_token", error_description="the token has expired", "#),
            (
                &["Bearer other"],
                401,
                r#"error="invalid_token", error_description="the token is for another audience", "#,
            ),
            (&["Bearer odd"], 401, r#"error="invalid_token", error_description="it is 'odd' ' ''", "#),
            (
                &["Bearer reads", "Bearer reads"],
                400,
                r#"error="invalid_request", error_description="the request has more than one Authorization header", "#,
            ),
            (
                &["Bearer"],
                400,
                r#"error="invalid_request", error_description="the Authorization header is not `Bearer` and a token", "#,
            ),
        ] {
            assert_eq!(answer(&authorization, values), format!("{status} Bearer {error}{METADATA}"), "{values:?}");
        }
        assert_eq!(answer(&authorization, &["Bearer nothing"]), "anna");
        assert_eq!(answer(&authorization, &["Bearer down"]), "503 retry after 5");
    }

    // rows: AUTH-4, AUTH-7
    #[test]
    fn who_may_not_do_enough_is_told_all_that_it_takes() {
        let authorization = authorization().scopes(["orders:read", "mcp"]).scopes(["mcp"]);
        let scope = format!(r#"scope="orders:read mcp", {METADATA}"#);
        assert_eq!(answer(&authorization, &[]), format!("401 Bearer {scope}"));
        let description = "the token does not have all scopes that this takes";
        assert_eq!(
            answer(&authorization, &["Bearer reads"]),
            format!(
                r#"403 Bearer error="insufficient_scope", error_description="{description}: orders:read mcp", {scope}"#
            )
        );
        assert_eq!(
            shown(&authorization.insufficient_scope(["orders:write", "orders:read"])),
            format!(
                r#"403 Bearer error="insufficient_scope", error_description="{description}: orders:read mcp orders:write", scope="orders:read mcp orders:write", {METADATA}"#
            )
        );
    }

    // rows: AUTH-8
    #[test]
    fn all_required_scopes_are_among_those_that_a_token_has() {
        let authorization = authorization().scopes(["orders:read"]);
        assert_eq!(answer(&authorization, &["Bearer reads"]), "anna");
        assert_eq!(answer(&authorization, &["Bearer writes"]), "anna");
        assert!(answer(&authorization, &["Bearer nothing"]).starts_with("403 "));
    }

    // rows: AUTH-2, AUTH-3
    #[test]
    fn a_server_tells_of_itself_at_two_places() {
        let authorization = authorization();
        let root = "/.well-known/oauth-protected-resource";
        let expected = json!({
            "resource": "https://h.example/public/mcp",
            "authorization_servers": ["https://login.example"],
            "bearer_methods_supported": ["header"],
        });
        for path in ["", "/", "/public/mcp", "/public/mcp/"] {
            let body = authorization.metadata(&format!("{root}{path}")).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&body).unwrap(), expected, "{path}");
        }
        for path in ["/mcp", "/public", "/public/mcp/x", "/public/mcp//", "x", "//"] {
            assert_eq!(authorization.metadata(&format!("{root}{path}")), None, "{path}");
        }
        assert_eq!(authorization.metadata("/public/mcp"), None);
    }

    // rows: AUTH-2, AUTH-9
    #[test]
    fn a_server_tells_all_that_it_knows_of_itself() {
        let authorization = authorization()
            .authorization_server("https://login.example/b/")
            .scopes(["orders:read"])
            .resource_name("Shop")
            .resource_documentation("https://h.example/docs");
        let of = |authorization: &Authorization| -> Value {
            serde_json::from_slice(&authorization.metadata("/.well-known/oauth-protected-resource").unwrap()).unwrap()
        };
        assert_eq!(
            of(&authorization),
            json!({
                "resource": "https://h.example/public/mcp",
                "authorization_servers": ["https://login.example", "https://login.example/b/"],
                "scopes_supported": ["orders:read"],
                "bearer_methods_supported": ["header"],
                "resource_name": "Shop",
                "resource_documentation": "https://h.example/docs",
            })
        );
        let authorization = authorization.scopes_supported(["orders:read", "profile"]);
        assert_eq!(of(&authorization)["scopes_supported"], json!(["orders:read", "profile"]));
    }

    #[test]
    fn a_server_at_the_root_has_no_path() {
        let authorization = Authorization::new("https://h.example/", Verifier);
        let body = authorization.metadata("/.well-known/oauth-protected-resource").unwrap();
        assert_eq!(serde_json::from_slice::<Value>(&body).unwrap()["resource"], "https://h.example");
        let metadata = "https://h.example/.well-known/oauth-protected-resource";
        assert_eq!(answer(&authorization, &[]), format!(r#"401 Bearer resource_metadata="{metadata}""#));
    }

    #[test]
    #[should_panic = "`h.example/mcp` can't be the address of a server: it has no scheme"]
    fn an_address_without_a_scheme_is_none() {
        let _ = Authorization::new("h.example/mcp", Verifier);
    }

    #[test]
    #[should_panic = "`http://login.example` can't be an authorization server: tokens are safe only on `https`"]
    fn an_authorization_server_is_on_https() {
        let _ = authorization().authorization_server("http://login.example");
    }

    // rows: AUTH-2
    #[test]
    #[should_panic = "the authorization of `https://h.example/mcp` names no authorization server"]
    fn without_an_authorization_server_nobody_could_get_in() {
        Authorization::new("https://h.example/mcp", Verifier).check();
    }

    // rows: AUTH-9
    #[test]
    #[should_panic = "`offline_access` can't be a scope: refresh tokens are nothing that a server needs"]
    fn a_refresh_token_is_not_required() {
        let _ = authorization().scopes(["offline_access"]);
    }

    // rows: AUTH-9
    #[test]
    #[should_panic = "`offline_access` can't be a scope"]
    fn a_refresh_token_is_not_published() {
        let _ = authorization().scopes_supported(["offline_access"]);
    }

    #[test]
    #[should_panic = "`a b` can't be a scope: it must be one word"]
    fn a_scope_is_one_word() {
        let _ = authorization().scopes(["a b"]);
    }
}
