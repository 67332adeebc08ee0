//! The comment that a posted decision offers on a related issue: offered on the receipt, and written when a
//! person presses its button (`docs/design/0019-decision-records.md`).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::cards::decide::{consume, may, refuse_step, released_by};
use crate::data::action::Action;
use crate::data::card::{Card, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::CardId;
use crate::data::message::MessageKind;
use crate::data::pending::{PendingKind, Slot};
use crate::data::progress::Progress;
use crate::data::proposal::CommentOffer;
use crate::decision_records::proposal_of;
use crate::decision_records::{card, publish, tracked_issues};
use crate::turn::Turn;
use throughline_language::Expected;
use throughline_messages as say;

/// Offers the comment on a receipt, as a new version of the card that expires like an open approval. With
/// one issue the offer carries the hash of the text that would be written there; with several it carries
/// none.
pub(super) fn offer(turn: &mut Turn<'_>, mut card: Card, issues: Vec<String>, failed: Option<String>) {
    let hash = match (issues.as_slice(), proposal_of(turn, &card)) {
        ([issue], Some(proposal)) => card::comment_request(turn, &card, &proposal, issue).payload_sha256(),
        _ => String::new(),
    };
    let lifetime = PendingKind::WaitingApproval { card: card.id.clone() }.lifetime(turn.policy);
    card.expires_at = lifetime.map(|age| turn.now().plus(age));
    card.version += 1;
    if let CardSubject::DecisionPreview { comment, .. } = &mut card.about {
        *comment = CommentOffer::Offered { issues, failed, hash };
    }
    turn.update(card);
}

/// Handles a press of *Comment on the issue*. The access check has passed for at least one of the issues.
/// If the presser may comment on several, asks for one of them.
pub(super) fn pressed(turn: &mut Turn<'_>, card: Card) -> Decision {
    let CardSubject::DecisionPreview { comment: CommentOffer::Offered { issues, hash, .. }, .. } =
        &card.about
    else {
        return refuse_step(turn);
    };
    if let ([issue], false) = (issues.as_slice(), hash.is_empty()) {
        let (issue, hash) = (issue.clone(), hash.clone());
        return make(turn, card, issue, &hash);
    }
    let requests = card::requests(turn, &card);
    let mine = issues.iter().zip(&requests).filter(|(_, request)| may(turn, request, Action::Comment));
    let options: Vec<String> = mine.map(|(issue, _)| issue.clone()).collect();
    if let [only] = options.as_slice() {
        chosen(turn, &card.id, only);
        return Decision::new(Verdict::Done, Reason::PressApplied);
    }
    let task = proposal_of(turn, &card).map(|proposal| proposal.task);
    let asked = turn.say(
        MessageKind::Question,
        task.as_ref(),
        &say::decision_which_issue(turn.language(), options.join(", ")),
    );
    let kind = PendingKind::ClarificationNeeded(Slot::Issue { card: card.id.clone() });
    let (expected, actor) = (Expected::Selection(options), turn.event.actor.clone());
    turn.open_pending(kind, Some(expected), &asked, task.as_ref(), Some(&actor), None);
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Sends the comment. The press is an approval of its own, bound to the issue, the version and the hash
/// that were shown; it is opened and consumed in one commit, because nobody else has to approve.
fn make(turn: &mut Turn<'_>, mut card: Card, issue: String, shown: &str) -> Decision {
    let Some(proposal) = proposal_of(turn, &card) else { return refuse_step(turn) };
    if card::comment_request(turn, &card, &proposal, &issue).payload_sha256() != shown {
        return changed(turn, card, issue);
    }
    turn.open_approval(&card);
    let (by, at) = (turn.presser(), turn.now());
    consume(turn, &card, Action::Comment, by.clone());
    let body = publish::comment(turn, &card, &proposal, &issue);
    let target = Some(publish::place(turn, &card, &issue))
        .filter(|target| *target != tracked_issues::by_key(turn, &issue));
    let effect = turn.effect(body, &[], Some(released_by(&card)));
    card.expires_at = None;
    if let CardSubject::DecisionPreview { comment, .. } = &mut card.about {
        *comment = CommentOffer::Pressed { issue, by, at, result: Progress::Sending { effect }, target };
    }
    turn.update(card);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Refuses a comment that is not the one that was offered. The project of an issue that the thread no longer tracks may
/// be another one now, so the comment is offered anew as it would be written now. Anything else was altered.
fn changed(turn: &mut Turn<'_>, card: Card, issue: String) -> Decision {
    if tracked_issues::of(turn, core::slice::from_ref(&issue)).is_empty() {
        offer(turn, card, vec![issue], None);
        turn.tell(&say::press_stale(turn.language()));
        return Decision::new(Verdict::Refused, Reason::StaleStep);
    }
    turn.tell(&say::approval_tampered(turn.language()));
    Decision::new(Verdict::Refused, Reason::PressTampered)
}

/// Takes the answer to "which issue?". An answer in words approves nothing: the card now offers that one
/// issue, and the button has to be pressed again.
pub(crate) fn chosen(turn: &mut Turn<'_>, card: &CardId, issue: &str) {
    let Some(card) = turn.get::<Card>(card).cloned() else { return };
    if !matches!(&card.about, CardSubject::DecisionPreview { comment: CommentOffer::Offered { .. }, .. }) {
        return turn.tell(&say::press_stale(turn.language()));
    }
    let task = proposal_of(turn, &card).map(|proposal| proposal.task);
    offer(turn, card, vec![issue.into()], None);
    turn.say(
        MessageKind::Answer,
        task.as_ref(),
        &say::decision_press_comment(turn.language(), issue, Action::Comment.label(turn.language())),
    );
}
