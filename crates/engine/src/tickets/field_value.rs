//! Reads a message that is the name of a field and a value of it, and nothing else: "priority high", "hohe Priorität",
//! "assignee is bob". Such words have no verb and no colon, so the whole message counts: one word more makes it prose.
//!
//! A priority has closed values, which stand on either side of its name. Persons and labels have open ones, which stand behind
//! it: one person, who is told by a sign beyond doubt, and labels of one word each that say nothing of a label. A name with any
//! other text behind it is prose, and so is every field that holds text.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::ticket::Part;
use crate::tickets::edit::{Edit, IT, ItemRef, PLEASE, Reader, THE};
use crate::tickets::vocabulary::{level_at, part_at};
use throughline_language::lexicon::{ANSWERS, SectionId, TICKETS};
use throughline_language::words::{Gap, Word};
use throughline_language::{self as language, Context, Expected, Words};

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const IS: SectionId = id("field.is");
const AT: SectionId = id("field.at");
const HAS: SectionId = id("field.has");
const TAIL: SectionId = id("field.tail");
const NO_LABEL: SectionId = id("field.no_label");
const LABELS: SectionId = id("field.labels");
const JOIN: SectionId = id("list.join");
const ME: SectionId = id("after.me");
/// Given names that are no words, and those that are.
const GIVEN: SectionId = ANSWERS.section("name");
const GIVEN_OR_WORD: SectionId = ANSWERS.section("person.name");

/// The numbers that a priority may be called by: "priority 1".
const LEVELS: [&str; 6] = ["0", "1", "2", "3", "4", "5"];

/// A field and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldValue {
    /// The item, if one is named.
    item: Option<ItemRef>,
    /// The field.
    pub(super) part: Part,
    /// Its value.
    value: String,
    /// True if the words could as well be a title: an open value right behind its name, as in "assignee dropdown".
    pub(super) like_a_title: bool,
}

impl FieldValue {
    /// The edit that the message is.
    pub(super) fn edit(self) -> Edit {
        Edit::Set(self.item, self.part, self.value)
    }
}

/// Reads a message as a field and its value. `knows` is true of the people whom the conversation knows by this name.
pub(super) fn read(text: &str, knows: &dyn Fn(&str) -> bool) -> Option<FieldValue> {
    let words = Words::of(text);
    let (last, before) = words.all().split_last()?;
    let one = last.after < Gap::Question && before.iter().all(|word| word.after < Gap::Hard);
    if !one || words.all().iter().any(|word| word.quoted) || text.contains(':') && labelled(text) {
        return None;
    }
    let reader = Reader::of(&words);
    let from = reader.skip(PLEASE, 0);
    let at = reader.skip(THE, from);
    let (item, at) = match reader.item(at) {
        Some((item, at)) => (Some(item), at),
        None => reader.of_item(from),
    };
    let reader = Values { reader, item, knows };
    reader.priority(at).or_else(|| reader.labels(at)).or_else(|| reader.person(at))
}

/// True if a text has labels with a colon, which are read as labels.
fn labelled(text: &str) -> bool {
    let mut parts = alloc::collections::BTreeMap::new();
    let free = super::extract::fill(&mut parts, text);
    !parts.is_empty() || free != text.trim()
}

/// Returns true if a text speaks of a field by its name.
pub(super) fn speaks_of(text: &str, part: Part) -> bool {
    let words = Words::of(text);
    (0..words.all().len()).any(|at| part_at(words.all(), at, part) > 0)
}

struct Values<'r> {
    reader: Reader<'r>,
    /// The item that the message begins with.
    item: Option<ItemRef>,
    knows: &'r dyn Fn(&str) -> bool,
}

impl Values<'_> {
    /// "priority high", "the priority of story 2 should be high", "it's high priority", "Priorität auf hoch setzen".
    fn priority(&self, at: usize) -> Option<FieldValue> {
        let reader = &self.reader;
        let of_it = at + reader.at(IT, at);
        [reader.skip(HAS, at), reader.skip(HAS, of_it), at].into_iter().find_map(|from| {
            let (item, value) = match self.named(from, Part::Priority) {
                Some((item, to)) => (item, reader.skip(AT, self.linked(to))),
                None => (None, from),
            };
            let called = value > from;
            let level = level_at(reader.words, value).filter(|level| called || level.labelled);
            let (value, to) = match level {
                Some(level) => (level.name, level.end),
                None => (self.number(value).filter(|_| called)?, value + 1),
            };
            let part = Part::Priority;
            self.ends(to, item).map(|item| FieldValue { item, part, value, like_a_title: false })
        })
    }

    fn number(&self, at: usize) -> Option<String> {
        let number = self.reader.words.folded(self.reader.all.get(at)?);
        LEVELS.contains(&number).then(|| number.to_string())
    }

    /// "label backend", "labels backend, login and search". Several of them that do one thing are a sentence: "labels wobble".
    fn labels(&self, at: usize) -> Option<FieldValue> {
        let several = self.reader.at(LABELS, self.reader.skip(THE, at)) > 0;
        let (item, mut at) = self.named(at, Part::Labels)?;
        let marked = self.equals(at) || self.sign("#", at);
        at += usize::from(self.equals(at));
        let mut labels: Vec<&str> = Vec::new();
        loop {
            let label = self.label(at)?;
            labels.push(self.reader.words.slice(label).trim_start_matches('#'));
            at += label.len();
            if let Some(item) = self.ends(at, item) {
                let (part, value, alone) = (Part::Labels, labels.join(", "), labels.len() == 1);
                let does = alone && several && !marked;
                return (!does).then_some(FieldValue { item, part, value, like_a_title: alone });
            }
            let join = self.reader.at(JOIN, at);
            if join == 0 && label.last()?.after != Gap::Soft {
                return None;
            }
            at += join;
        }
    }

    /// The words of one label: what is written without a space, begins with a letter and says nothing of labels.
    fn label(&self, at: usize) -> Option<&[Word]> {
        let label = self.unspaced(at)?;
        let named = self.reader.words.slice(label).trim_start_matches('#').starts_with(char::is_alphabetic);
        (named && self.reader.at(NO_LABEL, at) < label.len()).then_some(label)
    }

    /// The words from one on that no space divides.
    fn unspaced(&self, at: usize) -> Option<&[Word]> {
        let all = self.reader.all.get(at..).filter(|all| !all.is_empty())?;
        let joined = |pair: &&[Word]| {
            let between = &self.reader.words.text()[pair[0].end..pair[1].at];
            pair[0].after == Gap::Space && !between.contains(char::is_whitespace)
        };
        let more = all.windows(2).take_while(joined).count();
        all.get(..=more)
    }

    /// "assignee bob", "the owner is @bob", "zuständig ist Bob", "bob is responsible".
    fn person(&self, at: usize) -> Option<FieldValue> {
        let part = Part::Assignee;
        let behind = || {
            let (item, name) = self.named(at, part)?;
            let from = self.linked(name);
            let (value, to) = self.somebody(from, true)?;
            self.ends(to, item).map(|item| FieldValue { item, part, value, like_a_title: from == name })
        };
        let before = || {
            let (value, to) = self.somebody(at, false)?;
            let is = self.reader.at(IS, to);
            let (item, to) = self.named(to + is, part).filter(|_| is > 0)?;
            self.ends(to, item).map(|item| FieldValue { item, part, value, like_a_title: false })
        };
        behind().or_else(before)
    }

    /// One person from a word on: the writer, a mention, somebody the conversation knows, a given name, or a name with a capital
    /// where that says something.
    fn somebody(&self, at: usize, capital_counts: bool) -> Option<(String, usize)> {
        let (reader, me) = (&self.reader, self.reader.at(ME, at));
        if me > 0 {
            return Some((reader.words.slice(&reader.all[at..at + me]).to_string(), at + me));
        }
        let name = self.unspaced(at)?;
        let said = reader.words.slice(name);
        let bare = said.trim_start_matches('@');
        let mention = reader.words.folded(&name[0]) == "@" && name.len() > 1 || said.starts_with("<@");
        let given = |id: SectionId| ANSWERS.iter().any(|lexicon| lexicon.section(id).is(name));
        let capital = name[0].capital
            && (given(GIVEN_OR_WORD)
                || capital_counts
                    && language::read(&Expected::Person, &Words::of(said), &Context::default())
                        .is_ok_and(|found| found.remainder.is_none()));
        (mention || (self.knows)(bare) || given(GIVEN) || capital)
            .then(|| (bare.to_string(), at + name.len()))
    }

    /// The item and the word behind the name of a field.
    fn named(&self, at: usize, part: Part) -> Option<(Option<ItemRef>, usize)> {
        let name = self.reader.skip(THE, at);
        let n = part_at(self.reader.all, name, part);
        (n > 0).then(|| self.reader.of_item(name + n))
    }

    /// The word behind "is" or "=".
    fn linked(&self, at: usize) -> usize {
        at + self.reader.at(IS, at).max(usize::from(self.equals(at)))
    }

    fn equals(&self, at: usize) -> bool {
        self.sign("=", at)
    }

    fn sign(&self, sign: &str, at: usize) -> bool {
        self.reader.all.get(at).is_some_and(|word| self.reader.words.folded(word) == sign)
    }

    /// The item that is meant, if the message ends here but for politeness and an item.
    fn ends(&self, at: usize, item: Option<ItemRef>) -> Option<Option<ItemRef>> {
        let known = item.or(self.item);
        let (item, mut at) = if known.is_some() { (known, at) } else { self.reader.of_item(at) };
        while self.reader.at(PLEASE, at) + self.reader.at(TAIL, at) > 0 {
            at = self.reader.skip(TAIL, self.reader.skip(PLEASE, at));
        }
        (at == self.reader.all.len()).then_some(item)
    }
}

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::*;
    use crate::data::ticket::ItemType::Story;

    fn read(text: &str) -> Option<(Option<ItemRef>, Part, String)> {
        let found = super::read(text, &|name| name == "kse")?;
        Some((found.item, found.part, found.value))
    }

    /// Every name of a priority beside every level, in each order and with each link and politeness around.
    #[test]
    fn a_priority_and_its_level_in_any_order() {
        let english: (&[&str], &[&str], &[&str]) = (
            &["priority", "prio", "severity", "urgency", "the priority"],
            &[
                "{n} {l}",
                "{n} is {l}",
                "{n} to {l}",
                "{n} should be {l}",
                "{n} = {l}",
                "{n} - {l}",
                "{n} at {l}",
            ],
            &[
                "{l} {n}",
                "it's {l} {n}",
                "it is a {l} {n}",
                "it has {l} {n}",
                "with {l} {n}",
                "the bug has {l} {n}",
            ],
        );
        let german: (&[&str], &[&str], &[&str]) = (
            &["Priorität", "Prio", "Dringlichkeit", "die Priorität"],
            &[
                "{n} {l}",
                "{n} auf {l}",
                "{n} ist {l}",
                "{n} soll {l} sein",
                "{n} auf {l} setzen",
                "{n} = {l}",
            ],
            &["{l} {n}", "es ist {l} {n}", "es hat {l} {n}", "mit {l} {n}", "das ticket hat {l} {n}"],
        );
        let levels = [
            (
                english,
                &["high", "low", "medium", "normal", "urgent", "critical", "highest", "blocker", "P1"][..],
            ),
            (german, &["hoch", "niedrig", "mittel", "dringend", "kritisch", "höchste", "wichtig"][..]),
        ];
        let mut tried = 0;
        for ((names, behind, before), levels) in levels {
            for (name, level, form) in names.iter().flat_map(|name| {
                let forms = behind.iter().chain(before);
                forms.flat_map(move |form| levels.iter().map(move |level| (name, level, form)))
            }) {
                // "high the priority" is nobody's English.
                let articles: &[&str] = if before.contains(form) { &["the ", "die "] } else { &[] };
                let bare = articles.iter().find_map(|article| name.strip_prefix(article));
                let said = form.replace("{n}", bare.unwrap_or(name)).replace("{l}", level);
                let upper = said.to_uppercase();
                for text in [said.clone(), format!("please {said}"), format!("{said}, bitte!"), upper] {
                    let found = read(&text).map(|(item, part, found)| (item, part, found.to_lowercase()));
                    assert_eq!(found, Some((None, Part::Priority, level.to_lowercase())), "{text}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 2000, "{tried}");
    }

    #[test]
    fn fields_with_their_values() {
        use Part::{Assignee, Labels, Priority};
        for (text, part, value) in [
            ("hohe Priorität", Priority, "hoch"),
            ("mit hoher Prio bitte", Priority, "hoch"),
            ("give it high priority", Priority, "high"),
            ("gib ihm hohe Priorität", Priority, "hoch"),
            ("prio 1", Priority, "1"),
            ("top priority", Priority, "top"),
            ("assignee bob", Assignee, "bob"),
            ("assignee is bob", Assignee, "bob"),
            ("assignee @kim-lee", Assignee, "kim-lee"),
            ("the assignee should be Ksenia please", Assignee, "Ksenia"),
            ("owner kse", Assignee, "kse"),
            ("assignee me", Assignee, "me"),
            ("assigned to @ksenia", Assignee, "ksenia"),
            ("bob is the assignee", Assignee, "bob"),
            ("zuständig ist Bob", Assignee, "Bob"),
            ("Zuständig Bob", Assignee, "Bob"),
            ("Bob ist zuständig", Assignee, "Bob"),
            ("zuständig soll Bob sein", Assignee, "Bob"),
            ("label backend", Labels, "backend"),
            ("Labels backend, login", Labels, "backend, login"),
            ("labels good-first-issue and ui", Labels, "good-first-issue, ui"),
            ("tag #mobile", Labels, "mobile"),
            ("tags #mobile", Labels, "mobile"),
            ("labels = mobile", Labels, "mobile"),
            ("Schlagwort Abrechnung", Labels, "Abrechnung"),
        ] {
            assert_eq!(read(text), Some((None, part, value.to_string())), "{text}");
        }
        let story = |n| Some(ItemRef { kind: Some(Story), n: Some(n) });
        for (text, n, part, value) in [
            ("story 2: high priority", 2, Priority, "high"),
            ("for story 2 priority high", 2, Priority, "high"),
            ("priority of story 2 high", 2, Priority, "high"),
            ("priority high for story 3", 3, Priority, "high"),
            ("Priorität von Story 2 auf hoch", 2, Priority, "hoch"),
            ("assignee of story 1 is bob", 1, Assignee, "bob"),
            ("story 1 label backend", 1, Labels, "backend"),
        ] {
            assert_eq!(read(text), Some((story(n), part, value.to_string())), "{text}");
        }
    }

    /// Prose of every kind that begins or ends with the name of a field.
    #[test]
    fn prose_is_no_edit() {
        for text in [
            "priority inversion in the scheduler makes the queue stall",
            "priority",
            "the priority",
            "high",
            "urgent",
            "high priority customers see a blank page",
            "the priority is not saved",
            "priority is high and then it is low",
            "high priority?",
            "is the priority high?",
            "no priority",
            "the priority is higher than before",
            "set high priority, then save",
            "priority 17",
            "I set high priority",
            "High priority. Then save.",
            "\"high priority\"",
            "priority: high",
            "Bearbeiterin: Ana",
            "labels are missing on the chart",
            "labels missing",
            "label is broken",
            "labels disappear",
            "labels wobble",
            "tags jump",
            "Labels springen",
            "Schlagwörter wackeln",
            "label 5",
            "label of the chart",
            "labels with umlauts",
            "labels should be visible",
            "label the axes",
            "label backend services correctly",
            "label backend missing",
            "the assignee dropdown is empty",
            "assignee dropdown",
            "assignee is empty",
            "assignee bob cannot log in",
            "assignee bob smith jones",
            "assignee will be notified",
            "assignee Bob and Ana",
            "owner of the lane",
            "nobody is responsible",
            "Nobody is responsible",
            "Everybody is the owner",
            "Marketing is responsible",
            "bob is assigned to the wrong team",
            "title login",
            "steps open the page",
            "expected a form",
            "actual nothing",
            "description it is slow",
            "acceptance criteria it works",
            "hohe Prioritätstickets verschwinden aus der Liste",
            "hohe Priorität geht verloren",
            "Priorität auf hoch setzen und speichern",
            "die Priorität wird nicht gespeichert",
            "Labels fehlen",
            "Label flackert",
            "Labels zu klein",
            "Tag 3",
            "jeden Tag",
            "zuständig ist niemand",
            "zuständig",
            "Der Bearbeiter fehlt",
            "Titel Anmeldung",
            "Schritte öffnen",
            "",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn names_within_texts() {
        assert!(speaks_of("the export loses the priority", Part::Priority));
        assert!(!speaks_of("the export loses the priority", Part::Labels));
    }
}
