//! Conversations and what was said in them.

use serde_json::{Value, json};

use super::super::state::{Channel, Kind, Message};
use super::{Answer, ApiError, Ask, page, refuse};

/// Returns a conversation as the API shows it.
fn shown(ask: &Ask<'_>, channel: &Channel) -> Value {
    let bot = &ask.team.bot_user;
    let kind = channel.kind;
    let mut shown = json!({
        "id": channel.id, "created": 1_700_000_000, "is_archived": channel.archived, "is_im": kind == Kind::Im,
        "is_org_shared": false, "context_team_id": ask.team.id, "updated": 1_700_000_000_000_i64,
    });
    let mut put = |name: &str, value: Value| shown[name] = value;
    if kind == Kind::Im {
        let other = channel.members.iter().find(|member| *member != bot);
        put("user", json!(other));
        put("is_user_deleted", json!(false));
        return shown;
    }
    put("name", json!(channel.name));
    put("name_normalized", json!(channel.name));
    put("is_channel", json!(kind == Kind::Public));
    put("is_group", json!(kind == Kind::Private));
    put("is_mpim", json!(kind == Kind::Mpim));
    put("is_private", json!(kind != Kind::Public));
    put("is_member", json!(channel.members.contains(bot)));
    put("is_shared", json!(channel.shared));
    put("is_ext_shared", json!(channel.shared));
    put("is_general", json!(false));
    put("creator", json!(channel.members.iter().find(|member| *member != bot)));
    put("topic", json!({"value": "", "creator": "", "last_set": 0}));
    put("purpose", json!({"value": "", "creator": "", "last_set": 0}));
    shown
}

pub(super) fn info(ask: &mut Ask<'_>) -> Answer {
    let channel = ask.channel("channel")?.clone();
    let mut shown = shown(ask, &channel);
    if ask.flag("include_num_members") {
        shown["num_members"] = json!(channel.members.len());
    }
    Ok(json!({"channel": shown}))
}

pub(super) fn list(ask: &mut Ask<'_>) -> Answer {
    let types = match ask.text("types") {
        "" => "public_channel",
        types => types,
    };
    let bot = ask.team.bot_user.clone();
    let wanted = |kind: Kind| {
        let name = match kind {
            Kind::Public => "public_channel",
            Kind::Private => "private_channel",
            Kind::Im => "im",
            Kind::Mpim => "mpim",
        };
        types.split(',').any(|one| one.trim() == name)
    };
    let visible = |channel: &&Channel| channel.kind == Kind::Public || channel.members.contains(&bot);
    let kept = |channel: &&Channel| !(channel.archived && ask.flag("exclude_archived"));
    let all = ask.team.channels.values().filter(|channel| wanted(channel.kind)).filter(visible).filter(kept);
    let all = all.map(|channel| shown(ask, channel)).collect();
    let (channels, next) = page(all, ask, 100)?;
    Ok(json!({"channels": channels, "response_metadata": {"next_cursor": next}}))
}

pub(super) fn members(ask: &mut Ask<'_>) -> Answer {
    let all = ask.channel("channel")?.members.iter().map(|member| json!(member)).collect();
    let (members, next) = page(all, ask, 100)?;
    Ok(json!({"members": members, "response_metadata": {"next_cursor": next}}))
}

/// Returns the messages of a call's time range, as the API shows them.
fn ranged(ask: &Ask<'_>, messages: Vec<Message>) -> Vec<Value> {
    let (oldest, latest, inclusive) = (ask.text("oldest"), ask.text("latest"), ask.flag("inclusive"));
    let order = |ts: &str| ts.parse::<f64>().unwrap_or_default();
    let inside = |message: &Message| {
        let at = order(&message.ts);
        let after = oldest.is_empty() || at > order(oldest) || inclusive && message.ts == oldest;
        let before = latest.is_empty() || at < order(latest) || inclusive && message.ts == latest;
        after && before
    };
    let whole = ask.flag("include_all_metadata");
    let shown = |message: Message| {
        let mut shown = message.json(ask.team);
        if let Some(metadata) = shown.get_mut("metadata").and_then(Value::as_object_mut)
            && !whole
        {
            metadata.remove("event_payload");
        }
        shown
    };
    messages.into_iter().filter(inside).map(shown).collect()
}

/// Returns a conversation the bot may read: each kind has a scope of its own.
fn readable(ask: &mut Ask<'_>) -> Result<Channel, ApiError> {
    let (bot, token) = (ask.team.bot_user.clone(), ask.token);
    let channel = ask.channel("channel")?;
    let needed = match channel.kind {
        Kind::Public => "channels:history",
        Kind::Private => "groups:history",
        Kind::Im => "im:history",
        Kind::Mpim => "mpim:history",
    };
    if !token.scopes.contains(needed) {
        return Err(ApiError::missing_scope(needed, &token.listed()));
    }
    if channel.members.contains(&bot) { Ok(channel.clone()) } else { refuse("not_in_channel") }
}

pub(super) fn history(ask: &mut Ask<'_>) -> Answer {
    let channel = readable(ask)?;
    let in_channel = |message: &&Message| message.thread.is_none() || message.broadcast || is_root(message);
    let messages = channel.messages.values().rev().filter(in_channel).cloned().collect();
    let mut all = ranged(ask, messages);
    for message in &mut all {
        add_thread(message, &channel);
    }
    answer(ask, all)
}

fn is_root(message: &Message) -> bool {
    message.thread.as_ref() == Some(&message.ts)
}

/// Adds to a root what Slack shows of its thread.
fn add_thread(message: &mut Value, channel: &Channel) {
    let ts = message["ts"].clone();
    let of = |reply: &&Message| reply.thread.as_deref() == ts.as_str() && !is_root(reply);
    let replies: Vec<&Message> = channel.messages.values().filter(of).collect();
    if let Some(last) = replies.last() {
        message["thread_ts"] = ts.clone();
        message["reply_count"] = json!(replies.len());
        message["latest_reply"] = json!(last.ts);
    }
}

pub(super) fn replies(ask: &mut Ask<'_>) -> Answer {
    let channel = readable(ask)?;
    let ts = ask.required("ts")?;
    let Some(named) = channel.messages.get(&ts) else { return refuse("thread_not_found") };
    let root = named.thread.clone().unwrap_or(ts);
    let of = |message: &&Message| message.ts == root || message.thread.as_ref() == Some(&root);
    let messages = channel.messages.values().filter(of).cloned().collect();
    let mut all = ranged(ask, messages);
    for message in &mut all {
        match channel.messages.get(&root).filter(|_| message["ts"] != root.as_str()) {
            Some(parent) => message["parent_user_id"] = json!(parent.user),
            None => add_thread(message, &channel),
        }
    }
    answer(ask, all)
}

fn answer(ask: &Ask<'_>, all: Vec<Value>) -> Answer {
    let (messages, next) = page(all, ask, 100)?;
    let mut answer = json!({"messages": messages, "has_more": !next.is_empty()});
    if !next.is_empty() {
        answer["response_metadata"] = json!({"next_cursor": next});
    }
    Ok(answer)
}

pub(super) fn open(ask: &mut Ask<'_>) -> Answer {
    let users: Vec<String> = match &ask.body["users"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        users => users.as_str().unwrap_or_default().split(',').map(|user| user.trim().to_owned()).collect(),
    };
    let id = match users.as_slice() {
        [only] if only.is_empty() => ask.channel("channel")?.id.clone(),
        all if all.iter().any(|user| !ask.team.users.contains_key(user)) => return refuse("user_not_found"),
        [one] if ask.team.users[one].deleted => return refuse("user_disabled"),
        [one] => ask.team.im(one),
        all => {
            let id = format!("G{}", all.concat());
            let members = all.iter().cloned().chain([ask.team.bot_user.clone()]).collect();
            ask.team.add_channel(&id, "mpdm", Kind::Mpim).members = members;
            id
        }
    };
    let channel = ask.team.channel(&id).clone();
    let whole = ask.flag("return_im");
    Ok(json!({"channel": if whole { shown(ask, &channel) } else { json!({"id": id}) }}))
}
