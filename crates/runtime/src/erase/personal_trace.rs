//! Everything a person left in a lane: their words, and the turns that hold them.

use std::collections::BTreeSet;

use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::texts::{Text, Texts, Visit};
use throughline_engine::erase::{learn, learn_others};
use throughline_engine::{EffectId, Event, EventKind, Lane, LaneId, LaneKey, Record};
use throughline_store::{StoredText, TextSource};

use crate::turn_log::{Content, LeftOpen, Shown, Turn};
use crate::{Runtime, RuntimeError, stored};

/// Turns per page.
const PAGE: u32 = 200;

/// Everything of a person that lies in a lane.
#[derive(Clone, Debug)]
pub(super) struct PersonalTrace {
    pub(super) lane: LaneKey,
    pub(super) id: LaneId,
    /// Revisions of turns whose content holds anything of the person.
    pub(super) turns: BTreeSet<u64>,
    /// Effects that the person's own turns planned: their outcomes are the person's too.
    pub(super) effects: BTreeSet<EffectId>,
    /// The revision of the turn that took the person out of the lane's state.
    pub(super) turned: Option<u64>,
}

impl Runtime {
    /// Returns the person as this lane alone knows them.
    pub(crate) async fn person_in(&self, lane: &Lane, id: &str) -> Result<DataSubject, RuntimeError> {
        let mut person = DataSubject::new(id);
        self.learn_own(lane, &mut person).await?;
        self.learn_others(lane, &mut person).await?;
        person.settle();
        Ok(person)
    }

    /// Learns what a person said in a lane, and what their turns made.
    pub(super) async fn learn_own(&self, lane: &Lane, person: &mut DataSubject) -> Result<(), RuntimeError> {
        let id = lane.key.id();
        person.add_name(&self.ports.directory.actor(&lane.key, person.id()).await.name);
        let mut effects = BTreeSet::new();
        self.each_turn(lane, |turn| {
            let Some(content) = &turn.content else { return };
            named(person, content);
            if caused(person, turn, content, &mut effects) {
                let at = (content.event.received_at, turn.row.revision);
                said(&content.event, &mut |text| person.add_own_text(at, text));
                person.add_turn(&id, turn.row.revision);
            }
        })
        .await?;
        let records = self.retired(lane).await?;
        let known: Vec<&Record> = lane.records.iter().chain(&records).collect();
        learn(person, &known);
        Ok(())
    }

    /// Learns what others said in a lane of what a person said too. What the person said anywhere has to be known.
    pub(super) async fn learn_others(
        &self,
        lane: &Lane,
        person: &mut DataSubject,
    ) -> Result<(), RuntimeError> {
        self.each_turn(lane, |turn| {
            let Some(content) = &turn.content else { return };
            let event = &content.event;
            if !event.actor.is_empty() && !person.is(&event.actor) {
                let at = (event.received_at, turn.row.revision);
                said(event, &mut |text| person.add_other_text(at, text));
            }
        })
        .await?;
        let records = self.retired(lane).await?;
        let known: Vec<&Record> = lane.records.iter().chain(&records).collect();
        learn_others(person, &known);
        Ok(())
    }

    /// Finds the turns of a lane that hold anything of a person.
    ///
    /// A turn's content is theirs if they caused it, if it takes in the outcome of an effect of such a turn, or if
    /// anything in it is theirs: their id, their name, their words, or an id that their turns made. Where another
    /// person's turn holds their words, a reply for one, only the log's copy goes: the message itself is a record of
    /// the lane.
    pub(super) async fn trace_of(
        &self,
        lane: &Lane,
        person: &DataSubject,
    ) -> Result<PersonalTrace, RuntimeError> {
        let (mut turns, mut effects) = (BTreeSet::new(), BTreeSet::new());
        self.each_turn(lane, |turn| {
            let Some(content) = &turn.content else { return };
            if caused(person, turn, content, &mut effects) || holds(person, content) {
                turns.insert(turn.row.revision);
            }
        })
        .await?;
        Ok(PersonalTrace { lane: lane.key.clone(), id: lane.key.id(), turns, effects, turned: None })
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

    /// The records that a lane no longer loads.
    async fn retired(&self, lane: &Lane) -> Result<Vec<Record>, RuntimeError> {
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
        unread.map_or(Ok(records), Err)
    }
}

/// Returns true if the person caused the turn, or it takes in the outcome of an effect of such a turn; its own effects are
/// then added.
fn caused(person: &DataSubject, turn: &Turn, content: &Content, effects: &mut BTreeSet<EffectId>) -> bool {
    let settles = |event: &Event| matches!(&event.kind, EventKind::EffectSettled { effect, .. } if effects.contains(effect));
    let theirs = person.is(&content.event.actor) || settles(&content.event);
    if theirs {
        effects.extend(turn.row.effects.iter().map(|(_, id)| EffectId::from(id.as_str())));
    }
    theirs
}

/// Returns true if anything in a turn's content is the person's. Of what the turn left open only the person asked and the
/// answers offered count: the ids in it say as little as those of a row, and something of everybody may be open after
/// anybody's turn.
fn holds(person: &DataSubject, content: &Content) -> bool {
    let open = |left: &LeftOpen| {
        let asked = |pending: &throughline_engine::data::pending::PendingState| {
            pending.asked_of.as_deref().is_some_and(|asked| person.is(asked))
                || person.is_in(&pending.expected)
        };
        left.pending.as_ref().is_some_and(asked) || left.lists.keys().any(|user| person.is(user))
    };
    let shown: Vec<Shown> = content.shown.values().cloned().collect();
    matches!(content.event.kind, EventKind::Erasure(_))
        || person.is_in(&content.event)
        || person.is_in(&content.given)
        || person.is_in(&content.applied)
        || person.is_in(&shown)
        || content.left.as_ref().is_some_and(open)
}

impl Texts for Shown {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::Message(id) => visit(Text::Id(&id.0)),
            Self::Notice { to, text } => {
                visit(Text::Person(to));
                visit(Text::Words(text));
            }
        }
    }
}

/// Adds the name the person had when they acted, or that of somebody else.
fn named(person: &mut DataSubject, content: &Content) {
    match &content.given.actor {
        Some(actor) if person.is(&actor.id) => person.add_name(&actor.name),
        Some(actor) => {
            person.add_other_name(&actor.id);
            person.add_other_name(&actor.name);
        }
        None => {}
    }
}

/// Shows the words of an event.
fn said(event: &Event, add: &mut dyn FnMut(&str)) {
    event.clone().texts(&mut |text| {
        if let Text::Said(text) = text {
            add(text);
        }
    });
}
