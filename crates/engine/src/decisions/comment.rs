//! The comment on the issue a decision is about: a second button, pressed or not (`spec 03 §5`).

use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use serde_json::json;

use super::{Comment, Outgoing, Proposal, sent, tracked};
use crate::approval::ApprovalChange;
use crate::canon::{hex, jcs, sha256};
use crate::decision::{Decision, Reason, Verdict};
use crate::id::CardId;
use crate::lane::MessageKind;
use crate::pending::{PendingKind, Slot};
use crate::recognize::Expected;
use crate::say::{self, decision as words};
use crate::turn::{AskedFor, Turn};
use crate::workflow::press::{may, refuse_step, released_by};
use crate::workflow::{About, Action, Card, Progress};

/// Offers the comment on a receipt: a version of its own, and of a single issue the hash of what would be written there,
/// as long as an approval is open.
pub(super) fn offer(turn: &mut Turn<'_>, mut card: Card, issues: Vec<String>, failed: Option<String>) {
    let hash = match (issues.as_slice(), turn.proposal_of(&card)) {
        ([issue], Some(proposal)) => hex(&sha256(&[asked_for(turn, &proposal, issue).payload.as_bytes()])),
        _ => String::new(),
    };
    let lifetime = PendingKind::WaitingApproval { card: card.id.clone() }.lifetime(turn.policy);
    card.expires_at = lifetime.map(|age| turn.now().plus(age));
    card.version += 1;
    if let About::DecisionPreview { comment, .. } = &mut card.about {
        *comment = Comment::Offered { issues, failed, hash };
    }
    turn.update(card);
}

/// What the comment on an issue would be.
pub(super) fn asked_for(turn: &Turn<'_>, proposal: &Proposal, key: &str) -> AskedFor {
    let (target, text) = (tracked::target(turn, key).to_string(), proposal.comment());
    let payload = json!({ "kind": "tracker.comment", "target": target, "key": key, "text": text });
    AskedFor {
        kind: "tracker.comment",
        class: "tracker.update",
        target,
        payload: jcs(&payload),
        quantity: 1,
        chars: text.chars().count(),
        by: proposal.by.clone(),
        source: proposal.source.clone(),
    }
}

/// The issues a receipt offers to comment on, each with what would be released.
pub(crate) fn choices(turn: &Turn<'_>, card: &Card) -> Vec<(String, AskedFor)> {
    let About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } = &card.about else {
        return Vec::new();
    };
    let Some(proposal) = turn.proposal_of(card) else { return Vec::new() };
    issues.iter().map(|issue| (issue.clone(), asked_for(turn, &proposal, issue))).collect()
}

/// *Comment on the issue* was pressed by somebody who may comment on one of them. Of several, which one is asked first.
pub(super) fn pressed(turn: &mut Turn<'_>, card: Card) -> Decision {
    let About::DecisionPreview { comment: Comment::Offered { issues, hash, .. }, .. } = &card.about else {
        return refuse_step(turn);
    };
    if let ([issue], false) = (issues.as_slice(), hash.is_empty()) {
        let (issue, hash) = (issue.clone(), hash.clone());
        return make(turn, card, issue, &hash);
    }
    let mine = choices(turn, &card).into_iter().filter(|(_, asked)| may(turn, asked, Action::Comment));
    let options: Vec<String> = mine.map(|(issue, _)| issue).collect();
    if let [only] = options.as_slice() {
        chosen(turn, &card.id, only);
        return Decision::new(Verdict::Done, Reason::PressApplied);
    }
    let task = turn.proposal_of(&card).map(|proposal| proposal.task);
    let asked = turn.say(MessageKind::Question, task.as_ref(), &words::which_issue(&options));
    let kind = PendingKind::ClarificationNeeded(Slot::Issue { card: card.id.clone() });
    let (expected, actor) = (Expected::Selection(options), turn.event.actor.clone());
    turn.open_pending(kind, Some(expected), &asked, task.as_ref(), Some(&actor), None);
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// The press is an approval of its own, of the words, the issue and the version that were shown: opened and consumed in
/// one commit, since nobody is waited for.
fn make(turn: &mut Turn<'_>, mut card: Card, issue: String, shown: &str) -> Decision {
    let Some(proposal) = turn.proposal_of(&card) else { return refuse_step(turn) };
    let payload = asked_for(turn, &proposal, &issue).payload;
    if hex(&sha256(&[payload.as_bytes()])) != shown {
        turn.tell(say::TAMPERED);
        return Decision::new(Verdict::Refused, Reason::PressTampered);
    }
    turn.open_approval(&card);
    let (by, at, action) = (turn.presser(), turn.now(), Action::Comment);
    let (id, version) = (card.id.clone(), card.version);
    turn.approval(ApprovalChange::Decide { card: id, version, action, by: by.clone(), at });
    let what = Outgoing::Comment(issue.clone());
    let effect = sent::send(turn, &proposal, &what, &card.id, released_by(&card));
    card.expires_at = None;
    if let About::DecisionPreview { comment, .. } = &mut card.about {
        *comment = Comment::Pressed { issue, by, at, result: Progress::Sending { effect } };
    }
    turn.update(card);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Which of several issues was answered. Words approve nothing: the button now offers that one.
pub(crate) fn chosen(turn: &mut Turn<'_>, card: &CardId, issue: &str) {
    let Some(card) = turn.card(card) else { return };
    if !matches!(&card.about, About::DecisionPreview { comment: Comment::Offered { .. }, .. }) {
        return turn.tell(say::STALE_STEP);
    }
    let task = turn.proposal_of(&card).map(|proposal| proposal.task);
    offer(turn, card, vec![issue.into()], None);
    turn.say(MessageKind::Answer, task.as_ref(), &words::press_comment(issue));
}
