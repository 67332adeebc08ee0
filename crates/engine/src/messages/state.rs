//! Sentences about what is under way in a lane: the answers to a stop, to `status` and to `pending`, and what came of a
//! card that was decided. All say it with the words of this file (`docs/design/0042-sentences-about-state.md`).

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use crate::data::intent::Intent;
use crate::data::progress::{Phase, ReleasedItem};
use crate::data::state_of_work::StateOfWork;

const NOTHING_TO_STOP: &str = "Nothing is running and nothing is waiting here.";
const NOTHING_TO_START_OVER: &str = "Nothing is waiting here. What would you like to do?";
const STOPPED: &str = "Stopped. Open cards stay where they are.";
const STARTED_OVER: &str = "Stopped; open cards stay where they are. What would you like to do?";
const NOTHING_STOPPED: &str = "Nothing was stopped.";
const MAY_STILL_HAPPEN: &str =
    "What is sent already cannot be stopped and may still happen; what comes of it is told here.";
const WHAT_NOW: &str = "What would you like to do?";
const NOTHING_WAITS: &str = "Nothing is waiting here.";

/// The work that goes on, one part for each thing there is: `1 running`, `2 waiting`.
fn parts(state: &StateOfWork) -> Vec<String> {
    let counted = [
        (state.running, "running"),
        (state.sent, "sent already"),
        (state.waiting, "waiting"),
        (state.uncertain, "without an answer"),
    ];
    let asking = state.asking.then(|| "a model is being asked".to_string());
    let counted = counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    asking.into_iter().chain(counted).collect()
}

/// The answer to a stop, or to a request to start over. `left` is what goes on after it; `None` if a version decided
/// this that did not look, whose answer a replay repeats.
pub(crate) fn stopped(something: bool, start_over: bool, left: Option<&StateOfWork>) -> String {
    let Some(left) = left.filter(|left| !left.is_idle()) else {
        return match (something, start_over) {
            (true, true) => STARTED_OVER,
            (true, false) => STOPPED,
            (false, true) => NOTHING_TO_START_OVER,
            (false, false) => NOTHING_TO_STOP,
        }
        .into();
    };
    let lead = if something { STOPPED } else { NOTHING_STOPPED };
    let told = with_rest(lead, Some(left));
    if start_over { format!("{told} {WHAT_NOW}") } else { told }
}

/// The reason shown on a card for what a stop called off.
pub(crate) const CALLED_OFF: &str = "stopped before it was sent";

/// Names what a stop ended, what other people are asked and stays, and the open cards that may be closed.
pub(crate) fn named(ended: &[String], others: &[String], cards: &[String]) -> String {
    let line =
        |lead: &str, all: &[String]| (!all.is_empty()).then(|| format!("{lead}: {}.", super::listed(all)));
    let offer = (!cards.is_empty()).then(|| {
        format!("Open cards of yours: {}. Say \"close the cards\" to close them.", super::listed(cards))
    });
    let lines = [line("Ended", ended), line("Left to others", others), offer];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A sentence, and what goes on beside.
pub(crate) fn with_rest(lead: &str, left: Option<&StateOfWork>) -> String {
    let Some(left) = left.filter(|left| !left.is_idle()) else { return lead.into() };
    let still = format!("Still here: {}.", parts(left).join(", "));
    let sent = (left.sent > 0).then_some(MAY_STILL_HAPPEN);
    let all: Vec<&str> = [lead, &still].into_iter().chain(sent).collect();
    all.join(" ")
}

/// The state of a thread.
pub(crate) fn status(state: &StateOfWork, remembered: Option<Intent>) -> String {
    let mut all = parts(state);
    if state.waiting == 0 {
        all.push("0 waiting".into());
    }
    if state.paused {
        all.push("sending is paused".into());
    }
    all.push(format!("remembered mode: {}", remembered.map_or("none", Intent::as_str)));
    format!("In this thread: {}", all.join(" · "))
}

/// Everything that waits, as a list: `lines` are the questions and cards. The last line is the work beside them.
pub(crate) fn pending(lines: &[String], state: Option<&StateOfWork>) -> String {
    let beside = state.map(|state| parts(&StateOfWork { waiting: 0, ..*state })).unwrap_or_default();
    let beside = (!beside.is_empty()).then(|| format!("Besides: {}.", beside.join(", ")));
    match lines {
        [] => [NOTHING_WAITS.to_string()].into_iter().chain(beside).collect::<Vec<_>>().join(" "),
        lines => lines.iter().cloned().chain(beside).collect::<Vec<_>>().join("\n"),
    }
}

/// The end of a decided card, for somebody who presses it once more. `sent` says of an effect whether it was handed to
/// its far side.
pub(crate) fn came_of(phase: &Phase<'_>, sent: bool) -> String {
    match phase {
        Phase::Running(_) if sent => " → in progress, sent already".into(),
        Phase::Running(_) => " → in progress".into(),
        Phase::Happened(Some(what)) => format!(" → {what}"),
        Phase::Happened(None) => " → done".into(),
        Phase::Stopped => " → stopped".into(),
        Phase::Refused(why) => format!(" → failed: {why}"),
        Phase::Unknown(_) => " → no answer yet".into(),
        Phase::Several(items) => came_of_several(items, sent),
        Phase::NotTried(_) | Phase::Nothing | Phase::Dropped => String::new(),
    }
}

/// The result of a decided batch: what there is, and what is under way or unknown beside it.
fn came_of_several(items: &[ReleasedItem], sent: bool) -> String {
    let first = items.iter().find_map(|item| item.progress.key());
    let made = items.iter().filter(|item| item.progress.key().is_some()).count();
    let count = |of: fn(&Phase<'_>) -> bool| items.iter().filter(|item| of(&item.progress.phase())).count();
    let running = count(|phase| matches!(phase, Phase::Running(_)));
    let unknown = count(|phase| matches!(phase, Phase::Unknown(_)));
    let mut all: Vec<String> = match first {
        Some(key) if items.len() == 1 => alloc::vec![key.into()],
        Some(key) if made == items.len() => alloc::vec![format!("{key} and the other {} with it", made - 1)],
        Some(key) => alloc::vec![key.into(), format!("{made} of {} created", items.len())],
        None => Vec::new(),
    };
    if running > 0 {
        all.push(came_of_running(running, items.len(), sent));
    }
    if unknown > 0 {
        all.push(if unknown == items.len() {
            "no answer yet".into()
        } else {
            format!("{unknown} with no answer yet")
        });
    }
    if all.is_empty() {
        let why = items.iter().find_map(|item| match item.progress.phase() {
            Phase::Refused(why) | Phase::NotTried(why) => Some(why),
            _ => None,
        });
        return why.map(|why| format!(" → failed: {why}")).unwrap_or_default();
    }
    format!(" → {}", all.join(", "))
}

fn came_of_running(running: usize, all: usize, sent: bool) -> String {
    let what = if sent { "in progress, sent already" } else { "in progress" };
    if running == all { what.into() } else { format!("{running} {what}") }
}
