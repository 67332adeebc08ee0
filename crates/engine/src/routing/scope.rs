//! Unclear messages: the gate that asks what to do with one, the mode a thread remembers, and what a model makes of
//! one (`docs/design/0016-intent-and-scope-gate.md`).

use crate::cards::button;
use crate::cards::decide::{decide, refuse_step};
use crate::data::action::Action;
use crate::data::ask::{Answer, AnswerRecipient};
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::card_model::{Button, CardModel};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::{Intent, Remembered};
use crate::data::message::Message;
use crate::data::owner::SCOPE;
use crate::data::pending::PendingKind;
use crate::data::progress::Progress;
use crate::data::rung::Rung;
use crate::data::trace::Predicate;
use crate::messages::card as words;
use crate::routing::intent::{act, discussed};
use crate::routing::step::climb;
use crate::tickets::qualifiers::Request;
use crate::turn::capability::{Capability, CardContext, PressInput};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::rules::Ruling;
use throughline_messages as say;

pub(crate) struct Scope;

impl Capability for Scope {
    fn name(&self) -> &'static str {
        SCOPE
    }

    fn show(&self, model: &mut CardModel, view: &CardContext<'_>) {
        let card = view.card;
        match &card.about {
            CardSubject::ScopeGate { excerpt, .. } => {
                if card.is_open() {
                    model.facts.push(say::quoted(view.language(), excerpt));
                }
                model.title = match &card.status {
                    CardStatus::Open => say::gate_question(view.language()),
                    CardStatus::Decided { action: Action::Dismiss, .. } => {
                        say::gate_dismissed(view.language())
                    }
                    CardStatus::Decided { action, by, .. } => {
                        say::gate_chosen(view.language(), &by.name, action.label(view.language()))
                    }
                    CardStatus::Superseded { .. } => say::gate_superseded(view.language()),
                    CardStatus::Expired => say::gate_expired(view.language()),
                    CardStatus::Withdrawn => say::card_gone(view.language()),
                };
            }
            _ => model.title = words::remembered(view.language(), &card.status),
        }
        let on = |action| match (&card.about, action) {
            (CardSubject::ScopeGate { remember, .. }, Action::Remember) => Some(*remember),
            _ => None,
        };
        let actions = card.actions().into_iter();
        model.buttons = actions
            .map(|action| Button {
                on: on(action),
                ..button(view.language(), action, action.label(view.language()))
            })
            .collect();
    }

    fn waits_for(&self, card: &Card) -> Option<PendingKind> {
        let CardSubject::ScopeGate { source, .. } = &card.about else { return None };
        Some(PendingKind::WaitingScopeChoice { card: card.id.clone(), message: source.clone() })
    }

    fn pressed(&self, turn: &mut Turn<'_>, mut card: Card, press: &PressInput<'_>) -> Decision {
        let action = press.action;
        match action {
            Action::SelectReview => choose(turn, card, action, Intent::Review, press.remember),
            Action::SelectTicket => choose(turn, card, action, Intent::Ticket, press.remember),
            Action::Dismiss => {
                decide(turn, card, action, Progress::None);
                Decision::new(Verdict::Done, Reason::GateDismissed)
            }
            Action::Remember => {
                if let CardSubject::ScopeGate { remember, .. } = &mut card.about {
                    *remember = !*remember;
                }
                turn.update(card);
                Decision::new(Verdict::Done, Reason::PressApplied)
            }
            Action::Forget => {
                decide(turn, card, action, Progress::None);
                turn.forget_mode();
                turn.tell(&say::remembered_forgotten(turn.language()));
                Decision::new(Verdict::Done, Reason::PressApplied)
            }
            _ => refuse_step(turn),
        }
    }

    fn heard(&self, turn: &mut Turn<'_>, about: AnswerRecipient, answer: Option<Answer>) -> Decision {
        match (about, answer) {
            (AnswerRecipient::Discussion, Some(Answer::Text { text, .. })) => discussed(turn, Some(&text)),
            (AnswerRecipient::Discussion, _) => discussed(turn, None),
            (_, Some(Answer::Classify { label, .. })) => classified(turn, Intent::parse(&label)),
            _ => classified(turn, None),
        }
    }
}

/// Goes on routing with the intent a model chose, or without one.
fn classified(turn: &mut Turn<'_>, intent: Option<Intent>) -> Decision {
    match intent.zip(turn.said.clone()) {
        Some((intent, said)) => {
            let decision = act(turn, &said, intent, Reason::IntentModel, None);
            Decision { rung: Rung::Intent, ..decision }
        }
        None => {
            turn.pass(Predicate::NoAnswer);
            climb(turn, Rung::Remembered)
        }
    }
}

/// Drafts a ticket of the gate's message, as asked for in words: "create a bug".
pub(crate) fn ticket_of(turn: &mut Turn<'_>, gate: Card, ruling: Ruling) -> Decision {
    choose_as(turn, gate, (Action::SelectTicket, Intent::Ticket), false, Some(ruling))
}

fn choose(turn: &mut Turn<'_>, card: Card, action: Action, intent: Intent, remember: bool) -> Decision {
    choose_as(turn, card, (action, intent), remember, None)
}

/// Routes the gate's stored message by the intent chosen. The gate is decided, so this happens once.
fn choose_as(
    turn: &mut Turn<'_>,
    card: Card,
    (action, intent): (Action, Intent),
    remember: bool,
    ruling: Option<Ruling>,
) -> Decision {
    let CardSubject::ScopeGate { source, remember: ticked, .. } = card.about.clone() else {
        return refuse_step(turn);
    };
    let saved = turn.get::<Message>(&source).cloned();
    decide(turn, card, action, Progress::None);
    let Some(saved) = saved else {
        turn.tell(&say::card_gone(turn.language()));
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    };
    let words = turn.words_of(&saved.text);
    let said = turn.route(RoutedMessage::new(saved.id.clone(), saved.by.clone(), words, saved.at));
    let request = ruling.map(|ruling| Request {
        ruling: Ruling { object: Some(saved.text.clone()), ..ruling },
        text: saved.text.clone(),
    });
    let decision = act(turn, &said, intent, Reason::IntentChosen, request);
    if ticked || remember {
        // Set only after `act`: acting may end a review, which clears the mode that was remembered before.
        turn.head.remembered = Some(Remembered { intent, since: turn.now() });
    }
    decision
}
