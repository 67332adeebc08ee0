//! Concurrent presses in two tabs, and presses on outdated cards: one takes effect, and each person sees the outcome.

use crate::chat::{BUG, Chat, button, edit_title};
use crate::driver::Browser;
use crate::page::By;
use crate::proxy::server_behind_proxy;
use crate::server::Server;
use crate::ticket::until_checked;

// row: WB6, W9, W10, W13
#[test]
fn what_is_decided_in_one_tab_is_decided_in_the_other() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let one = Chat::open(&browser, &server.url());
    one.write(BUG);
    let first = until_checked(&one, 1);
    let other = Chat::open_another(&browser, &proxy.url_of(&one.address()));
    assert_eq!(until_checked(&other, 1), first);
    // The other tab receives no updates for a while, so its card is outdated.
    proxy.hold_streams(true);
    edit_title(&one, &first, "The page stays empty");
    let second = until_checked(&one, 2);
    other.press_on(&first, "approve");
    proxy.hold_streams(false);
    other.until_refused("This preview is outdated. Version 2 is the current one.");
    assert_eq!(server.issues(), Vec::<String>::new());
    until_checked(&other, 2);
    proxy.hold_streams(true);
    one.press_on(&second, "approve");
    let receipt = one.until_receipt();
    other.press_on(&second, "approve");
    proxy.hold_streams(false);
    other.until_refused("Already processed → DEMO-1");
    assert_eq!(other.until_receipt(), receipt);
    assert!(receipt.actions.is_empty(), "{receipt:?}");
    assert_eq!(server.issues(), ["The page stays empty"]);
    one.assert_no_faults();
    other.assert_no_faults();
}

// row: W9
#[test]
fn two_presses_at_once_create_one_issue() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let chat = Chat::open(&browser, &server.url());
    chat.write(BUG);
    let preview = until_checked(&chat, 1);
    chat.double_click(By::Css(&button(&preview, "approve")));
    chat.until_receipt();
    assert_eq!(server.issues(), ["the page is empty"]);
    chat.assert_no_faults();
}

// row: W9
#[test]
fn whose_press_comes_second_is_told_who_was_first() {
    let Some(browser) = Browser::start() else { return };
    let (server, proxy) = server_behind_proxy();
    let you = Chat::open(&browser, &server.url());
    you.write(BUG);
    let preview = until_checked(&you, 1);
    // Cookies belong to a host name, so the same browser can be another person at another name.
    let there = proxy.url_of(&you.address()).replace("127.0.0.1", "localhost");
    let ana = Chat::open_another(&browser, &there);
    ana.click(By::Role("button", "ana"));
    ana.until_connection("live");
    assert_eq!(until_checked(&ana, 1).title, preview.title);
    proxy.hold_streams(true);
    you.press_on(&preview, "approve");
    you.until_receipt();
    ana.press_on(&preview, "approve");
    proxy.hold_streams(false);
    ana.until_refused("Already approved by @you");
    assert!(ana.until_receipt().title.contains("approved by @you"));
    assert_eq!(server.issues().len(), 1);
}
