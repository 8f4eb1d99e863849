/// Reserve seats.
fn reserve(
    seats: Vec<String>,
    discount: f64,
    #[cfg(feature = "mail")]
    mail: String,
) -> impl ::mcp_server::ToolFuture<Output = usize> {
    #[allow(clippy::unused_async)]
    async fn reserve(
        seats: Vec<String>,
        discount: f64,
        #[cfg(feature = "mail")]
        mail: String,
    ) -> usize {
        seats.len()
    }
    struct __Handler;
    #[automatically_derived]
    impl ::mcp_server::__private::ToolHandler for __Handler {
        fn tool() -> ::mcp_server::Tool {
            let mut tool = ::mcp_server::Tool::builder("reserve");
            tool.description("Reserve seats.");
            let seats = tool.parameter::<Vec<String>, _>("seats", "");
            tool.limit::<Vec<String>>(seats, "minItems", 1u64);
            tool.limit::<Vec<String>>(seats, "maxItems", MOST);
            tool.limit::<Vec<String>>(seats, "uniqueItems", true);
            let discount = tool
                .parameter_or::<
                    f64,
                    _,
                >("discount", "", || 0.0, ::core::option::Option::Some("0.0"));
            tool.limit::<f64>(discount, "minimum", -1i64);
            tool.limit::<f64>(discount, "exclusiveMaximum", 0.5);
            #[cfg(feature = "mail")]
            let mail = tool.parameter::<String, _>("mail", "");
            #[cfg(feature = "mail")] tool.limit::<String>(mail, "pattern", "@");
            #[cfg(feature = "mail")] tool.limit::<String>(mail, "maxLength", 80u64);
            let result = tool.returns::<usize>();
            tool.handler(move |call| {
                let seats = seats.take(call);
                let discount = discount.take(call);
                #[cfg(feature = "mail")]
                let mail = mail.take(call);
                let (
                    ::core::option::Option::Some(seats),
                    ::core::option::Option::Some(discount),
                ) = (seats, discount) else { return call.refuse() };
                #[cfg(feature = "mail")]
                let ::core::option::Option::Some(mail) = mail else {
                    return call.refuse()
                };
                call.run(reserve(seats, discount, #[cfg(feature = "mail")] mail), result)
            })
        }
    }
    ::mcp_server::__private::tagged::<
        __Handler,
        _,
    >(reserve(seats, discount, #[cfg(feature = "mail")] mail))
}
