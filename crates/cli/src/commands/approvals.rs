//! `throughline approvals`: lists approvals, shows one, and decides.

use std::fmt::Write as _;

use throughline_server::wire::{Approval, Authored};

use crate::api;
use crate::app::App;
use crate::error::Outcome;
use crate::exit::Exit;
use crate::random;
use crate::turn_answer;

/// List approvals, show one, and decide
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline approvals list
  throughline approvals show ap_4jd6ycw7wq3f5oax_12_4
  throughline approvals decide ap_4jd6ycw7wq3f5oax_12_4 --version 2 --decision approve")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the approvals that wait
    List {
        /// Also those that were decided or are over
        #[arg(long)]
        all: bool,
        /// The largest number of approvals to list
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
    },
    /// Show exactly what would run
    Show {
        /// The approval's id
        id: String,
    },
    /// Decide one, as yourself: you have to be in the approver rules
    Decide {
        /// The approval's id
        id: String,
        /// The version you saw; another one is refused
        #[arg(long, value_name = "N")]
        version: u32,
        /// The decision: approve or reject
        #[arg(long, value_name = "WORD", hide_possible_values = true)]
        decision: Decision,
    },
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
        Command::List { all, limit } => list(app, &api::open(app)?.approvals(*all, *limit)?),
        Command::Show { id } => show(app, &api::open(app)?.approval(id)?),
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
    app.out.list(approvals, "nothing waits for an approval", &columns, row)?;
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
    let size = format!("{} items, {} characters", approval.quantity, approval.total_chars);
    let _ = writeln!(out, "payload      {size}, SHA-256 {}\n", approval.payload_sha256);
    let _ = write!(out, "{:#}", approval.payload);
    app.out.line(&out)?;
    if approval.state == "pending" {
        let (id, version) = (&approval.id, approval.version);
        app.out.note(&format!(
            "\nto release it: throughline approvals decide {id} --version {version} --decision approve"
        ));
    }
    Ok(Exit::Ok)
}

fn decide(app: &App, id: &str, version: u32, decision: Decision) -> Outcome {
    let word = match decision {
        Decision::Approve => "approve",
        Decision::Reject => "reject",
    };
    let connection = api::connect(app)?;
    let decided = connection.remote.decide(id, version, word, &random::key("cli")?);
    // Closing waits for the effects that the decision released.
    connection.close()?;
    turn_answer::print(app, id, &decided?)
}
