//! Building blocks of the cases: lanes, deliveries, effects, and a writer that commits turns.

use throughline_engine::data::action::Action;
use throughline_engine::data::actor::Presser;
use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::effect::{ApprovalRef, EffectClass};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::START;
use crate::{
    Accepted, Claim, CommitResult, Delivery, DeliveryIdentity, EffectState, InboxEnd, Leased, LogRow, Mark,
    OutboxRow, Performer, QueueLimit, RecordOp, RecordWrite, RowState, Seq, SettleTo, Settlement, Store,
    StoreError, TurnCommit,
};

/// Returns a lane of tenant `acme`.
#[must_use]
pub fn lane(conversation: &str) -> LaneKey {
    lane_of("acme", conversation)
}

/// Returns a lane of a tenant.
#[must_use]
pub fn lane_of(tenant: &str, conversation: &str) -> LaneKey {
    LaneKey::new(tenant, "A1", "slack", conversation, "")
}

/// Returns a delivery under one key, without a limit.
#[must_use]
pub fn delivery(lane: &LaneKey, key: &str) -> Delivery {
    Delivery {
        identity: identity(lane, key),
        kind: "message.posted".into(),
        event: format!("event of {key}"),
        limit: None,
    }
}

/// Returns the identity of a delivery under one key.
#[must_use]
pub fn identity(lane: &LaneKey, key: &str) -> DeliveryIdentity {
    DeliveryIdentity::new(lane.clone(), key)
}

/// Returns the identity of a delivery to lane `C1` under two keys.
#[must_use]
pub fn two_keys(key: &str, other: &str) -> DeliveryIdentity {
    DeliveryIdentity { more_keys: vec![other.into()], ..identity(&lane("C1"), key) }
}

/// Accepts a delivery under a new key, and returns its position.
pub async fn accept(store: &dyn Store, lane: &LaneKey, key: &str) -> Seq {
    assert_eq!(store.accept(delivery(lane, key)).await.unwrap(), Accepted::New);
    store.waiting(lane, u32::MAX).await.unwrap().last().expect("it waits").seq
}

/// Returns a delivery to a lane in which at most `max` rows may wait.
#[must_use]
pub fn limited(lane: &LaneKey, key: &str, max: u32) -> Delivery {
    let (notice_key, notice) = (format!("notice:queue_full:{key}"), format!("notice of {key}"));
    Delivery { limit: Some(QueueLimit { max, notice_key, notice }), ..delivery(lane, key) }
}

/// Returns a reply in the lane's stream.
#[must_use]
pub fn reply(id: &str) -> OutboxRow {
    effect(id, EffectClass::Reply, "lane")
}

/// Returns an effect that a worker performs.
#[must_use]
pub fn effect(id: &str, class: EffectClass, stream: &str) -> OutboxRow {
    OutboxRow {
        id: id.into(),
        ordinal: 0,
        class,
        outward: class == EffectClass::TrackerCreate,
        stream: stream.into(),
        payload: format!("payload of {id}"),
        depends_on: Vec::new(),
        approval: None,
        performer: Performer::Us,
        deadline: None,
    }
}

/// Returns an effect in no stream.
#[must_use]
pub fn loose(id: &str) -> OutboxRow {
    effect(id, EffectClass::Notice, "")
}

/// Returns the payload that one version of an approval releases.
#[must_use]
pub fn released(card: &str, version: u32) -> String {
    format!("what {card} v{version} releases")
}

/// Returns the SHA-256 of a text, in hex.
#[must_use]
pub fn hash(text: &str) -> String {
    hex(&sha256(&[text.as_bytes()]))
}

/// Returns an outward effect that names an approval, with the bytes that it releases.
#[must_use]
pub fn create(id: &str, card: &str, version: u32) -> OutboxRow {
    let approval = Some(ApprovalRef { card: card.into(), version });
    OutboxRow { approval, payload: released(card, version), ..effect(id, EffectClass::TrackerCreate, "") }
}

/// Makes an effect depend on others.
#[must_use]
pub fn after(row: OutboxRow, on: &[&str]) -> OutboxRow {
    OutboxRow { depends_on: on.iter().map(|id| EffectId::from(*id)).collect(), ..row }
}

/// Returns one version of an approval.
#[must_use]
pub fn approval(card: &str, version: u32, expires_at: Option<Timestamp>) -> Approval {
    Approval {
        card: card.into(),
        version,
        kind: "tracker.item".into(),
        payload: "{}".into(),
        payload_sha256: hash("{}"),
        releases: vec![hash(&released(card, version))],
        classes: vec!["tracker.create".into()],
        targets: vec!["local:DEMO".into()],
        quantity: 1,
        total_chars: 2,
        requested_by: "U1".into(),
        authors: Vec::new(),
        source: "m_1".into(),
        created_at: START,
        expires_at,
    }
}

/// Returns the change that decides an approval.
#[must_use]
pub fn decide(card: &str, version: u32, action: Action) -> ApprovalChange {
    let by = Presser { id: "U7".into(), name: "ana".into() };
    let (payload_sha256, releases) = match action.releases() {
        true => (Some(hash("{}")), vec![hash(&released(card, version))]),
        false => (None, Vec::new()),
    };
    ApprovalChange::Decide { card: card.into(), version, action, by, at: START, payload_sha256, releases }
}

/// Returns the change that approves a card, with these hashes of its payload and of what it releases.
#[must_use]
pub fn decide_on(
    card: &str,
    version: u32,
    payload_sha256: Option<String>,
    releases: Vec<String>,
) -> ApprovalChange {
    let (by, action) = (Presser { id: "U7".into(), name: "ana".into() }, Action::Approve);
    ApprovalChange::Decide { card: card.into(), version, action, by, at: START, payload_sha256, releases }
}

/// Returns a record to write.
#[must_use]
pub fn put(kind: &'static str, key: &str, body: &str) -> RecordWrite {
    RecordWrite { kind, key: key.into(), op: RecordOp::Put(body.into()) }
}

/// Returns the end of an inbox row as done.
#[must_use]
pub fn done(seq: i64) -> InboxEnd {
    InboxEnd { seq, state: RowState::Done }
}

/// Returns the settlement of an attempt as done.
#[must_use]
pub fn settled(id: &str, fence: Option<i64>) -> Settlement {
    ends(id, fence, EffectState::Done)
}

/// Returns the settlement of an attempt in that state.
#[must_use]
pub fn ends(id: &str, fence: Option<i64>, state: EffectState) -> Settlement {
    Settlement {
        tenant: "acme".into(),
        id: id.into(),
        fence,
        to: SettleTo::End(state, format!("outcome of {id}")),
        message: None,
        event: None,
    }
}

/// The owner of a lane, who commits turns to it.
pub struct LaneWriter<'a> {
    /// The store.
    pub store: &'a dyn Store,
    /// The lane.
    pub lane: LaneKey,
    /// Epoch of the claim.
    pub epoch: i64,
    /// Revision that the next turn is based on.
    pub revision: u64,
    /// Hash of the row that the next turn follows.
    pub hash: String,
}

impl<'a> LaneWriter<'a> {
    /// Claims a lane as owner `a`.
    pub async fn claim(store: &'a dyn Store, lane: &LaneKey) -> Self {
        Self::claim_as("a", store, lane).await
    }

    /// Claims a lane as `owner`.
    pub async fn claim_as(owner: &str, store: &'a dyn Store, lane: &LaneKey) -> Self {
        let claim = store.claim(lane, owner).await.expect("a claim is answered");
        let Claim::Ours { epoch, revision } = claim else { panic!("{owner} wants {lane}, but {claim:?}") };
        let stored = store.load(lane).await.expect("a lane can be loaded");
        let hash = stored.map_or_else(|| "0".repeat(64), |lane| lane.log_hash);
        Self { store, lane: lane.clone(), epoch, revision, hash }
    }

    /// Returns the next turn, with nothing in it yet.
    #[must_use]
    pub fn turn(&self) -> TurnCommit {
        let next = self.revision + 1;
        let row = format!("row {next} of {}", self.lane);
        let hash = hex(&sha256(&[self.hash.as_bytes(), row.as_bytes()]));
        TurnCommit {
            lane: self.lane.clone(),
            expected_revision: self.revision,
            epoch: self.epoch,
            head: format!("head {next}"),
            participant: None,
            inbox: Vec::new(),
            direct: None,
            approvals: Vec::new(),
            outbox: Vec::new(),
            cancel: Vec::new(),
            unsent: Vec::new(),
            adopt: Vec::new(),
            timers: Vec::new(),
            clear_timers: Vec::new(),
            records: Vec::new(),
            facts: Vec::new(),
            message_map: Vec::new(),
            tokens: Vec::new(),
            audit: Vec::new(),
            erasures: Vec::new(),
            log: LogRow {
                turn: IdGenerator::new(&self.lane, next).turn(),
                at: self.store.now(),
                row,
                prev_hash: self.hash.clone(),
                hash,
                content: format!("content {next}"),
                salt: "00112233445566778899aabbccddeeff".into(),
            },
            checkpoint: None,
        }
    }

    /// Returns the next turn with these effects, numbered in order.
    #[must_use]
    pub fn turn_with_effects(&self, outbox: Vec<OutboxRow>) -> TurnCommit {
        let numbered = (0..).zip(outbox).map(|(ordinal, row)| OutboxRow { ordinal, ..row });
        TurnCommit { outbox: numbered.collect(), ..self.turn() }
    }

    /// Commits a turn. If it is written, the next one is based on it.
    pub async fn try_commit(&mut self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        let hash = turn.log.hash.clone();
        let result = self.store.commit(turn).await;
        if let Ok(CommitResult::Committed) = result {
            self.revision += 1;
            self.hash = hash;
        }
        result
    }

    /// Commits a turn and panics unless it is written.
    pub async fn commit(&mut self, turn: TurnCommit) {
        let result = self.try_commit(turn).await.expect("the turn is not refused");
        assert_eq!(result, CommitResult::Committed);
    }

    /// Commits a turn that plans these effects.
    pub async fn commit_effects(&mut self, outbox: Vec<OutboxRow>) {
        self.commit(self.turn_with_effects(outbox)).await;
    }

    /// Commits a turn that opens an approval.
    pub async fn open_approval(&mut self, approval: Approval) {
        let approvals = vec![ApprovalChange::Open(approval)];
        self.commit(TurnCommit { approvals, ..self.turn() }).await;
    }

    /// Commits a turn that approves a card and plans these effects.
    pub async fn approve(&mut self, card: &str, version: u32, outbox: Vec<OutboxRow>) {
        let approvals = vec![decide(card, version, Action::Approve)];
        self.commit(TurnCommit { approvals, ..self.turn_with_effects(outbox) }).await;
    }

    /// Commits a turn that approves a card and plans these effects, whatever their bytes. The approval lists none.
    pub async fn release(&mut self, card: &str, version: u32, outbox: Vec<OutboxRow>) {
        let hashes = outbox.iter().map(|row| hash(&row.payload)).collect();
        let approvals = vec![decide_on(card, version, Some(hash("{}")), hashes)];
        self.commit(TurnCommit { approvals, ..self.turn_with_effects(outbox) }).await;
    }

    /// Returns the state of an effect.
    pub async fn effect_state(&self, id: &str) -> EffectState {
        let effect = self.store.effect(&self.lane.tenant, &id.into()).await.expect("an effect can be read");
        effect.expect("the effect is there").state
    }
}

/// Leases every effect that can be leased.
pub async fn lease(store: &dyn Store) -> Vec<Leased> {
    store.lease("w", 100).await.expect("effects can be leased")
}

/// Leases every effect that can be leased and returns their ids.
pub async fn lease_ids(store: &dyn Store) -> Vec<String> {
    lease(store).await.into_iter().map(|leased| leased.effect.row.id.0).collect()
}

/// Leases and marks one effect, which must be the only one that can be leased, and returns its fence.
pub async fn attempt(store: &dyn Store, id: &str) -> i64 {
    let leased = lease(store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), [id]);
    let mark = store
        .mark("acme", &id.into(), leased[0].fence, &leased[0].effect.held())
        .await
        .expect("an attempt can be marked");
    assert!(matches!(mark, Mark::Attempt(_)), "{mark:?}");
    leased[0].fence
}

/// Leases, marks and settles one effect, which must be the only one that can be leased.
pub async fn perform(store: &dyn Store, id: &str, state: EffectState) {
    let fence = attempt(store, id).await;
    assert!(store.settle(ends(id, Some(fence), state)).await.expect("an attempt can be settled"));
}

/// Panics unless the store refused the write.
pub fn assert_refused<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Refused { .. })), "{result:?}");
}
