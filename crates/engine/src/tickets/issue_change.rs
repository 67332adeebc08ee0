//! Changes of issues that exist, as people ask for them: "close DEMO-1", "comment on it: …", "assign it to bob". Each is shown
//! for approval before it is made.

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::calls;
use crate::data::authors::Authors;
use crate::data::call::PlannedChange;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::{IssueChange, IssueState};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::policy::limits;
use crate::data::ticket::{Draft, Part, Target};
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
const AGAIN: SectionId = id("after.again.tail");
const DONE: SectionId = id("after.done");
const COMMENT_JOINT: SectionId = id("after.comment.joint");
const TO: SectionId = id("after.to");
const ME: SectionId = id("after.me");
const TAIL: SectionId = id("after.change.tail");

/// Act on an issue, by the words that begin its request.
#[derive(Clone, Copy)]
enum Verb {
    Close,
    Mark,
    Reopen,
    Open,
    Comment,
    Assign,
    Link,
}

const VERBS: [(SectionId, Verb); 7] = [
    (id("after.close"), Verb::Close),
    (id("after.mark"), Verb::Mark),
    (id("after.reopen"), Verb::Reopen),
    (id("after.open"), Verb::Open),
    (id("after.comment"), Verb::Comment),
    (id("after.assign"), Verb::Assign),
    (id("after.link"), Verb::Link),
];

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

/// Looks up the issue of the change that a message asks for; its card follows. `None` if it asks for none, or points at nothing.
pub(super) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let asked = read(&said.words)?;
    let made = match &asked.issue {
        Some(key) => created_here(turn, key).into_iter().collect(),
        None => in_reach(turn)?,
    };
    turn.trace.rule = Some(Cow::Borrowed("ticket.change"));
    let planned = issue(turn, &asked, &made).and_then(|place| plan(turn, said, asked.wish, place));
    let decision = match planned {
        Ok(planned) => {
            let titled = titled(turn, &planned);
            calls::change(turn, said, planned, &titled)?
        }
        Err(told) => {
            turn.say(MessageKind::Answer, None, &told);
            Decision::new(Verdict::Answered, Reason::IntentRule)
        }
    };
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
            Ok((turn.policy.target(project), key.clone()))
        }
    }
}

/// Returns the change, or what to say when it cannot be made.
fn plan(
    turn: &Turn<'_>,
    said: &RoutedMessage,
    wish: Wish,
    (target, key): (Target, String),
) -> Result<PlannedChange, String> {
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
    Ok(PlannedChange { target, key, change, by: said.by.clone(), issue: None, other: None })
}

/// Returns the people whose words the titles of these issues are, as far as they were created here.
fn titled(turn: &Turn<'_>, planned: &PlannedChange) -> Authors {
    let other = match &planned.change {
        IssueChange::Link(other) => Some(other.as_str()),
        _ => None,
    };
    let mut authors = Authors::default();
    for key in [planned.key.as_str()].into_iter().chain(other) {
        if let Some(draft) = created_here(turn, key) {
            authors.add_all(&draft.authors(Part::Title));
        }
    }
    authors
}

/// Reads a message that asks for a change and for nothing else.
fn read(message: &Words) -> Option<Asked> {
    let all = message.all();
    if all.first()?.quoted {
        return None;
    }
    let at = behind(PLEASE, message, 0);
    let verbs = VERBS.into_iter().map(|(section, verb)| (verb, longest(section, all, at)));
    let (verb, n) = verbs.max_by_key(|(_, n)| *n).filter(|(_, n)| *n > 0)?;
    let named = key_at(message, at + n);
    let m = named.map_or_else(|| longest(THIS, all, at + n), |(_, m)| m);
    let wish = wish(message, verb, at + n + m).filter(|_| m > 0)?;
    Some(Asked { issue: named.map(|(key, _)| key.to_string()), wish })
}

/// Reads what a verb needs, from the word behind the issue on.
fn wish(message: &Words, verb: Verb, at: usize) -> Option<Wish> {
    let all = message.all();
    let again = longest(AGAIN, all, at);
    let state = |state| ends(message, at + again).then_some(Wish::State(state));
    match verb {
        Verb::Close if again > 0 => None,
        Verb::Close => state(IssueState::Closed),
        Verb::Mark => {
            let done = longest(DONE, all, at);
            (done > 0 && ends(message, at + done)).then_some(Wish::State(IssueState::Closed))
        }
        // "Open it" is about a page; "open it again" is about the issue.
        Verb::Open if again == 0 => None,
        Verb::Open | Verb::Reopen => state(IssueState::Open),
        Verb::Comment => comment(message, at).map(Wish::Comment),
        Verb::Assign => assign(message, at + longest(TO, all, at)),
        Verb::Link => {
            let to = longest(TO, all, at);
            let (other, n) = key_at(message, at + to).filter(|_| to > 0)?;
            ends(message, at + to + n).then(|| Wish::Link(other.to_string()))
        }
    }
}

/// Reads the text of a comment, behind a colon, a line break or a word that leads to it; empty if the message ends there.
fn comment(message: &Words, at: usize) -> Option<String> {
    let (all, text) = (message.all(), message.text());
    let joint = longest(COMMENT_JOINT, all, at);
    let rest = text.get(all.get((at + joint).checked_sub(1)?)?.end..)?;
    let marked = rest.trim_start().starts_with([':', '–', '—', '-', ',']) || rest.starts_with('\n');
    if joint == 0 && !marked {
        return ends(message, at).then(String::new);
    }
    let said = rest.trim_start().trim_start_matches([':', '–', '—', '-', ',']);
    Some(said.trim().to_string())
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
    behind(TAIL, message, at) == message.all().len()
}

/// Returns the word behind all phrases of a section that stand in a row from this word on.
fn behind(section: SectionId, message: &Words, at: usize) -> usize {
    let next = |at: &usize| Some(at + longest(section, message.all(), *at)).filter(|to| to > at);
    core::iter::successors(Some(at), next).last().unwrap_or(at)
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
            ("mark DEMO-1 as done", Some("DEMO-1"), Wish::State(IssueState::Closed)),
            ("Mach DEMO-1 zu", Some("DEMO-1"), Wish::State(IssueState::Closed)),
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
            "mark it",
            "set it to high",
            "mach das",
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
