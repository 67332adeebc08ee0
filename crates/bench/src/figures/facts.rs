//! The cost of a turn that writes and reads facts, in a tenant with few of them and in one with many.

use std::path::{Path, PathBuf};
use std::time::Instant;

use throughline_engine::LaneKey;

use crate::frame::{
    Goal, Scale, Section, Spread, Table, block_on, interleaved, note, number, ratios, spent_by_all,
};
use crate::load::{Bench, Delivered};

/// Facts of one of the other channels: under what a channel may hold.
const EACH: usize = 250;

/// Facts of the channel that is talked in, in either store.
const HERE: usize = 10;

/// The stated facts, by turns: stated for the channel, so that its set is read, compared and written.
const SAID: [&str; 2] = [
    "Remember for this channel that releases must be signed",
    "Remember for this channel that audits need two people",
];

/// A store with so many facts.
struct Store {
    facts: usize,
    path: PathBuf,
}

/// Microseconds a turn.
#[derive(Clone, Copy)]
struct Took {
    wall: f64,
    work: f64,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let many = scale.pick(60, 10_000, 10_000);
    let (rounds, turns) = scale.pick((1, 8), (6, 400), (10, 1_000));
    let folder = tempfile::tempdir()?;
    let mut stores = Vec::new();
    for facts in [HERE, many] {
        let path = folder.path().join(format!("{facts}.db"));
        made(&path, facts)?;
        stores.push(Store { facts, path });
    }
    let took = interleaved("facts", rounds, &mut stores, |store| stated(store, turns))?;
    Ok(report(&stores, &took))
}

fn room(n: usize) -> LaneKey {
    LaneKey::new("bench", "app", "api", &format!("room{n}"), "t1")
}

/// Makes the facts by turns, as people would: the first channel has as many in either store, others hold the rest.
fn made(path: &Path, facts: usize) -> anyhow::Result<()> {
    note(&format!("facts: {facts} facts"));
    block_on(async {
        let bench = Bench::open(path, Delivered::ByCommit)?;
        for n in 0..facts {
            let room = if n < HERE { 0 } else { 1 + (n - HERE) / EACH };
            let said =
                format!("Remember for this channel that service number {n} answers in {} ms", n % 90 + 10);
            bench.talk(self::room(room)).say(&said).await?;
        }
        bench.close().await;
        anyhow::Ok(())
    })?
}

fn stated(store: &Store, turns: usize) -> anyhow::Result<Took> {
    block_on(async {
        let bench = Bench::open(&store.path, Delivered::ByCommit)?;
        let talk = bench.talk(room(0));
        for said in SAID {
            talk.say(said).await?;
        }
        let (began, before) = (Instant::now(), spent_by_all());
        for n in 0..turns {
            talk.say(SAID[n % SAID.len()]).await?;
        }
        let of = |seconds: f64| seconds * 1e6 / turns as f64;
        let wall = of(began.elapsed().as_secs_f64());
        let work = of((spent_by_all() - before).as_secs_f64());
        bench.close().await;
        Ok(Took { wall, work })
    })?
}

fn report(stores: &[Store], took: &[Vec<Took>]) -> Section {
    let mut section = Section::new("facts", "facts of a tenant");
    section.say(format!(
        "One person states facts for a channel of {HERE} facts, one after the other: the channel's set is read, the \
         statement joins it, the set is compared and written with the turn. Beside it the tenant's other channels hold \
         the rest, {EACH} each."
    ));
    let mut table = Table::new(&["facts of the tenant", "turn, µs", "processor µs"]);
    let of = |took: &[Took], what: fn(&Took) -> f64| took.iter().map(what).collect::<Vec<f64>>();
    for (store, took) in stores.iter().zip(took) {
        let (wall, work): (Spread, Spread) = (
            of(took, |took| took.wall).into_iter().collect(),
            of(took, |took| took.work).into_iter().collect(),
        );
        table.row([number(store.facts as f64, 0), format!("{wall:.0}"), format!("{work:.0}")]);
    }
    section.table(&table);
    let mut table = Table::new(&["many over few", "times", "goal: the same"]);
    for (name, what) in
        [("processor", (|took: &Took| took.work) as fn(&Took) -> f64), ("wall clock", |took| took.wall)]
    {
        let ratio = ratios(&of(&took[1], what), &of(&took[0], what)).median();
        table.row([name.into(), number(ratio, 2), Goal::AtMost(1.10).judge(ratio, 2, "")]);
    }
    section.table(&table);
    section
}
