//! The card of a decision record: a preview with exactly what would be posted, then the receipt; and what
//! an approval of it covers.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::show::AskedFor;
use crate::data::action::Action;
use crate::data::canon::{hex, jcs, sha256};
use crate::data::card::{About, Card, CardStatus};
use crate::data::card_model::{CardModel, Field};
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::proposal::{Comment, Entry, Outgoing, Proposal};
use crate::data::time::Timestamp;
use crate::say::{self, decision as words};
use crate::turn::Turn;
use crate::turn::tracked;

/// Fills in the card of a decision.
pub(crate) fn project(
    model: &mut CardModel,
    card: &Card,
    proposal: Option<&Proposal>,
    now: Timestamp,
    policy: &Policy,
) {
    let Some(proposal) = proposal else {
        model.title = say::CARD_GONE.into();
        return;
    };
    match &card.about {
        About::DecisionUncertain { what, .. } => {
            model.title = words::uncertain_title(&proposal.topic, what, &card.status);
        }
        About::DecisionPreview { comment, .. } => preview(model, card, proposal, comment, now, policy),
        _ => {}
    }
}

fn preview(
    model: &mut CardModel,
    card: &Card,
    proposal: &Proposal,
    stands: &Comment,
    now: Timestamp,
    policy: &Policy,
) {
    model.title = words::title(proposal, &card.status, now);
    model.hash = Some(hex(&sha256(&[jcs(&proposal.payload()).as_bytes()])[..4]));
    for entry in Entry::ALL {
        let field = |text| Field { name: entry.word().into(), label: entry.label().into(), text };
        let text = proposal.entry(entry);
        // The fields of an open preview are its edit form, so empty ones are shown too.
        model.fields.extend(Some(field(text)).filter(|field| card.open() || !field.text.is_empty()));
    }
    model.facts.push(words::discussed(&proposal.thread));
    if card.open() {
        model.facts.push(words::POSTS_AT.into());
        model.facts.push(say::card::asked_by(&proposal.by));
        model.facts.push(say::card::may_approve(policy, "post.channel", &proposal.target()));
        model.facts.extend(card.expires_at.map(|end| say::card::until(end, now)));
    } else if let CardStatus::Decided { result: Progress::Posted { url }, .. } = &card.status {
        model.facts.extend(words::signed(proposal));
        model.link.clone_from(url);
    }
    model.facts.extend(words::comment(stands, now));
}

/// The request that a press on a decision's card would release. `None` while several issues could be meant.
pub(crate) fn asked_for(turn: &Turn<'_>, card: &Card) -> Option<AskedFor> {
    let proposal = turn.proposal_of(card)?;
    let what = match &card.about {
        About::DecisionUncertain { what, .. } => what.clone(),
        About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } => match issues.as_slice() {
            [issue] => Outgoing::Comment(issue.clone()),
            // With several issues offered, none is named yet.
            _ => return None,
        },
        _ => Outgoing::Post,
    };
    let post = |payload: serde_json::Value, text: &str| AskedFor {
        kind: "post.channel",
        class: "post.channel",
        target: proposal.target(),
        payload: jcs(&payload),
        quantity: 1,
        chars: text.chars().count(),
        by: proposal.by.clone(),
        source: proposal.source.clone(),
    };
    Some(match (what, &proposal.posted) {
        // Sending again repeats the text as sent: its last line says who decided then.
        (Outgoing::Post, Some(posted)) if matches!(card.about, About::DecisionUncertain { .. }) => {
            let payload = serde_json::json!({
                "kind": "post.channel", "to": proposal.target(), "text": posted.text
            });
            post(payload, &posted.text)
        }
        (Outgoing::Post, _) => post(proposal.payload(), &proposal.text()),
        (Outgoing::Comment(key), _) => comment_asked_for(turn, &proposal, &key),
    })
}

/// The accessible name of a button: everything that pressing it does.
pub(crate) fn name(action: Action, card: &Card, proposal: &Proposal) -> String {
    let verb = say::card::verb(action.label());
    match &card.about {
        About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } => {
            format!("{verb}: {}", issues.join(", "))
        }
        _ => format!(
            "{verb}: post the decision on {} to {}, version {}",
            proposal.topic,
            proposal.target(),
            card.version
        ),
    }
}

/// The request that a comment on this issue would release.
pub(crate) fn comment_asked_for(turn: &Turn<'_>, proposal: &Proposal, key: &str) -> AskedFor {
    let (target, text) = (tracked::target(turn, key).to_string(), proposal.comment());
    let payload =
        serde_json::json!({ "kind": "tracker.comment", "target": target, "key": key, "text": text });
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

/// The issues a receipt offers to comment on, each with the request it would release.
pub(crate) fn choices(turn: &Turn<'_>, card: &Card) -> Vec<(String, AskedFor)> {
    let About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } = &card.about else {
        return Vec::new();
    };
    let Some(proposal) = turn.proposal_of(card) else { return Vec::new() };
    issues.iter().map(|issue| (issue.clone(), comment_asked_for(turn, &proposal, issue))).collect()
}
