//! The issues a thread tracks: those that came of it, and those people name (`spec 03 §7`). A key is looked up with its
//! tracker before it is believed.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use super::read;
use crate::effect::{EffectBody, EffectResult, Outcome};
use crate::id::{CardId, EffectId};
use crate::say::decision as words;
use crate::tickets::Target;
use crate::turn::Turn;

/// An issue this thread tracks, or is about to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tracked {
    /// `AUTH-12`.
    pub key: String,
    /// Where it is.
    pub target: Target,
    /// Its title, as it was when it was looked up.
    pub title: String,
    /// Where to see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The look-up that has not answered: until then it is not tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sought: Option<EffectId>,
}

/// The tracked issues, the oldest first.
fn all<'t>(turn: &'t Turn<'_>) -> impl Iterator<Item = &'t Tracked> {
    turn.head.tracked.iter().filter(|issue| issue.sought.is_none())
}

/// Their keys.
pub(crate) fn keys(turn: &Turn<'_>) -> Vec<String> {
    all(turn).map(|issue| issue.key.clone()).collect()
}

/// Those of these keys that this thread tracks.
pub(super) fn of(turn: &Turn<'_>, keys: &[String]) -> Vec<String> {
    keys.iter().filter(|key| all(turn).any(|issue| issue.key == **key)).cloned().collect()
}

/// Where an issue is: as it is tracked, else in the project its key names.
pub(super) fn target(turn: &Turn<'_>, key: &str) -> Target {
    all(turn).find(|issue| issue.key == key).map_or_else(|| by_key(turn, key), |issue| issue.target.clone())
}

fn by_key(turn: &Turn<'_>, key: &str) -> Target {
    let project = key.split_once('-').map_or(key, |(project, _)| project);
    Target { tracker: turn.policy.project.tracker.clone(), project: project.into() }
}

/// What a person wrote as a key: `auth-12`, or a link that ends in it.
fn key_in(text: &str) -> Option<String> {
    let last = text.trim().trim_end_matches('/').rsplit(['/', '#']).next()?;
    let key = last.to_uppercase();
    read::is_key(&key).then_some(key)
}

/// `track KEY`: looked up first. What is said now.
pub(crate) fn track(turn: &mut Turn<'_>, text: &str) -> String {
    let Some(key) = key_in(text) else { return words::which_key("track", turn.policy) };
    if all(turn).any(|issue| issue.key == key) {
        return words::tracked_already(&key);
    }
    let target = by_key(turn, &key);
    // It is for no card.
    let (by, card) = (turn.event.actor.clone(), CardId::from(""));
    let body = EffectBody::TrackerFind { target: target.clone(), key: key.clone(), by, card };
    let sought = Some(turn.effect(body, &[], None));
    keep(turn, Tracked { key: key.clone(), target, title: String::new(), url: None, sought });
    words::looking_for(&key)
}

/// `untrack KEY`.
pub(crate) fn untrack(turn: &mut Turn<'_>, text: &str) -> String {
    let Some(key) = key_in(text) else { return words::which_key("untrack", turn.policy) };
    let before = turn.head.tracked.len();
    turn.head.tracked.retain(|issue| issue.key != key);
    words::untracked(&key, turn.head.tracked.len() < before)
}

/// `tracked`.
pub(crate) fn list(turn: &Turn<'_>) -> String {
    words::tracked(&all(turn).collect::<Vec<_>>(), turn.policy)
}

/// An issue that came of this thread is tracked by it (`spec 03 §6.2`).
pub(crate) fn created(turn: &mut Turn<'_>, target: &Target, key: &str, title: &str, url: Option<&str>) {
    let (key, target, title) = (key.to_string(), target.clone(), title.to_string());
    keep(turn, Tracked { key, target, title, url: url.map(Into::into), sought: None });
}

/// Keeps an issue once, and as many as policy says: the oldest gives way.
fn keep(turn: &mut Turn<'_>, issue: Tracked) {
    let most = turn.policy.decision.tracked;
    let tracked = &mut turn.head.tracked;
    tracked.retain(|known| known.key != issue.key);
    tracked.push(issue);
    let over = tracked.len().saturating_sub(most);
    tracked.drain(..over);
}

/// A look-up has answered: the issue is tracked, or it is said why not. `false`: nobody waits for it.
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, outcome: &Outcome) -> bool {
    let at = turn.head.tracked.iter().position(|issue| issue.sought.as_ref() == Some(effect));
    let Some(at) = at else { return false };
    let text = match outcome {
        Outcome::Done { result: EffectResult::Found { key, title, url, .. } } => {
            let issue = &mut turn.head.tracked[at];
            (issue.key, issue.title, issue.url) = (key.clone(), title.clone(), url.clone());
            issue.sought = None;
            words::now_tracked(key, title)
        }
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => {
            let issue = turn.head.tracked.remove(at);
            words::not_tracked(&issue.key, text)
        }
        Outcome::Done { .. } => {
            let issue = turn.head.tracked.remove(at);
            words::not_tracked(&issue.key, words::NO_SUCH_ISSUE)
        }
    };
    turn.say(crate::lane::MessageKind::Answer, None, &text);
    true
}
