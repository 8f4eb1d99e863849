//! How long each piece of a call takes, by itself.

use benches::pieces::{self, Meter};
use criterion::{BatchSize, Criterion};

struct Clock(Criterion);

impl Meter for Clock {
    fn piece<I, O>(&mut self, name: &'static str, mut prepare: impl FnMut() -> I, mut run: impl FnMut(I) -> O) {
        self.0.bench_function(name, |bencher| bencher.iter_batched(&mut prepare, &mut run, BatchSize::SmallInput));
    }
}

fn main() {
    let mut clock = Clock(Criterion::default().configure_from_args());
    pieces::all(&mut clock);
    clock.0.final_summary();
}
