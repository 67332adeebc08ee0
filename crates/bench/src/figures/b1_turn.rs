//! B1: the durable turn on SQLite, beside a bare loop that writes the same rows in the same groups.

use crate::frame::{
    Goal, Scale, Section, Spread, Table, block_on, interleaved, number, ratios, spent_by_all,
};
use crate::load::limit::{Bare, append};
use crate::load::rows::Rows;
use crate::load::{Bench, Kind, Seen, all, lane};
use crate::stored::{disk, scratch};

/// Lanes in flight, and so the most that one commit can hold.
const LANES: usize = 64;

/// Messages before the clock runs: enough to fill the lane's window.
pub(crate) const WARM: usize = 20;

/// The result of one run of the engine.
pub(crate) struct Durable {
    pub(crate) seen: Seen,
    /// Bytes of the closed database for each message in it.
    pub(crate) bytes: f64,
    /// Processor time of the whole process for each message, in microseconds.
    pub(crate) work: f64,
}

/// The full path in this process: intake, step, commit, and the settlement of what the host delivers.
pub(crate) fn durable(kind: Kind, lanes: usize, warm: usize, each: usize) -> anyhow::Result<Durable> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("turn.db");
    let (seen, work) = block_on(async {
        let bench = Bench::open(&path, kind.delivered())?;
        let people: Vec<_> = (0..lanes).map(|n| bench.talk(lane(n))).collect();
        all(people.clone(), kind, warm).await?;
        let before = spent_by_all();
        let seen = all(people, kind, each).await?;
        let work = spent_by_all() - before;
        bench.close().await;
        anyhow::Ok((seen, work))
    })??;
    let bytes = disk::bytes(&path)? as f64 / (lanes * (warm + each)) as f64;
    Ok(Durable { seen, bytes, work: work.as_secs_f64() * 1e6 / (lanes * each) as f64 })
}

/// Returns the rows that a message of that kind writes in a lane whose window is full.
pub(crate) fn rows(kind: Kind) -> anyhow::Result<Vec<Rows>> {
    let folder = scratch()?;
    block_on(async {
        let bench = Bench::open(&folder.path().join("rows.db"), kind.delivered())?;
        let talk = bench.talk(lane(0));
        all(vec![talk.clone()], kind, WARM).await?;
        let rows = Rows::of(&bench.runtime, &talk.lane, kind).await?;
        bench.close().await;
        Ok(rows)
    })?
}

/// The cases of one round.
enum Case {
    Ours(Kind),
    Bare(Vec<Rows>, usize),
    Append(usize, usize),
}

#[derive(Default)]
struct Measured {
    per_second: f64,
    p50: f64,
    p99: f64,
    bytes: f64,
    work: f64,
}

struct Sizes {
    warm: usize,
    each: usize,
    syncs: usize,
}

fn measure(case: &Case, sizes: &Sizes) -> anyhow::Result<Measured> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("limit");
    match case {
        Case::Ours(kind) => {
            let Durable { seen, bytes, work } = durable(*kind, LANES, sizes.warm, sizes.each)?;
            let Seen { per_second, took } = seen;
            Ok(Measured { per_second, p50: took.median(), p99: took.quantile(0.99), bytes, work })
        }
        Case::Bare(rows, group) => {
            let mut bare = Bare::open(&path, *group)?;
            let each = sizes.each.max(sizes.syncs / group / 8);
            bare.run(rows, sizes.warm)?;
            let before = spent_by_all();
            let per_second = bare.run(rows, each)?;
            let work = (spent_by_all() - before).as_secs_f64() * 1e6 / (group * each) as f64;
            let messages = bare.turns() as f64 / rows.len() as f64;
            drop(bare);
            let bytes = disk::bytes(&path)? as f64 / messages;
            Ok(Measured { per_second, bytes, work, ..Measured::default() })
        }
        Case::Append(bytes, group) => {
            let per_second = append(&path, *bytes, *group, sizes.syncs)?;
            Ok(Measured { per_second, ..Measured::default() })
        }
    }
}

/// Returns the short and the long name of a case.
pub(crate) const KINDS: [(Kind, &str, &str); 3] = [
    (Kind::Settled, "reply by the host", "message, reply, the host's settlement, its turn"),
    (Kind::Reply, "reply by the commit", "message, reply"),
    (Kind::Gate, "gate", "message, a card with buttons, the card before it closed"),
];

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let sizes = scale.pick(
        Sizes { warm: 2, each: 2, syncs: 16 },
        Sizes { warm: WARM, each: 20, syncs: 300 },
        Sizes { warm: WARM, each: 150, syncs: 4_000 },
    );
    let mut cases = Vec::new();
    for (kind, ..) in KINDS {
        cases.push(Case::Ours(kind));
        cases.push(Case::Bare(rows(kind)?, LANES));
    }
    let turn = rows(Kind::Reply)?;
    let bytes = turn.iter().map(Rows::bytes).sum();
    cases.push(Case::Bare(turn, 1));
    cases.push(Case::Append(bytes, 1));
    cases.push(Case::Append(bytes, LANES));
    let results = interleaved("B1", scale.rounds(), &mut cases, |case| measure(case, &sizes))?;
    Ok(report(&cases, &results, bytes, scale))
}

fn report(cases: &[Case], results: &[Vec<Measured>], bytes: usize, scale: Scale) -> Section {
    let rates = |n: usize| results[n].iter().map(|round| round.per_second).collect::<Vec<_>>();
    let of = |n: usize, get: fn(&Measured) -> f64| results[n].iter().map(get).collect::<Spread>().median();
    let mut section = Section::new("B1", "durable turn, SQLite");
    section.say(format!(
        "{LANES} lanes in flight, `synchronous = FULL`, {} rounds interleaved, messages a second: median \
         (lowest..highest). The limit is a plain loop over SQLite with the store's settings and prepared \
         statements that writes the same rows, {LANES} lanes' turns in one transaction, and reads and decides \
         nothing. A message goes from intake (durable) to its turn (durable); the limit writes only the turn.",
        scale.rounds()
    ));
    let mut table = Table::new(&[
        "message",
        "this engine",
        "bare loop",
        "ratio",
        "p50 ms",
        "p99 ms",
        "goal for the ratio",
    ]);
    for (n, (_, name, what)) in KINDS.iter().enumerate() {
        let (ours, bare) = (rates(2 * n), rates(2 * n + 1));
        let ratio = ratios(&ours, &bare);
        table.row([
            format!("{name}: {what}"),
            format!("{:.0}", ours.into_iter().collect::<Spread>()),
            format!("{:.0}", bare.into_iter().collect::<Spread>()),
            format!("{ratio:.2}"),
            number(of(2 * n, |m| m.p50), 1),
            number(of(2 * n, |m| m.p99), 1),
            Goal::AtLeast(0.85).judge(ratio.median(), 2, ""),
        ]);
    }
    section.table(&table);
    section.say("What a message takes of the processor (all threads) and of the disk:");
    let mut table = Table::new(&["message", "processor µs: ours", "bare", "bytes on disk: ours", "bare"]);
    for (n, (_, name, _)) in KINDS.iter().enumerate() {
        let [ours, bare] = [2 * n, 2 * n + 1].map(|n| (of(n, |m| m.work), of(n, |m| m.bytes)));
        let cells = [ours.0, bare.0, ours.1, bare.1].map(|value| number(value, 0));
        let [work, bare_work, disk, bare_disk] = cells;
        table.row([(*name).into(), work, bare_work, disk, bare_disk]);
    }
    section.table(&table);
    section.say("What the limit writes for one message, in bytes, measured on a lane of ours:");
    section.table(&written(cases));
    section.say(format!("For orientation, the reply's {bytes} bytes:"));
    let mut table = Table::new(&["floor", "a second"]);
    let first = 2 * KINDS.len();
    let floors = ["bare loop, one turn a transaction", "append and `fdatasync`, one at a time"];
    let grouped = format!("append and `fdatasync`, {LANES} at a time");
    for (n, name) in floors.into_iter().chain([grouped.as_str()]).enumerate() {
        table.row([name.into(), format!("{:.0}", rates(first + n).into_iter().collect::<Spread>())]);
    }
    section.table(&table);
    section
}

/// Adds the table of the rows that the limit writes.
fn written(cases: &[Case]) -> Table {
    let mut table = Table::new(&[
        "turn",
        "delivery key",
        "head",
        "records new",
        "records again",
        "log row",
        "outbox rows",
    ]);
    let list = |bytes: &[usize]| match bytes {
        [] => "–".to_owned(),
        some => some.iter().map(ToString::to_string).collect::<Vec<_>>().join(" + "),
    };
    for (n, (_, name, _)) in KINDS.iter().enumerate() {
        let Case::Bare(turns, _) = &cases[2 * n + 1] else { continue };
        for rows in turns {
            table.row([
                if rows.settles { format!("{name}, settled") } else { (*name).into() },
                rows.key.to_string(),
                rows.head.to_string(),
                list(&rows.new),
                list(&rows.again),
                rows.log.to_string(),
                if rows.settles { "1 ended".into() } else { list(&rows.outbox) },
            ]);
        }
    }
    table
}
