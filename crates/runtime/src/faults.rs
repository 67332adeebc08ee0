//! The named fail points of `spec 06 §8`, the same in the simulator and in the real process.

use std::sync::Arc;

/// Where a run can be made to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named and explained by its place in the fault matrix")]
pub enum FailPoint {
    BytesIn,
    Verified,
    InboxCommitted,
    Acked,
    LaneClaimed,
    ContextRead,
    ModelInFlight,
    TurnCommitted,
    EffectClaimed,
    AttemptMarked,
    BytesOnWire,
    VendorApplied,
    ReplyRead,
    ResultCommitted,
    CardPlanned,
    CardSent,
    LaneReleased,
}

impl FailPoint {
    /// All of them, in the order of the way of the data.
    pub const ALL: [Self; 17] = [
        Self::BytesIn,
        Self::Verified,
        Self::InboxCommitted,
        Self::Acked,
        Self::LaneClaimed,
        Self::ContextRead,
        Self::ModelInFlight,
        Self::TurnCommitted,
        Self::EffectClaimed,
        Self::AttemptMarked,
        Self::BytesOnWire,
        Self::VendorApplied,
        Self::ReplyRead,
        Self::ResultCommitted,
        Self::CardPlanned,
        Self::CardSent,
        Self::LaneReleased,
    ];

    /// The name in reports, seeds and the environment.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BytesIn => "s0.bytes_in",
            Self::Verified => "s1.verified",
            Self::InboxCommitted => "s2.inbox_committed",
            Self::Acked => "s3.acked",
            Self::LaneClaimed => "s4.lane_claimed",
            Self::ContextRead => "s5.context_read",
            Self::ModelInFlight => "s6.model_in_flight",
            Self::TurnCommitted => "s7.turn_committed",
            Self::EffectClaimed => "s8.effect_claimed",
            Self::AttemptMarked => "s9.attempt_marked",
            Self::BytesOnWire => "s10.bytes_on_wire",
            Self::VendorApplied => "s11.vendor_applied",
            Self::ReplyRead => "s12.reply_read",
            Self::ResultCommitted => "s13.result_committed",
            Self::CardPlanned => "s14.card_planned",
            Self::CardSent => "s15.card_sent",
            Self::LaneReleased => "s16.lane_released",
        }
    }

    /// The point of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == name)
    }
}

/// The run was made to stop here, as a killed process would: whatever was in memory is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped at the fail point {}", .0.name())]
pub struct Crash(pub FailPoint);

/// Decides at each fail point whether the run goes on.
pub trait Faults: Send + Sync {
    /// # Errors
    /// The run stops here.
    fn at(&self, point: FailPoint) -> Result<(), Crash>;
}

/// No faults.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn at(&self, _: FailPoint) -> Result<(), Crash> {
        Ok(())
    }
}

/// The faults of a real process: `THROUGHLINE_FAILPOINT=s7.turn_committed:3` kills it with SIGKILL the third
/// time it gets there. Only with the feature `failpoints`; without it there are none.
#[must_use]
pub fn from_environment() -> Arc<dyn Faults> {
    #[cfg(feature = "failpoints")]
    if let Some(kill) = kill::Kill::from_environment() {
        return Arc::new(kill);
    }
    Arc::new(NoFaults)
}

#[cfg(feature = "failpoints")]
mod kill {
    use std::process::{Command, id};
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{Crash, FailPoint, Faults};

    pub(super) struct Kill {
        point: FailPoint,
        left: AtomicU32,
    }

    impl Kill {
        pub(super) fn from_environment() -> Option<Self> {
            let named = std::env::var("THROUGHLINE_FAILPOINT").ok()?;
            let (name, times) = named.split_once(':').unwrap_or((&named, "1"));
            let point = FailPoint::from_name(name)?;
            Some(Self { point, left: AtomicU32::new(times.parse().ok()?) })
        }
    }

    impl Faults for Kill {
        fn at(&self, point: FailPoint) -> Result<(), Crash> {
            if point == self.point && self.left.fetch_sub(1, Ordering::SeqCst) == 1 {
                // The process ends as the power does: no destructor runs, nothing is flushed.
                let _ = Command::new("kill").args(["-9", &id().to_string()]).status();
                loop {
                    std::thread::park();
                }
            }
            Ok(())
        }
    }
}
