//! What a person sees of a review: the card is made of the record alone.

use alloc::format;
use alloc::string::String;

use super::{Review, Section, Status};
use crate::policy::Policy;
use crate::say::{self, review as words};
use crate::time::{Millis, Timestamp};
use crate::workflow::{Card, CardModel, Field};

/// Fills in the card of a review.
pub(crate) fn project(model: &mut CardModel, card: &Card, review: Option<&Review>, policy: &Policy) {
    let Some(review) = review else {
        model.title = say::CARD_GONE.into();
        return;
    };
    model.title = words::title(review);
    match &review.status {
        Status::Forgotten => return,
        Status::Frozen { artifact, ended } => {
            model.hash = artifact.content_hash.get(..8).map(String::from);
            model.facts.push(words::ended(ended, hours(policy.review.cooldown_ms)));
        }
        Status::Superseded { artifact, .. } => {
            model.hash = artifact.content_hash.get(..8).map(String::from);
            model.facts.push(words::REPLY_TO_USE.into());
        }
        Status::Drafting | Status::Active => {
            model.facts.push(format!("v{}", review.version));
            model.facts.push(say::card::asked_by(&card.by));
        }
    }
    if !review.checks.is_empty() {
        model.facts.push(words::NO_MODEL.into());
    }
    let mut field = |name: &str, label: &str, text: String| {
        if !text.is_empty() {
            model.fields.push(Field { name: name.into(), label: label.into(), text });
        }
    };
    field("summary", words::SUMMARY, review.summary.clone());
    let points = review.merged();
    for (section, name) in Section::ALL.into_iter().zip(["decisions", "risks", "questions", "changes"]) {
        field(name, words::section(section), few(points.of(section), policy.review.bullets));
    }
    field("checklist", words::CHECKLIST, words::checks(&review.checks));
}

/// The newest of a section, as many as a patch may show.
fn few(points: &[String], most: usize) -> String {
    let over = points.len().saturating_sub(most);
    let mut text = words::bullets(&points[over..]);
    if over > 0 {
        text = format!("{}\n{text}", words::earlier(over));
    }
    text
}

fn hours(span: Millis) -> i64 {
    span / Timestamp::HOUR
}
