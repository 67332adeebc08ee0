//! The console's first page and its lists: they follow what happens, filters are saved under names, and all of it works
//! without a script too.

use serde_json::json;

use crate::card_accessibility::assert_accessible;
use crate::console::post_bug;
use crate::driver::Browser;
use crate::page::{By, Page};
use crate::server::Server;

fn say(server: &Server, key: &str, conversation: &str, text: &str) {
    let lane = json!({ "channel": "api", "conversation": conversation });
    let said = json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "ana" }, "text": text });
    server.event(key, &said);
}

#[test]
fn the_overview_and_the_lists_follow_what_happens() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    let overview = Page::first(&browser);
    overview.go(&format!("{}/console", server.url()));
    overview.until_says("Nothing waits for you.");
    let turns = Page::another(&browser);
    turns.go(&format!("{}/console/turns?person=ana", server.url()));
    turns.until_says("No turn like that.");
    post_bug(&server, "c1");
    overview.until_says("the page is empty");
    overview.until_says("9 · Intent");
    turns.until_says("intent.rule");
    assert!(!turns.text().contains("effect.settled"), "the filter still holds: {}", turns.text());
    // What somebody writes into a field stays while the list changes.
    turns.click(By::Role("textbox", "Person"));
    turns.press("Control+a");
    turns.type_text("bo");
    say(&server, "k2", "c2", "/maro help");
    turns.until_says("command.help");
    let typed = turns.run("return document.querySelector('[name=person]').value", &[]);
    assert_eq!(typed, "bo");
    overview.click(By::Role("link", "the page is empty"));
    overview.until_says("Exactly what would run");
    assert_eq!(json!([overview.faults(), turns.faults()]), json!([[], []]));
}

#[test]
fn a_filter_is_saved_under_a_name_and_forgotten() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    post_bug(&server, "c1");
    let page = Page::first(&browser);
    page.go(&format!("{}/console/turns", server.url()));
    // Nothing is filtered yet, so there is nothing to save.
    assert!(!page.text().contains("Save this view"), "{}", page.text());
    page.click(By::Role("textbox", "Reason"));
    page.type_text("intent.");
    page.press("Enter");
    page.click(By::Role("textbox", "Save this view as"));
    page.type_text("What <b>rules</b> saw");
    page.press("Enter");
    page.find(By::Role("link", "What <b>rules</b> saw"));
    assert_accessible(&page, "body", "a saved view");
    page.go(&format!("{}/console/turns", server.url()));
    page.click(By::Role("link", "What <b>rules</b> saw"));
    page.until_is(
        "the filter is in its field",
        "return document.querySelector('[name=reason]').value",
        &json!("intent."),
    );
    page.until_says("intent.rule");
    page.click(By::Role("button", "Forget the view What <b>rules</b> saw"));
    page.until_says("Save this view as");
    page.reload();
    assert!(!page.text().contains("What <b>rules"), "{}", page.text());
    assert_eq!(json!(page.faults()), json!([]));
}

#[test]
fn the_first_page_and_the_filters_need_no_script() {
    let Some(browser) = Browser::start() else { return };
    let server = Server::start();
    post_bug(&server, "c1");
    let page = Page::first(&browser);
    page.without_script();
    page.go(&format!("{}/console", server.url()));
    page.until_says("Needs you");
    page.click(By::Role("link", "9 · Intent"));
    page.until_says("Turns like that, newest first.");
    page.click(By::Role("searchbox", "Text"));
    page.type_text("nowhere at all");
    page.click(By::Role("button", "Filter"));
    page.until_says("No turn like that.");
    page.click(By::Css(".empty a"));
    page.until_says("All turns, newest first.");
}
