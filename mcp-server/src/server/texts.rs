//! Values that travel as text: the variables of a resource's address, and the arguments of a prompt.
//!
//! A parameter reads its type from the text: `7` is a number where a number is wanted, and the word of a variant where
//! the type is an enum.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, VariantAccess,
    Visitor,
};

use super::arguments::missing;

/// The values of one call, by name, and what is wrong with them.
#[derive(Debug, Default)]
pub(crate) struct Texts<'a> {
    values: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    faults: Vec<String>,
}

impl<'a> Texts<'a> {
    pub(crate) fn new(values: Vec<(Cow<'a, str>, Cow<'a, str>)>) -> Self {
        Self { values, faults: Vec::new() }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    /// The value of that name. If it is wrong or missing this is recorded, and there is none.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, name: &str, default: Option<fn() -> T>) -> Option<T> {
        let Some(text) = self.get(name) else {
            let value = default.map(|default| default()).or_else(missing);
            if value.is_none() {
                self.faults.push(missing_text(name));
            }
            return value;
        };
        match T::deserialize(Text(text)) {
            Ok(value) => Some(value),
            Err(error) => {
                let fault = format!("{name}: {error}, got {}", crate::schema::describe(&text.into()));
                self.faults.push(fault);
                None
            }
        }
    }

    /// All values in one: a map of texts, a struct with a field for each, or `()`. If one is wrong or missing this is
    /// recorded, and there is none.
    pub(crate) fn read<T: DeserializeOwned>(&mut self) -> Option<T> {
        if self.has_faults() {
            return None;
        }
        let error = match T::deserialize(All(&self.values)) {
            Ok(value) => return Some(value),
            Err(error) => error.to_string(),
        };
        self.faults.push(match error.strip_prefix("missing field `").and_then(|rest| rest.strip_suffix('`')) {
            Some(name) => missing_text(name),
            None => error,
        });
        None
    }

    /// Records those that are missing.
    pub(crate) fn require<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        for name in names {
            if self.get(name).is_none() {
                self.faults.push(missing_text(name));
            }
        }
    }

    /// The names of the values, but for the known ones.
    pub(crate) fn names_but<'n>(&self, known: impl Iterator<Item = &'n str> + Clone) -> Vec<String> {
        let is_known = |name: &str| known.clone().any(|known| known == name);
        self.values.iter().map(|(name, _)| name).filter(|name| !is_known(name)).map(ToString::to_string).collect()
    }

    pub(crate) fn fault(&mut self, fault: String) {
        self.faults.push(fault);
    }

    pub(crate) fn has_faults(&self) -> bool {
        !self.faults.is_empty()
    }

    /// One line a fault.
    pub(crate) fn fault_text(&self) -> String {
        self.faults.join("\n")
    }
}

fn missing_text(name: &str) -> String {
    format!("{name}: missing, expected a text")
}

/// Reads all values at once.
struct All<'a>(&'a [(Cow<'a, str>, Cow<'a, str>)]);

impl<'de> Deserializer<'de> for All<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Entries { rest: self.0, at: None })
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit_struct seq tuple
        tuple_struct map struct enum identifier ignored_any
    }
}

struct Entries<'a> {
    rest: &'a [(Cow<'a, str>, Cow<'a, str>)],
    at: Option<(&'a str, &'a str)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(((name, value), rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        self.at = Some((name, value));
        seed.deserialize(Text(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (name, text) = self.at.take().unwrap_or_default();
        seed.deserialize(Text(text)).map_err(|error| {
            de::Error::custom(format_args!("{name}: {error}, got {}", crate::schema::describe(&text.into())))
        })
    }
}

/// Reads a value from a text, by what the value's type asks for.
struct Text<'a>(&'a str);

macro_rules! numbers {
    ($($method:ident $visit:ident $number:ty, $words:literal;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let number: $number = self.0.parse().map_err(|_| expected($words))?;
            visitor.$visit(number)
        }
    )*};
}

fn expected(what: impl fmt::Display) -> Error {
    de::Error::custom(format_args!("expected {what}"))
}

impl<'de> Deserializer<'de> for Text<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_str(self.0)
    }

    numbers! {
        deserialize_bool visit_bool bool, "`true` or `false`";
        deserialize_i8 visit_i8 i8, "an integer from -128 to 127";
        deserialize_i16 visit_i16 i16, "an integer from -32768 to 32767";
        deserialize_i32 visit_i32 i32, "an integer of 32 bits";
        deserialize_i64 visit_i64 i64, "an integer of 64 bits";
        deserialize_i128 visit_i128 i128, "an integer of 128 bits";
        deserialize_u8 visit_u8 u8, "an integer from 0 to 255";
        deserialize_u16 visit_u16 u16, "an integer from 0 to 65535";
        deserialize_u32 visit_u32 u32, "an integer of 32 bits that is not negative";
        deserialize_u64 visit_u64 u64, "an integer of 64 bits that is not negative";
        deserialize_u128 visit_u128 u128, "an integer of 128 bits that is not negative";
        deserialize_char visit_char char, "one character";
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // Rust reads `inf` and `nan` as well, which are no numbers of JSON.
        let number = self.0.parse().ok().filter(|number: &f64| number.is_finite());
        visitor.visit_f64(number.ok_or_else(|| expected("a number"))?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        // An enum may take words that it does not name (`#[serde(other)]`).
        let is_named = variants.contains(&self.0);
        visitor.visit_enum(Word(self.0)).map_err(|error| match is_named {
            true => error,
            false => expected(format_args!("one of `{}`", variants.join("`, `"))),
        })
    }

    serde::forward_to_deserialize_any! {
        str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant without content.
struct Word<'a>(&'a str);

impl<'de> EnumAccess<'de> for Word<'_> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<V: de::DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let variant: StrDeserializer<'_, Error> = self.0.into_deserializer();
        Ok((seed.deserialize(variant)?, self))
    }
}

impl<'de> VariantAccess<'de> for Word<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: de::DeserializeSeed<'de>>(self, _: T) -> Result<T::Value, Error> {
        Err(expected("a variant without content"))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        Err(expected("a variant without content"))
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        Err(expected("a variant without content"))
    }
}

/// Whether a type may be read from a text at all, and not from a list or an object alone.
pub(crate) fn can_be_text<T: DeserializeOwned>() -> bool {
    !matches!(T::deserialize(Probe), Err(Asked::ForStructure))
}

/// Learns what a type asks its reader for.
struct Probe;

/// What a type has asked for.
#[derive(Debug)]
enum Asked {
    ForText,
    ForStructure,
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("only a probe")
    }
}

impl std::error::Error for Asked {}

impl de::Error for Asked {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::ForText
    }
}

macro_rules! asked {
    ($($asked:ident: $($method:ident($($parameter:ty),*))*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, $(_: $parameter,)* _: V) -> Result<V::Value, Asked> {
            Err(Asked::$asked)
        }
    )*)*};
}

impl<'de> Deserializer<'de> for Probe {
    type Error = Asked;

    asked! {
        ForText:
            deserialize_any() deserialize_bool() deserialize_char() deserialize_str() deserialize_string()
            deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
            deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
            deserialize_f32() deserialize_f64() deserialize_identifier() deserialize_ignored_any()
            deserialize_enum(&'static str, &'static [&'static str]);
        ForStructure:
            deserialize_bytes() deserialize_byte_buf() deserialize_unit() deserialize_unit_struct(&'static str)
            deserialize_seq() deserialize_map() deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize)
            deserialize_struct(&'static str, &'static [&'static str]);
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Asked> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Asked> {
        visitor.visit_newtype_struct(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Season {
        Spring,
        LateSummer,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Id(u32);

    fn take<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        let mut texts = Texts::new(vec![("x".into(), text.into())]);
        texts.take("x", None).ok_or_else(|| texts.fault_text())
    }

    #[test]
    fn a_text_becomes_what_the_parameter_asks_for() {
        assert_eq!(take("seven"), Ok("seven".to_owned()));
        assert_eq!(take("7"), Ok("7".to_owned()));
        assert_eq!(take("7"), Ok(7_u8));
        assert_eq!(take("-1.5"), Ok(-1.5));
        assert_eq!(take("true"), Ok(true));
        assert_eq!(take("late_summer"), Ok(Season::LateSummer));
        assert_eq!(take("9"), Ok(Id(9)));
        assert_eq!(take("9"), Ok(Some(9)));
        assert_eq!(take("x"), Ok('x'));
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Language {
        English,
        #[serde(other)]
        Another,
    }

    #[test]
    fn an_enum_may_take_other_words() {
        assert_eq!(take("english"), Ok(Language::English));
        assert_eq!(take("danish"), Ok(Language::Another));
    }

    #[test]
    fn what_no_text_is_shows_without_one() {
        assert!(
            can_be_text::<String>() && can_be_text::<Option<u8>>() && can_be_text::<Id>() && can_be_text::<Season>()
        );
        assert!(can_be_text::<serde_json::Value>());
        assert!(!can_be_text::<Vec<String>>() && !can_be_text::<Option<(u8, u8)>>() && !can_be_text::<()>());
        assert!(!can_be_text::<std::collections::HashMap<String, String>>());
    }

    #[test]
    fn a_text_that_does_not_fit_is_named_with_what_would() {
        assert_eq!(take::<u8>("300"), Err("x: expected an integer from 0 to 255, got the string \"300\"".to_owned()));
        let seasons = "x: expected one of `spring`, `late_summer`, got the string \"winter\"";
        assert_eq!(take::<Season>("winter"), Err(seasons.to_owned()));
        assert!(take::<Vec<u8>>("1").is_err());
        assert!(take::<f64>("inf").is_err() && take::<f32>("NaN").is_err() && take::<f32>("1e999").is_err());
    }

    #[test]
    fn all_texts_become_one_value() {
        #[derive(Debug, PartialEq, serde::Deserialize)]
        struct Trip {
            to: String,
            days: Option<u8>,
        }
        let read = |values: &[(&'static str, &'static str)]| {
            let mut texts = Texts::new(values.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect());
            texts.read::<Trip>().ok_or_else(|| texts.fault_text())
        };
        assert_eq!(read(&[("to", "7"), ("days", "7")]), Ok(Trip { to: "7".to_owned(), days: Some(7) }));
        assert_eq!(read(&[("to", "Oslo")]), Ok(Trip { to: "Oslo".to_owned(), days: None }));
        assert_eq!(read(&[("days", "7")]), Err("to: missing, expected a text".to_owned()));
        let fault = "days: expected an integer from 0 to 255, got the string \"x\"";
        assert_eq!(read(&[("to", "Oslo"), ("days", "x")]), Err(fault.to_owned()));
        let map = Texts::new(vec![("a".into(), "1".into())]).read::<std::collections::HashMap<String, String>>();
        assert_eq!(map.unwrap()["a"], "1");
        assert_eq!(Texts::default().read::<()>(), Some(()));
    }

    #[test]
    fn what_is_missing_has_its_default_or_is_a_fault() {
        let mut texts = Texts::default();
        assert_eq!(texts.take::<Option<u8>>("a", None), Some(None));
        assert_eq!(texts.take::<u8>("b", Some(|| 3)), Some(3));
        assert_eq!(texts.take::<u8>("c", None), None);
        assert_eq!(texts.fault_text(), "c: missing, expected a text");
    }
}
