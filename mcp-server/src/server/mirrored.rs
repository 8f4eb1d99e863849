//! Whether the headers of a request say what its body says.
//!
//! "Servers MUST reject requests where the values specified in the headers do not match the values in the request body"
//! (Streamable HTTP, Server Validation): what stands in front of a server decides by the headers alone.
//!
//! Specification: [Custom headers](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::value::RawValue;

use super::tool::Tool;
use crate::protocol::{ErrorObject, RawJson, clip};
use crate::schema::{MirroredParam, describe};

/// What a request has under the name of one header.
#[derive(Clone, Copy, Debug)]
pub(crate) enum HeaderText<'h> {
    Missing,
    Once(&'h [u8]),
    Twice,
}

impl Tool {
    /// Holds the headers of a call against its arguments; `header` finds one by its name, such as `Mcp-Param-Region`.
    /// Others than those that the tool has declared are not looked at.
    ///
    /// # Errors
    ///
    /// When a header does not say what the body says.
    pub(crate) fn check_headers<'h>(
        &self,
        arguments: Option<RawJson<'_>>,
        header: impl Fn(&str) -> HeaderText<'h>,
    ) -> Result<(), ErrorObject> {
        let arguments = arguments.and_then(|raw| Members::read(raw.get())).unwrap_or_default();
        self.0.headers.iter().try_for_each(|param| check(param, &arguments, header(param.header())))
    }
}

/// The text of a header, without the space around it and out of its Base64, if it is sent so.
///
/// # Errors
///
/// When no client may send it; the text goes on after the name of the header.
pub(crate) fn decode_header(value: &[u8]) -> Result<Cow<'_, str>, &'static str> {
    const BEGIN: &str = "=?base64?";
    const END: &str = "?=";
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value.iter().position(|byte| !is_space(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_space(byte)).map_or(start, |last| last + 1);
    let value = &value[start..end];
    // A tab inside is a character of headers, though clients rather send it in Base64.
    let text = str::from_utf8(value)
        .ok()
        .filter(|_| value.iter().all(|byte| byte.is_ascii_graphic() || is_space(byte)))
        .ok_or("has characters that are not visible ASCII: send them in Base64, as `=?base64?…?=`")?;
    let Some(encoded) = text.strip_prefix(BEGIN).and_then(|text| text.strip_suffix(END)) else {
        return Ok(Cow::Borrowed(text));
    };
    let bytes = STANDARD.decode(encoded).map_err(|_| "has no valid Base64 between `=?base64?` and `?=`")?;
    String::from_utf8(bytes).map(Cow::Owned).map_err(|_| "has Base64 of what is no UTF-8")
}

fn check(param: &MirroredParam, arguments: &Members<'_>, header: HeaderText<'_>) -> Result<(), ErrorObject> {
    let fault = |fault: String| Err(ErrorObject::header_mismatch(format!("the header `{}` {fault}", param.header())));
    let name = param.path().join(".");
    let argument = arguments.argument(param.path());
    match (argument, header) {
        (None, HeaderText::Missing) => Ok(()),
        (_, HeaderText::Twice) => fault("is given twice".to_owned()),
        // A proxy may have acted on it.
        (None, HeaderText::Once(_)) => fault(format!("is given, and the argument `{name}` is not")),
        (Some(argument), HeaderText::Missing) => {
            fault(format!("is missing, and the argument `{name}` is {}", shown(argument)))
        }
        (Some(argument), HeaderText::Once(value)) => match decode_header(value) {
            Ok(text) if agree(argument, &text) => Ok(()),
            Ok(text) => fault(format!("says `{}`, and the argument `{name}` is {}", clip(&text), shown(argument))),
            Err(wrong) => fault(wrong.to_owned()),
        },
    }
}

/// The members of an object, each still JSON text. What can't be read is not there: its tool refuses it.
#[derive(Default)]
struct Members<'a>(HashMap<String, &'a RawValue>);

impl<'a> Members<'a> {
    fn read(object: &'a str) -> Option<Self> {
        // Of two members of one name the last one counts, as it does for the tool.
        serde_json::from_str(object).ok().map(Self)
    }

    /// The JSON text of an argument, unless it is `null` or not there.
    fn argument(&self, path: &[Box<str>]) -> Option<&'a str> {
        let (name, inner) = path.split_first()?;
        let value = self.0.get(&**name)?.get();
        let found = if inner.is_empty() { Some(value) } else { Self::read(value)?.argument(inner) };
        found.filter(|argument| *argument != "null")
    }
}

/// Whether the JSON text of an argument and the text of a header say the same.
fn agree(argument: &str, header: &str) -> bool {
    match argument.as_bytes().first() {
        Some(b'"') => serde_json::from_str::<String>(argument).is_ok_and(|text| text == header),
        Some(b'-' | b'0'..=b'9') => Decimal::read(argument).is_some_and(|number| Decimal::read(header) == Some(number)),
        Some(b't' | b'f') => argument == header,
        _ => false,
    }
}

/// A number of any size, exactly: `digits` times ten to the power of `exponent`, with no `0` at either end of the digits.
#[derive(Debug, PartialEq)]
struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON writes it.
    fn read(text: &str) -> Option<Self> {
        let (is_negative, text) = match text.strip_prefix('-') {
            Some(text) => (true, text),
            None => (false, text),
        };
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((whole, fraction)) if !fraction.is_empty() => (whole, fraction),
            Some(_) => return None,
            None => (mantissa, ""),
        };
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_whole = !whole.is_empty() && (whole.len() == 1 || !whole.starts_with('0'));
        if !is_whole || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let digits = format!("{whole}{fraction}");
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return exponent.parse::<i64>().ok().map(|_| Self {
                is_negative: false,
                digits: String::new(),
                exponent: 0,
            });
        }
        let shift = i64::try_from(digits.len() - significant.len()).ok()? - i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.parse::<i64>().ok()?.checked_add(shift)?;
        Some(Self { is_negative, digits: significant.to_owned(), exponent })
    }
}

/// An argument as an error names it.
fn shown(argument: &str) -> String {
    match serde_json::from_str(argument) {
        Ok(serde_json::Value::String(text)) => format!("`{}`", clip(&text)),
        Ok(value @ (serde_json::Value::Array(_) | serde_json::Value::Object(_))) => describe(&value),
        _ => format!("`{}`", clip(argument)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::*;
    use crate::server::context::Context;

    fn tool() -> Tool {
        let mut tool = Tool::builder("f");
        tool.input_schema(json!({
            "type": "object",
            "properties": {
                "region": { "type": "string", "x-mcp-header": "Region", "default": "eu" },
                "n": { "type": ["integer", "null"], "x-mcp-header": "N" },
                "dry": { "type": "boolean", "x-mcp-header": "Dry" },
                "place": { "type": "object", "properties": { "id": { "type": "string", "x-mcp-header": "Place.Id" } } }
            }
        }));
        tool.call(|_: Map<String, Value>, _: Context| async {})
    }

    /// What is wrong with a call of these arguments and headers, or nothing.
    fn fault(arguments: &str, headers: &[(&str, &str)]) -> String {
        let raw: &RawValue = serde_json::from_str(arguments).unwrap();
        let find = |name: &str| {
            let mut values = headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
            match (values.next(), values.next()) {
                (None, _) => HeaderText::Missing,
                (Some((_, value)), None) => HeaderText::Once(value.as_bytes()),
                (Some(_), Some(_)) => HeaderText::Twice,
            }
        };
        match tool().check_headers(Some(raw.into()), find) {
            Ok(()) => String::new(),
            Err(error) => {
                assert_eq!(error.code.0, -32020);
                error.message
            }
        }
    }

    #[track_caller]
    fn agrees(arguments: &str, headers: &[(&str, &str)]) {
        assert_eq!(fault(arguments, headers), "", "{arguments} {headers:?}");
    }

    #[track_caller]
    fn differs(arguments: &str, headers: &[(&str, &str)], text: &str) {
        assert_eq!(fault(arguments, headers), text, "{arguments} {headers:?}");
    }

    // rows: HDR-17
    #[test]
    fn each_argument_that_is_repeated_has_its_header() {
        let all = [
            ("mcp-param-region", "eu"),
            ("Mcp-Param-N", "42"),
            ("Mcp-Param-Dry", "false"),
            ("Mcp-Param-Place.Id", "x"),
        ];
        agrees(r#"{"region":"eu","n":42,"dry":false,"place":{"id":"x"}}"#, &all);
        agrees(r#"{"region":""}"#, &[("Mcp-Param-Region", "")]);
        agrees(r#"{"r\u0065gion":"\u0065u"}"#, &[("Mcp-Param-Region", "eu")]);
        differs(
            r#"{"region":"eu"}"#,
            &[],
            "the header `Mcp-Param-Region` is missing, and the argument `region` is `eu`",
        );
        differs(r#"{"region":""}"#, &[], "the header `Mcp-Param-Region` is missing, and the argument `region` is ``");
        differs(
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "EU")],
            "the header `Mcp-Param-Region` says `EU`, and the argument `region` is `eu`",
        );
        differs(
            r#"{"place":{"id":"x"}}"#,
            &[("Mcp-Param-Place.Id", "y")],
            "the header `Mcp-Param-Place.Id` says `y`, and the argument `place.id` is `x`",
        );
        differs(
            r#"{"region":["eu"]}"#,
            &[("Mcp-Param-Region", "eu")],
            "the header `Mcp-Param-Region` says `eu`, and the argument `region` is an array",
        );
        differs(
            r#"{"region":"eu"}"#,
            &[("Mcp-Param-Region", "eu"), ("Mcp-Param-Region", "eu")],
            "the header `Mcp-Param-Region` is given twice",
        );
    }

    #[test]
    fn the_last_of_two_arguments_of_one_name_counts() {
        agrees(r#"{"region":"us","region":"eu"}"#, &[("Mcp-Param-Region", "eu")]);
        assert_ne!(fault(r#"{"region":"us","region":"eu"}"#, &[("Mcp-Param-Region", "us")]), "");
        assert_ne!(fault(r#"{"region":"us","region":null}"#, &[("Mcp-Param-Region", "us")]), "");
    }

    #[test]
    fn long_values_are_clipped() {
        let long = "x".repeat(1000);
        let text = fault(r#"{"region":"eu"}"#, &[("Mcp-Param-Region", &long)]);
        assert!(text.len() < 250, "{text}");
        let text = fault(&format!(r#"{{"region":"{long}"}}"#), &[("Mcp-Param-Region", "eu")]);
        assert!(text.len() < 250, "{text}");
    }

    // rows: HDR-17, HDR-19
    #[test]
    fn what_is_not_given_has_no_header() {
        for arguments in ["{}", r#"{"region":null}"#, r#"{"n":null,"place":null}"#, r#"{"place":{"id":null}}"#] {
            agrees(arguments, &[]);
            agrees(arguments, &[("Mcp-Param-Other", "x")]);
        }
        // The default is the server's word, not the client's.
        let text = "the header `Mcp-Param-Region` is given, and the argument `region` is not";
        differs("{}", &[("Mcp-Param-Region", "eu")], text);
        differs(r#"{"region":null}"#, &[("Mcp-Param-Region", "")], text);
        differs(r#"{"n":1}"#, &[("Mcp-Param-N", "1"), ("Mcp-Param-Region", "eu")], text);
        differs(
            r#"{"place":"x"}"#,
            &[("Mcp-Param-Place.Id", "x")],
            "the header `Mcp-Param-Place.Id` is given, and the argument `place.id` is not",
        );
        let without = tool().check_headers(None, |_| HeaderText::Once(b"eu"));
        assert_eq!(without.unwrap_err().message, text);
        assert!(tool().check_headers(None, |_| HeaderText::Missing).is_ok());
    }

    // rows: HDR-18
    #[test]
    fn numbers_are_the_same_however_they_are_written() {
        for header in ["42", "42.0", "4.2e1", "420e-1", "42.000", "4200E-2", "0.42e+2"] {
            agrees(r#"{"n":42}"#, &[("Mcp-Param-N", header)]);
            agrees(r#"{"n":42.0}"#, &[("Mcp-Param-N", header)]);
        }
        for header in
            ["43", "-42", "420", "4.2", "+42", "042", "42.", ".42e2", "0x2a", "42 ", "4 2", "", "42e", "forty-two"]
        {
            let is_same = header.trim() == "42";
            assert_eq!(fault(r#"{"n":42}"#, &[("Mcp-Param-N", header)]).is_empty(), is_same, "{header}");
        }
        for zero in ["0", "-0", "0.0", "0e9"] {
            agrees(r#"{"n":0}"#, &[("Mcp-Param-N", zero)]);
        }
        agrees(r#"{"n":9007199254740993}"#, &[("Mcp-Param-N", "9007199254740993")]);
        differs(
            r#"{"n":9007199254740993}"#,
            &[("Mcp-Param-N", "9007199254740992")],
            "the header `Mcp-Param-N` says `9007199254740992`, and the argument `n` is `9007199254740993`",
        );
        agrees(r#"{"n":1e30}"#, &[("Mcp-Param-N", "1000000000000000000000000000000")]);
        assert_ne!(fault(r#"{"n":1e30}"#, &[("Mcp-Param-N", "1e99999999999999999999")]), "");
        assert_ne!(fault(r#"{"n":1}"#, &[("Mcp-Param-N", "10e9223372036854775807")]), "");
    }

    // rows: HDR-18
    #[test]
    fn booleans_are_two_words() {
        agrees(r#"{"dry":true}"#, &[("Mcp-Param-Dry", " true\t")]);
        for header in ["True", "1", "false", "yes", ""] {
            let text = format!("the header `Mcp-Param-Dry` says `{header}`, and the argument `dry` is `true`");
            differs(r#"{"dry":true}"#, &[("Mcp-Param-Dry", header)], &text);
        }
    }

    // rows: HDR-6, HDR-8
    #[test]
    fn a_text_is_decoded_only_between_both_markers() {
        for (value, text) in [
            ("plain", "plain"),
            (" \t inner \t space  ", "inner \t space"),
            ("", ""),
            (" \t", ""),
            ("=?base64?WsO8cmljaA==?=", "Zürich"),
            ("  =?base64?IHggCQ==?= ", " x \t"),
            ("=?base64?YQpi?=", "a\nb"),
            ("=?base64??=", ""),
            ("=?base64?PT9iYXNlNjQ/eD89?=", "=?base64?x?="),
            ("=?BASE64?WsO8cmljaA==?=", "=?BASE64?WsO8cmljaA==?="),
            ("=?base64?WsO8cmljaA==", "=?base64?WsO8cmljaA=="),
            ("WsO8cmljaA==?=", "WsO8cmljaA==?="),
            ("=?base64?=", "=?base64?="),
            ("x=?base64?YQ==?=", "x=?base64?YQ==?="),
        ] {
            assert_eq!(decode_header(value.as_bytes()).unwrap(), text, "{value:?}");
        }
        agrees(r#"{"region":"Zürich"}"#, &[("Mcp-Param-Region", "=?base64?WsO8cmljaA==?=")]);
        agrees(r#"{"n":7}"#, &[("Mcp-Param-N", "=?base64?Nw==?=")]);
        assert_ne!(fault(r#"{"region":"Zürich"}"#, &[("Mcp-Param-Region", "WsO8cmljaA==")]), "");
    }

    // rows: HDR-9
    #[test]
    fn what_is_no_strict_base64_is_refused() {
        for encoded in ["SGVsbG8", "SGVsbG8=A", "SGVs bG8=", "SGVsbG8==", "SGV*bG8=", "SGVsbG-_", "SGVsbG9=", "="] {
            differs(
                r#"{"region":"Hello"}"#,
                &[("Mcp-Param-Region", &format!("=?base64?{encoded}?="))],
                "the header `Mcp-Param-Region` has no valid Base64 between `=?base64?` and `?=`",
            );
        }
        assert_eq!(decode_header(b"=?base64?/w==?="), Err("has Base64 of what is no UTF-8"));
        for raw in [&b"Z\xc3\xbcrich"[..], b"Z\xfcrich", b"a\x00b", b"a\x7f", b"a\x0bb"] {
            let fault = decode_header(raw).unwrap_err();
            assert!(fault.starts_with("has characters that are not visible ASCII"), "{fault}");
        }
    }
}
