//! B7: the bytes of a turn on the disk, and their growth with the lane's age.

use crate::frame::{Fit, Goal, Scale, Section, Table, block_on, note, number};
use crate::load::{Bench, Kind, all, lane};
use crate::stored::{disk, scratch};

/// One lane at one age: turns so far, bytes of the closed database.
type Point = (f64, f64);

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let ages: &[usize] =
        scale.pick(&[10, 20, 40, 80], &[250, 500, 1_000, 2_000], &[1_000, 2_000, 4_000, 8_000]);
    let mut section = Section::new("B7", "storage for a turn");
    section.say(
        "One lane in one database, closed and measured at several ages. The slope is the least-squares line of the \
         file's bytes over its turns; between two ages it is what that stretch took.",
    );
    let mut goals =
        Table::new(&["turn", "bytes a turn, fitted", "last stretch over the first", "goal for the slope"]);
    for (kind, name) in [(Kind::Reply, "a reply"), (Kind::Gate, "the gate")] {
        note(&format!("B7: {name}"));
        let folder = scratch()?;
        let path = folder.path().join("storage.db");
        let points = grow(&path, kind, ages)?;
        let (table, stretches) = curve(name, &points);
        section.table(&table);
        section.say(format!(
            "Where the bytes of {name} are, at {} turns: {}.",
            points[points.len() - 1].0,
            parts(&path, &points)?
        ));
        let slope = Fit::of(&points).slope;
        goals.row([
            name.into(),
            number(slope, 0),
            format!("{:.2}", stretches[stretches.len() - 1] / stretches[0]),
            Goal::AtMost(2_048.0).judge(slope, 0, ""),
        ]);
    }
    section.table(&goals);
    Ok(section)
}

fn grow(path: &std::path::Path, kind: Kind, ages: &[usize]) -> anyhow::Result<Vec<Point>> {
    let mut points = Vec::new();
    let mut done = 0;
    for age in ages {
        block_on(async {
            let bench = Bench::open(path, kind.delivered())?;
            all(vec![bench.talk(lane(0))], kind, age - done).await?;
            bench.close().await;
            anyhow::Ok(())
        })??;
        done = *age;
        points.push((done as f64, disk::bytes(path)? as f64));
    }
    Ok(points)
}

/// The curve as a table, and the bytes a turn of each stretch.
fn curve(name: &str, points: &[Point]) -> (Table, Vec<f64>) {
    let mut table = Table::new(&["turns of the lane", "file, KB", "bytes a turn since the row above"]);
    let mut stretches = Vec::new();
    let mut before = None;
    for (turns, bytes) in points {
        let stretch = before.map(|(t, b): Point| (bytes - b) / (turns - t));
        stretches.extend(stretch);
        before = Some((*turns, *bytes));
        table.row([
            format!("{name}, {}", number(*turns, 0)),
            number(bytes / 1e3, 0),
            stretch.map_or_else(|| "–".into(), |bytes| number(bytes, 0)),
        ]);
    }
    (table, stretches)
}

/// The largest tables and indexes, in bytes a turn.
fn parts(path: &std::path::Path, points: &[Point]) -> anyhow::Result<String> {
    let turns = points[points.len() - 1].0;
    let parts = disk::parts(path)?;
    let told =
        parts.iter().take(8).map(|(name, bytes)| format!("{name} {}", number(*bytes as f64 / turns, 0)));
    Ok(told.collect::<Vec<_>>().join(", "))
}
