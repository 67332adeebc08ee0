//! The one loop for questions to a model: ask if a model may be asked, take an answer that counts, ask once
//! more with the complaints if it can be mended, else go on without one. [`AnswerRecipient`] names in advance who
//! receives the answer; each receiver also has a way on without it
//! (`docs/design/0008-one-loop-asks-a-model.md`).

use crate::data::message::{Message, Role};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::context::lane_context::LaneContext;
use crate::context::window;
use crate::data::ask::{AnswerRecipient, Ask, Question};
use crate::data::decision::Reason;
use crate::data::effect::EffectBody;
use crate::data::event::{Event, EventKind, MessagePosted};
use crate::data::focus::AnchorHint;
use crate::data::id::MessageId;
use crate::data::ids::Ids;
use crate::data::lane_state::OpenAsk;
use crate::data::policy::limits;
use crate::data::prompt::PromptSection;
use crate::data::purpose::Purpose;
use crate::data::trace::PromptTrace;
use crate::facts::prompt_facts::PromptFacts;
use crate::memory::fact_intake as facts;
use crate::text::redact::snippet;
use crate::turn::routed_message::focus;
use crate::turn::routed_message::model_is_available;
use crate::turn::{RoutedMessage, Turn};

/// True if a model may be asked now: one is set up for this purpose, nobody has paused everything, and the
/// lane has no open question.
pub(crate) fn may_ask(turn: &Turn<'_>, purpose: Purpose) -> bool {
    model_is_available(turn, purpose) && turn.head.ask.is_none()
}

/// Asks a model about the message being routed. Returns false if nothing was asked; the caller then goes on
/// without.
pub(crate) fn open(turn: &mut Turn<'_>, about: AnswerRecipient, question: Question) -> bool {
    if !may_ask(turn, question.purpose()) || turn.said.is_none() {
        return false;
    }
    plan_question(turn, about, question, Vec::new(), 1)
}

/// Cancels the open question about a message that was edited, and makes its new text the one being routed.
/// A question for the intent stays open: routing reads the message again when the answer arrives.
pub(crate) fn cancel_for_edit(turn: &mut Turn<'_>, message: &MessageId, text: &str) -> Option<OpenAsk> {
    let ask = turn.head.ask.take_if(|ask| ask.message == *message && !ask.about.is_intent())?;
    turn.cancel(&ask.effect);
    turn.delete::<Event>(&message.0);
    let (by, words) = (ask.by.clone(), turn.words_of(text));
    turn.route(RoutedMessage::new(message.clone(), by, words, ask.since));
    Some(ask)
}

/// Plans the question's effect. Returns false if the parts that are never left out exceed the prompt's
/// budget.
pub(crate) fn plan_question(
    turn: &mut Turn<'_>,
    about: AnswerRecipient,
    question: Question,
    complaints: Vec<String>,
    round: u8,
) -> bool {
    let Some(said) = turn.said.clone() else { return false };
    let hint = hint(turn);
    let anchor = hint.as_ref().and_then(|hint| hint.focus_anchor_internal_id.clone());
    // A question that produces work is shown tasks, blockers and facts. One that only chooses is not, so
    // that earlier work does not bias the choice.
    let facts = if question.is_work() { facts::shown(turn) } else { PromptFacts::default() };
    let shown = LaneContext {
        facts: facts.lines.clone(),
        block: question.is_work().then(|| turn.block()),
        ..LaneContext::conversation(turn, hint.as_ref(), &said.by)
    };
    let kept = (!about.is_intent()).then(|| Box::new(question.clone()));
    let Ok(ask) = Ask::within(question, said.text(), hint, shown, turn.policy) else {
        turn.note(Reason::ContextTooLarge);
        return false;
    };
    let ask = Ask { message: Some(said.message.clone()), complaints, ..ask };
    // Only an answer in words may state facts.
    let states = matches!(ask.question, Question::Answer);
    let sources = if states { window::named(&ask.prompt, &said.message) } else { Ids::default() };
    turn.trace.prompt = Some(PromptTrace::of(&ask.prompt));
    turn.use_facts(facts.standing(ask.prompt.left_out(PromptSection::Facts)));
    let effect = turn.effect(EffectBody::ModelAsk(ask), &[], None);
    hold_message(turn, &said);
    turn.head.ask = Some(OpenAsk {
        effect,
        about,
        question: kept,
        round,
        message: said.message.clone(),
        shown: sources,
        by: said.by.clone(),
        since: said.since,
        anchor,
        language: turn.language(),
        pressed: false,
    });
    true
}

/// The hint about the anchor, if the message needs one. For a card it quotes what people wrote on it.
pub(crate) fn hint(turn: &Turn<'_>) -> Option<AnchorHint> {
    let mut hint = focus(turn).hint(&turn.reference, turn)?;
    if let Some(id) = &hint.focus_anchor_internal_id
        && let Some(card) = turn.get::<Message>(id).cloned().and_then(|message| message.card)
    {
        hint.focus_anchor_text_snippet = snippet(&window::contents(turn, &card), limits::SNIPPET);
    }
    Some(hint)
}

/// Stores the message until the answer arrives; routing goes on with it then.
pub(crate) fn hold_message(turn: &mut Turn<'_>, said: &RoutedMessage) {
    let posted = turn.posted().cloned().unwrap_or_default();
    let kind = EventKind::MessagePosted(MessagePosted { text: said.text().into(), ..posted });
    let (id, received_at) = (said.message.0.clone(), said.since);
    // A button may ask about a text of ours, the topic of a review: pressing it makes those words nobody's own.
    let ours = turn.get::<Message>(&said.message).is_some_and(|message| message.role == Role::Assistant);
    let actor = if ours { String::new() } else { said.by.clone() };
    turn.put(Event { id, received_at, actor, kind });
}
