//! Hands a message that no rung decides to the host's agent, with what the rungs saw of it.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::context::briefing::background;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::effect::EffectBody;
use crate::data::handover::{Handover, ListInSight, OpenHandover, WaitingQuestion};
use crate::data::message::Message;
use crate::data::option_set::OptionSet;
use crate::data::pending::PendingClass;
use crate::data::policy::limits;
use crate::turn::{RoutedMessage, Turn};

/// Ends the turn with the effect `turn.handover`. The engine says nothing: the host's answer comes back as its outcome.
pub(crate) fn open(turn: &mut Turn<'_>, said: &RoutedMessage) -> Decision {
    open_saying(turn, said, None)
}

/// Returns a message as its author wrote it, not as a phrase of the installation's own is read.
fn written(turn: &Turn<'_>, said: &RoutedMessage) -> String {
    let whole = turn.get::<Message>(&said.message).map_or("", |message| &message.text);
    let text = if turn.policy.in_known_words(whole) == said.text() { whole } else { said.text() };
    text.into()
}

/// As [`open`], with the words that the engine would have answered.
pub(crate) fn open_saying(turn: &mut Turn<'_>, said: &RoutedMessage, unsaid: Option<String>) -> Decision {
    let task = turn.task_here();
    let hint = ask_loop::hint(turn);
    let prompt = background(turn, hint.as_ref(), said).unwrap_or_else(|| {
        turn.note(Reason::ContextTooLarge);
        Box::default()
    });
    let handover = Handover {
        message: said.message.clone(),
        by: said.by.clone(),
        text: written(turn, said),
        files: turn.posted().map(|posted| posted.files.clone()).unwrap_or_default(),
        task: task.clone(),
        hint,
        prompt: *prompt,
        questions: waiting(turn),
        lists: in_sight(turn, &said.by),
        handoff: turn.trace.selection.as_ref().and_then(|read| read.handoff.clone()),
        unsaid,
        budget_ms: turn.policy.handover_ms(),
    };
    let effect = turn.effect(EffectBody::TurnHandover(Box::new(handover)), &[], None);
    let language = turn.language();
    turn.head.handovers.push(OpenHandover { effect, by: said.by.clone(), task, language });
    if turn.head.handovers.len() > limits::HANDOVERS {
        let oldest = turn.head.handovers.remove(0);
        turn.cancel(&oldest.effect);
    }
    Decision::new(Verdict::HandedOver, Reason::HandedOver)
}

/// Takes back what the host was handed of this person's messages. Returns true if there was something.
pub(crate) fn take_back(turn: &mut Turn<'_>, by: &str) -> bool {
    let (theirs, others): (Vec<_>, Vec<_>) =
        core::mem::take(&mut turn.head.handovers).into_iter().partition(|open| open.by == by);
    turn.head.handovers = others;
    theirs.iter().for_each(|open| turn.cancel(&open.effect));
    !theirs.is_empty()
}

fn waiting(turn: &Turn<'_>) -> Vec<WaitingQuestion> {
    let asked = turn.head.pendings.iter().filter(|p| p.kind.class() == PendingClass::Conversational);
    asked
        .filter(|pending| pending.is_alive(turn.now()))
        .map(|pending| WaitingQuestion {
            id: pending.id.clone(),
            text: turn.question_of(pending),
            expected: pending.expected.clone(),
            asked_of: pending.asked_of.clone(),
        })
        .collect()
}

/// The ids of a list's options in the order in which the person sees them numbered.
fn numbered(set: &OptionSet, user: &str) -> Vec<String> {
    let id = |at: &u8| set.options.get(usize::from(*at)).map(|one| one.id.clone());
    match set.newest(user) {
        Some(shown) => shown.order.iter().filter_map(id).collect(),
        None => set.options.iter().map(|one| one.id.clone()).collect(),
    }
}

/// The lists in a person's view, with the options that the text resembles where it was read against them.
fn in_sight(turn: &Turn<'_>, user: &str) -> Vec<ListInSight> {
    if !turn.has_lists() {
        return Vec::new();
    }
    let view = turn.view(user);
    let read = turn.trace.selection.as_ref();
    let sets = turn.all::<OptionSet>().filter(|set| view.standing(&set.id).is_some());
    sets.map(|set| {
        let of_it = read.filter(|read| read.set.as_ref() == Some(&set.id));
        ListInSight {
            id: set.id.clone(),
            options: numbered(set, user),
            numbers_from: set.newest(user).map_or(1, |showing| showing.numbers_from),
            candidates: of_it.map(|read| read.hints.clone()).unwrap_or_default(),
        }
    })
    .collect()
}
