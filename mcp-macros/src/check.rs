//! The rules of what can be a tool, a resource or a prompt, as far as they show in the source. Those about types are
//! left to the compiler, which meets them in the expansion.

use std::collections::HashMap;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::{Attribute, GenericParam, ReceiverKind, Safety, Type, parse_quote};

use crate::errors::{Errors, nearest};
use crate::model::{
    Address, Block, BlockItem, BlockOptions, Function, Kind, Name, Offer, Parameter, ParameterOptions, hides_kind,
    is_test, kind,
};

/// Where a function stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// By itself, marked `#[tool]`, `#[resource]` or `#[prompt]`.
    Alone,
    /// In a block that is marked `#[server]`.
    Server,
}

/// Checks the form of a function. Gives whether it is one that its callers could keep.
pub(crate) fn function(function: &Function, offer: &Offer, place: Place, errors: &mut Errors) -> bool {
    let sig = &function.sig;
    let word = offer.kind.word();
    let earlier = errors.len();
    if let Some(token) = sig.constness {
        errors.at(token, format!("a {word} can't be `const`; remove this"));
    }
    if let Some(variadic) = &sig.variadic {
        let message = format!("a {word} can't be variadic; take a `Vec` instead, in a function without `extern`");
        errors.at(variadic, message);
    } else if let Some(abi) = &sig.abi {
        errors.at(abi, format!("a {word} can't be `extern`; remove this"));
    } else if let Safety::Unsafe(token) = sig.safety {
        let message =
            format!("a {word} can't be `unsafe`, as any client may call it; put the unsafe part in a block inside");
        errors.at(token, message);
    }
    if let Some(token) = function.defaultness {
        errors.at(token, format!("a {word} can't be `default`; remove this"));
    }
    let has_lifetimes_alone = sig.generics.params.iter().all(|param| matches!(param, GenericParam::Lifetime(_)));
    if !has_lifetimes_alone {
        let message = format!("a {word} can't be generic: its parameters are described to clients; name their types");
        errors.at(&sig.generics, message);
    }
    if !function.has_body() && (place == Place::Server || !is_method(function)) {
        errors.at(&sig.ident, format!("a {word} needs a body"));
    }
    if let Some(token) = awaits(function) {
        let message = format!(
            "a {word} that is a plain `fn` can't `.await`: make it an `async fn`; \
             what waits on a thread has other names, such as `report_progress_blocking`"
        );
        errors.at(token, message);
    }
    if let Some(attr) = function.attrs.iter().find(|attr| is_test(attr)) {
        errors.at(attr, format!("a {word} can't be a test: write a test beside it that calls it"));
    }
    receiver(function, offer.kind, place, errors);
    for (index, parameter) in offer.parameters.iter().enumerate() {
        parameter_type(&parameter.ty, offer.kind, errors);
        let is_same = |other: &Parameter| other.ident == parameter.ident;
        if parameter.cfgs.is_empty() && offer.parameters[..index].iter().any(is_same) {
            errors.at(&parameter.ident, format!("two parameters are named `{}`", parameter.ident));
        }
    }
    let borrows_by_name =
        !sig.generics.params.is_empty() && offer.parameters.iter().any(|it| borrows(&it.ty).is_some());
    if !borrows_by_name {
        let before = errors.len();
        return_type(offer, place, errors);
        if has_lifetimes_alone && !sig.generics.params.is_empty() && errors.len() == before {
            let message = format!("a {word} has no lifetimes, as it owns what it takes and gives: remove this");
            errors.at(&sig.generics, message);
        }
    }
    if place == Place::Alone && !offer.is_async && PRIMITIVES.contains(&offer.ident.to_string().as_str()) {
        let message =
            format!("a {word} that is a plain `fn` can't be called `{}`, as a type is: rename it", offer.ident);
        errors.at(&offer.ident, message);
    }
    errors.len() == earlier && offer.parameters.len() == sig.inputs.len()
}

/// A plain function has a type beside it, of the same name. These are types already.
pub(crate) const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16", "u32", "u64", "u128",
    "usize",
];

fn receiver(function: &Function, kind: Kind, place: Place, errors: &mut Errors) {
    let sig = &function.sig;
    let word = kind.word();
    let without_server = || format!("a method is a {word} only in a marked block: put `#[server]` on the `impl`");
    match (place, sig.receiver()) {
        (Place::Alone, Some(receiver)) => errors.at(receiver, without_server()),
        (Place::Alone, None) => {
            if let Some(token) = self_type(function) {
                errors.at(token, without_server());
            }
        }
        (Place::Server, Some(receiver)) => match &receiver.kind {
            ReceiverKind::Reference(_, Some(lifetime), None) if lifetime.ident == "static" => {
                errors.at(receiver, format!("a {word} takes `&self`: the server lives as long as it is needed"));
            }
            ReceiverKind::Reference(_, _, None) => {}
            ReceiverKind::Typed(_, ty) if is_ref_self(ty) => {}
            ReceiverKind::Reference(_, _, Some(_)) => {
                let message = format!(
                    "a {word} takes `&self`, as calls run side by side: keep what changes in a `Mutex` or an atomic"
                );
                errors.at(receiver, message);
            }
            _ => errors.at(receiver, format!("a {word} takes `&self`, as the server is needed for the next call")),
        },
        (Place::Server, None) => {
            let message = format!(
                "a {word} in a `#[server]` block takes `&self`; one that needs no `self` can be a function outside"
            );
            errors.at(&sig.ident, message);
        }
    }
}

/// Whether this is `&Self`.
fn is_ref_self(ty: &Type) -> bool {
    match ty {
        Type::Reference(reference) if reference.mutability.is_none() => {
            matches!(&*reference.elem, Type::Path(path) if path.path.is_ident("Self"))
        }
        _ => false,
    }
}

/// Where a plain function awaits something. One that has async code inside is left to the compiler.
pub(crate) fn awaits(function: &Function) -> Option<TokenTree> {
    if function.sig.asyncness.is_some() || mentions(&function.body, "async") {
        return None;
    }
    await_in(function.body.to_token_stream())
}

/// Where an `.await` stands, but for what macros are given: they may make anything of it.
fn await_in(tokens: TokenStream) -> Option<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    (0..tokens.len()).find_map(|index| match (&tokens[..index], &tokens[index]) {
        ([.., dot], word) if is_punct(Some(dot), '.') && is_word(word, "await") => Some(word.clone()),
        ([.., TokenTree::Ident(_), not], TokenTree::Group(_)) if is_punct(Some(not), '!') => None,
        (_, TokenTree::Group(group)) => await_in(group.stream()),
        _ => None,
    })
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

fn parameter_type(ty: &Type, kind: Kind, errors: &mut Errors) {
    let word = kind.word();
    if mentions(ty, "impl") {
        let message = format!("a {word} can't be generic: name the type of the parameter instead of `impl …`");
        errors.at(ty, message);
    } else if let Type::TraitObject(_) = ty {
        errors.at(ty, format!("a parameter of a {word} is of one type, and not `dyn …`: name it"));
    } else if let Some(sized) = sized(ty) {
        let sized = sized.to_token_stream().to_string();
        let joints = [(" <", "<"), ("< ", "<"), (" >", ">"), (" :: ", "::"), (":: ", "::"), ("& ", "&"), (" (", "(")];
        let sized = joints.iter().fold(sized, |text, (from, to)| text.replace(from, to));
        let sized = sized.trim_start_matches("::std::string::").trim_start_matches("::std::vec::");
        errors.at(ty, format!("a parameter of a {word} has a size: use `{sized}`"));
    } else if let Some(owned) = borrows(ty) {
        errors.at(ty, format!("a parameter of a {word} can't borrow: use {owned}"));
    }
}

/// What takes the place of a type whose values have no size.
pub(crate) fn sized(ty: &Type) -> Option<Type> {
    match ty {
        Type::Path(path) if path.path.is_ident("str") => Some(parse_quote!(::std::string::String)),
        Type::Slice(slice) => {
            let element = &slice.elem;
            Some(parse_quote!(::std::vec::Vec<#element>))
        }
        Type::TraitObject(_) => Some(parse_quote!(::std::boxed::Box<#ty>)),
        _ => None,
    }
}

fn return_type(offer: &Offer, place: Place, errors: &mut Errors) {
    let (ty, word) = (&offer.returns, offer.kind.word());
    if is_future(ty) {
        let message = if offer.is_async {
            format!("a future can't be the result of a {word}: await it in the body, and return its value")
        } else {
            format!("a future can't be the result of a {word}: write an `async fn`, or `-> impl Future<Output = …>`")
        };
        errors.at(ty, message);
    } else if mentions(ty, "impl") {
        let message = format!("the result of a {word} needs a type that has a name, instead of `impl …`");
        errors.at(ty, message);
    } else if place == Place::Alone {
        // It could borrow only from a parameter that borrows, or from nothing: there is an error in any case.
    } else if let Some(owned) = find(ty.to_token_stream(), &|tokens| borrowed(tokens).filter(|_| !is_static(tokens))) {
        errors.at(ty, format!("the result of a {word} can't borrow, as it is sent after the call: use {owned}"));
    }
}

/// Whether it is plainly a future: `impl Future`, `Pin<Box<dyn Future>>`, `BoxFuture`.
fn is_future(ty: &Type) -> bool {
    let last = match ty {
        Type::ImplTrait(_) => return mentions(ty, "Future"),
        Type::Path(path) => path.path.segments.last().map(|segment| segment.ident.to_string()),
        _ => None,
    };
    match last.as_deref() {
        Some("BoxFuture" | "LocalBoxFuture") => true,
        Some("Pin" | "Box") => mentions(ty, "dyn") && mentions(ty, "Future"),
        _ => false,
    }
}

/// Checks what is said about a function, apart from its form.
pub(crate) fn offer(offer: &Offer, errors: &mut Errors) {
    match offer.kind {
        Kind::Tool | Kind::Prompt => {
            name(&offer.name, offer.kind, errors);
            headers(&offer.parameters, errors);
            flattened(&offer.parameters, errors);
        }
        Kind::Resource => {
            if offer.name.text.is_empty() {
                errors.at_span(offer.name.span, "the name of a resource can't be empty");
            }
            if let Some(address) = &offer.address {
                variables(offer, address, errors);
            }
        }
    }
}

/// Checks a name by the rules of the specification (Tools, Tool Names).
fn name(name: &Name, kind: Kind, errors: &mut Errors) {
    let Name { text, span } = name;
    let word = kind.word();
    let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    if text.is_empty() {
        errors.at_span(*span, format!("the name of a {word} can't be empty"));
    } else if !text.chars().all(|c| allowed(&c)) {
        let fitting: String = text.chars().map(|c| if allowed(&c) { c } else { '_' }).collect();
        let message = format!(
            "the name of a {word} consists of `A-Z`, `a-z`, `0-9`, `_`, `-` and `.`, such as `name = \"{fitting}\"`"
        );
        errors.at_span(*span, message);
    } else if text.len() > 128 {
        let message = format!("the name of a {word} has at most 128 characters, not {}", text.len());
        errors.at_span(*span, message);
    }
}

/// What is said about the fields of a value, and not about the value.
fn flattened(parameters: &[Parameter], errors: &mut Errors) {
    for Parameter { options, description, .. } in parameters {
        let Some(flatten) = &options.flatten else { continue };
        let message = if description.is_some() {
            "a flattened parameter has no description: each of its fields has one; write `//` for a note"
        } else if options.default.is_some() {
            "a flattened parameter has no default: its fields have one, by `#[serde(default)]`"
        } else if options.header.is_some() {
            "a flattened parameter has no header: a field has one, by `#[schemars(extend(\"x-mcp-header\" = \"Region\"))]`"
        } else if !options.limits.is_empty() {
            "a flattened parameter has no limits: its fields have them, such as `#[schemars(range(min = 1))]`"
        } else {
            continue;
        };
        errors.at(flatten, message);
    }
}

/// Two parameters are repeated in headers whose names differ in more than capitals.
fn headers(parameters: &[Parameter], errors: &mut Errors) {
    let mut known: HashMap<String, &Parameter> = HashMap::new();
    for parameter in parameters.iter().filter(|parameter| parameter.cfgs.is_empty()) {
        let Some(header) = &parameter.options.header else { continue };
        if let Some(earlier) = known.insert(header.value().to_ascii_lowercase(), parameter) {
            let message = format!("two parameters have this header: `{}` and `{}`", earlier.ident, parameter.ident);
            errors.at(header, message);
        }
    }
}

/// Holds the variables of an address against the parameters.
fn variables(offer: &Offer, address: &Address, errors: &mut Errors) {
    let is_parameter = |variable: &str| offer.parameters.iter().any(|parameter| parameter.is_called(variable));
    let mut missing: Vec<&str> =
        address.variables.iter().map(String::as_str).filter(|variable| !is_parameter(variable)).collect();
    for parameter in offer.parameters.iter().filter(|parameter| !address.has(parameter)) {
        let name = parameter.ident.unraw().to_string();
        if let Some(meant) = nearest(&name, &missing) {
            let message = format!("`{name}` is no variable of the address; did you mean `{meant}`?");
            errors.at(&parameter.ident, message);
            missing.retain(|variable| *variable != meant);
            continue;
        }
        let ParameterOptions { default, complete, raw, .. } = &parameter.options;
        for (is_there, option) in
            [(default.is_some(), "default"), (complete.is_some(), "complete"), (raw.is_some(), "raw")]
        {
            if is_there {
                let message =
                    format!("`{option}` is about a variable of the address, and it has none that is called `{name}`");
                errors.at(&parameter.ident, message);
                break;
            }
        }
    }
    for variable in missing {
        let message = format!("the address has a variable `{variable}`: add a parameter `{variable}`");
        errors.at_span(address.span, message);
    }
    if let Some(size) = offer.settings.iter().find(|setting| setting.method == "size")
        && !address.variables.is_empty()
    {
        errors.at(&size.method, "each resource of a template has a size of its own: remove this");
    }
}

/// Checks what only shows in a whole block.
pub(crate) fn block(block: &Block, options: &BlockOptions, offers: &[Offer], errors: &mut Errors) {
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
    let mut is_seen = block.parsed.trait_.is_none() && !errors.is_told();
    for item in &block.items {
        match item {
            BlockItem::Macro(invocation) => {
                is_seen = false;
                let message = "what this macro would make can't be seen here: \
                               write it out, or let the macro make the whole `#[server]` block";
                errors.at(&invocation.mac.path, message);
            }
            BlockItem::Function(function) => {
                for (attr, kind) in function.attrs.iter().filter_map(|attr| Some((attr, hides_kind(attr)?))) {
                    is_seen = false;
                    let attribute = kind.attribute();
                    let message =
                        format!("this `{attribute}` can't be seen: write it out and put `#[cfg(…)]` on the method");
                    errors.at(attr, message);
                }
            }
            BlockItem::Other(_) => {}
        }
    }
    if is_seen && options.parts.is_empty() && block.offers().next().is_none() {
        let message = "this server offers nothing: put `#[tool]`, `#[resource(\"…\")]` or `#[prompt]` on methods";
        errors.at(self_ty, message);
    }
    let functions: Vec<&Function> = block.functions().filter(|function| is_always_there(function)).collect();
    if (1..functions.len()).any(|at| functions[..at].iter().any(|it| it.sig.ident == functions[at].sig.ident)) {
        errors.leave_to_the_compiler();
    }
    duplicates(offers, errors);
}

/// Whether no attribute could take it away, as `#[cfg(…)]` does, and those of other libraries may.
fn is_always_there(function: &Function) -> bool {
    const INERT: [&str; 8] = ["allow", "deny", "deprecated", "doc", "expect", "inline", "must_use", "warn"];
    let is_inert = |attr: &Attribute| kind(attr).is_some() || INERT.iter().any(|name| attr.path().is_ident(name));
    function.attrs.iter().all(is_inert)
}

fn duplicates(offers: &[Offer], errors: &mut Errors) {
    let mut known: HashMap<(&str, &str), &Offer> = HashMap::new();
    for offer in offers {
        let word = offer.kind.word();
        let (text, span, have) = match (offer.kind, &offer.address) {
            (Kind::Resource, Some(Address { text, span, .. })) => (text, *span, "have the address"),
            (Kind::Resource, None) => continue,
            (Kind::Tool | Kind::Prompt, _) => (&offer.name.text, offer.name.span, "are named"),
        };
        let Some(earlier) = known.insert((word, text), offer) else { continue };
        // Of two with a condition, perhaps only one is there; the server looks again when it starts.
        if (earlier.cfgs.is_empty() || offer.cfgs.is_empty()) && earlier.ident != offer.ident {
            let message = format!("two {word}s {have} `{text}`: `{}` and `{}`", earlier.ident, offer.ident);
            errors.at_span(span, message);
        }
    }
}

/// If a type borrows, what to use instead.
pub(crate) fn borrows(ty: &Type) -> Option<String> {
    find(ty.to_token_stream(), &|tokens| borrowed(tokens))
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
