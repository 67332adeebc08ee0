//! Cards as pages show them: what it is about, who may decide until when, and the rest for those who look closer.

use std::borrow::Cow;

use serde::Serialize;
use throughline_messages as messages;

use crate::language;
use crate::wire;
use crate::wire::Moment;

/// Card for display.
#[derive(Debug, Serialize)]
pub(crate) struct CardView {
    card: wire::Card,
    /// Kind of card, in a word.
    kicker: String,
    /// Title and the rest of it, as one text.
    label: String,
    heading: Sentence,
    facts: Vec<Sentence>,
    /// Facts about the decision.
    decision: Vec<Sentence>,
    /// Version and hash, and the facts for those who look closer.
    details: Vec<String>,
    /// True if it has evidence, which is for them too.
    evidence: bool,
    /// True if there is something for them.
    closer: bool,
    /// Link to the result.
    link: Option<Link>,
    /// True for an answered question what to do with a message, which is a line.
    closed: bool,
}

/// Sentence of a card, split at the moment it ends with.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Sentence {
    text: String,
    /// Moment, for machines and, in UTC, for people.
    at: Option<String>,
    clock: String,
    after: &'static str,
    /// True for a part of the title.
    of_title: bool,
}

#[derive(Debug, Serialize)]
struct Link {
    /// Address, if it is on this site; other links are shown as text.
    href: Option<String>,
    label: String,
}

impl CardView {
    /// Returns the card's question, in one line.
    pub(super) fn question(&self) -> &str {
        self.card
            .title
            .split(" · ")
            .next()
            .filter(|_| self.card.step == "receipt")
            .unwrap_or(&self.card.title)
    }
}

impl From<wire::Card> for CardView {
    fn from(card: wire::Card) -> Self {
        let parts: Vec<&str> =
            if card.step == "receipt" { card.title.split(" · ").collect() } else { vec![&card.title] };
        let sentence = |text: &str| Sentence::of(text, &card.moments);
        let mut titles = parts.into_iter().map(|part| Sentence { of_title: true, ..sentence(part) });
        let heading = titles.next().unwrap_or_default();
        let rest: Vec<Sentence> = titles.collect();
        let label =
            std::iter::once(&heading).chain(&rest).map(Sentence::whole).collect::<Vec<_>>().join(" · ");
        let apart = |fact: &&String| !card.decision.contains(fact) && !card.details.contains(fact);
        let facts =
            rest.into_iter().chain(card.facts.iter().filter(apart).map(|fact| sentence(fact))).collect();
        let evidence = card
            .fields
            .iter()
            .any(|field| field.name == "evidence" && !field.text.is_empty() && field.note.is_none());
        let mark = card.hash.as_ref().map(|hash| format!("v{} · {hash}", card.version));
        let details: Vec<String> = mark.into_iter().chain(card.details.iter().cloned()).collect();
        Self {
            kicker: kicker(&card.step),
            label,
            heading,
            facts,
            decision: card.decision.iter().map(|fact| sentence(fact)).collect(),
            closer: evidence || !details.is_empty(),
            evidence,
            details,
            link: card.link.as_deref().map(Link::to),
            closed: card.step == "scope_gate" && card.buttons.is_empty(),
            card,
        }
    }
}

/// Returns a sentence of a card, with the zone of the moment that it ends with.
pub(super) fn zoned(sentence: &str, moments: &[Moment]) -> String {
    Sentence::of(sentence, moments).whole().into_owned()
}

fn kicker(step: &str) -> String {
    let language = language::here();
    match step {
        "draft_preview" | "multi_ticket_preview" => messages::script_preview(language),
        "scope_gate" => messages::script_question(language),
        "uncertain_effect" | "uncertain_call" => messages::script_no_answer_yet(language),
        "receipt" => messages::script_receipt(language),
        "remembered" => messages::script_remembered(language),
        "decision_preview" => messages::script_decision(language),
        "review_active" => messages::script_review(language),
        "review_frozen" => messages::script_review_frozen(language),
        "options" => messages::script_options(language),
        _ => messages::script_card(language),
    }
}

impl Sentence {
    /// Splits a sentence at the moment it ends with, perhaps in brackets, as `chat/times.js` does.
    fn of(sentence: &str, moments: &[Moment]) -> Self {
        let apart = |before: &str| !before.ends_with(|c: char| c.is_alphanumeric() || c == ':');
        let ends = |moment: &'_ Moment, after: &'static str| {
            let before =
                sentence.strip_suffix(after)?.strip_suffix(&moment.text).filter(|before| apart(before))?;
            Some((before.to_owned(), moment.clone(), after))
        };
        let found = moments.iter().flat_map(|moment| [ends(moment, ""), ends(moment, ")")]).flatten();
        match found.min_by_key(|(before, ..)| before.len()) {
            None => Self { text: sentence.into(), ..Self::default() },
            Some((text, moment, after)) => Self {
                text,
                clock: messages::script_utc(language::here(), &moment.text),
                at: Some(moment.at),
                after,
                of_title: false,
            },
        }
    }

    fn whole(&self) -> Cow<'_, str> {
        match self.at {
            None => Cow::Borrowed(&self.text),
            Some(_) => Cow::Owned(format!("{}{}{}", self.text, self.clock, self.after)),
        }
    }
}

impl Link {
    fn to(url: &str) -> Self {
        let here = url.starts_with('/') && !url.starts_with("//") && !url.contains('\\');
        let key = url.rsplit('/').next().unwrap_or_default();
        if here {
            Self { href: Some(url.into()), label: messages::script_open(language::here(), key) }
        } else {
            Self { href: None, label: url.into() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moment_that_a_sentence_ends_with_is_told_with_its_zone() {
        let moments = [("10:32", "2026-01-15T10:32:00.000Z"), ("3 Dec 10:32", "2026-12-03T10:32:00.000Z")]
            .map(|(text, at)| Moment { text: text.into(), at: at.into() });
        for (text, whole, at) in [
            ("until 10:32", "until 10:32 UTC", Some(0)),
            ("(next look 10:32)", "(next look 10:32 UTC)", Some(0)),
            ("until 3 Dec 10:32", "until 3 Dec 10:32 UTC", Some(1)),
            ("“at 10:32”", "“at 10:32”", None),
            ("8:10:32", "8:10:32", None),
            ("asked by @ana", "asked by @ana", None),
        ] {
            let sentence = Sentence::of(text, &moments);
            assert_eq!(
                (&*sentence.whole(), sentence.at.as_deref()),
                (whole, at.map(|at: usize| &*moments[at].at))
            );
        }
    }

    #[test]
    fn only_links_of_this_site_can_be_followed() {
        let to = Link::to("/tracker/DEMO-1");
        assert_eq!((to.href.as_deref(), to.label.as_str()), (Some("/tracker/DEMO-1"), "Open DEMO-1"));
        for elsewhere in
            ["https://jira.example.org/AUTH-1", "//evil.example", "/\\evil.example", "javascript:x()"]
        {
            let to = Link::to(elsewhere);
            assert_eq!((to.href, to.label.as_str()), (None, elsewhere));
        }
    }
}
