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
        let asks: Vec<_> = texts.iter().map(|text| Ask::Echo(text)).collect();
        self.follow_at_once(&asks).refuse();
    }

    /// Asks all of it at once and checks the answers, in whatever order they come; what is wrong with the reports is
    /// told.
    pub fn follow_at_once(&mut self, asks: &[Ask<'_>]) -> Faults {
        let first = self.last_id + 1;
        self.written.clear();
        for (id, ask) in (first..).zip(asks) {
            ask.write(&mut self.written, id);
            self.written.push('\n');
        }
        self.last_id += asks.len() as u64;
        self.send();
        let mut answers: Vec<_> = (first..).zip(asks).map(|(id, ask)| Some(Answer::to(*ask, id))).collect();
        let (mut faults, mut missing) = (Faults::default(), asks.len());
        while missing > 0 {
            self.read();
            let message = Message::read(&self.line);
            let place = message.request().checked_sub(first).and_then(|at| answers.get_mut(at as usize));
            match place.and_then(Option::as_mut) {
                Some(answer) => {
                    if answer.take_message(&message) {
                        faults.add(answer.faults());
                        missing -= 1;
                        answers[(message.request() - first) as usize] = None;
                    }
                }
                // A report that was missing when the response came was counted there.
                None => assert!(message.is_report(), "each call is answered once"),
            }
        }
        faults
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
