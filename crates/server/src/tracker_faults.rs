//! Faults of the embedded tracker, for crash tests of a real process. Only with the feature `failpoints`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use throughline_engine::{Millis, Timestamp};
use throughline_store::{Clock as _, SystemClock};
use throughline_trackers::local::{FaultClock, Faults, Lag, LocalTracker, ScriptedFault};

/// Faults in the environment variable `THROUGHLINE_TRACKER_FAULTS`:
/// `{"promises": "nothing", "lag": 3000, "faults": [{"on": "create", "item": {"nth": 4}, "fault": "lost_reply"}]}`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FaultPlan {
    /// `nothing`: asked twice for one effect, the tracker creates two issues.
    promises: Option<String>,
    /// Time until a search finds a new issue, in milliseconds.
    lag: Millis,
    faults: Vec<ScriptedFault>,
}

/// Applies the faults of the environment.
///
/// # Panics
/// The variable is not valid: a test must not run without its faults.
pub(crate) fn tracker(tracker: LocalTracker) -> LocalTracker {
    let Ok(plan) = std::env::var("THROUGHLINE_TRACKER_FAULTS") else { return tracker };
    let plan: FaultPlan = match serde_json::from_str(&plan) {
        Ok(plan) => plan,
        Err(error) => panic!("THROUGHLINE_TRACKER_FAULTS: {error}: {plan}"),
    };
    let lag = if plan.lag > 0 { Lag::For(plan.lag) } else { Lag::None };
    let faults = Faults::new().with_clock(Arc::new(WallClock(SystemClock::default()))).with_lag(lag);
    plan.faults.into_iter().for_each(|fault| faults.script(fault));
    let tracker = tracker.with_faults(Arc::new(faults));
    if plan.promises.as_deref() == Some("nothing") { tracker.promising_nothing() } else { tracker }
}

struct WallClock(SystemClock);

#[async_trait]
impl FaultClock for WallClock {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    async fn pass(&self, span: Millis) {
        tokio::time::sleep(Duration::from_millis(span.unsigned_abs())).await;
    }
}
