/// One order.
fn order(
    id: u32,
    format: String,
    stock: State<Stock>,
) -> impl ::mcp_server::ResourceFuture<Output = Result<Json<Order>, RequestError>> {
    async fn order(
        id: u32,
        format: String,
        stock: State<Stock>,
    ) -> Result<Json<Order>, RequestError> {
        stock.order(id).await
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ResourceHandler for __Handler {
        fn resource() -> ::mcp_server::Resource {
            let mut resource = ::mcp_server::Resource::builder(
                "shop://orders/{id}{?format}",
            );
            resource.name("order");
            resource.description("One order.");
            resource
                .cache(
                    ::core::time::Duration::from_secs_f64(0.5),
                    ::mcp_server::protocol::CacheScope::Private,
                );
            let id = resource.variable::<u32, _>("id");
            resource.complete("id", order_ids);
            let format = resource
                .variable_or::<
                    String,
                    _,
                >("format", || ::core::convert::Into::into("short"));
            let stock = resource.extract::<State<Stock>>();
            let result = resource.returns::<Result<Json<Order>, RequestError>>();
            resource
                .handler(move |call| {
                    let id = id.take(call);
                    let format = format.take(call);
                    let stock = stock.take(call);
                    let (
                        ::core::option::Option::Some(id),
                        ::core::option::Option::Some(format),
                        ::core::option::Option::Some(stock),
                    ) = (id, format, stock) else { return call.refuse() };
                    call.run(order(id, format, stock), result)
                })
        }
    }
    ::mcp_server::__private::tagged::<__Handler, _>(order(id, format, stock))
}
#[allow(clippy::needless_pass_by_value)]
fn file(path: String, #[cfg(unix)] ctx: Context) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}
#[doc(hidden)]
#[allow(
    missing_copy_implementations,
    missing_debug_implementations,
    non_camel_case_types
)]
struct file {}
#[automatically_derived]
impl my_crate::mcp::__private::ResourceHandler for file {
    fn resource() -> my_crate::mcp::Resource {
        let mut resource = my_crate::mcp::Resource::builder("file:///{+path}");
        resource.name("file");
        let path = resource.variable::<String, _>("path");
        resource.raw("path");
        #[cfg(unix)]
        let ctx = resource.extract::<Context>();
        let result = resource.returns::<Option<Vec<u8>>>();
        resource
            .handler(move |call| {
                let path = path.take(call);
                #[cfg(unix)]
                let ctx = ctx.take(call);
                let ::core::option::Option::Some(path) = path else {
                    return call.refuse()
                };
                #[cfg(unix)]
                let ::core::option::Option::Some(ctx) = ctx else {
                    return call.refuse()
                };
                call.run_blocking(move || file(path, #[cfg(unix)] ctx), result)
            })
    }
}
