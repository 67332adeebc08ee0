//! Lanes: the conversation that a message belongs to, and when the assistant answers.

use throughline_engine::EventKind;
use throughline_fakes::slack::Fault;

use crate::world::{ANA, BOB, MIA, TEAM, TOOL, World, ticket, until};

#[tokio::test(flavor = "multi_thread")]
async fn sl9_a_root_mention_begins_a_thread_and_replies_stay_in_it() {
    let w = World::over_sockets().await;
    let ts = w.slack.says(TEAM, ANA, &format!("{TOOL} create a bug"));
    let lane = w.lane(TEAM, &ts);
    w.card(TEAM, &ts, "Edit").await;
    w.slack.says_in(TEAM, &ts, ANA, "Title: the export fails");
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status"));
    let reasons = w.decided(&lane, 3).await;
    assert!(reasons.iter().all(|reason| !reason.starts_with("ignored")), "{reasons:?}");
    let root =
        w.slack.bot_messages(TEAM).into_iter().filter(|one| one.thread.as_deref() != Some(ts.as_str()));
    assert_eq!(root.count(), 0, "all of it is in the thread");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mention_and_its_message_are_one_turn() {
    let w = World::over_http().await;
    let ts = w.slack.says(TEAM, ANA, &format!("{TOOL} help"));
    w.slack.idle().await;
    let lane = w.lane(TEAM, &ts);
    w.decided(&lane, 1).await;
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status"));
    assert_eq!(w.decided(&lane, 2).await.len(), 2);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl10_what_is_for_somebody_else_is_observed_and_not_answered() {
    let w = World::over_sockets().await;
    let (ts, _) = w.drafted().await;
    let lane = w.lane(TEAM, &ts);
    let said = w.slack.thread(TEAM, &ts).len();
    w.slack.says_in(TEAM, &ts, BOB, &format!("<@{ANA}> shall we meet at noon?"));
    let reasons = w.decided(&lane, 2).await;
    assert_eq!(reasons[1], "observed.other_addressee");
    w.slack.idle().await;
    assert_eq!(w.slack.thread(TEAM, &ts).len(), said + 1, "nobody answered");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn other_peoples_talk_is_left_alone() {
    let w = World::over_sockets().await;
    let ts = w.slack.says(TEAM, BOB, "who broke the build?");
    w.slack.says_in(TEAM, &ts, ANA, "create a ticket for it, please");
    let reasons = w.decided(&w.lane(TEAM, &ts), 2).await;
    assert_eq!(reasons, ["ignored.not_addressed", "ignored.not_addressed"]);
    w.slack.bot_says(TEAM, "B0DEPLOY1", &format!("{TOOL} create a ticket"));
    w.slack.idle().await;
    assert_eq!(w.slack.bot_messages(TEAM).len(), 0);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_direct_message_needs_no_mention() {
    let w = World::over_sockets().await;
    let (channel, _) = w.slack.says_to_bot(ANA, &ticket("a CSV export").replace(TOOL, ""));
    let slack = w.slack.clone();
    let card = until("a card", || slack.card(&channel)).await;
    assert_eq!((card.thread, card.text.is_empty()), (None, false));
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl8_an_edit_makes_a_new_version_and_a_deletion_takes_the_text() {
    let w = World::over_sockets().await;
    let (ts, card) = w.drafted().await;
    let lane = w.lane(TEAM, &ts);
    w.slack.edits(TEAM, &ts, &ticket("a CSV export of reports"));
    w.says(TEAM, &card.ts, "CSV export of reports").await;
    w.slack.deletes(TEAM, &ts);
    let reasons = w.decided(&lane, 3).await;
    assert!(reasons[2].contains("delet"), "{reasons:?}");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl15_an_unknown_command_is_answered_to_one_person() {
    let w = World::over_http().await;
    let command = w.slack.commands(TEAM, ANA, "/maro", "halp");
    let told = w.whispered(ANA, "help").await;
    assert_eq!(told.only_for.as_deref(), Some(ANA));
    assert_eq!(w.slack.settled(command).await.status(), 200);
    assert_eq!(w.slack.bot_messages(TEAM).len(), 0);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shortcut_makes_a_ticket_of_its_message() {
    let w = World::over_sockets().await;
    let ts = w.slack.says(TEAM, BOB, "The export of reports fails with a blank page since Monday");
    w.slack.message_shortcut(TEAM, ANA, &ts, "tl.make_ticket");
    let card = w.card(TEAM, &ts, "Edit").await;
    assert!(card.block_text().contains("export of reports fails"), "{}", card.block_text());
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bare_acknowledgement_gets_a_reaction() {
    let w = World::over_sockets().await;
    let (channel, ts) = w.slack.says_to_bot(ANA, "thanks!");
    let slack = w.slack.clone();
    until("a reaction", || slack.message(&channel, &ts).filter(|one| !one.reactions.is_empty())).await;
    assert_eq!(w.slack.bot_messages(&channel).len(), 0);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl13_a_decision_is_posted_at_the_root_with_its_source() {
    let w = World::over_sockets().await;
    let text = format!("{TOOL} record the decision about orders: we use PostgreSQL because we know it.");
    let ts = w.slack.says(TEAM, ANA, &text);
    let card = w.card(TEAM, &ts, "Approve").await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    let slack = w.slack.clone();
    let post =
        until("the post", || slack.bot_messages(TEAM).into_iter().find(|one| one.thread.is_none())).await;
    let shown = post.block_text();
    assert!(shown.contains("PostgreSQL") && shown.contains("/archives/"), "{shown}");
    w.well();
}

/// A command begins no thread, so its card is at the channel's root; what is said under it is about it.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_under_the_card_of_a_command_is_about_that_card() {
    let mut w = World::over_http().await;
    w.slack.commands(TEAM, ANA, "/maro", "ticket the export of reports fails");
    let slack = w.slack.clone();
    let card = until("a card", || slack.card(TEAM)).await;
    assert_eq!(card.thread, None);
    w.slack.idle().await;
    w.restart().await;
    w.slack.says_in(TEAM, &card.ts, ANA, "Problem: the page stays blank");
    w.says(TEAM, &card.ts, "the page stays blank").await;
    w.slack.says_in(TEAM, &card.ts, ANA, "what's open?");
    let slack = w.slack.clone();
    until("an answer in the thread", || {
        let said = slack.thread(TEAM, &card.ts);
        said.into_iter().find(|one| one.ts != card.ts && one.user == "U0MAROBOT")
    })
    .await;
    until("its Approve", || {
        slack.message(TEAM, &card.ts).filter(|one| one.labels().iter().any(|label| label == "Approve"))
    })
    .await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    w.well();
}

/// Slack delivers none of it again, and did not while nobody here was asked.
#[tokio::test(flavor = "multi_thread")]
async fn a_mention_in_a_thread_of_others_is_about_what_they_said() {
    for w in [World::over_sockets().await, World::over_http().await] {
        let root = w.slack.says(TEAM, BOB, "The export of reports fails with a blank page since Monday");
        w.slack.says_in(TEAM, &root, MIA, "Same here, and only in Firefox");
        let lane = w.lane(TEAM, &root);
        // Deliveries that are under way at once may overtake each other.
        w.decided(&lane, 2).await;
        w.slack.says_in(TEAM, &root, ANA, &format!("{TOOL} create a ticket from this"));
        let shown = w.card(TEAM, &root, "Edit").await.block_text();
        assert!(
            shown.contains("The export of reports fails") && shown.contains("only in Firefox"),
            "{shown}"
        );
        w.slack.says_in(TEAM, &root, ANA, &format!("{TOOL} what's open?"));
        assert_eq!(
            w.decided(&lane, 6).await,
            [
                "ignored.not_addressed",
                "ignored.not_addressed",
                "observed.other_addressee",
                "observed.other_addressee",
                "intent.rule",
                "intent.rule"
            ]
        );
        w.well();
    }
}

/// Of a long thread, the beginning and the newest messages are read.
#[tokio::test(flavor = "multi_thread")]
async fn of_a_long_thread_the_first_and_the_newest_messages_are_read() {
    let w = World::over_sockets().await;
    let root = w.slack.says(TEAM, BOB, "The export of reports fails with a blank page since Monday");
    for number in 0..230 {
        w.slack.says_in(TEAM, &root, MIA, &format!("Seen again by customer {number}"));
    }
    let lane = w.lane(TEAM, &root);
    w.decided(&lane, 200).await;
    w.slack.says_in(TEAM, &root, ANA, &format!("{TOOL} what's open?"));
    until("an answer", || w.slack.bot_messages(TEAM).pop()).await;
    let turns = w.turns(&lane).await;
    let observed =
        turns.into_iter().filter(|turn| turn.row.decision.reason.code() == "observed.other_addressee");
    let said = observed.filter_map(|turn| match turn.content?.event.kind {
        EventKind::MessagePosted(posted) => Some(posted.text),
        _ => None,
    });
    let said: Vec<String> = said.collect();
    assert!(said[0].starts_with("The export of reports"), "{said:#?}");
    assert_eq!((said.len(), said[1].as_str()), (20, "Seen again by customer 211"));
    w.well();
}

/// Without the scope for it, a mention is decided without its thread.
#[tokio::test(flavor = "multi_thread")]
async fn a_thread_that_cannot_be_read_loses_no_mention() {
    let w = World::over_http().await;
    let root = w.slack.says(TEAM, BOB, "The export of reports fails with a blank page since Monday");
    for fault in [Fault::Refuse("missing_scope".into()), Fault::Status(503), Fault::AppliedThenSilent] {
        w.slack.fail_next("conversations.replies", None, fault);
        w.slack.says_in(TEAM, &root, ANA, &format!("{TOOL} create a ticket from this"));
    }
    let lane = w.lane(TEAM, &root);
    assert_eq!(w.decided(&lane, 4).await[1..], ["intent.rule"; 3]);
}
