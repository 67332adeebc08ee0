//! `throughline record`: a scenario from a recorded lane.

use std::path::PathBuf;

use serde_json::json;
use throughline_runtime::record::Turn;
use throughline_testkit::{Recorded, RecordedLane};

use crate::api::Local;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;

/// Write a scenario from a recorded lane: what people did, and what was decided about it
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline record ln_atpfhd2dnan4hnneg4slqvhi > login.scenario.yaml
  throughline record ln_atpfhd2dnan4hnneg4slqvhi --name \"login bug\" --out login.scenario.yaml")]
pub(crate) struct Args {
    /// The lane's id
    lane: String,
    /// What to call the scenario; the lane's id when not said
    #[arg(long)]
    name: Option<String>,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    if app.flags.server.is_some() {
        return Err(Failure::usage("a recording needs what was said, word for word")
            .why("the HTTP API does not hand that out")
            .hint("run this beside the store, while the instance is stopped, without --server"));
    }
    let local = Local::open(app)?;
    let info = local.stored_lane(&args.lane)?;
    let bar = app.out.bar(info.revision, "turns read");
    let (mut turns, mut erased) = (Vec::new(), 0);
    let mut revision = 0;
    loop {
        let page = local.ask(local.instance().store.turns(&info.key, revision, 200))?;
        let Some(last) = page.last() else { break };
        revision = last.revision;
        for stored in &page {
            let turn = Turn::read(stored).map_err(|error| {
                Failure::new(format!("cannot read the turn {}", stored.log.turn)).because(&error)
            })?;
            match recorded(&turn) {
                Some(recorded) => turns.push(recorded),
                None => erased += 1,
            }
        }
        bar.set_position(revision);
    }
    bar.finish_and_clear();
    if turns.is_empty() {
        return Err(Failure::new(format!("there is nothing to record in {}", args.lane))
            .why(if erased > 0 { "what was said in it was erased" } else { "nothing happened in it yet" }));
    }
    if erased > 0 {
        app.out.warn(&format!("{erased} turns are left out: what was said in them was erased"));
    }
    let lane = RecordedLane { lane: info.key, turns, policy: local.config().policy.clone() };
    write(app, args, &lane.to_yaml(args.name.as_deref().unwrap_or(&args.lane)))
}

fn recorded(turn: &Turn) -> Option<Recorded> {
    let content = turn.content.as_ref()?;
    Some(Recorded {
        revision: turn.row.revision,
        event: content.event.clone(),
        given: content.given.clone(),
        summary: turn.summary(),
        messages: turn.row.messages.clone(),
    })
}

fn write(app: &App, args: &Args, yaml: &str) -> Outcome {
    match &args.out {
        Some(file) => {
            let failed = |error| Failure::new(format!("cannot write {}", file.display())).because(&error);
            std::fs::write(file, yaml).map_err(failed)?;
            app.out.note(&format!("wrote {0}; run it: throughline test {0}", file.display()));
            if app.out.is_json() {
                app.out.value(&json!({ "file": file.display().to_string() }))?;
            }
        }
        None if app.out.is_json() => app.out.value(&json!({ "scenario": yaml }))?,
        None => app.out.line(yaml)?,
    }
    Ok(Exit::Ok)
}
