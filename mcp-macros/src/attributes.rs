//! The attributes of an author's function: which of them an expansion keeps, and where.

use syn::punctuated::Punctuated;
use syn::{Attribute, FnArg, Meta, Path, Token, Visibility, parse_quote};

use crate::check::mentions;
use crate::model::Function;

/// The attributes of the function that the author calls.
pub(crate) fn outer(attrs: &[Attribute]) -> Vec<Attribute> {
    let is_outer = |attr: &Attribute| ["cfg", "deprecated", "doc"].iter().any(|name| attr.path().is_ident(name));
    attrs
        .iter()
        .filter_map(|attr| match attr {
            attr if is_outer(attr) => Some(attr.clone()),
            attr if is_about_the_outside(attr) => Some(attr.clone()),
            attr => as_allow(attr),
        })
        .collect()
}

/// The function itself, inside of the one that the author calls.
pub(crate) fn inner(function: &Function) -> Function {
    let mut attrs = Vec::new();
    for attr in &function.attrs {
        if attr.path().is_ident("expect") && is_about_the_outside(attr) {
            attrs.extend(as_allow(attr));
        } else if !["doc", "deprecated"].iter().any(|name| attr.path().is_ident(name)) {
            attrs.push(attr.clone());
        }
    }
    Function { attrs, vis: Visibility::Inherited, ..function.clone() }
}

/// A lint level as it is for the other half of an item: what one half is expected to do, the other may.
pub(crate) fn as_allow(attr: &Attribute) -> Option<Attribute> {
    match &attr.meta {
        Meta::List(list) if list.path.is_ident("expect") => {
            let lints = &list.tokens;
            Some(parse_quote!(#[allow(#lints)]))
        }
        Meta::List(list) if ["allow", "warn", "deny", "forbid"].iter().any(|name| list.path.is_ident(name)) => {
            Some(attr.clone())
        }
        _ => None,
    }
}

/// What the author allows to the function goes for the generated code that uses it, too.
pub(crate) fn for_uses(attrs: &[Attribute]) -> Vec<Attribute> {
    let is = |attr: &Attribute, name: &str| attr.path().is_ident(name);
    let allows = |attr: &&Attribute| is(attr, "allow") || is(attr, "expect") && !is_about_the_outside(attr);
    let allowed = attrs.iter().filter(allows).filter_map(as_allow);
    let deprecated = attrs.iter().filter(|attr| is(attr, "deprecated")).map(|_| parse_quote!(#[allow(deprecated)]));
    allowed.chain(deprecated).collect()
}

/// Whether this is an `#[expect(…)]` of a lint that looks at a function from outside.
fn is_about_the_outside(attr: &Attribute) -> bool {
    attr.path().is_ident("expect")
        && attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).is_ok_and(|lints| {
            lints.iter().any(|lint| {
                ["dead_code", "missing_docs", "unreachable_pub"].iter().any(|name| lint.path().is_ident(name))
            })
        })
}

/// Silences the lints that ask of a function what a tool can't do: to borrow what it is given, to be no `async fn`
/// (which would then run on a thread of its own), to do without `self`.
pub(crate) fn lints(function: &Function) -> Option<Attribute> {
    let sig = &function.sig;
    let mut lints: Vec<Path> = Vec::new();
    if sig.asyncness.is_none() && sig.inputs.iter().any(|input| matches!(input, FnArg::Typed(_))) {
        lints.push(parse_quote!(clippy::needless_pass_by_value));
    }
    if sig.asyncness.is_some() && !mentions(&function.body, "await") {
        lints.push(parse_quote!(clippy::unused_async));
    }
    if sig.receiver().is_some() && !mentions(&function.body, "self") {
        lints.push(parse_quote!(clippy::unused_self));
    }
    (!lints.is_empty()).then(|| parse_quote!(#[allow(#(#lints),*)]))
}
