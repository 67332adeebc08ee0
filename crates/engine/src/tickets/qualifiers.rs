//! Reads what a request says of its ticket besides the subject: "create a high priority bug for X assigned to bob". It becomes a field,
//! and is no part of the title.
//!
//! A qualifier stands before the item's name, right behind it, or where a clause ends. Anywhere else the same words belong to
//! the subject: "a ticket for customers with high priority who wait".

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Range;

use crate::data::ticket::Part;
use crate::tickets::edit::Edit;
use crate::tickets::edit_words;
use crate::tickets::extract::fill;
use crate::tickets::field_value::{self, FieldValue};
use crate::tickets::vocabulary::{is_me, level_at, longest};
use throughline_language::Words;
use throughline_language::intent::rules::{self, RuledIntent, Ruling};
use throughline_language::lexicon::{REQUESTS, SectionId, TICKETS};
use throughline_language::words::Gap;

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const ALONE: SectionId = id("qualifier.alone");
const WITH: SectionId = id("qualifier.with");
const AS: SectionId = id("qualifier.as");
const ITS: SectionId = id("qualifier.its");
const ASSIGNED: SectionId = id("qualifier.assigned");
const ASSIGNED_TAIL: SectionId = id("qualifier.assigned.tail");
const NOT: SectionId = id("qualifier.not");
const GOES_ON: SectionId = id("qualifier.goes_on");
const IN_PROJECT: SectionId = id("project.in");
const ME: SectionId = id("after.me");
const PLURAL: SectionId = REQUESTS.section("several.plural");

/// The most words of a person's name.
const NAME_WORDS: usize = 3;

/// Fields by their qualifiers.
pub(super) type Fields = BTreeMap<Part, String>;

/// Returns what a person's request says of its ticket besides the subject.
pub(super) fn fields(text: &str, by: &str) -> Fields {
    let words = Words::of(text);
    let ruling = rules::rule(&words);
    let found = ruling.map(|ruling| found(&words, &ruling)).unwrap_or_default();
    found.into_iter().map(|one| (one.part, one.value.unwrap_or_else(|| by.to_string()))).collect()
}

/// A request without its qualifiers.
pub(crate) struct Request {
    pub(crate) ruling: Ruling,
    /// The message.
    pub(crate) text: String,
}

impl Request {
    /// Takes the qualifiers out of a request.
    pub(crate) fn of(words: &Words, ruling: Ruling) -> Self {
        plain(words, &ruling).unwrap_or_else(|| Self { ruling, text: words.text().into() })
    }
}

/// Returns a request without its qualifiers, or `None` if it has none.
fn plain(words: &Words, ruling: &Ruling) -> Option<Request> {
    let mut cuts: Vec<Range<usize>> = found(words, ruling).into_iter().map(|one| one.at).collect();
    if cuts.is_empty() {
        return None;
    }
    cuts.sort_by_key(|cut| cut.start);
    let mut text = words.text().to_owned();
    for cut in cuts.iter().rev() {
        text.replace_range(cut.clone(), "");
    }
    let ruling = rules::rule(&Words::new(&text, words.languages()))
        .filter(|ruling| ruling.intent == RuledIntent::Ticket)?;
    Some(Request { ruling, text })
}

/// A qualifier.
#[derive(Debug)]
struct Qualifier {
    part: Part,
    /// Its value; `None` for the writer ("assigned to me").
    value: Option<String>,
    /// The bytes of its words, with what joins them to the others.
    at: Range<usize>,
}

/// Finds the qualifiers of a request; none for a part that a label of the same message fills, and one for each part.
fn found(words: &Words, ruling: &Ruling) -> Vec<Qualifier> {
    if ruling.intent != RuledIntent::Ticket || ruling.head.is_empty() {
        return Vec::new();
    }
    let reader = Reader { words, head: ruling.head.clone(), until: ruling.until };
    let mut labelled = Fields::new();
    let mut all = reader.before();
    all.extend(reader.urged(ruling.asking));
    all.extend(reader.behind());
    all.extend(reader.in_other_sentences());
    if !all.is_empty() {
        fill(&mut labelled, words.text());
    }
    let mut once: Vec<Qualifier> = Vec::new();
    for one in all {
        if !labelled.contains_key(&one.part) && once.iter().all(|other| other.part != one.part) {
            once.push(one);
        }
    }
    once
}

struct Reader<'w> {
    words: &'w Words,
    /// The bytes of the words that ask, up to the item's name.
    head: Range<usize>,
    /// The byte where the request ends.
    until: usize,
}

/// The words among which qualifiers are looked for.
#[derive(Clone, Copy)]
struct Place {
    begin: usize,
    end: usize,
    /// True if they follow the item's name at once, so that what it is about may follow them.
    leads: bool,
}

impl Reader<'_> {
    fn at(&self, section: SectionId, at: usize) -> usize {
        longest(section, self.words.all(), at)
    }

    /// The index of the first word from this byte on.
    fn index(&self, byte: usize) -> usize {
        self.words.all().partition_point(|word| word.at < byte)
    }

    /// "create a *high priority* bug"
    fn before(&self) -> Vec<Qualifier> {
        let (from, to) = (self.index(self.head.start), self.index(self.head.end));
        let fits = |at: usize| {
            let level =
                level_at(self.words, at).filter(|level| level.end <= to && self.unquoted(at, level.end))?;
            (level.labelled || self.at(ALONE, at) > 0).then_some((at, level))
        };
        let level = (from..to).find_map(fits);
        let level = level.filter(|(_, level)| level.end < to);
        level
            .map(|(at, level)| Qualifier {
                part: Part::Priority,
                value: Some(level.name),
                at: self.bracketed(at, level.end),
            })
            .into_iter()
            .collect()
    }

    /// "*Urgent:* create a bug for X"
    fn urged(&self, asking: usize) -> Option<Qualifier> {
        let level = level_at(self.words, 0)?;
        let whole = level.labelled || self.at(ALONE, 0) > 0;
        let next = self.words.all().get(level.end)?;
        let clause = self.words.all()[level.end - 1].after > Gap::Space && next.at <= asking;
        (whole && clause && self.unquoted(0, level.end)).then_some(Qualifier {
            part: Part::Priority,
            value: Some(level.name),
            at: 0..next.at,
        })
    }

    /// "… *with high priority* *assigned to bob*"
    fn behind(&self) -> Vec<Qualifier> {
        let (begin, end) = (self.index(self.head.end), self.index(self.until));
        let mut found = self.runs(begin, end);
        // "Leg einen Bug für X an (hohe Priorität)": the verb is not the last.
        let all = self.words.all();
        if all[end - 1].after < Gap::Hard {
            let stop = (end..all.len()).find(|&at| all[at].after >= Gap::Hard).map_or(all.len(), |at| at + 1);
            found.extend(self.runs(end, stop));
        }
        found
    }

    /// The qualifiers between these words.
    fn runs(&self, begin: usize, end: usize) -> Vec<Qualifier> {
        let mut found = Vec::new();
        let mut at = begin;
        while at < end {
            match self.run(at, begin, end) {
                Some((run, to)) => {
                    found.extend(run);
                    at = to;
                }
                None => at += 1,
            }
        }
        found
    }

    /// Reads the qualifiers that follow one another from this word on, if they end a clause, or stand before what the item is
    /// about.
    fn run(&self, from: usize, begin: usize, end: usize) -> Option<(Vec<Qualifier>, usize)> {
        let place = Place { begin, end, leads: from == begin };
        let (first, mut at) = self.one(from, place)?;
        let mut run = alloc::vec![first];
        while let Some((next, to)) = self.one(at, place) {
            run.push(next);
            at = to;
        }
        Some((run, at)).filter(|_| self.may_end(at, place))
    }

    /// True if a qualifier may end before this word.
    fn may_end(&self, at: usize, place: Place) -> bool {
        let all = self.words.all();
        let about = || rules::readers(self.words).any(|reader| reader.list(rules::ABOUT).at(all, at));
        at >= place.end
            || all[at - 1].after > Gap::Space
            || self.at(IN_PROJECT, at) > 0
            || self.at(GOES_ON, at) > 0
            || self.one(at, place).is_some()
            || place.leads && about()
    }

    /// Reads one qualifier, and where it ends.
    fn one(&self, at: usize, place: Place) -> Option<(Qualifier, usize)> {
        if at >= place.end || self.belongs_to_a_subject(at, place.begin) {
            return None;
        }
        let (qualifier, to) = self.priority(at).or_else(|| self.assignee(at, place))?;
        (to <= place.end && self.unquoted(at, to)).then_some((qualifier, to))
    }

    /// True if the words before make the same words a description: "bugs assigned to bob", "it is assigned to bob".
    fn belongs_to_a_subject(&self, at: usize, begin: usize) -> bool {
        let last = at.checked_sub(1).filter(|last| at > begin && self.words.all()[*last].after == Gap::Space);
        last.is_some_and(|last| {
            let plural =
                rules::readers(self.words).any(|reader| reader.list(PLURAL).at(self.words.all(), last));
            plural || self.at(NOT, last) > 0
        })
    }

    fn priority(&self, at: usize) -> Option<(Qualifier, usize)> {
        let (with, named, its) = (self.at(WITH, at), self.at(AS, at), self.at(ITS, at));
        let all = self.words.all();
        let level = |from: usize| level_at(self.words, from);
        let called = level(at + with).filter(|level| with > 0 && level.labelled);
        let said = || level(at + named).filter(|_| named > 0);
        let clause = at.checked_sub(1).is_some_and(|last| all[last].after > Gap::Space);
        let alone = || {
            let level = level(at + its).filter(|_| clause)?;
            let ends = all[level.end - 1].after > Gap::Space || level.end == all.len();
            (ends && (level.labelled && !self.colon(at, level.end) || self.at(ALONE, at + its) > 0))
                .then_some(level)
        };
        let level = called.or_else(said).or_else(alone)?;
        let bytes = self.bracketed(at, level.end);
        Some((Qualifier { part: Part::Priority, value: Some(level.name), at: bytes }, level.end))
    }

    fn assignee(&self, at: usize, place: Place) -> Option<(Qualifier, usize)> {
        let from = at + self.at(ASSIGNED, at);
        if from == at || from >= place.end {
            return None;
        }
        let all = self.words.all();
        let fits = |to: &usize| self.may_end(*to, place) || self.at(ASSIGNED_TAIL, *to) > 0;
        let to = (from + 1..=place.end.min(from + NAME_WORDS)).find(fits)?;
        let name = self.words.slice(&all[from..to]).trim_start_matches('@').to_string();
        let me = self.at(ME, from) == to - from;
        let behind = to + self.at(ASSIGNED_TAIL, to);
        let bytes = self.bracketed(at, behind);
        Some((Qualifier { part: Part::Assignee, value: (!me).then_some(name), at: bytes }, behind))
    }

    /// "Create a ticket for X. *Make it high priority.*"
    fn in_other_sentences(&self) -> Vec<Qualifier> {
        let all = self.words.all();
        let mut begins =
            (self.index(self.until)..all.len()).filter(|&at| at > 0 && all[at - 1].after >= Gap::Hard);
        let mut found = Vec::new();
        while let Some(at) = begins.next().filter(|_| found.len() < 2) {
            let last = (at..all.len()).find(|&at| all[at].after >= Gap::Hard).unwrap_or(all.len() - 1);
            let sentence = &self.words.text()[all[at].at..all[last].end];
            let its = || {
                let (level, _) = self.priority(at).filter(|(_, end)| *end == last + 1)?;
                Some(Edit::Set(None, level.part, level.value?))
            };
            let named = || field_value::read(sentence, &|_| false).map(FieldValue::edit);
            if let Some(Edit::Set(None, part, value)) = edit_words::read(sentence).or_else(named).or_else(its)
                && part.is_value()
                && self.unquoted(at, last + 1)
                && !self.colon(at, last + 1)
            {
                let end = all.get(last + 1).map_or(self.words.text().len(), |next| next.at);
                let value = (part != Part::Assignee || !is_me(&value)).then_some(value);
                found.push(Qualifier { part, value, at: all[at].at..end });
            }
        }
        found
    }

    fn unquoted(&self, from: usize, to: usize) -> bool {
        self.words.all()[from..to].iter().all(|word| !word.quoted)
    }

    /// True if a colon makes these words a label with its text, which is read as such.
    fn colon(&self, from: usize, to: usize) -> bool {
        let all = self.words.all();
        self.words.text()[all[from].at..all[to - 1].end].contains(':')
    }

    /// The bytes of these words with the brackets around them, and the space or the comma that divides them from what is before.
    fn bracketed(&self, from: usize, to: usize) -> Range<usize> {
        let (all, text) = (self.words.all(), self.words.text());
        let begin = text[..all[from].at].trim_end_matches([' ', '(', '[', ',', '@']).len();
        let behind = text[all[to - 1].end..].trim_start_matches([')', ']']);
        // At the beginning of a text, the space behind goes too.
        let behind = if begin == 0 { behind.trim_start() } else { behind };
        begin..text.len() - behind.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(Part, String)>) {
        let words = Words::of(text);
        let plain =
            rules::rule(&words).map_or_else(|| text.into(), |ruling| Request::of(&words, ruling).text);
        (plain, fields(text, "ana").into_iter().collect())
    }

    #[test]
    fn qualifiers_become_fields() {
        use Part::{Assignee, Priority};
        for (text, plain, fields) in [
            (
                "create a ticket for the login bug with high priority",
                "create a ticket for the login bug",
                &[(Priority, "high")][..],
            ),
            (
                "Create a bug for X as high priority, please",
                "Create a bug for X, please",
                &[(Priority, "high")],
            ),
            (
                "create a task for the export (high priority)",
                "create a task for the export",
                &[(Priority, "high")],
            ),
            (
                "create a task for the export (urgent)",
                "create a task for the export",
                &[(Priority, "urgent")],
            ),
            ("create a task for the export, P1", "create a task for the export", &[(Priority, "P1")]),
            (
                "create a task for the export as critical",
                "create a task for the export",
                &[(Priority, "critical")],
            ),
            (
                "create a task for the export with priority high because it blocks us",
                "create a task for the export because it blocks us",
                &[(Priority, "high")],
            ),
            (
                "create a high priority bug for X assigned to bob in project OPS",
                "create a bug for X in project OPS",
                &[(Priority, "high"), (Assignee, "bob")],
            ),
            (
                "file an urgent ticket for the export",
                "file an ticket for the export",
                &[(Priority, "urgent")],
            ),
            ("Urgent: create a bug for the export", "create a bug for the export", &[(Priority, "Urgent")]),
            ("urgent bug: the export hangs", "bug: the export hangs", &[(Priority, "urgent")]),
            (
                "create a ticket with high priority for the login",
                "create a ticket for the login",
                &[(Priority, "high")],
            ),
            (
                "create a ticket with high priority assigned to @bob for the login",
                "create a ticket for the login",
                &[(Priority, "high"), (Assignee, "bob")],
            ),
            ("create a ticket with high priority", "create a ticket", &[(Priority, "high")]),
            (
                "we need a ticket for the login, it's really urgent",
                "we need a ticket for the login",
                &[(Priority, "urgent")],
            ),
            (
                "create a bug for the login. It is very urgent!",
                "create a bug for the login. ",
                &[(Priority, "urgent")],
            ),
            (
                "create a bug for the login, it's urgent that it works",
                "create a bug for the login, it's urgent that it works",
                &[],
            ),
            ("create a bug for the login assigned to me", "create a bug for the login", &[(Assignee, "ana")]),
            (
                "create a bug for the login and assign it to Bob Meier",
                "create a bug for the login",
                &[(Assignee, "Bob Meier")],
            ),
            (
                "create a bug for the login and make it urgent",
                "create a bug for the login",
                &[(Priority, "urgent")],
            ),
            (
                "Create a bug for the login. Make it high priority. Nobody can work.",
                "Create a bug for the login. Nobody can work.",
                &[(Priority, "high")],
            ),
            (
                "Create a bug for the login. Assign it to bob.",
                "Create a bug for the login. ",
                &[(Assignee, "bob")],
            ),
            (
                "Erstelle ein Ticket für den Login mit hoher Priorität",
                "Erstelle ein Ticket für den Login",
                &[(Priority, "hoch")],
            ),
            (
                "Kannst du ein Ticket für den Login mit hoher Priorität anlegen?",
                "Kannst du ein Ticket für den Login anlegen?",
                &[(Priority, "hoch")],
            ),
            (
                "Erstelle ein dringendes Ticket für den Login",
                "Erstelle ein Ticket für den Login",
                &[(Priority, "dringend")],
            ),
            (
                "Leg einen Bug für den Login an (hohe Priorität)",
                "Leg einen Bug für den Login an",
                &[(Priority, "hoch")],
            ),
            (
                "Erstelle einen Bug für den Login (hohe Priorität), zugewiesen an bob",
                "Erstelle einen Bug für den Login",
                &[(Priority, "hoch"), (Assignee, "bob")],
            ),
            (
                "Erstelle ein Ticket mit Priorität niedrig für den Login",
                "Erstelle ein Ticket für den Login",
                &[(Priority, "niedrig")],
            ),
            (
                "Erstelle ein Ticket für den Login und weise es Bob zu",
                "Erstelle ein Ticket für den Login",
                &[(Assignee, "Bob")],
            ),
            (
                "Create 3 high priority tickets: login, search, export",
                "Create 3 tickets: login, search, export",
                &[(Priority, "high")],
            ),
        ] {
            let (read, said) = self::read(text);
            let said: Vec<(Part, &str)> = said.iter().map(|(part, value)| (*part, value.as_str())).collect();
            assert_eq!((read.as_str(), said.as_slice()), (plain, fields), "{text}");
        }
    }

    #[test]
    fn the_same_words_within_a_subject_stay() {
        for text in [
            "create a ticket for customers with high priority who wait",
            "create a ticket for high priority customers",
            "create a ticket for listing bugs assigned to bob",
            "create a ticket: it is assigned to bob",
            "create a ticket for the urgent export",
            "create a ticket for \"the export with high priority\"",
            "create a ticket for the export with high load",
            "create a ticket for the export\nSteps: open it with high priority",
            "create a ticket for the export with high priority\nPriority: low",
            "create a ticket for the priority field",
            "The export is urgent. Create a ticket for it",
            "Erstelle ein Ticket für Kunden mit hoher Priorität die warten",
            "what is a high priority bug?",
        ] {
            let (plain, said) = read(text);
            assert_eq!((plain.as_str(), said.len()), (text, 0), "{text}");
        }
    }
}
