//! `throughline lanes`: lists the lanes, and shows one.

use std::fmt::Write as _;

use serde_json::json;
use throughline_channels::terminal::safe;
use throughline_server::wire::{Lane, LaneInfo, TurnInfo};

use crate::api::{self, Ids as _, Kind, place};
use crate::app::App;
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::filters::{Filters, Row};
use crate::output::count;

/// List lanes, and show one
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline lanes list                              newest first
  throughline lanes list --channel web --since 2h     the same filters as every list
  throughline lanes show @latest                      or the beginning of an id")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the lanes
    List {
        #[command(flatten)]
        filters: Filters,
        /// Only lanes in this state: waiting (events are being handled) or idle
        #[arg(long, value_name = "STATE", hide_possible_values = true)]
        state: Option<State>,
    },
    /// Show a lane: messages, what waits, its newest turns
    Show {
        /// The lane: its id, the beginning of it, or @latest
        #[arg(add = complete::lanes())]
        lane: String,
        /// The number of newest turns to show
        #[arg(long, value_name = "N", default_value_t = 10)]
        turns: usize,
    },
}

/// The values of `--state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum State {
    /// Events wait to be handled
    Waiting,
    /// Nothing waits
    Idle,
}

impl Row for LaneInfo {
    fn lane(&self) -> &str {
        &self.id
    }

    fn at(&self) -> &str {
        &self.updated_at
    }
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let api = api::open(app)?;
    match &args.command {
        Command::List { filters, state } => {
            let lanes = api.lanes(None, filters.depth(state.is_some()))?;
            let wanted =
                |lane: &LaneInfo| state.is_none_or(|state| (state == State::Waiting) == (lane.waiting > 0));
            list(app, &filters.keep(&api, lanes, wanted)?)
        }
        Command::Show { lane, turns } => {
            let lane = api.id_of(Kind::Lane, lane)?;
            show(app, &api.lane(&lane)?, &api.turns(&lane, *turns)?)
        }
    }
}

fn list(app: &App, lanes: &[LaneInfo]) -> Outcome {
    let row = |lane: &LaneInfo| {
        vec![
            lane.id.clone(),
            place(lane),
            lane.revision.to_string(),
            lane.waiting.to_string(),
            lane.updated_at.clone(),
        ]
    };
    let none = format!("no lanes: `{}` begins one", app.command("chat"));
    let columns = ["LANE", "PLACE", "TURNS", "WAITING", "LAST TURN"];
    app.out.list(lanes, &none, &columns, row)?;
    Ok(Exit::Ok)
}

fn show(app: &App, lane: &Lane, turns: &[TurnInfo]) -> Outcome {
    if app.out.is_json() {
        app.out.value(&json!({ "lane": lane, "turns": turns }))?;
        return Ok(Exit::Ok);
    }
    let paint = app.out.paint();
    let mut out = format!("{}  {}\n", paint.name(&lane.info.id), place(&lane.info));
    let _ = writeln!(out, "{}, {} waiting", count(lane.info.revision, "turn"), lane.info.waiting);
    if let Some(intent) = &lane.remembered {
        let _ = writeln!(out, "unclear messages are taken as: {intent}");
    }
    if lane.asking {
        let _ = writeln!(out, "a model is being asked");
    }
    let _ = writeln!(out, "\n{}", paint.name("Waiting"));
    for pending in &lane.pending {
        let until = pending.expires_at.as_ref().map(|end| format!(", until {end}")).unwrap_or_default();
        let expected = pending.expected.as_ref().map(|kind| format!(" for {kind}")).unwrap_or_default();
        let card =
            pending.card.as_ref().map(|card| format!(" on {card} v{}", pending.version)).unwrap_or_default();
        let _ = writeln!(out, "  {}{expected}{card}{until}", pending.kind);
    }
    if lane.pending.is_empty() {
        let _ = writeln!(out, "  nothing");
    }
    if !lane.tasks.is_empty() {
        let _ = writeln!(out, "\n{}", paint.name("Tasks"));
    }
    for task in &lane.tasks {
        let with = task.with.as_ref().map(|name| format!(", with {name}")).unwrap_or_default();
        let why = task.reason.as_ref().or(task.result.as_ref()).map(|text| format!(": {text}"));
        let line = format!("{} {}{with}{}", task.status, task.intent, why.unwrap_or_default());
        let _ = writeln!(out, "  {}  {}", paint.dim(&task.id), safe(&line));
    }
    let _ = writeln!(out, "\n{}", paint.name("Messages"));
    for message in &lane.messages {
        let who = message.by.as_deref().unwrap_or("throughline");
        let text = message.card.as_ref().map_or(message.text.as_str(), |card| card.title.as_str());
        let _ =
            writeln!(out, "  {}  {who}: {}", paint.dim(&message.at), safe(text).replace('\n', "\n      "));
    }
    let _ = writeln!(out, "\n{}", paint.name("Newest turns"));
    app.out.line(&out)?;
    let row = |turn: &TurnInfo| {
        let rung = turn.rung.to_string();
        vec![turn.turn.clone(), turn.at.clone(), turn.event.clone(), rung, turn.reason.clone()]
    };
    let rows: Vec<Vec<String>> = turns.iter().map(row).collect();
    app.out.table(&["TURN", "AT", "EVENT", "RUNG", "REASON"], &rows)?;
    if let Some(newest) = turns.first() {
        app.out.note(&format!("\nwhy one of them: {}", app.command(&format!("why {}", newest.turn))));
    }
    Ok(Exit::Ok)
}
