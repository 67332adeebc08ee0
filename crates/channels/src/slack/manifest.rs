//! The app's manifest: everything that has to be set up at Slack, with no more scopes than are used.

use serde_json::{Value, json};

use super::inbound::Shortcut;

/// The scopes without which the app does not work.
pub const SCOPES: [&str; 8] = [
    "app_mentions:read",
    "assistant:write",
    "chat:write",
    "commands",
    "im:history",
    "im:write",
    "reactions:write",
    "users:read",
];

/// The scopes that may be left out, each with the reason for it.
pub const OPTIONAL_SCOPES: [(&str, &str); 7] = [
    (
        "channels:history",
        "to follow replies without a mention in threads of public channels, and to find a message there that Slack did \
         not confirm instead of posting it twice",
    ),
    ("groups:history", "to do both in private channels"),
    ("mpim:history", "to do both in group messages"),
    ("usergroups:read", "to let members of a user group approve"),
    ("chat:write.public", "to post decisions in public channels that the app is not a member of"),
    ("files:write", "to show a text as a file that is too long for a window"),
    ("team:read", "to know the workspace's name"),
];

/// The way in which deliveries arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ways<'a> {
    /// Over sockets that the app opens.
    Socket,
    /// Over HTTP, at this address: `https://bot.example.org`.
    Http(&'a str),
}

/// Returns the manifest of an app with this name and slash command, `maro`.
#[must_use]
pub fn manifest(name: &str, command: &str, ways: &Ways<'_>) -> Value {
    let at = |path: &str| match ways {
        Ways::Http(url) => Some(format!("{}/slack/{path}", url.trim_end_matches('/'))),
        Ways::Socket => None,
    };
    let mut slash = json!({"command": format!("/{command}"), "description": "Ask, stop, or see what is open",
        "usage_hint": "help | status | stop | why", "should_escape": true});
    let mut events = json!({"bot_events": ["app_home_opened", "app_mention", "app_uninstalled",
        "assistant_thread_started", "message.channels", "message.groups", "message.im", "message.mpim",
        "tokens_revoked", "user_change"]});
    let mut interactivity = json!({"is_enabled": true});
    if let (Some(commands), Some(delivered), Some(pressed)) =
        (at("commands"), at("events"), at("interactions"))
    {
        slash["url"] = json!(commands);
        events["request_url"] = json!(delivered);
        interactivity["request_url"] = json!(pressed);
    }
    let shortcuts = Shortcut::ALL.map(|shortcut| {
        json!({"name": shortcut.name(), "type": "message", "callback_id": shortcut.callback_id(),
            "description": "Begins with exactly this message"})
    });
    let optional = OPTIONAL_SCOPES.map(|(scope, _)| scope);
    let scopes: Vec<&str> = SCOPES.into_iter().chain(optional).collect();
    let mut manifest = json!({
        "display_information": {"name": name, "description": "Asks before it acts, and can say why"},
        "features": {
            "app_home": {"home_tab_enabled": true, "messages_tab_enabled": true,
                "messages_tab_read_only_enabled": false},
            "assistant_view": {"assistant_description": "Drafts tickets, reviews and decisions; acts on approval",
                "suggested_prompts": []},
            "bot_user": {"display_name": name, "always_online": true},
            "shortcuts": shortcuts,
            "slash_commands": [slash],
        },
        "oauth_config": {"scopes": {"bot": scopes, "bot_optional": optional}},
        "settings": {
            "event_subscriptions": events,
            "interactivity": interactivity,
            "org_deploy_enabled": true,
            "socket_mode_enabled": matches!(ways, Ways::Socket),
            "token_rotation_enabled": false,
        },
    });
    if let Some(redirect) = at("install/done") {
        manifest["oauth_config"]["redirect_urls"] = json!([redirect]);
    }
    manifest
}

/// The scopes of these that were not granted. `granted` is the header of an answer: names with commas.
#[must_use]
pub fn missing<'a>(wanted: impl IntoIterator<Item = &'a str>, granted: &str) -> Vec<&'a str> {
    let granted: Vec<&str> = granted.split(',').map(str::trim).collect();
    wanted.into_iter().filter(|scope| !granted.contains(scope)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_for_each_way() {
        insta::assert_json_snapshot!("socket", manifest("Throughline", "maro", &Ways::Socket));
        insta::assert_json_snapshot!(
            "http",
            manifest("Throughline", "maro", &Ways::Http("https://bot.example.org/"))
        );
    }

    #[test]
    fn names_what_was_not_granted() {
        let granted = "app_mentions:read,chat:write, commands";
        assert_eq!(missing(["chat:write", "commands", "im:write"], granted), ["im:write"]);
        assert_eq!(missing(SCOPES, &SCOPES.join(",")), [""; 0]);
    }
}
