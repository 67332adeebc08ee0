//! `throughline audit`: verifies the hash chains of the audit log and of every lane, and what they vouch for; signs their
//! newest hashes.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use throughline_runtime::Anchor;

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
  throughline audit anchor > anchors.json
  throughline audit verify --anchor anchors.json
Ends with 3 when anything was changed, moved or cut off.")]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Verify every hash chain, and that everything is there that was signed
    Verify {
        /// File with anchors that were kept elsewhere
        #[arg(long, value_name = "FILE")]
        anchor: Option<PathBuf>,
    },
    /// Sign the newest hash of every chain, and print that, to be kept where nobody can change it
    Anchor,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    if app.flags.server.is_some() {
        return Err(Failure::usage("the chains are verified and signed where they are stored")
            .why("the HTTP API has no route for it in this version")
            .hint("run this beside the store, while the instance is stopped, without --server"));
    }
    match &args.command {
        Command::Verify { anchor } => verify(app, anchor.as_deref()),
        Command::Anchor => anchor(app),
    }
}

/// Prints one anchor per tenant, each on a line.
fn anchor(app: &App) -> Outcome {
    let local = Local::open(app)?;
    for tenant in local.tenants()? {
        let anchor = local.block_on(local.instance().runtime.anchor(&tenant))?;
        app.out.value(&json!(anchor))?;
    }
    Ok(Exit::Ok)
}

/// Reads the anchors of a file, one on each line.
fn anchors(file: &Path) -> Result<Vec<Anchor>, Failure> {
    let cannot =
        |why: String| Failure::new(format!("cannot read the anchors in {}", file.display())).why(why);
    let text = std::fs::read_to_string(file).map_err(|error| cannot(error.to_string()))?;
    let read = serde_json::Deserializer::from_str(&text).into_iter::<Anchor>();
    let anchors = read.collect::<Result<Vec<_>, _>>().map_err(|error| {
        cannot(error.to_string())
            .hint("`throughline audit anchor` prints anchors; keep what it prints as it is")
    })?;
    if anchors.is_empty() {
        return Err(cannot("there is none in it".into()));
    }
    Ok(anchors)
}

fn verify(app: &App, kept: Option<&Path>) -> Outcome {
    let kept = kept.map(anchors).transpose()?.unwrap_or_default();
    let local = Local::open(app)?;
    let damage = local.block_on(local.instance().store.damage())?;
    let mut broken: Vec<String> =
        damage.into_iter().map(|what| format!("the database file is damaged: {what}")).collect();
    for anchor in &kept {
        broken.extend(local.block_on(local.instance().runtime.verify_anchor(anchor))?);
    }
    for tenant in &local.tenants()? {
        broken.extend(local.block_on(local.instance().runtime.verify_kept_anchor(tenant))?);
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
