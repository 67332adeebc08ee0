//! One person as erasure knows them: their names, what they said, and the test whether a text holds their
//! words.
//!
//! Who said something first decides whose words it is. A text made by us holds a person's words if three words in a row
//! are theirs, or all of a short line or quotation is. Somebody else's own text loses only what it quotes
//! ([`SpokenWords::quotes`]); what it keeps is theirs as well from then on. The test does not depend on the origin of a
//! text: a title, an excerpt or a bullet made from a message is found as well as a copy. Rules:
//! `docs/design/0028-erasure.md`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;

use crate::data::erasure::ERASED;
use crate::data::id::{LaneId, id_origin};
use crate::data::spoken_words::SpokenWords;
use crate::data::texts::{Text, Texts};
use crate::data::time::Timestamp;

/// One person, as erasure has to know them. Never stored, because it contains what they said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataSubject {
    id: String,
    names: BTreeSet<String>,
    /// Ids and names of other people: one may begin with a name of this person.
    others: BTreeSet<String>,
    /// Ids of what they said or began.
    things: BTreeSet<String>,
    /// The revisions of the turns they caused, by lane; whatever such a turn made is theirs.
    turns: BTreeMap<LaneId, BTreeSet<u64>>,
    words: Arc<SpokenWords>,
    /// True if no text was added since it was decided whose each word is.
    settled: bool,
}

/// A value that may hold what is a person's. Each capability says it of its own records, beside its rules.
pub trait Personal: Clone + PartialEq + Texts {
    /// Returns true if the person asked for it, or it was made from something they said.
    fn is_of(&self, person: &DataSubject) -> bool {
        let _ = person;
        false
    }

    /// Returns what erasing the person leaves: `None` if nothing, the value unchanged if nothing is theirs.
    fn without(self, person: &DataSubject, now: Timestamp) -> Option<Self> {
        let _ = now;
        Some(person.rewritten(self))
    }
}

impl DataSubject {
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

    /// Adds an id or a name of somebody else.
    pub fn add_other_name(&mut self, name: &str) {
        if name != self.id {
            self.others.insert(name.into());
        }
    }

    /// Adds a text they said, with the turn's time and revision.
    pub fn add_own_text(&mut self, at: (Timestamp, u64), text: &str) {
        self.words_mut().add_own(at, text);
    }

    /// Adds a text that somebody else said. To be called after [`Self::add_own_text`]: only texts that share words with
    /// this person's are kept, because the others may be many.
    pub fn add_other_text(&mut self, at: (Timestamp, u64), text: &str) {
        self.words_mut().add_other(at, text);
    }

    /// Adds a text that we said: its words are nobody's, if nobody had said them before.
    pub fn add_our_text(&mut self, at: (Timestamp, u64), text: &str) {
        self.words_mut().add_ours(at, text);
    }

    fn words_mut(&mut self) -> &mut SpokenWords {
        self.settled = false;
        Arc::make_mut(&mut self.words)
    }

    /// Decides whose each word is. To be called after the last text was added.
    pub fn settle(&mut self) {
        if !self.settled {
            Arc::make_mut(&mut self.words).settle();
        }
        self.settled = true;
    }

    /// Adds the names and words of the same person in another lane. The ids of what they made count in their lane alone:
    /// two lanes may use the same.
    pub fn add(&mut self, other: &Self) {
        self.names.extend(other.names.iter().cloned());
        self.others.extend(other.others.iter().cloned());
        if !Arc::ptr_eq(&self.words, &other.words) {
            self.words_mut().add_all(&other.words);
        }
    }

    /// Returns this person with the ids of what they made in one lane, as `there` knows it.
    #[must_use]
    pub fn with_ids_of(&self, there: Option<&Self>) -> Self {
        let (things, turns) =
            there.map(|there| (there.things.clone(), there.turns.clone())).unwrap_or_default();
        Self { things, turns, ..self.clone() }
    }

    /// Adds a turn they caused; whatever it made is theirs.
    pub fn add_turn(&mut self, lane: &LaneId, revision: u64) {
        self.turns.entry(lane.clone()).or_default().insert(revision);
    }

    /// Adds the id of something they made: a message, a task.
    pub fn add_id(&mut self, id: &str) {
        self.things.insert(id.into());
    }

    /// Returns true if they are known to have said anything.
    #[must_use]
    pub fn spoke(&self) -> bool {
        !self.words.is_empty()
    }

    /// Returns true if a turn that they caused in this lane is known.
    #[must_use]
    pub fn acted_in(&self, lane: &LaneId) -> bool {
        self.turns.contains_key(lane)
    }

    /// Returns true if `id` names something they made.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        let made = |(lane, turns): (&LaneId, &BTreeSet<u64>)| {
            id_origin(lane, id).is_some_and(|made| turns.contains(&made.revision))
        };
        self.things.contains(id) || self.turns.iter().any(made)
    }

    /// Returns true if a text is their id.
    #[must_use]
    pub fn is(&self, text: &str) -> bool {
        !text.is_empty() && text == self.id
    }

    /// Returns true if a text that nobody said in this form holds their words.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.words.holds(text)
    }

    /// Returns a value without what is theirs; the ids of what they made stay.
    #[must_use]
    pub fn rewritten<T: Texts>(&self, mut value: T) -> T {
        self.rewrite(&mut value);
        value
    }

    /// Replaces what is theirs in a value, but keeps the ids of what they made. Returns true if anything was replaced.
    pub fn rewrite<T: Texts>(&self, value: &mut T) -> bool {
        let mut changed = false;
        value.texts(&mut |text| changed |= self.apply(text));
        changed
    }

    /// Returns true if anything in a value is theirs: their id, name or words, or the id of something they made.
    #[must_use]
    pub fn is_in<T: Texts + Clone>(&self, value: &T) -> bool {
        let mut found = false;
        value.clone().texts(&mut |text| {
            found |= if let Text::Id(id) = text { self.has(id) } else { self.apply(text) };
        });
        found
    }

    /// Replaces what is theirs in one text. Returns true if anything was.
    pub fn apply(&self, text: Text<'_>) -> bool {
        let erase = |theirs: bool, text: &mut String| {
            if theirs {
                *text = ERASED.into();
            }
            theirs
        };
        match text {
            Text::Words(text) => replace(text, self.without(text)),
            Text::Said(text) => replace(text, self.words.unquoted(text)),
            Text::Lines(text) => replace(text, self.without_lines(text)),
            Text::Person(id) => erase(self.is(id), id),
            Text::Principal(rule) => erase(rule.strip_prefix("user:").is_some_and(|id| self.is(id)), rule),
            Text::Name(name) => erase(self.is(name) || self.names.contains(name), name),
            Text::Identity { id, name } => {
                let theirs = self.is(id);
                erase(theirs, id) | erase(theirs, name)
            }
            Text::Id(_) => false,
        }
    }

    /// Returns a text without what is theirs; `None` if nothing in it is.
    #[must_use]
    pub fn without(&self, text: &str) -> Option<String> {
        if self.holds(text) {
            return Some(ERASED.into());
        }
        let names = self.names.iter().chain([&self.id]);
        names.fold(None, |found: Option<String>, name| {
            self.unnamed(found.as_deref().unwrap_or(text), name).or(found)
        })
    }

    fn without_lines(&self, text: &str) -> Option<String> {
        let mut changed = false;
        let lines = text.split('\n').map(|line| {
            let without = self.without(line);
            changed |= without.is_some();
            without.unwrap_or_else(|| line.into())
        });
        let lines = lines.collect::<alloc::vec::Vec<_>>().join("\n");
        changed.then_some(lines)
    }

    /// Replaces `@name` where it is not part of a longer name; returns `None` if the text does not contain it.
    fn unnamed(&self, text: &str, name: &str) -> Option<String> {
        if name.is_empty() {
            return None;
        }
        let mention = format!("@{name}");
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(&mention) {
            let (before, named) = rest.split_at(at);
            let after = &named[mention.len()..];
            let longer = |other: &String| other.len() > name.len() && named[1..].starts_with(other.as_str());
            let whole = !before.ends_with(char::is_alphanumeric)
                && ends_here(after)
                && !self.others.iter().any(longer);
            out.push_str(before);
            out.push_str(if whole { ERASED } else { &mention });
            rest = after;
        }
        out.push_str(rest);
        (out != text).then_some(out)
    }
}

/// True if a name ends before this text: neither a letter nor a joint of a longer name follows.
fn ends_here(after: &str) -> bool {
    let mut after = after.chars();
    let joint = |c: char| matches!(c, '.' | '-' | '_' | '@' | ':' | '+');
    match after.next() {
        None => true,
        Some(c) if c.is_alphanumeric() || c == '_' => false,
        Some(c) => !(joint(c) && after.next().is_some_and(char::is_alphanumeric)),
    }
}

fn replace(text: &mut String, by: Option<String>) -> bool {
    let Some(by) = by else { return false };
    *text = by;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::message::{Message, Role};
    use crate::data::texts::Members;
    use alloc::vec;
    use alloc::vec::Vec;
    use serde_json::json;

    fn at(n: u64) -> (Timestamp, u64) {
        (Timestamp(0), n)
    }

    fn ana() -> DataSubject {
        let mut ana = DataSubject::new("u1");
        ana.add_name("Ana");
        ana.add_own_text(at(3), "Create a ticket: the login page is blank on Safari, says Mrs. Miller");
        ana.add_own_text(at(4), "Kestrelgate");
        ana.add_own_text(at(5), "yes");
        ana.add_other_text(at(6), "The login page is slow for me as well");
        ana.settle();
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

    /// Texts of somebody else, with what is left of them.
    #[test]
    fn who_said_something_first_decides_whose_words_it_is() {
        let hers = "Create a bug: The kestrelgate is shut\nSteps: open it\nExpected: a list\nActual: nothing";
        let table = [
            (2, "The kestrelgate is shut", None),
            (9, "As Ana said, the kestrelgate is shut.", Some("As Ana said, [erased].")),
            (9, "> The kestrelgate is shut\nsince when?", Some("> [erased]\nsince when?")),
            (9, "she wrote \"a list\" and “actual: nothing”", Some("she wrote \"a list\" and “[erased]”")),
            (9, "Create a bug: The export is empty\nSteps: open it\nExpected: a list\nActual: a page", None),
            (9, "the gate is shut", None),
            (9, "", None),
        ];
        for (when, text, left) in table {
            let mut ana = DataSubject::new("u1");
            ana.add_own_text(at(5), hers);
            ana.add_other_text(at(when), text);
            ana.settle();
            let mut said = String::from(text);
            assert_eq!(ana.apply(Text::Said(&mut said)), left.is_some(), "{text}");
            assert_eq!(said, left.unwrap_or(text));
            assert!(!ana.apply(Text::Said(&mut said)), "twice is once");
            assert_eq!(ana.holds("kestrelgate is shut"), when > 5, "{when} {text}");
        }
        let mut ana = DataSubject::new("u1");
        ana.add_own_text(at(5), "the kestrelgate is shut");
        ana.add_our_text(at(4), "The kestrelgate is shut.");
        ana.settle();
        assert!(!ana.holds("the kestrelgate is shut"), "we said it before");
    }

    #[test]
    fn a_value_loses_what_is_declared_theirs_and_nothing_else() {
        let mut body = json!({
            "by": "u1", "key": "u1", "text": "Approved by @Ana, not @Anais, @Ana.B or x@Ana",
            "fields": { "title": "the login page is blank…", "u1": "u1" }, "list": [{ "by": ["u1", "u10"], "kind": "u1" }],
        });
        let scrub = |body: &mut _| {
            ana().rewrite(&mut Members { value: body, words: &["text", "fields"], people: &["by"] })
        };
        assert!(scrub(&mut body));
        assert_eq!(
            body,
            json!({
                "by": ERASED, "key": "u1", "text": "Approved by [erased], not @Anais, @Ana.B or x@Ana",
                "fields": { "title": ERASED, "u1": "u1" }, "list": [{ "by": [ERASED, "u10"], "kind": "u1" }],
            })
        );
        assert!(!scrub(&mut body), "twice is once");
    }

    #[test]
    fn what_they_made_is_known_by_its_id() {
        let mut ana = ana();
        ana.add_id("m_3_0");
        let message = |id: &str| Message {
            id: id.into(),
            role: Role::User,
            by: "u10".into(),
            kind: None,
            to: None,
            task: None,
            card: None,
            text: "u1".into(),
            at: Timestamp(0),
            channel_id: Some("u1".into()),
            link: None,
            untrusted: false,
            files: Vec::new(),
        };
        assert!(ana.is_in(&message("m_3_0")) && !ana.is_in(&message("m_3_1")));
        assert!(!ana.rewrite(&mut vec![message("m_3_0")]), "ids stay");
    }

    /// People may be called like anything: nobody is named by nothing, and no name is a part of another.
    #[test]
    fn a_name_is_never_a_part_of_another() {
        for name in ["", ".", "@", ".*", "smith", "ana.smith", "{}", "the", "a\"b", "[erased]", "user"] {
            let mut subject = DataSubject::new(name);
            subject.add_other_name("ana.smith");
            subject.settle();
            for other in ["ana.smith", "smithy", "user:x", "the one", ""] {
                let mut texts: Vec<String> = vec![other.into(), format!("@{other}"), format!("x@{other}")];
                let before = texts.clone();
                if name != other {
                    let changed = subject.apply(Text::Person(&mut texts[0]))
                        | subject.apply(Text::Principal(&mut texts[0]))
                        | subject.apply(Text::Name(&mut texts[0]));
                    assert!(!changed && texts == before, "{name} {other}");
                    let mention = subject.apply(Text::Words(&mut texts[1]));
                    assert!(!mention || other == "the one" && name == "the", "{name} @{other}: {texts:?}");
                }
                assert!(!subject.apply(Text::Words(&mut texts[2])), "{name} x@{other}");
            }
        }
    }
}
