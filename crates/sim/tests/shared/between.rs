//! A driver that stands between a scenario and the world. It hands everything on; what it is about changes what is
//! delivered, or looks at what was seen.

use throughline_engine::data::fact::{Fact, FactKey};
use throughline_engine::data::step_input::Paused;
use throughline_engine::{Lane, Millis, Record, Timestamp};
use throughline_sim::SimDriver;
use throughline_testkit::driver::{Checker, Delivery, Settling};
use throughline_testkit::model::{EraseTarget, Restart};
use throughline_testkit::{Driver, DriverError, TurnSeen, World};

/// The part of a test that stands between.
pub(crate) trait Between {
    /// Changes the world before it begins.
    fn begins(&mut self, world: World) -> World {
        world
    }

    /// Acts on the world before a delivery and before time moves.
    fn before(&mut self, _: &mut SimDriver) -> Result<TurnSeen, DriverError> {
        Ok(TurnSeen::default())
    }

    /// Changes what is delivered.
    fn carries(&mut self, _: &mut SimDriver, batch: &[Delivery]) -> Result<Vec<Delivery>, DriverError> {
        Ok(batch.to_vec())
    }

    /// Looks at what was seen after a call, and at what it delivered, if it delivered anything.
    fn sees(&mut self, _: &mut SimDriver, _: &[Delivery], seen: TurnSeen) -> Result<TurnSeen, DriverError> {
        Ok(seen)
    }
}

/// A world with something between it and the scenario.
#[derive(Default)]
pub(crate) struct Through<T> {
    pub(crate) sim: SimDriver,
    pub(crate) between: T,
}

impl<T: Between> Through<T> {
    /// Puts something between a scenario and a world.
    pub(crate) fn new(sim: SimDriver, between: T) -> Self {
        Self { sim, between }
    }

    fn seen(
        &mut self,
        batch: &[Delivery],
        seen: Result<TurnSeen, DriverError>,
    ) -> Result<TurnSeen, DriverError> {
        self.between.sees(&mut self.sim, batch, seen?)
    }
}

impl<T: Between> Driver for Through<T> {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        let world = self.between.begins(world.clone());
        self.sim.begin(&world)
    }

    fn now(&self) -> Timestamp {
        self.sim.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        let mut seen = self.between.before(&mut self.sim)?;
        let carried = self.between.carries(&mut self.sim, batch)?;
        seen.merge(self.sim.deliver(&carried)?);
        self.seen(batch, Ok(seen))
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        let mut seen = self.between.before(&mut self.sim)?;
        seen.merge(self.sim.advance(by)?);
        self.seen(&[], Ok(seen))
    }

    fn restart(&mut self, how: Restart) -> Result<TurnSeen, DriverError> {
        let seen = self.sim.restart(how);
        self.seen(&[], seen)
    }

    fn settle_effect(&mut self, settling: &Settling) -> Result<TurnSeen, DriverError> {
        let seen = self.sim.settle_effect(settling);
        self.seen(&[], seen)
    }

    fn pause(&mut self, switch: Option<Paused>) -> Result<TurnSeen, DriverError> {
        let seen = self.sim.pause(switch);
        self.seen(&[], seen)
    }

    fn erase(&mut self, what: &EraseTarget) -> Result<TurnSeen, DriverError> {
        let seen = self.sim.erase(what);
        self.seen(&[], seen)
    }

    fn amend(&mut self, lane: &str, records: Vec<Record>) -> Result<(), DriverError> {
        self.sim.amend(lane, records)
    }

    fn lane(&mut self, name: &str) -> Result<Lane, DriverError> {
        self.sim.lane(name)
    }

    fn facts(&mut self, name: &str) -> Result<Vec<(FactKey, Fact)>, DriverError> {
        self.sim.facts(name)
    }

    fn fail_points(&self) -> &[&'static str] {
        self.sim.fail_points()
    }

    fn arm(&mut self, fail_point: &str) -> Result<(), DriverError> {
        self.sim.arm(fail_point)
    }

    fn arm_harmless(&mut self, fail_point: &str) -> Result<(), DriverError> {
        self.sim.arm_harmless(fail_point)
    }

    fn check(&mut self, checker: Checker) -> Result<(), String> {
        self.sim.check(checker)
    }
}
