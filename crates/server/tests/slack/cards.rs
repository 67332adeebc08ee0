//! Cards in Slack: requested, approved, decided once, and shown as they are.

use throughline_fakes::slack::Fault;

use crate::world::{ANA, BOB, MIA, TEAM, TOOL, World, ticket, until};

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_is_requested_approved_and_becomes_its_receipt() {
    for w in [World::over_sockets().await, World::over_http().await] {
        let (thread, card) = w.drafted().await;
        assert_eq!(card.labels(), ["Approve", "Edit", "Reject"], "{}", card.block_text());
        assert_eq!(card.thread.as_deref(), Some(thread.as_str()));
        w.slack.presses(TEAM, MIA, &card.ts, "Approve");
        let receipt = w.says(TEAM, &card.ts, "DEMO-1").await;
        assert_eq!(receipt.labels(), [""; 0]);
        assert_eq!(w.issues().await, 1);
        w.well();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_presses_make_one_issue_and_the_loser_is_told_in_private() {
    let w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    let pressed = card.clone();
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    let approve = pressed.button("Approve").unwrap();
    w.slack.presses_button(TEAM, BOB, &card.ts, &approve);
    w.whispered(BOB, "Already approved").await;
    assert_eq!(w.issues().await, 1);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_approve_is_told_so() {
    let w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    w.slack.presses(TEAM, BOB, &card.ts, "Approve");
    w.whispered(BOB, "Who may").await;
    assert_eq!(w.issues().await, 0);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl11_a_long_batch_is_shortened_and_shown_in_full_on_request() {
    let w = World::over_sockets().await;
    let stories: Vec<String> =
        (1..=40).map(|n| format!("Story number {n} {}", "with many words ".repeat(9))).collect();
    let text = format!("{TOOL} create an epic \"Log-in\" with stories:\n- {}", stories.join("\n- "));
    let ts = w.slack.says(TEAM, ANA, &text);
    let card = w.card(TEAM, &ts, "Show all").await;
    assert!(card.block_text().contains("characters in all"), "{}", card.block_text());
    w.slack.presses(TEAM, ANA, &card.ts, "Show all");
    let slack = w.slack.clone();
    let view = until("the window", || slack.modal(ANA)).await;
    let bare = |text: &str| text.split_whitespace().collect::<String>();
    let shown = bare(&view.block_text());
    for story in &stories {
        assert!(shown.contains(&bare(story)), "{story}");
    }
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl12_nobody_is_mentioned_by_what_people_wrote() {
    let w = World::over_sockets().await;
    let text = "a &lt;!channel&gt; &lt;@U0BOB0001&gt; and @everyone";
    let ts = w.slack.says(TEAM, ANA, &ticket(text));
    let card = w.card(TEAM, &ts, "Approve").await;
    assert!(card.block_text().contains("!channel"), "it is shown: {}", card.block_text());
    let others: Vec<String> =
        card.mentions().into_iter().filter(|one| !one.contains(ANA) && !one.contains(MIA)).collect();
    assert_eq!(others, [""; 0], "only people whom a sentence of ours names");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn sl17_a_card_that_slack_does_not_take_is_posted_smaller_once() {
    let w = World::over_sockets().await;
    w.slack.fail_next("chat.postMessage", None, Fault::Refuse("msg_blocks_too_long".into()));
    let (thread, card) = w.drafted().await;
    let cards = w.slack.thread(TEAM, &thread).into_iter().filter(|one| !one.labels().is_empty());
    assert_eq!(cards.count(), 1);
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    let refused = w.slack.violations();
    assert!(refused.iter().all(|one| one.contains("msg_blocks_too_long")), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_somebody_deleted_goes_on_in_a_new_message() {
    let w = World::over_sockets().await;
    let (thread, card) = w.drafted().await;
    w.slack.deletes(TEAM, &card.ts);
    w.slack.says_in(TEAM, &thread, ANA, &format!("{TOOL} change the title to CSV export of reports"));
    let again = until("another card", || {
        let shown = w.slack.thread(TEAM, &thread);
        shown.into_iter().find(|one| one.ts != card.ts && one.labels().contains(&"Approve".to_owned()))
    })
    .await;
    assert!(again.block_text().contains("CSV export of reports"), "{}", again.block_text());
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_whose_answer_is_lost_is_not_a_second_issue() {
    let w = World::over_sockets().await;
    let (_, card) = w.drafted().await;
    w.slack.fail_next("chat.update", None, Fault::AppliedThenLost);
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!(w.issues().await, 1);
}
