//! What a server takes as its work grows: tools, connections, reports, and the size of messages.
//!
//! Prints tables and draws them. With `UPDATE_GROWTH=1` both are kept beside the benchmarks.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use benches::cost::{peak, resident, settled_cpu};
use benches::message::Ask;
use benches::pipe::echo_text;
use benches::plot::{Axis, Curve, Panel, draw};
use benches::server::serve_if_asked;
use benches::table::{Table, grouped, rounded};
use benches::{Child, Pipe, Setup, Socket};
use rustix::process::{Resource, getrlimit, setrlimit};

const KIB: f64 = 1024.0;
const MIB: f64 = 1024.0 * KIB;

fn main() {
    if serve_if_asked() {
        return;
    }
    let descriptors = raise_limit();
    let parts = [tools(), connections(descriptors), reports(), messages()];
    let mut text = "# What a server takes as its work grows\n\n\
        Written by `UPDATE_GROWTH=1 cargo bench -p benches --bench growth`. CPU is the time that all threads of the \
        server have run, time is what one client waits for one answer, both of the best of many rounds, and memory is \
        what the server has. Every answer was checked.\n"
        .to_owned();
    for (part, _) in &parts {
        text += "\n";
        text += part;
    }
    println!("{text}");
    let folder = match env::var_os("UPDATE_GROWTH") {
        Some(_) => env!("CARGO_MANIFEST_DIR"),
        None => env!("CARGO_TARGET_TMPDIR"),
    };
    let folder = PathBuf::from(folder);
    let panels = parts.map(|(_, panel)| panel);
    for (name, text) in [("growth.md", text), ("growth.svg", draw(&panels))] {
        let file = folder.join(name);
        fs::write(&file, text).expect("the folder can be written to");
        println!("written: {}", file.display());
    }
}

/// Allows as many open connections as the system lets us, and says how many that are.
fn raise_limit() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Some systems take no limit that is none; what was allowed before is still allowed.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// A server with its client, and how much of what grows there is.
struct Load<C> {
    child: Child,
    client: C,
    amount: usize,
}

impl<C> Load<C> {
    fn server(&self) -> u32 {
        self.child.id()
    }

    fn end(self) {
        drop(self.client);
        self.child.end();
    }
}

/// Starts a server for each amount.
fn start<C>(
    amounts: &[usize],
    setup: impl Fn(usize) -> Setup,
    connect: impl Fn(&mut Child, usize) -> C,
) -> Vec<Load<C>> {
    let start = |amount: &usize| {
        let mut child = Child::start(setup(*amount));
        let client = connect(&mut child, *amount);
        Load { child, client, amount: *amount }
    };
    amounts.iter().map(start).collect()
}

/// What something took, of each time that it was done.
#[derive(Clone, Copy)]
struct Took {
    time: Duration,
    cpu: Option<Duration>,
}

impl Took {
    /// Where it was so many things of one kind.
    fn each(self, things: usize) -> Self {
        let each = |time: Duration| time.div_f64(things as f64);
        Self { time: each(self.time), cpu: self.cpu.map(each) }
    }

    fn cpu_micros(self) -> Option<f64> {
        self.cpu.map(micros)
    }
}

const ROUNDS: usize = 20;

/// Has each client do its work, `times` of its amount in a row, and measures its server meanwhile. The best of some
/// rounds counts: what else runs on the machine can only make one worse. They go around, so that it hits all alike.
fn measure<C>(
    loads: &mut [Load<C>],
    times: impl Fn(usize) -> usize,
    mut work: impl FnMut(&mut C, usize, usize),
) -> Vec<Took> {
    let mut best: Vec<Option<Took>> = vec![None; loads.len()];
    for _ in 0..ROUNDS {
        for (load, best) in loads.iter_mut().zip(&mut best) {
            let times = times(load.amount);
            let before = settled_cpu(load.server());
            let start = Instant::now();
            (0..times).for_each(|at| work(&mut load.client, load.amount, at));
            let time = start.elapsed();
            let cpu = settled_cpu(load.server()).zip(before).map(|(after, before)| after.saturating_sub(before));
            let took = Took { time, cpu }.each(times);
            *best = Some(best.map_or(took, |best| Took {
                time: best.time.min(took.time),
                cpu: best.cpu.zip(took.cpu).map(|(best, took)| best.min(took)),
            }));
        }
    }
    best.into_iter().flatten().collect()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// One value of each row, where there is one, over what the row is about.
fn points(values: impl IntoIterator<Item = (usize, Option<f64>)>) -> Vec<(f64, f64)> {
    let given = values.into_iter().filter_map(|(x, y)| Some((x as f64, y?)));
    // A logarithm knows no zero.
    given.filter(|(_, y)| *y > 0.0).collect()
}

fn axis(name: &'static str, values: &[usize]) -> Axis {
    Axis { name, ticks: values.iter().map(|value| (*value as f64, grouped(*value))).collect() }
}

fn tools() -> (String, Panel) {
    struct Row {
        tools: usize,
        list: Took,
        call: Took,
        memory: Option<f64>,
    }
    let amounts = [10, 30, 100, 300, 1000];
    let mut loads = start(&amounts, |tools| Setup { tools, ..Setup::STDIO }, |child, _| Pipe::to(child));
    let list = measure(&mut loads, |_| 20, |pipe, tools, _| pipe.ask(Ask::List(tools)));
    let call = measure(&mut loads, |_| 500, |pipe, _, at| pipe.ask(Ask::Echo(&echo_text(at))));
    let row = |((load, list), call): ((Load<Pipe>, Took), Took)| {
        let memory = resident(load.server()).map(|bytes| bytes as f64 / MIB);
        let tools = load.amount;
        load.end();
        Row { tools, list, call, memory }
    };
    let rows: Vec<_> = loads.into_iter().zip(list).zip(call).map(row).collect();

    let mut table = Table::new(
        "Tools",
        "A server on standard input and output, one request at a time.",
        &["tools", "list: time, µs", "list: CPU, µs", "call: time, µs", "call: CPU, µs", "memory, MiB"],
    );
    for row in &rows {
        table.row([
            grouped(row.tools),
            rounded(Some(micros(row.list.time))),
            rounded(row.list.cpu_micros()),
            rounded(Some(micros(row.call.time))),
            rounded(row.call.cpu_micros()),
            rounded(row.memory),
        ]);
    }
    let panel = Panel {
        title: "Tools",
        x: axis("number of tools", &amounts),
        cpu: vec![
            Curve {
                name: "CPU of tools/list, µs",
                points: points(rows.iter().map(|row| (row.tools, row.list.cpu_micros()))),
            },
            Curve { name: "of a call", points: points(rows.iter().map(|row| (row.tools, row.call.cpu_micros()))) },
        ],
        memory: Curve { name: "memory, MiB", points: points(rows.iter().map(|row| (row.tools, row.memory))) },
    };
    (table.finish(), panel)
}

fn connections(descriptors: u64) -> (String, Panel) {
    struct Row {
        connections: usize,
        call: Took,
        memory: Option<f64>,
        each: Option<f64>,
    }
    struct Client {
        sockets: Vec<Socket>,
        /// What the server had before they came.
        before: Option<u64>,
    }
    let amounts = [1, 10, 100, 1000, 10_000];
    let open_up_to = |connections: usize| amounts.iter().filter(|amount| **amount <= connections).sum::<usize>() as u64;
    // Some are open for other reasons.
    let (possible, left_out): (Vec<_>, Vec<_>) =
        amounts.into_iter().partition(|connections| open_up_to(*connections) + 100 <= descriptors);
    let mut loads = start(
        &possible,
        |_| Setup::HTTP,
        |child, connections| {
            // What the first request alone brings about is there before anything is measured.
            Socket::connect(child.address()).ask(Ask::Echo("ready"));
            thread::sleep(Duration::from_millis(100));
            let before = resident(child.id());
            Client { sockets: (0..connections).map(|_| Socket::connect(child.address())).collect(), before }
        },
    );
    let ask_all = |client: &mut Client, _: usize, at: usize| {
        let text = echo_text(at);
        client.sockets.iter_mut().for_each(|socket| socket.send(Ask::Echo(&text)));
        client.sockets.iter_mut().for_each(|socket| socket.answer(Ask::Echo(&text)).refuse());
    };
    let took = measure(&mut loads, |connections| (500 / connections).max(1), ask_all);
    let row = |(load, took): (Load<Client>, Took)| {
        let (connections, before, after) = (load.amount, load.client.before, resident(load.server()));
        load.end();
        let more = after.zip(before).map(|(after, before)| after.saturating_sub(before) as f64);
        Row {
            connections,
            call: took.each(connections),
            memory: after.map(|bytes| bytes as f64 / MIB),
            each: more.map(|more| more / connections as f64 / KIB),
        }
    };
    let rows: Vec<_> = loads.into_iter().zip(took).map(row).collect();

    let mut table = Table::new(
        "Connections",
        "A server over HTTP. Each connection is kept and has one call in flight; memory is what is there when all have \
         called several times.",
        &["connections", "time a call, µs", "CPU a call, µs", "memory, MiB", "memory a connection, KiB"],
    );
    for row in &rows {
        table.row([
            grouped(row.connections),
            rounded(Some(micros(row.call.time))),
            rounded(row.call.cpu_micros()),
            rounded(row.memory),
            rounded(row.each),
        ]);
    }
    for connections in &left_out {
        let connections = grouped(*connections);
        table.note(&format!(
            "{connections} connections are left out: a process may have {descriptors} open files here."
        ));
    }
    let panel = Panel {
        title: "Connections over HTTP",
        x: axis("number of connections", &possible),
        cpu: vec![Curve {
            name: "CPU of a call, µs",
            points: points(rows.iter().map(|row| (row.connections, row.call.cpu_micros()))),
        }],
        memory: Curve { name: "memory, MiB", points: points(rows.iter().map(|row| (row.connections, row.memory))) },
    };
    (table.finish(), panel)
}

fn reports() -> (String, Panel) {
    struct Row {
        reports: usize,
        each: Took,
        memory: Option<f64>,
    }
    let amounts = [1, 10, 100, 1000, 10_000, 100_000];
    let mut loads = start(&amounts, |_| Setup::STDIO, |child, _| Pipe::to(child));
    let times = |reports: usize| (20_000 / reports).clamp(1, 500);
    let took = measure(&mut loads, times, |pipe, reports, _| pipe.ask(Ask::Count(reports as u64)));
    let row = |(load, took): (Load<Pipe>, Took)| {
        let (reports, memory) = (load.amount, peak(load.server()).map(|bytes| bytes as f64 / MIB));
        load.end();
        Row { reports, each: took.each(reports), memory }
    };
    let rows: Vec<_> = loads.into_iter().zip(took).map(row).collect();

    let mut table = Table::new(
        "Reports",
        "A call on standard input and output that reports so often. Of all reports none is lost and none comes in \
         another place: the run ends at the first that is. A call's own cost is part of what its reports take.",
        &["reports", "time a report, µs", "CPU a report, µs", "most memory, MiB", "lost or reordered"],
    );
    for row in &rows {
        table.row([
            grouped(row.reports),
            rounded(Some(micros(row.each.time))),
            rounded(row.each.cpu_micros()),
            rounded(row.memory),
            "0".to_owned(),
        ]);
    }
    let panel = Panel {
        title: "Reports in a call",
        x: axis("number of reports", &amounts),
        cpu: vec![Curve {
            name: "CPU of a report, µs",
            points: points(rows.iter().map(|row| (row.reports, row.each.cpu_micros()))),
        }],
        memory: Curve { name: "most memory, MiB", points: points(rows.iter().map(|row| (row.reports, row.memory))) },
    };
    (table.finish(), panel)
}

fn messages() -> (String, Panel) {
    struct Row {
        bytes: usize,
        call: Took,
        memory: Option<f64>,
        times: Option<f64>,
    }
    struct Client {
        pipe: Pipe,
        text: String,
        /// What the server had before the first large message came.
        before: Option<u64>,
    }
    let sizes = [1, 4, 16, 64, 256, 1024, 4 * 1024, 16 * 1024, 32 * 1024].map(|kib| kib * 1024);
    let mut loads = start(
        &sizes,
        |_| Setup::STDIO,
        |child, bytes| {
            let mut pipe = Pipe::to(child);
            pipe.ask(Ask::Echo("ready"));
            let mut text = "measured ".repeat(bytes / 9 + 1);
            text.truncate(bytes);
            Client { pipe, text, before: resident(child.id()) }
        },
    );
    let times = |bytes: usize| (8 * 1024 * 1024 / bytes).clamp(1, 500);
    let took = measure(&mut loads, times, |client, _, _| client.pipe.ask(Ask::Echo(&client.text)));
    let row = |(load, call): (Load<Client>, Took)| {
        let (bytes, before, most) = (load.amount, load.client.before, peak(load.server()));
        load.end();
        let more = most.zip(before).map(|(most, before)| most.saturating_sub(before) as f64);
        Row { bytes, call, memory: most.map(|bytes| bytes as f64 / MIB), times: more.map(|more| more / bytes as f64) }
    };
    let rows: Vec<_> = loads.into_iter().zip(took).map(row).collect();

    let size = |bytes: usize| match bytes / 1024 {
        kib @ ..1024 => format!("{kib} KiB"),
        kib => format!("{} MiB", kib / 1024),
    };
    let a_mib = |row: &Row| row.call.cpu_micros().map(|cpu| cpu / 1e3 * MIB / row.bytes as f64);
    let mut table = Table::new(
        "Messages",
        "An echo of a text of this size on standard input and output, one at a time: the server reads it once and \
         writes it once. The last column is the memory beyond that of the idle server, as a multiple of the text; of a \
         small text it says nothing.",
        &["text", "time, µs", "CPU, µs", "CPU a MiB, ms", "most memory, MiB", "memory / text"],
    );
    for row in &rows {
        table.row([
            size(row.bytes),
            rounded(Some(micros(row.call.time))),
            rounded(row.call.cpu_micros()),
            rounded(a_mib(row)),
            rounded(row.memory),
            rounded(row.times),
        ]);
    }
    let named = |bytes: &usize| (*bytes as f64, size(*bytes));
    let panel = Panel {
        title: "Size of a message",
        x: Axis { name: "size of the text", ticks: sizes.iter().step_by(2).map(named).collect() },
        cpu: vec![Curve { name: "CPU of a MiB, ms", points: points(rows.iter().map(|row| (row.bytes, a_mib(row)))) }],
        memory: Curve { name: "most memory, MiB", points: points(rows.iter().map(|row| (row.bytes, row.memory))) },
    };
    (table.finish(), panel)
}
