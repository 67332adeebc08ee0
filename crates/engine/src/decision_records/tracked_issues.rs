//! The commands over the issues that a thread tracks. An issue is tracked because it was created from the
//! thread or because a person named it; a named key counts only after its tracker has confirmed it
//! (`docs/design/0019-decision-records.md`).

use alloc::string::String;
use alloc::vec::Vec;

use crate::data::effect::EffectBody;
use crate::data::effect::outcome::{EffectResult, Outcome};
use crate::data::id::{CardId, EffectId};
use crate::data::tracked::Tracked;
use crate::decision_records::extract;
use crate::messages::proposal as words;
use crate::turn::Turn;
use crate::turn::tracked_issues::keep;
pub(crate) use crate::turn::tracked_issues::{all, keys};
pub(crate) use crate::turn::tracked_issues::{by_key, target};
use throughline_messages as say;

/// The given keys that this thread tracks.
pub(super) fn of(turn: &Turn<'_>, keys: &[String]) -> Vec<String> {
    keys.iter().filter(|key| all(turn).any(|issue| issue.key == **key)).cloned().collect()
}

/// The issue key in a person's text: `auth-12`, or a link that ends in a key.
fn key_in(text: &str) -> Option<String> {
    let last = text.trim().trim_end_matches('/').rsplit(['/', '#']).next()?;
    let key = last.to_uppercase();
    extract::is_key(&key).then_some(key)
}

/// Handles `track KEY` by looking the key up with its tracker. Returns the reply.
pub(crate) fn track(turn: &mut Turn<'_>, text: &str) -> String {
    let Some(key) = key_in(text) else {
        return say::tracked_which_key(turn.language(), &turn.policy.command.0, "track");
    };
    if all(turn).any(|issue| issue.key == key) {
        return say::tracked_already(turn.language(), &key);
    }
    let target = by_key(turn, &key);
    // No card waits for the look-up, so the card id is empty.
    let (by, card) = (turn.event.actor.clone(), CardId::from(""));
    let body = EffectBody::TrackerFind { target: target.clone(), key: key.clone(), by, card, task: None };
    let sought = Some(turn.effect(body, &[], None));
    let language = turn.language();
    keep(turn, Tracked { key: key.clone(), target, title: String::new(), url: None, sought, language });
    say::adopt_looking(turn.language(), &key)
}

/// Handles `untrack KEY`. Returns the reply.
pub(crate) fn untrack(turn: &mut Turn<'_>, text: &str) -> String {
    let Some(key) = key_in(text) else {
        return say::tracked_which_key(turn.language(), &turn.policy.command.0, "untrack");
    };
    let before = turn.head.tracked.len();
    turn.head.tracked.retain(|issue| issue.key != key);
    words::untracked(turn.language(), &key, turn.head.tracked.len() < before)
}

/// Returns the reply to `tracked`: the list of tracked issues.
pub(crate) fn list(turn: &Turn<'_>) -> String {
    words::tracked(turn.language(), &all(turn).collect::<Vec<_>>(), turn.policy)
}

/// Takes the answer to a look-up: the issue becomes tracked, or the reply says why not. Returns false if no
/// tracked issue waits for this effect.
pub(crate) fn settled(turn: &mut Turn<'_>, effect: &EffectId, outcome: &Outcome) -> bool {
    let at = turn.head.tracked.iter().position(|issue| issue.sought.as_ref() == Some(effect));
    let Some(at) = at else { return false };
    let text = match outcome {
        Outcome::Done { result: EffectResult::Found { key, title, url, .. } } => {
            let issue = &mut turn.head.tracked[at];
            (issue.key, issue.title, issue.url) = (key.clone(), title.clone(), url.clone());
            issue.sought = None;
            say::tracked_now(turn.language(), key, title)
        }
        Outcome::Failed { text, .. } | Outcome::Uncertain { text } => {
            let issue = turn.head.tracked.remove(at);
            say::tracked_not(turn.language(), &issue.key, text.text(turn.language()))
        }
        Outcome::Done { .. } => {
            let issue = turn.head.tracked.remove(at);
            say::tracked_not(turn.language(), &issue.key, say::tracked_no_such(turn.language()))
        }
    };
    turn.say(crate::data::message::MessageKind::Answer, None, &text);
    true
}
