//! B3: the same turns by LangGraph with its PostgreSQL checkpointer, in the same run.

use std::path::Path;
use std::time::{Duration, Instant};

use throughline_engine::data::action::Action;

use crate::frame::{Goal, Scale, Section, Spread, Table, block_on, interleaved, note, number, ratios};
use crate::load::messages::{GATE, REPLY};
use crate::load::{Bench, Delivered, Kind, Talk, all, lane, milliseconds};
use crate::peer::{LangGraph, Setup, Told};
use crate::stored::scratch;

/// Conversations at once, where there are many.
const MANY: usize = 16;

/// One side at one load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    Ours { at_once: usize, past: usize },
    Peer { setup: Setup, at_once: usize, past: usize },
}

struct Sizes {
    /// Messages of a short past and of a long one.
    pasts: [usize; 2],
    time: Duration,
    /// With a long past the peer needs longer for a turn.
    long_time: Duration,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let seconds = |seconds: f64| Duration::from_secs_f64(seconds);
    let sizes = scale.pick(
        Sizes { pasts: [2, 4], time: seconds(0.1), long_time: seconds(0.1) },
        Sizes { pasts: [10, 1_000], time: seconds(4.0), long_time: seconds(8.0) },
        Sizes { pasts: [10, 10_000], time: seconds(8.0), long_time: seconds(25.0) },
    );
    // The smallest runs are tests, and install nothing.
    let mut peer = if scale == Scale::Smoke { None } else { Some(LangGraph::set_up()?) };
    let [short, long] = sizes.pasts;
    let mut cases = Vec::new();
    for (at_once, past) in [(1, short), (MANY, short), (1, long), (MANY, long)] {
        cases.push(Case::Ours { at_once, past });
        if peer.is_some() {
            cases.push(Case::Peer { setup: Setup::Documented, at_once, past });
        }
    }
    if peer.is_some() {
        cases.push(Case::Peer { setup: Setup::Best, at_once: MANY, past: short });
    }
    let folder = tempfile::tempdir()?;
    prepare(&folder.path().join("b3.db"), &sizes)?;
    let results = interleaved("B3", scale.pick(1, 1, 3), &mut cases, |case| {
        let time = |past: usize| if past == short { sizes.time } else { sizes.long_time };
        match (*case, &mut peer) {
            (Case::Peer { setup, at_once, past }, Some(peer)) => peer.run(setup, at_once, past, time(past)),
            (Case::Peer { .. }, None) => anyhow::bail!("there is no peer"),
            (Case::Ours { at_once, past }, _) => {
                ours(&folder.path().join("b3.db"), at_once, past, sizes.time)
            }
        }
    })?;
    let against = peer.as_ref().map(LangGraph::version).transpose()?;
    Ok(report(&sizes, against.as_deref(), &cases, &results))
}

/// Returns the n-th of our conversations with that past.
fn talk(bench: &Bench, past: usize, at_once: usize, n: usize) -> Talk {
    bench.talk(lane(past * 100_000 + at_once * 1_000 + n))
}

/// Gives every conversation its past, by real turns: a message of a person and one of ours each.
fn prepare(path: &Path, sizes: &Sizes) -> anyhow::Result<()> {
    note("B3: the pasts of our conversations");
    let made = scratch()?;
    let draft = made.path().join("b3.db");
    block_on(async {
        let bench = Bench::open(&draft, Delivered::ByCommit)?;
        for past in sizes.pasts {
            let people = [1, MANY].into_iter().flat_map(|at_once| (0..at_once).map(move |n| (at_once, n)));
            let people = people.map(|(at_once, n)| talk(&bench, past, at_once, n)).collect();
            all(people, Kind::Reply, past / 2).await?;
        }
        bench.close().await;
        anyhow::Ok(())
    })??;
    std::fs::copy(draft, path)?;
    Ok(())
}

/// Runs the peer's turns by the engine: three replies, a gate, a press.
fn ours(path: &Path, at_once: usize, past: usize, time: Duration) -> anyhow::Result<Told> {
    block_on(async {
        let bench = Bench::open(path, Delivered::ByCommit)?;
        let people: Vec<_> = (0..at_once).map(|n| talk(&bench, past, at_once, n)).collect();
        for talk in &people {
            round(talk, &mut Vec::new()).await?;
        }
        let began = Instant::now();
        let tasks: Vec<_> = people
            .into_iter()
            .map(|talk| {
                tokio::spawn(async move {
                    let mut took = Vec::new();
                    while began.elapsed() < time {
                        round(&talk, &mut took).await?;
                    }
                    anyhow::Ok(took)
                })
            })
            .collect();
        let mut took = Vec::new();
        for task in tasks {
            took.extend(task.await??);
        }
        let per_second = took.len() as f64 / began.elapsed().as_secs_f64();
        bench.close().await;
        let took = milliseconds(&took);
        Ok(Told { per_second, p50: took.median(), p99: took.quantile(0.99) })
    })?
}

async fn round(talk: &Talk, took: &mut Vec<Duration>) -> anyhow::Result<()> {
    for turn in 0..5 {
        let began = Instant::now();
        match turn {
            0..3 => talk.say(REPLY).await?,
            3 => talk.say(GATE).await?,
            _ => talk.press(Action::Dismiss).await?,
        }
        took.push(began.elapsed());
    }
    Ok(())
}

fn report(sizes: &Sizes, against: Option<&str>, cases: &[Case], results: &[Vec<Told>]) -> Section {
    let mut section = Section::new("B3", "against LangGraph");
    let [short, long] = sizes.pasts;
    section.say(format!(
        "The same conversation on both sides, five turns to a round: three requests answered, one question back, its answer. \
         Ours: in process over **SQLite** (`synchronous = FULL`), because the PostgreSQL store is not built yet. Theirs: {}, as \
         documented (async, pool, prepared, warm), and in its best set-up (two processes, durability at exit, no \
         interrupts). {} rounds interleaved. `benches/peers/langgraph` has the script and its set-up.",
        against.unwrap_or("not run at this scale"),
        results.first().map_or(0, Vec::len)
    ));
    let rates = |case: Case| find(cases, results, case, |told| told.per_second);
    let p50 = |case: Case| find(cases, results, case, |told| told.p50);
    let p99 = |case: Case| find(cases, results, case, |told| told.p99);
    let spread = |values: &[f64]| values.iter().copied().collect::<Spread>();
    let mut table = Table::new(&["conversations", "past messages", "side", "turns/s", "p50 ms", "p99 ms"]);
    for case in cases {
        let (side, at_once, past) = match case {
            Case::Ours { at_once, past } => ("ours", at_once, past),
            Case::Peer { setup: Setup::Documented, at_once, past } => ("LangGraph", at_once, past),
            Case::Peer { setup: Setup::Best, at_once, past } => ("LangGraph, best", at_once, past),
        };
        table.row([
            at_once.to_string(),
            number(*past as f64, 0),
            side.into(),
            format!("{:.0}", spread(&rates(*case))),
            format!("{:.1}", spread(&p50(*case))),
            format!("{:.1}", spread(&p99(*case))),
        ]);
    }
    section.table(&table);
    if against.is_none() {
        return section;
    }
    let documented = |at_once, past| Case::Peer { setup: Setup::Documented, at_once, past };
    let ours = |at_once, past| Case::Ours { at_once, past };
    let best = Case::Peer { setup: Setup::Best, at_once: MANY, past: short };
    let goal_at_long = if long == 10_000 { Some(3_000.0) } else { None };
    let mut table = Table::new(&["ratio of turns/s, round by round", "times", "goal"]);
    for (name, mine, theirs, goal) in [
        (format!("one conversation, {short} messages"), ours(1, short), documented(1, short), None),
        (
            format!("{MANY} conversations, {short} messages"),
            ours(MANY, short),
            documented(MANY, short),
            Some(150.0),
        ),
        (
            format!("{MANY} conversations, {short} messages, its best set-up"),
            ours(MANY, short),
            best,
            Some(50.0),
        ),
        (
            format!("one conversation, {} messages", number(long as f64, 0)),
            ours(1, long),
            documented(1, long),
            None,
        ),
        (
            format!("{MANY} conversations, {} messages", number(long as f64, 0)),
            ours(MANY, long),
            documented(MANY, long),
            goal_at_long,
        ),
    ] {
        let ratio = ratios(&rates(mine), &rates(theirs));
        let goal = goal.map_or_else(String::new, |goal| Goal::AtLeast(goal).judge(ratio.median(), 0, " ×"));
        table.row([name, format!("{ratio:.0}"), goal]);
    }
    section.table(&table);
    let mut table = Table::new(&["p99, ours over theirs", "ratio", "goal"]);
    for past in [short, long] {
        let ratio = ratios(&p99(ours(MANY, past)), &p99(documented(MANY, past)));
        table.row([
            format!("{MANY} conversations, {} messages", number(past as f64, 0)),
            format!("{ratio:.4}"),
            Goal::AtMost(0.05).judge(ratio.median(), 2, ""),
        ]);
    }
    section.table(&table);
    section
}

/// The results of a case's rounds.
fn find(cases: &[Case], results: &[Vec<Told>], case: Case, get: fn(&Told) -> f64) -> Vec<f64> {
    let at = cases.iter().position(|known| *known == case);
    at.map_or_else(Vec::new, |at| results[at].iter().map(get).collect())
}
