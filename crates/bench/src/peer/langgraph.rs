//! LangGraph with its PostgreSQL checkpointer; `benches/peers/langgraph` describes the set-up.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;
use throughline_engine::data::canonical_json::{hex, sha256};

use super::postgres::{Postgres, told};
use crate::frame::note;

const SCRIPT: &str = include_str!("../../../../benches/peers/langgraph/peer.py");
const REQUIREMENTS: &str = include_str!("../../../../benches/peers/langgraph/requirements.txt");

/// The peer, ready to run.
pub(crate) struct LangGraph {
    python: PathBuf,
    script: PathBuf,
    postgres: Postgres,
    runs: u32,
}

/// Its set-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Setup {
    /// As its documentation says, in one process.
    Documented,
    /// Two processes, durability at exit, no interrupts.
    Best,
}

/// Its report on a run; times in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) per_second: f64,
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl LangGraph {
    /// Makes the virtual environment, unless an earlier run did, and starts a database.
    pub(crate) fn set_up() -> anyhow::Result<Self> {
        let hash = hex(&sha256(&[REQUIREMENTS.as_bytes()]));
        let folder = std::env::temp_dir().join(format!("throughline-peer-langgraph-{}", &hash[..12]));
        let python = folder.join("bin/python");
        let made = folder.join("made");
        if !made.is_file() {
            note(&format!("B3: installing LangGraph into {}", folder.display()));
            told(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
            let list = folder.join("requirements.txt");
            std::fs::write(&list, REQUIREMENTS)?;
            told(Command::new(&python).args(["-m", "pip", "install", "--quiet", "-r"]).arg(&list))?;
            std::fs::write(made, "")?;
        }
        let script = folder.join("peer.py");
        std::fs::write(&script, SCRIPT)?;
        Ok(Self { python, script, postgres: Postgres::start()?, runs: 0 })
    }

    /// Describes the peer in words.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        let of = |package: &str| {
            let pinned = REQUIREMENTS.lines().find_map(|line| line.strip_prefix(package)?.strip_prefix("=="));
            pinned.unwrap_or("?")
        };
        Ok(format!(
            "LangGraph {} with langgraph-checkpoint-postgres {} on {}",
            of("langgraph"),
            of("langgraph-checkpoint-postgres"),
            self.postgres.version()?
        ))
    }

    /// Runs that many conversations at once, with that many messages each in their past.
    pub(crate) fn run(
        &mut self,
        setup: Setup,
        threads: usize,
        messages: usize,
        time: Duration,
    ) -> anyhow::Result<Told> {
        self.runs += 1;
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(["--dsn", &self.postgres.dsn(), "--run", &format!("r{}", self.runs)]);
        command.args(["--threads", &threads.to_string(), "--messages", &messages.to_string()]);
        command.args(["--seconds", &time.as_secs_f64().to_string()]);
        if setup == Setup::Best {
            command.args(["--processes", "2", "--best"]);
        }
        let text = told(&mut command)?;
        let line = text.lines().last().unwrap_or_default();
        let value: Value = serde_json::from_str(line).with_context(|| format!("the peer said: {text}"))?;
        let number =
            |name: &str| value[name].as_f64().with_context(|| format!("the peer says no {name}: {line}"));
        Ok(Told { per_second: number("per_second")?, p50: number("p50")?, p99: number("p99")? })
    }
}
