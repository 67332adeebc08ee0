//! B10: the size of the program, and its memory: idle, and with many people following lanes.

use std::path::Path;

use anyhow::Context;

use crate::frame::{Goal, Scale, Section, Spread, Table, interleaved, note, number};
use crate::server::{Server, program};

/// Tenants the streams are spread over: one may hold 100 of them open.
const TENANTS: usize = 10;

/// Bytes of one process.
struct Resident {
    idle: f64,
    talked: f64,
    streams: f64,
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let streams = scale.pick(20, 1_000, 1_000);
    let rounds = scale.pick(1, 1, 3);
    let program = program(scale)?;
    let size = std::fs::metadata(&program)?.len() as f64;
    let mut results = interleaved("B10", rounds, &mut [()], |()| followed(scale, streams))?;
    let rounds = results.pop().unwrap_or_default();
    let of = |get: fn(&Resident) -> f64| rounds.iter().map(get).map(|bytes| bytes / 1e6).collect::<Spread>();
    let (idle, talked, open) = (of(|r| r.idle), of(|r| r.talked), of(|r| r.streams));
    let many = number(streams as f64, 0);
    let mut section = Section::new("B10", "program and memory");
    section.say(format!(
        "`throughline serve` on an empty store. The streams are {many} connections to `GET /v1/lanes/…/stream`, each \
         following a lane of its own, under {TENANTS} tenants because one may hold 100 open; each has read its lane's first \
         turn. The process needs a descriptor for each connection and some thirty more: where the limit is 1,024, raise it \
         (`ulimit -n`, `LimitNOFILE`)."
    ));
    let mut table = Table::new(&["", "MB", "goal"]);
    let name = format!("program, built as `{}`", profile(&program));
    table.row([name, format!("{:.1}", size / 1e6), Goal::AtMost(30.0).judge(size / 1e6, 0, " MB")]);
    table.row([
        "resident, idle".into(),
        format!("{idle:.1}"),
        Goal::AtMost(40.0).judge(idle.median(), 0, " MB"),
    ]);
    table.row([format!("resident after {many} lanes had a turn"), format!("{talked:.1}"), String::new()]);
    let goal = Goal::AtMost(120.0).judge(open.median(), 0, " MB");
    table.row([format!("resident at {many} open streams"), format!("{open:.1}"), goal]);
    section.table(&table);
    let each = (open.median() - talked.median()) * 1e3 / streams as f64;
    section.say(format!("A stream: {each:.1} KB."));
    Ok(section)
}

/// One server: idle, talked to, followed.
fn followed(scale: Scale, streams: usize) -> anyhow::Result<Resident> {
    let folder = tempfile::tempdir()?;
    let (server, _) = Server::start(scale, folder.path(), TENANTS)?;
    let idle = server.resident()? as f64;
    // Few clients, because their connections are kept and count like those of the streams.
    let clients: Vec<_> = (0..TENANTS).map(|tenant| server.client(tenant)).collect();
    let mut lanes = Vec::new();
    for (n, client) in clients.iter().cycle().take(streams).enumerate() {
        lanes.push((client, client.say(&format!("followed-{n}"), &format!("followed-{n}"))?));
    }
    server.settled(streams as u64)?;
    let talked = server.resident()? as f64;
    note(&format!("B10: opening {streams} streams"));
    let open = lanes
        .iter()
        .map(|(client, lane)| {
            client.stream(lane).context("this process or the server has no descriptor left?")
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    let resident = server.resident()? as f64;
    anyhow::ensure!(open.len() == streams, "not every stream is open");
    drop(open);
    Ok(Resident { idle, talked, streams: resident })
}

/// The folder a program was built into is called after its profile.
fn profile(program: &Path) -> String {
    let folder = program.parent().and_then(Path::file_name);
    folder.map_or_else(|| "unknown".into(), |name| name.to_string_lossy().into_owned())
}
