//! Words about an open preview that no rule reads: "make the tone friendlier and mention the mobile app". A model is asked which
//! named fields they change; what it proposes is a new version of the preview, marked as proposed
//! (`docs/design/0059-a-models-patch-of-a-draft.md`).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::data::ask::{AnswerRecipient, DraftText, FieldChange, Question};
use crate::data::authors::Authors;
use crate::data::card::Card;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::EventKind;
use crate::data::id::CardId;
use crate::data::message::MessageKind;
use crate::data::ticket::{Draft, Part};
use crate::messages;
use crate::tickets::batch;
use crate::tickets::extract::title_line;
use crate::tickets::vocabulary::{kind_at, label_at, longest};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::lexicon::{SectionId, TICKETS};
use throughline_language::{self as language, Context, Words};
use throughline_messages as say;

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const PLEASE: SectionId = id("edit.please");
const THE: SectionId = id("edit.the");
const IT: SectionId = id("edit.it");
const TEXT: SectionId = id("revise.text");
const MAKE: SectionId = id("revise.make");
const NOUN: SectionId = id("revise.noun");
const SAY: SectionId = id("revise.say");

/// Asks a model what a message changes in a preview. `None` if it is about something else, or no model can be asked.
pub(super) fn ask(turn: &mut Turn<'_>, card: &Card, said: &RoutedMessage) -> Option<Decision> {
    // A message that is routed again after an answer was asked about already.
    if !matches!(turn.event.kind, EventKind::MessagePosted(_)) || !is_about(turn, card, said) {
        return None;
    }
    let items = turn.drafts_of(card).iter().enumerate().map(|(at, draft)| text_of(at, draft)).collect();
    let about = AnswerRecipient::Revision { card: card.id.clone(), version: card.version };
    ask_loop::open(turn, about, Question::Revise { items })
        .then(|| Decision::new(Verdict::Deferred, Reason::DraftRevised))
}

/// Returns the name under which a model knows an item: its place on the card.
fn alias(at: usize) -> String {
    format!("i{}", at + 1)
}

/// Returns an item as a model sees it: the fields that it may change.
fn text_of(at: usize, draft: &Draft) -> DraftText {
    let fields = draft.parts().iter().filter(|(part, _)| part.is_revisable());
    let fields = fields.map(|(part, text)| (*part, text.clone())).collect();
    DraftText { item: alias(at), item_type: draft.item_type, fields }
}

/// True if a message is about the texts of the preview: it replies to the card, or says what to do with its words.
fn is_about(turn: &Turn<'_>, card: &Card, said: &RoutedMessage) -> bool {
    if said.rule().is_some() || said.words.all().first().is_none_or(|word| word.quoted) {
        return false;
    }
    let focus = focus(turn);
    let anchor = focus.anchor_id().filter(|_| focus.replies());
    let replies =
        anchor.and_then(|anchor| turn.card_shown_by(anchor)).is_some_and(|shown| shown.id == card.id);
    let only_answers = said.approves()
        || language::affirms(&said.words)
        || said.beside().is_some()
        || language::is_acknowledgement(&said.words, &Context::default());
    replies && !only_answers || revises(&said.words)
}

/// True if a text says what to do with the words of a ticket: "shorten it", "make the tone friendlier", "mention that …".
fn revises(words: &Words) -> bool {
    let all = words.all();
    let skip = |section: SectionId, mut at: usize| {
        while longest(section, all, at) > 0 {
            at += longest(section, all, at);
        }
        at
    };
    let of_the_ticket = |at: usize| {
        let named = skip(THE, at);
        longest(IT, all, at) > 0
            || longest(NOUN, all, named) > 0
            || label_at(all, named).is_some()
            || named > at && kind_at(all, named).is_some()
    };
    [skip(PLEASE, 0), 0].into_iter().any(|at| {
        let (text, make) = (longest(TEXT, all, at), longest(MAKE, all, at));
        longest(SAY, all, at) > 0
            || text > 0 && (at + text == all.len() || of_the_ticket(at + text))
            || make > 0 && of_the_ticket(at + make)
    })
}

/// Takes in what a model proposes for a preview. `None` if it proposes nothing, or the preview is another one by now.
pub(crate) fn revised(
    turn: &mut Turn<'_>,
    (card, version): (&CardId, u32),
    changes: &[FieldChange],
) -> Option<Decision> {
    let card = turn.get::<Card>(card).filter(|card| card.is_open() && card.version == version).cloned()?;
    let (drafts, by) = (turn.drafts_of(&card), turn.writer());
    let mut told: Vec<String> = Vec::new();
    for (at, mut draft) in drafts.iter().cloned().enumerate() {
        let label = batch::card::label(turn.language(), &drafts, &draft.id);
        let before = draft.clone();
        let title_chars = turn.policy.window.title_chars;
        revise(&mut draft, changes.iter().filter(|change| change.item == alias(at)), title_chars, &by);
        for part in Part::ALL.into_iter().filter(|part| before.part(*part) != draft.part(*part)) {
            let (was, now) = (before.part(part), draft.part(part));
            told.push(messages::difference(turn.language(), label.as_deref(), part, was, now));
        }
        turn.put(draft);
    }
    if told.is_empty() {
        return None;
    }
    let task = turn.task_of(&card);
    if let Some(task) = &task {
        turn.belongs_to(task);
    }
    batch::edit::changed(turn, card);
    let told = say::edit_by_model(turn.language(), told.join("\n"));
    turn.say(MessageKind::Notification, task.as_ref(), &told);
    Some(Decision::new(Verdict::Done, Reason::DraftRevised))
}

/// Writes a model's texts into the parts that it may change, as proposals. A text that is empty changes nothing.
fn revise<'c>(
    draft: &mut Draft,
    changes: impl Iterator<Item = &'c FieldChange>,
    title_chars: usize,
    by: &Authors,
) {
    for FieldChange { field, text, .. } in changes.filter(|change| change.field.is_revisable()) {
        let text = if *field == Part::Title { title_line(text, title_chars) } else { text.trim().into() };
        if !text.is_empty() {
            draft.repropose(*field, &text, by);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;
    use proptest::prelude::*;

    use super::*;
    use crate::data::id::{DraftId, MessageId, TaskId};
    use crate::data::ticket::{ItemType, Target};

    #[test]
    fn words_about_the_words_of_a_ticket() {
        for text in [
            "make the tone friendlier and mention that it also hits the mobile app",
            "shorten it",
            "Please shorten the description",
            "rephrase the title so that a customer understands it",
            "translate it into German",
            "also mention that it happens on Safari",
            "make it sound less harsh",
            "add that nobody can pay",
            "Mach den Ton freundlicher",
            "Kürze die Beschreibung bitte",
            "erwähne auch, dass es auf dem Handy passiert",
        ] {
            assert!(revises(&Words::of(text)), "{text}");
        }
        for text in [
            "make the export faster",
            "the export is slow",
            "mention",
            "add a button to the form",
            "translate the page",
            "It makes the tone friendlier",
            "Die Seite ist kurz",
            "",
        ] {
            assert!(!revises(&Words::of(text)), "{text}");
        }
    }

    fn draft() -> Draft {
        let target = Target { tracker: "local".into(), project: "DEMO".into() };
        let ids = (TaskId("t".into()), MessageId("m".into()));
        let mut draft = Draft::blank(DraftId("d".into()), ids, "ana", ItemType::Bug, target);
        for part in Part::ALL {
            draft.write(part, part.as_str(), &Authors::of("ana"));
        }
        draft
    }

    proptest! {
        /// Whatever a model answers, only the texts of the parts it may change become other ones.
        #[test]
        fn only_named_fields_change(changes in prop::collection::vec((0..Part::ALL.len(), "\\PC{0,40}"), 0..12)) {
            let change = |(part, text): (usize, String)| FieldChange { item: "i1".into(), field: Part::ALL[part], text };
            let changes: Vec<FieldChange> = changes.into_iter().map(change).collect();
            let (before, mut after) = (draft(), draft());
            revise(&mut after, changes.iter(), 255, &Authors::of("bob"));
            for part in Part::ALL {
                let named = part.is_revisable() && changes.iter().any(|change| change.field == part);
                prop_assert!(named || after.part(part) == before.part(part));
                prop_assert!(!after.part(part).is_empty());
                prop_assert!(after.part(part) == before.part(part) || after.is_proposed(part));
            }
            let texts = |draft: &Draft| draft.parts().keys().copied().collect::<Vec<_>>();
            prop_assert_eq!(texts(&after), texts(&before));
            let mut same = after.clone();
            for part in Part::ALL {
                same.restore(part, &before);
            }
            prop_assert_eq!(same, before, "id, target, asker and the rest are as they were");
            prop_assert!(Part::ALL.iter().any(|part| !part.is_revisable()), "{}", Part::Evidence.as_str().to_string());
        }
    }
}
