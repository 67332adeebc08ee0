//! The lanes, those where something happened last first. A page reads at most [`WALKS`] pages of newest turns and 25
//! heads, however many turns there are.

use std::collections::BTreeSet;

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_engine::{LaneKey, TurnId};
use throughline_runtime::record::Turn;
use throughline_store::{EffectState, StoredTurn, TurnSeq};

use super::desk::{Desk, Section, Twin};
use crate::codes;
use crate::problem::Problem;
use crate::request::Asked;
use crate::routes::lanes::{bad_cursor, cursor, place, read};
use crate::wire;

/// Lanes on a page.
const PAGE: usize = 25;
/// Newest turns read at once where a filter may throw most of them away.
const BATCH: u32 = 100;
/// So often at most for one page.
const WALKS: usize = 5;
/// Things that wait, looked through for the lanes they wait in.
const WAITING: u32 = 200;
/// Lanes shown where something waits.
const LONGEST: usize = 50;

/// Which lanes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// One channel's.
    channel: String,
    /// Those where something waits: `events`, `approval` or `uncertain`.
    state: String,
    cursor: Option<String>,
}

/// A lane in the list.
#[derive(Serialize)]
struct Row {
    lane: wire::LaneInfo,
    pending: Vec<wire::Pending>,
    last: Option<Last>,
}

/// What was decided last.
#[derive(Serialize)]
struct Last {
    turn: wire::TurnInfo,
    says: &'static str,
}

#[derive(Serialize)]
struct Page {
    rows: Vec<Row>,
    channels: Vec<String>,
    channel: String,
    state: String,
    next: Option<String>,
    /// This is not the first page.
    later: bool,
}

/// `GET /console`.
pub(super) async fn list(desk: Desk, Asked(filter): Asked<Filter>) -> Result<Response, Problem> {
    desk.enter(Section::Lanes)?;
    let (turns, next) = match filter.state.as_str() {
        "" => latest(&desk, &filter).await?,
        state => (waiting(&desk, state, &filter.channel).await?, None),
    };
    let mut rows = Vec::new();
    for (key, newest) in turns {
        rows.extend(row(&desk, &key, newest.as_ref()).await?);
    }
    let channels = desk.app.runtime().ports().channels.keys().cloned().collect();
    let later = filter.cursor.is_some();
    let page = Page { rows, channels, channel: filter.channel, state: filter.state, next, later };
    let twin = Twin::new("throughline lanes list", "GET /v1/lanes");
    desk.page(Section::Lanes, "console/lanes.html", twin, &page).await
}

type Found = Vec<(LaneKey, Option<StoredTurn>)>;

/// The lanes where something happened last, and where the next page goes on.
async fn latest(desk: &Desk, filter: &Filter) -> Result<(Found, Option<String>), Problem> {
    let mut before: Option<TurnSeq> = match place(filter.cursor.as_deref())? {
        None => None,
        Some(place) => Some(place.parse().map_err(|_| bad_cursor())?),
    };
    let mut found = Vec::new();
    for _ in 0..WALKS {
        let page = desk.app.store().latest(desk.tenant(), before, BATCH).await?;
        for (at, turn) in page.turns {
            if found.len() == PAGE {
                return Ok((found, before.map(|before| cursor(&before.to_string()))));
            }
            before = Some(at);
            let wanted = filter.channel.is_empty() || turn.lane.channel == filter.channel;
            if wanted && desk.caller.sees(&turn.lane) {
                found.push((turn.lane.clone(), Some(turn)));
            }
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    Ok((found, before.map(|before| cursor(&before.to_string()))))
}

/// The lanes where something waits, each with its newest turn.
async fn waiting(desk: &Desk, state: &str, channel: &str) -> Result<Found, Problem> {
    let (store, tenant) = (desk.app.store(), desk.tenant());
    let lanes: Vec<LaneKey> = match state {
        "events" => store.lanes_with_work(WAITING).await?,
        "approval" => store.approvals(tenant, true, WAITING).await?.into_iter().map(|row| row.lane).collect(),
        "uncertain" => {
            let effects = store.effects(tenant, None, Some(EffectState::Uncertain), WAITING).await?;
            effects.into_iter().map(|effect| effect.lane).collect()
        }
        other => {
            let text = format!("state is events, approval or uncertain, not {other:?}");
            return Err(Problem::new(&codes::BAD_REQUEST, text));
        }
    };
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for lane in lanes {
        let ours = desk.caller.sees(&lane) && (channel.is_empty() || lane.channel == channel);
        if found.len() < LONGEST && ours && seen.insert(lane.clone()) {
            let newest = store.turns_before(&lane, u64::MAX, 1).await?.pop();
            found.push((lane, newest));
        }
    }
    Ok(found)
}

/// A lane's line; `None` when it is gone.
async fn row(desk: &Desk, key: &LaneKey, newest: Option<&StoredTurn>) -> Result<Option<Row>, Problem> {
    let Some(info) = desk.app.store().lane(desk.tenant(), &key.id()).await? else { return Ok(None) };
    let lane = desk.app.runtime().lane(key).await?;
    let last = newest.map(read).transpose()?.map(|turn| last(&turn));
    let pending = lane.head.pendings.iter().map(wire::Pending::from).collect();
    Ok(Some(Row { lane: wire::LaneInfo::from(&info), pending, last }))
}

fn last(turn: &Turn) -> Last {
    Last { turn: wire::TurnInfo::new(turn), says: turn.row.decision.reason.says() }
}

/// A turn's page.
pub(super) fn turn_href(turn: &TurnId) -> String {
    format!("/console/turns/{turn}")
}
