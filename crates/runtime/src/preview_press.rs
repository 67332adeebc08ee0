//! The likely answer to a press, before its turn: the same lookups and the same step, on the lane as it is stored now.
//!
//! Reads only: it waits for nothing and commits nothing. For channels that must answer a press within a second, however
//! busy its lane is. The turn that follows decides; where it decides otherwise, it tells the person so
//! (`docs/design/0007-a-press-is-answered-by-looking-ahead.md`).

use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Event, LaneKey, Verdict};

use crate::intake::forget_token;
use crate::{Runtime, RuntimeError};

/// The likely answer to a press.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PressPreview {
    /// The notice for the person who pressed, if there is one.
    pub notice: Option<String>,
    /// True if the press would be refused.
    pub refused: bool,
}

impl Runtime {
    /// Decides an event on the lane as it is stored now, and commits nothing.
    ///
    /// # Errors
    /// The store did not answer, or holds something this version cannot read.
    pub async fn preview_press(&self, lane: &LaneKey, event: &Event) -> Result<PressPreview, RuntimeError> {
        let lane = self.lane(lane).await?;
        let mut event = event.clone();
        forget_token(&mut event.kind);
        let stepped = async {
            let given = self.look_up(&lane, &event, Addressing::default()).await?;
            Ok::<_, RuntimeError>(self.try_step(&lane, &event, &given).map(|(step, _)| step))
        };
        let Some(step) = self.away.run(&lane, &event.kind, stepped).await? else {
            return Ok(PressPreview::default());
        };
        let notice = step.effects.into_iter().find_map(|effect| match effect.body {
            EffectBody::Notice { to, text } if to == event.actor => Some(text),
            _ => None,
        });
        Ok(PressPreview { notice, refused: step.decision.outcome == Verdict::Refused })
    }
}
