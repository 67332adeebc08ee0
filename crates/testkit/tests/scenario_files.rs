//! The engine's scenario files: each reads, checks what must always hold, and is written back as an equal scenario.

use std::fs;
use std::path::Path;

use throughline_testkit::{Scenario, parse, scenario_files, write};

fn scenario_files_with_text() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let files: Vec<(String, String)> = scenario_files(&folder)
        .unwrap()
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&folder).unwrap().to_string_lossy().into_owned();
            (name, fs::read_to_string(path).unwrap())
        })
        .collect();
    assert!(files.len() > 40, "only {} files", files.len());
    files
}

fn without_lines(mut scenario: Scenario) -> Scenario {
    for turn in &mut scenario.turns {
        turn.line = 0;
    }
    scenario
}

#[test]
fn every_scenario_file_parses_and_writes_back() {
    for (file, text) in scenario_files_with_text() {
        let scenario = parse(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        let written = write(&scenario);
        let again = parse(&file, &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(without_lines(again), without_lines(scenario), "{written}");
    }
}

#[test]
fn every_scenario_file_expects_something() {
    for (file, text) in scenario_files_with_text() {
        let scenario = parse(&file, &text).unwrap();
        assert!(!scenario.about.is_empty() && scenario.always.len() == 3, "{file}");
        assert!(scenario.turns.iter().any(|turn| turn.expect.is_some()), "{file} expects nothing");
    }
}

#[test]
fn a_turn_knows_its_line() {
    for (file, text) in scenario_files_with_text() {
        let lines: Vec<&str> = text.lines().collect();
        for turn in parse(&file, &text).unwrap().turns {
            assert!(lines[turn.line - 1].trim_start().starts_with("- "), "{file}:{}", turn.line);
        }
    }
}
