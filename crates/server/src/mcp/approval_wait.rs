//! Reading an approval, and waiting until it is decided.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, ProgressNotificationParam};
use rmcp::service::RequestContext;
use throughline_runtime::Heard;
use tokio::sync::broadcast;
use tokio::time::Instant;

use super::call::{self, Arguments};
use super::handler::Asker;
use super::tools::Tool;
use crate::app::App;
use crate::request::MAX_WAIT;

/// Time after which an agent that waits is told that the approval still waits.
const NEWS: Duration = Duration::from_secs(5);

/// Reads the approval; with `wait`, again after each turn of its tenant until it is decided or the time is up. It is
/// read with the caller's rights each time.
pub(super) async fn read(
    app: &Arc<App>,
    asker: &Asker,
    tool: &Tool,
    mut given: Arguments,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let wait = match call::wait(&mut given) {
        Ok(wait) => Duration::from_secs(wait.unwrap_or_default().min(MAX_WAIT)),
        Err(problem) => return call::refused(tool, problem),
    };
    let request = match call::request(tool, given) {
        Ok(request) => request,
        Err(problem) => return call::refused(tool, problem),
    };
    let deadline = Instant::now() + wait;
    // Subscribed before the first read, so that no decision is missed.
    let mut turns = app.runtime().wakes().subscribe();
    let mut told = 0.0;
    loop {
        let answer = asker.api.send(request.clone()).await;
        let waits = answer.status.is_success() && answer.json()["state"] == "pending";
        if !waits || Instant::now() >= deadline || app.draining() {
            return call::result(tool, &answer);
        }
        while !happened(app, asker, &mut turns, deadline.min(Instant::now() + NEWS)).await {
            if Instant::now() >= deadline || app.draining() || context.ct.is_cancelled() {
                return call::result(tool, &answer);
            }
            told += 1.0;
            progress(context, told).await;
        }
    }
}

/// Waits for a turn of the caller's tenant; returns false if there was none until then.
async fn happened(app: &App, asker: &Asker, turns: &mut broadcast::Receiver<Heard>, until: Instant) -> bool {
    let heard = async {
        loop {
            match turns.recv().await {
                Ok(Heard::Turn(turn)) if turn.lane.tenant != asker.caller.tenant => {}
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => return true,
                Err(broadcast::error::RecvError::Closed) => std::future::pending().await,
            }
        }
    };
    tokio::select! {
        heard = heard => heard,
        () = app.drained.notified() => false,
        () = tokio::time::sleep_until(until) => false,
    }
}

/// Tells an agent that asked for news that the approval still waits.
async fn progress(context: &RequestContext<RoleServer>, told: f64) {
    let Some(token) = context.meta.get_progress_token() else { return };
    let news =
        ProgressNotificationParam::new(token, told).with_message("The approval still waits for a decision.");
    // An agent that has gone is found by the answer.
    let _ = context.peer.notify_progress(news).await;
}
