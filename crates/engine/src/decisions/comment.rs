//! The comment on the issue a decision is about: a second button, pressed or not (`spec 03 §5`).

use alloc::string::String;

use super::{Comment, Outgoing, sent};
use crate::approval::ApprovalChange;
use crate::decision::{Decision, Reason, Verdict};
use crate::id::CardId;
use crate::lane::MessageKind;
use crate::pending::{PendingKind, Slot};
use crate::recognize::Expected;
use crate::say::decision as words;
use crate::turn::Turn;
use crate::workflow::press::{refuse_step, released_by};
use crate::workflow::{About, Action, Card, Progress};

/// *Comment on the issue* was pressed by somebody who may. Of several issues, which one is asked first.
pub(super) fn pressed(turn: &mut Turn<'_>, card: Card) -> Decision {
    let About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } = &card.about else {
        return refuse_step(turn);
    };
    match issues.as_slice() {
        [issue] => {
            let issue = issue.clone();
            make(turn, card, issue);
            Decision::new(Verdict::Done, Reason::PressApplied)
        }
        several => {
            let options = several.to_vec();
            let task = turn.proposal_of(&card).map(|proposal| proposal.task);
            let asked = turn.say(MessageKind::Question, task.as_ref(), &words::which_issue(&options));
            let kind = PendingKind::ClarificationNeeded(Slot::Issue { card: card.id.clone() });
            let (expected, actor) = (Expected::Selection(options), turn.event.actor.clone());
            turn.open_pending(kind, Some(expected), &asked, task.as_ref(), Some(&actor), None);
            Decision::new(Verdict::Asked, Reason::PressApplied)
        }
    }
}

/// The press is an approval of its own, of the exact words on that issue: opened and consumed in one commit, since
/// nobody is waited for. The receipt's version goes up with it, so the approval of the post stays as it was.
fn make(turn: &mut Turn<'_>, card: Card, issue: String) {
    let Some(proposal) = turn.proposal_of(&card) else { return };
    let mut card = Card { version: card.version + 1, expires_at: None, ..card };
    turn.open_approval(&card);
    let (by, at, action) = (turn.presser(), turn.now(), Action::Comment);
    let (id, version) = (card.id.clone(), card.version);
    turn.approval(ApprovalChange::Decide { card: id, version, action, by: by.clone(), at });
    let what = Outgoing::Comment(issue.clone());
    let effect = sent::send(turn, &proposal, &what, &card.id, released_by(&card));
    if let About::DecisionPreview { comment, .. } = &mut card.about {
        *comment = Comment::Pressed { issue, by, at, result: Progress::Sending { effect } };
    }
    turn.update(card);
}

/// Which of several issues was answered. Words approve nothing: the button now offers that one.
pub(crate) fn chosen(turn: &mut Turn<'_>, card: &CardId, issue: &str) {
    let Some(mut card) = turn.card(card) else { return };
    let About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } = &mut card.about else {
        return turn.tell(crate::say::STALE_STEP);
    };
    *issues = alloc::vec![issue.into()];
    card.version += 1;
    let task = turn.proposal_of(&card).map(|proposal| proposal.task);
    turn.update(card);
    turn.say(MessageKind::Answer, task.as_ref(), &words::press_comment(issue));
}
