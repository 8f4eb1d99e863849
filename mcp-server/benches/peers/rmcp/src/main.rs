//! The tools of the comparison on `rmcp`: `rmcp-peer stdio`, or `rmcp-peer http 127.0.0.1:PORT`.

use std::env;
use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::net::TcpListener;

/// As many bytes as the largest message of the comparison needs.
const LARGEST_BODY: usize = 16 * 1024 * 1024;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => {
            Peer::new().serve(stdio()).await?.waiting().await?;
        }
        ["http", address] => {
            // As under "Stateless Streamable HTTP" in the documentation.
            let config = StreamableHttpServerConfig::default()
                .with_legacy_session_mode(false)
                .with_json_response(true)
                .with_max_request_body_bytes(LARGEST_BODY);
            let peer = Peer::new();
            let sessions = LocalSessionManager::default().into();
            let service = StreamableHttpService::new(move || Ok(peer.clone()), sessions, config);
            let router = axum::Router::new().nest_service("/mcp", service);
            axum::serve(TcpListener::bind(address).await?, router).await?;
        }
        _ => return Err("usage: rmcp-peer stdio | http ADDRESS".into()),
    }
    Ok(())
}

/// The tools are gathered once. Without a field for them `#[tool_handler]` would do that for each request, and there
/// are clones, of which each request over HTTP gets one.
#[derive(Clone)]
struct Peer {
    tools: Arc<ToolRouter<Self>>,
}

impl Peer {
    fn new() -> Self {
        Self { tools: Arc::new(Self::measured() + Self::fillers()) }
    }
}

#[tool_handler(router = self.tools)]
impl ServerHandler for Peer {}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// Text to send back
    message: String,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    /// How many progress reports to make
    n: u64,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "the tools that take these only fill the list")]
struct Search {
    /// Directory to search
    path: String,
    /// Stop after this many
    max_results: u64,
    /// Descend into subdirectories
    recursive: Option<bool>,
}

#[tool_router(router = measured)]
impl Peer {
    #[tool(description = "Echo a message")]
    async fn echo(&self, Parameters(Echo { message }): Parameters<Echo>) -> String {
        message
    }

    #[tool(description = "Report progress n times")]
    async fn count(
        &self,
        Parameters(Count { n }): Parameters<Count>,
        context: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if let Some(token) = context.meta.get_progress_token() {
            for at in 1..=n {
                let report = ProgressNotificationParam::new(token.clone(), at as f64).with_total(n as f64);
                let sent = context.peer.notify_progress(report).await;
                sent.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok(n.to_string())
    }

    #[tool(description = "Do nothing")]
    async fn nothing(&self) {}
}

macro_rules! fillers {
    ($($name:ident: $description:literal,)*) => {
        #[tool_router(router = fillers)]
        impl Peer {
            $(
                #[tool(description = $description)]
                async fn $name(&self, _: Parameters<Search>) -> String {
                    "ok".to_owned()
                }
            )*
        }
    };
}

fillers! {
    tool_00: "Search files, variant 00: looks under path and returns at most max_results matches",
    tool_01: "Search files, variant 01: looks under path and returns at most max_results matches",
    tool_02: "Search files, variant 02: looks under path and returns at most max_results matches",
    tool_03: "Search files, variant 03: looks under path and returns at most max_results matches",
    tool_04: "Search files, variant 04: looks under path and returns at most max_results matches",
    tool_05: "Search files, variant 05: looks under path and returns at most max_results matches",
    tool_06: "Search files, variant 06: looks under path and returns at most max_results matches",
    tool_07: "Search files, variant 07: looks under path and returns at most max_results matches",
    tool_08: "Search files, variant 08: looks under path and returns at most max_results matches",
    tool_09: "Search files, variant 09: looks under path and returns at most max_results matches",
    tool_10: "Search files, variant 10: looks under path and returns at most max_results matches",
    tool_11: "Search files, variant 11: looks under path and returns at most max_results matches",
    tool_12: "Search files, variant 12: looks under path and returns at most max_results matches",
    tool_13: "Search files, variant 13: looks under path and returns at most max_results matches",
    tool_14: "Search files, variant 14: looks under path and returns at most max_results matches",
    tool_15: "Search files, variant 15: looks under path and returns at most max_results matches",
    tool_16: "Search files, variant 16: looks under path and returns at most max_results matches",
    tool_17: "Search files, variant 17: looks under path and returns at most max_results matches",
    tool_18: "Search files, variant 18: looks under path and returns at most max_results matches",
    tool_19: "Search files, variant 19: looks under path and returns at most max_results matches",
    tool_20: "Search files, variant 20: looks under path and returns at most max_results matches",
    tool_21: "Search files, variant 21: looks under path and returns at most max_results matches",
    tool_22: "Search files, variant 22: looks under path and returns at most max_results matches",
    tool_23: "Search files, variant 23: looks under path and returns at most max_results matches",
    tool_24: "Search files, variant 24: looks under path and returns at most max_results matches",
    tool_25: "Search files, variant 25: looks under path and returns at most max_results matches",
    tool_26: "Search files, variant 26: looks under path and returns at most max_results matches",
    tool_27: "Search files, variant 27: looks under path and returns at most max_results matches",
    tool_28: "Search files, variant 28: looks under path and returns at most max_results matches",
    tool_29: "Search files, variant 29: looks under path and returns at most max_results matches",
    tool_30: "Search files, variant 30: looks under path and returns at most max_results matches",
    tool_31: "Search files, variant 31: looks under path and returns at most max_results matches",
    tool_32: "Search files, variant 32: looks under path and returns at most max_results matches",
    tool_33: "Search files, variant 33: looks under path and returns at most max_results matches",
    tool_34: "Search files, variant 34: looks under path and returns at most max_results matches",
    tool_35: "Search files, variant 35: looks under path and returns at most max_results matches",
    tool_36: "Search files, variant 36: looks under path and returns at most max_results matches",
    tool_37: "Search files, variant 37: looks under path and returns at most max_results matches",
    tool_38: "Search files, variant 38: looks under path and returns at most max_results matches",
    tool_39: "Search files, variant 39: looks under path and returns at most max_results matches",
    tool_40: "Search files, variant 40: looks under path and returns at most max_results matches",
    tool_41: "Search files, variant 41: looks under path and returns at most max_results matches",
    tool_42: "Search files, variant 42: looks under path and returns at most max_results matches",
    tool_43: "Search files, variant 43: looks under path and returns at most max_results matches",
    tool_44: "Search files, variant 44: looks under path and returns at most max_results matches",
    tool_45: "Search files, variant 45: looks under path and returns at most max_results matches",
    tool_46: "Search files, variant 46: looks under path and returns at most max_results matches",
    tool_47: "Search files, variant 47: looks under path and returns at most max_results matches",
    tool_48: "Search files, variant 48: looks under path and returns at most max_results matches",
    tool_49: "Search files, variant 49: looks under path and returns at most max_results matches",
}
