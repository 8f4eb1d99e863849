//! The attributes as functions from tokens to tokens: read, check, expand.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::check::{self, Place};
use crate::errors::Errors;
use crate::model::{Kind, Offer};
use crate::{attributes, expand, options, read, stand_in};

/// `#[tool]`, `#[resource]` or `#[prompt]`, on a function that stands alone.
pub(crate) fn function(kind: Kind, attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    // What the attribute lacks is missing at the attribute, which is the place of the call.
    let options = options::offer(kind, attr, Span::call_site(), None, &mut errors);
    let library = options.library.clone();
    let Some(mut function) = read::function(kind, item.clone(), &mut errors) else {
        let item = read::without_kinds(item);
        return quote!(#errors #item);
    };
    read::once(kind, &function.attrs, 0, &mut errors);
    let offer = read::offer(kind, &function, options, &mut errors);
    check::offer(&offer, &mut errors);
    let is_callable = check::function(&function, &offer, Place::Alone, &mut errors);
    function.strip();
    if errors.is_empty() {
        expand::function(&offer, &function, &library)
    } else {
        stand_in::function(&offer, function, is_callable, &library, &errors)
    }
}

/// `#[server]`, on an `impl` block.
pub(crate) fn server(attr: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let library = options::server(attr, &mut errors);
    let Some(mut block) = read::block(item.clone(), &mut errors) else {
        let item = read::without_kinds(item);
        return quote!(#errors #item);
    };
    let mut offers: Vec<Offer> = Vec::new();
    for function in block.offers() {
        let Some(offer) = read::method(&block, function, &library, &mut errors) else { continue };
        check::offer(&offer, &mut errors);
        check::function(function, &offer, Place::Server, &mut errors);
        offers.push(offer);
    }
    check::block(&block, &offers, &mut errors);
    for function in block.offers_mut() {
        let lints = attributes::lints(function);
        function.strip();
        function.attrs.splice(0..0, lints);
    }
    if errors.is_empty() {
        expand::server(&block, &offers, &library)
    } else {
        stand_in::server(block, &library, &errors)
    }
}
