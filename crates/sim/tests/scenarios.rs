//! Every scenario of the engine, over the production runtime: as it is, and again under faults.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_sim::SimDriver;
use throughline_testkit::{Scenario, parse, report, run, run_with_faults};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".scenario.yaml"))
        .collect();
    files.sort();
    assert!(files.len() > 20, "the scenarios are there");
    files
}

fn read(path: &Path) -> Scenario {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    parse(&name, &text).unwrap_or_else(|e| panic!("{e}"))
}

fn judge(reports: &[report::Report]) {
    let failed: Vec<_> = reports.iter().filter(|report| !report.passed()).cloned().collect();
    assert!(failed.is_empty(), "{}", report::human(&failed));
}

#[test]
fn every_scenario_holds() {
    let reports: Vec<_> = files().iter().map(|path| run(&read(path), &mut SimDriver::new())).collect();
    judge(&reports);
}

/// Kills, duplicates and late deliveries at every turn, drawn from a few seeds; `throughline test --faults=N` runs more.
#[test]
fn every_scenario_holds_under_faults() {
    for path in files() {
        judge(&run_with_faults(&read(&path), &mut SimDriver::new(), &[1, 2, 3, 4, 5, 6, 7, 8]));
    }
}
