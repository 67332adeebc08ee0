//! The topic of a review, and the comparison of two topics.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};

use crate::data::policy::Policy;
use crate::data::review::{Review, ReviewSection};
use crate::review::extract::{at, named};
use throughline_language::Words;
use throughline_language::intent::is_small_talk;
use throughline_language::lexicon::SectionId;
use throughline_language::words::{Gap, Word};

const STOP: SectionId = named("topic.stop");
const ARTIFACT: SectionId = named("topic.artifact");
const ASIDE: SectionId = named("aside");

/// Words that a message has to share with what a review states to be about it.
const SHARED: usize = 2;
const KINDS: [SectionId; 2] = [named("kind.security"), named("kind.pm")];

/// Returns the topic of a request, in at most `topic_chars` characters: the words of the request that name
/// one, else those of the first sentence of `context` that does, else the artifact to review
/// ("architecture"), else the first line of the request.
pub(super) fn topic(request: &str, context: Option<&str>, policy: &Policy) -> String {
    let request = Words::of(request);
    let generic = |words: &[Word], from: usize| {
        at(ARTIFACT, words, from) > 0 || KINDS.iter().any(|id| at(*id, words, from) > 0)
    };
    let named = |words: &Words| found(words, &generic);
    let found = named(&request)
        .or_else(|| named(&Words::of(context?)))
        .or_else(|| found(&request, &|_, _| false))
        .unwrap_or_else(|| request.text().lines().next().unwrap_or_default().trim().into());
    found.chars().take(policy.review.topic_chars).collect()
}

/// Returns the topic of a sentence: its words that name something, else its first line.
pub(crate) fn topic_of(sentence: &str, policy: &Policy) -> String {
    topic(sentence, None, policy)
}

/// Returns the words from the first naming word of the text to the last one of its sentence.
fn found(words: &Words, generic: &dyn Fn(&[Word], usize) -> bool) -> Option<String> {
    let all = words.all();
    let names = |from: &usize| at(STOP, all, *from) == 0 && !generic(all, *from);
    let first = (0..all.len()).find(names)?;
    let end = (first..all.len()).find(|&at| all[at].after >= Gap::Hard).unwrap_or(all.len() - 1);
    let last = (first..=end).rev().find(names)?;
    Some(words.slice(&all[first..=last]).to_string())
}

/// True if two topics are the same: they share the policy's percentage of the words of the shorter one.
pub(super) fn same(one: &str, other: &str, policy: &Policy) -> bool {
    let (one, other) = (words(one), words(other));
    let least = one.len().min(other.len());
    least > 0
        && one.intersection(&other).count() * 100 >= least * usize::from(policy.review.same_topic_percent)
}

/// True if a message shares a word with the topic of a review, or several with what it states.
pub(crate) fn is_about(review: &Review, message: &Words) -> bool {
    let said = naming(message);
    let points = review.merged();
    let points = ReviewSection::ALL.into_iter().flat_map(|section| points.of(section));
    let stated: BTreeSet<String> = points.chain([&review.summary]).flat_map(|point| words(point)).collect();
    !said.is_disjoint(&words(&review.topic)) || said.intersection(&stated).count() >= SHARED
}

/// True if a message is small talk, or about the things of every day: "brb, lunch".
pub(crate) fn is_aside(message: &Words) -> bool {
    let all = message.all();
    is_small_talk(message) || (0..all.len()).any(|from| at(ASIDE, all, from) > 0)
}

/// Returns the words that name the topic, folded to one case.
fn words(topic: &str) -> BTreeSet<String> {
    naming(&Words::of(topic))
}

fn naming(words: &Words) -> BTreeSet<String> {
    let all = words.all();
    (0..all.len())
        .filter(|&from| at(STOP, all, from) == 0)
        .map(|from| words.folded(&all[from]).to_string())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics() {
        for (request, context, expected) in [
            ("Review this architecture", None, "architecture"),
            (
                "Review this architecture",
                Some("We are moving login to OAuth. It is small."),
                "moving login to OAuth",
            ),
            ("What do you think about microservices?", Some("Old news."), "microservices"),
            ("And what about event sourcing?", None, "event sourcing"),
            ("do a security review of the login flow for mobile", None, "login flow for mobile"),
            ("Please review the caching plan", None, "caching"),
            ("review this", None, "review this"),
            ("Was haltet ihr von Microservices?", None, "Microservices"),
        ] {
            assert_eq!(topic(request, context, &Policy::default()), expected, "{request}");
        }
    }

    #[test]
    fn same_topics() {
        let policy = Policy::default();
        for (one, other, expected) in [
            ("microservices", "Microservices", true),
            ("event sourcing", "event sourcing with Kafka", true),
            ("microservices", "event sourcing", false),
            ("login flow", "login page", false),
            ("", "", false),
        ] {
            assert_eq!(same(one, other, &policy), expected, "{one} – {other}");
        }
    }
}
