//! Updates as Telegram sends them, and the events they become.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn bot() -> Bot {
    Bot { id: 42, username: "maro_bot".into(), command: "maro".into() }
}

fn about(message: &str, tokens: Vec<String>, topic: Option<i64>) -> Place {
    Place { topic: None, about: Some(RelatedMessage { message: message.into(), tokens, topic }) }
}

fn message(fields: &Value) -> Value {
    let mut message = json!({
        "message_id": 9, "date": 1, "text": "hello",
        "from": {"id": 7, "is_bot": false, "first_name": "Ana"},
        "chat": {"id": -100, "type": "supergroup", "title": "Team"},
    });
    for (name, value) in fields.as_object().unwrap() {
        message[name] = value.clone();
    }
    message
}

fn of(kind: &str, body: Value) -> IncomingUpdate {
    inbound(&json!({"update_id": 5, kind: body}), &bot())
}

fn posted_text(incoming: &IncomingUpdate) -> &str {
    match &incoming.event.kind {
        EventKind::MessagePosted(posted) => &posted.text,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_message_has_two_identities() {
    let incoming = of("message", message(&json!({})));
    assert_eq!(
        (incoming.event.id.as_str(), incoming.more_keys),
        ("tg:upd:42:5", vec!["tg:msg:42:-100:9".to_owned()])
    );
    assert_eq!(
        (incoming.chat, &incoming.place, incoming.event.actor.as_str()),
        (-100, &Place::default(), "7")
    );
    let EventKind::MessagePosted(posted) = &incoming.event.kind else { panic!() };
    assert_eq!(posted.message_id.as_deref(), Some("-100:9"));
    assert_eq!(incoming.addressing, Addressing::default());
}

#[test]
fn an_edit_and_a_press_have_theirs() {
    let edit = of("edited_message", message(&json!({"edit_date": 77, "text": "better"})));
    assert_eq!(
        (edit.event.id.as_str(), edit.more_keys),
        ("tg:upd:42:5", vec!["tg:msg:42:-100:9:edit:77".to_owned()])
    );
    assert!(edit.addressing.vouched && !of("message", message(&json!({}))).addressing.vouched);
    let press = of(
        "callback_query",
        json!({"id": "q1", "chat_instance": "x", "from": {"id": 7, "is_bot": false, "first_name": "Ana"},
            "data": "dUkK6gJL61egst2uZvqf2w",
            "message": message(&json!({"is_topic_message": true, "message_thread_id": 3}))}),
    );
    assert_eq!((press.event.id.as_str(), press.more_keys), ("tg:upd:42:5", vec!["tg:cbq:42:q1".to_owned()]));
    assert_eq!(press.follow_up, FollowUp::Answer { query: "q1".into() });
    let tokens = vec!["dUkK6gJL61egst2uZvqf2w".to_owned()];
    assert_eq!(press.place, about("-100:9", tokens, Some(3)));
}

#[test]
fn a_topic_is_a_lane_and_a_chain_of_replies_is_not() {
    let topic = message(&json!({"is_topic_message": true, "message_thread_id": 3}));
    assert_eq!(of("message", topic).place, Place { topic: Some(3), about: None });
    // Every message of a topic is marked as a reply to the one that began it.
    let began = json!({"is_topic_message": true, "message_thread_id": 3, "reply_to_message":
        message(&json!({"message_id": 3, "forum_topic_created": {"name": "x"}, "from": {"id": 42, "is_bot": true, "first_name": "m"}}))});
    let incoming = of("message", message(&began));
    assert!(!incoming.addressing.reply_to_us);
    assert!(matches!(&incoming.event.kind, EventKind::MessagePosted(posted) if posted.reply_to.is_none()));
    // A group without topics fills the field too.
    let chain = json!({"message_thread_id": 8, "reply_to_message": message(&json!({"message_id": 8}))});
    let place = of("message", message(&chain)).place;
    assert_eq!(place, about("-100:8", Vec::new(), None));
}

#[test]
fn a_reply_names_its_anchor_and_quotes_it() {
    let to = message(
        &json!({"message_id": 8, "text": "Which city?", "from": {"id": 42, "is_bot": true, "first_name": "m"},
        "reply_markup": {"inline_keyboard": [[{"text": "a", "callback_data": "tok"}, {"text": "b", "url": "https://x"}]]}}),
    );
    let incoming = of("message", message(&json!({"reply_to_message": to})));
    assert!(incoming.addressing.reply_to_us);
    assert_eq!(incoming.place, about("-100:8", vec!["tok".into()], None));
    let EventKind::MessagePosted(posted) = &incoming.event.kind else { panic!() };
    assert_eq!((posted.reply_to.as_deref(), posted.quote.as_deref()), (Some("-100:8"), Some("Which city?")));
    let marked = message(&json!({"reply_to_message": to, "quote": {"text": "city", "position": 6}}));
    let incoming = of("message", marked);
    assert!(
        matches!(&incoming.event.kind, EventKind::MessagePosted(p) if p.quote.as_deref() == Some("city"))
    );
}

#[test]
fn our_name_addresses_and_is_not_part_of_the_words() {
    let text = "👋 @Maro_Bot create a ticket";
    let entities = json!([{"type": "mention", "offset": 3, "length": 9}]);
    let incoming = of("message", message(&json!({"text": text, "entities": entities})));
    assert!(incoming.addressing.mentioned && !incoming.addressing.to_other);
    assert_eq!(posted_text(&incoming), "👋  create a ticket");
    let other = json!({"text": "@bob look", "entities": [{"type": "mention", "offset": 0, "length": 4}]});
    let incoming = of("message", message(&other));
    assert!(incoming.addressing.to_other && !incoming.addressing.mentioned);
    assert_eq!(posted_text(&incoming), "@bob look");
}

#[test]
fn facts_about_who_wrote() {
    let facts = |fields: Value| of("message", message(&fields)).addressing;
    assert!(facts(json!({"chat": {"id": 7, "type": "private"}})).direct);
    assert!(facts(json!({"from": {"id": 8, "is_bot": true, "first_name": "x"}})).bot);
    assert!(
        facts(json!({"sender_chat": {"id": -100, "type": "supergroup"}})).bot,
        "an anonymous administrator"
    );
    assert!(facts(json!({"via_bot": {"id": 8, "is_bot": true, "first_name": "x"}})).bot);
    let own = facts(json!({"from": {"id": 42, "is_bot": true, "first_name": "m"}}));
    assert!(own.own && !own.bot);
}

#[test]
fn commands() {
    let command = |text: &str, length: usize| {
        let entities = json!([{"type": "bot_command", "offset": 0, "length": length}]);
        of("message", message(&json!({"text": text, "entities": entities})))
    };
    let words = |text: &str, length: usize| match command(text, length).event.kind {
        EventKind::Command { text } => text,
        other => format!("{other:?}"),
    };
    assert_eq!(words("/status", 7), "status");
    assert_eq!(words("/ticket@maro_bot  the login fails", 16), "ticket the login fails");
    assert_eq!(words("/maro why", 5), "why");
    assert_eq!(words("/start", 6), "");
    let link = command("/start dUkK6gJL61egst2uZvqf2w", 6);
    assert_eq!(link.follow_up, FollowUp::Link { token: "dUkK6gJL61egst2uZvqf2w".into() });
    let other = command("/help@other_bot", 15);
    assert_eq!(other.event.kind.name(), "command.of_another_bot");
    // A slash in the middle is text.
    let middle =
        json!({"text": "see /help", "entities": [{"type": "bot_command", "offset": 4, "length": 5}]});
    assert_eq!(posted_text(&of("message", message(&middle))), "see /help");
}

#[test]
fn the_chat_itself_changes() {
    let migrated = of("message", message(&json!({"text": null, "migrate_to_chat_id": -1007})));
    assert_eq!((migrated.follow_up, migrated.chat), (FollowUp::Migrate { to: -1007 }, -100));
    for (status, speak) in [("kicked", false), ("left", false), ("member", true), ("administrator", true)] {
        let body = json!({"chat": {"id": 7, "type": "private"}, "from": {"id": 7, "is_bot": false, "first_name": "A"},
            "date": 1, "new_chat_member": {"status": status}});
        assert_eq!(of("my_chat_member", body).follow_up, FollowUp::Speak(speak), "{status}");
    }
}

#[test]
fn everything_else_is_kept_and_ignored() {
    for (kind, body, name) in [
        ("poll", json!({"id": "1"}), "poll"),
        ("message", message(&json!({"text": null, "new_chat_title": "Team"})), "message.no_text"),
        ("message", json!(7), "message"),
    ] {
        let incoming = of(kind, body);
        assert_eq!(incoming.event.kind.name(), name);
        assert_eq!(incoming.event.id, "tg:upd:42:5");
    }
    let nothing = inbound(&json!({"hello": 1}), &bot());
    assert!(nothing.event.id.starts_with("raw:"));
    let caption = of("message", message(&json!({"text": null, "caption": "see picture"})));
    assert_eq!(posted_text(&caption), "see picture");
}

fn any_json() -> impl Strategy<Value = Value> {
    let names = [
        "text",
        "entities",
        "offset",
        "length",
        "type",
        "chat",
        "id",
        "from",
        "data",
        "message",
        "message_id",
        "x",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5i64..40).prop_map(Value::from),
        "[a-z@/👋 ]{0,12}".prop_map(Value::from),
        Just(json!("mention")),
        Just(json!("bot_command")),
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        let name = prop::sample::select(names.to_vec());
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

proptest! {
    /// Any input becomes an event with a key.
    #[test]
    fn nothing_panics(body in any_json(), kind in prop::sample::select(vec!["message", "edited_message", "callback_query", "my_chat_member", "poll"])) {
        let edited = message(&json!({"entities": body.clone()}));
        let updates = [json!({"update_id": 1, kind: body.clone()}), json!({"update_id": 1, kind: edited}), body];
        for update in updates {
            let incoming = inbound(&update, &bot());
            prop_assert!(incoming.more_keys.iter().chain([&incoming.event.id]).all(|key| !key.is_empty()));
        }
    }
}

/// An animation comes with a document of its own; a photo comes in several sizes.
#[test]
fn what_comes_with_a_message_is_named_once() {
    let files = |more: Value| {
        let incoming = of("message", message(&more));
        let EventKind::MessagePosted(posted) = incoming.event.kind else { panic!("{more}") };
        (posted.text, posted.files)
    };
    let gif = json!({"text": null, "animation": {"file_name": "a.mp4"}, "document": {"file_name": "a.mp4"}});
    let (text, found) = files(gif);
    assert_eq!((text.as_str(), found.len(), found[0].display_name().as_str()), ("", 1, "animation a.mp4"));
    let photo = json!({"text": null, "caption": "see", "photo": [{"file_size": 1}, {"file_size": 9}]});
    let (text, found) = files(photo);
    assert_eq!((text.as_str(), found[0].kind.as_str(), found[0].bytes), ("see", "photo", Some(9)));
    let caption = json!({"text": null, "caption": "/status", "voice": {},
        "caption_entities": [{"type": "bot_command", "offset": 0, "length": 7}]});
    assert_eq!(files(caption).0, "/maro status", "the engine's own command, with what came with it");
}
