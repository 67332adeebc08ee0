//! A decision record: previewed, edited, posted, added as a comment.

use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::By;
use crate::server::Server;

/// A message with a decision and its reason.
pub(crate) const DECISION: &str = "Record the decision about sign-in: we use passkeys. Passwords stay for a year, because support asked for it.";

// row: W23
#[test]
fn a_decision_is_shown_edited_posted_once_and_commented() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write(DECISION);
    let shown = chat.until_card("the decision", |card| card.step == "decision_preview");
    assert_eq!(shown.actions, ["approve", "edit", "cancel"]);
    assert!(shown.text.contains("support asked for it") && shown.text.contains("DEMO-1"), "{}", shown.text);
    // A message cannot approve.
    chat.write("yes, go ahead");
    chat.until_says("Please press Approve on the card");
    chat.press_on(&shown, "edit");
    chat.fill("Decision", "We use passkeys from May on.");
    chat.save();
    let edited = chat.until_card("the edited decision", |card| card.id == shown.id && card.version == 2);
    chat.press_on(&edited, "approve");
    let receipt = chat.until_created("Posted: the decision on sign-in");
    assert_eq!(receipt.id, shown.id);
    assert!(receipt.text.contains("We use passkeys from May on."), "{}", receipt.text);
    assert_eq!(receipt.actions, ["comment"]);
    chat.find(By::Css(&format!("[data-card='{}'] .link a", receipt.id)));
    chat.press_on(&receipt, "comment");
    chat.until_says("commented on DEMO-1 by @you");
    chat.go(&format!("{}/tracker/DEMO-1", server.url()));
    chat.until_says("We use passkeys from May on.");
    chat.assert_no_faults();
}
