//! An independent server of models answers our clients: `aimock`, strict and misbehaving
//! (`docs/design/0039-how-it-is-tested.md`).
//!
//! Not part of the ordinary run: it comes from its own registry. `cargo xtask peers` installs it outside of the repository
//! and runs this.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use throughline_engine::Language;
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_engine::data::purpose::Purpose;
use throughline_models::conformance::{asked, asks};
use throughline_models::{Caps, Kind, Price, Providers, Setting, Timeouts};
use tokio::process::{Child, Command};

const TICKET: &str = r#"{"label":"ticket","confidence":0.9,"anchor":null}"#;

struct Aimock {
    url: String,
    http: reqwest::Client,
    _child: Child,
}

impl Aimock {
    async fn start() -> Self {
        let program = std::env::var_os("THROUGHLINE_AIMOCK").expect("THROUGHLINE_AIMOCK names its llmock");
        // By the model's name: text, input for a forced tool, and nothing for a third.
        let fixtures = json!({"fixtures": [
            {"match": {"model": "words"}, "response": {"content": TICKET}},
            {"match": {"model": "tool"}, "response": {"toolCalls": [{"name": "answer", "arguments": TICKET}]}},
        ]});
        let file = format!("{}/aimock.json", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&file, fixtures.to_string()).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new("node")
            .arg(&program)
            .args(["--strict", "--log-level", "silent", "-p", &port.to_string(), "-f", &file])
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        let aimock = Self { url: format!("http://127.0.0.1:{port}"), http, _child: child };
        for _ in 0..1_200 {
            if aimock.http.get(aimock.at("/__aimock/journal")).send().await.is_ok() {
                return aimock;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("aimock did not start");
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// Every request it has seen: path and status.
    async fn journal(&self) -> Vec<(String, u64)> {
        let text = self.http.get(self.at("/__aimock/journal")).send().await.unwrap().text().await.unwrap();
        let journal: Value = serde_json::from_str(&text).unwrap();
        let entry = |entry: &Value| {
            (
                entry["path"].as_str().unwrap_or_default().to_owned(),
                entry["response"]["status"].as_u64().unwrap_or(0),
            )
        };
        journal.as_array().unwrap().iter().map(entry).collect()
    }

    async fn chaos(&self, rates: &Value) {
        let set = self.http.post(self.at("/__aimock/chaos")).header("content-type", "application/json");
        assert!(set.body(rates.to_string()).send().await.unwrap().status().is_success());
    }

    fn providers(&self, kind: Kind, native: bool, model: &str) -> Providers {
        let under = if kind == Kind::Anthropic { "" } else { "/v1" };
        let setting = Setting {
            kind,
            base_url: self.at(under),
            model: model.into(),
            key: throughline_models::ApiKey::parse("sk-test"),
            allow_loopback: true,
            native,
            max_output: 256,
            price: Price::default(),
        };
        let settings = BTreeMap::from([(Purpose::Classify, setting)]);
        Providers::new(settings, Caps::default(), Timeouts::default()).unwrap()
    }
}

fn classify(text: &str) -> Ask {
    asks(text).remove(0)
}

#[tokio::test]
#[ignore = "needs aimock, from npm: cargo xtask peers"]
async fn aimock_answers_every_wire_and_its_journal_has_every_call() {
    let aimock = Aimock::start().await;
    let wires = [
        (Kind::OpenAiChat, false, "words", "/v1/chat/completions"),
        (Kind::OpenAiResponses, false, "words", "/v1/responses"),
        (Kind::Anthropic, false, "tool", "/v1/messages"),
        (Kind::Anthropic, true, "words", "/v1/messages"),
    ];
    let mut expected = Vec::new();
    for (kind, native, model, path) in wires {
        let providers = aimock.providers(kind, native, model);
        for _ in 0..3 {
            let attempt = asked(&providers, &classify("Create a ticket")).await;
            let ticket =
                matches!(&attempt, Attempt::Applied(Answer::Classify { label, .. }) if label == "ticket");
            assert!(ticket, "{kind:?} {native}: {attempt:?}");
        }
        expected.push((path.to_owned(), 200));
        assert_eq!(aimock.journal().await, expected, "asked three times, sent once");
        let strict = aimock.providers(kind, native, "nobody");
        let attempt = asked(&strict, &classify("Create a ticket")).await;
        let refused = match &attempt {
            Attempt::Unknown { why } => why.text(Language::En).contains("status 503"),
            Attempt::Applied(Answer::None { why }) => why == "status_404",
            _ => false,
        };
        assert!(refused, "{kind:?}: {attempt:?}");
        expected = aimock.journal().await;
    }
}

#[tokio::test]
#[ignore = "needs aimock, from npm: cargo xtask peers"]
async fn whatever_aimock_does_wrong_is_no_answer_or_may_be_tried_again() {
    let aimock = Aimock::start().await;
    for rates in [
        json!({"disconnectRate": 1}),
        json!({"dropRate": 1}),
        json!({"malformedRate": 1}),
        json!({"rateLimitRate": 1}),
    ] {
        aimock.chaos(&rates).await;
        for (kind, model) in
            [(Kind::OpenAiChat, "words"), (Kind::OpenAiResponses, "words"), (Kind::Anthropic, "tool")]
        {
            let attempt = asked(&aimock.providers(kind, false, model), &classify("Create a ticket")).await;
            match attempt {
                Attempt::NotApplied { .. } => assert!(rates["rateLimitRate"] == 1, "{kind:?} {rates}"),
                Attempt::Unknown { .. } | Attempt::Applied(Answer::None { .. }) => {}
                other => panic!("{kind:?} {rates}: {other:?}"),
            }
        }
    }
}
