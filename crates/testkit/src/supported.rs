//! Finds what a scenario uses and this version does not have. Such parts are parsed, and fail when the scenario runs.

use throughline_engine::data::action::{Action, CardStep};

use crate::model::{Act, Expectation, Scenario};

/// The purposes of model calls in this version.
const ASKED: [&str; 6] = ["classify", "select", "draft", "review", "answer", "summary"];

/// Returns what is missing, each with the line of its turn, or 0 for `given`.
pub(crate) fn lacks(scenario: &Scenario) -> Vec<(usize, String)> {
    let purposes = scenario.script.iter().map(|answer| answer.purpose.as_str());
    let unasked = purposes.filter(|purpose| !ASKED.contains(purpose));
    let mut lacks: Vec<(usize, String)> = unasked.map(|p| (0, format!("script for {p}"))).collect();
    for turn in &scenario.turns {
        let mut here = |what: String| lacks.push((turn.line, what));
        match &turn.act {
            Act::Press(press) if Action::parse(&press.action).is_none() => {
                here(format!("press {}", press.action))
            }
            _ => {}
        }
        expected(turn.expect.as_deref().unwrap_or_default(), &mut here);
    }
    lacks
}

fn expected(list: &[Expectation], here: &mut impl FnMut(String)) {
    for one in list {
        match one {
            Expectation::Later { key, .. } => here(format!("expect {key}")),
            Expectation::Not(list) => expected(list, here),
            Expectation::Card(Some(card)) => {
                let step = card.step.iter().filter(|step| !is_step(step));
                step.for_each(|step| here(format!("card step {step}")));
                let buttons = card.buttons.iter().flatten().filter(|button| Action::parse(button).is_none());
                buttons.for_each(|button| here(format!("button {button}")));
            }
            _ => {}
        }
    }
}

fn is_step(word: &str) -> bool {
    serde_json::from_value::<CardStep>(serde_json::Value::String(word.into())).is_ok()
}
