//! Installation: codes and refresh tokens are exchanged for tokens.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::FakeSlack;
use super::super::state::{Token, World};
use super::{Answer, refuse};

/// The lifetime of a token that is rotated, in seconds.
const TOKEN_LIFETIME: i64 = 43_200;

/// Answers `oauth.v2.access`.
pub(in crate::slack) fn access(world: &mut World, body: &Value, now: i64) -> Answer {
    let text = |name: &str| body[name].as_str().unwrap_or_default();
    if text("client_id") != FakeSlack::CLIENT {
        return refuse("invalid_client_id");
    }
    if text("client_secret") != FakeSlack::CLIENT_SECRET {
        return refuse("bad_client_secret");
    }
    let (team, scopes) = match text("grant_type") {
        "refresh_token" => {
            let Some(known) = world.refresh_tokens.remove(text("refresh_token")) else {
                return refuse("invalid_refresh_token");
            };
            known
        }
        "" | "authorization_code" => {
            let Some(code) = world.codes.remove(text("code")) else { return refuse("invalid_code") };
            if code.redirect.is_some_and(|redirect| redirect != text("redirect_uri")) {
                return refuse("bad_redirect_uri");
            }
            (code.team, code.scopes)
        }
        _ => return refuse("invalid_grant_type"),
    };
    Ok(issue(world, &team, scopes, now))
}

/// Issues a token for a workspace.
fn issue(world: &mut World, team: &str, scopes: BTreeSet<String>, now: i64) -> Value {
    world.issued += 1;
    let number = world.issued;
    let until = world.rotates.then_some(now + TOKEN_LIFETIME * 1_000);
    let token = match world.rotates {
        true => format!("xoxe.xoxb-1-issued-{number}"),
        false => format!("xoxb-issued-{number}"),
    };
    let issued = Token { team: team.into(), scopes: scopes.clone(), until, revoked: false };
    let scope = issued.listed();
    if let Some(team) = world.teams.get_mut(team) {
        team.scopes.clone_from(&scopes);
    }
    world.tokens.insert(token.clone(), issued);
    let of = &world.teams[team];
    let mut answer = json!({"access_token": token, "token_type": "bot", "scope": scope, "bot_user_id": of.bot_user,
        "app_id": of.app, "team": {"id": of.id, "name": of.name}, "enterprise": null,
        "is_enterprise_install": false, "authed_user": {"id": of.users.keys().next()}});
    if let Some(enterprise) = &of.enterprise {
        answer["enterprise"] = json!({"id": enterprise, "name": "Enterprise"});
    }
    if world.rotates {
        let refresh = format!("xoxe-1-refresh-{number}");
        answer["refresh_token"] = json!(refresh);
        answer["expires_in"] = json!(TOKEN_LIFETIME);
        world.refresh_tokens.insert(refresh, (team.into(), scopes));
    }
    answer
}
