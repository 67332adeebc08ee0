//! Sentences about reviews.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use throughline_messages::{self as say, Language};

use crate::data::review::shown;
use crate::data::review::{
    ChecklistItem, Points, Review, ReviewEnding, ReviewKind, ReviewPatch, ReviewSection, ReviewStatus,
};
use crate::data::time::Timestamp;

/// The kind of a review, at the start of a title.
fn kind(language: Language, kind: ReviewKind) -> String {
    say::review_kind(language, kind.as_str())
}

/// The heading of a section in a review.
pub(crate) fn section(language: Language, section: ReviewSection) -> String {
    say::review_section(language, section.as_str())
}

/// The heading of a section in a patch. These four names are fixed: people learn to look for them.
fn section_of_patch(language: Language, section: ReviewSection, version: u32) -> String {
    say::review_new_section(language, section.as_str(), version.saturating_sub(1))
}

pub(crate) fn title(language: Language, review: &Review) -> String {
    let (kind, topic, version) = (kind(language, review.kind), &review.topic, review.version);
    match &review.status {
        ReviewStatus::Drafting | ReviewStatus::Active => say::review_title(language, kind, topic),
        ReviewStatus::Frozen { .. } => say::review_title_frozen(language, kind, topic, version),
        ReviewStatus::Superseded { .. } => say::review_title_superseded(language, kind, topic, version),
        ReviewStatus::Forgotten => say::review_gone(language),
    }
}

/// The way a review ended, for its card.
pub(crate) fn ended(language: Language, ended: &ReviewEnding, cooldown_h: i64) -> String {
    match ended {
        ReviewEnding::Completed { by } => say::review_ended_by(language, by),
        ReviewEnding::Idle => say::review_ended_idle(language, cooldown_h),
        ReviewEnding::HandedOver => say::review_ended_handed_over(language),
        ReviewEnding::Decided => say::review_ended_decided(language),
    }
}

/// A patch: the new points in four sections, without empty ones.
pub(crate) fn patch(language: Language, review: &Review, patch: &ReviewPatch, most: usize) -> String {
    let (points, more) = shown(&patch.points, most);
    let title = say::review_title(language, kind(language, review.kind), &review.topic);
    let mut lines = alloc::vec![format!("{title} · v{}", patch.version)];
    lines.extend(sections(&points, |section| section_of_patch(language, section, patch.version)));
    if more > 0 {
        lines.push(say::review_more(language, more));
    }
    lines.join("\n")
}

/// The whole content of a review, in the order in which it came.
pub(crate) fn full(language: Language, review: &Review) -> String {
    let kind = kind(language, review.kind);
    let mut parts = alloc::vec![say::review_in_full(language, kind, &review.topic, review.version)];
    if !review.summary.is_empty() {
        parts.push(format!("{}\n{}", say::review_summary(language), review.summary));
    }
    parts.push(sections(&review.points, |one| section(language, one)).join("\n"));
    if !review.checks.is_empty() {
        parts.push(format!("{}\n{}", say::review_no_model_full(language), checks(language, &review.checks)));
    }
    for patch in &review.patches {
        let named = |one| section_of_patch(language, one, patch.version);
        let lines = sections(&patch.points, named).join("\n");
        parts.push(format!("{}\n{lines}", say::review_after(language, &patch.by, patch.version)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A checklist, one item per line.
pub(crate) fn checks(language: Language, checks: &[ChecklistItem]) -> String {
    let line = |check: &ChecklistItem| match &check.stated {
        Some(stated) => format!("{}: {}", check.item, say::quoted(language, stated)),
        None => format!("{}: {}", check.item, say::review_nothing_stated(language)),
    };
    checks.iter().map(line).collect::<Vec<_>>().join("\n")
}

pub(crate) fn bullets(points: &[String]) -> String {
    points.iter().map(|point| format!("• {point}")).collect::<Vec<_>>().join("\n")
}

fn sections(points: &Points, named: impl Fn(ReviewSection) -> String) -> Vec<String> {
    let filled = ReviewSection::ALL.into_iter().filter(|section| !points.of(*section).is_empty());
    filled.map(|section| format!("{}\n{}", named(section), bullets(points.of(section)))).collect()
}

/// The summary of a review at its end, followed by every point. Risks and open questions come last, under
/// the labels by which the drafter of tickets knows them.
pub(crate) fn updated_summary(language: Language, summary: &str, points: &Points) -> String {
    let mut lines: Vec<String> = summary.lines().map(Into::into).collect();
    for one in
        [ReviewSection::Decisions, ReviewSection::Changes, ReviewSection::Risks, ReviewSection::Questions]
    {
        if !points.of(one).is_empty() {
            lines.push(format!("{}:", section(language, one)));
            lines.extend(points.of(one).iter().map(|point| format!("- {point}")));
        }
    }
    lines.join("\n")
}

/// The text of an artifact for the drafter of tickets.
pub(crate) fn handed_over(topic: &str, updated_summary: &str) -> String {
    format!("{topic}\nProblem:\n{updated_summary}")
}

/// The text of an artifact for the drafter of an epic with stories: first the summary, risks and questions,
/// then a list of decisions and changes, which become the stories.
pub(crate) fn to_stories(language: Language, summary: &str, points: &Points) -> String {
    let mut lines = alloc::vec![format!("Problem:\n{summary}")];
    for one in [ReviewSection::Risks, ReviewSection::Questions] {
        let said = points.of(one);
        lines.extend((!said.is_empty()).then(|| format!("{}:", section(language, one))));
        lines.extend(said.iter().map(|point| format!("- {point}")));
    }
    lines.push(String::new());
    let stories = points.of(ReviewSection::Decisions).iter().chain(points.of(ReviewSection::Changes));
    lines.extend(stories.map(|point| format!("- {point}")));
    lines.join("\n")
}

/// Answers a topic that was reviewed before, if nobody asked for a new review explicitly.
pub(crate) fn known(language: Language, review: &Review, frozen_at: Timestamp, now: Timestamp) -> String {
    say::review_known(language, frozen_at.display_at(now, language), &review.topic, review.version)
}
