//! What keeps a connection alive, and ends with it.

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;

use super::builder::Settings;
use super::child::Keeper;
#[cfg(feature = "client-http")]
use super::connection::Carrier;
use super::connection::Connection;
use super::streams::Exit;

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
    /// The tasks belong to the connection, as each request has one.
    #[cfg(feature = "client-http")]
    Connection,
}

impl Link {
    /// `server`: what runs the other side, if that is in this program, and how it tells its end.
    pub(crate) fn streams<R, W, S>(settings: &Settings, reader: R, writer: W, server: Option<(S, Exit)>) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        S: Future<Output = ()> + Send + 'static,
    {
        let (connection, outbox) = Connection::over_streams(settings);
        let mut tasks = JoinSet::new();
        let exit = server.map(|(server, exit)| {
            tasks.spawn(server);
            exit
        });
        tasks.spawn(Arc::clone(&connection).run(outbox, reader, writer, exit));
        Self { connection, kept_by: KeptBy::Tasks(tasks), shutdown_timeout: settings.shutdown_timeout }
    }

    pub(crate) fn child(settings: &Settings, connection: Arc<Connection>, keeper: Keeper) -> Self {
        Self { connection, kept_by: KeptBy::Child(keeper), shutdown_timeout: settings.shutdown_timeout }
    }

    #[cfg(feature = "client-http")]
    pub(crate) fn over_http(settings: &Settings, connection: Arc<Connection>) -> Self {
        Self { connection, kept_by: KeptBy::Connection, shutdown_timeout: settings.shutdown_timeout }
    }

    /// Sends what is queued, then ends the connection, and waits until the other side has ended too, within limits.
    pub(crate) async fn close(&mut self) -> Option<ExitStatus> {
        #[cfg(feature = "client-http")]
        if let Carrier::Http(http) = &self.connection.carrier {
            http.end(self.shutdown_timeout).await;
        }
        self.connection.close();
        match &mut self.kept_by {
            #[cfg(feature = "client-http")]
            KeptBy::Connection => None,
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
        self.connection.close();
    }
}
