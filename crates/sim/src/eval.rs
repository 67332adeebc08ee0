//! The lanes of an eval's cases, one after the other, over the engine's own step.
//!
//! There is no store below: each case is a lane that nobody reads again, and tens of thousands of them must take seconds.
//! A turn takes the path of the runtime's lanes: it is admitted, given its input, stepped, and its changes are applied.
//! No model may be asked, so nothing ever waits.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use throughline_engine::data::actor::Actor;
use throughline_engine::data::record::RecordKind;
use throughline_engine::{
    Admission, Event, Lane, LaneKey, Millis, Policy, Step, StepInput, Timestamp, admit, needs, step,
};
use throughline_eval::{DecidedCase, Incoming, Runner, Subject, Task};
use throughline_testkit::DriverError;

/// Cases that a worker takes at once.
const BATCH: usize = 64;

/// Runs the cases of an eval, on several threads. Order and outcome do not depend on their number.
pub struct Evals<'t> {
    policy: Policy,
    workers: usize,
    /// Called with the number of cases that were finished since the last call.
    tick: &'t (dyn Fn(usize) + Sync),
    clock: Option<Clock<'t>>,
}

/// A clock of elapsed time, given by whoever runs an eval: the simulator has no real clock.
type Clock<'t> = &'t (dyn Fn() -> Duration + Sync);

impl<'t> Evals<'t> {
    /// Returns a runner of cases under this policy, on `workers` threads. `tick` is called with the number of cases finished
    /// since the last call.
    ///
    /// ```
    /// use throughline_engine::Policy;
    /// use throughline_sim::Evals;
    /// use throughline_eval::{Cases, Filter, evaluate};
    ///
    /// let line = r#"{"id":"1","source":"own","task":"closing","system_text":"Done.","user_text":"Thanks!","gold":"complete"}"#;
    /// let mut cases = Cases::default();
    /// cases.read("own.jsonl", line, &Filter::default()).unwrap();
    /// let found = evaluate(cases, &Evals::new(Policy::default(), 1, &|_| ())).unwrap();
    /// assert_eq!(found.predictions[0]["closing"], true);
    /// ```
    #[must_use]
    pub fn new(policy: Policy, workers: usize, tick: &'t (dyn Fn(usize) + Sync)) -> Self {
        Self { policy, workers: workers.max(1), tick, clock: None }
    }

    /// Measures by this clock also the time that decisions take.
    #[must_use]
    pub fn timed(self, clock: &'t (dyn Fn() -> Duration + Sync)) -> Self {
        Self { clock: Some(clock), ..self }
    }
}

impl Runner for Evals<'_> {
    fn run<T: Task>(&self, cases: Vec<T>) -> Result<Vec<DecidedCase<T>>, DriverError> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(cases.len()));
        std::thread::scope(|scope| {
            for _ in 0..self.workers {
                scope.spawn(|| {
                    let mut lane = LaneOfCase::new(&self.policy, self.clock);
                    loop {
                        let from = next.fetch_add(BATCH, Ordering::Relaxed);
                        let Some(batch) = cases.get(from..).filter(|rest| !rest.is_empty()) else { return };
                        let batch = &batch[..batch.len().min(BATCH)];
                        let decided: Vec<_> = batch.iter().map(|case| lane.decided(case)).collect();
                        (self.tick)(batch.len());
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((from, decided));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(from, _)| *from);
        let decided = done.into_iter().flat_map(|(_, decided)| decided);
        cases
            .into_iter()
            .zip(decided)
            .map(|(case, decided)| Ok(DecidedCase { case, decided: decided? }))
            .collect()
    }
}

/// A lane, its clock, and the policy it is stepped under.
struct LaneOfCase<'p> {
    lane: Lane,
    now: Timestamp,
    policy: &'p Policy,
    /// The language that the person prefers.
    language: Option<String>,
    clock: Option<Clock<'p>>,
    took: Option<Duration>,
}

impl<'p> LaneOfCase<'p> {
    fn new(policy: &'p Policy, clock: Option<Clock<'p>>) -> Self {
        Self { lane: empty(), now: Timestamp(0), policy, language: None, clock, took: None }
    }

    fn decided<T: Task>(&mut self, case: &T) -> Result<T::Decided, DriverError> {
        self.speaks(case.language());
        case.decide(self)
    }

    fn decide(&self, incoming: Incoming) -> Result<Step, DriverError> {
        let Incoming { actor, kind, addressing } = incoming;
        let person = (!actor.is_empty()).then(|| Actor {
            id: actor.clone(),
            name: actor.clone(),
            principals: vec![format!("user:{actor}")],
            language: self.language.clone(),
            ..Actor::default()
        });
        let id = format!("eval:{}", self.lane.revision + 1);
        let event = Event { id, received_at: self.now, actor, kind };
        let given = StepInput {
            now: self.now,
            actor: person,
            multilingual: true,
            addressing,
            ..StepInput::default()
        };
        if admit(&self.lane, &event, self.policy) != Admission::Now {
            return Err(DriverError("the lane waits for a model, and no model may be asked".into()));
        }
        // Messages that leave the window are folded without their words; a summary in words would change decisions.
        let missing = needs(&self.lane, &event, &given, self.policy);
        if let Some(missing) = missing.iter().find(|key| key.kind != RecordKind::Message) {
            return Err(DriverError(format!(
                "the lane has let go of its {} {}",
                missing.kind.as_str(),
                missing.key
            )));
        }
        Ok(step(&self.lane, &event, &given, self.policy))
    }
}

impl Subject for LaneOfCase<'_> {
    fn begin(&mut self, now: Timestamp) {
        self.lane = empty();
        self.now = now;
    }

    fn speaks(&mut self, language: Option<&str>) {
        self.language = language.map(Into::into);
    }

    fn advance_to(&mut self, now: Timestamp) {
        self.now = self.now.max(now);
    }

    fn deliver(&mut self, incoming: Incoming) -> Result<Step, DriverError> {
        let from = self.clock.map(|clock| clock());
        let step = self.decide(incoming)?;
        self.took = self.clock.zip(from).map(|(clock, from)| clock().saturating_sub(from));
        self.lane.apply(step.next.clone(), &step.changes);
        Ok(step)
    }

    fn took(&self) -> Option<Millis> {
        self.took.map(|took| took.as_millis().try_into().unwrap_or(Millis::MAX))
    }

    fn consider(&mut self, incoming: Incoming) -> Result<Step, DriverError> {
        self.decide(incoming)
    }
}

fn empty() -> Lane {
    Lane::new(LaneKey::new("eval", "eval", "web", "case", ""))
}
