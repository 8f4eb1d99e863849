impl<A, B, const N: usize> Pair<[A; N], B>
where
    A: Store<Key = u32> + Clone,
    B: Store,
    Option<B::Key>: Display,
{
    #[allow(clippy::needless_pass_by_value)]
    fn get(&self, key: B::Key) -> String {
        self.b.get(key)
    }
}
#[automatically_derived]
impl<A, B, const N: usize> ::mcp_server::__private::ServerBlock for Pair<[A; N], B>
where
    A: Store<Key = u32> + Clone,
    B: Store,
    Option<B::Key>: Display,
    for<'a> Pair<[A; N], B>: ::core::marker::Send + ::core::marker::Sync,
    Pair<[A; N], B>: 'static,
{
    fn offers(
        self: ::std::sync::Arc<Self>,
    ) -> ::std::vec::Vec<::mcp_server::__private::Offer> {
        let mut offers = ::std::vec::Vec::new();
        {
            let mut tool = ::mcp_server::Tool::builder("get");
            tool.without_description();
            let key = tool.parameter::<B::Key, _>("key", "");
            let result = tool.returns::<String>();
            let this = ::core::clone::Clone::clone(&self);
            offers
                .push(
                    ::mcp_server::__private::Offer::Tool(
                        tool
                            .handler(move |call| {
                                let key = key.take(call);
                                let ::core::option::Option::Some(key) = key else {
                                    return call.refuse()
                                };
                                let this = ::core::clone::Clone::clone(&this);
                                call.run_blocking(move || Self::get(&this, key), result)
                            }),
                    ),
                );
        }
        offers
    }
}
