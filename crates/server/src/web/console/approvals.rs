//! Approvals in the console: lists, one approval with card, rules and history, and decisions. A list reads 50
//! approvals, and the lane of each pending one; one approval reads the lane's 200 newest turns for its history.

use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_engine::data::action::{Action, CardStep, needs_approver};
use throughline_engine::data::event::{EventKind, Press};
use throughline_engine::data::id_generator::IdGenerator;
use throughline_engine::{CardId, LaneKey, Language};
use throughline_runtime::turn_log::Turn;
use throughline_store::{ApprovalRow, ApprovalState};

use super::effect::{self, EffectRow};
use super::form::{SentForm, fresh_key, turn_of};
use super::operator::{Equivalents, Operator, Section};
use crate::access::Act;
use crate::approver_rules::{self, ApproverStanding};
use crate::auth::Scope;
use crate::codes;
use crate::mail::ledger::{Ledger, Standing, Told};
use crate::problem::Problem;
use crate::request::{PathParam, QueryParams};
use crate::routes::approvals::{self as api, WAIT, depth, page};
use crate::routes::lanes::{place, read};
use crate::views;
use crate::wire;

/// Approvals per page.
const PAGE: u32 = 50;
/// Pending approvals that are searched for those a person may decide.
const WAITING: u32 = 200;
/// Turns that are searched for an approval's history.
const HISTORY: u32 = 200;

/// Filter of the list.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Filter {
    /// `mine` (the default), `pending` or `all`.
    show: String,
    cursor: Option<String>,
}

/// Approval in a list.
#[derive(Serialize)]
struct Row {
    id: String,
    version: u32,
    state: &'static str,
    title: String,
    /// Question of its card, while it is pending.
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

/// Approval that waits for the person who looks.
#[derive(Serialize)]
pub(super) struct Waiting {
    id: String,
    title: String,
    requested_by: String,
    created_at: String,
    expires_at: Option<String>,
}

/// Pending approvals that a person sees.
#[derive(Default)]
pub(super) struct Needs {
    /// Number of them, whoever may decide.
    pub(super) all: usize,
    /// Those that the person may decide, longest waiting first.
    pub(super) mine: Vec<Waiting>,
}

/// Returns what waits, and what of it waits for the person.
pub(super) async fn needs(operator: &Operator) -> Result<Needs, Problem> {
    let waiting = api::seen(&operator.app, &operator.caller, true, WAITING, WAITING).await?;
    let all = waiting.len();
    let mut rows = mine(operator, waiting).await;
    rows.sort_by_key(|row| row.approval.created_at);
    let mine = rows.into_iter().map(|ApprovalRow { approval, .. }| Waiting {
        title: title(&approval.payload),
        requested_by: approval.requested_by,
        created_at: approval.created_at.rfc3339(),
        expires_at: approval.expires_at.map(|end| end.rfc3339()),
        id: approval.card.0,
    });
    Ok(Needs { all, mine: mine.collect() })
}

/// `GET /console/approvals`.
pub(super) async fn list(
    operator: Operator,
    QueryParams(filter): QueryParams<Filter>,
) -> Result<Response, Problem> {
    operator.enter(Section::Approvals)?;
    let after = place(filter.cursor.as_deref())?;
    let (show, found, next) = match filter.show.as_str() {
        "" | "mine" => {
            let waiting = api::seen(&operator.app, &operator.caller, true, WAITING, WAITING).await?;
            ("mine", mine(&operator, waiting).await, None)
        }
        "pending" | "all" => {
            let pending = filter.show == "pending";
            let depth = depth(after.as_deref(), PAGE);
            let rows = api::seen(&operator.app, &operator.caller, pending, depth, PAGE).await?;
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
        rows.push(row(&operator, found).await?);
    }
    let list = List { rows, show: show.into(), next };
    let all = if show == "all" { (" --all", "?state=all") } else { ("", "") };
    let twin = Equivalents::new(
        format!("throughline approvals list{}", all.0),
        format!("GET /v1/approvals{}", all.1),
    );
    operator.page(Section::Approvals, "console/approvals.html", twin, &list).await
}

/// Returns those that the person may decide.
async fn mine(operator: &Operator, waiting: Vec<ApprovalRow>) -> Vec<ApprovalRow> {
    let mut mine = Vec::new();
    for row in waiting {
        if standing(operator, &row).await == ApproverStanding::May {
            mine.push(row);
        }
    }
    mine
}

async fn standing(operator: &Operator, row: &ApprovalRow) -> ApproverStanding {
    let actor = operator.app.runtime().ports().directory.actor(&row.lane, &operator.caller.principal).await;
    approver_rules::standing(operator.app.runtime().policy(), &actor, &row.approval)
}

async fn row(operator: &Operator, row: &ApprovalRow) -> Result<Row, Problem> {
    let approval = &row.approval;
    let asks = match &row.state {
        ApprovalState::Pending => {
            views::approval(operator.app.runtime(), row).await?.card.map(|card| card.title)
        }
        _ => None,
    };
    Ok(Row {
        id: approval.card.0.clone(),
        version: approval.version,
        state: views::approvals::state(&row.state),
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

/// Returns the title of the item that would be created, or of the first one with the number of the others. What has no
/// title is called by the first line of its text.
fn title(payload: &str) -> String {
    let payload: Value = serde_json::from_str(payload).unwrap_or_default();
    let titled = |item: &Value| item["fields"]["title"].as_str().map(str::to_owned);
    let of_items = match payload["items"].as_array().map(Vec::as_slice) {
        Some([first]) => titled(first),
        Some([first, others @ ..]) => titled(first).map(|first| format!("{first} and {} more", others.len())),
        _ => titled(&payload["item"]),
    };
    let line = || payload["text"].as_str()?.lines().next().map(str::to_owned);
    of_items.or_else(line).unwrap_or_else(|| "(no title)".into())
}

#[derive(Serialize)]
struct ApprovalPage {
    approval: wire::Approval,
    /// True if the person may see its lane too.
    sees: bool,
    title: String,
    payload: String,
    standing: ApproverStanding,
    rules: Vec<wire::DecidingRule>,
    /// People of the configuration who may decide it.
    deciders: Vec<String>,
    /// Mails about it.
    mailed: Vec<Mailed>,
    choices: Vec<DecisionButton>,
    key: String,
    history: Vec<HistoryEntry>,
    effects: Vec<EffectRow>,
    /// Id of the uncertain effect that the card asks about.
    uncertain: Option<String>,
    /// Result of the decision that was just sent.
    came: Option<DecisionResult>,
}

/// Mail to a person about an approval.
#[derive(Serialize)]
struct Mailed {
    who: String,
    state: Standing,
    at: String,
    /// Failure, for operators.
    why: Option<String>,
}

/// Button that decides.
#[derive(Serialize)]
struct DecisionButton {
    decision: &'static str,
    label: String,
    /// Whole act in words.
    name: String,
}

/// Turn in the history of an approval.
#[derive(Serialize)]
struct HistoryEntry {
    turn: wire::TurnInfo,
    what: String,
    says: String,
}

/// Result of a decision that was just sent.
#[derive(Serialize)]
pub(super) struct DecisionResult {
    turn: String,
    pub(super) reason: String,
    pub(super) says: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct AfterQuery {
    /// Id of the turn of that decision.
    pub(super) turn: Option<String>,
}

/// Returns the result of a turn of the lane, to show above a page.
pub(super) async fn decision_result(
    operator: &Operator,
    lane: &LaneKey,
    turn: Option<&str>,
) -> Result<Option<DecisionResult>, Problem> {
    let Some(turn) = turn else { return Ok(None) };
    let found = operator.app.runtime().turn_record(operator.tenant(), turn).await?;
    Ok(found.filter(|(of, _)| of == lane).map(|(_, turn)| DecisionResult {
        turn: turn.row.turn.0.clone(),
        reason: turn.row.decision.reason.code().into(),
        says: turn.row.decision.reason.says(Language::En),
    }))
}

/// `GET /console/approvals/{approval}`.
pub(super) async fn show(
    operator: Operator,
    PathParam(id): PathParam,
    QueryParams(after): QueryParams<AfterQuery>,
) -> Result<Response, Problem> {
    operator.enter(Section::Approvals)?;
    let found = api::find(&operator.app, &operator.caller, Act::ReadApproval, &id).await?;
    let approval = views::approval(operator.app.runtime(), &found).await?;
    let standing = standing(&operator, &found).await;
    let one = ApprovalPage {
        sees: operator.reads(&found.lane).await?,
        title: title(&found.approval.payload),
        payload: format!("{:#}", approval.payload),
        standing,
        rules: approver_rules::rules(operator.app.runtime().policy(), &found.approval),
        deciders: approver_rules::deciders(&operator.app, &found).await,
        mailed: mailed(&operator, &found).await?,
        choices: choices(&operator, &approval, standing),
        key: fresh_key(),
        history: history(&operator, &found).await?,
        effects: released(&operator, &found).await?,
        uncertain: uncertain(&operator, &found).await?,
        came: decision_result(&operator, &found.lane, after.turn.as_deref()).await?,
        approval,
    };
    let mut twin =
        Equivalents::new(format!("throughline approvals show {id}"), format!("GET /v1/approvals/{id}"));
    if let Some(first) = one.choices.first() {
        let (version, decision) = (one.approval.version, first.decision);
        let cli = format!("throughline approvals decide {id} --version {version} --decision {decision}");
        twin = twin.acts(cli, format!("POST /v1/approvals/{id}/decide"));
    }
    operator.page(Section::Approvals, "console/approval.html", twin, &one).await
}

/// Returns the mails about the approval, to whomever of the configured people it was to be sent.
async fn mailed(operator: &Operator, row: &ApprovalRow) -> Result<Vec<Mailed>, Problem> {
    let mut all = Vec::new();
    if operator.app.instance.mail.is_none() {
        return Ok(all);
    }
    let ledger = Ledger::new(operator.app.instance.store.clone(), operator.tenant());
    let people = operator.app.config().users.of(operator.tenant()).into_iter().map(|entry| entry.user);
    for user in people.filter(|user| user.email.is_some()) {
        if let Some(told) = ledger.told(&row.approval.card, &user.id).await? {
            let Told { state, at, why } = told.value;
            let why = why.filter(|_| operator.operates());
            all.push(Mailed { who: user.id.clone(), state, at: at.rfc3339(), why });
        }
    }
    Ok(all)
}

/// Returns the deciding buttons of the card, if the person may press them.
fn choices(
    operator: &Operator,
    approval: &wire::Approval,
    standing: ApproverStanding,
) -> Vec<DecisionButton> {
    if !operator.caller.may(Scope::ApprovalsDecide) || approval.state != "pending" {
        return Vec::new();
    }
    let buttons =
        approval.card.iter().flat_map(|card| card.buttons.iter().map(|button| (&*card.step, button)));
    let choice = |(step, button): (&str, &wire::Button)| {
        let decision = ["approve", "reject", "cancel"].into_iter().find(|word| *word == button.action)?;
        let needed =
            Action::parse(decision).zip(CardStep::parse(step)).is_none_or(|(a, s)| needs_approver(s, a));
        let barred = needed && standing != ApproverStanding::May;
        let (label, name) = (button.label.clone(), button.name.clone());
        (!barred).then_some(DecisionButton { decision, label, name })
    };
    buttons.filter_map(choice).collect()
}

/// Returns the turns that opened, pressed or settled the approval, among the newest of its lane.
async fn history(operator: &Operator, row: &ApprovalRow) -> Result<Vec<HistoryEntry>, Problem> {
    let stored = operator.app.store().turns_before(&row.lane, u64::MAX, HISTORY).await?;
    let mut history = Vec::new();
    for stored in stored.iter().rev() {
        let turn = read(stored)?;
        if let Some(what) = history_entry(&turn, &row.lane, row) {
            let says = turn.row.decision.reason.says(Language::En);
            history.push(HistoryEntry { turn: wire::TurnInfo::new(&turn), what, says });
        }
    }
    Ok(history)
}

fn history_entry(turn: &Turn, lane: &LaneKey, row: &ApprovalRow) -> Option<String> {
    let (card, source) = (&row.approval.card, &row.approval.source);
    let content = turn.content.as_ref();
    let target = content.and_then(|content| content.given.press.as_ref()).filter(|press| press.card == *card);
    let what = match content.map(|content| &content.event.kind) {
        Some(EventKind::CardPressed {
            press: Press::Decision { card: pressed, version, action, .. },
            ..
        }) if pressed == card => Some(format!("{} on version {version}", action.label(Language::En))),
        Some(EventKind::CardPressed { .. }) => {
            target.map(|press| format!("{} on version {}", press.action.label(Language::En), press.version))
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

/// Returns true if the turn at `revision` made the card. The ids of cards are derived from lane and revision.
fn made_here(lane: &LaneKey, revision: u64, card: &CardId) -> bool {
    const IDS_OF_A_TURN: u32 = 32;
    let mint = IdGenerator::new(lane, revision);
    (0..IDS_OF_A_TURN).any(|ordinal| mint.other("ap_", ordinal) == card.0)
}

/// Returns the newest effects of the lane that this approval released.
async fn released(operator: &Operator, row: &ApprovalRow) -> Result<Vec<EffectRow>, Problem> {
    let all = operator.app.store().effects(operator.tenant(), Some(&row.lane), None, HISTORY).await?;
    let ours = all
        .iter()
        .filter(|effect| effect.row.approval.as_ref().is_some_and(|by| by.card == row.approval.card));
    Ok(ours.map(effect::row).collect())
}

async fn uncertain(operator: &Operator, row: &ApprovalRow) -> Result<Option<String>, Problem> {
    use throughline_engine::data::pending::PendingKind::WaitingUncertainEffect;
    let lane = operator.app.runtime().lane(&row.lane).await?;
    let about = lane.head.pendings.iter().find_map(|pending| match &pending.kind {
        WaitingUncertainEffect { card, effect } if *card == row.approval.card => Some(effect.0.clone()),
        _ => None,
    });
    Ok(about)
}

/// `POST /console/approvals/{approval}`: decides it, like `POST /v1/approvals/{approval}/decide`.
pub(super) async fn decide(PathParam(id): PathParam, sent: SentForm) -> Result<Response, Problem> {
    let operator = &sent.operator;
    let found = api::find(&operator.app, &operator.caller, Act::DecideApproval, &id).await?;
    let asked =
        wire::Decide { version: sent.parsed("version")?, decision: sent.choice("decision")?, actor: None };
    let keyed = sent.keyed(&Method::POST, &api::route(&found), &asked)?;
    let answer = api::decide(&operator.app, &operator.caller, found, &asked, keyed, WAIT).await?;
    Ok(match turn_of(answer).await {
        Err(refused) => refused,
        Ok(None) => Redirect::to(&format!("/console/approvals/{id}")).into_response(),
        Ok(Some(turn)) => Redirect::to(&format!("/console/approvals/{id}?turn={turn}")).into_response(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_is_called_by_what_it_releases() {
        for (payload, called) in [
            (r#"{"item":{"fields":{"title":"Log in"}}}"#, "Log in"),
            (r#"{"items":[{"fields":{"title":"Log in"}}]}"#, "Log in"),
            (r#"{"items":[{"fields":{"title":"auth"}},{"fields":{}},{"fields":{}}]}"#, "auth and 2 more"),
            (
                r#"{"kind":"post.channel","text":"We take Postgres\nBecause of the joins"}"#,
                "We take Postgres",
            ),
            (r#"{"item":{"fields":{}}}"#, "(no title)"),
            ("", "(no title)"),
        ] {
            assert_eq!(title(payload), called, "{payload}");
        }
    }
}
