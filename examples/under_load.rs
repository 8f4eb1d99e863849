//! Tools that many can call at a time: `under_load [--session-idle SECONDS] [--drain SECONDS]`.
//!
//! The address is printed first. A line on standard input opens the gate that calls of `pass` wait at, so that whoever
//! calls says how many there are at once, and not a clock.

use std::time::Duration;

use mcp_server::prelude::*;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Echo a text.
#[tool(read_only)]
async fn echo(text: String) -> String {
    text
}

/// Report once, and wait until the call is given up.
#[tool]
async fn hold(ctx: Context) -> Result<(), ToolError> {
    ctx.report_progress(1, None, None).await?;
    std::future::pending().await
}

/// What calls wait at until it opens.
struct Gate(watch::Receiver<bool>);

#[server]
impl Gate {
    /// Report once, wait at the gate, and report every other number up to one.
    #[tool]
    async fn pass(&self, n: u32, ctx: Context) -> Result<u32, ToolError> {
        ctx.report_progress(1, n, None).await?;
        self.0.clone().wait_for(|open| *open).await?;
        for i in 2..=n {
            ctx.report_progress(i, n, None).await?;
        }
        Ok(n)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut session_idle, mut drain) = (30 * 60, 30);
    let mut arguments = std::env::args().skip(1);
    while let (Some(name), Some(seconds)) = (arguments.next(), arguments.next()) {
        match &*name {
            "--session-idle" => session_idle = seconds.parse()?,
            "--drain" => drain = seconds.parse()?,
            _ => return Err(format!("there is no option {name}").into()),
        }
    }

    let (gate, open) = watch::channel(false);
    // A thread that the process does not wait for when it ends.
    std::thread::spawn(move || {
        if std::io::stdin().read_line(&mut String::new()).is_ok_and(|bytes| bytes > 0) {
            gate.send_replace(true);
        }
        // Who waits goes on waiting, though nobody is left to open it.
        std::mem::forget(gate);
    });

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);
    let server = Server::new("under load").tool(echo).tool(hold).with(Gate(open));
    // Nothing changes here; but streams of changes can be opened.
    let _handle = server.handle();
    let server = server.drain_timeout(Duration::from_secs(drain));
    server.http().listener(listener).session_idle(Duration::from_secs(session_idle)).serve().await?;
    Ok(())
}
