//! Percent-encoding, as URIs have it.

use std::borrow::Cow;

/// The bytes that a text stands for; `None` when a `%` is not followed by two hexadecimal digits.
pub(crate) fn decode(text: &str) -> Option<Cow<'_, [u8]>> {
    let Some(first) = memchr::memchr(b'%', text.as_bytes()) else { return Some(text.as_bytes().into()) };
    let mut bytes = text.as_bytes()[..first].to_vec();
    let mut rest = &text.as_bytes()[first..];
    while let [byte, after @ ..] = rest {
        if *byte == b'%' {
            let [high, low, after @ ..] = after else { return None };
            bytes.push(digit(*high)? << 4 | digit(*low)?);
            rest = after;
        } else {
            bytes.push(*byte);
            rest = after;
        }
    }
    Some(bytes.into())
}

/// Appends `text`, with all bytes encoded but those that `keep` names.
pub(crate) fn encode(out: &mut String, text: &str, keep: impl Fn(u8) -> bool) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii() && keep(byte) {
            out.push(byte.into());
        } else {
            out.push('%');
            out.push(DIGITS[usize::from(byte >> 4)].into());
            out.push(DIGITS[usize::from(byte & 15)].into());
        }
    }
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|digit| digit as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_is_decoded() {
        for text in ["", "abc", "a b", "100%", "é/ü", "\0"] {
            let mut encoded = String::new();
            encode(&mut encoded, text, |byte| byte.is_ascii_alphanumeric());
            assert_eq!(decode(&encoded).unwrap(), text.as_bytes(), "{encoded}");
        }
        assert_eq!(decode("%c3%A9").unwrap(), "é".as_bytes());
    }

    #[test]
    fn a_percent_sign_stands_before_two_digits() {
        for text in ["%", "a%", "%4", "%4g", "%%41", "%+1"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
