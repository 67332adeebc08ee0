//! Commits in memory. Everything that can refuse a turn is checked before anything is written.

use std::collections::{BTreeMap, BTreeSet};

use throughline_engine::data::approval::{ApprovalChange, CloseReason};
use throughline_engine::data::canonical_json::hex;
use throughline_engine::{CardId, EffectId, LaneKey, Timestamp};

use super::{Approval, Data, Lane, Tenant, Turn};
use crate::contract::{
    ApprovalRow, ApprovalState, CommitResult, DeliveryIdentity, Direct, EffectState, InboxEnd, LANE_LEASE,
    OutboxRow, RecordOp, RecordWrite, RowState, StoreError, StoredEffect, TurnCommit, TurnSeq,
};
use crate::rules::{other_release, payload_hash};

const ACT: &str = "commit a turn";

fn refused(why: String) -> StoreError {
    StoreError::Refused { act: ACT, why }
}

/// The approvals that a turn changes, in their new state.
#[derive(Default)]
struct Decided {
    approvals: BTreeMap<CardId, BTreeMap<u32, Approval>>,
    consumed: BTreeMap<(CardId, u32), BTreeSet<String>>,
    order: u64,
}

impl Data {
    pub(super) fn commit(&mut self, turn: TurnCommit, now: Timestamp) -> Result<CommitResult, StoreError> {
        let free = turn
            .direct
            .as_ref()
            .map(|direct| self.may_come_direct(&turn.lane, &direct.identity))
            .transpose()?;
        if free == Some(false) {
            return Ok(CommitResult::NotDirect);
        }
        let tenant = self.tenant(&turn.lane.tenant);
        let lane = tenant.lanes.get(&turn.lane);
        let Some(lane) = lane.filter(|lane| lane.owner.is_some() && lane.epoch == turn.epoch) else {
            return Ok(CommitResult::Fenced);
        };
        if lane.revision != turn.expected_revision {
            return Ok(CommitResult::RevisionMoved);
        }
        if let Some(foreign) = turn.facts.iter().find(|write| write.key.tenant != turn.lane.tenant) {
            let why =
                format!("facts of tenant {} come with a turn of lane {}", foreign.key.tenant, turn.lane);
            return Err(refused(why));
        }
        if !tenant.fact_revisions_match(&turn) {
            return Ok(CommitResult::RevisionMoved);
        }
        if turn.unsent.iter().any(|id| tenant.has_begun(id)) {
            return Ok(CommitResult::EffectBegun);
        }
        let Some(decided) = tenant.decide(&turn, now)? else { return Ok(CommitResult::ApprovalLost) };
        tenant.check(&turn, lane, &decided)?;

        tenant.approvals.extend(decided.approvals);
        tenant.consumed.extend(decided.consumed);
        tenant.approval_order = decided.order;
        tenant.end_rows(&turn);
        tenant.write_facts(&turn);
        for row in &turn.audit {
            tenant.append_audit(row);
        }
        for what in &turn.erasures {
            tenant.request_erasure(what, now);
        }
        tenant.turns.insert(turn.log.turn.clone(), (turn.lane.clone(), turn.expected_revision + 1));
        let position = TurnSeq::try_from(tenant.turns.len()).unwrap_or(TurnSeq::MAX);
        tenant.stream.insert(position, (turn.lane.clone(), turn.expected_revision + 1));
        tenant.lane(&turn.lane, now).latest_turn = position;
        if let Some(Direct { identity, state }) = &turn.direct {
            self.insert(identity.clone(), None, *state, Some(turn.log.turn.clone()), turn.log.at);
        }
        self.write_timers(&turn, now);
        self.plan(&turn, now);
        for effect in &turn.cancel {
            self.cancel(&turn.lane.tenant, effect);
        }
        for (effect, outcome) in &turn.adopt {
            self.adopt(&turn.lane.tenant, effect, outcome);
        }
        self.lane(&turn.lane.clone(), now).write(turn, now);
        Ok(CommitResult::Committed)
    }

    /// Returns true if the delivery may come with its turn: nothing waits in the lane, and no key of it is known.
    fn may_come_direct(&self, key: &LaneKey, identity: &DeliveryIdentity) -> Result<bool, StoreError> {
        if identity.lane != *key {
            return Err(refused(format!(
                "a delivery to lane {} comes with a turn of lane {key}",
                identity.lane
            )));
        }
        let waits = self.find_lane(key).is_some_and(|lane| !lane.waiting.is_empty());
        let known = identity.keys().any(|name| self.delivery(&key.tenant, name).is_some());
        Ok(!waits && !known)
    }
}

impl Tenant {
    /// Returns true if an attempt at the effect was marked.
    fn has_begun(&self, id: &EffectId) -> bool {
        let begun = |effect: &StoredEffect| effect.attempts > 0 && effect.state != EffectState::Cancelled;
        self.effects.get(id).is_some_and(|effect| begun(&effect.stored))
    }

    /// Returns the approvals as the turn leaves them, or `None` if one that it consumes can no longer be consumed.
    fn decide(&self, turn: &TurnCommit, now: Timestamp) -> Result<Option<Decided>, StoreError> {
        let mut decided = Decided { order: self.approval_order, ..Decided::default() };
        for change in &turn.approvals {
            let card = match change {
                ApprovalChange::Open(approval) => &approval.card,
                ApprovalChange::Decide { card, .. } | ApprovalChange::Close { card, .. } => card,
            };
            let kept = || self.approvals.get(card).cloned().unwrap_or_default();
            decided.order += 1;
            let order = decided.order;
            let versions = decided.approvals.entry(card.clone()).or_insert_with(kept);
            match change {
                ApprovalChange::Open(approval) => open(versions, approval, &turn.lane, order)?,
                ApprovalChange::Decide { version, action, releases, .. } => {
                    let Some(row) = pending(versions, *version, now) else { return Ok(None) };
                    if let Some(why) = other_release(&row.approval, change) {
                        return Err(refused(why));
                    }
                    row.state = ApprovalState::Decided { change: change.clone() };
                    if action.releases() {
                        decided.consumed.insert((card.clone(), *version), releases.iter().cloned().collect());
                    }
                }
                ApprovalChange::Close { version, how, .. } => close(versions, *version, *how),
            }
        }
        Ok(Some(decided))
    }

    /// Refuses what a constraint of a database would refuse.
    fn check(&self, turn: &TurnCommit, lane: &Lane, decided: &Decided) -> Result<(), StoreError> {
        if turn.log.prev_hash != lane.log_hash() {
            return Err(refused(format!(
                "the turn's row does not follow the newest row of lane {}",
                turn.lane
            )));
        }
        if self.turns.contains_key(&turn.log.turn) {
            return Err(refused(format!("there is a turn {} already", turn.log.turn)));
        }
        let ended = turn.inbox.iter().find(|end| !lane.waiting.contains(&end.seq));
        if let Some(end) = ended {
            return Err(refused(format!("inbox row {} does not wait in lane {}", end.seq, turn.lane)));
        }
        let mut planned: BTreeSet<&EffectId> = BTreeSet::new();
        for row in &turn.outbox {
            self.check_effect(row, decided, &planned)?;
            planned.insert(&row.id);
        }
        Ok(())
    }

    fn check_effect(
        &self,
        row: &OutboxRow,
        decided: &Decided,
        planned: &BTreeSet<&EffectId>,
    ) -> Result<(), StoreError> {
        let releases = row.approval.as_ref().and_then(|approval| {
            let key = (approval.card.clone(), approval.version);
            decided.consumed.get(&key).or_else(|| self.consumed.get(&key))
        });
        if releases.is_none() && (row.approval.is_some() || row.outward) {
            return Err(refused(format!("effect {} names no consumed approval", row.id)));
        }
        if row.class.always_leaves() && !row.outward {
            return Err(refused(format!("effect {} leaves its thread and is not outward", row.id)));
        }
        let hash = hex(&payload_hash(&row.payload));
        if row.outward && !releases.is_some_and(|releases| releases.contains(&hash)) {
            return Err(refused(format!("effect {} is not one that was approved", row.id)));
        }
        if self.effects.contains_key(&row.id) || planned.contains(&row.id) {
            return Err(refused(format!("there is an effect {} already", row.id)));
        }
        let unknown =
            row.depends_on.iter().find(|id| !self.effects.contains_key(*id) && !planned.contains(id));
        unknown.map_or(Ok(()), |id| {
            Err(refused(format!("effect {} depends on {id}, which is not there", row.id)))
        })
    }

    fn end_rows(&mut self, turn: &TurnCommit) {
        for InboxEnd { seq, state } in &turn.inbox {
            let Some(row) = self.inbox.get_mut(seq) else { continue };
            row.state = *state;
            row.turn = Some(turn.log.turn.clone());
            if *state != RowState::Dead {
                // From now on the turn's content holds the event, and only there it has to be erased.
                row.event = None;
            }
        }
    }
}

fn open(
    versions: &mut BTreeMap<u32, Approval>,
    approval: &throughline_engine::data::approval::Approval,
    lane: &LaneKey,
    order: u64,
) -> Result<(), StoreError> {
    if versions.contains_key(&approval.version) {
        let why = format!("approval {} has a version {} already", approval.card, approval.version);
        return Err(refused(why));
    }
    for older in versions.range_mut(..approval.version).map(|(_, older)| &mut older.row) {
        if older.state == ApprovalState::Pending {
            older.state = ApprovalState::Superseded;
        }
    }
    let row = ApprovalRow { approval: approval.clone(), lane: lane.clone(), state: ApprovalState::Pending };
    versions.insert(approval.version, Approval { order, row });
    Ok(())
}

fn pending(versions: &mut BTreeMap<u32, Approval>, version: u32, now: Timestamp) -> Option<&mut ApprovalRow> {
    let row = &mut versions.get_mut(&version)?.row;
    let alive = row.approval.expires_at.is_none_or(|until| until >= now);
    (alive && row.state == ApprovalState::Pending).then_some(row)
}

fn close(versions: &mut BTreeMap<u32, Approval>, version: u32, how: CloseReason) {
    let Some(row) = versions.get_mut(&version).map(|approval| &mut approval.row) else { return };
    if row.state == ApprovalState::Pending {
        row.state = match how {
            CloseReason::Expired => ApprovalState::Expired,
            CloseReason::Superseded => ApprovalState::Superseded,
            CloseReason::Cancelled => ApprovalState::Cancelled,
        };
    }
}

impl Lane {
    fn write(&mut self, turn: TurnCommit, now: Timestamp) {
        self.revision = turn.expected_revision + 1;
        self.head = turn.head;
        self.log_hash = Some(turn.log.hash.clone());
        self.participants.extend(turn.participant);
        self.lease_until = now.plus(LANE_LEASE);
        self.updated_at = turn.log.at;
        for end in &turn.inbox {
            self.waiting.remove(&end.seq);
        }
        for RecordWrite { kind, key, op } in turn.records {
            self.write_record((kind.into(), key), op);
        }
        for (channel_id, ours) in turn.message_map {
            self.messages.entry(channel_id).or_insert(ours);
        }
        self.tokens.extend(turn.tokens.into_iter().map(|token| (token.hash.clone(), token)));
        let row = Turn { position: self.latest_turn, log: turn.log, checkpoint: turn.checkpoint };
        self.turns.insert(self.revision, row);
    }

    fn write_record(&mut self, key: (String, String), op: RecordOp) {
        match op {
            RecordOp::Put(body) => {
                self.retired.remove(&key);
                self.records.insert(key, body);
            }
            RecordOp::Retire => {
                if let Some(body) = self.records.remove(&key) {
                    self.retired.insert(key, body);
                }
            }
            RecordOp::Delete => {
                self.records.remove(&key);
                self.retired.remove(&key);
            }
        }
    }
}
