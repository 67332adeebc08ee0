//! A tool or a sub-agent of the virtual world: it answers from its list and fails as it is told.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use throughline_engine::effect::{Attempt, Guarantee};
use throughline_engine::work::Call;
use throughline_engine::{EffectId, LaneKey};
use throughline_runtime::Worker;
use throughline_testkit::model::GivenWorker;

/// One worker. It outlives the host, as every far side does.
pub(crate) struct SimWorker {
    given: GivenWorker,
    done: Mutex<Done>,
}

#[derive(Default)]
struct Done {
    /// Calls so far, however they went.
    calls: usize,
    /// What was applied, with its class, whether it left the thread, and the answer.
    applied: BTreeMap<EffectId, (&'static str, bool, String)>,
}

impl SimWorker {
    pub(crate) fn new(given: &GivenWorker) -> Self {
        Self { given: given.clone(), done: Mutex::default() }
    }

    /// How many effects of a class were applied that leave the thread.
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

    async fn work(&self, _: &LaneKey, effect: &EffectId, call: &Call) -> Attempt<String> {
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        let how = self.given.fail.get(done.calls).map_or("ok", String::as_str);
        done.calls += 1;
        match how {
            "refused" => return Attempt::NotApplied { why: "connection refused".into(), hint: None },
            "429" => return Attempt::NotApplied { why: "too many requests".into(), hint: None },
            "rejected" => return Attempt::Rejected { text: "it cannot do this".into(), errors: Vec::new() },
            "lost_request" | "5xx" => return Attempt::Unknown { why: "no answer".into() },
            _ => {}
        }
        let last = self.given.answer.len().saturating_sub(1);
        let next = self.given.answer.get(done.applied.len().min(last)).cloned().unwrap_or_default();
        let entry = (call.job.class(), call.risk.outward(), next);
        let (_, _, text) = done.applied.entry(effect.clone()).or_insert(entry);
        match how {
            "lost_reply" | "late_apply" | "5xx_after_apply" => Attempt::Unknown { why: "no answer".into() },
            _ => Attempt::Applied(text.clone()),
        }
    }
}
