//! An armed fail point, which kills the host at the given passing.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use throughline_runtime::{Crash, FailPoint, Faults};

/// The fail points that the runtime itself passes. The others belong to a server around it.
pub(crate) const POINTS: [FailPoint; 14] = [
    FailPoint::InboxCommitted,
    FailPoint::LaneClaimed,
    FailPoint::ContextRead,
    FailPoint::ModelInFlight,
    FailPoint::TurnCommitted,
    FailPoint::EffectClaimed,
    FailPoint::AttemptMarked,
    FailPoint::BytesOnWire,
    FailPoint::VendorApplied,
    FailPoint::ReplyRead,
    FailPoint::ResultCommitted,
    FailPoint::CardPlanned,
    FailPoint::CardSent,
    FailPoint::LaneReleased,
];

/// The fail points between marking an attempt and recording its outcome.
const ON_THE_WAY: [FailPoint; 4] =
    [FailPoint::AttemptMarked, FailPoint::BytesOnWire, FailPoint::VendorApplied, FailPoint::ReplyRead];

/// The armed fail point, if any.
#[derive(Default)]
pub(crate) struct Armed(Mutex<Option<Arming>>);

/// A fail point that kills.
pub(crate) struct Arming {
    pub(crate) point: FailPoint,
    /// The number of the passing at which it kills, counted from 1.
    pub(crate) passing: u32,
    /// The classes of effects it passes over, uncounted, while they are on the way.
    pub(crate) spared: BTreeSet<&'static str>,
}

impl Armed {
    /// Arms a fail point, or none.
    pub(crate) fn set(&self, arming: Option<Arming>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = arming;
    }
}

impl Faults for Armed {
    fn at(&self, point: FailPoint, about: &str) -> Result<(), Crash> {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(arming) = armed.as_mut().filter(|arming| arming.strikes(point, about)) else {
            return Ok(());
        };
        arming.passing -= 1;
        if arming.passing > 0 {
            return Ok(());
        }
        *armed = None;
        Err(Crash(point))
    }
}

impl Arming {
    fn strikes(&self, point: FailPoint, about: &str) -> bool {
        self.point == point && !(ON_THE_WAY.contains(&point) && self.spared.contains(about))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spared_class_is_passed_over_on_its_way_alone() {
        let armed = Armed::default();
        let arm = |point| armed.set(Some(Arming { point, passing: 2, spared: ["post.channel"].into() }));
        for point in ON_THE_WAY {
            arm(point);
            for _ in 0..3 {
                assert!(armed.at(point, "post.channel").is_ok());
            }
            assert!(armed.at(point, "tracker.create").is_ok(), "its first passing");
            assert!(armed.at(point, "tracker.create").is_err());
            assert!(armed.at(point, "tracker.create").is_ok(), "it kills once");
        }
        arm(FailPoint::ResultCommitted);
        assert!(armed.at(FailPoint::ResultCommitted, "post.channel").is_ok());
        assert!(armed.at(FailPoint::ResultCommitted, "post.channel").is_err());
    }
}
