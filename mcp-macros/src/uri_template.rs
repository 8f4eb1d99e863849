//! The address of a resource, looked at while it is compiled: whether it is one, and which variables it has.
//!
//! The server reads it once more when it starts, by the same rules and more of them: which parts of a URI belong to
//! which variable is its alone.

/// The variables of an address, in its order; none if it is no template.
///
/// # Errors
///
/// Where the text is no address and no template of addresses.
pub(crate) fn variables(text: &str) -> Result<Vec<String>, String> {
    let mut variables: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        let Some(inner) = rest[at..].strip_prefix('{') else {
            return Err(format!("the `}}` at character {} has no `{{` before it", place(text, &rest[at..])));
        };
        let at = place(text, &rest[at..]);
        let Some(end) = inner.find(['{', '}']).filter(|end| inner[*end..].starts_with('}')) else {
            return Err(format!("the `{{` at character {at} is not closed: a `}}` is missing"));
        };
        for name in expression(&inner[..end]).map_err(|fault| format!("`{{{}}}`: {fault}", &inner[..end]))? {
            if variables.iter().any(|earlier| earlier == name) {
                return Err(format!("the variable `{name}` is there twice: give each a name of its own"));
            }
            variables.push(name.to_owned());
        }
        rest = &inner[end + 1..];
    }
    match text.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => literals(text).map(|()| variables),
        _ => Err("it is no URI without a scheme: begin with one, such as `shop://`".to_owned()),
    }
}

/// The names in the braces.
fn expression(inner: &str) -> Result<Vec<&str>, String> {
    let list = match inner.chars().next() {
        Some(sign @ ('=' | ',' | '!' | '@' | '|')) => {
            return Err(format!("the operator `{sign}` is reserved: there are + # . / ; ? & and none"));
        }
        Some('+' | '#' | '.' | '/' | ';' | '?' | '&') => &inner[1..],
        _ => inner,
    };
    list.split(',').map(|name| fault_of_name(name).map_or(Ok(name), Err)).collect()
}

fn fault_of_name(name: &str) -> Option<String> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    if name.is_empty() {
        Some("a name is missing".to_owned())
    } else if let Some(end) = name.find(['*', ':']) {
        Some(format!("`{}` is not served here: write `{}`", &name[end..], &name[..end]))
    } else if name.contains('.') {
        // Other than for the server: the name is that of a parameter.
        Some(format!("no parameter can be called `{name}`: write `{}`", name.replace('.', "_")))
    } else if !name.bytes().all(is_word) || name.starts_with(|first: char| first.is_ascii_digit()) {
        Some(format!("no parameter can be called `{name}`: a name has letters, digits and `_`"))
    } else {
        None
    }
}

/// Checks the characters outside of braces.
fn literals(text: &str) -> Result<(), String> {
    let mut in_braces = false;
    for (index, character) in text.char_indices() {
        let at = || place(text, &text[index..]);
        match character {
            '{' | '}' => in_braces = character == '{',
            _ if in_braces || !character.is_ascii() => {}
            '%' => {
                let digits = text.as_bytes().get(index + 1..index + 3);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    let at = at();
                    return Err(format!(
                        "the `%` at character {at} needs two hexadecimal digits after it, or is `%25`"
                    ));
                }
            }
            _ if character.is_ascii_alphanumeric() || "-._~:/?#[]@!$&'()*+,;=".contains(character) => {}
            _ => {
                let (at, code) = (at(), u32::from(character));
                return Err(format!("{character:?} at character {at} can't be in a URI: write `%{code:02X}`"));
            }
        }
    }
    Ok(())
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Where `rest` begins, in characters from 1, as an editor counts.
fn place(text: &str, rest: &str) -> usize {
    text[..text.len() - rest.len()].chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn the_variables_of_a_template_are_found_in_its_order() {
        for (text, expected) in [
            ("shop://catalog", &[][..]),
            ("shop://orders/{id}", &["id"]),
            ("file:///{+path}{?from,to}{#part}", &["path", "from", "to", "part"]),
            ("shop://ä/{a};{_b1}", &["a", "_b1"]),
        ] {
            assert_eq!(variables(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_fault_is_named_with_its_place() {
        for (text, fault) in [
            ("", "it is no URI without a scheme: begin with one, such as `shop://`"),
            ("/orders/{id}", "it is no URI without a scheme: begin with one, such as `shop://`"),
            ("shop://{id", "the `{` at character 8 is not closed: a `}` is missing"),
            ("shop://{a{b}}", "the `{` at character 8 is not closed: a `}` is missing"),
            ("shop://ä}", "the `}` at character 9 has no `{` before it"),
            ("shop://{}", "`{}`: a name is missing"),
            ("shop://{a,}", "`{a,}`: a name is missing"),
            ("shop://{=a}", "`{=a}`: the operator `=` is reserved: there are + # . / ; ? & and none"),
            ("shop://{a*}", "`{a*}`: `*` is not served here: write `a`"),
            ("shop://{a:3}", "`{a:3}`: `:3` is not served here: write `a`"),
            ("shop://{a-b}", "`{a-b}`: no parameter can be called `a-b`: a name has letters, digits and `_`"),
            ("shop://{1st}", "`{1st}`: no parameter can be called `1st`: a name has letters, digits and `_`"),
            ("shop://{a.b}", "`{a.b}`: no parameter can be called `a.b`: write `a_b`"),
            ("shop://{a}/{a}", "the variable `a` is there twice: give each a name of its own"),
            ("shop://my orders", "' ' at character 10 can't be in a URI: write `%20`"),
            ("shop://100%", "the `%` at character 11 needs two hexadecimal digits after it, or is `%25`"),
        ] {
            assert_eq!(variables(text).unwrap_err(), fault, "{text}");
        }
    }
}
