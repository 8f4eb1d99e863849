//! From tokens to the [`model`](crate::model): what can be read is, and the rest is reported.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, FnArg, GenericArgument, Ident, ImplItem, Item, ItemImpl, ItemMacro, Meta, Pat, Path,
    PathArguments, ReceiverKind, ReturnType, Signature, Token, Type, TypeParamBound, Visibility, parse_quote,
};

use crate::attributes;
use crate::check;
use crate::docs;
use crate::errors::Errors;
use crate::model::{
    Address, Block, BlockItem, Complete, Function, Kind, Library, Method, Name, Offer, Parameter, ParameterOptions,
    kind, kind_of_path, name_of,
};
use crate::options::{self, Options};
use crate::uri_template;

/// Reads the function below an attribute.
pub(crate) fn function(kind: Kind, item: TokenStream, errors: &mut Errors) -> Option<Function> {
    if let Ok(function) = syn::parse2(item.clone()) {
        return Some(function);
    }
    if let Ok(function) = misspelt_function.parse2(item.clone()) {
        errors.leave_to_the_compiler();
        return Some(function);
    }
    let is_impl_of_trait = || {
        let mut head = head(&item).into_iter();
        head.any(|token| matches!(token, TokenTree::Ident(word) if word == "for"))
    };
    let remedy = match word(&item).as_deref() {
        Some("impl") if is_impl_of_trait() => {
            "belongs to a method, and not of a trait: write it in an `impl` block of the type alone, with `#[server]`"
        }
        Some("impl") => "belongs to a method: put `#[server]` on the `impl` block instead",
        Some("struct" | "enum" | "union") => {
            "belongs to a function; a type offers methods: put `#[server]` on an `impl` block of it"
        }
        Some("trait") => "belongs to a function, or to a method in an `impl` block with `#[server]`",
        Some("mod") => "belongs to a function: put it on those in the module",
        Some("use") => "belongs to a function: put it where the function is written",
        Some(_) => "belongs to a function: write a `fn`",
        None => match syn::parse2(item.clone()) {
            Ok(Item::Macro(ItemMacro { ident: None, .. })) => {
                "belongs to a function, and can't see what this macro makes: write the attribute inside of it"
            }
            Ok(_) => "belongs to a function: write a `fn`",
            // The compiler takes no attribute like this on a statement or an expression.
            Err(_) => {
                errors.leave_to_the_compiler();
                return None;
            }
        },
    };
    errors.at(head(&item), format!("`{}` {remedy}", kind.attribute()));
    None
}

/// Reads as much as there is of a function that has a mistake in its syntax, which the compiler has told by now.
fn misspelt_function(input: ParseStream<'_>) -> syn::Result<Function> {
    input.call(Attribute::parse_outer)?;
    let vis: Visibility = input.parse()?;
    let mut asyncness = None;
    loop {
        if input.peek(Token![fn]) && input.peek2(Ident) {
            break;
        }
        match input.parse()? {
            TokenTree::Ident(word) if word == "async" => asyncness = Some(word),
            TokenTree::Ident(_) | TokenTree::Literal(_) => {}
            token => return Err(syn::Error::new(token.span(), "no function")),
        }
    }
    let (token, ident): (Token![fn], Ident) = (input.parse()?, input.parse()?);
    input.parse::<TokenStream>()?;
    Ok(parse_quote!(#vis #asyncness #token #ident() { ::core::unreachable!() }))
}

/// Reads the `impl` block below a `#[server]`.
pub(crate) fn block(item: TokenStream, errors: &mut Errors) -> Option<Block> {
    let mut header: Vec<TokenTree> = item.clone().into_iter().collect();
    let braces = match header.pop() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
        _ => Group::new(Delimiter::Brace, TokenStream::new()),
    };
    let (header, twice) = without_server(header);
    if let Some(attribute) = twice {
        errors.at(attribute, "`#[server]` stands here twice");
    }
    let Ok(parsed) = syn::parse2::<ItemImpl>(quote!(#header {})) else {
        let message = match word(&item).as_deref() {
            Some("trait") => "`#[server]` belongs to an `impl` block, not to a trait",
            Some("fn") => "`#[server]` belongs to an `impl` block; a function by itself is a tool by `#[tool]`",
            _ => "`#[server]` belongs to the `impl` block whose methods are the tools, resources and prompts",
        };
        errors.at(head(&item), message);
        return None;
    };

    let mut inner_attrs = Vec::new();
    let mut items = Vec::new();
    let parse = |input: ParseStream<'_>| {
        inner_attrs = input.call(Attribute::parse_inner)?;
        while !input.is_empty() {
            // What has a mistake in its syntax is left out. The compiler has read it before, and told.
            match block_item(&input.fork()) {
                Ok(_) => items.push(block_item(input)?),
                Err(_) => {
                    errors.leave_to_the_compiler();
                    skip_item(input)?;
                }
            }
        }
        Ok(())
    };
    if parse.parse2(braces.stream()).is_err() {
        errors.leave_to_the_compiler();
    }
    Some(Block { header, parsed, braces, inner_attrs, items })
}

/// Whether this is our attribute, as far as its path tells.
fn is_server(path: &Path) -> bool {
    path.is_ident("server")
        || path.segments.len() == 2 && path.segments[0].ident == "mcp_server" && path.segments[1].ident == "server"
}

/// Goes on after the next block in braces, or the next semicolon.
fn skip_item(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() {
        match input.parse()? {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => break,
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            _ => {}
        }
    }
    Ok(())
}

/// What stands above the braces, without a second `#[server]`, and this.
fn without_server(header: Vec<TokenTree>) -> (TokenStream, Option<TokenStream>) {
    let mut kept: Vec<TokenTree> = Vec::new();
    let mut removed = None;
    for token in header {
        let is_server = match &token {
            TokenTree::Group(group) if matches!(kept.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#') => {
                syn::parse2::<Meta>(group.stream()).is_ok_and(|meta| is_server(meta.path()))
            }
            _ => false,
        };
        if is_server {
            let hash = kept.pop();
            removed = Some(quote!(#hash #token));
        } else {
            kept.push(token);
        }
    }
    (kept.into_iter().collect(), removed)
}

/// An item that can't be marked, without the attributes that make something of its methods: one error is enough. The
/// functions of a module go on being what they are.
pub(crate) fn without_kinds(item: TokenStream) -> TokenStream {
    if word(&item).as_deref() == Some("mod") {
        return item;
    }
    let mut tokens: Vec<TokenTree> = Vec::new();
    for token in item {
        let TokenTree::Group(group) = token else {
            tokens.push(token);
            continue;
        };
        let is_attribute = matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
        if is_attribute && syn::parse2::<Meta>(group.stream()).is_ok_and(|meta| kind_of_path(meta.path()).is_some()) {
            tokens.pop();
            continue;
        }
        let mut inner = Group::new(group.delimiter(), without_kinds(group.stream()));
        inner.set_span(group.span());
        tokens.push(inner.into());
    }
    tokens.into_iter().collect()
}

fn block_item(input: ParseStream<'_>) -> syn::Result<BlockItem> {
    if input.fork().parse::<Function>().is_ok() {
        return Ok(BlockItem::Function(Box::new(input.parse()?)));
    }
    Ok(match input.parse()? {
        ImplItem::Macro(invocation) => BlockItem::Macro(invocation),
        item => BlockItem::Other(item.into_token_stream()),
    })
}

/// Reads a function as what its attribute makes of it.
pub(crate) fn offer(kind: Kind, function: &Function, options: Options, errors: &mut Errors) -> Offer {
    let sig = &function.sig;
    let future = if sig.asyncness.is_none() { future_output(sig) } else { None };
    let address = options.address.and_then(|literal| {
        let (text, span) = (literal.value(), literal.span());
        match uri_template::variables(&text) {
            Ok(variables) => Some(Address { text, span, variables }),
            Err(fault) => {
                errors.at_span(span, format!("this can't be the address of a resource: {fault}"));
                None
            }
        }
    });
    Offer {
        kind,
        ident: sig.ident.clone(),
        name: options.name.unwrap_or_else(|| Name { text: sig.ident.unraw().to_string(), span: sig.ident.span() }),
        address,
        title: options.title,
        description: options.description.map(|text| quote!(#text)).or_else(|| docs::description(&function.attrs)),
        settings: options.settings,
        parameters: sig.inputs.iter().filter_map(|input| parameter(kind, input, errors)).collect(),
        is_async: sig.asyncness.is_some() || future.is_some(),
        returns: match (future, &sig.output) {
            (Some(output), _) => output.clone(),
            (None, ReturnType::Type(_, ty)) => Type::clone(ty),
            (None, ReturnType::Default) => parse_quote!(()),
        },
        cfgs: cfgs(&function.attrs),
        lints: attributes::for_uses(&function.attrs),
    }
}

/// Reads a method of a block, if it is marked.
pub(crate) fn method(block: &Block, function: &Function, library: &Library, errors: &mut Errors) -> Option<Offer> {
    let attr = function.attrs.iter().find(|attr| kind(attr).is_some())?;
    let kind = kind(attr)?;
    once(kind, &function.attrs, 1, errors);
    let options = options::offer(kind, arguments(attr, errors), attr.path().span(), Some(library), errors);
    if options.description.is_none() {
        for attr in function.attrs.iter().filter(|attr| docs::is_conditional(attr)) {
            let word = kind.word();
            let message = format!(
                "`#[cfg_attr(…, doc = …)]` can't be seen through on a {word} in a `#[server]` block; \
                 write the text out, or give it as `#[{word}(description = …)]`"
            );
            errors.at(attr, message);
        }
    }
    let mut offer = offer(kind, function, options, errors);
    for parameter in &mut offer.parameters {
        if let Some(complete) = parameter.options.complete.take() {
            parameter.options.complete = completing_method(block, complete, errors);
        }
    }
    Some(offer)
}

/// Reports what is marked more than once; `read` attributes have been read already.
pub(crate) fn once(read_kind: Kind, attrs: &[Attribute], read: usize, errors: &mut Errors) {
    let Some((attr, other)) = attrs.iter().filter_map(|attr| Some((attr, kind(attr)?))).nth(read) else { return };
    if other == read_kind {
        errors.at(attr, format!("`#[{}]` stands here twice", other.word()));
    } else {
        errors.at(attr, format!("a function can't be a {} and a {} at once", read_kind.word(), other.word()));
    }
}

/// What completes a parameter in a block: `Self::name` is called with the server.
fn completing_method(block: &Block, complete: Complete, errors: &mut Errors) -> Option<Complete> {
    let Complete::Function(Expr::Path(path)) = &complete else { return Some(complete) };
    let mut segments = path.path.segments.iter();
    let (Some(first), Some(name), None) = (segments.next(), segments.next(), segments.next()) else {
        return Some(complete);
    };
    if first.ident != "Self" || path.qself.is_some() {
        return Some(complete);
    }
    let Some(function) = block.functions().find(|function| function.sig.ident == name.ident) else {
        errors.at(
            path,
            format!("this block has no method `{}`: one that completes stands in the same block", name.ident),
        );
        return None;
    };
    let sig = &function.sig;
    let takes = match (sig.receiver().map(|receiver| &receiver.kind), sig.inputs.len(), sig.inputs.last()) {
        (Some(ReceiverKind::Reference(_, _, None)), 2, Some(FnArg::Typed(typed))) => &typed.ty,
        _ => {
            errors
                .at(&sig.ident, "a method that completes takes `&self` and a `String`, or `&self` and a `Completing`");
            return None;
        }
    };
    if let Some(owned) = check::borrows(takes) {
        errors.at(takes, format!("a method that completes can't borrow: use {owned}"));
        return None;
    }
    let is_async = sig.asyncness.is_some() || future_output(sig).is_some();
    Some(Complete::Method(Method { path: path.clone(), takes: Type::clone(takes), is_async }))
}

fn parameter(kind: Kind, input: &FnArg, errors: &mut Errors) -> Option<Parameter> {
    let FnArg::Typed(input) = input else { return None };
    let options = parameter_options(kind, &input.attrs, errors);
    let Some(ident) = name_of(&input.pat) else {
        let word = kind.word();
        let message = match &*input.pat {
            Pat::Wild(_) => {
                let what = match kind {
                    Kind::Tool | Kind::Prompt => "it is what the caller sends; `_name` is fine if unused",
                    Kind::Resource => "it is that of a variable in the address",
                };
                format!("a parameter of a {word} needs a name: {what}")
            }
            _ => format!("a parameter of a {word} is a plain name: take the whole value and take it apart in the body"),
        };
        errors.at(&input.pat, message);
        return None;
    };
    Some(Parameter {
        ident: ident.clone(),
        ty: Type::clone(&input.ty),
        description: docs::description(&input.attrs),
        options,
        cfgs: cfgs(&input.attrs),
    })
}

/// What the attributes of a parameter say.
fn parameter_options(of: Kind, attrs: &[Attribute], errors: &mut Errors) -> ParameterOptions {
    let mut found = ParameterOptions::default();
    for attr in attrs {
        let word = of.word();
        let options = if let Some(kind) = kind(attr) {
            if kind != of {
                errors.at(attr, format!("this is a parameter of a {word}: write `#[{word}(…)]`"));
                continue;
            }
            options::parameter(of, arguments(attr, errors), errors)
        } else if attr.path().is_ident("serde") {
            let default = options::serde(of, arguments(attr, errors), errors);
            ParameterOptions { default, ..ParameterOptions::default() }
        } else if attr.path().is_ident("schemars") {
            let message = match of {
                Kind::Tool => {
                    "`#[schemars(…)]` works on a field of a struct; a parameter is limited by `#[tool(minimum = 1)]` and the like"
                }
                Kind::Resource | Kind::Prompt => {
                    "`#[schemars(…)]` is not read on a parameter; it works on a field of a struct"
                }
            };
            errors.at(attr, message);
            continue;
        } else if attr.path().is_ident("cfg_attr") {
            let message =
                format!("`#[cfg_attr(…)]` can't be seen through on a parameter of a {word}; write its attributes out");
            errors.at(attr, message);
            continue;
        } else {
            continue;
        };
        if found.default.is_some() && options.default.is_some() {
            errors.at(attr, "the default is given twice");
        }
        if found.complete.is_some() && options.complete.is_some() {
            errors.at(attr, "what completes the parameter is given twice");
        }
        if found.header.is_some() && options.header.is_some() {
            errors.at(attr, "the header is given twice");
        }
        if found.flatten.is_some() && options.flatten.is_some() {
            errors.at(attr, "`flatten` is given twice");
        }
        for limit in &options.limits {
            if found.limits.iter().any(|earlier| earlier.keyword == limit.keyword) {
                errors.at(&limit.option, format!("`{}` is given twice", limit.option));
            }
        }
        found.default = found.default.or(options.default);
        found.title = found.title.or(options.title);
        found.complete = found.complete.or(options.complete);
        found.raw = found.raw.or(options.raw);
        found.header = found.header.or(options.header);
        found.flatten = found.flatten.or(options.flatten);
        found.limits.extend(options.limits);
    }
    found
}

fn arguments(attr: &Attribute, errors: &mut Errors) -> TokenStream {
    match &attr.meta {
        Meta::Path(_) => TokenStream::new(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(meta) => {
            let name = meta.path.to_token_stream();
            errors.at(&attr.meta, format!("options stand in parentheses: `#[{name}(name = …)]`"));
            TokenStream::new()
        }
    }
}

fn cfgs(attrs: &[Attribute]) -> Vec<Attribute> {
    attrs.iter().filter(|attr| attr.path().is_ident("cfg")).cloned().collect()
}

/// The `T` of a plain function that returns `impl Future<Output = T>`.
fn future_output(sig: &Signature) -> Option<&Type> {
    let ReturnType::Type(_, ty) = &sig.output else { return None };
    let mut ty = &**ty;
    // Around what a `macro_rules!` has put there.
    while let Type::Group(group) = ty {
        ty = &group.elem;
    }
    let Type::ImplTrait(ty) = ty else { return None };
    ty.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else { return None };
        let segment = bound.path.segments.last().filter(|segment| segment.ident == "Future")?;
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
            _ => None,
        })
    })
}

/// The word that says what an item is.
fn word(item: &TokenStream) -> Option<String> {
    const KINDS: &[&str] = &["impl", "trait", "struct", "enum", "union", "mod", "fn", "type", "const", "static", "use"];
    item.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(word) => Some(word.to_string()).filter(|word| KINDS.contains(&word.as_str())),
        _ => None,
    })
}

/// The item up to its braces, without its attributes: enough to point at.
fn head(item: &TokenStream) -> TokenStream {
    let attributes = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>()
    };
    let item = attributes.parse2(item.clone()).unwrap_or_else(|_| item.clone());
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let head: TokenStream = item.clone().into_iter().take_while(|token| !is_body(token)).collect();
    if head.is_empty() { item } else { head }
}
