//! The same fact said again: it joins what is known, and nothing is appended (`spec 05 §8.2`). What a fact says follows
//! from its statements and not from the order in which they came.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;

use super::canonical;
use super::fact::{Confidence, Fact, FactKey, FactStatus, FactType, Source, Trust};
use crate::id::FactId;
use crate::time::Timestamp;

/// The facts of one place, by their ids.
pub type Facts = BTreeMap<FactId, Fact>;

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// Nobody had said so.
    Added,
    /// It was known, and this is one more to say so.
    Merged,
    /// It was known from this very statement: nothing changes, not even a time.
    Unchanged,
}

/// Puts a statement with the facts of its place: `kept` statements stay of each fact, the newest.
pub fn join(
    facts: &mut Facts,
    key: &FactKey,
    kind: FactType,
    source: Source,
    now: Timestamp,
    kept: usize,
) -> (FactId, Joined) {
    let id = canonical::id(key, kind, &canonical::text(&source.text));
    let Some(known) = facts.get_mut(&id) else {
        facts.insert(id.clone(), Fact::first(key, kind, id.clone(), source, now));
        return (id, Joined::Added);
    };
    if !known.absorb(source, kept) {
        return (id, Joined::Unchanged);
    }
    known.updated_at = known.updated_at.max(now);
    (id, Joined::Merged)
}

impl Fact {
    /// A fact that rests on one statement.
    pub(super) fn first(key: &FactKey, kind: FactType, id: FactId, source: Source, now: Timestamp) -> Self {
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

    /// One more statement of it. `false`: it changes nothing.
    pub(super) fn absorb(&mut self, source: Source, kept: usize) -> bool {
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

    /// What the fact says after a statement: among equals the surest and the newest, and a member's before a
    /// stranger's, who cannot make an old decision new.
    fn hear(&mut self, source: &Source) {
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

    fn says(&mut self, source: &Source) {
        self.source_ts = source.at;
        self.text.clone_from(&source.text);
        self.author.clone_from(&source.author);
        self.origin = source.origin;
    }

    /// The statements that count: a member's alone, if there is one.
    fn counting(&self) -> impl Iterator<Item = &Source> {
        self.sources.iter().filter(|source| source.trust == self.trust)
    }

    fn own_subject(&self) -> Option<alloc::string::String> {
        self.counting().find_map(|source| source.subject.clone())
    }

    /// Takes the statements of another fact that is the same in another place.
    pub(super) fn take_in(&mut self, other: Self, kept: usize) -> bool {
        let before = self.clone();
        let (trust, confidence) = (other.trust, other.confidence);
        // What it says may rest on a statement that was too old to keep.
        let said = Source {
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

    /// Takes statements away. `None`: none is left, and the fact with them; else whether something changed.
    pub(super) fn withdraw(&mut self, goes: &dyn Fn(&Source) -> bool) -> Option<bool> {
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

    /// It is about nothing that has one value at a time any more.
    pub(super) fn without_subject(&mut self) {
        self.subject = None;
        for source in &mut self.sources {
            source.subject = None;
        }
    }

    /// Whether it is a member's.
    #[must_use]
    pub fn trusted(&self) -> bool {
        self.trust == Trust::Member
    }

    /// Whether it is at least so sure.
    pub(super) fn reaches(&self, percent: u8) -> bool {
        self.confidence >= Confidence::of(percent)
    }
}
