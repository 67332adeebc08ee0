//! Every scenario of the engine, over the production runtime: as it is, and again under faults.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_engine::given::Paused;
use throughline_engine::{Lane, Millis, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery, Settling};
use throughline_testkit::model::Restart;
use throughline_testkit::{
    Driver, DriverError, Scenario, TurnSeen, World, parse, report, run, run_with_faults,
};

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

/// A world whose host is restarted before every delivery and every step of time.
struct Restarting(SimDriver, Restart);

impl Driver for Restarting {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.0.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        let mut seen = self.0.restart(self.1)?;
        seen.merge(self.0.deliver(batch)?);
        Ok(seen)
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        let mut seen = self.0.restart(self.1)?;
        seen.merge(self.0.advance(by)?);
        Ok(seen)
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        self.0.restart(how)
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        self.0.settle_effect(settling)
    }

    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError> {
        self.0.pause(switch)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.0.lane(name)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.0.check(checker)
    }
}

/// `T14`, `R-16`: a restart between any two turns, clean or killed, changes nothing.
#[test]
fn t14_a_restart_between_any_two_turns_changes_nothing() {
    for how in [Restart::Clean, Restart::Kill] {
        let reports: Vec<_> =
            files().iter().map(|path| run(&read(path), &mut Restarting(SimDriver::new(), how))).collect();
        judge(&reports);
    }
}
