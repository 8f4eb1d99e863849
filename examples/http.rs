//! The lesson over HTTP: `http [--stateless] [ADDRESS]`, at `127.0.0.1:8000` unless an address is given.
//!
//! Clients of every revision since 2025-03-26 are served at `http://127.0.0.1:8000/mcp`. SIGTERM or Ctrl-C end it: what runs is finished.
//! With `--stateless` older clients have no sessions.

use std::time::Duration;

use mcp_server::prelude::*;
use tokio::net::TcpListener;

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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut address, mut stateless) = ("127.0.0.1:8000".to_owned(), false);
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--stateless" => stateless = true,
            _ => address = argument,
        }
    }

    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}/mcp", listener.local_addr()?);

    let mut http = Server::new("Shop support").tool(export_orders).http().listener(listener);
    if stateless {
        http = http.stateless();
    }
    http.serve().await?;
    Ok(())
}
