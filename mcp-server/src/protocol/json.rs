//! JSON text, read in one pass: whether it is JSON at all, how deep it goes, and where its members are.
//!
//! A message goes through here once, and its arguments once more; those of a batch, or behind layers, twice. What the
//! protocol looks at is found on the way; the rest stays the text that it is, for the author's types to be read from.
//! What exactly is wrong with a text is left to `serde_json` to tell.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, forward_to_deserialize_any};
use serde_json::value::RawValue;

/// One JSON value, checked, as it stands in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawJson<'a>(&'a str);

impl<'a> RawJson<'a> {
    /// The text, without white space around it.
    pub(crate) fn get(self) -> &'a str {
        self.0
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == "null"
    }

    pub(crate) fn is_object(self) -> bool {
        self.0.starts_with('{')
    }

    /// The text of a string.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        let inner = self.0.strip_prefix('"')?.strip_suffix('"')?;
        unescaped(inner)
    }

    /// Reads a type from it.
    pub(crate) fn read<T: Deserialize<'a>>(self) -> serde_json::Result<T> {
        serde_json::from_str(self.0)
    }

    /// Reads a type from it that is one owned text. `None`: it is none, or the type is another one.
    pub(crate) fn read_text<T: Deserialize<'a>>(self) -> Option<T> {
        if !self.0.starts_with('"') {
            return None;
        }
        let is_refused = Cell::new(false);
        let read = T::deserialize(OwnedText { json: self, is_refused: &is_refused }).ok();
        read.filter(|_| !is_refused.get())
    }

    /// The value for those who know `serde_json` alone.
    pub(crate) fn raw(self) -> &'a RawValue {
        serde_json::from_str(self.0).expect("it was checked")
    }
}

impl<'a> From<&'a RawValue> for RawJson<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(raw.get())
    }
}

/// What a string stands for, by what is between its quotes; `None`: half of a surrogate pair, which is no text.
fn unescaped(inner: &str) -> Option<Cow<'_, str>> {
    let bytes = inner.as_bytes();
    let first = match bytes.len() {
        // To search through a few bytes costs less than to begin a search.
        0..32 => bytes.iter().position(|byte| *byte == b'\\'),
        _ => memchr::memchr(b'\\', bytes),
    };
    let Some(mut at) = first else { return Some(Cow::Borrowed(inner)) };
    // In one piece from the start, as the text may be long.
    let mut text = String::with_capacity(inner.len());
    text.push_str(&inner[..at]);
    while let Some([b'\\', escape]) = bytes.get(at..at + 2) {
        at += 2;
        text.push(match escape {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let unit = unit(inner, at)?;
                at += 4;
                match char::from_u32(unit) {
                    Some(char) => char,
                    None => {
                        let second = unit_of_pair(inner, at)?;
                        at += 6;
                        char::decode_utf16([unit as u16, second]).next()?.ok()?
                    }
                }
            }
            itself => char::from(*itself),
        });
        let next = plain(bytes, at);
        text.push_str(&inner[at..next]);
        at = next;
    }
    Some(Cow::Owned(text))
}

/// Four hexadecimal digits.
fn unit(inner: &str, at: usize) -> Option<u32> {
    u32::from_str_radix(inner.get(at..at + 4)?, 16).ok()
}

/// The second half of a surrogate pair, with its `\u`.
fn unit_of_pair(inner: &str, at: usize) -> Option<u16> {
    inner.get(at..)?.strip_prefix("\\u")?;
    unit(inner, at + 2)?.try_into().ok()
}

/// Reads the text of a string as serde reads owned text, and nothing else: unlike `serde_json` it makes one copy of a
/// text with escapes, and not two.
#[derive(Clone, Copy)]
struct OwnedText<'a, 'c> {
    json: RawJson<'a>,
    /// Something else was wanted. A type may make a value of the error all the same, which then is none.
    is_refused: &'c Cell<bool>,
}

impl<'de> Deserializer<'de> for OwnedText<'de, '_> {
    type Error = NoText;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, NoText> {
        self.is_refused.set(true);
        Err(NoText)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoText> {
        match self.json.string() {
            Some(text) => visitor.visit_string(text.into_owned()),
            None => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NoText> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, NoText> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

/// It is no text, or no text is wanted: whoever asked tries another way.
#[derive(Debug)]
pub(crate) struct NoText;

impl fmt::Display for NoText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no text")
    }
}

impl std::error::Error for NoText {}

impl Error for NoText {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

/// Why a text is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotJson,
    /// Arrays and objects are nested deeper than the limit.
    TooDeep,
}

/// A place in a text, up to which it is JSON.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// How many arrays and objects may still be opened.
    room: usize,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, max_depth: usize) -> Self {
        Self { text, at: 0, room: max_depth }
    }

    /// The byte that the next value begins with.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            // Most peers write no spaces.
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.peek_behind_space(),
        }
    }

    #[cold]
    fn peek_behind_space(&mut self) -> Option<u8> {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')).count();
        self.text.as_bytes().get(self.at).copied()
    }

    /// Holds the end of the text to be the end of the value.
    pub(crate) fn end(mut self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(Fault::NotJson),
        }
    }

    /// Reads a value.
    #[inline]
    pub(crate) fn value(&mut self) -> Result<RawJson<'a>, Fault> {
        let first = self.peek();
        let start = self.at;
        self.skip_from(first)?;
        Ok(RawJson(&self.text[start..self.at]))
    }

    /// Reads a value that nobody wants to have.
    #[inline]
    pub(crate) fn skip(&mut self) -> Result<(), Fault> {
        let first = self.peek();
        self.skip_from(first)
    }

    #[inline]
    fn skip_from(&mut self, first: Option<u8>) -> Result<(), Fault> {
        match first {
            Some(b'"') => self.string().map(drop),
            Some(b'{' | b'[') => self.nested(),
            _ => self.scalar(),
        }
    }

    /// Reads an object: `each` is given the name of a member, and has to read its value.
    ///
    /// A name that is no text, such as half of a surrogate pair, is given as it is written.
    pub(crate) fn members(
        &mut self,
        mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Result<(), Fault>,
    ) -> Result<RawJson<'a>, Fault> {
        let first = self.peek();
        let start = self.at;
        if first != Some(b'{') {
            return Err(Fault::NotJson);
        }
        self.open()?;
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let name = self.name()?;
                each(self, name)?;
                let next = self.peek();
                self.at += 1;
                match next {
                    Some(b',') => {}
                    Some(b'}') => break,
                    _ => return Err(Fault::NotJson),
                }
            }
        }
        self.room += 1;
        Ok(RawJson(&self.text[start..self.at]))
    }

    /// The name of a member, and the colon behind it.
    #[inline]
    fn name(&mut self) -> Result<Cow<'a, str>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::NotJson);
        }
        let start = self.at + 1;
        let is_plain = self.string()?;
        let inner = &self.text[start..self.at - 1];
        if self.peek() != Some(b':') {
            return Err(Fault::NotJson);
        }
        self.at += 1;
        Ok(if is_plain { Cow::Borrowed(inner) } else { unescaped(inner).unwrap_or(Cow::Borrowed(inner)) })
    }

    /// Goes behind an opening bracket.
    #[inline]
    fn open(&mut self) -> Result<(), Fault> {
        self.at += 1;
        self.room = self.room.checked_sub(1).ok_or(Fault::TooDeep)?;
        Ok(())
    }

    /// Reads an array or an object with all that is in it.
    fn nested(&mut self) -> Result<(), Fault> {
        let mut brackets = Brackets::default();
        loop {
            // A value begins here.
            match self.peek() {
                Some(bracket @ (b'{' | b'[')) => {
                    self.open()?;
                    brackets.push(bracket == b'{');
                    // The closing ones are two above the opening ones.
                    if self.peek() == Some(bracket + 2) {
                        self.at += 1;
                        self.room += 1;
                        brackets.pop();
                    } else {
                        if bracket == b'{' {
                            self.skip_name()?;
                        }
                        continue;
                    }
                }
                Some(b'"') => drop(self.string()?),
                _ => self.scalar()?,
            }
            // It has ended.
            loop {
                let Some(is_object) = brackets.innermost() else { return Ok(()) };
                let next = self.peek();
                self.at += 1;
                match (next, is_object) {
                    (Some(b','), true) => self.skip_name()?,
                    (Some(b','), false) => {}
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.room += 1;
                        brackets.pop();
                        continue;
                    }
                    _ => return Err(Fault::NotJson),
                }
                break;
            }
        }
    }

    #[inline]
    fn skip_name(&mut self) -> Result<(), Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::NotJson);
        }
        self.string()?;
        if self.peek() != Some(b':') {
            return Err(Fault::NotJson);
        }
        self.at += 1;
        Ok(())
    }

    /// Reads a string, from its first quote to its last one. Whether it stands for what is between them.
    #[inline]
    fn string(&mut self) -> Result<bool, Fault> {
        let at = plain(self.text.as_bytes(), self.at + 1);
        // Most have no escapes.
        if self.text.as_bytes().get(at) == Some(&b'"') {
            self.at = at + 1;
            return Ok(true);
        }
        self.string_with_escapes(at)
    }

    /// Reads the rest of a string, from what may be its first escape on.
    #[inline(never)]
    fn string_with_escapes(&mut self, mut at: usize) -> Result<bool, Fault> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(at) {
                Some(b'"') => {
                    self.at = at + 1;
                    return Ok(false);
                }
                Some(b'\\') => {
                    at += match bytes.get(at + 1) {
                        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
                        Some(b'u')
                            if bytes.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) =>
                        {
                            6
                        }
                        _ => return Err(Fault::NotJson),
                    };
                }
                // A control character, or the end.
                _ => return Err(Fault::NotJson),
            }
            at = plain(bytes, at);
        }
    }

    /// Reads a number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Result<(), Fault> {
        let rest = &self.text.as_bytes()[self.at..];
        let length = match rest.first() {
            Some(b'-' | b'0'..=b'9') => number(rest),
            Some(b't') if rest.starts_with(b"true") => Some(4),
            Some(b'n') if rest.starts_with(b"null") => Some(4),
            Some(b'f') if rest.starts_with(b"false") => Some(5),
            _ => None,
        };
        self.at += length.ok_or(Fault::NotJson)?;
        Ok(())
    }
}

/// How long the number is that a text begins with.
fn number(text: &[u8]) -> Option<usize> {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(text[0] == b'-');
    at += match text.get(at)? {
        b'0' => 1,
        b'1'..=b'9' => digits(at),
        _ => return None,
    };
    if text.get(at) == Some(&b'.') {
        let fraction = digits(at + 1);
        if fraction == 0 {
            return None;
        }
        at += 1 + fraction;
    }
    if let Some(b'e' | b'E') = text.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = text.get(at) {
            at += 1;
        }
        let exponent = digits(at);
        if exponent == 0 {
            return None;
        }
        at += exponent;
    }
    Some(at)
}

/// Where the first byte from `at` on is that is something special in a string: a quote, a backslash, or a control
/// character.
fn plain(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    // Most strings end soon.
    let mut soon = &rest[..rest.len().min(64)];
    let length = soon.len();
    while let Some((word, behind)) = soon.split_first_chunk() {
        let special = specials(u64::from_le_bytes(*word));
        if special != 0 {
            return at + length - soon.len() + special.trailing_zeros() as usize / 8;
        }
        soon = behind;
    }
    let before = length - soon.len();
    at + before + plain_in_blocks(&rest[before..])
}

/// How many bytes there are before the first special one, in a longer string or at the end of a text.
#[inline(never)]
fn plain_in_blocks(text: &[u8]) -> usize {
    let is_special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    // Without a branch, so that the compiler looks at all bytes of a block at once.
    let has_special = |block: &[u8; 32]| block.iter().fold(false, |found, byte| found | is_special(byte));
    let (blocks, _) = text.as_chunks();
    let before = 32 * blocks.iter().position(has_special).unwrap_or(blocks.len());
    before + text[before..].iter().position(is_special).unwrap_or(text.len() - before)
}

/// The highest bit of each byte that is special. Behind the first of them others may be marked by mistake.
fn specials(word: u64) -> u64 {
    const fn all(byte: u8) -> u64 {
        u64::from_le_bytes([byte; 8])
    }
    let is_below = |word: u64, limit: u8| word.wrapping_sub(all(limit)) & !word;
    // With this bit turned around the quote comes next to the control characters, and the space away from them.
    let control_or_quote = is_below(word ^ all(0x02), 0x21);
    let backslash = is_below(word ^ all(b'\\'), 0x01);
    (control_or_quote | backslash) & all(0x80)
}

/// Which brackets are open: for each whether it is that of an object.
#[derive(Debug, Default)]
struct Brackets {
    depth: usize,
    /// The innermost ones, the last in the lowest bit …
    word: u64,
    /// … and those before them, 64 in each.
    outer: Vec<u64>,
}

impl Brackets {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.outer.push(self.word);
        }
        self.word = self.word << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.word >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.word = self.outer.pop().unwrap_or_default();
        }
    }

    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.word & 1 == 1)
    }
}

/// Appends a text as a JSON string.
pub(crate) fn write_string(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    // A long text has some escapes, and something behind it: for that alone no second copy is to be made.
    out.reserve(bytes.len() + bytes.len() / 16 + 2);
    out.push(b'"');
    let mut at = 0;
    loop {
        let next = plain(bytes, at);
        out.extend_from_slice(&bytes[at..next]);
        at = next;
        let Some(&byte) = bytes.get(at) else { break };
        at += 1;
        let short = match byte {
            b'"' => b'"',
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            0x08 => b'b',
            0x0c => b'f',
            _ => {
                let hex = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
                out.extend_from_slice(&[b'\\', b'u', b'0', b'0', hex(byte >> 4), hex(byte & 0xf)]);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::*;

    /// Whether a text is taken, in both ways of reading objects.
    fn taken(text: &str, max_depth: usize) -> Result<(), Fault> {
        let mut scanner = Scanner::new(text, max_depth);
        let whole = scanner.value().and_then(|_| scanner.end());
        let mut scanner = Scanner::new(text, max_depth);
        if scanner.peek() == Some(b'{') {
            let members = scanner.members(|scanner, _| scanner.value().map(drop)).and_then(|_| scanner.end());
            assert_eq!(members, whole, "{text}");
        }
        whole
    }

    #[test]
    fn a_text_is_taken_if_it_is_json() {
        for text in [
            "0",
            "-0",
            "10",
            "1.5",
            "-1.5e10",
            "1E+2",
            "1e-2",
            "true",
            "false",
            "null",
            "\"\"",
            " [ ] ",
            "{}",
            "[[],{}]",
            "{\"a\":1}",
            " { \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : null } } ",
            "\"\\u00e9\\n\\\\\\/\"",
            "\"\\ud800\"",
            "[1,[2,[3,{\"a\":[{}]}]],\"x\"]",
            "\u{7f}",
            "\"\u{7f}é😀\"",
            "[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"]",
            "",
            " ",
            "{",
            "}",
            "[",
            "]",
            "{]",
            "[}",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{,}",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\":1 \"b\":2}",
            "{a:1}",
            "{1:2}",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "1e+",
            "0x1",
            "1_0",
            "tru",
            "nul",
            "truex",
            "nulll",
            "NaN",
            "'a'",
            "\"",
            "\"a",
            "\"\\\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "\"\n\"",
            "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u{1}\"",
            "{} {}",
            "1 2",
            "[1]]",
            "{\"a\":[1}",
            "/* */ 1",
            "[1,\u{a0}2]",
            "\u{feff}1",
            "\"\\",
            "\"\\u",
            "{\"\\u0061\":1}",
        ] {
            let expected = serde_json::from_str::<IgnoredAny>(text).map(drop).map_err(|_| Fault::NotJson);
            assert_eq!(taken(text, usize::MAX), expected, "{text}");
        }
    }

    /// Each text with one byte that is missing, doubled or another one, and each beginning of it.
    #[test]
    fn what_is_nearly_json_is_judged_as_serde_json_judges_it() {
        let others = br#" {}[],:"\/u0a1.eE-+tn"#.iter().chain(b"\x01\n\x7f");
        for text in [
            r#"{"jsonrpc":"2.0","id":-1.5e+10,"params":{"a":[1,{"b":null},"\u00e9\\"],"c":true}}"#,
            r#" [ "a name that is longer than sixty-four bytes, so that it is looked at in whole blocks" , 0 , false ] "#,
        ] {
            let mut nearly: Vec<Vec<u8>> = Vec::new();
            for at in 0..text.len() {
                let (before, after) = (&text.as_bytes()[..at], &text.as_bytes()[at..]);
                nearly.push(before.to_vec());
                nearly.push([before, &after[1..]].concat());
                nearly.push([before, &after[..1], after].concat());
                nearly.extend(others.clone().map(|other| [before, &[*other], &after[1..]].concat()));
            }
            for nearly in nearly {
                let nearly = str::from_utf8(&nearly).unwrap();
                let expected = serde_json::from_str::<IgnoredAny>(nearly).map(drop).map_err(|_| Fault::NotJson);
                assert_eq!(taken(nearly, usize::MAX), expected, "{nearly}");
            }
        }
    }

    #[test]
    fn brackets_are_counted_outside_of_strings() {
        assert_eq!(taken(r#"{"a":"[[[[[[[["}"#, 1), Ok(()));
        assert_eq!(taken(r#"[[[]],[[]],[[]]]"#, 3), Ok(()));
        assert_eq!(taken(r#"[[[[]]]]"#, 3), Err(Fault::TooDeep));
        assert_eq!(taken(r#"{"a":"\"[","b":[[[1]]]}"#, 3), Err(Fault::TooDeep));
        assert_eq!(taken("1", 0), Ok(()));
        for depth in [1, 63, 64, 65, 127, 128, 129, 1000] {
            let text = format!("{}{}", "[{\"a\":".repeat(depth), "}]".repeat(depth));
            let text = text.replace(":}", ":1}");
            assert_eq!(taken(&text, 2 * depth), Ok(()), "{depth}");
            assert_eq!(taken(&text, 2 * depth - 1), Err(Fault::TooDeep), "{depth}");
            let wrong = text.replacen("}]", "]}", 1);
            assert_eq!(taken(&wrong, 2 * depth), Err(Fault::NotJson), "{depth}");
        }
    }

    #[test]
    fn members_are_found_as_they_are_written() {
        let mut found = Vec::new();
        let text = "{ \"a\" : 1 , \"\\u0062\" : [ 2 ], \"\\ud800\":\"x\" , \"a\":{} } ";
        let mut scanner = Scanner::new(text, 10);
        let whole = scanner.members(|scanner, name| {
            found.push((name.into_owned(), scanner.value()?.get()));
            Ok(())
        });
        assert_eq!(whole.unwrap().get(), text.trim());
        let found: Vec<(&str, &str)> = found.iter().map(|(name, value)| (&**name, *value)).collect();
        assert_eq!(found, [("a", "1"), ("b", "[ 2 ]"), ("\\ud800", "\"x\""), ("a", "{}")]);
    }

    #[test]
    fn each_place_in_a_string_is_looked_at() {
        for length in 0..200 {
            let text = "é".repeat(length);
            for special in ['"', '\\', '\u{1f}', '\0', '\n'] {
                for at in 0..=length {
                    let mut text = text.clone();
                    text.insert(2 * at, special);
                    assert_eq!(plain(text.as_bytes(), 0), 2 * at);
                }
            }
            assert_eq!(plain(text.as_bytes(), 0), text.len());
        }
    }

    #[test]
    fn strings_are_written_as_serde_json_writes_them() {
        let all: String = (0..=0x110000).filter_map(char::from_u32).step_by(7).chain('\0'..'\u{100}').collect();
        for text in ["", "a", "\"", "a\"b\\c\nd", "\u{7f}\u{80}", &all] {
            let mut out = Vec::new();
            write_string(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(text).unwrap());
        }
    }

    #[test]
    fn a_string_is_read_with_its_escapes() {
        for text in [
            r#""""#,
            r#""a""#,
            r#""\u00e9\n""#,
            r#""a\"b\\c\/d\b\f\n\r\te""#,
            r#""\u0000\u007f\uFFFF""#,
            r#""\ud83d\ude00""#,
            r#""x\uD83D\uDE00y""#,
            r#""\ud800""#,
            r#""\ud800\ud800""#,
            r#""\udc00\ud800""#,
            r#""\ud800a""#,
            r#""\ud800\n""#,
            r#""\ud83d\ude0""#,
            r#""é\u00e9😀\\""#,
            "7",
            "null",
        ] {
            let Ok(json) = Scanner::new(text, 0).value() else {
                assert!(serde_json::from_str::<IgnoredAny>(text).is_err(), "{text}");
                continue;
            };
            let expected: Option<String> = serde_json::from_str(text).ok();
            assert_eq!(json.string().map(Cow::into_owned), expected, "{text}");
            assert_eq!(json.read_text(), expected, "{text}");
            assert_eq!(json.read_text(), expected.map(Some), "{text}");
        }
    }

    #[test]
    fn a_text_is_read_into_what_holds_texts_alone() {
        let json = Scanner::new(r#""a\n""#, 0).value().unwrap();
        assert_eq!(json.read_text(), Some(Box::<str>::from("a\n")));
        assert_eq!(json.read_text(), Some(std::path::PathBuf::from("a\n")));
        assert_eq!(json.read_text::<char>(), None);
        assert_eq!(json.read_text::<serde_json::Value>(), None);
        assert_eq!(json.read_text::<Vec<u8>>(), None);
        // What makes a value of any error has not seen the text.
        #[derive(Debug, PartialEq, Deserialize)]
        struct Lenient(#[serde(deserialize_with = "lenient")] Option<char>);
        fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<char>, D::Error> {
            Ok(char::deserialize(deserializer).ok())
        }
        assert_eq!(json.read_text::<Lenient>(), None);
    }
}
