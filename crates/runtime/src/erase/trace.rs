//! What somebody left in a lane: what they said, and which turns hold it.

use std::collections::BTreeSet;

use throughline_engine::erase::{Person, learn};
use throughline_engine::{EffectId, Event, EventKind, Lane, LaneId, Record};
use throughline_store::{Holds, Kept};

use crate::given::{decode, unreadable};
use crate::record::{Content, Turn};
use crate::{Runtime, Stop};

/// Turns read at once.
const PAGE: u32 = 200;

/// What somebody left in a lane.
#[derive(Clone, Debug, Default)]
pub(crate) struct TraceOf {
    /// The lane.
    pub(super) lane: LaneId_,
    /// Who, with what they said.
    pub(crate) person: Person,
    /// The revisions of the turns whose content holds anything of theirs.
    pub(super) turns: BTreeSet<u64>,
    /// What those turns of theirs planned: what comes of it is theirs too.
    pub(super) effects: BTreeSet<EffectId>,
    /// The turn that took it out of the lane's state.
    pub(super) turned: Option<u64>,
}

/// A lane's id; empty before it is known.
pub(super) type LaneId_ = Option<LaneId>;

impl Runtime {
    /// Reads all that is kept of a lane for what somebody left in it.
    ///
    /// A turn's content is theirs when they caused it, when it takes in the outcome of an effect of such a turn, and when
    /// anything in it is theirs: their id, their name, their words, or an id of something their turns made. Of somebody
    /// else's turn that holds theirs, a reply for one, only the log's copy goes: the message itself is a record of the lane.
    pub(crate) async fn trace_of(&self, lane: &Lane, id: &str) -> Result<TraceOf, Stop> {
        let lane_id = lane.key.id();
        let mut person = Person::new(id);
        person.called(&self.ports.directory.actor(&lane.key, id).await.name);
        let mut heard = Vec::new();
        let mut caused = BTreeSet::new();
        let mut effects = BTreeSet::new();
        self.each_turn(lane, |turn| {
            let Some(content) = &turn.content else { return };
            named(&mut person, content);
            let theirs = person.is(&content.event.actor) || settles(&content.event, &effects);
            if theirs {
                said(&mut person, &content.event);
                person.acted(&lane_id, turn.row.revision);
                caused.insert(turn.row.revision);
                effects.extend(turn.row.effects.iter().map(|(_, id)| EffectId::from(id.as_str())));
            } else if let EventKind::MessagePosted(posted) = &content.event.kind {
                heard.push(posted.text.clone());
            }
        })
        .await?;
        let mut records = Vec::new();
        let mut unread = None;
        let mut keep = |kept: &Kept<'_>| {
            if kept.what == Holds::Record {
                match decode(kept.text) {
                    Ok(record) => records.push(record),
                    Err(error) => unread = Some(error),
                }
            }
        };
        self.store.look(&lane.key, &mut keep).await?;
        if let Some(error) = unread {
            return Err(error);
        }
        let known: Vec<&Record> = lane.records.iter().chain(&records).collect();
        learn(&mut person, &known);
        heard.iter().for_each(|text| person.heard(text));
        let mut turns = caused;
        self.each_stored(lane, |revision, content| {
            let value = serde_json::from_str(content).unwrap_or_default();
            if person.in_value(&value) || value["event"]["kind"] == "erasure" {
                turns.insert(revision);
            }
        })
        .await?;
        Ok(TraceOf { lane: Some(lane_id), person, turns, effects, turned: None })
    }

    async fn each_turn(&self, lane: &Lane, mut seen: impl FnMut(&Turn) + Send) -> Result<(), Stop> {
        let mut after = 0;
        loop {
            let page = self.store.turns(&lane.key, after, PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.revision;
            for stored in &page {
                seen(&Turn::read(stored).map_err(|error| unreadable("a turn row", &error.to_string()))?);
            }
        }
    }

    async fn each_stored(&self, lane: &Lane, mut seen: impl FnMut(u64, &str) + Send) -> Result<(), Stop> {
        let mut look = |kept: &Kept<'_>| {
            if let Holds::Content { revision } = kept.what {
                seen(revision, kept.text);
            }
        };
        Ok(self.store.look(&lane.key, &mut look).await?)
    }
}

/// What they were called when they acted.
fn named(person: &mut Person, content: &Content) {
    if let Some(actor) = content.given.actor.as_ref().filter(|actor| person.is(&actor.id)) {
        person.called(&actor.name);
    }
}

fn settles(event: &Event, effects: &BTreeSet<EffectId>) -> bool {
    matches!(&event.kind, EventKind::EffectSettled { effect, .. } if effects.contains(effect))
}

/// What an event of theirs says.
fn said(person: &mut Person, event: &Event) {
    match &event.kind {
        EventKind::MessagePosted(posted) => {
            person.said(&posted.text);
            posted.files.iter().filter_map(|file| file.name.as_ref()).for_each(|name| person.said(name));
        }
        EventKind::MessageEdited { text, .. } | EventKind::Command { text } => person.said(text),
        EventKind::FactStated(fact) => person.said(&fact.text),
        EventKind::FormSubmitted { values, .. } => values.values().for_each(|value| person.said(value)),
        _ => {}
    }
}
