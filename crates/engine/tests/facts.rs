//! Facts as values: how they merge, contradict, expire, move and are shown. The scenarios cover facts in
//! conversations.

#[path = "facts/known.rs"]
mod known;
#[path = "facts/properties.rs"]
mod properties;
#[path = "facts/proposed.rs"]
mod proposed;
#[path = "facts/shown.rs"]
mod shown;

use throughline_engine::data::fact::{
    Confidence, Fact, FactKey, FactOrigin, FactScope, FactSource, FactStatus, FactType, Trust,
};
use throughline_engine::data::policy::context::FactsPolicy;
use throughline_engine::facts::eviction;
use throughline_engine::facts::merge::{Facts, MergeOutcome, merge};
use throughline_engine::{FactId, Timestamp};

/// A day in milliseconds.
const DAY: i64 = 86_400_000;

fn key(scope: FactScope, id: &str) -> FactKey {
    FactKey { tenant: "acme".into(), scope, scope_id: id.into() }
}

fn thread() -> FactKey {
    key(FactScope::Thread, "C1/171.5")
}

/// Makes a member's statement.
fn said(text: &str, at: i64, percent: u8) -> FactSource {
    FactSource {
        at: Timestamp(at),
        author: "ana".into(),
        text: text.into(),
        confidence: Confidence::from_percent(percent),
        trust: Trust::Member,
        origin: FactOrigin::User,
        subject: None,
        lane: None,
        message: None,
    }
}

fn about(subject: &str, source: FactSource) -> FactSource {
    FactSource { subject: Some(subject.into()), ..source }
}

fn stranger(source: FactSource) -> FactSource {
    FactSource { trust: Trust::Untrusted, author: "gus".into(), ..source }
}

/// The facts of one place, updated as turns update them.
struct Place {
    key: FactKey,
    facts: Facts,
    policy: FactsPolicy,
    now: i64,
}

impl Place {
    fn new() -> Self {
        Self::of(thread())
    }

    fn of(key: FactKey) -> Self {
        Self { key, facts: Facts::new(), policy: FactsPolicy::default(), now: 0 }
    }

    fn add(&mut self, kind: FactType, source: FactSource) -> (FactId, MergeOutcome, Vec<FactId>) {
        self.now += 1;
        let now = Timestamp(self.now);
        let (id, joined) = merge(&mut self.facts, &self.key, kind, source, now, self.policy.sources_kept);
        let left = eviction::evict_excess(&mut self.facts, self.key.scope, &self.policy);
        (id, joined, left)
    }

    fn decide(&mut self, source: FactSource) -> FactId {
        self.add(FactType::Decision, source).0
    }

    fn status(&self, id: &FactId) -> FactStatus {
        self.facts[id].status
    }

    fn only(&self) -> &Fact {
        assert_eq!(self.facts.len(), 1);
        self.facts.values().next().unwrap()
    }
}
