//! The messages that a benchmark sends, and how their answers are checked.

use std::borrow::Cow;
use std::fmt;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

/// What a request is for.
#[derive(Clone, Copy, Debug)]
pub enum Ask<'a> {
    /// A text comes back.
    Echo(&'a str),
    /// So many reports come before the result.
    Count(u64),
    /// The list of so many tools.
    List(usize),
}

impl Ask<'_> {
    /// The method, and the tool if it is a call.
    pub fn target(&self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::Echo(_) => ("tools/call", Some("echo")),
            Self::Count(_) => ("tools/call", Some("count")),
            Self::List(_) => ("tools/list", None),
        }
    }

    /// Appends the request, without a line end. Texts are written as they are: without what JSON escapes.
    pub fn write(&self, out: &mut String, id: u64) {
        let mut append = |arguments: fmt::Arguments<'_>| fmt::write(out, arguments).expect("a String takes all");
        let (method, tool) = self.target();
        append(format_args!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"#));
        if let Some(tool) = tool {
            append(format_args!(r#""name":"{tool}","arguments":{{"#));
            match self {
                Self::Echo(text) => append(format_args!(r#""message":"{text}"}},"#)),
                Self::Count(reports) => append(format_args!(r#""n":{reports}}},"#)),
                Self::List(_) => {}
            }
        }
        append(format_args!(r#""_meta":{{{META}"#));
        if let Self::Count(_) = self {
            append(format_args!(r#","progressToken":{id}"#));
        }
        append(format_args!("}}}}}}"));
    }

    /// Checks the result of this request.
    ///
    /// # Panics
    ///
    /// When it is another one.
    pub fn check(&self, result: &RawValue) {
        match self {
            Self::Echo(text) => assert!(text_of(result) == *text, "another text came back"),
            Self::Count(reports) => assert_eq!(text_of(result), reports.to_string()),
            Self::List(tools) => {
                let list: List = serde_json::from_str(result.get()).expect("a list of tools");
                assert_eq!(list.tools.len(), *tools);
            }
        }
    }
}

/// What a stateless request says of its client.
const META: &str = concat!(
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}"#,
);

#[derive(Deserialize)]
struct List {
    tools: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct CallResult<'a> {
    #[serde(borrow)]
    content: [Content<'a>; 1],
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

fn text_of(result: &RawValue) -> Cow<'_, str> {
    let result: CallResult<'_> = serde_json::from_str(result.get()).expect("the result of a call");
    let [content] = result.content;
    content.text
}

/// One message of the server.
#[derive(Debug, Deserialize)]
pub struct Message<'a> {
    id: Option<u64>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    params: Option<Report>,
}

#[derive(Debug, Deserialize)]
struct Report {
    #[serde(rename = "progressToken")]
    token: u64,
    /// Some servers send `1.0` where others send `1`.
    progress: f64,
}

impl<'a> Message<'a> {
    /// # Panics
    ///
    /// When the text is no message of those that are expected here.
    pub fn read(text: &'a str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {}", &text[..text.len().min(500)]))
    }

    /// The id of the request that it belongs to.
    ///
    /// # Panics
    ///
    /// When it belongs to none.
    pub fn request(&self) -> u64 {
        self.params.as_ref().map(|report| report.token).or(self.id).expect("a message belongs to a request")
    }

    /// Whether it is no response.
    pub fn is_report(&self) -> bool {
        self.params.is_some()
    }

    /// The id and the result of a response.
    ///
    /// # Panics
    ///
    /// When it is none, or is an error.
    fn response(&self) -> (u64, &'a RawValue) {
        self.id.zip(self.result).unwrap_or_else(|| panic!("a response was expected, and not {self:?}"))
    }
}

/// What is wrong with the reports of a call whose result is right.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Faults {
    /// So many were not there when the response came.
    pub lost: u64,
    /// So many came after a later one, or again.
    pub misplaced: u64,
}

impl Faults {
    /// Those of another call too.
    pub fn add(&mut self, other: Self) {
        self.lost += other.lost;
        self.misplaced += other.misplaced;
    }

    /// # Panics
    ///
    /// When there are some.
    #[track_caller]
    pub fn refuse(self) {
        assert_eq!(self, Self::default(), "reports are lost or in another place");
    }
}

/// Follows the messages of one request up to its response.
#[derive(Debug)]
pub struct Answer<'a> {
    ask: Ask<'a>,
    id: u64,
    reports: u64,
    last: f64,
    misplaced: u64,
}

impl<'a> Answer<'a> {
    /// Nothing has come yet.
    pub fn to(ask: Ask<'a>, id: u64) -> Self {
        Self { ask, id, reports: 0, last: 0.0, misplaced: 0 }
    }

    /// Takes the next message; whether it was the response.
    ///
    /// # Panics
    ///
    /// When it is of another request, has another content, or is a report that nobody asked for.
    pub fn take(&mut self, text: &str) -> bool {
        self.take_message(&Message::read(text))
    }

    /// The same for one that was read already.
    pub fn take_message(&mut self, message: &Message<'_>) -> bool {
        if let Some(report) = &message.params {
            self.take_report(report);
            return false;
        }
        let (id, result) = message.response();
        assert_eq!(id, self.id);
        self.ask.check(result);
        true
    }

    fn take_report(&mut self, report: &Report) {
        let Report { token, progress } = *report;
        if token < self.id {
            // One of an earlier request, where it was missing when the response came: it was counted there.
            return;
        }
        assert_eq!(token, self.id, "a report is of no request");
        let is_one = progress.fract() == 0.0 && (1.0..=self.expected() as f64).contains(&progress);
        assert!(is_one, "nobody asked for a report of {progress}");
        self.reports += 1;
        if progress > self.last {
            self.last = progress;
        } else {
            self.misplaced += 1;
        }
    }

    fn expected(&self) -> u64 {
        if let Ask::Count(reports) = self.ask { reports } else { 0 }
    }

    /// What is wrong with the reports so far.
    pub fn faults(&self) -> Faults {
        Faults { lost: self.expected().saturating_sub(self.reports), misplaced: self.misplaced }
    }
}

/// Reads a line, with its end.
///
/// # Panics
///
/// When there is none.
pub fn read_line(reader: &mut impl BufRead) -> String {
    let mut line = String::new();
    reader.read_line(&mut line).expect("the server can be read from");
    assert!(line.ends_with('\n'), "the server has ended after {line:?}");
    line
}
