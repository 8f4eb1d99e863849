//! The lesson in a web program: `axum_mount [ADDRESS]`, at `127.0.0.1:8000` unless an address is given.
//!
//! `/` is a page that calls the tool and draws its progress (`examples/web`), and `/mcp` the server that it calls, as
//! any other client may. SIGTERM or Ctrl-C end the program: what runs is finished.

use std::time::Duration;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::{MethodRouter, get};
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
        // Slow enough to be watched, and to be cancelled by hand.
        tokio::time::sleep(Duration::from_millis(400)).await;
        ctx.report_progress(done, total, format!("exported {order_id}")).await?;
    }
    Ok(format!("Exported {total} orders."))
}

/// A file of the page, which is part of the program.
fn file(content_type: &'static str, text: &'static str) -> MethodRouter {
    get(move || async move { ([(CONTENT_TYPE, content_type)], text) })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8000".to_owned());

    // A page of the same address may call the server; one of another origin also needs `.allowed_origins(…).cors()`.
    let mcp = Server::new("Shop support").tool(export_orders).http().start().await?;
    let app = Router::new()
        .route("/", file("text/html; charset=utf-8", include_str!("web/index.html")))
        .route("/style.css", file("text/css", include_str!("web/style.css")))
        .route("/page.js", file("text/javascript", include_str!("web/page.js")))
        .route("/mcp.js", file("text/javascript", include_str!("web/mcp.js")))
        .route_service("/mcp", mcp.clone());

    let listener = TcpListener::bind(address).await?;
    println!("listening on http://{}", listener.local_addr()?);

    axum::serve(listener, app)
        .with_graceful_shutdown(async move {
            told_to_end().await;
            // axum waits for every response, and a stream that a client listens to has no end of its own: this ends
            // them, when what still runs is finished.
            mcp.shutdown().await;
        })
        .await?;
    Ok(())
}

/// Waits for Ctrl-C, or for SIGTERM, with which service managers and containers end a program.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};

        let mut terminate = signal(SignalKind::terminate()).expect("SIGTERM can be listened for");
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminate.recv() => {}
        }
    }
    #[cfg(not(unix))]
    let _ = tokio::signal::ctrl_c().await;
}
