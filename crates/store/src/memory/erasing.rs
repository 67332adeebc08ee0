//! Taking words out of what is kept in memory.

use async_trait::async_trait;
use throughline_engine::canon::hex;
use throughline_engine::{LaneKey, Timestamp};

use super::{Approval, Lane, MemoryStore, Tenant, World};
use crate::contract::{
    ApprovalState, EffectState, Erasing, ErasureRow, Fate, Holds, Judge, Kept, Look, Sifted, Store,
    StoreError,
};
use crate::rules::payload_hash;

fn encoded<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn decoded<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    let act = "erase from an approval";
    serde_json::from_str(text).map_err(|error| StoreError::Refused { act, why: error.to_string() })
}

/// Whoever says what becomes of each text.
type Asks<'a> = &'a mut dyn FnMut(&Kept<'_>) -> Fate;

/// Asks about one text; what it becomes, if it changes.
fn fate(judge: Asks<'_>, what: Holds<'_>, text: &str, sifted: &mut Sifted) -> Option<Option<String>> {
    let fate = judge(&Kept { what: what.clone(), text });
    let changed = match fate {
        Fate::Keep => return None,
        Fate::Rewrite(new) if new == text => return None,
        Fate::Rewrite(new) => Some(new),
        Fate::Erase => None,
    };
    sifted.count(&what);
    Some(changed)
}

impl Lane {
    fn sift(&mut self, judge: Asks<'_>, sifted: &mut Sifted) {
        for (revision, turn) in &mut self.turns {
            let revision = *revision;
            if !turn.log.content.is_empty()
                && fate(judge, Holds::Content { revision }, &turn.log.content, sifted).is_some()
            {
                turn.log.content.clear();
                turn.log.salt.clear();
            }
            turn.checkpoint
                .take_if(|state| fate(judge, Holds::Checkpoint { revision }, state, sifted).is_some());
        }
        self.retired.retain(|_, body| match fate(judge, Holds::Record, body, sifted) {
            None => true,
            Some(None) => false,
            Some(Some(text)) => {
                *body = text;
                true
            }
        });
    }

    fn holds(&self, text: &str) -> bool {
        let records = self.records.values().chain(self.retired.values());
        let checkpoints = self.turns.values().filter_map(|turn| turn.checkpoint.as_ref());
        let contents = self.turns.values().map(|turn| &turn.log.content);
        records.chain(checkpoints).chain(contents).chain([&self.head]).any(|kept| kept.contains(text))
    }
}

impl Approval {
    fn sift(&mut self, judge: Asks<'_>, sifted: &mut Sifted) -> Result<(), StoreError> {
        let never = || StoreError::Refused {
            act: "erase from a lane",
            why: "an approval is rewritten, never erased".into(),
        };
        if let Some(text) = fate(judge, Holds::Approval, &encoded(&self.row.approval), sifted) {
            self.row.approval = decoded(&text.ok_or_else(never)?)?;
            if self.row.state == ApprovalState::Pending {
                self.row.state = ApprovalState::Cancelled;
            }
        }
        if let ApprovalState::Decided { change } = &mut self.row.state
            && let Some(text) = fate(judge, Holds::Decided, &encoded(change), sifted)
        {
            *change = decoded(&text.ok_or_else(never)?)?;
        }
        Ok(())
    }
}

impl Tenant {
    pub(super) fn ask_erasure(&mut self, what: &str, now: Timestamp) -> i64 {
        let open = self.erasures.iter().find(|row| row.what == what && row.done_at.is_none());
        if let Some(open) = open {
            return open.number;
        }
        let number = self.erasures.last().map_or(1, |row| row.number + 1);
        self.erasures.push(ErasureRow { number, what: what.into(), asked_at: now, done_at: None });
        number
    }

    fn sift(&mut self, judge: Asks<'_>) -> Sifted {
        let mut sifted = Sifted::default();
        for (key, (_, answer)) in &mut self.requests {
            let row = self.keys.get(key).and_then(|seq| self.inbox.get(seq));
            let turn = row.and_then(|row| self.turns.get(row.turn.as_ref()?));
            let turn = turn.map(|(lane, revision)| (lane.id(), *revision));
            let Some(kept) = answer else { continue };
            match fate(judge, Holds::Answer { turn }, &kept.body, &mut sifted) {
                None => {}
                Some(None) => *answer = None,
                Some(Some(text)) => kept.body = text,
            }
        }
        for set in self.facts.values_mut() {
            set.sift(|body| fate(&mut *judge, Holds::Fact, body, &mut sifted));
        }
        self.documents.retain(|(collection, key), document| {
            match fate(judge, Holds::Document { collection, key }, &document.body, &mut sifted) {
                None => true,
                Some(None) => false,
                Some(Some(text)) => {
                    document.body = text;
                    document.version += 1;
                    true
                }
            }
        });
        sifted
    }
}

impl World {
    fn sift(&mut self, key: &LaneKey, judge: Asks<'_>) -> Result<Sifted, StoreError> {
        let mut sifted = Sifted::default();
        let Some(tenant) = self.tenants.get_mut(&key.tenant) else { return Ok(sifted) };
        if let Some(lane) = tenant.lanes.get_mut(key) {
            lane.sift(judge, &mut sifted);
        }
        for row in
            tenant.inbox.values_mut().filter(|row| row.lane == *key && row.state != crate::RowState::Received)
        {
            if !row.event.is_empty()
                && let Some(text) = fate(judge, Holds::Event, &row.event, &mut sifted)
            {
                row.event = text.unwrap_or_default();
            }
        }
        let approvals = tenant.approvals.values_mut().flat_map(|versions| versions.values_mut());
        for approval in approvals.filter(|approval| approval.row.lane == *key) {
            approval.sift(judge, &mut sifted)?;
        }
        let mut over = Vec::new();
        for (id, effect) in tenant.effects.iter_mut().filter(|(_, effect)| effect.stored.lane == *key) {
            let stored = &mut effect.stored;
            let (revision, class, state) = (stored.revision, stored.row.class, stored.state);
            let what = Holds::Payload { id, revision, class, state };
            let payload = &mut stored.row.payload;
            if !payload.is_empty()
                && let Some(text) = fate(judge, what, payload, &mut sifted)
            {
                if let Some(text) = &text {
                    stored.payload_sha256 = hex(&payload_hash(text));
                } else if matches!(state, EffectState::Planned | EffectState::Uncertain)
                    || state == EffectState::Attempted && !stored.row.outward
                {
                    over.push(id.clone());
                }
                *payload = text.unwrap_or_default();
            }
            if let Some(outcome) = &stored.outcome
                && let Some(text) = fate(judge, Holds::Outcome { id, revision }, outcome, &mut sifted)
            {
                stored.outcome = text;
            }
        }
        for id in over {
            self.end_erased(&key.tenant, &id);
        }
        Ok(sifted)
    }
}

#[async_trait]
impl Erasing for MemoryStore {
    async fn lanes_with(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError> {
        let world = self.world();
        let Some(tenant) = world.tenants.get(tenant) else { return Ok(Vec::new()) };
        let holds = |key: &LaneKey| {
            let effects = tenant.effects.values().filter(|effect| effect.stored.lane == *key);
            let effects = effects.flat_map(|effect| {
                [Some(&effect.stored.row.payload), effect.stored.outcome.as_ref()].into_iter().flatten()
            });
            let events = tenant.inbox.values().filter(|row| row.lane == *key).map(|row| &row.event);
            let approvals = tenant.approvals.values().flat_map(|versions| versions.values());
            let mut approvals = approvals.filter(|approval| approval.row.lane == *key);
            effects.chain(events).any(|kept| kept.contains(text))
                || approvals.any(|approval| encoded(&approval.row.approval).contains(text))
        };
        let lanes = tenant.lane_ids.values().filter(|key| tenant.lanes[*key].holds(text) || holds(key));
        Ok(lanes.cloned().collect())
    }

    async fn look(&self, lane: &LaneKey, seen: &mut Look<'_>) -> Result<(), StoreError> {
        let mut only_looks = |kept: &Kept<'_>| {
            seen(kept);
            Fate::Keep
        };
        self.world().sift(lane, &mut only_looks).map(drop)
    }

    async fn sift(&self, lane: &LaneKey, judge: Judge) -> Result<Sifted, StoreError> {
        self.world().sift(lane, &mut |kept| judge(kept))
    }

    async fn sift_tenant(&self, tenant: &str, judge: Judge) -> Result<Sifted, StoreError> {
        Ok(self.world().tenant(tenant).sift(&mut |kept| judge(kept)))
    }

    async fn scour(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn ask_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError> {
        let now = self.now();
        Ok(self.world().tenant(tenant).ask_erasure(what, now))
    }

    async fn erasure_done(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError> {
        let now = self.now();
        let mut world = self.world();
        let tenant = world.tenant(tenant);
        let open = tenant.erasures.iter_mut().find(|row| row.number == number && row.done_at.is_none());
        let Some(row) = open else { return Ok(false) };
        row.done_at = Some(now);
        tenant.append_audit(audit);
        Ok(true)
    }

    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError> {
        let world = self.world();
        let rows = world.tenants.get(tenant).into_iter().flat_map(|tenant| &tenant.erasures);
        Ok(rows.filter(|row| !open || row.done_at.is_none()).cloned().collect())
    }
}
