//! Overview, the console's first page: what needs the person who looks, what runs, waits, failed and is uncertain, and
//! how it was decided lately. It reads the newest 1,000 positions of the record, at most 201 things of a kind, and what
//! this process counts; all of it over indexes, so that it costs the same with many processes and many turns.

use std::collections::BTreeMap;

use axum::response::Response;
use serde::Serialize;
use throughline_engine::{Language, Rung, Timestamp};
use throughline_store::EffectState;

use super::approvals::{Needs, Waiting, needs};
use super::effect::{self, EffectRow};
use super::operator::{Equivalents, Operator, Section};
use super::walk::Walk;
use crate::auth::Scope;
use crate::problem::Problem;
use crate::routes::effects::seen;
use crate::routes::lanes::read;

/// Windows of the record that are read.
const WINDOWS: usize = 4;
/// Things of a kind that are counted; of more it says "more than".
const COUNTED: u32 = 200;
/// Things of a kind that are listed.
const LISTED: usize = 5;
/// Bars of the chart, one a minute.
const MINUTES: usize = 60;
/// Reasons that are listed.
const REASONS: usize = 6;

/// Number with a link to what it counts.
#[derive(Serialize)]
struct Tile {
    label: &'static str,
    count: usize,
    /// True if there are more than were counted.
    more: bool,
    href: &'static str,
    /// Meaning for shape and colour, unless the count is 0.
    tone: &'static str,
}

fn tile(
    (one, many): (&'static str, &'static str),
    count: usize,
    href: &'static str,
    tone: &'static str,
) -> Tile {
    let most = COUNTED as usize;
    let label = if count == 1 { one } else { many };
    Tile { label, count: count.min(most), more: count > most, href, tone }
}

/// Bar of a chart.
#[derive(Serialize)]
struct Bar {
    /// Distance from the left.
    x: usize,
    count: usize,
    /// Height of 100.
    height: usize,
    /// Words for whoever looks at this one.
    says: String,
}

/// Line of a table with a share of all.
#[derive(Serialize)]
struct Share {
    key: String,
    name: String,
    count: usize,
    percent: usize,
}

/// Turns of the newest part of the record.
#[derive(Default)]
struct Lately {
    turns: usize,
    oldest: Option<Timestamp>,
    /// True if the record goes on before the oldest.
    cut: bool,
    minutes: Vec<usize>,
    rungs: BTreeMap<u8, usize>,
    reasons: BTreeMap<&'static str, usize>,
    asked: usize,
}

/// Spending of this process on models today.
#[derive(Serialize)]
struct Spent {
    calls: u64,
    tokens: u64,
    cost: String,
    caps: Vec<String>,
}

#[derive(Serialize)]
struct Page {
    needs: Vec<Waiting>,
    needs_more: bool,
    tiles: Vec<Tile>,
    bars: Vec<Bar>,
    peak: usize,
    hour: usize,
    turns: usize,
    oldest: Option<String>,
    cut: bool,
    rungs: Vec<Share>,
    reasons: Vec<Share>,
    asked: usize,
    spent: Option<Spent>,
    uncertain: Vec<EffectRow>,
    failed: Vec<EffectRow>,
    /// True if the person may see approvals, and effects.
    approves: bool,
    effects: bool,
}

/// `GET /console`.
pub(super) async fn show(operator: Operator) -> Result<Response, Problem> {
    operator.enter(Section::Overview)?;
    let now = operator.app.store().now();
    let (approves, effects) =
        (operator.caller.may(Scope::ApprovalsRead), operator.caller.may(Scope::EffectsRead));
    let mut tiles = Vec::new();
    let lanes = waiting_lanes(&operator).await?;
    tiles.push(tile(
        ("lane waits for a turn", "lanes wait for a turn"),
        lanes,
        "/console/lanes?state=events",
        "open",
    ));
    let mut needs = if approves { needs(&operator).await? } else { Needs::default() };
    if approves {
        tiles.push(tile(
            ("approval waits", "approvals wait"),
            needs.all,
            "/console/approvals?show=pending",
            "open",
        ));
    }
    let (mut uncertain, mut failed) = (Vec::new(), Vec::new());
    if effects {
        let of = |state| seen(&operator.app, &operator.caller, None, Some(state), COUNTED + 1, COUNTED + 1);
        let (planned, attempted) = (of(EffectState::Planned).await?, of(EffectState::Attempted).await?);
        uncertain = of(EffectState::Uncertain).await?;
        failed = of(EffectState::Failed).await?;
        failed.retain(|effect| now.since(effect.created_at) < Timestamp::DAY);
        tiles.push(tile(
            ("effect runs", "effects run"),
            attempted.len(),
            "/console/effects?state=attempted",
            "open",
        ));
        tiles.push(tile(
            ("effect is planned", "effects are planned"),
            planned.len(),
            "/console/effects?state=planned",
            "open",
        ));
        tiles.push(tile(
            ("effect is uncertain", "effects are uncertain"),
            uncertain.len(),
            "/console/effects?state=uncertain",
            "doubt",
        ));
        tiles.push(tile(
            ("failed in a day", "failed in a day"),
            failed.len(),
            "/console/effects?state=failed",
            "bad",
        ));
    }
    let lately = lately(&operator, now).await?;
    let peak = lately.minutes.iter().copied().max().unwrap_or(0);
    let first = |effects: &[_]| effects.iter().take(LISTED).map(effect::row).collect();
    let needs_more = needs.mine.len() > LISTED;
    needs.mine.truncate(LISTED);
    let page = Page {
        needs: needs.mine,
        needs_more,
        tiles,
        bars: bars(&lately.minutes, peak),
        peak,
        hour: lately.minutes.iter().sum(),
        turns: lately.turns,
        oldest: lately.oldest.map(|at| at.rfc3339()),
        cut: lately.cut,
        rungs: by_rung(&lately),
        reasons: by_reason(&lately),
        asked: lately.asked,
        spent: spent(&operator, now),
        uncertain: first(&uncertain),
        failed: first(&failed),
        approves,
        effects,
    };
    let twin = Equivalents::new("throughline doctor", "GET /metrics");
    operator.page(Section::Overview, "console/overview.html", twin, &page).await
}

/// Counts the lanes with events that wait, among those that the person may read.
async fn waiting_lanes(operator: &Operator) -> Result<usize, Problem> {
    let mut count = 0;
    for lane in operator.app.store().lanes_with_work(COUNTED + 1).await? {
        if lane.tenant == operator.tenant() && operator.reads(&lane).await? {
            count += 1;
        }
    }
    Ok(count)
}

async fn lately(operator: &Operator, now: Timestamp) -> Result<Lately, Problem> {
    let mut lately = Lately { minutes: vec![0; MINUTES], ..Lately::default() };
    let mut walk = Walk::from(operator, None).await?;
    for _ in 0..WINDOWS {
        for stored in walk.window().await? {
            let turn = read(&stored)?;
            let decision = &turn.row.decision;
            lately.turns += 1;
            lately.oldest = Some(turn.row.at);
            *lately.rungs.entry(decision.rung.number()).or_default() += 1;
            *lately.reasons.entry(decision.reason.code()).or_default() += 1;
            lately.asked += usize::from(turn.row.asked.is_some());
            let ago = now.since(turn.row.at).max(0) / Timestamp::MINUTE;
            if let Some(minute) = usize::try_from(ago).ok().filter(|minute| *minute < MINUTES) {
                lately.minutes[MINUTES - 1 - minute] += 1;
            }
        }
    }
    lately.cut = walk.next().is_some();
    Ok(lately)
}

fn bars(minutes: &[usize], peak: usize) -> Vec<Bar> {
    let bar = |(at, count): (usize, &usize)| {
        let ago = minutes.len() - 1 - at;
        let when = if ago == 0 { "this minute".into() } else { format!("{ago} min ago") };
        let height = if *count == 0 { 0 } else { (count * 100 / peak).max(3) };
        Bar { x: at, count: *count, height, says: format!("{count}, {when}") }
    };
    minutes.iter().enumerate().map(bar).collect()
}

fn by_rung(lately: &Lately) -> Vec<Share> {
    let name = |number: u8| Rung::ALL.iter().find(|rung| rung.number() == number);
    let share = |(number, count): (&u8, &usize)| Share {
        key: number.to_string(),
        name: name(*number).map(|rung| rung.title(Language::En)).unwrap_or_default(),
        count: *count,
        percent: count * 100 / lately.turns.max(1),
    };
    lately.rungs.iter().map(share).collect()
}

fn by_reason(lately: &Lately) -> Vec<Share> {
    let mut reasons: Vec<Share> = lately
        .reasons
        .iter()
        .map(|(code, count)| Share {
            key: (*code).into(),
            name: String::new(),
            count: *count,
            percent: count * 100 / lately.turns.max(1),
        })
        .collect();
    reasons.sort_by_key(|share| std::cmp::Reverse(share.count));
    reasons.truncate(REASONS);
    reasons
}

fn spent(operator: &Operator, now: Timestamp) -> Option<Spent> {
    let model = operator.app.runtime().ports().model.as_ref()?;
    let today = model.spent_today(operator.tenant(), now)?;
    let cents = |amount: u64| format!("{}.{:02}", amount / 100, amount % 100);
    let caps = [
        today.cap.calls.map(|most| format!("{most} calls")),
        today.cap.tokens.map(|most| format!("{most} tokens")),
        today.cap.cost.map(cents),
    ];
    Some(Spent {
        calls: today.calls,
        tokens: today.tokens,
        cost: cents(today.cost),
        caps: caps.into_iter().flatten().collect(),
    })
}
