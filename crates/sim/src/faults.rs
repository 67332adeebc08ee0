//! An armed fail point, which kills the host at the given passing.

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

/// The armed fail point with its remaining passings, if any.
#[derive(Default)]
pub(crate) struct Armed(Mutex<Option<(FailPoint, u32)>>);

impl Armed {
    /// Arms `point` at its n-th passing, counted from 1.
    pub(crate) fn set(&self, point: Option<(FailPoint, u32)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = point;
    }
}

impl Faults for Armed {
    fn at(&self, point: FailPoint, _: &str) -> Result<(), Crash> {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((_, left)) = armed.as_mut().filter(|(armed, _)| *armed == point) else { return Ok(()) };
        *left -= 1;
        if *left > 0 {
            return Ok(());
        }
        *armed = None;
        Err(Crash(point))
    }
}
