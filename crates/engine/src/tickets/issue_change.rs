//! Changes of issues that exist, as people ask for them: "close DEMO-1", "comment on it: …", "assign it to bob". Each is shown
//! for approval before it is made.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::calls;
use crate::data::call::PlannedChange;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::{IssueChange, IssueState};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::policy::limits;
use crate::data::ticket::{Draft, Target};
use crate::tickets::after_receipt::{created_here, in_reach};
use crate::tickets::project::is_open;
use crate::tickets::vocabulary::longest;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::lexicon::{SectionId, TICKETS};
use throughline_messages as say;

const fn id(name: &str) -> SectionId {
    TICKETS.section(name)
}

const PLEASE: SectionId = id("edit.please");
const THIS: SectionId = id("after.this");
const CLOSE: SectionId = id("after.close");
const REOPEN: SectionId = id("after.reopen");
const OPEN: SectionId = id("after.open");
const AGAIN: SectionId = id("after.again.tail");
const COMMENT: SectionId = id("after.comment");
const COMMENT_JOINT: SectionId = id("after.comment.joint");
const ASSIGN: SectionId = id("after.assign");
const LINK: SectionId = id("after.link");
const TO: SectionId = id("after.to");
const ME: SectionId = id("after.me");
const TAIL: SectionId = id("after.change.tail");

/// The most words of a person's name.
const NAME_WORDS: usize = 3;

/// Request for a change.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Asked {
    /// Key of the issue; `None` if the message only points at it.
    issue: Option<String>,
    wish: Wish,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Wish {
    State(IssueState),
    /// A comment, empty if its text is missing.
    Comment(String),
    Assign(String),
    /// The writer takes it.
    AssignToMe,
    Link(String),
}

/// Shows the change that a message asks for. `None` if it asks for none, or points at nothing.
pub(super) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let asked = read(&said.words)?;
    let made = match &asked.issue {
        Some(key) => created_here(turn, key).into_iter().collect(),
        None => in_reach(turn)?,
    };
    turn.trace.rule = Some(Cow::Borrowed("ticket.change"));
    let decided = match issue(turn, &asked, &made) {
        Ok((target, key)) => plan(turn, said, asked.wish, target, key),
        Err(told) => Err(told),
    };
    let decision = decided.unwrap_or_else(|told| {
        turn.say(MessageKind::Answer, None, &told);
        Decision::new(Verdict::Answered, Reason::IntentRule)
    });
    Some(decision.with_intent(Intent::Ticket))
}

/// Returns the issue that is meant, or what to say when there are several.
fn issue(turn: &Turn<'_>, asked: &Asked, made: &[Draft]) -> Result<(Target, String), String> {
    let keys: Vec<&str> =
        made.iter().filter_map(|draft| draft.created.as_ref().map(|created| created.key.as_str())).collect();
    match (&asked.issue, made, keys.as_slice()) {
        (None, [draft, ..], [key]) => Ok((draft.target.clone(), (*key).to_string())),
        (None, ..) => Err(say::change_which(turn.language(), keys.join(", "))),
        (Some(key), [draft, ..], _) => Ok((draft.target.clone(), key.clone())),
        (Some(key), [], _) => {
            let project = key.rsplit_once('-').map_or("", |(project, _)| project);
            Ok((Target { project: project.into(), ..turn.policy.project.clone() }, key.clone()))
        }
    }
}

/// Shows the change for approval; returns what to say when it cannot be made.
fn plan(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    wish: Wish,
    target: Target,
    key: String,
) -> Result<Decision, String> {
    let change = match wish {
        Wish::State(state) => IssueChange::State(state),
        Wish::Comment(text) if text.is_empty() => return Err(say::change_no_comment(turn.language())),
        Wish::Comment(text) => IssueChange::Comment(text),
        Wish::Assign(name) => IssueChange::Assignee(name),
        Wish::AssignToMe => IssueChange::Assignee(said.by.clone()),
        Wish::Link(other) => IssueChange::Link(other),
    };
    if !is_open(turn.policy, "tracker.update", &target) {
        return Err(say::change_not_here(turn.language(), &key));
    }
    Ok(calls::change(turn, said, PlannedChange { target, key, change }))
}

/// Reads a message that asks for a change and for nothing else.
fn read(message: &Words) -> Option<Asked> {
    let (all, text) = (message.all(), message.text());
    if all.first()?.quoted {
        return None;
    }
    let please =
        core::iter::successors(Some(0), |at| Some(at + longest(PLEASE, all, *at)).filter(|to| to > at));
    let verb = please.last().unwrap_or(0);
    let verbs =
        [CLOSE, REOPEN, OPEN, COMMENT, ASSIGN, LINK].map(|verb_of| (verb_of, longest(verb_of, all, verb)));
    let (what, n) = verbs.into_iter().max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0)?;
    let named = key_at(message, verb + n);
    let m = named.map_or_else(|| longest(THIS, all, verb + n), |(_, m)| m);
    let behind = verb + n + m;
    if m == 0 {
        return None;
    }
    let issue = named.map(|(key, _)| key.to_string());
    let wish = if what == COMMENT {
        Wish::Comment(comment(
            text,
            all.get(behind - 1)?.end,
            behind + longest(COMMENT_JOINT, all, behind),
            message,
        )?)
    } else if what == ASSIGN {
        assign(message, behind + longest(TO, all, behind))?
    } else if what == LINK {
        let at = behind + longest(TO, all, behind);
        let (other, n) = key_at(message, at).filter(|_| at > behind)?;
        ends(message, at + n).then(|| Wish::Link(other.to_string()))?
    } else {
        let again = longest(AGAIN, all, behind);
        let state = if what == CLOSE { IssueState::Closed } else { IssueState::Open };
        let whole =
            ends(message, behind + again) && (again > 0) <= (what != CLOSE) && (what != OPEN || again > 0);
        whole.then_some(Wish::State(state))?
    };
    Some(Asked { issue, wish })
}

/// Reads the text of a comment: what stands behind a colon or a word that leads to it.
fn comment(text: &str, from: usize, at: usize, message: &Words) -> Option<String> {
    let behind = text.get(from..)?.trim_start();
    let marked = behind.strip_prefix([':', '–', '—', '-', ',']);
    let joined = message.all().get(at.checked_sub(1)?).filter(|word| word.end > from).map(|word| word.end);
    let said = match (marked, joined) {
        (_, Some(end)) => text.get(end..)?,
        (Some(said), None) => said,
        (None, None) if ends(message, at) => "",
        (None, None) if behind.starts_with('\n') || text.get(from..)?.starts_with('\n') => behind,
        (None, None) => return None,
    };
    Some(said.trim_start_matches([':', ' ', '\n']).trim_end().to_string())
}

/// Reads the name of the person who is to do it.
fn assign(message: &Words, at: usize) -> Option<Wish> {
    let all = message.all();
    let me = longest(ME, all, at);
    if me > 0 && ends(message, at + me) {
        return Some(Wish::AssignToMe);
    }
    let end = (at + 1..=all.len()).find(|end| ends(message, *end)).filter(|end| *end - at <= NAME_WORDS)?;
    let name = message.text().get(all.get(at)?.at..all.get(end - 1)?.end)?;
    let name = name.trim_start_matches('@');
    (name.chars().count() <= limits::NAME).then(|| Wish::Assign(name.to_string()))
}

/// True if nothing but politeness stands from this word on.
fn ends(message: &Words, at: usize) -> bool {
    let all = message.all();
    let rest = core::iter::successors(Some(at), |at| Some(at + longest(TAIL, all, *at)).filter(|to| to > at));
    rest.last() == Some(all.len())
}

/// Returns the issue key that begins at this word, and how many words it has.
fn key_at(message: &Words, at: usize) -> Option<(&str, usize)> {
    let all = message.all();
    let from = all.get(at)?.at;
    let rest = message.text().get(from..)?;
    let key = rest.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).next()?;
    let words = all[at..].iter().take_while(|word| word.end <= from + key.len()).count();
    super::after_receipt::is_key(key).then_some((key, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Option<(Option<String>, Wish)> {
        read(&Words::of(text)).map(|asked| (asked.issue, asked.wish))
    }

    #[test]
    fn changes_are_read_from_words() {
        let comment = |text: &str| Wish::Comment(text.into());
        let assign = |name: &str| Wish::Assign(name.into());
        for (text, issue, wish) in [
            ("close DEMO-1", Some("DEMO-1"), Wish::State(IssueState::Closed)),
            ("Please close it.", None, Wish::State(IssueState::Closed)),
            ("reopen it", None, Wish::State(IssueState::Open)),
            ("open DEMO-12 again please", Some("DEMO-12"), Wish::State(IssueState::Open)),
            ("Schließe DEMO-1 bitte", Some("DEMO-1"), Wish::State(IssueState::Closed)),
            ("öffne es wieder", None, Wish::State(IssueState::Open)),
            ("comment on it: it fails on Safari too", None, comment("it fails on Safari too")),
            ("comment on DEMO-1: one\n- two\n- three", Some("DEMO-1"), comment("one\n- two\n- three")),
            ("add a comment to DEMO-1 saying that it is fixed", Some("DEMO-1"), comment("it is fixed")),
            ("comment on it", None, comment("")),
            ("Kommentiere es: läuft wieder", None, comment("läuft wieder")),
            ("assign it to bob", None, assign("bob")),
            ("assign DEMO-1 to @bob, please", Some("DEMO-1"), assign("bob")),
            ("assign it to me", None, Wish::AssignToMe),
            ("Weise DEMO-1 Bob Meier zu", Some("DEMO-1"), assign("Bob Meier")),
            ("link it to DEMO-2", None, Wish::Link("DEMO-2".into())),
            ("Verknüpfe DEMO-1 mit DEMO-2", Some("DEMO-1"), Wish::Link("DEMO-2".into())),
        ] {
            assert_eq!(asked(text), Some((issue.map(String::from), wish)), "{text}");
        }
    }

    #[test]
    fn nothing_else_is_a_change() {
        for text in [
            "close the dialog",
            "close it and open it again",
            "open the page",
            "open it",
            "comment on the weather",
            "comment on it when you can",
            "assign a role",
            "assign it to whoever has the most time this week",
            "link it",
            "link it to the epic",
            "link the page",
            "\"close it\"",
            "",
        ] {
            assert_eq!(asked(text), None, "{text}");
        }
    }
}
