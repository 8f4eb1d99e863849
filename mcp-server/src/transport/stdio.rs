//! Standard input and output: how a host talks to a server that it has started itself.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio).

use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::{ServeError, connection};
use crate::server::Server;

impl Server {
    /// Serves the process that started this one, over standard input and output, until the input ends.
    ///
    /// Both eras of the protocol are served at once. At the end of the input, calls that run are finished and
    /// answered, for at most the [`drain_timeout`](Server::drain_timeout). It needs a tokio runtime with time and I/O
    /// enabled, which is what `#[tokio::main]` gives.
    ///
    /// # Errors
    ///
    /// When standard input can't be read or standard output can't be written. A host that has gone away is no error.
    pub async fn serve_stdio(self) -> Result<(), ServeError> {
        // A task of its own is woken on the thread that waits for input, where the future of `main` is not.
        Serving(tokio::spawn(async move {
            let settle = self.settle();
            connection::serve(self.build(), input(), output(), settle).await
        }))
        .await
    }

    /// Serves whoever is at the other end of a pair of streams, such as a Unix socket, one message a line.
    ///
    /// ```
    /// use mcp_server::Server;
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// let (ours, mut theirs) = tokio::io::duplex(1024);
    /// let (reader, writer) = tokio::io::split(ours);
    /// let serving = tokio::spawn(Server::new("silent").serve(reader, writer));
    ///
    /// theirs.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
    /// theirs.shutdown().await.unwrap();
    /// let mut answers = String::new();
    /// theirs.read_to_string(&mut answers).await.unwrap();
    /// assert_eq!(answers, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// serving.await.unwrap().unwrap();
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// When the streams fail. A peer that has gone away is no error.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> Result<(), ServeError>
    where
        R: AsyncRead + Send + Unpin,
        W: AsyncWrite + Send + Unpin,
    {
        let settle = self.settle();
        connection::serve(self.build(), reader, writer, settle).await
    }
}

/// A task that ends with whoever waits for it.
struct Serving(JoinHandle<Result<(), ServeError>>);

impl Future for Serving {
    type Output = Result<(), ServeError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match ready!(Pin::new(&mut self.0).poll(cx)) {
            Ok(result) => Poll::Ready(result),
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(error) => Poll::Ready(Err(ServeError::Read(io::Error::other(error)))),
            },
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.0.abort();
    }
}

type Input = Box<dyn AsyncRead + Send + Unpin>;
type Output = Box<dyn AsyncWrite + Send + Unpin>;

fn input() -> Input {
    // A pipe is opened once more, so that it can be read without blocking: that is a setting of the open file, which
    // the process that started us may share.
    #[cfg(target_os = "linux")]
    if let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_receiver("/proc/self/fd/0") {
        return Box::new(pipe);
    }
    Box::new(ThreadInput::start())
}

fn output() -> Output {
    #[cfg(target_os = "linux")]
    if let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_sender("/proc/self/fd/1") {
        return Box::new(pipe);
    }
    Box::new(tokio::io::stdout())
}

/// Standard input by a thread that may be held, for what is no pipe. The runtime does not wait for it at the end, as
/// it would for one of its own.
struct ThreadInput {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    read: usize,
}

impl ThreadInput {
    fn start() -> Self {
        let (sender, chunks) = mpsc::channel(1);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let mut chunk = vec![0; 64 * 1024];
                let result = match input.read(&mut chunk) {
                    Ok(0) => return,
                    Ok(length) => {
                        chunk.truncate(length);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = result.is_err();
                if sender.blocking_send(result).is_err() || failed {
                    return;
                }
            }
        });
        Self { chunks, chunk: Vec::new(), read: 0 }
    }
}

impl AsyncRead for ThreadInput {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.read == self.chunk.len() {
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => (self.chunk, self.read) = (chunk?, 0),
                None => return Poll::Ready(Ok(())),
            }
        }
        let length = buffer.remaining().min(self.chunk.len() - self.read);
        buffer.put_slice(&self.chunk[self.read..self.read + length]);
        self.read += length;
        Poll::Ready(Ok(()))
    }
}
