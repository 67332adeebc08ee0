//! The facts a turn reads and changes: those of the lane, which are its records, and the sets of epics and
//! channels that came with `given`. Changes are written when the turn ends; `docs/design/0027-facts.md` has
//! the rules.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::decision::Reason;
use crate::data::fact::{
    Fact, FactChange, FactKey, FactScope, FactSource, FactStatus, FactTombstone, FactType, FactsTouched,
};
use crate::data::id::{FactId, MessageId};
use crate::data::record::Record;
use crate::data::record::RecordKind;
use crate::facts::eviction;
use crate::facts::merge;
use crate::facts::merge::{Facts, MergeOutcome};
use crate::turn::Turn;

/// The facts of a turn by place. A place is copied when it is first changed.
#[derive(Default)]
pub(crate) struct TurnFacts {
    open: BTreeMap<FactKey, PlaceFacts>,
    used: BTreeSet<(FactKey, FactId)>,
    /// True once the message's request to remember something was carried out and answered.
    pub(crate) answered: bool,
}

/// The facts of one place, and the erasures remembered there: as loaded and as this turn leaves them.
struct PlaceFacts {
    revision: u64,
    before: Facts,
    facts: Facts,
    gone_before: Vec<FactTombstone>,
    gone: Vec<FactTombstone>,
}

/// The result of keeping a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptStatement {
    pub(crate) key: FactKey,
    pub(crate) id: FactId,
    pub(crate) joined: MergeOutcome,
    /// True if there was no room for it, so that it was evicted at once.
    pub(crate) evicted: bool,
    /// The fact that stays valid, if this turn made the new one disputed.
    pub(crate) holder: Option<FactId>,
    /// The facts that became superseded in this turn.
    pub(crate) over: Vec<FactId>,
}

impl Turn<'_> {
    /// True if the facts of this place are loaded.
    pub(crate) fn has_facts(&self, key: &FactKey) -> bool {
        *key == FactKey::thread(&self.lane.key) || self.given.facts.iter().any(|set| set.key == *key)
    }

    fn book(&mut self, key: &FactKey) -> Option<&mut PlaceFacts> {
        if !self.books.open.contains_key(key) {
            let book = if *key == FactKey::thread(&self.lane.key) {
                PlaceFacts::of(0, self.lane_facts().cloned(), self.head.gone.clone())
            } else {
                let set = self.given.facts.iter().find(|set| set.key == *key)?;
                PlaceFacts::of(set.revision, set.facts.iter().cloned(), set.gone.clone())
            };
            self.books.open.insert(key.clone(), book);
        }
        self.books.open.get_mut(key)
    }

    fn lane_facts(&self) -> impl Iterator<Item = &Fact> {
        self.lane.records.of(RecordKind::Fact).filter_map(|record| match record {
            Record::Fact(fact) => Some(fact.as_ref()),
            _ => None,
        })
    }

    /// All loaded facts as this turn leaves them, each with its place.
    pub(crate) fn facts_in_reach(&self) -> Vec<(FactKey, &Fact)> {
        let thread = FactKey::thread(&self.lane.key);
        let mut all: Vec<(FactKey, &Fact)> = Vec::new();
        for key in self.given.facts.iter().map(|set| &set.key).chain([&thread]) {
            match self.books.open.get(key) {
                Some(book) => all.extend(book.facts.values().map(|fact| (key.clone(), fact))),
                None if *key == thread => all.extend(self.lane_facts().map(|fact| (key.clone(), fact))),
                None => {
                    let set = self.given.facts.iter().filter(|set| set.key == *key);
                    all.extend(set.flat_map(|set| &set.facts).map(|fact| (key.clone(), fact)));
                }
            }
        }
        all
    }

    /// One fact as this turn leaves it.
    pub(crate) fn fact(&mut self, key: &FactKey, id: &FactId) -> Option<Fact> {
        self.book(key)?.facts.get(id).cloned()
    }

    /// Adds a statement to the facts of a place, or merges it into one there. `None` if the place is not
    /// loaded, or if the fact was erased and may not be taken from this message again.
    pub(crate) fn keep_fact(
        &mut self,
        key: &FactKey,
        kind: FactType,
        mut source: FactSource,
    ) -> Option<KeptStatement> {
        let (now, policy) = (self.now(), &self.policy.facts);
        source.lane = (key.scope != FactScope::Thread).then(|| self.lane.key.id());
        let book = self.book(key)?;
        if book.gone.iter().any(|gone| gone.bars(key, kind, &source, now)) {
            self.note(Reason::FactErased);
            return None;
        }
        let before: BTreeMap<FactId, FactStatus> = book.statuses();
        let (id, joined) = merge::merge(&mut book.facts, key, kind, source, now, policy.sources_kept);
        let left = eviction::evict_excess(&mut book.facts, key.scope, policy);
        let status = |id: &FactId| book.facts.get(id).map(|fact| fact.status);
        let turned = |id: &FactId, to: FactStatus| status(id) == Some(to) && before.get(id) != Some(&to);
        let over: Vec<FactId> =
            before.keys().filter(|id| turned(id, FactStatus::Superseded)).cloned().collect();
        let holder = turned(&id, FactStatus::Disputed).then(|| book.holder_against(&id)).flatten();
        let evicted = !book.facts.contains_key(&id);
        self.note(match joined {
            MergeOutcome::Added => Reason::FactAdded,
            MergeOutcome::Merged => Reason::FactMerged,
            MergeOutcome::Unchanged => Reason::FactUnchanged,
        });
        for (noted, reason) in [
            (!over.is_empty(), Reason::FactSuperseded),
            (holder.is_some(), Reason::FactDisputed),
            (!left.is_empty(), Reason::FactEvicted),
        ] {
            if noted {
                self.note(reason);
            }
        }
        Some(KeptStatement { key: key.clone(), id, joined, evicted, holder, over })
    }

    /// The texts of all statements whose source is this message.
    pub(crate) fn said_by(&self, message: &MessageId) -> Vec<String> {
        let lane = self.lane.key.id();
        let all = self.facts_in_reach().into_iter().flat_map(|(key, fact)| {
            let here = key.scope == FactScope::Thread;
            fact.sources.iter().filter(move |source| here || source.lane.is_some())
        });
        let its = all.filter(|source| source.message.as_ref() == Some(message));
        its.filter(|source| source.lane.as_ref().is_none_or(|of| *of == lane))
            .map(|source| source.text.clone())
            .collect()
    }

    /// Removes the subject of a fact, because both of two contradicting facts hold: they are about
    /// different things.
    pub(crate) fn part_facts(&mut self, key: &FactKey, older: &FactId) {
        let (now, policy) = (self.now(), &self.policy.facts);
        let Some(book) = self.book(key) else { return };
        if let Some(fact) = book.facts.get_mut(older) {
            fact.without_subject();
            fact.updated_at = fact.updated_at.max(now);
        }
        eviction::evict_excess(&mut book.facts, key.scope, policy);
    }

    /// Removes all loaded statements that `goes` selects; a fact without any left is removed too. With
    /// `bury`, their messages may not yield them again for a while. Returns true if there was one.
    pub(crate) fn withdraw_facts(
        &mut self,
        goes: &dyn Fn(&FactKey, &FactSource) -> bool,
        bury: bool,
    ) -> bool {
        let (now, policy) = (self.now(), &self.policy.facts);
        let thread = FactKey::thread(&self.lane.key);
        let keys: Vec<FactKey> = self.given.facts.iter().map(|set| set.key.clone()).chain([thread]).collect();
        let mut any = false;
        for key in keys {
            let stated = |fact: &Fact| fact.sources.iter().any(|source| goes(&key, source));
            let here = self.facts_in_reach().into_iter().any(|(of, fact)| of == key && stated(fact));
            let Some(book) = here.then(|| self.book(&key)).flatten() else { continue };
            any = true;
            let ids: Vec<FactId> = book
                .facts
                .values()
                .filter(|fact| stated(fact))
                .map(|fact| fact.canonical_id.clone())
                .collect();
            for id in ids {
                let Some(fact) = book.facts.get_mut(&id) else { continue };
                if bury {
                    let until = now.plus(policy.tombstone());
                    let sources = fact.sources.iter().filter(|source| goes(&key, source));
                    book.gone.extend(sources.filter_map(|source| FactTombstone::of(&id, source, until)));
                }
                match fact.withdraw(&|source| goes(&key, source)) {
                    Some(true) => fact.updated_at = fact.updated_at.max(now),
                    Some(false) => {}
                    None => drop(book.facts.remove(&id)),
                }
            }
            eviction::evict_excess(&mut book.facts, key.scope, policy);
        }
        any
    }

    /// Removes one fact with all its sources. Returns false if it is not loaded.
    pub(crate) fn erase_fact(&mut self, key: &FactKey, id: &FactId) -> bool {
        let (now, policy) = (self.now(), &self.policy.facts);
        let Some(book) = self.book(key) else { return false };
        let Some(fact) = book.facts.remove(id) else { return false };
        let until = now.plus(policy.tombstone());
        book.gone.extend(fact.sources.iter().filter_map(|source| FactTombstone::of(id, source, until)));
        for other in book.facts.values_mut() {
            other.supersedes.retain(|superseded| superseded != id);
        }
        eviction::evict_excess(&mut book.facts, key.scope, policy);
        true
    }

    /// Removes all facts of a place and its record of erased ones. Returns false if there were none, or
    /// they are not loaded.
    pub(crate) fn forget_facts(&mut self, key: &FactKey) -> bool {
        let Some(book) = self.book(key) else { return false };
        let any = !book.facts.is_empty() || !book.gone.is_empty();
        book.facts.clear();
        book.gone.clear();
        any
    }

    /// Moves the facts of one place to another, together with the record of what was erased. Returns false
    /// if there was nothing to move or one of the two places is not loaded.
    pub(crate) fn rekey_facts(&mut self, from: &FactKey, to: &FactKey) -> bool {
        let (now, policy) = (self.now(), &self.policy.facts);
        let none = |book: &mut PlaceFacts| book.facts.is_empty() && book.gone.is_empty();
        if self.book(to).is_none() || self.book(from).is_none_or(none) {
            return false;
        }
        let (Some(mut old), Some(mut new)) = (self.books.open.remove(from), self.books.open.remove(to))
        else {
            return false;
        };
        let any = !old.facts.is_empty();
        crate::facts::rekey::rekey(&mut old.facts, &mut new.facts, to, now, policy.sources_kept);
        eviction::evict_excess(&mut new.facts, to.scope, policy);
        new.gone.extend(old.gone.drain(..).map(|gone| gone.moved(from)));
        self.books.open.insert(from.clone(), old);
        self.books.open.insert(to.clone(), new);
        any
    }

    /// Marks facts as used: they were shown in a prompt.
    pub(crate) fn use_facts(&mut self, facts: &[(FactKey, FactId)]) {
        self.books.used.extend(facts.iter().cloned());
    }

    /// Writes the changed facts of the lane as records; returns those of other places for the store.
    pub(crate) fn write_facts(&mut self) -> Vec<FactsTouched> {
        let now = self.now();
        let mut books = core::mem::take(&mut self.books);
        if books.open.is_empty() && books.used.is_empty() {
            return Vec::new();
        }
        let thread = FactKey::thread(&self.lane.key);
        if let Some(mut book) = books.open.remove(&thread) {
            book.settle_gone(now);
            for change in book.changes() {
                match change {
                    FactChange::Put(fact) => self.put(Record::Fact(alloc::boxed::Box::new(fact))),
                    FactChange::Drop(id) => self.delete::<Fact>(&id),
                    FactChange::PutTombstone(_) | FactChange::DropTombstone(_) => {}
                }
            }
            self.head.gone = book.gone;
        }
        let mut touched: Vec<FactsTouched> = Vec::new();
        for (key, mut book) in books.open {
            book.settle_gone(now);
            let changes = book.changes();
            touched.push(FactsTouched {
                key,
                revision: book.revision,
                opened: true,
                changes,
                used: Vec::new(),
            });
        }
        for (key, id) in books.used {
            if key == thread {
                self.used_here(&id);
                continue;
            }
            let at = touched.iter().position(|one| one.key == key).unwrap_or_else(|| {
                let revision =
                    self.given.facts.iter().find(|set| set.key == key).map_or(0, |set| set.revision);
                touched.push(FactsTouched {
                    key,
                    revision,
                    opened: false,
                    changes: Vec::new(),
                    used: Vec::new(),
                });
                touched.len() - 1
            });
            touched[at].used.push(id);
        }
        touched
    }

    fn used_here(&mut self, id: &FactId) {
        let now = self.now();
        let Some(Record::Fact(fact)) = self.find(RecordKind::Fact, &id.0) else { return };
        if fact.last_used_at < Some(now) {
            let mut fact = fact.clone();
            fact.last_used_at = Some(now);
            self.put(Record::Fact(fact));
        }
    }
}

impl PlaceFacts {
    fn of(revision: u64, facts: impl Iterator<Item = Fact>, gone: Vec<FactTombstone>) -> Self {
        let facts: Facts = facts.map(|fact| (fact.canonical_id.clone(), fact)).collect();
        Self { revision, before: facts.clone(), facts, gone_before: gone.clone(), gone }
    }

    fn statuses(&self) -> BTreeMap<FactId, FactStatus> {
        self.facts.iter().map(|(id, fact)| (id.clone(), fact.status)).collect()
    }

    /// The valid fact among those that contradict this one.
    fn holder_against(&self, id: &FactId) -> Option<FactId> {
        let all: Vec<&Fact> = self.facts.values().collect();
        let groups = crate::facts::contradiction::groups(&all);
        let group = groups.into_iter().find(|group| group.iter().any(|at| all[*at].canonical_id == *id))?;
        let holder = group.into_iter().find(|at| all[*at].status == FactStatus::Valid)?;
        Some(all[holder].canonical_id.clone())
    }

    /// Drops expired erasures, and duplicates of the others.
    fn settle_gone(&mut self, now: crate::data::time::Timestamp) {
        self.gone.retain(|gone| gone.until > now);
        self.gone.sort();
        self.gone.dedup_by(|one, other| one.same(other));
    }

    fn changes(&self) -> Vec<FactChange> {
        let put = self.facts.iter().filter(|(id, fact)| self.before.get(*id) != Some(*fact));
        let dropped = self.before.keys().filter(|id| !self.facts.contains_key(*id));
        let mut changes: Vec<FactChange> = put.map(|(_, fact)| FactChange::Put(fact.clone())).collect();
        changes.extend(dropped.cloned().map(FactChange::Drop));
        let new = self.gone.iter().filter(|gone| !self.gone_before.contains(gone));
        changes.extend(new.cloned().map(FactChange::PutTombstone));
        let over = self.gone_before.iter().filter(|gone| !self.gone.iter().any(|kept| kept.same(gone)));
        changes.extend(over.cloned().map(FactChange::DropTombstone));
        changes
    }
}
