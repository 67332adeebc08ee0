//! Messages whose post got no answer: they are looked for before anything is posted again.

use throughline_fakes::slack::{FakeSlack, Fault, Message};

use crate::world::{ANA, MIA, TEAM, TOOL, World, until};

/// The scopes of an app without those to read what was said in channels.
pub(crate) const WITHOUT_HISTORY: [&str; 9] = [
    "app_mentions:read",
    "assistant:write",
    "chat:write",
    "commands",
    "im:history",
    "im:write",
    "reactions:write",
    "users:read",
    "files:write",
];

/// Makes a world in which the answer of the next post in the channel is lost.
async fn losing(fault: Fault) -> World {
    let w = World::over_sockets().await;
    w.slack.fail_next("chat.postMessage", Some(TEAM), fault);
    w
}

/// The app's messages in the channel, in threads and at the root.
fn ours(w: &World) -> Vec<Message> {
    w.slack.bot_messages(TEAM)
}

/// The number of calls that look for a message.
fn looks(w: &World) -> usize {
    ["conversations.replies", "conversations.history"].iter().map(|one| w.slack.calls_of(one).len()).sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_whose_answer_is_lost_is_found_and_is_the_only_one() {
    let w = losing(Fault::AppliedThenLost).await;
    let (_, card) = w.drafted().await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!(ours(&w).len(), 1, "{:#?}", ours(&w));
    assert_eq!(w.slack.calls_of("chat.postMessage").len(), 1);
    assert_eq!(w.slack.calls_of("conversations.replies").len(), 1);
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_did_not_arrive_is_looked_for_and_posted() {
    let w = losing(Fault::Unreadable).await;
    let ts = w.slack.says(TEAM, ANA, &format!("{TOOL} help"));
    until("an answer", || (!ours(&w).is_empty()).then_some(())).await;
    assert_eq!((ours(&w).len(), looks(&w)), (1, 1));
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status"));
    until("the next answer", || (ours(&w).len() == 2).then_some(())).await;
    assert_eq!(looks(&w), 1, "a message that was answered is not looked for");
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_that_has_to_wait_posts_nothing_meanwhile() {
    let w = losing(Fault::AppliedThenLost).await;
    w.slack.fail_next("conversations.replies", None, Fault::TooMany(1));
    let (_, card) = w.drafted().await;
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    w.says(TEAM, &card.ts, "DEMO-1").await;
    assert_eq!((ours(&w).len(), looks(&w)), (1, 2));
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_scope_a_message_is_there_twice_at_most() {
    let w = losing(Fault::AppliedThenLost).await;
    w.slack.grant(FakeSlack::BOT_TOKEN, &WITHOUT_HISTORY);
    w.slack.fail_next("chat.postMessage", Some(TEAM), Fault::AppliedThenLost);
    let ts = w.slack.says(TEAM, ANA, &format!("{TOOL} help"));
    until("a second copy", || (ours(&w).len() == 2).then_some(())).await;
    // Both copies got no answer. What is said next is said when the first answer has ended.
    w.slack.says_in(TEAM, &ts, ANA, &format!("{TOOL} status"));
    let texts = || ours(&w).iter().map(Message::block_text).collect::<Vec<_>>();
    let help = texts()[0].clone();
    until("the next answer", || texts().into_iter().find(|text| *text != help)).await;
    assert_eq!(texts().iter().filter(|text| **text == help).count(), 2, "{:#?}", texts());
    w.well();
}

/// Puts a decision on record whose post gets that answer.
async fn decided(w: &World, fault: Fault) -> Message {
    let text = format!("{TOOL} record the decision about orders: we use PostgreSQL because we know it.");
    let ts = w.slack.says(TEAM, ANA, &text);
    let card = w.card(TEAM, &ts, "Approve").await;
    w.slack.fail_next("chat.postMessage", Some(TEAM), fault);
    w.slack.presses(TEAM, MIA, &card.ts, "Approve");
    card
}

/// The posts at the channel's root.
fn posts(w: &World) -> Vec<Message> {
    ours(w).into_iter().filter(|one| one.thread.is_none()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_whose_post_got_no_answer_is_found() {
    let w = World::over_sockets().await;
    let card = decided(&w, Fault::AppliedThenLost).await;
    let receipt = w.says(TEAM, &card.ts, "Posted").await;
    let [post] = posts(&w).try_into().expect("one post");
    let link = format!("/archives/{TEAM}/p{}", post.ts.replace('.', ""));
    assert!(
        receipt.block_text().contains(&link) || format!("{:?}", receipt.blocks).contains(&link),
        "{receipt:#?}"
    );
    w.well();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_that_is_not_found_is_asked_about_and_not_posted_again() {
    for (scopes, fault, out) in
        [(None, Fault::Unreadable, 0), (Some(WITHOUT_HISTORY), Fault::AppliedThenLost, 1)]
    {
        let w = World::over_sockets().await;
        if let Some(scopes) = scopes {
            w.slack.grant(FakeSlack::BOT_TOKEN, &scopes);
        }
        decided(&w, fault).await;
        until("the question", || {
            ours(&w).into_iter().find(|one| one.labels().contains(&"Create again".to_owned()))
        })
        .await;
        assert_eq!(posts(&w).len(), out, "{:#?}", posts(&w));
        assert_eq!(w.slack.calls_of("conversations.history").len(), 2);
        w.well();
    }
}
