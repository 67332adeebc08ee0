//! B9: from the start of the process to its first answer that it is ready, over many stored lanes.

use crate::frame::{Goal, Scale, Section, Spread, Table, interleaved, number};
use crate::server::Server;
use crate::stored::idle::Idle;

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let lanes = scale.pick(40, 10_000, 100_000);
    let folder = tempfile::tempdir()?;
    let mut idle = Idle::new(folder.path());
    let stores = [0, lanes].map(|lanes| (lanes, folder.path().join(lanes.to_string())));
    for (lanes, data) in &stores {
        std::fs::create_dir(data)?;
        if *lanes > 0 {
            idle.store(&data.join("throughline.db"), *lanes)?;
        }
        // The first start makes the instance key, and the schema of an empty store.
        Server::start(scale, data, 1)?.0.stop()?;
    }
    let mut cases = stores;
    let results = interleaved("B9", scale.pick(1, 7, 15), &mut cases, |(_, data)| {
        let (server, took) = Server::start(scale, data, 1)?;
        server.stop()?;
        Ok(took.as_secs_f64() * 1e3)
    })?;
    let mut section = Section::new("B9", "cold start");
    section.say(format!(
        "`throughline serve` from the start of the process to its first `/readyz` that says 200, asked again every \
         millisecond; {} starts of each store, interleaved. The files are in the system's cache.",
        results[0].len()
    ));
    let mut table = Table::new(&["stored lanes", "ms", "goal"]);
    for ((lanes, _), took) in cases.iter().zip(results) {
        let took: Spread = took.into_iter().collect();
        let judged = Goal::AtMost(150.0).judge(took.median(), 0, " ms");
        // The goal is for the larger store at any scale.
        let goal = if *lanes > 0 { judged } else { String::new() };
        table.row([number(*lanes as f64, 0), format!("{took:.0}"), goal]);
    }
    section.table(&table);
    Ok(section)
}
