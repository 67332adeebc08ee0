//! One armed fail point: the first time it is passed, the host is gone.

use std::sync::{Mutex, PoisonError};

use throughline_runtime::{Crash, FailPoint, Faults};

/// The fail points the runtime itself passes. The others belong to a server around it.
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

/// The switch.
#[derive(Default)]
pub(crate) struct Armed(Mutex<Option<FailPoint>>);

impl Armed {
    pub(crate) fn set(&self, point: Option<FailPoint>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = point;
    }
}

impl Faults for Armed {
    fn at(&self, point: FailPoint) -> Result<(), Crash> {
        let mut armed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match armed.take_if(|armed| *armed == point) {
            Some(point) => Err(Crash(point)),
            None => Ok(()),
        }
    }
}
