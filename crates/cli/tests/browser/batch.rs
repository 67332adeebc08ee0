//! Several items as one card: drafted, edited, confirmed, approved, created; and what may go wrong (`spec 03 §6.2`).

use throughline_engine::Timestamp;
use throughline_engine::effect::FieldError;
use throughline_trackers::local::{Call, Fault, Scripted, Which};

use crate::chat::{Card, Chat};
use crate::driver::Browser;
use crate::page::At;
use crate::serving::Serving;
use crate::staged::Staged;

/// What a thread knows of five stories.
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

/// Says what is known, and has six items made of it.
#[track_caller]
pub(crate) fn ask_for_six(chat: &Chat<'_>) -> Card {
    chat.write(KNOWN);
    chat.until_gate("Problem: nobody");
    chat.click(At::Named("radio", "Not now"));
    chat.until_says("OK, leaving it");
    chat.write(SIX);
    let batch = chat.until_batch(1, "confirm_quantity");
    assert_eq!(batch.title, "Create 1 epic and 5 stories in DEMO?");
    assert_eq!(batch.actions.iter().filter(|action| *action == "edit_story").count(), 6);
    batch
}

/// Confirms the number and approves.
#[track_caller]
fn create(chat: &Chat<'_>, batch: &Card) {
    chat.press_on(batch, "confirm_quantity");
    let batch = chat.until_batch(batch.version, "approve");
    chat.approve_all(&batch);
}

/// Waits until so many of the items are there and linked to their epic.
#[track_caller]
fn until_linked(chat: &Chat<'_>, stories: usize) -> Card {
    chat.until_card("links that were read back", |card| {
        card.step == "receipt" && card.text.matches(", under DEMO-1").count() == stories
    })
}

/// The fault of a tracker that does not take what a field of that item says.
pub(crate) fn refuses(title: &str) -> Scripted {
    let error = FieldError {
        item: String::new(),
        code: "check.value".into(),
        field: "labels".into(),
        text: "The tracker does not take this value".into(),
    };
    Scripted { on: Some(Call::Create), item: Some(Which::Titled(title.into())), fault: Fault::Reject(error) }
}

#[test]
fn w6_w17_w25_a_batch_is_confirmed_edited_and_created() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    let batch = ask_for_six(&chat);
    chat.press_on(&batch, "confirm_quantity");
    chat.until_batch(1, "approve");
    // By its form, twice: only that story changes, and the number has to be confirmed again.
    for (version, field, text) in
        [(2, "Title", "Reset a forgotten password"), (3, "Acceptance criteria", "the link works once")]
    {
        chat.press_on_item(&batch, 4, "edit_story");
        chat.fill(field, text);
        chat.save();
        let edited = chat.until_batch(version, "confirm_quantity");
        assert!(!edited.actions.contains(&"approve".into()), "{edited:?}");
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
    let whole = chat.until_batch(5, "approve");
    // More than three are asked about once more, with their number and where they go; nobody is held to it.
    chat.press_on(&whole, "approve");
    chat.find(At::Named("dialog", "Create 1 epic and 5 stories in DEMO?"));
    chat.press("Escape");
    assert_eq!(serving.issues(), Vec::<String>::new());
    chat.approve_all(&whole);
    let receipt = until_linked(&chat, 5);
    assert!(receipt.title.starts_with("Created 6 of 6"), "{}", receipt.title);
    // The epic first, its stories in any order.
    let mut issues = serving.issues();
    assert_eq!(issues[0], "Auth");
    issues.sort_unstable();
    assert_eq!(
        issues,
        ["Auth", "Change my email", "Log in", "Log out", "Reset a forgotten password", "See my devices"]
    );
    chat.click(At::Css(&format!("[data-card='{}'] .items > :nth-child(4) .link a", receipt.id)));
    chat.until_says("the link works once");
    chat.click(At::Named("link", "DEMO-1"));
    chat.until_says("DEMO-6");
    chat.is_clean();
}

#[test]
fn w18_a_batch_outlives_a_server_that_is_killed_at_each_step() {
    let Some(browser) = Browser::start() else { return };
    let mut serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    let batch = ask_for_six(&chat);
    let mut killed = || {
        serving.kill();
        chat.until_connection("offline");
        serving.resume();
        chat.until_connection("live");
    };
    killed();
    chat.press_on(&batch, "confirm_quantity");
    let batch = chat.until_batch(1, "approve");
    killed();
    chat.approve_all(&batch);
    // Wherever it is by now.
    killed();
    let receipt = until_linked(&chat, 5);
    assert!(receipt.title.starts_with("Created 6 of 6"), "{}", receipt.title);
    killed();
    assert_eq!(serving.issues().len(), 6);
}

#[test]
fn w19_what_could_not_be_created_is_tried_again_alone() {
    let Some(browser) = Browser::start() else { return };
    let staged = Staged::start();
    staged.faults.script(refuses("Reset my password"));
    let chat = Chat::open(&browser, &staged.url);
    create(&chat, &ask_for_six(&chat));
    let receipt = chat.until_created("Created 5 of 6 (1 failed)");
    assert!(receipt.text.contains("The tracker does not take this value"), "{}", receipt.text);
    assert_eq!(receipt.actions, ["retry_missing"]);
    chat.press_on(&receipt, "retry_missing");
    let again = chat.until_batch(1, "confirm_quantity");
    assert!(again.text.contains("Reset my password") && !again.text.contains("Log in"), "{}", again.text);
    chat.press_on(&again, "confirm_quantity");
    chat.until_card("Approve", |card| card.id == again.id && card.actions.contains(&"approve".into()));
    chat.press_on(&again, "approve");
    let made = until_linked(&chat, 1);
    assert!(made.title.starts_with("Created 1 of 1") && made.text.contains("DEMO-6"), "{made:?}");
    assert_eq!(staged.faults.create_requests(), 7);
    chat.is_clean();
}

#[test]
fn w24_a_tracker_that_is_down_makes_no_issue_twice() {
    let Some(browser) = Browser::start() else { return };
    let staged = Staged::start();
    for fault in [Fault::Refused, Fault::Refused, Fault::Refused, Fault::Pass, Fault::LostReply] {
        staged.faults.push(Call::Create, fault);
    }
    staged.faults.push(Call::Seek, Fault::Refused);
    let chat = Chat::open(&browser, &staged.url);
    chat.write(THREE);
    let batch = chat.until_batch(1, "approve");
    chat.press_on(&batch, "approve");
    // It is away, so nothing is created and nothing is given up; then an answer is lost, and that is said.
    let uncertain = chat.until("the uncertain effect to be shown", || {
        staged.advance(Timestamp::SECOND);
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
        staged.advance(Timestamp::MINUTE);
        if chat.text().contains("Created 3 of 3") { Ok(()) } else { Err(chat.text()) }
    });
    // Three requests that could create one made three issues.
    assert_eq!(staged.faults.create_requests(), 3);
    chat.is_clean();
}

#[test]
fn w26_without_a_model_stories_are_skeletons_that_ask() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(SIX);
    let batch = chat.until_batch(1, "confirm_quantity");
    assert_eq!(batch.text.matches("(no title yet)").count(), 5, "{}", batch.text);
    chat.until_says("Epic (\"Auth\") needs detail before it can be approved: Problem, Acceptance criteria.");
    // Confirming the number does not make a skeleton a story.
    chat.press_on(&batch, "confirm_quantity");
    chat.until_card("the number to be confirmed", |card| {
        card.id == batch.id && !card.actions.contains(&"confirm_quantity".into())
    });
    chat.write("Problem: nobody can sign in\nAcceptance criteria: all stories are done");
    chat.until_says("Story 1 needs detail before it can be approved: Title");
    chat.until_batch(2, "confirm_quantity");
    chat.press_on_item(&batch, 2, "edit_story");
    chat.fill("Title", "Log in");
    chat.fill("Problem", "The form is gone");
    chat.fill("Acceptance criteria", "It is back");
    chat.save();
    chat.until_says("Story 2 needs detail before it can be approved: Title");
    for (place, version) in [(6, 4), (5, 5), (4, 6), (3, 7)] {
        chat.press_on_item(&batch, place, "remove_story");
        chat.until_card("one fewer", |card| card.id == batch.id && card.version == version);
    }
    let whole = chat.until_batch(7, "approve");
    chat.press_on(&whole, "approve");
    chat.until_created("Created 2 of 2");
    assert_eq!(serving.issues(), ["Auth", "Log in"]);
    chat.is_clean();
}

#[test]
fn a_long_batch_is_split_into_batches_of_their_own() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::with("[policy.latch]\nchars = 150\n");
    let chat = Chat::open(&browser, &serving.url());
    chat.write(THREE);
    let long = chat.until_batch(1, "split");
    assert!(long.actions.contains(&"confirm_size".into()), "{long:?}");
    chat.press_on(&long, "split");
    let part = chat.until_card("the first part", |card| card.title.contains("part 1 of"));
    assert!(part.text.contains("Auth"), "{}", part.text);
    assert_eq!(serving.issues(), Vec::<String>::new());
}
