//! Compares expectations with what was seen.

mod fact;
pub(crate) mod option;
mod summary;

use std::collections::BTreeMap;

use throughline_engine::data::action::Action;
use throughline_engine::data::card::{Card, CardStatus};
use throughline_engine::data::card_model::{CardModel, ItemModel};
use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::progress::Progress;
use throughline_engine::data::rung::Rung;
use throughline_engine::data::task::Task;
use throughline_engine::data::trace::TurnSummary;
use throughline_engine::{Language, Reason, Verdict};
use throughline_language::Value;

use crate::driver::TurnSeen;
use crate::model::{
    CardExpect, Expectation, FocusExpect, ItemExpect, ItemsExpect, MAIN, PendingExpect, PendingFit,
    ReferenceExpect, TaskExpect,
};
use crate::transcript::Transcript;

/// One expectation that did not come true.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Mismatch {
    /// Its key, such as `card.version`.
    pub key: String,
    /// The expected value.
    pub expected: String,
    /// The value seen.
    pub seen: String,
}

/// Everything one turn showed, with the names as they were resolved.
pub(crate) struct Observation<'a> {
    /// The turn's lane; `None` if it was about all lanes.
    pub(crate) lane: Option<&'a str>,
    /// The person who acted.
    pub(crate) user: Option<&'a str>,
    /// The driver's observation.
    pub(crate) seen: &'a TurnSeen,
    /// The turn with the decision that counts, if there was one.
    pub(crate) decisive: Option<&'a TurnSummary>,
    /// Every turn up to it.
    pub(crate) path: Vec<&'a TurnSummary>,
    /// The reasons of all these turns.
    pub(crate) reasons: Vec<Reason>,
    /// The lane before.
    pub(crate) before: &'a Lane,
    /// The lane afterwards.
    pub(crate) after: &'a Lane,
    /// The transcript before the turn.
    pub(crate) transcript_before: &'a Transcript,
    /// The transcript up to and including this turn.
    pub(crate) transcript: &'a Transcript,
    /// The facts in reach of the lane afterwards, if the scenario expects any.
    pub(crate) facts: &'a [(FactKey, Fact)],
    /// A fault was injected, so values that a repeated attempt may change are not compared.
    pub(crate) faulty: bool,
}

/// Returns the expectations that did not come true.
pub(crate) fn compare(expected: &[Expectation], observation: &Observation<'_>) -> Vec<Mismatch> {
    let mut wrong = Vec::new();
    for one in expected {
        match one {
            Expectation::Not(list) => {
                for one in list.iter().flat_map(each).filter(|one| check(one, observation).is_empty()) {
                    let expected = format!("anything but {}", describe(&one));
                    wrong.push(Mismatch { key: format!("not.{}", one.key()), expected, seen: "this".into() });
                }
            }
            one => wrong.extend(check(one, observation)),
        }
    }
    wrong
}

/// Splits a list of texts: under `not`, each of them must be absent.
fn each(one: &Expectation) -> Vec<Expectation> {
    let of = |list: &[String], make: fn(Vec<String>) -> Expectation| {
        list.iter().map(|text| make(vec![text.clone()])).collect()
    };
    match one {
        Expectation::Says(list) => of(list, Expectation::Says),
        Expectation::Private(list) => of(list, Expectation::Private),
        Expectation::Prompt(list) => of(list, Expectation::Prompt),
        other => vec![other.clone()],
    }
}

fn check(one: &Expectation, observation: &Observation<'_>) -> Vec<Mismatch> {
    let decision = observation.decisive.map(|turn| &turn.decision);
    let nothing = || "no turn".to_string();
    let plain = |ok: bool, expected: String, seen: String| {
        if ok { Vec::new() } else { vec![Mismatch { key: one.key().into(), expected, seen }] }
    };
    match one {
        Expectation::Decision(verdict) => {
            let seen = decision.map(|decision| decision.outcome);
            plain(seen == Some(*verdict), verdict_name(*verdict), seen.map_or_else(nothing, verdict_name))
        }
        Expectation::Reason(code) => {
            let reasons = observation.reasons.iter().map(|reason| reason.code().to_string());
            // A list's reason for leaving a text alone is noted beside the reasons of the turn.
            let of_lists = code.starts_with("selection.").then(|| observation.between());
            // A summary is a turn of its own, beside the message that made it due.
            let of_summaries = observation.seen.turns.iter().filter(|_| code.starts_with("summary."));
            let of_summaries = of_summaries.map(|turn| turn.summary.decision.reason.code().to_string());
            let beside = of_lists.into_iter().flatten().chain(of_summaries);
            let seen: Vec<String> = reasons.chain(beside).collect();
            let same = seen.contains(code);
            plain(same, code.clone(), if seen.is_empty() { nothing() } else { seen.join(", ") })
        }
        Expectation::Rung(rung) => {
            let seen = decision.map(|decision| decision.rung);
            plain(seen == Some(*rung), rung_name(*rung), seen.map_or_else(nothing, rung_name))
        }
        Expectation::Intent(intent) => {
            let seen = decision.and_then(|decision| decision.intent);
            plain(
                seen == Some(*intent),
                intent.as_str().into(),
                seen.map_or("none", |intent| intent.as_str()).into(),
            )
        }
        Expectation::Applied(value) => {
            let seen = decision.and_then(|decision| decision.applied.as_ref()).map(|applied| &applied.value);
            let ok = match (value, seen) {
                (None, None) => true,
                (Some(value), Some(seen)) => is_value(seen, value),
                _ => false,
            };
            let shown = |value: Option<&str>| value.unwrap_or("none").to_string();
            plain(ok, shown(value.as_deref()), shown(seen.map(value_text).as_deref()))
        }
        Expectation::Focus(focus) => self::focus(focus, observation),
        Expectation::Reference(wanted) => reference(wanted, observation),
        Expectation::Pending(pending) => self::pending(pending, observation),
        Expectation::Says(texts) => {
            let all = words(observation);
            missing("says", texts, &all)
        }
        Expectation::Private(texts) => {
            let mine = |to: &str| observation.user.is_none_or(|user| user == to);
            let told = observation.seen.notices.iter().filter(|notice| mine(&notice.to));
            missing("private", texts, &told.map(|notice| notice.text.clone()).collect::<Vec<_>>())
        }
        Expectation::Card(None) => {
            let touched = observation.transcript.touched(observation.lane, observation.seen);
            // A restart may show an open card again.
            plain(
                touched.is_empty() || observation.faulty,
                "none".into(),
                "a card was shown or changed".into(),
            )
        }
        Expectation::Card(Some(card)) => self::card(card, observation),
        Expectation::Effects(effects) => plain(
            *effects == observation.seen.outward,
            effects_text(effects),
            effects_text(&observation.seen.outward),
        ),
        Expectation::ModelCalls(n) => {
            let seen = observation.seen.model_calls;
            plain(seen == *n || observation.faulty, n.to_string(), seen.to_string())
        }
        Expectation::Task(task) => self::task(task.as_ref(), observation),
        Expectation::Prompt(texts) => missing("prompt", texts, &observation.seen.prompts),
        Expectation::Selected(wanted) => option::selected(wanted.as_deref(), observation),
        Expectation::Clarify(wanted) => option::clarify(wanted.as_deref(), observation),
        Expectation::Provenance(_) => option::provenance(one, observation),
        Expectation::Handoff(wanted) => option::handoff(wanted.as_ref(), observation),
        Expectation::View(wanted) => option::view(wanted, observation),
        Expectation::Telemetry(wanted) => option::telemetry(wanted, observation),
        Expectation::Facts(wanted) => fact::facts(wanted, observation),
        Expectation::Summary(wanted) => summary::summary(wanted, observation),
        Expectation::Later { key, .. } => plain(false, key.clone(), "not supported by this version".into()),
        Expectation::Not(_) => Vec::new(),
    }
}

/// Texts said in the lane, and the texts of its cards.
pub(crate) fn words(observation: &Observation<'_>) -> Vec<String> {
    let here = |lane: &str| observation.lane.is_none_or(|wanted| wanted == lane);
    let said = observation.seen.messages.iter().filter(|said| here(&said.lane)).map(|said| said.text.clone());
    let cards = observation.seen.cards.iter().filter(|card| here(&card.lane)).map(|card| card.card.as_text());
    said.chain(cards).collect()
}

fn missing(key: &str, wanted: &[String], seen: &[String]) -> Vec<Mismatch> {
    let lacks = |text: &&String| !seen.iter().any(|seen| seen.contains(text.as_str()));
    let shown = || if seen.is_empty() { "nothing".to_string() } else { seen.join("\n") };
    let wrong = |text: &String| Mismatch { key: key.into(), expected: text.clone(), seen: shown() };
    wanted.iter().filter(lacks).map(wrong).collect()
}

/// Compares one part of an expectation.
fn part(key: &str, expected: Option<String>, seen: Option<String>, same: bool) -> Option<Mismatch> {
    let expected = expected?;
    (!same).then(|| Mismatch { key: key.into(), expected, seen: seen.unwrap_or_else(|| "nothing".into()) })
}

fn focus(wanted: &FocusExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let seen = observation.decisive.and_then(|turn| turn.trace.focus.as_ref());
    let source = seen.map(|focus| focus.source.as_str().to_string());
    let anchor = seen.and_then(|focus| focus.anchor.clone());
    let task = seen.and_then(|focus| focus.task.clone());
    let title = task
        .as_ref()
        .and_then(|id| observation.after.records.get::<Task>(id))
        .map(|task| task.intent.clone());
    let named = wanted
        .anchor
        .as_deref()
        .map(|name| observation.transcript_before.message(observation.lane.unwrap_or(MAIN), name));
    let anchored = match (&named, wanted.anchor.as_deref()) {
        (_, Some("none")) => anchor.is_none(),
        (Some(Ok(id)), _) => anchor.as_ref() == Some(id),
        (Some(Err(_)), _) => false,
        (None, _) => true,
    };
    let wants_anchor = match &named {
        Some(Ok(id)) => wanted.anchor.as_ref().map(|name| format!("{name} ({id})")),
        Some(Err(error)) if wanted.anchor.as_deref() != Some("none") => Some(error.to_string()),
        _ => wanted.anchor.clone(),
    };
    let tasked = wanted.task.is_none()
        || wanted.task == task.as_ref().map(|id| id.0.clone())
        || wanted.task.as_deref().zip(title.as_deref()).is_some_and(|(wanted, title)| title.contains(wanted));
    let parts = [
        part("focus.source", wanted.source.clone(), source.clone(), wanted.source == source),
        part("focus.anchor", wants_anchor, anchor.map(|id| id.0), anchored),
        part("focus.task", wanted.task.clone(), title.or_else(|| task.map(|id| id.0)), tasked),
    ];
    parts.into_iter().flatten().collect()
}

fn reference(wanted: &ReferenceExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let seen = observation.decisive.and_then(|turn| turn.trace.focus.as_ref()).map(|focus| &focus.reference);
    let need = seen.map(|seen| seen.need).unwrap_or_default();
    let words = seen.map(|seen| seen.words.clone()).unwrap_or_default();
    let named = wanted.words.iter().all(|word| words.split(' ').any(|seen| seen == word));
    let parts = [
        part(
            "reference.need",
            wanted.need.map(|need| need.as_str().into()),
            Some(need.as_str().into()),
            wanted.need == Some(need),
        ),
        part("reference.words", Some(wanted.words.join(" ")), Some(words), named),
    ];
    parts.into_iter().flatten().collect()
}

fn pending(wanted: &PendingExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let open = &observation.after.head.pendings;
    let fits = |fit: &PendingFit, at: usize| {
        let pending = &open[at];
        let expected = pending.expected.as_ref().map(ToString::to_string);
        fit.value.is_none()
            && fit.kind.as_deref().is_none_or(|kind| kind == pending.kind.as_str())
            && fit.expected.is_none_or_same(expected.as_deref())
    };
    let ok = match wanted {
        PendingExpect::None => open.is_empty(),
        PendingExpect::One(fit) if fit.value.is_some() => took(fit, observation),
        PendingExpect::One(fit) => (0..open.len()).any(|at| fits(fit, at)),
        PendingExpect::All(list) => {
            let mut left: Vec<usize> = (0..open.len()).collect();
            let all = list.iter().all(|fit| {
                let found = left.iter().position(|at| fits(fit, *at));
                found.map(|at| left.remove(at)).is_some()
            });
            all && left.is_empty()
        }
    };
    if ok {
        return Vec::new();
    }
    let seen: Vec<String> =
        open.iter().map(|pending| pending.line(observation.after_time(), Language::En)).collect();
    let seen = if seen.is_empty() { "none".into() } else { seen.join("; ") };
    vec![Mismatch {
        key: "pending".into(),
        expected: self::describe_value(&Expectation::Pending(wanted.clone())),
        seen,
    }]
}

trait SameOrAny {
    fn is_none_or_same(&self, other: Option<&str>) -> bool;
}

impl SameOrAny for Option<String> {
    fn is_none_or_same(&self, other: Option<&str>) -> bool {
        self.is_none() || self.as_deref() == other
    }
}

/// Returns true if the question was open before and took this value in this turn.
fn took(fit: &PendingFit, observation: &Observation<'_>) -> bool {
    let Some(applied) = observation.decisive.and_then(|turn| turn.decision.applied.as_ref()) else {
        return false;
    };
    let before = observation.before.head.pendings.iter().chain(&observation.before.head.lapsed);
    let pending = before.into_iter().find(|pending| pending.id == applied.pending);
    let expected = pending.and_then(|pending| pending.expected.as_ref()).map(ToString::to_string);
    fit.value.as_deref().is_some_and(|value| is_value(&applied.value, value))
        && fit.kind.is_none_or_same(pending.map(|pending| pending.kind.as_str()))
        && fit.expected.is_none_or_same(expected.as_deref())
}

fn card(wanted: &CardExpect, observation: &Observation<'_>) -> Vec<Mismatch> {
    let touched = observation.transcript.touched(observation.lane, observation.seen);
    let renderings =
        || touched.iter().rev().filter_map(|id| observation.transcript.rendering(id)).map(|seen| &seen.card);
    let at_step = |model: &&CardModel| wanted.step.as_deref().is_none_or(|step| step == step_name(model));
    let Some(seen) = renderings().find(at_step).or_else(|| renderings().next()) else {
        let seen = "no card was shown or changed".into();
        return vec![Mismatch {
            key: "card".into(),
            expected: self::describe_value(&Expectation::Card(Some(wanted.clone()))),
            seen,
        }];
    };
    let pressable = seen.buttons.iter().filter(|button| button.blocked.is_none());
    let buttons: Vec<&str> = pressable.map(|button| button.action.as_str()).collect();
    let state = observation.after.records.get::<Card>(&seen.id).map(state_name).map(str::to_string);
    let list = |words: &[String]| if words.is_empty() { "none".into() } else { words.join(", ") };
    let seen_buttons: Vec<String> = buttons.iter().map(ToString::to_string).collect();
    let titled = wanted.title.as_ref().is_none_or(|title| seen.title.contains(title.as_str()));
    let parts = [
        part("card.step", wanted.step.clone(), Some(step_name(seen)), at_step(&seen)),
        part(
            "card.version",
            wanted.version.map(|v| v.to_string()),
            Some(seen.version.to_string()),
            wanted.version == Some(seen.version),
        ),
        part(
            "card.buttons",
            wanted.buttons.as_deref().map(list),
            Some(list(&seen_buttons)),
            wanted.buttons.as_ref() == Some(&seen_buttons),
        ),
        part("card.title", wanted.title.clone(), Some(seen.title.clone()), titled),
        part("card.state", wanted.state.clone(), state.clone(), wanted.state == state),
    ];
    let items = wanted.items.iter().flat_map(|items| self::items(items, &seen.items));
    parts.into_iter().flatten().chain(items).collect()
}

fn items(wanted: &ItemsExpect, seen: &[ItemModel]) -> Vec<Mismatch> {
    let count = |n: usize| {
        (n != seen.len()).then(|| Mismatch {
            key: "card.items".into(),
            expected: n.to_string(),
            seen: seen.len().to_string(),
        })
    };
    let list = match wanted {
        ItemsExpect::Count(n) => return count(*n as usize).into_iter().collect(),
        ItemsExpect::All(list) => list,
    };
    let each = list.iter().zip(seen).enumerate().flat_map(|(at, (wanted, seen))| item(at + 1, wanted, seen));
    count(list.len()).into_iter().chain(each).collect()
}

fn item(at: usize, wanted: &ItemExpect, seen: &ItemModel) -> Vec<Mismatch> {
    let key = |part: &str| format!("card.items.{at}.{part}");
    let within =
        |wanted: &Option<String>, seen: &str| wanted.as_ref().is_none_or(|part| seen.contains(part.as_str()));
    let errors: Vec<&str> = seen.errors.iter().map(|error| error.text.as_str()).collect();
    let erred = match wanted.error.as_deref() {
        None => true,
        Some("none") => errors.is_empty(),
        Some(text) => errors.iter().any(|error| error.contains(text)),
    };
    let buttons: Vec<String> = seen.buttons.iter().map(|button| button.action.as_str().to_string()).collect();
    let parts = [
        part(
            &key("label"),
            wanted.label.clone(),
            Some(seen.label.clone()),
            wanted.label.as_ref() == Some(&seen.label),
        ),
        part(
            &key("title"),
            wanted.title.clone(),
            Some(seen.title.clone()),
            within(&wanted.title, &seen.title),
        ),
        part(
            &key("state"),
            wanted.state.clone(),
            Some(seen.state.clone()),
            within(&wanted.state, &seen.state),
        ),
        part(
            &key("buttons"),
            wanted.buttons.as_ref().map(|list| list.join(", ")),
            Some(buttons.join(", ")),
            wanted.buttons.as_ref() == Some(&buttons),
        ),
        part(&key("error"), wanted.error.clone(), Some(errors.join("; ")), erred),
    ];
    parts.into_iter().flatten().collect()
}

fn task(wanted: Option<&TaskExpect>, observation: &Observation<'_>) -> Vec<Mismatch> {
    let tasks: Vec<&Task> = observation
        .after
        .records
        .iter()
        .filter_map(|record| {
            if let throughline_engine::data::record::Record::Task(task) = record { Some(task) } else { None }
        })
        .collect();
    let ok = match wanted {
        None => tasks.is_empty(),
        Some(wanted) => tasks.iter().any(|task| is_task(wanted, task)),
    };
    if ok {
        return Vec::new();
    }
    let seen: Vec<String> = tasks.iter().map(|task| describe_task(task)).collect();
    let seen = if seen.is_empty() { "none".into() } else { seen.join("; ") };
    vec![Mismatch {
        key: "task".into(),
        expected: self::describe_value(&Expectation::Task(wanted.cloned())),
        seen,
    }]
}

fn is_task(wanted: &TaskExpect, task: &Task) -> bool {
    let part = |wanted: &Option<String>, seen: Option<&str>| {
        wanted.as_deref().is_none_or(|part| seen.is_some_and(|seen| seen.contains(part)))
    };
    let with = task.work.as_ref().map(|work| work.job.name());
    wanted.id.as_deref().is_none_or(|id| task.id.as_str() == id)
        && part(&wanted.intent, Some(&task.intent))
        && wanted.status.is_none_or(|status| status == task.status)
        && part(&wanted.reason, task.reason.as_deref())
        && part(&wanted.result, task.result.as_deref())
        && wanted.with.as_deref().is_none_or(|name| with == Some(name))
        && wanted.attempt.is_none_or(|attempt| attempt == task.attempt)
}

fn describe_task(task: &Task) -> String {
    let with = task.work.as_ref().map(|work| format!(", with {}", work.job.name())).unwrap_or_default();
    let why =
        task.reason.as_ref().or(task.result.as_ref()).map(|text| format!(": {text}")).unwrap_or_default();
    format!("{} ({}{with}{why})", task.intent, task.status.as_str())
}

impl Observation<'_> {
    fn after_time(&self) -> throughline_engine::Timestamp {
        self.decisive.map(|turn| turn.at).unwrap_or_default()
    }
}

/// Formats an expectation with its key, on one line.
pub(crate) fn describe(one: &Expectation) -> String {
    crate::yaml::inline(&crate::emit::expectation(one))
}

/// Formats an expectation without its key.
fn describe_value(one: &Expectation) -> String {
    crate::yaml::flow(&crate::emit::expectation(one).1)
}

fn effects_text(effects: &BTreeMap<String, u32>) -> String {
    let list: Vec<String> = effects.iter().map(|(class, n)| format!("{class}: {n}")).collect();
    if list.is_empty() { "none".into() } else { list.join(", ") }
}

/// Returns the serialised name of an enum's variant.
pub(crate) fn serialized_name<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|json| json.as_str().map(Into::into)).unwrap_or_default()
}

pub(crate) fn verdict_name(verdict: Verdict) -> String {
    serialized_name(&verdict)
}

pub(crate) fn rung_name(rung: Rung) -> String {
    serialized_name(&rung)
}

pub(crate) fn step_name(model: &CardModel) -> String {
    serialized_name(&model.step)
}

/// Formats a value as a scenario writes it.
pub(crate) fn value_text(value: &Value) -> String {
    value.text().into()
}

fn is_value(seen: &Value, wanted: &str) -> bool {
    match (seen, wanted) {
        (Value::Boolean(yes), "true" | "yes") => *yes,
        (Value::Boolean(yes), "false" | "no") => !*yes,
        _ => value_text(seen) == wanted,
    }
}

/// Returns the state of a card's record, as `card.state` has it.
pub(crate) fn state_name(card: &Card) -> &'static str {
    match &card.status {
        CardStatus::Open => "open",
        CardStatus::Superseded { .. } => "superseded",
        CardStatus::Expired => "expired",
        CardStatus::Withdrawn => "withdrawn",
        CardStatus::Decided { action, result, .. } => match (result, action) {
            (Progress::Working { .. } | Progress::Sending { .. }, _) => "working",
            (Progress::Posted { .. }, _) => "posted",
            (Progress::Created { .. }, _) => "created",
            (Progress::Failed { .. }, _) => "failed",
            (Progress::Done, _) => "done",
            (Progress::Stopped, _) => "stopped",
            (Progress::Uncertain { .. }, _) => "uncertain",
            (Progress::Cancelled, _) => "cancelled",
            (Progress::Several { .. } | Progress::NotTried { .. }, _) => match result.as_str() {
                "not_tried" => "failed",
                word => word,
            },
            (Progress::None, Action::Reject) => "rejected",
            (Progress::None, Action::Dismiss) => "dismissed",
            (Progress::None, Action::SelectReview | Action::SelectTicket) => "answered",
            (Progress::None, _) => "decided",
        },
    }
}

#[cfg(test)]
mod tests;
