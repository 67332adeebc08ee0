//! The load of B8: `wrk` where it is installed, else our own client, one thread a connection.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::Server;
use super::client::{Client, message};
use super::slack::Signed;
use crate::load::milliseconds;

/// Connections that are kept alive, where nothing else is said.
pub(crate) const CONNECTIONS: usize = 16;

/// Conversations the events are spread over. Between them they may hold more events than any backlog here: none is
/// refused for a full queue.
pub(crate) const LANES: usize = 1_024;

/// The events that each connection makes in a second at most, which have to be signed beforehand.
const MOST_A_SECOND: f64 = 1_000.0;

const EVENTS: &str = include_str!("events.lua");
const SIGNED: &str = include_str!("signed.lua");
const RESULT: &str = include_str!("result.lua");

/// The result as the clients saw it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Answered {
    /// Answers, all of them 2xx.
    pub(crate) count: u64,
    pub(crate) seconds: f64,
    /// Milliseconds.
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// Answer that the clients of the HTTP API wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// The event is durable: 202.
    Durable,
    /// Its turn: `Prefer: wait`, 200.
    Turn,
}

impl Awaited {
    /// Returns the value of the header `Prefer`; empty for none.
    pub(crate) fn prefer(self) -> &'static str {
        match self {
            Self::Durable => "",
            Self::Turn => "wait=10",
        }
    }

    pub(crate) fn status(self) -> u16 {
        match self {
            Self::Durable => 202,
            Self::Turn => 200,
        }
    }
}

/// A load by the HTTP API.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) lanes: usize,
    pub(crate) awaited: Awaited,
}

/// The program that makes the load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Wrk,
    Ourselves,
}

impl By {
    /// Returns `wrk` if it is installed, else our own client.
    pub(crate) fn best() -> Self {
        let found = Command::new("wrk").arg("-v").output().is_ok();
        if found { Self::Wrk } else { Self::Ourselves }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Wrk => "`wrk`",
            Self::Ourselves => "our own client, because `wrk` is not installed",
        }
    }

    /// Keeps every connection busy for that time. `run` is a word that no other load of this server had.
    pub(crate) fn load(
        self,
        server: &Server,
        load: Load,
        run: &str,
        time: Duration,
        folder: &Path,
    ) -> anyhow::Result<Answered> {
        let Load { connections, lanes, awaited } = load;
        if self == Self::Wrk {
            let script = format!("BODY = [==[{}]==]\n{EVENTS}", message("CONVERSATION"));
            let arguments = [&server.tokens[0], run, &lanes.to_string(), awaited.prefer()];
            return wrk(server, connections, time, folder, &script, &arguments);
        }
        let bodies: Vec<String> = (0..lanes).map(|lane| message(&format!("c{lane}"))).collect();
        ourselves(server, connections, time, |client, n| {
            client.post(&bodies[n as usize % lanes], &format!("{run}-{n}"), awaited).map(drop)
        })
    }

    /// Does so with signed events of Slack, each of which is delivered once.
    pub(crate) fn deliver(
        self,
        server: &Server,
        signed: &[Signed],
        time: Duration,
        folder: &Path,
    ) -> anyhow::Result<Answered> {
        if self == Self::Wrk {
            let file = folder.join("signed");
            let lines = signed.iter().map(|one| format!("{} {} {}\n", one.seconds, one.signature, one.body));
            std::fs::write(&file, lines.collect::<String>())?;
            return wrk(server, CONNECTIONS, time, folder, SIGNED, &[&file.display().to_string()]);
        }
        ourselves(server, CONNECTIONS, time, |client, n| {
            client.deliver(signed.get(n as usize).context("too few events were signed for this time")?)
        })
    }
}

/// Returns how many events a load of that time may need.
pub(crate) fn most(time: Duration) -> usize {
    (time.as_secs_f64().max(1.0) * MOST_A_SECOND * CONNECTIONS as f64) as usize
}

/// Runs `wrk` with a script, which is given these arguments.
fn wrk(
    server: &Server,
    connections: usize,
    time: Duration,
    folder: &Path,
    text: &str,
    arguments: &[&str],
) -> anyhow::Result<Answered> {
    let script = folder.join("load.lua");
    std::fs::write(&script, format!("{text}\n{RESULT}"))?;
    let output = Command::new("wrk")
        .args(["-t1", &format!("-c{connections}"), &format!("-d{}s", time.as_secs().max(1)), "-s"])
        .arg(&script)
        .args([&server.url, "--"])
        .args(arguments)
        .output()
        .context("cannot run wrk")?;
    let text = String::from_utf8_lossy(&output.stdout);
    read(&text).with_context(|| format!("wrk said: {text}{}", String::from_utf8_lossy(&output.stderr)))
}

/// Reads the line that the script writes.
fn read(text: &str) -> anyhow::Result<Answered> {
    let line = text.lines().find_map(|line| line.strip_prefix("RESULT ")).context("no result")?;
    let value = |name: &str| {
        let pair = line.split(' ').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
        pair.and_then(|value| value.parse::<f64>().ok()).with_context(|| format!("no {name} in {line}"))
    };
    ensure!(value("refused")? == 0.0 && value("broken")? == 0.0, "requests failed: {line}");
    Ok(Answered {
        count: value("requests")? as u64,
        seconds: value("duration")? / 1e6,
        p50: value("p50")? / 1e3,
        p99: value("p99")? / 1e3,
    })
}

/// Sends with our own client: `send` sends the n-th request.
fn ourselves(
    server: &Server,
    connections: usize,
    time: Duration,
    send: impl Fn(&Client, u64) -> anyhow::Result<()> + Sync,
) -> anyhow::Result<Answered> {
    let sent = AtomicU64::new(0);
    let began = Instant::now();
    let one = || {
        let client = server.client(0);
        let mut took = Vec::new();
        while began.elapsed() < time {
            let n = sent.fetch_add(1, Ordering::Relaxed);
            let asked = Instant::now();
            send(&client, n)?;
            took.push(asked.elapsed());
        }
        anyhow::Ok(took)
    };
    let all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..connections).map(|_| scope.spawn(one)).collect();
        let mut all = Vec::new();
        for thread in threads {
            all.extend(thread.join().expect("a client does not panic")?);
        }
        anyhow::Ok(all)
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let took = milliseconds(&all);
    Ok(Answered { count: all.len() as u64, seconds, p50: took.median(), p99: took.quantile(0.99) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_script_writes() {
        let text = "Running 1s test\n\nRESULT requests=10 duration=2000000 p50=1500 p99=25000 max=1 refused=0 broken=0\n";
        let told = Answered { count: 10, seconds: 2.0, p50: 1.5, p99: 25.0 };
        assert_eq!(read(text).unwrap(), told);
        assert!(read(&text.replace("refused=0", "refused=3")).is_err());
        assert!(read("Running").is_err());
    }
}
