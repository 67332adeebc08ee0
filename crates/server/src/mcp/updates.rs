//! Subscriptions: an agent is told that a lane or an approval changed, and reads it again.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::ErrorData;
use rmcp::service::SubscriptionContext;
use throughline_runtime::Heard;
use tokio::sync::broadcast;

use super::handler::Asker;
use super::request::ApiRequest;
use super::resources::{self, Watched, watched};
use crate::app::{App, STREAMS};

/// Maximum number of resources that one subscription watches.
pub(super) const MOST: usize = 50;

/// Returns true if changes of the resource are told.
pub(super) fn are_told(uri: &str) -> bool {
    watched(uri).is_some()
}

/// Tells of changes until the agent leaves or the instance shuts down. What the caller may not read is refused at the
/// beginning, and no longer told if that changes.
pub(super) async fn tell(app: &Arc<App>, asker: &Asker, told: &SubscriptionContext) -> Result<(), ErrorData> {
    let holder = format!("mcp\n{}\n{}", asker.caller.tenant, asker.caller.principal);
    let _counted = app.enter(holder.clone());
    if app.count(&holder) > STREAMS {
        return Err(ErrorData::invalid_request(
            format!("{STREAMS} subscriptions of {} are open", asker.caller.principal),
            None,
        ));
    }
    let mut turns = app.runtime().wakes().subscribe();
    let mut lanes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for uri in told.accepted().resource_subscriptions.iter().flatten() {
        if let Some(lane) = lane_of(asker, uri).await? {
            lanes.entry(lane).or_default().push(uri.clone());
        }
    }
    loop {
        let heard = tokio::select! {
            heard = turns.recv() => heard,
            () = told.cancelled() => return Ok(()),
            () = app.drained.notified() => return Ok(()),
        };
        let changed: Vec<&String> = match heard {
            Ok(Heard::Turn(turn)) => lanes.get(&turn.lane_id.0).into_iter().flatten().collect(),
            Ok(Heard::Missed) | Err(broadcast::error::RecvError::Lagged(_)) => {
                lanes.values().flatten().collect()
            }
            Err(broadcast::error::RecvError::Closed) => return Ok(()),
        };
        for uri in changed {
            if told.sink().notify_resource_updated(uri.clone()).await.is_err() {
                return Ok(());
            }
        }
    }
}

/// Returns the lane whose turns change the resource, if the caller may read it.
async fn lane_of(asker: &Asker, uri: &str) -> Result<Option<String>, ErrorData> {
    resources::read(asker, uri).await?;
    Ok(match watched(uri) {
        None => None,
        Some(Watched::Lane(lane)) => Some(lane),
        Some(Watched::Approval(approval)) => {
            let answer = asker.api.send(ApiRequest::get(format!("/v1/approvals/{approval}"))).await;
            answer.json()["lane"].as_str().map(str::to_owned)
        }
    })
}
