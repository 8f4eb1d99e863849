//! Futures in one task with others: what wakes those is nothing to them, and one that wakes itself need not go through
//! the scheduler, which would wake another thread for it.

use std::pin::Pin;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use pin_project_lite::pin_project;

pin_project! {
    /// A future that is polled only when it was woken itself, and not each time that its neighbours in a task were; when
    /// it is woken while it is polled, it is polled again at once.
    pub(crate) struct Seldom<F> {
        #[pin]
        future: F,
        bell: Arc<Bell>,
        waker: Waker,
        // Who polled it last, as the bell knows.
        task: Waker,
    }
}

/// Who is woken, and whether that has happened.
struct Bell {
    state: AtomicU8,
    task: Mutex<Waker>,
}

/// The future waits.
const WAITS: u8 = 0;
/// It was woken, and so was its task.
const RUNG: u8 = 1;
/// It is polled just now; for ever, if it has panicked then.
const POLLED: u8 = 2;

/// So often a future that wakes itself is polled in a row before other tasks have their turn.
const IN_A_ROW: usize = 4;

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        // Whoever stores another waker looks at the state afterwards.
        if self.state.swap(RUNG, Ordering::AcqRel) == WAITS {
            let task = self.task().clone();
            task.wake();
        }
    }
}

impl Bell {
    // Wakers are code of others, which does not run under this lock.
    fn task(&self) -> MutexGuard<'_, Waker> {
        self.task.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes another task from now on.
    fn wakes(&self, waker: Waker) {
        let before = std::mem::replace(&mut *self.task(), waker);
        drop(before);
    }

    /// Goes from one state to another. `false`: it was in another one.
    fn turn(&self, from: u8, to: u8) -> bool {
        self.state.compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }
}

impl<F> Seldom<F> {
    pub(crate) fn new(future: F) -> Self {
        let task = Waker::noop().clone();
        let bell = Arc::new(Bell { state: AtomicU8::new(RUNG), task: Mutex::new(task.clone()) });
        let waker = Waker::from(Arc::clone(&bell));
        Self { future, bell, waker, task }
    }
}

impl<F: Future> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        if !this.task.will_wake(cx.waker()) {
            this.task.clone_from(cx.waker());
            this.bell.wakes(cx.waker().clone());
        }
        for _ in 0..IN_A_ROW {
            if !this.bell.turn(RUNG, POLLED) {
                return Poll::Pending;
            }
            if let Poll::Ready(output) = this.future.as_mut().poll(&mut Context::from_waker(this.waker)) {
                return Poll::Ready(output);
            }
            if this.bell.turn(POLLED, WAITS) {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn it_is_polled_first_and_when_it_was_woken() {
        let (sender, receiver) = oneshot::channel();
        let mut polled = 0;
        let mut receiver = pin!(receiver);
        let mut seldom = pin!(Seldom::new(poll_fn(|cx| {
            polled += 1;
            receiver.as_mut().poll(cx).map(|received| (received, polled))
        })));
        for _ in 0..3 {
            assert!(poll_fn(|cx| Poll::Ready(seldom.as_mut().poll(cx).is_pending())).await);
        }
        let sending = tokio::spawn(async { sender.send("rung") });
        assert_eq!(seldom.await, (Ok("rung"), 2));
        sending.await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn it_is_polled_again_when_it_wakes_itself_and_gives_way_in_the_end() {
        let (mut polled, mut turns) = (0, 0);
        let mut restless = pin!(Seldom::new(poll_fn(|cx| {
            polled += 1;
            cx.waker().wake_by_ref();
            if polled < 2 * IN_A_ROW { Poll::Pending } else { Poll::Ready(()) }
        })));
        poll_fn(|cx| {
            turns += 1;
            restless.as_mut().poll(cx)
        })
        .await;
        assert_eq!((polled, turns), (2 * IN_A_ROW, 2));
    }

    #[tokio::test]
    async fn it_wakes_the_task_that_polled_it_last() {
        let (sender, receiver) = oneshot::channel();
        let mut seldom = Box::pin(Seldom::new(receiver));
        assert!(poll_fn(|cx| Poll::Ready(seldom.as_mut().poll(cx).is_pending())).await);
        let moved = tokio::spawn(seldom);
        tokio::task::yield_now().await;
        sender.send(7).unwrap();
        assert_eq!(moved.await.unwrap(), Ok(7));
    }
}
