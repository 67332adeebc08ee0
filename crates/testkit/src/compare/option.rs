//! Compares expectations about lists of options.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::option_set::OptionSet;
use throughline_engine::data::record::Record;
use throughline_engine::data::selection_trace::{SelectionTrace, Signal};
use throughline_engine::data::trace::{Predicate, TurnSummary};
use throughline_engine::data::view::{ListStatus, View};

use super::{Mismatch, Observation, describe_value, part, serialized_name};
use crate::model::{Expectation, MAIN, TelemetryExpect, ViewExpect};
use crate::yaml;

impl Observation<'_> {
    fn lane_name(&self) -> &str {
        self.lane.unwrap_or(MAIN)
    }

    /// Returns the selection traces of the turns up to the decision.
    pub(super) fn accounts(&self) -> impl DoubleEndedIterator<Item = &SelectionTrace> {
        self.path.iter().filter_map(|turn| turn.trace.selection.as_deref())
    }

    /// Returns every turn in this lane that read a list.
    fn list_turns(&self) -> impl Iterator<Item = (&TurnSummary, &SelectionTrace)> {
        let here = |lane: &str| self.lane.is_none_or(|wanted| wanted == lane);
        let turns = self.seen.turns.iter().filter(move |turn| here(&turn.lane));
        turns.filter_map(|turn| Some((&turn.summary, turn.summary.trace.selection.as_deref()?)))
    }

    /// Returns the codes of reasons that kept a list from a model or left a text alone.
    pub(super) fn between(&self) -> impl Iterator<Item = String> {
        let words = self.accounts().flat_map(|account| [&account.why_no_model, &account.blocked]).flatten();
        let passed = self.path.iter().flat_map(|turn| &turn.trace.passed);
        let left = passed.filter_map(|predicate| match predicate {
            Predicate::SelectionOff => Some("disabled"),
            Predicate::NoOptions => Some("no_context"),
            Predicate::SelectionQuestion => Some("question_intent"),
            Predicate::SelectionVerify => Some("verify_open"),
            Predicate::SelectionCommand => Some("known_command"),
            Predicate::NotAnOption => Some("not_selection_like"),
            _ => None,
        });
        words.map(String::as_str).chain(left).map(|word| format!("selection.{word}"))
    }

    /// Returns the option that is executed in the turn itself, or in one that followed from it.
    pub(crate) fn selected(&self) -> Option<(String, String)> {
        let on_the_way = self.accounts().rev().find_map(|account| Some((account.selected.clone()?, account)));
        let later = || self.list_turns().find_map(|(_, account)| Some((account.selected.clone()?, account)));
        let (id, account) = on_the_way.or_else(later)?;
        let label = self.label(account, &id);
        Some((id, label))
    }

    /// Returns the options of the last question on the way.
    pub(crate) fn clarified(&self) -> Option<Vec<(String, String)>> {
        let account = self.accounts().rev().find(|account| !account.clarify.is_empty())?;
        Some(account.clarify.iter().map(|id| (id.clone(), self.label(account, id))).collect())
    }

    /// Returns the provenance of the selection.
    pub(crate) fn provenance(&self) -> Option<throughline_engine::data::selection_trace::Provenance> {
        self.accounts().rev().find_map(|account| account.provenance)
    }

    fn label(&self, account: &SelectionTrace, id: &str) -> String {
        let set = account.set.as_ref().and_then(|set| option_set(self.after, set.as_str()));
        let option = set.and_then(|set| set.option(id)).map(|(_, option)| option.label.clone());
        option.unwrap_or_default()
    }
}

fn option_set<'l>(lane: &'l Lane, id: &str) -> Option<&'l OptionSet> {
    lane.records.iter().find_map(|record| match record {
        Record::OptionSet(set) if set.id.as_str() == id => Some(set),
        _ => None,
    })
}

fn one(key: &str, same: bool, expected: String, seen: String) -> Vec<Mismatch> {
    if same { Vec::new() } else { vec![Mismatch { key: key.into(), expected, seen }] }
}

fn is(option: &(String, String), wanted: &str) -> bool {
    option.0 == wanted || option.1 == wanted
}

pub(super) fn selected(expected: Option<&str>, observation: &Observation<'_>) -> Vec<Mismatch> {
    let seen = observation.selected();
    let same = match (expected, &seen) {
        (None, None) => true,
        (Some(wanted), Some(option)) => is(option, wanted),
        _ => false,
    };
    let seen = seen.map_or_else(|| "none".into(), |(id, _)| id);
    one("selected", same, expected.unwrap_or("none").into(), seen)
}

pub(super) fn clarify(expected: Option<&[String]>, observation: &Observation<'_>) -> Vec<Mismatch> {
    let seen = observation.clarified();
    let same = match (expected, &seen) {
        (None, None) => true,
        (Some(wanted), Some(shown)) => {
            wanted.len() == shown.len() && shown.iter().zip(wanted).all(|(option, wanted)| is(option, wanted))
        }
        _ => false,
    };
    let list = |ids: Vec<&str>| ids.join(", ");
    let shown = expected.map_or("none".into(), |wanted| list(wanted.iter().map(String::as_str).collect()));
    let ids = seen.as_ref().map(|shown| list(shown.iter().map(|(id, _)| id.as_str()).collect()));
    one("clarify", same, shown, ids.unwrap_or_else(|| "none".into()))
}

pub(super) fn handoff(
    expected: Option<&BTreeMap<String, Json>>,
    observation: &Observation<'_>,
) -> Vec<Mismatch> {
    let seen = observation.accounts().rev().find_map(|account| account.handoff.as_ref());
    let seen = seen.and_then(|handoff| serde_json::to_value(handoff).ok());
    let shown = seen.as_ref().map_or_else(|| "none".into(), |seen| yaml::flow(&yaml::json(seen)));
    let Some(expected) = expected else { return one("handoff", seen.is_none(), "none".into(), shown) };
    let seen = seen.unwrap_or(Json::Null);
    let member = |(key, expected): (&String, &Json)| {
        let same = alike(key, expected, seen.get(key).unwrap_or(&Json::Null), observation);
        part(&format!("handoff.{key}"), Some(flat(expected)), Some(shown.clone()), same)
    };
    expected.iter().filter_map(member).collect()
}

pub(super) fn view(expected: &ViewExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let Some(user) = expected.user.as_deref().or(observation.user) else {
        return one("view", false, "the view of somebody".into(), "nobody acted: say `user`".into());
    };
    let view = view_of(observation.after, user);
    let seen = serde_json::to_value(&view).unwrap_or_default();
    if expected.empty {
        let blank =
            View { user: view.user.clone(), turn: view.turn, stopped: view.stopped, ..View::default() };
        return one("view", view == blank, "empty".into(), flat(&seen));
    }
    let member = |(key, expected): (&String, &Json)| {
        let seen = seen.get(key).unwrap_or(&Json::Null);
        let same = alike(key, expected, seen, observation);
        part(&format!("view.{key}"), Some(flat(expected)), Some(flat(seen)), same)
    };
    let list = |(name, expected): (&String, &String)| {
        let seen = match observation.transcript.set(observation.lane_name(), name) {
            Ok(id) => view.standing(&id).map_or("gone".into(), |standing| status(standing.status)),
            Err(error) => error.to_string(),
        };
        part(&format!("view.lists.{name}"), Some(expected.clone()), Some(seen.clone()), seen == *expected)
    };
    let members = expected.fields.iter().filter_map(member);
    members.chain(expected.lists.iter().filter_map(list)).collect()
}

/// Returns the state of a person's lists: their own record, or else the shared default.
pub(crate) fn view_of(lane: &Lane, user: &str) -> View {
    let of = |wanted: &str| {
        lane.records.iter().find_map(|record| match record {
            Record::View(view) if view.user == wanted => Some(view.as_ref().clone()),
            _ => None,
        })
    };
    of(user).or_else(|| of("")).unwrap_or_default()
}

pub(crate) fn status(status: ListStatus) -> String {
    match status {
        ListStatus::Active => "active".into(),
        ListStatus::Soft => "soft".into(),
        ListStatus::Parked(why) => format!("parked({})", serialized_name(&why)),
    }
}

/// Compares a member with its expected value. A list may go by its name, a trace entry by its target's id, an absent
/// value by `none`; of a map only the written keys are compared.
fn alike(key: &str, expected: &Json, seen: &Json, observation: &Observation<'_>) -> bool {
    match (expected, seen) {
        (Json::String(wanted), seen) if wanted == "none" && *seen != json!("none") => {
            seen.is_null() || seen.as_array().is_some_and(Vec::is_empty)
        }
        (Json::String(wanted), Json::String(is)) => {
            let named = || {
                observation.transcript.set(observation.lane_name(), wanted).is_ok_and(|id| id.as_str() == is)
            };
            wanted == is || (key.to_lowercase().contains("optionsetid") && named())
        }
        (Json::String(wanted), Json::Object(is)) => {
            let id = is.get("targetRef").map_or(is.get("instance"), |target| target.get("id"));
            id.or_else(|| is.get("option")).and_then(Json::as_str) == Some(wanted)
        }
        (Json::Object(wanted), Json::Object(is)) => wanted
            .iter()
            .all(|(key, wanted)| alike(key, wanted, is.get(key).unwrap_or(&Json::Null), observation)),
        (Json::Array(wanted), Json::Array(is)) => {
            wanted.len() == is.len()
                && wanted.iter().zip(is).all(|(wanted, is)| alike(key, wanted, is, observation))
        }
        (Json::Array(wanted), Json::Null) => wanted.is_empty(),
        // These members are written only when they are true.
        (Json::Bool(false), Json::Null) => true,
        (Json::Number(n), Json::Null) => n.as_u64() == Some(0),
        (wanted, is) => wanted == is,
    }
}

fn flat(value: &Json) -> String {
    yaml::flow(&yaml::json(value))
}

pub(super) fn telemetry(expected: &[TelemetryExpect], observation: &Observation<'_>) -> Vec<Mismatch> {
    let shown: Vec<(Signal, Json)> = observation
        .list_turns()
        .flat_map(|(turn, account)| {
            account.signals.iter().map(|signal| (*signal, carried(*signal, turn, account)))
        })
        .collect();
    let names = |list: Vec<&str>| if list.is_empty() { "none".to_string() } else { list.join(", ") };
    let same = shown.len() == expected.len()
        && shown.iter().zip(expected).all(|((signal, _), wanted)| *signal == wanted.event);
    if !same {
        let expected = names(expected.iter().map(|one| one.event.as_str()).collect());
        return one(
            "telemetry",
            false,
            expected,
            names(shown.iter().map(|(signal, _)| signal.as_str()).collect()),
        );
    }
    let mut wrong = Vec::new();
    for ((signal, seen), expected) in shown.iter().zip(expected) {
        for (key, expected) in &expected.fields {
            let is = seen.get(key).unwrap_or(&Json::Null);
            let same = expected.is_null() && is.is_null() || alike(key, expected, is, observation);
            let key = format!("telemetry.{}.{key}", signal.as_str());
            wrong.extend(part(&key, Some(flat(expected)), Some(flat(is)), same));
        }
    }
    wrong
}

/// Returns the fields of a telemetry event; absent values are null.
fn carried(signal: Signal, turn: &TurnSummary, account: &SelectionTrace) -> Json {
    let reason = match signal {
        Signal::VetoBlocked => account.blocked.clone(),
        _ => account.why_no_model.clone(),
    };
    json!({
        "activeOptionSetId": account.set,
        "activeScope": account.scope,
        "candidate_count": account.candidates,
        "collision_flags": account.collisions,
        "loop_cycle_id": account.cycle,
        "fingerprint_before": account.fingerprint_before,
        "fingerprint_after": account.fingerprint_after,
        "retry_attempt_index": account.retry_index,
        "retry_budget_remaining": account.retry_budget,
        "reason": reason.unwrap_or_else(|| {
            let code = turn.decision.reason.code();
            code.strip_prefix("selection.").unwrap_or(code).into()
        }),
        "provenance": account.provenance,
    })
}

/// Compares the whole provenance.
pub(super) fn provenance(one: &Expectation, observation: &Observation<'_>) -> Vec<Mismatch> {
    let Expectation::Provenance(expected) = one else { return Vec::new() };
    let seen = observation.provenance();
    let shown = seen.map_or("none", throughline_engine::data::selection_trace::Provenance::as_str);
    self::one("provenance", seen == *expected, describe_value(one), shown.into())
}
