//! Observations: the turns committed since the last look, and the messages and cards that their effects showed.

use std::collections::BTreeMap;

use throughline_engine::data::ask::Ask;
use throughline_engine::data::effect::IssueState;
use throughline_engine::data::effect::{EffectBody, EffectClass};
use throughline_engine::{EffectId, LaneKey};
use throughline_models::Prompt;
use throughline_runtime::turn_log::{Shown, Turn};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::EffectState;
use throughline_testkit::driver::{CommittedTurn, SeenCard, SeenMessage, SeenNotice, TurnSeen};

use throughline_trackers::local::StoredIssue;

use crate::world::{RemoteParties, TENANT};

/// The position of the last look: the revision of each lane, and the effects that had reached the world.
#[derive(Default)]
pub(crate) struct Observer {
    revisions: BTreeMap<LaneKey, u64>,
    issues: usize,
    calls: BTreeMap<&'static str, usize>,
    posts: u64,
    /// The issues of the tracker as they were.
    standing: BTreeMap<String, Standing>,
    ran: BTreeMap<EffectClass, usize>,
    asks: usize,
    waiting: Vec<(String, throughline_engine::EffectId)>,
}

/// Properties of an issue that people change by words. Its epic is the engine's own business.
#[derive(PartialEq)]
struct Standing {
    comments: usize,
    links: usize,
    state: IssueState,
    assignee: Option<String>,
}

impl Standing {
    fn of(issue: &StoredIssue) -> Self {
        let (comments, links) = (issue.comments.len(), issue.links.len());
        Self { comments, links, state: issue.state, assignee: issue.assignee.clone() }
    }

    fn changes_since(&self, before: &Self) -> usize {
        self.comments - before.comments + self.links - before.links
            + usize::from(self.state != before.state)
            + usize::from(self.assignee != before.assignee)
    }
}

impl Observer {
    /// Moves the position to the present: nothing that exists now is reported later.
    pub(crate) async fn skip(
        &mut self,
        remote: &RemoteParties,
        host: &Runtime,
        lanes: &[(String, LaneKey)],
    ) -> Result<(), RuntimeError> {
        self.look(remote, host, lanes).await.map(drop)
    }

    pub(crate) async fn look(
        &mut self,
        remote: &RemoteParties,
        host: &Runtime,
        lanes: &[(String, LaneKey)],
    ) -> Result<TurnSeen, RuntimeError> {
        let mut seen = TurnSeen::default();
        let mut turns = Vec::new();
        for (name, key) in lanes {
            let after = self.revisions.entry(key.clone()).or_default();
            for stored in host.store().turns(key, *after, 10_000).await? {
                *after = stored.revision;
                let turn = Turn::read(&stored).map_err(|e| RuntimeError::Unreadable {
                    what: "a turn row".into(),
                    why: e.to_string(),
                })?;
                turns.push((name.clone(), turn));
            }
        }
        turns.sort_by_key(|(_, turn)| turn.row.at);
        for (name, turn) in turns {
            let key = lanes.iter().find(|(lane, _)| *lane == name).map(|(_, key)| key);
            for (n, (_, id)) in (0..).zip(&turn.row.effects) {
                let shown = turn.content.as_ref().and_then(|content| content.shown.get(&n));
                match (shown, key) {
                    (Some(shown), Some(key)) => read_there(host, &name, key, shown, &mut seen).await?,
                    _ => self.waiting.push((name.clone(), id.as_str().into())),
                }
            }
            if turn.row.key.starts_with("post:") {
                // Where people read from the store, a post is an event of the root lane.
                *seen.outward.entry("post.channel".into()).or_default() += 1;
            }
            let derived =
                ["post:", "fx:", "timer:", "notice:"].iter().any(|prefix| turn.row.key.starts_with(prefix));
            let delivery = (!derived).then(|| turn.row.key.clone());
            seen.turns.push(CommittedTurn { lane: name, delivery, summary: turn.summary() });
        }
        self.shown(host, &mut seen).await?;
        self.reached(remote, &mut seen).await;
        Ok(seen)
    }

    /// Reports the output of effects that are done; the others are looked at again next time.
    async fn shown(&mut self, host: &Runtime, seen: &mut TurnSeen) -> Result<(), RuntimeError> {
        let mut later = Vec::new();
        for (lane, id) in std::mem::take(&mut self.waiting) {
            let Some(effect) = host.store().effect(TENANT, &id).await? else { continue };
            match effect.state {
                EffectState::Done => show(host, lane, &effect.row.payload, seen),
                EffectState::Planned | EffectState::Attempted => later.push((lane, id)),
                EffectState::Failed | EffectState::Uncertain | EffectState::Cancelled => {}
            }
        }
        self.waiting = later;
        Ok(())
    }

    async fn reached(&mut self, remote: &RemoteParties, seen: &mut TurnSeen) {
        let project = remote.tracker.config().projects.keys().next().cloned().unwrap_or_default();
        let all = remote.tracker.issues(TENANT, &project, None, 10_000).await.unwrap_or_default();
        let issues = all.len();
        let now: BTreeMap<String, Standing> =
            all.iter().map(|issue| (issue.key.clone(), Standing::of(issue))).collect();
        let changed = now.iter().filter_map(|(key, now)| Some(now.changes_since(self.standing.get(key)?)));
        let changed: usize = changed.sum();
        if changed > 0 {
            seen.outward.insert("tracker.update".into(), u32::try_from(changed).unwrap_or(u32::MAX));
        }
        self.standing = now;
        if issues > self.issues {
            let new = u32::try_from(issues - self.issues).unwrap_or(u32::MAX);
            seen.outward.insert("tracker.create".into(), new);
        }
        self.issues = issues;
        let posts = remote.channel.posted();
        if posts > self.posts {
            let new = u32::try_from(posts - self.posts).unwrap_or(u32::MAX);
            seen.outward.insert("post.channel".into(), new);
        }
        self.posts = posts;
        for class in ["tool.call", "agent.delegate"] {
            let made: usize = remote.workers.values().map(|worker| worker.outward(class)).sum();
            let before = self.calls.insert(class, made).unwrap_or_default();
            if made > before {
                seen.outward.insert(class.into(), u32::try_from(made - before).unwrap_or(u32::MAX));
            }
        }
        let ran = remote.hosting.ran();
        for (class, made) in &ran {
            let before = self.ran.get(class).copied().unwrap_or_default();
            if *made > before {
                seen.outward.insert(class.as_str().into(), u32::try_from(made - before).unwrap_or(u32::MAX));
            }
        }
        self.ran = ran;
        let asked = remote.model.as_ref().map(|model| model.journal()).unwrap_or_default();
        let new = asked.get(self.asks..).unwrap_or_default();
        seen.model_calls = u32::try_from(new.len()).unwrap_or(u32::MAX);
        seen.prompts = new.iter().map(|asked| prompt(&asked.ask)).collect();
        self.asks = asked.len();
    }
}

/// Returns a question as a model reads it.
fn prompt(ask: &Ask) -> String {
    let prompt = Prompt::of(ask, &EffectId::from("fx"));
    format!("{}\n{}", prompt.system, prompt.user)
}

/// Reports messages that the commit delivered, as a reader of the lane sees them.
async fn read_there(
    host: &Runtime,
    lane: &str,
    key: &LaneKey,
    shown: &Shown,
    seen: &mut TurnSeen,
) -> Result<(), RuntimeError> {
    let lane = lane.to_owned();
    match shown {
        Shown::Notice { to, text } => {
            seen.notices.push(SeenNotice { lane, to: to.clone(), text: text.clone() });
        }
        Shown::Message(id) => {
            for view in host.messages(key, std::slice::from_ref(id)).await? {
                let (lane, message) = (lane.clone(), view.id);
                match view.card {
                    Some(card) => seen.cards.push(SeenCard { lane, message, card }),
                    None => seen.messages.push(SeenMessage { lane, message, kind: None, text: view.text }),
                }
            }
        }
    }
    Ok(())
}

fn show(host: &Runtime, lane: String, payload: &str, seen: &mut TurnSeen) {
    match serde_json::from_str(payload) {
        Ok(EffectBody::Reply { message, text, .. }) => {
            seen.messages.push(SeenMessage { lane, message, kind: None, text })
        }
        Ok(EffectBody::Notice { to, text }) => seen.notices.push(SeenNotice { lane, to, text }),
        Ok(EffectBody::CardPost { message, mut card } | EffectBody::CardUpdate { message, mut card }) => {
            host.keys().fill(TENANT, &mut card);
            seen.cards.push(SeenCard { lane, message, card });
        }
        _ => {}
    }
}
