//! Deliveries become the events that their senders meant, and nothing that is delivered is lost or fails.

use proptest::prelude::*;
use serde_json::json;
use throughline_engine::data::attachment::Attachment;
use throughline_engine::data::event::Press;

use super::*;
use crate::slack::names::channel_and_ts;

fn app() -> App {
    App {
        team: "T1".into(),
        user: "UBOT".into(),
        bot: "BBOT".into(),
        id: "A1".into(),
        command: "maro".into(),
    }
}

fn read(delivery: Delivery, payload: &Value) -> Incoming {
    inbound(delivery, payload, &app(), &|user| (user == "U1").then(|| "ana".to_owned()))
}

fn event(event: Value) -> Value {
    json!({"type": "event_callback", "team_id": "T1", "api_app_id": "A1", "event_id": "Ev1", "event": event})
}

fn message(fields: Value) -> Incoming {
    let mut whole = json!({"type": "message", "channel": "C1", "user": "U1", "ts": "17.004", "text": "hi"});
    for (name, value) in fields.as_object().unwrap() {
        whole[name] = value.clone();
    }
    read(Delivery::Event, &event(whole))
}

fn text_of(incoming: &Incoming) -> &str {
    match &incoming.event.kind {
        EventKind::MessagePosted(posted) => &posted.text,
        other => panic!("no message: {other:?}"),
    }
}

fn name_of(incoming: &Incoming) -> &str {
    match &incoming.event.kind {
        EventKind::Unknown { name } => name,
        other => panic!("not ignored: {other:?}"),
    }
}

#[test]
fn a_mention_and_its_message_have_one_identity() {
    let text = "<@UBOT> create a ticket";
    let one = message(json!({"text": text}));
    let mut other =
        event(json!({"type": "app_mention", "channel": "C1", "user": "U1", "ts": "17.004", "text": text}));
    other["event_id"] = json!("Ev2");
    let other = read(Delivery::Event, &other);
    assert_eq!((one.event.id.as_str(), other.event.id.as_str()), ("slack:evt:A1:Ev1", "slack:evt:A1:Ev2"));
    assert_eq!(one.more_keys, ["slack:msg:A1:C1:17.004"]);
    assert_eq!(one.more_keys, other.more_keys);
    assert_eq!(
        (one.addressing, one.place, one.event.kind),
        (other.addressing, other.place, other.event.kind)
    );
    assert!(one.addressing.mentioned);
}

#[test]
fn a_message_belongs_to_its_thread() {
    for (fields, thread, joined) in [
        (json!({}), "17.004", false),
        (json!({"thread_ts": "17.004"}), "17.004", false),
        (json!({"thread_ts": "16.001"}), "16.001", true),
        (json!({"thread_ts": "16.001", "parent_user_id": "UBOT"}), "16.001", false),
        (json!({"channel": "D1", "channel_type": "im"}), "", false),
        (json!({"channel": "D1", "channel_type": "im", "thread_ts": "16.001"}), "16.001", true),
    ] {
        let place = message(fields.clone()).place;
        assert_eq!((place.thread.as_str(), place.joined), (thread, joined), "{fields}");
    }
}

#[test]
fn who_is_addressed_and_who_wrote() {
    let facts = |fields: Value| message(fields).addressing;
    assert_eq!(facts(json!({})), Addressing::default());
    assert!(facts(json!({"text": "<@UBOT> hi"})).mentioned);
    assert!(facts(json!({"text": "hey <@UBOT|maro>"})).mentioned);
    assert!(facts(json!({"text": "<@U2> look at this"})).to_other);
    assert!(!facts(json!({"text": "<@UBOT> ask <@U2>"})).to_other);
    assert!(facts(json!({"channel": "D1"})).direct);
    assert!(facts(json!({"thread_ts": "16.001", "parent_user_id": "UBOT"})).thread_ours);
    for own in [json!({"user": "UBOT"}), json!({"bot_id": "BBOT"}), json!({"app_id": "A1", "bot_id": "B2"})] {
        let facts = facts(own.clone());
        assert!(facts.own && !facts.bot, "{own}");
    }
    for bot in [
        json!({"bot_id": "B7"}),
        json!({"user": "USLACKBOT"}),
        json!({"subtype": "bot_message", "user": null}),
    ] {
        let facts = facts(bot.clone());
        assert!(facts.bot && !facts.own, "{bot}");
    }
}

#[test]
fn files_are_named_and_an_empty_message_is_none() {
    let file = json!([
        {"name": "plan.pdf", "mimetype": "application/pdf", "size": 47, "permalink": "https://a.slack.com/files/U1/F1/plan.pdf"},
        {"mimetype": "image/png", "permalink": "javascript:alert(1)"},
    ]);
    let shared = message(json!({"subtype": "file_share", "text": "", "files": file}));
    let EventKind::MessagePosted(posted) = &shared.event.kind else { panic!() };
    let kinds: Vec<&str> = posted.files.iter().map(|file| file.kind.as_str()).collect();
    assert_eq!((kinds, posted.files[0].bytes), (vec!["file", "photo"], Some(47)));
    let evidence: Vec<Option<String>> = posted.files.iter().map(Attachment::evidence).collect();
    assert_eq!(evidence, [Some("https://a.slack.com/files/U1/F1/plan.pdf plan.pdf".to_owned()), None]);
    assert_eq!(name_of(&message(json!({"text": ""}))), "message.no_text");
    assert_eq!(text_of(&message(json!({"text": "<@UBOT>"}))), "", "a bare mention is a message");
    assert_eq!(name_of(&message(json!({"subtype": "channel_join"}))), "message.channel_join");
}

#[test]
fn an_edit_is_one_only_if_the_text_changed() {
    let edit = |text: &str, before: &str, edited: Value| {
        let changed = json!({"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "18.1",
            "message": {"user": "U1", "ts": "17.004", "text": text, "edited": edited},
            "previous_message": {"user": "U1", "ts": "17.004", "text": before}});
        read(Delivery::Event, &event(changed))
    };
    let by = json!({"user": "U1", "ts": "18.0"});
    let changed = edit("new", "old", by.clone());
    assert_eq!(changed.more_keys, ["slack:msg:A1:C1:17.004:edit:18.0"]);
    assert!(changed.addressing.vouched);
    let only = |incoming: Incoming| match incoming.event.kind {
        EventKind::MessageEdited { metadata_only, message, .. } => {
            assert_eq!(channel_and_ts(&message), Some(("C1", "17.004")));
            metadata_only
        }
        other => panic!("{other:?}"),
    };
    assert!(!only(changed));
    assert!(only(edit("same", "same", by)), "a preview was added");
    assert!(only(edit("new", "old", Value::Null)), "nobody edited it");
}

#[test]
fn a_deletion_names_its_message() {
    let deleted = json!({"type": "message", "subtype": "message_deleted", "channel": "C1", "deleted_ts": "17.004",
        "previous_message": {"user": "U1", "ts": "17.004", "text": "x", "thread_ts": "16.001"}});
    let root = json!({"type": "message", "subtype": "message_changed", "channel": "C1",
        "message": {"subtype": "tombstone", "user": "USLACKBOT", "ts": "17.004", "thread_ts": "16.001"},
        "previous_message": {"user": "U1", "ts": "17.004", "text": "x", "thread_ts": "16.001"}});
    let mut bare = root.clone();
    bare["previous_message"] = Value::Null;
    for payload in [deleted, root, bare] {
        let read = read(Delivery::Event, &event(payload));
        assert_eq!(read.event.kind, EventKind::MessageDeleted { message: "C1:17.004".into() });
        assert_eq!(
            (read.more_keys, read.place.thread.as_str()),
            (vec!["slack:msg:A1:C1:17.004:del".into()], "16.001")
        );
    }
}

#[test]
fn a_press_is_its_button_token() {
    let pressed = |action: Value, container: Value| {
        let payload = json!({"type": "block_actions", "api_app_id": "A1", "trigger_id": "1.2.x", "user":
            {"id": "U1", "team_id": "T9"}, "team": {"id": "T1"}, "channel": {"id": "C1"}, "container": container,
            "actions": [action]});
        read(Delivery::Interaction, &payload)
    };
    let message = json!({"type": "message", "channel_id": "C1", "message_ts": "17.5", "thread_ts": "17.004"});
    let button = json!({"type": "button", "action_id": "tl.approve.0", "value": "tok", "action_ts": "18.25"});
    let press = pressed(button, message.clone());
    let token = |incoming: &Incoming| match &incoming.event.kind {
        EventKind::CardPressed { press: Press::Token(token), .. } => token.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!((token(&press).as_str(), press.event.id.as_str()), ("tok", "slack:trg:A1:1.2.x"));
    assert_eq!(press.event.actor, "U1");
    let place =
        Place { channel: "C1".into(), thread: "17.004".into(), about: Some("17.5".into()), joined: false };
    assert_eq!(press.place, place);
    let FollowUp::Press(follow) = &press.follow_up else { panic!() };
    assert_eq!((follow.at, follow.trigger.as_str()), (Some(18_250), "1.2.x"));
    let menu =
        json!({"type": "static_select", "action_id": "tl.item.3", "selected_option": {"value": "tok2"}});
    assert_eq!(token(&pressed(menu, message.clone())), "tok2");
    let link = json!({"type": "button", "action_id": "tl.open.1"});
    assert_eq!(name_of(&pressed(link, message)), "press.no_value");
    let root = json!({"type": "message", "channel_id": "C1", "message_ts": "17.5"});
    let button = json!({"type": "button", "action_id": "tl.approve.0", "value": "tok"});
    assert_eq!(pressed(button, root).place.thread, "17.5", "a message without a thread may begin one");
}

#[test]
fn without_a_trigger_a_press_is_told_from_others_by_what_and_when() {
    let key = |ts: &str, user: &str| {
        let payload = json!({"type": "block_actions", "user": {"id": user}, "actions": [{"action_id": "a",
            "value": "v", "action_ts": ts}], "container": {"channel_id": "C1", "message_ts": "17.5"}});
        read(Delivery::Interaction, &payload).event.id
    };
    assert_eq!(key("1.0", "U1"), key("1.0", "U1"));
    assert_ne!(key("1.0", "U1"), key("1.1", "U1"));
    assert_ne!(key("1.0", "U1"), key("1.0", "U2"));
}

#[test]
fn a_form_carries_its_place_and_its_values() {
    let place = FormPlace { token: "tok".into(), channel: "C1".into(), thread: "17.004".into() };
    let values = json!({"field.title": {"value": {"type": "plain_text_input", "value": "Login & logout"}},
        "field.assignee": {"value": {"type": "users_select", "selected_user": "U1"}},
        "field.steps": {"value": {"type": "plain_text_input", "value": null}},
        "other": {"value": {"type": "plain_text_input", "value": "x"}}});
    let payload = json!({"type": "view_submission", "trigger_id": "1.2.y", "user": {"id": "U1"}, "view":
        {"private_metadata": serde_json::to_string(&place).unwrap(), "state": {"values": values}}});
    let form = read(Delivery::Interaction, &payload);
    assert_eq!((form.place.channel.as_str(), form.place.thread.as_str()), ("C1", "17.004"));
    let EventKind::FormSubmitted { press: Press::Token(token), values } = &form.event.kind else { panic!() };
    assert_eq!(token, "tok");
    let expected = [("assignee", "ana"), ("steps", ""), ("title", "Login & logout")];
    assert_eq!(values.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect::<Vec<_>>(), expected);
    let mut other = payload;
    other["view"]["private_metadata"] = json!("somebody else's");
    assert_eq!(name_of(&read(Delivery::Interaction, &other)), "view_submission.unknown");
}

#[test]
fn a_shortcut_asks_for_exactly_its_message() {
    let payload = json!({"type": "message_action", "callback_id": "tl.make_ticket", "trigger_id": "1.2.z",
        "user": {"id": "U1"}, "channel": {"id": "C1"}, "message": {"ts": "17.004", "user": "U2",
        "text": "the login &amp; logout fail"}});
    let asked = read(Delivery::Interaction, &payload);
    let EventKind::MessagePosted(posted) = &asked.event.kind else { panic!() };
    assert_eq!(posted.reply_to.as_deref(), Some("C1:17.004"));
    assert_eq!(posted.quote.as_deref(), Some("the login & logout fail"));
    assert_eq!((asked.place.thread.as_str(), asked.addressing.mentioned), ("17.004", true));
}

#[test]
fn a_command_is_its_words() {
    let command = |name: &str, words: &str| {
        let payload = json!({"command": name, "text": words, "user_id": "U1", "channel_id": "C1",
            "trigger_id": "1.2.c", "team_id": "T1"});
        let read = read(Delivery::Command, &payload);
        assert_eq!((read.place.channel.as_str(), read.place.thread.as_str()), ("C1", ""));
        match read.event.kind {
            EventKind::Command { text } => text,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(command("/maro", "status"), "status");
    assert_eq!(command("/maro", ""), "");
    assert_eq!(command("/ticket", "the login fails"), "ticket the login fails");
    assert_eq!(command("/maro", "forget <@U1|ana>"), "forget @ana");
}

#[test]
fn changes_of_the_workspace_are_followed() {
    let follow = |value: Value| read(Delivery::Event, &event(value)).follow_up;
    assert_eq!(
        follow(json!({"type": "app_home_opened", "user": "U1", "tab": "home"})),
        FollowUp::Home { cleared: None }
    );
    assert_eq!(
        follow(json!({"type": "app_home_opened", "user": "U1", "tab": "messages"})),
        FollowUp::Nothing
    );
    assert_eq!(follow(json!({"type": "app_uninstalled"})), FollowUp::Removed);
    assert_eq!(follow(json!({"type": "tokens_revoked", "tokens": {"oauth": ["U1"]}})), FollowUp::Nothing);
    assert_eq!(follow(json!({"type": "tokens_revoked", "tokens": {"bot": ["UBOT"]}})), FollowUp::Removed);
    assert_eq!(follow(json!({"type": "user_change", "user": {"id": "U1"}})), FollowUp::Profile);
    let opened = json!({"type": "assistant_thread_started", "assistant_thread": {"user_id": "U1",
        "channel_id": "D1", "thread_ts": "17.1"}});
    assert_eq!(follow(opened), FollowUp::Welcome);
    assert_eq!(follow(json!({"type": "pin_added"})), FollowUp::Nothing);
}

#[test]
fn times_are_milliseconds() {
    assert_eq!(millis("1596530385.194939"), Some(1_596_530_385_194));
    assert_eq!(millis("17"), Some(17_000));
    for wrong in ["", "x", "-1.0", "1.x", "999999999999999.0", "1.é"] {
        assert_eq!(millis(wrong), None, "{wrong}");
    }
}

/// A JSON value of any shape, with the names that are looked for.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[A-Z]?[a-z_.<>@|&é0-9]{0,12}".prop_map(Value::from),
        prop::sample::select(vec![
            "message",
            "block_actions",
            "view_submission",
            "message_action",
            "UBOT",
            "C1",
            "message_changed",
            "17.004",
            "tl.make_ticket",
            "<@UBOT>"
        ])
        .prop_map(Value::from),
    ];
    let name = prop::sample::select(vec![
        "type",
        "event",
        "event_id",
        "subtype",
        "message",
        "channel",
        "user",
        "ts",
        "text",
        "actions",
        "value",
        "view",
        "state",
        "values",
        "field.title",
        "private_metadata",
        "id",
        "files",
        "container",
        "callback_id",
        "previous_message",
        "edited",
        "tokens",
        "trigger_id",
        "thread_ts",
    ]);
    leaf.prop_recursive(5, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(name.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn anything_is_read_and_has_a_key(payload in anything()) {
        for delivery in [Delivery::Event, Delivery::Interaction, Delivery::Command] {
            let one = read(delivery, &payload);
            prop_assert!(one.event.id.starts_with("slack:"));
            prop_assert_eq!(one, read(delivery, &payload));
        }
    }
}
