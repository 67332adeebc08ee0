//! The table of methods.

use super::{
    Answer, Ask, assistant, auth_test, chat, conversations, files, people, reactions, stream, views,
};

/// A method of the Web API.
pub(in crate::slack) struct Method {
    pub(in crate::slack) name: &'static str,
    /// The scopes of which one is needed; none if empty.
    pub(in crate::slack) scopes: &'static [&'static str],
    /// The arguments, apart from `token`.
    pub(in crate::slack) arguments: &'static [&'static str],
    pub(in crate::slack) call: fn(&mut Ask<'_>) -> Answer,
}

const fn method(
    name: &'static str,
    scopes: &'static [&'static str],
    arguments: &'static [&'static str],
    call: fn(&mut Ask<'_>) -> Answer,
) -> Method {
    Method { name, scopes, arguments, call }
}

/// Returns a method by its name.
pub(in crate::slack) fn find(name: &str) -> Option<&'static Method> {
    METHODS.iter().find(|method| method.name == name)
}

const WRITE: &[&str] = &["chat:write"];
const HISTORY: &[&str] = &["channels:history", "groups:history", "im:history", "mpim:history"];
const READ: &[&str] = &["channels:read", "groups:read", "im:read", "mpim:read"];
const ASSISTANT: &[&str] = &["assistant:write", "chat:write"];

/// All methods with a bot token.
pub(in crate::slack) const METHODS: &[Method] = &[
    method("auth.test", &[], &["team_id"], auth_test),
    method(
        "chat.postMessage",
        WRITE,
        &[
            "as_user",
            "attachments",
            "blocks",
            "channel",
            "icon_emoji",
            "icon_url",
            "link_names",
            "markdown_text",
            "metadata",
            "mrkdwn",
            "parse",
            "reply_broadcast",
            "team_id",
            "text",
            "thread_ts",
            "unfurl_links",
            "unfurl_media",
            "username",
        ],
        chat::post,
    ),
    method(
        "chat.update",
        WRITE,
        &[
            "as_user",
            "attachments",
            "blocks",
            "channel",
            "file_ids",
            "link_names",
            "markdown_text",
            "metadata",
            "parse",
            "reply_broadcast",
            "team_id",
            "text",
            "ts",
        ],
        chat::update,
    ),
    method("chat.delete", WRITE, &["as_user", "channel", "team_id", "ts"], chat::delete),
    method(
        "chat.postEphemeral",
        WRITE,
        &[
            "as_user",
            "attachments",
            "blocks",
            "channel",
            "icon_emoji",
            "icon_url",
            "link_names",
            "markdown_text",
            "metadata",
            "parse",
            "team_id",
            "text",
            "thread_ts",
            "user",
            "username",
        ],
        chat::post_ephemeral,
    ),
    method("chat.getPermalink", &[], &["channel", "message_ts", "team_id"], chat::permalink),
    method(
        "chat.startStream",
        WRITE,
        &[
            "channel",
            "chunks",
            "icon_emoji",
            "icon_url",
            "markdown_text",
            "recipient_team_id",
            "recipient_user_id",
            "task_display_mode",
            "team_id",
            "thread_ts",
            "username",
        ],
        stream::start,
    ),
    method(
        "chat.appendStream",
        WRITE,
        &["channel", "chunks", "markdown_text", "team_id", "ts"],
        stream::append,
    ),
    method(
        "chat.stopStream",
        WRITE,
        &["blocks", "channel", "chunks", "markdown_text", "metadata", "team_id", "ts"],
        stream::stop,
    ),
    method(
        "conversations.info",
        READ,
        &["channel", "include_locale", "include_num_members", "team_id"],
        conversations::info,
    ),
    method(
        "conversations.list",
        READ,
        &["cursor", "exclude_archived", "limit", "team_id", "types"],
        conversations::list,
    ),
    method("conversations.members", READ, &["channel", "cursor", "limit", "team_id"], conversations::members),
    method(
        "conversations.history",
        HISTORY,
        &["channel", "cursor", "include_all_metadata", "inclusive", "latest", "limit", "oldest", "team_id"],
        conversations::history,
    ),
    method(
        "conversations.replies",
        HISTORY,
        &[
            "channel",
            "cursor",
            "include_all_metadata",
            "inclusive",
            "latest",
            "limit",
            "oldest",
            "team_id",
            "ts",
        ],
        conversations::replies,
    ),
    method(
        "conversations.open",
        &["im:write", "mpim:write"],
        &["channel", "prevent_creation", "return_im", "team_id", "users"],
        conversations::open,
    ),
    method("users.info", &["users:read"], &["include_locale", "team_id", "user"], people::info),
    method("users.list", &["users:read"], &["cursor", "include_locale", "limit", "team_id"], people::list),
    method("bots.info", &["users:read"], &["bot", "team_id"], people::bot),
    method("team.info", &["team:read"], &["domain", "team", "team_id"], people::team),
    method(
        "usergroups.list",
        &["usergroups:read"],
        &["include_count", "include_disabled", "include_users", "team_id"],
        people::usergroups,
    ),
    method(
        "usergroups.users.list",
        &["usergroups:read"],
        &["include_disabled", "team_id", "usergroup"],
        people::usergroup_users,
    ),
    method(
        "reactions.add",
        &["reactions:write"],
        &["channel", "name", "team_id", "timestamp"],
        reactions::add,
    ),
    method(
        "reactions.remove",
        &["reactions:write"],
        &["channel", "file", "file_comment", "name", "team_id", "timestamp"],
        reactions::remove,
    ),
    method("views.open", &[], &["interactivity_pointer", "team_id", "trigger_id", "view"], views::open),
    method("views.push", &[], &["interactivity_pointer", "team_id", "trigger_id", "view"], views::push),
    method("views.update", &[], &["external_id", "hash", "team_id", "view", "view_id"], views::update),
    method(
        "views.publish",
        &[],
        &["hash", "interactivity_pointer", "team_id", "user_id", "view"],
        views::publish,
    ),
    method(
        "assistant.threads.setStatus",
        ASSISTANT,
        &[
            "channel_id",
            "icon_emoji",
            "icon_url",
            "loading_messages",
            "status",
            "team_id",
            "thread_ts",
            "username",
        ],
        assistant::set_status,
    ),
    method(
        "assistant.threads.setTitle",
        &["assistant:write"],
        &["channel_id", "team_id", "thread_ts", "title"],
        assistant::set_title,
    ),
    method(
        "assistant.threads.setSuggestedPrompts",
        &["assistant:write"],
        &["channel_id", "prompts", "team_id", "thread_ts", "title"],
        assistant::set_prompts,
    ),
    method(
        "files.getUploadURLExternal",
        &["files:write"],
        &["alt_txt", "filename", "length", "snippet_type", "team_id"],
        files::get_url,
    ),
    method(
        "files.completeUploadExternal",
        &["files:write"],
        &[
            "blocks",
            "channel_id",
            "channels",
            "files",
            "icon_emoji",
            "icon_url",
            "initial_comment",
            "team_id",
            "thread_ts",
            "username",
        ],
        files::complete,
    ),
    method(
        "files.info",
        &["files:read"],
        &["count", "cursor", "file", "limit", "page", "team_id"],
        files::info,
    ),
];
