//! Texts that a model is writing, in the streams of their lane.

use std::time::Instant;

use serde_json::{Value, json};
use throughline_fakes::model::{Behaviour, FakeModel};
use throughline_server::Sources;

use crate::stream::Stream;
use crate::support::*;

const DISCUSSION: &str = r#"{"label":"discussion","confidence":0.95,"anchor":null}"#;
/// More steps than an answer has.
const TO_THE_END: usize = 1_000;

/// Server with a model that writes step by step, as the test allows.
struct Writer {
    server: Server,
    model: FakeModel,
    lane: String,
    stream: Stream,
}

impl Writer {
    /// Asks a question, to which the model will write this answer.
    async fn asked(answer: &Value, more: impl FnOnce(Sources) -> Sources) -> Self {
        let question = "the builds on the new machines are slower since Tuesday";
        Self::told_to(
            question,
            &[Behaviour::Say(DISCUSSION.into()), Behaviour::Steps(answer.to_string())],
            more,
        )
        .await
    }

    /// Says something, on which the model does this.
    async fn told_to(text: &str, script: &[Behaviour], more: impl FnOnce(Sources) -> Sources) -> Self {
        let model = FakeModel::start().await.unwrap();
        let base = model.url("v1");
        let settings =
            [("kind", "openai-chat"), ("base_url", &base), ("model", "small-1"), ("allow_loopback", "true")];
        let sources = settings.iter().fold(demo(), |sources, (name, value)| {
            sources.flag(&format!("models.default.{name}"), *value, "--model")
        });
        let server = Server::start(more(sources)).await;
        script.iter().for_each(|behaviour| model.script(behaviour.clone()));
        assert_eq!(server.event("k1", &said("c1", "ana", text)).send().await.status, 202);
        let lane = server.get("/v1/lanes").send().await.json()["items"][0]["id"].as_str().unwrap().to_owned();
        let stream = Stream::open(&server, &format!("/v1/lanes/{lane}/stream?after=0"), None).await;
        Self { server, model, lane, stream }
    }

    /// Reads until the stream has told this.
    async fn until(&mut self, what: &str, so: impl Fn(&Self) -> bool) {
        for _ in 0..60 {
            assert!(self.stream.read().await, "the stream goes on");
            if so(self) {
                return;
            }
        }
        panic!("{what}: {}", self.stream.text);
    }

    /// Lets the model write until a text is shown that has these words.
    async fn until_written(&mut self, words: &str) {
        for _ in 0..60 {
            self.model.step(1);
            assert!(self.stream.read().await, "the stream goes on");
            if self.written().last().is_some_and(|text| text.contains(words)) {
                return;
            }
        }
        panic!("{words}: {}", self.stream.text);
    }

    async fn until_ended(&mut self) {
        self.until("it ends", |it| it.told("writing").last().is_some_and(|told| told["ended"] == true)).await;
    }

    /// The data of the events of that name.
    fn told(&self, name: &str) -> Vec<Value> {
        let data = |block: &str| {
            let (first, data) =
                (format!("event: {name}\n"), block.lines().find_map(|line| line.strip_prefix("data: "))?);
            format!("{block}\n").contains(&first).then(|| serde_json::from_str(data).unwrap())
        };
        self.stream.text.split("\n\n").filter_map(data).collect()
    }

    /// The texts that were shown, in order.
    fn written(&self) -> Vec<String> {
        let text = |told: &Value| told["text"].as_str().map(Into::into);
        self.told("writing").iter().filter_map(text).collect()
    }

    /// Everything durable that the lane's readers are told.
    async fn kept(&self) -> String {
        let mut all = String::new();
        for path in ["", "/events?after=0", "/turns", "/messages"] {
            all += &self.server.get(&format!("/v1/lanes/{}{path}", self.lane)).send().await.text();
        }
        all
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_text_grows_and_becomes_the_message() {
    let text = "**Two** builds are \"green\" 😀, and one is not.\nThat one waits.";
    let mut it = Writer::asked(&json!({"text": text, "facts": []}), |sources| sources).await;
    let begun = Instant::now();
    it.until_written("\"green\"").await;
    let shown = it.told("writing").last().unwrap().clone();
    assert!(text.starts_with(shown["text"].as_str().unwrap()), "{shown}");
    let first = &shown["markup"][0]["children"][0];
    assert_eq!((&first["tag"], &first["children"]), (&json!("strong"), &json!(["Two"])));
    let status = it.told("status").last().unwrap().clone();
    assert_eq!(status["doing"], json!([{"who": "model", "by": "ana"}]));
    assert!(!it.kept().await.contains("builds are"), "nothing of it is durable");

    // Who comes later sees what there is.
    let path = format!("/v1/lanes/{}/stream?after=0", it.lane);
    let mut late = Stream::open(&it.server, &path, None).await;
    while !late.text.contains("event: writing") {
        assert!(late.read().await, "{}", late.text);
    }

    it.model.step(TO_THE_END);
    it.until_ended().await;
    let answers: Vec<_> =
        it.told("message").into_iter().filter(|message| message["role"] == "assistant").collect();
    assert_eq!(answers.last().unwrap()["text"], text);
    let (message, over) = (it.stream.text.rfind("event: message"), it.stream.text.rfind("\"ended\":true"));
    assert!(message < over, "the message is there before the text is gone");
    let states = it.written();
    assert!(states.iter().zip(&states[1..]).all(|(one, next)| next.starts_with(one.as_str())), "{states:?}");
    let most = 2 + begun.elapsed().as_millis() / 250;
    assert!(states.len() as u128 <= most, "{} states in {:?}", states.len(), begun.elapsed());
    assert!(!it.kept().await.contains("\"writing\""), "a poll tells no writing");
    assert_eq!((it.model.violations(), it.model.dropped()), (Vec::new(), 0));
    it.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_drops_the_request_and_leaves_nothing_of_the_text() {
    let mut it = Writer::asked(
        &json!({"text": "Nobody will ever have read the whole of this.", "facts": []}),
        |sources| sources,
    )
    .await;
    it.until_written("Nobody will ever").await;
    let stop =
        json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "command", "text": "stop"});
    it.server.turn("k2", &stop).await;
    it.until_ended().await;
    let model = it.model.clone();
    eventually("the request is dropped", || async { model.dropped() == 1 }).await;
    assert_eq!(it.told("status").last().unwrap()["doing"], json!([]));
    let kept = it.kept().await;
    assert!(kept.contains("topped") && !kept.contains("Nobody will"), "{kept}");
    it.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_that_comes_in_parts_is_never_shown() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let text = format!("Use {token} there, and \u{202e}this \u{7}too, it is fine with me.");
    let mut it = Writer::asked(&json!({"text": text, "facts": []}), |sources| sources).await;
    it.until_written("there, and \u{fffd}this").await;
    assert!(
        it.written().iter().all(|text| !text.contains("ghp_") && !text.contains("a1B2")),
        "{:?}",
        it.written()
    );
    assert!(it.written().last().unwrap().starts_with("Use [redacted:token] there"));
    it.model.step(TO_THE_END);
    it.until_ended().await;
    it.server.stopped().await;
}

/// A draft grows as the texts of its fields. One that cannot be used is gone, and what the model writes instead grows anew.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_draft_grows_as_its_texts_and_becomes_a_card() {
    let draft = |title: &str| {
        let fields = json!({"type": "bug", "title": title, "problem": "Nobody gets in.", "acceptance": ["A form"],
            "labels": "urgent"});
        Behaviour::Steps(json!({"items": [fields]}).to_string())
    };
    let script = [draft("Login\nfails"), draft("Login fails")];
    let mut it = Writer::told_to("Create a bug for the login", &script, |sources| sources).await;
    it.until_written("Nobody gets in.").await;
    let first = it.told("writing").last().unwrap().clone();
    assert_eq!(first["markup"], Value::Null, "a card shows texts as they are written");
    for step in 0.. {
        assert!(step < 60, "the other text comes");
        it.model.step(1);
        assert!(it.stream.read().await);
        if it.told("writing").last().unwrap()["ask"] != first["ask"] {
            break;
        }
    }
    assert!(it.told("writing").iter().any(|told| told["ask"] == first["ask"] && told["ended"] == true));
    it.model.step(TO_THE_END);
    it.until_ended().await;
    assert!(
        it.written().iter().all(|text| !text.contains("urgent") && !text.contains('"')),
        "{:?}",
        it.written()
    );
    let shown = [it.told("message"), it.told("card")].concat();
    assert!(shown.iter().any(|told| told["card"].to_string().contains("Nobody gets in.")), "{shown:#?}");
    it.server.stopped().await;
}

/// Words that are refused in an answer are not shown either, and what was shown of it is gone when the turn is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_refused_vanishes() {
    let text = "All is well with it. Please press Approve now, and then nothing more happens.";
    let mut it = Writer::asked(&json!({"text": text, "facts": []}), |sources| sources).await;
    it.until_written("All is well with it.").await;
    it.model.step(TO_THE_END);
    it.until_ended().await;
    assert!(it.written().iter().all(|text| !text.contains("Approve")), "{:?}", it.written());
    let lane = it.server.get(&format!("/v1/lanes/{}", it.lane)).send().await.json();
    assert!(!lane["messages"].to_string().contains("All is well"), "{lane:#}");
    it.server.stopped().await;
}

/// A text that a host will say is not shown before the host has it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_a_host_speaks_nothing_grows() {
    let host = |sources: Sources| sources.flag("policy.replies", "host", "--set");
    let mut it = Writer::asked(&json!({"text": "Two builds are green.", "facts": []}), host).await;
    it.model.step(TO_THE_END);
    it.until("the answer is there", |it| it.stream.text.contains("Two builds are green.")).await;
    assert_eq!(it.told("writing"), Vec::<Value>::new());
    it.server.stopped().await;
}
