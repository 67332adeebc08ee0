//! Limits: keys, caps, the pool, the cache, and cancelling.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_engine::{EffectId, Timestamp};
use throughline_fakes::model::{Behaviour, FakeModel};
use throughline_models::conformance::asked;
use throughline_models::{Caller, Cap, Caps, Kind, Model, Providers, Spent, Timeouts};

use crate::{KEY, TICKET, WIRES, classify, ended};

/// Waits until a condition holds.
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
        fake.script(Behaviour::Say("no".into()));
        fake.script(Behaviour::Say(TICKET.into()));
        assert_eq!(ended(&providers, &classify("hello")).await, "prose", "what is no answer is not kept");
        assert_eq!(ended(&providers, &classify("hello")).await, "ticket");
        let later = Ask { budget_ms: 77, ..classify("hello") };
        assert_eq!(ended(&providers, &later).await, "ticket", "time is no part of the question");
        assert_eq!(fake.calls(), 2);
        let other = Ask {
            prompt: Ask::classify("hello", &throughline_engine::data::policy::Policy::default()).prompt,
            ..classify("hello")
        };
        fake.script(Behaviour::Say(TICKET.into()));
        assert_eq!(ended(&providers, &other).await, "ticket");
        assert_eq!(fake.calls(), 3, "another question");
    }
}

/// One tenant's cached answers are not used for another that asks the same (`docs/design/0033-access-and-limits.md`).
#[tokio::test]
async fn another_tenant_asks_for_itself() {
    let (fake, providers) = WIRES[0].started().await;
    let effect = EffectId("fx_1".into());
    for tenant in ["acme", "other", "acme", "other"] {
        fake.script(Behaviour::Say(TICKET.into()));
        let caller = Caller {
            tenant,
            user: "ana",
            effect: &effect,
            now: Timestamp(0),
            spent: &Spent::default(),
            onlooker: None,
        };
        let attempt = providers.ask(&classify("hello"), &caller).await;
        assert!(matches!(attempt, Attempt::Applied(Answer::Classify { .. })), "{tenant}: {attempt:?}");
    }
    assert_eq!(fake.calls(), 2, "each tenant once");
}

/// A request that the vendor refuses is a call and costs no token: a wrong key does not use up the day's budget.
#[tokio::test]
async fn what_was_refused_costs_nothing_and_what_was_cut_may_have() {
    let fake = FakeModel::start().await.unwrap();
    let caps = Caps { tenant: Cap { tokens: Some(5_000), ..Cap::default() }, ..Caps::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), caps);
    for n in 0..40 {
        fake.script(Behaviour::Status(401));
        assert_eq!(ended(&providers, &classify(&format!("text {n}"))).await, "status_401");
    }
    let mut cut = 0;
    loop {
        fake.script(Behaviour::Length("{".into()));
        match ended(&providers, &classify(&format!("more {cut}"))).await.as_str() {
            "cut" => cut += 1,
            other => break assert_eq!(other, "over_budget"),
        }
    }
    assert!((5..20).contains(&cut), "256 tokens out and some hundred in are counted for each: {cut}");
}

/// A vendor that reports an impossible count ends the day's budget, and nothing else.
#[tokio::test]
async fn any_count_of_tokens_can_be_added_up() {
    let fake = FakeModel::start().await.unwrap();
    let cap = Cap { cost: Some(1_000_000), ..Cap::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), Caps { user: cap, tenant: cap });
    fake.script(Behaviour::SayCounted(TICKET.into(), u64::MAX));
    assert_eq!(ended(&providers, &classify("one")).await, "ticket");
    fake.script(Behaviour::Say(TICKET.into()));
    // Without a price no count has a cost.
    assert_eq!(ended(&providers, &classify("two")).await, "ticket");
    let cap = Cap { tokens: Some(1_000_000), ..Cap::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), Caps { user: cap, tenant: cap });
    fake.script(Behaviour::SayCounted(TICKET.into(), u64::MAX));
    assert_eq!(ended(&providers, &classify("three")).await, "ticket");
    assert_eq!(ended(&providers, &classify("four")).await, "over_budget");
}

/// Over HTTP, the request after the last allowed one is never sent.
#[tokio::test]
async fn a_cap_stops_requests() {
    let fake = FakeModel::start().await.unwrap();
    let caps = Caps { user: Cap { calls: Some(3), ..Cap::default() }, ..Caps::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), caps);
    for n in 0..10 {
        fake.script(Behaviour::Say(TICKET.into()));
        let expected = if n < 3 { "ticket" } else { "over_budget" };
        assert_eq!(ended(&providers, &classify(&format!("text {n}"))).await, expected);
    }
    assert_eq!(fake.calls(), 3);
    let caps = Caps { tenant: Cap { tokens: Some(300), ..Cap::default() }, ..Caps::default() };
    let providers = WIRES[0].at(&WIRES[0].base(&fake), caps);
    let made = fake.calls();
    for n in 0..10 {
        fake.script(Behaviour::Say(TICKET.into()));
        ended(&providers, &classify(&format!("text {n}"))).await;
    }
    assert_eq!(fake.calls() - made, 3, "132 tokens each: 132, 264, and one over");
}

/// Eight calls at once; the ninth waits within its own time.
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
        fake.script(Behaviour::Hang);
        let (providers, ask) = (providers.clone(), classify(&format!("text {n}")));
        calls.spawn(async move { drop(asked(providers.as_ref(), &ask).await) });
    }
    until("eight calls", || fake.calls() == 8).await;
    let answer =
        throughline_models::conformance::asks("x").into_iter().find(|ask| ask.purpose() == Purpose::Answer);
    let ninth = Ask { budget_ms: 150, ..answer.unwrap() };
    assert_eq!(ended(&providers, &ninth).await, "timeout", "another purpose, the same provider");
    assert_eq!(fake.calls(), 8);
    calls.abort_all();
    until("eight connections let go", || fake.dropped() == 8).await;
    fake.script(Behaviour::Say(TICKET.into()));
    assert_eq!(ended(&providers, &classify("after")).await, "ticket");
}

/// A superseded ask is dropped, and with it the request.
#[tokio::test]
async fn who_lets_go_of_an_ask_drops_the_request() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.script(Behaviour::Stall("{".into()));
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
        fake.require_key("another");
        let answer = format!("{:?}", asked(&providers, &classify("hello")).await);
        assert!(answer.contains("status_401") && !answer.contains(KEY), "{answer}");
    }
}

#[test]
fn what_cannot_be_used_is_said_by_purpose() {
    for (base, expected) in [
        ("http://api.example.org/v1", "“http://api.example.org/v1” is not https"),
        ("https://10.0.0.7/v1", "“https://10.0.0.7/v1” is no public address"),
        ("https://169.254.169.254", "“https://169.254.169.254” is no public address"),
        (
            "https://ana:s3cret@example.org",
            "the address of example.org holds more than scheme, host, port and path",
        ),
        ("https://ana:s3cret@", "it is no address: empty host"),
        ("nonsense", "it is no address: relative URL without a base"),
    ] {
        let setting = WIRES[0].setting(base, Purpose::Draft);
        let built = Providers::new([(Purpose::Draft, setting)].into(), Caps::default(), Timeouts::default());
        let (purpose, why) = built.err().unwrap();
        assert_eq!(purpose, Purpose::Draft);
        assert!(why.contains(expected) && !why.contains("s3cret"), "{why}");
    }
}

#[tokio::test]
async fn a_purpose_without_a_model_is_off() {
    let (fake, _) = WIRES[0].started().await;
    let setting = WIRES[0].setting(&WIRES[0].base(&fake), Purpose::Draft);
    let providers =
        Providers::new([(Purpose::Draft, setting)].into(), Caps::default(), Timeouts::default()).unwrap();
    assert!(providers.answers(Purpose::Draft) && !providers.answers(Purpose::Classify));
    assert_eq!(ended(&providers, &classify("hello")).await, "off");
    assert_eq!(fake.calls(), 0);
    let routes: Vec<_> =
        providers.routes().map(|(purpose, kind, _, model)| (purpose, kind, model.to_owned())).collect();
    assert_eq!(routes, [(Purpose::Draft, Kind::OpenAiChat, "small-1".to_owned())]);
}
