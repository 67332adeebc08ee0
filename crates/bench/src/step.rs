//! The step alone: no store, no runtime.

use std::hint::black_box;
use std::time::Instant;

use throughline_engine::event::Posted;
use throughline_engine::{Event, EventKind, Given, Lane, LaneKey, Policy, Timestamp, step};

use crate::spread::quantile;

/// Microseconds of one step.
pub(crate) struct Timing {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

fn message(n: usize, text: &str) -> Event {
    Event {
        id: format!("bench:{n}"),
        received_at: Timestamp(n as i64),
        actor: "ana".into(),
        kind: EventKind::MessagePosted(Posted { text: text.into(), ..Posted::default() }),
    }
}

/// Steps an ambiguous message that no rung above the gate takes, in a lane with so many messages.
pub(crate) fn run(messages: usize, steps: usize) -> Timing {
    let policy = Policy::default();
    let mut given = Given::default();
    given.addressing.direct = true;
    let mut lane = Lane::new(LaneKey::new("bench", "app", "web", "session", ""));
    for n in 0..messages.div_ceil(2) {
        let done = step(
            &lane,
            &message(n, "What do you think about microservices for the billing team?"),
            &given,
            &policy,
        );
        lane.apply(done.next, &done.changes);
    }
    let event =
        message(1_000, "The rollout moved to next quarter, and the team would like to know what that means.");
    let mut times = Vec::with_capacity(steps);
    for _ in 0..steps {
        let begun = Instant::now();
        let _ = black_box(step(black_box(&lane), black_box(&event), &given, &policy));
        times.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    let mean = times.iter().sum::<f64>() / steps as f64;
    times.sort_by(f64::total_cmp);
    Timing { mean, p50: quantile(&times, 0.5), p99: quantile(&times, 0.99) }
}
