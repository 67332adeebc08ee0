//! People of an installation, and the sessions in which they are signed in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A person.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct User {
    /// Id that channels and tokens refer to.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Roles, of every source.
    pub roles: Vec<String>,
    /// Groups.
    pub groups: Vec<String>,
    /// Mail address, at which they are told what waits for them: the configured one, the one given here, or the one that the
    /// provider of sign-ins verified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// True for somebody whom the configuration names: name, roles and address are changed there.
    pub configured: bool,
    /// True while nothing of theirs counts: no session, no token, no approval.
    pub suspended: bool,
    /// Reason why they are excluded, wholly or in part, if they are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub barred: Option<String>,
    /// Provider whose account signs them in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
}

/// A change of a person. What is left out stays as it is.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct UserChange {
    /// Display name. Not of somebody whom the configuration names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 128)]
    pub name: Option<String>,
    /// Roles. Not of somebody whom the configuration names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub roles: Option<Vec<String>>,
    /// Mail address, empty for none. Not of somebody whom the configuration names. Nobody signs in by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 254)]
    pub email: Option<String>,
    /// True to suspend, which ends their sessions; false to take that back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspended: Option<bool>,
}

/// A session of a browser.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Session {
    /// Its id. It is not the cookie, and nobody can sign in with it.
    pub id: String,
    /// Id of the person.
    pub user: String,
    /// Way in which they signed in: `link`, `token` or `openid`.
    pub by: String,
    /// The browser, as it names itself.
    pub agent: String,
    /// Time at which it began.
    #[schema(format = DateTime)]
    pub began_at: String,
    /// Time at which it was last seen, to a few minutes.
    #[schema(format = DateTime)]
    pub seen_at: String,
    /// True for the session that asks.
    pub here: bool,
    /// Time at which it ends by itself.
    #[schema(format = DateTime)]
    pub ends_at: String,
}
