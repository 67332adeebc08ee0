//! Reads a decision from a message: topic, decision, reason and issue keys. Every field is a passage of the
//! message; no text is added.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::policy::{DecisionLimits, limits};
use crate::data::proposal::ProposalField;
use throughline_language::Words;
use throughline_language::intent::rules::{readers, section};
use throughline_language::lexicon::SectionId;
use throughline_language::words::Gap;

const ABOUT: SectionId = section("decision.about");
const IS: SectionId = section("decision.is");
const WHY: SectionId = section("decision.why");
const LABELS: [(ProposalField, SectionId); 4] = [
    (ProposalField::Topic, section("decision.label.topic")),
    (ProposalField::Decision, section("decision.label.decision")),
    (ProposalField::Why, section("decision.label.why")),
    (ProposalField::Issues, section("decision.label.issues")),
];

/// A decision as it was read. A field that the text does not give is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ExtractedDecision {
    pub(super) topic: String,
    pub(super) decision: String,
    pub(super) why: String,
    pub(super) issues: Vec<String>,
    /// Everything in the text that has the form of an issue key; that includes words like `UTF-8`.
    pub(super) mentioned: Vec<String>,
}

/// Reads the text behind "record the decision".
pub(super) fn request(rest: &str, policy: &DecisionLimits) -> ExtractedDecision {
    let rest = rest.trim_start_matches(is_joint);
    let words = Words::of(rest);
    let (mut topic, mut decided) = ("", rest);
    if let Some(n) = leads(ABOUT, &words) {
        // "about caching: we use Redis", "about caching. We use Redis"
        let begin = words.all().get(n).map_or(rest.len(), |word| word.at);
        let colon = |(at, c): &(usize, char)| matches!(c, ':' | '\n') && *at >= begin;
        let end = rest.char_indices().find(colon).map(|(at, _)| at);
        let end = end.or_else(|| {
            let ends =
                |word: &&throughline_language::words::Word| word.at >= begin && word.after >= Gap::Hard;
            words.all().iter().find(ends).map(|word| word.end)
        });
        let end = end.unwrap_or(rest.len());
        (topic, decided) = (rest[begin..end].trim(), rest[end..].trim_start_matches(is_joint));
    } else if let Some(n) = leads(IS, &words) {
        decided = words.all().get(n).map_or("", |word| &rest[word.at..]);
    }
    let mut said = plain(decided, policy);
    if !topic.is_empty() {
        said.topic = cut(topic, policy.topic_chars);
    }
    said
}

/// Reads a text that is itself a decision: its labelled lines; in the rest, the first sentences are the
/// decision and the following ones the reason.
pub(super) fn plain(text: &str, policy: &DecisionLimits) -> ExtractedDecision {
    let (entries, free) = labelled(text);
    let mut said = ExtractedDecision::default();
    let words = Words::of(&free);
    let (decision, why) = apart(&words, policy.sentences);
    said.decision = cut(decision, policy.chars);
    said.why = cut(why, policy.why_chars);
    for (entry, text) in entries {
        match entry {
            ProposalField::Topic => said.topic = cut(&text, policy.topic_chars),
            ProposalField::Decision => said.decision = cut(&text, policy.chars),
            ProposalField::Why => said.why = cut(&text, policy.why_chars),
            ProposalField::Issues => said.issues = keys(&text),
        }
    }
    said.mentioned = keys(text);
    said
}

/// Splits a text into its labelled fields and the other lines. The lines below a label belong to its field,
/// up to an empty line.
pub(super) fn labelled(text: &str) -> (Vec<(ProposalField, String)>, String) {
    let mut entries: Vec<(ProposalField, String)> = Vec::new();
    let (mut free, mut open) = (Vec::new(), false);
    for line in text.lines() {
        if let Some((entry, rest)) = label(line) {
            entries.push((entry, rest.into()));
            open = true;
        } else if let Some((_, under)) = entries.last_mut().filter(|_| open && !line.trim().is_empty()) {
            if !under.is_empty() {
                under.push('\n');
            }
            under.push_str(line.trim());
        } else {
            open = false;
            free.push(line);
        }
    }
    (entries, free.join("\n").trim().into())
}

/// Returns the field whose name begins at a word, and how many words it has.
pub(super) fn label_at(words: &Words, at: usize) -> Option<(ProposalField, usize)> {
    let longest =
        |id: SectionId| readers(words).map(|reader| reader.list(id).longest(reader.words, at)).max();
    let found = LABELS.into_iter().filter_map(|(field, id)| Some((field, longest(id)?)));
    found.filter(|(_, n)| *n > 0).max_by_key(|(_, n)| *n)
}

/// Reads a labelled line: `Why: it is simple` → (Why, "it is simple").
fn label(line: &str) -> Option<(ProposalField, &str)> {
    let (label, rest) = line.split_once(':')?;
    let words = Words::of(label);
    let is = |id: SectionId| readers(&words).any(|reader| reader.list(id).is(reader.words));
    let (entry, _) = LABELS.into_iter().find(|(_, id)| !words.all().is_empty() && is(*id))?;
    Some((entry, rest.trim()))
}

/// Splits a text into decision and reason: at "because" if it is there, else after the given number of
/// sentences.
fn apart(words: &Words, sentences: usize) -> (&str, &str) {
    let (all, text) = (words.all(), words.text());
    let because = (1..all.len()).find_map(|at| {
        let n = readers(words).map(|reader| reader.list(WHY).longest(all, at)).max().unwrap_or(0);
        (n > 0 && !all[at].quoted && at + n < all.len()).then_some((at, at + n))
    });
    if let Some((at, from)) = because {
        return (text[..all[at].at].trim().trim_end_matches(is_joint), text[all[from].at..].trim());
    }
    let mut ends = all.iter().filter(|word| word.after >= Gap::Hard).map(|word| word.end);
    let Some(end) = ends.nth(sentences.saturating_sub(1)) else { return (text.trim(), "") };
    let stop = text[end..].find(char::is_whitespace).map_or(text.len(), |n| end + n);
    (text[..stop].trim(), text[stop..].trim())
}

/// The number of words at the beginning of the text that match a phrase of the section; `None` if it begins
/// with none.
fn leads(section: SectionId, words: &Words) -> Option<usize> {
    let longest = |reader: throughline_language::intent::rules::Reader<'_>| {
        reader.list(section).longest(reader.words, 0)
    };
    readers(words).map(longest).max().filter(|n| *n > 0)
}

fn is_joint(c: char) -> bool {
    c.is_whitespace() || ":,;-–—.!".contains(c)
}

/// The first `chars` characters of a text, with "…" behind them if something was cut off.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => alloc::format!("{}…", text[..end].trim_end()),
        None => text.to_string(),
    }
}

/// The issue keys in a text, such as `AUTH-12`, each once and in their order; at most
/// [`limits::DECISION_ISSUES`].
pub(crate) fn keys(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
        if is_key(word) && found.len() < limits::DECISION_ISSUES && !found.iter().any(|known| known == word) {
            found.push(word.into());
        }
    }
    found
}

/// True of a word like `AUTH-12`: capitals and digits, a hyphen, digits. `UTF-8` has this form too, so a
/// key that is only mentioned counts if the thread tracks it, and a key to be tracked is looked up first.
pub(super) fn is_key(word: &str) -> bool {
    let Some((project, number)) = word.split_once('-') else { return false };
    project.len() > 1
        && project.starts_with(|c: char| c.is_ascii_uppercase())
        && project.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        && !number.is_empty()
        && number.chars().all(|c| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rest: &str) -> (String, String, String) {
        let said = request(rest, &DecisionLimits::default());
        (said.topic, said.decision, said.why)
    }

    #[test]
    fn requests() {
        for (rest, topic, decision, why) in [
            (": we use Postgres", "", "we use Postgres", ""),
            (" that we use Redis because it is fast.", "", "we use Redis", "it is fast."),
            (" to use Postgres for orders", "", "use Postgres for orders", ""),
            (
                " about caching: we use Redis. We know it. It is fast.",
                "caching",
                "we use Redis. We know it.",
                "It is fast.",
            ),
            (" on caching\nWe use Redis", "caching", "We use Redis", ""),
            (" about caching", "caching", "", ""),
            ("", "", "", ""),
            (".", "", "", ""),
            (":\nTopic: storage\nDecision: Postgres\nWhy: we know it", "storage", "Postgres", "we know it"),
            (": wir nehmen Postgres, weil wir es kennen", "", "wir nehmen Postgres", "wir es kennen"),
            (" über Caching: wir nehmen Redis", "Caching", "wir nehmen Redis", ""),
        ] {
            assert_eq!(read(rest), (topic.into(), decision.into(), why.into()), "{rest:?}");
        }
    }

    #[test]
    fn issue_keys() {
        assert_eq!(
            keys("AUTH-1, AUTH-2 and auth-3, AUTH-1; X-1 A1-7 AUTH-x -5"),
            ["AUTH-1", "AUTH-2", "A1-7"]
        );
    }

    #[test]
    fn a_long_decision_is_cut_where_policy_says() {
        let said = plain(&"word ".repeat(400), &DecisionLimits::default());
        assert_eq!(said.decision.chars().last(), Some('…'));
        assert!(said.decision.chars().count() <= DecisionLimits::default().chars + 1);
    }
}
