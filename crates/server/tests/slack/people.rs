//! People: groups, guests, strangers, languages.

use throughline_fakes::slack::Fault;

use crate::world::{ANA, BOB, MIA, TEAM, World, until};

#[tokio::test(flavor = "multi_thread")]
async fn members_of_a_user_group_may_approve() {
    let w = World::over_sockets().await;
    w.slack.usergroup("S0PMS0001", "pms", &[BOB]);
    let (ts, card) = w.drafted().await;
    let shown = card.block_text();
    assert!(shown.contains("may approve: @\u{2060}pms, anyone"), "{shown}");
    w.slack.presses(TEAM, ANA, &card.ts, "Approve");
    w.whispered(ANA, "@\u{2060}pms").await;
    w.slack.presses(TEAM, BOB, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert!(
        w.slack.thread(TEAM, &ts).iter().all(|one| one.mentions().iter().all(|who| !who.contains("S0PMS")))
    );
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl16_guests_and_people_of_other_workspaces_may_not() {
    let w = World::over_sockets().await;
    for user in ["U0GUEST01", "U0OTHER01"] {
        w.slack.person(user, user);
    }
    w.slack.guest("U0GUEST01");
    w.slack.stranger("U0OTHER01", "T0ELSEWHERE");
    let everybody = ["U0GUEST01", "U0OTHER01"];
    w.slack.usergroup("S0PMS0001", "pms", &everybody);
    w.slack.channel("C0SHARED1", "shared", &[ANA, "U0GUEST01", "U0OTHER01"]);
    let ts = w.slack.says("C0SHARED1", ANA, &crate::world::ticket("a CSV export"));
    let card = w.card("C0SHARED1", &ts, "Approve").await;
    for user in everybody {
        w.slack.presses("C0SHARED1", user, &card.ts, "Approve");
        let slack = w.slack.clone();
        until("a refusal", || slack.ephemerals(user).pop()).await;
    }
    assert_eq!(w.issues().await, 0);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_deactivated_approves_nothing() {
    let w = World::over_sockets().await;
    w.slack.usergroup("S0PMS0001", "pms", &[BOB]);
    let (_, card) = w.drafted().await;
    w.slack.deactivates(BOB, true);
    w.slack.idle().await;
    w.slack.presses(TEAM, BOB, &card.ts, "Approve");
    let slack = w.slack.clone();
    until("a refusal", || slack.ephemerals(BOB).pop()).await;
    assert_eq!(w.issues().await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_answered_in_the_language_of_their_profile() {
    let w = World::over_sockets().await;
    w.slack.speaks(BOB, "de-DE", "Europe/Berlin");
    let (channel, _) = w.slack.says_to_bot(BOB, "help");
    let slack = w.slack.clone();
    let said = until("an answer", || slack.bot_messages(&channel).pop()).await;
    let german = throughline_messages::help_text(throughline_messages::Language::De, "/maro");
    let first = german.lines().next().unwrap();
    assert!(said.block_text().contains(first), "{first:?} in {}", said.block_text());
}

/// A rule that names somebody of the configuration does not depend on Slack; who is known through Slack alone does.
#[tokio::test(flavor = "multi_thread")]
async fn whom_slack_cannot_be_asked_about_approves_only_by_the_configuration() {
    let w = World::over_sockets().await;
    w.slack.usergroup("S0PMS0001", "pms", &[BOB]);
    let (_, card) = w.drafted().await;
    w.slack.fail_next("users.info", None, Fault::Status(503));
    w.slack.presses(TEAM, BOB, &card.ts, "Approve");
    let slack = w.slack.clone();
    until("a refusal", || slack.ephemerals(BOB).pop()).await;
    assert_eq!(w.issues().await, 0);
    for _ in 0..3 {
        w.slack.fail_next("users.info", None, Fault::Status(503));
    }
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
}
