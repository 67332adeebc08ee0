//! The issues that a thread tracks.

use crate::data::language::Language;
use crate::data::ticket::Target;
use crate::data::tracked::Tracked;
use crate::turn::Turn;
use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The tracked issues, oldest first, without those the tracker is still asked about.
pub(crate) fn all<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = &'t Tracked> {
    turn.head.tracked.iter().filter(|issue| issue.sought.is_none())
}

pub(crate) fn keys(turn: &Turn<'_>) -> Vec<String> {
    all(turn).map(|issue| issue.key.clone()).collect()
}

/// The tracker and project of an issue: as tracked, else the project that its key names.
pub(crate) fn target(turn: &Turn<'_>, key: &str) -> Target {
    all(turn).find(|issue| issue.key == key).map_or_else(|| by_key(turn, key), |issue| issue.target.clone())
}

pub(crate) fn by_key(turn: &Turn<'_>, key: &str) -> Target {
    let project = key.split_once('-').map_or(key, |(project, _)| project);
    turn.policy.target(project)
}

/// Tracks an issue that was created from this thread.
pub(crate) fn created(turn: &mut Turn<'_>, target: &Target, key: &str, title: &str, url: Option<&str>) {
    let (key, target, title) = (key.to_string(), target.clone(), title.to_string());
    keep(
        turn,
        Tracked { key, target, title, url: url.map(Into::into), sought: None, language: Language::En },
    );
}

/// Adds an issue, or replaces the entry with its key. Beyond the number policy allows, the oldest is
/// dropped.
pub(crate) fn keep(turn: &mut Turn<'_>, issue: Tracked) {
    let most = turn.policy.decision.tracked;
    let tracked = &mut turn.head.tracked;
    tracked.retain(|known| known.key != issue.key);
    tracked.push(issue);
    let over = tracked.len().saturating_sub(most);
    tracked.drain(..over);
}
