//! Scenarios of conversations and workflows through Slack. Every message, edit, press, choice and form is made by a person
//! at the fake and read by the real reader; every message, notice and card of the lane goes out by the real channel, over
//! HTTP, at Slack's pace. The scenario's expectations must hold, and Slack must have refused nothing.

#[path = "../shared/between.rs"]
mod between;
mod desk;
mod kills;
mod through;
#[path = "../shared/workflows.rs"]
mod workflows;

use std::fs;
use std::path::Path;

use throughline_testkit::{Scenario, parse, report, run, scenario_files};

use through::ThroughSlack;
use workflows::{row_of, rows};

/// Scenarios that Slack cannot show, and why.
const NOT_SHOWN: [(&str, &str); 2] = [
    ("lost-post-answer-is-asked-about", "the outcome of its post is scripted"),
    ("sources-are-linked-and-can-be-cleared", "it names addresses of messages of the virtual channel"),
];

/// Every scenario of the engine that Slack can show.
fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let mut found = Vec::new();
    for path in scenario_files(&folder).unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if NOT_SHOWN.iter().all(|(other, _)| !name.starts_with(other)) {
            found.push(parse(&name, &fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{e}")));
        }
    }
    found
}

/// Plays scenarios; each must hold. Returns the number of acts of people.
fn play(scenarios: impl IntoIterator<Item = Scenario>) -> usize {
    let (mut failed, mut through) = (Vec::new(), 0);
    for scenario in scenarios {
        let mut driver = ThroughSlack::new();
        let report = run(&scenario, &mut driver);
        through += driver.between.through;
        if !report.passed() {
            failed.push(report);
        }
    }
    assert!(failed.is_empty(), "{}", report::human(&failed));
    through
}

#[test]
fn the_workflow_rows_hold_through_slack() {
    let through = play(rows());
    assert!(through > 100, "{through} acts of people");
}

#[test]
fn every_other_scenario_holds_through_slack() {
    let through = play(scenarios().into_iter().filter(|scenario| row_of(scenario).is_none()));
    assert!(through > 900, "{through} acts of people");
}
