//! Rates: how many requests of one peer or one person are taken in a second, and when the next one will be
//! (`docs/design/0049-rates.md`).

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::connections::network;

/// Seconds of its rate that somebody may use at once after a pause.
const BURST: u32 = 10;
/// Largest number of names whose use is remembered. Those that were quiet for long enough are forgotten at any time.
const NAMES: usize = 65_536;

/// Rates of an installation: of the peers that connect, and of the people in whose name requests come.
pub(crate) struct Rates {
    peers: Rate<IpAddr>,
    people: Rate<(String, String)>,
}

impl Rates {
    /// Returns rates of so many requests a second.
    pub(crate) fn new(per_peer: u32, per_person: u32) -> Self {
        Self { peers: Rate::new(per_peer), people: Rate::new(per_person) }
    }

    /// Counts a request of a peer.
    ///
    /// # Errors
    /// The time after which the next request is taken: this one is too early.
    pub(crate) fn peer(&self, peer: IpAddr) -> Result<(), Duration> {
        self.peers.take(network(peer), Instant::now())
    }

    /// Counts a request in the name of a person of a tenant.
    ///
    /// # Errors
    /// As [`Self::peer`].
    pub(crate) fn person(&self, tenant: &str, person: &str) -> Result<(), Duration> {
        self.people.take((tenant.into(), person.into()), Instant::now())
    }
}

/// Rate of requests by name, by the generic cell rate algorithm: for each name it keeps the time at which a steady
/// sender would send the next one.
struct Rate<K> {
    /// Time from one request to the next of a steady sender.
    interval: Duration,
    /// Time by which a sender may be ahead of a steady one.
    ahead: Duration,
    next: Mutex<HashMap<K, Instant>>,
}

impl<K: Hash + Eq> Rate<K> {
    fn new(per_second: u32) -> Self {
        let interval = Duration::from_secs(1) / per_second.max(1);
        Self { interval, ahead: interval * (BURST * per_second.max(1) - 1), next: Mutex::default() }
    }

    /// Takes a request of that name, or returns the time after which it would be taken.
    fn take(&self, name: K, now: Instant) -> Result<(), Duration> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        if next.len() >= NAMES && !next.contains_key(&name) {
            next.retain(|_, due| *due > now);
            if next.len() >= NAMES {
                // As many senders at once as are remembered: nobody is refused because others send.
                return Ok(());
            }
        }
        let due = next.get(&name).map_or(now, |due| (*due).max(now));
        match (due - now).checked_sub(self.ahead) {
            Some(early) if !early.is_zero() => Err(early),
            _ => {
                next.insert(name, due + self.interval);
                Ok(())
            }
        }
    }
}

/// Returns a duration as `Retry-After` has it: whole seconds, never too few.
pub(crate) fn whole_seconds(time: Duration) -> u32 {
    let seconds = time.as_secs() + u64::from(time.subsec_nanos() > 0);
    u32::try_from(seconds.max(1)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_burst_is_taken_and_then_the_rate() {
        let (rate, begin) = (Rate::new(5), Instant::now());
        let mut taken = 0;
        while rate.take("ana", begin).is_ok() {
            taken += 1;
        }
        assert_eq!(taken, 5 * BURST);
        assert_eq!(rate.take("ana", begin), Err(Duration::from_millis(200)));
        assert_eq!(rate.take("bob", begin), Ok(()), "everybody has a rate of their own");
        assert_eq!(rate.take("ana", begin + Duration::from_millis(199)), Err(Duration::from_millis(1)));
        assert_eq!(rate.take("ana", begin + Duration::from_millis(200)), Ok(()));
        assert!(rate.take("ana", begin + Duration::from_millis(200)).is_err());
    }

    #[test]
    fn names_that_are_quiet_are_forgotten() {
        let (rate, begin) = (Rate::new(1), Instant::now());
        for name in 0..NAMES {
            assert_eq!(rate.take(name, begin), Ok(()));
        }
        assert_eq!(rate.take(NAMES, begin), Ok(()), "nobody pays for others");
        assert_eq!(rate.next.lock().unwrap().len(), NAMES);
        assert_eq!(rate.take(NAMES, begin + Duration::from_secs(1)), Ok(()));
        assert_eq!(rate.next.lock().unwrap().len(), 1);
    }

    #[test]
    fn retry_after_is_never_too_early() {
        for (millis, seconds) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2), (59_999, 60)] {
            assert_eq!(whole_seconds(Duration::from_millis(millis)), seconds, "{millis} ms");
        }
    }

    proptest! {
        /// Whoever waits as long as they were told is taken, and in no time more is taken than the burst and the rate.
        #[test]
        fn the_time_that_is_told_is_true(
            per_second in 1u32..2_000,
            pauses in prop::collection::vec(0u64..3_000, 1..400),
        ) {
            let rate = Rate::new(per_second);
            let begin = Instant::now();
            let (mut now, mut taken) = (begin, 0u32);
            for pause in pauses {
                now += Duration::from_millis(pause);
                if let Err(wait) = rate.take((), now) {
                    prop_assert!(rate.take((), now + wait - Duration::from_nanos(1)).is_err());
                    now += wait;
                    prop_assert!(rate.take((), now).is_ok());
                }
                taken += 1;
                let most = f64::from(per_second) * (f64::from(BURST) + (now - begin).as_secs_f64());
                prop_assert!(f64::from(taken) <= most + 1.0);
            }
        }
    }
}
