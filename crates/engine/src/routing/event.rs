//! Rungs 2 and 3: presses, forms, commands, outcomes, timers and reports of hosts go straight to their
//! handlers, with no classifier and no model.

use alloc::vec::Vec;

use crate::calls;
use crate::cards;
use crate::data::ask::Answer;
use crate::data::card::{Card, TimerPurpose};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::event::{EventKind, MessagePosted};
use crate::data::id::EffectId;
use crate::data::message::MessageKind;
use crate::data::notice::Notice;
use crate::data::pending::{PendingState, Slot};
use crate::data::task::TaskMove;
use crate::data::trace::Predicate;
use crate::erase;
use crate::host::posted;
use crate::memory::fact_intake as memory;
use crate::messages;
use crate::routing::answers;
use crate::routing::command;
use crate::routing::press;
use crate::selection::{list_registry, model_pick};
use crate::summary;
use crate::tickets::{files as evidence, issue_report};
use crate::turn::capability::Settled;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Expected};
use throughline_messages as say;

/// Hands presses, forms and commands to their handlers.
pub(crate) fn workflow_event(turn: &mut Turn<'_>) -> RungResult {
    let event = turn.event;
    if let (EventKind::CardPressed { .. } | EventKind::FormSubmitted { .. }, Some(ask)) =
        (&event.kind, &mut turn.head.ask)
    {
        ask.pressed = true;
    }
    match &event.kind {
        EventKind::CardPressed { press, remember } => Decided(press::pressed(turn, press, *remember)),
        EventKind::FormSubmitted { press, values } => Decided(press::submitted(turn, press, values)),
        EventKind::Command { text } => {
            model_pick::cancel_for_actor(turn);
            Decided(command::run(turn, text))
        }
        EventKind::MessagePosted(posted) => match turn.policy.command.rest(&posted.text) {
            Some(text) => {
                turn.receive_message(posted);
                model_pick::cancel_for_actor(turn);
                Decided(command::run(turn, text))
            }
            None => Passed(Predicate::NoWorkflow),
        },
        _ => Passed(Predicate::NoWorkflow),
    }
}

pub(crate) fn settled_or_host(turn: &mut Turn<'_>) -> RungResult {
    let event = turn.event;
    let recorded = |reason| Decided(Decision::new(Verdict::Recorded, reason));
    let nothing_waited = || Decision::new(Verdict::Recorded, Reason::EffectSettled);
    match &event.kind {
        EventKind::MessagePosted(posted) if posted.only_files() && !turn.hosting.is_fallback() => {
            Decided(unread(turn, posted))
        }
        EventKind::MessagePosted(_) => Passed(Predicate::AMessage),
        EventKind::EffectSettled { effect, outcome, card, task, unshown } => match outcome {
            Outcome::Done { result: EffectResult::Answered(answer) } => {
                Decided(answered(turn, effect, answer))
            }
            Outcome::Done { result: EffectResult::Snapshot { options, focused } } => {
                Decided(answers::fetched(turn, effect, options, focused.as_deref()))
            }
            Outcome::Failed { reason, .. } if asks(turn, effect) => {
                Decided(answered(turn, effect, &Answer::None { why: reason.clone() }))
            }
            Outcome::Failed { .. } if unshown.is_some() => {
                let decision = unshown.as_ref().and_then(|message| cards::unshown::unshown(turn, message));
                Decided(decision.unwrap_or_else(nothing_waited))
            }
            _ => {
                let settled = Settled { effect, outcome, card: card.as_ref(), task: task.as_ref() };
                let decision = turn.capabilities.iter().find_map(|owner| owner.settled(turn, &settled));
                Decided(decision.unwrap_or_else(nothing_waited))
            }
        },
        EventKind::EffectProgressed { effect, task, text } => {
            recorded(calls::progressed(turn, task, effect, text))
        }
        EventKind::IssueReported(report) => recorded(issue_report::reported(turn, report)),
        EventKind::TimerDue { about, .. } => recorded(due(turn, about)),
        EventKind::OptionsShown(list) => Decided(list_registry::shown(turn, list)),
        EventKind::OptionsClosed { set, scope_instance } => {
            Decided(list_registry::closed(turn, set.as_ref(), scope_instance.as_deref()))
        }
        EventKind::FactStated(fact) => Decided(memory::stated(turn, fact)),
        EventKind::FactTakenBack { key, fact } => Decided(memory::retracted(turn, key, fact)),
        EventKind::FocusChanged(focus) => Decided(list_registry::focused(turn, focus)),
        EventKind::AssistantPosted(posted) => Decided(posted::posted(turn, posted)),
        EventKind::ApprovalRequested(act) => Decided(calls::requested(turn, act)),
        EventKind::TaskReported(report) => recorded(match turn.report(report) {
            Some(TaskMove::Changed) => Reason::TaskReported,
            Some(TaskMove::Same) => Reason::TaskDuplicateReport,
            Some(TaskMove::Refused) => Reason::TaskTransitionRefused,
            Some(TaskMove::Stale) => Reason::TaskStaleReport,
            None => Reason::TaskTooManyLive,
        }),
        EventKind::Erasure(what) => Decided(erase::erased(turn, what)),
        EventKind::IntakeNotice(notice) => Decided(noticed(turn, notice)),
        _ => Decided(Decision::new(Verdict::Ignored, Reason::IgnoredKind)),
    }
}

/// Stores a message that has only files. Without words nothing can be routed, so open questions stay open; the files are
/// evidence of the draft that its author has open.
fn unread(turn: &mut Turn<'_>, posted: &MessagePosted) -> Decision {
    turn.receive_message(&MessagePosted { text: messages::files(&posted.files), ..posted.clone() });
    shown(evidence::add_to_draft(turn))
}

/// Takes a message whose words only show its files. It is read like one without words where a draft of its author takes the
/// files, or where they would become the answer to a question of ours.
pub(crate) fn files_shown(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let EventKind::MessagePosted(posted) = &turn.event.kind else { return None };
    if posted.files.is_empty() || turn.hosting.is_fallback() || !language::only_shows_files(&said.words) {
        return None;
    }
    let would_answer = |pending: &PendingState| {
        let takes_text = pending.expected == Some(Expected::Text);
        takes_text && pending.is_asked_of(&said.by) && !matches!(pending.kind.slot(), Some(Slot::Host))
    };
    let asked = turn.conversational().is_some_and(would_answer);
    let added = evidence::add_to_draft(turn);
    (added || asked).then(|| shown(added))
}

fn shown(added: bool) -> Decision {
    Decision::new(Verdict::Answered, if added { Reason::EvidenceAdded } else { Reason::MessageUnread })
}

/// Posts a note of what became of the files of an answered message, which nobody read.
pub(crate) fn files(turn: &mut Turn<'_>, decision: &Decision) {
    let EventKind::MessagePosted(posted) = &turn.event.kind else { return };
    let told = matches!(decision.outcome, Verdict::Ignored | Verdict::Observed | Verdict::HandedOver);
    if posted.files.is_empty() || told {
        return;
    }
    let told = messages::unread(turn.language(), posted, evidence::are_evidence(turn, posted));
    turn.say(MessageKind::Notification, None, &told);
}

/// Says a notice; where the channel lost its earlier messages or was unreachable, shows every open card again with it.
fn noticed(turn: &mut Turn<'_>, notice: &Notice) -> Decision {
    let shows = notice.shows_cards();
    let open: Vec<Card> = turn.open_cards().filter(|_| shows.is_some()).cloned().collect();
    if shows.is_some() && open.is_empty() {
        return Decision::new(Verdict::Ignored, Reason::IntakeNotice);
    }
    let now = turn.given.now;
    for card in &open {
        turn.show_again(card, &notice.text(card.language, now));
    }
    if shows != Some(false) {
        turn.say(MessageKind::Notification, None, &notice.text(turn.language(), now));
    }
    Decision::new(Verdict::Answered, Reason::IntakeNotice)
}

fn asks(turn: &Turn<'_>, effect: &EffectId) -> bool {
    turn.head.ask.as_ref().is_some_and(|ask| ask.effect == *effect)
        || summary::is_open_request(&turn.head, effect)
}

fn answered(turn: &mut Turn<'_>, effect: &EffectId, answer: &Answer) -> Decision {
    if summary::is_open_request(&turn.head, effect) || matches!(answer, Answer::Summary { .. }) {
        return summary::settled(turn, effect, answer);
    }
    answers::settled(turn, effect, answer.clone())
}

/// Handles a deadline. One that belongs to a decided card or to an older version of it has no effect.
fn due(turn: &mut Turn<'_>, about: &TimerPurpose) -> Reason {
    let Some(card) = turn.get::<Card>(about.card()).cloned() else { return Reason::TimerSuperseded };
    let owner = turn.capabilities.of(&card);
    let current = |version: u32| card.is_open() && card.version == version;
    match about {
        TimerPurpose::Expiry { version, .. } if current(*version) => {
            cards::unshown::expire(turn, &card);
        }
        TimerPurpose::Reminder { version, .. } if current(*version) => {
            let (task, topic) = (turn.task_of(&card), owner.topic(turn, &card));
            turn.say(MessageKind::Notification, task.as_ref(), &say::card_reminder(turn.language(), &topic));
        }
        TimerPurpose::Expiry { .. } | TimerPurpose::Reminder { .. } => return Reason::TimerSuperseded,
        TimerPurpose::Seek { .. } | TimerPurpose::Cooldown { .. } => return owner.due(turn, card, about),
    }
    Reason::TimerDue
}
