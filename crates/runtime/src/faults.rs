//! Named fail points, where a test makes a run stop; the simulator and the real process share them
//! (`docs/design/0039-how-it-is-tested.md`).

use std::sync::Arc;

/// A place where a run can be made to stop.
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
    ErasureAsked,
    ContentErased,
    StoreScoured,
    ErasureRecorded,
}

impl FailPoint {
    /// The fail points that an event passes, in order.
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

    /// The fail points that an erasure passes, beside those of its turns.
    pub const ERASING: [Self; 4] =
        [Self::ErasureAsked, Self::ContentErased, Self::StoreScoured, Self::ErasureRecorded];

    /// The name used in reports, in the simulator's seeds and in the environment variable.
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
            Self::ErasureAsked => "e0.erasure_asked",
            Self::ContentErased => "e1.content_erased",
            Self::StoreScoured => "e2.store_scoured",
            Self::ErasureRecorded => "e3.erasure_recorded",
        }
    }

    /// Finds a fail point by its name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain(Self::ERASING).find(|point| point.name() == name)
    }
}

/// A run stopped at this fail point, as a killed process would: everything in memory is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped at the fail point {}", .0.name())]
pub struct Crash(pub FailPoint);

/// Decides at each fail point whether the run goes on.
pub trait Faults: Send + Sync {
    /// Called when a run reaches `point`. `about` is the class of the effect or the kind of the event that is there;
    /// empty where it is neither.
    ///
    /// # Errors
    /// The run stops here.
    fn at(&self, point: FailPoint, about: &str) -> Result<(), Crash>;
}

/// Stops nowhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFaults;

impl Faults for NoFaults {
    fn at(&self, _: FailPoint, _: &str) -> Result<(), Crash> {
        Ok(())
    }
}

/// Reads the faults of a real process from its environment. `THROUGHLINE_FAILPOINT=s7.turn_committed:3` kills it with
/// SIGKILL the third time it gets there, `s9.attempt_marked/tracker.create:3` the third time with an issue to create.
/// `THROUGHLINE_FAILPOINT_TRAIL` names a file that gets a line for every point passed. Without the feature
/// `failpoints` there are none.
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
    use std::fs::File;
    use std::io::Write as _;
    use std::process::{Command, id};
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::{Crash, FailPoint, Faults};

    /// The fail point at which this process dies, and a file that gets a line for each point it passes.
    pub(super) struct Kill {
        at: Option<At>,
        trail: Option<File>,
    }

    struct At {
        point: FailPoint,
        /// The class or kind that has to be there; empty for any.
        about: String,
        left: AtomicU32,
    }

    impl Kill {
        pub(super) fn from_environment() -> Option<Self> {
            let at = std::env::var("THROUGHLINE_FAILPOINT").ok().and_then(|named| At::named(&named));
            let trail = std::env::var_os("THROUGHLINE_FAILPOINT_TRAIL")
                .and_then(|path| File::options().create(true).append(true).open(path).ok());
            (at.is_some() || trail.is_some()).then_some(Self { at, trail })
        }
    }

    impl At {
        fn named(named: &str) -> Option<Self> {
            let (name, times) = named.split_once(':').unwrap_or((named, "1"));
            let (name, about) = name.split_once('/').unwrap_or((name, ""));
            let point = FailPoint::from_name(name)?;
            Some(Self { point, about: about.into(), left: AtomicU32::new(times.parse().ok()?) })
        }

        fn reached(&self, point: FailPoint, about: &str) -> bool {
            let here = point == self.point && (self.about.is_empty() || self.about == about);
            here && self.left.fetch_sub(1, Ordering::SeqCst) == 1
        }
    }

    impl Faults for Kill {
        fn at(&self, point: FailPoint, about: &str) -> Result<(), Crash> {
            if let Some(mut trail) = self.trail.as_ref() {
                // One write per line, so that the lines of several threads do not mix.
                let _ = trail.write_all(format!("{}/{about}\n", point.name()).as_bytes());
            }
            if self.at.as_ref().is_some_and(|at| at.reached(point, about)) {
                // As a power cut ends a process: no destructor runs, nothing is flushed.
                let _ = Command::new("kill").args(["-9", &id().to_string()]).status();
                loop {
                    std::thread::park();
                }
            }
            Ok(())
        }
    }
}
