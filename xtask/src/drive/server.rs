//! The server under test: the real program, built as released, on a folder and a port of its own.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::client::Client;
use crate::ci;
use crate::output;
use crate::repo::Repo;

/// A running server; stopped when dropped.
pub(super) struct Server {
    child: Child,
    data: PathBuf,
    /// Its address.
    pub(super) url: String,
}

impl Server {
    /// Builds and starts it.
    pub(super) fn start(repo: &Repo) -> Result<Self> {
        ci::cargo(repo, &["build", "--profile", "ci-release", "-p", "throughline-cli", "--locked"])?;
        let program = repo.target()?.join("ci-release/throughline");
        let data = std::env::temp_dir().join(format!("throughline-drive-{}", std::process::id()));
        std::fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
        let mut child = Command::new(&program)
            .args(["serve", "--demo", "--json", "--quiet", "--listen", "127.0.0.1:0", "--data"])
            .arg(&data)
            .current_dir(&data)
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        // Its first line holds its address.
        let mut line = String::new();
        let stdout = child.stdout.take().context("the server has an output")?;
        BufReader::new(stdout).read_line(&mut line)?;
        let started: Value =
            serde_json::from_str(&line).with_context(|| format!("the server did not start: {line}"))?;
        let url =
            started["url"].as_str().with_context(|| format!("the server says no url: {line}"))?.to_owned();
        let server = Self { child, data, url };
        server.wait()?;
        Ok(server)
    }

    fn wait(&self) -> Result<()> {
        let client = Client::new(&self.url);
        let started = Instant::now();
        while !client.ready() {
            if started.elapsed() > Duration::from_secs(20) {
                bail!("{} is not ready after 20 s", self.url);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        output::note(&format!("    {} is ready, its data is in {}", self.url, self.data.display()));
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.data);
    }
}
