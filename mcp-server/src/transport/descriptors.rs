//! Where standard input and output lead while a server has them: taken for its messages alone, and given back.
//!
//! How they are best read and written depends on what they are. Pipes and sockets, which hosts use, are waited for
//! by the runtime. The rest is left to a thread that may be held.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;

use crate::server::output::Unread;

pub(crate) type Input = Box<dyn AsyncRead + Send + Unpin>;
pub(crate) type Output = Box<dyn AsyncWrite + Send + Unpin>;

#[cfg(unix)]
pub(crate) use unix::Descriptors;

#[cfg(not(unix))]
pub(crate) struct Descriptors;

#[cfg(not(unix))]
impl Descriptors {
    pub(crate) fn take() -> io::Result<(Self, Input, Output, Option<Unread>)> {
        let output = ThreadOutput::start(io::stdout());
        Ok((Self, Box::new(ThreadInput::start(io::stdin())), Box::new(output), None))
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::File;
    use std::io::Write;
    use std::os::fd::{AsFd, OwnedFd};
    use std::os::unix::fs::FileTypeExt;

    use rustix::net::{RecvFlags, SendFlags, recv, send};
    use rustix::stdio::{dup2_stdin, dup2_stdout};
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    use super::*;

    /// Standard input and output, kept from everybody else until it is dropped.
    pub(crate) struct Descriptors {
        stdin: OwnedFd,
        stdout: OwnedFd,
    }

    impl Descriptors {
        pub(crate) fn take() -> io::Result<(Self, Input, Output, Option<Unread>)> {
            let taken = Self {
                stdin: io::stdin().as_fd().try_clone_to_owned()?,
                stdout: io::stdout().as_fd().try_clone_to_owned()?,
            };
            let input = input(taken.stdin.try_clone()?)?;
            let output = output(taken.stdout.try_clone()?)?;
            let unread = unread(taken.stdout.try_clone()?)?;
            // From here on a program that a tool starts finds no messages to read, and a `println!` is no message.
            dup2_stdin(File::open("/dev/null")?)?;
            dup2_stdout(io::stderr())?;
            Ok((taken, input, output, unread))
        }
    }

    impl Drop for Descriptors {
        fn drop(&mut self) {
            // What was printed meanwhile and is still buffered goes where the rest of it went.
            let _ = io::stdout().flush();
            let _ = dup2_stdin(&self.stdin);
            let _ = dup2_stdout(&self.stdout);
        }
    }

    fn input(fd: OwnedFd) -> io::Result<Input> {
        let file = File::from(fd);
        let kind = file.metadata()?.file_type();
        // A pipe is opened once more, so that it can be read without blocking: that is a setting of the open file,
        // which the process that started us may share.
        #[cfg(target_os = "linux")]
        if kind.is_fifo()
            && let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_receiver("/proc/self/fd/0")
        {
            return Ok(Box::new(pipe));
        }
        if kind.is_socket() {
            return Ok(Box::new(Socket::new(file.into(), Interest::READABLE)?));
        }
        Ok(Box::new(ThreadInput::start(file)))
    }

    fn output(fd: OwnedFd) -> io::Result<Output> {
        let file = File::from(fd);
        let kind = file.metadata()?.file_type();
        #[cfg(target_os = "linux")]
        if kind.is_fifo()
            && let Ok(pipe) = tokio::net::unix::pipe::OpenOptions::new().open_sender("/proc/self/fd/1")
        {
            return Ok(Box::new(pipe));
        }
        if kind.is_socket() {
            return Ok(Box::new(Socket::new(file.into(), Interest::WRITABLE)?));
        }
        Ok(Box::new(ThreadOutput::start(file)))
    }

    #[cfg(target_os = "linux")]
    fn unread(fd: OwnedFd) -> io::Result<Option<Unread>> {
        use std::os::unix::fs::MetadataExt;

        use crate::transport::unread::{of_pipe, of_socket};

        let file = File::from(fd);
        let metadata = file.metadata()?;
        Ok(match metadata.file_type() {
            kind if kind.is_fifo() => Some(of_pipe(file.into())),
            kind if kind.is_socket() => of_socket(metadata.ino()),
            _ => None,
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn unread(_: OwnedFd) -> io::Result<Option<Unread>> {
        Ok(None)
    }

    /// A socket, which is what Node gives its children: each call says that it must not block, so that no setting of
    /// the open file has to be changed.
    struct Socket(AsyncFd<OwnedFd>);

    impl Socket {
        fn new(fd: OwnedFd, interest: Interest) -> io::Result<Self> {
            // It is deprecated for types that could change their descriptor, which an `OwnedFd` can't.
            #[expect(deprecated)]
            AsyncFd::with_interest(fd, interest).map(Self)
        }
    }

    impl AsyncRead for Socket {
        fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            loop {
                let mut ready = ready!(self.0.poll_read_ready(cx))?;
                let unfilled = buffer.initialize_unfilled();
                match ready.try_io(|fd| Ok(recv(fd, unfilled, RecvFlags::DONTWAIT)?)) {
                    Ok(Ok((_, length))) => {
                        buffer.advance(length);
                        return Poll::Ready(Ok(()));
                    }
                    Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(Err(error)) => return Poll::Ready(Err(error)),
                    // It was not ready after all, which `try_io` has noted.
                    Err(_) => {}
                }
            }
        }
    }

    impl AsyncWrite for Socket {
        fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            loop {
                let mut ready = ready!(self.0.poll_write_ready(cx))?;
                match ready.try_io(|fd| Ok(send(fd, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?)) {
                    Ok(Err(error)) if error.kind() == io::ErrorKind::Interrupted => {}
                    Ok(written) => return Poll::Ready(written),
                    Err(_) => {}
                }
            }
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }
}

/// Input by a thread that may be held. The runtime does not wait for it at the end, as it would for one of its own.
struct ThreadInput {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    read: usize,
}

impl ThreadInput {
    fn start(mut input: impl Read + Send + 'static) -> Self {
        let (sender, chunks) = mpsc::channel(1);
        std::thread::spawn(move || {
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

/// Output by a thread that may be held, one write at a time: one of its own, which the tools can't keep busy.
struct ThreadOutput {
    chunks: Sender<Vec<u8>>,
    results: mpsc::UnboundedReceiver<io::Result<()>>,
    writing: bool,
}

impl ThreadOutput {
    fn start(mut output: impl Write + Send + 'static) -> Self {
        let (chunks, to_write) = channel::<Vec<u8>>();
        let (written, results) = mpsc::unbounded_channel();
        std::thread::spawn(move || {
            while let Ok(chunk) = to_write.recv() {
                if written.send(output.write_all(&chunk).and_then(|()| output.flush())).is_err() {
                    return;
                }
            }
        });
        Self { chunks, results, writing: false }
    }

    fn poll_written(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.writing {
            return Poll::Ready(Ok(()));
        }
        let result = ready!(self.results.poll_recv(cx));
        self.writing = false;
        Poll::Ready(result.unwrap_or_else(|| Err(io::Error::other("the thread that writes has ended"))))
    }
}

impl AsyncWrite for ThreadOutput {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_written(cx))?;
        self.writing = self.chunks.send(bytes.to_vec()).is_ok();
        if !self.writing {
            return Poll::Ready(Err(io::Error::other("the thread that writes has ended")));
        }
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_written(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_written(cx)
    }
}
