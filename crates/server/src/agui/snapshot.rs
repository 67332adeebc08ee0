//! State and history of a thread, as they are sent at the end of a run.

use serde_json::{Value, json};
use throughline_channels::agui::{AssistantTurn, FunctionCall, HistoryMessage, ToolCall};
use throughline_channels::direction::steadied;
use throughline_engine::data::card::Card;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::message::Role;
use throughline_engine::{CardId, MessageId};
use throughline_runtime::MessageView;
use throughline_store::{ApprovalRow, ApprovalState};

use super::interrupts::may_decide;
use super::run::Speaker;
use crate::app::App;
use crate::problem::Problem;
use crate::routes::lanes;
use crate::views;
use crate::wire;

/// Turns read at a time.
const BATCH: u32 = 200;
/// Largest number of messages in a snapshot; older ones are left out.
const MAX_MESSAGES: usize = 1_000;

/// Returns the state of a lane: step and version of its newest open card, what waits, lists and tasks.
pub(super) fn state(lane: &Lane) -> Value {
    let newest =
        lane.head.pendings.iter().rev().find_map(|pending| lane.records.get::<Card>(pending.kind.card()?));
    let pending: Vec<wire::Pending> = lane.head.pendings.iter().map(wire::Pending::from).collect();
    json!({
        "lane": lane.key.id(),
        "revision": lane.revision,
        "step": newest.map(Card::step),
        "version": newest.map(|card| card.version),
        "pending": pending,
        "options": views::options::option_sets(lane),
        "tasks": views::tasks(lane),
    })
}

/// Returns the messages of a lane, oldest first. Approvals that this person may decide, or might have, are calls; what became
/// of them are their results.
pub(super) async fn messages(app: &App, by: &Speaker, lane: &Lane) -> Result<Vec<HistoryMessage>, Problem> {
    let views = app.runtime().messages_of(lane, &ids(app, lane).await?).await?;
    let mut history = Vec::with_capacity(views.len());
    for mut view in views {
        view.text = steadied(view.text);
        match view.role {
            Role::User => {
                let id = view.channel_id.clone().unwrap_or_else(|| view.id.0.clone());
                history.push(HistoryMessage::User { id, content: view.text });
            }
            Role::Assistant => {
                let row = call_of(app, by, &view).await?;
                let decided = row.as_ref().filter(|row| row.state != ApprovalState::Pending);
                let result = decided.map(|row| HistoryMessage::Tool {
                    id: result_id(&row.approval.card),
                    tool_call_id: row.approval.card.0.clone(),
                    content: view.text.clone(),
                });
                history.push(HistoryMessage::Assistant(AssistantTurn {
                    id: view.id.0,
                    content: view.text,
                    tool_calls: row.iter().map(call).collect(),
                }));
                history.extend(result);
            }
        }
    }
    Ok(history)
}

/// Returns the id of the message with a call's result.
pub(super) fn result_id(card: &CardId) -> String {
    format!("{card}.result")
}

/// Returns the approval that a message shows, if this person may decide it.
async fn call_of(app: &App, by: &Speaker, view: &MessageView) -> Result<Option<ApprovalRow>, Problem> {
    let Some(card) = &view.card else { return Ok(None) };
    if !card.id.0.starts_with(CardId::APPROVAL) {
        return Ok(None);
    }
    let Some(row) = app.store().approval(&by.caller.tenant, &card.id).await? else { return Ok(None) };
    Ok(may_decide(app, &by.caller, &by.actor, &row).await?.then_some(row))
}

fn call(row: &ApprovalRow) -> ToolCall {
    let function = FunctionCall { name: row.approval.kind.clone(), arguments: row.approval.payload.clone() };
    ToolCall { id: row.approval.card.0.clone(), kind: "function", function }
}

/// Returns the ids of the newest messages, oldest first.
async fn ids(app: &App, lane: &Lane) -> Result<Vec<MessageId>, Problem> {
    let (mut before, mut pages) = (u64::MAX, Vec::new());
    let mut count = 0;
    loop {
        let turns = app.store().turns_before(&lane.key, before, BATCH).await?;
        let mut page: Vec<MessageId> = Vec::new();
        for stored in turns.iter().rev() {
            page.extend(lanes::read(stored)?.row.messages);
        }
        count += page.len();
        pages.push(page);
        match turns.last() {
            Some(oldest) if turns.len() == BATCH as usize && count < MAX_MESSAGES => before = oldest.revision,
            _ => break,
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    let all = pages.into_iter().rev().flatten().filter(|id| seen.insert(id.clone()));
    let all: Vec<MessageId> = all.collect();
    Ok(all[all.len().saturating_sub(MAX_MESSAGES)..].to_vec())
}
