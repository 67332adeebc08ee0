//! The facts a turn works on: those of the lane, read from its records, and the sets it was given. What changed is
//! written when the turn ends.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use super::fact::{Fact, FactChange, FactKey, FactScope, FactStatus, FactType, FactsTouched, Gone, Source};
use super::limit;
use super::merge::{self, Facts, Joined};
use crate::decision::Reason;
use crate::id::{FactId, MessageId};
use crate::lane::{Record, RecordKind};
use crate::turn::Turn;

/// See the module.
#[derive(Default)]
pub(crate) struct Books {
    open: BTreeMap<FactKey, Book>,
    used: BTreeSet<(FactKey, FactId)>,
    /// What the message asks to be remembered has been, and was answered.
    pub(crate) answered: bool,
}

/// The facts of one place, as they were and as they are.
struct Book {
    revision: u64,
    before: Facts,
    facts: Facts,
    gone_before: Vec<Gone>,
    gone: Vec<Gone>,
}

/// What came of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) key: FactKey,
    pub(crate) id: FactId,
    pub(crate) joined: Joined,
    /// It is one too many itself.
    pub(crate) evicted: bool,
    /// What counts in its place, when it is disputed since this turn.
    pub(crate) holder: Option<FactId>,
    /// What it took the place of in this turn.
    pub(crate) over: Vec<FactId>,
}

impl Turn<'_> {
    /// Whether the facts of a place are at hand.
    pub(crate) fn has_facts(&self, key: &FactKey) -> bool {
        *key == FactKey::thread(&self.lane.key) || self.given.facts.iter().any(|set| set.key == *key)
    }

    fn book(&mut self, key: &FactKey) -> Option<&mut Book> {
        if !self.books.open.contains_key(key) {
            let book = if *key == FactKey::thread(&self.lane.key) {
                Book::of(0, self.lane_facts().cloned(), self.head.gone.clone())
            } else {
                let set = self.given.facts.iter().find(|set| set.key == *key)?;
                Book::of(set.revision, set.facts.iter().cloned(), set.gone.clone())
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

    /// The facts in reach as this turn leaves them, each with its place.
    pub(super) fn facts_in_reach(&self) -> Vec<(FactKey, &Fact)> {
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

    /// One fact of a place, as this turn leaves it.
    pub(crate) fn fact(&mut self, key: &FactKey, id: &FactId) -> Option<Fact> {
        self.book(key)?.facts.get(id).cloned()
    }

    /// Keeps a statement. `None`: its place is not at hand, or the fact was erased from this very message.
    pub(crate) fn keep_fact(&mut self, key: &FactKey, kind: FactType, mut source: Source) -> Option<Kept> {
        let (now, policy) = (self.now(), &self.policy.facts);
        source.lane = (key.scope != FactScope::Thread).then(|| self.lane.key.id());
        let book = self.book(key)?;
        if book.gone.iter().any(|gone| gone.bars(key, kind, &source, now)) {
            self.note(Reason::FactErased);
            return None;
        }
        let before: BTreeMap<FactId, FactStatus> = book.statuses();
        let (id, joined) = merge::join(&mut book.facts, key, kind, source, now, policy.sources_kept);
        let left = limit::hold(&mut book.facts, key.scope, policy);
        let status = |id: &FactId| book.facts.get(id).map(|fact| fact.status);
        let turned = |id: &FactId, to: FactStatus| status(id) == Some(to) && before.get(id) != Some(&to);
        let over: Vec<FactId> =
            before.keys().filter(|id| turned(id, FactStatus::Superseded)).cloned().collect();
        let holder = turned(&id, FactStatus::Disputed).then(|| book.holder_against(&id)).flatten();
        let evicted = !book.facts.contains_key(&id);
        self.note(match joined {
            Joined::Added => Reason::FactAdded,
            Joined::Merged => Reason::FactMerged,
            Joined::Unchanged => Reason::FactUnchanged,
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
        Some(Kept { key: key.clone(), id, joined, evicted, holder, over })
    }

    /// The texts of the statements that come from a message of this lane.
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

    /// What a fact was about is no longer one thing.
    pub(crate) fn part_facts(&mut self, key: &FactKey, older: &FactId) {
        let (now, policy) = (self.now(), &self.policy.facts);
        let Some(book) = self.book(key) else { return };
        if let Some(fact) = book.facts.get_mut(older) {
            fact.without_subject();
            fact.updated_at = fact.updated_at.max(now);
        }
        limit::hold(&mut book.facts, key.scope, policy);
    }

    /// Takes statements away, wherever they are at hand: facts without any go. `bury`: the messages they came from may not
    /// yield them again for a while. Says whether there was one.
    pub(crate) fn withdraw_facts(&mut self, goes: &dyn Fn(&FactKey, &Source) -> bool, bury: bool) -> bool {
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
                    book.gone.extend(sources.filter_map(|source| Gone::of(&id, source, until)));
                }
                match fact.withdraw(&|source| goes(&key, source)) {
                    Some(true) => fact.updated_at = fact.updated_at.max(now),
                    Some(false) => {}
                    None => drop(book.facts.remove(&id)),
                }
            }
            limit::hold(&mut book.facts, key.scope, policy);
        }
        any
    }

    /// Takes one fact away, all of it. `false`: it is not at hand.
    pub(crate) fn erase_fact(&mut self, key: &FactKey, id: &FactId) -> bool {
        let (now, policy) = (self.now(), &self.policy.facts);
        let Some(book) = self.book(key) else { return false };
        let Some(fact) = book.facts.remove(id) else { return false };
        let until = now.plus(policy.tombstone());
        book.gone.extend(fact.sources.iter().filter_map(|source| Gone::of(id, source, until)));
        for other in book.facts.values_mut() {
            other.supersedes.retain(|superseded| superseded != id);
        }
        limit::hold(&mut book.facts, key.scope, policy);
        true
    }

    /// Takes all facts of a place away. `false`: there was none, or they are not at hand.
    pub(crate) fn forget_facts(&mut self, key: &FactKey) -> bool {
        let Some(book) = self.book(key) else { return false };
        let any = !book.facts.is_empty() || !book.gone.is_empty();
        book.facts.clear();
        book.gone.clear();
        any
    }

    /// Moves the facts of one place to another, and what was erased there. `false`: there was none, or one of the two is
    /// not at hand.
    pub(crate) fn rekey_facts(&mut self, from: &FactKey, to: &FactKey) -> bool {
        let (now, policy) = (self.now(), &self.policy.facts);
        let none = |book: &mut Book| book.facts.is_empty() && book.gone.is_empty();
        if self.book(to).is_none() || self.book(from).is_none_or(none) {
            return false;
        }
        let (Some(mut old), Some(mut new)) = (self.books.open.remove(from), self.books.open.remove(to))
        else {
            return false;
        };
        let any = !old.facts.is_empty();
        super::rekey::rekey(&mut old.facts, &mut new.facts, to, now, policy.sources_kept);
        limit::hold(&mut new.facts, to.scope, policy);
        new.gone.extend(old.gone.drain(..).map(|gone| gone.moved(from)));
        self.books.open.insert(from.clone(), old);
        self.books.open.insert(to.clone(), new);
        any
    }

    /// These facts stood in a prompt.
    pub(crate) fn use_facts(&mut self, facts: &[(FactKey, FactId)]) {
        self.books.used.extend(facts.iter().cloned());
    }

    /// Writes what changed: the lane's facts as records, the others as what is handed to the store.
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
                    FactChange::Drop(id) => self.drop_record(RecordKind::Fact, &id.0),
                    FactChange::Bury(_) | FactChange::Unbury(_) => {}
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

impl Book {
    fn of(revision: u64, facts: impl Iterator<Item = Fact>, gone: Vec<Gone>) -> Self {
        let facts: Facts = facts.map(|fact| (fact.canonical_id.clone(), fact)).collect();
        Self { revision, before: facts.clone(), facts, gone_before: gone.clone(), gone }
    }

    fn statuses(&self) -> BTreeMap<FactId, FactStatus> {
        self.facts.iter().map(|(id, fact)| (id.clone(), fact.status)).collect()
    }

    /// What counts of the facts that contradict this one.
    fn holder_against(&self, id: &FactId) -> Option<FactId> {
        let all: Vec<&Fact> = self.facts.values().collect();
        let groups = super::contradict::groups(&all);
        let group = groups.into_iter().find(|group| group.iter().any(|at| all[*at].canonical_id == *id))?;
        let holder = group.into_iter().find(|at| all[*at].status == FactStatus::Valid)?;
        Some(all[holder].canonical_id.clone())
    }

    /// What is over is forgotten, and what is there twice counts once.
    fn settle_gone(&mut self, now: crate::time::Timestamp) {
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
        changes.extend(new.cloned().map(FactChange::Bury));
        let over = self.gone_before.iter().filter(|gone| !self.gone.iter().any(|kept| kept.same(gone)));
        changes.extend(over.cloned().map(FactChange::Unbury));
        changes
    }
}
