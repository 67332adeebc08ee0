//! Sentences the engine writes, joined of messages of the catalogues (`crates/messages/locales`) in the language they are said in.
//! What needs no joining is called where it is said.

pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod card;
pub(crate) mod change;
mod explain;
pub(crate) mod fact;
mod fault;
pub(crate) mod meta;
mod notice;
pub(crate) mod option;
pub(crate) mod proposal;
pub(crate) mod question;
pub(crate) mod review;
pub(crate) mod state;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::action::Action;
use crate::data::actor::Presser;
use crate::data::attachment::Attachment;
use crate::data::card::CardStatus;
use crate::data::event::MessagePosted;
use crate::data::fault::FieldFault;
use crate::data::field_error::FieldError;
use crate::data::policy::{ApproverRule, Policy, limits};
use crate::data::progress::Phase;
use crate::data::state_of_work::TaskProgress;
use crate::data::task::Task;
use crate::data::ticket::{Draft, ItemType, Part};
use crate::data::time::Timestamp;
use crate::text::redact::snippet;
use crate::text::urging::without_urging;

/// The words after `forget` after which a person is asked once more.
pub(crate) const FORGET_ME_NOW: &str = "me now";

/// Stands where a message has a value, to cut it there.
const MARK: &str = "\0";

/// A message about a number of things.
type Counted = fn(Language, usize) -> String;

/// Every language that something may have been said in before.
pub(crate) fn languages() -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().chain([Language::Pseudo])
}

/// The answer to a message that could become neither a ticket nor a review.
pub(crate) fn gate_spared(language: Language, said: &str, policy: &Policy) -> String {
    say::gate_spared(language, snippet(said, policy.window.gate_chars))
}

/// Faults of fields, as a card shows them.
pub(crate) fn shown(language: Language, faults: &[FieldFault]) -> Vec<FieldError> {
    faults.iter().map(|fault| fault.shown(language)).collect()
}

/// The beginning of that answer, which is the same whatever was said.
pub(crate) fn gate_spared_lead(language: Language) -> String {
    let whole = say::gate_spared(language, MARK);
    whole.split(MARK).next().unwrap_or_default().into()
}

/// Names the buttons that this person may press now.
pub(crate) fn please_press(language: Language, actions: &[Action]) -> String {
    let label = |action: &Action| card::verb(&action.label(language)).into();
    let labels = actions.iter().map(label).reduce(|first: String, last| say::list_or(language, first, last));
    say::approval_please_press(language, labels.unwrap_or_default())
}

/// The words of a tool, a sub-agent or a host's own agent, without those that tell the reader to approve: where a button
/// is, and whether it is there for this person, only the engine knows.
pub(crate) fn of_others(language: Language, text: &str) -> Cow<'_, str> {
    match without_urging(text) {
        None => text.into(),
        Some(rest) if rest.is_empty() => say::approval_urging_left_out(language).into(),
        Some(rest) => format!("{rest} {}", say::approval_urging_left_out(language)).into(),
    }
}

pub(crate) fn unknown_command(
    language: Language,
    word: &str,
    nearest: Option<&str>,
    policy: &Policy,
) -> String {
    let command = &policy.command.0;
    match nearest {
        Some(nearest) => say::help_nearest_command(language, command, nearest, word),
        None => say::help_unknown_command(language, command, word),
    }
}

pub(crate) fn unknown_press(language: Language, open: &[String]) -> String {
    let rest = if open.is_empty() {
        say::press_nothing_open(language)
    } else {
        say::press_open(language, open.join("; "))
    };
    say::press_unknown(language, rest)
}

pub(crate) fn outdated(language: Language, current: Option<u32>) -> String {
    match current {
        Some(version) => say::press_outdated(language, version),
        None => say::press_outdated_card(language),
    }
}

/// The result of something, behind an arrow; nothing if nothing is known.
pub(crate) fn arrow(came_of: Option<String>) -> String {
    came_of.map(|came_of| format!(" → {came_of}")).unwrap_or_default()
}

/// Says that a card was decided already, and what came of it.
pub(crate) fn consumed(
    language: Language,
    action: Action,
    by: &Presser,
    at: Timestamp,
    came_of: Option<String>,
    me: &str,
    now: Timestamp,
) -> String {
    let already = if by.id == me {
        say::press_already(language)
    } else {
        say::press_already_by(language, at.display_at(now, language), past(language, action), &by.name)
    };
    already + &arrow(came_of)
}

/// The press of a button as what was done: "approved".
pub(crate) fn past(language: Language, action: Action) -> String {
    say::button_pressed(language, action.as_str())
}

/// A decision: what was done by a press, by whom, and when.
pub(crate) fn decided(
    language: Language,
    action: Action,
    by: &Presser,
    at: Timestamp,
    now: Timestamp,
) -> String {
    say::button_pressed_by(language, at.display_at(now, language), past(language, action), &by.name)
}

pub(crate) fn forbidden<'r>(language: Language, rules: impl Iterator<Item = &'r ApproverRule>) -> String {
    say::approval_forbidden(language, named_by(language, rules))
}

/// The people that rules name, each once, in words.
fn named_by<'r>(language: Language, rules: impl Iterator<Item = &'r ApproverRule>) -> String {
    let named = |principal: &String| match principal.split_once(':') {
        Some(("role", role)) => say::approval_who_role(language, role),
        Some(("group", group)) => say::approval_who_group(language, group),
        Some(("user", user)) => format!("@{user}"),
        _ => format!("@{principal}"),
    };
    let mut who: Vec<String> = rules.flat_map(|rule| &rule.allow).map(named).collect();
    who.sort_unstable();
    who.dedup();
    who.join(", ")
}

/// An open question, as a line of a list.
pub(crate) fn waits(line: &str) -> String {
    format!("· {line}")
}

/// An open card, as a line of that list.
pub(crate) fn open_card(language: Language, title: &str) -> String {
    format!("  {}", say::state_card(language, title))
}

pub(crate) fn preview_title(
    language: Language,
    draft: &Draft,
    status: &CardStatus,
    now: Timestamp,
) -> String {
    let what = batch::one(language, draft);
    match status {
        CardStatus::Open => say::ticket_create(language, what),
        CardStatus::Expired => say::card_expired(language, what),
        CardStatus::Superseded { .. } => say::ticket_superseded(language, what),
        CardStatus::Withdrawn => say::card_cancelled(language, what),
        CardStatus::Decided { action, by, at, result } => {
            let who = decided(language, *action, by, *at, now);
            match result.phase() {
                Phase::Running(_) => say::card_working(language, &by.name),
                Phase::Happened(Some(key)) => say::ticket_created(language, &draft.by, who, key),
                Phase::Unknown(_) => say::ticket_unknown(language, who),
                Phase::Dropped => say::card_dropped(language, who),
                Phase::Refused(why) | Phase::NotTried(why) => say::ticket_refused(language, who, why),
                _ => say::ticket_not_created(language, who),
            }
        }
    }
}

pub(crate) fn uncertain_title(language: Language, title: &str, status: &CardStatus) -> String {
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            let result = match result.phase() {
                Phase::Happened(Some(key)) => Some(key.into()),
                Phase::Refused(why) => Some(say::uncertain_refused(language, why)),
                Phase::Unknown(_) => Some(say::uncertain_no_answer(language)),
                Phase::Running(_) => Some(say::uncertain_running(language)),
                _ => None,
            };
            say::uncertain_decided(language, past(language, *action), title, &by.name) + &arrow(result)
        }
        CardStatus::Withdrawn => say::uncertain_created_after_all(language, title),
        _ => say::uncertain_open(language, title),
    }
}

/// The labels of parts, in a row.
pub(crate) fn labels<'p>(language: Language, parts: impl IntoIterator<Item = &'p Part>) -> String {
    parts.into_iter().map(|part| part.label(language)).collect::<Vec<_>>().join(", ")
}

pub(crate) fn ask_for(language: Language, missing: &[Part]) -> String {
    match missing {
        [only] => say::ticket_ask_part(language, only.label(language)),
        [first, rest @ ..] => say::ticket_ask_parts(language, first.label(language), labels(language, rest)),
        [] => String::new(),
    }
}

/// A live task, as a line of a list.
pub(crate) fn task_line(language: Language, task: &Task, progress: TaskProgress) -> String {
    let stands = say::task_status(
        language,
        match progress {
            TaskProgress::GoesOn => task.status.as_str(),
            TaskProgress::Waits => "waiting",
            TaskProgress::Rests => "resting",
        },
    );
    let stands = match &task.work {
        Some(work) => say::task_status_with(language, work.job.name(), stands),
        None => stands,
    };
    let why = task.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("· {}{why}", say::task_line(language, &task.intent, stands))
}

/// Shows what an edit in words changed.
pub(crate) fn difference(
    language: Language,
    item: Option<&str>,
    part: Part,
    before: &str,
    now: &str,
) -> String {
    of_item(item, changed(language, &part.label(language), before, now))
}

/// The difference of one field of a card.
pub(crate) fn changed(language: Language, label: &str, before: &str, now: &str) -> String {
    let shown = |text: &str| gate_card(text, limits::FIELD_SHOWN);
    match (before, now) {
        ("", now) => say::edit_set(language, label, shown(now)),
        (before, "") => say::edit_taken_out(language, shown(before), label),
        (before, now) => match now.strip_prefix(before) {
            Some(more) => say::edit_added(language, label, shown(more)),
            None => say::edit_changed(language, shown(before), label, shown(now)),
        },
    }
}

/// The difference of an item's type.
pub(crate) fn type_changed(language: Language, before: ItemType, now: ItemType) -> String {
    let name = |kind: ItemType| say::item_type(language, kind.as_str());
    say::edit_changed(language, name(before), say::edit_type(language), name(now))
}

/// Says that a preview has no item of this number.
pub(crate) fn no_such_item(language: Language, kind: Option<ItemType>, n: usize) -> String {
    say::edit_no_item(language, kind.map_or("item", ItemType::as_str), n)
}

/// A sentence about one item of several, behind the item's label.
fn of_item(item: Option<&str>, told: String) -> String {
    match item {
        Some(item) => format!("{item}, {told}"),
        None => told,
    }
}

/// Says once that a draft stays open while other messages go on, and how to come back to it.
pub(crate) fn parked(language: Language, title: &str, part: Part) -> String {
    let label = part.label(language);
    if title.is_empty() {
        say::ticket_parked_untitled(language, label)
    } else {
        say::ticket_parked(language, label, title)
    }
}

/// Tells what became of a request: the issue, who asked, and who approved it.
#[expect(clippy::too_many_arguments, reason = "a sentence with all its values")]
pub(crate) fn what_became(
    language: Language,
    key: &str,
    title: &str,
    asked: &str,
    approved: &Presser,
    at: Timestamp,
    url: Option<&str>,
    now: Timestamp,
) -> String {
    let at = at.display_at(now, language);
    say::ticket_became(language, &approved.name, asked, at, key, title) + &arrow(url.map(Into::into))
}

/// The files of a message, as its text has them: `(photo, file plan.pdf)`.
pub(crate) fn files(files: &[Attachment]) -> String {
    let names: Vec<String> = files.iter().map(Attachment::display_name).collect();
    format!("({})", names.join(", "))
}

/// Tells what became of the files of a message: evidence of a ticket, or kept, or neither.
pub(crate) fn unread(language: Language, posted: &MessagePosted, are_evidence: bool) -> String {
    let file = |file: &Attachment| {
        let kind = say::file_kind(language, &file.kind.replace(' ', "-"), &file.kind);
        file.name.as_ref().map_or(kind.clone(), |name| format!("{kind} {name}"))
    };
    let files = posted.files.iter().map(file).collect::<Vec<_>>().join(", ");
    let kept = posted.files.iter().all(|file| file.id.is_some());
    match (posted.only_files(), kept) {
        _ if are_evidence => say::help_files_evidence(language, files),
        (true, true) => say::help_files_kept(language, files),
        (false, true) => say::help_files_kept_beside(language, files),
        (true, false) => say::help_unread_only(language, files),
        (false, false) => say::help_unread_beside(language, files),
    }
}

/// Asks for one field of an edit; `item` is the item's label in a batch. Some channels show only the first
/// line while somebody types, so it has the question.
pub(crate) fn edit_field(language: Language, draft: &Draft, item: Option<&str>, part: Part) -> String {
    let written = Part::ALL.iter().filter(|part| !draft.part(**part).is_empty());
    let now = gate_card(draft.part(part), limits::FIELD_SHOWN);
    of_item(item, say::edit_field(language, part.label(language), labels(language, written), now))
}

pub(crate) fn gate_card(text: &str, chars: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(chars));
    let spaced = text.split_whitespace().enumerate();
    let line = spaced.flat_map(|(i, word)| (i > 0).then_some(' ').into_iter().chain(word.chars()));
    for (i, c) in line.enumerate() {
        if i == chars {
            shown.push('…');
            break;
        }
        shown.push(c);
    }
    shown
}

/// Names several things in a row.
pub(crate) fn listed(language: Language, titles: &[String]) -> String {
    titles.iter().map(|title| say::quoted(language, title)).collect::<Vec<_>>().join(", ")
}

/// True if a text repeats what a button says in any language, whatever its case and punctuation.
pub(crate) fn is_label(label: fn(Language) -> String, text: &str) -> bool {
    languages().any(|language| folded(&label(language)).eq(folded(text)))
}

/// Normalises text for comparison with a button's label: lower case, single blanks, no punctuation at
/// either end.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let words = text.trim_matches(|c: char| !c.is_alphanumeric()).split_whitespace();
    words.enumerate().flat_map(|(i, word)| {
        (i > 0).then_some(' ').into_iter().chain(word.chars().flat_map(char::to_lowercase))
    })
}
