//! Two servers in one: a shop and its warehouse, each written by itself, with layers around all of it.
//!
//! `cargo run --example mounted` serves on standard input and output. The tools are `shop_order` and `warehouse_count`,
//! the resources `stock://warehouse/articles` and so on: each has the name that it was mounted with in front.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mcp_server::layer::{Next, RateLimit, Request, Timeout};
use mcp_server::prelude::*;
use mcp_server::protocol::ErrorObject;
use mcp_server::{ServerHandle, ServerResult};

/// What lies in the warehouse. Both servers know it: one sells from it, the other counts it.
#[derive(Clone)]
struct Stock(std::sync::Arc<Mutex<BTreeMap<String, u32>>>);

impl Stock {
    fn new() -> Self {
        let articles = [("tea", 12), ("coffee", 3)].map(|(article, pieces)| (article.to_owned(), pieces));
        Self(std::sync::Arc::new(Mutex::new(articles.into())))
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<String, u32>) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Order an article.
#[tool(destructive = false)]
async fn order(
    /// What is ordered, such as `tea`.
    article: String,
    #[tool(default = 1)] pieces: u32,
    stock: State<Stock>,
) -> Result<String, ToolError> {
    stock.change(|articles| match articles.get_mut(&article) {
        Some(left) if *left >= pieces => {
            *left -= pieces;
            Ok(format!("ordered {pieces} × {article}"))
        }
        Some(left) => Err(ToolError::new(format!("only {left} × {article} left"))),
        None => Err(ToolError::new(format!("there is no {article}"))),
    })
}

/// Have an order talked over.
#[prompt]
async fn advise(article: String) -> String {
    format!("Is it a good idea to order {article} today?")
}

/// How many pieces of an article there are.
#[tool(read_only)]
async fn count(article: String, stock: State<Stock>) -> u32 {
    stock.change(|articles| articles.get(&article).copied().unwrap_or_default())
}

/// Put pieces of an article into the warehouse.
#[tool(destructive = false)]
async fn deliver(article: String, pieces: u32, stock: State<Stock>, server: State<ServerHandle>) -> u32 {
    let all = stock.change(|articles| {
        let left = articles.entry(article).or_default();
        *left = left.saturating_add(pieces);
        *left
    });
    server.resource_updated("stock://articles");
    all
}

/// All articles, with their pieces.
#[resource("stock://articles")]
async fn articles(stock: State<Stock>) -> Json<BTreeMap<String, u32>> {
    Json(stock.change(|articles| articles.clone()))
}

/// One article.
#[resource("stock://articles/{article}")]
async fn article(article: String, stock: State<Stock>) -> Option<String> {
    stock.change(|articles| articles.get(&article).map(|pieces| format!("{pieces} pieces")))
}

/// Refuses orders of a hundred pieces or more.
async fn no_hoarding(request: Request, next: Next) -> Result<ServerResult, ErrorObject> {
    let pieces = request.params().and_then(|params| {
        let params: serde_json::Value = serde_json::from_str(params.get()).ok()?;
        params["arguments"]["pieces"].as_f64()
    });
    match pieces {
        Some(100.0..) => Err(ErrorObject::invalid_params("orders are for fewer than a hundred pieces")),
        _ => next.run(request).await,
    }
}

#[tokio::main]
async fn main() -> Result<(), ServeError> {
    let stock = Stock::new();
    let shop = Server::new("shop").state(stock.clone()).layer(no_hoarding).tool(order).prompt(advise);
    let warehouse = Server::new("warehouse");
    let handle = warehouse.handle();
    let warehouse = warehouse.state(stock).state(handle).tool(count).tool(deliver).resource(articles).resource(article);

    Server::new("market")
        .version(env!("CARGO_PKG_VERSION"))
        .layer(RateLimit::new(1000, Duration::from_secs(1)))
        .layer(Timeout::new(Duration::from_secs(10)))
        .mount("shop", shop)
        .mount("warehouse", warehouse)
        .serve_stdio()
        .await
}
