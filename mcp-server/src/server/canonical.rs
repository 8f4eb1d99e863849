//! One text for one JSON: the same however its members were ordered and spaced, and whatever was escaped in it.
//!
//! Numbers stay as they were written, since what reads them may know more of their digits than a tree of values does.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// Beyond this a text is taken as it is: nobody orders the members of a text of such a size anew.
const LARGE: usize = 256 * 1024;

/// The canonical text of a JSON text.
pub(crate) fn canonical(json: &str) -> String {
    if json.len() > LARGE {
        return json.to_owned();
    }
    let mut text = String::with_capacity(json.len());
    write(json, &mut text);
    text
}

fn write(json: &str, out: &mut String) {
    let json = json.trim();
    let written = match json.as_bytes().first() {
        Some(b'{') => write_object(json, out),
        Some(b'[') => write_array(json, out),
        Some(b'"') => serde_json::from_str(json).map(|text: String| out.push_str(&Value::from(text).to_string())),
        _ => Err(serde::de::Error::custom("a number or a word")),
    };
    if written.is_err() {
        // Also what serde can't take although it is JSON.
        out.push_str(json);
    }
}

fn write_object(json: &str, out: &mut String) -> serde_json::Result<()> {
    // Of two members with one name the last counts, as it does to all readers of ours.
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(json)?;
    out.push('{');
    for (at, (name, member)) in members.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(name).to_string());
        out.push(':');
        write(member.get(), out);
    }
    out.push('}');
    Ok(())
}

fn write_array(json: &str, out: &mut String) -> serde_json::Result<()> {
    let items: Vec<&RawValue> = serde_json::from_str(json)?;
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(item.get(), out);
    }
    out.push(']');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: MRTR-14
    #[test]
    fn order_space_and_escapes_make_no_difference_and_every_digit_does() {
        let one = r#"{"name":"pay","arguments":{"to":"anna","sum":10,"tags":["a",{"x":1,"y":2}],"none":{}}}"#;
        let other = "{ \"arguments\": {\"none\" : { },\n\"tags\": [\"\\u0061\", {\"y\": 2, \"x\": 1}], \"sum\": 10,
                       \"to\": \"anna\"}, \"name\": \"pay\" }";
        assert_eq!(canonical(one), canonical(other));
        assert_eq!(
            canonical(other),
            r#"{"arguments":{"none":{},"sum":10,"tags":["a",{"x":1,"y":2}],"to":"anna"},"name":"pay"}"#
        );
        for (one, other) in [
            ("36893488147419103233", "36893488147419103999"),
            (r#"["a","b"]"#, r#"["a\",\"b"]"#),
            ("[]", "{}"),
            ("[[],1]", "[[1]]"),
            (r#"{"a":1}"#, r#"{"a":2}"#),
        ] {
            assert_ne!(canonical(one), canonical(other));
        }
        // JSON that serde does not take.
        assert_eq!(canonical("1e999"), "1e999");
        assert_eq!(canonical(r#"["\ud800"]"#), r#"["\ud800"]"#);
        let large = format!("[{}]", " ".repeat(LARGE));
        assert_eq!(canonical(&large), large);
    }
}
