//! Steps for an instruction counter, without clock or threads, so that every run is alike.

use anyhow::Context;

use crate::figures::b4_step::{Case, counted};

/// The number of counted steps of a case that is short.
pub(crate) const STEPS: u64 = 200;

/// Prints the list of cases, one line each: number, steps, name.
pub(crate) fn list() {
    for (n, case) in counted().iter().enumerate() {
        crate::print(&format!("{n}\t{}\t{}", case.steps, case.name));
    }
}

/// Runs one case. `cargo xtask bench count` makes the counter look at [`counted_steps`] alone.
pub(crate) fn run(which: usize) -> anyhow::Result<()> {
    let cases = counted();
    let case = cases.get(which).with_context(|| format!("there are {} to count", cases.len()))?;
    // One step before, so that lazily made values are not counted.
    case.go();
    counted_steps(case);
    Ok(())
}

#[inline(never)]
fn counted_steps(case: &Case) {
    for _ in 0..case.steps {
        case.go();
    }
}
