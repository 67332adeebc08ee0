//! Work by tools and sub-agents, as routing reaches it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::calls::{card as cards, in_progress, lifecycle};
use crate::cards::decide::{decide, end_of, refuse_step};
use crate::data::action::Action;
use crate::data::canonical_json::jcs;
use crate::data::card::Card;
use crate::data::card_model::CardModel;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::EventKind;
use crate::data::id::TaskId;
use crate::data::owner::WORK;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::progress::Progress;
use crate::data::record::{Record, RecordKey};
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::turn::Turn;
use crate::turn::capability::{Capability, CardContext, NeedsInput, PressInput, ReleaseRequest, Settled};
use throughline_language::Value;

pub(crate) struct ToolsAndAgents;

impl Capability for ToolsAndAgents {
    fn name(&self) -> &'static str {
        WORK
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        cards::show(model, view);
    }

    fn requests(&self, turn: &Turn<'_>, card: &Card) -> Vec<ReleaseRequest> {
        let request = card.call().map(|(call, source)| ReleaseRequest {
            kind: "call",
            class: call.job.class(),
            target: call.job.target(),
            payload: jcs(call),
            effects: alloc::vec![call.clone().effect(Some(&card.id))],
            quantity: 1,
            chars: call.text.chars().count(),
            by: card.by.clone(),
            authors: cards::authored(card, call, turn.get::<Task>(&call.task)),
            source: source.clone(),
        });
        request.into_iter().collect()
    }

    fn task(&self, _turn: &Turn<'_>, card: &Card) -> Option<TaskId> {
        card.task().cloned()
    }

    fn topic(&self, _turn: &Turn<'_>, card: &Card) -> String {
        card.call().map(|(call, _)| call.text.clone()).unwrap_or_default()
    }

    fn pressed(&self, turn: &mut Turn<'_>, card: Card, press: &PressInput<'_>) -> Decision {
        match press.action {
            Action::Approve => lifecycle::release(turn, card),
            Action::Happened => lifecycle::happened(turn, card),
            Action::DoAgain => lifecycle::again(turn, card),
            Action::Reject => {
                end_of(turn, &card, TaskStatus::Cancelled);
                decide(turn, card, Action::Reject, Progress::None);
            }
            Action::Cancel => {
                if let Some((effect, receipt)) = card.uncertain_effect().zip(card.receipt()) {
                    turn.cancel(effect);
                    lifecycle::shown_behind(turn, receipt, &Progress::Cancelled);
                }
                end_of(turn, &card, TaskStatus::Cancelled);
                decide(turn, card, Action::Cancel, Progress::Cancelled);
            }
            _ => return refuse_step(turn),
        }
        Decision::new(Verdict::Done, Reason::PressApplied)
    }

    fn lapsed(&self, turn: &mut Turn<'_>, card: &Card) {
        end_of(turn, card, TaskStatus::Cancelled);
    }

    fn answered(&self, turn: &mut Turn<'_>, pending: &PendingState, value: &Value, corrects: bool) {
        match (&pending.kind, value, &pending.task) {
            (PendingKind::SlotRequest(Slot::Argument { name }), value, Some(task)) => {
                if corrects {
                    lifecycle::call_corrected(turn, task, name, value.text());
                } else {
                    lifecycle::argument_given(turn, task, name, value.text());
                }
            }
            (PendingKind::SlotRequest(Slot::Asked { name }), value, Some(task)) => {
                in_progress::question_answered(turn, task, name, value.text());
            }
            (PendingKind::ClarificationNeeded(Slot::Agent), Value::Selection(agent), Some(task)) => {
                if let Some(task) = turn.get::<Task>(task).cloned() {
                    let _ = lifecycle::delegate_to(turn, task, agent);
                }
            }
            (
                PendingKind::ToolRetryOffer { .. } | PendingKind::DelegationOffer { .. },
                Value::Boolean(yes),
                _,
            ) => lifecycle::offer_answered(turn, pending, *yes),
            _ => {}
        }
    }

    fn correctable(&self, _turn: &Turn<'_>, pending: &PendingState) -> bool {
        matches!(pending.kind.slot(), Some(Slot::Argument { .. }))
    }

    fn blocked(&self, _turn: &Turn<'_>, pending: &PendingState) -> Option<TaskId> {
        match &pending.kind {
            PendingKind::SlotRequest(Slot::Argument { .. })
            | PendingKind::ClarificationNeeded(Slot::Agent) => pending.task.clone(),
            _ => None,
        }
    }

    fn settled(&self, turn: &mut Turn<'_>, settled: &Settled<'_>) -> Option<Decision> {
        // An effect that cannot be read any more names the card that released it alone.
        let released = settled.card.and_then(|card| turn.get::<Card>(card)?.call());
        let task = match settled.card {
            None => settled.task.cloned(),
            Some(_) => released.map(|(call, _)| call.task.clone()),
        };
        let task = &task?;
        let reason = lifecycle::settled(turn, task, settled.effect, settled.outcome);
        Some(Decision::new(Verdict::Recorded, reason))
    }

    /// Returns the card that released the call of the event's task, which becomes its receipt, or that shows a host's request.
    fn needs(&self, event: &NeedsInput<'_>) -> Vec<RecordKey> {
        if !matches!(event.event.kind, EventKind::EffectSettled { .. } | EventKind::ApprovalRequested(_)) {
            return Vec::new();
        }
        let task = event.task.and_then(|task| event.known.get::<Task>(task));
        let card = task.and_then(|task| task.work.as_ref()?.card.as_ref());
        card.map(RecordKey::of::<Card>).into_iter().collect()
    }

    fn call_off(&self, turn: &mut Turn<'_>, record: &Record) {
        if let Record::Task(task) = record {
            in_progress::cancel_call(turn, &mut task.clone());
        }
    }
}
