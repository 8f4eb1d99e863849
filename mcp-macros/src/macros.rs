//! The attributes as functions from tokens to tokens: read, check, expand.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Ident;

use crate::check::{self, Place};
use crate::errors::Errors;
use crate::model::{Kind, Offer};
use crate::{attributes, expand, options, read, stand_in};

/// `#[tool]`, `#[resource]` or `#[prompt]`, on a function that stands alone.
pub(crate) fn function(kind: Kind, attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    // What the attribute lacks is missing at the attribute, which is the place of the call.
    let at = Span::call_site();
    let options = if is_key_and_value(at) {
        errors.leave_to_the_compiler();
        options::offer(kind, TokenStream::new(), at, None, &mut Errors::default())
    } else {
        options::offer(kind, attr, at, None, &mut errors)
    };
    let library = options.library.clone();
    let Some(mut function) = read::function(kind, item.clone(), &mut errors) else {
        let item = read::without_kinds(item);
        return quote!(#errors #item);
    };
    read::once(kind, &function.attrs, 0, &mut errors);
    let offer = read::offer(kind, &function, options, &mut errors);
    if !errors.is_told() {
        check::offer(&offer, &mut errors);
    }
    let is_callable = check::function(&function, &offer, Place::Alone, &mut errors);
    function.strip();
    if errors.is_clean() {
        expand::function(&offer, &function, &library)
    } else {
        stand_in::function(&offer, function, is_callable, &library, &errors)
    }
}

/// `#[server]`, on an `impl` block.
pub(crate) fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = options::server(attr, &mut errors);
    let Some(mut block) = read::block(item.clone(), &mut errors) else {
        return stand_in::no_block(item, &options, &errors);
    };
    let mut offers: Vec<Offer> = Vec::new();
    for function in block.offers() {
        let Some(offer) = read::method(&block, function, &options.library, &mut errors) else { continue };
        check::offer(&offer, &mut errors);
        check::function(function, &offer, Place::Server, &mut errors);
        offers.push(offer);
    }
    check::block(&block, &options, &offers, &mut errors);
    let completing: Vec<Ident> = offers.iter().flat_map(Offer::completing_methods).cloned().collect();
    for function in block.functions_mut() {
        // An offer has its own.
        if function.kind().is_some() || !completing.contains(&function.sig.ident) {
            continue;
        }
        function.attrs.splice(0..0, attributes::lints(function));
    }
    for function in block.offers_mut() {
        let lints = attributes::lints(function);
        if !errors.is_clean() {
            stand_in::mend(function);
        }
        function.strip();
        function.attrs.splice(0..0, lints);
    }
    if errors.is_clean() {
        expand::server(&block, &offers, &options)
    } else {
        stand_in::server(block, &options, &errors)
    }
}

/// Whether the attribute is written `#[tool = "…"]`, which the compiler refuses by itself, and still passes on.
fn is_key_and_value(attribute: Span) -> bool {
    let text = attribute.source_text().unwrap_or_default();
    let inside = text.trim_start_matches("#[");
    inside.find(['=', '(', '[', '{']).is_some_and(|end| inside[end..].starts_with('='))
}
