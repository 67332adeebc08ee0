//! Everything a person left in a lane: their words, and the turns that hold them.

use std::collections::BTreeSet;

use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::erase::learn;
use throughline_engine::{EffectId, Event, EventKind, Lane, LaneId, Record};
use throughline_store::{StoredText, TextSource};

use crate::turn_log::{Content, Turn};
use crate::{Runtime, RuntimeError, stored};

/// Turns per page.
const PAGE: u32 = 200;

/// Everything a person left in a lane.
#[derive(Clone, Debug)]
pub(crate) struct PersonalTrace {
    pub(super) lane: LaneId,
    /// The person's ids, names and words.
    pub(crate) person: DataSubject,
    /// Revisions of turns whose content holds anything of the person.
    pub(super) turns: BTreeSet<u64>,
    /// Effects that the person's own turns planned: their outcomes are the person's too.
    pub(super) effects: BTreeSet<EffectId>,
    /// The revision of the turn that took the person out of the lane's state.
    pub(super) turned: Option<u64>,
}

impl PersonalTrace {
    /// Adds what was known before the lane was written, and the revision of the turn that wrote it.
    pub(super) fn take_over(&mut self, before: &Self, turned: Option<u64>) {
        self.person.add(&before.person);
        self.turns.extend(&before.turns);
        self.effects.extend(before.effects.iter().cloned());
        self.turned = turned;
    }
}

impl Runtime {
    /// Reads everything stored of a lane for what a person left in it.
    ///
    /// A turn's content is theirs if they caused it, if it takes in the outcome of an effect of such a turn, or if
    /// anything in it is theirs: their id, their name, their words, or an id that their turns made. Where another
    /// person's turn holds their words, a reply for one, only the log's copy goes: the message itself is a record of
    /// the lane.
    pub(crate) async fn trace_of(&self, lane: &Lane, id: &str) -> Result<PersonalTrace, RuntimeError> {
        let lane_id = lane.key.id();
        let mut person = DataSubject::new(id);
        person.add_name(&self.ports.directory.actor(&lane.key, id).await.name);
        let mut heard = Vec::new();
        let mut caused = BTreeSet::new();
        let mut effects = BTreeSet::new();
        self.each_turn(lane, |turn| {
            let Some(content) = &turn.content else { return };
            named(&mut person, content);
            let theirs = person.is(&content.event.actor) || settles(&content.event, &effects);
            if theirs {
                said(&mut person, &content.event);
                person.add_turn(&lane_id, turn.row.revision);
                caused.insert(turn.row.revision);
                effects.extend(turn.row.effects.iter().map(|(_, id)| EffectId::from(id.as_str())));
            } else if let EventKind::MessagePosted(posted) = &content.event.kind {
                heard.push(posted.text.clone());
            }
        })
        .await?;
        let mut records = Vec::new();
        let mut unread = None;
        let mut keep = |kept: &StoredText<'_>| {
            if kept.source == TextSource::Record {
                match stored::record(kept.text) {
                    Ok(record) => records.push(record),
                    Err(error) => unread = Some(error),
                }
            }
        };
        self.store.visit(&lane.key, &mut keep).await?;
        if let Some(error) = unread {
            return Err(error);
        }
        let known: Vec<&Record> = lane.records.iter().chain(&records).collect();
        learn(&mut person, &known);
        heard.iter().for_each(|text| person.add_other_text(text));
        let mut turns = caused;
        self.each_stored(lane, |revision, content| {
            let mut value: serde_json::Value = serde_json::from_str(content).unwrap_or_default();
            let left = value["left"].take();
            if person.in_value(&value) || holds(&person, &left) || value["event"]["kind"] == "erasure" {
                turns.insert(revision);
            }
        })
        .await?;
        Ok(PersonalTrace { lane: lane_id, person, turns, effects, turned: None })
    }

    async fn each_turn(&self, lane: &Lane, mut seen: impl FnMut(&Turn) + Send) -> Result<(), RuntimeError> {
        let mut after = 0;
        loop {
            let page = self.store.turns(&lane.key, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.revision;
            for stored in &page {
                seen(&stored::turn(stored)?);
            }
        }
    }

    async fn each_stored(
        &self,
        lane: &Lane,
        mut seen: impl FnMut(u64, &str) + Send,
    ) -> Result<(), RuntimeError> {
        let mut look = |kept: &StoredText<'_>| {
            if let TextSource::Content { revision } = kept.source {
                seen(revision, kept.text);
            }
        };
        Ok(self.store.visit(&lane.key, &mut look).await?)
    }
}

/// Returns true if what a turn left open is the person's: the question is put to them, or offers words of theirs. The ids
/// in it say as little as those of a row, and something of everybody may be open after anybody's turn.
fn holds(person: &DataSubject, left: &serde_json::Value) -> bool {
    ["asked_of", "expected"].iter().any(|member| person.in_value(&left["pending"][member]))
        || left["lists"].as_object().is_some_and(|lists| lists.keys().any(|user| person.is(user)))
}

/// Adds the name the person had when they acted.
fn named(person: &mut DataSubject, content: &Content) {
    if let Some(actor) = content.given.actor.as_ref().filter(|actor| person.is(&actor.id)) {
        person.add_name(&actor.name);
    }
}

fn settles(event: &Event, effects: &BTreeSet<EffectId>) -> bool {
    matches!(&event.kind, EventKind::EffectSettled { effect, .. } if effects.contains(effect))
}

/// Adds the words of an event that the person caused.
fn said(person: &mut DataSubject, event: &Event) {
    match &event.kind {
        EventKind::MessagePosted(posted) => {
            person.add_own_text(&posted.text);
            posted
                .files
                .iter()
                .filter_map(|file| file.name.as_ref())
                .for_each(|name| person.add_own_text(name));
        }
        EventKind::MessageEdited { text, .. } | EventKind::Command { text } => person.add_own_text(text),
        EventKind::FactStated(fact) => person.add_own_text(&fact.text),
        EventKind::FormSubmitted { values, .. } => {
            values.values().for_each(|value| person.add_own_text(value))
        }
        _ => {}
    }
}
