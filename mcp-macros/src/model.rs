//! What the author wrote, as far as a tool, a resource or a prompt needs it.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Expr, ExprPath, FnArg, Ident, ImplItemMacro, ItemImpl, LitStr, Meta, Pat, Path, Signature, Token, Type,
    Visibility, token,
};

/// A function as it was written. Its body stays tokens: only the compiler has to understand it.
#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) defaultness: Option<Token![default]>,
    pub(crate) sig: Signature,
    pub(crate) body: TokenTree,
}

/// What a function can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Tool,
    Resource,
    Prompt,
}

/// A function that a server offers: a tool, a resource or a prompt.
pub(crate) struct Offer {
    pub(crate) kind: Kind,
    /// The function's own name.
    pub(crate) ident: Ident,
    /// The name on the wire.
    pub(crate) name: Name,
    /// Of a resource, if it can be read.
    pub(crate) address: Option<Address>,
    pub(crate) title: Option<Expr>,
    /// The option, or else the doc comment: an expression.
    pub(crate) description: Option<TokenStream>,
    pub(crate) settings: Vec<Setting>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) returns: Type,
    /// Whether calling it gives a future.
    pub(crate) is_async: bool,
    /// The conditions under which it is there.
    pub(crate) cfgs: Vec<Attribute>,
    /// What is allowed to code that uses it.
    pub(crate) lints: Vec<Attribute>,
}

/// A name and the place that it comes from.
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// The address of a resource, or the template of addresses.
pub(crate) struct Address {
    pub(crate) text: String,
    pub(crate) span: Span,
    /// The variables of the template, in its order.
    pub(crate) variables: Vec<String>,
}

/// What a builder is told by one of its methods: `read_only(true)`, `timeout(…)`.
pub(crate) struct Setting {
    pub(crate) method: Ident,
    pub(crate) arguments: TokenStream,
}

/// A parameter that is named and typed.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The doc comment: an expression.
    pub(crate) description: Option<TokenStream>,
    pub(crate) options: ParameterOptions,
    pub(crate) cfgs: Vec<Attribute>,
}

/// What the attributes of a parameter say.
#[derive(Default)]
pub(crate) struct ParameterOptions {
    pub(crate) default: Option<DefaultValue>,
    /// The name that people read.
    pub(crate) title: Option<Expr>,
    /// What completes it.
    pub(crate) complete: Option<Complete>,
    /// The option that lets a variable have any value.
    pub(crate) raw: Option<Ident>,
    /// The name of the header that repeats it.
    pub(crate) header: Option<LitStr>,
    /// The option that makes its fields the arguments.
    pub(crate) flatten: Option<Ident>,
    /// What it may be.
    pub(crate) limits: Vec<Limit>,
}

/// A keyword of JSON Schema that limits an argument: `minimum`, `maxLength`.
pub(crate) struct Limit {
    /// The option.
    pub(crate) option: Ident,
    pub(crate) keyword: &'static str,
    pub(crate) value: TokenStream,
}

/// What completes a parameter.
pub(crate) enum Complete {
    /// A function, or what else is one.
    Function(Expr),
    /// `Self::name`, a method of the block.
    Method(Method),
}

/// A method that completes, as it is called.
pub(crate) struct Method {
    pub(crate) path: ExprPath,
    /// What it takes beside `&self`.
    pub(crate) takes: Type,
    pub(crate) is_async: bool,
}

/// What a parameter is when the caller leaves it out.
pub(crate) enum DefaultValue {
    /// What its type has for this.
    OfType(Span),
    /// A value.
    Expr(Box<Expr>),
    /// What a function returns.
    Function(ExprPath),
}

/// An `impl` block as it was written.
pub(crate) struct Block {
    /// Its tokens up to the braces …
    pub(crate) header: TokenStream,
    /// … and what they say.
    pub(crate) parsed: ItemImpl,
    /// The braces, for their place.
    pub(crate) braces: Group,
    pub(crate) inner_attrs: Vec<Attribute>,
    pub(crate) items: Vec<BlockItem>,
}

/// What `#[server]` says of its block.
pub(crate) struct BlockOptions {
    pub(crate) library: Library,
    /// The name of the block, if another lists it.
    pub(crate) part: Option<Ident>,
    /// The blocks that it lists.
    pub(crate) parts: Vec<Ident>,
}

/// What stands in an `impl` block.
pub(crate) enum BlockItem {
    Function(Box<Function>),
    Macro(ImplItemMacro),
    Other(TokenStream),
}

/// The path of `mcp_server` in the author's crate.
#[derive(Clone)]
pub(crate) struct Library(pub(crate) Option<Path>);

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::mcp_server)),
        }
    }
}

impl Address {
    /// Whether a parameter is one of the variables.
    pub(crate) fn has(&self, parameter: &Parameter) -> bool {
        self.variables.iter().any(|variable| parameter.is_called(variable))
    }
}

impl Offer {
    /// The methods of the block that complete its parameters.
    pub(crate) fn completing_methods(&self) -> impl Iterator<Item = &Ident> {
        self.parameters.iter().filter_map(|parameter| match &parameter.options.complete {
            Some(Complete::Method(method)) => method.path.path.segments.last().map(|segment| &segment.ident),
            _ => None,
        })
    }
}

impl Method {
    /// The place of its name.
    pub(crate) fn span(&self) -> Span {
        self.path.path.segments.last().map_or_else(Span::call_site, |name| name.ident.span())
    }
}

impl Parameter {
    /// Whether this is its name, without an `r#`.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.ident.unraw() == name
    }
}

impl Library {
    /// The path, placed where the compiler should point when it speaks of what follows.
    pub(crate) fn at(&self, span: Span) -> TokenStream {
        let place = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        match &self.0 {
            Some(path) => path.to_token_stream().into_iter().map(place).collect(),
            None => quote_spanned!(span=> ::mcp_server),
        }
    }
}

impl Function {
    /// Whether it has a body, as it must.
    pub(crate) fn has_body(&self) -> bool {
        matches!(self.body, TokenTree::Group(_))
    }

    /// What its attributes make of it, by their last segments: `#[tool]`, `#[mcp_server::tool]`.
    pub(crate) fn kind(&self) -> Option<Kind> {
        self.attrs.iter().find_map(kind)
    }

    /// Takes off what the macro has read, so that the rest is for the compiler.
    pub(crate) fn strip(&mut self) {
        self.attrs.retain(|attr| kind(attr).is_none() && !is_test(attr));
        if !self.has_body() {
            // The error has been told.
            self.body = Group::new(Delimiter::Brace, quote!(::core::unreachable!())).into();
        }
        for input in &mut self.sig.inputs {
            if let FnArg::Typed(parameter) = input {
                parameter.attrs.retain(|attr| !is_helper(attr));
            }
        }
    }
}

impl Kind {
    const ALL: [Self; 3] = [Self::Tool, Self::Resource, Self::Prompt];

    /// The attribute, and the word for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        }
    }

    /// As it is written.
    pub(crate) fn attribute(self) -> &'static str {
        match self {
            Self::Tool => "#[tool]",
            Self::Resource => "#[resource(\"…\")]",
            Self::Prompt => "#[prompt]",
        }
    }

    /// The type of the library, or another that begins with its name.
    pub(crate) fn type_name(self, ending: &str, span: Span) -> Ident {
        let name = match self {
            Self::Tool => "Tool",
            Self::Resource => "Resource",
            Self::Prompt => "Prompt",
        };
        Ident::new(&format!("{name}{ending}"), span)
    }

    /// The function that describes it: `fn tool() -> Tool`.
    pub(crate) fn describe(self) -> Ident {
        Ident::new(self.word(), Span::call_site())
    }

    fn of(name: &Ident) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| name == kind.word())
    }
}

/// What an attribute makes of its function: `#[tool…]`, `#[resource…]` or `#[prompt…]`, also by a path.
pub(crate) fn kind(attr: &Attribute) -> Option<Kind> {
    kind_of_path(attr.path())
}

pub(crate) fn kind_of_path(path: &Path) -> Option<Kind> {
    path.segments.last().and_then(|segment| Kind::of(&segment.ident))
}

/// Whether this is `#[test]`, or that of a library that runs tests.
pub(crate) fn is_test(attr: &Attribute) -> bool {
    const LIBRARIES: [&str; 4] = ["actix_rt", "async_std", "test_log", "tokio"];
    let mut segments = attr.path().segments.iter().map(|segment| &segment.ident);
    match (segments.next(), segments.next(), segments.next()) {
        (Some(name), None, _) => name == "test",
        (Some(library), Some(name), None) => name == "test" && LIBRARIES.iter().any(|known| library == known),
        _ => false,
    }
}

/// What is in a `#[cfg_attr(…, tool)]`: whether it is there, only the compiler knows.
pub(crate) fn hides_kind(attr: &Attribute) -> Option<Kind> {
    let Meta::List(list) = &attr.meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    list.tokens.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(word) => Kind::of(&word),
        _ => None,
    })
}

/// What the macro reads on a parameter or reports there, and the compiler must not see.
pub(crate) fn is_helper(attr: &Attribute) -> bool {
    kind(attr).is_some() || ["cfg_attr", "doc", "schemars", "serde"].iter().any(|name| attr.path().is_ident(name))
}

/// The name of a parameter, if it has just that.
pub(crate) fn name_of(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(&pattern.ident),
        _ => None,
    }
}

impl Block {
    /// The methods that are marked.
    pub(crate) fn offers(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            BlockItem::Function(function) if function.kind().is_some() => Some(&**function),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn offers_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.functions_mut().filter(|function| function.kind().is_some())
    }

    /// All methods, to be changed.
    pub(crate) fn functions_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.items.iter_mut().filter_map(|item| match item {
            BlockItem::Function(function) => Some(&mut **function),
            _ => None,
        })
    }

    /// All methods.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            BlockItem::Function(function) => Some(&**function),
            _ => None,
        })
    }

    /// Takes out what can't be seen through, after the errors about it.
    pub(crate) fn strip_unseen(&mut self) {
        self.items.retain(|item| !matches!(item, BlockItem::Macro(_)));
        for item in &mut self.items {
            if let BlockItem::Function(function) = item {
                function.attrs.retain(|attr| hides_kind(attr).is_none());
            }
        }
    }
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            defaultness: input.parse()?,
            sig: input.parse()?,
            body: if input.peek(token::Brace) || input.peek(Token![;]) {
                input.parse()?
            } else {
                return Err(input.error("expected a body"));
            },
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(&self.attrs);
        self.vis.to_tokens(tokens);
        self.defaultness.to_tokens(tokens);
        self.sig.to_tokens(tokens);
        self.body.to_tokens(tokens);
    }
}

impl ToTokens for Block {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.header.to_tokens(tokens);
        let (inner_attrs, items) = (&self.inner_attrs, &self.items);
        let mut braces = Group::new(Delimiter::Brace, quote!(#(#inner_attrs)* #(#items)*));
        braces.set_span(self.braces.span());
        braces.to_tokens(tokens);
    }
}

impl ToTokens for BlockItem {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Function(function) => function.to_tokens(tokens),
            Self::Macro(invocation) => invocation.to_tokens(tokens),
            Self::Other(item) => item.to_tokens(tokens),
        }
    }
}
