//! `throughline why`: prints the explanation of a turn.

use throughline_channels::terminal::safe;

use crate::api;
use crate::app::App;
use crate::error::Outcome;
use crate::exit::Exit;

/// Explain a turn: what was decided, on which rung, and what every other rung failed on
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline why tn_5xvq2m3zsd5ljwcnhsbqy7fd_12
  throughline why tn_5xvq2m3zsd5ljwcnhsbqy7fd_12 --server http://127.0.0.1:7070")]
pub(crate) struct Args {
    /// The turn's id, as answers, receipts and `lanes show` name it
    turn: String,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let why = api::open(app)?.why(&args.turn)?;
    if app.out.is_json() {
        app.out.value(&why)?;
    } else {
        app.out.line(&safe(&why.text))?;
    }
    Ok(Exit::Ok)
}
