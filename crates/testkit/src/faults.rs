//! Fault injection for `--faults`: a kill, a duplicate or a late delivery at every turn, drawn from a seed.
//!
//! No fault changes the meaning of a scenario: a delivery is repeated only while intake still knows its key, turns are
//! swapped only between lanes that share nothing, and nothing is killed right after an advance, because a restart takes
//! time and the next turn may depend on the millisecond. A kill on the way of an effect that nobody repeats would leave its
//! outcome unknown, which is a correct end but another one; the driver spares these ([`Driver::arm_harmless`]).
//!
//! [`Driver::arm_harmless`]: crate::Driver::arm_harmless

use throughline_engine::{Millis, Timestamp};

use crate::model::{Act, Restart, Scenario, Turn};

/// Intake keeps delivery keys for 48 h (`docs/design/0029-durable-intake.md`); an hour less leaves room for the time
/// faults take.
const KEYS_KNOWN: Millis = 47 * Timestamp::HOUR;

/// The fail points between marking an attempt and recording its outcome. A kill there makes the effect repeat its
/// request, or leaves its outcome unknown.
const ON_THE_WAY: [&str; 4] =
    ["s9.attempt_marked", "s10.bytes_on_wire", "s11.vendor_applied", "s12.reply_read"];

/// Returns true if a model is asked to choose an option: it is asked once, for less time than a restart takes, so a
/// kill would time it out.
fn asks_once(scenario: &Scenario) -> bool {
    scenario.script.iter().any(|answer| answer.purpose == "select")
}

/// The faults of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The seed it was drawn from.
    pub seed: u64,
    /// The order the turns are played in.
    pub order: Vec<usize>,
    /// The faults of each turn, by its index in the scenario.
    pub turns: Vec<TurnFaults>,
}

/// The faults of one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnFaults {
    /// A restart before it.
    pub before: Option<Restart>,
    /// A fail point at which the host is killed during it.
    pub kill: Option<String>,
    /// True if its delivery comes twice.
    pub duplicate: bool,
    /// The index of an earlier turn whose delivery comes again before it.
    pub late: Option<usize>,
    /// A restart after it.
    pub after: Option<Restart>,
}

impl Plan {
    /// Draws a plan. `fail_points` are those the driver can be killed at.
    #[must_use]
    pub fn new(scenario: &Scenario, seed: u64, fail_points: &[&str]) -> Self {
        let mut dice = SplitMix64::new(seed);
        let mut faults = Vec::new();
        let once = asks_once(scenario);
        let tells = scripted(scenario) || once;
        let told =
            |point: &&str| tells && ON_THE_WAY.contains(point) || once && *point == "s6.model_in_flight";
        let fail_points: Vec<&str> = fail_points.iter().copied().filter(|point| !told(point)).collect();
        for (n, turn) in scenario.turns.iter().enumerate() {
            faults.push(draw(scenario, n, turn, &fail_points, &mut dice));
        }
        Self { seed, order: order(scenario, &mut dice), turns: faults }
    }

    /// Describes the faults of a turn.
    #[must_use]
    pub fn describe(&self, turn: usize) -> String {
        let Some(faults) = self.turns.get(turn) else { return String::new() };
        let mut words = Vec::new();
        let at = self.order.iter().position(|played| *played == turn);
        if at != Some(turn) {
            words.push("another lane's turn came first".to_string());
        }
        words.extend(faults.before.map(|how| format!("{} before it", restart_name(how))));
        words.extend(faults.late.map(|n| format!("turn {} delivered again before it", n + 1)));
        words.extend(faults.kill.as_ref().map(|point| format!("killed at {point}")));
        words.extend(faults.duplicate.then(|| "delivered twice".to_string()));
        words.extend(faults.after.map(|how| format!("{} after it", restart_name(how))));
        words.join(", ")
    }
}

fn restart_name(how: Restart) -> &'static str {
    match how {
        Restart::Clean => "restarted",
        Restart::Kill => "killed",
    }
}

fn draw(
    scenario: &Scenario,
    n: usize,
    turn: &Turn,
    fail_points: &[&str],
    dice: &mut SplitMix64,
) -> TurnFaults {
    let mut faults = TurnFaults::default();
    let delivered = delivers(&turn.act);
    let tight = n > 0 && matches!(scenario.turns[n - 1].act, Act::Advance(_));
    if !tight {
        match dice.below(if delivered && !fail_points.is_empty() { 4 } else { 2 }) {
            0 => faults.before = Some(Restart::Kill),
            // A restart right before an advance costs no time, because the advance makes up for it; one after it
            // would.
            1 if !matches!(turn.act, Act::Advance(_)) => faults.after = Some(Restart::Kill),
            1 => faults.before = Some(Restart::Clean),
            _ => faults.kill = Some(fail_points[dice.below(fail_points.len())].into()),
        }
    }
    if delivered {
        faults.duplicate = tight || dice.below(2) == 0;
        let known: Vec<usize> = (0..n)
            .filter(|&m| delivers(&scenario.turns[m].act) && passed(scenario, m, n) <= KEYS_KNOWN)
            .collect();
        if !known.is_empty() && dice.below(2) == 0 {
            faults.late = Some(known[dice.below(known.len())]);
        }
    }
    faults
}

/// Returns true if the tracker answers by a script: a repeated request would use up the entry of the next.
fn scripted(scenario: &Scenario) -> bool {
    let tracker = &scenario.given.tracker;
    tracker.fail.len() > 1 || (tracker.idempotent && !tracker.fail.is_empty())
}

/// Returns true if the act is a delivery that can be repeated.
fn delivers(act: &Act) -> bool {
    matches!(
        act,
        Act::Message(_)
            | Act::Press(_)
            | Act::Command { .. }
            | Act::Form { .. }
            | Act::HostPost(_)
            | Act::RequestApproval(_)
            | Act::TaskReport(_)
            | Act::StateFact(_)
            | Act::ShowList(_)
            | Act::CloseList(_)
            | Act::ChangeFocus(_)
            | Act::PressOption(_)
            | Act::Notify { .. }
    )
}

/// Returns the time the scenario advances between two turns.
fn passed(scenario: &Scenario, from: usize, to: usize) -> Millis {
    let moves =
        scenario.turns[from..to].iter().map(|turn| if let Act::Advance(span) = turn.act { span } else { 0 });
    moves.fold(0, Millis::saturating_add)
}

/// Draws an order. Neighbours swap where that cannot matter: two messages in two lanes, with no scripted model or
/// tracker whose answers would go to the wrong one.
fn order(scenario: &Scenario, dice: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scenario.turns.len()).collect();
    if !scenario.script.is_empty() || !scenario.given.tracker.fail.is_empty() {
        return order;
    }
    let mut n = 0;
    while n + 1 < order.len() {
        let (a, b) = (&scenario.turns[n], &scenario.turns[n + 1]);
        let apart =
            matches!((&a.act, &b.act), (Act::Message(_), Act::Message(_))) && a.act.lane() != b.act.lane();
        if apart && a.name.is_none() && dice.below(2) == 0 {
            order.swap(n, n + 1);
            n += 1;
        }
        n += 1;
    }
    order
}

/// Sebastiano Vigna's splitmix64: a small generator, the same on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Makes a generator.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns one of `0..n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of a remainder does not matter for so few draws.
        usize::try_from(self.bits() % (n.max(1) as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn the_generator_matches_the_published_values() {
        let mut dice = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([dice.bits(), dice.bits(), dice.bits()], expected);
    }

    #[test]
    fn every_turn_gets_a_legal_fault() {
        let text = "scenario: s\nturns:\n  - ana: a\n  - bob: { says: b, lane: t2 }\n  - advance: 15m\n  - ana: c\n  - advance: 60d\n  - \
                    ana: { press: approve }\n";
        let scenario = parse("t", text).unwrap();
        let mut swapped = false;
        for seed in 0..200 {
            let plan = Plan::new(&scenario, seed, &["s7.turn_committed"]);
            assert_eq!(plan, Plan::new(&scenario, seed, &["s7.turn_committed"]));
            for (n, turn) in plan.turns.iter().enumerate() {
                assert_ne!(*turn, TurnFaults::default(), "seed {seed}, turn {n}");
            }
            for tight in [3, 5] {
                let turn = &plan.turns[tight];
                assert!(turn.before.is_none() && turn.kill.is_none() && turn.duplicate, "seed {seed}");
            }
            assert_eq!(plan.turns[5].late, None, "its keys are forgotten by then");
            assert_eq!(plan.order[2..], [2, 3, 4, 5]);
            swapped |= plan.order[0] == 1;
        }
        assert!(swapped);
    }
}
