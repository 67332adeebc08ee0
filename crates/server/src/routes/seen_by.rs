//! Cards as one person sees them: without the buttons of a decision that is not theirs. Whoever presses one all the same,
//! from a page of before, is refused by the engine.

use throughline_engine::data::action::{Action, CardStep, needs_approver};
use throughline_engine::{CardId, LaneKey};
use throughline_store::StoreError;

use crate::app::App;
use crate::approver_rules::{self, ApproverStanding};
use crate::wire;

use super::feed::FeedEvent;

/// Takes the buttons that a person may not press from the cards of these events.
///
/// # Errors
/// The store did not answer.
pub(crate) async fn seen_by(
    app: &App,
    person: &str,
    lane: &LaneKey,
    events: &mut [FeedEvent],
) -> Result<(), StoreError> {
    for event in events {
        let card = match event {
            FeedEvent::Card { card, .. } => card,
            FeedEvent::Message(message) => match &mut message.card {
                Some(card) => card,
                None => continue,
            },
            _ => continue,
        };
        if card.buttons.iter().any(|button| decides(&card.step, button))
            && !may(app, person, lane, card).await?
        {
            let step = card.step.clone();
            card.buttons.retain(|button| !decides(&step, button));
        }
    }
    Ok(())
}

async fn may(app: &App, person: &str, lane: &LaneKey, card: &wire::Card) -> Result<bool, StoreError> {
    let Some(row) = app.store().approval(&lane.tenant, &CardId::from(card.id.as_str())).await? else {
        return Ok(true);
    };
    let actor = app.runtime().ports().directory.actor(lane, person).await;
    let standing = approver_rules::standing(app.runtime().policy(), &actor, &row.approval);
    Ok(standing == ApproverStanding::May)
}

fn decides(step: &str, button: &wire::Button) -> bool {
    let known = CardStep::parse(step).zip(Action::parse(&button.action));
    known.is_some_and(|(step, action)| needs_approver(step, action))
}
