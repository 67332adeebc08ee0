//! Reads what a message changes of an open proposal: labelled lines, "change the reason to …", "the reason is …",
//! "because …", and a decision that is said anew ("no, we use Valkey").

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::message::MessageKind;
use crate::data::pending::PendingKind;
use crate::data::policy::DecisionLimits;
use crate::data::proposal::ProposalField;
use crate::decision_records::{drafting, extract, proposal_of};
use crate::messages;
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::intent::rules::{readers, section};
use throughline_language::lexicon::SectionId;

const BEFORE: SectionId = section("decision.edit.before");
const ANEW: SectionId = section("decision.edit.anew");
const SET: SectionId = section("decision.edit.set");
const THE: SectionId = section("decision.edit.the");
const TO: SectionId = section("decision.edit.to");
const IS: SectionId = section("decision.edit.is");
const SAYS: SectionId = section("decision.edit.says");
const WHY: SectionId = section("decision.why");

/// Returns the fields that a message changes, with their texts. Empty if it changes none.
pub(super) fn read(text: &str, policy: &DecisionLimits) -> Vec<(ProposalField, String)> {
    let (entries, free) = extract::labelled(text);
    if !entries.is_empty() {
        return if free.is_empty() { entries } else { Vec::new() };
    }
    let words = Words::of(text);
    let quoted = words.all().first().is_none_or(|word| word.quoted);
    let asks = text.trim_end().ends_with('?');
    if quoted || asks { Vec::new() } else { said(&words, policy) }
}

/// An open proposal, and what a message changes of it.
pub(crate) struct NamedFields {
    pub(crate) card: Card,
    fields: Vec<(ProposalField, String)>,
}

/// Reads a message as a change of the open proposal that it replies to, else of the newest one that its writer asked for. What may
/// be the answer to *Edit* is left to that.
pub(crate) fn named_fields(turn: &Turn<'_>, said: &RoutedMessage) -> Option<NamedFields> {
    let asked = turn
        .conversational()
        .is_some_and(|asked| matches!(asked.kind, PendingKind::WaitingDecisionEdit { .. }));
    let proposes = |card: &&Card| matches!(card.about, CardSubject::DecisionPreview { .. }) && card.is_open();
    let card = match focus(turn).anchor_id().filter(|_| focus(turn).replies()) {
        Some(anchor) => turn.card_shown_by(anchor).filter(proposes),
        None => turn.open_cards().rev().find(proposes).filter(|card| card.by == said.by),
    };
    let card = card.filter(|_| !asked)?.clone();
    let fields = read(said.text(), &turn.policy.decision);
    (!fields.is_empty()).then_some(NamedFields { card, fields })
}

/// Applies what [`named_fields`] read, and shows the differences.
pub(crate) fn change(turn: &mut Turn<'_>, named: NamedFields) -> Option<Decision> {
    let before = proposal_of(turn, &named.card)?;
    turn.belongs_to(&before.task);
    drafting::write(turn, named.card.clone(), named.fields);
    let (now, language) = (proposal_of(turn, &named.card)?, turn.language());
    let changed = ProposalField::ALL.into_iter().filter(|field| before.entry(*field) != now.entry(*field));
    let line = |field: ProposalField| {
        messages::changed(language, &field.label(language), &before.entry(field), &now.entry(field))
    };
    let told: Vec<String> = changed.map(line).collect();
    if !told.is_empty() {
        turn.say(MessageKind::Notification, Some(&before.task), &told.join("\n"));
    }
    Some(Decision::new(Verdict::Done, Reason::DraftEdited))
}

fn said(words: &Words, policy: &DecisionLimits) -> Vec<(ProposalField, String)> {
    let all = words.all();
    let rest = |at: usize| all.get(at).map_or("", |word| &words.text()[word.at..]).trim().to_string();
    let longest = |id: SectionId, at: usize| {
        readers(words).map(|reader| reader.list(id).longest(all, at)).max().unwrap_or_default()
    };
    let skip = |id: SectionId, mut at: usize| {
        while longest(id, at) > 0 {
            at += longest(id, at);
        }
        at
    };
    let from = skip(BEFORE, 0);
    let why = longest(WHY, from);
    if why > 0 {
        return one(ProposalField::Why, rest(from + why));
    }
    let verb = longest(SET, from);
    let name = skip(THE, from + verb);
    if let Some((field, n)) = extract::label_at(words, name) {
        let to = longest(if verb > 0 { TO } else { IS }, name + n);
        let at = name + n + to;
        // "The decision is hard" and "the issue is that it crashes" say something else.
        let fits = match field {
            ProposalField::Topic | ProposalField::Why => true,
            ProposalField::Decision => verb > 0 || longest(SAYS, at) > 0,
            ProposalField::Issues => verb > 0,
        };
        return if to > 0 && fits { one(field, rest(at)) } else { Vec::new() };
    }
    // "No, we use Valkey because it is free": a decision said anew, behind a word that says so.
    let anew = (0..from).any(|at| longest(ANEW, at) > 0);
    if anew && longest(SAYS, from) > 0 {
        let said = extract::plain(&rest(from), policy);
        let reason = one(ProposalField::Why, said.why);
        return one(ProposalField::Decision, said.decision).into_iter().chain(reason).collect();
    }
    Vec::new()
}

fn one(field: ProposalField, text: String) -> Vec<(ProposalField, String)> {
    Some((field, text)).filter(|(_, text)| !text.is_empty()).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ProposalField::{Decision, Topic, Why};
    use alloc::vec;

    #[test]
    fn edits() {
        for (text, expected) in [
            ("Decision: we use Valkey", vec![(Decision, "we use Valkey")]),
            ("Why: the licence\nTopic: cache", vec![(Why, "the licence"), (Topic, "cache")]),
            ("change the decision to we use Valkey", vec![(Decision, "we use Valkey")]),
            ("please set the topic to the cache", vec![(Topic, "the cache")]),
            ("the reason is the licence", vec![(Why, "the licence")]),
            ("the topic should be caching", vec![(Topic, "caching")]),
            ("because of the licence", vec![(Why, "the licence")]),
            ("no, we use Valkey", vec![(Decision, "we use Valkey")]),
            (
                "actually we use Valkey because it is free",
                vec![(Decision, "we use Valkey"), (Why, "it is free")],
            ),
            ("ändere die Entscheidung auf: wir nehmen Valkey", vec![(Decision, "wir nehmen Valkey")]),
            ("Der Grund ist die Lizenz", vec![(Why, "die Lizenz")]),
            ("weil es frei ist", vec![(Why, "es frei ist")]),
            ("nein, wir nehmen Valkey", vec![(Decision, "wir nehmen Valkey")]),
            // What says no field, or asks, changes none.
            ("we use Valkey", vec![]),
            ("no", vec![]),
            ("why?", vec![]),
            ("what is the reason?", vec![]),
            ("no, create a ticket", vec![]),
            ("actually, what about Valkey?", vec![]),
            ("the decision was hard", vec![]),
            ("the decision is hard", vec![]),
            ("no, I don't think so", vec![]),
            ("the issue is that it crashes", vec![]),
        ] {
            let found = read(text, &DecisionLimits::default());
            let found: Vec<(ProposalField, &str)> =
                found.iter().map(|(field, text)| (*field, text.as_str())).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
