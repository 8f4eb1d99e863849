//! Resources in the lists of a server, and how an address finds the one that it belongs to.

use std::borrow::Cow;
use std::hash::RandomState;
use std::panic::Location;
use std::sync::Arc;

use super::Core;
use super::dispatch::{Reply, Request, begin};
use super::link::Link;
use super::outcome::Subject;
use super::registry::{Item, Shelf};
use super::resource::{Fixed, Resource, Template};
use super::texts::Texts;
use super::uri_template::Matched;
use crate::protocol::{ErrorObject, ProtocolVersion, Resource as Listed, write_resource, write_resource_template};

impl Item for Fixed {
    const NOUN: &'static str = "resource";
    const LIST: &'static str = "resources";

    type Hash = RandomState;

    fn key(&self) -> &Cow<'static, str> {
        &self.0.0.uri
    }

    fn location(&self) -> &'static Location<'static> {
        self.0.0.location
    }

    fn fault(&self) -> Option<String> {
        self.0.0.fault.clone()
    }

    fn write(&self, out: &mut Vec<u8>, version: ProtocolVersion) {
        let parts = &self.0.0;
        write_resource(out, &Listed { uri: parts.uri.to_string(), ..parts.listed.clone() }, version);
    }
}

impl Item for Template {
    const NOUN: &'static str = "resource template";
    const LIST: &'static str = "resourceTemplates";

    type Hash = RandomState;

    fn key(&self) -> &Cow<'static, str> {
        &self.0.0.uri
    }

    fn location(&self) -> &'static Location<'static> {
        self.0.0.location
    }

    fn fault(&self) -> Option<String> {
        self.0.0.fault.clone()
    }

    fn write(&self, out: &mut Vec<u8>, version: ProtocolVersion) {
        write_resource_template(out, &self.0.listed_template(), version);
    }
}

impl Shelf<Template> {
    /// The first template that an address fits, and its variables.
    pub(crate) fn template_of<'u>(&self, uri: &'u str) -> Option<(&Template, Vec<Matched<'_, 'u>>)> {
        self.items().find_map(|template| Some((template, template.0.0.template.as_ref()?.matches(uri)?)))
    }
}

/// No address is longer than this.
const LONGEST: usize = 64 * 1024;

/// Serves `resources/read`: "exact resources first, then templates" in the order in which they were added.
pub(crate) fn read(core: &Arc<Core>, link: &Link, request: &Request<'_>) -> Result<Reply, ErrorObject> {
    let uri = request.params.string("uri")?;
    if uri.len() > LONGEST {
        let text = format!("`params.uri` is longer than the limit of {LONGEST} bytes");
        return Err(ErrorObject::invalid_params(text));
    }
    let fixed = core.catalog.resources.shelf();
    let templates = core.catalog.templates.shelf();
    let (resource, values) = match fixed.get(&uri) {
        Some(fixed) => (&fixed.0, Texts::default()),
        None => {
            let Some((template, values)) = templates.template_of(&uri) else {
                return Err(ErrorObject::resource_not_found(&uri, request.version));
            };
            let safe = safe(&template.0, values);
            (&template.0, safe.map_err(|error| error.with_data(serde_json::json!({ "uri": uri })))?)
        }
    };
    let subject = Subject::Other("resource", (&*uri).into());
    begin(core, link, request, subject, resource.0.scope.clone(), |context| resource.call(&uri, values, context))
}

/// The values for a handler, unless one of them is dangerous and the author did not ask for such.
fn safe<'u>(resource: &Resource, values: Vec<Matched<'_, 'u>>) -> Result<Texts<'u>, ErrorObject> {
    let mut texts = Vec::with_capacity(values.len());
    for matched in values {
        let name = matched.name;
        if !resource.0.raw.iter().any(|raw| raw == name)
            && let Some(reason) = matched.unsafe_reason()
        {
            return Err(ErrorObject::invalid_params(format!(
                "the variable `{name}` of `params.uri` is refused: {reason}"
            )));
        }
        if let Some(value) = matched.value {
            texts.push((Cow::Owned(name.to_owned()), value));
        }
    }
    Ok(Texts::new(texts))
}
