//! What runs beside the caller, and ends with the client.

use std::sync::{Mutex, PoisonError};

use tokio::runtime::Handle;
use tokio::task::{AbortHandle, JoinSet};

/// The tasks of one connection, until it is closed.
#[derive(Debug)]
pub(super) struct Tasks {
    /// Where the client was made, as its calls may be polled elsewhere.
    runtime: Handle,
    running: Mutex<Option<JoinSet<()>>>,
}

impl Tasks {
    /// To be called in a runtime.
    pub(super) fn new() -> Self {
        Self { runtime: Handle::current(), running: Mutex::new(Some(JoinSet::new())) }
    }

    /// Runs something until its end or that of the connection; `None` when that is over.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> Option<AbortHandle> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let running = running.as_mut()?;
        // Those that have ended make room.
        while running.try_join_next().is_some() {}
        Some(running.spawn_on(task, &self.runtime))
    }

    /// Ends all of them, and starts no more.
    pub(super) fn close(&self) -> Option<JoinSet<()>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        running.iter_mut().for_each(JoinSet::abort_all);
        running
    }
}
