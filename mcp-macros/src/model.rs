//! What the author wrote, as far as a tool needs it.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt as _, quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, Expr, ExprPath, FnArg, Ident, ImplItemMacro, ItemImpl, Meta, Pat, Path, Signature, Token, Type,
    Visibility,
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

/// A function that is offered as a tool.
pub(crate) struct Tool {
    /// The function's own name.
    pub(crate) ident: Ident,
    /// The name on the wire.
    pub(crate) name: Name,
    pub(crate) title: Option<Expr>,
    /// The option, or else the doc comment: an expression.
    pub(crate) description: Option<TokenStream>,
    pub(crate) annotations: Vec<Annotation>,
    /// A `Duration`: an expression.
    pub(crate) timeout: Option<TokenStream>,
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

/// A hint to the client: `read_only`, `destructive`, `idempotent` or `open_world`.
pub(crate) struct Annotation {
    pub(crate) name: Ident,
    pub(crate) value: Expr,
}

/// A parameter that is named and typed.
pub(crate) struct Parameter {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The doc comment: an expression.
    pub(crate) description: Option<TokenStream>,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) cfgs: Vec<Attribute>,
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

/// What stands in an `impl` block.
pub(crate) enum BlockItem {
    Function(Box<Function>),
    Macro(ImplItemMacro),
    Other(TokenStream),
}

/// The path of `mcp_server` in the author's crate.
pub(crate) struct Library(pub(crate) Option<Path>);

impl ToTokens for Library {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match &self.0 {
            Some(path) => path.to_tokens(tokens),
            None => tokens.extend(quote!(::mcp_server)),
        }
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

    /// Whether `tool` is among the attributes, by its last segment: `#[tool]`, `#[mcp_server::tool]`.
    pub(crate) fn is_tool(&self) -> bool {
        self.attrs.iter().any(is_tool)
    }

    /// Takes off what the macro has read, so that the rest is for the compiler.
    pub(crate) fn strip(&mut self) {
        self.attrs.retain(|attr| !is_tool(attr));
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

/// `#[tool…]`, also by a path.
pub(crate) fn is_tool(attr: &Attribute) -> bool {
    is_tool_path(attr.path())
}

pub(crate) fn is_tool_path(path: &Path) -> bool {
    path.segments.last().is_some_and(|segment| segment.ident == "tool")
}

/// `#[cfg_attr(…, tool)]`: whether that is a tool, only the compiler knows.
pub(crate) fn hides_tool(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    let is_tool = |token: TokenTree| matches!(token, TokenTree::Ident(word) if word == "tool");
    list.path.is_ident("cfg_attr") && list.tokens.clone().into_iter().any(is_tool)
}

/// What the macro reads on a parameter or reports there, and the compiler must not see.
pub(crate) fn is_helper(attr: &Attribute) -> bool {
    is_tool(attr) || ["cfg_attr", "doc", "schemars", "serde"].iter().any(|name| attr.path().is_ident(name))
}

/// The name of a parameter, if it has just that.
pub(crate) fn name_of(pattern: &Pat) -> Option<&Ident> {
    match pattern {
        Pat::Ident(pattern) if pattern.by_ref.is_none() && pattern.subpat.is_none() => Some(&pattern.ident),
        _ => None,
    }
}

impl Block {
    /// The methods that are marked as tools.
    pub(crate) fn tools(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            BlockItem::Function(function) if function.is_tool() => Some(&**function),
            _ => None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn tools_mut(&mut self) -> impl Iterator<Item = &mut Function> {
        self.items.iter_mut().filter_map(|item| match item {
            BlockItem::Function(function) if function.is_tool() => Some(&mut **function),
            _ => None,
        })
    }

    /// Takes out what can't be seen through, after the errors about it.
    pub(crate) fn strip_unseen(&mut self) {
        self.items.retain(|item| !matches!(item, BlockItem::Macro(_)));
        for item in &mut self.items {
            if let BlockItem::Function(function) = item {
                function.attrs.retain(|attr| !hides_tool(attr));
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
            body: input.parse()?,
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
