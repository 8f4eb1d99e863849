//! Changing what a server offers while it is served.

use std::sync::Arc;

use super::catalog::Catalog;
use super::changes::Change;
use super::prompt::IntoPrompt;
use super::resource::IntoResource;
use super::tool::IntoTool;

/// Changes what a server offers while it is served: from [`Server::handle`](crate::Server::handle). Clones are cheap.
///
/// Clients that asked for it learn of each change by themselves.
///
/// ```
/// use mcp_server::prelude::*;
///
/// /// Add two numbers.
/// #[tool]
/// async fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// let server = Server::new("calculator");
/// let handle = server.handle();
/// handle.add_tool(add).unwrap();
/// handle.enable_tool("add", false);
/// assert!(handle.remove_tool("add"));
/// ```
#[derive(Clone, Debug)]
pub struct ServerHandle {
    pub(crate) catalog: Arc<Catalog>,
}

/// Why something was not added to a server that is served: the text names it, and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddError(String);

impl std::fmt::Display for AddError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddError {}

impl ServerHandle {
    /// Adds a tool.
    ///
    /// # Errors
    ///
    /// When there is a tool of that name already, it takes a state that the server does not have, or a schema that it
    /// was given is no good.
    pub fn add_tool<M>(&self, tool: impl IntoTool<M>) -> Result<(), AddError> {
        self.catalog.add_tool(tool.into_tool()).map_err(AddError)?;
        self.publish(&Change::Tools);
        Ok(())
    }

    /// Takes a tool out. `false`: there is none of that name. Calls that run are finished.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.publish_if(self.catalog.remove_tool(name), &Change::Tools)
    }

    /// Switches a tool on or off: what is off is neither listed nor called. `false`: there is none of that name.
    pub fn enable_tool(&self, name: &str, enabled: bool) -> bool {
        self.switched(self.catalog.enable_tool(name, enabled), &Change::Tools)
    }

    /// Adds a resource or a template.
    ///
    /// # Errors
    ///
    /// When there is one of that address already, or it takes a state that the server does not have.
    pub fn add_resource<M>(&self, resource: impl IntoResource<M>) -> Result<(), AddError> {
        self.catalog.add_resource(resource.into_resource()).map_err(AddError)?;
        self.publish(&Change::Resources);
        Ok(())
    }

    /// Takes a resource or a template out. `false`: there is none of that address.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.publish_if(self.catalog.remove_resource(uri), &Change::Resources)
    }

    /// Switches a resource or a template on or off. `false`: there is none of that address.
    pub fn enable_resource(&self, uri: &str, enabled: bool) -> bool {
        self.switched(self.catalog.enable_resource(uri, enabled), &Change::Resources)
    }

    /// Tells those who watch a resource that it has other contents now.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.publish(&Change::Resource(uri.into()));
    }

    /// Adds a prompt.
    ///
    /// # Errors
    ///
    /// When there is a prompt of that name already, or it takes a state that the server does not have.
    pub fn add_prompt<M>(&self, prompt: impl IntoPrompt<M>) -> Result<(), AddError> {
        self.catalog.add_prompt(prompt.into_prompt()).map_err(AddError)?;
        self.publish(&Change::Prompts);
        Ok(())
    }

    /// Takes a prompt out. `false`: there is none of that name.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.publish_if(self.catalog.remove_prompt(name), &Change::Prompts)
    }

    /// Switches a prompt on or off. `false`: there is none of that name.
    pub fn enable_prompt(&self, name: &str, enabled: bool) -> bool {
        self.switched(self.catalog.enable_prompt(name, enabled), &Change::Prompts)
    }

    /// Tells a change that has arrived from elsewhere to the clients of this process; see [`Fanout`](crate::Fanout).
    pub fn deliver(&self, change: &Change) {
        self.catalog.deliver(change);
    }

    fn publish(&self, change: &Change) {
        self.catalog.publish(change);
    }

    fn publish_if(&self, changed: bool, change: &Change) -> bool {
        if changed {
            self.publish(change);
        }
        changed
    }

    fn switched(&self, switched: Option<bool>, change: &Change) -> bool {
        self.publish_if(switched == Some(true), change);
        switched.is_some()
    }
}
