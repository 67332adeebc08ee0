//! Merges a statement into the facts of a place: a repeated fact gains a source instead of a second entry.
//! The text of a fact depends on its statements, not on the order in which they arrived
//! (`docs/design/0027-facts.md`).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;

use crate::data::fact::{Confidence, Fact, FactKey, FactSource, FactStatus, FactType, Trust};
use crate::data::id::FactId;
use crate::data::time::Timestamp;
use crate::facts::canonical;

/// The facts of one place, by their ids.
pub type Facts = BTreeMap<FactId, Fact>;

/// The result of merging a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// The fact is new.
    Added,
    /// The fact was known, and the statement became one more of its sources.
    Merged,
    /// The fact already rests on this very statement: nothing changes, not even a time.
    Unchanged,
}

/// Adds a statement to the facts of its place. Each fact keeps its newest `kept` sources. Returns the
/// fact's id and the result.
pub fn merge(
    facts: &mut Facts,
    key: &FactKey,
    kind: FactType,
    source: FactSource,
    now: Timestamp,
    kept: usize,
) -> (FactId, MergeOutcome) {
    let id = canonical::id(key, kind, &canonical::text(&source.text));
    let Some(known) = facts.get_mut(&id) else {
        facts.insert(id.clone(), Fact::first(key, kind, id.clone(), source, now));
        return (id, MergeOutcome::Added);
    };
    if !known.absorb(source, kept) {
        return (id, MergeOutcome::Unchanged);
    }
    known.updated_at = known.updated_at.max(now);
    (id, MergeOutcome::Merged)
}

impl Fact {
    /// A new fact that rests on one statement.
    pub(super) fn first(
        key: &FactKey,
        kind: FactType,
        id: FactId,
        source: FactSource,
        now: Timestamp,
    ) -> Self {
        Self {
            kind,
            scope: key.scope,
            source_ts: source.at,
            text: source.text.clone(),
            confidence: source.confidence,
            canonical_id: id,
            author: source.author.clone(),
            trust: source.trust,
            origin: source.origin,
            subject: source.subject.clone(),
            status: FactStatus::Valid,
            superseded_by: None,
            supersedes: vec![],
            sources: vec![source],
            created_at: now,
            updated_at: now,
            last_used_at: None,
        }
    }

    /// Adds a statement of this fact. Returns false if that changes nothing.
    pub(super) fn absorb(&mut self, source: FactSource, kept: usize) -> bool {
        if self.sources.iter().any(|known| known.same(&source)) {
            return false;
        }
        let before = self.clone();
        let at = self.sources.partition_point(|known| known.newer(&source).is_gt());
        self.sources.insert(at, source.clone());
        self.sources.truncate(kept);
        self.hear(&source);
        self.subject = self.own_subject();
        *self != before
    }

    /// Takes over the text and confidence of a statement. Among sources of equal trust, confidence is the
    /// highest and the text is the newest. A member's statement outranks an untrusted one, so no stranger
    /// can make an old decision look new.
    fn hear(&mut self, source: &FactSource) {
        if source.trust < self.trust {
            return;
        }
        let first = source.trust > self.trust;
        self.trust = source.trust;
        self.confidence = if first { source.confidence } else { self.confidence.max(source.confidence) };
        if first || (source.at, &source.author, &source.text) > (self.source_ts, &self.author, &self.text) {
            self.says(source);
        }
    }

    fn says(&mut self, source: &FactSource) {
        self.source_ts = source.at;
        self.text.clone_from(&source.text);
        self.author.clone_from(&source.author);
        self.origin = source.origin;
    }

    /// The statements that count: only members' statements if there is one, else all.
    fn counting(&self) -> impl Iterator<Item = &FactSource> {
        self.sources.iter().filter(|source| source.trust == self.trust)
    }

    fn own_subject(&self) -> Option<alloc::string::String> {
        self.counting().find_map(|source| source.subject.clone())
    }

    /// Merges another fact with the same id into this one, when a place is rekeyed. Returns false if that
    /// changes nothing.
    pub(super) fn take_in(&mut self, other: Self, kept: usize) -> bool {
        let before = self.clone();
        let (trust, confidence) = (other.trust, other.confidence);
        // The text may come from a statement that is no longer among the kept sources.
        let said = FactSource {
            at: other.source_ts,
            author: other.author,
            text: other.text,
            confidence,
            trust,
            origin: other.origin,
            subject: None,
            lane: None,
            message: None,
        };
        for source in other.sources {
            self.absorb(source, kept);
        }
        self.hear(&said);
        self.subject = self.own_subject();
        self.created_at = self.created_at.min(other.created_at);
        self.last_used_at = self.last_used_at.max(other.last_used_at);
        *self != before
    }

    /// Removes the statements that match. Returns whether something changed, or `None` if no statement is
    /// left: the fact then has to be removed too.
    pub(crate) fn withdraw(&mut self, goes: &dyn Fn(&FactSource) -> bool) -> Option<bool> {
        let before = self.sources.len();
        self.sources.retain(|source| !goes(source));
        if self.sources.len() == before {
            return Some(false);
        }
        self.trust = self.sources.iter().map(|source| source.trust).max()?;
        self.confidence = self.counting().map(|source| source.confidence).max().unwrap_or_default();
        let newest = self.counting().next().cloned().map(Box::new)?;
        self.says(&newest);
        self.subject = self.own_subject();
        Some(true)
    }

    /// Removes the subject: the fact no longer contradicts others about the same subject.
    pub(crate) fn without_subject(&mut self) {
        self.subject = None;
        for source in &mut self.sources {
            source.subject = None;
        }
    }

    /// True if at least one statement of it is a member's.
    #[must_use]
    pub fn is_trusted(&self) -> bool {
        self.trust == Trust::Member
    }

    /// True if its confidence is at least so many percent.
    pub(super) fn reaches(&self, percent: u8) -> bool {
        self.confidence >= Confidence::from_percent(percent)
    }
}
