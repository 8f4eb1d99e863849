//! Completion: what an argument could go on with while somebody types it.
//!
//! Specification: [Completion](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/completion).

use std::borrow::Cow;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{ErrorObject, Params};

/// "Maximum 100 items per response" (Completion, Completion Results).
const MOST: usize = 100;

/// Values that fit what has been typed, the best ones first.
///
/// ```
/// use mcp_server::protocol::Completion;
///
/// assert_eq!(Completion::new(["python", "pytorch"]).values, ["python", "pytorch"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completion {
    /// The values, at most 100.
    pub values: Vec<String>,
    /// How many there are in all, when that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    /// The first 100 of `values`; when there are more, `total` and `has_more` say so.
    pub fn new(values: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let mut rest = values.into_iter();
        let values: Vec<String> = rest.by_ref().take(MOST).map(Into::into).collect();
        match rest.count() as u64 {
            0 => Self { values, ..Self::default() },
            more => Self { total: Some(values.len() as u64 + more), has_more: Some(true), values },
        }
    }
}

/// The params of `completion/complete`.
#[derive(Debug, PartialEq)]
pub(crate) struct CompleteParams<'a> {
    pub(crate) reference: Reference<'a>,
    /// The name of the argument that is typed.
    pub(crate) argument: Cow<'a, str>,
    /// What has been typed of it.
    pub(crate) value: Cow<'a, str>,
    /// The arguments that are chosen already.
    pub(crate) context: HashMap<String, String>,
}

/// Whose argument it is.
#[derive(Debug, PartialEq)]
pub(crate) enum Reference<'a> {
    /// That of the prompt of this name.
    Prompt(Cow<'a, str>),
    /// That of the resource, or the template, with this URI.
    Resource(Cow<'a, str>),
}

impl<'a> CompleteParams<'a> {
    /// # Errors
    ///
    /// When something is missing, or is of the wrong type.
    pub(crate) fn read(params: &Params<'a>) -> Result<Self, ErrorObject> {
        let reference = params.object("ref")?;
        let reference = match &*reference.string("type")? {
            "ref/prompt" => Reference::Prompt(reference.string("name")?),
            "ref/resource" => Reference::Resource(reference.string("uri")?),
            _ => {
                return Err(ErrorObject::invalid_params(
                    "`params.ref.type` must be \"ref/prompt\" or \"ref/resource\"",
                ));
            }
        };
        let argument = params.object("argument")?;
        let context = match params.nested("context")? {
            Some(context) => context.nested("arguments")?.unwrap_or_default().strings()?,
            None => HashMap::new(),
        };
        Ok(Self { reference, argument: argument.string("name")?, value: argument.string("value")?, context })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    fn with<T>(json: &str, check: impl FnOnce(Result<CompleteParams<'_>, ErrorObject>) -> T) -> T {
        let raw: &RawValue = serde_json::from_str(json).unwrap();
        check(CompleteParams::read(&Params::of(Some(raw.into()))))
    }

    // rows: CMPL-2
    #[test]
    fn the_params_name_a_prompt_or_a_resource() {
        let prompt = r#"{"ref":{"type":"ref/prompt","name":"review","title":"Review"},"argument":{"name":"language","value":"py"},"context":{"arguments":{"style":"short"}}}"#;
        with(prompt, |params| {
            assert_eq!(
                params.unwrap(),
                CompleteParams {
                    reference: Reference::Prompt("review".into()),
                    argument: "language".into(),
                    value: "py".into(),
                    context: HashMap::from([("style".to_owned(), "short".to_owned())]),
                }
            );
        });
        let resource = r#"{"ref":{"type":"ref/resource","uri":"shop://{id}"},"argument":{"name":"id","value":""}}"#;
        with(resource, |params| {
            let params = params.unwrap();
            assert_eq!(params.reference, Reference::Resource("shop://{id}".into()));
            assert!(params.value.is_empty() && params.context.is_empty());
        });
    }

    // rows: CMPL-2
    #[test]
    fn a_fault_of_the_params_is_named() {
        let argument = r#""argument":{"name":"a","value":""}"#;
        let prompt = r#""ref":{"type":"ref/prompt","name":"p"}"#;
        for (json, fault) in [
            ("{}".to_owned(), "`params.ref` is missing: an object"),
            (r#"{"ref":"p"}"#.to_owned(), "`params.ref` must be an object"),
            (r#"{"ref":{}}"#.to_owned(), "`params.ref.type` is missing: a string"),
            (
                format!(r#"{{"ref":{{"type":"ref/tool","name":"p"}},{argument}}}"#),
                "`params.ref.type` must be \"ref/prompt\" or \"ref/resource\"",
            ),
            (r#"{"ref":{"type":"ref/prompt"}}"#.to_owned(), "`params.ref.name` is missing: a string"),
            (r#"{"ref":{"type":"ref/resource","uri":7}}"#.to_owned(), "`params.ref.uri` must be a string"),
            (format!("{{{prompt}}}"), "`params.argument` is missing: an object"),
            (format!(r#"{{{prompt},"argument":{{"name":"a"}}}}"#), "`params.argument.value` is missing: a string"),
            (format!(r#"{{{prompt},{argument},"context":[]}}"#), "`params.context` must be an object"),
            (
                format!(r#"{{{prompt},{argument},"context":{{"arguments":{{"n":1}}}}}}"#),
                "`params.context.arguments.n` must be a string",
            ),
        ] {
            let error = with(&json, |params| params.unwrap_err());
            assert_eq!((error.message.as_str(), error.code.0), (fault, -32602), "{json}");
        }
    }

    // rows: CMPL-3
    #[test]
    fn more_than_a_hundred_values_are_cut_and_counted() {
        let values = |count: u32| (0..count).map(|number| number.to_string());
        let all = Completion::new(values(100));
        assert_eq!((all.values.len(), all.total, all.has_more), (100, None, None));
        let cut = Completion::new(values(150));
        assert_eq!((cut.values.len(), cut.total, cut.has_more), (100, Some(150), Some(true)));
        assert_eq!(cut.values[99], "99");
        let wire = serde_json::to_string(&cut).unwrap();
        assert!(wire.ends_with(r#"],"total":150,"hasMore":true}"#), "{wire}");
        assert_eq!(serde_json::from_str::<Completion>(&wire).unwrap(), cut);
        assert_eq!(serde_json::to_string(&Completion::default()).unwrap(), r#"{"values":[]}"#);
    }
}
