//! Lane in the console: the conversation, pending questions, turns; sending a message; recording. A page reads the
//! lane, the 30 newest turns with their messages and cards, and the facts in reach.

use std::collections::BTreeMap;
use throughline_engine::data::message::Message;
use throughline_engine::data::task::Task;

use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_channels::api::{EventRequest, LaneRequest};
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Role;
use throughline_engine::data::record::Record;
use throughline_engine::data::ticket::{Draft, Part};
use throughline_engine::{Language, MessageId, Verdict, focus};
use throughline_runtime::turn_log::Turn;
use throughline_store::LaneInfo;

use super::form::{SentForm, fresh_key, turn_of};
use super::memory::LaneMemory;
use super::operator::{Equivalents, Operator, Section};
use super::turn::{self, TurnView};
use crate::access::Act;
use crate::auth::Scope;
use crate::codes;
use crate::problem::Problem;
use crate::recording::Recording;
use crate::request::{PathParam, QueryParams};
use crate::routes::approvals::WAIT;
use crate::routes::events;
use crate::routes::lanes;
use crate::routes::lanes::{messages, read};
use crate::views;
use crate::views::options::{ListedSet, listed_sets};
use crate::wire;

/// Turns per page.
const PAGE: u32 = 30;
/// Maximum turns of a recording made by a page. Longer ones need the command line, which keeps no request waiting.
const RECORDED: u64 = 2_000;

/// Query of the page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LaneQuery {
    /// Revision below which turns are shown.
    before: Option<u64>,
    /// Turn that is shown beside the lane.
    turn: Option<String>,
}

#[derive(Serialize)]
struct Page {
    lane: wire::LaneInfo,
    asking: bool,
    pending: Vec<PendingQuestion>,
    known: LaneMemory,
    drafts: Vec<DraftView>,
    lists: Vec<OptionSetView>,
    remembered: Option<Remembered>,
    focus: Option<Focus>,
    said: Vec<TimelineItem>,
    turns: Vec<TurnRow>,
    /// Revision below which older turns begin.
    older: Option<u64>,
    /// True if the turns are not the newest.
    past: bool,
    panel: Option<TurnView>,
    /// Key of the form, if the person may send here.
    send: Option<String>,
}

/// Pending question, with its text.
#[derive(Serialize)]
struct PendingQuestion {
    pending: wire::Pending,
    asked: Option<String>,
}

/// Ticket draft.
#[derive(Serialize)]
struct DraftView {
    id: String,
    kind: &'static str,
    target: String,
    title: String,
    has: Vec<String>,
    missing: Vec<String>,
    created: Option<String>,
}

/// List of options, with its standing for each person.
#[derive(Serialize)]
struct OptionSetView {
    set: wire::OptionSet,
    standings: Vec<StandingView>,
}

#[derive(Serialize)]
struct StandingView {
    /// User; empty for everybody who has not written yet.
    user: String,
    /// True if this is the person who looks at the page.
    viewer: bool,
    #[serde(flatten)]
    standing: wire::Standing,
}

#[derive(Serialize)]
struct Remembered {
    intent: &'static str,
    since: String,
}

/// Message that a text without a reply would refer to.
#[derive(Serialize)]
struct Focus {
    /// Author of the message.
    of: String,
    source: &'static str,
    text: String,
    task: Option<String>,
}

/// Message or act, with its turn.
#[derive(Serialize)]
struct TimelineItem {
    #[serde(flatten)]
    what: TimelineKind,
    turn: String,
    revision: u64,
    decision: String,
    reason: String,
    at: String,
    /// True for the first item of its turn.
    first: bool,
}

/// Kind of item in the timeline.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "thirty of them live for one page")]
enum TimelineKind {
    Message(wire::Message),
    /// Press, form or command, in words.
    Act {
        by: String,
        what: String,
        /// Notice that only the person saw.
        told: String,
    },
}

#[derive(Serialize)]
struct TurnRow {
    turn: wire::TurnInfo,
    says: String,
    effects: usize,
}

/// `GET /console/lanes/{lane}`.
pub(super) async fn show(
    operator: Operator,
    PathParam(id): PathParam,
    QueryParams(view): QueryParams<LaneQuery>,
) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let info = find(&operator, &id).await?;
    let panel = match &view.turn {
        None => None,
        Some(turn) => {
            let stored = turn::find(&operator, turn).await?;
            if stored.lane != info.key {
                return Err(Problem::not_found("turn"));
            }
            Some(turn::view(&operator, &stored).await?)
        }
    };
    let page = page(&operator, &info, &view, panel).await?;
    let twin =
        Equivalents::new(format!("throughline lanes show {}", info.id), format!("GET /v1/lanes/{}", info.id))
            .acts(format!("throughline record {}", info.id), format!("GET /v1/lanes/{}/turns", info.id));
    let twin = if page.known.remembers() {
        let facts = format!("GET /v1/facts?scope=thread&id={}", info.id);
        twin.acts(format!("throughline context {}", info.id), facts)
    } else {
        twin
    };
    operator.page(Section::Lanes, "console/lane.html", twin, &page).await
}

pub(super) async fn find(operator: &Operator, id: &str) -> Result<LaneInfo, Problem> {
    lanes::find(&operator.app, &operator.caller, Act::ReadLane, id).await
}

async fn page(
    operator: &Operator,
    info: &LaneInfo,
    view: &LaneQuery,
    panel: Option<TurnView>,
) -> Result<Page, Problem> {
    let (runtime, store) = (operator.app.runtime(), operator.app.store());
    let lane = runtime.lane_with_summary(&info.key).await?;
    let mut stored = store.turns_before(&info.key, view.before.unwrap_or(u64::MAX), PAGE + 1).await?;
    let more = stored.len() > PAGE as usize;
    stored.truncate(PAGE as usize);
    let older = stored.last().filter(|_| more).map(|turn| turn.revision);

    let page: Vec<Turn> = stored.iter().map(read).collect::<Result<_, _>>()?;
    let head = &lane.head;
    let now = store.now();
    let alive =
        head.remembered.as_ref().filter(|mode| mode.is_alive(head.last_message_at, now, runtime.policy()));
    Ok(Page {
        lane: wire::LaneInfo::from(info),
        asking: head.ask.is_some(),
        pending: head.pendings.iter().map(|pending| waits(&lane, pending)).collect(),
        known: LaneMemory::of(operator, info, &lane).await?,
        drafts: drafts(&lane),
        lists: lists(&lane, &operator.caller.principal),
        remembered: alive
            .map(|mode| Remembered { intent: mode.intent.as_str(), since: mode.since.rfc3339() }),
        focus: focus_of(&lane),
        said: said(operator, info, &page).await?,
        turns: page.iter().map(turn_row).collect(),
        older,
        past: view.before.is_some(),
        panel,
        send: may_send(operator, info).is_ok().then(fresh_key),
    })
}

fn turn_row(turn: &Turn) -> TurnRow {
    let says = turn.row.decision.reason.says(Language::En);
    TurnRow { turn: wire::TurnInfo::new(turn), says, effects: turn.row.effects.len() }
}

/// Returns the messages and acts of the turns, newest turn last.
async fn said(operator: &Operator, info: &LaneInfo, page: &[Turn]) -> Result<Vec<TimelineItem>, Problem> {
    let ids: Vec<MessageId> = page.iter().flat_map(|turn| turn.row.messages.clone()).collect();
    let shown = messages(operator.app.runtime(), info, &ids).await?;
    let mut shown: BTreeMap<String, wire::Message> =
        shown.into_iter().map(|message| (message.id.clone(), message)).collect();
    let mut all = Vec::new();
    for turn in page.iter().rev() {
        let of_turn = all.len();
        let told = wire::TurnInfo::new(turn);
        let mut push = |at: String, what: TimelineKind| {
            let first = all.len() == of_turn;
            let (turn, revision) = (told.turn.clone(), told.revision);
            let (decision, reason) = (told.decision.clone(), told.reason.clone());
            all.push(TimelineItem { what, turn, revision, decision, reason, at, first });
        };
        if let Some(what) = turn::act(turn) {
            let by = told.actor.clone().unwrap_or_default();
            let told_privately = notices(operator, info, turn).await?;
            push(told.at.clone(), TimelineKind::Act { by, what, told: told_privately });
        }
        for id in &turn.row.messages {
            if let Some(message) = shown.remove(id.as_str()) {
                push(message.at.clone(), TimelineKind::Message(message));
            }
        }
    }
    Ok(all)
}

/// Returns the notices to the person of a turn that refused.
async fn notices(operator: &Operator, info: &LaneInfo, turn: &Turn) -> Result<String, Problem> {
    if turn.row.decision.outcome != Verdict::Refused {
        return Ok(String::new());
    }
    let planned = views::planned(operator.app.runtime(), &info.key, turn).await?;
    let told = planned.iter().filter_map(|effect| effect.notice()).map(|(_, text)| text);
    Ok(told.collect::<Vec<_>>().join(" "))
}

fn waits(lane: &Lane, pending: &throughline_engine::data::pending::PendingState) -> PendingQuestion {
    let asked = lane.records.get::<Message>(&pending.anchor).map(|message| first_line(&message.text));
    PendingQuestion { pending: wire::Pending::from(pending), asked }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

fn drafts(lane: &Lane) -> Vec<DraftView> {
    let drafts = lane.records.iter().filter_map(|record| match record {
        Record::Draft(draft) => Some(draft),
        _ => None,
    });
    drafts.map(draft_view).collect()
}

fn lists(lane: &Lane, viewer: &str) -> Vec<OptionSetView> {
    let stands =
        |(user, standing): (String, wire::Standing)| StandingView { viewer: user == viewer, user, standing };
    let list = |ListedSet { set, standings }| OptionSetView {
        set,
        standings: standings.into_iter().map(stands).collect(),
    };
    listed_sets(lane, viewer).into_iter().map(list).collect()
}

fn draft_view(draft: &Draft) -> DraftView {
    let label = |part: Part| part.label(Language::En);
    let has = Part::ALL.into_iter().filter(|part| !draft.part(*part).is_empty());
    DraftView {
        id: draft.id.0.clone(),
        kind: draft.item_type.as_str(),
        target: draft.target.to_string(),
        title: draft.part(Part::Title).to_owned(),
        has: has.map(label).collect(),
        missing: draft.missing().into_iter().map(label).collect(),
        created: draft.created.as_ref().map(|created| created.key.clone()),
    }
}

/// Returns the focus of the person who spoke last, or who is asked.
fn focus_of(lane: &Lane) -> Option<Focus> {
    let newest = lane.head.window.iter().rev().filter_map(|id| lane.records.get::<Message>(&id));
    let spoke = newest.filter(|message| message.role == Role::User).map(|message| message.by.clone()).next();
    let asked = || lane.head.pendings.iter().find_map(|pending| pending.asked_of.clone());
    let of = spoke.or_else(asked).unwrap_or_default();
    let found = focus::focus_without_reply(lane, &of);
    let anchor = lane.records.get::<Message>(found.anchor.as_ref()?)?;
    let task = found.task.as_ref().and_then(|task| lane.records.get::<Task>(task));
    Some(Focus {
        of,
        source: found.source.as_str(),
        text: first_line(&anchor.text),
        task: task.map(|task| task.intent.clone()),
    })
}

/// Checks that the lane belongs to the person's app; a message to another app would reach another lane.
fn may_send(operator: &Operator, info: &LaneInfo) -> Result<(), Problem> {
    operator.caller.need(Scope::EventsWrite)?;
    let here = info.key.app == operator.caller.app
        && operator.app.runtime().ports().channels.contains_key(&info.key.channel);
    if here {
        return Ok(());
    }
    let text = format!("the app {} does not send into this lane", operator.caller.app);
    Err(Problem::new(&codes::BAD_REQUEST, text))
}

/// `POST /console/lanes/{lane}/messages`: sends a message as the person.
pub(super) async fn send(PathParam(id): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    let info = find(operator, &id).await?;
    may_send(operator, &info)?;
    let lane = LaneRequest {
        channel: Some(info.key.channel.clone()),
        conversation: Some(info.key.conversation.clone()),
        thread: Some(info.key.thread.clone()).filter(|thread| !thread.is_empty()),
    };
    let event = EventRequest {
        lane,
        kind: "message.posted".into(),
        text: Some(sent.required("text")?),
        ..EventRequest::default()
    };
    let keyed = sent.keyed(&Method::POST, events::ROUTE, &event)?;
    let answer = events::deliver_request(&operator.app, &operator.caller, keyed, event, Some(WAIT)).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/lanes/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/lanes/{id}?turn={turn}#turn")).into_response(),
    })
}

/// `GET /console/lanes/{lane}/scenario`: the text of `throughline record`.
pub(super) async fn record(operator: Operator, PathParam(id): PathParam) -> Result<Response, Problem> {
    operator.enter(Section::Lanes)?;
    let info = find(&operator, &id).await?;
    if info.revision > RECORDED {
        let text = format!(
            "this lane has {} turns and a page records {RECORDED}; use throughline record {id}",
            info.revision
        );
        return Err(Problem::new(&codes::BAD_REQUEST, text));
    }
    let recording =
        Recording::read(operator.app.runtime(), &operator.app.config().policy, &info, |_| ()).await?;
    if recording.is_empty() {
        return Err(Problem::new(&codes::NOT_FOUND, "nothing happened in this lane, or it was erased"));
    }
    let mut response = recording.to_yaml(info.id.as_str()).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/yaml; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let file = format!("attachment; filename=\"{}.scenario.yaml\"", info.id);
    if let Ok(file) = HeaderValue::from_str(&file) {
        headers.insert(CONTENT_DISPOSITION, file);
    }
    Ok(response)
}
