::core::compile_error! {
    "`#[cfg_attr(…, doc = …)]` can't be seen through on a tool in a `#[server]` block; write the text out, or give it as `#[tool(description = …)]`"
}
#[allow(dead_code)]
impl Shop {
    #[allow(clippy::unused_async, clippy::unused_self)]
    /// Refund an order.
    #[cfg_attr(feature = "eu", doc = "Within two weeks.")]
    async fn refund(&self) {}
    #[allow(clippy::unused_async, clippy::unused_self)]
    #[cfg_attr(docsrs, doc(cfg(feature = "eu")))]
    #[cfg_attr(feature = "eu", doc = "In euros.")]
    async fn price(&self) -> u32 {
        1999
    }
}
#[allow(dead_code)]
impl ::mcp_server::__private::ServerBlock for Shop {
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        ::core::unreachable!()
    }
}
