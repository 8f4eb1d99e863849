//! The bytes of a connection, whatever carries them: one type, so that what serves HTTP is compiled once for all.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
#[cfg(unix)]
use tokio::net::UnixStream;

use super::activity::Activity;

/// What carries them.
#[derive(Debug)]
pub(super) enum Stream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

/// A stream whose connection is in use as long as the other side reads: a response may still be on its way when all of
/// it was handed over.
#[derive(Debug)]
pub(super) struct Watched {
    stream: Stream,
    activity: Arc<Activity>,
}

impl Watched {
    pub(super) fn new(stream: Stream, activity: Arc<Activity>) -> Self {
        Self { stream, activity }
    }

    fn written(&self, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if matches!(written, Poll::Ready(Ok(1..))) {
            self.activity.written();
        }
        written
    }
}

/// Does the same with either kind of stream.
macro_rules! with {
    ($watched:expr, $stream:ident => $do:expr) => {
        match &mut $watched.stream {
            Stream::Tcp(stream) => {
                let $stream = Pin::new(stream);
                $do
            }
            #[cfg(unix)]
            Stream::Unix(stream) => {
                let $stream = Pin::new(stream);
                $do
            }
        }
    };
}

impl AsyncRead for Watched {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        with!(self, stream => stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Watched {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = with!(self, stream => stream.poll_write(cx, bytes));
        self.written(written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = with!(self, stream => stream.poll_write_vectored(cx, bytes));
        self.written(written)
    }

    fn is_write_vectored(&self) -> bool {
        // Each kind writes several pieces at once.
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        with!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        with!(self, stream => stream.poll_shutdown(cx))
    }
}
