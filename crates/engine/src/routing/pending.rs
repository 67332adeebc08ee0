//! Rung 6: a message that answers what waits (`docs/design/0014-pending-questions.md`).

use alloc::borrow::Cow;
use alloc::rc::Rc;

use crate::data::card::Card;
use crate::data::decision::{Applied, Decision, Reason, Verdict};
use crate::data::message::MessageKind;
use crate::data::pending::{AnsweredPending, PendingKind, PendingState, Slot};
use crate::data::policy::hosting::BuiltIn;
use crate::data::shown_at::ShownAt;
use crate::data::task::Task;
use crate::data::trace::Predicate;
use crate::decision_records::edit_words;
use crate::intent::delegation::delegation;
use crate::messages;
use crate::pending_match::PendingMatch;
use crate::routing::beside;
use crate::routing::card_words;
use crate::routing::event::files_shown;
use crate::routing::gate::{is_gate_newer, newer_gate_takes, words_of_the_gate};
use crate::routing::review::is_newer;
use crate::routing::{judge, mode_words, press};
use crate::selection::control;
use crate::selection::newest::{
    left_since, newer_list_names, newer_list_resembles, newer_list_takes, positions_since, shown_since,
};
use crate::selection::parse::core_words;
use crate::tickets::{after_receipt, gaps, preview_words};
use crate::turn::routed_message::RungResult::{Decided, Passed};
use crate::turn::routed_message::{RungResult, focus};
use crate::turn::routed_message::{context, text_of};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::{self as language, Expected, Match, Strength, Value, Words, normal};
use throughline_messages as say;

pub(crate) fn conversational_pending(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> RungResult {
    let mode = if turn.hosting.is_fallback() { None } else { mode_words::heard(turn, said) };
    if let Some(decision) = mode {
        return Decided(decision);
    }
    if let Some(decision) = files_shown(turn, said) {
        return Decided(decision);
    }
    let after = if turn.hosting.has(BuiltIn::Tickets) { after_receipt::heard(turn, said) } else { None };
    let about = after.or_else(|| card_words::heard(turn, said)).or_else(|| preview_words::heard(turn, said));
    if let Some(decision) = about {
        return Decided(decision);
    }
    let field = field_of_preview(turn, said).or_else(|| field_of_proposal(turn, said));
    if let Some(decision) = field.or_else(|| answer_to_question(turn, said)) {
        return Decided(decision);
    }
    // An answer may leave a rest of the message, which is routed instead.
    let said = turn.said.clone().unwrap_or_else(|| Rc::clone(said));
    if let Some(decision) = words_of_the_gate(turn, &said) {
        return Decided(decision);
    }
    if let Some(decision) = approval_by_text(turn, &said) {
        return Decided(decision);
    }
    Passed(turn.trace.also.last().map_or(Predicate::NothingWaits, |reason| Predicate::Left(*reason)))
}

/// Changes the field of a preview that the message names with a value, unless it answers what was shown after that preview.
fn field_of_preview(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let named = preview_words::named_field(turn, said)?;
    let newer = answers_since(turn, said, &named.card, named.points());
    if newer { None } else { preview_words::change_field(turn, named, said) }
}

/// Changes the fields of a proposed decision that the message names, unless it answers what was shown after that proposal.
fn field_of_proposal(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let named = edit_words::named_fields(turn, said)?;
    let newer = answers_since(turn, said, &named.card, true);
    if newer { None } else { edit_words::change(turn, named) }
}

/// True if the message may answer what was shown after a card: a gate, or a list. One that only points at what it means may be about
/// any newer gate.
fn answers_since(turn: &Turn<'_>, said: &RoutedMessage, card: &Card, points: bool) -> bool {
    let shown = ShownAt::by_message(&card.message, card.created_at);
    let newer = newer_gate_takes(turn, said, &shown)
        || points && is_gate_newer(turn, said, &shown)
        || newer_list_takes(turn, said, &shown)
        || newer_list_resembles(turn, said, &shown);
    newer && !focus(turn).replies()
}

/// Lets the open question take the message, be left open, or be cleared by it. A lapsed question that is
/// replied to comes back for this message alone, and a correction of the last answer leaves both untouched.
fn answer_to_question(turn: &mut Turn<'_>, said: &Rc<RoutedMessage>) -> Option<Decision> {
    let correction =
        correction(turn, said).filter(|corrected| !answers_newer(turn, said, &corrected.pending));
    if let Some(corrected) = correction.as_ref().filter(|corrected| corrected.said_wrong) {
        return take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    }
    let lapsed = revive(turn);
    let revived = lapsed.is_some();
    let Some(pending) = lapsed.or_else(|| turn.conversational().cloned()) else {
        let corrected = correction?;
        return take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected);
    };
    if !revived && (said.since < pending.created_at || left_since(turn, said.since)) {
        turn.note(Reason::PendingUnseen);
        return None;
    }
    // What a text of ours may be about, our own question does not say.
    let own = pending.expected == Some(Expected::Text) && !matches!(pending.kind.slot(), Some(Slot::Host));
    let asked = if own { "" } else { text_of(turn, &pending.anchor) };
    let mut context = context(turn).to(asked);
    context.focused = focus(turn).anchor_id().is_none_or(|anchor| *anchor == pending.anchor);
    let matched = pending.match_message(&said.words, &said.by, focus(turn), turn.now(), &context);
    let matched = match matched {
        PendingMatch::Mismatch(_) if skips(&pending, said) => PendingMatch::Applies(as_text(said)),
        matched => matched,
    };
    let judged = match &matched {
        PendingMatch::Mismatch(unread) if correction.is_none() => {
            judge::answer(turn, said, &pending, unread, &context)
        }
        _ => None,
    };
    let matched = judged.as_ref().map_or(matched, |judged| PendingMatch::Applies(judged.found.clone()));
    let meaning = match &matched {
        _ if revived || pending.expected != Some(Expected::Text) => None,
        PendingMatch::Applies(_) => beside::meaning(turn, said, &pending),
        PendingMatch::Mismatch(reason) if correction.is_none() => Some(*reason),
        _ => None,
    };
    if let Some(meaning) = meaning {
        if !focus(turn).replies() && newer_takes(turn, said, &pending) {
            turn.note(Reason::PendingNewer);
            return None;
        }
        return beside::keep(turn, said, &pending, meaning);
    }
    match matched {
        PendingMatch::Applies(found)
            if hands_over(turn, said, &pending) || control::chooses_not(&said.words, &found) =>
        {
            lapses(turn, revived);
            return None;
        }
        PendingMatch::Applies(found)
            if !focus(turn).replies()
                && (curt(turn, said, &pending)
                    || newer_takes(turn, said, &pending)
                    || newer_list_may_take(turn, said, &pending, &found)
                    || counts_newer(turn, said, &pending, &found)) =>
        {
            turn.note(Reason::PendingNewer);
            return None;
        }
        PendingMatch::Applies(found) => {
            settle_question(turn, &pending);
            if found.strength == Strength::Weak {
                turn.trace.rule = Some(Cow::Borrowed("boolean.weak"));
            }
            if let Some(judged) = judged {
                judged.note(turn);
            }
            return take(turn, said, &pending, &found, Reason::PendingApplied);
        }
        PendingMatch::Expired => {
            settle_question(turn, &pending);
            turn.note(Reason::PendingExpired);
        }
        PendingMatch::Unfit(_) if correction.is_some() => {}
        PendingMatch::Unfit(found) => {
            if !focus(turn).replies() && newer_takes(turn, said, &pending) {
                turn.note(Reason::PendingNewer);
                return None;
            }
            return Some(asked_again(turn, &pending, &found));
        }
        PendingMatch::OtherAnchor => turn.note(Reason::PendingOtherAnchor),
        PendingMatch::OtherPerson => turn.note(Reason::PendingOtherPerson),
        PendingMatch::Mismatch(_) if correction.is_some() => {}
        PendingMatch::Mismatch(_) => {
            lapses(turn, revived);
        }
    }
    let corrected = correction?;
    take(turn, said, &corrected.pending, &corrected.found, Reason::PendingCorrected)
}

/// Tells that a number is no whole one, and names the question, which stays open.
fn asked_again(turn: &mut Turn<'_>, pending: &PendingState, found: &Match) -> Decision {
    let question = turn.question_of(pending);
    let text = say::pending_whole_number(turn.language(), question, found.value.text());
    turn.say(MessageKind::Notification, pending.task.as_ref(), &text);
    Decision::new(Verdict::Asked, Reason::PendingUnfit)
}

/// True if the message leaves the field open that the question asks for, or takes a short answer that the question offers.
fn skips(pending: &PendingState, said: &RoutedMessage) -> bool {
    match &pending.kind {
        PendingKind::WaitingStoryEdit { .. } => messages::is_label(say::offer_skip, said.text()),
        PendingKind::SlotRequest(Slot::Draft { part, .. }) => gaps::are_left_open(said.text(), *part),
        _ => false,
    }
}

fn as_text(said: &RoutedMessage) -> Match {
    let text = said.text().trim();
    Match {
        value: Value::Text(text.into()),
        strength: Strength::Firm,
        span: 0..said.text().len(),
        remainder: None,
    }
}

/// Sets the open question aside, because the message does not answer it. One that a reply called back lapsed already: the
/// open one beside it may be somebody else's.
fn lapses(turn: &mut Turn<'_>, revived: bool) {
    if !revived && let Some(pending) = turn.take_conversational() {
        turn.set_question_aside(pending.clone());
        turn.capabilities.asking(&pending).left(turn, &pending);
    }
    turn.note(Reason::PendingMismatch);
}

/// The moment at which a question was asked.
fn shown(pending: &PendingState) -> ShownAt {
    ShownAt::by_message(&pending.anchor, pending.created_at)
}

/// The most words, without politeness, of a text that is sooner an answer to what is newest than free text for an older question.
const CURT: usize = 3;

/// True if the message is free text for a question, so curt that it answers what was shown since.
fn curt(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    pending.expected == Some(Expected::Text)
        && core_words(&said.words) <= CURT
        && shown_since(turn, &turn.view(&said.by), &shown(pending))
}

/// True if the message also answers a list, a gate or a review that was shown to its writer later.
fn newer_takes(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    let shown = shown(pending);
    newer_gate_takes(turn, said, &shown)
        || newer_list_takes(turn, said, &shown)
        || pending.expected == Some(Expected::Text) && is_newer(turn, &shown)
}

/// True if the message may choose from a list that was shown later, though not in words that choose there at once: it answers with
/// the name of one of its options, or with words that only resemble it.
fn newer_list_may_take(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState, found: &Match) -> bool {
    let shown = shown(pending);
    match &found.value {
        Value::Selection(label) if spells(found, &said.words) => newer_list_names(turn, said, &shown, label),
        _ => !spells(found, &said.words) && newer_list_resembles(turn, said, &shown),
    }
}

/// True if the message chooses by a bare position, and something else with positions was shown since.
fn counts_newer(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState, found: &Match) -> bool {
    let Value::Selection(label) = &found.value else { return false };
    let shorter = normal::compact(label, false);
    !spells(found, &said.words)
        && !named(&shorter, &said.words)
        && positions_since(turn, &said.by, &shown(pending))
}

/// True if the message has the choice that it answers word for word, or answers no question of choices or text.
fn spells(found: &Match, words: &Words) -> bool {
    match &found.value {
        Value::Selection(label) => {
            normal::compact(words.text(), false).contains(&normal::compact(label, false))
        }
        Value::Text(_) => false,
        _ => true,
    }
}

/// True if a word of the message is a word of the label.
fn named(label: &str, words: &Words) -> bool {
    words.all().iter().any(|word| words.folded(word).len() > 2 && label.contains(words.folded(word)))
}

/// True if the message would correct an answer, but also chooses from a list that was shown after that answer.
fn answers_newer(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    let lifetime = pending.kind.lifetime(turn.policy);
    let answered = pending.expires_at.zip(lifetime).map(|(end, lifetime)| end.plus(-lifetime));
    answered.is_some_and(|at| newer_list_takes(turn, said, &ShownAt::in_turn(0, at)))
}

/// True if the message hands the task over to a sub-agent or a tool, so that it is no text or choice that was asked for:
/// "delegate that to writer".
fn hands_over(turn: &Turn<'_>, said: &RoutedMessage, pending: &PendingState) -> bool {
    matches!(pending.expected, Some(Expected::Text | Expected::Selection(_)))
        && delegation(&said.words, turn.policy).is_some()
}

/// Applies an answer or a correction. If the message says more, that rest is routed as a message of its
/// own: `None`.
fn take(
    turn: &mut Turn<'_>,
    said: &Rc<RoutedMessage>,
    pending: &PendingState,
    found: &Match,
    reason: Reason,
) -> Option<Decision> {
    turn.applied = Some(Applied { pending: pending.id.clone(), value: found.value.clone() });
    if let Some(task) = &pending.task {
        turn.belongs_to(task);
    }
    keep_answer(turn, pending, &found.value, &said.by);
    turn.capabilities.asking(pending).answered(
        turn,
        pending,
        &found.value,
        reason == Reason::PendingCorrected,
    );
    let Some(rest) = &found.remainder else {
        return Some(Decision::new(Verdict::Done, reason));
    };
    turn.note(match reason {
        Reason::PendingApplied => Reason::PendingAppliedWithRemainder,
        other => other,
    });
    turn.another_task();
    let words = Words::new(rest, turn.languages());
    turn.route(said.saying(words));
    None
}

/// Remembers the last answer to a question for a value, so that it can be corrected.
fn keep_answer(turn: &mut Turn<'_>, pending: &PendingState, value: &Value, by: &str) {
    if pending.kind.slot().is_none_or(|slot| matches!(slot, Slot::Agent | Slot::Facts { .. })) {
        return;
    }
    let expires_at = pending.kind.lifetime(turn.policy).map(|age| turn.now().plus(age));
    turn.head.answered = Some(AnsweredPending {
        pending: PendingState { expires_at, ..pending.clone() },
        value: Some(value.clone()).filter(|value| matches!(value, Value::Selection(_))),
        by: by.into(),
    });
}

/// A question that was answered, with the value that this message replaces the answer by.
struct Corrected {
    pending: PendingState,
    found: Match,
    said_wrong: bool,
}

/// Reads a correction such as "Actually make it 5", from the person who answered, while the task still
/// runs.
fn correction(turn: &Turn<'_>, said: &RoutedMessage) -> Option<Corrected> {
    let AnsweredPending { pending, by, .. } = turn.head.answered.as_ref()?;
    let over = |task: Task| !task.status.is_live();
    let focus = focus(turn);
    if *by != said.by
        || !pending.is_alive(turn.now())
        || (focus.replies() && focus.anchor_id() != Some(&pending.anchor))
        || pending.task.as_ref().and_then(|task| turn.get::<Task>(task).cloned()).is_some_and(over)
        || !correctable(turn, pending)
    {
        return None;
    }
    let frame = language::correction(&said.words)?;
    let expected = pending.expected.as_ref()?;
    if *expected == Expected::Text && !frame.said_wrong {
        return None;
    }
    let context = context(turn).to(text_of(turn, &pending.anchor));
    let found = frame.read(expected, &context)?;
    if turn.head.answered.as_ref().and_then(|answered| answered.value.as_ref()) == Some(&found.value) {
        return None;
    }
    Some(Corrected { pending: pending.clone(), found, said_wrong: frame.said_wrong })
}

/// True if what the answer went into can still be changed. A host decides that of its own questions.
fn correctable(turn: &Turn<'_>, pending: &PendingState) -> bool {
    matches!(pending.kind.slot(), Some(Slot::Host))
        || turn.capabilities.asking(pending).correctable(turn, pending)
}

/// Clears a question, open or lapsed.
fn settle_question(turn: &mut Turn<'_>, pending: &PendingState) {
    for questions in [&mut turn.head.pendings, &mut turn.head.lapsed] {
        questions.retain(|known| known.id != pending.id);
    }
}

/// Returns the lapsed question whose anchor the message replies to, unless it has expired.
fn revive(turn: &mut Turn<'_>) -> Option<PendingState> {
    let anchor = focus(turn).anchor_id().filter(|_| focus(turn).replies())?;
    let asked = |lapsed: &&PendingState| lapsed.anchor == *anchor && lapsed.is_alive(turn.now());
    let lapsed = turn.head.lapsed.iter().find(asked)?.clone();
    turn.note(Reason::PendingRevived);
    Some(lapsed)
}

/// Answers an affirmation of an approval in focus with how to approve it: text never approves
/// (`docs/design/0032-approvals.md`).
fn approval_by_text(turn: &mut Turn<'_>, said: &RoutedMessage) -> Option<Decision> {
    let waits = |card: &&Card| card.is_open() && card.is_approval() && turn.head.cards.contains(&card.id);
    let in_focus = focus(turn).anchor_id().and_then(|anchor| turn.card_shown_by(anchor)).filter(waits);
    let affirms = || {
        language::affirms(&said.words)
            || language::read(&Expected::Boolean, &said.words, &context(turn))
                .is_ok_and(|found| found.value == Value::Boolean(true))
    };
    // The words of an approval name the card that waits for one, wherever it stands; a mere yes only the one in focus.
    let approves = !focus(turn).replies() && said.approves();
    let named = || turn.open_cards().rev().find(waits).filter(|_| approves);
    let in_focus = in_focus.filter(|_| affirms()).or_else(named)?;
    let (task, told) = (turn.task_of(in_focus), press::instead_of_text(turn, in_focus));
    task.iter().for_each(|task| turn.belongs_to(task));
    turn.say(MessageKind::Notification, task.as_ref(), &told);
    Some(Decision::new(Verdict::Answered, Reason::ApprovalNotByText))
}
