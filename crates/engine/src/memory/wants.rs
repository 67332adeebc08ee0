//! Which sets of facts an event may need: the runtime looks them up and hands them over in [`Given::facts`].

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::fact::{FactKey, FactScope, draft_scope};
use super::flow::landed;
use super::rules;
use crate::ask::Purpose;
use crate::effect::{EffectResult, Outcome};
use crate::event::{Event, EventKind};
use crate::given::Given;
use crate::lane::{Lane, Record, RecordKind};
use crate::needs::Both;
use crate::pending::Slot;
use crate::policy::Policy;
use crate::recognize::Words;
use crate::tickets::{Draft, ItemType};

/// The sets an event may need, in order and each once. Most events need none: only where a prompt may be made, or where
/// the text or the outcome writes facts beyond the lane, is anything looked up.
#[must_use]
pub fn wants(lane: &Lane, event: &Event, given: &Given, policy: &Policy) -> Vec<FactKey> {
    let mut keys = BTreeSet::new();
    let near = Near { lane, given };
    let prompts = [Purpose::Answer, Purpose::Draft, Purpose::Review];
    let prompted = prompts.into_iter().any(|purpose| given.model.has(purpose)) || !policy.agents.is_empty();
    if prompted && may_prompt(event) {
        keys.extend(near.all());
    }
    match &event.kind {
        EventKind::MessagePosted(posted) => {
            let pending =
                lane.head.pendings.iter().chain(&lane.head.lapsed).filter_map(|pending| pending.kind.slot());
            keys.extend(pending.filter_map(|slot| match slot {
                Slot::Facts { key, .. } => Some(key.clone()),
                _ => None,
            }));
            for stated in rules::stated(&Words::of(&posted.text)) {
                match stated.scope {
                    Some(FactScope::Channel) => drop(keys.insert(FactKey::channel(&lane.key))),
                    Some(FactScope::Epic) => keys.extend(near.epics()),
                    Some(FactScope::Thread) | None => {}
                }
            }
        }
        EventKind::MessageEdited { metadata_only: false, .. } | EventKind::MessageDeleted { .. } => {
            keys.extend(near.all());
        }
        EventKind::FactStated(fact) => match (fact.scope, &fact.epic) {
            (FactScope::Channel, _) => drop(keys.insert(FactKey::channel(&lane.key))),
            (FactScope::Epic, Some(epic)) => keys.extend([near.key(&landed(&Both { lane, given }, epic))]),
            (FactScope::Epic, None) => keys.extend(near.epics()),
            (FactScope::Thread, _) => {}
        },
        EventKind::FactTakenBack { key, .. } => drop(keys.insert(key.clone())),
        // The drafts of a preview that is over go, and what is known of them.
        EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. } | EventKind::TimerDue { .. } => {
            keys.extend(near.drafts());
            // A person may see that a post is out which nobody knew of.
            if near.decides() {
                keys.insert(FactKey::channel(&lane.key));
            }
        }
        EventKind::EffectSettled { outcome: Outcome::Done { result }, .. } => match result {
            EffectResult::Posted { .. } => drop(keys.insert(FactKey::channel(&lane.key))),
            EffectResult::Issue { key, .. } | EffectResult::Found { key, .. } => {
                keys.extend(near.created(&[key]))
            }
            EffectResult::Sought { issues } => {
                let found: Vec<_> = issues.iter().map(|(key, _)| key).collect();
                keys.extend(near.created(&found));
            }
            _ => {}
        },
        _ => {}
    }
    keys.remove(&FactKey::thread(&lane.key));
    keys.into_iter().collect()
}

/// The sets in reach of a lane as it stands: what a prompt may show of them, were it made now.
#[must_use]
pub fn in_reach(lane: &Lane) -> Vec<FactKey> {
    let mut keys = BTreeSet::from_iter(Near { lane, given: &Given::default() }.all());
    keys.remove(&FactKey::thread(&lane.key));
    keys.into_iter().collect()
}

/// Whether a prompt may be made of it.
fn may_prompt(event: &Event) -> bool {
    match &event.kind {
        EventKind::MessagePosted(_)
        | EventKind::CardPressed { .. }
        | EventKind::FormSubmitted { .. }
        | EventKind::Command { .. } => true,
        EventKind::EffectSettled { outcome, .. } => match outcome {
            Outcome::Done { result } => {
                matches!(result, EffectResult::Answered(_) | EffectResult::Snapshot { .. })
            }
            Outcome::Failed { .. } | Outcome::Uncertain { .. } => true,
        },
        _ => false,
    }
}

/// What is in reach of a lane.
struct Near<'a> {
    lane: &'a Lane,
    given: &'a Given,
}

impl Near<'_> {
    fn key(&self, id: &str) -> FactKey {
        FactKey::epic(&self.lane.key.tenant, id)
    }

    /// The drafts of epics that are at hand.
    fn epic_drafts(&self) -> impl Iterator<Item = &Draft> {
        let records = self.lane.records.of(RecordKind::Draft).chain(&self.given.revived);
        records.filter_map(|record| match record {
            Record::Draft(draft) if draft.item_type == ItemType::Epic => Some(draft),
            _ => None,
        })
    }

    fn drafts(&self) -> Vec<FactKey> {
        self.epic_drafts().map(|draft| self.key(&draft_scope(&draft.id))).collect()
    }

    /// Its drafts, and the issues that may come of them.
    fn created(&self, issues: &[&alloc::string::String]) -> Vec<FactKey> {
        let mut keys = self.drafts();
        if !keys.is_empty() {
            keys.extend(issues.iter().map(|key| self.key(key)));
        }
        keys
    }

    fn decides(&self) -> bool {
        let mut records = self.lane.records.of(RecordKind::Proposal).chain(&self.given.revived);
        records.any(|record| matches!(record, Record::Proposal(_)))
    }

    fn epics(&self) -> Vec<FactKey> {
        let tracked = self.lane.head.tracked.iter().filter(|issue| issue.sought.is_none());
        let created = self.epic_drafts().filter_map(|draft| Some(self.key(&draft.created.as_ref()?.key)));
        tracked.map(|issue| self.key(&issue.key)).chain(created).chain(self.drafts()).collect()
    }

    fn all(&self) -> Vec<FactKey> {
        let mut keys = self.epics();
        keys.push(FactKey::channel(&self.lane.key));
        keys
    }
}
