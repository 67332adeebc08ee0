//! The one loop every question to a model goes through: open it when one may be asked, take its answer when it is worth
//! something, ask once more with what was wrong with it, else go on without. Whoever asks says beforehand, by
//! [`Asked`], who takes the answer, and has a way on without one.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Answer, Ask, Asked, Purpose, Question, Shown, Verdict, judge};
use crate::context::prompt::Section;
use crate::context::window;
use crate::decision::{self, Decision, Reason};
use crate::effect::EffectBody;
use crate::event::{Event, EventKind, Posted};
use crate::focus::{Hint, resolve};
use crate::id::{EffectId, MessageId};
use crate::intent::Intent;
use crate::lane::{Ids, OpenAsk, Record, RecordKind};
use crate::memory::flow as facts;
use crate::memory::shown::Shown as FactsShown;
use crate::policy::limits;
use crate::recognize::Words;
use crate::redact::snippet;
use crate::review::flow as review;
use crate::rungs::{event, focus, intent, said};
use crate::selection::{SetOption, cycle};
use crate::tickets::{batch, flow};
use crate::trace::{PromptTrace, Rung};
use crate::turn::{Said, Turn};

/// Whether a model may be asked now: one is there for this, nobody paused everything, and this lane is not asking
/// already.
pub(crate) fn may(turn: &Turn<'_>, purpose: Purpose) -> bool {
    reachable(turn, purpose) && turn.head.ask.is_none()
}

/// Whether there is a model for this, and nobody paused everything.
pub(crate) fn reachable(turn: &Turn<'_>, purpose: Purpose) -> bool {
    turn.given.model.has(purpose) && !turn.given.paused.as_ref().is_some_and(|paused| paused.everything)
}

/// Asks about the message being routed. `false`: nothing was asked, and who asks goes on without.
pub(crate) fn open(turn: &mut Turn<'_>, about: Asked, question: Question) -> bool {
    if !may(turn, question.purpose()) || turn.said.is_none() {
        return false;
    }
    put(turn, about, question, Vec::new(), 1)
}

/// Takes back what is being asked about a message that says something else now, and routes on with that. Which intent it
/// is stays asked: routing reads the message anew when that is answered.
pub(crate) fn take_back(turn: &mut Turn<'_>, message: &MessageId, text: &str) -> Option<OpenAsk> {
    let ask = turn.head.ask.take_if(|ask| ask.message == *message && !ask.about.is_intent())?;
    turn.cancel(&ask.effect);
    turn.drop_record(RecordKind::Held, &message.0);
    let (by, words) = (ask.by.clone(), Words::of(text));
    turn.said = Some(Rc::new(Said { message: message.clone(), by, words, since: ask.since }));
    Some(ask)
}

/// Asks once more what was taken back. Where nobody can be asked any more, whoever asked goes on without.
pub(crate) fn again(turn: &mut Turn<'_>, about: Asked, question: Question) -> decision::Verdict {
    if open(turn, about.clone(), question) {
        return decision::Verdict::Deferred;
    }
    hand_over(turn, about, None).outcome
}

/// `false`: what a prompt may not leave out does not fit into one, so nobody is asked.
fn put(turn: &mut Turn<'_>, about: Asked, question: Question, complaints: Vec<String>, round: u8) -> bool {
    let Some(said) = turn.said.clone() else { return false };
    let hint = hint(turn);
    let anchor = hint.as_ref().and_then(|hint| hint.focus_anchor_internal_id.clone());
    // Whoever does work is shown what was done, what is blocked and what is known; who only chooses is not, so that
    // earlier work does not lean on the choice (`spec 05 §4.1`).
    let facts = if question.works() { facts::shown(turn) } else { FactsShown::default() };
    let shown = Shown {
        facts: facts.lines.clone(),
        block: question.works().then(|| turn.block()),
        ..Shown::conversation(turn, hint.as_ref(), &said.by)
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
    turn.use_facts(facts.standing(ask.prompt.left_out(Section::Facts)));
    let effect = turn.effect(EffectBody::ModelAsk(ask), &[], None);
    hold(turn, &said);
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
        pressed: false,
    });
    true
}

/// What the message refers to, when it cannot be understood without; of a card, what people wrote on it.
fn hint(turn: &Turn<'_>) -> Option<Hint> {
    let mut hint = focus(turn).hint(&turn.reference, turn)?;
    if let Some(id) = &hint.focus_anchor_internal_id
        && let Some(card) = turn.message(id).and_then(|message| message.card)
    {
        hint.focus_anchor_text_snippet = snippet(&window::contents(turn, &card), limits::SNIPPET);
    }
    Some(hint)
}

/// Keeps the message: routing goes on with it when the answer is there.
pub(crate) fn hold(turn: &mut Turn<'_>, said: &Said) {
    let posted = turn.posted().cloned().unwrap_or_default();
    let kind = EventKind::MessagePosted(Posted { text: said.text().into(), ..posted });
    let (id, received_at) = (said.message.0.clone(), said.since);
    turn.put(Record::Held(Event { id, received_at, actor: said.by.clone(), kind }));
}

/// A model answered, or it is certain that none will. An answer to a superseded question is recorded and ignored.
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, mut answer: Answer) -> Decision {
    let Some(ask) = turn.head.ask.take_if(|ask| ask.effect == *effect) else {
        return Decision::new(decision::Verdict::Recorded, Reason::LateAnswer);
    };
    if !hear_again(turn, &ask) {
        return Decision::new(decision::Verdict::Recorded, Reason::EffectSuperseded);
    }
    if let Asked::Selection(user) = &ask.about {
        return Decision { rung: Rung::Selection, ..cycle::answered(turn, user, answer) };
    }
    if clamp(&mut answer, ask.anchor.as_ref()) {
        turn.note(Reason::AnswerClamped);
    }
    let question =
        ask.question.map_or_else(|| Question::Classify { labels: Intent::ALL.into() }, |asked| *asked);
    note(turn, &question, ask.anchor.as_ref(), &answer);
    let judged = judge(&Ask::about(question.clone(), said(turn).text(), turn.policy), answer, turn.policy);
    let taken = match judged {
        Verdict::Take(answer) => Some(answer),
        Verdict::Mend(complaints) if ask.round < question.rounds() && may(turn, question.purpose()) => {
            if put(turn, ask.about.clone(), question, complaints, ask.round + 1) {
                return Decision::new(decision::Verdict::Deferred, Reason::AnswerMended);
            }
            None
        }
        Verdict::Mend(_) | Verdict::Drop(_) => None,
    };
    if let Some(Answer::Text { facts, .. }) = &taken {
        facts::proposed(turn, facts, &ask.shown.iter().collect::<Vec<_>>());
    }
    hand_over(turn, ask.about, taken)
}

/// A host said what a list holds now. Of a question that is over it is recorded and ignored.
pub(crate) fn fetched(
    turn: &mut Turn<'_>,
    effect: &EffectId,
    options: &[SetOption],
    focused: Option<&str>,
) -> Decision {
    let late = || Decision::new(decision::Verdict::Recorded, Reason::LateAnswer);
    let Some(ask) = turn.head.ask.take_if(|ask| ask.effect == *effect) else { return late() };
    let Asked::Selection(user) = &ask.about else { return late() };
    if !hear_again(turn, &ask) {
        return Decision::new(decision::Verdict::Recorded, Reason::EffectSuperseded);
    }
    Decision { rung: Rung::Selection, ..cycle::fetched(turn, user, options, focused) }
}

/// Goes on with the message a question was about.
fn hear_again(turn: &mut Turn<'_>, ask: &OpenAsk) -> bool {
    let held = turn.held(&ask.message.0);
    turn.drop_record(RecordKind::Held, &ask.message.0);
    let Some(event) = held else { return false };
    let EventKind::MessagePosted(posted) = &event.kind else { return false };
    let words = Words::of(&posted.text);
    let (message, by, since) = (ask.message.clone(), ask.by.clone(), ask.since);
    turn.said = Some(Rc::new(Said { message, by, words, since }));
    turn.focus = Some(resolve(turn.lane, &event, turn.given));
    turn.heard = Some(posted.clone());
    true
}

/// To whoever asked. Without an answer they go on as if no model were there.
fn hand_over(turn: &mut Turn<'_>, about: Asked, answer: Option<Answer>) -> Decision {
    match (about, answer) {
        (Asked::Intent, Some(Answer::Classify { label, .. })) => {
            event::classified(turn, Intent::from_word(&label))
        }
        (Asked::Intent, _) => event::classified(turn, None),
        (Asked::Draft(draft), Some(Answer::Draft { items })) => {
            flow::drafted(turn, &draft, items.into_iter().next())
        }
        (Asked::Draft(draft), _) => flow::drafted(turn, &draft, None),
        (Asked::Batch(id), Some(Answer::Draft { items })) => batch::flow::drafted(turn, &id, items),
        (Asked::Batch(id), _) => batch::flow::drafted(turn, &id, Vec::new()),
        (Asked::Discussion, Some(Answer::Text { text, .. })) => intent::discussed(turn, Some(&text)),
        (Asked::Discussion, _) => intent::discussed(turn, None),
        (Asked::Review(id), Some(Answer::Review(written))) => review::written(turn, &id, Some(written)),
        (Asked::Review(id), _) => review::written(turn, &id, None),
        (Asked::Patch(id), Some(Answer::Patch(patch))) => review::patch_written(turn, &id, Some(patch)),
        (Asked::Patch(id), _) => review::patch_written(turn, &id, None),
        (Asked::Synthesis(id), Some(Answer::Text { text, .. })) => {
            review::synthesised(turn, &id, Some(&text))
        }
        (Asked::Synthesis(id), _) => review::synthesised(turn, &id, None),
        // Judged before, by the list as it is now.
        (Asked::Selection(_), _) => Decision::new(decision::Verdict::Recorded, Reason::LateAnswer),
    }
}

/// What was offered and what was picked, for the trace. What a model wrote is not ours to keep in the row.
fn note(turn: &mut Turn<'_>, question: &Question, anchor: Option<&MessageId>, answer: &Answer) {
    if let Question::Classify { labels } = question {
        turn.trace.candidates = labels.iter().map(|intent| intent.word().to_string()).collect();
    }
    turn.trace.candidates.extend(anchor.map(ToString::to_string));
    turn.trace.rule = Some(match answer {
        Answer::Classify { label, confidence, anchor } => match Intent::from_word(label) {
            Some(intent) => {
                let of = anchor.as_ref().map(|anchor| format!(", about {anchor}")).unwrap_or_default();
                format!("model: {}, {confidence} %{of}", intent.word()).into()
            }
            None => "model: a label that was not offered".into(),
        },
        Answer::None { why } => format!("model: no answer ({why})").into(),
        Answer::Draft { items } => format!("model: {} items", items.len()).into(),
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

/// Removes an anchor that was not offered (`spec 02 §4`): no model may invent one. Says whether there was one.
fn clamp(answer: &mut Answer, offered: Option<&MessageId>) -> bool {
    let Answer::Classify { anchor, .. } = answer else { return false };
    anchor.take_if(|anchor| Some(&*anchor) != offered).is_some()
}
