//! Doc comments, as the descriptions that a model reads.

use std::iter;

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta};

/// A stretch of a doc comment.
enum Piece<'a> {
    Text(String),
    /// The expression of a `#[doc = include_str!(…)]`.
    Expr(&'a Expr),
}

/// The text of the doc comments among `attrs`: an expression, if there are any.
///
/// ```text
/// /// Export orders.                      "Export orders.\n\nSlow."
/// ///                                 →
/// /// Slow.
///
/// /// Export orders.                      concat!("Export orders.\n", include_str!("slow.md"))
/// #[doc = include_str!("slow.md")]    →
/// ```
pub(crate) fn description(attrs: &[Attribute]) -> Option<TokenStream> {
    let mut lines = lines(attrs);
    let is_blank = |line: &Piece<'_>| matches!(line, Piece::Text(text) if text.is_empty());
    lines.truncate(lines.iter().rposition(|line| !is_blank(line))? + 1);
    let lines = lines.into_iter().skip_while(is_blank);

    let mut pieces: Vec<Piece<'_>> = Vec::new();
    for (index, line) in lines.enumerate() {
        let line_break = if index == 0 { "" } else { "\n" };
        match (line, pieces.last_mut()) {
            (Piece::Text(line), Some(Piece::Text(text))) => *text += &format!("{line_break}{line}"),
            (Piece::Text(line), _) => pieces.push(Piece::Text(format!("{line_break}{line}"))),
            (line, Some(Piece::Text(text))) => {
                *text += line_break;
                pieces.push(line);
            }
            (line, Some(_)) => pieces.extend([Piece::Text(line_break.to_owned()), line]),
            (line, None) => pieces.push(line),
        }
    }
    match &pieces[..] {
        [piece] => Some(quote!(#piece)),
        pieces => Some(quote!(::core::concat!(#(#pieces),*))),
    }
}

/// The lines as a reader sees them: without the margin that comes from the comment's own form.
fn lines(attrs: &[Attribute]) -> Vec<Piece<'_>> {
    let docs: Vec<Piece<'_>> = attrs.iter().filter_map(doc).collect();
    // A `#[doc = "…"]` between comments has no margin, and they keep theirs.
    let margin = 1.max(margin(docs.iter().filter_map(|doc| match doc {
        Piece::Text(text) if !text.contains('\n') => Some(text.as_str()),
        _ => None,
    })));
    docs.into_iter()
        .flat_map(|doc| match doc {
            Piece::Text(text) if text.contains('\n') => block(&text),
            Piece::Text(text) => vec![Piece::Text(cut(&text, margin))],
            expr => vec![expr],
        })
        .collect()
}

/// The lines of a block comment, which may have a column of stars.
fn block<'a>(text: &str) -> Vec<Piece<'a>> {
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    let starred = rest.lines().all(|line| line.trim().is_empty() || line.trim_start().starts_with('*'));
    let rest: Vec<&str> =
        rest.lines().map(|line| if starred { line.trim_start().trim_start_matches('*') } else { line }).collect();
    let margin = margin(rest.iter().copied());
    iter::once(first.trim().to_owned()).chain(rest.iter().map(|line| cut(line, margin))).map(Piece::Text).collect()
}

/// How far all lines that have text are indented.
fn margin<'a>(lines: impl Iterator<Item = &'a str>) -> usize {
    lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0)
}

/// The line without so many spaces at its front, or all that there are.
fn cut(line: &str, margin: usize) -> String {
    let indent = line.len() - line.trim_start_matches(' ').len();
    line[indent.min(margin)..].trim_end().to_owned()
}

/// What `#[doc = …]` says. `#[doc(hidden)]` and the like say nothing.
fn doc(attr: &Attribute) -> Option<Piece<'_>> {
    let Meta::NameValue(meta) = &attr.meta else { return None };
    if !meta.path.is_ident("doc") {
        return None;
    }
    let mut value = &meta.value;
    while let Expr::Group(group) = value {
        value = &group.expr;
    }
    Some(match value {
        Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) => Piece::Text(literal.value()),
        expr => Piece::Expr(expr),
    })
}

/// Whether it is a `#[cfg_attr(…, doc = "…")]`, whose text is there or not: only the compiler knows.
pub(crate) fn is_conditional(attr: &Attribute) -> bool {
    fn has_text(tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        tokens.iter().enumerate().any(|(index, token)| match token {
            TokenTree::Group(group) => has_text(group.stream()),
            TokenTree::Ident(word) if word == "doc" => {
                matches!(tokens.get(index + 1), Some(TokenTree::Punct(punct)) if punct.as_char() == '=')
            }
            _ => false,
        })
    }
    attr.path().is_ident("cfg_attr") && matches!(&attr.meta, Meta::List(list) if has_text(list.tokens.clone()))
}

impl ToTokens for Piece<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Text(text) => LitStr::new(text, proc_macro2::Span::call_site()).to_tokens(tokens),
            Self::Expr(expr) => expr.to_tokens(tokens),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::description;
    use proc_macro2::TokenStream;

    /// The description that a function with these attributes has.
    #[track_caller]
    fn check(attrs: &str, expected: Option<&str>) {
        let tokens: TokenStream = format!("{attrs}\nfn f() {{}}").parse().unwrap();
        let function: syn::ItemFn = syn::parse2(tokens).unwrap();
        let described = description(&function.attrs).map(|tokens| tokens.to_string());
        let expected = expected.map(|text| text.parse::<TokenStream>().unwrap().to_string());
        assert_eq!(described, expected);
    }

    #[test]
    fn the_margin_of_a_comment_is_cut_and_its_indentation_kept() {
        check("/// Export.", Some(r#""Export.""#));
        check("///Export.", Some(r#""Export.""#));
        check("/// One:\n///\n///   - two  \n///\n", Some(r#""One:\n\n  - two""#));
        check("///\n/// One\n///", Some(r#""One""#));
        check("///   One\n///     - two", Some(r#""One\n  - two""#));
    }

    #[test]
    fn a_block_comment_reads_like_lines() {
        check("/** Export\n  * some\n  *   orders.\n  */", Some(r#""Export\nsome\n  orders.""#));
        check("/** Export\n    some\n      orders. */", Some(r#""Export\nsome\n  orders.""#));
    }

    #[test]
    fn an_attribute_among_comments_leaves_them_their_margin() {
        check("/// One\n#[doc = \"two\"]\n///   - three", Some(r#""One\ntwo\n  - three""#));
        check("#[doc = \"one\"]\n#[doc = \"two\"]", Some(r#""one\ntwo""#));
    }

    #[test]
    fn an_expression_is_joined_to_the_text_around_it() {
        check(
            "/// One\n#[doc = include_str!(\"two.md\")]\n/// three",
            Some(r#"::core::concat!("One\n", include_str!("two.md"), "\nthree")"#),
        );
        check(
            "#[doc = include_str!(\"one.md\")]\n#[doc = concat!(\"two\")]",
            Some(r#"::core::concat!(include_str!("one.md"), "\n", concat!("two"))"#),
        );
        check("#[doc = include_str!(\"one.md\")]", Some(r#"include_str!("one.md")"#));
    }

    #[test]
    fn other_attributes_are_no_description() {
        check("#[doc(hidden)] #[inline]", None);
        check("/// ", None);
    }
}
