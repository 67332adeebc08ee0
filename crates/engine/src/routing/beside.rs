//! Meanings that a message may have beside an answer. A question for words takes any text, so each message passes this
//! table before such a question may take it (`docs/design/0052-what-a-text-question-leaves.md`).
//!
//! The reader of texts refuses what its words alone show: requests for tickets, reviews and decisions, commands in words,
//! questions, thanks, refusals. This table has what depends on the lane or on policy.

use alloc::borrow::Cow;

use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::EventKind;
use crate::data::id::PendingId;
use crate::data::message::MessageKind;
use crate::data::pending::{PendingClass, PendingKind, PendingState, Slot};
use crate::data::shown_at::ShownAt;
use crate::data::ticket::Part;
use crate::data::time::Timestamp;
use crate::facts::rules as facts;
use crate::intent::delegation::{delegation, handed_to};
use crate::messages;
use crate::selection::newest::chooses_in_words;
use crate::tickets::preview_words;
use crate::turn::routed_message::context;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::is_small_talk;
use throughline_language::words::Gap;
use throughline_language::{self as language, Expected, Value};
use throughline_messages as say;

/// A bare yes, which answers no question for words.
const YES: &str = "beside.yes";

/// A meaning, by its name in the trace.
struct Meaning {
    name: &'static str,
    has: fn(&Turn<'_>, &RoutedMessage, &PendingState) -> bool,
}

/// In the order in which they are tried.
const MEANINGS: [Meaning; 8] = [
    Meaning { name: "beside.delegation", has: delegates },
    Meaning { name: "beside.remember", has: |_, said, _| facts::asked(&said.words).is_some() },
    Meaning { name: "beside.change", has: |_, said, _| preview_words::changes_an_issue(said.text()) },
    Meaning { name: "beside.choice", has: chooses },
    Meaning { name: "beside.approval", has: approves },
    Meaning { name: "beside.question", has: asks },
    Meaning { name: "beside.small_talk", has: chats },
    Meaning { name: YES, has: says_yes },
];

/// Returns the meaning by which a message is no answer to a question for words.
pub(crate) fn meaning(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> Option<&'static str> {
    MEANINGS.iter().find(|meaning| (meaning.has)(turn, said, pending)).map(|meaning| meaning.name)
}

/// Work is handed to a sub-agent or a tool, or to somebody whom policy does not configure.
fn delegates(turn: &Turn<'_>, said: &RoutedMessage, _: &PendingState) -> bool {
    delegation(&said.words, turn.policy).is_some() || handed_to(&said.words).is_some()
}

/// A list in sight is chosen from, by a position or with a verb: an option's bare name may answer the question.
fn chooses(turn: &Turn<'_>, said: &RoutedMessage, _: &PendingState) -> bool {
    chooses_in_words(turn, said, &ShownAt::in_turn(0, Timestamp(0)))
}

/// The words of an approval, while something waits for one, or words that can be nothing else.
fn approves(turn: &Turn<'_>, said: &RoutedMessage, _: &PendingState) -> bool {
    let waits = || turn.open_cards().any(|card| card.is_approval());
    said.approves() && (waits() || language::urges_approval(&said.words))
}

/// A question and nothing else, where a field of ours takes no question. A host may have been proposed something.
fn asks(_: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    let takes_questions = match (pending.kind.part(), &pending.kind) {
        (Some(part), _) => matches!(part, Part::Title | Part::Questions),
        (None, PendingKind::SlotRequest(Slot::Proposal { .. }) | PendingKind::WaitingDecisionEdit { .. }) => {
            false
        }
        _ => true,
    };
    let all = said.words.all();
    let ends = all.iter().filter(|word| word.after >= Gap::Hard).count();
    !takes_questions && ends == 1 && all.last().is_some_and(|word| word.after == Gap::Question)
}

/// Small talk, which no field of ours takes.
fn chats(_: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    !matches!(pending.kind.slot(), Some(Slot::Host)) && is_small_talk(&said.words)
}

/// A bare yes, which is no text for any field of ours. A host may have proposed something.
fn says_yes(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    !matches!(pending.kind.slot(), Some(Slot::Host))
        && language::read(&Expected::Boolean, &said.words, &context(turn))
            .is_ok_and(|found| found.value == Value::Boolean(true) && found.remainder.is_none())
}

/// Leaves the question open, because the message means something else. What only speaks of the question is answered here;
/// anything else is routed on, and the question is named at the end of the turn.
pub(crate) fn keep(
    turn: &mut Turn<'_>,
    said: &RoutedMessage,
    pending: &PendingState,
    meaning: &'static str,
) -> Option<Decision> {
    turn.trace.rule = Some(Cow::Borrowed(meaning));
    turn.note(Reason::PendingKept);
    let speaks = said.beside();
    if speaks.is_none() && meaning != YES {
        turn.kept = Some(pending.id.clone());
        return None;
    }
    let question = turn.question_of(pending);
    turn.say(
        MessageKind::Notification,
        pending.task.as_ref(),
        &messages::question::stands(turn.language(), speaks, &question),
    );
    Some(Decision::new(Verdict::Answered, Reason::PendingStands))
}

/// Names the question that this message left open, or that an older one had left and that is the next again.
pub(crate) fn tell_what_is_open(turn: &mut Turn<'_>) {
    // An erasure says itself what is over.
    if matches!(turn.event.kind, EventKind::Erasure(_)) {
        return;
    }
    let of = |pendings: &[PendingState], id: &PendingId| pendings.iter().find(|p| p.id == *id).cloned();
    if let Some(kept) = turn.kept.take() {
        let Some(pending) = of(&turn.head.pendings, &kept) else { return };
        let next = turn.conversational().is_some_and(|open| open.id == kept);
        let text = messages::question::still_open(turn.language(), &turn.question_of(&pending), next);
        turn.say(MessageKind::Notification, pending.task.as_ref(), &text);
        return;
    }
    let Some(open) = turn.conversational().filter(|open| open.takes_words()).cloned() else { return };
    let before = turn.lane.head.pendings.iter().rposition(|p| p.kind.class() == PendingClass::Conversational);
    let was_aside = before.is_some_and(|at| turn.lane.head.pendings[at].id != open.id)
        && of(&turn.lane.head.pendings, &open.id).is_some()
        && turn.head.pendings.iter().rfind(|p| p.kind.class() == PendingClass::Conversational) == Some(&open);
    if was_aside {
        let text = say::question_back_to(turn.language(), turn.question_of(&open));
        turn.say(MessageKind::Notification, open.task.as_ref(), &text);
    }
}
