//! The page while the network or the server is down, and after it is back.

use std::collections::BTreeMap;

use serde_json::json;

use crate::chat::{BUG, Chat, MESSAGE};
use crate::driver::Browser;
use crate::page::By;
use crate::proxy::server_behind_proxy;
use crate::server::{Server, until};
use crate::ticket::until_checked;

// row: WB2
#[test]
fn nothing_is_missing_and_nothing_double_after_a_reload_and_cuts() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let chat = Chat::open(&browser, &proxy.url_of(&server.url()));
    chat.write("hello");
    chat.until_says("Hello! I make tickets");
    // A second window in the same conversation, without a proxy.
    let path = chat.address().splitn(4, '/').nth(3).unwrap().to_owned();
    let other = Chat::open_another(&browser, &format!("{}/{path}", server.url()));
    let said: Vec<String> = (1..=9).map(|n| format!("What do you think about number {n}?")).collect();
    let [_, early @ .., late, last] = said.as_slice() else { unreachable!() };
    proxy.lose_answers(2);
    chat.write(&said[0]);
    until("two answers to be lost", || match proxy.answers_to_lose() {
        0 => Ok(()),
        more => Err(format!("{more} more")),
    });
    proxy.break_after(Some(1500));
    for (n, text) in early.iter().enumerate() {
        if n % 2 == 0 { other.write(text) } else { chat.write(text) }
    }
    until("the network to break in the middle", || match proxy.broken_connections() {
        broke if broke >= 6 => Ok(()),
        broke => Err(format!("{broke} connections broke")),
    });
    proxy.break_after(None);
    chat.until_says(&early[5]);
    proxy.cut();
    chat.until_connection("offline");
    other.write(late);
    other.until_says(late);
    proxy.restore();
    chat.reload();
    chat.write(last);
    for text in &said {
        chat.until_says(text);
    }
    // What is still being sent is shown too, but is no message of the conversation yet.
    chat.until("both tabs to show the same, all of it", || {
        let (here, there) = (chat.messages(), other.messages());
        let sent = |text: &String| here.iter().any(|(_, shown)| shown.lines().any(|line| line == text));
        if here == there && said.iter().all(sent) { Ok(()) } else { Err(format!("{here:#?}\n{there:#?}")) }
    });
    assert_each_once(&chat, &said);
    chat.assert_no_faults();
}

/// Asserts that each text is shown once, and no message twice.
#[track_caller]
fn assert_each_once(chat: &Chat<'_>, texts: &[String]) {
    let messages = chat.messages();
    let mut ids: BTreeMap<&str, usize> = BTreeMap::new();
    for (id, _) in &messages {
        *ids.entry(id).or_default() += 1;
    }
    assert!(ids.values().all(|count| *count == 1), "{ids:#?}");
    for text in texts {
        let mine =
            |said: &&(String, String)| said.1.starts_with("You") && said.1.lines().any(|line| line == text);
        assert_eq!(messages.iter().filter(mine).count(), 1, "{text}: {messages:#?}");
    }
}

#[test]
fn an_answer_that_breaks_behind_its_head_is_no_fault() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let chat = Chat::open(&browser, &proxy.url_of(&server.url()));
    chat.write("hello");
    chat.until_says("Hello! I make tickets");
    let path = "/conversations/list";
    let asked = || {
        let script = "return performance.getEntriesByType('resource').filter(it => it.name.includes(arguments[0])).length";
        chat.run(script, &[json!(path)]).as_u64().unwrap()
    };
    proxy.break_bodies(true);
    let before = asked();
    chat.run("dispatchEvent(new Event('conversations'))", &[]);
    chat.until("the list to be asked for", || match asked() {
        more if more > before => Ok(()),
        same => Err(same.to_string()),
    });
    chat.assert_no_faults();
    proxy.break_bodies(false);
    chat.write("thanks");
    chat.until_taken();
    chat.assert_no_faults();
}

#[test]
fn a_card_outlives_the_server() {
    let Some(browser) = Browser::start() else { return };
    let mut server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    server.kill();
    chat.until_connection("offline");
    server.resume();
    chat.until_connection("live");
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(server.issues(), ["the page is empty"]);
}

#[test]
fn what_is_written_while_the_server_is_away_arrives_once() {
    let Some(browser) = Browser::start() else { return };
    let mut server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("hello");
    chat.until_says("Hello! I make tickets");
    server.kill();
    chat.until_connection("offline");
    chat.write(BUG);
    server.resume();
    chat.until_connection("live");
    chat.until_preview(1);
    let said = chat.messages();
    assert_eq!(said.iter().filter(|(_, text)| text.contains("Create a bug")).count(), 1, "{said:#?}");
    assert_eq!(chat.cards().len(), 1);
    chat.find(MESSAGE);
}

#[test]
fn a_reload_keeps_everything() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write("hello");
    chat.until_says("Hello! I make tickets");
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    let before = (chat.messages(), chat.cards());
    chat.reload();
    chat.until_connection("live");
    chat.find(By::Css("[role=log]"));
    assert_eq!((chat.messages(), chat.cards()), before);
    chat.assert_no_faults();
}

#[test]
fn where_streams_are_held_back_the_page_asks_again_and_again() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    proxy.hold_streams(true);
    let chat = Chat::open(&browser, &proxy.url_of(&server.url()));
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.until_connection("live");
    chat.assert_no_faults();
}
