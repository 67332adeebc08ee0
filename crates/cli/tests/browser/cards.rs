//! Every card of a workflow, and every dialog one opens: named, readable in both colour schemes, whole on a small
//! screen, and reached by keys (`spec 07 §14`, WB4).

use throughline_trackers::local::{Call, Fault};

use crate::access::{can_be_read, everything_is_named};
use crate::batch::{THREE, ask_for_six, refuses};
use crate::chat::{BUG, Chat, button};
use crate::decision::DECISION;
use crate::driver::Browser;
use crate::narrow::fits;
use crate::page::{At, Page};
use crate::review::{PLAN, twenty_points};
use crate::serving::Serving;
use crate::staged::Staged;

#[test]
fn wb4_a_batch_can_be_read_and_acted_on() {
    let Some(browser) = Browser::start() else { return };
    let staged = Staged::start();
    staged.faults.script(refuses("Reset my password"));
    let chat = Chat::open(&browser, &staged.url);
    let batch = ask_for_six(&chat);
    chat.find(At::Named("button", "Edit story 3: Reset my password, version 1"));
    chat.find(At::Named("button", "Remove epic: Auth, version 1"));
    is_sound(&chat, "[role=log]", "a batch");
    chat.click(At::Css(".items > :nth-child(2) summary"));
    is_sound(&chat, "[role=log]", "its details");
    chat.press_on_item(&batch, 4, "edit_story");
    chat.find(At::Named("dialog", "Edit: Story 3: Reset my password"));
    is_sound(&chat, "dialog", "the form of a story");
    chat.press("Escape");
    chat.press_on(&batch, "confirm_quantity");
    let batch = chat.until_batch(1, "approve");
    // With keys alone. A key that is held down does not say yes, and the focus comes back.
    let approve = button(&batch, "approve");
    chat.run("document.querySelector(arguments[0]).focus()", &[approve.as_str().into()]);
    chat.press("Enter");
    chat.find(At::Named("dialog", "Create 1 epic and 5 stories in DEMO?"));
    is_sound(&chat, "dialog", "the question whether all are meant");
    assert_eq!(chat.name(&chat.focused()), "Back");
    chat.press("Enter");
    assert!(!chat.sees(At::Css("dialog")));
    assert_eq!(chat.focused(), chat.find(At::Css(&approve)));
    chat.press("Enter");
    chat.press("Shift+Tab");
    assert_eq!(chat.name(&chat.focused()), "Create 6 items");
    chat.press("Space");
    chat.until_created("Created 5 of 6 (1 failed)");
    is_sound(&chat, "[role=log]", "a receipt");
    staged.faults.push(Call::Create, Fault::LostReply);
    staged.faults.push(Call::Seek, Fault::Refused);
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    let uncertain = chat.until_card("the uncertain effect", |card| card.step == "uncertain_effect");
    is_sound(&chat, "[role=log]", "an uncertain effect");
    chat.press_on(&uncertain, "adopt");
    is_sound(&chat, "dialog", "the form for the key of what exists");
    chat.press("Escape");
    is_the_same_anew(&chat);
    chat.is_clean();
}

#[test]
fn wb4_what_a_batch_lacks_can_be_read() {
    let Some(browser) = Browser::start() else { return };
    let serving =
        Serving::with("[policy.latch]\nchars = 150\n[projects.DEMO]\nrequired = [\"title\", \"labels\"]\n");
    let chat = Chat::open(&browser, &serving.url());
    chat.write(THREE);
    chat.until_card("what is missing", |card| card.text.contains("✗ Labels is required"));
    is_sound(&chat, "[role=log]", "a batch that is not ready");
    chat.write("Create epic with 5 stories for billing");
    chat.until_card("skeletons", |card| card.text.contains("✗ It has no title yet"));
    is_sound(&chat, "main", "skeletons");
    is_the_same_anew(&chat);
    chat.is_clean();
}

#[test]
fn wb4_a_review_and_a_decision_can_be_read_and_acted_on() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(PLAN);
    let review = chat.until_review(1, "Postgres");
    chat.find(At::Named("button", "Finish: Architecture review: Postgres for orders"));
    chat.write(&twenty_points());
    chat.until_says("+ 8 more under Show full");
    chat.press_on(&review, "show_full");
    chat.until_says("Changes point 11");
    is_sound(&chat, "[role=log]", "a review");
    chat.write("thanks");
    chat.until_card("the review to be over", |card| card.step == "review_frozen");
    chat.click(At::Css("article:has([data-step=review_frozen]) .reply"));
    chat.until_says("In reply to Architecture review: Postgres for orders");
    is_sound(&chat, "main", "a frozen review that is replied to");
    chat.click(At::Named("link", "Do not reply to it"));
    chat.write(DECISION);
    let shown = chat.until_card("the decision", |card| card.step == "decision_preview");
    is_sound(&chat, "[role=log]", "a decision");
    chat.press_on(&shown, "edit");
    is_sound(&chat, "dialog", "the form of a decision");
    chat.press("Escape");
    chat.press_on(&shown, "approve");
    chat.until_created("Posted: the decision on sign-in");
    is_sound(&chat, "[role=log]", "the receipt of a decision");
    is_the_same_anew(&chat);
    chat.is_clean();
}

/// What the script has built is what the server writes.
#[track_caller]
fn is_the_same_anew(chat: &Chat<'_>) {
    let before = (chat.messages(), chat.cards());
    chat.reload();
    chat.until_connection("live");
    chat.find(At::Css("[role=log]"));
    assert_eq!((chat.messages(), chat.cards()), before);
}

/// Everything there says what it is and does, can be read in both themes, and is not cut off.
#[track_caller]
pub(crate) fn is_sound(page: &Page<'_>, within: &str, what: &str) {
    page.find(At::Css(within));
    everything_is_named(page, within);
    for theme in ["light", "dark"] {
        page.theme(theme);
        can_be_read(page, theme);
    }
    fits(page, what);
    page.own_size();
}
