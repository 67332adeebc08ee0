//! Runs the cells of a fault matrix, counts what came of them, and prints the counts as a table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use crate::client::Client;
use crate::script::Transcript;
use crate::{number, run_some_at_once};

/// The number of runs at once. Some start a process again and again.
const AT_ONCE: usize = 4;

/// Result of one run.
#[derive(Default)]
pub(crate) struct Run {
    /// The number of times that the fault struck.
    pub(crate) struck: u64,
    /// The number of accepted events.
    pub(crate) events: usize,
    /// The number of planned effects.
    pub(crate) effects: usize,
    /// The reasons why requests were refused, with their counts.
    pub(crate) refusals: BTreeMap<String, u64>,
    /// The violations.
    pub(crate) wrong: Vec<String>,
}

/// Refusals by a machine whose disk fails.
const REFUSALS: [&str; 3] = ["503 TL-6201", "503 TL-6202", "409 TL-2202"];

impl Run {
    /// Counts the events and effects of a run whose fault is over.
    pub(crate) fn count(&mut self, client: &Client, sent: &[Transcript]) {
        self.count_refused(client, sent, &[]);
    }

    /// Counts a run in which requests may be refused for these reasons as well.
    pub(crate) fn count_refused(&mut self, client: &Client, sent: &[Transcript], also: &[&str]) {
        self.events += sent.iter().map(|lane| lane.events.len() + lane.unawaited.len()).sum::<usize>();
        self.effects += client.list("/v1/effects?limit=200").len();
        self.refusals = client.refusals();
        // What is refused is refused with the code of its reason.
        let known = |refusal: &str| REFUSALS.contains(&refusal) || also.contains(&refusal);
        let odd = self.refusals.keys().filter(|refusal| !known(refusal));
        self.wrong.extend(odd.map(|refusal| format!("refused with {refusal}")));
    }

    /// Checks that no process panicked.
    pub(crate) fn check_log(&mut self, data: &Path) {
        let log = std::fs::read_to_string(data.join("log")).unwrap_or_default();
        self.wrong.extend(log.lines().filter(|line| line.contains("panicked at")).map(str::to_owned));
    }
}

/// The counts of a cell.
#[derive(Default)]
struct Cell {
    runs: u64,
    struck: u64,
    events: usize,
    effects: usize,
    refused: u64,
    lost: usize,
    doubled: usize,
    never_ended: usize,
    wrong: Vec<String>,
}

impl Cell {
    fn add(&mut self, run: Run, seed: u64) {
        self.runs += 1;
        self.struck += run.struck;
        self.events += run.events;
        self.effects += run.effects;
        self.refused += run.refusals.values().sum::<u64>();
        let of = |what: &str| run.wrong.iter().filter(|wrong| wrong.starts_with(what)).count();
        self.lost += of("lost");
        self.doubled += of("doubled");
        self.never_ended += of("never ended");
        self.wrong.extend(run.wrong.into_iter().map(|wrong| format!("seed {seed}: {wrong}")));
    }
}

/// Runs each cell with each seed, and prints a table with a row for each cell. Panics with the violations.
#[expect(clippy::print_stdout, reason = "the counts of the matrix are what is quoted")]
pub(crate) fn run<T: Sync + std::panic::RefUnwindSafe>(
    title: &str,
    cells: &[(String, T)],
    play: impl Fn(&T, u64) -> Run + Sync + std::panic::RefUnwindSafe,
) {
    let (first, seeds) = (number("THROUGHLINE_CRASH_FIRST", 1), number("THROUGHLINE_FAULT_SEEDS", 1));
    let only = std::env::var("THROUGHLINE_FAULT_CELL").unwrap_or_default();
    let asked = |cell: &usize| cells[*cell].0.contains(&only);
    let jobs: Vec<(usize, u64)> = (first..first + seeds)
        .flat_map(|seed| (0..cells.len()).filter(asked).map(move |cell| (cell, seed)))
        .collect();
    let table: Mutex<BTreeMap<usize, Cell>> = Mutex::default();
    let started = Instant::now();
    run_some_at_once(AT_ONCE, &jobs, |(cell, seed)| {
        let ran = std::panic::catch_unwind(|| play(&cells[*cell].1, *seed)).unwrap_or_else(|why| {
            let why = why.downcast_ref::<String>().cloned().unwrap_or_default();
            Run { wrong: vec![format!("never ended: {why}")], ..Run::default() }
        });
        table.lock().unwrap().entry(*cell).or_default().add(ran, *seed);
    });
    let table = table.into_inner().unwrap();
    let mut out = format!(
        "\n{title}: seeds {first} to {}, {} s\n\n| Fault | Runs | Struck | Refused | Events | Effects | Lost | Doubled | Never ended |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        first + seeds - 1,
        started.elapsed().as_secs()
    );
    for (at, cell) in &table {
        let Cell { runs, struck, refused, events, effects, lost, doubled, never_ended, .. } = cell;
        let name = &cells[*at].0;
        let _ = writeln!(
            out,
            "| {name} | {runs} | {struck} | {refused} | {events} | {effects} | {lost} | {doubled} | {never_ended} |"
        );
    }
    println!("{out}");
    let wrong: BTreeMap<&str, &Vec<String>> = table
        .iter()
        .filter(|(_, cell)| !cell.wrong.is_empty())
        .map(|(at, cell)| (cells[*at].0.as_str(), &cell.wrong))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
