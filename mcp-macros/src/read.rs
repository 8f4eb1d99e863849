//! From tokens to the [`model`](crate::model): what can be read is, and the rest is reported.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{
    Attribute, FnArg, GenericArgument, ImplItem, ItemImpl, Meta, Pat, PathArguments, ReturnType, Signature, Type,
    TypeParamBound, parse_quote,
};

use crate::attributes;
use crate::docs;
use crate::errors::Errors;
use crate::model::{Block, BlockItem, DefaultValue, Function, Name, Parameter, Tool, is_tool, is_tool_path, name_of};
use crate::options::{self, ToolOptions};

/// Reads the function below a `#[tool]`.
pub(crate) fn function(item: TokenStream, errors: &mut Errors) -> Option<Function> {
    match syn::parse2(item.clone()) {
        Ok(function) => Some(function),
        Err(_) => {
            let message = match kind(&item).as_deref() {
                Some("impl") => "`#[tool]` belongs to a method: put `#[server]` on the `impl` block instead",
                _ => "`#[tool]` belongs to a function",
            };
            errors.at(head(&item), message);
            None
        }
    }
}

/// Reads the `impl` block below a `#[server]`.
pub(crate) fn block(item: TokenStream, errors: &mut Errors) -> Option<Block> {
    let mut header: Vec<TokenTree> = item.clone().into_iter().collect();
    let braces = match header.pop() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => group,
        _ => Group::new(Delimiter::Brace, TokenStream::new()),
    };
    let header: TokenStream = header.into_iter().collect();
    let Ok(parsed) = syn::parse2::<ItemImpl>(quote!(#header {})) else {
        let message = match kind(&item).as_deref() {
            Some("trait") => "`#[server]` belongs to an `impl` block, not to a trait",
            _ => "`#[server]` belongs to the `impl` block whose methods are the tools",
        };
        errors.at(head(&item), message);
        return None;
    };

    let mut inner_attrs = Vec::new();
    let mut items = Vec::new();
    let parse = |input: ParseStream<'_>| {
        inner_attrs = input.call(Attribute::parse_inner)?;
        while !input.is_empty() {
            items.push(block_item(input)?);
        }
        Ok(())
    };
    if let Err(error) = parse.parse2(braces.stream()) {
        errors.push(error);
        return None;
    }
    Some(Block { header, parsed, braces, inner_attrs, items })
}

/// An item that is no `impl` block, without the `#[tool]`s in it: one error is enough.
pub(crate) fn without_tools(item: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = Vec::new();
    for token in item {
        let TokenTree::Group(group) = token else {
            tokens.push(token);
            continue;
        };
        let is_attribute = matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#');
        if is_attribute && syn::parse2::<Meta>(group.stream()).is_ok_and(|meta| is_tool_path(meta.path())) {
            tokens.pop();
            continue;
        }
        let mut inner = Group::new(group.delimiter(), without_tools(group.stream()));
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

/// Reads a function as a tool.
pub(crate) fn tool(function: &Function, options: ToolOptions, errors: &mut Errors) -> Tool {
    let sig = &function.sig;
    let future = future_output(sig);
    Tool {
        ident: sig.ident.clone(),
        name: options.name.unwrap_or_else(|| Name { text: sig.ident.unraw().to_string(), span: sig.ident.span() }),
        title: options.title,
        description: options.description.map(|text| quote!(#text)).or_else(|| docs::description(&function.attrs)),
        annotations: options.annotations,
        timeout: options.timeout,
        parameters: sig.inputs.iter().filter_map(|input| parameter(input, errors)).collect(),
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

/// Reads the `#[tool]` of a method.
pub(crate) fn method_options(function: &Function, errors: &mut Errors) -> ToolOptions {
    let mut options = ToolOptions::default();
    for (index, attr) in function.attrs.iter().filter(|attr| is_tool(attr)).enumerate() {
        if index > 0 {
            errors.at(attr, "`#[tool]` stands here twice");
            break;
        }
        options = options::tool(arguments(attr, errors), errors);
    }
    options
}

fn parameter(input: &FnArg, errors: &mut Errors) -> Option<Parameter> {
    let FnArg::Typed(input) = input else { return None };
    let default = default(&input.attrs, errors);
    let Some(ident) = name_of(&input.pat) else {
        let message = match &*input.pat {
            Pat::Wild(_) => {
                "a parameter of a tool needs a name: it is what the caller sends; `_name` is fine if unused"
            }
            _ => "a parameter of a tool is a plain name: take the whole value and take it apart in the body",
        };
        errors.at(&input.pat, message);
        return None;
    };
    Some(Parameter {
        ident: ident.clone(),
        ty: Type::clone(&input.ty),
        description: docs::description(&input.attrs),
        default,
        cfgs: cfgs(&input.attrs),
    })
}

/// The default that the attributes of a parameter give it.
fn default(attrs: &[Attribute], errors: &mut Errors) -> Option<DefaultValue> {
    let mut found: Option<DefaultValue> = None;
    for attr in attrs {
        let default = if is_tool(attr) {
            options::parameter(arguments(attr, errors), errors)
        } else if attr.path().is_ident("serde") {
            options::serde(arguments(attr, errors), errors)
        } else if attr.path().is_ident("schemars") {
            errors.at(attr, "`#[schemars(…)]` is not read on a parameter; it works on a field of a struct");
            continue;
        } else if attr.path().is_ident("cfg_attr") {
            errors
                .at(attr, "`#[cfg_attr(…)]` can't be seen through on a parameter of a tool; write its attributes out");
            continue;
        } else {
            continue;
        };
        if found.is_some() && default.is_some() {
            errors.at(attr, "the default is given twice");
        }
        found = found.or(default);
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
    let Type::ImplTrait(ty) = &**ty else { return None };
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
fn kind(item: &TokenStream) -> Option<String> {
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
