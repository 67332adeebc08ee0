//! `throughline test`: runs scenarios against the production engine and runtime, with simulated time and services.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use throughline_server::codes;
use throughline_sim::SimDriver;
use throughline_testkit::{ParseError, Report, Scenario, parse, report, run_with_faults, update};

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;

/// The suffix of scenario files.
const SUFFIX: &str = ".scenario.yaml";
/// The value of `--faults` when none is given.
const DEFAULT_SEEDS: &str = "8";
/// More seeds than this in one run are taken for a typing error.
const MAX_SEEDS: u64 = 100_000;

/// Run scenarios, with faults if you like
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline test scenarios/                    every *.scenario.yaml in a folder
  throughline test login.scenario.yaml --faults  again with kills, duplicates and late deliveries
  throughline test scenarios/ --faults=200       with two hundred seeds
  throughline test new.scenario.yaml --update    write what is seen into the file
  throughline test scenarios/ --watch            again whenever a file changes")]
pub(crate) struct Args {
    /// Scenario files, and folders of them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Re-run each scenario with faults at every turn; SEEDS is how many, or which: 1..50, 7..7, 1,2,9 [without a value: 8]
    #[arg(long, value_name = "SEEDS", num_args = 0..=1, require_equals = true, default_missing_value = DEFAULT_SEEDS,
          value_parser = parse_seeds)]
    faults: Option<Seeds>,
    /// Also write a report in JUnit's form
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Only scenarios whose name or file contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Write what was seen into the turns that expect nothing yet
    #[arg(long, conflicts_with = "faults")]
    update: bool,
    /// Run again whenever a file changes, until interrupted
    #[arg(long, conflicts_with_all = ["update", "junit"])]
    watch: bool,
}

/// The seeds of the fault runs.
#[derive(Clone, Debug, PartialEq)]
struct Seeds(Vec<u64>);

fn parse_seeds(text: &str) -> Result<Seeds, String> {
    let number = |text: &str| {
        text.trim()
            .parse::<u64>()
            .map_err(|_| format!("“{text}” is no number of seeds and no seed: 20, 1..50, 7..7 or 1,2,9"))
    };
    if let Ok(count @ 1..MAX_SEEDS) = text.trim().parse::<u64>() {
        return Ok(Seeds((1..=count).collect()));
    }
    let mut seeds = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            None => seeds.push(number(part)?),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first || last - first >= MAX_SEEDS {
                    return Err(format!("“{part}” is no range of 1 to {MAX_SEEDS} seeds, like 1..50"));
                }
                seeds.extend(first..=last);
            }
        }
    }
    Ok(Seeds(seeds))
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    if args.watch {
        return watch(app, args);
    }
    run_once(app, args)
}

/// Runs all scenarios once.
fn run_once(app: &App, args: &Args) -> Outcome {
    let (scenarios, mistakes) = load(args)?;
    if scenarios.is_empty() && mistakes.is_empty() {
        let found = format!("there is no scenario in {}", paths(&args.paths));
        return Err(Failure::usage(found).hint(match &args.filter {
            Some(filter) => {
                format!("files end in {SUFFIX}, and --filter {filter} has to be in the name or the path")
            }
            None => format!("the files of scenarios end in {SUFFIX}"),
        }));
    }
    for mistake in &mistakes {
        app.out.message(&format!("{} {mistake}{}", app.out.paint_messages().bad("error:"), code_suffix()));
    }
    let reports = run_all(app, args, &scenarios);
    if args.update {
        write_back(app, &scenarios, &reports)?;
    }
    if let Some(file) = &args.junit {
        let failed = |error| Failure::new(format!("cannot write {}", file.display())).because(&error);
        std::fs::write(file, report::junit(&reports)).map_err(failed)?;
    }
    print(app, &reports, &mistakes)?;
    let passed = reports.iter().all(Report::passed);
    Ok(if passed && mistakes.is_empty() { Exit::Ok } else { Exit::ChecksFailed })
}

fn print(app: &App, reports: &[Report], mistakes: &[ParseError]) -> Result<(), Failure> {
    if app.out.is_json() {
        let mut report: Value = serde_json::from_str(&report::json(reports))
            .map_err(|error| Failure::new("cannot read the report").because(&error))?;
        report["unreadable"] = mistakes.iter().map(ToString::to_string).collect();
        app.out.value(&report)?;
        return Ok(());
    }
    if !reports.is_empty() {
        app.out.line(&colored(app, &report::human(reports)))?;
    }
    if !mistakes.is_empty() {
        app.out.note(&format!("{} cannot be read", count(mistakes.len(), "file")));
    }
    Ok(())
}

/// Returns the error code of an invalid scenario file, in brackets.
fn code_suffix() -> String {
    codes::explain("scenario.invalid").map(|code| format!(" ({})", code.id())).unwrap_or_default()
}

/// Scenarios with their text, and the errors of files that cannot be parsed.
type Loaded = (Vec<(Scenario, String)>, Vec<ParseError>);

/// Loads the scenarios of all paths.
fn load(args: &Args) -> Result<Loaded, Failure> {
    let mut files = Vec::new();
    for path in &args.paths {
        collect(path, true, &mut files)
            .map_err(|error| Failure::usage(format!("cannot read {}", path.display())).because(&error))?;
    }
    let (mut scenarios, mut mistakes) = (Vec::new(), Vec::new());
    for file in files {
        let name = file.display().to_string();
        let text = std::fs::read_to_string(&file)
            .map_err(|error| Failure::new(format!("cannot read {name}")).because(&error))?;
        match parse(&name, &text) {
            Ok(scenario) => {
                let wanted = |filter: &String| {
                    scenario.name.contains(filter.as_str()) || name.contains(filter.as_str())
                };
                if args.filter.as_ref().is_none_or(wanted) {
                    scenarios.push((scenario, text));
                }
            }
            Err(mistake) => mistakes.push(mistake),
        }
    }
    Ok((scenarios, mistakes))
}

/// Collects the files of a path: a named file itself, or the scenarios below a folder.
fn collect(path: &Path, named: bool, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.metadata()?.is_dir() {
        if named || path.to_string_lossy().ends_with(SUFFIX) {
            into.push(path.to_owned());
        }
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect(entry, false, into))
}

/// Runs the scenarios in parallel. Returns the reports in their order.
fn run_all(app: &App, args: &Args, scenarios: &[(Scenario, String)]) -> Vec<Report> {
    let seeds = args.faults.as_ref().map(|seeds| seeds.0.as_slice()).unwrap_or_default();
    let bar = app.out.bar((scenarios.len() * (1 + seeds.len())) as u64, "scenarios");
    let next = AtomicUsize::new(0);
    let done: Mutex<BTreeMap<usize, Vec<Report>>> = Mutex::new(BTreeMap::new());
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(scenarios.len());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut driver = SimDriver::new();
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some((scenario, _)) = scenarios.get(n) else { return };
                    let reports = run_with_faults(scenario, &mut driver, seeds);
                    bar.inc(1 + seeds.len() as u64);
                    done.lock().unwrap_or_else(PoisonError::into_inner).insert(n, reports);
                }
            });
        }
    });
    bar.finish_and_clear();
    let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.into_values().flatten().collect()
}

fn write_back(app: &App, scenarios: &[(Scenario, String)], reports: &[Report]) -> Result<(), Failure> {
    for ((scenario, text), report) in scenarios.iter().zip(reports) {
        let fresh = update(text, scenario, report);
        if fresh != *text {
            std::fs::write(&scenario.file, &fresh)
                .map_err(|error| Failure::new(format!("cannot write {}", scenario.file)).because(&error))?;
            app.out.note(&format!("updated {}", scenario.file));
        }
    }
    Ok(())
}

/// Runs the scenarios, and again after each change of a file, until interrupted.
fn watch(app: &App, args: &Args) -> Outcome {
    loop {
        let before = modified_times(args);
        match run_once(app, args) {
            Ok(_) => {}
            Err(failure) => app.out.message(&failure.render(app.out.paint_messages())),
        }
        app.out.note("waiting for a change (Ctrl-C ends it)");
        while modified_times(args) == before {
            std::thread::sleep(Duration::from_millis(300));
        }
    }
}

fn modified_times(args: &Args) -> Vec<(PathBuf, Option<SystemTime>)> {
    let mut files = Vec::new();
    for path in &args.paths {
        // A file that is being replaced may be missing for a moment. That is a change as well.
        let _ = collect(path, true, &mut files);
    }
    let stamp = |file: PathBuf| {
        let changed = file.metadata().and_then(|about| about.modified()).ok();
        (file, changed)
    };
    files.into_iter().map(stamp).collect()
}

fn colored(app: &App, text: &str) -> String {
    let paint = app.out.paint();
    let line = |line: &str| match (line.strip_prefix("ok  "), line.strip_prefix("FAIL")) {
        (Some(rest), _) => format!("{}  {rest}", paint.good("ok")),
        (_, Some(rest)) => format!("{}{rest}", paint.bad("FAIL")),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn paths(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_lists_and_ranges() {
        assert_eq!(parse_seeds("3"), Ok(Seeds(vec![1, 2, 3])), "a number alone is how many");
        assert_eq!(parse_seeds("7..7"), Ok(Seeds(vec![7])));
        assert_eq!(parse_seeds("1,2,9"), Ok(Seeds(vec![1, 2, 9])));
        assert_eq!(parse_seeds("1..3,8"), Ok(Seeds(vec![1, 2, 3, 8])));
        for wrong in ["", "x", "3..1", "1..", "-1", "0..999999999"] {
            assert!(parse_seeds(wrong).is_err(), "{wrong}");
        }
    }
}
