//! People, bots, groups of people and the workspace.

use serde_json::{Value, json};

use super::super::state::User;
use super::{Answer, Ask, page, refuse};

/// Returns a person as the API and events show them.
pub(in crate::slack) fn shown(user: &User) -> Value {
    let mut shown = json!({
        "id": user.id, "team_id": user.team, "name": user.name, "deleted": user.deleted, "is_bot": user.is_bot,
        "is_app_user": false, "updated": 1_700_000_000,
        "profile": {"real_name": user.real_name, "real_name_normalized": user.real_name, "display_name": user.name,
            "display_name_normalized": user.name, "team": user.team, "title": "", "phone": "", "skype": "",
            "status_text": "", "status_emoji": "", "status_expiration": 0, "avatar_hash": "g0000000000"},
    });
    if !user.deleted {
        let more = json!({"real_name": user.real_name, "color": "9f69e7", "tz": user.tz, "tz_label": "Central European Time",
            "tz_offset": 3_600, "is_admin": user.admin, "is_owner": false, "is_primary_owner": false,
            "is_restricted": user.guest, "is_ultra_restricted": false, "has_2fa": false});
        if let (Some(shown), Some(more)) = (shown.as_object_mut(), more.as_object()) {
            shown.extend(more.clone());
        }
    }
    if user.stranger {
        shown["is_stranger"] = json!(true);
    }
    shown
}

fn with_locale(ask: &Ask<'_>, user: &User) -> Value {
    let mut shown = shown(user);
    if ask.flag("include_locale") {
        shown["locale"] = json!(user.locale);
    }
    shown
}

pub(super) fn info(ask: &mut Ask<'_>) -> Answer {
    match ask.team.users.get(ask.text("user")) {
        Some(user) => Ok(json!({"user": with_locale(ask, user)})),
        None => refuse("user_not_found"),
    }
}

pub(super) fn list(ask: &mut Ask<'_>) -> Answer {
    let all = ask.team.users.values().map(|user| with_locale(ask, user)).collect();
    let (members, next) = page(all, ask, 1_000)?;
    Ok(json!({"members": members, "cache_ts": ask.now / 1_000, "response_metadata": {"next_cursor": next}}))
}

pub(super) fn bot(ask: &mut Ask<'_>) -> Answer {
    let team = &ask.team;
    let bot = ask.text("bot");
    if !bot.is_empty() && bot != team.bot {
        return refuse("bot_not_found");
    }
    Ok(json!({"bot": {"id": team.bot, "deleted": false, "name": "maro", "updated": 1_700_000_000,
        "app_id": team.app, "user_id": team.bot_user, "icons": {"image_36": "https://a.slack-edge.com/36.png"}}}))
}

pub(super) fn team(ask: &mut Ask<'_>) -> Answer {
    let team = &ask.team;
    Ok(json!({"team": {"id": team.id, "name": team.name, "domain": team.domain, "email_domain": "",
        "url": format!("https://{}.slack.com/", team.domain), "icon": {"image_default": true}}}))
}

pub(super) fn usergroups(ask: &mut Ask<'_>) -> Answer {
    let whole = ask.flag("include_users");
    let one = |group: &super::super::state::Usergroup| {
        let mut shown = json!({"id": group.id, "team_id": ask.team.id, "is_usergroup": true, "name": group.handle,
            "handle": group.handle, "description": "", "is_external": false, "date_create": 1_700_000_000,
            "date_update": 1_700_000_000, "date_delete": 0, "user_count": group.users.len()});
        if whole {
            shown["users"] = json!(group.users);
        }
        shown
    };
    Ok(json!({"usergroups": ask.team.usergroups.values().map(one).collect::<Vec<_>>()}))
}

pub(super) fn usergroup_users(ask: &mut Ask<'_>) -> Answer {
    match ask.team.usergroups.get(ask.text("usergroup")) {
        Some(group) => Ok(json!({"users": group.users})),
        None => refuse("no_such_subteam"),
    }
}
