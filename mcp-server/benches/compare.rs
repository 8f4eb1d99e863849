//! The same work on this server and on others, side by side.
//!
//! The others are programs, given as `NAME=PATH`, which serve when they are started as `PATH stdio` or as
//! `PATH http 127.0.0.1:PORT`, there at `/mcp`. This program is such a one itself. Prints tables; with
//! `UPDATE_COMPARE=1` they are kept beside the benchmarks.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process::{Command, exit};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{env, fmt, fs, thread};

use benches::cost::{peak, resident, settled_cpu};
use benches::message::{Ask, Faults};
use benches::pipe::echo_text;
use benches::server::{TOOLS, plain};
use benches::table::{Table, grouped, rounded};
use benches::{Child, Pipe, Socket};
use mcp_server::ServeError;
use rustix::process::{Pid, Signal, kill_process};

const OURS: &str = "mcp-server";

const USAGE: &str = "usage: cargo bench -p benches --bench compare -- [--rounds N] [--seconds S] NAME=PATH...";

fn main() {
    // What cargo adds says that this is a benchmark, which it always is.
    let arguments: Vec<_> = env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let words: Vec<_> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["stdio"] => return serve(None).expect("the server serves"),
        ["http", address] => return serve(Some(address)).expect("the server serves"),
        _ => {}
    }
    let options = Options::read(&words).unwrap_or_else(|fault| {
        eprintln!("{fault}\n{USAGE}");
        exit(2);
    });
    let text = report(&options, &measure_all(&options));
    println!("{text}");
    if env::var_os("UPDATE_COMPARE").is_some() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("compare.md");
        fs::write(&file, text).expect("the folder of the benchmarks can be written to");
        println!("written: {}", file.display());
    }
}

/// As many bytes as the body of a request may have, on each of the servers: the least of what is usual is too little
/// for the largest message here.
const LARGEST_BODY: usize = 16 * 1024 * 1024;

/// Is this server as its author gets it.
#[tokio::main]
async fn serve(address: Option<&str>) -> Result<(), ServeError> {
    let server = plain(TOOLS);
    match address {
        Some(address) => server.http().bind(address).max_body_size(LARGEST_BODY).serve().await,
        None => server.serve_stdio().await,
    }
}

/// What is measured, how often, and how long.
struct Options {
    rounds: usize,
    span: Duration,
    /// This server first.
    servers: Vec<Contestant>,
}

struct Contestant {
    name: String,
    program: PathBuf,
}

impl Options {
    fn read(words: &[&str]) -> Result<Self, String> {
        let ours = Contestant { name: OURS.to_owned(), program: env::current_exe().expect("a program knows its path") };
        let mut options = Self { rounds: 5, span: Duration::from_millis(500), servers: vec![ours] };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().copied().unwrap_or_default();
            match *word {
                "--rounds" => {
                    let rounds = value().parse().ok().filter(|rounds| *rounds > 0);
                    options.rounds = rounds.ok_or("--rounds takes a number from 1 on")?;
                }
                "--seconds" => {
                    let span = value().parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                    options.span = span.ok_or("--seconds takes a number")?;
                }
                word => options.servers.push(Contestant::read(word)?),
            }
        }
        Ok(options)
    }
}

impl Contestant {
    fn read(word: &str) -> Result<Self, String> {
        let (name, path) = word.split_once('=').ok_or_else(|| format!("`{word}` is no NAME=PATH"))?;
        // Cargo runs this in the folder of the package; people are in that of the repository.
        let program = repository().join(path);
        if !program.is_file() {
            return Err(format!("{name}: there is no program at {}", program.display()));
        }
        Ok(Self { name: name.to_owned(), program })
    }

    /// The name, with the version of the framework where a lock file here tells it.
    fn versioned(&self) -> String {
        let folder = match self.name.as_str() {
            OURS => repository(),
            name => Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name),
        };
        let lock = fs::read_to_string(folder.join("Cargo.lock")).unwrap_or_default();
        let package = format!("name = \"{}\"\nversion = \"", self.name);
        let version = lock.split_once(&package).and_then(|(_, rest)| Some(rest.split_once('"')?.0));
        version.map_or_else(|| self.name.clone(), |version| format!("{} {version}", self.name))
    }
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One thing that each server does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Case {
    work: Work,
    over: Transport,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Work {
    /// Short texts, so many calls in flight.
    Echo(usize),
    /// So many calls in flight that report so often each.
    Reports {
        calls: usize,
        each: u64,
    },
    List,
    /// A text of so many MiB.
    Large(usize),
    /// From the start to the first answer, and what is there then.
    Start,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Transport {
    Stdio,
    Http,
}

const WORKS: [Work; 8] =
    [Work::Echo(1), Work::Echo(32), OF_ONE, OF_MANY, Work::List, Work::Large(1), Work::Large(8), Work::Start];

const OF_ONE: Work = Work::Reports { calls: 1, each: 10_000 };
const OF_MANY: Work = Work::Reports { calls: 64, each: 1_000 };

impl Work {
    /// How many calls there are at a time.
    fn in_flight(self) -> usize {
        match self {
            Self::Echo(calls) | Self::Reports { calls, .. } => calls,
            Self::List | Self::Large(_) | Self::Start => 1,
        }
    }

    /// How many reports each call makes.
    fn reports(self) -> u64 {
        match self {
            Self::Reports { each, .. } => each,
            Self::Echo(_) | Self::List | Self::Large(_) | Self::Start => 0,
        }
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Echo(calls) => write!(f, "echo, {calls} in flight"),
            Self::Reports { calls: 1, .. } => f.write_str("a progress report"),
            Self::Reports { calls, .. } => write!(f, "a report of {calls} calls"),
            Self::List => write!(f, "list of {TOOLS} tools"),
            Self::Large(mib) => write!(f, "echo of {mib} MiB"),
            Self::Start => f.write_str("start"),
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        })
    }
}

/// What something took on one server, in one round.
#[derive(Clone, Copy, Default)]
struct Took {
    /// Of each call or report, in microseconds; of a start as a whole.
    cpu: Option<f64>,
    /// In MiB: the most that it ever was, or what is there after the start.
    memory: Option<f64>,
    /// Of a start, in milliseconds.
    time: Option<f64>,
    reports: u64,
    faults: Faults,
}

/// What each server took in each round, or why nothing is known.
type Results = BTreeMap<Case, Vec<Vec<Result<Took, String>>>>;

/// The servers take turns, so that what else the machine does hits all alike, and another begins in each round.
fn measure_all(options: &Options) -> Results {
    let mut results = Results::new();
    let servers = options.servers.len();
    for round in 0..options.rounds {
        eprintln!("round {} of {}", round + 1, options.rounds);
        for over in [Transport::Stdio, Transport::Http] {
            for work in WORKS {
                let case = Case { work, over };
                let of_case = results.entry(case).or_insert_with(|| (0..servers).map(|_| Vec::new()).collect());
                for at in (0..servers).map(|at| (at + round) % servers) {
                    let server = &options.servers[at];
                    // What goes wrong with one server ends its measurement and not the others.
                    let took = panic::catch_unwind(AssertUnwindSafe(|| measure(server, case, options.span)));
                    of_case[at].push(took.map_err(|payload| said(&*payload)));
                }
            }
        }
    }
    results
}

/// The message of a panic.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.and_then(|text| text.lines().next()).unwrap_or("failed").to_owned()
}

const MIB: usize = 1024 * 1024;

/// Measures one thing, on a server of its own.
///
/// # Panics
///
/// When an answer is missing, or is another one.
fn measure(server: &Contestant, case: Case, span: Duration) -> Took {
    let work = match case.work {
        Work::Start => return start(server, case.over),
        work => work,
    };
    let mut running = Running::start(server, case.over, work.in_flight());
    let text = match work {
        Work::Large(mib) => "measured ".repeat(mib * MIB / 9 + 1)[..mib * MIB].to_owned(),
        _ => String::new(),
    };
    let mut took = Took::default();
    let mut repeat = |client: &mut Client, span: Duration| {
        let start = Instant::now();
        let mut times = 0;
        while times == 0 || start.elapsed() < span {
            let faults = client.work(work, &text, times);
            took.faults.add(faults);
            took.reports += work.in_flight() as u64 * work.reports();
            times += 1;
        }
        times
    };
    // What happens once is over before anything counts.
    repeat(&mut running.client, span / 5);
    let before = settled_cpu(running.id());
    let times = repeat(&mut running.client, span);
    let after = settled_cpu(running.id());

    let things = times * work.in_flight() * work.reports().max(1) as usize;
    took.cpu = after.zip(before).map(|(after, before)| micros(after.saturating_sub(before)) / things as f64);
    took.memory = peak(running.id()).map(mib);
    took
}

/// A start is short: the median of some counts as one measurement.
const STARTS: usize = 5;

fn start(server: &Contestant, over: Transport) -> Took {
    let once = || {
        let start = Instant::now();
        let mut running = Running::start(server, over, 1);
        running.client.work(Work::List, "", 0).refuse();
        let time = start.elapsed();
        // What the start brings about in the background is part of it.
        thread::sleep(Duration::from_millis(100));
        Took {
            cpu: settled_cpu(running.id()).map(micros),
            memory: resident(running.id()).map(mib),
            time: Some(time.as_secs_f64() * 1e3),
            ..Took::default()
        }
    };
    let all: Vec<_> = (0..STARTS).map(|_| once()).collect();
    let middle = |pick: fn(&Took) -> Option<f64>| median(all.iter().filter_map(pick));
    Took {
        cpu: middle(|took| took.cpu),
        memory: middle(|took| took.memory),
        time: middle(|took| took.time),
        ..Took::default()
    }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB as f64
}

fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some((values[middle - 1] + values[middle]) / 2.0),
    }
}

/// A server with its client. Both end with it, the watch first.
struct Running {
    _watch: Sender<()>,
    client: Client,
    child: Child,
}

enum Client {
    Pipe(Pipe),
    /// One for each call in flight.
    Sockets(Vec<Socket>),
}

impl Running {
    fn start(server: &Contestant, over: Transport, in_flight: usize) -> Self {
        let program = |arguments: &[&str]| {
            let mut command = Command::new(&server.program);
            command.args(arguments);
            command
        };
        match over {
            Transport::Stdio => {
                let mut child = Child::run(program(&["stdio"]));
                let client = Client::Pipe(Pipe::to(&mut child));
                Self { _watch: watch(child.id()), client, child }
            }
            Transport::Http => {
                let address = free_address();
                let child = Child::run(program(&["http", &address.to_string()]));
                let watch = watch(child.id());
                until_it_listens(address);
                let client = Client::Sockets((0..in_flight).map(|_| Socket::connect(address)).collect());
                Self { _watch: watch, client, child }
            }
        }
    }

    fn id(&self) -> u32 {
        self.child.id()
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("there is a free port")
}

fn until_it_listens(address: SocketAddr) {
    let start = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "the server does not listen");
        thread::sleep(Duration::from_millis(1));
    }
}

/// A server that owes an answer for so long will not give it any more.
const PATIENCE: Duration = Duration::from_secs(60);

/// Kills a server that is never done, so that its client sees it end. Dropping what is returned ends the watch.
fn watch(server: u32) -> Sender<()> {
    let (watched, end) = channel();
    thread::spawn(move || {
        if end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout)
            && let Some(server) = i32::try_from(server).ok().and_then(Pid::from_raw)
        {
            // It may just have ended by itself.
            let _ = kill_process(server, Signal::KILL);
        }
    });
    watched
}

impl Client {
    /// Does the work once, and checks all answers.
    fn work(&mut self, work: Work, text: &str, at: usize) -> Faults {
        let words: Vec<_> = (at..at + work.in_flight()).map(echo_text).collect();
        let ask = |words| match work {
            Work::Echo(_) => Ask::Echo(words),
            Work::Reports { .. } => Ask::Count(work.reports()),
            Work::List | Work::Start => Ask::List(TOOLS),
            Work::Large(_) => Ask::Echo(text),
        };
        let asks: Vec<_> = words.iter().map(|words| ask(words)).collect();
        match self {
            Self::Pipe(pipe) => pipe.follow_at_once(&asks),
            Self::Sockets(sockets) => {
                for (socket, ask) in sockets.iter_mut().zip(&asks) {
                    socket.send(*ask);
                }
                let mut faults = Faults::default();
                for (socket, ask) in sockets.iter_mut().zip(&asks) {
                    faults.add(socket.answer(*ask));
                }
                faults
            }
        }
    }
}

/// The results as they are read.
fn report(options: &Options, results: &Results) -> String {
    let servers: Vec<_> = options.servers.iter().map(Contestant::versioned).collect();
    let mut text = format!(
        "# Next to other frameworks\n\n\
        Written by `UPDATE_COMPARE=1 cargo bench -p benches --bench compare`; [README.md](README.md#next-to-others) has \
        the whole command. The servers are of {}. Each has the same {TOOLS} tools and what its framework sets by \
        default, with the few exceptions that are named there. The clients speak revision 2026-07-28.\n\n\
        In each round every server was started anew for every line and measured for {} s, another one first in each \
        round; there were {} rounds. A figure is their median. A ratio is ours divided by theirs within a round, and \
        of these the median: below 1, ours takes less. All answers were checked, each report for its place.\n",
        servers.join(", "),
        options.span.as_secs_f64(),
        options.rounds,
    );

    let about = format!(
        "CPU time that all threads of the server have run, in microseconds. A report is the share that it has in a call \
        with {} of them; of {} calls at once each has {}.",
        grouped(OF_ONE.reports() as usize),
        OF_MANY.in_flight(),
        grouped(OF_MANY.reports() as usize),
    );
    let mut table = Sheet::new(options, "CPU", &about);
    for (case, took) in results.iter().filter(|(case, _)| case.work != Work::Start) {
        table.line(case.work.to_string(), case, took, |took| took.cpu);
    }
    text += &table.finish();

    let about = "What is in use when the first answer has been given, and the most that was ever in use where messages \
        are large, in MiB.";
    let mut table = Sheet::new(options, "Memory", about);
    for (case, took) in results.iter().filter(|(case, _)| case.work == Work::Start) {
        table.line("at rest".to_owned(), case, took, |took| took.memory);
    }
    for (case, took) in results.iter().filter(|(case, _)| matches!(case.work, Work::Large(_))) {
        table.line(case.work.to_string(), case, took, |took| took.memory);
    }
    text += &table.finish();

    let about = "From the start of the program until the list of the tools is there, in milliseconds.";
    let mut table = Sheet::new(options, "Start", about);
    let case = Case { work: Work::Start, over: Transport::Stdio };
    table.line("time".to_owned(), &case, &results[&case], |took| took.time);
    table.line("CPU".to_owned(), &case, &results[&case], |took| took.cpu.map(|micros| micros / 1e3));
    text + &table.finish()
}

/// A table with a column for each server, and one for each ratio.
struct Sheet<'a> {
    options: &'a Options,
    table: Table,
    notes: Vec<String>,
}

/// Stands at a figure whose server did something wrong, which a note tells.
const MARK: &str = "†";

impl<'a> Sheet<'a> {
    fn new(options: &'a Options, title: &str, about: &str) -> Self {
        let mut columns = vec![String::new(), "over".to_owned()];
        for (at, server) in options.servers.iter().enumerate() {
            columns.push(server.name.clone());
            if at > 0 {
                columns.push(format!("ours / {}", server.name));
            }
        }
        let columns: Vec<_> = columns.iter().map(String::as_str).collect();
        Self { options, table: Table::new(title, about, &columns).texts(2), notes: Vec::new() }
    }

    fn line(
        &mut self,
        name: String,
        case: &Case,
        results: &[Vec<Result<Took, String>>],
        pick: impl Fn(&Took) -> Option<f64>,
    ) {
        let mut cells = vec![name.clone(), case.over.to_string()];
        let values = |at: usize| results[at].iter().map(|took| took.as_ref().ok().and_then(&pick));
        for (at, server) in self.options.servers.iter().enumerate() {
            let faults = faults(&results[at]);
            let mark = if faults.is_empty() { "" } else { MARK };
            cells.push(format!("{}{mark}", rounded(median(values(at).flatten()))));
            if at > 0 {
                let ratios = values(0).zip(values(at)).filter_map(|(ours, theirs)| Some(ours? / theirs?));
                cells.push(ratio(median(ratios)));
            }
            let server = &server.name;
            self.notes.extend(faults.iter().map(|fault| format!("{MARK} {server}, {name}, {}: {fault}.", case.over)));
        }
        self.table.row(cells);
    }

    fn finish(mut self) -> String {
        for note in &self.notes {
            self.table.note(note);
        }
        format!("\n{}", self.table.finish())
    }
}

/// A ratio with two digits that say something, however small it is.
fn ratio(ratio: Option<f64>) -> String {
    match ratio {
        Some(ratio) if ratio < 0.0095 => format!("{ratio:.4}"),
        Some(ratio) if ratio < 0.095 => format!("{ratio:.3}"),
        ratio => rounded(ratio),
    }
}

/// What one server did wrong in its rounds, as parts of a sentence.
fn faults(rounds: &[Result<Took, String>]) -> Vec<String> {
    let mut told = Vec::new();
    let failures: Vec<_> = rounds.iter().filter_map(|took| took.as_ref().err()).collect();
    if let Some(first) = failures.first() {
        told.push(format!("failed in {} of {} rounds ({first})", failures.len(), rounds.len()));
    }
    let took = || rounds.iter().flatten();
    let sum = |pick: fn(&Took) -> u64| grouped(took().map(pick).sum::<u64>() as usize);
    if took().any(|took| took.faults != Faults::default()) {
        told.push(format!(
            "of {} reports {} were not there when the response came, and {} came after a later one",
            sum(|took| took.reports),
            sum(|took| took.faults.lost),
            sum(|took| took.faults.misplaced),
        ));
    }
    told
}
