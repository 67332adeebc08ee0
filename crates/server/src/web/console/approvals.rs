//! Approvals: what waits for whom, one with its card, rules and history, and deciding it. A list reads 50 approvals,
//! with the lane of each that waits; one approval reads the lane's 200 newest turns for its history.

use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_engine::event::{EventKind, Press};
use throughline_engine::id::Mint;
use throughline_engine::workflow::{Action, Step, needs_approver};
use throughline_engine::{CardId, LaneKey};
use throughline_runtime::record::Turn;
use throughline_store::{ApprovalRow, ApprovalState};

use super::deciding::{self, Rule, Standing};
use super::desk::{Desk, Section, Twin};
use super::effect::{self, EffectRow};
use super::form::{Sent, fresh_key, turn_of};
use crate::auth::Scope;
use crate::codes;
use crate::problem::Problem;
use crate::request::{Asked, Named};
use crate::routes::approvals::{self as api, WAIT, depth, page};
use crate::routes::lanes::{place, read};
use crate::telling;
use crate::wire;

/// Approvals on a page.
const PAGE: u32 = 50;
/// Approvals that wait, looked through for those that wait for one person.
const WAITING: u32 = 200;
/// The lane's newest turns, looked through for an approval's history.
const HISTORY: u32 = 200;

/// Which approvals.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// `mine` (the default), `pending` or `all`.
    show: String,
    cursor: Option<String>,
}

/// An approval in a list.
#[derive(Serialize)]
struct Row {
    id: String,
    version: u32,
    state: &'static str,
    title: String,
    /// What its card asks, while it waits.
    asks: Option<String>,
    classes: Vec<String>,
    targets: Vec<String>,
    requested_by: String,
    created_at: String,
    expires_at: Option<String>,
    hash: String,
    lane: String,
}

#[derive(Serialize)]
struct List {
    rows: Vec<Row>,
    show: String,
    next: Option<String>,
}

/// `GET /console/approvals`.
pub(super) async fn list(desk: Desk, Asked(filter): Asked<Filter>) -> Result<Response, Problem> {
    desk.enter(Section::Approvals)?;
    let store = desk.app.store();
    let after = place(filter.cursor.as_deref())?;
    let (show, found, next) = match filter.show.as_str() {
        "" | "mine" => {
            let waiting = store.approvals(desk.tenant(), true, WAITING).await?;
            ("mine", mine(&desk, waiting).await, None)
        }
        "pending" | "all" => {
            let pending = filter.show == "pending";
            let rows = store.approvals(desk.tenant(), pending, depth(after.as_deref(), PAGE)).await?;
            let (rows, next) = page(rows, after.as_deref(), PAGE, |row| row.approval.card.0.clone())?;
            (filter.show.as_str(), rows, next)
        }
        other => {
            return Err(Problem::new(
                &codes::BAD_REQUEST,
                format!("show is mine, pending or all, not {other:?}"),
            ));
        }
    };
    let mut rows = Vec::new();
    for found in found.iter().take(PAGE as usize) {
        rows.push(row(&desk, found).await?);
    }
    let list = List { rows, show: show.into(), next };
    let all = if show == "all" { (" --all", "?state=all") } else { ("", "") };
    let twin =
        Twin::new(format!("throughline approvals list{}", all.0), format!("GET /v1/approvals{}", all.1));
    desk.page(Section::Approvals, "console/approvals.html", twin, &list).await
}

/// Those that wait for the person who looks.
async fn mine(desk: &Desk, waiting: Vec<ApprovalRow>) -> Vec<ApprovalRow> {
    let mut mine = Vec::new();
    for row in waiting {
        if standing(desk, &row).await == Standing::May {
            mine.push(row);
        }
    }
    mine
}

async fn standing(desk: &Desk, row: &ApprovalRow) -> Standing {
    let actor = desk.app.runtime().ports().directory.actor(&row.lane, &desk.caller.principal).await;
    deciding::standing(desk.app.runtime().policy(), &actor, &row.approval)
}

async fn row(desk: &Desk, row: &ApprovalRow) -> Result<Row, Problem> {
    let approval = &row.approval;
    let asks = match &row.state {
        ApprovalState::Pending => {
            telling::approval(desk.app.runtime(), row).await?.card.map(|card| card.title)
        }
        _ => None,
    };
    Ok(Row {
        id: approval.card.0.clone(),
        version: approval.version,
        state: telling::approval_state(&row.state),
        title: title(&approval.payload),
        asks,
        classes: approval.classes.clone(),
        targets: approval.targets.clone(),
        requested_by: approval.requested_by.clone(),
        created_at: approval.created_at.rfc3339(),
        expires_at: approval.expires_at.map(|end| end.rfc3339()),
        hash: approval.payload_sha256.chars().take(8).collect(),
        lane: row.lane.id().0,
    })
}

/// What would be made, by its title.
fn title(payload: &str) -> String {
    let payload: Value = serde_json::from_str(payload).unwrap_or_default();
    payload["item"]["fields"]["title"].as_str().unwrap_or("(no title)").to_owned()
}

#[derive(Serialize)]
struct One {
    approval: wire::Approval,
    /// The person may look into its lane too.
    sees: bool,
    title: String,
    payload: String,
    standing: Standing,
    rules: Vec<Rule>,
    choices: Vec<Choice>,
    key: String,
    history: Vec<Happened>,
    effects: Vec<EffectRow>,
    /// The effect it asks about, for a card that asks what became of one.
    uncertain: Option<String>,
    /// What the decision that was just sent came to.
    came: Option<Came>,
}

/// What can be decided here.
#[derive(Serialize)]
struct Choice {
    decision: &'static str,
    label: String,
    /// The whole act in words.
    name: String,
}

/// One turn of its history.
#[derive(Serialize)]
struct Happened {
    turn: wire::TurnInfo,
    what: String,
    says: &'static str,
}

/// What a request just now came to.
#[derive(Serialize)]
pub(super) struct Came {
    turn: String,
    reason: String,
    says: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct After {
    /// The turn of the decision that was just sent.
    pub(super) turn: Option<String>,
}

/// What that turn of the lane came to, to be told above a page.
pub(super) async fn came(desk: &Desk, lane: &LaneKey, turn: Option<&str>) -> Result<Option<Came>, Problem> {
    let Some(turn) = turn else { return Ok(None) };
    let found = desk.app.runtime().turn_record(desk.tenant(), turn).await?;
    Ok(found.filter(|(of, _)| of == lane).map(|(_, turn)| Came {
        turn: turn.row.turn.0.clone(),
        reason: turn.row.decision.reason.code().into(),
        says: turn.row.decision.reason.says().into(),
    }))
}

/// `GET /console/approvals/{approval}`.
pub(super) async fn show(
    desk: Desk,
    Named(id): Named,
    Asked(after): Asked<After>,
) -> Result<Response, Problem> {
    desk.enter(Section::Approvals)?;
    let found = api::find(&desk.app, &desk.caller, &id).await?;
    let approval = telling::approval(desk.app.runtime(), &found).await?;
    let standing = standing(&desk, &found).await;
    let one = One {
        sees: desk.caller.may(Scope::LanesRead) && desk.caller.sees(&found.lane),
        title: title(&found.approval.payload),
        payload: format!("{:#}", approval.payload),
        standing,
        rules: deciding::rules(desk.app.runtime().policy(), &found.approval),
        choices: choices(&desk, &approval, standing),
        key: fresh_key(),
        history: history(&desk, &found).await?,
        effects: released(&desk, &found).await?,
        uncertain: uncertain(&desk, &found).await?,
        came: came(&desk, &found.lane, after.turn.as_deref()).await?,
        approval,
    };
    let mut twin = Twin::new(format!("throughline approvals show {id}"), format!("GET /v1/approvals/{id}"));
    if let Some(first) = one.choices.first() {
        let (version, decision) = (one.approval.version, first.decision);
        let cli = format!("throughline approvals decide {id} --version {version} --decision {decision}");
        twin = twin.acts(cli, format!("POST /v1/approvals/{id}/decide"));
    }
    desk.page(Section::Approvals, "console/approval.html", twin, &one).await
}

/// The card's buttons that decide, for who may press them.
fn choices(desk: &Desk, approval: &wire::Approval, standing: Standing) -> Vec<Choice> {
    if !desk.caller.may(Scope::ApprovalsDecide) || approval.state != "pending" {
        return Vec::new();
    }
    let buttons =
        approval.card.iter().flat_map(|card| card.buttons.iter().map(|button| (&*card.step, button)));
    let choice = |(step, button): (&str, &wire::Button)| {
        let decision = ["approve", "reject", "cancel"].into_iter().find(|word| *word == button.action)?;
        let needed =
            Action::from_word(decision).zip(Step::from_word(step)).is_none_or(|(a, s)| needs_approver(s, a));
        let barred = needed && standing != Standing::May;
        let (label, name) = (button.label.clone(), button.name.clone());
        (!barred).then_some(Choice { decision, label, name })
    };
    buttons.filter_map(choice).collect()
}

/// The turns that made it, pressed it and took its outcome in, among the lane's newest.
async fn history(desk: &Desk, row: &ApprovalRow) -> Result<Vec<Happened>, Problem> {
    let stored = desk.app.store().turns_before(&row.lane, u64::MAX, HISTORY).await?;
    let mut history = Vec::new();
    for stored in stored.iter().rev() {
        let turn = read(stored)?;
        if let Some(what) = happened(&turn, &row.lane, row) {
            let says = turn.row.decision.reason.says();
            history.push(Happened { turn: wire::TurnInfo::new(&turn), what, says });
        }
    }
    Ok(history)
}

fn happened(turn: &Turn, lane: &LaneKey, row: &ApprovalRow) -> Option<String> {
    let (card, source) = (&row.approval.card, &row.approval.source);
    let content = turn.content.as_ref();
    let target = content.and_then(|content| content.given.press.as_ref()).filter(|press| press.card == *card);
    let what = match content.map(|content| &content.event.kind) {
        Some(EventKind::CardPressed {
            press: Press::Decision { card: pressed, version, action, .. },
            ..
        }) if pressed == card => Some(format!("{} on version {version}", action.label())),
        Some(EventKind::CardPressed { .. }) => {
            target.map(|press| format!("{} on version {}", press.action.label(), press.version))
        }
        Some(EventKind::FormSubmitted { .. }) => {
            target.map(|press| format!("form of version {} sent", press.version))
        }
        Some(EventKind::EffectSettled { card: Some(about), .. }) if about == card => {
            Some("an outcome came in".into())
        }
        _ => None,
    };
    what.or_else(|| made_here(lane, turn.row.revision, card).then(|| "shown for the first time".into()))
        .or_else(|| turn.row.messages.contains(source).then(|| "asked for".into()))
}

/// Ids are derived from lane and revision, so the turn that made a card can be told without asking anybody.
fn made_here(lane: &LaneKey, revision: u64, card: &CardId) -> bool {
    const IDS_OF_A_TURN: u32 = 32;
    let mint = Mint::new(lane, revision);
    (0..IDS_OF_A_TURN).any(|ordinal| mint.other("ap_", ordinal) == card.0)
}

/// The newest effects of the lane that this approval released.
async fn released(desk: &Desk, row: &ApprovalRow) -> Result<Vec<EffectRow>, Problem> {
    let all = desk.app.store().effects(desk.tenant(), Some(&row.lane), None, HISTORY).await?;
    let ours = all
        .iter()
        .filter(|effect| effect.row.approval.as_ref().is_some_and(|by| by.card == row.approval.card));
    Ok(ours.map(effect::row).collect())
}

async fn uncertain(desk: &Desk, row: &ApprovalRow) -> Result<Option<String>, Problem> {
    use throughline_engine::pending::PendingKind::WaitingUncertainEffect;
    let lane = desk.app.runtime().lane(&row.lane).await?;
    let about = lane.head.pendings.iter().find_map(|pending| match &pending.kind {
        WaitingUncertainEffect { card, effect } if *card == row.approval.card => Some(effect.0.clone()),
        _ => None,
    });
    Ok(about)
}

/// `POST /console/approvals/{approval}`: decides it, as `POST /v1/approvals/{approval}/decide` does.
pub(super) async fn decide(Named(id): Named, sent: Sent) -> Result<Response, Problem> {
    let desk = &sent.desk;
    desk.caller.need(Scope::ApprovalsDecide)?;
    let found = api::find(&desk.app, &desk.caller, &id).await?;
    let asked =
        wire::Decide { version: sent.parsed("version")?, decision: sent.word("decision")?, actor: None };
    let keyed = sent.keyed(&Method::POST, &api::route(&found), &asked)?;
    let answer = api::decide(&desk.app, &desk.caller, found, &asked, keyed, WAIT).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/approvals/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/approvals/{id}?turn={turn}")).into_response(),
    })
}
