//! `throughline audit`: verifies the hash chains of the audit log and of every lane, and what they vouch for; signs their
//! newest hashes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::json;
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
            .hint("run this beside the store, without --server"));
    }
    match &args.command {
        Command::Verify { anchor } => verify(app, anchor.as_deref()),
        Command::Anchor => anchor(app),
    }
}

/// Prints one anchor per tenant, each on a line.
fn anchor(app: &App) -> Outcome {
    let local = Local::open_to_read(app)?;
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
    let local = Local::open_to_read(app)?;
    let mut verified = verify_store(app, &local, &local.tenants()?)?;
    for anchor in &kept {
        verified.broken.extend(local.block_on(local.instance().runtime.verify_anchor(anchor))?);
    }
    print(app, &verified)
}

/// Result of verifying a store.
#[derive(Serialize)]
pub(crate) struct Verified {
    /// Number of lanes.
    pub(crate) lanes: usize,
    /// Number of their turns.
    pub(crate) turns: usize,
    /// Findings that do not fit, each in a line.
    pub(crate) broken: Vec<String>,
}

/// Verifies everything that is stored of some tenants.
pub(crate) fn verify_store(
    app: &App,
    local: &Local,
    tenants: &BTreeSet<String>,
) -> Result<Verified, Failure> {
    let damage = local.block_on(local.instance().store.damage())?;
    let mut broken: Vec<String> =
        damage.into_iter().map(|what| format!("the database file is damaged: {what}")).collect();
    let mut lanes = Vec::new();
    for tenant in tenants {
        lanes.extend(local.block_on(local.instance().store.lanes(tenant, None, u32::MAX >> 1))?);
        broken.extend(local.block_on(local.instance().runtime.verify_kept_anchor(tenant))?);
        if let Some(row) = local.block_on(local.instance().store.verify_audit(tenant))? {
            broken.push(format!("audit chain of {tenant}: row {row} does not fit"));
        }
        broken.extend(local.block_on(local.instance().runtime.verify_approvals(tenant))?);
    }
    let bar = app.out.bar(lanes.len() as u64, "lanes verified");
    let mut turns = 0;
    for lane in &lanes {
        let chain = local.block_on(local.instance().runtime.verify_lane(lane))?;
        turns += chain.turns;
        broken.extend(chain.broken);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(Verified { lanes: lanes.len(), turns, broken })
}

fn print(app: &App, verified: &Verified) -> Outcome {
    let Verified { lanes, turns, broken } = verified;
    if app.out.is_json() {
        app.out.value(&json!(verified))?;
    } else {
        for what in broken {
            app.out.line(&format!("{} {what}", app.out.paint().bad("broken")))?;
        }
        if broken.is_empty() {
            let (turns, lanes) = (count(*turns, "turn"), count(*lanes, "lane"));
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
