// A plain `fn` runs on a thread where it may block, and has nothing to `.await` with. Make it an `async fn`, or call
// what blocks.

use mcp_server::prelude::*;

struct Shop;

#[server]
impl Shop {
    /// Report.
    #[tool]
    fn f(&self, ctx: Context) -> Result<(), ToolError> {
        ctx.report_progress(1, 2, None).await?;
        Ok(())
    }
}

fn main() {
    let _ = Server::new("test").with(Shop);
}
