//! What all transports do around their connections: open what the server needs, serve, and close it again.

use std::sync::Arc;

use tokio::sync::watch;

use super::ServeError;
use crate::server::lifespan::{Lifespan, Opened};
use crate::server::{Core, Server};

/// How often a server was told to end: once to finish what it does, once more to leave that as it is.
#[derive(Clone, Debug)]
pub(crate) struct Told(watch::Receiver<usize>);

impl Told {
    /// By whoever counts here.
    pub(crate) fn by(count: &watch::Sender<usize>) -> Self {
        Self(count.subscribe())
    }

    /// By nobody: it ends by itself.
    pub(crate) fn never() -> Self {
        Self(watch::channel(0).1)
    }

    /// Waits until it was told so often.
    pub(crate) async fn times(mut self, times: usize) {
        let nobody_tells = self.0.wait_for(|told| *told >= times).await.is_err();
        if nobody_tells {
            std::future::pending().await
        }
    }

    fn so_far(&self) -> usize {
        *self.0.borrow()
    }
}

/// Serves between the opening and the closing of what the server has for its lifespan.
pub(crate) fn serving<F: Future<Output = Result<(), ServeError>>>(
    server: Server,
    serve: impl FnOnce(Arc<Core>) -> F,
) -> impl Future<Output = Result<(), ServeError>> {
    serving_until(server, Told::never(), serve)
}

/// As [`serving`], where somebody may tell the server to end: what `serve` does about it is its own matter.
pub(crate) fn serving_until<F: Future<Output = Result<(), ServeError>>>(
    mut server: Server,
    told: Told,
    serve: impl FnOnce(Arc<Core>) -> F,
) -> impl Future<Output = Result<(), ServeError>> {
    let lifespans = server.take_lifespans();
    // A slip of the author's shows where the server is given to be served, and not in a task of somebody else.
    let core = server.build();
    serve_core(core, lifespans, told, serve)
}

async fn serve_core<F: Future<Output = Result<(), ServeError>>>(
    core: Arc<Core>,
    lifespans: Vec<Lifespan>,
    told: Told,
    serve: impl FnOnce(Arc<Core>) -> F,
) -> Result<(), ServeError> {
    let limit = core.settings.drain_timeout;
    let mut opened = Opened::default();
    let open = tokio::select! {
        biased;
        open = opened.open(lifespans, &core.states) => Some(open),
        () = told.clone().times(1) => None,
    };
    let served = match open {
        Some(Ok(())) => serve(core).await,
        Some(Err(error)) => Err(ServeError::Lifespan(error)),
        None => Ok(()),
    };
    // Whoever asks twice does not want to wait; but what was given up for that is closed all the same.
    let enough = (told.so_far() + 1).max(2);
    tokio::select! {
        biased;
        () = opened.close(limit) => {}
        () = told.times(enough) => tracing::warn!("the server was told to end at once, before all was closed"),
    }
    served
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    type Notes = Arc<Mutex<Vec<&'static str>>>;

    /// The lifespans of a server; what opens and closes in time is noted.
    fn noting(server: Server, notes: &Notes) -> Server {
        let (opened, closed) = (Arc::clone(notes), Arc::clone(notes));
        server.lifespan(
            async move || {
                opened.lock().unwrap().push("open");
                Ok::<_, std::io::Error>(7_u8)
            },
            async move |_: Arc<u8>| closed.lock().unwrap().push("close"),
        )
    }

    /// Serves a client that ends at once, and tells the server to end after each of these seconds.
    fn play(server: Server, told_at: &[u64]) -> (Result<(), String>, u64) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let started = Instant::now();
            let (count, _) = watch::channel(0);
            let told = Told::by(&count);
            let telling = async {
                for at in told_at {
                    tokio::time::sleep_until(started + Duration::from_secs(*at)).await;
                    count.send_modify(|count| *count += 1);
                }
                std::future::pending().await
            };
            let served = tokio::select! {
                served = serving_until(server, told, |_| std::future::ready(Ok(()))) => served,
                () = telling => unreachable!("it tells for ever"),
            };
            let source = |error: ServeError| std::error::Error::source(&error).unwrap().to_string();
            (served.map_err(source), started.elapsed().as_secs())
        })
    }

    async fn for_ever<T>() -> T {
        std::future::pending().await
    }

    #[test]
    fn who_is_told_to_end_while_it_opens_closes_what_is_open() {
        let notes = Notes::default();
        let server = noting(Server::new("slow"), &notes)
            .lifespan(for_ever::<Result<u16, std::io::Error>>, async move |_: Arc<u16>| {});
        assert_eq!(play(server, &[3]), (Ok(()), 3));
        assert_eq!(*notes.lock().unwrap(), ["open", "close"]);
    }

    #[test]
    fn what_does_not_close_is_left_behind() {
        let server = |notes: &Notes| {
            noting(Server::new("slow").drain_timeout(Duration::from_secs(5)), notes)
                .lifespan(async || Ok::<_, std::io::Error>(7_u16), async move |_: Arc<u16>| for_ever().await)
        };
        // In its time, or when it is told twice.
        for (told_at, seconds, noted) in
            [(&[][..], 5, &["open", "close"][..]), (&[1], 5, &["open", "close"]), (&[1, 2], 2, &["open"])]
        {
            let notes = Notes::default();
            assert_eq!(play(server(&notes), told_at), (Ok(()), seconds), "{told_at:?}");
            assert_eq!(*notes.lock().unwrap(), noted, "{told_at:?}");
        }
    }

    #[test]
    fn a_panic_of_one_lifespan_leaves_no_other_open() {
        let notes = Notes::default();
        let panics_in_close = noting(Server::new("rash"), &notes)
            .lifespan(async || Ok::<_, std::io::Error>(7_u16), async move |_: Arc<u16>| panic!("secret text"))
            // Before there is a future.
            .lifespan(
                async || Ok::<_, std::io::Error>(7_u32),
                |_: Arc<u32>| -> std::future::Ready<()> { panic!("secret text") },
            );
        assert_eq!(play(panics_in_close, &[]), (Ok(()), 0));
        let panics_in_open = noting(Server::new("rash"), &notes).lifespan(
            || -> std::future::Ready<Result<u16, std::io::Error>> { panic!("secret text") },
            async move |_: Arc<u16>| {},
        );
        assert_eq!(play(panics_in_open, &[]), (Err("opening `u16` has panicked".to_owned()), 0));
        assert_eq!(*notes.lock().unwrap(), ["open", "close", "open", "close"]);
    }
}
