//! One person as erasure knows them: their names, what they said, and the test whether a text holds their
//! words.
//!
//! A text holds a person's words if three words in a row are theirs, or all of a short line or quotation is, and nobody
//! else in the lane said the same. The test is cheap and does not depend on the origin of the text: a title,
//! an excerpt or a bullet made from a message is found as well as a copy. Rules:
//! `docs/design/0028-erasure.md`.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::data::erasure::ERASED;
use crate::data::id::{LaneId, id_origin};
use crate::data::time::Timestamp;

/// Number of words in a row that make a quotation.
const RUN: usize = 3;
/// Characters from which a shorter text counts as a person's own: "yes" is everybody's.
const TELLING: usize = 8;

/// One person, as erasure has to know them. Never stored, because it contains what they said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSubject {
    id: String,
    names: BTreeSet<String>,
    /// Ids of what they said or began.
    things: BTreeSet<String>,
    /// Their lane and the revisions of the turns they caused; whatever such a turn made is theirs.
    turns: Option<(LaneId, BTreeSet<u64>)>,
    theirs: SpokenWords,
    others: SpokenWords,
}

/// Texts taken apart into words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SpokenWords {
    /// Every run of one to three words.
    runs: BTreeSet<String>,
    /// Texts shorter than a quotation.
    short: BTreeSet<String>,
}

impl SpokenWords {
    fn learn(&mut self, text: &str) {
        let words = words(text);
        if words.len() < RUN && telling(&words) {
            self.short.insert(words.join(" "));
        }
        for n in 1..=RUN.min(words.len()) {
            self.runs.extend(words.windows(n).map(|run| run.join(" ")));
        }
    }
}

/// A value that may hold what is a person's. Each capability says it of its own records, beside its rules.
pub trait Personal: Clone + Serialize + DeserializeOwned {
    /// Returns true if the person asked for it, or it was made from something they said.
    fn is_of(&self, person: &DataSubject) -> bool {
        let _ = person;
        false
    }

    /// Returns what erasing the person leaves: `None` if nothing, the value unchanged if nothing is theirs.
    fn without(self, person: &DataSubject, now: Timestamp) -> Option<Self> {
        let _ = now;
        person.rewritten(&self)
    }
}

impl DataSubject {
    /// Returns a stored value without what is theirs. `None` if the rest cannot be read back, because a word of
    /// the storage format itself equals one of theirs.
    pub(crate) fn rewritten<T: Serialize + DeserializeOwned + Clone>(&self, value: &T) -> Option<T> {
        let stored = serde_json::to_value(value).ok()?;
        let mut all = stored.clone();
        if !self.scrub(&mut all) {
            return Some(value.clone());
        }
        let prose = || {
            let mut prose = stored;
            self.scrub_prose(&mut prose);
            serde_json::from_value(prose).ok()
        };
        serde_json::from_value(all).ok().or_else(prose)
    }

    /// Creates a person of whom only the channel's user id is known.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Returns the channel's user id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Adds a name they go by.
    pub fn add_name(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && name != self.id && name != ERASED {
            self.names.insert(name.into());
        }
    }

    /// Adds a text they said.
    pub fn add_own_text(&mut self, text: &str) {
        self.theirs.learn(text);
    }

    /// Adds a text that somebody else said; its words are no longer theirs alone. To be called after
    /// [`Self::add_own_text`]: only runs that this person said too are kept, because the others may be many.
    pub fn add_other_text(&mut self, text: &str) {
        let mut said = SpokenWords::default();
        said.learn(text);
        self.others.runs.extend(said.runs.into_iter().filter(|run| self.theirs.runs.contains(run)));
    }

    /// Adds what `other` knows of the same person in the same lane.
    pub fn add(&mut self, other: &Self) {
        self.names.extend(other.names.iter().cloned());
        self.things.extend(other.things.iter().cloned());
        for (ours, theirs) in [(&mut self.theirs, &other.theirs), (&mut self.others, &other.others)] {
            ours.runs.extend(theirs.runs.iter().cloned());
            ours.short.extend(theirs.short.iter().cloned());
        }
        if let Some((lane, turns)) = &other.turns {
            turns.iter().for_each(|revision| self.add_turn(lane, *revision));
        }
    }

    /// Adds a turn they caused; whatever it made is theirs.
    pub fn add_turn(&mut self, lane: &LaneId, revision: u64) {
        let (_, turns) = self.turns.get_or_insert_with(|| (lane.clone(), BTreeSet::new()));
        turns.insert(revision);
    }

    /// Adds the id of something they made: a message, a task.
    pub fn add_id(&mut self, id: &str) {
        self.things.insert(id.into());
    }

    /// Returns true if `id` names something they made.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let theirs = |(lane, turns): &(LaneId, BTreeSet<u64>)| {
            id_origin(lane, id).is_some_and(|made| turns.contains(&made.revision))
        };
        self.things.contains(id) || self.turns.as_ref().is_some_and(theirs)
    }

    /// Returns true if a text is their id, or their `user:` principal.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        text == self.id || text.strip_prefix("user:") == Some(&self.id)
    }

    /// Returns true if a text holds their words.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let theirs = |said: &BTreeSet<String>, run: &[String]| {
            let run = run.join(" ");
            said.contains(&run) && !self.others.runs.contains(&run)
        };
        let words = words(text);
        let quoted = words.windows(RUN).any(|run| theirs(&self.theirs.runs, run));
        let short = || (1..RUN).any(|n| words.windows(n).any(|run| theirs(&self.theirs.short, run)));
        // A sentence of ours may name a title in quotes: the title alone is as good as a line of its own.
        let named = text.split(['"', '“', '”']);
        quoted
            || short()
            || text.lines().chain(named).any(|part| {
                let words = self::words(part);
                words.len() < RUN && telling(&words) && theirs(&self.theirs.runs, &words)
            })
    }

    /// Returns true if anything in a stored value is theirs: their id, name or words, or the id of something
    /// they made.
    #[must_use]
    pub fn in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.has(text) || self.without(text).is_some(),
            Value::Array(values) => values.iter().any(|value| self.in_value(value)),
            Value::Object(members) => members.values().any(|value| self.in_value(value)),
            _ => false,
        }
    }

    /// Replaces what is theirs in every text of a value, but keeps the ids of what they made. Returns true if
    /// anything was replaced.
    pub fn scrub(&self, value: &mut Value) -> bool {
        self.scrub_where(value, &|_| true)
    }

    /// Works like [`Self::scrub`], but skips texts that may be words of the format itself: `open`,
    /// `waiting_approval`.
    pub(crate) fn scrub_prose(&self, value: &mut Value) -> bool {
        self.scrub_where(value, &|text| {
            text.contains(|c: char| !(c.is_ascii_lowercase() || c == '_' || c == '.'))
        })
    }

    fn scrub_where(&self, value: &mut Value, which: &dyn Fn(&str) -> bool) -> bool {
        match value {
            Value::String(text) if which(text) => {
                let without = self.without(text);
                let found = without.is_some();
                if let Some(without) = without {
                    *text = without;
                }
                found
            }
            // Every member is visited: `any` would stop at the first.
            Value::Array(values) => {
                values.iter_mut().fold(false, |found, value| self.scrub_where(value, which) | found)
            }
            Value::Object(members) => {
                members.values_mut().fold(false, |found, value| self.scrub_where(value, which) | found)
            }
            _ => false,
        }
    }

    /// Returns a text without what is theirs; `None` if nothing in it is.
    #[must_use]
    pub fn without(&self, text: &str) -> Option<String> {
        if self.is(text) || self.names.contains(text) || self.holds(text) {
            return Some(ERASED.into());
        }
        let names = self.names.iter().chain([&self.id]);
        names.fold(None, |found: Option<String>, name| {
            unnamed(found.as_deref().unwrap_or(text), name).or(found)
        })
    }
}

/// Replaces `@name` as a whole word; returns `None` if the text does not contain it.
fn unnamed(text: &str, name: &str) -> Option<String> {
    let mention = format!("@{name}");
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&mention) {
        let (before, after) = (&rest[..at], &rest[at + mention.len()..]);
        let whole = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        out.push_str(before);
        out.push_str(if whole { ERASED } else { &mention });
        rest = after;
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// Returns the words of a text in lower case, without punctuation.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect()
}

/// True if the words are long enough to be one person's own.
fn telling(words: &[String]) -> bool {
    words.iter().map(|word| word.chars().count()).sum::<usize>() >= TELLING
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use serde_json::json;

    fn ana() -> DataSubject {
        let mut ana = DataSubject::new("u1");
        ana.add_name("Ana");
        ana.add_own_text("Create a ticket: the login page is blank on Safari, says Mrs. Miller");
        ana.add_own_text("Kestrelgate");
        ana.add_own_text("yes");
        ana.add_other_text("The login page is slow for me as well");
        ana
    }

    #[test]
    fn a_quotation_is_found_and_what_others_said_too_is_not() {
        let ana = ana();
        for held in [
            "Ticket: page is blank on Safari",
            "says Mrs. Miller",
            "THE LOGIN PAGE IS BLANK",
            "kestrelgate",
            "about kestrelgate, then",
            "Mrs. Miller",
            "Draft (\"Mrs. Miller\") needs detail before it can be approved",
            "Draft “Mrs. Miller” needs detail",
        ] {
            assert!(ana.holds(held), "{held}");
        }
        for free in
            ["the login page is", "login page", "yes", "no", "A ticket", "Create the export", "", "Safari"]
        {
            assert!(!ana.holds(free), "{free}");
        }
    }

    #[test]
    fn a_value_loses_what_is_theirs_and_nothing_else() {
        let mut value = json!({
            "by": "u1", "rules": ["user:u1", "user:u10"], "name": "Ana", "told": "Approved by @Ana, not @Anais",
            "excerpt": "the login page is blank…", "id": "m_1_0", "n": 3, "free": "Bob said so",
        });
        assert!(ana().in_value(&value));
        assert!(ana().scrub(&mut value));
        assert_eq!(
            value,
            json!({
                "by": ERASED, "rules": [ERASED, "user:u10"], "name": ERASED,
                "told": "Approved by [erased], not @Anais", "excerpt": ERASED, "id": "m_1_0", "n": 3,
                "free": "Bob said so",
            })
        );
        assert!(!ana().scrub(&mut value) && !ana().in_value(&value), "twice is once");
    }

    #[test]
    fn what_they_made_is_known_by_its_id() {
        let mut ana = ana();
        ana.add_id("m_3_0");
        assert!(ana.in_value(&json!({ "anchor": "m_3_0" })) && !ana.in_value(&json!(["m_3_1"])));
        let mut value = json!(["m_3_0"]);
        assert!(!ana.scrub(&mut value), "ids stay");
        assert_eq!(value, json!(vec!["m_3_0"]));
    }

    #[test]
    fn words_of_the_format_can_be_left() {
        let mut ana = DataSubject::new("u1");
        ana.add_own_text("architecture");
        let mut value = json!({ "kind": "architecture", "topic": "Architecture!" });
        assert!(ana.scrub_prose(&mut value));
        assert_eq!(value, json!({ "kind": "architecture", "topic": ERASED }));
    }
}
