//! Erasing a person, a lane or a tenant (`spec 06 §7.6`): a turn in every lane it is about, then everything beside the
//! lanes' state, then the disk, then the record of it, ids only.
//!
//! What is asked for stands in the store's list before anything is done, and is marked done last. Each part finds out
//! anew what is left to do, so a process that stopped in between goes on where it was, and erasing twice changes nothing.

mod judge;
mod trace;

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use throughline_engine::erase::Erase;
use throughline_engine::given::Addressing;
use throughline_engine::{Change, Event, EventKind, Given, LaneId, LaneKey, Step, canon};
use throughline_store::{Fate, Judge, RowState, Sifted, StoreError};

use crate::{FailPoint, Inbound, Runtime, Stop};
use trace::TraceOf;

/// Turns in one lane at most: a second one takes in what waited before the first.
const TURNS: usize = 8;
/// Lanes read at once.
const PAGE: u32 = 200;

/// What is erased. Ids only: it stands in the store's list for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "snake_case")]
pub enum Subject {
    /// A person, by the user id of their channel, in every lane of the tenant.
    Person {
        /// The id.
        id: String,
    },
    /// A lane with everything in it.
    Lane {
        /// The lane's id.
        lane: LaneId,
    },
    /// Everything of the tenant.
    Tenant,
}

/// What stands in the list.
#[derive(Serialize, Deserialize)]
struct Wanted {
    #[serde(flatten)]
    subject: Subject,
    /// Who asked. Nobody is named where somebody asked in a conversation to be forgotten.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

/// What an erasure came to, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    /// Lanes that were written.
    pub lanes: u64,
    /// Turns whose content is gone.
    pub turns: u64,
    /// Records no lane loads any more.
    pub records: u64,
    /// Full states that were kept to start replays from.
    pub checkpoints: u64,
    /// Effects whose payload or outcome is gone.
    pub effects: u64,
    /// Approvals of which ids and keys are left.
    pub approvals: u64,
    /// Answers to requests, and events that no turn took in.
    pub deliveries: u64,
    /// Facts of epics and channels. Those of a lane go with its turn.
    pub facts: u64,
    /// Documents: issues of the embedded tracker, titles of conversations, names.
    pub documents: u64,
}

impl Erased {
    fn add(&mut self, sifted: Sifted) {
        self.turns += sifted.contents;
        self.records += sifted.records;
        self.checkpoints += sifted.checkpoints;
        self.effects += sifted.effects;
        self.approvals += sifted.approvals;
        self.deliveries += sifted.answers + sifted.events;
        self.facts += sifted.facts;
        self.documents += sifted.documents;
    }

    /// There was nothing to erase.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl Runtime {
    /// Erases. `by` asked for it: an id, for the record.
    ///
    /// # Errors
    /// The store did not answer or a fail point was reached; what is left to do stands in the list, and
    /// [`Self::erase_what_was_asked`] does it.
    pub async fn erase(&self, tenant: &str, subject: &Subject, by: &str) -> Result<Erased, Stop> {
        let _alone = self.erasing.lock().await;
        let wanted = Wanted { subject: subject.clone(), by: Some(by.into()) };
        let number = self.store.ask_erasure(tenant, &canon::jcs(&wanted)).await?;
        self.faults.at(FailPoint::ErasureAsked, "")?;
        // Whoever asked is told that it failed; what is left is done all the same.
        self.fulfil(tenant, number, subject, by).await.inspect_err(|_| self.wakes.erase(tenant))
    }

    /// Does what was asked for and is not done: after a start, and after a person asked in a conversation.
    ///
    /// # Errors
    /// As [`Self::erase`].
    pub async fn erase_what_was_asked(&self, tenant: &str) -> Result<usize, Stop> {
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

    async fn fulfil(&self, tenant: &str, number: i64, subject: &Subject, by: &str) -> Result<Erased, Stop> {
        let mut erased = Erased::default();
        match subject {
            Subject::Person { id } => self.erase_person(tenant, number, id, &mut erased).await?,
            Subject::Lane { lane } => self.erase_lane(tenant, number, lane, &mut erased).await?,
            Subject::Tenant => self.erase_tenant(tenant, number, &mut erased).await?,
        }
        self.forget_facts();
        if let Some(model) = &self.ports.model {
            model.forget();
        }
        if let Subject::Person { id } = subject {
            self.ports.directory.forget(id);
        }
        self.store.scour().await?;
        self.faults.at(FailPoint::StoreScoured, "")?;
        let audit = canon::jcs(&serde_json::json!({
            "what": "erased", "erasure": number, "subject": subject, "by": by, "at": self.store.now(), "counts": erased,
        }));
        self.store.erasure_done(tenant, number, &audit).await?;
        self.faults.at(FailPoint::ErasureRecorded, "")?;
        tracing::info!(tenant, erasure = number, lanes = erased.lanes, turns = erased.turns, "erased");
        Ok(erased)
    }

    /// A person: every lane that names them.
    async fn erase_person(
        &self,
        tenant: &str,
        number: i64,
        id: &str,
        erased: &mut Erased,
    ) -> Result<(), Stop> {
        let named = serde_json::to_string(id).unwrap_or_default();
        let mut lanes = self.store.lanes_with(tenant, &named).await?;
        if lanes.is_empty() && !self.facts_by(tenant, id).await?.is_empty() {
            // What they stated was stated somewhere that is gone; any lane may write the set.
            lanes.extend(self.store.lanes(tenant, None, 1).await?.into_iter().map(|info| info.key));
        }
        // What they said is known best before anything is taken out, and what is beside the lanes is told by it: so that
        // goes first. A process that stops later finds the rest by what is in the lanes still.
        let mut traces = Vec::new();
        for lane in &lanes {
            traces.push(Arc::new(self.trace_of(&self.lane(lane).await?, id).await?));
        }
        erased.add(self.sift_tenant(tenant, judge::of_persons_tenant(id, traces.clone())).await?);
        for (lane, before) in lanes.iter().zip(&mut traces) {
            let turned = self.turn_out(lane, number, &Erase::Person { id: id.into() }).await?;
            let mut trace = self.trace_of(&self.lane(lane).await?, id).await?;
            trace.take_over(before, turned);
            *before = Arc::new(trace);
            let sifted = self.sift(lane, judge::of_person(before)).await?;
            erased.lanes += u64::from(turned.is_some() || sifted != Sifted::default());
            erased.add(sifted);
        }
        // What had waited in a lane was answered meanwhile.
        erased.add(self.sift_tenant(tenant, judge::of_persons_tenant(id, traces)).await?);
        Ok(())
    }

    async fn erase_lane(
        &self,
        tenant: &str,
        number: i64,
        lane: &LaneId,
        erased: &mut Erased,
    ) -> Result<(), Stop> {
        let Some(info) = self.store.lane(tenant, lane).await? else { return Ok(()) };
        self.empty(&info.key, number, erased).await?;
        erased.add(self.sift_tenant(tenant, judge::of_lanes_tenant(&info.key)).await?);
        Ok(())
    }

    async fn erase_tenant(&self, tenant: &str, number: i64, erased: &mut Erased) -> Result<(), Stop> {
        let mut after = None;
        loop {
            let lanes = self.store.lanes(tenant, after.as_ref(), PAGE).await?;
            let Some(last) = lanes.last() else { break };
            after = Some(last.id.clone());
            for info in &lanes {
                self.empty(&info.key, number, erased).await?;
            }
        }
        let everything: Judge = Arc::new(|_| Fate::Erase);
        erased.add(self.sift_tenant(tenant, everything).await?);
        Ok(())
    }

    async fn sift(&self, lane: &LaneKey, judge: Judge) -> Result<Sifted, Stop> {
        let sifted = self.store.sift(lane, judge).await?;
        self.faults.at(FailPoint::ContentErased, "")?;
        Ok(sifted)
    }

    async fn sift_tenant(&self, tenant: &str, judge: Judge) -> Result<Sifted, Stop> {
        let sifted = self.store.sift_tenant(tenant, judge).await?;
        self.faults.at(FailPoint::ContentErased, "")?;
        Ok(sifted)
    }

    /// Empties a lane.
    async fn empty(&self, lane: &LaneKey, number: i64, erased: &mut Erased) -> Result<(), Stop> {
        let turned = self.turn_out(lane, number, &Erase::Lane).await?;
        let sifted = self.sift(lane, judge::of_lane(turned)).await?;
        erased.lanes += u64::from(turned.is_some() || sifted != Sifted::default());
        erased.add(sifted);
        Ok(())
    }

    /// The turns of an erasure in one lane: the revision of the last one; `None` when there was nothing to take out.
    async fn turn_out(&self, lane: &LaneKey, number: i64, what: &Erase) -> Result<Option<u64>, Stop> {
        let mut last = None;
        for _ in 0..TURNS {
            if !self.has_to_turn(lane, what).await? {
                return Ok(last);
            }
            let revision = self.lane(lane).await?.revision;
            let key = format!("erasure:{number}:{}:{revision}", lane.id());
            let kind = EventKind::Erasure(what.clone());
            let event = Event { id: key.clone(), received_at: self.store.now(), actor: String::new(), kind };
            let keys = vec![key.clone()];
            let inbound = Inbound {
                lane: lane.clone(),
                keys,
                event,
                addressing: Addressing::default(),
                body_hash: None,
            };
            self.accept(inbound).await?;
            last = Some(self.turned(lane, &key).await?);
        }
        Ok(last)
    }

    /// Whether anything of it is in the lane's state, or still waits to be taken in.
    async fn has_to_turn(&self, lane: &LaneKey, what: &Erase) -> Result<bool, Stop> {
        let state = self.lane(lane).await?;
        let waits = self.store.waiting(lane, PAGE).await?;
        let theirs = waits.iter().any(|row| match what {
            Erase::Person { id } => {
                crate::intake::decode(row).is_ok_and(|envelope| envelope.event.actor == *id)
            }
            Erase::Lane => true,
        });
        if theirs || state.revision == 0 {
            return Ok(theirs);
        }
        let kind = EventKind::Erasure(what.clone());
        let event = Event { id: String::new(), received_at: self.store.now(), actor: String::new(), kind };
        let given: Given = self.look_up(&state, &event, Addressing::default()).await?;
        let Some(step) = self.stepped(&state, &event, &given) else { return Ok(true) };
        Ok(changes(&step) || step.next != state.head)
    }

    /// Runs a lane until that delivery is handled: the revision it led to.
    async fn turned(&self, lane: &LaneKey, key: &str) -> Result<u64, Stop> {
        for _ in 0..TURNS {
            let row = self.store.delivery(&lane.tenant, key).await?;
            if let Some(row) = row.filter(|row| row.state != RowState::Received) {
                let revision = row.turn.and_then(|turn| Some(turn.parts()?.1));
                return Ok(revision.unwrap_or_default());
            }
            self.run_lane(lane).await?;
        }
        let why = format!("the lane {} is held by another process; try again", lane.id());
        Err(StoreError::Backend { act: "erase from a lane", why }.into())
    }
}

/// Whether a step writes anything. Records that only leave the loaded ones are not written.
fn changes(step: &Step) -> bool {
    let written = |change: &Change| !matches!(change, Change::Retire(_));
    let facts = step.facts.iter().any(|set| !set.changes.is_empty());
    step.changes.iter().any(written) || facts || !step.effects.is_empty() || !step.cancel.is_empty()
}

/// Turns and effects of a lane that are somebody's.
impl TraceOf {
    /// Takes over what was known before the lane was written, and which turn wrote it.
    fn take_over(&mut self, before: &TraceOf, turned: Option<u64>) {
        self.person.add(&before.person);
        self.turns.extend(&before.turns);
        self.effects.extend(before.effects.iter().cloned());
        self.turned = turned;
    }
}
