//! The pieces of a call, for whoever measures them.

use std::hint::black_box;

use mcp_server::pieces::{Message, Output, Pieces, arguments};
use mcp_server::protocol::{CallToolResult, RequestId};
use mcp_server::{IntoTool, ServerResult, TestContext, tool};

use crate::server::{TOOLS, server};

/// Measures pieces.
pub trait Meter {
    /// Measures what `run` takes; to make what it is given is not part of it.
    fn piece<I, O>(&mut self, name: &'static str, prepare: impl FnMut() -> I, run: impl FnMut(I) -> O);
}

/// A call of the stateless revision, as clients send it.
const MODERN: &str = concat!(
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing","arguments":{},"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{},"progressToken":7}}}"#,
);

/// The same call of the revision before it.
const OLDER: &str = concat!(
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing","arguments":{},"#,
    r#""_meta":{"progressToken":7}}}"#,
);

const LIST: &str = concat!(
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"#,
    r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
    r#""io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1.0.0"},"#,
    r#""io.modelcontextprotocol/clientCapabilities":{}}}}"#,
);

/// Search files
#[tool]
async fn search(
    /// Directory to search
    path: String,
    /// Stop after this many
    max_results: u64,
    /// Descend into subdirectories
    recursive: Option<bool>,
) -> &'static str {
    black_box((path, max_results, recursive));
    "ok"
}

const ARGUMENTS: &str = r#"{"path":"/home/ada/orders","max_results":100,"recursive":true}"#;

/// The names of all pieces, in the order in which a call passes through them.
pub const NAMES: [&str; 8] = [
    "decode 2026-07-28",
    "decode 2025-11-25",
    "dispatch",
    "arguments",
    "report",
    "encode a line",
    "encode an event",
    "list 53 tools",
];

fn is_request(line: &str) -> bool {
    Message::read(line).is_some_and(|message| message.is_request())
}

/// Measures all pieces.
///
/// # Panics
///
/// When one of them does not do its work.
pub fn all(meter: &mut impl Meter) {
    let mut lines = Output::lines();
    let pieces = Pieces::new(server(TOOLS), &lines);
    let id = RequestId::from(7);
    let message = Message::read(MODERN).expect("it is a message");
    let asked = || message.request().expect("it is a request");

    meter.piece(NAMES[0], || (), |()| assert!(is_request(black_box(MODERN))));
    meter.piece(NAMES[1], || (), |()| assert!(is_request(black_box(OLDER))));
    meter.piece(NAMES[2], asked, |asked| pieces.dispatch(asked).expect("there is the tool"));

    let (search, context) = (search.into_tool(), TestContext::new().context());
    meter.piece(NAMES[3], || (), |()| arguments(&search, black_box(ARGUMENTS), &context));

    let context = pieces.context(&asked()).expect("it is a good request");
    let mut done = 0;
    meter.piece(
        NAMES[4],
        || (),
        |()| {
            done += 1;
            assert!(lines.report(&context, done, 1_000_000));
            // Often enough that none has waited so long that it is hurried.
            if done % 10 == 0 {
                lines.take();
            }
        },
    );
    lines.take();

    let text = "the words of call 000007, sent back";
    let result = ServerResult::CallTool(CallToolResult::from_text(text));
    let mut encode = |name, output: &mut Output| {
        meter.piece(
            name,
            || (),
            |()| {
                pieces.encode(&result, &id, output);
                assert!(output.take() > 100);
            },
        );
    };
    encode(NAMES[5], &mut lines);
    encode(NAMES[6], &mut Output::events());

    let message = Message::read(LIST).expect("it is a message");
    meter.piece(
        NAMES[7],
        || message.request().expect("it is a request"),
        |asked| {
            let begun = pieces.dispatch(asked).expect("there are tools");
            assert!(pieces.answer(&begun, &id, &lines));
            assert!(lines.take() > 10_000);
        },
    );
}
