//! Answers that wait for a model, because the decision does.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::json;
use throughline_engine::data::ask::{Answer, Ask, Question};
use throughline_engine::data::effect::Attempt;
use throughline_models::{Caller, Model};
use throughline_runtime::{Keys, NoFaults, Parts, Runtime};
use throughline_server::{Config, Sources, open};

use crate::support::*;

/// Model that answers slowly, and always that a ticket is wanted.
struct Slow(Duration);

#[async_trait]
impl Model for Slow {
    async fn ask(&self, _: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        tokio::time::sleep(self.0).await;
        Attempt::Applied(Answer::Classify { label: "ticket".into(), confidence: 95, anchor: None })
    }

    fn name(&self) -> &str {
        "slow"
    }
}

async fn server(takes: Duration) -> Server {
    asking(Slow(takes), demo().flag("policy.intake.queue", "1", "--queue")).await
}

/// Starts a server that asks this model.
pub(crate) async fn asking(model: impl Model + 'static, sources: Sources) -> Server {
    let mut instance = open(Config::load(&sources).unwrap()).await.unwrap();
    let mut ports = instance.runtime.ports().clone();
    ports.model = Some(Arc::new(model));
    instance.runtime = Arc::new(Runtime::new(Parts {
        store: instance.store.clone(),
        ports,
        policy: instance.config.policy.clone(),
        keys: Keys::new([7; 32]),
        faults: Arc::new(NoFaults),
        entropy: Arc::new(|| {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes).unwrap();
            bytes
        }),
    }));
    Server::run(instance).await
}

/// Model that writes summaries at once, which nobody can read, and classifies slowly.
struct QuickSummaries;

#[async_trait]
impl Model for QuickSummaries {
    async fn ask(&self, ask: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        if let Question::Classify { .. } = ask.question {
            tokio::time::sleep(Duration::from_millis(300)).await;
            return Attempt::Applied(Answer::Classify {
                label: "ticket".into(),
                confidence: 95,
                anchor: None,
            });
        }
        Attempt::Applied(Answer::None { why: "schema".into() })
    }

    fn name(&self) -> &str {
        "quick summaries"
    }
}

/// A turn that asks for a summary beside its question is decided by the question's answer, whichever comes first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_summary_beside_a_question_is_not_its_answer() {
    let server = asking(QuickSummaries, demo()).await;
    let mut both = 0;
    for n in 0..16 {
        let answer = server.say(&format!("k{n}"), "c1", "ana", &format!("{UNCLEAR}, case {n}")).await;
        assert_eq!(answer["intent"], "ticket", "{answer:#}");
        let own = server.get(&format!("/v1/turns/key:k{n}")).send().await.json();
        assert_eq!(own["reason"], answer["reason"]);
        let effects = own["effects"].as_array().unwrap();
        // What the ticket is asked for would be answered by the next message.
        server.say(&format!("s{n}"), "c1", "ana", "stop").await;
        both += usize::from(effects.iter().filter(|effect| effect["class"] == "model.ask").count() > 1);
        let settled = answer["settled"].as_array().unwrap();
        let by_summary = |by: &&serde_json::Value| by["reason"].as_str().unwrap().starts_with("summary.");
        assert_eq!(settled.iter().find(by_summary), None, "nobody waits for a summary");
    }
    assert!(both > 0, "one turn asked for both");
    server.stopped().await;
}

/// Model that never ends a summary, and classifies at once.
struct EndlessSummaries;

#[async_trait]
impl Model for EndlessSummaries {
    async fn ask(&self, ask: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        if let Question::Summary { .. } = ask.question {
            std::future::pending::<()>().await;
        }
        Attempt::Applied(Answer::None { why: "schema".into() })
    }

    fn name(&self) -> &str {
        "endless summaries"
    }
}

/// A summary that goes on beside a turn holds back no answer, whatever the turn does.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_does_not_wait_for_a_summary() {
    let server = asking(EndlessSummaries, demo()).await;
    let mut summaries = 0;
    for n in 0..24 {
        let (key, text) = (format!("k{n}"), format!("hello, number {n}"));
        let answer = server.say(&key, "c1", "ana", &text);
        let answer =
            tokio::time::timeout(Duration::from_secs(8), answer).await.expect("the wait is not held");
        let effects = answer["effects"].as_array().unwrap();
        summaries += effects.iter().filter(|effect| effect["class"] == "model.ask").count();
    }
    assert!(summaries > 0, "a turn asked for one");
    // Not to its end: a drain would wait for the summary that never comes.
    drop(server);
}

/// Everything that an answer says is waiting waited after its own turn, also when a later turn has changed that.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_tells_what_waited_then() {
    let server = Server::demo().await;
    let first = server.say("k1", "c1", "ana", TASK).await;
    assert_eq!(first["pending"]["kind"], "waiting_approval", "{first:#}");
    server.press("k2", "c1", "ana", &token(&card_of(&first), "reject")).await;
    let again = server.get("/v1/turns/key:k1").send().await.json();
    assert_eq!(again["pending"], first["pending"]);
    let later = server.get("/v1/turns/key:k2").send().await.json();
    assert_eq!(later["pending"], json!(null));
    server.stopped().await;
}

const UNCLEAR: &str = "the login page shows an empty box since Tuesday";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_wait_covers_the_models_answer() {
    let server = server(Duration::from_millis(300)).await;
    let turn = server.say("k1", "c1", "ana", UNCLEAR).await;
    assert_eq!((&turn["intent"], &turn["model_calls"]), (&json!("ticket"), &json!(2)));
    assert_ne!(turn["reason"], "intent.asked");
    // The answer is the deciding turn; the event's own turn is the one that asked the model.
    let told = turn["turn"].as_str().unwrap();
    assert_eq!(turn["settled"][0]["turn"], told);
    let record = server.get(&format!("/v1/turns/{told}")).send().await.json();
    assert_eq!((&record["event"], &record["reason"]), (&json!("effect.settled"), &turn["reason"]));
    let by_key = server.get("/v1/turns/key:k1").send().await.json();
    assert_eq!((&by_key["turn"], &by_key["messages"]), (&turn["turn"], &turn["messages"]));
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_that_takes_longer_than_the_wait_is_found_later() {
    let server = server(Duration::from_millis(1_500)).await;
    let call = server.event("k1", &said("c1", "ana", UNCLEAR)).header("Prefer", "wait=1");
    let early = call.send().await;
    assert_eq!((early.status, early.header("location")), (202, Some("/v1/turns/key:k1")));
    // Repeated while the model is working: in progress. Later: the turn.
    let again = call.send().await;
    assert!([200, 409].contains(&again.status), "{}", again.text());
    eventually("the answer is there", || async { call.send().await.status == 200 }).await;
    assert_eq!(call.send().await.json()["intent"], "ticket");
    server.stopped().await;
}

/// The user is told that the queue is full, and the same request is taken once there is room.
// row: E9
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_the_queues_limit_a_message_is_refused_and_the_user_told() {
    let server = server(Duration::from_millis(1_000)).await;
    let post = |key: &str, text: &str| server.event(key, &said("c1", "ana", text));
    assert_eq!(post("k1", UNCLEAR).send().await.status, 202);
    eventually("the model is asked", || async {
        let lanes = server.get("/v1/lanes").send().await.json();
        let lane = lanes["items"][0]["id"].as_str().unwrap_or_default().to_owned();
        server.get(&format!("/v1/lanes/{lane}")).send().await.json()["asking"] == true
    })
    .await;
    assert_eq!(post("k2", "second").send().await.status, 202);
    let third = post("k3", "third").header("Prefer", "wait=5").send().await;
    assert_eq!((third.status, third.problem().as_str()), (429, "TL-2204"));
    let seconds: u32 = third.header("retry-after").unwrap().parse().unwrap();
    assert!((2..=10).contains(&seconds), "the rest of the time for the answer, not {seconds} s");
    let again = post("k3", "third").send().await;
    assert_eq!((again.status, again.header("idempotency-replayed")), (429, None), "it is still full");
    let lane = server.get("/v1/lanes").send().await.json()["items"][0]["id"].as_str().unwrap().to_owned();
    eventually("the user is told which message was not taken", || async {
        let turns = server.get(&format!("/v1/lanes/{lane}/turns?limit=200")).send().await.json();
        turns["items"].as_array().unwrap().iter().any(|turn| turn["reason"] == "intake.notice")
    })
    .await;
    eventually("there is room, and the same request is taken", || async {
        let again = post("k3", "third").send().await;
        again.status != 429 && again.header("idempotency-replayed").is_none()
    })
    .await;
    server.stopped().await;
}
