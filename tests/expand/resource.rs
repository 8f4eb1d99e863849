/// All that is sold.
pub fn catalog() -> impl ::mcp_server::ResourceFuture<Output = &'static str> {
    #[allow(clippy::unused_async)]
    async fn catalog() -> &'static str {
        "tea, coffee"
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ResourceHandler for __Handler {
        fn resource() -> ::mcp_server::Resource {
            let mut resource = ::mcp_server::Resource::builder("shop://catalog");
            resource.name("catalog");
            resource.title("Catalog");
            resource.description("All that is sold.");
            resource.mime_type("text/plain");
            resource.size(11);
            resource
                .annotations(::mcp_server::protocol::Annotations {
                    audience: ::std::vec![::mcp_server::protocol::Role::User],
                    priority: ::core::option::Option::Some(1.0),
                    ..::core::default::Default::default()
                });
            let result = resource.returns::<&'static str>();
            resource.handler(move |call| { call.run(catalog(), result) })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(catalog())
}
#[allow(clippy::needless_pass_by_value)]
fn hours(ctx: Context) -> String {
    ctx.request_id().to_string()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct hours {}
#[automatically_derived]
impl ::mcp_server::__private::ResourceHandler for hours {
    fn resource() -> ::mcp_server::Resource {
        let mut resource = ::mcp_server::Resource::builder("shop://hours");
        resource.name("opening-hours");
        resource.icon(clock());
        resource.meta(json!({ "shelf" : 7 }));
        resource
            .cache(
                ::core::time::Duration::from_secs(3600u64),
                ::mcp_server::protocol::CacheScope::Public,
            );
        let ctx = resource.extract::<Context>();
        let result = resource.returns::<String>();
        resource
            .handler(move |call| {
                let ctx = ctx.take(call);
                let ::core::option::Option::Some(ctx) = ctx else {
                    return call.refuse()
                };
                call.run_blocking(move || hours(ctx), result)
            })
    }
}
