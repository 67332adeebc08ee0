//! B4: the step alone, without a store: time, allocations, and how it grows.

use std::hint::black_box;

use throughline_engine::{Event, Lane, LaneKey, Policy, Reason, StepInput, step};
use throughline_language::Expected;

use super::{b4_hostile, b4_recognisers};
use crate::count;
use crate::frame::{Fit, Goal, Scale, Section, Spread, Table, Timing, interleaved, number, time};
use crate::load::messages::{GATE, LONG, REPLY, asked, posted, shown};

/// One step that can be repeated, because it never changes the lane.
pub(crate) struct Case {
    pub(crate) name: String,
    lane: Lane,
    event: Event,
    given: StepInput,
    policy: Policy,
    /// The number of steps that are counted together.
    pub(crate) steps: u64,
}

impl Case {
    /// Returns that message in a lane with `past` messages before it, each of which ended at the gate.
    pub(super) fn new(name: impl Into<String>, messages: usize, text: &str) -> Self {
        let policy = Policy::default();
        let mut given = StepInput::default();
        given.addressing.direct = true;
        let mut lane = Lane::new(LaneKey::new("bench", "app", "web", "session", ""));
        for n in 0..messages {
            let id = format!("bench:{n}");
            let done = step(&lane, &posted(&id, n as i64, GATE), &given, &policy);
            lane.apply(done.next, &done.changes);
        }
        let event = posted("bench:now", 1_000, text);
        Self { name: name.into(), lane, event, given, policy, steps: count::STEPS }
    }

    /// Returns that message, counted in one step because it is long.
    pub(super) fn once(self) -> Self {
        Self { steps: 1, ..self }
    }

    /// Returns that message in such a lane after so many like this.
    pub(super) fn said(mut self, messages: usize, text: &str) -> Self {
        for n in 0..messages {
            let done = step(
                &self.lane,
                &posted(&format!("bench:said:{n}"), n as i64, text),
                &self.given,
                &self.policy,
            );
            self.lane.apply(done.next, &done.changes);
        }
        self
    }

    /// Returns that message in such a lane after the host asked for a value of this type.
    pub(super) fn asking(mut self, expected: &str) -> Self {
        let question = asked("bench:asked", 999, expected.parse().unwrap_or(Expected::Text));
        let done = step(&self.lane, &question, &self.given, &self.policy);
        self.lane.apply(done.next, &done.changes);
        self
    }

    /// Returns that message in such a lane after the host asked a yes-or-no question.
    fn asked(self) -> Self {
        self.asking("boolean")
    }

    /// Returns that message in such a lane with a list of `options` on the screen.
    pub(super) fn listed(mut self, options: usize) -> Self {
        self.policy.selection.enabled = true;
        let shown = shown("bench:shown", 999, options);
        let done = step(&self.lane, &shown, &self.given, &self.policy);
        self.lane.apply(done.next, &done.changes);
        self
    }

    /// Decides, and drops the decision.
    pub(crate) fn go(&self) {
        drop(black_box(step(black_box(&self.lane), black_box(&self.event), &self.given, &self.policy)));
    }
}

/// Messages in a lane whose window is full.
const FULL: usize = 32;

/// The kinds of message whose instructions are counted.
pub(crate) fn counted() -> Vec<Case> {
    cases().into_iter().chain(with_lists()).chain(b4_hostile::cases()).collect()
}

/// The kinds of message that are quoted, without a list.
fn cases() -> Vec<Case> {
    vec![
        Case::new("a typical message, through all rungs to the gate", FULL, GATE),
        Case::new("a request that a rule decides, answered with a reply", FULL, REPLY),
        Case::new("yes, to a question that waits", FULL, "yes, please").asked(),
        Case::new("200 characters that do not answer the question that waits", FULL, LONG).asked(),
    ]
}

/// Messages beside a list: one not about it, an option's name, and a text that only resembles some options.
const BESIDE: [(&str, &str, Reason); 3] = [
    ("a typical message, through all rungs to the gate", GATE, Reason::GateOpened),
    ("an option by its name", "open the travel plan 3 pls", Reason::OptionLabel),
    ("what resembles several", "open the quarterly links pls", Reason::OptionManyMatch),
];

/// Returns the cases with an active list of 5, 20 and 50 options.
fn with_lists() -> Vec<Case> {
    let sizes = [5, 20, 50];
    let with = |options: usize| {
        BESIDE.map(|(name, text, _)| {
            Case::new(format!("{name}; {options} options"), FULL, text).listed(options)
        })
    };
    sizes.into_iter().flat_map(with).collect()
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let steps = scale.pick(4, 1_000, 10_000);
    let mut section = Section::new("B4", "engine step");
    section.say(format!(
        "No store; {} rounds interleaved, {} steps each in a lane of {FULL} messages; microseconds of the \
         processor, because others work on the machine too; medians of the rounds with their spread. The program counts \
         allocations, which costs the step about a nanosecond each.",
        scale.rounds(),
        number(steps as f64, 0)
    ));
    let (own, listed) = (cases(), with_lists());
    let mut timed: Vec<&Case> = own.iter().chain(&listed).collect();
    let results = interleaved("B4", scale.rounds(), &mut timed, |case| {
        let allocations = allocation_counter::measure(|| case.go());
        Ok((time(steps, &|| case.go()), allocations))
    })?;
    let mut table = Table::new(&["step", "p50", "p99", "mean", "allocations", "bytes allocated", "goal"]);
    for (n, (case, rounds)) in timed.iter().zip(&results).enumerate() {
        let of = |get: fn(&Timing) -> f64| rounds.iter().map(|(timing, _)| get(timing)).collect::<Spread>();
        let (p50, p99) = (of(|timing| timing.p50), of(|timing| timing.p99));
        let counted = rounds[0].1;
        let goals = [
            format!("p50 {}", Goal::AtMost(15.0).judge(p50.median(), 0, " µs")),
            format!("p99 {}", Goal::AtMost(80.0).judge(p99.median(), 0, " µs")),
            format!("allocations {}", Goal::AtMost(150.0).judge(counted.count_total as f64, 0, "")),
        ];
        table.row([
            case.name.clone(),
            format!("{p50:.1}"),
            format!("{p99:.1}"),
            format!("{:.1}", of(|timing| timing.mean)),
            counted.count_total.to_string(),
            number(counted.bytes_total as f64, 0),
            if n == 0 || n >= own.len() { goals.join(" · ") } else { String::new() },
        ]);
    }
    section.table(&table);
    b4_recognisers::add(scale, &mut section)?;
    section.say(curve(
        scale,
        "messages in the lane",
        &[0, 8, 16, 32, 64].map(|n| (n as f64, Case::new("", n, GATE))),
        steps / 2,
    )?);
    let lengths = [50, 200, 800, 3_200].map(|n| {
        let text: String =
            GATE.chars().chain(" And one thing more about that.".chars().cycle()).take(n).collect();
        (n as f64, Case::new("", FULL, &text))
    });
    section.say(curve(scale, "characters in the message", &lengths, steps / 8)?);
    Ok(section)
}

/// Adds the growth of the step with one quantity, as a table and the line through it.
fn curve(scale: Scale, what: &str, points: &[(f64, Case)], steps: usize) -> anyhow::Result<String> {
    let mut cases: Vec<_> = points.iter().collect();
    let results = interleaved(&format!("B4, {what}"), scale.rounds(), &mut cases, |(_, case)| {
        Ok(time(steps.max(1), &|| case.go()).p50)
    })?;
    let mut table = Table::new(&[what, "p50 µs"]);
    let mut line = Vec::new();
    for ((x, _), rounds) in points.iter().zip(results) {
        let took: Spread = rounds.into_iter().collect();
        line.push((*x, took.median()));
        table.row([number(*x, 0), format!("{took:.1}")]);
    }
    let fit = Fit::of(&line);
    let last = &line[line.len().saturating_sub(3)..];
    Ok(format!(
        "{table}\nFitted: {:.1} µs and {:.1} ns for each of the {what}. Over the last three points it grows with the power \
         {:.2} of them: 1 is in proportion.",
        fit.at,
        fit.slope * 1e3,
        Fit::power(last)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each timed message leads to the decision that its row names.
    #[test]
    fn each_row_is_about_what_it_says() {
        for (case, (name, _, reason)) in with_lists().iter().zip(BESIDE.iter().cycle()) {
            let done = step(&case.lane, &case.event, &case.given, &case.policy);
            assert_eq!(done.decision.reason, *reason, "{name}: {}", case.name);
        }
    }
}
