//! Small things that the cases are made of: lanes, deliveries, and a hand that writes turns.

use throughline_engine::approval::{Approval, ApprovalChange};
use throughline_engine::canon::{hex, sha256};
use throughline_engine::effect::{ApprovalRef, EffectClass};
use throughline_engine::id::Mint;
use throughline_engine::workflow::{Action, Presser};
use throughline_engine::{EffectId, LaneKey, Timestamp};

use super::START;
use crate::{
    Claim, CommitResult, Delivery, EffectState, InboxEnd, Leased, LogRow, Mark, OutboxRow, Performer,
    QueueLimit, RecordWrite, RowState, SettleTo, Settlement, Store, StoreError, TurnCommit, Write,
};

/// A lane of tenant `acme`.
#[must_use]
pub fn lane(conversation: &str) -> LaneKey {
    lane_of("acme", conversation)
}

/// A lane of another tenant.
#[must_use]
pub fn lane_of(tenant: &str, conversation: &str) -> LaneKey {
    LaneKey::new(tenant, "A1", "slack", conversation, "")
}

/// A delivery under one key, without a limit.
#[must_use]
pub fn delivery(lane: &LaneKey, key: &str) -> Delivery {
    Delivery {
        lane: lane.clone(),
        keys: vec![key.into()],
        kind: "message.posted".into(),
        event: format!("event of {key}"),
        body_hash: None,
        limit: None,
    }
}

/// The same, where at most `max` may wait.
#[must_use]
pub fn limited(lane: &LaneKey, key: &str, max: u32) -> Delivery {
    let (notice_key, notice) = (format!("notice:queue_full:{key}"), format!("notice of {key}"));
    Delivery { limit: Some(QueueLimit { max, notice_key, notice }), ..delivery(lane, key) }
}

/// A reply in the lane's stream.
#[must_use]
pub fn reply(id: &str) -> OutboxRow {
    effect(id, EffectClass::Reply, "lane")
}

/// An effect that we perform.
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

/// An effect in no stream.
#[must_use]
pub fn loose(id: &str) -> OutboxRow {
    effect(id, EffectClass::Notice, "")
}

/// An outward effect that names an approval.
#[must_use]
pub fn create(id: &str, card: &str, version: u32) -> OutboxRow {
    let approval = Some(ApprovalRef { card: card.into(), version });
    OutboxRow { approval, ..effect(id, EffectClass::TrackerCreate, "") }
}

/// The same effect, after others.
#[must_use]
pub fn after(row: OutboxRow, on: &[&str]) -> OutboxRow {
    OutboxRow { depends_on: on.iter().map(|id| EffectId::from(*id)).collect(), ..row }
}

/// A version of an approval.
#[must_use]
pub fn approval(card: &str, version: u32, expires_at: Option<Timestamp>) -> Approval {
    Approval {
        card: card.into(),
        version,
        kind: "tracker.item".into(),
        payload: "{}".into(),
        payload_sha256: hex(&sha256(&[b"{}"])),
        classes: vec!["tracker.create".into()],
        targets: vec!["local:DEMO".into()],
        quantity: 1,
        total_chars: 2,
        requested_by: "U1".into(),
        source: "m_1".into(),
        created_at: START,
        expires_at,
    }
}

/// The change that decides an approval.
#[must_use]
pub fn decide(card: &str, version: u32, action: Action) -> ApprovalChange {
    let by = Presser { id: "U7".into(), name: "ana".into() };
    ApprovalChange::Decide { card: card.into(), version, action, by, at: START }
}

/// A record that is written.
#[must_use]
pub fn put(kind: &'static str, key: &str, body: &str) -> RecordWrite {
    RecordWrite { kind, key: key.into(), write: Write::Put(body.into()) }
}

/// An inbox row that ends as done.
#[must_use]
pub fn done(seq: i64) -> InboxEnd {
    InboxEnd { seq, state: RowState::Done }
}

/// Settles an attempt that ended well.
#[must_use]
pub fn settled(id: &str, fence: Option<i64>) -> Settlement {
    ends(id, fence, EffectState::Done)
}

/// Settles an attempt that ended so.
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

/// A hand that holds a lane and writes turns into it.
pub struct Hand<'a> {
    /// The store.
    pub store: &'a dyn Store,
    /// The lane.
    pub lane: LaneKey,
    /// Its claim.
    pub epoch: i64,
    /// The revision it believes in.
    pub revision: u64,
    /// The hash of the newest turn row it knows of.
    pub hash: String,
}

impl<'a> Hand<'a> {
    /// Claims a lane as owner `a`.
    pub async fn on(store: &'a dyn Store, lane: &LaneKey) -> Self {
        Self::of("a", store, lane).await
    }

    /// Claims a lane as that owner.
    pub async fn of(owner: &str, store: &'a dyn Store, lane: &LaneKey) -> Self {
        let claim = store.claim(lane, owner).await.expect("a claim is answered");
        let Claim::Ours { epoch, revision } = claim else { panic!("{owner} wants {lane}, but {claim:?}") };
        let stored = store.load(lane).await.expect("a lane can be loaded");
        let hash = stored.map_or_else(|| "0".repeat(64), |lane| lane.log_hash);
        Self { store, lane: lane.clone(), epoch, revision, hash }
    }

    /// The next turn, with nothing in it yet.
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
            inbox: Vec::new(),
            direct: None,
            approvals: Vec::new(),
            outbox: Vec::new(),
            cancel: Vec::new(),
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
                turn: Mint::new(&self.lane, next).turn(),
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

    /// A turn that plans these effects, numbered in order.
    #[must_use]
    pub fn planning(&self, outbox: Vec<OutboxRow>) -> TurnCommit {
        let numbered = (0..).zip(outbox).map(|(ordinal, row)| OutboxRow { ordinal, ..row });
        TurnCommit { outbox: numbered.collect(), ..self.turn() }
    }

    /// Commits, and believes in the new revision when it is in.
    pub async fn try_commit(&mut self, turn: TurnCommit) -> Result<CommitResult, StoreError> {
        let hash = turn.log.hash.clone();
        let result = self.store.commit(turn).await;
        if let Ok(CommitResult::Committed) = result {
            self.revision += 1;
            self.hash = hash;
        }
        result
    }

    /// Commits what must be accepted.
    pub async fn commit(&mut self, turn: TurnCommit) {
        let result = self.try_commit(turn).await.expect("the turn is not refused");
        assert_eq!(result, CommitResult::Committed);
    }

    /// Commits a turn that plans these effects.
    pub async fn plan(&mut self, outbox: Vec<OutboxRow>) {
        self.commit(self.planning(outbox)).await;
    }

    /// Commits a turn that opens an approval.
    pub async fn open(&mut self, approval: Approval) {
        let approvals = vec![ApprovalChange::Open(approval)];
        self.commit(TurnCommit { approvals, ..self.turn() }).await;
    }

    /// Commits a turn that approves a card and plans these effects.
    pub async fn approve(&mut self, card: &str, version: u32, outbox: Vec<OutboxRow>) {
        let approvals = vec![decide(card, version, Action::Approve)];
        self.commit(TurnCommit { approvals, ..self.planning(outbox) }).await;
    }

    /// How an effect stands.
    pub async fn state(&self, id: &str) -> EffectState {
        let effect = self.store.effect(&self.lane.tenant, &id.into()).await.expect("an effect can be read");
        effect.expect("the effect is there").state
    }
}

/// Leases whatever can be.
pub async fn lease(store: &dyn Store) -> Vec<Leased> {
    store.lease("w", 100).await.expect("effects can be leased")
}

/// The ids of what can be leased, leasing it.
pub async fn lease_ids(store: &dyn Store) -> Vec<String> {
    lease(store).await.into_iter().map(|leased| leased.effect.row.id.0).collect()
}

/// Leases and marks one effect, the only one that can be, and gives its fence.
pub async fn attempt(store: &dyn Store, id: &str) -> i64 {
    let leased = lease(store).await;
    assert_eq!(leased.iter().map(|l| l.effect.row.id.as_str()).collect::<Vec<_>>(), [id]);
    let mark = store.mark("acme", &id.into(), leased[0].fence).await.expect("an attempt can be marked");
    assert!(matches!(mark, Mark::Attempt(_)), "{mark:?}");
    leased[0].fence
}

/// Leases, marks and settles one effect, the only one that can be leased.
pub async fn perform(store: &dyn Store, id: &str, state: EffectState) {
    let fence = attempt(store, id).await;
    assert!(store.settle(ends(id, Some(fence), state)).await.expect("an attempt can be settled"));
}

/// The error of a refused write.
pub fn assert_refused<T: std::fmt::Debug>(result: Result<T, StoreError>) {
    assert!(matches!(result, Err(StoreError::Refused { .. })), "{result:?}");
}
