//! Home and the agent's view.

use throughline_fakes::slack::Message;
use throughline_server::auth::Token;
use throughline_trackers::local::{Call, Fault};

use crate::world::{ANA, MIA, TEAM, TOOL, World, until};

#[tokio::test(flavor = "multi_thread")]
async fn sl18_home_lists_what_waits_with_links() {
    let w = World::over_sockets().await;
    w.drafted().await;
    let ts = w.slack.says(TEAM, ANA, &crate::world::ticket("a dark theme"));
    w.card(TEAM, &ts, "Approve").await;
    w.faults.push(Call::Create, Fault::LostReply);
    let ts = w.slack.says(TEAM, ANA, &crate::world::ticket("a print view"));
    let card = w.card(TEAM, &ts, "Approve").await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    let slack = w.slack.clone();
    let asks = |one: &Message| one.labels().iter().any(|label| label.starts_with("It exists"));
    let uncertain =
        until("the question whether it was made", || slack.thread(TEAM, &ts).into_iter().find(asks)).await;
    w.slack.opens_home(MIA, "home");
    let slack = w.slack.clone();
    let home = until("Home", || slack.home(MIA)).await;
    let shown = home.block_text();
    assert!(shown.contains("Waiting for you") && shown.matches("Create").count() >= 2, "{shown}");
    assert!(
        shown.matches("asked by @ana · since ").count() >= 2 && shown.contains(" UTC · until "),
        "{shown}"
    );
    let links = serde_json::to_string(&home.blocks()).unwrap();
    assert!(links.matches("/archives/").count() >= 3, "{links}");
    assert!(links.contains(&uncertain.ts.replace('.', "")), "{links}");
    w.well();
}

/// A card outside of Slack has its page, for those who may decide it and open it.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_elsewhere_is_linked_to_its_page() {
    let (token, sha256) = Token::mint("program", [7; 24]);
    let w = World::with_program(&sha256).await;
    let url = w.url("/v1/events");
    let text = crate::world::ticket("a map").replace(TOOL, "");
    let body = serde_json::json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "message.posted", "text": text});
    let told = tokio::task::spawn_blocking(move || {
        let call = ureq::post(&url).header("Authorization", format!("Bearer {token}"));
        call.header("Idempotency-Key", "k1")
            .header("Prefer", "wait=10")
            .send_json(body)
            .expect("taken")
            .status()
    });
    assert_eq!(told.await.unwrap(), 200);
    for (who, linked) in [(MIA, true), (ANA, false)] {
        w.slack.opens_home(who, "home");
        let slack = w.slack.clone();
        let home = until("Home", || slack.home(who)).await;
        let shown = serde_json::to_string(&home.blocks()).unwrap();
        assert!(shown.contains("Create 1"), "{shown}");
        assert_eq!(shown.contains("https://bot.example.org/console/approvals/ap_"), linked, "{shown}");
    }
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_remembered_choice_is_cleared_from_home() {
    let w = World::over_sockets().await;
    let ts =
        w.slack.says(TEAM, ANA, &format!("{TOOL} the export of reports is slow for everybody since Monday"));
    let gate = w.card(TEAM, &ts, "☐ Remember for this thread").await;
    w.slack.presses(TEAM, ANA, &gate.ts, "☐ Remember for this thread");
    let ticked = w.card(TEAM, &ts, "☑ Remember for this thread").await;
    w.slack.presses(TEAM, ANA, &ticked.ts, "Create ticket");
    w.decided(&w.lane(TEAM, &ts), 3).await;
    w.slack.opens_home(ANA, "home");
    let slack = w.slack.clone();
    let home = until("Home with a choice", || {
        slack.home(ANA).filter(|home| home.labels().contains(&"Clear".into()))
    })
    .await;
    assert!(home.block_text().contains("ticket"), "{}", home.block_text());
    w.slack.presses_in_home(ANA, "Clear");
    until("Home without it", || slack.home(ANA).filter(|home| !home.labels().contains(&"Clear".into())))
        .await;
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_agents_view_suggests_what_to_ask() {
    let w = World::over_sockets().await;
    let (channel, thread) = w.slack.starts_assistant(ANA);
    let slack = w.slack.clone();
    let prompts = until("prompts", || slack.prompts(&channel, &thread)).await;
    assert!(prompts.to_string().contains("ticket"), "{prompts}");
    let text = crate::world::ticket("a CSV export").replace(TOOL, "");
    w.slack.says_in(&channel, &thread, ANA, &text);
    let title = until("a title", || slack.title(&channel, &thread)).await;
    assert_eq!(title, "a CSV export");
    until("a card in the thread", || {
        slack.thread(&channel, &thread).into_iter().find(|one| !one.labels().is_empty())
    })
    .await;
    w.well();
}
