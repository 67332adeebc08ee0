//! The state of the fake: workspaces with their people, channels, messages, views and files.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::outbox::Outbox;

pub use super::shown::{Button, Message, View};

/// The time within which a trigger can be used, in milliseconds.
pub(super) const TRIGGER_LIFETIME: i64 = 3_000;
/// The time within which a response URL can be used, in milliseconds.
pub(super) const RESPONSE_LIFETIME: i64 = 30 * 60_000;
/// The number of times a response URL can be used.
pub(super) const RESPONSE_USES: u32 = 5;

/// A person or a bot.
#[derive(Clone, Debug, Default)]
pub(super) struct User {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) real_name: String,
    pub(super) team: String,
    pub(super) is_bot: bool,
    pub(super) deleted: bool,
    /// True if the person may use only some channels.
    pub(super) guest: bool,
    /// True if the person is of another workspace.
    pub(super) stranger: bool,
    pub(super) admin: bool,
    pub(super) tz: String,
    pub(super) locale: String,
}

/// A kind of conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A public channel.
    Public,
    /// A private channel.
    Private,
    /// A conversation of two.
    Im,
    /// A conversation of several people that is no channel.
    Mpim,
}

impl Kind {
    /// Returns the `channel_type` of events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Public => "channel",
            Kind::Private => "group",
            Kind::Im => "im",
            Kind::Mpim => "mpim",
        }
    }
}

/// A conversation.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) members: BTreeSet<String>,
    pub(super) messages: BTreeMap<String, Message>,
    pub(super) archived: bool,
    /// True if it is shared with another organisation.
    pub(super) shared: bool,
}

/// A trigger: the right to open one view.
#[derive(Clone, Debug)]
pub(super) struct Trigger {
    pub(super) user: String,
    pub(super) at: i64,
    pub(super) used: bool,
}

/// A response URL.
#[derive(Clone, Debug)]
pub(super) struct Response {
    pub(super) channel: String,
    pub(super) user: String,
    /// The message that was acted on, and its thread.
    pub(super) message: Option<String>,
    pub(super) thread: Option<String>,
    pub(super) at: i64,
    pub(super) uses: u32,
}

/// A status of the app in a thread, of the agent view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The channel.
    pub channel: String,
    /// The thread.
    pub thread: String,
    /// The text; empty if the status was cleared.
    pub text: String,
    /// The texts that are shown in turn.
    pub loading: Vec<String>,
    /// The time, in milliseconds since 1970.
    pub at: i64,
}

/// A file.
#[derive(Clone, Debug, Default)]
pub(super) struct File {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) title: String,
    pub(super) length: usize,
    pub(super) content: Option<Vec<u8>>,
    /// True if it was completed, and can be seen.
    pub(super) done: bool,
}

/// A group of people.
#[derive(Clone, Debug)]
pub(super) struct Usergroup {
    pub(super) id: String,
    pub(super) handle: String,
    pub(super) users: Vec<String>,
}

/// A workspace with the app installed.
#[derive(Debug)]
pub(super) struct Team {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) domain: String,
    pub(super) enterprise: Option<String>,
    pub(super) bot_user: String,
    pub(super) bot: String,
    pub(super) app: String,
    pub(super) users: BTreeMap<String, User>,
    pub(super) channels: BTreeMap<String, Channel>,
    pub(super) usergroups: BTreeMap<String, Usergroup>,
    pub(super) ephemerals: Vec<Message>,
    /// The open modals of each person, the newest last.
    pub(super) modals: BTreeMap<String, Vec<View>>,
    pub(super) homes: BTreeMap<String, View>,
    pub(super) triggers: BTreeMap<String, Trigger>,
    pub(super) responses: BTreeMap<String, Response>,
    pub(super) statuses: Vec<Status>,
    /// The statuses that can be seen, with the times they were set.
    pub(super) shown_statuses: BTreeMap<(String, String), (String, i64)>,
    /// The streams that a person stopped.
    pub(super) stopped: BTreeSet<String>,
    /// The scopes of the app's newest token.
    pub(super) scopes: BTreeSet<String>,
    /// The events that the app subscribed to; all if `None`.
    pub(super) subscribed: Option<BTreeSet<String>>,
    pub(super) titles: BTreeMap<(String, String), String>,
    pub(super) prompts: BTreeMap<(String, String), Value>,
    pub(super) files: BTreeMap<String, File>,
    /// The number of ids so far.
    pub(super) ids: u64,
    pub(super) last_ts: i64,
}

impl Team {
    /// Returns a new id with a prefix, of the length of real ones.
    pub(super) fn id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}{:0>9}", base36(self.ids * 7_919))
    }

    /// Returns a new timestamp: later than all before it.
    pub(super) fn ts(&mut self, now: i64) -> String {
        self.last_ts = (now * 1_000).max(self.last_ts + 1);
        format!("{}.{:06}", self.last_ts / 1_000_000, self.last_ts % 1_000_000)
    }

    pub(super) fn add_user(&mut self, id: &str, name: &str) -> &mut User {
        let team = self.id.clone();
        let user = self.users.entry(id.into()).or_default();
        (user.id, user.name, user.team) = (id.into(), name.to_lowercase().replace(' ', "."), team);
        (user.real_name, user.tz, user.locale) = (name.into(), "Europe/Amsterdam".into(), "en-US".into());
        user
    }

    /// Returns a person. One that is not known is added under their id.
    pub(super) fn add_user_if_missing(&mut self, id: &str) -> &mut User {
        if !self.users.contains_key(id) {
            self.add_user(id, id);
        }
        self.users.entry(id.into()).or_default()
    }

    pub(super) fn add_channel(&mut self, id: &str, name: &str, kind: Kind) -> &mut Channel {
        let (id, name) = (id.to_owned(), name.to_owned());
        let bot = self.bot_user.clone();
        self.channels.entry(id.clone()).or_insert_with(|| Channel {
            id,
            name,
            kind,
            members: [bot].into(),
            messages: BTreeMap::new(),
            archived: false,
            shared: false,
        })
    }

    /// Returns the direct conversation with a person, which is opened if need be.
    pub(super) fn im(&mut self, user: &str) -> String {
        let members: BTreeSet<String> = [self.bot_user.clone(), user.to_owned()].into();
        let known = self.channels.values().find(|one| one.kind == Kind::Im && one.members == members);
        if let Some(known) = known {
            return known.id.clone();
        }
        let id = format!("D{}", user.trim_start_matches(['U', 'W']));
        self.add_channel(&id, "", Kind::Im).members = members;
        id
    }

    pub(super) fn channel(&mut self, id: &str) -> &mut Channel {
        assert!(self.channels.contains_key(id), "there is no channel {id}: add it with channel()");
        self.add_channel(id, "", Kind::Public)
    }

    /// Adds a message. Returns its timestamp.
    pub(super) fn write(&mut self, mut message: Message, now: i64) -> String {
        let ts = self.ts(now);
        (message.ts, message.at) = (ts.clone(), now);
        let channel = message.channel.clone();
        if let Some(thread) = message.thread.clone().filter(|_| message.bot.as_ref() == Some(&self.bot)) {
            self.shown_statuses.remove(&(channel.clone(), thread));
        }
        self.channel(&channel).messages.insert(ts.clone(), message);
        ts
    }

    /// Returns a new trigger of a person.
    pub(super) fn trigger(&mut self, user: &str, now: i64) -> String {
        self.ids += 1;
        let id = format!("{}.{}.{:032x}", 700_000_000_000 + self.ids, 8_230_001, u128::from(self.ids) << 64);
        self.triggers.insert(id.clone(), Trigger { user: user.into(), at: now, used: false });
        id
    }

    /// Returns a new response URL's id.
    pub(super) fn response(&mut self, response: Response) -> String {
        let id = self.id("R");
        self.responses.insert(id.clone(), response);
        id
    }

    /// Returns the part of every payload that names the workspace.
    pub(super) fn payload_team(&self) -> Value {
        let mut team = json!({"id": self.id, "domain": self.domain});
        if let Some(enterprise) = &self.enterprise {
            team["enterprise_id"] = json!(enterprise);
            team["enterprise_name"] = json!("Enterprise");
        }
        team
    }

    pub(super) fn payload_user(&self, user: &str) -> Value {
        let known = self.users.get(user);
        let name = known.map_or(user, |user| user.name.as_str());
        let team = known.map_or(self.id.as_str(), |user| user.team.as_str());
        json!({"id": user, "username": name, "name": name, "team_id": team})
    }
}

/// A token and what it allows.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) team: String,
    pub(super) scopes: BTreeSet<String>,
    /// The time until which it is valid, in milliseconds since 1970.
    pub(super) until: Option<i64>,
    pub(super) revoked: bool,
}

impl Token {
    /// Returns the scopes as Slack lists them.
    pub(super) fn listed(&self) -> String {
        self.scopes.iter().map(String::as_str).collect::<Vec<_>>().join(",")
    }
}

/// A code of an installation.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) team: String,
    /// The URL that the person was sent back to.
    pub(super) redirect: Option<String>,
    pub(super) scopes: BTreeSet<String>,
}

/// Everything that changes.
#[derive(Debug, Default)]
pub(super) struct World {
    pub(super) teams: BTreeMap<String, Team>,
    /// The bot tokens.
    pub(super) tokens: BTreeMap<String, Token>,
    /// The refresh tokens, with their workspaces and scopes.
    pub(super) refresh_tokens: BTreeMap<String, (String, BTreeSet<String>)>,
    /// The codes of installations that nobody exchanged yet.
    pub(super) codes: BTreeMap<String, Code>,
    /// True if tokens expire and are refreshed.
    pub(super) rotates: bool,
    pub(super) issued: u64,
    pub(super) outbox: Outbox,
    /// Mistakes of the app apart from calls: in answers to deliveries.
    pub(super) wrong: Vec<String>,
}

impl World {
    /// Returns the workspace of a channel and the queue of deliveries.
    pub(super) fn of_channel(&mut self, channel: &str) -> (&mut Team, &mut Outbox) {
        let team = self.teams.values_mut().find(|team| team.channels.contains_key(channel));
        let team =
            team.unwrap_or_else(|| panic!("there is no channel {channel}: add it with channel() or dm()"));
        (team, &mut self.outbox)
    }

    /// Returns the workspace of a person and the queue of deliveries.
    pub(super) fn of_user(&mut self, user: &str) -> (&mut Team, &mut Outbox) {
        let team = self.teams.values_mut().find(|team| team.users.contains_key(user));
        let team = team.unwrap_or_else(|| panic!("there is no person {user}: add them with person()"));
        (team, &mut self.outbox)
    }
}

pub(super) fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(number % 36).unwrap_or_default();
        digits.push(char::from_digit(digit, 36).unwrap_or('0').to_ascii_uppercase());
        number /= 36;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().collect()
}
