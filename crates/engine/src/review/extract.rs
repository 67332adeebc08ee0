//! Reads a text sentence by sentence into decisions, risks, open questions and other statements, and fills
//! checklists from them. Every statement is a quotation; the vocabulary comes from the lexicons.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::policy::{Policy, limits};
use crate::data::review::{ChecklistItem, Points, ReviewKind, ReviewSection};
use throughline_language::intent::is_small_talk;
use throughline_language::intent::rules;
use throughline_language::lexicon::{Lexicon, REVIEW, SectionId};
use throughline_language::words::{Gap, Word};
use throughline_language::{Context, Words, approves, is_acknowledgement, is_greeting};

const LEAD: SectionId = named("lead");
const MADE: SectionId = named("decision.made");
const PLANNED: SectionId = named("decision.planned");
const RISK: SectionId = named("risk");
const RISK_NONE: SectionId = named("risk.none");
const QUESTION: SectionId = named("question");
const LABELS: [(SectionId, ReviewSection); 4] = [
    (named("label.decisions"), ReviewSection::Decisions),
    (named("label.risks"), ReviewSection::Risks),
    (named("label.questions"), ReviewSection::Questions),
    (named("label.changes"), ReviewSection::Changes),
];
const DEFINITE: SectionId = named("definite");
const SECURITY: SectionId = named("kind.security");
const PM: SectionId = named("kind.pm");

pub(super) const fn named(name: &str) -> SectionId {
    REVIEW.section(name)
}

/// Returns the number of words a phrase of the section covers from this word on: the longest match in any
/// language, 0 if none matches.
pub(super) fn at(id: SectionId, words: &[Word], at: usize) -> usize {
    REVIEW.iter().map(|lexicon: &'static Lexicon| lexicon.section(id).longest(words, at)).max().unwrap_or(0)
}

fn within(id: SectionId, words: &[Word]) -> bool {
    (0..words.len()).any(|from| at(id, words, from) > 0)
}

/// A sentence and its section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ClassifiedSentence {
    pub(super) section: ReviewSection,
    pub(super) text: String,
}

/// Splits a text into classified sentences, without requests, greetings, thanks and repetitions. A heading
/// line ("Risks:") gives its section to the lines up to the next blank one.
pub(super) fn sentences(text: &str, policy: &Policy) -> Vec<ClassifiedSentence> {
    let mut found: Vec<ClassifiedSentence> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    let mut under: Option<ReviewSection> = None;
    let (mut read, mut characters) = (0, policy.window.text_chars * limits::REVIEW_MESSAGES_READ);
    for line in text.lines() {
        let Some(left) =
            characters.checked_sub(line.chars().count()).filter(|_| read < limits::REVIEW_SENTENCES_READ)
        else {
            break;
        };
        characters = left;
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
        for (begin, end) in cut(&words, from).take(limits::REVIEW_SENTENCES_READ - read) {
            read += 1;
            let Some(begin) = begin_of(&words, begin, end) else { continue };
            let stated = &words.all()[begin..end];
            let section = under.unwrap_or_else(|| class(stated));
            let begin = begin + lead(stated);
            let is_new = begin < end
                && found.len() < limits::REVIEW_SENTENCES
                && known.insert(same(&words, begin, end));
            if is_new {
                let text = shorten(words.clause(begin, end), policy.review.bullet_chars);
                found.push(ClassifiedSentence { section, text });
            }
        }
        if label.is_some() && from < words.all().len() {
            // "Risk: it may fail" is complete in one line and no heading for the next.
            under = None;
        }
    }
    found
}

/// Reads a label at the beginning of a line ("Risks:"): its section, and the index of the word after it.
fn label(words: &Words) -> (Option<ReviewSection>, usize) {
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

/// Splits the words from `from` on into sentences, as ranges of word indices.
fn cut(words: &Words, from: usize) -> impl Iterator<Item = (usize, usize)> {
    let all = words.all();
    let mut begin = from;
    (from..all.len()).filter_map(move |at| {
        let ends = all[at].after >= Gap::Hard || at + 1 == all.len();
        ends.then(|| (core::mem::replace(&mut begin, at + 1), at + 1))
    })
}

/// Returns the index of the word where a sentence begins to state something: its first word, or the one after
/// the colon of a request. `None` for requests, greetings and thanks.
fn begin_of(words: &Words, begin: usize, end: usize) -> Option<usize> {
    let nothing = |from: usize| {
        let sentence = Words::of(words.clause(from, end));
        rules::rule(&sentence).is_some()
            || sentence.all().len() <= limits::COURTESY_WORDS
                && (is_greeting(&sentence)
                    || is_acknowledgement(&sentence, &Context::default())
                    || is_small_talk(&sentence)
                    || approves(&sentence))
    };
    let colon = |at: &usize| words.text()[words.all()[*at].end..].starts_with(':');
    let behind = (begin..end - 1).find(colon).map(|at| at + 1);
    [Some(begin).filter(|_| !nothing(begin)), behind.filter(|from| !nothing(*from))]
        .into_iter()
        .flatten()
        .next()
}

fn class(words: &[Word]) -> ReviewSection {
    let asks = words.last().is_some_and(|word| word.after == Gap::Question);
    if asks || within(QUESTION, words) {
        ReviewSection::Questions
    } else if within(MADE, words) {
        ReviewSection::Decisions
    } else if within(RISK, words) && !within(RISK_NONE, words) {
        ReviewSection::Risks
    } else if within(PLANNED, words) {
        ReviewSection::Decisions
    } else {
        ReviewSection::Changes
    }
}

/// Counts the filler words at the beginning.
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

/// Formats a point: first letter in upper case, cut to `chars` characters with an ellipsis.
fn shorten(text: &str, chars: usize) -> String {
    let mut letters = text.trim().chars();
    let first: String = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    let mut out: String = first.chars().chain(letters.by_ref()).take(chars).collect();
    if out.chars().count() < text.trim().chars().count() {
        out.push('…');
    }
    out
}

/// Reduces a text to its folded words: equal for texts that differ only in case and punctuation.
pub(super) fn folded(text: &str) -> String {
    let words = Words::of(text);
    same(&words, 0, words.all().len())
}

/// Reduces these words of a text as [`folded`] does.
fn same(words: &Words, begin: usize, end: usize) -> String {
    words.all()[begin..end].iter().map(|word| words.folded(word)).collect::<Vec<_>>().join(" ")
}

/// Sorts sentences into the sections of a review.
pub(super) fn points(stated: &[ClassifiedSentence]) -> Points {
    let mut points = Points::default();
    for one in stated {
        points.list(one.section).push(one.text.clone());
    }
    points
}

/// True if a request refers to a known subject: "now create the epic".
pub(super) fn definite(request: &Words) -> bool {
    within(DEFINITE, request.all())
}

/// Returns the kind of review a request names, if it names one.
pub(super) fn kind(request: &Words) -> Option<ReviewKind> {
    let words = request.all();
    (0..words.len()).find_map(|from| {
        let kinds = [(SECURITY, ReviewKind::Security), (PM, ReviewKind::Pm)];
        kinds.into_iter().find(|(id, _)| at(*id, words, from) > 0).map(|(_, kind)| kind)
    })
}

const TEXTS: [(&str, &str); 2] = [("en", include_str!("texts/en.txt")), ("de", include_str!("texts/de.txt"))];

/// Returns the checklist of a kind, in the language or else in English: each item's lexicon section and its
/// text.
fn items(kind: ReviewKind, language: &str) -> impl Iterator<Item = (SectionId, &'static str)> {
    let speaks =
        |code: &str| language == code || language.strip_prefix(code).is_some_and(|l| l.starts_with('-'));
    let texts = TEXTS.iter().find(|(code, _)| speaks(code)).unwrap_or(&TEXTS[0]).1;
    let lines = texts.lines().filter_map(|line| line.split_once(" = "));
    lines.filter_map(move |(name, item)| {
        name.strip_prefix(kind.as_str())?.strip_prefix('.')?;
        Some((REVIEW.find(name)?, item))
    })
}

/// Returns the checklist of a kind, each item with the first sentence that mentions it.
pub(super) fn checklist(
    kind: ReviewKind,
    stated: &[ClassifiedSentence],
    language: &str,
) -> Vec<ChecklistItem> {
    let cut: Vec<Words> = stated.iter().map(|one| Words::of(&one.text)).collect();
    let mentions = |id: SectionId| cut.iter().position(|words| within(id, words.all()));
    items(kind, language)
        .map(|(id, item)| ChecklistItem {
            item: item.into(),
            stated: mentions(id).map(|at| stated[at].text.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec;

    use super::*;

    fn classes(text: &str) -> Vec<(ReviewSection, String)> {
        sentences(text, &Policy::default()).into_iter().map(|one| (one.section, one.text)).collect()
    }

    #[test]
    fn sentences_by_what_they_state() {
        use ReviewSection::{Changes, Decisions, Questions, Risks};
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
            ("do a security review of the login flow", Some(ReviewKind::Security)),
            ("PM review please", Some(ReviewKind::Pm)),
            ("review the requirements for security", Some(ReviewKind::Pm)),
            ("Mach ein Sicherheitsreview der Anmeldung", Some(ReviewKind::Security)),
            ("Prüfe die Anforderungen", Some(ReviewKind::Pm)),
            ("Prüfe die Architektur", None),
        ] {
            assert_eq!(kind(&Words::of(text)), expected, "{text}");
        }
    }

    #[test]
    fn checklists_quote_or_say_nothing() {
        let stated = sentences("We will use Postgres. A retry may overload it.", &Policy::default());
        let checks = checklist(ReviewKind::Architecture, &stated, "de-AT");
        let of = |item: &str| checks.iter().find(|check| check.item == item).unwrap().stated.as_deref();
        assert_eq!(of("Daten und ihr Ort"), Some("We will use Postgres."));
        assert_eq!(of("Ausfall und Wiederherstellung"), Some("A retry may overload it."));
        assert_eq!(of("Erwogene Alternativen"), None);
        assert!(checklist(ReviewKind::Pm, &[], "fr").iter().any(|check| check.item == "Who it is for"));
    }

    /// Every checklist item has vocabulary and a text in every language, and no text is without an item.
    #[test]
    fn every_item_has_its_words_and_its_texts() {
        let named = |text: &'static str| -> BTreeSet<&str> {
            text.lines().filter_map(|line| line.split_once(" = ")).map(|(name, _)| name).collect()
        };
        let items =
            |name: &&str| ReviewKind::ALL.iter().any(|kind| name.starts_with(&format!("{}.", kind.as_str())));
        let known: BTreeSet<&str> = REVIEW.names().filter(items).collect();
        for (language, text) in TEXTS {
            assert_eq!(named(text), known, "{language}");
            let lexicon = REVIEW.lexicon(language.parse().unwrap());
            assert!(known.iter().all(|name| lexicon.has(REVIEW.find(name).unwrap())));
        }
    }
}
