//! Two tabs, two presses, old cards: one act comes of it, and everybody is told (`spec 07 §14`, WB6).

use crate::chat::{BUG, Chat, button, edit_title};
use crate::driver::Browser;
use crate::page::At;
use crate::serving::Serving;
use crate::wire::behind_a_network;

#[test]
fn wb6_w9_w10_w13_what_is_decided_in_one_tab_is_decided_in_the_other() {
    let Some(browser) = Browser::start() else { return };
    let (serving, network) = behind_a_network();
    let one = Chat::open(&browser, &serving.url());
    one.write(BUG);
    let first = one.until_preview(1);
    let other = Chat::open_another(&browser, &network.url_of(&one.address()));
    assert_eq!(other.until_preview(1), first);
    // The other tab is told nothing for a while, so it shows what is not any more.
    network.hold_streams(true);
    edit_title(&one, &first, "The page stays empty");
    let second = one.until_preview(2);
    other.press_on(&first, "approve");
    network.hold_streams(false);
    other.until_refused("This preview is outdated. Version 2 is the current one.");
    assert_eq!(serving.issues(), Vec::<String>::new());
    other.until_preview(2);
    network.hold_streams(true);
    one.press_on(&second, "approve");
    let receipt = one.until_receipt();
    other.press_on(&second, "approve");
    network.hold_streams(false);
    other.until_refused("Already processed → DEMO-1");
    assert_eq!(other.until_receipt(), receipt);
    assert!(receipt.actions.is_empty(), "{receipt:?}");
    assert_eq!(serving.issues(), ["The page stays empty"]);
    one.is_clean();
    other.is_clean();
}

#[test]
fn w9_two_presses_at_once_create_one_issue() {
    let Some(browser) = Browser::start() else { return };
    let serving = Serving::start();
    let chat = Chat::open(&browser, &serving.url());
    chat.write(BUG);
    let preview = chat.until_preview(1);
    chat.double_click(At::Css(&button(&preview, "approve")));
    chat.until_receipt();
    assert_eq!(serving.issues(), ["The page is empty"]);
    chat.is_clean();
}

#[test]
fn w9_whose_press_comes_second_is_told_who_was_first() {
    let Some(browser) = Browser::start() else { return };
    let (serving, network) = behind_a_network();
    let you = Chat::open(&browser, &serving.url());
    you.write(BUG);
    let preview = you.until_preview(1);
    // By another name of the same machine a browser is another person.
    let there = network.url_of(&you.address()).replace("127.0.0.1", "localhost");
    let ana = Chat::open_another(&browser, &there);
    ana.click(At::Named("button", "ana"));
    ana.until_connection("live");
    assert_eq!(ana.until_preview(1).title, preview.title);
    network.hold_streams(true);
    you.press_on(&preview, "approve");
    you.until_receipt();
    ana.press_on(&preview, "approve");
    network.hold_streams(false);
    ana.until_refused("Already approved by @you");
    assert!(ana.until_receipt().title.contains("approved by @you"));
    assert_eq!(serving.issues().len(), 1);
}
