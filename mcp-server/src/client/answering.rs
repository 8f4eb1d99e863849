//! From a question of the server to the answer that may be sent: read, asked, checked.
//!
//! It is the same whichever way a question comes and its answer goes.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::asked::Asked;
use super::handlers::Handling;
use crate::protocol::{
    CreateMessageParams, ElicitAction, ElicitFormParams, ElicitResult, ElicitUrlParams, ListRootsResult, check_sampling,
};
use crate::schema::{Fault, GivenSchema, form};
use crate::server::check_url;

/// What a server asks, as far as there is somebody here to answer it.
#[derive(Debug)]
pub(crate) enum Question {
    Form(ElicitFormParams),
    Url(ElicitUrlParams),
    Sample(CreateMessageParams),
    Roots,
}

/// Why a question is not asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// Nobody here answers such questions.
    NoHandler,
    /// It needs what was not declared.
    Undeclared(String),
    /// It breaks the rules of its kind.
    Invalid {
        /// The part of the params that is wrong; empty for the whole.
        path: String,
        reason: String,
    },
}

/// Why there is no answer to a question that was asked.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    Refused(String),
    /// The handler has panicked, or what it said can't be sent.
    Failed(String),
}

impl Asked {
    /// Reads a question.
    ///
    /// # Errors
    ///
    /// When nobody here can answer it.
    pub(crate) fn question(&self, method: &str, params: Value) -> Result<Question, Unfit> {
        let handlers = &self.handlers;
        match method {
            "elicitation/create" => match params.get("mode").and_then(Value::as_str) {
                _ if handlers.form.is_none() && handlers.url.is_none() => Err(Unfit::NoHandler),
                // "Clients MUST treat requests without a `mode` as form mode" (Elicitation, Requests).
                None | Some("form") if handlers.form.is_some() => read(params).map(Question::Form),
                Some("url") if handlers.url.is_some() => read(params).map(Question::Url),
                mode => {
                    let mode = mode.unwrap_or("form");
                    Err(Unfit::Undeclared(format!("the mode `{}` was not declared", crate::protocol::clip(mode))))
                }
            },
            "sampling/createMessage" if handlers.sample.is_some() => {
                let params: CreateMessageParams = read(params)?;
                let uses_tools = !params.tools.is_empty() || params.tool_choice.is_some();
                // "The client MUST return an error if this is set but `sampling.tools` was not declared" (Sampling).
                if uses_tools && !self.sampling_tools {
                    return Err(Unfit::Undeclared("`sampling.tools` was not declared".to_owned()));
                }
                check_sampling(&params).map_err(|reason| Unfit::Invalid { path: String::new(), reason })?;
                Ok(Question::Sample(params))
            }
            "roots/list" if handlers.roots.is_some() => Ok(Question::Roots),
            _ => Err(Unfit::NoHandler),
        }
    }

    /// Asks it: the result that the server waits for.
    ///
    /// # Errors
    ///
    /// When there is none, or none that may be sent.
    pub(crate) async fn answer(&self, question: Question) -> Result<Box<RawValue>, Unanswered> {
        let handlers = &self.handlers;
        match question {
            Question::Form(params) => {
                let handler = handlers.form.clone().expect("a question is read for its handler");
                let schema = params.requested_schema.clone();
                let mut result = caught(move || handler.call(params)).await?;
                // "`content` is only present when action is `accept` and mode was `form`" (ElicitResult).
                let content = result.content.take();
                if result.action == ElicitAction::Accept {
                    result.content = Some(filled_in(schema, content.unwrap_or_default())?);
                }
                raw(&result)
            }
            Question::Url(params) => {
                if let Err(reason) = check_url(&params.url) {
                    // "The client sends `decline`" where it refuses by its own rules: nothing else reaches both eras.
                    tracing::warn!(reason, "a page that the server wants to be opened was declined");
                    return raw(&ElicitResult::decline());
                }
                let handler = handlers.url.clone().expect("a question is read for its handler");
                // The page may be done with before the handler has said that it was opened.
                let opened = self.opened.expect(params.elicitation_id.as_deref());
                let result = caught(move || handler.call(params)).await?;
                if result.action == ElicitAction::Accept {
                    opened.keep();
                }
                raw(&ElicitResult { action: result.action, content: None })
            }
            Question::Sample(params) => {
                let handler = handlers.sample.clone().expect("a question is read for its handler");
                match caught(move || handler.call(params)).await? {
                    Ok(result) => raw(&result),
                    Err(refused) => Err(Unanswered::Refused(refused.to_string())),
                }
            }
            Question::Roots => raw(&ListRootsResult { roots: self.roots().to_vec() }),
        }
    }
}

fn read<T: DeserializeOwned>(params: Value) -> Result<T, Unfit> {
    if !params.is_object() {
        let reason = format!("expected an object, got {}", crate::schema::describe(&params));
        return Err(Unfit::Invalid { path: String::new(), reason });
    }
    serde_path_to_error::deserialize(params).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { String::new() } else { path };
        Unfit::Invalid { path, reason: error.into_inner().to_string() }
    })
}

fn raw(result: &impl Serialize) -> Result<Box<RawValue>, Unanswered> {
    to_raw_value(result).map_err(|error| Unanswered::Failed(format!("the answer is no JSON: {error}")))
}

/// Runs a handler. One that panics has no answer, and that is all.
async fn caught<R>(start: impl FnOnce() -> Handling<R>) -> Result<R, Unanswered> {
    let panicked = || Unanswered::Failed("its handler has panicked".to_owned());
    let mut running = catch_unwind(AssertUnwindSafe(start)).map_err(|_| panicked())?;
    poll_fn(|cx| match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
        Ok(polled) => polled.map(Ok),
        Err(_) => Poll::Ready(Err(panicked())),
    })
    .await
}

/// Completes what a person has filled in by the defaults of the form, and holds it against the schema.
fn filled_in(schema: Value, mut content: Map<String, Value>) -> Result<Map<String, Value>, Unanswered> {
    let faults = match form::given(schema.clone()) {
        Ok(form) => match form.check(&content) {
            Ok(Value::Object(content)) => return Ok(content),
            Ok(_) => return Ok(content),
            Err(faults) => faults,
        },
        Err(reason) => {
            tracing::debug!(reason, "a form of the server is none that this client knows");
            let fields = schema.get("properties").and_then(Value::as_object);
            for (name, field) in fields.into_iter().flatten() {
                if let Some(default) = field.get("default") {
                    content.entry(name).or_insert_with(|| default.clone());
                }
            }
            let mut answer = Value::Object(content.clone());
            match GivenSchema::new(schema) {
                Ok(schema) => schema.check(&mut answer, ""),
                Err(reason) => {
                    tracing::debug!(reason, "an answer goes out unchecked: its schema can't be read");
                    Vec::new()
                }
            }
        }
    };
    if faults.is_empty() {
        return Ok(content);
    }
    let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
    Err(Unanswered::Failed(format!("the answer does not fit the form: {}", faults.join("; "))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fill(schema: Value, content: Value) -> Result<Value, Unanswered> {
        let Value::Object(content) = content else { panic!("{content}") };
        filled_in(schema, content).map(Value::Object)
    }

    // rows: ELIC-11
    #[test]
    fn what_is_left_out_gets_its_default_and_the_rest_is_checked() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "default": "Ada" },
                "age": { "type": "integer", "minimum": 18, "default": 30 },
                "score": { "type": "number", "default": 95.5 },
                "status": { "type": "string", "enum": ["active", "gone"], "default": "active" },
                "verified": { "type": "boolean", "default": true },
            },
            "required": ["name"],
        });
        let all = json!({ "name": "Ada", "age": 30, "score": 95.5, "status": "active", "verified": true });
        assert_eq!(fill(schema.clone(), json!({})).unwrap(), all);
        let some = json!({ "name": "Bea", "age": 30, "score": 1, "status": "gone", "verified": true });
        assert_eq!(fill(schema.clone(), json!({ "name": "Bea", "score": 1, "status": "gone" })).unwrap(), some);
        let Err(Unanswered::Failed(fault)) = fill(schema, json!({ "age": 17, "verified": "yes" })) else { panic!() };
        assert!(fault.starts_with("the answer does not fit the form: age: "), "{fault}");
        assert!(fault.contains("; verified: "), "{fault}");
    }

    #[test]
    fn a_form_of_an_odd_shape_is_checked_as_far_as_it_can_be_read() {
        let nested = json!({
            "type": "object",
            "properties": {
                "near": { "type": "object", "properties": { "x": { "type": "number" } } },
                "far": { "type": "boolean", "default": false },
            },
        });
        let answer = json!({ "near": { "x": 1 }, "far": false });
        assert_eq!(fill(nested.clone(), json!({ "near": { "x": 1 } })).unwrap(), answer);
        assert!(fill(nested, json!({ "near": { "x": "1" } })).is_err());
        assert_eq!(fill(json!({ "type": "made up" }), json!({ "a": 1 })).unwrap(), json!({ "a": 1 }));
        assert_eq!(fill(Value::Null, json!({ "a": 1 })).unwrap(), json!({ "a": 1 }));
    }
}
