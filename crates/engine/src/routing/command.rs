//! Commands such as `help` or `status`: equal in every channel, under the name that policy gives the
//! command.

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::canonical_json::{hex, sha256};
use crate::data::card::Card;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Remembered;
use crate::data::lane_key::LaneKey;
use crate::data::message::MessageKind;
use crate::data::pending::{PendingClass, PendingState};
use crate::data::policy::Policy;
use crate::data::policy::hosting::Hosting;
use crate::data::state_of_work::{StateOfWork, TaskProgress};
use crate::data::task::Task;
use crate::messages;
use crate::routing::capabilities::CAPABILITIES;
use crate::routing::interrupt::interrupt;
use crate::turn::Turn;
use throughline_language::Interrupt;
use throughline_language::edits::levenshtein;
use throughline_messages as say;

/// The commands that belong to no capability.
const OWN: [&str; 6] = ["help", "status", "pending", "why", "forget", "stop"];

/// The words of every command that is taken where the work is divided so.
fn known(hosting: Hosting<'_>) -> impl Iterator<Item = &'static str> {
    let on = CAPABILITIES.iter().filter(move |one| hosting.has_named(one.name()));
    OWN.into_iter().chain(on.flat_map(|one| one.commands().iter().copied()))
}

/// Returns the words of the commands that are taken in a lane.
#[must_use]
pub fn commands(policy: &Policy, lane: &LaneKey) -> Vec<&'static str> {
    known(policy.hosting(lane)).collect()
}

/// Runs a command; `text` is what follows the command's name.
pub(crate) fn run(turn: &mut Turn<'_>, text: &str) -> Decision {
    let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let word = word.to_lowercase();
    let hosting = turn.hosting;
    let mut on = turn.capabilities.iter().filter(|one| hosting.has_named(one.name()));
    if let Some(decision) = on.find_map(|one| one.command(turn, &word, rest)) {
        return decision;
    }
    match word.as_str() {
        "" | "help" => {
            let text = help(turn);
            answer(turn, &text, Reason::CommandHelp)
        }
        "status" => answer(turn, &status(turn), Reason::CommandStatus),
        "pending" => answer(turn, &pending(turn), Reason::CommandPending),
        "why" => why(turn),
        "forget" if is_me(rest) => forget_me(turn, rest),
        "forget" => {
            let text = forgotten(turn);
            answer(turn, &text, Reason::CommandForget)
        }
        "stop" => {
            if !interrupt(turn, Interrupt::Stop) && turn.hosting.is_fallback() {
                let left = turn.state_of_work();
                let text = messages::state::stopped(turn.language(), false, false, left.as_ref());
                return answer(turn, &text, Reason::CommandStop);
            }
            Decision::new(Verdict::Answered, Reason::CommandStop)
        }
        _ => {
            let text = messages::unknown_command(
                turn.language(),
                &word,
                nearest(&word, known(turn.hosting)),
                turn.policy,
            );
            answer(turn, &text, Reason::CommandUnknown)
        }
    }
}

/// Explains the last turn.
pub(crate) fn why(turn: &mut Turn<'_>) -> Decision {
    let last = turn.given.last_turn.as_ref();
    let text = last.map_or_else(|| say::help_no_turn(turn.language()), |last| last.explain(turn.language()));
    answer(turn, &text, Reason::CommandWhy)
}

/// The help: of everything, or, where only some capabilities are on, the commands of these.
pub(crate) fn help(turn: &Turn<'_>) -> String {
    let (language, command) = (turn.language(), &turn.policy.command.0);
    if turn.hosting.makes_tickets() {
        return say::help_text(language, command);
    }
    say::help_words(language, command, known(turn.hosting).collect::<Vec<_>>().join(" · "))
}

/// Ends the remembered mode, and says whether there was one.
pub(crate) fn forgotten(turn: &mut Turn<'_>) -> String {
    let text = if turn.head.remembered.is_some() {
        say::remembered_forgotten(turn.language())
    } else {
        say::remembered_nothing(turn.language())
    };
    turn.forget_mode();
    text
}

/// Tells what goes on here and what waits, for somebody who asks in words.
pub(crate) fn what_is_open(turn: &Turn<'_>) -> String {
    let asked = turn
        .head
        .pendings
        .iter()
        .filter(|asked| asked.kind.class() == PendingClass::Conversational && asked.is_alive(turn.now()));
    let asked = asked.map(|asked| messages::question::waits(turn.language(), &turn.question_of(asked)));
    let open = turn.open_cards().filter(|card| card.takes_press(turn.now()));
    let cards =
        turn.put_aside().chain(open).map(|card| messages::open_card(turn.language(), &turn.called(card)));
    [status(turn)].into_iter().chain(asked).chain(cards).collect::<Vec<_>>().join("\n")
}

fn is_me(rest: &str) -> bool {
    rest.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case("me"))
}

/// Erases the person who asks, in three steps: `me` says what will happen, `me now` asks once more, and `me now` with the
/// code that this asked for does it. The code is that of the person who writes, so what somebody else copies does nothing.
fn forget_me(turn: &mut Turn<'_>, rest: &str) -> Decision {
    let said: Vec<String> = rest.split_whitespace().skip(1).map(str::to_lowercase).collect();
    let actor = turn.event.actor.clone();
    let code = confirmation(&actor);
    match said.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["now", given] if given == code && !actor.is_empty() => {
            turn.forget = Some(actor);
            answer(turn, &say::forget_me_begun(turn.language()), Reason::CommandForgetMe)
        }
        ["now", ..] => {
            let text = say::forget_me_once_more(
                turn.language(),
                &code,
                &turn.policy.command.0,
                messages::FORGET_ME_NOW,
            );
            answer(turn, &text, Reason::CommandForget)
        }
        _ => {
            let text = say::forget_me(turn.language(), &turn.policy.command.0, messages::FORGET_ME_NOW);
            answer(turn, &text, Reason::CommandForget)
        }
    }
}

/// The code with which a person confirms that they are to be erased.
fn confirmation(actor: &str) -> String {
    hex(&sha256(&[actor.as_bytes()])[..3])
}

fn answer(turn: &mut Turn<'_>, text: &str, reason: Reason) -> Decision {
    turn.say(MessageKind::Answer, None, text);
    Decision::new(Verdict::Answered, reason)
}

fn status(turn: &Turn<'_>) -> String {
    let alive = |mode: &&Remembered| mode.is_alive(turn.head.last_message_at, turn.now(), turn.policy);
    let remembered = turn.head.remembered.as_ref().filter(alive).map(|mode| mode.intent);
    // A version that did not look counted every open question, and a replay counts them alike.
    let before = || StateOfWork {
        asking: turn.head.ask.is_some(),
        waiting: turn.head.pendings.len(),
        ..StateOfWork::default()
    };
    let state = turn.state_of_work();
    let progress = |task: &Task| state.map_or(TaskProgress::GoesOn, |_| turn.progress_of(task));
    let lines = turn.live_tasks().map(|task| messages::task_line(turn.language(), task, progress(task)));
    let state = state.unwrap_or_else(before);
    let lines: Vec<String> =
        [messages::state::status(turn.language(), &state, remembered)].into_iter().chain(lines).collect();
    lines.join("\n")
}

fn pending(turn: &Turn<'_>) -> String {
    let state = turn.state_of_work();
    let alive = |pending: &&PendingState| state.is_none() || pending.is_alive(turn.now());
    let questions: Vec<&PendingState> = turn.head.pendings.iter().filter(alive).collect();
    let mut lines: Vec<String> =
        questions.iter().map(|pending| messages::waits(&pending.line(turn.now(), turn.language()))).collect();
    if state.is_some() || !questions.is_empty() {
        let open = |card: &&Card| state.is_none() || card.takes_press(turn.now());
        let titles = turn.put_aside().chain(turn.open_cards().filter(open)).map(|card| turn.called(card));
        lines.extend(titles.map(|title| messages::open_card(turn.language(), &title)));
    }
    messages::state::pending(turn.language(), &lines, state.as_ref())
}

/// The known command with the smallest edit distance, if that is at most two.
fn nearest(word: &str, known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word = word.to_lowercase();
    let near = known.filter_map(|known| Some((levenshtein(&word, known, 2)?, known)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::data::policy::hosting::{Fallback, Replies};

    use super::*;

    #[test]
    fn names_the_nearest_command() {
        assert_eq!(nearest("halp", all()), Some("help"));
        assert_eq!(nearest("pendign", all()), Some("pending"));
        assert_eq!(nearest("banana", all()), None);
    }

    fn all() -> impl Iterator<Item = &'static str> {
        known(Hosting { fallback: Fallback::Gate, capabilities: None, replies: Replies::Engine })
    }

    /// Commands with a few letters cut out and others put in.
    fn misspelled() -> impl Strategy<Value = String> {
        let edit = (0usize..9, 0usize..3, "[a-eprtP é]{0,2}");
        (
            proptest::sample::select(all().collect::<alloc::vec::Vec<_>>()),
            proptest::collection::vec(edit, 0..4),
        )
            .prop_map(|(word, edits)| {
                let mut word: Vec<char> = word.chars().collect();
                for (at, cut, put) in edits {
                    let at = at.min(word.len());
                    word.splice(at..(at + cut).min(word.len()), put.chars());
                }
                word.into_iter().collect()
            })
    }

    proptest! {
        #[test]
        fn the_nearest_command_is_the_first_with_the_smallest_distance(word in misspelled()) {
            let far = |known: &&str| strsim::levenshtein(&word.to_lowercase(), known);
            let nearby = all().min_by_key(far).filter(|known| far(known) <= 2);
            prop_assert_eq!(nearest(&word, all()), nearby);
        }
    }
}
