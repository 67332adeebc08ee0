//! Processor time: the measure for work that waits for nothing, on machines where others work too.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::Spread;

/// One round of one case, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timing {
    pub(crate) mean: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// Runs a case `times` times and returns the processor time of each, less the time of reading the clock.
pub(crate) fn time(times: usize, go: &dyn Fn()) -> Timing {
    let clock = times_of(100, &|| ()).quantile(0.5);
    let took = times_of(times, go);
    let of = |took: f64| (took - clock).max(0.0);
    Timing { mean: of(took.mean()), p50: of(took.median()), p99: of(took.quantile(0.99)) }
}

fn times_of(times: usize, go: &dyn Fn()) -> Spread {
    (0..times)
        .map(|_| {
            let began = spent();
            go();
            (spent() - began).as_secs_f64() * 1e6
        })
        .collect()
}

/// Returns the processor time of this thread.
fn spent() -> Duration {
    read(ClockId::ThreadCPUTime)
}

/// Returns the processor time of all threads of this process.
pub(crate) fn spent_by_all() -> Duration {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_some_of_the_processor_and_no_work_none() {
        let none = time(3, &|| ());
        assert!(none.p50 >= 0.0 && none.p50 <= none.p99);
        let before = spent();
        let sum = (0..100_000_u64).map(std::hint::black_box).sum::<u64>();
        assert!(sum > 0 && spent() > before && spent_by_all() > Duration::ZERO);
    }
}
