//! The page where a person installs the app: it agrees at once and sends the person back.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::http::header::LOCATION;
use axum::response::{IntoResponse, Response};

use super::state::{Code, World};
use super::{FakeSlack, Shared};

/// Issues a code.
pub(super) fn issue_code(world: &mut World, code: Code) -> String {
    world.issued += 1;
    let name = format!("code-{}", world.issued);
    world.codes.insert(name.clone(), code);
    name
}

/// Answers with the way back, as after a press on *Allow*. The workspace is the argument `team`, else the first.
pub(super) async fn authorize(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let text = |name: &str| query.get(name).map(String::as_str).unwrap_or_default();
    let wrong = |why: &str| (StatusCode::BAD_REQUEST, why.to_owned()).into_response();
    let known = FakeSlack::scopes();
    let scopes: BTreeSet<String> = text("scope").split(',').map(|scope| scope.trim().to_owned()).collect();
    let redirect = text("redirect_uri").to_owned();
    if text("client_id") != FakeSlack::CLIENT {
        return wrong("invalid_client_id");
    }
    if let Some(scope) = scopes.iter().find(|scope| !known.contains(*scope)) {
        return wrong(&format!("invalid_scope: {scope}"));
    }
    if redirect.is_empty() {
        return wrong("bad_redirect_uri");
    }
    let mut world = shared.world();
    let team = match text("team") {
        "" => FakeSlack::TEAM,
        team if world.teams.contains_key(team) => team,
        _ => return wrong("invalid_team_for_non_distributed_app"),
    };
    let code = Code { team: team.into(), redirect: Some(redirect.clone()), scopes };
    let code = issue_code(&mut world, code);
    let mut back = form_urlencoded::Serializer::new(String::new());
    back.append_pair("code", &code).append_pair("state", text("state"));
    let sign = if redirect.contains('?') { '&' } else { '?' };
    (StatusCode::FOUND, [(LOCATION, format!("{redirect}{sign}{}", back.finish()))]).into_response()
}
