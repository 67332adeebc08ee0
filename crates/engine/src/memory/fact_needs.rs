//! The sets of facts that an event may need. The runtime looks them up and hands them over in
//! [`StepInput::facts`].

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::event::{Event, EventKind};
use crate::data::fact::{FactKey, FactScope, draft_scope};
use crate::data::lane::Lane;
use crate::data::pending::Slot;
use crate::data::policy::Policy;
use crate::data::proposal::Proposal;
use crate::data::purpose::Purpose;
use crate::data::record::Stored;
use crate::data::record_lookup::StepRecords;
use crate::data::step_input::StepInput;
use crate::data::ticket::{Draft, ItemType};
use crate::facts::rules;
use crate::memory::fact_intake::epic_scope_id;
use throughline_language::Words;

/// The keys of the fact sets an event may need, ordered, each once. Most events need none: only those that
/// may lead to a prompt, and those whose text or outcome may write facts beyond the lane.
#[must_use]
pub fn fact_needs(lane: &Lane, event: &Event, given: &StepInput, policy: &Policy) -> Vec<FactKey> {
    let mut keys = BTreeSet::new();
    let near = FactReach { lane, given };
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
            for stated in rules::stated(&Words::of(&policy.in_known_words(&posted.text))) {
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
            (FactScope::Epic, Some(epic)) => {
                keys.extend([near.key(&epic_scope_id(&StepRecords { lane, given }, epic))])
            }
            (FactScope::Epic, None) => keys.extend(near.epics()),
            (FactScope::Thread, _) => {}
        },
        EventKind::FactTakenBack { key, .. } => drop(keys.insert(key.clone())),
        // Closing a preview drops its drafts, and their facts with them.
        EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. } | EventKind::TimerDue { .. } => {
            keys.extend(near.drafts());
            // A person may confirm a post whose outcome was uncertain; the decision then becomes a fact of
            // the channel.
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

/// The keys of the fact sets that a prompt of this lane would show if it were made now.
#[must_use]
pub fn in_reach(lane: &Lane) -> Vec<FactKey> {
    let mut keys = BTreeSet::from_iter(FactReach { lane, given: &StepInput::default() }.all());
    keys.remove(&FactKey::thread(&lane.key));
    keys.into_iter().collect()
}

/// True if the step of this event may build a prompt.
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

/// A view of the epics and the channel in reach of a lane.
struct FactReach<'a> {
    lane: &'a Lane,
    given: &'a StepInput,
}

impl FactReach<'_> {
    fn key(&self, id: &str) -> FactKey {
        FactKey::epic(&self.lane.key.tenant, id)
    }

    /// The loaded drafts of epics.
    fn epic_drafts(&self) -> impl Iterator<Item = &Draft> {
        let read = self.given.revived.iter().filter_map(Draft::of);
        self.lane.records.all::<Draft>().chain(read).filter(|draft| draft.item_type == ItemType::Epic)
    }

    fn drafts(&self) -> Vec<FactKey> {
        self.epic_drafts().map(|draft| self.key(&draft_scope(&draft.id))).collect()
    }

    /// The drafts of epics, and the issues that may have been created from them.
    fn created(&self, issues: &[&alloc::string::String]) -> Vec<FactKey> {
        let mut keys = self.drafts();
        if !keys.is_empty() {
            keys.extend(issues.iter().map(|key| self.key(key)));
        }
        keys
    }

    fn decides(&self) -> bool {
        let read = self.given.revived.iter().filter_map(Proposal::of);
        self.lane.records.all::<Proposal>().chain(read).next().is_some()
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
