//! B5: the cost of a turn in a lane with a long past. All lanes are in one store, so only the past differs.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use throughline_engine::{LaneKey, Policy, StepInput, step};

use crate::frame::{Fit, Goal, Scale, Section, Spread, Table, executor, note, number, spent_by_all, time};
use crate::load::messages::{REPLY, posted};
use crate::load::rows::read;
use crate::load::{Bench, Delivered, Kind, Talk, all, milliseconds};
use crate::stored::scratch;

/// Turns of a lane in a round: few enough that a short past stays short.
const TURNS: usize = 20;

/// Pasts up to this have a lane for each round; on longer ones a round more makes no difference.
const SHORT: usize = 1_000;

/// One round's result for one past, in microseconds.
struct Seen {
    step: f64,
    turn: f64,
    /// Processor time of the whole process for a turn.
    work: f64,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let ages: &[usize] =
        scale.pick(&[2, 4, 8, 16], &[10, 100, 1_000, 10_000], &[10, 100, 1_000, 10_000, 100_000]);
    let rounds = scale.pick(1, 3, 9);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("history.db");
    let executor = executor()?;
    executor.block_on(past(&path, ages, rounds))?;
    let bench = executor.block_on(async { Bench::open(&path, Delivered::ByCommit) })?;
    let mut seen: Vec<Vec<Seen>> = ages.iter().map(|_| Vec::new()).collect();
    for round in 0..rounds {
        note(&format!("B5: round {} of {rounds}", round + 1));
        let lanes: Vec<Talk> = ages.iter().map(|age| bench.talk(key(*age, round))).collect();
        for (seen, one) in seen.iter_mut().zip(executor.block_on(once(&bench, &lanes))?) {
            seen.push(one);
        }
    }
    executor.block_on(bench.close());
    Ok(report(ages, &seen))
}

/// Returns the lane of a past in a round.
fn key(age: usize, round: usize) -> LaneKey {
    let which = if age <= SHORT { round } else { 0 };
    LaneKey::new("bench", "app", "api", &format!("age{age}"), &which.to_string())
}

/// Makes the pasts by real turns: a message of a person and one of ours each.
async fn past(path: &Path, ages: &[usize], rounds: usize) -> anyhow::Result<()> {
    note("B5: the pasts");
    let made = scratch()?;
    let draft = made.path().join("history.db");
    let bench = Bench::open(&draft, Delivered::ByCommit)?;
    let mut tasks = Vec::new();
    for age in ages {
        for round in 0..if *age <= SHORT { rounds } else { 1 } {
            let talk = bench.talk(key(*age, round));
            let turns = age.div_ceil(2);
            tasks.push(tokio::spawn(async move { all(vec![talk], Kind::Reply, turns).await.map(drop) }));
        }
    }
    for task in tasks {
        task.await??;
    }
    bench.close().await;
    std::fs::copy(draft, path)?;
    Ok(())
}

/// Runs one round: one turn in each lane by turns, so that a disturbance of the disk affects all of them.
async fn once(bench: &Bench, lanes: &[Talk]) -> anyhow::Result<Vec<Seen>> {
    for talk in lanes {
        // The lane is claimed and loaded with the first.
        talk.say(REPLY).await?;
    }
    let mut took = vec![Vec::with_capacity(TURNS); lanes.len()];
    let mut work = took.clone();
    for turn in 0..TURNS {
        for n in 0..lanes.len() {
            let n = (turn + n) % lanes.len();
            let (sent, before) = (Instant::now(), spent_by_all());
            lanes[n].say(REPLY).await?;
            took[n].push(sent.elapsed());
            work[n].push(spent_by_all() - before);
        }
    }
    let mut seen = Vec::with_capacity(lanes.len());
    for (n, talk) in lanes.iter().enumerate() {
        let [turn, work] = [&took[n], &work[n]].map(|times| milliseconds(times).median() * 1e3);
        seen.push(Seen { step: stepped(bench, talk).await?, turn, work });
    }
    Ok(seen)
}

/// The median step over the lane as the store has it, in time of the processor.
async fn stepped(bench: &Bench, talk: &Talk) -> anyhow::Result<f64> {
    let lane = read(&bench.runtime, &talk.lane).await?;
    let (policy, mut given) = (Policy::default(), StepInput::default());
    given.addressing.direct = true;
    let event = posted("bench:now", 0, REPLY);
    Ok(time(200, &|| drop(black_box(step(black_box(&lane), &event, &given, &policy)))).p50)
}

fn report(ages: &[usize], results: &[Vec<Seen>]) -> Section {
    let mut section = Section::new("B5", "growth with a lane's past");
    section.say(format!(
        "Lanes of different pasts in one store, made by real turns; the records loaded stay within policy. One person \
         at a time, turn and turn about in all lanes, {TURNS} turns of each a round, {} rounds; the reply, delivered by the commit; \
         medians of the rounds in microseconds. A turn waits for a disk \
         that others use; what the process had of the processor for it does not.",
        results.first().map_or(0, Vec::len)
    ));
    let mut table =
        Table::new(&["past messages", "step p50 µs", "durable turn, processor µs", "durable turn p50 µs"]);
    let (mut steps, mut works, mut turns) = (Vec::new(), Vec::new(), Vec::new());
    for (age, rounds) in ages.iter().zip(results) {
        let of = |get: fn(&Seen) -> f64| rounds.iter().map(get).collect::<Spread>();
        let (step, work, turn) = (of(|seen| seen.step), of(|seen| seen.work), of(|seen| seen.turn));
        let age = *age as f64;
        steps.push((age, step.median()));
        works.push((age, work.median()));
        turns.push((age, turn.median()));
        table.row([number(age, 0), format!("{step:.1}"), format!("{work:.0}"), format!("{turn:.0}")]);
    }
    section.table(&table);
    let curves: [(&str, &[_]); 3] =
        [("step", &steps), ("durable turn, processor", &works), ("durable turn, p50", &turns)];
    section.table(&flatness(&curves, "past messages", 0.10));
    section
}

/// Adds the slopes of the curves over a logarithmic axis.
pub(crate) fn flatness(curves: &[(&str, &[(f64, f64)])], of: &str, goal: f64) -> Table {
    let mut table = Table::new(&[
        "curve",
        &format!("fitted, µs for each tenfold of {of}"),
        "from the first point to the last, by the fit",
        "highest point over lowest",
        "goal for the fit",
    ]);
    for (name, points) in curves {
        let fit = Fit::per_tenfold(points);
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        let rise = fit.rise(first.0.log10(), last.0.log10());
        let heights: Spread = points.iter().map(|point| point.1).collect();
        table.row([
            (*name).into(),
            format!("{:+.2}", fit.slope),
            format!("{:+.1} %", rise * 100.0),
            format!("{:.2}", heights.quantile(1.0) / heights.quantile(0.0)),
            Goal::AtMost(goal * 100.0).judge(rise * 100.0, 0, " %"),
        ]);
    }
    table
}
