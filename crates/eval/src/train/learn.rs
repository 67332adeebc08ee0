//! Learning of weights: a linear model for each head, by gradient descent in one thread and a fixed order.
//!
//! Only additions, multiplications, divisions and square roots of `f64` are done, whose results IEEE 754 fixes, so the
//! weights are the same to the byte on every machine.

use throughline_language::judge::{HEADS, Head, PLACES};

/// Times that all examples are gone through.
const ROUNDS: usize = 4;
/// Size of a step.
const STEP: f64 = 0.02;
/// Part of a step that the bias takes.
const BIAS: f64 = 0.1;
/// Seed of the order of examples.
const SEED: u64 = 1;

/// A message to learn from.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// The places of its features.
    pub(super) places: Vec<usize>,
    /// For each head, whether it is so; `None` where the label does not say.
    pub(super) labels: [Option<bool>; HEADS],
    /// The weight of the example.
    pub(super) weight: f64,
}

/// Weights of one head.
#[derive(Clone, Debug)]
pub(super) struct Learned {
    /// The weight of each place.
    pub(super) weights: Vec<f64>,
    /// The weight of no feature.
    pub(super) bias: f64,
}

/// Learns the weights of a head: steps against the slope of the loss, each divided by the root of the slopes that its place
/// has seen (AdaGrad).
pub(super) fn learn(examples: &[Example], head: Head) -> Learned {
    let mut learned = Learned { weights: vec![0.0; PLACES], bias: 0.0 };
    let mut seen = vec![1e-3_f64; PLACES];
    let labelled = examples.iter().filter_map(|one| Some((one, one.labels[head as usize]?)));
    let mut order: Vec<(&Example, bool)> = labelled.collect();
    let mut random = SEED;
    for _ in 0..ROUNDS {
        shuffle(&mut order, &mut random);
        for (example, label) in &order {
            let sum: f64 = example.places.iter().map(|&place| learned.weights[place]).sum();
            let sign = if *label { 1.0 } else { -1.0 };
            let gradient = -sign * slope(sign * (sum + learned.bias)) * example.weight;
            if gradient == 0.0 {
                continue;
            }
            learned.bias -= STEP * BIAS * gradient;
            for &place in &example.places {
                seen[place] += gradient * gradient;
                learned.weights[place] -= STEP * gradient / seen[place].sqrt();
            }
        }
    }
    learned
}

/// The slope of the modified Huber loss at a margin: squared near the border, linear far on the wrong side.
fn slope(margin: f64) -> f64 {
    match margin {
        _ if margin >= 1.0 => 0.0,
        _ if margin > -1.0 => 2.0 * (1.0 - margin),
        _ => 4.0,
    }
}

/// Shuffles by a linear congruential generator, with Knuth's constants of MMIX.
fn shuffle<T>(order: &mut [T], random: &mut u64) {
    for last in (1..order.len()).rev() {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = (*random >> 33) as usize % (last + 1);
        order.swap(last, other);
    }
}
