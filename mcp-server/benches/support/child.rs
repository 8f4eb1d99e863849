//! A server as a child process, which ends with its input.

use std::io::{BufReader, Read};
use std::net::SocketAddr;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};

use crate::message::read_line;
use crate::server::Setup;

/// A server that runs.
#[derive(Debug)]
pub struct Child {
    process: process::Child,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    address: Option<SocketAddr>,
}

impl Child {
    /// Starts this program once more, as a server.
    pub fn start(setup: Setup) -> Self {
        Self::start_by(Command::new(std::env::current_exe().expect("a program knows its path")), setup)
    }

    /// Starts a server by a command, to which the arguments that make it one are added.
    pub fn start_by(mut command: Command, setup: Setup) -> Self {
        setup.add_to(&mut command);
        let mut child = Self::run(command);
        child.address = setup.http.then(|| {
            let line = child.output.as_mut().map(read_line).unwrap_or_default();
            line.trim_end().parse().expect("the server tells its address first")
        });
        child
    }

    /// Starts a server by a command that is complete, and knows nothing of its address.
    pub fn run(mut command: Command) -> Self {
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let input = process.stdin.take();
        let output = process.stdout.take().map(|output| BufReader::with_capacity(256 * 1024, output));
        Self { process, input, output, address: None }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Where it is reached over HTTP.
    ///
    /// # Panics
    ///
    /// When it is not.
    pub fn address(&self) -> SocketAddr {
        self.address.expect("the server is one over HTTP")
    }

    /// Its standard input and output, for whoever speaks with it there.
    ///
    /// # Panics
    ///
    /// When they were taken already.
    pub fn streams(&mut self) -> (ChildStdin, BufReader<ChildStdout>) {
        self.input.take().zip(self.output.take()).expect("they are taken once")
    }

    /// Ends it in good order and gives what it wrote to standard error, if that is read.
    ///
    /// # Panics
    ///
    /// When it has failed.
    pub fn end(mut self) -> String {
        drop(self.input.take());
        let mut said = String::new();
        if let Some(mut error) = self.process.stderr.take() {
            error.read_to_string(&mut said).expect("standard error is text");
        }
        let status = self.process.wait().expect("the server ends");
        assert!(status.success(), "the server has failed: {status}\n{said}");
        said
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // One that has ended is not there any more, which is as good.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
