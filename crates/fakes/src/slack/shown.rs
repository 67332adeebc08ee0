//! Messages, buttons and views as people see them, and their JSON.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::state::Team;

/// A button.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Button {
    /// The label.
    pub label: String,
    /// The id of the action.
    pub action_id: String,
    /// The block it is in.
    pub block_id: String,
    /// The value.
    pub value: String,
    /// The element.
    pub element: Value,
}

/// A message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// The id, which is a time too.
    pub ts: String,
    /// The channel.
    pub channel: String,
    /// The author's user id; empty for a bot without one.
    pub user: String,
    /// The bot id, if a bot wrote it.
    pub bot: Option<String>,
    /// The text, with Slack's escapes and entities.
    pub text: String,
    /// The blocks.
    pub blocks: Vec<Value>,
    /// The thread it is in.
    pub thread: Option<String>,
    /// True if a reply is shown in the channel too.
    pub broadcast: bool,
    /// The metadata.
    pub metadata: Option<Value>,
    /// The files.
    pub files: Vec<Value>,
    /// The subtype.
    pub subtype: Option<String>,
    /// The people who reacted, by the name of the emoji.
    pub reactions: BTreeMap<String, Vec<String>>,
    /// The timestamp of the last edit.
    pub edited: Option<String>,
    /// The number of edits.
    pub edits: u32,
    /// The only person who sees it, if it is ephemeral.
    pub only_for: Option<String>,
    /// True if it is being streamed.
    pub streaming: bool,
    /// The tasks of a stream, each with `id`, `title` and `status` as they were told last.
    pub tasks: Vec<Value>,
    /// The time it was sent, in milliseconds since 1970.
    pub at: i64,
}

impl Message {
    /// Returns the buttons, in order.
    #[must_use]
    pub fn buttons(&self) -> Vec<Button> {
        buttons(&self.blocks)
    }

    /// Returns the labels of the buttons, in order.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.buttons().into_iter().map(|button| button.label).collect()
    }

    /// Returns the button with a label, else the one with an action id.
    #[must_use]
    pub fn button(&self, label: &str) -> Option<Button> {
        find_button(&self.blocks, label)
    }

    /// Returns all text of the blocks in order, one piece a line.
    #[must_use]
    pub fn block_text(&self) -> String {
        block_text(&self.blocks)
    }

    /// Returns everything in the message that notifies or links people and channels: `@U…`, `#C…`, `!here` and so on, in the
    /// text and in the blocks.
    #[must_use]
    pub fn mentions(&self) -> Vec<String> {
        let mut found = entities(&self.text);
        self.blocks.iter().for_each(|block| collect_mentions(block, &mut found));
        found
    }

    /// Returns the message as the API and events show it, without the channel.
    pub(super) fn json(&self, team: &Team) -> Value {
        let mut shown = json!({"type": "message", "ts": self.ts, "text": self.text, "team": team.id});
        let mut put = |name: &str, value: Value| shown[name] = value;
        if !self.user.is_empty() {
            put("user", json!(self.user));
        }
        if let Some(bot) = &self.bot {
            put("bot_id", json!(bot));
            if *bot == team.bot {
                put("app_id", json!(team.app));
                put("bot_profile", bot_profile(team));
            }
        } else if self.subtype.is_none() {
            put("client_msg_id", json!(client_message_id(&self.ts)));
        }
        if let Some(subtype) = &self.subtype {
            put("subtype", json!(subtype));
        }
        if !self.blocks.is_empty() {
            put("blocks", json!(self.blocks));
        }
        if let Some(thread) = &self.thread {
            put("thread_ts", json!(thread));
        }
        if let Some(edited) = &self.edited {
            put("edited", json!({"user": self.user, "ts": edited}));
        }
        if !self.files.is_empty() {
            put("files", json!(self.files));
        }
        if let Some(metadata) = &self.metadata {
            put("metadata", metadata.clone());
        }
        if !self.reactions.is_empty() {
            let one = |(name, users): (&String, &Vec<String>)| json!({"name": name, "users": users, "count": users.len()});
            put("reactions", self.reactions.iter().map(one).collect());
        }
        shown
    }
}

fn bot_profile(team: &Team) -> Value {
    json!({"id": team.bot, "deleted": false, "name": "maro", "updated": 1_700_000_000, "app_id": team.app,
        "icons": {"image_36": "https://a.slack-edge.com/36.png"}, "team_id": team.id})
}

/// Returns an id of the form of a UUID, the same for the same timestamp.
fn client_message_id(ts: &str) -> String {
    let digits: String = ts.chars().filter(char::is_ascii_digit).collect();
    let digits = format!("{digits:0>32}");
    format!("{}-{}-4{}-a{}-{}", &digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..])
}

/// A modal or a Home tab.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct View {
    /// The id.
    pub id: String,
    /// The hash, which changes with every update.
    pub hash: String,
    /// The person who sees it.
    pub user: String,
    /// The view as the app sent it, with ids for blocks and actions that had none.
    pub body: Value,
    /// The values that the person typed, by block and action, as in a submission's `state.values`.
    pub values: Value,
    /// The errors of fields, by block, from the answer to a submission.
    pub errors: BTreeMap<String, String>,
    /// The id of the first view of the stack.
    pub root: String,
    /// The id of the view below it.
    pub previous: Option<String>,
}

impl View {
    /// Returns the title; empty for a Home tab.
    #[must_use]
    pub fn title(&self) -> &str {
        self.body["title"]["text"].as_str().unwrap_or_default()
    }

    /// Returns the callback id.
    #[must_use]
    pub fn callback_id(&self) -> &str {
        self.body["callback_id"].as_str().unwrap_or_default()
    }

    /// Returns the private metadata.
    #[must_use]
    pub fn private_metadata(&self) -> &str {
        self.body["private_metadata"].as_str().unwrap_or_default()
    }

    /// Returns the blocks.
    #[must_use]
    pub fn blocks(&self) -> Vec<Value> {
        self.body["blocks"].as_array().cloned().unwrap_or_default()
    }

    /// Returns the buttons, in order.
    #[must_use]
    pub fn buttons(&self) -> Vec<Button> {
        buttons(&self.blocks())
    }

    /// Returns the labels of the buttons, in order.
    #[must_use]
    pub fn labels(&self) -> Vec<String> {
        self.buttons().into_iter().map(|button| button.label).collect()
    }

    /// Returns the button with a label, else the one with an action id.
    #[must_use]
    pub fn button(&self, label: &str) -> Option<Button> {
        find_button(&self.blocks(), label)
    }

    /// Returns all text of the blocks in order, one piece a line.
    #[must_use]
    pub fn block_text(&self) -> String {
        block_text(&self.blocks())
    }

    /// Returns the view as the API and payloads show it.
    pub(super) fn json(&self, team: &Team) -> Value {
        let mut shown = json!({
            "id": self.id, "team_id": team.id, "hash": self.hash, "state": {"values": self.values},
            "root_view_id": self.root, "previous_view_id": self.previous, "app_id": team.app, "bot_id": team.bot,
            "app_installed_team_id": team.id, "callback_id": "", "external_id": "", "private_metadata": "",
            "clear_on_close": false, "notify_on_close": false, "close": null, "submit": null,
        });
        if let (Some(shown), Some(body)) = (shown.as_object_mut(), self.body.as_object()) {
            shown.extend(body.clone());
        }
        if self.body["type"] == "home" {
            shown["title"] = json!({"type": "plain_text", "text": "View Title", "emoji": true});
        } else {
            shown["submit_disabled"] = json!(self.body["submit_disabled"] == true);
        }
        shown
    }
}

/// Returns the interactive elements of blocks, with their block's id.
pub(super) fn elements(blocks: &[Value]) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for block in blocks {
        let id = block["block_id"].as_str().unwrap_or_default();
        let listed = block["elements"].as_array().into_iter().flatten();
        for element in listed.chain([&block["accessory"], &block["element"]]) {
            if element["action_id"].is_string() {
                found.push((id.to_owned(), element.clone()));
            }
        }
    }
    found
}

fn buttons(blocks: &[Value]) -> Vec<Button> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let pressable = elements(blocks).into_iter().filter(|(_, element)| element["type"] == "button");
    pressable
        .map(|(block_id, element)| Button {
            label: text(&element["text"]["text"]),
            action_id: text(&element["action_id"]),
            block_id,
            value: text(&element["value"]),
            element,
        })
        .collect()
}

fn find_button(blocks: &[Value], label: &str) -> Option<Button> {
    let all = buttons(blocks);
    let by = |fits: fn(&Button) -> &str| all.iter().find(|button| fits(button) == label).cloned();
    by(|button| &button.label).or_else(|| by(|button| &button.action_id))
}

/// Returns what is between `<` and `>`, if it is a mention, without the label.
fn entities(text: &str) -> Vec<String> {
    let inside = text.split('<').skip(1).filter_map(|rest| rest.split_once('>').map(|(inside, _)| inside));
    let names = inside.filter(|inside| inside.starts_with(['@', '#', '!']));
    names.map(|inside| inside.split('|').next().unwrap_or_default().to_owned()).collect()
}

fn collect_mentions(value: &Value, into: &mut Vec<String>) {
    let name = |field: &str| value[field].as_str().unwrap_or_default();
    match value["type"].as_str().unwrap_or_default() {
        "mrkdwn" | "markdown" => into.extend(entities(name("text"))),
        "user" => into.push(format!("@{}", name("user_id"))),
        "channel" => into.push(format!("#{}", name("channel_id"))),
        "usergroup" => into.push(format!("!subteam^{}", name("usergroup_id"))),
        "broadcast" => into.push(format!("!{}", name("range"))),
        _ => {}
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| collect_mentions(value, into)),
        Value::Array(all) => all.iter().for_each(|value| collect_mentions(value, into)),
        _ => {}
    }
}

fn block_text(blocks: &[Value]) -> String {
    let mut lines = Vec::new();
    for block in blocks {
        collect_text(block, &mut lines);
    }
    lines.join("\n")
}

fn collect_text(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            match fields.get("text") {
                Some(Value::String(text)) => into.push(text.clone()),
                Some(text) => collect_text(text, into),
                None => {}
            }
            let others = fields.iter().filter(|(name, _)| *name != "text");
            others.for_each(|(_, value)| collect_text(value, into));
        }
        Value::Array(all) => all.iter().for_each(|value| collect_text(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_notifies_people() {
        let words = |kind: &str, text: &str| json!({"type": "section", "text": {"type": kind, "text": text}});
        let rich = json!({"type": "rich_text", "elements": [{"type": "rich_text_section",
            "elements": [{"type": "broadcast", "range": "here"}, {"type": "text", "text": "<@U3>"}]}]});
        let message = Message {
            text: "<@U1|ana> &lt;!channel&gt; <https://x.example|x>".into(),
            blocks: vec![words("mrkdwn", "a <!channel> <#C1>"), words("plain_text", "<@U2>"), rich],
            ..Message::default()
        };
        assert_eq!(message.mentions(), ["@U1", "!channel", "#C1", "!here"]);
        assert_eq!(message.block_text(), "a <!channel> <#C1>\n<@U2>\n<@U3>");
    }
}
