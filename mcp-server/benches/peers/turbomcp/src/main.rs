//! The tools of the comparison on `turbomcp`: `turbomcp-peer stdio`, or `turbomcp-peer http 127.0.0.1:PORT`.

use std::env;
use std::error::Error;

use turbomcp::http::{HttpConfig, ServeHttp as _};
use turbomcp::prelude::*;

/// As many bytes as the largest message of the comparison needs.
const LARGEST_BODY: usize = 16 * 1024 * 1024;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["stdio"] => Peer.run_stdio().await?,
        ["http", address] => {
            let config = HttpConfig::new().max_body_bytes(LARGEST_BODY);
            Peer.into_server().run_http(address.parse()?, config).await?;
        }
        _ => return Err("usage: turbomcp-peer stdio | http ADDRESS".into()),
    }
    Ok(())
}

#[derive(Clone)]
struct Peer;

/// The whole server, since all of its tools stand in one `impl`.
macro_rules! server {
    ($($name:ident: $description:literal,)*) => {
        #[server(name = "bench", version = "0.0.0")]
        impl Peer {
            #[tool(description = "Echo a message")]
            async fn echo(&self, #[description("Text to send back")] message: String) -> McpResult<String> {
                Ok(message)
            }

            #[tool(description = "Report progress n times")]
            async fn count(
                &self,
                #[description("How many progress reports to make")] n: u64,
                context: &CallToolContext,
            ) -> McpResult<String> {
                for at in 1..=n {
                    context.progress.report(at as f64, Some(n as f64), None).await;
                }
                Ok(n.to_string())
            }

            #[tool(description = "Do nothing")]
            async fn nothing(&self) {}

            $(
                #[tool(description = $description)]
                async fn $name(
                    &self,
                    #[description("Directory to search")] path: String,
                    #[description("Stop after this many")] max_results: u64,
                    #[description("Descend into subdirectories")] recursive: Option<bool>,
                ) -> McpResult<String> {
                    let _ = (path, max_results, recursive);
                    Ok("ok".to_owned())
                }
            )*
        }
    };
}

server! {
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
