impl Clock {
    #[allow(clippy::needless_pass_by_value)]
    fn after(&self, hours: u8) -> impl Future<Output = Result<u8, ToolError>> + Send {
        std::future::ready(self.after(hours))
    }
}
#[automatically_derived]
impl ::mcp_server::__private::ServerBlock for Clock
where
    for<'a> Clock: ::core::marker::Send + ::core::marker::Sync,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("after");
            tool.without_description();
            let hours = tool.parameter::<u8, _>("hours", "");
            let result = tool.returns::<Result<u8, ToolError>>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let hours = hours.take(call);
                                let ::core::option::Option::Some(hours) = hours else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(
                                    async move { Self::after(&this, hours).await },
                                    result,
                                )
                            }),
                    ),
                );
        }
        offers
    }
}
