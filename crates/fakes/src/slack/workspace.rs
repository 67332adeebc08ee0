//! Workspaces, their people and channels, and the installation of the app.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{Code, Kind, Team, Token, Usergroup};
use super::{FakeSlack, install};

/// The scopes of a new installation.
const SCOPES: [&str; 23] = [
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "chat:write.public",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "mpim:write",
    "reactions:read",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users:read",
    "users:read.email",
];

impl FakeSlack {
    pub(super) fn scopes() -> BTreeSet<String> {
        SCOPES.iter().map(|scope| (*scope).to_owned()).collect()
    }

    /// Installs the app in a workspace, which is made if need be, with a bot token.
    pub fn install(&self, team: &str, name: &str, token: &str, bot_user: &str, bot: &str) {
        self.workspace(team, name, bot_user, bot);
        let granted = Token { team: team.into(), scopes: Self::scopes(), until: None, revoked: false };
        self.shared.world().tokens.insert(token.into(), granted);
    }

    /// Adds a workspace without the app's token; `oauth.v2.access` issues one.
    pub fn workspace(&self, id: &str, name: &str, bot_user: &str, bot: &str) {
        let mut world = self.shared.world();
        let number = u64::try_from(world.teams.len()).unwrap_or_default();
        world.teams.entry(id.into()).or_insert_with(|| {
            let mut team = Team {
                id: id.into(),
                name: name.into(),
                domain: name.to_lowercase(),
                enterprise: None,
                bot_user: bot_user.into(),
                bot: bot.into(),
                app: Self::APP.into(),
                users: BTreeMap::new(),
                channels: BTreeMap::new(),
                usergroups: BTreeMap::new(),
                ephemerals: Vec::new(),
                modals: BTreeMap::new(),
                homes: BTreeMap::new(),
                triggers: BTreeMap::new(),
                responses: BTreeMap::new(),
                statuses: Vec::new(),
                shown_statuses: BTreeMap::new(),
                stopped: BTreeSet::new(),
                scopes: Self::scopes(),
                subscribed: None,
                titles: BTreeMap::new(),
                prompts: BTreeMap::new(),
                files: BTreeMap::new(),
                // Ids of two workspaces differ.
                ids: number * 1_000_000,
                last_ts: 0,
            };
            team.add_user(bot_user, "Maro").is_bot = true;
            team
        });
    }

    /// Sets the enterprise of a workspace.
    pub fn set_enterprise(&self, team: &str, enterprise: &str) {
        if let Some(team) = self.shared.world().teams.get_mut(team) {
            team.enterprise = Some(enterprise.into());
        }
    }

    /// Returns a code that `oauth.v2.access` takes once, as after a person installed the app.
    pub fn installs(&self, team: &str, redirect: Option<&str>) -> String {
        let code = Code { team: team.into(), redirect: redirect.map(str::to_owned), scopes: Self::scopes() };
        install::issue_code(&mut self.shared.world(), code)
    }

    /// Issues tokens from now on that expire after twelve hours and come with a refresh token.
    pub fn rotates_tokens(&self) {
        self.shared.world().rotates = true;
    }

    /// Replaces the scopes of a token. Events that need others are withheld from now on.
    pub fn grant(&self, token: &str, scopes: &[&str]) {
        let mut world = self.shared.world();
        let scopes: BTreeSet<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
        let known = world.tokens.get_mut(token);
        let known = known.unwrap_or_else(|| panic!("there is no token {token}"));
        known.scopes.clone_from(&scopes);
        let id = known.team.clone();
        if let Some(team) = world.teams.get_mut(&id) {
            team.scopes = scopes;
        }
    }

    /// Subscribes to these events only, in every workspace, by the names of an app's manifest: `app_mention`,
    /// `message.channels` and so on. The others are withheld.
    pub fn subscribes(&self, events: &[&str]) {
        let events: BTreeSet<String> = events.iter().map(|event| (*event).to_owned()).collect();
        for team in self.shared.world().teams.values_mut() {
            team.subscribed = Some(events.clone());
        }
    }

    /// Revokes a token.
    pub fn revokes(&self, token: &str) {
        if let Some(token) = self.shared.world().tokens.get_mut(token) {
            token.revoked = true;
        }
    }

    /// Adds a person to the first workspace.
    pub fn person(&self, id: &str, name: &str) {
        self.person_of(Self::TEAM, id, name);
    }

    /// Adds a person to a workspace.
    pub fn person_of(&self, team: &str, id: &str, name: &str) {
        self.in_team(team, |team| {
            team.add_user(id, name);
        });
    }

    /// Makes a person a guest, who may use only some channels.
    pub fn guest(&self, id: &str) {
        self.of_person(id, |team, _, _| team.add_user_if_missing(id).guest = true);
    }

    /// Makes a person one of another workspace, as in channels that are shared.
    pub fn stranger(&self, id: &str, team_of: &str) {
        self.of_person(id, |team, _, _| {
            let user = team.add_user_if_missing(id);
            (user.stranger, user.team) = (true, team_of.into());
        });
    }

    /// Sets the time zone and the locale of a person.
    pub fn speaks(&self, id: &str, locale: &str, tz: &str) {
        self.of_person(id, |team, _, _| {
            let user = team.add_user_if_missing(id);
            (user.locale, user.tz) = (locale.into(), tz.into());
        });
    }

    /// Adds a public channel to the first workspace, with the bot and these people as members.
    pub fn channel(&self, id: &str, name: &str, members: &[&str]) {
        self.channel_of(Self::TEAM, id, name, Kind::Public, members);
    }

    /// Adds a channel to a workspace, with the bot and these people as members.
    pub fn channel_of(&self, team: &str, id: &str, name: &str, kind: Kind, members: &[&str]) {
        self.in_team(team, |team| {
            let channel = team.add_channel(id, name, kind);
            channel.members.extend(members.iter().map(|member| (*member).to_owned()));
        });
    }

    /// Returns the direct conversation of a person with the bot, which is opened if need be.
    pub fn dm(&self, user: &str) -> String {
        self.of_person(user, |team, _, _| team.im(user))
    }

    /// Removes the bot from a channel, or adds it again.
    pub fn bot_in_channel(&self, channel: &str, member: bool) {
        self.in_channel(channel, |team, _, _| {
            let bot = team.bot_user.clone();
            let members = &mut team.channel(channel).members;
            if member {
                members.insert(bot)
            } else {
                members.remove(&bot)
            };
        });
    }

    /// Archives a channel.
    pub fn archives(&self, channel: &str) {
        self.in_channel(channel, |team, _, _| team.channel(channel).archived = true);
    }

    /// Shares a channel with another organisation.
    pub fn shares(&self, channel: &str) {
        self.in_channel(channel, |team, _, _| team.channel(channel).shared = true);
    }

    /// Adds a group of people to the first workspace.
    pub fn usergroup(&self, id: &str, handle: &str, users: &[&str]) {
        let users = users.iter().map(|user| (*user).to_owned()).collect();
        self.in_team(Self::TEAM, |team| {
            let group = Usergroup { id: id.into(), handle: handle.into(), users };
            team.usergroups.insert(id.into(), group);
        });
    }

    fn in_team<T>(&self, id: &str, act: impl FnOnce(&mut Team) -> T) -> T {
        let mut world = self.shared.world();
        let team = world.teams.get_mut(id).unwrap_or_else(|| panic!("there is no workspace {id}"));
        act(team)
    }
}
