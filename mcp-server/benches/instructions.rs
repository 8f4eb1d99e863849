//! How many instructions each piece of a call takes, and an echo as a whole: a number that is nearly the same on every
//! run, unlike a time.
//!
//! Needs valgrind, which counts. It only tells: whether a change is worth its count is for people to say.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use benches::message::Ask;
use benches::pieces::{self, Meter};
use benches::pipe::echo_text;
use benches::server::serve_if_asked;
use benches::{Child, Pipe, Setup, Socket};

/// So often a piece is prepared, and so often it is run: the difference of two runs is that of the piece alone.
const FEW: u64 = 100;
const MANY: u64 = 1100;

fn main() {
    if serve_if_asked() {
        return;
    }
    let arguments: Vec<_> = env::args().skip(1).collect();
    if let [asked, name, times] = arguments.as_slice()
        && asked == ASKED
    {
        return pieces::all(&mut Repeat { name, times: times.parse().expect("a number") });
    }
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("instructions: left out, for there is no valgrind (apt-get install valgrind)");
        return;
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("instructions.txt");
    let text = fs::read_to_string(&file).unwrap_or_default();
    let kept = kept(&text);
    let counted: Vec<_> = pieces::NAMES.iter().map(|name| (*name, of_piece(name))).chain(of_echoes()).collect();

    println!("{:<22} {:>12} {:>12} {:>9}", "instructions of", "now", "kept", "change");
    for (name, now) in &counted {
        match kept.get(*name) {
            Some(kept) => {
                let change = (*now as f64 / *kept as f64 - 1.0) * 100.0;
                println!("{name:<22} {now:>12} {kept:>12} {change:>+8.1}%");
            }
            None => println!("{name:<22} {now:>12} {:>12}", "-"),
        }
    }
    if env::var_os("UPDATE_INSTRUCTIONS").is_some() {
        let mut text = String::new();
        for (name, now) in &counted {
            writeln!(text, "{name:<22} {now:>12}").expect("a String takes all");
        }
        fs::write(&file, text).expect("the folder of the benchmarks can be written to");
        println!("kept in {}", file.display());
    }
}

/// The figures of a file, by their names.
fn kept(text: &str) -> HashMap<&str, u64> {
    text.lines()
        .filter_map(|line| line.rsplit_once(' '))
        .filter_map(|(name, count)| Some((name.trim_end(), count.parse().ok()?)))
        .collect()
}

const ASKED: &str = "--repeat-the-piece";

/// Runs one piece so many times, and no other.
struct Repeat<'a> {
    name: &'a str,
    times: u64,
}

impl Meter for Repeat<'_> {
    fn piece<I, O>(&mut self, name: &'static str, mut prepare: impl FnMut() -> I, mut run: impl FnMut(I) -> O) {
        if name != self.name {
            return;
        }
        for time in 0..MANY {
            let input = black_box(prepare());
            if time < self.times {
                drop(black_box(run(input)));
            }
        }
    }
}

fn of_piece(name: &str) -> u64 {
    per_time(|times| {
        let counted = counting().args([ASKED, name, &times.to_string()]).output().expect("valgrind starts");
        collected(&String::from_utf8_lossy(&counted.stderr))
    })
}

/// What a server takes for an echo, from the bytes that it reads to those that it writes.
fn of_echoes() -> [(&'static str, u64); 2] {
    let over_stdio = per_time(|times| {
        let mut child = Child::start_by(counting(), Setup { many_threads: false, ..Setup::STDIO });
        let mut pipe = Pipe::to(&mut child);
        (0..times).for_each(|_| pipe.ask(Ask::Echo(&echo_text(7))));
        drop(pipe);
        collected(&child.end())
    });
    let over_http = per_time(|times| {
        let child = Child::start_by(counting(), Setup { many_threads: false, ..Setup::HTTP });
        let mut socket = Socket::connect(child.address());
        (0..times).for_each(|_| socket.ask(Ask::Echo(&echo_text(7))));
        drop(socket);
        collected(&child.end())
    });
    [("echo over stdio", over_stdio), ("echo over HTTP", over_http)]
}

fn per_time(count: impl Fn(u64) -> u64) -> u64 {
    let (few, many) = (count(FEW), count(MANY));
    (many.saturating_sub(few) + (MANY - FEW) / 2) / (MANY - FEW)
}

/// This program once more, counted.
fn counting() -> Command {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    command.arg(env::current_exe().expect("a program knows its path"));
    command.stderr(Stdio::piped());
    command
}

/// What valgrind says at its end.
fn collected(said: &str) -> u64 {
    let count = said.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    count.unwrap_or_else(|| panic!("valgrind has counted nothing:\n{said}"))
}
