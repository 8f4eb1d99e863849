//! What a server is asked for beside its tools and lists: resources, prompts, completions, and methods of extensions.

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::call::Call;
use super::{CallError, Client, json, results};
use crate::protocol::{Completion, GetPromptResult, ProtocolVersion, ReadResourceResult};
use crate::schema::describe;

impl Client {
    /// Reads a resource, by its URI.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// One order; `None` is an order that does not exist.
    /// #[resource("shop://orders/{id}")]
    /// async fn order(id: u32) -> Option<String> {
    ///     (id < 100).then(|| format!("order {id}"))
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").resource(order)).await?;
    /// assert_eq!(client.read_resource("shop://orders/17").await?.text(), "order 17");
    /// assert!(client.read_resource("shop://orders/100").await.unwrap_err().is_not_found());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: there is no such resource, which [`is_not_found`](CallError::is_not_found) tells, or the
    /// server refuses, does not answer in time or not well, or has gone.
    ///
    /// Specification: [Resources](https://modelcontextprotocol.io/specification/2026-07-28/server/resources#reading-resources).
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<'_, ReadResourceResult> {
        let uri = uri.into();
        let members = format!(r#""uri":{}"#, json(&uri));
        Call::new(self, "resources/read", Ok(members), results::read_resource).about(uri)
    }

    /// Fills a prompt. The arguments are anything that becomes a JSON object of texts: `json!({ … })`, a map, a struct of
    /// yours. Without any it is `json!({})`.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Have a text translated.
    /// #[prompt]
    /// async fn translate(text: String, language: String) -> String {
    ///     format!("Translate into {language}:\n\n{text}")
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").prompt(translate)).await?;
    /// let prompt = client.get_prompt("translate", json!({ "text": "tea", "language": "Danish" })).await?;
    /// assert_eq!(prompt.messages[0].content.as_text(), Some("Translate into Danish:\n\ntea"));
    ///
    /// let error = client.get_prompt("translate", json!({ "text": 7 })).await.unwrap_err();
    /// assert_eq!(error.to_string(), "the argument `text` can't be sent: expected a string, got the number 7");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: an argument is no text, and so nothing was sent; or the server refuses, does not answer in
    /// time or not well, or has gone.
    ///
    /// Specification: [Prompts](https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#getting-a-prompt).
    pub fn get_prompt(&self, name: impl Into<String>, arguments: impl Serialize) -> Call<'_, GetPromptResult> {
        let name = name.into();
        let members = texts(serde_json::to_value(arguments))
            .map(|arguments| format!(r#""name":{},"arguments":{arguments}"#, json(&name)));
        Call::new(self, "prompts/get", members, results::get_prompt).about(name)
    }

    /// What an argument of a prompt could go on with while somebody types it. [`context`](Call::context) tells the
    /// server what has been chosen already.
    ///
    /// Who asks with each key that is pressed should wait a moment first, and keep what was answered.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// Have a text translated.
    /// #[prompt]
    /// async fn translate(text: String, #[prompt(complete = languages)] language: String) -> String {
    ///     format!("Translate into {language}:\n\n{text}")
    /// }
    ///
    /// fn languages(typed: String) -> Vec<&'static str> {
    ///     ["Danish", "Dutch"].into_iter().filter(|name| name.starts_with(&typed)).collect()
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").prompt(translate)).await?;
    /// let completion = client.complete_prompt("translate", "language", "Du").context([("text", "tea")]).await?;
    /// assert_eq!(completion.values, ["Dutch"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: the server refuses, does not answer in time or not well, or has gone.
    ///
    /// Specification: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    pub fn complete_prompt(
        &self,
        prompt: impl AsRef<str>,
        argument: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Call<'_, Completion> {
        let reference = format!(r#"{{"type":"ref/prompt","name":{}}}"#, json(prompt.as_ref()));
        self.complete(&reference, argument.as_ref(), value.as_ref())
    }

    /// What a variable of a resource template could go on with while somebody types it. The template is named as the
    /// [list](Client::resource_templates) has it.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    ///
    /// /// A street of a town.
    /// #[resource("map://{town}")]
    /// async fn streets(#[resource(complete = towns)] town: String) -> String {
    ///     format!("the streets of {town}")
    /// }
    ///
    /// fn towns(typed: String) -> Vec<&'static str> {
    ///     ["Aarhus", "Odense"].into_iter().filter(|name| name.starts_with(&typed)).collect()
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("map").resource(streets)).await?;
    /// let completion = client.complete_resource("map://{town}", "town", "O").await?;
    /// assert_eq!(completion.values, ["Odense"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: the server refuses, does not answer in time or not well, or has gone.
    ///
    /// Specification: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).
    pub fn complete_resource(
        &self,
        uri_template: impl AsRef<str>,
        argument: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Call<'_, Completion> {
        let reference = format!(r#"{{"type":"ref/resource","uri":{}}}"#, json(uri_template.as_ref()));
        self.complete(&reference, argument.as_ref(), value.as_ref())
    }

    fn complete(&self, reference: &str, argument: &str, value: &str) -> Call<'_, Completion> {
        let argument = format!(r#"{{"name":{},"value":{}}}"#, json(argument), json(value));
        let members = format!(r#""ref":{reference},"argument":{argument}"#);
        Call::new(self, "completion/complete", Ok(members), results::completion)
    }

    /// Calls a method that has no method of its own here, such as one of an extension. The params are anything that
    /// becomes a JSON object, or `()` for none; the `_meta` of the protocol is added to theirs. The result is read as an
    /// `R`.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use mcp_server::{Extension, RequestError};
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Weigh {
    ///     parcel: String,
    /// }
    ///
    /// #[derive(serde::Serialize, serde::Deserialize)]
    /// struct Weight {
    ///     grams: usize,
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let scales = Extension::new("com.example/scales", json!({})).method(
    ///     "com.example/scales/weigh",
    ///     |weigh: Weigh, _ctx: Context| async move { Ok::<_, RequestError>(json!({ "grams": weigh.parcel.len() })) },
    /// );
    /// let client = Client::builder()
    ///     .extension("com.example/scales", json!({}))
    ///     .connect(Server::new("post office").extension(scales))
    ///     .await?;
    /// let weigh = Weigh { parcel: "a book".into() };
    /// let weight: Weight = client.request("com.example/scales/weigh", weigh).await?;
    /// assert_eq!(weight.grams, 6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: the params are no JSON object, and so nothing was sent; or the server refuses, does not
    /// answer in time or not well, or has gone. A result with a `resultType` of its own is an
    /// [`UnknownResultType`](CallError::UnknownResultType).
    pub fn request<R: DeserializeOwned>(&self, method: impl Into<String>, params: impl Serialize) -> Call<'_, R> {
        let (members, meta) = match object(&params) {
            Ok((members, meta)) => (Ok(members), meta),
            Err(error) => (Err(error), Map::new()),
        };
        let method = method.into();
        let subject = members.as_ref().ok().and_then(|members| subject(&method, members));
        let mut call = Call::new(self, method, members, results::complete::<R>);
        let spec = call.spec_mut();
        (spec.meta, spec.subject) = (meta, subject);
        call
    }

    /// Asks an older server whether it is still there. Stateless ones know no such method, as each request shows it.
    ///
    /// ```
    /// use mcp_server::protocol::ProtocolVersion;
    /// use mcp_server::{Client, Server};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let old = Client::builder().protocol_versions([ProtocolVersion::V2025_11_25]);
    /// let client = old.connect(Server::new("shop")).await?;
    /// client.ping().await?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, a [`CallError`]: the server does not answer in time, or has gone; or it is a stateless one, and nothing was
    /// sent.
    ///
    /// Specification: [Ping](https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping).
    pub fn ping(&self) -> Call<'_, ()> {
        let version = self.protocol_version();
        let members = match version.is_modern() {
            true => Err(CallError::NoSuchMethod { method: "ping".to_owned(), version }),
            false => Ok(String::new()),
        };
        Call::new(self, "ping", members, |result| results::complete::<IgnoredAny>(result).map(drop))
    }
}

impl<D> Call<'_, Completion, D> {
    /// Tells the server which arguments have been chosen already, by name. Servers before 2025-06-18 do not know it, and
    /// are not told.
    ///
    /// ```
    /// # use mcp_server::prelude::*;
    /// # async fn run(client: Client) -> Result<(), Box<dyn std::error::Error>> {
    /// let completion = client
    ///     .complete_resource("repo://{owner}/{name}", "name", "m")
    ///     .context([("owner", "ada")])
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn context<N: Into<String>, V: Into<String>>(mut self, chosen: impl IntoIterator<Item = (N, V)>) -> Self {
        let spec = self.spec_mut();
        if spec.client.protocol_version() >= ProtocolVersion::V2025_06_18
            && let Ok(members) = &mut spec.members
        {
            let mut params: Map<String, Value> =
                serde_json::from_str(&format!("{{{members}}}")).expect("the params were written here");
            let arguments = chosen.into_iter().map(|(name, value)| (name.into(), Value::String(value.into())));
            let context = params.entry("context").or_insert_with(|| Map::new().into()).as_object_mut();
            let known = context.map(|context| context.entry("arguments").or_insert_with(|| Map::new().into()));
            if let Some(known) = known.and_then(Value::as_object_mut) {
                known.extend(arguments);
            }
            *members = inner(&Value::from(params).to_string()).to_owned();
        }
        self
    }
}

/// The arguments of a prompt as JSON: "`arguments?: {string: string}`" (Prompts, `GetPromptRequestParams`).
fn texts(arguments: Result<Value, serde_json::Error>) -> Result<String, CallError> {
    let arguments = match arguments {
        Ok(Value::Object(arguments)) => arguments,
        Ok(other) => return Err(CallError::InvalidArguments { reason: format!("they are {}", describe(&other)) }),
        Err(error) => return Err(CallError::InvalidArguments { reason: error.to_string() }),
    };
    match arguments.iter().find(|(_, value)| !value.is_string()) {
        None => Ok(Value::from(arguments).to_string()),
        Some((name, value)) => {
            let hint = if value.is_null() { "; leave it out" } else { "" };
            let reason = format!("expected a string, got {}{hint}", describe(value));
            Err(CallError::InvalidArgument { name: name.clone(), reason })
        }
    }
}

/// A value as JSON of one line. What is raw in it comes as it was written, and may have been written for people.
///
/// # Errors
///
/// When it is none that JSON has.
pub(super) fn text_of(value: &impl Serialize) -> Result<String, String> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string())?;
    let has_space = text.contains(['\n', '\r']) || text.starts_with("{ ") || text.starts_with("{\t");
    Ok(if has_space { without_space(&text) } else { text })
}

/// JSON without the white space between its tokens.
fn without_space(json: &str) -> String {
    let (mut is_text, mut is_escaped) = (false, false);
    let keep = |c: &char| {
        if is_text {
            is_text = is_escaped || *c != '"';
            is_escaped = !is_escaped && *c == '\\';
            return true;
        }
        is_text = *c == '"';
        !matches!(*c, ' ' | '\t' | '\n' | '\r')
    };
    json.chars().filter(keep).collect()
}

/// The members of params, and those of their `_meta`, which is written together with ours.
fn object(params: &impl Serialize) -> Result<(String, Map<String, Value>), CallError> {
    let invalid = |reason: String| CallError::InvalidArguments { reason };
    let text = text_of(params).map_err(invalid)?;
    if text == "null" {
        return Ok((String::new(), Map::new()));
    }
    if !text.starts_with('{') {
        return Err(invalid(format!("they are `{}`", text.chars().take(60).collect::<String>())));
    }
    // Of a raw value a key may be written with escapes.
    if !text.contains("_meta") && !text.contains(r"\u") {
        return Ok((inner(&text).to_owned(), Map::new()));
    }
    let mut params: Map<String, Value> = serde_json::from_str(&text).map_err(|error| invalid(error.to_string()))?;
    let meta = match params.shift_remove("_meta") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(meta)) => meta,
        Some(other) => {
            let reason = format!("expected an object, got {}", describe(&other));
            return Err(CallError::InvalidArgument { name: "_meta".to_owned(), reason });
        }
    };
    Ok((inner(&Value::from(params).to_string()).to_owned(), meta))
}

/// The tool, prompt or resource that the params are about, which HTTP repeats in a header.
fn subject(method: &str, members: &str) -> Option<String> {
    let member = match method {
        "tools/call" | "prompts/get" => "name",
        "resources/read" => "uri",
        _ => return None,
    };
    let params: Value = serde_json::from_str(&format!("{{{members}}}")).ok()?;
    params[member].as_str().map(str::to_owned)
}

/// The members of an object, without its braces.
fn inner(object: &str) -> &str {
    object.strip_prefix('{').and_then(|object| object.strip_suffix('}')).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raw_value_is_sent_in_one_line() {
        let raw = |json: &str| serde_json::value::RawValue::from_string(json.to_owned()).unwrap();
        let pretty = "{\n  \"a b\": [1,\r\n\t2],\n  \"c\": \" \\\" \\\\\" ,\n \"d\": {} }";
        assert_eq!(text_of(&raw(pretty)).unwrap(), r#"{"a b":[1,2],"c":" \" \\","d":{}}"#);
        assert_eq!(text_of(&serde_json::json!({ "in": [raw("{ }")] })).unwrap(), r#"{"in":[{}]}"#);
        assert_eq!(object(&raw("{ }")).unwrap(), (String::new(), Map::new()));
        let (members, meta) = object(&raw(r#"{"\u005fmeta":{"a":1},"b":2}"#)).unwrap();
        assert_eq!((members.as_str(), meta["a"].clone()), (r#""b":2"#, 1.into()));
    }

    #[test]
    fn only_what_has_a_name_or_an_address_is_about_something() {
        let members = r#""name":"a","uri":"b:c""#;
        let subjects = ["tools/call", "prompts/get", "resources/read", "tools/list", "com.example/x"]
            .map(|method| subject(method, members));
        let [a, b] = ["a", "b:c"].map(|subject| Some(subject.to_owned()));
        assert_eq!(subjects, [a.clone(), a, b, None, None]);
        assert_eq!(subject("tools/call", ""), None);
        assert_eq!(subject("tools/call", r#""name":7"#), None);
    }
}
