//! LLM-01: the thirty misbehaviours of `spec 07 §7` over every wire, and what an ask makes of each. R is what a second
//! try may mend, N is no answer at once, A is an answer.

use std::net::SocketAddr;

use throughline_engine::ask::{Answer, Ask};
use throughline_fakes::model::Does;
use throughline_models::{Misbehaviour, parse};

use crate::{FIRST, TICKET, WIRES, Wire, classify, ended, select};

/// What a fake on a port can do wrong.
fn on_the_wire() -> Vec<(Does, &'static str)> {
    let half = TICKET[..20].to_owned();
    vec![
        // R
        (Does::TooMany("2".into()), "again in 2000"),
        (Does::TooMany("soon".into()), "again"),
        (Does::Status(500), "again, unknown"),
        (Does::Status(503), "again, unknown"),
        (Does::Status(529), "again, unknown"),
        (Does::Status(408), "again, unknown"),
        (Does::Cut(half.clone()), "again, unknown"),
        (Does::EndEarly(half.clone()), "again, unknown"),
        (Does::Fail, "again, unknown"),
        (Does::Page, "again, unknown"),
        // N
        (Does::Status(401), "status_401"),
        (Does::Status(403), "status_403"),
        (Does::Status(404), "status_404"),
        (Does::Status(400), "status_400"),
        (Does::Status(413), "status_413"),
        (Does::Status(302), "status_302"),
        (Does::Redirect, "status_307"),
        (Does::Length(half), "cut"),
        (Does::Two(TICKET.into()), "two_choices"),
        (Does::CallTool("create_issue".into()), "tool_call"),
        (Does::Refuse("I'm sorry, but I can't help with that.".into()), "refusal"),
        // A
        (Does::SayUncounted(TICKET.into()), "ticket"),
        (Does::Say(TICKET.into()), "ticket"),
    ]
}

#[tokio::test]
async fn what_goes_wrong_on_the_wire() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for (n, (does, expected)) in on_the_wire().into_iter().enumerate() {
            fake.next(does.clone());
            // Another text each time: what was answered once is not asked again.
            assert_eq!(
                ended(&providers, &classify(&format!("text {n}"))).await,
                expected,
                "{wire:?} {does:?}"
            );
            assert_eq!(fake.calls(), n + 1, "{wire:?} {does:?}: one request an attempt");
        }
        fake.next(Does::Filter);
        // Anthropic has one word for both.
        let filtered = if wire.kind.word() == "anthropic" { "refusal" } else { "content_filter" };
        assert_eq!(ended(&providers, &classify("x")).await, filtered);
        fake.next(Does::Stall("{".into()));
        let short = Ask { budget_ms: 500, ..classify("it stalls") };
        assert_eq!(ended(&providers, &short).await, "timeout", "{wire:?}: the whole time is used up");
        fake.next(Does::Hang);
        let hasty = wire.hasty(&wire.base(&fake));
        assert_eq!(ended(&hasty, &classify("it hangs")).await, "again, unknown", "{wire:?}: no first byte");
        assert_eq!(fake.violations(), [""; 0], "{wire:?}");
        assert_eq!(fake.unscripted(), 0);
    }
}

/// Who waits for an option is not kept waiting by a second try: what may be tried again elsewhere is no answer here, with
/// the class of its failure, and one request was made. The same faults as above, over every wire.
#[tokio::test]
async fn what_goes_wrong_with_a_choice_ends_at_once() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for (n, (does, elsewhere)) in on_the_wire().into_iter().enumerate() {
            let expected = match (&does, elsewhere) {
                (Does::TooMany(_), _) => "rate_limited",
                (_, "again, unknown") => "transport_error",
                (_, "ticket") => "schema",
                (_, why) => why,
            };
            fake.next(does.clone());
            assert_eq!(ended(&providers, &select(&format!("text {n}"))).await, expected, "{wire:?} {does:?}");
            assert_eq!(fake.calls(), n + 1, "{wire:?} {does:?}: one request");
        }
        fake.next(Does::Stall("{".into()));
        let ask = select("it stalls");
        assert_eq!(ask.budget_ms, 800);
        assert_eq!(ended(&providers, &ask).await, "timeout", "{wire:?}");
        fake.next(Does::Say(FIRST.into()));
        assert_eq!(ended(&providers, &select("now")).await, "c1", "{wire:?}");
        let nobody = wire.hasty(&format!("http://{}", closed().await));
        assert_eq!(ended(&nobody, &select("nobody there")).await, "transport_error", "{wire:?}");
        assert_eq!((fake.violations(), fake.unscripted()), (Vec::new(), 0), "{wire:?}");
    }
}

/// Words that come, each in time, but never to an end: the ask's own time is the end.
#[tokio::test]
async fn a_slow_stream_is_not_waited_for_longer_than_the_ask_has() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.next(Does::Drip(TICKET.repeat(40)));
        let short = Ask { budget_ms: 400, ..classify("it drips") };
        assert_eq!(ended(&providers, &short).await, "timeout", "{wire:?}");
        fake.next(Does::Say(TICKET.into()));
        assert_eq!(ended(&providers, &classify("after")).await, "ticket", "{wire:?}");
    }
}

/// What is beyond the thirty: numbers that are none, objects without end, and too little confidence, which the step judges.
#[tokio::test]
async fn odd_numbers_and_deep_objects() {
    let deep = format!("{}1{}", "{\"a\":".repeat(5_000), "}".repeat(5_000));
    let said = [
        (r#"{"label":"ticket","confidence":NaN}"#, "malformed"),
        (r#"{"label":"ticket","confidence":Infinity}"#, "malformed"),
        (r#"{"label":"ticket","confidence":1e999}"#, "malformed"),
        (r#"{"label":"ticket","confidence":-1}"#, "schema"),
        (r#"{"label":"banana","confidence":0.99}"#, "out_of_pool"),
        (r#"{"label":"ticket","confidence":0.01}"#, "ticket"),
        (deep.as_str(), "malformed"),
    ];
    for wire in WIRES.into_iter().filter(|wire| wire.native || wire.kind.word() != "anthropic") {
        let (fake, providers) = wire.started().await;
        for (n, (raw, expected)) in said.iter().enumerate() {
            fake.next(Does::Say((*raw).to_owned()));
            assert_eq!(
                ended(&providers, &classify(&format!("text {n}"))).await,
                *expected,
                "{wire:?} {raw:.60}"
            );
        }
    }
}

/// What a model says wrong is worth the same whichever wire it came over, and whoever speaks for it in a scenario.
#[tokio::test]
async fn what_is_wrong_with_the_words() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for misbehaviour in Misbehaviour::ALL {
            for ask in [classify(misbehaviour.word()), select(misbehaviour.word())] {
                let Some(raw) = misbehaviour.raw(&ask) else { continue };
                fake.next(Does::Say(raw.clone()));
                let expected = match parse(&ask, &raw) {
                    Answer::None { why } => why,
                    Answer::Classify { label, .. } => label,
                    Answer::Select { choice, .. } => choice.unwrap_or_default(),
                    other => panic!("{other:?}"),
                };
                assert_eq!(ended(&providers, &ask).await, expected, "{wire:?} {misbehaviour:?}");
            }
        }
    }
}

/// A port that nobody listens on.
async fn closed() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

#[tokio::test]
async fn what_never_becomes_a_connection() {
    let full = full_backlog();
    let (fake, _) = WIRES[0].started().await;
    let https = fake.url("").replace("http://", "https://");
    for wire in WIRES {
        for (base, what) in [
            (format!("http://{}", closed().await), "refused"),
            ("https://nobody.invalid".to_owned(), "DNS"),
            (https.clone(), "TLS"),
            (format!("http://{}", full.0), "connect timeout"),
        ] {
            assert_eq!(ended(&wire.hasty(&base), &classify("hello")).await, "again", "{wire:?}: {what}");
        }
    }
    assert_eq!(fake.calls(), 0);
}

/// A port whose queue of connections is full, so that another is never accepted nor refused. Kept open with it.
fn full_backlog() -> (SocketAddr, Vec<std::net::TcpStream>, socket2::Socket) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let wait = std::time::Duration::from_millis(200);
    let waiting = std::iter::from_fn(|| std::net::TcpStream::connect_timeout(&address, wait).ok());
    (address, waiting.take(16).collect(), socket)
}

/// Every purpose, not only the one that picks: whatever comes back is inside of what was asked for.
#[tokio::test]
async fn every_question_survives_every_answer() {
    let wire = Wire { native: true, ..WIRES[2] };
    let (fake, providers) = wire.started().await;
    let both = |misbehaviour: &Misbehaviour| [classify("x"), select("x")].map(|ask| misbehaviour.raw(&ask));
    let said = Misbehaviour::ALL.iter().flat_map(both).flatten();
    for raw in said.chain([r#"{"items":[]}"#.into(), r#"{"text":7}"#.into(), "[]".into(), "{}".into()]) {
        for ask in throughline_models::conformance::asks("hello") {
            fake.next(Does::Say(raw.clone()));
            let attempt = throughline_models::conformance::asked(&providers, &ask).await;
            let throughline_engine::effect::Attempt::Applied(answer) = attempt else { panic!("{attempt:?}") };
            assert!(throughline_models::conformance::inside(&ask, &answer), "{raw:.80}: {answer:?}");
        }
    }
}
