//! The server under load: the real program as a process of its own, on a folder and a port of its own.

pub(crate) mod client;
pub(crate) mod limit;
pub(crate) mod load;
pub(crate) mod own;
pub(crate) mod slack;

use std::io::{BufRead as _, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use throughline_server::auth::Token;

use crate::frame::Scale;
use client::Client;

/// Name of the database in a data folder.
pub(crate) const DATABASE: &str = "throughline.db";

/// The longest time to wait for anything.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    /// The bearer token of each tenant.
    pub(crate) tokens: Vec<String>,
}

/// Returns the program that was built beside this one. In tests it may not be built; there this program serves, by the
/// library that the program uses.
pub(crate) fn program(scale: Scale) -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("cannot tell where this program is")?;
    if scale == Scale::Smoke {
        return Ok(own);
    }
    let program = own.with_file_name("throughline");
    ensure!(
        program.is_file(),
        "{} is not built; run this by `cargo xtask bench`, which builds both",
        program.display()
    );
    Ok(program)
}

impl Server {
    /// Starts it over `data`, with a token for each of so many tenants. Also gives the time from the start of the
    /// process to its first answer that it is ready.
    pub(crate) fn start(scale: Scale, data: &Path, tenants: usize) -> anyhow::Result<(Self, Duration)> {
        Self::start_with(scale, data, tenants, "")
    }

    /// Starts it with further tables of its configuration.
    pub(crate) fn start_with(
        scale: Scale,
        data: &Path,
        tenants: usize,
        more: &str,
    ) -> anyhow::Result<(Self, Duration)> {
        let (command, tokens) = served(&program(scale)?, data, tenants, more)?;
        Self::run(command, data, tokens)
    }

    /// Starts this program as a server that writes a flame graph of its samples when it stops.
    pub(crate) fn start_sampled(data: &Path, picture: &Path) -> anyhow::Result<Self> {
        let (mut command, tokens) = served(&program(Scale::Smoke)?, data, 1, "")?;
        command.arg("--flame").arg(picture);
        Ok(Self::run(command, data, tokens)?.0)
    }

    /// Starts the limit of an event over HTTP, which is this program.
    pub(crate) fn start_limit(data: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(data)?;
        let mut command = Command::new(std::env::current_exe().context("cannot tell where this program is")?);
        command.arg("limit").arg(data.join(DATABASE));
        Ok(Self::run(command, data, vec![String::new()])?.0)
    }

    /// Runs a server that says its address in its first line, and waits until it is ready.
    fn run(mut command: Command, data: &Path, tokens: Vec<String>) -> anyhow::Result<(Self, Duration)> {
        command.current_dir(data).stdin(Stdio::null()).stdout(Stdio::piped());
        let log = data.join("serve.log");
        command.stderr(std::fs::File::create(&log)?);
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let stdout = child.stdout.take().context("the server has an output")?;
        let mut server = Self { child, url: String::new(), tokens };
        // Its first line holds its address.
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line).with_context(|| {
            format!("the server did not start: {line}{}", std::fs::read_to_string(&log).unwrap_or_default())
        })?;
        server.url = told["url"].as_str().context("the server says where it listens")?.to_owned();
        let client = server.client(0);
        while !client.ready() {
            ensure!(began.elapsed() < PATIENCE, "{} is not ready after {PATIENCE:?}", server.url);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok((server, began.elapsed()))
    }

    /// Returns a client of that tenant.
    pub(crate) fn client(&self, tenant: usize) -> Client {
        Client::new(&self.url, &self.tokens[tenant])
    }

    /// One message in each of these conversations of the first tenant, 16 at once.
    pub(crate) fn talk(&self, conversations: Range<usize>) -> anyhow::Result<()> {
        let all: Vec<usize> = conversations.collect();
        std::thread::scope(|scope| {
            let parts = all.chunks(all.len().div_ceil(16).max(1));
            let threads: Vec<_> = parts
                .map(|part| {
                    let client = self.client(0);
                    scope.spawn(move || {
                        part.iter().try_for_each(|n| {
                            client.say(&format!("talk-{n}"), &format!("talk-{n}")).map(drop)
                        })
                    })
                })
                .collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a client does not panic"))
        })
    }

    /// Waits until no event waits and this process made at least that many turns; returns their number. The number is waited
    /// for too, because a turn is counted just after it is committed.
    pub(crate) fn settled(&self, least: u64) -> anyhow::Result<u64> {
        let began = Instant::now();
        let client = self.client(0);
        loop {
            let metrics = client.metrics()?;
            let metric = |name: &str| metrics.get(name).copied().unwrap_or(f64::NAN);
            let made = metric("throughline_turns_total") as u64;
            if metric("throughline_lane_queue_depth") == 0.0 && made >= least {
                return Ok(made);
            }
            ensure!(began.elapsed() < PATIENCE, "messages still wait after {PATIENCE:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Returns the processor time that it had so far, in all of its threads.
    pub(crate) fn spent(&self) -> anyhow::Result<Duration> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let ticks = ticks(&stat).with_context(|| format!("{path} says no times"))?;
        Ok(Duration::from_secs_f64(ticks as f64 / rustix::param::clock_ticks_per_second() as f64))
    }

    /// Returns the resident bytes of its memory.
    pub(crate) fn resident(&self) -> anyhow::Result<u64> {
        let path = format!("/proc/{}/status", self.child.id());
        let status = std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        resident(&status).with_context(|| format!("{path} says no VmRSS"))
    }

    /// Stops it and waits for its end.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        ensure!(told.success(), "cannot tell the server to stop");
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if began.elapsed() > PATIENCE {
                bail!("the server has not stopped after {PATIENCE:?}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the command that serves `data` for so many tenants, and the token of each.
fn served(program: &Path, data: &Path, tenants: usize, more: &str) -> anyhow::Result<(Command, Vec<String>)> {
    std::fs::create_dir_all(data)?;
    let config = data.join("bench.toml");
    let (tokens, text) = configured(tenants);
    std::fs::write(&config, text + more)?;
    let mut command = Command::new(program);
    command.args(["serve", "--json", "--quiet", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
    command.arg("--data").arg(data);
    Ok((command, tokens))
}

/// Returns the tokens of that many tenants, and a configuration that holds them.
fn configured(tenants: usize) -> (Vec<String>, String) {
    // Every client is this process, so one address has all connections.
    let mut text = "tenant = \"t0\"\napp = \"app\"\n\n[server]\nconnections_per_peer = 1024\nrate_per_peer = 1000000\nrate_per_person = 1000000\n\n\
                    [telemetry]\nlevel = \"error\"\n"
        .to_owned();
    let mut tokens = Vec::new();
    for tenant in 0..tenants {
        let id = format!("bench-{tenant}");
        let (token, sha256) = Token::mint(&id, [7; 24]);
        text.push_str(&format!(
            "\n[[tokens]]\nid = \"{id}\"\nsha256 = \"{sha256}\"\ntenant = \"t{tenant}\"\napp = \"app\"\n\
             principal = \"ana\"\nscopes = [\"events:write\", \"lanes:read\"]\n"
        ));
        tokens.push(token);
    }
    (tokens, text)
}

/// Returns the ticks in user and system mode, which follow the program's name in parentheses.
fn ticks(stat: &str) -> Option<u64> {
    let mut times = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    Some(times.next()?.parse::<u64>().ok()? + times.next()?.parse::<u64>().ok()?)
}

fn resident(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1_024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_processor_time() {
        let stat = "7 (a ) b) S 1 7 7 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 1 0 9 1 1\n";
        assert_eq!(ticks(stat), Some(300));
        assert_eq!(ticks("7 (a) S 1"), None);
    }

    #[test]
    fn reads_resident_memory() {
        assert_eq!(resident("Name:\tx\nVmRSS:\t   12 kB\nThreads:\t1\n"), Some(12_288));
        assert_eq!(resident("Name:\tx\n"), None);
    }
}
