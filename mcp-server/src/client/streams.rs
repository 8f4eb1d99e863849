//! A pair of streams as the way to a server: one message a line, in both directions.
//!
//! A single task reads and writes. It never waits for a caller: what it reads goes into the queues of
//! [`Pending`](super::pending::Pending).

use std::fmt;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use serde::de::{self, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::Instant;

use super::connection::Connection;
use super::pending::Answer;
use crate::protocol::{RequestId, Text};
use crate::server::output::Outbox;
use crate::transport::lines::{Line, Lines, write_all};

/// Beyond so many bytes that wait to be written a new request waits.
pub(crate) const QUEUE_SIZE: usize = 64 * 1024;
/// For how long the rest is read when it is known that the server is gone.
const GRACE: Duration = Duration::from_millis(500);

/// How a process, or a server in this program, has ended, once it has.
#[derive(Clone, Debug)]
pub(crate) struct Exit(pub(crate) watch::Receiver<Option<String>>);

impl Exit {
    async fn told(mut self) -> String {
        let text = self.0.wait_for(Option::is_some).await.ok().and_then(|text| text.clone());
        // Whoever should have said it has panicked, or was ended.
        text.unwrap_or_else(|| "the server has ended".to_owned())
    }
}

/// Whatever ends the task of a connection, nobody may wait for it for ever.
struct Over<'a> {
    connection: &'a Connection,
    outbox: &'a Outbox,
}

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.outbox.close();
        // Where it is known what has ended it, that was said before.
        self.connection.ended("its task has ended");
    }
}

impl Connection {
    /// Reads and writes until one of the sides has had enough.
    pub(crate) async fn run<R, W>(self: Arc<Self>, outbox: Outbox, reader: R, writer: W, server: Option<Exit>)
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        let _over = Over { connection: &self, outbox: &outbox };
        let tells = server.is_some();
        let mut exit = pin!(async {
            match server {
                Some(exit) => exit.told().await,
                None => std::future::pending().await,
            }
        });
        let mut reading = pin!(self.read(reader));
        let mut writing = pin!(write_all(&outbox, writer));
        let mut grace = pin!(tokio::time::sleep(GRACE));
        let (mut writes, mut exited, mut failed) = (true, None, None);
        let ended = loop {
            // Not biased: neither side may keep the other from its turn.
            tokio::select! {
                read = &mut reading => break match read {
                    Ok(()) => "the server has closed it".to_owned(),
                    Err(error) => format!("could not read from the server: {error}"),
                },
                written = &mut writing, if writes => {
                    writes = false;
                    if let Err(error) = written {
                        // Answers may still lie in the other direction.
                        failed = Some(format!("could not write to the server: {error}"));
                        outbox.close();
                        grace.as_mut().reset(Instant::now() + GRACE);
                    }
                }
                reason = &mut exit, if exited.is_none() => {
                    // Something that it has started may keep its output open for ever.
                    exited = Some(reason);
                    grace.as_mut().reset(Instant::now() + GRACE);
                }
                () = &mut grace, if exited.is_some() || failed.is_some() => break String::new(),
            }
        };
        outbox.close();
        if tells && exited.is_none() {
            // A server that ends closes its output a little earlier.
            exited = tokio::time::timeout(GRACE, exit).await.ok();
        }
        let reason = exited.or(failed).unwrap_or(ended);
        tracing::debug!(reason, "the connection to the server has ended");
        self.ended(&reason);
    }

    async fn read(self: &Arc<Self>, reader: impl AsyncRead + Unpin) -> io::Result<()> {
        let mut lines = Lines::new(reader, self.max_message_size);
        loop {
            let more = lines.fill().await?;
            while let Some(line) = lines.next() {
                self.line(line);
            }
            if !more {
                return Ok(());
            }
        }
    }

    fn line(self: &Arc<Self>, line: Line<'_>) {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong(beginning) => return self.too_long(beginning),
        };
        let Ok(text) = std::str::from_utf8(text) else {
            return self.stray(&String::from_utf8_lossy(text));
        };
        self.messages(text);
    }

    fn too_long(&self, beginning: &[u8]) {
        let limit = self.max_message_size;
        tracing::warn!(limit, "a message of the server that is too long was skipped");
        if let Some(id) = id_of_response(beginning) {
            let reason = format!("it is longer than the limit of {limit} bytes");
            self.pending.answer(id, Answer::Malformed(reason));
        }
    }
}

/// The id of a response of which only the beginning is there, if that has it.
fn id_of_response(beginning: &[u8]) -> Option<u64> {
    struct Members<'a>(&'a mut Option<u64>);
    impl<'de> Visitor<'de> for Members<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Text<'de>>()? {
                match &*key.0 {
                    "id" => *self.0 = RequestId::read(map.next_value::<&RawValue>()?.into()).and_then(|id| id.as_u64()),
                    "method" => {
                        *self.0 = None;
                        return Err(de::Error::custom("a request"));
                    }
                    _ => drop(map.next_value::<IgnoredAny>()?),
                }
            }
            Ok(())
        }
    }
    let mut id = None;
    let text = String::from_utf8_lossy(beginning);
    // It ends in the middle, and so this fails in any case.
    let _ = serde_json::Deserializer::from_str(&text).deserialize_map(Members(&mut id));
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_of_a_response_has_its_id_or_not() {
        assert_eq!(id_of_response(br#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"ty"#), Some(7));
        assert_eq!(id_of_response(br#"{"id":7,"method":"x","params":{"#), None);
        assert_eq!(id_of_response(br#"{"result":{"content":[{"ty"#), None);
        assert_eq!(id_of_response(b"aaaaaa"), None);
    }
}
