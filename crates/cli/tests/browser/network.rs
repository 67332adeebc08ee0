//! What becomes of the page when the network or the server goes away and comes back (`spec 07 §14`, WB2).

use std::collections::BTreeMap;

use crate::chat::{BUG, Chat, MESSAGE};
use crate::driver::Browser;
use crate::page::At;
use crate::serving::{Serving, until};
use crate::wire::behind_a_network;

#[test]
fn wb2_nothing_is_missing_and_nothing_double_after_a_reload_and_cuts() {
    let Some(browser) = Browser::start() else { return };
    let (serving, network) = behind_a_network();
    let chat = Chat::open(&browser, &network.url_of(&serving.url()));
    chat.write("hello");
    chat.until_says("I turn messages into tickets");
    // A second tab of the same conversation writes, without a proxy in between.
    let path = chat.address().splitn(4, '/').nth(3).unwrap().to_owned();
    let other = Chat::open_another(&browser, &format!("{}/{path}", serving.url()));
    let said: Vec<String> = (1..=9).map(|n| format!("{n} is a number that I like")).collect();
    let [_, early @ .., late, last] = said.as_slice() else { unreachable!() };
    network.lose_answers(2);
    chat.write(&said[0]);
    until("two answers to be lost", || match network.loses() {
        0 => Ok(()),
        more => Err(format!("{more} more")),
    });
    network.break_after(Some(1500));
    for (n, text) in early.iter().enumerate() {
        if n % 2 == 0 { other.write(text) } else { chat.write(text) }
    }
    until("the network to break in the middle", || match network.broke() {
        broke if broke >= 6 => Ok(()),
        broke => Err(format!("{broke} connections broke")),
    });
    network.break_after(None);
    chat.until_says(&early[5]);
    network.cut();
    chat.until_connection("offline");
    other.write(late);
    other.until_says(late);
    network.mend();
    chat.reload();
    chat.write(last);
    for text in &said {
        chat.until_says(text);
    }
    chat.until("both tabs to show the same", || {
        let (here, there) = (chat.messages(), other.messages());
        if here == there { Ok(()) } else { Err(format!("{here:#?}\n{there:#?}")) }
    });
    each_is_there_once(&chat, &said);
    chat.is_clean();
}

/// Every text is there once, and no message is there twice.
#[track_caller]
fn each_is_there_once(chat: &Chat<'_>, texts: &[String]) {
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
fn a_card_outlives_the_server() {
    let Some(browser) = Browser::start() else { return };
    let mut serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    serving.kill();
    chat.until_connection("offline");
    serving.resume();
    chat.until_connection("live");
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    assert_eq!(serving.issues(), ["The page is empty"]);
}

#[test]
fn what_is_written_while_the_server_is_away_arrives_once() {
    let Some(browser) = Browser::start() else { return };
    let mut serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("hello");
    chat.until_says("I turn messages into tickets");
    serving.kill();
    chat.until_connection("offline");
    chat.write(BUG);
    serving.resume();
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
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write("hello");
    chat.until_says("I turn messages into tickets");
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.write("What do you think about microservices?");
    chat.until_card("the gate", |card| card.step == "scope_gate");
    let before = (chat.messages(), chat.cards());
    chat.reload();
    chat.until_connection("live");
    chat.find(At::Css("[role=log]"));
    assert_eq!((chat.messages(), chat.cards()), before);
    chat.is_clean();
}

#[test]
fn where_streams_are_held_back_the_page_asks_again_and_again() {
    let Some(browser) = Browser::start() else { return };
    let (serving, network) = behind_a_network();
    network.hold_streams(true);
    let chat = Chat::open(&browser, &network.url_of(&serving.url()));
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.press_on(&preview, "approve");
    chat.until_receipt();
    chat.until_connection("live");
    chat.is_clean();
}
