//! `throughline eval`: measures the engine's decisions against labelled cases (docs/evals.md).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Value, json};
use throughline_engine::data::policy::selection::Guardrails;
use throughline_engine::{Policy, Timestamp};
use throughline_eval::{
    Baseline, CaseError, Cases, Change, Compared, Evaluated, Filter, Gap, GuardCounter, GuardCounts, Mistake,
    Mistakes, Report, Section, evaluate, from_turns,
};
use throughline_server::codes::{self, Code};
use throughline_sim::Evals;
use throughline_testkit::Recorded;

use crate::api::Local;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;
use crate::private_file;
use crate::recorded;
use crate::settings::installation;

/// The suffix of the case files in a folder.
const SUFFIX: &str = ".jsonl";
/// The number of invalid lines that are printed.
const MAX_SHOWN: usize = 10;

/// Measure the engine's decisions against labelled cases, without a model
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline eval cases.jsonl                    counts, rates with 95 % intervals, goals
  throughline eval data/ --brief                  the headline figures of every *.jsonl in a folder
  throughline eval data/ --show 10                also the ten worst mistakes of each kind of case
  throughline eval data/ --task pending --type number --mistake missed --show 50
  throughline eval data/ --predictions out.jsonl  one line a case, for a scorer of your own
  throughline eval --folds a/,b/                  two folders beside each other, with the gaps
  throughline eval data/ --record-baseline b.json
  throughline eval data/ --baseline b.json        ends with 3 when it got worse
  throughline eval --from-lanes --cases own.jsonl  what was recorded here, labelled by what came next
  throughline eval --live --baseline then.json    what the guardrails of selection watch, in recorded turns")]
pub(crate) struct Args {
    /// Files of cases (JSON Lines), and folders of them
    #[arg(required_unless_present_any = ["from_lanes", "live", "folds"], value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Measure two folders beside each other: one to work with, and one that is only counted
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, conflicts_with_all = ["paths", "from_lanes", "live", "predictions", "show", "record_baseline", "baseline", "markdown"])]
    folds: Vec<PathBuf>,
    /// Measure what was recorded here: cases made of the stored lanes, labelled by what happened next
    #[arg(long, conflicts_with = "paths")]
    from_lanes: bool,
    /// Count what the guardrails of selection watch in the turns that were recorded here
    #[arg(long, conflicts_with_all = ["paths", "from_lanes", "predictions"])]
    live: bool,
    /// Of recorded turns, only those since this moment: 2026-03-01T09:30:00Z
    #[arg(long, value_name = "TIME", requires = "live", value_parser = parse_time)]
    since: Option<Timestamp>,
    /// Write the cases that were made, to correct a label by hand
    #[arg(long, value_name = "OUT", requires = "from_lanes")]
    cases: Option<PathBuf>,
    /// Write what was decided, one line a case
    #[arg(long, value_name = "OUT")]
    predictions: Option<PathBuf>,
    /// Show the N worst mistakes of each kind of case: message, label, decision, and why
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    show: usize,
    /// Show only mistakes of this kind, as the table counts them: hijacked, missed, wrong-value …
    #[arg(long, value_name = "KIND", requires = "show")]
    mistake: Option<String>,
    /// Only the headline figures
    #[arg(long)]
    brief: bool,
    /// Only cases of this kind: pending, value, selection, closing, utterance, anaphora, reply_to, intent
    #[arg(long, value_name = "KIND")]
    task: Option<String>,
    /// Only cases from this source
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Only cases of this expected type
    #[arg(long = "type", value_name = "TYPE")]
    expected: Option<String>,
    /// Only cases with this label, at any level: new_task, over_informative, slot_request …
    #[arg(long, value_name = "LABEL")]
    gold: Option<String>,
    /// Only cases whose message contains this
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Write the figures, to compare a later version with
    #[arg(long, value_name = "FILE", conflicts_with = "baseline")]
    record_baseline: Option<PathBuf>,
    /// Compare with figures recorded over the same cases
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// As Markdown: what docs/measurements.md is made of
    #[arg(long, hide = true)]
    markdown: bool,
}

fn parse_time(text: &str) -> Result<Timestamp, String> {
    Timestamp::parse(text).ok_or_else(|| format!("{text} is no moment like 2026-03-01T09:30:00Z"))
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    if !args.folds.is_empty() {
        return compare_folds(app, args);
    }
    let baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let (found, guard) = evaluate_all(app, args)?;
    let report = &found.report;
    let changes = match baseline {
        Some(baseline) => Some(baseline.compare(report, &guard).map_err(|error| {
            Failure::new("cannot compare with the baseline")
                .because(&error)
                .code(codes::EVAL_BASELINE.id())
                .exit(Exit::Refused)
        })?),
        None => None,
    };
    if let Some(file) = &args.predictions {
        write(app, file, &lines(&found.predictions))?;
    }
    if let Some(file) = &args.record_baseline {
        let baseline = json!(Baseline::of(report));
        write(app, file, &format!("{baseline:#}\n"))?;
    }
    print(app, args, report, changes.as_deref())?;
    if let Some(kind) = args.mistake.as_ref().filter(|kind| !has_mistake(report, kind)) {
        app.out.note(&format!(
            "there is no mistake of the kind {kind}; what there is stands behind “Mistakes:”"
        ));
    }
    let worse = changes.iter().flatten().any(|change| change.change.is_breach());
    Ok(if worse { Exit::ChecksFailed } else { Exit::Ok })
}

/// Measures two folders and prints their figures beside each other. No text of a case is shown.
fn compare_folds(app: &App, args: &Args) -> Outcome {
    let [first, second] = args.folds.as_slice() else {
        return Err(Failure::new("--folds takes two folders, divided by a comma").exit(Exit::Usage));
    };
    let selection = installation(app)?.policy.selection;
    let policy = Policy { selection, ..Policy::default() };
    let report = |folder: &PathBuf| -> Result<Report, Failure> {
        let cases = cases_of_files(std::slice::from_ref(folder), &filter(args))?;
        Ok(measure(app, cases, policy.clone())?.report)
    };
    let (one, other) = (report(first)?, report(second)?);
    let gaps = Gap::between(&one, &other);
    if app.out.is_json() {
        app.out.value(&json!({ "first": one, "second": other, "gaps": gaps }))?;
        return Ok(Exit::Ok);
    }
    let counts = format!("{} and {}", count(one.cases, "case"), count(other.cases, "case"));
    heading(app, "figures of two folds", &counts)?;
    let rows: Vec<Vec<String>> = gaps.iter().map(|gap| gap.row(&other)).collect();
    app.out.table(&Gap::HEAD, &rows)?;
    Ok(Exit::Ok)
}

/// Runs the evaluation that the arguments ask for. Returns its result and the limits for comparing with a baseline.
fn evaluate_all(app: &App, args: &Args) -> Result<(Evaluated, Guardrails), Failure> {
    if args.live {
        let (watched, guard) = watch_lanes(app, args)?;
        return Ok((Evaluated { report: Report::live(watched), ..Evaluated::default() }, guard));
    }
    let (cases, policy) = if args.from_lanes {
        cases_of_lanes(app, args)?
    } else {
        // The default policy makes figures comparable between installations. Only the settings for choosing from
        // lists are this installation's: their rollout is what is measured.
        let selection = installation(app)?.policy.selection;
        (cases_of_files(&args.paths, &filter(args))?, Policy { selection, ..Policy::default() })
    };
    let guard = policy.selection.guard.clone();
    Ok((measure(app, cases, policy)?, guard))
}

fn measure(app: &App, cases: Cases, policy: Policy) -> Result<Evaluated, Failure> {
    let bar = app.out.bar(cases.len() as u64, "cases");
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let tick = |n: usize| bar.inc(n as u64);
    let begun = Instant::now();
    let clock = || begun.elapsed();
    let found = evaluate(cases, &Evals::new(policy, workers, &tick).timed(&clock))
        .map_err(|error| Failure::new("cannot put a case to the engine").because(&error));
    bar.finish_and_clear();
    found
}

// ---- input and output files ----

fn cases_of_files(paths: &[PathBuf], filter: &Filter) -> Result<Cases, Failure> {
    let mut files = Vec::new();
    for path in paths {
        collect(path, true, &mut files).map_err(|error| unreadable(path, &error))?;
    }
    let mut cases = Cases::default();
    let mut wrong: Vec<CaseError> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error))?;
        wrong.extend(cases.read(&file.display().to_string(), &text, filter).err().unwrap_or_default());
    }
    if !wrong.is_empty() {
        return Err(invalid(&wrong));
    }
    let paths: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    require_cases(cases, &paths.join(", "), "files of cases end in .jsonl")
}

/// Makes cases of every stored lane. Returns them with the policy of this installation.
fn cases_of_lanes(app: &App, args: &Args) -> Result<(Cases, Policy), Failure> {
    let (mut made, mut unlabelled) = (Vec::new(), 0);
    let local = each_lane(app, "making cases of lanes", |turns| {
        let (cases, left) = from_turns(turns);
        made.extend(cases);
        unlabelled += left;
    })?;
    let text = lines(&made);
    if let Some(file) = &args.cases {
        write(app, file, &text)?;
    }
    app.out.note(&format!(
        "{} made no case: nothing that happened next says what was meant",
        count(unlabelled, "message")
    ));
    let mut cases = Cases::default();
    cases.read("the stored lanes", &text, &filter(args)).map_err(|wrong| invalid(&wrong))?;
    let store = local.config().store.to_string();
    let hint = "a case needs a question of the host and its answer, or a card that somebody decided";
    Ok((require_cases(cases, &store, hint)?, local.config().policy.clone()))
}

/// Counts in every stored lane what the guardrails of selection watch.
fn watch_lanes(app: &App, args: &Args) -> Result<(GuardCounts, Guardrails), Failure> {
    let policy = installation(app)?.policy.selection;
    let mut watch = GuardCounter::new(policy.ttl.repair);
    each_lane(app, "counting what was decided", |turns| {
        watch.next_lane();
        let since = |turn: &&Recorded| args.since.is_none_or(|since| turn.event.received_at >= since);
        turns.iter().filter(since).for_each(|turn| watch.turn(turn));
    })?;
    Ok((watch.seen(), policy.guard))
}

/// Calls `take` with the turns of each stored lane.
fn each_lane(app: &App, what: &str, mut take: impl FnMut(&[Recorded])) -> Result<Local, Failure> {
    recorded::require_local_store(app, what)?;
    let local = Local::open_to_read(app)?;
    let lanes = local.stored_lanes(None, usize::MAX >> 1)?;
    let bar = app.out.bar(lanes.len() as u64, "lanes read");
    for lane in &lanes {
        let (turns, _) = recorded::turns(&local, lane, |_| ())?;
        take(&turns);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(local)
}

fn filter(args: &Args) -> Filter {
    Filter {
        task: args.task.clone(),
        source: args.source.clone(),
        expected: args.expected.clone(),
        gold: args.gold.clone(),
        text: args.text.clone(),
    }
}

fn require_cases(cases: Cases, place: &str, hint: &str) -> Result<Cases, Failure> {
    if !cases.is_empty() {
        return Ok(cases);
    }
    Err(failure(&codes::EVAL_NO_CASES, format!("there is no case to measure in {place}"))
        .hint(format!("{hint}; with --task, --source, --type, --gold or --text, ask for less"))
        .exit(Exit::Usage))
}

/// Collects the files of a path: a named file itself, or the case files below a folder.
fn collect(path: &Path, named: bool, into: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.metadata()?.is_dir() {
        if named || path.to_string_lossy().ends_with(SUFFIX) {
            into.push(path.to_owned());
        }
        return Ok(());
    }
    let entries = std::fs::read_dir(path)?.map(|entry| entry.map(|entry| entry.path()));
    let mut entries: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| collect(entry, false, into))
}

fn failure(code: &Code, what: impl Into<String>) -> Failure {
    Failure::new(what).code(code.id())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    failure(&codes::EVAL_UNREADABLE, format!("cannot read {}", path.display()))
        .because(error)
        .exit(Exit::Usage)
}

fn invalid(wrong: &[CaseError]) -> Failure {
    let what = format!("{} no labelled case, so nothing was measured", are(wrong.len(), "line"));
    let failure =
        failure(&codes::EVAL_INVALID_CASE, what).hint("docs/evals.md lists the kinds and their fields");
    let failure = wrong.iter().take(MAX_SHOWN).fold(failure, |failure, line| failure.why(line.to_string()));
    if wrong.len() > MAX_SHOWN {
        failure.why(format!("and {} more", wrong.len() - MAX_SHOWN))
    } else {
        failure
    }
}

fn are(n: usize, noun: &str) -> String {
    format!("{} {}", count(n, noun), if n == 1 { "is" } else { "are" })
}

fn read_baseline(file: &Path) -> Result<Baseline, Failure> {
    let failure = || failure(&codes::EVAL_BASELINE, format!("cannot read the baseline {}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| failure().because(&error).exit(Exit::Usage))?;
    serde_json::from_str(&text).map_err(|error| failure().because(&error))
}

fn write(app: &App, file: &Path, text: &str) -> Result<(), Failure> {
    private_file::write(file, text)
        .map_err(|error| Failure::new(format!("cannot write {}", file.display())).because(&error))?;
    app.out.note(&format!("wrote {}", file.display()));
    Ok(())
}

fn lines(predictions: &[Value]) -> String {
    predictions.iter().fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}

// ---- printing ----

fn print(app: &App, args: &Args, report: &Report, changes: Option<&[Compared]>) -> Result<(), Failure> {
    if app.out.is_json() {
        let mut value = json!(report);
        if args.show > 0 {
            let shown = |task: &'static str| (task.to_owned(), json!(shown(args, report, task)));
            value["shown"] = report.mistakes.iter().map(|mistakes| shown(mistakes.task)).collect();
        }
        if let Some(changes) = changes {
            value["changes"] = json!(changes);
        }
        return Ok(app.out.value(&value)?);
    }
    if args.markdown {
        return Ok(app.out.line(&report.markdown())?);
    }
    for section in &report.sections {
        if print_section(app, args, report, section)? {
            app.out.line("")?;
        }
    }
    if !args.live {
        heading(app, "figures", &count(report.cases, "case"))?;
        app.out.table(&Report::HEAD, &report.headline())?;
    }
    if let Some(changes) = changes {
        app.out.line("")?;
        heading(app, "against the baseline", "")?;
        print_changes(app, changes)?;
    }
    Ok(())
}

/// Prints the tables and mistakes of one kind of case. Returns false if there was nothing to print.
fn print_section(app: &App, args: &Args, report: &Report, section: &Section) -> Result<bool, Failure> {
    let shown = shown(args, report, section.task);
    if args.brief && shown.is_empty() {
        return Ok(false);
    }
    heading(app, section.task, &count(section.cases, if args.live { "turn" } else { "case" }))?;
    if !args.brief {
        for note in &section.notes {
            app.out.line(note)?;
        }
        for table in &section.tables {
            app.out.line(&format!("\n{}", table.title))?;
            app.out.table(table.head, &table.text())?;
        }
        let mistakes = report.mistakes.iter().find(|mistakes| mistakes.task == section.task);
        if let Some(line) = mistakes.map(Mistakes::line) {
            let none = if line.is_empty() { "none" } else { "" };
            app.out.line(&format!("\nMistakes: {line}{none}"))?;
        }
    }
    for mistake in shown {
        app.out.line(&format!("\n{}", render(app, mistake)))?;
    }
    Ok(true)
}

fn heading(app: &App, what: &str, more: &str) -> Result<(), Failure> {
    let more = if more.is_empty() { String::new() } else { format!(" · {more}") };
    Ok(app.out.line(&format!("{}{more}", app.out.paint().name(what)))?)
}

/// Returns the worst mistakes of a kind of case, as many as `--show` asks for.
fn shown<'r>(args: &Args, report: &'r Report, task: &str) -> Vec<&'r Mistake> {
    let all =
        report.mistakes.iter().filter(|mistakes| mistakes.task == task).flat_map(|mistakes| &mistakes.all);
    let wanted = all.filter(|mistake| args.mistake.as_deref().is_none_or(|kind| kind == mistake.mistake));
    wanted.take(args.show).collect()
}

fn has_mistake(report: &Report, kind: &str) -> bool {
    report.mistakes.iter().flat_map(|mistakes| &mistakes.counts).any(|(made, _)| *made == kind)
}

fn render(app: &App, mistake: &Mistake) -> String {
    let paint = app.out.paint();
    let mut out = format!("{}  {}  {}\n", paint.bad(mistake.mistake), mistake.id, paint.dim(&mistake.group));
    let lines = [
        ("asked", mistake.asked.as_deref()),
        ("said", Some(mistake.said.as_str())),
        ("gold", Some(mistake.gold.as_str())),
        ("decided", Some(mistake.decided.as_str())),
        ("why", Some(mistake.why.as_str())),
    ];
    for (what, text) in lines.into_iter().filter_map(|(what, text)| Some((what, text?))) {
        let _ = writeln!(out, "  {what:<8} {}", text.replace('\n', "\n           "));
    }
    out
}

fn print_changes(app: &App, changes: &[Compared]) -> Result<(), Failure> {
    let row = |change: &Compared| {
        let before = change.before.map_or_else(|| "–".into(), |rate| rate.to_string());
        vec![change.key.clone(), before, change.now.to_string(), change.change.as_str().into()]
    };
    let rows: Vec<Vec<String>> =
        changes.iter().filter(|change| change.change != Change::Same).map(row).collect();
    if rows.is_empty() {
        return Ok(app.out.line("nothing changed")?);
    }
    Ok(app.out.table(&["figure", "before", "now", "change"], &rows)?)
}
