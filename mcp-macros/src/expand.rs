//! What an author's function becomes: itself, and beside it what a server registers.
//!
//! Locals have the hygiene of [`Span::mixed_site`], so that none of the author's names can clash with them. What the
//! compiler may have to complain about, a type or the call, keeps the author's place.

use proc_macro2::{Delimiter, Group, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, LitStr, Meta, Token, Visibility, parse_quote};

use crate::errors::Errors;
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
    let outer_attrs = outer_attrs(&function.attrs);
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
    let inner = inner(function);
    let handler = handler(&quote!(__Handler), tool, library);
    let mut body = Group::new(
        Delimiter::Brace,
        quote! {
            #[allow(clippy::unused_async)]
            #inner

            struct __Handler;
            #handler

            #library::__private::tagged::<__Handler, _>(#ident(#(#arguments),*))
        },
    );
    // All that the compiler counts as the function has the author's place: what is said of it is then said there.
    body.set_span(function.body.span());
    let (fn_token, span) = (&function.sig.fn_token, ident.span());
    let library = library.at(span);
    let signature = quote_spanned! {span=>
        #vis #fn_token #ident(#(#parameters),*) -> impl #library::ToolFuture<Output = #returns>
    };
    quote! {
        #(#outer_attrs)*
        #[allow(clippy::too_many_arguments)]
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
    let tool_struct = tool_struct(function);
    let handler = handler(&ident.to_token_stream(), tool, library);
    quote! {
        #[allow(clippy::needless_pass_by_value)]
        #function

        #tool_struct
        #handler
    }
}

/// The struct that stands for a plain function.
fn tool_struct(function: &Function) -> TokenStream {
    let (ident, vis) = (&function.sig.ident, &function.vis);
    let lints = function.attrs.iter().filter_map(as_allow);
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
        quote!(#call.run_blocking(move || #ident(#arguments), #result))
    };
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
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
    let (ident, arguments, cfgs) = (&tool.ident, arguments(tool), &tool.cfgs);
    let run = if tool.is_async {
        quote_spanned!(ident.span()=> #call.run(async move { #this.#ident(#arguments).await }, #result))
    } else {
        quote!(#call.run_blocking(move || #this.#ident(#arguments), #result))
    };
    quote! {
        #(#cfgs)*
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
    let (generics, _, where_clause) = block.parsed.generics.split_for_impl();
    let self_ty = &block.parsed.self_ty;
    quote! {
        #[automatically_derived]
        #[allow(deprecated)]
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

/// What stands in for a function that can't be a tool yet: the author sees the errors, and no others that would only
/// follow from them. The body is still there to be checked and completed.
pub(crate) fn function_stand_in(
    tool: &Tool,
    function: &Function,
    is_callable: bool,
    library: &Library,
    errors: &Errors,
) -> TokenStream {
    let (ident, vis) = (&function.sig.ident, &function.vis);
    if function.sig.receiver().is_some() {
        return quote!(#errors #function);
    }
    if !tool.is_async {
        let tool_struct = tool_struct(function);
        let handler = idle_handler(&ident.to_token_stream(), library);
        return quote!(#errors #[allow(dead_code)] #function #tool_struct #handler);
    }
    let handler = idle_handler(&quote!(__Handler), library);
    let inner = inner(function);
    let sig = if is_callable {
        let returns = &tool.returns;
        let parameters = tool.parameters.iter().map(|Parameter { ident, ty, .. }| quote!(#ident: #ty));
        quote!(#ident(#(#parameters),*) -> impl #library::ToolFuture<Output = #returns>)
    } else {
        quote!(#ident() -> impl #library::ToolFuture<Output = ()>)
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

fn idle_handler(implementer: &TokenStream, library: &Library) -> TokenStream {
    quote! {
        impl #library::__private::ToolHandler for #implementer {
            fn tool() -> #library::Tool {
                ::core::unreachable!()
            }
        }
    }
}

/// What stands in for a block that can't be a server yet.
pub(crate) fn server_stand_in(block: &Block, library: &Library, errors: &Errors) -> TokenStream {
    let tool_set = tool_set(block, &quote!(::core::unreachable!()), library);
    quote! {
        #errors
        #[allow(dead_code)]
        #block
        #tool_set
    }
}

/// The function itself, inside of the one that the author calls.
fn inner(function: &Function) -> Function {
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

/// The attributes of the function that the author calls.
fn outer_attrs(attrs: &[Attribute]) -> Vec<Attribute> {
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

/// Whether this is an `#[expect(…)]` of a lint that looks at a function from outside.
fn is_about_the_outside(attr: &Attribute) -> bool {
    attr.path().is_ident("expect")
        && attr.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).is_ok_and(|lints| {
            lints.iter().any(|lint| {
                ["dead_code", "missing_docs", "unreachable_pub", "unused"].iter().any(|name| lint.path().is_ident(name))
            })
        })
}

/// A lint level as it is for the other half of an item: what one half is expected to do, the other may.
fn as_allow(attr: &Attribute) -> Option<Attribute> {
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
    local.set_span(Span::mixed_site().located_at(parameter.span()));
    local
}
