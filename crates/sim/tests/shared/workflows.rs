//! The rows of whole workflows, W1 to W27: one scenario each, the same ones for every tracker and every channel.

use std::fs;
use std::path::Path;

use throughline_testkit::{Scenario, parse, scenario_files};

/// The number of rows.
const COUNT: usize = 27;

/// The row of a scenario, `W6`, if it is one of a whole workflow.
pub(crate) fn row_of(scenario: &Scenario) -> Option<&str> {
    let of_workflow =
        |row: &&String| row.strip_prefix('W').is_some_and(|number| number.parse::<usize>().is_ok());
    scenario.rows.iter().find(of_workflow).map(String::as_str)
}

/// Reads every row, in order.
pub(crate) fn rows() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let mut rows = Vec::new();
    for path in scenario_files(&folder).unwrap() {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let scenario =
            parse(&name, &fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{error}"));
        if row_of(&scenario).is_some() {
            rows.push(scenario);
        }
    }
    let number =
        |scenario: &Scenario| row_of(scenario).and_then(|row| row.get(1..)?.parse::<usize>().ok()).unwrap();
    rows.sort_by_key(number);
    let numbers: Vec<usize> = rows.iter().map(number).collect();
    assert_eq!(numbers, (1..=COUNT).collect::<Vec<_>>(), "every row is one scenario");
    rows
}
