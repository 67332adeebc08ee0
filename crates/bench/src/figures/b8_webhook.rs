//! B8: an event over HTTP until it is durable, while its turns run; the limit is B1's turn in the same run.

use std::time::{Duration, Instant};

use super::b1_turn::{WARM, durable};
use crate::frame::{Goal, Scale, Section, Spread, Table, interleaved, number, ratios};
use crate::load::Kind;
use crate::server::Server;
use crate::server::load::{By, CONNECTIONS, LANES};

/// The result of one round.
enum Measured {
    /// The turn in this process.
    Limit { per_second: f64 },
    /// Through the server: answers a second, turns a second until all of them were made, milliseconds.
    Http { answered: f64, turns: f64, p50: f64, p99: f64 },
}

enum Case {
    Limit,
    Http,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let (time, each) = scale.pick(
        (Duration::from_millis(200), 2),
        (Duration::from_secs(3), 40),
        (Duration::from_secs(10), 150),
    );
    let by = if scale == Scale::Smoke { By::Ourselves } else { By::best() };
    let results = interleaved("B8", scale.rounds(), &mut [Case::Limit, Case::Http], |case| match case {
        Case::Limit => {
            let warm = if scale == Scale::Smoke { 2 } else { WARM };
            Ok(Measured::Limit { per_second: durable(Kind::Reply, 64, warm, each)?.seen.per_second })
        }
        Case::Http => http(scale, by, time),
    })?;
    Ok(report(scale, by, &results))
}

/// A new server under load, until it has made every turn.
fn http(scale: Scale, by: By, time: Duration) -> anyhow::Result<Measured> {
    let folder = tempfile::tempdir()?;
    let (server, _) = Server::start(scale, &folder.path().join("data"), 1)?;
    let warm = by.load(&server, "warm", time / 4, folder.path())?;
    let before = server.settled(warm.count)?;
    let began = Instant::now();
    let answered = by.load(&server, "run", time, folder.path())?;
    let made = server.settled(before + answered.count)? - before;
    let seconds = began.elapsed().as_secs_f64();
    server.stop()?;
    Ok(Measured::Http {
        answered: answered.count as f64 / answered.seconds,
        turns: made as f64 / seconds,
        p50: answered.p50,
        p99: answered.p99,
    })
}

fn report(scale: Scale, by: By, results: &[Vec<Measured>]) -> Section {
    let all = |case: usize, get: fn(&Measured) -> f64| results[case].iter().map(get).collect::<Vec<_>>();
    let limit = all(0, |m| if let Measured::Limit { per_second } = m { *per_second } else { f64::NAN });
    let http = |get: fn((f64, f64, f64, f64)) -> f64| -> Vec<f64> {
        let told = results[1].iter().filter_map(|m| match m {
            Measured::Http { answered, turns, p50, p99 } => Some(get((*answered, *turns, *p50, *p99))),
            Measured::Limit { .. } => None,
        });
        told.collect()
    };
    let spread = |values: Vec<f64>| values.into_iter().collect::<Spread>();
    let (answered, turns) = (http(|m| m.0), http(|m| m.1));
    let (p50, p99) = (spread(http(|m| m.2)), spread(http(|m| m.3)));
    let (of_answers, of_turns) = (ratios(&answered, &limit), ratios(&turns, &limit));
    let mut section = Section::new("B8", "webhook, over the HTTP API");
    section.say(format!(
        "HTTP API; signed Slack comes with Slack. `POST /v1/events` with a bearer token to `throughline serve` in a process \
         of its own, 202 once durable; {CONNECTIONS} connections kept alive, {} conversations, load by {}; {} rounds \
         interleaved with the limit, B1's reply delivered by the commit, in process.",
        number(LANES as f64, 0),
        by.name(),
        scale.rounds()
    ));
    let mut table = Table::new(&["", "a second", "over B1", "goal"]);
    table.row([
        "B1's turn, in process".into(),
        format!("{:.0}", spread(limit)),
        String::new(),
        String::new(),
    ]);
    table.row([
        "answers 202, while turns run".into(),
        format!("{:.0}", spread(answered)),
        format!("{of_answers:.2}"),
        String::new(),
    ]);
    table.row([
        "turns, from the first request until none waits".into(),
        format!("{:.0}", spread(turns)),
        format!("{of_turns:.2}"),
        Goal::AtLeast(0.8).judge(of_turns.median(), 1, ""),
    ]);
    section.table(&table);
    let mut table = Table::new(&["answer, ms", "median (lowest..highest)", "goal"]);
    table.row(["p50".into(), format!("{p50:.1}"), String::new()]);
    table.row(["p99".into(), format!("{p99:.1}"), Goal::AtMost(25.0).judge(p99.median(), 0, " ms")]);
    section.table(&table);
    section
}
