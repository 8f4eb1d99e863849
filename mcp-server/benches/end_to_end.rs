//! What a client sees of a server that is a process of its own: over pipes, and over HTTP.

use benches::message::Ask;
use benches::pipe::echo_text;
use benches::server::{TOOLS, serve_if_asked};
use benches::{Child, Pipe, Setup, Socket};
use criterion::{Criterion, Throughput};

/// So many calls are in flight where it is more than one.
const AT_ONCE: usize = 32;
const REPORTS: u64 = 1000;

fn main() {
    if serve_if_asked() {
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    over_stdio(&mut criterion);
    over_http(&mut criterion);
    criterion.final_summary();
}

fn over_stdio(criterion: &mut Criterion) {
    let mut child = Child::start(Setup::STDIO);
    let mut pipe = Pipe::to(&mut child);
    let mut group = criterion.benchmark_group("stdio");
    let mut at = 0;

    group.throughput(Throughput::Elements(1));
    group.bench_function("echo, 1 in flight", |bencher| {
        bencher.iter(|| {
            at += 1;
            pipe.ask(Ask::Echo(&echo_text(at)));
        });
    });
    group.throughput(Throughput::Elements(AT_ONCE as u64));
    group.bench_function("echo, 32 in flight", |bencher| bencher.iter(|| pipe.echo_at_once(AT_ONCE)));
    group.throughput(Throughput::Elements(REPORTS));
    group.bench_function("count, 1,000 reports", |bencher| bencher.iter(|| pipe.ask(Ask::Count(REPORTS))));
    group.throughput(Throughput::Elements(1));
    group.bench_function("list, 53 tools", |bencher| bencher.iter(|| pipe.ask(Ask::List(TOOLS))));
    group.finish();

    drop(pipe);
    child.end();
}

fn over_http(criterion: &mut Criterion) {
    let child = Child::start(Setup::HTTP);
    let mut sockets: Vec<_> = (0..AT_ONCE).map(|_| Socket::connect(child.address())).collect();
    let mut group = criterion.benchmark_group("http");
    let mut at = 0;

    group.throughput(Throughput::Elements(1));
    group.bench_function("echo, 1 in flight", |bencher| {
        bencher.iter(|| {
            at += 1;
            sockets[0].ask(Ask::Echo(&echo_text(at)));
        });
    });
    group.throughput(Throughput::Elements(AT_ONCE as u64));
    group.bench_function("echo, 32 in flight", |bencher| {
        let texts: Vec<_> = (0..AT_ONCE).map(echo_text).collect();
        bencher.iter(|| {
            for (socket, text) in sockets.iter_mut().zip(&texts) {
                socket.send(Ask::Echo(text));
            }
            for (socket, text) in sockets.iter_mut().zip(&texts) {
                socket.answer(Ask::Echo(text)).refuse();
            }
        });
    });
    group.throughput(Throughput::Elements(REPORTS));
    group.bench_function("count, 1,000 reports", |bencher| bencher.iter(|| sockets[0].ask(Ask::Count(REPORTS))));
    group.throughput(Throughput::Elements(1));
    group.bench_function("list, 53 tools", |bencher| bencher.iter(|| sockets[0].ask(Ask::List(TOOLS))));
    group.finish();

    drop(sockets);
    child.end();
}
