//! What was seen: the turns committed since the last look, and what their effects showed to whom.

use std::collections::BTreeMap;

use throughline_engine::ask::Ask;
use throughline_engine::effect::EffectBody;
use throughline_engine::{EffectId, LaneKey};
use throughline_models::Prompt;
use throughline_runtime::record::{Shown, Turn};
use throughline_runtime::{Runtime, Stop};
use throughline_store::EffectState;
use throughline_testkit::driver::{SeenCard, SeenMessage, SeenNotice, SeenTurn, TurnSeen};

use crate::world::{Outside, TENANT};

/// How far each lane was looked at, and what had reached the world by then.
#[derive(Default)]
pub(crate) struct Looked {
    revisions: BTreeMap<LaneKey, u64>,
    issues: usize,
    calls: BTreeMap<&'static str, usize>,
    posts: u64,
    comments: usize,
    ran: usize,
    asks: usize,
    waiting: Vec<(String, throughline_engine::EffectId)>,
}

impl Looked {
    /// Nothing of what is there now counts as seen later.
    pub(crate) async fn skip(
        &mut self,
        outside: &Outside,
        host: &Runtime,
        lanes: &[(String, LaneKey)],
    ) -> Result<(), Stop> {
        self.look(outside, host, lanes).await.map(drop)
    }

    pub(crate) async fn look(
        &mut self,
        outside: &Outside,
        host: &Runtime,
        lanes: &[(String, LaneKey)],
    ) -> Result<TurnSeen, Stop> {
        let mut seen = TurnSeen::default();
        let mut turns = Vec::new();
        for (name, key) in lanes {
            let after = self.revisions.entry(key.clone()).or_default();
            for stored in host.store().turns(key, *after, 10_000).await? {
                *after = stored.revision;
                let turn = Turn::read(&stored)
                    .map_err(|e| Stop::Unreadable { what: "a turn row".into(), why: e.to_string() })?;
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
                // Where people read from the store, a post is an event of the root's lane.
                *seen.outward.entry("post.channel".into()).or_default() += 1;
            }
            let derived =
                ["post:", "fx:", "timer:", "notice:"].iter().any(|prefix| turn.row.key.starts_with(prefix));
            let delivery = (!derived).then(|| turn.row.key.clone());
            seen.turns.push(SeenTurn { lane: name, delivery, summary: turn.summary() });
        }
        self.shown(host, &mut seen).await?;
        self.reached(outside, &mut seen).await;
        Ok(seen)
    }

    /// What effects that are done by now showed; the others are looked at again next time.
    async fn shown(&mut self, host: &Runtime, seen: &mut TurnSeen) -> Result<(), Stop> {
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

    async fn reached(&mut self, outside: &Outside, seen: &mut TurnSeen) {
        let project = outside.tracker.config().projects.keys().next().cloned().unwrap_or_default();
        let all = outside.tracker.issues(TENANT, &project, None, 10_000).await.unwrap_or_default();
        let (issues, comments) = (all.len(), all.iter().map(|issue| issue.comments.len()).sum::<usize>());
        if comments > self.comments {
            let new = u32::try_from(comments - self.comments).unwrap_or(u32::MAX);
            seen.outward.insert("tracker.update".into(), new);
        }
        self.comments = comments;
        if issues > self.issues {
            let new = u32::try_from(issues - self.issues).unwrap_or(u32::MAX);
            seen.outward.insert("tracker.create".into(), new);
        }
        self.issues = issues;
        let posts = outside.channel.posted();
        if posts > self.posts {
            let new = u32::try_from(posts - self.posts).unwrap_or(u32::MAX);
            seen.outward.insert("post.channel".into(), new);
        }
        self.posts = posts;
        for class in ["tool.call", "agent.delegate"] {
            let made: usize = outside.workers.values().map(|worker| worker.outward(class)).sum();
            let before = self.calls.insert(class, made).unwrap_or_default();
            if made > before {
                seen.outward.insert(class.into(), u32::try_from(made - before).unwrap_or(u32::MAX));
            }
        }
        let ran = outside.hosting.ran();
        if ran > self.ran {
            let new = u32::try_from(ran - self.ran).unwrap_or(u32::MAX);
            seen.outward.insert("option.execute".into(), new);
        }
        self.ran = ran;
        let asked = outside.model.as_ref().map(|model| model.journal()).unwrap_or_default();
        let new = asked.get(self.asks..).unwrap_or_default();
        seen.model_calls = u32::try_from(new.len()).unwrap_or(u32::MAX);
        seen.prompts = new.iter().map(|asked| prompt(&asked.ask)).collect();
        self.asks = asked.len();
    }
}

/// A question as a model reads it.
fn prompt(ask: &Ask) -> String {
    let prompt = Prompt::of(ask, &EffectId::from("fx"));
    format!("{}\n{}", prompt.system, prompt.user)
}

/// What the commit delivered, as whoever reads the lane sees it.
async fn read_there(
    host: &Runtime,
    lane: &str,
    key: &LaneKey,
    shown: &Shown,
    seen: &mut TurnSeen,
) -> Result<(), Stop> {
    let lane = lane.to_owned();
    match shown {
        Shown::Notice { to, text } => {
            seen.told.push(SeenNotice { lane, to: to.clone(), text: text.clone() });
        }
        Shown::Message(id) => {
            for view in host.messages(key, std::slice::from_ref(id)).await? {
                let (lane, message) = (lane.clone(), view.id);
                match view.card {
                    Some(card) => seen.cards.push(SeenCard { lane, message, card }),
                    None => seen.said.push(SeenMessage { lane, message, kind: None, text: view.text }),
                }
            }
        }
    }
    Ok(())
}

fn show(host: &Runtime, lane: String, payload: &str, seen: &mut TurnSeen) {
    match serde_json::from_str(payload) {
        Ok(EffectBody::Reply { message, text, .. }) => {
            seen.said.push(SeenMessage { lane, message, kind: None, text })
        }
        Ok(EffectBody::Notice { to, text }) => seen.told.push(SeenNotice { lane, to, text }),
        Ok(EffectBody::CardPost { message, mut card } | EffectBody::CardUpdate { message, mut card }) => {
            host.keys().fill(TENANT, &mut card);
            seen.cards.push(SeenCard { lane, message, card });
        }
        _ => {}
    }
}
