/// Names that the macro uses itself.
impl Names {
    #[allow(clippy::unused_async, clippy::unused_self)]
    async fn call(
        &self,
        tool: u8,
        call: u8,
        result: u8,
        this: u8,
        mut args: u8,
        _unused: u8,
    ) -> u8 {
        tool + call + result + this + args
    }
}
#[automatically_derived]
impl ::mcp_server::__private::ServerBlock for Names
where
    for<'a> Names: ::core::marker::Send + ::core::marker::Sync,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool_ = ::mcp_server::Tool::builder("call");
            tool_.without_description();
            let tool = tool_.parameter::<u8, _>("tool", "");
            let call = tool_.parameter::<u8, _>("call", "");
            let result = tool_.parameter::<u8, _>("result", "");
            let this = tool_.parameter::<u8, _>("this", "");
            let args = tool_.parameter::<u8, _>("args", "");
            let _unused = tool_.parameter::<u8, _>("_unused", "");
            let result_ = tool_.returns::<u8>();
            let this_ = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool_
                            .handler(move |call_| {
                                let tool = tool.take(call_);
                                let call = call.take(call_);
                                let result = result.take(call_);
                                let this = this.take(call_);
                                let args = args.take(call_);
                                let _unused = _unused.take(call_);
                                let (
                                    ::core::option::Option::Some(tool),
                                    ::core::option::Option::Some(call),
                                    ::core::option::Option::Some(result),
                                    ::core::option::Option::Some(this),
                                    ::core::option::Option::Some(args),
                                    ::core::option::Option::Some(_unused),
                                ) = (tool, call, result, this, args, _unused) else {
                                    return call_.refuse()
                                };
                                let this_ = ::core::clone::Clone::clone(&this_);
                                call_
                                    .run(
                                        async move {
                                            Self::call(&this_, tool, call, result, this, args, _unused)
                                                .await
                                        },
                                        result_,
                                    )
                            }),
                    ),
                );
        }
        offers
    }
}
