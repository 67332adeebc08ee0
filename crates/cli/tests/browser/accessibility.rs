//! Accessibility of the chat and the pages around it: roles and names, the focus, and contrast in both colour schemes.

use serde_json::json;

use crate::chat::{BUG, Chat, button};
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::Server;
use crate::small_screen::assert_fits;

/// The contrast that WCAG AA requires of text of normal size. Here it applies to all text.
const CONTRAST: f64 = 4.5;
const INTERACTIVE: &str = "a[href], button, input:not([type=hidden]), textarea, select, summary, [tabindex='0'], [role=button], [role=radio]";

// row: WB4
#[test]
fn everything_has_a_role_and_a_name() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.find(By::Role("log", "Conversation"));
    let act = "Approve: create 1 bug in DEMO, version 1";
    assert_eq!(chat.find(By::Role("button", act)), chat.find(By::Css(&button(&preview, "approve"))));
    assert_all_named(&chat, "body");
    chat.press_on(&preview, "edit");
    let dialog = chat.find(By::Css("dialog"));
    assert_eq!(chat.role(&dialog), "dialog");
    assert!(!chat.name(&dialog).is_empty(), "the dialog has no name");
    // The rest of the page is inert while the dialog is open.
    assert_all_named(&chat, "dialog");
    assert_focus_stays_in_dialog(&chat);
    chat.press("Escape");
    assert!(!chat.is_visible(By::Css("dialog")));
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    // New messages are announced without moving the reader's position.
    let live = chat.run("return document.querySelector('[role=log]').getAttribute('aria-live')", &[]);
    assert_eq!(live, json!("polite"));
    chat.assert_no_faults();
}

/// Asserts that every interactive element has a role and a name.
#[track_caller]
pub(crate) fn assert_all_named(page: &Page<'_>, within: &str) {
    let nameless: Vec<String> = page
        .visible(&format!("{within} :is({INTERACTIVE})"))
        .into_iter()
        .filter(|element| page.name(element).trim().is_empty() || page.role(element) == "generic")
        .filter(|element| page.has(element))
        .map(|element| page.run("return arguments[0].outerHTML", &[element.argument()]).to_string())
        .collect();
    assert!(nameless.is_empty(), "without a name or a role: {nameless:#?}");
}

#[track_caller]
fn assert_focus_stays_in_dialog(chat: &Chat<'_>) {
    for n in 0..40 {
        chat.press(if n % 3 == 0 { "Shift+Tab" } else { "Tab" });
        // Between the last and the first element, Chromium may focus its own window.
        let inside =
            "return document.activeElement === document.body || !!document.activeElement.closest('dialog')";
        assert_eq!(chat.run(inside, &[]), json!(true), "the focus left the dialog");
    }
}

// row: WB4
#[test]
fn all_text_can_be_read_in_both_themes() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(&BUG.replace("the page", "the list"));
    let preview = chat.until_preview(1);
    chat.click(By::Css("article:last-of-type .why button"));
    chat.find(By::Css("article:last-of-type .rungs"));
    for theme in ["light", "dark"] {
        chat.theme(theme);
        assert_contrast(&chat, theme);
        chat.press_on(&preview, "edit");
        chat.find(By::Css("dialog"));
        assert_contrast(&chat, theme);
        chat.press("Escape");
    }
}

// row: WB4
#[test]
fn the_pages_around_the_chat_can_be_read_too() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    let script = "return [document.querySelector('.ours').dataset.turn,
        document.querySelector('[data-action=edit]').value, document.body.dataset.conversation]";
    let found: [String; 3] = serde_json::from_value(chat.run(script, &[])).unwrap();
    let [turn, token, conversation] = found;
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    for path in [
        format!("turns/{turn}"),
        format!("edit?c={conversation}&token={token}"),
        "tracker/DEMO-1".to_owned(),
        "tracker/DEMO-2".to_owned(),
    ] {
        chat.go(&format!("{}/{path}", server.url()));
        assert_all_named(&chat, "body");
        for theme in ["light", "dark"] {
            chat.theme(theme);
            assert_contrast(&chat, theme);
        }
        assert_fits(&chat, &path);
        chat.own_size();
        chat.assert_no_faults();
    }
}

/// Asserts that no text has a contrast below the limit.
#[track_caller]
pub(crate) fn assert_contrast(page: &Page<'_>, theme: &str) {
    page.until_still();
    let told = page.run(include_str!("contrast.js"), &[json!(CONTRAST)]);
    assert_eq!(told["dark"], json!(theme == "dark"), "the page does not know its theme");
    assert!(told["looked"].as_u64().unwrap() > 5, "{theme}: there is hardly any text: {told}");
    assert_eq!(told["found"], json!([]), "{theme}: contrast below {CONTRAST}");
}
