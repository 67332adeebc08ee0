//! Anchors: the newest hash of every chain of a tenant, signed with the installation's key
//! (`docs/design/0046-anchors.md`).
//!
//! A chain shows what was changed in it. An anchor shows a chain that was made anew, cut off or deleted: whoever may write
//! to the database has no key to sign another one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json::{hex, jcs, sha256, unhex};
use throughline_engine::{LaneId, Timestamp};
use throughline_store::Document;

use crate::{Runtime, RuntimeError, Subject};

/// Collection and key of the newest anchor, which is kept in the store.
const KEPT: (&str, &str) = ("audit.anchors", "newest");
/// Purpose of an anchor's signature.
const PURPOSE: &str = "audit-anchor/1";
/// Rows and lanes read at a time.
const PAGE: u32 = 200;
/// Attempts to keep an anchor while others do the same.
const ATTEMPTS: usize = 4;

/// The newest hashes of a tenant's chains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heads {
    /// The tenant.
    pub tenant: String,
    /// The time at which they were read.
    pub at: Timestamp,
    /// The number of rows of the audit chain.
    pub audit_rows: i64,
    /// Hash over those rows.
    pub audit: String,
    /// Newest turn of each lane.
    pub lanes: BTreeMap<LaneId, LaneHead>,
}

/// The newest turn of a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaneHead {
    /// Its revision.
    pub revision: u64,
    /// Hash of its row, which covers all rows before it.
    pub hash: String,
}

/// Heads with the signature of the installation that read them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The heads.
    pub heads: Heads,
    /// HMAC-SHA-256 over their canonical JSON, in hexadecimal.
    pub signature: String,
}

/// Row of the audit chain that says an anchor was kept.
#[derive(Serialize, Deserialize)]
struct AnchoredRow {
    what: String,
    signature: String,
    at: Timestamp,
}

const ANCHORED: &str = "anchored";

impl Runtime {
    /// Signs the newest hash of every chain of a tenant, keeps that in the store in the place of the anchor before it, and
    /// returns it. Nothing is written if nothing was recorded since, or ever.
    ///
    /// # Errors
    /// The store did not answer, or others kept anchors all the time.
    pub async fn anchor(&self, tenant: &str) -> Result<Anchor, RuntimeError> {
        for _ in 0..ATTEMPTS {
            let kept = self.store.document(tenant, KEPT.0, KEPT.1).await?;
            let before = kept.as_ref().and_then(|kept| serde_json::from_str::<Anchor>(&kept.body).ok());
            let heads = self.heads(tenant).await?;
            if let Some(before) = before.filter(|before| self.says_the_same(before, &heads)) {
                return Ok(before);
            }
            let anchor = self.with_signature(heads);
            if anchor.heads.audit_rows == 0 && anchor.heads.lanes.is_empty() {
                return Ok(anchor);
            }
            let row = AnchoredRow {
                what: ANCHORED.into(),
                signature: anchor.signature.clone(),
                at: anchor.heads.at,
            };
            let version = kept.map_or(0, |kept| kept.version);
            let document = Document::new(KEPT.1, version, jcs(&anchor));
            let writes = vec![(KEPT.0.to_owned(), document)];
            if self.store.write_documents(tenant, writes, Some(&jcs(&row))).await? {
                return Ok(anchor);
            }
        }
        Err(RuntimeError::unreadable("the newest anchor", "it is written by others all the time"))
    }

    /// Verifies that everything an anchor names is still recorded. Returns what is not.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn verify_anchor(&self, anchor: &Anchor) -> Result<Vec<String>, RuntimeError> {
        let heads = &anchor.heads;
        let of = format!("anchor of {}", heads.at.rfc3339());
        let signature = unhex(&anchor.signature).unwrap_or_default();
        if !self.keys().signed(PURPOSE, jcs(heads).as_bytes(), &signature) {
            return Ok(vec![format!("{of}: its signature is not one of this installation's key")]);
        }
        let mut broken = Vec::new();
        let (rows, audit) = self.audit_head(&heads.tenant, heads.audit_rows).await?;
        if rows < heads.audit_rows {
            broken.push(format!("{of}: the audit chain has {rows} of its {} rows", heads.audit_rows));
        } else if audit != heads.audit {
            broken.push(format!("{of}: the audit chain was made anew"));
        }
        for (id, head) in &heads.lanes {
            let problem = self.misses(&heads.tenant, id, head).await?;
            broken.extend(problem.map(|what| format!("{of}: {id} {what}")));
        }
        Ok(broken)
    }

    /// Verifies the anchor that the store keeps, and that it is the newest that was recorded. Returns what does not fit.
    ///
    /// # Errors
    /// The store did not answer.
    pub async fn verify_kept_anchor(&self, tenant: &str) -> Result<Vec<String>, RuntimeError> {
        let kept = self.store.document(tenant, KEPT.0, KEPT.1).await?;
        let recorded = self.newest_anchored(tenant).await?;
        let Some(kept) = kept else {
            let erased = match &recorded {
                Some(row) => self.is_erased_since(tenant, row.at).await?,
                None => true,
            };
            return Ok((!erased)
                .then(|| format!("{tenant}: its newest anchor is gone"))
                .into_iter()
                .collect());
        };
        let Ok(anchor) = serde_json::from_str::<Anchor>(&kept.body) else {
            return Ok(vec![format!("{tenant}: its newest anchor cannot be read")]);
        };
        let mut broken = self.verify_anchor(&anchor).await?;
        if anchor.heads.tenant != tenant || recorded.is_none_or(|row| row.signature != anchor.signature) {
            broken.push(format!("{tenant}: its newest anchor is not the one that was recorded last"));
        }
        Ok(broken)
    }

    fn with_signature(&self, heads: Heads) -> Anchor {
        let signature = hex(&self.keys().sign(PURPOSE, jcs(&heads).as_bytes()));
        Anchor { heads, signature }
    }

    /// True if nothing but that anchor itself was recorded since, and it is one of this installation.
    fn says_the_same(&self, before: &Anchor, heads: &Heads) -> bool {
        before.heads.lanes == heads.lanes
            && before.heads.audit_rows + 1 == heads.audit_rows
            && self.with_signature(before.heads.clone()) == *before
    }

    async fn heads(&self, tenant: &str) -> Result<Heads, RuntimeError> {
        let mut heads = Heads {
            tenant: tenant.into(),
            at: self.store.now(),
            audit_rows: 0,
            audit: String::new(),
            lanes: BTreeMap::new(),
        };
        (heads.audit_rows, heads.audit) = self.audit_head(tenant, i64::MAX).await?;
        let mut after: Option<LaneId> = None;
        loop {
            let lanes = self.store.lanes(tenant, after.as_ref(), PAGE).await?;
            let Some(last) = lanes.last() else { return Ok(heads) };
            after = Some(last.id.clone());
            for lane in lanes.into_iter().filter(|lane| lane.revision > 0) {
                let newest = self.store.turns(&lane.key, lane.revision - 1, 1).await?;
                let hash = newest.into_iter().next().map_or_else(String::new, |turn| turn.log.hash);
                heads.lanes.insert(lane.id, LaneHead { revision: lane.revision, hash });
            }
        }
    }

    /// Returns the number of audit rows up to `most`, and the hash over them.
    async fn audit_head(&self, tenant: &str, most: i64) -> Result<(i64, String), RuntimeError> {
        let (mut rows, mut hash) = (0, [0; 32]);
        loop {
            let page = self.store.audit(tenant, rows, PAGE).await?;
            let Some((newest, _)) = page.last() else { break };
            let newest = *newest;
            for (number, row) in page.iter().filter(|(number, _)| *number <= most) {
                hash = sha256(&[&hash, &number.to_be_bytes(), &sha256(&[row.as_bytes()])]);
                rows = *number;
            }
            if newest >= most {
                break;
            }
        }
        Ok((rows, hex(&hash)))
    }

    /// Returns what is missing of a lane, as a clause.
    async fn misses(
        &self,
        tenant: &str,
        id: &LaneId,
        head: &LaneHead,
    ) -> Result<Option<String>, RuntimeError> {
        let Some(lane) = self.store.lane(tenant, id).await? else {
            return Ok(Some(format!("is gone, with its {} turns", head.revision)));
        };
        if lane.revision < head.revision {
            return Ok(Some(format!("has {} of its {} turns", lane.revision, head.revision)));
        }
        let turn = self.store.turns(&lane.key, head.revision - 1, 1).await?.into_iter().next();
        let same = turn.is_some_and(|turn| turn.revision == head.revision && turn.log.hash == head.hash);
        Ok((!same).then(|| format!("has another turn {}", head.revision)))
    }

    async fn newest_anchored(&self, tenant: &str) -> Result<Option<AnchoredRow>, RuntimeError> {
        let (mut newest, mut after) = (None, 0);
        loop {
            let rows = self.store.audit(tenant, after, PAGE).await?;
            let Some((last, _)) = rows.last() else { return Ok(newest) };
            after = *last;
            let anchored = |(_, row): &(i64, String)| serde_json::from_str::<AnchoredRow>(row).ok();
            newest = rows.iter().rev().filter_map(anchored).find(|row| row.what == ANCHORED).or(newest);
        }
    }

    /// True if everything of the tenant was erased after that time, its anchor too.
    async fn is_erased_since(&self, tenant: &str, at: Timestamp) -> Result<bool, RuntimeError> {
        let erasures = self.store.erasures(tenant, false).await?;
        let everything = |what: &str| matches!(serde_json::from_str(what), Ok(Subject::Tenant));
        Ok(erasures.iter().any(|row| everything(&row.what) && row.done_at.is_none_or(|done| done >= at)))
    }
}
