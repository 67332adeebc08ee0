//! Sentences about reviews.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::review::shown;
use crate::data::review::{
    ChecklistItem, Points, Review, ReviewEnding, ReviewKind, ReviewPatch, ReviewSection, ReviewStatus,
};
use crate::data::time::Timestamp;

pub(crate) const NO_MODEL: &str = "checklist, no model: only what this thread states";
const IN_FULL_NO_MODEL: &str = "Checklist, no model: only what this thread states";
pub(crate) const NOTHING_STATED: &str = "not stated";
pub(crate) const WRITING: &str = "Writing it down in full…";
pub(crate) const NOTHING_NEW: &str =
    "There is nothing in that which the review does not have, so it stays as it is.";
pub(crate) const FORGOTTEN: &str = "The review is forgotten.";
pub(crate) const NOTHING_TO_FORGET: &str = "There is no review here to forget.";
pub(crate) const OVER_BEFORE: &str =
    "The review was over before I had an answer to that, so it stays as it is.";
pub(crate) const GONE: &str = "This review was forgotten";
pub(crate) const HANDED_ALREADY: &str =
    "Already processed: tickets are being made of this review. Finish or cancel them first.";
pub(crate) const THIS_THREAD: &str = "this thread";
pub(crate) const REPLY_TO_USE: &str = "reply to this to make tickets of it";
pub(crate) const SUMMARY: &str = "Summary";
pub(crate) const CHECKLIST: &str = "Checklist";

pub(crate) fn earlier(n: usize) -> String {
    format!("+ {n} earlier under Show full")
}

/// The kind of a review, at the start of a title.
pub(crate) fn kind(kind: ReviewKind) -> &'static str {
    match kind {
        ReviewKind::Architecture => "Architecture review",
        ReviewKind::Security => "Security review",
        ReviewKind::Pm => "PM review",
    }
}

/// The heading of a section in a review.
pub(crate) fn section(section: ReviewSection) -> &'static str {
    match section {
        ReviewSection::Decisions => "Decisions",
        ReviewSection::Risks => "Risks",
        ReviewSection::Questions => "Open questions",
        ReviewSection::Changes => "Changes",
    }
}

/// The heading of a section in a patch. These four names are fixed: people learn to look for them.
fn section_of_patch(section: ReviewSection, version: u32) -> String {
    match section {
        ReviewSection::Decisions => "New decisions".into(),
        ReviewSection::Risks => "New risks".into(),
        ReviewSection::Questions => "New open questions".into(),
        ReviewSection::Changes => format!("Changes since v{}", version.saturating_sub(1)),
    }
}

pub(crate) fn title(review: &Review) -> String {
    let (kind, topic, version) = (kind(review.kind), &review.topic, review.version);
    match &review.status {
        ReviewStatus::Drafting | ReviewStatus::Active => format!("{kind}: {topic}"),
        ReviewStatus::Frozen { .. } => format!("{kind}: {topic} · frozen at v{version}"),
        ReviewStatus::Superseded { .. } => {
            format!("{kind}: {topic} · frozen at v{version}, a newer review followed")
        }
        ReviewStatus::Forgotten => GONE.into(),
    }
}

/// The way a review ended, for its card.
pub(crate) fn ended(ended: &ReviewEnding, cooldown_h: i64) -> String {
    match ended {
        ReviewEnding::Completed { by } => format!("complete, says @{by}"),
        ReviewEnding::Idle => format!("nobody answered for {cooldown_h} h, so it froze"),
        ReviewEnding::HandedOver => "tickets were made of it".into(),
        ReviewEnding::Decided => "its decision was taken on".into(),
    }
}

/// A patch: the new points in four sections, without empty ones.
pub(crate) fn patch(review: &Review, patch: &ReviewPatch, most: usize) -> String {
    let (points, more) = shown(&patch.points, most);
    let head = format!("{}: {} · v{}", kind(review.kind), review.topic, patch.version);
    let mut lines = alloc::vec![head];
    lines.extend(sections(&points, |section| section_of_patch(section, patch.version)));
    if more > 0 {
        lines.push(format!("+ {more} more under Show full"));
    }
    lines.join("\n")
}

pub(crate) fn full_up(version: u32) -> String {
    format!(
        "This review has {version} versions, which is as many as one may have. Please start another one about what is left."
    )
}

/// The whole content of a review, in the order in which it came.
pub(crate) fn full(review: &Review) -> String {
    let mut parts =
        alloc::vec![format!("{}: {} · v{}, in full", kind(review.kind), review.topic, review.version)];
    if !review.summary.is_empty() {
        parts.push(format!("{SUMMARY}\n{}", review.summary));
    }
    parts.push(sections(&review.points, |one| section(one).into()).join("\n"));
    if !review.checks.is_empty() {
        parts.push(format!("{IN_FULL_NO_MODEL}\n{}", checks(&review.checks)));
    }
    for patch in &review.patches {
        let lines = sections(&patch.points, |one| section_of_patch(one, patch.version)).join("\n");
        parts.push(format!("v{}, after @{}\n{lines}", patch.version, patch.by));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A checklist, one item per line.
pub(crate) fn checks(checks: &[ChecklistItem]) -> String {
    let line = |check: &ChecklistItem| match &check.stated {
        Some(stated) => format!("{}: “{stated}”", check.item),
        None => format!("{}: {NOTHING_STATED}", check.item),
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
pub(crate) fn updated_summary(summary: &str, points: &Points) -> String {
    let mut lines: Vec<String> = summary.lines().map(Into::into).collect();
    for one in
        [ReviewSection::Decisions, ReviewSection::Changes, ReviewSection::Risks, ReviewSection::Questions]
    {
        if !points.of(one).is_empty() {
            lines.push(format!("{}:", section(one)));
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
pub(crate) fn to_stories(summary: &str, points: &Points) -> String {
    let mut lines = alloc::vec![format!("Problem:\n{summary}")];
    for one in [ReviewSection::Risks, ReviewSection::Questions] {
        let said = points.of(one);
        lines.extend((!said.is_empty()).then(|| format!("{}:", section(one))));
        lines.extend(said.iter().map(|point| format!("- {point}")));
    }
    lines.push(String::new());
    let stories = points.of(ReviewSection::Decisions).iter().chain(points.of(ReviewSection::Changes));
    lines.extend(stories.map(|point| format!("- {point}")));
    lines.join("\n")
}

pub(crate) fn complete(review: &Review) -> String {
    format!(
        "The review of “{}” is complete and stays as it is, at v{}. Tickets can be made of it at any time: say \"create the epic for that\", or press its button.",
        review.topic, review.version
    )
}

/// Answers a topic that was reviewed before, if nobody asked for a new review explicitly.
pub(crate) fn known(review: &Review, frozen_at: Timestamp, now: Timestamp) -> String {
    format!(
        "{} was reviewed, and the review froze {} at v{}. I start no new one unless you ask: say \"review this\".",
        review.topic,
        frozen_at.display_at(now),
        review.version
    )
}
