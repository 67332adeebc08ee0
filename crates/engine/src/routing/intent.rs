//! Rungs 9 to 11: what the user wants, by rule, by a bounded model, by the thread's memory, or by asking
//! (`docs/design/0016-intent-and-scope-gate.md`).

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::calls;
use crate::cards::decide;
use crate::data::action::Action;
use crate::data::approval::CloseReason;
use crate::data::ask::{AnswerRecipient, Question};
use crate::data::authors::Authors;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::intent::Intent;
use crate::data::message::MessageKind;
use crate::data::policy::hosting::BuiltIn;
use crate::data::progress::Progress;
use crate::data::purpose::Purpose;
use crate::data::rung::Rung;
use crate::data::trace::Predicate;
use crate::decision_records::drafting as decisions;
use crate::host::handover;
use crate::intent::delegation::{Delegation, delegation, handed_to};
use crate::memory::fact_intake as memory;
use crate::messages;
use crate::review::lifecycle as review;
use crate::routing::gate::{is_addressed, may_ask_curtly, spared, withheld};
use crate::routing::{judge, meta};
use crate::selection::handoff;
use crate::tickets::qualifiers::Request;
use crate::tickets::subject::with_body;
use crate::tickets::{DraftSources, batch, drafting, subject};
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::routed_message::{RungResult, focus};
use crate::turn::routed_message::{context, text_of};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::rules;
use throughline_language::intent::rules::Ruling;
use throughline_language::intent::{is_material, is_small_talk};
use throughline_language::reference::Need;
use throughline_language::{self as language, Beside};
use throughline_messages as say;

/// Decides an explicit request by rule; otherwise asks a model, if there is one, for an intent out of a
/// fixed set.
pub(crate) fn intent(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let addressed = is_addressed(turn, said);
    if let Some(decision) = aside(turn, said, addressed) {
        return Decided(decision);
    }
    let delegated = if turn.hosting.has(BuiltIn::Work) { handed_over(turn, said) } else { None };
    if let Some(decision) = delegated {
        return Decided(decision);
    }
    let stated = if turn.hosting.has(BuiltIn::Facts) { memory::asked(turn) } else { None };
    if let Some(decision) = stated {
        return Decided(decision);
    }
    let ruled = |ruling: &&Ruling| turn.hosting.has(owner(ruling.intent));
    if let Some(ruling) = said.rule().filter(ruled).cloned() {
        turn.trace.rule = Some(Cow::Borrowed(ruling.rule));
        if ruling.intent == rules::RuledIntent::TicketChange {
            let verdict = answer(turn, &say::ticket_no_update(turn.language()));
            return Decided(Decision::new(verdict, Reason::IntentRule).with_intent(Intent::Ticket));
        }
        if ruling.intent == rules::RuledIntent::Decision {
            return Decided(decisions::asked(turn, &said.by, &ruling.object.unwrap_or_default()));
        }
        if ruling.intent == rules::RuledIntent::Meta {
            let asked = addressed || may_ask_curtly(turn, said);
            return Decided(if asked { meta::answer(turn, said, &ruling) } else { withheld() });
        }
        let request = Request::of(&said.words, ruling);
        let ruling = &request.ruling;
        let intent = ruling.intent.into();
        if ruling.object.is_none() {
            answer_gate(turn, intent, &said.by);
        }
        if let (Intent::Ticket, None, Some(of)) = (intent, &ruling.object, review::in_reach(turn)) {
            let verdict = review::hand_over(turn, of, Some(ruling), &said.by);
            turn.note(Reason::ReviewHandedOver);
            return Decided(Decision::new(verdict, Reason::IntentRule).with_intent(intent));
        }
        return Decided(act(turn, said, intent, Reason::IntentRule, Some(request)));
    }
    if !addressed {
        return Decided(only_stated(turn).unwrap_or_else(withheld));
    }
    if ![Intent::Ticket, Intent::Review].into_iter().any(|intent| does(turn, intent)) {
        return Passed(Predicate::NoRule);
    }
    if turn.given.model.has(Purpose::Classify) && turn.head.ask.is_some() {
        return Passed(Predicate::AskedAlready);
    }
    if !ask_loop::open(turn, AnswerRecipient::Intent, Question::Classify { labels: Intent::ALL.into() }) {
        return Passed(Predicate::NoRule);
    }
    Decided(Decision::new(Verdict::Deferred, Reason::IntentAsked))
}

/// Decides a message that asks for nothing. A host's agent, which may have something to say to it, gets it instead.
fn aside(turn: &mut Turn<'_>, said: &RoutedMessage, addressed: bool) -> Option<Decision> {
    if turn.hosting.is_fallback() {
        return None;
    }
    if let Some(decision) = handoff::answer(turn, said) {
        return Some(decision);
    }
    if acknowledges(turn, said) || addressed && judge::ends(turn, said) {
        return Some(Decision::new(Verdict::Recorded, Reason::Acknowledged));
    }
    if puts_off(said) || is_small_talk(&said.words) {
        return Some(Decision::new(Verdict::Recorded, Reason::SmallTalk));
    }
    (addressed && said.approves() && said.rule().is_none()).then(|| {
        let verdict = answer(turn, &say::approval_nothing(turn.language()));
        Decision::new(verdict, Reason::ApprovalNothing)
    })
}

/// The capability that does what a rule found to be asked for.
fn owner(ruled: rules::RuledIntent) -> BuiltIn {
    match ruled {
        rules::RuledIntent::Ticket | rules::RuledIntent::TicketChange => BuiltIn::Tickets,
        rules::RuledIntent::Review => BuiltIn::Reviews,
        rules::RuledIntent::Decision => BuiltIn::Decisions,
        rules::RuledIntent::Meta => BuiltIn::Help,
    }
}

/// True if the engine does what this intent asks for.
fn does(turn: &Turn<'_>, intent: Intent) -> bool {
    let needs = match intent {
        Intent::Ticket => BuiltIn::Tickets,
        Intent::Review => BuiltIn::Reviews,
        Intent::Meta => BuiltIn::Help,
        Intent::Discussion | Intent::Ambiguous => return !turn.hosting.is_fallback(),
    };
    turn.hosting.has(needs)
}

/// Keeps a message that only states facts, where facts are kept.
fn only_stated(turn: &mut Turn<'_>) -> Option<Decision> {
    if turn.hosting.has(BuiltIn::Facts) { memory::only_stated(turn) } else { None }
}

/// Answers the open gate that the message refers to, if it asks the message's writer: "Create a ticket for this" equals a
/// press of its button. A request about somebody else's gate stands on its own, and the gate stays open.
fn answer_gate(turn: &mut Turn<'_>, intent: Intent, by: &str) {
    let action = match intent {
        Intent::Review => Action::SelectReview,
        Intent::Ticket => Action::SelectTicket,
        _ => return,
    };
    let points = focus(turn).replies() || turn.reference.need == Need::NeedsAnchor;
    let anchor = focus(turn).anchor_id().filter(|_| points).and_then(|anchor| turn.card_shown_by(anchor));
    let asks =
        |card: &&Card| card.is_open() && card.by == by && matches!(card.about, CardSubject::ScopeGate { .. });
    let gate = anchor.filter(asks).cloned();
    if let Some(gate) = gate {
        decide::decide(turn, gate, action, Progress::None);
    }
}

/// Starts work by a sub-agent or a tool, if the message names one.
fn handed_over(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let Some(asked) = delegation(&said.words, turn.policy) else {
        let name = handed_to(&said.words)?;
        turn.trace.rule = Some(Cow::Borrowed("agent.unknown"));
        let known: Vec<&str> = turn.policy.agents.keys().map(String::as_str).collect();
        let verdict = answer(turn, &messages::call::no_such_agent(turn.language(), &name, &known));
        return Some(Decision::new(verdict, Reason::DelegationNothing));
    };
    let (rule, decision) = match asked {
        Delegation::Agent { name, about } => {
            ("agent.delegate", calls::hand_over(turn, said, name.as_deref(), about.as_deref()))
        }
        Delegation::Tool { name, rest } => {
            let context = context(turn);
            ("tool.call", calls::begin(turn, said, &name, &rest, &context)?)
        }
    };
    turn.trace.rule = Some(Cow::Borrowed(rule));
    Some(decision)
}

/// True if the message only acknowledges what it follows, so that there is nothing to do.
fn acknowledges(turn: &Turn<'_>, said: &RoutedMessage) -> bool {
    let before = focus(turn).anchor_id().map_or("", |anchor| text_of(turn, anchor));
    language::is_acknowledgement(&said.words, &context(turn).to(before))
}

/// True if the message refuses or puts something off, and nothing asked for it: "not now".
fn puts_off(said: &RoutedMessage) -> bool {
    matches!(said.beside(), Some(Beside::Refusal | Beside::Unknown))
}

/// Decides an ambiguous message by the thread's remembered mode. The answer carries the button that clears
/// the mode.
pub(crate) fn remembered_intent(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let Some(remembered) = turn.head.remembered.clone().filter(|one| does(turn, one.intent)) else {
        return Passed(Predicate::NothingRemembered);
    };
    let label = if remembered.intent == Intent::Review { Action::SelectReview } else { Action::SelectTicket };
    let decision = act(turn, said, remembered.intent, Reason::IntentRemembered, None);
    if turn.head.remembered.is_none() {
        turn.say(
            MessageKind::Notification,
            None,
            &say::remembered_used_up(turn.language(), label.label(turn.language())),
        );
        return Decided(decision);
    }
    turn.say(
        MessageKind::Notification,
        None,
        &say::remembered_used(turn.language(), label.label(turn.language())),
    );
    turn.show(CardSubject::Remembered, &said.by, None);
    Decided(decision)
}

/// Asks what to do with an ambiguous message; an older open gate is superseded. A message that only states
/// facts is noted instead.
pub(crate) fn scope_gate(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    if let Some(decision) = only_stated(turn) {
        return Decided(decision);
    }
    if turn.hosting.is_fallback() {
        return Decided(handover::open(turn, said));
    }
    if language::about_card(&said.words).is_some() && is_addressed(turn, said) {
        // They speak of a card, and none that they could mean is open.
        let verdict = answer(turn, &say::card_none(turn.language()));
        return Decided(Decision::new(verdict, Reason::IntentRule).with_intent(Intent::Meta));
    }
    if !is_material(&said.words) && !focus(turn).replies() && !turn.given.model.has(Purpose::Classify) {
        return Decided(spared(turn, said));
    }
    let gates = turn.open_cards().filter(|card| matches!(card.about, CardSubject::ScopeGate { .. }));
    let older: Vec<_> = gates.cloned().collect();
    let excerpt = messages::gate_card(said.text(), turn.policy.window.gate_chars);
    let gate = turn.show(
        CardSubject::ScopeGate { source: said.message.clone(), excerpt, remember: false },
        &said.by,
        None,
    );
    for card in older {
        decide::close(turn, card, CardStatus::Superseded { by: gate.clone() }, CloseReason::Superseded);
    }
    Decided(Decision::new(Verdict::Shown, Reason::GateOpened).with_intent(Intent::Ambiguous))
}

/// Carries out an intent for the message being routed.
pub(crate) fn act(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    intent: Intent,
    reason: Reason,
    request: Option<Request>,
) -> Decision {
    if turn.hosting.is_fallback() && !does(turn, intent) {
        return handover::open(turn, said);
    }
    let mut reason = reason;
    let verdict = match intent {
        Intent::Ticket => draft(turn, said, request),
        Intent::Review => {
            let (verdict, why) =
                review::start(turn, said.text(), &said.by, review::ReviewTrigger::of(reason));
            reason = why.unwrap_or(reason);
            verdict
        }
        Intent::Discussion if ask_loop::open(turn, AnswerRecipient::Discussion, Question::Answer) => {
            Verdict::Deferred
        }
        Intent::Discussion => answer(turn, &say::help_no_discussion(turn.language())),
        Intent::Meta | Intent::Ambiguous => {
            let help = meta::help(turn);
            answer(turn, &help)
        }
    };
    Decision::new(verdict, reason).with_intent(intent)
}

/// Posts a model's answer in a discussion, or the sentence for having none.
pub(crate) fn discussed(turn: &mut Turn<'_>, text: Option<&str>) -> Decision {
    let verdict = answer(turn, text.unwrap_or(&say::help_no_discussion(turn.language())));
    let decision = Decision::new(verdict, Reason::IntentModel).with_intent(Intent::Discussion);
    Decision { rung: Rung::Intent, ..decision }
}

/// Drafts one ticket, or a batch if several are asked for.
fn draft(turn: &mut Turn<'_>, said: &RoutedMessage, request: Option<Request>) -> Verdict {
    let Some(Request { ruling: Ruling { object, item, several, .. }, text }) = request else {
        return drafting::start(turn, said.text(), None, &said.by);
    };
    if let Some(asked) = batch::read(turn, object.as_deref(), several.as_ref(), &text) {
        return batch::start(turn, &asked, &said.by);
    }
    let named = item.and_then(batch::item_type);
    match object {
        Some(object) => drafting::start(turn, &with_body(&object, &text), named, &said.by),
        None => {
            let (about, messages) = subject(turn, &text);
            let texts = Some(about.clone()).filter(|about| !about.is_empty());
            let mut authors = Authors::default();
            messages.iter().for_each(|message| authors.add(turn.author_of(message)));
            let texts = texts.into_iter().collect();
            let from = DraftSources { texts, messages, authors };
            drafting::start_from(turn, &about, named, &said.by, from)
        }
    }
}

fn answer(turn: &mut Turn<'_>, text: &str) -> Verdict {
    turn.say(MessageKind::Answer, None, text);
    Verdict::Answered
}
