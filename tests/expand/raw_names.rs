fn r#move(r#type: String, move_: u8) -> impl ::mcp_server::ToolFuture<Output = String> {
    #[allow(clippy::unused_async)]
    async fn r#move(r#type: String, r#move: u8) -> String {
        r#type
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("move");
            tool.without_description();
            let r#type = tool.parameter::<String, _>("type", "");
            let r#move = tool.parameter::<u8, _>("move", "");
            let result = tool.returns::<String>();
            tool.handler(move |call| {
                let r#type = r#type.take(call);
                let r#move = r#move.take(call);
                let (
                    ::core::option::Option::Some(r#type),
                    ::core::option::Option::Some(r#move),
                ) = (r#type, r#move) else { return call.refuse() };
                call.run(r#move(r#type, r#move), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(r#move(r#type, move_))
}
#[allow(clippy::needless_pass_by_value)]
fn r#ref(r#type: String) -> String {
    r#type
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct r#ref {}
#[automatically_derived]
impl ::mcp_server::__private::ResourceHandler for r#ref {
    fn resource() -> ::mcp_server::Resource {
        let mut resource = ::mcp_server::Resource::builder("raw://{type}");
        resource.name("ref");
        let r#type = resource.variable::<String, _>("type");
        let result = resource.returns::<String>();
        resource
            .handler(move |call| {
                let r#type = r#type.take(call);
                let ::core::option::Option::Some(r#type) = r#type else {
                    return call.refuse()
                };
                call.run_blocking(move || r#ref(r#type), result)
            })
    }
}
impl Raw {
    #[allow(clippy::unused_async, clippy::unused_self)]
    async fn r#loop(&self, r#type: u8) -> u8 {
        r#type
    }
}
#[automatically_derived]
impl ::mcp_server::__private::ServerBlock for Raw
where
    for<'a> Raw: ::core::marker::Send + ::core::marker::Sync,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("loop");
            tool.without_description();
            let r#type = tool.parameter::<u8, _>("type", "");
            let result = tool.returns::<u8>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let r#type = r#type.take(call);
                                let ::core::option::Option::Some(r#type) = r#type else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run(
                                    async move { Self::r#loop(&this, r#type).await },
                                    result,
                                )
                            }),
                    ),
                );
        }
        offers
    }
}
