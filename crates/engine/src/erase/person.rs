//! Whose words a text holds: what one person is called, and what they said, as far as it is known.
//!
//! A text holds somebody's words when three words in a row of it are theirs, or all of a line of it is, and nobody else
//! in the lane said the same. Cheap to say and to check, and it does not depend on how a text came about: a title, an excerpt
//! or a bullet made of a message is found as well as a copy of it.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::ERASED;
use crate::id::{LaneId, made};

/// So many words in a row are a quotation.
const RUN: usize = 3;
/// A shorter text is somebody's only from so many characters on: "yes" is everybody's.
const TELLING: usize = 8;

/// One person, as erasing has to know them. Never stored: what they said would be stored with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    id: String,
    names: BTreeSet<String>,
    /// Ids of what they said and began.
    things: BTreeSet<String>,
    /// Where their turns are, and the revisions those wrote: what such a turn made is theirs.
    turns: Option<(LaneId, BTreeSet<u64>)>,
    theirs: Said,
    others: Said,
}

/// What was said, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Said {
    /// Every one to three words in a row.
    runs: BTreeSet<String>,
    /// Texts that are shorter than a quotation.
    short: BTreeSet<String>,
}

impl Said {
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

impl Person {
    /// Somebody of whom only the channel's user id is known.
    #[must_use]
    pub fn new(id: &str) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// The channel's user id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// They are called that.
    pub fn called(&mut self, name: &str) {
        let name = name.trim();
        if !name.is_empty() && name != self.id && name != ERASED {
            self.names.insert(name.into());
        }
    }

    /// They said that.
    pub fn said(&mut self, text: &str) {
        self.theirs.learn(text);
    }

    /// Somebody else said that: it is not theirs alone. Told behind what they said: what they did not say is of no
    /// interest, and there may be a lot of it.
    pub fn heard(&mut self, text: &str) {
        let mut said = Said::default();
        said.learn(text);
        self.others.runs.extend(said.runs.into_iter().filter(|run| self.theirs.runs.contains(run)));
    }

    /// Takes over what else is known of the same person in the same lane.
    pub fn add(&mut self, other: &Self) {
        self.names.extend(other.names.iter().cloned());
        self.things.extend(other.things.iter().cloned());
        for (ours, theirs) in [(&mut self.theirs, &other.theirs), (&mut self.others, &other.others)] {
            ours.runs.extend(theirs.runs.iter().cloned());
            ours.short.extend(theirs.short.iter().cloned());
        }
        if let Some((lane, turns)) = &other.turns {
            turns.iter().for_each(|revision| self.acted(lane, *revision));
        }
    }

    /// What a turn made is theirs: they caused it.
    pub fn acted(&mut self, lane: &LaneId, revision: u64) {
        let (_, turns) = self.turns.get_or_insert_with(|| (lane.clone(), BTreeSet::new()));
        turns.insert(revision);
    }

    /// They made that: a message of theirs, a task they began.
    pub fn made(&mut self, id: &str) {
        self.things.insert(id.into());
    }

    /// Whether an id is of something they made.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let theirs = |(lane, turns): &(LaneId, BTreeSet<u64>)| {
            made(lane, id).is_some_and(|made| turns.contains(&made.revision))
        };
        self.things.contains(id) || self.turns.as_ref().is_some_and(theirs)
    }

    /// Whether a text is their id, or the rule that names it.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        text == self.id || text.strip_prefix("user:") == Some(&self.id)
    }

    /// Whether a text holds their words.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        let theirs = |said: &BTreeSet<String>, run: &[String]| {
            let run = run.join(" ");
            said.contains(&run) && !self.others.runs.contains(&run)
        };
        let words = words(text);
        let quoted = words.windows(RUN).any(|run| theirs(&self.theirs.runs, run));
        let short = || (1..RUN).any(|n| words.windows(n).any(|run| theirs(&self.theirs.short, run)));
        quoted
            || short()
            || text.lines().any(|line| {
                let words = self::words(line);
                words.len() < RUN && telling(&words) && theirs(&self.theirs.runs, &words)
            })
    }

    /// Whether anything of a stored value is theirs: their id, their name, their words, or something they made.
    #[must_use]
    pub fn in_value(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.has(text) || self.without(text).is_some(),
            Value::Array(values) => values.iter().any(|value| self.in_value(value)),
            Value::Object(members) => members.values().any(|value| self.in_value(value)),
            _ => false,
        }
    }

    /// Takes what is theirs out of every text of a value, and leaves the ids of what they made. Says whether there was
    /// anything.
    pub fn scrub(&self, value: &mut Value) -> bool {
        self.scrub_where(value, &|_| true)
    }

    /// The same, but for texts that may be a word of the format itself: `open`, `waiting_approval`.
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

    /// A text without what is theirs; `None` when nothing of it is.
    #[must_use]
    pub fn without(&self, text: &str) -> Option<String> {
        if self.is(text) || self.names.contains(text) || self.holds(text) {
            return Some(ERASED.into());
        }
        let names = self.names.iter().chain([&self.id]);
        names.fold(None, |found, name| unnamed(found.as_deref().unwrap_or(text), name).or(found))
    }
}

/// A text in which `@name` is no more; `None` when it was not there.
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

/// The words of a text, in lower case, without what stands between them.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| word.chars().flat_map(char::to_lowercase).collect()).collect()
}

/// Long enough to be told from what anybody says.
fn telling(words: &[String]) -> bool {
    words.iter().map(|word| word.chars().count()).sum::<usize>() >= TELLING
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use serde_json::json;

    fn ana() -> Person {
        let mut ana = Person::new("u1");
        ana.called("Ana");
        ana.said("Create a ticket: the login page is blank on Safari, says Mrs. Miller");
        ana.said("Kestrelgate");
        ana.said("yes");
        ana.heard("The login page is slow for me as well");
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
        ana.made("m_3_0");
        assert!(ana.in_value(&json!({ "anchor": "m_3_0" })) && !ana.in_value(&json!(["m_3_1"])));
        let mut value = json!(["m_3_0"]);
        assert!(!ana.scrub(&mut value), "ids stay");
        assert_eq!(value, json!(vec!["m_3_0"]));
    }

    #[test]
    fn words_of_the_format_can_be_left() {
        let mut ana = Person::new("u1");
        ana.said("architecture");
        let mut value = json!({ "kind": "architecture", "topic": "Architecture!" });
        assert!(ana.scrub_prose(&mut value));
        assert_eq!(value, json!({ "kind": "architecture", "topic": ERASED }));
    }
}
