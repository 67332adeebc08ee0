//! The shipped scenario files are scenarios: each reads, is called what its file is called when it is an acceptance
//! row, checks what must always hold, and is written back as the same scenario.

use std::fs;
use std::path::Path;

use throughline_testkit::{Scenario, parse, write};

fn shipped() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let mut files: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".scenario.yaml"))
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(&path).unwrap())
        })
        .collect();
    files.sort();
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
fn every_shipped_scenario_reads_and_writes_back() {
    for (file, text) in shipped() {
        let scenario = parse(&file, &text).unwrap_or_else(|error| panic!("{error}"));
        let written = write(&scenario);
        let again = parse(&file, &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
        assert_eq!(without_lines(again), without_lines(scenario), "{written}");
    }
}

#[test]
fn acceptance_rows_are_called_by_their_names() {
    for (file, text) in shipped() {
        let stem = file.trim_end_matches(".scenario.yaml");
        let row = stem.strip_prefix(['W', 'T', 'S', 'E']).is_some_and(|rest| rest.parse::<u32>().is_ok());
        let scenario = parse(&file, &text).unwrap();
        assert!(!row || scenario.name == stem, "{file} is called {}", scenario.name);
        assert!(!scenario.about.is_empty() && scenario.always.len() == 3, "{file}");
        assert!(scenario.turns.iter().any(|turn| turn.expect.is_some()), "{file} expects nothing");
    }
}

#[test]
fn a_turn_knows_its_line() {
    for (file, text) in shipped() {
        let lines: Vec<&str> = text.lines().collect();
        for turn in parse(&file, &text).unwrap().turns {
            assert!(lines[turn.line - 1].trim_start().starts_with("- "), "{file}:{}", turn.line);
        }
    }
}
