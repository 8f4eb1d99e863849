//! From what a function returns to what the client gets.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::protocol::{
    AudioContent, CallToolResult, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, TextContent,
};

/// What a tool may return: words, numbers, content blocks, [`Json`], nothing, or a `Result` of these.
///
/// | the type | the client gets |
/// |---|---|
/// | `String`, `&'static str`, `Cow<'static, str>`, numbers, `bool`, `char` | one block of text |
/// | [`TextContent`], [`ImageContent`], … [`ContentBlock`], and a `Vec` of one of these | the blocks |
/// | `Vec<String>`, `Vec<&str>` | a block of text for each |
/// | [`Json<T>`](Json) | a value with a schema, and the same as text; lists and other values of your own need it too |
/// | `()`, and `None` of an `Option` | a result without content |
/// | `Err` | a result with [`is_error`](CallToolResult::is_error), and the error's words as text |
#[diagnostic::on_unimplemented(
    message = "a tool can't return `{Self}`",
    label = "not a result of a tool",
    note = "return words, a number, content blocks, `()`, or `Json<…>` around a type that derives `Serialize` and `JsonSchema`",
    note = "or a `Result` of one of these, whose error is `ToolError` or a `std::error::Error`; others, such as `anyhow::Error` or `String`, become one by `.map_err(|error| ToolError::new(error.to_string()))`"
)]
pub trait IntoCallToolResult {
    /// The result that the client gets.
    fn into_call_tool_result(self) -> CallToolResult;

    /// The JSON Schema of the structured result, if there is one.
    #[doc(hidden)]
    fn output_schema() -> Option<Box<str>> {
        None
    }
}

/// A value for programs: the client gets it as JSON, with its schema in the list of tools, and once more as text.
///
/// Before 2025-06-18 clients know no such values, and before 2026-07-28 only objects: there they get the text alone.
///
/// ```
/// use mcp_server::prelude::*;
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Price {
///     cents: u64,
/// }
///
/// /// What an article costs.
/// #[tool]
/// async fn price(sku: String) -> Result<Json<Price>, ToolError> {
///     if sku.is_empty() {
///         return Err(ToolError::new("no such article"));
///     }
///     Ok(Json(Price { cents: 1999 }))
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Json<T>(
    /// The value.
    pub T,
);

// None of these is recommended: what a tool may return is said above in few words, instead of in a long list.
#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> IntoCallToolResult for Json<T> {
    fn into_call_tool_result(self) -> CallToolResult {
        structured(serde_json::value::to_raw_value(&self.0))
    }

    fn output_schema() -> Option<Box<str>> {
        Some(crate::schema::output_schema::<T>().to_string().into())
    }
}

// Not generic: compiled once for all tools.
fn structured(value: Result<Box<RawValue>, serde_json::Error>) -> CallToolResult {
    match value {
        // "a tool that returns structured content SHOULD also return the serialized JSON in a TextContent block"
        // (Tools, Structured Content)
        Ok(value) => CallToolResult {
            structured_content: Some(value.clone()),
            ..CallToolResult::from_text(String::from(Box::<str>::from(value)))
        },
        Err(error) => CallToolResult::from_error(format!("the result is no JSON: {error}")),
    }
}

#[diagnostic::do_not_recommend]
impl IntoCallToolResult for CallToolResult {
    fn into_call_tool_result(self) -> CallToolResult {
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoCallToolResult for () {
    fn into_call_tool_result(self) -> CallToolResult {
        CallToolResult::default()
    }
}

macro_rules! texts {
    ($($text:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoCallToolResult for $text {
            fn into_call_tool_result(self) -> CallToolResult {
                CallToolResult::from_text(self)
            }
        }
    )*};
}

texts!(String, &'static str, Box<str>, Cow<'static, str>);

macro_rules! values {
    ($($value:ty)*) => {$(
        #[diagnostic::do_not_recommend]
        impl IntoCallToolResult for $value {
            fn into_call_tool_result(self) -> CallToolResult {
                CallToolResult::from_text(self.to_string())
            }
        }
    )*};
}

values!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

macro_rules! blocks {
    ($($variant:ident $block:ty),*) => {$(
        impl From<$block> for ContentBlock {
            fn from(block: $block) -> Self {
                Self::$variant(block)
            }
        }

        #[diagnostic::do_not_recommend]
        impl IntoCallToolResult for $block {
            fn into_call_tool_result(self) -> CallToolResult {
                ContentBlock::from(self).into_call_tool_result()
            }
        }
    )*};
}

blocks!(
    Text TextContent,
    Image ImageContent,
    Audio AudioContent,
    ResourceLink ResourceLink,
    Resource EmbeddedResource
);

#[diagnostic::do_not_recommend]
impl IntoCallToolResult for ContentBlock {
    fn into_call_tool_result(self) -> CallToolResult {
        CallToolResult { content: vec![self], ..CallToolResult::default() }
    }
}

#[diagnostic::do_not_recommend]
impl<B: Into<ContentBlock>> IntoCallToolResult for Vec<B> {
    fn into_call_tool_result(self) -> CallToolResult {
        CallToolResult { content: self.into_iter().map(Into::into).collect(), ..CallToolResult::default() }
    }
}

/// `None` is an empty result.
#[diagnostic::do_not_recommend]
impl<T: IntoCallToolResult> IntoCallToolResult for Option<T> {
    fn into_call_tool_result(self) -> CallToolResult {
        self.map(T::into_call_tool_result).unwrap_or_default()
    }
}

#[diagnostic::do_not_recommend]
impl<T: IntoCallToolResult, E: Into<ToolError>> IntoCallToolResult for Result<T, E> {
    fn into_call_tool_result(self) -> CallToolResult {
        match self {
            Ok(value) => value.into_call_tool_result(),
            Err(error) => CallToolResult::from_error(error.into().text),
        }
    }

    fn output_schema() -> Option<Box<str>> {
        T::output_schema()
    }
}

/// Why a tool failed, in words that let the model do better.
///
/// Every `std::error::Error` becomes one by `?`, with the errors behind it. For that reason this type is no
/// `std::error::Error` itself.
///
/// ```
/// use mcp_server::ToolError;
///
/// fn parse(text: &str) -> Result<u32, ToolError> {
///     let number: u32 = text.parse()?;
///     if number == 0 {
///         return Err(ToolError::new("zero orders: name at least one"));
///     }
///     Ok(number)
/// }
///
/// assert_eq!(parse("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
///
/// What is no `std::error::Error`, such as `anyhow::Error`, `Box<dyn Error>` or `String`, is put into words:
///
/// ```
/// use mcp_server::ToolError;
///
/// fn load() -> Result<String, Box<dyn std::error::Error>> {
///     Err("the shop is closed".into())
/// }
///
/// fn tool() -> Result<String, ToolError> {
///     load().map_err(|error| ToolError::new(format!("{error:#}")))
/// }
///
/// assert_eq!(tool().unwrap_err().to_string(), "the shop is closed");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ToolError {
    text: String,
}

impl ToolError {
    /// A failure in your own words.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

impl<E: Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut text = error.to_string();
        let mut source = error.source();
        while let Some(error) = source {
            let more = error.to_string();
            // Many errors say what is behind them in their own text.
            if !text.contains(&more) {
                text += ": ";
                text += &more;
            }
            source = error.source();
        }
        Self { text }
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ToolError").field(&self.text).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CONT-1
    #[test]
    fn a_list_of_blocks_or_of_words_is_one_block_each() {
        let words = vec!["one".to_owned(), "two".to_owned()].into_call_tool_result();
        let blocks = vec![TextContent::new("one"), TextContent::new("two")].into_call_tool_result();
        assert_eq!(words.content, [ContentBlock::text("one"), ContentBlock::text("two")]);
        assert_eq!(words.content, blocks.content);
        assert!(words.structured_content.is_none());
    }
}
