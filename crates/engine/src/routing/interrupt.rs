//! Rung 5: a message that stops what is under way.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;

use crate::calls;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::Event;
use crate::data::message::MessageKind;
use crate::data::task_status::TaskStatus;
use crate::data::trace::Predicate;
use crate::messages;
use crate::selection::rung as lists;
use crate::turn::routed_message::RungResult;
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Interrupt};

pub(crate) fn hard_interrupt(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let Some(kind) = language::interrupt(&said.words) else { return Passed(Predicate::NotAStop) };
    turn.trace.rule = Some(Cow::Borrowed(kind.code()));
    let reason = if interrupt(turn, kind) { Reason::InterruptStop } else { Reason::InterruptNothing };
    Decided(Decision::new(Verdict::Answered, reason))
}

/// Stops what can be stopped: the conversational pending and its task, this person's work elsewhere, and
/// the open question to a model. Cards stay open. Returns true if there was something to stop.
pub(crate) fn interrupt(turn: &mut Turn<'_>, kind: Interrupt) -> bool {
    let pending = turn.take_conversational();
    if let Some(task) =
        pending.as_ref().and_then(|pending| turn.capabilities.asking(pending).blocked(turn, pending))
    {
        turn.end_task(&task, TaskStatus::Cancelled);
    }
    let ask = turn.head.ask.take();
    if let Some(ask) = &ask {
        turn.cancel(&ask.effect);
        turn.delete::<Event>(&ask.message.0);
        turn.capabilities.named(ask.about.owner()).stopped(turn, &ask.about);
    }
    turn.head.lapsed = None;
    turn.head.answered = None;
    let stopped = calls::stop(turn) || pending.is_some() || ask.is_some();
    let text = turn.said.as_ref().map(|said| String::from(said.text()));
    let by = turn.event.actor.clone();
    let list = lists::stopped(turn, &by, text.as_deref());
    let left = turn.state_of_work();
    let told = match list.as_deref() {
        Some(list) if !stopped => messages::state::with_rest(list, left.as_ref()),
        list => {
            let told = messages::state::stopped(stopped, kind == Interrupt::StartOver, left.as_ref());
            list.map(|list| format!("{told} {list}")).unwrap_or(told)
        }
    };
    turn.say(MessageKind::Answer, None, &told);
    stopped || list.is_some()
}
