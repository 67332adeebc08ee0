//! A tool or a sub-agent of the virtual world, which answers and fails by its script.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use throughline_engine::EffectId;
use throughline_engine::data::call::{
    CallOutcome, CallPhase, CallRequest, QuestionField, RemoteQuestion, RemoteTask,
};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::fault::{Fault, ToolFault};
use throughline_engine::retry::Guarantee;
use throughline_language::Expected;
use throughline_runtime::{Permit, Worker};
use throughline_testkit::model::GivenWorker;

/// One worker. Like every remote party it outlives the process under test.
pub(crate) struct SimWorker {
    given: GivenWorker,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    /// Calls so far, with any result.
    calls: usize,
    /// Applied effects, each with its class, a flag for those that left the thread, and the result.
    applied: BTreeMap<EffectId, (&'static str, bool, CallOutcome)>,
    /// Answers so far.
    answered: usize,
    /// Running jobs by their id at the worker.
    going: BTreeMap<String, Going>,
}

/// A job that takes a while.
#[derive(Default)]
struct Going {
    /// The number of progress reports already given.
    told: usize,
    /// The number of its questions that were answered.
    answered: usize,
    stopped: bool,
}

impl SimWorker {
    pub(crate) fn new(given: &GivenWorker) -> Self {
        Self { given: given.clone(), done: Mutex::default() }
    }

    /// Returns the number of applied effects of a class that leave the thread.
    pub(crate) fn outward(&self, class: &str) -> usize {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        done.applied.values().filter(|(applied, outward, _)| *outward && *applied == class).count()
    }
}

#[async_trait]
impl Worker for SimWorker {
    fn guarantee(&self) -> Guarantee {
        if self.given.idempotent { Guarantee::Idempotent } else { Guarantee::Nothing }
    }

    async fn work(&self, errand: &CallRequest<'_>, _: Permit) -> Attempt<CallOutcome> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let call = errand.call;
        if let Some(there) = errand.underway {
            if let CallPhase::Stop { .. } = call.phase {
                done.going.entry(there.remote.clone()).or_default().stopped = true;
            }
            return Attempt::Applied(self.next(&mut done, &there.remote));
        }
        let how = self.given.fail.get(done.calls).map_or("ok", String::as_str);
        done.calls += 1;
        match how {
            "refused" => {
                return Attempt::NotApplied { why: Fault::Said("connection refused".into()), hint: None };
            }
            "429" => return Attempt::NotApplied { why: ToolFault::TooOften.into(), hint: None },
            "rejected" => {
                return Attempt::Rejected {
                    text: Fault::Said("it cannot do this".into()),
                    errors: Vec::new(),
                };
            }
            "lost_request" | "5xx" => return Attempt::Unknown { why: ToolFault::NotInTime.into() },
            _ => {}
        }
        let known = done.applied.get(errand.effect).map(|(_, _, report)| report.clone());
        let report = known.unwrap_or_else(|| {
            let remote = match &call.phase {
                CallPhase::Answer { remote, .. } => remote.clone(),
                CallPhase::Begin | CallPhase::Stop { .. } => errand.effect.0.clone(),
            };
            if let CallPhase::Answer { .. } = call.phase {
                done.going.entry(remote.clone()).or_default().answered += 1;
            }
            let report = self.next(&mut done, &remote);
            let entry = (call.job.class(), call.risk.is_outward(), report.clone());
            done.applied.insert(errand.effect.clone(), entry);
            report
        });
        match how {
            "lost_reply" | "late_apply" | "5xx_after_apply" => {
                Attempt::Unknown { why: ToolFault::NotInTime.into() }
            }
            _ => Attempt::Applied(report),
        }
    }
}

impl SimWorker {
    /// Returns the next report on a job: the rest of its progress, then its questions, then its answer.
    fn next(&self, done: &mut Done, remote: &str) -> CallOutcome {
        let given = &self.given;
        let going = done.going.entry(remote.to_owned()).or_default();
        if going.stopped {
            return CallOutcome::Stopped(String::new());
        }
        if let Some(told) = given.progress.get(going.told) {
            going.told += 1;
            return CallOutcome::Underway(RemoteTask::at(remote, told.as_str()));
        }
        if let Some(text) = given.asks.get(going.answered) {
            let fields = vec![QuestionField { name: String::new(), expected: Expected::Text }];
            return CallOutcome::Asked(RemoteQuestion {
                remote: remote.to_owned(),
                text: text.clone(),
                fields,
            });
        }
        let last = given.answer.len().saturating_sub(1);
        let text = given.answer.get(done.answered.min(last)).cloned().unwrap_or_default();
        done.answered += 1;
        CallOutcome::Said(text)
    }
}
