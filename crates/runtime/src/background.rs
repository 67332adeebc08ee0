//! Work that goes on after the answer which began it, and ends before the process lets go of its store.

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::task::JoinSet;

/// Tasks in the background. A task of its own would be forgotten: it would keep the store open after the end, and be cut
/// off anywhere.
#[derive(Default)]
pub(crate) struct Background(Mutex<JoinSet<()>>);

impl Background {
    /// Starts a task.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut tasks = self.tasks();
        while tasks.try_join_next().is_some() {}
        tasks.spawn(work);
    }

    /// Waits until every task has ended, for at most that long; then the rest are cut off.
    pub(crate) async fn finish(&self, within: Duration) {
        let mut tasks = std::mem::take(&mut *self.tasks());
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(within, all).await.is_err() {
            tracing::warn!(tasks = tasks.len(), "cut off what went on in the background");
            tasks.shutdown().await;
        }
    }

    fn tasks(&self) -> MutexGuard<'_, JoinSet<()>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn what_was_begun_has_ended_or_is_gone_after_the_end() {
        let (background, held) = (Background::default(), Arc::new(Mutex::new(0)));
        for slow in [false, true, false] {
            let held = held.clone();
            background.spawn(async move {
                if slow {
                    std::future::pending::<()>().await;
                }
                tokio::task::yield_now().await;
                *held.lock().unwrap() += 1;
            });
        }
        background.finish(Duration::from_millis(100)).await;
        assert_eq!(*held.lock().unwrap(), 2, "two could end");
        assert_eq!(Arc::strong_count(&held), 1, "nobody holds anything any more");
    }
}
