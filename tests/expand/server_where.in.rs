#[server]
impl<A, B, const N: usize> Pair<[A; N], B>
where
    A: Store<Key = u32> + Clone,
    B: Store,
    Option<B::Key>: Display,
{
    #[tool]
    fn get(&self, key: B::Key) -> String {
        self.b.get(key)
    }
}
