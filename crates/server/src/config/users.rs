//! People: those of the configuration, and what is kept of people beside it. Every look-up of a person passes here.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use serde::{Deserialize, Serialize};
use throughline_engine::Timestamp;
use throughline_engine::data::actor::Actor;
use throughline_runtime::Zone;

/// Reason of exclusion of somebody whom an administrator suspended.
const SUSPENDED: &str = "suspended";

/// Person.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// Id that channels and tokens refer to.
    pub id: String,
    /// Tenant the person belongs to; the configured tenant if not set.
    #[serde(default)]
    pub tenant: Option<String>,
    /// Display name; the id if empty.
    #[serde(default)]
    pub name: String,
    /// Roles, for approver rules: `role:pm`.
    #[serde(default)]
    pub roles: Vec<String>,
    /// Groups, for approver rules: `group:backend`.
    #[serde(default)]
    pub groups: Vec<String>,
    /// Telegram number.
    #[serde(default)]
    pub telegram: Option<String>,
    /// Slack member id.
    #[serde(default)]
    pub slack: Option<String>,
    /// Mail address, at which they are told what waits for them.
    #[serde(default)]
    pub email: Option<String>,
    /// Reason for exclusion. A `guest` or somebody `foreign` may approve only where a rule names them individually, a
    /// `bot` nowhere; everybody else who is barred is out: no session and no token of theirs counts.
    #[serde(default)]
    pub barred: Option<String>,
    /// Time zone in which “tomorrow” and “at 5” are understood.
    #[serde(default)]
    pub zone: Option<ConfiguredZone>,
    /// Language, as a BCP 47 code; its words are tried first.
    #[serde(default)]
    pub language: Option<String>,
}

impl User {
    /// Returns the person as an actor: their own principal first, then roles and groups.
    #[must_use]
    pub fn actor(&self) -> Actor {
        let roles = self.roles.iter().map(|role| format!("role:{role}"));
        let groups = self.groups.iter().map(|group| format!("group:{group}"));
        Actor {
            id: self.id.clone(),
            name: if self.name.is_empty() { self.id.clone() } else { self.name.clone() },
            principals: std::iter::once(format!("user:{}", self.id)).chain(roles).chain(groups).collect(),
            barred: self.barred.clone(),
            language: self.language.clone(),
        }
    }

    /// Returns true if the person may use nothing: deactivated, or barred for any reason but being a guest, foreign or
    /// a bot.
    #[must_use]
    pub fn is_out(&self) -> bool {
        !matches!(self.barred.as_deref(), None | Some("guest" | "foreign" | "bot"))
    }
}

/// Time zone, with the name it was configured by.
#[derive(Clone, Debug)]
pub struct ConfiguredZone {
    pub(super) name: String,
    zone: Option<Zone>,
}

impl ConfiguredZone {
    /// Returns the name it was configured by: `Europe/Berlin`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the offset from UTC in seconds at a moment; positive east of Greenwich.
    #[must_use]
    pub fn offset_s(&self, at: Timestamp) -> i32 {
        self.zone.as_ref().map_or(0, |zone| zone.offset_s(at))
    }
}

impl PartialEq for ConfiguredZone {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for ConfiguredZone {}

impl<'de> Deserialize<'de> for ConfiguredZone {
    /// Accepts any name, so that an unknown one is reported together with the other errors.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let zone = name.parse().ok();
        Ok(Self { name, zone })
    }
}

/// Record of a person beside the configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptUser {
    /// Name, roles and mail address that an administrator gave somebody whom the configuration does not name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added: Option<AddedUser>,
    /// Account at the provider of sign-ins that is this person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identity: Option<Identity>,
    /// True while nothing of theirs counts: no session, no token, no approval.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub suspended: bool,
}

/// Name, roles and mail address that an administrator gave somebody.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedUser {
    /// Display name; the id if empty.
    pub name: String,
    /// Roles.
    pub roles: Vec<String>,
    /// Mail address. It is where mail goes, and signs nobody in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Account at a provider, as it was at the last sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// Provider.
    pub issuer: String,
    /// Its id of the account, which it gives to nobody else.
    pub subject: String,
    /// Display name; the id if empty.
    pub name: String,
    /// Mail address, if the provider has verified it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Roles that its claims stand for.
    pub roles: Vec<String>,
}

/// Person with the sources of what is known about them.
#[derive(Clone, Debug)]
pub struct UserEntry {
    /// Person, of all sources together.
    pub user: Arc<User>,
    /// True for somebody whom the configuration names.
    pub configured: bool,
    /// Record beside it.
    pub kept: KeptUser,
}

/// People of an installation. Copies share what is kept, so all of them see a change at once.
#[derive(Clone, Debug)]
pub struct Users {
    /// Tenant of configured people without one.
    tenant: String,
    configured: Vec<Arc<User>>,
    /// People of whom something is kept, by tenant and id.
    kept: Arc<RwLock<BTreeMap<(String, String), UserEntry>>>,
}

impl Users {
    pub(super) fn new(tenant: &str, configured: Vec<User>) -> Self {
        let configured = configured.into_iter().map(Arc::new).collect();
        Self { tenant: tenant.into(), configured, kept: Arc::default() }
    }

    /// Returns the people whom the configuration names, as it names them, in its order.
    #[must_use]
    pub fn configured(&self) -> &[Arc<User>] {
        &self.configured
    }

    /// Returns the person with that id in that tenant.
    #[must_use]
    pub fn get(&self, tenant: &str, id: &str) -> Option<Arc<User>> {
        let kept = self.kept().get(&key(tenant, id)).map(|entry| entry.user.clone());
        kept.or_else(|| self.named(tenant, id))
    }

    /// Returns the person with the sources of what is known about them.
    #[must_use]
    pub fn entry(&self, tenant: &str, id: &str) -> Option<UserEntry> {
        let kept = self.kept().get(&key(tenant, id)).cloned();
        kept.or_else(|| Some(UserEntry::configured(self.named(tenant, id)?)))
    }

    /// Returns the people of a tenant: first those of the configuration, in its order, then the others by their ids.
    #[must_use]
    pub fn of(&self, tenant: &str) -> Vec<UserEntry> {
        let named = self.configured.iter().filter(|user| self.is_of(user, tenant));
        let kept = self.kept();
        let of_configuration = |user: &Arc<User>| {
            let entry = kept.get(&key(tenant, &user.id)).cloned();
            entry.unwrap_or_else(|| UserEntry::configured(user.clone()))
        };
        let others = kept.iter().filter(|((of, _), entry)| of == tenant && !entry.configured);
        named.map(of_configuration).chain(others.map(|(_, entry)| entry.clone())).collect()
    }

    /// Changes what is kept of a person. Nothing kept of somebody whom the configuration does not name: they are gone.
    pub(crate) fn keep(&self, tenant: &str, id: &str, kept: KeptUser) {
        let entry = self.joined(tenant, id, kept);
        let mut all = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        match entry {
            Some(entry) => all.insert(key(tenant, id), entry),
            None => all.remove(&key(tenant, id)),
        };
    }

    /// Joins what is kept of a person with what the configuration says; `None` if that is nobody.
    fn joined(&self, tenant: &str, id: &str, kept: KeptUser) -> Option<UserEntry> {
        let named = self.named(tenant, id);
        if kept == KeptUser::default() || (named.is_none() && kept.added.is_none() && kept.identity.is_none())
        {
            return None;
        }
        let configured = named.is_some();
        let mut user = named.map(|user| (*user).clone()).unwrap_or_else(|| {
            let AddedUser { name, roles, email } = kept.added.clone().unwrap_or_default();
            User { id: id.into(), tenant: Some(tenant.into()), name, roles, email, ..User::default() }
        });
        if let Some(identity) = &kept.identity {
            if user.name.is_empty() {
                user.name.clone_from(&identity.name);
            }
            user.email = user.email.take().or_else(|| identity.email.clone());
            let more = identity.roles.iter().filter(|role| !user.roles.contains(role));
            user.roles.extend(more.cloned().collect::<Vec<_>>());
        }
        if kept.suspended {
            user.barred = Some(SUSPENDED.into());
        }
        Some(UserEntry { user: Arc::new(user), configured, kept })
    }

    fn named(&self, tenant: &str, id: &str) -> Option<Arc<User>> {
        self.configured.iter().find(|user| user.id == id && self.is_of(user, tenant)).cloned()
    }

    fn is_of(&self, user: &User, tenant: &str) -> bool {
        user.tenant.as_deref().unwrap_or(&self.tenant) == tenant
    }

    fn kept(&self) -> RwLockReadGuard<'_, BTreeMap<(String, String), UserEntry>> {
        self.kept.read().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserEntry {
    fn configured(user: Arc<User>) -> Self {
        Self { user, configured: true, kept: KeptUser::default() }
    }
}

fn key(tenant: &str, id: &str) -> (String, String) {
    (tenant.into(), id.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn users() -> Users {
        let ana = User { id: "ana".into(), roles: vec!["member".into()], ..User::default() };
        let far = User { id: "far".into(), tenant: Some("other".into()), ..User::default() };
        Users::new("acme", vec![ana, far])
    }

    fn ids(users: &Users, tenant: &str) -> Vec<String> {
        users.of(tenant).into_iter().map(|entry| entry.user.id.clone()).collect()
    }

    fn identity(roles: &[&str]) -> Option<Identity> {
        let roles = roles.iter().map(|role| (*role).to_owned()).collect();
        Some(Identity {
            issuer: "https://login".into(),
            subject: "1".into(),
            name: "Bo".into(),
            email: None,
            roles,
        })
    }

    #[test]
    fn what_is_kept_of_somebody_holds_beside_the_configuration_and_for_every_copy() {
        let users = users();
        let copy = users.clone();
        let kept = KeptUser { identity: identity(&["approver", "member"]), ..KeptUser::default() };
        users.keep("acme", "ana", kept.clone());
        users.keep("acme", "bo", kept);
        let ana = copy.get("acme", "ana").unwrap();
        assert_eq!((ana.roles.join(" "), ana.name.as_str()), ("member approver".into(), "Bo"));
        assert_eq!(copy.get("acme", "bo").unwrap().roles, ["approver", "member"]);
        assert_eq!(ids(&copy, "acme"), ["ana", "bo"]);
        assert_eq!(ids(&copy, "other"), ["far"]);
        assert!(copy.get("other", "bo").is_none() && copy.get("other", "ana").is_none());
    }

    #[test]
    fn who_is_suspended_is_out_and_comes_back_as_they_were() {
        let users = users();
        users.keep("acme", "ana", KeptUser { suspended: true, ..KeptUser::default() });
        assert!(users.get("acme", "ana").unwrap().is_out());
        assert_eq!(ids(&users, "acme"), ["ana"]);
        users.keep("acme", "ana", KeptUser::default());
        assert_eq!(*users.get("acme", "ana").unwrap(), *users.configured()[0]);
    }

    #[test]
    fn nobody_is_there_of_whom_only_a_suspension_is_kept() {
        let users = users();
        users.keep("acme", "eve", KeptUser { suspended: true, ..KeptUser::default() });
        assert!(users.get("acme", "eve").is_none() && users.entry("acme", "eve").is_none());
    }
}
