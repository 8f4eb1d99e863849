//! The rules of what can be a tool, as far as they show in the source. Those about types are left to the compiler,
//! which meets them in the expansion.

use std::collections::HashMap;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ReceiverKind, Safety, Type};

use crate::errors::Errors;
use crate::model::{Block, BlockItem, Function, Name, Tool};

/// Where a tool stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// By itself, marked `#[tool]`.
    Alone,
    /// In a block that is marked `#[server]`.
    Server,
}

/// Checks the form of a function that is to be a tool. Gives whether it is one that its callers could keep.
pub(crate) fn function(function: &Function, tool: &Tool, place: Place, errors: &mut Errors) -> bool {
    let sig = &function.sig;
    let earlier = errors.len();
    if let Some(token) = sig.constness {
        errors.at(token, "a tool can't be `const`; remove this");
    }
    if let Safety::Unsafe(token) = sig.safety {
        errors.at(token, "a tool can't be `unsafe`: any client may call it; put the unsafe part in a block inside");
    }
    if let Some(abi) = &sig.abi {
        errors.at(abi, "a tool can't be `extern`; remove this");
    }
    if let Some(token) = function.defaultness {
        errors.at(token, "a tool can't be `default`; remove this");
    }
    if !sig.generics.params.is_empty() {
        errors.at(&sig.generics, "a tool can't be generic: its parameters are described to clients; name their types");
    }
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, "a tool can't be variadic; take a `Vec` instead");
    }
    if !matches!(&function.body, TokenTree::Group(_)) {
        errors.at(&sig.ident, "a tool needs a body");
    }
    receiver(function, place, errors);
    for parameter in &tool.parameters {
        parameter_type(&parameter.ty, errors);
    }
    return_type(&tool.returns, errors);
    if place == Place::Alone && !tool.is_async && PRIMITIVES.contains(&tool.ident.to_string().as_str()) {
        let message = format!("a tool that is a plain `fn` can't be called `{}`, as a type is: rename it", tool.ident);
        errors.at(&tool.ident, message);
    }
    errors.len() == earlier && tool.parameters.len() == sig.inputs.len()
}

/// A plain function that is a tool has a type beside it, of the same name. These are types already.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

const WITHOUT_SERVER: &str = "a method is a tool only in a marked block: put `#[server]` on the `impl`";

fn receiver(function: &Function, place: Place, errors: &mut Errors) {
    let sig = &function.sig;
    match (place, sig.receiver()) {
        (Place::Alone, Some(receiver)) => errors.at(receiver, WITHOUT_SERVER),
        (Place::Alone, None) => {
            let signature = sig.to_token_stream().into_iter().chain([function.body.clone()]).collect();
            let self_type = |tokens: &[TokenTree]| Some(&tokens[0]).filter(|token| is_word(token, "Self")).cloned();
            if let Some(token) = find(signature, &self_type) {
                errors.at(token, WITHOUT_SERVER);
            }
        }
        (Place::Server, Some(receiver)) => match &receiver.kind {
            ReceiverKind::Reference(_, _, None) => {}
            ReceiverKind::Reference(_, _, Some(_)) => errors.at(
                receiver,
                "a tool takes `&self`, as calls run side by side: keep what changes in a `Mutex` or an atomic",
            ),
            _ => errors.at(receiver, "a tool takes `&self`, as the server is needed for the next call"),
        },
        (Place::Server, None) => errors.at(
            &sig.ident,
            "a tool in a `#[server]` block takes `&self`; one that needs no `self` can be a function outside",
        ),
    }
}

fn parameter_type(ty: &Type, errors: &mut Errors) {
    if mentions_impl(ty) {
        errors.at(ty, "a tool can't be generic: name the type of the parameter instead of `impl …`");
    } else if let Some(owned) = find(ty.to_token_stream(), &|tokens| borrowed(tokens)) {
        errors.at(ty, format!("a parameter of a tool owns its value: use {owned}"));
    }
}

fn return_type(ty: &Type, errors: &mut Errors) {
    if mentions_impl(ty) {
        errors.at(ty, "the result of a tool needs a type that has a name, instead of `impl …`");
    } else if let Some(owned) = find(ty.to_token_stream(), &|tokens| borrowed(tokens).filter(|_| !is_static(tokens))) {
        errors.at(ty, format!("the result of a tool is sent after the call: use {owned}"));
    }
}

/// > The following SHOULD be the only allowed characters: […]
pub(crate) fn name(name: &Name, errors: &mut Errors) {
    let Name { text, span } = name;
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() {
        errors.at_span(*span, "the name of a tool can't be empty");
    } else if let Some(other) = text.chars().find(|c| !allowed(c)) {
        let message = format!("the name of a tool consists of `A-Z`, `a-z`, `0-9`, `_`, `-` and `.`, not of {other:?}");
        errors.at_span(*span, message);
    } else if text.len() > 128 {
        let message = format!("the name of a tool has at most 128 characters, not {}", text.len());
        errors.at_span(*span, message);
    }
}

/// Checks what only shows in a whole block.
pub(crate) fn block(block: &Block, tools: &[Tool], errors: &mut Errors) {
    if let Some((path, _)) = &block.parsed.trait_ {
        errors.at(path, "`#[server]` belongs to an `impl` block of the type alone, not of a trait");
    }
    let lifetime = block.parsed.generics.lifetimes().next().map(|lifetime| lifetime.to_token_stream());
    let elided = |tokens: &[TokenTree]| borrowed(tokens).filter(|_| !is_static(tokens)).map(|_| tokens[0].clone());
    if let Some(lifetime) = lifetime {
        errors.at(lifetime, "a server can't borrow, as calls outlive the place where it was made: let it own its data");
    } else if find(block.parsed.self_ty.to_token_stream(), &elided).is_some() {
        let message = "a server can't borrow, as calls outlive the place where it was made: let it own its data";
        errors.at(&block.parsed.self_ty, message);
    }
    let mut is_seen = true;
    for item in &block.items {
        match item {
            BlockItem::Macro(invocation) => {
                is_seen = false;
                let message = "the tools that this macro would make can't be seen here: \
                               write them out, or let the macro make the whole `#[server]` block";
                errors.at(&invocation.mac.path, message);
            }
            BlockItem::Function(function) => {
                for attr in function.attrs.iter().filter(|attr| attr.path().is_ident("cfg_attr")) {
                    let is_tool = |tokens: &[TokenTree]| is_word(&tokens[0], "tool").then_some(());
                    if find(attr.meta.to_token_stream(), &is_tool).is_some() {
                        is_seen = false;
                        errors.at(
                            attr,
                            "this `#[tool]` can't be seen: write `#[tool]` and put `#[cfg(…)]` on the method",
                        );
                    }
                }
            }
            BlockItem::Other(_) => {}
        }
    }
    if is_seen && block.tools().next().is_none() {
        errors.at(&block.parsed.self_ty, "this server has no tools: put `#[tool]` on the methods that are to be tools");
    }
    duplicates(tools, errors);
}

fn duplicates(tools: &[Tool], errors: &mut Errors) {
    let mut named: HashMap<&str, &Tool> = HashMap::new();
    for tool in tools {
        let Some(earlier) = named.insert(&tool.name.text, tool) else { continue };
        // Of two with a condition, perhaps only one is there; the server looks again when it starts.
        if earlier.cfgs.is_empty() || tool.cfgs.is_empty() {
            let message = format!("two tools are named `{}`: `{}` and `{}`", tool.name.text, earlier.ident, tool.ident);
            errors.at_span(tool.name.span, message);
        }
    }
}

/// Searches all tokens, at any depth: `look` sees each with what follows it.
fn find<T>(tokens: TokenStream, look: &dyn Fn(&[TokenTree]) -> Option<T>) -> Option<T> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).find_map(|index| {
        look(&tokens[index..]).or_else(|| match &tokens[index] {
            TokenTree::Group(group) => find(group.stream(), look),
            _ => None,
        })
    })
}

fn mentions_impl(ty: &Type) -> bool {
    find(ty.to_token_stream(), &|tokens| is_word(&tokens[0], "impl").then_some(())).is_some()
}

/// If a borrow starts here, what to use instead.
fn borrowed(tokens: &[TokenTree]) -> Option<String> {
    if is_punct(tokens.first(), '\'') {
        return (!is_static(tokens)).then(|| "an owned type".to_owned());
    }
    if !is_punct(tokens.first(), '&') {
        return None;
    }
    let tokens = &tokens[1..];
    let tokens = if is_punct(tokens.first(), '\'') { &tokens[2..] } else { tokens };
    Some(match tokens {
        [TokenTree::Ident(word), ..] if word == "str" => "`String`".to_owned(),
        [TokenTree::Ident(word)] => format!("`{word}`"),
        [TokenTree::Group(group), ..] => format!("`Vec<{}>`", group.stream()),
        _ => "an owned type".to_owned(),
    })
}

/// Whether what starts here is `&'static` or `'static`.
fn is_static(tokens: &[TokenTree]) -> bool {
    let tokens = if is_punct(tokens.first(), '&') { &tokens[1..] } else { tokens };
    matches!(tokens, [quote, word, ..] if is_punct(Some(quote), '\'') && is_word(word, "static"))
}

fn is_punct(token: Option<&TokenTree>, c: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == c)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}
