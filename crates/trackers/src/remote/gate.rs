//! The way of requests to a site that counts them together: a few at once, and none while it asks us to wait.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use throughline_engine::Millis;
use tokio::sync::{AcquireError, Semaphore, SemaphorePermit};
use tokio::time::Instant;

/// The way of requests to one site.
pub(crate) struct Gate {
    places: Semaphore,
    /// The end of the wait that the site asked for.
    wait: Mutex<Option<Instant>>,
}

/// The place of one request, until it is answered.
pub(crate) type Place<'a> = Result<SemaphorePermit<'a>, AcquireError>;

impl Gate {
    /// Creates a gate for this many requests at once.
    pub(crate) fn new(at_once: usize) -> Self {
        Self { places: Semaphore::new(at_once.max(1)), wait: Mutex::default() }
    }

    /// Waits for a place. The error is the time for which the site still asks us to wait, if it can be told.
    pub(crate) async fn enter(&self) -> Result<Place<'_>, Option<Millis>> {
        // The semaphore is never closed.
        let place = self.places.acquire().await;
        let until = *self.wait.lock().unwrap_or_else(PoisonError::into_inner);
        let left = until.map(|until| until.duration_since(Instant::now()));
        match left.filter(|left| !left.is_zero()) {
            Some(left) => Err(i64::try_from(left.as_millis()).ok()),
            None => Ok(place),
        }
    }

    /// Keeps requests back for this long.
    pub(crate) fn close(&self, time: Millis) {
        let until = Instant::now() + Duration::from_millis(time.unsigned_abs());
        *self.wait.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }
}
