//! What a recorded lane says of lists of options: what hosts showed and did, what was pressed, what a model said.

use std::collections::BTreeMap;

use throughline_engine::ask::{Answer, Says};
use throughline_engine::effect::{EffectClass, EffectResult, Outcome};
use throughline_engine::event::{EventKind, Press};

use super::{Recorded, RecordedLane, outcomes};
use crate::compare::word;
use crate::model::{Act, Chooses, Closes, Expectation, Focuses, HostAnswer, MAIN, ScriptedReply, Shows};

/// What a host or a press did about a list. Lists go by their ids: a recorded lane has no names for them.
pub(super) fn act(one: &Recorded) -> Option<Act> {
    let lane = MAIN.to_string();
    Some(match &one.event.kind {
        EventKind::OptionsShown(shown) => Act::Shows(Shows { lane, shown: shown.clone() }),
        EventKind::OptionsClosed { set, scope_instance } => {
            let set = set.as_ref().map(|set| set.as_str().to_string());
            Act::Closes(Closes { lane, set, instance: scope_instance.clone() })
        }
        EventKind::FocusChanged(focus) => Act::Focuses(Focuses {
            lane,
            user: focus.user.clone(),
            scope: focus.scope,
            instance: focus.scope_instance.clone(),
            option: focus.option.clone(),
        }),
        EventKind::CardPressed { press: Press::Option { set, version, option }, .. } => {
            Act::Chooses(Chooses {
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

/// What the host did with what only it performs, in the order it was asked to.
pub(super) fn host(recorded: &RecordedLane) -> BTreeMap<String, Vec<HostAnswer>> {
    let mut host = BTreeMap::new();
    for class in [EffectClass::OptionExecute, EffectClass::EvidenceFetch] {
        let asked = recorded.turns.iter().flat_map(|one| &one.summary.effects);
        let asked = asked.filter(|(word, _)| word == class.word());
        let ended =
            |id: &str| outcomes(recorded).find(|(effect, _)| *effect == id).map(|(_, outcome)| outcome);
        let mut answers: Vec<HostAnswer> = asked.map(|(_, id)| answer(ended(id))).collect();
        while answers.last() == Some(&HostAnswer::Done) {
            answers.pop();
        }
        if !answers.is_empty() {
            host.insert(class.word().into(), answers);
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
        Some(Outcome::Done { .. }) => HostAnswer::Done,
        Some(Outcome::Failed { .. }) => HostAnswer::Failed,
        Some(Outcome::Uncertain { .. }) => HostAnswer::Uncertain,
    }
}

/// A model's word on which option is meant, as the script has it.
pub(super) fn said(answer: &Answer) -> Option<ScriptedReply> {
    let Answer::Select { contract, says, choice, confidence, needs } = answer else { return None };
    let mut json = serde_json::json!({
        "contract": contract, "decision": word::<Says>(says), "confidence": f64::from(*confidence) / 100.0,
    });
    if let Some(choice) = choice {
        json["choice"] = choice.as_str().into();
    }
    if !needs.is_empty() {
        json["neededEvidenceTypes"] = needs.clone().into();
    }
    Some(ScriptedReply::Answer(json))
}

/// What became of a list in a turn.
pub(super) fn expectations(decided: &throughline_engine::trace::TurnSummary) -> Vec<Expectation> {
    let Some(account) = decided.trace.selection.as_deref() else { return Vec::new() };
    let mut all = Vec::new();
    all.extend(account.selected.clone().map(|id| Expectation::Selected(Some(id))));
    all.extend((!account.clarify.is_empty()).then(|| Expectation::Clarify(Some(account.clarify.clone()))));
    all.extend(account.provenance.map(|provenance| Expectation::Provenance(Some(provenance))));
    all
}
