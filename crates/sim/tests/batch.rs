//! `W18`: a batch of six, killed at every fail point, and at every time one is passed from the approval on. Whatever the
//! moment, the scenario holds: in the end there are exactly one epic and five stories, all linked.

use std::path::Path;

use throughline_engine::given::Paused;
use throughline_engine::{Lane, Millis, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery, Settling};
use throughline_testkit::model::Restart;
use throughline_testkit::{Driver, DriverError, TurnSeen, World, parse, report, run};

/// A world whose host is killed once: in this delivery, at this point, the so manieth time it is passed.
struct Killing {
    inner: SimDriver,
    delivery: usize,
    at: String,
    delivered: usize,
    killed: bool,
}

impl Driver for Killing {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.inner.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        if self.delivered == self.delivery {
            self.inner.arm(&self.at)?;
        }
        self.delivered += 1;
        let seen = self.inner.deliver(batch)?;
        self.killed |= seen.killed.is_some();
        Ok(seen)
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        self.inner.advance(by)
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        self.inner.restart(how)
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        self.inner.settle_effect(settling)
    }

    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError> {
        self.inner.pause(switch)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.inner.lane(name)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.inner.check(checker)
    }
}

#[test]
fn w18_killed_at_every_step_there_is_one_epic_with_five_stories() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/tests/scenarios/W18.scenario.yaml");
    let scenario = parse("W18", &std::fs::read_to_string(file).unwrap()).unwrap_or_else(|e| panic!("{e}"));
    let points: Vec<&str> = SimDriver::new().fail_points().to_vec();
    let mut kills = 0;
    // The message, the confirmation, the approval and everything it releases, one press more.
    for delivery in 0..4 {
        for point in &points {
            // One time more than the point is passed ends it. What asks and confirms sends nothing: once is enough.
            for time in 1..if delivery == 2 { 100 } else { 2 } {
                let at = format!("{point}#{time}");
                let mut world = Killing {
                    inner: SimDriver::new(),
                    delivery,
                    at: at.clone(),
                    delivered: 0,
                    killed: false,
                };
                let done = run(&scenario, &mut world);
                assert!(
                    done.passed(),
                    "killed at {at} in turn {}:\n{}",
                    delivery + 1,
                    report::human(&[done])
                );
                if !world.killed {
                    break;
                }
                kills += 1;
            }
        }
    }
    assert!(kills > 100, "a batch passes its fail points often: {kills}");
}
