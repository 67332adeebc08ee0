//! The card of a decision record: a preview with exactly what would be posted, then the receipt; and what
//! an approval of it covers.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::button;
use crate::data::action::Action;
use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::card_model::{CardModel, Field};
use crate::data::policy::Policy;
use crate::data::progress::Progress;
use crate::data::proposal::{CommentOffer, Proposal, ProposalField, Publication};
use crate::data::time::Timestamp;
use crate::decision_records::publish;
use crate::messages::{self, proposal as words};
use crate::turn::Turn;
use crate::turn::capability::{CardContext, ReleaseRequest};
use throughline_messages as say;

/// Fills in the card.
pub(super) fn show(model: &mut CardModel, view: &CardContext<'_>) {
    let CardContext { card, known, now, policy } = *view;
    let Some(proposal) = card.decision().and_then(|decision| known.get::<Proposal>(decision)) else {
        model.title = say::card_gone(view.language());
        model.buttons = card
            .actions()
            .into_iter()
            .map(|action| button(view.language(), action, action.label(view.language())))
            .collect();
        return;
    };
    match &card.about {
        CardSubject::DecisionUncertain { what, .. } => {
            model.title = words::uncertain_title(view.language(), &proposal.topic, what, &card.status);
        }
        CardSubject::DecisionPreview { comment, .. } => preview(model, card, proposal, comment, now, policy),
        _ => {}
    }
    let name = |action| name(action, card, proposal);
    model.buttons =
        card.actions().into_iter().map(|action| button(view.language(), action, name(action))).collect();
}

fn preview(
    model: &mut CardModel,
    card: &Card,
    proposal: &Proposal,
    stands: &CommentOffer,
    now: Timestamp,
    policy: &Policy,
) {
    model.title = words::title(card.language, proposal, &card.status, now);
    model.hash = Some(hex(&sha256(&[jcs(&proposal.payload()).as_bytes()])[..4]));
    for entry in ProposalField::ALL {
        let field = |text: String| Field::new(entry.as_str(), &entry.label(card.language), text);
        let text = proposal.entry(entry);
        // The fields of an open preview are its edit form, so empty ones are shown too.
        model.fields.extend(Some(field(text)).filter(|field| card.is_open() || !field.text.is_empty()));
    }
    model.facts.push(say::decision_discussed(card.language, &proposal.thread));
    if card.is_open() {
        model.facts.push(say::decision_posts_at(card.language));
        model.facts.push(messages::card::asked_by(card.language, &proposal.by, &proposal.authored()));
        model.tell_decision(
            messages::card::may_approve(card.language, policy, "post.channel", &proposal.target()),
            card.expires_at.map(|end| messages::card::until(card.language, end, now)),
        );
    } else if let CardStatus::Decided { result: Progress::Posted { url }, .. } = &card.status {
        model.facts.extend(words::signed(proposal));
        model.facts.extend(messages::card::written_by(card.language, &proposal.by, &proposal.authored()));
        model.link.clone_from(url);
    }
    model.facts.extend(words::comment(card.language, stands, now));
}

/// Returns the requests that a press on the card would release: one for each issue that a receipt offers to comment
/// on, else the one that the card shows.
pub(super) fn requests(turn: &Turn<'_>, card: &Card) -> Vec<ReleaseRequest> {
    let Some(proposal) = card.decision().and_then(|decision| turn.get::<Proposal>(decision)) else {
        return Vec::new();
    };
    match (&card.about, &proposal.posted) {
        (CardSubject::DecisionPreview { comment: CommentOffer::Offered { issues, .. }, .. }, _) => {
            issues.iter().map(|issue| comment_request(turn, card, proposal, issue)).collect()
        }
        (CardSubject::DecisionUncertain { what: Publication::Comment(key), .. }, _) => {
            alloc::vec![comment_request(turn, card, proposal, key)]
        }
        // Sending again repeats the text as sent: its last line says who decided then.
        (CardSubject::DecisionUncertain { what: Publication::Post, .. }, Some(posted)) => {
            let payload = serde_json::json!({
                "kind": "post.channel", "to": proposal.target(), "text": posted.text
            });
            alloc::vec![post_request(card, proposal, &payload, &posted.text)]
        }
        _ => alloc::vec![post_request(card, proposal, &proposal.payload(), &proposal.text())],
    }
}

fn post_request(card: &Card, proposal: &Proposal, payload: &serde_json::Value, text: &str) -> ReleaseRequest {
    ReleaseRequest {
        kind: "post.channel",
        class: "post.channel",
        target: proposal.target(),
        payload: jcs(payload),
        effects: alloc::vec![publish::post(card, proposal)],
        quantity: 1,
        chars: text.chars().count(),
        by: proposal.by.clone(),
        authors: proposal.authored(),
        source: proposal.source.clone(),
    }
}

/// The accessible name of a button: everything that pressing it does.
pub(crate) fn name(action: Action, card: &Card, proposal: &Proposal) -> String {
    let label = action.label(card.language);
    let verb = messages::card::verb(&label);
    match &card.about {
        CardSubject::DecisionPreview { comment: CommentOffer::Offered { issues, .. }, .. } => {
            format!("{verb}: {}", issues.join(", "))
        }
        _ => {
            let (target, topic) = (proposal.target(), &proposal.topic);
            say::decision_button_posts(card.language, target, topic, verb, card.version)
        }
    }
}

/// Returns the request that a comment on this issue would release.
pub(super) fn comment_request(
    turn: &Turn<'_>,
    card: &Card,
    proposal: &Proposal,
    key: &str,
) -> ReleaseRequest {
    let (target, text) = (publish::place(turn, card, key).to_string(), proposal.comment());
    let payload =
        serde_json::json!({ "kind": "tracker.comment", "target": target, "key": key, "text": text });
    ReleaseRequest {
        kind: "tracker.comment",
        class: "tracker.update",
        target,
        payload: jcs(&payload),
        effects: alloc::vec![publish::comment(turn, card, proposal, key)],
        quantity: 1,
        chars: text.chars().count(),
        by: proposal.by.clone(),
        authors: proposal.authored(),
        source: proposal.source.clone(),
    }
}
