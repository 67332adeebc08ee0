//! Sound answers over every wire format, streamed and in one piece; and endpoints that support less.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use throughline_engine::data::ask::{Answer, Question};
use throughline_engine::data::effect::Attempt;
use throughline_engine::{EffectId, Timestamp};
use throughline_fakes::model::Behaviour;
use throughline_models::conformance::{asked, asks, check};
use throughline_models::{Caller, Model, Onlooker, Spent};

use crate::{FIRST, KEY, TICKET, WIRES, classify, ended};

/// One sound answer to each of [`asks`].
const SOUND: [&str; 10] = [
    r#"{"label":"review","confidence":0.8,"anchor":"c1"}"#,
    r#"{"items":[{"type":"bug","title":"Login fails","acceptance":["It works on Firefox."]}]}"#,
    r#"{"items":[{"type":"epic","title":"Login"},{"type":"story","title":"Single sign-on"}]}"#,
    r#"{"changes":[{"item":"i1","field":"title","text":"Nobody can log in"}]}"#,
    r#"{"kind":"security","topic":"Login","summary":"It is weak.","decisions":[],"risks":["Replay."],"questions":[]}"#,
    r#"{"kind":"pm","topic":"Login","summary":"It is late.","decisions":[],"risks":[],"questions":["Who?"]}"#,
    r#"{"decisions":[],"risks":["Load."],"questions":[],"changes":[]}"#,
    r#"{"text":"Caching. One cache stands in front of the store."}"#,
    FIRST,
    r#"{"text":"It fails on Firefox."}"#,
];

#[tokio::test]
async fn every_question_is_answered_over_every_wire() {
    for wire in WIRES {
        for whole in [false, true] {
            let (fake, providers) = wire.started().await;
            if whole {
                fake.disable_streaming();
            }
            for (ask, sound) in asks("Please look at the login.").iter().zip(SOUND) {
                fake.script(Behaviour::Say(sound.into()));
                let attempt = asked(&providers, ask).await;
                assert!(
                    matches!(&attempt, Attempt::Applied(answer) if !matches!(answer, Answer::None { .. })),
                    "{wire:?} {:?}: {attempt:?}",
                    ask.question
                );
            }
            assert_eq!(fake.violations(), [""; 0], "{wire:?}");
            let requests = fake.requests();
            assert!(requests.iter().all(|request| request.key.as_deref() == Some(KEY)));
            assert!(
                requests
                    .iter()
                    .all(|request| request.body["temperature"] == 0 && request.body["stream"] == true)
            );
        }
    }
}

/// The alias of a message comes back as the message's id.
#[tokio::test]
async fn a_picked_name_is_the_id_it_stands_for() {
    let (fake, providers) = WIRES[1].started().await;
    fake.script(Behaviour::Say(SOUND[0].into()));
    let Attempt::Applied(Answer::Classify { anchor, .. }) = asked(&providers, &classify("that")).await else {
        panic!()
    };
    assert_eq!(anchor.unwrap().0, "m_7_0");
}

#[tokio::test]
async fn the_contract_of_models_is_kept_by_all() {
    for wire in WIRES {
        let (fake, providers) = wire.started().await;
        fake.obey_texts();
        check(&providers, "Create a ticket").await;
        check(&providers, "{\"items\": 1}").await;
    }
}

/// A feature that an endpoint refuses by name is left out, found out once, for that model only.
#[tokio::test]
async fn an_endpoint_that_takes_less_is_asked_for_less() {
    let (fake, providers) = WIRES[0].started().await;
    for field in ["json_schema", "stream_options", "temperature", "max_tokens"] {
        fake.reject_field(field);
    }
    fake.script(Behaviour::Say(TICKET.into()));
    fake.script(Behaviour::Say(TICKET.into()));
    assert_eq!(ended(&providers, &classify("one")).await, "ticket");
    assert_eq!(fake.calls(), 5, "four refusals, each about another field");
    assert_eq!(ended(&providers, &classify("two")).await, "ticket");
    assert_eq!(fake.calls(), 6, "remembered");
    let last = fake.requests().pop().unwrap();
    assert_eq!(last.body["response_format"], json!({"type": "json_object"}));
    assert!(last.body["max_completion_tokens"].is_u64() && last.body["temperature"].is_null());
    fake.reject_field("response_format");
    fake.script(Behaviour::Say(format!("```json\n{TICKET}\n```")));
    assert_eq!(ended(&providers, &classify("three")).await, "ticket");
    assert!(fake.requests().pop().unwrap().body["response_format"].is_null(), "plain text with one object");
    assert_eq!(fake.violations(), [""; 0]);
}

/// Onlooker that keeps what it sees, and looks from a number of looks on.
#[derive(Debug, Default)]
struct Seen {
    from: usize,
    looks: AtomicUsize,
    words: Mutex<String>,
}

impl Onlooker for Seen {
    fn looks(&self) -> bool {
        self.looks.fetch_add(1, Ordering::Relaxed) >= self.from
    }

    fn sees(&self, words: &str) {
        self.words.lock().unwrap().push_str(words);
    }
}

/// Texts that people will read are seen while they are written, over every wire, also by who comes late, and nothing else.
#[tokio::test]
async fn an_answer_is_seen_while_it_is_written() {
    let words = "It fails on \"Firefox\" 😀.\nNowhere else, as far as anybody has seen.";
    let raw = json!({"text": words, "facts": [{"text": "no"}]}).to_string();
    for wire in WIRES {
        for (from, expected) in
            [(0, format!("{words}\n")), (3, format!("{words}\n")), (usize::MAX, String::new())]
        {
            let (fake, providers) = wire.started().await;
            let seen = Seen { from, ..Seen::default() };
            let effect = EffectId("fx_1".into());
            let spent = Spent::default();
            let caller = Caller {
                tenant: "acme",
                user: "ana",
                effect: &effect,
                now: Timestamp(0),
                spent: &spent,
                onlooker: Some(&seen),
            };
            for ask in asks("Please look at the login.") {
                let text = matches!(ask.question, Question::Answer);
                fake.script(if text { Behaviour::Steps(raw.clone()) } else { Behaviour::Say(TICKET.into()) });
                if text {
                    seen.looks.store(0, Ordering::Relaxed);
                    fake.step(1_000);
                }
                providers.ask(&ask, &caller).await;
            }
            assert_eq!(*seen.words.lock().unwrap(), expected, "{wire:?} from {from}");
            assert_eq!(fake.violations(), [""; 0], "{wire:?}");
        }
    }
}
