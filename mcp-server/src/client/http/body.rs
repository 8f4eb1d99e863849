//! What a server answers with: read within limits, and judged by its status and its type.

use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, LOCATION, WWW_AUTHENTICATE};
use reqwest::Response;

use super::place::{chain, failed};
use crate::client::CallError;
use crate::client::pending::Answer;
use crate::protocol::{Incoming, read_message};

/// Of a refusal so many bytes are read.
const MAX_REFUSAL: usize = 1024 * 1024;
/// So many characters of it are told.
const MAX_EXCERPT: usize = 200;

/// The forms that an answer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Events,
}

impl Form {
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
        let media = value.split(';').next().unwrap_or_default().trim();
        if media.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else if media.eq_ignore_ascii_case("text/event-stream") {
            Some(Self::Events)
        } else {
            None
        }
    }
}

/// Reads a whole body.
///
/// # Errors
///
/// When it is longer than the limit, or breaks off.
pub(super) async fn whole(response: &mut Response, limit: usize) -> Result<String, Answer> {
    let too_long = || Answer::Malformed(format!("it is longer than the limit of {limit} bytes"));
    let length = response.content_length().unwrap_or(0);
    if length > limit as u64 {
        return Err(too_long());
    }
    let mut body = Vec::with_capacity(usize::try_from(length).unwrap_or(0).min(64 * 1024));
    while let Some(chunk) = response.chunk().await.map_err(|error| Answer::Failed(failed(error)))? {
        if body.len() + chunk.len() > limit {
            return Err(too_long());
        }
        body.extend_from_slice(&chunk);
    }
    String::from_utf8(body).map_err(|_| Answer::Malformed("it is not UTF-8".to_owned()))
}

/// Reads what a server says when it does not do what it was asked for.
pub(super) async fn refusal(mut response: Response) -> Answer {
    let status = response.status();
    let challenge = text_of(response.headers(), &WWW_AUTHENTICATE);
    let location = text_of(response.headers(), &LOCATION).filter(|_| status.is_redirection());
    let body = beginning(&mut response).await;
    // Without a token nothing else matters, and what is missing stands in the challenge.
    let is_challenge = status == StatusCode::UNAUTHORIZED || challenge.is_some();
    if !is_challenge && let Some(error) = error_in(&body) {
        return Answer::Error { error, status: Some(status.as_u16()) };
    }
    let mut parts = Vec::new();
    parts.extend(challenge.map(|challenge| format!("the challenge is `{}`", excerpt(&challenge))));
    parts.extend(location.map(|place| format!("it leads to `{}`, where it is not followed", excerpt(&place))));
    match error_in(&body) {
        Some(error) => parts.push(excerpt(&error.message)),
        None if body.trim_ascii().is_empty() => {}
        None => parts.push(format!("it says `{}`", excerpt(&body))),
    }
    Answer::Failed(CallError::Http { status: status.as_u16(), reason: parts.join("; ") })
}

/// The error that a body holds, for whatever request: the response is to the one that was sent.
pub(super) fn error_in(body: &str) -> Option<crate::protocol::ErrorObject> {
    match read_message(body, usize::MAX) {
        Ok(Incoming::Response { outcome: Err(error), .. }) => Some(error),
        _ => None,
    }
}

/// What is wrong with an answer of no form that is known.
pub(super) async fn of_wrong_type(mut response: Response) -> Answer {
    let found = match text_of(response.headers(), &CONTENT_TYPE) {
        Some(found) => format!("its type is `{}`", excerpt(&found)),
        None => "it has no type".to_owned(),
    };
    let body = beginning(&mut response).await;
    let body = if body.is_empty() { String::new() } else { format!("; it says `{}`", excerpt(&body)) };
    Answer::Malformed(format!("{found}, expected `application/json` or `text/event-stream`{body}"))
}

async fn beginning(response: &mut Response) -> String {
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk[..chunk.len().min(MAX_REFUSAL - body.len())]),
            Ok(None) => break,
            Err(error) => {
                tracing::debug!(error = chain(&error), "what the server says breaks off");
                break;
            }
        }
        if body.len() == MAX_REFUSAL {
            break;
        }
    }
    String::from_utf8(body).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn text_of(headers: &HeaderMap, name: &http::HeaderName) -> Option<String> {
    let values: Vec<_> =
        headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect();
    (!values.is_empty()).then(|| values.join(", "))
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    let mut short = String::new();
    // Beyond that nothing of it would be shown.
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    for word in words {
        if !short.is_empty() {
            short.push(' ');
        }
        short += word;
        if let Some((end, _)) = short.char_indices().nth(MAX_EXCERPT) {
            short.truncate(end);
            short.push('…');
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_one_short_line() {
        assert_eq!(excerpt(" <html>\r\n  <b>No</b>\n"), "<html> <b>No</b>");
        assert_eq!(excerpt(&"é".repeat(500)).chars().count(), MAX_EXCERPT + 1);
        assert_eq!(excerpt(&"a ".repeat(500)).chars().count(), MAX_EXCERPT + 1);
    }

    #[test]
    fn the_form_is_told_by_the_type_alone() {
        for (value, form) in [
            ("application/json", Some(Form::Json)),
            ("Application/JSON; charset=utf-8", Some(Form::Json)),
            ("text/event-stream;charset=utf-8", Some(Form::Events)),
            ("text/html", None),
            ("application/jsonl", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, value.parse().unwrap())]);
            assert_eq!(Form::of(&headers), form, "{value}");
        }
        assert_eq!(Form::of(&HeaderMap::new()), None);
    }
}
