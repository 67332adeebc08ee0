//! Turns of all lanes, newest first, filtered. A page looks at 2,000 positions of the record and shows at most 50 turns;
//! *Older* goes on from there. A text is looked for in what people wrote, which is kept with its turn and erased with it.

use axum::response::Response;
use serde::{Deserialize, Serialize};
use throughline_engine::data::event::{EventKind, MessagePosted};
use throughline_engine::{LaneKey, Language, Millis, Rung, Timestamp};
use throughline_runtime::turn_log::Turn;
use throughline_store::{StoredTurn, TurnSeq};

use super::operator::{Equivalents, Operator, Section};
use super::walk::Walk;
use crate::codes;
use crate::problem::Problem;
use crate::request::QueryParams;
use crate::routes::lanes::{bad_cursor, cursor, place, read};
use crate::wire;

/// Turns per page.
pub(super) const PAGE: usize = 50;
/// Windows that one page looks at.
const WINDOWS: usize = 8;
/// Times to choose from: value, words, length.
const SINCE: [(&str, &str, Millis); 4] = [
    ("hour", "the last hour", Timestamp::HOUR),
    ("day", "the last day", Timestamp::DAY),
    ("week", "the last week", 7 * Timestamp::DAY),
    ("month", "the last 30 days", 30 * Timestamp::DAY),
];

/// Filter of the list. Empty fields let everything pass.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub(super) struct Filter {
    channel: String,
    /// Id of whoever acted.
    person: String,
    /// Code of the reason, or its beginning.
    reason: String,
    /// Number of the rung that decided.
    rung: String,
    /// Word of [`SINCE`].
    since: String,
    /// Words that people wrote.
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
}

impl Filter {
    /// Makes a filter for turns whose message has this text.
    pub(super) fn with_text(text: &str) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Filter that was checked.
struct Wanted {
    filter: Filter,
    rung: Option<u8>,
    since: Option<Timestamp>,
    text: String,
}

/// Turn in the list.
#[derive(Serialize)]
pub(super) struct Row {
    turn: wire::TurnInfo,
    lane: Place,
    says: String,
    /// Beginning of what its message said.
    text: String,
}

/// Name of a lane.
#[derive(Serialize)]
pub(super) struct Place {
    id: String,
    channel: String,
    conversation: String,
    thread: String,
}

impl From<&LaneKey> for Place {
    fn from(key: &LaneKey) -> Self {
        let LaneKey { channel, conversation, thread, .. } = key.clone();
        Self { id: key.id().0, channel, conversation, thread }
    }
}

/// Result of a search.
#[derive(Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    /// Number of turns that were looked at.
    pub(super) looked: usize,
    /// Time of the oldest of them.
    pub(super) back_to: Option<String>,
    pub(super) next: Option<TurnSeq>,
}

#[derive(Serialize)]
struct Page {
    rows: Vec<Row>,
    filter: Filter,
    /// The filter as a query, without the cursor.
    query: String,
    since: Vec<(&'static str, &'static str)>,
    channels: Vec<String>,
    rungs: Vec<(u8, String)>,
    filtered: bool,
    looked: usize,
    back_to: Option<String>,
    next: Option<String>,
    later: bool,
}

/// `GET /console/turns`.
pub(super) async fn list(
    operator: Operator,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    operator.enter(Section::Turns)?;
    let before: Option<TurnSeq> = match place(filter.cursor.as_deref())? {
        None => None,
        Some(place) => Some(place.parse().map_err(|_| bad_cursor())?),
    };
    let found = find(&operator, filter.clone(), before, PAGE).await?;
    let query = query(&filter);
    let page = Page {
        rows: found.rows,
        since: SINCE.map(|(word, says, _)| (word, says)).into(),
        channels: operator.app.runtime().ports().channels.keys().cloned().collect(),
        rungs: Rung::ALL.iter().map(|rung| (rung.number(), rung.title(Language::En))).collect(),
        filtered: !query.is_empty(),
        looked: found.looked,
        back_to: found.back_to,
        next: found.next.map(|next| cursor(&next.to_string())),
        later: before.is_some(),
        query,
        filter,
    };
    let twin = Equivalents::new("throughline why TURN", "GET /v1/turns/{turn}/why");
    operator.page(Section::Turns, "console/turns.html", twin, &page).await
}

/// Looks for turns, newest first, below a position.
pub(super) async fn find(
    operator: &Operator,
    filter: Filter,
    before: Option<TurnSeq>,
    most: usize,
) -> Result<Found, Problem> {
    let wanted = Wanted::of(filter, operator.app.store().now())?;
    let mut walk = Walk::from(operator, before).await?;
    let mut found = Found::default();
    for _ in 0..WINDOWS {
        for stored in walk.window().await? {
            if wanted.since.is_some_and(|since| stored.log.at < since) {
                return Ok(found);
            }
            if found.rows.len() == most {
                found.next = Some(stored.position + 1);
                return Ok(found);
            }
            found.looked += 1;
            found.back_to = Some(stored.log.at.rfc3339());
            if !wanted.filter.channel.is_empty() && stored.lane.channel != wanted.filter.channel {
                continue;
            }
            let turn = read(&stored)?;
            if wanted.fits(&turn) {
                found.rows.push(row(&stored, &turn));
            }
        }
        found.next = walk.next();
        if found.next.is_none() {
            break;
        }
    }
    Ok(found)
}

impl Wanted {
    fn of(filter: Filter, now: Timestamp) -> Result<Self, Problem> {
        let bad = |name: &str, value: &str| {
            Problem::new(&codes::BAD_REQUEST, format!("{name} cannot be {value:?}"))
        };
        let rung = match filter.rung.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|_| bad("rung", text))?),
        };
        let since = match filter.since.as_str() {
            "" => None,
            word => {
                let known = SINCE.iter().find(|(known, ..)| *known == word);
                let (_, _, length) = known.ok_or_else(|| bad("since", word))?;
                Some(now.plus(-length))
            }
        };
        let text = filter.text.trim().to_lowercase();
        Ok(Self { filter, rung, since, text })
    }

    fn fits(&self, turn: &Turn) -> bool {
        let Filter { person, reason, .. } = &self.filter;
        let decision = &turn.row.decision;
        let event = turn.content.as_ref().map(|content| &content.event);
        let by = |event: &throughline_engine::Event| {
            event.actor.eq_ignore_ascii_case(person.trim_start_matches('@'))
        };
        self.rung.is_none_or(|rung| decision.rung.number() == rung)
            && decision.reason.code().starts_with(reason.as_str())
            && (person.is_empty() || event.is_some_and(by))
            && (self.text.is_empty()
                || said(turn).is_some_and(|text| text.to_lowercase().contains(&self.text)))
    }
}

/// Returns what the message of a turn says; `None` if it is of no message, or erased.
fn said(turn: &Turn) -> Option<&str> {
    match &turn.content.as_ref()?.event.kind {
        EventKind::MessagePosted(MessagePosted { text, .. }) => Some(text),
        _ => None,
    }
}

fn row(stored: &StoredTurn, turn: &Turn) -> Row {
    let says = turn.row.decision.reason.says(Language::En);
    let text = said(turn).unwrap_or_default().chars().take(160).collect();
    Row { turn: wire::TurnInfo::new(turn), lane: Place::from(&stored.lane), says, text }
}

/// Returns the filter as the query of a link, without what is empty and without the cursor.
fn query(filter: &Filter) -> String {
    let Filter { channel, person, reason, rung, since, text, cursor: _ } = filter;
    let all = [
        ("channel", channel),
        ("person", person),
        ("reason", reason),
        ("rung", rung),
        ("since", since),
        ("text", text),
    ];
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(all.into_iter().filter(|(_, value)| !value.is_empty()))
        .finish()
}
