//! News of approvals: that one waits for somebody, and that it waits no more. A turn that opens a version of an approval or
//! ends one shows its card anew, so what a turn changed is found by the cards it shows
//! (`docs/design/0089-the-approvers-way.md`).

use throughline_channels::direction::steadied;
use throughline_engine::data::approval::ApprovalChange;
use throughline_engine::data::lane::Lane;
use throughline_engine::{CardId, Timestamp};
use throughline_runtime::RuntimeError;
use throughline_store::{ApprovalRow, ApprovalState, StoreError};

use crate::app::App;
use crate::approver_rules;
use crate::routes::feed::FeedEvent;
use crate::views;
use crate::wire;

/// Returns the approvals that a turn opened or ended, each with the slot of its card among the turn's events. One that
/// changed again meanwhile is told by the later turn.
pub(crate) async fn changed(
    app: &App,
    tenant: &str,
    at: Timestamp,
    events: &[(usize, FeedEvent)],
) -> Result<Vec<(usize, ApprovalRow)>, StoreError> {
    let mut found = Vec::new();
    for (slot, event) in events {
        let FeedEvent::Card { card, .. } = event else { continue };
        let row = app.store().approval(tenant, &CardId::from(card.id.as_str())).await?;
        found.extend(row.filter(|row| changed_at(row, at)).map(|row| (*slot, row)));
    }
    Ok(found)
}

/// Returns true if the approval came to be as it is in a turn of that time. The store does not say when one ended that nobody
/// decided: then each later card of it says so.
fn changed_at(row: &ApprovalRow, at: Timestamp) -> bool {
    match &row.state {
        ApprovalState::Pending => row.approval.created_at == at,
        ApprovalState::Decided { change: ApprovalChange::Decide { at: decided, .. } } => *decided == at,
        ApprovalState::Decided { .. }
        | ApprovalState::Expired
        | ApprovalState::Superseded
        | ApprovalState::Cancelled => row.approval.created_at < at,
    }
}

/// Returns what is told of an approval: what it is about, and who may decide it as long as it waits.
pub(crate) async fn news(
    app: &App,
    lane: &Lane,
    row: &ApprovalRow,
) -> Result<wire::ApprovalNews, RuntimeError> {
    let approval = &row.approval;
    let card = views::approvals::card_of(app.runtime(), lane, row, None).await?;
    let waits = row.state == ApprovalState::Pending;
    let (rules, deciders) = match waits {
        true => (
            approver_rules::rules(app.runtime().policy(), approval),
            approver_rules::deciders(app, row).await,
        ),
        false => (Vec::new(), Vec::new()),
    };
    Ok(wire::ApprovalNews {
        id: approval.card.0.clone(),
        version: approval.version,
        state: views::approvals::state(&row.state).into(),
        about: card.as_ref().map(views::approvals::about).unwrap_or_default(),
        title: card.map(|card| steadied(card.title)),
        requested_by: approval.requested_by.clone(),
        created_at: approval.created_at.rfc3339(),
        expires_at: approval.expires_at.map(|end| end.rfc3339()),
        effects: approval.classes.clone(),
        targets: approval.targets.clone(),
        rules,
        deciders,
        decided: views::approvals::decided(&row.state),
        url: link(app, &approval.card),
    })
}

/// Returns the address of an approval's page: below the public address, else below the one that is listened on.
pub(crate) fn link(app: &App, approval: &CardId) -> Option<String> {
    let listened = || app.address.get().map(|address| format!("http://{address}"));
    let base = app.config().server.public_url.clone().or_else(listened)?;
    Some(format!("{}/console/approvals/{approval}", base.trim_end_matches('/')))
}

#[cfg(test)]
mod tests {
    use throughline_engine::LaneKey;
    use throughline_engine::data::action::Action;
    use throughline_engine::data::actor::Presser;
    use throughline_engine::data::approval::Approval;

    use super::*;

    fn row(state: ApprovalState) -> ApprovalRow {
        let approval = Approval {
            card: "ap_1".into(),
            version: 2,
            kind: "tracker.item".into(),
            payload: "{}".into(),
            payload_sha256: String::new(),
            releases: Vec::new(),
            classes: Vec::new(),
            targets: Vec::new(),
            quantity: 1,
            total_chars: 2,
            requested_by: "ana".into(),
            authors: Vec::new(),
            source: "m_1".into(),
            created_at: Timestamp(50),
            expires_at: None,
        };
        ApprovalRow { approval, lane: LaneKey::new("demo", "throughline", "api", "c", ""), state }
    }

    #[test]
    fn each_change_is_told_by_the_turn_that_made_it() {
        let decided = ApprovalState::Decided {
            change: ApprovalChange::Decide {
                card: "ap_1".into(),
                version: 2,
                action: Action::Reject,
                by: Presser { id: "mia".into(), name: "Mia".into() },
                at: Timestamp(70),
                payload_sha256: None,
                releases: Vec::new(),
            },
        };
        for (state, told) in [
            (ApprovalState::Pending, [false, true, false, false]),
            (decided, [false, false, true, false]),
            (ApprovalState::Expired, [false, false, true, true]),
            (ApprovalState::Superseded, [false, false, true, true]),
            (ApprovalState::Cancelled, [false, false, true, true]),
        ] {
            let row = row(state);
            let at = [20, 50, 70, 90].map(|at| changed_at(&row, Timestamp(at)));
            assert_eq!(at, told, "{:?}", row.state);
        }
    }
}
