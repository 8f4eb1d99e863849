/// What is in stock.
fn stock(
    sku: String,
    region: String,
    #[cfg(feature = "counts")]
    count: Option<u32>,
) -> impl ::mcp_server::ToolFuture<Output = u32> {
    #[allow(clippy::unused_async)]
    async fn stock(
        sku: String,
        region: String,
        #[cfg(feature = "counts")]
        count: Option<u32>,
    ) -> u32 {
        17
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("stock");
            tool.description("What is in stock.");
            let sku = tool.parameter::<String, _>("sku", "");
            let region = tool
                .parameter_or::<
                    String,
                    _,
                >(
                    "region",
                    "Where to look.",
                    || ::core::convert::Into::into("eu"),
                    ::core::option::Option::Some("\"eu\""),
                );
            tool.header::<String>(region, "Region");
            #[cfg(feature = "counts")]
            let count = tool.parameter::<Option<u32>, _>("count", "");
            #[cfg(feature = "counts")] tool.header::<Option<u32>>(count, "Count");
            let result = tool.returns::<u32>();
            tool.handler(move |call| {
                let sku = sku.take(call);
                let region = region.take(call);
                #[cfg(feature = "counts")]
                let count = count.take(call);
                let (
                    ::core::option::Option::Some(sku),
                    ::core::option::Option::Some(region),
                ) = (sku, region) else { return call.refuse() };
                #[cfg(feature = "counts")]
                let ::core::option::Option::Some(count) = count else {
                    return call.refuse()
                };
                call.run(stock(sku, region, #[cfg(feature = "counts")] count), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(stock(sku, region, #[cfg(feature = "counts")] count))
}
