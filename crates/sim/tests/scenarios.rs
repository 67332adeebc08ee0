//! Every scenario of the engine over the production runtime, as written and under faults.

#[path = "shared/between.rs"]
mod between;

use std::fs;
use std::path::{Path, PathBuf};

use between::{Between, Through};
use throughline_engine::data::canonical_json;
use throughline_sim::SimDriver;
use throughline_testkit::driver::{CommittedTurn, Delivery};
use throughline_testkit::model::Restart;
use throughline_testkit::{
    Driver, DriverError, Scenario, TurnSeen, parse, report, run, run_with_faults, scenario_files,
};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios");
    let files = scenario_files(&folder).unwrap();
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

/// Restarts the host before every delivery and every step of time, if at all, and records every decision.
struct Restarting {
    how: Option<Restart>,
    decisions: Vec<String>,
}

impl Between for Restarting {
    fn before(&mut self, sim: &mut SimDriver) -> Result<TurnSeen, DriverError> {
        self.how.map_or_else(|| Ok(TurnSeen::default()), |how| sim.restart(how))
    }

    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        let told = |turn: &CommittedTurn| {
            format!("{} {} {:?}", turn.lane, turn.summary.event, turn.summary.decision)
        };
        self.decisions.extend(seen.turns.iter().map(told));
        Ok(seen)
    }
}

/// The result of a run: every decision, and the last hash of each lane.
fn outcome(scenario: &Scenario, how: Option<Restart>) -> (Vec<String>, Vec<String>) {
    let mut world = Through::new(SimDriver::new(), Restarting { how, decisions: Vec::new() });
    judge(&[run(scenario, &mut world)]);
    let lanes: Vec<&str> = scenario.given.lanes.keys().map(String::as_str).chain(["main"]).collect();
    let hashes =
        lanes.iter().map(|lane| canonical_json::hex(&world.lane(lane).unwrap().state_hash())).collect();
    (world.between.decisions, hashes)
}

/// A restart between any two turns, clean or killed, changes no decision and no hash.
#[test]
fn a_restart_between_any_two_turns_changes_nothing() {
    for path in files() {
        let scenario = read(&path);
        let plain = outcome(&scenario, None);
        for how in [Restart::Clean, Restart::Kill] {
            assert_eq!(outcome(&scenario, Some(how)), plain, "{}, {how:?}", scenario.file);
        }
    }
}
