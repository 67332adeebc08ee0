//! Tries the blocks of one page, in a folder of its own, against real processes.
//!
//! Commands are completed as a reader would complete them: the program is the one built before, an address is the
//! server's, an abbreviated id (`tn_…`) is the first of its kind in the newest output that has one, and `<name>` is the
//! value that a `json answer` gave that name. `serve` runs until `^C`, the next `serve`, or the page's end; the latter two
//! kill it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use regex::{Captures, Regex};
use serde_json::Value;
use tempfile::TempDir;

use super::compare;
use super::page::{Act, Block, Kind, Step, Written};
use super::server::{ADDRESS, Server};

/// The longest time for one command.
const PATIENCE: Duration = Duration::from_secs(60);
/// A command of this program.
const CHORE: &str = "cargo xtask ";
/// Time between two looks at whether a command has ended.
const LOOK: Duration = Duration::from_millis(5);

static ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b([a-z]{1,2})_[a-z2-7]{16,24}(?:_\d+)*\b").expect("a pattern"));
static ABBREVIATED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b([a-z]{1,2})_…").expect("a pattern"));
static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"<([a-z][a-z ]*)>").expect("a pattern"));

/// The failure of a block.
pub(super) struct Wrong {
    pub(super) line: usize,
    pub(super) what: String,
    /// The output that the page would have to show.
    pub(super) seen: Option<String>,
}

/// The state of one page: its folder, its server, the names it has defined.
pub(super) struct World<'r> {
    /// The folder of the program.
    programs: &'r Path,
    /// The help of `cargo xtask`, which lists its commands.
    chores: &'r str,
    folder: TempDir,
    server: Option<Server>,
    /// The output of the newest command.
    output: String,
    /// The newest id of each kind.
    ids: BTreeMap<String, String>,
    /// Values that JSON answers gave a name.
    names: BTreeMap<String, String>,
}

impl<'r> World<'r> {
    pub(super) fn new(programs: &'r Path, chores: &'r str) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a folder for a page")?;
        let (ids, names) = Default::default();
        Ok(Self { programs, chores, folder, server: None, output: String::new(), ids, names })
    }

    /// Tries a block and returns in a few words what was done.
    pub(super) fn try_block(&mut self, block: &Block) -> Result<String, Wrong> {
        let at = |error: anyhow::Error| Wrong { line: block.line, what: format!("{error:#}"), seen: None };
        match &block.kind {
            Kind::Session(steps) => {
                steps.iter().try_for_each(|step| self.step(step))?;
                Ok(ran(steps))
            }
            Kind::Script(text) => self.script(text).map_err(at),
            Kind::Config(written) => self.config(written).map_err(at),
            Kind::Scenario(written) => self.scenario(written).map_err(at),
            Kind::Program(written) => {
                self.write(written).map_err(at)?;
                Ok(format!("{} is written", written.name))
            }
            Kind::Json(text) => {
                serde_json::from_str::<Value>(text).map_err(anyhow::Error::from).map_err(at)?;
                Ok("parsed".into())
            }
            Kind::Answer(text) => self.answer(text).map_err(at),
            Kind::Skipped(why) => Ok(why.clone()),
        }
    }

    fn step(&mut self, step: &Step) -> Result<(), Wrong> {
        let failed = |error: anyhow::Error| Wrong { line: step.line, what: format!("{error:#}"), seen: None };
        let seen = match &step.act {
            Act::Interrupt => {
                let server =
                    self.server.take().context("no server runs here to interrupt").map_err(failed)?;
                server.interrupt().map_err(failed)?
            }
            Act::Command(command) => self.command(command, &step.shown).map_err(failed)?,
        };
        let seen = self.readable(&seen);
        if step.shown.is_empty() {
            return Ok(());
        }
        compare::lines(&step.shown, &seen).map_err(|difference| Wrong {
            line: step.line,
            what: format!("this is not what it prints (- the page, + what was seen):\n{difference}"),
            seen: Some(seen),
        })
    }

    /// Runs a command and returns the output of both streams.
    fn command(&mut self, command: &str, shown: &[String]) -> Result<String> {
        if let Some(chore) = command.strip_prefix(CHORE) {
            return self.chore(chore).map(|()| String::new());
        }
        let command = self.ready(&command.replace("cargo run -- ", "throughline "))?;
        if command.starts_with("throughline serve") {
            // A second one finds the first killed.
            self.server = None;
            let server = self.server.insert(Server::start(self.shell(&format!("exec {command}")))?);
            return server.said(|said| shown.is_empty() || compare::lines(shown, said).is_ok());
        }
        // The lines that a person types into a conversation.
        let typed =
            |line: &String| line.strip_prefix("> ").or_else(|| line.strip_prefix("… ")).map(str::to_owned);
        let input: Vec<String> = match command.starts_with("throughline chat") {
            true => shown.iter().filter_map(typed).collect(),
            false => Vec::new(),
        };
        let (status, output) = self.run(&command, &input.join("\n"))?;
        if !status.success() {
            bail!("this failed ({status}):\n{output}");
        }
        for kind in ID.captures_iter(&output).collect::<Vec<_>>().iter().rev() {
            self.ids.insert(kind[1].into(), kind[0].into());
        }
        self.output.clone_from(&output);
        Ok(output)
    }

    /// Checks that a command of xtask exists, without running it.
    fn chore(&self, chore: &str) -> Result<()> {
        let name = chore.split_whitespace().next().unwrap_or_default();
        let known = self
            .chores
            .lines()
            .any(|line| line.starts_with("  ") && line.split_whitespace().next() == Some(name));
        if !known {
            bail!("there is no `cargo xtask {name}`");
        }
        Ok(())
    }

    /// Runs a whole block up to the first command in it that fails.
    fn script(&self, text: &str) -> Result<String> {
        self.runs(&format!("set -e\n{}", self.ready(text)?))?;
        Ok("ran".into())
    }

    fn config(&mut self, written: &Written) -> Result<String> {
        self.write(written)?;
        self.runs(&format!("throughline config check --config {}", written.name))?;
        Ok(format!("{} is valid", written.name))
    }

    fn scenario(&mut self, written: &Written) -> Result<String> {
        self.write(written)?;
        self.runs(&format!("throughline test {}", written.name))?;
        Ok(format!("{} passes", written.name))
    }

    fn write(&self, written: &Written) -> Result<()> {
        let path = self.folder.path().join(&written.name);
        std::fs::write(path, &written.text).with_context(|| format!("cannot write {}", written.name))
    }

    /// Compares with the output of the newest command.
    fn answer(&mut self, text: &str) -> Result<String> {
        let shown: Value = serde_json::from_str(text)?;
        let seen = serde_json::from_str(&self.output)
            .with_context(|| format!("the command before it printed no JSON: {}", self.output))?;
        compare::json(&shown, &seen, "", &mut self.names)
            .map_err(|wrong| anyhow::anyhow!("{wrong}\n    in {}", self.output.trim()))?;
        Ok("is what was answered".into())
    }

    /// Completes a command as a reader would.
    fn ready(&self, command: &str) -> Result<String> {
        let id = |kind: &str| self.ids.get(kind).map(String::as_str);
        let command = replaced(&ABBREVIATED, command, id)?;
        let command = replaced(&NAMED, &command, |name| self.names.get(name).map(String::as_str))?;
        Ok(match &self.server {
            Some(server) => command.replace(ADDRESS, server.address()),
            None => command,
        })
    }

    /// Returns the output as it would be on a reader's machine.
    fn readable(&self, seen: &str) -> String {
        let seen = seen.replace(&self.folder.path().display().to_string(), "~");
        match &self.server {
            Some(server) => seen.replace(server.address(), ADDRESS),
            None => seen,
        }
    }

    fn runs(&self, command: &str) -> Result<()> {
        let (status, output) = self.run(command, "")?;
        if !status.success() {
            bail!("this failed ({status}):\n{output}");
        }
        Ok(())
    }

    /// Runs a command to its end and returns its status with both streams, interleaved.
    fn run(&self, command: &str, input: &str) -> Result<(ExitStatus, String)> {
        let (mut reader, writer) = std::io::pipe()?;
        let mut child = {
            let mut shell = self.shell(command);
            shell.stdin(Stdio::piped()).stdout(writer.try_clone()?).stderr(writer).process_group(0);
            shell.spawn().context("cannot run sh")?
        };
        let output = std::thread::spawn(move || {
            let mut output = Vec::new();
            let read = reader.read_to_end(&mut output);
            read.map(|_| String::from_utf8_lossy(&output).into_owned())
        });
        if let Some(mut stdin) = child.stdin.take() {
            // It may end without reading.
            let _ = stdin.write_all(input.as_bytes());
        }
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if started.elapsed() > PATIENCE {
                // Its children too: they are one process group.
                let group = format!("-{}", child.id());
                Command::new("kill").args(["-KILL", "--", &group]).status()?;
                bail!("this has not ended after {} s", PATIENCE.as_secs());
            }
            std::thread::sleep(LOOK);
        };
        let output = output.join().map_err(|_| anyhow::anyhow!("the output cannot be read"))??;
        Ok((status, output))
    }

    /// A shell in the page's folder, which is also its user's home: nothing of this machine is read.
    fn shell(&self, command: &str) -> Command {
        let home = self.folder.path();
        let mut path = OsString::from(self.programs);
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).current_dir(home).env_clear();
        shell.env("PATH", path).env("HOME", home).env("XDG_CONFIG_HOME", home.join(".config"));
        shell.env("COLUMNS", "100").env("LANG", "C.UTF-8");
        shell
    }
}

/// Replaces each match with its value; an unknown one is an error.
fn replaced<'v>(pattern: &Regex, text: &str, value: impl Fn(&str) -> Option<&'v str>) -> Result<String> {
    if let Some(unknown) = pattern.captures_iter(text).find(|found| value(&found[1]).is_none()) {
        bail!("nothing before this shows what {} is", &unknown[0]);
    }
    let put = |found: &Captures<'_>| value(&found[1]).unwrap_or_default().to_owned();
    Ok(pattern.replace_all(text, put).into_owned())
}

/// Describes a session's steps in words.
fn ran(steps: &[Step]) -> String {
    let chore = |step: &&Step| matches!(&step.act, Act::Command(command) if command.starts_with(CHORE));
    let chores = steps.iter().filter(chore).count();
    match (steps.len() - chores, chores) {
        (ran, 0) => format!("{} ran", count(ran, "command")),
        (0, known) => format!("{} of xtask known", count(known, "command")),
        (ran, known) => format!("{} ran, {known} of xtask known", count(ran, "command")),
    }
}

/// `1 command`, `2 commands`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::super::page::blocks;
    use super::*;
    use crate::repo::File;

    /// Tries a page's blocks, with no program but the shell's own.
    fn tried(page: &str) -> Vec<Result<String, String>> {
        let page = File { path: "docs/x.md".into(), text: page.into() };
        let mut world = World::new(Path::new("/nowhere"), "cargo xtask\n  ci    all of it\n").unwrap();
        let blocks = blocks(&page).unwrap();
        let tried = blocks.iter().map(|block| world.try_block(block));
        tried.map(|tried| tried.map_err(|wrong| format!("{}: {}", wrong.line, wrong.what))).collect()
    }

    #[test]
    fn a_session_is_run_and_compared() {
        let page = "```console\n$ echo one; echo two >&2\none\ntwo\n$ true\n$ cargo xtask ci\n```\n";
        assert_eq!(tried(page), [Ok("2 commands ran, 1 of xtask known".to_owned())]);
        let wrong = tried("```console\n$ echo one\ntwo\n```\n").remove(0).unwrap_err();
        assert!(wrong.starts_with("2: ") && wrong.contains("- two\n    + one\n"), "{wrong}");
    }

    #[test]
    fn a_command_that_fails_fails_its_block() {
        let wrong = tried("```console\n$ echo no; exit 3\n```\n").remove(0).unwrap_err();
        assert!(wrong.contains("exit status: 3") && wrong.ends_with("no\n"), "{wrong}");
        let wrong = tried("```sh\nfalse\ntrue\n```\n").remove(0).unwrap_err();
        assert!(wrong.contains("exit status: 1"), "{wrong}");
        let wrong = tried("```console\n$ cargo xtask nothing\n```\n").remove(0).unwrap_err();
        assert!(wrong.ends_with("there is no `cargo xtask nothing`"), "{wrong}");
        let wrong = tried("```console\n^C\n```\n").remove(0).unwrap_err();
        assert!(wrong.ends_with("no server runs here to interrupt"), "{wrong}");
    }

    #[test]
    fn ids_and_named_values_go_on_to_later_commands() {
        let page = "```console\n$ echo '{\"id\":\"tn_aaaaaaaaaaaaaaaaaaaaaaaa\",\"token\":\"t0\"}'\n```\n\
                    ```json answer\n{\"token\":\"<token>\"}\n```\n\
                    ```console\n$ test tn_… = tn_aaaaaaaaaaaaaaaaaaaaaaaa && echo \"<token>\"\nt0\n```\n";
        let said = ["1 command ran", "is what was answered", "1 command ran"];
        assert_eq!(tried(page), said.map(|said| Ok(said.to_owned())));
        let wrong = tried("```json answer\n{}\n```\n").remove(0).unwrap_err();
        assert!(wrong.contains("the command before it printed no JSON"), "{wrong}");
    }

    #[test]
    fn what_a_reader_puts_in_must_be_known() {
        let known = |name: &str| (name == "tn").then_some("tn_2");
        assert_eq!(replaced(&ABBREVIATED, "why tn_… | cat", known).unwrap(), "why tn_2 | cat");
        let unknown = replaced(&ABBREVIATED, "show ln_…", known).unwrap_err().to_string();
        assert_eq!(unknown, "nothing before this shows what ln_… is");
    }
}
