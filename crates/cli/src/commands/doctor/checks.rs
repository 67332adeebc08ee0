//! The checks, one function each. A check returns what it found and, if that is not well, a fix.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use throughline_server::finding::{Finding, State as FindingState};
use throughline_server::models;
use throughline_server::telegram::examine;
use throughline_server::wire::{Effect, Page, Ready, Tool, Version};
use throughline_server::{Code, Config, StoreUrl, stuck};
use throughline_store::Counts;

use super::report::{Check, State};
use crate::api::{Local, Remote, owner};
use crate::app::App;
use crate::error::Failure;
use crate::output::count;

/// The least free disk space that passes the check, in MiB.
const LITTLE_SPACE_MIB: u64 = 512;
/// The number of lanes whose chains are verified. `audit verify` verifies all.
const NEWEST_LANES: usize = 20;
/// 2026-01-01 in seconds since 1970. This version is younger, so a clock before that is wrong.
const EARLIEST_CLOCK: u64 = 1_767_225_600;

pub(super) fn configuration(config: &Config) -> Check {
    let warnings = config.warnings();
    if warnings.is_empty() {
        return Check::ok("configuration", format!("{} settings, nothing odd", config.settings().len()));
    }
    Check::warning(
        "configuration",
        warnings.join("\n"),
        "`throughline config show --origin` shows where each is said",
    )
}

pub(super) fn approvers(config: &Config) -> Check {
    let rules = &config.policy.approvers;
    if rules.is_empty() {
        let fix = "add an `[[approvers]]` rule that names effects, targets and who is allowed (TL-4103)";
        return Check::warning("approver rules", "none: nobody may approve anything", fix);
    }
    let people = config.users.configured().iter().filter(|user| user.barred.is_none()).count();
    if people == 0 {
        return Check::warning(
            "approver rules",
            format!("{}, but no users", count(rules.len(), "rule")),
            "add `[[users]]`",
        );
    }
    Check::ok("approver rules", format!("{}, {}", count(rules.len(), "rule"), count(people, "user")))
}

pub(super) fn instance_key(config: &Config) -> Check {
    const WHAT: &str = "instance key";
    let Some(file) = config.key_file() else { return Check::ok(WHAT, "not kept: the store is in memory") };
    let shown = file.display();
    let about = match file.metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Check::ok(WHAT, format!("{shown} is not there yet; the first start makes it"));
        }
        Err(error) => {
            return Check::failed(
                WHAT,
                format!("{shown}: {error}"),
                "make it readable for this user (TL-1102)",
            );
        }
    };
    if about.len() != 32 {
        let found = format!("{shown} has {} bytes, not 32", about.len());
        return Check::failed(WHAT, found, "restore it from a backup (TL-1102)");
    }
    match mode_if_exposed(&file) {
        Some(mode) => {
            let found = format!("{shown} may be read by others (mode {mode:o})");
            Check::failed(WHAT, found, format!("chmod 600 {shown}"))
        }
        None => Check::ok(WHAT, format!("{shown}, readable only by its owner")),
    }
}

/// Returns the mode of a file if others than its owner have access.
#[cfg(unix)]
fn mode_if_exposed(file: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = file.metadata().ok()?.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn mode_if_exposed(_: &Path) -> Option<u32> {
    None
}

pub(super) fn clock() -> Check {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    if now < EARLIEST_CLOCK {
        let fix = "set the clock (timedatectl set-ntp true): expiries and leases are judged by it";
        return Check::failed("clock", "it is set to the past", fix);
    }
    Check::ok("clock", throughline_engine::Timestamp(i64::try_from(now * 1_000).unwrap_or(0)).rfc3339())
}

pub(super) fn disk(config: &Config) -> Option<Check> {
    let StoreUrl::Sqlite(path) = &config.store else { return None };
    let folder = nearest_existing(path);
    let output =
        Command::new("df").arg("-Pk").arg(&folder).output().ok().filter(|output| output.status.success())?;
    // The fourth column of the second line: kibibytes available.
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let free = text.lines().nth(1)?.split_whitespace().nth(3)?.parse::<u64>().ok()? / 1_024;
    let found = format!("{free} MiB free in {}", folder.display());
    Some(if free < LITTLE_SPACE_MIB {
        Check::failed("disk space", found, "free space: without it nothing is acknowledged (TL-6201)")
    } else {
        Check::ok("disk space", found)
    })
}

/// Returns the nearest ancestor of a path that exists.
fn nearest_existing(path: &Path) -> PathBuf {
    let above = path.ancestors().skip(1).find(|folder| folder.as_os_str().is_empty() || folder.exists());
    above.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new(".")).to_owned()
}

/// Checks that the port can be listened on. Nothing is said of it while a server of this installation runs.
pub(super) fn port(config: &Config) -> Option<Check> {
    let listen = config.server.listen;
    let Err(error) = TcpListener::bind(listen) else {
        return Some(Check::ok("port", format!("{listen} is free")));
    };
    let ours = owner(config).ok().flatten().is_some_and(|server| server.get::<Version>("/version").is_ok());
    let fix = "another program listens there: end it, or change server.listen";
    (!ours).then(|| Check::warning("port", format!("{listen}: {error}"), fix))
}

/// Checks the Telegram bot by calling the Bot API. `alone` means that no server of this installation is polling.
pub(super) fn telegram(app: &App, config: &Config, alone: bool) -> Result<Vec<Check>, Failure> {
    Ok(app.block_on(examine(config, alone))?.into_iter().map(check).collect())
}

/// Checks the Slack app by calling the Web API.
pub(super) fn slack(app: &App, config: &Config) -> Result<Vec<Check>, Failure> {
    Ok(app.block_on(throughline_server::slack::examine(config))?.into_iter().map(check).collect())
}

/// Checks the models by asking each a small question.
pub(super) fn models(app: &App, config: &Config) -> Result<Vec<Check>, Failure> {
    Ok(app.block_on(models::examine(config))?.into_iter().map(check).collect())
}

/// Looks over every tracker that is reached over the network. What people granted an app is in the store.
pub(super) fn trackers(app: &App, config: &Config, local: Option<&Local>) -> Result<Vec<Check>, Failure> {
    let instance = local.map(Local::instance);
    let found = throughline_server::trackers::examine(config, instance, None);
    Ok(app.block_on(found)?.into_iter().map(check).collect())
}

/// Asks the provider of sign-ins to describe itself.
pub(super) fn sign_in(app: &App, config: &Config) -> Result<Option<Check>, Failure> {
    Ok(app.block_on(throughline_server::openid::examine(config))?.map(check))
}

/// Looks over the webhooks, and sends nothing.
pub(super) fn webhooks(config: &Config) -> impl Iterator<Item = Check> {
    throughline_server::webhooks::examine(config).into_iter().map(check)
}

/// Tries the mail server, and sends nothing.
pub(super) fn mail(app: &App, config: &Config) -> Result<Vec<Check>, Failure> {
    Ok(app.block_on(throughline_server::mail::examine(config))?.into_iter().map(check).collect())
}

/// Compares the descriptions that tools and sub-agents give of themselves with the pins.
pub(super) fn tools(app: &App, config: &Config, local: Option<&Local>) -> Result<Vec<Check>, Failure> {
    let instance = local.map(Local::instance);
    Ok(app.block_on(throughline_server::tools::examine(config, instance))?.into_iter().map(check).collect())
}

/// Lists what a server says of its tools and sub-agents.
pub(super) fn tools_of(remote: &Remote) -> Result<Vec<Check>, Failure> {
    Ok(remote.tools()?.iter().map(tool).collect())
}

fn tool(tool: &Tool) -> Check {
    let found = tool.why.clone().unwrap_or_else(|| tool.state.clone());
    let found = format!("{}: {found}", tool.name);
    match tool.state.as_str() {
        "pinned" | "unused" => Check::ok("tool", found),
        "new" | "changed" => {
            Check::failed("tool", found, "look at it, then `throughline tools pin` (TL-5301)")
        }
        _ => Check::failed("tool", found, "docs/tools.md says what each state needs"),
    }
}

fn check(Finding { what, state, found, fix }: Finding) -> Check {
    let state = match state {
        FindingState::Ok => State::Ok,
        FindingState::Warning => State::Warning,
        FindingState::Broken => State::Failed,
    };
    Check { what, state, found, fix }
}

/// Checks an opened store.
pub(super) fn store(local: &Local) -> Vec<Check> {
    let store = &local.instance().store;
    let fit = match local.config().store {
        StoreUrl::Sqlite(_) => ", its SQLite is new enough",
        StoreUrl::Postgres(_) => ", which takes writes",
        StoreUrl::Memory => "",
    };
    let mut found = vec![Check::ok("store", format!("{}{fit}", store.describe()))];
    found.push(match local.block_on(store.writable()) {
        Ok(()) => Check::ok("store writable", "a write went through"),
        Err(failure) => Check::error("store writable", &failure),
    });
    match local.block_on(store.counts()) {
        Ok(counts) => {
            found.push(uncertain(counts.uncertain));
            found.push(given_up(counts.dead));
            found.extend(going_on(&counts));
        }
        Err(failure) => found.push(Check::error("effects", &failure)),
    }
    found.push(audit(local));
    found.push(newest_chains(local));
    found
}

/// Asks Redis, if there is one beside the database. Nothing depends on it, so what is wrong is a warning.
pub(super) fn redis(app: &App, config: &Config) -> Result<Option<Check>, Failure> {
    const WHAT: &str = "redis";
    let StoreUrl::Postgres(server) = &config.store else { return Ok(None) };
    let Some(redis) = throughline_server::postgres_server(server).ok().and_then(|server| server.redis) else {
        return Ok(None);
    };
    Ok(Some(match app.block_on(redis.ping())? {
        Ok(()) => Check::ok(WHAT, "it answers, and spares the database work"),
        Err(error) => {
            let fix = "everything works without it, only slower; see `store.redis_url` and `store.redis_password_file`";
            Check::warning(WHAT, error.to_string(), fix)
        }
    }))
}

fn uncertain(count: u64) -> Check {
    match count {
        0 => Check::ok("effects", "none is uncertain"),
        count => {
            let fix = "`throughline effects list --state uncertain`, then press a button of each one's card";
            Check::failed(
                "effects",
                format!("{count} are uncertain: nobody knows whether they happened"),
                fix,
            )
        }
    }
}

/// Says what is stuck. A start repairs most of it, and to open the store for this check was one.
fn going_on(counts: &Counts) -> Vec<Check> {
    const WHAT: &str = "going on";
    let stuck = stuck(counts, 0);
    if stuck.is_empty() {
        return vec![Check::ok(WHAT, format!("{} waiting, none too long", count(counts.waiting, "event")))];
    }
    let check =
        |(code, text): (&Code, String)| Check::failed(WHAT, text, format!("{} ({})", code.fix, code.id()));
    stuck.into_iter().map(check).collect()
}

fn given_up(count: u64) -> Check {
    match count {
        0 => Check::ok("inbox", "nothing was given up"),
        count => {
            let found = format!("given up after repeated failure: {count}");
            Check::warning("inbox", found, "the people were told; the log has the reasons")
        }
    }
}

fn audit(local: &Local) -> Check {
    let tenants = match local.tenants() {
        Ok(tenants) => tenants,
        Err(failure) => return Check::error("audit chain", &failure),
    };
    for tenant in &tenants {
        match local.block_on(local.instance().store.verify_audit(tenant)) {
            Ok(None) => {}
            Ok(Some(row)) => {
                let found = format!("row {row} of {tenant} does not fit");
                return Check::failed("audit chain", found, "find out who writes to the database");
            }
            Err(failure) => return Check::error("audit chain", &failure),
        }
    }
    Check::ok("audit chain", "every row fits")
}

fn newest_chains(local: &Local) -> Check {
    const WHAT: &str = "turn chains";
    let mut lanes = match local.stored_lanes(None, usize::MAX >> 1) {
        Ok(lanes) => lanes,
        Err(failure) => return Check::error(WHAT, &failure),
    };
    lanes.sort_by_key(|lane| std::cmp::Reverse(lane.updated_at));
    lanes.truncate(NEWEST_LANES);
    let mut turns = 0;
    for lane in &lanes {
        match local.block_on(local.instance().runtime.verify_lane(lane)) {
            Ok(chain) if chain.broken.is_empty() => turns += chain.turns,
            Ok(chain) => {
                let fix =
                    "find out who writes to the database; `throughline audit verify` looks at every lane";
                return Check::failed(WHAT, chain.broken.join("\n"), fix);
            }
            Err(failure) => return Check::error(WHAT, &failure),
        }
    }
    Check::ok(WHAT, format!("{} of the newest {} fit", count(turns, "turn"), count(lanes.len(), "lane")))
}

/// Checks a running instance over HTTP.
pub(super) fn instance(remote: &Remote) -> Vec<Check> {
    let mut found = Vec::new();
    match remote.get::<Version>("/version") {
        Ok(version) => found
            .push(Check::ok("instance", format!("{} {} at {}", version.name, version.version, remote.url()))),
        Err(failure) => return vec![Check::error("instance", &failure)],
    }
    found.push(match remote.get::<Ready>("/readyz") {
        Ok(ready) if ready.ready => {
            Check::ok("ready", format!("it takes requests; its store is {}", ready.store))
        }
        Ok(_) => Check::failed("ready", "it takes no requests", "it is starting or draining: ask again"),
        Err(failure) => Check::error("ready", &failure),
    });
    found.push(match remote.get::<Page<Effect>>("/v1/effects?state=uncertain&limit=200") {
        Ok(page) => uncertain(page.items.len() as u64),
        Err(failure) => Check::error("effects", &failure),
    });
    found
}
