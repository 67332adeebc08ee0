//! Rung 4: the message is stored, and what it refers to is found.

use alloc::format;
use alloc::rc::Rc;

use crate::admit::{Admission, admit};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::{Event, EventKind};
use crate::data::message::MessageKind;
use crate::data::trace::Predicate;
use crate::focus as resolver;
use crate::selection::rung as lists;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::{RoutedMessage, Turn};
use throughline_messages as say;

/// Stores the message and finds its anchor. All later rungs have a message to answer, and one that costs no more to read
/// than it may: any other ends here.
pub(crate) fn focus_of_message(turn: &mut Turn<'_>) -> RungResult {
    let event = turn.event;
    let EventKind::MessagePosted(posted) = &event.kind else { return Passed(Predicate::NoFocus) };
    let focus = resolver::resolve(turn.lane, event, turn.given);
    let said = turn.receive_message(posted);
    let said = join_burst(turn, said);
    if said.words.is_too_much() {
        turn.say(MessageKind::Notification, None, &say::help_too_much(turn.language()));
        return Decided(Decision::new(Verdict::Answered, Reason::MessageTooMuch));
    }
    turn.reference = resolver::reference(&said.words);
    turn.focus = Some(focus);
    lists::begin(turn, &said);
    Passed(Predicate::FocusAlone)
}

/// Joins a message to the one a model is being asked about, if policy collects bursts: that question is
/// cancelled and routing goes on with both texts. Returns the message that is routed.
fn join_burst(turn: &mut Turn<'_>, said: Rc<RoutedMessage>) -> Rc<RoutedMessage> {
    if admit(turn.lane, turn.event, turn.policy) != Admission::Collect {
        return said;
    }
    let Some(ask) = turn.head.ask.take() else { return said };
    turn.cancel(&ask.effect);
    let held = turn.get::<Event>(&ask.message.0).cloned();
    turn.delete::<Event>(&ask.message.0);
    let Some(Event { kind: EventKind::MessagePosted(first), .. }) = held else { return said };
    let words = turn.words_of(&format!("{}\n{}", first.text, said.text()));
    let mut joined = said.saying(words);
    joined.since = ask.since;
    turn.route(joined)
}
