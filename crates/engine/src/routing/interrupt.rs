//! Rung 5: a message that stops what is under way.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::calls;
use crate::data::card::{Card, CardStatus};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::Event;
use crate::data::id::EffectId;
use crate::data::message::MessageKind;
use crate::data::pending::PendingClass;
use crate::data::progress::{Phase, Progress};
use crate::data::task_status::TaskStatus;
use crate::data::trace::Predicate;
use crate::host::handover;
use crate::messages;
use crate::routing::meta::closable;
use crate::selection::rung as lists;
use crate::tickets::undo;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Interrupt};
use throughline_messages as say;

pub(crate) fn hard_interrupt(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let Some(kind) = language::interrupt(&said.words) else { return Passed(Predicate::NotAStop) };
    // "Undo that" stops what goes on only where there is no change to take back.
    if kind == Interrupt::Cancel && undo::takes_back(turn, said) {
        return Passed(Predicate::NotAStop);
    }
    turn.trace.rule = Some(Cow::Borrowed(kind.code()));
    let reason = match interrupt(turn, kind) {
        true => Reason::InterruptStop,
        // What runs at the host, only its agent knows.
        false if turn.hosting.is_fallback() => return Decided(handover::open(turn, said)),
        false => Reason::InterruptNothing,
    };
    Decided(Decision::new(Verdict::Answered, reason))
}

/// Stops what can be stopped: this person's questions for words with their tasks, their work elsewhere, what they released
/// and nobody has begun to send, and their question to a model. Cards stay open, and what other people are asked stays too.
/// Returns true if there was something to stop.
pub(crate) fn interrupt(turn: &mut Turn<'_>, kind: Interrupt) -> bool {
    let by = turn.event.actor.clone();
    let pendings = turn.take_own_conversational();
    let mut what: Vec<String> = pendings.iter().map(|pending| turn.question_of(pending)).collect();
    for pending in &pendings {
        if let Some(task) = turn.capabilities.asking(pending).blocked(turn, pending) {
            turn.end_task(&task, TaskStatus::Cancelled);
        }
    }
    let ask = turn.head.ask.take_if(|ask| ask.by == by || ask.by.is_empty());
    if let Some(ask) = &ask {
        turn.cancel(&ask.effect);
        turn.delete::<Event>(&ask.message.0);
        turn.capabilities.named(ask.about.owner()).stopped(turn, &ask.about);
    }
    turn.head.lapsed.retain(|lapsed| !lapsed.is_asked_of(&by));
    turn.head.answered.take_if(|answered| answered.by == by);
    let calls = calls::stop(turn) | handover::take_back(turn, &by);
    what.extend(call_off(turn, &by));
    let stopped = calls || !pendings.is_empty() || ask.is_some() || !what.is_empty();
    let text = turn.said.as_ref().map(|said| String::from(said.text()));
    let list = lists::stopped(turn, &by, text.as_deref());
    let left = turn.state_of_work();
    let told = match list.as_deref() {
        Some(list) if !stopped => messages::state::with_rest(turn.language(), list, left.as_ref()),
        list => {
            let told = messages::state::stopped(
                turn.language(),
                stopped,
                kind == Interrupt::StartOver,
                left.as_ref(),
            );
            list.map(|list| format!("{told} {list}")).unwrap_or(told)
        }
    };
    let beside =
        messages::state::named(turn.language(), &what, &waiting(turn, &by), &closable_titles(turn, &by));
    let told = if beside.is_empty() { told } else { format!("{told}\n{beside}") };
    let stopped = stopped || list.is_some();
    if stopped || !turn.hosting.is_fallback() {
        turn.say(MessageKind::Answer, None, &told);
    }
    stopped
}

/// The questions that other people are asked, and the cards that somebody else asked for: they stay.
fn waiting(turn: &Turn<'_>, by: &str) -> Vec<String> {
    let asked = turn.head.pendings.iter().filter(|pending| {
        pending.kind.class() == PendingClass::Conversational && pending.is_alive(turn.now())
    });
    let asked = asked.map(|pending| turn.question_of(pending));
    let cards = turn.open_cards().filter(|card| card.by != by && card.takes_press(turn.now()));
    asked.chain(cards.map(|card| turn.called(card))).collect()
}

fn closable_titles(turn: &Turn<'_>, by: &str) -> Vec<String> {
    closable(turn, by).map(|card| turn.called(card)).collect()
}

/// Calls off what this person's presses released and nobody has begun to send. Returns the titles of its cards.
fn call_off(turn: &mut Turn<'_>, by: &str) -> Vec<String> {
    if turn.given.effects.is_none() {
        return Vec::new();
    }
    let cards: Vec<Card> = turn.head.cards.texts().filter_map(|id| turn.named::<Card>(id)).cloned().collect();
    let mut titles = Vec::new();
    for mut card in cards {
        let CardStatus::Decided { by: presser, result, .. } = &mut card.status else { continue };
        if presser.id != by {
            continue;
        }
        let mut ended = Vec::new();
        unsent(turn, result, &mut ended);
        if ended.is_empty() {
            continue;
        }
        ended.iter().for_each(|effect| turn.cancel(effect));
        if let Some(task) = turn.task_of(&card).filter(|_| result_is_over(&card)) {
            turn.end_task(&task, TaskStatus::Cancelled);
        }
        titles.push(turn.called(&card));
        turn.update(card);
    }
    titles
}

fn result_is_over(card: &Card) -> bool {
    card.outcomes().all(|progress| !matches!(progress.phase(), Phase::Running(_)))
}

/// Ends what is on its way and was not sent, item by item, and collects its effects.
fn unsent(turn: &Turn<'_>, progress: &mut Progress, ended: &mut Vec<EffectId>) {
    let over = || Progress::NotTried { why: say::stop_called_off(turn.language()), again: None };
    match progress {
        Progress::Working { check, effect } if !turn.given.was_sent(effect) => {
            ended.extend([check.clone(), effect.clone()]);
            *progress = over();
        }
        Progress::Sending { effect } if !turn.given.was_sent(effect) => {
            ended.push(effect.clone());
            *progress = over();
        }
        Progress::Several { items } => {
            items.iter_mut().for_each(|item| unsent(turn, &mut item.progress, ended));
        }
        _ => {}
    }
}
