//! A server as a child process: started, listened to, and ended so that nothing of it is left.
//!
//! Specification: [stdio](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/stdio), Shutdown.

use std::convert::Infallible;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

use super::ConnectError;
use super::builder::Settings;
use super::connection::{Connection, Hook};
use super::link::Link;
use super::streams::Exit;

/// After `SIGTERM`, a process has so long.
const TERM_PATIENCE: Duration = Duration::from_secs(1);
/// After `SIGKILL`, the system has so long.
const KILL_PATIENCE: Duration = Duration::from_secs(5);
/// When a process has ended, what it said last is read for so long.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// How much of a line of standard error is told.
const MAX_STDERR_LINE: usize = 8 * 1024;

/// Starts the program, and the tasks that speak to it.
pub(crate) fn start(command: &mut Command, settings: &Settings) -> Result<Link, ConnectError> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // The last resort, for when the runtime ends before the child does.
    command.kill_on_drop(true);
    let mut child = command.spawn().map_err(|source| ConnectError::Spawn {
        program: command.as_std().get_program().to_string_lossy().into_owned(),
        source,
    })?;
    let writer = child.stdin.take().expect("it was just piped");
    let reader = child.stdout.take().expect("it was just piped");
    let errors = child.stderr.take().expect("it was just piped");

    let (connection, outbox) = Connection::over_streams(settings);
    let (exited, exit) = watch::channel(None);
    let mut tasks = JoinSet::new();
    tasks.spawn(Arc::clone(&connection).run(outbox, reader, writer, Some(Exit(exit))));
    tasks.spawn(tell_lines(errors, settings.on_stderr.clone()));

    let (end, ends) = oneshot::channel();
    let process = Process { child, reaped: false };
    let keeping = tokio::spawn(keep(process, ends, settings.shutdown_timeout, exited, tasks));
    Ok(Link::child(settings, connection, Keeper { end: Some(end), keeping }))
}

/// The handle to the task that owns the process. Dropping it lets the process end in its time, in the background.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// Nothing is ever sent: its drop is the signal.
    end: Option<oneshot::Sender<Infallible>>,
    keeping: JoinHandle<Option<ExitStatus>>,
}

impl Keeper {
    pub(crate) async fn end(&mut self) -> Option<ExitStatus> {
        self.end = None;
        (&mut self.keeping).await.ok().flatten()
    }
}

/// Waits for the end of the process, or brings it about when nobody needs it any more.
async fn keep(
    mut process: Process,
    ends: oneshot::Receiver<Infallible>,
    patience: Duration,
    exited: watch::Sender<Option<String>>,
    mut tasks: JoinSet<()>,
) -> Option<ExitStatus> {
    let status = tokio::select! {
        status = process.wait() => Some(status),
        _ = ends => process.end(patience).await,
    };
    exited.send_replace(Some(match &status {
        Some(Ok(status)) => format!("the server process has ended ({status})"),
        Some(Err(error)) => format!("the server process is lost: {error}"),
        None => "the server process could not be ended".to_owned(),
    }));
    // Its output may be held open by something that it has started: what is not read by then is given up.
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(LAST_WORDS, all).await.is_err() {
        tasks.shutdown().await;
    }
    status.and_then(Result::ok)
}

/// A process that does not outlive its owner, not even as a zombie.
struct Process {
    child: Child,
    reaped: bool,
}

impl Process {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.reaped = status.is_ok();
        status
    }

    async fn wait_for(&mut self, patience: Duration) -> Option<io::Result<ExitStatus>> {
        tokio::time::timeout(patience, self.wait()).await.ok()
    }

    /// "Close the input stream, wait, then `SIGTERM`, then `SIGKILL`": the input is closed by the connection.
    async fn end(&mut self, patience: Duration) -> Option<io::Result<ExitStatus>> {
        if let Some(status) = self.wait_for(patience).await {
            return Some(status);
        }
        tracing::debug!("the server process goes on after the end of its input: terminating it");
        self.terminate();
        if let Some(status) = self.wait_for(TERM_PATIENCE).await {
            return Some(status);
        }
        tracing::warn!("the server process does not end: killing it");
        self.kill();
        self.wait_for(KILL_PATIENCE).await
    }

    #[cfg(unix)]
    fn terminate(&mut self) {
        // It has not been waited for, so that the number is still its own.
        let pid = self.child.id().and_then(|id| rustix::process::Pid::from_raw(id.try_into().ok()?));
        if let Some(pid) = pid
            && let Err(error) = rustix::process::kill_process(pid, rustix::process::Signal::TERM)
        {
            tracing::debug!(%error, "the server process could not be terminated");
        }
    }

    #[cfg(not(unix))]
    fn terminate(&mut self) {
        self.kill();
    }

    fn kill(&mut self) {
        if let Err(error) = self.child.start_kill() {
            tracing::debug!(%error, "the server process could not be killed");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.reaped {
            return;
        }
        // The runtime is going away, and nobody else will ask how the process ended. Killed, it is gone within moments.
        self.kill();
        for _ in 0..100 {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Reads standard error to its end, whatever comes, so that the child never waits for a reader.
async fn tell_lines(mut errors: impl AsyncRead + Unpin, hook: Option<Hook<str>>) {
    let tell = |line: &[u8]| {
        let line = String::from_utf8_lossy(line.trim_ascii_end());
        match &hook {
            Some(hook) => hook.call(&line),
            None => tracing::debug!(%line, "stderr of the server"),
        }
    };
    let (mut line, mut chunk) = (Vec::new(), vec![0; 4 * 1024]);
    loop {
        let length = match errors.read(&mut chunk).await {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        for part in chunk[..length].split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_STDERR_LINE - line.len();
            line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                tell(&line);
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        tell(&line);
    }
}
