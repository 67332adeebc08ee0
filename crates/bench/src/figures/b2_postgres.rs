//! B2: the durable turn on PostgreSQL, beside the server's own benchmark with the turn as one statement.

use std::sync::Arc;

use throughline_store::{PostgresStore, SystemClock};

use super::b1_turn::{KINDS, WARM, rows};
use crate::frame::{
    Goal, Scale, Section, Spread, Table, block_on, interleaved, mixed, number, ratios, spent_by_all,
};
use crate::load::rows::Rows;
use crate::load::{Bench, Kind, Seen, all, lane};
use crate::peer::Postgres;

/// Lanes in flight.
const LANES: usize = 256;

/// Clients of the server's benchmark.
const CLIENTS: usize = 16;

enum Case {
    Ours(Kind),
    Limit(Rows),
}

#[derive(Default)]
struct Measured {
    /// Messages a second.
    per_second: f64,
    /// Turns of settlements a second, which come on top.
    settled: f64,
    p50: f64,
    p99: f64,
    /// Processor time of this process for each message, in microseconds.
    work: f64,
    /// Bytes of the server's write-ahead log for each message.
    log: f64,
}

struct Sizes {
    lanes: usize,
    warm: usize,
    each: usize,
    seconds: usize,
}

/// The full path in this process, over a server beside it.
fn ours(server: &Postgres, kind: Kind, sizes: &Sizes) -> anyhow::Result<Measured> {
    let url = server.fresh("turns")?;
    let (seen, work, log) = block_on(async {
        let store = PostgresStore::open(&url, Arc::new(SystemClock::default())).await?;
        let bench = Bench::over(Arc::new(store), kind.delivered());
        let people: Vec<_> = (0..sizes.lanes).map(|n| bench.talk(lane(n))).collect();
        all(people.clone(), kind, sizes.warm).await?;
        let (before, log) = (spent_by_all(), server.written()?);
        let seen = all(people, kind, sizes.each).await?;
        let (work, log) = (spent_by_all() - before, server.written()? - log);
        bench.close().await;
        anyhow::Ok((seen, work, log))
    })??;
    let messages = (sizes.lanes * sizes.each) as f64;
    let Seen { per_second, took } = seen;
    Ok(Measured {
        per_second,
        settled: if kind == Kind::Settled { per_second } else { 0.0 },
        p50: took.median(),
        p99: took.quantile(0.99),
        work: work.as_secs_f64() * 1e6 / messages,
        log: log / messages,
    })
}

/// Returns text of that length that is as hard to compress as a program's own.
fn text(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 32);
    for n in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!("\"field_{}\":\"{:016x}\",", n % 7, mixed(n)));
    }
    text.truncate(bytes);
    text
}

/// The tables of a plain implementation.
const TABLES: &str = "CREATE TABLE delivery (key TEXT PRIMARY KEY); \
    CREATE TABLE lane (id BIGINT PRIMARY KEY, epoch BIGINT NOT NULL, revision BIGINT NOT NULL, state TEXT NOT NULL); \
    CREATE TABLE log (lane BIGINT, revision BIGINT, row TEXT NOT NULL, PRIMARY KEY (lane, revision)); \
    CREATE TABLE outbox (n BIGSERIAL PRIMARY KEY, lane BIGINT NOT NULL, state SMALLINT NOT NULL, payload TEXT NOT NULL); \
    CREATE INDEX outbox_open ON outbox (lane, n) WHERE state = 0;";

/// The turn as one statement: it takes the delivery's key, swaps the lane's row, appends a row to the log and one to the
/// outbox. The lane's row holds the head and the records that change.
fn limit(server: &Postgres, rows: &Rows, sizes: &Sizes) -> anyhow::Result<Measured> {
    server.fresh("plain")?;
    server.sql("plain", TABLES)?;
    let lanes = sizes.lanes;
    server
        .sql("plain", &format!("INSERT INTO lane SELECT n, 1, 0, '' FROM generate_series(1, {lanes}) n"))?;
    let records: usize = rows.new.iter().chain(&rows.again).sum();
    let (state, row) = (text(rows.head + records), text(rows.log));
    let outbox = text(rows.outbox.iter().sum());
    let filler = "k".repeat(rows.key.saturating_sub(16));
    let script = format!(
        "\\set lane random(1, {lanes})\n\\set key random(1, 9000000000000000000)\n\
         WITH known AS (INSERT INTO delivery VALUES ('{filler}' || :key::text)), \
         swapped AS (UPDATE lane SET revision = revision + 1, state = '{state}' WHERE id = :lane AND epoch = 1 \
         RETURNING id, revision), \
         logged AS (INSERT INTO log SELECT id, revision, '{row}' FROM swapped) \
         INSERT INTO outbox (lane, state, payload) SELECT id, 0, '{outbox}' FROM swapped;\n"
    );
    server.pgbench("plain", &script, CLIENTS, sizes.seconds.div_ceil(4))?;
    let before = server.written()?;
    let report = server.pgbench("plain", &script, CLIENTS, sizes.seconds)?;
    let log = server.written()? - before;
    let field = |name: &str| {
        let line = report.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().find_map(|word| word.parse::<f64>().ok()))
    };
    let turns = field("number of transactions actually processed:").unwrap_or(f64::NAN);
    let per_second = field("tps =").unwrap_or(f64::NAN);
    let p50 = field("latency average =").unwrap_or(f64::NAN);
    Ok(Measured { per_second, p50, log: log / turns, ..Measured::default() })
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let sizes = scale.pick(
        Sizes { lanes: 8, warm: 1, each: 2, seconds: 1 },
        Sizes { lanes: LANES, warm: WARM, each: 30, seconds: 4 },
        Sizes { lanes: LANES, warm: WARM, each: 150, seconds: 10 },
    );
    let server = Postgres::start()?;
    let mut cases: Vec<Case> = KINDS.iter().map(|(kind, ..)| Case::Ours(*kind)).collect();
    let turn = rows(Kind::Settled)?.into_iter().next().unwrap_or_default();
    let sizes_of_limit = turn.clone();
    cases.push(Case::Limit(turn));
    let results = interleaved("B2", scale.rounds(), &mut cases, |case| match case {
        Case::Ours(kind) => ours(&server, *kind, &sizes),
        Case::Limit(rows) => limit(&server, rows, &sizes),
    })?;
    Ok(report(&results, &sizes_of_limit, &server.version()?, scale))
}

fn report(results: &[Vec<Measured>], rows: &Rows, version: &str, scale: Scale) -> Section {
    let of = |n: usize, get: fn(&Measured) -> f64| results[n].iter().map(get).collect::<Spread>();
    let rates = |n: usize| results[n].iter().map(|round| round.per_second).collect::<Vec<_>>();
    let mut section = Section::new("B2", "durable turn, PostgreSQL");
    section.say(format!(
        "{LANES} lanes in flight in one process, {version} beside it on the same machine with `fsync` and \
         `synchronous_commit` on, {} rounds interleaved, messages a second: median (lowest..highest). The limit is \
         `pgbench` with {CLIENTS} clients and the turn as one prepared statement: it inserts the delivery's key, swaps the \
         lane's row ({} bytes: head and changed records), appends a row to the log ({}) and one to the outbox ({}), and \
         decides nothing.",
        scale.rounds(),
        rows.head + rows.new.iter().chain(&rows.again).sum::<usize>(),
        rows.log,
        rows.outbox.iter().sum::<usize>(),
    ));
    let mut table = Table::new(&[
        "message",
        "this engine",
        "settle turns beside",
        "pgbench",
        "ratio",
        "p50 ms",
        "p99 ms",
        "goal for the ratio",
    ]);
    let limit = KINDS.len();
    for (n, (_, name, what)) in KINDS.iter().enumerate() {
        let ratio = ratios(&rates(n), &rates(limit));
        table.row([
            format!("{name}: {what}"),
            format!("{:.0}", rates(n).into_iter().collect::<Spread>()),
            number(of(n, |m| m.settled).median(), 0),
            format!("{:.0}", rates(limit).into_iter().collect::<Spread>()),
            format!("{ratio:.2}"),
            number(of(n, |m| m.p50).median(), 1),
            number(of(n, |m| m.p99).median(), 1),
            Goal::AtLeast(2.5).judge(ratio.median(), 2, ""),
        ]);
    }
    section.table(&table);
    section.say("What a message takes of this process's processor time (the server has its own) and of the server's log:");
    let mut table = Table::new(&["message", "processor µs", "bytes of the write-ahead log"]);
    for (n, (_, name, _)) in KINDS.iter().enumerate() {
        let cells = [of(n, |m| m.work), of(n, |m| m.log)].map(|spread| number(spread.median(), 0));
        let [work, log] = cells;
        table.row([(*name).into(), work, log]);
    }
    table.row(["pgbench".into(), "–".into(), number(of(limit, |m| m.log).median(), 0)]);
    section.table(&table);
    section
}
