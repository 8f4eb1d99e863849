//! The server that is measured. Each benchmark starts itself once more to be that server.

use std::process::Command;
use std::time::Duration;

use mcp_server::Tool;
use mcp_server::prelude::*;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

/// Echo a message
#[tool]
pub async fn echo(
    /// Text to send back
    message: String,
) -> String {
    message
}

/// Report progress n times
#[tool]
pub async fn count(
    /// How many progress reports to make
    n: u64,
    ctx: Context,
) -> Result<String, ToolError> {
    for i in 1..=n {
        ctx.report_progress(i, n, None).await?;
    }
    Ok(n.to_string())
}

/// Do nothing
#[tool]
pub async fn nothing() {}

/// The tools that only fill the list.
fn filler(at: usize) -> Tool {
    let mut tool = Tool::builder(format!("tool_{at:02}"));
    tool.description(format!(
        "Search files, variant {at:02}: looks under path and returns at most max_results matches"
    ));
    let path = tool.parameter::<String, _>("path", "Directory to search");
    let max_results = tool.parameter::<u64, _>("max_results", "Stop after this many");
    let recursive = tool.parameter::<Option<bool>, _>("recursive", "Descend into subdirectories");
    let result = tool.returns::<&'static str>();
    tool.handler(move |call| match (path.take(call), max_results.take(call), recursive.take(call)) {
        (Some(_), Some(_), Some(_)) => call.run(async { "ok" }, result),
        _ => call.refuse(),
    })
}

/// How many tools the server has where their number does not matter.
pub const TOOLS: usize = 53;

/// A server of so many tools as its author gets it, with nothing set: `echo`, `count`, `nothing`, and those that fill
/// the list.
pub fn plain(tools: usize) -> Server {
    let server = Server::new("bench").tool(echo).tool(count).tool(nothing);
    (3..tools).fold(server, |server, at| server.tool(filler(at)))
}

/// The same server, set so that nothing stands in the way of measuring it.
pub fn server(tools: usize) -> Server {
    plain(tools)
        // The pause before a response is for clients in use that need it, and would hide what the work takes.
        .progress_settle(Duration::ZERO)
        .max_message_size(64 * 1024 * 1024)
}

/// How a server is started.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// Over HTTP, at an address that it prints first; otherwise on standard input and output.
    pub http: bool,
    /// How many tools it has.
    pub tools: usize,
    /// As programs mostly are; with one thread alone the same work takes the same instructions.
    pub many_threads: bool,
}

impl Setup {
    /// On standard input and output.
    pub const STDIO: Self = Self { http: false, tools: TOOLS, many_threads: true };
    /// At an address of this machine.
    pub const HTTP: Self = Self { http: true, ..Self::STDIO };

    /// Adds what makes a program a server that [`serve_if_asked`] serves.
    pub fn add_to(self, command: &mut Command) {
        command.args([ASKED, &self.http.to_string(), &self.tools.to_string(), &self.many_threads.to_string()]);
    }
}

const ASKED: &str = "--be-the-server";

/// Whether this process was started to be the server; it has been by then.
pub fn serve_if_asked() -> bool {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [asked, http, tools, many_threads] = arguments.as_slice() else { return false };
    if asked != ASKED {
        return false;
    }
    let is_set = |flag: &str| flag == "true";
    let mut runtime = match is_set(many_threads) {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build().expect("a runtime starts");
    let server = server(tools.parse().expect("a number of tools"));
    let served = runtime.block_on(async {
        match is_set(http) {
            true => serve_http(server).await,
            false => server.serve_stdio().await,
        }
    });
    // A thread may still wait for more to read.
    runtime.shutdown_background();
    served.expect("the server serves");
    true
}

/// Serves until standard input ends.
async fn serve_http(server: Server) -> Result<(), ServeError> {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("there is a free port");
    println!("{}", listener.local_addr().expect("a listener has an address"));
    let end = async {
        let _ = tokio::io::stdin().read_to_end(&mut Vec::new()).await;
    };
    server.http().max_connections(100_000).max_requests(100_000).listener(listener).serve_until(end).await
}
