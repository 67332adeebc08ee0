//! Sends the post and the comments of a decision, reports their outcome on the receipt, and asks a person
//! where the outcome is uncertain (`docs/design/0031-effects-and-retries.md`).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::cards::decide::{close, decide, following, released_by};
use crate::data::action::Action;
use crate::data::approval::CloseReason;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::Reason;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::effect::{EffectBody, IssueChange};
use crate::data::id::{CardId, EffectId, ProposalId};
use crate::data::progress::Progress;
use crate::data::proposal::{CommentOffer, Proposal, Publication, PublishedPost};
use crate::data::task_status::TaskStatus;
use crate::data::ticket::Target;
use crate::decision_records::proposal_of;
use crate::decision_records::{comment as offers, drafting, tracked_issues};
use crate::memory::fact_intake as memory;
use crate::turn::Turn;

/// Returns the post that a card releases, with all that is known when it is shown. The first time its last line is
/// added when it is sent; sending again repeats the text as sent.
pub(super) fn post(card: &Card, proposal: &Proposal) -> EffectBody {
    let again = match &card.about {
        CardSubject::DecisionUncertain { .. } => proposal.posted.as_ref(),
        _ => None,
    };
    EffectBody::PostChannel {
        to: proposal.to.clone(),
        text: again.map_or_else(|| proposal.text(), |posted| posted.text.clone()),
        signed: again.is_none(),
        language: proposal.language,
        card: card.id.clone(),
    }
}

/// Returns the comment that a card releases.
pub(super) fn comment(turn: &Turn<'_>, card: &Card, proposal: &Proposal, key: &str) -> EffectBody {
    let change = IssueChange::Comment(proposal.comment());
    EffectBody::TrackerUpdate {
        target: place(turn, card, key),
        key: key.into(),
        change,
        by: card.by.clone(),
        card: card.id.clone(),
    }
}

/// Returns the project that a comment of this card goes to: the one it was sent to before, else that of the issue.
pub(super) fn place(turn: &Turn<'_>, card: &Card, key: &str) -> Target {
    card.commented().cloned().unwrap_or_else(|| tracked_issues::target(turn, key))
}

/// Handles *Approve*: sends the post, signed with who decided and when.
pub(super) fn approve(turn: &mut Turn<'_>, card: Card) {
    let Some(mut proposal) = proposal_of(turn, &card) else { return };
    let text = proposal.signed(&turn.presser(), turn.now());
    let effect = turn.effect(post(&card, &proposal), &[], Some(released_by(&card)));
    proposal.posted = Some(PublishedPost { text, url: None });
    turn.put(proposal);
    decide(turn, card, Action::Approve, Progress::Sending { effect });
}

/// Takes the outcome of a post or a comment. Returns [`Reason::EffectSuperseded`] if the card no longer
/// waits for this effect.
pub(crate) fn settled(turn: &mut Turn<'_>, card: &Card, effect: &EffectId, outcome: &Outcome) -> Reason {
    let Some((what, receipt, standing)) = awaited(turn, card, effect) else {
        return Reason::EffectSuperseded;
    };
    match (standing, outcome) {
        (PublishState::Sent, _) => {}
        // The outcome was uncertain and a person was asked; a late success answers that question, so it is
        // closed.
        (PublishState::AskedAbout(asks), Outcome::Done { .. }) => {
            if let Some(asks) = turn.get::<Card>(&asks).cloned().filter(Card::is_open) {
                close(turn, asks, CardStatus::Withdrawn, CloseReason::Cancelled);
            }
        }
        (PublishState::AskedAbout(_), _) => return Reason::EffectSuperseded,
    }
    let progress = match outcome {
        Outcome::Done { result } => out(result),
        Outcome::Failed { text, .. } => {
            Progress::Failed { text: text.text(turn.language()), errors: vec![], again: None }
        }
        Outcome::Uncertain { .. } => match ask(turn, card, &what, effect, &receipt) {
            Some(card) => Progress::Uncertain { card },
            None => return Reason::EffectSuperseded,
        },
    };
    if receipt != card.id {
        on_card(turn, &card.id, &progress);
        on_following(turn, &receipt, &what, &progress);
    }
    report(turn, &receipt, &what, &progress);
    Reason::EffectSettled
}

enum PublishState {
    Sent,
    AskedAbout(CardId),
}

/// The item that an effect of this card sends, the receipt that reports it, and whether its outcome was
/// already asked about; `None` if the card does not wait for the effect.
fn awaited(turn: &Turn<'_>, card: &Card, effect: &EffectId) -> Option<(Publication, CardId, PublishState)> {
    let standing = |result: &Progress| match result {
        Progress::Sending { effect: sent } if sent == effect => Some(PublishState::Sent),
        Progress::Uncertain { card }
            if turn.get::<Card>(card).and_then(Card::uncertain_effect) == Some(effect) =>
        {
            Some(PublishState::AskedAbout(card.clone()))
        }
        _ => None,
    };
    let decided = match &card.status {
        CardStatus::Decided { result, .. } => standing(result),
        _ => None,
    };
    match &card.about {
        CardSubject::DecisionPreview { comment: CommentOffer::Pressed { issue, result, .. }, .. } => {
            Some((Publication::Comment(issue.clone()), card.id.clone(), standing(result)?))
        }
        CardSubject::DecisionPreview { .. } => Some((Publication::Post, card.id.clone(), decided?)),
        CardSubject::DecisionUncertain { what, parent, .. } => Some((what.clone(), parent.clone(), decided?)),
        _ => None,
    }
}

fn out(result: &EffectResult) -> Progress {
    let url = if let EffectResult::Posted { url } = result { url.clone() } else { None };
    Progress::Posted { url }
}

fn on_card(turn: &mut Turn<'_>, card: &CardId, progress: &Progress) {
    let Some(mut card) = turn.get::<Card>(card).cloned() else { return };
    if let CardStatus::Decided { result, .. } = &mut card.status {
        *result = progress.clone();
        turn.update(card);
    }
}

/// Writes progress to the questions about the same part that were answered with *Create again* before: the newest attempt
/// is theirs too.
fn on_following(turn: &mut Turn<'_>, receipt: &CardId, what: &Publication, progress: &Progress) {
    for asked in following(turn, receipt) {
        if matches!(&asked.about, CardSubject::DecisionUncertain { what: of, .. } if of == what) {
            on_card(turn, &asked.id, progress);
        }
    }
}

/// Writes the outcome on the receipt, and takes the step that follows: a comment is offered, the task ends,
/// or the proposal is shown again.
fn report(turn: &mut Turn<'_>, receipt: &CardId, what: &Publication, progress: &Progress) {
    let Some(mut card) = turn.get::<Card>(receipt).cloned() else { return };
    let CardSubject::DecisionPreview { decision, comment } = &mut card.about else { return };
    let decision = decision.clone();
    let mut offered = None;
    match what {
        Publication::Comment(issue) => match (progress, comment) {
            (Progress::Failed { text, .. }, _) => offered = Some((vec![issue.clone()], Some(text.clone()))),
            (Progress::Cancelled, _) => offered = Some((vec![issue.clone()], None)),
            (now, CommentOffer::Pressed { result, .. }) => *result = now.clone(),
            _ => {}
        },
        Publication::Post => {
            if let (Progress::Posted { url }, Some(proposal)) =
                (progress, turn.get::<Proposal>(&decision).cloned())
            {
                offered = posted(turn, proposal, url.clone()).map(|issues| (issues, None));
            }
            if let CardStatus::Decided { result, .. } = &mut card.status {
                *result = progress.clone();
            }
        }
    }
    match offered {
        Some((issues, failed)) => offers::offer(turn, card, issues, failed),
        None => turn.update(card),
    }
    match progress {
        Progress::Posted { .. } => end(turn, &decision, TaskStatus::Completed),
        Progress::Uncertain { .. } if *what == Publication::Post => end(turn, &decision, TaskStatus::Blocked),
        Progress::Cancelled if *what == Publication::Post => end(turn, &decision, TaskStatus::Cancelled),
        // A consumed approval never becomes pending again, so the proposal is shown anew with a new one.
        Progress::Failed { .. } if *what == Publication::Post => {
            if let Some(proposal) = turn.get::<Proposal>(&decision).cloned() {
                turn.put(Proposal { posted: None, ..proposal });
            }
            drafting::show(turn, &decision);
        }
        _ => {}
    }
}

/// Records that the post was sent: keeps its address and the fact. Returns the related issues that this
/// thread tracks, on which a comment can be offered; `None` if there are none.
fn posted(turn: &mut Turn<'_>, proposal: Proposal, url: Option<String>) -> Option<Vec<String>> {
    let issues = tracked_issues::of(turn, &proposal.issues);
    let posted = proposal.posted.clone().map(|posted| PublishedPost { url, ..posted });
    memory::decided(turn, &proposal);
    turn.put(Proposal { posted, ..proposal });
    Some(issues).filter(|issues| !issues.is_empty())
}

fn end(turn: &mut Turn<'_>, decision: &ProposalId, status: TaskStatus) {
    if let Some(proposal) = turn.get::<Proposal>(decision).cloned() {
        turn.end_task(&proposal.task, status);
    }
}

// ---- uncertain outcomes ----

/// Asks a person whether an item was sent. Nothing is sent again without an answer.
fn ask(
    turn: &mut Turn<'_>,
    card: &Card,
    what: &Publication,
    effect: &EffectId,
    receipt: &CardId,
) -> Option<CardId> {
    let proposal = proposal_of(turn, card)?;
    let about = CardSubject::DecisionUncertain {
        decision: proposal.id.clone(),
        what: what.clone(),
        effect: effect.clone(),
        parent: receipt.clone(),
        target: card.commented().cloned(),
    };
    Some(turn.show(about, &proposal.by, Some(&proposal.task)))
}

/// Handles *It exists*: a person has seen the item. The channel cannot be asked for it, so the person's
/// word counts.
pub(super) fn adopt(turn: &mut Turn<'_>, card: Card, url: Option<String>) {
    let CardSubject::DecisionUncertain { what, effect, parent, .. } = card.about.clone() else { return };
    let result = match what {
        Publication::Post => EffectResult::Posted { url },
        Publication::Comment(_) => EffectResult::Updated,
    };
    let progress = out(&result);
    turn.adopt(&effect, Outcome::Done { result });
    decide(turn, card, Action::Adopt, progress.clone());
    on_following(turn, &parent, &what, &progress);
    report(turn, &parent, &what, &progress);
}

/// Handles *Create again*: sends the same text as a new effect with an approval of its own.
pub(super) fn again(turn: &mut Turn<'_>, card: Card) {
    let CardSubject::DecisionUncertain { what, effect: lost, parent, .. } = card.about.clone() else {
        return;
    };
    let Some(proposal) = proposal_of(turn, &card) else { return };
    turn.cancel(&lost);
    let body = match &what {
        Publication::Post => post(&card, &proposal),
        Publication::Comment(key) => comment(turn, &card, &proposal, key),
    };
    let effect = turn.effect(body, &[], Some(released_by(&card)));
    let progress = Progress::Sending { effect };
    on_following(turn, &parent, &what, &progress);
    decide(turn, card, Action::CreateAgain, progress);
}

/// Handles *Cancel*: the item counts as given up, whether it was sent or not.
pub(super) fn give_up(turn: &mut Turn<'_>, card: Card) {
    let CardSubject::DecisionUncertain { what, effect, parent, .. } = card.about.clone() else { return };
    turn.cancel(&effect);
    decide(turn, card, Action::Cancel, Progress::Cancelled);
    on_following(turn, &parent, &what, &Progress::Cancelled);
    report(turn, &parent, &what, &Progress::Cancelled);
}
