fn wait(seconds: u64) -> impl crate::mcp::ToolFuture<Output = ()> {
    #[allow(clippy::unused_async)]
    async fn wait(seconds: u64) {}
    struct __Handler;
    #[automatically_derived]
    impl crate::mcp::__private::ToolHandler for __Handler {
        fn tool() -> crate::mcp::Tool {
            let mut tool = crate::mcp::Tool::builder("wait");
            tool.without_description();
            let seconds = tool.parameter::<u64, _>("seconds", "");
            let result = tool.returns::<()>();
            tool.handler(move |call| {
                let seconds = seconds.take(call);
                let ::core::option::Option::Some(seconds) = seconds else {
                    return call.refuse()
                };
                call.run(wait(seconds), result)
            })
        }
    }
    crate::mcp::__private::tagged::<__Handler, _>(wait(seconds))
}
impl Shop {
    #[allow(clippy::unused_self)]
    fn open(&self) {}
}
#[automatically_derived]
impl my_crate::mcp::__private::ServerBlock for Shop
where
    for<'a> Shop: ::core::marker::Send + ::core::marker::Sync,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<my_crate::mcp::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = my_crate::mcp::Tool::builder("open");
            tool.without_description();
            let result = tool.returns::<()>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    my_crate::mcp::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let this = ::core::clone::Clone::clone(&this);
                                call.run_blocking(move || Self::open(&this), result)
                            }),
                    ),
                );
        }
        offers
    }
}
