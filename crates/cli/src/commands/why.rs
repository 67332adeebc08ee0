//! `throughline why`: prints the explanation of a turn.

use throughline_channels::terminal::safe;

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;

/// Explain a turn: what was decided, on which rung, and what every other rung failed on
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline why @latest                             the newest turn of all
  throughline why tn_5xvq2m3zsd5ljwcnhsbqy7fd_12      one turn; the beginning of its id is enough
  throughline why tn_5xvq2m3zsd5ljwcnhsbqy7fd_12 --server http://127.0.0.1:7070")]
pub(crate) struct Args {
    /// The turn: its id as answers, receipts and `lanes show` name it, the beginning of it, or @latest
    #[arg(add = complete::turns())]
    turn: String,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let api = api::open(app)?;
    let why = api.why(&api.id_of(Kind::Turn, &args.turn)?)?;
    if app.out.is_json() {
        app.out.value(&why)?;
    } else {
        app.out.line(&safe(&why.text))?;
    }
    Ok(Exit::Ok)
}
