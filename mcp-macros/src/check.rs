//! The rules of what can be a tool, as far as they show in the source. Those about types are left to the compiler,
//! which meets them in the expansion.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{ReceiverKind, Safety, Type};

use crate::errors::Errors;
use crate::model::{Block, BlockItem, Function, Name, Parameter, Tool, hides_tool};

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
    if let Some(variadic) = &sig.variadic {
        errors.at(variadic, "a tool can't be variadic; take a `Vec` instead, in a function without `extern`");
    } else if let Some(abi) = &sig.abi {
        errors.at(abi, "a tool can't be `extern`; remove this");
    } else if let Safety::Unsafe(token) = sig.safety {
        errors.at(token, "a tool can't be `unsafe`, as any client may call it; put the unsafe part in a block inside");
    }
    if let Some(token) = function.defaultness {
        errors.at(token, "a tool can't be `default`; remove this");
    }
    if !sig.generics.params.is_empty() {
        errors.at(&sig.generics, "a tool can't be generic: its parameters are described to clients; name their types");
    }
    if !function.has_body() {
        errors.at(&sig.ident, "a tool needs a body");
    }
    receiver(function, place, errors);
    for (index, parameter) in tool.parameters.iter().enumerate() {
        parameter_type(&parameter.ty, errors);
        let is_same = |other: &Parameter| other.ident == parameter.ident;
        if parameter.cfgs.is_empty() && tool.parameters[..index].iter().any(is_same) {
            errors.at(&parameter.ident, format!("two parameters are named `{}`", parameter.ident));
        }
    }
    return_type(&tool.returns, place, errors);
    if place == Place::Alone && !tool.is_async && PRIMITIVES.contains(&tool.ident.to_string().as_str()) {
        let message = format!("a tool that is a plain `fn` can't be called `{}`, as a type is: rename it", tool.ident);
        errors.at(&tool.ident, message);
    }
    errors.len() == earlier && tool.parameters.len() == sig.inputs.len()
}

/// A plain function that is a tool has a type beside it, of the same name. These are types already.
pub(crate) const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

const WITHOUT_SERVER: &str = "a method is a tool only in a marked block: put `#[server]` on the `impl`";

fn receiver(function: &Function, place: Place, errors: &mut Errors) {
    let sig = &function.sig;
    match (place, sig.receiver()) {
        (Place::Alone, Some(receiver)) => errors.at(receiver, WITHOUT_SERVER),
        (Place::Alone, None) => {
            if let Some(token) = self_type(function) {
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

/// Whether it can only stand in an `impl` block or a trait.
pub(crate) fn is_method(function: &Function) -> bool {
    function.sig.receiver().is_some() || self_type(function).is_some()
}

/// Where the parameters or the result say `Self`.
fn self_type(function: &Function) -> Option<TokenTree> {
    let look = |tokens: &[TokenTree]| Some(&tokens[0]).filter(|token| is_word(token, "Self")).cloned();
    find(function.sig.to_token_stream(), &look)
}

fn parameter_type(ty: &Type, errors: &mut Errors) {
    if mentions(ty, "impl") {
        errors.at(ty, "a tool can't be generic: name the type of the parameter instead of `impl …`");
    } else if let Some(owned) = find(ty.to_token_stream(), &|tokens| borrowed(tokens)) {
        errors.at(ty, format!("a parameter of a tool can't borrow: use {owned}"));
    }
}

fn return_type(ty: &Type, place: Place, errors: &mut Errors) {
    if mentions(ty, "impl") {
        errors.at(ty, "the result of a tool needs a type that has a name, instead of `impl …`");
    } else if place == Place::Alone {
        // It could borrow only from a parameter that borrows, or from nothing: there is an error in any case.
    } else if let Some(owned) = find(ty.to_token_stream(), &|tokens| borrowed(tokens).filter(|_| !is_static(tokens))) {
        errors.at(ty, format!("the result of a tool can't borrow, as it is sent after the call: use {owned}"));
    }
}

/// Checks a name by the rules of the specification (Tools, Tool Names).
pub(crate) fn name(name: &Name, errors: &mut Errors) {
    let Name { text, span } = name;
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() {
        errors.at_span(*span, "the name of a tool can't be empty");
    } else if !text.chars().all(|c| allowed(&c)) {
        let fitting: String = text.chars().map(|c| if allowed(&c) { c } else { '_' }).collect();
        let message = format!(
            "the name of a tool consists of `A-Z`, `a-z`, `0-9`, `_`, `-` and `.`, such as `name = \"{fitting}\"`"
        );
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
    let self_ty = &block.parsed.self_ty;
    let borrow = "a server can't borrow, as calls outlive the place where it was made: let it own its data";
    if let Some(lifetime) = block.parsed.generics.lifetimes().next() {
        errors.at(lifetime, borrow);
    } else if find(self_ty.to_token_stream(), &|tokens| borrowed(tokens).filter(|_| !is_static(tokens))).is_some() {
        errors.at(self_ty, borrow);
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
                for attr in function.attrs.iter().filter(|attr| hides_tool(attr)) {
                    is_seen = false;
                    errors.at(attr, "this `#[tool]` can't be seen: write `#[tool]` and put `#[cfg(…)]` on the method");
                }
            }
            BlockItem::Other(_) => {}
        }
    }
    if is_seen && block.tools().next().is_none() {
        errors.at(self_ty, "this server has no tools: put `#[tool]` on the methods that are to be tools");
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

/// Whether a word stands anywhere in these tokens.
pub(crate) fn mentions(tokens: impl ToTokens, word: &str) -> bool {
    find(tokens.to_token_stream(), &|tokens| is_word(&tokens[0], word).then_some(())).is_some()
}

/// If a borrow starts here, what to use instead.
fn borrowed(tokens: &[TokenTree]) -> Option<String> {
    if is_punct(tokens.first(), '\'') {
        return (!is_static(tokens)).then(|| "a type that owns its data".to_owned());
    }
    if !is_punct(tokens.first(), '&') {
        return None;
    }
    let tokens = &tokens[1..];
    let tokens = if is_punct(tokens.first(), '\'') { &tokens[2..] } else { tokens };
    Some(match tokens {
        [TokenTree::Ident(word), ..] if word == "str" => "`String`".to_owned(),
        [TokenTree::Ident(word)] => format!("`{word}`"),
        [TokenTree::Group(slice)] if slice.delimiter() == Delimiter::Bracket && !mentions_length(slice) => {
            format!("`Vec<{}>`", slice.stream())
        }
        _ => "a type that owns its data".to_owned(),
    })
}

/// Whether `[T; n]` stands in the brackets, and not `[T]`.
fn mentions_length(slice: &Group) -> bool {
    slice.stream().into_iter().any(|token| is_punct(Some(&token), ';'))
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
