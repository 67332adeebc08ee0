//! Checks after a run, through the server's API: nothing lost, nothing doubled, order kept.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::client::Client;
use super::lane::Sent;

/// The result of the checks.
#[derive(Default)]
pub(super) struct Found {
    /// Events without a turn.
    pub(super) lost: usize,
    /// Surplus turns over events, and surplus issues over approvals.
    pub(super) doubled: usize,
    /// Turns that precede the turn of an earlier event.
    pub(super) disordered: usize,
    /// Turns in all, also those of outcomes and timers.
    pub(super) turns: usize,
    /// Issues that were created.
    pub(super) issues: usize,
    /// Each of the above, in words.
    pub(super) wrong: Vec<String>,
}

/// The events that people and hosts send; other turns are the server's own.
const DELIVERED: [&str; 3] = ["message.posted", "assistant.posted", "card.pressed"];

/// Waits until no effect is open; an error after two minutes.
pub(super) fn settle(client: &Client) -> Result<()> {
    let started = Instant::now();
    loop {
        let open = ["planned", "attempted"].iter().try_fold(0, |open, state| {
            Ok::<_, anyhow::Error>(
                open + list(&client.get(&format!("/v1/effects?state={state}&limit=1"))?)?.len(),
            )
        })?;
        if open == 0 {
            return Ok(());
        }
        if started.elapsed() > Duration::from_secs(120) {
            anyhow::bail!("effects are still on their way after two minutes");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Checks one lane.
pub(super) fn lane(client: &Client, sent: &Sent, found: &mut Found) -> Result<()> {
    let turns = turns(client, &sent.lane)?;
    found.turns += turns.len();
    let places: BTreeMap<&str, usize> =
        turns.iter().enumerate().filter_map(|(n, turn)| Some((turn["turn"].as_str()?, n))).collect();
    let mut last = None;
    for event in &sent.events {
        match places.get(event.turn.as_str()) {
            None => {
                found.lost += 1;
                found.wrong.push(format!("{}: {} has no turn {}", sent.lane, event.key, event.turn));
            }
            // Two presses at once have no order between them; everything else was sent one after the other.
            Some(_) if event.body["kind"] == "card.pressed" => {}
            Some(place) => {
                if last.is_some_and(|last| *place < last) {
                    found.disordered += 1;
                    found.wrong.push(format!("{}: {} came before an earlier one", sent.lane, event.key));
                }
                last = Some(*place);
            }
        }
    }
    let delivered =
        turns.iter().filter(|turn| turn["event"].as_str().is_some_and(|kind| DELIVERED.contains(&kind)));
    let (delivered, distinct) = (delivered.count(), sent.events.len());
    if delivered > distinct {
        found.doubled += delivered - distinct;
        found.wrong.push(format!("{}: {distinct} events made {delivered} turns", sent.lane));
    }
    Ok(())
}

/// Checks that each approved ticket is one issue. Keys are numbered, so a gap shows an issue that was made and forgotten.
pub(super) fn issues(client: &Client, before: usize, approved: usize, found: &mut Found) -> Result<()> {
    let issues = all(client, "/v1/tracker/issues?limit=200")?;
    found.issues = issues.len().saturating_sub(before);
    let titles: BTreeSet<&str> = issues.iter().filter_map(|issue| issue["title"].as_str()).collect();
    let highest =
        issues.iter().filter_map(|issue| issue["key"].as_str()?.rsplit('-').next()?.parse().ok()).max();
    let numbered: usize = highest.unwrap_or(0);
    if titles.len() < issues.len() || numbered > issues.len() {
        found.doubled += (issues.len() - titles.len()).max(numbered.saturating_sub(issues.len()));
        found.wrong.push(format!(
            "{} issues with {} titles, numbered to {numbered}",
            issues.len(),
            titles.len()
        ));
    }
    if found.issues < approved {
        found.lost += approved - found.issues;
    } else {
        found.doubled += found.issues - approved;
    }
    if found.issues != approved {
        found.wrong.push(format!("{approved} tickets were approved and {} issues made", found.issues));
    }
    Ok(())
}

/// Returns the number of issues.
pub(super) fn issue_count(client: &Client) -> Result<usize> {
    Ok(all(client, "/v1/tracker/issues?limit=200")?.len())
}

/// Returns a lane's turns, oldest first.
fn turns(client: &Client, lane: &str) -> Result<Vec<Value>> {
    let mut turns = all(client, &format!("/v1/lanes/{lane}/turns?limit=200"))?;
    turns.sort_by_key(|turn| turn["revision"].as_u64());
    Ok(turns)
}

/// Returns the items of every page of a list.
fn all(client: &Client, path: &str) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = match &cursor {
            None => client.get(path)?,
            Some(cursor) => client.get(&format!("{path}&cursor={cursor}"))?,
        };
        items.extend(list(&page)?.iter().cloned());
        match page["next"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => return Ok(items),
        }
    }
}

fn list(page: &Value) -> Result<&Vec<Value>> {
    page["items"].as_array().with_context(|| format!("no list in {page}"))
}
