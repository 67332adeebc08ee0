//! Words about what was created here: look-ups are answered at once from the receipts of the lane, and "another one like
//! that" is a new preview.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::data::card::{Card, CardStatus};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::id::{CardId, EffectId, TaskId};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::policy::limits;
use crate::data::shown_at::ShownAt;
use crate::data::ticket::{Draft, Part, Target};
use crate::data::tracked::IssueQuestion;
use crate::messages;
use crate::tickets::vocabulary::longest;
use crate::tickets::{drafting, issue_change};
use crate::turn::routed_message::focus;
use crate::turn::tracked_issues::by_key;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::lexicon::{SectionId, TICKETS};
use throughline_messages as say;

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const HAPPENED: SectionId = id("after.happened");
const APPROVED: SectionId = id("after.approved");
const TAIL: SectionId = id("after.approved.tail");
const THIS: SectionId = id("after.this");
const AGAIN: SectionId = id("after.again");

/// Wish about something that was created here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// Answer to the question what became of it.
    Happened,
    /// Answer to the question for its approver.
    Approved,
    /// A new one with the same text.
    Again,
}

/// Answers a message about an issue that was created in this lane. `None` if it is about none.
pub(crate) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    if let Some(decision) = issue_change::heard(turn, said) {
        return Some(decision);
    }
    let (wish, key) = read(&said.words)?;
    let Some(receipt) = receipt(turn, key.as_deref()) else {
        let key = key.filter(|_| wish == Wish::Happened)?;
        turn.trace.rule = Some(Cow::Borrowed("ticket.after"));
        let task = turn.task_here();
        let target = by_key(turn, &key);
        ask_state(turn, &target, &key, &task, &said.by);
        return Some(Decision::new(Verdict::Deferred, Reason::IssueSought).with_intent(Intent::Ticket));
    };
    let drafts = made(turn, &receipt, key.as_deref());
    let first = drafts.first()?.clone();
    turn.trace.rule = Some(Cow::Borrowed("ticket.after"));
    turn.belongs_to(&first.task);
    let verdict = match wish {
        Wish::Happened | Wish::Approved => {
            let told: Vec<String> = drafts.iter().filter_map(|draft| line(turn, &receipt, draft)).collect();
            turn.say(MessageKind::Answer, Some(&first.task), &told.join("\n"));
            if let ([draft], Wish::Happened) = (drafts.as_slice(), wish)
                && let Some(created) = &draft.created
            {
                ask_state(turn, &draft.target, &created.key, &draft.task, &said.by);
            }
            Verdict::Answered
        }
        Wish::Again => {
            turn.another_task();
            drafting::another(turn, &first, &said.by)
        }
    };
    Some(Decision::new(verdict, Reason::IntentRule).with_intent(Intent::Ticket))
}

/// Asks the tracker how an issue is now. The answer is told when it comes.
fn ask_state(turn: &mut Turn<'_>, target: &Target, key: &str, task: &TaskId, by: &str) {
    let (target, by, card) = (target.clone(), by.into(), CardId::from(""));
    let body = EffectBody::TrackerFind { target, key: key.into(), by, card, task: None };
    let effect = turn.effect(body, &[], None);
    let asked = IssueQuestion { effect, key: key.into(), task: task.clone(), language: turn.language() };
    let open = &mut turn.head.issue_questions;
    open.push(asked);
    let over = open.len().saturating_sub(limits::ISSUE_QUESTIONS);
    open.drain(..over);
}

/// Tells how an issue is, as its tracker says. Returns `false` if nobody asked for it.
pub(super) fn told(turn: &mut Turn<'_>, effect: &EffectId, outcome: &Outcome) -> bool {
    let at = turn.head.issue_questions.iter().position(|asked| asked.effect == *effect);
    let Some(at) = at else { return false };
    let language = turn.language();
    let IssueQuestion { key, task, .. } = turn.head.issue_questions.remove(at);
    let text = match outcome {
        Outcome::Done { result: EffectResult::Found { state, assignee, .. } } => {
            messages::change::now(language, &key, *state, assignee.as_deref())
        }
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => {
            say::change_not_read(language, &key, messages::of_others(language, &text.text(language)))
        }
        Outcome::Done { .. } => return true,
    };
    turn.say(MessageKind::Answer, Some(&task), &text);
    true
}

/// Reads what a message asks of something created, and the issue it names.
fn read(words: &Words) -> Option<(Wish, Option<String>)> {
    let all = words.all();
    if all.first()?.quoted {
        return None;
    }
    if longest(AGAIN, all, 0) == all.len() {
        return Some((Wish::Again, None));
    }
    let (happened, approved) = (longest(HAPPENED, all, 0), longest(APPROVED, all, 0));
    let n = happened.max(approved);
    let wish = if happened >= approved { Wish::Happened } else { Wish::Approved };
    let issue = key(words.text());
    let end = match &issue {
        // A key is two words: letters and digits.
        Some(_) => n + 2,
        None => n + longest(THIS, all, n),
    };
    let end = end + longest(TAIL, all, end);
    (n > 0 && end > n && end == all.len()).then_some((wish, issue))
}

/// Returns the key of the one issue that a text names.
fn key(text: &str) -> Option<String> {
    let mut keys = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).filter(|word| is_key(word));
    let first = keys.next()?;
    keys.next().is_none().then(|| first.to_string())
}

/// True if a word is the key of an issue: "DEMO-1".
pub(super) fn is_key(word: &str) -> bool {
    word.split_once('-').is_some_and(|(project, number)| {
        project.len() > 1
            && project.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
            && !number.is_empty()
            && number.chars().all(|c| c.is_ascii_digit())
    })
}

/// Returns the draft that became this issue, if it was created in this lane.
pub(super) fn created_here(turn: &Turn<'_>, key: &str) -> Option<Draft> {
    let receipt = receipt(turn, Some(key))?;
    made(turn, &receipt, Some(key)).into_iter().next()
}

/// Returns what "it" means behind a receipt: the issues of the one replied to, else of the newest. `None` if there is no
/// receipt, or a preview was opened since: then "it" is the preview.
pub(super) fn in_reach(turn: &Turn<'_>) -> Option<Vec<Draft>> {
    let receipt = receipt(turn, None)?;
    let shown = |card: &Card| ShownAt::by_message(&card.message, card.created_at);
    let newer = |card: &Card| card.is_approval() && shown(card).is_after(&shown(&receipt));
    if !focus(turn).replies() && turn.open_cards().any(newer) {
        return None;
    }
    Some(made(turn, &receipt, None)).filter(|made| !made.is_empty())
}

/// Returns the receipt that is meant: the one with this issue, the one replied to, else the newest.
fn receipt(turn: &Turn<'_>, key: Option<&str>) -> Option<Card> {
    let made = |card: &&Card| card.released().any(|(_, progress)| progress.key().is_some());
    let holds = |card: &&Card| card.released().any(|(_, progress)| progress.key() == key);
    let cards = || turn.head.cards.texts().rev().filter_map(|id| turn.named::<Card>(id)).filter(made);
    if key.is_some() {
        return cards().find(holds).cloned();
    }
    match focus(turn).anchor_id().filter(|_| focus(turn).replies()) {
        Some(anchor) => turn.card_shown_by(anchor).filter(made).cloned(),
        None => cards().next().cloned(),
    }
}

/// Returns the drafts of a receipt that became issues; with a key, the one that became that issue.
fn made(turn: &Turn<'_>, receipt: &Card, key: Option<&str>) -> Vec<Draft> {
    let fits = |draft: &Draft| {
        draft.created.as_ref().is_some_and(|created| key.is_none_or(|key| created.key == key))
    };
    turn.drafts_of(receipt).into_iter().filter(fits).collect()
}

fn line(turn: &Turn<'_>, receipt: &Card, draft: &Draft) -> Option<String> {
    let created = draft.created.as_ref()?;
    let CardStatus::Decided { by, at, .. } = &receipt.status else { return None };
    let title = draft.part(Part::Title);
    Some(messages::what_became(
        turn.language(),
        &created.key,
        title,
        &draft.by,
        by,
        *at,
        created.url.as_deref(),
        turn.now(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_of_something_created() {
        for (text, expected) in [
            ("What happened to DEMO-1?", Some((Wish::Happened, Some("DEMO-1")))),
            ("who approved this?", Some((Wish::Approved, None))),
            ("Who approved DEMO-12?", Some((Wish::Approved, Some("DEMO-12")))),
            ("Was ist mit DEMO-1?", Some((Wish::Happened, Some("DEMO-1")))),
            ("Wer hat das freigegeben?", Some((Wish::Approved, None))),
            ("another one like that", Some((Wish::Again, None))),
            ("noch so eins", Some((Wish::Again, None))),
            ("comment on it: fixed", None),
            ("what happened to the export?", None),
            ("who approved the budget?", None),
            ("what happened", None),
            ("", None),
        ] {
            let read = read(&Words::of(text));
            let found = read.as_ref().map(|(wish, key)| (*wish, key.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }
}
