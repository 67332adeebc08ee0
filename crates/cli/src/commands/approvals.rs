//! `throughline approvals`: lists approvals, shows one, and decides.

use std::fmt::Write as _;

use clap::ValueEnum as _;
use throughline_server::wire::{Approval, Authored};

use crate::api::{self, Ids as _, Kind};
use crate::app::App;
use crate::complete;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::filters::{Filters, Row};
use crate::output::count;
use crate::random;
use crate::turn_answer;

/// List approvals, show one, and decide
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline approvals list                          what waits
  throughline approvals list --state all --since 3d   the same filters as every list
  throughline approvals show @latest
  throughline approvals decide ap_4jd6ycw7wq3f5oax_12_4 --version 1 --decision approve")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the approvals that wait
    List {
        #[command(flatten)]
        filters: Filters,
        /// Only in this state: pending, approved, rejected, cancelled, expired, superseded; or all
        #[arg(long, value_name = "STATE", default_value = "pending", hide_possible_values = true)]
        state: State,
        /// Approvals in any state: --state all
        #[arg(long, conflicts_with = "state")]
        all: bool,
    },
    /// Show exactly what would run
    Show {
        /// The approval: its id, the beginning of it, or @latest
        #[arg(add = complete::approvals())]
        id: String,
    },
    /// Decide one, as yourself: you have to be in the approver rules
    Decide {
        /// The approval: its id, the beginning of it, or @latest
        #[arg(add = complete::approvals())]
        id: String,
        /// The version you saw; another one is refused
        #[arg(long, value_name = "N")]
        version: u32,
        /// The decision: approve or reject
        #[arg(long, value_name = "WORD", hide_possible_values = true)]
        decision: Decision,
    },
}

/// The values of `--state`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum State {
    /// Nobody has decided yet
    Pending,
    /// Somebody approved it
    Approved,
    /// Somebody rejected it
    Rejected,
    /// Its subject is gone
    Cancelled,
    /// Nobody decided in time
    Expired,
    /// A newer version or another card replaced it
    Superseded,
    /// Any
    All,
}

impl State {
    fn includes(self, state: &str) -> bool {
        self == Self::All || self.to_possible_value().is_some_and(|value| value.get_name() == state)
    }
}

impl Row for Approval {
    fn lane(&self) -> &str {
        &self.lane
    }

    fn at(&self) -> &str {
        &self.created_at
    }
}

/// The values of `--decision`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Decision {
    /// Release what it shows
    Approve,
    /// Refuse it
    Reject,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match &args.command {
        Command::List { filters, state, all } => {
            let api = api::open(app)?;
            let state = if *all { State::All } else { *state };
            let narrow = !matches!(state, State::Pending | State::All);
            let rows = api.approvals(state != State::Pending, filters.depth(narrow))?;
            list(app, &filters.keep(&api, rows, |approval| state.includes(&approval.state))?)
        }
        Command::Show { id } => {
            let api = api::open(app)?;
            show(app, &api.approval(&api.id_of(Kind::Approval, id)?)?)
        }
        Command::Decide { id, version, decision } => decide(app, id, *version, *decision),
    }
}

fn list(app: &App, approvals: &[Approval]) -> Outcome {
    let row = |approval: &Approval| {
        vec![
            approval.id.clone(),
            approval.version.to_string(),
            approval.state.clone(),
            format!("{} to {}", approval.effects.join(", "), approval.targets.join(", ")),
            approval.requested_by.clone(),
            approval.expires_at.clone().unwrap_or_else(|| "never".into()),
        ]
    };
    let columns = ["APPROVAL", "VERSION", "STATE", "RELEASES", "ASKED BY", "UNTIL"];
    app.out.list(approvals, "no such approvals", &columns, row)?;
    Ok(Exit::Ok)
}

fn show(app: &App, approval: &Approval) -> Outcome {
    if app.out.is_json() {
        app.out.value(approval)?;
        return Ok(Exit::Ok);
    }
    let mut out =
        format!("{}  version {}, {}\n", app.out.paint().name(&approval.id), approval.version, approval.state);
    let _ = writeln!(out, "releases     {} to {}", approval.effects.join(", "), approval.targets.join(", "));
    let _ = writeln!(out, "asked by     {} at {}", approval.requested_by, approval.created_at);
    for Authored { field, by, .. } in &approval.authors {
        let _ = writeln!(out, "written      {field} by {}", by.join(", "));
    }
    if let Some(end) = &approval.expires_at {
        let _ = writeln!(out, "until        {end}");
    }
    if let Some(decided) = &approval.decided {
        let _ = writeln!(out, "decided      {} by {} at {}", decided.action, decided.by_name, decided.at);
    }
    let _ = writeln!(out, "in lane      {}", approval.lane);
    let size = format!("{}, {}", count(approval.quantity, "item"), count(approval.total_chars, "character"));
    let _ = writeln!(out, "payload      {size}, SHA-256 {}\n", approval.payload_sha256);
    let _ = write!(out, "{:#}", approval.payload);
    app.out.line(&out)?;
    if approval.state == "pending" {
        let (id, version) = (&approval.id, approval.version);
        let decide = format!("approvals decide {id} --version {version} --decision approve");
        app.out.note(&format!("\nto release it: {}", app.command(&decide)));
    }
    Ok(Exit::Ok)
}

fn decide(app: &App, id: &str, version: u32, decision: Decision) -> Outcome {
    let word = match decision {
        Decision::Approve => "approve",
        Decision::Reject => "reject",
    };
    let connection = api::connect(app)?;
    let id = &connection.remote.id_of(Kind::Approval, id)?;
    let decided = connection.remote.decide(id, version, word, &random::key("cli")?);
    // Closing waits for the effects that the decision released.
    connection.close()?;
    turn_answer::print(app, id, &decided?)
}
