//! Implements `--update`: writes what was seen into the turns that expect nothing yet.

use crate::compare::{Observation, state_name, step_name, value_text};
use crate::model::{Act, CardExpect, Expectation, PendingExpect, PendingFit, Scenario};
use crate::report::Report;
use crate::{emit, yaml};
use throughline_engine::data::card::Card;

/// Returns what was seen of a turn as expectations: those a person would write, not everything there is.
pub(crate) fn observed(observation: &Observation<'_>, act: &Act) -> Vec<Expectation> {
    let mut seen = Vec::new();
    let placed = observation.lane.is_some();
    if let Some(turn) = observation.decisive.filter(|_| placed) {
        seen.push(Expectation::Reason(turn.decision.reason.code().into()));
        seen.extend(turn.decision.intent.map(Expectation::Intent));
        let applied = turn.decision.applied.as_ref().map(|applied| value_text(&applied.value));
        seen.extend(applied.map(|value| Expectation::Applied(Some(value))));
    }
    seen.extend(chosen(observation));
    seen.extend(card(observation).map(|card| Expectation::Card(Some(card))));
    seen.extend(first_lines(observation.seen.messages.iter().map(|said| &said.text)).map(Expectation::Says));
    let told = observation
        .seen
        .notices
        .iter()
        .filter(|notice| observation.user.is_none_or(|user| user == notice.to));
    seen.extend(first_lines(told.map(|notice| &notice.text)).map(Expectation::Private));
    if placed && !matches!(act, Act::Settle { .. }) {
        seen.push(Expectation::Pending(pending(observation)));
    }
    seen.push(Expectation::Effects(observation.seen.outward.clone()));
    seen
}

/// Returns the outcome of a list of options, if there was one.
fn chosen(observation: &Observation<'_>) -> impl Iterator<Item = Expectation> {
    let selected = observation.selected().map(|(id, _)| Expectation::Selected(Some(id)));
    let ids = |shown: Vec<(String, String)>| shown.into_iter().map(|(id, _)| id).collect();
    let clarified = observation.clarified().map(|shown| Expectation::Clarify(Some(ids(shown))));
    let provenance = observation.provenance().map(|provenance| Expectation::Provenance(Some(provenance)));
    [selected, clarified, provenance].into_iter().flatten()
}

fn card(observation: &Observation<'_>) -> Option<CardExpect> {
    let touched = observation.transcript.touched(observation.lane, observation.seen);
    let card = &observation.transcript.rendering(touched.last()?)?.card;
    let pressable = card.buttons.iter().filter(|button| button.blocked.is_none());
    Some(CardExpect {
        step: Some(step_name(card)),
        version: Some(card.version),
        buttons: Some(pressable.map(|button| button.action.as_str().to_string()).collect()),
        title: None,
        state: observation.after.records.get::<Card>(&card.id).map(|card| state_name(card).to_string()),
        items: None,
    })
}

/// Returns the first lines of texts: the rest is free to change.
fn first_lines<'a>(texts: impl Iterator<Item = &'a String>) -> Option<Vec<String>> {
    let lines: Vec<String> = texts.filter_map(|text| text.lines().next().map(str::to_string)).collect();
    (!lines.is_empty()).then_some(lines)
}

fn pending(observation: &Observation<'_>) -> PendingExpect {
    let open = observation.after.head.pendings.iter();
    let fits: Vec<PendingFit> = open
        .map(|pending| PendingFit {
            kind: Some(pending.kind.as_str().into()),
            expected: pending.expected.as_ref().map(ToString::to_string),
            value: None,
        })
        .collect();
    if fits.is_empty() { PendingExpect::None } else { PendingExpect::All(fits) }
}

/// Returns the scenario's text with `expect:` added to every played turn that had none. Other lines stay as they are,
/// comments included; a turn written in braces makes the whole file be written anew.
#[must_use]
pub fn update(text: &str, scenario: &Scenario, report: &Report) -> String {
    let silent = |n: &usize| scenario.turns[*n].expect.is_none() && !report.observed[*n].is_empty();
    let turns: Vec<usize> = (0..scenario.turns.len()).filter(silent).collect();
    let lines: Vec<&str> = text.lines().collect();
    let in_block = |n: &usize| {
        let line = scenario.turns[*n].line.checked_sub(1).and_then(|at| lines.get(at));
        line.is_some_and(|line| {
            line.trim_start().strip_prefix("- ").is_some_and(|rest| !rest.trim_start().starts_with('{'))
        })
    };
    if !turns.iter().all(in_block) {
        return rewritten(scenario, report, &turns);
    }
    let mut out: Vec<String> = lines.iter().map(ToString::to_string).collect();
    for n in turns.into_iter().rev() {
        let at = scenario.turns[n].line - 1;
        let dash = lines[at].len() - lines[at].trim_start().len();
        let mut expect = String::new();
        yaml::line(&mut expect, dash + 2, "expect", &emit::expectations(&report.observed[n]));
        out.splice(end(&lines, at, dash)..end(&lines, at, dash), expect.lines().map(str::to_string));
    }
    let out = out.join("\n") + "\n";
    let same = crate::parse(&scenario.file, &out).is_ok_and(|read| read.turns.len() == scenario.turns.len());
    if same {
        out
    } else {
        rewritten(scenario, report, &(0..scenario.turns.len()).filter(silent).collect::<Vec<_>>())
    }
}

/// Returns the line after a list item's last: blank lines and comments that follow belong to the next item.
fn end(lines: &[&str], at: usize, dash: usize) -> usize {
    let belongs = |line: &str| {
        let indent = line.len() - line.trim_start().len();
        !line.trim().is_empty() && indent > dash && !line.trim_start().starts_with('#')
    };
    let mut end = at + 1;
    for (n, line) in lines.iter().enumerate().skip(at + 1) {
        if belongs(line) {
            end = n + 1;
        } else if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            break;
        }
    }
    end
}

fn rewritten(scenario: &Scenario, report: &Report, turns: &[usize]) -> String {
    let mut scenario = scenario.clone();
    for &n in turns {
        scenario.turns[n].expect = Some(report.observed[n].clone());
    }
    emit::write(&scenario)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn updated(text: &str) -> String {
        let scenario = crate::parse("t", text).unwrap();
        let mut report = Report::new(&scenario, None);
        for seen in &mut report.observed {
            seen.push(Expectation::Effects(BTreeMap::new()));
        }
        let out = update(text, &scenario, &report);
        let again = crate::parse("t", &out).unwrap();
        assert!(again.turns.iter().all(|turn| turn.expect.is_some()), "{out}");
        out
    }

    #[test]
    fn update_fills_empty_turns_and_keeps_comments() {
        let text = "scenario: s # name\nturns:\n  # first\n  - ana: hi\n\n  # second\n  - ana:\n      says: two\n      lane: t2\n  - ana: 3\n    \
                    expect: { intent: meta }\n  - advance: 1s\nalways: [one_writer_per_lane]\n";
        let expected = "scenario: s # name\nturns:\n  # first\n  - ana: hi\n    expect: { effects: none }\n\n  # second\n  - ana:\n      \
                        says: two\n      lane: t2\n    expect: { effects: none }\n  - ana: 3\n    expect: { intent: meta }\n  - \
                        advance: 1s\n    expect: { effects: none }\nalways: [one_writer_per_lane]\n";
        assert_eq!(updated(text), expected);
    }

    #[test]
    fn a_turn_in_braces_is_rewritten() {
        let out = updated("scenario: s\nturns:\n  - { ana: hi }\n");
        assert_eq!(out, "scenario: s\nturns:\n  - ana: hi\n    expect: { effects: none }\n");
    }
}
