//! `throughline audit`: verifies the hash chains of the audit log and of every lane, and what they vouch for.

use serde_json::{Value, json};

use crate::api::Local;
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;

/// Verify the record: the audit chain, and the chain of every lane's turns
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline audit verify
Ends with 3 when anything was changed, moved or cut off.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Verify every hash chain
    Verify,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    match args.command {
        Command::Verify => verify(app),
    }
}

fn verify(app: &App) -> Outcome {
    if app.flags.server.is_some() {
        return Err(Failure::usage("the chains are verified where they are stored")
            .why("the HTTP API has no route for it in this version")
            .hint("run this beside the store, while the instance is stopped, without --server"));
    }
    let local = Local::open(app)?;
    let mut broken = Vec::new();
    for tenant in local.config().tenants() {
        if let Some(row) = local.block_on(local.instance().store.verify_audit(tenant))? {
            broken.push(format!("audit chain of {tenant}: row {row} does not fit"));
        }
        broken.extend(local.block_on(local.instance().runtime.verify_approvals(tenant))?);
    }
    let lanes = local.stored_lanes(usize::MAX >> 1)?;
    let bar = app.out.bar(lanes.len() as u64, "lanes verified");
    let mut turns = 0;
    for lane in &lanes {
        let chain = local.block_on(local.instance().runtime.verify_lane(lane))?;
        turns += chain.turns;
        broken.extend(chain.broken);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let summary = json!({ "lanes": lanes.len(), "turns": turns, "broken": broken });
    print(app, &summary, &broken)
}

fn print(app: &App, summary: &Value, broken: &[String]) -> Outcome {
    if app.out.is_json() {
        app.out.value(summary)?;
    } else {
        for what in broken {
            app.out.line(&format!("{} {what}", app.out.paint().bad("broken")))?;
        }
        if broken.is_empty() {
            let number = |name: &str| summary[name].as_u64().and_then(|n| n.try_into().ok()).unwrap_or(0);
            let (turns, lanes) = (count(number("turns"), "turn"), count(number("lanes"), "lane"));
            app.out
                .line(&format!("{}: {turns} in {lanes} fit their chains", app.out.paint().good("intact")))?;
        }
    }
    if broken.is_empty() {
        return Ok(Exit::Ok);
    }
    Err(Failure::new("the record is not the one that was written")
        .hint("find out who writes to the database; a backup from before has the record as it was")
        .exit(Exit::ChecksFailed))
}
