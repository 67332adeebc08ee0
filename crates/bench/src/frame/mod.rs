//! The frame of every figure: the scale, the order of the rounds, the report.

mod fit;
mod processor;
mod spread;
mod table;

pub(crate) use fit::Fit;
pub(crate) use processor::{Timing, spent_by_all, time};
pub(crate) use spread::{Spread, number};
pub(crate) use table::{Goal, Section, Table};

/// The scale of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    /// The smallest run, for tests.
    Smoke,
    /// A minute or two for everything, for plausibility.
    Quick,
    /// The full run, whose figures are quoted.
    Full,
}

impl Scale {
    pub(crate) fn pick<T>(self, smoke: T, quick: T, full: T) -> T {
        match self {
            Self::Smoke => smoke,
            Self::Quick => quick,
            Self::Full => full,
        }
    }

    /// Returns the rounds of each case; the quoted figure is their median.
    pub(crate) fn rounds(self) -> usize {
        self.pick(1, 3, 5)
    }
}

/// Runs every case in each round and returns the rounds of each case. Each round begins with the next case, so that a
/// disturbance of the machine affects all of them.
pub(crate) fn interleaved<C, R>(
    what: &str,
    rounds: usize,
    cases: &mut [C],
    mut run: impl FnMut(&mut C) -> anyhow::Result<R>,
) -> anyhow::Result<Vec<Vec<R>>> {
    let count = cases.len();
    let mut results: Vec<Vec<R>> = cases.iter().map(|_| Vec::with_capacity(rounds)).collect();
    for round in 0..rounds {
        note(&format!("{what}: round {} of {rounds}", round + 1));
        for n in 0..count {
            let case = (round + n) % count;
            results[case].push(run(&mut cases[case])?);
        }
    }
    Ok(results)
}

/// Returns one figure over another, round by round.
pub(crate) fn ratios(ours: &[f64], limit: &[f64]) -> Spread {
    ours.iter().zip(limit).map(|(ours, limit)| ours / limit).collect()
}

/// Returns an executor like the production host's, with as many threads as the machine of these figures has cores.
pub(crate) fn executor() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?)
}

/// Runs work on an executor of its own.
pub(crate) fn block_on<F: Future>(work: F) -> anyhow::Result<F::Output> {
    Ok(executor()?.block_on(work))
}

/// Prints progress to standard error; standard output is for the result.
#[expect(clippy::print_stderr, reason = "progress goes to standard error")]
pub(crate) fn note(text: &str) {
    eprintln!("    {text}");
}

/// Mixes the bits of a counter: keys and salts as spread as random ones, and alike in every run.
pub(crate) fn mixed(n: u64) -> u64 {
    let n = n.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_runs_in_every_round_and_begins_one() {
        let mut order = Vec::new();
        let mut cases = ["a", "b", "c"];
        let results = interleaved("test", 3, &mut cases, |case| {
            order.push(*case);
            Ok(case.len())
        });
        assert_eq!(order.concat(), "abcbcacab");
        assert_eq!(results.unwrap(), [[1, 1, 1], [1, 1, 1], [1, 1, 1]]);
    }
}
