//! Tickets in trackers over the network, through the server: requested and approved over the HTTP API, created at fakes that
//! refuse what the vendors refuse.

#[path = "../api/contract.rs"]
mod contract;
mod github;
mod hooks;
mod jira;
mod jira_app;
mod linear;
mod redmine;
#[allow(dead_code, reason = "the API's tests use all of it")]
#[path = "../api/support.rs"]
mod support;

use serde_json::Value;
use support::{Server, card_of, token};

/// Expands to a module for each edition of Jira, with these tests.
macro_rules! in_both_editions {
    ($($test:ident),* $(,)?) => {
        $crate::in_both_editions!(@module cloud Cloud; $($test),*);
        $crate::in_both_editions!(@module data_center DataCenter; $($test),*);
    };
    (@module $module:ident $edition:ident; $($test:ident),*) => {
        mod $module {
            use throughline_fakes::jira::Edition;

            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $test() {
                    super::$test(Edition::$edition).await;
                }
            )*
        }
    };
}
pub(crate) use in_both_editions;

/// The newest card of a lane, once it is as it should be.
pub(crate) async fn card(server: &Server, lane: &str, is: impl Fn(&Value) -> bool) -> Value {
    let newest = || async {
        let page = server.get(&format!("/v1/lanes/{lane}/messages?limit=200")).send().await.json();
        let messages = page["items"].as_array().unwrap().iter().rev();
        messages.map(|message| message["card"].clone()).find(|card| !card.is_null()).unwrap_or_default()
    };
    for _ in 0..400 {
        let card = newest().await;
        if is(&card) {
            return card;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    panic!("the card is not as it should be: {:#}", newest().await);
}

pub(crate) fn has(card: &Value, action: &str) -> bool {
    card["buttons"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|button| button["action"] == action && button["token"].is_string())
}

/// Asks for a ticket; returns its lane and the token that approves it, once the dry run is over.
pub(crate) async fn asked(server: &Server, conversation: &str, text: &str) -> (String, String) {
    let turn = server.say(&format!("ask-{conversation}"), conversation, "ana", text).await;
    let lane = turn["lane"].as_str().unwrap().to_owned();
    if has(&card_of(&turn), "confirm_quantity") {
        let confirm = token(&card_of(&turn), "confirm_quantity");
        server.press(&format!("confirm-{conversation}"), conversation, "ana", &confirm).await;
    }
    let shown = card(server, &lane, |card| has(card, "approve")).await;
    (lane, token(&shown, "approve"))
}

/// A request for an epic with so many stories.
pub(crate) fn epic(stories: usize) -> String {
    let mut text = format!(
        "Create an epic with {stories} stories for sign-in\nProblem: nobody gets in\nAcceptance criteria: all stories are done"
    );
    for n in 1..=stories {
        text +=
            &format!("\n- Way {n} to sign in\n  Problem: there is none\n  Acceptance criteria: there is one");
    }
    text
}
