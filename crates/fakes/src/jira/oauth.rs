//! OAuth 2.0 (3LO) with rotating refresh tokens.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::answer::{Answer, Outcome};

/// The id of the site.
pub(super) const CLOUD_ID: &str = "11223344-a1b2-3b33-c444-def123456789";
/// The lifetime of an access token, in seconds.
const LIFETIME: i64 = 3_600;
const SCOPES: [&str; 4] = ["read:jira-work", "write:jira-work", "read:jira-user", "offline_access"];

/// A grant of a new app.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OauthGrant {
    /// The first authorization code.
    pub code: String,
    /// The id of the site.
    pub cloud_id: String,
}

#[derive(Default)]
pub(super) struct Oauth {
    /// The secrets of the apps, by client id.
    apps: BTreeMap<String, String>,
    /// The client ids of codes and refresh tokens that were not used yet.
    unused: BTreeMap<String, String>,
    /// The times when access tokens expire, in milliseconds since 1970.
    access: BTreeMap<String, i64>,
    made: u32,
    pub(super) refreshes: usize,
}

fn error(status: u16, code: &str, why: &str) -> Answer {
    Answer::json(status, json!({"error": code, "error_description": why}))
}

impl Oauth {
    fn make(&mut self, kind: &str) -> String {
        self.made += 1;
        format!("{kind}-{:08x}{:04x}", 0x7e57_c0de_u32.wrapping_mul(self.made), self.made)
    }

    pub(super) fn add_app(&mut self, client_id: &str, client_secret: &str) -> OauthGrant {
        self.apps.insert(client_id.into(), client_secret.into());
        OauthGrant { code: self.grant(client_id), cloud_id: CLOUD_ID.into() }
    }

    /// Returns a new authorization code for an app.
    fn grant(&mut self, client_id: &str) -> String {
        let code = self.make("code");
        self.unused.insert(code.clone(), client_id.into());
        code
    }

    /// Returns where a browser is sent after a person agreed.
    pub(super) fn authorize(&mut self, query: &[(String, String)]) -> Result<String, Answer> {
        let named = |name: &str| query.iter().find(|(one, _)| one == name).map(|(_, value)| value.as_str());
        let client = named("client_id").filter(|client| self.apps.contains_key(*client));
        let (Some(client), Some(to)) = (client, named("redirect_uri")) else {
            return Err(error(400, "invalid_request", "Unknown client_id or no redirect_uri."));
        };
        if named("response_type") != Some("code") || named("audience") != Some("api.atlassian.com") {
            return Err(error(400, "invalid_request", "response_type and audience are required."));
        }
        let code = self.grant(client);
        let mut parameters = form_urlencoded::Serializer::new(String::new());
        parameters.append_pair("code", &code).append_pair("state", named("state").unwrap_or_default());
        let mark = if to.contains('?') { '&' } else { '?' };
        Ok(format!("{to}{mark}{}", parameters.finish()))
    }

    /// Exchanges a code or a refresh token.
    pub(super) fn token(&mut self, body: &Value, now: i64) -> Outcome {
        let text = |name: &str| body[name].as_str().unwrap_or_default();
        let client = text("client_id");
        if self.apps.get(client).is_none_or(|secret| *secret != text("client_secret")) {
            return Err(error(401, "access_denied", "Unauthorized"));
        }
        let (given, refresh) = match text("grant_type") {
            "authorization_code" if text("redirect_uri").is_empty() => {
                return Err(error(400, "invalid_request", "redirect_uri is required."));
            }
            "authorization_code" => (text("code"), false),
            "refresh_token" => (text("refresh_token"), true),
            _ => return Err(error(400, "unsupported_grant_type", "Unknown grant_type.")),
        };
        if self.unused.get(given).is_none_or(|of| of != client) || given.starts_with("code") == refresh {
            let why =
                if refresh { "Unknown or invalid refresh token." } else { "Invalid authorization code" };
            return Err(error(403, "invalid_grant", why));
        }
        self.unused.remove(given);
        self.refreshes += usize::from(refresh);
        let (access, next) = (self.make("access"), self.make("refresh"));
        self.access.insert(access.clone(), now + LIFETIME * 1_000);
        self.unused.insert(next.clone(), client.into());
        Ok(Answer::ok(json!({"access_token": access, "refresh_token": next, "expires_in": LIFETIME,
            "token_type": "Bearer", "scope": SCOPES.join(" ")})))
    }

    pub(super) fn expire_all(&mut self) {
        self.access.clear();
    }

    pub(super) fn accepts(&self, token: &str, now: i64) -> bool {
        self.access.get(token).is_some_and(|until| now < *until)
    }
}

/// Returns the sites that a token gives access to.
pub(super) fn resources(site: &str) -> Value {
    let avatar = format!("{site}/images/site.png");
    json!([{"id": CLOUD_ID, "url": site, "name": "acme", "scopes": SCOPES, "avatarUrl": avatar}])
}
