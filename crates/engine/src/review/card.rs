//! The card of a review, projected from the review's record alone.

use alloc::format;
use alloc::string::String;

use crate::cards::button;
use crate::data::action::Action;
use crate::data::card::Card;
use crate::data::card_model::{CardModel, Field};
use crate::data::language::Language;
use crate::data::policy::Policy;
use crate::data::review::{Review, ReviewSection, ReviewStatus};
use crate::data::time::{Millis, Timestamp};
use crate::messages::{self, review as words};
use crate::turn::capability::CardContext;
use throughline_messages as say;

/// Fills in the card.
pub(super) fn show(model: &mut CardModel, view: &CardContext<'_>) {
    match view.card.review().and_then(|review| view.known.get::<Review>(review)) {
        Some(review) => contents(model, view.card, review, view.policy),
        None => model.title = say::card_gone(view.language()),
    }
    let title = model.title.clone();
    let name = |action: Action| format!("{}: {title}", action.label(view.language()));
    model.buttons =
        view.card.actions().into_iter().map(|action| button(view.language(), action, name(action))).collect();
}

fn contents(model: &mut CardModel, card: &Card, review: &Review, policy: &Policy) {
    model.title = words::title(card.language, review);
    match &review.status {
        ReviewStatus::Forgotten => return,
        ReviewStatus::Frozen { artifact, ended } => {
            model.hash = artifact.content_hash.get(..8).map(String::from);
            model.facts.push(words::ended(card.language, ended, hours(policy.review.cooldown_ms)));
        }
        ReviewStatus::Superseded { artifact, .. } => {
            model.hash = artifact.content_hash.get(..8).map(String::from);
            model.facts.push(say::review_reply_to_use(card.language));
        }
        ReviewStatus::Drafting | ReviewStatus::Active => {
            model.facts.push(format!("v{}", review.version));
            model.facts.push(messages::card::asked_by(card.language, &card.by, &[]));
        }
    }
    if !review.checks.is_empty() {
        model.facts.push(say::review_no_model(card.language));
    }
    let mut field = |name: &str, label: String, text: String| {
        if !text.is_empty() {
            model.fields.push(Field::new(name, &label, text));
        }
    };
    field("summary", say::review_summary(card.language), review.summary.clone());
    let points = review.merged();
    for section in ReviewSection::ALL {
        field(
            section.as_str(),
            words::section(card.language, section),
            few(card.language, points.of(section), policy.review.bullets),
        );
    }
    field("checklist", say::review_checklist(card.language), words::checks(card.language, &review.checks));
}

/// The newest points of a section, at most `most`, below a line that counts the earlier ones.
fn few(language: Language, points: &[String], most: usize) -> String {
    let over = points.len().saturating_sub(most);
    let mut text = words::bullets(&points[over..]);
    if over > 0 {
        text = format!("{}\n{text}", say::review_earlier(language, over));
    }
    text
}

fn hours(span: Millis) -> i64 {
    span / Timestamp::HOUR
}
