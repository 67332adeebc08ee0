//! Words that set the mode of a thread: "remember that for this thread" ticks the open gate, or keeps the choice that was made
//! at the last one (`docs/design/0053-gates-in-words-and-rooms.md`).

use crate::data::action::Action;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::{Intent, Remembered};
use crate::data::message::MessageKind;
use crate::routing::gate::gate_of;
use crate::routing::press;
use crate::turn::capability::PressInput;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::remembers_choice;
use throughline_messages as say;

/// Remembers a choice for the thread, if the message asks for nothing else.
pub(super) fn heard(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    if !remembers_choice(&said.words) {
        return None;
    }
    if let Some(gate) = gate_of(turn, said).cloned() {
        let ticked = matches!(gate.about, CardSubject::ScopeGate { remember: true, .. });
        let press = PressInput { action: Action::Remember, item: "", remember: false };
        return Some(if ticked { stands() } else { press::hand_over(turn, gate, &press) });
    }
    let language = turn.language();
    let told = match chosen(turn, &said.by) {
        Some((intent, action)) => {
            turn.head.remembered = Some(Remembered { intent, since: turn.now() });
            say::remembered_used(language, action.label(language))
        }
        None => say::remembered_no_choice(language),
    };
    turn.say(MessageKind::Answer, None, &told);
    Some(stands())
}

fn stands() -> Decision {
    Decision::new(Verdict::Answered, Reason::IntentRule).with_intent(Intent::Meta)
}

/// Returns what this person chose at their last gate, and its button.
fn chosen(turn: &Turn<'_>, by: &str) -> Option<(Intent, Action)> {
    let cards = turn.head.cards.texts().rev().filter_map(|id| turn.named::<Card>(id));
    let mut gates = cards.filter(|card| matches!(card.about, CardSubject::ScopeGate { .. }) && card.by == by);
    match gates.next()?.status {
        CardStatus::Decided { action: Action::SelectTicket, .. } => {
            Some((Intent::Ticket, Action::SelectTicket))
        }
        CardStatus::Decided { action: Action::SelectReview, .. } => {
            Some((Intent::Review, Action::SelectReview))
        }
        _ => None,
    }
}
