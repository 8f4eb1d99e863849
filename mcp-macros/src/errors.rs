//! The mistakes of one expansion: collected, each at the author's own tokens, and told all at once.

use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, TokenStreamExt as _};

/// What is wrong with an item, in the order in which it was found.
#[derive(Default)]
pub(crate) struct Errors {
    errors: Vec<syn::Error>,
    told: bool,
}

impl Errors {
    /// Records a mistake that these tokens show.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl Display) {
        self.errors.push(syn::Error::new_spanned(tokens, message));
    }

    /// Records a mistake at a place.
    pub(crate) fn at_span(&mut self, span: Span, message: impl Display) {
        self.errors.push(syn::Error::new(span, message));
    }

    /// Records what the parser had to say.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Records a mistake that the compiler tells by itself, so that there is nothing to add.
    pub(crate) fn leave_to_the_compiler(&mut self) {
        self.told = true;
    }

    /// Whether the compiler tells one of them.
    pub(crate) fn is_told(&self) -> bool {
        self.told
    }

    pub(crate) fn len(&self) -> usize {
        self.errors.len()
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.errors.is_empty() && !self.told
    }
}

impl ToTokens for Errors {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.append_all(self.errors.iter().map(syn::Error::to_compile_error));
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

/// How many characters have to be put in, taken out or replaced, or two that stand side by side exchanged.
fn edits(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for line in 0..from.len() {
        let mut row = vec![line + 1];
        for column in 0..to.len() {
            let replaced = rows[line][column] + usize::from(from[line] != to[column]);
            let mut least = replaced.min(rows[line][column + 1] + 1).min(row[column] + 1);
            if line > 0 && column > 0 && from[line] == to[column - 1] && from[line - 1] == to[column] {
                least = least.min(rows[line - 1][column - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
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
            ("nmae", Some("name")),
            ("titel", Some("title")),
            ("destructive_hint", Some("destructive")),
            ("retries", None),
            ("x", None),
        ] {
            assert_eq!(nearest(word, &known), expected, "{word}");
        }
    }
}
