//! Presses that are delivered very often or made by very many people: one issue, and everybody is answered.

use std::sync::Arc;

use serde_json::Value;
use throughline_channels::slack::{App, Delivery, Key, Workspace};
use throughline_fakes::slack::{DeliveryId, FakeSlack, Message};

use crate::world::{ANA, MIA, TEAM, World, ticket, until};

/// The workspace, as the adapter learns it.
fn workspace() -> Workspace {
    let app = App {
        team: FakeSlack::TEAM.into(),
        user: FakeSlack::BOT_USER.into(),
        bot: FakeSlack::BOT.into(),
        id: FakeSlack::APP.into(),
        command: "maro".into(),
    };
    Workspace {
        tenant: "acme".into(),
        app,
        token: Key::parse(FakeSlack::BOT_TOKEN).unwrap(),
        url: "https://threads.slack.com/".into(),
    }
}

fn form(payload: &Value) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair("payload", &payload.to_string()).finish()
}

/// Delivers a payload over HTTP and as an envelope, each so many times, all at once. Returns the statuses over HTTP.
async fn both_ways(w: &World, payload: &Value, times: usize) -> Vec<u16> {
    let (adapter, runtime) = w.served.clone().expect("it is served");
    let (body, url) = (Arc::new(form(payload)), w.url("/slack/interactions"));
    let mut posts = tokio::task::JoinSet::new();
    let mut envelopes = tokio::task::JoinSet::new();
    for _ in 0..times {
        let (slack, url, body) = (w.slack.clone(), url.clone(), body.clone());
        posts.spawn(async move {
            let kind = "application/x-www-form-urlencoded";
            slack.posts_signed(&url, kind, &body).await.expect("an answer").0
        });
        let (adapter, runtime, payload) = (adapter.clone(), runtime.clone(), payload.clone());
        envelopes.spawn(async move {
            adapter
                .accept(&runtime, &workspace(), Delivery::Interaction, &payload)
                .await
                .expect("it is stored");
        });
    }
    envelopes.join_all().await;
    posts.join_all().await
}

/// Draws up a card and has its deliveries held back from then on.
async fn held(w: &World) -> Message {
    let (_, card) = w.drafted().await;
    w.slack.idle().await;
    w.slack.holds();
    card
}

fn payload(w: &World, press: DeliveryId) -> Value {
    w.slack.delivery(press).payload
}

#[tokio::test(flavor = "multi_thread")]
async fn one_press_delivered_a_thousand_times_is_one_turn_and_one_issue() {
    let w = World::over_http().await;
    let card = held(&w).await;
    let press = payload(&w, w.slack.presses(TEAM, MIA, &card.ts, "Approve"));
    let lane = w.lane(TEAM, card.thread.as_deref().unwrap());
    let statuses = both_ways(&w, &press, 500).await;
    assert_eq!(statuses, vec![200; 500]);
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!(w.reasons(&lane).await.iter().filter(|reason| *reason == "press.applied").count(), 1);
    assert_eq!(w.reasons(&lane).await.len(), 2, "the request and one press");
    assert_eq!(w.issues().await, 1);
    assert_eq!(w.slack.ephemerals(MIA).len(), 0, "the receipt is the answer");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn many_people_pressing_at_once_make_one_issue_and_each_is_answered() {
    let w = World::over_http().await;
    let many: Vec<String> = (0..24).map(|n| format!("U0MANY{n:03}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    many.iter().for_each(|user| w.slack.person(user, user));
    let (may, may_not) = many.split_at(16);
    w.slack.usergroup("S0PMS0001", "pms", may);
    w.slack.channel("C0CROWD01", "crowd", &[&many[..], &[ANA]].concat());
    let thread = w.slack.says("C0CROWD01", ANA, &ticket("a CSV export"));
    let card = w.card("C0CROWD01", &thread, "Approve").await;
    w.slack.idle().await;
    w.slack.holds();
    w.slack.delivers_at_once(true);
    for user in &many {
        w.slack.presses("C0CROWD01", user, &card.ts, "Approve");
    }
    w.slack.releases(false);
    let receipt = w.says("C0CROWD01", &card.ts, "DEMO-1").await;
    w.slack.idle().await;
    let told = |user: &str| w.slack.ephemerals(user).iter().map(Message::block_text).collect::<Vec<_>>();
    let lane = w.lane("C0CROWD01", &thread);
    assert_eq!(w.decided(&lane, 1 + many.len()).await.len(), 1 + many.len());
    until("an answer to everybody but one", || {
        let silent: Vec<&&str> = many.iter().filter(|user| told(user).is_empty()).collect();
        (silent.len() == 1).then_some(())
    })
    .await;
    for user in may {
        let told = told(user);
        assert!(told.len() <= 1 && told.iter().all(|text| text.contains("lready")), "{user}: {told:?}");
    }
    for user in may_not {
        let told = told(user);
        assert!(told.len() == 1, "{user}: {told:?}");
    }
    let winner = may.iter().find(|user| told(user).is_empty()).expect("one of those who may");
    let name = winner.to_lowercase();
    assert!(receipt.block_text().contains(&name), "{name}: {}", receipt.block_text());
    assert_eq!(w.issues().await, 1);
    w.well();
}
