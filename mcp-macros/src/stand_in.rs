//! What an item with mistakes becomes: the errors, the item, and as much beside it that no others follow from them.
//!
//! The bodies stay, so that the compiler checks them and an editor completes in them.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{FnArg, GenericParam, Generics, Ident, Item, ItemEnum, ItemStruct, ItemUnion, PatType, Type};

use crate::attributes;
use crate::check::{awaits, is_method, sized};
use crate::errors::Errors;
use crate::expand::{tool_struct, trait_or_part};
use crate::model::{Block, BlockOptions, Function, Kind, Library, Offer, name_of};
use crate::read::without_kinds;

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
    mend(&mut function);
    if !offer.is_async {
        let tool_struct = tool_struct(&function);
        let handler = idle_handler(&function.sig.ident.to_token_stream(), offer.kind, library);
        return quote!(#errors #[allow(unused)] #function #tool_struct #handler);
    }
    let (ident, vis) = (&function.sig.ident, &function.vis);
    let handler = idle_handler(&quote!(__Handler), offer.kind, library);
    let inner = attributes::inner(&function);
    let future = offer.kind.type_name("Future", Span::call_site());
    let sig = if is_callable {
        let returns = &offer.returns;
        let parameters = function.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(PatType { attrs, pat, ty, .. }) => {
                let (ident, cfgs) = (name_of(pat)?, attrs.iter().filter(|attr| attr.path().is_ident("cfg")));
                Some(quote!(#(#cfgs)* #ident: #ty))
            }
            FnArg::Receiver(_) => None,
        });
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
pub(crate) fn server(mut block: Block, options: &BlockOptions, errors: &Errors) -> TokenStream {
    block.strip_unseen();
    while let Type::Reference(reference) = *block.parsed.self_ty {
        block.parsed.self_ty = reference.elem;
        let (generics, self_ty) = (&block.parsed.generics, &block.parsed.self_ty);
        let where_clause = &generics.where_clause;
        block.header = quote!(impl #generics #self_ty #where_clause);
    }
    let server_block = server_block(&block.parsed.generics, &block.parsed.self_ty, options);
    quote! {
        #errors
        #[allow(dead_code)]
        #block
        #server_block
    }
}

/// What stands in for an item that is no block: a type is given to a server all the same.
pub(crate) fn no_block(item: TokenStream, options: &BlockOptions, errors: &Errors) -> TokenStream {
    let server_block = match syn::parse2(item.clone()) {
        Ok(
            Item::Struct(ItemStruct { ident, generics, .. })
            | Item::Enum(ItemEnum { ident, generics, .. })
            | Item::Union(ItemUnion { ident, generics, .. }),
        ) => {
            let (_, arguments, _) = generics.split_for_impl();
            Some(server_block(&generics, &quote!(#ident #arguments), options))
        }
        _ => None,
    };
    let item = without_kinds(item);
    quote!(#errors #item #server_block)
}

fn server_block(generics: &Generics, self_ty: &impl ToTokens, options: &BlockOptions) -> TokenStream {
    let Generics { params, where_clause, .. } = generics;
    let params = params.iter().filter(|param| !matches!(param, GenericParam::Lifetime(_)));
    let self_ty = with_static(self_ty.to_token_stream());
    let where_clause = with_static(where_clause.to_token_stream());
    let library = &options.library;
    let (of_trait, vis, name) = trait_or_part(options);
    quote! {
        #[allow(dead_code)]
        impl<#(#params),*> #of_trait #self_ty #where_clause {
            #vis fn #name(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#library::__private::Offer> {
                ::core::unreachable!()
            }
        }
    }
}

/// Takes out of a function what the compiler would refuse once more.
pub(crate) fn mend(function: &mut Function) {
    function.defaultness = None;
    function.sig.constness = None;
    function.sig.abi = None;
    function.sig.variadic = None;
    if awaits(function).is_some() {
        function.sig.asyncness = Some(Default::default());
    }
    let mut names: Vec<Ident> = Vec::new();
    let inputs = std::mem::take(&mut function.sig.inputs);
    function.sig.inputs = inputs
        .into_iter()
        .filter_map(|mut input| {
            if let FnArg::Typed(parameter) = &mut input {
                if let Some(sized) = sized(&parameter.ty) {
                    *parameter.ty = sized;
                }
                let has_condition = parameter.attrs.iter().any(|attr| attr.path().is_ident("cfg"));
                if let Some(name) = name_of(&parameter.pat).filter(|_| !has_condition) {
                    if names.contains(name) {
                        return None;
                    }
                    names.push(name.clone());
                }
            }
            Some(input)
        })
        .collect();
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
