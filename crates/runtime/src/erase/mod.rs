//! Erases a person, a lane, a tenant, or what has grown old (`docs/design/0028-erasure.md`): a turn in every lane concerned, then
//! everything stored beside the lanes' state, then the free pages on disk, then an audit row that holds ids only.
//!
//! A request is in the store's list before anything is done, and is marked done last. Each part finds out anew what
//! is left to do, so a process that stopped in between goes on where it was, and erasing twice changes nothing.

mod age;
mod judge;
mod personal_trace;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use throughline_engine::data::canonical_json;
use throughline_engine::data::data_subject::DataSubject;
use throughline_engine::data::erasure::ErasureScope;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{
    Change, Event, EventKind, Lane, LaneId, LaneKey, Record, Step, StepInput, Timestamp,
};
use throughline_store::{ErasureRow, Redaction, RedactionCounts, Redactor, RowState, StoreError};

use self::personal_trace::PersonalTrace;
use crate::{FailPoint, Inbound, Runtime, RuntimeError};

/// Erasing turns in one lane, at most: a second one takes in what waited before the first.
const TURNS: usize = 8;
/// Lanes per page.
const PAGE: u32 = 200;

/// The subject of an erasure. It holds ids only, because it stays in the store's list for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Subject {
    /// A person, by the user id of their channel, in every lane of the tenant.
    Person {
        /// The channel's user id.
        id: String,
    },
    /// A lane and everything in it.
    Lane {
        /// The lane's id.
        lane: LaneId,
    },
    /// Everything the tenant stores.
    Tenant,
    /// Everything that was said before a time and is no longer part of what lanes load.
    Before {
        /// The time.
        at: Timestamp,
    },
}

/// An entry of the store's list of erasures.
#[derive(Serialize, Deserialize)]
struct Wanted {
    #[serde(flatten)]
    subject: Subject,
    /// The id of who asked; absent where a person asked in a conversation to be forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// The person who is being erased, with all their words: the turns of the erasure know no more than their own lane.
#[derive(Debug, Default)]
pub(crate) struct ErasedPerson(Mutex<Option<KnownPerson>>);

/// A person with their words everywhere, and with what they made in each lane.
#[derive(Clone, Debug)]
struct KnownPerson {
    everywhere: DataSubject,
    lanes: BTreeMap<LaneId, DataSubject>,
}

impl KnownPerson {
    fn new(id: &str) -> Self {
        Self { everywhere: DataSubject::new(id), lanes: BTreeMap::new() }
    }

    fn learn(&mut self, lane: LaneId, there: DataSubject) {
        self.everywhere.add(&there);
        self.lanes.insert(lane, there);
    }

    fn in_lane(&self, lane: &LaneId) -> DataSubject {
        self.everywhere.with_ids_of(self.lanes.get(lane))
    }
}

impl ErasedPerson {
    fn enter(&self, person: &KnownPerson) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(person.clone());
    }

    fn leave(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Returns the person as this lane has to know them, if it is this one.
    pub(crate) fn known(&self, id: &str, lane: &LaneId) -> Option<DataSubject> {
        let person = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        person.as_ref().filter(|person| person.everywhere.id() == id).map(|person| person.in_lane(lane))
    }
}

/// The number of things an erasure changed, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// Lanes that were written.
    pub lanes: u64,
    /// Turns whose content is gone.
    pub turns: u64,
    /// Records that lanes no longer load.
    pub records: u64,
    /// Checkpoints, which replays start from.
    pub checkpoints: u64,
    /// Effects whose payload or outcome is gone.
    pub effects: u64,
    /// Approvals of which ids and keys are left.
    pub approvals: u64,
    /// Stored responses to requests, and events that no turn took in.
    pub deliveries: u64,
    /// Facts of epics and channels. A lane's own facts go with its turn.
    pub facts: u64,
    /// Documents: issues of the embedded tracker, titles of conversations, names.
    pub documents: u64,
}

impl Erased {
    fn add(&mut self, sifted: RedactionCounts) {
        self.turns += sifted.contents;
        self.records += sifted.records;
        self.checkpoints += sifted.checkpoints;
        self.effects += sifted.effects;
        self.approvals += sifted.approvals;
        self.deliveries += sifted.responses + sifted.events;
        self.facts += sifted.facts;
        self.documents += sifted.documents;
    }

    /// True if there was nothing to erase.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Runtime {
    /// Erases a subject of a tenant. `by` is the id of who asked, for the audit row.
    ///
    /// # Errors
    /// The store did not answer or a fail point was reached. What is left to do stays in the list, and
    /// [`Self::resume_erasures`] does it.
    pub async fn erase(&self, tenant: &str, subject: &Subject, by: &str) -> Result<Erased, RuntimeError> {
        let _alone = self.erasing.lock().await;
        let wanted = Wanted { subject: subject.clone(), by: Some(by.into()) };
        let number = self.store.request_erasure(tenant, &canonical_json::jcs(&wanted)).await?;
        self.faults.at(FailPoint::ErasureAsked, "")?;
        // The caller gets the error; what is left is done in the background all the same.
        self.fulfil(tenant, number, subject, by).await.inspect_err(|_| self.wakes.erase(tenant))
    }

    /// Does the erasures in the list that are not done: after a start, and after a person asked in a conversation.
    ///
    /// # Errors
    /// As [`Self::erase`].
    pub async fn resume_erasures(&self, tenant: &str) -> Result<usize, RuntimeError> {
        let _alone = self.erasing.lock().await;
        let open = self.store.erasures(tenant, true).await?;
        let mut done = 0;
        for row in open {
            let Ok(Wanted { subject, by }) = serde_json::from_str(&row.what) else {
                tracing::error!(
                    erasure = row.number,
                    "an erasure that was asked for cannot be read; it is left"
                );
                continue;
            };
            let themselves = if let Subject::Person { id } = &subject { id.as_str() } else { "" };
            let by = by.as_deref().unwrap_or(themselves);
            self.fulfil(tenant, row.number, &subject, by).await?;
            done += 1;
        }
        Ok(done)
    }

    async fn fulfil(
        &self,
        tenant: &str,
        number: i64,
        subject: &Subject,
        by: &str,
    ) -> Result<Erased, RuntimeError> {
        let mut erased = Erased::default();
        match subject {
            Subject::Person { id } => {
                let done = self.erase_person(tenant, number, id, &mut erased).await;
                self.erased.leave();
                done?;
            }
            Subject::Lane { lane } => self.erase_lane(tenant, number, lane, &mut erased).await?,
            Subject::Tenant => self.erase_tenant(tenant, number, &mut erased).await?,
            Subject::Before { at } => self.erase_before(tenant, *at, &mut erased).await?,
        }
        self.fact_cache.clear();
        if let Some(model) = &self.ports.model {
            model.forget();
        }
        if let Subject::Person { id } = subject {
            self.ports.directory.forget(id);
        }
        // It makes turns wait, and nobody asked for a person's words to be gone today.
        if !matches!(subject, Subject::Before { .. }) {
            self.store.vacuum().await?;
        }
        self.faults.at(FailPoint::StoreScoured, "")?;
        let audit = canonical_json::jcs(&serde_json::json!({
            "what": "erased", "erasure": number, "subject": subject, "by": by, "at": self.store.now(), "counts": erased,
        }));
        self.store.finish_erasure(tenant, number, &audit).await?;
        self.faults.at(FailPoint::ErasureRecorded, "")?;
        tracing::info!(tenant, erasure = number, lanes = erased.lanes, turns = erased.turns, "erased");
        Ok(erased)
    }

    /// Erases a person from every lane that names them.
    async fn erase_person(
        &self,
        tenant: &str,
        number: i64,
        id: &str,
        erased: &mut Erased,
    ) -> Result<(), RuntimeError> {
        let named = serde_json::to_string(id).unwrap_or_default();
        let mut theirs = self.store.lanes_containing(tenant, &named).await?;
        if theirs.is_empty() && !self.facts_by(tenant, id).await?.is_empty() {
            // Their facts came from a lane that is gone. Any lane may write the set.
            theirs.extend(self.store.lanes(tenant, None, 1).await?.into_iter().map(|info| info.key));
        }
        let mut person = KnownPerson::new(id);
        for lane in &theirs {
            let mut there = DataSubject::new(id);
            self.learn_own(&self.lane(lane).await?, &mut there).await?;
            person.learn(lane.id(), there);
        }
        // Others may quote them in any lane. Those lanes go first: a process that stops finds their words as long as
        // they are in the lanes in which they said them.
        let mut lanes = Vec::new();
        if person.everywhere.spoke() {
            self.each_lane(tenant, |key| lanes.extend((!theirs.contains(&key)).then_some(key))).await?;
        }
        let elsewhere = lanes.len();
        lanes.extend(theirs);
        for lane in &lanes {
            self.learn_others(&self.lane(lane).await?, &mut person.everywhere).await?;
        }
        person.everywhere.settle();
        self.erased.enter(&person);
        let mut traces = Vec::new();
        for lane in &lanes {
            traces.push(Arc::new(self.trace_of(&self.lane(lane).await?, &person.in_lane(&lane.id())).await?));
        }
        // What is stored beside the lanes is found by their words: so that goes before anything is taken out of lanes.
        erased.add(self.sift_tenant(tenant, judge::of_persons_tenant(&person.everywhere, &traces)).await?);
        for (n, lane) in lanes.iter().enumerate() {
            let what = ErasureScope::Person { id: id.into() };
            let turned = self.take_out(lane, number, &what, n >= elsewhere).await?;
            let state = self.lane(lane).await?;
            if turned.is_some() && n >= elsewhere {
                // Events of theirs that had waited were taken in meanwhile.
                let mut there = DataSubject::new(id);
                self.learn_own(&state, &mut there).await?;
                person.learn(lane.id(), there);
                self.learn_others(&state, &mut person.everywhere).await?;
                person.everywhere.settle();
                self.erased.enter(&person);
            }
            let here = Arc::new(person.in_lane(&lane.id()));
            let trace = PersonalTrace { turned, ..self.trace_of(&state, &here).await? };
            traces[n] = Arc::new(trace);
            let redactor = judge::of_person(&here, &traces[n]);
            let sifted = if n < elsewhere && turned.is_none() {
                self.store.redact(lane, redactor).await?
            } else {
                self.sift(lane, redactor).await?
            };
            erased.lanes += u64::from(turned.is_some() || sifted != RedactionCounts::default());
            erased.add(sifted);
        }
        // Events that had waited in a lane were answered meanwhile.
        erased.add(self.sift_tenant(tenant, judge::of_persons_tenant(&person.everywhere, &traces)).await?);
        Ok(())
    }

    async fn each_lane(
        &self,
        tenant: &str,
        mut seen: impl FnMut(LaneKey) + Send,
    ) -> Result<(), RuntimeError> {
        let mut after = None;
        loop {
            let lanes = self.store.lanes(tenant, after.as_ref(), PAGE).await?;
            let Some(last) = lanes.last() else { return Ok(()) };
            after = Some(last.id.clone());
            lanes.into_iter().for_each(|info| seen(info.key));
        }
    }

    async fn erase_lane(
        &self,
        tenant: &str,
        number: i64,
        lane: &LaneId,
        erased: &mut Erased,
    ) -> Result<(), RuntimeError> {
        let Some(info) = self.store.lane(tenant, lane).await? else { return Ok(()) };
        self.empty(&info.key, number, erased).await?;
        erased.add(self.sift_tenant(tenant, judge::of_lanes_tenant(&info.key)).await?);
        Ok(())
    }

    async fn erase_tenant(&self, tenant: &str, number: i64, erased: &mut Erased) -> Result<(), RuntimeError> {
        let mut lanes = Vec::new();
        self.each_lane(tenant, |key| lanes.push(key)).await?;
        for lane in &lanes {
            self.empty(lane, number, erased).await?;
        }
        let everything: Redactor = Arc::new(|_| Redaction::Erase);
        erased.add(self.sift_tenant(tenant, everything).await?);
        Ok(())
    }

    async fn sift(&self, lane: &LaneKey, judge: Redactor) -> Result<RedactionCounts, RuntimeError> {
        let sifted = self.store.redact(lane, judge).await?;
        self.faults.at(FailPoint::ContentErased, "")?;
        Ok(sifted)
    }

    async fn sift_tenant(&self, tenant: &str, judge: Redactor) -> Result<RedactionCounts, RuntimeError> {
        let sifted = self.store.redact_tenant(tenant, judge).await?;
        self.faults.at(FailPoint::ContentErased, "")?;
        Ok(sifted)
    }

    async fn empty(&self, lane: &LaneKey, number: i64, erased: &mut Erased) -> Result<(), RuntimeError> {
        let turned = self.take_out(lane, number, &ErasureScope::Lane, true).await?;
        let sifted = self.sift(lane, judge::of_lane(turned)).await?;
        erased.lanes += u64::from(turned.is_some() || sifted != RedactionCounts::default());
        erased.add(sifted);
        Ok(())
    }

    /// Takes the subject out of one lane, in turns of its own. Returns the revision of the last one; `None` if there
    /// was nothing to take out. A lane in which the person is not named turns only for what it holds itself.
    async fn take_out(
        &self,
        lane: &LaneKey,
        number: i64,
        what: &ErasureScope,
        named: bool,
    ) -> Result<Option<u64>, RuntimeError> {
        let mut last = None;
        for _ in 0..TURNS {
            if !self.has_to_turn(lane, what, named).await? {
                return Ok(last);
            }
            let revision = self.lane(lane).await?.revision;
            let key = format!("erasure:{number}:{}:{revision}", lane.id());
            let kind = EventKind::Erasure(what.clone());
            self.accept(Inbound::internal(lane.clone(), key.clone(), kind, self.store.now())).await?;
            last = Some(self.turned(lane, &key).await?);
        }
        Ok(last)
    }

    /// True if anything of the subject is in the lane's state or waits in its inbox.
    async fn has_to_turn(
        &self,
        lane: &LaneKey,
        what: &ErasureScope,
        named: bool,
    ) -> Result<bool, RuntimeError> {
        let state = self.lane(lane).await?;
        let waits = self.store.waiting(lane, PAGE).await?;
        let theirs = waits.iter().any(|row| match what {
            ErasureScope::Person { id } => {
                crate::intake::decode(row).is_ok_and(|envelope| envelope.event.actor == *id)
            }
            ErasureScope::Lane => true,
        });
        if theirs || state.revision == 0 {
            return Ok(theirs);
        }
        let kind = EventKind::Erasure(what.clone());
        let event = Event { id: String::new(), received_at: self.store.now(), actor: String::new(), kind };
        let given: StepInput = self.look_up(&state, &event, Addressing::default()).await?;
        if let Some(person) = &given.person
            && !is_held(person, &state, &given, named)
        {
            return Ok(false);
        }
        let Some((step, _)) = self.try_step(&state, &event, &given) else { return Ok(true) };
        Ok(changes(&step) || step.next != state.head)
    }

    /// Runs a lane until that delivery is handled; returns the revision it led to.
    async fn turned(&self, lane: &LaneKey, key: &str) -> Result<u64, RuntimeError> {
        for _ in 0..TURNS {
            let row = self.store.delivery(&lane.tenant, key).await?;
            if let Some(row) = row.filter(|row| row.state != RowState::Received) {
                let revision = row.turn.and_then(|turn| Some(turn.parts()?.1));
                return revision
                    .ok_or_else(|| RuntimeError::unreadable("an ended inbox row", "it names no turn"));
            }
            self.run_lane(lane).await?;
        }
        let why = format!("the lane {} is held by another process; try again", lane.id());
        Err(StoreError::Backend { act: "erase from a lane", why }.into())
    }
}

/// Returns the time before which an erasure takes what was said, if it goes by age.
pub(crate) fn age_of(erasure: &ErasureRow) -> Option<Timestamp> {
    match serde_json::from_str(&erasure.what) {
        Ok(Wanted { subject: Subject::Before { at }, .. }) => Some(at),
        _ => None,
    }
}

/// True if a lane's state holds anything of the person, or may cover something that it no longer loads. A turn tidies a
/// lane also for other reasons, which are no reason for one here.
fn is_held(person: &DataSubject, lane: &Lane, given: &StepInput, named: bool) -> bool {
    let changed = |record: &Record| record.clone().without(person, given.now).as_ref() != Some(record);
    person.acted_in(&lane.key.id())
        || named && !given.facts.is_empty()
        || person.rewrite(&mut lane.head.clone())
        || lane.records.iter().any(changed)
}

/// True if a step writes anything. A record that is only retired is not written.
fn changes(step: &Step) -> bool {
    let written = |change: &Change| !matches!(change, Change::Retire(_));
    let facts = step.facts.iter().any(|set| !set.changes.is_empty());
    step.changes.iter().any(written) || facts || !step.effects.is_empty() || !step.cancel.is_empty()
}
