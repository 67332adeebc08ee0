//! Every misbehaviour over every wire format, and the end of the ask. `R` is a failure that may be retried, `N` no
//! answer at once, `A` an answer.

use std::net::SocketAddr;

use throughline_engine::data::ask::{Answer, Ask};
use throughline_fakes::model::Behaviour;
use throughline_models::{Misbehaviour, parse};

use crate::{FIRST, TICKET, WIRES, Wire, classify, ended, select};

/// The failures of a fake that listens on a port.
fn on_the_wire() -> Vec<(Behaviour, &'static str)> {
    let half = TICKET[..20].to_owned();
    vec![
        // R
        (Behaviour::TooMany("2".into()), "again in 2000"),
        (Behaviour::TooMany("soon".into()), "again"),
        (Behaviour::Status(500), "again, unknown"),
        (Behaviour::Status(503), "again, unknown"),
        (Behaviour::Status(529), "again, unknown"),
        (Behaviour::Status(408), "again, unknown"),
        (Behaviour::Cut(half.clone()), "again, unknown"),
        (Behaviour::EndEarly(half.clone()), "again, unknown"),
        (Behaviour::Fail, "again, unknown"),
        (Behaviour::Page, "again, unknown"),
        // N
        (Behaviour::Status(401), "status_401"),
        (Behaviour::Status(403), "status_403"),
        (Behaviour::Status(404), "status_404"),
        (Behaviour::Status(400), "status_400"),
        (Behaviour::Status(413), "status_413"),
        (Behaviour::Status(302), "status_302"),
        (Behaviour::Redirect, "status_307"),
        (Behaviour::Length(half), "cut"),
        (Behaviour::Two(TICKET.into()), "two_choices"),
        (Behaviour::CallTool("create_issue".into()), "tool_call"),
        (Behaviour::Refuse("I'm sorry, but I can't help with that.".into()), "refusal"),
        // A
        (Behaviour::SayUncounted(TICKET.into()), "ticket"),
        (Behaviour::Say(TICKET.into()), "ticket"),
    ]
}

#[tokio::test]
async fn what_goes_wrong_on_the_wire() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for (n, (does, expected)) in on_the_wire().into_iter().enumerate() {
            fake.script(does.clone());
            // Another text each time, since a cached answer is not asked for again.
            assert_eq!(
                ended(&providers, &classify(&format!("text {n}"))).await,
                expected,
                "{wire:?} {does:?}"
            );
            assert_eq!(fake.calls(), n + 1, "{wire:?} {does:?}: one request an attempt");
        }
        fake.script(Behaviour::Filter);
        // Anthropic has one word for both.
        let filtered = if wire.kind.as_str() == "anthropic" { "refusal" } else { "content_filter" };
        assert_eq!(ended(&providers, &classify("x")).await, filtered);
        fake.script(Behaviour::Stall("{".into()));
        let short = Ask { budget_ms: 500, ..classify("it stalls") };
        assert_eq!(ended(&providers, &short).await, "timeout", "{wire:?}: the whole time is used up");
        fake.script(Behaviour::Hang);
        let hasty = wire.hasty(&wire.base(&fake));
        assert_eq!(ended(&hasty, &classify("it hangs")).await, "again, unknown", "{wire:?}: no first byte");
        assert_eq!(fake.violations(), [""; 0], "{wire:?}");
        assert_eq!(fake.unscripted(), 0);
    }
}

/// A choice is not retried, because somebody waits: a failure that may be retried elsewhere is no answer here, with
/// its class, after one request. The same faults as above, over every wire format.
#[tokio::test]
async fn what_goes_wrong_with_a_choice_ends_at_once() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for (n, (does, elsewhere)) in on_the_wire().into_iter().enumerate() {
            let expected = match (&does, elsewhere) {
                (Behaviour::TooMany(_), _) => "rate_limited",
                (_, "again, unknown") => "transport_error",
                (_, "ticket") => "schema",
                (_, why) => why,
            };
            fake.script(does.clone());
            assert_eq!(ended(&providers, &select(&format!("text {n}"))).await, expected, "{wire:?} {does:?}");
            assert_eq!(fake.calls(), n + 1, "{wire:?} {does:?}: one request");
        }
        fake.script(Behaviour::Stall("{".into()));
        let ask = select("it stalls");
        assert_eq!(ask.budget_ms, 800);
        assert_eq!(ended(&providers, &ask).await, "timeout", "{wire:?}");
        fake.script(Behaviour::Say(FIRST.into()));
        assert_eq!(ended(&providers, &select("now")).await, "c1", "{wire:?}");
        let nobody = wire.hasty(&format!("http://{}", closed().await));
        assert_eq!(ended(&nobody, &select("nobody there")).await, "transport_error", "{wire:?}");
        assert_eq!((fake.violations(), fake.unscripted()), (Vec::new(), 0), "{wire:?}");
    }
}

/// A stream that goes on without an end is cut off by the ask's own time.
#[tokio::test]
async fn a_slow_stream_is_not_waited_for_longer_than_the_ask_has() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.script(Behaviour::Drip(TICKET.repeat(40)));
        let short = Ask { budget_ms: 400, ..classify("it drips") };
        assert_eq!(ended(&providers, &short).await, "timeout", "{wire:?}");
        fake.script(Behaviour::Say(TICKET.into()));
        assert_eq!(ended(&providers, &classify("after")).await, "ticket", "{wire:?}");
    }
}

/// Invalid numbers, objects without an end, and a confidence that is too low, which the step judges.
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
    for wire in WIRES.into_iter().filter(|wire| wire.native || wire.kind.as_str() != "anthropic") {
        let (fake, providers) = wire.started().await;
        for (n, (raw, expected)) in said.iter().enumerate() {
            fake.script(Behaviour::Say((*raw).to_owned()));
            assert_eq!(
                ended(&providers, &classify(&format!("text {n}"))).await,
                *expected,
                "{wire:?} {raw:.60}"
            );
        }
    }
}

/// Bad content has the same outcome over every wire format and in a scenario's script.
#[tokio::test]
async fn what_is_wrong_with_the_words() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        for misbehaviour in Misbehaviour::ALL {
            for ask in [classify(misbehaviour.as_str()), select(misbehaviour.as_str())] {
                let Some(raw) = misbehaviour.raw(&ask) else { continue };
                fake.script(Behaviour::Say(raw.clone()));
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

/// For every purpose, any answer ends within what was asked for.
#[tokio::test]
async fn every_question_survives_every_answer() {
    let wire = Wire { native: true, ..WIRES[2] };
    let (fake, providers) = wire.started().await;
    let both = |misbehaviour: &Misbehaviour| [classify("x"), select("x")].map(|ask| misbehaviour.raw(&ask));
    let said = Misbehaviour::ALL.iter().flat_map(both).flatten();
    for raw in said.chain([r#"{"items":[]}"#.into(), r#"{"text":7}"#.into(), "[]".into(), "{}".into()]) {
        for ask in throughline_models::conformance::asks("hello") {
            fake.script(Behaviour::Say(raw.clone()));
            let attempt = throughline_models::conformance::asked(&providers, &ask).await;
            let throughline_engine::data::effect::Attempt::Applied(answer) = attempt else {
                panic!("{attempt:?}")
            };
            assert!(throughline_models::conformance::inside(&ask, &answer), "{raw:.80}: {answer:?}");
        }
    }
}
