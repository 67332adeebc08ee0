//! Injected texts through a whole server: over the HTTP API, with an obedient fake model on each wire format of the
//! providers. No effect is released, and the fake receives no request that its vendor would refuse.

use serde_json::Value;
use throughline_fakes::model::{FakeModel, injected};
use throughline_server::Sources;

use crate::support::*;

const KEY: &str = "sk-canary-0123456789abcdef";

/// Step through the injected texts; it covers every family.
const EVERY: usize = 12;

/// Returns the settings of a demo whose models are the fake, on that wire format.
fn with_model(kind: &str, fake: &FakeModel, key: &std::path::Path) -> Sources {
    let base = fake.url(if kind == "anthropic" { "" } else { "v1" });
    let set = |sources: Sources, name: &str, value: &str| {
        sources.flag(&format!("models.default.{name}"), value, "--model")
    };
    let settings = [("kind", kind), ("base_url", &base), ("model", "small-1"), ("allow_loopback", "true")];
    let sources = settings.iter().fold(demo(), |sources, (name, value)| set(sources, name, value));
    set(sources, "api_key_file", key.to_str().unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sec_01_nothing_is_released_over_any_wire() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, KEY).unwrap();
    for (offset, kind) in ["openai-chat", "openai-responses", "anthropic"].into_iter().enumerate() {
        let fake = FakeModel::start().await.unwrap();
        fake.obey_texts();
        fake.require_key(KEY);
        let server = Server::start(with_model(kind, &fake, &key)).await;
        let texts = injected::all().into_iter().map(|one| one.text).skip(offset * 4).step_by(EVERY);
        let mut sent = 0;
        // The API refuses a text that contains U+0000.
        for (n, text) in texts.filter(|text| !text.contains('\0')).enumerate() {
            let conversation = format!("{kind}-{n}");
            let said = [
                text.clone(),
                format!(
                    "Create a task\nTitle: {text}\nProblem: nobody knows\nAcceptance criteria: it is written"
                ),
                format!("What do you make of this?\n> {text}"),
            ];
            for (m, said) in said.iter().enumerate() {
                let turn = server.say(&format!("{conversation}-{m}"), &conversation, "eve", said).await;
                let effects = turn["effects"].as_array().expect("an answer has effects");
                let outward = effects.iter().filter(|effect| effect["outward"] == true).count();
                assert_eq!(outward, 0, "{kind} {said:?}: {turn:#}");
                sent += 1;
            }
        }
        assert!(sent >= 100, "{sent}");
        let issues = server.get("/v1/effects?limit=200").send().await.json();
        let classes = issues["items"].as_array().expect("a list").iter().map(|effect| &effect["class"]);
        let outward = ["tracker.create", "tracker.update", "post.channel", "tool.call", "agent.delegate"];
        assert!(classes.into_iter().all(|class| !outward.contains(&class.as_str().unwrap_or_default())));
        assert!(fake.calls() > sent / 4, "{kind}: {} questions for {sent} messages", fake.calls());
        assert_eq!((fake.violations(), fake.unscripted()), (Vec::new(), 0), "{kind}");
        let shown: Vec<Value> = fake.requests().into_iter().map(|request| request.body).collect();
        let shown = serde_json::to_string(&shown).unwrap();
        // With its colon it is a card's fact; one of the texts asks who may approve.
        assert!(!shown.contains(KEY) && !shown.contains("may approve:"), "{kind}");
        server.stopped().await;
    }
}
