//! The token of a request.

use http::header::AUTHORIZATION;
use http::{HeaderMap, Uri};

use crate::percent;

/// More of a token is not read.
const MOST_CHARACTERS: usize = 8192;

/// What a request brings.
pub(super) enum Bearer<'a> {
    Token(&'a str),
    /// No token, or none where tokens belong.
    Nothing,
    /// What is wrong with the request.
    Malformed(&'static str),
}

impl<'a> Bearer<'a> {
    /// "Access tokens MUST NOT be included in the URI query string": one there counts for nothing, and beside a header it
    /// makes the request one with two tokens, of which nobody knows which is meant.
    pub(super) fn read(headers: &'a HeaderMap, uri: &Uri) -> Self {
        let mut values = headers.get_all(AUTHORIZATION).iter();
        let Some(value) = values.next() else { return Self::Nothing };
        if values.next().is_some() {
            return Self::Malformed("the request has more than one Authorization header");
        }
        if has_token(uri.query().unwrap_or_default()) {
            return Self::Malformed("the request has a token in its query beside its Authorization header");
        }
        let Ok(value) = value.to_str() else {
            return Self::Malformed("the Authorization header is not made of visible characters");
        };
        let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
        if !scheme.eq_ignore_ascii_case("bearer") {
            // RFC 6750, section 3.1: who uses another way to authenticate is told of this one, and of no error.
            return Self::Nothing;
        }
        let token = token.trim_matches(' ');
        if token.len() > MOST_CHARACTERS {
            return Self::Malformed("the token has more than 8192 characters");
        }
        if !is_token68(token) {
            return Self::Malformed("the Authorization header is not `Bearer` and a token");
        }
        Self::Token(token)
    }
}

/// RFC 9110, section 11.2.
fn is_token68(text: &str) -> bool {
    let characters = text.trim_end_matches('=');
    !characters.is_empty() && characters.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte))
}

fn has_token(query: &str) -> bool {
    query.split('&').any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        percent::decode(name).is_some_and(|name| *name == *b"access_token")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read of these values of the header.
    fn read(values: &[&str], uri: &str) -> String {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(AUTHORIZATION, value.parse().unwrap());
        }
        match Bearer::read(&headers, &uri.parse().unwrap()) {
            Bearer::Token(token) => format!("token {token}"),
            Bearer::Nothing => "nothing".to_owned(),
            Bearer::Malformed(why) => why.to_owned(),
        }
    }

    // rows: AUTH-4
    #[test]
    fn a_token_stands_in_one_header_behind_its_scheme() {
        for value in ["Bearer aZ0-._~+/==", "bearer aZ0-._~+/==", "BEARER   aZ0-._~+/== "] {
            assert_eq!(read(&[value], "/mcp"), "token aZ0-._~+/==");
        }
        assert_eq!(read(&[], "/mcp"), "nothing");
        assert_eq!(read(&["Basic YTpi"], "/mcp"), "nothing");
        assert_eq!(read(&["Bearer a", "Bearer a"], "/mcp"), "the request has more than one Authorization header");
        for value in ["Bearer", "Bearer ", "Bearer a b", "Bearer a,b", "Bearer a=b", "Bearer ==", "Bearer \"a\""] {
            assert_eq!(read(&[value], "/mcp"), "the Authorization header is not `Bearer` and a token", "{value}");
        }
        let [most, more] = [8192, 8193].map(|length| format!("Bearer {}", "a".repeat(length)));
        assert!(read(&[&most], "/mcp").starts_with("token a"));
        assert_eq!(read(&[&more], "/mcp"), "the token has more than 8192 characters");
    }

    // rows: AUTH-6
    #[test]
    fn a_token_in_the_query_is_none() {
        assert_eq!(read(&[], "/mcp?access_token=a"), "nothing");
        for uri in ["/mcp?access_token=a", "/mcp?x&access%5Ftoken=b", "/mcp?access_token"] {
            let told = "the request has a token in its query beside its Authorization header";
            assert_eq!(read(&["Bearer a"], uri), told, "{uri}");
        }
        assert_eq!(read(&["Bearer a"], "/mcp?my_access_token=a&b=access_token"), "token a");
    }
}
