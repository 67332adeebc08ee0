//! What a screen reader is told, where the focus may go, and what can be read in both colour schemes (`spec 07 §14`,
//! WB4).

use serde_json::json;

use crate::chat::{BUG, Chat, button};
use crate::driver::Browser;
use crate::narrow::fits;
use crate::page::{At, Page};
use crate::serving::Serving;

/// As WCAG AA asks of all text, whatever its size.
const CONTRAST: f64 = 4.5;
const INTERACTIVE: &str = "a[href], button, input:not([type=hidden]), textarea, select, summary, [tabindex='0'], [role=button], [role=radio]";

#[test]
fn wb4_everything_has_a_role_and_a_name() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.find(At::Named("log", "Conversation"));
    let act = "Approve: create 1 bug in DEMO, version 1";
    assert_eq!(chat.find(At::Named("button", act)), chat.find(At::Css(&button(&preview, "approve"))));
    everything_is_named(&chat, "body");
    chat.press_on(&preview, "edit");
    let dialog = chat.find(At::Css("dialog"));
    assert_eq!(chat.role(&dialog), "dialog");
    assert!(!chat.name(&dialog).is_empty(), "the dialog has no name");
    // The rest of the page is inert meanwhile.
    everything_is_named(&chat, "dialog");
    the_dialog_keeps_the_focus(&chat);
    chat.press("Escape");
    assert!(!chat.sees(At::Css("dialog")));
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    // A press that is refused is told at once, not when the reader gets there.
    let live = chat.run("return document.querySelector('[role=log]').getAttribute('aria-live')", &[]);
    assert_eq!(live, json!("polite"));
    chat.is_clean();
}

/// Everything that can be acted on says what it is and does.
#[track_caller]
pub(crate) fn everything_is_named(page: &Page<'_>, within: &str) {
    let nameless: Vec<String> = page
        .seen(&format!("{within} :is({INTERACTIVE})"))
        .into_iter()
        .filter(|element| page.name(element).trim().is_empty() || page.role(element) == "generic")
        .map(|element| page.run("return arguments[0].outerHTML", &[element.argument()]).to_string())
        .collect();
    assert!(nameless.is_empty(), "without a name or a role: {nameless:#?}");
}

#[track_caller]
fn the_dialog_keeps_the_focus(chat: &Chat<'_>) {
    for n in 0..40 {
        chat.press(if n % 3 == 0 { "Shift+Tab" } else { "Tab" });
        // Chromium may rest on its own window between the last and the first.
        let inside =
            "return document.activeElement === document.body || !!document.activeElement.closest('dialog')";
        assert_eq!(chat.run(inside, &[]), json!(true), "the focus left the dialog");
    }
}

#[test]
fn wb4_all_text_can_be_read_in_both_themes() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.write(&BUG.replace("the page", "the list"));
    let preview = chat.until_preview(1);
    chat.click(At::Css("article:last-of-type .why button"));
    chat.find(At::Css("article:last-of-type .rungs"));
    for theme in ["light", "dark"] {
        chat.theme(theme);
        can_be_read(&chat, theme);
        chat.press_on(&preview, "edit");
        chat.find(At::Css("dialog"));
        can_be_read(&chat, theme);
        chat.press("Escape");
    }
}

#[test]
fn wb4_the_pages_around_the_chat_can_be_read_too() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
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
        chat.go(&format!("{}/{path}", serving.url()));
        everything_is_named(&chat, "body");
        for theme in ["light", "dark"] {
            chat.theme(theme);
            can_be_read(&chat, theme);
        }
        fits(&chat, &path);
        chat.own_size();
        chat.is_clean();
    }
}

/// No text's contrast is below the limit.
#[track_caller]
pub(crate) fn can_be_read(page: &Page<'_>, theme: &str) {
    page.until_still();
    let told = page.run(include_str!("contrast.js"), &[json!(CONTRAST)]);
    assert_eq!(told["dark"], json!(theme == "dark"), "the page does not know its theme");
    assert!(told["looked"].as_u64().unwrap() > 5, "{theme}: there is hardly any text: {told}");
    assert_eq!(told["found"], json!([]), "{theme}: contrast below {CONTRAST}");
}
