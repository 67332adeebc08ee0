//! The needs of an event beyond what a lane keeps loaded: records, and the standing of effects in the outbox.

use alloc::vec::Vec;

use crate::data::card::Card;
use crate::data::event::{Event, EventKind, Press};
use crate::data::id::{CardId, EffectId, TaskId};
use crate::data::lane::Lane;
use crate::data::message::Message;
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::proposal::Proposal;
use crate::data::record::{RecordKey, RecordKind};
use crate::data::record_lookup::{RecordLookup, StepRecords};
use crate::data::state_of_work::WorkRecords;
use crate::data::step_input::StepInput;
use crate::data::task::Task;
use crate::data::ticket::Draft;
use crate::routing::capabilities::CAPABILITIES;
use crate::summary;
use crate::turn::capability::NeedsInput;
use throughline_language::intent::rules::rule;
use throughline_language::{Words, interrupt};

/// Returns the records that an event needs and the lane has not loaded. The runtime reads them into
/// [`StepInput::revived`] and calls again, until nothing is missing.
#[must_use]
pub fn needs(lane: &Lane, event: &Event, given: &StepInput, policy: &Policy) -> Vec<RecordKey> {
    let known: &dyn RecordLookup = &StepRecords { lane, given };
    let task = task_of(lane, event, given);
    let mut wanted: Vec<RecordKey> = card_of(event, given).map(RecordKey::of::<Card>).into_iter().collect();
    if let EventKind::MessagePosted(_) = &event.kind {
        wanted.extend(asked_about(lane));
    }
    wanted.extend(unshown(event, known));
    wanted.extend(given.waiting.iter().map(RecordKey::of::<Card>));
    let event_needs = NeedsInput { lane, event, known, task: task.as_ref() };
    wanted.extend(CAPABILITIES.iter().flat_map(|capability| capability.needs(&event_needs)));
    let cards = wanted.iter().filter(|key| key.kind == RecordKind::Card);
    let cards = cards.filter_map(|key| known.get::<Card>(&CardId::from(key.key.as_str())));
    let reached: Vec<RecordKey> = cards.flat_map(|card| reached(card, known)).collect();
    wanted.extend(reached);
    let found = wanted.iter().filter_map(|key| known.record(key.kind, &key.key));
    let tasks: Vec<RecordKey> =
        found.filter_map(|record| record.task()).chain(&task).map(RecordKey::of::<Task>).collect();
    wanted.extend(tasks);
    wanted.extend(summary::needs(lane, event, given, policy));
    wanted.retain(|key| known.record(key.kind, &key.key).is_none());
    wanted
}

/// The most characters of a message that is looked at for a stop: the whole message is one, or it is none.
const LONGEST_STOP: usize = 200;

/// True if the message stops what goes on, or asks for it, or why it was done, in words.
fn tells_state(words: &Words) -> bool {
    let asks = |rule: &str| matches!(rule, "meta.status" | "meta.why");
    interrupt(words).is_some() || rule(words).is_some_and(|ruling| asks(ruling.rule))
}

/// Returns the effects whose standing in the outbox the answer to an event may tell; `None` if it tells none. The runtime
/// looks them up into [`StepInput::effects`], and all that the lane released and that have not ended beside them.
#[must_use]
pub fn effects_told(lane: &Lane, event: &Event, given: &StepInput, policy: &Policy) -> Option<Vec<EffectId>> {
    let tells = match &event.kind {
        EventKind::Command { .. } | EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. } => true,
        EventKind::MessagePosted(posted) => {
            policy.command.rest(&posted.text).is_some()
                || posted.text.len() <= LONGEST_STOP
                    && tells_state(&Words::of(&policy.in_known_words(&posted.text)))
        }
        _ => false,
    };
    let effects = || {
        let cards = lane.head.cards.texts().filter_map(|id| lane.records.named::<Card>(id)).collect();
        let tasks = lane.records.all::<Task>().collect();
        let records = WorkRecords { head: &lane.head, cards, tasks, put_aside: 0, over: Vec::new() };
        records.on_the_way().into_iter().cloned().collect::<Vec<_>>()
    };
    // A press tells what became of its card, which most often released nothing. Of one that is not loaded nobody knows.
    let pressed = matches!(event.kind, EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. });
    let loaded = || card_of(event, given).is_none_or(|card| lane.records.get::<Card>(card).is_some());
    tells.then(effects).filter(|effects| !(pressed && effects.is_empty() && loaded()))
}

/// The card that the event is about.
fn card_of<'a>(event: &'a Event, given: &'a StepInput) -> Option<&'a CardId> {
    match &event.kind {
        EventKind::CardPressed { press, .. } | EventKind::FormSubmitted { press, .. } => match press {
            Press::Decision { card, .. } => Some(card),
            Press::Option { .. } => None,
            Press::Token(_) => given.press.as_ref().map(|target| &target.card),
        },
        EventKind::EffectSettled { card, .. } => card.as_ref(),
        EventKind::TimerDue { about, .. } => Some(about.card()),
        EventKind::IssueReported(report) => Some(&report.card),
        _ => None,
    }
}

/// The task that the event is about.
fn task_of(lane: &Lane, event: &Event, given: &StepInput) -> Option<TaskId> {
    match &event.kind {
        EventKind::EffectSettled { task, .. } => task.clone(),
        EventKind::EffectProgressed { task, .. } => Some(task.clone()),
        EventKind::TaskReported(report) => Some(report.task.clone()),
        EventKind::ApprovalRequested(act) => Some(act.task()),
        EventKind::MessagePosted(_) => {
            // The replied-to message may have left the window together with its task.
            let unloaded = |id| lane.records.get::<Message>(id).is_none();
            given.anchor.as_ref().filter(|anchor| unloaded(&anchor.id)).and_then(|anchor| anchor.task.clone())
        }
        _ => None,
    }
}

/// Keys of what the waiting questions are about, since a message may answer one.
fn asked_about(lane: &Lane) -> impl Iterator<Item = RecordKey> {
    let waiting = lane.head.pendings.iter().chain(&lane.head.lapsed).filter(|p| p.expected.is_some());
    waiting.flat_map(|pending| {
        let card = pending.kind.card().map(RecordKey::of::<Card>);
        let draft = pending.kind.draft().map(RecordKey::of::<Draft>);
        let proposal = pending.kind.proposal().map(RecordKey::of::<Proposal>);
        card.into_iter().chain(draft).chain(proposal)
    })
}

/// Keys of the message that an effect did not show, and of the card it is about.
fn unshown(event: &Event, known: &dyn RecordLookup) -> Vec<RecordKey> {
    let EventKind::EffectSettled { unshown: Some(unshown), .. } = &event.kind else { return Vec::new() };
    let message = known.get::<Message>(&unshown.message);
    let card = message.and_then(|message| message.card.as_ref()).map(RecordKey::of::<Card>);
    [RecordKey::of::<Message>(&unshown.message)].into_iter().chain(card).collect()
}

/// Keys of the records that something that happens to a card may reach: its own records, its receipt with that one's records, and the
/// cards that ask about what either released.
fn reached(card: &Card, known: &dyn RecordLookup) -> Vec<RecordKey> {
    let receipt = card.receipt();
    let mut keys: Vec<RecordKey> = receipt.map(RecordKey::of::<Card>).into_iter().collect();
    for card in [card].into_iter().chain(receipt.and_then(|id| known.get::<Card>(id))) {
        keys.extend(CAPABILITIES.of(card).reached(card, known));
        keys.extend(card.outcomes().filter_map(|progress| match progress {
            Progress::Uncertain { card } => Some(RecordKey::of::<Card>(card)),
            _ => None,
        }));
    }
    keys
}
