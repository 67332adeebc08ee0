//! Selection inspector: a list as a text was read against it, with what the text made of each option.

use serde::Serialize;
use throughline_engine::data::field::FieldValue;
use throughline_engine::data::id::SetId;
use throughline_engine::data::selection_trace::SelectionTrace;
use throughline_engine::data::view::View;
use throughline_runtime::replay::WhatIf;

use crate::views::options::{set_of, view_of};
use crate::wire;

/// List that a text was read against.
#[derive(Serialize)]
pub(super) struct Inspected {
    /// Name of the list, or of its place.
    title: String,
    scope: String,
    set: String,
    /// Standing of the list for the person; empty if they have not seen it.
    standing: String,
    options: Vec<InspectedOption>,
    /// Account of the reading; `None` if the text was decided before its lists were read.
    trace: Option<wire::Selection>,
}

#[derive(Serialize)]
struct InspectedOption {
    id: String,
    label: String,
    /// Number under which the person saw it; `None` if it was not displayed.
    number: Option<usize>,
    /// Further words that mean it: its badge and its other names.
    names: Vec<String>,
    /// Properties, each as `name: value`.
    fields: Vec<String>,
    /// Outcome of the text for it: `executed`, `asked about`, `resembles`, `rejected`.
    marks: Vec<String>,
}

/// Returns the list that a text was read against, else the one that it would have been; `None` if its writer sees none.
pub(super) fn inspected(came: &WhatIf, writer: &str) -> Option<Inspected> {
    let trace = came.step.trace.selection.as_deref();
    let view = view_of(&came.lane, writer);
    let read = trace.and_then(|trace| trace.set.clone());
    let id = read.or_else(|| view?.active_option_set_id.clone())?;
    let list = set_of(&came.lane, &id)?;
    let set = wire::OptionSet::seen(list, writer);
    let standing =
        view.and_then(|view| view.standing(&id)).map(|standing| wire::Standing::from(Some(standing)));
    let number = |option: &str| set.displayed.iter().position(|shown| shown == option);
    let mut options: Vec<InspectedOption> = list
        .options
        .iter()
        .map(|option| InspectedOption {
            id: option.id.clone(),
            label: option.label.clone(),
            number: number(&option.id).map(|place| place + usize::from(set.numbers_from)),
            names: option.badge.iter().chain(&option.aliases).cloned().collect(),
            fields: option.fields.iter().map(|(name, value)| format!("{name}: {}", said(value))).collect(),
            marks: marks(trace, view, &id, &option.id),
        })
        .collect();
    options.sort_by_key(|option| option.number.unwrap_or(usize::MAX));
    Some(Inspected {
        title: set.title.unwrap_or(set.scope_instance),
        scope: set.scope,
        set: set.id,
        standing: standing.map(|standing| standing.status).unwrap_or_default(),
        options,
        trace: trace.map(wire::Selection::from),
    })
}

/// Returns a field's value as a line: "120 EUR", "Berlin".
fn said(value: &FieldValue) -> String {
    match value {
        FieldValue::Number(number) => number.to_string(),
        FieldValue::Quantity { value, unit } => format!("{value} {unit}"),
        FieldValue::Text(text) | FieldValue::At(text) => text.clone(),
        FieldValue::Flag(flag) => if *flag { "yes" } else { "no" }.into(),
        FieldValue::List(texts) => texts.join(" and "),
    }
}

/// Returns what became of an option, in words.
fn marks(trace: Option<&SelectionTrace>, view: Option<&View>, set: &SetId, option: &str) -> Vec<String> {
    let place = |of: fn(&SelectionTrace) -> &[String]| {
        of(trace?).iter().position(|id| id == option).map(|place| place + 1)
    };
    let mut marks = Vec::new();
    if trace.is_some_and(|trace| trace.selected.as_deref() == Some(option)) {
        marks.push("executed".into());
    }
    marks.extend(place(|trace| &trace.clarify).map(|place| format!("asked about, place {place}")));
    marks.extend(place(|trace| &trace.hints).map(|place| format!("resembles, place {place}")));
    if view.is_some_and(|view| view.rejected_in(set, option)) {
        marks.push("rejected before".into());
    }
    marks
}
