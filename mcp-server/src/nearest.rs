//! The name that was probably meant: for "did you mean" in faults and errors.

/// The candidate that is nearest to `name`, if one is near enough to be worth a question.
///
/// Upper and lower case, `_`, `-` and spaces don't count, so `orderIds` finds `order_ids`. Of two equally near ones the
/// first wins.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = folded(name)?;
    let mut best: Option<(usize, &'a str)> = None;
    for candidate in candidates {
        let Some(folded) = folded(candidate) else { continue };
        // One slip in a short name, three in a long one; names of one or two letters have to be equal.
        let limit = match name.len().max(folded.len()) {
            0..=2 => 0,
            3..=5 => 1,
            6..=8 => 2,
            _ => 3,
        };
        if name.len().abs_diff(folded.len()) > limit {
            continue;
        }
        let distance = distance(&name, &folded);
        if distance <= limit && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The letters to compare; nothing for a text that is too long to be a mistyped name.
fn folded(name: &str) -> Option<Vec<char>> {
    const LONGEST: usize = 128;
    if name.len() > 4 * LONGEST {
        return None;
    }
    let letters: Vec<char> =
        name.chars().filter(|letter| !matches!(letter, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect();
    (1..=LONGEST).contains(&letters.len()).then_some(letters)
}

/// How many letters have to be inserted, removed, replaced, or swapped with their neighbour.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    let mut row = vec![0; to.len() + 1];
    for i in 1..=from.len() {
        row[0] = i;
        for j in 1..=to.len() {
            let replaced = last[j - 1] + usize::from(from[i - 1] != to[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_the_name() {
        let names = ["text", "page", "order_ids", "forecast"];
        for (name, meant) in [
            ("pgae", "page"),
            ("pag", "page"),
            ("pages", "page"),
            ("orderIds", "order_ids"),
            ("ORDER-IDS", "order_ids"),
            ("order_id", "order_ids"),
            ("forecst", "forecast"),
        ] {
            assert_eq!(nearest(name, names), Some(meant), "{name}");
        }
    }

    #[test]
    fn another_word_finds_nothing() {
        for name in ["", "x", "limit", "pie", "weather", "_", &"page".repeat(1000)] {
            assert_eq!(nearest(name, ["text", "page", "a", "forecast", ""]), None, "{name}");
        }
    }

    #[test]
    fn the_nearest_wins_and_of_equals_the_first() {
        assert_eq!(nearest("colours", ["colors", "colour"]), Some("colors"));
        assert_eq!(nearest("coloura", ["colors", "colour"]), Some("colour"));
    }
}
