//! From an unclear message to an issue, with the mouse alone and with the keyboard alone.

use crate::chat::{Chat, MESSAGE, button, edit_title};
use crate::driver::Browser;
use crate::page::By;
use crate::server::Server;
use crate::ticket::until_checked;

// row: WB1
#[test]
fn the_mouse_alone_is_enough() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("What do you think about microservices?");
    let gate = chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.click(By::Role("radio", "Create ticket"));
    chat.until_says("Problem? Also open: Acceptance criteria.");
    assert_eq!(chat.cards().iter().filter(|card| card.id == gate.id).count(), 1);
    let gaps = chat.until_preview(1);
    assert_eq!(gaps.text.lines().filter(|line| line.trim() == "open").count(), 2, "{}", gaps.text);
    chat.write("they are many");
    chat.until_says("Acceptance criteria? Answer here");
    chat.write("there are fewer");
    let preview = until_checked(&chat, 3);
    assert_eq!(preview.id, gaps.id);
    for said in ["they are many", "there are fewer"] {
        assert!(preview.text.contains(said), "{}", preview.text);
    }
    edit_title(&chat, &preview, "Too many services");
    let edited = until_checked(&chat, 4);
    assert!(edited.text.contains("Too many services"), "{}", edited.text);
    chat.press_on(&edited, "approve");
    let receipt = chat.until_receipt();
    assert!(receipt.title.contains("DEMO-1"), "{}", receipt.title);
    assert_eq!(server.issues(), ["Too many services"]);
    chat.assert_no_faults();
}

// row: WB1
#[test]
fn the_keyboard_alone_is_enough() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    tab_to(&chat, MESSAGE);
    chat.type_text("What do you think about microservices?");
    chat.press("Enter");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    assert_focus_on(&chat, MESSAGE);
    go_to(&chat, "Shift+Tab", By::Role("radio", "Review"));
    go_to(&chat, "ArrowDown", By::Role("radio", "Create ticket"));
    chat.press("Space");
    chat.until_says("Problem? Also open: Acceptance criteria.");
    tab_to(&chat, MESSAGE);
    chat.type_text("they are many");
    chat.press("Enter");
    chat.until_says("Acceptance criteria? Answer here");
    assert_focus_on(&chat, MESSAGE);
    chat.type_text("there are fewer");
    chat.press("Enter");
    let preview = until_checked(&chat, 3);
    assert_focus_on(&chat, MESSAGE);
    let edit = button(&preview, "edit");
    tab_to(&chat, By::Css(&edit));
    chat.press("Enter");
    chat.find(By::Css("dialog"));
    chat.press("Escape");
    // The focus is back on the button that opened the dialog.
    assert_focus_on(&chat, By::Css(&edit));
    chat.press("Enter");
    tab_to(&chat, By::Role("textbox", "Title"));
    chat.press("Control+a");
    chat.type_text("Too many services");
    tab_to(&chat, By::Role("button", "Save"));
    chat.press("Enter");
    let edited = until_checked(&chat, 4);
    tab_to(&chat, By::Css(&button(&edited, "approve")));
    chat.press("Enter");
    chat.until_receipt();
    assert_focus_kept(&chat);
    assert_eq!(server.issues(), ["Too many services"]);
    chat.assert_no_faults();
}

/// Presses Tab until an element has the focus. Each focused element on the way must show its focus.
#[track_caller]
fn tab_to(chat: &Chat<'_>, at: By<'_>) {
    go_to(chat, "Tab", at);
}

/// Presses a key until an element has the focus.
#[track_caller]
fn go_to(chat: &Chat<'_>, key: &str, at: By<'_>) {
    let wanted = chat.find(at);
    let mut way = Vec::new();
    while chat.focused() != wanted {
        assert!(way.len() < 60, "{key} does not lead to {at:?}, but to {way:#?}");
        chat.press(key);
        way.push(assert_focus_visible(chat));
    }
}

/// Asserts that the focused element shows its focus. Returns its role and name.
#[track_caller]
fn assert_focus_visible(chat: &Chat<'_>) -> String {
    let focused = chat.focused();
    let told = format!("{} {:?}", chat.role(&focused), chat.name(&focused));
    // The outline may be on the box around a field. When a card changes, the focus moves to what replaces it.
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
fn assert_focus_on(chat: &Chat<'_>, at: By<'_>) {
    let wanted = chat.find(at);
    chat.until(&format!("the focus to be on {at:?}"), || {
        let focused = chat.focused();
        if focused == wanted {
            Ok(())
        } else {
            Err(format!("{} {:?}", chat.role(&focused), chat.name(&focused)))
        }
    });
    assert_focus_visible(chat);
}

/// Asserts that the focus did not fall back to the page when the focused element left.
#[track_caller]
fn assert_focus_kept(chat: &Chat<'_>) {
    let script = "return document.activeElement !== document.body && document.activeElement !== null";
    assert_eq!(chat.run(script, &[]), serde_json::json!(true), "nothing has the focus any more");
}
