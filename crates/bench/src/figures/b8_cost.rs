//! B8, what a message costs over HTTP: processor time and bytes on disk, beside an axum handler that writes the same turn.

use std::path::Path;
use std::time::Duration;

use crate::frame::{Fit, Goal, Scale, Section, Spread, Table, interleaved, number, ratios};
use crate::server::load::{Awaited, By, Load};
use crate::server::{DATABASE, Server};
use crate::stored::disk;

/// Connections that are kept alive.
const CONNECTIONS: [usize; 2] = [16, 64];

/// Connections over which the cost is a function.
const LOADS: [usize; 5] = [1, 4, 16, 64, 256];

/// Conversations the events are spread over, and events in each before the clock runs: enough that older messages are folded,
/// which a message of every long conversation pays for.
const LANES: usize = 256;
const WARM: usize = 20;

/// The cases of each number of connections, in order: the limit, then ours.
const CASES: [Case; 3] = [Case::Limit, Case::Ours(Awaited::Durable), Case::Ours(Awaited::Turn)];

#[derive(Clone, Copy)]
enum Case {
    Limit,
    Ours(Awaited),
}

struct Measured {
    /// Answers a second.
    answered: f64,
    /// Milliseconds.
    p99: f64,
    /// Processor time of the server for a message, in microseconds.
    work: f64,
    /// Bytes of the closed database for a message.
    bytes: f64,
}

/// Measures and adds the tables.
pub(super) fn add(section: &mut Section, scale: Scale, by: By, time: Duration) -> anyhow::Result<()> {
    let connections = if scale == Scale::Smoke { &CONNECTIONS[..1] } else { &CONNECTIONS };
    let mut cases: Vec<(usize, Case)> =
        connections.iter().flat_map(|count| CASES.map(|case| (*count, case))).collect();
    let results = interleaved("B8, cost", scale.rounds(), &mut cases, |(count, case)| {
        measure(scale, by, time, *count, *case)
    })?;
    section.say(format!(
        "What a message costs, in {LANES} conversations of which each had {WARM} messages before: processor time of the server's \
         process, in user and system mode, and bytes of its closed database. The limit is an axum handler in a process of its own \
         that writes the rows of the same turn into SQLite, as many as wait in one transaction; it checks no token, reads nothing \
         and decides nothing. Rounds interleaved with it; ratios are taken round by round.",
    ));
    section.table(&table(&cases, &results));
    over_load(section, scale, by, time)
}

/// Measures a durable 202 over the number of connections, and adds the table with the fitted exponents.
fn over_load(section: &mut Section, scale: Scale, by: By, time: Duration) -> anyhow::Result<()> {
    let mut loads: Vec<usize> = if scale == Scale::Smoke { vec![1, 16] } else { LOADS.to_vec() };
    let results = interleaved("B8, load", scale.rounds(), &mut loads, |count| {
        measure(scale, by, time, *count, Case::Ours(Awaited::Durable))
    })?;
    let of = |case: &[Measured], get: fn(&Measured) -> f64| case.iter().map(get).collect::<Spread>();
    let mut table = Table::new(&["connections, 202", "a second", "p99 ms", "processor µs", "bytes on disk"]);
    for (count, case) in loads.iter().zip(&results) {
        table.row([
            count.to_string(),
            format!("{:.0}", of(case, |m| m.answered)),
            format!("{:.1}", of(case, |m| m.p99)),
            format!("{:.0}", of(case, |m| m.work)),
            number(of(case, |m| m.bytes).median(), 0),
        ]);
    }
    let grows = |get: fn(&Measured) -> f64| {
        let median = |case: &Vec<Measured>| of(case, get).median();
        let points = loads.iter().zip(&results).map(|(count, case)| (*count as f64, median(case)));
        Fit::power(&points.collect::<Vec<_>>())
    };
    section.say(format!(
        "The same over load. Fitted to the medians, with the number n of connections the rate grows as n^{:.2}, the processor time of \
         a message as n^{:.2}, the p99 as n^{:.2}.",
        grows(|m| m.answered),
        grows(|m| m.work),
        grows(|m| m.p99),
    ));
    section.table(&table);
    Ok(())
}

fn measure(scale: Scale, by: By, time: Duration, connections: usize, case: Case) -> anyhow::Result<Measured> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    match case {
        Case::Limit => {
            let load = Load { connections, lanes: LANES, awaited: Awaited::Durable };
            let server = Server::start_limit(&data)?;
            measured(scale, &server, by, load, time, folder.path(), |_| Ok(())).map(|(measured, _)| measured)
        }
        Case::Ours(awaited) => {
            let load = Load { connections, lanes: LANES, awaited };
            let (server, _) = Server::start(scale, &data, 1)?;
            let settled = |count| server.settled(count).map(drop);
            let (measured, count) = measured(scale, &server, by, load, time, folder.path(), settled)?;
            server.stop()?;
            Ok(Measured { bytes: disk::bytes(&data.join(DATABASE))? as f64 / count as f64, ..measured })
        }
    }
}

/// Loads a server until its conversations are long, and then for that time; also returns the number of messages it took.
fn measured(
    scale: Scale,
    server: &Server,
    by: By,
    load: Load,
    time: Duration,
    folder: &Path,
    settled: impl Fn(u64) -> anyhow::Result<()>,
) -> anyhow::Result<(Measured, u64)> {
    let mut warm = 0;
    while warm == 0 || scale != Scale::Smoke && warm < (LANES * WARM) as u64 {
        warm += by.load(server, load, &format!("warm-{warm}"), time, folder)?.count;
    }
    settled(warm)?;
    let before = server.spent()?;
    let run = by.load(server, load, "run", time, folder)?;
    settled(warm + run.count)?;
    // The system counts in hundredths of a second, of which the smallest runs may take none.
    let spent = (server.spent()? - before).max(Duration::from_millis(1));
    let work = spent.as_secs_f64() * 1e6 / run.count as f64;
    let answered = run.count as f64 / run.seconds;
    Ok((Measured { answered, p99: run.p99, work, bytes: 0.0 }, warm + run.count))
}

fn table(cases: &[(usize, Case)], results: &[Vec<Measured>]) -> Table {
    let of = |case: usize, get: fn(&Measured) -> f64| results[case].iter().map(get).collect::<Vec<f64>>();
    let spread = |values: Vec<f64>| values.into_iter().collect::<Spread>();
    let mut table = Table::new(&[
        "connections, answer",
        "a second",
        "p99 ms",
        "processor µs",
        "over the limit",
        "bytes on disk",
        "goal",
    ]);
    for (n, (count, case)) in cases.iter().enumerate() {
        let (limit, durable) = (n - n % CASES.len(), n - n % CASES.len() + 1);
        let work = of(n, |m| m.work);
        let over = ratios(&work, &of(limit, |m| m.work));
        let bytes = spread(of(n, |m| m.bytes)).median();
        let (name, disk, goal) = match case {
            Case::Limit => ("axum and SQLite", "–".into(), String::new()),
            Case::Ours(Awaited::Durable) => {
                ("202", number(bytes, 0), Goal::AtMost(1.3).judge(over.median(), 2, " × the limit"))
            }
            Case::Ours(Awaited::Turn) => {
                let over_durable = ratios(&work, &of(durable, |m| m.work)).median();
                let goals = [
                    Goal::AtMost(1.5).judge(over_durable, 2, " × 202"),
                    Goal::AtMost(2_560.0).judge(bytes, 0, " bytes"),
                ];
                ("`Prefer: wait`", number(bytes, 0), goals.join(" · "))
            }
        };
        table.row([
            format!("{count}: {name}"),
            format!("{:.0}", spread(of(n, |m| m.answered))),
            format!("{:.1}", spread(of(n, |m| m.p99))),
            format!("{:.0}", spread(work)),
            format!("{over:.2}"),
            disk,
            goal,
        ]);
    }
    table
}
