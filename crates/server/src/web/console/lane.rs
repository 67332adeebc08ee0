//! One lane: the conversation as people see it, what waits, and its turns; sending as oneself; recording it. A page
//! reads the lane, the 30 newest turns with their messages and cards, and the facts in reach.

use std::collections::BTreeMap;

use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, Method};
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use throughline_channels::api::{EventRequest, LaneRequest};
use throughline_engine::lane::{Lane, Record, Role};
use throughline_engine::tickets::{Draft, Part};
use throughline_engine::{LaneId, MessageId, Verdict, focus};
use throughline_runtime::record::Turn;
use throughline_store::LaneInfo;

use super::desk::{Desk, Section, Twin};
use super::form::{Sent, fresh_key, turn_of};
use super::known::Known;
use super::turn::{self, TurnView};
use crate::auth::Scope;
use crate::codes;
use crate::problem::Problem;
use crate::recording::Recording;
use crate::request::{Asked, Named};
use crate::routes::approvals::WAIT;
use crate::routes::events;
use crate::routes::lanes::{messages, read};
use crate::telling;
use crate::telling::options::{Listed, listed};
use crate::wire;

/// Turns on a page.
const PAGE: u32 = 30;
/// Turns a page records: what is longer is for the command line, which has no request to keep waiting.
const RECORDED: u64 = 2_000;

/// What of the lane.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct View {
    /// Turns below this revision.
    before: Option<u64>,
    /// The turn that is shown beside it.
    turn: Option<String>,
}

#[derive(Serialize)]
struct Page {
    lane: wire::LaneInfo,
    asking: bool,
    pending: Vec<Waits>,
    known: Known,
    drafts: Vec<DraftView>,
    lists: Vec<List>,
    remembered: Option<Remembered>,
    focus: Option<Focus>,
    said: Vec<Said>,
    turns: Vec<TurnRow>,
    /// Where older turns begin.
    older: Option<u64>,
    /// These are not the newest.
    past: bool,
    panel: Option<TurnView>,
    /// A form's key, where the person may send here.
    send: Option<String>,
}

/// A question that waits, with the words it was asked in.
#[derive(Serialize)]
struct Waits {
    pending: wire::Pending,
    asked: Option<String>,
}

/// A ticket that is being written.
#[derive(Serialize)]
struct DraftView {
    id: String,
    kind: &'static str,
    target: String,
    title: String,
    has: Vec<&'static str>,
    missing: Vec<&'static str>,
    created: Option<String>,
}

/// A list of options, and how it stands for whom.
#[derive(Serialize)]
struct List {
    set: wire::OptionSet,
    standings: Vec<Stands>,
}

#[derive(Serialize)]
struct Stands {
    /// Nobody: everybody who has not said anything yet.
    user: String,
    /// It is the person who looks at this page.
    viewer: bool,
    #[serde(flatten)]
    standing: wire::Standing,
}

#[derive(Serialize)]
struct Remembered {
    intent: &'static str,
    since: String,
}

/// What a message without a reply would refer to.
#[derive(Serialize)]
struct Focus {
    /// Whose message.
    of: String,
    source: &'static str,
    text: String,
    task: Option<String>,
}

/// What somebody said or did, and the turn it belongs to.
#[derive(Serialize)]
struct Said {
    #[serde(flatten)]
    what: What,
    turn: String,
    revision: u64,
    decision: String,
    reason: String,
    at: String,
    /// It is the first of its turn here.
    first: bool,
}

/// What somebody said or did.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "thirty of them live for one page")]
enum What {
    Message(wire::Message),
    /// A press, form or command, in words.
    Act {
        by: String,
        what: String,
        /// What the person was told privately.
        told: String,
    },
}

#[derive(Serialize)]
struct TurnRow {
    turn: wire::TurnInfo,
    says: &'static str,
    effects: usize,
}

/// `GET /console/lanes/{lane}`.
pub(super) async fn show(
    desk: Desk,
    Named(id): Named,
    Asked(view): Asked<View>,
) -> Result<Response, Problem> {
    desk.enter(Section::Lanes)?;
    let info = find(&desk, &id).await?;
    let panel = match &view.turn {
        None => None,
        Some(turn) => {
            let stored = turn::find(&desk, turn).await?;
            if stored.lane != info.key {
                return Err(Problem::not_found("turn"));
            }
            Some(turn::view(&desk, &stored).await?)
        }
    };
    let page = page(&desk, &info, &view, panel).await?;
    let twin = Twin::new(format!("throughline lanes show {}", info.id), format!("GET /v1/lanes/{}", info.id))
        .acts(format!("throughline record {}", info.id), format!("GET /v1/lanes/{}/turns", info.id));
    let twin = if page.known.remembers() {
        let facts = format!("GET /v1/facts?scope=thread&id={}", info.id);
        twin.acts(format!("throughline context {}", info.id), facts)
    } else {
        twin
    };
    desk.page(Section::Lanes, "console/lane.html", twin, &page).await
}

async fn find(desk: &Desk, id: &str) -> Result<LaneInfo, Problem> {
    let found = desk.app.store().lane(desk.tenant(), &LaneId::from(id)).await?;
    found.filter(|lane| desk.caller.sees(&lane.key)).ok_or_else(|| Problem::not_found("lane"))
}

async fn page(desk: &Desk, info: &LaneInfo, view: &View, panel: Option<TurnView>) -> Result<Page, Problem> {
    let (runtime, store) = (desk.app.runtime(), desk.app.store());
    let lane = runtime.lane(&info.key).await?;
    let mut stored = store.turns_before(&info.key, view.before.unwrap_or(u64::MAX), PAGE + 1).await?;
    let more = stored.len() > PAGE as usize;
    stored.truncate(PAGE as usize);
    let older = stored.last().filter(|_| more).map(|turn| turn.revision);

    let page: Vec<Turn> = stored.iter().map(read).collect::<Result<_, _>>()?;
    let head = &lane.head;
    let now = store.now();
    let alive =
        head.remembered.as_ref().filter(|mode| mode.alive(head.last_message_at, now, runtime.policy()));
    Ok(Page {
        lane: wire::LaneInfo::from(info),
        asking: head.ask.is_some(),
        pending: head.pendings.iter().map(|pending| waits(&lane, pending)).collect(),
        known: Known::of(desk, info, &lane).await?,
        drafts: drafts(&lane),
        lists: lists(&lane, &desk.caller.principal),
        remembered: alive.map(|mode| Remembered { intent: mode.intent.word(), since: mode.since.rfc3339() }),
        focus: focus_of(&lane),
        said: said(desk, info, &page).await?,
        turns: page.iter().map(turn_row).collect(),
        older,
        past: view.before.is_some(),
        panel,
        send: may_send(desk, info).is_ok().then(fresh_key),
    })
}

fn turn_row(turn: &Turn) -> TurnRow {
    let says = turn.row.decision.reason.says();
    TurnRow { turn: wire::TurnInfo::new(turn), says, effects: turn.row.effects.len() }
}

/// What was said and done in these turns, newest turn last.
async fn said(desk: &Desk, info: &LaneInfo, page: &[Turn]) -> Result<Vec<Said>, Problem> {
    let ids: Vec<MessageId> = page.iter().flat_map(|turn| turn.row.messages.clone()).collect();
    let shown = messages(desk.app.runtime(), info, &ids).await?;
    let mut shown: BTreeMap<String, wire::Message> =
        shown.into_iter().map(|message| (message.id.clone(), message)).collect();
    let mut all = Vec::new();
    for turn in page.iter().rev() {
        let of_turn = all.len();
        let told = wire::TurnInfo::new(turn);
        let mut push = |at: String, what: What| {
            let first = all.len() == of_turn;
            let (turn, revision) = (told.turn.clone(), told.revision);
            let (decision, reason) = (told.decision.clone(), told.reason.clone());
            all.push(Said { what, turn, revision, decision, reason, at, first });
        };
        if let Some(what) = turn::act(turn) {
            let by = told.actor.clone().unwrap_or_default();
            let told_privately = notices(desk, info, turn).await?;
            push(told.at.clone(), What::Act { by, what, told: told_privately });
        }
        for id in &turn.row.messages {
            if let Some(message) = shown.remove(id.as_str()) {
                push(message.at.clone(), What::Message(message));
            }
        }
    }
    Ok(all)
}

/// What the person of a turn that refused was told privately.
async fn notices(desk: &Desk, info: &LaneInfo, turn: &Turn) -> Result<String, Problem> {
    if turn.row.decision.outcome != Verdict::Refused {
        return Ok(String::new());
    }
    let planned = telling::planned(desk.app.runtime(), &info.key, turn).await?;
    let told = planned.iter().filter_map(|effect| effect.notice()).map(|(_, text)| text);
    Ok(told.collect::<Vec<_>>().join(" "))
}

fn waits(lane: &Lane, pending: &throughline_engine::pending::PendingState) -> Waits {
    let asked = lane.records.message(&pending.anchor).map(|message| first_line(&message.text));
    Waits { pending: wire::Pending::from(pending), asked }
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

fn lists(lane: &Lane, viewer: &str) -> Vec<List> {
    let stands =
        |(user, standing): (String, wire::Standing)| Stands { viewer: user == viewer, user, standing };
    let list =
        |Listed { set, standings }| List { set, standings: standings.into_iter().map(stands).collect() };
    listed(lane, viewer).into_iter().map(list).collect()
}

fn draft_view(draft: &Draft) -> DraftView {
    let has = Part::ALL.into_iter().filter(|part| !draft.part(*part).is_empty());
    DraftView {
        id: draft.id.0.clone(),
        kind: draft.item_type.word(),
        target: draft.target.to_string(),
        title: draft.part(Part::Title).to_owned(),
        has: has.map(Part::label).collect(),
        missing: draft.missing().into_iter().map(Part::label).collect(),
        created: draft.created.as_ref().map(|created| created.key.clone()),
    }
}

/// The focus of whoever spoke last, or is asked.
fn focus_of(lane: &Lane) -> Option<Focus> {
    let newest = lane.head.window.iter().rev().filter_map(|id| lane.records.message(&id));
    let spoke = newest.filter(|message| message.role == Role::User).map(|message| message.by.clone()).next();
    let asked = || lane.head.pendings.iter().find_map(|pending| pending.asked_of.clone());
    let of = spoke.or_else(asked).unwrap_or_default();
    let found = focus::standing(lane, &of);
    let anchor = lane.records.message(found.anchor.as_ref()?)?;
    let task = found.task.as_ref().and_then(|task| lane.records.task(task));
    Some(Focus {
        of,
        source: found.source.word(),
        text: first_line(&anchor.text),
        task: task.map(|task| task.intent.clone()),
    })
}

/// Only lanes of the person's own app take what they write; elsewhere it would be another lane's.
fn may_send(desk: &Desk, info: &LaneInfo) -> Result<(), Problem> {
    desk.caller.need(Scope::EventsWrite)?;
    let here = info.key.app == desk.caller.app
        && desk.app.runtime().ports().channels.contains_key(&info.key.channel);
    if here {
        return Ok(());
    }
    let text = format!("the app {} does not send into this lane", desk.caller.app);
    Err(Problem::new(&codes::BAD_REQUEST, text))
}

/// `POST /console/lanes/{lane}/messages`: says something as oneself.
pub(super) async fn send(Named(id): Named, sent: Sent) -> Result<Response, Problem> {
    let desk = &sent.desk;
    let info = find(desk, &id).await?;
    may_send(desk, &info)?;
    let lane = LaneRequest {
        channel: Some(info.key.channel.clone()),
        conversation: Some(info.key.conversation.clone()),
        thread: Some(info.key.thread.clone()).filter(|thread| !thread.is_empty()),
    };
    let event = EventRequest {
        lane,
        kind: "message.posted".into(),
        text: Some(sent.must("text")?),
        ..EventRequest::default()
    };
    let keyed = sent.keyed(&Method::POST, events::ROUTE, &event)?;
    let answer = events::take(&desk.app, &desk.caller, keyed, event, Some(WAIT)).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/lanes/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/lanes/{id}?turn={turn}#turn")).into_response(),
    })
}

/// `GET /console/lanes/{lane}/scenario`: the same text as `throughline record`.
pub(super) async fn record(desk: Desk, Named(id): Named) -> Result<Response, Problem> {
    desk.enter(Section::Lanes)?;
    let info = find(&desk, &id).await?;
    if info.revision > RECORDED {
        let text = format!(
            "this lane has {} turns and a page records {RECORDED}; use throughline record {id}",
            info.revision
        );
        return Err(Problem::new(&codes::BAD_REQUEST, text));
    }
    let recording = Recording::read(desk.app.runtime(), &desk.app.config().policy, &info, |_| ()).await?;
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
