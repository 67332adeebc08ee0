//! What a text states, sentence by sentence: decisions, risks, open questions, and what a checklist asks about. It
//! quotes and invents nothing; the words that tell one from the other are data.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Check, Kind, Points, Section};
use crate::intent::rules;
use crate::policy::{Policy, limits};
use crate::recognize::lexicon::{self, LANGUAGES, Lexicon, REVIEW, REVIEW_NAMES, SectionId};
use crate::recognize::words::{Gap, Word};
use crate::recognize::{Context, Words, acknowledgement, greeting};

const LEAD: SectionId = named("lead");
const MADE: SectionId = named("decision.made");
const PLANNED: SectionId = named("decision.planned");
const RISK: SectionId = named("risk");
const RISK_NONE: SectionId = named("risk.none");
const QUESTION: SectionId = named("question");
const LABELS: [(SectionId, Section); 4] = [
    (named("label.decisions"), Section::Decisions),
    (named("label.risks"), Section::Risks),
    (named("label.questions"), Section::Questions),
    (named("label.changes"), Section::Changes),
];
const DEFINITE: SectionId = named("definite");
const SECURITY: SectionId = named("kind.security");
const PM: SectionId = named("kind.pm");

/// The section of that name in the lexicons of reviews.
pub(super) const fn named(name: &str) -> SectionId {
    lexicon::named(REVIEW_NAMES, name)
}

/// Whether a phrase of the section begins at this word, in any language.
pub(super) fn at(id: SectionId, words: &[Word], at: usize) -> usize {
    REVIEW.iter().map(|lexicon: &'static Lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

fn within(id: SectionId, words: &[Word]) -> bool {
    (0..words.len()).any(|from| at(id, words, from) > 0)
}

/// A sentence, and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stated {
    pub(super) section: Section,
    pub(super) text: String,
}

/// The sentences of a text, without requests, greetings and thanks. A line that only says what is below it ("Risks:")
/// gives its section to the lines up to the next blank one.
pub(super) fn sentences(text: &str, policy: &Policy) -> Vec<Stated> {
    let mut found: Vec<Stated> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut under: Option<Section> = None;
    for line in text.lines() {
        let line = line.trim().trim_start_matches(['-', '*', '•', '–', '#', '>']).trim();
        if line.is_empty() {
            under = None;
            continue;
        }
        let words = Words::of(line);
        let (label, from) = label(&words);
        if let Some(label) = label {
            under = Some(label);
        }
        for (begin, end) in cut(&words, from) {
            let Some(begin) = begin_of(&words, begin, end) else { continue };
            let stated = &words.all()[begin..end];
            let section = under.unwrap_or_else(|| class(stated));
            let begin = begin + lead(stated);
            let text = shorten(words.clause(begin, end), policy.review.bullet_chars);
            if begin < end && found.len() < limits::REVIEW_SENTENCES && known.insert(folded(&text)) {
                found.push(Stated { section, text });
            }
        }
        if label.is_some() && from < words.all().len() {
            // "Risk: it may fail" is one line and no heading.
            under = None;
        }
    }
    found
}

/// "Risks:" at the beginning of a line: its section, and where the rest begins.
fn label(words: &Words) -> (Option<Section>, usize) {
    let all = words.all();
    for (id, section) in LABELS {
        let n = at(id, all, 0);
        let colon =
            |last: &Word| words.text()[last.end..].trim_start_matches(['*', '_', ' ']).starts_with(':');
        if n > 0 && all.get(n - 1).is_some_and(colon) {
            return (Some(section), n);
        }
    }
    (None, 0)
}

/// The sentences from a word on, as ranges of words.
fn cut(words: &Words, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = words.all();
    let mut begin = from;
    (from..all.len()).filter_map(move |at| {
        let ends = all[at].after >= Gap::Hard || at + 1 == all.len();
        ends.then(|| (core::mem::replace(&mut begin, at + 1), at + 1))
    })
}

/// Where a sentence begins to state something: behind the colon of a request, else at its first word. Requests,
/// greetings and thanks state nothing.
fn begin_of(words: &Words, begin: usize, end: usize) -> Option<usize> {
    let nothing = |from: usize| {
        let sentence = Words::of(words.clause(from, end));
        rules::rule(&sentence).is_some()
            || greeting(&sentence)
            || acknowledgement(&sentence, &Context::default())
    };
    let colon = |at: &usize| words.text()[words.all()[*at].end..].starts_with(':');
    let behind = (begin..end - 1).find(colon).map(|at| at + 1);
    [Some(begin).filter(|_| !nothing(begin)), behind.filter(|from| !nothing(*from))]
        .into_iter()
        .flatten()
        .next()
}

fn class(words: &[Word]) -> Section {
    let asks = words.last().is_some_and(|word| word.after == Gap::Question);
    if asks || within(QUESTION, words) {
        Section::Questions
    } else if within(MADE, words) {
        Section::Decisions
    } else if within(RISK, words) && !within(RISK_NONE, words) {
        Section::Risks
    } else if within(PLANNED, words) {
        Section::Decisions
    } else {
        Section::Changes
    }
}

/// How many words at the beginning say nothing of their own.
fn lead(words: &[Word]) -> usize {
    let mut from = 0;
    while from < words.len() {
        let n = at(LEAD, words, from);
        if n == 0 {
            break;
        }
        from += n;
    }
    from
}

/// With a capital, and cut.
fn shorten(text: &str, chars: usize) -> String {
    let mut letters = text.trim().chars();
    let first: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let mut out: String = first.chars().chain(letters.by_ref()).take(chars).collect();
    if out.chars().count() < text.trim().chars().count() {
        out.push('…');
    }
    out
}

/// The words alone: equal where two texts differ in case and punctuation only.
pub(super) fn folded(text: &str) -> String {
    let words = Words::of(text);
    words.all().iter().map(|word| words.folded(word)).collect::<Vec<_>>().join(" ")
}

/// What sentences state, by section; what is neither decided nor a risk nor a question only feedback keeps.
pub(super) fn points(stated: &[Stated]) -> Points {
    let mut points = Points::default();
    for one in stated {
        points.list(one.section).push(one.text.clone());
    }
    points
}

/// Whether a request that names no subject points at one that is known: "now create the epic".
pub(super) fn definite(request: &Words) -> bool {
    within(DEFINITE, request.all())
}

/// The kind a request names, when it names one.
pub(super) fn kind(request: &Words) -> Option<Kind> {
    let words = request.all();
    (0..words.len()).find_map(|from| {
        let kinds = [(SECURITY, Kind::Security), (PM, Kind::Pm)];
        kinds.into_iter().find(|(id, _)| at(*id, words, from) > 0).map(|(_, kind)| kind)
    })
}

const TEXTS: [(&str, &str); 2] = [("en", include_str!("texts/en.txt")), ("de", include_str!("texts/de.txt"))];

/// The items of a kind in a language, else in English: the section that finds each, and what it is called.
fn items(kind: Kind, language: &str) -> impl Iterator<Item = (SectionId, &'static str)> {
    let speaks =
        |code: &str| language == code || language.strip_prefix(code).is_some_and(|l| l.starts_with('-'));
    let texts = TEXTS.iter().find(|(code, _)| speaks(code)).unwrap_or(&TEXTS[0]).1;
    let lines = texts.lines().filter_map(|line| line.split_once(" = "));
    lines.filter_map(move |(name, item)| {
        name.strip_prefix(kind.word())?.strip_prefix('.')?;
        Some((lexicon::find(REVIEW_NAMES, name)?, item))
    })
}

/// The checklist of a kind, filled with what sentences state.
pub(super) fn checklist(kind: Kind, stated: &[Stated], language: &str) -> Vec<Check> {
    let cut: Vec<Words> = stated.iter().map(|one| Words::of(&one.text)).collect();
    let mentions = |id: SectionId| cut.iter().position(|words| within(id, words.all()));
    items(kind, language)
        .map(|(id, item)| Check { item: item.into(), stated: mentions(id).map(|at| stated[at].text.clone()) })
        .collect()
}

const _: () = assert!(LANGUAGES.len() == TEXTS.len(), "every language has its checklists");

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;

    use super::*;

    fn classes(text: &str) -> Vec<(Section, String)> {
        sentences(text, &Policy::default()).into_iter().map(|one| (one.section, one.text)).collect()
    }

    #[test]
    fn sentences_by_what_they_state() {
        use Section::{Changes, Decisions, Questions, Risks};
        for (text, expected) in [
            ("We decided to use Postgres.", vec![(Decisions, "We decided to use Postgres.")]),
            ("ok, but what about caching?", vec![(Questions, "What about caching?")]),
            (
                "We'll use one queue. It might fail under load.",
                vec![(Decisions, "We'll use one queue."), (Risks, "It might fail under load.")],
            ),
            ("The risk is that we will lose data", vec![(Risks, "The risk is that we will lose data")]),
            (
                "We decided to accept the risk of an outage",
                vec![(Decisions, "We decided to accept the risk of an outage")],
            ),
            ("There is no risk in that", vec![(Changes, "There is no risk in that")]),
            ("Not sure who owns the schema", vec![(Questions, "Not sure who owns the schema")]),
            ("looks good except the schema", vec![(Changes, "Looks good except the schema")]),
            ("Thanks! Create a ticket for login bug", vec![]),
            ("Review this plan: we will use Postgres.", vec![(Decisions, "We will use Postgres.")]),
            ("Review this plan: create a ticket for it", vec![]),
            (
                "Risks:\n- the queue\n- the cache\n\nIt is small.",
                vec![(Risks, "The queue"), (Risks, "The cache"), (Changes, "It is small.")],
            ),
            (
                "Decision: one database\nIt is small.",
                vec![(Decisions, "One database"), (Changes, "It is small.")],
            ),
            (
                "Wir haben entschieden, Postgres zu nehmen.",
                vec![(Decisions, "Wir haben entschieden, Postgres zu nehmen.")],
            ),
            (
                "Das Risiko ist der Ausfall. Was ist mit dem Cache?",
                vec![(Risks, "Das Risiko ist der Ausfall."), (Questions, "Was ist mit dem Cache?")],
            ),
        ] {
            let expected: Vec<_> =
                expected.into_iter().map(|(section, text)| (section, text.to_string())).collect();
            assert_eq!(classes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_said_twice_is_stated_once() {
        assert_eq!(classes("We use Redis. we use redis!").len(), 1);
    }

    #[test]
    fn kinds_are_named() {
        for (text, expected) in [
            ("Review this architecture", None),
            ("do a security review of the login flow", Some(Kind::Security)),
            ("PM review please", Some(Kind::Pm)),
            ("review the requirements for security", Some(Kind::Pm)),
            ("Mach ein Sicherheitsreview der Anmeldung", Some(Kind::Security)),
            ("Prüfe die Anforderungen", Some(Kind::Pm)),
            ("Prüfe die Architektur", None),
        ] {
            assert_eq!(kind(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn checklists_quote_or_say_nothing() {
        let stated = sentences("We will use Postgres. A retry may overload it.", &Policy::default());
        let checks = checklist(Kind::Architecture, &stated, "de-AT");
        let of = |item: &str| checks.iter().find(|check| check.item == item).unwrap().stated.as_deref();
        assert_eq!(of("Daten und ihr Ort"), Some("We will use Postgres."));
        assert_eq!(of("Ausfall und Wiederherstellung"), Some("A retry may overload it."));
        assert_eq!(of("Erwogene Alternativen"), None);
        assert!(checklist(Kind::Pm, &[], "fr").iter().any(|check| check.item == "Who it is for"));
    }

    /// Every item has words that find it and a text in every language, and the other way round.
    #[test]
    fn every_item_has_its_words_and_its_texts() {
        let named = |text: &'static str| -> BTreeSet<&str> {
            text.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect()
        };
        let items =
            |name: &&&str| Kind::ALL.iter().any(|kind| name.starts_with(&format!("{}.", kind.word())));
        let known: BTreeSet<&str> = REVIEW_NAMES.iter().filter(items).copied().collect();
        for (language, text) in TEXTS {
            assert_eq!(named(text), known, "{language}");
            let lexicon = &REVIEW[LANGUAGES.iter().position(|code| *code == language).unwrap()];
            assert!(known.iter().all(|name| lexicon.has(lexicon::find(REVIEW_NAMES, name).unwrap())));
        }
    }
}
