//! Steps for an instruction counter: no clock, no thread, the same in every run.

use anyhow::Context;

use crate::figures::b4_step::{Case, counted};

/// Steps that are counted.
pub(crate) const STEPS: u64 = 200;

/// Prints what can be counted, one line each: number, steps, name.
pub(crate) fn list() {
    for (n, case) in counted().iter().enumerate() {
        crate::print(&format!("{n}\t{STEPS}\t{}", case.name));
    }
}

/// Goes through one of them. `cargo xtask bench count` has the counter look at [`counted_steps`] alone.
pub(crate) fn run(which: usize) -> anyhow::Result<()> {
    let cases = counted();
    let case = cases.get(which).with_context(|| format!("there are {} to count", cases.len()))?;
    // What is made at the first use is made before.
    case.go();
    counted_steps(case);
    Ok(())
}

#[inline(never)]
fn counted_steps(case: &Case) {
    for _ in 0..STEPS {
        case.go();
    }
}
