//! Readers of the program's output that have gone, that stopped reading, or whose disk is full.

use std::fs::File;
use std::io::{BufRead as _, BufReader, PipeReader, Write as _, pipe};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use ureq::Agent;

use super::matrix::{self, Run};
use super::shim::{ALL_FILES, Armed, Control, Fault};
use crate::client::Client;
use crate::script::Transcript;
use crate::{invariants, script};

/// The bytes that a pipe takes before it blocks.
const PIPE: usize = 65_536;

/// The number of refused requests: enough for a queue and a pipe.
const REFUSED: usize = 800;

/// The time in which a server stops.
const STOPS: Duration = Duration::from_secs(40);

/// State of whoever takes an output.
#[derive(Clone, Copy, Debug)]
enum Reader {
    /// The reader has gone.
    Gone,
    /// Somebody holds the other end and does not read.
    Stopped,
    /// Whoever keeps it has no space left.
    DiskFull,
}

const READERS: [(&str, Reader); 3] = [
    ("the log's reader has gone", Reader::Gone),
    ("the log's reader has stopped", Reader::Stopped),
    ("the log's disk is full", Reader::DiskFull),
];

/// Opens an output. The reader, if there is one, has to be kept as long.
fn output(reader: Reader) -> (Stdio, Option<PipeReader>) {
    match reader {
        Reader::Gone => (pipe().unwrap().1.into(), None),
        Reader::Stopped => {
            let (kept, mut output) = pipe().unwrap();
            output.write_all(&[b'.'; PIPE]).unwrap();
            (output.into(), Some(kept))
        }
        Reader::DiskFull => (File::options().write(true).open("/dev/full").unwrap().into(), None),
    }
}

/// Returns the program with arguments and a clean environment.
fn program(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_throughline"));
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder).stdin(Stdio::null());
    command
}

#[test]
fn a_log_that_nobody_takes_holds_up_no_request() {
    let cells: Vec<(String, Reader)> =
        READERS.iter().map(|(name, reader)| ((*name).to_owned(), *reader)).collect();
    matrix::run("Log", &cells, |reader, seed| {
        let folder = tempfile::tempdir().unwrap();
        let (log, _kept) = output(*reader);
        let mut command =
            program(folder.path(), &["serve", "--demo", "--json", "--listen", "127.0.0.1:0", "-v", "-v"]);
        let control = Control::create(folder.path());
        command.envs(control.variables());
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let mut run = Run::default();
        let sent = served(&mut child, &control, seed, &mut run);
        stop(&mut child, &mut run);
        run.wrong.extend(invariants::store(folder.path(), &sent));
        run
    });
}

/// Talks to a server whose address nobody reads after its first line.
fn served(child: &mut Child, control: &Control, seed: u64, run: &mut Run) -> Vec<Transcript> {
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let url = told["url"].as_str().unwrap();
    let client = Client::new(url);
    let agent: Agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(Duration::from_secs(10)))
        .build()
        .into();
    // Each request that is refused makes lines of the log.
    control.arm(Armed { fault: Fault::DiskFull, files: ALL_FILES, skip: 0, strikes: None, seed });
    for n in 0..REFUSED {
        let event = json!({ "lane": { "conversation": "c" }, "kind": "message.posted", "text": "hello" });
        let request = agent.post(format!("{url}/v1/events")).header("Content-Type", "application/json");
        match request.header("Idempotency-Key", format!("refused-{n}")).send(event.to_string()) {
            Ok(answer) if answer.status().as_u16() == 503 => {}
            Ok(answer) => run.wrong.push(format!("request {n} was answered with {}", answer.status())),
            Err(error) => {
                run.wrong.push(format!("never ended: request {n} was not answered: {error}"));
                break;
            }
        }
    }
    control.lift();
    let sent = script::play(&client, seed);
    client.wait_until_settled();
    run.wrong.extend(invariants::api(&client, &sent));
    run.wrong.extend(invariants::effects(&client, &[]));
    let metrics = agent.get(format!("{url}/metrics")).call().unwrap().body_mut().read_to_string().unwrap();
    let lost = metrics.lines().find_map(|line| line.strip_prefix("throughline_log_lines_lost_total "));
    run.struck = lost.and_then(|lost| lost.parse().ok()).unwrap_or(0);
    if run.struck == 0 {
        run.wrong.push("no line of the log was lost, or none was counted".into());
    }
    run.count(&client, &sent);
    sent
}

/// Stops a server, which has to end by itself.
fn stop(child: &mut Child, run: &mut Run) {
    let told = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(told.unwrap().success());
    let started = Instant::now();
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            if ended.code() != Some(0) {
                run.wrong.push(format!("the server ended with {ended}"));
            }
            return;
        }
        if started.elapsed() > STOPS {
            run.wrong.push("never ended: the server does not stop".into());
            let _ = child.kill();
            let _ = child.wait();
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Commands whose output somebody may stop reading, by their arguments; `LANE` and `TURN` are of the recorded store.
const COMMANDS: [&str; 24] = [
    "--help",
    "help serve",
    "version",
    "lanes list",
    "lanes show LANE",
    "why TURN",
    "replay LANE",
    "record LANE",
    "context LANE",
    "audit verify",
    "audit anchor",
    "approvals list --all",
    "effects list",
    "tools list",
    "config show",
    "config schema",
    "config check",
    "doctor",
    "explain --all",
    "completions bash",
    "eval nowhere",
    "erase nobody --yes",
    "chat --no-input --session s",
    "nonsense",
];
const LANE: &str = "ln_bploimiwbbko3dfch47pjr4o";
const TURN: &str = "tn_bploimiwbbko3dfch47pjr4o_10";
/// The exit codes of the program.
const CODES: [i32; 7] = [0, 1, 2, 3, 4, 5, 6];

#[test]
fn no_command_panics_or_hangs_when_nobody_takes_its_output() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(super::disk::RECORDED, folder.path().join("throughline.db")).unwrap();
    let mut wrong: Vec<String> =
        COMMANDS.iter().flat_map(|command| unheard(folder.path(), command)).collect();
    // What is wrong with a store is told by the exit code too.
    let last = "DELETE FROM turns WHERE n = (SELECT max(n) FROM turns)";
    throughline_store::tamper(&folder.path().join("throughline.db"), last).unwrap();
    for command in ["audit verify", "doctor"] {
        assert_eq!(ends(folder.path(), command, Stdio::null(), Stdio::null()), Some(3), "{command}");
        wrong.extend(unheard(folder.path(), command));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Runs a command whose output nobody takes. Returns the violations.
fn unheard(folder: &Path, command: &str) -> Vec<String> {
    let whole = ends(folder, command, Stdio::null(), Stdio::null());
    let mut wrong = Vec::new();
    for (out, err) in [(true, false), (false, true), (true, true)] {
        for reader in [Reader::Gone, Reader::DiskFull] {
            let to = |hit: bool| if hit { output(reader).0 } else { Stdio::null() };
            let code = ends(folder, command, to(out), to(err));
            // The exit code is that of the whole command, unless its result could not be kept.
            let kept = !(out && matches!(reader, Reader::DiskFull));
            if !code.is_some_and(|code| CODES.contains(&code)) || kept && code != whole {
                wrong.push(format!("{command}: {code:?}, not {whole:?}; out {out}, err {err}, {reader:?}"));
            }
        }
    }
    wrong
}

/// Runs a command and returns its exit code; `None` if it had to be ended.
fn ends(folder: &Path, command: &str, out: Stdio, err: Stdio) -> Option<i32> {
    let command = command.replace("LANE", LANE).replace("TURN", TURN);
    let arguments: Vec<&str> = command.split(' ').collect();
    let mut child = program(folder, &arguments).stdout(out).stderr(err).spawn().unwrap();
    let started = Instant::now();
    while child.try_wait().unwrap().is_none() && started.elapsed() < STOPS {
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    child.wait().unwrap().code()
}
