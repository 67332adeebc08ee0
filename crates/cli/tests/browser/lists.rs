//! The list of conversations beside the chat: what is new elsewhere, organising it, the drawer, and earlier messages in place.

use serde_json::json;

use crate::accessibility::{assert_all_named, assert_contrast};
use crate::chat::{BUG, Chat};
use crate::driver::Browser;
use crate::page::By;
use crate::server::Server;
use crate::small_screen::assert_fits;

/// Returns the script that finds the text of the entry that is not shown.
const OTHER: &str = "return document.querySelector('#list li > a:not([aria-current])')?.innerText ?? ''";

#[test]
fn the_list_says_what_happens_in_the_other_conversations() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let one = Chat::open(&browser, &format!("{}/new", server.url()));
    one.write("hello");
    one.find(By::Css("#list a[aria-current]"));
    one.write(BUG);
    one.until_preview(1);
    one.until_says("Create a bug: the page is empty");
    one.until_is(
        "the title",
        "return document.querySelector('h1').innerText",
        &json!("Create a bug: the page is empty"),
    );
    let other = Chat::open_another(&browser, &format!("{}/new", server.url()));
    other.write("What do you think about microservices?");
    other.until_card("the gate", |card| card.step == "scope_gate");
    // Its own card waits for whoever may approve it.
    let waits = |chat: &Chat<'_>| {
        let text = chat.run(OTHER, &[]);
        let text = text.as_str().unwrap();
        if text.contains("needs you") { Ok(()) } else { Err(text.to_owned()) }
    };
    other.until("the mark of the card", || waits(&other));
    // What happens there is new here, until it is looked at.
    let preview = one.until_preview(1);
    one.press_on(&preview, "approve");
    one.until_receipt();
    other.until("the mark to go", || if waits(&other).is_err() { Ok(()) } else { Err("it is there".into()) });
    one.assert_no_faults();
    other.assert_no_faults();
    for theme in ["light", "dark"] {
        other.theme(theme);
        assert_contrast(&other, theme);
    }
    assert_all_named(&other, "body");
}

#[test]
fn a_conversation_is_organised_by_keyboard() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    let summary = chat.find(By::Css("#list summary"));
    assert_eq!(chat.name(&summary), "Options of “What do you think about microservices?”");
    chat.run("arguments[0].focus()", &[summary.argument()]);
    chat.press("Enter");
    chat.find(By::Role("button", "Pin"));
    chat.press("Tab");
    chat.press("Enter");
    chat.until_says("Pinned");
    chat.find(By::Role("heading", "Pinned"));
    chat.until_connection("live");
    chat.click(By::Css("#list summary"));
    chat.click(By::Role("link", "Rename or remove"));
    chat.fill("Title", "Our architecture");
    assert_all_named(&chat, "body");
    for theme in ["light", "dark"] {
        chat.theme(theme);
        assert_contrast(&chat, theme);
    }
    assert_fits(&chat, "the page of a conversation");
    chat.own_size();
    chat.click(By::Role("button", "Rename"));
    chat.find(By::Role("heading", "Our architecture"));
    chat.click(By::Role("link", "All conversations"));
    chat.find(By::Role("heading", "All conversations"));
    assert_fits(&chat, "all conversations");
    chat.own_size();
    chat.click(By::Css("[type=search]"));
    chat.type_text("MICRO");
    chat.press("Enter");
    chat.find(By::Css("mark"));
    for theme in ["light", "dark"] {
        chat.theme(theme);
        assert_contrast(&chat, theme);
    }
    assert_fits(&chat, "what was found");
    chat.assert_no_faults();
}

#[test]
fn on_a_small_screen_the_list_is_a_drawer() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    chat.size(360, 720, 1.0);
    assert!(!chat.is_visible(By::Css("#list a")), "the drawer is closed");
    chat.click(By::Role("button", "Conversations"));
    chat.find(By::Css("#list a"));
    assert_fits(&chat, "the drawer");
    chat.press("Escape");
    chat.until_is(
        "the drawer to close",
        "return document.querySelector(':popover-open') === null",
        &json!(true),
    );
    chat.assert_no_faults();
}

#[test]
fn earlier_messages_come_in_place_and_nothing_moves() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("hello");
    chat.until_says("Hello! I make tickets");
    let conversation = chat.run("return document.body.dataset.conversation", &[]);
    for n in 0..70 {
        said(&server, conversation.as_str().unwrap(), &format!("/maro status {n}"));
    }
    chat.reload();
    let count = "return document.querySelectorAll('#log article').length";
    let before = chat.run(count, &[]).as_u64().unwrap();
    chat.run("scrollTo(0, 0)", &[]);
    let place = "const it = document.querySelector('[data-message]'); window.marked ??= it; return window.marked.getBoundingClientRect().top";
    let top = chat.run(place, &[]).as_f64().unwrap();
    chat.click(By::Role("link", "Earlier messages"));
    chat.until("more messages", || match chat.run(count, &[]).as_u64().unwrap() {
        now if now > before => Ok(()),
        now => Err(now.to_string()),
    });
    let moved = (chat.run(place, &[]).as_f64().unwrap() - top).abs();
    assert!(moved < 2.0, "the first message moved by {moved} pixels");
    assert!(chat.run("return scrollY", &[]).as_f64().unwrap() > 100.0);
    while chat.is_visible(By::Role("link", "Earlier messages")) {
        let before = chat.run(count, &[]);
        chat.run("document.querySelector('.earlier a').click()", &[]);
        chat.until("more messages", || {
            if chat.run(count, &[]) == before { Err(before.to_string()) } else { Ok(()) }
        });
    }
    let ids = chat.run(
        "return [...document.querySelectorAll('#log [data-message]')].map(it => it.dataset.message)",
        &[],
    );
    let ids: Vec<String> = serde_json::from_value(ids).unwrap();
    let mut once = ids.clone();
    once.dedup();
    assert_eq!(ids.len(), once.len());
    chat.until_says("hello");
    chat.assert_no_faults();
}

/// Says something in a conversation over the API, and waits for its turn.
pub(crate) fn said(server: &Server, conversation: &str, text: &str) {
    let lane = json!({ "channel": "web", "conversation": conversation });
    server.event(&text.replace(' ', "-"), &json!({ "lane": lane, "kind": "message.posted", "text": text }));
}
