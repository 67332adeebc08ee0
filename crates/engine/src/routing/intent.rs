//! Rungs 9 to 11: what the user wants, by rule, by a bounded model, by the thread's memory, or by asking
//! (`docs/design/0016-intent-and-scope-gate.md`).

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::ask::arbitrate;
use crate::cards::decide;
use crate::data::action::Action;
use crate::data::approval::Closing;
use crate::data::ask::{Asked, Question};
use crate::data::card::{About, CardStatus};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::progress::Progress;
use crate::data::purpose::Purpose;
use crate::data::rung::Rung;
use crate::data::trace::Predicate;
use crate::decisions::flow as decisions;
use crate::intent::handover::{Handover, handover};
use crate::memory::flow as memory;
use crate::review::flow as review;
use crate::routing::words;
use crate::say;
use crate::selection::handoff;
use crate::tickets::subject::with_body;
use crate::tickets::{Sources, batch, flow, subject};
use crate::turn::routed::Tried::{Decided, Passed};
use crate::turn::routed::context;
use crate::turn::routed::{Tried, focus};
use crate::turn::{Said, Turn};
use crate::work;
use throughline_language as language;
use throughline_language::intent::rules;
use throughline_language::intent::rules::Ruling;
use throughline_language::reference::Need;

/// Decides an explicit request by rule; otherwise asks a model, if there is one, for an intent out of a
/// fixed set.
pub(crate) fn intent(turn: &mut Turn<'_>, said: &Rc<Said>) -> Tried {
    if let Some(decision) = handoff::answer(turn, said) {
        return Decided(decision);
    }
    if turn.conversational().is_none() && turn.open_cards().next().is_none() && acknowledges(turn, said) {
        return Decided(Decision::new(Verdict::Recorded, Reason::Acknowledged));
    }
    if let Some(decision) = handed_over(turn, said) {
        return Decided(decision);
    }
    if let Some(decision) = memory::asked(turn) {
        return Decided(decision);
    }
    if let Some(ruling) = rules::rule(&said.words) {
        turn.trace.rule = Some(Cow::Borrowed(ruling.rule));
        if ruling.intent == rules::RuledIntent::TicketChange {
            let verdict = answer(turn, say::NO_UPDATE);
            return Decided(Decision::new(verdict, Reason::IntentRule).with_intent(Intent::Ticket));
        }
        if ruling.intent == rules::RuledIntent::Decision {
            return Decided(decisions::asked(turn, &said.by, &ruling.object.unwrap_or_default()));
        }
        let intent = ruling.intent.into();
        if ruling.object.is_none() {
            answer_gate(turn, intent);
        }
        if let (Intent::Ticket, None, Some(of)) = (intent, &ruling.object, review::in_reach(turn)) {
            let verdict = review::hand_over(turn, of, Some(&ruling), &said.by);
            turn.note(Reason::ReviewHandedOver);
            return Decided(Decision::new(verdict, Reason::IntentRule).with_intent(intent));
        }
        return Decided(act(turn, said, intent, Reason::IntentRule, Some(ruling)));
    }
    if turn.given.model.has(Purpose::Classify) && turn.head.ask.is_some() {
        return Passed(Predicate::AskedAlready);
    }
    if !arbitrate::open(turn, Asked::Intent, Question::Classify { labels: Intent::ALL.into() }) {
        return Passed(Predicate::NoRule);
    }
    Decided(Decision::new(Verdict::Deferred, Reason::IntentAsked))
}

/// Answers the open gate that the message refers to: "Create a ticket for this" equals a press of its
/// button.
fn answer_gate(turn: &mut Turn<'_>, intent: Intent) {
    let action = match intent {
        Intent::Review => Action::SelectReview,
        Intent::Ticket => Action::SelectTicket,
        _ => return,
    };
    let points = focus(turn).replies() || turn.reference.need == Need::NeedsAnchor;
    let anchor = focus(turn).anchor_id().filter(|_| points).and_then(|anchor| turn.card_shown_by(anchor));
    let gate = anchor.filter(|card| card.open() && matches!(card.about, About::ScopeGate { .. })).cloned();
    if let Some(gate) = gate {
        decide::decide(turn, gate, action, Progress::None);
    }
}

/// Starts work by a sub-agent or a tool, if the message names one.
fn handed_over(turn: &mut Turn<'_>, said: &Said) -> Option<Decision> {
    let (rule, decision) = match handover(&said.words, turn.policy)? {
        Handover::Agent { name, about } => {
            ("agent.delegate", work::hand_over(turn, said, name.as_deref(), about.as_deref()))
        }
        Handover::Tool { name, rest } => {
            let context = context(turn);
            ("tool.call", work::begin(turn, said, &name, &rest, &context)?)
        }
    };
    turn.trace.rule = Some(Cow::Borrowed(rule));
    Some(decision)
}

/// True if the message only acknowledges what it follows, so that there is nothing to do.
fn acknowledges(turn: &Turn<'_>, said: &Said) -> bool {
    let before = focus(turn).anchor_id().map_or("", |anchor| words::text_of(turn, anchor));
    language::is_acknowledgement(&said.words, &words::context(turn).to(before))
}

/// Decides an ambiguous message by the thread's remembered mode. The answer carries the button that clears
/// the mode.
pub(crate) fn remembered_intent(turn: &mut Turn<'_>, said: &Rc<Said>) -> Tried {
    let Some(remembered) = turn.head.remembered.clone() else {
        return Passed(Predicate::NothingRemembered);
    };
    let label = if remembered.intent == Intent::Review { Action::SelectReview } else { Action::SelectTicket };
    let decision = act(turn, said, remembered.intent, Reason::IntentRemembered, None);
    if turn.head.remembered.is_none() {
        turn.say(MessageKind::Notification, None, &say::remembered_used_up(label.label()));
        return Decided(decision);
    }
    turn.say(MessageKind::Notification, None, &say::remembered_used(label.label()));
    turn.show(About::Remembered, &said.by, None);
    Decided(decision)
}

/// Asks what to do with an ambiguous message; an older open gate is superseded. A message that only states
/// facts is noted instead.
pub(crate) fn scope_gate(turn: &mut Turn<'_>, said: &Rc<Said>) -> Tried {
    if let Some(decision) = memory::only_stated(turn) {
        return Decided(decision);
    }
    let gates = turn.open_cards().filter(|card| matches!(card.about, About::ScopeGate { .. }));
    let older: Vec<_> = gates.cloned().collect();
    let excerpt = say::gate_card(said.text(), turn.policy.window.gate_chars);
    let gate = turn.show(
        About::ScopeGate { source: said.message.clone(), excerpt, remember: false },
        &said.by,
        None,
    );
    for card in older {
        decide::close(turn, card, CardStatus::Superseded { by: gate.clone() }, Closing::Superseded);
    }
    Decided(Decision::new(Verdict::Shown, Reason::GateOpened).with_intent(Intent::Ambiguous))
}

/// Carries out an intent for the message being routed.
pub(crate) fn act(
    turn: &mut Turn<'_>,
    said: &Said,
    intent: Intent,
    reason: Reason,
    ruling: Option<Ruling>,
) -> Decision {
    let mut reason = reason;
    let verdict = match intent {
        Intent::Ticket => draft(turn, said, ruling),
        Intent::Review => {
            let (verdict, why) = review::start(turn, said.text(), &said.by, review::Asks::of(reason));
            reason = why.unwrap_or(reason);
            verdict
        }
        Intent::Discussion if arbitrate::open(turn, Asked::Discussion, Question::Answer) => Verdict::Deferred,
        Intent::Discussion => answer(turn, say::NO_DISCUSSION),
        Intent::Meta | Intent::Ambiguous => answer(turn, &say::help(turn.policy)),
    };
    Decision::new(verdict, reason).with_intent(intent)
}

/// Posts a model's answer in a discussion, or the sentence for having none.
pub(crate) fn discussed(turn: &mut Turn<'_>, text: Option<&str>) -> Decision {
    let verdict = answer(turn, text.unwrap_or(say::NO_DISCUSSION));
    let decision = Decision::new(verdict, Reason::IntentModel).with_intent(Intent::Discussion);
    Decision { rung: Rung::Intent, ..decision }
}

/// Drafts one ticket, or a batch if several are asked for.
fn draft(turn: &mut Turn<'_>, said: &Said, ruling: Option<Ruling>) -> Verdict {
    let Some(Ruling { object, item, several, .. }) = ruling else {
        return flow::start(turn, said.text(), None, &said.by);
    };
    if let Some(asked) = batch::read(turn, object.as_deref(), several.as_ref(), said.text()) {
        return batch::start(turn, &asked, &said.by);
    }
    let named = item.and_then(batch::item_type);
    match object {
        Some(object) => flow::start(turn, &with_body(&object, said.text()), named, &said.by),
        None => {
            let (about, pointed) = subject(turn, said);
            let texts = Some(about.clone()).filter(|about| !about.is_empty());
            let from =
                Sources { texts: texts.into_iter().collect(), messages: pointed.into_iter().collect() };
            flow::start_from(turn, &about, named, &said.by, from)
        }
    }
}

fn answer(turn: &mut Turn<'_>, text: &str) -> Verdict {
    turn.say(MessageKind::Answer, None, text);
    Verdict::Answered
}
