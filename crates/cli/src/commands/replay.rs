//! `throughline replay`: runs recorded turns again and compares hashes. It writes and sends nothing.

use throughline_server::wire::Replays;

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;

/// Decide recorded turns again, and compare decisions and state hashes
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline replay ln_atpfhd2dnan4hnneg4slqvhi      every turn of a lane
  throughline replay tn_5xvq2m3zsd5ljwcnhsbqy7fd_12   one turn
  throughline replay @latest                          every turn of the newest lane
Ends with 3 when a turn comes out differently.")]
pub(crate) struct Args {
    /// A lane or a turn, or the beginning of its id; @latest is the newest lane
    #[arg(value_name = "LANE|TURN", add = complete::lanes_and_turns())]
    target: String,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let api = api::open(app)?;
    let kind = if args.target.starts_with("tn_") { Kind::Turn } else { Kind::Lane };
    let target = api.id_of(kind, &args.target)?;
    let length = match kind {
        Kind::Lane => api.lane(&target)?.info.revision,
        _ => 1,
    };
    let bar = app.out.bar(length, "turns decided again");
    let replays = api.replay(&target, &mut |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let replays = replays?;
    if app.out.is_json() {
        app.out.value(&replays)?;
    } else {
        app.out.line(&summary(app, &replays))?;
    }
    // A turn whose content was erased cannot be compared, which is no fault.
    let differs = replays.differing.iter().any(|turn| turn.differs != "content_erased");
    Ok(if differs { Exit::ChecksFailed } else { Exit::Ok })
}

fn summary(app: &App, replays: &Replays) -> String {
    let mut lines = Vec::new();
    for turn in &replays.differing {
        let what = match turn.differs.as_str() {
            "decision" => "is decided differently",
            "state" => "leaves another state",
            "unknown" => "cannot be decided again",
            "content_erased" => "cannot be decided again: its content was erased, the chain holds",
            "tampered" => "does not fit its chain: the record was changed",
            other => other,
        };
        let detail = turn.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
        let mark =
            if turn.differs == "content_erased" { "erased ".into() } else { app.out.paint().bad("differs") };
        lines.push(format!("{mark} {} ({}, {}) {what}{detail}", turn.turn, turn.revision, turn.reason));
    }
    let same = if replays.same == replays.turns { app.out.paint().good("same") } else { "same".into() };
    lines.push(format!("{}: {} of {} turns came out the {same}", replays.lane, replays.same, replays.turns));
    lines.join("\n")
}
