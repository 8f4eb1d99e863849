//! Structured results of tools, held against what the tool has promised.
//!
//! Specification: [Output schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use serde_json::value::RawValue;

use super::call::{Call, Spec};
use super::{CallError, Client, results};
use crate::protocol::{CallToolResult, Tool};
use crate::schema::GivenSchema;

/// So many bytes of names and schemas are remembered at most.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Where the value is that is checked.
const PLACE: &str = "structuredContent";

/// What the tools of a server promise, from the lists that were read last.
#[derive(Debug, Default)]
pub(crate) struct OutputSchemas(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    promises: HashMap<String, Promise>,
    bytes: usize,
}

/// What a tool says about its structured results.
#[derive(Clone, Debug)]
enum Promise {
    Nothing,
    /// As it came.
    Text(Arc<str>),
    Ready(Arc<GivenSchema>),
}

impl Promise {
    fn of(tool: &Tool) -> Self {
        match &tool.output_schema {
            None => Self::Nothing,
            Some(schema) => Self::Text(schema.to_string().into()),
        }
    }
}

impl OutputSchemas {
    fn table(&self) -> MutexGuard<'_, Table> {
        // No code of a caller runs under this lock, so that a poisoned one is as good as any.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a list says.
    pub(crate) fn learn(&self, tools: &[Tool]) {
        for tool in tools {
            self.table().insert(&tool.name, Promise::of(tool));
        }
    }

    /// What was known may no longer be so.
    pub(crate) fn forget(&self) {
        *self.table() = Table::default();
    }

    fn get(&self, tool: &str) -> Option<Promise> {
        self.table().promises.get(tool).cloned()
    }
}

impl Table {
    fn insert(&mut self, tool: &str, promise: Promise) {
        let bytes = |promise: &Promise| match promise {
            Promise::Nothing => 0,
            Promise::Text(text) => text.len(),
            Promise::Ready(schema) => schema.text().len(),
        };
        let added = tool.len() + bytes(&promise);
        if self.bytes + added > MAX_BYTES {
            // What is needed again is read again.
            *self = Self::default();
        }
        let earlier = self.promises.insert(tool.to_owned(), promise);
        self.bytes += added;
        self.bytes -= earlier.map_or(0, |earlier| tool.len() + bytes(&earlier));
    }
}

/// The schema that the structured result of a tool has to keep, if there is one. A tool that is not known is looked for
/// in the list first.
///
/// # Errors
///
/// When the tool is not in the list, or when its schema can't be enforced: "a schema that can't be resolved" is
/// "rejected", not "treated as permissive" (basic, JSON Schema Usage). Nothing is ever fetched.
pub(crate) async fn schema_of(client: &Client, tool: String) -> Result<Option<Arc<GivenSchema>>, CallError> {
    let schemas = &client.link.connection.cache.outputs;
    let promise = match schemas.get(&tool) {
        Some(promise) => promise,
        None => look_for(client, &tool).await?,
    };
    let text = match promise {
        Promise::Nothing => return Ok(None),
        Promise::Ready(schema) => return Ok(Some(schema)),
        Promise::Text(text) => text,
    };
    let schema = serde_json::from_str(&text).map_err(|error| error.to_string()).and_then(GivenSchema::new);
    let schema = Arc::new(schema.map_err(|reason| CallError::OutputSchema { tool: tool.clone(), reason })?);
    schemas.table().insert(&tool, Promise::Ready(Arc::clone(&schema)));
    Ok(Some(schema))
}

async fn look_for(client: &Client, name: &str) -> Result<Promise, CallError> {
    let mut tools = client.tools();
    while let Some(tool) = tools.next().await {
        let tool = tool?;
        if tool.name == name {
            return Ok(Promise::of(&tool));
        }
    }
    Err(CallError::OutputSchema { tool: name.to_owned(), reason: "the server does not list the tool".to_owned() })
}

/// Holds a result of `tools/call` against the schema. One that can't be read at all is left to its reader.
///
/// # Errors
///
/// When the schema is not kept.
pub(crate) fn check(schema: &GivenSchema, result: &RawValue) -> Result<(), CallError> {
    let Ok(result) = results::call_tool(result) else { return Ok(()) };
    // What a tool says about its failure is of no form (Tools, Error Handling).
    if result.is_error {
        return Ok(());
    }
    let (path, reason) = match &result.structured_content {
        // "Servers MUST provide structured results that conform to this schema" (Tools, Output Schema).
        None => (PLACE.to_owned(), "missing, although the tool has an `outputSchema`".to_owned()),
        Some(content) => match fault(schema, content) {
            None => return Ok(()),
            Some(fault) => fault,
        },
    };
    Err(CallError::InvalidOutput { path, reason, result: Box::new(result) })
}

fn fault(schema: &GivenSchema, content: &RawValue) -> Option<(String, String)> {
    let mut value: Value = match serde_json::from_str(content.get()) {
        Ok(value) => value,
        Err(error) => return Some((PLACE.to_owned(), error.to_string())),
    };
    let first = schema.check(&mut value, PLACE).into_iter().next()?;
    Some((first.path, first.message))
}

impl<'c, D> Call<'c, CallToolResult, D> {
    /// Holds the structured result against the `outputSchema` of the tool, as the list that was read last has it. When
    /// the tool is not known yet, `tools/list` is read first, which may take as long as the call itself.
    ///
    /// The schema is checked here, within limits, and nothing is ever fetched for it. The results of a tool that has no
    /// schema, and of one that has failed, are taken as they are.
    ///
    /// ```
    /// use mcp_server::prelude::*;
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Serialize, Deserialize, JsonSchema)]
    /// struct Price {
    ///     cents: u64,
    /// }
    ///
    /// /// What an article costs.
    /// #[tool]
    /// async fn price(sku: String) -> Json<Price> {
    ///     Json(Price { cents: 499 })
    /// }
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let client = Client::connect(Server::new("shop").tool(price)).await?;
    /// let result = client.call_tool("price", json!({ "sku": "T1" })).check_output().await?;
    /// assert_eq!(result.structured::<Price>()?.cents, 499);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Awaited, [`CallError::InvalidOutput`] when the result does not keep the schema, with the place and the rule; and
    /// [`CallError::OutputSchema`] when the schema can't be enforced, or the server does not list the tool: then the tool
    /// is not called at all.
    ///
    /// Specification: [Output schema](https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema).
    pub fn check_output(mut self) -> Self {
        let spec: &mut Spec<'c> = self.spec_mut();
        spec.checks_output = true;
        self
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tool(name: &str, schema: Option<Value>) -> Tool {
        let tool = json!({ "name": name, "inputSchema": {}, "outputSchema": schema });
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let schemas = OutputSchemas::default();
        let large = json!({ "description": "d".repeat(1024 * 1024) });
        for number in 0..40 {
            schemas.learn(&[tool(&format!("t{number}"), Some(large.clone())), tool("plain", None)]);
            assert!(schemas.table().bytes <= MAX_BYTES);
        }
        assert!(matches!(schemas.get("plain"), Some(Promise::Nothing)));
        assert!(schemas.get("t39").is_some() && schemas.get("t0").is_none());
        schemas.learn(&[tool("plain", Some(json!({})))]);
        assert!(matches!(schemas.get("plain"), Some(Promise::Text(_))));
        schemas.forget();
        assert!(schemas.get("plain").is_none() && schemas.table().bytes == 0);
    }
}
