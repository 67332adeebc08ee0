//! Every scenario of the engine over the production runtime, as written and under faults.

use std::fs;
use std::path::{Path, PathBuf};

use throughline_engine::data::canonical_json;
use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::step_input::Paused;
use throughline_engine::{Lane, Millis, Record, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, CommittedTurn, Delivery, Settling};
use throughline_testkit::model::{EraseTarget, Restart};
use throughline_testkit::{
    Driver, DriverError, Scenario, TurnSeen, World, parse, report, run, run_with_faults, scenario_files,
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

/// A world whose host is restarted before every delivery and every step of time, if at all.
struct Restarting(SimDriver, Option<Restart>);

impl Restarting {
    fn again(&mut self) -> Result<TurnSeen, DriverError> {
        self.1.map_or_else(|| Ok(TurnSeen::default()), |how| self.0.restart(how))
    }
}

/// A world that records its decisions.
struct Recording {
    inner: Restarting,
    decisions: Vec<String>,
}

impl Driver for Restarting {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.0.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        let mut seen = self.again()?;
        seen.merge(self.0.deliver(batch)?);
        Ok(seen)
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        let mut seen = self.again()?;
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

    fn amend(&mut self, lane: &str, records: Vec<Record>) -> Result<(), DriverError> {
        self.0.amend(lane, records)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.0.lane(name)
    }

    fn erase(&mut self, what: &EraseTarget) -> Result<TurnSeen, DriverError> {
        self.0.erase(what)
    }

    fn facts(&mut self, name: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        self.0.facts(name)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.0.check(checker)
    }
}

impl Recording {
    fn note(&mut self, seen: TurnSeen) -> TurnSeen {
        let told = |turn: &CommittedTurn| {
            format!("{} {} {:?}", turn.lane, turn.summary.event, turn.summary.decision)
        };
        self.decisions.extend(seen.turns.iter().map(told));
        seen
    }
}

impl Driver for Recording {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.inner.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        self.inner.deliver(batch).map(|seen| self.note(seen))
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        self.inner.advance(by).map(|seen| self.note(seen))
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        self.inner.restart(how).map(|seen| self.note(seen))
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        self.inner.settle_effect(settling).map(|seen| self.note(seen))
    }

    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError> {
        self.inner.pause(switch).map(|seen| self.note(seen))
    }

    fn amend(&mut self, lane: &str, records: Vec<Record>) -> Result<(), DriverError> {
        self.inner.amend(lane, records)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.inner.lane(name)
    }

    fn facts(&mut self, name: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        self.inner.facts(name)
    }

    fn erase(&mut self, what: &EraseTarget) -> Result<TurnSeen, DriverError> {
        self.inner.erase(what).map(|seen| self.note(seen))
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.inner.check(checker)
    }
}

/// The result of a run: every decision, and the last hash of each lane.
fn outcome(scenario: &Scenario, how: Option<Restart>) -> (Vec<String>, Vec<String>) {
    let mut seen = Recording { inner: Restarting(SimDriver::new(), how), decisions: Vec::new() };
    judge(&[run(scenario, &mut seen)]);
    let lanes: Vec<&str> = scenario.given.lanes.keys().map(String::as_str).chain(["main"]).collect();
    let hashes =
        lanes.iter().map(|lane| canonical_json::hex(&seen.lane(lane).unwrap().state_hash())).collect();
    (seen.decisions, hashes)
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
