//! Interactions: buttons, commands, shortcuts and forms.

use serde_json::{Value, json};

use super::outbox::{DeliveryId, Sort};
use super::shown::{self, Button};
use super::state::{Message, Response, Team, View};
use super::{FakeSlack, Shared, events};

/// The thing that an interaction is made on.
enum Target<'a> {
    Message(&'a Message),
    View(&'a View),
}

/// Returns the fields that all interactions have.
fn base(team: &mut Team, kind: &str, user: &str, now: i64) -> Value {
    json!({"type": kind, "team": team.payload_team(), "user": team.payload_user(user), "api_app_id": team.app,
        "token": "verification-token", "trigger_id": team.trigger(user, now), "enterprise": enterprise(team),
        "is_enterprise_install": false})
}

fn enterprise(team: &Team) -> Value {
    team.enterprise.as_ref().map(|id| json!({"id": id, "name": "Enterprise"})).unwrap_or_default()
}

fn payload_channel(team: &Team, channel: &str) -> Value {
    let room = &team.channels[channel];
    let name = if room.name.is_empty() { "directmessage" } else { &room.name };
    json!({"id": channel, "name": name})
}

fn new_response(team: &mut Team, shared: &Shared, message: &Message, user: &str, now: i64) -> String {
    let response = Response {
        channel: message.channel.clone(),
        user: user.into(),
        message: Some(message.ts.clone()).filter(|ts| !ts.is_empty()),
        thread: message.thread.clone(),
        at: now,
        uses: 0,
    };
    format!("{}/hooks/{}", shared.url(), team.response(response))
}

/// Returns the payload of a press or a choice.
fn block_actions(
    team: &mut Team,
    shared: &Shared,
    user: &str,
    on: &Target<'_>,
    action: Value,
    now: i64,
) -> Value {
    let mut payload = base(team, "block_actions", user, now);
    match on {
        Target::Message(message) => {
            let hidden = message.only_for.is_some();
            let mut container = json!({"type": "message", "message_ts": message.ts,
                "channel_id": message.channel, "is_ephemeral": hidden});
            if let Some(thread) = &message.thread {
                container["thread_ts"] = json!(thread);
            }
            payload["container"] = container;
            payload["channel"] = payload_channel(team, &message.channel);
            if !hidden {
                payload["message"] = events::in_thread(team, message);
            }
            payload["response_url"] = json!(new_response(team, shared, message, user, now));
            let mut values = json!({});
            if action["type"] != "button" {
                let mut value = action.clone();
                if let Some(fields) = value.as_object_mut() {
                    fields.retain(|name, _| name == "type" || name.starts_with("selected"));
                }
                let part = |name: &str| action[name].as_str().unwrap_or_default();
                values[part("block_id")][part("action_id")] = value;
            }
            payload["state"] = json!({"values": values});
        }
        Target::View(view) => {
            payload["container"] = json!({"type": "view", "view_id": view.id});
            let mut view = (*view).clone();
            add_initial_values(&mut view);
            payload["view"] = view.json(team);
        }
    }
    payload["actions"] = json!([action]);
    payload
}

fn press_action(team: &mut Team, button: &Button, now: i64) -> Value {
    let mut action = json!({"action_id": button.action_id, "block_id": button.block_id, "type": "button",
        "text": button.element["text"], "action_ts": team.ts(now)});
    for name in ["value", "style"] {
        if let Some(value) = button.element.get(name) {
            action[name] = value.clone();
        }
    }
    action
}

fn known_message(team: &Team, channel: &str, ts: &str, user: &str) -> Message {
    let hidden = |message: &&Message| message.ts == ts && message.only_for.as_deref() == Some(user);
    let in_channel = team.channels.get(channel).and_then(|room| room.messages.get(ts));
    let message = in_channel.or_else(|| team.ephemerals.iter().find(hidden));
    message.cloned().unwrap_or_else(|| panic!("{user} sees no message {ts} in {channel}"))
}

fn top_view(team: &Team, user: &str) -> View {
    let top = team.modals.get(user).and_then(|stack| stack.last());
    top.cloned().unwrap_or_else(|| panic!("{user} has no modal open"))
}

impl FakeSlack {
    /// Presses the button with a label or an action id, of a message that everybody sees or only this person. Panics if
    /// there is no such button.
    pub fn presses(&self, channel: &str, user: &str, ts: &str, label: &str) -> DeliveryId {
        let message = self.in_channel(channel, |team, _, _| known_message(team, channel, ts, user));
        let Some(button) = message.button(label) else {
            panic!("message {ts} of {channel} has no button {label:?}: {message:#?}");
        };
        self.presses_button(channel, user, ts, &button)
    }

    /// Presses a button that may no longer be there, as a client that shows an old state of the message does.
    pub fn presses_button(&self, channel: &str, user: &str, ts: &str, button: &Button) -> DeliveryId {
        let shared = self.shared.clone();
        self.in_channel(channel, |team, outbox, now| {
            let message = known_message(team, channel, ts, user);
            let action = press_action(team, button, now);
            let payload = block_actions(team, &shared, user, &Target::Message(&message), action, now);
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Chooses an option of a select menu, an overflow menu or radio buttons in a message, by the action's id and the
    /// option's label.
    pub fn chooses(&self, channel: &str, user: &str, ts: &str, action_id: &str, label: &str) -> DeliveryId {
        let shared = self.shared.clone();
        self.in_channel(channel, |team, outbox, now| {
            let message = known_message(team, channel, ts, user);
            let action = choice(team, &message.blocks, action_id, label, now);
            let payload = block_actions(team, &shared, user, &Target::Message(&message), action, now);
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Presses a button of a person's topmost modal.
    pub fn presses_in_modal(&self, user: &str, label: &str) -> DeliveryId {
        let view = self.of_person(user, |team, _, _| top_view(team, user));
        self.presses_in(user, &view, label)
    }

    /// Presses a button of a person's Home tab.
    pub fn presses_in_home(&self, user: &str, label: &str) -> DeliveryId {
        let view = self.home(user).unwrap_or_else(|| panic!("{user} has no Home tab"));
        self.presses_in(user, &view, label)
    }

    fn presses_in(&self, user: &str, view: &View, label: &str) -> DeliveryId {
        let shared = self.shared.clone();
        let button = view.button(label).unwrap_or_else(|| panic!("no button {label:?} in {view:#?}"));
        self.of_person(user, |team, outbox, now| {
            let action = press_action(team, &button, now);
            let payload = block_actions(team, &shared, user, &Target::View(view), action, now);
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Stops a message that is being streamed, as a person can.
    pub fn stops_stream(&self, channel: &str, ts: &str) {
        self.in_channel(channel, |team, _, _| {
            if let Some(message) = team.channel(channel).messages.get_mut(ts).filter(|one| one.streaming) {
                message.streaming = false;
                team.stopped.insert(ts.into());
            }
        });
    }

    /// Sends a slash command.
    pub fn commands(&self, channel: &str, user: &str, command: &str, text: &str) -> DeliveryId {
        let shared = self.shared.clone();
        self.in_channel(channel, |team, outbox, now| {
            let at = Message { channel: channel.into(), ..Message::default() };
            let response = new_response(team, &shared, &at, user, now);
            let name = payload_channel(team, channel)["name"].clone();
            let by = team.payload_user(user);
            let mut payload = json!({"token": "verification-token", "team_id": team.id, "team_domain": team.domain,
                "channel_id": channel, "channel_name": name, "user_id": user, "user_name": by["name"],
                "command": command, "text": text, "api_app_id": team.app, "is_enterprise_install": "false",
                "response_url": response, "trigger_id": team.trigger(user, now)});
            if let Some(enterprise) = &team.enterprise {
                payload["enterprise_id"] = json!(enterprise);
                payload["enterprise_name"] = json!("Enterprise");
            }
            outbox.queue(Sort::Command, payload, now)
        })
    }

    /// Uses a shortcut on a message.
    pub fn message_shortcut(&self, channel: &str, user: &str, ts: &str, callback_id: &str) -> DeliveryId {
        let shared = self.shared.clone();
        self.in_channel(channel, |team, outbox, now| {
            let message = known_message(team, channel, ts, user);
            let mut payload = base(team, "message_action", user, now);
            payload["callback_id"] = json!(callback_id);
            payload["action_ts"] = json!(team.ts(now));
            payload["message_ts"] = json!(ts);
            payload["message"] = events::in_thread(team, &message);
            payload["channel"] = payload_channel(team, channel);
            payload["response_url"] = json!(new_response(team, &shared, &message, user, now));
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Uses a global shortcut.
    pub fn shortcut(&self, user: &str, callback_id: &str) -> DeliveryId {
        self.of_person(user, |team, outbox, now| {
            let mut payload = base(team, "shortcut", user, now);
            payload["callback_id"] = json!(callback_id);
            payload["action_ts"] = json!(team.ts(now));
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Types into a field of a person's topmost modal, found by its action id. Panics if there is no such field.
    pub fn types(&self, user: &str, action_id: &str, text: &str) {
        self.fills(user, action_id, |kind, _| json!({"type": kind, "value": text}));
    }

    /// Picks an option of a field of a person's topmost modal, by the action's id and the option's label.
    pub fn picks(&self, user: &str, action_id: &str, label: &str) {
        self.fills(user, action_id, |kind, element| {
            let option = find_option(element, label);
            match kind {
                "checkboxes" | "multi_static_select" => json!({"type": kind, "selected_options": [option]}),
                _ => json!({"type": kind, "selected_option": option}),
            }
        });
    }

    fn fills(&self, user: &str, action_id: &str, value: impl FnOnce(&str, &Value) -> Value) {
        self.of_person(user, |team, _, _| {
            let view = top_view(team, user);
            let fields = shown::elements(&view.blocks());
            let found = fields.into_iter().find(|(_, element)| element["action_id"] == action_id);
            let (block, element) = found.unwrap_or_else(|| panic!("no field {action_id:?} in {view:#?}"));
            let kind = element["type"].as_str().unwrap_or_default();
            let filled = value(kind, &element);
            if let Some(top) = team.modals.get_mut(user).and_then(|stack| stack.last_mut()) {
                top.values[block][action_id] = filled;
            }
        });
    }

    /// Submits a person's topmost modal. What was not typed has its initial value.
    pub fn submits(&self, user: &str) -> DeliveryId {
        self.of_person(user, |team, outbox, now| {
            let mut view = top_view(team, user);
            view.errors.clear();
            add_initial_values(&mut view);
            if let Some(top) = team.modals.get_mut(user).and_then(|stack| stack.last_mut()) {
                *top = view.clone();
            }
            let mut payload = base(team, "view_submission", user, now);
            payload["view"] = view.json(team);
            payload["response_urls"] = json!([]);
            outbox.queue(Sort::Interaction, payload, now)
        })
    }

    /// Closes a person's topmost modal, or all of them if `all`. Returns the delivery if the app asked to be notified.
    pub fn dismisses(&self, user: &str, all: bool) -> Option<DeliveryId> {
        self.of_person(user, |team, outbox, now| {
            let view = top_view(team, user);
            if let Some(stack) = team.modals.get_mut(user) {
                stack.truncate(if all { 0 } else { stack.len() - 1 });
            }
            if view.body["notify_on_close"] != true {
                return None;
            }
            let mut payload = base(team, "view_closed", user, now);
            if let Some(fields) = payload.as_object_mut() {
                fields.remove("trigger_id");
            }
            payload["view"] = view.json(team);
            payload["is_cleared"] = json!(all);
            Some(outbox.queue(Sort::Interaction, payload, now))
        })
    }
}

fn find_option(element: &Value, label: &str) -> Value {
    let grouped = element["option_groups"].as_array().into_iter().flatten();
    let grouped = grouped.flat_map(|group| group["options"].as_array().into_iter().flatten());
    let mut all = element["options"].as_array().into_iter().flatten().chain(grouped);
    let found = all.find(|option| option["text"]["text"] == label || option["value"] == label);
    found.cloned().unwrap_or_else(|| panic!("no option {label:?} in {element:#}"))
}

fn choice(team: &mut Team, blocks: &[Value], action_id: &str, label: &str, now: i64) -> Value {
    let found = shown::elements(blocks).into_iter().find(|(_, element)| element["action_id"] == action_id);
    let (block, element) = found.unwrap_or_else(|| panic!("no action {action_id:?} in {blocks:#?}"));
    json!({"action_id": action_id, "block_id": block, "type": element["type"],
        "selected_option": find_option(&element, label), "action_ts": team.ts(now)})
}

/// Adds the values of the fields that nobody touched.
fn add_initial_values(view: &mut View) {
    for block in view.blocks().iter().filter(|block| block["type"] == "input") {
        let element = &block["element"];
        let (id, action) = (block["block_id"].as_str(), element["action_id"].as_str());
        let (Some(id), Some(action)) = (id, action) else { continue };
        if !view.values[id][action].is_null() {
            continue;
        }
        let kind = element["type"].as_str().unwrap_or_default();
        view.values[id][action] = match kind {
            "static_select" | "external_select" | "radio_buttons" => {
                json!({"type": kind, "selected_option": element["initial_option"]})
            }
            "checkboxes" | "multi_static_select" | "multi_external_select" => {
                let initial = element.get("initial_options").cloned().unwrap_or_else(|| json!([]));
                json!({"type": kind, "selected_options": initial})
            }
            "users_select" => json!({"type": kind, "selected_user": element["initial_user"]}),
            "conversations_select" => {
                json!({"type": kind, "selected_conversation": element["initial_conversation"]})
            }
            "channels_select" => json!({"type": kind, "selected_channel": element["initial_channel"]}),
            "datepicker" => json!({"type": kind, "selected_date": element["initial_date"]}),
            _ => json!({"type": kind, "value": element["initial_value"]}),
        };
    }
}
