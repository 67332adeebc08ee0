//! From an unclear message to an issue, with the mouse alone and with the keyboard alone (`spec 07 §14`, WB1).

use crate::chat::{Chat, MESSAGE, button, edit_title};
use crate::driver::Browser;
use crate::page::At;
use crate::serving::Serving;

#[test]
fn wb1_the_mouse_alone_is_enough() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("What do you think about microservices?");
    let gate = chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.click(At::Named("radio", "Create ticket"));
    chat.until_says("First: Problem?");
    assert_eq!(chat.cards().iter().filter(|card| card.id == gate.id).count(), 1);
    chat.write("they are many");
    chat.until_says("One thing is missing before I can show a preview: Acceptance criteria?");
    chat.write("there are fewer");
    let preview = chat.until_preview(1);
    assert!(preview.text.contains("they are many"), "{}", preview.text);
    edit_title(&chat, &preview, "Too many services");
    let edited = chat.until_preview(2);
    assert!(edited.text.contains("Too many services"), "{}", edited.text);
    chat.press_on(&edited, "approve");
    let receipt = chat.until_receipt();
    assert!(receipt.title.contains("DEMO-1"), "{}", receipt.title);
    assert_eq!(serving.issues(), ["Too many services"]);
    chat.is_clean();
}

#[test]
fn wb1_the_keyboard_alone_is_enough() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    tab_to(&chat, MESSAGE);
    chat.types("What do you think about microservices?");
    chat.press("Enter");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    has_focus(&chat, MESSAGE);
    go_to(&chat, "Shift+Tab", At::Named("radio", "Review"));
    go_to(&chat, "ArrowDown", At::Named("radio", "Create ticket"));
    chat.press("Space");
    chat.until_says("First: Problem?");
    tab_to(&chat, MESSAGE);
    chat.types("they are many");
    chat.press("Enter");
    chat.until_says("Acceptance criteria?");
    has_focus(&chat, MESSAGE);
    chat.types("there are fewer");
    chat.press("Enter");
    let preview = chat.until_preview(1);
    has_focus(&chat, MESSAGE);
    let edit = button(&preview, "edit");
    tab_to(&chat, At::Css(&edit));
    chat.press("Enter");
    chat.find(At::Css("dialog"));
    chat.press("Escape");
    // Back where it was.
    has_focus(&chat, At::Css(&edit));
    chat.press("Enter");
    tab_to(&chat, At::Named("textbox", "Title"));
    chat.press("Control+a");
    chat.types("Too many services");
    tab_to(&chat, At::Named("button", "Save"));
    chat.press("Enter");
    let edited = chat.until_preview(2);
    tab_to(&chat, At::Css(&button(&edited, "approve")));
    chat.press("Enter");
    chat.until_receipt();
    focus_is_kept(&chat);
    assert_eq!(serving.issues(), ["Too many services"]);
    chat.is_clean();
}

/// Goes on with Tab until something has the focus; on the way, what has the focus is seen to have it.
#[track_caller]
fn tab_to(chat: &Chat<'_>, at: At<'_>) {
    go_to(chat, "Tab", at);
}

/// Goes with a key, as a person does who looks where the focus is.
#[track_caller]
fn go_to(chat: &Chat<'_>, key: &str, at: At<'_>) {
    let wanted = chat.find(at);
    let mut way = Vec::new();
    while chat.focused() != wanted {
        assert!(way.len() < 60, "{key} does not lead to {at:?}, but to {way:#?}");
        chat.press(key);
        way.push(focus_is_seen(chat));
    }
}

/// Asserts that what has the focus shows it, and tells what it is.
#[track_caller]
fn focus_is_seen(chat: &Chat<'_>) -> String {
    let focused = chat.focused();
    let told = format!("{} {:?}", chat.role(&focused), chat.name(&focused));
    // A field may leave it to the box it is in. A card that changes meanwhile gives the focus to what is in its place.
    let script = "const it = document.activeElement;
        const box = it.getBoundingClientRect();
        const around = [it, it.parentElement, it.parentElement?.parentElement];
        const outlined = around.filter(at => at).map(at => getComputedStyle(at))
            .some(style => style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1);
        const there = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const covered = !there || !(it.contains(there) || there.contains(it));
        return it === document.body || (outlined && !covered)";
    let seen = chat.run(script, &[]);
    assert_eq!(seen, serde_json::json!(true), "nobody sees that {told} has the focus");
    told
}

#[track_caller]
fn has_focus(chat: &Chat<'_>, at: At<'_>) {
    let wanted = chat.find(at);
    chat.until(&format!("the focus to be on {at:?}"), || {
        let focused = chat.focused();
        if focused == wanted {
            Ok(())
        } else {
            Err(format!("{} {:?}", chat.role(&focused), chat.name(&focused)))
        }
    });
    focus_is_seen(chat);
}

/// The focus is not lost to the page itself when what had it went away.
#[track_caller]
fn focus_is_kept(chat: &Chat<'_>) {
    let script = "return document.activeElement !== document.body && document.activeElement !== null";
    assert_eq!(chat.run(script, &[]), serde_json::json!(true), "nothing has the focus any more");
}
