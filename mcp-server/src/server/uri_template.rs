//! URI templates: which URIs belong to one, and what stands in the places of its variables.
//!
//! They are those of [RFC 6570](https://www.rfc-editor.org/rfc/rfc6570), levels 1 to 3. The RFC says how a template
//! becomes a URI, and not how to go back, so the rules of the way back are ours:
//!
//! - `{x}` takes one or more characters that are letters, digits, `-`, `.`, `_`, `~`, percent-encoded, or not ASCII:
//!   never a `/`. Of several ways to share the text, the variables before a `{+x}`, or all if there is none, take as
//!   little as they can from left to right, those after it from right to left: `{name}.{ext}` takes `a.tar.gz` for
//!   `a` and `tar.gz`.
//! - `{+x}` takes reserved characters too, `/` included; but no `?` in a template with a query, and no `#` in one with
//!   a fragment. One `{+x}` is enough for all templates in use, and two could not be told apart.
//! - `{?a,b}` and `{&c}` are found by name, in any order, and may be missing. A parameter that the template does not
//!   name, or one that comes twice, is no match: an author would rather see a mistyped name than ignore it. `+` is a
//!   plus, as in RFC 3986, and no space.
//!
//! No text is looked at twice for the same question, so that a long URI costs no more than its length.

use std::borrow::Cow;

use crate::percent;

/// A template that URIs can be held against.
#[derive(Clone, Debug)]
pub(crate) struct UriTemplate {
    text: String,
    /// As it is written: for the way to a URI.
    parts: Vec<Part>,
    variables: Vec<Variable>,
    /// As it is matched: up to the query.
    path: Vec<Item>,
    query: Option<Query>,
    /// After the `#`.
    fragment: Option<Vec<Item>>,
}

#[derive(Clone, Debug)]
enum Part {
    Literal(String),
    Expression(Operator, Vec<String>),
}

#[derive(Clone, Debug)]
struct Variable {
    name: String,
    in_query: bool,
}

/// A piece of a sequence that is matched. Between two variables there is always a literal.
#[derive(Clone, Debug)]
enum Item {
    /// In ASCII, as it is in a URI.
    Literal(String),
    /// The variable of that index. `wide`: it takes reserved characters too.
    Variable { index: usize, wide: bool },
}

#[derive(Clone, Debug, Default)]
struct Query {
    /// Parameters that must be there as they are.
    fixed: Vec<String>,
    /// Those that may be there: the indices of their variables.
    variables: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Simple,
    Reserved,
    Fragment,
    Label,
    Segment,
    Parameter,
    Query,
    QueryNext,
}

impl Operator {
    fn read(sign: char) -> Option<Self> {
        Some(match sign {
            '+' => Self::Reserved,
            '#' => Self::Fragment,
            '.' => Self::Label,
            '/' => Self::Segment,
            ';' => Self::Parameter,
            '?' => Self::Query,
            '&' => Self::QueryNext,
            _ => return None,
        })
    }

    /// What stands before the first value and between values (RFC 6570, appendix A).
    fn signs(self) -> (&'static str, &'static str) {
        match self {
            Self::Simple | Self::Reserved => ("", ","),
            Self::Fragment => ("#", ","),
            Self::Label => (".", "."),
            Self::Segment => ("/", "/"),
            Self::Parameter => (";", ";"),
            Self::Query => ("?", "&"),
            Self::QueryNext => ("&", "&"),
        }
    }

    fn is_wide(self) -> bool {
        matches!(self, Self::Reserved | Self::Fragment)
    }

    fn is_query(self) -> bool {
        matches!(self, Self::Query | Self::QueryNext)
    }
}

/// What a variable stands for in a URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Matched<'t, 'u> {
    pub(crate) name: &'t str,
    /// Decoded; `None` for a parameter of the query that is not there.
    pub(crate) value: Option<Cow<'u, str>>,
    /// Whether the value had an encoded `/` or `\` where a plain one would have ended it, or would have been seen.
    pub(crate) hides_separator: bool,
}

impl Matched<'_, '_> {
    /// Why the value is refused unless the author takes all values.
    pub(crate) fn unsafe_reason(&self) -> Option<&'static str> {
        if self.hides_separator {
            return Some("it has an encoded `/` or `\\`");
        }
        self.value.as_deref().and_then(unsafe_value)
    }
}

impl UriTemplate {
    /// # Errors
    ///
    /// Where the text is no template, or one that leaves open which variable a part of a URI belongs to.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts = parts(text)?;
        // A scheme is what makes a URI of a text, and the place after it is where a prefix goes.
        let scheme = text.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme));
        if !scheme {
            return Err("it is no URI without a scheme: begin with one, such as `shop://`".to_owned());
        }
        let mut layout = Layout::default();
        for part in &parts {
            layout.add(part)?;
        }
        let Layout { variables, path, query, fragment } = layout;
        Ok(Self { text: text.to_owned(), parts, variables, path, query, fragment })
    }

    /// The names of the variables, in the order of the template.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|variable| variable.name.as_str())
    }

    /// What the variables stand for in `uri`, in the order of the template; `None` when it is none of this template,
    /// or a value is no UTF-8.
    pub(crate) fn matches<'u>(&self, uri: &'u str) -> Option<Vec<Matched<'_, 'u>>> {
        let mut found = vec![None; self.variables.len()];
        let mut rest = uri;
        if let Some(items) = &self.fragment {
            let (before, fragment) = rest.split_once('#')?;
            rest = before;
            match_items(items, fragment, &mut found)?;
        }
        if let Some(query) = &self.query {
            let parameters = match rest.split_once('?') {
                Some((before, parameters)) => {
                    rest = before;
                    parameters
                }
                None => "",
            };
            self.match_query(query, parameters, &mut found)?;
        }
        match_items(&self.path, rest, &mut found)?;
        self.variables.iter().zip(found).map(|(variable, raw)| variable.decode(raw)).collect()
    }

    fn match_query<'u>(&self, query: &Query, parameters: &'u str, found: &mut [Option<&'u str>]) -> Option<()> {
        let mut fixed = vec![false; query.fixed.len()];
        let parameters = Some(parameters).filter(|parameters| !parameters.is_empty());
        for parameter in parameters.into_iter().flat_map(|parameters| parameters.split('&')) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            let variable = query.variables.iter().find(|index| self.variables[**index].name == name);
            let twice = match variable {
                Some(index) if value.bytes().all(is_in_query) => found[*index].replace(value).is_some(),
                Some(_) => return None,
                None => {
                    let at = query.fixed.iter().position(|fixed| fixed == parameter)?;
                    std::mem::replace(&mut fixed[at], true)
                }
            };
            if twice {
                return None;
            }
        }
        fixed.into_iter().all(|seen| seen).then_some(())
    }

    /// The URI with these values (RFC 6570, section 3). Where `lookup` has none, the variable is left out.
    pub(crate) fn expand<'v>(&self, lookup: impl Fn(&str) -> Option<&'v str>) -> String {
        expand(&self.parts, lookup)
    }

    /// The template with `prefix` as its first path segment.
    pub(crate) fn prefixed(&self, prefix: &str) -> Self {
        Self::parse(&prefixed(&self.text, prefix)).expect("a segment more leaves a template what it is")
    }
}

impl Variable {
    fn decode<'u>(&self, raw: Option<&'u str>) -> Option<Matched<'_, 'u>> {
        let name = self.name.as_str();
        let Some(raw) = raw else { return Some(Matched { name, value: None, hides_separator: false }) };
        let value = match percent::decode(raw)? {
            Cow::Borrowed(_) => Cow::Borrowed(raw),
            Cow::Owned(bytes) => Cow::Owned(String::from_utf8(bytes).ok()?),
        };
        // In a query a separator is always encoded.
        let hides_separator = !self.in_query
            && raw
                .as_bytes()
                .windows(3)
                .any(|bytes| bytes.eq_ignore_ascii_case(b"%2f") || bytes.eq_ignore_ascii_case(b"%5c"));
        Some(Matched { name, value: Some(value), hides_separator })
    }
}

/// Why a value of a variable is refused unless the author takes all values: it could lead out of a folder, or end a
/// path early.
pub(crate) fn unsafe_value(value: &str) -> Option<&'static str> {
    if value.chars().any(char::is_control) {
        return Some("it has a control character");
    }
    if value.starts_with(['/', '\\']) {
        return Some("it begins with `/` or `\\`");
    }
    if matches!(value.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic()) {
        return Some("it begins with a drive");
    }
    // Windows drops spaces at the end of a name.
    let mut segments = value.split(['/', '\\']).map(|segment| segment.trim_end_matches(' '));
    if segments.any(|segment| matches!(segment, "." | "..")) {
        return Some("it has a `.` or `..` segment");
    }
    None
}

/// The URI with `prefix` as its first path segment: `shop://catalog` with `eu` is `shop://eu/catalog`.
pub(crate) fn prefixed(uri: &str, prefix: &str) -> String {
    let (scheme, rest) = uri.split_at(after_scheme(uri));
    let mut prefixed = scheme.to_owned();
    percent::encode(&mut prefixed, prefix, is_unreserved);
    prefixed + "/" + rest
}

/// The URI without the segment that [`prefixed`] gave it; `None` when it has none such.
pub(crate) fn strip_prefix(uri: &str, prefix: &str) -> Option<String> {
    let (scheme, rest) = uri.split_at(after_scheme(uri));
    let mut encoded = String::new();
    percent::encode(&mut encoded, prefix, is_unreserved);
    let rest = rest.strip_prefix(&encoded)?.strip_prefix('/')?;
    Some(format!("{scheme}{rest}"))
}

/// Where the rest of a URI begins, after `shop://` or `urn:`.
fn after_scheme(uri: &str) -> usize {
    match uri.find(':') {
        Some(at) if uri[at + 1..].starts_with("//") => at + 3,
        Some(at) => at + 1,
        None => 0,
    }
}

/// "scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )" (RFC 3986, section 3.1).
fn is_scheme(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Reads what is written; what it means for matching is [`Layout`]'s.
fn parts(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut rest = text;
    // Places are counted in characters from 1, as an editor does.
    let place = |rest: &str| text[..text.len() - rest.len()].chars().count() + 1;
    while !rest.is_empty() {
        let (literal, after) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        if !literal.is_empty() {
            parts.push(Part::Literal(read_literal(literal, place(rest))?));
        }
        let Some(inner) = after.strip_prefix('{') else { break };
        let at = place(after);
        let end = inner.find(['{', '}']).filter(|end| inner[*end..].starts_with('}'));
        let Some(end) = end else {
            return Err(format!("the `{{` at character {at} is not closed: a `}}` is missing"));
        };
        let (operator, list) = read_expression(&inner[..end], at)?;
        for name in &list {
            if names.contains(name) {
                return Err(format!("the variable `{name}` is there twice: give each a name of its own"));
            }
            names.push(name);
        }
        parts.push(Part::Expression(operator, list.into_iter().map(str::to_owned).collect()));
        rest = &inner[end + 1..];
    }
    Ok(parts)
}

/// Literals are "copied directly" if a URI can have them, and encoded otherwise (RFC 6570, section 3.1).
fn read_literal(text: &str, at: usize) -> Result<String, String> {
    let mut literal = String::with_capacity(text.len());
    for (offset, (index, character)) in text.char_indices().enumerate() {
        let at = at + offset;
        match character {
            '}' => return Err(format!("the `}}` at character {at} has no `{{` before it")),
            '%' => {
                let digits = text.as_bytes().get(index + 1..index + 3);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(format!(
                        "the `%` at character {at} needs two hexadecimal digits after it, or is `%25`"
                    ));
                }
                literal.push('%');
            }
            _ if !character.is_ascii() => {
                percent::encode(&mut literal, character.encode_utf8(&mut [0; 4]), |_| false);
            }
            _ if is_unreserved(character as u8) || is_reserved(character as u8) => literal.push(character),
            _ => {
                let encoded = format!("%{:02X}", character as u32);
                return Err(format!("{character:?} at character {at} can't be in a URI: write `{encoded}`"));
            }
        }
    }
    Ok(literal)
}

fn read_expression(inner: &str, at: usize) -> Result<(Operator, Vec<&str>), String> {
    let sign = inner.chars().next().unwrap_or('}');
    if matches!(sign, '=' | ',' | '!' | '@' | '|') {
        return Err(format!(
            "`{{{inner}}}` at character {at}: the operator `{sign}` is reserved: there are + # . / ; ? & and none"
        ));
    }
    let (operator, list) = match Operator::read(sign) {
        Some(operator) => (operator, &inner[1..]),
        None => (Operator::Simple, inner),
    };
    let names: Vec<&str> = list.split(',').collect();
    for name in &names {
        let fault = match name.find(['*', ':']) {
            _ if name.is_empty() => "a name is missing".to_owned(),
            Some(end) => format!("`{}` is not served here: write `{}`", &name[end..], &name[..end]),
            None if !is_name(name) => format!("`{name}` is no name: letters, digits, `_` and `.` between them are"),
            None => continue,
        };
        return Err(format!("`{{{inner}}}` at character {at}: {fault}"));
    }
    Ok((operator, names))
}

/// "varname = varchar *( ["."] varchar )" (RFC 6570, section 2.3), without percent-encoded characters.
fn is_name(name: &str) -> bool {
    name.split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// A template as it is matched, while its parts come in.
#[derive(Default)]
struct Layout {
    variables: Vec<Variable>,
    path: Vec<Item>,
    query: Option<Query>,
    fragment: Option<Vec<Item>>,
}

impl Layout {
    fn add(&mut self, part: &Part) -> Result<(), String> {
        match part {
            Part::Literal(text) => self.literal(text),
            Part::Expression(operator, names) if operator.is_query() => self.query(*operator, names),
            Part::Expression(operator, names) => {
                let (first, between) = operator.signs();
                for (at, name) in names.iter().enumerate() {
                    self.literal(if at == 0 { first } else { between })?;
                    if *operator == Operator::Parameter {
                        self.literal(&format!("{name}="))?;
                    }
                    self.variable(name, operator.is_wide())?;
                }
                Ok(())
            }
        }
    }

    fn literal(&mut self, text: &str) -> Result<(), String> {
        if text.is_empty() {
            return Ok(());
        }
        if self.fragment.is_none()
            && let Some((before, after)) = text.split_once('#')
        {
            self.literal(before)?;
            self.fragment = Some(Vec::new());
            return self.literal(after);
        }
        if let (None, Some(_)) = (&self.fragment, &self.query) {
            return Err(format!(
                "`{text}` stands after a variable of the query, where only `{{&…}}` and a fragment can: \
                 write it before the variable"
            ));
        }
        let items = self.fragment.as_mut().unwrap_or(&mut self.path);
        match items.last_mut() {
            Some(Item::Literal(last)) => last.push_str(text),
            _ => items.push(Item::Literal(text.to_owned())),
        }
        Ok(())
    }

    fn variable(&mut self, name: &str, wide: bool) -> Result<(), String> {
        if let (None, Some(_)) = (&self.fragment, &self.query) {
            return Err(format!("the variable `{name}` stands after the query: write `{{&{name}}}`, or put it before"));
        }
        let items = self.fragment.as_mut().unwrap_or(&mut self.path);
        if let Some(Item::Variable { index, .. }) = items.last() {
            let last = &self.variables[*index].name;
            return Err(format!("nothing tells where `{last}` ends and `{name}` begins: put a `/` between them"));
        }
        let widest = items.iter().find_map(|item| match item {
            Item::Variable { index, wide: true } => Some(&self.variables[*index].name),
            _ => None,
        });
        if let Some(other) = widest.filter(|_| wide) {
            return Err(format!("both `{other}` and `{name}` could take a `/`: only one of them can have a `+`"));
        }
        items.push(Item::Variable { index: self.variables.len(), wide });
        self.variables.push(Variable { name: name.to_owned(), in_query: false });
        Ok(())
    }

    fn query(&mut self, operator: Operator, names: &[String]) -> Result<(), String> {
        let list = names.join(",");
        if self.fragment.is_some() {
            return Err(format!("the query of `{list}` stands after the fragment: put it before the `#`"));
        }
        if self.query.is_none() {
            let fixed = self.split_query()?;
            match (operator, &fixed) {
                (Operator::Query, Some(_)) => {
                    return Err(format!("`{{?{list}}}` stands after a `?`: write `{{&{list}}}`"));
                }
                (Operator::QueryNext, None) => {
                    return Err(format!("`{{&{list}}}` has no query before it: write `{{?{list}}}`"));
                }
                _ => self.query = Some(Query { fixed: fixed.unwrap_or_default(), variables: Vec::new() }),
            }
        } else if operator == Operator::Query {
            return Err(format!("`{{?{list}}}` is the second query: write `{{&{list}}}`"));
        }
        let query = self.query.as_mut().expect("it was made above");
        for name in names {
            query.variables.push(self.variables.len());
            self.variables.push(Variable { name: name.clone(), in_query: true });
        }
        Ok(())
    }

    /// Takes the query that stands as it is out of the path, if there is one: `?fixed=yes`.
    fn split_query(&mut self) -> Result<Option<Vec<String>>, String> {
        let at = self.path.iter().position(|item| matches!(item, Item::Literal(text) if text.contains('?')));
        let Some(at) = at else { return Ok(None) };
        if let Some(Item::Variable { index, .. }) = self.path.get(at + 1) {
            let name = &self.variables[*index].name;
            return Err(format!("`{name}` stands within a query that has variables by name: write `{{?{name}}}`"));
        }
        let Some(Item::Literal(text)) = self.path.pop() else { unreachable!("the last item is the literal") };
        let (before, query) = text.split_once('?').expect("it was found above");
        if !before.is_empty() {
            self.path.push(Item::Literal(before.to_owned()));
        }
        Ok(Some(query.split('&').filter(|parameter| !parameter.is_empty()).map(str::to_owned).collect()))
    }
}

/// Shares `text` among the items: from the left up to the wide variable, then from the right down to it.
fn match_items<'u>(items: &[Item], text: &'u str, found: &mut [Option<&'u str>]) -> Option<()> {
    let wide = items.iter().position(|item| matches!(item, Item::Variable { wide: true, .. }));
    // Without a wide variable only a literal at the end is matched from there.
    let ends_with_literal = matches!(items.last(), Some(Item::Literal(_)));
    let middle = wide.unwrap_or(items.len() - usize::from(ends_with_literal));
    let (front, back) = items.split_at(middle);
    let mut rest = text;

    let mut front = front.iter().peekable();
    while let Some(item) = front.next() {
        match item {
            Item::Literal(literal) => rest = rest.strip_prefix(literal.as_str())?,
            Item::Variable { index, .. } => {
                let end = match front.peek() {
                    Some(Item::Literal(literal)) => first(rest, literal)?,
                    // It is the last one: what is left is its value, but for a literal at the end.
                    _ => match back {
                        [Item::Literal(literal)] => rest.strip_suffix(literal.as_str())?.len(),
                        _ => rest.len(),
                    },
                };
                found[*index] = Some(narrow(&rest[..end])?);
                rest = &rest[end..];
            }
        }
    }

    let mut back = back.iter().skip(usize::from(wide.is_some())).rev().peekable();
    while let Some(item) = back.next() {
        match item {
            Item::Literal(literal) => rest = rest.strip_suffix(literal.as_str())?,
            Item::Variable { index, .. } => {
                let start = match back.peek() {
                    Some(Item::Literal(literal)) => last(rest, literal)?,
                    _ => unreachable!("a literal stands between two variables"),
                };
                found[*index] = Some(narrow(&rest[start..])?);
                rest = &rest[..start];
            }
        }
    }

    match wide.map(|at| &items[at]) {
        Some(Item::Variable { index, .. }) => {
            let taken = |byte| is_simple(byte) || is_reserved(byte);
            found[*index] = Some(rest).filter(|rest| !rest.is_empty() && rest.bytes().all(taken));
            found[*index].map(|_| ())
        }
        _ => rest.is_empty().then_some(()),
    }
}

/// The value of a variable that takes no reserved characters.
fn narrow(value: &str) -> Option<&str> {
    (!value.is_empty() && value.bytes().all(is_simple)).then_some(value)
}

/// Where the first `literal` begins that leaves a value before it.
fn first(text: &str, literal: &str) -> Option<usize> {
    let mut from = text.chars().next()?.len_utf8();
    loop {
        let at = from + text[from..].find(literal)?;
        if !within_triplet(text, at) {
            return Some(at);
        }
        from = at + 1;
    }
}

/// Where the last `literal` ends that leaves a value after it.
fn last(text: &str, literal: &str) -> Option<usize> {
    let mut to = text.char_indices().next_back()?.0;
    loop {
        let at = text[..to].rfind(literal)?;
        if !within_triplet(text, at) {
            return Some(at + literal.len());
        }
        // A literal is ASCII, so that a character ends here.
        to = at + literal.len() - 1;
    }
}

/// Whether this is the middle of a percent-encoded character, such as the `2` of `%2F`.
fn within_triplet(text: &str, at: usize) -> bool {
    let before = |count: usize| at.checked_sub(count).is_some_and(|at| text.as_bytes()[at] == b'%');
    before(1) || before(2)
}

fn expand<'v>(parts: &[Part], lookup: impl Fn(&str) -> Option<&'v str>) -> String {
    let mut out = String::new();
    for part in parts {
        let (operator, names) = match part {
            Part::Literal(text) => {
                out.push_str(text);
                continue;
            }
            Part::Expression(operator, names) => (*operator, names),
        };
        let (mut sign, between) = operator.signs();
        for name in names {
            let Some(value) = lookup(name) else { continue };
            out.push_str(sign);
            sign = between;
            if operator.is_query() || operator == Operator::Parameter {
                out.push_str(name);
                // "ifemp" of appendix A: `;x`, but `?x=`.
                if !value.is_empty() || operator.is_query() {
                    out.push('=');
                }
            }
            expand_value(&mut out, value, operator.is_wide());
        }
    }
    out
}

/// `wide`: reserved characters stay, and so does what is encoded already (RFC 6570, section 3.2.3).
fn expand_value(out: &mut String, value: &str, wide: bool) {
    if !wide {
        return percent::encode(out, value, is_unreserved);
    }
    let mut rest = value;
    while let Some(at) = rest.find('%') {
        let (before, after) = rest.split_at(at);
        percent::encode(out, before, |byte| is_unreserved(byte) || is_reserved(byte));
        let is_encoded = matches!(after.as_bytes(), [_, high, low, ..]
            if high.is_ascii_hexdigit() && low.is_ascii_hexdigit());
        out.push_str(if is_encoded { "%" } else { "%25" });
        rest = &after[1..];
    }
    percent::encode(out, rest, |byte| is_unreserved(byte) || is_reserved(byte));
}

/// "unreserved" (RFC 3986, section 2.3).
fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// "reserved" (RFC 3986, section 2.2).
fn is_reserved(byte: u8) -> bool {
    b":/?#[]@!$&'()*+,;=".contains(&byte)
}

/// What `{x}` takes. Many clients leave letters of other scripts as they are.
fn is_simple(byte: u8) -> bool {
    is_unreserved(byte) || byte == b'%' || !byte.is_ascii()
}

/// What a parameter of a query takes: all but what would end it.
fn is_in_query(byte: u8) -> bool {
    is_simple(byte) || (is_reserved(byte) && byte != b'#')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(text: &str) -> UriTemplate {
        UriTemplate::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// `name=value` of all variables that are there, decoded; `None` when it is no match.
    fn matched(text: &str, uri: &str) -> Option<Vec<String>> {
        let template = template(text);
        let found = template.matches(uri)?.into_iter();
        Some(found.filter_map(|found| Some(format!("{}={}", found.name, found.value?))).collect())
    }

    /// The variables of section 3.2 of the RFC.
    fn rfc(name: &str) -> Option<&'static str> {
        Some(match name {
            "var" => "value",
            "hello" => "Hello World!",
            "path" => "/foo/bar",
            "empty" => "",
            "x" => "1024",
            "y" => "768",
            "half" => "50%",
            "base" => "http://example.com/home/",
            "who" => "fred",
            "dub" => "me/too",
            "v" => "6",
            "encoded" => "a%2Fb",
            _ => return None,
        })
    }

    // rows: RSC-3
    #[test]
    fn the_examples_of_the_rfc_expand_as_it_says() {
        for (text, expected) in [
            // Level 1
            ("{var}", "value"),
            ("{hello}", "Hello%20World%21"),
            ("{half}", "50%25"),
            ("O{empty}X", "OX"),
            ("O{undef}X", "OX"),
            ("{x,y}", "1024,768"),
            ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("?{x,empty}", "?1024,"),
            ("?{x,undef}", "?1024"),
            ("?{undef,y}", "?768"),
            // Level 2
            ("{+var}", "value"),
            ("{+hello}", "Hello%20World!"),
            ("{+half}", "50%25"),
            ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"),
            ("O{+empty}X", "OX"),
            ("O{+undef}X", "OX"),
            ("{+path}/here", "/foo/bar/here"),
            ("here?ref={+path}", "here?ref=/foo/bar"),
            ("up{+path}{var}/here", "up/foo/barvalue/here"),
            ("{+encoded}", "a%2Fb"),
            ("{encoded}", "a%252Fb"),
            ("X{#var}", "X#value"),
            ("X{#hello}", "X#Hello%20World!"),
            ("{#half}", "#50%25"),
            ("foo{#empty}", "foo#"),
            ("foo{#undef}", "foo"),
            // Level 3
            ("map?{x,y}", "map?1024,768"),
            ("{+x,hello,y}", "1024,Hello%20World!,768"),
            ("{+path,x}/here", "/foo/bar,1024/here"),
            ("{#x,hello,y}", "#1024,Hello%20World!,768"),
            ("{#path,x}/here", "#/foo/bar,1024/here"),
            ("{.who}", ".fred"),
            ("{.who,who}", ".fred.fred"),
            ("{.half,who}", ".50%25.fred"),
            ("X{.var}", "X.value"),
            ("X{.x,y}", "X.1024.768"),
            ("X{.empty}", "X."),
            ("X{.undef}", "X"),
            ("{/who}", "/fred"),
            ("{/half,who}", "/50%25/fred"),
            ("{/who,dub}", "/fred/me%2Ftoo"),
            ("{/var}", "/value"),
            ("{/var,empty}", "/value/"),
            ("{/var,undef}", "/value"),
            ("{/var,x}/here", "/value/1024/here"),
            ("{;who}", ";who=fred"),
            ("{;half}", ";half=50%25"),
            ("{;empty}", ";empty"),
            ("{;v,empty,who}", ";v=6;empty;who=fred"),
            ("{;v,bar,who}", ";v=6;who=fred"),
            ("{;x,y}", ";x=1024;y=768"),
            ("{;x,y,empty}", ";x=1024;y=768;empty"),
            ("{;x,y,undef}", ";x=1024;y=768"),
            ("{?who}", "?who=fred"),
            ("{?half}", "?half=50%25"),
            ("{?x,y}", "?x=1024&y=768"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="),
            ("{?x,y,undef}", "?x=1024&y=768"),
            ("{&who}", "&who=fred"),
            ("{&half}", "&half=50%25"),
            ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{&x,y,empty}", "&x=1024&y=768&empty="),
        ] {
            // Not all of them could be matched, and `{.who,who}` names a variable twice: they are read in parts.
            let parts: Vec<Part> = match text {
                "{.who,who}" => vec![Part::Expression(Operator::Label, vec!["who".into(), "who".into()])],
                _ => parts(text).unwrap(),
            };
            assert_eq!(expand(&parts, rfc), expected, "{text}");
        }
    }

    // rows: RSC-3, RSC-4
    #[test]
    fn what_was_expanded_is_matched() {
        for text in [
            "shop://{a}",
            "shop://{a}/{b}",
            "shop://{a,b}",
            "shop://orders/{a}/items/{b}.json",
            "shop://{a}/{+b}",
            "shop://{+b}/{a}",
            "shop://{+b}{?a}",
            "shop://{+b}{#a}",
            "shop:/{a}{/b}",
            "shop://x{;a,b}",
            "shop://x{?a,b}",
            "shop://x?fixed=yes{&a,b}",
            "shop://x{?a}{&b}",
            "shop://x{?a}{#b}",
            "shop://é/{a}-{b}",
        ] {
            let template = template(text);
            for a in ["1", "a b", "50%", "é/ü", "%2F", "x@y:z", "🦀", "a&b=c", "a;b,c", "\\", "A_~"] {
                for b in ["2", "p/q/r", "Zürich West", "a=b", "%"] {
                    let lookup = |name: &str| Some(if name == "a" { a } else { b });
                    let uri = template.expand(lookup);
                    // What is encoded already stays as it is in `{+b}` and `{#b}`: it is the value then.
                    let found = template.matches(&uri).unwrap_or_else(|| panic!("{text}: {uri}"));
                    for found in found {
                        let wide = text.contains(&format!("{{+{}}}", found.name))
                            || text.contains(&format!("{{#{}}}", found.name));
                        let value = lookup(found.name).unwrap();
                        let expected = if wide && value == "%2F" { "/" } else { value };
                        assert_eq!(found.value.as_deref(), Some(expected), "{text}: {uri}");
                    }
                }
            }
        }
    }

    // rows: RSC-4
    #[test]
    fn variables_are_found_and_decoded() {
        for (text, uri, expected) in [
            ("test://template/{id}/data", "test://template/123/data", Some("id=123")),
            ("test://template/{id}/data", "test://template/a%20b%C3%A9/data", Some("id=a bé")),
            ("test://template/{id}/data", "test://template//data", None),
            ("test://template/{id}/data", "test://template/1/2/data", None),
            ("test://template/{id}/data", "test://template/1/data/more", None),
            ("test://template/{id}/data", "TEST://template/1/data", None),
            ("test://{id}", "test://a%2Fb", Some("id=a/b")),
            ("test://{id}", "test://a?b", None),
            ("test://{id}", "test://a#b", None),
            ("test://{id}", "test://a,b", None),
            ("test://{id}", "test://a b", None),
            ("test://{id}", "test://Zürich", Some("id=Zürich")),
            ("test://{id}", "test://", None),
            ("test://{id}", "", None),
            ("test://plain", "test://plain", Some("")),
            ("test://plain", "test://plain/", None),
            ("test://{name}.{ext}", "test://a.tar.gz", Some("name=a ext=tar.gz")),
            ("test://{name}.{ext}", "test://.gz", None),
            ("test://{name}.{ext}", "test://..gz", Some("name=. ext=gz")),
            ("test://{a}-{b}-end", "test://1-2-end", Some("a=1 b=2")),
            ("test://{a}-{b}-end", "test://1-2-end-end", Some("a=1 b=2-end")),
            ("test://{a}-{b}-end", "test://1-end", None),
            ("test://{a}2{b}", "test://a%2F2b", Some("a=a/ b=b")),
            ("test://{+p}2{b}", "test://a2%2F", Some("p=a b=/")),
            ("test://{+path}", "test://a/b?c=d#e", Some("path=a/b?c=d#e")),
            ("test://{+path}", "test://a b", None),
            ("test://{+path}/{name}", "test://a/b/c", Some("path=a/b name=c")),
            ("test://{+path}/{name}", "test://a/b/", None),
            ("test://{+path}/{name}", "test:///c", None),
            ("test://{a}/{+path}/{name}.{ext}", "test://1/2/3/4.5.6", Some("a=1 path=2/3 name=4.5 ext=6")),
            ("test://{a}/{+path}/{name}.{ext}", "test://1/4.5", None),
            ("test://x/{+path}/y", "test://x/y", None),
            ("test://x/{+path}x", "test://x/x", None),
            ("test://{/a,b}", "test:///1/2", Some("a=1 b=2")),
            ("test://x{.a}", "test://x.1", Some("a=1")),
            ("test://x{;a}", "test://x;a=1", Some("a=1")),
            ("test://x{;a}", "test://x;b=1", None),
            ("test://x{#a}", "test://x#1/2", Some("a=1/2")),
            ("test://x{#a}", "test://x", None),
            ("test://x#top", "test://x#top", Some("")),
            ("test://x#top", "test://x#down", None),
            ("test://x?q={q}", "test://x?q=1", Some("q=1")),
            ("test://x?q={q}", "test://x?q=1&r=2", None),
        ] {
            let expected = expected.map(|pairs| pairs.split_terminator(' ').collect::<Vec<_>>());
            // `id=a bé` is one pair.
            let found = matched(text, uri);
            let joined = found.as_ref().map(|found| found.join(" "));
            assert_eq!(joined, expected.map(|pairs| pairs.join(" ")), "{text} {uri}");
        }
    }

    // rows: RSC-4
    #[test]
    fn parameters_of_the_query_come_in_any_order_or_not_at_all() {
        let text = "test://x{?q,limit}";
        for (uri, expected) in [
            ("test://x", Some("")),
            ("test://x?", Some("")),
            ("test://x?q=1", Some("q=1")),
            ("test://x?limit=2&q=1", Some("q=1 limit=2")),
            ("test://x?q=", Some("q=")),
            ("test://x?q", Some("q=")),
            ("test://x?q=a/b?c:d=e+f", Some("q=a/b?c:d=e+f")),
            ("test://x?q=a%26b", Some("q=a&b")),
            ("test://x?q=1&q=2", None),
            ("test://x?limt=2", None),
            ("test://x?q=1&", None),
            ("test://x?q=1&&limit=2", None),
            ("test://x?q=1#top", None),
            ("test://x?q=a b", None),
            ("test://x&q=1", None),
        ] {
            assert_eq!(matched(text, uri).map(|found| found.join(" ")).as_deref(), expected, "{uri}");
        }
        let text = "test://x?v=1&w=2{&q}";
        assert_eq!(matched(text, "test://x?w=2&q=3&v=1").unwrap(), ["q=3"]);
        assert_eq!(matched(text, "test://x?v=1&w=2").unwrap(), [""; 0]);
        for uri in ["test://x?v=1", "test://x", "test://x?v=1&w=2&w=2", "test://x?v=1&w=3"] {
            assert_eq!(matched(text, uri), None, "{uri}");
        }
    }

    #[test]
    fn variables_are_told_with_what_may_be_missing() {
        let template = template("test://{a}/{+b}{?c,d}{&e}{#f}");
        assert_eq!(template.text, "test://{a}/{+b}{?c,d}{&e}{#f}");
        assert_eq!(template.variables().collect::<Vec<_>>(), ["a", "b", "c", "d", "e", "f"]);
        let found = template.matches("test://1/2#6").unwrap();
        assert_eq!((found[2].name, &found[2].value), ("c", &None));
    }

    // rows: RSC-3
    #[test]
    fn a_fault_of_a_template_is_told_with_its_place() {
        for (text, fault) in [
            ("", "it is no URI without a scheme: begin with one, such as `shop://`"),
            ("orders/{id}", "it is no URI without a scheme: begin with one, such as `shop://`"),
            ("{scheme}://x", "it is no URI without a scheme: begin with one, such as `shop://`"),
            ("{a:3}", "`{a:3}` at character 1: `:3` is not served here: write `a`"),
            ("x://é{a", "the `{` at character 6 is not closed: a `}` is missing"),
            ("x://{a{b}}", "the `{` at character 5 is not closed: a `}` is missing"),
            ("x://a}", "the `}` at character 6 has no `{` before it"),
            ("x://{}", "`{}` at character 5: a name is missing"),
            ("x://{+}", "`{+}` at character 5: a name is missing"),
            ("x://{a,}", "`{a,}` at character 5: a name is missing"),
            ("x://{a-b}", "`{a-b}` at character 5: `a-b` is no name: letters, digits, `_` and `.` between them are"),
            ("x://{a.}", "`{a.}` at character 5: `a.` is no name: letters, digits, `_` and `.` between them are"),
            ("x://{a*}", "`{a*}` at character 5: `*` is not served here: write `a`"),
            ("x://{=a}", "`{=a}` at character 5: the operator `=` is reserved: there are + # . / ; ? & and none"),
            ("x://{a}/{a}", "the variable `a` is there twice: give each a name of its own"),
            ("x://{a}{b}", "nothing tells where `a` ends and `b` begins: put a `/` between them"),
            ("x://{+a}{b}", "nothing tells where `a` ends and `b` begins: put a `/` between them"),
            ("x://{+a}/{+b}", "both `a` and `b` could take a `/`: only one of them can have a `+`"),
            ("x://{+a,b}", "both `a` and `b` could take a `/`: only one of them can have a `+`"),
            ("x://a b", "' ' at character 6 can't be in a URI: write `%20`"),
            ("x://a%2", "the `%` at character 6 needs two hexadecimal digits after it, or is `%25`"),
            ("x://{&a}", "`{&a}` has no query before it: write `{?a}`"),
            ("x://{?a}{?b}", "`{?b}` is the second query: write `{&b}`"),
            ("x://?v=1{?b}", "`{?b}` stands after a `?`: write `{&b}`"),
            ("x://?v={v}{&b}", "`v` stands within a query that has variables by name: write `{?v}`"),
            ("x://{?a}{b}", "the variable `b` stands after the query: write `{&b}`, or put it before"),
            ("x://{#a}{?b}", "the query of `b` stands after the fragment: put it before the `#`"),
            (
                "x://{?a}/b",
                "`/b` stands after a variable of the query, where only `{&…}` and a fragment can: write it before the variable",
            ),
        ] {
            assert_eq!(UriTemplate::parse(text).map(|_| ()).unwrap_err(), fault, "{text}");
        }
    }

    // rows: RSC-7
    #[test]
    fn values_that_could_lead_elsewhere_are_told() {
        let segment = Some("it has a `.` or `..` segment");
        let hidden = Some("it has an encoded `/` or `\\`");
        let begins = Some("it begins with `/` or `\\`");
        let control = Some("it has a control character");
        let path = "file:///srv/{+path}";
        let name = "file:///srv/{name}";
        for (text, uri, reason) in [
            (path, "file:///srv/a/b.txt", None),
            (path, "file:///srv/a/..b/c..", None),
            (path, "file:///srv/../etc/passwd", segment),
            (path, "file:///srv/a/../../etc", segment),
            (path, "file:///srv/%2e%2e/etc/passwd", segment),
            (path, "file:///srv/a/.%2E", segment),
            (path, "file:///srv/./a", segment),
            (path, "file:///srv/..%20/a", segment),
            (path, "file:///srv/a%2F..%2Fb", hidden),
            (path, "file:///srv/a%5c..%5cb", hidden),
            (path, "file:///srv//etc/passwd", begins),
            (path, "file:///srv/a%00.txt", control),
            (path, "file:///srv/C:/x", Some("it begins with a drive")),
            (name, "file:///srv/a", None),
            (name, "file:///srv/..", segment),
            (name, "file:///srv/%2E%2e", segment),
            (name, "file:///srv/.", segment),
            (name, "file:///srv/a%2Fb", hidden),
            (name, "file:///srv/a%5Cb", hidden),
            (name, "file:///srv/%0d%0a", control),
            (name, "file:///srv/c%3A", Some("it begins with a drive")),
            ("x://{?q}", "x://?q=a%2Fb", None),
            ("x://{?q}", "x://?q=a%2F..", segment),
            ("x://{?q}", "x://?q=%2Fetc", begins),
        ] {
            let template = template(text);
            let found = template.matches(uri).unwrap_or_else(|| panic!("{uri}"));
            assert_eq!(found[0].unsafe_reason(), reason, "{uri}");
        }
        assert_eq!(unsafe_value("a\\..\\b"), segment);
        assert_eq!(unsafe_value("\\\\host\\share"), begins);
        assert_eq!(unsafe_value("a\u{85}"), control);
        assert_eq!(unsafe_value(""), None);
    }

    // rows: RSC-7
    #[test]
    fn what_is_no_utf_8_is_no_match() {
        for value in ["%", "%2", "%zz", "a%", "%ff", "%c0%ae%c0%ae", "%C3", "%ED%A0%80"] {
            assert_eq!(matched("test://{a}", &format!("test://{value}")), None, "{value}");
            assert_eq!(matched("test://{+a}", &format!("test://{value}")), None, "{value}");
            assert_eq!(matched("test://x{?a}", &format!("test://x?a={value}")), None, "{value}");
        }
    }

    /// Whether the text can be shared among the items at all, found by trying everything.
    fn can_match(items: &[Item], text: &str) -> bool {
        match items {
            [] => text.is_empty(),
            [Item::Literal(literal), rest @ ..] => {
                text.strip_prefix(literal.as_str()).is_some_and(|text| can_match(rest, text))
            }
            [Item::Variable { wide, .. }, rest @ ..] => (1..=text.len()).any(|end| {
                let taken = |byte| is_simple(byte) || (*wide && is_reserved(byte));
                text[..end].bytes().all(taken) && can_match(rest, &text[end..])
            }),
        }
    }

    // rows: RSC-4
    #[test]
    fn what_can_be_matched_is_matched() {
        let mut texts = vec![String::new()];
        let mut last = texts.clone();
        for _ in 0..6 {
            let longer = |text: &String| ["a", "-", "/", "."].map(|piece| text.clone() + piece);
            last = last.iter().flat_map(longer).collect();
            texts.extend_from_slice(&last);
        }
        for text in [
            "x:{a}",
            "x:{a}-{b}",
            "x:{a}-{b}-",
            "x:{a}a-a{b}",
            "x:a{a}.{b}-{c}",
            "x:{a}-/{b}",
            "x:{a}/-{b}a",
            "x:{+p}",
            "x:{+p}/{a}",
            "x:{+p}a-{a}a",
            "x:{a}/{+p}-{b}",
            "x:{a}-{+p}/a",
            "x:-{a}--{+p}-a-{b}",
            "x:{a}.{b}/{+p}.{c}",
        ] {
            let template = template(text);
            for rest in &texts {
                let uri = format!("x:{rest}");
                assert_eq!(template.matches(&uri).is_some(), can_match(&template.path, &uri), "{text} {uri}");
            }
        }
    }

    // rows: RSC-7
    #[test]
    fn a_long_uri_is_read_in_one_go() {
        let bytes = 256 * 1024;
        // Were the text looked at again for each place where a literal may be, this would take hours.
        for text in [
            "x://{a}-{b}-{c}-{d}.e",
            "x://{a}/{+b}-{c}-{d}.e",
            "x://{+a}/{b}/{c}/{d}/e",
            "x://{a}--------------------------------x{b}",
            "x://{+a}x--------------------------------{b}",
            "x://{a}2{b}",
            "x://{+a}2{b}",
            "x://x{?a,b,c}",
        ] {
            for piece in ["-", "a", "/", "%2", "%20", "a/", "..", "&a", "&", "=", "?", "é", "2", "-x"] {
                let uri = format!("x://{}", piece.repeat(bytes / piece.len()));
                let template = template(text);
                // What comes of it is not asked here, only that it comes.
                template.matches(&uri);
                template.matches(&format!("x://x?{uri}"));
            }
        }
    }

    #[test]
    fn a_prefix_is_the_first_segment() {
        for (uri, expected) in [
            ("shop://catalog", "shop://eu/catalog"),
            ("shop://", "shop://eu/"),
            ("file:///a/b", "file://eu//a/b"),
            ("urn:isbn:1", "urn:eu/isbn:1"),
            ("shop://{a}/{+b}{?c}", "shop://eu/{a}/{+b}{?c}"),
        ] {
            assert_eq!(prefixed(uri, "eu"), expected);
            assert_eq!(strip_prefix(expected, "eu").as_deref(), Some(uri));
        }
        for uri in ["shop://catalog", "shop://eu", "shop://europe/catalog", "urn:x", "", "eu"] {
            assert_eq!(strip_prefix(uri, "eu"), None, "{uri}");
        }
        assert_eq!(prefixed("shop://a", "a b"), "shop://a%20b/a");
        let template = template("shop://{a}{?c}").prefixed("eu");
        assert_eq!(template.text, "shop://eu/{a}{?c}");
        assert_eq!(template.matches("shop://eu/1?c=2").unwrap()[1].value.as_deref(), Some("2"));
        assert_eq!(template.matches("shop://1"), None);
    }
}
