//! Views of approvals, and the parts of one that others tell, too.

use throughline_channels::direction::steady;
use throughline_engine::Language;
use throughline_engine::data::action::Action;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::authors::Authored;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::lane::Lane;
use throughline_runtime::{Runtime, RuntimeError};
use throughline_store::{ApprovalRow, ApprovalState};

use crate::wire;

/// Returns an approval with its card in its current form.
///
/// # Errors
/// The store did not answer, or holds something this version cannot read.
pub async fn approval(runtime: &Runtime, row: &ApprovalRow) -> Result<wire::Approval, RuntimeError> {
    let approval = &row.approval;
    let lane = runtime.lane(&row.lane).await?;
    let card = card_of(runtime, &lane, row, None).await?.map(wire::Card::from);
    let decided = decided(&row.state);
    Ok(wire::Approval {
        id: approval.card.0.clone(),
        lane: row.lane.id().0,
        version: approval.version,
        state: state(&row.state).into(),
        kind: approval.kind.clone(),
        payload: serde_json::from_str(&approval.payload).unwrap_or_default(),
        payload_sha256: approval.payload_sha256.clone(),
        effects: approval.classes.clone(),
        targets: approval.targets.clone(),
        quantity: approval.quantity,
        total_chars: approval.total_chars,
        requested_by: approval.requested_by.clone(),
        authors: approval.authors.iter().map(authored).collect(),
        source: approval.source.0.clone(),
        created_at: approval.created_at.rfc3339(),
        expires_at: approval.expires_at.map(|end| end.rfc3339()),
        decided,
        card,
    })
}

/// Returns the card of an approval in its current form, in another language if one is named; `None` if the lane no longer
/// keeps it.
pub(crate) async fn card_of(
    runtime: &Runtime,
    lane: &Lane,
    row: &ApprovalRow,
    language: Option<Language>,
) -> Result<Option<CardModel>, RuntimeError> {
    let Some(card) = lane.records.get::<Card>(&row.approval.card) else { return Ok(None) };
    let card = Card { language: language.unwrap_or(card.language), ..card.clone() };
    runtime.card_model(lane, &card).await.map(Some)
}

/// Returns the titles of the items that a card is about, at most twenty.
pub(crate) fn about(card: &CardModel) -> Vec<String> {
    const MOST: usize = 20;
    let own = card.fields.iter().filter(|field| field.name == "title").map(|field| &field.text);
    let titles = own.chain(card.items.iter().map(|item| &item.title));
    titles.filter(|title| !title.is_empty()).take(MOST).map(|title| steady(title).into_owned()).collect()
}

/// Returns the decision on an approval, if it was taken.
pub(crate) fn decided(state: &ApprovalState) -> Option<wire::Decided> {
    match state {
        ApprovalState::Decided { change: ApprovalChange::Decide { action, by, at, .. } } => {
            Some(wire::Decided {
                action: action.as_str().into(),
                by: by.id.clone(),
                by_name: by.name.clone(),
                at: at.rfc3339(),
            })
        }
        _ => None,
    }
}

fn authored(field: &Authored) -> wire::Authored {
    let by = field.by.iter().map(str::to_owned).collect();
    wire::Authored { item: field.item.clone(), field: field.field.clone(), by }
}

pub(crate) fn state(state: &ApprovalState) -> &'static str {
    match state {
        ApprovalState::Pending => "pending",
        ApprovalState::Decided { change: ApprovalChange::Decide { action, .. } } => match action {
            action if action.releases() => "approved",
            Action::Reject => "rejected",
            _ => "cancelled",
        },
        ApprovalState::Decided { .. } | ApprovalState::Cancelled => "cancelled",
        ApprovalState::Expired => "expired",
        ApprovalState::Superseded => "superseded",
    }
}
