//! What a person sees of a decision: a preview with exactly what would be posted, then the receipt; and what an approval
//! of it covers.

use alloc::format;
use alloc::string::String;

use super::{Comment, Entry, Outgoing, Proposal, comment};
use crate::canon::{hex, jcs, sha256};
use crate::policy::Policy;
use crate::say::{self, decision as words};
use crate::time::Timestamp;
use crate::turn::{AskedFor, Turn};
use crate::workflow::{About, Action, Card, CardModel, CardStatus, Field, Progress};

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
        // An open preview's fields are its edit form, so those that are empty are there.
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

/// What a press on a decision's card would release.
pub(crate) fn asked_for(turn: &Turn<'_>, card: &Card) -> Option<AskedFor> {
    let proposal = turn.proposal_of(card)?;
    let what = match &card.about {
        About::DecisionUncertain { what, .. } => what.clone(),
        About::DecisionPreview { comment: Comment::Offered { issues, .. }, .. } => match issues.as_slice() {
            [issue] => Outgoing::Comment(issue.clone()),
            // None is named yet.
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
        // Once more what was sent before: its last line says who decided then.
        (Outgoing::Post, Some(posted)) if matches!(card.about, About::DecisionUncertain { .. }) => {
            let payload = serde_json::json!({
                "kind": "post.channel", "to": proposal.target(), "text": posted.text
            });
            post(payload, &posted.text)
        }
        (Outgoing::Post, _) => post(proposal.payload(), &proposal.text()),
        (Outgoing::Comment(key), _) => comment::asked_for(turn, &proposal, &key),
    })
}

/// The whole act of a button in words.
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
