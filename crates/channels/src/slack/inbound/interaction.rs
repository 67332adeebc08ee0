//! Reads interactions: presses, submitted forms and shortcuts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use throughline_engine::EventKind;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::event::{MessagePosted, Press};
use throughline_engine::data::step_input::Addressing;

use super::{
    Context, FollowUp, Incoming, Place, Pressed, event_of, first, ignored, ignored_by, millis, raw_key, text,
};
use crate::slack::mrkdwn::plain;
use crate::slack::names::{channel_id, is_direct};

/// The prefix of the block ids of a form's fields.
pub const FIELD: &str = "field.";

/// The beginning of the ids of Home's buttons that clear a remembered choice. Their value is the thread.
pub const CLEARS: &str = "tl.forget.";

/// The place of a form's card, which the form carries because a view belongs to no conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormPlace {
    /// The token of the button at the version that the form shows.
    #[serde(rename = "t")]
    pub token: String,
    /// The conversation.
    #[serde(rename = "c")]
    pub channel: String,
    /// The lane's thread.
    #[serde(rename = "h")]
    pub thread: String,
}

/// A shortcut on a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcut {
    /// "Make a ticket from this message".
    Ticket,
    /// "Review this".
    Review,
}

impl Shortcut {
    /// Every shortcut.
    pub const ALL: [Self; 2] = [Self::Ticket, Self::Review];

    /// The callback id in the app's manifest.
    #[must_use]
    pub fn callback_id(self) -> &'static str {
        match self {
            Self::Ticket => "tl.make_ticket",
            Self::Review => "tl.review_this",
        }
    }

    /// The name in the menu of a message: at most 24 characters.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ticket => "Make a ticket from this",
            Self::Review => "Review this",
        }
    }

    /// The words that ask for it.
    fn words(self) -> &'static str {
        match self {
            Self::Ticket => "create a ticket for this",
            Self::Review => "review this",
        }
    }
}

pub(super) fn read(payload: &Value, context: &Context<'_>) -> Incoming {
    match text(&payload["type"]) {
        "block_actions" => pressed(payload, context),
        "view_submission" => submitted(payload, context),
        "message_action" => shortcut(payload, context),
        "" => ignored(raw_key(payload), "not_an_interaction"),
        other => ignored_by(member(payload), key(payload, context), other),
    }
}

/// The member who acted.
fn member(payload: &Value) -> &str {
    text(&payload["user"]["id"])
}

/// The trigger identifies an interaction; without one, what was pressed and when.
fn key(payload: &Value, context: &Context<'_>) -> String {
    let trigger = text(&payload["trigger_id"]);
    if !trigger.is_empty() {
        return format!("slack:trg:{}:{trigger}", context.id);
    }
    let (action, view) = (&payload["actions"][0], &payload["view"]);
    let parts = [
        &payload["type"],
        &payload["container"]["channel_id"],
        &payload["container"]["message_ts"],
        &action["action_id"],
        &action["action_ts"],
        &view["id"],
        &view["hash"],
        &payload["action_ts"],
        &payload["user"]["id"],
    ]
    .map(text);
    if parts[3..8].iter().all(|part| part.is_empty()) {
        return raw_key(payload);
    }
    format!("slack:act:{}:{}", context.id, hex(&sha256(&[parts.join("\n").as_bytes()])))
}

fn pressed(payload: &Value, context: &Context<'_>) -> Incoming {
    let (action, container) = (&payload["actions"][0], &payload["container"]);
    let key = key(payload, context);
    if container["type"] == "view" {
        return of_home(payload, key);
    }
    let channel = first(&[&container["channel_id"], &payload["channel"]["id"]]);
    let value = first(&[
        &action["value"],
        &action["selected_option"]["value"],
        &action["selected_options"][0]["value"],
    ]);
    let press = Pressed {
        action: text(&action["action_id"]).into(),
        value: value.into(),
        trigger: text(&payload["trigger_id"]).into(),
        at: millis(text(&action["action_ts"])),
    };
    // Buttons that only open a link carry nothing.
    let kind = match value {
        "" => EventKind::Unknown { name: "press.no_value".into() },
        token => EventKind::CardPressed { press: Press::Token(token.into()), remember: false },
    };
    let message = first(&[&container["message_ts"], &payload["message"]["ts"]]);
    let thread = first(&[&container["thread_ts"], &payload["message"]["thread_ts"]]);
    let thread = match (thread, is_direct(channel)) {
        ("", true) => "",
        ("", false) => message,
        (thread, _) => thread,
    };
    Incoming {
        more_keys: Vec::new(),
        place: Place {
            channel: channel.into(),
            thread: thread.into(),
            about: Some(message.to_owned()).filter(|ts| !ts.is_empty()),
            joined: false,
        },
        event: event_of(key, member(payload), kind),
        addressing: Addressing::default(),
        follow_up: FollowUp::Press(press),
    }
}

/// A button of Home that clears a thread's remembered choice is the command in that thread.
fn of_home(payload: &Value, key: String) -> Incoming {
    let action = &payload["actions"][0];
    let clears = text(&action["action_id"]).starts_with(CLEARS);
    let Some((channel, thread)) = text(&action["value"]).split_once(':').filter(|_| clears) else {
        return ignored_by(member(payload), key, "press.in_a_view");
    };
    Incoming {
        place: Place { channel: channel.into(), thread: thread.into(), ..Place::default() },
        event: event_of(key, member(payload), EventKind::Command { text: "forget".into() }),
        follow_up: FollowUp::Home { cleared: Some(text(&action["value"]).into()) },
        ..ignored(String::new(), "")
    }
}

fn submitted(payload: &Value, context: &Context<'_>) -> Incoming {
    let view = &payload["view"];
    let key = key(payload, context);
    let Ok(place) = serde_json::from_str::<FormPlace>(text(&view["private_metadata"])) else {
        return ignored_by(member(payload), key, "view_submission.unknown");
    };
    let values = values(&view["state"]["values"], context);
    let kind = EventKind::FormSubmitted { press: Press::Token(place.token.clone()), values };
    Incoming {
        more_keys: Vec::new(),
        place: Place { channel: place.channel.clone(), thread: place.thread.clone(), ..Place::default() },
        event: event_of(key, member(payload), kind),
        addressing: Addressing::default(),
        follow_up: FollowUp::Submitted(place),
    }
}

/// The values of a form by field.
fn values(state: &Value, context: &Context<'_>) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (block, actions) in state.as_object().into_iter().flatten() {
        let Some(name) = block.strip_prefix(FIELD) else { continue };
        for input in actions.as_object().into_iter().flat_map(serde_json::Map::values) {
            values.insert(name.to_owned(), value(input, context));
        }
    }
    values
}

fn value(input: &Value, context: &Context<'_>) -> String {
    match text(&input["type"]) {
        // What is typed into a form is plain text already: nothing in it is escaped.
        "plain_text_input" | "number_input" | "email_text_input" | "url_text_input" => {
            text(&input["value"]).to_owned()
        }
        "users_select" => {
            let user = text(&input["selected_user"]);
            (context.names)(user).unwrap_or_else(|| user.to_owned())
        }
        _ => {
            first(&[&input["selected_option"]["value"], &input["selected_date"], &input["value"]]).to_owned()
        }
    }
}

/// A shortcut on a message asks for the message itself: it is quoted, and nothing is guessed.
fn shortcut(payload: &Value, context: &Context<'_>) -> Incoming {
    let key = key(payload, context);
    let called = text(&payload["callback_id"]);
    let Some(shortcut) = Shortcut::ALL.into_iter().find(|shortcut| shortcut.callback_id() == called) else {
        return ignored_by(member(payload), key, "message_action.unknown");
    };
    let message = &payload["message"];
    let (channel, ts) = (text(&payload["channel"]["id"]), first(&[&message["ts"], &payload["message_ts"]]));
    let thread = match (text(&message["thread_ts"]), is_direct(channel)) {
        ("", true) => "",
        ("", false) => ts,
        (thread, _) => thread,
    };
    let kind = EventKind::MessagePosted(MessagePosted {
        text: shortcut.words().into(),
        reply_to: Some(channel_id(channel, ts)),
        quote: Some(plain(text(&message["text"]), &context.app.user, context.names)),
        ..MessagePosted::default()
    });
    Incoming {
        more_keys: Vec::new(),
        place: Place {
            channel: channel.into(),
            thread: thread.into(),
            about: Some(ts.to_owned()),
            joined: false,
        },
        event: event_of(key, member(payload), kind),
        addressing: Addressing { mentioned: true, ..Addressing::default() },
        follow_up: FollowUp::Nothing,
    }
}
