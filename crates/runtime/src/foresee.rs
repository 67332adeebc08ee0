//! Looking ahead: what a lane would say to an event now. Reads only, waits for nothing, commits nothing.
//!
//! For channels that must answer a press within a second, whatever its lane is busy with. The same lookups and the same
//! step as the turn that follows, so there is no second set of rules; the turn alone decides, and where it decides
//! otherwise it says so.

use throughline_engine::effect::EffectBody;
use throughline_engine::given::Addressing;
use throughline_engine::{Event, LaneKey, Verdict};

use crate::{Runtime, Stop};

/// What a lane would say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// What it would tell the acting person.
    pub told: Option<String>,
    /// It would refuse.
    pub refused: bool,
}

impl Runtime {
    /// What the lane would say to this event, as it stands.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn foresee(&self, lane: &LaneKey, event: &Event) -> Result<Foreseen, Stop> {
        let lane = self.lane(lane).await?;
        let given = self.look_up(&lane, event, Addressing::default()).await?;
        let Some(step) = self.stepped(&lane, event, &given) else { return Ok(Foreseen::default()) };
        let told = step.effects.into_iter().find_map(|effect| match effect.body {
            EffectBody::Notice { to, text } if to == event.actor => Some(text),
            _ => None,
        });
        Ok(Foreseen { told, refused: step.decision.outcome == Verdict::Refused })
    }
}
