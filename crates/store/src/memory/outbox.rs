//! Effects on their way out, in memory.

use std::ops::{Bound, RangeInclusive};

use async_trait::async_trait;
use throughline_engine::data::canonical_json::{Hash, hex};
use throughline_engine::data::effect::{EffectBody, EffectClass};
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::{Data, Effect, MemoryStore};
use crate::contract::{
    EffectState, Leased, Mark, Outbox, OutboxRow, Performer, SettleTo, Settlement, Store, StoreError,
    StoredEffect, ToMark, TurnCommit, lease_of,
};
use crate::rules::{
    deadline, dependency_outcome, drops_prompt, first_state, next_attempt, pause_holds, payload_hash,
};

/// Moment at which a host's effect without a deadline is overdue.
pub(super) const NEVER: Timestamp = Timestamp(i64::MAX);

#[async_trait]
impl Outbox for MemoryStore {
    async fn lease(&self, _owner: &str, limit: u32) -> Result<Vec<Leased>, StoreError> {
        let now = self.now();
        Ok(self.lock().lease(limit, now))
    }

    async fn mark(&self, tenant: &str, id: &EffectId, fence: i64, held: &Hash) -> Result<Mark, StoreError> {
        let now = self.now();
        Ok(self.lock().mark(tenant, id, fence, held, now))
    }

    async fn lease_behind(
        &self,
        first: &Leased,
        count: RangeInclusive<u32>,
    ) -> Result<Vec<Leased>, StoreError> {
        let now = self.now();
        Ok(self.lock().lease_behind(first, &count, now))
    }

    async fn mark_together(&self, tenant: &str, attempts: &[ToMark]) -> Result<Vec<Mark>, StoreError> {
        let now = self.now();
        let mut data = self.lock();
        let mark = |ToMark { id, fence, held }: &ToMark| data.mark(tenant, id, *fence, held, now);
        Ok(attempts.iter().map(mark).collect())
    }

    async fn settle(&self, settlement: Settlement) -> Result<bool, StoreError> {
        let now = self.now();
        self.lock().settle(settlement, now)
    }

    async fn overdue(&self, limit: u32) -> Result<Vec<StoredEffect>, StoreError> {
        let now = self.now();
        let data = self.lock();
        let woken = data.wakes.iter().take_while(|(wake, _)| *wake <= now);
        let hosts = woken.filter_map(|(_, n)| {
            let (tenant, id) = &data.effects[n];
            data.effect(tenant, id).filter(|effect| {
                let hosted = effect.stored.row.performer == Performer::Host;
                hosted && effect.stored.state == EffectState::Attempted
            })
        });
        Ok(hosts.take(limit as usize).map(|effect| effect.stored.clone()).collect())
    }
}

impl Data {
    /// Inserts the effects of a turn.
    pub(super) fn plan(&mut self, turn: &TurnCommit, now: Timestamp) {
        for row in &turn.outbox {
            let ends = row.deadline.map(|at| deadline(at, turn.log.at, now));
            let row = &OutboxRow { deadline: ends, ..row.clone() };
            if row.class == EffectClass::CardUpdate && row.performer == Performer::Us {
                self.supersede(&turn.lane, &row.stream);
            }
            self.plan_one(turn, row, now);
        }
    }

    fn plan_one(&mut self, turn: &TurnCommit, row: &OutboxRow, now: Timestamp) {
        self.planned += 1;
        let (n, tenant) = (self.planned, turn.lane.tenant.as_str());
        let waits = self.waits(tenant, row);
        let (state, attempts) = first_state(row.performer, waits);
        let stored = StoredEffect {
            row: row.clone(),
            lane: turn.lane.clone(),
            turn: turn.log.turn.clone(),
            revision: turn.expected_revision + 1,
            state,
            attempts,
            created_at: now,
            not_before: now,
            outcome: None,
            payload_sha256: hex(&payload_hash(&row.payload)),
        };
        let effect = Effect { n, stored, fence: 0, leased: false, wake: None, dependents: Vec::new() };
        self.tenant(tenant).effects.insert(row.id.clone(), effect);
        self.effects.insert(n, (tenant.into(), row.id.clone()));
        let mut lost = false;
        for id in &row.depends_on {
            let Some(on) = self.tenant(tenant).effects.get_mut(id) else { continue };
            on.dependents.push(row.id.clone());
            lost |= matches!(on.stored.state, EffectState::Failed | EffectState::Cancelled);
        }
        match row.performer {
            Performer::Us | Performer::Host if lost && waits => {
                self.end(tenant, &row.id, EffectState::Failed, Some(dependency_outcome()))
            }
            Performer::Us => self.open(tenant, &row.id, now),
            Performer::Host => self.open(tenant, &row.id, row.deadline.unwrap_or(NEVER)),
        }
    }

    /// Returns true if a dependency is not done yet.
    fn waits(&self, tenant: &str, row: &OutboxRow) -> bool {
        let done = |id| self.effect(tenant, id).is_some_and(|on| on.stored.state == EffectState::Done);
        !row.depends_on.iter().all(done)
    }

    /// Offers an effect to its host if all its dependencies are done. The offer counts as the mark.
    fn offer(&mut self, tenant: &str, id: &EffectId) {
        let Some(effect) = self.effect(tenant, id) else { return };
        let hosted = effect.stored.row.performer == Performer::Host;
        if !hosted || effect.stored.state != EffectState::Planned || self.waits(tenant, &effect.stored.row) {
            return;
        }
        if let Some(effect) = self.tenants.get_mut(tenant).and_then(|t| t.effects.get_mut(id)) {
            (effect.stored.state, effect.stored.attempts) = (EffectState::Attempted, 1);
        }
    }

    /// Enters an effect into the indexes of open ones.
    fn open(&mut self, tenant: &str, id: &EffectId, wake: Timestamp) {
        self.wake(tenant, id, Some(wake));
        let effect = &self.tenants[tenant].effects[id];
        let (n, row) = (effect.n, &effect.stored.row);
        if row.performer == Performer::Us && !row.stream.is_empty() {
            let stream = (effect.stored.lane.clone(), row.stream.clone());
            self.streams.entry(stream).or_default().insert(n);
        }
    }

    fn wake(&mut self, tenant: &str, id: &EffectId, wake: Option<Timestamp>) {
        let Some(effect) = self.tenants.get_mut(tenant).and_then(|t| t.effects.get_mut(id)) else { return };
        if let Some(before) = effect.wake {
            self.wakes.remove(&(before, effect.n));
        }
        effect.wake = wake;
        if let Some(wake) = wake {
            self.wakes.insert((wake, effect.n));
        }
    }

    /// Ends an effect. If it was not done, everything that depends on it fails.
    fn end(&mut self, tenant: &str, id: &EffectId, state: EffectState, outcome: Option<String>) {
        self.wake(tenant, id, None);
        let Some(effect) = self.tenants.get_mut(tenant).and_then(|t| t.effects.get_mut(id)) else { return };
        effect.stored.state = state;
        effect.stored.outcome = outcome;
        if drops_prompt(effect.stored.row.class, state) {
            remove_prompt(&mut effect.stored.row.payload);
        }
        effect.fence += 1;
        effect.leased = false;
        let dependents = effect.dependents.clone();
        let stream = (effect.stored.lane.clone(), effect.stored.row.stream.clone());
        if let Some(open) = self.streams.get_mut(&stream) {
            open.remove(&effect.n);
            if open.is_empty() {
                self.streams.remove(&stream);
            }
        }
        if state == EffectState::Done {
            dependents.iter().for_each(|id| self.offer(tenant, id));
        }
        if matches!(state, EffectState::Failed | EffectState::Cancelled) {
            for id in dependents {
                if self.effect(tenant, &id).is_some_and(|e| e.stored.state == EffectState::Planned) {
                    self.end(tenant, &id, EffectState::Failed, Some(dependency_outcome()));
                }
            }
        }
    }

    /// Cancels the updates of a card that have not begun, because a newer one replaces them.
    fn supersede(&mut self, lane: &LaneKey, stream: &str) {
        let open = self.streams.get(&(lane.clone(), stream.to_owned())).cloned().unwrap_or_default();
        for n in open {
            let (tenant, id) = self.effects[&n].clone();
            if self.effect(&tenant, &id).is_some_and(|e| e.stored.state == EffectState::Planned) {
                self.end(&tenant, &id, EffectState::Cancelled, None);
            }
        }
    }

    pub(super) fn cancel(&mut self, tenant: &str, id: &EffectId) {
        let cancellable = self.effect(tenant, id).is_some_and(|effect| match effect.stored.state {
            EffectState::Planned | EffectState::Uncertain => true,
            EffectState::Attempted => effect.stored.row.class == EffectClass::TurnHandover,
            _ => false,
        });
        if cancellable {
            self.end(tenant, id, EffectState::Cancelled, None);
        }
    }

    /// Cancels an effect whose payload is erased, whatever its state. An outcome stays.
    pub(super) fn end_erased(&mut self, tenant: &str, id: &EffectId) {
        let outcome = self.effect(tenant, id).and_then(|effect| effect.stored.outcome.clone());
        self.end(tenant, id, EffectState::Cancelled, outcome);
    }

    pub(super) fn adopt(&mut self, tenant: &str, id: &EffectId, outcome: &str) {
        if self.effect(tenant, id).is_some_and(|effect| effect.stored.state == EffectState::Uncertain) {
            self.end(tenant, id, EffectState::Done, Some(outcome.into()));
        }
    }

    fn lease(&mut self, limit: u32, now: Timestamp) -> Vec<Leased> {
        let woken: Vec<u64> =
            self.wakes.iter().take_while(|(wake, _)| *wake <= now).map(|(_, n)| *n).collect();
        let mut leased = Vec::new();
        for n in woken {
            if leased.len() >= limit as usize {
                break;
            }
            let (tenant, id) = self.effects[&n].clone();
            if self.may_start(&tenant, &id) {
                leased.push(self.take(&tenant, &id, now));
            }
        }
        leased
    }

    /// Leases an effect that is there.
    fn take(&mut self, tenant: &str, id: &EffectId, now: Timestamp) -> Leased {
        let class = self.tenant(tenant).effects[id].stored.row.class;
        self.wake(tenant, id, Some(now.plus(lease_of(class))));
        let effect = self.tenant(tenant).effects.get_mut(id).expect("it was just found");
        effect.fence += 1;
        effect.leased = true;
        Leased {
            effect: effect.stored.clone(),
            fence: effect.fence,
            found_attempted: effect.stored.state == EffectState::Attempted,
        }
    }

    fn lease_behind(&mut self, first: &Leased, count: &RangeInclusive<u32>, now: Timestamp) -> Vec<Leased> {
        let tenant = first.effect.lane.tenant.as_str();
        let held = |effect: &&Effect| {
            let leased = effect.leased && effect.fence == first.fence;
            let begun = effect.stored.state != EffectState::Planned;
            leased && !begun && effect.wake.is_some_and(|until| now < until)
        };
        let Some(head) = self.effect(tenant, &first.effect.row.id).filter(held) else { return Vec::new() };
        let stream = (head.stored.lane.clone(), head.stored.row.stream.clone());
        let Some(open) = self.streams.get(&stream) else { return Vec::new() };
        let joins = |(tenant, id): &&(String, EffectId)| {
            self.effect(tenant, id).is_some_and(|effect| effect.joins(head, now))
        };
        let behind = open.range((Bound::Excluded(head.n), Bound::Unbounded)).map(|n| &self.effects[n]);
        let behind = behind.take_while(joins).take(*count.end() as usize).cloned();
        let behind: Vec<(String, EffectId)> = behind.collect();
        if behind.len() < *count.start() as usize {
            return Vec::new();
        }
        behind.iter().map(|(tenant, id)| self.take(tenant, id, now)).collect()
    }

    fn may_start(&self, tenant: &str, id: &EffectId) -> bool {
        let Some(effect) = self.effect(tenant, id) else { return false };
        let row = &effect.stored.row;
        let done = |id| self.effect(tenant, id).is_some_and(|e| e.stored.state == EffectState::Done);
        let stream = self.streams.get(&(effect.stored.lane.clone(), row.stream.clone()));
        row.performer == Performer::Us
            && row.depends_on.iter().all(done)
            && stream.and_then(|open| open.first()).is_none_or(|first| *first == effect.n)
            && !self.waits_for_post(effect)
    }

    /// Returns true for an update of a card whose post has not ended yet.
    fn waits_for_post(&self, effect: &Effect) -> bool {
        let row = &effect.stored.row;
        let Some(card) = row.stream.strip_prefix(EffectBody::CARD_STREAM) else { return false };
        let lane = (effect.stored.lane.clone(), EffectBody::LANE_STREAM.to_owned());
        let posts = |n: &u64| {
            let (tenant, id) = &self.effects[n];
            self.effect(tenant, id).is_some_and(|earlier| {
                earlier.stored.row.class == EffectClass::CardPost && posts_card(&earlier.stored.row, card)
            })
        };
        row.class == EffectClass::CardUpdate
            && self.streams.get(&lane).is_some_and(|open| open.range(..effect.n).any(posts))
    }

    fn mark(&mut self, tenant: &str, id: &EffectId, fence: i64, held: &Hash, now: Timestamp) -> Mark {
        let tenant = self.tenant(tenant);
        let Some(effect) = tenant.effects.get_mut(id) else { return Mark::LeaseLost };
        let leased = effect.leased && effect.fence == fence && effect.wake.is_some_and(|until| now < until);
        if !leased {
            return Mark::LeaseLost;
        }
        let row = &effect.stored.row;
        if tenant.pause.as_ref().is_some_and(|pause| pause_holds(pause, row.class, row.outward)) {
            return Mark::Paused;
        }
        let consumed = |approval: &throughline_engine::data::effect::ApprovalRef| {
            tenant.consumed.contains_key(&(approval.card.clone(), approval.version))
        };
        if !row.approval.as_ref().map_or(!row.outward, consumed) {
            return Mark::NoApproval;
        }
        let stored = payload_hash(&row.payload);
        let released = |approval: &throughline_engine::data::effect::ApprovalRef| {
            let releases = tenant.consumed.get(&(approval.card.clone(), approval.version));
            releases.is_some_and(|releases| releases.contains(&hex(&stored)))
        };
        let approved = !row.outward || row.approval.as_ref().is_some_and(released);
        if stored != *held || hex(&stored) != effect.stored.payload_sha256 || !approved {
            return Mark::PayloadDiffers;
        }
        effect.stored.state = EffectState::Attempted;
        effect.stored.attempts += 1;
        let attempts = effect.stored.attempts;
        let (name, class) = (effect.stored.lane.tenant.clone(), effect.stored.row.class);
        self.wake(&name, id, Some(now.plus(lease_of(class))));
        Mark::Attempt(attempts)
    }

    /// Ends the effect or plans it again. Returns false if nothing was written.
    fn settle(&mut self, settlement: Settlement, now: Timestamp) -> Result<bool, StoreError> {
        let Settlement { tenant, id, fence, to, message, event } = settlement;
        let refused = |why| Err(StoreError::Refused { act: "settle an effect", why });
        if let SettleTo::End(state @ (EffectState::Planned | EffectState::Attempted), _) = to {
            return refused(format!("{state:?} is not an end of effect {id}"));
        }
        let Some(effect) = self.effect(&tenant, &id).filter(|effect| effect.may_settle(fence)) else {
            return Ok(false);
        };
        let lane = effect.stored.lane.clone();
        match to {
            SettleTo::End(state, outcome) => self.end(&tenant, &id, state, Some(outcome)),
            SettleTo::Retry(at) => self.retry(&tenant, &id, next_attempt(at, now), None),
            SettleTo::Unsure(at, outcome) => self.retry(&tenant, &id, next_attempt(at, now), Some(outcome)),
        }
        if let Some((channel_id, internal)) = message {
            let lane = self.lane(&lane, now);
            let sent = lane.sent.entry(internal.clone()).or_default();
            if !sent.contains(&channel_id) {
                sent.push(channel_id.clone());
            }
            lane.messages.insert(channel_id, internal);
        }
        if let Some(event) = event {
            self.accept(event, now)?;
        }
        Ok(true)
    }

    fn retry(&mut self, tenant: &str, id: &EffectId, at: Timestamp, unsure: Option<String>) {
        self.wake(tenant, id, Some(at));
        if let Some(effect) = self.tenant(tenant).effects.get_mut(id) {
            effect.stored.state = EffectState::Planned;
            effect.stored.not_before = at;
            effect.stored.outcome = unsure.or(effect.stored.outcome.take());
            effect.fence += 1;
            effect.leased = false;
        }
    }
}

impl Effect {
    /// True if it may be performed together with another one, whose dependencies are done.
    fn joins(&self, head: &Self, now: Timestamp) -> bool {
        let (ours, theirs) = (&self.stored, &head.stored);
        ours.state == EffectState::Planned
            && self.wake.is_some_and(|wake| wake <= now)
            && ours.revision == theirs.revision
            && ours.row.class == theirs.row.class
            && ours.row.depends_on == theirs.row.depends_on
    }

    // A worker settles what it leased, a host what it was offered. An uncertain effect may be settled without a lease,
    // by whoever finds out.
    fn may_settle(&self, fence: Option<i64>) -> bool {
        let open = matches!(self.stored.state, EffectState::Planned | EffectState::Attempted);
        match fence {
            Some(fence) => open && self.leased && self.fence == fence,
            None => {
                let offered = self.stored.state == EffectState::Attempted
                    && self.stored.row.performer == Performer::Host;
                offered || self.stored.state == EffectState::Uncertain
            }
        }
    }
}

fn posts_card(post: &OutboxRow, card: &str) -> bool {
    let body = serde_json::from_str::<serde_json::Value>(&post.payload);
    body.is_ok_and(|body| body["card"]["id"] == card)
}

fn remove_prompt(payload: &mut String) {
    let Ok(mut body) = serde_json::from_str::<serde_json::Value>(payload) else { return };
    if let Some(prompt) = body.get_mut("prompt").and_then(serde_json::Value::as_object_mut) {
        prompt.remove("sections");
    }
    if let Some(body) = body.as_object_mut() {
        body.remove("messages");
    }
    *payload = body.to_string();
}
