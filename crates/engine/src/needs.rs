//! Which records an event needs beyond those a lane keeps loaded.

use alloc::vec::Vec;

use crate::event::{Event, EventKind, Press};
use crate::given::Given;
use crate::id::CardId;
use crate::lane::{Lane, Record, RecordKey, RecordKind};
use crate::workflow::{About, TimerAbout};

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
    let Some(card) = card else { return Vec::new() };
    let key = |kind, key: &str| RecordKey { kind, key: key.into() };
    let have = |key: &RecordKey| {
        lane.records.get(key).or_else(|| given.revived.iter().find(|record| record.key() == *key))
    };
    let mut wanted = alloc::vec![key(RecordKind::Card, &card.0)];
    if let Some(Record::Card(card)) = have(&wanted[0]) {
        match &card.about {
            About::DraftPreview { draft, .. } => wanted.push(key(RecordKind::Draft, &draft.0)),
            About::UncertainEffect { draft, parent, .. } => {
                wanted.push(key(RecordKind::Draft, &draft.0));
                wanted.push(key(RecordKind::Card, &parent.0));
            }
            About::ScopeGate { .. } | About::Remembered => {}
        }
    }
    let tasks: Vec<RecordKey> = wanted
        .iter()
        .filter_map(|key| match have(key) {
            Some(Record::Draft(draft)) => Some(draft.task.0.clone()),
            _ => None,
        })
        .map(|task| key(RecordKind::Task, &task))
        .collect();
    wanted.extend(tasks);
    wanted.retain(|key| have(key).is_none());
    wanted
}
