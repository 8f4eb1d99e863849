//! Prompts in the lists of a server, and how one is asked for.

use std::borrow::Cow;
use std::hash::RandomState;
use std::panic::Location;
use std::sync::Arc;

use super::Core;
use super::dispatch::{Reply, Request, begin};
use super::link::Link;
use super::outcome::Subject;
use super::prompt::Prompt;
use super::registry::{Item, Shelf};
use super::texts::Texts;
use super::tools::fault_of_name;
use crate::nearest::nearest;
use crate::protocol::{ErrorObject, Prompt as Listed, ProtocolVersion, write_prompt};

impl Item for Prompt {
    const NOUN: &'static str = "prompt";
    const LIST: &'static str = "prompts";

    type Hash = RandomState;

    fn key(&self) -> &Cow<'static, str> {
        &self.0.name
    }

    fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    fn fault(&self) -> Option<String> {
        let fault = fault_of_name(&self.0.name, Self::NOUN).or_else(|| {
            let wrong = self.0.completers.names().find(|name| !self.has_argument(name))?;
            Some(format!("has no argument `{wrong}` to complete"))
        });
        fault.or_else(|| self.0.fault.clone())
    }

    fn write(&self, out: &mut Vec<u8>, version: ProtocolVersion) {
        write_prompt(out, &Listed { name: self.0.name.to_string(), ..self.0.listed.clone() }, version);
    }
}

impl Prompt {
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.0.listed.arguments.iter().any(|argument| argument.name == name)
    }
}

impl Shelf<Prompt> {
    /// # Errors
    ///
    /// When there is no such prompt, or it is switched off.
    pub(crate) fn prompt(&self, name: &str) -> Result<&Prompt, ErrorObject> {
        self.get(name).ok_or_else(|| ErrorObject::unknown_prompt(name, nearest(name, self.items().map(Prompt::name))))
    }
}

/// Serves `prompts/get`.
pub(crate) fn get(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let name = request.params.string("name")?;
    let shelf = core.catalog.prompts.shelf();
    let prompt = shelf.prompt(&name)?;
    let values = request.params.nested("arguments")?.unwrap_or_default().strings()?;
    let values = values.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
    let subject = Subject::Other("prompt", (&*name).into());
    begin(core, link, request, subject, prompt.0.scope.clone(), |context| prompt.call(Texts::new(values), context))
}
