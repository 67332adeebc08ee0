//! Every sentence the engine writes, in one place, in English. A second language would be a second set of
//! these files.

pub(crate) mod batch;
pub(crate) mod card;
pub(crate) mod decision;
mod explain;
pub(crate) mod fact;
pub(crate) mod option;
pub(crate) mod review;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::action::Action;
use crate::data::actor::Presser;
use crate::data::card::CardStatus;
use crate::data::decision::Verdict;
use crate::data::event::{Attached, Posted};
use crate::data::focus::Thread;
use crate::data::intent::Intent;
use crate::data::policy::{ApproverRule, Policy, limits};
use crate::data::progress::Progress;
use crate::data::task::Task;
use crate::data::ticket::{Draft, Part};
use crate::data::time::Timestamp;
use crate::data::trace::TurnSummary;
use crate::data::work::Job;
use throughline_language::reference::{Need, Reference};

pub(crate) const GATE_QUESTION: &str = "What should I do with this?";
pub(crate) const GATE_DISMISSED: &str = "OK, leaving it";
pub(crate) const GATE_SUPERSEDED: &str = "A newer question took the place of this one";
pub(crate) const GATE_EXPIRED: &str = "Nobody chose in time, so I left it";
pub(crate) const CARD_GONE: &str = "This is no longer available";
pub(crate) const STALE_STEP: &str = "This action is no longer available.";
pub(crate) const NOBODY_MAY: &str = "Nobody is set up to approve this (TL-4103).";
pub(crate) const SELF_APPROVE: &str = "You asked for this, so someone else has to approve it.";
pub(crate) const TAMPERED: &str = "The stored request is not what was shown. Nothing was done (TL-4107).";
pub(crate) const ALREADY: &str = "Already processed";
pub(crate) const PRESS_APPROVE: &str = "Text does not approve anything. Please press Approve on the card.";
const NOTHING_TO_STOP: &str = "Nothing is running and nothing is waiting here.";
const NOTHING_TO_START_OVER: &str = "Nothing is waiting here. What would you like to do?";
const STOPPED: &str = "Stopped. Open cards stay where they are.";
const STARTED_OVER: &str = "Stopped; open cards stay where they are. What would you like to do?";
pub(crate) const FORGOTTEN: &str = "Forgotten: unclear messages will be asked about again.";
pub(crate) const NOTHING_REMEMBERED: &str = "This thread remembers no mode.";
/// The words after `forget` that erase all data about a person: unusual, so that nobody writes them by
/// accident.
pub(crate) const FORGET_ME_NOW: &str = "me now";
pub(crate) const FORGETTING: &str = "I am erasing what I keep of you, in every conversation here. What was created elsewhere with an approval stays there.";
pub(crate) const ERASED_OPEN: &str = "Somebody's data was erased. What was open here and held words of theirs is closed; ask again for what is still wanted.";
pub(crate) const NO_DISCUSSION: &str = "I have no answer to that. I can review it (say \"review this\") or make a ticket of it (say \"create a ticket for this\").";
pub(crate) const NO_UPDATE: &str =
    "Changing an issue that exists is not part of this version. Nothing was changed; I can draft a new one.";
pub(crate) const NOTHING_WAITS: &str = "Nothing is waiting here.";
pub(crate) const NO_TURN: &str = "There is no earlier turn in this thread to explain.";
pub(crate) const ASK_TITLE: &str = "What should the ticket be about? One line is enough.";
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

/// The answer to a stop, or to a request to start over.
pub(crate) const fn stopped(something: bool, start_over: bool) -> &'static str {
    match (something, start_over) {
        (true, true) => STARTED_OVER,
        (true, false) => STOPPED,
        (false, true) => NOTHING_TO_START_OVER,
        (false, false) => NOTHING_TO_STOP,
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

pub(crate) fn consumed(
    action: Action,
    by: &Presser,
    at: Timestamp,
    result: &Progress,
    me: &str,
    now: Timestamp,
) -> String {
    let result = match result {
        Progress::Created { key, .. } => format!(" → {key}"),
        Progress::Working { .. } => " → in progress".into(),
        Progress::Failed { text, .. } => format!(" → failed: {text}"),
        Progress::Uncertain { .. } => " → no answer yet".into(),
        Progress::Sending { .. } => " → in progress".into(),
        Progress::Posted { url } => format!(" → {}", url.as_deref().unwrap_or("posted")),
        Progress::Several { items } => batch::result(items),
        Progress::Done => " → done".into(),
        Progress::NotTried { .. } | Progress::None | Progress::Cancelled => String::new(),
    };
    if by.id == me {
        return format!("{ALREADY}{result}");
    }
    format!("Already {} by @{} at {}{result}", past(action), by.name, at.told(now))
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
    format!("This request expired at {}; start it again?", at.told(now))
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

/// The state of a thread.
pub(crate) fn status(asking: bool, waiting: usize, remembered: Option<Intent>) -> String {
    let asking = if asking { "a model is being asked · " } else { "" };
    let remembered = remembered.map_or("none", Intent::word);
    format!("In this thread: {asking}{waiting} waiting · remembered mode: {remembered}")
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
    format!("Sending is paused by @{by} since {}. Nothing was approved.", since.told(now))
}

pub(crate) fn preview_title(draft: &Draft, status: &CardStatus, now: Timestamp) -> String {
    let what = format!("1 {} in {}", draft.item_type.word(), draft.target.project);
    match status {
        CardStatus::Open => format!("Create {what}?"),
        CardStatus::Expired => format!("Expired without a decision: {what}"),
        CardStatus::Superseded { .. } => format!("A newer preview took the place of this one: {what}"),
        CardStatus::Withdrawn => format!("Cancelled: {what}"),
        CardStatus::Decided { action, by, at, result } => {
            let who = format!("{} by @{} {}", past(*action), by.name, at.told(now));
            match result {
                Progress::Working { .. } => format!("Working… (pressed by @{})", by.name),
                Progress::Created { key, .. } => format!("Created {key} · asked by @{} · {who}", draft.by),
                Progress::Failed { text, .. } => format!("Not created: {text} · {who}"),
                Progress::Uncertain { .. } => format!("No answer yet, so it may or may not exist · {who}"),
                Progress::Cancelled => format!("Cancelled · {who}"),
                Progress::NotTried { why, .. } => format!("Not created: {why} · {who}"),
                _ => format!("Not created · {who}"),
            }
        }
    }
}

pub(crate) fn uncertain_title(title: &str, status: &CardStatus) -> String {
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            let result = match result {
                Progress::Created { key, .. } => format!(" → {key}"),
                Progress::Failed { text, .. } => format!(" → not created: {text}"),
                Progress::Uncertain { .. } => " → no answer again".into(),
                Progress::Working { .. } => " → in progress".into(),
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
        [only] => format!("One thing is missing before I can show a preview: {only}?"),
        [first, rest @ ..] => format!(
            "Before I can show a preview I need: {}. Write them as lines like \"{first}: …\", all at once or one at a time. First: {first}?",
            [&[*first], rest].concat().join(", ")
        ),
        [] => String::new(),
    }
}

/// Asks which sub-agent a task goes to.
pub(crate) fn which_agent(agents: &[String]) -> String {
    format!("Which sub-agent should do it: {}?", agents.join(", "))
}

/// Asks for an argument that a tool needs.
pub(crate) fn ask_argument(name: &str, tool: &str) -> String {
    format!("What is the {} for {tool}?", name.replace('_', " "))
}

pub(crate) fn started(job: &Job, intent: &str) -> String {
    match job {
        Job::Agent { name } => format!("Handing “{intent}” to {name}."),
        Job::Tool { name, .. } => format!("Calling {name}."),
        Job::Option(chosen) => option::chosen(&chosen.label),
    }
}

/// The words of a tool or a sub-agent, quoted under its name: they are data, never the engine's own.
pub(crate) fn answered(job: &Job, text: &str) -> String {
    if text.lines().next().is_none() {
        return format!("{} is done.", job.name());
    }
    format!("{}:\n{}", job.name(), quoted(text))
}

/// Words of somebody else, quoted line by line.
fn quoted(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(|line| format!("> {line}")).collect();
    lines.join("\n")
}

/// A sub-agent's progress.
pub(crate) fn progress(job: &Job, text: &str) -> String {
    format!("{} goes on:\n{}", job.name(), quoted(text))
}

/// A question of a tool or a sub-agent: its own words first, then the field that is missing.
pub(crate) fn asks_back(job: &Job, words: &str, field: &str) -> String {
    let asks = (!words.is_empty()).then(|| format!("{} asks:\n{}", job.name(), quoted(words)));
    let names = (!field.is_empty()).then(|| ask_argument(field, job.name()));
    let parts: Vec<String> = asks.into_iter().chain(names).collect();
    if parts.is_empty() { format!("{} asks back.", job.name()) } else { parts.join("\n") }
}

pub(crate) fn passed_on(job: &Job) -> String {
    format!("Passing that on to {}.", job.name())
}

pub(crate) fn was_stopped(job: &Job, why: &str) -> String {
    if why.is_empty() {
        return format!("{} stopped.", job.name());
    }
    format!("{} stopped:\n{}", job.name(), quoted(why))
}

pub(crate) fn could_not(job: &Job, why: &str) -> String {
    if let Job::Option(chosen) = job {
        return option::failed(&chosen.label, why);
    }
    format!("{} did not do it: {why}", job.name())
}

pub(crate) fn no_answer(job: &Job) -> String {
    if let Job::Option(chosen) = job {
        return option::not_run(&chosen.label);
    }
    format!("{} did not answer. Nothing was changed.", job.name())
}

pub(crate) fn again(job: &Job) -> String {
    match job {
        Job::Tool { name, .. } => format!("{name} did not answer. Shall I try it again?"),
        Job::Agent { name } => format!("{name} did not answer. Shall I hand it over again?"),
        Job::Option(chosen) => option::again_run(&chosen.label),
    }
}

pub(crate) fn maybe_done(job: &Job) -> String {
    format!("{} did not answer, so it may or may not be done. It is not sent again by itself.", job.name())
}

pub(crate) fn not_set_up(name: &str) -> String {
    format!("{name} is not set up here. Nothing was sent.")
}

/// Refuses a task that does not fit into a prompt with the record of tasks and blockers, which is never
/// left out.
pub(crate) fn too_long(name: &str) -> String {
    format!(
        "That is too long to be handed to {name} with what it has to know. Nothing was sent; say it in fewer words."
    )
}

/// The title of a call's card: the question, or what became of it.
pub(crate) fn call_title(job: &Job, status: &CardStatus, now: Timestamp) -> String {
    let what = match job {
        Job::Agent { name } => format!("Hand this to {name}"),
        Job::Tool { name, .. } => format!("Call {name}"),
        Job::Option(chosen) => option::run(&chosen.label),
    };
    match status {
        CardStatus::Open => format!("{what}?"),
        CardStatus::Expired => format!("Expired without a decision: {what}"),
        CardStatus::Superseded { .. } => format!("A newer card took the place of this one: {what}"),
        CardStatus::Withdrawn => format!("Cancelled: {what}"),
        CardStatus::Decided { action, by, at, result } => {
            format!("{what} · {} by @{} {}{}", past(*action), by.name, at.told(now), came_of(result))
        }
    }
}

/// The outcome of a released call.
fn came_of(result: &Progress) -> String {
    match result {
        Progress::Done => " → done".into(),
        Progress::Failed { text, .. } => format!(" → not done: {text}"),
        Progress::Uncertain { .. } => " → no answer, so it may or may not be done".into(),
        Progress::Cancelled => " → dropped".into(),
        _ => String::new(),
    }
}

/// The title of the card for a call without an answer: the question, or what became of it.
pub(crate) fn uncertain_call_title(job: &Job, status: &CardStatus) -> String {
    let name = job.name();
    match status {
        CardStatus::Decided { action, by, result, .. } => {
            format!("No answer from {name}: {} by @{}{}", past(*action), by.name, came_of(result))
        }
        CardStatus::Withdrawn => format!("{name} did answer after all"),
        _ => maybe_done(job),
    }
}

/// A task, as a line of a list.
pub(crate) fn task_line(task: &Task) -> String {
    let with = task.work.as_ref().map(|work| format!(", with {}", work.job.name())).unwrap_or_default();
    let why = task.reason.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    format!("· {}{with}: “{}”{why}", task.status.word(), task.intent)
}

/// Confirms a corrected answer.
pub(crate) fn corrected(part: Part) -> String {
    format!("Changed: {}.", part.label())
}

/// The files of a message, for people: `(photo, file plan.pdf)`.
pub(crate) fn files(files: &[Attached]) -> String {
    format!("({})", named(files))
}

fn named(files: &[Attached]) -> String {
    files.iter().map(Attached::told).collect::<Vec<_>>().join(", ")
}

pub(crate) fn unread(posted: &Posted) -> String {
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

/// The explanation of a turn: the rung that decided, its reason, and each rung before it.
pub(crate) fn why(turn: &TurnSummary) -> String {
    let d = &turn.decision;
    let mut lines = alloc::vec![
        format!("Turn {} at {}: {}", turn.turn, turn.at.rfc3339(), turn.event),
        format!(
            "Decided by rung {}, {}: {} ({})",
            d.rung.number(),
            d.rung.title(),
            d.reason.says(),
            d.reason
        ),
        format!("Outcome: {}", outcome(d.outcome)),
    ];
    if let Some(intent) = d.intent {
        lines.push(format!("Intent: {}", intent.word()));
    }
    if let Some(rule) = &turn.trace.rule {
        lines.push(format!("Recognised by: {rule}"));
    }
    if let Some(applied) = &d.applied {
        lines.push(format!("Answer taken for {}", applied.pending));
    }
    for reason in &turn.trace.also {
        lines.push(format!("Also: {} ({reason})", reason.says()));
    }
    if let Some(focus) = &turn.trace.focus {
        let anchor = focus.anchor.as_ref().map_or("nothing".to_string(), ToString::to_string);
        lines.push(format!("Focus: {anchor} ({})", focus.source.word()));
        lines.extend(refers(&focus.reference));
        lines.extend(focus.thread.as_ref().map(|thread| match thread {
            Thread::Answers(id) => format!("Thread: it answers {id}"),
            Thread::StartsAnew => "Thread: it starts something new".into(),
        }));
    }
    if !turn.trace.passed.is_empty() {
        lines.push("Rungs that did not decide:".into());
    }
    for passed in &turn.trace.passed {
        let (rung, says) = (passed.rung(), turn.trace.says(*passed));
        lines.push(format!("  {:>2} {}: {says}", rung.number(), rung.title()));
    }
    for (class, id) in &turn.effects {
        lines.push(format!("Effect planned: {class} {id}"));
    }
    lines.join("\n")
}

/// The line that says whether the text needs its anchor, and by which words.
fn refers(reference: &Reference) -> Option<String> {
    let says = match reference.need {
        Need::None => return None,
        Need::Bound => "refers to nothing outside itself",
        Need::NeedsAnchor => "needs it",
    };
    Some(format!("Reference: the text {says} ({}: {})", reference.need.word(), reference.words))
}

fn outcome(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ignored => "ignored",
        Verdict::Observed => "kept, not answered",
        Verdict::Recorded => "recorded",
        Verdict::Answered => "answered",
        Verdict::Asked => "asked a question",
        Verdict::Shown => "showed a card",
        Verdict::Done => "done",
        Verdict::Refused => "refused, and said so",
        Verdict::Deferred => "asked a model; the turn of its answer decides",
    }
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
