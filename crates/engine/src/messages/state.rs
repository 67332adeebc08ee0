//! Sentences about what is under way in a lane: the answers to a stop, to `status` and to `pending`, and what came of a
//! card that was decided. All say it with the words of this file (`docs/design/0042-sentences-about-state.md`).

use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::intent::Intent;
use crate::data::progress::{Phase, ReleasedItem};
use crate::data::state_of_work::StateOfWork;
use crate::messages::Counted;

/// The work that goes on, one part for each thing there is: `1 running`, `2 waiting`.
fn parts(language: Language, state: &StateOfWork) -> Vec<String> {
    let counted: [(usize, Counted); 4] = [
        (state.running, say::state_running),
        (state.sent, say::state_sent),
        (state.waiting, say::state_waiting),
        (state.uncertain, say::state_uncertain),
    ];
    let asking = state.asking.then(|| say::state_asking(language));
    let counted = counted.iter().filter(|(n, _)| *n > 0).map(|(n, what)| what(language, *n));
    asking.into_iter().chain(counted).collect()
}

/// The answer to a stop, or to a request to start over. `left` is what goes on after it; `None` if a version decided
/// this that did not look, whose answer a replay repeats.
pub(crate) fn stopped(
    language: Language,
    something: bool,
    start_over: bool,
    left: Option<&StateOfWork>,
) -> String {
    let Some(left) = left.filter(|left| !left.is_idle()) else {
        return match (something, start_over) {
            (true, true) => say::stop_started_over(language),
            (true, false) => say::stop_stopped(language),
            (false, true) => say::stop_nothing_to_start_over(language),
            (false, false) => say::stop_nothing(language),
        };
    };
    let lead = if something { say::stop_stopped(language) } else { say::stop_nothing_stopped(language) };
    let mut told = with_rest(language, &lead, Some(left));
    if start_over {
        told.push(' ');
        told.push_str(&say::stop_what_now(language));
    }
    told
}

/// Names what a stop ended, what other people are asked and stays, and the open cards that may be closed.
pub(crate) fn named(language: Language, ended: &[String], others: &[String], cards: &[String]) -> String {
    let line = |say: fn(Language, String) -> String, all: &[String]| {
        (!all.is_empty()).then(|| say(language, super::listed(language, all)))
    };
    let lines = [
        line(say::stop_ended, ended),
        line(say::stop_left_to_others, others),
        line(say::stop_open_cards, cards),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A sentence, and what goes on beside.
pub(crate) fn with_rest(language: Language, lead: &str, left: Option<&StateOfWork>) -> String {
    let Some(left) = left.filter(|left| !left.is_idle()) else { return lead.into() };
    let still = say::stop_still_here(language, parts(language, left).join(", "));
    let sent = (left.sent > 0).then(|| say::stop_may_still_happen(language));
    let all: Vec<String> = [lead.into(), still].into_iter().chain(sent).collect();
    all.join(" ")
}

/// The state of a thread.
pub(crate) fn status(language: Language, state: &StateOfWork, remembered: Option<Intent>) -> String {
    let mut all = parts(language, state);
    if state.waiting == 0 {
        all.push(say::state_waiting(language, 0));
    }
    if state.paused {
        all.push(say::state_paused(language));
    }
    all.push(say::state_remembered(language, remembered.map_or("none", Intent::as_str)));
    say::state_here(language, all.join(" · "))
}

/// Everything that waits, as a list: `lines` are the questions and cards. The last line is the work beside them.
pub(crate) fn pending(language: Language, lines: &[String], state: Option<&StateOfWork>) -> String {
    let beside =
        state.map(|state| parts(language, &StateOfWork { waiting: 0, ..*state })).unwrap_or_default();
    let beside = (!beside.is_empty()).then(|| say::state_besides(language, beside.join(", ")));
    match lines {
        [] => {
            let nothing = say::state_nothing_waits(language);
            [nothing].into_iter().chain(beside).collect::<Vec<_>>().join(" ")
        }
        lines => lines.iter().cloned().chain(beside).collect::<Vec<_>>().join("\n"),
    }
}

/// The end of a decided card, for somebody who presses it once more. `sent` says of an effect whether it was handed to
/// its far side.
pub(crate) fn came_of(language: Language, phase: &Phase<'_>, sent: bool) -> Option<String> {
    Some(match phase {
        Phase::Running(_) if sent => say::came_of_running_sent(language),
        Phase::Running(_) => say::came_of_running(language),
        Phase::Happened(Some(what)) => (*what).into(),
        Phase::Posted => say::came_of_posted(language),
        Phase::Happened(None) => say::came_of_done(language),
        Phase::Stopped => say::came_of_stopped(language),
        Phase::Refused(why) => say::came_of_failed(language, why),
        Phase::Unknown(_) => say::came_of_no_answer(language),
        Phase::Several(items) => return came_of_several(language, items, sent),
        Phase::NotTried(_) | Phase::Nothing | Phase::Dropped => return None,
    })
}

/// The result of a decided batch: what there is, and what is under way or unknown beside it.
fn came_of_several(language: Language, items: &[ReleasedItem], sent: bool) -> Option<String> {
    let first = items.iter().find_map(|item| item.progress.key());
    let made = items.iter().filter(|item| item.progress.key().is_some()).count();
    let count = |of: fn(&Phase<'_>) -> bool| items.iter().filter(|item| of(&item.progress.phase())).count();
    let running = count(|phase| matches!(phase, Phase::Running(_)));
    let unknown = count(|phase| matches!(phase, Phase::Unknown(_)));
    let mut all: Vec<String> = match first {
        Some(key) if items.len() == 1 => alloc::vec![key.into()],
        Some(key) if made == items.len() => alloc::vec![say::came_of_all(language, key, made - 1)],
        Some(key) => alloc::vec![key.into(), say::came_of_some(language, items.len(), made)],
        None => Vec::new(),
    };
    if running > 0 {
        all.push(came_of_running(language, running, items.len(), sent));
    }
    if unknown > 0 {
        all.push(if unknown == items.len() {
            say::came_of_no_answer(language)
        } else {
            say::came_of_some_no_answer(language, unknown)
        });
    }
    if all.is_empty() {
        let why = items.iter().find_map(|item| match item.progress.phase() {
            Phase::Refused(why) | Phase::NotTried(why) => Some(why),
            _ => None,
        });
        return why.map(|why| say::came_of_failed(language, why));
    }
    Some(all.join(", "))
}

fn came_of_running(language: Language, running: usize, all: usize, sent: bool) -> String {
    match (running == all, sent) {
        (true, true) => say::came_of_running_sent(language),
        (true, false) => say::came_of_running(language),
        (false, true) => say::came_of_some_running_sent(language, running),
        (false, false) => say::came_of_some_running(language, running),
    }
}
