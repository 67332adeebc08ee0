//! Lists of options in a recorded lane: what hosts showed and did, what people pressed, what a model answered.

use std::collections::BTreeMap;

use throughline_engine::data::ask::{Answer, SelectVerdict};
use throughline_engine::data::effect::{EffectClass, EffectResult, Outcome};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::handover::HostAnswer as Handled;

use super::{Recorded, RecordedLane, outcomes};
use crate::compare::serialized_name;
use crate::model::{
    Act, ChangeFocus, CloseList, Expectation, HostAnswer, MAIN, PressOption, ScriptedReply, ShowList,
};

/// Returns the act of a host or a press about a list. Lists go by their ids, since a recording has no names for them.
pub(super) fn act(one: &Recorded) -> Option<Act> {
    let lane = MAIN.to_string();
    Some(match &one.event.kind {
        EventKind::OptionsShown(shown) => Act::ShowList(ShowList { lane, shown: shown.clone() }),
        EventKind::OptionsClosed { set, scope_instance } => {
            let set = set.as_ref().map(|set| set.as_str().to_string());
            Act::CloseList(CloseList { lane, set, instance: scope_instance.clone() })
        }
        EventKind::FocusChanged(focus) => Act::ChangeFocus(ChangeFocus {
            lane,
            user: focus.user.clone(),
            scope: focus.scope,
            instance: focus.scope_instance.clone(),
            option: focus.option.clone(),
        }),
        EventKind::CardPressed { press: Press::Option { set, version, option }, .. } => {
            Act::PressOption(PressOption {
                user: one.event.actor.clone(),
                lane,
                set: set.as_str().into(),
                option: option.clone(),
                version: Some(*version),
            })
        }
        _ => return None,
    })
}

/// Returns the host's outcomes of effects that only it performs, by class and in order.
pub(super) fn host(recorded: &RecordedLane) -> BTreeMap<String, Vec<HostAnswer>> {
    let mut host = BTreeMap::new();
    for class in EffectClass::ALL.into_iter().filter(|class| class.is_host_only()) {
        let asked = recorded.turns.iter().flat_map(|one| &one.summary.effects);
        let asked = asked.filter(|(word, _)| word == class.as_str());
        let ended =
            |id: &str| outcomes(recorded).find(|(effect, _)| *effect == id).map(|(_, outcome)| outcome);
        let mut answers: Vec<HostAnswer> = asked.map(|(_, id)| answer(ended(id))).collect();
        while answers.last() == Some(&HostAnswer::Done) {
            answers.pop();
        }
        if !answers.is_empty() {
            host.insert(class.as_str().into(), answers);
        }
    }
    host
}

fn answer(outcome: Option<&Outcome>) -> HostAnswer {
    match outcome {
        None => HostAnswer::Held,
        Some(Outcome::Done { result: EffectResult::Snapshot { options, focused } }) => {
            HostAnswer::Holds { options: options.clone(), focused: focused.clone() }
        }
        Some(Outcome::Done { result: EffectResult::Handled(answer) }) if **answer != Handled::default() => {
            HostAnswer::Handled(answer.clone())
        }
        Some(Outcome::Done { .. }) => HostAnswer::Done,
        Some(Outcome::Failed { .. }) => HostAnswer::Failed,
        Some(Outcome::Uncertain { .. }) => HostAnswer::Uncertain,
    }
}

/// Returns a model's choice of an option, as the script has it.
pub(super) fn choice_reply(answer: &Answer) -> Option<ScriptedReply> {
    let Answer::Select { contract, says, choice, confidence, needs } = answer else { return None };
    let mut json = serde_json::json!({
        "contract": contract, "decision": serialized_name::<SelectVerdict>(says), "confidence": f64::from(*confidence) / 100.0,
    });
    if let Some(choice) = choice {
        json["choice"] = choice.as_str().into();
    }
    if !needs.is_empty() {
        json["neededEvidenceTypes"] = needs.clone().into();
    }
    Some(ScriptedReply::Answer(json))
}

/// Returns the expectations of a turn about lists.
pub(super) fn expectations(decided: &throughline_engine::data::trace::TurnSummary) -> Vec<Expectation> {
    let Some(account) = decided.trace.selection.as_deref() else { return Vec::new() };
    let mut all = Vec::new();
    all.extend(account.selected.clone().map(|id| Expectation::Selected(Some(id))));
    all.extend((!account.clarify.is_empty()).then(|| Expectation::Clarify(Some(account.clarify.clone()))));
    all.extend(account.provenance.map(|provenance| Expectation::Provenance(Some(provenance))));
    all
}
