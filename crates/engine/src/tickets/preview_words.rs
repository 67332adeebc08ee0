//! Words about an open preview: edits of it, labelled answers to its gaps, and parts left open. They find a draft again
//! that other messages came between.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::batch::Batch;
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::DraftId;
use crate::data::message::{Message, MessageKind};
use crate::data::part_state::PartState;
use crate::data::pending::{PendingKind, PendingState, Slot};
use crate::data::shown_at::ShownAt;
use crate::data::ticket::{Draft, Filled, ItemType, Part};
use crate::messages;
use crate::tickets::after_receipt::is_key;
use crate::tickets::edit::{Edit, ItemRef, Place};
use crate::tickets::edit_words;
use crate::tickets::extract::{fill, title_line};
use crate::tickets::field_value::{self, FieldValue};
use crate::tickets::gaps::left_open_by;
use crate::tickets::vocabulary::is_me;
use crate::tickets::{batch, drafting, revision, type_words};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::rules::{self, RuledIntent};
use throughline_messages as say;

/// Applies a message to the open preview it is about: an edit in words, or answers that name their parts. `None` if it is
/// about no preview.
pub(crate) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let card = preview(turn, said)?;
    if type_words::read(said.text()).is_some() {
        // "Make it a story" may mean what was said since.
        return None;
    }
    let edits = edit_words::read_all(said.text());
    let decided = match edits.is_empty() {
        true => answered(turn, &card, said),
        false => edited(turn, card.clone(), &edits, said),
    };
    decided.or_else(|| revision::ask(turn, &card, said))
}

/// A field of an open preview and its new value.
pub(crate) struct NamedField {
    pub(crate) card: Card,
    edit: Edit,
}

/// Reads a message that is the name of a field and its value as a change of the open preview it is about. Words without a verb
/// count as the asker's, or in a reply to the preview; what may be meant for an open question is left to it.
pub(crate) fn named_field(turn: &Turn<'_>, said: &RoutedMessage) -> Option<NamedField> {
    let card = preview(turn, said)?;
    let drafts = turn.drafts_of(&card);
    let replied = focus(turn).anchor_id().filter(|_| focus(turn).replies());
    let to_the_card = replied.and_then(|anchor| turn.card_shown_by(anchor)).is_some();
    if !to_the_card && drafts.iter().any(|draft| draft.by != said.by) {
        return None;
    }
    if let Some((item, kind)) = type_words::read(said.text()) {
        let edit = Edit::Become(item, kind);
        let missing = item.is_some_and(|item| is_missing(turn, &card, item));
        return (missing || becomes(turn, &card, item, kind).is_some()).then_some(NamedField { card, edit });
    }
    let writes = |name: &str| turn.loaded::<Message>().any(|message| message.by.eq_ignore_ascii_case(name));
    let found = field_value::read(said.text(), &writes)?;
    let asked = turn.conversational().filter(|asked| !to_the_card && asked.is_asked_of(&said.by));
    let answers = asked.is_some_and(|asked| may_answer(asked, &card, &drafts, &found));
    (!answers).then(|| NamedField { card, edit: found.edit() })
}

impl NamedField {
    /// True if its words only point at what is meant: "make it a story".
    pub(crate) fn points(&self) -> bool {
        matches!(self.edit, Edit::Become(None, _))
    }
}

/// Applies what [`named_field`] read.
pub(crate) fn change_field(turn: &mut Turn<'_>, named: NamedField, said: &RoutedMessage) -> Option<Decision> {
    edited(turn, named.card, &[named.edit], said)
}

/// True if a field and its value may be meant as the answer to this question: a title may read like that, and so may a text
/// about a ticket that itself speaks of the field. A question of somebody else's counts if it is newer than the preview.
fn may_answer(asked: &PendingState, card: &Card, drafts: &[Draft], found: &FieldValue) -> bool {
    let draft = drafts.iter().find(|draft| Some(&draft.id) == asked.kind.draft());
    let Some(draft) = draft else {
        let shown = |id, at| ShownAt::by_message(id, at);
        return shown(&asked.anchor, asked.created_at).is_after(&shown(&card.message, card.created_at));
    };
    let title = found.like_a_title && asked.kind.part() == Some(Part::Title);
    let texts = draft.parts().iter().filter(|(part, _)| part.is_text());
    title || texts.into_iter().any(|(_, text)| field_value::speaks_of(text, found.part))
}

/// Returns true if a text wants a change of an issue that exists, which it names.
pub(crate) fn changes_an_issue(text: &str) -> bool {
    named_issue(text) && edit_words::begins_with_a_field(text)
}

/// Returns the open preview that a message may be about: the one it replies to, else the newest. A message that replies to
/// something else, or that names an issue, is about that.
pub(super) fn preview(turn: &Turn<'_>, said: &RoutedMessage) -> Option<Card> {
    let tickets = |card: &&Card| {
        matches!(card.about, CardSubject::DraftPreview { .. } | CardSubject::BatchPreview { .. })
    };
    let newest = || turn.open_cards().rev().find(tickets).cloned();
    if named_issue(said.text()) {
        return None;
    }
    let card = match focus(turn).anchor_id().filter(|_| focus(turn).replies()) {
        None => newest()?,
        Some(anchor) => match turn.card_shown_by(anchor) {
            Some(card) => Some(card).filter(|card| card.is_open()).filter(tickets).cloned()?,
            None => asked_there(turn, anchor).then(newest)??,
        },
    };
    let mut drafts = turn.drafts_of(&card).into_iter();
    drafts.any(|draft| turn.policy.drafts.may_answer(&draft, &said.by)).then_some(card)
}

/// True if the open question or a lapsed one was asked by this message.
fn asked_there(turn: &Turn<'_>, anchor: &crate::data::id::MessageId) -> bool {
    turn.conversational().into_iter().chain(&turn.head.lapsed).any(|pending| pending.anchor == *anchor)
}

/// True if a text names an issue that exists, such as `DEMO-1`.
fn named_issue(text: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).any(is_key)
}

fn done() -> Decision {
    Decision::new(Verdict::Done, Reason::DraftEdited)
}

// ---- labelled answers ----

/// Takes in a message that consists of labelled parts, or that leaves a named part open.
fn answered(turn: &mut Turn<'_>, card: &Card, said: &RoutedMessage) -> Option<Decision> {
    // What answers the open question goes its own way.
    let mine = turn.conversational().is_some_and(|pending| {
        pending.kind.draft().is_some() && pending.asked_of.as_deref().is_none_or(|asked| asked == said.by)
    });
    if mine && !focus(turn).replies() || said.rule().is_some() {
        return None;
    }
    let mut parts = BTreeMap::new();
    let free = fill(&mut parts, said.text());
    let open = left_open_by(said.text(), None, &[]);
    let parts: Vec<Part> =
        if free.is_empty() && open.is_none() { parts.into_keys().collect() } else { open? };
    let drafts = turn.drafts_of(card);
    let fits = |draft: &&Draft| {
        let open = |part: &Part| match draft.state(*part) {
            PartState::Written(_) => {
                let renamed = matches!(part, Part::Title | Part::Priority | Part::Assignee | Part::Labels);
                renamed && draft.by == said.by
            }
            PartState::LeftOpen { .. } => true,
            // What no gap asks for is told by its label all the same; a question or a risk may be about anything.
            PartState::Gap => !matches!(part, Part::Questions | Part::Risks),
        };
        !parts.is_empty() && parts.iter().all(open)
    };
    let mut draft = drafts.iter().find(fits)?.clone();
    drafting::pour(&mut draft, None, said.text(), &turn.writer());
    let id = draft.id.clone();
    draft.filled.push(Filled { message: said.message.clone(), part: parts[0] });
    turn.belongs_to(&draft.task.clone());
    drafting::again(turn, draft);
    // The question goes on with the gap that is next now.
    let gap = turn.conversational().map(|pending| match &pending.kind {
        PendingKind::SlotRequest(Slot::Draft { draft, part }) => {
            turn.get::<Draft>(draft).is_some_and(|draft| draft.missing().contains(part))
        }
        _ => true,
    });
    if gap != Some(true) {
        turn.take_conversational();
        match card.batch() {
            Some(batch) => batch::edit::ask_missing(turn, batch),
            None => drafting::ask_gap(turn, &id),
        }
    }
    Some(done())
}

// ---- edits ----

/// Applies edits: one, or several settings of fields.
fn edited(turn: &mut Turn<'_>, card: Card, edits: &[Edit], said: &RoutedMessage) -> Option<Decision> {
    let task = turn.task_of(&card);
    // Of a single ticket these words may be about something else, unless they would ask for another one: "make story 9 urgent".
    let meant = card.batch().is_some() || said.rule().is_some();
    let missing = edits.iter().filter_map(Edit::item).find(|item| meant && is_missing(turn, &card, *item));
    if let Some(item) = missing {
        let n = item.n.unwrap_or_default();
        turn.say(
            MessageKind::Notification,
            task.as_ref(),
            &messages::no_such_item(turn.language(), item.kind, n),
        );
        return Some(Decision::new(Verdict::Answered, Reason::DraftEdited));
    }
    // "rename the ticket" may be about an issue, and is a change of the preview only where it has one.
    let other = |ruling: &rules::Ruling| !matches!(ruling.intent, RuledIntent::TicketChange);
    // "Add a story" is a request of its own only where no batch is open.
    let adds = matches!(edits, [Edit::AddItem(..)]) && card.batch().is_some();
    let own = adds || matches!(edits, [Edit::Become(..)]);
    if !own && said.rule().is_some_and(other) {
        return None;
    }
    let decided = match edits {
        [Edit::Set(..), ..] => set_all(turn, card, edits, said),
        [Edit::Add(item, part, text)] => {
            let more = |before: &str| match before {
                "" => text.clone(),
                before => format!("{before}\n{text}"),
            };
            write(turn, card, [(*item, *part, more)])
        }
        [Edit::Clear(item, part)] if *part != Part::Title => {
            write(turn, card, [(*item, *part, |_: &str| String::new())])
        }
        [Edit::Drop(item)] => dropped(turn, card, *item),
        [Edit::Reword(item)] => {
            let draft = find(turn, &card, *item)?;
            Some(drafting::ask_edit(turn, &card, Some(draft)))
        }
        [Edit::Become(item, kind)] => became(turn, card, *item, *kind),
        [Edit::Move(item, place)] => moved(turn, card, *item, *place),
        [Edit::AddItem(kind, title)] => added(turn, card, *kind, title),
        _ => None,
    };
    if let (Some(task), Some(_)) = (&task, &decided) {
        turn.belongs_to(task);
    }
    decided
}

/// True if a preview has no item of this name: "drop story 9".
fn is_missing(turn: &Turn<'_>, card: &Card, item: ItemRef) -> bool {
    item.kind.is_some() && item.n.is_some() && find(turn, card, item).is_none()
}

/// Applies settings of fields, all in one version of the card.
fn set_all(turn: &mut Turn<'_>, card: Card, settings: &[Edit], said: &RoutedMessage) -> Option<Decision> {
    let value = |part: Part, text: &String| match part {
        Part::Assignee if is_me(text) => said.by.clone(),
        _ => text.clone(),
    };
    let changes = settings.iter().filter_map(|edit| match edit {
        Edit::Set(item, part, text) => Some((*item, *part, move |_: &str| value(*part, text))),
        _ => None,
    });
    write(turn, card, changes)
}

/// Writes parts of the items that are meant and shows the differences. Returns `None`, with nothing written, if an item that is
/// meant is not known.
fn write(
    turn: &mut Turn<'_>,
    card: Card,
    changes: impl IntoIterator<Item = (Option<ItemRef>, Part, impl Fn(&str) -> String)>,
) -> Option<Decision> {
    let by = turn.writer();
    let mut drafts = turn.drafts_of(&card);
    let mut told: Vec<String> = Vec::new();
    for (item, part, text) in changes {
        let targets = targets(turn, &card, &drafts, item, part)?;
        for id in targets {
            let label = batch::card::label(turn.language(), &drafts, &id);
            let Some(draft) = drafts.iter_mut().find(|draft| draft.id == id) else { continue };
            let before: String = draft.part(part).into();
            let now = text(&before);
            let now =
                if part == Part::Title { title_line(&now, turn.policy.window.title_chars) } else { now };
            draft.write(part, &now, &by);
            if before != draft.part(part) {
                told.push(messages::difference(
                    turn.language(),
                    label.as_deref(),
                    part,
                    &before,
                    draft.part(part),
                ));
            }
        }
    }
    for draft in drafts {
        if turn.get::<Draft>(&draft.id) != Some(&draft) {
            turn.put(draft);
        }
    }
    let task = turn.task_of(&card);
    if told.is_empty() {
        turn.say(MessageKind::Notification, task.as_ref(), &say::edit_as_it_was(turn.language()));
        return Some(done());
    }
    batch::edit::changed(turn, card);
    turn.say(MessageKind::Notification, task.as_ref(), &told.join("\n"));
    Some(done())
}

/// Returns the items whose part is meant: the one that is named, else for a value all of them, and for a text the epic or the
/// only one.
fn targets(
    turn: &Turn<'_>,
    card: &Card,
    drafts: &[Draft],
    item: Option<ItemRef>,
    part: Part,
) -> Option<Vec<DraftId>> {
    let epic = || drafts.iter().find(|draft| draft.item_type == ItemType::Epic);
    let only = || drafts.first().filter(|_| drafts.len() == 1);
    Some(match item {
        Some(item) => find(turn, card, item).map(|draft| draft.id).into_iter().collect(),
        None if part.is_value() => drafts.iter().map(|draft| draft.id.clone()).collect(),
        None => alloc::vec![epic().or_else(only)?.id.clone()],
    })
}

/// Returns the item of a preview that these words mean.
fn find(turn: &Turn<'_>, card: &Card, item: ItemRef) -> Option<Draft> {
    let drafts = turn.drafts_of(card);
    let epic = drafts.iter().any(|draft| draft.item_type == ItemType::Epic);
    let counts = |draft: &&Draft| match item.kind {
        Some(kind) => draft.item_type == kind,
        None => !epic || draft.item_type != ItemType::Epic,
    };
    let mut fitting = drafts.iter().filter(counts);
    match item.n {
        Some(n) => fitting.nth(n.checked_sub(1)?),
        None => fitting.next_back(),
    }
    .cloned()
}

fn dropped(turn: &mut Turn<'_>, card: Card, item: ItemRef) -> Option<Decision> {
    card.batch()?;
    let draft = find(turn, &card, item)?;
    let label = batch::card::label(turn.language(), &turn.drafts_of(&card), &draft.id).unwrap_or_default();
    let decision = batch::edit::remove(turn, card, &draft.id.0);
    if decision.outcome == Verdict::Done {
        let told = say::batch_dropped(turn.language(), &label, draft.part(Part::Title));
        turn.say(MessageKind::Notification, Some(&draft.task), &told);
        return Some(done());
    }
    Some(decision)
}

/// Returns the item that is to become one of this type. An epic is made of several items, so none becomes one or stops being one.
fn becomes(turn: &Turn<'_>, card: &Card, item: Option<ItemRef>, kind: ItemType) -> Option<Draft> {
    let draft = match item {
        Some(item) => find(turn, card, item)?,
        None => turn.drafts_of(card).pop().filter(|_| card.batch().is_none())?,
    };
    (draft.item_type != ItemType::Epic && kind != ItemType::Epic).then_some(draft)
}

/// Changes the type of an item. Its texts stay, each under the label that the new type has for it.
fn became(turn: &mut Turn<'_>, card: Card, item: Option<ItemRef>, kind: ItemType) -> Option<Decision> {
    let mut draft = becomes(turn, &card, item, kind)?;
    let (task, before, language) = (draft.task.clone(), draft.item_type, turn.language());
    if before == kind {
        turn.say(MessageKind::Notification, Some(&task), &say::edit_as_it_was(language));
        return Some(done());
    }
    draft.set_type(kind);
    turn.put(draft);
    batch::edit::changed(turn, card);
    turn.say(MessageKind::Notification, Some(&task), &messages::type_changed(language, before, kind));
    Some(done())
}

fn moved(turn: &mut Turn<'_>, card: Card, item: ItemRef, place: Place) -> Option<Decision> {
    let mut batch: Batch = card.batch().and_then(|batch| turn.get::<Batch>(batch)).cloned()?;
    let draft = find(turn, &card, item).filter(|draft| draft.item_type != ItemType::Epic)?;
    let beside: Vec<DraftId> = turn
        .drafts_of(&card)
        .into_iter()
        .filter(|other| {
            other.under == draft.under && other.id != draft.id && other.item_type != ItemType::Epic
        })
        .map(|other| other.id)
        .collect();
    let other =
        |item: ItemRef| find(turn, &card, item).map(|draft| draft.id).filter(|id| beside.contains(id));
    let (to, behind) = match place {
        Place::First => (beside.first()?.clone(), false),
        Place::Last => (beside.last()?.clone(), true),
        Place::Before(item) => (other(item)?, false),
        Place::After(item) => (other(item)?, true),
    };
    batch.items.retain(|id| *id != draft.id);
    let at = batch.items.iter().position(|id| *id == to)?;
    batch.items.insert(at + usize::from(behind), draft.id.clone());
    turn.put(batch);
    batch::edit::changed(turn, card.clone());
    let now = batch::card::label(turn.language(), &turn.drafts_of(&card), &draft.id).unwrap_or_default();
    let told = say::batch_moved(turn.language(), &now, draft.part(Part::Title));
    turn.say(MessageKind::Notification, Some(&draft.task), &told);
    Some(done())
}

fn added(turn: &mut Turn<'_>, card: Card, kind: ItemType, title: &str) -> Option<Decision> {
    card.batch()?;
    let mut draft = match batch::edit::new_story(turn, &card) {
        Ok(draft) => draft,
        Err(refused) => return Some(refused),
    };
    if draft.under.is_none() {
        draft.item_type = kind;
    }
    let title = title_line(title, turn.policy.window.title_chars);
    draft.write(Part::Title, &title, &turn.writer());
    let (id, task) = (draft.id.clone(), draft.task.clone());
    batch::edit::revise(turn, card.clone(), draft);
    let label = batch::card::label(turn.language(), &turn.drafts_of(&card), &id).unwrap_or_default();
    turn.say(MessageKind::Notification, Some(&task), &say::batch_added(turn.language(), &label, &title));
    Some(done())
}
