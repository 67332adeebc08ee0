//! Scopes that a token needs for an operation. A test tries each operation with and without them.

use serde_json::{Value, json};

use crate::auth::Scope;

/// Scopes by operation. One with several needs all of them.
pub(super) const SCOPES: [(&str, &[Scope]); 57] = [
    ("postEvent", &[Scope::EventsWrite]),
    ("runAgent", &[Scope::EventsWrite, Scope::LanesRead]),
    ("streamTenant", &[Scope::LanesRead]),
    ("pollTenant", &[Scope::LanesRead]),
    ("getTurn", &[Scope::LanesRead]),
    ("getWhy", &[Scope::LanesRead]),
    ("listLanes", &[Scope::LanesRead]),
    ("getLane", &[Scope::LanesRead]),
    ("getPending", &[Scope::LanesRead]),
    ("listTurns", &[Scope::LanesRead]),
    ("listMessages", &[Scope::LanesRead]),
    ("streamLane", &[Scope::LanesRead]),
    ("pollLane", &[Scope::LanesRead]),
    ("postFile", &[Scope::EventsWrite]),
    ("getFile", &[Scope::LanesRead]),
    ("deleteFile", &[Scope::EventsWrite, Scope::LanesRead]),
    ("getContext", &[Scope::ContextRead]),
    ("renderContext", &[Scope::ContextRead]),
    ("listFacts", &[Scope::ContextRead]),
    ("stateFact", &[Scope::FactsWrite]),
    ("eraseFact", &[Scope::FactsWrite]),
    ("showOptions", &[Scope::OptionsWrite]),
    ("closeOptions", &[Scope::OptionsWrite]),
    ("putFocus", &[Scope::OptionsWrite]),
    ("listApprovals", &[Scope::ApprovalsRead]),
    ("getApproval", &[Scope::ApprovalsRead]),
    ("decideApproval", &[Scope::ApprovalsDecide]),
    ("listEffects", &[Scope::EffectsRead]),
    ("getEffect", &[Scope::EffectsRead]),
    ("reportEffect", &[Scope::EffectsReport]),
    ("resolveEffect", &[Scope::EffectsResolve]),
    ("getPause", &[Scope::EffectsRead]),
    ("putPause", &[Scope::Admin]),
    ("postReplay", &[Scope::Admin]),
    ("suggestLearning", &[Scope::Admin]),
    ("proposeLearning", &[Scope::Admin]),
    ("listLearned", &[Scope::Admin]),
    ("listIssues", &[Scope::EffectsRead]),
    ("getIssue", &[Scope::EffectsRead]),
    ("postSignInLink", &[Scope::Admin]),
    ("listUsers", &[Scope::Admin]),
    ("putUser", &[Scope::Admin]),
    ("deleteUser", &[Scope::Admin]),
    ("listSessions", &[Scope::Admin]),
    ("endSession", &[Scope::Admin]),
    ("postTelegramLink", &[Scope::Admin]),
    ("eraseSubject", &[Scope::Admin]),
    ("eraseLane", &[Scope::Admin]),
    ("eraseTenant", &[Scope::Admin]),
    ("listTools", &[Scope::Admin]),
    ("postToolsPin", &[Scope::Admin]),
    ("listWebhooks", &[Scope::Admin]),
    ("enableWebhook", &[Scope::Admin]),
    ("testWebhook", &[Scope::Admin]),
    ("listDeadLetters", &[Scope::Admin]),
    ("redeliverDeadLetter", &[Scope::Admin]),
    ("discardDeadLetter", &[Scope::Admin]),
];

/// Scopes that do for an operation, too: those of an operator, and of a host that shows lists.
pub(super) const INSTEAD: [(&str, &[Scope]); 3] = [
    ("putPause", &[Scope::EffectsResolve]),
    ("postReplay", &[Scope::EffectsResolve]),
    ("reportEffect", &[Scope::OptionsWrite]),
];

/// Returns what a caller has to show for an operation.
pub(super) fn security(operation: &str) -> Value {
    let bearer =
        |scopes: &[Scope]| json!({ "bearer": scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>() });
    let of_it = |table: &[(&str, &'static [Scope])]| {
        table.iter().filter(|(id, _)| *id == operation).map(|(_, scopes)| bearer(scopes)).collect::<Vec<_>>()
    };
    let mut ways = of_it(&SCOPES);
    ways.extend(of_it(&INSTEAD));
    match operation {
        // It is for this machine, too.
        "metrics" => json!([bearer(&[]), {}]),
        // No token stands for a person's sessions.
        "listMySessions" | "endMySession" | "endMyOtherSessions" => json!([{ "session": [] }]),
        _ if ways.is_empty() => json!([]),
        _ => {
            // A demo needs no token.
            ways.extend([json!({ "session": [] }), json!({})]);
            Value::Array(ways)
        }
    }
}
