//! Tracing events and counters on option lists, one event per signal of a committed turn. Their names and fields are
//! those of the product this one replaces, so that existing dashboards go on working. They hold ids and codes, never
//! texts or labels (`docs/design/0038-console-and-telemetry.md`).

use throughline_engine::Decision;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::selection_trace::{Collision, Provenance, SelectionTrace, Signal};
use tracing::Value;

/// The value of an absent field. Every event has every field.
const ABSENT: &str = "";

/// Writes an event with every field, under the name of the signal.
macro_rules! write_under {
    ($signal:expr, [$($variant:ident = $name:literal,)*], $fields:ident) => {
        match $signal {
            $(Signal::$variant => tracing::info!(
                name: $name,
                target: "throughline::selection",
                activeOptionSetId = $fields.set,
                activeScope = $fields.scope,
                candidate_count = $fields.candidates,
                collision_flags = $fields.collisions,
                loop_cycle_id = $fields.cycle,
                fingerprint_before = $fields.before,
                fingerprint_after = $fields.after,
                retry_attempt_index = $fields.retry,
                retry_budget_remaining = $fields.budget,
                reason = $fields.reason,
                provenance = $fields.provenance,
                $name
            ),)*
        }
    };
}

struct Fields<'a> {
    set: &'a str,
    scope: &'a str,
    candidates: u32,
    collisions: &'a str,
    cycle: &'a str,
    before: &'a str,
    after: &'a str,
    retry: &'a dyn Value,
    budget: &'a dyn Value,
    reason: &'a str,
    provenance: &'a str,
}

/// Emits the events and counters of a committed turn that looked at lists of options.
pub(crate) fn emit(account: &SelectionTrace, decision: &Decision) {
    let scope = account.scope.map_or("none", Scope::as_str);
    let collisions = collisions(&account.collisions);
    for signal in &account.signals {
        metrics::counter!("throughline_selection_signals_total", "signal" => signal.as_str(), "scope" => scope)
            .increment(1);
        let fields = Fields {
            set: account.set.as_ref().map_or(ABSENT, |id| id.as_str()),
            scope: account.scope.map_or(ABSENT, Scope::as_str),
            candidates: account.candidates,
            collisions: &collisions,
            cycle: or_absent(account.cycle.as_deref()),
            before: or_absent(account.fingerprint_before.as_deref()),
            after: or_absent(account.fingerprint_after.as_deref()),
            retry: number(account.retry_index.as_ref()),
            budget: number(account.retry_budget.as_ref()),
            reason: reason(*signal, account, decision),
            provenance: account.provenance.map_or(ABSENT, Provenance::as_str),
        };
        write(*signal, &fields);
    }
    if account.provenance == Some(Provenance::SafeClarifier) || !account.clarify.is_empty() {
        metrics::counter!("throughline_clarifiers_total", "why" => decision.reason.code()).increment(1);
    }
    if let Some(why) = &account.why_no_model {
        metrics::counter!("throughline_selection_without_model_total", "why" => why.clone()).increment(1);
    }
}

fn write(signal: Signal, fields: &Fields<'_>) {
    write_under!(
        signal,
        [
            Resolved = "selection_deterministic_continuity_resolve",
            Picked = "selection_llm_select",
            NeedsMore = "selection_llm_need_more_info",
            Vetoed = "selection_need_more_info_veto_applied",
            VetoBlocked = "selection_need_more_info_veto_blocked_reason",
            AskedAgain = "selection_enrichment_retry_called",
            Unchanged = "selection_enrichment_fingerprint_unchanged",
            BudgetOver = "selection_enrichment_budget_exhausted",
        ],
        fields
    );
}

/// The reason of the turn's decision; for a blocked veto, the gate that blocked it.
fn reason<'a>(signal: Signal, account: &'a SelectionTrace, decision: &Decision) -> &'a str {
    let blocked = account.blocked.as_deref().filter(|_| signal == Signal::VetoBlocked);
    blocked.unwrap_or(decision.reason.code())
}

fn or_absent(text: Option<&str>) -> &str {
    text.unwrap_or(ABSENT)
}

fn number(number: Option<&u8>) -> &dyn Value {
    number.map_or(&ABSENT as &dyn Value, |number| number as &dyn Value)
}

fn collisions(collisions: &[Collision]) -> String {
    let word = |collision: &Collision| match collision {
        Collision::LabelTie => "label_tie",
        Collision::Reading => "reading",
        Collision::Command => "command",
        Collision::CrossSource => "cross_source",
    };
    collisions.iter().map(word).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;
    use std::sync::{Arc, Mutex};

    use throughline_engine::{Reason, Verdict};
    use tracing::field::{Field, Visit};
    use tracing::span::{Attributes, Id, Record};
    use tracing::{Event, Metadata, Subscriber};

    use super::*;

    type Emitted = (String, BTreeMap<String, String>);

    /// Keeps every event of ours.
    struct Listener(Arc<Mutex<Vec<Emitted>>>);

    struct Values(BTreeMap<String, String>);

    impl Visit for Values {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            self.0.insert(field.name().into(), format!("{value:?}"));
        }

        fn record_str(&mut self, field: &Field, value: &str) {
            self.0.insert(field.name().into(), value.into());
        }
    }

    impl Subscriber for Listener {
        fn enabled(&self, _: &Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, _: &Attributes<'_>) -> Id {
            Id::from_u64(1)
        }

        fn record(&self, _: &Id, _: &Record<'_>) {}

        fn record_follows_from(&self, _: &Id, _: &Id) {}

        fn event(&self, event: &Event<'_>) {
            let mut values = Values(BTreeMap::new());
            event.record(&mut values);
            self.0.lock().unwrap().push((event.metadata().name().into(), values.0));
        }

        fn enter(&self, _: &Id) {}

        fn exit(&self, _: &Id) {}
    }

    fn emitted(account: &SelectionTrace, reason: Reason) -> Vec<Emitted> {
        let events = Arc::new(Mutex::new(Vec::new()));
        let decision = Decision::new(Verdict::Asked, reason);
        tracing::subscriber::with_default(Listener(events.clone()), || emit(account, &decision));
        let events = events.lock().unwrap();
        events.clone()
    }

    const FIELDS: [&str; 11] = [
        "activeOptionSetId",
        "activeScope",
        "candidate_count",
        "collision_flags",
        "fingerprint_after",
        "fingerprint_before",
        "loop_cycle_id",
        "provenance",
        "reason",
        "retry_attempt_index",
        "retry_budget_remaining",
    ];

    /// The API's tests check the way from a request to these events.
    // row: TE1
    #[test]
    fn every_signal_is_an_event_of_its_name_with_all_fields() {
        let account = SelectionTrace { signals: Signal::ALL.into(), ..SelectionTrace::default() };
        let emitted = emitted(&account, Reason::OptionManyMatch);
        let names: Vec<&str> = emitted.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, Signal::ALL.iter().map(|signal| signal.as_str()).collect::<Vec<_>>());
        for (name, mut values) in emitted {
            assert_eq!(values.remove("message").as_deref(), Some(name.as_str()));
            assert_eq!(values.keys().map(String::as_str).collect::<Vec<_>>(), FIELDS, "{name}");
            assert_eq!(values["activeOptionSetId"], "", "absent is empty, and there");
            assert_eq!(values["reason"], "selection.multi_match_no_exact_winner");
        }
    }

    #[test]
    fn the_fields_hold_what_the_turn_did() {
        let account = SelectionTrace {
            set: Some("os1-0".into()),
            scope: Some(Scope::Widget),
            candidates: 3,
            collisions: vec![Collision::LabelTie, Collision::Command],
            cycle: Some("fx_1".into()),
            fingerprint_before: Some("aa".into()),
            fingerprint_after: Some("aa".into()),
            retry_index: Some(1),
            retry_budget: Some(0),
            provenance: Some(Provenance::SafeClarifier),
            blocked: Some("not_denoted".into()),
            signals: vec![Signal::Unchanged, Signal::VetoBlocked],
            ..SelectionTrace::default()
        };
        let emitted = emitted(&account, Reason::OptionManyMatch);
        let values = &emitted[0].1;
        let wanted = [
            "os1-0",
            "widget",
            "3",
            "label_tie,command",
            "aa",
            "aa",
            "fx_1",
            "safe_clarifier",
            "selection.multi_match_no_exact_winner",
            "1",
            "0",
        ];
        for (field, wanted) in FIELDS.iter().zip(wanted) {
            assert_eq!(values[*field], wanted, "{field}");
        }
        assert_eq!(emitted[1].1["reason"], "not_denoted", "the gate that blocked it");
    }
}
