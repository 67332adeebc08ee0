//! What goes wrong in a run with `--faults`: at every turn a kill, a duplicate or a late delivery, drawn from a seed.
//!
//! What is drawn never changes what a scenario means: a key that was delivered comes again only while intake still knows
//! it, turns change places only between lanes that share nothing, and right after time was moved nothing is killed,
//! because coming back takes time of its own and the next turn may hang on the millisecond.

use throughline_engine::{Millis, Timestamp};

use crate::model::{Act, Restart, Scenario, Turn};

/// Intake keeps delivery keys 48 h (`spec 06 §2`); an hour less leaves room for the time faults take.
const KEYS_KNOWN: Millis = 47 * Timestamp::HOUR;

/// The fail points between the mark of an attempt and its recorded outcome: who is killed there asks once more, or does
/// not know.
const ON_THE_WAY: [&str; 4] =
    ["s9.attempt_marked", "s10.bytes_on_wire", "s11.vendor_applied", "s12.reply_read"];

/// A post is never sent again by itself there, so a kill on its way would make it another story: nobody knows.
fn posts_once_only(scenario: &Scenario) -> bool {
    !scenario.given.posts.is_empty() && scenario.given.channel != "web"
}

/// Which option is meant is asked once, in less time than it takes to come back: a kill on its way is a timeout.
fn asks_once(scenario: &Scenario) -> bool {
    scenario.script.iter().any(|answer| answer.purpose == "select")
}

/// What goes wrong, turn by turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What it was drawn from.
    pub seed: u64,
    /// The order the turns are played in.
    pub order: Vec<usize>,
    /// What goes wrong at each turn, by its place in the scenario.
    pub turns: Vec<TurnFaults>,
}

/// What goes wrong at one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnFaults {
    /// The host restarts before it.
    pub before: Option<Restart>,
    /// The host is killed in it, at this fail point.
    pub kill: Option<String>,
    /// Its delivery comes twice.
    pub duplicate: bool,
    /// The delivery of this earlier turn comes once more before it.
    pub late: Option<usize>,
    /// The host restarts after it.
    pub after: Option<Restart>,
}

impl Plan {
    /// Draws a plan. `fail_points` is what the driver can be killed at.
    #[must_use]
    pub fn new(scenario: &Scenario, seed: u64, fail_points: &[&str]) -> Self {
        let mut dice = SplitMix64::new(seed);
        let mut faults = Vec::new();
        let once = asks_once(scenario);
        let tells = scripted(scenario) || posts_once_only(scenario) || once;
        let told =
            |point: &&str| tells && ON_THE_WAY.contains(point) || once && *point == "s6.model_in_flight";
        let fail_points: Vec<&str> = fail_points.iter().copied().filter(|point| !told(point)).collect();
        for (n, turn) in scenario.turns.iter().enumerate() {
            faults.push(draw(scenario, n, turn, &fail_points, &mut dice));
        }
        Self { seed, order: order(scenario, &mut dice), turns: faults }
    }

    /// What goes wrong at a turn, in words.
    #[must_use]
    pub fn told(&self, turn: usize) -> String {
        let Some(faults) = self.turns.get(turn) else { return String::new() };
        let mut words = Vec::new();
        let at = self.order.iter().position(|played| *played == turn);
        if at != Some(turn) {
            words.push("another lane's turn came first".to_string());
        }
        words.extend(faults.before.map(|how| format!("{} before it", restart_word(how))));
        words.extend(faults.late.map(|n| format!("turn {} delivered again before it", n + 1)));
        words.extend(faults.kill.as_ref().map(|point| format!("killed at {point}")));
        words.extend(faults.duplicate.then(|| "delivered twice".to_string()));
        words.extend(faults.after.map(|how| format!("{} after it", restart_word(how))));
        words.join(", ")
    }
}

fn restart_word(how: Restart) -> &'static str {
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
            // A restart right before time moves is made up for by the move; one after it would not be.
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

/// The tracker answers by a script, and a request that is made again would use up the line that is meant for the next.
fn scripted(scenario: &Scenario) -> bool {
    let tracker = &scenario.given.tracker;
    tracker.fail.len() > 1 || (tracker.idempotent && !tracker.fail.is_empty())
}

/// Its act is a delivery that can come twice.
fn delivers(act: &Act) -> bool {
    matches!(
        act,
        Act::Says(_)
            | Act::Press(_)
            | Act::Command { .. }
            | Act::Submits { .. }
            | Act::Host(_)
            | Act::Reports(_)
            | Act::States(_)
            | Act::Shows(_)
            | Act::Closes(_)
            | Act::Focuses(_)
            | Act::Chooses(_)
            | Act::Notify { .. }
    )
}

/// How much time the scenario moves between two turns.
fn passed(scenario: &Scenario, from: usize, to: usize) -> Millis {
    let moves =
        scenario.turns[from..to].iter().map(|turn| if let Act::Advance(span) = turn.act { span } else { 0 });
    moves.fold(0, Millis::saturating_add)
}

/// Neighbours change places where that means nothing: two people writing in two lanes, one after the other, with no
/// scripted far side whose answers would go to the wrong one.
fn order(scenario: &Scenario, dice: &mut SplitMix64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..scenario.turns.len()).collect();
    if !scenario.script.is_empty() || !scenario.given.tracker.fail.is_empty() {
        return order;
    }
    let mut n = 0;
    while n + 1 < order.len() {
        let (a, b) = (&scenario.turns[n], &scenario.turns[n + 1]);
        let apart = matches!((&a.act, &b.act), (Act::Says(_), Act::Says(_))) && a.act.lane() != b.act.lane();
        if apart && a.name.is_none() && dice.below(2) == 0 {
            order.swap(n, n + 1);
            n += 1;
        }
        n += 1;
    }
    order
}

/// Sebastiano Vigna's splitmix64: small, good enough to draw lots, the same on every machine.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// From a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// One of `0..n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The bias of a remainder is far below what a few lots could show.
        usize::try_from(self.bits() % (n.max(1) as u64)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn the_generator_is_the_published_one() {
        let mut dice = SplitMix64::new(1_234_567);
        let expected = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        assert_eq!([dice.bits(), dice.bits(), dice.bits()], expected);
    }

    #[test]
    fn something_goes_wrong_at_every_turn_and_only_what_is_legal() {
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
