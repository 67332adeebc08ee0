//! Accessibility of the cards of all workflows and of their dialogs: names, contrast in both colour schemes, small
//! screens, and the keyboard.

use throughline_trackers::local::{Call, Fault};

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::batch::{THREE, ask_for_six, rejects, until_approvable};
use crate::chat::{BUG, Chat, button};
use crate::decision::DECISION;
use crate::driver::Browser;
use crate::in_process::InProcessServer;
use crate::page::{By, Page};
use crate::review::{PLAN, twenty_points};
use crate::server::Server;
use crate::small_screen::assert_fits;

// row: WB4
#[test]
fn a_batch_can_be_read_and_acted_on() {
    let Some(browser) = Browser::start() else { return };
    let server = InProcessServer::start();
    server.faults.script(rejects("reset my password"));
    let chat = Chat::open(&browser, &server.url);
    let batch = ask_for_six(&chat);
    chat.find(By::Role("button", "Edit story 3: reset my password, version 1"));
    chat.find(By::Role("button", "Remove epic: auth, version 1"));
    assert_accessible(&chat, "[role=log]", "a batch");
    chat.click(By::Css(".items > :nth-child(2) summary"));
    assert_accessible(&chat, "[role=log]", "its details");
    chat.press_on_item(&batch, 4, "edit_story");
    chat.find(By::Role("dialog", "Edit: Story 3: reset my password"));
    assert_accessible(&chat, "dialog", "the form of a story");
    chat.press("Escape");
    chat.press_on(&batch, "confirm_quantity");
    let batch = until_approvable(&chat, 1);
    // With the keyboard alone. The dialog starts on *Back*, so that holding Enter does not confirm, and closing it
    // returns the focus.
    let approve = button(&batch, "approve");
    chat.run("document.querySelector(arguments[0]).focus()", &[approve.as_str().into()]);
    chat.press("Enter");
    chat.find(By::Role("dialog", "Create 1 epic and 5 stories in DEMO?"));
    assert_accessible(&chat, "dialog", "the question whether all are meant");
    assert_eq!(chat.name(&chat.focused()), "Back");
    chat.press("Enter");
    assert!(!chat.is_visible(By::Css("dialog")));
    assert_eq!(chat.focused(), chat.find(By::Css(&approve)));
    chat.press("Enter");
    chat.press("Shift+Tab");
    assert_eq!(chat.name(&chat.focused()), "Create 6 items");
    chat.press("Space");
    chat.until_created("Created 5 of 6 (1 failed)");
    assert_accessible(&chat, "[role=log]", "a receipt");
    server.faults.push(Call::Create, Fault::LostReply);
    server.faults.push(Call::Seek, Fault::Refused);
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    let uncertain = chat.until_card("the uncertain effect", |card| card.step == "uncertain_effect");
    assert_accessible(&chat, "[role=log]", "an uncertain effect");
    chat.press_on(&uncertain, "adopt");
    assert_accessible(&chat, "dialog", "the form for the key of what exists");
    chat.press("Escape");
    assert_same_after_reload(&chat);
    chat.assert_no_faults();
}

// row: WB4
#[test]
fn what_a_batch_lacks_can_be_read() {
    let Some(browser) = Browser::start() else { return };
    let server =
        Server::with("[policy.latch]\nchars = 150\n[projects.DEMO]\nrequired = [\"title\", \"labels\"]\n");
    let chat = Chat::open(&browser, &server.url());
    chat.write("Create epic with 5 stories for billing");
    chat.until_card("proposals", |card| {
        card.text.matches("proposed · needs detail: Problem, Acceptance criteria").count() == 5
    });
    assert_accessible(&chat, "[role=log]", "proposals");
    chat.write(THREE);
    chat.until_card("what is missing", |card| {
        card.title == "Create 1 epic and 2 stories in DEMO?" && card.text.contains("✗ Labels is required")
    });
    assert_accessible(&chat, "main", "a batch that is not ready");
    chat.write("Create a ticket");
    chat.until_card("no title", |card| card.text.contains("✗ It has no title yet"));
    assert_accessible(&chat, "main", "gaps, and Approve disabled");
    assert_same_after_reload(&chat);
    chat.assert_no_faults();
}

// row: WB4
#[test]
fn a_review_and_a_decision_can_be_read_and_acted_on() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(PLAN);
    let review = chat.until_review(1, "Postgres");
    chat.find(By::Role("button", "Finish: Architecture review: Postgres for orders"));
    chat.write(&twenty_points());
    chat.until_says("+ 8 more under Show full");
    chat.press_on(&review, "show_full");
    chat.until_says("Changes point 11");
    assert_accessible(&chat, "[role=log]", "a review");
    chat.write("thanks");
    chat.until_card("the review to be over", |card| card.step == "review_frozen");
    chat.click(By::Css("article:has([data-step=review_frozen]) .reply"));
    chat.until_says("In reply to Architecture review: Postgres for orders");
    assert_accessible(&chat, "main", "a frozen review that is replied to");
    chat.click(By::Role("link", "Do not reply to it"));
    chat.write(DECISION);
    let shown = chat.until_card("the decision", |card| card.step == "decision_preview");
    assert_accessible(&chat, "[role=log]", "a decision");
    chat.press_on(&shown, "edit");
    assert_accessible(&chat, "dialog", "the form of a decision");
    chat.press("Escape");
    chat.press_on(&shown, "approve");
    chat.until_created("Posted: the decision on sign-in");
    assert_accessible(&chat, "[role=log]", "the receipt of a decision");
    assert_same_after_reload(&chat);
    chat.assert_no_faults();
}

/// Asserts that the page rendered by the server equals the one updated by the script.
#[track_caller]
fn assert_same_after_reload(chat: &Chat<'_>) {
    let before = (chat.messages(), chat.cards());
    chat.reload();
    chat.until_connection("live");
    chat.find(By::Css("[role=log]"));
    assert_eq!((chat.messages(), chat.cards()), before);
}

/// Asserts names, contrast in both colour schemes, and that nothing is cut off on a small screen.
#[track_caller]
pub(crate) fn assert_accessible(page: &Page<'_>, within: &str, what: &str) {
    page.find(By::Css(within));
    assert_all_named(page, within);
    for theme in ["light", "dark"] {
        page.theme(theme);
        assert_contrast(page, theme);
    }
    assert_fits(page, what);
    page.own_size();
}
