//! B6: the cost of very many idle lanes: a turn that wakes one of them, the disk, memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::b5_history::flatness;
use crate::frame::{
    Fit, Goal, Scale, Section, Spread, Table, block_on, interleaved, mixed, note, number, spent_by_all,
};
use crate::load::{Bench, Delivered, Kind};
use crate::server::Server;
use crate::stored::disk;
use crate::stored::idle::Idle;

/// Lanes in flight.
const IN_FLIGHT: usize = 64;

/// A store, and how often lanes were drawn from it.
struct Store {
    lanes: usize,
    path: PathBuf,
    bytes: f64,
    drawn: Arc<AtomicU64>,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let sizes: &[usize] =
        scale.pick(&[20, 40, 80, 160], &[1_000, 3_000, 10_000, 30_000], &[1_000, 10_000, 100_000, 1_000_000]);
    let (rounds, turns) = scale.pick((1, 64), (4, 320), (8, 1_280));
    let folder = tempfile::tempdir()?;
    let mut idle = Idle::new(folder.path());
    let mut stores = Vec::new();
    let mut resident = Vec::new();
    for lanes in sizes {
        let data = folder.path().join(lanes.to_string());
        std::fs::create_dir(&data)?;
        let path = data.join("throughline.db");
        idle.store(&path, *lanes)?;
        let bytes = disk::bytes(&path)? as f64;
        resident.push((*lanes as f64, at_start(scale, &data)?));
        stores.push(Store { lanes: *lanes, path, bytes, drawn: Arc::default() });
    }
    let rates = interleaved("B6", rounds, &mut stores, |store| woken(store, turns))?;
    let left = left_behind(scale, folder.path())?;
    Ok(report(&stores, &rates, &resident, left))
}

/// Microseconds a turn when many people wake idle lanes at once, each time another one.
#[derive(Clone, Copy)]
struct Woken {
    took: f64,
    /// Processor time of the whole process.
    work: f64,
}

fn woken(store: &Store, turns: usize) -> anyhow::Result<Woken> {
    let each = turns.div_ceil(IN_FLIGHT);
    block_on(async {
        let bench = Bench::open(&store.path, Delivered::ByCommit)?;
        let (began, before) = (Instant::now(), spent_by_all());
        let tasks: Vec<_> = (0..IN_FLIGHT)
            .map(|_| {
                let (drawn, lanes) = (store.drawn.clone(), store.lanes as u64);
                let talk = bench.talk(Idle::lane(0));
                tokio::spawn(async move {
                    for _ in 0..each {
                        let n = mixed(drawn.fetch_add(1, Ordering::Relaxed)) % lanes;
                        Kind::Reply.go(&talk.to(Idle::lane(n as usize))).await?;
                    }
                    anyhow::Ok(())
                })
            })
            .collect();
        for task in tasks {
            task.await??;
        }
        let of = |time: Duration| time.as_secs_f64() * 1e6 / (each * IN_FLIGHT) as f64;
        let woken = Woken { took: of(began.elapsed()), work: of(spent_by_all() - before) };
        bench.close().await;
        Ok(woken)
    })?
}

/// Resident bytes of a server that was started over these lanes. The start before makes the instance key, and then counts
/// what is stored.
fn at_start(scale: Scale, data: &Path) -> anyhow::Result<f64> {
    Server::start(scale, data, 1)?.0.stop()?;
    let (server, _) = Server::start(scale, data, 1)?;
    let resident = server.resident()?;
    server.stop()?;
    Ok(resident as f64)
}

/// Returns the bytes of memory that a lane leaves behind when it is idle again: the median over some thousands of lanes, one
/// after the other. Lanes before them fill what has a limit, such as the database's cache. The median is taken because the
/// allocator grows in steps.
fn left_behind(scale: Scale, folder: &Path) -> anyhow::Result<Option<f64>> {
    // Idle lanes are let go after five seconds. The tests only see that it runs.
    let idle = scale.pick(Duration::ZERO, Duration::from_secs(8), Duration::from_secs(8));
    let Some((before, lanes)) = scale.pick(Some((8, 8)), None, Some((24_000, 3_000))) else {
        return Ok(None);
    };
    note("B6: lanes that are talked in and idle again");
    let (server, _) = Server::start(scale, &folder.join("touched"), 1)?;
    let (mut talked, mut resident) = (0, Vec::new());
    for more in [before, lanes, lanes, lanes, lanes, lanes] {
        server.talk(talked..talked + more)?;
        talked += more;
        server.settled(talked as u64)?;
        std::thread::sleep(idle);
        resident.push(server.resident()? as f64);
    }
    server.stop()?;
    let grown: Spread = resident.windows(2).map(|pair| pair[1] - pair[0]).collect();
    Ok(Some(grown.median() / lanes as f64))
}

fn report(stores: &[Store], rates: &[Vec<Woken>], resident: &[(f64, f64)], left: Option<f64>) -> Section {
    let mut section = Section::new("B6", "growth with idle lanes");
    section.say(format!(
        "Stores of idle lanes, each with the head and the records of one finished turn, made by real turns. {IN_FLIGHT} \
         turns in flight, each waking an idle lane at random: claimed and loaded, the reply decided and committed. Memory \
         is that of `throughline serve` over the store."
    ));
    let mut table = Table::new(&[
        "idle lanes",
        "turn that wakes one, µs",
        "processor µs",
        "bytes on disk a lane",
        "server resident, MB",
    ]);
    let (mut turns, mut works) = (Vec::new(), Vec::new());
    for ((store, rates), (_, memory)) in stores.iter().zip(rates).zip(resident) {
        let took: Spread = rates.iter().map(|woken| woken.took).collect();
        let work: Spread = rates.iter().map(|woken| woken.work).collect();
        let lanes = store.lanes as f64;
        turns.push((lanes, took.median()));
        works.push((lanes, work.median()));
        table.row([
            number(lanes, 0),
            format!("{took:.0}"),
            format!("{work:.0}"),
            number(store.bytes / lanes, 0),
            number(memory / 1e6, 1),
        ]);
    }
    section.table(&table);
    section.table(&flatness(
        &[("turn that wakes an idle lane, processor", &works), ("the same, wall clock", &turns)],
        "idle lanes",
        0.15,
    ));
    let disk: Vec<_> = stores.iter().map(|store| (store.lanes as f64, store.bytes)).collect();
    let mut table = Table::new(&["an idle lane takes", "bytes, fitted", "goal"]);
    let on_disk = Fit::of(&disk).slope;
    table.row(["on disk".into(), number(on_disk, 0), Goal::AtMost(4_096.0).judge(on_disk, 0, "")]);
    let stored = Fit::of(resident).slope;
    // A page more or less of resident memory is noise: below a byte for each lane there is none.
    let none = |bytes: f64| Goal::AtMost(0.0).judge(bytes.max(0.0).floor(), 0, "");
    table.row(["in memory, never talked in since the start".into(), number(stored, 2), none(stored)]);
    let name = "in memory, talked in and idle again".into();
    table.row(match left {
        Some(left) => [name, number(left, 0), none(left)],
        None => [name, "in the full run only".into(), String::new()],
    });
    section.table(&table);
    section
}
