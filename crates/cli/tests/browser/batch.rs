//! Batches of items on one card: drafted, edited, confirmed, approved, created; and failures of the tracker.

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_engine::data::fault::{Fault as Told, FieldFault};
use throughline_trackers::local::{Call, Fault, ItemMatch, ScriptedFault};

use crate::chat::{Card, Chat, button};
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::page::By;
use crate::server::Server;

/// A message with the details of five stories.
const KNOWN: &str = "Problem: nobody can sign in to the shop
Acceptance criteria: all stories are done
- As a customer I want to log in
  Acceptance criteria: it works on a phone
- As a customer I want to log out
  Acceptance criteria: it works on a phone
- As a customer I want to reset my password
  Acceptance criteria: it works on a phone
- As a customer I want to change my email
  Acceptance criteria: it works on a phone
- As a customer I want to see my devices
  Acceptance criteria: it works on a phone";
const SIX: &str = "Create epic with 5 stories for auth";
/// An epic and two stories, in one message.
pub(crate) const THREE: &str = "Create an epic with 2 stories for auth
Problem: nobody can sign in to the shop
Acceptance criteria: all stories are done
- As a customer I want to log in
  Acceptance criteria: it works on a phone
- As a customer I want to log out
  Acceptance criteria: it works on a phone";

/// Writes the details, and asks for a batch of six items.
#[track_caller]
pub(crate) fn ask_for_six(chat: &Chat<'_>) -> Card {
    chat.write(KNOWN);
    chat.until_gate("Problem: nobody");
    chat.click(By::Role("radio", "Not now"));
    chat.until_says("OK, leaving it");
    chat.write(SIX);
    let batch = chat.until_batch(1, "confirm_quantity");
    assert_eq!(batch.title, "Create 1 epic and 5 stories in DEMO?");
    assert_eq!(batch.actions.iter().filter(|action| *action == "edit_story").count(), 6);
    batch
}

/// Returns true if *Approve* of a card can be pressed. While something stands in its way, it is shown but disabled.
#[track_caller]
fn may_be_approved(chat: &Chat<'_>, card: &Card) -> bool {
    let script = "return document.querySelector(arguments[0])?.disabled === false";
    chat.run(script, &[json!(button(card, "approve"))]) == json!(true)
}

/// Waits until a version of a batch can be approved.
#[track_caller]
pub(crate) fn until_approvable(chat: &Chat<'_>, version: u32) -> Card {
    chat.until_card(&format!("a batch, version {version}, that can be approved"), |card| {
        card.step == "multi_ticket_preview" && card.version == version && may_be_approved(chat, card)
    })
}

/// Confirms the number of items and approves.
#[track_caller]
fn create(chat: &Chat<'_>, batch: &Card) {
    assert!(!may_be_approved(chat, batch), "the number is not confirmed: {batch:?}");
    chat.press_on(batch, "confirm_quantity");
    let batch = until_approvable(chat, batch.version);
    chat.approve_all(&batch);
}

/// Waits until the receipt shows this many stories under their epic.
#[track_caller]
fn until_linked(chat: &Chat<'_>, stories: usize) -> Card {
    chat.until_card("links that were read back", |card| {
        card.step == "receipt" && card.text.matches(", under DEMO-1").count() == stories
    })
}

/// Returns a tracker fault that rejects a field of an item.
pub(crate) fn rejects(title: &str) -> ScriptedFault {
    let told = Told::Said("The tracker does not take this value".into());
    let error = FieldFault::new("check.value", "labels", told);
    ScriptedFault {
        on: Some(Call::Create),
        item: Some(ItemMatch::Titled(title.into())),
        fault: Fault::Reject(error),
    }
}

// row: W6, W17, W25
#[test]
fn a_batch_is_confirmed_edited_and_created() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    let batch = ask_for_six(&chat);
    chat.press_on(&batch, "confirm_quantity");
    until_approvable(&chat, 1);
    // Edits change only one story, and the number of items has to be confirmed again.
    for (version, field, text) in
        [(2, "Title", "Reset a forgotten password"), (3, "Acceptance criteria", "the link works once")]
    {
        chat.press_on_item(&batch, 4, "edit_story");
        chat.fill(field, text);
        chat.save();
        let edited = chat.until_batch(version, "confirm_quantity");
        assert!(!may_be_approved(&chat, &edited), "{edited:?}");
    }
    chat.press_on_item(&batch, 6, "remove_story");
    let fewer = chat.until_batch(4, "confirm_quantity");
    assert_eq!(fewer.title, "Create 1 epic and 4 stories in DEMO?");
    chat.press_on(&fewer, "add_story");
    chat.fill("Title", "See my devices");
    chat.fill("Problem", "nobody knows where they are signed in");
    chat.fill("Acceptance criteria", "all devices are listed");
    chat.save();
    let whole = chat.until_batch(5, "confirm_quantity");
    chat.press_on(&whole, "confirm_quantity");
    let whole = until_approvable(&chat, 5);
    // For more than three items a dialog asks again, with the number and the project. It can be cancelled.
    chat.press_on(&whole, "approve");
    chat.find(By::Role("dialog", "Create 1 epic and 5 stories in DEMO?"));
    chat.press("Escape");
    assert_eq!(server.issues(), Vec::<String>::new());
    chat.approve_all(&whole);
    let receipt = until_linked(&chat, 5);
    assert!(receipt.title.starts_with("Created 6 of 6"), "{}", receipt.title);
    // The epic is created first, the stories in any order.
    let mut issues = server.issues();
    assert_eq!(issues[0], "auth");
    issues.sort_unstable();
    assert_eq!(
        issues,
        ["Reset a forgotten password", "See my devices", "auth", "change my email", "log in", "log out"]
    );
    chat.click(By::Css(&format!("[data-card='{}'] .items > :nth-child(4) .link a", receipt.id)));
    chat.until_says("the link works once");
    chat.click(By::Role("link", "DEMO-1"));
    chat.until_says("DEMO-6");
    chat.assert_no_faults();
}

// row: W18
#[test]
fn a_batch_outlives_a_server_that_is_killed_at_each_step() {
    let Some(browser) = Browser::start() else { return };
    let mut server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    let batch = ask_for_six(&chat);
    let mut killed = || {
        server.kill();
        chat.until_connection("offline");
        server.resume();
        chat.until_connection("live");
    };
    killed();
    chat.press_on(&batch, "confirm_quantity");
    let batch = until_approvable(&chat, 1);
    killed();
    chat.approve_all(&batch);
    // This may be at any step of the creation.
    killed();
    let receipt = until_linked(&chat, 5);
    assert!(receipt.title.starts_with("Created 6 of 6"), "{}", receipt.title);
    killed();
    assert_eq!(server.issues().len(), 6);
}

// row: W19
#[test]
fn what_could_not_be_created_is_tried_again_alone() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    server.faults.script(rejects("reset my password"));
    let chat = Chat::open(&browser, &server.url);
    create(&chat, &ask_for_six(&chat));
    let receipt = chat.until_created("Created 5 of 6 (1 failed)");
    assert!(receipt.text.contains("The tracker does not take this value"), "{}", receipt.text);
    assert_eq!(receipt.actions, ["retry_missing"]);
    chat.press_on(&receipt, "retry_missing");
    let again = chat.until_batch(1, "confirm_quantity");
    assert!(again.text.contains("reset my password") && !again.text.contains("log in"), "{}", again.text);
    chat.press_on(&again, "confirm_quantity");
    chat.until_card("Approve", |card| card.id == again.id && may_be_approved(&chat, card));
    chat.press_on(&again, "approve");
    let made = until_linked(&chat, 1);
    assert!(made.title.starts_with("Created 1 of 1") && made.text.contains("DEMO-6"), "{made:?}");
    assert_eq!(server.faults.create_requests(), 7);
    chat.assert_no_faults();
}

// row: W24
#[test]
fn a_tracker_that_is_down_makes_no_issue_twice() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    for fault in [Fault::Refused, Fault::Refused, Fault::Refused, Fault::Pass, Fault::LostReply] {
        server.faults.push(Call::Create, fault);
    }
    server.faults.push(Call::Seek, Fault::Refused);
    let chat = Chat::open(&browser, &server.url);
    chat.write(THREE);
    let batch = until_approvable(&chat, 1);
    chat.press_on(&batch, "approve");
    // First the tracker is down, and the creation is retried. Then an answer is lost, and a card asks about it.
    let uncertain = chat.until("the uncertain effect to be shown", || {
        server.advance(Timestamp::SECOND);
        let cards = chat.cards();
        cards
            .iter()
            .find(|card| card.step == "uncertain_effect")
            .cloned()
            .ok_or_else(|| format!("{cards:#?}"))
    });
    assert!(uncertain.title.contains("may or may not have been created"), "{}", uncertain.title);
    assert_eq!(uncertain.actions, ["adopt", "create_again", "cancel"]);
    chat.until("it to be found", || {
        server.advance(Timestamp::MINUTE);
        if chat.text().contains("Created 3 of 3") { Ok(()) } else { Err(chat.text()) }
    });
    // Each create request made one issue.
    assert_eq!(server.faults.create_requests(), 3);
    chat.assert_no_faults();
}

// row: W26
#[test]
fn without_a_model_stories_are_proposed_by_title_and_ask() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(SIX);
    let batch = chat.until_batch(1, "confirm_quantity");
    assert_proposed(&batch, 1..=5);
    chat.until_says("Epic (\"auth\") is still open on: Problem, Acceptance criteria.");
    // Confirming the number writes nothing into the gaps.
    chat.press_on(&batch, "confirm_quantity");
    assert_proposed(&until_approvable(&chat, 1), 1..=5);
    chat.write("Problem: nobody can sign in\nAcceptance criteria: all stories are done");
    chat.until_says("Story 1 (\"auth: story 1\") is still open on: Problem, Acceptance criteria.");
    let changed = chat.until_batch(2, "confirm_quantity");
    assert!(!may_be_approved(&chat, &changed), "{changed:?}");
    chat.press_on_item(&batch, 2, "edit_story");
    chat.fill("Title", "Log in");
    chat.fill("Problem", "The form is gone");
    chat.fill("Acceptance criteria", "It is back");
    chat.save();
    chat.until_says("Story 2 (\"auth: story 2\") is still open on: Problem, Acceptance criteria.");
    assert_proposed(&chat.until_batch(3, "confirm_quantity"), 2..=5);
    for (place, version) in [(6, 4), (5, 5), (4, 6)] {
        chat.press_on_item(&batch, place, "remove_story");
        chat.until_card("one fewer", |card| card.id == batch.id && card.version == version);
    }
    // A proposal can be approved with its gaps, which stay empty.
    let whole = until_approvable(&chat, 6);
    assert_proposed(&whole, 2..=2);
    chat.press_on(&whole, "approve");
    let receipt = chat.until_created("Created 3 of 3");
    assert_eq!(server.issues()[0], "auth");
    let mut issues = server.issues();
    issues.sort_unstable();
    assert_eq!(issues, ["Log in", "auth", "auth: story 2"]);
    assert!(!receipt.text.contains("proposed"), "{}", receipt.text);
    chat.assert_no_faults();
}

/// Asserts that just these stories are proposals with a title and gaps.
#[track_caller]
fn assert_proposed(batch: &Card, stories: std::ops::RangeInclusive<usize>) {
    let gaps = "proposed · needs detail: Problem, Acceptance criteria";
    assert_eq!(batch.text.matches(gaps).count(), stories.clone().count(), "{}", batch.text);
    for story in stories {
        let item = format!("Story {story}\nauth: story {story}\ngoes under Epic · {gaps}\n");
        assert!(batch.text.contains(&item), "no {item:?} in {}", batch.text);
    }
}

#[test]
fn a_long_batch_is_split_into_batches_of_their_own() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::with("[policy.latch]\nchars = 150\n");
    let chat = Chat::open(&browser, &server.url());
    chat.write(THREE);
    let long = chat.until_batch(1, "split");
    assert!(long.actions.contains(&"confirm_size".into()), "{long:?}");
    chat.press_on(&long, "split");
    let part = chat.until_card("the first part", |card| card.title.contains("part 1 of"));
    assert!(part.text.contains("auth"), "{}", part.text);
    assert_eq!(server.issues(), Vec::<String>::new());
}
