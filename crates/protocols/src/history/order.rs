//! The order of turns that the answers of a record name.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Act, Answer, Entry, Turn};

/// The events of a record that have turns, in the order of their revisions.
pub(crate) struct Order {
    /// Position of each event.
    pub(crate) position: HashMap<String, usize>,
    /// The events, by position.
    pub(crate) events: Vec<String>,
}

impl Order {
    /// Collects the turns that any answer names.
    pub(crate) fn of(entries: &[Entry]) -> Result<Self, String> {
        let sent: Vec<Option<&str>> = acts(entries);
        let mut turns = Turns { by_event: HashMap::new(), by_revision: BTreeMap::new() };
        for entry in entries {
            let Entry::Returned(call, answer) = entry else { continue };
            match (answer, sent[*call]) {
                (Answer::Turn(turn) | Answer::Duplicate(turn), Some(event)) => turns.add(event, turn)?,
                (Answer::Turns(list), None) => {
                    for (event, turn) in list {
                        turns.add(event, turn)?;
                    }
                    is_list(list)?;
                }
                _ => return Err(format!("call {call} has an answer of another kind of call")),
            }
        }
        let delivered: HashSet<&str> = sent.into_iter().flatten().collect();
        if let Some(event) = turns.by_event.keys().find(|event| !delivered.contains(event.as_str())) {
            return Err(format!("{event} has a turn, and nobody delivered it"));
        }
        let events: Vec<String> = turns.by_revision.into_values().map(|(event, _)| event).collect();
        let position = events.iter().cloned().zip(0..).collect();
        Ok(Self { position, events })
    }
}

/// Returns the event that each call delivers; `None` for one that reads.
fn acts(entries: &[Entry]) -> Vec<Option<&str>> {
    let act = |entry| match entry {
        &Entry::Invoked(_, Act::Deliver(ref event)) => Some(Some(event.as_str())),
        Entry::Invoked(_, Act::Read) => Some(None),
        Entry::Returned(..) => None,
    };
    entries.iter().filter_map(act).collect()
}

struct Turns {
    by_event: HashMap<String, Turn>,
    by_revision: BTreeMap<u64, (String, String)>,
}

impl Turns {
    fn add(&mut self, event: &str, turn: &Turn) -> Result<(), String> {
        let known = self.by_event.entry(event.to_owned()).or_insert_with(|| turn.clone());
        if known != turn {
            return Err(format!("{event} has two turns: {known:?} and {turn:?}"));
        }
        let new = (event.to_owned(), turn.id.clone());
        let holder = self.by_revision.entry(turn.revision).or_insert_with(|| new.clone());
        if *holder != new {
            return Err(format!("revision {} is the turn of {} and of {event}", turn.revision, holder.0));
        }
        Ok(())
    }
}

/// A list has each turn once, and revisions rise.
fn is_list(list: &[(String, Turn)]) -> Result<(), String> {
    for pair in list.windows(2) {
        let [(before, first), (after, second)] = pair else { continue };
        if first.revision >= second.revision {
            return Err(format!("a list has {after} ({second:?}) behind {before} ({first:?})"));
        }
    }
    Ok(())
}
