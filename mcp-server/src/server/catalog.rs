//! All that a server offers, and whether it may change while it is served.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use serde_json::{Map, Value, json};

use super::apps;
use super::changes::{Change, Changes};
use super::handle::ServerHandle;
use super::handler::Need;
use super::prompt::Prompt;
use super::registry::Registry;
use super::resource::{Fixed, Resource, Template};
use super::state::{Scope, States};
use super::tool::Tool;
use super::uri_template::prefixed;
use crate::protocol::ProtocolVersion;

/// What is offered, shared by the connections of a server and by the handles to it.
#[derive(Debug, Default)]
pub(crate) struct Catalog {
    pub(crate) tools: Registry<Tool>,
    pub(crate) resources: Registry<Fixed>,
    pub(crate) templates: Registry<Template>,
    pub(crate) prompts: Registry<Prompt>,
    /// Those who want to know what changes.
    pub(crate) changes: Changes,
    /// Somebody has a handle, and may change it.
    may_change: AtomicBool,
    /// Whether there ever was something that completes: what was announced stays announced.
    completes: AtomicBool,
    /// What handlers share, once the server is served.
    states: OnceLock<Arc<States>>,
    /// Whether there may be views, once that is known.
    has_apps: OnceLock<bool>,
    /// Where it is mounted: what changes here changes there too.
    mount: OnceLock<Mount>,
    /// Those that are mounted here, for as long as there is somebody who asks.
    mounted: Mutex<Vec<Arc<Catalog>>>,
}

/// The catalog around a mounted one.
#[derive(Debug)]
struct Mount {
    outer: Weak<Catalog>,
    scope: Arc<Scope>,
}

impl Catalog {
    /// # Errors
    ///
    /// When there is a tool of that name already, or what it needs is not there; the text names the places.
    pub(crate) fn add_tool(&self, tool: Tool) -> Result<(), String> {
        self.check_tool(&tool)?;
        self.tools.add(tool.clone())?;
        self.outside(|outer, scope| outer.add_tool(tool.within(scope))).unwrap_or(Ok(())).inspect_err(|_| {
            self.tools.remove(tool.name());
        })
    }

    /// `false`: there is none of that name.
    pub(crate) fn remove_tool(&self, name: &str) -> bool {
        let removed = self.tools.remove(name);
        if removed {
            self.outside(|outer, scope| outer.remove_tool(&format!("{}_{name}", scope.prefix)));
        }
        removed
    }

    /// `None`: there is none of that name; `Some(false)`: it was so already.
    pub(crate) fn enable_tool(&self, name: &str, enabled: bool) -> Option<bool> {
        let switched = self.tools.enable(name, enabled)?;
        self.outside(|outer, scope| outer.enable_tool(&format!("{}_{name}", scope.prefix), enabled));
        Some(switched)
    }

    /// # Errors
    ///
    /// When there is a resource of that address already, or what it needs is not there; the text names the places.
    pub(crate) fn add_resource(&self, resource: Resource) -> Result<(), String> {
        self.check_resource(&resource)?;
        if resource.is_template() {
            self.templates.add(Template(resource.clone()))?;
        } else {
            self.resources.add(Fixed(resource.clone()))?;
        }
        self.outside(|outer, scope| outer.add_resource(resource.within(scope))).unwrap_or(Ok(())).inspect_err(
            |_| {
                // Not `remove_resource`: what stands in the way outside stays.
                let _ = self.resources.remove(resource.uri()) || self.templates.remove(resource.uri());
            },
        )?;
        if Template(resource).completes() {
            self.announce_completion();
        }
        Ok(())
    }

    /// `false`: there is none of that address.
    pub(crate) fn remove_resource(&self, uri: &str) -> bool {
        let removed = self.resources.remove(uri) || self.templates.remove(uri);
        if removed {
            self.outside(|outer, scope| outer.remove_resource(&prefixed(uri, &scope.prefix)));
        }
        removed
    }

    /// `None`: there is none of that address; `Some(false)`: it was so already.
    pub(crate) fn enable_resource(&self, uri: &str, enabled: bool) -> Option<bool> {
        let switched = self.resources.enable(uri, enabled).or_else(|| self.templates.enable(uri, enabled))?;
        self.outside(|outer, scope| outer.enable_resource(&prefixed(uri, &scope.prefix), enabled));
        Some(switched)
    }

    /// # Errors
    ///
    /// When there is a prompt of that name already, or what it needs is not there; the text names the places.
    pub(crate) fn add_prompt(&self, prompt: Prompt) -> Result<(), String> {
        self.check(prompt.name(), prompt.0.location, &prompt.0.needs, prompt.0.scope.as_deref())?;
        self.prompts.add(prompt.clone())?;
        self.outside(|outer, scope| outer.add_prompt(prompt.within(scope))).unwrap_or(Ok(())).inspect_err(|_| {
            self.prompts.remove(prompt.name());
        })?;
        if prompt.completes() {
            self.announce_completion();
        }
        Ok(())
    }

    /// `false`: there is none of that name.
    pub(crate) fn remove_prompt(&self, name: &str) -> bool {
        let removed = self.prompts.remove(name);
        if removed {
            self.outside(|outer, scope| outer.remove_prompt(&format!("{}_{name}", scope.prefix)));
        }
        removed
    }

    /// `None`: there is none of that name; `Some(false)`: it was so already.
    pub(crate) fn enable_prompt(&self, name: &str, enabled: bool) -> Option<bool> {
        let switched = self.prompts.enable(name, enabled)?;
        self.outside(|outer, scope| outer.enable_prompt(&format!("{}_{name}", scope.prefix), enabled));
        Some(switched)
    }

    /// Does the same in the catalog that this one is mounted in, if it is.
    fn outside<T>(&self, change: impl FnOnce(&Arc<Self>, &Arc<Scope>) -> T) -> Option<T> {
        let mount = self.mount.get()?;
        Some(change(&mount.outer.upgrade()?, &mount.scope))
    }

    /// Tells a change to all who want to know, also on other machines.
    pub(crate) fn publish(self: &Arc<Self>, change: &Change) {
        match self.changes.fanout() {
            // It comes back to `deliver`, here and on all other machines.
            Some(fanout) => fanout.publish(change, &ServerHandle { catalog: Arc::clone(self) }),
            None => {
                self.changes.deliver(change);
                self.outside(|outer, scope| outer.publish(&change.within(scope)));
            }
        }
    }

    /// Tells a change to all who want to know of it in this process.
    pub(crate) fn deliver(&self, change: &Change) {
        self.changes.deliver(change);
        self.outside(|outer, scope| outer.deliver(&change.within(scope)));
    }

    /// Puts all that another catalog has into this one, and all that it will have.
    ///
    /// # Errors
    ///
    /// When something can't be here; the text names it and its place.
    pub(crate) fn mount(self: &Arc<Self>, inner: &Arc<Self>, scope: Arc<Scope>) -> Result<(), String> {
        for (tool, enabled) in inner.tools.shelf().entries() {
            let tool = tool.within(&scope);
            self.add_tool(tool.clone())?;
            self.enable_tool(tool.name(), enabled);
        }
        let (fixed, templates) = (inner.resources.shelf(), inner.templates.shelf());
        let fixed = fixed.entries().map(|(fixed, enabled)| (&fixed.0, enabled));
        for (resource, enabled) in fixed.chain(templates.entries().map(|(template, enabled)| (&template.0, enabled))) {
            let resource = resource.within(&scope);
            self.add_resource(resource.clone())?;
            self.enable_resource(resource.uri(), enabled);
        }
        for (prompt, enabled) in inner.prompts.shelf().entries() {
            let prompt = prompt.within(&scope);
            self.add_prompt(prompt.clone())?;
            self.enable_prompt(prompt.name(), enabled);
        }
        if inner.changes() {
            self.announce_changes();
        }
        let _ = inner.mount.set(Mount { outer: Arc::downgrade(self), scope });
        self.mounted.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(inner));
        Ok(())
    }

    fn check_tool(&self, tool: &Tool) -> Result<(), String> {
        let at = tool.0.location;
        if let Some(is_on) = self.has_apps.get() {
            let fault = apps::fault_of_tool(&tool.0, *is_on, |uri| self.has_resource(uri));
            fault.map_or(Ok(()), |fault| Err(format!("`{}` at {at} {fault}", tool.name())))?;
        }
        self.check(tool.name(), at, &tool.0.needs, tool.0.scope.as_deref())
    }

    fn check_resource(&self, resource: &Resource) -> Result<(), String> {
        let at = resource.0.location;
        if let Some(is_on) = self.has_apps.get() {
            let fault = apps::fault_of_resource(resource, *is_on);
            fault.map_or(Ok(()), |fault| Err(format!("`{}` at {at} {fault}", resource.uri())))?;
        }
        self.check(resource.uri(), at, &resource.0.needs, resource.0.scope.as_deref())
    }

    /// Whether an address is that of a resource, switched on or off, or fits a template.
    pub(crate) fn has_resource(&self, uri: &str) -> bool {
        let (fixed, templates) = (self.resources.shelf(), self.templates.shelf());
        let fits = |template: &Template| {
            template.0.0.template.as_ref().is_some_and(|template| template.matches(uri).is_some())
        };
        fixed.has(uri) || templates.entries().any(|(template, _)| fits(template))
    }

    /// Whether the state is there that a handler takes; before the server is served, that is still open.
    fn check(&self, name: &str, at: &Location<'_>, needs: &[Need], scope: Option<&Scope>) -> Result<(), String> {
        let Some(states) = self.states.get() else { return Ok(()) };
        match needs.iter().find(|need| !states.has(**need) && !scope.is_some_and(|scope| scope.has(**need))) {
            Some(missing) => Err(format!(
                "`{name}` at {at} takes a `State<{0}>`, and the server has none: add `.state(…)` with a `{0}`, or `.lifespan(…)` that opens one",
                missing.name
            )),
            None => Ok(()),
        }
    }

    /// From here on every handler finds the state that it takes, and every view is where its tool says: also of what is
    /// switched off, and may be switched on.
    ///
    /// # Errors
    ///
    /// When that is not so.
    pub(crate) fn serve(&self, states: Arc<States>, has_apps: bool) -> Result<(), String> {
        let _ = self.states.set(states);
        let _ = self.has_apps.set(has_apps);
        for (tool, _) in self.tools.shelf().entries() {
            self.check_tool(tool)?;
        }
        for (fixed, _) in self.resources.shelf().entries() {
            self.check_resource(&fixed.0)?;
        }
        for (template, _) in self.templates.shelf().entries() {
            self.check_resource(&template.0)?;
        }
        for (prompt, _) in self.prompts.shelf().entries() {
            self.check(prompt.name(), prompt.0.location, &prompt.0.needs, prompt.0.scope.as_deref())?;
        }
        Ok(())
    }

    pub(crate) fn has_tools(&self) -> bool {
        self.tools.shelf().is_announced()
    }

    /// Whether any tool, switched on or off, is not for everybody.
    #[cfg(feature = "http")]
    pub(crate) fn asks_for_scopes(&self) -> bool {
        self.tools.shelf().asks_for_scopes()
    }

    pub(crate) fn has_resources(&self) -> bool {
        self.resources.shelf().is_announced() || self.templates.shelf().is_announced()
    }

    /// Whether an address is that of a resource, or fits a template, and is switched on.
    pub(crate) fn knows_resource(&self, uri: &str) -> bool {
        self.resources.shelf().get(uri).is_some() || self.templates.shelf().template_of(uri).is_some()
    }

    pub(crate) fn has_prompts(&self) -> bool {
        self.prompts.shelf().is_announced()
    }

    /// Whether anything completes what a user types, or did so once.
    pub(crate) fn completes(&self) -> bool {
        self.completes.load(Ordering::Relaxed)
    }

    fn announce_completion(&self) {
        self.completes.store(true, Ordering::Relaxed);
    }

    /// Whether anything may change while it is served.
    pub(crate) fn changes(&self) -> bool {
        self.may_change.load(Ordering::Relaxed)
    }

    pub(crate) fn announce_changes(&self) {
        self.may_change.store(true, Ordering::Relaxed);
    }

    /// "advertised capabilities match what is served", as far as a revision knows them.
    pub(crate) fn capabilities(&self, version: ProtocolVersion) -> Map<String, Value> {
        let changes = self.changes();
        let list = || if changes { json!({ "listChanged": true }) } else { json!({}) };
        let mut capabilities = Map::new();
        if self.has_tools() {
            capabilities.insert("tools".to_owned(), list());
        }
        if self.has_resources() {
            let resources = if changes { json!({ "listChanged": true, "subscribe": true }) } else { json!({}) };
            capabilities.insert("resources".to_owned(), resources);
        }
        if self.has_prompts() {
            capabilities.insert("prompts".to_owned(), list());
        }
        if self.completes() && version >= ProtocolVersion::V2025_03_26 {
            capabilities.insert("completions".to_owned(), json!({}));
        }
        capabilities
    }
}
