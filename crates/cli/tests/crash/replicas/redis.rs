//! Faults of Redis beside the database, in the middle of what three processes do: nothing but time depends on it.

use std::time::{Duration, Instant};

use throughline_store::conformance::{LyingRedis, RedisTestServer};

use crate::faults::matrix::{self, Run};

use super::{Replicas, pause};

/// Longest wait for the first delivery that Redis is told of.
const PATIENCE: Duration = Duration::from_secs(60);

/// Faults of Redis. It answers again at the end.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// It loses everything, again and again.
    Emptied,
    /// It crashes with all it had and is started again, twice.
    Gone,
    /// It is set back to what it had before anything happened.
    Older,
    /// It takes what it is told and does not answer.
    Silent,
    /// It says that everything was seen, and passes nothing on.
    Lies,
}

const FAULTS: [(&str, Fault); 5] = [
    ("Redis is emptied", Fault::Emptied),
    ("Redis crashes twice", Fault::Gone),
    ("Redis is set back to an older copy", Fault::Older),
    ("Redis does not answer", Fault::Silent),
    ("Redis lies", Fault::Lies),
];

impl Fault {
    /// Lets the fault happen, once Redis is told of deliveries, and be over.
    fn strike(self, redis: &RedisTestServer, seed: u64) {
        let started = Instant::now();
        while !matches!(self, Self::Lies) && redis.keys() <= 1 {
            assert!(started.elapsed() < PATIENCE, "nobody tells Redis anything");
            pause(10);
        }
        pause(seed * 59 % 300);
        match self {
            Self::Emptied => {
                for _ in 0..5 {
                    redis.say(&[&["FLUSHALL"]]);
                    pause(150);
                }
            }
            Self::Gone => {
                for _ in 0..2 {
                    redis.stop();
                    pause(700);
                    redis.resume();
                    pause(700);
                }
            }
            Self::Older => {
                redis.stop();
                redis.resume();
            }
            Self::Silent => {
                redis.freeze();
                pause(3_000);
                redis.thaw();
            }
            Self::Lies => {}
        }
    }
}

// row: E36
#[test]
fn e36_redis_that_fails_changes_nothing_but_the_time() {
    let cells: Vec<(String, Fault)> = FAULTS.map(|(name, fault)| (name.to_owned(), fault)).into();
    matrix::run("Redis beside the database of three processes", &cells, |fault, seed| {
        let (redis, liar) = (RedisTestServer::start(), LyingRedis::start());
        let replicas = Replicas::beside_redis(match fault {
            Fault::Lies => liar.url(),
            _ => redis.url(),
        });
        // A copy that knows one key which nobody sent.
        redis.say(&[&["SET", "of", "old"], &["SAVE"]]);
        let (sent, wrong) = replicas.play_recorded(seed, |_| fault.strike(&redis, seed));
        // The others begin once Redis is told of something.
        let struck = if matches!(fault, Fault::Lies) { u64::from(liar.lies()) } else { 1 };
        let mut run = Run { struck, wrong, ..Run::default() };
        if run.struck == 0 {
            run.wrong.push("nobody asks the liar".into());
        }
        run.count(&replicas.client, &sent);
        replicas.servers.iter().for_each(|server| run.check_log(server.data()));
        run
    });
}
