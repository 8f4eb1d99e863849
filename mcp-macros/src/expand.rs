//! What an author's function becomes: itself, and beside it what a server registers.
//!
//! Locals have the hygiene of [`Span::mixed_site`], so that none of the author's names can clash with them. What the
//! compiler may have to complain about, a type or the call, keeps the author's place.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Ident, LitStr, Token, parse_quote};

use crate::attributes;
use crate::model::{Annotation, Block, Function, Library, Parameter, Tool};

/// A function that stands alone.
pub(crate) fn function(tool: &Tool, function: &Function, library: &Library) -> TokenStream {
    if tool.is_async { async_function(tool, function, library) } else { plain_function(tool, function, library) }
}

/// ```text
/// #[tool]                        fn wait(seconds: u64) -> impl ToolFuture<Output = String> {
/// async fn wait(                     async fn wait(seconds: u64) -> String { … }
///     seconds: u64,         →        struct __Handler;
/// ) -> String { … }                  impl ToolHandler for __Handler { … }
///                                    tagged::<__Handler, _>(wait(seconds))
///                                }
/// ```
/// The function can be called as before; the type of its future says how a server calls it.
fn async_function(tool: &Tool, function: &Function, library: &Library) -> TokenStream {
    let (ident, returns, vis) = (&tool.ident, &tool.returns, &function.vis);
    let named = |Parameter { ident: name, .. }: &Parameter| {
        // A function hides what else has its name around it.
        if name == ident { private(&format!("{}_", name.unraw())) } else { local(name) }
    };
    let parameters = tool.parameters.iter().map(|parameter| {
        let (cfgs, local, ty) = (&parameter.cfgs, named(parameter), &parameter.ty);
        quote!(#(#cfgs)* #local: #ty)
    });
    let arguments = tool.parameters.iter().map(|parameter| {
        let (cfgs, local) = (&parameter.cfgs, named(parameter));
        quote!(#(#cfgs)* #local)
    });
    let (outer_attrs, inner) = (attributes::outer(&function.attrs), attributes::inner(function));
    let inner_lints = attributes::lints(function);
    // The inner function tells that already.
    let outer_lints = (tool.parameters.len() > 7).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let handler = handler(&quote!(__Handler), tool, library);
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
    let library = library.at(span);
    let signature = quote_spanned! {span=>
        #vis #fn_token #ident(#(#parameters),*) -> impl #library::ToolFuture<Output = #returns>
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
fn plain_function(tool: &Tool, function: &Function, library: &Library) -> TokenStream {
    let ident = &tool.ident;
    let (lints, uses) = (attributes::lints(function), &tool.lints);
    let tool_struct = tool_struct(function);
    let handler = handler(&ident.to_token_stream(), tool, library);
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
fn handler(implementer: &TokenStream, tool: &Tool, library: &Library) -> TokenStream {
    let locals = Locals::beside(&tool.parameters);
    let Locals { tool: builder, call, result, .. } = &locals;
    let description = description(tool, &locals, library);
    let take = take(tool, &locals);
    let (ident, arguments) = (&tool.ident, arguments(tool));
    let run = if tool.is_async {
        quote_spanned!(ident.span()=> #call.run(#ident(#arguments), #result))
    } else {
        let closure = quote_spanned!(beside(ident)=> move ||);
        let function = quote_spanned!(ident.span()=> #closure #ident(#arguments));
        quote!(#call.run_blocking(#function, #result))
    };
    quote! {
        #[automatically_derived]
        impl #library::__private::ToolHandler for #implementer {
            fn tool() -> #library::Tool {
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
/// impl Shop {                       impl ToolSet for Shop {
///     #[tool]                  →        fn tools(self: Arc<Self>) -> Vec<Tool> { … }
///     async fn refund(…) {…}        }
/// }
/// ```
pub(crate) fn server(block: &Block, tools: &[Tool], library: &Library) -> TokenStream {
    let vec = private("tools");
    let methods = tools.iter().map(|tool| method(tool, &vec, library));
    let body = quote! {
        let mut #vec = ::std::vec::Vec::new();
        #(#methods)*
        #vec
    };
    let tool_set = tool_set(block, &body, library);
    quote! {
        #block
        #tool_set
    }
}

/// ```text
/// {
///     let mut tool = Tool::builder("refund");
///     …
///     let this = Clone::clone(&self);
///     tools.push(tool.handler(move |call| {
///         …
///         let this = Clone::clone(&this);
///         call.run(async move { this.refund(id).await }, result)
///     }));
/// }
/// ```
fn method(tool: &Tool, vec: &Ident, library: &Library) -> TokenStream {
    let locals = Locals::beside(&tool.parameters);
    let Locals { tool: builder, call, result, this } = &locals;
    let description = description(tool, &locals, library);
    let take = take(tool, &locals);
    let (ident, arguments, cfgs, lints) = (&tool.ident, arguments(tool), &tool.cfgs, &tool.lints);
    let run = if tool.is_async {
        quote_spanned!(ident.span()=> #call.run(async move { #this.#ident(#arguments).await }, #result))
    } else {
        let closure = quote_spanned!(beside(ident)=> move ||);
        let function = quote_spanned!(ident.span()=> #closure #this.#ident(#arguments));
        quote!(#call.run_blocking(#function, #result))
    };
    quote! {
        #(#cfgs)*
        #(#lints)*
        {
            #description
            let #this = ::core::clone::Clone::clone(&self);
            #vec.push(#builder.handler(move |#call| {
                #take
                let #this = ::core::clone::Clone::clone(&#this);
                #run
            }));
        }
    }
}

/// `impl ToolSet for …`, with the generics of the block.
fn tool_set(block: &Block, body: &TokenStream, library: &Library) -> TokenStream {
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
    quote! {
        #[automatically_derived]
        impl #generics #library::__private::ToolSet for #self_ty #where_clause {
            fn tools(self: ::std::sync::Arc<Self>) -> ::std::vec::Vec<#library::Tool> {
                #body
            }
        }
    }
}

/// ```text
/// let mut tool = Tool::builder("wait");
/// tool.description("Wait.");
/// let seconds = tool.parameter::<u64, _>("seconds", "How long.");
/// let result = tool.returns::<String>();
/// ```
fn description(tool: &Tool, locals: &Locals, library: &Library) -> TokenStream {
    let Locals { tool: builder, result, .. } = locals;
    // The server names this place when it refuses the tool.
    let span = tool.ident.span();
    let (library, name) = (library.at(span), LitStr::new(&tool.name.text, span));
    let new = quote_spanned!(span=> #library::Tool::builder(#name));
    let title = tool.title.iter();
    let text = tool.description.iter();
    let annotations = tool.annotations.iter().map(|Annotation { name, value }| quote!(#builder.#name(#value);));
    let timeout = tool.timeout.iter();
    let parameters = tool.parameters.iter().map(|parameter| {
        let Parameter { ident, ty, description, default, cfgs } = parameter;
        let (local, name) = (local(ident), ident.unraw().to_string());
        let description = description.clone().unwrap_or_else(|| quote!(""));
        let declare = match default {
            None => quote_spanned!(ty.span()=> .parameter::<#ty, _>(#name, #description)),
            Some(default) => {
                let json = match default.json() {
                    Some(json) => quote!(::core::option::Option::Some(#json)),
                    None => quote!(::core::option::Option::None),
                };
                let default = default.function(ty);
                quote_spanned!(ty.span()=> .parameter_or::<#ty, _>(#name, #description, #default, #json))
            }
        };
        quote!(#(#cfgs)* let #local = #builder #declare;)
    });
    let returns = &tool.returns;
    let returns = quote_spanned!(returns.span()=> .returns::<#returns>());
    quote! {
        let mut #builder = #new;
        #(#builder.title(#title);)*
        #(#builder.description(#text);)*
        #(#annotations)*
        #(#builder.timeout(#timeout);)*
        #(#parameters)*
        let #result = #builder #returns;
    }
}

/// ```text
/// let seconds = seconds.take(call);
/// let ctx = ctx.take(call);
/// let (Some(seconds), Some(ctx)) = (seconds, ctx) else { return call.refuse() };
/// ```
/// All are taken before one is missed, so that the caller learns of all faults at once.
fn take(tool: &Tool, locals: &Locals) -> TokenStream {
    let call = &locals.call;
    let takes = tool.parameters.iter().map(|Parameter { ident, cfgs, .. }| {
        let local = local(ident);
        quote!(#(#cfgs)* let #local = #local.take(#call);)
    });
    // A pattern has no place for a `cfg`: what has one is a statement of its own.
    let (always, sometimes): (Vec<_>, Vec<_>) = tool.parameters.iter().partition(|parameter| parameter.cfgs.is_empty());
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
fn arguments(tool: &Tool) -> Punctuated<TokenStream, Token![,]> {
    let argument = |parameter: &Parameter| {
        let (cfgs, local) = (&parameter.cfgs, local(&parameter.ident));
        quote!(#(#cfgs)* #local)
    };
    tool.parameters.iter().map(argument).collect()
}

/// The locals of an expansion that are no parameters. Each has the first name that no parameter has.
struct Locals {
    tool: Ident,
    call: Ident,
    result: Ident,
    this: Ident,
}

impl Locals {
    fn beside(parameters: &[Parameter]) -> Self {
        let free = |name: &str| {
            let mut name = name.to_owned();
            while parameters.iter().any(|parameter| parameter.ident == name) {
                name.push('_');
            }
            private(&name)
        };
        Self { tool: free("tool"), call: free("call"), result: free("result"), this: free("this") }
    }
}

fn private(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
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
