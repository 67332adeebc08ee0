//! Turn page: the ladder, the record, and replays.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use throughline_engine::data::ask::{Answer, Ask};
use throughline_engine::data::effect::Attempt;
use throughline_models::{Caller, Model};
use throughline_runtime::{Keys, NoFaults, Parts, Runtime};
use throughline_server::{Config, open};

use crate::page::{Operator, Page};
use crate::screens::story;
use crate::support::*;

/// Checks that the page's ladder equals the answer of `why`.
async fn equal_to_why(server: &Server, turn: &str) -> Value {
    let why = server.get(&format!("/v1/turns/{turn}/why")).send().await.json();
    let page = server.page(&format!("/console/turns/{turn}")).await;
    let rungs = page.rungs();
    assert_eq!(rungs.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), (0..=11).collect::<Vec<_>>());
    for passed in why["passed"].as_array().unwrap() {
        let (_, state, words) = &rungs[usize::try_from(passed["rung"].as_u64().unwrap()).unwrap()];
        assert!(["lost", "computed"].contains(&state.as_str()), "{passed}: {state}");
        for member in ["name", "predicate"] {
            assert!(words.contains(passed[member].as_str().unwrap()), "{passed} is not {words:?}");
        }
    }
    let won: Vec<_> = rungs.iter().filter(|(_, state, _)| state == "won").collect();
    let [(number, _, words)] = won.as_slice() else { panic!("{won:?}") };
    assert_eq!(u64::from(*number), why["rung"].as_u64().unwrap());
    assert!(words.contains(why["reason"].as_str().unwrap()) && words.contains(why["says"].as_str().unwrap()));
    let lost = rungs.iter().filter(|(_, state, _)| ["lost", "computed"].contains(&state.as_str())).count();
    assert_eq!(lost, why["passed"].as_array().unwrap().len());
    let told = why["text"].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    page.says(&told).says(why["policy_version"].as_str().unwrap());
    why
}

// row: CO1
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lost_rung_is_shown_with_the_predicate_it_failed_on() {
    let server = Server::demo().await;
    let asks = json!({"lane": {"conversation": "c2"}, "kind": "assistant.posted", "assistant":
        {"kind": "question", "task": "t_3", "text": "Weather for which city?", "expected": "location"}});
    server.turn("ask", &asks).await;
    // It does not answer the question, so rung 6 loses with that reason.
    let turn = server.say("k1", "c2", "ana", "Create a ticket for the login page").await;
    let why = equal_to_why(&server, turn["turn"].as_str().unwrap()).await;
    let sixth = why["passed"].as_array().unwrap().iter().find(|passed| passed["rung"] == 6).unwrap();
    assert_ne!(sixth["predicate"], "");
    assert_eq!(why["reason"], "intent.rule");
    assert!(why["also"].as_array().unwrap().contains(&json!("pending.mismatch")), "{why}");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_text_refers_to_and_interrupts_is_said_in_words() {
    let server = Server::demo().await;
    server.say("k1", "c1", "ana", "The release notes are ready for everybody to read").await;
    let asked = server.say("k2", "c1", "bob", "ana: can you translate them again?").await;
    let page = server.page(&format!("/console/turns/{}", asked["turn"].as_str().unwrap())).await;
    page.after("id=\"focus\"")
        .says("cannot be understood without the anchor them again")
        .says(asked["focus"]["thread"].as_str().unwrap());
    let stop = server.say("k3", "c1", "bob", "start over please").await;
    let page = server.page(&format!("/console/turns/{}", stop["turn"].as_str().unwrap())).await;
    page.after("id=\"focus\"").says("the whole message says start over");
    server.stopped().await;
}

/// Compares every turn of a varied lane with `why`, over each store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_turn_explains_itself_as_why_does() {
    for server in Server::on_each_store().await {
        let lane = story(&server).await["lane"].as_str().unwrap().to_owned();
        let turns = server.get(&format!("/v1/lanes/{lane}/turns?limit=200")).send().await.json();
        for turn in turns["items"].as_array().unwrap() {
            let id = turn["turn"].as_str().unwrap();
            equal_to_why(&server, id).await;
            let page = server.page(&format!("/console/turns/{id}")).await;
            page.after("id=\"record\"").says("Chain fits");
            // The panel beside the lane shows the same ladder.
            let panel = server.page(&format!("/console/lanes/{lane}?turn={id}")).await;
            assert_eq!(panel.rungs(), page.rungs());
        }
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_shows_what_came_in_and_what_was_said() {
    let server = Server::demo().await;
    let told = story(&server).await;
    let turns =
        server.get(&format!("/v1/lanes/{}/turns", told["lane"].as_str().unwrap())).send().await.json();
    let of = |reason: &str| {
        let turns = turns["items"].as_array().unwrap();
        turns.iter().find(|turn| turn["reason"] == reason).unwrap()["turn"].as_str().unwrap().to_owned()
    };
    let asked = server.page(&format!("/console/turns/{}", of("intent.rule"))).await;
    asked.says("Recognised by").after("id=\"input\"").says("Create a task for the manual");
    // The card has become the receipt.
    asked.after("id=\"said\"").says("Created DEMO-1");
    asked
        .after("id=\"effects\"")
        .says("card.post")
        .says("tracker.check")
        .says("Outcomes came back as effect.settled");
    let stale = server.page(&format!("/console/turns/{}", of("stale.version"))).await;
    stale.after("id=\"input\"").says("Button Approve").says("Of version 1");
    stale.after("id=\"said\"").says("to @bob privately This preview is outdated");
    server.stopped().await;
}

/// Also checks that an unchanged replay gives the same hashes.
// row: CO2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_with_a_changed_message_is_dry_and_shows_hashes() {
    for server in Server::on_each_store().await {
        let operator = Operator::at(&server).await;
        let told = story(&server).await;
        let lane = told["lane"].as_str().unwrap();
        let turns = server.get(&format!("/v1/lanes/{lane}/turns")).send().await.json();
        let turns = turns["items"].as_array().unwrap();
        let first = turns.last().unwrap();
        let id = first["turn"].as_str().unwrap();
        let record = server.get(&format!("/v1/turns/{id}")).send().await.json();
        let all = |of: &Value| of["items"].as_array().unwrap().len();
        let effects = all(&server.get("/v1/effects?limit=200").send().await.json());
        let replay = format!("/console/turns/{id}/replay");
        let short = |hash: &Value| {
            let hash = hash.as_str().unwrap();
            format!("{}…{}", &hash[..9], &hash[60..])
        };

        let same = Page::of(&operator.form(&replay, &[]).await);
        let same = same.after("class=\"result");
        same.says("The same decision, the same effects, the same state");
        same.says(&short(&record["state_before"])).says(&short(&record["state_after"]));

        let changed = operator.form(&replay, &[("text", "What do you think about manuals?")]).await;
        let changed = Page::of(&changed).after("class=\"result");
        changed.says("gate.opened").says("Recorded was intent.rule").says("card.post").says("Sent: 0");
        changed.says(&format!("{} as recorded", short(&record["state_before"])));
        changed.says(&format!("recorded: {}", short(&record["state_after"])));
        let rungs = changed.rungs();
        assert_eq!((rungs[9].1.as_str(), rungs[11].1.as_str()), ("lost", "won"), "{rungs:?}");

        // A press has no text to change.
        let press =
            turns.iter().find(|turn| turn["event"] == "card.pressed").unwrap()["turn"].as_str().unwrap();
        let refused = operator.form(&format!("/console/turns/{press}/replay"), &[("text", "x")]).await;
        assert_eq!(Page::of(&refused).status, 400);

        // A replay makes no turn, no effect and no message.
        let after = server.get(&format!("/v1/lanes/{lane}/turns")).send().await.json();
        assert_eq!(after["items"].as_array().unwrap(), turns);
        assert_eq!(all(&server.get("/v1/effects?limit=200").send().await.json()), effects);
        server.stopped().await;
    }
}

/// Model that is certain of every answer.
struct Sure;

#[async_trait]
impl Model for Sure {
    async fn ask(&self, _: &Ask, _: &Caller<'_>) -> Attempt<Answer> {
        Attempt::Applied(Answer::Classify { label: "ticket".into(), confidence: 95, anchor: None })
    }

    fn name(&self) -> &str {
        "sure"
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_model_is_shown_with_what_it_was_asked_and_what_it_said() {
    let mut instance = open(Config::load(&demo()).unwrap()).await.unwrap();
    let mut ports = instance.runtime.ports().clone();
    ports.model = Some(Arc::new(Sure));
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
    let server = Server::run(instance).await;
    let turn = server.say("k1", "c1", "ana", "the login page shows an empty box since Tuesday").await;
    let decided = turn["turn"].as_str().unwrap();
    equal_to_why(&server, decided).await;
    let page = server.page(&format!("/console/turns/{decided}")).await;
    page.says("Recognised by model: ticket, 95 %")
        .says("Answer ticket, 95 %")
        .says("Candidates ticket review");
    let rungs = page.rungs();
    assert_eq!((rungs[6].1.as_str(), rungs[9].1.as_str()), ("skipped", "won"));
    let asked = page.links("/console/turns/").into_iter().find(|href| !href.ends_with(decided)).unwrap();
    let asked = server.page(&asked).await;
    asked.says("intent.asked").says("Asked classify, within").says("shows an empty box since Tuesday");
    server.stopped().await;
}
