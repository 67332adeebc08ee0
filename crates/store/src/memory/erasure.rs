//! Erasure of personal words in memory.

use async_trait::async_trait;
use throughline_engine::data::canonical_json::hex;
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::{Approval, Data, Effect, Lane, MemoryStore, Tenant};
use crate::contract::{
    ApprovalState, EffectState, Erasure, ErasureRow, Redaction, RedactionCounts, Redactor, RowState, Store,
    StoreError, StoredText, TextSource, TextVisitor,
};
use crate::rules::payload_hash;

fn encoded<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn decoded<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    let act = "erase from an approval";
    serde_json::from_str(text).map_err(|error| StoreError::Refused { act, why: error.to_string() })
}

type Redact<'a> = &'a mut dyn FnMut(&StoredText<'_>) -> Redaction;

/// Change of one text.
#[derive(PartialEq, Eq)]
pub(super) enum Change {
    None,
    Rewrite(String),
    Erase,
}

impl Change {
    /// Rewrites `text` if that is the change. Returns false if the text is to be erased.
    pub(super) fn apply(self, text: &mut String) -> bool {
        match self {
            Self::None => true,
            Self::Rewrite(new) => {
                *text = new;
                true
            }
            Self::Erase => false,
        }
    }
}

/// Asks what becomes of a text, and counts it if it changes.
fn decide(redact: Redact<'_>, source: TextSource<'_>, text: &str, counts: &mut RedactionCounts) -> Change {
    let change = match redact(&StoredText { source: source.clone(), text }) {
        Redaction::Keep => return Change::None,
        Redaction::Rewrite(new) if new == text => return Change::None,
        Redaction::Rewrite(new) => Change::Rewrite(new),
        Redaction::Erase => Change::Erase,
    };
    counts.count(&source);
    change
}

impl Lane {
    fn redact(&mut self, redact: Redact<'_>, counts: &mut RedactionCounts) {
        for (&revision, turn) in &mut self.turns {
            let log = &mut turn.log;
            if !log.content.is_empty()
                && decide(redact, TextSource::Content { revision }, &log.content, counts) != Change::None
            {
                log.content.clear();
                log.salt.clear();
            }
            turn.checkpoint.take_if(|state| {
                decide(redact, TextSource::Checkpoint { revision }, state, counts) != Change::None
            });
        }
        self.participants.retain(|person| {
            decide(redact, TextSource::Participant, &encoded(person), counts) == Change::None
        });
        self.retired.retain(|_, body| decide(redact, TextSource::Record, body, counts).apply(body));
    }

    fn holds(&self, text: &str) -> bool {
        let records = self.records.values().chain(self.retired.values());
        let checkpoints = self.turns.values().filter_map(|turn| turn.checkpoint.as_ref());
        let contents = self.turns.values().map(|turn| &turn.log.content);
        records.chain(checkpoints).chain(contents).chain([&self.head]).any(|stored| stored.contains(text))
            || self.participants.iter().any(|person| encoded(person).contains(text))
    }
}

impl Approval {
    fn redact(&mut self, redact: Redact<'_>, counts: &mut RedactionCounts) -> Result<(), StoreError> {
        let refused = || {
            let why = "an approval is rewritten, never erased".into();
            Err(StoreError::Refused { act: "erase from a lane", why })
        };
        match decide(redact, TextSource::Approval, &encoded(&self.row.approval), counts) {
            Change::None => {}
            Change::Erase => return refused(),
            Change::Rewrite(text) => {
                self.row.approval = decoded(&text)?;
                if self.row.state == ApprovalState::Pending {
                    self.row.state = ApprovalState::Cancelled;
                }
            }
        }
        if let ApprovalState::Decided { change } = &mut self.row.state {
            match decide(redact, TextSource::Decision, &encoded(change), counts) {
                Change::None => {}
                Change::Erase => return refused(),
                Change::Rewrite(text) => *change = decoded(&text)?,
            }
        }
        Ok(())
    }
}

impl Tenant {
    /// Enters an erasure, unless an open one with the same subject is there.
    pub(super) fn request_erasure(&mut self, what: &str, now: Timestamp) -> i64 {
        let open = self.erasures.iter().find(|row| row.what == what && row.done_at.is_none());
        if let Some(open) = open {
            return open.number;
        }
        let number = self.erasures.last().map_or(1, |row| row.number + 1);
        self.erasures.push(ErasureRow { number, what: what.into(), asked_at: now, done_at: None });
        number
    }

    fn redact(&mut self, redact: Redact<'_>) -> RedactionCounts {
        let mut counts = RedactionCounts::default();
        for (key, (_, response)) in &mut self.requests {
            let row = self.keys.get(key).and_then(|seq| self.inbox.get(seq));
            let turn = row.and_then(|row| self.turns.get(row.turn.as_ref()?));
            let turn = turn.map(|(lane, revision)| (lane.id(), *revision));
            response.take_if(|response| {
                let body = &mut response.body;
                !decide(redact, TextSource::Response { turn }, body, &mut counts).apply(body)
            });
        }
        for set in self.facts.values_mut() {
            set.redact(|body| decide(redact, TextSource::Fact, body, &mut counts));
        }
        self.documents.retain(|(collection, key), document| {
            let source = TextSource::Document { collection, key, about: &document.about };
            let change = decide(redact, source, &document.body, &mut counts);
            document.version += u64::from(change != Change::None);
            change.apply(&mut document.body)
        });
        counts
    }
}

impl Data {
    fn redact(&mut self, key: &LaneKey, redact: Redact<'_>) -> Result<RedactionCounts, StoreError> {
        let mut counts = RedactionCounts::default();
        let Some(tenant) = self.tenants.get_mut(&key.tenant) else { return Ok(counts) };
        if let Some(lane) = tenant.lanes.get_mut(key) {
            lane.redact(redact, &mut counts);
        }
        for row in tenant.inbox.values_mut().filter(|row| row.lane == *key) {
            let ended = row.state != RowState::Received;
            if let Some(event) = row.event.as_mut().filter(|_| ended)
                && !decide(redact, TextSource::Event, &event.text, &mut counts).apply(&mut event.text)
            {
                row.event = None;
            }
        }
        let approvals = tenant.approvals.values_mut().flat_map(|versions| versions.values_mut());
        for approval in approvals.filter(|approval| approval.row.lane == *key) {
            approval.redact(redact, &mut counts)?;
        }
        let effects = tenant.effects.iter_mut().filter(|(_, effect)| effect.stored.lane == *key);
        let cancelled: Vec<EffectId> = effects
            .filter_map(|(id, effect)| effect.redact(id, redact, &mut counts).then(|| id.clone()))
            .collect();
        for id in cancelled {
            self.end_erased(&key.tenant, &id);
        }
        Ok(counts)
    }
}

impl Effect {
    /// Redacts payload and outcome. Returns true if the effect is to be cancelled because its payload is gone.
    fn redact(&mut self, id: &EffectId, redact: Redact<'_>, counts: &mut RedactionCounts) -> bool {
        let stored = &mut self.stored;
        let (revision, class, state) = (stored.revision, stored.row.class, stored.state);
        let mut cancelled = false;
        if !stored.row.payload.is_empty() {
            let payload = &mut stored.row.payload;
            let source = TextSource::Payload { id, revision, class, state };
            match decide(redact, source, payload, counts) {
                Change::None => {}
                Change::Rewrite(text) => {
                    stored.payload_sha256 = hex(&payload_hash(&text));
                    *payload = text;
                }
                Change::Erase => {
                    payload.clear();
                    cancelled = match state {
                        EffectState::Planned | EffectState::Uncertain => true,
                        // An outward request may have arrived: its end is still recorded.
                        EffectState::Attempted => !stored.row.outward,
                        EffectState::Done | EffectState::Failed | EffectState::Cancelled => false,
                    };
                }
            }
        }
        stored.outcome.take_if(|outcome| {
            !decide(redact, TextSource::Outcome { id, revision }, outcome, counts).apply(outcome)
        });
        cancelled
    }
}

#[async_trait]
impl Erasure for MemoryStore {
    async fn lanes_containing(&self, tenant: &str, text: &str) -> Result<Vec<LaneKey>, StoreError> {
        let data = self.lock();
        let Some(tenant) = data.tenants.get(tenant) else { return Ok(Vec::new()) };
        let holds = |key: &LaneKey| {
            let effects = tenant.effects.values().filter(|effect| effect.stored.lane == *key);
            let effects = effects.flat_map(|effect| {
                [Some(&effect.stored.row.payload), effect.stored.outcome.as_ref()].into_iter().flatten()
            });
            let rows = tenant.inbox.values().filter(|row| row.lane == *key);
            let events = rows.filter_map(|row| Some(&row.event.as_ref()?.text));
            let approvals = tenant.approvals.values().flat_map(|versions| versions.values());
            let mut approvals = approvals.filter(|approval| approval.row.lane == *key);
            effects.chain(events).any(|stored| stored.contains(text))
                || approvals.any(|approval| encoded(&approval.row.approval).contains(text))
        };
        let lanes = tenant.lane_ids.values().filter(|key| tenant.lanes[*key].holds(text) || holds(key));
        Ok(lanes.cloned().collect())
    }

    async fn visit(&self, lane: &LaneKey, visitor: &mut TextVisitor<'_>) -> Result<(), StoreError> {
        let mut keep = |text: &StoredText<'_>| {
            visitor(text);
            Redaction::Keep
        };
        self.lock().redact(lane, &mut keep).map(drop)
    }

    async fn redact(&self, lane: &LaneKey, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        self.lock().redact(lane, &mut |text| redactor(text))
    }

    async fn redact_tenant(&self, tenant: &str, redactor: Redactor) -> Result<RedactionCounts, StoreError> {
        Ok(self.lock().tenant(tenant).redact(&mut |text| redactor(text)))
    }

    async fn vacuum(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn request_erasure(&self, tenant: &str, what: &str) -> Result<i64, StoreError> {
        let now = self.now();
        Ok(self.lock().tenant(tenant).request_erasure(what, now))
    }

    async fn finish_erasure(&self, tenant: &str, number: i64, audit: &str) -> Result<bool, StoreError> {
        let now = self.now();
        let mut data = self.lock();
        let tenant = data.tenant(tenant);
        let open = tenant.erasures.iter_mut().find(|row| row.number == number && row.done_at.is_none());
        let Some(row) = open else { return Ok(false) };
        row.done_at = Some(now);
        tenant.append_audit(audit);
        Ok(true)
    }

    async fn erasures(&self, tenant: &str, open: bool) -> Result<Vec<ErasureRow>, StoreError> {
        let data = self.lock();
        let rows = data.tenants.get(tenant).into_iter().flat_map(|tenant| &tenant.erasures);
        Ok(rows.filter(|row| !open || row.done_at.is_none()).cloned().collect())
    }
}
