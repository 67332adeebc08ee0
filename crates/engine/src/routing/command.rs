//! Commands such as `help` or `status`: equal in every channel, under the name that policy gives the
//! command.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::decide::open_lines;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Remembered;
use crate::data::message::MessageKind;
use crate::routing::words::interrupt;
use crate::say::{self};
use crate::turn::Turn;
use throughline_language::Interrupt;

const WORDS: [&str; 11] =
    ["help", "status", "pending", "why", "forget", "review", "ticket", "track", "untrack", "tracked", "stop"];

/// Runs a command; `text` is what follows the command's name.
pub(crate) fn run(turn: &mut Turn<'_>, text: &str) -> Decision {
    let (word, rest) = text.trim().split_once(char::is_whitespace).unwrap_or((text.trim(), ""));
    let word = word.to_lowercase();
    if let Some(decision) = turn.capabilities.iter().filter_map(|one| one.command(turn, &word, rest)).next() {
        return decision;
    }
    match word.as_str() {
        "" | "help" => answer(turn, &say::help(turn.policy), Reason::CommandHelp),
        "status" => answer(turn, &status(turn), Reason::CommandStatus),
        "pending" => answer(turn, &pending(turn), Reason::CommandPending),
        "why" => {
            let text =
                turn.given.last_turn.as_ref().map_or_else(|| say::NO_TURN.into(), |last| last.explain());
            answer(turn, &text, Reason::CommandWhy)
        }
        "forget" if rest.trim().eq_ignore_ascii_case("me") => {
            let text = say::forget_me(turn.policy);
            answer(turn, &text, Reason::CommandForget)
        }
        "forget" if rest.trim().eq_ignore_ascii_case(say::FORGET_ME_NOW) => {
            // The actor erases only their own data: nobody can ask this for somebody else.
            turn.forget = Some(turn.event.actor.clone()).filter(|actor| !actor.is_empty());
            answer(turn, say::FORGETTING, Reason::CommandForgetMe)
        }
        "forget" => {
            let text = if turn.head.remembered.is_some() { say::FORGOTTEN } else { say::NOTHING_REMEMBERED };
            turn.forget_mode();
            answer(turn, text, Reason::CommandForget)
        }
        "stop" => {
            interrupt(turn, Interrupt::Stop);
            Decision::new(Verdict::Answered, Reason::CommandStop)
        }
        _ => {
            let text = say::unknown_command(&word, nearest(&word), turn.policy);
            answer(turn, &text, Reason::CommandUnknown)
        }
    }
}

fn answer(turn: &mut Turn<'_>, text: &str, reason: Reason) -> Decision {
    turn.say(MessageKind::Answer, None, text);
    Decision::new(Verdict::Answered, reason)
}

fn status(turn: &Turn<'_>) -> String {
    let alive = |mode: &&Remembered| mode.alive(turn.head.last_message_at, turn.now(), turn.policy);
    let remembered = turn.head.remembered.as_ref().filter(alive).map(|mode| mode.intent);
    let mut lines = alloc::vec![say::status(turn.head.ask.is_some(), turn.head.pendings.len(), remembered)];
    lines.extend(turn.live_tasks().map(say::task_line));
    lines.join("\n")
}

fn pending(turn: &Turn<'_>) -> String {
    if turn.head.pendings.is_empty() {
        return say::NOTHING_WAITS.into();
    }
    let mut lines: Vec<String> =
        turn.head.pendings.iter().map(|pending| say::waits(&pending.line(turn.now()))).collect();
    lines.extend(open_lines(turn).iter().map(|title| say::open_card(title)));
    lines.join("\n")
}

/// The known command with the smallest edit distance, if that is at most two.
fn nearest(word: &str) -> Option<&'static str> {
    let distance = |known: &str| distance(&word.to_lowercase(), known);
    WORDS.into_iter().min_by_key(|known| distance(known)).filter(|known| distance(known) <= 2)
}

/// The Levenshtein distance. Only the first 24 characters of `a`, which a person typed, count.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(24).collect();
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (j, cb) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = j + 1;
        for i in 0..a.len() {
            let replaced = diagonal + usize::from(a[i] != cb);
            diagonal = row[i + 1];
            row[i + 1] = replaced.min(row[i] + 1).min(row[i + 1] + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_command() {
        assert_eq!(nearest("halp"), Some("help"));
        assert_eq!(nearest("pendign"), Some("pending"));
        assert_eq!(nearest("banana"), None);
    }
}
