//! `throughline record`: writes a scenario from a recorded lane.

use std::path::PathBuf;

use serde_json::json;
use throughline_server::recording::Recording;

use crate::api::{Ids as _, Kind, Local};
use crate::app::App;
use crate::complete;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::private_file;
use crate::recorded;

/// Write a scenario from a recorded lane: what people did, and what was decided about it
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline record @latest > login.scenario.yaml
  throughline record ln_atpfhd2dnan4hnneg4slqvhi --name \"login bug\" --out login.scenario.yaml")]
pub(crate) struct Args {
    /// The lane: its id, the beginning of it, or @latest
    #[arg(add = complete::lanes())]
    lane: String,
    /// The scenario's name [default: the lane's id]
    #[arg(long)]
    name: Option<String>,
    /// The file to write, in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    recorded::require_local_store(app, "a recording")?;
    let local = Local::open_to_read(app)?;
    let info = local.stored_lane(&local.id_of(Kind::Lane, &args.lane)?)?;
    let bar = app.out.bar(info.revision, "turns read");
    let (config, runtime) = (local.config(), &local.instance().runtime);
    let read = Recording::read(runtime, &config.policy, &info, |revision| bar.set_position(revision));
    let recording = local.block_on(read)?;
    bar.finish_and_clear();
    let erased = recording.erased;
    if recording.is_empty() {
        return Err(Failure::new(format!("there is nothing to record in {}", info.id.0))
            .why(if erased > 0 { "what was said in it was erased" } else { "nothing happened in it yet" }));
    }
    if erased > 0 {
        app.out.warn(&format!("{erased} turns are left out: what was said in them was erased"));
    }
    write(app, args, &recording.to_yaml(args.name.as_deref().unwrap_or(info.id.as_str())))
}

fn write(app: &App, args: &Args, yaml: &str) -> Outcome {
    match &args.out {
        Some(file) => {
            let failed = |error| Failure::new(format!("cannot write {}", file.display())).because(&error);
            private_file::write(file, yaml).map_err(failed)?;
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
