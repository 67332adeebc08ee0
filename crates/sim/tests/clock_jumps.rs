//! A clock that jumps by up to a year, in the middle of conversations with effects and timers: once it is right again, no
//! event, effect or deadline waits longer than it would have.

use proptest::prelude::*;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::step_input::Paused;
use throughline_engine::{Millis, Timestamp};
use throughline_sim::SimDriver;
use throughline_store::EffectState;
use throughline_testkit::driver::{Checker, Delivery, Driver, DriverError, Settling, TurnSeen, World};
use throughline_testkit::model::Restart;
use throughline_testkit::{parse, run};

/// Longer than any deadline of a card.
const LONG: Millis = 45 * Timestamp::DAY;

const SCENARIO: &str = "\
scenario: s
given:
  users: { ana: { may: [approve] } }
  channel: slack
  agents: { publisher: { risk: write } }
turns:
  - ana: |-
      Create a ticket for login bug
      Steps: open /login
      Expected: the form
      Actual: a blank page
  - ana: { press: approve, card: latest }
  - advance: 10m
  - ana: \"Record the decision about sign-in: we use passkeys, because support asked for it.\"
  - ana: { press: approve, card: latest }
  - ana: \"@publisher publish the release notes\"
  - advance: 2h
  - ana: |-
      Create a ticket for logout bug
      Steps: open /logout
      Expected: a goodbye
      Actual: an error
";

/// A driver under whose calls the clock jumps.
struct Jumping {
    inner: SimDriver,
    /// The jump before each call, and whether the host restarts after it.
    jumps: Vec<(Millis, bool)>,
    calls: usize,
    /// The clock's distance from the right time.
    ahead: Millis,
}

impl Jumping {
    fn jump(&mut self) -> Result<(), DriverError> {
        let Some((to, restarts)) = self.jumps.get(self.calls).copied() else { return Ok(()) };
        self.calls += 1;
        let right = self.inner.now().plus(-self.ahead);
        self.ahead = to;
        self.inner.set_clock(right.plus(to))?;
        if restarts {
            self.inner.restart(Restart::Kill)?;
        }
        Ok(())
    }
}

impl Driver for Jumping {
    fn begin(&mut self, world: &World) -> Result<(), DriverError> {
        self.inner.begin(world)
    }

    fn now(&self) -> Timestamp {
        self.inner.now()
    }

    fn deliver(&mut self, batch: &[Delivery]) -> Result<TurnSeen, DriverError> {
        self.jump()?;
        self.inner.deliver(batch)
    }

    fn advance(&mut self, by: Millis) -> Result<TurnSeen, DriverError> {
        self.jump()?;
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

    fn check(&mut self, _: Checker) -> Result<(), String> {
        Ok(())
    }
}

/// Plays the conversation, sets the clock right and lets time pass. Returns what is left waiting.
fn left_waiting(jumps: Vec<(Millis, bool)>) -> Vec<String> {
    let mut driver = Jumping { inner: SimDriver::new(), jumps, calls: 0, ahead: 0 };
    // Cards expire early under some jumps, so what is expected of each turn is not said.
    run(&parse("s", SCENARIO).unwrap(), &mut driver);
    let right = driver.inner.now().plus(-driver.ahead);
    driver.inner.set_clock(right).unwrap();
    driver.inner.advance(LONG).unwrap();
    let store = driver.inner.store().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async {
        let mut left: Vec<String> =
            store.lanes_with_work(10).await.unwrap().iter().map(|lane| format!("events in {lane}")).collect();
        for state in [EffectState::Planned, EffectState::Attempted] {
            let open = store.effects("sim", None, Some(state), 100).await.unwrap();
            left.extend(open.iter().map(|one| format!("{} {state:?}", one.row.class.as_str())));
        }
        left.extend(store.next_due().await.unwrap().map(|due| format!("a deadline at {}", due.rfc3339())));
        left
    })
}

fn jumps() -> impl Strategy<Value = Vec<(Millis, bool)>> {
    const YEAR: Millis = 365 * Timestamp::DAY;
    let to = prop_oneof![Just(0), Just(YEAR), Just(-YEAR), -YEAR..=YEAR, -5_000..=5_000_i64];
    proptest::collection::vec((to, any::<bool>()), 0..8)
}

#[test]
fn nothing_waits_for_next_year() {
    assert_eq!(left_waiting(Vec::new()), [""; 0], "also with a clock that is right");
    let year = 365 * Timestamp::DAY;
    for at in 0..8 {
        for by in [year, -year] {
            let mut jumps = vec![(0, false); at];
            jumps.push((by, false));
            assert_eq!(left_waiting(jumps), [""; 0], "{by} ms before call {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_clock_does_everything_ends(jumps in jumps()) {
        let left = left_waiting(jumps);
        prop_assert!(left.is_empty(), "{left:?}");
    }
}
