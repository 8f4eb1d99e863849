//! What stands in the parentheses of `#[tool(…)]`, `#[resource(…)]`, `#[prompt(…)]` and `#[server(…)]`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token, Type, parse_quote, token};

use crate::check::PRIMITIVES;
use crate::errors::{Errors, nearest};
use crate::model::{BlockOptions, Complete, DefaultValue, Kind, Library, Limit, Name, ParameterOptions, Setting};

/// The options of a function.
pub(crate) struct Options {
    /// Of a resource: where it is, as it was written.
    pub(crate) address: Option<LitStr>,
    pub(crate) name: Option<Name>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) library: Library,
}

const TOOL: &[&str] = &[
    "name",
    "title",
    "description",
    "read_only",
    "destructive",
    "idempotent",
    "open_world",
    "timeout",
    "scopes",
    "icon",
    "meta",
    "crate",
];

const TOOL_PARAMETER: &[&str] = &[
    "default",
    "header",
    "flatten",
    "minimum",
    "maximum",
    "exclusive_minimum",
    "exclusive_maximum",
    "multiple_of",
    "min_length",
    "max_length",
    "pattern",
    "min_items",
    "max_items",
    "unique_items",
];

const RESOURCE: &[&str] = &[
    "name",
    "title",
    "description",
    "mime_type",
    "size",
    "audience",
    "priority",
    "ttl",
    "scope",
    "icon",
    "meta",
    "crate",
];

const PROMPT: &[&str] = &["name", "title", "description", "icon", "meta", "crate"];

impl Kind {
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::Tool => TOOL,
            Self::Resource => RESOURCE,
            Self::Prompt => PROMPT,
        }
    }

    /// The options of a parameter.
    fn parameter_options(self) -> &'static [&'static str] {
        match self {
            Self::Tool => TOOL_PARAMETER,
            Self::Resource => &["default", "complete", "raw"],
            Self::Prompt => &["default", "title", "complete"],
        }
    }

    fn has(self, option: &Ident) -> bool {
        self.options().iter().any(|known| option == known)
    }
}

/// Reads the options of a function. `at` is where its attribute stands, and `block` the path of the library in the
/// block around it.
pub(crate) fn offer(
    kind: Kind,
    tokens: TokenStream,
    at: Span,
    block: Option<&Library>,
    errors: &mut Errors,
) -> Options {
    let (address, tokens) = match kind {
        Kind::Resource => address(tokens, at, errors),
        Kind::Tool | Kind::Prompt => (None, tokens),
    };
    let library = block.cloned().unwrap_or(Library(None));
    let mut options = Options { address, name: None, title: None, description: None, settings: Vec::new(), library };
    let mut of_resource = ResourceOptions::default();
    for option in read(tokens, errors) {
        match option.name.to_string().as_str() {
            "name" => options.name = option.name(errors),
            "title" => options.title = option.text(errors),
            "description" => options.description = option.text(errors),
            "icon" => options.settings.extend(option.expression("an `Icon`, such as `icon = logo()`", errors)),
            "meta" => {
                let what = "a `serde_json::Value`, such as `meta = json!({ \"example.com/shelf\": 7 })`";
                options.settings.extend(option.expression(what, errors));
            }
            "crate" if block.is_some() => {
                errors.at(option.name, "`crate` belongs to the block: `#[server(crate = …)]`");
            }
            "crate" => options.library = Library(option.path(errors)),
            name if kind == Kind::Tool && ["read_only", "destructive", "idempotent", "open_world"].contains(&name) => {
                options.settings.extend(option.annotation(errors));
            }
            "timeout" if kind == Kind::Tool => {
                let stops = "a `timeout` of no time at all would stop every call";
                let timeout = option.duration(Some(stops), errors);
                options.settings.extend(timeout.map(|timeout| option.setting(timeout)));
            }
            "scopes" if kind == Kind::Tool => options.settings.extend(option.scopes(errors)),
            "annotations" if kind == Kind::Tool => {
                errors.at(option.name, "annotations are options of their own: `#[tool(read_only, open_world = false)]`")
            }
            _ if kind == Kind::Resource && of_resource.read(&option, &mut options.settings, errors) => {}
            "default" => {
                let message =
                    format!("`default` belongs to a parameter: `fn f(#[{}(default = 10)] limit: u32)`", kind.word());
                errors.at(option.name, message);
            }
            name if kind.parameter_options().contains(&name) => {
                let message =
                    format!("`{name}` belongs to a parameter: `fn f(#[{}({name} …)] name: String)`", kind.word());
                errors.at(option.name, message);
            }
            _ => option.unknown(&format!("`#[{}]`", kind.word()), kind.options(), errors),
        }
    }
    options.settings.extend(of_resource.settings(&options.library, errors));
    options
}

/// Takes the address of a resource off the front of its options.
fn address(tokens: TokenStream, at: Span, errors: &mut Errors) -> (Option<LitStr>, TokenStream) {
    let mut address = None;
    let parse = |input: ParseStream<'_>| {
        if input.peek(LitStr) {
            address = Some(input.parse::<LitStr>()?);
            if !input.is_empty() && !input.peek(Token![,]) {
                errors.push(input.error("a comma is missing before this"));
            }
            input.parse::<Option<Token![,]>>()?;
            return input.parse::<TokenStream>();
        }
        let next = input.fork();
        let option = next.call(Ident::parse_any).ok();
        match option {
            Some(name) if name == "uri" || name == "address" || name == "template" => {
                errors.at(name, "the address of a resource stands first, by itself: `#[resource(\"shop://catalog\")]`");
                skip_entry(input)?;
                input.parse::<Option<Token![,]>>()?;
            }
            Some(name) if next.peek(Token![=]) && !next.peek(Token![==]) || Kind::Resource.has(&name) => {
                errors.at_span(input.span(), MISSING);
            }
            None if input.is_empty() => errors.at_span(at, MISSING),
            _ => {
                let mut wrong = TokenStream::new();
                while !input.is_empty() && !input.peek(Token![,]) {
                    wrong.extend([input.parse::<TokenTree>()?]);
                }
                errors.at(wrong, "the address of a resource is a string literal, such as `\"shop://catalog\"`");
                input.parse::<Option<Token![,]>>()?;
            }
        }
        input.parse::<TokenStream>()
    };
    let rest = parse.parse2(tokens).unwrap_or_else(|error| {
        errors.push(error);
        TokenStream::new()
    });
    (address, rest)
}

const MISSING: &str =
    "a resource has an address: `#[resource(\"shop://catalog\")]`, or `#[resource(\"shop://orders/{id}\")]`";

/// The options of `#[resource]` that belong together.
#[derive(Default)]
struct ResourceOptions {
    /// A variant of `Role`.
    audience: Option<Ident>,
    priority: Option<TokenStream>,
    ttl: Option<TokenStream>,
    /// The option, and a variant of `CacheScope`.
    scope: Option<(Ident, Option<Ident>)>,
    has_ttl: bool,
}

impl ResourceOptions {
    /// Reads one option, and gives whether it is one of a resource.
    fn read(&mut self, option: &Entry, settings: &mut Vec<Setting>, errors: &mut Errors) -> bool {
        match option.name.to_string().as_str() {
            "mime_type" => settings.extend(option.text(errors).map(|text| option.setting(text.to_token_stream()))),
            "size" => settings.extend(option.size(errors)),
            "audience" => {
                self.audience = option.word(&[("user", "User"), ("assistant", "Assistant")], errors);
            }
            "priority" => self.priority = option.priority(errors),
            "ttl" => {
                self.has_ttl = true;
                self.ttl = option.duration(None, errors);
            }
            "scope" => {
                let scope = option.word(&[("public", "Public"), ("private", "Private")], errors);
                self.scope = Some((option.name.clone(), scope));
            }
            "annotations" => {
                let message = "annotations are options of their own: `audience = \"user\"`, `priority = 0.5`";
                errors.at(&option.name, message);
            }
            _ => return false,
        }
        true
    }

    fn settings(self, library: &Library, errors: &mut Errors) -> Vec<Setting> {
        let mut settings = Vec::new();
        if self.audience.is_some() || self.priority.is_some() {
            let audience = self.audience.map(|role| quote!(audience: ::std::vec![#library::protocol::Role::#role],));
            let priority = self.priority.map(|priority| quote!(priority: ::core::option::Option::Some(#priority),));
            settings.push(Setting {
                method: Ident::new("annotations", Span::call_site()),
                arguments: quote! {
                    #library::protocol::Annotations { #audience #priority ..::core::default::Default::default() }
                },
            });
        }
        match (self.ttl, self.scope) {
            (Some(ttl), scope) => {
                // Unless it says so, nobody else may see it.
                let scope =
                    scope.and_then(|(_, scope)| scope).unwrap_or_else(|| Ident::new("Private", Span::call_site()));
                settings.push(Setting {
                    method: Ident::new("cache", Span::call_site()),
                    arguments: quote!(#ttl, #library::protocol::CacheScope::#scope),
                });
            }
            (None, Some((option, _))) if !self.has_ttl => {
                errors.at(option, "`scope` says who may keep the contents: say for how long, such as `ttl = 60`");
            }
            (None, _) => {}
        }
        settings
    }
}

/// The keyword of JSON Schema that an option of a parameter stands for.
fn keyword(option: &str) -> Option<&'static str> {
    Some(match option {
        "minimum" => "minimum",
        "maximum" => "maximum",
        "exclusive_minimum" => "exclusiveMinimum",
        "exclusive_maximum" => "exclusiveMaximum",
        "multiple_of" => "multipleOf",
        "min_length" => "minLength",
        "max_length" => "maxLength",
        "pattern" => "pattern",
        "min_items" => "minItems",
        "max_items" => "maxItems",
        "unique_items" => "uniqueItems",
        _ => return None,
    })
}

/// Reads the options of `#[server]`.
pub(crate) fn server(tokens: TokenStream, errors: &mut Errors) -> BlockOptions {
    let mut options = BlockOptions { library: Library(None), part: None, parts: Vec::new() };
    for option in read(tokens, errors) {
        let kind = [Kind::Tool, Kind::Resource, Kind::Prompt].into_iter().find(|kind| kind.has(&option.name));
        match (option.name.to_string().as_str(), kind) {
            ("crate", _) => options.library = Library(option.path(errors)),
            ("part", _) => match option.value.as_ref().and_then(single_name) {
                Some(name) => options.part = Some(name.clone()),
                None => option.mistyped("`part` takes a name for this block, such as `part = stock`", errors),
            },
            ("parts", _) => match option.names() {
                Some(names) => options.parts = names,
                None => {
                    let message = "`parts` takes the names of the other blocks, such as `parts = [stock, orders]`";
                    option.mistyped(message, errors);
                }
            },
            (name, Some(kind)) => {
                let word = kind.word();
                let message = format!("`{name}` belongs to a {word}: write it in the `#[{word}(…)]` of a method");
                errors.at(option.name, message);
            }
            _ => option.unknown("`#[server]`", &["part", "parts", "crate"], errors),
        }
    }
    let mut names: Vec<&Ident> = options.part.iter().collect();
    for part in &options.parts {
        if options.part.as_ref() == Some(part) {
            errors.at(part, format!("`{part}` is this block itself: `parts` lists the others"));
        } else if names.contains(&part) {
            errors.at(part, format!("`{part}` is listed twice"));
        }
        names.push(part);
    }
    options
}

/// Reads the options of an attribute on a parameter.
pub(crate) fn parameter(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> ParameterOptions {
    let mut options = ParameterOptions::default();
    let known = kind.parameter_options();
    for option in read(tokens, errors) {
        match option.name.to_string().as_str() {
            "default" => {
                options.default = Some(match option.value {
                    Some(value) => DefaultValue::Expr(Box::new(value)),
                    None => DefaultValue::OfType(option.name.span()),
                });
            }
            "title" if known.contains(&"title") => options.title = option.text(errors),
            "complete" if known.contains(&"complete") => match option.value {
                Some(function) if literal(&function).is_none() => options.complete = Some(Complete::Function(function)),
                _ => option.mistyped("`complete` takes a function, such as `complete = names`", errors),
            },
            "complete" => errors.at(
                option.name,
                "an argument of a tool is not completed: a model writes it; prompts and resources have `complete`",
            ),
            "raw" if known.contains(&"raw") => match option.value {
                None => options.raw = Some(option.name),
                Some(_) => option.mistyped("`raw` stands alone: `#[resource(raw)]`", errors),
            },
            "header" if known.contains(&"header") => options.header = option.header(errors),
            "flatten" if known.contains(&"flatten") => match option.value {
                None => options.flatten = Some(option.name),
                Some(_) => option.mistyped("`flatten` stands alone: `#[tool(flatten)]`", errors),
            },
            name if known.contains(&"minimum") && keyword(name).is_some() => {
                options.limits.extend(keyword(name).and_then(|keyword| option.limit(keyword, errors)));
            }
            "description" => errors.at(option.name, "a parameter is described by a doc comment: put `/// …` above it"),
            "name" => errors.at(option.name, "a parameter goes by its own name: rename the parameter itself"),
            _ if kind.has(&option.name) => {
                let message = format!("`{}` belongs to the {}: write it above the function", option.name, kind.word());
                errors.at(option.name, message);
            }
            _ => option.unknown(&format!("`#[{}]` on a parameter", kind.word()), known, errors),
        }
    }
    options
}

/// Reads `#[serde(…)]` on a parameter.
pub(crate) fn serde(kind: Kind, tokens: TokenStream, errors: &mut Errors) -> Option<DefaultValue> {
    let mut default = None;
    for option in read(tokens, errors) {
        let message = match option.name.to_string().as_str() {
            "default" => None,
            "flatten" if kind == Kind::Tool => {
                Some("the fields of a parameter are arguments by `#[tool(flatten)]`".into())
            }
            "rename" => Some("a parameter goes by its own name: rename the parameter itself".into()),
            name => {
                Some(format!("only `#[serde(default)]` is read on a parameter; `{name}` works on a field of a struct"))
            }
        };
        if let Some(message) = message {
            errors.at(option.name, message);
            continue;
        }
        match &option.value {
            None => default = Some(DefaultValue::OfType(option.name.span())),
            Some(value) => match literal(value) {
                Some(Lit::Str(path)) => match path.parse::<ExprPath>() {
                    Ok(path) => default = Some(DefaultValue::Function(path)),
                    Err(_) => errors.at(path, "serde's `default` names a function, such as `default = \"ten\"`"),
                },
                _ => {
                    let word = kind.word();
                    let message = format!(
                        "serde's `default` names a function, such as `default = \"ten\"`; \
                         for a value write `#[{word}(default = …)]`"
                    );
                    errors.at(value, message);
                }
            },
        }
    }
    default
}

/// `name` or `name = value`.
struct Entry {
    name: Ident,
    value: Option<Expr>,
}

/// Reads `a, b = 1, …`; what cannot be read is reported and left out. A second entry of one name is, too.
fn read(tokens: TokenStream, errors: &mut Errors) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let parse = |input: ParseStream<'_>| {
        while !input.is_empty() {
            match entry(input) {
                Ok(entry) => match entries.iter().find(|earlier| earlier.name == entry.name) {
                    Some(_) => errors.at(&entry.name, format!("`{}` is given twice", entry.name)),
                    None => entries.push(entry),
                },
                Err(error) => {
                    errors.push(error);
                    skip_entry(input)?;
                }
            }
            if input.peek(Token![;]) {
                errors.push(input.error("options are separated by commas: write `,` here"));
                input.parse::<Token![;]>()?;
            } else if !input.is_empty() && !input.peek(Token![,]) {
                errors.push(input.error("a comma is missing before this"));
                skip_entry(input)?;
            }
            input.parse::<Option<Token![,]>>()?;
        }
        Ok(())
    };
    if let Err(error) = parse.parse2(tokens) {
        errors.push(error);
    }
    entries
}

fn skip_entry(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

fn entry(input: ParseStream<'_>) -> syn::Result<Entry> {
    if input.peek(Token![,]) {
        return Err(input.error("there is a comma too many: remove this"));
    }
    if input.peek(Token![!]) {
        let not = input.parse::<Token![!]>()?;
        let name = input.call(Ident::parse_any).map_or_else(|_| "read_only".to_owned(), |name| name.to_string());
        return Err(syn::Error::new(not.span, format!("an option is denied by its value: `{name} = false`")));
    }
    let name = input.call(Ident::parse_any).map_err(|error| {
        syn::Error::new(error.span(), "an option has a name, such as `name = \"…\"` or `description = \"…\"`")
    })?;
    if input.peek(Token![-]) {
        let mut words = vec![name.clone()];
        let mut whole = name.to_token_stream();
        while let Some(minus) = input.parse::<Option<Token![-]>>()? {
            let word = input.call(Ident::parse_any)?;
            whole.extend(quote!(#minus #word));
            words.push(word);
        }
        let words: Vec<String> = words.iter().map(Ident::to_string).collect();
        return Err(syn::Error::new_spanned(whole, format!("an option has `_` in its name: `{}`", words.join("_"))));
    }
    if input.peek(Token![::]) {
        return Err(input.error("an option has a plain name, such as `name = \"…\"` or `description = \"…\"`"));
    }
    if input.peek(token::Paren)
        && let Some(meant) = other_word(&name)
    {
        return Err(syn::Error::new(name.span(), format!("`{name}` is written as {meant}")));
    }
    if input.peek(token::Paren) && name != "annotations" {
        return Err(input.error(format!("`{name}` takes its value after `=`: `{name} = …`")));
    }
    if input.peek(token::Paren) {
        input.parse::<TokenTree>()?;
    }
    if input.peek(Token![:]) {
        return Err(input.error(format!("`{name}` takes its value after `=`: `{name} = …`")));
    }
    let Some(equals) = input.parse::<Option<Token![=]>>()? else { return Ok(Entry { name, value: None }) };
    if input.is_empty() || input.peek(Token![,]) {
        return Err(syn::Error::new(equals.span, format!("`{name} =` lacks its value")));
    }
    let mut value: Expr = input.parse()?;
    // Around what a `macro_rules!` has put there.
    while let Expr::Group(group) = value {
        value = *group.expr;
    }
    Ok(Entry { name, value: Some(value) })
}

impl Entry {
    /// `= "…"`.
    fn name(&self, errors: &mut Errors) -> Option<Name> {
        match self.value.as_ref().and_then(literal) {
            Some(Lit::Str(name)) => Some(Name { text: name.value(), span: name.span() }),
            _ => {
                self.mistyped("`name` takes a string literal, such as `name = \"export_orders\"`", errors);
                None
            }
        }
    }

    /// `= "…"`, or an expression that may well be a string.
    fn text(&self, errors: &mut Errors) -> Option<Expr> {
        match &self.value {
            Some(value) if matches!(literal(value), None | Some(Lit::Str(_))) => Some(value.clone()),
            _ => {
                self.mistyped(&format!("`{0}` takes a text, such as `{0} = \"…\"`", self.name), errors);
                None
            }
        }
    }

    /// Nothing, `= true`, `= false`, or an expression.
    fn annotation(&self, errors: &mut Errors) -> Option<Setting> {
        let value: Expr = match &self.value {
            None => parse_quote!(true),
            Some(value) if matches!(literal(value), None | Some(Lit::Bool(_))) => value.clone(),
            Some(_) => {
                self.mistyped(&format!("`{0}` takes `true` or `false`, or stands alone for `true`", self.name), errors);
                return None;
            }
        };
        Some(self.setting(value.to_token_stream()))
    }

    /// `= 30`, `= 0.5` or an expression of type `Duration`. `of_zero`: what is wrong with no time at all, if it is.
    fn duration(&self, of_zero: Option<&str>, errors: &mut Errors) -> Option<TokenStream> {
        let seconds = format!("`{0}` takes seconds, such as `{0} = 30` or `{0} = 0.5`, or a `Duration`", self.name);
        let span = self.value.span();
        match (&self.value, self.value.as_ref().and_then(literal)) {
            (Some(_), Some(Lit::Int(number))) if number.suffix().is_empty() => {
                match (number.base10_parse::<u64>(), of_zero) {
                    (Ok(0), Some(fault)) => errors.at(number, fault),
                    (Ok(number), _) => return Some(quote_spanned!(span=> ::core::time::Duration::from_secs(#number))),
                    (Err(_), _) => self.mistyped(&seconds, errors),
                }
            }
            (Some(_), Some(Lit::Float(number))) if number.suffix().is_empty() => {
                match (number.base10_parse::<f64>(), of_zero) {
                    (Ok(0.0), Some(fault)) => errors.at(number, fault),
                    (Ok(value), _) if value < u64::MAX as f64 => {
                        return Some(quote_spanned!(span=> ::core::time::Duration::from_secs_f64(#number)));
                    }
                    _ => self.mistyped(&seconds, errors),
                }
            }
            (Some(Expr::Unary(_)), _) | (None, _) | (_, Some(_)) => self.mistyped(&seconds, errors),
            (Some(duration), None) => return Some(quote!(#duration)),
        }
        None
    }

    /// `= ["…", "…"]`, or an expression that may well be a list of texts.
    fn scopes(&self, errors: &mut Errors) -> Option<Setting> {
        let is_text = |scope: &Expr| matches!(literal(scope), None | Some(Lit::Str(_)));
        match &self.value {
            Some(Expr::Array(list)) if list.elems.is_empty() => {
                errors.at(list, "a tool that asks for no scope is for everybody: remove `scopes`");
                None
            }
            Some(Expr::Array(list)) if list.elems.iter().all(is_text) => {
                let faults = errors.len();
                for scope in &list.elems {
                    if let Some(Lit::Str(scope)) = literal(scope)
                        && !is_scope(&scope.value())
                    {
                        errors.at(scope, "a scope is of visible ASCII without spaces, `\"` and `\\`");
                    }
                }
                (errors.len() == faults).then(|| self.setting(list.to_token_stream()))
            }
            Some(value) if literal(value).is_none() && !matches!(value, Expr::Array(_)) => {
                Some(self.setting(value.to_token_stream()))
            }
            _ => {
                self.mistyped("`scopes` takes a list of texts, such as `scopes = [\"orders:write\"]`", errors);
                None
            }
        }
    }

    /// `= "…"`: what a name of a header can end with.
    fn header(&self, errors: &mut Errors) -> Option<LitStr> {
        let Some(Lit::Str(name)) = self.value.as_ref().and_then(literal) else {
            self.mistyped("`header` takes a string literal, such as `header = \"Region\"`", errors);
            return None;
        };
        // RFC 9110, section 5.6.2: a token.
        let allowed = |c: &char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(*c);
        let text = name.value();
        if text.is_empty() {
            errors.at(name, "the name of a header can't be empty");
            return None;
        }
        if !text.chars().all(|c| allowed(&c)) {
            let fitting: String = text.chars().map(|c| if allowed(&c) { c } else { '-' }).collect();
            errors.at(name, format!("this can't be in the name of a header: take `header = \"{fitting}\"`"));
            return None;
        }
        Some(name.clone())
    }

    /// `= [a, b]`: names.
    fn names(&self) -> Option<Vec<Ident>> {
        let Some(Expr::Array(list)) = &self.value else { return None };
        list.elems.iter().map(|name| single_name(name).cloned()).collect()
    }

    /// What a keyword of JSON Schema is given: a literal of the kind that it takes, or an expression.
    fn limit(&self, keyword: &'static str, errors: &mut Errors) -> Option<Limit> {
        let (is_negative, literal) = match &self.value {
            Some(Expr::Unary(unary)) if matches!(unary.op, syn::UnOp::Neg(_)) && literal(&unary.expr).is_some() => {
                (true, literal(&unary.expr))
            }
            value => (false, value.as_ref().and_then(literal)),
        };
        let value = match (keyword, &self.value, literal) {
            ("uniqueItems", None, _) => Some(quote!(true)),
            ("uniqueItems", Some(value), Some(Lit::Bool(_)))
            | ("pattern", Some(value), Some(Lit::Str(_)))
            | ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Some(value), Some(Lit::Float(_))) => {
                Some(value.to_token_stream())
            }
            ("multipleOf", Some(value), Some(Lit::Float(_))) if !is_negative => Some(value.to_token_stream()),
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", Some(_), Some(Lit::Int(number))) => {
                whole_number(number, is_negative)
            }
            ("multipleOf" | "minLength" | "maxLength" | "minItems" | "maxItems", Some(_), Some(Lit::Int(number))) => {
                whole_number(number, is_negative).filter(|_| !is_negative)
            }
            (_, Some(value), None) if !is_negative => Some(value.to_token_stream()),
            _ => None,
        };
        if value.is_none() {
            let what = match keyword {
                "uniqueItems" => "stands alone, or takes `true` or `false`".to_owned(),
                "pattern" => "takes a regular expression, such as `pattern = \"^[A-Z][0-9]+$\"`".to_owned(),
                "minLength" | "maxLength" => format!("takes a number of characters, such as `{} = 10`", self.name),
                "minItems" | "maxItems" => format!("takes a number of items, such as `{} = 10`", self.name),
                _ => format!("takes a number, such as `{} = 10`", self.name),
            };
            self.mistyped(&format!("`{}` {what}", self.name), errors);
        }
        Some(Limit { option: self.name.clone(), keyword, value: value? })
    }

    /// `= 1024`, or an expression of type `u64`.
    fn size(&self, errors: &mut Errors) -> Option<Setting> {
        match &self.value {
            Some(Expr::Unary(_)) | None => {}
            Some(value) => match literal(value) {
                None | Some(Lit::Int(_)) => return Some(self.setting(value.to_token_stream())),
                Some(_) => {}
            },
        }
        self.mistyped("`size` takes a number of bytes, such as `size = 1024`", errors);
        None
    }

    /// `= 0.5`, or an expression of type `f64`.
    fn priority(&self, errors: &mut Errors) -> Option<TokenStream> {
        let is_in_range = |value: syn::Result<f64>| value.is_ok_and(|value| (0.0..=1.0).contains(&value));
        match &self.value {
            Some(Expr::Unary(_)) | None => {}
            Some(value) => match literal(value) {
                None => return Some(value.to_token_stream()),
                Some(Lit::Float(number)) if is_in_range(number.base10_parse()) => return Some(quote!(#number)),
                Some(Lit::Int(number)) if is_in_range(number.base10_parse()) => {
                    let number = syn::LitFloat::new(&format!("{}.0", number.base10_digits()), number.span());
                    return Some(quote!(#number));
                }
                Some(_) => {}
            },
        }
        self.mistyped("`priority` takes a number from 0, for the least, to 1, for what is needed", errors);
        None
    }

    /// `= "…"`, one of the words, as the variant that belongs to it.
    fn word(&self, words: &[(&str, &str)], errors: &mut Errors) -> Option<Ident> {
        if let Some(Lit::Str(text)) = self.value.as_ref().and_then(literal)
            && let Some((_, variant)) = words.iter().find(|(word, _)| *word == text.value())
        {
            return Some(Ident::new(variant, text.span()));
        }
        let words: Vec<String> = words.iter().map(|(word, _)| format!("`\"{word}\"`")).collect();
        self.mistyped(&format!("`{}` takes {}", self.name, words.join(" or ")), errors);
        None
    }

    /// An expression that only the compiler can look at.
    fn expression(&self, what: &str, errors: &mut Errors) -> Option<Setting> {
        match &self.value {
            Some(value) if literal(value).is_none() => Some(self.setting(value.to_token_stream())),
            _ => {
                self.mistyped(&format!("`{}` takes {what}", self.name), errors);
                None
            }
        }
    }

    fn setting(&self, arguments: TokenStream) -> Setting {
        Setting { method: self.name.clone(), arguments }
    }

    /// `= some::path`, or the same in quotation marks, as serde has it.
    fn path(&self, errors: &mut Errors) -> Option<Path> {
        let path = match &self.value {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(path.path.clone()),
            Some(value) => match literal(value) {
                Some(Lit::Str(path)) => path.parse::<Path>().ok(),
                _ => None,
            },
            None => None,
        };
        if path.is_none() {
            self.mistyped("`crate` takes the path of the library, such as `crate = my_crate::mcp_server`", errors);
        }
        path
    }

    fn mistyped(&self, message: &str, errors: &mut Errors) {
        match &self.value {
            Some(value) => errors.at(value, message),
            None => errors.at(&self.name, message),
        }
    }

    fn unknown(&self, place: &str, known: &[&str], errors: &mut Errors) {
        let of_another = [Kind::Tool, Kind::Resource, Kind::Prompt]
            .into_iter()
            .filter(|kind| kind.has(&self.name))
            .map(Kind::attribute);
        if let Some(meant) = other_word(&self.name).filter(|_| known.contains(&"minimum")) {
            return errors.at(&self.name, format!("{place} has no option `{}`: it is written as {meant}", self.name));
        }
        let message = match (nearest(&self.name.to_string(), known), of_another.collect::<Vec<_>>().first()) {
            (Some(meant), None) => format!("{place} has no option `{}`; did you mean `{meant}`?", self.name),
            (_, Some(other)) => {
                format!("`{}` is an option of `{other}`; {place} has `{}`", self.name, known.join("`, `"))
            }
            (None, None) => format!("{place} has no option `{}`; it has `{}`", self.name, known.join("`, `")),
        };
        errors.at(&self.name, message);
    }
}

/// What is written for a word that other libraries have for a limit.
fn other_word(name: &Ident) -> Option<&'static str> {
    Some(match name.to_string().as_str() {
        "min" | "ge" => "`minimum = 1`",
        "max" | "le" => "`maximum = 10`",
        "gt" => "`exclusive_minimum = 0`",
        "lt" => "`exclusive_maximum = 10`",
        "range" => "`minimum = 1, maximum = 10`",
        "length" | "len" => "`min_length = 1, max_length = 10`",
        "regex" => "`pattern = \"^[A-Z]\"`",
        "optional" => "the type: an `Option`, or by a default",
        _ => return None,
    })
}

/// An expression that is one word.
fn single_name(expr: &Expr) -> Option<&Ident> {
    match expr {
        Expr::Path(ExprPath { qself: None, path, attrs }) if attrs.is_empty() => path.get_ident(),
        Expr::Group(group) => single_name(&group.expr),
        _ => None,
    }
}

/// A literal of a type that holds it, whatever it says of its own.
fn whole_number(number: &syn::LitInt, is_negative: bool) -> Option<TokenStream> {
    if is_negative {
        let number: i64 = format!("-{}", number.base10_digits()).parse().ok()?;
        return Some(quote!(#number));
    }
    let number: u64 = number.base10_parse().ok()?;
    Some(quote!(#number))
}

/// RFC 6749, section 3.3.
fn is_scope(scope: &str) -> bool {
    !scope.is_empty() && scope.chars().all(|c| c.is_ascii_graphic() && c != '"' && c != '\\')
}

/// The literal that an expression consists of, also when a `macro_rules!` has put it there.
fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(ExprLit { lit, .. }) => Some(lit),
        Expr::Group(group) => literal(&group.expr),
        _ => None,
    }
}

impl DefaultValue {
    /// The value as JSON, where it is a literal.
    pub(crate) fn json(&self) -> Option<String> {
        let Self::Expr(expr) = self else { return None };
        let mut expr = &**expr;
        while let Expr::Paren(inner) = expr {
            expr = &inner.expr;
        }
        match expr {
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => match literal(&unary.expr)? {
                number @ (Lit::Int(_) | Lit::Float(_)) => Some(format!("-{}", json(number)?)),
                _ => None,
            },
            expr => json(literal(expr)?),
        }
    }
}

fn json(literal: &Lit) -> Option<String> {
    match literal {
        Lit::Bool(value) => Some(value.value.to_string()),
        Lit::Int(value) => Some(value.base10_digits().to_owned()),
        Lit::Float(value) => {
            let digits = value.base10_digits();
            // Rust's `1.` is no JSON.
            Some(if digits.ends_with('.') { format!("{digits}0") } else { digits.to_owned() })
        }
        Lit::Str(value) => Some(json_string(&value.value())),
        Lit::Char(value) => Some(json_string(&value.value().to_string())),
        _ => None,
    }
}

fn json_string(text: &str) -> String {
    let mut json = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => json.extend(['\\', c]),
            '\n' => json.push_str("\\n"),
            '\u{0}'..='\u{1f}' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
    json
}

impl DefaultValue {
    /// A function without parameters that gives the value.
    pub(crate) fn function(&self, ty: &Type) -> TokenStream {
        let text = |expr: &Expr| matches!(literal(expr), Some(Lit::Str(_)));
        match self {
            Self::OfType(span) => quote_spanned!(*span=> ::core::default::Default::default),
            Self::Function(path) => quote!(#path),
            // `default = "celsius"` is meant for a `String` more often than for a `&'static str`.
            Self::Expr(expr) if text(expr) && !is_primitive(ty) => {
                quote_spanned!(expr.span()=> || ::core::convert::Into::into(#expr))
            }
            Self::Expr(expr) => quote!(|| #expr),
        }
    }
}

fn is_primitive(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if PRIMITIVES.iter().any(|name| ty.path.is_ident(name)))
}
