use mcp_server::prelude::*;

struct Shop<'a> {
    name: &'a str,
}

#[server]
impl<'a> Shop<'a> {
    #[tool]
    async fn f(&self) -> usize {
        self.name.len()
    }
}

fn main() {
    let _ = Server::new("test").with(Shop { name: "x" });
}
