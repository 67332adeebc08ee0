//! Every kind of event, every refusal with its place, and arbitrary input.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::api::BodyError;

fn context() -> Context {
    Context {
        tenant: "acme".into(),
        app: "web1".into(),
        key: "http:k1:/v1/events:3b90aa11".into(),
        received_at: Timestamp(1_000),
        default_actor: Some("token-user".into()),
    }
}

/// A body with a lane, an actor and these members.
fn body(members: Value) -> Value {
    let mut body = json!({"lane": {"conversation": "c42"}, "actor": {"id": "ana", "name": "Ana Maria"}});
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body
}

fn read(body: &Value) -> Result<NormalisedEvent, Vec<Problem>> {
    match EventRequest::from_json(body.to_string().as_bytes()) {
        Ok(request) => request.normalise(context()),
        Err(BodyError::Invalid(problems)) => Err(problems),
        Err(BodyError::Malformed(text)) => panic!("{text}"),
    }
}

fn kind_of(members: Value) -> EventKind {
    read(&body(members)).unwrap().event.kind
}

/// The pointers of the problems.
fn wrong(body: &Value) -> Vec<String> {
    let problems = read(body).expect_err(&body.to_string());
    assert!(problems.iter().all(|p| !p.text.is_empty()));
    problems.into_iter().map(|p| p.pointer).collect()
}

#[test]
fn a_message_with_everything() {
    let inbound = read(&json!({
        "lane": {"channel": "web", "conversation": "s1", "thread": "p1"},
        "actor": {"id": "ana", "name": "Ana Maria"},
        "kind": "message.posted", "text": "make it shorter", "message_id": "m9", "task": "t_3",
        "reply_to": "m_12", "quote": "The plan …", "panel": "p1",
        "event_id": "e7", "at": "2026-01-15T10:00:00Z",
    }))
    .unwrap();
    assert_eq!(inbound.lane, LaneKey::new("acme", "web1", "web", "s1", "p1"));
    assert_eq!(inbound.event.id, "http:k1:/v1/events:3b90aa11");
    assert_eq!(inbound.host_key.as_deref(), Some("event:web1:e7"));
    assert_eq!((inbound.event.actor.as_str(), inbound.actor_name.as_deref()), ("ana", Some("Ana Maria")));
    assert_eq!(
        (inbound.event.received_at, inbound.at),
        (Timestamp(1_000), Timestamp::parse("2026-01-15T10:00:00Z"))
    );
    let posted = MessagePosted {
        text: "make it shorter".into(),
        message_id: Some("m9".into()),
        reply_to: Some("m_12".into()),
        quote: Some("The plan …".into()),
        task: Some("t_3".into()),
        files: Vec::new(),
        seen: None,
    };
    assert_eq!(inbound.event.kind, EventKind::MessagePosted(posted));
}

#[test]
fn an_agent_asks_and_a_person_answers_in_one_lane() {
    let asked = json!({"lane": {"channel": "api", "conversation": "c42"}, "kind": "assistant.posted",
        "assistant": {"kind": "question", "task": "t_3", "text": "Weather for which city?", "expected": "location", "asked_of": "ana"}});
    let asked = read(&asked).unwrap();
    assert_eq!(asked.event.actor, "", "an agent's post is no person's act");
    let EventKind::AssistantPosted(posted) = asked.event.kind else { panic!() };
    assert_eq!((posted.kind, posted.expected), (MessageKind::Question, Some(Expected::Location)));
    assert_eq!((posted.task, posted.asked_of.as_deref()), (Some("t_3".into()), Some("ana")));
    let answered = json!({"lane": {"channel": "api", "conversation": "c42"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": "Swansea"});
    assert_eq!(read(&answered).unwrap().lane, asked.lane);
}

#[test]
fn every_other_kind() {
    let token = || Press::Token("dUkK6gJL61egst2uZvqf2w".into());
    let table = [
        (
            json!({"kind": "message.edited", "message_id": "m9", "text": "new", "metadata_only": true}),
            EventKind::MessageEdited { message: "m9".into(), text: "new".into(), metadata_only: true },
        ),
        (
            json!({"kind": "message.deleted", "message_id": "m9"}),
            EventKind::MessageDeleted { message: "m9".into() },
        ),
        (
            json!({"kind": "card.pressed", "press": {"token": "dUkK6gJL61egst2uZvqf2w", "remember": true}}),
            EventKind::CardPressed { press: token(), remember: true },
        ),
        (
            json!({"kind": "card.pressed", "press": {"token": "dUkK6gJL61egst2uZvqf2w"}}),
            EventKind::CardPressed { press: token(), remember: false },
        ),
        (json!({"kind": "command", "text": "why"}), EventKind::Command { text: "why".into() }),
        (
            json!({"kind": "command", "text": "/maro forget me"}),
            EventKind::Command { text: "forget me".into() },
        ),
        (json!({"kind": "command", "text": "/maro"}), EventKind::Command { text: String::new() }),
        (json!({"kind": "command"}), EventKind::Command { text: String::new() }),
        (
            json!({"kind": "form.submitted", "form": {"token": "dUkK6gJL61egst2uZvqf2w", "values": {"title": "T", "risks": ""}}}),
            EventKind::FormSubmitted {
                press: token(),
                values: BTreeMap::from([("risks".into(), String::new()), ("title".into(), "T".into())]),
            },
        ),
        (
            json!({"kind": "task.reported", "report": {
                "task_id": "t_7", "status": "blocked", "at": "2026-01-15T10:00:00Z", "reason": "Waiting for a login"
            }}),
            EventKind::TaskReported(TaskReported {
                task: "t_7".into(),
                status: TaskStatus::Blocked,
                at: Timestamp::parse("2026-01-15T10:00:00Z"),
                reason: Some("Waiting for a login".into()),
                ..TaskReported::default()
            }),
        ),
    ];
    for (members, kind) in table {
        assert_eq!(kind_of(members.clone()), kind, "{members}");
    }
}

#[test]
fn lane_and_actor_have_defaults_and_a_panel_is_a_thread() {
    let inbound = read(
        &json!({"lane": {"conversation": "c"}, "kind": "message.posted", "text": "hi", "panel": "left"}),
    )
    .unwrap();
    assert_eq!(inbound.lane, LaneKey::new("acme", "web1", "api", "c", "left"));
    assert_eq!((inbound.event.actor.as_str(), inbound.host_key), ("token-user", None));
    let request =
        EventRequest::from_json(br#"{"lane":{"conversation":"c"},"kind":"message.posted","text":"hi"}"#)
            .unwrap();
    let nobody = request.normalise(Context { default_actor: None, ..context() }).unwrap_err();
    assert_eq!(nobody[0].pointer, "/actor/id");
}

#[test]
fn what_is_wrong_is_named_where_it_is() {
    let long_id = "x".repeat(256);
    let long_text = "x".repeat(40_001);
    let table = [
        (json!({}), vec!["/lane/conversation", "/kind"]),
        (
            json!({"kind": "message.posted", "lane": {"conversation": ""}}),
            vec!["/lane/conversation", "/text"],
        ),
        (body(json!({"kind": "message.posted", "text": " \n"})), vec!["/text"]),
        (body(json!({"kind": "message.posted", "text": long_text})), vec!["/text"]),
        (body(json!({"kind": "message.posted", "text": "a\0b"})), vec!["/text"]),
        (body(json!({"kind": "message.posted", "text": "t", "quote": long_text})), vec!["/quote"]),
        (body(json!({"kind": "message.posted", "text": "t", "message_id": long_id})), vec!["/message_id"]),
        (body(json!({"kind": "message.posted", "text": "t", "reply_to": "a b"})), vec!["/reply_to"]),
        (body(json!({"kind": "message.posted", "text": "t", "task": "a\u{200b}"})), vec!["/task"]),
        (body(json!({"kind": "message.posted", "text": "t", "event_id": "\u{7}"})), vec!["/event_id"]),
        (body(json!({"kind": "message.posted", "text": "t", "at": "yesterday"})), vec!["/at"]),
        (body(json!({"kind": "message.posted", "text": "t", "actor": {"id": ""}})), vec!["/actor/id"]),
        (
            body(json!({"kind": "message.posted", "text": "t", "actor": {"id": "a", "name": "a\nb"}})),
            vec!["/actor/name"],
        ),
        (
            json!({"kind": "message.posted", "text": "t", "lane": {"conversation": "c", "thread": "a"}, "panel": "b"}),
            vec!["/panel"],
        ),
        (body(json!({"kind": "message.edited"})), vec!["/message_id", "/text"]),
        (body(json!({"kind": "message.deleted"})), vec!["/message_id"]),
        (body(json!({"kind": "card.pressed"})), vec!["/press"]),
        (body(json!({"kind": "card.pressed", "press": {}})), vec!["/press/token"]),
        (body(json!({"kind": "form.submitted"})), vec!["/form"]),
        (
            body(json!({"kind": "form.submitted", "form": {"token": "t", "values": {"a/b~": "\0"}}})),
            vec!["/form/values/a~1b~0"],
        ),
        (body(json!({"kind": "assistant.posted"})), vec!["/assistant"]),
        (
            body(json!({"kind": "assistant.posted", "assistant":
                {"kind": "quest", "text": "?", "expected": "city", "expires": "soon", "asked_of": ""}})),
            vec!["/assistant/kind", "/assistant/asked_of", "/assistant/expected", "/assistant/expires"],
        ),
        (body(json!({"kind": "message.sent", "text": "t"})), vec!["/kind"]),
        (body(json!({"kind": "effect.settled"})), vec!["/kind"]),
        (body(json!({"kind": "timer.due"})), vec!["/kind"]),
        (body(json!({"kind": "intake.notice"})), vec!["/kind"]),
    ];
    for (body, pointers) in table {
        assert_eq!(wrong(&body), pointers, "{body}");
    }
}

#[test]
fn a_member_of_another_shape_is_named_where_it_is() {
    let table = [
        (json!([]), vec![""]),
        (json!("hi"), vec![""]),
        (json!({"lane": ["api", "c42"], "press": []}), vec!["/lane", "/press"]),
        (json!({"kind": 7}), vec!["/kind"]),
        (json!({"kind": "command", "txt": "why"}), vec!["/txt"]),
        (json!({"kind": "command", "lane": "c42"}), vec!["/lane"]),
        (
            json!({"lane": {"conversation": 1, "thread": [], "topic": "x"}}),
            vec!["/lane/conversation", "/lane/thread", "/lane/topic"],
        ),
        (json!({"press": {"token": "t", "remember": "yes"}}), vec!["/press/remember"]),
        (json!({"form": {"values": {"title": 3}}}), vec!["/form/values/title"]),
        (json!({"metadata_only": 1, "at": 5}), vec!["/at", "/metadata_only"]),
    ];
    for (body, pointers) in table {
        assert_eq!(wrong(&body), pointers, "{body}");
    }
    let problems = read(&json!({"txt": "why"})).unwrap_err();
    assert!(problems[0].text.contains("unknown field `txt`"), "{}", problems[0]);
}

#[test]
fn what_is_no_json_or_says_a_thing_twice() {
    assert!(matches!(EventRequest::from_json(b"{"), Err(BodyError::Malformed(_))));
    assert!(matches!(EventRequest::from_json(b"\xff"), Err(BodyError::Malformed(_))));
    let twice = EventRequest::from_json(br#"{"kind":"command","kind":"card.pressed"}"#).unwrap_err();
    assert!(twice.to_string().contains("duplicate field `kind`"), "{twice}");
    let deep = "[".repeat(200_000);
    assert!(matches!(EventRequest::from_json(deep.as_bytes()), Err(BodyError::Malformed(_))));
}

#[test]
fn a_limit_itself_still_passes() {
    let id = "x".repeat(255);
    let text = "é".repeat(40_000);
    let EventKind::MessagePosted(posted) =
        kind_of(json!({"kind": "message.posted", "text": text, "message_id": id}))
    else {
        panic!()
    };
    assert_eq!((posted.text, posted.message_id), (text, Some(id)));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Bodies that are nearly events, so that checking goes deep.
fn near_event() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "lane",
        "actor",
        "kind",
        "text",
        "message_id",
        "task",
        "reply_to",
        "quote",
        "panel",
        "press",
        "form",
        "assistant",
        "shown",
        "closed",
        "focus",
        "metadata_only",
        "event_id",
        "at",
        "extra",
    ]);
    let kinds: Vec<Value> = HOST_KINDS.iter().chain(&INTERNAL_KINDS).map(|kind| json!(kind)).collect();
    let part = || {
        let name = prop::sample::select(vec![
            "channel",
            "conversation",
            "thread",
            "id",
            "name",
            "token",
            "values",
            "kind",
            "task",
            "text",
            "expected",
            "asked_of",
            "expires",
            "remember",
            "scope",
            "scope_instance",
            "options",
            "displayed",
            "set",
            "version",
            "option",
            "user",
        ]);
        prop::collection::btree_map(name.prop_map(String::from), any_json(), 0..5)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    };
    let value =
        prop_oneof![any::<String>().prop_map(Value::from), part(), any_json(), prop::sample::select(kinds)];
    prop::collection::btree_map(name.prop_map(String::from), value, 0..8)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

proptest! {
    #[test]
    fn any_json_is_an_event_or_a_problem(body in prop_oneof![any_json(), near_event()]) {
        match EventRequest::from_json(body.to_string().as_bytes()) {
            Ok(request) => {
                if let Err(problems) = request.normalise(context()) {
                    prop_assert!(!problems.is_empty());
                }
            }
            Err(BodyError::Invalid(problems)) => {
                prop_assert!(!problems.is_empty());
                for problem in problems {
                    prop_assert!(body.pointer(&problem.pointer).is_some(), "{problem}");
                }
            }
            Err(BodyError::Malformed(text)) => prop_assert!(false, "{text}"),
        }
    }

    #[test]
    fn any_bytes_are_no_panic(body in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(request) = EventRequest::from_json(&body) {
            let _ = request.normalise(context());
        }
    }

    #[test]
    fn a_sound_message_always_gets_in(text in "\\PC{0,40}[a-z]", conversation in "[!-~]{1,40}") {
        let body = json!({"lane": {"conversation": conversation}, "kind": "message.posted", "text": text});
        let inbound = read(&body).unwrap();
        prop_assert_eq!(inbound.lane.conversation, conversation);
    }
}
