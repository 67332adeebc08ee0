//! What is kept to: keys, caps, the pool, the cache, and letting go.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use throughline_engine::ask::{Ask, Purpose};
use throughline_fakes::model::{Does, FakeModel};
use throughline_models::conformance::asked;
use throughline_models::{Cap, Caps, Kind, Providers, Timeouts};

use crate::{TICKET, WIRES, classify, ended};

/// Waits until it is so.
async fn until(what: &str, so: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if so() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to that: {what}");
}

#[tokio::test]
async fn the_same_question_is_asked_once() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.next(Does::Say("no".into()));
        fake.next(Does::Say(TICKET.into()));
        assert_eq!(ended(&providers, &classify("hello")).await, "prose", "what is no answer is not kept");
        assert_eq!(ended(&providers, &classify("hello")).await, "ticket");
        let later = Ask { budget_ms: 77, ..classify("hello") };
        assert_eq!(ended(&providers, &later).await, "ticket", "time is no part of the question");
        assert_eq!(fake.calls(), 2);
        let other = Ask { window: Vec::new(), ..classify("hello") };
        fake.next(Does::Say(TICKET.into()));
        assert_eq!(ended(&providers, &other).await, "ticket");
        assert_eq!(fake.calls(), 3, "another question");
    }
}

/// SEC-44 and LLM-05 over HTTP: the request after the last that is allowed is never sent.
#[tokio::test]
async fn a_cap_stops_requests() {
    let fake = FakeModel::start().await.unwrap();
    let caps = Caps { user: Cap { calls: Some(3), ..Cap::default() }, ..Caps::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), caps);
    for n in 0..10 {
        fake.next(Does::Say(TICKET.into()));
        let expected = if n < 3 { "ticket" } else { "over_budget" };
        assert_eq!(ended(&providers, &classify(&format!("text {n}"))).await, expected);
    }
    assert_eq!(fake.calls(), 3);
    let caps = Caps { tenant: Cap { tokens: Some(300), ..Cap::default() }, ..Caps::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), caps);
    let made = fake.calls();
    for n in 0..10 {
        fake.next(Does::Say(TICKET.into()));
        ended(&providers, &classify(&format!("text {n}"))).await;
    }
    assert_eq!(fake.calls() - made, 3, "132 tokens each: 132, 264, and one over");
}

/// Eight at once, and the ninth waits inside of its own time.
#[tokio::test]
async fn a_provider_has_eight_calls_at_once() {
    let fake = FakeModel::start().await.unwrap();
    let timeouts = Timeouts::default();
    let settings: BTreeMap<_, _> = [Purpose::Classify, Purpose::Answer]
        .into_iter()
        .map(|purpose| (purpose, WIRES[0].setting(&WIRES[0].base(&fake), purpose)))
        .collect();
    let providers = Arc::new(Providers::new(settings, Caps::default(), timeouts).unwrap());
    let mut calls = tokio::task::JoinSet::new();
    for n in 0..8 {
        fake.next(Does::Hang);
        let (providers, ask) = (providers.clone(), classify(&format!("text {n}")));
        calls.spawn(async move { drop(asked(providers.as_ref(), &ask).await) });
    }
    until("eight calls", || fake.calls() == 8).await;
    let ninth = Ask { budget_ms: 150, ..throughline_models::conformance::asks("x").pop().unwrap() };
    assert_eq!(ended(&providers, &ninth).await, "timeout", "another purpose, the same provider");
    assert_eq!(fake.calls(), 8);
    calls.abort_all();
    until("eight connections let go", || fake.dropped() == 8).await;
    fake.next(Does::Say(TICKET.into()));
    assert_eq!(ended(&providers, &classify("after")).await, "ticket");
}

/// A superseded ask is dropped, and with it the request.
#[tokio::test]
async fn who_lets_go_of_an_ask_drops_the_request() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.next(Does::Stall("{".into()));
        let ask = classify("hello");
        tokio::select! {
            _ = asked(&providers, &ask) => panic!("it stalls"),
            () = until("the request is there", || fake.calls() == 1) => {}
        }
        until("the connection is let go", || fake.dropped() == 1).await;
    }
}

#[tokio::test]
async fn a_wrong_key_is_no_answer_and_is_not_shown() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.want_key("another");
        assert_eq!(ended(&providers, &classify("hello")).await, "status_401");
    }
}

#[test]
fn what_cannot_be_used_is_said_by_purpose() {
    for base in ["http://api.example.org/v1", "https://10.0.0.7/v1", "https://169.254.169.254", "nonsense"] {
        let setting = WIRES[0].setting(base, Purpose::Draft);
        let built = Providers::new([(Purpose::Draft, setting)].into(), Caps::default(), Timeouts::default());
        let (purpose, why) = built.err().unwrap();
        assert_eq!(purpose, Purpose::Draft);
        assert!(why.contains(base), "{why}");
    }
}

#[tokio::test]
async fn a_purpose_without_a_model_is_off() {
    let (fake, _) = WIRES[0].started().await;
    let setting = WIRES[0].setting(&WIRES[0].base(&fake), Purpose::Draft);
    let providers =
        Providers::new([(Purpose::Draft, setting)].into(), Caps::default(), Timeouts::default()).unwrap();
    assert_eq!(ended(&providers, &classify("hello")).await, "off");
    assert_eq!(fake.calls(), 0);
    let routes: Vec<_> =
        providers.routes().map(|(purpose, kind, _, model)| (purpose, kind, model.to_owned())).collect();
    assert_eq!(routes, [(Purpose::Draft, Kind::OpenAiChat, "small-1".to_owned())]);
}
