//! Socket Mode: replaced sockets, dropped ones, deliveries that come again.

use crate::world::{ANA, MIA, TEAM, TOOL, World, until};

#[tokio::test(flavor = "multi_thread")]
async fn sl5_a_socket_is_replaced_before_it_is_closed() {
    let w = World::over_sockets().await;
    let (ts, _) = w.drafted().await;
    let lane = w.lane(TEAM, &ts);
    let before = w.slack.sockets();
    for (n, socket) in before.iter().enumerate() {
        w.slack.disconnects(*socket, "refresh_requested");
        w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status {n}"));
    }
    let slack = w.slack.clone();
    until("new sockets", || {
        let now = slack.sockets();
        (now.iter().filter(|socket| !before.contains(socket)).count() == 2).then_some(())
    })
    .await;
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status at the end"));
    assert_eq!(w.decided(&lane, 4).await.len(), 4, "none lost, none double");
    w.slack.idle().await;
    assert_eq!(w.reasons(&lane).await.len(), 4);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_connections_lose_nothing() {
    let w = World::over_sockets().await;
    let (ts, card) = w.drafted().await;
    let before = w.slack.sockets();
    for socket in &before {
        w.slack.drops(*socket);
    }
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status"));
    assert_eq!(w.decided(&w.lane(TEAM, &ts), 2).await.len(), 2);
    let slack = w.slack.clone();
    until("new sockets", || slack.sockets().iter().all(|socket| !before.contains(socket)).then_some(()))
        .await;
    // Slack sends events again, and presses not: whoever pressed sees that nothing came of it.
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!(w.issues().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sl4_what_is_delivered_again_is_one_turn() {
    for w in [World::over_sockets().await, World::over_http().await] {
        let (ts, card) = w.drafted().await;
        let lane = w.lane(TEAM, &ts);
        for delivery in w.slack.deliveries() {
            w.slack.repeats(delivery.id);
        }
        let press = w.slack.presses(TEAM, MIA, &card.ts, "Approve");
        w.slack.repeats(press);
        w.says(TEAM, &card.ts, "DEMO-1").await;
        w.slack.idle().await;
        let reasons = w.reasons(&lane).await;
        assert_eq!(reasons.len(), 2, "{reasons:?}");
        assert_eq!(w.issues().await, 1);
        w.well();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_envelope_is_acknowledged_also_of_kinds_that_nobody_handles() {
    let w = World::over_sockets().await;
    let joined = w.slack.joins(TEAM, ANA);
    let unknown = w.slack.sends_event(ANA, serde_json::json!({"type": "holiday_wish", "user": ANA}));
    for delivery in [joined, unknown] {
        assert!(w.slack.settled(delivery).await.elapsed().is_some());
    }
    for socket in w.slack.sockets() {
        w.slack.sends_raw(socket, "Ping from applink");
        w.slack.sends_raw(socket, "{\"type\":\"something_new\"}");
        w.slack.pings(socket);
    }
    w.drafted().await;
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_goes_on_where_it_was() {
    let mut w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    w.restart().await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!(w.issues().await, 1);
    w.well();
}
