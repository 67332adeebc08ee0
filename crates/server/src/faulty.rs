//! What the embedded tracker of a real process meets in the crash tests. Only with the feature `failpoints`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use throughline_engine::{Millis, Timestamp};
use throughline_store::{Clock as _, SystemClock};
use throughline_trackers::local::{FaultClock, Faults, Lag, LocalTracker, Scripted};

/// `THROUGHLINE_TRACKER_FAULTS`:
/// `{"promises": "nothing", "lag": 3000, "faults": [{"on": "create", "item": {"nth": 4}, "fault": "lost_reply"}]}`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    /// `nothing`: asked twice under one effect, it makes two issues.
    promises: Option<String>,
    /// How long a new issue stays out of what a search sees, in milliseconds.
    lag: Millis,
    faults: Vec<Scripted>,
}

/// # Panics
/// The variable is not what it has to be: a test that goes on without its faults proves nothing.
pub(crate) fn tracker(tracker: LocalTracker) -> LocalTracker {
    let Ok(wanted) = std::env::var("THROUGHLINE_TRACKER_FAULTS") else { return tracker };
    let wanted: Wanted = match serde_json::from_str(&wanted) {
        Ok(wanted) => wanted,
        Err(error) => panic!("THROUGHLINE_TRACKER_FAULTS: {error}: {wanted}"),
    };
    let lag = if wanted.lag > 0 { Lag::For(wanted.lag) } else { Lag::None };
    let faults = Faults::new().with_clock(Arc::new(Real(SystemClock::default()))).with_lag(lag);
    wanted.faults.into_iter().for_each(|fault| faults.script(fault));
    let tracker = tracker.with_faults(Arc::new(faults));
    if wanted.promises.as_deref() == Some("nothing") { tracker.promising_nothing() } else { tracker }
}

/// The time everybody has.
struct Real(SystemClock);

#[async_trait]
impl FaultClock for Real {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn pass(&self, span: Millis) {
        tokio::time::sleep(Duration::from_millis(span.unsigned_abs())).await;
    }
}
