//! Every sentence the engine writes, in one place, in English. A second language would be a second set of
//! these files.

pub(crate) mod batch;
pub(crate) mod call;
pub(crate) mod card;
pub(crate) mod change;
mod explain;
pub(crate) mod fact;
pub(crate) mod meta;
pub(crate) mod option;
pub(crate) mod proposal;
pub(crate) mod question;
pub(crate) mod review;
pub(crate) mod state;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::actor::Presser;
use crate::data::card::CardStatus;
use crate::data::event::{Attachment, MessagePosted};
use crate::data::policy::{ApproverRule, Policy, limits};
use crate::data::progress::Phase;
use crate::data::state_of_work::TaskProgress;
use crate::data::task::Task;
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::text::redact::snippet;
use crate::text::urging::without_urging;

pub(crate) const GATE_QUESTION: &str = "What should I do with this?";
pub(crate) const GATE_DISMISSED: &str = "OK, leaving it";
pub(crate) const GATE_SUPERSEDED: &str = "A newer question took the place of this one";
pub(crate) const GATE_EXPIRED: &str = "Nobody chose in time, so I left it";
pub(crate) const GATE_WHICH: &str = "What should it be? Say \"review\", \"create a ticket\" or \"not now\".";
/// Beginning of the answer to a message that could become nothing.
pub(crate) const GATE_SPARED: &str = "I am not sure what to do with “";
pub(crate) const NOTHING_TO_APPROVE: &str = "Nothing here waits for an approval.";
pub(crate) const CARD_GONE: &str = "This is no longer available";
pub(crate) const STALE_STEP: &str = "This action is no longer available.";
pub(crate) const NOBODY_MAY: &str = "Nobody is set up to approve this (TL-4103).";
pub(crate) const SELF_APPROVE: &str = "You asked for this, so someone else has to approve it.";
pub(crate) const WROTE_PART: &str = "You wrote part of this, so someone else has to approve it.";
pub(crate) const TAMPERED: &str = "The stored request is not what was shown. Nothing was done (TL-4107).";
pub(crate) const ALREADY: &str = "Already processed";
/// The step that is due on a card that offers no approval yet, or not to somebody who is known.
pub(crate) const CHECKS_RUN: &str = "Its checks are running; Approve is offered when they have passed.";
pub(crate) const CHECKS_FAILED: &str =
    "Its checks failed, so there is nothing to approve before it is changed.";
pub(crate) const APPROVER_PRESSES: &str = "An approver decides with the buttons of the card.";
pub(crate) const TOO_MUCH: &str = "That is more than I can read in one message, so I did nothing with it. Please send the part \
    that matters, or send it in several messages.";
pub(crate) const NOT_YOUR_MESSAGE: &str =
    "Only the person who wrote that message can edit or delete it. Nothing was changed.";
pub(crate) const FORGOTTEN: &str = "Forgotten: unclear messages will be asked about again.";
pub(crate) const NOTHING_REMEMBERED: &str = "This thread remembers no mode.";
/// The words after `forget` after which a person is asked once more.
pub(crate) const FORGET_ME_NOW: &str = "me now";
pub(crate) const FORGETTING: &str = "I am erasing what I keep of you, in every conversation here. What was created elsewhere with an approval stays there.";
pub(crate) const ERASED_OPEN: &str = "Somebody's data was erased. What was open here and held words of theirs is closed; ask again for what is still wanted.";
pub(crate) const NO_DISCUSSION: &str = "I have no answer to that. I can review it (say \"review this\") or make a ticket of it (say \"create a ticket for this\").";
pub(crate) const NO_UPDATE: &str = "I can close and reopen an issue, comment on it, assign it and link it. Say which, with its key: \"close DEMO-1\". Nothing was changed.";
pub(crate) const NO_TURN: &str = "There is no earlier turn in this thread to explain.";
pub(crate) const ASK_TITLE: &str =
    "What should the ticket be about? One line is enough; it becomes the title.";
pub(crate) const NOTHING_TO_HAND_OVER: &str =
    "There is nothing here to hand over. Reply to what you mean, or say what it is.";
pub(crate) const LEFT: &str = "OK, leaving it.";
pub(crate) const ADOPT_WHICH: &str =
    "Which issue is it? Send its key with this button's form, field \"key\".";
pub(crate) const ADOPT_NEEDS_KEY: &str = "The form needs the issue's key. Nothing was changed.";
pub(crate) const NOTHING_CHANGED: &str = "Nothing changed: write what should, as lines like \"Title: …\".";
pub(crate) const NO_EPIC: &str = "its epic was not created";
/// The short answers that an edit offers.
pub(crate) const SKIP: &str = "Skip";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const LAST_FIELD: &str = "That was the last field. The card above is as it stands now.";
pub(crate) const CHECK_LOST: &str = "the tracker did not answer";

/// Stands for sentences of others that told the reader to approve.
const URGING_LEFT_OUT: &str = "(What asked for an approval is left out.)";

/// The answer to a message that could become neither a ticket nor a review.
pub(crate) fn gate_spared(said: &str, policy: &Policy) -> String {
    format!(
        "{GATE_SPARED}{}”. Say \"create a ticket for this\" or \"review this\" to make something of it; \"help\" says more.",
        snippet(said, policy.window.gate_chars)
    )
}

/// Says that text approves nothing, and what is due instead.
pub(crate) fn not_by_text(due: &str) -> String {
    format!("Text does not approve anything. {due}")
}

/// Names the buttons that this person may press now.
pub(crate) fn please_press(actions: &[Action]) -> String {
    let labels: Vec<&str> = actions.iter().map(|action| action.label().trim_end_matches('…')).collect();
    format!("Please press {} on the card.", labels.join(" or "))
}

/// The words of a tool, a sub-agent or a host's own agent, without those that tell the reader to approve: where a button
/// is, and whether it is there for this person, only the engine knows.
pub(crate) fn of_others(text: &str) -> Cow<'_, str> {
    match without_urging(text) {
        None => text.into(),
        Some(rest) if rest.is_empty() => URGING_LEFT_OUT.into(),
        Some(rest) => format!("{rest} {URGING_LEFT_OUT}").into(),
    }
}

/// Explains what erasing a person's data does, and how to confirm it.
pub(crate) fn forget_me(policy: &Policy) -> String {
    let command = &policy.command.0;
    format!(
        "This erases what I keep of you in every conversation here: your messages, and what was made of them. Open cards of yours are closed. \
         It cannot be undone. To do it, write: {command} forget {FORGET_ME_NOW}"
    )
}

/// Asks once more, naming the person's own code.
pub(crate) fn forget_me_once_more(code: &str, policy: &Policy) -> String {
    let command = &policy.command.0;
    format!(
        "Nothing is erased yet. Are you sure? If you are, write once more, with the code that counts for you alone: \
         {command} forget {FORGET_ME_NOW} {code}"
    )
}

/// The help text, with the installation's own command.
pub(crate) fn help(policy: &Policy) -> String {
    let command = &policy.command.0;
    format!(
        "I turn messages into tickets, reviews and decisions, and nothing leaves this thread before somebody presses Approve.\n\
         Say \"create a ticket for …\", \"review this\" or \"record the decision: …\", or write anything and choose what I should do with it.\n\
         {command} help · status · pending · why · forget · stop · ticket TEXT · review TEXT · track KEY · untrack KEY · tracked"
    )
}

pub(crate) fn unknown_command(word: &str, nearest: Option<&str>, policy: &Policy) -> String {
    let command = &policy.command.0;
    match nearest {
        Some(nearest) => format!("I don't know \"{command} {word}\". Did you mean {command} {nearest}?"),
        None => format!("I don't know \"{command} {word}\". {command} help lists what there is."),
    }
}

pub(crate) fn unknown_press(open: &[String]) -> String {
    let rest = if open.is_empty() {
        "Nothing is open here.".into()
    } else {
        format!("Here is what is open: {}", open.join("; "))
    };
    format!("I don't know this button any more. {rest}")
}

pub(crate) fn outdated(current: Option<u32>) -> String {
    match current {
        Some(version) => format!("This preview is outdated. Version {version} is the current one."),
        None => "This preview is outdated. A newer card in this thread took its place.".into(),
    }
}

/// Says that a card was decided already, and what came of it.
pub(crate) fn consumed(
    action: Action,
    by: &Presser,
    at: Timestamp,
    came_of: &str,
    me: &str,
    now: Timestamp,
) -> String {
    if by.id == me {
        return format!("{ALREADY}{came_of}");
    }
    format!("Already {} by @{} at {}{came_of}", past(action), by.name, at.display_at(now))
}

fn past(action: Action) -> &'static str {
    match action {
        Action::Approve => "approved",
        Action::Reject => "rejected",
        Action::Dismiss => "dismissed",
        Action::Cancel => "cancelled",
        Action::Adopt => "adopted",
        Action::CreateAgain => "created again",
        Action::Happened => "confirmed",
        Action::DoAgain => "sent again",
        Action::SelectReview | Action::SelectTicket => "answered",
        Action::Edit | Action::EditStory | Action::RemoveStory | Action::AddStory | Action::Remember => {
            "changed"
        }
        Action::ConfirmQuantity | Action::ConfirmSize => "confirmed",
        Action::Split => "split",
        Action::ShowFull => "shown in full",
        Action::ApproveDecision => "recorded",
        Action::TurnIntoTicket => "turned into tickets",
        Action::Finish => "finished",
        Action::RetryMissing => "tried again",
        Action::Comment => "commented",
        Action::Option | Action::More => "answered",
        Action::NoneOfThese => "rejected",
        Action::Leave => "left",
        Action::Forget => "cleared",
    }
}

pub(crate) fn expired(at: Timestamp, now: Timestamp) -> String {
    format!("This request expired at {}; start it again?", at.deadline_at(now))
}

pub(crate) fn forbidden<'r>(rules: impl Iterator<Item = &'r ApproverRule>) -> String {
    format!("You may not approve this. Who may: {}", named_by(rules))
}

/// The people that rules name, each once, in words.
fn named_by<'r>(rules: impl Iterator<Item = &'r ApproverRule>) -> String {
    let named = |principal: &String| match principal.split_once(':') {
        Some(("role", role)) => format!("anyone with the role {role}"),
        Some(("group", group)) => format!("anyone in the group {group}"),
        Some(("user", user)) => format!("@{user}"),
        _ => format!("@{principal}"),
    };
    let mut who: Vec<String> = rules.flat_map(|rule| &rule.allow).map(named).collect();
    who.sort_unstable();
    who.dedup();
    who.join(", ")
}

/// Refuses a form for a button that takes none.
pub(crate) fn no_form(action: Action) -> String {
    format!("{} takes no form. Nothing was changed.", action.label())
}

/// An open question, as a line of a list.
pub(crate) fn waits(line: &str) -> String {
    format!("· {line}")
}

/// An open card, as a line of that list.
pub(crate) fn open_card(title: &str) -> String {
    format!("  card: {title}")
}

pub(crate) fn paused(by: &str, since: Timestamp, now: Timestamp) -> String {
    format!("Sending is paused by @{by} since {}. Nothing was approved.", since.display_at(now))
}

pub(crate) fn preview_title(draft: &Draft, status: &CardStatus, now: Timestamp) -> String {
    let what = format!("1 {} in {}", draft.item_type.as_str(), draft.target.project);
    match status {
        CardStatus::Open => format!("Create {what}?"),
        CardStatus::Expired => format!("Expired without a decision: {what}"),
        CardStatus::Superseded { .. } => format!("A newer preview took the place of this one: {what}"),
        CardStatus::Withdrawn => format!("Cancelled: {what}"),
        CardStatus::Decided { action, by, at, result } => {
            let who = format!("{} by @{} {}", past(*action), by.name, at.display_at(now));
            match result.phase() {
                Phase::Running(_) => format!("Working… (pressed by @{})", by.name),
                Phase::Happened(Some(key)) => format!("Created {key} · asked by @{} · {who}", draft.by),
                Phase::Unknown(_) => format!("No answer yet, so it may or may not exist · {who}"),
                Phase::Dropped => format!("Cancelled · {who}"),
                Phase::Refused(why) | Phase::NotTried(why) => format!("Not created: {why} · {who}"),
                _ => format!("Not created · {who}"),
            }
        }
    }
}

pub(crate) fn uncertain_title(title: &str, status: &CardStatus) -> String {
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            let result = match result.phase() {
                Phase::Happened(Some(key)) => format!(" → {key}"),
                Phase::Refused(why) => format!(" → not created: {why}"),
                Phase::Unknown(_) => " → no answer again".into(),
                Phase::Running(_) => " → in progress".into(),
                _ => String::new(),
            };
            format!("\"{title}\": {} by @{}{result}", past(*action), by.name)
        }
        CardStatus::Withdrawn => format!("\"{title}\": it was created after all"),
        _ => format!(
            "The tracker did not answer, so \"{title}\" may or may not have been created. It is not sent again by itself."
        ),
    }
}

pub(crate) fn ask_for(missing: &[Part]) -> String {
    let labels: Vec<&str> = missing.iter().map(|part| part.label()).collect();
    match labels.as_slice() {
        [only] => format!("{only}? Answer here, or \"skip\" leaves it open."),
        [first, rest @ ..] => format!(
            "{first}? Also open: {}. Answer here, write lines like \"{first}: …\", or \"skip\" (\"skip the rest\") to leave them open.",
            rest.join(", ")
        ),
        [] => String::new(),
    }
}

/// A live task, as a line of a list.
pub(crate) fn task_line(task: &Task, progress: TaskProgress) -> String {
    let with = task.work.as_ref().map(|work| format!(", with {}", work.job.name())).unwrap_or_default();
    let why = task.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    let stands = match progress {
        TaskProgress::GoesOn => task.status.as_str(),
        TaskProgress::Waits => "waiting",
        TaskProgress::Rests => "resting",
    };
    format!("· {stands}{with}: “{}”{why}", task.intent)
}

pub(crate) const AS_IT_WAS: &str = "It says so already. Nothing was changed.";

/// Shows what an edit in words changed.
pub(crate) fn difference(item: Option<&str>, part: Part, before: &str, now: &str) -> String {
    let of = item.map(|item| format!("{item}, ")).unwrap_or_default();
    let shown = |text: &str| format!("“{}”", gate_card(text, limits::FIELD_SHOWN));
    let label = part.label();
    match (before, now) {
        ("", now) => format!("{of}{label}: {}", shown(now)),
        (before, "") => format!("{of}{label}: {} was taken out", shown(before)),
        (before, now) => match now.strip_prefix(before) {
            Some(more) => format!("{of}{label}: added {}", shown(more)),
            None => format!("{of}{label}: {} → {}", shown(before), shown(now)),
        },
    }
}

/// Says once that a draft stays open while other messages go on, and how to come back to it.
pub(crate) fn parked(title: &str, part: Part) -> String {
    let called =
        if title.is_empty() { String::from("The draft") } else { format!("The draft “{title}”") };
    format!("{called} stays open. Its card, or a line like \"{}: …\", goes on with it.", part.label())
}

/// Tells what became of a request: the issue, who asked, and who approved it.
pub(crate) fn what_became(
    key: &str,
    title: &str,
    asked: &str,
    approved: &Presser,
    at: Timestamp,
    url: Option<&str>,
    now: Timestamp,
) -> String {
    let link = url.map(|url| format!(" → {url}")).unwrap_or_default();
    format!(
        "{key} “{title}” was created here: asked by @{asked}, approved by @{} at {}.{link}",
        approved.name,
        at.display_at(now)
    )
}

/// Confirms a corrected answer.
pub(crate) fn corrected(part: Part) -> String {
    format!("Changed: {}.", part.label())
}

/// The files of a message, for people: `(photo, file plan.pdf)`.
pub(crate) fn files(files: &[Attachment]) -> String {
    format!("({})", named(files))
}

fn named(files: &[Attachment]) -> String {
    files.iter().map(Attachment::display_name).collect::<Vec<_>>().join(", ")
}

pub(crate) fn unread(posted: &MessagePosted) -> String {
    let files = named(&posted.files);
    if posted.only_files() {
        format!("I read words only, so I did not look at this: {files}. Write what it is about.")
    } else {
        format!("I read the words alone, and did not look at this: {files}.")
    }
}

/// Asks for one field of an edit; `item` is the item's label in a batch. Some channels show only the first
/// line while somebody types, so it has the question.
pub(crate) fn edit_field(draft: &Draft, item: Option<&str>, part: Part) -> String {
    let labels: Vec<&str> =
        Part::ALL.iter().filter(|part| !draft.part(**part).is_empty()).map(|part| part.label()).collect();
    let label = part.label();
    let of = item.map(|item| format!("{item}, ")).unwrap_or_default();
    format!(
        "{of}{label}: what should it say? {SKIP} leaves it, {CANCEL} ends the edit.\nNow: “{}”\nLines like \"{label}: …\" \
         change several fields at once. There is: {}.",
        gate_card(draft.part(part), limits::FIELD_SHOWN),
        labels.join(", ")
    )
}

pub(crate) fn form_needs(part: Part) -> String {
    format!("{} must not be empty. Nothing was changed.", part.label())
}

pub(crate) fn stays(part: Part) -> String {
    format!("{} must not be empty, so it stays as it is.", part.label())
}

pub(crate) fn form_unknown(name: &str) -> String {
    format!("There is no field \"{name}\" on this form. Nothing was changed.")
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

pub(crate) fn remembered_used(label: &str) -> String {
    format!("Remembered for this thread: {label}")
}

pub(crate) fn remembered_used_up(label: &str) -> String {
    format!(
        "Remembered for this thread: {label}. That is over now, since the review before is: unclear messages will be asked about again."
    )
}

pub(crate) fn reminder(title: &str) -> String {
    format!("Still waiting for a decision: {title}")
}

pub(crate) fn not_found(why: &str) -> String {
    format!("Nothing was adopted: {why}. The question is still open.")
}

pub(crate) fn other_title(key: &str, title: &str) -> String {
    format!("{key} was not adopted: its title is \"{title}\". The question is still open.")
}

/// Reports two issues that were created for one item.
pub(crate) fn duplicate(older: &str, other: &str) -> String {
    format!(
        "There are two issues for the same item: {older}, which nobody had an answer about, and {other}. Please close one of them."
    )
}

pub(crate) fn not_linked(epic: &str) -> String {
    format!("the tracker did not put it under {epic}")
}

pub(crate) fn looking_for(key: &str) -> String {
    format!("Looking for {key}…")
}

/// Names several things in a row.
pub(crate) fn listed(titles: &[String]) -> String {
    titles.iter().map(|title| format!("“{title}”")).collect::<Vec<_>>().join(", ")
}

/// Returns true if a text repeats the label of a button, whatever its case and punctuation.
pub(crate) fn is_label(label: &str, text: &str) -> bool {
    folded(label).eq(folded(text))
}

/// Normalises text for comparison with a button's label: lower case, single blanks, no punctuation at
/// either end.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let words = text.trim_matches(|c: char| !c.is_alphanumeric()).split_whitespace();
    words.enumerate().flat_map(|(i, word)| {
        (i > 0).then_some(' ').into_iter().chain(word.chars().flat_map(char::to_lowercase))
    })
}
