//! What tells the process to end.

use std::convert::Infallible;

use tokio::sync::watch;

/// What tells the process to end: an interrupt and, on Unix, SIGTERM.
pub(super) struct Signals {
    #[cfg(unix)]
    terminate: Option<tokio::signal::unix::Signal>,
    #[cfg(unix)]
    interrupt: Option<tokio::signal::unix::Signal>,
}

impl Signals {
    pub(super) fn listen() -> Self {
        #[cfg(unix)]
        use tokio::signal::unix::{SignalKind, signal};

        Self {
            // Where the system gives none, the process ends as it did before.
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate()).ok(),
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt()).ok(),
        }
    }

    #[cfg(unix)]
    async fn next(&mut self) {
        let Self { terminate, interrupt } = self;
        tokio::select! {
            Some(()) = async { terminate.as_mut()?.recv().await } => {}
            Some(()) = async { interrupt.as_mut()?.recv().await } => {}
            else => std::future::pending().await,
        }
    }

    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending().await
        }
    }

    /// Counts the signals as they come.
    pub(super) async fn count(mut self, count: &watch::Sender<usize>) -> Infallible {
        loop {
            self.next().await;
            count.send_modify(|count| *count += 1);
        }
    }
}
