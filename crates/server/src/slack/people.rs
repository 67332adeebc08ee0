//! People of a workspace: their accounts here, and what Slack says about them, for a minute each.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;
use throughline_channels::slack::{Answer, Client, GROUP, NoWorkspace, Workspace, Workspaces, outbound};
use throughline_engine::data::actor::Actor;
use throughline_engine::{LaneKey, Millis, Timestamp};
use throughline_messages::Language;
use throughline_runtime::Zone;
use throughline_store::Store;

use super::workspaces::Installed;
use crate::config::{Config, User};

/// Time that a profile or a group is believed. Who was deactivated a minute ago approves nothing any more.
const BELIEVED: Millis = Timestamp::MINUTE;
/// Time that a turn waits for a profile.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most profiles and groups kept.
const KEPT: usize = 10_000;

/// People of one process.
pub(crate) struct People {
    config: Config,
    client: Client,
    installed: Arc<Installed>,
    store: Arc<dyn Store>,
    /// Accounts by tenant and member id.
    accounts: HashMap<(String, String), String>,
    /// Groups that approver rules name.
    groups: Vec<String>,
    profiles: Mutex<HashMap<String, (Profile, Timestamp)>>,
    members: Mutex<HashMap<String, (HashSet<String>, Timestamp)>>,
    /// Handles of groups; `None` for one that Slack did not name.
    handles: Mutex<HashMap<String, (Option<String>, Timestamp)>>,
}

/// Profile of a person, as Slack tells it.
#[derive(Clone, Debug, Default)]
struct Profile {
    name: String,
    team: String,
    /// Reason why they may not approve: deactivated, bot, guest, foreign.
    barred: Option<&'static str>,
    zone: Option<Zone>,
    language: Option<String>,
}

impl People {
    pub(super) fn new(
        config: &Config,
        client: Client,
        installed: Arc<Installed>,
        store: Arc<dyn Store>,
    ) -> Self {
        let account = |user: &Arc<User>| {
            let tenant = user.tenant.clone().unwrap_or_else(|| config.tenant.clone());
            Some(((tenant, user.slack.clone()?), user.id.clone()))
        };
        let accounts = config.users.configured().iter().filter_map(account).collect();
        let allowed = config.policy.approvers.iter().flat_map(|rule| &rule.allow);
        let mut groups: Vec<String> =
            allowed.filter_map(|name| name.strip_prefix(GROUP)).map(Into::into).collect();
        groups.sort();
        groups.dedup();
        Self {
            config: config.clone(),
            client,
            installed,
            store,
            accounts,
            groups,
            profiles: Mutex::default(),
            members: Mutex::default(),
            handles: Mutex::default(),
        }
    }

    /// Returns the user a member acts as: the account that the configuration gives their id, else the id. A person is the
    /// same user on every channel, so that nobody approves here what they requested elsewhere.
    pub(super) fn account(&self, tenant: &str, member: &str) -> String {
        let known = self.accounts.get(&(tenant.to_owned(), member.to_owned()));
        known.cloned().unwrap_or_else(|| member.to_owned())
    }

    /// Returns the name for a member in texts, if it is known without asking: their account, or their name as one word.
    pub(super) fn known(&self, workspace: &Workspace, member: &str) -> Option<String> {
        let word = |(profile, _): &(Profile, Timestamp)| {
            Some(profile.name.clone()).filter(|name| !name.is_empty() && !name.contains(char::is_whitespace))
        };
        let account = self.accounts.get(&(workspace.tenant.clone(), member.to_owned())).cloned();
        account.or_else(|| self.profiles().get(&key(workspace, member)).and_then(word))
    }

    /// Returns the language of a member, if it is known without asking.
    pub(super) fn language(&self, workspace: &Workspace, member: &str) -> Option<Language> {
        let account = self.config.user(&workspace.tenant, &self.account(&workspace.tenant, member));
        let own = account.and_then(|user| user.language.clone());
        let told = || self.profiles().get(&key(workspace, member))?.0.language.clone();
        own.or_else(told).as_deref().and_then(Language::of)
    }

    /// Forgets what is known about a member.
    pub(crate) fn forget(&self, _id: &str) {
        self.profiles().clear();
    }

    fn profiles(&self) -> MutexGuard<'_, HashMap<String, (Profile, Timestamp)>> {
        self.profiles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn members(&self) -> MutexGuard<'_, HashMap<String, (HashSet<String>, Timestamp)>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn handles(&self) -> MutexGuard<'_, HashMap<String, (Option<String>, Timestamp)>> {
        self.handles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the member id of a user of this channel.
    pub(super) fn member(&self, tenant: &str, id: &str) -> Option<String> {
        match self.config.user(tenant, id) {
            Some(user) => user.slack.clone(),
            None => is_member(id).then(|| id.to_owned()),
        }
    }

    /// Returns the person who acts, with what Slack says about them now. Somebody whom Slack cannot be asked about may do
    /// everything but approve, unless the configuration names them.
    pub(crate) async fn actor(&self, lane: &LaneKey, id: &str) -> Actor {
        let account = self.config.user(&lane.tenant, id);
        let stranger = || Actor { id: id.into(), name: id.into(), ..Actor::default() };
        let mut actor = account.as_ref().map_or_else(stranger, |user| user.actor());
        let Some(member) = self.member(&lane.tenant, id) else { return actor };
        let workspace = self.installed.of_lane(lane).ok();
        let profile = match &workspace {
            Some(workspace) => self.profile(workspace, &member).await,
            None => None,
        };
        let foreign = profile.as_ref().filter(|profile| profile.barred == Some("foreign"));
        actor.principals.push(match foreign {
            Some(profile) => format!("slack:{}/{member}", profile.team),
            None => format!("slack:{member}"),
        });
        let barred = match &profile {
            Some(profile) => profile.barred,
            None => account.is_none().then_some("unchecked"),
        };
        actor.barred = actor.barred.or_else(|| barred.map(Into::into));
        if let Some(profile) = profile {
            actor.language = actor.language.or(profile.language);
            if account.is_none() && !profile.name.is_empty() {
                actor.name = profile.name;
            }
        }
        let Some(workspace) = workspace else { return actor };
        for group in &self.groups {
            if self.group(&workspace, group).await.is_some_and(|members| members.contains(&member)) {
                actor.principals.push(format!("{GROUP}{group}"));
            }
        }
        actor
    }

    /// Returns the offset of a person's clock, from their account, else as Slack told it lately.
    pub(crate) fn offset_s(&self, lane: &LaneKey, id: &str, at: Timestamp) -> Option<i32> {
        let member = self.member(&lane.tenant, id)?;
        let workspace = self.installed.of_lane(lane).ok()?;
        let profiles = self.profiles();
        let (profile, _) = profiles.get(&key(&workspace, &member))?;
        profile.zone.as_ref().map(|zone| zone.offset_s(at))
    }

    async fn profile(&self, workspace: &Workspace, member: &str) -> Option<Profile> {
        let now = self.store.now();
        let key = key(workspace, member);
        if let Some((profile, _)) = self.profiles().get(&key).filter(|(_, at)| fresh(*at, now)) {
            return Some(profile.clone());
        }
        let call = outbound::user(member);
        let asked = tokio::time::timeout(PATIENCE, self.client.call(&workspace.token, &call)).await;
        let Ok(Answer::Applied(told)) = asked else {
            tracing::warn!(answer = ?asked, "Slack cannot be asked about a person; they cannot approve meanwhile");
            return None;
        };
        let profile = read(&told["user"], &workspace.app.team);
        let mut profiles = self.profiles();
        if profiles.len() >= KEPT {
            profiles.clear();
        }
        profiles.insert(key, (profile.clone(), now));
        Some(profile)
    }

    /// Returns the members of a user group; `None` if Slack cannot be asked: then nobody is in it.
    async fn group(&self, workspace: &Workspace, group: &str) -> Option<HashSet<String>> {
        let now = self.store.now();
        let key = key(workspace, group);
        if let Some((members, _)) = self.members().get(&key).filter(|(_, at)| fresh(*at, now)) {
            return Some(members.clone());
        }
        let call = outbound::group_members(group);
        let asked = tokio::time::timeout(PATIENCE, self.client.call(&workspace.token, &call)).await;
        let Ok(Answer::Applied(told)) = asked else {
            tracing::warn!(answer = ?asked, group, "Slack cannot be asked who is in a user group");
            return None;
        };
        let users = told["users"].as_array().into_iter().flatten();
        let members: HashSet<String> = users.filter_map(Value::as_str).map(Into::into).collect();
        self.members().insert(key, (members.clone(), now));
        Some(members)
    }
}

/// Returns the handle of a user group in the answer of `usergroups.list`.
fn handle_of(told: &Value, group: &str) -> Option<String> {
    let found = told["usergroups"].as_array()?.iter().find(|one| one["id"] == group)?;
    found["handle"].as_str().filter(|handle| !handle.is_empty()).map(str::to_owned)
}

/// Returns the name of a person or a group among all workspaces.
fn key(workspace: &Workspace, id: &str) -> String {
    format!("{}/{id}", workspace.app.team)
}

fn fresh(at: Timestamp, now: Timestamp) -> bool {
    (0..BELIEVED).contains(&now.since(at))
}

/// Returns true for an id that Slack gives to people.
fn is_member(id: &str) -> bool {
    id.starts_with(['U', 'W'])
        && id.len() > 1
        && id.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

/// Reads what `users.info` says about a person, seen from a workspace.
fn read(user: &Value, team: &str) -> Profile {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let theirs = text(&user["team_id"]);
    let yes = |name: &str| user[name] == true;
    let barred = if yes("deleted") {
        Some("deactivated")
    } else if yes("is_bot") || user["id"] == "USLACKBOT" {
        Some("bot")
    } else if yes("is_stranger")
        || (!theirs.is_empty() && theirs != team && user["enterprise_user"].is_null())
    {
        Some("foreign")
    } else if yes("is_restricted") || yes("is_ultra_restricted") {
        Some("guest")
    } else {
        None
    };
    let profile = &user["profile"];
    let names = [
        text(&profile["display_name"]),
        text(&profile["real_name"]),
        text(&user["real_name"]),
        text(&user["name"]),
    ];
    Profile {
        name: names.into_iter().find(|name| !name.is_empty()).unwrap_or_default(),
        team: theirs,
        barred,
        zone: user["tz"].as_str().and_then(|zone| zone.parse().ok()),
        language: user["locale"].as_str().filter(|locale| !locale.is_empty()).map(str::to_owned),
    }
}

#[async_trait]
impl Workspaces for People {
    fn workspace(&self, lane: &LaneKey) -> Result<Workspace, NoWorkspace> {
        self.installed.of_lane(lane)
    }

    async fn user(&self, lane: &LaneKey, person: &str) -> Option<String> {
        self.member(&lane.tenant, person)
    }

    async fn group(&self, lane: &LaneKey, id: &str) -> Option<String> {
        let workspace =
            self.installed.of_lane(lane).ok().filter(|_| self.groups.iter().any(|one| one == id))?;
        let now = self.store.now();
        let key = key(&workspace, id);
        if let Some((handle, _)) = self.handles().get(&key).filter(|(_, at)| fresh(*at, now)) {
            return handle.clone();
        }
        let call = outbound::groups();
        let asked = self.client.call(&workspace.token, &call);
        let handle = match tokio::time::timeout(PATIENCE, asked).await {
            Ok(Answer::Applied(told)) => handle_of(&told, id),
            _ => None,
        };
        self.handles().insert(key, (handle.clone(), now));
        handle
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn who_may_not_approve_is_known_by_the_profile() {
        let barred = |user: Value| read(&user, "T1").barred;
        assert_eq!(barred(json!({"team_id": "T1"})), None);
        assert_eq!(barred(json!({"team_id": "T1", "deleted": true})), Some("deactivated"));
        assert_eq!(barred(json!({"team_id": "T1", "is_bot": true})), Some("bot"));
        assert_eq!(barred(json!({"team_id": "T2"})), Some("foreign"));
        assert_eq!(barred(json!({"team_id": "T1", "is_stranger": true})), Some("foreign"));
        assert_eq!(barred(json!({"team_id": "T1", "is_restricted": true})), Some("guest"));
        assert_eq!(barred(json!({"team_id": "T1", "is_ultra_restricted": true})), Some("guest"));
    }

    #[test]
    fn names_zone_and_language_are_read() {
        let user = json!({"team_id": "T1", "name": "ana", "tz": "Europe/Berlin", "locale": "de-DE",
            "profile": {"display_name": "", "real_name": "Ana Lopes"}});
        let profile = read(&user, "T1");
        assert_eq!((profile.name.as_str(), profile.language.as_deref()), ("Ana Lopes", Some("de-DE")));
        assert_eq!(profile.zone.unwrap().offset_s(Timestamp(0)), 3_600);
        assert!(
            is_member("U012AB")
                && is_member("W1")
                && !is_member("Uwe")
                && !is_member("ana")
                && !is_member("U")
        );
    }
}
