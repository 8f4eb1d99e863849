//! What an author's function becomes: itself, and beside it what a server registers.
//!
//! Locals have the hygiene of [`Span::mixed_site`], so that none of the author's names can clash with them. What the
//! compiler may have to complain about, a type or the call, keeps the author's place.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr, Token, Type, parse_quote};

use crate::attributes;
use crate::model::{
    Block, BlockOptions, Complete, Function, Kind, Library, Limit, Method, Offer, Parameter, ParameterOptions, Setting,
};

/// A function that stands alone.
pub(crate) fn function(offer: &Offer, function: &Function, library: &Library) -> TokenStream {
    if offer.is_async { async_function(offer, function, library) } else { plain_function(offer, function, library) }
}

/// ```text
/// #[tool]                        fn wait(seconds: u64) -> impl ToolFuture<Output = String> {
/// async fn wait(                     async fn wait(seconds: u64) -> String { … }
///     seconds: u64,         →        struct __Handler;
/// ) -> String { … }                  impl ToolHandler for __Handler { … }
///                                    tagged::<__Handler, _>(wait(seconds))
///                                }
/// ```
/// A resource and a prompt are the same with other names. The function can be called as before; the type of its future
/// says how a server calls it.
fn async_function(offer: &Offer, function: &Function, library: &Library) -> TokenStream {
    let (ident, returns, vis) = (&offer.ident, &offer.returns, &function.vis);
    let named = |Parameter { ident: name, .. }: &Parameter| {
        // A function hides what else has its name around it.
        if name == ident { free(&format!("{}_", name.unraw()), [offer]) } else { local(name) }
    };
    let parameters = offer.parameters.iter().map(|parameter| {
        let (cfgs, local, ty) = (&parameter.cfgs, named(parameter), &parameter.ty);
        quote!(#(#cfgs)* #local: #ty)
    });
    let arguments = offer.parameters.iter().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, named(parameter));
        quote!(#(#cfgs)* #local)
    });
    let (outer_attrs, inner) = (attributes::outer(&function.attrs), attributes::inner(function));
    let inner_lints = attributes::lints(function);
    // The inner function tells that already.
    let outer_lints = (offer.parameters.len() > 7).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let handler = handler(&quote!(__Handler), offer, library);
    let content = quote! {
        #inner_lints
        #inner

        struct __Handler;
        #handler

        #library::__private::tagged::<__Handler, _>(#ident(#(#arguments),*))
    };

    // All that the compiler counts as the function has the author's place: what it says of the whole, it says there.
    let mut body = Group::new(Delimiter::Brace, content);
    body.set_span(function.body.span());
    let (fn_token, span) = (&function.sig.fn_token, ident.span());
    let (library, future) = (library.at(span), offer.kind.type_name("Future", span));
    let signature = quote_spanned! {span=>
        #vis #fn_token #ident(#(#parameters),*) -> impl #library::#future<Output = #returns>
    };
    quote! {
        #(#outer_attrs)*
        #outer_lints
        #signature #body
    }
}

/// ```text
/// #[tool]                                fn add(a: f64, b: f64) -> f64 { a + b }
/// fn add(a: f64, b: f64) -> f64 {   →    struct add {}
///     a + b                              impl ToolHandler for add { … }
/// }
/// ```
/// A struct with braces has its name among the types only: `add(1.0, 2.0)` is the call, `add {}` the tool.
fn plain_function(offer: &Offer, function: &Function, library: &Library) -> TokenStream {
    let ident = &offer.ident;
    let (lints, uses) = (attributes::lints(function), &offer.lints);
    let tool_struct = tool_struct(function);
    let handler = handler(&ident.to_token_stream(), offer, library);
    quote! {
        #lints
        #function

        #tool_struct
        #(#uses)*
        #handler
    }
}

/// The struct that stands for a plain function.
pub(crate) fn tool_struct(function: &Function) -> TokenStream {
    let (ident, vis) = (&function.sig.ident, &function.vis);
    let lints = function.attrs.iter().filter_map(attributes::as_allow);
    quote! {
        #(#lints)*
        #[doc(hidden)]
        #[allow(missing_copy_implementations, missing_debug_implementations, non_camel_case_types)]
        #vis struct #ident {}
    }
}

/// ```text
/// impl ToolHandler for … {
///     fn tool() -> Tool {
///         let mut tool = Tool::builder("wait");
///         …
///         tool.handler(move |call| { …; call.run(wait(seconds), result) })
///     }
/// }
/// ```
fn handler(implementer: &TokenStream, offer: &Offer, library: &Library) -> TokenStream {
    let locals = Locals::beside(offer);
    let Locals { builder, call, result, .. } = &locals;
    let description = description(offer, &locals, library);
    let take = take(offer, &locals);
    let (ident, arguments) = (&offer.ident, arguments(offer));
    let run = if offer.is_async {
        quote_spanned!(ident.span()=> #call.run(#ident(#arguments), #result))
    } else {
        let closure = quote_spanned!(beside(ident)=> move ||);
        let function = quote_spanned!(ident.span()=> #closure #ident(#arguments));
        quote!(#call.run_blocking(#function, #result))
    };
    let kind = offer.kind;
    let (handler, describe, thing) =
        (kind.type_name("Handler", Span::call_site()), kind.describe(), kind.type_name("", Span::call_site()));
    quote! {
        #[automatically_derived]
        impl #library::__private::#handler for #implementer {
            fn #describe() -> #library::#thing {
                #description
                #builder.handler(move |#call| {
                    #take
                    #run
                })
            }
        }
    }
}

/// ```text
/// #[server]                         impl Shop { async fn refund(&self, id: String) { … } }
/// impl Shop {                       impl ServerBlock for Shop {
///     #[tool]                  →        fn offers(self: Arc<Self>) -> Vec<Offer> { … }
///     async fn refund(…) {…}        }
/// }
/// ```
/// A block that is a part has a method in the place of the trait, and the block that lists it calls that.
pub(crate) fn server(block: &Block, offers: &[Offer], options: &BlockOptions) -> TokenStream {
    let vec = free("offers", offers);
    let methods = offers.iter().map(|offer| method(offer, &vec, &options.library));
    let parts = options.parts.iter().map(|part| {
        let call = quote_spanned!(part.span()=> Self::#part(::core::clone::Clone::clone(&self)));
        quote!(#vec.extend(#call);)
    });
    let body = quote! {
        let mut #vec = ::std::vec::Vec::new();
        #(#methods)*
        #(#parts)*
        #vec
    };
    let server_block = server_block(block, &body, options);
    quote! {
        #block
        #server_block
    }
}

/// ```text
/// {
///     let mut tool = Tool::builder("refund");
///     …
///     let this = Clone::clone(&self);
///     offers.push(Offer::Tool(tool.handler(move |call| {
///         …
///         let this = Clone::clone(&this);
///         call.run(async move { Self::refund(&this, id).await }, result)
///     })));
/// }
/// ```
/// A path finds the author's method also where an `Arc` or a trait has one of its name, such as `clone`.
fn method(offer: &Offer, vec: &Ident, library: &Library) -> TokenStream {
    let locals = Locals::beside(offer);
    let Locals { builder, call, result, this } = &locals;
    let description = description(offer, &locals, library);
    let take = take(offer, &locals);
    let variant = offer.kind.type_name("", Span::call_site());
    let (ident, arguments, cfgs, lints) = (&offer.ident, arguments(offer), &offer.cfgs, &offer.lints);
    let run = if offer.is_async {
        quote_spanned!(ident.span()=> #call.run(async move { Self::#ident(&#this, #arguments).await }, #result))
    } else {
        let closure = quote_spanned!(beside(ident)=> move ||);
        let function = quote_spanned!(ident.span()=> #closure Self::#ident(&#this, #arguments));
        quote!(#call.run_blocking(#function, #result))
    };
    quote! {
        #(#cfgs)*
        #(#lints)*
        {
            #description
            let #this = ::core::clone::Clone::clone(&self);
            #vec.push(#library::__private::Offer::#variant(#builder.handler(move |#call| {
                #take
                let #this = ::core::clone::Clone::clone(&#this);
                #run
            })));
        }
    }
}

/// `impl ServerBlock for …`, with the generics of the block, or `impl …` of a part.
fn server_block(block: &Block, body: &TokenStream, options: &BlockOptions) -> TokenStream {
    let library = &options.library;
    let self_ty = &block.parsed.self_ty;
    let mut generics = block.parsed.generics.clone();
    // Threads share the server. The lifetime is there to make this a condition, which the compiler looks at once,
    // where the server is used; without a lifetime it would be a claim, which fails here and again at each tool.
    let conditions = &mut generics.make_where_clause().predicates;
    conditions.push(parse_quote!(for<'a> #self_ty: ::core::marker::Send + ::core::marker::Sync));
    if block.parsed.generics.type_params().next().is_some() {
        conditions.push(parse_quote!(#self_ty: 'static));
    }
    let (generics, _, where_clause) = generics.split_for_impl();
    let (of_trait, vis, name) = trait_or_part(options);
    let derived = options.part.is_none().then(|| quote!(#[automatically_derived]));
    let lints = block.parsed.attrs.iter().chain(&block.inner_attrs).filter_map(attributes::as_allow);
    quote! {
        #derived
        #(#lints)*
        impl #generics #of_trait #self_ty #where_clause {
            #vis fn #name(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#library::__private::Offer> {
                #body
            }
        }
    }
}

/// What a block implements, and the method that gives what it offers, with its visibility.
pub(crate) fn trait_or_part(options: &BlockOptions) -> (TokenStream, TokenStream, Ident) {
    let library = &options.library;
    match &options.part {
        None => {
            (quote!(#library::__private::ServerBlock for), TokenStream::new(), Ident::new("offers", Span::call_site()))
        }
        Some(part) => (TokenStream::new(), quote!(pub(crate)), part.clone()),
    }
}

/// ```text
/// let mut tool = Tool::builder("wait");
/// tool.description("Wait.");
/// let seconds = tool.parameter::<u64, _>("seconds", "How long.");
/// let result = tool.returns::<String>();
/// ```
fn description(offer: &Offer, locals: &Locals, library: &Library) -> TokenStream {
    let Locals { builder, result, .. } = locals;
    // The server names this place when it refuses what is offered.
    let span = offer.ident.span();
    let (library, thing, name) =
        (library.at(span), offer.kind.type_name("", span), LitStr::new(&offer.name.text, span));
    let new = match &offer.address {
        None => quote_spanned!(span=> #library::#thing::builder(#name)),
        Some(address) => {
            let address = LitStr::new(&address.text, span);
            quote_spanned!(span=> #library::#thing::builder(#address))
        }
    };
    let name = offer.address.iter().map(|_| quote!(#builder.name(#name);));
    let title = offer.title.iter();
    let text = offer.description.iter();
    let missing = (offer.kind == Kind::Tool && offer.description.is_none())
        .then(|| quote_spanned!(span=> .without_description()))
        .map(|call| quote!(#builder #call;));
    let settings = offer.settings.iter().map(|Setting { method, arguments }| {
        // What may panic does so at the author's line.
        let call = quote_spanned!(method.span().resolved_at(Span::mixed_site())=> .#method(#arguments));
        quote!(#builder #call;)
    });
    let parameters = offer.parameters.iter().map(|parameter| declaration(offer, parameter, locals));
    let returns = &offer.returns;
    let returns = quote_spanned!(returns.span()=> .returns::<#returns>());
    quote! {
        let mut #builder = #new;
        #(#name)*
        #(#builder.title(#title);)*
        #(#builder.description(#text);)*
        #missing
        #(#settings)*
        #(#parameters)*
        let #result = #builder #returns;
    }
}

/// ```text
/// let seconds = tool.parameter::<u64, _>("seconds", "How long.");
/// tool.header::<u64>(seconds, "Seconds");
/// let id = resource.variable::<u32, _>("id");
/// let ctx = resource.extract::<Context>();
/// ```
fn declaration(offer: &Offer, parameter: &Parameter, locals: &Locals) -> TokenStream {
    let Parameter { ident, ty, description, options, cfgs } = parameter;
    let ParameterOptions { default, title, complete, raw, header, flatten, limits } = options;
    let builder = &locals.builder;
    let (local, name) = (local(ident), ident.unraw().to_string());
    let description = description.clone().unwrap_or_else(|| quote!(""));
    let json = default.as_ref().map(|default| match default.json() {
        Some(json) => quote!(::core::option::Option::Some(#json)),
        None => quote!(::core::option::Option::None),
    });
    let default = default.as_ref().map(|default| default.function(ty));
    let is_variable = offer.address.as_ref().is_none_or(|address| address.has(parameter));
    let declare = match (offer.kind, default) {
        (Kind::Tool, _) if flatten.is_some() => quote_spanned!(ty.span()=> .flatten::<#ty>()),
        (Kind::Tool, None) if repeats(offer, parameter) => {
            quote_spanned!(ty.span()=> .another::<#ty, _>(#name, #description))
        }
        (Kind::Tool | Kind::Prompt, None) => quote_spanned!(ty.span()=> .parameter::<#ty, _>(#name, #description)),
        (Kind::Tool, Some(default)) => {
            quote_spanned!(ty.span()=> .parameter_or::<#ty, _>(#name, #description, #default, #json))
        }
        (Kind::Prompt, Some(default)) => {
            quote_spanned!(ty.span()=> .parameter_or::<#ty, _>(#name, #description, #default))
        }
        (Kind::Resource, _) if !is_variable => quote_spanned!(ty.span()=> .extract::<#ty>()),
        (Kind::Resource, None) => quote_spanned!(ty.span()=> .variable::<#ty, _>(#name)),
        (Kind::Resource, Some(default)) => quote_spanned!(ty.span()=> .variable_or::<#ty, _>(#name, #default)),
    };
    let title = title.iter().map(|title| quote!(#(#cfgs)* #builder.argument_title(#name, #title);));
    let raw = raw.iter().map(|_| quote!(#(#cfgs)* #builder.raw(#name);));
    let header = header.iter().map(|header| {
        let call = quote_spanned!(ty.span()=> .header::<#ty>(#local, #header));
        quote!(#(#cfgs)* #builder #call;)
    });
    let limits = limits.iter().map(|Limit { option, keyword, value }| {
        let call =
            quote_spanned!(option.span().resolved_at(Span::mixed_site())=> .limit::<#ty>(#local, #keyword, #value));
        quote!(#(#cfgs)* #builder #call;)
    });
    let complete = complete.iter().map(|complete| {
        let call = match complete {
            Complete::Function(function) => quote_spanned!(function.span()=> .complete(#name, #function)),
            Complete::Method(method) => {
                let function = completing_method(method, locals);
                quote_spanned!(method.span()=> .complete(#name, #function))
            }
        };
        quote!(#(#cfgs)* #builder #call;)
    });
    quote! {
        #(#cfgs)* let #local = #builder #declare;
        #(#title)*
        #(#raw)*
        #(#header)*
        #(#limits)*
        #(#complete)*
    }
}

/// Whether an earlier parameter has this type, and it is probably one that comes from the call and is taken once: the
/// trait decides.
fn repeats(offer: &Offer, parameter: &Parameter) -> bool {
    let is_before = |other: &&Parameter| other.ident != parameter.ident;
    let text = |parameter: &Parameter| parameter.ty.to_token_stream().to_string();
    let is_same = |other: &Parameter| other.cfgs.is_empty() && text(other) == text(parameter);
    let may_be_extractor = match &parameter.ty {
        Type::Path(ty) => {
            ty.path.segments.last().is_some_and(|last| ["Context", "State"].iter().any(|name| last.ident == name))
        }
        _ => false,
    };
    may_be_extractor && parameter.cfgs.is_empty() && offer.parameters.iter().take_while(is_before).any(is_same)
}

/// ```text
/// {
///     let this = Clone::clone(&self);
///     move |call: String| {
///         let this = Clone::clone(&this);
///         async move { Self::names(&this, call).await }
///     }
/// }
/// ```
fn completing_method(method: &Method, locals: &Locals) -> TokenStream {
    let Method { path, takes, is_async } = method;
    let Locals { this, call, .. } = locals;
    let span = method.span();
    let run = if *is_async {
        quote_spanned! {span=>
            {
                let #this = ::core::clone::Clone::clone(&#this);
                async move { #path(&#this, #call).await }
            }
        }
    } else {
        quote_spanned!(span=> #path(&#this, #call))
    };
    quote_spanned! {span=>
        {
            let #this = ::core::clone::Clone::clone(&self);
            move |#call: #takes| #run
        }
    }
}

/// ```text
/// let seconds = seconds.take(call);
/// let ctx = ctx.take(call);
/// let (Some(seconds), Some(ctx)) = (seconds, ctx) else { return call.refuse() };
/// ```
/// All are taken before one is missed, so that the caller learns of all faults at once.
fn take(offer: &Offer, locals: &Locals) -> TokenStream {
    let call = &locals.call;
    let takes = offer.parameters.iter().map(|Parameter { ident, cfgs, .. }| {
        let local = local(ident);
        quote!(#(#cfgs)* let #local = #local.take(#call);)
    });
    // A pattern has no place for a `cfg`: what has one is a statement of its own.
    let (always, sometimes): (Vec<_>, Vec<_>) =
        offer.parameters.iter().partition(|parameter| parameter.cfgs.is_empty());
    let always: Vec<Ident> = always.iter().map(|parameter| local(&parameter.ident)).collect();
    let always = match &always[..] {
        [] => None,
        [local] => Some(quote!(let ::core::option::Option::Some(#local) = #local else { return #call.refuse() };)),
        locals => Some(quote! {
            let (#(::core::option::Option::Some(#locals)),*) = (#(#locals),*) else { return #call.refuse() };
        }),
    };
    let sometimes = sometimes.iter().map(|Parameter { ident, cfgs, .. }| {
        let local = local(ident);
        quote!(#(#cfgs)* let ::core::option::Option::Some(#local) = #local else { return #call.refuse() };)
    });
    quote! {
        #(#takes)*
        #always
        #(#sometimes)*
    }
}

/// What is passed to the author's function.
fn arguments(offer: &Offer) -> Punctuated<TokenStream, Token![,]> {
    let argument = |parameter: &Parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(&parameter.ident));
        quote!(#(#cfgs)* #local)
    };
    offer.parameters.iter().map(argument).collect()
}

/// The locals of an expansion that are no parameters. Each has the first name that no parameter has.
struct Locals {
    builder: Ident,
    call: Ident,
    result: Ident,
    this: Ident,
}

impl Locals {
    fn beside(offer: &Offer) -> Self {
        let free = |name| free(name, [offer]);
        Self { builder: free(offer.kind.word()), call: free("call"), result: free("result"), this: free("this") }
    }
}

/// A local that has the first name that no parameter has.
fn free<'a>(name: &str, offers: impl IntoIterator<Item = &'a Offer> + Copy) -> Ident {
    let mut name = name.to_owned();
    while offers.into_iter().flat_map(|offer| &offer.parameters).any(|parameter| parameter.is_called(&name)) {
        name.push('_');
    }
    Ident::new(&name, Span::mixed_site())
}

/// The local for a parameter: named and placed like it.
fn local(parameter: &Ident) -> Ident {
    let mut local = parameter.clone();
    local.set_span(beside(parameter));
    local
}

/// The place of a name, for what is not the author's.
fn beside(ident: &Ident) -> Span {
    Span::mixed_site().located_at(ident.span())
}
