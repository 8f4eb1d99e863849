//! What keeps a connection alive, and ends with it.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use super::builder::Settings;
use super::child::Keeper;
use super::connection::Connection;

/// A connection and its tasks. Dropping it ends them.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) connection: Arc<Connection>,
    kept_by: KeptBy,
    shutdown_timeout: Duration,
}

#[derive(Debug)]
enum KeptBy {
    /// Dropped, these end at once.
    Tasks(JoinSet<()>),
    /// A child process gets its time to end.
    Child(Keeper),
}

impl Link {
    /// `server`: what runs the other side, if that is in this program.
    pub(crate) fn streams<R, W, S>(settings: &Settings, reader: R, writer: W, server: Option<S>) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        let connection = Arc::new(Connection::new(settings));
        let mut tasks = JoinSet::new();
        if let Some(server) = server {
            tasks.spawn(server);
        }
        tasks.spawn(Arc::clone(&connection).run(reader, writer, None));
        Self { connection, kept_by: KeptBy::Tasks(tasks), shutdown_timeout: settings.shutdown_timeout }
    }

    pub(crate) fn child(settings: &Settings, connection: Arc<Connection>, keeper: Keeper) -> Self {
        Self { connection, kept_by: KeptBy::Child(keeper), shutdown_timeout: settings.shutdown_timeout }
    }

    /// Sends what is queued, then ends the connection, and waits until the other side has ended too, within limits.
    pub(crate) async fn close(&mut self) -> Option<ExitStatus> {
        self.connection.outbox.close();
        match &mut self.kept_by {
            KeptBy::Child(keeper) => keeper.end().await,
            KeptBy::Tasks(tasks) => {
                let all = async { while tasks.join_next().await.is_some() {} };
                if tokio::time::timeout(self.shutdown_timeout, all).await.is_err() {
                    tasks.shutdown().await;
                }
                None
            }
        }
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.connection.outbox.close();
    }
}
