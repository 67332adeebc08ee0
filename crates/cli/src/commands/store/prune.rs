//! `throughline store prune`: erases what was said longer ago than an age.

use serde_json::{Map, json};
use throughline_engine::Timestamp;
use throughline_runtime::{Erased, Subject};
use throughline_server::Config;

use crate::api::Local;
use crate::app::App;
use crate::commands::erase::confirm;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::output::count;
use crate::settings;

/// Age of what goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Age in days: 30d. Without it, that of the setting policy.retention.days
    #[arg(long, value_name = "AGE", value_parser = days)]
    older_than: Option<u32>,
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

/// Reads an age in days: `30d` or `30`.
fn days(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('d').unwrap_or(text).parse().ok().filter(|days| *days > 0);
    number.ok_or_else(|| "an age is a number of days, at least one: 30d".into())
}

pub(super) fn run(app: &App, config: &Config, args: &Args) -> Outcome {
    let Some(days) = args.older_than.or(Some(config.policy.retention.days).filter(|days| *days > 0)) else {
        return Err(Failure::usage("nothing says how old what goes has to be")
            .hint("throughline store prune --older-than 30d, or set policy.retention.days"));
    };
    settings::require_store(config)?;
    if !args.yes {
        confirm(app, &format!("what was said more than {} ago", count(days as usize, "day")))?;
    }
    let local = Local::open(app, config.clone())?;
    let now = local.instance().store.now();
    let at = now.plus(-i64::from(days) * Timestamp::DAY);
    let mut pruned = Vec::new();
    for tenant in local.tenants()? {
        let subject = Subject::Before { at };
        let erased = local.block_on(local.instance().runtime.erase(&tenant, &subject, "operator"))?;
        pruned.push((tenant, erased));
    }
    local.block_on(local.instance().store.vacuum())?;
    tell(app, days, &pruned)
}

fn tell(app: &App, days: u32, pruned: &[(String, Erased)]) -> Outcome {
    if app.out.is_json() {
        let tenants: Map<_, _> =
            pruned.iter().map(|(tenant, erased)| (tenant.clone(), json!(erased))).collect();
        app.out.value(&json!({ "days": days, "tenants": tenants }))?;
        return Ok(Exit::Ok);
    }
    for (tenant, erased) in pruned {
        app.out.line(&format!(
            "{tenant}: {} turns' contents, {} records, {} checkpoints and {} keys of deliveries are gone",
            erased.turns, erased.records, erased.checkpoints, erased.deliveries
        ))?;
    }
    Ok(Exit::Ok)
}
