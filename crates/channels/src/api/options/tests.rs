//! Lists of options in requests: what is accepted, and the place of each problem.

use serde_json::{Value, json};
use throughline_engine::{Event, Timestamp};

use super::super::{BodyError, Context, EventRequest};
use super::*;

fn event(members: &Value) -> Result<Event, Vec<Problem>> {
    let mut body = json!({"lane": {"conversation": "c"}});
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let context = Context {
        tenant: "acme".into(),
        app: "web1".into(),
        key: "k".into(),
        received_at: Timestamp(0),
        default_actor: Some("ana".into()),
    };
    let read = EventRequest::from_json(body.to_string().as_bytes()).map_err(|refused| match refused {
        BodyError::Invalid(problems) => problems,
        BodyError::Malformed(why) => panic!("{why}"),
    });
    read?.normalise(context).map(|inbound| inbound.event)
}

fn list() -> Value {
    json!({
        "scope": "widget", "scope_instance": "recent", "title": "Recent",
        "options": [
            {"id": "a", "label": "Budget", "exec_ref": "open:a"},
            {"id": "b", "label": "sample2", "sublabel": "a draft", "badge": "B", "aliases": ["second sample"],
             "metadata": {"path": "/docs", "type": "document", "owner": "ana", "recency_rank": 1},
             "exec_ref": "open:b", "risk": "write", "repeatable": false},
        ],
    })
}

fn shown(change: impl FnOnce(&mut Value)) -> Value {
    let mut list = list();
    change(&mut list);
    json!({"kind": "options.shown", "shown": list})
}

#[track_caller]
fn places(members: &Value) -> Vec<String> {
    let problems = event(members).expect_err("it is refused");
    problems.into_iter().map(|problem| problem.pointer).collect()
}

#[test]
fn a_list_is_read_whole() {
    let event = event(&shown(|_| {})).unwrap();
    assert_eq!(event.actor, "", "showing a list is no person's act");
    let EventKind::OptionsShown(shown) = event.kind else { panic!("{:?}", event.kind) };
    assert_eq!((shown.scope, shown.scope_instance.as_str()), (Scope::Widget, "recent"));
    assert_eq!((shown.user, shown.refreshable), (None, false));
    let [a, b] = shown.options.as_slice() else { panic!("two options") };
    assert_eq!((a.risk, a.repeatable, a.role), (Risk::Read, true, OptionRole::Normal));
    assert_eq!((b.risk, b.repeatable, b.badge.as_deref()), (Risk::Write, false, Some("B")));
    assert_eq!(b.aliases, ["second sample"]);
    assert_eq!((b.metadata.kind.as_deref(), b.metadata.recency_rank), (Some("document"), Some(1)));
}

#[test]
fn what_the_engine_would_not_take_is_refused_with_its_place() {
    let option = |id: &str, label: &str| json!({"id": id, "label": label});
    let many: Vec<Value> = (0..=SET_OPTIONS).map(|n| option(&n.to_string(), "x")).collect();
    type Change = fn(&mut Value, &[Value]);
    let sets: [(Change, &[&str]); 9] = [
        (|list, many| list["options"] = json!(many), &["/shown/options"]),
        (|list, _| list["options"] = json!([]), &["/shown/options"]),
        (|list, _| list["options"][1]["id"] = json!("a"), &["/shown/options/1/id"]),
        (
            |list, _| {
                list["options"][0]["label"] = json!("  ");
                list["options"][1]["id"] = json!("é".repeat(129));
            },
            &["/shown/options/0/label", "/shown/options/1/id"],
        ),
        (|list, _| list["options"][0]["label"] = json!("x".repeat(201)), &["/shown/options/0/label"]),
        (|list, _| list["options"][0]["id"] = json!(""), &["/shown/options/0/id"]),
        (|list, _| list["displayed"] = json!(["b", "a", "b"]), &["/shown/displayed/2"]),
        (|list, _| list["displayed"] = json!(["c"]), &["/shown/displayed/0"]),
        (|list, _| list["focused_option"] = json!("c"), &["/shown/focused_option"]),
    ];
    for (change, at) in sets {
        assert_eq!(places(&shown(|list| change(list, &many))), at);
    }
}

#[test]
fn what_is_no_list_at_all_is_refused_with_its_place() {
    let of = |name: &str, value: Value| shown(|list| list[name] = value);
    for (members, at) in [
        (json!({"kind": "options.shown"}), vec!["/shown"]),
        (json!({"kind": "options.shown", "shown": []}), vec!["/shown"]),
        (of("scope", json!("none")), vec!["/shown/scope"]),
        (of("scope_instance", Value::Null), vec!["/shown/scope_instance"]),
        (of("scope_instance", json!("")), vec!["/shown/scope_instance"]),
        (of("options", json!([["a", "x"]])), vec!["/shown/options/0"]),
        (of("options", json!([{"id": "a", "label": "x", "labels": 1}])), vec!["/shown/options/0/labels"]),
        (
            of("options", json!([{"id": 1, "label": 2}])),
            vec!["/shown/options/0/id", "/shown/options/0/label"],
        ),
        (
            of("options", json!([{"label": "x", "risk": "none"}])),
            vec!["/shown/options/0/id", "/shown/options/0/risk"],
        ),
        (of("audience", json!("user")), vec!["/shown/user"]),
        (of("audience", json!("both")), vec!["/shown/audience"]),
        (shown(|list| (list["audience"], list["user"]) = (json!("lane"), json!("ana"))), vec!["/shown/user"]),
    ] {
        let mut found = places(&members);
        found.sort();
        assert_eq!(found, at, "{members}");
    }
}

#[test]
fn a_list_is_closed_by_its_id_or_its_place() {
    let closed = |closed: Value| event(&json!({"kind": "options.closed", "closed": closed}));
    let by = closed(json!({"set": "os1-0"})).unwrap().kind;
    assert_eq!(by, EventKind::OptionsClosed { set: Some("os1-0".into()), scope_instance: None });
    assert!(closed(json!({"scope_instance": "recent"})).is_ok());
    assert!(closed(json!({})).is_err() && closed(json!({"set": "os1-0", "scope_instance": "r"})).is_err());
}

#[test]
fn whoever_looks_is_the_actor_unless_another_is_named() {
    let looks = |focus: Value| match event(&json!({"kind": "focus.changed", "focus": focus})).unwrap().kind {
        EventKind::FocusChanged(focus) => (focus.user, focus.option),
        other => panic!("{other:?}"),
    };
    let place = json!({"scope": "widget", "scope_instance": "recent"});
    assert_eq!(looks(place.clone()), ("ana".into(), None));
    let mut other = place;
    (other["user"], other["option"]) = (json!("bob"), json!("b"));
    assert_eq!(looks(other), ("bob".into(), Some("b".into())));
    assert_eq!(
        places(&json!({"kind": "focus.changed", "focus": {"scope": "widget"}})),
        ["/focus/scope_instance"]
    );
}

#[test]
fn a_press_is_of_a_button_or_of_an_option() {
    let press = |press: Value| event(&json!({"kind": "card.pressed", "press": press}));
    let option = press(json!({"set": "os1-0", "version": 2, "option": "b"})).unwrap().kind;
    let wanted = Press::Option { set: "os1-0".into(), version: 2, option: "b".into() };
    assert_eq!(option, EventKind::CardPressed { press: wanted, remember: false });
    for (wrong, at) in [
        (json!({}), vec!["/press/token"]),
        (json!({"set": "os1-0"}), vec!["/press/option", "/press/version"]),
        (json!({"option": "b", "version": 1}), vec!["/press/set"]),
        (json!({"token": "t", "set": "os1-0", "version": 1, "option": "b"}), vec!["/press"]),
    ] {
        let mut found = places(&json!({"kind": "card.pressed", "press": wrong}));
        found.sort();
        assert_eq!(found, at, "{wrong}");
    }
}

#[test]
fn a_snapshot_is_checked_like_a_list_but_may_be_empty() {
    let option =
        |id: &str| OptionRequest { id: Some(id.into()), label: Some("x".into()), ..OptionRequest::default() };
    let taken = snapshot("/snapshot", vec![option("a")], Some("a".into())).unwrap();
    assert!(matches!(taken, EffectResult::Snapshot { options, .. } if options.len() == 1));
    assert!(snapshot("/snapshot", Vec::new(), None).is_ok());
    let wrong = |options, focused: Option<&str>| {
        let problems = snapshot("/snapshot", options, focused.map(Into::into)).unwrap_err();
        problems.into_iter().map(|problem| problem.pointer).collect::<Vec<_>>()
    };
    assert_eq!(wrong(vec![option("a"), option("a")], None), ["/snapshot/options/1/id"]);
    assert_eq!(wrong(vec![option("a")], Some("b")), ["/snapshot/focused"]);
}

#[test]
fn fields_and_comparisons_are_read_or_refused_with_their_place() {
    let read = event(&shown(|list| {
        list["asked"] = json!(true);
        list["comparisons"] = json!([{ "name": "greenest", "field": "co2", "least": true }]);
        list["options"][0]["fields"] = json!({
            "price": { "value": 120.50, "unit": "EUR" }, "rating": 4.6, "co2": -1, "breakfast": true, "city": "Berlin",
            "tags": ["pool", "bar"], "opened": { "at": "2024-02-01" },
        });
    }))
    .unwrap();
    let EventKind::OptionsShown(shown_list) = read.kind else { panic!("{:?}", read.kind) };
    let written: Value =
        shown_list.options[0].fields.iter().map(|(name, value)| (name.clone(), value.to_json())).collect();
    let sent = json!({
        "price": { "value": 120.5, "unit": "EUR" }, "rating": 4.6, "co2": -1, "breakfast": true, "city": "Berlin",
        "tags": ["pool", "bar"], "opened": { "at": "2024-02-01" },
    });
    assert_eq!(written, sent);
    assert!(shown_list.asked && shown_list.comparisons[0].least);

    let long = "x".repeat(OPTION_LABEL + 1);
    for (value, place) in [
        (json!({ "price": null }), "/shown/options/0/fields/price"),
        (json!({ "price": 1e300 }), "/shown/options/0/fields/price"),
        (json!({ "price": { "value": "1", "unit": "EUR" } }), "/shown/options/0/fields/price"),
        (json!({ "price": { "value": 1, "unit": " " } }), "/shown/options/0/fields/price"),
        (
            json!({ "price": { "value": 1, "unit": "EUR", "at": "2026-01-01" } }),
            "/shown/options/0/fields/price",
        ),
        (json!({ "day": { "at": "soon" } }), "/shown/options/0/fields/day"),
        (json!({ "tags": ["a", 1] }), "/shown/options/0/fields/tags"),
        (json!({ "a/b": long }), "/shown/options/0/fields/a~1b"),
        (json!({ "?!": 1 }), "/shown/options/0/fields/?!"),
        (json!([1]), "/shown/options/0/fields"),
        ((0..=OPTION_FIELDS).map(|n| (n.to_string(), json!(n))).collect(), "/shown/options/0/fields"),
    ] {
        assert_eq!(places(&shown(|list| list["options"][0]["fields"] = value.clone())), [place], "{value}");
    }
    for (own, place) in [
        (json!([{ "field": "co2" }]), "/shown/comparisons/0/name"),
        (json!([{ "name": "greenest", "field": "" }]), "/shown/comparisons/0/field"),
    ] {
        assert_eq!(places(&shown(|list| list["comparisons"] = own.clone())), [place], "{own}");
    }
}

#[test]
fn a_first_number_may_be_written_with_a_point() {
    let shown: ShownRequest = serde_json::from_str(r#"{"numbers_from": 51.0}"#).unwrap();
    assert_eq!(shown.numbers_from, Some(51));
    assert!(serde_json::from_str::<ShownRequest>(r#"{"numbers_from": 51.5}"#).is_err());
}
