//! Addresses that an author gives: of the server itself, and of those that it trusts.

use http::Uri;

use crate::percent;
use crate::this_machine::is_this_machine;

/// An absolute address by which a secret may travel: `https`, or `http` within this machine.
#[derive(Clone, Debug)]
pub(super) struct Address {
    /// Scheme, host and port, in lower case and without the port that goes without saying.
    pub(super) origin: String,
    /// Empty at the root, where a slash says nothing.
    pub(super) path: String,
    pub(super) has_query: bool,
    /// Within this machine.
    #[cfg(feature = "auth")]
    pub(super) is_loopback: bool,
    #[cfg(feature = "auth")]
    pub(super) is_https: bool,
}

impl Address {
    /// `Err` tells what is wrong, for after "can't be …: ".
    pub(super) fn parse(text: &str) -> Result<Self, &'static str> {
        // `Uri` leaves it out without a word.
        if text.contains('#') {
            return Err("it has a fragment");
        }
        if !text.contains("://") {
            return Err("it has no scheme, such as `https://`");
        }
        let uri: Uri = text.parse().map_err(|_| "it is no valid URL")?;
        let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
            return Err("it is no valid URL");
        };
        if authority.as_str().contains('@') {
            return Err("it names a user");
        }
        let host = authority.host().to_ascii_lowercase();
        if !is_host(&host) {
            return Err("it has no valid host");
        }
        let is_loopback = is_this_machine(&host);
        let usual: u16 = match scheme {
            "https" => 443,
            "http" if is_loopback => 80,
            "http" => return Err("tokens are safe only on `https`, and on `http` within this machine"),
            _ => return Err("its scheme is neither `https` nor `http`"),
        };
        let port = match authority.as_str()[host.len()..].strip_prefix(':') {
            None => usual,
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or("its port is no number from 1 to 65535")?,
        };
        let path = if uri.path() == "/" { "" } else { uri.path() };
        if !path.bytes().all(is_path) || percent::decode(path).is_none() {
            return Err("its path has characters that must be percent-encoded");
        }
        let mut origin = format!("{scheme}://{host}");
        if port != usual {
            origin += &format!(":{port}");
        }
        Ok(Self {
            origin,
            path: path.to_owned(),
            has_query: uri.query().is_some(),
            #[cfg(feature = "auth")]
            is_loopback,
            #[cfg(feature = "auth")]
            is_https: scheme == "https",
        })
    }

    /// The same, of what must have no query.
    pub(super) fn without_query(text: &str) -> Result<Self, &'static str> {
        let address = Self::parse(text)?;
        if address.has_query { Err("it has a query") } else { Ok(address) }
    }
}

fn is_host(host: &str) -> bool {
    match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => {
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
            !host.is_empty() && host.bytes().all(is_name)
        }
    }
}

fn is_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:@/".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str) -> Result<String, &'static str> {
        Address::without_query(text).map(|address| address.origin + &address.path)
    }

    // rows: AUTH-12
    #[test]
    fn an_address_has_one_form() {
        for (given, form) in [
            ("https://mcp.example.com/mcp", "https://mcp.example.com/mcp"),
            ("https://mcp.example.com", "https://mcp.example.com"),
            ("https://mcp.example.com/", "https://mcp.example.com"),
            ("https://mcp.example.com:8443", "https://mcp.example.com:8443"),
            ("https://mcp.example.com:443/a", "https://mcp.example.com/a"),
            ("HTTPS://MCP.Example.com/Server/mcp", "https://mcp.example.com/Server/mcp"),
            // Written at the end of a path it may mean something.
            ("https://mcp.example.com/mcp/", "https://mcp.example.com/mcp/"),
            ("http://localhost:3000/mcp", "http://localhost:3000/mcp"),
            ("http://127.0.0.1:80/mcp", "http://127.0.0.1/mcp"),
            ("http://[::1]:3000/mcp", "http://[::1]:3000/mcp"),
            ("http://app.localhost/mcp", "http://app.localhost/mcp"),
            ("https://h.example/a%20b/~c", "https://h.example/a%20b/~c"),
        ] {
            assert_eq!(canonical(given).as_deref(), Ok(form), "{given}");
        }
    }

    // rows: AUTH-12
    #[test]
    fn an_address_that_is_none_says_why() {
        for (given, fault) in [
            ("", "it has no scheme, such as `https://`"),
            ("mcp.example.com", "it has no scheme, such as `https://`"),
            ("/mcp", "it has no scheme, such as `https://`"),
            ("https://", "it is no valid URL"),
            ("https:///mcp", "it is no valid URL"),
            ("https://h.example/a b", "it is no valid URL"),
            ("https://mcp.example.com#fragment", "it has a fragment"),
            ("https://h.example/mcp?a=b", "it has a query"),
            ("https://anna:secret@h.example/", "it names a user"),
            ("ftp://h.example/", "its scheme is neither `https` nor `http`"),
            ("http://h.example/", "tokens are safe only on `https`, and on `http` within this machine"),
            ("http://127.0.0.1.example/", "tokens are safe only on `https`, and on `http` within this machine"),
            ("http://localhost.example/", "tokens are safe only on `https`, and on `http` within this machine"),
            ("https://h.example:0/", "its port is no number from 1 to 65535"),
            ("https://h.example:65536/", "its port is no number from 1 to 65535"),
            ("https://h.example:/", "its port is no number from 1 to 65535"),
            ("https://h!.example/", "it has no valid host"),
            ("https://h.example/a\"b", "its path has characters that must be percent-encoded"),
            ("https://h.example/a%2", "its path has characters that must be percent-encoded"),
        ] {
            assert_eq!(canonical(given), Err(fault), "{given}");
        }
    }
}
