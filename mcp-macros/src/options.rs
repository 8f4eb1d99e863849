//! What stands in the parentheses of `#[tool(…)]` and `#[server(…)]`.

use proc_macro2::{TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprLit, ExprPath, Ident, Lit, LitStr, Path, Token, Type, parse_quote, token};

use crate::check::PRIMITIVES;
use crate::errors::{Errors, nearest};
use crate::model::{Annotation, DefaultValue, Library, Name};

/// The options of `#[tool]` on a function.
#[derive(Default)]
pub(crate) struct ToolOptions {
    pub(crate) name: Option<Name>,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) annotations: Vec<Annotation>,
    pub(crate) timeout: Option<TokenStream>,
    pub(crate) library: Option<(Ident, Library)>,
}

const TOOL: &[&str] =
    &["name", "title", "description", "read_only", "destructive", "idempotent", "open_world", "timeout", "crate"];

/// Reads the options of `#[tool]` on a function.
pub(crate) fn tool(tokens: TokenStream, errors: &mut Errors) -> ToolOptions {
    let mut options = ToolOptions::default();
    for option in read(tokens, errors) {
        match option.name.to_string().as_str() {
            "name" => options.name = option.name(errors),
            "title" => options.title = option.text(errors),
            "description" => options.description = option.text(errors),
            "read_only" | "destructive" | "idempotent" | "open_world" => {
                options.annotations.extend(option.annotation(errors));
            }
            "timeout" => options.timeout = option.duration(errors),
            "crate" => options.library = option.path(errors).map(|path| (option.name, Library(Some(path)))),
            "default" => {
                errors.at(option.name, "`default` belongs to a parameter: `fn f(#[tool(default = 10)] limit: u32)`")
            }
            "annotations" => {
                errors.at(option.name, "annotations are options of their own: `#[tool(read_only, open_world = false)]`")
            }
            _ => option.unknown("`#[tool]`", TOOL, errors),
        }
    }
    options
}

/// Reads the options of `#[server]`.
pub(crate) fn server(tokens: TokenStream, errors: &mut Errors) -> Library {
    let mut library = Library(None);
    for option in read(tokens, errors) {
        match option.name.to_string().as_str() {
            "crate" => library = Library(option.path(errors)),
            _ if TOOL.iter().any(|known| option.name == known) => {
                let message = format!("`{}` belongs to a tool: write it in the `#[tool(…)]` of a method", option.name);
                errors.at(option.name, message);
            }
            _ => option.unknown("`#[server]`", &["crate"], errors),
        }
    }
    library
}

/// Reads the options of `#[tool]` on a parameter.
pub(crate) fn parameter(tokens: TokenStream, errors: &mut Errors) -> Option<DefaultValue> {
    let mut default = None;
    for option in read(tokens, errors) {
        match option.name.to_string().as_str() {
            "default" => {
                default = Some(match option.value {
                    Some(value) => DefaultValue::Expr(Box::new(value)),
                    None => DefaultValue::OfType(option.name.span()),
                });
            }
            "description" => errors.at(option.name, "a parameter is described by a doc comment: put `/// …` above it"),
            "name" => errors.at(option.name, "a parameter goes by its own name: rename the parameter itself"),
            _ if TOOL.iter().any(|known| option.name == known) => {
                let message = format!("`{}` belongs to the tool: write it above the function", option.name);
                errors.at(option.name, message);
            }
            _ => option.unknown("`#[tool]` on a parameter", &["default"], errors),
        }
    }
    default
}

/// Reads `#[serde(…)]` on a parameter.
pub(crate) fn serde(tokens: TokenStream, errors: &mut Errors) -> Option<DefaultValue> {
    let mut default = None;
    for option in read(tokens, errors) {
        if option.name != "default" {
            let message = format!(
                "only `#[serde(default)]` is read on a parameter; `{}` works on a field of a struct",
                option.name
            );
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
                    let message = "serde's `default` names a function, such as `default = \"ten\"`; \
                                   for a value write `#[tool(default = …)]`";
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
            if !input.is_empty() && !input.peek(Token![,]) {
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
    if input.peek(LitStr) {
        return Err(input.error("an option has a name, such as `name = \"…\"` or `description = \"…\"`"));
    }
    let name = input.call(Ident::parse_any).map_err(|error| syn::Error::new(error.span(), "expected an option"))?;
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
    Ok(Entry { name, value: Some(input.parse()?) })
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
    fn annotation(&self, errors: &mut Errors) -> Option<Annotation> {
        let value = match &self.value {
            None => parse_quote!(true),
            Some(value) if matches!(literal(value), None | Some(Lit::Bool(_))) => value.clone(),
            Some(_) => {
                self.mistyped(&format!("`{0}` takes `true` or `false`, or stands alone for `true`", self.name), errors);
                return None;
            }
        };
        Some(Annotation { name: self.name.clone(), value })
    }

    /// `= 30`, `= 0.5` or an expression of type `Duration`.
    fn duration(&self, errors: &mut Errors) -> Option<TokenStream> {
        const SECONDS: &str = "`timeout` takes seconds, such as `timeout = 30` or `timeout = 0.5`, or a `Duration`";
        let span = self.value.span();
        match (&self.value, self.value.as_ref().and_then(literal)) {
            (Some(_), Some(Lit::Int(seconds))) if seconds.suffix().is_empty() => match seconds.base10_parse::<u64>() {
                Ok(0) => errors.at(seconds, "a `timeout` of no time at all would stop every call"),
                Ok(seconds) => return Some(quote_spanned!(span=> ::core::time::Duration::from_secs(#seconds))),
                Err(_) => self.mistyped(SECONDS, errors),
            },
            (Some(_), Some(Lit::Float(seconds))) if seconds.suffix().is_empty() => {
                match seconds.base10_parse::<f64>() {
                    Ok(0.0) => errors.at(seconds, "a `timeout` of no time at all would stop every call"),
                    Ok(value) if value < u64::MAX as f64 => {
                        return Some(quote_spanned!(span=> ::core::time::Duration::from_secs_f64(#seconds)));
                    }
                    _ => self.mistyped(SECONDS, errors),
                }
            }
            (Some(Expr::Unary(_)), _) | (None, _) | (_, Some(_)) => self.mistyped(SECONDS, errors),
            (Some(duration), None) => return Some(quote!(#duration)),
        }
        None
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
        let message = match nearest(&self.name.to_string(), known) {
            Some(meant) => format!("{place} has no option `{}`; did you mean `{meant}`?", self.name),
            None => format!("{place} has no option `{}`; it has `{}`", self.name, known.join("`, `")),
        };
        errors.at(&self.name, message);
    }
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
        match &**expr {
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
