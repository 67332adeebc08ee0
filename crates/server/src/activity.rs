//! Activity of one connection: what it does, since when, and which time limit it exceeds.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::config::ConnectionLimits;

/// Activity of a connection. Its socket and its requests report here; the table of all connections reads it.
pub(crate) struct Activity {
    state: Mutex<State>,
    evicted: Notify,
}

/// State of a connection.
struct State {
    doing: Doing,
    /// Time at which it began to do that.
    since: Instant,
    /// Time since which bytes wait to be written.
    stalled: Option<Instant>,
}

/// Action of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Doing {
    /// No request.
    Idle,
    /// Headers are arriving.
    Head,
    /// A request is being answered.
    Answer,
}

/// Time limit that was exceeded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// Idle for too long.
    Idle,
    /// Headers took too long.
    Head,
    /// The client takes no bytes.
    Write,
}

impl Activity {
    /// Returns the activity of a new connection, which has to send its headers at once.
    pub(crate) fn new(now: Instant) -> Self {
        let state = State { doing: Doing::Head, since: now, stalled: None };
        Self { state: Mutex::new(state), evicted: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that bytes arrived.
    pub(crate) fn arrived(&self, now: Instant) {
        let mut state = self.state();
        if state.doing == Doing::Idle {
            (state.doing, state.since) = (Doing::Head, now);
        }
    }

    /// Notes whether bytes that were to be written have to wait.
    pub(crate) fn wrote(&self, now: Instant, waits: bool) {
        let mut state = self.state();
        state.stalled = waits.then(|| state.stalled.unwrap_or(now));
    }

    /// Returns the time limit that is exceeded.
    pub(crate) fn overdue(&self, limits: &ConnectionLimits, now: Instant) -> Option<Overdue> {
        let state = self.state();
        let lasts = now.duration_since(state.since);
        if state.stalled.is_some_and(|since| now.duration_since(since) > limits.write) {
            return Some(Overdue::Write);
        }
        match state.doing {
            Doing::Idle if lasts > limits.idle => Some(Overdue::Idle),
            Doing::Head if lasts > limits.head => Some(Overdue::Head),
            _ => None,
        }
    }

    /// Returns the time since which the connection could be done without: it has no request, or a client that takes
    /// nothing of the answer. `None` while a request is under way.
    pub(crate) fn spare_since(&self, limits: &ConnectionLimits, now: Instant) -> Option<Instant> {
        let state = self.state();
        match (state.doing, state.stalled) {
            (Doing::Idle | Doing::Head, _) => Some(state.since),
            (Doing::Answer, Some(since)) if now.duration_since(since) >= limits.stalled => Some(since),
            (Doing::Answer, _) => None,
        }
    }

    /// Returns true if bytes wait to be written.
    pub(crate) fn is_stalled(&self) -> bool {
        self.state().stalled.is_some()
    }

    /// Asks the connection to close for a newcomer.
    pub(crate) fn evict(&self) {
        self.evicted.notify_one();
    }

    /// Completes when the connection has to close for a newcomer.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

/// Guard while a request is being answered.
pub(crate) struct Answering(Arc<Activity>);

impl Answering {
    pub(crate) fn new(activity: &Arc<Activity>) -> Self {
        activity.state().doing = Doing::Answer;
        Self(activity.clone())
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        let mut state = self.0.state();
        (state.doing, state.since) = (Doing::Idle, Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_time_limit() {
        let limits = ConnectionLimits::new(2, 2);
        let begin = Instant::now();
        let overdue = |activity: &Activity, after| activity.overdue(&limits, begin + after);
        let activity = Arc::new(Activity::new(begin));
        assert_eq!(overdue(&activity, limits.head), None);
        assert_eq!(overdue(&activity, limits.head * 2), Some(Overdue::Head));

        let answering = Answering::new(&activity);
        assert_eq!(overdue(&activity, limits.idle * 2), None, "an answer may take its time");
        activity.wrote(begin, true);
        activity.wrote(begin + limits.stalled, true);
        assert_eq!(overdue(&activity, limits.write), None);
        assert_eq!(overdue(&activity, limits.write * 2), Some(Overdue::Write));
        activity.wrote(begin + limits.write, false);
        assert_eq!(overdue(&activity, limits.write * 2), None, "bytes were written");

        drop(answering);
        let idle = Instant::now();
        assert_eq!(activity.overdue(&limits, idle + limits.idle * 2), Some(Overdue::Idle));
        activity.arrived(idle);
        assert_eq!(activity.overdue(&limits, idle + limits.idle * 2), Some(Overdue::Head));
    }

    #[test]
    fn a_request_under_way_is_spared_until_its_client_takes_nothing() {
        let limits = ConnectionLimits::new(2, 2);
        let begin = Instant::now();
        let activity = Arc::new(Activity::new(begin));
        assert_eq!(activity.spare_since(&limits, begin), Some(begin), "there is no request yet");
        let _answering = Answering::new(&activity);
        assert_eq!(activity.spare_since(&limits, begin + limits.idle), None);
        activity.wrote(begin, true);
        assert_eq!(
            activity.spare_since(&limits, begin + limits.stalled / 2),
            None,
            "that may be a slow line"
        );
        assert_eq!(activity.spare_since(&limits, begin + limits.stalled), Some(begin));
    }
}
