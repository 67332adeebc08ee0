//! Decision records, as routing reaches them.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::end_of;
use crate::data::card::Card;
use crate::data::card_model::CardModel;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::TaskId;
use crate::data::message::MessageKind;
use crate::data::owner::DECISIONS;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::proposal::Proposal;
use crate::data::task_status::TaskStatus;
use crate::decision_records::{card as cards, comment, drafting, publish, tracked_issues};
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, PressInput, ReleaseRequest, Settled};
use throughline_language::Value;

pub(crate) struct DecisionRecords;

impl Capability for DecisionRecords {
    fn name(&self) -> &'static str {
        DECISIONS
    }

    fn commands(&self) -> &'static [&'static str] {
        &["track", "untrack", "tracked"]
    }

    fn command(&self, turn: &mut Turn<'_>, word: &str, rest: &str) -> Option<Decision> {
        let (text, reason) = match word {
            "track" => (tracked_issues::track(turn, rest), Reason::CommandTrack),
            "untrack" => (tracked_issues::untrack(turn, rest), Reason::CommandTrack),
            "tracked" => (tracked_issues::list(turn), Reason::CommandTracked),
            _ => return None,
        };
        turn.say(MessageKind::Answer, None, &text);
        Some(Decision::new(Verdict::Answered, reason))
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        cards::show(model, view);
    }

    fn requests(&self, turn: &Turn<'_>, card: &Card) -> Vec<ReleaseRequest> {
        cards::requests(turn, card)
    }

    fn task(&self, turn: &Turn<'_>, card: &Card) -> Option<TaskId> {
        turn.get::<Proposal>(card.decision()?).map(|proposal| proposal.task.clone())
    }

    fn topic(&self, turn: &Turn<'_>, card: &Card) -> String {
        let proposal = card.decision().and_then(|decision| turn.get::<Proposal>(decision));
        proposal.map(|proposal| proposal.topic.clone()).unwrap_or_default()
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
        drafting::pressed(turn, card, press.action)
    }

    fn submitted(
        &self,
        turn: &mut Turn<'_>,
        card: Card,
        press: &PressInput<'_>,
        values: &BTreeMap<String, String>,
    ) -> Decision {
        drafting::submitted(turn, card, press.action, values)
    }

    fn lapsed(&self, turn: &mut Turn<'_>, card: &Card) {
        end_of(turn, card, TaskStatus::Cancelled);
    }

    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, _corrects: bool) {
        match (&pending.kind, value) {
            (PendingKind::SlotRequest(Slot::Proposal { proposal }), Value::Text(text)) => {
                drafting::filled(turn, proposal, text);
            }
            (PendingKind::ClarificationNeeded(Slot::Issue { card }), Value::Selection(issue)) => {
                comment::chosen(turn, card, issue);
            }
            (PendingKind::WaitingDecisionEdit { card }, Value::Text(text)) => {
                drafting::edit_by_text(turn, card, text);
            }
            _ => {}
        }
    }

    fn blocked(&self, _turn: &Turn<'_>, pending: &PendingState) -> Option<TaskId> {
        match &pending.kind {
            PendingKind::SlotRequest(Slot::Proposal { .. }) => pending.task.clone(),
            _ => None,
        }
    }

    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        let Some(card) = settled.card else {
            let ours =
                settled.task.is_none() && tracked_issues::settled(turn, settled.effect, settled.outcome);
            return ours.then(|| Decision::new(Verdict::Answered, Reason::IssueTracked));
        };
        let card = turn.get::<Card>(card).filter(|card| card.decision().is_some())?.clone();
        let reason = publish::settled(turn, &card, settled.effect, settled.outcome);
        Some(Decision::new(Verdict::Recorded, reason))
    }
}
