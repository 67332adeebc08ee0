//! Real dialogues between people and agents, over HTTP, through the real program, with duplicates and late redeliveries.
//! Afterwards the server is asked for the turn of each event.

mod check;
mod client;
mod dialogues;
mod lane;
mod report;
mod server;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output;
use crate::repo::Repo;
use client::Client;
use dialogues::Dialogue;
use lane::Sent;

/// Fewer dialogues than this are no measurement.
const LEAST: usize = 200;
/// Every so many events are delivered again at the end.
const LATE_EVERY: usize = 10;

/// The command's arguments.
struct Options {
    data: PathBuf,
    dialogues: usize,
    in_flight: usize,
    url: Option<String>,
    write: bool,
}

/// `cargo xtask drive`.
pub(crate) fn run(repo: &Repo, rest: &[String]) -> Result<ExitCode> {
    let options = options(repo, rest)?;
    let dialogues = dialogues::read(&options.data, LEAST.min(options.dialogues), options.dialogues)?;
    let turns: usize = dialogues.iter().map(|dialogue| dialogue.turns.len()).sum();
    output::step(&format!(
        "{} dialogues, {turns} user turns, {} at once",
        dialogues.len(),
        options.in_flight
    ));
    let server = if options.url.is_none() { Some(server::Server::start(repo)?) } else { None };
    let url = options.url.clone().or_else(|| server.as_ref().map(|server| server.url.clone()));
    let client = Client::new(&url.context("there is a server")?);
    let run = format!("drive{}", since_epoch());

    let before = check::issue_count(&client)?;

    let started = Instant::now();
    let sent = send_all(&client, &run, &dialogues, options.in_flight)?;
    let took = started.elapsed();
    let late = deliver_again(&client, &sent)?;

    output::step("asking what became of it");
    check::settle(&client)?;
    let mut found = check::Found::default();
    let bar = bar(sent.len(), "lanes checked");
    for sent in &sent {
        check::lane(&client, sent, &mut found)?;
        found.wrong.extend(sent.wrong.iter().cloned());
        bar.inc(1);
    }
    bar.finish_and_clear();
    let approved = sent.iter().filter(|sent| sent.ticket).count();
    check::issues(&client, before, approved, &mut found)?;
    found.wrong.extend(late.wrong);

    let measured = report::Measured::new(&sent, took, late.count, &found);
    output::out(&measured.table(repo, &options.data));
    for wrong in found.wrong.iter().take(20) {
        output::error(wrong);
    }
    if options.write {
        measured.append(repo, &options.data)?;
    }
    if found.wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    bail!("{} things are not as they must be", found.wrong.len());
}

/// Sends every dialogue, `in_flight` at once.
fn send_all(client: &Client, run: &str, dialogues: &[Dialogue], in_flight: usize) -> Result<Vec<Sent>> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let bar = bar(dialogues.len(), "dialogues sent");
    std::thread::scope(|scope| {
        for _ in 0..in_flight.min(dialogues.len()) {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(dialogue) = dialogues.get(n) else { return };
                    let sent = lane::send(client, run, n, dialogue).with_context(|| dialogue.name.clone());
                    bar.inc(1);
                    done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push((n, sent));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, sent)| sent).collect()
}

/// Deliveries that came again long after they were handled.
struct Late {
    count: usize,
    wrong: Vec<String>,
}

fn deliver_again(client: &Client, sent: &[Sent]) -> Result<Late> {
    let events = sent.iter().flat_map(|sent| &sent.events).step_by(LATE_EVERY);
    let mut late = Late { count: 0, wrong: Vec::new() };
    for event in events {
        let answer = client.post("/v1/events", &event.key, &event.body)?;
        late.count += 1;
        if answer.body["turn"] != event.turn.as_str() || !answer.replayed {
            late.wrong
                .push(format!("{} came late and was not answered with its turn: {}", event.key, answer.body));
        }
    }
    Ok(late)
}

fn options(repo: &Repo, rest: &[String]) -> Result<Options> {
    let mut options = Options {
        data: repo.path("../shared/data/dev"),
        dialogues: 400,
        in_flight: 64,
        url: None,
        write: false,
    };
    let mut rest = rest.iter();
    while let Some(flag) = rest.next() {
        let mut value = || rest.next().with_context(|| format!("{flag} needs a value"));
        match flag.as_str() {
            "--data" => options.data = value()?.into(),
            "--dialogues" => options.dialogues = value()?.parse().context("--dialogues needs a number")?,
            "--in-flight" => options.in_flight = value()?.parse().context("--in-flight needs a number")?,
            "--url" => options.url = Some(value()?.clone()),
            "--write" => options.write = true,
            other => bail!("unexpected argument {other}: see `cargo xtask help`"),
        }
    }
    if options.in_flight == 0 || options.dialogues == 0 {
        bail!("--dialogues and --in-flight must be at least 1");
    }
    Ok(options)
}

fn bar(length: usize, what: &'static str) -> ProgressBar {
    let bar = ProgressBar::new(length as u64).with_message(what);
    if let Ok(style) = ProgressStyle::with_template("    {msg} {wide_bar} {pos}/{len} {per_sec}") {
        bar.set_style(style);
    }
    bar
}

fn since_epoch() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since: Duration| since.as_secs())
}
