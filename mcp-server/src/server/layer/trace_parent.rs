//! Where a request stands in a trace that began elsewhere.
//!
//! Specification: [`_meta`](https://modelcontextprotocol.io/specification/2026-07-28/basic#_meta) names the keys, and
//! [Trace Context](https://www.w3.org/TR/trace-context/) what stands there.

use std::fmt;
use std::str::FromStr;

/// The span that a request was sent from: `traceparent`, and the `tracestate` that came with it.
///
/// ```
/// use mcp_server::layer::TraceParent;
///
/// let parent = TraceParent::parse("00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01").unwrap();
/// assert_eq!(parent.trace_id(), "0af7651916cd43dd8448eb211c80319c");
/// assert_eq!(parent.span_id(), "00f067aa0ba902b7");
/// assert!(parent.is_sampled());
///
/// assert!(TraceParent::parse("00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01").is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceParent {
    trace_id: Box<str>,
    span_id: Box<str>,
    flags: u8,
    trace_state: Option<Box<str>>,
}

/// A text that is no `traceparent`, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidTraceParent(&'static str);

impl fmt::Display for InvalidTraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no `traceparent`: {}", self.0)
    }
}

impl std::error::Error for InvalidTraceParent {}

impl TraceParent {
    /// Reads a `traceparent` to the letter of the specification, which also says how one of a later version is read.
    ///
    /// # Errors
    ///
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, InvalidTraceParent> {
        let err = |why| Err(InvalidTraceParent(why));
        let mut fields = text.splitn(5, '-');
        let (Some(version), Some(trace_id), Some(span_id), Some(flags)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return err("expected four fields with `-` between them");
        };
        let (Some(version), Some(flags)) = (byte(version), byte(flags)) else {
            return err("its version and its flags are two hexadecimal digits each, in lower case");
        };
        if version == 0xff {
            return err("the version `ff` is forbidden");
        }
        // "higher versions … parse by the rules of this one", and may have more fields; this one has none.
        if version == 0 && fields.next().is_some() {
            return err("version `00` has four fields");
        }
        if !is_id(trace_id, 32) {
            return err("its trace is 32 hexadecimal digits in lower case, not all of them zero");
        }
        if !is_id(span_id, 16) {
            return err("its parent is 16 hexadecimal digits in lower case, not all of them zero");
        }
        Ok(Self { trace_id: trace_id.into(), span_id: span_id.into(), flags, trace_state: None })
    }

    /// The same with a `tracestate`. One that can't be read is left out, as the specification has it.
    #[must_use]
    pub fn with_trace_state(self, trace_state: &str) -> Self {
        let trace_state = is_trace_state(trace_state).then(|| trace_state.into());
        Self { trace_state, ..self }
    }

    /// The trace: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    /// The span that the request was sent from: 16 hexadecimal digits.
    pub fn span_id(&self) -> &str {
        &self.span_id
    }

    /// The flags, of which the lowest says that the trace is recorded.
    pub fn flags(&self) -> u8 {
        self.flags
    }

    /// Whether the trace is recorded where it comes from.
    pub fn is_sampled(&self) -> bool {
        self.flags & 1 == 1
    }

    /// What other systems have noted of the trace.
    pub fn trace_state(&self) -> Option<&str> {
        self.trace_state.as_deref()
    }
}

impl FromStr for TraceParent {
    type Err = InvalidTraceParent;

    fn from_str(text: &str) -> Result<Self, InvalidTraceParent> {
        Self::parse(text)
    }
}

/// As a `traceparent` of version `00`.
impl fmt::Display for TraceParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "00-{}-{}-{:02x}", self.trace_id, self.span_id, self.flags)
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

fn is_id(text: &str, digits: usize) -> bool {
    is_hex(text, digits) && text.bytes().any(|byte| byte != b'0')
}

fn byte(text: &str) -> Option<u8> {
    u8::from_str_radix(text, 16).ok().filter(|_| is_hex(text, 2))
}

/// "list-member = key "=" value", at most 32 of them, with commas between.
fn is_trace_state(text: &str) -> bool {
    let members: Vec<&str> = text.split(',').map(|member| member.trim_matches([' ', '\t'])).collect();
    let key = |key: &str| {
        key.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && key.len() <= 256
            && key.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'*' | b'/' | b'@'))
    };
    let value = |value: &str| {
        (1..=256).contains(&value.len())
            && value.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b',' && byte != b'=')
    };
    let member = |member: &&str| match member.split_once('=') {
        Some((name, text)) => key(name) && value(text),
        None => member.is_empty(),
    };
    let given = members.iter().filter(|member| !member.is_empty()).count();
    (1..=32).contains(&given) && members.iter().all(member)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
    const SPAN: &str = "00f067aa0ba902b7";

    // rows: META-10
    #[test]
    fn a_trace_parent_is_read_to_the_letter() {
        let good = format!("00-{TRACE}-{SPAN}-00");
        let parent = TraceParent::parse(&good).unwrap();
        assert_eq!((parent.to_string(), parent.is_sampled()), (good, false));
        for later in [format!("01-{TRACE}-{SPAN}-01"), format!("fe-{TRACE}-{SPAN}-ff-and-more")] {
            assert!(TraceParent::parse(&later).unwrap().is_sampled(), "{later}");
        }
        for bad in [
            String::new(),
            format!("00-{TRACE}-{SPAN}"),
            format!("00-{TRACE}-{SPAN}-01-"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-0G"),
            format!("00-{TRACE}-{SPAN}-0A"),
            format!("00-{TRACE}-{SPAN}-+1"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("0-{TRACE}-{SPAN}-01"),
            format!("01-{TRACE}-{SPAN}-011"),
            format!(" 00-{TRACE}-{SPAN}-01"),
            format!("00-{}-{SPAN}-01", TRACE.to_uppercase()),
            format!("00-{}-{SPAN}-01", &TRACE[1..]),
            format!("00-{}-{SPAN}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
        ] {
            assert!(TraceParent::parse(&bad).is_err(), "{bad}");
        }
    }

    // rows: META-10
    #[test]
    fn a_trace_state_that_is_none_is_left_out() {
        let state = |text: &str| {
            let parent: TraceParent = format!("00-{TRACE}-{SPAN}-01").parse().unwrap();
            parent.with_trace_state(text).trace_state().map(ToOwned::to_owned)
        };
        for good in ["rojo=00f067aa0ba902b7", "a=1, fw529a3039@dt=FfIz:42,,b=x y"] {
            assert_eq!(state(good).as_deref(), Some(good));
        }
        let many = vec!["a=1"; 33].join(",");
        for bad in ["", ",", "a", "A=1", "a=1=2", "a=", "=1", "a=é", &*many] {
            assert_eq!(state(bad), None, "{bad}");
        }
    }
}
