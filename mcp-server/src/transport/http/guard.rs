//! Who may reach the server at all: the names that it answers to, and the web pages that may call it.
//!
//! A page in a browser can send requests to servers on the same machine, and by a name of its own that leads there it can
//! also read the answers. So both the name that was asked for and the page that asks are looked at before anything else.
//!
//! Specification: [Security](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-warning).

use std::net::Ipv6Addr;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderValue, StatusCode};

use super::refusal::Refusal;
use crate::protocol::clip;
use crate::this_machine::is_this_machine;

/// What is allowed.
#[derive(Clone, Debug, Default)]
pub(super) struct Guard {
    /// The names that the server answers to; those of this machine alone unless there are some.
    pub(super) hosts: Vec<String>,
    /// Whatever it is called.
    pub(super) any_host: bool,
    /// Pages of other hosts that may call it.
    pub(super) origins: Vec<String>,
}

impl Guard {
    /// Checks who is asked and who asks; gives the page that asks, if it is one.
    pub(super) fn check(&self, parts: &Parts) -> Result<Option<HeaderValue>, Refusal> {
        let forbidden = |text: String| {
            tracing::warn!("a request was refused: {text}");
            Err(Refusal::http(StatusCode::FORBIDDEN, text))
        };
        if let Err(text) = self.check_host(parts) {
            return forbidden(text);
        }
        let mut origins = parts.headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(None) };
        if origins.next().is_some() {
            return forbidden("there are two `Origin` headers".to_owned());
        }
        let text = origin.to_str().unwrap_or_default();
        if self.allows_origin(text) {
            return Ok(Some(origin.clone()));
        }
        let text = clip(text);
        forbidden(format!("pages of `{text}` may not call this server: `allowed_origins([\"{text}\"])` would let them"))
    }

    fn check_host(&self, parts: &Parts) -> Result<(), String> {
        if self.any_host {
            return Ok(());
        }
        let mut hosts = parts.headers.get_all(HOST).iter();
        let named = hosts.next().map(|host| host.to_str().unwrap_or_default());
        if hosts.next().is_some() {
            return Err("there are two `Host` headers".to_owned());
        }
        // HTTP/2 has it in the address, and so has HTTP/1.1 in what is sent to a proxy.
        for host in [parts.uri.authority().map(|authority| authority.as_str()), named].into_iter().flatten() {
            if !self.allows_host(host) {
                let host = clip(host);
                let name = split(&host).map_or(&*host, |(name, _)| name);
                return Err(format!(
                    "this server does not answer to the host `{host}`: `allowed_hosts([\"{name}\"])` would let it"
                ));
            }
        }
        if named.is_none() && parts.uri.authority().is_none() {
            return Err("the `Host` header is missing".to_owned());
        }
        Ok(())
    }

    fn allows_host(&self, host: &str) -> bool {
        let Some((name, _)) = split(host) else { return false };
        if self.hosts.is_empty() {
            return is_this_machine(name);
        }
        // One that was named with a port is that port alone.
        let is_asked = |allowed: &String| allowed.eq_ignore_ascii_case(name) || allowed.eq_ignore_ascii_case(host);
        self.hosts.iter().any(is_asked)
    }

    /// Pages of the hosts that the server answers to, whatever their port, and those that were named.
    fn allows_origin(&self, origin: &str) -> bool {
        if self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin)) {
            return true;
        }
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.is_some_and(|host| if self.any_host { false } else { self.allows_host(host) })
    }
}

/// Whether a text names a host, with or without a port.
pub(super) fn is_host(text: &str) -> bool {
    split(text).is_some()
}

/// Whether a text is an origin: a scheme and a host.
pub(super) fn is_origin(text: &str) -> bool {
    text.strip_prefix("http://").or_else(|| text.strip_prefix("https://")).is_some_and(is_host)
}

/// A host and its port. `None`: it is neither a name nor an address.
fn split(host: &str) -> Option<(&str, Option<&str>)> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')? + 2;
            let port = match &host[end..] {
                "" => None,
                port => Some(port.strip_prefix(':')?),
            };
            host[1..end - 1].parse::<Ipv6Addr>().ok()?;
            (&host[..end], port)
        }
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, None),
        },
    };
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]:".contains(&byte);
    let is_port = |port: &str| port.parse::<u16>().is_ok() && port.bytes().all(|byte| byte.is_ascii_digit());
    (!name.is_empty() && name.bytes().all(in_name) && port.is_none_or(is_port)).then_some((name, port))
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn check(guard: &Guard, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::post("/mcp");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        guard.check(&parts).is_ok()
    }

    // rows: HTTP-2, HTTP-3
    #[test]
    fn a_server_answers_to_this_machine_alone_unless_it_is_told_its_names() {
        let local = Guard::default();
        for (headers, allowed) in [
            (&[("host", "localhost:8000")][..], true),
            (&[("host", "LOCALHOST")], true),
            (&[("host", "127.0.0.1:1")], true),
            (&[("host", "127.1.2.3")], true),
            (&[("host", "[::1]:8080")], true),
            (&[("host", "[::1]")], true),
            (&[], false),
            (&[("host", "evil.example")], false),
            (&[("host", "localhost.evil.example")], false),
            (&[("host", "127.0.0.1.evil.example")], false),
            (&[("host", "localhost:80@evil.example")], false),
            (&[("host", "localhost"), ("host", "localhost")], false),
            (&[("host", "[::1]x")], false),
            (&[("host", "localhost:+80")], false),
            (&[("host", "")], false),
            (&[("host", "localhost"), ("origin", "http://localhost:5173")], true),
            (&[("host", "localhost"), ("origin", "https://[::1]")], true),
            (&[("host", "localhost"), ("origin", "https://evil.example")], false),
            (&[("host", "localhost"), ("origin", "null")], false),
            (&[("host", "localhost"), ("origin", "")], false),
            (&[("host", "localhost"), ("origin", "file://")], false),
            (&[("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://localhost")], false),
        ] {
            assert_eq!(check(&local, headers), allowed, "{headers:?}");
        }
    }

    // rows: HTTP-2
    #[test]
    fn a_server_with_names_answers_to_them_alone() {
        let named = Guard {
            hosts: vec!["mcp.example.com".to_owned(), "other.example:8443".to_owned()],
            origins: vec!["https://app.example".to_owned()],
            ..Guard::default()
        };
        for (headers, allowed) in [
            (&[("host", "mcp.example.com")][..], true),
            (&[("host", "mcp.example.com:443")], true),
            (&[("host", "MCP.example.com")], true),
            (&[("host", "mcp.example.com.evil.example")], false),
            (&[("host", "localhost")], false),
            (&[("host", "other.example:8443")], true),
            (&[("host", "other.example")], false),
            (&[("host", "mcp.example.com"), ("origin", "https://mcp.example.com")], true),
            (&[("host", "mcp.example.com"), ("origin", "https://app.example")], true),
            (&[("host", "mcp.example.com"), ("origin", "https://app.example:444")], false),
            (&[("host", "mcp.example.com"), ("origin", "http://localhost:5173")], false),
        ] {
            assert_eq!(check(&named, headers), allowed, "{headers:?}");
        }
    }

    #[test]
    fn with_any_host_pages_still_have_to_be_named() {
        let any = Guard { any_host: true, origins: vec!["https://app.example".to_owned()], ..Guard::default() };
        assert!(check(&any, &[("host", "whatever")]));
        assert!(check(&any, &[]));
        assert!(check(&any, &[("host", "x"), ("origin", "https://app.example")]));
        assert!(!check(&any, &[("host", "x"), ("origin", "https://x")]));
    }

    #[test]
    fn a_refusal_says_what_to_set() {
        let request = Request::post("/mcp").header("host", "mcp.example.com:8443").body(()).unwrap();
        let refused = Guard::default().check(&request.into_parts().0).unwrap_err();
        let text = format!("{refused:?}");
        assert!(text.contains(r#"allowed_hosts([\"mcp.example.com\"])"#), "{text}");
    }
}
