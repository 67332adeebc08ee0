//! A single ticket from its request to its preview: started, completed, edited. `release.rs` takes over from
//! there.

use crate::data::batch::Batch;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::cards::decide::refuse_step;
use crate::data::ask::{AnswerRecipient, DraftAnswer, Question};
use crate::data::authors::Authors;
use crate::data::card::{Card, CardSubject, Checks};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::{CardId, DraftId, MessageId};
use crate::data::intent::Intent;
use crate::data::lane_state::OpenAsk;
use crate::data::message::{Message, MessageKind};
use crate::data::pending::{PendingKind, Slot};
use crate::data::rung::Rung;
use crate::data::ticket::{Draft, Filled, ItemType, Part};
use crate::messages;
use crate::tickets::extract::fill;
use crate::tickets::gaps::{leave_the_rest, left_open_by, named_open};
use crate::tickets::project::targeted;
use crate::tickets::subject::asked_in;
use crate::tickets::{DraftSources, batch, extract, qualifiers, release, undo};
use crate::turn::Turn;
use crate::turn::routed_message::focus;
use throughline_language::Expected;
use throughline_messages as say;

/// Starts a ticket about `text` as a task of its own. A model completes the draft where one is configured;
/// the parts read from the message are kept in any case.
pub(crate) fn start(turn: &mut Turn<'_>, text: &str, named: Option<ItemType>, by: &str) -> Verdict {
    start_from(turn, text, named, by, DraftSources::default())
}

/// Starts a ticket as [`start`] does, with material from other messages.
pub(crate) fn start_from(
    turn: &mut Turn<'_>,
    text: &str,
    named: Option<ItemType>,
    by: &str,
    from: DraftSources,
) -> Verdict {
    let asked = turn.said.clone().filter(|_| text.is_empty());
    let task = turn.start_task(asked.as_ref().map_or(text, |said| said.text()), by);
    let source = turn.source();
    let own = turn.said.clone();
    let own = own.as_ref().map_or(text, |said| said.text());
    let fields = qualifiers::fields(own, by);
    let (target, text) = targeted(turn, own, text);
    let (item_type, mut parts) = extract(&text, named, turn.policy.window.title_chars);
    parts.extend(fields);
    let id = turn.new_draft_id();
    let mut draft = Draft::blank(id, (task, source), by, item_type, target);
    let authors = if from.authors.is_empty() { Authors::of(by) } else { from.authors.clone() };
    draft.write_all(&parts, &authors);
    leave_named_open(&mut draft, by);
    draft.material = from.authors.and(&replied_to(turn)).without(by);
    draft.said_at(turn, &draft.source.clone());
    from.messages.iter().for_each(|message| draft.said_at(turn, message));
    if let Some(anchor) = anchor_of_reply(turn) {
        draft.cite_files(turn, &anchor);
    }
    go_on_writing(turn, draft, Question::Draft { item_type: named, stories: None, from: from.texts })
}

/// Shows a preview with the text of an earlier draft, as a proposal.
pub(crate) fn another(turn: &mut Turn<'_>, like: &Draft, by: &str) -> Verdict {
    let task = turn.start_task(like.part(Part::Title), by);
    let source = turn.source();
    let (id, target) = (turn.new_draft_id(), like.target.clone());
    let mut draft = Draft::blank(id, (task, source), by, like.item_type, target);
    for part in like.parts().keys().filter(|part| **part != Part::Evidence) {
        draft.propose(*part, like.part(*part), &like.authors(*part));
    }
    draft.said_at(turn, &draft.source.clone());
    go_on(turn, draft);
    Verdict::Shown
}

/// Leaves the parts open that sentences of the request say to: "No acceptance criteria."
fn leave_named_open(draft: &mut Draft, by: &str) {
    for part in [Part::Problem, Part::Actual] {
        let text = String::from(draft.part(part));
        let sentences: Vec<&str> =
            text.split_inclusive(['.', '\n', '!']).filter(|one| !one.trim().is_empty()).collect();
        let open: Vec<Part> = sentences.iter().filter_map(|sentence| named_open(sentence)).collect();
        if !open.is_empty() && open.len() == sentences.len() {
            draft.clear(part);
        }
        open.into_iter().for_each(|part| draft.leave_open(part, by));
    }
}

/// Returns the person whose message the routed one replies to: a model reads it as its material.
pub(super) fn replied_to(turn: &Turn<'_>) -> Authors {
    super::authors_of(turn, anchor_of_reply(turn).as_ref())
}

/// Returns the message that the routed one replies to.
fn anchor_of_reply(turn: &Turn<'_>) -> Option<MessageId> {
    turn.said.as_ref()?;
    let focus = focus(turn);
    focus.anchor_id().filter(|_| focus.replies()).cloned()
}

/// Asks a model for missing parts. If nothing is missing or no model can be asked, goes on without one.
fn go_on_writing(turn: &mut Turn<'_>, draft: Draft, question: Question) -> Verdict {
    if !draft.missing().is_empty() && ask_loop::open(turn, AnswerRecipient::Draft(draft.id.clone()), question)
    {
        turn.put(draft);
        return Verdict::Deferred;
    }
    go_on(turn, draft);
    Verdict::Shown
}

/// Takes in a model's draft; `None` if the model gave no usable one, which leaves the parts read from the
/// message. Parts a person labelled in the message are kept over the model's.
pub(crate) fn drafted(turn: &mut Turn<'_>, draft: &DraftId, written: Option<DraftAnswer>) -> Decision {
    let decision = |verdict| Decision {
        rung: Rung::Intent,
        ..Decision::new(verdict, Reason::Drafted).with_intent(Intent::Ticket)
    };
    let Some(mut draft) = turn.get::<Draft>(draft).cloned() else { return decision(Verdict::Recorded) };
    if let Some(written) = written {
        draft.item_type = written.item_type;
        // What people wrote stays; a model fills the gaps.
        draft.take(written.fields, |draft, part| draft.parts().contains_key(&part));
    }
    go_on(turn, draft);
    decision(Verdict::Shown)
}

/// Shows the preview, gaps and all, and names the first gap in words, so that a plain reply fills it.
fn go_on(turn: &mut Turn<'_>, draft: Draft) {
    let (id, by) = (draft.id.clone(), draft.by.clone());
    turn.put(draft);
    let about = CardSubject::DraftPreview { draft: id.clone(), checks: Checks::Due };
    release::preview(turn, about, &by, None);
    ask_gap(turn, &id);
}

/// Asks for the first gap of a single ticket, if it has one.
pub(super) fn ask_gap(turn: &mut Turn<'_>, id: &DraftId) {
    let missing = turn.get::<Draft>(id).map(Draft::missing).unwrap_or_default();
    let Some(first) = missing.first().copied() else { return };
    let question = if first == Part::Title {
        say::ticket_ask_title(turn.language())
    } else {
        messages::ask_for(turn.language(), &missing)
    };
    ask_part(turn, id, first, &question);
}

/// Asks for a part of a draft.
pub(super) fn ask_part(turn: &mut Turn<'_>, id: &DraftId, part: Part, question: &str) {
    let Some(draft) = turn.get::<Draft>(id).cloned() else { return };
    let anchor = turn.say(MessageKind::Question, Some(&draft.task), question);
    let slot = Slot::Draft { draft: id.clone(), part };
    let kind = PendingKind::SlotRequest(slot);
    turn.open_pending(kind, Some(Expected::Text), &anchor, Some(&draft.task), Some(&draft.by), None);
}

/// Says once that a draft stays open, when other messages come between.
pub(crate) fn parked(turn: &mut Turn<'_>, id: &DraftId, part: Part) {
    let shown = matches!(open_draft(turn, id), Some(DraftPlace::Preview(_)));
    let Some(mut draft) = turn.get::<Draft>(id).cloned().filter(|draft| shown && !draft.parked) else {
        return;
    };
    draft.parked = true;
    let told = messages::parked(turn.language(), draft.part(Part::Title), part);
    turn.say(MessageKind::Notification, Some(&draft.task), &told);
    turn.put(draft);
}

/// Takes in an answer to a question about a draft: labelled lines fill their parts, the rest fills the part
/// that was asked for.
pub(crate) fn filled(turn: &mut Turn<'_>, draft: &DraftId, part: Part, text: &str) {
    let Some(mut draft) = turn.get::<Draft>(draft).cloned() else { return };
    let before = draft.clone();
    pour(&mut draft, Some(part), text, &turn.writer());
    if let Some(said) = &turn.said
        && draft.parts() != before.parts()
    {
        draft.said_at(turn, &said.message);
        draft.filled.push(Filled { message: said.message.clone(), part });
    }
    let Some(DraftPlace::Preview(card)) = open_draft(turn, &draft.id) else { return go_on(turn, draft) };
    let id = draft.id.clone();
    if leave_the_rest(text) {
        leave_others_open(turn, &card, &id);
    }
    again(turn, draft);
    match turn.get::<Card>(&card).and_then(Card::batch).cloned() {
        Some(batch) => batch::edit::ask_missing(turn, &batch),
        None => ask_gap(turn, &id),
    }
}

/// Leaves the gaps of the other items of a batch open as well.
fn leave_others_open(turn: &mut Turn<'_>, card: &CardId, answered: &DraftId) {
    let Some(card) = turn.get::<Card>(card).cloned() else { return };
    let by = turn.writer();
    for mut draft in turn.drafts_of(&card).into_iter().filter(|draft| draft.id != *answered) {
        draft.missing().into_iter().for_each(|part| leave_open(&mut draft, part, &by));
        turn.put(draft);
    }
}

/// Corrects an earlier answer about a part ("I meant …").
pub(crate) fn corrected(turn: &mut Turn<'_>, draft: &DraftId, part: Part, text: &str) {
    let Some(mut draft) = turn.get::<Draft>(draft).cloned() else { return };
    pour(&mut draft, Some(part), text, &turn.writer());
    let task = draft.task.clone();
    turn.say(
        MessageKind::Notification,
        Some(&task),
        &say::ticket_corrected(turn.language(), part.label(turn.language())),
    );
    again(turn, draft);
}

/// Writes an answer into a draft: labelled lines into their parts, the rest into the part that was asked for. Words that leave
/// parts open do so, behind a label or alone.
pub(super) fn pour(draft: &mut Draft, asked: Option<Part>, text: &str, by: &Authors) {
    let gaps = draft.missing();
    if let Some(open) = left_open_by(text, asked, &gaps) {
        open.into_iter().for_each(|part| leave_open(draft, part, by));
        return;
    }
    let free = pour_labelled(draft, text, by);
    if let Some(part) = asked.filter(|_| !free.is_empty()) {
        draft.write(part, &free, by);
    }
}

fn leave_open(draft: &mut Draft, part: Part, by: &Authors) {
    let by = by.iter().next().map_or_else(|| draft.by.clone(), String::from);
    draft.leave_open(part, &by);
}

/// Writes the labelled lines of a text into their parts and returns the other lines.
fn pour_labelled(draft: &mut Draft, text: &str, by: &Authors) -> String {
    let mut parts = draft.parts().clone();
    let free = fill(&mut parts, text);
    let open: Vec<Part> = parts
        .iter()
        .filter(|(part, text)| {
            draft.part(**part).is_empty()
                && left_open_by(text, Some(**part), &[]) == Some(alloc::vec![**part])
        })
        .map(|(part, _)| *part)
        .collect();
    for part in open {
        parts.remove(&part);
        leave_open(draft, part, by);
    }
    draft.write_all(&parts, by);
    free
}

// ---- edits ----

/// Answers *Edit* on channels without forms: asks for the fields one by one, or for the whole item if it has
/// none.
pub(crate) fn ask_edit(turn: &mut Turn<'_>, card: &Card, draft: Option<Draft>) -> Decision {
    let Some(draft) = draft else { return refuse_step(turn) };
    if ask_field(turn, &card.id, &draft, None) {
        return Decision::new(Verdict::Asked, Reason::PressApplied);
    }
    ask_words(turn, card, draft, &say::batch_which_story(turn.language()))
}

pub(super) fn ask_words(turn: &mut Turn<'_>, card: &Card, draft: Draft, question: &str) -> Decision {
    let anchor = turn.say(MessageKind::Question, Some(&draft.task), question);
    wait_for_words(turn, &card.id, &draft, Part::Title, &anchor);
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Asks for the first filled field of a draft, or for the first one after `after`. Returns `false` if there
/// is none.
fn ask_field(turn: &mut Turn<'_>, card: &CardId, draft: &Draft, after: Option<Part>) -> bool {
    let asked = |part: &Part| *part != Part::Evidence && !draft.part(*part).is_empty();
    let next = |part: &Part| Some(*part) > after && asked(part);
    let Some(part) = Part::ALL.into_iter().find(next) else { return false };
    ask_about(turn, card, draft, part);
    true
}

fn ask_about(turn: &mut Turn<'_>, card: &CardId, draft: &Draft, part: Part) {
    let item = turn.get::<Card>(card).cloned().and_then(|card| {
        crate::tickets::batch::card::label(turn.language(), &turn.drafts_of(&card), &draft.id)
    });
    let question = messages::edit_field(turn.language(), draft, item.as_deref(), part);
    let offers = [say::offer_skip(turn.language()), say::offer_cancel(turn.language())];
    let anchor = turn.say_offering(MessageKind::Question, Some(&draft.task), &question, &offers);
    wait_for_words(turn, card, draft, part, &anchor);
}

fn wait_for_words(turn: &mut Turn<'_>, card: &CardId, draft: &Draft, part: Part, anchor: &MessageId) {
    let kind = PendingKind::WaitingStoryEdit { draft: draft.id.clone(), card: card.clone(), part };
    let asked = turn.event.actor.clone();
    turn.open_pending(kind, Some(Expected::Text), anchor, Some(&draft.task), Some(&asked), None);
}

/// Takes in an answer about one field: its new text, or `None` to keep it, and asks for the next field. An
/// answer with labelled lines changes the parts it names and ends the edit.
pub(crate) fn edit_by_text(
    turn: &mut Turn<'_>,
    card: &CardId,
    draft: &DraftId,
    part: Part,
    text: Option<&str>,
) {
    let Some(card) = turn.get::<Card>(card).cloned().filter(Card::is_open) else {
        turn.tell(&say::press_stale(turn.language()));
        return;
    };
    let Some(mut draft) = turn.get::<Draft>(draft).cloned() else { return };
    let (before, by) = (draft.clone(), turn.writer());
    // An empty item is written whole: the first line is the title.
    let whole = before.parts().is_empty();
    let free = text.filter(|_| !whole).map(|text| pour_labelled(&mut draft, text, &by));
    let labelled = free.as_ref().is_some_and(|free| text.is_some_and(|text| *free != text.trim()));
    match text.filter(|_| !labelled) {
        Some(text) if whole => {
            let parts = extract(text, Some(draft.item_type), turn.policy.window.title_chars).1;
            draft.write_all(&parts, &by);
            if let Some(said) = &turn.said {
                draft.said_at(turn, &said.message);
            }
        }
        Some(text) => draft.write(part, text, &by),
        None => {}
    }
    // Text without a label, next to labelled lines, is the answer to the question.
    if let Some(free) = free.filter(|free| labelled && !free.is_empty()) {
        draft.write(part, &free, &by);
    }
    let kept = refused(&before, &draft);
    if let Some(part) = kept {
        // The rest of the answer is taken.
        turn.tell(&say::edit_stays(turn.language(), part.label(turn.language())));
        draft.restore(part, &before);
    }
    let (changed, id) = (draft.parts() != before.parts(), card.id.clone());
    if changed {
        batch::edit::revise(turn, card, draft.clone());
    } else if matches!(card.about.checks(), Some(Checks::Failed { .. })) {
        release::recheck(turn, &card);
    }
    if let Some(part) = kept {
        ask_about(turn, &id, &draft, part);
    } else if labelled && !changed {
        turn.tell(&say::edit_nothing_changed(turn.language()));
    } else if !(labelled || whole || ask_field(turn, &id, &draft, Some(part))) {
        turn.say(MessageKind::Notification, Some(&draft.task), &say::edit_last_field(turn.language()));
    }
}

/// Returns the part that an edit must not clear but did. Only a title has to stay; another part becomes a gap.
fn refused(before: &Draft, draft: &Draft) -> Option<Part> {
    let emptied = draft.part(Part::Title).is_empty() && !before.part(Part::Title).is_empty();
    emptied.then_some(Part::Title)
}

/// Applies an edit by form, all fields or none.
pub(crate) fn edit_by_form(
    turn: &mut Turn<'_>,
    card: Card,
    draft: Option<Draft>,
    values: &BTreeMap<String, String>,
) -> Decision {
    let Some(mut draft) = draft else { return refuse_step(turn) };
    let (before, by) = (draft.clone(), turn.writer());
    for (name, text) in values {
        match Part::parse(name) {
            Some(part) => draft.write(part, text, &by),
            None => return invalid(turn, &say::edit_unknown_field(turn.language(), name)),
        }
    }
    // An item that is new, or has no title yet, joins a batch with one.
    let untitled = card.batch().is_some() && draft.part(Part::Title).is_empty();
    if let Some(part) = refused(&before, &draft).or_else(|| untitled.then_some(Part::Title)) {
        return invalid(turn, &say::edit_needs(turn.language(), part.label(turn.language())));
    }
    if draft.parts() == before.parts() {
        if !matches!(card.about.checks(), Some(Checks::Failed { .. })) {
            return invalid(turn, &say::edit_nothing_changed(turn.language()));
        }
        release::recheck(turn, &card);
        return Decision::new(Verdict::Done, Reason::PressApplied);
    }
    turn.head
        .pendings
        .retain(|p| !matches!(&p.kind, PendingKind::WaitingStoryEdit { card: of, .. } if *of == card.id));
    batch::edit::revise(turn, card, draft);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

pub(super) fn invalid(turn: &mut Turn<'_>, text: &str) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, Reason::FormInvalid)
}

/// The effect of an edited message on the draft it began.
pub(crate) enum SourceEdit {
    /// The draft, or the question about it, was changed.
    Done(Verdict),
    /// The model's question was taken back and is to be asked again about the new text.
    AskAgain(AnswerRecipient, Question),
}

/// Applies the edit of a message that started or filled a draft. Parts whose reading changed are rewritten,
/// later changes are kept, and a model that is still writing is asked again. Returns `None` if no draft
/// changes.
pub(crate) fn apply_source_edit(turn: &mut Turn<'_>, before: &Message, text: &str) -> Option<SourceEdit> {
    if let Some(ask) = ask_loop::cancel_for_edit(turn, &before.id, text) {
        return Some(asked_again(turn, ask, before, text));
    }
    let found = turn.loaded::<Draft>().find(|draft| {
        let went_in = draft.filled.iter().any(|filled| filled.message == before.id);
        (draft.source == before.id || went_in) && open_draft(turn, &draft.id).is_some()
    });
    let mut draft = found?.clone();
    let old = draft.clone();
    let part = draft.filled.iter().find(|filled| filled.message == before.id).map(|filled| filled.part);
    if let Some(part) = part {
        let (was, now) = (answer(&before.text, part), answer(text, part));
        draft.reword((draft.item_type, &was), (draft.item_type, &now), &Authors::of(&before.by));
    } else if let Some(card) = batch_of(turn, &draft.id) {
        let batch = card.batch().cloned()?;
        return batch::source_edit::apply_source_edit(turn, &batch, before, text).then(|| {
            batch::edit::changed(turn, card);
            SourceEdit::Done(Verdict::Shown)
        });
    } else {
        reword(turn, &mut draft, before, text);
    }
    if matches!(open_draft(turn, &draft.id), Some(DraftPlace::Preview(_))) {
        // An edited message cannot take the title from a draft that is on a preview.
        if draft.part(Part::Title).is_empty() {
            draft.restore(Part::Title, &old);
        }
    }
    (draft != old).then(|| {
        again(turn, draft);
        SourceEdit::Done(Verdict::Shown)
    })
}

/// Asks a model again, about the edited message. A request that can now be read without a model is shown
/// instead.
fn asked_again(turn: &mut Turn<'_>, ask: OpenAsk, before: &Message, text: &str) -> SourceEdit {
    let question = ask.question.map_or(Question::Answer, |question| *question);
    match (&ask.about, question) {
        (AnswerRecipient::Draft(id), Question::Draft { from, .. })
            if let Some(mut draft) = turn.get::<Draft>(id).cloned() =>
        {
            reword(turn, &mut draft, before, text);
            let question = Question::Draft { item_type: asked_in(text).0, stories: None, from };
            SourceEdit::Done(go_on_writing(turn, draft, question))
        }
        (AnswerRecipient::Batch(id), question) => {
            batch::source_edit::apply_source_edit(turn, id, before, text);
            match batch::drafting::reading(turn, text) {
                Some(asked) => SourceEdit::Done(batch::drafting::go_on(turn, id, &asked)),
                None => SourceEdit::AskAgain(ask.about, question),
            }
        }
        (_, question) => SourceEdit::AskAgain(ask.about, question),
    }
}

/// Applies the difference between two readings of the draft's request.
fn reword(turn: &Turn<'_>, draft: &mut Draft, before: &Message, text: &str) {
    let read = |text: &str| {
        let (named, object) = asked_in(text);
        let (kind, mut parts) =
            extract(&targeted(turn, text, &object).1, named, turn.policy.window.title_chars);
        parts.extend(qualifiers::fields(text, &before.by));
        (kind, parts)
    };
    let ((kind_was, was), (kind, now)) = (read(&before.text), read(text));
    draft.reword((kind_was, &was), (kind, &now), &Authors::of(&before.by));
}

/// Reads an answer into parts; text without a label belongs to `part`.
fn answer(text: &str, part: Part) -> BTreeMap<Part, String> {
    let mut said = BTreeMap::new();
    let free = fill(&mut said, text);
    if !free.is_empty() {
        said.insert(part, free);
    }
    said
}

/// The open card of the batch a draft belongs to.
fn batch_of(turn: &Turn<'_>, draft: &DraftId) -> Option<Card> {
    let Some(DraftPlace::Preview(card)) = open_draft(turn, draft) else { return None };
    turn.get::<Card>(&card).cloned().filter(|card| card.batch().is_some())
}

/// The place of a draft that can still be changed.
pub(crate) enum DraftPlace {
    /// On a card that waits for its decision.
    Preview(CardId),
    /// In a question for this part.
    Asking(Part),
}

/// Returns the place of a draft, `None` if it can no longer be changed.
pub(crate) fn open_draft(turn: &Turn<'_>, id: &DraftId) -> Option<DraftPlace> {
    let shows = |card: &&Card| match &card.about {
        CardSubject::DraftPreview { draft, .. } => draft == id,
        CardSubject::BatchPreview { batch, .. } => {
            turn.get::<Batch>(batch).is_some_and(|batch| batch.items.contains(id))
        }
        _ => false,
    };
    if let Some(card) = turn.open_cards().find(shows) {
        return Some(DraftPlace::Preview(card.id.clone()));
    }
    turn.head.pendings.iter().find_map(|pending| match &pending.kind {
        PendingKind::SlotRequest(Slot::Draft { draft, part }) if draft == id => {
            Some(DraftPlace::Asking(*part))
        }
        _ => None,
    })
}

/// Stores a changed draft and continues from its place: revises its card, or asks the question that is next
/// now.
pub(super) fn again(turn: &mut Turn<'_>, draft: Draft) {
    match open_draft(turn, &draft.id) {
        Some(DraftPlace::Preview(card)) => {
            let Some(card) = turn.get::<Card>(&card).cloned() else { return };
            let same = turn.get::<Draft>(&draft.id).is_some_and(|before| before.item() == draft.item());
            if same {
                // What was left open is no part of what is approved.
                turn.put(draft);
                undo::keep(turn, &card);
                turn.update(card);
            } else {
                batch::edit::revise(turn, card, draft);
            }
        }
        Some(DraftPlace::Asking(part)) if draft.missing().first() != Some(&part) => {
            turn.head.pendings.retain(|pending| pending.kind.draft() != Some(&draft.id));
            go_on(turn, draft);
        }
        Some(DraftPlace::Asking(_)) | None => turn.put(draft),
    }
}
