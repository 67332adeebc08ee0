//! The events of the Events API, as people's actions cause them.

use serde_json::{Value, json};

use super::methods::{person, reaction};
use super::outbox::{DeliveryId, Outbox, Sort};
use super::state::{Kind, Message, Team};
use super::{FakeSlack, typed};

/// Returns an event in its envelope.
fn envelope(team: &mut Team, event: Value, now: i64) -> Value {
    let channel = event["channel"].as_str().or(event["item"]["channel"].as_str());
    let shared = channel.and_then(|id| team.channels.get(id)).is_some_and(|channel| channel.shared);
    let id = team.id("Ev");
    let mut envelope = json!({
        "token": "verification-token", "team_id": team.id, "context_team_id": team.id,
        "context_enterprise_id": team.enterprise, "api_app_id": team.app, "event": event, "type": "event_callback",
        "event_id": id, "event_time": now / 1_000, "is_ext_shared_channel": shared,
        "authorizations": [{"enterprise_id": team.enterprise, "team_id": team.id, "user_id": team.bot_user,
            "is_bot": true, "is_enterprise_install": false}],
        "event_context": format!("4-{}", id.to_lowercase()),
    });
    if let Some(enterprise) = &team.enterprise {
        envelope["enterprise_id"] = json!(enterprise);
    }
    envelope
}

/// Returns the `message` event of a message.
pub(super) fn message(team: &Team, channel: &str, ts: &str) -> Value {
    let room = &team.channels[channel];
    let message = &room.messages[ts];
    let mut event = in_thread(team, message);
    event["channel"] = json!(channel);
    event["channel_type"] = json!(room.kind.name());
    event["event_ts"] = json!(ts);
    if let Some(author) = team.users.get(&message.user).filter(|author| author.stranger) {
        event["user_team"] = json!(author.team);
        event["source_team"] = json!(author.team);
    }
    if let Some(parent) = parent(team, message).filter(|_| message.broadcast) {
        event["root"] = parent.json(team);
    }
    event
}

/// Returns the root of the thread that a message replies to.
fn parent<'a>(team: &'a Team, message: &Message) -> Option<&'a Message> {
    let thread = message.thread.as_ref().filter(|thread| **thread != message.ts)?;
    team.channels.get(&message.channel)?.messages.get(thread)
}

/// Returns a message with the author of the message it replies to.
pub(super) fn in_thread(team: &Team, message: &Message) -> Value {
    let mut shown = message.json(team);
    if let Some(parent) = parent(team, message) {
        shown["parent_user_id"] = json!(parent.user);
    }
    shown
}

/// Returns the event of an edit.
pub(super) fn changed(team: &mut Team, before: &Message, after: &Message, now: i64) -> Value {
    let ts = team.ts(now);
    json!({"type": "message", "subtype": "message_changed", "message": after.json(team),
        "previous_message": before.json(team), "channel": after.channel, "hidden": true, "ts": ts, "event_ts": ts,
        "channel_type": team.channels[&after.channel].kind.name()})
}

/// Removes a message, and returns the event of it. Of a root with replies, a tombstone stays.
pub(super) fn deleted(team: &mut Team, before: &Message, now: i64) -> Value {
    let messages = &mut team.channel(&before.channel).messages;
    messages.remove(&before.ts);
    if messages.values().any(|message| message.thread.as_ref() == Some(&before.ts)) {
        let tombstone = Message {
            ts: before.ts.clone(),
            channel: before.channel.clone(),
            user: "USLACKBOT".into(),
            text: "This message was deleted.".into(),
            thread: Some(before.ts.clone()),
            subtype: Some("tombstone".into()),
            at: before.at,
            ..Message::default()
        };
        messages.insert(before.ts.clone(), tombstone.clone());
        return changed(team, before, &tombstone, now);
    }
    let ts = team.ts(now);
    json!({"type": "message", "subtype": "message_deleted", "previous_message": before.json(team),
        "channel": before.channel, "hidden": true, "deleted_ts": before.ts, "ts": ts, "event_ts": ts,
        "channel_type": team.channels[&before.channel].kind.name()})
}

/// The name of an event in an app's manifest, and the scopes of which one is needed.
fn subscription(event: &Value) -> (String, &'static [&'static str]) {
    let kind = event["type"].as_str().unwrap_or_default();
    let scopes: &[&str] = match (kind, event["channel_type"].as_str()) {
        ("message", Some("channel")) => &["channels:history"],
        ("message", Some("group")) => &["groups:history"],
        ("message", Some("im")) => &["im:history"],
        ("message", Some("mpim")) => &["mpim:history"],
        ("app_mention", _) => &["app_mentions:read"],
        ("assistant_thread_started" | "assistant_thread_context_changed", _) => &["assistant:write"],
        ("member_joined_channel" | "member_left_channel", _) => &["channels:read", "groups:read"],
        ("reaction_added" | "reaction_removed", _) => &["reactions:read"],
        ("team_join" | "user_change", _) => &["users:read"],
        _ => &[],
    };
    let name = match event["channel_type"].as_str() {
        Some(kind @ ("channel" | "group")) if event["type"] == "message" => format!("message.{kind}s"),
        Some(kind) if event["type"] == "message" => format!("message.{kind}"),
        _ => kind.to_owned(),
    };
    (name, scopes)
}

/// Queues an event, or withholds it from an app that lacks the scope or has not subscribed.
pub(super) fn queue(team: &mut Team, outbox: &mut Outbox, event: Value, now: i64) -> DeliveryId {
    let (name, scopes) = subscription(&event);
    let allowed = scopes.is_empty() || scopes.iter().any(|scope| team.scopes.contains(*scope));
    let subscribed = team.subscribed.as_ref().is_none_or(|all| all.contains(&name));
    let payload = envelope(team, event, now);
    if allowed && subscribed {
        return outbox.queue(Sort::Event, payload, now);
    }
    outbox.withhold(payload, now)
}

/// Writes a message of a person or another bot, and queues its events.
fn write(team: &mut Team, outbox: &mut Outbox, message_: Message, now: i64) -> String {
    let channel = message_.channel.clone();
    let mentions = message_.text.contains(&format!("<@{}>", team.bot_user));
    let from_person = message_.bot.is_none();
    let ts = team.write(message_, now);
    let room = &team.channels[&channel];
    if !room.members.contains(&team.bot_user) {
        return ts;
    }
    let (direct, event) = (room.kind == Kind::Im, message(team, &channel, &ts));
    if mentions && from_person && !direct {
        let mut mention = event.clone();
        mention["type"] = json!("app_mention");
        if let Some(fields) = mention.as_object_mut() {
            fields.remove("channel_type");
            fields.remove("parent_user_id");
        }
        queue(team, outbox, mention, now);
    }
    queue(team, outbox, event, now);
    ts
}

impl FakeSlack {
    /// Sends a message from a person to a channel, in which the person becomes a member. Returns its timestamp. `<@U…>`,
    /// `<#C…>` and `<!…>` are entities; all else is escaped as clients do.
    pub fn says(&self, channel: &str, user: &str, text: &str) -> String {
        self.writes(channel, user, text, |_| {})
    }

    /// Sends a reply from a person in a thread. Returns its timestamp.
    pub fn says_in(&self, channel: &str, thread: &str, user: &str, text: &str) -> String {
        self.writes(channel, user, text, |message| message.thread = Some(thread.into()))
    }

    /// Sends a reply from a person in a thread, which is shown in the channel too. Returns its timestamp.
    pub fn broadcasts(&self, channel: &str, thread: &str, user: &str, text: &str) -> String {
        self.writes(channel, user, text, |message| {
            (message.thread, message.broadcast) = (Some(thread.into()), true);
            message.subtype = Some("thread_broadcast".into());
        })
    }

    /// Sends a message of any kind from a person: `more` changes it before it is sent. Returns its timestamp.
    pub fn writes(&self, channel: &str, user: &str, text: &str, more: impl FnOnce(&mut Message)) -> String {
        self.in_channel(channel, |team, outbox, now| {
            team.channel(channel).members.insert(user.into());
            let mut message = Message {
                channel: channel.into(),
                user: user.into(),
                text: typed::escaped(text),
                blocks: vec![typed::rich_text(text)],
                ..Message::default()
            };
            more(&mut message);
            write(team, outbox, message, now)
        })
    }

    /// Sends a direct message from a person. Returns the conversation and the timestamp.
    pub fn says_to_bot(&self, user: &str, text: &str) -> (String, String) {
        let channel = self.dm(user);
        let ts = self.says(&channel, user, text);
        (channel, ts)
    }

    /// Sends a message with a file from a person. Returns its timestamp.
    pub fn shares_file(&self, channel: &str, user: &str, text: &str, name: &str) -> String {
        let file = json!({"id": "F0FILE001", "name": name, "title": name, "mimetype": "application/pdf",
            "filetype": "pdf", "size": 4_711, "user": user, "mode": "hosted", "file_access": "visible"});
        self.writes(channel, user, text, |message| {
            (message.files, message.subtype) = (vec![file], Some("file_share".into()));
        })
    }

    /// Sends a message of another integration, which has no user. Returns its timestamp.
    pub fn bot_says(&self, channel: &str, bot: &str, text: &str) -> String {
        self.in_channel(channel, |team, outbox, now| {
            let (channel, bot, subtype) = (channel.into(), Some(bot.into()), Some("bot_message".into()));
            let message = Message { channel, bot, subtype, text: typed::escaped(text), ..Message::default() };
            write(team, outbox, message, now)
        })
    }

    /// Edits a message of a person. With the same text it is an event as of a link preview.
    pub fn edits(&self, channel: &str, ts: &str, text: &str) -> DeliveryId {
        self.in_channel(channel, |team, outbox, now| {
            let before = team.channel(channel).messages[ts].clone();
            let mut after = before.clone();
            let escaped = typed::escaped(text);
            if escaped != before.text {
                (after.text, after.blocks) = (escaped, vec![typed::rich_text(text)]);
                (after.edited, after.edits) = (Some(team.ts(now)), before.edits + 1);
            }
            team.channel(channel).messages.insert(ts.into(), after.clone());
            let event = changed(team, &before, &after, now);
            queue(team, outbox, event, now)
        })
    }

    /// Deletes a message. Of a root with replies, a tombstone stays.
    pub fn deletes(&self, channel: &str, ts: &str) -> DeliveryId {
        self.in_channel(channel, |team, outbox, now| {
            let before = team.channel(channel).messages.get(ts).cloned();
            let before = before.unwrap_or_else(|| panic!("there is no message {ts} in {channel}"));
            let event = deleted(team, &before, now);
            queue(team, outbox, event, now)
        })
    }

    /// Adds or removes a person's reaction to a message.
    pub fn reacts(&self, channel: &str, user: &str, ts: &str, name: &str, added: bool) -> DeliveryId {
        self.in_channel(channel, |team, outbox, now| {
            let messages = &mut team.channel(channel).messages;
            let message =
                messages.get_mut(ts).unwrap_or_else(|| panic!("there is no message {ts} in {channel}"));
            let users = message.reactions.entry(name.into()).or_default();
            users.retain(|one| one != user);
            if added {
                users.push(user.into());
            }
            let kind = if added { "reaction_added" } else { "reaction_removed" };
            let mut event = reaction(kind, user, name, message);
            message.reactions.retain(|_, users| !users.is_empty());
            event["event_ts"] = json!(team.ts(now));
            queue(team, outbox, event, now)
        })
    }

    /// Lets a person join a channel.
    pub fn joins(&self, channel: &str, user: &str) -> DeliveryId {
        self.in_channel(channel, |team, outbox, now| {
            team.channel(channel).members.insert(user.into());
            let (kind, id, ts) = (team.channels[channel].kind, team.id.clone(), team.ts(now));
            let letter = if kind == Kind::Public { "C" } else { "G" };
            let event = json!({"type": "member_joined_channel", "user": user, "channel": channel,
                "channel_type": letter, "team": id, "enterprise": team.enterprise, "event_ts": ts});
            queue(team, outbox, event, now)
        })
    }

    /// Opens a tab of the app for a person: `home` or `messages`.
    pub fn opens_home(&self, user: &str, tab: &str) -> DeliveryId {
        let channel = self.dm(user);
        self.of_person(user, |team, outbox, now| {
            let mut event = json!({"type": "app_home_opened", "user": user, "channel": channel, "tab": tab,
                "event_ts": team.ts(now)});
            if let Some(view) = team.homes.get(user).filter(|_| tab == "home") {
                event["view"] = view.json(team);
            }
            queue(team, outbox, event, now)
        })
    }

    /// Starts a thread with the agent. Returns the conversation and the thread.
    pub fn starts_assistant(&self, user: &str) -> (String, String) {
        let channel = self.dm(user);
        let thread = self.of_person(user, |team, outbox, now| {
            // The root of such a thread is a message of the app that Slack writes.
            let root = Message {
                channel: channel.clone(),
                user: team.bot_user.clone(),
                bot: Some(team.bot.clone()),
                text: "New Assistant Thread".into(),
                subtype: Some("assistant_app_thread".into()),
                ..Message::default()
            };
            let thread = team.write(root, now);
            let context = json!({"channel_id": channel, "team_id": team.id, "enterprise_id": team.enterprise});
            let event = json!({"type": "assistant_thread_started", "event_ts": team.ts(now),
                "assistant_thread": {"user_id": user, "context": context, "channel_id": channel, "thread_ts": thread}});
            queue(team, outbox, event, now);
            thread
        });
        (channel, thread)
    }

    /// Deactivates a person, or activates them again.
    pub fn deactivates(&self, user: &str, deleted: bool) -> DeliveryId {
        self.of_person(user, |team, outbox, now| {
            let known = team.add_user_if_missing(user);
            known.deleted = deleted;
            let shown = person(known);
            let event = json!({"type": "user_change", "user": shown, "cache_ts": now / 1_000, "event_ts": team.ts(now)});
            queue(team, outbox, event, now)
        })
    }

    /// Removes the app from the workspace of a person. Its tokens are revoked. Returns both deliveries, in order.
    pub fn uninstalls(&self, user: &str) -> [DeliveryId; 2] {
        let mut world = self.shared.world();
        let now = self.shared.now();
        let id = world.of_user(user).0.id.clone();
        for token in world.tokens.values_mut().filter(|token| token.team == id) {
            token.revoked = true;
        }
        let (team, outbox) = world.of_user(user);
        let bot = team.bot_user.clone();
        let ts = team.ts(now);
        let revoked =
            json!({"type": "tokens_revoked", "tokens": {"oauth": [], "bot": [bot]}, "event_ts": ts});
        let removed = json!({"type": "app_uninstalled", "event_ts": ts});
        let both = [queue(team, outbox, revoked, now), queue(team, outbox, removed, now)];
        drop(world);
        self.shared.bell.notify_one();
        both
    }

    /// Sends any event.
    pub fn sends_event(&self, user: &str, event: Value) -> DeliveryId {
        self.of_person(user, |team, outbox, now| queue(team, outbox, event, now))
    }

    /// Sends any payload to the workspace of a person: for recorded ones.
    pub fn sends(&self, user: &str, sort: Sort, payload: Value) -> DeliveryId {
        self.of_person(user, |_, outbox, now| outbox.queue(sort, payload, now))
    }

    /// Delivers an event once more, with the same event id and a new envelope.
    pub fn repeats(&self, delivery: DeliveryId) -> DeliveryId {
        let now = self.shared.now();
        let mut world = self.shared.world();
        let (sort, payload) = {
            let known = &world.outbox.deliveries[delivery.0];
            (known.sort, known.payload.clone())
        };
        let id = world.outbox.queue(sort, payload, now);
        drop(world);
        self.shared.bell.notify_one();
        id
    }
}
