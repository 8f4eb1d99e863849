//! The lesson: a tool that reports its progress, and the program that listens.
//!
//! `cargo run --example export_orders` starts itself once more as a server, calls the tool with a callback, and then
//! without one. `cargo run --example export_orders -- serve` is the server alone, for any host to start.

use std::io::IsTerminal;
use std::process::{Command, ExitCode};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mcp_server::prelude::*;

/// Export orders to the accounting system, one at a time.
#[tool]
async fn export_orders(
    /// The orders to export, such as `A17`.
    order_ids: Vec<String>,
    ctx: Context,
) -> Result<String, ToolError> {
    let total = order_ids.len();
    for (done, order_id) in (1..).zip(&order_ids) {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ctx.report_progress(done, total, format!("exported {order_id}")).await?;
    }
    Ok(format!("Exported {total} orders."))
}

/// The first two exercises: without a total, since nobody knows how many orders there will be; and a report for every
/// second order and the last.
struct Exercise {
    no_total: bool,
    every_second: bool,
}

#[server]
impl Exercise {
    /// Export orders to the accounting system, one at a time.
    #[tool]
    async fn export_orders(
        &self,
        /// The orders to export, such as `A17`.
        order_ids: Vec<String>,
        ctx: Context,
    ) -> Result<String, ToolError> {
        let count = order_ids.len();
        let total = (!self.no_total).then_some(count as f64);
        for (done, order_id) in (1..).zip(&order_ids) {
            tokio::time::sleep(Duration::from_millis(100)).await;
            if !self.every_second || done % 2 == 0 || done == count {
                ctx.report_progress(done, total, format!("exported {order_id}")).await?;
            }
        }
        Ok(format!("Exported {count} orders."))
    }
}

/// Calls the tool with a callback that shows each report, and then once more without.
async fn listen(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::spawn(options.server()?).await?;
    let arguments = json!({ "order_ids": options.order_ids });

    let view = View::new(options.hashes);
    let result =
        client.call_tool("export_orders", &arguments).on_progress(async |report: Progress| view.show(&report)).await?;
    view.finish();
    println!("{}", result.text());

    let result = client.call_tool("export_orders", &arguments).await?;
    println!("{}", result.text());
    client.close().await;
    Ok(())
}

/// Where the reports are seen: one live bar in a terminal, a line each elsewhere.
enum View {
    Bar(ProgressBar),
    /// The third exercise: a bar of `#`.
    Hashes,
    Lines,
}

impl View {
    fn new(hashes: bool) -> Self {
        if hashes {
            return Self::Hashes;
        }
        if !std::io::stdout().is_terminal() {
            return Self::Lines;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
        bar.set_style(ProgressStyle::with_template("{spinner} {pos} {msg}").expect("a good template"));
        Self::Bar(bar)
    }

    fn show(&self, report: &Progress) {
        let message = report.message.clone().unwrap_or_default();
        match (self, report.total) {
            (Self::Bar(bar), total) => {
                if let Some(total) = total {
                    bar.set_style(
                        ProgressStyle::with_template("[{bar:30}] {pos}/{len} {msg}")
                            .expect("a good template")
                            .progress_chars("=> "),
                    );
                    bar.set_length(total as u64);
                }
                bar.set_position(report.done as u64);
                bar.set_message(message);
            }
            (Self::Hashes, Some(total)) => {
                let done = (20.0 * report.done / total) as usize;
                println!("  [{:<20}] {message}", "#".repeat(done));
            }
            (Self::Hashes, None) => println!("  {} {message}", "#".repeat(report.done as usize)),
            (Self::Lines, _) => println!("  {report}"),
        }
    }

    fn finish(&self) {
        if let Self::Bar(bar) = self {
            bar.abandon();
        }
    }
}

const HELP: &str = "\
Exports orders and shows how far it has come.

Usage: export_orders [OPTIONS] [ORDER_ID]...      start a server, call its tool with a callback and without
       export_orders serve [OPTIONS]              be the server, on standard input and output

Arguments:
  [ORDER_ID]...     the orders to export [default: A17 B42 C03]

Exercises of the lesson, solved:
  --no-total        report without saying how many orders there are
  --every-second    report every second order, and the last
  --hashes          draw the bar with #

Options:
  -h, --help        print this";

#[derive(Default)]
struct Options {
    serve: bool,
    no_total: bool,
    every_second: bool,
    hashes: bool,
    help: bool,
    order_ids: Vec<String>,
}

impl Options {
    fn read() -> Result<Self, String> {
        let mut options = Self::default();
        for (at, argument) in std::env::args().skip(1).enumerate() {
            match argument.as_str() {
                "serve" if at == 0 => options.serve = true,
                "--no-total" => options.no_total = true,
                "--every-second" => options.every_second = true,
                "--hashes" => options.hashes = true,
                "-h" | "--help" => options.help = true,
                option if option.starts_with('-') => return Err(format!("there is no option {option}; see --help")),
                _ => options.order_ids.push(argument),
            }
        }
        if options.order_ids.is_empty() {
            options.order_ids = ["A17", "B42", "C03"].map(String::from).to_vec();
        }
        Ok(options)
    }

    /// This program once more, as a server.
    fn server(&self) -> std::io::Result<Command> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("serve");
        command.args(self.no_total.then_some("--no-total"));
        command.args(self.every_second.then_some("--every-second"));
        Ok(command)
    }
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let options = Options::read()?;
    if options.help {
        println!("{HELP}");
        return Ok(());
    }
    if !options.serve {
        return listen(&options).await;
    }
    let server = Server::new("Shop support");
    let server = match options {
        Options { no_total: false, every_second: false, .. } => server.tool(export_orders),
        Options { no_total, every_second, .. } => server.with(Exercise { no_total, every_second }),
    };
    Ok(server.serve_stdio().await?)
}

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
