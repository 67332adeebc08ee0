//! Which records an event needs beyond those a lane keeps loaded.

use alloc::vec::Vec;

use crate::event::{Event, EventKind, Press};
use crate::given::Given;
use crate::id::{CardId, TaskId};
use crate::lane::{Lane, Record, RecordKey, RecordKind};
use crate::workflow::{CardStatus, Progress, TimerAbout};

/// Which records an event needs that the lane has not loaded: the runtime reads them and hands them over in
/// [`Given::revived`], and asks again until nothing is missing.
#[must_use]
pub fn needs(lane: &Lane, event: &Event, given: &Given) -> Vec<RecordKey> {
    let card: Option<&CardId> = match &event.kind {
        EventKind::CardPressed { press, .. } | EventKind::FormSubmitted { press, .. } => match press {
            Press::Decision { card, .. } => Some(card),
            Press::Token(_) => given.press.as_ref().map(|target| &target.card),
        },
        EventKind::EffectSettled { card, .. } => card.as_ref(),
        EventKind::TimerDue {
            about: TimerAbout::Expiry { card, .. } | TimerAbout::Reminder { card, .. },
            ..
        } => Some(card),
        _ => None,
    };
    let key = |kind, key: &str| RecordKey { kind, key: key.into() };
    let have = |key: &RecordKey| {
        lane.records.get(key).or_else(|| given.revived.iter().find(|record| record.key() == *key))
    };
    let task: Option<&TaskId> = match &event.kind {
        EventKind::EffectSettled { task, .. } => task.as_ref(),
        EventKind::TaskReported(report) => Some(&report.task),
        // What is replied to may have left the window, and its task with it.
        EventKind::MessagePosted(_) => given
            .anchor
            .as_ref()
            .filter(|anchor| lane.records.message(&anchor.id).is_none())
            .and_then(|anchor| anchor.task.as_ref()),
        _ => None,
    };
    let mut wanted: Vec<RecordKey> = card.iter().map(|card| key(RecordKind::Card, &card.0)).collect();
    if let (EventKind::EffectSettled { .. }, Some(task)) = (&event.kind, task)
        && let Some(Record::Task(task)) = have(&key(RecordKind::Task, &task.0))
    {
        // What released the call becomes its receipt.
        let card = task.work.as_ref().and_then(|work| work.card.as_ref());
        wanted.extend(card.map(|card| key(RecordKind::Card, &card.0)));
    }
    if let EventKind::MessagePosted(_) = &event.kind {
        // What a waiting question is about, should it be answered.
        for pending in lane.head.pendings.iter().chain(&lane.head.lapsed).filter(|p| p.expected.is_some()) {
            wanted.extend(pending.kind.card().map(|card| key(RecordKind::Card, &card.0)));
            wanted.extend(pending.kind.draft().map(|draft| key(RecordKind::Draft, &draft.0)));
        }
    }
    let cards: Vec<RecordKey> = wanted.iter().filter(|key| key.kind == RecordKind::Card).cloned().collect();
    for card in &cards {
        let Some(Record::Card(card)) = have(card) else { continue };
        wanted.extend(card.draft().map(|draft| key(RecordKind::Draft, &draft.0)));
        wanted.extend(card.receipt().map(|receipt| key(RecordKind::Card, &receipt.0)));
        if let CardStatus::Decided { result: Progress::Uncertain { card }, .. } = &card.status {
            wanted.push(key(RecordKind::Card, &card.0));
        }
    }
    let tasks: Vec<RecordKey> = wanted
        .iter()
        .filter_map(|key| match have(key) {
            Some(Record::Draft(draft)) => Some(draft.task.0.clone()),
            Some(Record::Card(card)) => card.task().map(|task| task.0.clone()),
            _ => None,
        })
        .chain(task.map(|task| task.0.clone()))
        .map(|task| key(RecordKind::Task, &task))
        .collect();
    wanted.extend(tasks);
    wanted.retain(|key| have(key).is_none());
    wanted
}
