//! Approvals as the turns of a group leave them.

use std::collections::{BTreeMap, HashMap};

use throughline_engine::data::approval::{Approval, ApprovalChange, CloseReason};
use tokio_postgres::Row;

use crate::rules::other_release;

const PENDING: i64 = 0;
const DECIDED: i64 = 1;
const EXPIRED: i64 = 2;
const SUPERSEDED: i64 = 3;
const CANCELLED: i64 = 4;

/// One version of an approval.
#[derive(Clone)]
pub(super) struct Version {
    pub(super) state: i64,
    pub(super) expires_at: Option<i64>,
    pub(super) approval: String,
    pub(super) change: Option<String>,
    /// Position at which a turn of the group opens it.
    pub(super) opened: Option<i64>,
    /// True if a turn of the group changes one that was there.
    pub(super) changed: bool,
}

/// An approval that a turn consumes: card, version, hashes of what it releases.
pub(super) type Consumed<'t> = (&'t str, i64, &'t [String]);

/// The approvals that one turn changes, in their new state.
#[derive(Default)]
pub(super) struct Changes<'t> {
    pub(super) versions: HashMap<&'t str, BTreeMap<u32, Version>>,
    pub(super) consumed: Vec<Consumed<'t>>,
}

fn encoded<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

impl Version {
    pub(super) fn read(row: &Row) -> Self {
        Self {
            state: row.get("state"),
            expires_at: row.get("expires_at"),
            approval: row.get("approval"),
            change: None,
            opened: None,
            changed: false,
        }
    }

    fn close(&mut self, state: i64) {
        if self.state == PENDING {
            self.state = state;
            self.changed = true;
        }
    }
}

impl<'t> Changes<'t> {
    /// Applies the changes of a turn to the approvals as they are. Returns `None` if one that it consumes can no longer be
    /// consumed, and an error for one that a rule refuses.
    pub(super) fn of(
        changes: &'t [ApprovalChange],
        stored: &HashMap<String, BTreeMap<u32, Version>>,
        now: i64,
        first_position: i64,
    ) -> Result<Option<Self>, String> {
        let mut all = Self::default();
        for (change, position) in changes.iter().zip(first_position..) {
            let card = match change {
                ApprovalChange::Open(approval) => &approval.card,
                ApprovalChange::Decide { card, .. } | ApprovalChange::Close { card, .. } => card,
            };
            let kept = || stored.get(card.as_str()).cloned().unwrap_or_default();
            let versions = all.versions.entry(card.as_str()).or_insert_with(kept);
            match change {
                ApprovalChange::Open(approval) => open(versions, approval, position)?,
                ApprovalChange::Close { version, how, .. } => {
                    if let Some(version) = versions.get_mut(version) {
                        version.close(match how {
                            CloseReason::Expired => EXPIRED,
                            CloseReason::Superseded => SUPERSEDED,
                            CloseReason::Cancelled => CANCELLED,
                        });
                    }
                }
                ApprovalChange::Decide { card, version, action, releases, .. } => {
                    let pending = versions.get_mut(version).filter(|version| {
                        version.state == PENDING && version.expires_at.is_none_or(|until| until >= now)
                    });
                    let Some(pending) = pending else { return Ok(None) };
                    let shown: Approval =
                        serde_json::from_str(&pending.approval).map_err(|error| error.to_string())?;
                    if let Some(why) = other_release(&shown, change) {
                        return Err(why);
                    }
                    pending.state = DECIDED;
                    pending.changed = true;
                    pending.change = Some(encoded(change)?);
                    if action.releases() {
                        all.consumed.push((card.as_str(), i64::from(*version), releases));
                    }
                }
            }
        }
        Ok(Some(all))
    }
}

fn open(versions: &mut BTreeMap<u32, Version>, approval: &Approval, position: i64) -> Result<(), String> {
    if versions.contains_key(&approval.version) {
        return Err(format!("approval {} has a version {} already", approval.card, approval.version));
    }
    versions.range_mut(..approval.version).for_each(|(_, older)| older.close(SUPERSEDED));
    let version = Version {
        state: PENDING,
        expires_at: approval.expires_at.map(|at| at.0),
        approval: encoded(approval)?,
        change: None,
        opened: Some(position),
        changed: false,
    };
    versions.insert(approval.version, version);
    Ok(())
}
