//! What an item with mistakes becomes: the errors, the item, and as much beside it that no others follow from them.
//!
//! The bodies stay, so that the compiler checks them and an editor completes in them.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Ident};

use crate::attributes;
use crate::check::is_method;
use crate::errors::Errors;
use crate::expand::tool_struct;
use crate::model::{Block, Function, Kind, Library, Offer, Parameter};

/// What stands in for a function. `is_callable` says whether its callers can go on calling it like this.
pub(crate) fn function(
    offer: &Offer,
    mut function: Function,
    is_callable: bool,
    library: &Library,
    errors: &Errors,
) -> TokenStream {
    if is_method(&function) {
        return quote!(#errors #function);
    }
    function.sig.constness = None;
    function.sig.abi = None;
    function.sig.variadic = None;
    let (ident, vis) = (&function.sig.ident, &function.vis);
    if !offer.is_async {
        let tool_struct = tool_struct(&function);
        let handler = idle_handler(&ident.to_token_stream(), offer.kind, library);
        return quote!(#errors #[allow(unused)] #function #tool_struct #handler);
    }
    let handler = idle_handler(&quote!(__Handler), offer.kind, library);
    let inner = attributes::inner(&function);
    let future = offer.kind.type_name("Future", Span::call_site());
    let sig = if is_callable {
        let returns = &offer.returns;
        let parameters = offer.parameters.iter().map(|Parameter { ident, ty, .. }| quote!(#ident: #ty));
        quote!(#ident(#(#parameters),*) -> impl #library::#future<Output = #returns>)
    } else {
        quote!(#ident() -> impl #library::#future<Output = ()>)
    };
    quote! {
        #errors
        #[allow(unused)]
        #vis fn #sig {
            #inner
            struct __Handler;
            #handler
            #library::__private::tagged::<__Handler, _>(::core::future::pending())
        }
    }
}

/// What stands in for a block.
pub(crate) fn server(mut block: Block, library: &Library, errors: &Errors) -> TokenStream {
    block.strip_unseen();
    let Generics { params, where_clause, .. } = &block.parsed.generics;
    let params = params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let self_ty = with_static(block.parsed.self_ty.to_token_stream());
    let where_clause = with_static(where_clause.to_token_stream());
    quote! {
        #errors
        #[allow(dead_code)]
        #block
        impl<#(#params),*> #library::__private::OfferSet for #self_ty #where_clause {
            fn offers(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#library::__private::Offer> {
                ::core::unreachable!()
            }
        }
    }
}

fn idle_handler(implementer: &TokenStream, kind: Kind, library: &Library) -> TokenStream {
    let (handler, describe, thing) =
        (kind.type_name("Handler", Span::call_site()), kind.describe(), kind.type_name("", Span::call_site()));
    quote! {
        impl #library::__private::#handler for #implementer {
            fn #describe() -> #library::#thing {
                ::core::unreachable!()
            }
        }
    }
}

/// Every lifetime as `'static`.
fn with_static(tokens: TokenStream) -> TokenStream {
    let mut is_lifetime = false;
    let replace = |token| match token {
        TokenTree::Ident(ident) if is_lifetime => {
            is_lifetime = false;
            TokenTree::Ident(Ident::new("static", ident.span()))
        }
        TokenTree::Group(group) => {
            let mut replaced = Group::new(group.delimiter(), with_static(group.stream()));
            replaced.set_span(group.span());
            TokenTree::Group(replaced)
        }
        token => {
            is_lifetime = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            token
        }
    };
    tokens.into_iter().map(replace).collect()
}
