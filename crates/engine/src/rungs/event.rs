//! Rungs 2 and 3: what is no message goes straight to its handler, with no classifier and no model.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{
    Tried,
    Tried::{Decided, Passed},
};
use crate::approval::Closing;
use crate::ask::{Answer, clamp, judge};
use crate::decision::{Decision, Reason, Verdict};
use crate::effect::{EffectResult, Outcome};
use crate::event::{AssistantPosted, Event, EventKind, Posted};
use crate::id::{EffectId, MessageId};
use crate::intent::Intent;
use crate::lane::{Message, MessageKind, Moved, RecordKind, Role, TaskStatus};
use crate::pending::{PendingKind, Slot};
use crate::recognize::{Expected, Words};
use crate::rungs::intent::act;
use crate::say;
use crate::step::climb;
use crate::tickets::{Part, flow};
use crate::trace::{Predicate, Rung};
use crate::turn::{Said, Turn};
use crate::work;
use crate::workflow::{About, Card, CardStatus, TimerAbout, command, press};

/// Presses, forms and commands go straight to their handlers: no classifier, no model.
pub(crate) fn workflow_event(turn: &mut Turn<'_>) -> Tried {
    let event = turn.event;
    if let (EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. }, Some(ask)) =
        (&event.kind, &mut turn.head.ask)
    {
        ask.pressed = true;
    }
    match &event.kind {
        EventKind::CardPressed { press, remember } => Decided(press::pressed(turn, press, *remember)),
        EventKind::FormSubmitted { press, values } => Decided(press::submitted(turn, press, values)),
        EventKind::Command { text } => Decided(command::run(turn, text)),
        EventKind::MessagePosted(posted) => match turn.policy.command.rest(&posted.text) {
            Some(text) => {
                turn.hear(posted);
                Decided(command::run(turn, text))
            }
            None => Passed(Predicate::NoWorkflow),
        },
        _ => Passed(Predicate::NoWorkflow),
    }
}

pub(crate) fn settled_or_host(turn: &mut Turn<'_>) -> Tried {
    let event = turn.event;
    let recorded = |reason| Decided(Decision::new(Verdict::Recorded, reason));
    match &event.kind {
        EventKind::MessagePosted(posted) if posted.only_files() => Decided(unread(turn, posted)),
        EventKind::MessagePosted(_) => Passed(Predicate::AMessage),
        EventKind::EffectSettled { effect, outcome, card, task } => match outcome {
            Outcome::Done { result: EffectResult::Answered(answer) } => {
                Decided(answered(turn, effect, answer))
            }
            Outcome::Failed { reason, .. } if asks(turn, effect) => {
                Decided(answered(turn, effect, &Answer::None { why: reason.clone() }))
            }
            _ => match (card, task) {
                (Some(card), _) => recorded(flow::settled(turn, card, effect, outcome)),
                (None, Some(task)) => recorded(work::settled(turn, task, effect, outcome)),
                (None, None) => recorded(Reason::EffectSettled),
            },
        },
        EventKind::TimerDue { about, .. } => recorded(due(turn, about)),
        EventKind::AssistantPosted(posted) => Decided(host_posted(turn, posted)),
        EventKind::TaskReported(report) => recorded(match turn.report(report) {
            Some(Moved::Changed) => Reason::TaskReported,
            Some(Moved::Same) => Reason::TaskDuplicateReport,
            Some(Moved::Refused) => Reason::TaskTransitionRefused,
            Some(Moved::Stale) => Reason::TaskStaleReport,
            None => Reason::TaskTooManyLive,
        }),
        EventKind::IntakeNotice { why, message } if why == "still_open" => {
            Decided(still_open(turn, message, true))
        }
        EventKind::IntakeNotice { why, message } if why == "still_open_here" => {
            Decided(still_open(turn, message, false))
        }
        EventKind::IntakeNotice { message, .. } => {
            turn.say(MessageKind::Notification, None, message);
            Decided(Decision::new(Verdict::Answered, Reason::IntakeNotice))
        }
        _ => Decided(Decision::new(Verdict::Ignored, Reason::IgnoredKind)),
    }
}

/// There are no words to route, so what waits goes on waiting: whoever was asked may still write.
fn unread(turn: &mut Turn<'_>, posted: &Posted) -> Decision {
    turn.hear(&Posted { text: say::files(&posted.files), ..posted.clone() });
    Decision::new(Verdict::Answered, Reason::MessageUnread)
}

/// What came with a message that is ours to answer is not read, and that is said.
pub(crate) fn files(turn: &mut Turn<'_>, decision: &Decision) {
    let EventKind::MessagePosted(posted) = &turn.event.kind else { return };
    if posted.files.is_empty() || matches!(decision.outcome, Verdict::Ignored | Verdict::Observed) {
        return;
    }
    turn.say(MessageKind::Notification, None, &say::unread(posted));
}

/// The channel could not be reached for a while, or shows nothing of before any more: every open card is shown again and
/// says why. One lane of the chat also says it `aloud` (`spec 06 §5.6`).
fn still_open(turn: &mut Turn<'_>, message: &str, aloud: bool) -> Decision {
    let open: Vec<Card> = turn.open_cards().cloned().collect();
    if open.is_empty() {
        return Decision::new(Verdict::Ignored, Reason::IntakeNotice);
    }
    for card in &open {
        turn.show_again(card, message);
    }
    if aloud {
        turn.say(MessageKind::Notification, None, message);
    }
    Decision::new(Verdict::Answered, Reason::IntakeNotice)
}

fn asks(turn: &Turn<'_>, effect: &EffectId) -> bool {
    turn.head.ask.as_ref().is_some_and(|ask| ask.effect == *effect)
}

/// A model answered: routing goes on with the message it was asked about. An answer to a superseded question
/// is recorded and ignored.
fn answered(turn: &mut Turn<'_>, effect: &EffectId, answer: &Answer) -> Decision {
    let Some(ask) = turn.head.ask.take_if(|ask| ask.effect == *effect) else {
        return Decision::new(Verdict::Recorded, Reason::LateAnswer);
    };
    let held = turn.held(&ask.message.0);
    turn.drop_record(RecordKind::Held, &ask.message.0);
    let Some(Event { kind: EventKind::MessagePosted(posted), .. }) = held else {
        return Decision::new(Verdict::Recorded, Reason::EffectSuperseded);
    };
    let words = Words::of(&posted.text);
    turn.said = Some(Rc::new(Said { message: ask.message, by: ask.by, words, since: ask.since }));
    let mut answer = answer.clone();
    if clamp(&mut answer, ask.anchor.as_ref()) {
        turn.note(Reason::AnswerClamped);
    }
    turn.trace.candidates = Intent::ALL.iter().map(|intent| intent.word().to_string()).collect();
    turn.trace.candidates.extend(ask.anchor.as_ref().map(ToString::to_string));
    turn.trace.rule = Some(match &answer {
        // What a model wrote is not ours to keep in the row: a label that was offered, or that there was another.
        Answer::Classify { label, confidence, anchor } => match Intent::from_word(label) {
            Some(intent) => {
                let of = anchor.as_ref().map(|anchor| format!(", about {anchor}")).unwrap_or_default();
                format!("model: {}, {confidence} %{of}", intent.word()).into()
            }
            None => "model: a label that was not offered".into(),
        },
        Answer::None { why } => format!("model: no answer ({why})").into(),
    });
    match judge(&answer, turn.policy) {
        Some(intent) => {
            let mut decision = act(turn, intent, Reason::IntentModel, None);
            decision.rung = Rung::Intent;
            decision
        }
        None => {
            turn.pass(Predicate::NoAnswer);
            climb(turn, Rung::Remembered)
        }
    }
}

/// A deadline. One whose card is decided or newer is over.
fn due(turn: &mut Turn<'_>, about: &TimerAbout) -> Reason {
    let (TimerAbout::Expiry { card: id, version } | TimerAbout::Reminder { card: id, version }) = about;
    let Some(card) = turn.card(id).filter(|card| card.open() && card.version == *version) else {
        return Reason::TimerSuperseded;
    };
    match about {
        TimerAbout::Expiry { .. } => {
            press::end_of(turn, &card, TaskStatus::Cancelled);
            press::close(turn, card, CardStatus::Expired, Closing::Expired);
        }
        TimerAbout::Reminder { .. } => {
            let draft = turn.draft_of(&card);
            let (task, title) = match (&draft, &card.about) {
                (Some(draft), _) => (Some(&draft.task), draft.part(Part::Title).to_string()),
                (None, About::CallPreview { call, .. }) => (Some(&call.task), call.text.clone()),
                _ => (None, String::new()),
            };
            turn.say(MessageKind::Notification, task, &say::reminder(&title));
        }
    }
    Reason::TimerDue
}

/// A host's own agent spoke, and maybe asked (`spec 02 §1`).
fn host_posted(turn: &mut Turn<'_>, posted: &AssistantPosted) -> Decision {
    let id = turn.host_message(posted);
    if let Some(expected) = &posted.expected {
        let kind = match expected {
            Expected::Selection(_) => PendingKind::ClarificationNeeded(Slot::Host),
            _ => PendingKind::SlotRequest(Slot::Host),
        };
        let asked = posted.asked_of.as_deref();
        let task = turn.task_here();
        turn.open_pending(kind, Some(expected.clone()), &id, Some(&task), asked, posted.expires);
    }
    Decision::new(Verdict::Recorded, Reason::AssistantPosted)
}

impl Turn<'_> {
    fn host_message(&mut self, posted: &AssistantPosted) -> MessageId {
        if let Some(task) = &posted.task {
            self.belongs_to(task);
        }
        let task = self.task_here();
        let id = MessageId(self.fresh(MessageId::PREFIX));
        self.keep(Message {
            id: id.clone(),
            role: Role::Assistant,
            by: String::new(),
            kind: Some(posted.kind),
            to: posted.asked_of.clone(),
            task: Some(task),
            card: None,
            text: posted.text.clone(),
            at: self.event.received_at,
            channel_id: None,
        });
        id
    }
}
