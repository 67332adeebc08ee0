//! The answers of models and hosts, handed to the capability that asked.

use crate::ask::answer_check::AnswerVerdict;
use crate::ask::ask_loop;
use crate::ask::ask_loop::{may_ask, plan_question};
use crate::ask::check_answer;
use crate::data::ask::{Answer, AnswerRecipient, Ask, Question};
use crate::data::decision;
use crate::data::decision::{Decision, Reason};
use crate::data::event::{Event, EventKind};
use crate::data::id::{EffectId, MessageId};
use crate::data::intent::Intent;
use crate::data::lane_state::OpenAsk;
use crate::data::rung::Rung;
use crate::data::set_option::SetOption;
use crate::data::trace::Predicate;
use crate::focus::resolve;
use crate::host::handover;
use crate::memory::fact_intake as facts;
use crate::routing::focus_rung::focus_of_message;
use crate::routing::step::climb;
use crate::selection::{model_pick, more_evidence};
use crate::tickets::revision;
use crate::turn::{RoutedMessage, Turn};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Handles a model's answer, or the certainty that none will come. An answer to a superseded question is
/// only recorded.
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, mut answer: Answer) -> Decision {
    let Some(ask) = turn.head.ask.take_if(|ask| ask.effect == *effect) else {
        return Decision::new(decision::Verdict::Recorded, Reason::LateAnswer);
    };
    let Some(said) = hear_again(turn, &ask) else {
        return Decision::new(decision::Verdict::Recorded, Reason::EffectSuperseded);
    };
    if let AnswerRecipient::Selection(user) = &ask.about {
        let decision =
            model_pick::answered(turn, &said, user, answer).unwrap_or_else(|| climb(turn, Rung::Review));
        return Decision { rung: Rung::Selection, ..decision };
    }
    if clamp(&mut answer, ask.anchor.as_ref()) {
        turn.note(Reason::AnswerClamped);
    }
    let question =
        ask.question.map_or_else(|| Question::Classify { labels: Intent::ALL.into() }, |asked| *asked);
    note(turn, &question, ask.anchor.as_ref(), &answer);
    let judged = check_answer(&Ask::about(question.clone(), said.text(), turn.policy), answer, turn.policy);
    let taken = match judged {
        AnswerVerdict::Accept(answer) => Some(answer),
        AnswerVerdict::AskAgain(complaints)
            if ask.round < question.max_rounds() && may_ask(turn, question.purpose()) =>
        {
            if plan_question(turn, ask.about.clone(), question, complaints, ask.round + 1) {
                return Decision::new(decision::Verdict::Deferred, Reason::AnswerMended);
            }
            None
        }
        AnswerVerdict::AskAgain(_) | AnswerVerdict::Reject(_) => None,
    };
    if let Some(Answer::Text { facts, .. }) = &taken {
        facts::proposed(turn, facts, &ask.shown.iter().collect::<Vec<_>>());
    }
    hand_over(turn, ask.about, taken)
}

/// Handles a host's snapshot of a list. If the question is over, it is only recorded.
pub(crate) fn fetched(
    turn: &mut Turn<'_>,
    effect: &EffectId,
    options: &[SetOption],
    focused: Option<&str>,
) -> Decision {
    let late = || Decision::new(decision::Verdict::Recorded, Reason::LateAnswer);
    let Some(ask) = turn.head.ask.take_if(|ask| ask.effect == *effect) else { return late() };
    let AnswerRecipient::Selection(user) = &ask.about else { return late() };
    let Some(said) = hear_again(turn, &ask) else {
        return Decision::new(decision::Verdict::Recorded, Reason::EffectSuperseded);
    };
    Decision { rung: Rung::Selection, ..more_evidence::fetched(turn, &said, user, options, focused) }
}

/// Makes the message that a question was about the one being routed again. `None` if it is no longer stored.
fn hear_again(turn: &mut Turn<'_>, ask: &OpenAsk) -> Option<Rc<RoutedMessage>> {
    let held = turn.named::<Event>(&ask.message.0).cloned();
    turn.delete::<Event>(&ask.message.0);
    let event = held?;
    let EventKind::MessagePosted(posted) = &event.kind else { return None };
    let words = turn.words_of(&posted.text);
    turn.focus = Some(resolve(turn.lane, &event, turn.given));
    turn.heard = Some(posted.clone());
    let (message, by, since) = (ask.message.clone(), ask.by.clone(), ask.since);
    Some(turn.route(RoutedMessage::new(message, by, words, since)))
}

/// Decides the event anew, as one that the host answers: its message is handed over with the words that the engine would
/// have said. Everything that `decided` wrote is left.
pub(crate) fn hosts_to_answer<'a>(decided: &Turn<'a>, unsaid: String) -> (Turn<'a>, Decision) {
    let mut turn =
        Turn::new(decided.lane, decided.event, decided.given, decided.policy, decided.capabilities);
    let heard = match &turn.event.kind {
        EventKind::EffectSettled { effect, .. } => {
            let ask = turn.head.ask.take_if(|ask| ask.effect == *effect);
            ask.and_then(|ask| hear_again(&mut turn, &ask))
        }
        _ => {
            focus_of_message(&mut turn);
            turn.said.clone()
        }
    };
    turn.trace = decided.trace.clone();
    let decision = match heard {
        Some(said) => handover::open_saying(&mut turn, &said, Some(unsaid)),
        None => Decision::new(decision::Verdict::Recorded, Reason::EffectSuperseded),
    };
    (turn, Decision { rung: Rung::Gate, ..decision })
}

/// Asks a cancelled question again. If no model can be asked any more, the asker goes on without an answer.
pub(crate) fn ask_again(
    turn: &mut Turn<'_>,
    about: AnswerRecipient,
    question: Question,
) -> decision::Verdict {
    if ask_loop::open(turn, about.clone(), question) {
        return decision::Verdict::Deferred;
    }
    hand_over(turn, about, None).outcome
}

/// Hands an answer to the capability that asked. Without one it goes on as if there were no model.
pub(crate) fn hand_over(turn: &mut Turn<'_>, about: AnswerRecipient, answer: Option<Answer>) -> Decision {
    if let AnswerRecipient::Revision { card, version } = &about {
        let changes = match &answer {
            Some(Answer::Revision { changes }) => changes.as_slice(),
            _ => &[],
        };
        return revision::revised(turn, (card, *version), changes).unwrap_or_else(|| {
            turn.pass(Predicate::NoAnswer);
            climb(turn, Rung::Pending)
        });
    }
    turn.capabilities.named(about.owner()).heard(turn, about, answer)
}

/// Records in the trace what was offered and what was picked. A trace keeps no text that a model wrote.
pub(crate) fn note(turn: &mut Turn<'_>, question: &Question, anchor: Option<&MessageId>, answer: &Answer) {
    if let Question::Classify { labels } = question {
        turn.trace.candidates = labels.iter().map(|intent| intent.as_str().to_string()).collect();
    }
    turn.trace.candidates.extend(anchor.map(ToString::to_string));
    turn.trace.rule = Some(match answer {
        Answer::Classify { label, confidence, anchor } => match Intent::parse(label) {
            Some(intent) => {
                let of = anchor.as_ref().map(|anchor| format!(", about {anchor}")).unwrap_or_default();
                format!("model: {}, {confidence} %{of}", intent.as_str()).into()
            }
            None => "model: a label that was not offered".into(),
        },
        Answer::None { why } => format!("model: no answer ({why})").into(),
        Answer::Draft { items } => format!("model: {} items", items.len()).into(),
        Answer::Revision { changes } => format!("model: {} changes", changes.len()).into(),
        Answer::Review(_) => "model: a review".into(),
        Answer::Patch(_) => "model: a patch".into(),
        Answer::Text { text, .. } | Answer::Summary { text, .. } => {
            format!("model: {} characters", text.chars().count()).into()
        }
        Answer::Select { choice, confidence, .. } => {
            format!("model: {}, {confidence} %", choice.as_deref().unwrap_or("no option")).into()
        }
    });
}

/// Removes an anchor that was not offered, since a model may not invent one. Returns true if there was one.
pub(crate) fn clamp(answer: &mut Answer, offered: Option<&MessageId>) -> bool {
    let Answer::Classify { anchor, .. } = answer else { return false };
    anchor.take_if(|anchor| Some(&*anchor) != offered).is_some()
}
