//! The mistakes of one expansion: collected, each at the author's own tokens, and told all at once.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, TokenStreamExt as _};

/// What is wrong with an item, in the order in which it was found.
#[derive(Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// Records a mistake that these tokens show.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a mistake at a place.
    pub(crate) fn at_span(&mut self, span: Span, message: impl Display) {
        self.0.push(syn::Error::new(span, message));
    }

    /// Records what the parser had to say.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.0.iter().map(syn::Error::to_compile_error));
    }
}

/// The word that was probably meant: the nearest of `known`, if it is near enough.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |word: &str| word.to_lowercase().replace('_', "").replace("hint", "");
    let word = plain(word);
    let distance = |candidate: &str| {
        let candidate = plain(candidate);
        // `desc` is no typing error, but plain enough.
        if word.len() >= 4 && candidate.starts_with(&word) { 0 } else { edits(&word, &candidate) }
    };
    let (distance, candidate) = known.iter().map(|candidate| (distance(candidate), *candidate)).min()?;
    (distance <= word.len() / 3).then_some(candidate)
}

/// How many characters have to be put in, taken out or replaced.
fn edits(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, from) in from.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, to) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_word_is_offered_only_when_it_is_near() {
        let known = ["name", "title", "description", "read_only", "destructive", "open_world"];
        for (word, expected) in [
            ("readonly", Some("read_only")),
            ("readOnlyHint", Some("read_only")),
            ("read_olny", Some("read_only")),
            ("desc", Some("description")),
            ("nam", Some("name")),
            ("destructive_hint", Some("destructive")),
            ("retries", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
    }
}
