//! Files: an address, the bytes, and the completion that shows them.

use serde_json::{Value, json};

use super::super::state::{File, Message, Team};
use super::{Answer, Ask, from_bot, refuse};

/// Returns a file as the API shows it.
pub(in crate::slack) fn shown(team: &Team, file: &File) -> Value {
    let domain = &team.domain;
    let kind = file.name.rsplit_once('.').map_or("text", |(_, end)| end);
    json!({"id": file.id, "created": 1_700_000_000, "timestamp": 1_700_000_000, "name": file.name,
        "title": file.title, "mimetype": "text/plain", "filetype": kind, "pretty_type": "Plain Text",
        "user": team.bot_user, "user_team": team.id, "editable": false, "size": file.length, "mode": "hosted",
        "is_external": false, "external_type": "", "is_public": false, "public_url_shared": false,
        "display_as_bot": false, "username": "", "has_rich_preview": false, "file_access": "visible",
        "url_private": format!("https://files.slack.com/files-pri/{}-{}/{}", team.id, file.id, file.name),
        "permalink": format!("https://{domain}.slack.com/files/{}/{}/{}", team.bot_user, file.id, file.name)})
}

pub(super) fn get_url(ask: &mut Ask<'_>) -> Answer {
    let name = ask.required("filename")?;
    let Some(length) = ask.number("length").filter(|length| *length > 0) else {
        return refuse("invalid_arguments");
    };
    let id = ask.team.id("F");
    let file = File { id: id.clone(), title: name.clone(), name, length, ..File::default() };
    ask.team.files.insert(id.clone(), file);
    Ok(json!({"upload_url": format!("{}/upload/v1/{id}", ask.url), "file_id": id}))
}

pub(super) fn complete(ask: &mut Ask<'_>) -> Answer {
    let listed = ask.body["files"].as_array().cloned().unwrap_or_default();
    if listed.is_empty() {
        return refuse("invalid_arguments");
    }
    let mut files = Vec::new();
    for one in &listed {
        let id = one["id"].as_str().unwrap_or_default();
        let Some(file) = ask.team.files.get_mut(id).filter(|file| !file.done) else {
            return refuse("file_not_found");
        };
        if file.content.is_none() {
            return refuse("file_not_found");
        }
        if let Some(title) = one["title"].as_str() {
            file.title = title.into();
        }
        file.done = true;
        let file = file.clone();
        files.push(shown(ask.team, &file));
    }
    if ask.text("channel_id").is_empty() {
        return Ok(json!({"files": files}));
    }
    let channel = ask.writable("channel_id")?;
    let thread = Some(ask.text("thread_ts").to_owned()).filter(|thread| !thread.is_empty());
    let text = ask.text("initial_comment").to_owned();
    let subtype = Some("file_share".to_owned());
    let message = Message { text, thread, subtype, files: files.clone(), ..from_bot(ask.team, &channel) };
    let ts = ask.team.write(message, ask.now);
    ask.message_event(&channel, &ts);
    Ok(json!({"files": files}))
}

pub(super) fn info(ask: &mut Ask<'_>) -> Answer {
    match ask.team.files.get(ask.text("file")).filter(|file| file.done) {
        Some(file) => Ok(json!({"file": shown(ask.team, file)})),
        None => refuse("file_not_found"),
    }
}
