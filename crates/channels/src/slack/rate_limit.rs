//! Slack's rate limits, as data: [`RateLimiter::admit`] lets a call through or returns the time to ask again
//! (`docs/design/0058-slack.md`).

use std::collections::HashMap;

use throughline_engine::{Millis, Timestamp};

/// The longest wait that Slack is obeyed for.
const REFUSED: Millis = Timestamp::HOUR;

/// The calls that are limited together.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// Messages to one conversation.
    Post(String),
    /// Edits of one message.
    Edit(String),
    /// A method in the whole workspace.
    Method(&'static str),
}

impl Bucket {
    /// The calls that may go out at once, and the time until one more may.
    fn rate(&self) -> (f64, f64) {
        match self {
            // One message a second, with short bursts.
            Self::Post(_) => (3.0, 1_000.0),
            // What changes faster than this nobody reads.
            Self::Edit(_) => (2.0, 1_000.0),
            // Tier 4: more than a hundred a minute.
            Self::Method("chat.postEphemeral" | "views.open" | "users.info") => (20.0, 600.0),
            // Tier 3: more than fifty a minute.
            Self::Method(_) => (20.0, 1_200.0),
        }
    }
}

/// The calls made lately.
#[derive(Debug, Default)]
pub struct RateLimiter {
    buckets: HashMap<Bucket, Level>,
}

/// The level of one bucket: calls that still fit.
#[derive(Clone, Copy, Debug)]
struct Level {
    left: f64,
    at: Timestamp,
    /// The end of a wait that Slack asked for with status 429.
    refused: Option<Timestamp>,
}

impl RateLimiter {
    /// Admits a call that these buckets limit, and counts it, if it may go out now.
    ///
    /// # Errors
    /// The time to ask again.
    pub fn admit(&mut self, buckets: &[Bucket], now: Timestamp) -> Result<(), Timestamp> {
        self.forget(now);
        let free = |bucket: &Bucket| self.buckets.get(bucket).map(|level| level.free(bucket, now));
        if let Some(later) = buckets.iter().filter_map(free).max().filter(|later| *later > now) {
            return Err(later);
        }
        for bucket in buckets {
            let (burst, _) = bucket.rate();
            let full = Level { left: burst, at: now, refused: None };
            let level = self.buckets.entry(bucket.clone()).or_insert(full);
            *level = Level { left: level.now(bucket, now) - 1.0, at: now, refused: level.refused };
        }
        Ok(())
    }

    /// Makes one bucket wait that Slack refused a call for.
    pub fn refused(&mut self, bucket: Bucket, until: Timestamp, now: Timestamp) {
        let (burst, _) = bucket.rate();
        let level = self.buckets.entry(bucket).or_insert(Level { left: burst, at: now, refused: None });
        level.refused = level.refused.max(Some(until));
    }

    /// Drops buckets that are full again.
    fn forget(&mut self, now: Timestamp) {
        self.buckets.retain(|bucket, level| {
            // What was counted in the future was counted by a clock that is set right since.
            level.refused = level.refused.filter(|until| (1..=REFUSED).contains(&until.since(now)));
            let past = level.at <= now;
            level.refused.is_some() || (past && level.now(bucket, now) < bucket.rate().0)
        });
    }
}

impl Level {
    /// The calls that fit now.
    fn now(&self, bucket: &Bucket, now: Timestamp) -> f64 {
        let (burst, each) = bucket.rate();
        #[expect(clippy::cast_precision_loss, reason = "the time since a call is short")]
        let passed = now.since(self.at).max(0) as f64;
        (self.left + passed / each).min(burst)
    }

    /// The time when one more fits.
    fn free(&self, bucket: &Bucket, now: Timestamp) -> Timestamp {
        let (_, each) = bucket.rate();
        let missing = (1.0 - self.now(bucket, now)).max(0.0);
        #[expect(clippy::cast_possible_truncation, reason = "a few seconds")]
        let wait = (missing * each).ceil() as Millis;
        self.refused.map_or(now, |until| until).max(now.plus(wait))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const T: Timestamp = Timestamp(1_000_000);

    fn post(channel: &str) -> [Bucket; 2] {
        [Bucket::Post(channel.into()), Bucket::Method("chat.postMessage")]
    }

    #[test]
    fn a_burst_of_three_then_one_a_second() {
        let mut limiter = RateLimiter::default();
        for _ in 0..3 {
            limiter.admit(&post("C1"), T).unwrap();
        }
        assert_eq!(limiter.admit(&post("C1"), T), Err(T.plus(1_000)));
        limiter.admit(&post("C2"), T).unwrap();
        assert_eq!(limiter.admit(&post("C1"), T.plus(400)), Err(T.plus(1_000)));
        limiter.admit(&post("C1"), T.plus(1_000)).unwrap();
        limiter.admit(&post("C1"), T.plus(60_000)).unwrap();
    }

    #[test]
    fn a_refused_bucket_waits_and_no_other() {
        let mut limiter = RateLimiter::default();
        limiter.refused(Bucket::Post("C1".into()), T.plus(7_000), T);
        assert_eq!(limiter.admit(&post("C1"), T), Err(T.plus(7_000)));
        limiter.admit(&post("C2"), T).unwrap();
        limiter.admit(&post("C1"), T.plus(7_000)).unwrap();
    }

    #[test]
    fn what_a_clock_that_was_ahead_counted_holds_nothing() {
        let mut limiter = RateLimiter::default();
        let ahead = T.plus(365 * Timestamp::DAY);
        for _ in 0..3 {
            limiter.admit(&post("C1"), ahead).unwrap();
        }
        limiter.refused(Bucket::Post("C1".into()), ahead.plus(30_000), ahead);
        limiter.admit(&post("C1"), T).unwrap();
    }

    #[test]
    fn buckets_that_are_full_are_forgotten() {
        let mut limiter = RateLimiter::default();
        for n in 0..1_000 {
            limiter.admit(&[Bucket::Edit(format!("C1:{n}"))], T.plus(n)).unwrap();
        }
        limiter.admit(&post("C1"), T.plus(10_000)).unwrap();
        assert_eq!(limiter.buckets.len(), 2);
    }
}
