//! Words that answer the open gate, and when a gate is opened at all (`docs/design/0053-gates-in-words-and-rooms.md`).

use crate::data::action::{Action, CardStep, allowed};
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Intent;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::shown_at::ShownAt;
use crate::messages::{self, languages};
use crate::routing::press;
use crate::routing::scope;
use crate::selection::button_text;
use crate::selection::newest::{left_since, newer_list_takes, positions_since};
use crate::tickets::subject;
use crate::turn::capability::PressInput;
use crate::turn::routed_message::{context, focus};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::rules::{RuledIntent, Ruling};
use throughline_language::{self as language, Beside, Expected, Value};
use throughline_messages as say;

/// The meaning of a message for the open gate.
enum GateWords {
    /// The words of a button.
    Press(Action),
    /// A ticket is asked for, and nothing says about what: about the gated message.
    Ticket(Ruling),
    /// Nothing is to be done: "no", "thanks", "ok".
    Close,
    /// A yes, which chooses none of the buttons.
    Yes,
}

/// Takes words that answer the gate, from the person whose message it asks about. This is safe: choosing has no effect
/// outside.
pub(super) fn words_of_the_gate(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let gate = gate_of(turn, said)?;
    let meant = meant(said);
    let words = read(turn, said, &meant, gate)?;
    if [said, &meant].iter().any(|said| newer_list_takes(turn, said, &shown_by(gate))) {
        turn.note(Reason::PendingNewer);
        return None;
    }
    let gate = gate.clone();
    let press = |turn: &mut Turn<'_>, gate, action| {
        press::hand_over(turn, gate, &PressInput { action, item: "", remember: false })
    };
    Some(match words {
        GateWords::Press(action) => press(turn, gate, action),
        GateWords::Close => press(turn, gate, Action::Dismiss),
        GateWords::Ticket(ruling) => scope::ticket_of(turn, gate, ruling),
        GateWords::Yes => {
            turn.say(MessageKind::Notification, None, &say::gate_which(turn.language()));
            Decision::new(Verdict::Answered, Reason::GateStands)
        }
    })
}

/// True if a gate about a message of this person was shown after something else.
pub(super) fn is_gate_newer(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    gate_of(turn, said).is_some_and(|gate| shown_by(gate).is_after(shown))
}

/// True if the message answers a gate that was shown to its writer after something else.
pub(super) fn newer_gate_takes(turn: &Turn<'_>, said: &RoutedMessage, shown: &ShownAt) -> bool {
    let gate = gate_of(turn, said).filter(|gate| shown_by(gate).is_after(shown));
    gate.is_some_and(|gate| read(turn, said, &meant(said), gate).is_some())
}

fn read(turn: &Turn<'_>, said: &RoutedMessage, meant: &RoutedMessage, gate: &Card) -> Option<GateWords> {
    if let Some(action) = button_text::button_named(allowed(CardStep::ScopeGate), &meant.words) {
        return Some(GateWords::Press(action));
    }
    if let Some(ruling) = said.rule() {
        let ticket = ruling.intent == RuledIntent::Ticket && ruling.object.is_none();
        return (ticket && about_nothing(turn, said)).then(|| GateWords::Ticket(ruling.clone()));
    }
    // What was said or shown since is what such words are about, unless they reply to the gate.
    let replies = focus(turn).replies();
    if focus(turn).anchor_id() != Some(&gate.message)
        || !replies && positions_since(turn, &said.by, &shown_by(gate))
    {
        return None;
    }
    let bare = &context(turn);
    if said.beside() == Some(Beside::Refusal)
        || language::is_acknowledgement(&said.words, bare)
        || thumbs_up(&said.words)
    {
        return Some(GateWords::Close);
    }
    let yes = language::read(&Expected::Boolean, &said.words, bare)
        .is_ok_and(|found| found.value == Value::Boolean(true) && found.remainder.is_none());
    let approves = said.approves() && !turn.open_cards().any(Card::is_approval);
    (yes || approves).then_some(GateWords::Yes)
}

/// True if a request names no subject beside it.
fn about_nothing(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    // One that points at something ("for this") is read where it points.
    subject::subject(turn, said.text()).0.is_empty()
}

/// True if the message is a picture that says yes, and no word.
fn thumbs_up(words: &language::Words) -> bool {
    !words.text().chars().any(char::is_alphanumeric) && language::affirms(words)
}

/// The open gate about a message of this person, unless the message replies to something else or was written before
/// the gate was there.
pub(super) fn gate_of<'t>(turn: &'t Turn<'_>, said: &RoutedMessage) -> Option<&'t Card> {
    let gate = turn
        .open_cards()
        .rev()
        .find(|card| matches!(card.about, CardSubject::ScopeGate { .. }) && card.by == said.by)?;
    let elsewhere = focus(turn).replies() && focus(turn).anchor_id() != Some(&gate.message);
    let over = gate.expires_at.is_some_and(|end| turn.now() > end)
        || said.since < gate.created_at
        || left_since(turn, said.since);
    (!elsewhere && !over).then_some(gate)
}

/// The message without words that say something was said wrongly: "review" of "no, I meant review".
fn meant(said: &RoutedMessage) -> RoutedMessage {
    let frame = language::correction(&said.words).filter(|frame| frame.said_wrong);
    let words = frame.map_or_else(|| said.words.clone(), |frame| frame.value);
    said.saying(words)
}

fn shown_by(card: &Card) -> ShownAt {
    ShownAt::by_message(&card.message, card.created_at)
}

/// True if the message was put to the assistant by facts of its channel: a mention, a reply to it, or a place where nobody
/// else can be meant.
///
/// A message that names one of several people who write here, replies to one of them, or is a single word is theirs.
pub(crate) fn is_addressed(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    let facts = turn.given.addressing;
    if facts.mentioned || facts.reply_to_us {
        return true;
    }
    let others: alloc::vec::Vec<&str> = others(turn, &said.by).collect();
    if others.is_empty() {
        return true;
    }
    let replies_to_person = focus(turn).replies()
        && turn.given.anchor.as_ref().is_some_and(|anchor| anchor.role == Role::User && anchor.by != said.by);
    facts.direct
        && !facts.to_other
        && !replies_to_person
        && said.words.all().len() > 1
        && !others.iter().any(|other| begins_with_name(said.text(), other))
}

/// True if a request of a single word ("status") is put to the assistant: it is, where its messages come without a mention.
pub(crate) fn may_ask_curtly(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    let facts = turn.given.addressing;
    facts.direct && !facts.to_other && said.words.all().len() == 1
}

/// The other people who wrote here lately.
fn others<'t>(turn: &'t Turn<'_>, by: &'t str) -> impl Iterator<Item = &'t str> {
    let loaded = turn.head.window.texts().filter_map(|id| turn.named::<Message>(id));
    loaded
        .filter(move |message| message.role == Role::User && !message.by.is_empty() && message.by != by)
        .map(|message| message.by.as_str())
}

/// True if a text begins by calling somebody: "bob: …", "@bob …", "hey bob, …".
fn begins_with_name(text: &str, name: &str) -> bool {
    let greeted = text.trim_start().split_once(char::is_whitespace);
    let greeted = greeted.filter(|(word, _)| language::is_greeting(&language::Words::of(word)));
    calls(text, name) || greeted.is_some_and(|(_, rest)| calls(rest, name))
}

fn calls(text: &str, name: &str) -> bool {
    let text = text.trim_start();
    let called = text.strip_prefix('@').unwrap_or(text);
    let rest = called
        .get(..name.len())
        .filter(|head| head.eq_ignore_ascii_case(name))
        .map(|_| &called[name.len()..]);
    rest.is_some_and(|rest| text.starts_with('@') || rest.starts_with([':', ',']))
}

/// Leaves a message of people to people: it is kept, and nothing is answered.
pub(crate) fn withheld() -> Decision {
    Decision::new(Verdict::Recorded, Reason::GateWithheld).with_intent(Intent::Ambiguous)
}

/// Answers an unclear message that could not become a ticket or a review with a line, once in a while, and no card.
///
/// A room of several people is told so only by somebody who named the assistant.
pub(crate) fn spared(turn: &mut Turn<'_>, said: &RoutedMessage) -> Decision {
    let named = turn.given.addressing.mentioned || turn.given.addressing.reply_to_us;
    if !named && others(turn, &said.by).next().is_some() {
        return withheld();
    }
    if languages().any(|language| said_lately(turn, &messages::gate_spared_lead(language))) {
        return Decision::new(Verdict::Recorded, Reason::SmallTalk).with_intent(Intent::Ambiguous);
    }
    let text = messages::gate_spared(turn.language(), said.text(), turn.policy);
    turn.say(MessageKind::Answer, None, &text);
    Decision::new(Verdict::Answered, Reason::GateSpared).with_intent(Intent::Ambiguous)
}

/// True if the assistant said something that begins like this among the messages that are loaded.
pub(crate) fn said_lately(turn: &Turn<'_>, text: &str) -> bool {
    let mut loaded = turn.head.window.texts().filter_map(|id| turn.named::<Message>(id));
    loaded.any(|message| message.role == Role::Assistant && message.text.starts_with(text))
}
