//! Verifies that what is stored is what was recorded: the chain of a lane's turns, the states that they led to, the
//! records that cards rest on, and that what left a thread is what was approved (`docs/design/0043-what-was-approved-runs.md`).
//! No turn is decided again; that is [`crate::replay`].

use std::collections::BTreeMap;

use serde::Deserialize;
use throughline_engine::data::approval::{Approval, ApprovalChange};
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::effect::{ApprovalRef, EffectClass};
use throughline_engine::data::id::id_origin;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::record::RecordKey;
use throughline_engine::data::snapshot;
use throughline_engine::{CardId, LaneId, LaneKey, Timestamp};
use throughline_store::{ApprovalState, EffectState, ErasureRow, LaneInfo, StoredEffect, StoredTurn};

use crate::dispatch::is_altered;
use crate::erase;
use crate::turn_log::{GENESIS, RetiredRecord, TurnRow, chain, content_fits};
use crate::{Runtime, RuntimeError, stored};

/// Turns read at a time.
const PAGE: u32 = 200;

/// The payload of an approval whose words were erased.
const ERASED: &str = "{}";

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// The number of turns that were checked.
    pub turns: usize,
    /// The misfit, in words that name it.
    pub broken: Vec<String>,
}

/// Knowledge about a lane from the turns read so far.
struct Known {
    revision: u64,
    /// Hash of the newest row.
    hash: String,
    /// The state that the newest row led to, with the version of the snapshots it was hashed from. `None` after a row that
    /// could not be read.
    state: Option<(String, u32)>,
    /// Records by key, with their hash when they were retired and the time of that.
    retired: BTreeMap<RecordKey, (String, Timestamp)>,
    /// Time of every turn, in order.
    times: Vec<Timestamp>,
}

/// The audit row of a decision on an approval, as far as it is compared.
#[derive(Deserialize)]
struct DecisionRow {
    change: DecisionChange,
}

#[derive(Deserialize)]
struct DecisionChange {
    card: CardId,
    version: u32,
    payload_sha256: Option<String>,
    #[serde(default)]
    releases: Vec<String>,
}

impl Runtime {
    /// Verifies a lane: its turns, its state, its retired records and what left it.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn verify_lane(&self, info: &LaneInfo) -> Result<Verified, RuntimeError> {
        let mut verified = Verified::default();
        let empty = hex(&Lane::new(info.key.clone()).state_hash());
        let mut known = Known {
            revision: 0,
            hash: GENESIS.into(),
            state: Some((empty, snapshot::VERSION)),
            retired: BTreeMap::new(),
            times: Vec::new(),
        };
        loop {
            let page = self.store.turns(&info.key, known.revision, PAGE).await?;
            if page.is_empty() {
                break;
            }
            for stored in &page {
                verified.broken.extend(known.follow(stored));
                verified.turns += 1;
            }
        }
        if known.revision < info.revision {
            let missing = format!("its last turns are missing ({} of {})", known.revision, info.revision);
            verified.broken.push(missing);
        }
        verified.broken.extend(self.verify_state(&info.key, &known).await?);
        for effect in self.store.effects(&info.key.tenant, Some(&info.key), None, u32::MAX).await? {
            verified.broken.extend(self.verify_effect(&effect).await?);
        }
        for what in &mut verified.broken {
            *what = format!("{}: {what}", info.id);
        }
        Ok(verified)
    }

    /// Verifies a tenant's approvals: that each holds the payload whose hash it shows, and that what it releases is what its
    /// row in the audit chain says. Returns what does not fit.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn verify_approvals(&self, tenant: &str) -> Result<Vec<String>, RuntimeError> {
        let mut broken = Vec::new();
        let decisions = self.decisions(tenant).await?;
        for row in self.store.approvals(tenant, false, u32::MAX).await? {
            let approval = &row.approval;
            let key = (approval.card.clone(), approval.version);
            let decision = decisions.get(&key);
            let decided = match &row.state {
                ApprovalState::Decided { change: ApprovalChange::Decide { payload_sha256, .. } } => {
                    payload_sha256.clone()
                }
                _ => None,
            };
            if !payload_fits(approval, decision.and_then(|row| row.payload_sha256.as_ref()), decided.as_ref())
            {
                broken.push(format!("approval {} v{} has another payload", approval.card, approval.version));
            }
        }
        for ((card, version), decision) in decisions {
            let released = self.store.released(tenant, &ApprovalRef { card: card.clone(), version }).await?;
            if released.is_some_and(|hashes| hashes != decision.releases) {
                broken.push(format!("approval {card} v{version} releases something else than was decided"));
            }
        }
        Ok(broken)
    }

    /// Returns the decisions that released something, from the audit chain.
    async fn decisions(&self, tenant: &str) -> Result<BTreeMap<(CardId, u32), DecisionChange>, RuntimeError> {
        let (mut decisions, mut after) = (BTreeMap::new(), 0);
        loop {
            let rows = self.store.audit(tenant, after, PAGE).await?;
            let Some((newest, _)) = rows.last() else { return Ok(decisions) };
            after = *newest;
            for (_, row) in &rows {
                let Ok(DecisionRow { change }) = serde_json::from_str(row) else { continue };
                if change.payload_sha256.is_some() {
                    decisions.insert((change.card.clone(), change.version), change);
                }
            }
        }
    }

    /// Compares the stored lane and its retired records with what the turns say.
    async fn verify_state(&self, key: &LaneKey, known: &Known) -> Result<Vec<String>, RuntimeError> {
        let mut broken = Vec::new();
        let lane = match self.read_lane(key).await {
            Ok((lane, newest)) => {
                if newest != known.hash {
                    broken.push("its newest hash is not that of its last turn".into());
                }
                lane
            }
            Err(RuntimeError::Unreadable { what, why }) => {
                return Ok(vec![format!("{what} cannot be read: {why}")]);
            }
            Err(other) => return Err(other),
        };
        let state = known.state.as_ref().filter(|(_, version)| *version == snapshot::VERSION);
        if state.is_some_and(|(state, _)| *state != hex(&lane.state_hash())) {
            broken.push("its stored state is not the one that its last turn led to".into());
        }
        let erasures = self.store.erasures(&key.tenant, false).await?;
        for (record, (hash, at)) in &known.retired {
            let made = known.made_at(&key.id(), record).unwrap_or(*at);
            if lane.records.record(record).is_some() || may_be_erased(&erasures, *at, made) {
                continue;
            }
            let (kind, id) = (record.kind.as_str(), &record.key);
            let body = self.store.record(key, kind, id).await?;
            if body.is_none_or(|body| hex(&snapshot::record_hash(record, &body)) != *hash) {
                broken.push(format!("{kind} {id} is not the one that was put aside"));
            }
        }
        Ok(broken)
    }

    /// Compares an effect that leaves its thread with what was planned and approved.
    async fn verify_effect(&self, effect: &StoredEffect) -> Result<Option<String>, RuntimeError> {
        let id = &effect.row.id;
        let body = stored::effect_body(effect).ok();
        if is_altered(effect, body.as_ref()) {
            let what = if body.is_some() {
                "is not what its bytes say"
            } else {
                "has another payload than was planned"
            };
            return Ok(Some(format!("effect {id} {what}")));
        }
        if !effect.row.outward {
            return Ok(None);
        }
        if !drops_words(effect) && hex(&effect.held()) != effect.payload_sha256 {
            return Ok(Some(format!("effect {id} has another payload than was planned")));
        }
        let Some(approval) = &effect.row.approval else {
            return Ok(Some(format!("effect {id} names no approval")));
        };
        let released = self.store.released(&effect.lane.tenant, approval).await?;
        let other = released.is_some_and(|hashes| !hashes.contains(&effect.payload_sha256));
        let (card, version) = (&approval.card, approval.version);
        Ok(other.then(|| format!("effect {id} is not one that approval {card} v{version} releases")))
    }
}

impl Known {
    /// Takes in the next turn of the lane. Returns what does not fit.
    fn follow(&mut self, stored: &StoredTurn) -> Option<String> {
        let log = &stored.log;
        let follows = stored.revision == self.revision + 1 && log.prev_hash == self.hash;
        let unread = content_fits(log);
        let row = stored::turn(stored).ok().map(|turn| turn.row);
        let led = row.as_ref().is_none_or(|row| self.leads_to(row));
        let wrong = if !follows {
            Some("does not follow the turn before it")
        } else if chain(&log.prev_hash, &log.row) != log.hash {
            Some("was changed")
        } else if !unread.unwrap_or(false) {
            Some("has another content than it was recorded with")
        } else if !led {
            Some("was decided on another state than the turn before it led to")
        } else {
            None
        };
        self.revision = stored.revision;
        self.hash.clone_from(&log.hash);
        self.times.push(log.at);
        self.state = row.as_ref().map(|row| (row.after.clone(), row.snapshot));
        if let Some(row) = row {
            let retired = row.retired.into_iter();
            self.retired.extend(retired.map(|RetiredRecord { key, hash }| (key, (hash, row.at))));
        }
        wrong.map(|what| format!("{} {what}", log.turn))
    }

    /// Returns the time of the turn that made a record.
    fn made_at(&self, lane: &LaneId, record: &RecordKey) -> Option<Timestamp> {
        let revision = usize::try_from(id_origin(lane, &record.key)?.revision).ok()?;
        self.times.get(revision.checked_sub(1)?).copied()
    }

    /// True if the turn was decided on the state that is known. Snapshots of different versions have different hashes.
    fn leads_to(&self, row: &TurnRow) -> bool {
        let Some((state, version)) = &self.state else { return true };
        *version != row.snapshot || *state == row.before
    }
}

/// True if the approval's payload has the hash that it shows, and that hash is the one that was decided. Of an erased
/// approval neither is left.
fn payload_fits(approval: &Approval, recorded: Option<&String>, decided: Option<&String>) -> bool {
    let hash = &approval.payload_sha256;
    approval.payload == ERASED
        || (*hash == hex(&sha256(&[approval.payload.as_bytes()]))
            && recorded.is_none_or(|recorded| recorded == hash)
            && (decided == recorded || recorded.is_none()))
}

/// True if words of an effect may be gone: erased, or those of a prompt that has been answered.
pub(crate) fn drops_words(effect: &StoredEffect) -> bool {
    let ended = matches!(effect.state, EffectState::Done | EffectState::Failed | EffectState::Cancelled);
    let prompts = matches!(
        effect.row.class,
        EffectClass::ModelAsk | EffectClass::AgentDelegate | EffectClass::TurnHandover
    );
    effect.row.payload.is_empty() || (ended && prompts)
}

/// True if an erasure may have changed what was made and what was put aside at these times.
fn may_be_erased(erasures: &[ErasureRow], put_aside: Timestamp, made: Timestamp) -> bool {
    erasures.iter().any(|erasure| match erase::age_of(erasure) {
        Some(before) => made < before,
        None => erasure.done_at.is_none_or(|done| done >= put_aside),
    })
}
