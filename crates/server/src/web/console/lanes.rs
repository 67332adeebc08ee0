//! Lanes in the console, with the most recently active first. A page reads at most [`WALKS`] pages of turns and 25
//! lane heads, whatever the number of turns.

use std::collections::BTreeSet;

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_engine::{LaneKey, Language, TurnId};
use throughline_runtime::turn_log::Turn;
use throughline_store::{EffectState, StoredTurn, TurnSeq};

use super::operator::{Equivalents, Operator, Section};
use crate::codes;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::routes::lanes::{bad_cursor, cursor, place, read};
use crate::wire;

/// Lanes per page.
const PAGE: usize = 25;
/// Turns read at a time, since a filter may drop most of them.
const BATCH: u32 = 100;
/// Maximum number of such reads for one page.
const WALKS: usize = 5;
/// Waiting things that are searched for their lanes.
const WAITING: u32 = 200;
/// Maximum lanes in a list of those where something waits.
const LONGEST: usize = 50;

/// Filter of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// Channel.
    channel: String,
    /// Kind of thing that waits: `events`, `approval` or `uncertain`.
    state: String,
    cursor: Option<String>,
}

/// Lane in the list.
#[derive(Serialize)]
struct Row {
    lane: wire::LaneInfo,
    pending: Vec<wire::Pending>,
    last: Option<LastTurn>,
}

/// Last decision.
#[derive(Serialize)]
struct LastTurn {
    turn: wire::TurnInfo,
    says: String,
}

#[derive(Serialize)]
struct Page {
    rows: Vec<Row>,
    channels: Vec<String>,
    channel: String,
    state: String,
    next: Option<String>,
    /// True if this is not the first page.
    later: bool,
}

/// `GET /console/lanes`.
pub(super) async fn list(
    operator: Operator,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let (turns, next) = match filter.state.as_str() {
        "" => latest(&operator, &filter).await?,
        state => (waiting(&operator, state, &filter.channel).await?, None),
    };
    let mut rows = Vec::new();
    for (key, newest) in turns {
        rows.extend(row(&operator, &key, newest.as_ref()).await?);
    }
    let channels = operator.app.runtime().ports().channels.keys().cloned().collect();
    let later = filter.cursor.is_some();
    let page = Page { rows, channels, channel: filter.channel, state: filter.state, next, later };
    let twin = Equivalents::new("throughline lanes list", "GET /v1/lanes");
    operator.page(Section::Lanes, "console/lanes.html", twin, &page).await
}

type Found = Vec<(LaneKey, Option<StoredTurn>)>;

/// Returns the most recently active lanes, and the cursor of the next page.
async fn latest(operator: &Operator, filter: &Filter) -> Result<(Found, Option<String>), Problem> {
    let mut before: Option<TurnSeq> = match place(filter.cursor.as_deref())? {
        None => None,
        Some(place) => Some(place.parse().map_err(|_| bad_cursor())?),
    };
    let mut found = Vec::new();
    for _ in 0..WALKS {
        let page = operator.app.store().latest_turns(operator.tenant(), before, BATCH).await?;
        for (at, turn) in page.turns {
            if found.len() == PAGE {
                return Ok((found, before.map(|before| cursor(&before.to_string()))));
            }
            before = Some(at);
            let wanted = filter.channel.is_empty() || turn.lane.channel == filter.channel;
            if wanted && operator.reads(&turn.lane).await? {
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

/// Returns the lanes where something waits, each with its newest turn.
async fn waiting(operator: &Operator, state: &str, channel: &str) -> Result<Found, Problem> {
    let (store, tenant) = (operator.app.store(), operator.tenant());
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
        let wanted = found.len() < LONGEST && (channel.is_empty() || lane.channel == channel);
        if wanted && operator.reads(&lane).await? && seen.insert(lane.clone()) {
            let newest = store.turns_before(&lane, u64::MAX, 1).await?.pop();
            found.push((lane, newest));
        }
    }
    Ok(found)
}

/// Converts a lane; `None` if it was erased.
async fn row(
    operator: &Operator,
    key: &LaneKey,
    newest: Option<&StoredTurn>,
) -> Result<Option<Row>, Problem> {
    let Some(info) = operator.app.store().lane(operator.tenant(), &key.id()).await? else { return Ok(None) };
    let lane = operator.app.runtime().lane(key).await?;
    let last = newest.map(read).transpose()?.map(|turn| last(&turn));
    let pending = lane.head.pendings.iter().map(wire::Pending::from).collect();
    Ok(Some(Row { lane: wire::LaneInfo::from(&info), pending, last }))
}

fn last(turn: &Turn) -> LastTurn {
    LastTurn { turn: wire::TurnInfo::new(turn), says: turn.row.decision.reason.says(Language::En) }
}

/// Returns the address of a turn's page.
pub(super) fn turn_href(turn: &TurnId) -> String {
    format!("/console/turns/{turn}")
}
