//! A client over standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout};

use crate::child::Child;
use crate::message::{Answer, Ask, Faults, Message};

/// The client's side of the pipes.
#[derive(Debug)]
pub struct Pipe {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Used again and again, so that the client costs little itself.
    written: String,
    line: String,
    last_id: u64,
}

impl Pipe {
    /// Takes the streams of a server.
    pub fn to(child: &mut Child) -> Self {
        let (input, output) = child.streams();
        Self { input, output, written: String::new(), line: String::new(), last_id: 0 }
    }

    /// Asks once and checks all that comes back.
    pub fn ask(&mut self, ask: Ask<'_>) {
        self.follow(ask).refuse();
    }

    /// Asks once and checks the answer; what is wrong with the reports is told.
    pub fn follow(&mut self, ask: Ask<'_>) -> Faults {
        self.last_id += 1;
        self.written.clear();
        ask.write(&mut self.written, self.last_id);
        self.written.push('\n');
        self.send();
        let mut answer = Answer::to(ask, self.last_id);
        loop {
            self.read();
            if answer.take(&self.line) {
                return answer.faults();
            }
        }
    }

    /// Sends so many echoes at once and checks their answers, in whatever order they come.
    pub fn echo_at_once(&mut self, calls: usize) {
        let texts: Vec<_> = (0..calls).map(echo_text).collect();
        let first = self.last_id + 1;
        self.written.clear();
        for (id, text) in (first..).zip(&texts) {
            Ask::Echo(text).write(&mut self.written, id);
            self.written.push('\n');
        }
        self.last_id += calls as u64;
        self.send();
        let mut missing: Vec<_> = texts.iter().map(Some).collect();
        for _ in 0..calls {
            self.read();
            let (id, result) = Message::read(&self.line).response();
            let at = usize::try_from(id.wrapping_sub(first)).expect("an id of these calls");
            let text = missing.get_mut(at).and_then(Option::take).expect("each call is answered once");
            Ask::Echo(text).check(result);
        }
    }

    fn send(&mut self) {
        self.input.write_all(self.written.as_bytes()).expect("the server can be written to");
    }

    fn read(&mut self) {
        self.line.clear();
        let bytes = self.output.read_line(&mut self.line).expect("the server can be read from");
        assert!(bytes > 0, "the server has ended");
    }
}

/// The text of an echo, of the length of a short sentence and with its number in it.
pub fn echo_text(at: usize) -> String {
    format!("the words of call {at:06}, sent back")
}
